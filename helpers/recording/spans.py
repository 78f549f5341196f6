"""What each lane did from when to when, worked out from the columns of a recording.

Nothing here is kept: whoever asks twice has it worked out twice.
"""

import collections
import math
from collections.abc import Container, Iterator

from helpers.recording.model import BLOCKED, LOOK, PLACES, STATES, Lane, Recorded, Span, Track, Wake

_BOOKKEEPING = 1e-4  # seconds: between two steps, a shorter gap is the loop's own work


def spans_of(rec: Recorded, only: Container[int] | None) -> list[Span]:
    """List of Span by start, of the lanes whose ids are in `only`, or of all."""
    spans = []
    for track in rec.tracks:
        _task_spans(rec, track, spans, only)
        if only is None or track.lane in only:
            _loop_spans(rec, track, spans)
    for talk in rec.talks:
        _talk_spans(rec, talk, spans, only)
    for caller in [one.id for one in rec.lanes if one.kind == "caller"]:
        if only is None or caller in only:
            _caller_spans(rec, caller, spans)
    for id, share in rec.shares.items():
        if only is None or id in only:
            job = rec.lanes[id]
            end = rec.duration if job.ended is None else job.ended
            spans.append(Span(id, job.created, end, "running", job.detail, None, share))
    spans.sort(key=lambda span: span.start)
    return spans


def _task_spans(rec, track, spans, only):
    steps, zero, lanes = track.steps, track.zero, rec.lanes
    wait_after = {int(track.waits[i]): i for i in range(0, len(track.waits), 6)}
    last = {}  # lane → (end of its last step, index of that step)
    for i in range(0, len(steps), 3):
        lane = int(steps[i] // PLACES)
        if only is not None and lane not in only:
            continue
        start, end = steps[i + 1] - zero, steps[i + 2] - zero
        before = last.get(lane)
        if before is not None:
            gap_after(rec, track, spans, lane, before, start, wait_after)
        elif lanes[lane].created < start:
            spans.append(Span(lane, lanes[lane].created, start, "ready"))
        spans.append(Span(lane, start, end, "running"))
        last[lane] = (end, i // 3)
    stop = track.stop - zero
    for lane, before in last.items():
        if lanes[lane].ended is None:
            gap_after(rec, track, spans, lane, before, stop, wait_after)
    for lane in lanes:
        asked = only is None or lane.id in only
        if (
            asked
            and lane.kind == "task"
            and lane.id not in last
            and loop_of(rec, lane) == track.lane
        ):
            end = stop if lane.ended is None else lane.ended
            spans.append(Span(lane.id, lane.created, end, "ready"))


def loop_of(rec: Recorded, lane: Lane) -> int | None:
    """The id of the loop's lane that stands before this lane: loops come before tasks."""
    return max((track.lane for track in rec.tracks if track.lane < lane.id), default=None)


def gap_after(
    rec: Recorded,
    track: Track,
    spans: list[Span],
    lane: int,
    before: tuple[float, int],
    start: float,
    wait_after: dict[int, int],
) -> None:
    """Add to `spans` what lay between a step that ended at before[0] and the next, at `start`."""
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
    detail = f"task {rec.lanes[-1 - what].name}" if what < 0 else track.words[what]
    spans.append(Span(lane, end, woken, "waiting", detail, line, None, stack))
    if woken < start:
        spans.append(Span(lane, woken, start, "ready"))


def blocked_steps(rec: Recorded, track: Track) -> dict[int, tuple[str, int | None, tuple]]:
    """Which steps blocked the loop, and where: index of the step → (detail, line, stack)."""
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
            often, place, frame = seen[lane].popleft()[1]
        # A virtual clock stands still during a step: there the watcher's own count decides.
        if took > BLOCKED or (rec.clock == "virtual" and often * LOOK > BLOCKED):
            # C code that keeps the interpreter to itself lets no watcher look.
            name = rec.lanes[lane].name
            blocks = (place, frame[1], (frame,)) if often else (f"somewhere in {name}", None, ())
            found[i // 3] = blocks
    return found


def _loop_spans(rec, track, spans):
    steps, zero = track.steps, track.zero
    blocked = blocked_steps(rec, track)
    loop = rec.lanes[track.lane]
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
            detail, line, stack = why
            spans.append(Span(track.lane, start, end, "blocked", detail, line, None, stack))
        elif begin is None:
            begin = start
        at = max(at, end)
    if begin is not None:
        spans.append(Span(track.lane, begin, at, "running"))
    ended = track.stop - zero if loop.ended is None else loop.ended
    if ended > at:
        spans.append(Span(track.lane, at, ended, "selecting"))


def _talk_spans(rec, talk, spans, only):
    lane = rec.lanes[talk.lane]
    if only is not None and lane.id not in only:
        return
    at, state = lane.created, "created"
    for i in range(0, len(talk.times), 2):
        start, stop = talk.times[i], talk.times[i + 1]
        spans.append(Span(lane.id, at, start, state))
        spans.append(Span(lane.id, start, stop, "running"))
        at = stop
        state = STATES[talk.states[i // 2]]
    if rec.duration > at:
        spans.append(Span(lane.id, at, rec.duration, state))


def _caller_spans(rec, caller, spans):
    """The caller runs whenever none of its generators does."""
    turns = sorted(
        (talk.times[i], talk.times[i + 1])
        for talk in rec.talks
        if rec.lanes[talk.lane].parent == caller
        for i in range(0, len(talk.times), 2)
    )
    at = rec.lanes[caller].created
    for start, end in turns:
        if start > at:
            spans.append(Span(caller, at, start, "running"))
        spans.append(Span(caller, start, end, "waiting", "its generator"))
        at = end
    if rec.duration > at:
        spans.append(Span(caller, at, rec.duration, "running"))


def wakes_of(track: Track, only: Container[int] | None = None) -> Iterator[tuple[Wake, int]]:
    """(Wake, index of the step that waited) of each known wake, of all lanes or those in `only`."""
    waits = track.waits
    for row in range(0, len(waits), 6):
        step = int(waits[row])
        lane = int(track.steps[3 * step] // PLACES)
        if (only is None or lane in only) and not math.isnan(waits[row + 3]):
            by, why = int(waits[row + 4]), track.words[int(waits[row + 5])]
            yield Wake(waits[row + 3] - track.zero, by if by >= 0 else None, lane, why), step
