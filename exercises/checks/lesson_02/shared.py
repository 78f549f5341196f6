"""What exercises of lesson 02 share: what tells laziness from a list built at once."""

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import islice

from helpers.coach import Wrong

ENDS = (
    "Put `try` around `next`, and `return` in `except StopIteration`. Or ask with a `for` loop: it "
    "ends by itself."
)
MOST = 12  # items; where nothing else is said, no answer is right with as many


def made_a_list(lab):
    """The line that makes a list, or None."""
    calls = lab.call_of("list", "tuple", "sorted", "append")
    return lab.earliest(lab.node(ast.ListComp), calls) or lab.node(ast.Starred)


def lazily(lab, thing, *sources):
    """Return `thing` as an iterator that has not begun to work.

    Raises Wrong if it is a list or the like, or if one of `sources` has been asked already.
    """
    taken = sum(source.taken for source in sources)
    if isinstance(thing, (list, tuple, set)) or taken and isinstance(thing, Iterator):
        raise Wrong(
            "eager",
            f"Nobody had asked for an item yet. `{lab.asks}` had already taken {taken} from its "
            "source.",
            made_a_list(lab),
            "Let each item wait until it is asked for: `yield` them one by one.",
            headline="builds a list",
        )
    if isinstance(thing, Iterator) and not inspect.isgenerator(thing):
        return thing  # map, filter and islice are as lazy as a generator
    return lab.generator(thing)


def items_of(lab, iterator, most=MOST, then=ENDS):
    """Return the list of all items, and name a StopIteration that a generator let out.

    Of a generator that never ends it returns the first `most`, as many as a line can show.
    """
    try:
        return list(islice(iterator, most))
    except RuntimeError as error:
        if "generator raised StopIteration" not in str(error):
            raise
        raise Wrong(
            "StopIteration",
            "There was nothing more. `next` raised StopIteration inside the generator, and "
            f"Python turned that into a RuntimeError: {error}.",
            lab.text.of_traceback(error) or lab.call_of("next"),
            then,
            headline="didn't catch StopIteration",
        ) from None


ERRORS = (OSError, LookupError, ValueError, RuntimeError)


def failing(items, at, error):
    """An iterator over `items` that raises the error instead of the item number `at`."""
    for number, item in enumerate(items):
        if number == at:
            raise error
        yield item


def failing_words(items, at, error):
    """What such an iterator does, in words."""
    if at >= len(items):
        return f"gives {items}"
    raises = f"raises {type(error).__name__}"
    return f"gives {items[:at]} and then {raises}" if at else f"{raises} at once"


def check_let_out(lab, error, came):
    """Raise Wrong if a source raised the error, and none came out of the answer."""
    if came is None and error.__traceback__:  # it has one if it was raised at all
        kept = lab.text.keeper_of(type(error))
        raise Wrong(
            "lost error",
            f"The error was raised, and none came out of `{lab.asks}`.",
            kept and kept.line,
            kept and kept.try_,
            headline="swallowed the error",
            at=kept.at if kept else "",
        )


def noted(lab, items, places):
    """An iterator over `items` that notes, for each, the place of the learner's that asked."""
    for item in items:
        places.append(lab.text.of_frame(sys._getframe(1)))
        yield item
