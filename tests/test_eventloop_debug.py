"""Stage 5 of the course's event loop: its debug mode."""

import asyncio
import gc
import logging
import socket
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from helpers.eventloop import new_event_loop, run

pytestmark = pytest.mark.loop
ROOT = Path(__file__).resolve().parent.parent
both = pytest.mark.parametrize("start", [asyncio.run, run])


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@both
def test_a_slow_call_and_a_slow_step_are_named(start, caplog):
    def slow_call():
        time.sleep(0.06)

    async def main():
        loop = asyncio.get_running_loop()
        loop.slow_callback_duration = 0.05
        loop.call_soon(slow_call)
        await asyncio.sleep(0)
        time.sleep(0.06)

    start(main(), debug=True)
    said = warnings(caplog)  # on a busy machine others are slow as well
    assert any("slow_call" in one for one in said) and any("main()" in one for one in said)
    assert all("Executing <" in one and " took 0." in one for one in said)


@both
def test_without_debug_mode_nobody_is_named(start, caplog):
    async def main():
        asyncio.get_running_loop().slow_callback_duration = 0.01
        time.sleep(0.02)

    start(main())
    assert not warnings(caplog)


@both
@pytest.mark.parametrize("method", ["call_soon", "call_later", "call_at"])
def test_a_call_from_another_thread_is_refused_in_debug_mode(start, method):
    async def main():
        def other():
            try:
                call(*arguments)
            except RuntimeError as error:
                said.append(str(error))

        loop, said = asyncio.get_running_loop(), []
        call = getattr(loop, method)
        arguments = [print] if method == "call_soon" else [3600, print]
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        call(*arguments)  # in its own thread it may
        loop.call_soon_threadsafe(int)
        return said

    (said,) = start(main(), debug=True)
    assert "Non-thread-safe operation" in said


@both
def test_what_is_no_function_is_refused_in_debug_mode(start):
    async def coroutine_function():
        pass

    async def main():
        loop = asyncio.get_running_loop()
        with pytest.raises(TypeError, match="coroutines cannot be used with call_soon"):
            loop.call_soon(coroutine_function)
        with pytest.raises(TypeError, match="a callable object was expected by call_at"):
            loop.call_later(1, "no function")

    start(main(), debug=True)


@pytest.mark.parametrize(
    ("options", "environment", "expected"),
    [
        ([], {}, False),
        ([], {"PYTHONASYNCIODEBUG": "1"}, True),
        (["-X", "dev"], {}, True),
        (["-E"], {"PYTHONASYNCIODEBUG": "1"}, False),
    ],
)
def test_debug_mode_can_be_asked_for_from_outside(options, environment, expected):
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from helpers.eventloop import new_event_loop\n"
        "import asyncio; loops = new_event_loop(), asyncio.new_event_loop()\n"
        "print(*(loop.get_debug() for loop in loops)); [loop.close() for loop in loops]"
    )
    done = subprocess.run(
        [sys.executable, *options, "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == [str(expected)] * 2, done.stderr


@both
def test_in_debug_mode_a_socket_that_would_block_is_refused(start):
    import socket

    async def main():
        with socket.socket() as sock, pytest.raises(ValueError, match="must be non-blocking"):
            await asyncio.get_running_loop().sock_recv(sock, 1)

    start(main(), debug=True)


@both
def test_in_debug_mode_a_server_takes_a_socket_that_would_block(start):
    async def main():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            async with await asyncio.start_server(lambda *_: None, sock=listener):
                return listener.gettimeout()

    assert start(main(), debug=True) == 0


@both
def test_in_debug_mode_too_a_task_that_failed_is_not_kept(start):
    async def fails():
        raise KeyError("lost")

    async def main():
        task = weakref.ref(asyncio.create_task(fails()))
        with pytest.raises(KeyError):
            await task()
        await asyncio.sleep(0)  # what woke this one held the task as well
        return task() is None

    gc.disable()
    try:
        assert start(main(), debug=True)
    finally:
        gc.enable()


@both
def test_the_log_of_an_error_begins_with_its_message(start, caplog):
    async def main():
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "lost", "which": 2, "also": "b"})
        loop.call_exception_handler({})

    start(main())
    lost, nothing = warnings(caplog)
    assert lost == "lost\nalso: 'b'\nwhich: 2"
    assert nothing == "Unhandled exception in event loop"


def test_a_loop_says_what_it_is():
    loop = new_event_loop()
    assert repr(loop) == "<EventLoop idle>"
    assert "print" in repr(loop.call_soon(print, 1))
    loop.close()
    assert repr(loop) == "<EventLoop closed>"
