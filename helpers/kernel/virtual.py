"""An event loop whose clock jumps: an hour's sleep takes no time and prints the same every run.

When no task is ready, an event loop asks its selector to wait until the next timer is due.
Here the selector doesn't wait: it moves the clock to that moment and says that nothing happened.
All else is asyncio's own loop. Time that passes while code computes is not counted, so a program
that only sleeps and computes runs in the same order, with the same times, on every machine.

Three things can come from outside the loop: what a socket receives, what a thread of a pool
returns, what another thread calls. While any of them is in play the selector waits in real time
and adds that time to the clock. Where nothing can come, and no timer is left, the tasks wait for
each other for ever: that is a `Deadlock`, and it names them.

The idea of a clock that jumps is trio's `MockClock(autojump_threshold=0)`.
"""

import asyncio
import math
import selectors
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context
from typing import Any

from helpers.kernel.threads import all_free, belongs_to_helpers, idle_in_pool
from helpers.kernel.waiting import Waiting, unfinished

# A timer this far away never fires: the clock would have to jump there a day at a time, because
# asyncio asks its selector for a day at most.
CENTURY = 100 * 365.25 * 24 * 3600

# While other threads live, look this often (seconds) whether they still do.
SLICE = 0.05

# A thread of a pool that is just taking its work looks idle: how long (seconds) to give it where
# the pool says that all its threads are free, and where it says that one has work.
FREE, TAKEN = 0.001, 0.2


class Deadlock(RuntimeError):
    """Nothing is ready, no timer is left, nothing can come from outside.

    `tasks` lists a `Waiting(name, filename, lineno, what)` for each unfinished task.
    """

    def __init__(self, tasks: list[Waiting]) -> None:
        super().__init__(tasks)
        self.tasks = tasks

    def __str__(self) -> str:
        return "\n".join(
            [
                "nothing is ready to run and no timer is left, so nothing can wake:",
                *(f"  {task}" for task in self.tasks),
            ]
        )


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio event loop on a virtual clock that starts at 0.

    Timers due at the same moment fire in the order in which they were set. Deadlines are
    rounded to a nanosecond, so that 0.1 + 0.2 and 0.3 are the same moment. A timer more than a
    hundred years away never fires. Signal handlers don't count as something that can come from
    outside. The clock stands still while anything is ready: a program that spins on sleep(0)
    until a timer fires spins for ever.
    """

    def __init__(self):
        self._jumps = _JumpingSelector(self)
        self._timers_set = 0
        super().__init__(self._jumps)
        self._jumps.own_files = len(self._jumps.get_map())

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumps.now

    @property
    def real_seconds(self) -> float:
        """How many of the clock's seconds were waited for in real time."""
        return self._jumps.real_seconds

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        if when - self.time() > CENTURY:
            return asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_set += 1
        return super().call_at(_Deadline(when, self._timers_set), callback, *args, context=context)

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        # A thread that has called once may call again.
        self._jumps.silent_threads.discard(threading.current_thread())
        return super().call_soon_threadsafe(callback, *args, context=context)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future:
        future = super().run_in_executor(executor, func, *args)
        self._jumps.calls_outside += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, _future):
        self._jumps.calls_outside -= 1


class _Deadline(float):
    """A moment that also knows which timer asked for it first.

    asyncio keeps its timers in a heap, and a heap is not stable: of three timers due at the same
    moment, the last one set may fire second.
    """

    def __new__(cls, when, number):
        self = super().__new__(cls, round(when, 9))
        self.number = number
        return self

    def __lt__(self, other):
        if isinstance(other, _Deadline) and float(self) == float(other):
            return self.number < other.number
        return float(self) < other


class _JumpingSelector(selectors.BaseSelector):
    """Waits by moving the clock, and in real time only for what comes from outside."""

    def __init__(self, loop):
        self.loop = loop
        self.real = selectors.DefaultSelector()
        self.now = 0.0
        self.real_seconds = 0.0
        self.own_files = 1
        self.calls_outside = 0
        self.silent_threads = set(threading.enumerate())

    def select(self, timeout=None):
        if timeout is not None and timeout <= 0:
            return self.real.select(0) if self.sockets() else []
        if self.sockets() or self.calls_outside:
            return self.wait(timeout)
        due = None if timeout is None else self.now + timeout
        patience = self.threads()
        if patience:
            events = self.wait(patience if timeout is None else min(timeout, patience))
            if events or self.threads() == SLICE:
                return events
        # A thread may have called, and ended, since the loop asked.
        events = self.real.select(0)
        if events:
            return events
        if due is None:
            raise Deadlock(unfinished(self.loop))
        self.now = max(self.now, just_due(round(due, 9)))
        return []

    def wait(self, timeout):
        """Wait in real time, and let the clock follow."""
        started = time.monotonic()
        events = self.real.select(timeout)
        spent = time.monotonic() - started
        if not events and timeout is not None:
            spent = max(spent, timeout)
        self.now = just_due(self.now + spent)
        self.real_seconds += spent
        return events

    def sockets(self):
        return len(self.real.get_map()) > self.own_files

    def threads(self):
        """How long (seconds) to listen to the threads that could still call; 0 if none could.

        Those can that were started after the loop was made, or that have called before.
        """
        others = [
            thread
            for thread in threading.enumerate()
            if thread not in self.silent_threads and thread.ident != threading.get_ident()
        ]
        if not others:
            return 0
        frames = sys._current_frames()
        patience = 0
        for thread in others:
            frame = frames.get(thread.ident)
            if frame is None or belongs_to_helpers(frame):
                continue
            if not idle_in_pool(frame):
                return SLICE
            # asyncio's own pool gets work by run_in_executor, which is counted.
            if not thread.name.startswith("asyncio_"):
                patience = max(patience, FREE if all_free(frame) else TAKEN)
        return patience

    def register(self, fileobj, events, data=None):
        return self.real.register(fileobj, events, data)

    def unregister(self, fileobj):
        return self.real.unregister(fileobj)

    def modify(self, fileobj, events, data=None):
        return self.real.modify(fileobj, events, data)

    def get_map(self):
        return self.real.get_map()

    def close(self):
        self.real.close()


def just_due(moment: float) -> float:
    """The earliest time at which asyncio calls a timer of this moment.

    It calls those earlier than now plus a nanosecond. Beyond half a year a float no longer holds
    that nanosecond, and the clock has to move past the moment.
    """
    return moment if moment < moment + 1e-9 else math.nextafter(moment, math.inf)
