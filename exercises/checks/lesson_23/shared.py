"""What exercises of lesson 23 share: the time."""

import asyncio

SOON = 1e-6  # seconds: virtual times that differ by less are the same moment


def now():
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()
