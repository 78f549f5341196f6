"""A talk of generators and their callers: what was said, in turn, and the state of each frame."""

from matplotlib.axes import Axes

from helpers.pictures.picture import BLUE, BROWN, DARK
from helpers.pictures.timeline_looks import LOOKS, PLAIN, cut, draw_bars
from helpers.pictures.timeline_panel import Panel

BEGIN = 0.05  # inches: where the lanes begin
FOR_MORE = 0.55  # inches: room to say how many more turns there are
EDGE = 0.31  # of a bar, from the middle of its lane


def draw_talk(panel: Panel, axes: Axes, inches: float) -> None:
    """Draw the turns that have room in a width of so many inches, and how many more there are."""
    rows = {lane.id: 2 * i for i, lane in enumerate(panel.lanes)}
    said = [_Saying(mark, panel, rows) for mark in panel.marks if mark.lane in rows]
    shown = _placed(said, inches)
    if len(shown) < len(said):
        shown = _placed(said, inches - FOR_MORE)
    last = max([0.2, *(one.x + max(0.35, one.width / 2) for one in shown[-4:])])
    axes.set_xlim(0, max(inches, last))
    axes.set_ylim(2 * len(rows) - 1.4, -0.5)
    axes.set_yticks(list(rows.values()), [cut(lane.name) for lane in panel.lanes])
    bars = {rows[lane.id] for lane in panel.lanes if lane.kind == "generator"}
    for one in shown:
        _draw_saying(axes, one, bars)
    strips = _strips(panel, shown)
    for lane in panel.lanes:
        if lane.kind == "caller":
            axes.plot([BEGIN, last], [rows[lane.id]] * 2, color=DARK, lw=1.2, zorder=1)
        else:
            _draw_strip(axes, strips[lane.id], rows[lane.id], last)
    if len(shown) < len(said):
        axes.text(last + 0.05, 1, f"… and\n{len(said) - len(shown)} more", fontsize=7, va="center")


class _Saying:
    """One arrow of a conversation: its words, its rows, and where it goes."""

    def __init__(self, mark, panel, rows):
        self.lane = mark.lane
        self.here = rows[mark.lane]
        self.other = rows.get(panel.rec.lanes[mark.lane].parent, self.here - 2)
        self.inwards = mark.kind in ("next", "send", "throw", "close")
        detail = mark.detail or ""
        words = f"{mark.kind}({detail})" if self.inwards else f"{mark.kind} {detail}".strip()
        self.words = cut(words, 22)
        self.width = 0.058 * len(self.words) + 0.08
        self.x = 0.0


def _placed(said, inches):
    """Put the sayings side by side so that no two words meet; those that have room."""
    ends = {}  # (row, direction) → where its last words end
    at, row = 0.2, None
    for i, one in enumerate(said):
        level = one.here, one.inwards
        gap = 0.34 if one.here == row else 0.22
        one.x = max(at + gap, ends.get(level, 0) + one.width / 2)
        right = one.x + max(0.35, one.width / 2)
        if right > inches:
            return said[:i]
        ends[level] = one.x + one.width / 2
        at, row = one.x, one.here
    room = min((inches - right + at) / at, 1.6) if said else 1
    for one in said:
        one.x *= room
    return said


def _draw_saying(axes, one, bars):
    # Between two bars, for on a bar the tip of an arrow can't be seen.
    edges = one.other + (EDGE if one.other in bars else 0), one.here - EDGE
    ends = edges if one.inwards else edges[::-1]
    axes.annotate(
        "",
        (one.x, ends[1]),
        (one.x, ends[0]),
        zorder=3,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.18,head_length=0.35",
            "shrinkA": 0,
            "shrinkB": 0,
            "color": BLUE if one.inwards else BROWN,
            "lw": 1.1,
            "ls": "-" if one.inwards else (0, (4, 2)),
        },
    )
    axes.text(
        one.x,
        one.here - (1.42 if one.inwards else 0.82),
        one.words,
        fontsize=6.8,
        ha="center",
        va="center",
        zorder=5,
        bbox=PLAIN,
    )


def _strips(panel, shown):
    """Lane → the states of its frame, in order: [(state, from where)]."""
    strips = {lane.id: [("created", BEGIN)] for lane in panel.lanes}
    states = {lane.id: iter(_states_after(panel, lane)) for lane in panel.lanes}
    for one in shown:
        state = "running" if one.inwards else next(states[one.lane], "closed")
        strips[one.lane].append((state, one.x))
    return strips


def _states_after(panel, lane):
    """The state of a generator's frame after each of its turns."""
    spans = panel.spans[lane.id]
    return [two.state for one, two in zip(spans, spans[1:]) if one.state == "running"]


def _draw_strip(axes, strip, y, last):
    ends = [x for _, x in strip[1:]] + [last]
    for (state, start), end in zip(strip, ends):
        draw_bars(axes, state, [(start, end - start)], y)
        if end - start > 0.056 * len(state) + 0.08 and LOOKS[state].height > 0.2:
            axes.text(
                (start + end) / 2,
                y,
                state,
                fontsize=6.5,
                ha="center",
                va="center",
                zorder=4,
                bbox=PLAIN,
            )
