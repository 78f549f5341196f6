"""What an answer leaves behind: threads and processes."""

import gc
import sys
import threading
import time

from helpers.coach.form.statement import Wrong
from helpers.coach.judging.orphans import has_children, kill


class Leftovers:
    """What a check left besides the threads and processes that were there before it."""

    def __init__(self):
        self._threads = set(threading.enumerate())
        # On Windows there is one: conhost.exe, which holds our console.
        self._processes = set(running())

    def is_new(self, thread: threading.Thread) -> bool:
        """Whether a thread was not there before the check."""
        return thread not in self._threads

    def threads(self) -> list[threading.Thread]:
        """The threads that a check left, after a moment in which they may still end."""
        new = [thread for thread in threading.enumerate() if self.is_new(thread)]
        if new:
            gc.collect()  # a pool that nobody holds any more ends its threads
            ends = time.monotonic() + 0.3
            for thread in new:
                if thread.name != "answer" and not isinstance(thread, threading._DummyThread):
                    thread.join(max(0.0, ends - time.monotonic()))
        return [thread for thread in new if thread.is_alive() and thread.name != "answer"]

    def end_processes(self) -> int:
        """End what processes a check left; return their number."""
        new = [process for process in running() if process not in self._processes]
        if not new:
            return 0
        import psutil

        own = getattr(
            getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None),
            "_pid",
            None,
        )
        left = [
            child for child in new if child.pid != own and child.status() != psutil.STATUS_ZOMBIE
        ]
        gone, alive = psutil.wait_procs(left, timeout=0.2)
        kill(alive)
        return len(alive)


def running() -> list:
    """The processes that this one has started, and those that they have."""
    if not has_children():  # most answers start none, and this asks without loading anything
        return []
    import psutil

    return psutil.Process().children(recursive=True)


def processes_left(number: int) -> Wrong:
    """The mistake of an answer that left so many processes running."""
    ran = "process" if number == 1 else "processes"
    return Wrong("process", f"It was over, and {number:,} {ran} still ran.")
