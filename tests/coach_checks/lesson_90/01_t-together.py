import asyncio

from helpers.coach import Exercise, right, wrong


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

    @wrong("order", says="It returned ['page b', 'page c', 'page a']")
    async def as_they_come(fetch, urls):
        return [await page for page in asyncio.as_completed([fetch(url) for url in urls])]

    @wrong("value", says="expected ['page a', 'page b', 'page c']")
    async def loses_one(fetch, urls):
        return await asyncio.gather(*(fetch(url) for url in urls[1:]))

    @wrong("nested run", says="cannot be called from a running event loop")
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
