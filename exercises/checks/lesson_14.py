"""Exercises of lesson 14: pools, clients, retries, jitter, deadlines, servers with limits."""

import asyncio
import contextlib
import random
import time
from collections import Counter

import httpx
import tenacity

from helpers.coach import Exercise, Wrong, right, wrong

MOST = 12  # requests of one call; who asks more often never gives up
NAME = "pidgey"


class Server:
    """A server in the client's own process: what becomes of its first, second, ... request.

    An outcome is a status, a status with its Retry-After, or a class of httpx's errors. After the
    last one all is well. `asked` holds the method and the time of each request.
    """

    def __init__(self, lab, *outcomes):
        self.lab, self.outcomes, self.asked = lab, list(outcomes), []

    @property
    def gaps(self):
        """Seconds between one request and the next."""
        times = [when for _, when in self.asked]
        return [after - before for before, after in zip(times, times[1:])]

    async def handle(self, request):
        self.asked.append((request.method, asyncio.get_running_loop().time()))
        if len(self.asked) > MOST:
            raise Wrong(
                "never gives up",
                f"It asked {MOST} times and went on.",
                self.lab.line(r"\bwhile\b|\bfor\b"),
                "Count the tries, and let the last error out.",
            )
        outcome = self.outcomes.pop(0) if self.outcomes else 200
        if isinstance(outcome, type):
            raise outcome("lost on the way", request=request)
        status, told = outcome if isinstance(outcome, tuple) else (outcome, None)
        headers = {} if told is None else {"Retry-After": told}
        return httpx.Response(status, headers=headers, json={"name": NAME})

    async def meet(self, answer, *arguments):
        """Await the answer with a client of this server."""
        transport = httpx.MockTransport(self.handle)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await self.lab.awaitable(answer(client, *arguments))


def the_brackets(lab, status):
    """Raise Wrong if a `raise_for_status` is only named in the answer, never called."""
    if line := lab.line(r"raise_for_status(?!\s*\()"):
        raise Wrong(
            "named, not called",
            f"The server answered {status}, and no error was raised.",
            line,
            "Without brackets the method is only named: `raise_for_status()`.",
        )


def the_response(lab, run, server):
    """Raise Wrong unless the run returned the server's last answer."""
    got = run.result
    if not isinstance(got, httpx.Response):
        if asyncio.iscoroutine(got):
            lab.equal(got, "the response")  # which says that nobody awaited it
        raise Wrong(
            "value",
            f"It returned {got!r:.80}; asked is the response itself.",
            lab.line(r"\breturn\b"),
        )
    if got.status_code != 200:
        the_brackets(lab, got.status_code)
        raise Wrong(
            "lost error",
            f"It returned the response with status {got.status_code} as if that were an answer.",
            lab.line(r"\breturn\b"),
            "Return what is 200; else `raise_for_status()`.",
        )


class WithinThePool(Exercise):
    """Keep within the pool

    `client` is an `httpx.AsyncClient` with five connections. Who finds none free waits 0.1 s and
    gets a `PoolTimeout`. Write `fetch_names(client, pages)`. It asks for all the pages and
    returns the list of their names, `response.json()["name"]`, in the order of `pages`.

    - Five requests are under way at once, as long as there are pages left: as soon as one is
      answered, the next is sent.
    - Leave the client and its timeouts as they are.
    """

    id = "pool-1"
    asks = "fetch_names"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "How many requests may stand at the pool's door at once without anybody being sent away?",
        "A semaphore made once, outside of the function that asks for one page, lets five in.",
        "`places = asyncio.Semaphore(5)`, and around each request `async with places:`. Then "
        "start all of them in a TaskGroup, and read their results in order.",
    )

    SLOW, QUICK = 0.7, 0.2

    def verify(self, fetch_names, lab):
        names = [
            "bulbasaur",
            "ivysaur",
            "venusaur",
            "charmander",
            "charmeleon",
            "charizard",
            "squirtle",
            "wartortle",
            "blastoise",
            "caterpie",
            "metapod",
            "butterfree",
        ]
        pages = [f"/api/v2/pokemon/{number}" for number in range(1, len(names) + 1)]
        # The first is slow: who waits for whole batches waits for it with four places empty.
        site = lab.site(latency=self.QUICK, script={pages[0]: [self.SLOW]})
        patience = []  # of each request that the client was told to send

        async def note(request):
            patience.append(request.extensions["timeout"]["pool"])

        async def scene():
            async with httpx.AsyncClient(
                base_url=site.url,
                limits=httpx.Limits(max_connections=5),
                timeout=httpx.Timeout(10, pool=0.1),
                event_hooks={"request": [note]},
            ) as client:
                return await lab.awaitable(fetch_names(client, list(pages)))

        lab.told(
            f"with {len(pages)} pages, of which the first takes {self.SLOW} s and the "
            f"others {self.QUICK} s"
        )
        run = lab.run(scene())
        if isinstance(run.result, list) and any(isinstance(x, Exception) for x in run.result):
            errors = [x for x in run.result if isinstance(x, Exception)]
            raise Wrong(
                "kept the errors",
                f"{len(errors)} of the {len(pages)} names are a {type(errors[0]).__name__}.",
                lab.line("return_exceptions|except"),
                "Nothing went wrong at the server: there were more requests than "
                "connections. Start no more at once than there are.",
            )
        log = site.log()
        if len(log) < len(pages) and len(patience) >= len(pages):
            raise Wrong(
                "pool exhausted",
                f"The server was asked for {len(log)} of the "
                f"{len(pages)} pages; the other requests found no connection in time.",
                lab.line("except|suppress"),
            )
        lab.equal(run.result, names)
        if len(patience) > len(pages):
            raise Wrong(
                "asked twice",
                f"For {len(pages)} pages it sent {len(patience)} requests: "
                f"{len(patience) - len(pages)} of them found no connection in time.",
                lab.line("except|suppress"),
                "A request that finds no connection need not be tried again: it need not "
                "be started before there is one.",
            )
        if len({asked.connection for asked in log}) > 5:
            raise Wrong(
                "made other connections",
                f"The server saw {len({asked.connection for asked in log})} "
                "connections; the pool has five.",
                lab.line("Client"),
                "Use the client that you were given.",
            )
        if set(patience) != {0.1}:
            raise Wrong(
                "changed the timeouts",
                "The requests went out with another pool timeout than the client's 0.1 s.",
                lab.line("timeout"),
                "Longer patience only moves the edge. Keep within the pool.",
            )
        slow = next(asked for asked in log if asked.path == pages[0])
        if site.peak() == 1:
            raise Wrong(
                "sequential",
                "The server never had more than one request under way.",
                lab.line(r"\bawait\b"),
            )
        if site.peak() < 5:
            raise Wrong(
                "left places empty",
                f"At most {site.peak()} requests were under way at "
                "once; the pool has five connections.",
                lab.line(r"Semaphore\(|\brange\("),
                "Let as many in as there are.",
            )
        if sum(asked.arrived < slow.answered for asked in log) <= 5:
            raise Wrong(
                "batch barrier",
                "While the slow page was under way, four places stood empty: nothing new was sent.",
                lab.line(r"\bgather\b|\brange\(|batched|TaskGroup"),
            )

    @right
    async def with_a_semaphore(client, pages):
        """Return the names that the pages give, in order; five requests at once."""
        places = asyncio.Semaphore(5)

        async def name(page):
            async with places:
                return (await client.get(page)).json()["name"]

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(name(page)) for page in pages]
        return [task.result() for task in tasks]

    @right
    async def with_five_workers(client, pages):
        names, left = {}, iter(pages)

        async def worker():
            for page in left:
                names[page] = (await client.get(page)).json()["name"]

        await asyncio.gather(*(worker() for _ in range(5)))
        return [names[page] for page in pages]

    @wrong("pool exhausted", says="a semaphore")
    async def all_at_once(client, pages):
        responses = await asyncio.gather(*(client.get(page) for page in pages))
        return [response.json()["name"] for response in responses]

    @wrong("pool exhausted", says="PoolTimeout")
    async def a_semaphore_each(client, pages):
        async def name(page):
            async with asyncio.Semaphore(5):
                return (await client.get(page)).json()["name"]

        return await asyncio.gather(*(name(page) for page in pages))

    @wrong("pool exhausted", says="PoolTimeout")
    async def too_many_places(client, pages):
        places = asyncio.Semaphore(10)

        async def name(page):
            async with places:
                return (await client.get(page)).json()["name"]

        return await asyncio.gather(*(name(page) for page in pages))

    @wrong("kept the errors", says="PoolTimeout")
    async def takes_errors_for_names(client, pages):
        async def name(page):
            return (await client.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages), return_exceptions=True)

    @wrong("changed the timeouts", says="only moves the edge")
    async def waits_longer(client, pages):
        async def name(page):
            return (await client.get(page, timeout=30)).json()["name"]

        return await asyncio.gather(*map(name, pages))

    @wrong("pool exhausted", says="for 5 of the 12 pages")
    async def suppresses_it(client, pages):
        async def name(page):
            with contextlib.suppress(httpx.PoolTimeout):
                return (await client.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages))

    @wrong("asked twice", says="found no connection in time")
    async def tries_again(client, pages):
        async def name(page):
            while True:
                try:
                    return (await client.get(page)).json()["name"]
                except httpx.PoolTimeout:
                    await asyncio.sleep(0.02)

        return await asyncio.gather(*map(name, pages))

    @wrong("batch barrier", says="stood empty")
    async def five_by_five(client, pages):
        names = []
        for first in range(0, len(pages), 5):
            responses = await asyncio.gather(*map(client.get, pages[first : first + 5]))
            names += [response.json()["name"] for response in responses]
        return names

    @wrong("sequential", says="never had more than one")
    async def one_by_one(client, pages):
        return [(await client.get(page)).json()["name"] for page in pages]

    @wrong("left places empty", says="At most 2")
    async def two_places(client, pages):
        places = asyncio.Semaphore(2)

        async def name(page):
            async with places:
                return (await client.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages))

    @wrong("made other connections", says="the client that you were given")
    async def a_client_each(client, pages):
        async def name(page):
            async with httpx.AsyncClient(base_url=client.base_url) as own:
                return (await own.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages))


class OneClient(Exercise):
    """Follow the pages

    A long list comes in pages. Each page is JSON: `"results"` holds some entries, each with a
    `"name"`, and `"next"` the whole address of the next page, or `None` on the last one.

    Write `all_names(base_url)`. It starts at `base_url + "/api/v2/pokemon?limit=40"`, follows
    `"next"` to the end, and returns the list of all the names.

    - It makes one client, which is closed when it returns.
    - If a page fails, the `httpx.HTTPStatusError` comes out.
    """

    id = "one-client-1"
    asks = "all_names"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "Where does the line that makes the client stand: inside the loop, or around it?",
        "`async with httpx.AsyncClient() as client:` around all, and in it "
        "`while address:`, which the last page's `None` ends.",
        "In the loop: `response = await client.get(address)`, `response.raise_for_status()`, "
        '`page = response.json()`; then collect the names and set `address = page["next"]`.',
    )

    FIRST = "/api/v2/pokemon?limit=40"
    THIRD = "/api/v2/pokemon?offset=80&limit=40"

    def verify(self, all_names, lab):
        site = lab.site(latency=0.06, script={self.THIRD: ["ok", 503]})
        lab.told("with the address of a server that has four pages")
        with noted_clients(lab) as clients:
            run = self._follow(lab, all_names, site.url)
        self._look_at_names(lab, run.result, site.log())
        used = len({asked.connection for asked in site.log()})
        if not clients and lab.line(r"\brequests\.|\bhttpx\.(get|Client|request)\b|urlopen"):
            raise Wrong(
                "blocked",
                "It made no AsyncClient. Each request held the loop's own "
                "thread until its answer was there.",
                lab.line(r"\brequests\.|\bhttpx\.(get|Client|request)\b|urlopen"),
                "Make an `httpx.AsyncClient`, and await its `get`.",
            )
        if len(clients) > 1 or used > 1:
            raise Wrong(
                "a new client for each request",
                f"It made {len(clients)} clients for 4 pages, and the server saw {used} "
                f"connection{'s' * (used != 1)}.",
                lab.line(r"AsyncClient\("),
                "A client keeps its connections for the next request, if there is still "
                "the same client. Make it once, around the loop.",
            )
        if clients and not clients[0].is_closed:
            raise Wrong(
                "left the client open",
                "When it returned, the client still held its connection.",
                lab.line(r"AsyncClient\("),
                "`async with httpx.AsyncClient() as client:` closes it, whatever happens.",
            )
        lab.told("with a server whose third page answers 503")
        with noted_clients(lab) as clients:
            try:
                lab.run(self._ask(lab, all_names, site.url), raises=httpx.HTTPStatusError)
            except (Wrong, KeyError):
                the_brackets(lab, 503)
                raise
        if clients and not clients[0].is_closed:
            raise Wrong(
                "left the client open",
                "A page failed, and the client was never closed.",
                lab.line(r"AsyncClient\("),
                "`async with httpx.AsyncClient() as client:` closes it, whatever happens.",
            )

    def _follow(self, lab, all_names, url):
        try:
            # Called in a frame of ours, so that the address of this run's server isn't quoted.
            return lab.run(self._ask(lab, all_names, url))
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise Wrong(
                "not an address",
                f"httpx said: {error}",
                lab.line(r"\.get\("),
                '"next" is a whole address already: nothing goes before it.',
            ) from None
        except TypeError as error:
            if "url" not in str(error).lower() or "NoneType" not in str(error):
                raise
            raise Wrong(
                "went past the last page",
                "It asked for the page `None`.",
                lab.line(r"\bwhile\b|\.get\("),
                'On the last page "next" is `None`: that is the end.',
            ) from None

    async def _ask(self, lab, all_names, url):
        return await lab.awaitable(all_names(url))

    def _look_at_names(self, lab, got, log):
        pages = [asked.path for asked in log]
        if not pages or pages[0] != self.FIRST:
            raise Wrong(
                "started elsewhere",
                f"It first asked for {pages[:1] or 'nothing'}.",
                lab.line(r"\.get\("),
                f'Start at `base_url + "{self.FIRST}"`.',
            )
        if isinstance(got, list) and all(isinstance(name, dict) for name in got) and got:
            raise Wrong(
                "value",
                "It returned entries; asked are their names.",
                lab.line("results"),
                'The name is `entry["name"]`.',
            )
        if isinstance(got, list) and got and all(isinstance(each, list) for each in got):
            raise Wrong(
                "value",
                "It returned a list of lists, one for each page.",
                lab.line("append"),
                "`names += [...]` or `names.extend(...)` joins them.",
            )
        if got is not None and not isinstance(got, list):
            raise Wrong(
                "value",
                f"It returned a {type(got).__name__}; asked is a list.",
                lab.line(r"\breturn\b"),
            )
        if got is None or len(got) != 151:
            raise Wrong(
                "lost pages",
                f"It asked for {len(pages)} of the 4 pages and returned "
                + ("None." if got is None else f"{len(got)} of the 151 names."),
                lab.line(
                    r"\breturn\b" if len(pages) == 1 and got else r"\bnext\b|\bwhile\b|\bfor\b"
                ),
                'Go on to "next" as long as it is not `None`, and return behind the loop.'
                if len(pages) == 1 and got
                else 'The last page is the one whose "next" is `None`, and its names count too.',
            )
        if (got[0], got[-1]) != ("bulbasaur", "mew"):
            raise Wrong("order", f"It begins with {got[0]!r} and ends with {got[-1]!r}.")

    @right
    async def one_around_the_loop(base_url):
        """Return all the names of a list that comes in pages."""
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                response = await client.get(address)
                page = response.raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
        return names

    @right
    async def closed_by_hand(base_url):
        client = httpx.AsyncClient(base_url=base_url)
        try:
            names, address = [], "/api/v2/pokemon?limit=40"
            while address is not None:
                response = await client.get(address)
                response.raise_for_status()
                names.extend(entry["name"] for entry in response.json()["results"])
                address = response.json()["next"]
            return names
        finally:
            await client.aclose()

    @wrong("a new client for each request", says="It made 4 clients")
    async def one_inside_the_loop(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        while address:
            async with httpx.AsyncClient() as client:
                page = (await client.get(address)).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            address = page["next"]
        return names

    @wrong("blocked", says="the loop")
    async def without_a_client(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        while address:
            page = httpx.get(address).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            address = page["next"]
        return names

    @wrong("left the client open", says="async with")
    async def never_closed(base_url):
        client = httpx.AsyncClient()
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        while address:
            page = (await client.get(address)).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            address = page["next"]
        return names

    @wrong("left the client open", says="A page failed")
    async def closed_if_all_went_well(base_url):
        client = httpx.AsyncClient()
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        while address:
            page = (await client.get(address)).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            address = page["next"]
        await client.aclose()
        return names

    @wrong("lost error", says="HTTPStatusError")
    async def stops_at_a_failure(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                response = await client.get(address)
                if response.status_code != 200:
                    break
                names += [entry["name"] for entry in response.json()["results"]]
                address = response.json()["next"]
        return names

    @wrong("raised", says="KeyError")
    async def never_looks_at_the_status(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
        return names

    @wrong("lost pages", says="40 of the 151")
    async def the_first_page_only(base_url):
        async with httpx.AsyncClient() as client:
            response = await client.get(base_url + "/api/v2/pokemon?limit=40")
        return [entry["name"] for entry in response.raise_for_status().json()["results"]]

    @wrong("named, not called", says="only named")
    async def names_the_method(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                response = await client.get(address)
                response.raise_for_status
                names += [entry["name"] for entry in response.json()["results"]]
                address = response.json()["next"]
        return names

    @wrong("lost pages", says="behind the loop")
    async def returns_in_the_loop(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
                return names

    @wrong("value", says="returned a set")
    async def collects_a_set(base_url):
        names, address = set(), base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).raise_for_status().json()
                names |= {entry["name"] for entry in page["results"]}
                address = page["next"]
        return names

    @wrong("never comes to an end", says="all for the same one")
    async def forgets_to_turn_the_page(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
        return names

    @wrong("not an address", says="a whole address already")
    async def puts_the_base_before_it(base_url):
        names, address = [], "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(base_url + address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
        return names

    @wrong("went past the last page", says="that is the end")
    async def never_stops(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while True:
                page = (await client.get(address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
                if len(names) > 1000:
                    return names

    @wrong("lost pages", says="its names count too")
    async def forgets_the_last_page(base_url):
        names = []
        async with httpx.AsyncClient() as client:
            response = await client.get(base_url + "/api/v2/pokemon?limit=40")
            while (page := response.raise_for_status().json())["next"]:
                names += [entry["name"] for entry in page["results"]]
                response = await client.get(page["next"])
        return names


@contextlib.contextmanager
def noted_clients(lab):
    """A list of the AsyncClients that are made meanwhile; who asks without end is stopped."""
    made, sent = [], []
    init, send = httpx.AsyncClient.__init__, httpx.AsyncClient.send

    def noting(self, *arguments, **named):
        init(self, *arguments, **named)
        made.append(self)

    async def counting(self, request, **named):
        sent.append(str(request.url))
        if len(sent) > 2 * MOST:
            raise Wrong(
                "never comes to an end",
                f"It sent {len(sent)} requests for 4 pages"
                + (", all for the same one." if len(set(sent)) == 1 else "."),
                lab.line(r"\bwhile\b"),
                'Go on to the address in "next", until that is `None`.',
            )
        return await send(self, request, **named)

    httpx.AsyncClient.__init__, httpx.AsyncClient.send = noting, counting
    try:
        yield made
    finally:
        httpx.AsyncClient.__init__, httpx.AsyncClient.send = init, send


class TryAgain(Exercise):
    """Try again, but not always

    Write `ask(client, method, page)`. It sends `await client.request(method, page)`, and returns
    the response if its status is 200.

    - An `httpx.TransportError` and a 503 may pass: try again, after 0.1 s, then after 0.2 s, then
      after 0.4 s. If the fourth try fails too, its error comes out.
    - Any other status of 400 or more does not pass: its `httpx.HTTPStatusError` comes out at once.
    - A `"POST"` is never tried again, whatever happens: its error comes out at once.
    """

    id = "retry-1"
    asks = "ask"
    minutes, limit = 12, 3.0
    hints = (
        "`raise_for_status()` makes an error of a bad status. Then there is one place, the "
        "`except`, that decides: again, or let it out?",
        "A loop over the pauses `0.1, 0.2, 0.4, None`: the last one is the try after which there "
        "is no other. A bare `raise` in the `except` lets the error out.",
        "`except httpx.HTTPError as error:` catches both kinds. "
        "`isinstance(error, httpx.TransportError)` passes; of an `httpx.HTTPStatusError` look at "
        "`error.response.status_code`.",
    )

    PAUSES = (0.1, 0.2, 0.4)

    def verify(self, ask, lab):
        self._gets_there(ask, lab)
        for status in (404, 400, 401, 500):
            self._lets_out(ask, lab, status)
        self._posts_once(ask, lab)
        self._gives_up(ask, lab)

    def _gets_there(self, ask, lab):
        lab.told("with a GET that fails with 503, then with a ReadTimeout, then is answered")
        server = Server(lab, 503, httpx.ReadTimeout)
        try:
            run = lab.run(server.meet(ask, "GET", "/7"))
        except httpx.HTTPError as error:
            raise Wrong(
                "gave up too early",
                f"After {requests_to(server)} a "
                f"{type(error).__name__} came out: {str(error).splitlines()[0]}.",
                lab.line(r"\bexcept\b") or lab.line(r"\bawait\b"),
                "Both a 503 and a TransportError may pass: try again.",
            ) from None
        the_response(lab, run, server)
        self._look_at_pauses(lab, server)

    def _look_at_pauses(self, lab, server):
        gaps, wanted = server.gaps, self.PAUSES[: len(server.gaps)]
        line = lab.line(r"sleep\(|\bwait=|wait_")
        said = f"It paused for {' and '.join(f'{gap:.2g} s' for gap in gaps)}."
        if all(abs(gap - pause) < 0.01 for gap, pause in zip(gaps, wanted)):
            return
        if not any(gaps):
            raise Wrong(
                "did not wait",
                "It tried again at once, with no pause at all.",
                line or lab.line(r"\bexcept\b"),
                "What is overloaded now will be so at once afterwards. Give it time.",
            )
        if len(gaps) > 1 and abs(gaps[0] - gaps[1]) < 0.01:
            raise Wrong(
                "equal pauses",
                said,
                line,
                "Each pause is twice as long as the one before: 0.1 s, 0.2 s, 0.4 s.",
            )
        raise Wrong("other pauses", said, line, "Asked are 0.1 s, then 0.2 s, then 0.4 s.")

    def _lets_out(self, ask, lab, status):
        lab.told(f"with a GET that is answered {status}")
        server = Server(lab, *[status] * MOST)
        try:
            lab.run(server.meet(ask, "GET", "/7"), raises=httpx.HTTPStatusError)
        except (Wrong, tenacity.RetryError):
            self._look_at_retries(lab, server, status)
            raise
        self._look_at_retries(lab, server, status)

    def _look_at_retries(self, lab, server, status):
        if len(server.asked) > 1:
            raise Wrong(
                "retried",
                f"It asked {times(server)}, and was told {status} each time.",
                lab.line(r"\bexcept\b|status_code|retry_if"),
            )

    def _posts_once(self, ask, lab):
        lab.told("with a POST that is answered 200")
        server = Server(lab)
        the_response(lab, lab.run(server.meet(ask, "POST", "/orders")), server)
        if server.asked[0][0] != "POST":
            raise Wrong(
                "another method",
                f"It sent a {server.asked[0][0]}.",
                lab.line(r"client\."),
                "`client.request(method, page)` sends what it is told.",
            )
        for outcome in (httpx.ReadError, 503):
            what = "that loses its connection" if outcome != 503 else "that is answered 503"
            lab.told(f"with a POST {what}")
            server = Server(lab, outcome)
            with contextlib.suppress(Wrong):
                lab.run(server.meet(ask, "POST", "/orders"), raises=httpx.HTTPError)
            if len(server.asked) > 1:
                raise Wrong(
                    "retried",
                    f"The server got the same POST {times(server)}: that may be as many orders.",
                    lab.line(r"POST|method ==") or lab.line(r"\bexcept\b|retry_if"),
                )
            lab.run(Server(lab, outcome).meet(ask, "POST", "/orders"), raises=httpx.HTTPError)

    def _gives_up(self, ask, lab):
        for outcome, error in (
            (503, httpx.HTTPStatusError),
            (httpx.ConnectError, httpx.ConnectError),
        ):
            what = "answered 503" if outcome == 503 else "lost on the way"
            lab.told(f"with a GET that is {what} each time")
            server = Server(lab, *[outcome] * (MOST + 1))
            try:
                run = lab.run(server.meet(ask, "GET", "/7"), raises=error)
            except tenacity.RetryError:
                raise Wrong(
                    "wrapped the error",
                    "A tenacity.RetryError came out, with the error inside.",
                    lab.line(r"\bretry\(|Retrying"),
                    "`reraise=True` lets the last error itself out.",
                ) from None
            if len(server.asked) == 1:
                raise Wrong(
                    "gave up too early",
                    f"After 1 request a {error.__name__} came out.",
                    lab.line(r"\bexcept\b|retry_if"),
                    "Every TransportError may pass: a lost connection as well as a timeout.",
                )
            if len(server.asked) != 4:
                raise Wrong(
                    "other number of tries",
                    f"It asked {times(server)}; asked are four tries in all.",
                    lab.line(r"\bfor\b|\bwhile\b|stop_after"),
                    "Three pauses lie between four tries.",
                )
            self._look_at_pauses(lab, server)
            if run.elapsed > sum(self.PAUSES) + 0.01:
                raise Wrong(
                    "paused for nothing",
                    "After the last try it still waited "
                    f"{run.elapsed - sum(self.PAUSES):.2g} s, and then gave up.",
                    lab.line(r"sleep\("),
                    "No try comes after that pause. Let the error out before it.",
                )

    @right
    async def over_the_pauses(client, method, page):
        """Return the response; try again what may pass and may be done twice."""
        for pause in (0.1, 0.2, 0.4, None):
            try:
                response = await client.request(method, page)
                return response.raise_for_status()
            except httpx.HTTPError as error:
                passes = isinstance(error, httpx.TransportError)
                if isinstance(error, httpx.HTTPStatusError):
                    passes = error.response.status_code == 503
                if method == "POST" or not passes or pause is None:
                    raise
            await asyncio.sleep(pause)

    @right
    async def with_tenacity(client, method, page):
        def passes(error):
            if isinstance(error, httpx.HTTPStatusError):
                return method != "POST" and error.response.status_code == 503
            return method != "POST" and isinstance(error, httpx.TransportError)

        @tenacity.retry(
            retry=tenacity.retry_if_exception(passes),
            reraise=True,
            stop=tenacity.stop_after_attempt(4),
            wait=tenacity.wait_exponential(multiplier=0.1),
        )
        async def once():
            response = await client.request(method, page)
            return response.raise_for_status()

        return await once()

    @wrong("retried", says="told 404 each time")
    async def whatever_fails(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError:
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    @wrong("retried", says="told 500 each time")
    async def five_hundred_too(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status < 500:
                    raise
            await asyncio.sleep(pause)

    @wrong("retried", says="as many orders")
    async def a_post_too(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPStatusError as error:
                if pause is None or error.response.status_code != 503:
                    raise
            except httpx.TransportError:
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    @wrong("gave up too early", says="ReadTimeout came out")
    async def statuses_only(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            response = await client.request(method, page)
            if response.status_code != 503 or method == "POST" or pause is None:
                return response.raise_for_status()
            await asyncio.sleep(pause)

    @wrong("gave up too early", says="a lost connection as well")
    async def timeouts_only(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.TimeoutException:
                if pause is None or method == "POST":
                    raise
            except httpx.HTTPStatusError as error:
                if pause is None or method == "POST" or error.response.status_code != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("named, not called", says="only named")
    async def names_the_method(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                response = await client.request(method, page)
                response.raise_for_status
                return response
            except httpx.HTTPError:
                if pause is None or method == "POST":
                    raise
            await asyncio.sleep(pause)

    @wrong("gave up too early", says="After 1 request a")
    async def not_at_all(client, method, page):
        return (await client.request(method, page)).raise_for_status()

    @wrong("lost error", says="503")
    async def never_looks_at_the_status(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return await client.request(method, page)
            except httpx.TransportError:
                if pause is None or method == "POST":
                    raise
            await asyncio.sleep(pause)

    @wrong("lost error", says="HTTPStatusError")
    async def returns_nothing_in_the_end(client, method, page):
        for pause in (0.1, 0.2, 0.4, 0):
            with contextlib.suppress(httpx.TransportError):
                response = await client.request(method, page)
                if response.status_code == 200:
                    return response
                if response.status_code != 503 or method == "POST":
                    break
            await asyncio.sleep(pause)

    @wrong("wrapped the error", says="reraise=True")
    async def tenacity_as_it_comes(client, method, page):
        def passes(error):
            if isinstance(error, httpx.HTTPStatusError):
                return method != "POST" and error.response.status_code == 503
            return method != "POST" and isinstance(error, httpx.TransportError)

        @tenacity.retry(
            retry=tenacity.retry_if_exception(passes),
            stop=tenacity.stop_after_attempt(4),
            wait=tenacity.wait_exponential(multiplier=0.1),
        )
        async def once():
            return (await client.request(method, page)).raise_for_status()

        return await once()

    @wrong("another method", says="sent a GET")
    async def always_get(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.get(page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("equal pauses", says="twice as long")
    async def always_the_same(client, method, page):
        for left in (3, 2, 1, 0):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if not left or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(0.1)

    @wrong("did not wait", says="at once")
    async def without_a_pause(client, method, page):
        for left in (3, 2, 1, 0):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if not left or method == "POST" or status != 503:
                    raise

    @wrong("other number of tries", says="four tries in all")
    async def three_tries(client, method, page):
        for pause in (0.1, 0.2, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("never gives up", says="Count the tries")
    async def for_ever(client, method, page):
        pause = 0.1
        while True:
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)
            pause *= 2

    @wrong("paused for nothing", says="still waited 0.8 s")
    async def pauses_at_the_end(client, method, page):
        for pause in (0.1, 0.2, 0.4, 0.8):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                failure = error
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)
        raise failure

    @wrong("blocked", says="time.sleep")
    async def sleeps_on_the_loop(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            time.sleep(pause)


def times(server):
    return f"{len(server.asked)} time{'s' * (len(server.asked) != 1)}"


def requests_to(server):
    return f"{len(server.asked)} request{'s' * (len(server.asked) != 1)}"


class Jitter(Exercise):
    """Break up the herd

    Many clients call your function to learn how long to wait before they try again. Write
    `pause(attempt)`: after the first failure `attempt` is 0, after the second 1, and so on. It
    returns a number of seconds, drawn by lot, every length equally likely, between 0 and

    - 0.1 s for attempt 0, and twice as much for each further attempt,
    - but never more than 2 s.
    """

    id = "jitter-1"
    asks = "pause"
    minutes = 5
    hints = (
        "First the longest pause of that attempt: 0.1, 0.2, 0.4, ... up to 2. Then the lot.",
        "`0.1 * 2**attempt` doubles; `min(2, ...)` caps.",
        "`random.uniform(0, longest)` draws evenly between the two.",
    )

    CLIENTS = 2000

    def verify(self, pause, lab):
        for attempt in (2, 0, 1, 3, 4, 5, 9):
            longest = min(2.0, 0.1 * 2**attempt)
            lab.told(
                f"for {self.CLIENTS} clients with attempt {attempt}, where the longest pause "
                f"is {longest:g} s"
            )
            first = pause(attempt)
            if asyncio.iscoroutine(first):
                first.close()
                raise Wrong(
                    "value",
                    "It returned a coroutine; asked is a number of seconds.",
                    lab.line("async def"),
                    "It only says how long to wait: a plain `def`.",
                )
            if not isinstance(first, int | float):
                raise Wrong(
                    "value",
                    f"It returned {first!r:.80}; asked is a number of seconds.",
                    lab.line(r"\breturn\b"),
                )
            self._look(lab, [pause(attempt) for _ in range(self.CLIENTS)], longest)

    def _look(self, lab, drawn, longest):
        line = lab.line(r"\breturn\b")
        low, high = min(drawn), max(drawn)
        [(usual, times_drawn)] = Counter(drawn).most_common(1)
        said = (
            f"{times_drawn} of the {self.CLIENTS} clients come back at the same moment, "
            f"after {usual:.3g} s."
        )
        if high > longest:
            raise Wrong(
                "waits too long",
                f"The longest pause that I got was {high:.3g} s.",
                line,
                "The lot lies between 0 and the longest pause; it isn't added to it."
                if low >= longest * 0.99
                else "First the longest pause: 0.1 s, doubled for each attempt, and no more "
                "than 2 s. Then the lot, between 0 and that.",
            )
        if low < 0:
            raise Wrong("waits less than nothing", f"I got {low:.3g} s.", line)
        if high < longest * 0.9:
            raise Wrong(
                "waits too briefly",
                f"The longest pause that I got was {high:.3g} s.",
                line,
                "0.1 s for attempt 0, and it doubles with each attempt, up to 2 s.",
            )
        if times_drawn > self.CLIENTS / 10:
            if usual == longest == 2 and low < 1:
                raise Wrong(
                    "capped after the lot",
                    said,
                    line,
                    "What was drawn above 2 s was cut "
                    "to 2 s. Cap the longest pause first, then draw.",
                )
            raise Wrong(
                "equal delays",
                said,
                line,
                "They failed together, and will fail together again. Draw each pause by "
                "lot, with `random.uniform`, anew at each call.",
            )
        if low > longest / 2:
            raise Wrong(
                "too little jitter",
                f"All pauses lie between {low:.3g} s and {high:.3g} s: a slightly wider herd.",
                line,
                "Let the lot choose between 0 and the longest: then they come evenly.",
            )
        if low > longest / 10:
            raise Wrong(
                "does not begin at 0",
                f"No pause was shorter than {low:.3g} s.",
                line,
                "Let the lot choose between 0 and the longest.",
            )
        quarters = [sorted(drawn)[self.CLIENTS * part // 4] / longest for part in (1, 2, 3)]
        if any(abs(found - part) > 0.08 for found, part in zip(quarters, (0.25, 0.5, 0.75))):
            raise Wrong(
                "uneven lot",
                f"A quarter of the pauses were shorter than "
                f"{quarters[0] * longest:.3g} s, half shorter than "
                f"{quarters[1] * longest:.3g} s, three quarters shorter than "
                f"{quarters[2] * longest:.3g} s.",
                line,
                "Every length is equally likely: `random.uniform`.",
            )

    @right
    def evenly(attempt):
        """Return how many seconds to wait after so many failures before this one."""
        return random.uniform(0, min(2, 0.1 * 2**attempt))

    @right
    def a_share_of_the_longest(attempt):
        longest = 0.1 * 2**attempt
        if longest > 2:
            longest = 2
        return longest * random.random()

    @wrong("equal delays", says="2000 of the 2000")
    def no_lot(attempt):
        return min(2, 0.1 * 2**attempt)

    @wrong("equal delays", says="anew at each call")
    def same_lot_for_all(attempt):
        return random.Random(attempt).uniform(0, min(2, 0.1 * 2**attempt))

    @wrong("waits too briefly", says="was 0 s")
    def whole_seconds(attempt):
        return random.randint(0, int(min(2, 0.1 * 2**attempt)))

    @wrong("equal delays", says="same moment")
    def all_or_nothing(attempt):
        return random.choice([0, min(2, 0.1 * 2**attempt)])

    @wrong("capped after the lot", says="then draw")
    def caps_what_was_drawn(attempt):
        return min(2, random.uniform(0, 0.1 * 2**attempt))

    @wrong("does not begin at 0", says="between 0 and the longest")
    def never_at_once(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return random.uniform(longest / 3, longest)

    @wrong("uneven lot", says="equally likely")
    def mostly_in_the_middle(attempt):
        return random.triangular(0, min(2, 0.1 * 2**attempt))

    @wrong("waits too long", says="isn't added")
    def on_top(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return longest + random.uniform(0, longest)

    @wrong("too little jitter", says="slightly wider herd")
    def a_tenth(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return longest * random.uniform(0.9, 1)

    @wrong("waits too long", says="no more than 2 s")
    def without_a_cap(attempt):
        return random.uniform(0, 0.1 * 2**attempt)

    @wrong("waits too briefly", says="doubles")
    def does_not_grow(attempt):
        return random.uniform(0, 0.1)

    @wrong("waits too long", says="doubled for each attempt")
    def counts_from_one(attempt):
        return random.uniform(0, min(2, 0.2 * (attempt + 1) * 2 / 3))


class Mirrors(Exercise):
    """A deadline for the whole

    The same page lies on several servers. `fetch(mirror)` is a coroutine function that gets it
    from one of them. It may raise an `httpx.TransportError`, and it may never come back.

    Write `from_mirrors(fetch, mirrors, seconds)`. It asks the mirrors one after another, and
    returns the first page that it gets.

    - Each mirror has at most 1 s. If it fails with an `httpx.TransportError`, or is not back by
      then, the next is asked.
    - All together have at most `seconds`. Then a `TimeoutError` comes out.
    - If the last one fails too, its error comes out (a `TimeoutError` if it was too slow).
    """

    id = "mirrors-1"
    asks = "from_mirrors"
    minutes = 12
    hints = (
        "Two limits, one for each mirror and one for the whole: which lines does each enclose?",
        "`async with asyncio.timeout(seconds):` around the loop, `async with asyncio.timeout(1):` "
        "around the one call. The `try` that goes on to the next mirror stands between the two.",
        "`except (httpx.TransportError, TimeoutError) as error:` keeps the error, for the case "
        "that no mirror is left: `raise` it after the loop, or at the last mirror.",
    )

    def verify(self, from_mirrors, lab):
        lost = httpx.ConnectError("nobody there")
        fetch = lab.service({"a": 0.2, "b": 60, "c": 0.3}, errors={"a": lost}, name="fetch")
        lab.told(
            'with three mirrors, of which "a" fails after 0.2 s, "b" never comes back and '
            '"c" takes 0.3 s, and 5 s for the whole'
        )
        run = self._first(lab, from_mirrors, fetch)
        if fetch.peak > 1:
            raise Wrong(
                "asked more than one at a time",
                f"{fetch.peak} mirrors were asked at once.",
                lab.line("gather|create_task|TaskGroup"),
                "That is quicker, and three times the load. Asked is one after another.",
            )
        if run.result is None and "c" not in fetch.started:
            raise Wrong(
                "gave up too early",
                'It returned None, and "c" was never asked.',
                lab.line(r"\bexcept\b|suppress"),
                "After a failure the next mirror is asked: the `try` stands in the loop.",
            )
        lab.equal(run.result, "page c")
        if abs(run.elapsed - 1.5) > 0.01:
            raise Wrong(
                "another limit for a mirror",
                f'"b" never came back, and had {run.elapsed - 0.5:.3g} s.',
                lab.line(r"timeout\(|wait_for"),
                "Each mirror has 1 s, however long the whole may last.",
            )
        for seconds in (2.5, 0.4):
            fetch = lab.service(60, name="fetch")
            run = lab.run(from_mirrors, fetch, ["a", "b", "c", "d"], seconds, raises=TimeoutError)
            lab.told(f"with four mirrors that never come back, and {seconds} s for the whole")
            caught = lab.line(r"CancelledError|BaseException|except\s*:")
            if run.elapsed > seconds + 0.01 and caught:
                raise Wrong(
                    "swallowed",
                    f"The {seconds} s were over, and it went on until "
                    f"{run.elapsed:.3g} s: a deadline ends it by a CancelledError.",
                    caught,
                )
            if run.elapsed > seconds + 0.01:
                raise Wrong(
                    "no deadline for the whole",
                    f"It took {run.elapsed:.3g} s.",
                    lab.line(r"timeout\(|wait_for"),
                    "Limits for each call do not add up to one for the whole. Put "
                    "`asyncio.timeout(seconds)` around all of it.",
                )
            if run.elapsed < seconds - 0.01:
                raise Wrong(
                    "gave up too early",
                    f"It gave up after {run.elapsed:.3g} s.",
                    lab.line(r"timeout\(|wait_for|raise"),
                    "The next mirror may be better: ask on until the time is over.",
                )
        fetch = lab.service(0.1, errors={"a": httpx.ReadError("1st"), "b": lost}, name="fetch")
        lab.told("with two mirrors that both fail, and 5 s for the whole")
        try:
            run = lab.run(self._ask(from_mirrors, fetch, ["a", "b"]), raises=httpx.TransportError)
        except TimeoutError:
            raise Wrong(
                "another error",
                "A TimeoutError came out, and no time was over.",
                lab.line(r"\braise\b"),
                "Asked is the last mirror's own error.",
            ) from None
        if run.error is not lost:
            raise Wrong(
                "another error",
                "The error of the first mirror came out.",
                lab.line(r"\braise\b"),
                "Asked is the last one's.",
            )
        fetch = lab.service(60, name="fetch")
        fetch = lab.service(60, name="fetch")
        lab.run(from_mirrors, fetch, ["a"], 5, raises=TimeoutError)
        fetch = lab.service(60, name="fetch")
        try:
            lab.run(from_mirrors, fetch, ["a", "b"], 5, cancel_after=0.5)
        except TimeoutError:
            raise Wrong(
                "swallowed",
                "I cancelled it after 0.5 s. It went on with the next mirror.",
                lab.line(r"\bexcept\b|suppress"),
            ) from None

    def _first(self, lab, from_mirrors, fetch):
        said, ended = lab.called, []

        async def ask():
            try:
                return await self._ask(from_mirrors, fetch, ["a", "b", "c"])
            finally:
                ended.append(asyncio.get_running_loop().time())

        try:
            return lab.run(ask())
        except TimeoutError:
            if ended[0] < 5 and "c" not in fetch.started:
                raise Wrong(
                    "gave up too early",
                    'The TimeoutError of "b" came out after '
                    f'{ended[0]:.3g} s, and "c" was not asked.',
                    lab.line(r"\bexcept\b"),
                    "`asyncio.timeout` raises Python's own `TimeoutError`, which is none "
                    "of httpx's errors: catch both.",
                ) from None
            raise Wrong(
                "no limit for one mirror",
                "It ended with a TimeoutError: one silent "
                'mirror took all the time, and "c" was '
                f"{'never asked' if 'c' not in fetch.started else 'cut off'}.",
                lab.line(r"timeout\(|wait_for") or lab.line(r"\bawait\b"),
                "Give each mirror its own second, inside the deadline for the whole.",
            ) from None
        except httpx.TransportError:
            raise Wrong(
                "gave up too early",
                'The error of "a" came out, and the others were not asked.',
                lab.line(r"\bexcept\b|\bawait\b"),
                "A TransportError of one mirror means: ask the next.",
            ) from None
        finally:
            lab.called = said

    async def _ask(self, from_mirrors, fetch, mirrors):
        return await from_mirrors(fetch, mirrors, 5)

    @right
    async def two_timeouts(fetch, mirrors, seconds):
        """Return the first page that one of the mirrors gives, within so many seconds."""
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError) as error:
                    failure = error
            raise failure

    @right
    async def what_is_left(fetch, mirrors, seconds):
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for mirror in mirrors:
            left = end - loop.time()
            if left <= 0:
                break
            try:
                return await asyncio.wait_for(fetch(mirror), min(1, left))
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    @wrong("gave up too early", says="none of httpx's errors")
    async def timeouts_of_httpx(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TimeoutException, httpx.TransportError) as error:
                    failure = error
            raise failure

    @wrong("gave up too early", says="stands in the loop")
    async def catches_outside(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            try:
                for mirror in mirrors:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
            except (httpx.TransportError, TimeoutError):
                pass

    @wrong("another error", says="the last mirror's own")
    async def an_error_of_its_own(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError):
                    pass
            raise TimeoutError("no mirror answers")

    @wrong("no deadline for the whole", says="do not add up")
    async def each_alone(fetch, mirrors, seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    @wrong("no limit for one mirror", says='"c" was never asked')
    async def the_whole_alone(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    return await fetch(mirror)
                except httpx.TransportError as error:
                    failure = error
            raise failure

    @wrong("another limit for a mirror", says="had 5 s")
    async def the_whole_for_each(fetch, mirrors, seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(seconds):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    @wrong("another limit for a mirror", says="1.67 s")
    async def shared_out(fetch, mirrors, seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(seconds / len(mirrors)):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    @wrong("gave up too early", says='The error of "a"')
    async def timeouts_only(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except TimeoutError as error:
                    failure = error
            raise failure

    @wrong("no limit for one mirror", says="cut off")
    async def timeout_in_the_wrong_place(fetch, mirrors, seconds):
        async with asyncio.timeout(1.4):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError) as error:
                    failure = error
            raise failure

    @wrong("lost error", says="TimeoutError")
    async def nothing_at_the_end(fetch, mirrors, seconds):
        try:
            async with asyncio.timeout(seconds):
                for mirror in mirrors:
                    with contextlib.suppress(httpx.TransportError, TimeoutError):
                        async with asyncio.timeout(1):
                            return await fetch(mirror)
        except TimeoutError:
            return None

    @wrong("asked more than one at a time", says="3 mirrors")
    async def all_at_once(fetch, mirrors, seconds):
        tasks = [asyncio.create_task(fetch(mirror)) for mirror in mirrors]
        try:
            for task in asyncio.as_completed(tasks, timeout=seconds):
                with contextlib.suppress(httpx.TransportError):
                    return await task
        finally:
            for task in tasks:
                task.cancel()

    @wrong("another error", says="the last one's")
    async def keeps_the_first(fetch, mirrors, seconds):
        failure = None
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError) as error:
                    failure = failure or error
            raise failure

    @wrong("swallowed", says="by a CancelledError")
    async def catches_the_deadline(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError, asyncio.CancelledError) as error:
                    failure = error
            raise failure

    @wrong("swallowed", says="the next mirror")
    async def catches_everything(fetch, mirrors, seconds):
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for mirror in mirrors:
            try:
                left = end - loop.time()
                return await asyncio.wait_for(fetch(mirror), min(1, left))
            except BaseException as error:
                failure = error
            if loop.time() >= end:
                break
        raise failure


class AsTold(Exercise):
    """Come back when you are told

    A server with a rate limit answers 429, and its header `Retry-After` says in how many whole
    seconds to come back: `response.headers["Retry-After"]` is a text such as `"3"`.

    Write `ask(client, page)`. It sends `await client.get(page)`, and returns the response if its
    status is 200.

    - After a 429 it waits as long as it is told, and asks again, as often as it takes. It comes
      back no earlier, and at most half a second later.
    - Some servers send a 429 without the header: then wait 1 s.
    - For any other status of 400 or more the `httpx.HTTPStatusError` comes out at once.
    """

    id = "retry-after-1"
    asks = "ask"
    minutes, limit = 8, 3.0
    hints = (
        "Who knows how long to wait: you, or the server?",
        "A header is a text: `float(text)` makes a number of it. `headers.get(name, 1)` gives 1 "
        "where there is no such header.",
        "`while (response := await client.get(page)).status_code == 429:` with a sleep in it; "
        "behind the loop `return response.raise_for_status()`.",
    )

    def verify(self, ask, lab):
        lab.told('with a server that answers 429 with Retry-After "3", then 429 with "1", then 200')
        server = Server(lab, (429, "3"), (429, "1"))
        self._come_back(lab, ask, server, [3, 1])
        lab.told("with a server that answers 429 without a Retry-After, then 200")
        server = Server(lab, 429)
        self._come_back(lab, ask, server, [1])
        for status in (404, 503):
            lab.told(f"with a server that answers {status}")
            server = Server(lab, *[status] * MOST)
            with contextlib.suppress(Wrong):
                lab.run(server.meet(ask, "/7"), raises=httpx.HTTPStatusError)
            if len(server.asked) > 1:
                raise Wrong(
                    "retried",
                    f"It asked {times(server)}, and was told {status} each time.",
                    lab.line("status_code|except"),
                    "Only a 429 is to be asked again here.",
                )
            try:
                lab.run(Server(lab, status).meet(ask, "/7"), raises=httpx.HTTPStatusError)
            except Wrong:
                the_brackets(lab, status)
                raise

    def _come_back(self, lab, ask, server, told):
        try:
            run = lab.run(server.meet(ask, "/7"))
        except httpx.HTTPStatusError:
            raise Wrong(
                "gave up too early",
                f"After {requests_to(server)} the 429 came out as an error.",
                lab.line("raise_for_status"),
                "A 429 is no refusal: it says when to come back.",
            ) from None
        if isinstance(run.result, httpx.Response) and run.result.status_code == 429:
            raise Wrong(
                "gave up too early",
                f"After {requests_to(server)} it returned the 429.",
                lab.line(r"\breturn\b"),
                "A 429 is no answer: it says when to come back.",
            )
        the_response(lab, run, server)
        for gap, wanted in zip(server.gaps, told):
            if gap < wanted - 0.001:
                raise Wrong(
                    "came back too early",
                    f"Told to come back in {wanted} s it came after {gap:.3g} s.",
                    lab.line("sleep"),
                    "The server counts that against you. Wait as long as it says.",
                )
            if gap > wanted + 0.5:
                raise Wrong(
                    "came back too late",
                    f"Told to come back in {wanted} s it came after {gap:.3g} s.",
                    lab.line("sleep"),
                    "The server knows when there is room again. Wait no longer.",
                )

    @right
    async def while_it_is_429(client, page):
        """Return the response; where the server says when to come back, come back then."""
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        return response.raise_for_status()

    @right
    async def with_some_jitter(client, page):
        while True:
            response = await client.get(page)
            if response.status_code != 429:
                response.raise_for_status()
                return response
            seconds = int(response.headers.get("Retry-After", "1"))
            await asyncio.sleep(seconds + random.uniform(0, 0.4))

    @wrong("came back too early", says="Told to come back in 3 s")
    async def own_backoff(client, page):
        pause = 0.1
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(pause)
            pause *= 2
        return response.raise_for_status()

    @wrong("came back too early", says="after 0 s")
    async def at_once(client, page):
        while (response := await client.get(page)).status_code == 429:
            pass
        return response.raise_for_status()

    @wrong("came back too late", says="after 4 s")
    async def adds_up(client, page):
        pause = 0
        while (response := await client.get(page)).status_code == 429:
            pause += float(response.headers.get("Retry-After", 1))
            await asyncio.sleep(pause)
        return response.raise_for_status()

    @wrong("raised", says="TypeError")
    async def sleeps_a_text(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(response.headers.get("Retry-After", 1))
        return response.raise_for_status()

    @wrong("raised", says="KeyError")
    async def trusts_the_header(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers["Retry-After"]))
        return response.raise_for_status()

    @wrong("gave up too early", says="when to come back")
    async def raises_it(client, page):
        response = await client.get(page)
        return response.raise_for_status()

    @wrong("gave up too early", says="it returned the 429")
    async def asks_twice(client, page):
        response = await client.get(page)
        if response.status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
            response = await client.get(page)
        return response

    @wrong("retried", says="told 404 each time")
    async def until_it_is_200(client, page):
        while (response := await client.get(page)).status_code != 200:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        return response

    @wrong("named, not called", says="only named")
    async def names_the_method(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        response.raise_for_status
        return response

    @wrong("lost error", says="404")
    async def returns_what_comes(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        return response

    @wrong("blocked", says="time.sleep")
    async def sleeps_on_the_loop(client, page):
        while (response := await client.get(page)).status_code == 429:
            time.sleep(float(response.headers.get("Retry-After", 1)))
        return response.raise_for_status()
