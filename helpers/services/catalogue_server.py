"""The server behind ``services.catalogue``, which runs it as a process and says what it serves."""

import asyncio
import csv
import socket
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from aiohttp import web

from .process import BACKLOG, HOST, serve

DATA = Path(__file__).with_name("catalogue.csv")
LIST = "/api/v2/pokemon"
DEFAULT_LIMIT = 20
NOT_FOUND = (404, {"detail": "Not found."})
UNAVAILABLE = (503, {"detail": "Service unavailable."})


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


class Fate:
    """What chance does to each request: how long its answer takes and whether it fails."""

    def __init__(self, latency: float, jitter: float, failure_rate: float, seed: int) -> None:
        self.latency, self.jitter = latency, jitter
        self.failure_rate, self.seed = failure_rate, seed
        self.asked = Counter()

    def of(self, page: str) -> tuple[float, bool]:
        """The wait in seconds, and whether it fails, of the next request for ``page``."""
        if not self.jitter and not self.failure_rate:
            return self.latency, False
        self.asked[page] += 1
        # A generator for each request, for requests made at once arrive in no certain order.
        chance = Random(f"{self.seed} {page} {self.asked[page]}")
        return self.latency + self.jitter * chance.random(), chance.random() < self.failure_rate


async def start(
    sock: socket.socket,
    latency: float,
    jitter: float,
    failure_rate: float,
    limit_per_client: int | None,
    seed: int,
) -> web.AppRunner:
    """Serve the catalogue on ``sock``; the settings are those of ``services.catalogue``."""
    catalogue = Catalogue(f"http://{HOST}:{sock.getsockname()[1]}")
    fate = Fate(latency, jitter, failure_rate, seed)
    turns = defaultdict(lambda: asyncio.Semaphore(limit_per_client or 1))

    async def handle(request: web.Request) -> web.Response:
        wait, fails = fate.of(request.path_qs)
        if limit_per_client is None:
            await asyncio.sleep(wait)
        else:
            async with turns[request.remote]:
                await asyncio.sleep(wait)
        status, body = UNAVAILABLE if fails else catalogue.answer(request.path, request.query)
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    await web.SockSite(runner, sock, backlog=BACKLOG).start()
    return runner


if __name__ == "__main__":
    serve(start)
