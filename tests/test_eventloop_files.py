"""Stage 5 of the course's event loop: what it watches, when it calls, what it refuses."""

import asyncio
import contextlib
import gc
import os
import re
import socket
import time
import weakref

import pytest

from helpers.eventloop import new_event_loop, run

pytestmark = pytest.mark.loop
both = pytest.mark.parametrize("start", [asyncio.run, run])


@pytest.fixture
def pairs():
    """Two pairs of connected sockets that do not block."""
    with contextlib.ExitStack() as stack:
        ends = [[stack.enter_context(end) for end in socket.socketpair()] for _ in range(2)]
        for end in ends[0] + ends[1]:
            end.setblocking(False)
        yield ends


@both
@pytest.mark.parametrize("named", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_reader_and_a_writer_of_one_file_are_both_called(start, pairs, named):
    ours, theirs = pairs[0]
    for_reader, for_writer = ((ours, ours.fileno())[which] for which in named)

    async def main():
        def write():
            log.append("can be written")
            assert loop.remove_writer(for_reader)

        loop, log = asyncio.get_running_loop(), []
        loop.add_reader(for_reader, lambda: log.append(ours.recv(10)))
        loop.add_writer(for_writer, write)
        await asyncio.sleep(0.02)
        theirs.send(b"x")
        await asyncio.sleep(0.02)
        assert loop.remove_reader(for_writer) and not loop.remove_reader(for_reader)
        return log

    assert start(main()) == ["can be written", b"x"]


@both
def test_a_reader_that_is_removed_in_its_own_turn_is_not_called(start, pairs):
    async def main():
        def reader(mine, other):
            called.append(mine)
            loop.remove_reader(mine)
            loop.remove_reader(other)

        loop, called = asyncio.get_running_loop(), []
        (first, sender), (second, other_sender) = pairs
        loop.add_reader(first, reader, first, second)
        loop.add_reader(second, reader, second, first)
        sender.send(b"x")
        other_sender.send(b"x")
        await asyncio.sleep(0.02)
        return len(called)

    assert start(main()) == 1


@both
def test_a_reader_that_is_replaced_is_called_no_more(start, pairs):
    async def main():
        loop, called = asyncio.get_running_loop(), []
        ours, theirs = pairs[0]
        for name in "first", "second":
            loop.add_reader(ours, lambda name=name: called.append((name, ours.recv(1))))
        theirs.send(b"x")
        await asyncio.sleep(0.02)
        loop.remove_reader(ours)
        return called

    assert start(main()) == [("second", b"x")]


@both
def test_a_file_that_is_watched_no_more_is_not_held(start):
    async def main():
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        loop.add_reader(ours, print)
        loop.add_writer(ours, print)
        loop.remove_writer(ours)
        loop.remove_reader(ours)
        theirs.close()
        ours.close()
        ours = weakref.ref(ours)
        return ours()

    assert start(main()) is None


def test_a_number_that_comes_again_is_watched_again():
    async def main():
        loop, got = asyncio.get_running_loop(), []
        for _ in range(2):
            reading, writing = os.pipe()
            loop.add_reader(reading, lambda file=reading: got.append(os.read(file, 10)))
            os.write(writing, b"x")
            await asyncio.sleep(0.02)
            os.close(reading)
            os.close(writing)
        loop.remove_reader(reading)
        return got

    assert run(main()) == [b"x", b"x"]


@both
def test_the_file_of_a_transport_is_the_transports_own(start):
    async def main():
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(lambda *streams: None, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        number = writer.get_extra_info("socket").fileno()
        for method in loop.add_reader, loop.add_writer:
            with pytest.raises(RuntimeError, match="is used by transport"):
                method(number, print)
        for method in loop.remove_reader, loop.remove_writer:
            with pytest.raises(RuntimeError, match="is used by transport"):
                method(number)
        writer.close()
        await writer.wait_closed()
        server.close()

    start(main())


@both
def test_what_is_no_file_is_refused(start):
    async def main():
        for file in object(), "name":
            with pytest.raises(ValueError, match="Invalid file object"):
                asyncio.get_running_loop().add_reader(file, print)

    start(main())


@both
def test_a_task_that_failed_is_gone_without_the_collector(start):
    class Thing:
        pass

    async def fails():
        thing = Thing()
        things.append(weakref.ref(thing))
        await asyncio.sleep(0)
        raise ValueError(thing)

    async def main():
        await asyncio.gather(*(fails() for _ in range(5)), return_exceptions=True)

    things = []
    gc.disable()
    try:
        start(main())
        assert [thing() for thing in things] == [None] * 5
    finally:
        gc.enable()


@pytest.mark.parametrize("kind", [asyncio.SelectorEventLoop, new_event_loop])
def test_timers_go_by_the_loops_own_clock(kind):
    class Ahead(kind):
        """A loop that can be told that an hour is over."""

        hours = 1

        def time(self):
            return time.monotonic() + 3600 * self.hours

    async def main():
        loop = asyncio.get_running_loop()
        begun = loop.time()
        assert 3600 <= loop.call_later(3600, print).when() - begun < 3700
        hour = asyncio.create_task(asyncio.sleep(3600))
        await asyncio.sleep(0.01)
        assert loop.time() - begun < 3600
        loop.hours += 1
        async with asyncio.timeout_at(loop.time() + 3600):
            await hour

    with asyncio.Runner(loop_factory=Ahead) as runner:
        runner.run(main())


def protocol():
    return asyncio.Protocol()


async def _datagram(loop, method):
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        return await getattr(loop, method)(protocol, sock=sock)


async def _both_given(loop, method):
    with socket.socket() as sock:
        return await getattr(loop, method)(protocol, "127.0.0.1", 9, sock=sock)


async def _closed(loop):
    sock = socket.socket()
    sock.close()
    return await loop.sock_recv(sock, 1)


WRONG = {
    "a word that is none of it": lambda loop: loop.create_connection(protocol, "::", 1, nonsense=1),
    "nor of a server": lambda loop: loop.create_server(protocol, "127.0.0.1", 0, nonsense=1),
    "server_hostname alone": lambda loop: loop.create_connection(
        protocol, "127.0.0.1", 9, server_hostname="x"
    ),
    "handshake without ssl": lambda loop: loop.create_connection(
        protocol, "127.0.0.1", 9, ssl_handshake_timeout=1
    ),
    "shutdown without ssl": lambda loop: loop.create_server(
        protocol, "127.0.0.1", 0, ssl_shutdown_timeout=1
    ),
    "ssl is no context": lambda loop: loop.create_server(protocol, "127.0.0.1", 0, ssl=True),
    "no host for ssl": lambda loop: loop.create_connection(protocol, None, 9, ssl=True),
    "nowhere to connect": lambda loop: loop.create_connection(protocol),
    "nowhere to listen": lambda loop: loop.create_server(protocol),
    "a datagram socket": lambda loop: _datagram(loop, "create_connection"),
    "listening to datagrams": lambda loop: _datagram(loop, "create_server"),
    "accepted datagrams": lambda loop: _datagram(loop, "connect_accepted_socket"),
    "host and socket": lambda loop: _both_given(loop, "create_connection"),
    "to listen to host and socket": lambda loop: _both_given(loop, "create_server"),
    "a closed socket": _closed,
    "no delay": lambda loop: loop.call_later(None, print),
    "no time": lambda loop: loop.call_at(None, print),
    "a handler of errors": lambda loop: loop.set_exception_handler(1),
    "a factory of tasks": lambda loop: loop.set_task_factory(1),
    "an executor": lambda loop: loop.set_default_executor(1),
    "a signal's coroutine": lambda loop: loop.add_signal_handler(10, _datagram),
    "a signal by name": lambda loop: loop.add_signal_handler("USR1", print),
    "text for a connection": lambda loop: loop.sock_sendall(socket.socket(), "text"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arguments_are_refused_as_asyncio_refuses_them(wrong):
    async def main():
        try:
            await WRONG[wrong](asyncio.get_running_loop())
        except ValueError as error:
            return re.sub(r"fd=\d+", "", str(error))
        except Exception as error:
            return type(error)

    assert run(main()) == asyncio.run(main()) is not None
