"""A notebook that was run, as a page: a lesson, or an entry of "It happened to me"."""

import nbformat
from nbformat import NotebookNode

from helpers.upkeep.refresh import KERNEL
from helpers.upkeep.site.fragments import tree_of
from helpers.upkeep.site.outputs import asks, tidy
from helpers.upkeep.site.page_folder import Pages

PROOF = "What keeps this honest: the assertions of this section"


def new_page() -> NotebookNode:
    """A notebook without cells, whose code is Python's."""
    about = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(metadata=about)


def lesson_page(ran: NotebookNode, folder: str, name: str, pages: Pages) -> NotebookNode:
    """Return a notebook as a page: links lead to pages, proofs are folded, guesses are questions.

    folder: of its file in the course, "notebooks".  name: of the page, "notebooks/10_tasks.ipynb".
    """
    page = new_page()
    for cell in ran.cells:
        if cell.cell_type == "markdown":
            cell = nbformat.v4.new_markdown_cell(
                pages.relink(cell.source, folder, name), id=cell.id
            )
        else:
            cell = _code_cell(cell)
        page.cells.append(cell)
    return page


def below(page: NotebookNode, other: str) -> None:
    """Put another page below this one: what comes next, and what the sidebar shows there."""
    page.cells.append(nbformat.v4.new_markdown_cell(tree_of([other]), id="below"))


def _code_cell(cell):
    shown = nbformat.v4.new_code_cell(cell.source, id=cell.id, outputs=cell.outputs)
    tidy(shown)
    tags = list(cell.metadata.get("tags", []))
    if "proof" in tags:
        tags.append("hide-input")
        shown.metadata["mystnb"] = {"code_prompt_show": PROOF, "code_prompt_hide": PROOF}
    elif asks(shown):
        tags.append("remove-input")  # which says nothing but the question
    shown.metadata["tags"] = tags
    return shown
