"""Exercises for the tests of the coach: one of each form."""

import asyncio
import contextlib

import httpx

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class Together(Exercise):
    """Fetch every page at once

    Write `fetch_all(fetch, urls)`.

    - It returns the pages in order.
    - It waits no longer than the slowest.

        pages = await fetch_all(fetch, ["a", "b"])
    """

    id = "t-together"
    asks = "fetch_all"
    minutes, clock = 8, "virtual"
    hints = ("Nudge.", "Push.", "Nearly there: `asyncio.gather`.")

    def verify(self, fetch_all, lab):
        fetch = lab.service({"a": 3, "b": 1, "c": 2})
        run = lab.run(fetch_all, fetch, ["a", "b", "c"])
        lab.equal(run.result, ["page a", "page b", "page c"])
        lab.concurrent(run, longest=3, total=6)

    @right
    async def with_gather(fetch, urls):
        """Return the pages of `urls`, in order."""
        return await asyncio.gather(*(fetch(url) for url in urls))

    @right
    async def with_group(fetch, urls):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fetch(url)) for url in urls]
        return [task.result() for task in tasks]

    @wrong("sequential", says="It took 6 s; the longest single wait is 3 s.")
    async def one_by_one(fetch, urls):
        pages = []
        for url in urls:
            pages.append(await fetch(url))
        return pages

    @wrong("not awaited", says="`fetch`")
    async def only_calls(fetch, urls):
        return [fetch(url) for url in urls]

    @wrong("order")
    async def as_they_come(fetch, urls):
        return [await page for page in asyncio.as_completed([fetch(url) for url in urls])]

    @wrong("value", says="asked is ['page a', 'page b', 'page c']")
    async def loses_one(fetch, urls):
        return await asyncio.gather(*(fetch(url) for url in urls[1:]))

    @wrong("nested run")
    def starts_a_loop(fetch, urls):
        async def main():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return asyncio.run(main())

    @wrong("leaked", says="1 task")
    async def leaves_one(fetch, urls):
        asyncio.create_task(asyncio.sleep(100))
        return await asyncio.gather(*(fetch(url) for url in urls))

    @wrong("not async", says="at once")
    def not_async(fetch, urls):
        return [f"page {url}" for url in urls]


class Forgotten(Exercise):
    """Add up what two pages hold

    Each page that `fetch(name)` brings is a dict; its "items" are two numbers.
    """

    id = "t-forgotten"
    asks = "total"

    def verify(self, total, lab):
        pages = {"a": {"items": (1, 2)}, "b": {"items": (3, 4)}}
        fetch = lab.service({"a": 1, "b": 2}, results=pages)
        lab.equal(lab.run(total, fetch).result, 10)

    @right
    async def with_awaits(fetch):
        page = await fetch("a")
        other = await fetch("b")
        return sum(page["items"]) + sum(other["items"])

    @right
    async def with_gather(fetch):
        pages = await asyncio.gather(fetch("a"), fetch("b"))
        return sum(sum(page["items"]) for page in pages)

    equivalent = {"with_gather: gather in turn, line 5": "nobody looks at the time"}

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def an_item_of_it(fetch):
        page = fetch("a")
        other = await fetch("b")
        first = page["items"]
        return sum(first) + sum(other["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def an_attribute_of_it(fetch):
        page = fetch("a")
        other = await fetch("b")
        return sum(page.get("items")) + sum(other.get("items"))

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def goes_through_it(fetch):
        page = fetch("a")
        found = []
        for name in page:
            found.append(name)
        return 10

    @wrong("not awaited", says='leaves it there: `first = items("a")`')
    async def adds_it(fetch):
        async def items(name):
            return sum((await fetch(name))["items"])

        first = items("a")
        second = await items("b")
        return first + second

    @wrong("not awaited", says="leaves it there: `found = items()`")
    async def unpacks_it(fetch):
        async def items():
            return (await fetch("a"))["items"]

        found = items()
        await asyncio.sleep(1)
        one, two = found
        return one + two + 7

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def hands_it_on(fetch):
        page = fetch("a")
        other = await fetch("b")
        return sum(len(each) for each in (other, page)) + 8

    @wrong("not awaited", says='leaves it there: `pages = [fetch(name) for name in "ab"]`')
    async def a_list_of_them(fetch):
        pages = [fetch(name) for name in "ab"]
        found = 0
        for page in pages:
            found += sum(page["items"])
        return found

    @wrong("not awaited", says="leaves it there: `return fetch(name)`")
    async def in_a_function_of_its_own(fetch):
        async def one(name):
            return fetch(name)

        page = await one("a")
        other = await one("b")
        return sum(page["items"]) + sum(other["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def in_a_group(fetch):
        async def one():
            page = fetch("a")
            await asyncio.sleep(1)
            return sum(page["items"])

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()), group.create_task(fetch("b"))]
        return tasks[0].result() + 7

    @wrong("not awaited", says='leaves it there: `first = fetch("a")`')
    async def beside_others_that_wait_for_their_turn(fetch):
        before = [fetch("a"), fetch("b")]
        first = fetch("a")
        after = [fetch("a"), fetch("b")]
        known = first["items"]
        return sum(known) + len(await asyncio.gather(*before, *after))

    @wrong("not awaited", says='leaves it there: `found = fetch("b")["items"]`')
    async def in_the_line_itself(fetch):
        page = fetch("a")
        found = fetch("b")["items"]
        return sum(found) + sum((await page)["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def as_if_it_came_bit_by_bit(fetch):
        page = fetch("a")
        await asyncio.sleep(1)
        return [item async for item in page]

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def in_words(fetch):
        page = fetch("a")
        await asyncio.sleep(1)
        return f"{page:>10}"

    @wrong("not awaited", says='leaves it there: `name = fetch("a")`')
    async def as_a_key(fetch):
        name = fetch("a")
        await asyncio.sleep(1)
        return {"a": 3}[name] + 7

    @wrong("not awaited", says='leaves it there: `self.page = fetch("a")`')
    async def kept_in_an_object(fetch):
        class Shelf:
            def __init__(self):
                self.page = fetch("a")

            def items(self):
                return self.page.get("items")

        shelf = Shelf()
        waiting = fetch("b")
        return sum(shelf.items()) + sum((await waiting)["items"])

    @wrong("not awaited", says='leaves it there: `self.page = fetch("a")`')
    async def kept_in_an_object_of_a_failed_task(fetch):
        class Shelf:
            def __init__(self):
                self.page = fetch("a")

        async def one():
            shelf = Shelf()
            await asyncio.sleep(1)
            first, second = shelf.page
            return first + second

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()), group.create_task(fetch("b"))]
        return tasks[0].result() + 7

    @wrong("not awaited", says='leaves it there: `found = fetch("a")["items"]`')
    async def after_another_that_is_forgotten(fetch):
        fetch("b")
        found = fetch("a")["items"]
        return sum(found) + 7


class Real(Exercise):
    """The same on the real clock"""

    id = "t-real"
    asks = "fetch_all"
    clock = "real"

    def verify(self, fetch_all, lab):
        fetch = lab.service(0.02)
        run = lab.run(fetch_all, fetch, list("abcdefgh"))
        lab.equal(run.result, [f"page {url}" for url in "abcdefgh"])
        if fetch.peak == 1:
            lab.concurrent(run, longest=0.02, total=0.16)

    @right
    async def with_gather(fetch, urls):
        return await asyncio.gather(*(fetch(url) for url in urls))

    @wrong("sequential")
    async def one_by_one(fetch, urls):
        return [await fetch(url) for url in urls]


class Limited(Exercise):
    """At most two at once"""

    id = "t-limited"
    asks = "fetch_some"

    def verify(self, fetch_some, lab):
        fetch = lab.service(1)
        run = lab.run(fetch_some, fetch, list("abcdef"))
        lab.limited(fetch.peak, at_most=2)
        lab.equal(run.result, [f"page {url}" for url in "abcdef"])
        lab.concurrent(run, longest=3, total=6)

    @right
    async def with_semaphore(fetch, urls):
        gate = asyncio.Semaphore(2)

        async def one(url):
            async with gate:
                return await fetch(url)

        return await asyncio.gather(*(one(url) for url in urls))

    @wrong("limit", says="6 calls")
    async def gate_per_call(fetch, urls):
        async def one(url):
            async with asyncio.Semaphore(2):
                return await fetch(url)

        return await asyncio.gather(*(one(url) for url in urls))


class Guarded(Exercise):
    """Errors come out, cancellation passes"""

    id = "t-guarded"
    asks = "guarded"

    def verify(self, guarded, lab):
        fetch = lab.service(5)
        run = lab.run(guarded, fetch, cancel_after=1)
        if not fetch.cancelled:
            raise Wrong("not cancelled", f"It ended after {run.elapsed} s, before I cancelled it.")
        lab.run(guarded, lab.service(1, errors={"a": ValueError("no page")}), raises=ValueError)
        lab.equal(lab.run(guarded, lab.service(1)).result, "page a")

    @right
    async def passes(fetch):
        return await fetch("a")

    @wrong("swallowed", says="I cancelled it after 1 s")
    async def catches_all(fetch):
        try:
            return await fetch("a")
        except BaseException:
            return None

    @wrong("swallowed")
    async def goes_on(fetch):
        while True:
            try:
                return await fetch("a")
            except:
                pass

    @wrong("lost error", says="ValueError")
    async def loses_it(fetch):
        try:
            return await fetch("a")
        except Exception:
            return None

    @wrong("lost error")
    async def asks_for_results(fetch):
        return await asyncio.gather(fetch("a"), return_exceptions=True)

    @wrong("lost error")
    async def never_looks(fetch):
        asyncio.create_task(fetch("a"))
        await asyncio.sleep(2)


class Pipeline(Exercise):
    """Three workers, and a bounded queue between them and the source"""

    id = "t-pipeline"
    asks = "pump"

    def verify(self, pump, lab):
        work = lab.service(1, name="work")
        source = lab.stream(range(40), behind=work)
        lab.told("with a source of 40 items")
        run = lab.run(pump, source, work)
        lab.bounded(source, at_most=10)
        lab.concurrent(run, longest=14, total=40)

    @right
    async def bounded(source, work):
        queue = asyncio.Queue(3)

        async def worker():
            while (item := await queue.get()) is not None:
                await work(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(3):
                await queue.put(None)

    @wrong("unbounded", says="40 items had been taken from the source")
    async def no_limit(source, work):
        queue = asyncio.Queue()

        async def worker():
            while (item := await queue.get()) is not None:
                await work(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(3):
                await queue.put(None)

    @wrong("one sentinel", says="1 worker `worker` ended, 2 more still waited")
    async def one_for_all(source, work):
        queue = asyncio.Queue(3)

        async def worker():
            while (item := await queue.get()) is not None:
                await work(item)

        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(worker(), name=f"worker {number}")
            async for item in source:
                await queue.put(item)
            await queue.put(None)

    @wrong("deadlock")
    async def nobody_ever_ends(source, work):
        queue = asyncio.Queue(3)

        async def worker():
            while True:
                await work(await queue.get())

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)

    @wrong("full queue", says="QueueFull")
    async def never_waits(source, work):
        queue = asyncio.Queue(3)
        async for item in source:
            queue.put_nowait(item)


class Site(Exercise):
    """Ask a real server for thirty pages, over ten connections"""

    id = "t-site"
    asks = "fetch_pages"
    clock = "real"
    limit = 8

    def verify(self, fetch_pages, lab):
        site = lab.site(latency=0.1)
        urls = [f"{site.url}/api/v2/pokemon/{number}" for number in range(1, 31)]
        lab.told("with 30 addresses")
        run = lab.run(fetch_pages, urls)
        lab.equal(run.result, list(range(1, 31)))

    @right
    async def few_at_once(urls):
        limits = httpx.Limits(max_connections=10)
        gate = asyncio.Semaphore(10)
        async with httpx.AsyncClient(limits=limits, timeout=5) as client:

            async def one(url):
                async with gate:
                    return (await client.get(url)).json()["id"]

            return await asyncio.gather(*map(one, urls))

    @wrong("pool exhausted", says="PoolTimeout")
    async def all_at_once(urls):
        limits = httpx.Limits(max_connections=10)
        timeout = httpx.Timeout(5, pool=0.05)
        async with httpx.AsyncClient(limits=limits, timeout=timeout) as client:

            async def one(url):
                return (await client.get(url)).json()["id"]

            return await asyncio.gather(*map(one, urls))


class Take(Exercise):
    """Take the first few"""

    id = "t-take"
    asks = "take"

    def verify(self, take, lab):
        source = lab.source([10, 20, 30, 40])
        items = lab.generator(lab.call(take, source, 2))
        if source.taken:
            raise Wrong("eager", f"`take` took {source.taken} items before anybody asked.")
        lab.equal(list(items), [10, 20])
        if source.taken > 2:
            raise Wrong("one too many", f"I asked for 2 items; the source gave {source.taken}.")

    @right
    def with_range(source, n):
        """Yield the first `n` items of `source`."""
        for _ in range(n):
            yield next(source)

    @wrong("one too many", says="gave 3")
    def with_enumerate(source, n):
        for number, item in enumerate(source):
            if number == n:
                return
            yield item

    @wrong("not a generator", says="list")
    def builds_a_list(source, n):
        return [next(source) for _ in range(n)]


class Average(Exercise):
    """A running average that cleans up"""

    id = "t-average"
    asks = "average"

    def verify(self, average, lab):
        log = []
        talk = lab.generator(lab.call(average, log))
        next(talk)
        lab.equal([talk.send(10), talk.send(20)], [10, 15], what="it yielded")
        talk.close()
        lab.equal(log, ["closed"], what="the log holds")

    @right
    def with_finally(log):
        """Receive numbers, yield their average so far."""
        total = count = 0
        average = None
        try:
            while True:
                total += yield average
                count += 1
                average = total / count
        finally:
            log.append("closed")

    @wrong("ignored close")
    def swallows(log):
        total = count = 0
        average = None
        while True:
            try:
                total += yield average
                count += 1
                average = total / count
            except GeneratorExit:
                log.append("closed")

    @wrong("value", says="[]")
    def no_finally(log):
        total = count = 0
        average = None
        while True:
            total += yield average
            count += 1
            average = total / count


class Plain(Exercise):
    """A plain function"""

    id = "t-plain"
    asks = "double"

    def verify(self, double, lab):
        lab.equal(lab.call(double, 4), 8)

    @right
    def twice(number):
        return 2 * number

    @wrong("value", says="16")
    def squared(number):
        return number**2


class Opened(Exercise):
    """A context manager"""

    id = "t-manager"
    asks = "opened"

    def verify(self, opened, lab):
        log = []
        try:
            with lab.call(opened, log):
                log.append("inside")
                raise KeyError
        except KeyError:
            log.append("out")
        lab.equal(log, ["open", "inside", "closed", "out"], what="the log holds")

    @contextlib.contextmanager
    @right
    def with_finally(log):
        """Log that it is open, and that it is closed again."""
        log.append("open")
        try:
            yield
        finally:
            log.append("closed")

    @wrong("value", says="['open', 'inside', 'out']")
    @contextlib.contextmanager
    def without(log):
        log.append("open")
        yield
        log.append("closed")


class Ticker(Exercise):
    """A class"""

    id = "t-class"
    asks = "Ticker"

    def verify(self, Ticker, lab):
        ticker = lab.call(Ticker, 3)
        lab.equal([ticker.tick(), ticker.tick()], [2, 1], what="two ticks gave")

    @right
    class Counting:
        """Counts down."""

        def __init__(self, start):
            self.left = start

        def tick(self):
            """Return what is left."""
            self.left -= 1
            return self.left

    @wrong("value", says="[3, 2]")
    class TooLate:
        def __init__(self, start):
            self.left = start

        def tick(self):
            self.left -= 1
            return self.left + 1


class Shelf(Exercise):
    """A class with a coroutine function, which the check awaits by itself"""

    id = "t-shelf"
    asks = "Shelf"

    def verify(self, Shelf, lab):
        async def main():
            task = asyncio.ensure_future(lab.awaitable(lab.call(Shelf).fetch(3), "fetch"))
            return await task

        lab.equal(lab.run(main()).result, "book 3")

    @right
    class Async:
        """Keeps books."""

        async def fetch(self, number):
            """Return a book."""
            return f"book {number}"

    @right
    class FromAThread:
        def fetch(self, number):
            return asyncio.to_thread("book {}".format, number)

    @wrong(
        "not async",
        says="`fetch` returned 'book 3' at once: there is nothing to await.\n"
        "Line 2: `def fetch(self, number):`.\nBegin it with `async def`.",
    )
    class Plain:
        def fetch(self, number):
            return f"book {number}"

    @wrong("not async", says="`fetch` returned an async generator.\nLine 3: `yield")
    class Generator:
        async def fetch(self, number):
            yield f"book {number}"


class Predict(Exercise):
    """Predict the wall time"""

    id = "t-predict"
    asks = "seconds"
    right_values = (3,)
    wrong_values = (wrong_value(6, "added up", "6 s is the sum."), wrong_value(5, "value", "5"))


class Classify(Exercise):
    """Waiting or working?"""

    id = "t-classify"
    asks = "kinds"
    right_values = ({"download": "waiting", "sort": "working", "lunch": "waiting"},)
    wrong_values = (
        wrong_value(
            {"download": "working", "sort": "working", "lunch": "waiting"},
            "value",
            "'download' is not",
        ),
        wrong_value(
            {"download": "waiting", "sort": ..., "lunch": "waiting"}, "value", "still stands"
        ),
        wrong_value({"download": "waiting", "sort": "working"}, "value", "is missing"),
        wrong_value(["waiting"], "value", "asked is a dict"),
    )
