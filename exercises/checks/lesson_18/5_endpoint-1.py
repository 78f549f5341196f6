import ast
import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import spans

from .shared import PRICES, Talk, must_be_asgi, old_price

PRICED = (0, 2.5, KeyError, LookupError, OSError)


class Blocking(Exercise):
    """A blocking call in an endpoint

    `look_up(name)` asks a database through an old library: an ordinary function that blocks its
    thread for a while, returns the current price, and raises KeyError for a name that it doesn't
    know. It may be called from several threads at once.

    Write `make_app(look_up)`. It returns a FastAPI application that answers `GET /price/{name}`
    with `{"name": name, "price": price}`, and with status 404 where the name is not known
    (`raise HTTPException(404)` does that). Any other error of `look_up` comes out. While one
    request waits for the database, others must be served.
    """

    id = "endpoint-1"
    equivalent = {
        "in_a_pool_of_its_own: or None, line 19": "an application counts as true",
    }
    asks = "make_app"
    minutes = 8
    clock = "real"
    limit = 6
    given = "from fastapi import FastAPI, HTTPException"
    hints = (
        "Who calls a view that is `async def`, and in which thread? And a plain `def`?",
        "There are two good ways. One of them needs no `await` at all.",
        "Either a view that is a plain `def`, or `await asyncio.to_thread(look_up, name)`.",
    )

    def verify(self, make_app, lab):
        inside, most, lock = 0, 0, threading.Lock()

        def look_up(name):
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            try:
                threading.Event().wait(0.06)  # blocks its thread, as a socket would
                return PRICES[name]
            finally:
                with lock:
                    inside -= 1

        names = [*PRICES, "nothing"]
        app = lab.call(make_app, lab.blocking(look_up))
        must_be_asgi(app)
        talks = [Talk(lab, path=f"/price/{name}") for name in names]
        lab.told("and asked for five prices at once")
        try:
            run = lab.run(self._at_once(app, talks), leaks=True, stands=True)
        except Wrong as found:
            if found.kind == "blocked":
                found.try_ = (
                    "Nothing else can run in the meantime. Move the call to a thread with "
                    "`asyncio.to_thread`, or write the endpoint as a plain `def`: FastAPI calls "
                    "that in a thread."
                )
            raise
        self._end_pools()
        for name, talk in zip(names, talks):
            self._judge(name, talk, lab)
        if most < 2:
            held = lab.call_of("result", "join")
            raise Wrong(
                "blocked" if held else "lock too wide",
                "`look_up` was never called while another call of it was under way.",
                held or lab.call_of("Lock", "*Semaphore", "*Executor"),
                try_="Wait for the thread with `await`, and let the others in."
                if held
                else "`look_up` may be called from several threads at once: keep nobody out.",
                headline=None if held else "one at a time",
            )
        if run.stood:
            raise run.stood

    @sweep(
        lambda some: {
            "prices": some.fixed_dictionaries(
                {name: some.sampled_from(PRICED) for name in ("tea", "0")}
            ),
            "name": some.sampled_from(("tea", "0", "a tea")),
        },
        besides=[
            {"prices": {"tea": kind}, "name": "tea"} for kind in (0, 2.5, LookupError, OSError)
        ],
        most=5,
    )
    def any_prices(self, make_app, lab, prices, name):
        now, lookups = dict(prices), []

        def look_up(asked):
            lookups.append(asked)
            found = now.get(asked, KeyError)
            if isinstance(found, type):
                raise found(asked)
            return found

        talks = [Talk(lab, path=f"/price/{asked}") for asked in (name, name, "tea")]
        found = prices.get(name, KeyError)
        did = f"raised {found.__name__}" if isinstance(found, type) else f"returned {found}"
        lab.told(f"twice, and asked the first application for {name!r}; `look_up` {did}")
        apps = [make_app(look_up), make_app(lambda asked: 11)]
        lab.run(self._ask_all(apps, talks, now, name), leaks=True)
        self._end_pools()
        another = isinstance(found, type) and found is not KeyError
        if another and talks[0].error is None and talks[0].status == 404:
            caught = lab.handler(found)
            raise Wrong(
                "caught too much",
                f"GET /price/{name} answered 404: as if the name were not known.",
                caught,
                "Only a KeyError means that the name is not known. Any other error has to come "
                "out.",
                headline="404 for another error",
                at=f"catches {found.__name__} as well" if caught else "",
            )
        if len(lookups) == 1:
            raise old_price(lab, talks[1], "`look_up`", self._came(talks[1]))
        return {
            f"{talks[0].what} gave": self._came(talks[0]),
            "when the price had become 7, the first application gave": self._came(talks[1]),
            "the second application gave": self._came(talks[2]),
        }

    async def _ask_all(self, apps, talks, prices, name):
        await talks[0].ask(apps[0])
        prices[name] = 7
        await talks[1].ask(apps[0])
        await talks[2].ask(apps[1])

    def _came(self, talk):
        if talk.error is not None:
            return type(talk.error).__name__
        talk.must_have_answered()
        return talk.value() if talk.status == 200 else talk.status

    def _end_pools(self):
        # FastAPI keeps each view for ever in its caches, and with it a pool that the view uses.
        for pool in gc.get_objects():
            if isinstance(pool, ThreadPoolExecutor):
                pool.shutdown(wait=False)

    async def _at_once(self, app, talks):
        await asyncio.gather(*(talk.ask(app) for talk in talks))

    def _judge(self, name, talk, lab):
        if isinstance(talk.error, KeyError) and name not in PRICES:
            out = lab.text.of_traceback(talk.error)
            tried = [node for node in lab.nodes() if isinstance(node, ast.Try)]
            outside = (
                out
                and tried
                and lab.handler(KeyError)
                and not any(spans(node, out[1]) for node in tried)
            )
            raise Wrong(
                "caught too little",
                f"GET /price/{name}: the KeyError of `look_up` came out, and "
                "the client is told 500, as if the server were broken.",
                out if outside else None,
                try_="An `except` catches what comes out inside its own `try`. Move this there."
                if outside
                else "Catch it, and `raise HTTPException(404)`.",
                headline="500 for 404",
                at="is where it comes out, outside the `try`" if outside else "",
            )
        talk.must_have_answered()
        if name in PRICES:
            if talk.status != 200:
                raise Wrong(
                    "protocol",
                    f"{talk.what} answered {talk.status}, not 200.",
                    try_="Look at the path of the route.",
                    headline="wrong status",
                )
            lab.equal(talk.value(), {"name": name, "price": PRICES[name]}, what=f"{talk.what} gave")
        elif talk.status != 404:
            caught = (node for node in lab.nodes() if isinstance(node, ast.ExceptHandler))
            returned = lab.earliest(
                *(
                    part.lineno
                    for handler in caught
                    for part in ast.walk(handler)
                    if isinstance(part, ast.Return)
                )
            )
            raise Wrong(
                "protocol",
                f"{talk.what} answered {talk.status}, not 404.",
                returned or lab.raising("*HTTPException") or lab.handler(KeyError),
                try_="`raise HTTPException(404)` where `look_up` raises KeyError.",
                headline="wrong status",
            )

    @right
    def plain_def(look_up):
        """Return an application that answers GET /price/{name} by `look_up`."""
        app = FastAPI()

        @app.get("/price/{name}")
        def price(name: str):
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @right
    def in_a_thread(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": await asyncio.to_thread(look_up, name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @right
    def in_a_pool_of_its_own(look_up):
        app, pool = FastAPI(), ThreadPoolExecutor(8)

        @app.get("/price/{name}")
        async def price(name: str):
            asked = asyncio.get_running_loop().run_in_executor(pool, look_up, name)
            try:
                return {"name": name, "price": await asked}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("value", says="for WSGI")
    def with_flask(look_up):
        from flask import Flask

        app = Flask("prices")

        @app.get("/price/<name>")
        def price(name):
            return {"name": name, "price": look_up(name)}

        return app

    async_def = plain_def.but(
        "def price(name: str)", "async def price(name: str)", kind="blocked", says="look_up"
    )

    sleeps_first = plain_def.but(
        "def price(name: str):",
        "async def price(name: str):\n    await asyncio.sleep(0)",
        kind="blocked",
        says="look_up",
    )

    @wrong("blocked", says="look_up")
    def async_helper(look_up):
        app = FastAPI()

        async def ask(name):
            return look_up(name)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": await ask(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="another call")
    def waits_for_the_thread(look_up):
        app, pool = FastAPI(), ThreadPoolExecutor(8)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": pool.submit(look_up, name).result()}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="look_up")
    def argument_first(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                answer = {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)
            return await asyncio.to_thread(dict, answer)

        return app

    @wrong("lock too wide", says="never called while")
    def one_at_a_time(look_up):
        app, lock = FastAPI(), asyncio.Lock()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                async with lock:
                    return {"name": name, "price": await asyncio.to_thread(look_up, name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("caught too little", says="came out")
    def no_404(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        def price(name: str):
            return {"name": name, "price": look_up(name)}

        return app

    nothing_for_404 = plain_def.but(
        "raise HTTPException(404)",
        'return {"name": name, "price": None}',
        kind="protocol",
        says="not 404",
    )
