"""`orders(program)`: what a search through the orders of arrivals found, and its picture."""

import math
from collections.abc import Callable, Collection, Iterable
from typing import Any

from markupsafe import Markup

from helpers.basics.words import count
from helpers.coach import cards
from helpers.pictures.html import bundle, element
from helpers.pictures.timeline import Figure, timeline
from helpers.recording.record import record
from helpers.recording.recording import Recording
from helpers.schedules.replaying import Ended, Game, game_of, in_a_thread, run_once
from helpers.schedules.searching import Found, search

MOST, SECONDS = 5000, 1.0
LONGEST_MARK = 60  # characters that fit over a timeline

FIFO = (
    "One thing arrives at a time. Callbacks run in the order of call_soon, as asyncio promises, "
    "so that order is not varied."
)
ASSUMED = (
    "What arrives during a sleep is taken to come halfway through what is left of it; "
    "jitter=math.inf opens how long sleeps last."
)


def orders(
    program: Callable[[], Any],
    *,
    right: Callable[[Any], bool] | None = None,
    jitter: float = 0.0,
    cancel: str | Collection[str] = (),
    most: int = MOST,
    seconds: float = SECONDS,
) -> "Orders":
    """Run a program with its arrivals in every order; show the shortest that breaks it.

    program, right, jitter, cancel: as for `play`.
    most, seconds: of orders and of computing; then the search gives up, and says so.

    Returns an `Orders`, which a cell shows. Raises as `play`, and ValueError for another limit,
    if the program isn't the same in each run, or if no task has a name that `cancel` gives.
    """
    for name, limit in {"most": most, "seconds": seconds}.items():
        if not isinstance(limit, (int, float)) or not limit > 0:
            raise ValueError(f"{name} is a number, more than 0, not {limit!r:.60}")
    game = game_of(program, right, jitter, cancel)
    return Orders(game, searched(game, most, seconds))


def searched(game: Game, most: int = MOST, seconds: float = SECONDS) -> Found:
    """`search` in a thread of its own."""
    return in_a_thread(lambda runs: search(game, most, seconds, runs))


class Orders:
    """What a search found. looked: how many orders were run. every: whether these were all."""

    def __init__(self, game: Game, found: Found) -> None:
        self._game = game
        self._found = found
        self.looked, self.every = found.looked, found.every

    @property
    def shortest(self) -> Ended | None:
        """The run that breaks it in the fewest choices, or None."""
        return self._found.shortest

    @property
    def broken(self) -> str:
        """Why the program is broken, in words; "" if no order was found that breaks it."""
        return self.shortest.broken if self.shortest else ""

    @property
    def choices(self) -> int | None:
        """How many choices the shortest order that breaks it takes; None if there is none."""
        return len(self.shortest.choices) if self.shortest else None

    @property
    def schedule(self) -> list[str]:
        """What comes in the shortest order that breaks it; empty if there is none."""
        return [step.name for step in self.shortest.steps] if self.shortest else []

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        found = self._found
        if found.shortest is not None:
            if not self.choices:
                return f"Breaks in its only order: {found.shortest.broken}."
            said = f"Breaks in {count(self.choices, 'choice')}: {found.shortest.broken}."
            if found.sure:
                return f"{said} No order breaks it in fewer."
            return f"{said} I looked at {count(found.looked, 'order')}, not at all of them."
        if found.every:
            return f"Holds in {_all(found.looked)} of these arrivals."
        return f"Looked at {count(found.looked, 'order')}, not all, and it held in each."

    @property
    def note(self) -> str:
        """What was not varied, in a sentence or two."""
        opened = self._game.jitter == math.inf or not self._found.assumed
        return FIFO if opened else f"{FIFO} {ASSUMED}"

    @property
    def text(self) -> str:
        """The result, and the shortest order that breaks it, in plain text."""
        if self.shortest is None:
            return f"{self.verdict} {self.note}"
        lines = [self.verdict, *numbered(self.shortest.told)]
        return "\n".join([*lines, *(f"- {wait}" for wait in self.shortest.waits)])

    def __repr__(self):
        return self.text

    def timeline(self) -> Figure | None:
        """The shortest order that breaks the program as a picture; None if there is none."""
        return drawn(self._game, {None: self.shortest}) if self.shortest else None

    def _repr_mimebundle_(self, include=None, exclude=None):
        shortest = self.shortest
        colour = cards.COLOURS["not yet" if shortest else "solved"]
        parts = [cards.paragraph(self.verdict)]
        parts.append(cards.paragraph(self.note) if shortest is None else listed_steps(shortest))
        shown = cards.box(colour, *parts)
        figure = self.timeline()
        if figure is not None:
            shown += Markup(figure._repr_mimebundle_()["text/html"])
        return bundle(shown, self.text)


def numbered(lines: Iterable[str]) -> list[str]:
    """Each line with its number before it."""
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]


def listed_steps(ended: Ended) -> Markup:
    """What came in a run, and who waited for what at its end, as HTML."""
    items = [element("li", line) for line in ended.told]
    parts = [element("ol", *items, style=cards.CLOSE)] if items else []
    if ended.waits:
        waits = (element("li", wait) for wait in ended.waits)
        parts += [cards.paragraph("Who waits:"), element("ul", *waits, style=cards.CLOSE)]
    return element("div", *parts)


def drawn(game: Game, runs: dict[str | None, Ended]) -> Figure:
    """Runs of a program as one timeline, above one another; of a single one, its end is marked."""
    recordings = {name: _recorded(game, ended) for name, ended in runs.items()}
    if len(runs) > 1:
        return timeline(recordings)
    [ended], [recording] = runs.values(), recordings.values()
    why = ended.broken.partition(" (line")[0]
    if len(why) > LONGEST_MARK:
        why = f"{why[: LONGEST_MARK - 1]}…"
    return timeline(recording, mark=(ended.at, why) if ended.broken else None)


def _recorded(game: Game, ended: Ended) -> Recording:
    with record() as recording:
        in_a_thread(lambda runs: run_once(game, ended.taken, recorded=True))
    return recording


def _all(looked):
    return {1: "the only order", 2: "both orders"}.get(looked, f"all {looked:,} orders")
