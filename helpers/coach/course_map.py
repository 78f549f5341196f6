"""The map of the course: its lessons as the notebooks name them, their exercises, and your
progress.
"""

import functools
import json
import os
import pathlib
import re
import urllib.parse

from markupsafe import Markup

from helpers.basics.project import PROJECT
from helpers.coach import cards
from helpers.coach.form import finding
from helpers.coach.progress import Progress
from helpers.pictures.html import Column, bundle, element, table

MARKS = {"solved": "solved", "not yet": "begun", "not started": "open"}
LEFT = "text-align: left"


def course_map() -> "CourseMap":
    """The map of the course with your progress: show it by ending a cell with `course_map()`.

    `.code` is your progress as one short string, for places where nothing is kept; in another
    kernel `course_map().restore("…")` takes it over.
    """
    return CourseMap(PROJECT)


class CourseMap:
    """Lessons and exercises with the learner's progress. lessons: list of (number, title, path)."""

    def __init__(self, project: pathlib.Path) -> None:
        self.project = pathlib.Path(project)
        self.lessons = lessons(self.project / "notebooks")
        self.entries = finding.entries(self.project / "exercises" / "checks")

    @property
    def code(self) -> str:
        """Your progress as one short string."""
        return progress().code()

    def restore(self, code: str) -> None:
        """Take over the progress in `code`. Nothing solved is lost. Raises ValueError if it
        isn't whole.
        """
        number = progress().restore(code)
        cards.words(f"Taken over: the progress of {number} exercises.").show()

    def rows(self) -> list[tuple[str, str, pathlib.Path, list[tuple["finding.Entry", str]]]]:
        """[(lesson's number, title, path, [(Entry, status)])], lessons in order."""
        known = progress().all()
        rows = []
        for number, title, path in self.lessons:
            entries = [entry for entry in self.entries if entry.lesson == number]
            statuses = [known.get(entry.id, {}).get("status", "not started") for entry in entries]
            rows.append((number, title, path, list(zip(entries, statuses))))
        return rows

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.html(), self.text())

    def __repr__(self):
        return self.text()

    def text(self) -> str:
        """The map in words, one lesson a line."""
        out = []
        for number, title, _, exercises in self.rows():
            solved = [entry.id for entry, status in exercises if status == "solved"]
            rest = [
                entry.id + (" (begun)" if status == "not yet" else "")
                for entry, status in exercises
                if status != "solved"
            ]
            parts = [f"{len(solved)} of {len(exercises)} solved"] if exercises else ["no exercises"]
            if solved:
                parts.append("solved: " + ", ".join(solved))
            if rest:
                parts.append("open: " + ", ".join(rest))
            out.append(f"{number} {title}. " + "; ".join(parts) + ".")
        return "\n".join(out)

    def html(self) -> Markup:
        """The map as a table with links to the lessons and their exercises."""
        cells = []
        for number, title, path, exercises in self.rows():
            answers = self.project / "exercises" / path.name
            items = [
                Markup("{} ({})").format(
                    link(answers, entry.id) if answers.exists() else entry.id, MARKS[status]
                )
                for entry, status in exercises
            ]
            solved = sum(status == "solved" for _, status in exercises)
            cells.append(
                (
                    link(path, f"{number} {title}"),
                    Markup(" · ").join(items),
                    f"{solved} of {len(exercises)}",
                )
            )
        return table(
            cells,
            [Column("Lesson", style=LEFT), Column("Exercises", style=LEFT), "Solved"],
            caption="The course and your progress",
            named=False,
        )


def progress() -> Progress:
    """The progress of whoever learns here."""
    from helpers.coach.exercise import my_progress

    return my_progress()


def link(path: pathlib.Path, text: str) -> Markup:
    """An HTML link to a file, relative to the folder of the notebook, as JupyterLab resolves it."""
    relative = pathlib.Path(os.path.relpath(path)).as_posix()
    return element("a", text, href=urllib.parse.quote(relative))


def lessons(folder: pathlib.Path) -> list[tuple[str, str, pathlib.Path]]:
    """[(number, title, path)] of the notebooks NN_slug.ipynb in `folder`, in order."""
    found = []
    for path in sorted(pathlib.Path(folder).glob("[0-9][0-9]_*.ipynb")):
        found.append((path.name[:2], title_of(path, path.stat().st_mtime_ns), path))
    return found


@functools.cache
def title_of(path: pathlib.Path, changed: int) -> str:
    """The H1 of a notebook, without a number before it; the file's name where there is none.

    changed: when the file was, so that a title is read again then.
    """
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, OSError):
        cells = []
    for cell in cells:
        if cell.get("cell_type") == "markdown":
            heading = re.search(r"(?m)^# +(.+)$", "".join(cell["source"]))
            if heading:
                return re.sub(r"^(lesson )?\d+[.:]?\s+", "", heading[1].strip(), flags=re.I)
    return path.stem[3:].replace("_", " ")
