"""What exercises of lesson 16 share: the times that ways of working take."""

import asyncio
import collections

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
