import asyncio

from helpers.coach import Exercise, right, wrong


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
