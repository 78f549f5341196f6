"""`with record() as rec:` and what lives while it runs.

    with record() as rec:
        run(main())             # or, in a cell:  await main()

`rec` is then a `Recording`: lanes (the loop, tasks, generators, jobs in threads and processes),
the spans of each lane, the wakes and the marks. Each kind of concurrency has a recorder in a file
of its own: asyncio's loops, own loops, generators, jobs, the cell of a notebook.
"""

import asyncio
import collections
import threading
import time
from typing import Any

from helpers.recording import jobs
from helpers.recording.asyncio_hooks import AsyncioLog
from helpers.recording.current import here, within
from helpers.recording.generators import Generator
from helpers.recording.log import Log
from helpers.recording.model import Lane
from helpers.recording.recording import Recording
from helpers.recording.spool import Spool
from helpers.recording.watcher import Watcher


class record:
    """`with record() as rec:` records what starts inside: tasks, `rec.generator`s and `job`s.

    Where a loop runs already (a notebook's cell, or inside a coroutine) its new tasks are
    recorded; `run(main())` inside the `with` is recorded as well. One recording at a time:
    a second one raises RuntimeError, because a task can belong to one picture only.

    watched: whether a thread looks now and then at which line a step holds up the loop. Who records
    thousands of short runs does without.
    """

    def __init__(self, watched: bool = True):
        self._watched = watched

    def __enter__(self):
        if jobs.under_way is not None:
            raise RuntimeError(
                "a recording is under way already: end its `with` before you start another"
            )
        self._live = Live(self._watched)
        self._token = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is not None:
            log = self._live.attach(loop, everything=False)
            self._token = within.set((self._live.key, None))
            if (cell := getattr(here, "cell", None)) is not None:
                log.cell = cell
                cell.enter(log)
        jobs.under_way = self._live
        return self._live.recording

    def __exit__(self, kind, error, traceback):
        if self._token is not None:
            try:
                within.reset(self._token)
            except ValueError:
                pass  # left in another context than it was entered in; nothing to reset there
        jobs.under_way = None
        self._live.stop(error)


class Live:
    """What is needed while a recording is under way, and not after it."""

    def __init__(self, watched: bool):
        self.recording = Recording()
        self.recording.live = self
        self.key = object()
        self.lock = threading.Lock()
        self.zero = time.perf_counter()
        self.logs = []
        self.named = set()  # lanes whose name was given by hand
        self.alive = 0
        self.caller = None
        self.spool = Spool()
        self.watched = watched
        self.watcher = None

    def new_lane(self, name: str, kind: str, parent: int | None, created: float) -> Lane:
        with self.lock:
            lanes = self.recording.lanes
            lane = Lane(len(lanes), name, kind, parent, created)
            lanes.append(lane)
            if kind == "task":
                self.alive += 1
                self.recording.most = max(self.recording.most, self.alive)
        return lane

    def attach(self, loop: Any, everything: bool, own: bool = False) -> Log:
        """Record a loop from now on, all its tasks or those alone that start inside the `with`.

        own: the loop is somebody's own, not one of asyncio's kind.
        """
        for log in self.logs:
            if log.loop is loop:
                return log
        log = (_own_log(loop) if own else AsyncioLog)(self, loop, everything)
        self.logs.append(log)
        if self.watched and self.watcher is None:
            self.watcher = Watcher(self.logs)
        return log

    def current(self) -> int | None:
        """The lane that runs in this thread, or None."""
        if talking := getattr(here, "talking", None):
            return talking[-1]
        me = threading.get_ident()
        for log in self.logs:
            if log.thread == me and log.running is not None:
                return log.running
        key, lane = within.get()
        return lane if key is self.key else None

    def time(self) -> float:
        """Seconds since the start, by the clock of the recorded loop."""
        log = next((log for log in self.logs if log.virtual), None)
        return time.perf_counter() - self.zero if log is None else log.now() - log.zero

    def stand_in(self, gen: Any, name: str | None) -> Generator:
        return Generator(gen, self, name)

    def the_caller(self) -> int:
        """The lane of whoever calls generators outside of all other lanes."""
        if self.caller is None:
            self.caller = self.new_lane("caller", "caller", None, 0.0).id
        return self.caller

    def stop(self, error: BaseException | None) -> None:
        """The recording ends, with an error or without: finish it, and put everything back."""
        recording = self.recording
        recording.duration = time.perf_counter() - self.zero
        if self.watcher is not None:
            self.watcher.stop()
        recording.live = None
        self.read_spool()
        self.name_lanes()
        for log in self.logs:
            log.stop(error)
        self.logs.clear()

    def name_lanes(self) -> None:
        """Number the lanes that share a name which nobody gave: fetch-1, fetch-2."""
        unnamed = [lane for lane in self.recording.lanes if lane.id not in self.named]
        for lane in unnamed:
            lane.name = lane.name.rpartition("<locals>.")[2]
        counts = collections.Counter(lane.name for lane in unnamed)
        seen = collections.Counter()
        for lane in unnamed:
            if counts[lane.name] > 1:
                seen[lane.name] += 1
                lane.name = f"{lane.name}-{seen[lane.name]}"

    def read_spool(self) -> None:
        """Make a lane of each call that other processes wrote down."""
        for entry in self.spool.read():
            lane = self.new_lane(entry["name"], "process", None, entry["start"] - self.zero)
            lane.pid = entry["pid"]
            lane.detail = f"process {lane.pid}"
            if entry["named"]:
                self.named.add(lane.id)
            if "end" in entry:
                lane.ended = entry["end"] - self.zero
                lane.outcome = entry["outcome"]
                lane.detail = entry["error"] or lane.detail
            elif lane.pid in self.recording.killed:
                lane.ended = self.recording.killed[lane.pid]
                lane.outcome, lane.detail = "failed", "killed"
            self.recording.shares[lane.id] = entry.get("cpu")


def attach(loop: asyncio.AbstractEventLoop) -> None:
    """Record the tasks of `loop` from now to the end of the recording under way, if there is one.

    Call it before the loop's first task is made. A loop with an attribute `real_seconds` keeps
    virtual time: its recording then goes by `loop.time()`.
    """
    if jobs.under_way is not None:
        jobs.under_way.attach(loop, everything=True)


def _own_log(loop):
    """The class of the log for a loop that is not asyncio's."""
    # Here, for who records asyncio needs none of the course's loops.
    from helpers.eventloop.instruments import announced
    from helpers.recording.course_loop import CourseLog
    from helpers.recording.learners_loop import LearnersLog

    return LearnersLog if announced(loop) is None else CourseLog
