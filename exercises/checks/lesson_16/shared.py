"""What exercises of lesson 16 share: the times that ways of working take, and what workers on one
queue get wrong.
"""

import ast
import asyncio
import collections

from helpers.coach import Wrong
from helpers.coach.mistakes.words import brief, error_words

SOON = 1e-6  # seconds: virtual times that differ by less are the same moment


def now():
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()


def with_workers(seconds, workers):
    """How long so many workers take, each of whom takes the next item when it is free."""
    free = [0.0] * workers
    for each in seconds:
        earliest = free.index(min(free))
        free[earliest] += each
    return max(free)


def in_batches(seconds, size):
    """How long batches of that size take, one after another."""
    return sum(max(seconds[n : n + size]) for n in range(0, len(seconds), size))


def or_one(seconds):
    """A dict of seconds in which what was never asked for, a sentinel, takes one."""
    return collections.defaultdict(lambda: 1, seconds)


def words_of(items):
    """The items as they are, or how many if they are many."""
    return repr(items) if len(items) < 10 else f"{len(items):,} of them"


def listed(moments):
    """Moments, as a text."""
    return ", ".join(f"{moment:g}" for moment in moments)


def noting_the_end(service):
    """The same service; its `ended` is when the last call of it ended."""

    async def fetch(argument):
        try:
            return await service(argument)
        finally:
            fetch.ended = now()

    fetch.ended = 0.0
    fetch.__name__ = fetch.__qualname__ = service.__name__
    return fetch


THROWN_AWAY = (
    "An immediate shutdown throws away what is still in the queue. A plain one lets the workers "
    "take it first."
)


def immediate_shutdown(lab):
    """The line that shuts a queue down at once, or None."""
    return lab.keyword("immediate", of="shutdown") or lab.call_of("shutdown", given=True)


def look_for_unwatched(lab, run):
    """Raise Wrong if an error stayed in a worker while the answer waited in `queue.join()`, and
    nothing looks at the workers but the cleanup that cancels them.
    """
    if run.error is not None or not lab.raised or any(map(lab.text.keeper, lab.raised)):
        return
    line = _joins_unwatched(lab)
    if line:
        raise Wrong(
            "lost error",
            f"`{error_words(lab.raised[0])}` had to come out. It returned {brief(run.result)} "
            "instead.",
            line,
            "An error ends the worker, and stays in the worker's task. A TaskGroup around the "
            "workers and this wait hears of it at once.",
            at="waits, and nobody looks at the workers meanwhile",
        )


def _joins_unwatched(lab):
    """The line that awaits `join` before the workers are cancelled, if whatever else could tell of
    their errors stands behind that; or None.
    """
    joins = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Await)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).endswith(".join")
    ]
    cancels = lab.call_of("*.cancel")
    looks = [
        call.lineno for call in lab.text.calls_of("gather", "wait", "wait_for", "as_completed")
    ]
    watches = lab.call_of("TaskGroup", "add_done_callback", "result", "exception")
    if not (joins and cancels and looks) or watches:
        return None
    return joins[0] if max(joins) < cancels < min(looks) else None
