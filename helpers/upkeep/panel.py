"""Words, code and boxes drawn as an SVG of their own: text stays text, and any viewer shows it.

A panel has its own ground, so that it can be read on a light page and on a dark one, whatever the
page believes to be; it follows the reader's choice of the two.
"""

import itertools
import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from helpers.pictures.html import element

WIDTH, MARGIN = 760, 16
LINE = 20  # from one line to the next
PER_CHARACTER = 8.2  # wide enough for any reader's font at this size: a line that fits is short
STYLE = """
text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
       fill: #1f2328; white-space: pre; }
.code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.strong { font-weight: 600; }
.faint { fill: #59636e; }
.ground { fill: #ffffff; stroke: #d1d9e0; }
.box { fill: #f6f8fa; stroke: #d1d9e0; }
.marked { fill: #fff1d6; }
.edge { fill: #b35900; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .ground { fill: #0d1117; stroke: #3d444d; }
  .box { fill: #151b23; stroke: #3d444d; }
  .marked { fill: #4a3508; }
  .edge { fill: #e08c2c; }
}
"""


class Panel:
    """A picture that is written from the top to the bottom."""

    def __init__(self, title: str) -> None:
        """title: what the picture shows, for those who don't see it."""
        self.title = title
        self.y = MARGIN
        self.parts: list[Markup] = []

    def space(self, height: int = LINE // 2) -> None:
        """Leave some room."""
        self.y += height

    def code(self, text: str, marked: int | None = None) -> None:
        """Source text, its lines numbered; the marked one stands out."""
        for number, line in enumerate(text.splitlines(), 1):
            if number == marked:
                self._rect("marked", MARGIN, self.y, WIDTH - 2 * MARGIN, LINE)
            self._text(MARGIN + 8, [(f"{number:>2}", "code faint"), (f"  {line}", "code")])
            self.y += LINE

    def words(self, text: str, indent: int = 0) -> None:
        """A paragraph with `code` and **strong** in it."""
        left = MARGIN + indent
        for runs in _wrapped(text, int((WIDTH - left - MARGIN) / PER_CHARACTER)):
            self._text(left, runs)
            self.y += LINE

    def card(self, paragraphs: Iterable[str]) -> None:
        """Paragraphs beside a coloured edge."""
        top = self.y
        for text in paragraphs:
            self.words(text, indent=18)
            self.space(6)
        self._rect("edge", MARGIN, top, 5, self.y - top - 4)

    def columns(self, rows: Iterable[Sequence[str]], lefts: Sequence[int]) -> None:
        """Rows of cells, each a short text, that begin at `lefts`."""
        for row in rows:
            for left, text in zip(lefts, row, strict=True):
                self._text(MARGIN + left, *_wrapped(text, WIDTH))
            self.y += LINE

    def boxes(self, boxes: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Boxes side by side, each with a title and its entries."""
        gap = 8
        wide = (WIDTH - 2 * MARGIN - gap * (len(boxes) - 1)) // len(boxes)
        columns = int((wide - 20) / PER_CHARACTER)
        filled = []
        for title, entries in boxes:
            texts = [f"**{title}**", *(entries or ["nobody"])]
            filled.append([runs for text in texts for runs in _wrapped(text, columns)])
        top, high = self.y, LINE * max(map(len, filled)) + 16
        for number, lines in enumerate(filled):
            left = MARGIN + number * (wide + gap)
            self._rect("box", left, top, wide, high)
            self.y = top + 8
            for runs in lines:
                self._text(left + 10, runs)
                self.y += LINE
        self.y = top + high

    def svg(self) -> str:
        """The picture as a file holds it."""
        high = self.y + MARGIN
        ground = _shape("rect", "ground", x=0.5, y=0.5, width=WIDTH - 1, height=high - 1, rx=6)
        parts = [element("title", self.title), element("style", Markup(STYLE)), ground, *self.parts]
        # viewBox alone would have it grow with the page.
        size = {"width": WIDTH, "height": high, "viewBox": f"0 0 {WIDTH} {high}"}
        inside = Markup("\n").join(parts)
        svg = element("svg", inside, xmlns="http://www.w3.org/2000/svg", role="img", **size)
        return f"{svg}\n"

    def _rect(self, kind, x, y, width, height):
        self.parts.append(_shape("rect", kind, x=x, y=y, width=width, height=height, rx=3))

    def _text(self, x, runs):
        spans = [element("tspan", text, class_=kind) for text, kind in runs]
        self.parts.append(element("text", *spans, x=x, y=self.y + 15))


def _shape(tag, kind, **attributes):
    return element(tag, class_=kind, **attributes)


def _wrapped(text, columns):
    """The lines of a text, each a list of (words, class)."""
    styled = []
    for piece in re.findall(r"`[^`]+`|\*\*.+?\*\*|[^`*]+", text):
        mark = {"`": "code", "*": "strong"}.get(piece[0], "")
        words = piece.strip("`*") if mark else piece
        styled += [(word, mark) for word in re.findall(r"\s*\S+|\s+$", words)]
    lines, length = [[]], 0
    for word, mark in styled:
        if length + len(word) > columns:
            lines.append([])
            word, length = word.lstrip(), 0
        lines[-1].append((word, mark))
        length += len(word)
    return [
        [("".join(word for word, _ in run), mark) for mark, run in itertools.groupby(line, _mark)]
        for line in lines
    ]


def _mark(styled):
    return styled[1]
