"""Names the mistake: from what was raised, from what hung, from the text of the answer.

A message states what was observed, then the line, then what to try. Lines are those of the
learner's own cell.
"""

import ast
import asyncio
import inspect
import linecache
import re
import traceback
from dataclasses import asdict, dataclass, field

from helpers.basics.backports import QueueShutDown
from helpers.coach.form.statement import Wrong
from helpers.coach.judging.packing import nodes_of
from helpers.recording.model import without_number


@dataclass
class Kind:
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


@dataclass
class Verdict:
    """The outcome of a check. status: "not started", "not yet" or "solved"."""

    status: str
    kind: str = ""
    headline: str = ""
    observed: str = ""
    line: int | None = None
    at: str = ""
    try_: str = ""
    printed: str = ""

    def text(self):
        """The verdict as plain text, one part a line."""
        return "\n".join(part for part in (self.first(), *self.parts()) if part)

    def first(self):
        if self.status == "not yet":
            return f"NOT YET: {self.headline}."
        return self.status.upper() + "."

    def parts(self):
        return [part for part in (self.observed, self.at, self.try_) if part]

    def as_dict(self):
        return asdict(self)


class Source:
    """The text of the learner's cells, asked for lines.

    filenames: those of the cells that the answer comes from; main: the one that holds the answer.
    """

    def __init__(self, filenames, main=None, first=None, last=None):
        self.filenames = set(filenames)
        self.main = main
        self.first = first or 1
        self.last = last

    def owns(self, filename):
        return filename in self.filenames

    def code(self, filename, line):
        return linecache.getline(filename, line).strip()

    def of_traceback(self, error):
        """(filename, line) where `error` left the learner's code, innermost; None if it never
        was there.
        """
        place = None
        for frame, line in traceback.walk_tb(error.__traceback__):
            if self.owns(frame.f_code.co_filename):
                place = (frame.f_code.co_filename, line)
        if place is None and isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                place = place or self.of_traceback(inner)
        return place

    def of_frame(self, frame):
        """(filename, line) of the innermost frame in the learner's code, or None."""
        while frame is not None:
            if self.owns(frame.f_code.co_filename):
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return None

    def of_coroutine(self, coroutine):
        """(filename, line) of the learner's innermost line that made `coroutine`, or None."""
        made = ((name, line) for name, line, _ in coroutine.cr_origin or () if self.owns(name))
        return next(made, None)

    def coroutines_met(self, error):
        """The coroutines that `error` itself holds, and those that a name stands for in the line
        that raised it, as a list of (name, place where it was made).
        """
        error = leaf_of(error)
        met = None
        for frame, line in traceback.walk_tb(error.__traceback__):
            if self.owns(frame.f_code.co_filename):
                met = frame, line
        if met is None:
            return []
        frame, line = met
        known = {**frame.f_globals, **frame.f_locals}
        named = [
            known.get(node.id)
            for node in self._nodes(frame.f_code.co_filename)
            if isinstance(node, ast.Name) and node.lineno == line
        ]
        return [
            (held.__name__, place)
            for thing in (getattr(error, "obj", None), *error.args, *named)
            for held in with_items(thing)
            if inspect.iscoroutine(held)
            and held.cr_frame is not None
            and (place := self.of_coroutine(held))
        ]

    def of_text(self, text):
        """(filename, line) of the last learner's line that a printed traceback mentions, or
        None.
        """
        found = [
            (name, int(line))
            for name, line in re.findall(r'File "([^"]+)", line (\d+)', text)
            if self.owns(name)
        ]
        return found[-1] if found else None

    def sentence(self, place, at):
        """ "Line 4 awaits each call …: `code`." """
        if place is None:
            return ""
        filename, line = place
        code = self.code(filename, line)
        where = f"Line {line}"
        if filename != self.main:
            name = next(
                (
                    node.name
                    for node in self._nodes(filename)
                    if is_function(node) and node.lineno <= line <= node.end_lineno
                ),
                None,
            )
            where += f" of the cell with `{name}`" if name else " of another cell"
        return where + (f" {at}" if at else "") + (f": `{code}`" if code else "") + "."

    # What the text tells

    def nodes(self):
        """All AST nodes of the answer itself."""
        last = self.last or 10**9
        return [
            node
            for node in self._nodes(self.main)
            if self.first <= getattr(node, "lineno", 0) <= last
        ]

    def _nodes(self, filename):
        return nodes_of(filename) if filename else []

    def matching(self, pattern):
        """(filename, line) of the first line of the answer that holds the regular expression,
        or None.
        """
        lines = linecache.getlines(self.main) if self.main else []
        for number, line in enumerate(lines[self.first - 1 : self.last], self.first):
            if re.search(pattern, line):
                return self.main, number
        return None

    def inside_while(self, place):
        return any(
            isinstance(node, ast.While) and node.lineno <= place[1] <= node.end_lineno
            for node in self._nodes(place[0])
        )

    def sequential_await(self):
        """Where each call is awaited before the next starts: an await in a loop, else the
        second await.
        """
        loops = (
            ast.For,
            ast.While,
            ast.ListComp,
            ast.SetComp,
            ast.DictComp,
            ast.GeneratorExp,
            ast.AsyncFor,
        )
        for loop in self.nodes():
            if isinstance(loop, loops):
                for node in own_nodes(loop):
                    if isinstance(node, ast.Await):
                        return self.main, node.lineno
        awaits = sorted(node.lineno for node in self.nodes() if isinstance(node, ast.Await))
        return (self.main, awaits[min(1, len(awaits) - 1)]) if awaits else None

    def swallowing_handler(self):
        """Where an `except` catches CancelledError and doesn't raise it again, or None."""
        for node in self.nodes():
            if (
                isinstance(node, ast.ExceptHandler)
                and catches_cancelled(node.type)
                and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            ):
                return self.main, node.lineno
        for node in self.nodes():
            if isinstance(node, ast.Try) and any(
                isinstance(inner, (ast.Return, ast.Break, ast.Continue))
                for part in node.finalbody
                for inner in ast.walk(part)
            ):
                return self.main, node.finalbody[0].lineno
        return None


def is_function(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def own_nodes(node):
    """The nodes below `node`, without those of functions defined in there."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from own_nodes(child)


def with_items(thing):
    """A thing, and what it holds if it is a list, a tuple or a dict."""
    if isinstance(thing, (list, tuple)):
        return [thing, *thing]
    return [thing, *thing.values()] if isinstance(thing, dict) else [thing]


def catches_cancelled(type_):
    if type_ is None:
        return True
    if isinstance(type_, ast.Tuple):
        return any(map(catches_cancelled, type_.elts))
    name = type_.attr if isinstance(type_, ast.Attribute) else getattr(type_, "id", "")
    return name in ("BaseException", "CancelledError")


# Words


def brief(thing, most=80):
    """A short repr that never fails: functions by name, long things cut, broken ones by type."""
    try:
        if callable(thing) and hasattr(thing, "__name__"):
            return str(thing.__name__)
        text = repr(thing)
        if not isinstance(text, str):
            raise TypeError
    except BaseException as error:
        if isinstance(error, MemoryError):
            raise
        return f"<{type(thing).__name__} whose repr fails>"
    return text if len(text) <= most else text[: most - 2] + " …"


def seconds(value):
    """Seconds in words: 3 s, 0.25 s."""
    return f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"


def listed(words, joiner="and"):
    words = list(words)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


def count(number, word):
    return f"{number:,} {word}" + ("" if number == 1 else "s")


# From an error to a mistake

PHRASES = (
    # words of CPython's messages -> the mistake they tell of
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

BY_NAME = {
    # errors that tell of a mistake by their name alone; httpx needn't be imported to know its own
    "PoolTimeout": "pool exhausted",
    "QueueFull": "full queue",
}

TRIES = (
    # words of an error -> what to try, where the kind alone ("raised") says too little
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
        "The task is not done yet. Ask for its result when it has been awaited: behind the block of "
        "a TaskGroup, not in it.",
    ),
    (
        TypeError,
        "Passing coroutines is forbidden",
        "`asyncio.wait` takes tasks: `asyncio.create_task(…)` makes one of a coroutine.",
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


def mistake(error, source, asks, called=""):
    """Turn any exception that left the check into a Wrong with its place: (Wrong, place or
    None).
    """
    place = source.of_traceback(error)
    if isinstance(error, Wrong):
        line = error.line
        if isinstance(line, int):
            return error, (source.main, line)
        return error, line or None
    if isinstance(error, MemoryError):
        return Wrong("memory", f"`{asks}` asked for more memory than a check may take."), place
    if isinstance(error, RecursionError):
        return Wrong("recursion", f"`{asks}` went deeper than Python allows."), place
    if isinstance(error, SystemExit):
        return Wrong("exits", f"SystemExit was raised ({error_words(error)})."), place
    if isinstance(error, KeyboardInterrupt):
        return Wrong(
            "exits",
            "KeyboardInterrupt was raised.",
            try_="That is what the stop button raises. Raise an error of your own.",
        ), place
    if isinstance(error, AssertionError) and place is None:
        return Wrong("value", str(error) or "It is not what was asked."), None
    if type(error).__name__ in ("Stuck", "Deadlock"):
        return deadlock(error.tasks, source, getattr(error, "ended", ()))
    leaf = leaf_of(error)
    place = source.of_traceback(leaf) or place
    text = str_of(leaf)
    kind = BY_NAME.get(type(leaf).__name__) or next(
        (kind for type_, words, kind in PHRASES if isinstance(leaf, type_) and words in text),
        "raised",
    )
    if kind != "raised":
        return Wrong(kind, f"Python said: {error_words(leaf)}."), place
    if (
        isinstance(leaf, TypeError)
        and place is None
        and re.search(r"positional argument|unexpected keyword|required argument", text)
    ):
        return Wrong("arguments", f"Python said: {error_words(leaf)}."), None
    try_ = next(
        (hint for type_, words, hint in TRIES if isinstance(leaf, type_) and words in text), ""
    )
    group = f" (in {type(error).__name__})" if leaf is not error else ""
    found = Wrong("raised", f"It raised {error_words(leaf)}{group}.", try_=try_)
    found.headline = f"raised {type(leaf).__name__}"
    return found, place


def leaf_of(error):
    """The first error in a group, however deep; the error itself if it is no group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def without_frames(error):
    """Take the tracebacks from an error and from those that it holds: their frames keep what the
    answer had in its hands.
    """
    rest = [error]
    while rest:
        error = rest.pop()
        if error is not None and error.__traceback__ is not None:
            error.__traceback__ = None
            rest += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]


def deadlock(tasks, source, ended=()):
    """Name a deadlock by each unfinished task: its name, what it awaits, its line.

    ended: names of the tasks that came to their end.
    """
    starved = [task for task in tasks if task[3] == "Queue.get" and source.owns(task[1])]
    alike = {without_number(task[0]) for task in starved} & set(map(without_number, ended))
    if alike:
        name, filename, line, _ = next(t for t in starved if without_number(t[0]) in alike)
        name = without_number(name)
        gone = sum(without_number(other) == name for other in ended)
        left = sum(without_number(task[0]) == name for task in starved)
        return Wrong(
            "one sentinel",
            f"{count(gone, 'worker')} `{name}` ended, {left} more still waited for an item in "
            "`Queue.get`, and nobody was left to put one.",
        ), (filename, line)
    waits, place = [], None
    for name, filename, line, what in tasks:
        mine = filename is not None and source.owns(filename)
        if mine:
            place = place or (filename, line)
        where = f" at line {line}" if mine and line else ""
        waits.append(f"`{name}` waits{where}" + (f" for {what}" if what else ""))
    said = "Nothing was ready and no timer was set, so nothing could ever happen again: "
    return Wrong("deadlock", said + "; ".join(waits[:6]) + "."), place


def str_of(error):
    try:
        return str(error)
    except BaseException:
        return "<its str fails>"


def error_words(error):
    """The error's kind and text; without a full stop, for the sentence around it brings one."""
    text = str_of(error).removesuffix(".")
    text = text if len(text) <= 300 else text[:298] + " …"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def verdict_of(found, place, source, asks, called=""):
    """The Verdict NOT YET for a Wrong at a place."""
    kind = KINDS.get(found.kind) or Kind(found.kind, "", "")
    headline = getattr(found, "headline", None) or kind.headline
    observed = found.observed
    if called and not observed.startswith("I "):
        observed = f"{called} {observed}".strip()
    try_ = kind.try_ if found.try_ is None else found.try_
    return Verdict(
        "not yet",
        found.kind,
        headline,
        observed,
        place[1] if place else None,
        source.sentence(place, kind.at),
        try_,
    )


# From a hang to a mistake


@dataclass
class Hang:
    """What the watcher saw of code that did not end.

    places: the learner's innermost (filename, line) at each sample, None where there was none;
    cpu: share of a core the thread used; turns: the loop went on between samples; moved: its
    clock did; tasks: (name, filename, line, what) of each unfinished task; cancelling: it had
    been cancelled; other: place of another thread in the learner's code; outside: a virtual
    clock went with the real one, because a thread was alive.
    """

    limit: float
    places: list
    cpu: float
    turns: bool = False
    moved: bool = False
    clock: float = 0.0
    tasks: list = field(default_factory=list)
    cancelling: bool = False
    other: tuple | None = None
    in_loop: bool = False
    outside: bool = False


BUSY = 0.05  # share of a core: what waits uses none, what computes on a crowded machine uses some


def name_hang(hang, source, asks):
    """Tell a deadlock, a spin, a hog, a blocked loop and the rest apart: (Wrong, place)."""
    seen = [place for place in hang.places if place]
    often = max(set(seen), key=seen.count) if seen else None
    waiting = next(
        (
            (filename, line)
            for _, filename, line, _ in hang.tasks
            if filename and source.owns(filename)
        ),
        None,
    )
    waited = f"After {seconds(hang.limit)} it was still at it."
    if hang.cancelling:
        place = source.swallowing_handler() or often or waiting
        return Wrong("swallowed", f"I cancelled it, and it went on. {waited}"), place
    if hang.other and (hang.outside or not often):
        return Wrong(
            "thread", f"After {seconds(hang.limit)} a thread of yours still ran."
        ), hang.other
    if hang.turns:
        if hang.moved:
            return Wrong(
                "endless", f"Its clock stood at {seconds(hang.clock)} and it was still going round."
            ), waiting or often
        if hang.cpu > BUSY:
            return Wrong(
                "spin", f"The loop went round and round, and nothing ever waited. {waited}"
            ), often or waiting
        return Wrong("endless", f"It waited again and again. {waited}"), waiting or often
    if often and hang.cpu > BUSY:
        if source.inside_while(often):
            return Wrong("spin", f"It used a whole core and never came back. {waited}"), often
        return Wrong("hog", f"It computed for {seconds(hang.limit)} and was not done."), often
    if often and hang.in_loop:
        return Wrong("blocked", f"The whole thread stood still. {waited}"), often
    if hang.tasks and not often:
        found, place = deadlock(hang.tasks, source)
        found.observed = found.observed.replace(
            "Nothing was ready and no timer was set, so nothing could ever happen again: ",
            f"Nothing happened any more for {seconds(hang.limit)}: ",
        )
        return found, place
    return Wrong("endless", waited), often or waiting or hang.other
