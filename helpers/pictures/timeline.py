"""A recording as a figure: one lane a task, told apart by shape and hatching as well as colour.

    timeline(rec)                                       # one recording
    timeline({"one by one": rec1, "together": rec2})    # several, on one time axis

It is drawn as SVG by this package itself: sharp at any size, in the colours of the page, light or
dark, and of paper.

A cell's output is HTML: the picture as an image, the same in words, and `timeline.js`. Where
scripts run (JupyterLab, VS Code, a page by nbconvert or Sphinx) that puts the SVG itself into the
page in the image's place: with text that can be selected, and bars that say what they were. Where
they don't (a notebook that isn't trusted, an e-book) the image stays; for SVG in HTML would be
taken apart there, and leave a heap of words. What shows no image either has the words below.
All of these prefer HTML to an image beside it, which would only double a notebook.
"""

import functools
import hashlib
import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup, escape

from helpers.basics.words import moment
from helpers.pictures import timeline_lanes, timeline_talk
from helpers.pictures.html import bundle, element
from helpers.pictures.timeline_axis import Axis, numbers
from helpers.pictures.timeline_bars import grain_of
from helpers.pictures.timeline_looks import DETAIL, WIDTH, in_key, number, room, words
from helpers.pictures.timeline_panel import Panel
from helpers.pictures.timeline_words import full_text, heading, short_text
from helpers.recording.model import Lane
from helpers.recording.recording import Recording

__all__ = ["timeline", "Figure"]

# Pixels
RIGHT = 10  # beside the plots
TITLE, NAME = 28, 22  # of the picture, of a panel
BETWEEN = 8  # two panels
AXIS, TURNS = 36, 18  # its numbers and its unit; what a talk has instead
LARGEST = 900  # that a page shows it
LATE = 0.1  # of the time: who begins later than that begins at the left


def timeline(
    rec: Recording | dict[str, Recording],
    *,
    title: str | None = None,
    lanes: Sequence[str | Lane] | None = None,
    mark: tuple[float, str] | None = None,
) -> "Figure":
    """Draw a recording, or a dict {title: recording} as panels on one time axis.

    lanes: names (or Lanes) of the lanes to draw, in this order; None draws all, and puts more
    than 24 together: how many tasks were in which state, and a few lanes as a sample.
    mark: a moment in seconds, and what is to be said of it; a line goes through all panels there.
    Returns a `Figure`. Raises ValueError for an empty dict, KeyError for a lane there is not.
    """
    recs = rec if isinstance(rec, dict) else {None: rec}
    if not recs:
        raise ValueError("there is no recording to draw: the dict is empty")
    panels = [Panel(one, name, lanes) for name, one in recs.items()]
    return Figure(panels, title, mark)


class Figure:
    """A drawn timeline. `alt` and `text` say what it shows; a notebook displays it.

    svg: the picture, to stand in a page.
    """

    def __init__(
        self, panels: list[Panel], title: str | None, mark: tuple[float, str] | None = None
    ) -> None:
        self._panels = panels
        self._title = title
        self._mark = mark
        begins = [f"{title}."] if title else []
        ends = [f"Marked at {moment(mark[0])}: {mark[1]}."] if mark is not None else []
        self._heading = " ".join([*begins, *map(heading, panels), *ends])
        self.alt = " ".join([*begins, *map(short_text, panels), *ends])
        self.text = "\n".join([*begins, *map(full_text, panels), *ends])

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        lines = element("details", element("summary", "In words"),
                        *(element("p", line) for line in self.text.splitlines()))  # fmt: skip
        # The marks around the script are for pages that are read as XML, as an e-book's are.
        script = Markup(f"<script>//<![CDATA[\n{_asset('timeline.js')}\n//]]></script>")
        source = quote(self.svg, safe=_PLAIN)
        image = Markup(
            f'<img alt="{escape(self._heading)}" style="width: 100%; max-width: {LARGEST}px" '
            f"src='data:image/svg+xml,{source}'/>"
        )
        figure = element("figure", image + lines + script, class_="timeline-figure")
        return bundle(figure, self.text)

    def save(self, path: str | os.PathLike) -> None:
        """Write the picture to `path`, an SVG file that stands alone.

        Raises ValueError if the path does not end in .svg.
        """
        if not str(path).lower().endswith(".svg"):
            raise ValueError(f"cannot save as {Path(path).name}: the path must end in .svg")
        head = escape(self._title or "Timeline")
        about = f"<title>{head}</title><desc>{escape(self.alt)}</desc>"
        opening, rest = (part.replace(_NAME, "t") for part in self._drawn)
        Path(path).write_text(f"{opening}{about}{rest}\n", encoding="utf-8")

    @functools.cached_property
    def svg(self) -> str:
        """The picture, to stand in a page beside others."""
        drawn = "".join(self._drawn)
        # No two on a page may share a name, even if they show the same.
        name = f"t{hashlib.sha1(drawn.encode()).hexdigest()[:6]}-{next(_NUMBERS)}"
        return drawn.replace(_NAME, name)

    @functools.cached_property
    def _drawn(self):
        """The tag that opens the picture, and the rest."""
        panels = self._panels
        left = max(panel.margin for panel in panels)
        wide = WIDTH - left - RIGHT
        axis = _axis(panels, wide)
        timed = [panel for panel in panels if not panel.turns]
        pixel = 1 / axis.scale
        grain = grain_of(timed, pixel)
        parts, y = [], 8.0
        if self._title:
            parts.append(words(8, y + 15, self._title, "title"))
            y += TITLE
        samples, groups, top, named = {}, 0, y, []
        if self._mark is not None:
            y += NAME
        for panel in panels:
            if panel.name:
                parts.append(words(left, y + 15, panel.name, "panel"))
                named.append(y)
                y += NAME
            if panel.turns:
                drawn = timeline_talk.draw_talk(panel, left, wide)
                high = timeline_talk.height(panel)
            else:
                drawn = timeline_lanes.draw_lanes(panel, axis, left, grain)
                high = timeline_lanes.height(panel)
            parts.append(f'<g transform="translate(0 {number(y)})">{drawn}</g>')
            if panel.folded:  # what is below gives way
                parts.append("<g>")
                groups += 1
            y += high + BETWEEN
            samples.update(timeline_lanes.key(panel, pixel))
        if self._mark is not None and timed:
            parts.append(_marked(self._mark, axis, left, top, y - BETWEEN, named))
        scale, data, y = _scale(timed, axis, left, y - BETWEEN)
        in_rows, y = in_key(samples, y)
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline" role="img" '
            f'viewBox="0 0 {WIDTH} {number(y)}" '
            f'width="{WIDTH}" height="{number(y)}" font-family="sans-serif" font-size="{DETAIL}" '
            f'style="--ready:url(#{_NAME}-ready);--blocked:url(#{_NAME}-blocked)"{data} '
            f'aria-label="{escape(self._heading)}">'
        )
        first = f"<style>{_asset('timeline.css')}</style>{_HATCHES}"
        first += '<rect class="ground" width="100%" height="100%"/>'
        return opening, "".join([first, *parts, scale, in_rows, "</g>" * groups, "</svg>"])


def _marked(mark, axis, left, top, bottom, named):
    """A line through the plots at a moment, and what is said of it above them.

    named: how far down the panels' names stand, which the line leaves out.
    """
    x = left + axis.x(mark[0])
    anchor = "end" if axis.x(mark[0]) > axis.width / 2 else "start"
    begins = [y + NAME for y in named] or [top + NAME - 6]
    ends = [*named[1:], bottom]
    runs = (f"M{number(x)} {number(one)}V{number(end)}" for one, end in zip(begins, ends))
    line = f'<path class="mark" d="{"".join(runs)}"/>'
    return line + words(x, top + 11, mark[1], "tick", anchor=anchor)


def _scale(timed, axis, left, y):
    """What stands under the last panel; what `timeline.js` must know of it; how far down it is."""
    middle = left + axis.width / 2
    if not timed:
        says = "turn by turn, from left to right"
        return words(middle, y + 12, says, "tick", anchor="middle"), "", y + TURNS
    unit, each = axis.unit
    virtual = any(panel.rec.clock == "virtual" for panel in timed)
    says = f"{unit} of virtual time: sleeps jump" if virtual else unit
    drawn = f'<g transform="translate({number(left)} {number(y)})">{numbers(axis)}</g>'
    drawn += words(middle, y + 28, says, "tick", anchor="middle")
    data = f"{axis.start * each:.10g} {axis.scale / each:.10g} {number(axis.width)}"
    return drawn, f' data-axis="{data}" data-unit="{unit}"', y + AXIS


def _axis(panels, wide):
    """The axis that all panels share: the words behind each lane's end have room too."""
    timed = [panel for panel in panels if not panel.turns]
    begin = min((panel.begin for panel in timed), default=0.0)
    end = max((panel.end for panel in timed), default=0.0)
    start = begin if begin > LATE * end else 0.0
    span = end - start or 1e-6
    scale = wide / span
    for panel in timed:
        needs = [(panel.end, "10000 at once")] if panel.crowd else []
        for lane in panel.lanes:
            needs.append((timeline_lanes.end_of(panel, lane), timeline_lanes.outcome(panel, lane)))
        for at, text in needs:
            if at > start:
                scale = min(scale, (wide - 10 - room(text)) / (at - start))
    return Axis(start, scale, wide)


@functools.cache
def _asset(name):
    """A file beside this one, without what only its readers need: each picture carries it."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|^\s*//.*?$|  // .*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    blanks = r"(?<=[,:;{}])\s+|\s+(?=[{}])"  # in CSS a blank before a colon says something
    if name.endswith(".js"):
        blanks = r"(?<=[=,:;{}()<>?|&])\s+|\s+(?=[=,:;{}()<>?|&])"
    quoted = re.split(r"('[^'\n]*'|`[^`]*`)", text.strip())
    quoted[::2] = [re.sub(blanks, "", code) for code in quoted[::2]]
    return re.sub(r"\s*\n\s*", "\n", "".join(quoted))


_NAME = "NAME-OF-THE-PICTURE"
# What may stand in an image's address between single quotes, in HTML and in XML.
_PLAIN = "".join(set(map(chr, range(32, 127))) - set("<&%#'"))
_NUMBERS = itertools.count(1)  # of the pictures that this process has drawn
_HATCHES = (
    f'<defs><pattern id="{_NAME}-ready" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="amber" d="M0 0h6v6H0z"/>'
    '<path class="amber-line" d="M3 0v6"/></pattern>'
    f'<pattern id="{_NAME}-blocked" width="7" height="7" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="red" d="M0 0h7v7H0z"/>'
    '<path class="red-line" d="M3.5 0v7M0 3.5h7"/></pattern></defs>'
)
