"""Stage 5 of the course's event loop: asyncio's own library and tests on it."""

import asyncio
import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from helpers.eventloop import new_event_loop, run
from helpers.eventloop.tasks import sleep
from tests import cpython_suites

pytestmark = pytest.mark.loop
ROOT = Path(__file__).resolve().parent.parent


HAS_TEST_PACKAGE = importlib.util.find_spec("test.test_asyncio") is not None
SUITES = {  # name: the fewest tests that must have run, on any of 3.11 to 3.13
    "test_taskgroups": 35,
    "test_queues": 40,
    "test_locks": 70,
    "test_timeouts": 25,
    "test_waitfor": 15,
    "test_pep492": 10,
    "test_threads": 6,
    "test_runners": 25,
    "test_streams": 57,
    "test_events": 125,
    "test_server": 4 if sys.version_info >= (3, 13) else 0,
    "test_sock_lowlevel": 30,
    "test_buffered_proto": 1,
    "test_ssl": 18,
    "test_sslproto": 20,
}


def suite(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.cpython_suites", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.skipif(not HAS_TEST_PACKAGE, reason="this Python came without its `test` package")
@pytest.mark.parametrize("name", SUITES)
def test_cpythons_own_tests_pass(name):
    done = suite(name)
    assert done.returncode == 0, done.stderr[-4000:]
    (number,) = re.findall(r"^Ran (\d+) tests?", done.stderr, re.MULTILINE)
    assert int(number) >= SUITES[name]


@pytest.mark.skipif(not HAS_TEST_PACKAGE, reason="this Python came without its `test` package")
def test_cpythons_tests_go_red_on_a_loop_that_is_wrong():
    program = (
        "from helpers.eventloop import asyncio_loop\n"
        "from tests import cpython_suites\n"
        "asyncio_loop.EventLoop.call_later = lambda self, delay, function, *args, **more: "
        "self.call_soon(function, *args, **more)\n"
        "raise SystemExit(cpython_suites.main('test_timeouts'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1 and "FAILED" in done.stderr


LACKING = ["test_events", "test_server", "test_sock_lowlevel", "test_streams"]
if sys.version_info >= (3, 14):
    LACKING.append("test_sslproto")


@pytest.mark.skipif(not HAS_TEST_PACKAGE, reason="this Python came without its `test` package")
@pytest.mark.parametrize("name", LACKING)
def test_what_is_left_out_of_cpythons_tests_would_fail(name):
    said = suite("--left-out", name).stderr
    assert not re.findall(r"^.* \.\.\. ok$", said, re.MULTILINE)
    assert re.findall(r"^FAILED \(", said, re.MULTILINE), said[-4000:]


@pytest.mark.skipif(not HAS_TEST_PACKAGE, reason="this Python came without its `test` package")
def test_what_is_left_out_of_cpythons_tests_is_short():
    reasons = {
        name: {cpython_suites.reason(test) for test in cpython_suites.tests_of(name)} - {None}
        for name in SUITES
    }
    lacking = {name for name in SUITES if reasons[name] - cpython_suites.NEVER_END}
    assert lacking == set(LACKING)
    since = {
        "asks for server._attach": (3, 12),
        "asks for asyncio.trsock, which is private": (3, 12),
        "asks for asyncio.events._ThreadSafeHandle": (3, 14),
        "asks for loop._make_socket_transport": (3, 14),
        "asks for transport._read_ready_cb": (3, 14),
        "tries several addresses at once": (3, 14),
    }
    for reason in cpython_suites.LEFT_OUT.keys() - set().union(*reasons.values()):
        unused = cpython_suites.LEFT_OUT[reason]
        assert not unused or sys.version_info < since[reason], "a reason that leaves nothing out"


def test_an_error_in_a_callback_is_told_and_the_loop_goes_on():
    async def main():
        told, done = [], asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
        loop.call_soon(lambda: 1 / 0)
        loop.call_later(0.01, lambda: [][0])
        loop.call_later(0.02, done.set)
        await done.wait()
        return [type(error) for error in told]

    assert run(main()) == [ZeroDivisionError, IndexError]


def test_a_storm_of_cancelled_calls_leaves_nothing_behind():
    async def main():
        loop, sizes = asyncio.get_running_loop(), []
        loop.call_later(1800, print)
        for _ in range(20):
            for call in [loop.call_later(3600, print) for _ in range(500)]:
                call.cancel()
            await asyncio.sleep(0)
            sizes.append(len(loop.sleeping))
        return sizes

    assert max(run(main())) <= 1000


def test_a_call_that_is_cancelled_while_it_is_ready_is_not_made():
    async def main():
        loop, log = asyncio.get_running_loop(), []
        call = loop.call_later(0, log.append, "timer")
        loop.call_soon(call.cancel)
        time.sleep(0.01)  # the timer is due in the same turn, behind its cancelling
        await asyncio.sleep(0.01)
        return log, call.cancelled()

    assert run(main()) == ([], True)


def test_a_loop_that_was_stopped_before_it_runs_gives_one_turn():
    loop, log = new_event_loop(), []
    loop.call_soon(log.append, "first")
    loop.call_soon(loop.call_soon, log.append, "second")
    loop.stop()
    loop.run_forever()
    assert log == ["first"]
    loop.close()


@pytest.mark.parametrize("start", [asyncio.run, run])
def test_what_is_ready_goes_before_a_timer_that_is_due(start):
    async def main():
        loop, log = asyncio.get_running_loop(), []
        loop.call_later(0, log.append, "timer")
        loop.call_soon(loop.call_soon, log.append, "asked for by a call")
        loop.call_soon(log.append, "soon")
        log.append("now")
        await asyncio.sleep(0.01)
        return log

    assert start(main()) == ["now", "soon", "timer", "asked for by a call"]


def test_the_learners_tasks_run_beside_asyncios():
    async def own(log):
        for number in range(3):
            await sleep(0.01)
            log.append(number)

    async def main():
        log, loop = [], asyncio.get_running_loop()
        task = loop.spawn(own(log))
        while not task.done():
            await asyncio.sleep(0.001)
        return log

    assert run(main()) == [0, 1, 2]


def test_a_protocol_that_fails_loses_its_connection_and_no_more():
    class Fails(asyncio.Protocol):
        def data_received(self, data):
            raise ValueError("of the protocol")

        def connection_lost(self, error):
            lost.append(error)

    lost = []

    async def main():
        loop = asyncio.get_running_loop()
        told = []
        loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
        server = await loop.create_server(Fails, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"x")
        assert await reader.read() == b""
        writer.close()
        server.close()
        return [str(error) for error in told]

    assert run(main()) == ["of the protocol"]
    assert [str(error) for error in lost] == ["of the protocol"]


def test_signals_reach_a_loop_that_waits():
    async def main():
        heard = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, heard.set)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        await heard.wait()
        return loop.remove_signal_handler(signal.SIGUSR1)

    assert run(main()) is True
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL


def test_backpressure_holds_a_writer_whose_reader_is_slow():
    async def main():
        async def reads_late(reader, writer):
            await may_read.wait()
            got.append(len(await reader.read()))
            writer.close()

        may_read, got, told = asyncio.Event(), [], []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))
        server = await asyncio.start_server(reads_late, "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        sent = 20_000_000
        writer.write(bytes(sent))  # in one piece, of which the socket takes a part at a time
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                while True:
                    writer.write(bytes(100_000))
                    sent += 100_000
                    await writer.drain()
        held = sent
        may_read.set()
        await writer.drain()
        writer.write_eof()
        while not got:
            await asyncio.sleep(0.01)
        writer.close()
        server.close()
        return held, got[0], told

    held, got, told = run(main())
    assert got == held < 50_000_000 and not told


def test_a_half_closed_connection_is_still_answered():
    async def main():
        async def answers(reader, writer):
            writer.write((await reader.read()).upper())
            writer.close()

        server = await asyncio.start_server(answers, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello")
        writer.write_eof()
        answer = await reader.read()
        writer.close()
        server.close()
        return answer

    assert run(main()) == b"HELLO"


def test_httpx_asks_fastapi_on_uvicorn_all_on_this_loop():
    import fastapi
    import uvicorn

    app = fastapi.FastAPI()

    @app.get("/slow/{number}")
    async def slow(number: int):
        assert type(asyncio.get_running_loop()) is new_event_loop
        await asyncio.sleep(0.2)
        return {"number": number}

    async def main():
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        begun = time.perf_counter()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            answers = await asyncio.gather(*[client.get(f"/slow/{n}") for n in range(30)])
        took = time.perf_counter() - begun
        server.should_exit = True
        await serving
        return [answer.json()["number"] for answer in answers], took

    numbers, took = run(main())
    assert numbers == list(range(30))
    assert took < 30 * 0.2  # one after another it would be more


def test_run_is_exported_as_uvloop_exports_its_own():
    async def main():
        return type(asyncio.get_running_loop())

    assert run(main()) is new_event_loop
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        assert runner.run(main()) is new_event_loop
