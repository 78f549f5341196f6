"""Stage 5, the connections: a transport brings bytes to a protocol and takes what it writes.

Protocols are asyncio's (streams are one) or anybody's; they know nothing of sockets.
"""

import asyncio
import contextlib
import socket

from .sockets import WRITE

MOST = 256 * 1024  # bytes taken from a socket at once


class Transport(asyncio.Transport):
    """One connection: hands what comes to the protocol, and sends what it is given to write."""

    def __init__(self, loop, sock, protocol, forget=lambda transport: None):
        sock.setblocking(False)
        extra = {"socket": sock, "sockname": sock.getsockname()}
        with contextlib.suppress(OSError):  # it has hung up already, or it is not TCP
            extra["peername"] = sock.getpeername()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(extra)
        self.loop, self.sock, self.protocol, self.forget = loop, sock, protocol, forget
        self.buffer = bytearray()  # what could not be sent yet
        self.closing = self.ended = self.full = False
        self.error = None  # why the connection was lost
        self.set_write_buffer_limits()
        self.resume_reading()
        protocol.connection_made(self)

    def get_protocol(self):
        return self.protocol

    def set_protocol(self, protocol):
        self.protocol = protocol

    def is_closing(self):
        return self.closing

    def get_write_buffer_size(self):
        return len(self.buffer)

    def get_write_buffer_limits(self):
        return self.low, self.high

    def can_write_eof(self):
        return True

    def abort(self):
        self.lose(None)

    def set_write_buffer_limits(self, high=None, low=None):
        self.high = high if high is not None else 65536 if low is None else 4 * low
        self.low = self.high // 4 if low is None else low

    def resume_reading(self):
        if not self.closing:
            self.loop.add_reader(self.sock, self.read)

    def pause_reading(self):
        self.loop.remove_reader(self.sock)

    def read(self):
        try:
            data = self.sock.recv(MOST)
            if data:
                self.protocol.data_received(data)
            elif self.protocol.eof_received():  # the protocol has something to send yet
                self.pause_reading()
            else:
                self.close()
        except BlockingIOError:
            pass
        except Exception as error:
            self.lose(error)

    def write(self, data):
        if self.ended:
            raise RuntimeError("write() after write_eof(): the end has been sent already")
        if not self.closing:
            idle = not self.buffer
            self.buffer += data
            if idle:
                self.flush()
            if len(self.buffer) > self.high and not self.full:
                self.full = True
                self.protocol.pause_writing()

    def write_eof(self):
        self.ended = True
        if not self.buffer:
            self.flush()

    def close(self):
        self.closing = True
        self.pause_reading()
        if not self.buffer:
            self.flush()

    def flush(self):
        """Send what can be sent now; once it is all sent, send the end or close."""
        try:
            if self.buffer:
                del self.buffer[: self.sock.send(self.buffer)]
            if self.full and len(self.buffer) <= self.low:
                self.full = False
                self.protocol.resume_writing()
        except BlockingIOError:
            pass
        except OSError as error:
            return self.lose(error)
        if self.buffer:
            self.loop.watch(self.sock, WRITE, lambda: self.loop.ready.append(self.flush))
        elif self.closing:
            self.loop.call_soon(self.end)
        elif self.ended:
            self.sock.shutdown(socket.SHUT_WR)

    def lose(self, error):
        """The connection is of no use any more: what was not sent is lost."""
        if error is not None and not isinstance(error, OSError):
            self.loop.call_exception_handler(
                {"message": "Error in a protocol", "exception": error, "transport": self}
            )
        self.error, self.full = error, False
        self.buffer.clear()
        self.close()

    def end(self):
        if self.sock.fileno() >= 0:  # it may be closed twice
            self.loop.close_socket(self.sock)
            self.forget(self)
            self.protocol.connection_lost(self.error)


class Server(asyncio.AbstractServer):
    """Accepts connections and makes a protocol and a transport of each."""

    def __init__(self, loop, listeners, factory, backlog):
        self.loop, self.sockets, self.factory, self.backlog = loop, listeners, factory, backlog
        self.transports, self.ended, self.serving = set(), asyncio.Event(), False

    def get_loop(self):
        return self.loop

    def is_serving(self):
        return self.serving

    async def wait_closed(self):
        await self.ended.wait()

    async def start_serving(self):
        self.serving = True
        for listener in self.sockets:
            listener.setblocking(False)
            listener.listen(self.backlog)
            self.loop.add_reader(listener, self.accept, listener)

    def accept(self, listener):
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            sock, _ = listener.accept()
            self.transports.add(Transport(self.loop, sock, self.factory(), self.forget))

    async def serve_forever(self):
        async with self:
            await self.start_serving()
            await self.loop.create_future()

    def close(self):
        for listener in self.sockets:
            self.loop.remove_reader(listener)
            self.loop.close_socket(listener)
        self.sockets, self.serving = (), False
        self.forget(None)

    def forget(self, transport):
        self.transports.discard(transport)
        if not self.sockets and not self.transports:
            self.ended.set()
