"""The server behind ``services.catalogue``, which runs it as a process and says what it serves."""

import asyncio
import csv
import json
import math
import socket
import struct
import time
from collections import Counter, defaultdict, deque
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import NamedTuple, NoReturn

from aiohttp import web

from .application import Notes, listen
from .service import HOST, serve

DATA = Path(__file__).with_name("catalogue.csv")
LIST = "/api/v2/pokemon"
DEFAULT_LIMIT = 20
NOT_FOUND = (404, {"detail": "Not found."})
REDIRECTS = (301, 302, 303, 307, 308)


class Catalogue:
    """The entries, as the answers to requests: pairs of a status and a JSON value."""

    def __init__(self, base: str) -> None:
        self.base = base
        with DATA.open(encoding="utf-8", newline="") as file:
            self.entries = [self._entry(row) for row in csv.DictReader(file)]
        self.by_key = {str(entry["id"]): entry for entry in self.entries}
        self.by_key |= {entry["name"]: entry for entry in self.entries}

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, object]:
        """Answer a GET of ``path``, with or without a trailing slash, as PokéAPI does."""
        path = path.removesuffix("/")
        if path == LIST:
            # 0, a negative number or no number at all means the default, as on the public site.
            limit = _whole(query.get("limit")) or DEFAULT_LIMIT
            return 200, self.page(limit, _whole(query.get("offset")))
        parent, _, key = path.rpartition("/")
        if parent == LIST and key in self.by_key:
            return 200, self.by_key[key]
        return NOT_FOUND

    def page(self, limit: int, offset: int) -> dict[str, object]:
        """One page of the list, with the addresses of its neighbours."""
        after, before = offset + limit, max(offset - limit, 0)
        return {
            "count": len(self.entries),
            "next": self._page_url(after, limit) if after < len(self.entries) else None,
            "previous": self._page_url(before, limit) if offset else None,
            "results": [
                {"name": entry["name"], "url": f"{self.base}{LIST}/{entry['id']}/"}
                for entry in self.entries[offset:after]
            ],
        }

    def _page_url(self, offset: int, limit: int) -> str:
        return f"{self.base}{LIST}?offset={offset}&limit={limit}"

    def _entry(self, row: dict[str, str]) -> dict[str, object]:
        number = int(row["id"])
        return {
            "id": number,
            "name": row["name"],
            "height": int(row["height"]),
            "weight": int(row["weight"]),
            "order": number,
            "is_default": True,
            "types": [
                {"slot": slot, "type": {"name": name}}
                for slot, name in enumerate(row["types"].split(), start=1)
            ],
        }


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


class Chance(NamedTuple):
    """What happens to a request that is let in."""

    wait: float
    """Seconds before the answer."""
    outcome: int | str
    """A status, or "ok", "hang", "reset" or "cut"."""


class Fate:
    """What the script and chance do to each request that is let in."""

    def __init__(
        self,
        latency: float,
        jitter: float,
        failure_rate: float,
        hang_rate: float,
        script: dict[str, list[int | float | str]],
        seed: int,
    ) -> None:
        self.latency, self.jitter = latency, jitter
        self.failure_rate, self.hang_rate, self.seed = failure_rate, hang_rate, seed
        self.script = {page: deque(outcomes) for page, outcomes in script.items()}
        self.asked = Counter()

    def of(self, page: str) -> Chance:
        """The fate of the next request for ``page``."""
        if page in self.script:
            outcomes = self.script[page]
            outcome = outcomes.popleft() if outcomes else "ok"
            if isinstance(outcome, float):
                return Chance(outcome, "ok")
            return Chance(self.latency, outcome)
        if not (self.jitter or self.failure_rate or self.hang_rate):
            return Chance(self.latency, "ok")
        self.asked[page] += 1
        # A generator for each request, for requests made at once arrive in no certain order.
        chance = Random(f"{self.seed} {page} {self.asked[page]}")
        wait = self.latency + self.jitter * chance.random()
        fails = chance.random() < self.failure_rate
        if chance.random() < self.hang_rate:
            return Chance(wait, "hang")
        return Chance(wait, 503 if fails else "ok")


class Bucket:
    """The answers that one client may have now: ``rate`` a second are added, up to ``rate``.

    Every client has at least one to begin with, however low the rate.
    """

    def __init__(self, rate: float) -> None:
        self.rate, self.size = rate, max(1.0, rate)
        self.tokens, self.filled = self.size, time.perf_counter()

    def take(self) -> float:
        """Take one answer and return 0, or the seconds until there is one."""
        now = time.perf_counter()
        self.tokens = min(self.size, self.tokens + (now - self.filled) * self.rate)
        self.filled = now
        if self.tokens < 1:
            return (1 - self.tokens) / self.rate
        self.tokens -= 1
        return 0


class Door:
    """Who is let in, and who is refused at once: the limits of the server and of each client."""

    def __init__(self, capacity: int | None, rate_limit: float | None) -> None:
        self.capacity, self.inside = capacity, 0
        self.buckets = defaultdict(lambda: Bucket(rate_limit)) if rate_limit else None

    def refusal(self, client: str) -> web.Response | None:
        """The answer for a request that isn't let in."""
        if self.buckets is not None and (seconds := self.buckets[client].take()):
            return _detail(429, {"Retry-After": str(math.ceil(seconds))})
        if self.capacity is not None and self.inside >= self.capacity:
            return _detail(503)
        return None

    def __enter__(self) -> None:
        self.inside += 1

    def __exit__(self, *exc_info: object) -> None:
        self.inside -= 1


def _detail(status: int, headers: dict[str, str] | None = None) -> web.Response:
    detail = f"{HTTPStatus(status).phrase.capitalize()}."
    return web.json_response({"detail": detail}, status=status, headers=headers)


class Desk:
    """Takes each request from its arrival to its answer, and notes both in the log."""

    def __init__(
        self,
        catalogue: Catalogue,
        fate: Fate,
        door: Door,
        limit_per_client: int | None,
        notes: Notes,
    ) -> None:
        self.catalogue, self.fate, self.door, self.notes = catalogue, fate, door, notes
        self.limit_per_client = limit_per_client
        self.turns = defaultdict(lambda: asyncio.Semaphore(limit_per_client))

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; aiohttp cancels this where the client goes away."""
        place = self.notes.arrived(request)
        refused = self.door.refusal(request.remote)
        if refused is not None:
            self.notes.answered(place, refused.status)
            return refused
        with self.door:
            wait, outcome = self.fate.of(request.path_qs)
            if self.limit_per_client is None:
                return await self._answer(request, place, wait, outcome)
            async with self.turns[request.remote]:
                return await self._answer(request, place, wait, outcome)

    async def _answer(
        self, request: web.Request, place: int, wait: float, outcome: int | str
    ) -> web.StreamResponse:
        await asyncio.sleep(wait)
        if outcome == "hang":
            await _until_the_client_goes()
        if outcome == "reset":
            self.notes.answered(place, None)
            await _reset(request)
        if outcome in ("ok", 200):
            status, body = self.catalogue.answer(request.path, request.query)
            response = web.json_response(body, status=status)
        elif outcome == "cut":
            status, body = self.catalogue.answer(request.path, request.query)
            self.notes.answered(place, status)
            await _cut(request, status, json.dumps(body).encode())
        else:
            response = _detail(outcome, _headers(outcome, request))
        self.notes.answered(place, response.status)
        return response


def _headers(status: int, request: web.Request) -> dict[str, str] | None:
    if status == 429:
        return {"Retry-After": "1"}
    if status in REDIRECTS:
        # As the public site's framework does: to the same page with a slash at its end.
        return {"Location": str(request.rel_url.with_path(f"{request.path}/"))}
    return None


async def _until_the_client_goes() -> NoReturn:
    await asyncio.Event().wait()


async def _reset(request: web.Request) -> NoReturn:
    sock = request.transport.get_extra_info("socket")
    # To linger for no time is to close with a reset, which the client sees as such.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    await _until_the_client_goes()


async def _cut(request: web.Request, status: int, body: bytes) -> NoReturn:
    response = web.StreamResponse(status=status, headers={"Content-Type": "application/json"})
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    request.transport.close()
    await _until_the_client_goes()


async def start(
    sock: socket.socket,
    log: list[tuple],
    latency: float,
    jitter: float,
    failure_rate: float,
    hang_rate: float,
    limit_per_client: int | None,
    rate_limit: float | None,
    capacity: int | None,
    script: dict[str, list[int | float | str]],
    seed: int,
) -> web.AppRunner:
    """Serve the catalogue on ``sock``; the settings are those of ``services.catalogue``."""
    desk = Desk(
        Catalogue(f"http://{HOST}:{sock.getsockname()[1]}"),
        Fate(latency, jitter, failure_rate, hang_rate, script, seed),
        Door(capacity, rate_limit),
        limit_per_client,
        Notes(log),
    )
    app = web.Application()
    app.router.add_get("/{path:.*}", desk.handle)
    return await listen(app, sock)


if __name__ == "__main__":
    serve(start)
