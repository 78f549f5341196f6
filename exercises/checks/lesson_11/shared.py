"""What exercises of lesson 11 share: the mistakes of asking another clock than the loop's, of
leaving a loop at an error, and of catching a TimeoutError inside of the block that raises it.
"""

import ast

from helpers.coach import Wrong
from helpers.coach.mistakes.handlers import catches, suppressing
from helpers.coach.mistakes.nodes import is_named, nodes_of_block, own_nodes

TIMEOUT = {"TimeoutError"}


def other_clock(wrong_time, lab):
    """Raise Wrong if times are wrong and the answer asks the computer's clock for them."""
    line = lab.call_of("time.time", "monotonic", "perf_counter")
    if wrong_time and line:
        raise Wrong(
            "wrong clock",
            "The times are wrong: here the loop's clock jumps, and the computer's own "
            "stands nearly still.",
            line,
            "Ask `asyncio.get_running_loop().time()`: deadlines are on that clock.",
        )


def broken_off(lab):
    """The `break` with which an `except` leaves a loop, or None."""
    return lab.earliest(
        *(
            node.lineno
            for handler in lab.nodes()
            if isinstance(handler, ast.ExceptHandler)
            for node in own_nodes(handler)
            if isinstance(node, ast.Break)
        )
    )


def let_out(observed, place, try_, lab):
    """The Wrong for a TimeoutError that came out at this place. try_: what to try, if it isn't
    caught inside of the block that raises it.
    """
    line = place and place[1]
    inside = any(
        isinstance(node, ast.AsyncWith) and node.lineno == line and _catches_inside(node)
        for node in lab.nodes()
    )
    return Wrong(
        "caught too little",
        observed,
        line,
        "What stands inside of that block can't catch it. Put the `suppress`, or the `try`, around "
        "the whole `async with`."
        if inside
        else try_,
        headline="let a TimeoutError out",
        at="raises it when its block has ended" if inside else "",
    )


def _catches_inside(block):
    """Whether a TimeoutError is caught inside of a deadline's block, with no other deadline that it
    might be for.
    """
    return any(
        (isinstance(node, ast.Try) and any(catches(one, TIMEOUT) for one in node.handlers))
        or not TIMEOUT.isdisjoint((suppressing(node) or (0, ()))[1])
        for node in nodes_of_block(block.body)
        if not _has_deadline(node)
    )


def _has_deadline(node):
    return any(
        isinstance(part, ast.Call) and is_named(part.func, ("timeout*", "wait_for"))
        for part in own_nodes(node)
    )
