"""What a learner calls: `ex = exercise("gather-1")`, then `ex.check(answer)` and its companions."""

import ast
import functools
import os
import pickle
import sys
from types import FrameType

from helpers.basics.shell import show
from helpers.beliefs.apart import apart
from helpers.beliefs.statements import belief_behind
from helpers.coach import cards
from helpers.coach.form.finding import Entry, beside, find, folder_of
from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.text import nodes_of, place_of, text_of
from helpers.coach.judging.at_sight import at_sight
from helpers.coach.judging.packing import Unsendable, pack
from helpers.coach.judging.sandbox import sandbox
from helpers.coach.mistakes.source import Source
from helpers.coach.mistakes.verdict import Verdict, verdict_of
from helpers.coach.mistakes.words import brief
from helpers.coach.progress import Progress
from helpers.room import told

OFFER_AFTER = 2  # failures
UNNAMED = {"value", "order"}  # mistakes of which the check knows no reason


@functools.cache
def my_progress() -> Progress:
    """The learner's progress, once a kernel."""
    return Progress(tell=lambda text: cards.words(text).show())


def exercise(id: str) -> "Asked":
    """Show the exercise with this id and return it, to be asked for `check`, `hint`, `solution`,
    `reset`, `timeline` and `mine`.

    Raises LookupError, naming the nearest ids, if there is none.
    """
    chosen = Asked(find(id))
    sandbox.warm()
    chosen.show()
    return chosen


class Asked:
    """An exercise as a learner has it in hand."""

    def __init__(self, exercise: type[Exercise]):
        self._exercise = exercise
        self.id = exercise.id
        self.verdict = None
        self._recording = None

    def __repr__(self):
        return f"exercise {self.id!r}: {my_progress().of(self.id)['status']}"

    def show(self) -> None:
        """Show the card again: what is asked, and how you stand."""
        cards.task(self._exercise, my_progress().of(self.id)).show()

    def check(self, answer: object) -> None:
        """Judge `answer`: pass the function itself (or the value), not what a call of it returned.

        Shows NOT STARTED, NOT YET with the name of the mistake, or SOLVED; or CAN'T TELL, which
        counts for nothing. Never awaited: it is an ordinary call, also in a cell that awaits. The
        verdict stays in `.verdict`.
        """
        exercise = self._exercise
        if other := asked_elsewhere(exercise, sys._getframe(1)):
            cards.words(
                f"This is the check of `{self.id}`, which asks for `{exercise.asks}`. "
                f"`{other.asks}` belongs to `{other.id}`: run the cell "
                f'`exercise("{other.id}")` again, then this one.'
            ).show()
            return
        verdict, recording = judge(exercise, answer)
        self.verdict, self._recording = verdict, recording
        if verdict.status == "can't tell":
            cards.verdict(verdict).show()
            return
        known = my_progress().checked(
            self.id, verdict.status, source_text(answer, exercise), verdict.kind
        )
        told("check", self.id, status=verdict.status, mistake=verdict.kind)
        offer = ""
        if verdict.status == "not yet" and known["failures"] >= OFFER_AFTER:
            offer = (
                "A hint? `ex.hint()`"
                if known["hints"] < len(exercise.hints)
                else "One right way to do it: `ex.solution()`"
            )
        elif verdict.status == "not started":
            offer = (
                f"Write {'' if exercise.takes_value() else 'the body of '}`{exercise.asks}`, "
                "run its cell, then check again."
            )
        if verdict.kind in UNNAMED and exercise.takes_value():
            offer = " ".join(filter(None, [_belief_behind(exercise, answer), offer]))
        cards.verdict(verdict, offer).show()

    def hint(self) -> None:
        """Show the next hint; after the last one, all of them again."""
        hints = self._exercise.hints
        shown = my_progress().of(self.id)["hints"]
        if not hints:
            cards.words("This exercise has no hints. `ex.solution()` shows one right way.").show()
        elif shown < len(hints):
            my_progress().hinted(self.id, shown + 1)
            told("hint", self.id, hints=shown + 1)
            more = (
                ""
                if shown + 1 < len(hints)
                else " That was the last one; `ex.solution()` shows one right way."
            )
            cards.words(f"Hint {shown + 1} of {len(hints)}: {hints[shown]}{more}").show()
        else:
            cards.words(
                "All hints: " + " · ".join(hints) + " · One right way: `ex.solution()`"
            ).show()

    def solution(self) -> None:
        """Show one right program under the asked name. It changes nothing of yours."""
        cards.code("One right way to do it:", self._exercise.solution()).show()

    def mine(self) -> None:
        """Show the last answer that you checked, as it stood in your cell."""
        answer = my_progress().of(self.id).get("answer")
        if answer:
            cards.code("The last answer that you checked:", answer).show()
        else:
            cards.words("No answer was checked yet.").show()

    def reset(self) -> None:
        """Forget the status, failures and hints of this exercise. Your cells stay as they are."""
        my_progress().reset(self.id)
        self.verdict = self._recording = None
        cards.words(f"`{self.id}` is not started again. Your code stays as it is.").show()

    def timeline(self) -> None:
        """Show who ran when, and who waited for what, in the last check."""
        if self._recording is None:
            cards.words(
                "There is no recording: `ex.check(…)` makes one when the answer runs."
            ).show()
            return
        from helpers.pictures.timeline import timeline

        figure = timeline(
            pickle.loads(self._recording), title=f"Your {self._exercise.asks}, as it was checked"
        )
        show(figure)


def asked_elsewhere(exercise: type[Exercise], frame: FrameType) -> Entry | None:
    """The exercise of the same lesson whose answer stands by name in the `check` that `frame`
    calls, if that is not this one, as an Entry. Else None.

    All exercises of a notebook are called `ex`: who goes back to an earlier one has the last.
    """
    for node in nodes_of(frame.f_code.co_filename):
        match node:
            case ast.Call(func=ast.Attribute(attr="check"), args=[ast.Name(id=name)]) if (
                node.lineno <= frame.f_lineno <= node.end_lineno and name != exercise.asks
            ):
                for entry in beside(exercise):
                    if entry.asks == name:
                        return entry
    return None


def judge(
    exercise: type[Exercise], answer: object, limit: float | None = None
) -> tuple[Verdict, bytes | None]:
    """Judge an answer to an Exercise class: (Verdict, recording as bytes or None). Shows nothing.

    limit: seconds for the check instead of the exercise's own.
    """
    if (verdict := at_sight(exercise, answer)) is not None:
        return verdict, None
    try:
        packed, texts = pack(answer)
    except Unsendable as error:
        named = (
            f"`{exercise.asks}` uses `{error.name}`, a {error.type}, "
            if error.name
            else f"It is a {error.type} "
        )
        said = f"{named}which can't leave your notebook ({error.reason})."
        filename, first, last = place_of(answer)
        source = Source({filename}, filename, first, last)
        line = error.name and source.made_outside(error.name)
        found = Wrong("unsendable", said, at="makes it")
        return verdict_of(found, source.place(line), source), None
    return sandbox.judge(
        {
            "id": exercise.id,
            "checks": str(folder_of(exercise)),
            "asks": exercise.asks,
            "answer": packed,
            "texts": texts,
            "place": place_of(answer),
            "path": list(sys.path),
            "folder": _folder(),
            "limit": limit or exercise.limit,
        }
    )


def _folder():
    try:
        return os.getcwd()
    except OSError:  # it has been removed under us
        return ""


def _belief_behind(exercise, answer):
    """The sentence on the belief that predicts this wrong answer, if there is one, which is noted
    to be asked about again. A single number would be too little to go by.
    """
    if isinstance(answer, (int, float)):
        return None
    statement, asks, right = exercise.statement(), exercise.asks, exercise.right_values[0]
    belief = apart(lambda: belief_behind(statement, asks, right, answer))
    if belief is None:
        return None
    my_progress().believed(belief.id)
    return f"You predicted what would happen if {belief.sentence}. {belief.truth}"


def source_text(answer: object, exercise: type[Exercise]) -> str | None:
    """The answer's text as it stood in the cell, or its repr if it is a value; None if it has
    none.
    """
    if exercise.takes_value():
        return f"{exercise.asks} = {brief(answer, 2000)}"
    return text_of(answer)
