"""Whether an answer goes wrong because of what an earlier call of it has left behind."""

import ast
import functools
import inspect
from collections.abc import Callable

from helpers.coach.form.statement import Wrong
from helpers.coach.judging.lab import Lab
from helpers.coach.mistakes.nodes import makes_row


def kept_at(lab: Lab) -> int | None:
    """The line of what an answer may keep from one call to the next, or None."""
    inside = lab.earliest(lab.kept_default(), lab.node(ast.Global), lab.class_attribute())
    return inside or min(lab.text.all_kept_outside(), default=None)


def rows_kept_at(lab: Lab) -> int | None:
    """The line of a list, a dict or a set that an answer may keep from one call to the next."""
    return lab.kept_default() or min(lab.text.all_kept_outside(makes_row), default=None)


def shared_state(error: Exception, line: int) -> Wrong:
    """The Wrong for an error that a first call doesn't meet. line: of what is kept."""
    said = error.observed if isinstance(error, Wrong) else f"It raised {error!r}."
    return Wrong(
        "shared state",
        f"It was not the first call, and a first one goes well. {said}",
        line,
        try_="What a call makes belongs to that call. Look for a name outside of the "
        "function, a default that is a list or a dict, an attribute of a class.",
        headline="kept something from an earlier call",
    )


def each_time_anew(answer: Callable, again: Callable[[], Callable]) -> Callable:
    """A function that looks like the answer, each call of which is the first one.

    again: makes the same answer anew, as if no call had been made of it.
    """
    if inspect.iscoroutinefunction(answer):

        @functools.wraps(answer)
        async def anew(*arguments, **named):
            return await again()(*arguments, **named)

    else:

        @functools.wraps(answer)
        def anew(*arguments, **named):
            return again()(*arguments, **named)

    return anew
