"""`start_with()`: three questions and ten drills, and with which lesson to begin."""

import random
from typing import TYPE_CHECKING

from helpers.basics.project import PROJECT
from helpers.basics.shell import show
from helpers.basics.words import listed
from helpers.beliefs.apart import apart
from helpers.coach import cards
from helpers.coach.exercise import my_progress
from helpers.coach.lessons import lessons
from helpers.drills import weighing
from helpers.drills.catalogue import templates_for
from helpers.drills.choosing import choose
from helpers.drills.template import Program
from helpers.memory.counted import Counted
from helpers.memory.placing import (
    AREAS,
    QUESTIONS,
    Question,
    at_least,
    lesson_of,
    level_of,
    levels,
    next_area,
)
from helpers.memory.shown import Shown

if TYPE_CHECKING:
    import ipywidgets

DRILLS = 10
HASTE = 0.08  # seconds to look for the next drill: it comes with the answer to the last
ABOUT = "Three questions and ten drills, some seven minutes, say with which lesson to begin."
HOW = 'Answer by `.check("…")`; `.check("")` is "I don\'t know", and `.skip()` ends it for ever.'
AGAIN = "`start_with(again=True)` asks."
SKIPPED = f"This was skipped. {AGAIN}"


def start_with(again: bool = False) -> "Start":
    """Find out with which lesson to begin: show the first question, and return the round, for
    `.check("…")`, which shows the next, and `.skip()`. Nobody has to: begin wherever you like.

    again: ask although it was answered, or skipped for ever.
    """
    start = Start()
    known = my_progress().all().get("start", {}).get("start")
    if known and not again:
        words = f"You were told to begin with {known[1]}. {AGAIN}" if known[1] else SKIPPED
        start.end(words)
    show(Shown(start))
    return start


class Start:
    """Where somebody stands in the three questions and ten drills.

    asked: the question or drill that is asked now; None at the end.  words: what is said then.
    """

    def __init__(self) -> None:
        self.said: dict[int, str] = {}  # by the number of the question
        self.answers: list[tuple[int, bool]] = []
        self.words = ""
        self.asked: Question | Counted | None = QUESTIONS[0]
        self._seen: set[tuple[str, int]] = set()
        self._area = 0

    def thought(self) -> list[float]:
        """The probabilities of the levels, by what was answered."""
        said = [QUESTIONS[number].choices[said] for number, said in self.said.items() if said]
        return levels(said, self.answers)

    def check(self, said: str) -> None:
        """Answer, and show what comes next.

        said: to a question one of its choices, to a drill what happens; "" for "I don't know".
        """
        asked = self.asked
        if isinstance(asked, Question):
            if said and said not in asked.choices:
                cards.words(f"{said!r} is none of the choices: {listed(asked.choices)}.").show()
                return
            self.said[QUESTIONS.index(asked)] = said
        elif asked is not None and said.strip():
            asked.check(said)
        self.go_on()
        show(Shown(self))

    def go_on(self) -> None:
        """Go on to the next question or drill. A drill that was not answered was not known."""
        asked = self.asked
        if isinstance(asked, Question) and asked is not QUESTIONS[-1]:
            self.asked = QUESTIONS[QUESTIONS.index(asked) + 1]
            return
        if isinstance(asked, Counted) and asked.verdict is None:
            self._heard(False)
        if asked is None:
            return
        if len(self.answers) < DRILLS:
            self._area = next_area(self.thought())
            self.asked = Counted(self._program(AREAS[self._area].lessons), self._heard)
        else:
            level = level_of(self.thought())
            my_progress().started(lesson_of(level))
            self.end(self.advice())

    def skip(self) -> None:
        """Don't ask this any more, here or on the map."""
        self.leave()
        show(Shown(self))

    def leave(self) -> None:
        """As `skip`, without a word."""
        my_progress().started("")
        self.end(SKIPPED)

    def end(self, words: str) -> None:
        """Ask nothing more, and say this."""
        self.asked, self.words = None, words

    def advice(self) -> str:
        """With which lesson to begin, and how sure that is."""
        thought = self.thought()
        level = level_of(thought)
        rights = sum(right for _, right in self.answers)
        place = _named(lesson_of(level))
        right_in = [area.words for n, area in enumerate(AREAS[:level]) if (n, True) in self.answers]
        known = listed(right_in)
        parts = [f"You predict {known}; begin with {place}." if known else f"Begin with {place}."]
        parts += [f"{rights} of {len(self.answers)} drills were right."]
        if level:
            sure, safer = (_in_ten(at_least(thought, one)) for one in (level, level - 1))
            parts.append(f"About {sure} in 10 who answer so know all that comes before it.")
            if level > 1 and safer > sure:
                parts.append(f"With {_named(lesson_of(level - 1))} it is {safer} in 10.")
        return " ".join(parts)

    def _heard(self, right):
        self.answers.append((self._area, right))

    def _program(self, numbers) -> Program:
        found = [one for number in numbers for one in templates_for(number)]
        found = [one for one in found if one.id not in {id for id, _ in self._seen}] or found
        thought = weighing.at_first(numbers)
        program = apart(lambda: choose(found, thought, random.Random(), self._seen, HASTE))
        self._seen.add((program.id, program.variant))
        return program

    @property
    def text(self) -> str:
        """What is asked now, in plain text; or what is said at the end."""
        if self.asked is None:
            return self.words
        if isinstance(self.asked, Counted):
            return f"{self.where()}\n\n{self.asked.text}"
        head = f"{ABOUT} {HOW}\n\n" if self.asked is QUESTIONS[0] else ""
        choices = "".join(f"\n- {choice}" for choice in self.asked.choices)
        return f"{head}{self.asked.words}{choices}"

    def where(self) -> str:
        """Which question or drill this is of how many, or what is said at the end."""
        if self.asked is None:
            return self.words
        if isinstance(self.asked, Counted):
            return f"Drill {len(self.answers) + 1} of {DRILLS}"
        return ABOUT if self.asked is QUESTIONS[0] else ""

    @property
    def over(self) -> bool:
        """Whether nothing is asked any more."""
        return self.asked is None

    def __repr__(self):
        return f"start_with: {len(self.answers)} of {DRILLS} drills answered"

    def field(self) -> "ipywidgets.Widget":
        """The questions and drills one after another, each with its field."""
        from helpers.memory.field import one_by_one

        return one_by_one(self._field, self.go_on, self.where, {"Skip for ever": self.leave})

    def _field(self):
        from helpers.coach.field import field

        asked = self.asked
        if not isinstance(asked, Question):
            return asked and asked.field()

        def say(said):
            self.said[QUESTIONS.index(asked)] = said
            return ""

        return field(asked.words, "", say, choices=list(asked.choices))


def _named(number):
    """A lesson by its number and title."""
    titles = {lesson.number: lesson.title for lesson in lessons(PROJECT / "notebooks")}
    return f"{number} {titles.get(number, '')}".strip()


def _in_ten(share):
    """A probability as people take it; ten drills make nothing certain."""
    return min(9, round(10 * share))
