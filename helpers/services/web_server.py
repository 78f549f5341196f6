"""The servers behind ``services.web`` and ``services.instant``: others' own, as they are run.

The application comes from the notebook by value (cloudpickle), so a lesson shows all of it.
"""

import asyncio
import base64
import inspect
import itertools
import signal
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable

import cloudpickle

from .service import BACKLOG, HOST, serve

POLLED_CONNECTIONS = 2000  # open at once, of waitress: 100 unless told
INSTANT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Notes:
    """What each request becomes in the log that ``Service.log`` reads."""

    def __init__(self, log: list[tuple]) -> None:
        self.log = log
        self.lock = threading.Lock()  # several threads append
        numbers = itertools.count(1)
        self.connections = defaultdict(lambda: next(numbers))

    def arrived(self, path: str, query: str, client: object) -> int:
        """Note a request; return its place in the log."""
        with self.lock:
            number = self.connections[client]
            page = f"{path}?{query}" if query else path
            self.log.append((page, number, time.perf_counter(), None, None))
            return len(self.log) - 1

    def answered(self, place: int, status: int) -> None:
        """Note its answer: the moment when the application gave the status."""
        self.log[place] = (*self.log[place][:3], time.perf_counter(), status)


def noted_wsgi(app: Callable, notes: Notes) -> Callable:
    """The same application, its requests noted."""

    def noted(environ, start_response):
        client = environ.get("REMOTE_ADDR"), environ.get("REMOTE_PORT")
        place = notes.arrived(environ["PATH_INFO"], environ.get("QUERY_STRING"), client)

        def start(status, *more):
            notes.answered(place, int(status.split()[0]))
            return start_response(status, *more)

        return app(environ, start)

    return noted


def noted_asgi(app: Callable, notes: Notes) -> Callable:
    """The same application, its requests noted; what is no request goes by."""

    async def noted(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        query = scope["query_string"].decode("latin-1")
        place = notes.arrived(scope["path"], query, tuple(scope["client"]))

        async def note_and_send(message):
            if message["type"] == "http.response.start":
                notes.answered(place, message["status"])
            await send(message)

        return await app(scope, receive, note_and_send)

    return noted


class Instant(asyncio.Protocol):
    """Answers whatever ends like a request, with the same bytes and at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport, self.tail = transport, b""

    def data_received(self, data: bytes) -> None:
        data = self.tail + data
        self.transport.write(INSTANT * data.count(b"\r\n\r\n"))
        self.tail = data[-3:] if not data.endswith(b"\r\n\r\n") else b""


async def instant(sock: socket.socket) -> asyncio.Server:
    """Serve nothing but the fixed answer."""
    return await asyncio.get_running_loop().create_server(Instant, sock=sock, backlog=BACKLOG)


def development(sock: socket.socket, app: Callable, threads: int | None) -> object:
    """Serve with werkzeug's server, which ``app.run()`` of Flask starts."""
    from werkzeug.serving import LISTEN_QUEUE, make_server

    sock.listen(LISTEN_QUEUE)  # a socket that it is given must listen already
    port = sock.getsockname()[1]
    server = make_server(HOST, port, app, threaded=threads is None, fd=sock.fileno())
    return _in_a_thread(server.serve_forever)


def waitress(sock: socket.socket, app: Callable, threads: int | None) -> object:
    """Serve with waitress, by as many threads as told; 4 are its own default."""
    from waitress import create_server

    server = create_server(
        app,
        sockets=[sock],
        threads=threads or 4,
        connection_limit=POLLED_CONNECTIONS,
        # Its select() takes no file number above 1023, and is nowhere slower than poll here.
        asyncore_use_poll=True,
    )
    return _in_a_thread(server.run)


async def uvicorn(sock: socket.socket, app: Callable) -> object:
    """Serve with uvicorn: one loop, in this thread."""
    from uvicorn import Config, Server

    server = Server(Config(app, log_level="error", access_log=False))
    serving = asyncio.create_task(server.serve([sock]))
    while not server.started:
        if serving.done():
            serving.result()
            raise RuntimeError("The application's startup failed.")
        await asyncio.sleep(0.01)
    # It would end at an interrupt, and the stop button interrupts all processes of a notebook.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return serving


def _in_a_thread(serve_forever: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=serve_forever, daemon=True)
    thread.start()
    return thread


def application(pickled: str) -> Callable:
    """Unpack an application; a function without parameters makes it."""
    app = cloudpickle.loads(base64.b64decode(pickled))
    if inspect.isfunction(app) and not inspect.signature(app).parameters:
        app = app()
    return app


def is_asgi(app: Callable) -> bool:
    """Does calling it give a coroutine? Then it is an ASGI application, else a WSGI one."""
    return inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(type(app).__call__)


async def start(
    sock: socket.socket, log: list[tuple], app: str | None, server: str, threads: int | None
) -> object:
    """Serve ``app`` on ``sock``; the settings are those of ``services.web``."""
    if server == "instant":
        return await instant(sock)
    app, notes = application(app), Notes(log)
    if is_asgi(app) != (server == "uvicorn"):
        kinds = ("an ASGI", "WSGI") if is_asgi(app) else ("a WSGI", "ASGI")
        raise TypeError(f"{app!r} is {kinds[0]} application, and {server} serves {kinds[1]}.")
    if server == "uvicorn":
        return await uvicorn(sock, noted_asgi(app, notes))
    return {"development": development, "waitress": waitress}[server](
        sock, noted_wsgi(app, notes), threads
    )


if __name__ == "__main__":
    serve(start)
