"""The load generator: what it tells is true of known servers, and it is nobody's bottleneck."""

import asyncio
import itertools
import math
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager

import psutil
import pytest

from helpers import services
from helpers.basics.numbers import percentile
from helpers.basics.project import PROJECT
from helpers.measuring import load as load_module
from helpers.measuring.load import load

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def server(talk):
    """A server whose every connection is `await talk(reader, writer)`; gives its address."""
    loop, begun = asyncio.new_event_loop(), threading.Event()
    at = []

    async def main():
        listening = await asyncio.start_server(talk, "127.0.0.1", 0)
        at.append(listening.sockets[0].getsockname()[1])
        begun.set()
        await asyncio.Event().wait()

    def serve():
        with pytest.raises(asyncio.CancelledError):
            # Made here, for Python 3.14 keeps a thread's tasks apart from another's.
            loop.run_until_complete(main())

    thread = threading.Thread(target=serve)
    thread.start()
    begun.wait()
    yield f"http://127.0.0.1:{at[0]}"

    def stop():
        for left in asyncio.all_tasks(loop):
            left.cancel()

    loop.call_soon_threadsafe(stop)
    thread.join()
    loop.close()


def answering(*parts, close=False, pause=0.0, seen=None):
    """Answer each request with these parts, one write each; `seen` gets (connection, head)."""
    numbers = itertools.count()

    async def talk(reader, writer):
        connection = next(numbers)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if seen is not None:
                    seen.append((connection, head))
                for part in parts:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(pause)
                if close:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    return talk


def test_in_turn_one_connection_is_kept_and_each_client_has_its_own():
    seen = []
    with server(answering(OK, seen=seen)) as url:
        one = load(url, requests=20)
        assert one.answered == 20 and not one.errors
        assert len({connection for connection, _ in seen}) == 1
        seen.clear()
        load(url, requests=20, clients=5)
        assert len(seen) == 20 and 1 < len({connection for connection, _ in seen}) <= 5


def test_without_keeping_each_request_makes_a_connection_and_says_so():
    seen = []
    with server(answering(OK, seen=seen)) as url:
        assert load(url + "/page?n=1", requests=6, keep=False).answered == 6
    assert len({connection for connection, _ in seen}) == 6
    assert all(head.startswith(b"GET /page?n=1 HTTP/1.1\r\n") for _, head in seen)
    assert all(b"\r\nConnection: close\r\n" in head for _, head in seen)


@pytest.mark.parametrize(
    "parts, close",
    [
        ((b"HTTP/1.1 200 OK\r\nContent-Len", b"gth: 4\r\n\r\nab", b"cd"), False),
        (
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"2\r\nok\r\n0\r\n\r\n"),
            False,
        ),
        ((b"HTTP/1.0 200 OK\r\n\r\nas long", b" as it is open"), True),
        ((b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",), True),
        ((b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",), False),
    ],
)
def test_an_answer_is_whole_when_its_last_part_is_there(parts, close):
    with server(answering(*parts, close=close, pause=0.02)) as url:
        found = load(url, requests=3)
    assert found.answered == 3 and not found.errors
    assert found.p50 >= 0.019 * (len(parts) - 1)


@pytest.mark.parametrize("status", [404, 500, 503])
def test_a_status_that_says_no_is_an_error_by_its_number(status):
    with server(answering(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % status)) as url:
        found = load(url, requests=4, clients=2)
    assert found.errors == {str(status): 4} and found.answered == 0
    assert math.isnan(found.p50) and found.throughput == 0
    assert f"errors: 4 × {status}" in repr(found)
    assert "nan" not in repr(found)


def test_who_waits_too_long_gives_up_and_is_a_timeout():
    async def silent(reader, writer):
        await reader.read()
        writer.close()

    with server(silent) as url:
        found = load(url, requests=6, clients=3, timeout=0.1)
    assert found.errors == {"timeout": 6}
    assert found.seconds >= 0.19


def test_closed_reset_and_refused_are_told_apart():
    async def closes(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK[:30])
        writer.close()

    async def resets(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        linger_for_no_time = b"\x01\0\0\0\0\0\0\0"
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time
        )
        writer.transport.abort()

    with server(closes) as url:
        assert load(url, requests=2).errors == {"closed": 2}
    with server(resets) as url:
        assert load(url, requests=2).errors == {"reset": 2}
    assert load(url, requests=2).errors == {"refused": 2}


@pytest.mark.parametrize(
    "part",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok",
        b"HTTP/1.1 200",
    ],
)
def test_an_answer_that_is_cut_off_is_no_answer(part):
    with server(answering(part, close=True)) as url:
        found = load(url, requests=4, clients=2)
    assert found.errors == {"closed": 4} and found.answered == 0


def test_a_connection_that_was_closed_while_it_was_idle_is_not_asked_again():
    async def once(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK)
        writer.close()

    with server(once) as url:
        found = load(url, requests=4, rate=5)  # time enough to hear of the end before the next
    assert found.answered == 4 and not found.errors


def test_all_at_once_and_in_turn_take_the_time_they_must():
    with server(answering(b"", OK, pause=0.05)) as url:
        at_once = load(url, requests=40, clients=40, keep=False)
        in_turn = load(url, requests=8)
    assert at_once.answered == 40 and in_turn.answered == 8
    assert in_turn.seconds >= 8 * 0.05 and at_once.seconds < 40 * 0.05
    assert min(at_once.latencies) >= 0.049


def test_a_rate_is_kept_however_slow_the_server_is():
    seen = []
    with server(answering(b"", OK, pause=0.3, seen=seen)) as url:
        found = load(url, requests=20, rate=100)
    assert found.answered == 20
    assert 0.19 + 0.3 <= found.seconds < 20 * 0.3
    assert len({connection for connection, _ in seen}) > 10


def test_at_a_high_rate_a_late_request_does_not_make_the_next_one_late():
    with services.instant() as service:
        found = min(
            (load(service.url, requests=1000, rate=2000) for _ in range(3)),
            key=lambda found: found.seconds,
        )
    assert found.answered == 1000
    assert 0.49 <= found.seconds < 1  # a pause of its own for each would take longer


def test_at_a_rate_time_counts_from_when_a_request_was_due():
    """A server that stands still for a while is seen by all who came meanwhile."""

    def stands_still(seconds):
        once = [seconds]

        async def talk(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            if once:
                time.sleep(once.pop())  # blocks the server's loop
            writer.write(OK)
            writer.close()

        return talk

    with server(stands_still(0.4)) as url:
        found = load(url, requests=40, rate=100, keep=False)
    assert found.answered == 40
    assert sum(seconds > 0.1 for seconds in found.latencies) >= 25
    assert found.p50 > 0.1


def test_percentiles_are_values_that_were_measured():
    ordered = list(range(1, 101))
    assert percentile(ordered, 50) == 50
    assert percentile(ordered, 99) == 99
    assert percentile([7], 99) == percentile([7], 1) == 7
    assert percentile([1, 2, 3], 50) == 2


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"requests": 0}, "requests must be a whole number"),
        ({"clients": 1.5}, "clients must be a whole number"),
        ({"rate": 0}, "rate must be a number above 0"),
        ({"rate": 5, "clients": 5}, "not both"),
        ({"timeout": 61}, "at most 60"),
        ({"timeout": math.nan}, "above 0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong, says):
    with pytest.raises(ValueError, match=says):
        load("http://127.0.0.1:1/", **wrong)


@pytest.mark.parametrize("url", ["127.0.0.1:80", "https://127.0.0.1", ""])
def test_only_addresses_of_its_kind_are_taken(url):
    with pytest.raises(ValueError, match="url must be like"):
        load(url)


async def bare(scope, receive, send):
    """As little as an application on uvicorn can do."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


def test_the_generator_is_quicker_than_what_it_measures():
    with services.instant() as instant, services.web(bare, "uvicorn") as uvicorn:
        best = {"instant": 0.0, "uvicorn": 0.0}
        for _ in range(3):
            for name, service in ("instant", instant), ("uvicorn", uvicorn):
                found = load(service.url, requests=1000, clients=50)
                best[name] = max(best[name], found.throughput)
    assert best["instant"] > 2 * best["uvicorn"], best


def test_the_process_is_kept_for_the_next_call_and_replaced_when_it_died():
    with services.instant() as service:
        load(service.url, requests=1)
        first = load_module._generator.process.pid
        load(service.url, requests=1)
        assert load_module._generator.process.pid == first
        psutil.Process(first).kill()
        load_module._generator.process.wait()
        assert load(service.url, requests=1).answered == 1
        assert load_module._generator.process.pid != first


def test_a_failure_of_its_own_is_told():
    with pytest.raises(RuntimeError, match="load generator failed.*gaierror"):
        load("http://no.such.host.invalid/", requests=1)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_it_ends_in_the_middle_of_its_work_when_its_parent_is_killed():
    program = textwrap.dedent("""
        import sys, threading
        from helpers.measuring.load import _generator, load
        threading.Thread(target=load, args=sys.argv[1:], kwargs={"timeout": 50}).start()
        while _generator.process is None:
            threading.Event().wait(0.01)
        print(_generator.process.pid, flush=True)
        threading.Event().wait()
    """)
    silent = socket.create_server(("127.0.0.1", 0))  # here, so that it stays when the parent goes
    url = f"http://127.0.0.1:{silent.getsockname()[1]}"
    parent = subprocess.Popen(
        [sys.executable, "-c", program, url], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    child = psutil.Process(int(parent.stdout.readline()))
    asking, _ = silent.accept()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    try:
        child.wait(timeout=15)
    except psutil.TimeoutExpired:
        child.kill()
        pytest.fail("it outlived its parent")
    finally:
        asking.close()
        silent.close()
