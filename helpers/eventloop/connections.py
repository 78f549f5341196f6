"""Stage 5, connecting and listening: from a host and a port to transports and servers."""

import asyncio
import os
import socket
from functools import partial

from . import tls
from .bare_sockets import check_plain
from .servers import Server, bound
from .transports import Transport

NUMBERS_ALONE = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class Connections:
    """The methods of a loop that open connections, and that look up addresses for them."""

    async def getaddrinfo(self, host, port, *, family=0, type=0, proto=0, flags=0):
        look_up = partial(socket.getaddrinfo, host, port, family, type, proto, flags)
        return await self.run_in_executor(None, look_up)

    async def getnameinfo(self, sockaddr, flags=0):
        return await self.run_in_executor(None, socket.getnameinfo, sockaddr, flags)

    async def look_up(self, host, port, family=0, type=socket.SOCK_STREAM, proto=0, flags=0):
        """Return what getaddrinfo finds; where host and port are numbers, no thread is asked."""
        try:
            return socket.getaddrinfo(host, port, family, type, proto, flags | NUMBERS_ALONE)
        except socket.gaierror:
            options = {"family": family, "type": type, "proto": proto, "flags": flags}
            return await self.getaddrinfo(host, port, **options)

    async def create_connection(
        self,
        protocol_factory,
        host=None,
        port=None,
        *,
        ssl=None,
        family=0,
        proto=0,
        flags=0,
        sock=None,
        local_addr=None,
        server_hostname=None,
        ssl_handshake_timeout=None,
        ssl_shutdown_timeout=None,
        happy_eyeballs_delay=None,
        interleave=None,
        all_errors=False,
    ):
        if happy_eyeballs_delay is not None or interleave is not None:
            raise NotImplementedError(
                "create_connection: this loop tries one address after another. "
                "Leave out happy_eyeballs_delay and interleave."
            )
        if server_hostname is not None and not ssl:
            raise ValueError("server_hostname is only meaningful with ssl")
        if ssl and server_hostname is None and not host:
            raise ValueError("You must set server_hostname when using ssl without a host")
        timeouts = tls.options(
            ssl,
            ssl_handshake_timeout=ssl_handshake_timeout,
            ssl_shutdown_timeout=ssl_shutdown_timeout,
        )
        self.check_source(host, port, sock, "host and port was not specified and no sock specified")
        if sock is None:
            theirs = await self.look_up(host, port, family, proto=proto, flags=flags)
            ours = [None]
            if local_addr is not None:
                ours = await self.look_up(*local_addr, family, proto=proto, flags=flags)
            pairs = [
                (one, our) for one in theirs for our in ours if our is None or our[0] == one[0]
            ]
            sock = await self.connected(pairs, all_errors)
        if ssl:
            name = host if server_hostname is None else server_hostname
            timeouts.update(server_side=False, server_hostname=name)
        return await self.transport_of(sock, protocol_factory(), ssl, timeouts)

    async def connected(self, pairs, all_errors):
        """Return a socket for the first pair of addresses that will do, theirs and ours."""
        failed = []
        for (family, kind, proto, _, address), our in pairs:
            sock = socket.socket(family, kind, proto)
            sock.setblocking(False)
            try:
                if our is not None:
                    sock.bind(our[4])
                await self.connect(sock, address)
                return sock
            except BaseException as error:
                sock.close()
                if not isinstance(error, OSError):
                    raise
                failed.append(
                    OSError(error.errno, f"{error.strerror} (our address: {our and our[4]})")
                )
        if all_errors:
            failed = [ExceptionGroup("create_connection failed", failed)]
        elif not failed:
            failed = [OSError("no address of theirs is of the family of one of ours")]
        raise failed.pop()  # or this frame would keep the error, and the error this frame

    async def connect_accepted_socket(
        self,
        protocol_factory,
        sock,
        *,
        ssl=None,
        ssl_handshake_timeout=None,
        ssl_shutdown_timeout=None,
    ):
        timeouts = tls.options(
            ssl,
            ssl_handshake_timeout=ssl_handshake_timeout,
            ssl_shutdown_timeout=ssl_shutdown_timeout,
        )
        self.check_source(None, None, sock, "no sock")
        return await self.transport_of(
            sock, protocol_factory(), ssl, timeouts | {"server_side": True}
        )

    async def transport_of(self, sock, protocol, ssl, options):
        """Return the transport that brings a socket to a protocol, and the protocol."""
        sock.setblocking(False)
        transport = Transport(self, sock)
        if ssl:
            transport = await tls.encrypted(self, transport, protocol, ssl, **options)
        else:
            transport.begin(protocol)
        return transport, protocol

    start_tls = tls.start_tls

    async def create_server(
        self,
        protocol_factory,
        host=None,
        port=None,
        *,
        family=socket.AF_UNSPEC,
        flags=socket.AI_PASSIVE,
        sock=None,
        backlog=100,
        ssl=None,
        reuse_address=None,
        reuse_port=None,
        keep_alive=None,
        ssl_handshake_timeout=None,
        ssl_shutdown_timeout=None,
        start_serving=True,
    ):
        if isinstance(ssl, bool):
            raise TypeError("ssl argument must be an SSLContext or None")
        timeouts = tls.options(
            ssl,
            ssl_handshake_timeout=ssl_handshake_timeout,
            ssl_shutdown_timeout=ssl_shutdown_timeout,
        )
        self.check_source(host, port, sock, "Neither host/port nor sock were specified")
        listeners = [sock]
        if sock is None:
            if reuse_address is None:
                reuse_address = os.name == "posix"
            options = {
                "SO_REUSEADDR": reuse_address,
                "SO_REUSEPORT": reuse_port,
                "SO_KEEPALIVE": keep_alive,
            }
            hosts = [host or None] if host is None or isinstance(host, str) else host
            found = await asyncio.gather(
                *(self.look_up(host, port, family, flags=flags) for host in hosts)
            )
            listeners = bound(dict.fromkeys(sum(found, [])), options)
        if ssl:
            plain = protocol_factory

            def protocol_factory():
                return tls.SSLProtocol(self, plain(), ssl, None, server_side=True, **timeouts)

        server = Server(self, tuple(listeners), protocol_factory, backlog)
        if start_serving:
            await server.start_serving()
        return server

    def check_source(self, host, port, sock, nothing):
        """ValueError unless there is either a place or a socket for a stream."""
        if sock is None:
            if host is None and port is None:
                raise ValueError(nothing)
            return
        if host is not None or port is not None:
            raise ValueError("host/port and sock can not be specified at the same time")
        check_plain(sock)  # one that blocks will do: a transport, or a server, makes it not block
        if sock.type != socket.SOCK_STREAM:
            raise ValueError(f"A Stream Socket was expected, got {sock!r}")
