"""The map of the course: its lessons as the notebooks name them, their exercises and guesses, and
your progress.
"""

import os
import pathlib
import urllib.parse
from typing import NamedTuple

from markupsafe import Markup

from helpers.basics.project import PROJECT
from helpers.coach import cards
from helpers.coach.form import finding
from helpers.coach.lessons import Lesson, lessons
from helpers.coach.next_step import Step, next_step
from helpers.coach.progress import Progress, guess_in
from helpers.coach.remembering import Waiting, waiting
from helpers.pictures.html import Column, bundle, element, table

MARKS = {"solved": "solved", "not yet": "begun", "not started": "open"}
LEFT = "text-align: left"
OFFER = "You know some of this already? `start_with()` says in seven minutes where to begin."


def course_map() -> "CourseMap":
    """The map of the course with your progress: show it by ending a cell with `course_map()`.

    `.code` is your progress as one short string, for places where nothing is kept; in another
    kernel `course_map().restore("…")` takes it over.
    """
    return CourseMap(PROJECT)


class Row(NamedTuple):
    """A lesson in the map. exercises: with their statuses.  guesses: how many have been made, and
    how many there are.
    """

    lesson: Lesson
    exercises: list[tuple[finding.Entry, str]]
    guesses: tuple[int, int]


class CourseMap:
    """The lessons with their exercises and guesses, and the learner's progress."""

    def __init__(self, project: pathlib.Path) -> None:
        self.project = pathlib.Path(project)
        self.lessons = lessons(self.project / "notebooks")
        self.entries = finding.entries(self.project / "exercises" / "checks")

    @property
    def code(self) -> str:
        """Your progress as one short string."""
        self.waiting()  # so that what was met since is in it
        return progress().code()

    def restore(self, code: str) -> None:
        """Take over the progress in `code`. Nothing solved is lost. Raises ValueError if it
        isn't whole.
        """
        number = progress().restore(code)
        cards.words(f"Taken over: the progress of {number} exercises and guesses.").show()

    def rows(self) -> list[Row]:
        """The lessons in order."""
        known = progress().all()
        rows = []
        for lesson in self.lessons:
            entries = [entry for entry in self.entries if entry.lesson == lesson.number]
            statuses = [known.get(entry.id, {}).get("status", "not started") for entry in entries]
            guesses = [guess_in(known, id).made for id in lesson.guesses()]
            made = sum(guesses), len(guesses)
            rows.append(Row(lesson, list(zip(entries, statuses)), made))
        return rows

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.html(), repr(self))

    def __repr__(self):
        words = [self.next().text(), self.to_review(), self.text(), self.offer()]
        return "\n".join(filter(None, words))

    def next(self) -> Step:
        """What to do next."""
        return next_step(self.lessons, self.exercises(), progress().all())

    def exercises(self) -> dict[str, list[str]]:
        """The ids of the exercises by the lesson's number."""
        return {
            lesson.number: [entry.id for entry in self.entries if entry.lesson == lesson.number]
            for lesson in self.lessons
        }

    def waiting(self) -> Waiting:
        """What is due to be asked again."""
        return waiting(progress(), self.lessons, self.exercises())

    def to_review(self) -> str:
        """The words for what is due: "5 to review, 4 minutes: `review()`."; "" if nothing is."""
        words = self.waiting().words
        return f"{words}: `review()`." if words else ""

    def offer(self) -> str:
        """The words for `start_with()`; "" for whoever has begun, or has answered or skipped it."""
        return "" if progress().all() else OFFER

    def text(self) -> str:
        """The map in words, one lesson a line."""
        out = []
        for (number, title, _), exercises, (made, guesses) in self.rows():
            solved = [entry.id for entry, status in exercises if status == "solved"]
            rest = [
                entry.id + (" (begun)" if status == "not yet" else "")
                for entry, status in exercises
                if status != "solved"
            ]
            parts = [f"guesses {made} of {guesses}"] if guesses else []
            parts.append(
                f"{len(solved)} of {len(exercises)} solved" if exercises else "no exercises"
            )
            if solved:
                parts.append("solved: " + ", ".join(solved))
            if rest:
                parts.append("open: " + ", ".join(rest))
            out.append(f"{number} {title}. " + "; ".join(parts) + ".")
        return "\n".join(out)

    def html(self) -> Markup:
        """What to do next, and the map as a table with links to the lessons and their exercises."""
        cells = []
        for (number, title, path), exercises, (made, guesses) in self.rows():
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
                    f"{made} of {guesses}" if guesses else "",
                )
            )
        shown = table(
            cells,
            [Column("Lesson", style=LEFT), Column("Exercises", style=LEFT), "Solved", "Guesses"],
            caption="The course and your progress",
            named=False,
        )
        due, offer = (
            words and cards.paragraph(words) for words in (self.to_review(), self.offer())
        )
        return Markup("").join([element("p", self.next().html(link)), due, shown, offer])


def progress() -> Progress:
    """The progress of whoever learns here."""
    from helpers.coach.exercise import my_progress

    return my_progress()


def link(path: pathlib.Path, text: str, cell: str = "") -> Markup:
    """An HTML link to a file, relative to the folder of the notebook, as JupyterLab resolves it.

    cell: the id of a cell in it.
    """
    relative = pathlib.Path(os.path.relpath(path)).as_posix()
    fragment = f"#cell-id={urllib.parse.quote(cell)}" if cell else ""
    return element("a", text, href=urllib.parse.quote(relative) + fragment)
