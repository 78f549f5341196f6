"""Stage 5, sockets without a transport: what lesson 08's functions do, for asyncio's tasks."""

import os
import socket
import ssl

from .sockets import READ, WRITE

NOT_YET = BlockingIOError, InterruptedError


class BareSockets:
    """The methods of a loop that use a socket as it is."""

    async def sock_recv(self, sock, most):
        return await self.at_last(sock, READ, sock.recv, most)

    async def sock_recv_into(self, sock, buffer):
        return await self.at_last(sock, READ, sock.recv_into, buffer)

    async def sock_sendall(self, sock, data):
        data = memoryview(data).cast("B")
        while data:
            data = data[await self.at_last(sock, WRITE, sock.send, data) :]

    async def sock_accept(self, sock):
        connection, address = await self.at_last(sock, READ, sock.accept)
        connection.setblocking(False)
        return connection, address

    async def sock_connect(self, sock, address):
        self.check_socket(sock)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            host, port, *rest = address
            found = await self.look_up(host, port, sock.family, sock.type, sock.proto)
            address = (*found[0][4][:2], *rest)
        await self.connect(sock, address)

    async def connect(self, sock, address):
        """Connect to an address that needs no looking up."""
        try:
            sock.connect(address)
        except NOT_YET:
            await self.readiness(sock, WRITE)
            failed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failed:
                raise OSError(failed, f"connect to {address}: {os.strerror(failed)}") from None

    async def at_last(self, sock, event, attempt, *args):
        """Return what the attempt gives; wherever it would block, wait for the socket before."""
        self.check_socket(sock)
        while True:
            try:
                return attempt(*args)
            except NOT_YET:
                await self.readiness(sock, event)

    async def readiness(self, sock, event):
        number, ready = self.free(sock), self.create_future()
        reader = self.listen(sock, number, event, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            if not reader.cancelled():  # else somebody else waits for this socket by now
                self.unlisten(number, event)

    def check_socket(self, sock):
        """Refuse a socket that would block the loop, or that encrypts by itself."""
        check_plain(sock)
        if self.debug and sock.gettimeout() != 0:
            raise ValueError("the socket must be non-blocking")


def check_plain(sock):
    """Refuse a socket that encrypts by itself."""
    if isinstance(sock, ssl.SSLSocket):
        raise TypeError("Socket cannot be of type SSLSocket")
