"""What the servers made with aiohttp share: how they begin, and how they note what is asked."""

import itertools
import socket
import time
from weakref import WeakKeyDictionary

from aiohttp import web

from .service import BACKLOG


class Notes:
    """What each request becomes in the log that ``Service.log`` reads."""

    def __init__(self, log: list[tuple]) -> None:
        self.log = log
        self.connections, self.numbers = WeakKeyDictionary(), itertools.count(1)

    def arrived(self, request: web.Request) -> int:
        """Note a request; return its place in the log."""
        number = self.connections.get(request.transport)
        if number is None:
            number = self.connections[request.transport] = next(self.numbers)
        self.log.append((request.path_qs, number, time.perf_counter(), None, None))
        return len(self.log) - 1

    def answered(self, place: int, status: int | None) -> None:
        """Note its answer: a status, or None where the connection is closed instead."""
        # One store, for the log is read from another thread.
        self.log[place] = (*self.log[place][:3], time.perf_counter(), status)


async def listen(app: web.Application, sock: socket.socket) -> web.AppRunner:
    """Serve an application on a bound socket, until what is returned is cleaned up."""
    # Without cancellation a request would hold its place after its client has given up.
    runner = web.AppRunner(app, access_log=None, handle_signals=False, handler_cancellation=True)
    await runner.setup()
    await web.SockSite(runner, sock, backlog=BACKLOG).start()
    return runner
