"""What exercises of lesson 15 share: streams that note when they are left."""

import asyncio
from types import SimpleNamespace


def watched(items, seconds, error=None):
    """An async generator over `items`, `seconds` apart, and a note of what is done with it.

    error: what it raises after the last item. note: .taken (items handed out), .closed.
    """

    async def stream():
        try:
            for item in items:
                await asyncio.sleep(seconds)
                note.taken.append(item)
                yield item
            if error is not None:
                await asyncio.sleep(seconds)
                raise error
        finally:
            try:
                for _ in range(5):  # who doesn't await the closing finds it open
                    await asyncio.sleep(0)
            finally:  # who cancels twice cuts this short, and leaves nothing open
                note.closed = True

    note = SimpleNamespace(taken=[], closed=False)
    return stream(), note


def leaves(error):
    """The errors in a group, and in the groups in it; an error alone is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]
