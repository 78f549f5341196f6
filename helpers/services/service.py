"""A server in a process of its own: how its parent sees it, and how it begins.

The parent (``Service``) starts ``python -m <module>`` as a ``Child`` and tells it its settings. The
server (``serve``) binds a free port and answers with that. Each question after that is for the log:
so who reads the log is no client of the server, and never stands in it.

Standard library alone, for it is imported on both sides.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from .child import PYTHON, START_LIMIT, Child, Parent
from .open_files import allow_open_files

HOST = "127.0.0.1"
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
        self._child = Child(module.rpartition(".")[2], [*PYTHON, "-m", module])
        try:
            self.port: int = self._child.begin(settings, START_LIMIT)
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self.url = f"http://{HOST}:{self.port}"
        _leave_out_of_proxies()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._child.pid

    def log(self) -> list[Asked]:
        """Every request so far, in the order of arrival.

        It comes over a pipe, not from the server's socket, so looking doesn't change what is seen.
        Raises RuntimeError once the server is stopped, for its log is gone with it.
        """
        try:
            entries = self._child.ask()
        except EOFError:
            name = self._child.name
            raise RuntimeError(f"{name} is stopped, and its log is gone with it.") from None
        return [Asked(*entry) for entry in entries]

    def peak(self) -> int:
        """How many requests were under way at once, at most; see ``log`` for when it raises."""
        return peak(self.log())

    def stop(self) -> None:
        """End the server, whatever it is doing, and wait until it is gone."""
        self._child.end()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        stopped = self._child.popen.returncode is not None
        state = "stopped" if stopped else f"running, pid {self.pid}"
        return f"<{self._child.name} at {self.url}, {state}>"


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
    parent = Parent()
    allow_open_files(OPEN_FILES)
    log = []
    # A copy, for requests arrive while it is written.
    parent.end_with_it(lambda _: parent.say(log.copy()))

    async def main() -> None:
        # bind, not create_server: on Windows that one sets up more than start may want.
        # Told that it is TCP, for asyncio sets TCP_NODELAY on no other: an answer in two parts
        # would else wait for an acknowledgement, 40 ms.
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.bind((HOST, 0))
        server = await start(sock, log, **parent.told)
        parent.say(sock.getsockname()[1])
        await asyncio.Event().wait()
        del server

    asyncio.run(main())
