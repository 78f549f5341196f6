"""A recording as a list of instants: each is one step of a task, or the loop's wait in select.

A clock can't order them: on a virtual clock a dozen steps share one time. So everything here is
counted in instants. What holds for a while (a task in the queue, a task that waits) is a `Stay`
from one instant to another; the state at any instant is found by comparing two columns of numbers,
so that a move costs the same at the start and at the end of a long recording.
"""

import bisect
import collections
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from helpers.basics.places import is_library
from helpers.recording.model import PLACES, Recorded, Wake
from helpers.recording.spans import loop_of, wakes_of
from helpers.recording.words import TIMERS

KINDS = ("timer", "socket", "other")  # of waits
_CALLBACKS = 1e-4  # seconds: the loop's own callbacks take less; a longer gap is a wait in select
_OUTSIDE = ("timer", "socket", "executor", "connection", "process")  # what select waits for


class Instant(NamedTuple):
    """One step of the lane `lane`, or a wait of the loop in select: then `lane` is None.

    start, end: seconds from the start of the recording. loop: the lane of the loop.
    went_on, stopped: (file, line, function) where the step began and where it ended, or None.
    then: what came of it: "waits", "hands over", "done", "failed", "cancelled"; None for select.
    detail: what it then waits for; the error where it failed.
    until: when the timer is due that it then waits for, or None.
    woken: the Wake that made the lane ready for this step, or None.
    """

    loop: int
    lane: int | None
    start: float
    end: float
    went_on: tuple | None = None
    stopped: tuple | None = None
    then: str | None = None
    detail: str | None = None
    until: float | None = None
    woken: Wake | None = None


class Stay(NamedTuple):
    """A lane is "ready" or "waiting" after instant `first` and up to instant `last`.

    A ready lane runs at instant `last`; a waiting one is woken during instant `last`.
    cause: of a ready lane, how it became so: "created", "hands over", or the Wake.
    step: of a waiting lane, the instant that it waits since; None if it is ready.
    """

    lane: int
    state: str
    first: float
    last: float
    cause: object = None
    step: int | None = None


class Instants:
    """What the loops of a recording did, in order. `len`, `[k]`, and what held at instant k."""

    def __init__(self, rec: Recorded):
        self.rec = rec
        self.list = []
        self.stays = []
        self.marks = collections.defaultdict(list)  # instant → Marks
        self.causes = collections.defaultdict(list)  # instant → Stays that begin during it
        self.loops = []  # (first instant, loop's lane)
        for track in rec.tracks:
            self.loops.append((len(self.list), track.lane))
            _Reading(self, track)
        for started in self.causes.values():
            started.sort(key=lambda stay: stay.last)
        self._first = numpy.array([stay.first for stay in self.stays], dtype=float)
        self._last = numpy.array([stay.last for stay in self.stays], dtype=float)
        self._ready = numpy.array([stay.state == "ready" for stay in self.stays], dtype=bool)
        since = [None if stay.step is None else self.list[stay.step] for stay in self.stays]
        self._kind = numpy.array([_kind(one) for one in since], dtype=int)
        self._until = numpy.array(
            [math.inf if one is None or one.until is None else one.until for one in since]
        )

    def __len__(self):
        return len(self.list)

    def __getitem__(self, k):
        return self.list[k]

    def ready(self, k: int) -> Sequence[Stay]:
        """Stays of those who are ready at instant k beside the one that runs, in their order.

        That is the order in which they ran: in a queue, first come, first served.
        """
        return self._queue((self._first < k) & (self._last > k))

    def queue_after(self, k: int) -> Sequence[Stay]:
        """Stays of those who are ready when instant k is over, in their order."""
        return self._queue((self._first <= k) & (self._last > k))

    def _queue(self, mask):
        found = numpy.nonzero(mask & self._ready)[0]
        return _Picked(self.stays, found[numpy.argsort(self._last[found], kind="stable")])

    def waiting(self, k: int) -> dict[str, Sequence[Stay]]:
        """Stays of those who wait during instant k: {"timer", "socket" or "other": stays}.

        The timer that is due first stands first; of others, who has waited longest.
        """
        found = numpy.nonzero((self._first < k) & (self._last >= k) & ~self._ready)[0]
        waits = {}
        for number, kind in enumerate(KINDS):
            chosen = found[self._kind[found] == number]
            by = self._until if kind == "timer" else self._first
            waits[kind] = _Picked(self.stays, chosen[numpy.argsort(by[chosen], kind="stable")])
        return waits

    def loop_of(self, k: int) -> tuple[int, int]:
        """(number of the loop from 1, how many there are) that instant k belongs to."""
        number = bisect.bisect_right([first for first, _ in self.loops], k)
        return number, len(self.loops)


def _kind(since):
    """Index into KINDS of the wait that the step `since` ended in; -1 if it did not."""
    if since is None:
        return -1
    if since.detail in TIMERS:
        return 0
    return 1 if since.detail.startswith(("socket", "connection")) else 2


class _Picked(Sequence):
    """Some stays of many, without a copy: of ten thousand that wait, a dozen are looked at."""

    def __init__(self, stays, picked):
        self.stays = stays
        self.picked = picked

    def __len__(self):
        return len(self.picked)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self.stays[one] for one in self.picked[i]]
        return self.stays[self.picked[i]]


class _Reading:
    """Reads one loop's columns into instants, stays and marks."""

    def __init__(self, instants, track):
        self.rec = instants.rec
        self.track = track
        columns = track.steps
        self.count = len(columns) // 3
        self.lanes = [int(lane // PLACES) for lane in columns[::3]]
        self.starts = [start - track.zero for start in columns[1::3]]
        self.ends = [end - track.zero for end in columns[2::3]]
        self.steps_of = collections.defaultdict(list)  # lane → indices of its steps
        for step, lane in enumerate(self.lanes):
            self.steps_of[lane].append(step)
        self.after = [None] * self.count  # the same lane's next step
        for steps in self.steps_of.values():
            for one, two in zip(steps, steps[1:]):
                self.after[one] = two
        self.rows = {int(track.waits[i]): i for i in range(0, len(track.waits), 6)}
        self.wakes = {}  # step that waited → Wake
        for wake, step in wakes_of(track):
            if wake.why == "timer" and self.waits_for(step) not in TIMERS:
                # asyncio settles some other futures by the function that its sleep uses.
                wake = wake._replace(why="callback")
            self.wakes[step] = wake
        self.codes = dict(zip(track.functions[::2], track.functions[1::2]))
        self.read(instants)

    def read(self, instants):
        # First in steps: `during` step n, or `before` it, where the loop's own callbacks run.
        ready = []  # (lane, when: (step, is it before?), its step or None, cause)
        waits = []  # (lane, step, when it is woken, or None)
        for lane in self.mine():
            steps = self.steps_of.get(lane.id)
            first = steps[0] if steps else None
            ready.append((lane.id, *self.born(lane, first)))
        for step, lane in enumerate(self.lanes):
            then = self.after[step]
            if step in self.rows:
                wake = self.wakes.get(step)
                woken = self.woken(wake, step, then)
                waits.append((lane, step, woken))
                if woken is not None:
                    ready.append((lane, woken, then, wake))
            elif then is not None or self.rec.lanes[lane].ended is None:
                ready.append((lane, (step, False), then, "hands over"))
        self.place(instants, ready, waits)

    def mine(self):
        """The lanes of this loop's tasks and cell: loops come before their tasks."""
        others = [track.lane for track in self.rec.tracks if track.lane > self.track.lane]
        end = min(others, default=len(self.rec.lanes))
        for lane in self.rec.lanes[self.track.lane + 1 : end]:
            if lane.kind in ("task", "cell"):
                yield lane

    def born(self, lane, first):
        """When a lane was created and so joined the queue; its first step; the cause."""
        step = self.last_step(lane.parent, lane.created, first)
        if step is None:
            return self.gap(lane.created, 0, first), first, "created"
        if self.ends[step] < lane.created and first is not None:
            # It ran at once, within the step that made it, which ended after it.
            return (first, True), first, "eager"
        return (step, False), first, "created"

    def woken(self, wake, step, then):
        """When the wait that began with `step` was over; None if it never was."""
        if wake is None:
            return None if then is None else (then, True)
        if wake.by is not None:
            by = self.last_step(wake.by, wake.time, then)
            if by is not None and by > step:
                return by, False
        return self.gap(wake.time, step + 1, then)

    def last_step(self, lane, time, before):
        """The last step of a lane that began by `time`, and before the step `before`."""
        steps = self.steps_of.get(lane, ())
        i = len(steps) if before is None else bisect.bisect_left(steps, before)
        while i and self.starts[steps[i - 1]] > time:
            i -= 1
        return steps[i - 1] if i else None

    def gap(self, time, least, most):
        """Between which steps the loop's own callbacks ran at `time`: before this one."""
        step = max(least, bisect.bisect_left(self.starts, time))
        return min(step, self.count if most is None else most), True

    def place(self, instants, ready, waits):
        """From steps to instants, now that it is known where the loop waited in select."""
        base = len(instants.list)
        joining = [0] * (self.count + 2)  # how many come to be ready in the step before
        outside = set()  # steps before which something from outside woke a task
        at_gap = [0] * (self.count + 2)
        for _, (step, before), _, cause in ready:
            if before:
                at_gap[step] += 1
                if getattr(cause, "why", None) in _OUTSIDE:
                    outside.add(step)
            else:
                joining[step + 1] += 1
        where, queue = [], 0  # step → its instant; how many are ready
        selects = {}  # step → the instant of the select before it
        for step in range(self.count):
            queue += joining[step]
            idle = self.starts[step] - (self.ends[step - 1] if step else 0.0)
            if queue == 0 and step and idle > (0 if step in outside else self.least()):
                selects[step] = len(instants.list)
                instants.list.append(
                    Instant(self.track.lane, None, self.ends[step - 1], self.starts[step])
                )
            queue += at_gap[step] - 1
            where.append(len(instants.list))
            instants.list.append(self.instant(step))
        over = self.track.stop - self.track.zero
        queue += joining[self.count]
        unfinished = any(woken is None for *_, woken in waits)
        if self.count and queue == 0 and unfinished and over - self.ends[-1] > self.least():
            selects[self.count] = len(instants.list)
            instants.list.append(Instant(self.track.lane, None, self.ends[-1], over))
        where.append(len(instants.list))

        def during(when):
            step, before = when
            if not before:
                return where[step]
            return selects.get(step, where[step] - 1)

        end = len(instants.list)
        for lane, when, then, cause in ready:
            if cause == "eager":
                continue
            first, last = during(when), end if then is None else where[then]
            stay = Stay(lane, "ready", first, last, cause)
            instants.stays.append(stay)
            if base <= first < last:
                instants.causes[first].append(stay)
        for lane, step, woken in waits:
            last = end if woken is None else max(during(woken), where[step])
            instants.stays.append(Stay(lane, "waiting", where[step], last, None, where[step]))
        for mark, order in self.rec.cancels:
            if loop_of(self.rec, self.rec.lanes[mark.lane]) == self.track.lane:
                step = min(math.ceil(order) if order % 1 > 0.5 else int(order), self.count)
                when = during((step, order % 1 > 0.5 and mark.kind == "cancel asked"))
                instants.marks[min(max(when, base), end - 1)].append(mark)

    def least(self):
        return 0 if self.rec.clock == "virtual" else _CALLBACKS

    def instant(self, step):
        lane = self.rec.lanes[self.lanes[step]]
        track, row, then = self.track, self.rows.get(step), self.after[step]
        outcome, detail, until = "hands over", None, None
        if row is not None:
            wake, detail = self.wakes.get(step), self.waits_for(step)
            outcome, until = "waits", track.deadlines.get(step)
            if wake is not None and wake.why == "timer":
                until = wake.time
            elif until is not None:
                until -= track.zero
        elif then is None and lane.ended is not None:
            outcome = lane.outcome
            detail = lane.detail if outcome == "failed" else None
        steps = self.steps_of[lane.id]
        i = bisect.bisect_left(steps, step)
        before = steps[i - 1] if i else None
        went_on = self.begins(lane.id) if before is None else self.stands(before)
        return Instant(
            track.lane,
            lane.id,
            self.starts[step],
            self.ends[step],
            went_on,
            self.stands(step),
            outcome,
            detail,
            until,
            None if before is None else self.wakes.get(before),
        )

    def waits_for(self, step):
        """In words."""
        what = int(self.track.waits[self.rows[step] + 1])
        return f"task {self.rec.lanes[-1 - what].name}" if what < 0 else self.track.words[what]

    def begins(self, lane):
        """(file, line, function) of the first line of the task's own function, or None."""
        if lane not in self.codes:
            return None
        code = self.track.codes[self.codes[lane]]
        return code.file, code.first, code.function

    def stands(self, step):
        """(file, line, function): where a task of the learner's stood after its step, or None."""
        row = self.rows.get(step)
        if row is not None:
            stack = self.track.stacks[int(self.track.waits[row + 2])][0]
            for frame in reversed(stack):
                if not is_library(frame[0]):
                    return frame
        lane = self.lanes[step]
        if lane not in self.codes:
            return None
        code = self.track.codes[self.codes[lane]]
        line = code.line(int(self.track.steps[3 * step] % PLACES))
        return None if line is None else (code.file, line, code.function)
