"""Local servers for the lessons to talk to: real HTTP over real sockets, on 127.0.0.1 alone.

Each service is a process of its own, so a lesson's event loop and its server never share a core's
time by accident, and a blocked loop in the notebook doesn't block the server.
"""

import base64
import importlib.util
import os
from collections.abc import Callable

from . import checks
from .postgres import Database
from .service import Asked, Service, peak

__all__ = [
    "Asked",
    "Database",
    "Service",
    "catalogue",
    "database",
    "echo",
    "instant",
    "peak",
    "shop",
    "web",
]

WEB_SERVERS = ("development", "waitress", "uvicorn")
ECHOES = (
    "one at a time",
    "threads",
    "pool",
    "protocol",
    "streams",
    "own loop",
    "uvloop",
    "published, threaded",
    "published, async",
)


def catalogue(
    latency: float = 0.0,
    jitter: float = 0.0,
    failure_rate: float = 0.0,
    limit_per_client: int | None = None,
    seed: int = 0,
    hang_rate: float = 0.0,
    rate_limit: float | None = None,
    capacity: int | None = None,
    script: dict[str, list[int | float | str]] | None = None,
) -> Service:
    """Start a server of PokéAPI's shape and return it once it answers (about half a second).

    ``/api/v2/pokemon?limit=&offset=`` lists the 151 entries of the first generation, 20 a page
    unless told; ``/api/v2/pokemon/{id or name}`` gives one, with its height in decimetres and its
    weight in hectograms. Anything else is 404 with ``{"detail": "Not found."}``. (The public site
    sends the plain text "Not Found" today; the JSON is that of its documented framework.)

    Parameters:
        latency: seconds that each answer waits.
        jitter: up to this many seconds more, evenly spread.
        failure_rate: share of answers, 0 to 1, that are 503 with
            ``{"detail": "Service unavailable."}``. They wait as long as any other.
        limit_per_client: how many requests of one client are under way at once. More are not
            refused: they wait for their turn, first come, first served. A client is an address,
            as for a public site, so all requests of one notebook count together.
        seed: chooses the waits, the failures and the hanging. The first request for a page always
            has the same outcome, so has the second, and so on, whatever else is asked for in
            between.
        hang_rate: share of requests, 0 to 1, that are never answered: the connection stays open
            until the client gives up.
        rate_limit: answers a second for one client. Beyond it a request is told 429 at once, with
            ``Retry-After``: whole seconds, as HTTP wants them, so 1 at least. A client may save up
            the answers of one second, and starts with them (with one, if the rate is below 1); so
            who heeds ``Retry-After`` is answered ``rate_limit`` times each second.
        capacity: how many requests, of all clients, are under way at once. More are told 503 at
            once, without ``Retry-After``.
        script: what becomes of the first, second, … request for a page, given as the path with
            its query: ``{"/api/v2/pokemon/7": [503, "hang", 0.5]}``. A whole number is a status
            (429 comes with ``Retry-After: 1``, a redirect leads to the page with a slash at its
            end); a number with a decimal point waits so many seconds, in place of the latency,
            and answers; "hang" never answers; "reset" closes the connection without an answer;
            "cut" closes it in the middle of the body; "ok" answers. After the last one every
            request is answered. Chance doesn't touch a page that has a script.

    A request that is refused at the door (``rate_limit``, ``capacity``) uses up no outcome. Where
    a client gives up, its request is given up too, and its place is free. ``Service.log()`` tells
    what was asked.

    The server runs until ``stop()``, the end of a ``with`` block, or the end of this process,
    however that ends. Raises ValueError for a setting out of range and RuntimeError, with what
    the server said, if it can't start.
    """
    checks.require_seconds("latency", latency)
    checks.require_seconds("jitter", jitter)
    checks.require_share("failure_rate", failure_rate)
    checks.require_share("hang_rate", hang_rate)
    checks.require_count("limit_per_client", limit_per_client)
    checks.require_count("capacity", capacity)
    checks.require_rate("rate_limit", rate_limit)
    checks.require_whole("seed", seed)
    checks.require_script(script)
    return Service(
        "helpers.services.catalogue_server",
        latency=latency,
        jitter=jitter,
        failure_rate=failure_rate,
        limit_per_client=limit_per_client,
        seed=seed,
        hang_rate=hang_rate,
        rate_limit=rate_limit,
        capacity=capacity,
        script=script or {},
    )


def echo(
    kind: str = "streams", *, delay: float = 0.0, backlog: int = 4096, workers: int = 4
) -> Service:
    """Start a server that sends each line back in capital letters; return it once it answers.

    Parameters:
        kind: who waits for the clients. "one at a time": one thread, which takes the next client
            when the last is gone; "threads": a thread for each; "pool": `workers` threads;
            "protocol" and "streams": asyncio; "own loop" and "uvloop": the same streams on the
            loop of `helpers.eventloop` and on uvloop; "published, threaded" and "published,
            async": the two of the source [004], which answer once, whatever has come, and close.
        delay: seconds that each line waits for its answer, as for a database.
        backlog: connections that wait to be accepted, at most; the system may allow fewer.

    A line of more than 64 KiB ends its connection. `Service.port` is the port on 127.0.0.1; the
    log stays empty. Raises ValueError for a setting out of range, RuntimeError if it can't start.
    """
    if kind not in ECHOES:
        raise ValueError(f"kind must be one of {', '.join(map(repr, ECHOES))}, not {kind!r}.")
    if kind == "uvloop" and importlib.util.find_spec("uvloop") is None:
        raise RuntimeError("uvloop is not installed: there is none for Windows.")
    checks.require_seconds("delay", delay)
    checks.require_some("backlog", backlog)
    checks.require_some("workers", workers)
    module = "helpers.services.echo_server"
    return Service(module, kind=kind, delay=delay, backlog=backlog, workers=workers)


def web(app: Callable, server: str, threads: int | None = None) -> Service:
    """Start a web application on a server that others wrote, and return it once it answers.

    Parameters:
        app: a WSGI or an ASGI application, or a function without parameters that makes one, in the
            server's process: Flask's and FastAPI's can be made there only. A function of a
            notebook goes over with what it uses; what it changes there, it changes for itself.
        server: "development" is the one that Flask's ``app.run()`` starts; "waitress" serves WSGI
            in production; "uvicorn" serves ASGI, by one loop in one thread.
        threads: of "waitress", 4 unless told. Of "development" 1, or None for a new one for each
            connection. "uvicorn" takes none.

    ``Service.log()`` tells what was asked; a request counts as answered when the application gave
    its status, whether anybody still listened or not. A request that the application failed on
    has no answer there; the client is told 500.

    Raises ValueError for settings that don't fit each other, and RuntimeError, with what the
    server said, if it can't start: if the application is not of the server's kind, for one.
    """
    if server not in WEB_SERVERS:
        raise ValueError(f"server must be one of {', '.join(WEB_SERVERS)}, not {server!r}.")
    if not callable(app):
        raise ValueError(f"app must be an application or a function that makes one, not {app!r}.")
    checks.require_count("threads", threads)
    if server == "uvicorn" and threads is not None:
        raise ValueError("uvicorn serves by one loop in one thread: leave out threads.")
    if server == "development" and threads not in (None, 1):
        raise ValueError("The development server has one thread, or one for each connection.")
    import cloudpickle  # here, for who asks the catalogue needs none

    pickled = base64.b64encode(cloudpickle.dumps(app)).decode()
    return Service("helpers.services.web_server", app=pickled, server=server, threads=threads)


def instant() -> Service:
    """Start a server that answers every request at once, with the same two bytes.

    It shows what a load generator can do at most. It keeps no log.
    """
    return Service("helpers.services.web_server", app=None, server="instant", threads=None)


def shop(cache: float = 0.02, reviews: float = 0.05, failing: bool = False) -> Service:
    """Start the two neighbours of a shop and return them once they answer (about half a second).

    A cache: ``PUT /cache/{name}`` keeps the words of the body, ``GET`` gives them back (404 if
    there are none), ``DELETE`` forgets them. And the service that knows the reviews:
    ``GET /reviews/{name}`` gives ``{"name": "tea", "stars": 4.5}`` for tea, kettle, toaster, cup.

    Parameters:
        cache: seconds that each answer of the cache takes.
        reviews: seconds that each answer of the reviews takes.
        failing: all answers of the reviews are 503; they take as long as any other.

    It ends as ``catalogue`` does, and raises the same errors.
    """
    checks.require_seconds("cache", cache)
    checks.require_seconds("reviews", reviews)
    return Service(
        "helpers.services.shop_server", cache=cache, reviews_after=reviews, failing=failing
    )


def database(unix_socket: bool = os.name == "posix") -> Database:
    """Start PostgreSQL, if it is installed, in a folder that is gone with this process.

    ``.postgres`` is its address for ``asyncpg``, or None, and then ``.why`` says why; ``.sqlite``
    is a path for a SQLite database in that folder. Returns once it answers (about a second).

    unix_socket: it listens on a socket in the folder, which only this user can reach; else on a
        free port of 127.0.0.1, with a password (on Windows always).

    It runs until ``stop()``, the end of a ``with`` block, or the end of this process, however that
    ends. Raises RuntimeError, with what was said, if not even the folder can be made.
    """
    return Database(unix_socket)
