"""The pages that Sphinx reads, and the links between them.

They lie as their files do in the course: notebooks/, exercises/. So most links lead where they did.
"""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import nbformat
from nbformat import NotebookNode

from helpers.upkeep.site.sphinx_hooks import anchor as name_of

LINK = re.compile(r"(?<!!)\[(?P<words>[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\((?P<to>[^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


class Pages:
    """The folder of pages. titles: the first lines of those written, in order, by their names.

    A file that would be the same is left alone, so that Sphinx reads no page twice.
    """

    def __init__(self, folder: Path, page_of: Mapping[str, str]) -> None:
        """page_of: the page of each file of the course that has one, both by their paths."""
        self.folder = folder
        self.page_of = page_of
        self.titles: dict[str, str] = {}
        self._written: set[Path] = set()

    def write(self, page: str, text: str) -> None:
        """Write a page, or another text that pages need."""
        self.titles[page] = text.partition("\n")[0]
        self._put(page, text.encode())

    def write_notebook(self, page: str, notebook: NotebookNode) -> None:
        """Write a page that is a notebook."""
        self.titles[page] = notebook.cells[0].source.partition("\n")[0]
        self._put(page, (nbformat.writes(notebook) + "\n").encode())

    def copy(self, page: str, path: Path) -> None:
        """Copy a file that pages need, such as a picture."""
        self._put(page, path.read_bytes())

    def relink(self, text: str, folder: str, page: str) -> str:
        """Lead the links of some Markdown to the pages; one to what has no page becomes its words.

        folder: of the course, which the links lead on from, "notebooks".  page: where it goes.
        """
        return LINK.sub(lambda link: self._relinked(link, folder, page), text)

    def close(self) -> None:
        """Take away the pages that were written some other time and not now: they are gone."""
        for path in [path for path in self.folder.rglob("*") if path.is_file()]:
            if path not in self._written:
                path.unlink()

    def _relinked(self, link, folder, page):
        if ELSEWHERE.match(link["to"]) or link["to"].startswith("#"):
            return link[0]
        file, mark, anchor = link["to"].partition("#")
        there = posixpath.normpath(posixpath.join(folder, file))
        if there not in self.page_of:
            return link["words"]
        relative = posixpath.relpath(self.page_of[there], posixpath.dirname(page) or ".")
        return f"[{link['words']}]({relative}{mark}{name_of(unquote(anchor))})"

    def _put(self, page, content):
        path = self.folder / page
        self._written.add(path)
        if path.exists() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
