"""Stage 5, the connections: a transport brings bytes to a protocol and takes what it writes.

Protocols are asyncio's (streams are one) or anybody's; they know nothing of sockets.
"""

import asyncio
import contextlib
import socket
import types

MOST = 256 * 1024  # bytes taken from a socket at once


class Transport(asyncio.Transport):
    """One connection: hands what comes to the protocol, and sends what it is given to write."""

    def __init__(self, loop, sock, protocol, server=None):
        sock.setblocking(False)
        extra = {"socket": sock, "sockname": sock.getsockname()}
        with contextlib.suppress(OSError):  # it has hung up already, or it is not TCP
            extra["peername"] = sock.getpeername()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(extra)
        self.loop, self.sock, self.protocol, self.server = loop, sock, protocol, server
        self.buffer = bytearray()  # what could not be sent yet
        self.reading = self.closing = self.ended = self.full = False
        self.set_write_buffer_limits()
        if server is not None:
            server.transports.add(self)
        loop.call_soon(protocol.connection_made, self)
        loop.call_soon(self.resume_reading)

    def get_protocol(self): return self.protocol
    def set_protocol(self, protocol): self.protocol = protocol
    def is_closing(self): return self.closing
    def is_reading(self): return self.reading
    def get_write_buffer_size(self): return len(self.buffer)
    def get_write_buffer_limits(self): return self.low, self.high
    def can_write_eof(self): return True
    def abort(self): self.lose(None)

    def set_write_buffer_limits(self, high=None, low=None):
        self.high = high if high is not None else 65536 if low is None else 4 * low
        self.low = self.high // 4 if low is None else low
        if not self.high >= self.low >= 0:
            raise ValueError(f"high ({self.high!r}) must be >= low ({self.low!r}) must be >= 0")

    def resume_reading(self):
        if not self.reading and not self.closing:
            self.reading = True
            self.loop.add_reader(self.sock, self.read)

    def pause_reading(self):
        self.reading = False
        self.loop.remove_reader(self.sock)

    def read(self):
        protocol = self.protocol
        try:
            if isinstance(protocol, asyncio.BufferedProtocol):
                deliver, data = protocol.buffer_updated, self.sock.recv_into(protocol.get_buffer(-1))
            else:
                deliver, data = protocol.data_received, self.sock.recv(MOST)
            if data:
                deliver(data)
            elif protocol.eof_received():  # the protocol has something to send yet
                self.pause_reading()
            else:
                self.close()
        except BlockingIOError:
            pass
        except Exception as error:
            self.lose(error)

    def send(self, data):
        """Send what can be sent at once; return how many bytes that was."""
        try:
            return self.sock.send(data)
        except BlockingIOError:
            pass
        except OSError as error:
            self.lose(error)
        return 0

    def write(self, data):
        if self.ended:
            raise RuntimeError("write() after write_eof(): the end has been sent already")
        if not self.buffer and not self.closing:
            data = data[self.send(data):]
            if data and not self.closing:  # it may have been lost just now
                self.loop.add_writer(self.sock, self.flush)
        if data and not self.closing:
            self.buffer += data
            if len(self.buffer) > self.high and not self.full:
                self.full = True
                self.protocol.pause_writing()

    def flush(self):
        del self.buffer[:self.send(self.buffer)]
        if self.full and len(self.buffer) <= self.low:
            self.full = False
            self.protocol.resume_writing()
        if not self.buffer:
            self.loop.remove_writer(self.sock)
            if self.closing:
                self.loop.call_soon(self.end, None)
            elif self.ended:
                self.sock.shutdown(socket.SHUT_WR)

    def write_eof(self):
        self.ended = True
        if not self.buffer and not self.closing:
            self.sock.shutdown(socket.SHUT_WR)

    def close(self):
        if not self.closing:
            self.closing = True
            self.pause_reading()
            if not self.buffer:
                self.loop.call_soon(self.end, None)

    def lose(self, error):
        """The connection is of no use any more: what was not sent is lost."""
        if not isinstance(error, (OSError, types.NoneType)):
            self.loop.call_exception_handler(
                {"message": "Error in a protocol", "exception": error, "transport": self})
        self.closing = True
        self.buffer.clear()
        self.pause_reading()
        self.loop.remove_writer(self.sock)
        self.loop.call_soon(self.end, error)

    def end(self, error):
        if self.sock.fileno() >= 0:  # it may be lost twice
            self.loop.close_socket(self.sock)
            if self.server is not None:
                self.server.forget(self)
            self.protocol.connection_lost(error)


class Server(asyncio.AbstractServer):
    """Accepts connections and makes a protocol and a transport of each."""

    def __init__(self, loop, listeners, factory, backlog):
        self.loop, self.sockets, self.factory, self.backlog = loop, listeners, factory, backlog
        self.transports, self.ended, self.serving = set(), loop.create_future(), False

    def get_loop(self): return self.loop
    def is_serving(self): return self.serving
    async def wait_closed(self): await asyncio.shield(self.ended)

    async def start_serving(self):
        self.serving = True
        for listener in self.sockets:
            listener.listen(self.backlog)
            self.loop.add_reader(listener, self.accept, listener)

    def accept(self, listener):
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            for _ in range(self.backlog):
                Transport(self.loop, listener.accept()[0], self.factory(), self)

    async def serve_forever(self):
        await self.start_serving()
        try:
            await self.loop.create_future()
        finally:
            self.close()
            await self.wait_closed()

    def close(self):
        listeners, self.sockets, self.serving = self.sockets, (), False
        for listener in listeners:
            self.loop.remove_reader(listener)
            self.loop.close_socket(listener)
        self.forget(None)

    def forget(self, transport):
        self.transports.discard(transport)
        if not self.sockets and not self.transports and not self.ended.done():
            self.ended.set_result(None)

    def close_clients(self):
        for transport in list(self.transports):
            transport.close()

    def abort_clients(self):
        for transport in list(self.transports):
            transport.abort()
