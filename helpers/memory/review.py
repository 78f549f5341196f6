"""`review()`: drills on the beliefs whose correction is due to be asked again."""

import calendar
import os
import pathlib
import random
import time
from typing import TYPE_CHECKING

from helpers.basics.project import PROJECT
from helpers.basics.shell import show
from helpers.beliefs.all import BELIEFS
from helpers.beliefs.apart import apart
from helpers.coach import cards
from helpers.coach.course_map import CourseMap
from helpers.coach.exercise import my_progress
from helpers.coach.progress import memory_in
from helpers.coach.remembering import MOST, reviewed
from helpers.drills.catalogue import templates_for
from helpers.drills.choosing import asking_about
from helpers.drills.drill import RECENT, Drill, Question
from helpers.drills.template import Program
from helpers.memory.counted import Counted
from helpers.memory.shown import Shown

if TYPE_CHECKING:
    import ipywidgets

NOTHING_YET = (
    "Nothing to review yet: what you predict wrongly, and what a finished lesson corrects, is "
    "asked again from the next day on."
)


def review() -> "Review":
    """Ask what is due, at most ten drills: show the first, and return the sitting, for
    `.check("a b c")`, which shows the next one, and for `.export("async.apkg")`.
    """
    sitting = Review()
    show(Shown(sitting))
    return sitting


class Review:
    """A sitting. ids: of the beliefs that are asked about.  rights: how many answers were right.
    drill: the one that is asked now, or None.
    """

    def __init__(self) -> None:
        due = CourseMap(PROJECT).waiting()
        self.words = due.words
        self.ids = due.ids[:MOST]
        self.answered = self.rights = 0
        self.drill: Drill | None = None
        self.go_on()

    def go_on(self) -> None:
        """Go on to the next drill; if there is none, to the end of the sitting."""
        left = self.ids[self.answered :]
        self.drill = None
        if left:
            self.drill = Counted(fresh(left[0]), lambda right: self.heard(left[0], right))

    def check(self, said: str) -> None:
        """Compare what you say with what happens, show the verdict, and ask the next.

        said: the answer as a text: "a b c". Capitals, commas and quotes don't count.
        """
        if self.drill is None:
            cards.words(self.text).show()
            return
        before = self.answered
        self.drill.check(said)
        if self.answered > before:
            self.go_on()
            show(Question(self.drill) if self.drill else cards.words(self.text))

    def heard(self, id: str, right: bool) -> None:
        """Note the answer to the drill on this belief."""
        progress = my_progress()
        before = memory_in(progress.all()).get(id)
        progress.remember({id: reviewed(before, right, progress.now())})
        self.answered += 1
        self.rights += right

    def export(self, path: str | os.PathLike) -> pathlib.Path:
        """Write a deck for Anki, of the wrong beliefs with their timelines, the terms and the
        lessons' key points. Returns its path.

        Raises ValueError if the path does not end in .apkg, OSError if it can't be written.
        """
        from helpers.memory.deck import write

        return write(pathlib.Path(path))

    @property
    def text(self) -> str:
        """Where the sitting stands, in plain text, with the drill that is asked."""
        if self.drill is not None:
            return f"{self.where()}\n\n{self.drill.text}"
        return self.where()

    def where(self) -> str:
        """Where the sitting stands: which drill it is of how many, or what came of them."""
        if self.drill is not None:
            return f"{self.answered + 1} of {len(self.ids)}" if self.answered else f"{self.words}."
        due = CourseMap(PROJECT).waiting()
        words = f"Right: {self.rights} of {self.answered}." if self.answered else ""
        if due.ids:
            return f"{words} {due.words}: `review()`.".strip()
        if due.later is None:
            return f"{words} {NOTHING_YET}".strip()
        return f"{words} Nothing is due. The next review is on {date(due.later)}.".strip()

    @property
    def over(self) -> bool:
        """Whether nothing is asked any more."""
        return self.drill is None

    def __repr__(self):
        return f"review: {self.answered} of {len(self.ids)} answered"

    def field(self) -> "ipywidgets.Widget":
        """The drills one after another, each with its field."""
        from helpers.memory.field import one_by_one

        return one_by_one(lambda: self.drill and self.drill.field(), self.go_on, self.where)


def fresh(id: str) -> Program:
    """A drill in which this belief predicts something wrong, and which was not asked lately."""
    belief = BELIEFS[id]
    seen = {(template, answer.variant) for template, answer in my_progress().drills()[-RECENT:]}
    found = templates_for(belief.lesson)
    program = apart(lambda: asking_about(belief, found, random.Random(), seen))
    if program is None:
        raise ValueError(f"No drill on lesson {belief.lesson} asks whether {belief.sentence}.")
    return program


def date(at: int) -> str:
    """A day in words: "24 November". at: in seconds since 1970."""
    day = time.localtime(at)
    return f"{day.tm_mday} {calendar.month_name[day.tm_mon]}"
