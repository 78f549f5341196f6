"""Exercises of lesson 16: pipelines of queues and workers."""

import asyncio
import collections
import inspect
import time

from helpers.basics.backports import Queue, QueueShutDown
from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

SOON = 1e-6  # seconds: virtual times that differ by less are the same moment


def now():
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()


def with_workers(seconds, workers):
    """How long so many workers take, each of whom takes the next item when it is free."""
    free = [0.0] * workers
    for each in seconds:
        earliest = free.index(min(free))
        free[earliest] += each
    return max(free)


def in_batches(seconds, size):
    """How long batches of that size take, one after another."""
    return sum(max(seconds[n : n + size]) for n in range(0, len(seconds), size))


def or_one(seconds):
    """A dict of seconds in which what was never asked for, a sentinel, takes one."""
    return collections.defaultdict(lambda: 1, seconds)


def noting_the_end(service):
    """The same service; its `ended` is when the last call of it ended."""

    async def fetch(argument):
        try:
            return await service(argument)
        finally:
            fetch.ended = now()

    fetch.ended = 0.0
    fetch.__name__ = fetch.__qualname__ = service.__name__
    return fetch


class Bound(Exercise):
    """How fast can it be?

    A pipeline has three stages, and 100 items pass through it:

    - "read" takes 0.02 s for an item, with one worker;
    - "fetch" takes 0.3 s, with 10 workers;
    - "save" takes 0.05 s, with 2 workers.

    Set `answers` to a dict of three entries. "slowest": the name of the stage that sets the pace.
    "seconds": the bound for all 100 items, as the lesson computes it. "workers": with how many
    workers "fetch" would keep up with "read".
    """

    id = "bound-1"
    asks = "answers"
    minutes = 5
    hints = (
        "How many items a second does each stage finish?",
        "A stage finishes `workers / seconds` items a second. And one item alone passes through "
        "all three stages.",
        "The bound is the way of one item, 0.37 s, and what the slowest stage needs for the items "
        "that its busiest worker has besides. How many can be in a place where 50 come in a "
        "second and each stays for 0.3 s?",
    )
    right_values = ({"slowest": "fetch", "seconds": 3.07, "workers": 15},)
    wrong_values = (
        wrong_value(
            {"slowest": "fetch", "seconds": 37, "workers": 15},
            "added up",
            "37 s is 100 times the way of one item: that is one item after another. In a "
            "pipeline all stages work at once.",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.0, "workers": 15},
            "forgot the ends",
            "3 s is what the slowest stage works. It can't begin before the first item is "
            "read, and the last one has still to be saved.",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.37, "workers": 15},
            "counted one twice",
            "0.37 s already holds 0.3 s for one item of the slowest stage.",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.07, "workers": 6},
            "the wrong rate",
            '6 workers finish 20 items a second. How many does "read" give?',
        ),
        wrong_value(
            {"slowest": "read", "seconds": 2.35, "workers": 15},
            "the wrong stage",
            'A single worker is not the slowest for that: "read" finishes 50 items a '
            "second. What do the two others finish?",
        ),
        wrong_value(
            {"slowest": "save", "seconds": 2.82, "workers": 15},
            "the wrong stage",
            '"save" finishes 2 / 0.05 items a second. What do the two others finish?',
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 2.35, "workers": 15},
            "the wrong stage",
            '2.35 s is the bound that "read" sets. There is a slower stage.',
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 2.82, "workers": 15},
            "the wrong stage",
            '2.82 s is the bound that "save" sets. There is a slower stage.',
        ),
    )

    def verify(self, answers, lab):
        asked = self.right_values[0]
        if isinstance(answers, dict):
            for belief in self.wrong_values:
                name = next(name for name in asked if belief.value[name] != asked[name])
                if answers.get(name) == belief.value[name]:
                    raise Wrong(belief.kind, belief.says, try_="")
        lab.equal(answers, asked, what="`answers` is", secret=True)


class AllWorkersEnd(Exercise):
    """All workers come to their end

    `fetch(url)` is a coroutine function. Write `fetch_all(fetch, urls, workers)`: it fetches all
    `urls` and returns a dict from each of them to its page.

    At most `workers` fetches are under way at once, and as long as there is something left to
    begin, no fewer. When it returns, nothing of it runs any more. There may be fewer urls than
    workers. (Let the workers take the urls from one queue. `Queue.shutdown` for every Python comes
    by `from helpers.basics.backports import Queue, QueueShutDown`.)
    """

    id = "workers-1"
    asks = "fetch_all"
    minutes = 10
    hints = (
        "Each worker is a coroutine that takes a url, fetches it, and takes the next. How does "
        "each of them learn that there is no more?",
        "A sentinel ends the worker that takes it, and no other.",
        "Put all urls and then `None` once for each worker, or `queue.shutdown()`; then start the "
        "workers in an `async with asyncio.TaskGroup()`.",
    )

    def verify(self, fetch_all, lab):
        seconds = {"a": 3, "b": 1, "c": 1, "d": 1, "e": 3, "f": 1, "g": 1}
        for workers, urls in (2, list("abcdefg")), (3, list("abcdefg")), (4, ["b"]), (2, []):
            service = lab.service(or_one(seconds))
            fetch = noting_the_end(service)
            run = lab.run(fetch_all, fetch, urls, workers)
            extra = [url for url in service.calls if url not in urls]
            if extra:
                raise Wrong(
                    "fetched the sentinel",
                    f"`fetch` was called with {extra[0]!r}.",
                    lab.line(r"fetch\("),
                    "Look at what you got before you fetch it.",
                )
            lab.equal(run.result, {url: f"page {url}" for url in urls})
            if len(service.calls) > len(urls):
                raise Wrong(
                    "fetched twice",
                    f"{len(urls)} urls were given, and {len(service.calls)} fetched.",
                    try_="An item that a worker has taken is its own.",
                )
            lab.limited(service.peak, at_most=workers, what="fetches")
            if run.elapsed > fetch.ended + SOON:
                raise Wrong(
                    "ended late",
                    f"The last page was there at {fetch.ended:g} s, and it "
                    f"returned at {run.elapsed:g} s.",
                    lab.line(r"wait_for|timeout|sleep"),
                    "A worker need not guess the end: tell it, by a sentinel of its own "
                    "or by `queue.shutdown()`.",
                )
            self._pace(lab, run, [seconds[url] for url in urls], workers)

    def _pace(self, lab, run, seconds, workers):
        best = with_workers(seconds, workers)
        if run.elapsed <= best + SOON:
            return
        took = f"It took {run.elapsed:g} s; {workers} workers need {best:g} s for them."
        if abs(run.elapsed - sum(seconds)) < SOON:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.line("await fetch"))
        if abs(run.elapsed - in_batches(seconds, workers)) < SOON:
            raise Wrong("batch barrier", took, lab.line(r"gather|TaskGroup|wait\("))
        raise Wrong(
            "left a worker idle",
            took,
            lab.line("sleep"),
            "A worker that is free takes the next url at once: `await queue.get()` wakes "
            "it in that moment.",
        )

    @right
    async def one_sentinel_each(fetch, urls, workers):
        """Fetch all `urls` with so many workers; return a dict from url to page."""
        queue, pages = asyncio.Queue(), {}
        for item in [*urls, *[None] * workers]:
            queue.put_nowait(item)

        async def worker():
            while (url := await queue.get()) is not None:
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @right
    async def shuts_the_queue_down(fetch, urls, workers):
        queue, pages = Queue(), {}

        async def worker():
            while True:
                try:
                    url = await queue.get()
                except QueueShutDown:
                    return
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            for url in urls:
                await queue.put(url)
            queue.shutdown()
        return pages

    @right
    async def puts_it_back(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for item in [*urls, None]:
            queue.put_nowait(item)

        async def worker():
            while (url := await queue.get()) is not None:
                pages[url] = await fetch(url)
            queue.put_nowait(None)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @right
    async def joins_and_cancels(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for url in urls:
            queue.put_nowait(url)

        async def worker():
            while True:
                url = await queue.get()
                try:
                    pages[url] = await fetch(url)
                finally:
                    queue.task_done()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            await queue.join()
            for task in tasks:
                task.cancel()
        return pages

    @wrong("one sentinel", says="1 worker `worker` ended, 1 more still waited")
    async def one_for_all(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for item in [*urls, None]:
            queue.put_nowait(item)

        async def worker():
            while (url := await queue.get()) is not None:
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @wrong("deadlock", says="Queue.get")
    async def no_end_at_all(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for url in urls:
            queue.put_nowait(url)

        async def worker():
            while True:
                url = await queue.get()
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @wrong("leaked", says="2 tasks still ran")
    async def joins_and_leaves_them(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for url in urls:
            queue.put_nowait(url)

        async def worker():
            while True:
                url = await queue.get()
                pages[url] = await fetch(url)
                queue.task_done()

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        await queue.join()
        return pages

    @wrong("batch barrier", says="It took 8 s; 2 workers need 6 s")
    async def gathers_batches(fetch, urls, workers):
        pages = {}
        for first in range(0, len(urls), workers):
            batch = urls[first : first + workers]
            for url, page in zip(batch, await asyncio.gather(*map(fetch, batch))):
                pages[url] = page
        return pages

    @wrong("limit", says="at most 2 may be")
    async def all_at_once(fetch, urls, workers):
        pages = await asyncio.gather(*map(fetch, urls))
        return dict(zip(urls, pages))

    @wrong("fetched the sentinel", says="called with None")
    async def looks_too_late(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for item in [*urls, *[None] * workers]:
            queue.put_nowait(item)

        async def worker():
            url = ""
            while url is not None:
                url = await queue.get()
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @wrong("raised", says="`get_nowait` never waits for an item")
    async def does_not_wait(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for url in urls:
            queue.put_nowait(url)

        async def worker():
            while True:
                url = queue.get_nowait()
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @wrong("raised", says="catch it where the worker ends")
    async def lets_it_out(fetch, urls, workers):
        queue, pages = Queue(), {}

        async def worker():
            while True:
                url = await queue.get()
                pages[url] = await fetch(url)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            for url in urls:
                await queue.put(url)
            queue.shutdown()
        return pages

    @wrong("ended late", says="need not guess the end")
    async def gives_up_after_a_while(fetch, urls, workers):
        queue, pages = asyncio.Queue(), {}
        for url in urls:
            queue.put_nowait(url)

        async def worker():
            try:
                while True:
                    url = await asyncio.wait_for(queue.get(), 1)
                    pages[url] = await fetch(url)
            except TimeoutError:
                pass

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return pages

    @wrong("sequential")
    async def one_worker(fetch, urls, workers):
        pages = {}
        for url in urls:
            pages[url] = await fetch(url)
        return pages


class Feed(Exercise):
    """Feed slow workers

    `source` is an async iterator whose items come quickly, and there may be millions of them.
    `send(item)` is a coroutine function that takes a while. Write `feed(source, send, workers,
    size)`: it sends all items with so many workers, through a queue of at most `size` items, and
    returns when all are sent.

    So at most `size` items wait in the queue, one more is in the hand of whoever wants to put it
    there, and each worker has one. None of them may be idle while an item waits.
    """

    id = "feed-1"
    asks = "feed"
    minutes = 10
    hints = (
        "What does a put do when the queue is full? Which of the two puts?",
        "`asyncio.Queue(size)` and `await queue.put(item)`. The workers must run already when you "
        "begin to put.",
        "In an `async with asyncio.TaskGroup()` start the workers, then `async for item in source` "
        "put each, then put `None` for each worker (or shut the queue down).",
    )

    def verify(self, feed, lab):
        for items, workers, size in (30, 3, 5), (2, 4, 1), (12, 1, 2), (13, 3, 1):
            seconds = [3 if item % 5 == 0 else 1 for item in range(items)]
            send = lab.service(or_one(enumerate(seconds)), name="send")
            source = lab.stream(range(items), behind=send)
            run = lab.run(feed, source, noting_the_end(send), workers, size)
            self._all_sent(lab, send, items)
            lab.limited(send.peak, at_most=workers, what="items")
            lab.bounded(source, at_most=size + 1 + workers)
            best = with_workers(seconds, workers)
            if run.elapsed > best + SOON:
                took = (
                    f"It took {run.elapsed:g} s; {workers} workers need {best:g} s for "
                    f"{items} items of 1 or 3 s."
                )
                if workers > 1 and abs(run.elapsed - in_batches(seconds, workers)) < SOON:
                    raise Wrong("batch barrier", took, lab.line(r"gather|TaskGroup|wait\("))
                raise Wrong(
                    "left a worker idle",
                    took,
                    lab.line(r"sleep\(|timeout|wait_for"),
                    "Whoever waits for room or for an item must be woken in that moment: "
                    "`await queue.put(item)`, `await queue.get()`.",
                )

    def _all_sent(self, lab, send, items):
        missing = set(range(items)) - set(send.finished)
        if 0 in missing and len(missing) <= 2:
            raise Wrong(
                "took an item for the end",
                "Item 0 was not sent.",
                lab.line(r"while.*get\(|if\b"),
                "0 counts as false, and is an item like any other: compare with `is not None`.",
            )
        if missing:
            raise Wrong(
                "lost items",
                f"Of {items} items {len(missing)} were not sent when it returned.",
                lab.line(r"cancel\(\)|immediate"),
                "Wait until the workers have done what is left in the queue.",
            )
        extra = [item for item in send.calls if item not in range(items)]
        if extra:
            raise Wrong(
                "sent the sentinel",
                f"`send` was called with {extra[0]!r}.",
                lab.line(r"send\("),
                "Look at what you got before you send it.",
            )
        if len(send.calls) > items:
            raise Wrong("sent twice", f"{items} items came, and {len(send.calls)} were sent.")

    @right
    async def with_sentinels(source, send, workers, size):
        """Send all items of `source` with so many workers and a queue of at most `size`."""
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @right
    async def with_shutdown(source, send, workers, size):
        queue = Queue(size)

        async def worker():
            try:
                while True:
                    await send(await queue.get())
            except QueueShutDown:
                pass

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            queue.shutdown()

    @right
    async def with_join(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while True:
                await send(await queue.get())
                queue.task_done()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            async for item in source:
                await queue.put(item)
            await queue.join()
            for task in tasks:
                task.cancel()

    @wrong("unbounded", says="30 items had been taken")
    async def without_a_bound(source, send, workers, size):
        queue = asyncio.Queue()

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("full queue", says="never waits for room")
    async def puts_without_waiting(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                queue.put_nowait(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("unbounded")
    async def a_task_for_each(source, send, workers, size):
        places = asyncio.Semaphore(workers)

        async def one(item):
            async with places:
                await send(item)

        async with asyncio.TaskGroup() as group:
            async for item in source:
                group.create_task(one(item))

    @wrong("spin")
    async def asks_for_room(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                while queue.full():
                    await asyncio.sleep(0)
                queue.put_nowait(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("left a worker idle", says="30 items of 1 or 3 s")
    async def looks_for_room_now_and_then(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                while queue.full():
                    await asyncio.sleep(30)
                queue.put_nowait(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("deadlock", says="Queue.put")
    async def puts_before_anybody_takes(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)
        await asyncio.gather(*(worker() for _ in range(workers)))

    @wrong("sent the sentinel", says="called with None")
    async def looks_too_late(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            item = ...
            while item is not None:
                item = await queue.get()
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("batch barrier", says="3 workers need 14 s")
    async def in_batches(source, send, workers, size):
        batch = []
        async for item in source:
            batch.append(item)
            if len(batch) == workers:
                await asyncio.gather(*map(send, batch))
                batch = []
        await asyncio.gather(*map(send, batch))

    @wrong("took an item for the end", says="0 counts as false")
    async def asks_whether_it_is_true(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while item := await queue.get():
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("left a worker idle", says="woken in that moment")
    async def looks_for_room(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                while queue.full():
                    await asyncio.sleep(0.1)
                queue.put_nowait(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("lost items", says="were not sent when it returned")
    async def cancels_too_early(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while True:
                await send(await queue.get())

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            async for item in source:
                await queue.put(item)
            for task in tasks:
                task.cancel()


class Details:
    """What has to be done with each number: it notes when each begins and ends."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.begun, self.ended = {}, {}
        self.peak = 0
        self.wrong = None  # raised after the run: the answer's own TaskGroup would wrap it up

    async def details(self, number):
        if number in self.begun:
            self.wrong = self.wrong or Wrong(
                "did one twice",
                f"`details` was called twice with {number!r}.",
                try_="An item that was taken from the queue is done once.",
            )
        elif number not in self.seconds:
            self.wrong = self.wrong or Wrong(
                "did the sentinel",
                f"`details` was called with {number!r}.",
                try_="Look at what you got before you begin with it.",
            )
        else:
            self.begun[number] = now()
            self.peak = max(self.peak, len(self.begun) - len(self.ended))
            await asyncio.sleep(self.seconds[number])
            self.ended[number] = now()


class Taken(asyncio.Queue):
    """A queue that notes how many items at most had been taken and were not done yet."""

    def __init__(self, details):
        super().__init__()
        self.details = details
        self.taken = self.ahead = 0

    def get_nowait(self):
        item = super().get_nowait()
        if item is not None:
            self.taken += 1
            self.ahead = max(self.ahead, self.taken - len(self.details.ended))
        return item


class Consumer(Exercise):
    """A consumer without batches

    This is how a published consumer goes about it, as you saw in the lesson:

        while consumer_active:
            await asyncio.sleep(0.05)
            ...                          # take all that is in the queue, until None comes
            await asyncio.gather(*(details(number) for number in batch))

    Write a better `consumer(queue, details, at_most)`. It takes numbers from `queue` until it gets
    `None`, calls `await details(number)` for each, and returns when all have ended. A number
    begins in the moment in which it is in the queue and fewer than `at_most` are under way. What
    can't begin yet stays in the queue (you may hold one in your hand).
    """

    id = "consumer-1"
    asks = "consumer"
    minutes = 10
    hints = (
        "What wakes you in the moment in which something is in the queue?",
        "Either `at_most` workers, who pass the `None` on to each other, or a semaphore.",
        "With a semaphore: acquire a place *before* you take a number; give it to a task in a "
        "TaskGroup, and release it when that task is done.",
    )

    arrivals = ((0, 1), (0, 2), (0.1, 3), (0.2, 4), (0.3, 5), (0.4, 6), (1.9, 7), (5, 8), (5.01, 9))
    seconds = {1: 3, 2: 1.003, 3: 1.007, 4: 0.504, 5: 1.006, 6: 0.503, 7: 1, 8: 1, 9: 1}

    def verify(self, consumer, lab):
        for at_most in (3, 1):
            lab.told(
                f"with `at_most={at_most}`; the numbers came at "
                + ", ".join(f"{when:g}" for when, _ in self.arrivals)
                + " s"
            )
            details = Details(self.seconds)
            queue = Taken(details)
            try:
                lab.run(self._play(consumer, queue, details, at_most))
            except Exception:
                if details.wrong is None:
                    raise
            if details.wrong is not None:
                raise details.wrong
            if queue.taken < len(self.seconds):
                raise Wrong(
                    "ended too early",
                    f"It returned when {queue.taken} of "
                    f"{len(self.seconds)} numbers had come, and `None` had not.",
                    lab.line("empty|while|for"),
                    "An empty queue says that nothing is there now, not that no more will "
                    "come. `None` says that.",
                )
            lost = self.seconds.keys() - details.ended.keys()
            if lost:
                raise Wrong(
                    "lost items",
                    f"When it returned, {len(lost)} of {len(self.seconds)} were not done.",
                    lab.line("None"),
                    "`None` says that no more will come. What has begun must end first.",
                )
            lab.limited(details.peak, at_most, what="numbers")
            if at_most > 1:
                self._look_for_delay(lab, details, at_most)
            if queue.ahead > at_most + 1:
                raise Wrong(
                    "unbounded",
                    f"{queue.ahead} numbers had been taken from the queue and "
                    f"were not done; {at_most} may be under way.",
                    lab.line(r"create_task|ensure_future"),
                    "A task for each number that waits for its place is a second queue, "
                    "and nobody bounds that one. Get a place first, then take a number.",
                )

    async def _play(self, consumer, queue, details, at_most):
        async def produce():
            for when, number in self.arrivals:
                await asyncio.sleep(when - now())
                await queue.put(number)
            await queue.put(None)

        producing = asyncio.create_task(produce())
        await consumer(queue, details.details, at_most)
        producing.cancel()

    def _look_for_delay(self, lab, details, at_most):
        free, late = [0.0] * at_most, {}
        for when, number in self.arrivals:
            earliest = free.index(min(free))
            best = max(when, free[earliest])
            free[earliest] = best + self.seconds[number]
            if details.begun[number] > best + SOON:
                late[number] = best
        for number, best in late.items():
            begun = details.begun[number]
            others = [n for n in details.begun if n != number and details.begun[n] < begun]
            there = [n for n in others if details.ended[n] > best + SOON]
            seen = f"Number {number} could begin at {best:g} s, and began at {begun:g} s"
            if details.peak == 1:
                raise Wrong("sequential", f"{seen}: one after another.", lab.line(r"await details"))
            if there and all(details.ended[n] <= begun + SOON for n in others):
                raise Wrong(
                    "batch barrier",
                    f"{seen}, after all others had ended.",
                    lab.line(r"gather|TaskGroup|wait\("),
                )
        for number, best in late.items():
            raise Wrong(
                "looked instead of waiting",
                f"Number {number} could begin at {best:g} s, "
                f"and began at {details.begun[number]:g} s.",
                lab.line(r"sleep\("),
                "`await queue.get()` wakes in the moment in which something is there, and "
                "a semaphore, or `asyncio.wait`, in the moment in which a place is free.",
            )

    @right
    async def with_workers(queue, details, at_most):
        """Call `details` for each number in `queue` until None comes, so many at once."""

        async def worker():
            while (number := await queue.get()) is not None:
                await details(number)
            await queue.put(None)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @right
    async def with_a_semaphore(queue, details, at_most):
        places = asyncio.Semaphore(at_most)

        async def one(number):
            try:
                await details(number)
            finally:
                places.release()

        async with asyncio.TaskGroup() as group:
            while True:
                await places.acquire()
                if (number := await queue.get()) is None:
                    break
                group.create_task(one(number))

    @right
    async def waits_for_the_first(queue, details, at_most):
        tasks = set()
        while (number := await queue.get()) is not None:
            if len(tasks) == at_most:
                done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            tasks.add(asyncio.create_task(details(number)))
        if tasks:
            await asyncio.wait(tasks)

    @wrong("batch barrier", says="after all others had ended")
    async def as_published(queue, details, at_most):
        active = True
        while active:
            await asyncio.sleep(0.05)
            batch = []
            while not queue.empty() and len(batch) < at_most:
                if (number := await queue.get()) is not None:
                    batch.append(number)
                else:
                    active = False
            await asyncio.gather(*(details(number) for number in batch))

    @wrong("batch barrier")
    async def batches_without_a_poll(queue, details, at_most):
        active = True
        while active:
            batch = [await queue.get()]
            while not queue.empty() and len(batch) < at_most:
                batch.append(queue.get_nowait())
            active = None not in batch
            async with asyncio.TaskGroup() as group:
                for number in batch:
                    if number is not None:
                        group.create_task(details(number))

    @wrong("limit", says="at most 3 may be")
    async def all_of_them(queue, details, at_most):
        async with asyncio.TaskGroup() as group:
            while (number := await queue.get()) is not None:
                group.create_task(details(number))

    @wrong("unbounded", says="is a second queue")
    async def a_task_for_each(queue, details, at_most):
        places = asyncio.Semaphore(at_most)

        async def one(number):
            async with places:
                await details(number)

        async with asyncio.TaskGroup() as group:
            while (number := await queue.get()) is not None:
                group.create_task(one(number))

    @wrong("looked instead of waiting", says="Number 1 could begin at 0 s")
    async def workers_that_poll(queue, details, at_most):
        ended = False

        async def worker():
            nonlocal ended
            while not ended:
                if queue.empty():
                    await asyncio.sleep(0.05)
                elif (number := queue.get_nowait()) is None:
                    ended = True
                else:
                    await details(number)

        await asyncio.sleep(0.05)
        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @wrong("looked instead of waiting", says="wakes in the moment")
    async def looks_for_a_place(queue, details, at_most):
        tasks = []
        while (number := await queue.get()) is not None:
            while sum(not task.done() for task in tasks) == at_most:
                await asyncio.sleep(0.01)
            tasks.append(asyncio.create_task(details(number)))
        await asyncio.gather(*tasks)

    @wrong("ended too early", says="`None` says that")
    async def until_it_is_empty(queue, details, at_most):
        async def worker():
            while not queue.empty():
                await details(await queue.get())

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @wrong("did the sentinel", says="called with None")
    async def does_the_sentinel(queue, details, at_most):
        async def worker():
            while True:
                await details(await queue.get())

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @wrong("lost items", says="What has begun must end first")
    async def ends_at_the_first_sentinel(queue, details, at_most):
        async def worker():
            while (number := await queue.get()) is not None:
                await details(number)

        workers = [asyncio.create_task(worker()) for _ in range(at_most)]
        await asyncio.wait(workers, return_when=asyncio.FIRST_COMPLETED)
        for each in workers:
            each.cancel()

    @wrong("sequential", says="one after another")
    async def one_after_another(queue, details, at_most):
        while (number := await queue.get()) is not None:
            await details(number)

    @wrong("one sentinel", says="ended, 2 more still waited")
    async def keeps_the_sentinel(queue, details, at_most):
        async def worker():
            while (number := await queue.get()) is not None:
                await details(number)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())


class Counted(asyncio.Queue):
    """A queue that counts how often `task_done` was called."""

    done = 0

    def task_done(self):
        self.done += 1
        super().task_done()


class Survivor(Exercise):
    """A worker that outlives a failing item

    `work(item)` is a coroutine function that may raise any error. Write `worker(queue, work,
    failed)`: it takes item after item from `queue`, without end, and does each once. An item that
    fails is neither lost nor does it end the worker: `(item, error)` is appended to the list
    `failed`.

    Whoever starts your workers waits by `await queue.join()` until all items are done, failed ones
    too, and then cancels the workers. They must end by that, even in the middle of an item; a
    cancelled item is not a failed one.
    """

    id = "worker-1"
    asks = "worker"
    minutes = 8
    hints = (
        "`join()` returns when `task_done()` was called for each item. On which ways out of your "
        "code is it reached?",
        "Catch what `work` raises, and that alone. Which errors does `except Exception` let pass?",
        "In `while True`: get an item; `try: await work(item)`, `except Exception as error:` "
        "append the two, `finally: queue.task_done()`.",
    )

    def verify(self, worker, lab):
        errors = {3: ValueError("item 3 is broken"), 4: KeyError("item 4")}
        lab.told("in two tasks; six items were in the queue, and items 3 and 4 failed")
        work = lab.service(1, errors=errors, name="work")
        lab.run(self._until_joined(worker, lab, work, errors))
        lab.told("in a task, and cancelled it in the middle of an item")
        work = lab.service(1, name="work")
        lab.run(self._cancelled(worker, lab, work))

    async def _until_joined(self, worker, lab, work, errors):
        queue, failed = Counted(), []
        for item in range(1, 7):
            queue.put_nowait(item)
        tasks = [asyncio.create_task(self._run(worker, queue, work, failed)) for _ in range(2)]
        try:
            async with asyncio.timeout(100):
                await queue.join()
        except TimeoutError:
            self._why_join_hangs(lab, queue, work, tasks)
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
        lab.check_awaited()
        if len(work.started) < 6 or work.flying:
            raise Wrong(
                "said it was done too early",
                f"`join()` returned when {work.flying} items "
                f"were under way and {6 - len(work.started)} had not begun.",
                lab.line(r"task_done"),
                "Call `task_done()` when the work has ended.",
            )
        if len(work.started) > 6:
            twice = next(item for item in work.started if work.started.count(item) > 1)
            raise Wrong(
                "retried",
                f"`work` was called {work.started.count(twice)} times with item {twice}.",
                lab.line(r"put|continue|for\b"),
                "Each item is done once.",
            )
        self._look_at_failed(lab, failed, errors)
        await self._end(lab, tasks)

    async def _cancelled(self, worker, lab, work):
        queue, failed = Counted(), []
        queue.put_nowait("a")
        task = asyncio.create_task(self._run(worker, queue, work, failed))
        await asyncio.sleep(0.5)
        await self._end(lab, [task])
        if failed:
            raise Wrong(
                "took the cancellation for a failure",
                f"`failed` is {failed!r}.",
                lab.text.swallowing_handler() or lab.line(r"except"),
                "CancelledError is no Exception: `except Exception` lets it pass.",
            )

    async def _run(self, worker, queue, work, failed):
        await worker(queue, work, failed)
        return "returned"

    async def _end(self, lab, tasks):
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
            task.cancel()
        done, pending = await asyncio.wait(tasks, timeout=10)
        if pending:
            raise Wrong(
                "swallowed",
                "I cancelled it, and 10 s later it still went on.",
                lab.text.swallowing_handler(),
            )
        for task in done:
            if not task.cancelled() and task.exception() is not None:
                self._it_ended(lab, task)

    def _it_ended(self, lab, task):
        """Raise what a worker that has ended tells of itself."""
        error = task.exception()
        if isinstance(error, Wrong):
            raise error
        if isinstance(error, ValueError) and "task_done" in str(error):
            raise Wrong(
                "said it twice",
                "`task_done()` was called more often than items were taken.",
                lab.line(r"task_done"),
                "Once for each item. A `get` that is "
                "cancelled has given none: it stands before the `try`.",
            )
        if isinstance(error, asyncio.QueueEmpty):
            raise Wrong(
                "did not wait for an item",
                "The worker ended with QueueEmpty.",
                lab.line("get_nowait"),
                "`get_nowait()` never waits. `await queue.get()` does.",
            )
        if isinstance(error, (TypeError, AttributeError, NameError)):
            raise error  # of the worker itself: no item of ours raises these
        if error is not None:
            raise Wrong(
                "died of a failing item",
                f"The worker ended with {error!r}.",
                lab.text.of_traceback(error),
                "Catch what the work raises, whatever it is, note it, and go on.",
            )
        raise Wrong(
            "ended too early",
            "The worker returned before it was cancelled.",
            lab.line(r"while|return|break|for\b"),
            "`while True`: it takes the next item, and waits for one if there is none.",
        )

    def _why_join_hangs(self, lab, queue, work, tasks):
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
        raise Wrong(
            "never said that it was done",
            f"Of 6 items {len(work.started)} were begun, "
            f"and `task_done()` was called {queue.done} times: `join()` waits for ever.",
            lab.line(r"task_done") or lab.line(r"await work"),
            "Every way out of an item must pass by `queue.task_done()`, also the one by an error.",
        )

    def _look_at_failed(self, lab, failed, errors):
        if not failed:
            raise Wrong(
                "lost error",
                "Items 3 and 4 failed, and `failed` is empty.",
                lab.line(r"except|suppress\("),
                "Append the item and its error.",
            )
        asked = [(item, error) for item, error in errors.items()]
        pairs = [entry for entry in failed if isinstance(entry, (tuple, list)) and len(entry) == 2]
        if len(pairs) < len(failed):
            raise Wrong(
                "value",
                f"`failed` is {failed!r}.",
                lab.line("append"),
                "Append a pair: the item, and its error.",
            )
        if len(failed) != 2 or any(
            pair[0] != item or pair[1] is not error for pair, (item, error) in zip(pairs, asked)
        ):
            raise Wrong(
                "value",
                f"`failed` is {failed!r}; asked is {asked!r}.",
                lab.line("append"),
                "The item first, then the error itself.",
            )

    @right
    async def with_finally(queue, work, failed):
        """Do all items of `queue`; append failing ones and their errors to `failed`."""
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @right
    async def at_the_end(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))
            queue.task_done()

    @wrong("died of a failing item", says="item 3 is broken")
    async def catches_nothing(queue, work, failed):
        while True:
            item = await queue.get()
            await work(item)
            queue.task_done()

    @wrong("died of a failing item", says="item 3 is broken")
    async def catches_outside_in_finally(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            finally:
                queue.task_done()

    @wrong("died of a failing item", says="KeyError")
    async def catches_one_kind(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except ValueError as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @wrong("ended too early", says="returned before")
    async def catches_outside_of_the_loop(queue, work, failed):
        try:
            while True:
                item = await queue.get()
                await work(item)
                queue.task_done()
        except Exception as error:
            failed.append((item, error))

    @wrong("never said that it was done", says="`task_done()` was called 4 times")
    async def done_only_if_it_went_well(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
                queue.task_done()
            except Exception as error:
                failed.append((item, error))

    @wrong("lost error", says="`failed` is empty")
    async def passes_over(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception:
                pass
            finally:
                queue.task_done()

    @wrong("swallowed", says="still went on")
    async def catches_everything(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except BaseException as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @wrong("said it was done too early", says="were under way")
    async def done_when_taken(queue, work, failed):
        while True:
            item = await queue.get()
            queue.task_done()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))

    @wrong("raised", says="append() takes exactly one argument")
    async def appends_two_things(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                failed.append(item, error)
            finally:
                queue.task_done()

    @wrong("said it twice", says="has given none")
    async def gets_inside_of_try(queue, work, failed):
        while True:
            try:
                item = await queue.get()
                await work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @wrong("did not wait for an item", says="never waits")
    async def gets_without_waiting(queue, work, failed):
        while True:
            item = queue.get_nowait()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @wrong("not awaited", says="work")
    async def calls_only(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @wrong("retried", says="Each item is done once")
    async def puts_it_back(queue, work, failed):
        tried = set()
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                if item in tried:
                    failed.append((item, error))
                else:
                    tried.add(item)
                    await queue.put(item)
            finally:
                queue.task_done()


class Bucket(Exercise):
    """A token bucket

    Write a class `TokenBucket(rate, burst)` with a coroutine method `take()`. Tokens drop into the
    bucket at `rate` a second, evenly, until it holds `burst` of them; in the beginning it is full.
    `await bucket.take()` takes one token, and waits for it if there is none, but no longer than it
    must. Many tasks share one bucket, and who asks first is served first.

    The time is that of the loop: `asyncio.get_running_loop().time()`. A bucket is made where a
    loop runs, and needs no task of its own: tokens are dropped in when somebody looks.
    """

    id = "bucket-1"
    asks = "TokenBucket"
    minutes = 12
    hints = (
        "No task has to drop the tokens in. How many have dropped in since the last look follows "
        "from the time.",
        "What happens between reading the number of tokens and writing it, if there is an "
        "`await` in between and another task asks?",
        "Refill: `min(burst, tokens + (now - last) * rate)`. Take one away at once, even if that "
        "makes the number negative: then `-tokens / rate` seconds are left to sleep.",
    )

    def verify(self, TokenBucket, lab):
        if not inspect.isclass(TokenBucket):
            raise Wrong("value", f"`TokenBucket` is {TokenBucket!r}.", try_="Write a class.")
        self._ask(lab, TokenBucket, [0] * 8, [0, 0, 0, 0.5, 1, 1.5, 2, 2.5])
        self._ask(lab, TokenBucket, [100] * 5, [100, 100, 100, 100.5, 101])
        self._ask(lab, TokenBucket, [0, 0, 0, 0.75, 0.75, 10.1], [0, 0, 0, 0.75, 1, 10.1])

    def _ask(self, lab, TokenBucket, asked, best):
        moments = ", ".join(f"{moment:g}" for moment in asked)
        lab.told(f"with `rate=2` and `burst=3`, and `take()` {len(asked)} times, at {moments} s")
        given = {}
        try:
            lab.run(self._all(TokenBucket, asked, given))
        except TimeoutError:
            if line := lab.line(r"\btime\.\w+\(|\b(monotonic|perf_counter)\(|datetime"):
                raise Wrong(
                    "looked at another clock",
                    "The check runs on a clock that jumps, and yours did not go with it.",
                    line,
                    "`asyncio.get_running_loop().time()` is the time that sleeps go by.",
                ) from None
            waiting = len(asked) - len(given)
            raise Wrong(
                "waited too long",
                f"200 s later {waiting} still waited for a token.",
                lab.line(r"sleep\(|await"),
                "Tokens drop in while nobody asks, too: how many, the time tells.",
            ) from None
        got = [given[number] for number in range(len(asked))]
        if [round(moment, 6) for moment in got] == [round(moment, 6) for moment in best]:
            return
        self._too_many(lab, asked, sorted(got))
        if sorted(got) != got:
            raise Wrong(
                "order",
                f"Who asked later was served earlier: they were served at {listed(got)} s.",
                lab.line(r"sleep\("),
                "Who asks first takes the next token, even if it is not there yet.",
            )
        number = next(n for n, (a, b) in enumerate(zip(got, best)) if a > b + SOON)
        observed = (
            f"They were served at {listed(got)} s. Number {number + 1} could be at "
            f"{best[number]:g} s."
        )
        if best[number] == asked[number]:
            raise Wrong(
                "did not save up",
                observed,
                lab.line("__init__"),
                "A full bucket lets `burst` of them through at once, in the beginning and "
                "after a rest.",
            )
        raise Wrong(
            "waited too long",
            observed,
            lab.line(r"sleep\("),
            "The next token is there when `(1 - tokens) / rate` seconds are over.",
        )

    def _too_many(self, lab, asked, got):
        """Raise Wrong if more were served in some time than the bucket can give."""
        for first, start in enumerate(got):
            for last in range(first, len(got)):
                served, most = last - first + 1, 3 + 2 * (got[last] - start)
                if served > most + SOON:
                    rested = asked[0] == start == 100
                    if line := lab.line(r"with asyncio\.Lock\(\)"):
                        raise Wrong(
                            "lock per call",
                            f"{served} were served from {start:g} s to {got[last]:g} s.",
                            line,
                        )
                    raise Wrong(
                        "let too many through",
                        f"From {start:g} s to {got[last]:g} s "
                        f"{served} were served; a bucket of 3 that gets 2 a second gives "
                        f"{int(most + SOON)}.",
                        lab.line(r"await .*(sleep|acquire)\("),
                        "It holds at most `burst` tokens, however long the rest was."
                        if rested
                        else "A token is one task's. Between looking at the tokens and taking "
                        "one there must be no `await` that lets another task look.",
                    )

    async def _all(self, TokenBucket, asked, given):
        bucket = TokenBucket(2, 3)

        async def one(number, when):
            await asyncio.sleep(when)
            await bucket.take()
            given[number] = now()

        async with asyncio.timeout(asked[0] + 200), asyncio.TaskGroup() as group:
            for number, when in enumerate(asked):
                group.create_task(one(number, when))

    @right
    class TakesAtOnce:
        """At most `rate` a second, and up to `burst` at once after a rest."""

        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            """Take a token; wait for it if there is none."""
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

    @right
    class WithALock:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()
            self.lock = asyncio.Lock()

        def refill(self):
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now

        async def take(self):
            async with self.lock:
                self.refill()
                if self.tokens < 1:
                    await asyncio.sleep((1 - self.tokens) / self.rate)
                    self.refill()
                self.tokens -= 1

    @right
    class HandsOutMoments:
        def __init__(self, rate, burst):
            self.apart, self.burst, self.next = 1 / rate, burst, float("-inf")

        async def take(self):
            now = asyncio.get_running_loop().time()
            mine = max(self.next, now - (self.burst - 1) * self.apart)
            self.next = mine + self.apart
            if mine > now:
                await asyncio.sleep(mine - now)

    @wrong("let too many through", says="no `await` that lets another task look")
    class LooksSleepsAndTakes:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now
            if self.tokens < 1:
                await asyncio.sleep((1 - self.tokens) / self.rate)
            self.tokens -= 1

    @wrong("let too many through", says="however long the rest was")
    class HoldsAnyNumber:
        def __init__(self, rate, burst):
            self.rate, self.tokens = rate, burst
            self.last = asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens += (now - self.last) * self.rate
            self.last = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

    @wrong("looked at another clock", says="get_running_loop().time()")
    class AsksTheTimeOfDay:
        def __init__(self, rate, burst):
            self.rate, self.burst, self.tokens, self.last = rate, burst, burst, time.monotonic()

        async def take(self):
            while True:
                now = time.monotonic()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens >= 1:
                    break
                await asyncio.sleep((1 - self.tokens) / self.rate)
            self.tokens -= 1

    @wrong("waited too long", says="still waited for a token")
    class NeverRefills:
        def __init__(self, rate, burst):
            self.rate, self.tokens = rate, burst

        async def take(self):
            while self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
            self.tokens -= 1

    @wrong("lock per call", says="were served from")
    class LocksForItself:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            async with asyncio.Lock():
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens < 1:
                    await asyncio.sleep((1 - self.tokens) / self.rate)
                self.tokens -= 1

    @wrong("did not save up", says="after a rest")
    class OnlyPaces:
        def __init__(self, rate, burst):
            self.apart, self.next = 1 / rate, 0.0

        async def take(self):
            now = asyncio.get_running_loop().time()
            mine = max(now, self.next)
            self.next = mine + self.apart
            await asyncio.sleep(mine - now)

    @wrong("did not save up", says="in the beginning")
    class BeginsEmpty:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = 0, asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

    @wrong("let too many through", says="gives 3")
    class IsASemaphore:
        def __init__(self, rate, burst):
            self.rate, self.places = rate, asyncio.Semaphore(burst)

        async def take(self):
            async with self.places:
                pass

    @wrong("waited too long", says="could be at 1 s")
    class WaitsAWholeToken:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()
            self.lock = asyncio.Lock()

        async def take(self):
            async with self.lock:
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens < 1:
                    await asyncio.sleep(1 / self.rate)
                    self.last, self.tokens = asyncio.get_running_loop().time(), 1
                self.tokens -= 1


def listed(moments):
    return ", ".join(f"{moment:g}" for moment in moments)
