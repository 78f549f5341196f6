"""Stage 5, the listeners: a server accepts connections and makes a protocol of each."""

import asyncio
import contextlib
import errno
import os
import socket
from contextvars import copy_context

from .sockets import READ
from .transports import NOT_YET, Transport

REST = 1.0  # seconds that a server rests where the system has no file left for a connection
NO_FILES = errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM


class Server(asyncio.AbstractServer):
    """Accepts connections and makes a protocol and a transport of each."""

    def __init__(self, loop, listeners, factory, backlog):
        self.loop, self.sockets, self.factory, self.backlog = loop, listeners, factory, backlog
        self.transports, self.ended, self.serving = set(), asyncio.Event(), False
        self.forever = None  # the future that `serve_forever` awaits

    def __repr__(self):
        return f"<{type(self).__name__} sockets={self.sockets!r}>"

    def get_loop(self):
        return self.loop

    def is_serving(self):
        return self.serving

    async def wait_closed(self):
        await self.ended.wait()

    async def start_serving(self):
        if self.serving:
            return
        self.serving = True
        for listener in self.sockets:
            listener.setblocking(False)
            listener.listen(self.backlog)
            self.listen(listener)

    def listen(self, listener):
        if self.serving:
            self.loop.listen(listener, listener.fileno(), READ, self.accept, (listener,))

    def accept(self, listener):
        """Accept all who have come."""
        for _ in range(max(1, self.backlog)):
            try:
                sock, _ = listener.accept()
            except (*NOT_YET, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in NO_FILES:
                    raise
                self.rest(listener, error)
                return
            copy_context().run(self.connect, sock)

    def rest(self, listener, error):
        """Look away for a while: the listener would be ready, and fail, again and again."""
        message = "A server rests: the system has no file left for a connection"
        self.loop.call_exception_handler(
            {"message": message, "exception": error, "socket": listener}
        )
        self.loop.unlisten(listener.fileno(), READ)
        self.loop.call_later(REST, self.listen, listener)

    def connect(self, sock):
        sock.setblocking(False)
        try:
            transport = Transport(self.loop, sock, self.forget)
            protocol = self.factory()
        except BaseException:
            sock.close()
            raise
        self.transports.add(transport)
        transport.begin(protocol)

    async def serve_forever(self):
        if self.forever is not None:
            raise RuntimeError(f"server {self!r} is already being awaited on serve_forever()")
        if not self.sockets:
            raise RuntimeError(f"server {self!r} is closed")
        self.forever = self.loop.create_future()
        try:
            async with self:
                await self.start_serving()
                await self.forever
        finally:
            self.forever = None

    def close(self):
        for listener in self.sockets:
            self.loop.unlisten(listener.fileno(), READ)
            listener.close()
        self.sockets, self.serving = (), False
        if self.forever is not None:
            self.forever.cancel()
        self.forget(None)

    def close_clients(self):
        for transport in list(self.transports):
            transport.close()

    def abort_clients(self):
        for transport in list(self.transports):
            transport.abort()

    def forget(self, transport):
        self.transports.discard(transport)
        if not self.sockets and not self.transports:
            self.ended.set()


def bound(addresses, options):
    """Return a listener for each address that getaddrinfo found; OSError where one is taken.

    options: names of socket options, and whether they are on.
    """
    with contextlib.ExitStack() as undo:
        listeners = []
        for family, kind, proto, _, address in addresses:
            sock = undo.enter_context(socket.socket(family, kind, proto))
            for option, on in options.items():
                if on:
                    sock.setsockopt(socket.SOL_SOCKET, getattr(socket, option), True)
            if family == socket.AF_INET6:  # or it would listen at IPv4's address as well
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, True)
            try:
                sock.bind(address)
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:  # IPv6 may be switched off
                    sock.close()
                    continue
                words = os.strerror(error.errno)
                raise OSError(error.errno, f"listen at {address}: {words}") from None
            listeners.append(sock)
        if not listeners:
            raise OSError(f"could not bind on any address out of {[info[4] for info in addresses]}")
        undo.pop_all()
    return tuple(listeners)
