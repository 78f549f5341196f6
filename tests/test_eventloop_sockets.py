"""Stage 4 of the course's event loop: sockets, and other threads."""

import os
import selectors
import socket
import threading
import time

import pytest

from helpers.eventloop import sockets
from helpers.eventloop.sockets import accept, connect, recv, send_all, until
from helpers.eventloop.tasks import Future, sleep

pytestmark = pytest.mark.loop


@pytest.fixture
def pair():
    """Two connected sockets that do not block."""
    ends = socket.socketpair()
    for end in ends:
        end.setblocking(False)
    yield ends
    for end in ends:
        end.close()


def listening():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.setblocking(False)
    return listener


def test_a_thousand_messages_and_ends_of_stream():
    async def echo(sock):
        while data := await recv(sock, 4096):
            await send_all(sock, data)
        loop.close_socket(sock)

    async def serve(listener):
        while True:
            sock, _ = await accept(listener)
            loop.spawn(echo(sock))

    async def client(address):
        with socket.socket() as sock:
            sock.setblocking(False)
            await connect(sock, address)
            for number in range(20):
                await send_all(sock, b"%d" % number)
                assert await recv(sock, 100) == b"%d" % number
            sock.shutdown(socket.SHUT_WR)
            assert await recv(sock, 100) == b""
            loop.drop(sock.fileno())

    async def main():
        with listening() as listener:
            loop.spawn(serve(listener))
            clients = [loop.spawn(client(listener.getsockname())) for _ in range(50)]
            for task in clients:
                await task

    loop = sockets.Loop()
    loop.run(main())


def test_all_is_sent_to_a_slow_reader(pair):
    data = os.urandom(1_000_000)

    async def sends():
        await send_all(pair[0], data)
        pair[0].shutdown(socket.SHUT_WR)

    async def main():
        loop.spawn(sends())
        got = b""
        while part := await recv(pair[1], 10_000):
            got += part
            await sleep(0)
        return got

    loop = sockets.Loop()
    assert loop.run(main()) == data


def test_connect_to_nobody_says_so():
    with listening() as listener:
        address = listener.getsockname()

    async def main():
        with socket.socket() as sock:
            sock.setblocking(False)
            await connect(sock, address)

    with pytest.raises(OSError, match="connect to .*refused"):
        sockets.Loop().run(main())


def test_two_readers_on_one_socket_are_refused(pair):
    async def main():
        loop.spawn(recv(pair[0], 10))
        await sleep(0)
        with pytest.raises(RuntimeError, match="Two readers would each get a part"):
            await recv(pair[0], 10)

    loop = sockets.Loop()
    loop.run(main())


def test_a_reader_and_a_writer_on_one_socket_are_not(pair):
    async def main():
        reader = loop.spawn(recv(pair[0], 10))
        await until(pair[0], sockets.WRITE)
        await send_all(pair[1], b"x")
        return await reader

    loop = sockets.Loop()
    assert loop.run(main()) == b"x"


@pytest.mark.parametrize("Selector", [selectors.DefaultSelector, selectors.SelectSelector])
@pytest.mark.parametrize("close", ["close_socket", "close"])
def test_a_socket_closed_under_its_waiter_is_told(pair, monkeypatch, close, Selector):
    monkeypatch.setattr(sockets, "GLANCE", 0.05)
    monkeypatch.setattr(selectors, "DefaultSelector", Selector)

    async def main():
        reader = loop.spawn(recv(pair[0], 10))
        await sleep(0)
        loop.close_socket(pair[0]) if close == "close_socket" else pair[0].close()
        with pytest.raises(OSError, match="was closed while a task waited for it"):
            await reader
        with pytest.raises(OSError, match="This socket is closed"):
            await recv(pair[0], 10)

    loop = sockets.Loop()
    loop.run(main())


def test_the_number_of_a_closed_socket_may_come_again():
    async def main():
        first, _ = socket.socketpair()
        first.setblocking(False)
        reader = loop.spawn(recv(first, 10))
        await sleep(0)
        number = first.fileno()
        first.close()
        again, other = socket.socketpair()
        assert number in (again.fileno(), other.fileno())
        again, other = (again, other) if again.fileno() == number else (other, again)
        with again, other:
            again.setblocking(False)
            late = loop.spawn(recv(again, 10))
            await sleep(0)
            other.send(b"new")
            assert await late == b"new"
            with pytest.raises(OSError, match="was closed while a task waited"):
                await reader

    loop = sockets.Loop()
    loop.run(main())


def test_who_does_not_read_on_does_not_keep_the_loop_awake(pair):
    async def main():
        reader = loop.spawn(recv(pair[0], 10))
        await sleep(0)
        reader.cancel()
        pair[1].send(b"nobody reads this")
        cpu = time.process_time()
        await sleep(0.3)
        return time.process_time() - cpu

    loop = sockets.Loop()
    assert loop.run(main()) < 0.1


@pytest.mark.parametrize("sleeping", [False, True])
def test_another_thread_wakes_the_loop(sleeping):
    async def main():
        future = Future()
        if sleeping:
            loop.spawn(sleep(60))
        threading.Timer(0.05, loop.call_soon_threadsafe, (future.set_result, 5)).start()
        return await future

    loop = sockets.Loop()
    begun = time.perf_counter()
    assert loop.run(main()) == 5
    assert time.perf_counter() - begun < 30


def test_many_calls_from_threads_are_all_made():
    async def main():
        def call():
            for _ in range(20_000):  # more bytes than the loop's own socket holds
                loop.call_soon_threadsafe(calls.append, 1)
            loop.call_soon_threadsafe(done.set_result, None)

        calls, done = [], Future()
        thread = threading.Thread(target=call)
        thread.start()
        time.sleep(0.2)
        await done
        thread.join()
        return len(calls)

    loop = sockets.Loop()
    assert loop.run(main()) == 20_000


def test_a_loop_with_sockets_runs_once_and_gives_its_files_back():
    async def main():
        return loop.inside.fileno(), loop.outside.fileno()

    async def nothing():
        pass

    loop = sockets.Loop()
    assert min(loop.run(main())) > 0
    assert loop.inside.fileno() == loop.outside.fileno() == -1
    with pytest.raises(RuntimeError, match="make a new one"):
        loop.call_soon_threadsafe(print)
    coro = nothing()
    with pytest.raises(RuntimeError, match="make a new one"):
        loop.run(coro)
    coro.close()
