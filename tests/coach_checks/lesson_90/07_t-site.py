import asyncio

import httpx

from helpers.coach import Exercise, right, wrong


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
