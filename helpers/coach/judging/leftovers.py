"""What an answer leaves behind: threads, processes, modules, and settings that do no harm."""

import gc
import logging
import os
import sys
import threading
import time
import warnings


class Leftovers:
    """What was there before the first check: finds what a check left besides, and clears it away.

    Threads and processes are mistakes and are told. What stands in the environment, what was
    imported and how warnings and logs are set may change without harm, and is put back unsaid.
    """

    def __init__(self):
        self._environment = dict(os.environ)
        self._filters = warnings.filters[:]
        self._modules = set(sys.modules)
        self._threads = set(threading.enumerate())

    def is_new(self, thread: threading.Thread) -> bool:
        """Whether a thread was not there before the first check."""
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
        if hasattr(os, "waitid"):
            try:
                # Most answers start none, and this asks without loading anything.
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return 0
        import psutil

        own = getattr(
            getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None),
            "_pid",
            None,
        )
        left = [
            child
            for child in psutil.Process().children(recursive=True)
            if child.pid != own and child.status() != psutil.STATUS_ZOMBIE
        ]
        gone, alive = psutil.wait_procs(left, timeout=0.2)
        for child in alive:
            child.kill()
        return len(alive)

    def put_back(self) -> None:
        """Put back what a check may change without harm; forget the learner's own modules."""
        for name in set(sys.modules) - self._modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file and file.startswith(os.getcwd() + os.sep) and "site-packages" not in file:
                del sys.modules[name]
        os.environ.clear()
        os.environ.update(self._environment)
        warnings.filters[:] = self._filters
        warnings.simplefilter("always", RuntimeWarning)  # and let it notice that they changed
        logging.root.handlers[:] = []
        logging.root.setLevel(logging.WARNING)
        gc.collect()
