import asyncio

from helpers.coach import Exercise, Wrong, right, wrong


class Guarded(Exercise):
    """Errors come out, cancellation passes"""

    id = "t-guarded"
    asks = "guarded"

    def verify(self, guarded, lab):
        fetch = lab.service(5)
        run = lab.run(guarded, fetch, cancel_after=1)
        if not fetch.cancelled:
            raise Wrong(
                "swallowed",
                f"It ended after {run.elapsed} s, before I cancelled it.",
                headline="not cancelled",
            )
        lab.run(guarded, lab.service(1, errors={"a": ValueError("no page")}), raises=ValueError)
        lab.equal(lab.run(guarded, lab.service(1)).result, "page a")

    @right
    async def passes(fetch):
        return await fetch("a")

    @wrong("swallowed", says="It was cancelled after 1 s")
    async def catches_all(fetch):
        try:
            return await fetch("a")
        except BaseException:
            return None

    @wrong("swallowed", says="as if nothing had happened")
    async def goes_on(fetch):
        while True:
            try:
                return await fetch("a")
            except:
                pass

    loses_it = catches_all.but("BaseException", "Exception", kind="lost error", says="ValueError")

    @wrong("lost error", says="returned [ValueError('no page')]")
    async def asks_for_results(fetch):
        return await asyncio.gather(fetch("a"), return_exceptions=True)

    @wrong("lost error", says="It returned None instead")
    async def never_looks(fetch):
        asyncio.create_task(fetch("a"))
        await asyncio.sleep(2)
