"""What exercises of lesson 13 share: how the answer makes its locks, and how it is called."""

import asyncio

# What lets a call go on when its caller is cancelled.
APART = "shield", "asyncio.wait", "create_task", "ensure_future"


def made_per_call(lab):
    """Line at which an `async def` makes a lock, so anew in each call; None if none does."""
    return next((line for line, _ in lab.text.locks_made_per_call()), None)


def now():
    """Seconds on the running loop's clock."""
    return round(asyncio.get_running_loop().time(), 6)


async def as_coroutine(awaitable):
    return await awaitable


async def outcome(awaitable):
    """What came of it: the result, or the error that it raised."""
    try:
        return await awaitable
    except Exception as error:
        return error


async def ended(tasks):
    """What came of each task when all have ended: its result, its error or "cancelled"."""
    await asyncio.wait(tasks)
    return [
        "cancelled" if task.cancelled() else task.exception() or task.result() for task in tasks
    ]
