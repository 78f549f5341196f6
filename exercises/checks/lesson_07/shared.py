"""What exercises of lesson 07 share: a loop that is watched, its clock, and who is stuck on it."""

import contextlib
import inspect
import itertools
import time
import traceback
from unittest import mock

from helpers.coach import Wrong
from helpers.eventloop import timers
from helpers.eventloop.tasks import CancelledError, Loop, sleep

MANY_TURNS = 2000


async def work(seconds, result):
    """Take some seconds; return the result, or raise it if it is an error."""
    await sleep(seconds)
    if isinstance(result, Exception):
        raise result
    return result


def told(log):
    return ", ".join(f"({name}) was {what} at {seconds:g} s" for name, what, seconds in log)


def in_a_row(words):
    """The words, one after the other; those that come again and again once, with how often."""
    runs = [(word, len(list(run))) for word, run in itertools.groupby(words)]
    return ", ".join(word if times == 1 else f"{word} ({times:,} times)" for word, times in runs)


class Stuck(Wrong):
    """Nobody is ready and nobody sleeps, but somebody waits."""


def close_unbegun(error):
    """Close the coroutines of an answer that failed before it began them; Python would complain
    of each.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            for coro in value if isinstance(value, tuple) else (value,):
                if (
                    inspect.iscoroutine(coro)
                    and inspect.getcoroutinestate(coro) == inspect.CORO_CREATED
                ):
                    coro.close()


class Clock:
    """Stands in for the module `time`: who sleeps moves it on, and nobody waits.

    over: main has ended, or there is a deadlock; who is told to end now is told by the loop's run.
    """

    over = False

    def __init__(self):
        self.start = self.now = time.monotonic()

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def seconds(self):
        return round(self.now - self.start, 3)

    def __getattr__(self, name):
        return getattr(time, name)


class Watched:
    """Runs a main coroutine on the loop of tasks.py, on a clock that jumps.

    elapsed: seconds on that clock. error: the one that came out. left: names of what would still
    have run or rung when the main coroutine had ended.
    """

    def __init__(self, lab):
        self.lab, self.clock = lab, Clock()
        self.elapsed, self.error, self.left = 0.0, None, []

    def __call__(self, main, answer=None, raises=()):
        loop = WatchedLoop(self.lab, self.clock)
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(timers, "time", self.clock))
            names = getattr(answer, "__globals__", {})
            if names.get("time") is time:
                stack.enter_context(mock.patch.dict(names, time=self.clock))
            try:
                return loop.run(self._main(loop, main))
            except raises as error:
                self.error = error
            except (Wrong, CancelledError):
                raise
            except TypeError as error:
                if not str(error).startswith("spawn takes"):
                    raise
                close_unbegun(error)
                raise Wrong(
                    "named, not called",
                    f"Python said: {error}",
                    self.lab.call_of("spawn"),
                    "`spawn` takes one coroutine: `loop.spawn(work())`.",
                    headline="spawned no coroutine",
                ) from None
            except ValueError as error:
                again = self.lab.call_of("loop.run*", "loop.turn*")
                if again is None or "already executing" not in str(error):
                    raise
                raise Wrong(
                    "nested run",
                    f"Python said: {error}.",
                    again,
                    "The loop runs already, and this is one of its turns. `loop.spawn` "
                    "adds a task to it.",
                    headline="runs the loop inside itself",
                ) from None
            except RuntimeError as error:
                if "event loop" in str(error) and self.lab.call_of("asyncio.*"):
                    close_unbegun(error)
                    raise Wrong(
                        "other loop",
                        f"Python said: {str(error).rstrip('.')}.",
                        self.lab.call_of("asyncio.*"),
                        "This runs on your own loop, and asyncio's functions want "
                        "asyncio's. Use `loop.spawn`.",
                        headline="asked asyncio",
                    ) from None
                if not str(error).startswith("Deadlock"):
                    raise
                raise Stuck(
                    "deadlock",
                    "Nobody was ready, nobody slept, and somebody still waited.",
                    self.lab.earliest(self.lab.await_of(), self.lab.yielding()),
                ) from None

    async def _main(self, loop, main):
        made = self.lab.awaitable(main(loop))
        try:
            return await made
        finally:
            self.elapsed = self.clock.seconds()
            for _ in range(2):  # what was asked to end may do so
                await sleep(0)
            self.clock.over = True
            tasks = {task for task in loop.tasks if task.name != "_main"}
            self.left = sorted(f"task {task.name}" for task in tasks)
            rings = [who for who in loop.sleeping if getattr(who, "__self__", None) not in tasks]
            self.left += ["an entry in the heap"] * len(rings)


class InOrder(dict):
    """A set in the order in which things came. In the loop's own the order depends on addresses:
    those that are left at its end would be cancelled in another one each time.
    """

    def add(self, thing):
        self[thing] = None

    def discard(self, thing):
        self.pop(thing, None)

    def difference(self, others):
        others = set(others)
        return [thing for thing in self if thing not in others]


class WatchedLoop(Loop):
    def __init__(self, lab, clock):
        super().__init__()
        self.lab, self.clock, self.turns = lab, clock, 0
        self.tasks = InOrder()

    def pause(self, seconds):
        self.clock.over = self.clock.over or seconds is None
        super().pause(seconds)

    def turn(self):
        self.turns += 1
        if self.turns == MANY_TURNS:
            raise Wrong(
                "polling",
                f"After {MANY_TURNS} turns of the loop it was not over, and somebody was "
                "always ready, so nobody could wake.",
                self.lab.earliest(self.lab.while_loop(), self.lab.call_of("sleep", given=0)),
                "Await what you wait for. A task wakes those who await it.",
                headline="asks again and again",
            )
        super().turn()
