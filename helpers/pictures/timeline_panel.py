"""One recording in a timeline: which of its lanes are shown, in what order, with how much room."""

import collections
from collections.abc import Sequence

from helpers.pictures.timeline_looks import NAME, cut, room
from helpers.recording.model import Lane, Mark, Wake
from helpers.recording.recording import Recording
from helpers.recording.spans import spans_of, wakes_of
from helpers.recording.words import SCOPE

MOST = 24  # lanes drawn one by one
FOLDED = 60  # of those that are drawn together, and can be unfolded
MOST_ARROWS = 40


class Panel:
    """What is shown of a recording.

    lanes: those drawn one by one.  crowd: those that are drawn together, if there are too many.
    folded: some of the crowd, to be unfolded.  spans: of each lane in `lanes` and `folded`, by id.
    turns: is it a talk of generators, which goes turn by turn?
    begin, end: seconds from the start of the recording to what is shown first, and last.
    """

    def __init__(
        self, rec: Recording, name: str | None, wanted: Sequence[str | Lane] | None
    ) -> None:
        self.rec = rec
        self.name = name
        if wanted is None:
            self.lanes = list(rec.lanes)
        else:
            self.lanes = [rec.lane(lane) if isinstance(lane, str) else lane for lane in wanted]
        kinds = {lane.kind for lane in self.lanes}
        self.turns = bool(kinds) and kinds <= {"caller", "generator"}
        if self.turns:
            self.lanes = _family(self.lanes)
        self.crowd, self.folded = [], []
        if len(self.lanes) > MOST:
            self.crowd = [lane for lane in self.lanes if lane.kind != "loop"]
            loops = [lane for lane in self.lanes if lane.kind == "loop"]
            self.lanes = loops[:2] + _sample(self.crowd)
            known = {lane.id for lane in self.lanes}
            self.folded = [lane for lane in self.crowd if lane.id not in known][:FOLDED]
        shown = {lane.id for lane in self.lanes + self.folded}
        self.spans = collections.defaultdict(list)
        for span in spans_of(rec, shown):
            self.spans[span.lane].append(span)
        ends = [rec.duration, *(lane.ended for lane in rec.lanes if lane.ended is not None)]
        ends += [track.stop - track.zero for track in rec.tracks]
        self.end = max(ends)
        begins = [self.spans[lane.id][0].start for lane in self.lanes if self.spans[lane.id]]
        self.begin = min([*begins, self.end]) if not self.crowd else 0.0
        self.wakes = [wake for track in rec.tracks for wake, _ in wakes_of(track, shown)]
        self.marks = [mark for mark in rec.marks if mark.lane in shown]

    def arrows(self) -> list[Wake]:
        """The wakes between lanes that are shown; none where they would hide everything."""
        shown = {lane.id for lane in self.lanes}
        arrows = [wake for wake in self.wakes if wake.by in shown and wake.lane in shown]
        return arrows if len(arrows) <= MOST_ARROWS else []

    def cancels(self) -> list[Mark]:
        """The cancellations that concern a task.

        AnyIO cancels a task to leave a scope of its own, for each connection that it opens: what
        the task lives through is no news.
        """
        kept, within = [], set()  # lanes that a scope has asked, and that were not told yet
        for mark in self.marks:
            if not mark.kind.startswith("cancel"):
                continue
            lane = self.rec.lanes[mark.lane]
            if mark.kind == "cancel asked" and mark.detail == SCOPE:
                if lane.outcome != "cancelled" or lane.ended - mark.time > self.end / 100:
                    within.add(lane.id)
                    continue
            if mark.kind == "cancel delivered" and lane.id in within:
                within.discard(lane.id)
                continue
            kept.append(mark)
        return kept

    @property
    def row(self) -> float:
        """The height of a lane, in pixels."""
        return 32 if len(self.lanes) <= 10 else 26

    @property
    def margin(self) -> float:
        """The room that the lanes' names need at the left, in pixels."""
        names = [cut(lane.name) for lane in self.lanes] + (["tasks"] if self.crowd else [])
        return 24 + max(room(name, NAME) for name in [*names, "loop"])


def _sample(lanes):
    """A few lanes that stand for many: the first, the last, the longest, and one that failed."""
    ended = [lane for lane in lanes if lane.ended is not None]
    chosen = [lanes[0], lanes[1]]
    if ended:
        chosen.append(max(ended, key=lambda lane: lane.ended - lane.created))
    for outcome in ("failed", "cancelled"):
        chosen += [lane for lane in lanes if lane.outcome == outcome][:1]
    chosen.append(lanes[-1])
    return sorted({lane.id: lane for lane in chosen}.values(), key=lambda lane: lane.id)


def _family(lanes):
    """Each lane before those that it calls, so that the talk goes downwards."""
    order = []

    def add(lane):
        order.append(lane)
        for other in lanes:
            if other.parent == lane.id:
                add(other)

    known = {lane.id for lane in lanes}
    for lane in lanes:
        if lane.parent not in known:
            add(lane)
    return order
