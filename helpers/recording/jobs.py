"""Jobs: ordinary functions whose calls are lanes of a recording, in any thread or process.

Other processes write what they did into a folder (`spool`), which the recording reads when it ends.
"""

import functools
import inspect
import os
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from helpers.basics.places import short
from helpers.recording.spool import path_of, write

under_way = None  # the recording under way in this process
_parents_folder = None  # in a forked child: the folder of its parent's recording


def job(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """Make each call of `function` a lane of the recording under way, wherever it runs.

    The result is a callable that can be pickled as `function` can: give it to threads, pools,
    `asyncio.to_thread`, processes and a cluster of them. Without a recording it is a plain call.
    Its span says what share of a core it used. Raises TypeError for a coroutine function.

    name: the lanes' name; else they have the function's.
    """
    if inspect.iscoroutinefunction(function):
        raise TypeError("job() takes an ordinary function; tasks are recorded as they are")
    return _Job(function.__wrapped__ if isinstance(function, _Job) else function, name)


def killed(pid: int) -> None:
    """Tell the recording under way that this process was killed just now, with all its calls."""
    if under_way is not None:
        under_way.recording.killed[pid] = under_way.time()


class _Job:
    def __init__(self, function, name=None, folder=None):
        functools.update_wrapper(self, function)
        self._name = name
        self._folder = folder  # where to write, if this came from another process; "": nowhere

    def __repr__(self):
        return f"job({self.__wrapped__!r})"

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        if under_way is not None:
            folder = under_way.spool.make()
        else:  # a process in between hands it on, as a cluster's scheduler does
            folder = self._folder or _parents_folder or ""
        function = self.__wrapped__
        module = sys.modules.get(getattr(function, "__module__", None))
        name = getattr(function, "__qualname__", "")
        found = getattr(module, name, None)
        if isinstance(found, _Job) and found.__wrapped__ is function:  # job was a decorator
            return _by_name, (module.__name__, name, self._name, folder)
        return _Job, (function, self._name, folder)

    def __call__(self, *args, **kwargs):
        if under_way is not None:
            return _call_here(under_way, self, args, kwargs)
        folder = _parents_folder if self._folder is None else self._folder
        if folder:
            return _call_there(folder, self, args, kwargs)
        return self.__wrapped__(*args, **kwargs)


def _by_name(module, function, name, folder):
    __import__(module)
    return _Job(getattr(sys.modules[module], function).__wrapped__, name, folder)


def _name(called):
    function = called.__wrapped__
    return called._name or getattr(function, "__name__", type(function).__name__)


class _Timed:
    """Runs a call and keeps what it took, whether it returns or raises."""

    outcome, error = "done", None

    def __enter__(self):
        self.start, self._cpu = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, kind, error, traceback):
        cpu = time.thread_time() - self._cpu
        self.end = time.perf_counter()
        self.share = min(cpu / (self.end - self.start), 1.0) if self.end > self.start else 0.0
        if error is not None:
            self.outcome, self.error = "failed", short(error, 200)


def _call_here(live, called, args, kwargs):
    """Call a job in the process that records."""
    lane = live.new_lane(_name(called), "thread", live.current(), live.time())
    if called._name:
        live.named.add(lane.id)
    lane.detail = threading.current_thread().name
    shares = live.recording.shares
    shares[lane.id] = None
    timed = _Timed()
    try:
        with timed:
            return called.__wrapped__(*args, **kwargs)
    finally:
        if under_way is live:
            lane.ended, lane.outcome = live.time(), timed.outcome
            lane.detail = timed.error or lane.detail
            shares[lane.id] = timed.share


_calls = 0


def _call_there(folder, called, args, kwargs):
    """Call a job in another process than the one that records."""
    global _calls
    _calls += 1
    call = _calls
    path = path_of(folder)
    timed = _Timed()
    write(
        path,
        call=call,
        name=_name(called),
        named=bool(called._name),
        pid=os.getpid(),
        start=time.perf_counter(),
    )
    try:
        with timed:
            return called.__wrapped__(*args, **kwargs)
    finally:
        write(
            path,
            call=call,
            end=timed.end,
            cpu=timed.share,
            outcome=timed.outcome,
            error=timed.error,
        )


def _before_fork():
    if under_way is not None:
        under_way.spool.make()


def _in_forked_child():
    global under_way, _parents_folder
    if under_way is not None:
        under_way, _parents_folder = None, under_way.spool.folder


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_forked_child)
