"""A talk of generators and their callers: what was said, in turn, and the state of each frame."""

from helpers.pictures.timeline_looks import LOOKS, bar, cut, number, room, words
from helpers.pictures.timeline_panel import Panel

ROW = 72  # pixels from one lane to the next
BEGIN = 4  # where the lanes begin
FOR_MORE = 60  # room to say how many more turns there are
EDGE = LOOKS["running"].of(32) / 2  # of a bar, from the middle of its lane
LEAST = 26  # of a turn
HEAD = 6  # of an arrow


def height(panel: Panel) -> float:
    """The pixels that a talk needs."""
    return ROW * max(len(panel.lanes) - 1, 1) + 2 * 20


def draw_talk(panel: Panel, left: float, wide: float) -> str:
    """Draw the turns that have room in a width, and how many more there are."""
    rows = {lane.id: 20 + ROW * i for i, lane in enumerate(panel.lanes)}
    said = [_Saying(mark, panel, rows) for mark in panel.marks if mark.lane in rows]
    shown = _placed(said, wide)
    if len(shown) < len(said):
        shown = _placed(said, wide - FOR_MORE)
    last = max([20, *(one.x + max(LEAST, one.width / 2) for one in shown[-4:])])
    names = [
        words(left - 12, rows[lane.id] + 4, cut(lane.name), "name", anchor="end", whole=lane.name)
        for lane in panel.lanes
    ]
    bars = {rows[lane.id] for lane in panel.lanes if lane.kind == "generator"}
    parts = [_arrow(one, bars) for one in shown]
    strips = _strips(panel, shown)
    for lane in panel.lanes:
        y = number(rows[lane.id])
        if lane.kind == "caller":
            parts.append(f'<path class="caller" d="M{BEGIN} {y}H{number(last)}"/>')
        else:
            strip = _strip(lane.name, strips[lane.id], last)
            parts.append(f'<g class="lane" transform="translate(0 {y})">{strip}</g>')
    parts += [_spoken(one) for one in shown]
    if len(shown) < len(said):
        parts.append(words(last + 6, 20 + ROW / 2 - 8, "… and", "detail"))
        parts.append(words(last + 6, 20 + ROW / 2 + 6, f"{len(said) - len(shown)} more", "detail"))
    inside = f'<g transform="translate({number(left)})">{"".join(parts)}</g>'
    return "".join(names) + inside


class _Saying:
    """One arrow of a conversation: its words, its rows, and where it goes."""

    def __init__(self, mark, panel, rows):
        self.lane = mark.lane
        self.here = rows[mark.lane]
        self.other = rows.get(panel.rec.lanes[mark.lane].parent, self.here - ROW)
        self.inwards = mark.kind in ("next", "send", "throw", "close")
        detail = mark.detail or ""
        self.whole = f"{mark.kind}({detail})" if self.inwards else f"{mark.kind} {detail}".strip()
        self.words = cut(self.whole, 22)
        self.width = room(self.words) + 8
        self.x = 0.0


def _placed(said, wide):
    """Put the sayings side by side so that no two words meet; those that have room."""
    ends = {}  # (row, direction) → where its last words end
    at, row = 18, None
    for i, one in enumerate(said):
        level = one.here, one.inwards
        gap = 34 if one.here == row else 22
        one.x = max(at + gap, ends.get(level, 0) + one.width / 2)
        right = one.x + max(LEAST, one.width / 2)
        if right > wide:
            return said[:i]
        ends[level] = one.x + one.width / 2
        at, row = one.x, one.here
    stretch = min((wide - right + at) / at, 1.6) if said else 1
    for one in said:
        one.x *= stretch
    return said


def _arrow(one, bars):
    # Between two bars, for on a bar the tip of an arrow can't be seen; behind those of others.
    far = one.other + (EDGE if one.other in bars else 0)
    near = one.here - EDGE
    start, tip = (far, near - 1) if one.inwards else (near, far + 1)
    back = -HEAD if one.inwards else HEAD
    return (
        f'<g class="{"in" if one.inwards else "out"}" transform="translate({number(one.x)})">'
        f'<path d="M0 {number(start)}V{number(tip + back)}"/>'
        f'<path class="head" d="M0 {number(tip)}l-3 {back}h6z"/></g>'
    )


def _spoken(one):
    y = one.here - (ROW * 0.7 if one.inwards else ROW * 0.42) + 4
    return words(one.x, y, one.words, "detail", anchor="middle", whole=one.whole)


def _strips(panel, shown):
    """Lane → what its frame did, in order: [(state, from where, what it was told or said)]."""
    strips = {lane.id: [("created", BEGIN, "")] for lane in panel.lanes}
    states = {lane.id: iter(_states_after(panel, lane)) for lane in panel.lanes}
    for one in shown:
        state = "running" if one.inwards else next(states[one.lane], "closed")
        strips[one.lane].append((state, one.x, one.whole))
    return strips


def _states_after(panel, lane):
    """The state of a generator's frame after each of its turns."""
    spans = panel.spans[lane.id]
    return [two.state for one, two in zip(spans, spans[1:]) if one.state == "running"]


def _strip(name, strip, last):
    parts, texts = [], []
    ends = [x for _, x, _ in strip[1:]] + [last]
    for (state, start, said), end in zip(strip, ends):
        high = LOOKS[state].of(32)
        told = "after" if state == "running" else "since"
        title = f"{name}: {state}" + (f" {told} {said}" if said else "")
        parts.append(bar(state, start, -high / 2, end - start, high, title=f"{title}."))
        if end - start > room(state) + 8 and state in ("created", "suspended"):
            texts.append(words((start + end) / 2, 4, state, "detail", anchor="middle"))
    return "".join(parts + texts)
