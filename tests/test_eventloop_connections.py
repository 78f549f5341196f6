"""Stage 5 of the course's event loop: its transports and servers."""

import asyncio
import errno
import socket
import time

import pytest

from helpers.eventloop import new_event_loop, run, servers

pytestmark = pytest.mark.loop
both = pytest.mark.parametrize("start", [asyncio.run, run])


async def connected(protocol, served=asyncio.Protocol):
    """A server, and a transport that is connected to it."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(served, "127.0.0.1", 0)
    transport, _ = await loop.create_connection(protocol, *server.sockets[0].getsockname()[:2])
    return server, transport


@both
def test_no_data_comes_after_close_or_pause(start):
    class Stops(asyncio.Protocol):
        """Ends the reading of all others with the first byte that comes to one."""

        def connection_made(self, transport):
            self.transport = transport
            made.append(self)

        def data_received(self, data):
            got.append(data)
            for one in made:
                one.transport.close() if one is made[0] else one.transport.pause_reading()

    made, got = [], []

    async def main():
        loop = asyncio.get_running_loop()
        pairs = [socket.socketpair() for _ in range(3)]
        for ours, _ in pairs:
            await loop.connect_accepted_socket(Stops, ours)
        await asyncio.sleep(0.01)  # until all read
        for _, theirs in pairs:
            theirs.send(b"x")
        await asyncio.sleep(0.05)
        for one, (_, theirs) in zip(made, pairs):
            one.transport.close()
            theirs.close()

    start(main())
    assert got == [b"x"]


class Full(socket.socket):
    """A listener on a system that has no more files: it says so and stays ready."""

    full = True

    def accept(self):
        if self.full:
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def test_a_server_rests_when_there_are_no_more_files():
    async def main():
        told, met = [], asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context["exception"].errno))
        listener = Full()
        listener.bind(("127.0.0.1", 0))
        server = await asyncio.start_server(lambda *streams: met.set(), sock=listener)
        with socket.create_connection(listener.getsockname()):
            cpu = time.process_time()
            await asyncio.sleep(0.5)
            cpu = time.process_time() - cpu
            listener.full = False
            async with asyncio.timeout(10):
                await met.wait()
        server.close()
        return told, cpu

    told, cpu = run(main())
    assert told == [errno.EMFILE] and cpu < 0.3


def test_a_server_that_is_closed_while_it_rests_stays_closed(monkeypatch):
    monkeypatch.setattr(servers, "REST", 0.1)

    async def main():
        told = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
        listener = Full()
        listener.bind(("127.0.0.1", 0))
        server = await asyncio.start_server(print, sock=listener)
        with socket.create_connection(listener.getsockname()):
            await asyncio.sleep(0.05)
            server.close()
            await asyncio.sleep(0.3)
        return [type(error) for error in told], server.is_serving()

    assert run(main()) == ([OSError], False)


def test_a_protocol_may_write_much_when_it_may_write_again():
    class Writes(asyncio.Protocol):
        rounds = 0

        def connection_made(self, transport):
            self.transport = transport
            transport.write(bytes(10_000_000))

        def resume_writing(self):
            self.rounds += 1
            if self.rounds < 4:
                self.transport.write(bytes(10_000_000))
            else:
                self.transport.close()

    class Counts(asyncio.Protocol):
        size = 0

        def data_received(self, data):
            self.size += len(data)

        def connection_lost(self, error):
            counted.set_result(self.size)

    async def main():
        nonlocal counted
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context))
        counted = loop.create_future()
        server, _ = await connected(Writes, Counts)
        async with asyncio.timeout(20):
            size = await counted
        server.close()
        return size

    counted, told = None, []
    assert run(main()) == 40_000_000 and not told


class Buffered(asyncio.BufferedProtocol):
    """Takes what comes into a buffer of its own, of three bytes."""

    def __init__(self):
        self.got, self.lost = b"", asyncio.Event()
        Buffered.last = self

    def get_buffer(self, sizehint):
        self.buffer = bytearray(3)
        return self.buffer

    def buffer_updated(self, size):
        self.got += self.buffer[:size]

    def connection_lost(self, error):
        self.error = error
        self.lost.set()


@both
def test_a_buffered_protocol_is_served(start):
    async def main():
        server, transport = await connected(asyncio.Protocol, Buffered)
        transport.write(b"0123456789")
        transport.close()
        await asyncio.sleep(0.01)
        await Buffered.last.lost.wait()
        server.close()
        return Buffered.last.got, Buffered.last.error

    assert start(main()) == (b"0123456789", None)


@both
@pytest.mark.parametrize("method", ["data_received", "eof_received", "get_buffer"])
def test_whatever_a_protocol_raises_is_told_and_ends_its_connection(start, method):
    def fails(self, *arguments):
        raise BlockingIOError("of the protocol")

    def lost(self, error):
        errors.append(error)

    base = asyncio.BufferedProtocol if method == "get_buffer" else asyncio.Protocol
    Fails = type("Fails", (base,), {method: fails, "connection_lost": lost})
    errors = []

    async def main():
        told = []
        loop = asyncio.get_running_loop()
        loop.set_debug(True)  # asyncio is silent about an OSError, but for its log
        loop.set_exception_handler(lambda loop, context: told.append(str(context["exception"])))
        server, transport = await connected(asyncio.Protocol, Fails)
        transport.write(b"x")
        transport.write_eof()
        async with asyncio.timeout(10):
            while not errors:
                await asyncio.sleep(0.01)
        transport.close()
        server.close()
        return told

    start(main())
    assert [str(error) for error in errors] == ["of the protocol"]


@both
def test_a_transport_says_whether_it_reads(start):
    async def main():
        server, transport = await connected(asyncio.Protocol)
        said = [transport.is_reading()]
        for change in transport.pause_reading, transport.resume_reading, transport.close:
            change()
            said.append(transport.is_reading())
        transport.resume_reading()  # too late, and no error
        server.close()
        await asyncio.sleep(0.01)
        return said

    assert start(main()) == [True, False, True, False]


@both
def test_each_connection_has_a_context_of_its_own(start):
    import contextvars

    name = contextvars.ContextVar("name", default="nobody")

    class Named(asyncio.Protocol):
        def connection_made(self, transport):
            seen.append(name.get())
            name.set("somebody")

    async def main():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Named, "127.0.0.1", 0)
        for _ in range(3):
            with socket.create_connection(server.sockets[0].getsockname()):
                await asyncio.sleep(0.02)
        server.close()

    seen = []
    start(main())
    assert seen == ["nobody"] * 3


@pytest.mark.parametrize("way", ["close_clients", "abort_clients"])
def test_a_server_ends_its_connections(way):
    async def main():
        server, transport = await connected(asyncio.Protocol)
        await asyncio.sleep(0.01)
        server.close()
        getattr(server, way)()
        async with asyncio.timeout(5):
            await server.wait_closed()
        transport.close()

    run(main())


def test_what_is_written_is_sent_as_it_was():
    async def main():
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        transport, _ = await loop.connect_accepted_socket(asyncio.Protocol, ours)
        data = bytearray(b"a" * 3_000_000)
        transport.write(data)
        data[:] = b"b" * len(data)  # asyncio sends the bytes that are there when it comes to them
        transport.write(memoryview(b"ab" * 500_000).cast("H"))
        transport.write(b"end")
        transport.close()
        got = b""
        while part := await loop.sock_recv(theirs, 1_000_000):
            got += part
        theirs.close()
        return got

    assert run(main()) == b"a" * 3_000_000 + b"ab" * 500_000 + b"end"


def test_a_client_learns_of_every_address_that_failed():
    async def main(**options):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        await asyncio.get_running_loop().create_connection(
            asyncio.Protocol, "127.0.0.1", port, **options
        )

    with pytest.raises(ConnectionRefusedError, match="Connection refused"):
        run(main())
    with pytest.raises(ExceptionGroup, match="create_connection failed"):
        run(main(all_errors=True))


def test_what_the_loop_lacks_is_said_and_what_to_use_instead():
    async def main():
        loop = asyncio.get_running_loop()
        for name in sorted(lacking):
            method = getattr(loop, name)
            with pytest.raises(NotImplementedError, match=f"^{name}: this loop .*[Uu]se .*\\.$"):
                await method(print, b"", 0)
        with pytest.raises(NotImplementedError, match="one address after another.*Leave"):
            await loop.create_connection(print, "127.0.0.1", 9, happy_eyeballs_delay=0.1)
        with pytest.raises(NotImplementedError, match="starts no processes"):
            await asyncio.create_subprocess_exec("true")
        with pytest.raises(NotImplementedError, match="Unix sockets"):
            await asyncio.open_unix_connection("x")

    from helpers.eventloop.lacks import Lacks

    lacking = {name for name in vars(Lacks) if name[0] != "_"}
    for name in {name for name in vars(asyncio.AbstractEventLoop) if name[0] != "_"}:
        ours = getattr(new_event_loop, name)
        assert ours is not getattr(asyncio.AbstractEventLoop, name), f"{name} has no words"
    run(main())
