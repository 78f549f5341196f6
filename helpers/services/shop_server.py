"""The two neighbours of a shop, in one process: a cache, and the service that knows the reviews.

`services.shop(...)` runs it. A stand-in for a cache such as Redis, which no wheel brings: it keeps
words under names, in memory, and answers over HTTP.
"""

import asyncio
import socket

from aiohttp import web
from aiohttp.typedefs import Handler

from .application import Notes, listen
from .service import serve

REVIEWS = {"tea": 4.5, "kettle": 3.8, "toaster": 4.1, "cup": 4.9}
NOTES, KEPT = web.AppKey("notes", Notes), web.AppKey("kept", dict)
CACHE, REVIEW = web.AppKey("cache", float), web.AppKey("reviews", float)
FAILING = web.AppKey("failing", bool)


@web.middleware
async def noted(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Note the request in the log."""
    place = request.app[NOTES].arrived(request)
    response = await handler(request)
    request.app[NOTES].answered(place, response.status)
    return response


async def look_up(request: web.Request) -> web.Response:
    """The words that the cache keeps under a name; 404 if there are none."""
    await asyncio.sleep(request.app[CACHE])
    kept = request.app[KEPT].get(request.match_info["name"])
    return web.Response(status=404) if kept is None else web.Response(text=kept)


async def keep(request: web.Request) -> web.Response:
    """Keep the words in the body under a name."""
    words = await request.text()
    await asyncio.sleep(request.app[CACHE])
    request.app[KEPT][request.match_info["name"]] = words
    return web.Response(status=204)


async def forget(request: web.Request) -> web.Response:
    """Forget what is kept under a name, if anything is."""
    await asyncio.sleep(request.app[CACHE])
    request.app[KEPT].pop(request.match_info["name"], None)
    return web.Response(status=204)


async def reviews(request: web.Request) -> web.Response:
    """How many stars the customers gave; 503 if the service is told to fail."""
    await asyncio.sleep(request.app[REVIEW])
    name = request.match_info["name"]
    if request.app[FAILING]:
        return web.json_response({"detail": "Service unavailable."}, status=503)
    if name not in REVIEWS:
        return web.json_response({"detail": "Not found."}, status=404)
    return web.json_response({"name": name, "stars": REVIEWS[name]})


async def start(
    sock: socket.socket, log: list[tuple], cache: float, reviews_after: float, failing: bool
) -> web.AppRunner:
    """Serve both on `sock`; the settings are those of `services.shop`."""
    app = web.Application(middlewares=[noted])
    app[NOTES], app[KEPT] = Notes(log), {}
    app[CACHE], app[REVIEW], app[FAILING] = cache, reviews_after, failing
    app.router.add_get("/cache/{name}", look_up)
    app.router.add_put("/cache/{name}", keep)
    app.router.add_delete("/cache/{name}", forget)
    app.router.add_get("/reviews/{name}", reviews)
    return await listen(app, sock)


if __name__ == "__main__":
    serve(start)
