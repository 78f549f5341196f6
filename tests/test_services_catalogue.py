"""The catalogue: what it answers, and how it misbehaves when asked to."""

import asyncio
import math
import socket
import sys
import time

import httpx
import pytest

from helpers import services
from helpers.measuring import rate
from tests.services_asked import SEVEN, ask_at_once, ask_in_turn, posix_only

KNOWN = {"bulbasaur": (1, 7, 69), "ivysaur": (2, 10, 130), "venusaur": (3, 20, 1000),
         "charmander": (4, 6, 85), "mew": (151, 4, 40)}  # fmt: skip


@pytest.fixture(scope="module")
def api():
    with services.catalogue() as service, httpx.Client(base_url=service.url) as client:
        yield client


# What it answers


def test_details_by_number_and_by_name(api):
    for name, (number, height, weight) in KNOWN.items():
        for key in (number, name, f"{number}/", f"{name}/"):
            response = api.get(f"/api/v2/pokemon/{key}")
            assert response.status_code == 200
            entry = response.json()
            found = entry["id"], entry["name"], entry["height"], entry["weight"]
            assert found == (number, name, height, weight)


def test_all_151_entries_are_whole(api):
    results = api.get("/api/v2/pokemon", params={"limit": 10000}).json()["results"]
    entries = [api.get(result["url"]).json() for result in results]
    assert [entry["id"] for entry in entries] == list(range(1, 152))
    assert [entry["name"] for entry in entries] == [result["name"] for result in results]
    assert len({entry["name"] for entry in entries}) == 151
    assert all(entry["height"] > 0 and entry["weight"] > 0 for entry in entries)
    assert all(1 <= len(entry["types"]) <= 2 for entry in entries)


def test_first_page_has_twenty_entries_and_points_here(api):
    page = api.get("/api/v2/pokemon").json()
    assert page["count"] == 151
    assert len(page["results"]) == 20
    assert page["results"][0] == {
        "name": "bulbasaur",
        "url": f"{str(api.base_url).rstrip('/')}/api/v2/pokemon/1/",
    }
    assert page["previous"] is None
    assert page["next"].endswith("/api/v2/pokemon?offset=20&limit=20")


def test_following_next_visits_every_entry_once_and_previous_leads_back(api):
    url, names, previous = "/api/v2/pokemon?limit=40", [], []
    while url:
        page = api.get(url).json()
        names += [result["name"] for result in page["results"]]
        previous.append(page["previous"])
        url = page["next"]
    assert len(names) == len(set(names)) == 151
    assert len(previous) == 4
    assert api.get(previous[-1]).json()["results"][0]["name"] == names[80]


@pytest.mark.parametrize("query", ["limit=0", "limit=-3", "limit=many", "offset=-1", "limit="])
def test_a_limit_that_makes_no_sense_is_the_default(api, query):
    page = api.get(f"/api/v2/pokemon?{query}").json()
    assert [result["name"] for result in page["results"]][0] == "bulbasaur"
    assert len(page["results"]) == 20


def test_a_page_past_the_end_is_empty(api):
    page = api.get("/api/v2/pokemon?offset=500").json()
    assert page["results"] == []
    assert page["next"] is None


@pytest.mark.parametrize(
    "path",
    ["/api/v2/pokemon/152", "/api/v2/pokemon/0", "/api/v2/pokemon/missing", "/", "/api/v2/berry/1"],
)
def test_what_it_does_not_have_is_404_as_json(api, path):
    response = api.get(path)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("application/json")
    assert response.json() == {"detail": "Not found."}


# How it misbehaves


def test_waits_overlap():
    with services.catalogue(latency=0.3) as service:
        _, seconds, total = ask_at_once(service.url, ["/api/v2/pokemon/1"] * 40)
    assert min(seconds) >= 0.29
    assert total < 40 * 0.3  # in turn it can't be less


@posix_only
def test_more_connections_than_a_process_may_open_unasked():
    import resource

    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, usual[1]))
    try:
        service = services.catalogue()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    here = ("127.0.0.1", service.port)
    with service:
        connections = [socket.create_connection(here, timeout=10) for _ in range(300)]
        connections[-1].sendall(b"GET /api/v2/pokemon/1 HTTP/1.1\r\nHost: here\r\n\r\n")
        assert connections[-1].recv(12) == b"HTTP/1.1 200"
        for connection in connections:
            connection.close()


def test_jitter_adds_up_to_its_own_length():
    with services.catalogue(latency=0.1, jitter=1.0) as service:
        paths = [f"/api/v2/pokemon/{number}" for number in range(1, 41)]
        _, seconds, total = ask_at_once(service.url, paths)
    assert min(seconds) >= 0.099
    assert max(seconds) - min(seconds) > 0.5
    assert total < 40 * 0.6 / 2  # in turn it is 24 s


def failures(seed, order=1, rate=0.3):
    with services.catalogue(failure_rate=rate, seed=seed) as service:
        paths = [f"/api/v2/pokemon/{number}" for number in range(1, 61)][::order]
        twice = [ask_at_once(service.url, paths)[0] for _ in range(2)]
    return [dict(zip(paths, statuses, strict=True)) for statuses in twice]


def test_failures_are_the_same_every_run_in_any_order():
    first = failures(seed=1)
    assert first == failures(seed=1, order=-1)
    assert first != failures(seed=2)
    assert first[0] != first[1]  # asking again is worth it
    failed = sum(status == 503 for round in first for status in round.values())
    assert 120 * 0.15 < failed < 120 * 0.45
    assert {status for round in first for status in round.values()} == {200, 503}


def test_a_failure_is_503_as_json():
    with services.catalogue(failure_rate=1) as service:
        response = httpx.get(f"{service.url}/api/v2/pokemon/1")
    assert response.status_code == 503
    assert response.json() == {"detail": "Service unavailable."}


def test_beyond_the_limit_requests_wait_for_their_turn():
    with services.catalogue(latency=0.3, limit_per_client=3) as service:
        statuses, seconds, total = ask_at_once(service.url, ["/api/v2/pokemon/1"] * 18)
    assert statuses == [200] * 18  # none is refused
    for place, second in enumerate(sorted(seconds)):
        assert second >= 0.29 * (place // 3 + 1)
    assert total < 18 * 0.3  # three at once, not one, which can't be less


@posix_only
def test_another_address_is_another_client():
    if sys.platform == "darwin":
        pytest.skip("macOS gives 127.0.0.1 alone to the loopback")

    async def main(url):
        async def one(address, delay):
            await asyncio.sleep(delay)
            transport = httpx.AsyncHTTPTransport(local_address=address)
            async with httpx.AsyncClient(transport=transport, base_url=url) as client:
                await client.get("/api/v2/pokemon/1", timeout=30)
                return time.perf_counter()

        mine = [one("127.0.0.1", 0) for _ in range(5)]
        return await asyncio.gather(one("127.0.0.2", 0.4), *mine)

    with services.catalogue(latency=0.3, limit_per_client=1) as service:
        other, *mine = asyncio.run(main(service.url))
    assert other < max(mine)  # it came last, and needn't wait for them


def test_a_share_of_requests_hangs_the_same_every_run():
    paths = [f"/api/v2/pokemon/{number}" for number in range(1, 41)]

    def answered(settings):
        with services.catalogue(**settings) as service:

            async def one(client, path):
                try:
                    return (await client.get(path)).status_code
                except httpx.ReadTimeout:
                    return "silence"

            async def main():
                async with httpx.AsyncClient(base_url=service.url, timeout=1.5) as client:
                    return await asyncio.gather(*(one(client, path) for path in paths))

            return asyncio.run(main())

    both = {"failure_rate": 0.3, "hang_rate": 0.3, "seed": 4}
    first = answered(both)
    assert first == answered(both)
    assert set(first) == {200, 503, "silence"}
    assert 40 * 0.1 < first.count("silence") < 40 * 0.5
    # Who doesn't hang meets the fate that the failures alone would give.
    without = answered(both | {"hang_rate": 0})
    assert all(status in ("silence", before) for status, before in zip(first, without, strict=True))


def test_a_hanging_request_holds_its_connection_until_the_client_goes():
    with services.catalogue(hang_rate=1, capacity=1) as service:
        started = time.perf_counter()
        assert ask_in_turn(service, SEVEN, 1, timeout=0.3) == ["ReadTimeout"]
        assert time.perf_counter() - started >= 0.3
        # Its place is free again: the next one is let in, and hangs as well.
        time.sleep(0.2)
        assert ask_in_turn(service, SEVEN, 1, timeout=0.3) == ["ReadTimeout"]
        log = service.log()
    assert [(asked.answered, asked.status) for asked in log] == [(None, None)] * 2
    assert log[0].connection != log[1].connection


def test_beyond_the_rate_it_answers_429_and_when_to_come_back():
    with services.catalogue(rate_limit=5) as service, httpx.Client(base_url=service.url) as client:
        responses = [client.get(SEVEN) for _ in range(12)]
        refused = [response for response in responses if response.status_code == 429]
        assert [response.status_code for response in responses[:5]] == [200] * 5
        assert 1 <= len(refused) <= 7  # on a slow machine the bucket fills meanwhile
        assert refused[0].json() == {"detail": "Too many requests."}
        assert refused[0].headers["retry-after"] == "1"
        time.sleep(1.01)
        assert [client.get(SEVEN).status_code for _ in range(5)] == [200] * 5


def test_retry_after_is_in_whole_seconds_rounded_up():
    with services.catalogue(rate_limit=0.4) as service:
        begun = time.monotonic()
        assert httpx.get(f"{service.url}{SEVEN}").status_code == 200
        told = httpx.get(f"{service.url}{SEVEN}").headers["retry-after"]
        assert told.isdecimal()
        assert math.ceil(1 / 0.4 - (time.monotonic() - begun)) <= int(told) <= 3


def test_beyond_its_capacity_it_refuses_at_once():
    with services.catalogue(latency=1.5, capacity=4) as service:
        statuses, seconds, _ = ask_at_once(service.url, [SEVEN] * 10)
        refused = httpx.get(f"{service.url}{SEVEN}")
        log = service.log()
    assert sorted(statuses) == [200] * 4 + [503] * 6
    assert refused.status_code == 200  # for the place is free again
    quick = [asked.answered - asked.arrived for asked in log if asked.status == 503]
    assert max(quick) < 1.5 and min(seconds) < 1.5  # they don't wait as those that are served


def test_a_script_says_what_becomes_of_each_request_for_its_page():
    script = {SEVEN: [503, "hang", "reset", "cut", 429, 404, 200, 307, "ok"]}
    with services.catalogue(script=script) as service:
        assert ask_in_turn(service, SEVEN, 10, timeout=0.5) == [
            503, "ReadTimeout", "ReadError", "RemoteProtocolError", 429, 404, 200, 307, 200, 200,
        ]  # fmt: skip
        assert ask_in_turn(service, "/api/v2/pokemon/8", 2) == [200, 200]
        log = service.log()
    assert [asked.status for asked in log[:4]] == [503, None, None, 200]
    assert [asked.answered is None for asked in log[:4]] == [False, True, False, False]


def test_a_scripted_wait_stands_in_place_of_the_latency():
    with services.catalogue(latency=30, script={SEVEN: [0.2, 0.0]}) as service:
        assert ask_in_turn(service, SEVEN, 2) == [200, 200]
        slow, quick = service.log()
    assert slow.answered - slow.arrived >= 0.2
    assert quick.answered - quick.arrived < 5


def test_scripted_answers_carry_what_a_client_needs():
    script = {SEVEN: [429, 308, 500, "cut"]}
    with services.catalogue(script=script) as service, httpx.Client(base_url=service.url) as client:
        limited, moved, broken = (client.get(SEVEN) for _ in range(3))
        with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
            client.get(SEVEN)
    assert limited.headers["retry-after"] == "1"
    assert moved.headers["location"] == f"{SEVEN}/"
    assert broken.json() == {"detail": "Internal server error."}


def test_chance_does_not_touch_a_page_with_a_script():
    with services.catalogue(failure_rate=1, script={SEVEN: []}) as service:
        assert ask_in_turn(service, SEVEN, 2) == [200, 200]
        assert ask_in_turn(service, "/api/v2/pokemon/8", 1) == [503]


def test_a_request_refused_at_the_door_uses_up_no_outcome():
    with services.catalogue(rate_limit=0.5, script={SEVEN: [404, 418]}) as service:
        assert ask_in_turn(service, SEVEN, 3) == [404, 429, 429]
        time.sleep(2.1)
        assert ask_in_turn(service, SEVEN, 1) == [418]


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"latency": -1}, "latency must be a number of seconds, 0 or more, not -1."),
        ({"latency": "1"}, "latency must be a number of seconds, 0 or more, not '1'."),
        ({"latency": float("nan")}, "latency must be a number of seconds, 0 or more, not nan."),
        ({"jitter": float("inf")}, "jitter must be a number of seconds, 0 or more, not inf."),
        ({"failure_rate": 1.5}, "failure_rate must be a share between 0 and 1, not 1.5."),
        ({"failure_rate": True}, "failure_rate must be a share between 0 and 1, not True."),
        ({"limit_per_client": 0},
         "limit_per_client must be a whole number, 1 or more, or None, not 0."),
        ({"limit_per_client": 2.0},
         "limit_per_client must be a whole number, 1 or more, or None, not 2.0."),
        ({"seed": "x"}, "seed must be a whole number, not 'x'."),
        ({"hang_rate": -0.1}, "hang_rate must be a share between 0 and 1, not -0.1."),
        ({"capacity": 0}, "capacity must be a whole number, 1 or more, or None, not 0."),
        ({"rate_limit": 0}, "rate_limit must be a number above 0, or None, not 0."),
        ({"rate_limit": float("inf")}, "rate_limit must be a number above 0, or None, not inf."),
        ({"script": [503]}, "script must be a dict from pages to lists of outcomes, not [503]."),
        ({"script": {"7": []}}, "A page in script must be a path that begins with /, not '7'."),
        ({"script": {"/7": 503}}, "script['/7'] must be a list of outcomes, not 503."),
        *(
            ({"script": {"/7": ["ok", outcome]}},
             "An outcome in script['/7'] must be a status from 200 to 599, seconds with a decimal "
             f"point, 'ok', 'hang', 'reset' or 'cut', not {outcome!r}.")
            for outcome in ("hnag", 3, 299, 100, True, -0.5, float("nan"), None)
        ),
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_told_in_one_sentence(setting, words):
    with pytest.raises(ValueError) as caught:
        services.catalogue(**setting)
    assert str(caught.value) == words


def test_rate_is_measured():
    assert rate.measure_rate(seconds=0.3, connections=20) > 500
