"""Which names of asyncio the lessons use, where each is taught, and the page that lists them.

A use is found in the syntax tree of a lesson's code cells, under whatever name asyncio or a part of
it was imported there. Of the lessons whose text names it, too, the one that uses and names it most
is taken to teach it.
"""

import ast
import asyncio
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from helpers.basics.project import PROJECT

LESSONS = tuple(sorted((PROJECT / "notebooks").glob("[0-9]*.ipynb")))
BACKPORTS = "helpers.basics.backports"  # what later Pythons have in asyncio


class Name(NamedTuple):
    """A name of asyncio, such as "gather".

    used: the lessons whose code uses it, in order. taught: the one that teaches it, or None where
    no text names it; section: the first section there that does, as a link's anchor.
    """

    name: str
    used: list[Path]
    taught: Path | None
    section: str


def names(lessons: Sequence[Path] = LESSONS) -> list[Name]:
    """Every name of asyncio that the lessons use, in alphabetical order."""
    notebooks = {path: nbformat.read(path, as_version=4) for path in lessons}
    uses: dict[str, dict[Path, int]] = {}
    for path, notebook in notebooks.items():
        for name, times in _used(notebook).items():
            uses.setdefault(name, {})[path] = times
    return [
        Name(name, list(uses[name]), *_taught(name, uses[name], notebooks))
        for name in sorted(uses, key=str.casefold)
    ]


def page(found: Iterable[Name], notebooks: str) -> str:
    """Return the page of these names as MyST Markdown.

    notebooks: the way from the page to the lessons, such as "../notebooks".
    """
    lines = [
        "# Functions and classes of asyncio",
        "",
        "What the lessons use of asyncio: where it is taught, and where else it is used.",
        "",
        "| asyncio. | Taught in | Used in |",
        "|---|---|---|",
    ]
    for one in found:
        taught = _link(one.taught, notebooks, f"#{one.section}") if one.taught else ""
        others = [_link(path, notebooks) for path in one.used if path != one.taught]
        lines.append(f"| `{one.name}` | {taught} | {' '.join(others)} |")
    return "\n".join([*lines, ""])


def _link(lesson, notebooks, anchor=""):
    return f"[{lesson.stem[:2]}]({notebooks}/{lesson.name}{anchor})"


def _used(notebook: NotebookNode) -> Counter[str]:
    """How often a notebook's code uses which name of asyncio; its cells share their imports."""
    nodes = [
        node
        for cell in notebook.cells
        if cell.cell_type == "code"
        for node in ast.walk(ast.parse(cell.source))
    ]
    modules: set[str] = set()
    imported: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name for one in node.names if one.name == "asyncio"}
        elif isinstance(node, ast.ImportFrom) and node.module in ("asyncio", BACKPORTS):
            imported |= {one.asname or one.name: one.name for one in node.names}
    found: Counter[str] = Counter()
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in modules:
                found[name] += 1
            case ast.Name(id=known) if known in imported:
                found[imported[known]] += 1
    return Counter({name: times for name, times in found.items() if _is_public(name)})


def _is_public(name):
    """Whether asyncio offers it, on this Python or on another one, and it is no module."""
    return not name.startswith("_") and not inspect.ismodule(getattr(asyncio, name, None))


def _taught(name, uses, notebooks):
    """The lesson that teaches a name, and the section where it begins to."""
    best, most = (None, ""), 0
    for path, used in uses.items():
        said: Counter[str] = Counter()
        for anchor, text in _sections(notebooks[path]):
            said[anchor] += _count(name, text)
        speaking = [anchor for anchor, times in said.items() if times]
        if speaking and used + said.total() > most:
            # An opening says what is to come; the section after it is where that begins.
            opening = speaking[0] == next(iter(said)) and len(speaking) > 1
            best, most = (path, speaking[opening]), used + said.total()
    return best


def _sections(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """(anchor, text) of each section's Markdown, in pieces and in order."""
    anchor = ""
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for piece in re.split(r"^(?=#)", cell.source, flags=re.MULTILINE):
            heading = re.match(r"#+ (.*)", piece)
            if heading:
                anchor = heading[1].replace("`", "").replace(" ", "-")
            if piece:
                yield anchor, piece


def _count(name, text):
    """How often a text names it: as code, or as a class, which has a capital in it."""
    said = re.compile(rf"(?:asyncio\.|(?<![\w.])){name}(?!\w)")
    if name != name.lower():
        return len(said.findall(text))
    return sum(len(said.findall(code)) for code in re.findall(r"`([^`]+)`", text))
