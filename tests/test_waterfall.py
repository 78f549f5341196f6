"""The waterfall: what each request waited for, told by httpx itself, from real requests."""

import asyncio
import base64
import re

import httpx
import pytest
from matplotlib.figure import Figure

from helpers import services
from helpers.pictures.picture import Picture
from helpers.pictures.waterfall import ANSWER, CONNECT, POOL, Waterfall
from tests.readable import cut_or_covered

SEVEN = "/api/v2/pokemon/7"


def ask(seen, url, numbers, at_once=True, **settings):
    """GET the pages with these numbers; return the answers, or the errors in their place."""

    async def main():
        async with seen.client(base_url=url, **settings) as client:
            pages = [f"/api/v2/pokemon/{number}" for number in numbers]
            if at_once:
                return await asyncio.gather(*map(client.get, pages), return_exceptions=True)
            return [await client.get(page) for page in pages]

    return asyncio.run(main())


def kinds(asking):
    return [what for what, _, _ in asking.waits]


@pytest.fixture(scope="module")
def url():
    with services.catalogue(latency=0.2) as service:
        yield service.url


def test_in_turn_the_first_makes_a_connection_and_the_others_use_it(url):
    seen = Waterfall()
    ask(seen, url, [1, 2, 3], at_once=False)
    assert [kinds(asking) for asking in seen.askings] == [
        [POOL, CONNECT, ANSWER], [POOL, ANSWER], [POOL, ANSWER],
    ]  # fmt: skip
    assert [asking.name for asking in seen.askings] == ["1", "2", "3"]
    assert [asking.outcome for asking in seen.askings] == ["200"] * 3
    for asking in seen.askings:
        what, began, ended = asking.waits[-1]
        assert what == ANSWER and ended - began >= 0.2 and ended == asking.ended
        assert asking.waits[0][1] == asking.began


def test_who_finds_no_connection_in_time_waits_for_nothing_else(url):
    seen = Waterfall()
    limits, timeout = httpx.Limits(max_connections=1), httpx.Timeout(30, pool=0.05)
    ask(seen, url, [1, 2], limits=limits, timeout=timeout)
    answered, refused = seen.askings
    assert not answered.failed and refused.failed
    assert kinds(refused) == [POOL] and refused.outcome == "PoolTimeout"
    assert refused.ended - refused.began >= 0.05


def test_a_wait_for_a_taken_connection_counts_to_the_pool(url):
    seen = Waterfall()
    ask(seen, url, [1, 2], limits=httpx.Limits(max_connections=1), timeout=30)
    (pool, began, ended), (answer, _, _) = seen.askings[1].waits
    assert (pool, answer) == (POOL, ANSWER)
    assert ended - began >= 0.2


def test_a_cancelled_request_has_an_end_too(url):
    seen = Waterfall()

    async def main():
        async with seen.client(base_url=url) as client:
            asking = asyncio.create_task(client.get(SEVEN))
            await asyncio.sleep(0.1)
            during = seen.text
            asking.cancel()
            await asyncio.wait([asking])
            return during

    assert "under way" in asyncio.run(main())
    [asking] = seen.askings
    assert asking.outcome == "CancelledError" and asking.ended is not None


def test_it_says_in_words_what_it_shows(url):
    seen = Waterfall("Two pages")
    ask(seen, url, [7, 200], at_once=False)
    title, first, second = seen.text.split("\n")
    assert title == "Two pages."
    assert re.fullmatch(r"7: waited .*for a new connection, 2\d\d+ ms for the answer; 200\.", first)
    assert re.fullmatch(r"200: waited .*for the answer; 404\.", second)
    assert "2 requests" in seen.alt and "1 times 200, 1 times 404" in seen.alt


def test_it_is_drawn_anew_when_there_are_more(url):
    seen = Waterfall()
    before = seen._repr_mimebundle_()["text/html"]
    ask(seen, url, [1])
    after = seen._repr_mimebundle_()["text/html"]
    assert 'alt="Waterfall of 0 requests' in before and 'alt="Waterfall of 1 requests' in after
    pictures = [re.search('base64,([^"]+)', html)[1] for html in (before, after)]
    assert pictures[0] != pictures[1]
    assert base64.b64decode(pictures[1]).startswith(b"\x89PNG")


@pytest.mark.parametrize("changes, times", [(False, 1), (True, 2)])
def test_only_a_picture_that_changes_is_drawn_twice(changes, times, tmp_path):
    drawn = []

    class Empty(Picture):
        alt = text = "Nothing."

        def draw(self):
            drawn.append(Figure((1, 1)))
            return drawn[-1]

    Empty.changes = changes
    picture = Empty()
    picture._repr_mimebundle_()
    picture.save(tmp_path / "empty.png")
    assert len(drawn) == times


def test_many_requests_stay_readable():
    seen = Waterfall()
    with services.catalogue() as service:
        ask(seen, service.url, range(1, 61), timeout=30)
    assert len(seen.text.split("\n")) == 41
    assert seen.text.endswith("And 20 more.")
    figure = seen.figure()
    assert cut_or_covered(figure) == ([], [])
    axes = figure.axes[0]
    assert len(axes.get_yticks()) == 40
    assert "20 more" in axes.get_xlabel()
