"""What exercises of lesson 11 share: the mistake of asking another clock than the loop's, and that
of leaving a loop at an error.
"""

import ast

from helpers.coach import Wrong
from helpers.coach.mistakes.nodes import own_nodes


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
