"""The judge's end of the pipes to the kernel that started it."""

import faulthandler
import os
import queue
import signal
import sys
import threading

from helpers.coach.judging import wire
from helpers.coach.judging.limits import exit_now, sleep_now


class Pipes:
    """Reads requests from standard input and writes replies to standard output.

    From the moment it is made, this process ends with its parent: at the end of its input, or
    when its parent's id changes. requests: a queue of what was asked. errors: the file in which
    the last words of a process that has to be ended are written.
    """

    def __init__(self):
        self._input = os.fdopen(os.dup(0), "rb")
        self._output = os.fdopen(os.dup(1), "wb")
        self.errors = os.fdopen(os.dup(2), "wb")
        sys.stdin = open(os.devnull)
        self._parent = os.getppid()
        self._sending = threading.Lock()
        self.requests = queue.SimpleQueue()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        faulthandler.enable(self.errors)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._output.close)
        threading.Thread(target=self._read, name="coach-reader", daemon=True).start()
        if os.name != "nt":
            threading.Thread(target=self._watch_parent, name="coach-parent", daemon=True).start()

    def keep_to_ourselves(self) -> None:
        """Leave nothing of the pipes where an answer would find it, at descriptors 0, 1 and 2."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.close(nothing)

    def send(self, what: str, **content: object) -> None:
        """Tell the kernel one thing: "ready", "begun" or "verdict"."""
        with self._sending:
            wire.write(self._output, (what, content))

    def _read(self):
        try:
            while True:
                self.requests.put(wire.read(self._input))
        finally:
            exit_now(0)

    def _watch_parent(self):
        # A fork of the kernel may hold our input open after the kernel itself has gone.
        while os.getppid() == self._parent:
            sleep_now(1)
        exit_now(0)
