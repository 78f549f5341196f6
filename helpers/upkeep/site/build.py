"""Builds the site: runs the lessons, writes the pages, has Sphinx make HTML and an EPUB of them."""

import platform
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.cmd.build import build_main

from helpers.basics.project import PROJECT
from helpers.measuring.ledger import Ledger
from helpers.memory.terms import terms
from helpers.pictures.html import element
from helpers.upkeep.pages import functions, glossary, happened
from helpers.upkeep.refresh import read
from helpers.upkeep.site import sphinx_hooks
from helpers.upkeep.site.exercises import exercises_page
from helpers.upkeep.site.fragments import markdown_of, tree_of
from helpers.upkeep.site.lessons import below, lesson_page
from helpers.upkeep.site.loop_code import CODE, code_page, index_page
from helpers.upkeep.site.page_folder import Pages
from helpers.upkeep.site.running import Failed, Run, all_findings, run_all

# What has no number introduces the others, and comes first.
LESSONS = sorted(
    (PROJECT / "notebooks").glob("*.ipynb"), key=lambda path: (path.name[0].isdigit(), path.name)
)
SITE = PROJECT / "site"
WORD = re.compile(r"\w+")
PART = re.compile(r"\| \| \*\*(.+?)\*\* \| \|")
ROW = re.compile(r"\| (\d\d) \|")
PICTURE = re.compile(r"(?m)^!\[.*?\]\((pictures/[^)]+)\)$")
BESIDES = "happened/index", "glossary", "functions", "ledger", "eventloop/index"
LEDGER = """\
# The ledger

What five articles on async Python claim, and what this course found when it ran their code. Each
lesson enters what it finds; this is what they found when these pages were made, on Python {python}.
Your machine may say otherwise: lesson 22 shows the ledger that your own runs fill.
"""


class Site:
    """The site of some lessons and some entries of "It happened to me", built in a folder.

    In it are made: `kept`, what the notebooks gave; `pages`, what Sphinx reads; `html` and `epub`.
    """

    def __init__(
        self, folder: Path, lessons: Sequence[Path], entries: Sequence[happened.Entry]
    ) -> None:
        """lessons: the paths of their notebooks, in order."""
        self.folder, self.lessons, self.entries = folder, lessons, entries
        self.runs = {path: Run(path, read(path), folder / "kept") for path in lessons}
        for path, _, _ in entries:
            notebook = read_myst_markdown_notebook(path.read_text(encoding="utf-8"))
            for number, cell in enumerate(notebook.cells):
                cell.id = f"cell-{number}"  # else another one each time
            self.runs[path] = Run(path, notebook, folder / "kept")
        self.pages = Pages(folder / "pages", self._page_of())

    def build(self) -> None:
        """Run what isn't kept, write the pages, make HTML and an EPUB of them.

        Raises Failed where a notebook doesn't run or Sphinx finds anything wrong.
        """
        run_all([*self.runs.values()])
        for path in self.lessons:
            self._write_lesson(path)
        self._write_happened()
        self._write_code()
        self._write_tables()
        self._write_index()
        self.pages.close()
        if self._are_others():  # Sphinx would make only the pages that changed themselves
            for made in "doctrees", "html", "epub":
                shutil.rmtree(self.folder / made, ignore_errors=True)
        for builder in "html", "epub":
            self._run_sphinx(builder)

    def _page_of(self):
        """The page of each file that has one, both by their paths."""
        page_of = {"README.md": "index.md"}
        for path in self.lessons:
            page_of[f"notebooks/{path.name}"] = f"notebooks/{path.name}"
            for room in "exercises", "solutions":
                page_of[f"{room}/{path.name}"] = f"exercises/{path.name}"
        for path, _, _ in self.entries:
            page_of[f"site/happened/{path.name}"] = f"happened/{path.stem}.ipynb"
        for path in CODE:
            page_of[f"helpers/eventloop/{path.name}"] = f"eventloop/{path.stem}.md"
        return page_of

    def _write_lesson(self, path):
        """Write the page of a lesson, and below it that of its exercises, if it has any."""
        name, asked = f"notebooks/{path.name}", f"exercises/{path.name}"
        page = lesson_page(self.runs[path].notebook, "notebooks", name, self.pages)
        if (PROJECT / asked).exists():
            below(page, f"/exercises/{path.stem}")
            stubs, solutions = read(PROJECT / asked), read(PROJECT / "solutions" / path.name)
            self.pages.write_notebook(asked, exercises_page(stubs, solutions, asked, self.pages))
        self.pages.write_notebook(name, page)

    def _write_happened(self):
        """Write the entries of "It happened to me", and their index."""
        for entry in self.entries:
            name, ran = f"happened/{entry.path.stem}.ipynb", self.runs[entry.path].notebook
            page = lesson_page(ran, "site/happened", name, self.pages)
            # What stands between two commas is a word to the search, and found as a whole.
            words = WORD.findall(" ".join([*entry.errors, *entry.front["keywords"]]))
            page.metadata["myst"] = {"html_meta": {"keywords": ", ".join(words)}}
            self.pages.write_notebook(name, page)
        tree = tree_of(entry.path.stem for entry in self.entries)
        self._write("happened/index.md", f"{happened.page(self.entries)}\n{tree}", "site/happened")

    def _write_code(self):
        """Write the files of the event loop, and their index."""
        for path in CODE:
            self.pages.write(f"eventloop/{path.stem}.md", code_page(path))
        self.pages.write("eventloop/index.md", index_page())

    def _write_tables(self):
        """Write the pages that list something of all lessons."""
        self._write("glossary.md", glossary.page(terms(), "notebooks"))
        self._write("functions.md", functions.page(functions.names(), "notebooks"))
        book = Ledger(all_findings(self.runs.values()))
        says = element("p", book.text.splitlines()[0])
        table = element("div", book.table(), class_="course-ledger", tabindex=0)
        opening = LEDGER.format(python=platform.python_version())
        self.pages.write("ledger.md", f"{opening}\n{markdown_of(says + table)}\n")

    def _write_index(self):
        """Write the first page, with what it takes from the README, and the order of all pages."""
        readme = (PROJECT / "README.md").read_text(encoding="utf-8")
        for picture in PICTURE.finditer(readme):
            self.pages.copy(picture[1], PROJECT / picture[1])
        opening = PICTURE.finditer(readme.partition("\n## ")[0])
        self.pages.write("pictures.txt", "\n\n".join(picture[0] for picture in opening))
        self._write("readme.txt", readme)
        index = (SITE / "index.md").read_text(encoding="utf-8")
        trees = [tree_of(names, caption) for caption, names in _parts(readme, self.lessons)]
        self.pages.write("index.md", "\n".join([index, *trees, tree_of(BESIDES, "Besides")]))

    def _write(self, page, text, folder=""):
        """Write a page whose text belongs into a folder of the course, where its links lead on."""
        self.pages.write(page, self.pages.relink(text, folder, page))

    def _are_others(self):
        """Whether what is on every page, or how each is made, has changed since the last build."""
        lines = [f"{page}: {title}\n" for page, title in self.pages.titles.items()]
        files = self.pages.folder / "index.md", Path(sphinx_hooks.__file__)
        common = "".join([*lines, *(path.read_text(encoding="utf-8") for path in files)])
        kept = self.folder / "common.txt"
        if kept.exists() and kept.read_text(encoding="utf-8") == common:
            return False
        kept.write_text(common, encoding="utf-8")
        return True

    def _run_sphinx(self, builder):
        folder = self.folder
        options = ["-b", builder, "-c", str(SITE), "-d", str(folder / "doctrees"), "-j", "2"]
        options += ["-q", "-W", "--keep-going", str(folder / "pages"), str(folder / builder)]
        if build_main(options):
            shutil.rmtree(folder / "doctrees")  # else the next build reads, and says, nothing of it
            raise Failed(f"Sphinx finds fault with the pages ({builder}), as said above")


def lessons_of(numbers: Iterable[str]) -> list[Path]:
    """The notebooks of the lessons with these numbers; of all lessons where there are none.

    Raises Failed where a number is no lesson's.
    """
    by_number = {_number(path): path for path in LESSONS}
    unknown = sorted(set(numbers) - set(by_number))
    if unknown:
        raise Failed(f"there is no lesson {unknown[0]}: their numbers have two digits, such as 07")
    return [by_number[number] for number in sorted(set(numbers))] or LESSONS


def _parts(readme, lessons):
    """The parts of the course as the README's table has them: (caption, names of pages)."""
    name_of = {_number(path): f"notebooks/{path.stem}" for path in lessons}
    first = [name for number, name in name_of.items() if not number.isdigit()]
    parts = [("The lessons", first)]
    for line in readme.splitlines():
        if part := PART.match(line):
            parts.append((part[1], []))
        elif (row := ROW.match(line)) and row[1] in name_of:
            parts[-1][1].append(name_of[row[1]])
    return [(caption, names) for caption, names in parts if names]


def _number(path):
    """The number of a lesson, "07"; of a notebook without one its name."""
    return path.stem.partition("_")[0]
