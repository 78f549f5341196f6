import asyncio

from helpers.coach import Exercise, right, wrong


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

    @wrong("sequential", says="the longest single wait is 0.02 s")
    async def one_by_one(fetch, urls):
        return [await fetch(url) for url in urls]
