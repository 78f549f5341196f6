"""The hooks on a loop of asyncio's kind: its tasks, its futures, and who settles and cancels them.

Nothing of asyncio's insides is touched, and any event loop will do. A task factory puts a shell
around each coroutine. The loop hands out futures and tasks of ours (`futures`), and the caller of
`loop.create_future` names what a task waits for (`sleep`, `Lock.acquire`, `Queue.get`, ...).
Everything is put back when the recording ends; tasks that live on go on without any cost.
"""

import asyncio
import math
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from helpers.recording.current import within
from helpers.recording.futures import Future, Task
from helpers.recording.log import Log

# Methods of a loop while it is recorded.
_HOOKED = ("create_future", "get_task_factory", "set_task_factory")

_CLOSING = ("shutdown_asyncgens", "shutdown_default_executor")  # the runner's own, at its end

_IDLE = 0.001  # seconds: when no step ran for so long, nothing held up the loop

_ASYNCIO = os.path.dirname(asyncio.__file__)

_TIMER = asyncio.futures._set_result_unless_cancelled.__code__

_HANDLE = asyncio.Handle._run.__code__


class AsyncioLog(Log):
    """What a loop of asyncio's kind does while it is recorded."""

    __slots__ = ("ahead", "theirs", "before")

    def hook(self) -> None:
        """Put ourselves into the loop."""
        loop = self.loop
        self.ahead = loop.time() - self.now()  # of the loop's clock
        self.theirs = loop.get_task_factory()
        loop.set_task_factory(self.make_task)
        # As attributes of this one loop, as few as will do, and without a look at its __dict__:
        # Python takes a slower way to each attribute of an object that has many of its own.
        self.before = {}
        for name in _HOOKED:
            method = getattr(loop, name)
            if getattr(method, "__self__", None) is not loop:  # somebody was here before us
                self.before[name] = method
            setattr(loop, name, getattr(self, name))

    def unhook(self) -> None:
        """Put everything back."""
        for name in _HOOKED:
            if name in self.before:
                setattr(self.loop, name, self.before[name])
            else:
                delattr(self.loop, name)
        self.loop.set_task_factory(self.theirs)

    def ended_loop(self) -> bool:
        """Will this loop run no more?"""
        return self.loop.is_closed()

    def selects(self) -> bool:
        """Does this loop wait in a selector, so far as one can tell?"""
        return True

    def get_task_factory(self) -> Callable | None:
        """In place of the loop's own: who wraps the factory that is set must not wrap ours."""
        return self.theirs

    def set_task_factory(self, factory: Callable | None) -> None:
        """In place of the loop's own: keep the factory for the tasks that we make."""
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self.theirs = factory

    def create_future(self) -> Future:
        """In place of the loop's own: a future that knows the code it was made by."""
        future = Future(loop=self.loop)
        future._log = self
        future._made = sys._getframe(1).f_code
        future._when = None
        return future

    def make_task(self, loop: asyncio.AbstractEventLoop, coro: Any, **kwargs: Any) -> Any:
        """The loop's task factory."""
        make = self.theirs
        if make is not None and make is getattr(asyncio, "eager_task_factory", None):
            make, kwargs = None, {"eager_start": True} | kwargs
        if self.running is not None:
            parent, ours = self.running, True
        else:
            parent = self.live.current()
            ours = self.everything or within.get()[0] is self.live.key
            ours = ours and getattr(coro, "__name__", None) not in _CLOSING
        if not ours or not asyncio.iscoroutine(coro):
            if make is None:
                return asyncio.Task(coro, loop=loop, **kwargs)
            return make(loop, coro, **kwargs)
        if self.lane is None:
            self.begin()
            parent = self.running
        self.thread = threading.get_ident()
        name = getattr(coro, "__qualname__", type(coro).__name__)
        shell, lane = self.in_shell(coro, name, parent)
        before = self.running
        if make is not None:
            task = make(loop, shell, **kwargs)
        else:
            task = Task.__new__(Task)
            task._log, task._lane = self, lane
            task.__init__(shell, loop=loop, **kwargs)
        self.running = before  # an eager task has run its first step by now
        if kwargs.get("name") is not None:
            self.rename(lane, str(kwargs["name"]))
        return task

    def settled(self, future: Future) -> None:
        """A future got its result: note when and who did it."""
        if self.open:
            future._when = self.now()
            caller = sys._getframe(2)
            future._why = caller.f_code
            future._by = self.running
            if self.running is None:
                if caller.f_code is _TIMER:
                    self.due(future, caller.f_back)
                else:
                    future._by = self.ended_behind(caller)

    def due(self, future: Future, frame: FrameType) -> None:
        """A timer set a result. If a step held up the loop meanwhile, note when it was due."""
        if not self.steps or future._when - self.steps[-1] > _IDLE:
            return  # the loop had nothing to do before: the timer is on time
        if frame.f_code is _HANDLE:
            due = getattr(frame.f_locals["self"], "_when", math.inf) - self.ahead
            if due < self.steps[-1]:
                future._when = due

    def ended_behind(self, frame: FrameType | None) -> int | None:
        """The lane of the task whose end is the reason for a callback that runs now, or None."""
        for _ in range(6):
            if frame is None:
                return None
            if frame.f_code is _HANDLE:
                arguments = frame.f_locals["self"]._args or ()
            elif frame.f_code.co_filename.startswith(_ASYNCIO):
                arguments = tuple(frame.f_locals.values())
            else:
                arguments = ()
            for value in arguments:
                if type(value) is Task and value._log is self and value.done():
                    return value._lane
            if frame.f_code is _HANDLE:
                return None
            frame = frame.f_back
        return None

    def cancel_asked(self, lane: int) -> None:
        """A task is asked to cancel: note who asks."""
        caller = sys._getframe(2)
        while caller.f_code.co_name == "cancel" and caller.f_back:  # passed on by what awaits it
            caller = caller.f_back
        by = self.running if self.running is not None else self.ended_behind(caller)
        self.cancelled.add(lane)
        self.mark(lane, "cancel asked", by, caller.f_code)
