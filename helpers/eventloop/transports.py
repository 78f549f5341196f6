"""Stage 5, the connections: a transport brings bytes to a protocol and takes what it writes.

Protocols are asyncio's (streams are one) or anybody's; they know nothing of sockets.
"""

import asyncio
import contextlib
import socket
from collections import deque
from itertools import islice

from .sockets import READ, WRITE

MOST = 256 * 1024  # bytes taken from a socket at once
PIECES = 1024  # handed to a socket at once: no system takes fewer
NOT_YET = BlockingIOError, InterruptedError


class Transport(asyncio.Transport):
    """One connection: hands what comes to the protocol, and sends what it is given to write."""

    _start_tls_compatible = True  # asyncio's TLS asks for this, and for `_force_close`

    def __init__(self, loop, sock, forget=lambda transport: None):
        extra = {"socket": sock, "sockname": sock.getsockname(), "peername": None}
        with contextlib.suppress(OSError):  # it has hung up already, or it is not TCP
            extra["peername"] = sock.getpeername()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(extra)
        self.loop, self.sock, self.number, self.forget = loop, sock, sock.fileno(), forget
        loop.free(sock)
        loop.transports[self.number] = self
        self.buffer, self.size = deque(), 0  # what could not be sent yet, and how many bytes
        self.reading = False
        self.closing = False  # nothing is read any more
        self.lost = False  # nor written: the protocol is told soon, or has been
        self.ended = self.full = False
        self.low, self.high = 16 * 1024, 64 * 1024  # bytes, as asyncio's

    def __repr__(self):
        state = "closed" if self.lost else "closing" if self.closing else "open"
        return f"<{type(self).__name__} fd={self.number} {state}>"

    def begin(self, protocol):
        """Bring the connection to a protocol. One that fails loses it."""
        self.set_protocol(protocol)
        if self.told(protocol.connection_made, self):
            self.resume_reading()

    def get_protocol(self):
        return self.protocol

    def set_protocol(self, protocol):
        self.protocol = protocol
        self.buffered = isinstance(protocol, asyncio.BufferedProtocol)

    def is_closing(self):
        return self.closing

    def told(self, method, *arguments):
        """Call a method of the protocol. Its own error is reported, and ends the connection."""
        try:
            method(*arguments)
        except (Exception, asyncio.CancelledError) as error:
            self.fail(error)
            return False
        return True

    # Reading

    def is_reading(self):
        return self.reading

    def resume_reading(self):
        if not self.closing and not self.reading:
            self.reading = True
            self.loop.listen(self.sock, self.number, READ, self.read)

    def pause_reading(self):
        if self.reading:
            self.reading = False
            self.loop.unlisten(self.number, READ)

    def read(self):
        """Take what has come, and hand it over."""
        protocol = self.protocol
        try:
            buffer = room(protocol) if self.buffered else None
        except (Exception, asyncio.CancelledError) as error:
            return self.fail(error)
        try:
            got = self.sock.recv(MOST) if buffer is None else self.sock.recv_into(buffer)
        except NOT_YET:
            return
        except OSError as error:
            return self.lose(error)
        if not got:
            self.told(self.read_eof)
        else:
            self.told(protocol.buffer_updated if self.buffered else protocol.data_received, got)

    def read_eof(self):
        if self.protocol.eof_received():  # the protocol has something to send yet
            self.pause_reading()
        else:
            self.close()

    # Writing

    def get_write_buffer_size(self):
        return self.size

    def get_write_buffer_limits(self):
        return self.low, self.high

    def set_write_buffer_limits(self, high=None, low=None):
        if high is None:
            high = 65536 if low is None else 4 * low
        if low is None:
            low = high // 4
        if not high >= low >= 0:
            raise ValueError(f"high ({high!r}) must be >= low ({low!r}) must be >= 0")
        self.low, self.high = low, high
        self.hold_back()

    def can_write_eof(self):
        return True

    def write(self, data):
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"data argument must be a bytes-like object, not {type(data).__name__!r}"
            )
        if self.ended:
            raise RuntimeError("Cannot call write() after write_eof(): the end has been sent")
        if self.lost or not data:
            return
        if not isinstance(data, bytes):
            data = memoryview(data).cast("B")  # its length is in bytes now
        if not self.buffer:
            try:
                sent = self.sock.send(data)
            except NOT_YET:
                sent = 0
            except OSError as error:
                return self.lose(error)
            if sent == len(data):
                return
            data = memoryview(data)[sent:]
            self.loop.listen(self.sock, self.number, WRITE, self.flush)
        data = memoryview(data)
        if not isinstance(data.obj, bytes):
            data = memoryview(bytes(data))  # whoever wrote it may write into it
        self.buffer.append(data)
        self.size += len(data)
        self.hold_back()

    def write_eof(self):
        if self.closing or self.ended:
            return
        self.ended = True
        if not self.buffer:
            self.sock.shutdown(socket.SHUT_WR)

    def hold_back(self):
        """Ask the protocol to pause where too much waits here."""
        if self.size > self.high and not self.full:
            self.full = True
            self.told(self.protocol.pause_writing)

    def flush(self):
        """Send what can be sent now; once it is all sent, send the end or close."""
        try:
            self.sent(send_pieces(self.sock, self.buffer))
        except NOT_YET:
            return
        except OSError as error:
            return self.lose(error)
        if self.full and self.size <= self.low:
            self.full = False
            self.told(self.protocol.resume_writing)  # which may write, and fill the buffer again
        if not self.buffer:
            self.loop.unlisten(self.number, WRITE)
            if self.closing:
                self.part(None)
            elif self.ended:
                self.sock.shutdown(socket.SHUT_WR)

    def sent(self, number):
        """So many bytes are gone."""
        self.size -= number
        while number:
            piece = self.buffer.popleft()
            if number < len(piece):
                self.buffer.appendleft(piece[number:])
                return
            number -= len(piece)

    # Ending

    def close(self):
        self.pause_reading()
        self.closing = True
        if not self.buffer:
            self.part(None)

    def abort(self):
        self.lose(None)

    def fail(self, error):
        """The protocol raised an error."""
        self.loop.call_exception_handler(
            {
                "message": "Error in a protocol",
                "exception": error,
                "transport": self,
                "protocol": self.protocol,
            }
        )
        self.lose(error)

    def lose(self, error):
        """The connection is of no use any more: what was not sent is lost."""
        self.buffer.clear()
        self.size, self.full = 0, False
        self.loop.unlisten(self.number, WRITE)
        self.pause_reading()
        self.closing = True
        self.part(error)

    _force_close = lose

    def part(self, error):
        """Have the protocol told once, in a turn of its own."""
        if not self.lost:
            self.lost = True
            self.loop.call_soon(self.end, error)

    def end(self, error):
        try:
            self.protocol.connection_lost(error)
        finally:
            self.sock.close()
            self.forget(self)


def room(protocol):
    """Return the buffer that a protocol wants filled; RuntimeError for one without room."""
    buffer = protocol.get_buffer(-1)
    if not len(buffer):
        raise RuntimeError("get_buffer() returned an empty buffer")
    return buffer


def send_pieces(sock, pieces):
    """Send what can be sent of the first pieces; return the number of bytes."""
    if hasattr(sock, "sendmsg"):
        return sock.sendmsg(islice(pieces, PIECES))
    return sock.send(pieces[0])  # Windows
