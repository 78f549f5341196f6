"""The clock that jumps waits in real time for what can come from outside: threads, sockets."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.kernel.virtual import Deadlock
from tests.test_virtual import run


def test_a_threads_work_takes_real_time():
    async def main():
        loop = asyncio.get_running_loop()
        heartbeat = asyncio.create_task(asyncio.sleep(3600))
        await asyncio.to_thread(time.sleep, 0.1)
        after_thread, real_seconds = loop.time(), loop.real_seconds
        await heartbeat
        return after_thread, real_seconds, loop.time()

    (after_thread, real_seconds, in_the_end), _ = run(main())
    assert 0 < after_thread < 60
    assert real_seconds == pytest.approx(after_thread, abs=1e-6)
    # Once the thread is done, the clock jumps again, exactly to the deadline.
    assert in_the_end == 3600


def test_a_timeout_on_a_thread_fires_in_real_time():
    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.to_thread(time.sleep, 0.2)
        return asyncio.get_running_loop().time()

    timed_out, loop = run(main())
    assert 0.05 <= timed_out < 60
    # The pool is shut down at the end, so the thread is waited for.
    assert loop.real_seconds > timed_out


async def naps(pool, number, seconds):
    """Sleep so often in a thread of a pool that the loop doesn't know."""
    for _ in range(number):
        future = asyncio.wrap_future(pool.submit(time.sleep, seconds))
        async with asyncio.timeout(60):
            await future


def test_a_pool_of_ones_own_takes_real_time():
    async def main():
        with ThreadPoolExecutor() as pool:
            await naps(pool, 3, 0.02)
            before = asyncio.get_running_loop().time()
            await asyncio.sleep(1000)
            return before

    before, loop = run(main())
    assert 0 < before < 60
    assert loop.time() == pytest.approx(1000 + before, abs=1)
    assert loop.real_seconds < 60


def test_a_pool_of_ones_own_is_waited_for_on_a_busy_machine():
    # A thread that has taken its work and not begun it looks idle, and while the processors are
    # busy it may look so for long.
    async def main():
        with ThreadPoolExecutor() as pool:
            await naps(pool, 5, 0.005)

    spin = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(spin) for _ in range(2 * os.cpu_count() + 2)]
    try:
        for _ in range(30):
            run(main())
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_a_foreign_thread_is_waited_for():
    async def main():
        loop = asyncio.get_running_loop()
        event = asyncio.Event()

        def set_soon():
            time.sleep(0.1)
            loop.call_soon_threadsafe(event.set)

        threading.Thread(target=set_soon).start()
        async with asyncio.timeout(60):
            await event.wait()
        return loop.time()

    came, loop = run(main())
    assert 0 < came < 60
    assert loop.real_seconds > 0


def test_a_timer_thread_is_waited_for():
    async def main():
        event = asyncio.Event()
        threading.Timer(0.1, asyncio.get_running_loop().call_soon_threadsafe, (event.set,)).start()
        await event.wait()

    _, loop = run(main())
    assert loop.real_seconds > 0


def test_a_thread_older_than_the_loop_counts_once_it_has_called():
    calls = []

    def older():
        loop, events = box.get_when_ready()
        for event in events:
            loop.call_soon_threadsafe(event.set)
            time.sleep(0.1)

    class Box:
        def __init__(self):
            self.filled = threading.Event()

        def put(self, *content):
            self.content = content
            self.filled.set()

        def get_when_ready(self):
            self.filled.wait(60)
            return self.content

    box = Box()
    thread = threading.Thread(target=older)
    thread.start()

    async def main():
        events = [asyncio.Event(), asyncio.Event()]
        box.put(asyncio.get_running_loop(), events)
        while not events[0].is_set():
            await asyncio.sleep(0)
        await events[1].wait()
        calls.append("both")

    run(main())
    thread.join()
    assert calls == ["both"]


def test_a_deadlock_is_found_once_the_threads_have_gone():
    async def main():
        threading.Thread(target=time.sleep, args=(0.1,)).start()
        await asyncio.to_thread(int)
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        run(main())


def test_sockets_take_real_time():
    async def serve(reader, writer):
        time.sleep(0.05)
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def main():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        async with server:
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"hello\n")
            async with asyncio.timeout(60):
                answer = await reader.readline()
            await asyncio.sleep(0.05)
            writer.close()
            await writer.wait_closed()
        elapsed = asyncio.get_running_loop().time()
        await asyncio.sleep(3600)
        return answer, elapsed

    (answer, elapsed), loop = run(main())
    assert answer == b"hello\n"
    assert 0.05 < elapsed < 60
    assert loop.real_seconds == pytest.approx(elapsed, abs=1)


def test_a_socket_from_outside_is_waited_for():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    async def main():
        sender = threading.Timer(0.1, theirs.send, (b"x",))
        sender.start()
        return await asyncio.get_running_loop().sock_recv(ours, 1)

    with ours, theirs:
        received, loop = run(main())
    assert received == b"x"
    assert loop.real_seconds > 0


def test_a_subprocess_does_not_hang():
    async def main():
        import sys

        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-S",
            "-c",
            "import time; time.sleep(0.2); print(6 * 7)",
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        return output.strip(), process.returncode

    result, loop = run(main())
    assert result == (b"42", 0)
    assert loop.real_seconds > 0
