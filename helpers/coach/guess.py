"""What a learner is asked before an experiment: `letters = guess("05-log", "Write down the log.")`,
then `letters.check("".join(log))` as the last line of the cell that runs it.

What was said is kept with the learner's progress at once, and `check` reads it from there. So it is
the same whichever field it was said in, whether the cell of the guess ran again or not, and in the
next kernel.
"""

import re
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

from helpers.basics.project import PROJECT
from helpers.basics.shell import show
from helpers.basics.words import listed
from helpers.coach import cards
from helpers.coach.agreeing import (
    Truth,
    agree,
    amount,
    in_words,
    kind,
    near,
    number_in,
    one_line,
    shortened,
)
from helpers.coach.course_map import CourseMap
from helpers.coach.exercise import my_progress
from helpers.coach.lessons import asked, notebooks
from helpers.pictures.html import bundle, element
from helpers.room import told

if TYPE_CHECKING:
    import ipywidgets

FEWEST, MOST = 2, 5  # choices
COUNTED = 100  # what is less can be counted, and has to be exact
NEAR = 0.1  # else
# Classes in the HTML, by which the site knows a question and what came out.
QUESTION, CAME_OUT = "course-question", "course-came-out"


def guess(
    id: str, question: str, *, choices: Sequence[str] | None = None, unit: str | None = None
) -> "Guess":
    """Ask for a guess: show the question with a field, and return it, to be asked for `check`.

    id: the lesson's number, a hyphen and a name, unique in the course; in the tour, "tour" stands
    for the number.
    choices: two to five texts to choose from.  unit: of the number that is asked for; "" for a
    number without one. With neither, a text is asked for.

    Raises ValueError if these don't fit.
    """
    asked = Guess(id, question, choices, unit)
    show(Question(asked))
    return asked


class Guess:
    """A question that was asked, to be compared with what comes out."""

    def __init__(self, id: str, question: str, choices: Sequence[str] | None, unit: str | None):
        self.id = _sound_id(id)
        self.question = question
        self.choices = None if choices is None else _sound_choices(id, choices, unit)
        self.unit = _sound_unit(id, unit)

    def __repr__(self):
        return f"guess {self.id!r}: {shortened(self.said) or 'nothing was said yet'}"

    @property
    def said(self) -> str:
        """What was said last; "" if nothing was, or something that can't be chosen any more."""
        said = my_progress().guess_of(self.id).said.strip()
        return said if self.choices is None or said in self.choices else ""

    def say(self, said: str) -> str:
        """Note what was said; "" for nothing. Returns a sentence if it can't be compared."""
        if said.strip() != self.said:
            my_progress().said(self.id, said.strip())
            told("guess", self.id, said=said.strip())
        problem = self.problem()
        return problem and f"{problem}."

    def field(self) -> "ipywidgets.Widget":
        """The field, with what was said last in it."""
        from helpers.coach.field import field

        return field(self.question, self.said, self.say, choices=self.choices, unit=self.unit)

    def problem(self) -> str:
        """What is wrong with what was said, if it can't be compared; else ""."""
        if self.unit is None or not self.said or number_in(self.said, self.unit):
            return ""
        return f'I can\'t read "{shortened(self.said)}" as a number such as 3, 0.5 or 1/2'

    def check(self, truth: Truth, *, within: float | None = None) -> None:
        """Show what was said beside what came out, in a line, and keep both.

        truth: what the experiment gave: a number where one was asked for, the very text of a choice
        where there are some; else a text (capitals, spaces and commas don't count), a list (an
        order) or a set (in any order).  within: the share of `truth` by which a number may differ;
        without it, a tenth, and nothing for a count below 100.

        After the last question of a lesson it also says what is due to be reviewed, if anything is.
        Raises TypeError or ValueError if `truth` is no answer to the question; never over what was
        said.
        """
        self._must_answer(truth)
        said, came = self.said, self._came(truth)
        right = bool(said and not self.problem() and self._is_right(said, truth, within))
        if said and not self.problem():
            my_progress().compared(self.id, said, came, right)
            told("guess", self.id, said=said, truth=came, right=right)
        Line(self._line(said, shortened(came), right), right, said=bool(said)).show()
        if self._ends_its_lesson() and (due := CourseMap(PROJECT).to_review()):
            cards.words(due).show()

    def _ends_its_lesson(self):
        """Whether it is the last question of its notebook."""
        path = notebooks(PROJECT / "notebooks").get(self.id.partition("-")[0])
        return bool(path) and self.id == next(reversed(asked("guess", path)), None)

    def _must_answer(self, truth):
        given = kind(truth)
        if self.choices is not None and truth not in self.choices:
            raise ValueError(
                f"{truth!r} is none of the choices of {self.id!r}: give check() the text of one."
            )
        if (given == "number") != (self.unit is not None):
            wanted = "a text, a list or a set" if self.unit is None else "a number"
            raise TypeError(f"{self.id!r} asks for {wanted}; check() was given {truth!r}.")

    def _came(self, truth):
        return in_words(truth) if self.unit is None else amount(truth, self.unit)

    def _is_right(self, said, truth, within):
        if self.choices is not None:
            return said == truth
        if self.unit is not None:
            return near(number_in(said, self.unit).value, truth, _tolerance(truth, within))
        return agree(said, truth)

    def _line(self, said, came, right):
        if self.choices is not None:  # a choice may be a sentence
            chosen = f"You chose: {shortened(one_line(said))}." if said else ""
            return f"{chosen} So it is." if right else f"{chosen} It turned out: {came}.".strip()
        if not said:
            return f"It is {came}."
        if problem := self.problem():
            return f"{problem}; it is {came}."
        if self.unit is not None:
            said = number_in(said, self.unit).words
        said = shortened(one_line(said))
        if not right:
            return f"You said {said}. It is {came}."
        exactly = "" if self.unit is None or said == came else f": {came}"
        return f"You said {said}, and so it is{exactly}."


class Line(cards.Card):
    """The line that `check` shows. said: whether something was said."""

    def __init__(self, text: str, right: bool, said: bool) -> None:
        # Of what is new in a page, a screen reader says an alert only; and only who said something
        # waits for an answer.
        role = "alert" if said else ""
        words = element("p", text, role=role, class_=CAME_OUT, style=cards.CLOSE)
        super().__init__(
            cards.box(cards.COLOURS["solved" if right else "not started"], words), text
        )


class Question:
    """A guess as a cell shows it: the field where there is a front end, else the question."""

    def __init__(self, asked: Guess) -> None:
        self.asked = asked
        self.text = asked.question
        if asked.choices is not None:
            self.text += "".join(f"\n- {choice}" for choice in asked.choices)
        elif asked.unit:
            self.text += f" (in {asked.unit})"

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        asked = self.asked
        choices = element("ul", *(element("li", choice) for choice in asked.choices or ()))
        words = (
            [cards.paragraph(self.text)]
            if asked.choices is None
            else [cards.paragraph(asked.question), choices]
        )
        shown = bundle(element("div", *words, class_=QUESTION), self.text)
        try:
            from helpers.pictures.widgets import with_widget
        except ImportError:  # ipywidgets, where the course's packages are not all there
            return shown
        return with_widget(shown, asked.field)


def _tolerance(truth, within):
    """The share by which a number may differ from the true one: who counts to 20 means 20."""
    if within is not None:
        return within
    return 0.0 if isinstance(truth, Integral) and abs(truth) < COUNTED else NEAR


def _sound_id(id):
    """The id, if it begins as the name of one of the course's notebooks does."""
    begin, _, name = str(id).partition("-")
    if not re.fullmatch("[a-z0-9-]+", name) or begin not in notebooks(PROJECT / "notebooks"):
        raise ValueError(
            f"{id!r} is no id of a guess: it is the number of a lesson, a hyphen and a name in "
            'small letters, such as "05-log".'
        )
    return id


def _sound_unit(id, unit):
    """The unit, if it is one."""
    if unit is not None and not isinstance(unit, str):
        raise ValueError(f'{id!r} has the unit {unit!r}: give a text, "" for a bare number.')
    return unit


def _sound_choices(id, choices, unit):
    """The choices, if somebody can choose among them."""
    if unit is not None:
        raise ValueError(f"{id!r} has both choices and a unit: leave one of them out.")
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        raise ValueError(f"{id!r} has choices that are no texts: give a list of strings.")
    given = [choice.strip() for choice in choices]
    if not FEWEST <= len(set(given)) == len(given) <= MOST:
        raise ValueError(
            f"{id!r} has {len(given)} choices, {listed(map(repr, given))}: "
            f"give {FEWEST} to {MOST} different ones."
        )
    return given
