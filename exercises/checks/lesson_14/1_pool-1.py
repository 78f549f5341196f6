"""Long, for more requests than five start, or fewer, for many reasons."""

import ast
import asyncio
import contextlib

import httpx

from helpers.basics.words import count, listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import holds, is_named, uses

AROUND_THE_AWAIT = (
    "A task that was started goes on by itself. Hold the place until the answer is there: put the "
    "`async with` around the `await`, in the task."
)


def _limit_above(places, lab, known):
    """The line whose number lets in more than so many: that of a semaphore, of a row, or one that
    is compared; None if there is none. known: names of the cell that may stand for a number.
    """
    counted = []
    for node in lab.nodes():
        if isinstance(node, ast.Call) and is_named(
            node.func, ("*Semaphore", "range", "islice", "batched", "*Queue")
        ):
            counted += [(part, 0) for part in (*node.args, *(one.value for one in node.keywords))]
        elif isinstance(node, ast.Slice):
            counted.append((node.upper, 0))
        elif isinstance(node, ast.Assign):
            counted.append((node.value, 0))
        elif isinstance(node, ast.Compare):
            # Who goes on while there are `<= 5`, or waits only when there are `> 5`, lets in six.
            more = isinstance(node.ops[0], (ast.LtE, ast.Gt))
            counted.append((node.comparators[0], int(more)))
    found = []
    for part, more in counted:
        number = known.get(part.id) if isinstance(part, ast.Name) else getattr(part, "value", None)
        if type(number) is int and number + more > places:
            found.append(part.lineno)
    return lab.earliest(*found)


def _is_only(error, kind):
    """Whether this is such an error, or a group of nothing else."""
    parts = getattr(error, "exceptions", None)
    return all(_is_only(part, kind) for part in parts) if parts else isinstance(error, kind)


def _of_a_set(lab):
    """The line that goes through the set of what is done, else the `asyncio.wait` that gives it."""
    for node in lab.nodes():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            done = getattr(node.targets[0].elts[0], "id", None)
            if holds(node.value, "wait") and done and (line := lab.for_loop(done)):
                return line
    return lab.call_of("asyncio.wait") or lab.call_of("set", given="pages")


def _left_at_once(lab):
    """The `async with` whose block starts a task and awaits nothing: the task goes on when it is
    left.
    """
    for node in lab.nodes():
        if isinstance(node, ast.AsyncWith) and uses(("create_task", "ensure_future"), node):
            inside = [part for statement in node.body for part in ast.walk(statement)]
            waits = (ast.Await, ast.AsyncFor, ast.AsyncWith)
            group = any(holds(item.context_expr, "TaskGroup") for item in node.items)
            if not group and not any(isinstance(part, waits) for part in inside):
                return node.lineno
    return None


def _share(lab):
    """The line that deals a worker its own share of the pages; None if there is none."""
    dealt = [node for node in lab.nodes() if isinstance(node, ast.Slice)]
    dealt += [
        node
        for node in lab.nodes()
        if isinstance(node, ast.Call) and is_named(node.func, ("range",)) and len(node.args) == 3
    ]
    # A slice tells more than the numbers that it is cut by.
    return dealt[0].lineno if dealt else None


class WithinThePool(Exercise):
    """Keep within the pool

    `client` is an `httpx.AsyncClient` with five connections. A request that finds none free
    waits 0.1 s, then fails with a `PoolTimeout`. Write `fetch_names(client, pages)`. It asks for
    all the pages and returns the list of their names, `response.json()["name"]`, in the order of
    `pages`.

    - Five requests are in flight at once, as long as there are pages left: as soon as one is
      answered, the next is sent.
    - Leave the client and its timeouts as they are.
    """

    id = "pool-1"
    asks = "fetch_names"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "How many requests can be in flight at once if none may wait for a connection?",
        "A semaphore made once, outside of the function that asks for one page, lets five in.",
        "`places = asyncio.Semaphore(5)`, and around each request `async with places:`. Then "
        "start all of them in a TaskGroup, and read their results in order.",
    )

    SLOW, QUICK = 0.7, 0.2
    MANY = {f"/{number}": str(number) for number in range(20)}
    PATIENCE = 0.5  # seconds of real time that a slow page waits for all the others to be asked for

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
                got = await lab.awaitable(fetch_names(client, list(pages)))
                if client.is_closed:
                    raise Wrong(
                        "changed",
                        "It closed `client`, so its caller can ask for nothing more.",
                        lab.async_with("client") or lab.call_of("aclose"),
                        "It belongs to the caller. Use it, and leave it open.",
                        headline="closed the client",
                    )
                return got

        lab.told(
            f"with {len(pages)} pages, of which the first takes {self.SLOW} s and the "
            f"others {self.QUICK} s"
        )
        try:
            run = lab.run(scene())
        except (httpx.PoolTimeout, ExceptionGroup) as error:
            if not _is_only(error, httpx.PoolTimeout):
                raise
            observed = "A request found no connection in time: PoolTimeout."
            if line := _limit_above(5, lab, getattr(fetch_names, "__globals__", {})):
                at = "lets in more than five"
                raise Wrong("pool exhausted", observed, line, at=at) from None
            if line := _left_at_once(lab):
                at = "gives its place back before the answer is there"
                raise Wrong("pool exhausted", observed, line, AROUND_THE_AWAIT, at=at) from None
            raise
        if isinstance(run.result, list) and any(isinstance(x, Exception) for x in run.result):
            errors = [x for x in run.result if isinstance(x, Exception)]
            raise Wrong(
                "error for a result",
                f"{len(errors)} of the {len(pages)} names are a {type(errors[0]).__name__}.",
                lab.earliest(lab.keyword("return_exceptions"), lab.handler()),
                "Nothing went wrong at the server: there were more requests than "
                "connections. Start no more at once than the client has.",
                headline="kept the errors",
            )
        log = site.log()
        if len(log) < len(pages) and len(patience) >= len(pages):
            raise Wrong(
                "pool exhausted",
                f"The server was asked for {len(log)} of the "
                f"{len(pages)} pages; the other requests found no connection in time.",
                lab.earliest(lab.handler(), lab.keyword("return_exceptions")),
            )
        lab.equal(run.result, names, line=_of_a_set(lab))
        if len(patience) > len(pages):
            raise Wrong(
                "done twice",
                f"For {len(pages)} pages it sent {len(patience)} requests: "
                f"{len(patience) - len(pages)} of them found no connection in time.",
                lab.earliest(lab.handler(), lab.keyword("return_exceptions")),
                "A request that finds no connection need not be tried again: it need not "
                "be started before there is one.",
                headline="asked twice",
            )
        if len({asked.connection for asked in log}) > 5:
            raise Wrong(
                "client per request",
                f"The server saw {len({asked.connection for asked in log})} "
                "connections; the pool has five.",
                lab.call_of("*Client"),
                "Use the client that you were given.",
                headline="made other connections",
            )
        if set(patience) != {0.1}:
            off = set(patience) == {None}
            raise Wrong(
                "changed",
                "The requests went out with the client's timeout of 0.1 s for the pool switched "
                "off."
                if off
                else "The requests went out with a pool timeout other than the client's 0.1 s.",
                lab.earliest(
                    lab.call_of("timeout*"), lab.keyword("timeout"), lab.assigned("timeout")
                ),
                "Leave the timeouts as they are. Send a request only when a connection is free for "
                "it: then none waits."
                if off
                else "A longer timeout only moves the limit. Keep within the pool.",
                headline="changed the timeouts",
            )
        slow = next(asked for asked in log if asked.path == pages[0])
        if site.peak() == 1:
            raise Wrong(
                "sequential",
                "The server never had more than one request in flight.",
                lab.await_of(),
            )
        if site.peak() < 5:
            raise Wrong(
                "idle places",
                f"At most {site.peak()} requests were in flight at once; the pool has five "
                f"connections.",
                lab.call_of("*Semaphore", "range"),
                "Let in as many as there are connections.",
            )
        if sum(asked.arrived < slow.answered for asked in log) <= 5:
            oldest = lab.await_of("popleft", "pop")
            waits = oldest or lab.call_of("gather", "TaskGroup", "asyncio.wait")
            raise Wrong(
                "batch barrier",
                "While the slow page was in flight, four places stood empty: nothing new was sent.",
                waits or lab.call_of("range", "batched"),
                "Send the next request as soon as any place is free: workers on one queue, or a "
                "semaphore.",
                headline="waited for the oldest request" if oldest else "waited for a whole batch",
                at="waits for the slowest of its batch" if waits and not oldest else "",
            )

    @sweep(
        lambda some: {
            "pages": some.lists(some.sampled_from(["/a", "/b", "/c"]), max_size=8),
            "names": some.fixed_dictionaries(
                {page: some.sampled_from(["", None, "pidgey"]) for page in ("/a", "/b", "/c")}
            ),
            "slow": some.sampled_from(((), (0,), (0, 1, 2, 3), (1, 2, 3, 4), (5,))),
        },
        besides=[
            {"pages": ["/a"] * 30, "names": {"/a": "pidgey"}, "slow": ()},
            {"pages": list(MANY), "names": MANY, "slow": (0, 1, 3, 4)},
        ],
        most=8,
    )
    def any_pages(self, fetch_names, lab, pages, names, slow):
        told = f"with the pages {pages}, whose names are { {page: names[page] for page in pages} }"
        if slow:
            numbers = listed(str(number + 1) for number in slow)
            are = "requests number {} are" if slow[1:] else "request number {} is"
            shown = f"the pages {pages}" if len(pages) < 9 else f"{len(pages)} pages"
            told = f"with {shown}; {are.format(numbers)} slow"
        lab.told(told)
        flying, asked, unasked = [], [], set()

        async def answer(request):
            number = len(asked)
            asked.append(request.url.path)
            flying.append(request)
            lab.limited(len(flying), 5, "requests")
            if set(asked) == set(pages):
                all_asked.set()
            if number in slow:
                # It is as slow as it takes until all are asked for by way of the other places.
                try:
                    async with asyncio.timeout(self.PATIENCE):
                        await all_asked.wait()
                except TimeoutError:
                    unasked.update(set(pages) - set(asked))
                    all_asked.set()
            await asyncio.sleep(0.001)
            flying.remove(request)
            return httpx.Response(200, json={"name": names[request.url.path]})

        async def scene():
            nonlocal all_asked
            all_asked = asyncio.Event()
            transport = httpx.MockTransport(answer)
            async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
                return await lab.awaitable(fetch_names(client, pages))

        all_asked = None
        run = lab.run(scene())
        if unasked:
            raise Wrong(
                "idle places",
                f"While these {len(slow)} were in flight, the rest of the five connections stood "
                f"empty, and {count(len(unasked), 'page')} went unasked for.",
                _share(lab) or lab.call_of("range"),
                "As soon as any request is done, send the next, whichever worker it was: let all "
                "of them take from the same pages.",
            )
        if run.error:
            raise run.error
        return run.result

    equivalent = {"with_five_workers: other exceptions, line 11": "no request fails"}

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

    @wrong("error for a result", says="PoolTimeout")
    async def takes_errors_for_names(client, pages):
        async def name(page):
            return (await client.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages), return_exceptions=True)

    @wrong("changed", says="only moves the limit")
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

    @wrong("done twice", says="found no connection in time")
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

    @wrong("idle places", says="At most 2")
    async def two_places(client, pages):
        places = asyncio.Semaphore(2)

        async def name(page):
            async with places:
                return (await client.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages))

    @wrong("client per request", says="the client that you were given")
    async def a_client_each(client, pages):
        async def name(page):
            async with httpx.AsyncClient(base_url=client.base_url) as own:
                return (await own.get(page)).json()["name"]

        return await asyncio.gather(*map(name, pages))
