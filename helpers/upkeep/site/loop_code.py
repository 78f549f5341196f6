"""The event loop that lessons 05 to 09 build, file by file: lessons link to its code."""

import ast
from pathlib import Path

from helpers.basics.project import PROJECT
from helpers.upkeep.site.fragments import tree_of

CODE = sorted((PROJECT / "helpers" / "eventloop").glob("[a-z]*.py"))
OPENING = """\
# The event loop that the lessons build

A file for each stage. A lesson that goes through one of them links to it.
"""


def code_page(path: Path) -> str:
    """Return the page of one of its files."""
    return f"# {path.name}\n\n````python\n{path.read_text(encoding='utf-8')}````\n"


def index_page() -> str:
    """Return the page that lists them, each with the first sentences of its docstring."""
    lines = [OPENING]
    for path in CODE:
        says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = " ".join(says.partition("\n\n")[0].split())
        lines.append(f"- [{path.name}]({path.stem}.md): {first}")
    return "\n".join([*lines, "", tree_of(path.stem for path in CODE)])
