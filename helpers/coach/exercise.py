"""What a learner calls: `ex = exercise("gather-1")`, then `ex.check(answer)` and its companions."""

import ast
import functools
import inspect
import os
import pickle
import sys

from helpers.coach import cards
from helpers.coach.form import finding
from helpers.coach.form import statement as form
from helpers.coach.judging import packing
from helpers.coach.judging.sandbox import sandbox
from helpers.coach.mistakes import diagnosis
from helpers.coach.mistakes.diagnosis import Verdict, brief
from helpers.coach.progress import Progress

OFFER_AFTER = 2  # failures


@functools.cache
def my_progress():
    """The learner's progress, once a kernel."""
    return Progress(tell=lambda text: cards.words(text).show())


def exercise(id):
    """Show the exercise with this id and return it, to be asked for `check`, `hint`, `solution`,
    `reset`, `timeline` and `mine`.

    Raises LookupError, naming the nearest ids, if there is none.
    """
    chosen = Asked(finding.find(id))
    sandbox.warm()
    chosen.show()
    return chosen


class Asked:
    """An exercise as a learner has it in hand."""

    def __init__(self, exercise):
        self._exercise = exercise
        self.id = exercise.id
        self.verdict = None
        self._recording = None

    def __repr__(self):
        return f"exercise {self.id!r}: {my_progress().of(self.id)['status']}"

    def show(self):
        """Show the card again: what is asked, and how you stand."""
        cards.task(self._exercise, my_progress().of(self.id)).show()

    def check(self, answer):
        """Judge `answer`: pass the function itself (or the value), not what a call of it returned.

        Shows NOT STARTED, NOT YET with the name of the mistake, or SOLVED. Never awaited: it is an
        ordinary call, also in a cell that awaits. The verdict stays in `.verdict`.
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
        known = my_progress().checked(self.id, verdict.status, source_text(answer, exercise))
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
        cards.verdict(verdict, offer).show()

    def hint(self):
        """Show the next hint; after the last one, all of them again."""
        hints = self._exercise.hints
        shown = my_progress().of(self.id)["hints"]
        if not hints:
            cards.words("This exercise has no hints. `ex.solution()` shows one right way.").show()
        elif shown < len(hints):
            my_progress().hinted(self.id, shown + 1)
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

    def solution(self):
        """Show one right program under the asked name. It changes nothing of yours."""
        cards.code("One right way to do it:", self._exercise.solution()).show()

    def mine(self):
        """Show the last answer that you checked, as it stood in your cell."""
        answer = my_progress().of(self.id).get("answer")
        if answer:
            cards.code("The last answer that you checked:", answer).show()
        else:
            cards.words("No answer was checked yet.").show()

    def reset(self):
        """Forget the status, failures and hints of this exercise. Your cells stay as they are."""
        my_progress().reset(self.id)
        self.verdict = self._recording = None
        cards.words(f"`{self.id}` is not started again. Your code stays as it is.").show()

    def timeline(self):
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
        if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
            from IPython.display import display

            display(figure)
        else:
            print(figure.text)


def asked_elsewhere(exercise, frame):
    """The exercise of the same lesson whose answer stands by name in the `check` that `frame`
    calls, if that is not this one, as an Entry. Else None.

    All exercises of a notebook are called `ex`: who goes back to an earlier one has the last.
    """
    for node in packing.nodes_of(frame.f_code.co_filename):
        match node:
            case ast.Call(func=ast.Attribute(attr="check"), args=[ast.Name(id=name)]) if (
                node.lineno <= frame.f_lineno <= node.end_lineno and name != exercise.asks
            ):
                for entry in finding.beside(exercise):
                    if entry.asks == name:
                        return entry
    return None


def judge(exercise, answer, limit=None):
    """Judge an answer to an Exercise class: (Verdict, recording as bytes or None). Shows nothing.

    limit: seconds for the check instead of the exercise's own.
    """
    if (verdict := at_sight(exercise, answer)) is not None:
        return verdict, None
    try:
        packed, texts = packing.pack(answer)
    except packing.Unsendable as error:
        named = (
            f"`{exercise.asks}` uses `{error.name}`, a {error.type}, "
            if error.name
            else f"It is a {error.type} "
        )
        found = form.Wrong(
            "unsendable", f"{named}which can't leave your notebook ({error.reason})."
        )
        return diagnosis.verdict_of(found, None, diagnosis.Source(()), exercise.asks), None
    return sandbox.judge(
        {
            "id": exercise.id,
            "checks": str(finding.folder_of(exercise)),
            "asks": exercise.asks,
            "answer": packed,
            "texts": texts,
            "place": packing.place_of(answer),
            "path": list(sys.path),
            "folder": os.getcwd(),
            "limit": limit or exercise.limit,
        }
    )


# What can be told without running it


def at_sight(exercise, answer):
    """A Verdict on what needs no judge: the stub, and answers of another kind. Else None."""
    if answer is ... or (not exercise.takes_value() and is_stub(answer)):
        return Verdict("not started")
    if exercise.takes_value():
        return value_at_sight(exercise, answer)
    asks = exercise.asks
    source = diagnosis.Source(())
    wants_class = isinstance(exercise.model(), type)

    def wrong(kind, observed, try_=None, headline=None):
        found = form.Wrong(kind, observed, try_=try_)
        found.headline = headline
        return diagnosis.verdict_of(found, None, source, asks)

    if inspect.iscoroutine(answer) or inspect.isgenerator(answer) or inspect.isasyncgen(answer):
        kind = {"coroutine": "coroutine", "generator": "generator"}.get(
            type(answer).__name__, "async generator"
        )
        if inspect.iscoroutine(answer):
            answer.close()  # or Python warns that it was never awaited
        return wrong(
            "not a function",
            f"I was given a {kind} object, which is what a call of `{asks}` returns.",
            f"Leave the parentheses away: `ex.check({asks})`.",
        )
    if wants_class and not isinstance(answer, type):
        return wrong(
            "not a function",
            f"I was given {article(type(answer).__name__)}; asked is the class `{asks}`.",
            f"Pass the class itself: `ex.check({asks})`.",
            "not a class",
        )
    if not callable(answer):
        value = (
            f"{brief(answer)}"
            if answer is None
            else f"{article(type(answer).__name__)}, {brief(answer)}"
        )
        return wrong(
            "not a function",
            f"I was given {value}.",
            f"Pass the function itself, not its name and not its result: `ex.check({asks})`.",
        )
    if isinstance(answer, type) and not wants_class:
        return wrong("not a function", f"I was given the class `{answer.__name__}`.")
    return arguments_at_sight(exercise, answer, wrong)


def value_at_sight(exercise, answer):
    asks = exercise.asks
    if (
        isinstance(answer, (dict, list, tuple))
        and len(answer)
        and all(item is ... for item in (answer.values() if isinstance(answer, dict) else answer))
    ):
        return Verdict("not started")
    if isinstance(answer, str) and isinstance(exercise.right_values[0], (int, float)):
        found = form.Wrong(
            "value",
            f"I was given the text {brief(answer)}; asked is a number.",
            try_="Write it without quotes and without its unit.",
        )
        return diagnosis.verdict_of(found, None, diagnosis.Source(()), asks)
    asked = exercise.right_values[0]
    kind = try_ = None
    if isinstance(asked, (int, float)) and isinstance(answer, (list, tuple, set, dict)):
        kind, try_ = "number", "Write the number alone, without brackets."
    elif isinstance(asked, list) and isinstance(answer, (str, set)):
        kind, try_ = "list", "Write it in square brackets, with commas between the items."
    if kind:
        given = "the text" if isinstance(answer, str) else f"{article(type(answer).__name__)},"
        found = form.Wrong(
            "value", f"I was given {given} {brief(answer)}; asked is a {kind}.", try_=try_
        )
        return diagnosis.verdict_of(found, None, diagnosis.Source(()), asks)
    if callable(answer) or inspect.iscoroutine(answer):
        kind = "function" if callable(answer) else "coroutine"
        if inspect.iscoroutine(answer):
            answer.close()
        found = form.Wrong(
            "value",
            f"I was given a {kind}; asked is a value.",
            try_=f"Set `{asks} = …`, then `ex.check({asks})`.",
        )
        return diagnosis.verdict_of(found, None, diagnosis.Source(()), asks)
    return None


def arguments_at_sight(exercise, answer, wrong):
    """A Verdict if the answer can't be called the way the model is, else None."""
    try:
        has, asked = inspect.signature(answer), inspect.signature(exercise.model())
    except (TypeError, ValueError):
        return None
    positional = [
        p
        for p in asked.parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    required = [p for p in positional if p.default is p.empty]
    named = {p.name: None for p in asked.parameters.values() if p.kind is p.KEYWORD_ONLY}
    try:
        for number in {len(required), len(positional)}:
            has.bind(*[None] * number, **named)
    except TypeError:
        return wrong(
            "arguments",
            f"`{exercise.asks}` is called as `{exercise.asks}{asked}`; "
            f"yours is `{getattr(answer, '__name__', exercise.asks)}{has}`.",
        )
    return None


def article(name):
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def is_stub(answer):
    """True for a function (or class) in whose body nothing was written yet."""
    try:
        node = packing.tree_of(packing.text_of(answer) or "").body[0]
    except (SyntaxError, ValueError, IndexError):
        return False
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if diagnosis.is_function(part)]
        return all(map(is_empty, methods)) if methods else is_empty(node)
    return diagnosis.is_function(node) and is_empty(node)


def is_empty(node):
    """True if a body holds nothing but its docstring, `...`, `pass` or `raise
    NotImplementedError`.
    """
    return all(
        isinstance(part, ast.Pass)
        or isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Constant)
        or isinstance(part, ast.Raise)
        and "NotImplementedError" in ast.dump(part)
        for part in node.body
    )


def source_text(answer, exercise):
    """The answer's text as it stood in the cell, or its repr if it is a value; None if it has
    none.
    """
    if exercise.takes_value():
        return f"{exercise.asks} = {brief(answer, 2000)}"
    return packing.text_of(answer)
