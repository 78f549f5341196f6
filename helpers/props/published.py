"""The pipelines of the sources as published, for lesson 16 to run and to show.

Their prints are left out. What asks the network is handed in, `details(number)` or `send(line)`, a
coroutine function; and so is the slow producer, an async generator. Their mistakes stay in.
"""

import asyncio

__all__ = ["list_then_gather", "producer_and_consumer", "list_first", "wait_for_the_first"]


# Source 000, pokemon_pipeline.py, first version (lines 577 to 582)


async def list_then_gather(numbers, details):
    await asyncio.gather(*[details(number) async for number in numbers])


# Source 000, pokemon_pipeline.py, second version (lines 622 to 669)


async def producer(queue, numbers):
    async for number in numbers:
        await queue.put(number)
    await queue.put(None)


async def consumer(queue, details):
    consumer_active = True
    while consumer_active:
        await asyncio.sleep(0.05)
        numbers_to_process = []
        while not queue.empty():
            if (number := await queue.get()) is not None:
                numbers_to_process.append(number)
            else:
                consumer_active = False
        await asyncio.gather(*(details(number) for number in numbers_to_process))


async def producer_and_consumer(numbers, details):
    queue = asyncio.Queue()
    producer_task = asyncio.create_task(producer(queue, numbers))
    consumer_task = asyncio.create_task(consumer(queue, details))
    await asyncio.gather(*[producer_task, consumer_task])


# Source 002, "Asynchronous transmission" (lines 86 to 98) and "Correct, but slow" (190 to 205)


async def list_first(lines, send):
    semaphore = asyncio.Semaphore(10)
    made = [line async for line in lines]
    tasks = set()
    for line in made:
        tasks.add(asyncio.create_task(send_worker(semaphore, send, line)))
    await asyncio.gather(*tasks)


async def wait_for_the_first(lines, send):
    semaphore = asyncio.Semaphore(10)
    tasks = set()
    async for line in lines:
        tasks.add(asyncio.create_task(send_worker(semaphore, send, line)))

        if len(tasks) > 20:
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if task.exception():
                    raise task.exception()
    await asyncio.gather(*tasks)


async def send_worker(semaphore, send, line):
    async with semaphore:
        await send(line)
