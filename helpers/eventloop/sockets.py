"""Stage 4, sockets: the loop waits for the network and for its timers in one place, the selector.

async def echo(sock):
    while data := await recv(sock, 4096):
        await send_all(sock, data)
"""

import contextlib
import errno
import os
import selectors
import socket
import types
from functools import partial

from . import tasks

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
GLANCE = 1.0  # seconds: after so long a wait the loop looks for sockets closed behind its back


@types.coroutine
def until(sock, event):
    """Wait until the socket can be read (READ) or written (WRITE)."""
    yield lambda loop, wake: loop.watch(sock, event, wake)
    if sock.fileno() < 0:
        raise OSError(
            errno.EBADF,
            "The socket was closed while a task waited for it. "
            "Cancel the task before you close its socket.",
        )


async def recv(sock, most):
    """Return what has come, at most `most` bytes; b"" once the other side has sent its last."""
    await until(sock, READ)
    try:
        return sock.recv(most)
    except BlockingIOError:  # the system may wake a reader for nothing
        return await recv(sock, most)


async def send_all(sock, data):
    """Send all of `data`, however many times the socket takes only a part of it."""
    data = memoryview(data)
    while data:
        try:
            data = data[sock.send(data) :]
        except BlockingIOError:  # the other side reads slower than this one sends
            await until(sock, WRITE)


async def accept(listener):
    """Return the next connection, ready for `recv` and `send_all`, and its address."""
    await until(listener, READ)
    try:
        sock, address = listener.accept()
    except (BlockingIOError, ConnectionAbortedError):  # the client went away meanwhile
        return await accept(listener)
    sock.setblocking(False)
    return sock, address


async def connect(sock, address):
    """Connect the socket to (host, port). Raises OSError where nobody listens."""
    failed = sock.connect_ex(address)
    if failed in (errno.EINPROGRESS, errno.EWOULDBLOCK):
        await until(sock, WRITE)
        failed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if failed:
        raise OSError(failed, f"connect to {address}: {os.strerror(failed)}")


class Loop(tasks.Loop):
    """Runs tasks that talk over the network, and listens to other threads."""

    def __init__(self):
        super().__init__()
        self.closed = False
        self.selector = selectors.DefaultSelector()
        self.watching = {}  # number of a socket → (socket, {READ: function, WRITE: function})
        self.inside, self.outside = socket.socketpair()  # a byte sent to itself wakes the loop
        self.inside.setblocking(False)
        self.outside.setblocking(False)
        self.watch(self.inside, READ, self.hear)

    def hear(self):
        """Take the bytes that have come from other threads, and wait for the next."""
        self.inside.recv(4096)
        return self.hear

    def call_soon_threadsafe(self, function, *arguments):
        """From another thread: have the loop call it in its own thread, and wake the loop."""
        self.check_open()
        self.ready.append(partial(function, *arguments))
        with contextlib.suppress(BlockingIOError):  # so many bytes wait there that it will wake
            self.outside.send(b"\0")

    def run(self, coro):
        """Run a coroutine to its end and return its result; tasks that are left are cancelled.

        Then the loop is closed: it runs once.
        """
        self.check_open()
        with contextlib.closing(self):
            return super().run(coro)

    def check_open(self):
        if self.closed:
            raise RuntimeError("Event loop is closed: make a new one.")

    def close(self):
        """Give the system its files back."""
        self.closed = True
        self.watching.clear()
        for file in self.selector, self.inside, self.outside:
            file.close()

    def watch(self, sock, event, function):
        """Call it when the socket can be read or written; return what takes that back.

        It returns what is to be called the next time: None, if it has no next time.
        """
        number = sock.fileno()
        if number < 0:
            raise OSError(errno.EBADF, "This socket is closed.")
        known, waiting = self.watching.get(number, (None, {}))
        if known is not sock:  # a new one; or one that has got the number of one that was closed
            self.drop(number)
            self.watching[number] = sock, (waiting := {})
        if waiting.get(event):
            raise RuntimeError(
                f"Somebody waits for {sock} already. Two readers would each get a "
                "part of what comes: let one task read for both."
            )
        new, waiting[event] = event not in waiting, function
        if new:
            self.register(number, waiting)
        # The selector watches on: who read once will read again, and to tell it twice for each
        # read would cost more than the read.
        return partial(waiting.__setitem__, event, None)

    def register(self, number, waiting):
        """Have the selector watch for these events, and no others."""
        with contextlib.suppress(KeyError, ValueError):  # it is a new one, or closed by now
            self.selector.unregister(number)
        if waiting:
            self.selector.register(number, sum(waiting), waiting)

    def drop(self, number):
        """Forget a socket; wake whoever waits for it."""
        _, waiting = self.watching.pop(number, (None, {}))
        self.register(number, {})
        for function in filter(None, waiting.values()):
            function()

    def close_socket(self, sock):
        """Close a socket; a task that waits for it gets an OSError."""
        self.drop(sock.fileno())
        sock.close()

    def wait(self):
        """Look at the sockets, or wait for them. Then wake all whose time has come."""
        if self.ready and len(self.watching) > 1:  # its own is for a loop that waits
            self.pause(0)
        super().wait()

    def pause(self, seconds):
        """Wait for the sockets and other threads, at most so many seconds (None: for ever)."""
        limit = GLANCE if seconds is None else min(max(0, seconds), GLANCE)
        try:
            happened = self.selector.select(limit)
        except OSError:  # one is closed, and this kind of selector says so
            happened, limit = [], GLANCE
        for key, events in happened:
            for event in READ, WRITE:
                if events & event:
                    if key.data[event] is None:  # nobody waits: the selector would tell for ever
                        del key.data[event]
                        self.register(key.fd, key.data)
                    else:
                        key.data[event] = key.data[event]()
        if limit == GLANCE and not happened:
            for number, (sock, _) in list(self.watching.items()):
                if sock.fileno() < 0:
                    self.drop(number)
