"""What the recorder saw, and how to read it: lanes, spans, wakes, marks.

Kept in columns of numbers, some 25 bytes a step and 50 more for one that waits; the spans are
worked out when they are asked for.
"""

import bisect
import collections
import math
import re
import sys
from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

BLOCKED = 0.05  # seconds: a step that takes longer has blocked the loop
LOOK = 0.045  # seconds between two looks of the watcher: no blocked step escapes it
PLACES = 2**24  # in a column of lanes: lane * PLACES + `f_lasti`
_BOOKKEEPING = 1e-4  # seconds: between two steps, a shorter gap is the loop's own work


@dataclass(slots=True)
class Lane:
    """One line of the picture. Times are seconds from the start of the recording.

    kind: "loop", "cell", "task", "generator", "caller", "thread" or "process".
    parent: the id of the lane that created it, or None.
    outcome: None (still alive at the end), "done", "failed" or "cancelled".
    detail: the error's repr where it failed ("killed" where its process was); for a job, the
        thread or process it ran in.
    pid: for a job in another process, that process.
    """

    id: int
    name: str
    kind: str
    parent: int | None
    created: float
    ended: float | None = None
    outcome: str | None = None
    detail: str | None = None
    pid: int | None = None


class Span(NamedTuple):
    """What a lane did from `start` to `end`.

    state: "ready", "running", "waiting" (tasks and cells); "selecting", "running", "blocked"
        (loop); "created", "running", "suspended", "closed" (generators); "running", "waiting"
        (callers); "running" (jobs).
    detail: what a task waited for; which line blocked the loop; where a job ran.
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


class Code(NamedTuple):
    """What is needed of a code object, which can't be pickled, to name the line of an instruction.

    lines: (index of the first instruction, line) by index.
    """

    file: str
    function: str
    first: int
    lines: list

    @classmethod
    def of(cls, code):
        lines = [(start, line) for start, _, line in code.co_lines()]
        return cls(code.co_filename, code.co_name, code.co_firstlineno, lines)

    def line(self, instruction):
        """The line of an instruction, or None."""
        return self.lines[bisect.bisect_right(self.lines, (instruction, math.inf)) - 1][1]


@dataclass(slots=True)
class Track:
    """The columns of one recorded loop. Times in them are the loop's; `zero` is its start.

    steps: lane, start, end, lane, start, end, ... The lane's number is multiplied by PLACES; what
        is added is the index of the instruction in the task's own function at which it stopped.
    waits: six numbers for each await that suspended: index of the step that it ended; what it
        waited for (an index into `words`, or -1 - lane of a task); index into `stacks`; then
        who woke it: when (nan: unknown), by which lane (-1: none), why (an index into `words`).
    stacks: (stack as in Span, the learner's line in it).
    seen: by the watcher: (lane, number of steps before) → (how often, place, line).
    codes: the functions of tasks. functions: lane, index into `codes`, lane, index, ...
    deadlines: index of a step that ended in a sleep which did not last to its end → until when.
    selects: does the loop wait in a selector? One that somebody wrote may have none.
    """

    lane: int
    zero: float
    stop: float
    steps: array
    waits: array
    words: list
    stacks: list
    seen: dict
    codes: list = field(default_factory=list)
    functions: array = field(default_factory=lambda: array("q"))
    deadlines: dict = field(default_factory=dict)
    selects: bool = True


@dataclass(slots=True)
class Talk:
    """The talk of one generator, by turns.

    times: two a turn. kinds, details: what went in, what came out. states: of the frame after it.
    """

    lane: int
    times: array = field(default_factory=lambda: array("d"))
    kinds: bytearray = field(default_factory=bytearray)
    details: list = field(default_factory=list)
    states: bytearray = field(default_factory=bytearray)


STATES = ("created", "running", "suspended", "closed")
TALK = ("next", "send", "throw", "close", "yield", "return", "raise")


class Recording:
    """What `record()` saw. Read it when the `with` has ended; it can be pickled.

    lanes: list of Lane.  duration: seconds.  clock: "real" or "virtual".
    """

    def __init__(self):
        self.lanes = []
        self.duration = 0.0
        self.clock = "real"
        self.most = 0  # tasks in flight
        self.cancels = []  # (Mark, its order among the steps)
        self.tracks = []
        self.talks = []
        self.shares = {}  # lane of a job → share of a core, or None
        self.killed = {}  # process id → when it was killed, where that was told
        self.live = None  # what collects, while it does

    def __getstate__(self):
        return {**self.__dict__, "live": None}

    def __repr__(self):
        if not self.lanes:
            return "<Recording of nothing: only what starts inside the `with` is recorded>"
        kinds = collections.Counter(lane.kind for lane in self.lanes)
        counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"<Recording: {counts}; {self.steps} steps in {self.duration:.3f} s>"

    def lane(self, name):
        """The first lane of that name. Raises KeyError that lists the names there are."""
        for lane in self.lanes:
            if lane.name == name:
                return lane
        names = ", ".join(lane.name for lane in self.lanes[:20]) or "none"
        raise KeyError(f"no lane is named {name!r}. There are: {names}")

    @property
    def steps(self):
        """How many steps were recorded: each a run from one suspension to the next."""
        return sum(len(track.steps) // 3 for track in self.tracks) + sum(
            len(talk.times) // 2 for talk in self.talks
        )

    @property
    def nbytes(self):
        """Bytes kept in the columns."""
        size = 0
        for track in self.tracks:
            size += sum(
                map(
                    sys.getsizeof,
                    (
                        track.steps,
                        track.waits,
                        track.words,
                        track.stacks,
                        track.functions,
                        track.deadlines,
                    ),
                )
            )
        for talk in self.talks:
            size += sum(map(sys.getsizeof, (talk.times, talk.kinds, talk.details, *talk.details)))
        return size

    def peak(self):
        """The most tasks in flight at once: created and not ended."""
        return self.most

    def generator(self, gen, name=None):
        """A stand-in for the generator `gen`: use it in its place, and each turn is recorded.

        It does all that the generator does, and `yield from` takes it too. `gen` may be a
        coroutine, and then `await` takes it. Raises RuntimeError after the `with`.
        """
        if self.live is None:
            raise RuntimeError("the recording has ended: call rec.generator inside the `with`")
        return self.live.stand_in(gen, name)

    def loop(self, loop):
        """Record a loop of your own, and return it: each coroutine that it is given from now on.

        loop: anything with `spawn(coro)` that drives its coroutines by `send` and `throw`. Where
        it keeps those that are ready in `ready` (a deque or a list), it is seen who wakes whom.
        Raises RuntimeError after the `with`, TypeError for what can't spawn.
        """
        if self.live is None:
            raise RuntimeError("the recording has ended: call rec.loop inside the `with`")
        if not callable(getattr(loop, "spawn", None)):
            raise TypeError(f"rec.loop takes a loop that has spawn(coro), and got {loop!r}")
        self.live.attach(loop, everything=True, own=True)
        return loop

    # Reading

    def spans(self, lane=None):
        """List of Span by start, of one lane (a Lane, its id or its name) or of all."""
        if isinstance(lane, str):
            lane = self.lane(lane)
        if isinstance(lane, Lane):
            lane = lane.id
        spans = []
        for track in self.tracks:
            self._task_spans(track, spans, lane)
            if lane is None or lane == track.lane:
                self._loop_spans(track, spans)
        for talk in self.talks:
            self._talk_spans(talk, spans, lane)
        for caller in [one.id for one in self.lanes if one.kind == "caller"]:
            if lane is None or lane == caller:
                self._caller_spans(caller, spans)
        for id, share in self.shares.items():
            if lane is None or lane == id:
                job = self.lanes[id]
                end = self.duration if job.ended is None else job.ended
                spans.append(Span(id, job.created, end, "running", job.detail, None, share))
        spans.sort(key=lambda span: span.start)
        return spans

    def _task_spans(self, track, spans, only):
        steps, zero, lanes = track.steps, track.zero, self.lanes
        wait_after = {int(track.waits[i]): i for i in range(0, len(track.waits), 6)}
        last = {}  # lane → (end of its last step, index of that step)
        for i in range(0, len(steps), 3):
            lane = int(steps[i] // PLACES)
            if only is not None and lane != only:
                continue
            start, end = steps[i + 1] - zero, steps[i + 2] - zero
            before = last.get(lane)
            if before is not None:
                self._gap(track, spans, lane, before, start, wait_after)
            elif lanes[lane].created < start:
                spans.append(Span(lane, lanes[lane].created, start, "ready"))
            spans.append(Span(lane, start, end, "running"))
            last[lane] = (end, i // 3)
        stop = track.stop - zero
        for lane, before in last.items():
            if lanes[lane].ended is None:
                self._gap(track, spans, lane, before, stop, wait_after)
        for lane in lanes:
            never_ran = lane.kind == "task" and lane.id not in last and only in (None, lane.id)
            if never_ran and self.loop_of(lane) == track.lane:
                end = stop if lane.ended is None else lane.ended
                spans.append(Span(lane.id, lane.created, end, "ready"))

    def loop_of(self, lane):
        """The id of the loop's lane that stands before this lane: loops come before tasks."""
        return max((track.lane for track in self.tracks if track.lane < lane.id), default=None)

    def _gap(self, track, spans, lane, before, start, wait_after):
        """What lay between a step that ended at before[0] and the next one, at `start`."""
        end, step = before
        row = wait_after.get(step)
        if row is None:
            if start > end:
                spans.append(Span(lane, end, start, "ready"))
            return
        waits = track.waits
        woken = waits[row + 3] - track.zero
        woken = start if math.isnan(woken) else min(max(woken, end), start)
        what, (stack, line) = int(waits[row + 1]), track.stacks[int(waits[row + 2])]
        detail = f"task {self.lanes[-1 - what].name}" if what < 0 else track.words[what]
        spans.append(Span(lane, end, woken, "waiting", detail, line, None, stack))
        if woken < start:
            spans.append(Span(lane, woken, start, "ready"))

    def _blocked(self, track):
        """Which steps blocked the loop, and where: index of the step → (detail, line)."""
        steps, found = track.steps, {}
        seen = collections.defaultdict(collections.deque)
        for (lane, before), what in sorted(track.seen.items()):
            seen[lane].append((before, what))
        for i in range(0, len(steps), 3):
            took = steps[i + 2] - steps[i + 1]
            if took <= BLOCKED and not seen:
                continue
            lane, often = int(steps[i] // PLACES), 0
            while seen[lane] and seen[lane][0][0] <= i // 3:
                often, place, line = seen[lane].popleft()[1]
            # A virtual clock stands still during a step: there the watcher's own count decides.
            if took > BLOCKED or (self.clock == "virtual" and often * LOOK > BLOCKED):
                # C code that keeps the interpreter to itself lets no watcher look.
                name = self.lanes[lane].name
                found[i // 3] = (place, line) if often else (f"somewhere in {name}", None)
        return found

    def _loop_spans(self, track, spans):
        steps, zero = track.steps, track.zero
        blocked = self._blocked(track)
        loop = self.lanes[track.lane]
        at = loop.created  # how far the loop's line is drawn
        begin = None  # start of the running span under way
        for i in range(0, len(steps), 3):
            start, end = steps[i + 1] - zero, steps[i + 2] - zero
            why = blocked.get(i // 3)
            if begin is not None and (start - at > _BOOKKEEPING or why):
                spans.append(Span(track.lane, begin, at, "running"))
                begin = None
            if start > at and begin is None:
                spans.append(Span(track.lane, at, start, "selecting"))
            if why:
                spans.append(Span(track.lane, start, end, "blocked", *why))
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
        if only not in (None, lane.id):
            return
        at, state = lane.created, "created"
        for i in range(0, len(talk.times), 2):
            start, stop = talk.times[i], talk.times[i + 1]
            spans.append(Span(lane.id, at, start, state))
            spans.append(Span(lane.id, start, stop, "running"))
            at = stop
            state = STATES[talk.states[i // 2]]
        if self.duration > at:
            spans.append(Span(lane.id, at, self.duration, state))

    def _caller_spans(self, caller, spans):
        """The caller runs whenever none of its generators does."""
        turns = sorted(
            (talk.times[i], talk.times[i + 1])
            for talk in self.talks
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
        wakes = [wake for track in self.tracks for wake, _ in self.wakes_of(track)]
        wakes.sort(key=lambda wake: wake.time)
        return wakes

    def wakes_of(self, track):
        """(Wake, index of the step that waited) of each known wake."""
        waits = track.waits
        for row in range(0, len(waits), 6):
            if not math.isnan(waits[row + 3]):
                step, by = int(waits[row]), int(waits[row + 4])
                yield (
                    Wake(
                        waits[row + 3] - track.zero,
                        by if by >= 0 else None,
                        int(track.steps[3 * step] // PLACES),
                        track.words[int(waits[row + 5])],
                    ),
                    step,
                )

    @property
    def marks(self):
        """List of Mark by time: cancellations, and what generators and their callers said."""
        marks = [mark for mark, _ in self.cancels]
        for talk in self.talks:
            for i, kind in enumerate(talk.kinds):
                marks.append(Mark(talk.times[i], talk.lane, TALK[kind], talk.details[i]))
        marks.sort(key=lambda mark: mark.time)
        return marks

    def log(self):
        """The recording as text, one event a line, in order: on a virtual clock too."""
        events = []  # (time, order among equal times, text)
        for track in self.tracks:
            self._tell_track(track, events)
        for mark, order in self.cancels:
            detail = f" {mark.detail}" if mark.detail else ""
            events.append((mark.time, order, f"{self.lanes[mark.lane].name}: {mark.kind}{detail}"))
        for talk in self.talks:
            for i, kind in enumerate(talk.kinds):
                words = f"{TALK[kind]} {talk.details[i] or ''}".rstrip()
                events.append((talk.times[i], i, f"{self.lanes[talk.lane].name}: {words}"))
        for id in self.shares:
            job = self.lanes[id]
            by = "" if job.parent is None else f" by {self.lanes[job.parent].name}"
            where = "a process" if job.kind == "process" else "a thread"
            events.append((job.created, 0, f"{job.name} starts in {where}{by}"))
            if job.outcome:
                events.append((job.ended, 0, f"{job.name} {_ending(job)}"))
        events.sort(key=lambda event: event[:2])
        return "\n".join(f"{time:9.4f}  {text}" for time, _, text in events)

    def _tell_track(self, track, events):
        """Events of one loop. Order: the index of the step, and a fraction within it."""
        steps, zero, lanes = track.steps, track.zero, self.lanes
        wait_after = {int(track.waits[i]): i for i in range(0, len(track.waits), 6)}
        woken = collections.defaultdict(list)  # index of the step that waited → Wake
        for wake, step in self.wakes_of(track):
            woken[step].append(wake)
        blocked = self._blocked(track)
        last = {}  # lane → index of its last step
        for step in range(len(steps) // 3):
            lane = lanes[int(steps[3 * step] // PLACES)]
            start, end = steps[3 * step + 1] - zero, steps[3 * step + 2] - zero
            if lane.id not in last and lane.kind == "task":
                by = "" if lane.parent is None else f" by {lanes[lane.parent].name}"
                born = last.get(lane.parent, -1) + 0.5
                events.append((lane.created, born, f"{lane.name} is created{by}"))
            for wake in woken.get(last.get(lane.id), ()):
                by = wake.why if wake.by is None else f"{lanes[wake.by].name} ({wake.why})"
                cause = step - 0.4 if wake.by is None else last.get(wake.by, step) + 0.9
                events.append((wake.time, cause, f"{lane.name} is woken by {by}"))
            held = ", and blocks the loop at " + blocked[step][0] if step in blocked else ""
            events.append((start, step, f"{lane.name} runs{held}"))
            last[lane.id] = step
            if step in wait_after:
                gap = []
                self._gap(track, gap, lane.id, (end, step), end, wait_after)
                line = "" if gap[0].line is None else f" (line {gap[0].line})"
                events.append((end, step + 0.7, f"{lane.name} waits for {gap[0].detail}{line}"))
        for id, step in last.items():
            if lanes[id].outcome:
                text = f"{lanes[id].name} {_ending(lanes[id])}"
                events.append((lanes[id].ended, step + 0.8, text))


def without_number(name):
    """What tasks of one kind share of their names: worker-3 and worker-1 are two of a kind."""
    return re.sub(r"[-_ #]*\d+$", "", name)


def _ending(lane):
    if lane.outcome == "failed":
        return f"failed: {lane.detail}"
    return "is done" if lane.outcome == "done" else "is cancelled"
