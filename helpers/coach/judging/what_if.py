"""What a mistake turns on: the case in which an answer goes wrong, with one thing changed.

If the answer behaves once a 0 is a 2, what asks whether something counts as true is at fault; if it
does once no item comes twice, what keeps items by a key; if it does once another error is raised,
what catches one of the two errors and not the other; if it does once each letter is one byte, what
takes the one for the other. What goes wrong with a failure or a
cancellation, and goes well without, turns on that.
"""

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from helpers.coach.judging.cases import Case
from helpers.coach.mistakes.differences import MANY, ROWS
from helpers.coach.mistakes.suspects import (
    NONE,
    Suspect,
    of_alike,
    of_error,
    of_letters,
    of_none,
    of_truth,
)

STANDS_IN = {int: 2, float: 2.5, str: "full", bytes: b"full", bool: True, type(None): "full"}
ERRORS = (OSError, ValueError, LookupError, RuntimeError)


class Change(NamedTuple):
    """A case with one thing changed, and the line that the mistake turns on if that mends it."""

    case: Case
    suspect: Suspect


class Cause(NamedTuple):
    """What a mistake turns on: the end of a headline, and what to try."""

    where: str
    try_: str


CANCELLED = Cause(
    "after a cancellation",
    "Without the cancellation it goes well. Look at what a CancelledError skips on its way out, "
    "and at what catches it.",
)
FAILED = Cause(
    "after an error",
    "Without the error it goes well. Look at what an error skips on its way out, and at what "
    "catches it.",
)


def changes(case: Case, nodes: Collection[ast.AST], ways: Collection[str] = ()) -> Iterator[Change]:
    """A case with each value that counts as false, each error, each text that is no plain ASCII
    and each item that comes twice changed in turn, where one line of an answer would be to blame.

    ways: names in a case that only tell how to ask: no answer gets to see them.
    """
    for was, now in _replaced(case, ways):
        if is_error(was):
            suspect = of_error(nodes, type_of(was), type_of(now))
        elif was and isinstance(was, (str, bytes)):
            suspect = of_letters(nodes, was)
        else:
            suspect = of_none(nodes) if was is None else None
            suspect = suspect or of_truth(nodes)
            if suspect and suspect.try_ == NONE and was is not None:
                continue  # that line asks for None alone
        if suspect:
            kept = {name: case[name] for name in ways}
            yield Change(_changed(case, was, now) | kept, suspect)
            alone = {name: _changed(value, was, now) for name, value in case.items()} | kept
            met = [name for name, value in case.items() if repr(alone[name]) != repr(value)]
            # Elsewhere it may stand for something else.
            for name in met if len(met) > 1 else ():
                yield Change({**case, name: alone[name]}, suspect)
            for name in met if len(met) > 2 else ():
                yield Change({**alone, name: case[name]}, suspect)
    less = {name: value if name in ways else _once(value) for name, value in case.items()}
    if repr(less) != repr(case) and (suspect := of_alike(nodes)):
        yield Change(less, suspect)


def without_falsy(case: Case, ways: Collection[str] = ()) -> Iterator[Case]:
    """A case with each value in turn that counts as false replaced by one that doesn't, and with
    all of them. ways: as for `changes`.
    """
    kept = {name: case[name] for name in ways}
    falsy = [(was, now) for was, now in _replaced(case, ways) if not was]
    every = case
    for was, now in falsy:
        every = _changed(every, was, now)
        yield _changed(case, was, now) | kept
    if len(falsy) > 1:
        yield every | kept


def _replaced(case, ways) -> Iterator[tuple[object, object]]:
    """The values of a case that may matter, and what stands in for them. ways: as for `changes`."""
    seen = []
    for leaf in leaves({name: value for name, value in case.items() if name not in ways}):
        if any(type(leaf) is type(one) and leaf == one for one in seen):
            continue
        seen.append(leaf)
        if is_error(leaf):
            for error in ERRORS:
                if not issubclass(type_of(leaf), error):
                    yield leaf, error if isinstance(leaf, type) else error(*leaf.args)
        elif not leaf and type(leaf) in STANDS_IN:
            yield leaf, STANDS_IN[type(leaf)]
        elif isinstance(leaf, (str, bytes)) and not leaf.isascii():
            yield leaf, ("a" if isinstance(leaf, str) else b"a") * len(leaf)


def leaves(thing: object) -> Iterator[object]:
    """The values in the rows and dicts of a case, and in those in them."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield key
            yield from leaves(value)
    elif isinstance(thing, ROWS):
        for part in thing:
            yield from leaves(part)
    else:
        yield thing


def is_error(value: object) -> bool:
    """Whether a value is an error or a type of them."""
    return isinstance(value, BaseException) or (
        isinstance(value, type) and issubclass(value, BaseException)
    )


def type_of(error: object) -> type[BaseException]:
    """The type of an error, or the type itself."""
    return error if isinstance(error, type) else type(error)


def _changed(thing, was, now):
    """A thing of a case with `now` wherever `was` stands, also as a key."""
    if isinstance(thing, dict):
        return {_changed(key, was, now): _changed(value, was, now) for key, value in thing.items()}
    if type(thing) in ROWS:
        return type(thing)(_changed(part, was, now) for part in thing)
    return now if type(thing) is type(was) and thing == was else thing


def _once(thing):
    if isinstance(thing, dict):
        return {key: _once(value) for key, value in thing.items()}
    if type(thing) not in ROWS or len(thing) >= MANY:  # that may be wrong for its length alone
        return thing
    found = []
    for part in map(_once, thing):
        if repr(part) not in map(repr, found):
            found.append(part)
    return type(thing)(found)
