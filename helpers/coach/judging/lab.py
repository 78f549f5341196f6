"""What a check's `verify` judges with: runs the answer on a fresh loop and asks what came of it.

`exercises/checks/__init__.py` lists the methods in one table.

Long, for a lab runs an answer, waits for it, looks at what it left and has words for all that.
"""

import ast
import asyncio
import contextlib
import gc
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from types import FrameType

from helpers.basics.awaits import awaited, frame_of
from helpers.basics.words import seconds
from helpers.coach.form.statement import Wrong
from helpers.coach.judging.comparing import Comparing
from helpers.coach.judging.fakes import Fakes
from helpers.coach.judging.ran import Ran
from helpers.coach.judging.running import left_running
from helpers.coach.judging.runs import Real, Run, Virtual
from helpers.coach.judging.seen import Seen
from helpers.coach.mistakes.hangs import Stuck, Unfinished
from helpers.coach.mistakes.lines import Lines
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.words import brief, coroutine_name, error_names, error_words
from helpers.kernel.virtual import Deadlock
from helpers.kernel.waiting import waiting
from helpers.recording.record import attach, record

Errors = type[BaseException] | tuple[type[BaseException], ...]

AWAIT_IT = (
    "Calling a coroutine function only makes a coroutine, and runs nothing yet. Put `await` before "
    "the call."
)
NOT_HERE = (
    "Your coroutine function is called there like any other function, and the coroutine that it "
    "makes is dropped. Use the variant that awaits, such as `push_async_callback`, or call and "
    "await it yourself."
)

# Seconds, on the exercise's clock, that a cancelled answer may take for its cleanup.
PATIENCE = {"virtual": 3600.0, "real": 0.5}


class Lab(Comparing, Fakes, Lines):
    """One check's laboratory. asks: the learner's name; clock: "virtual" or "real"; source:
    their text; printed: gives what the answer has printed so far.
    """

    def __init__(self, asks: str, clock: str, source: Source, printed: Callable[[], str] = str):
        super().__init__()
        self.asks = asks
        self.clock = clock
        self.text = source
        self.ran = Ran(source)
        self.called = ""
        self._told = False  # the words of `called` are a check's own, and stand for the next call
        self.sweeping = False  # what a run raises is compared, and doesn't end the check
        self.recording = None
        self.loop = None
        self.cancelling = False
        self._waited = []  # lines at which its tasks waited when it was cancelled
        self.waited_at = None  # the place at which the run itself did
        self.unawaited = []  # (coroutine's name, place) of coroutines that nobody awaited
        self.lost = []  # errors that the loop's exception handler was told of
        self.long_step = None  # (cpu seconds, place) of a step that held the loop; the judge looks
        self.blocks = []  # (what, seconds, place) of calls that held the loop
        self.on_own_loop = False  # a loop that isn't asyncio's runs on this thread
        self._outside = 0.0  # seconds that a virtual clock went with the real one
        self._printed = printed
        self._open = contextlib.ExitStack()
        # Tasks that swallowed even our cancellation. To collect them would end them once more, and
        # where the loop is closed a task that swallows that too goes round and round for ever.
        self._unending = []

    @property
    def shown(self) -> tuple:
        """What messages tell of: the call that they quote, its recording and the lines that ran.
        Set it to what it was, after something was tried that no message tells of.
        """
        return self.called, self.recording, frozenset(self.text.lines_run)

    @shown.setter
    def shown(self, shown: tuple) -> None:
        self.called, self.recording, ran = shown
        self.text.lines_run = set(ran)

    @property
    def printed(self) -> str:
        """What the answer has printed so far."""
        return self._printed()

    @property
    def in_real_time(self) -> bool:
        """Whether any of what was judged went with the real clock."""
        outside = self._outside or getattr(self.loop, "real_seconds", 0.0)
        return self.clock == "real" or outside > 0

    def told(self, words: str) -> None:
        """Quote the next call as "I called `name` {words}." in messages, where its arguments say
        too little. Until then, or until `told` again, the words stay.
        """
        self.ran.begin()
        self._told = True
        self.called = self._with_twist(f"I called `{self.asks}` {words}.")

    def nodes(self) -> list[ast.AST]:
        """All nodes of the answer's own tree, and of what it uses of its cell."""
        return self.text.nodes()

    def is_own(self, line: int) -> bool:
        """Whether a line stands in the answer itself, and not in a helper of it."""
        return self.text.is_own(line)

    def has_run(self, line: int) -> bool:
        """Whether a line of the answer has run since the call that messages quote."""
        return self.text.has_run(line)

    # Running

    def call(self, answer: Callable, *arguments: object, **named: object) -> object:
        """Call `answer` and return what it returns; the call is quoted in messages."""
        self._quote(answer, arguments, named)
        return answer(*arguments, **named)

    def run(
        self,
        what: Callable | Awaitable,
        *arguments: object,
        raises: Errors | None = None,
        leaks: bool = False,
        blocks: bool = False,
        stands: bool = False,
        cancel_after: float | None = None,
        step: float = 1.0,
        **named: object,
    ) -> Run:
        """Run a coroutine, or call `what` on a fresh loop and run what it returns; return a Run.

        raises: the error that must come out, an exception type or a tuple of them.
        leaks: tasks may be left running. blocks: the loop may be blocked. stands: a call may wait
        on its thread, and the check looks at `.stood` itself.
        cancel_after: seconds on the exercise's clock after which it is cancelled.
        step: CPU seconds that it may compute without letting the loop go on ("hog").
        Raises Wrong for what a run shows by itself, and whatever the answer raises.
        """
        self.close()
        self._quote(what, arguments, named)
        if cancel_after is None:
            cancel_after = self.twist.cancel_after
        if not inspect.isawaitable(what):
            what = self._called_inside(what, arguments, named)
        run = self._run_on_a_fresh_loop(what, leaks, cancel_after)
        if run.error is not None:
            cancelled = cancel_after is not None and isinstance(run.error, asyncio.CancelledError)
            expected = raises is not None and isinstance(run.error, raises)
            if not (cancelled or expected or self.sweeping):
                raise run.error
            return run
        gc.collect(0 if self.sweeping else 2)
        self.check_awaited()
        if not blocks:
            self._check_went_on(None if stands else run.stood, step)
        if raises is not None:
            errors = raises if isinstance(raises, tuple) else (raises,)
            raise self.lost_error(
                f"{error_names(errors)} had to come out. It returned {brief(run.result)} instead.",
                *errors,
            )
        self.check_lost()
        return run

    def _run_on_a_fresh_loop(self, what, leaks, cancel_after):
        run = Run()
        loop = Virtual() if self.clock == "virtual" else Real()
        self.blocks, self.lost, self.long_step, self.cancelling = [], [], None, False
        self.waited_at = None
        # What an earlier run left may be collected during this one: each tells a list of its own.
        lost = self.lost
        loop.set_exception_handler(lambda loop, context: lost.append(context))
        # A task that only its queue knows is garbage. It must be found left running, always, and
        # not be collected first in one run of ten.
        gc.disable()
        with record(watched=not self.sweeping) as recording:
            attach(loop)
            self.recording = run.recording = recording
            self.loop = loop
            asyncio.set_event_loop(loop)
            try:
                self._drive(loop, run, what, cancel_after)
                if not leaks:
                    self._look_for_leaks(loop, run)
            finally:
                self._shut(loop)
                run.stood = loop.stood
                asyncio.set_event_loop(None)
                self.loop = None
                gc.enable()
        return run

    def _drive(self, loop, run, what, cancel_after):
        """Run it to its end, or until its patience with being cancelled is over."""
        root = loop.create_task(
            what if inspect.iscoroutine(what) else _as_coroutine(what), name=self.asks
        )
        begun = loop.time()
        guard = None
        patience = PATIENCE[self.clock]
        if cancel_after is not None:

            def cancel():
                self.cancelling = True
                self._waited = self._lines_of(loop)
                self.waited_at = self.where(root)
                root.cancel()

            loop.call_later(cancel_after, cancel)
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
                raise Stuck(self.unfinished(loop), run.recording.lanes, self.raised) from None
            if not root.done():
                raise
            run.error = error
        finally:
            run.elapsed = loop.time() - begun
            run.outside = getattr(loop, "real_seconds", 0.0)
            self._outside += run.outside
            if guard:
                guard.cancel()
        if self.cancelling and run.error is None:
            raise self._swallowed(
                cancel_after, f"It returned {brief(run.result)} as if nothing had happened."
            )

    def seen(self, run: Run, *services: Callable, without: tuple[str, ...] = ()) -> Seen:
        """What a sweep is to compare of a run and of the services that it called: its result or
        error, its seconds, the calls (in whatever order) and the most of them at once.

        without: what is not compared, of "result", "seconds", "calls", "peak", and "group": whether
        an error comes alone or in a group.
        """
        return Seen(run, services, without)

    async def _called_inside(self, function, arguments, named):
        return await self.awaitable(function(*arguments, **named))

    def _swallowed(self, after, then):
        return Wrong(
            "swallowed",
            f"It was cancelled after {seconds(after)}. {then}",
            self.text.swallowing_handler(self._waited),
        )

    def met_by_the_cancellation(self) -> Place | None:
        """The `except` around the place where the run waited when it was cancelled: one that is
        passed by, or one that keeps the cancellation. None if it was not cancelled.
        """
        if not self.cancelling:
            return None
        passed = self.text.narrow_handler(self._waited, asyncio.CancelledError)
        return passed or self.text.swallowing_handler(self._waited)

    def _look_for_leaks(self, loop, run):
        for _ in range(3):  # what is about to end anyway may do so
            if not asyncio.all_tasks(loop):
                return
            loop.run_until_complete(asyncio.sleep(0))
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        if left:
            run.left = left_running(left, self.text, run.error, self.waited_at)
            if run.error is None:
                raise run.left

    def _shut(self, loop):
        """Cancel what is left, close generators and threads, close the loop."""
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        for task in left:
            task.cancel()
        with contextlib.suppress(Exception):
            if left:
                # A task that swallows its cancellation must not keep us.
                ending = asyncio.wait(left, timeout=PATIENCE[self.clock])
                self._unending += loop.run_until_complete(ending)[1]
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        with contextlib.suppress(Exception):
            loop.close()

    def unfinished(self, loop: asyncio.AbstractEventLoop) -> list[Unfinished]:
        """Each unfinished task's name, the learner's file and line, and what it waits for. Tasks
        that wait outside the learner's code are told of where there are no others.
        """
        found = []
        # The answer itself comes last: it waits for the others.
        for name, task in sorted(
            ((task.get_name(), task) for task in asyncio.all_tasks(loop)),
            key=lambda named: (named[0] == self.asks, len(named[0]), named[0]),
        ):
            place = self.where(task)
            if name.startswith("Task-") or self.text.is_class(name):
                name = (place and self.text.name_at(place)) or coroutine_name(task.get_coro())
            found.append((name, *(place or (None, None)), self._awaited_by(task)))
        return [one for one in found if one[1]] or found

    def _awaited_by(self, task):
        """What a task waits for: the call that the learner's line awaits, where that is known."""
        what = waiting(task).what
        frames = [*filter(None, map(frame_of, awaited(task.get_coro())))]
        own = [at for at, one in enumerate(frames) if self.text.owns(one.f_code.co_filename)]
        below = frames[own[-1] + 1 :] if own else []
        if what == "Event.wait" and below and below[0].f_globals["__name__"].startswith("asyncio."):
            return below[0].f_code.co_qualname  # Queue.join has an event inside
        return what

    def where(self, task: asyncio.Task) -> Place | None:
        """The learner's innermost line that this task waits at, or None."""
        return next(reversed(self.steps_of(task)), None)

    def steps_of(self, task: asyncio.Task) -> list[Place]:
        """The learner's places in the chain of what a task awaits, outermost first."""
        return self.text.places(filter(None, map(frame_of, awaited(task.get_coro()))))

    def stands_at(self, paused: Generator | Coroutine) -> Place | None:
        """The learner's innermost line at which a generator or a coroutine is paused, or None."""
        return next(reversed(self.text.places(filter(None, map(frame_of, awaited(paused))))), None)

    def waiting_for(self, what: str) -> list[Place]:
        """Where tasks of the learner's wait for what ends so, as in "Queue.put"."""
        tasks = (task for task in asyncio.all_tasks() if waiting(task).what.endswith(what))
        return [*filter(None, map(self.where, tasks))]

    def _lines_of(self, loop):
        """The lines of the cell with the answer at which the tasks of a loop wait."""
        places = {place for task in asyncio.all_tasks(loop) for place in self.steps_of(task)}
        return [line for filename, line in places if filename == self.text.main]

    def blocked(self, what: str, length: float, frame: FrameType) -> None:
        """Note a call that holds the loop's thread for `length` seconds."""
        self.blocks.append((what, length, self.text.of_frame(frame)))

    # Generators

    def generator(self, thing: object) -> Generator:
        """The generator `thing` as a stand-in whose talk is recorded; Wrong if it is none."""
        if not inspect.isgenerator(thing):
            if inspect.isgeneratorfunction(thing):
                said = f"`{self.asks}` returned a generator function that nobody called."
            else:
                said = f"`{self.asks}` returned a {type(thing).__name__}: {brief(thing)}."
                if inspect.iscoroutine(thing) or inspect.isasyncgen(thing):
                    said = f"`{self.asks}` is `async def`: it returned a {type(thing).__name__}."
            raise Wrong("not a generator", said, self.definition(self.asks))
        return self.generators({self.asks: thing})[0]

    def generators(self, named: Mapping[str, Generator]) -> list[Generator]:
        """Stand-ins, as a list, for the generators that `named` gives a name each: their talk
        shows on the timeline.
        """
        self.close()
        self.recording = self._open.enter_context(record())
        return [self.recording.generator(gen, name) for name, gen in named.items()]

    def close(self) -> None:
        """End the recording of generators, if one is open."""
        self._open.close()

    # What nobody awaited or looked at, and what held the loop

    def check_awaited(self) -> None:
        """Raise Wrong("not awaited") if a coroutine was made and nobody awaited it."""
        if self.unawaited:
            name, place = self.unawaited[0]
            said = f"`{name}` was called, and nobody awaited the coroutine."
            if handed := self.text.handed_over(name, place):
                at = "hands it to what calls it without an `await`"
                raise Wrong("not awaited", said, handed, NOT_HERE, at=at)
            alone = place and place[0] == self.text.main and self.text.calls_alone(place[1])
            raise Wrong("not awaited", said, place, AWAIT_IT if alone else None)

    def check_lost(self) -> None:
        """Raise Wrong("lost error") if a task failed and nobody looked at its error."""
        for context in self.lost:
            error = context.get("exception")
            if error is not None and "never retrieved" in context.get("message", ""):
                raise Wrong(
                    "lost error",
                    f"A task failed with {error_words(error)}, and nobody looked at it.",
                    self.text.of_traceback(error),
                )

    def check_blocked(self, try_: str | None = None) -> None:
        """Raise Wrong("blocked") if a call held the loop's thread. try_: what to try instead, where
        the loop isn't asyncio's.
        """
        if self.blocks:
            what, _, place = max(self.blocks, key=lambda block: block[1])
            times = len(self.blocks)
            called = "was called" if times == 1 else f"was called {times} times"
            if {one for one, _, _ in self.blocks} != {what}:
                called = f"was the longest of {times} blocking calls"
            raise Wrong(
                "blocked",
                f"{what} {called} on the loop's own thread, and nothing else could run for "
                f"{seconds(sum(block[1] for block in self.blocks))}.",
                place,
                try_,
            )

    def _check_went_on(self, stood, step):
        """Raise Wrong("blocked" or "hog") if the loop could not go on."""
        self.check_blocked()
        if stood:
            raise stood
        if self.long_step and self.long_step[0] > step:
            raise Wrong(
                "hog",
                f"One step of it computed for {seconds(self.long_step[0])}, and the loop could "
                "do nothing else.",
                self.long_step[1],
            )

    # Words

    def _quote(self, what, arguments, named):
        """Note the call of `what` for the messages, unless the check has told it in its words."""
        self.ran.begin()
        told, self._told = self._told, False
        if told or inspect.isawaitable(what):
            return
        words = [brief(argument, 60) for argument in arguments]
        words += [f"{name}={brief(value, 60)}" for name, value in named.items()]
        self.called = self._with_twist(f"I called `{self.asks}({', '.join(words)})`.")

    def _with_twist(self, called):
        return f"{called} {self.twist.words}".strip()


async def _as_coroutine(awaitable):
    return await awaitable
