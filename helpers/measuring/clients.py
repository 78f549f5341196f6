"""The clients that ask a server: thousands of connections in one thread, and what each request met.

Whoever measures a server asks it by these: `load` and `rate` for pages, `crowd` for lines. They are
non-blocking sockets on a selector and nothing more, for they must be quicker than what they
measure: a request costs them some 7 µs of a core, where asyncio's protocols took 18.

    clients = Clients(("127.0.0.1", port), Line(), patience=20)
    clients.at_once(100)                # connect and ask, each once
    clients.again_and_again(0.5)        # those who were answered, for half a second
    clients.latencies, clients.errors
"""

import errno
import os
import selectors
import socket
import struct
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from helpers.services.open_files import allow_open_files

DOOR = "/proc/sys/net/core/somaxconn"  # Linux; 4096 since its version 5.4
NARROW_DOOR = 128  # connections: what macOS has, and Linux before
MOST_OF_SELECT = 500  # sockets; on Windows there is nothing but select, which takes no more
SPARE_FILES = 50  # what a Python has open besides
PIECE = 1 << 16  # bytes that are taken at once
UNDER_WAY = (0, errno.EINPROGRESS, errno.EWOULDBLOCK)  # what `connect` says where all is well
clock = time.perf_counter


def most_connections(wanted: int, ends: int = 1) -> int:
    """How many connections of those wanted this process may have, once its limit is raised.

    ends: how many of a connection's two it holds.
    """
    if selectors.DefaultSelector is selectors.SelectSelector:
        wanted = min(wanted, MOST_OF_SELECT)
    files = allow_open_files(ends * wanted + SPARE_FILES)
    return int(min(wanted, (files - SPARE_FILES) // ends))


def door() -> int:
    """How many connections may wait until they are accepted, whatever backlog a server asks for.

    The system lets more of them wait outside, for seconds: then it is the door that is measured.
    """
    try:
        with open(DOOR, encoding="ascii") as file:
            return int(file.read())
    except OSError:
        return NARROW_DOOR


class Whole(NamedTuple):
    """An answer of which nothing is missing."""

    status: int
    """As HTTP has it: from 400 on it says no."""
    stays: bool
    """Whether the connection can be asked again."""


class Exchange(Protocol):
    """What is asked, and how its answer is told."""

    request: bytes
    forgets: bool
    """Whether the system shall forget a closed connection at once, not after its usual minute."""

    def answer(self, received: bytes, ended: bool) -> Whole | None:
        """The answer, if what was received so far is one; `ended`: nothing more will come."""


class Line:
    """A hundred bytes with a line's end, which are answered by a line."""

    request = b"x" * 99 + b"\n"
    forgets = True

    def answer(self, received: bytes, ended: bool) -> Whole | None:
        """The line is whole with its end."""
        return Whole(200, not ended) if received.endswith(b"\n") else None


class Page:
    """A GET, with as little HTTP as it takes."""

    forgets = False

    def __init__(self, url: str, keep: bool = True) -> None:
        """keep: a connection is asked again after its answer."""
        parts = urlsplit(url)
        self.address = parts.hostname, parts.port or 80
        page = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        lines = [f"GET {page} HTTP/1.1", f"Host: {parts.netloc}"]
        self.keep = keep
        self.request = "\r\n".join(
            [*lines, *([] if keep else ["Connection: close"]), "", ""]
        ).encode()

    def answer(self, received: bytes, ended: bool) -> Whole | None:
        """The page is whole with as many bytes as its head tells, with its last chunk, or where
        neither is told at the end of the connection."""
        head, end, body = received.partition(b"\r\n\r\n")
        if not end:
            return None
        head = head.lower()
        _, told, rest = head.partition(b"\r\ncontent-length: ")
        if told:
            whole = len(body) >= int(rest.partition(b"\r\n")[0])
        elif b"\r\ntransfer-encoding: chunked" in head:
            whole = body.endswith(b"0\r\n\r\n")
        else:
            whole = ended
        if not whole:
            return None
        closes = b"\r\nconnection: close" in head or head.startswith(b"http/1.0")
        return Whole(int(head[9:12]), self.keep and not (closes or ended))


class Connection:
    """A connection to the server, with one request on it at a time."""

    __slots__ = ("sock", "there", "error", "due", "received")

    def __init__(self, sock: socket.socket, error: int) -> None:
        """error: what `connect` said at once, a number of the system's; 0 if nothing."""
        self.sock, self.there, self.error = sock, False, error
        self.due, self.received = 0.0, b""


GoOn = Callable[[Connection | None], None]
"""What follows a request. It is given the connection, idle again, or None if that is closed."""


def rest(connection: Connection | None) -> None:
    """Nothing follows."""


class Clients:
    """Many connections to one server.

    `latencies`: seconds from when each answered request was due.  `errors`: how many were not
    answered, by name: "timeout", "refused", "reset", "closed" (without a whole answer), a status
    that says no, or what else the system called it.  `late`: seconds by which each was asked after
    it was due.  `idle`: the connections that were answered and can be asked again.
    """

    def __init__(self, address: tuple[str, int], exchange: Exchange, patience: float) -> None:
        """patience: seconds, from when a request is due, after which it is given up.

        Raises OSError if there is no such address.
        """
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        found.sort(key=lambda one: one[0] != socket.AF_INET)
        self.family, _, _, _, self.address = found[0]
        self.exchange, self.patience = exchange, patience
        self.selector = selectors.DefaultSelector()
        self.asked: OrderedDict[Connection, None] = OrderedDict()  # who is due first, comes first
        self.broken: list[tuple[Connection, OSError | EOFError]] = []  # they have their turn too
        self.idle: list[Connection] = []
        self.latencies: list[float] = []
        self.late: list[float] = []
        self.errors: Counter[str] = Counter()

    def at_once(self, number: int) -> float:
        """So many more connect, and each asks once. Returns the seconds until all are done.

        Where the door is narrower they come in waves, each when the one before it is done.
        """
        begun, wave = clock(), door()
        for first in range(0, number, wave):
            for _ in range(min(wave, number - first)):
                self._ask(self._connect(), clock())
            self._drive(rest)
        return clock() - begun

    def again_and_again(self, seconds: float) -> float:
        """All who are idle ask, and ask again whenever they are answered, for so many seconds.

        Only these latencies are kept. Returns the seconds until all are done.
        """

        def go_on(connection: Connection | None) -> None:
            if connection is not None and clock() < ends:
                self._ask(self.idle.pop(), clock())  # it is the last that came to rest

        self.latencies = []
        begun = clock()
        ends = begun + seconds
        asking, self.idle = self.idle, []
        for connection in asking:
            self._ask(connection, clock())
        self._drive(go_on)
        return clock() - begun

    def in_turn(self, requests: int, clients: int) -> None:
        """So many clients ask, each again as soon as it is done, until all requests are made."""
        left = iter(range(requests - clients))

        def go_on(connection: Connection | None) -> None:
            if next(left, None) is not None:
                self._ask_anybody(clock())
            elif self.idle:
                # A server with few connections can take somebody else's.
                self._close(self.idle.pop())

        for _ in range(min(clients, requests)):
            self._ask_anybody(clock())
        self._drive(go_on)

    def at_rate(self, rate: float, requests: int) -> None:
        """Begin so many requests a second, evenly spread, and wait for all."""
        start = clock()
        for number in range(requests):
            due = start + number / rate
            self._take(0, rest)
            while (pause := due - clock()) > 0:
                self._take(pause, rest)
            self._ask_anybody(due)
        self._drive(rest)

    def close(self) -> None:
        """Close the connections that are left."""
        while self.idle:
            self._close(self.idle.pop())
        self.selector.close()

    # One request

    def _ask_anybody(self, due: float) -> None:
        self._ask(self.idle.pop() if self.idle else self._connect(), due)

    def _connect(self) -> Connection:
        sock = socket.socket(self.family)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.exchange.forgets:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        error = sock.connect_ex(self.address)
        connection = Connection(sock, 0 if error in UNDER_WAY else error)
        self.selector.register(sock, selectors.EVENT_WRITE, connection)
        return connection

    def _ask(self, connection: Connection, due: float) -> None:
        """Send the request, or have it sent once the connection is there."""
        self.late.append(clock() - due)
        connection.due, connection.received = due, b""
        self.asked[connection] = None
        if connection.there:
            try:
                connection.sock.send(self.exchange.request)
            except OSError as error:
                self.broken.append((connection, error))

    def _drive(self, go_on: GoOn) -> None:
        """Take answers until there are no more to come."""
        while self.asked:
            self._take(self.patience, go_on)

    def _take(self, wait: float, go_on: GoOn) -> None:
        """Deal with what has come. Where there is nothing, wait for so many seconds at most."""
        if self.asked:
            wait = min(wait, max(0.0, next(iter(self.asked)).due + self.patience - clock()))
        for key, event in self._select(0 if self.broken else wait):
            connection: Connection = key.data
            if connection.sock.fileno() < 0:
                continue  # it was closed a moment ago, after somebody else's answer
            try:
                whole = self._proceed(connection, event)
            except (OSError, EOFError) as error:
                self.broken.append((connection, error))
            else:
                if whole is not None:
                    self._answered(connection, whole, go_on)
        broken, self.broken = self.broken, []
        for connection, error in broken:
            self._failed(connection, _name(error), go_on)
        now = clock()
        while self.asked and next(iter(self.asked)).due + self.patience <= now:
            self._failed(next(iter(self.asked)), "timeout", go_on)

    def _select(self, wait: float) -> list[tuple[selectors.SelectorKey, int]]:
        if self.selector.get_map():
            return self.selector.select(wait)
        time.sleep(wait)  # Windows selects from nothing with an error
        return []

    def _proceed(self, connection: Connection, event: int) -> Whole | None:
        """Go on with one that something happened to; return its answer once that is whole."""
        sock = connection.sock
        if event & selectors.EVENT_WRITE:  # connected, or not
            error = connection.error or sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
            connection.there = True
            self.selector.modify(sock, selectors.EVENT_READ, connection)
            sock.send(self.exchange.request)
            return None
        piece = sock.recv(PIECE)
        if connection not in self.asked:
            raise EOFError("closed while it was idle")
        connection.received += piece
        whole = self.exchange.answer(connection.received, not piece)
        if whole is None and not piece:
            raise EOFError("closed without a whole answer")
        return whole

    def _answered(self, connection: Connection, whole: Whole, go_on: GoOn) -> None:
        del self.asked[connection]
        if whole.status < 400:
            self.latencies.append(clock() - connection.due)
        else:
            self.errors[str(whole.status)] += 1
        if whole.stays:
            self.idle.append(connection)
            go_on(connection)
        else:
            self._close(connection)
            go_on(None)

    def _failed(self, connection: Connection, name: str, go_on: GoOn) -> None:
        self._close(connection)
        if connection in self.asked:
            del self.asked[connection]
            self.errors[name] += 1
            go_on(None)
        else:
            self.idle.remove(connection)

    def _close(self, connection: Connection) -> None:
        self.selector.unregister(connection.sock)
        connection.sock.close()


def _name(error: OSError | EOFError) -> str:
    if isinstance(error, EOFError):
        return "closed"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, ConnectionError):
        return "reset"
    return errno.errorcode.get(error.errno, type(error).__name__)
