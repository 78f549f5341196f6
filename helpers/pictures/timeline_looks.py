"""How a timeline's states look, and how much room its words need.

Colours are in `timeline.css`: what is said here is what no colour is needed for.
"""

from collections.abc import Callable
from typing import NamedTuple

from markupsafe import escape

WIDTH = 720  # pixels of a whole picture, which a page may show larger or smaller
TITLE, NAME, DETAIL = 15, 12, 10.5  # sizes of letters
_NARROW, _WIDE = set("fijlrtI.,:;'|!()[] -"), set("mwMWQ@%…—✓✗⊘")


class Look(NamedTuple):
    """The bar of a state: its height in lanes, and the words of the key."""

    height: float
    words: str

    def of(self, row: float) -> float:
        """Its height in pixels, in a lane of so many: even, so that its edges are sharp."""
        return max(2 * round(self.height * row / 2), 1)


LOOKS = {
    "waiting": Look(0.16, "waiting for something"),
    "selecting": Look(0.03, "loop has nothing to do"),
    "created": Look(0.40, "created"),
    "suspended": Look(0.40, "suspended"),
    "closed": Look(0.10, "closed"),
    "ready": Look(0.40, "ready, waits its turn"),
    "blocked": Look(0.78, "loop is blocked"),
    "running": Look(0.62, "running"),
}
"""From the undermost to what lies on top. Hatched are ready, suspended and blocked."""


def cut(text: str, most: int = 18) -> str:
    """The text, or its beginning where it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def room(text: str, size: float = DETAIL) -> float:
    """The pixels that a text needs at most, in whatever letters a browser draws it."""
    ems = sum(
        0.4 if letter in _NARROW else 0.95 if letter in _WIDE else 0.7 if letter.isupper() else 0.6
        for letter in text
    )
    return ems * size


def number(value: float) -> str:
    """A coordinate: hundredths of a pixel are left when somebody looks closer."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def words(
    x: float, y: float, text: str, kind: str = "", *, anchor: str = "", whole: str = ""
) -> str:
    """A text at a place; whole: what it says where it had to be cut."""
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    title = f"<title>{escape(whole)}</title>" if whole and whole != text else ""
    return f'<text x="{number(x)}" y="{number(y)}"{kind}{anchor}>{escape(text)}{title}</text>'


def bar(
    state: str, x: float, y: float, width: float, height: float, *, title: str = "", label: str = ""
) -> str:
    """The bar of a state.

    title: what a browser says of it. label: words on it, which `timeline.js` shows where a closer
    look makes room for them.
    """
    inside = f"><title>{escape(title)}</title></rect>" if title else "/>"
    label = f' data-label="{escape(label)}"' if label else ""
    # What takes no time at all has an edge still; without a width it would not be drawn.
    place = f'x="{number(x)}" y="{number(y)}" width="{number(max(width, 0.01))}"'
    return f'<rect class="{state}" {place} height="{number(height)}"{label}{inside}'


def in_key(samples: dict[str, Callable[[float, float], str]], y: float) -> tuple[str, float]:
    """What the key explains, set in rows below `y`; and how far down it reaches.

    samples: words → what draws a sample at a place.
    """
    parts, x = [], 16.0
    y += 14
    for text, draw in samples.items():
        need = 34 + room(text, 11) + 14
        if x + need > WIDTH and x > 16:
            x, y = 16.0, y + 19
        parts.append(draw(x, y))
        parts.append(words(x + 30, y + 4, text, "key"))
        x += need
    return "".join(parts), y + 12
