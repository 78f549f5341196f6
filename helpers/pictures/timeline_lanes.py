"""The lanes of a timeline along its time axis: states, outcomes, wake arrows, cancellations."""

import collections

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from helpers.pictures.picture import BLUE, DARK, GREY, PURPLE
from helpers.pictures.timeline_crowd import STATES, draw_crowd
from helpers.pictures.timeline_looks import BLUE_EDGE, LOOKS, PLAIN, cut, draw_bars
from helpers.pictures.timeline_panel import Panel

PIXEL = 1 / 1100  # of the axis: nothing narrower is told apart
SEEN = 1 / 300  # of the axis: a step is drawn at least so wide, to be seen at all
ROOM = 1.21  # times the time that is shown: for the outcomes at the right
ENDS = {"done": "✓ done", "failed": "✗ failed", "cancelled": "⊘ cancelled", None: "… goes on"}
STROKES = {"waiting": 4, "selecting": 0.8, "closed": 2.5}  # of flat bars, in the key
JOBS = {"thread", "process"}
CORE = 0.72  # of a lane: the height of a whole core


def key(panel: Panel) -> dict[str, Artist]:
    """What the key under the figure must explain: words → sample."""
    shown = {lane.id for lane in panel.lanes if lane.kind != "caller"}
    kinds = {lane.kind for lane in panel.lanes}
    least = 0 if panel.turns else panel.span * 2 * PIXEL
    states = {
        span.state
        for lane in shown
        for span in panel.spans[lane]
        if span.end - span.start > least or span.state == "running"
    }
    if panel.crowd:
        states |= set(STATES)
    samples = {}
    for state, look in LOOKS.items():
        if state in states and not (state == "running" and kinds <= JOBS):
            if state in STROKES:
                samples[look.words] = Line2D([], [], color=GREY, lw=STROKES[state])
            else:
                samples[look.words] = Patch(
                    facecolor=look.face, edgecolor=look.edge, hatch=look.hatch
                )
    if kinds & JOBS:
        samples["height: share of a core"] = Line2D(
            [],
            [],
            ls="",
            marker="s",
            markersize=7,
            fillstyle="bottom",
            markerfacecolor=BLUE,
            markerfacecoloralt="white",
            markeredgecolor=GREY,
        )
    if panel.turns:
        return samples
    if panel.arrows():
        samples["woken by"] = Line2D(
            [], [], color=PURPLE, lw=1, marker="v", markersize=4, markevery=[1]
        )
    marks = {mark.kind for mark in panel.marks if mark.lane in shown}
    for kind, face in (("cancel asked", "white"), ("cancel delivered", DARK)):
        if kind in marks:
            samples[kind] = Line2D(
                [], [], color=DARK, marker="v", ls="", markerfacecolor=face, markersize=6
            )
    return samples


def draw_lanes(panel: Panel, axes: Axes, span: float, inches: float) -> None:
    """Draw the panel's lanes on an axis that is `inches` wide.

    span: seconds, of the longest panel in the figure.
    """
    drawing = _Lanes(panel, axes, span * ROOM, inches)
    axes.set_xlim(-span * 0.004, drawing.scale)
    count = len(panel.lanes)
    ticks = list(range(count))
    names = [cut(lane.name) for lane in panel.lanes]
    low = count - 0.4
    if panel.crowd:
        low = count + 1.5 / panel.row - 0.4
        draw_crowd(panel, axes, count - 0.25, low - 0.1, span)
        ticks.append((count - 0.25 + low) / 2)
        names.append("tasks")
    axes.set_ylim(low, -0.6)
    axes.set_yticks(ticks, names)
    axes.grid(axis="x", color="#e8ebea", lw=0.6)
    axes.set_axisbelow(True)
    if not panel.lanes:
        axes.text(
            0.5,
            0.5,
            "nothing was started inside the with",
            ha="center",
            transform=axes.transAxes,
        )
    rows = {lane.id: i for i, lane in enumerate(panel.lanes)}
    for lane, y in rows.items():
        drawing.draw_lane(panel.rec.lanes[lane], y)
    for wake in panel.arrows():
        _draw_arrow(axes, wake.time, rows[wake.by], rows[wake.lane])
    for mark in panel.marks:
        if mark.lane in rows and mark.kind.startswith("cancel"):
            _draw_cancel(axes, mark, rows[mark.lane])


def _draw_arrow(axes, time, start, end):
    gap = 0.34 if end > start else -0.34
    axes.annotate(
        "",
        (time, end - gap * 0.6),
        (time, start + gap * 0.9),
        zorder=6,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.16,head_length=0.3",
            "color": PURPLE,
            "lw": 0.9,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


def _draw_cancel(axes, mark, y):
    asked = mark.kind == "cancel asked"
    axes.plot(
        mark.time,
        y - (0.46 if asked else 0),
        marker="v",
        markersize=5.5,
        color=DARK,
        zorder=8,
        markerfacecolor="white" if asked else DARK,
        clip_on=False,
    )


class _Lanes:
    """The lanes of a panel on axes that show `scale` seconds on so many inches."""

    def __init__(self, panel, axes, scale, inches):
        self.panel = panel
        self.axes = axes
        self.scale = scale
        self.inches = inches

    def draw_lane(self, lane, y):
        spans = self.panel.spans[lane.id]
        if lane.kind in JOBS:
            _draw_jobs(self.axes, spans, y)
        else:
            self.draw_states(spans, y)
            self.write_details(spans, y)
        if lane.kind != "loop":
            self.write_outcome(lane, spans, y)

    def draw_states(self, spans, y):
        ranges = collections.defaultdict(list)
        for span in spans:
            ranges[span.state].append((span.start, span.end))
        for state in LOOKS:
            if state in ranges:
                runs = state == "running"
                merged = _merged(ranges[state], self.scale, SEEN if runs else 0)
                draw_bars(self.axes, state, merged, y, zorder=3 if runs else 2)

    def write_outcome(self, lane, spans, y):
        end = lane.ended
        if end is None:
            end = spans[-1].end if spans else self.panel.rec.duration
        words = "… lost" if lane.detail and not lane.outcome else ENDS[lane.outcome]
        if lane.kind in JOBS and spans and spans[-1].cpu is not None:
            words = f"{words}, {spans[-1].cpu:.0%} cpu"
        self.axes.text(
            end + self.scale * 0.01, y, words, fontsize=6.5, va="center", zorder=7, bbox=PLAIN
        )

    def write_details(self, spans, y):
        """Write what a lane waits for, and what blocks the loop, where there is room."""
        written = -1.0  # how far the last words reach, in inches
        for span in self.worth_words(spans):
            room = (span.end - span.start) / self.scale * self.inches
            need = 0.052 * len(span.detail) + 0.06
            if span.state == "waiting" and room > need:
                self.axes.text(
                    (span.start + span.end) / 2,
                    y - 0.12,
                    span.detail,
                    fontsize=6.5,
                    ha="center",
                    va="bottom",
                    zorder=5,
                )
            elif span.state == "blocked":
                inside = room > need
                left = not inside and span.end / self.scale * self.inches + need > self.inches
                x = (span.start + span.end) / 2 if inside else (span.start if left else span.end)
                begin = x / self.scale * self.inches - need * (0.5 if inside else left)
                if begin < written:
                    continue
                written = begin + need
                self.axes.text(
                    x,
                    y,
                    f" {span.detail} ",
                    fontsize=6.5,
                    va="center",
                    zorder=7,
                    color=DARK,
                    ha="center" if inside else ("right" if left else "left"),
                    bbox=PLAIN,
                )

    def worth_words(self, spans):
        """The spans that get words; what one line blocks again and again gets them once."""
        worth = []
        for span in spans:
            if span.state not in ("waiting", "blocked") or not span.detail:
                continue
            last = worth[-1] if worth else None
            if (
                last
                and last.state == span.state == "blocked"
                and last.detail == span.detail
                and (span.start - last.end < self.scale * 2 * PIXEL)
            ):
                worth[-1] = last._replace(end=span.end)
            else:
                worth.append(span)
        return worth


def _merged(ranges, scale, least):
    """Join what lies closer than a pixel; widen what is too narrow to see: (start, width)."""
    pixel, least = scale * PIXEL, scale * least
    merged = []
    for start, end in ranges:
        end = max(end, start + least)
        if merged and start - merged[-1][1] < pixel:
            merged[-1][1] = max(merged[-1][1], end)
        elif end - start >= pixel or least:
            merged.append([start, end])
    return [(start, end - start) for start, end in merged]


def _draw_jobs(axes, spans, y):
    """A call in a thread or process: the frame is a whole core, the filling its share of it."""
    for span in spans:
        width, height = span.end - span.start, CORE * (span.cpu or 0)
        bottom = y + CORE / 2
        frame = Rectangle(
            (span.start, y - CORE / 2),
            width,
            CORE,
            facecolor="white",
            edgecolor=GREY,
            lw=0.7,
            zorder=2,
        )
        filling = Rectangle(
            (span.start, bottom - height),
            width,
            height,
            facecolor=BLUE,
            edgecolor=BLUE_EDGE,
            lw=0.5,
            zorder=3,
        )
        axes.add_patch(frame)
        axes.add_patch(filling)
