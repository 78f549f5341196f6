"""An instant of a recording as the explorer shows it: in a line of words, and as HTML."""

import collections.abc
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from helpers.basics.words import listed
from helpers.pictures.html import element, table

SHOWN = 12  # entries of a list


class Box(NamedTuple):
    """Who is in one place. ordered: do they stand in a queue?"""

    title: str
    entries: Sequence[str]
    ordered: bool


class View:
    """An instant in words.

    time: in words. head: which instant, and when. prose: sentences.
    lines: (what, place, source text).
    """

    def __init__(
        self,
        time: str,
        head: str,
        prose: Iterable[str],
        lines: Iterable[tuple[str, str, str]],
        boxes: Iterable[Box],
    ) -> None:
        self.time = time
        self.head = head
        self.prose = list(prose)
        self.lines = list(lines)
        self.boxes = list(boxes)

    @property
    def text(self) -> str:
        """All of it on one line."""
        at = "; ".join(f"{what} {where}" for what, where, _ in self.lines)
        boxes = " ".join(
            f"{title}: {', '.join(entries[:SHOWN])}{_more(entries, ' and {} more')}."
            for title, entries, _ in self.boxes
            if entries
        )
        return " ".join(filter(None, [f"{self.time}:", *self.prose, at and f"({at})", boxes]))

    def html(self, live: str) -> Markup:
        """All of it as HTML. live: role of the sentences, so that a screen reader says them."""
        first, *others = self.prose
        lines = table((what, where, element("code", text)) for what, where, text in self.lines)
        return element(
            "div",
            element(
                "p",
                element("span", f"{self.head}."),
                " ",
                element("strong", first),
                f" {' '.join(others)}",
                role=live,
            ),
            element("div", lines, class_="explorer-lines"),
            element("div", *map(_box, self.boxes), class_="explorer-boxes"),
            class_="explorer",
        )


def _box(box):
    title, entries, ordered = box
    items = [element("li", entry) for entry in entries[:SHOWN]]
    names = element("ol" if ordered else "ul", *items) if items else element("p", "nobody")
    more = _more(entries, "and {} more")
    head = element("p", element("strong", title), f" ({len(entries):,})")
    return element("div", head, names, element("p", more) if more else "")


def _more(entries, words):
    return words.format(f"{len(entries) - SHOWN:,}") if len(entries) > SHOWN else ""


class Entries(collections.abc.Sequence):
    """Words for each of many things, made when they are looked at."""

    def __init__(self, things: Sequence[Any], words: Callable[[Any], str]) -> None:
        self.things = things
        self.words = words

    def __len__(self) -> int:
        return len(self.things)

    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return [self.words(thing) for thing in self.things[i]]
        return self.words(self.things[i])


def listed_in_part(names: Sequence[str]) -> str:
    """ "a, b and c"; of too many the first, and how many more."""
    if len(names) > SHOWN:
        names = [*names[: SHOWN - 1], f"{len(names) - SHOWN + 1:,} more"]
    return listed(names)
