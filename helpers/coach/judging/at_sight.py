"""What can be told of an answer without running it: nothing was written yet, or it is of another
kind.
"""

import ast
import inspect

from helpers.basics.words import article
from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.text import is_function, text_of, tree_of
from helpers.coach.mistakes.verdict import Verdict, verdict_of
from helpers.coach.mistakes.words import brief


def at_sight(exercise: type[Exercise], answer: object) -> Verdict | None:
    """A Verdict on what needs no judge: the stub, and answers of another kind. Else None."""
    if exercise.takes_value():
        return _of_value(exercise, answer)
    if answer is ... or is_stub(answer):
        return Verdict("not started")
    return _of_another_kind(exercise, answer) or _of_other_arguments(exercise, answer)


def is_stub(answer: object) -> bool:
    """True for a function (or class) in whose body nothing was written yet."""
    try:
        node = tree_of(text_of(answer) or "").body[0]
    except (SyntaxError, ValueError, IndexError):
        return False
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if is_function(part)]
        return all(map(_is_empty, methods)) if methods else _is_empty(node)
    return is_function(node) and _is_empty(node)


def _is_empty(node):
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


def _of_another_kind(exercise, answer):
    """A Verdict if the answer is not the function, or the class, that is asked for."""
    asks = exercise.asks
    wants_class = isinstance(exercise.model(), type)
    if inspect.iscoroutine(answer) or inspect.isgenerator(answer) or inspect.isasyncgen(answer):
        kind = {"coroutine": "coroutine", "generator": "generator"}.get(
            type(answer).__name__, "async generator"
        )
        if inspect.iscoroutine(answer):
            answer.close()  # or Python warns that it was never awaited
        return _not_yet(
            "not a function",
            f"I was given a {kind} object, which is what a call of `{asks}` returns.",
            f"Leave the parentheses away: `ex.check({asks})`.",
        )
    if wants_class and not isinstance(answer, type):
        return _not_yet(
            "not a function",
            f"I was given {article(type(answer).__name__)}; expected the class `{asks}`.",
            f"Pass the class itself: `ex.check({asks})`.",
            headline="not a class",
        )
    if not callable(answer):
        given = brief(answer)
        if answer is not None:
            given = f"{article(type(answer).__name__)}, {given}"
        return _not_yet(
            "not a function",
            f"I was given {given}.",
            f"Pass the function itself, not its name and not its result: `ex.check({asks})`.",
        )
    if isinstance(answer, type) and not wants_class and not _calls_like_a_function(answer):
        return _not_yet("not a function", f"I was given the class `{answer.__name__}`.")
    return None


def _calls_like_a_function(cls):
    """Whether a call of a class makes what a function could have returned: something to await, to
    walk, to enter or to call, such as a WSGI application or an awaitable.
    """
    made = {"__await__", "__iter__", "__aiter__", "__enter__", "__aenter__", "__call__"}
    # `hasattr` would find the __call__ that every class has itself.
    return any(not made.isdisjoint(vars(base)) for base in cls.__mro__)


def _of_other_arguments(exercise, answer):
    """A Verdict if the answer can't be called with the arguments of the model, defaults aside."""
    try:
        has, asked = inspect.signature(answer), inspect.signature(exercise.model())
    except (TypeError, ValueError):
        return None
    positional = [
        p
        for p in asked.parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    named = {p.name: None for p in asked.parameters.values() if p.kind is p.KEYWORD_ONLY}
    try:
        has.bind(*[None] * len(positional), **named)
    except TypeError:
        return _not_yet(
            "arguments",
            f"`{exercise.asks}` is called as `{exercise.asks}{asked}`; "
            f"yours is `{getattr(answer, '__name__', exercise.asks)}{has}`.",
        )
    return None


def _of_value(exercise, answer):
    """A Verdict on a value that is not there yet, or of another type than what is asked."""
    if answer is ... or _is_left_open(answer):
        return Verdict("not started")
    asks, asked = exercise.asks, exercise.right_values[0]
    if isinstance(answer, str) and isinstance(asked, (int, float)):
        return _not_yet(
            "value",
            f"I was given the text {brief(answer)}; expected a number.",
            "Write it without quotes and without its unit.",
        )
    kind = try_ = None
    if isinstance(asked, (int, float)) and isinstance(answer, (list, tuple, set, dict)):
        kind, try_ = "number", "Write the number alone, without parentheses."
    elif isinstance(asked, list) and isinstance(answer, (str, set)):
        kind, try_ = "list", "Write it in square brackets, with commas between the items."
    if kind:
        given = "the text" if isinstance(answer, str) else f"{article(type(answer).__name__)},"
        return _not_yet("value", f"I was given {given} {brief(answer)}; expected a {kind}.", try_)
    if callable(answer) or inspect.iscoroutine(answer):
        kind = "function" if callable(answer) else "coroutine"
        if inspect.iscoroutine(answer):
            answer.close()
        return _not_yet(
            "value",
            f"I was given a {kind}; expected a value.",
            f"Set `{asks} = …`, then `ex.check({asks})`.",
        )
    return None


def _is_left_open(value):
    """Whether all items of a dict or a list are `...`."""
    items = value.values() if isinstance(value, dict) else value
    is_row = isinstance(value, (dict, list, tuple))
    return is_row and len(value) > 0 and all(item is ... for item in items)


def _not_yet(kind, observed, try_=None, headline=None):
    return verdict_of(Wrong(kind, observed, try_=try_, headline=headline))
