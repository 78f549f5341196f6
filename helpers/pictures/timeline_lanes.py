"""The lanes of a timeline along its time axis: states, outcomes, wake arrows, cancellations."""

import collections
import itertools
from collections.abc import Callable, Iterator

from markupsafe import escape

from helpers.basics.words import moment
from helpers.pictures.timeline_axis import EDGE, Axis, grid
from helpers.pictures.timeline_bars import JOBS, Grain, bars_of, foldable
from helpers.pictures.timeline_crowd import HEIGHT, STATES, draw_crowd
from helpers.pictures.timeline_looks import LOOKS, bar, cut, number, room, words
from helpers.pictures.timeline_panel import Panel
from helpers.recording.model import Lane

ENDS = {"done": "✓ done", "failed": "✗ failed", "cancelled": "⊘ cancelled", None: "… goes on"}
CORE = 0.72  # of a lane: the height of a whole core
BESIDE = 4  # pixels: arrows that are closer lie on one another
BULGES = (0, 13, -13, 20, -20, 27, -27)  # pixels: how far an arrow goes aside for others
TOP = 6  # pixels above the first lane


def height(panel: Panel) -> float:
    """The pixels that a panel's lanes need."""
    return TOP * 2 + panel.row * max(len(panel.lanes), 1) + (HEIGHT + 14 if panel.crowd else 0)


def end_of(panel: Panel, lane: Lane) -> float:
    """When the last that is shown of a lane ends, in seconds."""
    spans = panel.spans[lane.id]
    return lane.ended if lane.ended is not None else spans[-1].end if spans else panel.end


def outcome(panel: Panel, lane: Lane) -> str:
    """How a lane ended, in a word."""
    if lane.kind == "loop":
        return ""
    text = "… lost" if lane.detail and not lane.outcome else ENDS[lane.outcome]
    spans = panel.spans[lane.id]
    if lane.kind in JOBS and spans and spans[-1].cpu is not None:
        text = f"{text}, {spans[-1].cpu:.0%} cpu"
    return text


def draw_lanes(panel: Panel, axis: Axis, left: float, grain: Grain) -> str:
    """Draw the names of a panel's lanes and the plot beside them, `left` pixels from the edge."""
    high = height(panel)
    rows = _rows(panel, panel.lanes)
    names, inside = _names(panel.lanes, rows, left), [*_arrows(panel, axis, rows)]
    inside += [_Line(panel, lane, axis).draw(rows[lane.id], grain) for lane in panel.lanes]
    if not panel.lanes:
        nothing = "nothing was started inside the with"
        inside.append(words(axis.width / 2, high / 2 + 4, nothing, "name", anchor="middle"))
    if panel.crowd:
        top = TOP + panel.row * len(panel.lanes) + 10
        inside.append(draw_crowd(panel, axis, top))
        names += words(left - 12, top + HEIGHT / 2, "tasks", "name", anchor="end")
    base = f'<path class="axis" d="M{number(left)} {number(high)}h{number(axis.width)}"/>'
    return names + _plot("".join(inside), axis, left, high) + base + _more(panel, axis, left, grain)


def _more(panel, axis, left, grain):
    """The folded lanes, which `timeline.js` unfolds below the others."""
    lanes = foldable(panel, grain)
    if not lanes:
        return ""
    rows, high = _rows(panel, lanes), TOP * 2 + panel.row * len(lanes)
    inside = "".join(_Line(panel, lane, axis).draw(rows[lane.id], grain) for lane in lanes)
    drawn = _names(lanes, rows, left) + _plot(inside, axis, left, high)
    place = f'transform="translate(0 {number(height(panel))})"'
    return f'<g class="more" display="none" data-height="{number(high)}" {place}>{drawn}</g>'


def _rows(panel, lanes):
    """Lane → the middle of its row, in pixels."""
    return {lane.id: TOP + (i + 0.5) * panel.row for i, lane in enumerate(lanes)}


def _names(lanes, rows, left):
    return "".join(
        words(left - 12, rows[lane.id] + 4, cut(lane.name), "name", anchor="end", whole=lane.name)
        for lane in lanes
    )


def _plot(inside, axis, left, high):
    wide = axis.width + EDGE
    return (
        f'<svg class="plot" x="{number(left - EDGE)}" width="{number(wide)}" '
        f'height="{number(high)}" viewBox="{-EDGE} 0 {number(wide)} {number(high)}">'
        f"{grid(axis, high)}{inside}</svg>"
    )


class _Line:
    """One lane: its bars, what is written on and beside them, and its cancellations."""

    def __init__(self, panel, lane, axis):
        self.panel = panel
        self.lane = lane
        self.axis = axis

    def draw(self, y, grain):
        job = self.lane.kind in JOBS
        parts = list(self.job() if job else self.states(grain))
        text = outcome(self.panel, self.lane)
        if text:
            parts.append(words(self.axis.x(end_of(self.panel, self.lane)) + 7, 4, text, "end"))
        parts += self.cancels()
        return f'<g class="lane" transform="translate(0 {number(y)})">{"".join(parts)}</g>'

    def states(self, grain):
        bars = bars_of(self.panel, self.lane, grain)
        slivers = collections.defaultdict(list)
        for one in bars:
            x, high = self.axis.x(one.start), LOOKS[one.state].of(self.panel.row)
            wide = self.axis.x(one.end) - x
            if not one.title:
                # Together as one path, which needs a third of the room.
                slivers[one.state].append(
                    f"M{number(x)} {-high // 2}v{high}h{number(max(wide, 0.01))}v{-high}"
                )
                continue
            yield bar(one.state, x, -high / 2, wide, high, title=one.title, label=one.label)
            if one.state == "waiting" and room(one.label) + 4 < wide:
                yield words(x + wide / 2, -6, one.label, "detail", anchor="middle")
        for state, shapes in slivers.items():
            yield f'<path class="{state} slivers" d="{"".join(shapes)}"/>'
        yield from self.blocks([one for one in bars if one.state == "blocked"])

    def blocks(self, bars):
        """What blocks the loop; a line that does so again and again is written once."""
        written = 0.0  # how far the last words reach
        for (detail, _), run in itertools.groupby(bars, self.in_a_row()):
            run = list(run)
            middle, need = self.axis.x((run[0].start + run[-1].end) / 2), room(detail)
            middle = min(max(middle, need / 2), self.axis.width - need / 2 - EDGE)
            if middle - need / 2 >= written:
                yield words(middle, 4, detail, "detail blocks", anchor="middle")
                written = middle + need / 2

    def in_a_row(self):
        """A key that stays the same while one line blocks the loop with hardly a break."""
        last, row = None, 0

        def key(one):
            nonlocal last, row
            if last and self.axis.x(one.start) - self.axis.x(last.end) > BESIDE:
                row += 1
            last = one
            return one.label, row

        return key

    def job(self):
        """A call in a thread or process: the frame is a whole core, the filling its share of it."""
        whole = round(CORE * self.panel.row)
        for one in bars_of(self.panel, self.lane, Grain(0, 0)):
            [span] = [span for span in self.panel.spans[self.lane.id] if span.start == one.start]
            x, share = self.axis.x(one.start), whole * (span.cpu or 0)
            wide = self.axis.x(one.end) - x
            yield bar("core", x, -whole / 2, wide, whole, title=one.title)
            yield bar("running share", x, whole / 2 - share, wide, share)

    def cancels(self):
        for mark in self.panel.cancels():
            if mark.lane == self.lane.id:
                asked = mark.kind == "cancel asked"
                y = number(-0.42 * self.panel.row if asked else 0)
                does = f"was asked to cancel {mark.detail or ''}" if asked else "was told to cancel"
                title = f"{self.lane.name} {does.strip()} at {moment(mark.time)}."
                yield (
                    f'<path class="cancel{" asked" if asked else ""}" d="M-4.5-4h9l-4.5 8z" '
                    f'transform="translate({number(self.axis.x(mark.time))} {y})">'
                    f"<title>{escape(title)}</title></path>"
                )


# Arrows


def _arrows(panel: Panel, axis: Axis, rows: dict[int, float]) -> Iterator[str]:
    """Arrows from who woke to who was woken; where two would share a line, one goes aside."""
    taken = []  # (x, from, to, bulge)
    wakes = [wake for wake in panel.arrows() if wake.by != wake.lane]
    for wake in sorted(wakes, key=lambda wake: (wake.time, abs(rows[wake.lane] - rows[wake.by]))):
        x, ends = axis.x(wake.time), sorted((rows[wake.by], rows[wake.lane]))
        others = {
            bulge
            for at, low, high, bulge in taken
            if abs(at - x) < BESIDE and low < ends[1] and ends[0] < high
        }
        bulge = next((free for free in BULGES if free not in others), 0)
        taken.append((x, *ends, bulge))
        name = {id: panel.rec.lanes[id].name for id in (wake.by, wake.lane)}
        title = f"{name[wake.by]} woke {name[wake.lane]} at {moment(wake.time)} ({wake.why})."
        shape = _shape(rows[wake.by], rows[wake.lane], bulge, panel.row)
        yield (
            f'<path class="wake" transform="translate({number(x)})" d="{shape}">'
            f"<title>{escape(title)}</title></path>"
        )


def _shape(start, end, bulge, row):
    """The path of a line and a head: straight down or up, or aside and back.

    What is filled is the head alone: a line has no inside, and the curve goes there and back.
    """
    down = 1 if end > start else -1
    edge = LOOKS["running"].of(row) / 2 + 1  # of the bar that it goes to
    if bulge:
        aside = 1 if bulge > 0 else -1
        start, tip = number(start), number(end - down * edge / 2)
        there = f"M0 {start}C{bulge} {start} {bulge} {tip} {3 * aside} {tip}"
        return (
            f"{there}C{bulge} {tip} {bulge} {start} 0 {start}M{2 * aside} {tip}l{5 * aside}-2.5v5z"
        )
    tip = end - down * edge
    return f"M0 {number(start)}V{number(tip - down * 3)}M0 {number(tip)}l-2.5 {-5 * down}h5z"


# The key


def key(panel: Panel, pixel: float) -> dict[str, Callable[[float, float], str]]:
    """What the key under the figure must explain: words → what draws a sample at a place.

    pixel: the seconds that it shows.
    """
    kinds = {lane.kind for lane in panel.lanes}
    states = {
        span.state
        for lane in panel.lanes
        if lane.kind != "caller"
        for span in panel.spans[lane.id]
        if panel.turns or span.end - span.start > pixel * 2 or span.state == "running"
    }
    if panel.crowd:
        states |= set(STATES)
    samples = {}
    for state in ("running", "ready", "waiting", *LOOKS):
        if state in states and not (state == "running" and kinds <= JOBS):
            samples[LOOKS[state].words] = _sample(state)
    if kinds & JOBS:
        samples["height: share of a core"] = lambda x, y: (
            bar("core", x + 6, y - 7, 12, 14) + bar("running share", x + 6, y, 12, 7)
        )
    if panel.turns:
        return samples
    if panel.arrows():
        samples["woken by"] = lambda x, y: (
            f'<path class="wake" transform="translate({number(x + 12)} {number(y)})" '
            f'd="{_shape(-7, 18, 0, 32)}"/>'
        )
    marks = {mark.kind for mark in panel.cancels()}
    for kind, look in (("cancel asked", "cancel asked"), ("cancel delivered", "cancel")):
        if kind in marks:
            samples[kind] = lambda x, y, look=look: (
                f'<path class="{look}" d="M-4.5-4h9l-4.5 8z" '
                f'transform="translate({number(x + 12)} {number(y)})"/>'
            )
    return samples


def _sample(state):
    high = min(LOOKS[state].of(26), 14)
    return lambda x, y: bar(state, x, y - high / 2, 24, high)
