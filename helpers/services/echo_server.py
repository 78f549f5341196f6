"""Echo servers: each line that comes is sent back in capital letters, after `delay` seconds.

`services.echo(kind)` runs one of them as a process of its own. They differ in who waits, not in
what they answer: a line ends with a line feed (or where the client ends its half), the lines of one
connection are answered in order, one after another, and a line longer than `LONGEST` closes it. The
last two are those of the source [004], which don't know lines, and differ from each other.
"""

import asyncio
import functools
import socketserver
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from .service import serve

LONGEST = 2**16  # bytes of a line; asyncio's own limit, unless told


# A thread that waits


class Lines(socketserver.StreamRequestHandler):
    """Serves one client, and blocks while it waits."""

    disable_nagle_algorithm = True  # asyncio turns it off as well

    def handle(self):
        while line := self.rfile.readline(LONGEST + 1):
            if len(line) > LONGEST:
                return
            if self.server.delay:
                time.sleep(self.server.delay)
            self.wfile.write(line.upper())


class OneAtATime(socketserver.TCPServer):
    """Takes the next connection when the last is closed."""

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to speak of."""


class Threads(socketserver.ThreadingMixIn, OneAtATime):
    """A thread for each connection."""

    daemon_threads = True


class Pool(Threads):
    """As many threads as told, and no more: whoever comes later waits until one is free."""

    @functools.cached_property
    def pool(self):
        return ThreadPoolExecutor(self.workers)

    def process_request(self, request, client_address):
        self.pool.submit(self.process_request_thread, request, client_address)


def blocking(server_class, handler=Lines):
    """A function that serves with blocking calls, and does not return."""

    def run(sock, *, delay, backlog, workers):
        server = server_class(None, handler, bind_and_activate=False)
        server.socket.close()
        server.socket, server.delay, server.workers = sock, delay, workers
        server.serve_forever()

    return run


# An event loop that waits


async def lines(reader, writer, *, delay):
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

    def __init__(self, delay):
        self.delay, self.rest, self.waiting, self.ended = delay, b"", [], False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        *whole, self.rest = (self.rest + data).split(b"\n")
        if max(map(len, [*whole, self.rest])) >= LONGEST:
            self.transport.abort()
        else:
            self.take([line + b"\n" for line in whole])

    def eof_received(self):
        self.ended = True
        self.take([self.rest] if self.rest else [])
        return True  # don't close yet: some lines may still wait for their answer

    def take(self, lines):
        idle = not self.waiting
        self.waiting += lines
        if idle:
            self.proceed()

    def proceed(self):
        if not self.delay:
            # Not writelines, which up to 3.13.0 never calls pause_writing.
            self.transport.write(b"".join(self.waiting).upper())
            self.waiting.clear()
        if self.waiting:
            asyncio.get_running_loop().call_later(self.delay, self.answer)
        elif self.ended:
            self.transport.close()

    def answer(self):
        self.transport.write(self.waiting.pop(0).upper())
        self.proceed()

    # The client reads more slowly than it asks: take no more questions until it has caught up.

    def pause_writing(self):
        self.transport.pause_reading()

    def resume_writing(self):
        self.transport.resume_reading()


def on_a_loop(start, new_event_loop=asyncio.new_event_loop):
    """A function that serves on an event loop, and does not return.

    `start(sock, delay, backlog)` is a coroutine function that returns the server.
    """

    async def main(*settings):
        async with await start(*settings) as server:
            await server.serve_forever()

    def run(sock, *, delay, backlog, workers):
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(main(sock, delay, backlog))

    return run


def streams(sock, delay, backlog):
    return asyncio.start_server(functools.partial(lines, delay=delay), sock=sock, backlog=backlog)


def protocol(make):
    async def start(sock, delay, backlog):
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: make(delay), sock=sock, backlog=backlog)

    return start


def own_loop():
    from helpers import eventloop

    return eventloop.new_event_loop()


def fast_loop():
    import uvloop

    return uvloop.new_event_loop()


# As published by the source [004], without its prints; its 0.1 s is `delay` here


class MyTCPHandler(socketserver.BaseRequestHandler):
    def handle(self):
        # self.request is the TCP socket connected to the client
        self.data = self.request.recv(1024).strip()
        # DB request
        time.sleep(self.server.delay)  # sleep 100 milliseconds, simulating IO
        self.request.sendall(self.data.upper())


class EchoServerProtocol(asyncio.Protocol):
    def __init__(self, delay):
        self.delay = delay

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        message = data.decode()
        task = asyncio.get_running_loop().create_task(self.simulate_network_io(message))  # noqa
        task.add_done_callback(self.handle_network_io_result)

    async def simulate_network_io(self, message: str):
        # DB request
        return await asyncio.sleep(self.delay, result=message.upper())

    def handle_network_io_result(self, task):
        message = task.result()
        self.transport.write(bytes(message, "utf-8"))
        self.transport.close()


KINDS = {
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


async def start(sock, log, kind, **settings):
    """Serve in a thread, so that every kind finds the process in the same state.

    The log stays empty: to note each message would cost as much as to answer it.
    """
    sock.listen(settings["backlog"])  # from now on clients may come, whenever the thread is there
    threading.Thread(target=KINDS[kind], args=(sock,), kwargs=settings, daemon=True).start()


if __name__ == "__main__":
    serve(start)
