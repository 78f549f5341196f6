"""Many lanes of a timeline at once: how many were in which state, over time, as layers."""

import collections

import numpy
from matplotlib.axes import Axes

from helpers.pictures.timeline_looks import LOOKS
from helpers.pictures.timeline_panel import Panel

STATES = ("running", "ready", "waiting")  # from the bottom
MOMENTS = 400  # at which is counted


def draw_crowd(panel: Panel, axes: Axes, top: float, low: float, span: float) -> None:
    """Draw the panel's crowd between two heights of its axes.

    span: seconds, of the longest panel in the figure.
    """
    at = numpy.linspace(0, span, MOMENTS)
    counts = _counts(panel, at)
    most = max(1, int(sum(counts.values()).max()))
    base = numpy.zeros(len(at))
    for state, count in counts.items():
        look = LOOKS[state]
        above = base + count
        axes.fill_between(
            at,
            low - base / most * (low - top),
            low - above / most * (low - top),
            facecolor=look.face,
            edgecolor=look.edge,
            hatch=look.hatch,
            lw=0.4,
            step="post",
            zorder=2,
        )
        base = above
    axes.text(span * 1.01, top, f"{most} at once", fontsize=6.5, va="center")
    axes.text(span * 1.01, low, "0", fontsize=6.5, va="bottom")


def _counts(panel, at):
    """State → how many lanes were in it at each of these moments."""
    starts, ends = collections.defaultdict(list), collections.defaultdict(list)
    for lane in panel.crowd:
        for one in panel.spans[lane.id]:
            starts[one.state].append(one.start)
            ends[one.state].append(one.end)
    return {
        state: numpy.searchsorted(numpy.sort(starts[state]), at, "right")
        - numpy.searchsorted(numpy.sort(ends[state]), at, "right")
        for state in STATES
    }
