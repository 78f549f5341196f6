"""`drill("07")`: a short program, and the question what it does; then what the answer tells."""

import functools
import random
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from helpers.basics.project import PROJECT
from helpers.basics.shell import show
from helpers.beliefs.apart import apart
from helpers.beliefs.world import Belief
from helpers.coach import cards
from helpers.coach.course_map import link
from helpers.coach.exercise import my_progress
from helpers.coach.lessons import Place, lessons
from helpers.coach.noted import Drilled
from helpers.coach.progress import drills_in
from helpers.drills import weighing
from helpers.drills.answers import NEVER, NOTHING, predictions, truth_of, words_in
from helpers.drills.catalogue import in_order, templates_for
from helpers.drills.choosing import choose
from helpers.drills.template import LEFT, ORDER, TIMES, Program
from helpers.drills.verdict import Verdict, verdict_on
from helpers.pictures.html import bundle, element

if TYPE_CHECKING:
    import ipywidgets

QUESTIONS = {
    ORDER: "What does it print, in order?",
    TIMES: "What does it print, in order, and at which second?",
    LEFT: "Which tasks are unfinished when main ends?",
}
HOW = {
    ORDER: "Type the lines with spaces between them.",
    TIMES: "Type each line and its second, such as a 0 b 1.5.",
    LEFT: f"Type their names, or {NOTHING}.",
}
ENDS = f"If it ends with an error, add the error's name; if it never ends, add {NEVER}."
RECENT = 50  # answers: their drills aren't asked again


def drill(what: str | None = None) -> "Drill":
    """Ask a drill: show a short program and what is asked, and return it, for `.check("a b c")`.

    what: a lesson ("07") or a topic ("cancel"); None for the lesson that you are at.
    Of the programs there are it is the one whose answer tells most about what you may believe.

    Raises ValueError, naming what there is, if there are no drills on `what`.
    """
    found = templates_for(what or lesson_now())
    asked_about = {one.lesson for one in found}
    known = my_progress().all()
    answers = drills_in(known)
    thought = weighing.after_all(map(_told, answers), asked_about)
    seen = {(template, answer.variant) for template, answer in answers[-RECENT:]}
    chosen = apart(lambda: choose(found, thought, random.Random(), seen))
    asked = Drill(chosen, what)
    show(Question(asked))
    return asked


def lesson_now() -> str:
    """The last lesson in which the learner has done something, as far as there are drills; else
    the first.
    """
    known = my_progress().all()
    numbers = sorted({one.lesson for one in in_order()})
    begun = {numbers[0]}
    for lesson in lessons(PROJECT / "notebooks"):
        if any(known.get(id, {}).get("guess", [""])[0] for id in lesson.guesses()):
            begun.add(lesson.number)
    return max(number for number in numbers if number <= max(begun))


def _told(one):
    """What an answer that was kept tells."""
    _, answer = one
    return weighing.Answered(answer.right, answer.ids, answer.slip)


class Drill:
    """A drill that was asked. verdict: on the last answer, or None."""

    def __init__(self, program: Program, what: str | None = None) -> None:
        self.program = program
        self.what = what
        self.verdict: Verdict | None = None

    @property
    def question(self) -> str:
        """What is asked, and how to answer."""
        ends = "" if self.program.asks == LEFT else f" {ENDS}"
        return f"{QUESTIONS[self.program.asks]} {HOW[self.program.asks]}{ends}"

    @property
    def about(self) -> str:
        """What it is on."""
        return f"Drill on lesson {self.program.lesson}, {self.program.topic}"

    @property
    def text(self) -> str:
        """The drill in plain text, where there is no field to type in."""
        answer = 'Answer with .check("…").'
        return f"{self.about}\n\n{self.program.source}\n{self.question}\n{answer}"

    def __repr__(self):
        said = self.verdict and ("right" if self.verdict.right else "not right")
        return f"drill {self.program.id!r}: {said or 'no answer yet'}"

    def head(self) -> Markup:
        """What it is on, and the program."""
        about = element("p", element("strong", self.about), style=cards.CLOSE)
        return about + cards.preformatted(self.program.source)

    def field(self) -> "ipywidgets.Widget":
        """The drill with a field, and its lines as buttons that put them in order."""
        from helpers.drills.field import field

        return field(self.head(), self.question, self.lines(), lambda said: self.say(said).html)

    def lines(self) -> list[str]:
        """The entries that an answer may have, in the order of the alphabet: those of the truth
        and of all beliefs.
        """
        answers = apart(lambda: [truth_of(self.program), *predictions(self.program).values()])
        return sorted({entry for answer in answers for entry in answer})

    def check(self, said: str) -> None:
        """Compare what you say with what happens, show the verdict, and note it.

        said: the answer as a text: "a b c". Capitals, commas and quotes don't count.
        """
        self.say(said).show()

    def say(self, said: str) -> "Answer":
        """As `check`, and return what is shown instead of showing it."""
        if not isinstance(said, str):
            words = f'An answer is a text, such as "a b c", and this is {said!r:.60}.'
            return Answer((words,), None, None, False)
        if not words_in(said):
            return Answer(("Nothing was said yet.",), None, None, False)
        self.verdict = apart(lambda: self._judged(said))
        return Answer(
            self.verdict.sentences, self.verdict.belief, self.verdict.figure, self.verdict.right
        )

    def _judged(self, said):
        program, progress = self.program, my_progress()
        answered = weighing.told_by(program, said)
        before = [_told(one) for one in progress.drills()]
        thought = weighing.after_all([*before, answered], {program.lesson})
        named = weighing.named(thought, answered)
        kept = Drilled(
            progress.now(), program.variant, answered.right, named or "", answered.ids,
            round(answered.slip, 6),
        )  # fmt: skip
        progress.drilled(program.id, kept)
        return verdict_on(program, said, answered, thought, named)


class Question:
    """A drill as a cell shows it: with its field where there is a front end. It is shown apart from
    the drill itself, with which a cell may end, and which would else be there twice.
    """

    def __init__(self, asked: Drill) -> None:
        self.asked = asked
        self.text = asked.text

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        asked = self.asked
        shown = bundle(asked.head() + cards.paragraph(asked.question), self.text)
        try:
            from helpers.pictures.widgets import with_widget
        except ImportError:  # ipywidgets, where the course's packages are not all there
            return shown
        return with_widget(shown, asked.field)


class Answer(cards.Card):
    """A verdict as a cell shows it: sentences, where to read on, and the timelines."""

    def __init__(
        self, sentences: tuple[str, ...], belief: Belief | None, figure: Any, right: bool
    ) -> None:
        colour = cards.COLOURS["solved" if right else "not yet"]
        parts = [cards.paragraph(sentence) for sentence in sentences]
        text = "\n".join(sentences)
        if belief is not None:
            place = place_of(belief)
            words = f"Lesson {belief.lesson}, cell {place.number}" if place else ""
            if words:
                parts.append(
                    element("p", link(place.path, words, place.cell), ".", style=cards.CLOSE)
                )
                text += f"\n{words}."
        html = element("div", cards.box(colour, *parts), role="alert")
        if figure is not None:
            html += Markup(figure._repr_mimebundle_()["text/html"])
            text += f"\n{figure.text}"
        super().__init__(html, text)


@functools.cache
def place_of(belief: Belief) -> Place | None:
    """The cell in which a belief is corrected, if the notebook is there."""
    for lesson in lessons(PROJECT / "notebooks"):
        if lesson.number == belief.lesson:
            return lesson.guesses().get(belief.turn)
    return None
