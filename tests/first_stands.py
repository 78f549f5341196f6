"""Where a term first stands in the lessons: marked, as a new term is, or else merely said."""

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat

from tests import markdown

ROOT = Path(__file__).resolve().parent.parent
CLOSING = {"What to take away", "The belief corrected", "Exercises", "Next", "Further reading"}
HOLDERS = {"paragraph", "block_text", "table_cell"}  # what holds words, and no other block


class Passage(NamedTuple):
    """Some words of a lesson: its number, the section, and what is marked in them."""

    lesson: str
    section: str
    words: str
    marked: list[str]
    in_body: bool  # and not in the opening cell or the closing sections


def first_stand(term: str) -> Passage | None:
    """The first passage that marks the term; if none does, the first in a body that says it."""
    passages = all_passages()
    for one in passages:
        if any(_bare(words) == _bare(term) for words in one.marked):
            return one
    said = saying(term)
    return next((one for one in passages if one.in_body and said.search(one.words)), None)


def saying(term: str) -> re.Pattern[str]:
    """A pattern that finds the term in words, in the plural too."""
    return re.compile(rf"(?<![\w.]){re.escape(term)}(s|es)?(?!\w)", flags=re.IGNORECASE)


@functools.cache
def all_passages() -> list[Passage]:
    """Every passage of every lesson, in order."""
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    return [one for path in lessons for one in _passages(path)]


def _passages(path) -> Iterator[Passage]:
    section = ""
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type != "markdown":
            continue
        for block in markdown.blocks(cell.source):
            if block["type"] == "heading":
                section = markdown.words(block)
            in_body = number > 0 and section not in CLOSING
            for holder in _holders(block):
                yield Passage(
                    path.name[:2], section, markdown.words(holder), list(_marked(holder)), in_body
                )


def _holders(block):
    if block["type"] in HOLDERS:
        yield block
    else:
        for child in block.get("children", []):
            yield from _holders(child)


def _marked(token):
    if token["type"] in ("strong", "emphasis"):
        yield markdown.words(token)
    for child in token.get("children", []):
        yield from _marked(child)


def _bare(words):
    return words.lower().strip(" .:,;").removesuffix("s")
