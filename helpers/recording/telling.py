"""A recording as text: one event a line."""

import collections

from helpers.recording.model import PLACES, TALK, Recorded
from helpers.recording.spans import blocked_steps, gap_after, wakes_of


def tell(rec: Recorded) -> str:
    """The recording as text, one event a line, in order: on a virtual clock too."""
    events = []  # (time, order among equal times, text)
    for track in rec.tracks:
        _tell_track(rec, track, events)
    for mark, order in rec.cancels:
        detail = f" {mark.detail}" if mark.detail else ""
        events.append((mark.time, order, f"{rec.lanes[mark.lane].name}: {mark.kind}{detail}"))
    for talk in rec.talks:
        for i, kind in enumerate(talk.kinds):
            words = f"{TALK[kind]} {talk.details[i] or ''}".rstrip()
            events.append((talk.times[i], i, f"{rec.lanes[talk.lane].name}: {words}"))
    for id in rec.shares:
        job = rec.lanes[id]
        by = "" if job.parent is None else f" by {rec.lanes[job.parent].name}"
        where = "a process" if job.kind == "process" else "a thread"
        events.append((job.created, 0, f"{job.name} starts in {where}{by}"))
        if job.outcome:
            events.append((job.ended, 0, f"{job.name} {_ending(job)}"))
    events.sort(key=lambda event: event[:2])
    return "\n".join(f"{time:9.4f}  {text}" for time, _, text in events)


def _tell_track(rec, track, events):
    """Events of one loop. Order: the index of the step, and a fraction within it."""
    steps, zero, lanes = track.steps, track.zero, rec.lanes
    wait_after = {int(track.waits[i]): i for i in range(0, len(track.waits), 6)}
    woken = collections.defaultdict(list)  # index of the step that waited → Wake
    for wake, step in wakes_of(track):
        woken[step].append(wake)
    blocked = blocked_steps(rec, track)
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
            gap_after(rec, track, gap, lane.id, (end, step), end, wait_after)
            line = "" if gap[0].line is None else f" (line {gap[0].line})"
            events.append((end, step + 0.7, f"{lane.name} waits for {gap[0].detail}{line}"))
    for id, step in last.items():
        if lanes[id].outcome:
            text = f"{lanes[id].name} {_ending(lanes[id])}"
            events.append((lanes[id].ended, step + 0.8, text))


def _ending(lane):
    if lane.outcome == "failed":
        return f"failed: {lane.detail}"
    return "is done" if lane.outcome == "done" else "is cancelled"
