"""How long a lesson takes: its words are read, its lines of code are read and run, and each
question, in a field or in the text, is thought about.

A line of code counts, and not a cell: cells that are parted take no longer.
"""

from collections.abc import Iterable

from nbformat import NotebookNode

WORDS_A_MINUTE, SECONDS_A_LINE, SECONDS_A_QUESTION = 180, 4, 30


def minutes(cells: Iterable[NotebookNode]) -> float:
    """The minutes that these cells of a lesson take."""
    words = asked = lines = 0
    for cell in cells:
        asked += cell.source.count("**Before you")
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
        elif " guess(" in cell.source:
            asked += 1
        elif "proof" not in cell.metadata.get("tags", ()):
            lines += len(cell.source.splitlines())
    return words / WORDS_A_MINUTE + (SECONDS_A_LINE * lines + SECONDS_A_QUESTION * asked) / 60
