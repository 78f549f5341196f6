"""What the coach shows: each card as HTML for the notebook and as plain text for everything
else.
"""

import itertools
import re
import textwrap
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from helpers.basics.shell import show
from helpers.pictures.html import bundle, element

if TYPE_CHECKING:
    from helpers.coach.form.statement import Exercise
    from helpers.coach.mistakes.verdict import Verdict

# The edge of a card. What it tells stands in words as well.
COLOURS = {
    "solved": "#1a7f37",
    "not yet": "#b35900",
    "not started": "#57606a",
    "can't tell": "#57606a",
}
CLOSE = "margin: 4px 0"  # little room between the lines of a card


class Card:
    """Something to show: .html and .text; IPython shows the one it can."""

    def __init__(self, html: Markup, text: str) -> None:
        self.html = html
        self.text = text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.html, self.text)

    def __repr__(self):
        return self.text

    def show(self) -> None:
        """Show it in a notebook's output, or print its text elsewhere."""
        show(self)


def box(colour: str, *parts: Markup) -> Markup:
    """An HTML block with a coloured edge."""
    edge = f"border-left: 5px solid {colour}; padding: 2px 0 2px 12px"
    return element("div", *parts, style=f"{edge}; {CLOSE}; max-width: 46em")


def paragraph(text: str) -> Markup:
    """HTML of a paragraph, with `code` and **strong** in it."""
    return element("p", inline(text), style=CLOSE)


def inline(text: str) -> Markup:
    """HTML of text with `code` and **strong** in it."""
    pieces = re.split(r"(`[^`\n]+`)", str(escape(text)))
    for i, piece in enumerate(pieces):
        if i % 2:
            pieces[i] = f"<code>{piece[1:-1]}</code>"
        else:
            pieces[i] = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", piece)
    return Markup("".join(pieces))


def preformatted(text: str) -> Markup:
    """HTML of text that keeps its lines and its columns."""
    return element("pre", text, style=f"{CLOSE}; white-space: pre-wrap; font-family: monospace")


def statement(text: str) -> Markup:
    """HTML of a statement: paragraphs, `- ` lists, code indented by four spaces."""
    parts = []
    blocks = [block for block in re.split(r"\n[ ]*\n", text.strip("\n")) if block.strip()]
    for is_code, group in itertools.groupby(blocks, lambda block: block.startswith("    ")):
        if is_code:
            parts.append(preformatted(textwrap.dedent("\n\n".join(group))))
        else:
            parts += map(_list_or_paragraph, group)
    return Markup("").join(parts)


def _list_or_paragraph(block):
    if not block.startswith("- "):
        return paragraph(" ".join(block.split()))
    items = re.split(r"(?m)^- ", block)[1:]
    items = [element("li", inline(" ".join(item.split()))) for item in items]
    return element("ul", *items, style=CLOSE)


def task(exercise: "Exercise", known: dict) -> Card:
    """The card of an exercise: title, minutes, status, statement. known: its progress."""
    facts = f"{exercise.minutes} minutes · {known['status']}"
    title = element("strong", inline(exercise.title()))
    shown = box(
        COLOURS[known["status"]],
        element("p", title, f" ({exercise.id} · {facts})", style=CLOSE),
        statement(exercise.statement()),
    )
    text = f"{exercise.title()} ({exercise.id}; {facts})\n\n{exercise.statement()}"
    return Card(shown, text)


def verdict(verdict: "Verdict", offers: str = "") -> Card:
    """The card of a verdict, with what was printed below it. offers: what may help now."""
    first = element("strong", inline(verdict.first()))
    parts = [element("p", first, " ", inline(verdict.observed), style=CLOSE)]
    parts += [paragraph(part) for part in (verdict.at, verdict.try_) if part]
    text = verdict.text()
    if offers:
        parts.append(paragraph(offers))
        text += "\n" + offers
    if verdict.printed:
        parts += [paragraph("Your code printed:"), preformatted(verdict.printed)]
        text += "\nYour code printed:\n" + verdict.printed
    return Card(box(COLOURS[verdict.status], *parts), text.rstrip("\n"))


def code(intro: str, source: str) -> Card:
    """A card with source text that can be copied."""
    shown = box(COLOURS["not started"], paragraph(intro), preformatted(source))
    return Card(shown, f"{intro}\n\n{source}")


def words(text: str) -> Card:
    """A card of one sentence or a few."""
    return Card(box(COLOURS["not started"], paragraph(text)), text)
