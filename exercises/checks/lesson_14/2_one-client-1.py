"""Long, for a list that comes in pages can be left in many ways."""

import ast
import asyncio
import contextlib

import httpx

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import MOST, came_of, the_brackets, unchecked_failures


class OneClient(Exercise):
    """Follow the pages

    A long list comes in pages. Each page is JSON: `"results"` holds some entries, each with a
    `"name"`, and `"next"` the whole address of the next page, or `None` on the last one.

    Write `all_names(base_url)`. It starts at `base_url + "/api/v2/pokemon?limit=40"`, follows
    `"next"` to the end, and returns the list of all the names.

    - It makes one client, which is closed when `all_names` ends, however it ends.
    - If a page fails, the `httpx.HTTPStatusError` comes out.
    """

    id = "one-client-1"
    asks = "all_names"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "Where does the line that makes the client stand: inside the loop, or around it?",
        "`async with httpx.AsyncClient() as client:` around everything, and in it "
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
        if not clients and lab.call_of(
            "requests.*", "httpx.get", "httpx.Client", "httpx.request", "urlopen"
        ):
            raise Wrong(
                "blocked",
                "It made no AsyncClient. Each request held the loop's own "
                "thread until its answer was there.",
                lab.call_of("requests.*", "httpx.get", "httpx.Client", "httpx.request", "urlopen"),
                "Make an `httpx.AsyncClient`, and await its `get`.",
            )
        if run.stood:
            raise run.stood
        if len(clients) > 1 or used > 1:
            raise Wrong(
                "client per request",
                f"It made {len(clients)} clients for 4 pages, and the server saw {used} "
                f"connection{'s' * (used != 1)}.",
                lab.call_of("AsyncClient"),
                "A client keeps its connections for its own next request, and for no other "
                "client's. Make it once, around the loop.",
                headline="a new client for each request",
            )
        if clients and not clients[0].is_closed:
            raise Wrong(
                "left open",
                "When it returned, the client still held its connection.",
                lab.call_of("AsyncClient"),
                "`async with httpx.AsyncClient() as client:` closes it, whatever happens.",
                headline="left the client open",
            )
        lab.told("with a server whose third page answers 503")
        with noted_clients(lab) as clients, unchecked_failures(lab) as failures:
            try:
                lab.run(self._ask(lab, all_names, site.url), raises=httpx.HTTPStatusError)
            except Exception as error:
                the_brackets(lab, 503)
                instead = error.__context__ if not isinstance(error, Wrong) else None
                if isinstance(instead, httpx.HTTPStatusError):
                    raise Wrong(
                        "another error",
                        "A page failed with an HTTPStatusError, and what came out was a "
                        f"{type(error).__name__}.",
                        lab.text.of_traceback(error),
                        "The HTTPStatusError itself has to come out. Let it pass.",
                        at="raises another error in its place",
                    ) from None
                if not isinstance(error, Wrong) and failures:
                    elsewhere = lab.use_of("raise_for_status")
                    raise Wrong(
                        "another error",
                        "A page failed, and what came out was a "
                        f"{type(error).__name__}: the answer was read as if it were a page.",
                        next(iter(failures.values())) or lab.call_of("*.get"),
                        "`response.raise_for_status()` raises the HTTPStatusError."
                        + " Call it for each page." * bool(elsewhere),
                        headline="did not look at each status"
                        if elsewhere
                        else "never looked at the status",
                        at="asks for that page" if elsewhere else "",
                    ) from None
                if not isinstance(error, Wrong) and lab.keeping(httpx.HTTPStatusError):
                    raise lab.lost_error(
                        "A page failed, and its HTTPStatusError had to come out. What came out was "
                        f"a {type(error).__name__}.",
                        httpx.HTTPStatusError,
                    ) from None
                raise
        if clients and not clients[0].is_closed:
            raise Wrong(
                "left open",
                "A page failed, and the client was never closed.",
                lab.text.skipped("aclose") or lab.call_of("AsyncClient"),
                "`async with httpx.AsyncClient() as client:` closes it, whatever happens.",
                headline="left the client open",
            )

    def _follow(self, lab, all_names, url):
        try:
            # Called in a frame of ours, so that the address of this run's server isn't quoted.
            return lab.run(self._ask(lab, all_names, url), stands=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise Wrong(
                "protocol",
                f"httpx said: {error}",
                lab.call_of("get"),
                '"next" is a whole address already: nothing goes before it.',
                headline="not an address",
            ) from None
        except TypeError as error:
            if "url" not in str(error).lower() or "NoneType" not in str(error):
                raise
            raise Wrong(
                "protocol",
                "It asked for the page `None`.",
                lab.earliest(lab.while_loop(), lab.call_of("get")),
                'On the last page "next" is `None`: that is the end.',
                headline="went past the last page",
            ) from None

    async def _ask(self, lab, all_names, url):
        return await lab.awaitable(all_names(url))

    def _look_at_names(self, lab, got, log):
        pages = [asked.path for asked in log]
        if not pages or pages[0] != self.FIRST:
            raise Wrong(
                "protocol",
                f"It first asked for {pages[:1] or 'nothing'}.",
                lab.call_of("get"),
                f'Start at `base_url + "{self.FIRST}"`.',
                headline="started elsewhere",
            )
        if isinstance(got, list) and all(isinstance(name, dict) for name in got) and got:
            raise Wrong(
                "value",
                "It returned entries; their names are wanted.",
                lab.literal("results"),
                'The name is `entry["name"]`.',
            )
        if isinstance(got, list) and got and all(isinstance(each, list) for each in got):
            raise Wrong(
                "value",
                "It returned a list of lists, one for each page.",
                lab.call_of("append"),
                "`names += [...]` or `names.extend(...)` joins them.",
            )
        if got is not None and not isinstance(got, list):
            raise Wrong(
                "value",
                f"It returned a {type(got).__name__}; a list is wanted.",
                lab.returning(),
            )
        if got and all(isinstance(name, str) and len(name) == 1 for name in got):
            raise Wrong(
                "value",
                f"It returned single letters: {got[:4]!r:.40} and so on.",
                lab.literal("name"),
                "`+=` and `extend` add each item of what they are given, and the items of a string "
                "are its letters. Add one name with `append`.",
                headline="took the names apart",
            )
        if got is None or len(got) != 151:
            raise Wrong(
                "lost items",
                f"It asked for {len(pages)} of the 4 pages and returned "
                + ("None." if got is None else f"{len(got)} of the 151 names."),
                (
                    lab.returning()
                    if len(pages) == 1 and got
                    else lab.earliest(lab.literal("next"), lab.looping())
                ),
                'Go on to "next" as long as it is not `None`, and return after the loop.'
                if len(pages) == 1 and got
                else 'The last page is the one whose "next" is `None`, and its names count too.',
                headline="lost names",
            )
        if (got[0], got[-1]) != ("bulbasaur", "mew"):
            raise Wrong("order", f"It begins with {got[0]!r} and ends with {got[-1]!r}.")
        if self.THIRD not in pages:
            raise Wrong(
                "protocol",
                f'It never asked for {self.THIRD}, the "next" of the second page.',
                lab.literal("offset") or lab.call_of("get"),
                'Ask for each page by the address that stands in "next", as it is.',
                headline='did not follow "next"',
            )

    @sweep(
        lambda some: {
            "pages": some.lists(
                some.lists(some.sampled_from(["", "a", "b", None]), max_size=3),
                min_size=1,
                max_size=4,
            ),
            "last": some.sampled_from([200, 200, 404, 429, 503, "lost", "silent"]),
        },
        besides=[{"pages": [["a"]] * 1100, "last": 200}],
        most=12,
    )
    def any_pages(self, all_names, lab, pages, last):
        if last == 200:
            shown = pages if len(pages) < 9 else f"{len(pages)} of them"
            lab.told(f"with these names on the pages: {shown}")
        else:
            ends = {
                "lost": "loses its connection",
                "silent": "never comes, and I cancelled the call",
            }.get(last, f"answers {last}")
            first = f"these names on the pages: {pages[:-1]}; the next page"
            lab.told(f"with {first if pages[1:] else 'a list whose first page'} {ends}")

        async def answer(request):
            number = int(request.url.params.get("offset", 0))
            asked.append(number)
            if number == len(pages) - 1 and last != 200:
                if last == "lost":
                    raise httpx.ReadError("lost on the way", request=request)
                if last == "silent":
                    await asyncio.sleep(60)
                return httpx.Response(last)
            following = f"http://site/api/v2/pokemon?offset={number + 1}&limit=40"
            return httpx.Response(
                200,
                json={
                    "results": [{"name": name} for name in pages[number]],
                    "next": following if number + 1 < len(pages) else None,
                },
            )

        asked = []
        with noted_clients(lab, 2 * len(pages), httpx.MockTransport(answer)) as clients:
            run = lab.run(
                self._ask(lab, all_names, "http://site"),
                cancel_after=0.03 if last == "silent" else None,
            )
        if last == "lost" and asked[-1:] == [len(pages) - 1] and run.error is None:
            raise lab.lost_error(
                f"A ReadError had to come out. It returned {run.result!r:.80} instead.",
                httpx.ReadError,
            )
        if asked and asked[-1] < len(pages) - 1 and not pages[asked[-1]] and run.error is None:
            raise Wrong(
                "falsy",
                f"Page number {asked[-1] + 1} is empty, and it asked for none of the pages behind "
                "it.",
                _asks_for_names(lab) or lab.truth_test().line,
                'A page may be empty. The last one is the one whose "next" is `None`.',
                headline="took an empty page for the end",
            )
        came = "a cancellation" if isinstance(run.error, asyncio.CancelledError) else came_of(run)
        if not all(client.is_closed for client in clients):
            raise Wrong(
                "left open",
                f"It ended with {came}, and a client was not closed."
                if run.error
                else "It returned, and a client was not closed.",
                lab.text.skipped("aclose") or lab.call_of("AsyncClient"),
                "`async with httpx.AsyncClient() as client:` closes it, whatever happens.",
                headline="left the client open",
            )
        return {"what came of it is": came, "its clients were": len(clients)}

    equivalent = {"closed_by_hand: falsy for None, line 8": "an address is never empty"}

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

    @wrong("client per request", says="It made 4 clients")
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

    @wrong("left open", says="async with")
    async def never_closed(base_url):
        client = httpx.AsyncClient()
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        while address:
            page = (await client.get(address)).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            address = page["next"]
        return names

    closed_if_all_went_well = never_closed.but(
        "return", "await client.aclose()\nreturn", kind="left open", says="A page failed"
    )

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

    @wrong("another error", says="`response.raise_for_status()` raises the HTTPStatusError")
    async def never_looks_at_the_status(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
        return names

    @wrong("lost items", says="40 of the 151")
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

    @wrong("lost items", says="after the loop")
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

    @wrong("endless", says="all for the same one")
    async def forgets_to_turn_the_page(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
        return names

    @wrong("protocol", says="a whole address already")
    async def puts_the_base_before_it(base_url):
        names, address = [], "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while address:
                page = (await client.get(base_url + address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
        return names

    @wrong("protocol", says="that is the end")
    async def never_stops(base_url):
        names, address = [], base_url + "/api/v2/pokemon?limit=40"
        async with httpx.AsyncClient() as client:
            while True:
                page = (await client.get(address)).raise_for_status().json()
                names += [entry["name"] for entry in page["results"]]
                address = page["next"]
                if len(names) > 1000:
                    return names

    @wrong("lost items", says="its names count too")
    async def forgets_the_last_page(base_url):
        names = []
        async with httpx.AsyncClient() as client:
            response = await client.get(base_url + "/api/v2/pokemon?limit=40")
            while (page := response.raise_for_status().json())["next"]:
                names += [entry["name"] for entry in page["results"]]
                response = await client.get(page["next"])
        return names


@contextlib.contextmanager
def noted_clients(lab, most=2 * MOST, transport=None):
    """A list of the AsyncClients that are made meanwhile; who asks more often than that is stopped.

    transport: what they send their requests through, if not the network.
    """
    made, sent = [], []
    init, send = httpx.AsyncClient.__init__, httpx.AsyncClient.send

    def noting(self, *arguments, **named):
        if transport is not None:
            named["transport"] = transport
        init(self, *arguments, **named)
        made.append(self)

    async def counting(self, request, **named):
        sent.append(str(request.url))
        if len(sent) > most:
            raise Wrong(
                "endless",
                f"It sent {len(sent)} requests for 4 pages"
                + (", all for the same one." if len(set(sent)) == 1 else "."),
                lab.while_loop(),
                'Go on to the address in "next", until that is `None`.',
                headline="never comes to an end",
            )
        if transport is None or any(self.event_hooks.values()):
            return await send(self, request, **named)
        # `send` would do the same, and far more, which takes its time with many pages.
        response = await transport.handle_async_request(request)
        response.request = request
        return response

    httpx.AsyncClient.__init__, httpx.AsyncClient.send = noting, counting
    try:
        yield made
    finally:
        httpx.AsyncClient.__init__, httpx.AsyncClient.send = init, send


def _asks_for_names(lab):
    """Line of the first `if` or `while` that asks for the results of a page."""
    tests = (node.test for node in lab.nodes() if isinstance(node, (ast.If, ast.While)))
    return min(
        (test.lineno for test in tests if "results" in map(_constant, ast.walk(test))), default=None
    )


def _constant(node):
    return getattr(node, "value", None) if isinstance(node, ast.Constant) else None
