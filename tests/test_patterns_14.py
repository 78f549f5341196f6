"""The patterns that lessons 14 to 23 teach, run as a learner would run them who copied them.

Each is taken from its notebook's cells by their ids, and run on a virtual clock: with nothing to
do, with something that fails, and cancelled at each suspension of each of its tasks. Servers are
run over real sockets, with clients that never read, never write or trickle. Those of lesson 19 are
in `test_patterns_19`, those of lesson 23 in `test_patterns_23`.
"""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from helpers import run
from tests.patterns import Wire, cancelled_everywhere, held, pattern

# Lesson 14: retries


def retries(answers):
    """`with_retries` of lesson 14 over a site that gives these statuses or errors, in turn."""
    asked = []

    async def details(client, page):
        await asyncio.sleep(0.01)
        asked.append(page)
        answer = answers[min(len(asked), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        request = httpx.Request("GET", "http://site")
        return httpx.Response(answer, request=request).raise_for_status()

    return pattern("14", "may-pass", "budget", "retry", details=details), asked


@pytest.mark.parametrize(
    "answers, requests",
    [
        ([200], 1),
        ([503, 429, 200], 3),
        ([404], 1),
        ([httpx.ReadError(""), 200], 2),
        ([httpx.PoolTimeout("")], 1),
        ([httpx.UnsupportedProtocol("")], 1),
        ([503], 4),
    ],
)
def test_a_retry_is_for_what_may_pass(answers, requests):
    lesson, asked = retries(answers)
    with suppress(httpx.HTTPError):
        run(lesson.with_retries(None, "page", lesson.Budget(99), tries=4), clock="virtual")
    assert len(asked) == requests


def test_retries_stop_at_the_budget_and_at_the_deadline():
    lesson, asked = retries([503])
    with pytest.raises(httpx.HTTPStatusError):
        run(lesson.with_retries(None, "page", lesson.Budget(2)), clock="virtual")
    assert len(asked) == 3
    with pytest.raises(TimeoutError):
        run(
            lesson.with_retries(None, "page", lesson.Budget(10**6), tries=10**6, seconds=3),
            clock="virtual",
        )


def test_retries_can_be_cancelled_anywhere():
    lesson, _ = retries([503, 503, 200])
    assert cancelled_everywhere(lambda: lesson.with_retries(None, "page", lesson.Budget(9)))


@pytest.mark.parametrize(
    "header, least, most",
    [
        ("7", 7, 7),
        ("in an hour", 3500, 3600),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("soon", 0, 1),
        ("-3", 0, 1),
        ("nan", 0, 1),
        pytest.param("9" * 5000, 0, 1, id="5,000 digits"),
        (None, 0, 1),
    ],
)
@pytest.mark.parametrize("lesson, cell", [("14", "polite"), ("23", "get")])
def test_retry_after_is_read_in_both_forms_and_nonsense_does_no_harm(
    lesson, cell, header, least, most
):
    if header == "in an hour":  # as a date, which stays out of the test's name
        header = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    response = httpx.Response(429, headers={"Retry-After": header} if header else {})
    assert least <= pattern(lesson, cell).seconds_told(response) <= most


# Lesson 16: closing time


async def numbers(count, every=0.02):
    for number in range(count):
        await asyncio.sleep(every)
        yield number


async def until_closed(lesson, source, after):
    closing_time = asyncio.Event()
    asyncio.get_running_loop().call_later(after, closing_time.set)
    got = [item async for item in lesson.while_open(closing_time, source)]
    return got, asyncio.get_running_loop().time()


def test_closing_time_comes_in_silence_too():
    lesson = pattern("16", "stop")

    async def timed(*args):
        start = asyncio.get_running_loop().time()
        got, end = await until_closed(lesson, *args)
        return got, end - start

    assert run(timed(numbers(9, 3600), 0.25), clock="virtual") == ([], pytest.approx(0.25))
    assert run(timed(numbers(0), 0.25), clock="virtual")[0] == []
    assert run(timed(numbers(3), 0.25), clock="virtual")[0] == [0, 1, 2]


def test_closing_time_passes_on_the_sources_error():
    async def breaks():
        yield 1
        raise KeyError("broken")

    with pytest.raises(KeyError):
        run(until_closed(pattern("16", "stop"), breaks(), 1), clock="virtual")


def test_a_pipeline_until_closing_time_can_be_cancelled_anywhere():
    lesson = pattern("16", "do-items", "stage", "feed", "pipeline", "stop")

    async def work(number):
        await asyncio.sleep(0.05)
        return 1 / (2 - number)

    async def whole():
        closing_time = asyncio.Event()
        asyncio.get_running_loop().call_later(0.11, closing_time.set)
        source = lesson.while_open(closing_time, numbers(9))
        return await lesson.pipeline(source, (work, 2), size=2)

    results, failed = run(whole(), clock="virtual")
    assert len(results) + len(failed) == 5 and [item for item, _ in failed] == [2]
    assert cancelled_everywhere(whole) > 20


# Lessons 17 and 23: servers


@pytest.mark.parametrize(
    "pieces, reads",
    [
        ((), True),
        ((b"I am on a tr",), True),
        ((b"all that I want\n",), False),
        ((b"y" * 10**6,), 1),
    ],
)
def test_a_bounded_handler_lets_go_of_who_is_silent_trickles_or_never_reads(pieces, reads):
    handler = pattern("17", "ending", "bounded").bounded
    assert asyncio.run(held(handler, *pieces, reads=reads)) == 0


def test_a_connection_that_sends_its_rest_and_closes_in_time_is_not_aborted():
    async def slow_but_steady():
        loop_errors = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: loop_errors.append(what))
        ending = pattern("17", "ending").ending

        async def much(reader, writer):
            async with ending(writer, 20):
                writer.write(b"y" * 2**24)

        server = await asyncio.start_server(much, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        got = 0
        while data := await reader.read(2**20):
            got += len(data)
            await asyncio.sleep(0.002)
        writer.close()
        server.close()
        await asyncio.sleep(0.05)
        return got, loop_errors

    assert asyncio.run(slow_but_steady()) == (2**24, [])


@pytest.mark.parametrize("reads", [True, False])
def test_a_bounded_handler_can_be_cancelled_anywhere_and_keeps_no_connection(reads):
    lesson = pattern("17", "ending", "bounded")
    wires = []

    async def one_client():
        wires.append(wire := Wire(reads))
        asyncio.get_running_loop().call_later(0.1, wire.reader.feed_data, b"all that I want\n")
        await lesson.bounded(wire.reader, wire.writer)

    assert cancelled_everywhere(one_client)
    assert all(wire.lost for wire in wires)
    assert reads or all(wire.aborted for wire in wires)
