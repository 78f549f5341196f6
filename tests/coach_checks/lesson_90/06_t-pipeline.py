import asyncio

from helpers.coach import Exercise, right, wrong


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

    no_limit = bounded.but(
        "asyncio.Queue(3)",
        "asyncio.Queue()",
        kind="unbounded",
        says="40 items had been taken from the source",
    )

    @wrong("one sentinel", says="1 task of `worker` ended, 2 more still waited")
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

    @wrong("deadlock", says="`worker` waits at line 9 for Queue.get")
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
