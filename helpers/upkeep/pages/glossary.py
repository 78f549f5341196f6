"""The page that lists the course's terms (`helpers.memory.terms`)."""

from collections.abc import Iterable

from helpers.basics.project import PROJECT
from helpers.memory.terms import Term


def page(found: Iterable[Term], notebooks: str) -> str:
    """Return the page of these terms as MyST Markdown, each with a link to where it first stands.

    notebooks: the way from the page to the lessons, such as "../notebooks".
    """
    lines = ["# Glossary", "", "```{glossary}"]
    for term in found:
        (lesson,) = PROJECT.glob(f"notebooks/{term.number}_*.ipynb")
        link = f"[Lesson {term.number}]({notebooks}/{lesson.name}#{term.anchor})"
        lines += [term.name, f"  {term.means} {link}", ""]
    return "\n".join([*lines, "```", ""])
