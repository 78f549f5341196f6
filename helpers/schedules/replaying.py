"""One run of a program: as the list of choices says, and after that as on a quiet day.

A run is over in well under a millisecond, so nothing of it is kept: to go one choice further, or
back, the program runs again from its start.
"""

import asyncio
import contextlib
import contextvars
import inspect
import io
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeVar

from helpers.basics.places import learner_frame
from helpers.kernel.threads import raise_in
from helpers.kernel.virtual import Deadlock
from helpers.kernel.waiting import line_in_words
from helpers.recording.record import attach
from helpers.schedules import words
from helpers.schedules.loop import ArrivalLoop, Endless

MOST_ARRIVALS = 200  # in one run
PATIENCE = 2.0  # seconds that a run may hold the thread, and that it is given to stop
MOMENT = 0.5  # seconds in which a run that is stopped cleans up
AGAIN = 0.01  # seconds until it is stopped once more, if it goes on after that

Result = TypeVar("Result")


class Game(NamedTuple):
    """What is played: a program, and the rules. See `helpers.schedules.game.play`."""

    program: Callable[[], Any]
    right: Callable[[Any], bool] | None = None
    jitter: float = 0.0
    cancel: tuple[str, ...] = ()


class Step(NamedTuple):
    """Something came.

    could: all that could come.  at: virtual seconds.  printed: by the program before it came.
    """

    name: str
    could: tuple[str, ...]
    at: float
    printed: str

    @property
    def chosen(self) -> bool:
        """Whether anything else could have come."""
        return len(self.could) > 1


class Ended(NamedTuple):
    """What a run came to.

    taken: the index of what came at each choice.  value: what the program returned.
    broken: why the program is broken, in words; "" if it isn't, so far.
    could: what can come next, if the run was stopped there; else empty.
    printed: after the last step.  waits: who waits for what at the end, in words.
    at: virtual seconds.  assumed: see `helpers.schedules.loop.ArrivalLoop`.
    tasks: the names of its tasks, if any may be cancelled.
    """

    steps: tuple[Step, ...]
    taken: tuple[int, ...]
    value: Any
    broken: str
    could: tuple[str, ...]
    printed: str
    waits: tuple[str, ...]
    at: float
    assumed: bool
    tasks: frozenset[str]

    @property
    def choices(self) -> tuple[Step, ...]:
        """The steps at which something else could have come."""
        return tuple(step for step in self.steps if step.chosen)

    @property
    def told(self) -> list[str]:
        """What came, in words; where something else could have come, what."""
        lines = []
        for step in self.steps:
            others = [name for name in step.could if name != step.name]
            more = f" (it could have been: {', '.join(others)})" if others else ""
            lines.append(step.name + more)
        return lines


def game_of(
    program: Callable[[], Any],
    right: Callable[[Any], bool] | None,
    jitter: float,
    cancel: str | Collection[str],
) -> Game:
    """The game of a program. Raises TypeError or ValueError for what can't be played."""
    if inspect.iscoroutine(program):
        name = program.__name__
        program.close()
        raise TypeError(f"give the function itself, for it runs many times: {name}, not {name}(…)")
    if not callable(program):
        raise TypeError(f"a program is an async function without arguments, not {program!r:.60}")
    _must_need_no_arguments(program)
    if not isinstance(jitter, (int, float)) or not jitter >= 0:
        raise ValueError(f"jitter is a number of seconds, 0 or more, not {jitter!r:.60}")
    if right is not None and not callable(right):
        raise TypeError(f"right is a function that looks at the result, not {right!r:.60}")
    names = (cancel,) if isinstance(cancel, str) else cancel
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"cancel is the name of a task, or several names, not {cancel!r:.60}")
    return Game(program, right, jitter, tuple(names))


def _must_need_no_arguments(program):
    """Else its first run would fail, and look like a program that breaks."""
    try:
        signature = inspect.signature(program)
    except ValueError:  # of some functions written in C it isn't known
        return
    try:
        signature.bind()
    except TypeError as problem:
        raise TypeError(
            f"a program is called without arguments, and this one is {problem}: "
            "write lambda: program(…)"
        ) from None


def replay(
    program: Callable[[], Any],
    choices: Sequence[int] = (),
    *,
    right: Callable[[Any], bool] | None = None,
    jitter: float = 0.0,
    cancel: str | Collection[str] = (),
) -> Ended:
    """Run a program once, and return an `Ended`: what came, what else could have, how it ended.

    choices: at each moment at which several things can come, the index of what does; 0 from the
    end of the list on, which is what comes on a quiet day.
    The others, and what it raises: as `play`. Raises IndexError for a choice that there is not,
    TypeError for choices that are no numbers.
    """
    listed = isinstance(choices, (list, tuple)) and all(isinstance(one, int) for one in choices)
    if not listed:
        raise TypeError(f"choices is a list of numbers from 0, such as [1, 0], not {choices!r:.60}")
    game = game_of(program, right, jitter, cancel)
    return in_a_thread(lambda runs: run_once(game, choices))


def in_a_thread(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do some runs in a thread, where no other loop runs, and return what `work` does.

    work: is given what to call before each run. What programs print is kept from the screen.
    Raises what `work` raises, and ValueError, naming the line, if a run doesn't let go of its
    thread for `PATIENCE` seconds.
    """
    came: list = []
    begun = [time.monotonic()]  # of the last run
    interrupted, ended = threading.Event(), threading.Event()

    def runs():
        if interrupted.is_set():
            raise KeyboardInterrupt
        begun[:] = [time.monotonic()]

    context = contextvars.copy_context()

    def do():
        try:
            came.append((context.run(work, runs), None))
        except BaseException as error:
            came.append((None, error))
        finally:
            ended.set()

    thread = threading.Thread(target=do, name="schedules", daemon=True)
    with contextlib.redirect_stdout(io.StringIO()):
        thread.start()
        try:
            while not ended.wait(PATIENCE / 4) and time.monotonic() < begun[0] + PATIENCE:
                pass
        except KeyboardInterrupt:
            interrupted.set()
            if not ended.wait(MOMENT):  # it isn't between two runs, where nothing is half done
                _stop(thread, KeyboardInterrupt, ended)
            raise
        if not ended.is_set():
            where = _line_of(thread)
            _stop(thread, Endless, ended)
            raise ValueError(
                f"The program has not let go of its thread for {PATIENCE:g} s, at {where}. "
                "Only at an await can anything arrive."
            )
    value, error = came.pop()
    if error is not None:
        raise error
    return value


def _stop(thread, error, ended):
    """Raise an error in a thread until it ends: a program that catches everything may catch it."""
    until = time.monotonic() + PATIENCE
    raise_in(thread, error)
    ended.wait(MOMENT)
    while not ended.wait(AGAIN) and time.monotonic() < until:
        raise_in(thread, error)


def _line_of(thread):
    """The line of the learner's at which a thread is, in words."""
    frame = learner_frame(sys._current_frames().get(thread.ident))
    if frame is None:
        return "a line that is none of yours"
    return line_in_words(frame.f_code.co_filename, frame.f_lineno)


def run_once(
    game: Game, choices: Sequence[int], *, to_end: bool = True, recorded: bool = False
) -> Ended:
    """Run the program of a game once, in this thread, where no loop may run.

    to_end: whether it goes on when the list of choices is over; else it stops at the next choice.
    recorded: by the recording under way.
    Raises as `replay`.
    """
    run = _Run(game, choices, to_end, recorded)
    run.play()
    return run.ended()


class _Stop(BaseException):
    """Raised out of the loop where the choices are over, or the program can't be played."""


class _Run:
    """A run under way. over: what happens from now on cleans up, and doesn't count."""

    def __init__(self, game, choices, to_end, recorded):
        self.game = game
        self.recorded = recorded
        self.choices = choices
        self.to_end = to_end
        self.steps = []
        self.taken = []
        self.out = sys.stdout if isinstance(sys.stdout, io.StringIO) else io.StringIO()
        self.over = False
        self.problem = None
        self.value, self.broken, self.printed = None, "", ""
        self.could = self.waits = ()
        self.at = 0.0

    def play(self):
        """Run the program to its end, or to where it is to stop."""
        runner = asyncio.Runner(loop_factory=self.make_loop)
        loop = runner.get_loop()
        if self.recorded:
            attach(loop)
        returned, tasks = False, set()
        try:
            self.value = runner.run(self.main())
            returned = True
            if self.game.right is not None and not self.game.right(self.value):
                self.broken = f"it returned {self.value!r:.100}"
        except _Stop:
            pass
        except Deadlock:
            self.broken = "deadlock: nothing can go on"
        except Endless:
            self.broken = "it goes round and round, and lets nothing arrive"
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self.broken = words.error_in_words(error)
        finally:
            self.over = True
            self.printed, self.at = self.said(), loop.time()
            if not returned:  # else there is nothing to tell, and to look costs a tenth of the run
                self.waits = tuple(map(str, loop.waits()))
                tasks = asyncio.all_tasks(loop)
            with contextlib.suppress(Deadlock, Endless, RuntimeError):
                runner.close()
            _drop(loop, tasks)
        if self.problem is not None:
            raise self.problem
        if loop.outside:
            raise ValueError(
                f"The program {loop.outside}. What comes from there can't be chosen: "
                'let await arrival("its answer") stand for it.'
            )

    async def main(self):
        """The program, as a task with a name that is the same in each run."""
        asyncio.current_task().set_name("main")
        coro = self.game.program()
        if not inspect.isawaitable(coro):
            self.give_up(
                ValueError(
                    "a program is an async function, and this one gave "
                    f"{coro!r:.60}: write async def, or a lambda that calls one"
                )
            )
        return await coro

    def make_loop(self):
        self.loop = ArrivalLoop(self.choose, self.happens, self.game.jitter, self.game.cancel)
        self.loop.set_exception_handler(self.heard)
        return self.loop

    def heard(self, loop, context):
        """A callback raised: what escapes from it nobody else would see."""
        if "handle" in context and not self.over and not self.broken:
            self.broken = words.error_in_words(context["exception"])

    def choose(self, names):
        if self.over:
            return 0
        at = len(self.taken)
        if at >= len(self.choices) and not self.to_end:
            self.could = tuple(names)
            raise _Stop
        chosen = self.choices[at] if at < len(self.choices) else 0
        if not 0 <= chosen < len(names):
            there = f"choice {at + 1} is {chosen}, and only {len(names)} things can come"
            self.give_up(IndexError(there))
        self.taken.append(chosen)
        return chosen

    def happens(self, name, could, at):
        if self.over:
            return
        if len(self.steps) == MOST_ARRIVALS:
            self.give_up(
                ValueError(
                    f"The program was still going after {MOST_ARRIVALS} arrivals. "
                    "Let it end by itself, so that all its orders can be looked at."
                )
            )
        self.steps.append(Step(name, tuple(could), at, self.said()))

    def give_up(self, problem):
        """Leave the loop; `play` raises the problem then."""
        self.problem = problem
        raise _Stop

    def said(self):
        """What was printed since this was last asked."""
        text = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return text

    def ended(self):
        return Ended(
            tuple(self.steps), tuple(self.taken), self.value, self.broken, self.could,
            self.printed, self.waits, self.at, self.loop.assumed, frozenset(self.loop.cancellable),
        )  # fmt: skip


def _drop(loop, tasks):
    """End what a run left behind and didn't end when it was cancelled."""
    for task in tasks:
        if not task.done():
            with contextlib.suppress(BaseException):
                task.get_coro().close()
            task._log_destroy_pending = False
    loop.close()
