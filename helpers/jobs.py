"""Jobs: ordinary functions whose calls are lanes of a recording, in any thread or process.

Other processes write what they did into a folder, a line of JSON at the start of a call and one
at its end; the recording reads it when it ends. `time.perf_counter` is one clock for all
processes of a machine on the systems that the course supports.
"""

import asyncio
import functools
import glob
import json
import os
import secrets
import shutil
import sys
import tempfile
import threading
import time
import types

from helpers.places import short

under_way = None  # the recording under way in this process
_parents_folder = None  # in a forked child: the folder of its parent's recording


def job(function):
    """Make each call of `function` a lane of the recording under way, wherever it runs.

    The result is a callable that can be pickled as `function` can: give it to threads, pools,
    `asyncio.to_thread` and processes. Without a recording it is a plain call. Its span says what
    share of a core it used. Raises TypeError for a coroutine function.
    """
    if asyncio.iscoroutinefunction(function):
        raise TypeError("job() takes an ordinary function; tasks are recorded as they are")
    return _Job(function)


class _Job:
    def __init__(self, function, folder=None):
        functools.update_wrapper(self, function)
        self._folder = folder  # where to write, if this came from another process; "": nowhere

    def __repr__(self):
        return f"job({self.__wrapped__!r})"

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        folder = ""
        if under_way is not None:
            folder = under_way.spool.make()
        function = self.__wrapped__
        module = sys.modules.get(getattr(function, "__module__", None))
        name = getattr(function, "__qualname__", "")
        if getattr(module, name, None) is self:  # job was used as a decorator
            return _by_name, (module.__name__, name, folder)
        return _Job, (function, folder)

    def __call__(self, *args, **kwargs):
        if under_way is not None:
            return _call_here(under_way, self.__wrapped__, args, kwargs)
        folder = _parents_folder if self._folder is None else self._folder
        if folder:
            return _call_there(folder, self.__wrapped__, args, kwargs)
        return self.__wrapped__(*args, **kwargs)


def _by_name(module, name, folder):
    __import__(module)
    return _Job(getattr(sys.modules[module], name).__wrapped__, folder)


def _name(function):
    return getattr(function, "__name__", type(function).__name__)


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


def _call_here(live, function, args, kwargs):
    """Call a job in the process that records."""
    lane = live.new_lane(_name(function), "thread", live.current(), live.time())
    lane.detail = threading.current_thread().name
    shares = live.recording.shares
    shares[lane.id] = None
    timed = _Timed()
    try:
        with timed:
            return function(*args, **kwargs)
    finally:
        if under_way is live:
            lane.ended, lane.outcome = live.time(), timed.outcome
            lane.detail = timed.error or lane.detail
            shares[lane.id] = timed.share


_calls = 0


def _call_there(folder, function, args, kwargs):
    """Call a job in another process than the one that records."""
    global _calls
    _calls += 1
    call, thread = _calls, threading.get_ident()
    path = os.path.join(folder, f"{os.getpid()}-{thread}.jsonl")
    timed = _Timed()
    where = f"process {os.getpid()}"
    _write(path, call=call, name=_name(function), where=where, start=time.perf_counter())
    try:
        with timed:
            return function(*args, **kwargs)
    finally:
        _write(path, call=call, end=timed.end, cpu=timed.share, outcome=timed.outcome,
               error=timed.error)


def _write(path, **entry):
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except FileNotFoundError:
        pass  # the recording has ended and taken its folder away


class Spool:
    """The folder in which other processes tell what they did. Made when one may need it."""

    def __init__(self):
        name = f"recording-{os.getpid()}-{secrets.token_hex(8)}"
        self.folder = os.path.join(tempfile.gettempdir(), name)

    def make(self):
        if not os.path.isdir(self.folder):
            self.sweep()
            os.makedirs(self.folder, mode=0o700)
        return self.folder

    def sweep(self):
        """Take away the folders of recorders that were killed before they could do so."""
        import psutil  # here, for every process that runs a job imports this module

        for folder in glob.glob(os.path.join(tempfile.gettempdir(), "recording-*-*")):
            owner = os.path.basename(folder).split("-")[1]
            if owner.isdigit() and not psutil.pid_exists(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)

    def read(self):
        """List of calls by their start, as dicts; takes the folder away."""
        calls = {}
        if os.path.isdir(self.folder):
            for name in os.listdir(self.folder):
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    for line in file:
                        if line.endswith("\n"):  # else its process was killed while it wrote
                            entry = json.loads(line)
                            calls.setdefault((name, entry["call"]), {}).update(entry)
            shutil.rmtree(self.folder, ignore_errors=True)
        return sorted(calls.values(), key=lambda call: call["start"])


def _before_fork():
    if under_way is not None:
        under_way.spool.make()


def _in_forked_child():
    global under_way, _parents_folder
    if under_way is not None:
        under_way, _parents_folder = None, under_way.spool.folder


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_forked_child)
