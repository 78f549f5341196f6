import ast
import asyncio
import re

from helpers.basics.backports import Queue, QueueShutDown
from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.hangs import Stuck

from .shared import (
    SOON,
    THROWN_AWAY,
    immediate_shutdown,
    in_batches,
    look_for_unwatched,
    noting_the_end,
    or_one,
    with_workers,
)


class AllWorkersEnd(Exercise):
    """All workers come to their end

    `fetch(url)` is a coroutine function. Write `fetch_all(fetch, urls, workers)`: it fetches all
    `urls` and returns a dict from each of them to its page.

    At most `workers` fetches are in flight at once, and no fewer as long as there is something left
    to begin. When it returns, nothing that it started still runs. There may be fewer urls than
    workers, or none. If a fetch fails, its error comes out at once, alone or in a group, and
    nothing is left running.

    Let the workers take the urls, in their order, from one queue. For a queue with `shutdown` on
    every Python, write `from helpers.basics.backports import Queue, QueueShutDown`.
    """

    id = "workers-1"
    equivalent = {
        "shuts_the_queue_down: each once, line 5": "a url need not be fetched twice",
        "shuts_the_queue_down: wider except, line 12": "a `get` raises nothing else",
        "joins_and_cancels: each once, line 4": "a url need not be fetched twice",
        "joins_and_cancels: finally for errors, line 12": "nobody joins after a cancellation",
    }
    asks = "fetch_all"
    minutes = 10
    hints = (
        "Each worker is a coroutine that takes a url, fetches it, and takes the next. How does "
        "each of them learn that there are no more?",
        "A sentinel ends the worker that takes it, and no other.",
        "Put all urls and then `None` once for each worker, or `queue.shutdown()`; then start the "
        "workers in an `async with asyncio.TaskGroup()`.",
    )

    def verify(self, fetch_all, lab):
        seconds = {"a": 3, "b": 1, "c": 1, "d": 1, "e": 3, "f": 1, "g": 1}
        for workers, urls in (2, list("abcdefg")), (3, list("abcdefg")), (4, ["b"]), (2, []):
            service = lab.service(or_one(seconds))
            fetch = noting_the_end(service)
            try:
                run = lab.run(fetch_all, fetch, urls, workers)
            except Stuck as stuck:
                raise self._too_few_sentinels(lab, stuck) or stuck from None
            extra = [url for url in service.calls if url not in urls]
            if extra:
                raise Wrong(
                    "end signal",
                    f"`fetch` was called with {extra[0]!r}.",
                    lab.call_of("fetch"),
                    "Look at what you got before you fetch it.",
                    headline="fetched the sentinel",
                )
            thrown_away = immediate_shutdown(lab)
            if thrown_away and len(service.calls) < len(urls):
                raise Wrong(
                    "value",
                    f"{len(urls)} urls were given, and {len(service.calls)} fetched.",
                    thrown_away,
                    THROWN_AWAY,
                    headline="threw urls away",
                )
            lab.equal(run.result, {url: f"page {url}" for url in urls})
            if len(service.calls) > len(urls):
                raise Wrong(
                    "done twice",
                    f"{len(urls)} urls were given, and {len(service.calls)} fetched.",
                    try_="An item that a worker has taken is its own.",
                    headline="fetched twice",
                )
            lab.limited(service.peak, workers, "fetches", service.peak_place)
            if run.elapsed > fetch.ended + SOON:
                raise Wrong(
                    "late",
                    f"The last page was there at {fetch.ended:g} s, and it "
                    f"returned at {run.elapsed:g} s.",
                    lab.call_of("wait_for", "timeout", "sleep"),
                    "A worker need not guess the end: tell it, by a sentinel of its own "
                    "or by `queue.shutdown()`.",
                    headline="ended late",
                )
            self._pace(lab, run, [seconds[url] for url in urls], workers)

    def _too_few_sentinels(self, lab, stuck):
        """The Wrong where workers wait for a sentinel, and a loop puts others than one for each."""
        waiting = [task for task in stuck.tasks if task[3] == "Queue.get"]
        line = _puts_some(lab)
        if not (waiting and stuck.ended and line):
            return None
        return Wrong(
            "one sentinel",
            f"{count(len(waiting), 'worker')} still waited for an item in `Queue.get`, and nobody "
            "was left to put one.",
            line,
            "Each worker that you start takes a sentinel of its own, also where there are fewer "
            "urls than workers.",
            headline="fewer sentinels than workers",
            at="tells how many sentinels are put",
        )

    def _pace(self, lab, run, seconds, workers):
        best = with_workers(seconds, workers)
        if run.elapsed <= best + SOON:
            return
        took = f"It took {run.elapsed:g} s; {workers} workers need {best:g} s for them."
        if abs(run.elapsed - sum(seconds)) < SOON:
            if lab.call_of("create_task", "ensure_future"):
                raise Wrong(
                    "idle places",
                    f"{took} There was never more than one fetch in flight.",
                    lab.for_loop("workers"),
                    "Start as many workers as `workers` says. Each of them fetches one url after "
                    "another.",
                    headline="only one worked",
                )
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.await_of("fetch"))
        if any(isinstance(node, ast.Slice) and node.step for node in lab.nodes()):
            raise Wrong(
                "idle places",
                took,
                lab.node(ast.Slice),
                "If shares are dealt out beforehand, one may take longest. Let a worker that is "
                "free take the next url.",
                headline="dealt them out beforehand",
            )
        if abs(run.elapsed - in_batches(seconds, workers)) < SOON:
            raise Wrong("batch barrier", took, lab.call_of("gather", "TaskGroup", "wait"))
        raise Wrong(
            "idle places",
            took,
            lab.call_of("sleep"),
            "As long as there are urls left, none rests and none goes home: a worker that is free "
            "takes the next one at once.",
            headline="left a worker idle",
        )

    @sweep(
        lambda some: {
            "urls": some.lists(some.sampled_from("abcde"), max_size=5, unique=True),
            "pages": some.permutations(("page", "", None, 0, [])),
            "waits": some.permutations((1, 1.13, 2.3, 3.7, 5.9)),
            "workers": some.integers(1, 4),
        },
        besides=[
            {"urls": list(range(1100)), "pages": [""] * 1100, "waits": [1] * 1100, "workers": 100}
        ],
        fails=(TimeoutError, asyncio.QueueEmpty, ...),
        cancels=True,
        most=20,
    )
    def any_urls(self, fetch_all, lab, urls, pages, waits, workers):
        fetch = lab.service(dict(zip(urls, waits)), dict(zip(urls, pages)), cleanup=1.3)
        run = lab.run(fetch_all, fetch, urls, workers)
        look_for_unwatched(lab, run)
        return lab.seen(run, fetch, without=("group",))

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

    one_for_all = puts_it_back.but(
        "queue.put_nowait(None)",
        "",
        kind="one sentinel",
        says="1 task of `worker` ended, 1 more still waited",
    )

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

    @wrong("end signal", says="called with None")
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

    does_not_wait = no_end_at_all.but(
        "await queue.get()",
        "queue.get_nowait()",
        kind="raised",
        says="`get_nowait` never waits for an item",
    )

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

    @wrong("late", says="need not guess the end")
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

    @wrong("sequential", says="2 workers need 6 s")
    async def one_worker(fetch, urls, workers):
        pages = {}
        for url in urls:
            pages[url] = await fetch(url)
        return pages


def _puts_some(lab):
    """The `for` that puts what the workers compare with, and that isn't just `range(workers)`; or
    None.
    """
    compared = {
        ast.unparse(one)
        for node in lab.nodes()
        if isinstance(node, ast.Compare)
        for one in node.comparators
    }
    for loop in lab.nodes():
        if isinstance(loop, ast.For) and not re.fullmatch(r"range\(\w+\)", ast.unparse(loop.iter)):
            for call in ast.walk(loop):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "").startswith("put"):
                    if compared.intersection(map(ast.unparse, call.args)):
                        return loop.lineno
    return None
