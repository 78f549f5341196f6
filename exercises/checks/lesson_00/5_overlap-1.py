import asyncio
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.errors import with_items

PAGES = ["news", "sport", "weather"]
TEXTS = ["", "rain", "2:1"]


class Overlap(Exercise):
    """Make the waits overlap

    `fetch(page)` is a coroutine function that takes a while and returns the page's text.
    Write the coroutine function `fetch_all(fetch, pages)`. It fetches every page of the list
    `pages`, all of them at once, and returns the texts in the order of `pages`. No fetch fails.
    """

    id = "overlap-1"
    asks = "fetch_all"
    minutes = 8
    hints = (
        "`await fetch(page)` in a loop waits for one page before it starts the next.",
        "`asyncio.gather` starts all the coroutines it is given and keeps their order. Each "
        "is an argument of its own, so put a star before a list: `gather(*coroutines)`.",
        "One line: `return await asyncio.gather(*[fetch(page) for page in pages])`.",
    )

    equivalent = {"with_gather: other exceptions, line 6": "no fetch fails"}

    def verify(self, fetch_all, lab):
        fetch = lab.service(
            {"news": 3, "sport": 1, "weather": 2},
            results={"news": "rain", "sport": "2:1", "weather": "sunny"},
        )
        try:
            run = lab.run(fetch_all, fetch, ["news", "sport", "weather"])
        except Wrong as found:
            if found.kind == "leaked":
                self._look_for_futures(fetch_all, lab, fetch)
            raise
        lab.equal(run.result, ["rain", "2:1", "sunny"])
        lab.concurrent(run, longest=3, total=6)

    def _look_for_futures(self, fetch_all, lab, fetch):
        """Raise Wrong if what still ran was returned, in place of the texts."""
        got = lab.run(fetch_all, fetch, ["news", "sport", "weather"], leaks=True).result
        if not any(map(asyncio.isfuture, with_items(got))):
            return
        alone = asyncio.isfuture(got)
        raise Wrong(
            "not awaited",
            f"It returned {'a future' if alone else 'tasks'}, and the texts were not there yet.",
            lab.returning(),
            "It stands for the texts. `await` it: that gives you the list."
            if alone
            else "A task stands for a text. `await` each of them: that gives you its text.",
            headline="forgot to await",
        )

    @sweep(
        lambda some: {
            "pages": some.lists(some.sampled_from(PAGES), max_size=5),
            "texts": some.fixed_dictionaries({page: some.sampled_from(TEXTS) for page in PAGES}),
            "waits": some.permutations((1, 2, 3.5)),
        },
        besides=[{"pages": PAGES * 50, "texts": dict.fromkeys(PAGES, "rain"), "waits": (2, 1, 3)}],
        most=20,
    )
    def any_pages(self, fetch_all, lab, pages, texts, waits):
        fetch = lab.service(dict(zip(PAGES, waits)), texts)
        twice = len(set(pages)) < len(pages)  # to fetch such a page once is right, too
        if len(pages) > 5:
            lab.told(f"with {len(pages)} pages")
        run = lab.run(fetch_all, fetch, pages)
        return lab.seen(run, fetch, without=("calls",) if twice else ())

    @right
    async def with_gather(fetch, pages):
        """Return the texts of `pages`, in order, all fetched at once."""
        return await asyncio.gather(*[fetch(page) for page in pages])

    @right
    async def with_tasks(fetch, pages):
        tasks = [asyncio.create_task(fetch(page)) for page in pages]
        return [await task for task in tasks]

    @wrong("sequential", says="6 s")
    async def one_by_one(fetch, pages):
        texts = []
        for page in pages:
            texts.append(await fetch(page))
        return texts

    @wrong("sequential", says="6 s")
    async def gather_of_one(fetch, pages):
        texts = []
        for page in pages:
            texts += await asyncio.gather(fetch(page))
        return texts

    @wrong("not awaited", says="a coroutine, `fetch`, that nobody awaited")
    async def calls_only(fetch, pages):
        return [fetch(page) for page in pages]

    @wrong("order", says="It returned ['2:1', 'sunny', 'rain']")
    async def as_they_come(fetch, pages):
        texts = []
        for next_one in asyncio.as_completed([fetch(page) for page in pages]):
            texts.append(await next_one)
        return texts

    sleeps_on_top = with_tasks.but(
        "return", "time.sleep(0.2)\nreturn", kind="blocked", says="0.2 s"
    )

    @wrong("one argument for many", says="star")
    async def forgets_the_star(fetch, pages):
        return await asyncio.gather([fetch(page) for page in pages])

    @wrong("one argument for many", says="was given one generator")
    async def gathers_a_generator(fetch, pages):
        return await asyncio.gather(fetch(page) for page in pages)
