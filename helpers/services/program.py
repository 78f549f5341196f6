"""A server that a notebook wrote, as a process of its own, to which real signals are sent.

    program = services.program(main)     # main prints its port first
    ...
    program.send_signal(signal.SIGTERM)
    rec = program.recording()            # what its tasks did, once it has ended

The function goes over with what it uses (cloudpickle); what it changes there, it changes for
itself. The process ends with its parent, as every service does.
"""

import atexit
import base64
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable

from .process import next_question, search_path

# Not `-m`: the package imports this module before Python would run it, and Python warns of that.
COMMAND = [sys.executable, "-P", "-c", f"from {__name__} import be_the_program as b; b()"]


class Program:
    """A running program. ``port`` is what it printed first, ``pid`` its process id.

    Also a context manager, which kills it at its end if it still runs.
    """

    def __init__(self, main: Callable[[], Awaitable[object]]) -> None:
        """Start it and wait for its port. Raises RuntimeError if it ends without printing one."""
        import cloudpickle  # here, for the other services need none

        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": search_path()},
        )
        atexit.register(self.stop)
        self._told: bytes | None = None
        try:
            self._process.stdin.write(b"%d " % os.getpid())
            self._process.stdin.write(base64.b64encode(cloudpickle.dumps(main)) + b"\n")
            self._process.stdin.flush()
            printed = self._process.stdout.readline()
            if not printed.strip().isdigit():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(2)  # it may have failed: let it say so on stderr
                raise RuntimeError(f"The program did not print its port, but {printed!r}.")
        except BaseException:
            self.stop()
            raise
        self.port = int(printed)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def send_signal(self, number: int) -> None:
        """Send it a signal, such as ``signal.SIGTERM``."""
        self._process.send_signal(number)

    def recording(self):
        """Wait for its end and return the ``Recording`` of its tasks; None if it was killed."""
        if self._told is None:
            self._told = self._process.stdout.read()
            self.stop()
        return pickle.loads(self._told) if self._told else None

    @property
    def returncode(self) -> int | None:
        """Its exit status; below 0 the signal that killed it; None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        """Kill it if it still runs."""
        atexit.unregister(self.stop)
        if self._told is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()


def be_the_program() -> None:
    """Be the child: run the function that was sent, recorded, and send the recording back."""
    from helpers import record, run

    # The stop button interrupts the whole group of processes; the program stays.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent, main = sys.stdin.buffer.raw.readline().split()
    threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    try:
        with record() as rec:
            run(pickle.loads(base64.b64decode(main))())
    finally:  # SystemExit as well
        sys.stdout.flush()
        sys.stdout.buffer.write(pickle.dumps(rec))


def _end_with(parent: int) -> None:
    while next_question(parent):
        pass
    os._exit(1)
