"""The judge's ends of its pipes: those to the kernel, and those of the process that judges."""

import faulthandler
import os
import pickle
import select
import signal
import threading
from collections.abc import Iterable

from helpers.coach.judging import wire
from helpers.coach.judging.limits import exit_now

PARENT_CHECK = 0.5  # seconds between two looks at the kernel
MUTE = 77  # the exit status of a process that could not say its verdict

read_now, write_now = os.read, wire.write


class Kernel:
    """The kernel that started this process: what it asks, and how it is answered.

    Every method raises EOFError once it is gone. asked: the descriptor of its pipe to us; told:
    that of ours to it.
    """

    def __init__(self, asked: int, told: int):
        self.asked = asked
        self.told = told
        self._pid = os.getppid()
        self._messages = wire.Messages()
        self._requests = []

    def next_request(self) -> tuple[bytes, dict]:
        """Wait for what it asks next: (the number of the check, the request)."""
        while not self._requests:
            # select takes no pipes on Windows, where there are no forks: there, just read.
            if os.name == "nt" or self.asked in self.wait((), PARENT_CHECK):
                self.hear()
        return self._requests.pop(0)

    def wait(self, others: Iterable[int], patience: float) -> list[int]:
        """Those of its pipe and the others from which there is something to read by now."""
        ready = select.select([self.asked, *others], [], [], patience)[0]
        # A fork of the kernel may hold our pipe open after the kernel itself has gone.
        if os.getppid() != self._pid:
            raise EOFError
        return ready

    def hear(self) -> None:
        """Read what it has written."""
        data = os.read(self.asked, 1 << 16)
        if not data:
            raise EOFError
        for number, _, content, _ in self._messages.feed(data):
            self._requests.append((number, pickle.loads(content)))

    def tell(self, data: bytes) -> None:
        """Tell it a message."""
        try:
            wire.write(self.told, data)
        except OSError:
            raise EOFError from None


class Pipes:
    """The pipes of the process that judges: for its messages, for its last words, and one whose
    end means that nobody is there any more to be answered, so that it ends, too.

    errors: the file in which the last words of a process that has to be ended are written.
    """

    def __init__(self, number: bytes, messages: int, errors: int, lifeline: int):
        self._number = number
        self._messages = os.fdopen(messages, "wb", 0)
        self.errors = os.fdopen(errors, "wb")
        self._sending = threading.Lock()
        faulthandler.enable(self.errors)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._messages.close)
        threading.Thread(
            target=self._end_with, args=(lifeline,), name="coach-parent", daemon=True
        ).start()

    def send(self, kind: bytes, content: object = None) -> None:
        """Tell the kernel one thing. Ends this process if an answer has closed the pipe."""
        with self._sending:
            try:
                write_now(self._messages.fileno(), wire.packed(self._number, kind, content))
            except (OSError, ValueError):
                exit_now(MUTE)

    def _end_with(self, lifeline):
        try:
            while read_now(lifeline, 1):
                pass
        finally:
            end_group()


def end_group() -> None:
    """End this process at once, and what it has started with it."""
    if hasattr(os, "killpg"):
        kill_now(0, signal.SIGKILL)
    exit_now(0)


kill_now = getattr(os, "killpg", None)
