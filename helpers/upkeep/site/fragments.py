"""Pieces of pages: HTML that fits a browser and an EPUB, which is made of XML; lists of pages."""

from collections.abc import Iterable
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from markupsafe import escape


def well_formed(html: str) -> str:
    """The HTML as XML, which a browser reads the same."""
    try:
        ElementTree.fromstring(f"<div>{html}</div>")
    except ElementTree.ParseError:
        return BeautifulSoup(html, "html.parser").decode()
    return html


def markdown_of(html: str) -> str:
    """Markdown that puts HTML into a page as it is."""
    return _as_it_is(well_formed(html))


def folded(summary: str, markdown: str) -> str:
    """Markdown that is seen once its summary is pressed."""
    opening = f'<details class="course-fold"><summary>{escape(summary)}</summary>'
    return "\n\n".join([_as_it_is(opening), markdown, _as_it_is("</details>")])


def tree_of(pages: Iterable[str], caption: str = "") -> str:
    """Markdown that puts pages below the one that it stands on, in the order of the site."""
    options = [":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])


def _as_it_is(html):
    return f"```{{raw}} html\n{html}\n```"
