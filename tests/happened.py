"""An entry of "It happened to me" as its tests see it: its parts, and the cells in each."""

import re
from typing import NamedTuple

from helpers.upkeep.pages.happened import Entry
from tests import markdown

CELL = "{code-cell} ipython3"
PARTS = ["Why.", "What to do.", "Lessons."]
_TAGS = re.compile(r":tags: \[(.*)\]\n\n?")


class Cell(NamedTuple):
    """A cell to run: its source, its tags, and the part of the entry in which it stands."""

    source: str
    tags: list[str]
    part: str


def parts(entry: Entry) -> list[str]:
    """The words in bold that open a paragraph, in order."""
    return [words for block in _blocks(entry) if (words := _opening(block))]


def cells(entry: Entry) -> list[Cell]:
    """The entry's cells, in order. What stands before Why is in the part ""."""
    found, part = [], ""
    for block in _blocks(entry):
        part = _opening(block) or part
        if block["type"] == "block_code" and block.get("attrs", {}).get("info") == CELL:
            tags = _TAGS.match(block["raw"])
            source = block["raw"][tags.end() if tags else 0 :].rstrip("\n")
            found.append(Cell(source, tags[1].split(", ") if tags else [], part))
    return found


def _blocks(entry):
    return markdown.blocks(entry.text)


def _opening(block):
    """The bold words that open a paragraph, or ""."""
    first = block.get("children", [{}])[0] if block["type"] == "paragraph" else {}
    return markdown.words(first) if first.get("type") == "strong" else ""
