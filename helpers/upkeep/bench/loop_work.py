"""The course's event loop beside asyncio, uvloop and trio, on the same work.

Two loops of ours are measured: `own`, the learner's tasks of stages one to four, and `library`,
the last stage, under asyncio's own tasks and streams.
"""

import asyncio
import functools
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine

from helpers.eventloop import run as run_library
from helpers.eventloop import sockets, tasks

ASYNCIO = {"library": run_library, "asyncio": asyncio.run}
try:
    import uvloop
except ImportError:  # there is none for Windows
    pass
else:
    ASYNCIO["uvloop"] = uvloop.run
try:
    import trio
except ImportError:
    trio = None


def speeds(ways: dict[str, Callable[[], float]], repeats: int, beside: str) -> dict[str, float]:
    """{name: how many times as fast as `beside`}: medians of pairs, each way in turn."""
    taken = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            taken[name].append(way())
    return {
        name: statistics.median(base / one for one, base in zip(seconds, taken[beside]))
        for name, seconds in taken.items()
    }


def under_asyncio(library: Callable[[], Coroutine]) -> dict[str, Callable[[], float]]:
    """The same work under asyncio's library, on each loop that runs it."""
    return {
        name: functools.partial(lambda run: run(library()), run) for name, run in ASYNCIO.items()
    }


def ways(
    own: Callable[[], float],
    library: Callable[[], Coroutine],
    other: Callable[[], Coroutine],
) -> dict[str, Callable[[], float]]:
    """The same work on each loop: functions that run it and return seconds."""
    found = {"own": own, **under_asyncio(library)}
    if trio is not None:
        found["trio"] = lambda: trio.run(other)
    return found


def switches(number: int, turns: int) -> dict[str, Callable[[], float]]:
    """`number` tasks that hand over `turns` times each."""

    def own():
        async def task():
            for _ in range(turns):
                await tasks.sleep(0)

        async def main():
            begun = time.perf_counter()
            for task_ in [loop.spawn(task()) for _ in range(number)]:
                await task_
            return time.perf_counter() - begun

        loop = sockets.Loop()
        return loop.run(main())

    async def library():
        async def task():
            for _ in range(turns):
                await asyncio.sleep(0)

        begun = time.perf_counter()
        for task_ in [asyncio.create_task(task()) for _ in range(number)]:
            await task_
        return time.perf_counter() - begun

    async def other():
        async def task():
            for _ in range(turns):
                await trio.lowlevel.checkpoint()

        begun = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for _ in range(number):
                nursery.start_soon(task)
        return time.perf_counter() - begun

    return ways(own, library, other)


def sleeps(number: int, seconds: float = 0.1) -> dict[str, Callable[[], float]]:
    """`number` tasks that sleep at once."""

    def own():
        async def main():
            begun = time.perf_counter()
            for task in [loop.spawn(tasks.sleep(seconds)) for _ in range(number)]:
                await task
            return time.perf_counter() - begun

        loop = sockets.Loop()
        return loop.run(main())

    async def library():
        begun = time.perf_counter()
        for task in [asyncio.create_task(asyncio.sleep(seconds)) for _ in range(number)]:
            await task
        return time.perf_counter() - begun

    async def other():
        begun = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for _ in range(number):
                nursery.start_soon(trio.sleep, seconds)
        return time.perf_counter() - begun

    return ways(own, library, other)


def cancelled_timers(number: int) -> dict[str, Callable[[], float]]:
    """Timers of a minute that are taken back, a hundred a turn."""

    async def library():
        loop = asyncio.get_running_loop()
        begun = time.perf_counter()
        for _ in range(number // 100):
            for handle in [loop.call_later(60 + n % 7, print) for n in range(100)]:
                handle.cancel()
            await asyncio.sleep(0)
        return time.perf_counter() - begun

    return under_asyncio(library)


def held_timers(number: int) -> dict[str, Callable[[], float]]:
    """Timers of a minute that are all there before the first of them is taken back."""

    async def library():
        loop = asyncio.get_running_loop()
        begun = time.perf_counter()
        handles = [loop.call_later(60 + n % 7, print) for n in range(number)]
        await asyncio.sleep(0)
        for handle in handles:
            handle.cancel()
        await asyncio.sleep(0)
        return time.perf_counter() - begun

    return under_asyncio(library)


def new_connections(number: int) -> dict[str, Callable[[], float]]:
    """Connections one after another, client and server on one loop: each is made and ended."""

    async def library():
        class Client(asyncio.Protocol):
            def __init__(self):
                self.lost = loop.create_future()

            def connection_lost(self, error):
                self.lost.set_result(None)

        class Server(asyncio.Protocol):
            def connection_made(self, transport):
                transport.close()

        loop = asyncio.get_running_loop()
        server = await loop.create_server(Server, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        begun = time.perf_counter()
        for _ in range(number):
            _, client = await loop.create_connection(Client, *address)
            await client.lost
        seconds = time.perf_counter() - begun
        server.close()
        return seconds

    return under_asyncio(library)


def one_write(size: int) -> dict[str, Callable[[], float]]:
    """So many bytes handed to a transport at once, and a thread that takes them.

    Seconds of the processor in the loop's own thread: the other's turns are the system's affair.
    """

    async def library():
        class Writer(asyncio.Protocol):
            def connection_lost(self, error):
                lost.set_result(None)

        def take():
            while theirs.recv(1_000_000):
                pass

        loop = asyncio.get_running_loop()
        lost, data = loop.create_future(), bytes(size)
        ours, theirs = socket.socketpair()
        with theirs:
            taking = asyncio.create_task(asyncio.to_thread(take))
            begun = time.thread_time()
            transport, _ = await loop.create_connection(Writer, sock=ours)
            transport.write(data)
            transport.close()
            await lost
            await taking
            return time.thread_time() - begun

    return under_asyncio(library)


CLIENT = """
import selectors, socket, sys, time
port, number, turns = map(int, sys.argv[1:])
message, left, done = b"x" * 100, {}, 0
selector = selectors.DefaultSelector()
for _ in range(number):
    sock = socket.create_connection(("127.0.0.1", port))
    selector.register(sock, selectors.EVENT_READ)
    left[sock] = turns
begun = time.perf_counter()
for sock in left:
    sock.sendall(message)
while done < number:
    for key, _ in selector.select():
        if not key.fileobj.recv(1000):
            sys.exit("the server hung up")
        left[key.fileobj] -= 1
        if left[key.fileobj]:
            key.fileobj.sendall(message)
        else:
            done += 1
print((time.perf_counter() - begun) / (number * turns))
"""


def ask(port: int, number: int, turns: int) -> float:
    """Seconds a message, as a client in a process of its own sees it."""
    answer = subprocess.run(
        [sys.executable, "-c", CLIENT, str(port), str(number), str(turns)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(answer.stdout)


def echoes(number: int, turns: int) -> dict[str, Callable[[], float]]:
    """An echo server with `number` connections."""

    def own():
        async def echo(sock):
            while data := await sockets.recv(sock, 4096):
                await sockets.send_all(sock, data)
            loop.close_socket(sock)

        async def serve(listener):
            while True:
                sock, _ = await sockets.accept(listener)
                loop.spawn(echo(sock))

        async def main():
            with socket.create_server(("127.0.0.1", 0), backlog=2 * number) as listener:
                listener.setblocking(False)
                loop.spawn(serve(listener))
                answer, port = tasks.Future(), listener.getsockname()[1]

                def client():
                    seconds = ask(port, number, turns)
                    loop.call_soon_threadsafe(answer.set_result, seconds)

                threading.Thread(target=client).start()
                return await answer

        loop = sockets.Loop()
        return loop.run(main())

    async def library():
        async def echo(reader, writer):
            while data := await reader.read(4096):
                writer.write(data)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0, backlog=2 * number)
        port = server.sockets[0].getsockname()[1]
        seconds = await asyncio.to_thread(ask, port, number, turns)
        server.close()
        return seconds

    async def other():
        async def echo(stream):
            async for data in stream:
                await stream.send_all(data)

        async with trio.open_nursery() as nursery:
            (listener,) = await nursery.start(
                functools.partial(trio.serve_tcp, echo, 0, host="127.0.0.1")
            )
            port = listener.socket.getsockname()[1]
            seconds = await trio.to_thread.run_sync(ask, port, number, turns)
            nursery.cancel_scope.cancel()
        return seconds

    return ways(own, library, other)


MEMORY = """
import asyncio, psutil, sys
from helpers.eventloop import sockets, tasks, run
name, number = sys.argv[1], int(sys.argv[2])
rss = psutil.Process().memory_info
def own():
    loop = sockets.Loop()
    async def main():
        before = rss().rss
        for _ in range(number):
            loop.spawn(tasks.sleep(3600))
        await tasks.sleep(0)
        await tasks.sleep(0)
        return rss().rss - before
    return loop.run(main())
async def library():
    before = rss().rss
    kept = [asyncio.create_task(asyncio.sleep(3600)) for _ in range(number)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return rss().rss - before
async def other():
    import trio
    async with trio.open_nursery() as nursery:
        before = rss().rss
        for _ in range(number):
            nursery.start_soon(trio.sleep, 3600)
        await trio.sleep(0.1)
        nursery.cancel_scope.cancel()
        return rss().rss - before
if name == "own":
    used = own()
elif name == "trio":
    import trio
    used = trio.run(other)
elif name == "uvloop":
    import uvloop
    used = uvloop.run(library())
else:
    used = (run if name == "library" else asyncio.run)(library())
print(used / number)
"""


def bytes_a_task(name: str, number: int) -> float:
    """Bytes of memory that a sleeping task takes, measured in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, name, str(number)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def cost_a_step(number: int, steps: int = 300_000) -> float:
    """Seconds a step of the learner's tasks takes among so many: their making does not count."""

    async def task():
        while True:
            await tasks.sleep(0)

    async def main():
        for _ in range(number):
            loop.spawn(task())
        await tasks.sleep(0)
        rounds = max(3, steps // number)
        begun = time.perf_counter()
        for _ in range(rounds):  # the loop gives each of the others a turn meanwhile
            await tasks.sleep(0)
        return (time.perf_counter() - begun) / (rounds * number)

    taken = []
    for _ in range(3):
        loop = sockets.Loop()
        taken.append(loop.run(main()))
    return min(taken)
