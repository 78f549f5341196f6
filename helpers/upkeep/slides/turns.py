"""A lesson's cells as slides: a question, the code, what it shows, and the reading of it.

Each slide is one or more cells of a notebook, as nbconvert's slides have them: `slide` begins a
section, `subslide` a slide of it, `fragment` comes with the next key, `notes` only the speaker
sees. What would not fit is cut between paragraphs or at an empty line of the code. The heights are
estimates, for there is no browser here; `fit.js` does the rest.
"""

import ast
import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import nbformat
from bs4 import BeautifulSoup
from nbformat import NotebookNode

from helpers.coach.guess import QUESTION
from helpers.upkeep.site.outputs import tidy

ROOM = 620  # pixels that a slide has for what stands on it, of 720
WIDE, HIGH = 1100, 560  # pixels that a picture may take
TEXT_LINE, TEXT_WIDTH, GAP = 38, 88, 20  # pixels, characters, pixels
CODE_LINE, CODE_LINES = 28, 20  # pixels; lines on one slide
ROW = 40  # pixels of a table's row
ELSEWHERE = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")  # a link that leads nowhere from here
BLOCKS = re.compile(r"\n\s*\n")
SIZE = re.compile(r'viewBox=["\']0 0 ([\d.]+) ([\d.]+)')
ASKS = "**Before"  # how a question in the prose begins
HIDDEN = {"proof"}


class Part(NamedTuple):
    """What can't be cut: a cell with one piece of a lesson, and about how high it is, in pixels.

    kind: "heading", "text", "question", "code" or "shown".
    """

    kind: str
    cell: NotebookNode
    height: float


def slides(lesson: NotebookNode, notes: Mapping[str, str]) -> NotebookNode:
    """Return a notebook of slides of a lesson that was run.

    notes: what the speaker says, by the section's title; by "" at the beginning.
    """
    made = nbformat.v4.new_notebook(metadata=lesson.metadata)
    room, before = 0.0, ""
    for part in _parts(lesson):
        if part.kind == "heading":
            kind = "slide"
        elif _stays(part, before, room):
            kind = "fragment" if part.kind == "shown" and before != "shown" else "-"
        else:
            kind = "subslide"
        if kind in ("slide", "subslide"):
            room = ROOM
        part.cell.metadata["slideshow"] = {"slide_type": kind}
        made.cells.append(part.cell)
        if part.kind == "heading":
            title = part.cell.source.lstrip("# ").strip()
            said = notes.get(title, notes.get("", "") if len(made.cells) == 1 else "")
            if said:
                note = nbformat.v4.new_markdown_cell(said)
                note.metadata["slideshow"] = {"slide_type": "notes"}
                made.cells.append(note)
        room -= part.height
        before = part.kind
    return made


def notes_of(guide: str) -> dict[str, str]:
    """What a guide of a lesson gives the speaker: by title of a section; by "" the belief."""
    sections = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", guide))
    said = {"": sections.get("The belief they come with", "").strip()}
    for item in re.split(r"(?m)^- ", sections.get("Notes for slides", "")):
        if found := re.match(r"(?s)\*(.+?)\* → (.+)", item):
            title = found[1].replace("\\*", "*")  # as Markdown writes a star
            said[title] = " ".join(found[2].split())
    return said


def _stays(part, before, room):
    """Whether a part stays on the slide of the one before it."""
    if part.height > room:
        return False
    if part.kind == "code":  # what was said before it, or asked, may stand above it
        return before not in ("code", "shown")
    if part.kind == "shown":
        return before in ("code", "shown")
    return before not in ("code", "shown", "question")  # what was shown is read on the next one


def _parts(lesson) -> Iterator[Part]:
    for cell in lesson.cells:
        if cell.cell_type == "markdown":
            yield from _of_text(cell.source)
        elif not HIDDEN & set(cell.metadata.get("tags", ())):
            yield from _of_code(cell)


def _of_text(source):
    for block in BLOCKS.split(ELSEWHERE.sub(r"\1", source).strip()):
        cell = nbformat.v4.new_markdown_cell(block)
        lines = [math.ceil(len(line) / TEXT_WIDTH) for line in block.splitlines()]
        height = max(sum(lines), math.ceil(len(block) / TEXT_WIDTH)) * TEXT_LINE + GAP
        if block.startswith("#"):
            yield Part("heading", cell, 2 * TEXT_LINE)
        else:
            yield Part("question" if ASKS in block else "text", cell, height)


def _of_code(cell):
    tidy(cell)
    shown = [part for output in cell.outputs for part in _of_output(output)]
    asks = any(
        QUESTION in part.cell.outputs[0].get("data", {}).get("text/html", "") for part in shown
    )
    if not asks and not _is_imports(cell.source):
        for text in _cut(cell.source.splitlines()):
            height = (text.count("\n") + 1) * CODE_LINE + GAP
            yield Part("code", nbformat.v4.new_code_cell(text), height)
    for part in shown:
        yield part._replace(kind="question") if asks else part


def _of_output(output):
    if output.output_type == "error":  # its traceback is in the lesson
        output = _stream(f"{output.ename}: {output.evalue}")
    if output.output_type == "stream" or "text/html" not in output.data:
        text = output.text if output.output_type == "stream" else output.data.get("text/plain", "")
        for piece in _cut(text.rstrip("\n").splitlines()):
            yield _shown(_stream(piece), (piece.count("\n") + 1) * CODE_LINE + GAP)
        return
    for element in BeautifulSoup(output.data["text/html"], "html.parser").find_all(recursive=False):
        if element.name == "details":  # the words of a picture, which it has inside as well
            continue
        html = str(element)
        data = {"text/html": html, "text/plain": ""}
        yield _shown(nbformat.v4.new_output("display_data", data), _height(element, html))


def _height(element, html):
    if size := SIZE.search(html):
        wide, high = map(float, size.groups())
        return min(HIGH, high * WIDE / wide) + GAP
    if element.name == "img":
        return HIGH + GAP
    rows = len(element.find_all("tr"))
    return (
        rows * ROW + GAP if rows else TEXT_LINE * (1 + len(element.get_text()) // TEXT_WIDTH) + GAP
    )


def _shown(output, height):
    cell = nbformat.v4.new_code_cell("", outputs=[output])
    cell.metadata["tags"] = ["shown"]  # page.py leaves its empty input out
    return Part("shown", cell, height)


def _stream(text):
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def _cut(lines) -> Iterator[str]:
    """The lines in pieces that a slide has room for, cut at an empty line where there is one."""
    while len(lines) > CODE_LINES:
        empty = [n for n in range(CODE_LINES // 2, CODE_LINES) if not lines[n].strip()]
        end = empty[-1] if empty else CODE_LINES
        yield "\n".join(lines[:end]).strip("\n")
        lines = lines[end:]
    if any(line.strip() for line in lines):
        yield "\n".join(lines).strip("\n")


def _is_imports(source):
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic, or an await at the top, is more than an import
        return False
    return all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in body)
