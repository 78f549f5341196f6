"""The sheet of key points and terms, to be printed: made from each lesson's closing section and
from the glossary.
"""

from collections.abc import Iterable

from helpers.memory.closing import KeyPoints
from helpers.memory.terms import Term


def page(points: Iterable[KeyPoints], terms: Iterable[Term]) -> str:
    """The sheet as Markdown."""
    lines = ["# Key points and terms", ""]
    for one in points:
        lines += [f"## {one.number} {one.title}", "", one.points, ""]
        lines += [f"**Not so:** {one.belief}", "", f"**But:** {one.instead}", ""]
    lines += ["## Terms", ""]
    for term in terms:
        lines += [f"- **{term.name}** ({term.number}): {term.means}"]
    return "\n".join([*lines, ""])
