"""From what a lane did to the bars of its line, and what each of them says when it is asked."""

import collections
import itertools
import linecache
from collections.abc import Iterator
from typing import NamedTuple

from helpers.basics.places import is_library, place
from helpers.basics.words import moment
from helpers.pictures.causes import cause
from helpers.pictures.timeline_looks import LOOKS, cut
from helpers.pictures.timeline_panel import Panel
from helpers.recording.model import Lane, Span
from helpers.recording.words import TIMERS

MOST = 130  # bars and arrows of a picture; where there are more, what is narrow becomes one bar
FINEST, COARSEST = 1 / 16, 4  # pixels: nothing narrower is told apart
SEEN = 1 / 4  # pixels: what is narrower can't be seen, and says nothing by itself
SOURCE = 48  # letters of a line of code
JOBS = {"thread", "process"}


class Bar(NamedTuple):
    """What is drawn as one: a span, or so many that are too narrow each.

    title: what it says; nothing where a step is too short to be asked. label: words on it, where
    there is room.
    """

    state: str
    start: float
    end: float
    title: str
    label: str = ""


class Grain(NamedTuple):
    """How fine a picture is.

    pixel: the seconds that it shows. least: seconds below which bars are put together.
    brief: there are so many bars that what matters less says nothing.
    """

    pixel: float
    least: float
    brief: bool = False


def grain_of(panels: list[Panel], pixel: float) -> Grain:
    """The finest grain at which the bars of all panels are not too many."""
    room = MOST - sum(len(panel.arrows()) for panel in panels)
    grain = Grain(pixel, pixel * FINEST)
    while sum(_cost(panel, panel.lanes, grain) for panel in panels) > room:
        if grain.least >= pixel * COARSEST:
            return grain._replace(brief=True)
        grain = grain._replace(least=grain.least * 2)
    return grain


def foldable(panel: Panel, grain: Grain) -> list[Lane]:
    """The folded lanes of a panel, as many as three pictures have room for."""
    costs = itertools.accumulate(_cost(panel, [lane], grain) for lane in panel.folded)
    return [lane for lane, cost in zip(panel.folded, costs) if cost <= 3 * MOST]


def _cost(panel, lanes, grain):
    """How many bars the lanes have; a sliver, which says nothing, needs an eighth of the room."""
    groups = (group for lane in lanes for group in _groups(panel.spans[lane.id], grain))
    return sum(1 / 8 if _is_sliver(group, grain) else 1 for group in groups)


def _is_sliver(group, grain):
    """Is it too narrow to be asked? The bars before and after a step say when it was."""
    step = group[0].state == "running" and not grain.brief
    least = grain.pixel * SEEN if step else grain.least
    return group[-1].end - group[0].start < least and group[0].state != "blocked"


def _groups(spans: list[Span], grain: Grain) -> Iterator[list[Span]]:
    """The spans of a lane, those that are too narrow together with those beside them.

    The same state's alone: another's lies on top of them, or below. What nobody can see is left
    out, unless it is a step.
    """
    least = grain.least
    narrow = {}  # state → group of spans that is open

    def worth(group):
        seen = group[-1].end - group[0].start >= grain.pixel * SEEN
        return seen or group[0].state in ("running", "blocked")

    for span in spans:
        group = narrow.get(span.state)
        if span.end - span.start >= least:
            yield [span]
        elif group and span.start - group[-1].end < least:
            group.append(span)
        else:
            if group and worth(group):
                yield group
            narrow[span.state] = [span]
    yield from (group for group in narrow.values() if worth(group))


def bars_of(panel: Panel, lane: Lane, grain: Grain) -> list[Bar]:
    """The bars of a lane, from the undermost to what lies on top."""
    telling = _Telling(panel, lane, grain.brief)
    groups = list(_groups(panel.spans[lane.id], grain))
    only_steps = all(group[0].state == "running" for group in groups)
    bars = []
    for group in groups:
        first, end = group[0], group[-1].end
        title = "" if _is_sliver(group, grain) and not only_steps else telling.of(group)
        label = first.detail if first.state in ("waiting", "blocked") else ""
        bars.append(Bar(first.state, first.start, end, title, label or ""))
    order = list(LOOKS)
    return sorted(bars, key=lambda bar: (order.index(bar.state), bar.start))


class _Telling:
    """What a lane's spans say: who did what, from when to when, where, and who ended it."""

    def __init__(self, panel, lane, brief):
        self.rec = panel.rec
        self.brief = brief
        self.lane = lane
        self.name = f"The {lane.name}" if lane.kind in ("loop", "cell", "caller") else lane.name
        self.wakes = {wake.time: wake for wake in panel.wakes if wake.lane == lane.id}

    def of(self, group):
        if self.brief and self.lane.kind == "loop" and group[0].state in ("selecting", "running"):
            return ""  # its tasks say so
        return self.one(group[0]) if len(group) == 1 else self.several(group)

    def one(self, span):
        tell = {
            "waiting": self.waited,
            "ready": lambda span: f"{self.name} waited its turn {when(span)}.",
            "selecting": lambda span: f"{self.name} had nothing to do {when(span)}.",
            "blocked": self.blocked,
            "running": self.ran,
        }
        return tell[span.state](span)

    def several(self, group):
        state, took = group[0].state, moment(sum(span.end - span.start for span in group))
        did = {
            "running": f"ran {len(group)} times",
            "ready": f"waited its turn {len(group)} times",
            "waiting": f"waited {len(group)} times",
            "selecting": f"had nothing to do {len(group)} times",
            "blocked": f"was blocked {len(group)} times",
        }
        whole = group[0]._replace(end=group[-1].end)
        what = collections.Counter(span.detail for span in group if span.detail)
        reasons = f", most for {what.most_common(1)[0][0]}" if what and state == "waiting" else ""
        return f"{self.name} {did[state]}, {took} in all{reasons}, {when(whole)}."

    def waited(self, span):
        line = next((f for f in reversed(span.stack) if not is_library(f[0])), None)
        at = "" if line is None else f", {place(*line)}{self.source(line)}"
        return f"{self.name} waited for {span.detail} {when(span)}{at}{self.woken(span)}."

    def woken(self, span):
        wake = self.wakes.get(span.end)
        if wake is None:
            return "" if span.end < self.rec.duration else "; it still waits"
        if wake.why == "timer" and span.detail not in TIMERS:
            # asyncio settles some other futures by the function that its sleep uses.
            wake = wake._replace(why="callback")
        if self.brief and wake.why == "timer":
            return ""
        return f"; woken by {cause(wake, lambda id: self.rec.lanes[id].name)}"

    def blocked(self, span):
        source = self.source(span.stack[-1]) if span.stack else ""
        return f"{self.name} was blocked {when(span)} by {span.detail}{source}."

    def source(self, frame):
        file, line, _ = frame
        if self.brief or not line:
            return ""
        text = linecache.getline(file, line).partition("  #")[0].strip()
        return f": {cut(text, SOURCE)}" if text else ""

    def ran(self, span):
        if self.lane.kind not in JOBS:
            return f"{self.name} ran {when(span)}."
        where = f" in {span.detail}" if span.detail else ""
        share = "" if span.cpu is None else f" and used {span.cpu:.0%} of a core"
        return f"{self.name} ran{where} {when(span)}{share}."


def when(span: Span) -> str:
    """From when to when: "from 1.00 s to 3.00 s (2.00 s)", "at 1.00 s"."""
    start, end, took = moment(span.start), moment(span.end), span.end - span.start
    if start == end:
        return f"at {start}" + (f" for {moment(took)}" if took >= 1e-6 else "")
    return f"from {start} to {end} ({moment(took)})"
