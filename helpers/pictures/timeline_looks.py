"""How a timeline's states look: told apart by height and hatching as well as by colour."""

from collections.abc import Iterable
from typing import NamedTuple

from matplotlib.axes import Axes

from helpers.pictures.picture import BLUE, GREY, RED

BLUE_EDGE, GREY_EDGE, AMBER_EDGE = "#1f5a94", "#717581", "#b37400"
AMBER = "#fff1d0"
PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind words


class Look(NamedTuple):
    """The bar of a state: its height in lanes, its colours and hatch, the words of the key."""

    height: float
    face: str
    edge: str
    hatch: str | None
    words: str


LOOKS = {
    "running": Look(0.62, BLUE, BLUE_EDGE, None, "running"),
    "ready": Look(0.40, AMBER, AMBER_EDGE, "//////", "ready, waits its turn"),
    "waiting": Look(0.14, "#c9d1d0", GREY_EDGE, None, "waiting for something"),
    "selecting": Look(0.02, GREY_EDGE, GREY_EDGE, None, "loop has nothing to do"),
    "blocked": Look(0.78, "#f6d5cf", RED, "xxxxx", "loop is blocked"),
    "created": Look(0.40, "#ffffff", GREY_EDGE, None, "created"),
    "suspended": Look(0.40, AMBER, AMBER_EDGE, "//////", "suspended"),
    "closed": Look(0.10, GREY, GREY_EDGE, None, "closed"),
}


def cut(text: str, most: int = 18) -> str:
    """The text, or its beginning where it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def draw_bars(
    axes: Axes, state: str, ranges: Iterable[tuple[float, float]], y: float, zorder: int = 2
) -> None:
    """Draw bars of a state along the lane at `y`; ranges: (start, width) of each."""
    look = LOOKS[state]
    axes.broken_barh(
        ranges,
        (y - look.height / 2, look.height),
        facecolor=look.face,
        edgecolor=look.edge,
        lw=0.5,
        hatch=look.hatch,
        zorder=zorder,
    )
