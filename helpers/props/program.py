"""A server that a notebook wrote, as a process of its own, to which real signals are sent.

    with program(main) as server:            # main prints its port first
        ...
        server.send_signal(signal.SIGTERM)
        rec = server.recording()             # what its tasks did, once it has ended

The function goes over with what it uses (cloudpickle); what it changes there, it changes for
itself. The process ends with its parent.
"""

import base64
import contextlib
import os
import pickle
import sys
from collections.abc import Awaitable, Callable

from helpers.kernel.run import run
from helpers.recording.record import record
from helpers.recording.recording import Recording
from helpers.services.child import START_LIMIT, Child, Parent, calling


def program(main: Callable[[], Awaitable[object]]) -> "Program":
    """Start a coroutine function of the notebook as a program of its own, to send signals to.

    main: it must print its port first, in a line (and flush); nothing else. It goes over with what
        it uses; what it changes there, it changes for itself.

    The program ends at the latest with this process. Raises RuntimeError if it printed no port.
    """
    return Program(main)


class Program:
    """A running program. ``port`` is what it printed first, ``pid`` its process id.

    Also a context manager, which kills it at its end if it still runs.
    """

    def __init__(self, main: Callable[[], Awaitable[object]]) -> None:
        """Start it and wait for its port. Raises RuntimeError if it ends without printing one."""
        import cloudpickle  # here, for the program itself needs none

        self._child = Child("The program", calling(__name__, "be_the_program"), keep_words=False)
        self._told: bytes | None = None
        try:
            pickled = base64.b64encode(cloudpickle.dumps(main)).decode()
            printed = self._child.meet({"main": pickled}, START_LIMIT)
            if not printed.strip().isdigit():
                self._child.wait(2)  # it may have failed: let it say so on stderr
                raise RuntimeError(f"The program did not print its port, but {printed!r}.")
        except BaseException:
            self.stop()
            raise
        self.port = int(printed)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    def send_signal(self, number: int) -> None:
        """Send it a signal, such as ``signal.SIGTERM``."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def recording(self) -> Recording | None:
        """Wait for its end and return the ``Recording`` of its tasks; None if it was killed."""
        if self._told is None:
            self._told = self._child.answers.read()
            self._child.wait()
        return pickle.loads(self._told) if self._told else None

    @property
    def returncode(self) -> int | None:
        """Its exit status; below 0 the signal that killed it; None while it runs."""
        return self._child.popen.poll()

    def stop(self) -> None:
        """Kill it if it still runs."""
        self._child.end()

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()


def be_the_program() -> None:
    """Be the child: run the function that was sent, recorded, and send the recording back."""
    parent = Parent()
    parent.end_with_it()
    try:
        with record() as rec:
            run(pickle.loads(base64.b64decode(parent.told["main"]))())
    finally:  # SystemExit as well
        sys.stdout.flush()
        sys.stdout.buffer.write(pickle.dumps(rec))
