"""A server in a process of its own, which never outlives the process that started it.

The two ends of one agreement. The parent (``Service``) starts ``python -m <module>``, writes the
settings to its standard input as one line of JSON, and keeps that pipe open for as long as the
server shall live. The child (``serve``) binds a free port, answers with one line that tells it,
and ends when its standard input does: the system closes the pipe even if the parent is killed.

A child of the parent made by ``fork`` holds the pipe open too. So where there are forks, the server
also looks, twice a second, whether its parent is still the one that started it.

Standard library alone, for it is imported on both sides.
"""

import asyncio
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None

HOST = "127.0.0.1"
START_LIMIT = 20.0  # seconds; a busy machine may need several
PARENT_CHECK = 0.5  # seconds between two looks at the parent
BACKLOG = 4096  # connections that wait to be accepted: a lesson may open a thousand at once
OPEN_FILES = 10240  # each connection is one; many systems allow only 1024, or 256, unless asked
PROJECT = Path(__file__).resolve().parents[2]


class Service:
    """A running server.

    ``url`` is its address without a trailing slash, ``port`` and ``pid`` say the rest. Stopping
    it twice does no harm. Also a context manager: ``with catalogue() as service: ...``.
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
            env=os.environ | {"PYTHONPATH": _search_path()},
        )
        atexit.register(self.stop)
        try:
            self.port = self._handshake(settings)
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self.url = f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def stop(self) -> None:
        """End the server, whatever it is doing, and wait until it is gone."""
        atexit.unregister(self.stop)
        for pipe in (self._process.stdin, self._process.stdout, self._stderr):
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

    def _handshake(self, settings: dict[str, object]) -> int:
        line = json.dumps({"parent": os.getpid(), "settings": settings}) + "\n"
        overdue = threading.Timer(START_LIMIT, self._process.kill)
        overdue.daemon = True
        overdue.start()
        try:
            self._process.stdin.write(line.encode())
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        finally:
            overdue.cancel()
        if not answer:
            raise RuntimeError(self._why_it_failed())
        return json.loads(answer)["port"]

    def _why_it_failed(self) -> str:
        status = self._process.wait()
        self._stderr.seek(0)
        said = self._stderr.read().decode(errors="replace").strip() or "(it said nothing)"
        return f"{self._name} did not start (exit status {status}). It said:\n{said}"


def _search_path() -> str:
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(PROJECT), inherited] if inherited else [str(PROJECT)])


def serve(start: Callable[..., Awaitable[object]]) -> None:
    """Be the child: serve until the parent is gone.

    ``await start(sock, **settings)`` gets a bound socket and must listen on it, with a backlog of
    ``BACKLOG``; what it returns is kept. Never returns.
    """
    # The stop button interrupts the whole group of processes; the server stays.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _allow_open_files(OPEN_FILES)
    told = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, args=(told["parent"],), daemon=True).start()

    async def main() -> None:
        # bind, not create_server: on Windows that one sets up more than start may want.
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.bind((HOST, 0))
        server = await start(sock, **told["settings"])
        print(json.dumps({"port": sock.getsockname()[1]}), flush=True)
        await asyncio.Event().wait()
        del server

    asyncio.run(main())


def _allow_open_files(wanted: int) -> None:
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _end_with_parent(parent: int) -> None:
    # A thread, for it must notice even while the event loop is busy; and os._exit, for requests
    # that are under way shall not hold the process back.
    stdin = sys.stdin.fileno()
    if hasattr(os, "fork"):
        while os.getppid() == parent and not select.select([stdin], [], [], PARENT_CHECK)[0]:
            pass
    else:
        # select takes no pipes on Windows, and a blocking read does: nothing is ever written.
        os.read(stdin, 1)
    os._exit(0)
