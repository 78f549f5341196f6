"""What exercises of lesson 23 share: the time, and an answer that is met in a frame of ours."""

import asyncio

SOON = 1e-6  # seconds: virtual times that differ by less are the same moment


def now():
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()


async def meet_later(lab, answer, *arguments):
    """Call the answer and await it, in a frame of ours."""
    return await lab.awaitable(answer(*arguments))
