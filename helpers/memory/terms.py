"""The course's terms, read from `site/glossary.toml`.

The file holds a `[[term]]` for each, in alphabetical order:

- `name`, and `means`: one or two sentences in the course's words;
- `lesson`: the lesson in which the term first stands, and after `#` the section's anchor;
- `stands`: the sentence there, as a reader sees it;
- `marked`, where the lesson marks it in other words than `name`.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from helpers.basics.project import PROJECT

FILE = PROJECT / "site" / "glossary.toml"


class Term(NamedTuple):
    """A term: what it means, and where the lessons first say it."""

    name: str
    means: str
    lesson: str
    stands: str
    marked: str

    @property
    def number(self) -> str:
        """The lesson's number, such as "00"."""
        return self.lesson.partition("#")[0]

    @property
    def anchor(self) -> str:
        """The section's anchor, as a link in a notebook names it."""
        return self.lesson.partition("#")[2]


def terms(file: Path = FILE) -> list[Term]:
    """Read the terms, in the file's order.

    Raises KeyError where an entry lacks a key, and tomllib.TOMLDecodeError for what is no TOML.
    """
    found = tomllib.loads(file.read_text(encoding="utf-8"))["term"]
    return [
        Term(
            one["name"],
            one["means"],
            one["lesson"],
            one["stands"],
            one.get("marked", one["name"]),
        )
        for one in found
    ]
