"""Stage 5, debug mode: calls that take too long, calls from a wrong thread, and what is no call."""

import asyncio
import inspect
import logging
import os
import sys
import threading
import time

LOG = logging.getLogger("asyncio")


def is_asked_for():
    """Tell whether new loops are in debug mode: by PYTHONASYNCIODEBUG, or by -X dev."""
    asked = not sys.flags.ignore_environment and os.environ.get("PYTHONASYNCIODEBUG")
    return sys.flags.dev_mode or bool(asked)


def turn(loop):
    """Give one turn to each who is ready, as in other modes, with a clock beside each."""
    loop.wait()
    for _ in range(len(loop.ready)):
        call = loop.ready.popleft()
        begun = time.monotonic()
        try:
            call()
        finally:
            took = time.monotonic() - begun
            if took >= loop.slow_callback_duration:
                LOG.warning("Executing %s took %.3f seconds", words(call), took)
            call = None  # the error of a task that failed keeps this frame, and so the task


def words(call):
    """Return what was called: the task, where it was a step of one."""
    task = getattr(getattr(call, "function", None), "__self__", None)
    return repr(task if isinstance(task, asyncio.Task) else call)


def check(loop, function, method):
    """Refuse what is no function, and the call of a thread that is not the loop's."""
    if inspect.iscoroutine(function) or inspect.iscoroutinefunction(function):
        raise TypeError(f"coroutines cannot be used with {method}()")
    if not callable(function):
        raise TypeError(f"a callable object was expected by {method}(), got {function!r}")
    if loop.thread not in (None, threading.get_ident()):
        raise RuntimeError(
            "Non-thread-safe operation invoked on an event loop other than the current one: "
            f"use call_soon_threadsafe in place of {method}"
        )
