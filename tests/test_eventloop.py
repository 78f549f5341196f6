"""The course's own event loop, stage by stage: order, errors, cancelling, and what it is told."""

import asyncio
import contextlib
import gc
import importlib.util
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import tokenize
import types
from pathlib import Path

import httpx
import pytest

from helpers.eventloop import new_event_loop, ready, run, sockets, tasks, timers
from helpers.eventloop.sockets import accept, connect, recv, send_all, until
from helpers.eventloop.tasks import CancelledError, Future, sleep
from helpers.upkeep import bench_loops
from tests import cpython_suites

pytestmark = pytest.mark.loop
ROOT = Path(__file__).resolve().parent.parent
STAGES = pytest.mark.parametrize("Loop", [tasks.Loop, sockets.Loop])


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


# Stage 1


def test_a_turn_each_and_who_ends_does_not_queue_again():
    log = []

    def count(name, number):
        for step in range(number):
            log.append(f"{name}{step}")
            yield

    loop = ready.Loop()
    for name, number in [("a", 1), ("b", 3), ("c", 3)]:
        loop.spawn(count(name, number))
    assert log == []  # to spawn is not to run
    loop.run()
    assert log == ["a0", "b0", "c0", "b1", "c1", "b2", "c2"]


@pytest.mark.parametrize("Loop", [ready.Loop, timers.Loop, tasks.Loop])
def test_a_function_is_no_coroutine(Loop):
    async def work():
        pass

    with pytest.raises(TypeError, match=r"call it: spawn\(work\(\)\), not spawn\(work\)"):
        Loop().spawn(work)


# Stage 2


def test_sleepers_wake_by_their_deadlines_and_ties_by_their_order():
    log = []

    async def sleeps(name, seconds):
        await timers.sleep(seconds)
        log.append(name)

    loop = timers.Loop()
    for name, seconds in [("c", 0.03), ("a", 0.01), ("b", 0.02), ("none", 0), ("less", -1)]:
        loop.spawn(sleeps(name, seconds))
    loop.run()
    assert log == ["none", "less", "a", "b", "c"]

    log.clear()
    loop = timers.Loop()
    deadline = time.monotonic() + 0.01
    for name in "xyz":
        loop.wake_at(deadline, sleeps(name, 0))  # three that can't be compared
    loop.run()
    assert log == ["x", "y", "z"]


def test_a_loop_that_waits_takes_no_processor_time():
    loop = timers.Loop()
    loop.spawn(timers.sleep(0.3))
    wall, cpu = time.perf_counter(), time.process_time()
    loop.run()
    assert time.perf_counter() - wall >= 0.3
    assert time.process_time() - cpu < 0.1


# Stage 3


@STAGES
def test_results_and_errors_reach_whoever_awaits(Loop):
    async def give(value):
        await sleep(0)
        return value

    async def fail():
        await sleep(0)
        raise ValueError("broken")

    async def main():
        one, two, bad = loop.spawn(give(1)), loop.spawn(give(2)), loop.spawn(fail())
        with pytest.raises(ValueError, match="broken"):
            await bad
        with pytest.raises(ValueError, match="broken"):
            await bad  # again, and at once
        return await one + await two + await one

    loop = Loop()
    assert loop.run(main()) == 4
    assert not loop.tasks and not loop.ready


@STAGES
def test_run_raises_the_error_of_main_and_cancels_the_rest(Loop):
    log = []

    async def stays():
        try:
            await sleep(60)
        finally:
            log.append("cleaned up")

    async def main():
        loop.spawn(stays())
        await sleep(0)
        raise KeyError("main")

    loop = Loop()
    with pytest.raises(KeyError, match="main"):
        loop.run(main())
    assert log == ["cleaned up"]


def test_a_future_wakes_all_its_waiters_and_late_ones_too():
    async def waits():
        return await future

    async def main():
        early = [loop.spawn(waits()) for _ in range(3)]
        await sleep(0)
        future.set_result(7)
        late = loop.spawn(waits())
        return [await task for task in [*early, late]]

    loop, future = tasks.Loop(), Future()
    assert loop.run(main()) == [7, 7, 7, 7]
    with pytest.raises(RuntimeError, match="A future is set once"):
        future.set_result(8)
    with pytest.raises(RuntimeError, match="Await it first"):
        Future().result()


@STAGES
@pytest.mark.parametrize("turns", [0, 1, 2])
@pytest.mark.parametrize("times", [1, 2])
def test_cancel_before_the_first_step_while_ready_and_while_asleep_once_and_twice(
    Loop, turns, times
):
    log = []

    async def works():
        log.append("begun")
        try:
            await sleep(0)  # ready again
            await sleep(60)  # asleep
        finally:
            log.append("cleaned up")

    async def main():
        task = loop.spawn(works())
        for _ in range(turns):
            await sleep(0)
        assert all([task.cancel() for _ in range(times)])
        with pytest.raises(CancelledError):
            await task
        assert not task.cancel()
        await sleep(0.01)  # a stale timer, or a second turn, would show here
        return task

    loop = Loop()
    assert loop.run(main()).done()
    assert log == (["begun", "cleaned up"] if turns else [])
    assert not loop.ready


def test_a_task_may_refuse_to_be_cancelled_and_then_waits_on():
    async def stubborn():
        with contextlib.suppress(CancelledError):
            await sleep(60)
        await sleep(0.01)
        return "refused"

    async def main():
        task = loop.spawn(stubborn())
        await sleep(0)
        task.cancel()
        return await task

    loop = tasks.Loop()
    assert loop.run(main()) == "refused"


def test_a_task_that_cancels_itself_does_not_wait():
    async def main():
        me[0].cancel()
        await sleep(60)

    loop = tasks.Loop()
    me = []
    coro = main()
    spawn = loop.spawn

    def remember(coro):
        me.append(spawn(coro))
        return me[0]

    loop.spawn = remember
    begun = time.perf_counter()
    with pytest.raises(CancelledError):
        loop.run(coro)
    assert time.perf_counter() - begun < 30


@STAGES
def test_a_storm_of_cancelled_timers_leaves_nothing_behind(Loop):
    async def main():
        sizes = []
        loop.spawn(sleep(1800))  # a live one before them all: nobody comes to the void ones
        for _ in range(20):
            storm = [loop.spawn(sleep(3600)) for _ in range(500)]
            await sleep(0)
            for task in storm:
                task.cancel()
            await sleep(0)
            sizes.append(len(loop.sleeping))
        return sizes

    loop = Loop()
    assert max(loop.run(main())) <= 1000


def test_a_deadlock_names_each_task_and_its_line():
    async def waits(other):
        await other

    async def main():
        await loop.spawn(waits(Future()), name="left")

    line = main.__code__.co_firstlineno + 1
    loop = tasks.Loop()
    with pytest.raises(
        RuntimeError, match=f"Deadlock: .* left at line {line - 3}, main at line {line}"
    ):
        loop.run(main())


def test_a_deadlock_is_not_kept_waiting_by_a_timeout_that_was_cancelled():
    async def main():
        timeout = loop.spawn(sleep(3600))
        await sleep(0)
        timeout.cancel()
        await Future()

    loop = tasks.Loop()
    with pytest.raises(RuntimeError, match="Deadlock"):
        loop.run(main())


def test_what_the_loop_does_not_know_is_told_to_the_task():
    @types.coroutine
    def foreign():
        yield 42

    async def main():
        with pytest.raises(TypeError, match="yielded 42, and this loop can't wait for that"):
            await foreign()
        return "goes on"

    assert tasks.Loop().run(main()) == "goes on"


def test_an_error_that_nobody_awaits_is_printed(capsys):
    async def fail():
        raise ValueError("unseen")

    async def main():
        loop.spawn(fail())
        await sleep(0.01)

    loop = tasks.Loop()
    gc.disable()  # it is told at once, not when the collector comes round
    try:
        loop.run(main())
    finally:
        gc.enable()
    said = capsys.readouterr().err
    assert "ValueError: unseen" in said and "<Task 'fail'> failed, and nobody awaited it" in said
    assert "tasks.py" not in said  # the traceback is the learner's


def test_an_error_that_was_seen_is_not_printed(capsys):
    async def fail():
        raise ValueError("seen")

    async def main():
        with contextlib.suppress(ValueError):
            await loop.spawn(fail())

    loop = tasks.Loop()
    loop.run(main())
    gc.collect()
    assert capsys.readouterr().err == ""


INTERRUPTED = """
import os, signal, threading
from helpers.eventloop import sockets, tasks
loop = {Loop}()
async def stays():
    try:
        await tasks.sleep(60)
    finally:
        print("cleaned up")
async def main():
    loop.spawn(stays())
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    {body}
try:
    loop.run(main())
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("Loop", ["tasks.Loop", "sockets.Loop"])
@pytest.mark.parametrize("body", ["await tasks.sleep(60)", "while True: await tasks.sleep(0)"])
def test_the_keyboard_stops_it_and_the_tasks_clean_up(Loop, body):
    program = INTERRUPTED.format(Loop=Loop, body=body)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["cleaned up", "stopped"], done.stdout + done.stderr
    assert "Traceback" not in done.stderr


# Stage 4


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


# Stage 5

HAS_TEST_PACKAGE = importlib.util.find_spec("test.test_asyncio") is not None
SUITES = {  # name: the fewest tests that must have run, on any of 3.11 to 3.13
    "test_taskgroups": 35,
    "test_queues": 40,
    "test_locks": 70,
    "test_timeouts": 25,
    "test_waitfor": 15,
    "test_pep492": 10,
    "test_threads": 6,
    "test_streams": 55,
    "test_runners": 25,
    "test_events": 30,
}


@pytest.mark.skipif(not HAS_TEST_PACKAGE, reason="this Python came without its `test` package")
@pytest.mark.parametrize("name", SUITES)
def test_cpythons_own_tests_pass(name):
    done = subprocess.run(
        [sys.executable, "-m", "tests.cpython_suites", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (number,) = re.findall(r"^Ran (\d+) tests", done.stderr, re.MULTILINE)
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


def test_what_is_left_out_of_cpythons_tests_is_short():
    left_out = {
        name: [
            test.id().rpartition(".")[2]
            for test in cpython_suites.tests_of(name)
            if cpython_suites.reason(test)
        ]
        for name in SUITES
    }
    assert [name for name, tests in left_out.items() if tests] == ["test_streams", "test_events"]
    used = {
        cpython_suites.reason(test) for name in SUITES for test in cpython_suites.tests_of(name)
    }
    since = {
        "asks for asyncio.trsock, which is private": (3, 12),
        "asks for asyncio.events._ThreadSafeHandle": (3, 14),
    }
    for reason in cpython_suites.LEFT_OUT.keys() - used:
        assert sys.version_info < since[reason], "a reason that leaves nothing out"


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


# What it is made of


def code_lines(path):
    """The numbers of the lines that hold code: no comments, no docstrings, no empty lines."""
    lines, statement = set(), True
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (
                tokenize.NEWLINE,
                tokenize.INDENT,
                tokenize.DEDENT,
                tokenize.ENCODING,
            ):
                statement = True
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
                if not (statement and token.type == tokenize.STRING):
                    lines.update(range(token.start[0], token.end[0] + 1))
                statement = False
    return len(lines)


def test_each_stage_is_small_and_nothing_private_is_imported():
    folder = ROOT / "helpers" / "eventloop"
    limits = {
        "__init__": 5,
        "ready": 20,
        "timers": 46,
        "tasks": 141,
        "sockets": 125,
        "transports": 130,
        "asyncio_loop": 240,
    }
    assert {path.stem for path in folder.glob("*.py")} == set(limits)
    for name, limit in limits.items():
        path = folder / f"{name}.py"
        assert code_lines(path) <= limit, name
        imported = re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
        assert not [module for module in imported if module.startswith("asyncio.")]
        assert not [module for module in imported if module.startswith("helpers")]


def test_the_bench_runs_the_same_work_on_each_loop():
    for work in (
        bench_loops.switches(3, 4),
        bench_loops.sleeps(5, 0.01),
        bench_loops.cancelled_timers(200),
        bench_loops.echoes(3, 4),
    ):
        speeds = bench_loops.speeds(work, repeats=1, beside="asyncio")
        assert {"library", "asyncio"} <= set(speeds) and min(speeds.values()) > 0
        assert speeds["asyncio"] == 1
    assert 100 < bench_loops.bytes_a_task("own", 20_000) < 3000
    assert bench_loops.cost_a_step(1000, 3000) > 0
