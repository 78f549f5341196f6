"""A built site as its tests see it: its pages, what they load, and where their links lead."""

import posixpath
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
BUILD = """
import sys
from pathlib import Path
from helpers.upkeep.pages import happened
from helpers.upkeep.site.build import Site, lessons_of
folder, numbers, names = sys.argv[1:]
entries = [entry for entry in happened.entries() if entry.path.stem in names.split()]
Site(Path(folder), lessons_of(numbers.split()), entries).build()
"""
# What a page fetches by itself; a link is followed by whoever presses it.
LOADED = [
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("image", "href"),
    ("use", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("object", "data"),
    ("embed", "src"),
]
IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


def build(folder, numbers, entries):
    """Build the site of some lessons and entries in `folder`; return what was said."""
    command = [sys.executable, "-c", BUILD, str(folder), " ".join(numbers), " ".join(entries)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Page:
    """A page of the site. name: its path in it, "notebooks/05_loop_ready_queue.html"."""

    def __init__(self, path, folder):
        self.path, self.name = path, path.relative_to(folder).as_posix()

    @cached_property
    def soup(self):
        return BeautifulSoup(self.path.read_text(encoding="utf-8"), "html.parser")

    @cached_property
    def anchors(self):
        return {tag["id"] for tag in self.soup.find_all(id=True)}

    @property
    def text(self):
        return self.soup.find("article").get_text()

    def loads(self):
        """The addresses of all that it loads."""
        for tag, attribute in LOADED:
            for found in self.soup.find_all(tag):
                if address := found.get(attribute, found.get(f"xlink:{attribute}", "")):
                    yield address
        for found in self.soup.find_all(style=True):
            yield from in_css(found["style"])
        for found in self.soup.find_all("style"):
            yield from in_css(found.get_text())

    def broken_links(self, site):
        """Its links that lead nowhere in the site, which is given as its pages by name."""
        for link in self.soup.find_all("a", href=True):
            address = urlsplit(link["href"])
            if address.scheme or address.netloc:
                continue
            name = posixpath.join(posixpath.dirname(self.name), unquote(address.path))
            there = site.get(posixpath.normpath(name)) if address.path else self
            if there is None or unquote(address.fragment) not in {"", *there.anchors}:
                yield link["href"]


def pages(folder):
    """All pages of a site, by their names."""
    found = [Page(path, folder) for path in sorted(folder.rglob("*.html"))]
    return {page.name: page for page in found if not page.name.startswith("_static/")}


def in_css(text):
    """The addresses that a piece of CSS loads."""
    return [first or second for first, second in IN_CSS.findall(text)]


def is_elsewhere(address):
    """Whether an address is of another machine."""
    return urlsplit(address).scheme not in ("", "data") or address.startswith("//")
