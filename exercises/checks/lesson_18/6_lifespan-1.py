"""Long, for each of its programs is a whole application."""

import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import PRICES, Talk, must_be_asgi, old_price


class Pool:
    """What `connect` gives: it must be open while it is asked, and closed at the end."""

    def __init__(self, lab, prices):
        self.lab, self.prices, self.open = lab, prices, True
        self.asking = self.most = 0  # how many ask now, and how many did at most
        self.asked = 0
        self.loop, self.strayed = asyncio.get_running_loop(), False

    async def price(self, name):
        self.strayed = self.strayed or asyncio.get_running_loop() is not self.loop
        if not self.open:
            raise Wrong(
                "given back early",
                "A request asked a pool that was closed.",
                self.lab.call_of("close", "aclose"),
                try_="Close it after the `yield` of the lifespan, when the last request is over.",
                headline="closed too early",
            )
        self.asked += 1
        self.asking += 1
        self.most = max(self.most, self.asking)
        await asyncio.sleep(0.1)
        self.asking -= 1
        return self.prices[name]

    async def close(self):
        await asyncio.sleep(0.1)
        self.open = False


class Lifespan(Exercise):
    """A pool for as long as the application lives

    `await connect()` opens a pool of connections to a database. It takes a while. `await
    pool.price(name)` asks it for the current price, and may be called by many at once;
    `await pool.close()` closes it.

    Write `make_app(connect)`. It returns a FastAPI application that answers `GET /price/{name}`
    with the price. The application opens one pool when the server starts it up, and has started
    only when it is open; it uses it for all requests, and closes it when the server shuts it down.
    Requests that come at once don't wait for each other.
    """

    id = "lifespan-1"
    equivalent = {
        "in_finally: finally for errors, line 12": "a server cancels no lifespan",
    }
    asks = "make_app"
    minutes = 10
    given = """
        from contextlib import asynccontextmanager

        from fastapi import FastAPI
        """
    hints = (
        "What lives as long as the pool should? Not a request, and not the module.",
        "`FastAPI(lifespan=...)` takes a function of the application, decorated with "
        "`@asynccontextmanager`.",
        "Before the `yield` of the lifespan: `await connect()`. After it: `await pool.close()`. "
        "Keep the pool where the view can see it, as `app.state.pool`.",
    )

    def verify(self, make_app, lab):
        pools, moments = [], {"phase": "before the startup"}

        async def connect():
            pools.append(Pool(lab, PRICES))
            moments.setdefault("connected", moments["phase"])
            await asyncio.sleep(0.5)
            moments.setdefault("opened", moments["phase"])
            return pools[-1]

        app = lab.call(make_app, connect)
        must_be_asgi(app)
        talks = [Talk(lab, path=f"/price/{name}") for name in PRICES]
        lab.told("and started the application up, asked for four prices, and shut it down")
        try:
            lab.run(self._live(app, talks, moments, lab))
        except RuntimeError as error:
            if "Event loop is closed" not in str(error) and "different loop" not in str(error):
                raise
        self._judge(pools, moments, talks, lab)

    @sweep(
        lambda some: {
            "prices": some.permutations((0, 1, 2.5)),
        },
        most=6,
    )
    def any_two(self, make_app, lab, prices):
        lab.told(
            "twice, and started both applications up, asked each twice for a price, and shut both "
            f"down; the price in the first one's pool was {prices[0]}, "
            f"in the second one's {prices[1]}"
        )
        pools, now = ([], []), [{"tea": price} for price in prices]

        def connect_to(number):
            async def connect():
                pools[number].append(Pool(lab, now[number]))
                await asyncio.sleep(0.5)
                return pools[number][-1]

            return connect

        talks = [[Talk(lab, path="/price/tea") for _ in "12"] for _ in pools]
        run = lab.run(
            self._live_both([make_app(connect_to(0)), make_app(connect_to(1))], talks, now, lab)
        )
        if run.error is not None:
            raise run.error
        seen = {}
        for number, (which, (later, first)) in enumerate(zip(("first", "second"), talks)):
            for when, talk in ("", first), ("when the price had become 7, ", later):
                talk.must_have_answered()
                answer = talk.value() if talk.status == 200 else talk.status
                seen[f"{when}the {which} application answered"] = answer
            if [pool.asked for pool in pools[number]] == [1]:
                raise old_price(lab, later, "the pool", answer)
            seen[f"the {which} application opened"] = len(pools[number])
            seen[f"the {which} application left open"] = sum(pool.open for pool in pools[number])
        return seen

    async def _live_both(self, apps, talks, prices, lab):
        lives = (
            self._live(app, asked, {}, lab, now) for app, asked, now in zip(apps, talks, prices)
        )
        await asyncio.gather(*lives)

    async def _live(self, app, talks, moments, lab, prices=None):
        to_app, from_app = asyncio.Queue(), asyncio.Queue()

        async def said(event):
            moments["phase"] = event
            await to_app.put({"type": f"lifespan.{event}"})
            answer = asyncio.create_task(from_app.get())
            await asyncio.wait({answer, living}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                answer.cancel()
                raise living.exception() or Wrong(
                    "lifespan",
                    f"Asked for the {event}, the application ended without an answer.",
                    try_="A lifespan has one `yield`.",
                    headline="no lifespan",
                )
            message = answer.result()
            if message["type"].endswith("failed"):
                await asyncio.wait({living})
                last = " ".join(message.get("message", "").strip().splitlines()[-1:])
                if "not an async iterator" in last:
                    raise Wrong(
                        "lifespan",
                        "The lifespan has no `yield`.",
                        try_="What stands before the `yield` is the startup, what comes "
                        "after it the shutdown.",
                        headline="no lifespan",
                    )
                advice = (
                    "`FastAPI(lifespan=...)` takes a function, decorated with "
                    "`@asynccontextmanager`, and calls it."
                )
                raise Wrong(
                    "raised",
                    f"The {event} failed: {last}",
                    try_=advice if "context manager" in last else "",
                )

        state = {}  # what a lifespan yields, and each request gets a copy of
        living = asyncio.create_task(
            app(
                {"type": "lifespan", "asgi": {"version": "3.0"}, "state": state},
                to_app.get,
                from_app.put,
            )
        )
        await said("startup")
        moments["phase"] = "the first request"
        for talk in talks:
            talk.scope["state"] = dict(state)
        await asyncio.gather(*(talk.ask(app) for talk in talks[1:]))
        if prices:
            prices["tea"] = 7
        await talks[0].ask(app)  # alone, when the others are over
        if errors := [talk for talk in talks if talk.error is not None]:
            moments["failed"] = errors[0]
            living.cancel()
            await asyncio.wait({living})
            return
        await said("shutdown")
        await asyncio.wait({living})

    def _judge(self, pools, moments, talks, lab):
        if not pools and any("'coroutine' object" in str(talk.error) for talk in talks):
            raise Wrong(
                "not awaited",
                "`connect` was called, and nobody awaited it: a coroutine "
                "was asked for the prices.",
                lab.call_of("connect"),
            )
        if not pools:
            raise Wrong(
                "lifespan",
                "Nobody called `connect`.",
                None if lab.keyword("lifespan") else lab.call_of("FastAPI"),
                try_="Startup is what stands "
                "before the `yield` of the lifespan. Did FastAPI get it?",
                headline="never connected",
            )
        if moments["connected"] == "before the startup":
            raise Wrong(
                "lifespan",
                "The pool was opened while the application "
                "was made. A server makes an application on no loop, or on another one.",
                lab.call_of("connect"),
                try_="Open it in the lifespan, before its `yield`.",
                headline="connected before the startup",
            )
        if 1 < len(pools) < len(talks) and moments["connected"] == "the first request":
            raise Wrong(
                "lifespan",
                "The application said that it had started, and no pool was open. `connect` was "
                f"called {len(pools)} times: by requests that came before a pool was there.",
                lab.call_of("connect"),
                try_="Open one pool at startup, before the `yield` of the lifespan, and let "
                "all requests use it.",
                headline="connected too late",
            )
        if len(pools) > 1:
            raise Wrong(
                "client per request",
                f"`connect` was called {len(pools)} times, for {len(talks)} requests.",
                lab.call_of("connect"),
                try_="Open one pool at startup, and let all requests use it.",
                headline="a pool for each request",
            )
        if pools[0].strayed:
            raise Wrong(
                "other loop",
                "The pool was opened on the server's loop, and asked on "
                "another one. A pool's connections belong to the loop that opened them.",
                lab.call_of("run"),
                try_="Write the view as `async def`, and `await`.",
                headline="another loop",
            )
        if moments["connected"] == "startup" != moments.get("opened"):
            raise Wrong(
                "lifespan",
                "The application said that it had started while the pool was still being opened. "
                "Then a server lets requests in, even if the opening fails.",
                lab.call_of("create_task", "ensure_future") or lab.call_of("connect"),
                try_="Await the pool in the lifespan, before its `yield`.",
                headline="started before the pool was open",
            )
        for name, talk in zip(PRICES, talks):
            if isinstance(talk.error, NameError) and lab.assigned(talk.error.name):
                raise Wrong(
                    "raised",
                    f"{talk.what}: NameError: {talk.error}.",
                    lab.assigned(talk.error.name),
                    try_="A name that is set in the lifespan is the lifespan's own. Keep "
                    "the pool where the view can see it, as `app.state.pool`.",
                )
            talk.must_have_answered()
            if talk.status != 200:
                raise Wrong(
                    "protocol",
                    f"{talk.what} answered {talk.status}, not 200.",
                    try_="Look at the path of the route.",
                    headline="wrong status",
                )
            lab.equal(talk.value(), PRICES[name], what=f"{talk.what} gave")
        if pools[0].open:
            raise Wrong(
                "left open",
                "The server has shut the application down, and the pool is still open.",
                lab.yielding() or lab.call_of("connect"),
                try_="Close it after the `yield` of the lifespan, with `await`.",
            )
        if moments["connected"] != "startup":
            raise Wrong(
                "lifespan",
                "The pool was opened by a request, which had to wait for it.",
                lab.call_of("connect"),
                try_="Open it in the lifespan, before its `yield`.",
                headline="connected too late",
            )
        if pools[0].most < len(talks) - 1:
            raise Wrong(
                "lock too wide",
                f"{len(talks) - 1} requests came at once, and no more than {pools[0].most} asked "
                "the pool at a time.",
                lab.call_of("*Lock", "*Semaphore", "*Condition", "*Queue"),
                try_="The pool may be asked by many at once: keep nobody out.",
                headline="made requests wait for each other",
            )

    @right
    def with_lifespan(connect):
        """Return an application that answers GET /price/{name} from one pool."""

        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @right
    def in_finally(connect):
        kept = {}

        @asynccontextmanager
        async def lifespan(app):
            kept["pool"] = await connect()
            try:
                yield
            finally:
                await kept.pop("pool").close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await kept["pool"].price(name)

        return app

    one_at_a_time = with_lifespan.but(
        "app.state.pool = await", "app.state.lock = asyncio.Lock()\napp.state.pool = await"
    ).but(
        "return await app.state.pool.price(name)",
        "async with app.state.lock:\n    return await app.state.pool.price(name)",
        kind="lock too wide",
        says="no more than 1",
    )

    @wrong("raised", says="the lifespan's own")
    def a_local_name(connect):
        @asynccontextmanager
        async def lifespan(app):
            pool = await connect()
            yield
            await pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await pool.price(name)  # noqa: F821

        return app

    @wrong("raised", says="and calls it")
    def an_ordinary_manager(connect):
        @contextlib.contextmanager
        def lifespan(app):
            app.state.pool = asyncio.run(connect())
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    a_loop_for_each = with_lifespan.but("async def price(name: str)", "def price(name: str)").but(
        "await app.state.pool.price(name)",
        "asyncio.run(app.state.pool.price(name))",
        kind="other loop",
        says="belong to the loop",
    )

    @wrong("value", says="no JSON")
    def a_text(connect):
        from fastapi.responses import PlainTextResponse

        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return PlainTextResponse(f"it costs {await app.state.pool.price(name)}")

        return app

    never_closed = with_lifespan.but(
        "await app.state.pool.close()", "", kind="left open", says="still open"
    )

    @wrong("client per request", says="4 times")
    def one_each(connect):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            pool = await connect()
            try:
                return await pool.price(name)
            finally:
                await pool.close()

        return app

    @wrong("left open", says="still open")
    def when_first_needed(connect):
        app, lock, kept = FastAPI(), asyncio.Lock(), []

        @app.get("/price/{name}")
        async def price(name: str):
            async with lock:
                if not kept:
                    kept.append(await connect())
            return await kept[0].price(name)

        return app

    @wrong("lifespan", says="3 times")
    def all_find_none(connect):
        app, kept = FastAPI(), []

        @app.get("/price/{name}")
        async def price(name: str):
            if not kept:
                kept.append(await connect())
            return await kept[0].price(name)

        return app

    closed_before_yield = never_closed.but(
        "yield", "await app.state.pool.close()\nyield", kind="given back early", says="was closed"
    )

    in_a_task = (
        with_lifespan.but("await connect()", "asyncio.create_task(connect())")
        .but("await app.state.pool.close()", "await (await app.state.pool).close()")
        .but(
            "await app.state.pool.price(name)",
            "await (await app.state.pool).price(name)",
            kind="lifespan",
            says="still being opened",
        )
    )

    close_not_awaited = with_lifespan.but(
        "await app.state.pool.close()", "app.state.pool.close()", kind="not awaited", says="close"
    )

    connect_not_awaited = with_lifespan.but(
        "await connect()", "connect()", kind="not awaited", says="asked for the prices"
    )

    @wrong("given back early", says="was closed")
    def closed_by_each(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return await app.state.pool.price(name)
            finally:
                await app.state.pool.close()

        return app

    not_handed_over = with_lifespan.but(
        "FastAPI(lifespan=lifespan)",
        "FastAPI()",
        kind="lifespan",
        says="Did FastAPI get it?",
    )

    @wrong("lifespan", says="on no loop")
    def while_it_is_made(connect):
        app, pool = FastAPI(), asyncio.run(connect())

        @app.get("/price/{name}")
        async def price(name: str):
            return await pool.price(name)

        return app
