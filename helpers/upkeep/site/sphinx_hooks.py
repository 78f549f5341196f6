"""What the course adds to Sphinx: links as JupyterLab has them, and names for a screen reader."""

import posixpath
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

NO_NAME = re.compile(r"[\"<>&]")
SCRIPT = re.compile(r"<script\b.*?</script>", flags=re.DOTALL)
LINK = re.compile(r'href="(?P<to>[^":#]+)\.ipynb(#[^"]*)?"')


def anchor(heading: str) -> str:
    """The name by which a link finds a heading: as in JupyterLab, with hyphens for spaces.

    Without marks of HTML, for Sphinx writes the name into a page as it is.
    """
    return NO_NAME.sub("", heading).replace(" ", "-")


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx what to call; it calls this itself."""
    app.connect("doctree-resolved", lead_to_pages)
    app.connect("doctree-resolved", leave_scripts_out_of_books)
    app.connect("doctree-resolved", name_first_columns)
    app.connect("html-page-context", name_toggles, priority=900)  # once the theme has made them
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lead_to_pages(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let links to notebooks in a page's HTML, such as the map's, lead to the notebooks' pages.

    One to a notebook that has no page becomes its words.
    """

    def lead(link: re.Match) -> str:
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), link["to"]))
        if there not in app.env.found_docs:
            return 'class="course-no-page"'
        return f'href="{app.builder.get_relative_uri(page, there)}"'

    for node in document.findall(nodes.raw):
        if "html" in node.get("format", "") and ".ipynb" in node.astext():
            html = LINK.sub(lead, node.astext())
            node.replace_self(nodes.raw("", html, format="html"))


def leave_scripts_out_of_books(app: Sphinx, document: nodes.document, page: str) -> None:
    """Take the scripts that pictures bring along out of an EPUB, where hardly a reader runs any."""
    if app.builder.name != "epub":
        return
    for node in document.findall(nodes.raw):
        if "<script" in node.astext():
            node.replace_self(nodes.raw("", SCRIPT.sub("", node.astext()), format="html"))


def name_first_columns(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let each column of a table have a heading; one that is empty gets a word that isn't seen."""
    for head in document.findall(nodes.thead):
        for entry in head.findall(nodes.entry):
            if not entry.astext():
                words = '<span class="visually-hidden">Row</span>'
                entry.children = [nodes.raw("", words, format="html")]


def name_toggles(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: object
) -> None:
    """Let what opens a list of pages in the sidebar say so."""
    make = context.get("generate_toctree_html")
    if make is None:  # an EPUB has no sidebar
        return

    def named(kind: str, **options: Any) -> Any:
        made = make(kind, **options)
        return str(made).replace("<summary>", '<summary aria-label="The pages below this one">')

    context["generate_toctree_html"] = named
