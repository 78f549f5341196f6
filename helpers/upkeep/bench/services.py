"""How fast the local catalogue answers, beside how fast a lesson can ask."""

import time
from collections.abc import Iterator

import httpx

from helpers import services
from helpers.measuring.rate import measure_rate
from helpers.upkeep.bench.measured import Row


def catalogue() -> Iterator[Row]:
    """The local catalogue beside the client that lessons ask it with, one request after another"""
    answers = measure_rate()
    with services.catalogue() as service, httpx.Client(base_url=service.url) as client:
        begun, asked = time.perf_counter(), 0
        while time.perf_counter() < begun + 1:
            client.get("/api/v2/pokemon/1").raise_for_status()
            asked += 1
    yield Row("answers", answers, "a second")
    yield Row("httpx asks", asked, "a second")
    yield Row("httpx asks, as a share of the answers", asked / answers, "of 1", limit=0.2)
