"""The programs of lesson 19, which are sent signals, and those who visit its servers."""

import asyncio
import os
import signal
import sys
import time

import fastapi
import pytest

from helpers.props import visitors
from helpers.props.program import program

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")


# A program that is sent signals


async def holds_on():
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    print(server.sockets[0].getsockname()[1], flush=True)
    waiting = asyncio.create_task(told.wait(), name="waiting")
    await waiting


async def exits_when_told():
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, sys.exit, 3)
    print(1, flush=True)
    await asyncio.sleep(60)


async def prints_nothing():
    raise KeyError("no port")


@posix_only
def test_a_program_hears_a_signal_and_tells_what_its_tasks_did():
    with program(holds_on) as server:
        assert server.returncode is None
        server.send_signal(signal.SIGTERM)
        rec = server.recording()
        assert rec.lane("waiting").outcome == "done"
        assert server.recording().lane("waiting").outcome == "done"  # it may be asked again
    assert server.returncode == 0


@posix_only
def test_a_program_that_exits_has_a_recording_and_one_that_is_killed_has_none():
    with program(exits_when_told) as server:
        server.send_signal(signal.SIGTERM)
        assert server.recording() is not None
    assert server.returncode == 3
    with program(holds_on) as server:
        server.send_signal(signal.SIGKILL)
        assert server.recording() is None
    assert server.returncode == -signal.SIGKILL


@posix_only
def test_a_program_stays_when_the_stop_button_interrupts_its_group():
    with program(holds_on) as server:
        server.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert server.returncode is None


def test_a_program_that_prints_no_port_is_named(capfd):
    with pytest.raises(RuntimeError, match="did not print its port"):
        program(prints_nothing)
    assert "no port" in capfd.readouterr().err


# The visitors of lesson 19


async def keep(websocket):
    await websocket.wait_closed()


async def in_turn(websockets, message):
    for websocket in websockets:
        await websocket.send(message)


async def as_tasks(websockets, message):
    for websocket in list(websockets):
        sending.add(asyncio.create_task(websocket.send(message)))


sending = set()


def test_a_client_that_does_not_read_stalls_those_who_send_in_turn():
    quick, slow = asyncio.run(visitors.two_clients(keep, in_turn))
    numbers = [number for _, number in quick]
    assert numbers == list(range(len(numbers)))
    assert 0 < len(numbers) < visitors.MESSAGES
    assert [number for _, number in slow][:2] == [0, 1]


def test_a_client_that_does_not_read_stalls_nobody_else_where_each_has_a_task():
    async def main():
        try:
            return await visitors.two_clients(keep, as_tasks)
        finally:
            await asyncio.gather(*sending, return_exceptions=True)

    quick, _ = asyncio.run(main())
    assert {number for _, number in quick} == set(range(visitors.MESSAGES))


def test_events_come_as_they_are_put_and_the_server_is_gone_after_them():
    boxes = set()

    async def events():
        box = asyncio.Queue()
        boxes.add(box)
        try:
            while True:
                yield f"data: {await box.get()}\n\n"
        finally:
            boxes.discard(box)

    app = fastapi.FastAPI()
    app.get("/news")(
        lambda: fastapi.responses.StreamingResponse(events(), media_type="text/event-stream")
    )
    lines = asyncio.run(visitors.first_events(app, "/news", boxes, ["a", "b"]))
    assert lines == ["data: a", "", "data: b", ""]
    assert not boxes


class Listened:
    """An application whose only page goes on until it is cancelled, or its listener leaves."""

    def __init__(self):
        self.cancelled = False

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        await receive()  # the request
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"now", "more_body": True})
        try:
            await receive()  # the listener's end
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.mark.parametrize("limit", [None, 1])
def test_a_server_of_events_stops_in_time_only_with_a_limit(limit):
    app = Listened()
    in_time = asyncio.run(visitors.stops_in_time(app, "/", limit))
    assert in_time is app.cancelled is (limit is not None)


async def takes_its_time():
    async def answer(reader, writer):
        number, seconds = (await reader.readline()).split()
        await asyncio.sleep(float(seconds))
        writer.write(number + b"\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(60)


@posix_only
def test_those_who_ask_around_a_signal_get_answers_before_it_and_none_after():
    answers, rec = asyncio.run(visitors.end_of(takes_its_time))
    assert answers[:3] == ["1", "no answer", "no answer"] or answers[:3] == [
        "1",
        "ConnectionResetError",
        "ConnectionResetError",
    ]
    assert answers[3] == "ConnectionRefusedError"
    assert rec is None  # it did nothing about the signal


def speaks(*words, until_told):
    """A server that says its words in turn; `until_told` is how many before it hears the signal."""

    async def serves():
        told, left = asyncio.Event(), list(words)

        async def answer(reader, writer):
            await reader.readline()
            if len(left) <= len(words) - until_told:
                await told.wait()
            writer.write(left.pop(0))
            writer.close()
            if not left:
                server.close()
                done.set()

        done = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await done.wait()

    return serves


@posix_only
def test_a_server_is_asked_whether_it_is_ready_until_it_refuses():
    server = speaks(b"yes\n", b"no\n", b"no\n", b"later\n", until_told=1)
    assert asyncio.run(visitors.readiness_of(server)) == ["yes", "no", "later", "refused"]


@posix_only
def test_a_server_that_never_refuses_is_given_up(monkeypatch):
    monkeypatch.setattr(visitors, "OVERDUE", 0.3)
    with pytest.raises(TimeoutError):
        asyncio.run(visitors.readiness_of(speaks(*[b"no\n"] * 1000, until_told=1000)))
