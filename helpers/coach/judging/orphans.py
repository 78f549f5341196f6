"""Ends what a check's process has started and left alone: children in sessions of their own, whose
parents are gone.

On Linux such an orphan becomes a child of the nursery, which so finds each one and needs no search
when there is none. Elsewhere it is known by a mark in its environment.
"""

import contextlib
import os
import sys
import time

MARK = "COURSE_CHECK"  # the variable of the environment that all processes of a check have
MOMENT = 0.3  # seconds in which an orphan may still end by itself
LONGEST = 5.0  # seconds for ending those that start new ones all the time
PR_SET_CHILD_SUBREAPER = 36


def adopt() -> bool:
    """Become the parent of all orphans among our descendants, where the system knows that."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    try:
        return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def end_children() -> int:
    """End all descendants of this process; return how many did not end by themselves."""
    if not has_children():
        return 0
    import psutil

    stubborn, ends = 0, time.monotonic() + LONGEST
    patience = MOMENT
    while has_children() and time.monotonic() < ends:
        left = psutil.Process().children(recursive=True)
        _, alive = psutil.wait_procs(left, timeout=patience)
        patience = 0.01
        stubborn += len(alive)
        kill(alive)
        psutil.wait_procs(alive, timeout=0.1)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    return stubborn


def has_children() -> bool:
    """Whether this process has any child, running or ended; it may have where nobody can tell."""
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def end_marked(mark: str) -> None:
    """End all processes that have this mark."""
    import psutil

    marked = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark and process.pid != os.getpid():
                marked.append(process)
    kill(marked)


def kill(processes: list) -> None:
    """Kill those that are still there."""
    import psutil

    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
