"""What Python's own errors stand for: mistakes of the catalogue, and what to try.

`PHRASES` and `BY_NAME` give an error a kind; `TRIES` says more where it stays "raised".
"""

import asyncio

from helpers.basics.backports import QueueShutDown

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

# What to try if something can't be awaited: Python 3.14 says so in other words.
_OF_ASYNC_GENERATOR = (
    "A `yield` inside an `async def` makes an async generator of it: use `async for`, or `return`."
)
_OF_FUNCTION = "Call the function: what you await is the coroutine that the call returns."
_OF_ANYTHING = (
    "`await` takes coroutines, tasks and futures. Is what you await made by an `async def`?"
)

# An error's type, words of its message, what to try: where "raised" alone says too little.
TRIES = (
    (
        NameError,
        "is not defined",
        "Your function may use what your notebook defines and imports: run those cells first.",
    ),
    (EOFError, "EOF when reading a line", "Nobody types during a check: leave `input()` out."),
    (TypeError, "async_generator can't be used in 'await'", _OF_ASYNC_GENERATOR),
    (TypeError, "'async_generator' object can't be awaited", _OF_ASYNC_GENERATOR),  # 3.14
    (TypeError, "object function can't be used in 'await'", _OF_FUNCTION),
    (TypeError, "'function' object can't be awaited", _OF_FUNCTION),  # 3.14
    (TypeError, "can't be used in 'await' expression", _OF_ANYTHING),
    (TypeError, "object can't be awaited", _OF_ANYTHING),  # 3.14
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
        "A `next(…)` inside a generator found nothing: catch StopIteration there, or use `for` if "
        "nothing is sent.",
    ),
    (
        TypeError,
        "'coroutine' object is not callable",
        "It was called already: what you have is the coroutine. Leave off the parentheses.",
    ),
    (
        LookupError,
        "<ContextVar name=",
        "What is set in a task is there for this task and those that it creates. Where nothing was "
        "set, `ContextVar(name, default=None)` gives None.",
    ),
    (
        AttributeError,
        "'NoneType' object has no attribute",
        "What stands before the dot is None there: make the thing before it is used, or ask for "
        "None first.",
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
        RuntimeError,
        "changed size during iteration",
        "What a `for` goes through must not gain or lose anything meanwhile: go through a copy, "
        "`list(…)`, or take one out after the other in a `while` loop.",
    ),
    (
        AttributeError,
        "'list' object has no attribute 'popleft'",
        "A list has no `popleft`. `deque(…)` makes a queue of it.",
    ),
    (
        Exception,
        "Result is not set",
        "The task is not done yet. Await it, and then ask for its result. (A TaskGroup awaits its "
        "tasks where its block ends.)",
    ),
    (
        TypeError,
        "Passing coroutines is forbidden",
        "`asyncio.wait` takes tasks: `asyncio.create_task(…)` makes one of a coroutine.",
    ),
    (
        ValueError,
        "Set of Tasks/Futures is empty",
        "`asyncio.wait` takes one task at least: check that there is one before you wait.",
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
        RuntimeError,
        "Timeout has already been entered",
        "What `asyncio.timeout` returns can be entered once: make a new one for each `async with`.",
    ),
    (
        RuntimeError,
        "no current event loop",
        "`get_event_loop` makes no loop. `asyncio.run` makes one, and closes it.",
    ),
    (
        TypeError,
        "not supported between instances of 'str' and 'int'",
        "A text is no number, even if digits stand in it: `int(…)` makes one of it.",
    ),
    (
        AttributeError,
        "'async_generator' object has no attribute 'close'",
        "An async generator is closed by `await stream.aclose()`, or by `contextlib.aclosing`.",
    ),
    (
        asyncio.CancelledError,
        "",
        "Whoever awaits a task that was cancelled gets a CancelledError. A time limit around the "
        "`await` of a task cancels that task, too.",
    ),
    (
        UnboundLocalError,
        "cannot access local variable",
        "On the way that this call took nothing was put under that name before.",
    ),
    (
        UnicodeDecodeError,
        "",
        "Bytes need not be text. Work on the bytes themselves, or say by `errors=` what is to "
        "become of those that are none.",
    ),
    (
        asyncio.IncompleteReadError,
        "",
        "The connection ended before all of that had come. This is an EOFError, no "
        "ConnectionError and no OSError: catch it where that may happen.",
    ),
    (
        RuntimeError,
        "aclose(): asynchronous generator is already running",
        "A task still waits inside this generator. Cancel that task and await it, and close the "
        "generator then.",
    ),
    (
        ValueError,
        "range() arg 3 must not be zero",
        "The step is 0 here. Take at least 1: a division may give 0 where there are few, or none.",
    ),
    (
        ValueError,
        "too many values to unpack",
        "More parts came than there are names on the left. `split` cuts wherever it can, unless it "
        "is told how often.",
    ),
    (
        ValueError,
        "not enough values to unpack",
        "Fewer parts came than there are names on the left, perhaps none at all.",
    ),
    (
        NameError,
        "cannot access free variable",
        "Nothing stands under that name when it is asked for. The name after `except … as` is gone "
        "when its block has ended.",
    ),
    (
        StopIteration,
        "",
        "A `next(…)` or `send(…)` met the end of a generator: catch StopIteration, its "
        "`.value` is what was returned.",
    ),
)
