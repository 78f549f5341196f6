"""A server in a process of its own, which never outlives the process that started it.

The two ends of one agreement. The parent (``Service``) starts ``python -m <module>``, writes the
settings to its standard input as one line of JSON, and keeps that pipe open for as long as the
server shall live. The child (``serve``) binds a free port, answers with one line that tells it,
and ends when its standard input does: the system closes the pipe even if the parent is killed.
In between, each byte that the parent writes asks for the log, and gets it as one line of JSON: so
who reads the log is no client of the server, and never stands in it.

A child of the parent made by ``fork`` holds the pipe open too. So where there are forks, the server
also looks, twice a second, whether its parent is still the one that started it.

Standard library alone, for it is imported on both sides.
"""

import asyncio
import atexit
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import IO, NamedTuple

from helpers.basics.project import PROJECT

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None

HOST = "127.0.0.1"
START_LIMIT = 20.0  # seconds; a busy machine may need several
PARENT_CHECK = 0.5  # seconds between two looks at the parent
BACKLOG = 4096  # connections that wait to be accepted: a lesson may open a thousand at once
OPEN_FILES = 10240  # each connection is one; many systems allow only 1024, or 256, unless asked


class Asked(NamedTuple):
    """One request, as the server saw it. Times are ``time.perf_counter``'s, in seconds.

    That clock is one for all processes of a machine, so they may be compared with the client's.
    """

    path: str
    """The page, with its query."""
    connection: int
    """Connections are numbered from 1, in the order of their first requests."""
    arrived: float
    answered: float | None
    """None: it is still under way, or its client gave up before there was an answer."""
    status: int | None
    """None: it is not answered, or its connection was closed instead of an answer."""


def peak(log: Iterable[Asked]) -> int:
    """How many of these requests were under way at once, at most.

    One that has no answer counts as under way from its arrival on.
    """
    changes = []
    for asked in log:
        changes.append((asked.arrived, 1))
        if asked.answered is not None:
            changes.append((asked.answered, -1))
    under_way = most = 0
    # At one and the same time the answer comes first: -1 before 1.
    for _, change in sorted(changes):
        under_way += change
        most = max(most, under_way)
    return most


class Service:
    """A running server.

    ``url`` is its address without a trailing slash, ``port`` and ``pid`` say the rest, ``log()``
    tells what it was asked. Stopping it twice does no harm. Also a context manager:
    ``with catalogue() as service: ...``.
    """

    def __init__(self, module: str, **settings: object) -> None:
        """Start ``module`` (one whose ``__main__`` calls ``serve``) and wait until it listens.

        Raises RuntimeError with the server's own words if it ends or stays silent instead.
        """
        self._name = module.rpartition(".")[2]
        # Nobody reads the server's errors while it runs, and a full pipe would stop it: a file.
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            # -P: a learner's folder may hold an aiohttp.py, which isn't the library.
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,  # nothing is left to flush when the pipe closes under us
            env=os.environ | {"PYTHONPATH": search_path()},
        )
        # An unbuffered pipe is read byte by byte, and a log may be long.
        self._answers = io.BufferedReader(self._process.stdout)
        # Or a thread might be given the answer to an earlier question of another.
        self._one_asks = threading.Lock()
        atexit.register(self.stop)
        try:
            told = {"parent": os.getpid(), "settings": settings}
            self.port = introduce(
                self._name, self._process, self._answers, self._stderr, told, START_LIMIT
            )["port"]
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self.url = f"http://{HOST}:{self.port}"
        _leave_out_of_proxies()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def log(self) -> list[Asked]:
        """Every request so far, in the order of arrival.

        It comes over a pipe, not from the server's socket, so looking doesn't change what is seen.
        Raises RuntimeError once the server is stopped, for its log is gone with it.
        """
        with self._one_asks:
            try:
                self._process.stdin.write(b"?")
                line = self._answers.readline()
            except (OSError, ValueError):  # the server has ended, or the pipes are closed
                line = b""
        if not line:
            raise RuntimeError(f"{self._name} is stopped, and its log is gone with it.")
        return [Asked(*entry) for entry in json.loads(line)]

    def peak(self) -> int:
        """How many requests were under way at once, at most; see ``log`` for when it raises."""
        return peak(self.log())

    def stop(self) -> None:
        """End the server, whatever it is doing, and wait until it is gone."""
        atexit.unregister(self.stop)
        for pipe in (self._process.stdin, self._answers, self._stderr):
            pipe.close()
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "stopped" if self._process.returncode is not None else f"running, pid {self.pid}"
        return f"<{self._name} at {self.url}, {state}>"


def introduce(
    name: str,
    process: subprocess.Popen,
    answers: io.BufferedIOBase,
    errors: IO[bytes],
    told: dict[str, object],
    limit: float,
) -> dict[str, object]:
    """Tell a child who it is, by a line of JSON, and return what it answers once it listens.

    answers, errors: where its answer, and what it says of a failure, can be read. limit: seconds
    after which a silent child is killed. Raises RuntimeError, with its own words, if it ends first.
    """
    overdue = threading.Timer(limit, process.kill)
    overdue.daemon = True
    overdue.start()
    try:
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()
        answer = answers.readline()
    except BrokenPipeError:
        answer = b""
    finally:
        overdue.cancel()
    if not answer:
        status = process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip() or "(it said nothing)"
        raise RuntimeError(f"{name} did not start (exit status {status}). It said:\n{said}")
    return json.loads(answer)


def search_path() -> str:
    """The ``PYTHONPATH`` with which another Python finds this package."""
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(PROJECT), inherited] if inherited else [str(PROJECT)])


def _leave_out_of_proxies() -> None:
    # Where the environment names a proxy, clients would ask it for this machine's own loopback.
    for name in ("NO_PROXY", "no_proxy"):
        left_out = [part for part in os.environ.get(name, "").split(",") if part]
        if HOST not in left_out:
            os.environ[name] = ",".join([*left_out, HOST])


def serve(start: Callable[..., Awaitable[object]]) -> None:
    """Be the child: serve until the parent is gone.

    ``await start(sock, log, **settings)`` gets a bound socket and must listen on it, with a backlog
    of ``BACKLOG``; it notes each request in ``log``, a list, as the values of an ``Asked``. What it
    returns is kept. Never returns.
    """
    # The stop button interrupts the whole group of processes; the server stays.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    allow_open_files(OPEN_FILES)
    told = json.loads(sys.stdin.buffer.readline())
    log = []
    # A thread, for it must notice the parent's end even while the event loop is busy.
    threading.Thread(target=_serve_parent, args=(told["parent"], log), daemon=True).start()

    async def main() -> None:
        # bind, not create_server: on Windows that one sets up more than start may want.
        # Told that it is TCP, for asyncio sets TCP_NODELAY on no other: an answer in two parts
        # would else wait for an acknowledgement, 40 ms.
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.bind((HOST, 0))
        server = await start(sock, log, **told["settings"])
        print(json.dumps({"port": sock.getsockname()[1]}), flush=True)
        await asyncio.Event().wait()
        del server

    asyncio.run(main())


def allow_open_files(wanted: int) -> None:
    """Let this process open as many files, each socket is one, as the system lets it."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _serve_parent(parent: int, log: list[tuple]) -> None:
    while next_question(parent):
        # A copy, for requests arrive while it is written.
        print(json.dumps(log.copy()), flush=True)
    # os._exit, for requests that are under way shall not hold the process back.
    os._exit(0)


def next_question(parent: int) -> bytes:
    """Wait for the next byte that ``parent`` (its process id) writes; b"" once it is gone."""
    stdin = sys.stdin.fileno()
    # select takes no pipes on Windows, where there are no forks: there, just read.
    if hasattr(os, "fork"):
        while not select.select([stdin], [], [], PARENT_CHECK)[0]:
            if os.getppid() != parent:
                return b""
    return os.read(stdin, 1)
