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
import linecache
import math
import os
import selectors
import sys
import threading
import time
from typing import NamedTuple

from helpers.basics.awaits import awaited, frame_of
from helpers.basics.places import is_library
from helpers.basics.project import HELPERS

POOL = os.path.join("concurrent", "futures", "thread.py")

# A timer this far away never fires: the clock would have to jump there a day at a time, because
# asyncio asks its selector for a day at most.
CENTURY = 100 * 365.25 * 24 * 3600

# While other threads live, look this often (seconds) whether they still do.
SLICE = 0.05

# A thread of a pool that is just taking its work looks idle: how long (seconds) to give it where
# the pool says that all its threads are free, and where it says that one has work.
FREE, TAKEN = 0.001, 0.2


class Waiting(NamedTuple):
    """Where one unfinished task waits. `filename` and `lineno` are None if no line of the
    learner's is on the way."""

    name: str
    filename: str | None
    lineno: int | None
    what: str

    def __str__(self):
        where = "" if self.lineno is None else f", {place(self.filename, self.lineno)}"
        return f"{self.name} waits for {self.what}{where}"


class Deadlock(RuntimeError):
    """Nothing is ready, no timer is left, nothing can come from outside.

    `tasks` lists a `Waiting(name, filename, lineno, what)` for each unfinished task.
    """

    def __init__(self, tasks):
        super().__init__(tasks)
        self.tasks = tasks

    def __str__(self):
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

    def time(self):
        """Virtual seconds since the loop was made."""
        return self._jumps.now

    @property
    def real_seconds(self):
        """How many of the clock's seconds were waited for in real time."""
        return self._jumps.real_seconds

    def call_at(self, when, callback, *args, context=None):
        if when - self.time() > CENTURY:
            return asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_set += 1
        return super().call_at(_Deadline(when, self._timers_set), callback, *args, context=context)

    def call_soon_threadsafe(self, callback, *args, context=None):
        # A thread that has called once may call again.
        self._jumps.silent_threads.discard(threading.current_thread())
        return super().call_soon_threadsafe(callback, *args, context=context)

    def run_in_executor(self, executor, func, *args):
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


def just_due(moment):
    """The earliest time at which asyncio calls a timer of this moment.

    It calls those earlier than now plus a nanosecond. Beyond half a year a float no longer holds
    that nanosecond, and the clock has to move past the moment.
    """
    return moment if moment < moment + 1e-9 else math.nextafter(moment, math.inf)


# Whose code is it? -------------------------------------------------------------------------------


def outward(frame):
    """A frame, its caller, that one's caller …"""
    while frame is not None:
        yield frame
        frame = frame.f_back


def belongs_to_helpers(frame):
    """Whether a thread runs nothing but code of these helpers (and the library below it)."""
    files = [f.f_code.co_filename for f in outward(frame)]
    return any(name.startswith(HELPERS) for name in files) and all(map(is_library, files))


def is_pools(frame):
    """Whether this is the frame in which a thread of a concurrent.futures pool takes its work."""
    return frame.f_code.co_name == "_worker" and frame.f_code.co_filename.endswith(POOL)


def idle_in_pool(frame):
    """Whether a thread of a pool waits for work, and none is queued for it."""
    if not is_pools(frame):
        return False
    names = frame.f_locals
    return names.get("work_item") is None and names["work_queue"].empty()


def all_free(frame):
    """Whether the pool of an idle thread says that all its threads are free.

    Its count is the only trace of a work item between the queue and the thread's first line.
    It may count a free thread as taken for ever, where two threads went for one item.
    """
    pool = frame.f_locals["executor_reference"]()
    return pool is None or pool._idle_semaphore._value >= len(pool._threads)


def place(filename, lineno):
    """A line in words: its number, its file if there is one (a cell has none), its text."""
    text = linecache.getline(filename, lineno).strip()
    file = f" of {os.path.basename(filename)}" if os.path.exists(filename) else ""
    return f"line {lineno}{file}" + (f": {text}" if text else "")


# What does a task wait for? ----------------------------------------------------------------------

IN_WORDS = {
    "TaskGroup.__aexit__": "the tasks of its TaskGroup",
    "TaskGroup._aexit": "the tasks of its TaskGroup",  # its newer name
}


def unfinished(loop):
    """A `Waiting` for each unfinished task of a loop, in the order of their names."""
    tasks = [waiting(task) for task in asyncio.all_tasks(loop)]
    # Task-2 before Task-10
    return sorted(tasks, key=lambda task: (len(task.name), task.name))


def waiting(task):
    """Where and for what a suspended task waits."""
    filename = lineno = None
    what = "its first turn"
    for step in awaited(task.get_coro()):
        if isinstance(step, asyncio.Future):
            if what is None:
                what = describe_future(step)
            continue
        frame = frame_of(step)
        if frame is None:
            continue
        if not is_library(frame.f_code.co_filename):
            filename, lineno, what = frame.f_code.co_filename, frame.f_lineno, None
        elif not frame.f_code.co_filename.startswith(HELPERS) or is_backport(step):
            what = IN_WORDS.get(step.__qualname__, step.__qualname__.lstrip("_"))
    return Waiting(task.get_name(), filename, lineno, what or "something that is not asyncio's")


def is_backport(step):
    """Is this a public method of one of `helpers.basics.backports`? It is told as asyncio's own."""
    return frame_of(step).f_globals.get("__name__") == "helpers.basics.backports" and (
        not step.__name__.startswith("_")
    )


def describe_future(future):
    if isinstance(future, asyncio.Task):
        return f"task {future.get_name()}"
    return "gather" if "Gathering" in type(future).__name__ else "a future"
