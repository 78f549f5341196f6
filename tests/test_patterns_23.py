"""The patterns that lesson 23 teaches: the crawler, its workers, its retry, its stop and its page.

Each is taken from the notebook's cells, as in `test_patterns_14`, and run on a virtual clock: with
nothing to do, with pages that fail or hang, and cancelled at each suspension of each of its tasks.
Its visitors are silent, trickle, ask too much or never read.
"""

import asyncio
import random
from contextlib import suppress

import httpx
import pytest

from helpers import run
from tests.patterns import Wire, cancelled_everywhere, pattern

RETRY = ("get", "may-pass", "pause-after", "get-page")
CRAWLER = (*RETRY, "book", "pace", "stage", "stages", "feed", "parse", "collect", "crawl", "stop")
PAGE = ("bytes", "bytes-head", "event", "answer", "visit", "visit-one", "greet", "end-all")


class Client:
    """A client without a network; `open` counts those that are not closed."""

    open = 0

    def __init__(self, **options):
        pass

    async def __aenter__(self):
        Client.open += 1
        return self

    async def __aexit__(self, *error):
        Client.open -= 1
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def no_network_and_no_chance(monkeypatch):
    monkeypatch.setattr(httpx, "AsyncClient", Client)
    monkeypatch.setattr(Client, "open", 0)
    monkeypatch.setattr(random, "uniform", lambda least, most: most / 2)


def site(answers, headers=()):
    """The lesson's `details`, and the pages that it was asked for.

    answers: for a page, what its requests give, in turn, and the last one for ever: a status, an
        error, the page's entry (a dict), or a float, the seconds that it takes. A page that isn't
        in it has an entry at once.
    headers: of each answer with a status.
    """
    asked = []

    async def details(client, page):
        asked.append(page)
        turns = answers.get(page, [{"name": page, "weight": 10}])
        answer = turns[min(asked.count(page), len(turns)) - 1]
        await asyncio.sleep(answer if isinstance(answer, float) else 0.05)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            request = httpx.Request("GET", "http://site")
            httpx.Response(answer, headers=dict(headers), request=request).raise_for_status()
        return answer

    return details, asked


async def no_pace():
    await asyncio.sleep(0)


# The retry


@pytest.mark.parametrize(
    "turns, requests",
    [
        ([{}], 1),
        ([503, 429, {}], 3),
        ([404], 1),
        ([httpx.ReadError(""), {}], 2),
        ([httpx.ReadTimeout(""), {}], 2),
        ([httpx.PoolTimeout("")], 1),
        ([httpx.UnsupportedProtocol("")], 1),
        ([503], 6),
    ],
)
def test_a_page_is_asked_for_again_where_that_may_help(turns, requests):
    details, asked = site({"page": turns})
    lesson = pattern("23", *RETRY, details=details)
    with suppress(httpx.HTTPError):
        assert run(lesson.get(None, "page", no_pace), clock="virtual") == {}
    assert len(asked) == requests


def test_a_page_can_be_cancelled_anywhere():
    details, _ = site({"page": [503, 503, {}]})
    lesson = pattern("23", *RETRY, details=details)
    assert cancelled_everywhere(lambda: lesson.get(None, "page", no_pace)) > 5


# The crawler

ANSWERS = {
    "absent": [404],
    "flaky": [503, httpx.ReadError(""), {"name": "flaky", "weight": 10}],
    "odd": [{"name": "it has no weight"}],
}


def crawler(pages, answers, headers=()):
    """The lesson's crawler with a book of these pages."""
    details, asked = site(answers, headers)
    lesson = pattern("23", *CRAWLER, details=details)
    return lesson, lesson.Book(pages), asked


@pytest.mark.parametrize(
    "pages, failed",
    [
        ([], []),
        (["one"], []),
        (["absent"], ["absent"]),
        ([*"abcdefgh", *ANSWERS, *"ijklmn"], ["absent", "odd"]),
    ],
)
def test_each_page_ends_as_done_or_as_failed(pages, failed):
    lesson, book, _ = crawler(pages, ANSWERS)
    run(lesson.crawl(book, "", no_pace), clock="virtual")
    assert sorted(book.failed) == failed
    assert sorted([*book.done, *book.failed]) == sorted(pages)
    assert book.left() == [] and Client.open == 0


def test_no_page_is_waited_for_longer_than_its_deadline():
    for answers, headers in ({"a": [3600.0]}, {}), ({"a": [429]}, {"Retry-After": "3600"}):
        lesson, book, _ = crawler(["a", "b"], answers, headers)
        assert run(timed(lesson.crawl(book, "", no_pace)), clock="virtual") < 11
        assert isinstance(book.failed["a"], TimeoutError) and list(book.done) == ["b"]


async def timed(coro):
    start = asyncio.get_running_loop().time()
    await coro
    return asyncio.get_running_loop().time() - start


def test_a_page_that_was_cancelled_is_left_wherever_that_was():
    pages = ["a", *ANSWERS, "b"]
    books = []

    def crawl():
        lesson, book, _ = crawler(pages, ANSWERS)
        books.append(book)
        return lesson.crawl(book, "", no_pace)

    assert cancelled_everywhere(crawl) > 30
    assert Client.open == 0
    for book in books:
        assert sorted([*book.done, *book.failed, *book.left()]) == sorted(pages)
        assert set(book.failed) <= {"absent", "odd"}


@pytest.mark.parametrize("after", [0.001, 0.03, 0.06, 0.12, 1])
@pytest.mark.parametrize("hangs", [False, True])
def test_a_crawl_that_is_stopped_goes_on_later_and_misses_nothing(after, hangs):
    pages = [f"page {n}" for n in range(12)]
    answers = {"page 2": [3600.0, {"name": "page 2", "weight": 10}]} if hangs else {}
    lesson, book, asked = crawler(pages, answers)

    async def stopped():
        async with asyncio.TaskGroup() as group:
            crawling = group.create_task(lesson.crawl(book, "", no_pace))
            await asyncio.sleep(after)
            told = asyncio.get_running_loop().time()
            begun = len(asked)
            await lesson.stop(book, crawling, grace=0.5)
            assert len(asked) == begun, "nothing new was begun"
        return asyncio.get_running_loop().time() - told

    assert run(stopped(), clock="virtual") <= 0.51
    assert Client.open == 0 and not book.failed
    if not hangs:
        assert len(asked) == len(book.done), "what was begun was finished"
    run(lesson.crawl(book, "", no_pace), clock="virtual")
    assert sorted(book.done) == sorted(pages)


def test_the_pace_is_one_for_all():
    lesson = pattern("23", "pace")
    pauses = []

    async def notes(seconds):
        pauses.append(seconds)

    async def six():
        pace = lesson.Pace(0.001, notes)
        await asyncio.gather(*(pace() for _ in range(6)))

    run(six(), clock="virtual")
    assert [round(pause / 1000) for pause in pauses] == list(range(6))


# The live page


async def visited(pieces, reads=True, over=False):
    """Seconds until a visitor who sends these pieces has gone, what it got, and the connection.

    pieces: bytes, each a second after the one before; None ends the question there.
    """
    lesson = pattern("23", "book", *PAGE)
    book, visitors = lesson.Book(["a"]), set()
    book.over = over
    wire = Wire(reads)
    visit = asyncio.create_task(lesson.greet(book, visitors, wire.reader, wire.writer))
    start = asyncio.get_running_loop().time()

    async def sends():
        for piece in pieces:
            if piece is None:
                wire.reader.feed_eof()
            else:
                wire.reader.feed_data(piece)
            await asyncio.sleep(1)

    sending = asyncio.create_task(sends())
    await asyncio.wait([visit], timeout=60)
    took = asyncio.get_running_loop().time() - start
    sending.cancel()
    assert visit.done() and visit.exception() is None
    assert not visitors
    return took, wire


HEAD = b"GET /events HTTP/1.1\r\n\r\n"


@pytest.mark.parametrize(
    "pieces, reads, latest",
    [
        ([], True, 2),
        ([b"G"] * 50, True, 2),
        ([b"GET /", None], True, 1.1),
        ([b"y" * 200_000], True, 0.1),
        ([b"GET / HTTP/1.1\r\n", b"\r\n"], True, 1.2),
        ([HEAD], False, 4.1),
    ],
)
def test_a_visitor_can_keep_nothing(pieces, reads, latest):
    took, wire = run(visited(pieces, reads), clock="virtual")
    assert took <= latest
    assert wire.lost


def test_a_visitor_is_told_the_end():
    took, wire = run(visited([HEAD], over=True), clock="virtual")
    assert wire.sent.endswith(b'data: {"done": 0, "failed": 0, "left": 1}\n\n') and wire.lost


def test_a_visit_can_be_cancelled_anywhere():
    lesson = pattern("23", "book", *PAGE)
    wires, visitors = [], set()

    async def visit():
        book, wire = lesson.Book(["a"]), Wire()
        wires.append(wire)
        wire.reader.feed_data(HEAD)
        asyncio.get_running_loop().call_later(0.35, setattr, book, "over", True)
        await lesson.greet(book, visitors, wire.reader, wire.writer)

    assert cancelled_everywhere(visit) > 3
    assert not visitors and all(wire.aborted for wire in wires)


@pytest.mark.parametrize("visits", [0, 1, 3])
def test_at_the_end_late_visitors_are_cancelled(visits):
    lesson = pattern("23", "end-all")

    async def ends():
        tasks = {asyncio.create_task(asyncio.sleep(n * 3600)) for n in range(visits)}
        await lesson.end_all(tasks)
        return tasks

    assert sum(task.cancelled() for task in run(ends(), clock="virtual")) == max(0, visits - 1)
