"""A recording as a figure: one lane a task, told apart by shape and hatching as well as colour.

    timeline(rec)                                       # one recording
    timeline({"one by one": rec1, "together": rec2})    # several, on one time axis

The figure carries its own description: `alt` for those who do not see it, `text` as its twin.
"""

import collections

import numpy
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from helpers.pictures.picture import BLUE, BROWN, DARK, GREY, PURPLE, RED, WIDTH, Picture

__all__ = ["timeline", "Figure"]

MOST = 24  # lanes drawn one by one
_PIXEL = 1 / 1100  # of the axis: nothing narrower is told apart
_SEEN = 1 / 300  # of the axis: a step is drawn at least so wide, to be seen at all

# state → height of its bar, face, edge, hatch, words of the key
_LOOKS = {
    "running": (0.62, BLUE, "#1f5a94", None, "running"),
    "ready": (0.40, "#fff1d0", "#b37400", "//////", "ready, waits its turn"),
    "waiting": (0.14, "#c9d1d0", "#717581", None, "waiting for something"),
    "selecting": (0.02, "#717581", "#717581", None, "loop has nothing to do"),
    "blocked": (0.78, "#f6d5cf", RED, "xxxxx", "loop is blocked"),
    "created": (0.40, "#ffffff", "#717581", None, "created"),
    "suspended": (0.40, "#fff1d0", "#b37400", "//////", "suspended"),
    "closed": (0.10, GREY, "#717581", None, "closed"),
}
_ENDS = {"done": "✓ done", "failed": "✗ failed", "cancelled": "⊘ cancelled", None: "… goes on"}
_PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind words


def timeline(rec, *, title=None, lanes=None):
    """Draw a recording, or a dict {title: recording} as panels on one time axis.

    lanes: names (or Lanes) of the lanes to draw, in this order; None draws all, and puts more
    than 24 together: how many tasks were in which state, and a few lanes as a sample.
    Returns a `Figure`. Raises ValueError for an empty dict, KeyError for a lane there is not.
    """
    recs = rec if isinstance(rec, dict) else {None: rec}
    if not recs:
        raise ValueError("there is no recording to draw: the dict is empty")
    panels = [_Panel(one, name, lanes) for name, one in recs.items()]
    return Figure(panels, title)


class Figure(Picture):
    """A drawn timeline. `alt` and `text` say what it shows; a notebook displays it."""

    def __init__(self, panels, title):
        self._panels = panels
        self._title = title
        heading = [f"{title}."] if title else []
        self.alt = " ".join(heading + [panel.alt for panel in panels])
        self.text = "\n".join(heading + [panel.text for panel in panels])

    def draw(self):
        return _canvas(self._panels, self._title)


def _canvas(panels, title):
    keys = {}
    for panel in panels:
        keys.update(panel.keys())
    columns = 4 if len(keys) == 4 and sum(map(len, keys)) < 60 else 3
    rows = -(-len(keys) // columns)
    heights = [panel.height for panel in panels]
    titles = 0.22 * sum(1 for panel in panels if panel.name) + (0.28 if title else 0.05)
    bottom = (0.26 if panels[-1].turns else 0.42) + 0.19 * rows
    total = sum(heights) + titles + bottom + 0.12 * (len(panels) - 1)
    canvas = Canvas(figsize=(WIDTH, total))
    left = max(panel.margin for panel in panels)
    span = max(panel.span for panel in panels) or 1e-6
    unit, scale = _unit(span)
    top = total - (0.28 if title else 0.05)
    for panel in panels:
        top -= 0.22 if panel.name else 0
        place = (left / WIDTH, (top - panel.height) / total, (WIDTH - left - 0.08) / WIDTH)
        axes = canvas.add_axes((*place, panel.height / total))
        top -= panel.height + 0.12
        panel.draw(axes, span, WIDTH - left - 0.08)
        if panel.name:
            axes.set_title(panel.name, loc="left", fontsize=8.5, fontweight="bold", pad=4)
        axes.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value * scale:g}")
        if panel is not panels[-1]:
            axes.tick_params(axis="x", labelbottom=False)
    if panel.turns:
        axes.set_xticks([])
        axes.set_xlabel("turn by turn, from left to right")
    else:
        virtual = panel.rec.clock == "virtual"
        axes.set_xlabel(f"{unit} of virtual time: sleeps jump" if virtual else unit)
    if title:
        canvas.text(0.01, 1 - 0.06 / total, title, fontsize=10, fontweight="bold", va="top")
    if keys:
        canvas.legend(
            list(keys.values()),
            list(keys),
            loc="lower center",
            ncols=columns,
            frameon=False,
            fontsize=7,
            handlelength=2.2,
            columnspacing=1.6,
            borderaxespad=0.1,
        )
    return canvas


def _unit(span):
    if span >= 0.5:
        return "seconds", 1
    if span >= 0.0005:
        return "milliseconds", 1e3
    return "microseconds", 1e6


class _Panel:
    """One recording in a figure."""

    def __init__(self, rec, name, wanted):
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
        self.crowd = []  # lanes that are drawn together
        self.span = max([rec.duration, *(s[-1].end for s in self.spans.values() if s)])
        if len(self.lanes) > MOST:
            self.crowd = [lane for lane in self.lanes if lane.kind != "loop"]
            self.lanes = [lane for lane in self.lanes if lane.kind == "loop"][:2] + _sample(
                self.crowd
            )
        self.wakes = [wake for wake in rec.wakes if wake.by is not None]
        self.marks = rec.marks
        self.text = _text(self)
        self.alt = _alt(self)

    def states_after(self, lane):
        """The state of a generator's frame after each of its turns."""
        spans = self.spans[lane.id]
        return [two.state for one, two in zip(spans, spans[1:]) if one.state == "running"]

    # size

    @property
    def row(self):
        return 0.34 if len(self.lanes) <= 10 else 0.26

    @property
    def height(self):
        if self.turns:
            return 0.75 * max(len(self.lanes), 2)
        return self.row * max(len(self.lanes), 1) + (1.5 if self.crowd else 0)

    @property
    def margin(self):
        names = [_cut(lane.name) for lane in self.lanes] + (["tasks"] if self.crowd else [])
        return 0.2 + 0.068 * max([4, *map(len, names)])

    # drawing

    def keys(self):
        """What the key under the figure must explain: words → handle."""
        shown = {lane.id for lane in self.lanes if lane.kind != "caller"}
        kinds = {lane.kind for lane in self.lanes}
        least = 0 if self.turns else self.span * 2 * _PIXEL
        states = {
            span.state
            for lane in shown
            for span in self.spans[lane]
            if span.end - span.start > least or span.state == "running"
        }
        if self.crowd:
            states |= {"running", "ready", "waiting"}
        keys = {}
        for state, (height, face, edge, hatch, words) in _LOOKS.items():
            if state in states and not (state == "running" and kinds <= {"thread", "process"}):
                if height < 0.2:
                    lines = {"waiting": 4, "selecting": 0.8, "closed": 2.5}
                    keys[words] = Line2D([], [], color=GREY, lw=lines[state])
                else:
                    keys[words] = Patch(facecolor=face, edgecolor=edge, hatch=hatch)
        if kinds & {"thread", "process"}:
            keys["height: share of a core"] = Line2D(
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
        if self.turns:
            return keys
        if self.arrows():
            keys["woken by"] = Line2D(
                [], [], color=PURPLE, lw=1, marker="v", markersize=4, markevery=[1]
            )
        marks = {mark.kind for mark in self.marks if mark.lane in shown}
        for kind, face in (("cancel asked", "white"), ("cancel delivered", DARK)):
            if kind in marks:
                keys[kind] = Line2D(
                    [], [], color=DARK, marker="v", ls="", markerfacecolor=face, markersize=6
                )
        return keys

    def arrows(self):
        rows = {lane.id for lane in self.lanes}
        arrows = [wake for wake in self.wakes if wake.by in rows and wake.lane in rows]
        return arrows if len(arrows) <= 80 else []

    def draw(self, axes, span, inches):
        if self.turns:
            _draw_talk(self, axes, inches)
            return
        self.inches, self.scale = inches, span * 1.21  # room for the outcome at the right
        axes.set_xlim(-span * 0.004, self.scale)
        count = len(self.lanes)
        rows = {lane.id: i for i, lane in enumerate(self.lanes)}
        ticks = list(range(count))
        names = [_cut(lane.name) for lane in self.lanes]
        low = count - 0.4
        if self.crowd:
            low = count + 1.5 / self.row - 0.4
            _draw_crowd(self, axes, count - 0.25, low - 0.1, span)
            ticks.append((count - 0.25 + low) / 2)
            names.append("tasks")
        axes.set_ylim(low, -0.6)
        axes.set_yticks(ticks, names)
        axes.grid(axis="x", color="#e8ebea", lw=0.6)
        axes.set_axisbelow(True)
        if not self.lanes:
            axes.text(
                0.5,
                0.5,
                "nothing was started inside the with",
                ha="center",
                transform=axes.transAxes,
            )
        for lane, y in rows.items():
            self.draw_lane(axes, self.rec.lanes[lane], y)
        for wake in self.arrows():
            start, end = rows[wake.by], rows[wake.lane]
            gap = 0.34 if end > start else -0.34
            axes.annotate(
                "",
                (wake.time, end - gap * 0.6),
                (wake.time, start + gap * 0.9),
                zorder=6,
                arrowprops={
                    "arrowstyle": "-|>,head_width=0.16,head_length=0.3",
                    "color": PURPLE,
                    "lw": 0.9,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
            )
        for mark in self.marks:
            if mark.lane in rows and mark.kind.startswith("cancel"):
                asked = mark.kind == "cancel asked"
                axes.plot(
                    mark.time,
                    rows[mark.lane] - (0.46 if asked else 0),
                    marker="v",
                    markersize=5.5,
                    color=DARK,
                    zorder=8,
                    markerfacecolor="white" if asked else DARK,
                    clip_on=False,
                )

    def draw_lane(self, axes, lane, y):
        spans = self.spans[lane.id]
        if lane.kind in ("thread", "process"):
            _draw_jobs(axes, lane, spans, y)
        else:
            ranges = collections.defaultdict(list)
            for span in spans:
                ranges[span.state].append((span.start, span.end))
            for z, (state, (height, face, edge, hatch, _)) in enumerate(_LOOKS.items()):
                if state in ranges:
                    least = _SEEN if state == "running" else 0
                    axes.broken_barh(
                        _merged(ranges[state], self.scale, least),
                        (y - height / 2, height),
                        facecolor=face,
                        edgecolor=edge,
                        lw=0.5,
                        hatch=hatch,
                        zorder=3 if state == "running" else 2,
                    )
            self.label(axes, spans, y)
        if lane.kind != "loop":
            end = lane.ended
            if end is None:
                end = spans[-1].end if spans else self.rec.duration
            words = "… lost" if lane.detail and not lane.outcome else _ENDS[lane.outcome]
            if lane.kind in ("thread", "process") and spans and spans[-1].cpu is not None:
                words = f"{words}, {spans[-1].cpu:.0%} cpu"
            axes.text(
                end + self.scale * 0.01, y, words, fontsize=6.5, va="center", zorder=7, bbox=_PLAIN
            )

    def label(self, axes, spans, y):
        """Write what a lane waits for, and what blocks the loop, where there is room."""
        written = -1.0  # how far the last words reach, in inches
        for span in self.worth_words(spans):
            room = (span.end - span.start) / self.scale * self.inches
            need = 0.052 * len(span.detail) + 0.06
            if span.state == "waiting" and room > need:
                axes.text(
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
                axes.text(
                    x,
                    y,
                    f" {span.detail} ",
                    fontsize=6.5,
                    va="center",
                    zorder=7,
                    color=DARK,
                    ha="center" if inside else ("right" if left else "left"),
                    bbox=_PLAIN,
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
                and (span.start - last.end < self.scale * 2 * _PIXEL)
            ):
                worth[-1] = last._replace(end=span.end)
            else:
                worth.append(span)
        return worth


def _merged(ranges, scale, least):
    """Join what lies closer than a pixel; widen what is too narrow to see: (start, width)."""
    pixel, least = scale * _PIXEL, scale * least
    merged = []
    for start, end in ranges:
        end = max(end, start + least)
        if merged and start - merged[-1][1] < pixel:
            merged[-1][1] = max(merged[-1][1], end)
        elif end - start >= pixel or least:
            merged.append([start, end])
    return [(start, end - start) for start, end in merged]


def _draw_jobs(axes, lane, spans, y):
    """A call in a thread or process: the frame is a whole core, the filling its share of it."""
    for span in spans:
        width = span.end - span.start
        axes.add_patch(
            Rectangle(
                (span.start, y - 0.36),
                width,
                0.72,
                facecolor="white",
                edgecolor=GREY,
                lw=0.7,
                zorder=2,
            )
        )
        height = 0.72 * (span.cpu or 0)
        axes.add_patch(
            Rectangle(
                (span.start, y + 0.36 - height),
                width,
                height,
                facecolor=BLUE,
                edgecolor="#1f5a94",
                lw=0.5,
                zorder=3,
            )
        )


# Many lanes at once


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


def _draw_crowd(panel, axes, top, low, span):
    """How many lanes were in which state, over time, as layers."""
    at = numpy.linspace(0, span, 400)
    starts, ends = collections.defaultdict(list), collections.defaultdict(list)
    for lane in panel.crowd:
        for one in panel.spans[lane.id]:
            starts[one.state].append(one.start)
            ends[one.state].append(one.end)
    counts = {
        state: numpy.searchsorted(numpy.sort(starts[state]), at, "right")
        - numpy.searchsorted(numpy.sort(ends[state]), at, "right")
        for state in ("running", "ready", "waiting")
    }
    most = max(1, int(sum(counts.values()).max()))
    base = numpy.zeros(len(at))
    for state, count in counts.items():
        _, face, edge, hatch, _ = _LOOKS[state]
        above = base + count
        axes.fill_between(
            at,
            low - base / most * (low - top),
            low - above / most * (low - top),
            facecolor=face,
            edgecolor=edge,
            hatch=hatch,
            lw=0.4,
            step="post",
            zorder=2,
        )
        base = above
    axes.text(span * 1.01, top, f"{most} at once", fontsize=6.5, va="center")
    axes.text(span * 1.01, low, "0", fontsize=6.5, va="bottom")


# Generators


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


def _draw_talk(panel, axes, inches):
    """A conversation: what was said, in turn, and the state of each generator's frame."""
    rows = {lane.id: 2 * i for i, lane in enumerate(panel.lanes)}
    bars = {rows[lane.id] for lane in panel.lanes if lane.kind == "generator"}
    said = [_Saying(mark, panel, rows) for mark in panel.marks if mark.lane in rows]
    shown = _placed(said, inches)
    if len(shown) < len(said):
        shown = _placed(said, inches - 0.55)  # leaves room to say how many more
    last = max([0.2, *(one.x + max(0.35, one.width / 2) for one in shown[-4:])])
    axes.set_xlim(0, max(inches, last))
    axes.set_ylim(2 * len(rows) - 1.4, -0.5)
    axes.set_yticks(list(rows.values()), [_cut(lane.name) for lane in panel.lanes])
    strips = {lane.id: [("created", 0.05)] for lane in panel.lanes}  # (state, from where)
    states = {lane.id: iter(panel.states_after(lane)) for lane in panel.lanes}
    for one in shown:
        state = "running" if one.inwards else next(states[one.lane], "closed")
        strips[one.lane].append((state, one.x))
        # Between two bars, for on a bar the tip of an arrow can't be seen.
        edges = one.other + (0.31 if one.other in bars else 0), one.here - 0.31
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
            bbox=_PLAIN,
        )
    for lane in panel.lanes:
        if lane.kind == "caller":
            axes.plot([0.05, last], [rows[lane.id]] * 2, color=DARK, lw=1.2, zorder=1)
            continue
        ends = [x for _, x in strips[lane.id][1:]] + [last]
        for (state, start), end in zip(strips[lane.id], ends):
            height, face, edge, hatch, _ = _LOOKS[state]
            axes.broken_barh(
                [(start, end - start)],
                (rows[lane.id] - height / 2, height),
                facecolor=face,
                edgecolor=edge,
                lw=0.5,
                hatch=hatch,
                zorder=2,
            )
            if end - start > 0.056 * len(state) + 0.08 and height > 0.2:
                axes.text(
                    (start + end) / 2,
                    rows[lane.id],
                    state,
                    fontsize=6.5,
                    ha="center",
                    va="center",
                    zorder=4,
                    bbox=_PLAIN,
                )
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
        self.words = _cut(words, 22)
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


# Words


def _cut(text, most=18):
    return text if len(text) <= most else text[: most - 1] + "…"


def _time(seconds):
    if seconds >= 0.9995:
        return f"{seconds:.2f} s"
    if seconds >= 0.0000995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.0f} µs"


def _joined(parts):
    """["a", "b", "c"] → "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _story(panel, lane):
    """What one lane did: a sentence."""
    tell = {
        "loop": _loop_story,
        "thread": _job_story,
        "process": _job_story,
        "caller": _caller_story,
        "generator": _generator_story,
    }
    return tell.get(lane.kind, _task_story)(panel, lane)


def _loop_story(panel, lane):
    took = collections.Counter()
    for span in panel.spans[lane.id]:
        took[span.state] += span.end - span.start
    parts = [f"ran steps for {_time(took['running'])}"]
    if took["selecting"]:
        parts.append(f"had nothing to do for {_time(took['selecting'])}")
    for span in panel.spans[lane.id]:
        if span.state == "blocked":
            long, at = _time(span.end - span.start), _time(span.start)
            parts.append(f"was blocked for {long} at {at} by {span.detail}")
    return f"The {lane.name} {_joined(parts)}."


def _job_story(panel, lane):
    share = next((span.cpu for span in panel.spans[lane.id]), None)
    end = panel.rec.duration if lane.ended is None else lane.ended
    where = f" in {lane.detail}" if lane.detail and lane.outcome == "done" else ""
    parts = [f"ran{where} from {_time(lane.created)} on for {_time(end - lane.created)}"]
    if share is not None:
        parts.append(f"used {share:.0%} of a core")
    return f"{lane.name} {_joined([*parts, _end(lane)])}."


def _caller_story(panel, lane):
    called = [one.name for one in panel.lanes if one.parent == lane.id]
    return f"The {lane.name} talked to {_joined(called) if called else 'nobody'}."


def _generator_story(panel, lane):
    said = [mark for mark in panel.marks if mark.lane == lane.id]
    turns = []
    for asked, answer in zip(said[::2], said[1::2]):
        turns.append(f"{asked.kind}({asked.detail or ''}) with {answer.kind} {answer.detail or ''}")
    if len(turns) > 8:
        turns[8:] = [f"{len(turns) - 8} turns more"]
    if not turns:
        return f"The generator {lane.name} was created and never ran."
    state, told = panel.spans[lane.id][-1].state, _joined([turn.strip() for turn in turns])
    return f"The generator {lane.name} answered {told}; it is {state}."


def _task_story(panel, lane):
    took, reasons, steps = collections.Counter(), collections.Counter(), 0
    for span in panel.spans[lane.id]:
        took[span.state] += span.end - span.start
        steps += span.state == "running"
        if span.state == "waiting":
            reasons[span.detail] += span.end - span.start
    parts = [f"ran for {_time(took['running'])} in {steps} step{'' if steps == 1 else 's'}"]
    if not steps:
        parts = ["never ran"]
    parts += [f"waited {_time(t)} for {what}" for what, t in reasons.most_common(3)]
    if took["ready"] >= max(0.001, panel.span / 500):
        parts.append(f"waited {_time(took['ready'])} for its turn")
    for mark in panel.marks:
        if mark.lane == lane.id:
            what = "was asked to cancel" if mark.kind == "cancel asked" else "was told so"
            parts.append(f"{what} {mark.detail or ''}".strip() + f" at {_time(mark.time)}")
    by = ""
    if lane.parent is not None:
        by = f", created by {panel.rec.lanes[lane.parent].name} at {_time(lane.created)},"
    return f"{lane.name}{by} {_joined([*parts, _end(lane)])}."


def _end(lane):
    if lane.outcome is None:
        return lane.detail if lane.detail and lane.kind == "task" else "had not ended"
    at = _time(lane.ended)
    if lane.outcome == "failed":
        return f"failed at {at} with {_cut(lane.detail or '', 80)}"
    return f"was {lane.outcome} at {at}"


_PLURALS = {"process": "processes"}


def _head(panel):
    rec = panel.rec
    clock = " of virtual time" if rec.clock == "virtual" else ""
    counts = collections.Counter(lane.kind for lane in panel.crowd or panel.lanes)
    lanes = _joined(
        [
            f"{n} {kind}" if n == 1 else f"{n} {_PLURALS.get(kind, kind + 's')}"
            for kind, n in counts.items()
        ]
        or ["no lanes"]
    )
    name = f"{panel.name}: " if panel.name else ""
    if panel.turns:
        return f"{name}Conversation of {lanes}."
    peak = f"; at most {rec.peak()} tasks in flight at once" if counts["task"] > 1 else ""
    return f"{name}Timeline of {_time(rec.duration)}{clock}: {lanes}{peak}."


def _outcomes(panel):
    outcomes = collections.Counter(lane.outcome for lane in panel.crowd)
    ends = _joined([f"{n} {what or 'not ended'}" for what, n in outcomes.items()])
    return f"In the end: {ends}. Some of them:"


def _text(panel):
    lines = [_head(panel)] + ([_outcomes(panel)] if panel.crowd else [])
    return "\n".join(lines + [_story(panel, lane) for lane in panel.lanes])


def _alt(panel):
    parts = [_head(panel)] + ([_outcomes(panel)] if panel.crowd else [])
    parts += [_story(panel, lane) for lane in panel.lanes[:10]]
    if len(panel.lanes) > 10:
        parts.append(f"And {len(panel.lanes) - 10} lanes more.")
    return " ".join(parts)
