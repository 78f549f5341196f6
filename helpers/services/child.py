"""A process that never outlives the one that started it, and a folder that goes with it.

The two ends of one agreement. The parent (``Child``) starts a Python, tells it by a line of JSON
who it is, waits for its first lines, though not for ever, and keeps the pipe to its standard input
open for as long as it shall live. The child (``Parent``) answers at once by its process id, then by
a line when it is ready, and ends when its standard input does: the system closes the pipe even if
the parent is killed. In between, each line that the parent writes is a question, and gets a line of
JSON as its answer.

The child says its process id itself, for `Popen` may know only a launcher's: on Windows, the
``python.exe`` of a ``.venv`` starts Python as a process of its own.

A child of the parent made by ``fork`` holds the pipe open too. So where there are forks, the child
also looks, twice a second, whether its parent is still the one that started it.

A folder that shall go with the child is named by the parent and made by the child: either of them
knows of it as long as it is there, and the one that is left takes it away.

Standard library alone, for it is imported on both sides.
"""

import atexit
import contextlib
import io
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

from helpers.basics.project import PROJECT

START_LIMIT = 60.0  # seconds; on a busy machine four servers at once took more than 20
FIRST_START = 2  # times the limit, for what this process starts first: slow disks read it slowly
PARENT_CHECK = 0.5  # seconds between two looks at the parent
LAST_WORDS = 200_000  # bytes of what a child said that are kept
TRIES = 20  # to remove a folder in which somebody who is about to end still writes

# The names of what has started once from here: the system has its files in memory.
_have_started: set[str] = set()

# -P: a learner's folder may hold an asyncio.py, which isn't the library.
PYTHON = [sys.executable, "-P"]


def calling(module: str, function: str) -> list[str]:
    """The command for a Python that calls a function of a module, without parameters.

    It is for a module that its own package imports: Python warns of ``-m`` there.
    """
    return [*PYTHON, "-c", f"from {module} import {function} as be; be()"]


def search_path() -> str:
    """The ``PYTHONPATH`` with which another Python finds this package."""
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(PROJECT), inherited] if inherited else [str(PROJECT)])


def new_folder(place: str | None = None) -> str:
    """A path for a ``Child``'s folder, which nobody can guess; nothing is made.

    place: the folder that it shall be in, the system's for temporary files unless told.
    """
    return os.path.join(place or tempfile.gettempdir(), f"course-{secrets.token_hex(8)}")


def remove(folder: str) -> None:
    """Take a folder away with all that is in it, even if somebody still writes to it just now."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.05)


# In the parent


class Child:
    """A process that ends with this one, as its parent sees it.

    ``popen`` is the process that was started, ``pid`` the child's id, ``folder`` the one that goes
    with it. ``answers`` is what it prints, a buffered reader. A forked child of this process leaves
    it alone.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        *,
        folder: str = "",
        own_session: bool = False,
        keep_words: bool = True,
    ) -> None:
        """Start ``command``, in which ``Parent()`` is called; what it shall be it is told later.

        Parameters:
            name: what errors call it.
            folder: a path of ``new_folder`` for it to make, and to take away at its end.
            own_session: it is in a session of its own, or on Windows in a group of its own. Then
                who ends all of this process's group, as JupyterLab does with a kernel's, leaves it
                to end by itself and to tidy up; and its end takes along what it has started.
            keep_words: what it says on its standard error is kept for ``last_words``; else it is
                said on that of this process.
        """
        self.name, self.folder, self._own_session = name, folder, own_session
        self._owner = os.getpid()
        # Nobody reads what it says while it runs, and a full pipe would stop it: a file.
        self._errors = tempfile.TemporaryFile() if keep_words else None
        self._said = ""
        self._was_silent = False
        environment = os.environ | {"PYTHONPATH": search_path()}
        if keep_words:
            environment["PYTHON_COLORS"] = "0"  # a kernel asks for colours; this is shown as text
        self.popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,  # nothing is left to flush when the pipe closes under us
            env=environment,
            **(_apart() if own_session else {}),
        )
        # An unbuffered pipe is read byte by byte, and an answer may be long.
        self.answers = io.BufferedReader(self.popen.stdout)
        self.pipes = [self.popen.stdin, self.answers]
        # Or a thread might be given the answer to an earlier question of another.
        self._one_asks = threading.Lock()
        self.pid = self.popen.pid  # until the child says its own
        atexit.register(self.end)

    def begin(self, told: dict[str, object], limit: float) -> object:
        """Tell it who it is, and return what it answers when it is ready.

        limit: seconds after which it is killed, if it is silent; the first of its name in this
        process has `FIRST_START` times as many.

        Raises RuntimeError, with its own words, if it ends first or is silent.
        """
        if self.name not in _have_started:
            limit *= FIRST_START
        answer = self.meet(told, limit)
        if not answer.endswith(b"\n"):
            how = f"exit status {self.popen.returncode}"
            if self._was_silent:
                how = (
                    f"it was silent for {limit:g} s, and was ended: this machine or its disk may "
                    "be slow or busy; try again, for a second start is quicker"
                )
            said = self.last_words() or "(it said nothing)"
            raise RuntimeError(f"{self.name} did not start ({how}). It said:\n{said}")
        _have_started.add(self.name)
        return json.loads(answer)

    def meet(self, told: dict[str, object], limit: float) -> bytes:
        """Do as ``begin``, but return the line that it answers by as it is.

        Without the line's end it is all there was: the child has ended by then.
        """
        overdue = threading.Timer(limit, self._give_up)
        overdue.daemon = True
        overdue.start()
        try:
            line = {"parent": os.getpid(), "folder": self.folder, "told": told}
            with contextlib.suppress(BrokenPipeError):
                self.write(json.dumps(line).encode() + b"\n")
            pid = self.answers.readline()
            if pid.endswith(b"\n"):
                self.pid = int(pid)
            answer = self.answers.readline()
            if not answer.endswith(b"\n"):
                self.popen.wait()
            return answer
        finally:
            overdue.cancel()

    def ask(self, question: object = None) -> object:
        """Put a question and return the answer. Raises EOFError once it has ended."""
        with self._one_asks:
            try:
                self.write(json.dumps(question).encode() + b"\n")
                line = self.answers.readline()
            except (OSError, ValueError):  # it has ended, or the pipes are closed
                line = b""
        if not line.endswith(b"\n"):
            raise EOFError(f"{self.name} has ended.")
        return json.loads(line)

    def write(self, data: bytes) -> None:
        """Write all of it to its standard input. Raises OSError where nobody reads any more."""
        rest = memoryview(data)
        while rest:  # a signal may cut a write short
            rest = rest[self.popen.stdin.write(rest) :]

    def wait(self, patience: float | None = None) -> int | None:
        """Wait for its end; return its exit status, or None if it still runs.

        patience: seconds, at most; for ever unless told.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(patience)
        return self.popen.returncode

    def hang_up(self) -> None:
        """Close its standard input, so that it ends by itself and in order."""
        self.popen.stdin.close()

    def end(self, patience: float = 0.0) -> int | None:
        """End it, whatever it is doing, and wait until it and its folder are gone.

        patience: seconds that it has to end by itself.

        Returns its exit status if it ended by itself, None if it was killed. Twice does no harm.
        """
        if os.getpid() != self._owner:
            return None
        atexit.unregister(self.end)
        status = self.popen.returncode
        if status is None:  # else its id may be another's by now
            status = self.wait(patience)
            self._kill()
            self.popen.wait()
        self._said = self.last_words()
        for pipe in filter(None, (*self.pipes, self._errors)):
            pipe.close()
        if self.folder:
            remove(self.folder)
        return status

    def last_words(self) -> str:
        """What it said on its standard error, where that is kept; call it after its end."""
        if self._errors is None or self._errors.closed:
            return self._said
        self._errors.seek(0)
        return self._errors.read(LAST_WORDS).decode(errors="replace").strip()

    def _give_up(self) -> None:
        self._was_silent = True
        self._kill()

    def _kill(self) -> None:
        if self._own_session and os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.popen.pid, signal.SIGKILL)
        else:
            self.popen.kill()


def _apart() -> dict[str, object]:
    """What Popen is told for a process that isn't in our session."""
    if os.name == "nt":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags}
    return {"start_new_session": True}


# In the child


class Parent:
    """The process that started this one, as its child sees it.

    ``told`` is what it said this one shall be. ``folder`` is taken away at the end, if it has a
    name.
    """

    def __init__(self) -> None:
        """Hear what it says first, say which process this is, and make the folder.

        Ends this process if the parent is gone by then.
        """
        # The stop button interrupts the whole group of processes; the child stays.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Raw, so that nothing is read ahead which is a question.
        line = sys.stdin.buffer.raw.readline()
        if not line.endswith(b"\n"):
            os._exit(0)
        heard = json.loads(line)
        self.pid: int = heard["parent"]
        self.folder: str = heard["folder"]
        self.told: dict = heard["told"]
        self.say(os.getpid())
        if self.folder:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)

    def say(self, answer: object) -> None:
        """Answer: that this process is ready, or what was asked. Does nothing if it is gone."""
        # This process ends then, too, but not by an error: that would outrun the tidying up.
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(answer), flush=True)

    def questions(self) -> Iterator[object]:
        """What it asks, one question after another, until it is gone."""
        rest = b""
        while data := self._read():
            *lines, rest = (rest + data).split(b"\n")
            yield from map(json.loads, lines)

    def _read(self) -> bytes:
        stdin = sys.stdin.fileno()
        # select takes no pipes on Windows, where there are no forks: there, just read.
        if hasattr(os, "fork"):
            while not select.select([stdin], [], [], PARENT_CHECK)[0]:
                if os.getppid() != self.pid:
                    return b""
        return os.read(stdin, 1 << 16)

    def end_with_it(self, hear: Callable[[object], None] | None = None) -> None:
        """See to it that this process ends as soon as its parent has, whatever is under way.

        hear: gets each question, in a thread.
        """
        # A thread, for it must notice the parent's end even while an event loop is busy.
        threading.Thread(target=self._listen, args=(hear,), daemon=True).start()

    def _listen(self, hear: Callable[[object], None] | None) -> None:
        try:
            for question in self.questions():
                if hear is not None:
                    hear(question)
        finally:
            if self.folder:
                remove(self.folder)
            # os._exit, for what is under way shall not hold the process back.
            os._exit(0)
