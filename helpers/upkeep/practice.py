"""The sentence on drills in a lesson's closing. Refreshing writes it, so that a lesson has it as
soon as there are drills on it, and no longer than there are.
"""

import re
from collections.abc import Collection

from nbformat import NotebookNode

from helpers.drills.catalogue import in_order

BEGIN = "For more practice, "  # by which the sentence is found again
_SECTION = re.compile(r"(?ms)^## Exercises\n.*?(?=\n+## |\Z)")
_SENTENCE = re.compile(rf"(?m)\n\n{BEGIN}.*$")


def lessons_with_drills() -> set[str]:
    """The numbers of the lessons on which there are drills."""
    return {template.lesson for template in in_order()}


def sentence(lesson: str) -> str:
    """What the closing of a lesson says of its drills."""
    return (
        f'{BEGIN}run `from helpers import drill; drill("{lesson}")` in a new cell, as often as you '
        "like: each time it asks what another short program does."
    )


def with_drills(notebook: NotebookNode, lesson: str, drilled: Collection[str]) -> None:
    """Write the sentence anew at the end of a lesson's section on its exercises.

    drilled: the lessons on which there are drills; others get none.
    """
    added = f"\n\n{sentence(lesson)}" if lesson in drilled else ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _SECTION.sub(
                lambda section: _SENTENCE.sub("", section[0]) + added, cell.source
            )
