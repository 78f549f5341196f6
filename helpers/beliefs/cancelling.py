"""Beliefs about `cancel`, shields and deadlines."""

import ast
import asyncio
import types
from collections.abc import Callable
from typing import Any

from helpers.beliefs.starting import driven
from helpers.beliefs.world import Belief, Running


class CancelEndsAtOnce(Belief):
    """A cancelled task is done when `cancel` returns, and runs none of its lines any more."""

    id = "cancel-ends-at-once"
    sentence = "`cancel()` ended the task on the spot, without its cleanup"
    truth = "`cancel()` asks: the error is raised at the task's `await`, and it may clean up first."
    lesson, turn = "11", "11-over"
    words = (".cancel()", "TaskGroup", "timeout(")

    def factory(self, under: Running) -> Callable[..., asyncio.Task]:
        class Task(asyncio.Task):
            ended = False

            def cancel(self, msg=None):
                asked = super().cancel(msg)
                self.ended = self.ended or asked
                return asked

            def done(self):
                return self.ended or super().done()

            def cancelled(self):
                return self.ended or super().cancelled()

        def make(loop, coro, **options):
            under.kept.append(coro)
            return Task(_abandoned(coro), loop=loop, **options)

        return make


async def _abandoned(coro):
    """Run a coroutine; when cancelled, leave it where it stands."""
    return await _unless_cancelled(coro)


@types.coroutine
def _unless_cancelled(coro):
    error = None
    while True:
        try:
            yielded = coro.throw(error) if error else coro.send(None)
        except StopIteration as stop:
            return stop.value
        error = None
        try:
            yield yielded
        except asyncio.CancelledError:
            raise
        except BaseException as raised:
            error = raised


class BodyIsEntered(Belief):
    """A task cancelled before its first step runs to its first `await`, and is cancelled there."""

    id = "body-is-entered"
    sentence = "a task cancelled before its first step still began"
    truth = "It never runs: its body isn't entered, so no `try` and no `finally` of it is."
    lesson, turn = "11", "11-first-step"
    words = (".cancel()", "TaskGroup", "timeout(")

    def factory(self, under: Running) -> Callable[..., asyncio.Task]:
        def make(loop, coro, **options):
            under.kept.append(coro)
            return _Entered(coro, loop, options)

        return make


class _Entered(asyncio.Task):
    """Remembers a cancel that comes before its first step, until after that step."""

    def __init__(self, coro, loop, options):
        self._begun = self._asked = False
        super().__init__(self._run(coro), loop=loop, **options)

    async def _run(self, coro):
        self._begun = True
        return await _with_request(self, coro)

    def cancel(self, msg=None):
        if self._begun:
            return super().cancel(msg)
        self._asked = True
        return True


@types.coroutine
def _with_request(task, coro):
    try:
        yielded = coro.send(None)
        if task._asked:
            yielded = coro.throw(asyncio.CancelledError())
    except StopIteration as stop:
        return stop.value
    return (yield from driven(coro, yielded))


class ExceptionCatchesCancel(Belief):
    """`except Exception` catches a CancelledError too."""

    id = "exception-catches-cancel"
    sentence = "`except Exception` caught the cancellation"
    truth = "A CancelledError is a BaseException: `except Exception` lets it through."
    lesson, turn = "11", "11-caught"
    words = ("except Exception",)

    def tree(self, tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
                if node.type.id == "Exception":
                    both = [node.type, ast.Name("__CancelledError__", ast.Load())]
                    node.type = ast.Tuple(both, ast.Load())
        return tree

    def names(self, under: Running) -> dict[str, Any]:
        return {"__CancelledError__": asyncio.CancelledError}


class ShieldKeepsWaiting(Belief):
    """Whoever awaits a shield is not cancelled there: they get its result."""

    id = "shield-keeps-waiting"
    sentence = "`shield` protected the one who waits as well"
    truth = "`shield` protects what runs inside; the one who waits for it is cancelled."
    lesson, turn = "11", "11-shield"
    words = ("shield(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def shield(awaitable):
            inner = asyncio.ensure_future(awaitable)
            while not inner.done():
                try:
                    await asyncio.wait([inner])
                except asyncio.CancelledError:
                    asyncio.current_task().uncancel()
            return inner.result()

        return {"shield": shield}


class ShieldCancelled(Belief):
    """`shield` does nothing: what is inside is cancelled with the one who waits."""

    id = "shield-lets-through"
    sentence = "what is inside a `shield` were cancelled with the one who waits"
    truth = "The task inside a `shield` goes on; only the wait for it is cancelled."
    lesson, turn = "11", "11-shield"
    words = ("shield(",)

    def names(self, under: Running) -> dict[str, Any]:
        return {"shield": asyncio.ensure_future}


def _noted_timeouts(under: Running) -> tuple[Callable, list[tuple[asyncio.Task, asyncio.Timeout]]]:
    """What takes the place of `asyncio.timeout`, and those that are entered now, each with its
    task, the innermost last.
    """
    entered = []

    class Noted(asyncio.Timeout):
        async def __aenter__(self):
            entered.append((asyncio.current_task(), self))
            return await super().__aenter__()

        async def __aexit__(self, *error):
            entered.remove((asyncio.current_task(), self))
            return await super().__aexit__(*error)

    def timeout(delay):
        return Noted(None if delay is None else under.clock.time() + delay)

    return timeout, entered


class TimeoutStopsBlocking(Belief):
    """At its deadline a timeout ends a `time.sleep` inside it."""

    id = "timeout-stops-blocking"
    sentence = "a timeout cut a blocking call short"
    truth = "A deadline is delivered at an `await`; a call that blocks runs to its end first."
    lesson, turn = "11", "11-blocked"
    words = ("time.sleep",)

    def names(self, under: Running) -> dict[str, Any]:
        timeout, cuts = _noted_timeouts(under)

        def block(seconds):
            me, now = asyncio.current_task(), under.clock.time()
            due = min((cut.when() for task, cut in cuts if task is me), default=now + seconds)
            under.clock.block(min(seconds, max(due - now, 0)))
            if due < now + seconds:
                raise TimeoutError

        sleeping = types.SimpleNamespace(sleep=block, monotonic=lambda: under.clock.time())
        return {"timeout": timeout, "time": sleeping}


class TimeoutSkipsQueue(Belief):
    """Time spent in a wait for a lock or a semaphore doesn't count for a timeout around it."""

    id = "timeout-skips-queue"
    sentence = "a timeout counted only the work, and not the wait for a place"
    truth = "A timeout counts from where it stands: the wait for a place is a part of it."
    lesson, turn = "14", "14-timeouts-add"
    words = ("timeout(",)

    def names(self, under: Running) -> dict[str, Any]:
        timeout, cuts = _noted_timeouts(under)

        async def patiently(acquire):
            mine = [cut for task, cut in cuts if task is asyncio.current_task()]
            left = [cut.when() - under.clock.time() for cut in mine]
            for cut in mine:
                cut.reschedule(None)
            got = await acquire()
            for cut, seconds in zip(mine, left):
                cut.reschedule(under.clock.time() + seconds)
            return got

        class Semaphore(asyncio.Semaphore):
            async def acquire(self):
                return await patiently(super().acquire)

        class Lock(asyncio.Lock):
            async def acquire(self):
                return await patiently(super().acquire)

        return {"timeout": timeout, "Semaphore": Semaphore, "Lock": Lock}


class TimeoutOnlyWarns(Belief):
    """A timeout raises TimeoutError when the block is over, and cuts nothing short."""

    id = "timeout-comes-late"
    sentence = "a timeout let its block run to the end and only then raised"
    truth = "At its deadline a timeout cancels the wait inside it, and the rest is left out."
    lesson, turn = "11", "11-each"
    words = ("timeout(",)

    def names(self, under: Running) -> dict[str, Any]:
        class timeout:
            """Looks at the clock at the end of the block."""

            def __init__(self, delay):
                self.due = under.clock.time() + delay

            async def __aenter__(self):
                return self

            async def __aexit__(self, kind, error, traceback):
                if kind is None and under.clock.time() > self.due:
                    raise TimeoutError

        return {"timeout": timeout}


BELIEFS = [
    CancelEndsAtOnce(),
    BodyIsEntered(),
    ExceptionCatchesCancel(),
    ShieldKeepsWaiting(),
    ShieldCancelled(),
    TimeoutStopsBlocking(),
    TimeoutSkipsQueue(),
    TimeoutOnlyWarns(),
]
