"""A picture that a notebook displays, with words for those who don't see it.

Timelines, comparisons and charts are all of this kind: `alt` says what is shown, `text` is the
twin that stands where no picture can.
"""

import base64
import functools
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from helpers.pictures.html import bundle

if TYPE_CHECKING:  # what only measures imports this module too, and shall stay small
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Picture", "style", "titled", "plain"]

WIDTH = 6.5  # inches
# Petroff's colours (arXiv 2107.02270), made to be told apart by everyone.
BLUE, ORANGE, RED, GREY, PURPLE = "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6"
BROWN, DARK = "#a96b59", "#30343b"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "hatch.linewidth": 0.7,
    "axes.edgecolor": GREY,
    "text.color": DARK,
    "axes.labelcolor": DARK,
    "xtick.color": DARK,
    "ytick.color": DARK,
    "svg.hashsalt": "course",  # the same result gives the same file
}


class Picture:
    """Base of all pictures. A kind of picture has `alt`, `text`, and `draw`, which draws it."""

    changes = False
    """Whether there may be more to show later: then it is drawn anew each time, else once."""

    def draw(self) -> "Figure":
        """The picture as a new matplotlib Figure; called within `style()`."""
        raise NotImplementedError

    def figure(self) -> "Figure":
        """The picture as a new matplotlib Figure."""
        with style():
            return self.draw()

    @property
    def below(self) -> Markup:
        """HTML to stand under the picture: none, unless a kind of picture has some."""
        return Markup("")

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        # JupyterLab gives images no alt text, so the image goes in as HTML.
        image = base64.b64encode(self._png).decode()
        tag = Markup(
            f'<img alt="{escape(self.alt)}" style="width: 100%; max-width: {WIDTH}in" '
            f'src="data:image/png;base64,{image}">'
        )
        return bundle(tag + self.below, self.text)

    def save(self, path: str | os.PathLike) -> None:
        """Write the picture to `path`, as PNG or SVG by its ending (else ValueError)."""
        ending = str(path).rpartition(".")[2].lower()
        if ending == "png":
            with open(path, "wb") as file:
                file.write(self._png)
        elif ending == "svg":
            self._draw(path, "svg")
        else:
            raise ValueError(f"cannot save as .{ending}: the path must end in .png or .svg")

    @property
    def _png(self):
        return self._drawn_now() if self.changes else self._drawn_once

    @functools.cached_property
    def _drawn_once(self):
        return self._drawn_now()

    def _drawn_now(self):
        file = io.BytesIO()
        self._draw(file, "png")
        return file.getvalue()

    def _draw(self, file, kind):
        with style():
            # Without a date, the same result gives the same file.
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            self.figure().savefig(file, format=kind, dpi=192, metadata=metadata)


@contextmanager
def style() -> Iterator[None]:
    """Whatever a learner has set for their own plots, these look the same."""
    import matplotlib  # here, for the same reason

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def titled(title: str, lines: Iterable[str]) -> str:
    """A picture's lines of words under its title, if it has one."""
    return "\n".join([*([f"{title}."] if title else []), *lines])


def plain(axes: "Axes") -> None:
    """Leave out the frame's upper and right line."""
    axes.spines[["top", "right"]].set_visible(False)
