"""A recording as a figure: one lane a task, told apart by shape and hatching as well as colour.

    timeline(rec)                                       # one recording
    timeline({"one by one": rec1, "together": rec2})    # several, on one time axis

The figure carries its own description: `alt` for those who do not see it, `text` as its twin.
"""

from collections.abc import Sequence

from matplotlib.figure import Figure as Canvas

from helpers.pictures.picture import WIDTH, Picture
from helpers.pictures.timeline_lanes import draw_lanes, key
from helpers.pictures.timeline_panel import Panel
from helpers.pictures.timeline_talk import draw_talk
from helpers.pictures.timeline_words import full_text, short_text
from helpers.recording.model import Lane
from helpers.recording.recording import Recording

__all__ = ["timeline", "Figure"]

# Inches
RIGHT = 0.08  # beside the axes
BETWEEN = 0.12  # two panels
NAME = 0.22  # of a panel, above it
TITLE, NO_TITLE = 0.28, 0.05


def timeline(
    rec: Recording | dict[str, Recording],
    *,
    title: str | None = None,
    lanes: Sequence[str | Lane] | None = None,
) -> "Figure":
    """Draw a recording, or a dict {title: recording} as panels on one time axis.

    lanes: names (or Lanes) of the lanes to draw, in this order; None draws all, and puts more
    than 24 together: how many tasks were in which state, and a few lanes as a sample.
    Returns a `Figure`. Raises ValueError for an empty dict, KeyError for a lane there is not.
    """
    recs = rec if isinstance(rec, dict) else {None: rec}
    if not recs:
        raise ValueError("there is no recording to draw: the dict is empty")
    panels = [Panel(one, name, lanes) for name, one in recs.items()]
    return Figure(panels, title)


class Figure(Picture):
    """A drawn timeline. `alt` and `text` say what it shows; a notebook displays it."""

    def __init__(self, panels: list[Panel], title: str | None) -> None:
        self._panels = panels
        self._title = title
        heading = [f"{title}."] if title else []
        self.alt = " ".join(heading + [short_text(panel) for panel in panels])
        self.text = "\n".join(heading + [full_text(panel) for panel in panels])

    def draw(self) -> Canvas:
        """The panels under one another, their common axis, and the key."""
        panels, title = self._panels, self._title
        samples = {}
        for panel in panels:
            samples.update(key(panel))
        columns = 4 if len(samples) == 4 and sum(map(len, samples)) < 60 else 3
        rows = -(-len(samples) // columns)
        heights = [panel.height for panel in panels]
        titles = NAME * sum(1 for panel in panels if panel.name) + (TITLE if title else NO_TITLE)
        bottom = (0.26 if panels[-1].turns else 0.42) + 0.19 * rows
        total = sum(heights) + titles + bottom + BETWEEN * (len(panels) - 1)
        canvas = Canvas(figsize=(WIDTH, total))
        left = max(panel.margin for panel in panels)
        span = max(panel.span for panel in panels) or 1e-6
        top = total - (TITLE if title else NO_TITLE)
        for panel in panels:
            top -= NAME if panel.name else 0
            place = (left / WIDTH, (top - panel.height) / total, (WIDTH - left - RIGHT) / WIDTH)
            axes = canvas.add_axes((*place, panel.height / total))
            top -= panel.height + BETWEEN
            _draw_panel(panel, axes, span, WIDTH - left - RIGHT)
            if panel is not panels[-1]:
                axes.tick_params(axis="x", labelbottom=False)
        _label_axis(axes, panels[-1], span)
        if title:
            canvas.text(0.01, 1 - 0.06 / total, title, fontsize=10, fontweight="bold", va="top")
        if samples:
            canvas.legend(
                list(samples.values()),
                list(samples),
                loc="lower center",
                ncols=columns,
                frameon=False,
                fontsize=7,
                handlelength=2.2,
                columnspacing=1.6,
                borderaxespad=0.1,
            )
        return canvas


def _draw_panel(panel, axes, span, inches):
    if panel.turns:
        draw_talk(panel, axes, inches)
    else:
        draw_lanes(panel, axes, span, inches)
    if panel.name:
        axes.set_title(panel.name, loc="left", fontsize=8.5, fontweight="bold", pad=4)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    _, scale = _unit(span)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value * scale:g}")


def _label_axis(axes, panel, span):
    if panel.turns:
        axes.set_xticks([])
        axes.set_xlabel("turn by turn, from left to right")
    else:
        unit, _ = _unit(span)
        virtual = panel.rec.clock == "virtual"
        axes.set_xlabel(f"{unit} of virtual time: sleeps jump" if virtual else unit)


def _unit(span):
    """The unit of an axis that shows so many seconds, and how many of it a second has."""
    if span >= 0.5:
        return "seconds", 1
    if span >= 0.0005:
        return "milliseconds", 1e3
    return "microseconds", 1e6
