"""Long, for each of its programs is a whole crawl."""

import ast
import asyncio
import collections
import contextlib
import json
import math
import random

import httpx

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import SOON, now


class Clients:
    """In a `with`: the AsyncClients that are made, and the most requests under way in them.

    The server can't tell that: it learns a little late that a client has given up.
    transport: what takes the place of the network, if anything does.
    """

    def __init__(self, lab, transport=None):
        self.lab, self.made, self.flying, self.peak = lab, [], 0, 0
        self.transport = transport
        self.doors = math.inf  # a client may keep the limit itself, by `limits=`

    def __enter__(self):
        self.init, self.send = httpx.AsyncClient.__init__, httpx.AsyncClient.send

        def noting(client, *arguments, **settings):
            self.made.append(client)
            if len(self.made) > 30:
                raise Wrong(
                    "client per request",
                    "It made 30 clients and went on.",
                    self.lab.call_of("AsyncClient"),
                    "Make one, around all of it.",
                    headline="a new client for each request",
                )
            if self.transport is not None:
                settings["transport"] = self.transport
            self.init(client, *arguments, **settings)
            self.doors = getattr(settings.get("limits"), "max_connections", None) or math.inf

        async def counting(client, *arguments, **settings):
            self.flying += 1
            self.peak = max(self.peak, min(self.flying, self.doors))
            try:
                return await self.send(client, *arguments, **settings)
            finally:
                self.flying -= 1

        httpx.AsyncClient.__init__, httpx.AsyncClient.send = noting, counting
        return self

    def __exit__(self, *exc_info):
        httpx.AsyncClient.__init__, httpx.AsyncClient.send = self.init, self.send


class Script(httpx.AsyncBaseTransport):
    """A server without a network, for virtual time. outcomes: for each path, what becomes of the
    first, second, ... request: a status, a key of TOO_LONG, "drip", or an error; name: in a page's
    JSON.
    """

    LATENCY = 0.05  # seconds

    def __init__(self, outcomes, name):
        self.outcomes = {path: iter(each) for path, each in outcomes.items()}
        self.name, self.log = name, []  # [path, outcome, began, ended]

    async def handle_async_request(self, request):
        path = request.url.path
        outcome = next(self.outcomes[path], 200)
        asked = [path, outcome, now(), None]
        self.log.append(asked)
        try:
            if outcome in TOO_LONG:  # httpx raises this only if it has a limit
                which, error = TOO_LONG[outcome]
                patience = request.extensions["timeout"].get(which)
                await asyncio.sleep(3600 if patience is None else patience)
                raise error("hangs", request=request)
            await asyncio.sleep(self.LATENCY)
            if isinstance(outcome, type):
                raise outcome("connection lost", request=request)
        finally:
            asked[3] = now()
        status, _, after = str(200 if outcome == "drip" else outcome).partition(" ")
        head = {"Retry-After": after} if after else {}
        return httpx.Response(int(status), headers=head, stream=self.Body(self, asked))

    class Body(httpx.AsyncByteStream):
        """The JSON in two pieces; the second one comes late where it drips."""

        def __init__(self, script, asked):
            self.script, self.asked = script, asked

        async def __aiter__(self):
            text = json.dumps({"name": self.script.name}).encode()
            try:
                yield text[:4]
                await asyncio.sleep(0.28 if self.asked[1] == "drip" else 0)
                yield text[4:]
            finally:
                self.asked[3] = now()


OUTCOMES = (
    503,
    "429 0",
    "429 1.5",
    "hang",
    "drip",
    httpx.ConnectError,
    httpx.RemoteProtocolError,
    404,
    500,
)


# What comes never: for which limit of httpx it waits, and what that raises.
TOO_LONG = {"hang": ("read", httpx.ReadTimeout), "no connection": ("connect", httpx.ConnectTimeout)}

# What a message says of an outcome; of the others, the status or the error's name.
SAID = {
    "hang": "no answer",
    "drip": "an answer in pieces",
    "429 0": "429 (Retry-After: 0)",
    "429 1.5": "429 (Retry-After: 1.5)",
    "429 3": "429 (Retry-After: 3)",
}

# Ways in which a connection is lost, each asked for once.
RARELY_LOST = httpx.RemoteProtocolError, httpx.WriteError, "no connection"


class Whole(Exercise):
    """The whole crawler

    A server has pages such as `/api/v2/pokemon/mew`: JSON with a `"name"`. It is slow and flaky.
    Write `crawl(url, pages, workers, tell)`, a coroutine function. It asks for each of the `pages`
    (all different, written as above; their addresses are `url + page`), and returns a dict from
    each page to its name, and the list of the pages that failed, in any order.

    - At most `workers` requests are in flight at once; as long as there are pages, no fewer for
      long.
    - A try may take 0.3 s, until all of the answer is there. After a try that took longer, a lost
      connection, a 503 or a 429 it asks again, six times in all. After a 429 it waits as many
      seconds as `Retry-After` says; else for at most 0.1 s.
    - After any other status (404) the page has failed, as it has after the sixth try. No error
      comes out.
    - After each page, done or failed, it calls `tell(done, failed)`, with how many there are.
    - All requests go through one `httpx.AsyncClient`, which is closed at the end, also if `crawl`
      is cancelled. Then nothing of it runs any more.
    """

    id = "crawl-whole-1"
    asks = "crawl"
    minutes, clock, limit = 25, "real", 8.0
    hints = (
        "You have all the parts: one page with its tries, workers, what to do with an error. "
        "Write one "
        "function for one page first.",
        "`async with httpx.AsyncClient(base_url=url) as client, asyncio.TaskGroup() as group:`, "
        "and workers that share `iter(pages)`.",
        "For a page: `for attempt in range(6):` in a `try` get it, within `asyncio.timeout(0.3)`; "
        '200: note it and return; 429: `pause = float(response.headers["Retry-After"])`; 503, or '
        "`except (TimeoutError, httpx.TransportError)`: a short pause; anything else ends the "
        "loop. After the loop it has failed.",
    )

    NAMES = ("mew", "onix", "abra", "jynx", "muk", "seel", "gastly", "hypno", "weedle", "ekans")
    MISSING, BUSY, SILENT, LOST, DOWN = "missingno", "onix", "muk", "abra", "ekans"

    equivalent = {
        "workers_of_one_group: falsy for None, line 18": "a response is true, whatever its status",
        "workers_of_one_group: wider except, line 16": "no other errors are asked for",
        "workers_of_one_group: drop falsy, line 32": "no page has an empty path",
        "a_task_each: drop falsy, line 20": "no page has an empty path",
        "a_task_each: drop falsy, line 28": "no page has an empty path",
        "a_task_each: each once, line 5": "the pages are all different",
        "a_task_each: wider except, line 23": "no other errors are asked for",
    }

    def verify(self, crawl, lab):
        base = "/api/v2/pokemon/"
        pages = [base + name for name in (*self.NAMES[:4], self.MISSING, *self.NAMES[4:])]
        script = {
            base + self.BUSY: [429],
            base + self.SILENT: ["hang"],
            base + self.LOST: ["reset", 503],
            base + self.DOWN: [503] * 9,
        }
        site, told = lab.site(latency=0.05, script=script), []
        lab.told(f"with {len(pages)} pages and 3 workers")

        async def scene():
            async with asyncio.timeout(5):
                return await lab.awaitable(
                    crawl(site.url, list(pages), 3, lambda *counts: told.append(counts))
                )

        with Clients(lab) as clients:
            try:
                run = lab.run(scene())
            except TimeoutError:
                raise self.too_long(lab, site.log(), base) from None
            except (httpx.TransportError, ExceptionGroup) as error:
                raise self.let_out(lab, error) from None
        log = site.log()
        self.tries(lab, log, base)
        self.result(lab, run, pages, base)
        peak = clients.peak if clients.made else site.peak()
        lab.limited(peak, at_most=3, what="requests")
        if peak < 3:
            raise Wrong(
                "sequential",
                f"At most {peak} of 3 requests were in flight at once.",
                lab.earliest(lab.await_of("get"), lab.call_of("range")),
            )
        self.waits(lab, log, base)
        self.told(lab, told, len(pages), 2)
        self.closed(lab, clients.made)
        self.cancelled(crawl, lab, site, pages)

    @sweep(
        lambda some: {
            "tries": some.dictionaries(
                some.sampled_from(("/mew", "/abra", "/muk", "/onix")),
                some.lists(some.sampled_from(OUTCOMES), max_size=2),
                max_size=4,
            ),
            "workers": some.integers(1, 5),
            "name": some.sampled_from(("a name", "", "None")),
            "cancelled": some.sampled_from((None, None, None, 0.02)),
        },
        besides=[
            {"tries": {"/mew": [503] * 5 + [last]}, "workers": 1, "name": "", "cancelled": None}
            for last in (200, "429 3", httpx.ReadError, "drip", "hang")
        ]
        + [{"tries": {"/mew": [200]}, "workers": 1, "name": "mew", "cancelled": 0.02}]
        + [
            {
                "tries": {"/mew": ["hang"] * 4, "/abra": [], "/muk": [], "/onix": []},
                "workers": 2,
                "name": "",
                "cancelled": None,
            }
        ]
        + [
            {"tries": {"/mew": [lost]}, "workers": 1, "name": "", "cancelled": None}
            for lost in RARELY_LOST
        ]
        + [
            {
                "tries": {"/mew": ["hang"] * 2, "/abra": [], "/muk": [], "/onix": ["hang"] * 2},
                "workers": 2,
                "name": "",
                "cancelled": None,
            }
        ]
        + [
            {
                "tries": {f"/{number}": [200] for number in range(60)},
                "workers": 1,
                "name": "",
                "cancelled": None,
            }
        ],
        most=25,
        unseen=("tries",),
    )
    def any_answers(self, crawl, lab, tries, workers, name, cancelled):
        lab.clock = "virtual"  # there is no network here, so time can jump
        script, told = Script(tries, name), []
        told_of = f"with {said(tries)}, workers={workers}"
        lab.told(told_of + f", and cancelled it after {cancelled} s" * bool(tries and cancelled))
        with Clients(lab, script) as clients:
            run = lab.run(
                crawl,
                "http://127.0.0.1:8000",
                list(tries),
                workers,
                lambda *counts: told.append(counts),
                cancel_after=cancelled if tries else None,
            )
        self.closed(lab, clients.made)
        if run.error is not None and not cancelled:
            raise self.let_out(lab, run.error)
        if run.error is not None:
            return lab.seen(run)
        self.in_time(lab, script.log, workers >= len(tries))
        self.no_fewer_for_long(lab, script.log, workers)
        names, failed = run.result
        self.none_cut_short(lab, script.log, failed)
        if tries:
            self.told(lab, told, len(tries), len(failed))
        return {
            "the dict is": names,
            "the list of the failed, sorted, is": sorted(failed),
            "the requests, sorted, were": sorted(path for path, *_ in script.log),
            "the most requests at once were": clients.peak,
        }

    def let_out(self, lab, error):
        """The Wrong for an error that came out because one page was not to be had; any other error
        as it is.
        """
        one = error
        while isinstance(one, ExceptionGroup):
            one = one.exceptions[0]
        if not isinstance(one, httpx.TransportError):
            return error
        return Wrong(
            "one failure ends all",
            f"{type(one).__name__} came out{' in a group' * (one is not error)}: "
            + (
                "a time limit of httpx was over."
                if isinstance(one, httpx.TimeoutException)
                else "a connection was lost."
            ),
            lab.text.let_out(one),
            "Ask again after any `httpx.TransportError`: httpx raises one for a lost connection or "
            "a time limit of its own. The built-in `TimeoutError` is none of these: catch both.",
            headline="one page ended all",
        )

    def in_time(self, lab, log, all_have_places):
        """No try took too long, and no pause was too short, or too long where there are places."""
        last = {}
        for path, outcome, began, ended in log:
            if ended - began > 0.3 + SOON:
                pieces = (
                    ": its answer came in pieces. The `timeout` of httpx only limits each wait, "
                    "not all of them together."
                )
                raise Wrong(
                    "time limit",
                    f"A try for {path!r} took {ended - began:.2f} s"
                    + (pieces if outcome == "drip" else ", and it may take 0.3 s."),
                    lab.keyword("timeout") or lab.call_of("get"),
                    "Put a limit around each request: `async with asyncio.timeout(0.3):`."
                    if lab.handler(TimeoutError)
                    else "Put a limit around each request, `async with asyncio.timeout(0.3):`, and "
                    "take its `TimeoutError` for a try that failed.",
                    headline="a try that took too long",
                )
            before, since = last.get(path, (None, began))
            after = before.partition(" ")[2] if isinstance(before, str) else ""
            if began - since < float(after or 0) - SOON:
                raise Wrong(
                    "pauses",
                    f"{path!r} got a 429 with Retry-After: {after}. It was asked for again "
                    f"after {began - since:.2f} s.",
                    *self.cut_off(lab),
                    headline="came back too early",
                )
            if all_have_places and began - since > float(after or 0.1) + SOON:
                raise Wrong(
                    "pauses",
                    f"It paused {began - since:.2f} s before it asked for {path!r} again; "
                    f"{after or 'at most 0.1'} s are asked.",
                    lab.call_of("sleep"),
                    headline="paused too long",
                )
            last[path] = outcome, ended

    def none_cut_short(self, lab, log, failed):
        """No request was given up before its time, and no page without a request."""
        asked = {path for path, *_ in log}
        said = [
            f"A request for {path!r} was given up after {ended - began:.2f} s."
            for path, _, began, ended in log
            if ended - began < Script.LATENCY - SOON
        ] + [
            f"{path!r} failed, and no request was made for it."
            for path in failed
            if path not in asked
        ]
        if said:
            raise Wrong(
                "time limit",
                said[0],
                lab.call_of("timeout", "timeout_at", "wait_for"),
                "The 0.3 s are for a request: let them begin when there is a place for it.",
                headline="let the time run while it waited for a place",
            )

    def no_fewer_for_long(self, lab, log, workers):
        """Until the last page is begun, there are `workers` of them under way."""
        first, last = {}, {}
        for path, _, began, ended in log:
            first.setdefault(path, began)
            last[path] = ended
        begins = sorted(first.values())
        for number, began in enumerate(begins[workers:], workers):
            ends = sorted(last.values())[number - workers]  # by then so many were under way
            if began - ends > 0.2:
                batches = lab.repeated_call_of("TaskGroup", "gather", "wait")
                raise Wrong(
                    "batch barrier" if batches else "idle places",
                    f"For {began - ends:.2f} s fewer than {workers} pages were under way, and "
                    "there were others to begin.",
                    batches or lab.node(ast.Slice) or lab.call_of("islice", "batched"),
                    "Where one page has ended the next may begin, however long the others take. "
                    "Let workers take their pages from one iterator, or let each page wait for a "
                    "semaphore.",
                    headline=None if batches else "left a worker idle",
                )

    def too_long(self, lab, log, base):
        last = log[-1].path if log else "nothing"
        if [asked.path for asked in log].count(base + self.SILENT) == 1:
            return Wrong(
                "time limit",
                f"After 5 s it was not done. {self.SILENT!r} hung, and was not asked for again.",
                lab.call_of("AsyncClient", "get"),
                "A limit around each request: `async with asyncio.timeout(0.3):`. (httpx itself "
                "waits for 5 s.)",
                headline="hung with the page",
            )
        return Wrong(
            "endless",
            f"After 5 s it was not done. The last request, number {len(log)}, was for `{last}`.",
            lab.looping(),
            "Six tries for a page, then it has failed.",
            headline="never gives up",
        )

    def tries(self, lab, log, base):
        asked = collections.Counter(one.path.removeprefix(base) for one in log)
        if asked[self.MISSING] > 1:
            raise Wrong(
                "retried",
                f"{self.MISSING!r} is not there (404), and it was asked for "
                f"{asked[self.MISSING]} times.",
                (lab.call_of("raise_for_status") and lab.handler(httpx.HTTPError))
                or lab.use_of("status*")
                or lab.handler(),
                "What isn't there is not there the next time either. Ask again only after what may "
                "pass: a 503, a 429, a lost connection or a try that took too long.",
                headline="asked again for what isn't there",
            )
        for name, why, tries in (
            (self.BUSY, "429", 2),
            (self.SILENT, "no answer", 2),
            (self.LOST, "a lost connection and 503", 3),
            (self.DOWN, "503 each time", 6),
        ):
            if asked[name] < tries:
                raise Wrong(
                    "one failure ends all",
                    f"{name!r} met with {why}; it was asked for "
                    f"{'only once' if asked[name] == 1 else count(asked[name], 'time')}.",
                    (name in (self.BUSY, self.DOWN) and _giving_up(lab))
                    or lab.earliest(lab.handler(), lab.call_of("status", "range")),
                    "Six tries for each page, whatever the others needed.",
                    headline="gave up too early",
                )
            if asked[name] > tries:
                raise Wrong(
                    "done twice",
                    f"{name!r} was asked for {asked[name]} times; {tries} are enough.",
                    lab.earliest(lab.call_of("range"), lab.while_loop()),
                    headline="asked too often",
                )

    def result(self, lab, run, pages, base):
        if not (isinstance(run.result, tuple) and len(run.result) == 2):
            raise Wrong(
                "value",
                f"It returned {run.result!r:.90}; it must be a dict and a list.",
                lab.returning(),
            )
        names, failed = run.result
        bad = [base + self.MISSING, base + self.DOWN]
        lab.equal(
            names,
            {page: page.removeprefix(base) for page in pages if page not in bad},
            what="the dict is",
        )
        lab.equal(sorted(failed), sorted(bad), what="the list of the failed, sorted, is")

    def waits(self, lab, log, base):
        busy = [asked for asked in log if asked.path == base + self.BUSY]
        pause = busy[1].arrived - busy[0].answered
        if pause < 0.95:
            raise Wrong(
                "pauses",
                f"{self.BUSY!r} got a 429 with Retry-After: 1. It "
                f"was asked for again after {pause:.2f} s.",
                *self.cut_off(lab),
                headline="came back too early",
            )
        silent = [asked for asked in log if asked.path == base + self.SILENT]
        if silent[1].arrived - silent[0].arrived > 1.5:
            raise Wrong(
                "time limit",
                f"{self.SILENT!r} hung, and was asked for again only "
                f"{silent[1].arrived - silent[0].arrived:.1f} s later.",
                lab.call_of("AsyncClient", "timeout"),
                "A try may take 0.3 s.",
                headline="hung with the page",
            )

    def cut_off(self, lab):
        """The line that makes a pause too short, and what to try."""
        limited = [
            node
            for node in lab.nodes()
            if isinstance(node, ast.AsyncWith)
            and "timeout" in ast.unparse(node.items[-1])
            or isinstance(node, ast.Call)
            and is_named(node.func, ("wait_for",))
        ]
        called = [
            ast.unparse(part.func)
            for node in limited
            for part in ast.walk(node)
            if isinstance(part, ast.Call)
        ]
        limited += [
            node
            for node in lab.nodes()
            if isinstance(node, ast.AsyncFunctionDef) and node.name in called
        ]
        slept = lab.earliest(
            *(
                part.lineno
                for node in limited
                for part in ast.walk(node)
                if isinstance(part, ast.Call) and is_named(part.func, ("sleep",))
            )
        )
        if slept:
            return slept, (
                "It sleeps within the limit of the try, which ends the sleep as well. The pause "
                "comes after the try."
            )
        return lab.earliest(lab.literal(429), lab.call_of("sleep")), (
            'Wait `float(response.headers["Retry-After"])` seconds.'
        )

    def told(self, lab, told, pages, failed):
        if len(told) != pages:
            raise Wrong(
                "counted wrong",
                f"There were {pages} pages, and `tell` was called {len(told)} times.",
                lab.call_of("tell"),
                "Once after each page, whether it is done or has failed.",
                headline="told wrong",
            )
        for number, counts in enumerate(told, 1):
            if (
                len(counts) != 2
                or not all(isinstance(each, int) for each in counts)
                or sum(counts) != number
            ):
                raise Wrong(
                    "counted wrong",
                    f"Call number {number} was `tell{counts}`.",
                    lab.call_of("tell"),
                    "How many are done, and how many have failed.",
                    headline="told wrong",
                )
        if told[-1] != (pages - failed, failed):
            raise Wrong(
                "counted wrong",
                f"The last call was `tell{told[-1]}`.",
                lab.call_of("tell"),
                "First how many are done, then how many have failed.",
                headline="told wrong",
            )

    def closed(self, lab, made):
        if len(made) > 1:
            raise Wrong(
                "client per request",
                f"It made {len(made)} clients.",
                lab.call_of("AsyncClient"),
                "Make one, around all of it.",
                headline="a new client for each request",
            )
        if made and not made[-1].is_closed:
            raise Wrong(
                "left open",
                "When it had ended, the client still held its connections.",
                lab.call_of("AsyncClient"),
            )

    def cancelled(self, crawl, lab, site, pages):
        lab.told("and cancelled it in the middle of its requests")
        with Clients(lab) as clients:

            async def scene():
                before = asyncio.all_tasks()
                crawling = asyncio.ensure_future(
                    lab.awaitable(crawl(site.url, pages * 5, 3, lambda *counts: None))
                )
                while not clients.flying and not crawling.done():
                    await asyncio.sleep(0.01)
                crawling.cancel()
                await asyncio.wait([crawling], timeout=1)
                left = asyncio.all_tasks() - before - {crawling}
                return crawling, [task for task in left if not task.done()]

            crawling, running = lab.run(scene(), leaks=True).result
        if not crawling.cancelled():
            if crawling.done() and crawling.exception():
                raise crawling.exception()
            raise Wrong(
                "swallowed",
                "It "
                + (
                    "returned as if nothing had happened."
                    if crawling.done()
                    else "still went on a second later."
                ),
                lab.handler(),
            )
        if running:
            raise Wrong(
                "leaked",
                f"I cancelled it, and {len(running)} of its tasks still ran.",
                lab.call_of("create_task", "ensure_future", "gather"),
            )
        if clients.made and not clients.made[-1].is_closed:
            close = lab.call_of("aclose")
            skipped = close and not lab.has_run(close)
            raise Wrong(
                "left open",
                "It ended, and the client was never closed.",
                close if skipped else lab.call_of("AsyncClient"),
                "Close it in a `finally`, or let an `async with` do it.",
                at="isn't reached after a cancellation" if skipped else "",
            )

    @right
    async def workers_of_one_group(url, pages, workers, tell):
        """Return the name of each page, and the pages that failed."""
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    async with asyncio.timeout(0.3):
                        response = await client.get(page)
                except (TimeoutError, httpx.TransportError):
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @right
    async def a_task_each(url, pages, workers, tell):
        names, failed, places = {}, [], asyncio.Semaphore(workers)

        async def visit(client, page):
            for attempt in range(6):
                pause = 0.02 * attempt
                async with places:
                    try:
                        async with asyncio.timeout(0.3):
                            response = await client.get(page)
                        response.raise_for_status()
                        names[page] = response.json()["name"]
                        break
                    except httpx.HTTPStatusError as error:
                        if error.response.status_code not in (429, 503):
                            failed.append(page)
                            break
                        pause = float(error.response.headers.get("Retry-After", pause))
                    except (TimeoutError, httpx.TransportError):
                        pass
                if attempt < 5:
                    await asyncio.sleep(pause)
            else:
                failed.append(page)
            tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url) as client, asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(visit(client, page))
        return names, failed

    one_worker_a_page = workers_of_one_group.but(
        "range(workers)", "pages", kind="limit", says="requests were in flight"
    )

    @wrong("retried", says="404")
    async def tries_whatever_it_was(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    gives_up_on_503 = workers_of_one_group.but(
        "elif response.status_code != 503", "else", kind="one failure ends all", says="Six tries"
    )

    waits_as_it_likes = workers_of_one_group.but(
        'float(response.headers["Retry-After"])',
        "0.1",
        kind="pauses",
        says="Retry-After",
    )

    waits_for_the_silent = workers_of_one_group.but(
        "timeout(0.3)", "timeout(30)", kind="time limit", says="httpx itself waits"
    )

    @wrong("counted wrong", says="whether it is done or has failed")
    async def tells_of_the_done(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                    tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("time limit", says="only limits each wait")
    async def by_the_clients_own_limit(url, pages, workers, tell):
        names, failed = {}, []

        async def one(client, page):
            for attempt in range(6):
                pause = 0.05
                try:
                    response = await client.get(page)
                    if response.status_code == 200:
                        names[page] = response.json()["name"]
                        break
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        failed.append(page)
                        break
                except httpx.TransportError:
                    pass
                if attempt < 5:
                    await asyncio.sleep(pause)
            else:
                failed.append(page)
            tell(len(names), len(failed))

        timeout, limits = httpx.Timeout(0.3, pool=None), httpx.Limits(max_connections=workers)
        async with httpx.AsyncClient(base_url=url, timeout=timeout, limits=limits) as client:
            async with asyncio.TaskGroup() as group:
                for page in pages:
                    group.create_task(one(client, page))
        return names, failed

    @wrong("one failure ends all", says="any `httpx.TransportError`")
    async def catches_time_outs_only(url, pages, workers, tell):
        names, failed, tap = {}, [], iter(pages)

        async def worker(client):
            for page in tap:
                for _ in range(6):
                    with contextlib.suppress(httpx.TimeoutException):
                        response = await client.get(page)
                        if response.status_code == 200:
                            names[page] = response.json()["name"]
                            break
                        if response.status_code == 404:
                            failed.append(page)
                            break
                        await asyncio.sleep(float(response.headers.get("Retry-After", 0.05)))
                else:
                    failed.append(page)
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("left open", says="never closed")
    async def closes_if_all_is_well(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        client = httpx.AsyncClient(base_url=url, timeout=0.3)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
        await client.aclose()
        return names, failed

    @wrong("leaked", says="its tasks still ran")
    async def workers_of_nobody(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            tasks = [asyncio.create_task(worker(client)) for _ in range(workers)]
            await asyncio.wait(tasks)
        return names, failed

    @wrong("sequential", says="At most 1 of 3")
    async def one_by_one(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            await worker(client)
        return names, failed


def said(tries):
    """The pages and what becomes of their tries, in words."""
    if len(tries) > 9:
        return f"{len(tries)} pages that answer at once"
    pages = []
    for page, outcomes in tries.items():
        words = []
        for outcome in (*outcomes, 200)[:6]:
            words.append(SAID.get(outcome) or getattr(outcome, "__name__", str(outcome)))
            if outcome in (404, 500, 200):  # that is the last try
                break
        pages.append(f"the page {page!r} (its tries end with {', then '.join(words)})")
    return " and ".join(pages) or "no pages"


def _giving_up(lab):
    """The `if` that looks at how many tries there were, or where a page is noted as failed."""
    return lab.condition("*tr[iy]*", "*attempt*") or lab.call_of("failed.*")
