"""Mistakes found in an error: in whatever left the check."""

import ast
import asyncio
import inspect
import re
import traceback
from collections.abc import Iterable

from helpers.basics.project import HELPERS
from helpers.coach.form.finding import CHECKS
from helpers.coach.form.statement import Wrong
from helpers.coach.form.text import is_function, nodes_of
from helpers.coach.mistakes.handlers import TAKEN_INSIDE, taken_inside
from helpers.coach.mistakes.hangs import Stuck, deadlock
from helpers.coach.mistakes.nodes import own_nodes, targets_of
from helpers.coach.mistakes.python_errors import BY_NAME, PHRASES, TRIES
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.suspects import of_waits
from helpers.coach.mistakes.words import error_text, error_words
from helpers.kernel.virtual import Deadlock

# Python's words for a lock or a place that is given back by who doesn't have it.
GIVEN_BACK = re.compile("is not acquired|released too many times")
SET_ELSEWHERE = (
    "sets a name of its own",
    "What a function sets is its own, and the name outside stays None. Say `nonlocal` (of a "
    "function around) or `global` (of the cell) there first.",
)
GROUP_BY_HAND = (
    "raises a group",
    "Whoever catches one of these errors by its name doesn't catch a group. Raise the error "
    "itself.",
)
GIVES_UP = (
    "gives up when the time of this limit is over",
    "If the exercise sets no such limit, leave it out and wait. If it sets one, what should come "
    "of it when the time is over?",
)
LIMITS = ("wait_for", "timeout", "timeout_at")
RAISED_BY_HAND = "This `raise` is your own. What leads to it, and should it in this case?"
# What is said of an error for its type alone: of one that the answer made it need not be true.
BY_TYPE = {"", *(hint for _, words, hint in TRIES if not words)}
NEVER_RAISED = (
    "raises what came as a value",
    "Nobody had raised that exception before. A value may be of any type, an exception, too: keep "
    "apart from it whether something failed.",
)
STARTING = ("create_task", "ensure_future", "gather", "TaskGroup", "wait", "as_completed")


def mistake(error: BaseException, source: Source, asks: str) -> tuple[Wrong, Place | None]:
    """Turn any exception that left the check into a Wrong with its place.

    asks: the learner's name for the answer.
    """
    if isinstance(error, BaseExceptionGroup) and isinstance(leaf_of(error), Wrong):
        error = leaf_of(error)  # a check's own word, raised inside a group
    place = source.of_traceback(error)
    match error:
        case Wrong(kind="sequential") if lazy := of_waits(source.nodes()):
            error.at, error.try_ = lazy.at, lazy.try_
            return error, source.place(lazy.line)
        case Wrong():
            line = error.line
            return error, source.place(line) if isinstance(line, int) else line or None
        case MemoryError():
            return Wrong("memory", f"`{asks}` asked for more memory than a check may take."), place
        case RecursionError():
            found = Wrong("recursion", f"`{asks}` went deeper than Python allows.")
            return found, source.most_often_in(error) or place
        case SystemExit():
            return Wrong("exits", f"SystemExit was raised ({error_words(error)})."), place
        case KeyboardInterrupt():
            said = "KeyboardInterrupt was raised."
            try_ = "That is what the stop button raises. Raise an error of your own."
            return Wrong("exits", said, try_=try_), place
        case AssertionError() if place is None:
            return Wrong("value", str(error) or "It is not what was asked."), None
        case Stuck():
            return deadlock(error.tasks, source, error.ended, error.died, error.raised)
        case Deadlock():
            return deadlock(error.tasks, source)
    leaf = leaf_of(error)
    if leaf is not error and source.raises_itself(error):
        return _group_by_hand(error, leaf), place
    place = source.of_traceback(leaf) or place
    if found := _one_for_many(leaf, source):
        return found, place
    found = _of_python(leaf, place, inside=None if leaf is error else error)
    if found.kind == "raised" and (_is_ours(leaf) or isinstance(leaf, OSError)):
        found.at, place = "lets the error out", source.let_out(leaf) or place
        if isinstance(leaf, TimeoutError) and not _is_ours(leaf) and _has_limit(source, place):
            found.at, found.try_ = GIVES_UP
    if found.kind == "raised" and found.try_ in BY_TYPE and source.raises_itself(leaf):
        found.try_ = RAISED_BY_HAND
    if found.kind == "raised" and source.was_first_to_raise(leaf):
        found.at, found.try_ = NEVER_RAISED
    if isinstance(leaf, (AttributeError, TypeError)) and (set_at := _set_elsewhere(leaf, source)):
        found.at, found.try_ = SET_ELSEWHERE
        place = source.place(set_at)
    if found.kind == "other loop" and (made := _where_made(leaf, source)):
        found.at, place = "makes it", made
    if GIVEN_BACK.search(error_text(leaf)) and (taken := taken_inside(source.nodes())):
        (found.at, found.try_), place = TAKEN_INSIDE, source.place(taken)
    if found.kind == "pool exhausted" and (made := _limit_of_one(source)):
        found.at, place = "makes one for each request", source.place(made)
    return found, place


def _group_by_hand(group, first):
    """The Wrong for a group of errors that the answer made."""
    at, try_ = GROUP_BY_HAND
    name = type(group).__name__
    name = f"{'an' if name.startswith('E') else 'a'} {name}"
    return Wrong(
        "raised",
        f"It raised {name}; the first error in it is {error_words(first)}.",
        try_=try_,
        headline=f"raised {name}",
        at=at,
    )


def _has_limit(source, place):
    """Whether the answer calls what limits a wait at this place."""
    return place is not None and place[1] in {call.lineno for call in source.calls_of(*LIMITS)}


def is_slip(error: BaseException, source: Source) -> bool:
    """Whether Python raised this error at a line of the answer, which does not raise it itself."""
    leaf = leaf_of(error)
    place = source.of_traceback(leaf)
    lines = {node.lineno for node in source.nodes() if isinstance(node, ast.Raise)}
    return place is not None and place[1] not in lines and not _is_ours(leaf)


def _is_ours(error):
    """Whether an error was raised by what a check handed to the answer, and not by a slip of it."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(files) and files[-1].startswith((HELPERS, str(CHECKS)))


def _where_made(error, source):
    """Where the object is made that an error speaks of, if only one of its type is."""
    kind = re.search(r"<asyncio\.\w+\.(\w+) object", error_text(error))
    calls = source.calls_of(kind[1]) if kind else []
    return source.place(calls[0].lineno) if len(calls) == 1 else None


def _set_elsewhere(error, source):
    """Where a function sets a name of its own, and the line that failed met None under the same
    name of the functions around it, or of the cell. None if it wasn't so.
    """
    frames = [
        step
        for step in traceback.walk_tb(error.__traceback__)
        if step[0].f_code.co_filename == source.main
    ]
    if not frames:
        return None
    frame, line = frames[-1]
    around = {name: frame.f_locals.get(name) for name in frame.f_code.co_freevars}
    known = {**frame.f_globals, **around}
    empty = {
        node.id
        for node in source.nodes()
        if isinstance(node, ast.Name) and node.lineno == line
        if node.id in known and known[node.id] is None
    }
    setting = [
        node.lineno
        for function in source.nodes()
        if is_function(function) and not function.lineno <= line <= function.end_lineno
        for node in own_nodes(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        for part in targets_of(target)
        if isinstance(part, ast.Name) and part.id in empty - _declared(function)
    ]
    return setting[0] if len(setting) == 1 else None


def _declared(function):
    """The names that a function calls `nonlocal` or `global`."""
    return {
        name
        for node in own_nodes(function)
        if isinstance(node, (ast.Nonlocal, ast.Global))
        for name in node.names
    }


def _limit_of_one(source):
    """Where a lock or a semaphore is made that limits nobody: a function makes it that starts no
    tasks which could share it.
    """
    for line, function in source.locks_made_per_call():
        if not source.calls_of(*STARTING, inside=function):
            return line
    return None


def _of_python(error, place, inside):
    """The Wrong for an error of Python's or of the answer's own, by its type and its words.

    inside: the group that it was raised in, if any.
    """
    text = error_text(error)
    kind = BY_NAME.get(type(error).__name__) or next(
        (kind for type_, words, kind in PHRASES if isinstance(error, type_) and words in text),
        "raised",
    )
    if kind == "raised" and place is None and _is_of_arguments(error, text):
        kind = "arguments"
    if kind != "raised":
        return Wrong(kind, f"Python said: {error_words(error)}.")
    try_ = next(
        (hint for type_, words, hint in TRIES if isinstance(error, type_) and words in text), ""
    )
    group = f" (in {type(inside).__name__})" if inside is not None else ""
    return Wrong(
        "raised",
        f"It raised {error_words(error)}{group}.",
        try_=try_,
        headline=f"raised {type(error).__name__}",
        at="raises it",
    )


def _one_for_many(error, source):
    """The Wrong if `gather` was given all its coroutines in one list or generator, else None."""
    given = [
        argument
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if frame.f_code is asyncio.gather.__code__
        for argument in frame.f_locals["coros_or_futures"]
        if isinstance(argument, Iterable) and not inspect.isawaitable(argument)
    ]
    if given:
        kind = type(given[0]).__name__
    elif "Task got bad yield" in error_text(error) and _gathers_a_generator(source):
        # Python 3.11 takes a generator for an old coroutine, and finds out later.
        kind = "generator"
    else:
        return None
    said = f"`gather` was given one {kind}. It takes the awaitables one by one: `gather(a, b, c)`."
    return Wrong("one argument for many", said)


def _gathers_a_generator(source):
    return any(
        isinstance(argument, ast.GeneratorExp)
        for call in source.calls_of("gather")
        for argument in call.args
    )


def _is_of_arguments(error, text):
    words = r"positional argument|unexpected keyword|required argument"
    return isinstance(error, TypeError) and re.search(words, text)


def leaf_of(error: BaseException) -> BaseException:
    """The first error in a group, however deep; the error itself if it is no group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def coroutines_met(error: BaseException, source: Source) -> list[tuple[str, Place]]:
    """The coroutines that `error` itself holds, and those that a name stands for in the line
    that raised it, each as (name, place where it was made).
    """
    error = leaf_of(error)
    met = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if source.owns(frame.f_code.co_filename):
            met = frame, line
    if met is None:
        return []
    frame, line = met
    known = {**frame.f_globals, **frame.f_locals}
    named = [
        known.get(node.id)
        for node in nodes_of(frame.f_code.co_filename)
        if isinstance(node, ast.Name) and node.lineno == line
    ]
    return [
        (held.__name__, place)
        for thing in (getattr(error, "obj", None), *error.args, *named)
        for held in with_items(thing)
        if inspect.iscoroutine(held)
        and held.cr_frame is not None
        and (place := source.of_coroutine(held))
    ]


def with_items(thing: object) -> list:
    """A thing, and what it holds if it is a list, a tuple or a dict."""
    if isinstance(thing, (list, tuple)):
        return [thing, *thing]
    return [thing, *thing.values()] if isinstance(thing, dict) else [thing]


def without_frames(error: BaseException) -> None:
    """Take the tracebacks from an error and from those that it holds: their frames keep what the
    answer had in its hands.
    """
    rest = [error]
    while rest:
        error = rest.pop()
        if error is not None and error.__traceback__ is not None:
            error.__traceback__ = None
            rest += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]
