"""The plan of a lesson for who teaches it: its sections with their minutes and guesses.

It stands in teaching/NN_slug.md between two marks, and is made from the lesson, so that it can't
go stale.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from helpers.coach.form.finding import entries
from helpers.upkeep.reading_time import minutes

CLOSING = "What to take away"  # the section with which each lesson's closing begins
BEGIN, END = "<!-- plan -->", "<!-- /plan -->"


class Section(NamedTuple):
    """A part of a lesson. guesses: their ids, in order."""

    title: str
    minutes: float
    guesses: list[str]


def sections(notebook: NotebookNode) -> list[Section]:
    """The opening, each section of level two, and the closing as one."""
    parts: list[tuple[str, list[NotebookNode]]] = [("Opening", [])]
    closed = False  # not told by the title: lesson 17 has a section of its own called Closing
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            parts[-1][1].append(cell)
            continue
        for text in re.split(r"(?m)^(?=## )", cell.source):  # a heading may stand inside a cell
            heading = re.match(r"## (.+)", text)
            if heading and not closed:
                title = heading[1].strip()
                closed = title == CLOSING
                parts.append(("Closing" if closed else title, []))
            parts[-1][1].append(new_markdown_cell(text))
    return [Section(title, minutes(cells), guesses(cells)) for title, cells in parts]


def guesses(cells: Sequence[NotebookNode]) -> list[str]:
    """The ids of the questions that are asked in these cells."""
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    return [id for source in sources for id in re.findall(r'\bguess\(\s*"([\w-]+)"', source)]


def plan(lesson: Path) -> str:
    """The plan of the lesson in this notebook, as Markdown."""
    found = sections(nbformat.read(lesson, as_version=4))
    rows = [f"| {one.title} | {one.minutes:.0f} | {_listed(one.guesses)} |" for one in found]
    total = sum(one.minutes for one in found)
    asked = [entry for entry in entries() if entry.lesson == lesson.name[:2]]
    exercises = ", ".join(f"`{entry.id}` {entry.minutes}" for entry in asked)
    return "\n".join(
        [
            "| Section | Minutes | Guesses |",
            "|---|---:|---|",
            *rows,
            f"| **In all** | **{total:.0f}** | {sum(len(one.guesses) for one in found)} |",
            "",
            f"Exercises, in minutes: {exercises}; in all {sum(entry.minutes for entry in asked)}.",
        ]
    )


def _listed(ids):
    return ", ".join(f"`{id}`" for id in ids)


def with_plan(guide: str, plan: str) -> str:
    """The guide with this plan between its marks. Raises ValueError where the marks are missing."""
    before, begin, rest = guide.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"a guide needs {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{plan}\n\n{END}{after}"


def refresh(root: Path) -> list[Path]:
    """Write each guide's plan anew; return the guides that have changed."""
    changed = []
    for guide in sorted((root / "teaching").glob("[0-9][0-9]_*.md")):
        before = guide.read_text(encoding="utf-8")
        after = with_plan(before, plan(root / "notebooks" / f"{guide.stem}.ipynb"))
        if after != before:
            guide.write_text(after, encoding="utf-8")
            changed.append(guide)
    return changed
