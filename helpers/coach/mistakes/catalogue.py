"""The catalogue of mistakes: what each is called, what its line does, what to try instead.

The first table holds the mistakes by name, those a check module may name in its `Wrong` as well.
The others tell what Python's own errors stand for. Long, for it is read as one table.
"""

import asyncio
from typing import NamedTuple

from helpers.basics.backports import QueueShutDown


class Kind(NamedTuple):
    """A mistake by name: the headline, what its line does ("Line 4 …"), and what to try."""

    headline: str
    at: str
    try_: str


KINDS = {
    # What the course is about
    "not awaited": Kind(
        "forgot to await",
        "makes a coroutine and leaves it there",
        "Calling a coroutine function only builds a paused frame. Put `await` before the call, or "
        "hand it to a task.",
    ),
    "sequential": Kind(
        "ran one after another",
        "awaits each call before it starts the next",
        "Try to start them all before you await any.",
    ),
    "blocked": Kind(
        "blocked the loop",
        "holds the whole thread while it waits",
        "Nothing else can run in the meantime. Await something that suspends, such as "
        "`asyncio.sleep`, or move the call to a thread with `asyncio.to_thread`.",
    ),
    "deadlock": Kind(
        "deadlock",
        "waits for something that nobody will ever do",
        "Ask for each wait: who ends it, and what is that one waiting for?",
    ),
    "spin": Kind(
        "busy spin",
        "goes round and round without ever waiting",
        "A loop that waits must await something that really suspends, such as an event or a sleep, "
        "and must be able to end.",
    ),
    "hog": Kind(
        "CPU hog",
        "computes on and on, and nobody else gets a turn",
        "Do less work, or hand it to a process or a thread.",
    ),
    "swallowed": Kind(
        "swallowed the cancellation",
        "catches the cancellation and goes on",
        "Clean up, then `raise`: or catch only the errors that you mean.",
    ),
    "leaked": Kind(
        "left a task running",
        "",
        "Await every task that you start, or cancel it: a TaskGroup does that for you.",
    ),
    "limit": Kind(
        "limit exceeded",
        "starts more than that at once",
        "One semaphore shared by all of them, or a fixed number of workers, keeps the limit.",
    ),
    "nested run": Kind(
        "called asyncio.run inside a running loop",
        "starts a second loop",
        "A loop already runs here. Make the function `async def` and `await` instead.",
    ),
    "value": Kind("wrong value", "", "Compare the two, and follow one item through your code."),
    "order": Kind(
        "wrong order",
        "",
        "The items are right, their order is not. Keep the order that they were "
        "asked in, not the one in which they were ready.",
    ),
    "lost error": Kind(
        "lost an error",
        "",
        "An error must reach whoever awaits. Await the task, or look at its result.",
    ),
    "raised": Kind("raised an error", "raises it", ""),
    # Tasks, cancellation and what tasks share
    "losers": Kind(
        "left the losers running",
        "",
        "Once the answer is there, cancel the others and await them: a loser that goes on still "
        "holds its connection.",
    ),
    "cut off": Kind(
        "the cleanup was cut off",
        "is where the cleanup was",
        "A cleanup that awaits can be cancelled as well. Keep it short and bound it in time, or "
        "let a task of its own do it, shielded, and wait for that.",
    ),
    "lost update": Kind(
        "lost an update",
        "",
        "Between reading and writing others had their turn. Read and write without an `await` in "
        "between, or hold one lock around both.",
    ),
    "lock per call": Kind(
        "made a lock for each call",
        "makes it",
        "A lock keeps out only those who ask for the same lock. Make one, outside, and share it.",
    ),
    # Seen where the answer is asked with many cases
    "state": Kind(
        "kept something from an earlier call",
        "",
        "What a call makes belongs to that call. Look for a name outside of the function, a "
        "default that is a list or a dict, an attribute of a class.",
    ),
    "calls": Kind(
        "made other calls than were asked",
        "",
        "Count what is asked for, and follow each one through your code.",
    ),
    "another error": Kind(
        "raised another error",
        "raises it",
        "Let the error come out as it is, or raise the one that was asked.",
    ),
    "slow": Kind(
        "took longer than it must",
        "waits",
        "Look for a wait that nothing asks for, or for one that could go on beside another.",
    ),
    "early": Kind("did not wait long enough", "", "Look for what it did not wait for."),
    # Clients and pipelines
    "pool exhausted": Kind(
        "exhausted the connection pool",
        "asks for a connection",
        "More requests wait for a connection than the pool can serve in time. Start no more at "
        "once than it has connections: a semaphore, or a few workers.",
    ),
    "retried": Kind(
        "retried what must not be retried",
        "",
        "Asking again helps only where the fault may pass: a lost connection, a time-out, 429, "
        "503. A 400 or a 404 is the same next time, and an order that was taken is taken twice.",
    ),
    "unbounded": Kind(
        "let the queue grow without bound",
        "",
        "Give the queue a `maxsize`: then `await queue.put(item)` waits until there is room, and "
        "the producer goes as fast as the consumers do.",
    ),
    "full queue": Kind(
        "put into a full queue without waiting",
        "puts it",
        "`put_nowait` never waits for room. `await queue.put(item)` does.",
    ),
    "one sentinel": Kind(
        "one sentinel for many workers",
        "waits for an item that nobody will put",
        "The worker that takes the sentinel keeps it. Put one for each worker, put it back for the "
        "next, or use `queue.shutdown()`.",
    ),
    "one argument for many": Kind(
        "one argument for many",
        "hands it over",
        "Put a star before it: `gather(*(… for …))` hands over each of them.",
    ),
    "batch barrier": Kind(
        "waited for a whole batch",
        "waits for the slowest of them",
        "Start the next item as soon as one place is free: workers on one queue, or a semaphore.",
    ),
    # Servers
    "one read is one message": Kind(
        "took one read for one message",
        "reads what happens to be there",
        "TCP is a stream of bytes: a message may come in pieces, and two may come at once. Read "
        "up to the mark that ends a message, or exactly as many bytes as it says.",
    ),
    "no drain": Kind(
        "wrote without draining",
        "writes into the buffer",
        "`write` only puts the bytes into a buffer. `await writer.drain()` waits while the client "
        "is slow, and so the buffer stays small.",
    ),
    "connection shared": Kind(
        "shared one connection",
        "uses it while somebody else does",
        "A connection holds one conversation at a time. Take one from a pool for each task, or "
        "one after another.",
    ),
    "dropped requests": Kind(
        "dropped the requests that were under way",
        "",
        "Stop accepting first, then wait for what was begun, with a time limit, and cancel only "
        "what is left after that.",
    ),
    "never answers": Kind(
        "never answers",
        "",
        "Each way through the application must end in a whole answer, the errors too.",
    ),
    "left open": Kind(
        "left a connection or a server open",
        "",
        "Close it in `finally`, or by `async with`, and wait until it is closed.",
    ),
    # Generators
    "unprimed": Kind(
        "sent a value to a generator that had not started",
        "sends it",
        "A fresh generator has no `yield` to receive a value. Prime it first with `next(gen)`.",
    ),
    "ignored close": Kind(
        "swallowed GeneratorExit",
        "goes on after close()",
        "`close()` raises GeneratorExit at the `yield`. Let it pass, and put the cleanup in "
        "`finally`.",
    ),
    "not a generator": Kind(
        "not a generator", "", "A function becomes a generator by a `yield` in its body."
    ),
    "not async": Kind("not an async function", "", "Begin it with `async def`."),
    "awaited twice": Kind(
        "awaited a coroutine twice",
        "awaits it again",
        "A coroutine runs once. Make a task of it, or call the function again.",
    ),
    "other loop": Kind(
        "used an object of another loop",
        "meets it",
        "Make it inside the function, where the loop runs that will use it.",
    ),
    # What keeps an answer from being judged
    "not a function": Kind("not a function", "", "Pass the function itself."),
    "arguments": Kind("takes other arguments", "", "Keep the parameters of the stub."),
    "unsendable": Kind(
        "could not be taken along",
        "",
        "Your answer runs in a process of its own, where it can do no harm. Make such things "
        "inside the function.",
    ),
    "endless": Kind(
        "did not come to an end",
        "is where it was",
        "Look for what should end this loop or this wait.",
    ),
    "recursion": Kind(
        "called itself without end", "calls on", "A recursion needs a case that calls no further."
    ),
    "memory": Kind("took too much memory", "asks for more", "Does something grow without end?"),
    "exits": Kind(
        "ended the interpreter",
        "ends it",
        "Return from the function instead; in your kernel this would have ended your session.",
    ),
    "crashed": Kind("crashed the interpreter", "was running", ""),
    "too busy": Kind(
        "this machine is too busy to tell",
        "",
        "Run it again, best when less else is running. This check is not counted.",
    ),
    "thread": Kind(
        "left a thread running",
        "is where it runs",
        "A thread is not stopped from outside. Give it a way to end, and wait for it with `join`.",
    ),
    "process": Kind(
        "left a process running", "", "Wait for every process that you start, or end it."
    ),
    "changed": Kind(
        "changed something that all code shares",
        "changes it",
        "Your kernel is unharmed. Leave it as it is, and change only what is your own.",
    ),
}


# An error's type, words of CPython's message, the mistake that they tell of.
PHRASES = (
    (RuntimeError, "asyncio.run() cannot be called from a running event loop", "nested run"),
    (RuntimeError, "Runner.run() cannot be called from a running event loop", "nested run"),
    (RuntimeError, "event loop is already running", "nested run"),
    (RuntimeError, "Cannot run the event loop while another loop is running", "nested run"),
    (RuntimeError, "cannot reuse already awaited coroutine", "awaited twice"),
    (RuntimeError, "coroutine is being awaited already", "awaited twice"),
    (RuntimeError, "attached to a different loop", "other loop"),
    (RuntimeError, "is bound to a different event loop", "other loop"),
    (RuntimeError, "generator ignored GeneratorExit", "ignored close"),
    (TypeError, "can't send non-None value to a just-started", "unprimed"),
    (TypeError, "'coroutine' object is not callable", "raised"),
    (TypeError, "'coroutine'", "not awaited"),
    (TypeError, "coroutine object", "not awaited"),
    (TypeError, "not coroutine", "not awaited"),
    (TypeError, "got coroutine", "not awaited"),
    (TypeError, "type coroutine", "not awaited"),
    (TypeError, "to coroutine.", "not awaited"),
    (KeyError, "coroutine object", "not awaited"),
    (AttributeError, "'coroutine' object", "not awaited"),
)

# Errors that tell of a mistake by their name alone; httpx needn't be imported to know its own.
BY_NAME = {
    "PoolTimeout": "pool exhausted",
    "QueueFull": "full queue",
}

# An error's type, words of its message, what to try: where "raised" alone says too little.
TRIES = (
    (
        NameError,
        "is not defined",
        "Your function may use what your notebook defines and imports: run those cells first.",
    ),
    (EOFError, "EOF when reading a line", "Nobody types during a check: leave `input()` out."),
    (
        TypeError,
        "async_generator can't be used in 'await'",
        "A `yield` inside an `async def` makes an "
        "async generator of it: use `async for`, or `return`.",
    ),
    (
        TypeError,
        "can't be used in 'await' expression",
        "`await` takes coroutines, tasks and futures. Is what you await made by an `async def`?",
    ),
    (
        TypeError,
        "'async for' requires an object with __aiter__",
        "`async for` takes an async iterator, such as the call of an async generator. What is "
        "there already is read by `for`.",
    ),
    (
        TypeError,
        "'async_generator' object is not",
        "An async generator is read by `async for`, also in a comprehension.",
    ),
    (
        TypeError,
        "object does not support the context manager protocol",
        "Locks and other things of asyncio are entered with `async with`.",
    ),
    (
        asyncio.QueueEmpty,
        "",
        "`get_nowait` never waits for an item. `await queue.get()` does.",
    ),
    (
        QueueShutDown,
        "",
        "`get` raises it when nothing is left in a queue that was shut down, `put` at once: catch "
        "it where the worker ends.",
    ),
    (
        RuntimeError,
        "no running event loop",
        "This needs a running loop: do it inside an `async def`.",
    ),
    (
        RuntimeError,
        "generator raised StopIteration",
        "A `next(…)` inside a generator found nothing: catch StopIteration there, or use `for`.",
    ),
    (
        TypeError,
        "'coroutine' object is not callable",
        "It was called already: what you have is the coroutine. Leave out the brackets behind it.",
    ),
    (
        IndexError,
        "pop from an empty deque",
        "Nobody is left in the queue. Ask before you take one, in the head of the `while`.",
    ),
    (
        RuntimeError,
        "deque mutated during iteration",
        "A `for` loop refuses a deque that changes under it. Take one from the left with "
        "`popleft()`, in a `while` loop.",
    ),
    (
        AttributeError,
        "'list' object has no attribute 'popleft'",
        "A list has no `popleft`. `deque(…)` makes a queue of it.",
    ),
    (
        Exception,
        "Result is not set",
        "The task is not done yet. Ask for its result when it has been awaited: behind the block "
        "of a TaskGroup, not in it.",
    ),
    (
        TypeError,
        "Passing coroutines is forbidden",
        "`asyncio.wait` takes tasks: `asyncio.create_task(…)` makes one of a coroutine.",
    ),
    (
        ValueError,
        "Set of Tasks/Futures is empty",
        "`asyncio.wait` takes one task at least: look whether there is one before you wait.",
    ),
    (
        RuntimeError,
        "on un-acquired lock",
        "Who waits for a condition, or notifies the others, must hold its lock: put `async with "
        "condition:` around it, and look in there at what you wait for, too.",
    ),
    (
        AttributeError,
        "has no attribute 'add_done_callback'",
        "`asyncio.wait` takes tasks. Of a dict it takes the keys: hand it `tasks.values()`.",
    ),
    (
        TypeError,
        "a coroutine was expected, got",
        "Call the function: a task is made of the coroutine that the call returns.",
    ),
    (
        TypeError,
        "a coroutine or an awaitable is required",  # asyncio.run of Python 3.14
        "Call the function: what runs is the coroutine that the call returns.",
    ),
    (
        StopIteration,
        "",
        "A `next(…)` or `send(…)` met the end of a generator: catch StopIteration, its "
        "`.value` is what was returned.",
    ),
)
