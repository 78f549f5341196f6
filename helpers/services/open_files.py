"""How many files this process may open; each socket is one."""

import math

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None


def allow_open_files(wanted: int) -> float:
    """Let this process open ``wanted`` files, or as many as the system lets it.

    Returns how many it may open now: that, or more if it could before; infinity without a limit.
    """
    if resource is None:
        return math.inf
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return math.inf
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft
