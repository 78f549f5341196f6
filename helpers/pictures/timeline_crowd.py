"""Many lanes of a timeline at once: how many were in which state, over time, as layers."""

from helpers.pictures.timeline_axis import Axis
from helpers.pictures.timeline_looks import number, words
from helpers.pictures.timeline_panel import Panel
from helpers.recording.counting import count_states

STATES = ("running", "ready", "waiting")  # from the bottom
MOMENTS = 300  # at which is counted
HEIGHT = 110  # pixels


def draw_crowd(panel: Panel, axis: Axis, top: float) -> str:
    """Draw the panel's crowd below a height of its plot."""
    last = axis.scale * (panel.end - axis.start)
    at = [axis.start + (i + 0.5) * panel.end / MOMENTS for i in range(MOMENTS)]
    counts = count_states(panel.rec, panel.crowd, at)
    most = max(1, *map(sum, zip(*counts.values())))
    parts, base = [], [0] * MOMENTS
    for state in STATES:
        above = [one + other for one, other in zip(base, counts[state])]
        if any(counts[state]):
            parts.append(_layer(state, base, above, HEIGHT / most, top + HEIGHT, last / MOMENTS))
        base = above
    parts.append(words(last + 5, top + 8, f"{most} at once", "end"))
    parts.append(words(last + 5, top + HEIGHT, "0", "end"))
    return "".join(parts)


def _layer(state, base, above, unit, low, step):
    """An area between two stairs. `timeline.js` moves its points along the axis."""
    corners = _stairs(above, unit, low, step) + _stairs(base, unit, low, step)[::-1]
    points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
    return f'<polygon class="{state} crowd" points="{points}"/>'


def _stairs(counts, unit, low, step):
    corners = []
    for i, count in enumerate(counts):
        y = low - count * unit
        if i and y == corners[-1][1]:
            corners[-1] = ((i + 1) * step, y)
        else:
            corners += [(i * step, y), ((i + 1) * step, y)]
    return corners
