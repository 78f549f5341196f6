"""`run(main())`: a script's main from a notebook, in a worker thread of its own.

It has the semantics of asyncio.run. Nothing in asyncio is patched.
"""

import asyncio
import contextlib
import contextvars
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeVar

from helpers.basics.places import is_library, outward
from helpers.kernel.threads import idle_in_pool, is_pools, raise_in
from helpers.kernel.virtual import Deadlock, VirtualLoop
from helpers.kernel.waiting import line_in_words, waiting
from helpers.recording.record import attach

# How long (seconds) a press of the stop button waits for a worker thread: first for main to end
# when it is cancelled, then again once its code is interrupted.
PATIENCE = 0.4

Result = TypeVar("Result")

_here = threading.local()


def run(
    main: Coroutine[Any, Any, Result],
    *,
    clock: Literal["real", "virtual"] = "real",
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
    debug: bool | None = None,
) -> Result:
    """Run a coroutine to its end, as `asyncio.run` does in a script, and return its result.

    Tasks it leaves behind are cancelled, async generators closed, the default executor shut
    down. Where an event loop runs in this thread already, as in a notebook, `main` runs in a
    worker thread with a loop of its own; the stop button cancels it.

    main: a coroutine, as in `run(main())`.
    clock: "real", or "virtual" for a clock that jumps (see `helpers.kernel.virtual`).
    loop_factory: makes the event loop, for example `uvloop.new_event_loop`.
    debug: asyncio's debug mode, as for `asyncio.run`.

    Raises what main raises; TypeError for anything but a coroutine; ValueError for another clock,
    or a loop_factory where the clock is virtual; RuntimeError inside another run();
    KeyboardInterrupt within a second of a press of the stop button, after a sentence that says
    what is still running, if something is.
    """
    __tracebackhide__ = True
    _check_coroutine(main)
    try:
        loop_factory = _check_loop(clock, loop_factory)
        if not _loop_runs_here():
            start = _run_here
        elif not getattr(_here, "running", False):
            start = _run_in_worker
        else:
            raise RuntimeError(
                f"run() is running this code already: here, "
                f"await {_name(main)}(…) instead of run({_name(main)}(…))"
            )
    except BaseException:
        main.close()  # else Python warns that it was never awaited, which is not the point
        raise
    try:
        return start(main, loop_factory, debug)
    except BaseException as error:
        # A Deadlock names the lines that matter itself; the loop raises it.
        shown = None if isinstance(error, Deadlock) else _from_the_learner_on(error.__traceback__)
        raise error.with_traceback(shown)  # noqa: B904 (the same error, not one in its handling)


def _check_coroutine(main):
    __tracebackhide__ = True
    if asyncio.iscoroutine(main):
        return
    if inspect.iscoroutinefunction(main):
        raise TypeError(f"{_name(main)} is a function; call it: run({_name(main)}())")
    if inspect.isasyncgen(main) or inspect.isasyncgenfunction(main):
        raise TypeError(
            f"{_name(main)} is an async generator (it has a yield), which run() can't "
            f"run: go through it with async for, in an async function"
        )
    if inspect.isroutine(main):
        raise TypeError(
            f"{_name(main)} is a plain function: make it async def, then run({_name(main)}())"
        )
    raise TypeError(
        f"run() takes a coroutine, what calling an async function gives; "
        f"this is {type(main).__name__}: {main!r:.60}"
    )


def _check_loop(clock, loop_factory):
    """What makes the event loop."""
    __tracebackhide__ = True
    if clock == "real":
        return loop_factory
    if clock != "virtual":
        raise ValueError(f'clock is "real" or "virtual", not {clock!r}')
    if loop_factory is not None:
        raise ValueError('clock="virtual" brings its own loop: leave out loop_factory')
    return VirtualLoop


def _loop_runs_here():
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _name(thing):
    return getattr(thing, "__name__", type(thing).__name__)


def _run_here(main, loop_factory, debug, on_start=None):
    runner = asyncio.Runner(debug=debug, loop_factory=loop_factory)
    try:
        loop = runner.get_loop()
    except BaseException:
        main.close()
        raise
    _here.running = True
    try:
        with runner:
            attach(loop)
            if on_start is not None:
                # Called before main's first step, when main's is the one new task.
                others = asyncio.all_tasks(loop)
                loop.call_soon(lambda: on_start(loop, *(asyncio.all_tasks(loop) - others)))
            return runner.run(main)
    finally:
        _here.running = False


def _run_in_worker(main, loop_factory, debug):
    __tracebackhide__ = True
    worker = _Worker(main, loop_factory, debug)
    try:
        worker.start()
        while not worker.ended.wait(0.1):
            pass  # on Windows only a wait with a limit can be interrupted
    except KeyboardInterrupt:
        still_running = worker.stop()
        if still_running:
            print(still_running, file=sys.stderr)
        raise KeyboardInterrupt from None
    if worker.error is not None:
        error, worker.error = worker.error, None  # no cycle of error, traceback and worker
        raise error
    return worker.result


def _from_the_learner_on(tb):
    """A traceback without the frames before the first that is the learner's, if there is one."""
    first = tb
    while first is not None and is_library(first.tb_frame.f_code.co_filename):
        first = first.tb_next
    return first or tb


class _Worker(threading.Thread):
    """Runs one coroutine to its end, in a context copied from the thread that makes it."""

    def __init__(self, main, *options):
        # A daemon: what can't be stopped must not keep the kernel from ending.
        self.main = f"{_name(main)}()"
        super().__init__(name=f"run({self.main})", daemon=True)
        self.work = functools.partial(
            contextvars.copy_context().run, _run_here, main, *options, self.begin
        )
        self.result = self.error = self.loop = self.task = None
        self.cancelled = threading.Event()
        # Before 3.13 a join() that is interrupted takes the thread for dead.
        self.ended = threading.Event()
        self.before = set(threading.enumerate())

    def run(self):
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            del self.work
            self.ended.set()

    def begin(self, loop, task):
        self.loop, self.task = loop, task

    def stop(self):
        """Cancel main; where its code doesn't let go of the loop, interrupt it. Return a sentence
        that says what is still running, or None."""
        if self.task is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self.loop.call_soon_threadsafe(self.cancel)
        if not self.ended.wait(PATIENCE) and not self.cancelled.is_set():
            raise_in(self, KeyboardInterrupt)
        if not self.ended.wait(PATIENCE):
            return f"Stopped, but not all has ended: {'; '.join(self.holds())}."
        return None

    def cancel(self):
        self.task.cancel()
        self.cancelled.set()

    def holds(self):
        """What is still running, in words: the threads, and main where it waits."""
        frames = sys._current_frames()
        found = []
        for thread in [self, *(set(threading.enumerate()) - self.before - {self})]:
            stack = list(outward(frames.get(thread.ident)))
            learners = [frame for frame in stack if not is_library(frame.f_code.co_filename)]
            if learners:
                where = line_in_words(learners[0].f_code.co_filename, learners[0].f_lineno)
                found.append(f"the thread {thread.name} is at {where}, and ends when that does")
            elif any(map(is_pools, stack)) and not idle_in_pool(stack[0]):
                found.append(f"the thread {thread.name} is in a call that nothing can stop")
        if not found and self.task is not None and not self.task.done():
            found.append(f"{waiting(self.task)._replace(name=self.main)}, although cancelled")
        return found or [f"the thread {self.name} is closing its loop"]
