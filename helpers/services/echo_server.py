"""Echo servers: each line that comes is sent back in capital letters, after `delay` seconds.

`services.echo(kind)` runs one of them as a process of its own. They differ in who waits, not in
what they answer: a line ends with a line feed (or where the client ends its half), the lines of one
connection are answered in order, one after another, and a line longer than `LONGEST` closes it. The
last two are those of `published`, which don't know lines, and differ from each other.
"""

import asyncio
import functools
import socket
import socketserver
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from .published import EchoServerProtocol, MyTCPHandler
from .service import serve

LONGEST = 2**16  # bytes of a line; asyncio's own limit, unless told


class Serve(Protocol):
    """Serves on a bound socket that listens already, and does not return."""

    def __call__(self, sock: socket.socket, *, delay: float, backlog: int, workers: int) -> None:
        """The settings are those of `services.echo`."""


# A thread that waits


class Lines(socketserver.StreamRequestHandler):
    """Serves one client, and blocks while it waits."""

    disable_nagle_algorithm = True  # asyncio turns it off as well

    def handle(self) -> None:
        while line := self.rfile.readline(LONGEST + 1):
            if len(line) > LONGEST:
                return
            if self.server.delay:
                time.sleep(self.server.delay)
            self.wfile.write(line.upper())


class OneAtATime(socketserver.TCPServer):
    """Takes the next connection when the last is closed."""

    def handle_error(self, request: socket.socket, client_address: object) -> None:
        """A client that goes away is nothing to speak of."""


class Threads(socketserver.ThreadingMixIn, OneAtATime):
    """A thread for each connection."""

    daemon_threads = True


class Pool(Threads):
    """As many threads as told, and no more: whoever comes later waits until one is free."""

    @functools.cached_property
    def pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.workers)

    def process_request(self, request: socket.socket, client_address: object) -> None:
        self.pool.submit(self.process_request_thread, request, client_address)


def blocking(
    server_class: type[socketserver.TCPServer],
    handler: type[socketserver.BaseRequestHandler] = Lines,
) -> Serve:
    """Serve with blocking calls."""

    def run(sock: socket.socket, *, delay: float, backlog: int, workers: int) -> None:
        server = server_class(None, handler, bind_and_activate=False)
        server.socket.close()
        server.socket, server.delay, server.workers = sock, delay, workers
        server.serve_forever()

    return run


# An event loop that waits


async def lines(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, delay: float
) -> None:
    """Serve one client, with asyncio's streams."""
    try:
        while line := await reader.readline():
            if delay:
                await asyncio.sleep(delay)
            writer.write(line.upper())
            await writer.drain()
    except (ValueError, ConnectionError):  # a line too long, or a client that went away
        pass
    finally:
        writer.close()


class LinesProtocol(asyncio.Protocol):
    """Serves one client: asyncio calls a method whenever something has happened."""

    def __init__(self, delay: float) -> None:
        self.delay, self.rest, self.waiting, self.ended = delay, b"", [], False

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *whole, self.rest = (self.rest + data).split(b"\n")
        if max(map(len, [*whole, self.rest])) >= LONGEST:
            self.transport.abort()
        else:
            self.take([line + b"\n" for line in whole])

    def eof_received(self) -> bool:
        self.ended = True
        self.take([self.rest] if self.rest else [])
        return True  # don't close yet: some lines may still wait for their answer

    def take(self, lines: list[bytes]) -> None:
        idle = not self.waiting
        self.waiting += lines
        if idle:
            self.proceed()

    def proceed(self) -> None:
        if not self.delay:
            # Not writelines, which up to 3.13.0 never calls pause_writing.
            self.transport.write(b"".join(self.waiting).upper())
            self.waiting.clear()
        if self.waiting:
            asyncio.get_running_loop().call_later(self.delay, self.answer)
        elif self.ended:
            self.transport.close()

    def answer(self) -> None:
        self.transport.write(self.waiting.pop(0).upper())
        self.proceed()

    # The client reads more slowly than it asks: take no more questions until it has caught up.

    def pause_writing(self) -> None:
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        self.transport.resume_reading()


Start = Callable[[socket.socket, float, int], Awaitable[asyncio.Server]]
"""`await start(sock, delay, backlog)` begins to serve on the running loop."""


def on_a_loop(
    start: Start,
    new_event_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> Serve:
    """Serve on an event loop."""

    async def main(sock: socket.socket, delay: float, backlog: int) -> None:
        async with await start(sock, delay, backlog) as server:
            await server.serve_forever()

    def run(sock: socket.socket, *, delay: float, backlog: int, workers: int) -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(main(sock, delay, backlog))

    return run


def streams(sock: socket.socket, delay: float, backlog: int) -> Awaitable[asyncio.Server]:
    """Begin to serve with asyncio's streams."""
    return asyncio.start_server(functools.partial(lines, delay=delay), sock=sock, backlog=backlog)


def protocol(make: Callable[[float], asyncio.Protocol]) -> Start:
    """Begin to serve with a protocol for each client, made with the delay."""

    async def start(sock: socket.socket, delay: float, backlog: int) -> asyncio.Server:
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: make(delay), sock=sock, backlog=backlog)

    return start


def own_loop() -> asyncio.AbstractEventLoop:
    """A loop of `helpers.eventloop`."""
    from helpers import eventloop

    return eventloop.new_event_loop()


def fast_loop() -> asyncio.AbstractEventLoop:
    """A loop of uvloop, which Windows doesn't have."""
    import uvloop

    return uvloop.new_event_loop()


KINDS: dict[str, Serve] = {
    "one at a time": blocking(OneAtATime),
    "threads": blocking(Threads),
    "pool": blocking(Pool),
    "protocol": on_a_loop(protocol(LinesProtocol)),
    "streams": on_a_loop(streams),
    "own loop": on_a_loop(streams, own_loop),
    "uvloop": on_a_loop(streams, fast_loop),
    "published, threaded": blocking(socketserver.TCPServer, MyTCPHandler),
    "published, async": on_a_loop(protocol(EchoServerProtocol)),
}


async def start(
    sock: socket.socket, log: list[tuple], kind: str, *, delay: float, backlog: int, workers: int
) -> None:
    """Serve in a thread, so that every kind finds the process in the same state.

    The log stays empty: to note each message would cost as much as to answer it.
    """
    sock.listen(backlog)  # from now on clients may come, whenever the thread is there
    settings = {"delay": delay, "backlog": backlog, "workers": workers}
    threading.Thread(target=KINDS[kind], args=(sock,), kwargs=settings, daemon=True).start()


if __name__ == "__main__":
    serve(start)
