import asyncio

from helpers.coach import Exercise, right, sweep

PAGES = ["", "a", "b", None, 0]


class Swept(Exercise):
    """Fetch each page, whatever it is

    Write `fetch_all(fetch, urls)`: it returns the pages in the order of `urls`. If one fails, its
    error comes out, and nothing is left running.
    """

    id = "t-sweep"
    asks = "fetch_all"
    hints = ("Ask for all at once.",)

    def verify(self, fetch_all, lab):
        run = lab.run(fetch_all, lab.service({"a": 1, "b": 2}), ["a", "b"])
        lab.equal(run.result, ["page a", "page b"])

    @sweep(
        lambda some: {
            "urls": some.lists(some.sampled_from("abc"), max_size=4),
            "pages": some.fixed_dictionaries({url: some.sampled_from(PAGES) for url in "abc"}),
            "waits": some.permutations((1, 2, 3.5)),
        },
        besides=[{"urls": ["a"] * 1100, "pages": {"a": "page"}, "waits": [1, 2, 3]}],
        fails=(OSError, TimeoutError, ...),
        cancels=True,
    )
    def any_urls(self, fetch_all, lab, urls, pages, waits):
        fetch = lab.service(dict(zip("abc", waits)), pages)
        return lab.seen(lab.run(fetch_all, fetch, urls), fetch)

    equivalent = {
        "with_tasks: finally for errors, line 7": "gather cancels its own when it is cancelled",
        "with_tasks: drop await, line 12": "who is cancelled ends in its next turn, awaited or not",
        "with_tasks: other exceptions, line 12": "the task that failed comes first, as before",
    }

    @right
    async def with_tasks(fetch, urls):
        """Return the pages."""
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
