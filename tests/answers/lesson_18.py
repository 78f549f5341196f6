"""Answers to the exercises of lesson 18, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% answered-1 wrong: async def is enough
# cause: takes it that an async def never blocks the loop, though time.sleep stops it for each request
# line: "blocks": 0.1
seconds = {"one thread": 6.0, "a thread each": 0.1, "waitress": 1.5, "awaits": 0.1,
           "blocks": 0.1, "def": 0.2}

# %% answered-1 wrong: a def in FastAPI has a thread each
# cause: forgets that the pool has forty threads, so that sixty need two rounds
# line: "def": 0.1
seconds = {
    "one thread": 6, "a thread each": 0.1, "waitress": 1.5,
    "awaits": 0.1, "blocks": 6, "def": 0.1,
}

# %% answered-1 wrong: a def is one after another
# cause: takes it that FastAPI calls a def on the loop
# line: seconds["def"]
seconds = {"one thread": 6.0, "a thread each": 0.1, "waitress": 1.5, "awaits": 0.1}
seconds["blocks"] = 6.0
seconds["def"] = 6.0

# %% wsgi-1 wrong: an empty length
# cause: a length that is an empty text is a ValueError of int
# line: int(environ.get("CONTENT_LENGTH", 0))
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        length = int(environ.get("CONTENT_LENGTH", 0))
        body = environ["wsgi.input"].read(length)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [str(len(body)).encode()]
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"not found"]

# %% wsgi-1 wrong: characters
# cause: counts characters, not bytes
# line: len(body.decode())
def app(environ, start_response):
    if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
        start_response("404 Not Found", [])
        return [b""]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [])
    return [b"%d" % len(body.decode())]

# %% wsgi-1 wrong: any method
# cause: the method isn't looked at, so a GET of /count is answered by 200
# line: if environ["PATH_INFO"] == "/count":
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if environ["PATH_INFO"] == "/count":
        size = len(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or "0")))
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [f"{size}".encode()]
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"no such page"]

# %% wsgi-1 wrong: all paths that begin so
# cause: other paths that begin with /count are answered, too
# line: startswith("/count")
def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].startswith("/count"):
        number = int(environ.get("CONTENT_LENGTH") or 0)
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read(number))).encode()]
    start_response("404 Not Found", [])
    return [b"not found"]

# %% wsgi-1 right: match, and a generator as body
def app(environ, start_response):
    def body():
        yield str(len(environ["wsgi.input"].read(int(length or 0)))).encode("ascii")

    length = environ.get("CONTENT_LENGTH", "")
    match environ:
        case {"REQUEST_METHOD": "POST", "PATH_INFO": "/count"}:
            start_response("200 OK", [("Content-Type", "text/plain; charset=ascii")])
            return body()
    start_response("404 Not Found", [])
    return ()

# %% wsgi-1 wrong: with a slash, too
# cause: a path with a slash at its end is another path
# line: .rstrip("/")
def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].rstrip("/") == "/count":
        number = int(environ.get("CONTENT_LENGTH") or 0)
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read(number))).encode()]
    start_response("404 Not Found", [])
    return [b"not found"]

# %% wsgi-1 wrong: everything but GET
# cause: only a GET is refused, though every method but POST should be
# line: != "GET"
def app(environ, start_response):
    if environ["REQUEST_METHOD"] != "GET" and environ["PATH_INFO"] == "/count":
        number = int(environ.get("CONTENT_LENGTH") or 0)
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read(number))).encode()]
    start_response("404 Not Found", [])
    return [b"not found"]

# %% asgi-1 wrong: the first piece
# cause: only the first piece of the body is counted
# line: message = await receive()
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if scope["method"] == "POST" and scope["path"] == "/count":
        message = await receive()
        status, body = 200, str(len(message.get("body", b""))).encode()
    else:
        status, body = 404, b"not found"
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: an empty piece is the last one
# cause: stops at an empty piece, though more may follow
# line: if not piece
async def app(scope, receive, send):
    status, body = 404, b"not found"
    if scope["method"] == "POST" and scope["path"] == "/count":
        size = 0
        while True:
            message = await receive()
            piece = message.get("body", b"")
            size += len(piece)
            if not piece or not message.get("more_body", False):
                break
        status, body = 200, b"%d" % size
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: takes it that both are there
# cause: more_body may be left out, which is a KeyError here
# line: message["more_body"]
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    async def answer(status, body):
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    if (scope["method"], scope["path"]) != ("POST", "/count"):
        return await answer(404, b"")
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message["more_body"]
    await answer(200, str(size).encode())

# %% asgi-1 wrong: waits for one more
# cause: receives until an empty body comes, but after the last piece nothing comes any more
# line: while piece := (await receive()).get("body"):
async def app(scope, receive, send):
    if scope["method"] == "POST" and scope["path"] == "/count":
        size = 0
        while piece := (await receive()).get("body"):
            size += len(piece)
        status, body = 200, str(size).encode()
    else:
        status, body = 404, b"not found"
    await send({"type": "http.response.start", "status": status})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 right: an async generator of pieces
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    async def pieces():
        more = True
        while more:
            match await receive():
                case {"type": "http.request", **rest}:
                    yield rest.get("body") or b""
                    more = rest.get("more_body")
                case _:
                    return

    found = scope["path"] == "/count" and scope["method"] == "POST"
    count = sum([len(piece) async for piece in pieces()]) if found else "no such page"
    await send(dict(type="http.response.start", status=200 if found else 404,
                    headers=[(b"content-type", b"text/plain")]))
    await send(dict(type="http.response.body", body=str(count).encode(), more_body=False))

# %% asgi-1 wrong: the count of all requests
# cause: the length lives in the module and two requests add to it
# line: global length
length = 0


async def app(scope, receive, send):
    global length
    status, answer = 404, b""
    if (scope["method"], scope["path"]) == ("POST", "/count"):
        length, more = 0, True
        while more:
            message = await receive()
            length += len(message.get("body", b""))
            more = message.get("more_body", False)
        status, answer = 200, str(length).encode()
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": answer})

# %% asgi-1 wrong: a body is always there
# cause: body may be left out, which is a KeyError here
# line: message["body"]
async def app(scope, receive, send):
    status, answer = 404, b""
    if (scope["method"], scope["path"]) == ("POST", "/count"):
        length, more = 0, True
        while more:
            message = await receive()
            length += len(message["body"])
            more = message.get("more_body", False)
        status, answer = 200, str(length).encode()
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": answer})

# %% ten-parts-1 wrong: one after another
# cause: each part is asked for only after the one before it has come
# line: await asyncio.wait_for(ask(part), seconds)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    found = dict.fromkeys(parts)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for part in found:
                with contextlib.suppress(OSError):
                    found[part] = await asyncio.wait_for(ask(part), seconds)
    return found

# %% ten-parts-1 wrong: in the order of their coming
# cause: the dict is in the order in which the parts came, not in that of parts
# line: found[part] = await ask(part)
import asyncio


async def page(ask, parts, seconds):
    found = {}

    async def one(part):
        try:
            async with asyncio.timeout(seconds):
                found[part] = await ask(part)
        except OSError:
            found[part] = None

    async with asyncio.TaskGroup() as group:
        for part in parts:
            group.create_task(one(part))
    return found

# %% ten-parts-1 wrong: all or nothing
# cause: if one part is late, all the others are None, too
# line: async with asyncio.timeout(seconds): | return dict.fromkeys(parts)
import asyncio


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    async def one(part):
        try:
            return await ask(part)
        except OSError:
            return None

    try:
        async with asyncio.timeout(seconds):
            answers = await asyncio.gather(*map(one, parts))
    except TimeoutError:
        return dict.fromkeys(parts)
    return dict(zip(parts, answers))

# %% ten-parts-1 wrong: late ones go on
# cause: the parts that are late are not cancelled, they are left running
# line: asyncio.wait( | asyncio.create_task(ask(part))
import asyncio


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    done, late = await asyncio.wait(tasks.values(), timeout=seconds)
    found = {}
    for part, task in tasks.items():
        found[part] = None
        if task in done:
            try:
                found[part] = task.result()
            except OSError:
                pass
    return found

# %% ten-parts-1 wrong: always as long
# cause: waits for all the seconds even if everything came sooner
# line: await asyncio.sleep(seconds)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    found = dict.fromkeys(parts)

    async def one(part):
        with contextlib.suppress(OSError):
            found[part] = await ask(part)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(part)) for part in parts]
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
    return found

# %% ten-parts-1 right: a deadline for each, all the same
import asyncio
import contextlib


async def page(ask, parts, seconds):
    end = asyncio.get_running_loop().time() + seconds
    found = {part: None for part in parts}

    async def put_in(part):
        with contextlib.suppress(OSError):
            async with asyncio.timeout_at(end):
                found[part] = await ask(part)

    async with asyncio.TaskGroup() as group:
        for part in found.keys():
            group.create_task(put_in(part))
    return found

# %% ten-parts-1 wrong: what is empty is None
# cause: an answer that is false is replaced by None
# line: or None
import asyncio


async def page(ask, parts, seconds):
    async def one(part):
        try:
            return await asyncio.wait_for(ask(part), seconds) or None
        except OSError:
            return None

    return dict(zip(parts, await asyncio.gather(*map(one, parts))))

# %% endpoint-1 wrong: an async def that blocks
# cause: look_up is called on the loop and blocks it
# line: price = look_up(name)
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()

    @app.get("/price/{name}")
    async def price_of(name: str):
        try:
            price = look_up(name)
        except KeyError:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 wrong: a price of 0
# cause: a price of 0 is taken for "not known"
# line: if not price:
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    def price_of(name: str):
        try:
            price = look_up(name)
        except KeyError:
            price = None
        if not price:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 wrong: one at a time
# cause: a lock lets only one request at a time ask the database
# line: with lock: | lock = threading.Lock()
import threading
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()
    lock = threading.Lock()

    @app.get("/price/{name}")
    def price_of(name: str):
        with lock:
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)

    return app

# %% endpoint-1 wrong: blocks by result
# cause: result() of the pool's future blocks the loop
# line: pool.submit(look_up, name).result()
from concurrent.futures import ThreadPoolExecutor
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()
    pool = ThreadPoolExecutor(40)

    @app.get("/price/{name}")
    async def price_of(name: str):
        try:
            price = pool.submit(look_up, name).result()
        except KeyError:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 right: to_thread, and a handler of KeyError
import asyncio
from contextlib import contextmanager
from fastapi import FastAPI, HTTPException


@contextmanager
def not_found(error):
    try:
        yield
    except error:
        raise HTTPException(status_code=404, detail="no such name") from None


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    async def price_of(name: str) -> dict:
        with not_found(KeyError):
            return dict(name=name, price=await asyncio.to_thread(look_up, name))

    app = FastAPI(title="prices")
    app.add_api_route("/price/{name}", price_of, methods=["GET"])
    return app

# %% endpoint-1 wrong: the last look_up serves all
# cause: the name look_up is a global of the module, so the first application asks the second one's database
# line: global ask
import asyncio
from fastapi import FastAPI, HTTPException

ask = None


def make_app(look_up):
    global ask
    ask = look_up
    app = FastAPI()

    @app.get("/price/{name}")
    async def price(name: str):
        try:
            return {"name": name, "price": await asyncio.to_thread(ask, name)}
        except KeyError:
            raise HTTPException(status_code=404)

    return app

# %% lifespan-1 wrong: when the first one asks
# cause: the pool is opened by the first request, not when the server starts
# line: if pool is None: | pool = await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    pool = None

    @asynccontextmanager
    async def lifespan(app):
        yield
        if pool is not None:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        nonlocal pool
        if pool is None:
            pool = await connect()
        return await pool.price(name)

    return app

# %% lifespan-1 wrong: a pool for each request
# cause: each request opens and closes a pool of its own
# line: pool = await connect()
from fastapi import FastAPI


def make_app(connect):
    app = FastAPI()

    @app.get("/price/{name}")
    async def price(name: str):
        pool = await connect()
        try:
            return await pool.price(name)
        finally:
            await pool.close()

    return app

# %% lifespan-1 wrong: nobody awaits the close
# cause: close() is called and not awaited, so the pool stays open
# line: app.state.pool.close()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await connect()
        yield
        app.state.pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await app.state.pool.price(name)

    return app

# %% lifespan-1 wrong: a pool for all applications
# cause: the pool is a global of the module, so two applications use the one that was opened last
# line: global pool
from contextlib import asynccontextmanager

from fastapi import FastAPI

pool = None


def make_app(connect):
    @asynccontextmanager
    async def lifespan(app):
        global pool
        pool = await connect()
        yield
        await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await pool.price(name)

    return app

# %% lifespan-1 wrong: never closed
# cause: the pool is not closed when the server shuts the application down
# line: yield | await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    kept = {}

    @asynccontextmanager
    async def lifespan(app):
        kept["pool"] = await connect()
        yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await kept["pool"].price(name)

    return app

# %% lifespan-1 right: the state that lifespan yields
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI, Request


def make_app(connect):
    @asynccontextmanager
    async def lifespan(app: FastAPI):
        async with AsyncExitStack() as stack:
            pool = await connect()
            stack.push_async_callback(pool.close)
            yield {"pool": pool}

    app = FastAPI(lifespan=lifespan)

    async def answer(name: str, request: Request):
        return await request.state.pool.price(name)

    app.get("/price/{name}")(answer)
    return app

# %% lifespan-1 right: a class whose methods are the parts
from contextlib import asynccontextmanager

from fastapi import FastAPI


class Shop:
    """Holds the pool as long as the application lives."""

    def __init__(self, connect):
        self.connect, self.pool = connect, None

    async def __aenter__(self):
        self.pool = await self.connect()

    async def __aexit__(self, *error):
        pool, self.pool = self.pool, None
        await pool.close()

    async def price(self, name: str):
        return await self.pool.price(name)


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    shop = Shop(connect)
    app = FastAPI(lifespan=lambda app: shop)
    app.add_api_route("/price/{name}", shop.price)
    return app

# %% lifespan-1 wrong: a price of nothing
# cause: a price of 0 is answered by null
# line: or None
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await connect()
        try:
            yield
        finally:
            await app.state.pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await app.state.pool.price(name) or None

    return app

# %% wsgi-1 wrong: the length may be an empty text
# cause: CONTENT_LENGTH may be there and empty. The default of `get` serves only where it is missing, and int("") is a ValueError.
# line: int(environ.get("CONTENT_LENGTH", 0))
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        length = int(environ.get("CONTENT_LENGTH", 0))
        body = environ["wsgi.input"].read(length)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [str(len(body)).encode()]
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"not found"]

# %% wsgi-1 wrong: letters are counted, not bytes
# cause: The body is decoded before it is counted: an ä is two bytes and one letter, and a body that isn't UTF-8 at all raises an error.
# line: .decode()
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
        start_response("404 Not Found", [])
        return [b""]
    length = int(environ.get("CONTENT_LENGTH") or "0")
    text = environ["wsgi.input"].read(length).decode()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"%d" % len(text)]

# %% wsgi-1 right: a table of routes
def count(environ):
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    return "200 OK", b"%d" % len(body)


def missing(environ):
    return "404 Not Found", b"nothing here\n"


ROUTES = {("POST", "/count"): count}


def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    key = environ.get("REQUEST_METHOD"), environ.get("PATH_INFO")
    status, body = ROUTES.get(key, missing)(environ)
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
    start_response(status, headers)
    return [body]

# %% asgi-1 wrong: an empty piece is taken for the end
# cause: A piece may be empty although another one follows. The loop ends at it and the rest of the body isn't counted.
# line: while piece := (await receive()).get("body")
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if scope["method"] == "POST" and scope["path"] == "/count":
        total = 0
        while piece := (await receive()).get("body"):
            total += len(piece)
        status, body = 200, str(total).encode()
    else:
        status, body = 404, b"not found"
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: more is awaited where nothing is said
# cause: `more_body` may be left out when it is False. The default says the opposite here: after such a last piece the application waits for one that never comes.
# line: message.get("more_body", True)
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    status, body = 404, b"not found"
    if (scope["method"], scope["path"]) == ("POST", "/count"):
        size, more = 0, True
        while more:
            message = await receive()
            size += len(message.get("body", b""))
            more = message.get("more_body", True)
        status, body = 200, b"%d" % size
    await send({"type": "http.response.start", "status": status})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 right: an async generator of lengths
async def lengths(receive):
    while True:
        match await receive():
            case {"body": piece, "more_body": True}:
                yield len(piece)
            case {"more_body": True}:
                yield 0
            case {"body": piece}:
                yield len(piece)
                return
            case _:
                return


async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    match scope:
        case {"type": "http", "method": "POST", "path": "/count"}:
            status = 200
            body = b"%d" % sum([length async for length in lengths(receive)])
        case {"type": "http"}:
            status, body = 404, b"not found"
        case _:
            return
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

# %% ten-parts-1 wrong: cancelled, but not ended
# cause: The late ones are cancelled, but nobody waits until they have ended: when the page is returned they still run, with their cleanup before them.
# line: task.cancel()
import asyncio


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    done, late = await asyncio.wait(tasks.values(), timeout=seconds)
    for task in late:
        task.cancel()
    result = {}
    for part, task in tasks.items():
        try:
            result[part] = task.result() if task in done else None
        except OSError:
            result[part] = None
    return result

# %% ten-parts-1 wrong: in the order in which they come
# cause: Each part is written into an empty dict when it comes, so the dict is in the order of the answers, not of `parts`.
# line: result = {} | result[part] = await ask(part)
import asyncio


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    result = {}

    async def one(part):
        try:
            async with asyncio.timeout(seconds):
                result[part] = await ask(part)
        except (OSError, TimeoutError):
            result[part] = None

    async with asyncio.TaskGroup() as group:
        for part in parts:
            group.create_task(one(part))
    return result

# %% ten-parts-1 right: one deadline and suppress
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    answers = dict.fromkeys(parts)
    deadline = asyncio.get_running_loop().time() + seconds

    async def fill(part):
        with contextlib.suppress(OSError):      # a TimeoutError is one, too
            async with asyncio.timeout_at(deadline):
                answers[part] = await ask(part)

    await asyncio.gather(*map(fill, answers))
    return answers

# %% endpoint-1 wrong: a thread, and the loop waits for it
# cause: `result()` of a concurrent future blocks the thread it is called in, and that is the loop's: while the database is asked nobody else is served.
# line: pool.submit(look_up, name).result()
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()
    pool = ThreadPoolExecutor()

    @app.get("/price/{name}")
    async def price(name: str):
        try:
            return {"name": name, "price": pool.submit(look_up, name).result()}
        except KeyError:
            raise HTTPException(404)

    return app

# %% endpoint-1 wrong: a price of 0 is taken for none
# cause: The price may be 0, which is false: a name that is known is answered by 404. The KeyError says whether it is known.
# line: if not price
import asyncio

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()

    def look(name):
        try:
            return look_up(name)
        except KeyError:
            return None

    @app.get("/price/{name}")
    async def answer(name: str):
        price = await asyncio.to_thread(look, name)
        if not price:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 right: an executor and add_api_route
import asyncio

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""

    async def endpoint(name: str):
        loop = asyncio.get_running_loop()
        try:
            price = await loop.run_in_executor(None, look_up, name)
        except KeyError as error:
            raise HTTPException(404) from error
        return dict(name=name, price=price)

    app = FastAPI()
    app.add_api_route("/price/{name}", endpoint, methods=["GET"])
    return app

# %% lifespan-1 wrong: opened by the first request
# cause: The pool is opened when the first request comes, not when the server starts; and as connect takes a while, two requests that come at the same time open two pools, one of which is never closed.
# line: if pool is None | pool = await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    pool = None

    @asynccontextmanager
    async def lifespan(app):
        yield
        if pool is not None:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        nonlocal pool
        if pool is None:
            pool = await connect()
        return await pool.price(name)

    return app

# %% lifespan-1 wrong: one pool for all applications
# cause: The pool is a variable of the module. A second application that starts replaces the first one's pool: the first asks the wrong one, one pool is closed twice and the other never.
# line: global pool
from contextlib import asynccontextmanager

from fastapi import FastAPI

pool = None


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app):
        global pool
        pool = await connect()
        try:
            yield
        finally:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await pool.price(name)

    return app

# %% lifespan-1 right: an exit stack and the application's state
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app):
        async with AsyncExitStack() as stack:
            app.state.pool = await connect()
            stack.push_async_callback(app.state.pool.close)
            yield

    async def price(name: str):
        return await app.state.pool.price(name)

    app = FastAPI(lifespan=lifespan)
    app.add_api_route("/price/{name}", price)
    return app

# %% answered-1 wrong: forgets that FastAPI's pool is full at forty
# cause: sixty requests in forty threads need two rounds, so "def" takes 0.2 s, not 0.1 s
# line: "def": 0.1
seconds = {
    "one thread": 6.0,
    "a thread each": 0.1,
    "waitress": 1.5,
    "awaits": 0.1,
    "blocks": 6.0,
    "def": 0.1,
}

# %% wsgi-1 wrong: an empty CONTENT_LENGTH
# cause: get's default helps only if the key is missing; int("") raises a ValueError where it is empty
# line: int(environ.get("CONTENT_LENGTH", 0))
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    headers = [("Content-Type", "text/plain")]
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        size = int(environ.get("CONTENT_LENGTH", 0))
        body = environ["wsgi.input"].read(size)
        start_response("200 OK", headers)
        return [str(len(body)).encode()]
    start_response("404 Not Found", headers)
    return [b"no such page"]

# %% wsgi-1 wrong: refuses only what has both another path and another method
# cause: `and` instead of `or`: GET /count, and POST to any other path, are answered by 200
# line: environ["PATH_INFO"] != "/count" and environ["REQUEST_METHOD"] != "POST"
def app(environ, start_response):
    def answer(status, text):
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [text.encode()]

    if environ["PATH_INFO"] != "/count" and environ["REQUEST_METHOD"] != "POST":
        return answer("404 Not Found", "there is nothing here")

    length = environ.get("CONTENT_LENGTH") or "0"
    data = environ["wsgi.input"].read(int(length))
    return answer("200 OK", f"{len(data)}")

# %% wsgi-1 wrong: counts characters
# cause: the body is decoded before it is counted, so it counts characters and not bytes
# line: .decode( | len(text)
def app(environ, start_response) -> list[bytes]:
    match (environ["REQUEST_METHOD"], environ["PATH_INFO"]):
        case ("POST", "/count"):
            length = int(environ.get("CONTENT_LENGTH", "") or 0)
            text = environ["wsgi.input"].read(length).decode("utf-8", "replace")
            status, body = "200 OK", str(len(text))
        case _:
            status, body = "404 Not Found", "not found"
    start_response(status, [("Content-Length", str(len(body)))])
    return [body.encode("ascii")]

# %% wsgi-1 right: a generator
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    asked = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    if asked != ("POST", "/count"):
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        yield b"nothing here"
        return
    number = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(number)
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield b"%d" % len(body)

# %% wsgi-1 right: reads the body in small pieces
def count(stream, left):
    total = 0
    while total < left and (piece := stream.read(min(4096, left - total))):
        total += len(piece)
    return total


def app(environ, start_response):
    if (environ["PATH_INFO"], environ["REQUEST_METHOD"]) == ("/count", "POST"):
        digits = environ.get("CONTENT_LENGTH", "")
        size = int(digits) if digits else 0
        status, body = "200 OK", str(count(environ["wsgi.input"], size)).encode()
    else:
        status, body = "404 Not Found", b""
    start_response(status, [("Content-Length", str(len(body)))])
    return (body,)

# %% asgi-1 wrong: takes an empty piece for the end
# cause: an empty piece ends the loop, although more_body says that others follow
# line: if not piece: | break  # nothing more
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if scope["method"] == "POST" and scope["path"] == "/count":
        total = 0
        while True:
            message = await receive()
            piece = message.get("body", b"")
            if not piece:
                break  # nothing more
            total += len(piece)
            if not message.get("more_body", False):
                break
        status, answer = 200, str(total).encode()
    else:
        status, answer = 404, b"not found"
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": answer})

# %% asgi-1 wrong: expects more_body in each message
# cause: more_body may be left out of the last message; then message["more_body"] is a KeyError
# line: message["more_body"]
async def read_all(receive) -> bytes:
    pieces = []
    more = True
    while more:
        message = await receive()
        pieces.append(message.get("body", b""))
        more = message["more_body"]
    return b"".join(pieces)


async def app(scope, receive, send):
    async def answer(status: int, body: bytes):
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    if (scope["method"], scope["path"]) != ("POST", "/count"):
        return await answer(404, b"no such page")
    await answer(200, b"%d" % len(await read_all(receive)))

# %% asgi-1 wrong: a 404 without a body
# cause: for a 404 only the start of the answer is sent, and no http.response.body, so it never ends
# line: "status": 404 | return  # that is all | none
async def app(scope, receive, send):
    plain = [(b"content-type", b"text/plain")]
    if scope["path"] != "/count" or scope["method"] != "POST":
        await send({"type": "http.response.start", "status": 404, "headers": plain})
        return  # that is all

    size, more = 0, True
    while more:
        match await receive():
            case {"body": bytes(piece), **rest}:
                size += len(piece)
            case rest:
                pass
        more = rest.get("more_body", False)

    await send({"type": "http.response.start", "status": 200, "headers": plain})
    await send({"type": "http.response.body", "body": str(size).encode()})

# %% asgi-1 right: an async generator and an async comprehension
async def sizes(receive):
    more = True
    while more:
        message = await receive()
        yield len(message.get("body", b""))
        more = message.get("more_body", False)


async def app(scope, receive, send):
    status, body = 404, b"?"
    if scope["path"] == "/count" and scope["method"] == "POST":
        status, body = 200, b"%d" % sum([size async for size in sizes(receive)])
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: a recursion, one call for each piece
# cause: each piece is received one call deeper, and Python allows about a thousand; a body may come in more pieces
# line: after = await rest_of_body() | async def rest_of_body():
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""

    async def rest_of_body():
        message = await receive()
        after = await rest_of_body() if message.get("more_body") else 0
        return len(message.get("body") or b"") + after

    match scope:
        case {"method": "POST", "path": "/count"}:
            status, text = 200, str(await rest_of_body())
        case _:
            status, text = 404, "not here"
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-length", str(len(text)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
    await send({"type": "http.response.body"})

# %% ten-parts-1 wrong: the dict is in the order of the answers
# cause: each part is put into the dict when it comes, so the keys are not in the order of `parts`
# line: found[part] = await ask(part) | found = {} | found.setdefault(part, None) | return found
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    found = {}

    async def fetch(part):
        with contextlib.suppress(OSError):
            found[part] = await ask(part)

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(fetch(part))
    for part in parts:
        found.setdefault(part, None)
    return found

# %% ten-parts-1 wrong: each part has a limit of its own
# cause: the limit begins anew with each part that is awaited, so the visitor may wait ten times as long
# line: asyncio.wait_for(task, seconds)
import asyncio


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    answers = {}
    try:
        for part, task in tasks.items():
            try:
                answers[part] = await asyncio.wait_for(task, seconds)
            except OSError:  # a TimeoutError is one
                answers[part] = None
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return answers

# %% ten-parts-1 wrong: the tasks run on when the visitor has gone
# cause: if page is cancelled in `wait`, nobody cancels the tasks: wait doesn't, and there is no finally
# line: await asyncio.wait(tasks, timeout=seconds) | none
import asyncio


def value_of(task: asyncio.Task):
    if task.cancelled() or isinstance(task.exception(), OSError):
        return None
    return task.result()


async def page(ask, parts, seconds):
    # all at once
    tasks = [asyncio.create_task(ask(part)) for part in parts]
    done, late = await asyncio.wait(tasks, timeout=seconds)
    # what is late is not needed any more
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return {
        part: value_of(task) if task in done else None
        for part, task in zip(parts, tasks)
    }

# %% ten-parts-1 right: a deadline in each part, in a TaskGroup
import asyncio
import contextlib


async def page(ask, parts, seconds):
    deadline = asyncio.get_running_loop().time() + seconds

    async def one(part):
        with contextlib.suppress(OSError):  # a TimeoutError is one, too
            async with asyncio.timeout_at(deadline):
                return await ask(part)

    async with asyncio.TaskGroup() as group:
        tasks = {part: group.create_task(one(part)) for part in parts}
    return {part: task.result() for part, task in tasks.items()}

# %% ten-parts-1 right: wait, and a finally for all
import asyncio


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    asked = {part: asyncio.ensure_future(ask(part)) for part in parts}
    in_time = set()
    try:
        if asked:
            in_time, _ = await asyncio.wait(asked.values(), timeout=seconds)
    finally:
        for task in asked.values():
            task.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)
    return {
        part: task.result() if task in in_time and not task.exception() else None
        for part, task in asked.items()
    }

# %% endpoint-1 wrong: an async def around the blocking call
# cause: look_up is called on the loop; a helper with `async def` doesn't make it wait elsewhere
# line: return look_up(name) | price = await ask_database(name)
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()

    async def ask_database(name):
        return look_up(name)

    @app.get("/price/{name}")
    async def get_price(name: str):
        try:
            price = await ask_database(name)
        except KeyError:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 wrong: what is for free isn't found
# cause: a price of 0 is false too, so a known name that costs nothing is answered by 404
# line: if not (found :=
import asyncio

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    def price_or_none(name):
        try:
            return look_up(name)
        except KeyError:
            return None

    @app.get("/price/{name}")
    async def price(name: str):
        if not (found := await asyncio.to_thread(price_or_none, name)):
            raise HTTPException(404, f"no {name}")
        return {"name": name, "price": found}

    return app

# %% endpoint-1 wrong: one at a time by a lock
# cause: the lock is held while the database is asked, so the other requests wait for the first one
# line: async with one_at_a_time | one_at_a_time = asyncio.Lock()
import asyncio

from fastapi import FastAPI, HTTPException


def make_app(look_up) -> FastAPI:
    app = FastAPI(title="prices")
    one_at_a_time = asyncio.Lock()

    @app.get("/price/{name}")
    async def endpoint(name: str):
        async with one_at_a_time:
            try:
                price = await asyncio.to_thread(look_up, name)
            except KeyError as error:
                raise HTTPException(404) from error
        return dict(name=name, price=price)

    return app

# %% endpoint-1 right: a plain def, added as a route
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    def answer(name: str):
        try:
            return {"name": name, "price": look_up(name)}
        except KeyError:
            raise HTTPException(404) from None

    app = FastAPI()
    app.add_api_route("/price/{name}", answer, methods=["GET"])
    return app

# %% endpoint-1 right: run_in_executor, and a handler for unknown names
import asyncio

from fastapi import FastAPI
from fastapi.responses import JSONResponse


class Unknown(Exception):
    pass


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()

    @app.exception_handler(Unknown)
    async def not_found(request, error):
        return JSONResponse({"detail": "unknown"}, status_code=404)

    @app.get("/price/{name}")
    async def price(name: str):
        loop = asyncio.get_running_loop()
        try:
            cents = await loop.run_in_executor(None, look_up, name)
        except KeyError as error:
            raise Unknown(name) from error
        return {"name": name, "price": cents}

    return app

# %% lifespan-1 wrong: the pool isn't really closed
# cause: `callback` calls pool.close() without awaiting it; the coroutine never runs (push_async_callback would)
# line: stack.callback(pool.close)
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app):
        async with AsyncExitStack() as stack:
            pool = await connect()
            stack.callback(pool.close)
            app.state.pool = pool
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await app.state.pool.price(name)

    return app

# %% lifespan-1 wrong: the pool of the lifespan is a local variable
# cause: without `nonlocal` the lifespan sets a variable of its own, and the endpoint's pool stays None
# line: pool = await connect() | return await pool.price(name) | none
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    pool = None

    @asynccontextmanager
    async def with_pool(app: FastAPI):
        pool = await connect()
        try:
            yield
        finally:
            await pool.close()

    app = FastAPI(lifespan=with_pool)

    @app.get("/price/{name}")
    async def price(name: str):
        return await pool.price(name)

    return app

# %% lifespan-1 wrong: opens the pool at the first request
# cause: the pool is opened when it is first needed, and not when the server starts the application up
# line: self.pool = await self.connect() | pool = await holder.get() | yield  # serve
import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI


class Holder:
    def __init__(self, connect):
        self.connect = connect
        self.pool = None
        self.lock = asyncio.Lock()

    async def get(self):
        async with self.lock:  # only one pool, even if many ask at once
            if self.pool is None:
                self.pool = await self.connect()
            return self.pool

    @asynccontextmanager
    async def lifespan(self, app):
        try:
            yield  # serve
        finally:
            if self.pool is not None:
                await self.pool.close()


def make_app(connect):
    holder = Holder(connect)
    app = FastAPI(lifespan=holder.lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        pool = await holder.get()
        return await pool.price(name)

    return app

# %% lifespan-1 right: the lifespan's state
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app):
        pool = await connect()
        try:
            yield {"pool": pool}
        finally:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str, request: Request):
        return await request.state.pool.price(name)

    return app

# %% lifespan-1 right: a dependency, and a stack that closes
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import Depends, FastAPI


def make_app(connect):
    opened = []

    @asynccontextmanager
    async def lifespan(_):
        async with AsyncExitStack() as stack:
            opened.append(await connect())
            stack.push_async_callback(opened[-1].close)
            yield

    async def the_pool():
        return opened[-1]

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str, pool=Depends(the_pool)):
        return await pool.price(name)

    return app

# %% wsgi-1 wrong: counts letters
# cause: the body is decoded before it is counted, so letters are counted instead of bytes (and bytes that are no UTF-8 fail).
# line: .decode()
def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        length = int(environ.get("CONTENT_LENGTH") or 0)
        text = environ["wsgi.input"].read(length).decode()
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [str(len(text)).encode()]
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"not found"]

# %% wsgi-1 wrong: no body, no answer
# cause: a POST /count without a body is answered by 404 instead of 0.
# line: and environ.get("CONTENT_LENGTH") | environ["REQUEST_METHOD"] == "POST"
def app(environ, start_response):
    if (
        environ["REQUEST_METHOD"] == "POST"
        and environ["PATH_INFO"] == "/count"
        and environ.get("CONTENT_LENGTH")
    ):
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        answer = str(len(body)).encode("ascii")
        start_response("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]
    start_response("404 Not Found", [])
    return [b""]

# %% wsgi-1 right: a generator, again
def app(environ, start_response):
    match environ.get("REQUEST_METHOD"), environ.get("PATH_INFO"):
        case "POST", "/count":
            size = int(environ.get("CONTENT_LENGTH", "") or "0")
            body = environ["wsgi.input"].read(size) if size else b""
            start_response("200 OK", [("Content-Type", "text/plain")])
            yield b"%d" % len(body)
        case _:
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            yield b"nothing here\n"

# %% asgi-1 wrong: an empty piece looks like the end
# cause: it stops at the first empty piece, although more may follow.
# line: while piece := (await receive()).get("body"):
async def app(scope, receive, send):
    if scope["method"] == "POST" and scope["path"] == "/count":
        total = 0
        while piece := (await receive()).get("body"):
            total += len(piece)
        status, body = 200, str(total).encode()
    else:
        status, body = 404, b"not found"
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: every path that begins so
# cause: other paths that only begin with /count, such as /counter, are answered by 200 too.
# line: scope["path"].startswith("/count")
async def app(scope, receive, send):
    async def answer(status, body):
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    if scope["method"] != "POST" or not scope["path"].startswith("/count"):
        await answer(404, b"not found")
        return
    total = 0
    more = True
    while more:
        message = await receive()
        total += len(message.get("body", b""))
        more = message.get("more_body", False)
    await answer(200, str(total).encode())

# %% asgi-1 right: an async generator, and an answer in two pieces
async def _pieces(receive):
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        yield message.get("body", b"")


async def app(scope, receive, send):
    if (scope.get("method"), scope.get("path")) == ("POST", "/count"):
        status = 200
        answer = b"%d" % sum([len(piece) async for piece in _pieces(receive)])
    else:
        status, answer = 404, b"no such page"
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", b"text/plain")],
        }
    )
    await send({"type": "http.response.body", "body": answer, "more_body": True})
    await send({"type": "http.response.body", "body": b""})

# %% ten-parts-1 wrong: a limit for each, one after the other
# cause: each part gets the full time again from the moment at which its turn comes, so the page may take many times as long.
# line: await asyncio.wait_for(task, seconds)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    result = {}
    try:
        for part, task in tasks.items():
            try:
                result[part] = await asyncio.wait_for(task, seconds)
            except OSError:  # a TimeoutError is one
                result[part] = None
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return result

# %% ten-parts-1 right: one deadline, a timeout in each task
import asyncio
import contextlib


async def page(ask, parts, seconds):
    result = dict.fromkeys(parts)
    deadline = asyncio.get_running_loop().time() + seconds

    async def fill(part):
        with contextlib.suppress(OSError):  # and TimeoutError, which is one
            async with asyncio.timeout_at(deadline) as limit:
                answer = await ask(part)
                if not limit.expired():
                    result[part] = answer

    async with asyncio.TaskGroup() as group:
        for part in result:
            group.create_task(fill(part))
    return result

# %% endpoint-1 wrong: a pool of one thread
# cause: the pool has only one thread, so while one request waits for the database every other one waits behind it.
# line: max_workers=1
import asyncio
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()
    database = ThreadPoolExecutor(max_workers=1)

    @app.get("/price/{name}")
    async def price(name: str):
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(database, look_up, name)
        except KeyError:
            raise HTTPException(404)
        return {"name": name, "price": found}

    return app

# %% endpoint-1 wrong: what costs nothing isn't known
# cause: a known name whose price is 0 is answered by 404.
# line: if not price:
from contextlib import suppress

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    def get_price(name: str):
        price = None
        with suppress(KeyError):
            price = look_up(name)
        if not price:
            raise HTTPException(404, f"no price for {name}")
        return {"name": name, "price": price}

    return app

# %% endpoint-1 right: a router, a thread pool, a helper that translates
from fastapi import APIRouter, FastAPI, HTTPException
from fastapi.concurrency import run_in_threadpool


class _Prices:
    def __init__(self, look_up):
        self.look_up = look_up
        self.router = APIRouter(prefix="/price")
        self.router.add_api_route("/{name}", self.show, methods=["GET"])

    def find(self, name):
        try:
            return {"name": name, "price": self.look_up(name)}
        except KeyError as error:
            raise HTTPException(404) from error

    async def show(self, name: str):
        return await run_in_threadpool(self.find, name)


def make_app(look_up):
    app = FastAPI()
    app.include_router(_Prices(look_up).router)
    return app

# %% lifespan-1 wrong: a pool of the inner function
# cause: without nonlocal, the lifespan fills a variable of its own; the endpoint sees None for ever, and every request fails.
# line: pool = await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    pool = None

    @asynccontextmanager
    async def lifespan(app):
        pool = await connect()
        try:
            yield
        finally:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await pool.price(name)

    return app

# %% lifespan-1 right: a class is the context manager
from fastapi import FastAPI


class _Database:
    def __init__(self, connect):
        self.connect = connect
        self.pool = None

    def __call__(self, app):
        return self

    async def __aenter__(self):
        self.pool = await self.connect()

    async def __aexit__(self, *error):
        pool, self.pool = self.pool, None
        await pool.close()

    async def price(self, name: str):
        return await self.pool.price(name)


def make_app(connect):
    database = _Database(connect)
    app = FastAPI(lifespan=database)
    app.get("/price/{name}")(database.price)
    return app

# %% lifespan-1 wrong: opens while it already serves
# cause: the pool is opened in a task that nobody waits for at startup, so requests are accepted before it is open, and a failing connect doesn't stop the start.
# line: opening = asyncio.create_task(connect())
import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    opening = None

    @asynccontextmanager
    async def lifespan(app):
        nonlocal opening
        opening = asyncio.create_task(connect())
        yield
        pool = await opening
        await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        pool = await opening
        return await pool.price(name)

    return app

# %% ten-parts-1 wrong: the first error ends the wait
# cause: as soon as one part fails, the wait is over and all parts that are still to come are cancelled and None.
# line: return_when=asyncio.FIRST_EXCEPTION
import asyncio
import contextlib


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    if not tasks:
        return {}
    result = dict.fromkeys(tasks)
    try:
        done, _ = await asyncio.wait(
            tasks.values(),
            timeout=seconds,
            return_when=asyncio.FIRST_EXCEPTION,
        )
        for part, task in tasks.items():
            if task in done:
                with contextlib.suppress(OSError):
                    result[part] = task.result()
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return result

# %% wsgi-1 wrong: counts characters, again
# cause: the body is decoded before it is counted, so a body of non-ASCII characters gives too few (or an error)
# line: body = environ["wsgi.input"].read(length).decode()
def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length).decode()
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [str(len(body)).encode()]
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"not found"]

# %% wsgi-1 wrong: every path that begins like it
# cause: startswith also accepts /counter and /count/1, which should be 404
# line: .startswith("/count") | if environ["REQUEST_METHOD"] != "POST" or not wanted:
def app(environ, start_response):
    headers = [("Content-Type", "text/plain")]
    wanted = environ["PATH_INFO"].startswith("/count")
    if environ["REQUEST_METHOD"] != "POST" or not wanted:
        start_response("404 Not Found", headers)
        return [b"no such page"]
    length = int(environ.get("CONTENT_LENGTH") or "0")
    body = environ["wsgi.input"].read(length)
    start_response("200 OK", headers)
    return [b"%d" % len(body)]

# %% wsgi-1 right: a class with an iterator
class _Answer:
    def __init__(self, environ, start_response):
        self.environ = environ
        self.start = start_response

    def __iter__(self):
        key = (self.environ.get("REQUEST_METHOD"), self.environ.get("PATH_INFO"))
        status, body = {("POST", "/count"): self.count}.get(key, self.missing)()
        self.start(status, [("Content-Length", str(len(body)))])
        yield body

    def count(self):
        digits = self.environ.get("CONTENT_LENGTH", "")
        size = int(digits) if digits else 0
        data = self.environ["wsgi.input"].read(size) if size else b""
        return "200 OK", format(len(data)).encode("ascii")

    def missing(self):
        return "404 Not Found", b"?"


def app(environ, start_response):
    return list(_Answer(environ, start_response))

# %% asgi-1 wrong: stops at an empty piece
# cause: an empty piece is taken for the end, though more_body may still be true
# line: if not piece:
async def app(scope, receive, send):
    if scope["method"] == "POST" and scope["path"] == "/count":
        count = 0
        while True:
            message = await receive()
            piece = message.get("body", b"")
            if not piece:
                break
            count += len(piece)
            if not message.get("more_body", False):
                break
        status, body = 200, str(count).encode()
    else:
        status, body = 404, b"not found"
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% asgi-1 wrong: drops the last piece
# cause: the loop ends at the last piece before its body has been added
# line: while (message := await receive()).get("more_body"):
async def app(scope, receive, send):
    async def answer(status, body):
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    if (scope["method"], scope["path"]) != ("POST", "/count"):
        await answer(404, b"")
        return
    count = 0
    while (message := await receive()).get("more_body"):
        count += len(message.get("body", b""))
    await answer(200, b"%d" % count)

# %% asgi-1 right: an async generator of lengths, again
async def _lengths(receive):
    more = True
    while more:
        match await receive():
            case {"type": "http.disconnect"}:
                return
            case message:
                more = message.get("more_body", False)
                yield len(message.get("body", b""))


async def app(scope, receive, send):
    status, answer = 404, b"nothing here"
    if scope["method"] == "POST" and scope["path"] == "/count":
        status = 200
        answer = str(sum([n async for n in _lengths(receive)])).encode()
    start = dict(type="http.response.start", status=status, headers=[])
    body = dict(type="http.response.body", body=answer, more_body=False)
    for message in start, body:
        await send(message)

# %% ten-parts-1 wrong: one deadline after another
# cause: each part gets the full time again when its turn comes, so a page with several late parts takes a multiple of seconds
# line: result[part] = await asyncio.wait_for(task, seconds)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    result = {}
    try:
        for part, task in tasks.items():
            try:
                result[part] = await asyncio.wait_for(task, seconds)
            except OSError:
                result[part] = None
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return result

# %% ten-parts-1 wrong: cleans up only after a wait that ended
# cause: if page itself is cancelled during the wait, the tasks are never cancelled and go on
# line: done, late = await asyncio.wait(tasks.values(), timeout=seconds)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    if not tasks:
        return {}
    done, late = await asyncio.wait(tasks.values(), timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return {
        part: None if task in late or task.exception() else task.result()
        for part, task in tasks.items()
    }

# %% ten-parts-1 right: a task group under a timeout
import asyncio
import contextlib


async def page(ask, parts, seconds):
    result = dict.fromkeys(parts)

    async def fill(part):
        with contextlib.suppress(OSError):
            async with asyncio.timeout_at(end):
                answer = await ask(part)
            result[part] = answer

    end = asyncio.get_running_loop().time() + seconds
    async with asyncio.TaskGroup() as group:
        for part in list(result):
            group.create_task(fill(part))
    return result

# %% endpoint-1 wrong: submits to a pool and waits with result
# cause: future.result() blocks the loop's thread although the call is in another thread
# line: price = pool.submit(look_up, name).result()
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()
    pool = ThreadPoolExecutor()

    @app.get("/price/{name}")
    async def price(name: str):
        try:
            price = pool.submit(look_up, name).result()
        except KeyError:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 wrong: a price of nothing is not known
# cause: a price of 0 is falsy and is answered with 404
# line: if not price:
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    def get_price(name: str):
        price = None
        try:
            price = look_up(name)
        except KeyError:
            pass
        if not price:
            raise HTTPException(404)
        return {"name": name, "price": price}

    return app

# %% endpoint-1 right: add_api_route, a class and to_thread
import asyncio
import functools

from fastapi import FastAPI, HTTPException


class _Prices:
    def __init__(self, look_up):
        self.look_up = look_up

    async def get(self, name: str):
        call = functools.partial(self.look_up, name)
        try:
            price = await asyncio.to_thread(call)
        except KeyError:
            raise HTTPException(status_code=404) from None
        return dict(name=name, price=price)


def make_app(look_up):
    app = FastAPI()
    app.add_api_route("/price/{name}", _Prices(look_up).get, methods=["GET"])
    return app

# %% lifespan-1 wrong: opened at the first request
# cause: the pool is opened lazily by the first request, not at start-up; several first requests open several pools
# line: state["pool"] = await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    state = {}

    @asynccontextmanager
    async def lifespan(app):
        yield
        if "pool" in state:
            await state["pool"].close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        if "pool" not in state:
            state["pool"] = await connect()
        return await state["pool"].price(name)

    return app

# %% lifespan-1 wrong: the close is only called
# cause: pool.close() is not awaited, so the pool is never closed
# line: app.state.pool.close()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await connect()
        try:
            yield
        finally:
            app.state.pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        return await app.state.pool.price(name)

    return app

# %% lifespan-1 right: an exit stack and lifespan state
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI, Request


def make_app(connect):
    @asynccontextmanager
    async def lifespan(app):
        async with AsyncExitStack() as stack:
            app.state.pool = await connect()
            stack.push_async_callback(app.state.pool.close)
            yield

    async def price(name: str, request: Request):
        return await request.app.state.pool.price(name)

    app = FastAPI(lifespan=lifespan)
    app.get("/price/{name}")(price)
    return app

# %% lifespan-1 wrong: forgets the pool instead of closing it
# cause: at the shutdown the pool is only forgotten, never closed
# line: app.state.pool = None | yield | none
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await connect()
        yield
        app.state.pool = None

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def get_price(name: str, request: Request):
        return await request.app.state.pool.price(name)

    return app

# %% endpoint-1 wrong: every error is a 404
# cause: only a KeyError means an unknown name; any other error of look_up must come out
# line: except Exception:
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()

    @app.get("/price/{name}")
    def price(name: str):
        try:
            return {"name": name, "price": look_up(name)}
        except Exception:
            raise HTTPException(404)

    return app

# %% asgi-1 wrong: a 404 without a body message
# cause: an answer is complete only with http.response.body, even if the body is empty; after the start alone the client waits on
# line: await send({"type": "http.response.start", "status": 404, "headers": []}) | return
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if (scope["method"], scope["path"]) != ("POST", "/count"):
        await send({"type": "http.response.start", "status": 404, "headers": []})
        return
    body = b""
    while True:
        event = await receive()
        body += event.get("body", b"")
        if not event.get("more_body", False):
            break
    text = str(len(body)).encode("ascii")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text})

# %% wsgi-1 wrong: another method on the path falls through
# cause: the else belongs to the test of the path alone, so GET /count gets no answer at all (None)
# line: if environ["REQUEST_METHOD"] == "POST": | else:
def app(environ, start_response):
    headers = [("Content-Type", "text/plain")]
    if environ["PATH_INFO"] == "/count":
        if environ["REQUEST_METHOD"] == "POST":
            length = environ.get("CONTENT_LENGTH", "")
            number = int(length) if length else 0
            content = environ["wsgi.input"].read(number)
            start_response("200 OK", headers)
            return [b"%d" % len(content)]
    else:
        start_response("404 Not Found", headers)
        return [b"no such page"]

# %% asgi-1 wrong: goes on after the 404
# cause: there is no return after the 404, so the request is read and answered a second time
# line: await respond(send, 404, b"Not Found") | if scope["method"] != "POST" or scope["path"] != "/count":
async def respond(send, status, body):
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def count(receive):
    message = await receive()
    here = len(message.get("body", b""))
    while message.get("more_body", False):
        message = await receive()
        here += len(message.get("body", b""))
    return here


async def app(scope, receive, send):
    if scope["method"] != "POST" or scope["path"] != "/count":
        await respond(send, 404, b"Not Found")
    number = await count(receive)
    await respond(send, 200, str(number).encode())

# %% ten-parts-1 wrong: the cancelled parts cancel the page
# cause: gather without return_exceptions raises the CancelledError of the late parts, so the page never comes if one is late
# line: await asyncio.gather(*late)
# told: async with asyncio.TaskGroup() as group:
import asyncio
import contextlib


async def page(ask, parts, seconds):
    answers = dict.fromkeys(parts)
    if not answers:
        return answers

    async def fill(part):
        with contextlib.suppress(OSError):
            return await ask(part)

    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(fill(part)): part for part in answers}
        arrived, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late)
    for task in arrived:
        answers[tasks[task]] = task.result()
    return answers

# %% endpoint-1 wrong: returns the HTTPException
# cause: the HTTPException is returned rather than raised, so there is no answer with status 404
# line: return HTTPException(404)
from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    def price_of(name: str):
        try:
            return {"name": name, "price": look_up(name)}
        except KeyError:
            return HTTPException(404)

    return app

# %% endpoint-1 wrong: catches every LookupError
# cause: LookupError is wider than KeyError, so an IndexError of look_up becomes a 404 and doesn't come out
# line: except LookupError:
from fastapi import FastAPI, HTTPException
from fastapi.concurrency import run_in_threadpool


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    async def price(name: str):
        try:
            found = await run_in_threadpool(look_up, name)
        except LookupError:
            raise HTTPException(404)
        else:
            return dict(name=name, price=found)

    return app

# %% wsgi-1 wrong: the answer of the helper is not returned
# cause: the helper's answer is not returned, so the other requests get None
# line: not_found(start_response)
def app(environ, start_response):
    def not_found(start_response):
        start_response("404 Not Found", [])
        return [b"no"]

    if environ["REQUEST_METHOD"] != "POST" or environ["PATH_INFO"] != "/count":
        not_found(start_response)
    else:
        n = int(environ.get("CONTENT_LENGTH") or 0)
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read(n))).encode()]

# %% asgi-1 wrong: more_body for ever
# cause: the last piece says that more follows, so the client waits for ever
# line: "more_body": True
async def app(scope, receive, send):
    if scope["method"] != "POST" or scope["path"] != "/count":
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return
    n, more = 0, True
    while more:
        m = await receive()
        n += len(m.get("body", b""))
        more = m.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"%d" % n, "more_body": True})

# %% ten-parts-1 wrong: asks the cancelled for its exception
# cause: exception() of a task that was cancelled raises CancelledError
# line: task.exception()
import asyncio


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    try:
        await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {part: None if task.exception() else task.result() for part, task in tasks.items()}

# %% asgi-1 wrong: until an empty piece
# cause: An empty piece is taken for the end, though it may come in the middle, and after the last piece, if it isn't empty, it waits for one more that never comes; `more_body` says whether another follows.
# line: if not piece:
async def read_body(receive):
    body = b""
    while True:
        message = await receive()
        piece = message.get("body", b"")
        if not piece:
            return body
        body += piece


async def app(scope, receive, send):
    if scope["method"] == "POST" and scope["path"] == "/count":
        body = await read_body(receive)
        status, answer = 200, str(len(body)).encode()
    else:
        status, answer = 404, b"not found"
    await send({"type": "http.response.start", "status": status,
                "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": answer})

# %% asgi-1 wrong: the last piece isn't counted
# cause: The loop counts a piece only if another one follows it, so the bytes of the last piece are missing.
# line: while message.get("more_body"): | total += len(message.get("body", b""))
async def answer(send, status, body):
    await send({
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-length", str(len(body)).encode())],
    })
    await send({"type": "http.response.body", "body": body})


async def app(scope, receive, send):
    if scope["path"] != "/count" or scope["method"] != "POST":
        await answer(send, 404, b"no such page")
        return
    total = 0
    message = await receive()
    while message.get("more_body"):
        total += len(message.get("body", b""))
        message = await receive()
    await answer(send, 200, str(total).encode())

# %% wsgi-1 wrong: returns the bytes themselves and no list of them
# cause: A server goes through what the application returns and expects pieces of bytes, but going through bytes gives integers; the answer must be put into a list.
# line: return str(len(data)).encode()
def app(environ, start_response):
    method = environ["REQUEST_METHOD"]
    path = environ["PATH_INFO"]
    if (method, path) != ("POST", "/count"):
        start_response("404 Not Found", [])
        return []

    length = int(environ.get("CONTENT_LENGTH") or "0")
    data = environ["wsgi.input"].read(length)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return str(len(data)).encode()

# %% wsgi-1 wrong: the body of the answer is text
# cause: A WSGI application has to return an iterable of bytes, and this one holds a `str`.
# line: return [str(len(body))]
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    headers = [("Content-Type", "text/plain")]
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        start_response("200 OK", headers)
        return [str(len(body))]
    start_response("404 Not Found", headers)
    return [b"not found\n"]

# %% ten-parts-1 wrong: one late part takes the answers of all others away
# cause: When the time is over, the whole gather is cancelled and its result is lost, so the parts that were there in time become None too.
# line: answers = [None] * len(parts) | answers = await asyncio.gather( | async with asyncio.timeout(seconds):
import asyncio


async def page(ask, parts, seconds):
    async def one(part):
        try:
            return await ask(part)
        except OSError:
            return None

    try:
        async with asyncio.timeout(seconds):
            answers = await asyncio.gather(*(one(part) for part in parts))
    except TimeoutError:
        answers = [None] * len(parts)
    return dict(zip(parts, answers))

# %% ten-parts-1 wrong: Dict in order of arrival
# cause: The dict is filled as the answers come, so its keys stand in the order of arrival and not in the order of parts.
# line: found = {} | found[part] = answer | found.setdefault(part, None)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    parts = list(parts)
    found = {}

    async def fetch(part, limit):
        with contextlib.suppress(OSError):
            answer = await ask(part)
            if not limit.expired():
                found[part] = answer

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds) as limit:
            async with asyncio.TaskGroup() as group:
                for part in parts:
                    group.create_task(fetch(part, limit))

    for part in parts:
        found.setdefault(part, None)
    return found

# %% lifespan-1 wrong: Pool opened by first request
# cause: connect is only awaited when the first request comes, so the application has started without a pool, and two first requests at once open two.
# line: pool = await connect() | if pool is None:
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    pool = None

    @asynccontextmanager
    async def lifespan(app):
        yield
        if pool is not None:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def price(name: str):
        nonlocal pool
        if pool is None:
            pool = await connect()
        return await pool.price(name)

    return app

# %% asgi-1 wrong: waits for a piece with a body
# cause: an empty piece is taken for the last
# line: if not piece:
async def app(scope, receive, send):
    async def answer(status, body):
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    if scope["method"] != "POST" or scope["path"] != "/count":
        await answer(404, b"no")
        return
    total = 0
    while True:
        message = await receive()
        piece = message.get("body", b"")
        if not piece:
            break
        total += len(piece)
    await answer(200, str(total).encode())

# %% lifespan-1 wrong: lifespan not given to the application
# cause: FastAPI() without lifespan: it never runs
# line: app = FastAPI()
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    held = {}

    @asynccontextmanager
    async def lifespan(app):
        held["pool"] = await connect()
        try:
            yield
        finally:
            await held["pool"].close()

    app = FastAPI()

    @app.get("/price/{name}")
    async def price(name: str):
        return await held["pool"].price(name)

    return app

# %% asgi-1 wrong: and instead of or
# cause: 404 is sent only if both the path and the method are wrong, so GET /count and POST /other are answered by 200.
# line: if scope["path"] != "/count" and scope["method"] != "POST":
async def respond(send, status, body):
    await send({
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-type", b"text/plain")],
    })
    await send({"type": "http.response.body", "body": body})


async def app(scope, receive, send):
    if scope["path"] != "/count" and scope["method"] != "POST":
        await respond(send, 404, b"Not Found")
        return
    total = 0
    more = True
    while more:
        message = await receive()
        total += len(message.get("body", b""))
        more = message.get("more_body", False)
    await respond(send, 200, b"%d" % total)

# %% asgi-1 wrong: only the path is looked at
# cause: the method is not looked at, so GET /count is answered by 200
# line: if path == "/count":
async def app(scope, receive, send):
    path = scope["path"]
    if path == "/count":
        n, more = 0, True
        while more:
            m = await receive()
            n += len(m.get("body", b""))
            more = m.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % n})
    else:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

# %% asgi-1 wrong: only the method is looked at
# cause: the path is not looked at, so a POST to any path is answered by 200
# line: if scope["method"] == "POST":
async def app(scope, receive, send):
    if scope["method"] == "POST":
        n, more = 0, True
        while more:
            m = await receive()
            n += len(m.get("body", b""))
            more = m.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % n})
    else:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

# %% wsgi-1 wrong: empty CONTENT_LENGTH forgotten
# cause: The default of get helps only when CONTENT_LENGTH is missing; when it is there and empty, int("") raises a ValueError.
# line: size = int(environ.get("CONTENT_LENGTH", 0))
def _reply(start_response, status, text):
    payload = text.encode()
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(payload))),
    ]
    start_response(status, headers)
    return [payload]


def app(environ, start_response):
    target = (environ["REQUEST_METHOD"], environ["PATH_INFO"])
    if target != ("POST", "/count"):
        return _reply(start_response, "404 Not Found", "not found\n")
    size = int(environ.get("CONTENT_LENGTH", 0))
    data = environ["wsgi.input"].read(size)
    return _reply(start_response, "200 OK", str(len(data)))

# %% wsgi-1 wrong: trailing slash counts as same
# cause: The slashes at the end of the path are cut off before it is compared, so POST /count/, which is another path, is answered with 200 instead of 404.
# line: path = environ.get("PATH_INFO", "").rstrip("/") | case ("POST", "/count"):
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    path = environ.get("PATH_INFO", "").rstrip("/")
    match (environ["REQUEST_METHOD"], path):
        case ("POST", "/count"):
            announced = environ.get("CONTENT_LENGTH", "")
            number = int(announced) if announced else 0
            body = environ["wsgi.input"].read(number)
            status, answer = "200 OK", b"%d" % len(body)
        case _:
            status, answer = "404 Not Found", b""
    start_response(status, [("Content-Length", str(len(answer)))])
    return [answer]

# %% asgi-1 wrong: trusts the content-length header
# cause: the number comes from the content-length header instead of from the pieces, so a request without this header (chunked) is answered by 0.
# line: length = int(headers.get(b"content-length", b"0")) | body = str(length).encode()
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    if (scope["method"], scope["path"]) == ("POST", "/count"):
        headers = dict(scope.get("headers", []))
        length = int(headers.get(b"content-length", b"0"))
        more = True
        while more:
            more = (await receive()).get("more_body", False)
        status = 200
        body = str(length).encode()
    else:
        status = 404
        body = b""
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% endpoint-1 wrong: await is outside the try
# cause: the try is only around the call that makes the coroutine, and look_up runs at the await after it, so its KeyError isn't caught and there is no 404.
# line: price = await answer | answer = asyncio.to_thread(look_up, name)
import asyncio

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    app = FastAPI()

    @app.get("/price/{name}")
    async def price_of(name: str):
        try:
            answer = asyncio.to_thread(look_up, name)
        except KeyError:
            raise HTTPException(404) from None
        price = await answer
        return {"name": name, "price": price}

    return app

# %% lifespan-1 wrong: a lock around each question
# cause: the lock is held while the pool answers, so requests that come at once are answered one after the other although the pool takes many at once.
# line: async with lock: | lock = asyncio.Lock()
import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    pool = None
    lock = asyncio.Lock()

    @asynccontextmanager
    async def lifespan(app):
        nonlocal pool
        pool = await connect()
        try:
            yield
        finally:
            await pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def get_price(name: str):
        async with lock:
            return await pool.price(name)

    return app

# %% lifespan-1 wrong: pool in a module global
# cause: the pool is kept in a dict of the module, which all applications share, so with two applications at once the second's pool replaces the first's, which is then used for the wrong one.
# line: resources = {} | resources["pool"] = await connect()
from contextlib import asynccontextmanager

from fastapi import FastAPI

resources = {}


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    @asynccontextmanager
    async def lifespan(app: FastAPI):
        resources["pool"] = await connect()
        try:
            yield
        finally:
            await resources["pool"].close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def read_price(name: str):
        return await resources["pool"].price(name)

    return app

# %% ten-parts-1 wrong: one late part loses all
# cause: When one part is late, the timeout throws away the parts that were there in time too.
# line: return dict.fromkeys(parts) | async with asyncio.timeout(seconds): | await asyncio.gather(
import asyncio


async def page(ask, parts, seconds):
    parts = list(parts)

    async def ask_or_none(part):
        try:
            return await ask(part)
        except OSError:
            return None

    try:
        async with asyncio.timeout(seconds):
            answers = await asyncio.gather(*(ask_or_none(part) for part in parts))
    except TimeoutError:
        return dict.fromkeys(parts)
    return dict(zip(parts, answers))

# %% wsgi-1 right: match on method and path
def app(environ, start_response):
    match environ.get("REQUEST_METHOD"), environ.get("PATH_INFO"):
        case "POST", "/count":
            status, count = "200 OK", 0
            left = int(environ.get("CONTENT_LENGTH") or 0)
            while left > 0 and (piece := environ["wsgi.input"].read(min(left, 65536))):
                count += len(piece)
                left -= len(piece)
            body = b"%d" % count
        case _:
            status, body = "404 Not Found", b"there is nothing here\n"
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
    start_response(status, headers)
    return [body]

# %% asgi-1 right: pieces from an async generator
async def _sizes(receive):
    more = True
    while more:
        message = await receive()
        if message.get("type") == "http.disconnect":
            return
        yield len(message.get("body") or b"")
        more = message.get("more_body", False)


async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    match scope:
        case {"method": "POST", "path": "/count"}:
            total = 0
            async for size in _sizes(receive):
                total += size
            status, text = 200, b"%d" % total
        case _:
            status, text = 404, b"nothing here"
    for message in (
        {"type": "http.response.start", "status": status,
         "headers": [(b"content-type", b"text/plain")]},
        {"type": "http.response.body", "body": text},
    ):
        await send(message)

# %% ten-parts-1 right: a class, done-callbacks and an alarm
import asyncio
import contextlib


class _Visit:
    def __init__(self, ask, parts):
        self.found = dict.fromkeys(parts)
        self.bell = asyncio.Event()
        self.open = True
        self.running = {}
        for part in self.found:
            task = asyncio.ensure_future(self._one(ask, part))
            self.running[task] = part
            task.add_done_callback(self._ended)
        if not self.running:
            self.bell.set()

    @staticmethod
    async def _one(ask, part):
        return await ask(part)

    def _ended(self, task):
        part = self.running.pop(task)
        failed = task.cancelled() or task.exception() is not None
        if self.open and not failed:
            self.found[part] = task.result()
        if not self.running:
            self.bell.set()

    async def leave(self):
        self.open = False
        interrupted = None
        for task in list(self.running):
            task.cancel()
        while left := [task for task in self.running if not task.done()]:
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    visit = _Visit(ask, parts)
    alarm = asyncio.get_running_loop().call_later(seconds, visit.bell.set)
    try:
        await visit.bell.wait()
    finally:
        alarm.cancel()
        await visit.leave()
    return visit.found

# %% endpoint-1 right: a blocking dependency, not endpoint
from fastapi import Depends, FastAPI, HTTPException


def make_app(look_up):
    def price_of(name: str):    # no coroutine: FastAPI runs it in a thread
        try:
            return look_up(name)
        except KeyError:
            raise HTTPException(404) from None

    async def answer(name: str, price=Depends(price_of)):
        return dict(name=name, price=price)

    app = FastAPI()
    app.add_api_route("/price/{name}", answer, methods=["GET"])
    return app

# %% lifespan-1 right: a lifespan written as class
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""

    class Alive:
        def __init__(self, application):
            self.state = application.state

        async def __aenter__(self):
            self.state.pool = await connect()

        async def __aexit__(self, *how):
            await self.state.pool.close()

    async def answer(name: str):
        return await app.state.pool.price(name)

    app = FastAPI(lifespan=Alive)
    app.add_api_route("/price/{name}", answer, methods=["GET"])
    return app

# %% wsgi-1 wrong: Another method gets a 405
# cause: Another method on `/count` is answered by 405, where the statement wants 404 for everything else.
# line: start_response("405 Method Not Allowed", headers)
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    headers = [("Content-Type", "text/plain")]
    if environ["PATH_INFO"] != "/count":
        start_response("404 Not Found", headers)
        return [b"no such page"]
    if environ["REQUEST_METHOD"] != "POST":
        start_response("405 Method Not Allowed", headers)
        return [b"use POST"]
    number = environ.get("CONTENT_LENGTH")
    body = environ["wsgi.input"].read(int(number)) if number else b""
    start_response("200 OK", headers)
    return [str(len(body)).encode("ascii")]

# %% wsgi-1 wrong: and instead of or
# cause: 404 is only sent if both the path and the method are wrong, so GET /count and POST to another path are answered by 200.
# line: if path != "/count" and method != "POST":
def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    path = environ["PATH_INFO"]
    method = environ["REQUEST_METHOD"]
    if path != "/count" and method != "POST":
        start_response("404 Not Found", [])
        return [b""]
    declared = environ.get("CONTENT_LENGTH")
    number = int(declared) if declared else 0
    count = len(environ["wsgi.input"].read(number))
    start_response("200 OK", [])
    return [b"%d" % count]

# %% asgi-1 wrong: Empty piece ends the body
# cause: It stops reading at the first empty piece, but pieces may be empty in the middle, so the bytes that come after it aren't counted.
# line: while body := await next_piece():
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    more = True

    async def next_piece():
        nonlocal more
        if not more:
            return b""
        message = await receive()
        more = message.get("more_body", False)
        return message.get("body", b"")

    if scope["method"] == "POST" and scope["path"] == "/count":
        status, count = 200, 0
        while body := await next_piece():
            count += len(body)
        answer = str(count).encode()
    else:
        status, answer = 404, b"not found"

    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": answer})

# %% asgi-1 wrong: Reads until the client disconnects
# cause: It goes on receiving until a message of another type comes, but nothing comes after the last piece, so the request is never answered.
# line: while message["type"] == "http.request": | message = await receive()  # next one
async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    found = scope["method"] == "POST" and scope["path"] == "/count"
    body = b"no such page"
    if found:
        total = 0
        message = await receive()
        while message["type"] == "http.request":
            total += len(message.get("body", b""))
            message = await receive()  # next one
        body = str(total).encode("ascii")

    await send({"type": "http.response.start",
                "status": 200 if found else 404,
                "headers": []})
    await send({"type": "http.response.body", "body": body})

# %% wsgi-1 right: match, body counted in slices
from itertools import chain, repeat, takewhile

_SLICE = 64 * 1024


def _length_of_body(environ):
    whole, rest = divmod(int(environ.get("CONTENT_LENGTH") or 0), _SLICE)
    sizes = chain(repeat(_SLICE, whole), [rest])
    return sum(map(len, takewhile(len, map(environ["wsgi.input"].read, sizes))))


def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    match environ.get("REQUEST_METHOD"), environ.get("PATH_INFO"):
        case ("POST", "/count"):
            status, body = "200 OK", b"%d" % _length_of_body(environ)
        case _:
            status, body = "404 Not Found", b"not found\n"
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]

# %% wsgi-1 wrong: big bodies are refused
# cause: a body of more than 1 MiB is answered by 413 instead of 200
# line: if length > LIMIT: | start_response("413 Content Too Large", headers)
LIMIT = 1024 * 1024


def app(environ, start_response):
    """Answer POST /count with the number of bytes, everything else with 404."""
    headers = [("Content-Type", "text/plain; charset=utf-8")]
    if environ["REQUEST_METHOD"] == "POST" and environ.get("PATH_INFO") == "/count":
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if length > LIMIT:
            start_response("413 Content Too Large", headers)
            return [b"too large"]
        body = environ["wsgi.input"].read(length)
        start_response("200 OK", headers)
        return [b"%d" % len(body)]
    start_response("404 Not Found", headers)
    return [b"not found"]

# %% asgi-1 right: match and an asynchronous iterator class
class _Body:
    """The pieces of a request's body, one after the other."""

    def __init__(self, receive):
        self.receive = receive
        self.more = True

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.more:
            raise StopAsyncIteration
        match await self.receive():
            case {"type": "http.disconnect"}:
                raise ConnectionResetError("the client has gone")
            case message:
                self.more = message.get("more_body", False)
                return message.get("body", b"")


async def _answer(send, status, text):
    await send({"type": "http.response.start", "status": status,
                "headers": [(b"content-type", b"text/plain"),
                            (b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


async def app(scope, receive, send):
    """Answer POST /count with the number of bytes, everything else with 404."""
    match scope:
        case {"type": kind} if kind != "http":
            raise NotImplementedError(kind)
        case {"method": "POST", "path": "/count"}:
            try:
                total = sum([len(piece) async for piece in _Body(receive)])
            except ConnectionResetError:
                return
            await _answer(send, 200, b"%d" % total)
        case _:
            await _answer(send, 404, b"not found")

# %% ten-parts-1 right: dataclass, call_later and exit stack
import asyncio
import contextlib
from dataclasses import dataclass, field


@dataclass
class _Sheet:
    cells: dict
    tasks: list = field(default_factory=list)
    closed: bool = False

    async def fill(self, ask, part):
        with contextlib.suppress(OSError):
            found = await ask(part)
            if not self.closed:
                self.cells[part] = found

    def close(self):
        self.closed = True
        for task in self.tasks:
            task.cancel()


async def page(ask, parts, seconds):
    sheet = _Sheet(dict.fromkeys(parts))
    async with contextlib.AsyncExitStack() as stack:
        alarm = asyncio.get_running_loop().call_later(seconds, sheet.close)
        stack.callback(alarm.cancel)
        # The group waits for those that clean up; one that we cancel doesn't disturb it.
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for part in sheet.cells:
            sheet.tasks.append(group.create_task(sheet.fill(ask, part)))
    return sheet.cells

# %% endpoint-1 right: a blocking dependency in the threadpool
from fastapi import Depends, FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""

    def found(name: str):
        # An ordinary function as a dependency: FastAPI calls it in a thread.
        try:
            return look_up(name)
        except KeyError:
            raise HTTPException(404) from None

    async def show(name: str, price=Depends(found)):
        return {"name": name, "price": price}

    app = FastAPI()
    app.add_api_route("/price/{name}", show, methods=["GET"])
    return app

# %% endpoint-1 wrong: old prices for ever
# cause: prices are cached without end, so one that has changed in the database is never seen
# line: cached = lru_cache(maxsize=None)(look_up)
from functools import lru_cache

from fastapi import FastAPI, HTTPException


def make_app(look_up):
    """Return an application that answers GET /price/{name} by `look_up`."""
    app = FastAPI()
    cached = lru_cache(maxsize=None)(look_up)

    @app.get("/price/{name}")
    def get_price(name: str):
        try:
            price = cached(name)
        except KeyError:
            raise HTTPException(404) from None
        return {"name": name, "price": price}

    return app

# %% lifespan-1 right: lifespan as a callable object
from fastapi import FastAPI


class _Life:
    """What the server enters at its start and leaves at its end."""

    def __init__(self, connect):
        self.connect = connect
        self.pool = None

    def __call__(self, app):
        return self

    async def __aenter__(self):
        self.pool = await self.connect()

    async def __aexit__(self, *error):
        pool, self.pool = self.pool, None
        await pool.close()

    async def price(self, name):
        return await self.pool.price(name)


def make_app(connect):
    life = _Life(connect)
    app = FastAPI(lifespan=life)

    @app.get("/price/{name}")
    async def price(name: str):
        return await life.price(name)

    return app

# %% lifespan-1 wrong: old prices from a cache
# cause: a price is asked for only once, so one that has changed is never seen
# line: if name not in prices:
from contextlib import asynccontextmanager

from fastapi import FastAPI


def make_app(connect):
    """Return an application that answers GET /price/{name} from one pool."""
    prices = {}

    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await connect()
        try:
            yield
        finally:
            await app.state.pool.close()

    app = FastAPI(lifespan=lifespan)

    @app.get("/price/{name}")
    async def get_price(name: str):
        if name not in prices:
            prices[name] = await app.state.pool.price(name)
        return prices[name]

    return app

# %% ten-parts-1 right: asks for the last part first
import asyncio


async def page(ask, parts, seconds):
    tasks = {part: asyncio.create_task(ask(part)) for part in list(parts)[::-1]}
    try:
        if tasks:
            await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    found = {}
    for part in parts:
        task = tasks[part]
        if task.cancelled() or isinstance(task.exception(), OSError):
            found[part] = None
        else:
            found[part] = task.result()
    return found

# %% ten-parts-1 wrong: the late ones are stopped one after another
# cause: each task is cancelled only after the one before has cleaned up; until then the others go on, the clean-ups add up, and what comes meanwhile stands in the dict though it is late
# line: task.cancel() | none
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    if not tasks:
        return {}
    try:
        await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await task
    return {
        part: None if task.cancelled() or task.exception() else task.result()
        for part, task in tasks.items()
    }


# %% ten-parts-1 wrong: an OSError in the clean-up comes out
# cause: only the cancellation is suppressed, so an OSError of a clean-up comes out of `page`
# line: with contextlib.suppress(asyncio.CancelledError):
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    if not tasks:
        return {}
    try:
        done, _ = await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        late = [task for task in tasks.values() if not task.done()]
        for task in late:
            task.cancel()
        for task in late:
            with contextlib.suppress(asyncio.CancelledError):
                await task
    return {
        part: task.result() if task in done and not task.exception() else None
        for part, task in tasks.items()
    }


# %% ten-parts-1 wrong: a clean-up that takes longer than a second is left running
# cause: a clean-up that takes longer than a second still runs when `page` has ended
# line: await asyncio.wait(tasks.values(), timeout=1)
import asyncio
import contextlib


async def page(ask, parts, seconds):
    """Return part → what `ask` gives, all at once; None for what is late or fails."""
    tasks = {part: asyncio.create_task(ask(part)) for part in parts}
    if not tasks:
        return {}
    try:
        done, _ = await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.wait(tasks.values(), timeout=1)
    return {
        part: task.result() if task in done and not task.exception() else None
        for part, task in tasks.items()
    }
