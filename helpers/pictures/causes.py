"""Who or what woke a task, in words."""

from collections.abc import Callable

from helpers.recording.model import Wake

_CAUSES = {
    "timer": "its timer",
    "socket": "its socket",
    "executor": "a thread of the executor",
    "callback": "a callback",
    "cancel": "a cancellation",
}


def cause(wake: Wake, name: Callable[[int], str]) -> str:
    """Who or what woke somebody. name: of the lane with that id."""
    if wake.by is not None:
        return f"{name(wake.by)} ({wake.why})"
    return _CAUSES.get(wake.why, wake.why)
