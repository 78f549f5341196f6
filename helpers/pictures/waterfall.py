"""Requests under one another on one time axis, as a browser's network panel shows them.

    seen = Waterfall()
    async with seen.client(base_url=service.url) as client:
        await asyncio.gather(*(client.get(f"/api/v2/pokemon/{n}") for n in range(1, 6)))
    seen

Each bar is parted by what the request waited for: a connection of the pool, the making of a new
connection, the answer. httpx tells it, by its `trace` extension.
"""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from helpers.pictures.picture import BLUE, DARK, GREY, ORANGE, RED, WIDTH, Picture, plain, titled

__all__ = ["Asking", "Waterfall"]

POOL, CONNECT, ANSWER = "a free connection", "a new connection", "the answer"
LOOKS = {
    POOL: {"facecolor": "white", "edgecolor": GREY, "hatch": "...."},
    CONNECT: {"facecolor": ORANGE, "edgecolor": DARK, "hatch": "////"},
    ANSWER: {"facecolor": BLUE, "edgecolor": DARK},
}
MOST = 40  # requests that are drawn and told one by one
ROW = 0.15  # inches


@dataclass
class Asking:
    """One request, as its client saw it. Times are seconds of `time.perf_counter`."""

    name: str
    began: float
    ended: float | None = None
    outcome: str = "under way"
    """A status ("200"), the name of an error, or "under way"."""
    turns: list[tuple[str, float]] = field(default_factory=list)
    """When it began to wait for what: POOL at first, then CONNECT, ANSWER."""

    @property
    def waits(self) -> list[tuple[str, float, float]]:
        """(for what, from when, until when), in order."""
        ends = [began for _, began in self.turns[1:]]
        ends.append(time.perf_counter() if self.ended is None else self.ended)
        return [(what, began, end) for (what, began), end in zip(self.turns, ends, strict=True)]

    @property
    def failed(self) -> bool:
        """Did an error come in place of an answer?"""
        return self.ended is not None and not self.outcome.isdigit()

    async def trace(self, event: str, info: dict) -> None:
        """Note an event of httpx's `trace` extension."""
        if event == "connection.connect_tcp.started":
            self.turns.append((CONNECT, time.perf_counter()))
        elif event == "http11.send_request_headers.started":
            self.turns.append((ANSWER, time.perf_counter()))


class Waterfall(Picture):
    """What the clients that it made have asked, one bar a request; `.askings` holds the same."""

    changes = True  # more requests may come

    def __init__(self, title: str = "") -> None:
        self.title, self.askings = title, []

    def client(self, **settings: Any) -> httpx.AsyncClient:
        """An `httpx.AsyncClient(**settings)` whose requests are noted."""
        return _Watched(self.askings, **settings)

    @property
    def text(self) -> str:
        told = [f"{asking.name}: {_said(asking)}." for asking in self.askings[:MOST]]
        if self._left_out:
            told.append(f"And {self._left_out} more.")
        return titled(self.title, told or ["No request."])

    @property
    def alt(self) -> str:
        title = f"{self.title}. " if self.title else ""
        ends = Counter(asking.outcome for asking in self.askings)
        told = ", ".join(f"{count} times {outcome}" for outcome, count in ends.items())
        longest = max((asking.waits[-1][2] - asking.began for asking in self.askings), default=0.0)
        return (
            f"Waterfall of {len(self.askings)} requests, one bar each, parted by what it waited "
            f"for. {title}How they ended: {told or 'none was made'}. The longest took "
            f"{1000 * longest:.0f} ms."
        )

    @property
    def _left_out(self) -> int:
        return max(0, len(self.askings) - MOST)

    def draw(self) -> Figure:
        drawn = self.askings[:MOST]
        figure = Figure((WIDTH, ROW * max(len(drawn), 4) + 0.9), layout="constrained")
        axes = figure.subplots()
        start = min((asking.began for asking in drawn), default=0.0)
        used = set()
        for row, asking in enumerate(drawn):
            for what, began, end in asking.waits:
                axes.barh(row, end - began, 0.72, left=began - start, linewidth=0.5, **LOOKS[what])
                used.add(what)
            end = asking.waits[-1][2] - start
            colour = RED if asking.failed else DARK
            axes.text(end, row, f" {asking.outcome}", va="center", fontsize=6, color=colour)
        axes.set_yticks(range(len(drawn)), [asking.name for asking in drawn], fontsize=6)
        axes.set_ylim(len(drawn) - 0.3, -0.7)
        axes.margins(x=0.12)
        axes.set_xlim(left=0)
        more = f" ({self._left_out} more requests are not drawn)" if self._left_out else ""
        axes.set_xlabel(f"seconds{more}")
        axes.tick_params(axis="y", length=0)
        if self.title:
            axes.set_title(self.title, loc="left", fontsize=9)
        plain(axes)
        looks = [
            Patch(**look, label=f"waits for {what}") for what, look in LOOKS.items() if what in used
        ]
        if looks:
            figure.legend(handles=looks, loc="outside lower center", ncols=3, frameon=False)
        return figure


class _Watched(httpx.AsyncClient):
    def __init__(self, askings: list[Asking], **settings) -> None:
        super().__init__(**settings)
        self._askings = askings

    async def send(self, request: httpx.Request, **options) -> httpx.Response:
        now = time.perf_counter()
        name = request.url.raw_path.decode().strip("/").rpartition("/")[2] or "/"
        asking = Asking(name, now, turns=[(POOL, now)])
        self._askings.append(asking)
        request.extensions["trace"] = asking.trace
        try:
            response = await super().send(request, **options)
        except BaseException as error:  # a cancellation ends it as well
            asking.outcome = type(error).__name__
            raise
        else:
            asking.outcome = str(response.status_code)
            return response
        finally:
            asking.ended = time.perf_counter()


def _said(asking: Asking) -> str:
    waits = [(what, end - began) for what, began, end in asking.waits]
    # What took no time worth telling is left out, but for the last.
    told = [
        f"{1000 * seconds:.0f} ms for {what}"
        for number, (what, seconds) in enumerate(waits, 1)
        if seconds >= 0.0005 or number == len(waits)
    ]
    return f"waited {', '.join(told)}; {asking.outcome}"
