"""How many of many lanes were in which state, moment by moment, straight from the columns.

Ten thousand tasks have a hundred thousand spans, which take most of a second to make.
"""

import bisect
import math
from collections.abc import Iterable, Sequence

from helpers.recording.model import PLACES, Lane, Recorded, Track


def count_states(
    rec: Recorded, lanes: Iterable[Lane], moments: Sequence[float]
) -> dict[str, list[int]]:
    """How many of the lanes were running, ready and waiting at each moment.

    moments: seconds from the start of the recording, in order.
    """
    chosen = {lane.id: lane for lane in lanes}
    running, waiting, alive = _Intervals(), _Intervals(), _Intervals()
    ran = set()
    for track in rec.tracks:
        ran |= _read(track, chosen, running, waiting)
    for talk in rec.talks:
        if talk.lane in chosen:
            running.add(talk.times[::2], talk.times[1::2])
    for lane in chosen.values():
        end = rec.duration if lane.ended is None else lane.ended
        if lane.id in rec.shares:
            running.add([lane.created], [end])
        if lane.id in ran or lane.kind == "task":
            alive.add([lane.created], [end])
    for talk in (running, waiting, alive):
        talk.sort()
    counts = {"running": [], "ready": [], "waiting": []}
    for moment in moments:
        runs, waits = running.at(moment), waiting.at(moment)
        counts["running"].append(runs)
        counts["waiting"].append(waits)
        counts["ready"].append(max(0, alive.at(moment) - runs - waits))
    return counts


def _read(track: Track, chosen, running, waiting):
    """Add the steps and waits of a loop's lanes; return the lanes that ran."""
    steps, waits, zero = track.steps, track.waits, track.zero
    lanes = [int(lane // PLACES) for lane in steps[::3]]
    mine = [i for i, lane in enumerate(lanes) if lane in chosen]
    running.add(
        [steps[3 * i + 1] - zero for i in mine],
        [steps[3 * i + 2] - zero for i in mine],
    )
    after, nexts = {}, {}  # step → the start of the same lane's next
    for i in reversed(mine):
        after[i] = nexts.get(lanes[i], track.stop)
        nexts[lanes[i]] = steps[3 * i + 1]
    for row in range(0, len(waits), 6):
        step = int(waits[row])
        if step in after:
            begin, most, woken = steps[3 * step + 2], after[step], waits[row + 3]
            woken = most if math.isnan(woken) else min(max(woken, begin), most)
            waiting.add((begin - zero,), (woken - zero,))
    return set(nexts)


class _Intervals:
    """Intervals of time, of which those are counted that hold a moment."""

    def __init__(self):
        self.starts, self.ends = [], []

    def add(self, starts, ends):
        self.starts.extend(starts)
        self.ends.extend(ends)

    def sort(self):
        self.starts.sort()
        self.ends.sort()

    def at(self, moment):
        return bisect.bisect_right(self.starts, moment) - bisect.bisect_right(self.ends, moment)
