"""Who ran when, who waited for what, who woke whom: one format for every kind of concurrency.

    with record() as rec:
        run(main())             # or, in a cell:  await main()

`rec` is then a `Recording`: lanes (the loop, tasks, generators, jobs in threads and processes),
the spans of each lane, the wakes and the marks.

How it looks at asyncio, without touching asyncio's insides and on any event loop:

- A task factory puts a thin shell around each coroutine. A generator (`_drive`) sits in that shell
  and sees every `send` and `throw`; it writes three numbers a step: lane, start, end.
- `Task` and `Future` are subclasses that note who cancels and who sets a result. The loop hands
  out such futures while it is recorded, and the caller of `loop.create_future` names what a task
  waits for (`sleep`, `Lock.acquire`, `Queue.get`, ...).
- A watcher thread, alive only while a loop is recorded, names the line of a step that holds the
  loop for more than 50 ms.

Everything is put back when the `with` ends. Tasks that live on go on without any cost.
"""

import asyncio
import collections
import collections.abc
import contextvars
import functools
import json
import math
import os
import secrets
import shutil
import sys
import sysconfig
import tempfile
import threading
import time
import types
import weakref
from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["record", "Recording", "Lane", "Span", "Wake", "Mark", "job", "attach", "observe"]

BLOCKED = 0.05  # seconds: a step that takes longer has blocked the loop
_LOOK = 0.045  # seconds between two looks of the watcher: no blocked step escapes it
_LATE = 0.005  # seconds: a timer that fires later than that was held up
_BOOKKEEPING = 1e-4  # seconds: between two steps, a shorter gap is the loop's own work

_now = time.perf_counter
_active = None  # the recording under way in this process
_elsewhere = None  # in a forked child: the folder where its parent's recording collects jobs
_within = contextvars.ContextVar("helpers.recorder", default=(None, None))  # (recording key, lane)
_here = threading.local()  # .cell: the cell whose step runs in this thread


# What a recording holds


@dataclass(slots=True)
class Lane:
    """One line of the picture. Times are seconds from the start of the recording.

    kind: "loop", "cell", "task", "generator", "caller", "thread" or "process".
    parent: the id of the lane that created it, or None.
    outcome: None (still alive at the end), "done", "failed" or "cancelled".
    detail: the error's repr where it failed; for a job, the thread or process it ran in.
    """

    id: int
    name: str
    kind: str
    parent: int | None
    created: float
    ended: float | None = None
    outcome: str | None = None
    detail: str | None = None


class Span(NamedTuple):
    """What a lane did from `start` to `end`.

    state: "ready", "running", "waiting" (tasks and cells); "selecting", "running", "blocked"
        (loop); "created", "running", "suspended", "closed" (generators); "running", "waiting"
        (callers); "running" (jobs).
    detail: what a task waited for; which line blocked the loop.
    line: the learner's line that awaits or blocks, or None.
    cpu: the share of a core that a job used (1.0 is a whole core); None elsewhere.
    stack: (file, line, function) of each frame of a waiting task, outermost first.
    """

    lane: int
    start: float
    end: float
    state: str
    detail: str | None = None
    line: int | None = None
    cpu: float | None = None
    stack: tuple = ()


class Wake(NamedTuple):
    """At `time`, `lane` became ready. by: the lane that saw to it, or None (timer, socket, ...)."""

    time: float
    by: int | None
    lane: int
    why: str


class Mark(NamedTuple):
    """Something that happened to a lane at one instant.

    kind: "cancel asked", "cancel delivered"; and the talk of a generator with its caller:
    "next", "send", "throw", "close" (to it), "yield", "return", "raise" (from it).
    """

    time: float
    lane: int
    kind: str
    detail: str | None = None


@dataclass(slots=True)
class _Track:
    """The columns of one recorded loop, as they are kept when the recording has ended.

    steps: lane, start, end, lane, start, end, ...
    waits: six numbers for each await that suspended: index of the step that it ended, what it
        waited for (an index into `words`, or -1 - lane of a task), index into `stacks`,
        then, when it was woken: time, by (lane or -1), why (index into `words`).
    """

    lane: int
    zero: float
    steps: array
    waits: array
    words: list
    stacks: list
    seen: dict  # by the watcher: (lane, steps before) → (how often, place, line)
    stop: float


@dataclass(slots=True)
class _Talk:
    """The talk of one generator: two times a turn, what went in and what came out."""

    lane: int
    times: array = field(default_factory=lambda: array("d"))
    kinds: bytearray = field(default_factory=bytearray)
    details: list = field(default_factory=list)


_TALK = ("next", "send", "throw", "close", "yield", "return", "raise")


class Recording:
    """What `record()` saw. Read it when the `with` has ended; it can be pickled.

    lanes: list of Lane.  duration: seconds.  clock: "real" or "virtual".
    """

    def __init__(self):
        self.lanes = []
        self.duration = 0.0
        self.clock = "real"
        self._peak = 0
        self._cancels = []
        self._tracks = []
        self._talks = []
        self._shares = {}  # lane of a job → share of a core
        self._live = None

    def __getstate__(self):
        return {**self.__dict__, "_live": None}

    def __repr__(self):
        if not self.lanes:
            return "<Recording: nothing yet. Only what starts inside the `with` is recorded>"
        kinds = collections.Counter(lane.kind for lane in self.lanes)
        counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"<Recording: {counts}; {self.steps} steps in {self.duration:.3f} s>"

    def lane(self, name):
        """The first lane of that name. Raises KeyError that lists the names there are."""
        for lane in self.lanes:
            if lane.name == name:
                return lane
        names = ", ".join(lane.name for lane in self.lanes[:20])
        raise KeyError(f"no lane is named {name!r}. There are: {names}")

    @property
    def steps(self):
        """How many steps were recorded: each a run from one suspension to the next."""
        return sum(len(t.steps) // 3 for t in self._tracks) + sum(
            len(t.times) // 2 for t in self._talks
        )

    @property
    def nbytes(self):
        """Bytes kept in the columns."""
        size = 0
        for track in self._tracks:
            size += sys.getsizeof(track.steps) + sys.getsizeof(track.waits)
            size += sys.getsizeof(track.words) + sys.getsizeof(track.stacks)
        for talk in self._talks:
            size += sys.getsizeof(talk.times) + sys.getsizeof(talk.kinds)
            size += sys.getsizeof(talk.details) + sum(sys.getsizeof(d) for d in talk.details)
        return size

    def peak(self):
        """The most tasks in flight at once: created and not ended."""
        return self._peak

    def generator(self, gen, name=None):
        """A stand-in for the generator `gen`: use it in its place, and each turn is recorded."""
        if self._live is None:
            raise RuntimeError("the recording has ended: call rec.generator inside the `with`")
        return _Generator(gen, self._live, name)

    # Reading

    def spans(self, lane=None):
        """List of Span by start, of one lane (a Lane, its id or its name) or of all."""
        if isinstance(lane, str):
            lane = self.lane(lane)
        if isinstance(lane, Lane):
            lane = lane.id
        spans = []
        for track in self._tracks:
            self._task_spans(track, spans, lane)
            if lane is None or lane == track.lane:
                self._loop_spans(track, spans)
        for talk in self._talks:
            self._talk_spans(talk, spans, lane)
        for id, share in self._shares.items():
            if lane is None or lane == id:
                job = self.lanes[id]
                end = self.duration if job.ended is None else job.ended
                spans.append(Span(id, job.created, end, "running", job.detail, None, share))
        spans.sort(key=lambda span: span.start)
        return spans

    def _task_spans(self, track, spans, only):
        steps, waits, zero, lanes = track.steps, track.waits, track.zero, self.lanes
        wait_after = {int(waits[i]): i for i in range(0, len(waits), 6)}
        last = {}  # lane → (end of its last step, index of that step)
        for i in range(0, len(steps), 3):
            lane = int(steps[i])
            if only is not None and lane != only:
                continue
            start, end = steps[i + 1] - zero, steps[i + 2] - zero
            before = last.get(lane)
            if before is None:
                created = lanes[lane].created
                if created < start:
                    spans.append(Span(lane, created, start, "ready"))
            else:
                self._gap(track, spans, lane, before, start, wait_after)
            spans.append(Span(lane, start, end, "running"))
            last[lane] = (end, i // 3)
        stop = track.stop - zero
        for lane, before in last.items():
            if lanes[lane].ended is None:
                self._gap(track, spans, lane, before, stop, wait_after)
        for lane in lanes:  # tasks that never got a turn
            if lane.kind == "task" and lane.id not in last and only in (None, lane.id):
                if self._track_of(lane) is track:
                    end = stop if lane.ended is None else lane.ended
                    spans.append(Span(lane.id, lane.created, end, "ready"))

    def _track_of(self, lane):
        while lane.kind not in ("loop", "cell") and lane.parent is not None:
            lane = self.lanes[lane.parent]
        for track in self._tracks:
            if track.lane == lane.id or len(self._tracks) == 1:
                return track
        return self._tracks[-1]

    def _gap(self, track, spans, lane, before, start, wait_after):
        """What lay between a step that ended at before[0] and the next one."""
        end, step = before
        row = wait_after.get(step)
        if row is None:
            spans.append(Span(lane, end, start, "ready"))
            return
        waits = track.waits
        woken = waits[row + 3] - track.zero
        if math.isnan(woken):
            woken = start
        woken = min(max(woken, end), start)
        what, stack = int(waits[row + 1]), track.stacks[int(waits[row + 2])]
        detail = f"task {self.lanes[-1 - what].name}" if what < 0 else track.words[what]
        spans.append(
            Span(lane, end, woken, "waiting", detail, _learner_line(stack), None, stack)
        )
        if woken < start:
            spans.append(Span(lane, woken, start, "ready"))

    def _blocked(self, track):
        """Which steps blocked the loop, and where: index of the step → (detail, line)."""
        steps, found = track.steps, {}
        seen = collections.defaultdict(list)
        for (lane, before), what in sorted(track.seen.items()):
            seen[lane].append((before, what))
        for i in range(0, len(steps), 3):
            took = steps[i + 2] - steps[i + 1]
            if took <= BLOCKED and not seen:
                continue
            lane, often = int(steps[i]), 0
            while lane in seen and seen[lane] and seen[lane][0][0] <= i // 3:
                often, place, line = seen[lane].pop(0)[1]
            # A virtual clock stands still in a step: there the watcher's own count decides.
            if took > BLOCKED or (self.clock == "virtual" and often * _LOOK > BLOCKED):
                # C code that keeps the interpreter to itself lets no watcher look.
                name = self.lanes[lane].name
                found[i // 3] = (place, line) if often else (f"somewhere in {name}", None)
        return found

    def _loop_spans(self, track, spans):
        steps, zero = track.steps, track.zero
        all_blocked = self._blocked(track)
        loop = self.lanes[track.lane]
        at = loop.created  # how far the loop's line is drawn
        begin = None  # start of the running span under way
        for i in range(0, len(steps), 3):
            start, end = steps[i + 1] - zero, steps[i + 2] - zero
            blocked = all_blocked.get(i // 3)
            if begin is not None and (start - at > _BOOKKEEPING or blocked):
                spans.append(Span(track.lane, begin, at, "running"))
                begin = None
            if start > at and begin is None:
                spans.append(Span(track.lane, at, start, "selecting"))
            if blocked:
                spans.append(Span(track.lane, start, end, "blocked", *blocked))
            elif begin is None:
                begin = start
            at = max(at, end)
        if begin is not None:
            spans.append(Span(track.lane, begin, at, "running"))
        ended = track.stop - zero if loop.ended is None else loop.ended
        if ended > at:
            spans.append(Span(track.lane, at, ended, "selecting"))

    def _talk_spans(self, talk, spans, only):
        lane = self.lanes[talk.lane]
        end = self.duration
        if only in (None, lane.id):
            at, state = lane.created, "created"
            for i in range(0, len(talk.times), 2):
                start, stop = talk.times[i], talk.times[i + 1]
                spans.append(Span(lane.id, at, start, state))
                spans.append(Span(lane.id, start, stop, "running"))
                at = stop
                state = "suspended" if _TALK[talk.kinds[i + 1]] == "yield" else "closed"
            if end > at:
                spans.append(Span(lane.id, at, end, state))
        if lane.parent is None or self.lanes[lane.parent].kind != "caller":
            return
        if only in (None, lane.parent) and talk is self._last_talk_of(lane.parent):
            self._caller_spans(lane.parent, spans)

    def _last_talk_of(self, caller):
        return [t for t in self._talks if self.lanes[t.lane].parent == caller][-1]

    def _caller_spans(self, caller, spans):
        """The caller runs whenever none of its generators does."""
        turns = sorted(
            (talk.times[i], talk.times[i + 1])
            for talk in self._talks
            if self.lanes[talk.lane].parent == caller
            for i in range(0, len(talk.times), 2)
        )
        at = self.lanes[caller].created
        for start, end in turns:
            if start > at:
                spans.append(Span(caller, at, start, "running"))
            spans.append(Span(caller, start, end, "waiting", "its generator"))
            at = end
        if self.duration > at:
            spans.append(Span(caller, at, self.duration, "running"))

    @property
    def wakes(self):
        """List of Wake by time: who made which task ready."""
        wakes = []
        for track in self._tracks:
            waits, steps, zero = track.waits, track.steps, track.zero
            for row in range(0, len(waits), 6):
                if not math.isnan(waits[row + 3]):
                    by = int(waits[row + 4])
                    wakes.append(
                        Wake(
                            waits[row + 3] - zero,
                            by if by >= 0 else None,
                            int(steps[3 * int(waits[row])]),
                            track.words[int(waits[row + 5])],
                        )
                    )
        wakes.sort(key=lambda wake: wake.time)
        return wakes

    @property
    def marks(self):
        """List of Mark by time: cancellations, and what generators and their callers said."""
        marks = list(self._cancels)
        for talk in self._talks:
            for i, kind in enumerate(talk.kinds):
                marks.append(Mark(talk.times[i], talk.lane, _TALK[kind], talk.details[i]))
        marks.sort(key=lambda mark: mark.time)
        return marks

    def log(self):
        """The recording as text, one event a line, in order."""
        events = []  # (time, order among equal times, text)
        name = [lane.name for lane in self.lanes]
        for lane in self.lanes:
            if lane.kind in ("task", "thread", "process"):
                by = "" if lane.parent is None else f" by {name[lane.parent]}"
                verb = "is created" if lane.kind == "task" else f"starts in {lane.detail}"
                events.append((lane.created, 0, f"{lane.name} {verb}{by}"))
            if lane.outcome is not None and lane.kind != "loop":
                why = f": {lane.detail}" if lane.outcome == "failed" else ""
                words = "is done" if lane.outcome == "done" else lane.outcome
                if lane.outcome == "cancelled":
                    words = "is cancelled"
                events.append((lane.ended, 4, f"{lane.name} {words}{why}"))
        for span in self.spans():
            who = name[span.lane]
            if span.state == "waiting" and self.lanes[span.lane].kind != "caller":
                line = "" if span.line is None else f" (line {span.line})"
                events.append((span.start, 3, f"{who} waits for {span.detail}{line}"))
            elif span.state == "blocked":
                held = span.end - span.start
                events.append((span.start, 2, f"{who} is blocked for {held:.3f} s: {span.detail}"))
            elif span.state == "running" and self.lanes[span.lane].kind in ("task", "cell"):
                events.append((span.start, 2, f"{who} runs"))
        for wake in self.wakes:
            by = wake.why if wake.by is None else f"{name[wake.by]} ({wake.why})"
            events.append((wake.time, 1, f"{name[wake.lane]} is woken by {by}"))
        for mark in self.marks:
            detail = f" {mark.detail}" if mark.detail else ""
            events.append((mark.time, 2, f"{name[mark.lane]}: {mark.kind}{detail}"))
        events.sort(key=lambda event: event[:2])
        return "\n".join(f"{time:9.4f}  {text}" for time, _, text in events)


# Recording: the `with`


class record:
    """`with record() as rec:` records what starts inside: tasks, `rec.generator`s and `job`s.

    Where a loop runs already (a notebook's cell, or inside a coroutine) its new tasks are
    recorded; `run(main())` inside the `with` is recorded as well. One recording at a time:
    a second one raises RuntimeError, because a task can belong to one picture only.
    """

    def __enter__(self):
        global _active
        if _active is not None:
            raise RuntimeError(
                "a recording is under way already: end its `with` before you start another"
            )
        self._live = _active = _Live()
        self._token = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is not None:
            cell = getattr(_here, "cell", None)
            self._token = _within.set((self._live.key, None))
            log = self._live.attach(loop, everything=False)
            if cell is not None:
                log.cell = cell
                cell.enter(log)
        return self._live.recording

    def __exit__(self, kind, error, traceback):
        global _active
        if self._token is not None:
            try:
                _within.reset(self._token)
            except ValueError:
                pass  # left in another context than it was entered in; nothing to reset there
        _active = None
        self._live.stop(error)


class _Live:
    """What is needed while a recording is under way, and not after it."""

    def __init__(self):
        self.recording = Recording()
        self.recording._live = self
        self.key = object()
        self.lock = threading.Lock()
        self.zero = _now()
        self.logs = []
        self.named = set()  # lanes whose name was given by hand
        self.alive = 0
        self.caller = None
        self.talking = []  # generators' lanes that are running, outermost first
        self.jobs = []  # (lane, cpu share)
        self.spool = os.path.join(
            tempfile.gettempdir(), f"recording-{os.getpid()}-{secrets.token_hex(8)}"
        )
        self.watcher = None

    def new_lane(self, name, kind, parent, created):
        with self.lock:
            lanes = self.recording.lanes
            lane = Lane(len(lanes), name, kind, parent, created)
            lanes.append(lane)
            if kind == "task":
                self.alive += 1
                self.recording._peak = max(self.recording._peak, self.alive)
        return lane

    def attach(self, loop, everything):
        for log in self.logs:
            if log.loop is loop:
                return log
        log = _Log(self, loop, everything)
        self.logs.append(log)
        if self.watcher is None:
            self.watcher = _Watcher(self.logs)
        return log

    def current(self):
        """The lane that runs in this thread, or None."""
        if self.talking:
            return self.talking[-1]
        me = threading.get_ident()
        for log in self.logs:
            if log.thread == me and log.running is not None:
                return log.running
        key, lane = _within.get()
        return lane if key is self.key else None

    def the_caller(self):
        """The lane of whoever calls generators outside of all other lanes."""
        if self.caller is None:
            self.caller = self.new_lane("caller", "caller", None, 0.0).id
        return self.caller

    def stop(self, error):
        recording = self.recording
        recording.duration = _now() - self.zero
        if self.watcher is not None:
            self.watcher.stop()
        self.read_spool()
        self.name_lanes()
        for log in self.logs:
            log.stop(error)
        for lane, share in self.jobs:
            recording._shares[lane] = share
        self.logs.clear()
        recording._live = None

    def name_lanes(self):
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

    def make_spool(self):
        os.makedirs(self.spool, mode=0o700, exist_ok=True)

    def read_spool(self):
        if not os.path.isdir(self.spool):
            return
        entries = {}
        for name in sorted(os.listdir(self.spool)):
            with open(os.path.join(self.spool, name), encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):  # else its process was killed while it wrote
                        entry = json.loads(line)
                        entries.setdefault((name, entry["call"]), {}).update(entry)
        shutil.rmtree(self.spool, ignore_errors=True)
        for entry in sorted(entries.values(), key=lambda entry: entry["start"]):
            lane = self.new_lane(entry["name"], "process", None, entry["start"] - self.zero)
            lane.detail = entry["where"]
            if "end" in entry:
                lane.ended = entry["end"] - self.zero
                lane.outcome = entry["outcome"]
                lane.detail = entry["error"] or entry["where"]
            self.jobs.append((lane.id, entry.get("cpu")))


def attach(loop):
    """Record the tasks of `loop` from now to the end of the recording under way, if there is one.

    Call it before the loop's first task is made. A loop with an attribute `real_seconds` keeps
    virtual time: its recording then goes by `loop.time()`.
    """
    if _active is not None:
        _active.attach(loop, everything=True)


# Tasks


class Future(asyncio.Future):
    """A future that notes when and by whom it was settled. Named so that its repr stays right."""

    __slots__ = ("_log", "_made", "_when", "_by", "_why")

    def set_result(self, result):
        _set_result(self, result)
        self._log.settled(self)

    def set_exception(self, exception):
        _set_exception(self, exception)
        self._log.settled(self)

    def cancel(self, msg=None):
        if self.done():
            return False
        self._log.settled(self)
        return super().cancel(msg)


_set_result = asyncio.Future.set_result
_set_exception = asyncio.Future.set_exception


class Task(asyncio.Task):
    """A task that notes who asks it to cancel. Named so that its repr stays right."""

    __slots__ = ("_log", "_lane")

    def cancel(self, msg=None):
        if not self.done() and self._log.open:
            self._log.cancel_asked(self._lane)
        return super().cancel(msg)

    def set_name(self, value):
        if value is not None:  # Python 3.13.0 passes None on to what a task factory made
            super().set_name(value)
            self._log.rename(self._lane, str(value))


class _Shell:
    """Stands for a coroutine in its task. Everything but the three verbs is the coroutine's own.

    `send`, `throw` and `close` are attributes, not methods: a task calls straight into the
    generator that records, without a Python frame between; and when the recording ends they are
    set to the coroutine's own, so that a task that lives on pays nothing.
    """

    __slots__ = ("send", "throw", "close", "_coro", "__weakref__")

    def __getattr__(self, name):
        return getattr(self._coro, name)

    def __await__(self):
        return self._coro.__await__()


collections.abc.Coroutine.register(_Shell)


def _drive(log, lane, coro):
    """Run `coro` for its task and write down each step. The heart: keep it short and quick.

    What is thrown into the task does not come here but to `_throw`.
    """
    send, now, add, waits = coro.send, log.now, log.steps.append, log.waiting
    number = float(lane)  # the columns are of floats
    _within.set((log.live.key, lane))
    try:
        while True:
            log.running = lane
            start = now()
            waited = send(None)
            add(number)
            add(start)
            add(now())
            log.running = None
            if waited is None:
                yield
            else:
                waits[lane] = log.waits_for(waited, coro), waited
                yield waited
                log.woken(lane)
    except StopIteration as stop:
        log.ended(lane, start, "done")
        return stop.value
    except GeneratorExit as error:
        if log.running != lane:  # nobody holds the task any more; its coroutine goes as well
            return
        log.ended(lane, start, "failed", error)
        raise
    except BaseException as error:
        log.ended(lane, start, "failed", error)
        # Take our own frame out of the traceback: a bare raise does not put it back.
        error.__traceback__ = error.__traceback__.tb_next
        raise


def _throw(log, lane, coro, error):
    """Throw `error` into `coro`, which is suspended, and write down the step that follows."""
    log.woken(lane)
    if lane in log.cancelled and isinstance(error, asyncio.CancelledError):
        log.cancelled.discard(lane)
        log.mark(lane, "cancel delivered")
    log.running = lane
    start = log.now()
    try:
        waited = coro.throw(error)
    except StopIteration:
        log.ended(lane, start, "done")
        raise
    except BaseException as failure:
        log.ended(lane, start, "failed", failure)
        failure.__traceback__ = failure.__traceback__.tb_next
        raise
    log.steps.extend((lane, start, log.now()))
    log.running = None
    if waited is not None:
        log.waiting[lane] = log.waits_for(waited, coro), waited
    return waited


class _Log:
    """What one loop does while it is recorded, and the hooks on it."""

    __slots__ = (
        "live", "loop", "everything", "virtual", "now", "ahead", "zero", "lane", "cell", "thread",
        "running", "open", "steps", "waits", "waiting", "words", "stacks", "samples", "shells",
        "cancelled", "theirs", "before",
    )

    def __init__(self, live, loop, everything):
        self.live = live
        self.loop = loop
        self.everything = everything
        self.virtual = hasattr(loop, "real_seconds")
        self.now = loop.time if self.virtual else _now
        self.ahead = loop.time() - self.now()  # of the loop's clock
        self.zero = self.now() if self.virtual else live.zero
        self.lane = None  # made when there is something to show
        self.cell = None
        self.thread = threading.get_ident()
        self.running = None
        self.open = True
        self.steps = array("d")
        self.waits = array("d")
        self.waiting = {}  # lane → (its row in waits, what it waits for)
        self.words = {}  # code or text → its index
        self.stacks = {}
        self.samples = collections.defaultdict(collections.Counter)
        self.shells = {}  # lane → weak reference to the shell of a task that has not ended
        self.cancelled = set()  # lanes that were asked to cancel and not told yet
        if everything:
            self.begin()
        self.theirs = loop.get_task_factory()
        loop.set_task_factory(self.make_task)
        # As attributes of this one loop, and without a look at its __dict__: from then on Python
        # would take a slower way to each of the loop's attributes, for good.
        self.before = {}
        for name in ("create_future", "set_task_factory", "get_task_factory"):
            method = getattr(loop, name)
            if getattr(method, "__self__", None) is not loop:  # somebody was here before us
                self.before[name] = method
            setattr(loop, name, getattr(self, name))

    def begin(self):
        """Make the lane of the loop, and of the cell if one is observed."""
        if self.lane is None:
            created = 0.0 if self.virtual else self.now() - self.zero
            if not self.everything:
                created = 0.0
            self.lane = self.live.new_lane("loop", "loop", None, created).id
            if self.cell is not None:
                self.cell.lane = self.live.new_lane("cell", "cell", None, 0.0).id
                self.running = self.cell.lane

    # hooks of the loop

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self.theirs = factory

    def get_task_factory(self):
        return self.theirs

    def create_future(self):
        future = Future(loop=self.loop)
        future._log = self
        future._made = sys._getframe(1).f_code
        future._when = None
        return future

    def make_task(self, loop, coro, **kwargs):
        make, extra = self.theirs, {}
        if make is getattr(asyncio, "eager_task_factory", None):
            make, extra = None, ({} if make is None else {"eager_start": True})
        if self.running is not None:
            parent, ours = self.running, True
        else:
            parent = self.live.current()
            ours = self.everything or _within.get()[0] is self.live.key
            ours = ours and getattr(coro, "__name__", None) not in _CLOSING
        if not ours or not asyncio.iscoroutine(coro):
            if make is None:
                return asyncio.Task(coro, loop=loop, **kwargs, **extra)
            return make(loop, coro, **kwargs)
        if self.lane is None:
            self.begin()
            parent = self.running
        self.thread = threading.get_ident()
        name = getattr(coro, "__qualname__", type(coro).__name__)
        lane = self.live.new_lane(name, "task", parent, self.now() - self.zero).id
        shell = _Shell()
        shell._coro = coro
        shell.send = _drive(self, lane, coro).send
        shell.throw = functools.partial(_throw, self, lane, coro)
        shell.close = coro.close
        self.shells[lane] = weakref.ref(shell)
        before = self.running
        if make is not None:
            task = make(loop, shell, **kwargs)
        else:
            task = Task.__new__(Task)
            task._log, task._lane = self, lane
            task.__init__(shell, loop=loop, **kwargs, **extra)
        self.running = before  # an eager task has run its first step by now
        if kwargs.get("name") is not None:
            self.rename(lane, str(kwargs["name"]))
        return task

    def rename(self, lane, name):
        if self.open:
            self.live.recording.lanes[lane].name = name
            self.live.named.add(lane)

    # what the hooks tell

    def word(self, key):
        return self.words.setdefault(key, len(self.words))

    def waits_for(self, waited, coro):
        """Write down what a step that has just ended waits for; return the row."""
        kind = type(waited)
        if kind is Future:
            what = self.word(waited._made)
        elif kind is Task and waited._log is self:
            what = -1 - waited._lane
        else:
            what = self.word(_foreign(waited))
        stack = []
        while True:
            kind = type(coro)
            if kind is types.CoroutineType:
                frame, coro = coro.cr_frame, coro.cr_await
            elif kind is types.GeneratorType:
                frame, coro = coro.gi_frame, coro.gi_yieldfrom
            else:
                break
            if frame is not None:
                stack.append(frame.f_code)
                stack.append(frame.f_lasti)
        stack = tuple(stack)
        row = len(self.waits)
        add = self.waits.append
        add(len(self.steps) // 3 - 1)
        add(what)
        add(self.stacks.setdefault(stack, len(self.stacks)))
        add(math.nan)
        add(-1.0)
        add(0.0)
        return row

    def settled(self, future):
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

    def due(self, future, frame):
        """A timer set a result. Was it late, because the loop was held up, note when it was due."""
        if frame.f_code is _HANDLE:
            due = getattr(frame.f_locals["self"], "_when", math.inf) - self.ahead
            if future._when - due > _LATE:
                future._when = due

    def ended_behind(self, frame):
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

    def woken(self, lane):
        """A task goes on: note when and by whom it was made ready."""
        row, waited = self.waiting.pop(lane, (None, None))
        kind = type(waited)
        if kind is Future:
            if waited._log is not self or waited._when is None:
                return
            when, by, why = waited._when, waited._by, self.word(waited._why)
        elif kind is Task:
            if waited._log is not self:
                return
            when, by, why = self.end_of(waited), waited._lane, self.word("its end")
        elif children := getattr(waited, "_children", None):  # gather's own future
            ended = [c for c in children if type(c) is Task and c._log is self and c.done()]
            if not ended:
                return
            last = max(ended, key=self.end_of)
            when, by, why = self.end_of(last), last._lane, self.word("its end")
        else:
            return
        self.waits[row + 3] = when
        self.waits[row + 4] = -1 if by is None else by
        self.waits[row + 5] = why

    def end_of(self, task):
        ended = self.live.recording.lanes[task._lane].ended
        return math.nan if ended is None else ended + self.zero

    def cancel_asked(self, lane):
        caller = sys._getframe(2)
        by = self.running if self.running is not None else self.ended_behind(caller)
        self.cancelled.add(lane)
        self.mark(lane, "cancel asked", by, caller.f_code)

    def mark(self, lane, kind, by=None, code=None):
        if self.open:
            self.live.recording._cancels.append((self.now() - self.zero, lane, kind, by, code))

    def ended(self, lane, start, outcome, error=None):
        self.running = None
        if not self.open:
            return
        end = self.now()
        self.steps.extend((lane, start, end))
        self.shells.pop(lane, None)
        with self.live.lock:
            self.live.alive -= 1
        lane = self.live.recording.lanes[lane]
        if isinstance(error, GeneratorExit):
            return
        lane.ended = end - self.zero
        lane.outcome = "cancelled" if isinstance(error, asyncio.CancelledError) else outcome
        if lane.outcome == "failed":
            lane.detail = _short(error, 200)

    # the end

    def stop(self, error):
        self.open = False
        loop, recording = self.loop, self.live.recording
        for name in ("create_future", "set_task_factory", "get_task_factory"):
            if name in self.before:
                setattr(loop, name, self.before[name])
            else:
                delattr(loop, name)
        loop.set_task_factory(self.theirs)
        for shell in self.shells.values():
            if (shell := shell()) is not None:
                coro = shell._coro
                shell.send, shell.throw, shell.close = coro.send, coro.throw, coro.close
        stop = self.now()
        if self.cell is not None:
            self.cell.leave(error)
        if self.lane is None:
            return
        if self.virtual:
            recording.clock = "virtual"
            recording.duration = stop - self.zero
        lane = recording.lanes[self.lane]
        if loop.is_closed():
            lane.ended = (self.steps[-1] if self.steps else stop) - self.zero
            lane.outcome = "done"
        words = [_words(key) for key in self.words] or [""]
        for i, mark in enumerate(recording._cancels):
            if type(mark) is tuple:
                recording._cancels[i] = _cancel_mark(mark, recording.lanes)
        recording._tracks.append(
            _Track(
                self.lane, self.zero, self.steps[:], self.waits[:], words,
                [_stack(key) for key in self.stacks], self.seen(), stop,
            )
        )
        self.steps, self.waits, self.stacks = array("d"), array("d"), {}

    def seen(self):
        """What the watcher saw, by step: how often, and the place it saw most."""
        seen = {}
        for step, places in self.samples.items():
            (code, line), _ = places.most_common(1)[0]
            place = _place(code.co_filename, line, code.co_name)
            seen[step] = (places.total(), place, line)
        return seen


def _cancel_mark(mark, lanes):
    time, lane, kind, by, code = mark
    detail = None
    if by is not None:
        detail = f"by {lanes[by].name}"
    elif code is not None:
        detail = f"by {_CANCELLERS.get(code.co_qualname, 'somebody outside')}"
    return Mark(time, lane, kind, detail)


_CLOSING = ("shutdown_asyncgens", "shutdown_default_executor")  # the runner's own, at its end
_CANCELLERS = {
    "Timeout._on_timeout": "a timeout",
    "_cancel_all_tasks": "the end of run",
    "Runner._on_sigint": "the keyboard",
}


# The cell of a notebook


@types.coroutine
def observe(coro):
    """Await `coro` (a notebook cell's own coroutine) so that record() inside it gets its lane.

    `await observe(coro)` gives the result of `coro`. It costs nothing worth mentioning while
    nothing is recorded.
    """
    cell = _Cell()
    error = None
    while True:
        outer, _here.cell = getattr(_here, "cell", None), cell
        cell.resumed()
        try:
            if error is None:
                cell.waited = coro.send(None)
            else:
                thrown, error = error, None
                thrown.__traceback__ = thrown.__traceback__.tb_next
                try:
                    cell.waited = coro.throw(thrown)
                finally:
                    del thrown
        except StopIteration as stop:
            return stop.value
        except BaseException as failure:
            failure.__traceback__ = failure.__traceback__.tb_next
            raise
        finally:
            _here.cell = outer
        cell.suspended(coro)
        try:
            yield cell.waited
        except BaseException as thrown:
            error = thrown


class _Cell:
    """The cell whose coroutine `observe` drives; record() finds it and gives it a log."""

    def __init__(self):
        self.log = None
        self.lane = None
        self.start = 0.0
        self.waited = None

    def enter(self, log):
        self.log = log
        self.start = log.now()

    def resumed(self):
        if self.log is not None:
            self.log.woken(self.lane)
            self.log.running = self.lane
            self.start = self.log.now()

    def suspended(self, coro):
        log = self.log
        if log is not None:
            log.begin()
            log.steps.extend((self.lane, self.start, log.now()))
            log.running = None
            if self.waited is not None:
                log.waiting[self.lane] = log.waits_for(self.waited, coro), self.waited

    def leave(self, error):
        """The recording ends in the middle of a step of this cell."""
        log, self.log = self.log, None
        if self.lane is not None:
            end = log.now()
            log.steps.extend((self.lane, self.start, end))
            lane = log.live.recording.lanes[self.lane]
            lane.ended = end - log.zero
            lane.outcome = "done"
            if isinstance(error, asyncio.CancelledError):
                lane.outcome = "cancelled"
            elif error is not None:
                lane.outcome, lane.detail = "failed", _short(error, 200)
        log.running = None


# The watcher


class _Watcher:
    """Looks at the recorded loops now and then, and writes down at which line a step is."""

    def __init__(self, logs):
        self.logs = logs
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, name="recorder-watcher", daemon=True)
        self.thread.start()

    def stop(self):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(_LOOK):
            for log in self.logs:
                lane, before = log.running, len(log.steps) // 3
                if lane is not None:
                    frame = _learner_frame(sys._current_frames().get(log.thread))
                    if frame is not None:
                        log.samples[lane, before][frame.f_code, frame.f_lineno] += 1


# Generators


class _Generator:
    """A generator's stand-in: it does what the generator does, and each turn is written down."""

    def __init__(self, gen, live, name):
        self._gen = gen
        self._live = live
        parent = live.current()
        if parent is None:
            parent = live.the_caller()
        text = name or getattr(gen, "__name__", type(gen).__name__)
        lane = live.new_lane(text, "generator", parent, _now() - live.zero)
        if name:
            live.named.add(lane.id)
        self._talk = _Talk(lane.id)
        live.recording._talks.append(self._talk)
        self._called = False

    def __getattr__(self, name):
        return getattr(self._gen, name)

    def __repr__(self):
        return repr(self._gen)

    def __iter__(self):
        return self

    def __next__(self):
        return self._turn(0, None, self._gen.__next__)

    def send(self, value):
        return self._turn(1, _short(value), self._gen.send, value)

    def throw(self, *error):
        return self._turn(2, _short(error[0]), self._gen.throw, *error)

    def close(self):
        return self._turn(3, None, self._gen.close)

    def _turn(self, kind, detail, act, *arguments):
        live, talk = self._live, self._talk
        if live.recording._live is None:  # the recording has ended
            return act(*arguments)
        lane = live.recording.lanes[talk.lane]
        if not self._called:
            self._called = True
            caller = live.current()
            lane.parent = live.the_caller() if caller is None else caller
        live.talking.append(talk.lane)
        start = _now()
        try:
            value = act(*arguments)
        except StopIteration as stop:
            self._note(start, kind, detail, 5, _short(stop.value))
            lane.outcome = "done"
            raise
        except BaseException as error:
            self._note(start, kind, detail, 6, _short(error))
            lane.outcome, lane.detail = "failed", _short(error, 200)
            raise
        else:
            if kind == 3:  # close() gives nothing back: the generator has ended
                self._note(start, kind, detail, 5, _short(value))
                lane.outcome = lane.outcome or "done"
            else:
                self._note(start, kind, detail, 4, _short(value))
            return value
        finally:
            live.talking.pop()

    def _note(self, start, kind_in, detail_in, kind_out, detail_out):
        live, talk = self._live, self._talk
        end = _now() - live.zero
        talk.times.append(start - live.zero)
        talk.times.append(end)
        talk.kinds += bytes((kind_in, kind_out))
        talk.details.append(detail_in)
        talk.details.append(detail_out)
        if kind_out != 4 and live.recording.lanes[talk.lane].ended is None:
            live.recording.lanes[talk.lane].ended = end


collections.abc.Generator.register(_Generator)


# Jobs: calls in threads and processes


def job(function):
    """Make each call of `function` a lane of the recording under way, wherever it runs.

    The result is a callable that can be pickled as `function` can: give it to threads, pools,
    `asyncio.to_thread` and processes. Without a recording it is a plain call. Its lane says how
    much of a core it used. Raises TypeError for a coroutine function.
    """
    if asyncio.iscoroutinefunction(function):
        raise TypeError("job() takes an ordinary function; tasks are recorded as they are")
    return _Job(function)


class _Job:
    def __init__(self, function, spool=None):
        functools.update_wrapper(self, function)
        self._spool = spool  # where to write when this came here from another process

    def __repr__(self):
        return f"job({self.__wrapped__!r})"

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        spool = None
        if _active is not None:
            spool = _active.spool
            _active.make_spool()
        module = sys.modules.get(self.__wrapped__.__module__)
        if getattr(module, self.__wrapped__.__qualname__, None) is self:  # used as a decorator
            return _unpickle_by_name, (module.__name__, self.__wrapped__.__qualname__, spool)
        return _Job, (self.__wrapped__, spool or "")

    def __call__(self, *args, **kwargs):
        live = _active
        if live is not None:
            return _call_here(live, self.__wrapped__, args, kwargs)
        spool = _elsewhere if self._spool is None else self._spool
        if spool and os.path.isdir(spool):
            return _call_there(spool, self.__wrapped__, args, kwargs)
        return self.__wrapped__(*args, **kwargs)


def _unpickle_by_name(module, name, spool):
    __import__(module)
    return _Job(getattr(sys.modules[module], name).__wrapped__, spool or "")


def _timed(function, args, kwargs):
    """Call; return (end, outcome, error text, cpu share, result, error)."""
    start, cpu = _now(), time.thread_time()
    result = error = None
    try:
        result = function(*args, **kwargs)
    except BaseException as raised:
        raised.__traceback__ = raised.__traceback__.tb_next
        error = raised
    end = _now()
    share = (time.thread_time() - cpu) / (end - start) if end > start else 0.0
    return start, end, min(share, 1.0), result, error


def _call_here(live, function, args, kwargs):
    """Call a job in the process that records."""
    clock = next((log.now for log in live.logs if log.virtual), None)
    zero = next((log.zero for log in live.logs if log.virtual), live.zero)
    created = (clock or _now)() - zero
    lane = live.new_lane(function.__name__, "thread", live.current(), created)
    lane.detail = threading.current_thread().name
    at = len(live.jobs)
    live.jobs.append((lane.id, None))
    start, end, share, result, error = _timed(function, args, kwargs)
    lane.ended = (clock() if clock else end) - zero
    lane.outcome = "done" if error is None else "failed"
    if error is not None:
        lane.detail = _short(error, 200)
    live.jobs[at] = (lane.id, share)
    if error is not None:
        try:
            raise error
        finally:
            del error
    return result


_calls = 0


def _call_there(spool, function, args, kwargs):
    """Call a job in another process; its parent finds what we write into its folder."""
    global _calls
    _calls += 1
    call = _calls
    path = os.path.join(spool, f"{os.getpid()}-{threading.get_ident()}.jsonl")
    where = f"process {os.getpid()}"
    _write(path, call=call, name=function.__name__, where=where, start=_now())
    start, end, share, result, error = _timed(function, args, kwargs)
    outcome = "done" if error is None else "failed"
    text = None if error is None else _short(error, 200)
    _write(path, call=call, start=start, end=end, cpu=share, outcome=outcome, error=text)
    if error is not None:
        try:
            raise error
        finally:
            del error
    return result


def _write(path, **entry):
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except FileNotFoundError:
        pass  # the recording ended meanwhile and took its folder away


def _before_fork():
    if _active is not None:
        _active.make_spool()


def _in_forked_child():
    global _active, _elsewhere
    if _active is not None:
        _elsewhere, _active = _active.spool, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_forked_child)


# Words and places

_ASYNCIO = os.path.dirname(asyncio.__file__)
_TIMER = asyncio.futures._set_result_unless_cancelled.__code__
_HANDLE = asyncio.Handle._run.__code__
_LIBRARY = tuple(
    {
        os.path.normpath(path) + os.sep
        for path in (
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            os.path.dirname(os.__file__),
            os.path.dirname(os.path.abspath(__file__)),
        )
    }
)
_WORDS = {
    # what a task waits for, by the function that made the future
    "wrap_future": "executor",
    "StreamReader._wait_for_data": "socket",
    "FlowControlMixin._drain_helper": "socket",
    "BaseSelectorEventLoop._create_connection_transport": "connection",
    "BaseSubprocessTransport._wait": "process",
    "TaskGroup.__aexit__": "TaskGroup",
    "_wait": "wait",
    # who set its result
    "_set_result_unless_cancelled": "timer",
    "_release_waiter": "timer",
    "StreamReader._wakeup_waiter": "socket",
    "Lock._wake_up_first": "Lock.release",
    "Semaphore._wake_up_next": "Semaphore.release",
    "Condition._notify": "Condition.notify",
    "Queue._wakeup_next": "Queue",
    "TaskGroup._on_task_done": "its end",
    "_wait.<locals>._on_completion": "its end",
    "shield.<locals>._inner_done_callback": "its end",
    "_copy_future_state": "executor",
    "Task.cancel": "cancel",
}


def _words(key):
    """Plain words for what is kept as a code object: an await's reason or a wake's cause."""
    if isinstance(key, str):
        return key
    name = key.co_qualname
    if key is _drive.__code__:  # compiled code of another loop, without a frame of its own
        return "future"
    if name in _WORDS:
        return _WORDS[name]
    if not key.co_filename.startswith(_LIBRARY):
        return "future"
    if name.startswith("BaseSelectorEventLoop.") or name.startswith("_Selector"):
        return "socket"
    return name.replace(".<locals>", "")


def _foreign(waited):
    if asyncio.isfuture(waited):
        if isinstance(waited, asyncio.Task):
            return f"task {waited.get_name()}"
        return "gather" if hasattr(waited, "_children") else "future"
    return type(waited).__name__


def _is_library(filename):
    return filename.startswith(_LIBRARY) or filename.startswith("<frozen")


def _stack(key):
    """(code, offset, code, offset, ...) → ((file, line, function), ...)."""
    return tuple(
        (code.co_filename, _line(code, offset), code.co_name)
        for code, offset in zip(key[::2], key[1::2])
    )


def _line(code, offset):
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


def _learner_line(stack):
    for file, line, _ in reversed(stack):
        if not _is_library(file):
            return line
    return None


def _learner_frame(frame):
    """The innermost frame outside the standard library, installed packages and this one."""
    while frame is not None and _is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _place(file, line, function):
    """Name a line in words: "demo.py:12 fetch", or "cell 3 line 12 fetch" in a notebook."""
    function = "" if function.startswith("<") else f" {function}"
    cells = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(cells, "compile", None), "_filename_map", {})
    if file in numbers:
        return f"cell {numbers[file]} line {line}{function}"
    if "ipykernel_" in file or file.startswith("<ipython-input"):
        return f"cell line {line}{function}"
    return f"{os.path.basename(file)}:{line}{function}"


def _short(value, limit=40):
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
