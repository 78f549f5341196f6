"""What a check's `verify` judges with: runs the answer on a fresh loop and asks what came of it.

`exercises/checks/__init__.py` lists the methods in one table.
"""

import asyncio
import contextlib
import gc
import inspect
import os
import sys
import time

from helpers.basics.awaits import awaited, frame_of
from helpers.coach.form.statement import Wrong, same_value
from helpers.coach.mistakes.diagnosis import brief, count, error_words, listed, seconds, with_items
from helpers.kernel.virtual import Deadlock, VirtualLoop
from helpers.kernel.waiting import waiting
from helpers.recording import recorder

real_sleep = time.sleep
LONG_CANCEL = 3600.0  # virtual seconds that a cancelled answer may take for its cleanup
REAL_CANCEL = 0.5  # the same on the real clock


class Counting:
    """An event loop that counts its turns: each turn asks for the time."""

    turns = 0

    def time(self):
        self.turns += 1
        return super().time()


class Virtual(Counting, VirtualLoop):
    pass


class Real(Counting, asyncio.ProactorEventLoop if os.name == "nt" else asyncio.SelectorEventLoop):
    pass


class Run:
    """What came of one run: .result or .error, .elapsed (seconds), .recording, .peak (tasks at
    once).
    """

    def __init__(self):
        self.result = None
        self.error = None
        self.elapsed = 0.0
        self.outside = 0.0  # of it, seconds that a virtual clock went with the real one
        self.recording = None
        self.called = ""

    @property
    def peak(self):
        return self.recording.peak()


class Lab:
    """One check's laboratory. asks: the learner's name; clock: "virtual" or "real"; source:
    their text.
    """

    def __init__(self, asks, clock, source, printed=str):
        self.asks = asks
        self.clock = clock
        self.text = source
        self.called = ""
        self.recording = None
        self.loop = None
        self.cancelling = False
        self.unawaited = []  # (coroutine's name, place) of coroutines that nobody awaited
        self.lost = []  # errors that the loop's exception handler was told of
        self.long_step = None  # (cpu seconds, place) of a step that held the loop; the judge looks
        self.blocks = []  # (what, seconds, place) of calls that held the loop
        self._printed = printed
        self._open = contextlib.ExitStack()
        self._sites = contextlib.ExitStack()

    @property
    def printed(self):
        """What the answer has printed so far."""
        return self._printed()

    def told(self, words):
        """Quote the call as "I called `name` {words}." in messages, where its arguments say too
        little.
        """
        self.called = f"I called `{self.asks}` {words}."

    def line(self, pattern):
        """Number of the first line of the answer that holds the regular expression, or None."""
        place = self.text.matching(pattern)
        return place[1] if place else None

    # Running

    def call(self, answer, *arguments, **named):
        """Call `answer` and return what it returns; the call is quoted in messages."""
        self.called = f"I called `{self._call_text(arguments, named)}`."
        return answer(*arguments, **named)

    def run(
        self,
        what,
        *arguments,
        raises=None,
        leaks=False,
        blocks=False,
        cancel_after=None,
        step=1.0,
        **named,
    ):
        """Run a coroutine, or call `what` on a fresh loop and run what it returns; return a Run.

        raises: the error that must come out, an exception type or a tuple of them.
        leaks: tasks may be left running. blocks: the loop may be blocked.
        cancel_after: seconds on the exercise's clock after which it is cancelled.
        step: CPU seconds that it may compute without letting the loop go on ("hog").
        Raises Wrong for what a run shows by itself, and whatever the answer raises.
        """
        self.close()
        run = Run()
        if not inspect.isawaitable(what):
            self.called = f"I called `{self._call_text(arguments, named)}`."
        run.called = self.called
        loop = self._new_loop()
        self.blocks, self.lost, self.long_step, self.cancelling = [], [], None, False
        loop.set_exception_handler(lambda loop, context: self.lost.append(context))
        # A task that only its queue knows is garbage. It must be found left running, always, and
        # not be collected first in one run of ten.
        gc.disable()
        with recorder.record() as recording:
            recorder.attach(loop)
            self.recording = run.recording = recording
            self.loop = loop
            asyncio.set_event_loop(loop)
            try:
                self._drive(loop, run, what, arguments, named, cancel_after)
                if run.error is None and not leaks:
                    self._look_for_leaks(loop)
            finally:
                self._shut(loop)
                asyncio.set_event_loop(None)
                self.loop = None
                gc.enable()
        if run.error is not None:
            if cancel_after is not None and isinstance(run.error, asyncio.CancelledError):
                return run
            if raises is None or not isinstance(run.error, raises):
                raise run.error
            return run
        gc.collect()
        self.check_awaited()
        if self.blocks and not blocks:
            what_, length, place = max(self.blocks, key=lambda block: block[1])
            times = f" {len(self.blocks)} times" if len(self.blocks) > 1 else ""
            raise Wrong(
                "blocked",
                f"{what_} was called{times} on the loop's own thread, and nothing else "
                f"could run for {seconds(sum(block[1] for block in self.blocks))}.",
                place,
            )
        if self.long_step and self.long_step[0] > step and not blocks:
            raise Wrong(
                "hog",
                f"One step of it computed for {seconds(self.long_step[0])}, and the loop could "
                "do nothing else.",
                self.long_step[1],
            )
        if raises is not None:
            raise Wrong(
                "lost error",
                f"{names_of(raises)} was raised inside, and it had to come out. It "
                f"returned {brief(run.result)} instead.",
                self._handler_line(),
            )
        self.check_lost()
        return run

    def _drive(self, loop, run, what, arguments, named, cancel_after):
        if not inspect.isawaitable(what):
            what = self._called_inside(what, arguments, named)
        root = loop.create_task(
            what if inspect.iscoroutine(what) else as_coroutine(what), name=self.asks
        )
        begun = loop.time()
        guard = None
        if cancel_after is not None:

            def cancel():
                self.cancelling = True
                root.cancel()

            loop.call_later(cancel_after, cancel)
            patience = LONG_CANCEL if self.clock == "virtual" else REAL_CANCEL
            guard = loop.call_later(cancel_after + patience, loop.stop)
        try:
            run.result = loop.run_until_complete(root)
        except (Wrong, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if not root.done() and self.cancelling:
                raise self._swallowed(
                    cancel_after, f"{seconds(patience)} later it still went on."
                ) from None
            if isinstance(error, Deadlock):
                ended = [
                    lane.name.rpartition("<locals>.")[2]  # as `unfinished` names those without one
                    for lane in run.recording.lanes
                    if lane.outcome == "done"
                ]
                raise Stuck(self.unfinished(loop), ended) from None
            if not root.done():
                raise
            run.error = error
        finally:
            run.elapsed = loop.time() - begun
            run.outside = getattr(loop, "real_seconds", 0.0)
            if guard:
                guard.cancel()
        if self.cancelling and run.error is None:
            raise self._swallowed(
                cancel_after, f"It returned {brief(run.result)} as if nothing had happened."
            )

    async def _called_inside(self, function, arguments, named):
        return await self.awaitable(function(*arguments, **named))

    def _swallowed(self, after, then):
        return Wrong(
            "swallowed",
            f"I cancelled it after {seconds(after)}. {then}",
            self.text.swallowing_handler(),
        )

    def _new_loop(self):
        return Virtual() if self.clock == "virtual" else Real()

    def _look_for_leaks(self, loop):
        for _ in range(3):  # what is about to end anyway may do so
            if not asyncio.all_tasks(loop):
                return
            loop.run_until_complete(asyncio.sleep(0))
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        if left:
            names = sorted(f"`{coroutine_name(task.get_coro())}`" for task in left)
            place = next(
                filter(None, (self.where(task) for task in left)),
                self.text.matching("create_task|ensure_future"),
            )
            raise Wrong(
                "leaked",
                f"It returned, and {count(len(left), 'task')} still ran: "
                f"{listed(dict.fromkeys(names))}.",
                place,
            )

    def _shut(self, loop):
        """Cancel what is left, close generators and threads, close the loop."""
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        for task in left:
            task.cancel()
        with contextlib.suppress(Exception):
            if left:
                # A task that swallows its cancellation must not keep us.
                patience = LONG_CANCEL if self.clock == "virtual" else REAL_CANCEL
                loop.run_until_complete(asyncio.wait(left, timeout=patience))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        with contextlib.suppress(Exception):
            loop.close()

    def unfinished(self, loop):
        """[(name, filename, line, what)] of each task that has not ended; lines are the
        learner's.
        """
        found = []
        for task in sorted(
            asyncio.all_tasks(loop), key=lambda task: (len(task.get_name()), task.get_name())
        ):
            name = task.get_name()
            if name.startswith("Task-"):
                name = coroutine_name(task.get_coro())
            found.append((name, *(self.where(task) or (None, None)), waiting(task).what))
        return found

    def where(self, task):
        """(filename, line) of the learner's innermost line that this task waits at, or None."""
        place = None
        for step in awaited(task.get_coro()):
            frame = frame_of(step)
            if frame is not None and self.text.owns(frame.f_code.co_filename):
                place = frame.f_code.co_filename, frame.f_lineno
        return place

    def blocked(self, what, length, frame):
        """Note a call that holds the loop's thread for `length` seconds."""
        self.blocks.append((what, length, self.text.of_frame(frame)))

    def close(self):
        """End the recording of generators, if one is open."""
        self._open.close()

    def stop_sites(self):
        """End the servers of this check."""
        self._sites.close()

    # What nobody awaited or looked at

    def check_awaited(self):
        if self.unawaited:
            name, place = self.unawaited[0]
            raise Wrong(
                "not awaited", f"`{name}` was called, and nobody awaited the coroutine.", place
            )

    def check_lost(self):
        for context in self.lost:
            error = context.get("exception")
            if error is not None and "never retrieved" in context.get("message", ""):
                raise Wrong(
                    "lost error",
                    f"A task failed with {error_words(error)}, and nobody looked at it.",
                    self.text.of_traceback(error),
                )

    def _handler_line(self):
        return self.text.matching(r"^\s*except\b|return_exceptions|suppress\(")

    # Comparing

    def equal(self, got, expected, what="it returned", secret=False):
        """Raise Wrong unless `got` equals `expected`: "not awaited", "order" or "value".

        what: the words before the value. secret: don't show what was expected.
        """
        self._look_for_coroutines(got)
        if same_value(got, expected):
            return
        said = f"{what[0].upper()}{what[1:]} {brief(got)}"
        if isinstance(expected, dict) and secret:
            raise Wrong(
                "value", self._compare_items(got, expected, what), try_="Look at those again."
            )
        if is_row(got) and is_row(expected) and len(got) == len(expected):
            if same_items(got, expected):
                if secret:
                    raise Wrong(
                        "order",
                        f"{said}.",
                        try_="The items are right, their order is "
                        "not. Follow the program again, line by line.",
                    )
                raise Wrong("order", f"{said}; the order asked is {brief(expected)}.")
            if secret:
                raise Wrong(
                    "value",
                    self._compare_items(
                        dict(enumerate(got, 1)), dict(enumerate(expected, 1)), what, "number "
                    ),
                    try_="Look at those again.",
                )
        if secret:
            raise Wrong("value", f"{said}; that is not it.", try_="`ex.hint()` gives a nudge.")
        raise Wrong("value", f"{said}; asked is {brief(expected)}.")

    def _compare_items(self, got, expected, what, prefix=""):
        if not isinstance(got, dict):
            return f"{what[0].upper()}{what[1:]} {brief(got)}; asked is a dict."
        missing = [key for key in expected if key not in got]
        open_ = [key for key in expected if key in got and got[key] is ...]
        extra = [key for key in got if key not in expected]
        bad = [
            key
            for key in expected
            if key in got and key not in open_ and not same_value(got[key], expected[key])
        ]
        parts = []
        for keys, words in (
            (open_, "still stand at `...`"),
            (missing, "are missing"),
            (extra, "were not asked for"),
            (bad, "are not right yet"),
        ):
            if keys:
                named = listed([prefix + brief(key) for key in keys[:4]])
                more = f" and {len(keys) - 4} more" if len(keys) > 4 else ""
                parts.append(f"{named}{more} {words if len(keys) > 1 else singular(words)}")
        return f"Of {count(len(expected), 'item')}: " + "; ".join(parts) + "."

    def _look_for_coroutines(self, got):
        for thing in with_items(got):
            if inspect.iscoroutine(thing):
                place = self.text.of_coroutine(thing)
                name = coroutine_name(thing)
                thing.close()
                inside = "" if thing is got else f"a {type(got).__name__} with "
                raise Wrong(
                    "not awaited",
                    f"It returned {inside}a coroutine, `{name}`, that nobody awaited.",
                    place,
                )
            if isinstance(thing, asyncio.Future):
                raise Wrong(
                    "not awaited",
                    f"It returned {'' if thing is got else f'a {type(got).__name__} with '}a "
                    f"{type(thing).__name__}, not its result.",
                    try_="Await it first.",
                )

    def concurrent(self, run, longest, total):
        """Raise Wrong("sequential") unless the waits overlapped, up to the longest one.

        longest, total: seconds of the longest single wait and of all of them together. On the
        virtual clock the time must be exact; on the real one it must be nearer to the longest
        than to the total.
        """
        enough = (
            longest * 1.001 + 1e-6 + run.outside
            if self.clock == "virtual"
            else (longest + total) / 2
        )
        if run.elapsed <= enough:
            return
        took = f"It took {seconds(run.elapsed)}; the longest single wait is {seconds(longest)}."
        if self.clock == "virtual" and run.elapsed < total * 0.999:
            took += (
                f" Some waits overlapped, not all: one after another they take {seconds(total)}."
            )
        raise Wrong("sequential", took, self.text.sequential_await())

    def limited(self, peak, at_most, what="calls"):
        """Raise Wrong("limit") if more than `at_most` were in flight at once."""
        if peak > at_most:
            raise Wrong("limit", f"{peak} {what} were in flight at once; at most {at_most} may be.")

    # Things to hand to an answer

    def service(self, seconds, results=None, errors=None, name="fetch"):
        """A coroutine function of one argument that takes a while and notes what is done to it.

        seconds: how long each argument takes, a dict or one number for all. results: a dict
        from argument to result ("page …" otherwise). errors: a dict from argument to what is
        raised after that time. Attributes: peak (most calls in flight), flying, calls, started,
        finished, cancelled (lists of arguments).
        """
        sleep = asyncio.sleep

        async def service(argument):
            service.started.append(argument)
            service.flying += 1
            service.peak = max(service.peak, service.flying)
            try:
                await sleep(seconds[argument] if isinstance(seconds, dict) else seconds)
            except asyncio.CancelledError:
                service.cancelled.append(argument)
                raise
            finally:
                service.flying -= 1
            if errors and argument in errors:
                raise errors[argument]
            service.finished.append(argument)
            return results[argument] if results is not None else f"page {argument}"

        service.started, service.finished, service.cancelled = [], [], []
        service.calls = service.started
        service.flying = service.peak = 0
        service.__name__ = service.__qualname__ = name
        return service

    def source(self, items):
        """An iterator over `items` that notes how it is used: .taken, .finished, .closed."""
        return Items(items)

    def stream(self, items, seconds=0.0, behind=None):
        """An async iterator over `items` that takes `seconds` for each and notes how it is used:
        .taken, .finished, .closed; .ahead, the most items that were taken and not yet finished by
        the service `behind`.
        """
        return Stream(items, seconds, behind)

    def bounded(self, stream, at_most):
        """Raise Wrong("unbounded") if a stream ran more than `at_most` items ahead of its
        service.
        """
        if stream.ahead > at_most:
            raise Wrong(
                "unbounded",
                f"{stream.ahead} items had been taken from the source and were not done yet; at "
                f"most {at_most} may be.",
                self.text.matching(r"\bQueue\("),
            )

    def site(self, **settings):
        """A `services.catalogue(**settings)` of this check's own, gone when the check is over.

        It takes about half a second to start: for an exercise with clock = "real" and a `limit`
        of several seconds. Its .url, .log() and .peak() tell the rest.
        """
        from helpers import services  # not every check talks to a server

        return self._sites.enter_context(services.catalogue(**settings))

    def awaitable(self, made, name=None):
        """What a call of the answer, or of its method `name`, returned: Wrong("not async") if it
        can't be awaited.
        """
        name = name or self.asks
        if inspect.isawaitable(made):
            return made
        if inspect.isasyncgen(made):
            raise Wrong(
                "not async",
                f"`{name}` returned an async generator.",
                self.text.matching(r"\byield\b"),
                "A `yield` inside an `async def` makes an async generator of it: `return` instead.",
            )
        raise Wrong(
            "not async",
            f"`{name}` returned {brief(made)} at once: there is nothing to await.",
            self.text.matching(rf"def\s+{name}\b"),
        )

    def generator(self, thing):
        """The generator `thing` as a stand-in whose talk is recorded; Wrong if it is none."""
        if not inspect.isgenerator(thing):
            if inspect.isgeneratorfunction(thing):
                said = f"`{self.asks}` returned a generator function that nobody called."
            else:
                said = f"`{self.asks}` returned a {type(thing).__name__}: {brief(thing)}."
                if inspect.iscoroutine(thing) or inspect.isasyncgen(thing):
                    said = f"`{self.asks}` is `async def`: it returned a {type(thing).__name__}."
            raise Wrong("not a generator", said, self.text.matching(rf"def\s+{self.asks}\b"))
        self.close()
        self.recording = self._open.enter_context(recorder.record())
        return self.recording.generator(thing, name=self.asks)

    def generators(self, named):
        """Stand-ins, as a list, for the generators that `named` gives a name each: their talk
        shows on the timeline.
        """
        self.close()
        self.recording = self._open.enter_context(recorder.record())
        return [self.recording.generator(gen, name) for name, gen in named.items()]

    def blocking(self, function):
        """`function`, noting each call of it that is made on a running loop's thread as
        "blocked".
        """

        def blocking(*arguments, **named):
            if asyncio._get_running_loop() is None:
                return function(*arguments, **named)
            begun = time.perf_counter()
            frame = sys._getframe(1)
            try:
                return function(*arguments, **named)
            finally:
                self.blocked(f"`{blocking.__name__}`", time.perf_counter() - begun, frame)

        blocking.__name__ = blocking.__qualname__ = getattr(function, "__name__", "work")
        return blocking

    # Words

    def _call_text(self, arguments, named):
        words = [brief(argument, 60) for argument in arguments]
        words += [f"{name}={brief(value, 60)}" for name, value in named.items()]
        return f"{self.asks}({', '.join(words)})"


class Items:
    """An iterator that notes how it is used: .taken (items given), .finished, .closed."""

    def __init__(self, items):
        self._items = iter(items)
        self.taken = 0
        self.finished = False
        self.closed = False

    def __iter__(self):
        return self

    def __next__(self):
        try:
            item = next(self._items)
        except StopIteration:
            self.finished = True
            raise
        self.taken += 1
        return item

    def close(self):
        self.closed = True

    def __repr__(self):
        return "source"


class Stream:
    """An async iterator that notes how it is used: .taken (items given), .finished, .closed,
    .ahead (most items given that `behind`, a lab.service, had not finished yet).
    """

    def __init__(self, items, seconds, behind):
        self._items = iter(items)
        self._seconds = seconds
        self._behind = behind
        self.taken = self.ahead = 0
        self.finished = self.closed = False
        self._sleep = asyncio.sleep

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self._seconds:
            await self._sleep(self._seconds)
        try:
            item = next(self._items)
        except StopIteration:
            self.finished = True
            raise StopAsyncIteration from None
        self.taken += 1
        if self._behind is not None:
            self.ahead = max(self.ahead, self.taken - len(self._behind.finished))
        return item

    async def aclose(self):
        self.closed = True

    def __repr__(self):
        return "source"


class Stuck(Exception):
    """A deadlock. tasks: (name, filename, line, what) of each unfinished task; ended: names."""

    def __init__(self, tasks, ended):
        super().__init__("deadlock")
        self.tasks = tasks
        self.ended = ended


async def as_coroutine(awaitable):
    return await awaitable


def coroutine_name(coroutine):
    return getattr(coroutine, "__name__", None) or type(coroutine).__name__


def is_row(thing):
    return isinstance(thing, (list, tuple))


def same_items(got, expected):
    rest = list(expected)
    for item in got:
        match = next((n for n, other in enumerate(rest) if same_value(item, other)), None)
        if match is None:
            return False
        del rest[match]
    return True


def names_of(raises):
    kinds = raises if isinstance(raises, tuple) else (raises,)
    alone = [kind.__name__ for kind in kinds if not issubclass(kind, BaseExceptionGroup)]
    return listed(alone or [kind.__name__ for kind in kinds], "or")


def singular(words):
    return {
        "still stand at `...`": "still stands at `...`",
        "are missing": "is missing",
        "were not asked for": "was not asked for",
        "are not right yet": "is not right yet",
    }[words]
