"""The patterns that lesson 19 teaches, run as a learner would run them who copied them.

Parts that may fail, connections that are lent, transactions, boxes, and a server with its end: on a
virtual clock, with nothing to do, with something that fails, cancelled at each suspension, and with
clients that never read, never write or trickle.
"""

import asyncio
import types
from contextlib import suppress

import httpx
import pytest

from helpers import run
from tests.patterns import Wire, cancelled_everywhere, pattern

SERVER = "ending", "state", "reply", "server"


def server_of_19(*more, **names):
    """The server of lesson 19, and what these cells define besides."""
    return pattern("19", *SERVER, *more, **names)


# Parts of an answer


@pytest.mark.parametrize("error", [None, httpx.ReadError("")])
@pytest.mark.parametrize("seconds, shown", [(0.1, "part"), (5, "?")])
def test_a_part_that_fails_or_is_late_has_its_default(error, seconds, shown):
    async def part():
        await asyncio.sleep(seconds)
        if error:
            raise error
        return "part"

    or_else = pattern("19", "default").or_else
    assert run(or_else("?", 0.3, part()), clock="virtual") == ("?" if error else shown)
    assert cancelled_everywhere(lambda: or_else("?", 0.3, part()))


def test_a_part_that_is_wrong_has_no_default():
    async def part():
        raise KeyError("stars")

    with pytest.raises(KeyError):
        run(pattern("19", "default").or_else("?", 0.3, part()), clock="virtual")


# Connections that are lent


async def ask(connection, sql, *values):
    """A driver whose connections are lists of what they were asked."""
    connection.append(sql)
    await asyncio.sleep(0.05)
    if sql == "fails":
        raise OSError(sql)


@pytest.mark.parametrize("questions", [[], ["fine"] * 5, ["fine", "fails", "fine"]])
def test_a_pool_gets_back_what_it_lent(questions):
    lesson = pattern("19", "pool", "ask-pool", ask=ask)
    pools = []

    async def all_asked():
        pools.append(pool := lesson.Pool([[], []]))
        with suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                for sql in questions:
                    group.create_task(lesson.ask_pool(pool, sql))

    cancelled_everywhere(all_asked)
    assert [pool.free.qsize() for pool in pools] == [2] * len(pools)


@pytest.mark.parametrize("sql, end", [("fine", "commit"), ("fails", "rollback")])
def test_a_transaction_that_began_is_asked_to_end(sql, end):
    lesson = pattern("19", "transaction", ask=ask)
    connections, entered = [], []

    async def changes():
        connections.append(connection := [])
        with suppress(OSError):
            async with lesson.transaction(connection):
                entered.append(connection)
                await ask(connection, sql)

    run(changes(), clock="virtual")
    assert connections == [["begin", sql, end]]
    cancelled_everywhere(changes)
    assert all(len(asked) == 3 and asked[-1] in (end, "rollback") for asked in entered)
    assert len(entered) < len(connections)


# Boxes


class Client:
    """A WebSocket's server side. seconds: what a `send` takes.  stays: until the client leaves."""

    def __init__(self, seconds, stays=1):
        self.seconds, self.stays, self.got = seconds, stays, []

    async def send(self, message):
        await asyncio.sleep(self.seconds)
        self.got.append(message)

    async def wait_closed(self):
        await asyncio.sleep(self.stays)


def test_a_slow_client_loses_the_oldest_and_stalls_nobody():
    lesson = pattern("19", "deliver", "keep-box", "newest")
    quick, slow = Client(0.001), Client(3600)

    async def thirty_messages():
        keeping = [asyncio.create_task(lesson.keep_box(one)) for one in (quick, slow)]
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        start = loop.time()
        for number in range(30):
            await lesson.newest_counts(lesson.boxes, number)
            await asyncio.sleep(0.01)
        took, waiting = loop.time() - start, [*lesson.boxes[slow]._queue]
        await asyncio.gather(*keeping)
        return took, waiting

    took, waiting = run(thirty_messages(), clock="virtual")
    assert took == pytest.approx(0.3)
    assert quick.got == [*range(30)]
    assert waiting == [*range(22, 30)]
    assert not lesson.boxes


@pytest.mark.parametrize("seconds", [0.01, 3600])
def test_a_box_is_taken_away_wherever_its_handler_is_cancelled(seconds):
    lesson = pattern("19", "deliver", "keep-box", "newest")

    async def one_client():
        async with asyncio.TaskGroup() as group:
            group.create_task(lesson.keep_box(Client(seconds, stays=0.1)))
            await asyncio.sleep(0)
            for number in range(3):
                await lesson.newest_counts(lesson.boxes, number)

    assert cancelled_everywhere(one_client)
    assert not lesson.boxes


# Events


async def takes_nothing(message):
    """A client, as an ASGI server shows it, that takes the head of an answer and no more."""
    if message.get("body"):
        await asyncio.sleep(3600)


@pytest.mark.parametrize("waits_in", ["the box", "send"])
def test_a_listeners_box_goes_with_its_answer_wherever_that_is_cancelled(waits_in):
    lesson = pattern("19", "sse", "closing")

    async def boxes_left():
        answer = lesson.Closing(lesson.events(), media_type="text/event-stream")
        streaming = asyncio.create_task(answer.stream_response(takes_nothing))
        await asyncio.sleep(0.1)
        [box] = lesson.listeners
        if waits_in == "send":
            box.put_nowait(300)
        await asyncio.sleep(0.1)
        streaming.cancel()
        await asyncio.wait([streaming])
        return len(lesson.listeners)  # while `answer` is held: no collector has closed it

    assert run(boxes_left(), clock="virtual") == 0


# The server


async def client_of(wire, *steps):
    """Send bytes over a wire, and wait for seconds in between."""
    for step in steps:
        if isinstance(step, bytes):
            wire.reader.feed_data(step)
        else:
            await asyncio.sleep(step)


@pytest.mark.parametrize(
    "steps, reads, sent, latest",
    [
        ([b"7 0.1\n"], True, b"done\n", 0.1),
        ([b"rea", 1, b"dy\n"], True, b"yes\n", 1),
        ([b"7 0.1\n"], False, b"done\n", 10.4),
        ([], True, b"", 10),
        ([], False, b"", 10.3),
        ([b"7 ", *[1, b"0"] * 60], True, b"", 10),
        ([b"7 ", *[1, b"0"] * 60], False, b"", 10.3),
        ([b"hello\n"], True, b"", 0),
        ([b"\n"], True, b"", 0),
        ([b"y" * 10**6], True, b"", 0),
    ],
)
def test_a_handler_lets_go_of_every_client_in_time(steps, reads, sent, latest):
    lesson = server_of_19()
    wires = []

    async def one_client():
        wires.append(wire := Wire(reads))
        sending = asyncio.create_task(client_of(wire, *steps))
        try:
            await lesson.answer(wire.reader, wire.writer)
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError):
                await sending
        return asyncio.get_running_loop().time()

    async def timed():
        start = asyncio.get_running_loop().time()
        return await one_client() - start

    assert run(timed(), clock="virtual") <= latest + 0.001
    assert wires[0].sent == sent and wires[0].lost
    assert wires[0].aborted is not reads
    assert cancelled_everywhere(one_client)
    assert all(wire.lost for wire in wires)
    assert not lesson.under_way


# Its end


async def request(ends):
    """A request that ends when it is cancelled, or not even then."""
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(3600)
    if not ends:
        await asyncio.sleep(3600)


@pytest.mark.parametrize("stubborn", [0, 1, 2])
@pytest.mark.parametrize("requests", [0, 1, 3])
def test_a_server_ends_idle_or_not(requests, stubborn):
    async def ends():
        aborted = []
        lesson = pattern("19", "state", "finish")
        for number in range(requests):
            task = asyncio.create_task(request(ends=number >= stubborn))
            transport = types.SimpleNamespace(abort=lambda n=number: aborted.append(n))
            lesson.under_way[task] = types.SimpleNamespace(transport=transport)
            task.add_done_callback(lesson.under_way.pop)
        await asyncio.sleep(0)
        await asyncio.wait_for(lesson.finish(0.6), 5)
        for task in lesson.under_way:
            task.cancel()
        return aborted

    assert run(ends(), clock="virtual") == [*range(min(requests, stubborn))]


def test_a_server_says_that_it_is_not_ready_while_it_still_accepts():
    async def told_to_end():
        loop = asyncio.get_running_loop()
        seen = []

        async def listen(when_told):
            loop.call_later(1, when_told)
            return types.SimpleNamespace(close=lambda: seen.append((loop.time(), "closed")))

        lesson = server_of_19("finish", "drains", listen=listen)
        start = loop.time()
        ending = asyncio.create_task(lesson.drains(notice=2))
        for at in 0.5, 1, 1:
            await asyncio.sleep(at)
            seen.append((loop.time(), await lesson.reply(b"ready\n")))
        await ending
        return [(round(when - start, 3), what) for when, what in seen]

    assert run(told_to_end(), clock="virtual") == [
        (0.5, b"yes\n"),
        (1.5, b"no\n"),
        (2.5, b"no\n"),
        (3.0, "closed"),
    ]


def test_the_end_of_an_idle_server_can_be_cancelled_anywhere():
    async def listen(when_told):
        when_told()
        return types.SimpleNamespace(close=lambda: None)

    def ending():
        return server_of_19("finish", "drains", listen=listen).drains(notice=1)

    assert cancelled_everywhere(ending)
