"""What the coach shows: each card as HTML for the notebook and as plain text for everything
else.
"""

import html
import itertools
import re
import sys
import textwrap

# The edge of a card. What it tells stands in words as well.
COLOURS = {"solved": "#1a7f37", "not yet": "#b35900", "not started": "#57606a"}


class Card:
    """Something to show: .html and .text; IPython shows the one it can."""

    def __init__(self, html, text):
        self.html = html
        self.text = text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}

    def __repr__(self):
        return self.text

    def show(self):
        """Show it in a notebook's output, or print its text elsewhere."""
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        if shell is None:
            print(self.text)
        else:
            from IPython.display import display

            display(self)


def box(colour, *parts):
    """An HTML block with a coloured edge."""
    return (
        f'<div style="border-left: 5px solid {colour}; padding: 2px 0 2px 12px; margin: 4px 0; '
        f'max-width: 46em">{"".join(parts)}</div>'
    )


def paragraph(text):
    return f'<p style="margin: 4px 0">{inline(text)}</p>'


def inline(text):
    """HTML of text with `code` and **strong** in it."""
    pieces = re.split(r"(`[^`\n]+`)", text)
    out = []
    for piece in pieces:
        if len(piece) > 2 and piece[0] == piece[-1] == "`":
            out.append(f"<code>{html.escape(piece[1:-1])}</code>")
        else:
            out.append(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(piece)))
    return "".join(out)


def preformatted(text):
    style = "margin: 4px 0; white-space: pre-wrap; font-family: monospace"
    return f'<pre style="{style}">{html.escape(text)}</pre>'


def statement(text):
    """HTML of a statement: paragraphs, `- ` lists, code indented by four spaces."""
    out = []
    blocks = [block for block in re.split(r"\n[ ]*\n", text.strip("\n")) if block.strip()]
    for is_code, group in itertools.groupby(blocks, lambda block: block.startswith("    ")):
        if is_code:
            out.append(preformatted(textwrap.dedent("\n\n".join(group))))
            continue
        out += [list_or_paragraph(block) for block in group]
    return "".join(out)


def list_or_paragraph(block):
    if not block.startswith("- "):
        return paragraph(" ".join(block.split()))
    items = re.split(r"(?m)^- ", block)[1:]
    items = "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items)
    return f'<ul style="margin: 4px 0">{items}</ul>'


def task(exercise, known):
    """The card of an exercise: title, minutes, status, statement."""
    colour = COLOURS[known["status"]]
    facts = f"{exercise.minutes} minutes · {known['status']}"
    text = f"{exercise.title()} ({exercise.id}; {facts})\n\n{exercise.statement()}"
    return Card(
        box(
            colour,
            f'<p style="margin: 4px 0"><strong>{inline(exercise.title())}</strong> '
            f"({html.escape(exercise.id)} · {facts})</p>",
            statement(exercise.statement()),
        ),
        text,
    )


def verdict(verdict, offers=""):
    """The card of a verdict, with what was printed below it."""
    parts = [
        f'<p style="margin: 4px 0"><strong>{inline(verdict.first())}</strong> '
        f"{inline(verdict.observed)}</p>"
    ]
    parts += [paragraph(part) for part in (verdict.at, verdict.try_) if part]
    text = verdict.text()
    if offers:
        parts.append(paragraph(offers))
        text += "\n" + offers
    if verdict.printed:
        parts.append(paragraph("Your code printed:") + preformatted(verdict.printed))
        text += "\nYour code printed:\n" + verdict.printed
    return Card(box(COLOURS[verdict.status], *parts), text.rstrip("\n"))


def code(intro, source):
    """A card with source text that can be copied."""
    return Card(
        box(COLOURS["not started"], paragraph(intro), preformatted(source)), f"{intro}\n\n{source}"
    )


def words(text):
    """A card of one sentence or a few."""
    return Card(box(COLOURS["not started"], paragraph(text)), text)
