"""A cut of a guide in teaching/ can be run: it names each section that must have run before.

A cut names sections by their titles, in italics; those after "Run first" are run and not shown.
"""

import ast
import builtins
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from tests import markdown

pytestmark = pytest.mark.once
ROOT = Path(__file__).resolve().parent.parent
GUIDES = sorted((ROOT / "teaching").glob("[0-9][0-9]_*.md"))
CUTS = {  # the heading of each, and the one after it
    "If you have 5 minutes": "If you have 20 minutes",
    "If you have 20 minutes": "Questions that come",
}
OPENING = ""  # the cells before the first section, which always run
GIVEN = {*dir(builtins), "display"}


class Cell(NamedTuple):
    """A code cell: its section, the names that it binds, and those that it needs."""

    section: str
    bound: set[str]
    needed: set[str]


class Waitless(ast.NodeTransformer):
    """Leaves out each `await`: from 3.14 on a symbol table takes none outside of a function."""

    def visit_Await(self, node):
        return self.generic_visit(node).value

    def visit_AsyncFor(self, node):
        return self.generic_visit(ast.For(node.target, node.iter, node.body, node.orelse))

    def visit_AsyncWith(self, node):
        return self.generic_visit(ast.With(node.items, node.body))

    def visit_comprehension(self, node):
        node.is_async = 0
        return self.generic_visit(node)


def cell(section: str, source: str) -> Cell:
    tree = ast.fix_missing_locations(Waitless().visit(ast.parse(source)))
    top = symtable.symtable(ast.unparse(tree), "cell", "exec")
    needed, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        symbols = [one for one in table.get_symbols() if one.is_referenced()]
        needed |= {one.get_name() for one in symbols if table is top or one.is_global()}
    bound = [one for one in top.get_symbols() if one.is_assigned() or one.is_imported()]
    bound += [one for one in top.get_symbols() if one.is_namespace()]
    names = {one.get_name() for one in bound}
    return Cell(section, names, needed - names - GIVEN)


def cells(notebook: nbformat.NotebookNode) -> Iterator[Cell]:
    """The code cells; a proof right below a heading belongs to the section before it."""
    section = before = OPENING
    for one in notebook.cells:
        if one.cell_type == "markdown":
            titles = [words for level, words in markdown.headings(markdown.blocks(one.source))]
            if titles and one is not notebook.cells[0]:
                section = titles[-1]
        elif "proof" in one.metadata.get("tags", ()):
            yield cell(before, one.source)
        else:
            before = section
            yield cell(section, one.source)


def missing(lesson: list[Cell], run: set[str]) -> set[str]:
    """The sections whose names are needed by what is run, and which are not run."""
    found, here, elsewhere = set(), set(), {}
    for one in lesson:
        if one.section in run:
            found |= {elsewhere[name] for name in one.needed - here if name in elsewhere}
            here |= one.bound
        else:
            elsewhere |= dict.fromkeys(one.bound, one.section)
    return found


@pytest.mark.parametrize("heading", CUTS)
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_cut_names_the_sections_that_must_have_run(guide, heading):
    notebook = nbformat.read(ROOT / "notebooks" / f"{guide.stem}.ipynb", as_version=4)
    prose = [one.source for one in notebook.cells if one.cell_type == "markdown"]
    titles = {words for _, words in markdown.headings(markdown.blocks(*prose))}
    _, below = markdown.parted(markdown.blocks(guide.read_text("utf-8")), heading)
    cut, _ = markdown.parted(below, CUTS[heading])
    named = markdown.emphasised(cut)
    assert named and titles.issuperset(named), named
    lacking = missing(list(cells(notebook)), {OPENING, *named})
    assert not lacking, f"under “{heading}”, after “Run first”, name {sorted(lacking)}"


LESSON = [
    cell(OPENING, "import asyncio"),
    cell("One", "async def one(n):\n    await asyncio.sleep(n)\n    log.append(n)"),
    cell("One", "log = []\nawait one(1)"),
    cell("Two", "def two(log):\n    return [log for one in range(3)]"),
    cell("Three", "log = []\nprint(two(log))"),
]


@pytest.mark.parametrize(
    "run, lacking",
    [
        ("One", ""),
        ("Two", ""),
        ("Three", "Two"),
        ("Two, Three", ""),
        ("One, Three", "Two"),
    ],
)
def test_what_a_section_needs_is_found(run, lacking):
    assert missing(LESSON, {OPENING, *run.split(", ")}) == set(filter(None, [lacking]))


def test_a_proof_below_a_heading_belongs_to_the_section_before():
    new = nbformat.v4
    proof = new.new_code_cell("assert a", metadata={"tags": ["proof"]})
    lesson = [new.new_markdown_cell("# 05 Title"), new.new_code_cell("a = 1")]
    lesson += [new.new_markdown_cell("read.\n\n## Next"), proof, new.new_code_cell("b = 2")]
    found = cells(new.new_notebook(cells=lesson))
    assert [one.section for one in found] == [OPENING, OPENING, "Next"]
