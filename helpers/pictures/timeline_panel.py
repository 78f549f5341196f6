"""One recording in a timeline: which of its lanes are shown, in what order, with how much room."""

import collections
from collections.abc import Sequence

from helpers.pictures.timeline_looks import cut
from helpers.recording.model import Lane, Wake
from helpers.recording.recording import Recording

MOST = 24  # lanes drawn one by one
MOST_ARROWS = 80


class Panel:
    """What is shown of a recording.

    lanes: those drawn one by one.  crowd: those that are drawn together, if there are too many.
    spans: of each lane, by its id.  turns: is it a talk of generators, which goes turn by turn?
    span: seconds from the start to the last end.
    """

    def __init__(
        self, rec: Recording, name: str | None, wanted: Sequence[str | Lane] | None
    ) -> None:
        self.rec = rec
        self.name = name
        self.spans = collections.defaultdict(list)
        for span in rec.spans():
            self.spans[span.lane].append(span)
        if wanted is None:
            self.lanes = list(rec.lanes)
        else:
            self.lanes = [rec.lane(lane) if isinstance(lane, str) else lane for lane in wanted]
        kinds = {lane.kind for lane in self.lanes}
        self.turns = bool(kinds) and kinds <= {"caller", "generator"}
        if self.turns:
            self.lanes = _family(self.lanes)
        self.crowd = []
        self.span = max([rec.duration, *(s[-1].end for s in self.spans.values() if s)])
        if len(self.lanes) > MOST:
            self.crowd = [lane for lane in self.lanes if lane.kind != "loop"]
            loops = [lane for lane in self.lanes if lane.kind == "loop"]
            self.lanes = loops[:2] + _sample(self.crowd)
        self.wakes = [wake for wake in rec.wakes if wake.by is not None]
        self.marks = rec.marks

    def arrows(self) -> list[Wake]:
        """The wakes between lanes that are shown; none where they would hide everything."""
        shown = {lane.id for lane in self.lanes}
        arrows = [wake for wake in self.wakes if wake.by in shown and wake.lane in shown]
        return arrows if len(arrows) <= MOST_ARROWS else []

    @property
    def row(self) -> float:
        """The height of a lane, in inches."""
        return 0.34 if len(self.lanes) <= 10 else 0.26

    @property
    def height(self) -> float:
        """The height of all, in inches."""
        if self.turns:
            return 0.75 * max(len(self.lanes), 2)
        return self.row * max(len(self.lanes), 1) + (1.5 if self.crowd else 0)

    @property
    def margin(self) -> float:
        """The room that the lanes' names need at the left, in inches."""
        names = [cut(lane.name) for lane in self.lanes] + (["tasks"] if self.crowd else [])
        return 0.2 + 0.068 * max([4, *map(len, names)])


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
