"""Answers to the exercises of lesson 16, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% bound-1 wrong: the last item's way is forgotten
# cause: counts only the slowest stage, not the way of one item through the others
# line: "seconds": 3.0
answers = {"slowest": "fetch", "seconds": 3.0, "workers": 15}

# %% bound-1 wrong: the longest for one worker
# cause: takes read for the slowest because it has one worker only, and forgets that 0.3 s / 10 is more than 0.02 s
# line: "slowest": "read"
answers = {"slowest": "read", "seconds": 3.07, "workers": 15}

# %% bound-1 wrong: keeps up with save
# cause: computes the workers for the pace of save (0.025 s), not of read
# line: "workers": 12
answers = {"slowest": "fetch", "seconds": 0.37 + 9 * 0.3, "workers": 12}

# %% workers-1 wrong: one None for all
# cause: one None ends one worker only, the others wait for ever
# line: queue.put_nowait(None)
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)
    queue.put_nowait(None)

    async def worker():
        while (url := await queue.get()) is not None:
            pages[url] = await fetch(url)

    await asyncio.gather(*(worker() for _ in range(workers)))
    return pages

# %% workers-1 wrong: the workers are left behind
# cause: after join the workers still wait in get, nobody ends them
# line: await queue.join() | asyncio.create_task(worker()) | url = await queue.get()
import asyncio


async def fetch_all(fetch, urls, workers):
    queue = asyncio.Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        while True:
            url = await queue.get()
            try:
                pages[url] = await fetch(url)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    await queue.join()
    return pages

# %% workers-1 wrong: in batches
# cause: batches: nobody begins before the slowest of the batch is back
# line: asyncio.gather | for start in range(0, len(urls), workers):
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    urls, pages = list(urls), {}
    for start in range(0, len(urls), workers):
        batch = urls[start:start + workers]
        pages.update(zip(batch, await asyncio.gather(*map(fetch, batch))))
    return pages

# %% workers-1 wrong: a share for each
# cause: the urls are dealt out beforehand, so a worker whose urls are quick is idle while another has some left
# line: urls[number::workers]
import asyncio


async def fetch_all(fetch, urls, workers):
    urls, pages = list(urls), {}

    async def worker(number):
        for url in urls[number::workers]:
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as group:
        for number in range(workers):
            group.create_task(worker(number))
    return pages

# %% workers-1 right: until the queue is empty
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue: asyncio.Queue = asyncio.Queue()
    pages: dict = {}

    async def worker() -> None:
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    for url in urls:
        queue.put_nowait(url)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, queue.qsize())):
            group.create_task(worker())
    return pages

# %% workers-1 wrong: the try is too wide
# cause: a QueueEmpty that comes from fetch is taken for the end
# line: except asyncio.QueueEmpty:
import asyncio

async def fetch_all(fetch, urls, workers):
    queue = asyncio.Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        try:
            while True:
                url = queue.get_nowait()
                pages[url] = await fetch(url)
        except asyncio.QueueEmpty:
            return

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return pages

# %% workers-1 right: one after another starts the next
import asyncio

async def fetch_all(fetch, urls, workers):
    waiting = iter(urls)
    pages = {}
    async def one():
        for url in waiting:
            pages[url] = await fetch(url)
    tasks = [asyncio.ensure_future(one()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for t in tasks:
            t.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% feed-1 wrong: a queue without a bound
# cause: the queue is unbounded, so all items are put before anybody sends
# line: asyncio.Queue()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue()
    end = object()

    async def worker():
        while (item := await queue.get()) is not end:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(end)

# %% feed-1 wrong: zero ends a worker
# cause: a falsy item is taken for the end
# line: while item := await queue.get():
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while item := await queue.get():
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 wrong: reads everything first
# cause: all items are read into a list before the first is sent
# line: [item async for item in source]
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    items = iter([item async for item in source])

    async def worker():
        for item in items:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())

# %% feed-1 wrong: ends before all are sent
# cause: the workers are cancelled when the queue is empty, while their last items are still being sent
# line: while not queue.empty(): | task.cancel()
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            await send(await queue.get())

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        while not queue.empty():
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()

# %% feed-1 right: join, then the workers are sent home
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while True:
            item = await queue.get()
            await send(item)
            queue.task_done()

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(worker()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.join()
        for member in crew:
            member.cancel()

# %% feed-1 right: with the queue that shuts down
import asyncio
from contextlib import suppress
from helpers.basics.backports import Queue, QueueShutDown


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = Queue(size)

    async def worker():
        with suppress(QueueShutDown):
            while True:
                item = await queue.get()
                await send(item)

    async def producer():
        async for item in source:
            await queue.put(item)
        queue.shutdown()

    async with asyncio.TaskGroup() as group:
        for coroutine in producer(), *(worker() for _ in range(workers)):
            group.create_task(coroutine)

# %% consumer-1 wrong: the tasks wait, not the numbers
# cause: takes everything out of the queue at once; the numbers wait in tasks at the semaphore
# line: group.create_task(one(number)) | async with places:
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        async with places:
            await details(number)

    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            group.create_task(one(number))

# %% consumer-1 wrong: full batches
# cause: waits until at_most numbers are there, and then for all of them
# line: asyncio.gather | if len(batch) == at_most:
import asyncio


async def consumer(queue, details, at_most):
    batch = []
    while (number := await queue.get()) is not None:
        batch.append(number)
        if len(batch) == at_most:
            await asyncio.gather(*map(details, batch))
            batch = []
    await asyncio.gather(*map(details, batch))

# %% consumer-1 wrong: 0 is no number
# cause: the number 0 is taken for the end
# line: if not number:
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        try:
            await details(number)
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        while True:
            await places.acquire()
            number = await queue.get()
            if not number:
                break
            group.create_task(one(number))

# %% consumer-1 wrong: doesn't wait for the last
# cause: returns when None comes, while the last ones are still under way
# line: return | asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    tasks = set()
    while True:
        if len(tasks) == at_most:
            _, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        number = await queue.get()
        if number is None:
            return
        tasks.add(asyncio.create_task(details(number)))

# %% consumer-1 right: a set of tasks, and the first to end
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    busy = set()
    async with asyncio.TaskGroup() as group:
        while True:
            while len(busy) >= at_most:
                await asyncio.wait(busy, return_when=asyncio.FIRST_COMPLETED)
            if (number := await queue.get()) is None:
                break
            task = group.create_task(details(number))
            busy.add(task)
            task.add_done_callback(busy.discard)

# %% worker-1 wrong: task_done only for what went well
# cause: for a failing item task_done is not called, so join waits for ever
# line: queue.task_done()
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
            queue.task_done()
        except Exception as error:
            failed.append((item, error))

# %% worker-1 wrong: a cancellation is a failure
# cause: BaseException also catches the cancellation, so the worker doesn't end and the item counts as failed
# line: except BaseException as error:
async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await work(item)
        except BaseException as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: an error ends the worker
# cause: the try is around the loop, so the first error ends the worker
# line: while True:
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    try:
        while True:
            item = await queue.get()
            try:
                await work(item)
            finally:
                queue.task_done()
    except Exception as error:
        failed.append((item, error))

# %% worker-1 wrong: goes home when nothing is there
# cause: ends when the queue is empty, though more may come
# line: while not queue.empty():
async def worker(queue, work, failed):
    while not queue.empty():
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: fails for what it knows
# cause: except is too narrow, any other error ends the worker
# line: except (ValueError, OSError) as error: | await work(item)
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except (ValueError, OSError) as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 right: a context manager for each item
from contextlib import asynccontextmanager


async def worker(queue, work, failed):
    @asynccontextmanager
    async def next_item():
        item = await queue.get()
        try:
            yield item
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

    while True:
        async with next_item() as item:
            await work(item)

# %% bucket-1 wrong: a bucket without a brim
# cause: the tokens are not limited to burst, so after a long rest too many start at once
# line: self.tokens += (now - self.seen) * self.rate
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens += (now - self.seen) * self.rate
            self.seen = now
            if self.tokens < 1:
                missing = (1 - self.tokens) / self.rate
                await asyncio.sleep(missing)
                self.tokens = 1
                self.seen = now + missing
            self.tokens -= 1

# %% bucket-1 wrong: empty at first
# cause: the bucket is empty in the beginning, not full
# line: self.tokens = 0.0
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens = 0.0
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
            self.seen = now
            if self.tokens < 1:
                missing = (1 - self.tokens) / self.rate
                await asyncio.sleep(missing)
                self.tokens, self.seen = 1, now + missing
            self.tokens -= 1

# %% bucket-1 wrong: who is cancelled keeps its token
# cause: the token is taken before the wait, so a cancelled task has used one up, and the others wait longer than they must
# line: self.tokens -= 1
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        self.tokens -= 1
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 wrong: whole tokens only
# cause: the fractions of a token are cut off each time somebody looks, so it drips too slowly
# line: int((now - self.seen) * self.rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + int((now - self.seen) * self.rate))
            self.seen = now
            if self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
                self.seen = now + 1 / self.rate
            else:
                self.tokens -= 1

# %% bucket-1 wrong: a task that drops them in
# cause: makes a task that drops the tokens in and never ends, though the bucket needs no task of its own
# line: asyncio.create_task(self.drip()) | await asyncio.sleep(
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.tokens = asyncio.Queue(burst)
        for _ in range(burst):
            self.tokens.put_nowait(None)
        self.task = asyncio.create_task(self.drip())

    async def drip(self):
        while True:
            await asyncio.sleep(1 / self.rate)
            if not self.tokens.full():
                self.tokens.put_nowait(None)

    async def take(self):
        """Take a token; wait for it if there is none."""
        await self.tokens.get()

# %% bucket-1 right: notes when it will be full
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.apart = 1 / rate
        self.slack = (burst - 1) / rate
        self.full_at = float("-inf")
        self.turn = asyncio.Lock()

    async def take(self):
        """Take a token; wait for it if there is none."""
        clock = asyncio.get_running_loop().time
        async with self.turn:
            if (wait := self.full_at - self.slack - clock()) > 0:
                await asyncio.sleep(wait)
            self.full_at = max(self.full_at, clock()) + self.apart

# %% bucket-1 right: a line to stand in
import asyncio

class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst, self.tokens = rate, burst, float(burst)
        self.loop = asyncio.get_running_loop()
        self.last = self.loop.time()
        self.turn = asyncio.Condition()
        self.line = []

    async def take(self):
        me = object()
        self.line.append(me)
        try:
            async with self.turn:
                await self.turn.wait_for(lambda: self.line[0] is me)
            while True:
                now = self.loop.time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens >= 1 - 1e-9:
                    self.tokens -= 1
                    return
                await asyncio.sleep((1 - self.tokens) / self.rate)
        finally:
            self.line.remove(me)
            async with self.turn:
                self.turn.notify_all()

# %% workers-1 wrong: join and forget
# cause: Nobody looks at the workers' tasks: the error of a failed fetch never comes out; its url is only missing from the dict (and if all workers have failed, `join` waits for ever).
# line: await queue.join() | return_exceptions=True
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def worker():
        while True:
            url = await queue.get()
            try:
                pages[url] = await fetch(url)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% workers-1 wrong: the error waits for the others
# cause: With `return_exceptions=True` gather waits until the other workers have done all that is left; the error comes out only then, not at once.
# line: results = await asyncio.gather(*(worker() for _ in range(workers)), return_exceptions=True)
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def worker():
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    results = await asyncio.gather(*(worker() for _ in range(workers)), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return pages

# %% workers-1 right: get_nowait until QueueEmpty, asyncio.wait
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        mine = {}
        while True:
            try:
                url = queue.get_nowait()
            except asyncio.QueueEmpty:
                return mine
            mine[url] = await fetch(url)

    tasks = [asyncio.ensure_future(worker()) for _ in range(workers)]
    pages = {}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            pages |= task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% feed-1 wrong: a falsy item ends a worker
# cause: The end is told by None, but the worker stops at any item that counts as false, as 0 or ""; that item is not sent, and the worker is missing from then on.
# line: while item := await queue.get():
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def worker():
        while item := await queue.get():
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 wrong: the Nones in a finally
# cause: The Nones are put in a `finally`, which waits for room in the queue: when the source fails, its error comes only after nearly all waiting items are sent; when the sends fail and nobody takes from a full queue any more, it hangs.
# line: finally: | await queue.put(None)
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        try:
            async for item in source:
                await queue.put(item)
        finally:
            for _ in range(workers):
                await queue.put(None)

# %% feed-1 right: a class, join, and cancelled workers
import asyncio


class _Feeder:
    def __init__(self, send, size):
        self.send = send
        self.queue = asyncio.Queue(size)

    async def work(self):
        while True:
            item = await self.queue.get()
            await self.send(item)
            self.queue.task_done()

    async def drive(self, source):
        async for item in source:
            await self.queue.put(item)
        await self.queue.join()


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    feeder = _Feeder(send, size)
    driver = asyncio.ensure_future(feeder.drive(source))
    tasks = [driver, *(asyncio.ensure_future(feeder.work()) for _ in range(workers))]
    try:
        # workers end by an error only, the driver by an error or when all is sent
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% consumer-1 wrong: the semaphore inside the tasks
# cause: All numbers are taken from the queue at once, and wait for their place in tasks; what can't begin yet should stay in the queue.
# line: while (number := await queue.get()) is not None: | group.create_task(one(number))
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        async with places:
            await details(number)

    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            group.create_task(one(number))

# %% consumer-1 wrong: tasks by number
# cause: The tasks are kept in a dict by their number: if the same number comes twice, the second task replaces the first, which no longer counts as under way and isn't waited for.
# line: under_way[number] = asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    under_way = {}
    while True:
        number = await queue.get()
        if number is None:
            break
        under_way = {n: task for n, task in under_way.items() if not task.done()}
        if len(under_way) >= at_most:
            await asyncio.wait(under_way.values(), return_when=asyncio.FIRST_COMPLETED)
            under_way = {n: task for n, task in under_way.items() if not task.done()}
        under_way[number] = asyncio.create_task(details(number))
    if under_way:
        await asyncio.wait(under_way.values())

# %% consumer-1 right: place first, then a number; callbacks give the place back
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)
    async with asyncio.TaskGroup() as group:
        while True:
            await places.acquire()
            match await queue.get():
                case None:
                    break
                case number:
                    task = group.create_task(details(number))
                    task.add_done_callback(lambda _: places.release())

# %% worker-1 wrong: the get inside the try
# cause: `get` stands inside the `try`: a worker that's cancelled while it waits for an item calls `task_done` once too often, and ends with a ValueError instead of the cancellation.
# line: item = await queue.get() | queue.task_done()
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    item = None
    while True:
        try:
            item = await queue.get()
            await work(item)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: a cancelled item is noted too
# cause: `except BaseException` notes the CancelledError as well; a cancelled item is not a failed one and must not be in `failed`.
# line: except BaseException as error: | failed.append((item, error))
import asyncio


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except BaseException as error:
            failed.append((item, error))
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            queue.task_done()

# %% worker-1 right: a context manager for an item
from contextlib import contextmanager


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""

    @contextmanager
    def noted(item):
        try:
            yield item
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

    while True:
        with noted(await queue.get()) as item:
            await work(item)

# %% bucket-1 wrong: who asks first is not served first
# cause: Everybody who waits sleeps for himself and then looks again; there is no queue, so one who comes at the right moment takes the token away from those who have waited longer.
# line: await asyncio.sleep((1 - self.tokens) / self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.then = asyncio.get_running_loop().time()

    def refill(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.then) * self.rate)
        self.then = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        self.refill()
        while self.tokens < 1:
            await asyncio.sleep((1 - self.tokens) / self.rate)
            self.refill()
        self.tokens -= 1

# %% bucket-1 wrong: a debt that stays
# cause: The token is taken before the wait, as a debt; a task that is cancelled while it waits has taken it all the same, and those after it wait longer than if it had never asked.
# line: self.tokens -= 1
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.then = asyncio.get_running_loop().time()

    def refill(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.then) * self.rate)
        self.then = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        self.refill()
        self.tokens -= 1
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 right: the time at which it was empty
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self._each = 1 / rate
        self._full = burst / rate
        # the bucket holds as many tokens as have dropped since this time
        self._empty_at = self._now() - self._full
        self._line = asyncio.Lock()

    @staticmethod
    def _now():
        return asyncio.get_running_loop().time()

    def refill(self):
        self._empty_at = max(self._empty_at, self._now() - self._full)

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self._line:
            self.refill()
            missing = self._empty_at + self._each - self._now()
            if missing > 1e-6:
                await asyncio.sleep(missing)
            self._empty_at += self._each

# %% workers-1 wrong: a fixed share for each worker
# cause: The urls are dealt out beforehand. A worker that is through with its share is idle while another has still urls to begin: fewer than `workers` fetches are under way.
# line: urls[number::workers]
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    pages = {}

    async def worker(share):
        for url in share:
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as group:
        for number in range(workers):
            group.create_task(worker(urls[number::workers]))
    return pages

# %% workers-1 wrong: waiting for a queue that nobody empties
# cause: If a fetch fails, its worker dies without task_done, and the error stays in the worker's task: join waits for ever (when all workers have died, or anyway, as this one's url is never done), and no error comes out.
# line: await queue.join()
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def worker():
        while True:
            url = await queue.get()
            pages[url] = await fetch(url)
            queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% workers-1 right: a window of tasks that is filled up
import asyncio
import itertools


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    urls = list(urls)
    coming = iter(urls)
    running, pages = {}, {}
    try:
        while True:
            for url in itertools.islice(coming, workers - len(running)):
                running[asyncio.ensure_future(fetch(url))] = url
            if not running:
                return {url: pages[url] for url in urls}
            done, _ = await asyncio.wait(
                running, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                pages[running[task]] = task.result()
                del running[task]
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

# %% feed-1 wrong: a falsy item is taken for the end
# cause: No item is None, but an item may be 0 or an empty text. The worker takes it for the sign of the end, does not send it, and is gone.
# line: if not item
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            item = await queue.get()
            if not item:
                return
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 wrong: the producer never learns of a failure
# cause: The workers are looked at only after the queue has been joined. If `send` fails, its worker is dead and its item never done: the error does not come out at once, and in the end put or join waits for ever.
# line: await queue.join() | async for item in source:
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while True:
            item = await queue.get()
            await send(item)
            queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        async for item in source:
            await queue.put(item)
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

# %% feed-1 right: one sign of the end that is handed on
import asyncio


class Feeder:
    END = object()

    def __init__(self, send, size):
        self.send = send
        self.queue = asyncio.Queue(size)

    async def produce(self, source):
        async for item in source:
            await self.queue.put(item)
        await self.queue.put(self.END)

    async def consume(self):
        while (item := await self.queue.get()) is not self.END:
            await self.send(item)
        self.queue.put_nowait(item)      # its place is still free: nobody else puts


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    feeder = Feeder(send, size)
    async with asyncio.TaskGroup() as group:
        group.create_task(feeder.produce(source))
        for _ in range(workers):
            group.create_task(feeder.consume())

# %% consumer-1 wrong: the semaphore in the task
# cause: Every number is taken out of the queue at once and waits in a task of its own for the semaphore; what can't begin yet ought to stay in the queue.
# line: group.create_task(one(number))
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        async with places:
            await details(number)

    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            group.create_task(one(number))

# %% consumer-1 wrong: tasks kept by their number
# cause: A number that comes twice replaces its first task in the dict while that still runs: it is not counted any more, so more than `at_most` are under way, and not waited for at the end.
# line: running[number] = asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    running = {}
    while (number := await queue.get()) is not None:
        while len(running) >= at_most:
            await asyncio.wait(running.values(), return_when=asyncio.FIRST_COMPLETED)
            running = {n: task for n, task in running.items() if not task.done()}
        running[number] = asyncio.create_task(details(number))
    if running:
        await asyncio.wait(running.values())

# %% consumer-1 right: workers that queue up for the queue
import asyncio


class Consumer:
    def __init__(self, queue, details):
        self.queue, self.details = queue, details
        self.turn = asyncio.Lock()
        self.over = False

    async def next(self):
        """The next number, or None for ever once None has come."""
        async with self.turn:
            if self.over:
                return None
            number = await self.queue.get()
            self.over = number is None
            return number

    async def work(self):
        while (number := await self.next()) is not None:
            await self.details(number)


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    one = Consumer(queue, details)
    async with asyncio.TaskGroup() as group:
        for _ in range(at_most):
            group.create_task(one.work())

# %% worker-1 wrong: a failed item is never done
# cause: After a failure `continue` jumps over task_done. The queue takes the item for unfinished, and who waits by `queue.join()` waits for ever.
# line: continue | queue.task_done()
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
            continue
        queue.task_done()

# %% worker-1 wrong: a cancelled item in the list
# cause: BaseException catches the cancellation too. The worker does end, but before that it writes the cancelled item down as a failed one.
# line: except BaseException as error
import asyncio


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except BaseException as error:
            failed.append((item, error))
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            queue.task_done()

# %% worker-1 right: a context manager that writes down
class Doing:
    """Ticks the item off; writes down the error it failed with."""

    def __init__(self, queue, item, failed):
        self.queue, self.item, self.failed = queue, item, failed

    def __enter__(self):
        return self.item

    def __exit__(self, kind, error, trace):
        is_failure = isinstance(error, Exception)
        if is_failure:
            self.failed.append((self.item, error))
        self.queue.task_done()
        return is_failure


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        with Doing(queue, await queue.get(), failed) as item:
            await work(item)

# %% bucket-1 wrong: the token is taken before the wait
# cause: The token is booked before the sleep. A task that is cancelled while it waits has taken its token all the same, and those behind it wait too long.
# line: self.tokens -= 1
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.last = asyncio.get_running_loop().time()

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
        self.last = now
        self.tokens -= 1
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 wrong: whole tokens only, once more
# cause: Only whole tokens drop in, and the time is set to now all the same: the part of a token that had gathered since the last look is lost. Who looks often makes the bucket slower than `rate`.
# line: int((now - self.last) * self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.last = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    def refill(self):
        now = asyncio.get_running_loop().time()
        new = int((now - self.last) * self.rate)
        self.tokens = min(self.burst, self.tokens + new)
        self.last = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            self.refill()
            if self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
                self.tokens += 1
                self.last = asyncio.get_running_loop().time()
            self.tokens -= 1

# %% bucket-1 right: only the time when it will be full again
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.clock = asyncio.get_running_loop().time
        self.drop = 1 / rate
        self.slack = (burst - 1) / rate
        self.full_at = self.clock()
        self.turn = asyncio.Lock()          # who asks first is served first

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.turn:
            missing = self.full_at - self.slack - self.clock()
            if missing > 0:
                await asyncio.sleep(missing)
            self.full_at = max(self.full_at, self.clock()) + self.drop

# %% workers-1 wrong: one round of the loop for the cleanup
# cause: the workers are cancelled and get one round of the loop to end; a fetch that cleans up for a while still runs
# line: await asyncio.sleep(0) | task.cancel() | tasks = [
import asyncio


async def fetch_all(fetch, urls, workers):
    left, pages = iter(urls), {}

    async def worker():
        for url in left:
            pages[url] = await fetch(url)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
    return pages

# %% feed-1 wrong: one round of the loop for the cleanup
# cause: the workers are cancelled and get one round of the loop to end; a `send` that cleans up for a while still runs
# line: await asyncio.sleep(0) | task.cancel() | tasks = [
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    async def put():
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)] + [asyncio.create_task(put())]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
        raise

# %% worker-1 wrong: cancelled, goes before the item has ended
# cause: the item is cancelled and not awaited: the worker has ended, and its item still cleans up
# line: task.cancel() | task = asyncio.
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        task = asyncio.ensure_future(work(item))
        try:
            await asyncio.shield(task)
        except Exception as error:
            failed.append((item, error))
        finally:
            task.cancel()
            queue.task_done()

# %% workers-1 wrong: a dead worker is not noticed
# cause: A fetch that fails ends its worker, and nobody asks for its error: it does not come out, and when all workers are dead `join` waits for ever.
# line: await queue.join() | await asyncio.gather(*tasks, return_exceptions=True)
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def work():
        while True:
            url = await queue.get()
            try:
                pages[url] = await fetch(url)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% workers-1 wrong: the error comes out, the others go on
# cause: `gather` raises the first error, but does not stop the other workers: they go on fetching after fetch_all has ended.
# line: await asyncio.gather(*(work() for _ in range(workers)))
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def work():
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    await asyncio.gather(*(work() for _ in range(workers)))
    return pages

# %% workers-1 right: a worker class, and a queue that runs empty
import asyncio


class Worker:
    def __init__(self, fetch, queue, pages):
        self.fetch, self.queue, self.pages = fetch, queue, pages

    async def __call__(self):
        while True:
            try:
                url = self.queue.get_nowait()
            except asyncio.QueueEmpty:
                return
            self.pages[url] = await self.fetch(url)


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue, pages = asyncio.Queue(), {}
    for url in urls:
        queue.put_nowait(url)

    worker = Worker(fetch, queue, pages)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return pages

# %% feed-1 wrong: all workers dead, the queue full
# cause: If `send` fails, the workers die and nobody takes from the queue: `put` waits for ever, and the error does not come out.
# line: await queue.put(item) | await asyncio.gather(*tasks) | tasks = [asyncio.create_task(work()) for _ in range(workers)] | async for item in source:
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def work():
        while (item := await queue.get()) is not None:
            await send(item)

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    async for item in source:
        await queue.put(item)
    for _ in tasks:
        await queue.put(None)
    await asyncio.gather(*tasks)

# %% feed-1 wrong: a falsy item ends a worker, again
# cause: An item such as 0 or "" counts as false, and ends the worker that takes it; it is not sent.
# line: while item := await queue.get():
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(maxsize=size)

    async def work():
        while item := await queue.get():
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 right: one end mark, handed on
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)
    end = object()

    async def work():
        item = await queue.get()
        while item is not end:
            await send(item)
            item = await queue.get()
        await queue.put(end)

    async with asyncio.TaskGroup() as group:
        [group.create_task(work()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.put(end)

# %% consumer-1 wrong: 0 is the end
# cause: The number 0 counts as false, and ends the consumer as if it were None.
# line: while number := await queue.get():
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        try:
            await details(number)
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        while number := await queue.get():
            await places.acquire()
            group.create_task(one(number))

# %% consumer-1 wrong: the whole queue is emptied
# cause: Every number is taken at once, and waits in a task of its own for its place: those that can't begin yet should stay in the queue.
# line: group.create_task(one(number))
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)

    async def one(number):
        async with places:
            await details(number)

    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            group.create_task(one(number))

# %% consumer-1 right: places given back by callbacks
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)
    async with asyncio.TaskGroup() as group:
        while True:
            await places.acquire()
            number = await queue.get()
            if number is None:
                break
            task = group.create_task(details(number))
            task.add_done_callback(lambda _: places.release())

# %% worker-1 wrong: done once too often
# cause: The `get` stands inside the try: a worker that is cancelled while it waits for an item calls task_done for none, and ends with a ValueError.
# line: item = await queue.get() | queue.task_done()
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        try:
            item = await queue.get()
            await work(item)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: a failed item is never done, again
# cause: After an error `task_done` is skipped: `queue.join()` waits for the failed item for ever.
# line: queue.task_done() | continue
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
            continue
        queue.task_done()

# %% worker-1 right: a context manager keeps the books
from contextlib import contextmanager


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    @contextmanager
    def booked(item):
        try:
            yield
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

    while True:
        item = await queue.get()
        with booked(item):
            await work(item)

# %% bucket-1 wrong: who is cancelled still holds up the others
# cause: Each waiter computes its time when it asks; if one before it is cancelled, the token is given back, but those behind go on sleeping for their old, longer time.
# line: await asyncio.sleep(-self.tokens / self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        self.tokens -= 1
        if self.tokens < 0:
            try:
                await asyncio.sleep(-self.tokens / self.rate)
            except asyncio.CancelledError:
                self.tokens += 1
                raise

# %% bucket-1 wrong: whole tokens only, again
# cause: The fraction of a token that has dropped in is thrown away each time somebody looks, because `seen` is set to now: whoever looks often waits too long.
# line: int((now - self.seen) * self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    def look(self):
        now = asyncio.get_running_loop().time()
        dropped = int((now - self.seen) * self.rate)
        self.tokens = min(self.burst, self.tokens + dropped)
        self.seen = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            self.look()
            if self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
                self.tokens += 1
                self.seen = asyncio.get_running_loop().time()
            self.tokens -= 1

# %% bucket-1 right: one at a time looks, by the time of the next token
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.gap = 1 / rate
        self.span = burst / rate
        self.clock = asyncio.get_running_loop().time
        self.spent = self.clock() - self.span
        self.line = asyncio.Lock()

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.line:
            self.spent = max(self.spent, self.clock() - self.span)
            wait = self.spent + self.gap - self.clock()
            if wait > 1e-9:
                await asyncio.sleep(wait)
            self.spent += self.gap

# %% feed-1 wrong: one mark for all the workers
# cause: one worker takes the None; the others wait for ever
# line: await queue.put(None) | item = await queue.get()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def work():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        async for item in source:
            await queue.put(item)
        await queue.put(None)

# %% feed-1 wrong: an unbounded queue
# cause: the queue has no size: all items are taken into memory
# line: asyncio.Queue()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue()

    async def work():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 wrong: task_done is missing after an error
# cause: if send fails, its worker dies silently; join waits for ever
# line: await queue.join() | await send(item) | async for item in source:
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def work():
        while True:
            item = await queue.get()
            await send(item)
            queue.task_done()

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        async for item in source:
            await queue.put(item)
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% feed-1 wrong: ends on falsy items
# cause: an item that counts as false ends its worker
# line: while item := await queue.get()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def work():
        while item := await queue.get():
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% bucket-1 wrong: a reserved moment isn't given back
# cause: a task that is cancelled while it waits keeps its token: those behind it wait longer
# line: self.tokens -= 1 | await asyncio.sleep
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        self.tokens -= 1
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 wrong: a lock and a token taken before the wait
# cause: a task that is cancelled while it waits has taken its token already
# line: self.tokens -= 1 | await asyncio.sleep
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
            self.seen = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 right: the time is set to the end of the wait
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.seen = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
            self.seen = now
            if self.tokens < 1:
                wait = (1 - self.tokens) / self.rate
                self.seen = now + wait
                self.tokens = 1
                await asyncio.sleep(wait)
            self.tokens -= 1

# %% bound-1 wrong: save for slowest
# cause: save takes 0.025 s an item, fetch 0.03
# line: none
answers = {"slowest": "save", "seconds": 2.5, "workers": 15}

# %% bound-1 wrong: one worker for each
# cause: 100 items of 0.3 s one after another; and the workers are those that are there
# line: none
answers = {"slowest": "fetch", "seconds": 30, "workers": 10}

# %% bound-1 wrong: the ends, and the workers that are there
# cause: the first item has to be read and the last one saved; 10 workers are too few
# line: none
answers = {"slowest": "fetch", "seconds": 3.0, "workers": 10}

# %% bound-1 wrong: nearly
# cause: the ends are counted wrong, and one worker too many
# line: none
answers = {"slowest": "fetch", "seconds": 3.35, "workers": 16}

# %% bound-1 wrong: forgets the way of one item through all stages
# cause: the first item must still pass the other stages, so it is 0.37 s and nine more rounds of 0.3 s
# line: "seconds": 3.0 | answers = {
answers = {
    "slowest": "fetch",
    "seconds": 3.0,  # ten rounds of ten, 0.3 s each
    "workers": 15,
}

# %% workers-1 wrong: any error is the end of the queue
# cause: the except is meant for the end of the queue, and swallows the error of a fetch too
# line: except Exception: | return  # the queue is empty
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    pages = {}
    queue = Queue()
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown()

    async def worker():
        while True:
            try:
                url = await queue.get()
                pages[url] = await fetch(url)
            except Exception:
                return  # the queue is empty

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return pages

# %% workers-1 wrong: in batches, again
# cause: the next fetches begin only when the whole batch is done, so fewer than workers are in flight
# line: async with asyncio.TaskGroup() as batch: | while not queue.empty():
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    for url in urls:
        await queue.put(url)

    tasks = {}
    while not queue.empty():
        async with asyncio.TaskGroup() as batch:
            for _ in range(min(workers, queue.qsize())):
                url = await queue.get()
                tasks[url] = batch.create_task(fetch(url))
    return {url: task.result() for url, task in tasks.items()}

# %% workers-1 wrong: fills a bounded queue before anybody takes
# cause: with more urls than workers the put waits for room, and no worker has been started yet
# line: queue = Queue(workers) | await queue.put(url)
import asyncio
from contextlib import suppress

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = Queue(workers)
    for url in urls:
        await queue.put(url)
    queue.shutdown()

    async def worker(number: int) -> dict:
        mine = {}
        with suppress(QueueShutDown):
            while True:
                url = await queue.get()
                mine[url] = await fetch(url)
        return mine

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker(number)) for number in range(workers)]
    return {url: page for task in tasks for url, page in task.result().items()}

# %% workers-1 right: wait for the first exception, cancel the rest
import asyncio


async def fetch_all(fetch, urls, workers):
    queue, pages = asyncio.Queue(), {}
    for url in urls:
        queue.put_nowait(url)

    async def work():
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    crew = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        done, _ = await asyncio.wait(crew, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        return pages
    finally:
        for task in crew:
            task.cancel()
        await asyncio.gather(*crew, return_exceptions=True)

# %% workers-1 right: an async iterator over the queue
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


class Taken:
    """The items of a queue, until it has been shut down."""

    def __init__(self, queue):
        self.queue = queue

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return await self.queue.get()
        except QueueShutDown:
            raise StopAsyncIteration from None


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = Queue()
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown()

    async def worker():
        return [(url, await fetch(url)) async for url in Taken(queue)]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
    return dict(pair for task in tasks for pair in task.result())

# %% feed-1 wrong: says task_done when the item is taken
# cause: join returns when the last item has been taken, not sent, and the worker that sends it is cancelled
# line: queue.task_done() | await queue.join() | worker.cancel()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def work():
        while True:
            item = await queue.get()
            queue.task_done()
            await send(item)

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(work()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.join()
        for worker in crew:
            worker.cancel()

# %% feed-1 wrong: gather leaves the others running
# cause: gather lets the first error out and cancels none of the others
# line: await asyncio.gather(produce(), *(consume() for _ in range(workers)))
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def produce():
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

    async def consume():
        while (item := await queue.get()) is not None:
            await send(item)

    await asyncio.gather(produce(), *(consume() for _ in range(workers)))

# %% feed-1 wrong: takes an item before a worker is free
# cause: an item is taken from the queue and then waits for a slot, so one more item is held than allowed
# line: await slots.acquire() | while (item := await queue.get()) is not None:
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)
    slots = asyncio.Semaphore(workers)

    async def read():
        async for item in source:
            await queue.put(item)
        await queue.put(None)  # no more

    async def deliver(item):
        await send(item)
        slots.release()

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        while (item := await queue.get()) is not None:
            await slots.acquire()
            group.create_task(deliver(item))

# %% feed-1 right: one None that is handed on
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)
        queue.put_nowait(None)  # for the next one; this None has left room

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        await queue.put(None)

# %% feed-1 right: join beside the workers
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def read():
        async for item in source:
            await queue.put(item)
        await queue.join()

    async def work():
        while True:
            await send(await queue.get())
            queue.task_done()

    reading = asyncio.create_task(read())
    tasks = [reading, *(asyncio.create_task(work()) for _ in range(workers))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% consumer-1 wrong: stops at the number 0
# cause: the walrus takes the number 0 for the end
# line: while number := await queue.get():
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    running = set()
    while number := await queue.get():
        if len(running) == at_most:
            _, running = await asyncio.wait(
                running, return_when=asyncio.FIRST_COMPLETED
            )
        running.add(asyncio.create_task(details(number)))
    if running:
        await asyncio.wait(running)

# %% consumer-1 wrong: a number that comes twice is forgotten
# cause: the tasks are kept under their numbers, so of two equal ones only the second is counted and waited for
# line: tasks[number] = asyncio.create_task(details(number)) | tasks = {}
import asyncio


async def consumer(queue, details, at_most):
    tasks = {}
    while True:
        number = await queue.get()
        if number is None:
            break
        while len(tasks) >= at_most:
            await asyncio.wait(tasks.values(), return_when=asyncio.FIRST_COMPLETED)
            tasks = {key: task for key, task in tasks.items() if not task.done()}
        tasks[number] = asyncio.create_task(details(number))
    await asyncio.gather(*tasks.values())

# %% consumer-1 wrong: waits for all when it is full
# cause: when so many are in flight it waits for all of them, not for the first that ends
# line: await asyncio.wait(in_flight) | if len(in_flight) >= at_most:
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    in_flight = set()

    def begin(number: int) -> None:
        task = asyncio.create_task(details(number))
        in_flight.add(task)
        task.add_done_callback(in_flight.discard)

    while (number := await queue.get()) is not None:
        if len(in_flight) >= at_most:
            await asyncio.wait(in_flight)
        begin(number)
    if in_flight:
        await asyncio.wait(in_flight)

# %% consumer-1 right: first a slot, then a number
import asyncio


async def consumer(queue, details, at_most):
    slots = asyncio.Semaphore(at_most)
    async with asyncio.TaskGroup() as group:
        while True:
            await slots.acquire()
            number = await queue.get()
            if number is None:
                break
            task = group.create_task(details(number))
            task.add_done_callback(lambda _: slots.release())

# %% consumer-1 right: wait for the first that ends
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    running = set()
    try:
        while (number := await queue.get()) is not None:
            running = {task for task in running if not task.done()}
            if len(running) >= at_most:
                _, running = await asyncio.wait(
                    running, return_when=asyncio.FIRST_COMPLETED
                )
            running.add(asyncio.create_task(details(number)))
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()

# %% worker-1 wrong: a cancelled item is noted as failed
# cause: BaseException includes the cancellation, so the cancelled item is appended to failed
# line: except BaseException as error: | failed.append((item, error))
import asyncio


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except BaseException as error:
            failed.append((item, error))
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            queue.task_done()

# %% worker-1 wrong: the item goes on when its worker is cancelled
# cause: a cancelled asyncio.wait does not cancel what it waits for, so the work of the item goes on
# line: await asyncio.wait([doing]) | doing = asyncio.create_task(work(item))
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        doing = asyncio.create_task(work(item))
        await asyncio.wait([doing])
        if (error := doing.exception()) is not None:
            failed.append((item, error))
        queue.task_done()

# %% worker-1 wrong: ends at an item None
# cause: None is an item like any other here, and ends the worker
# line: while (item := await queue.get()) is not None:
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""

    async def attempt(item):
        try:
            await work(item)
        except Exception as error:
            return error

    while (item := await queue.get()) is not None:
        error = await attempt(item)
        if error is not None:
            failed.append((item, error))
        queue.task_done()

# %% worker-1 right: a context manager for each item, again
from contextlib import contextmanager


@contextmanager
def settling(queue, item, failed):
    try:
        yield
    except Exception as error:
        failed.append((item, error))
    finally:
        queue.task_done()


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        with settling(queue, item, failed):
            await work(item)

# %% worker-1 right: a group with one task
import asyncio
from contextlib import ExitStack


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""

    async def one(item):
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))

    while True:
        item = await queue.get()
        with ExitStack() as stack:
            stack.callback(queue.task_done)
            async with asyncio.TaskGroup() as group:
                group.create_task(one(item))

# %% bucket-1 wrong: a cancelled task has taken its token
# cause: the token is taken before the wait, and nobody gives it back when the wait is cancelled
# line: self.tokens -= 1 | await asyncio.sleep(-self.tokens / self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.looked = asyncio.get_running_loop().time()

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        dropped = (now - self.looked) * self.rate
        self.tokens = min(self.burst, self.tokens + dropped)
        self.looked = now
        self.tokens -= 1  # below zero: so many are in line
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 wrong: whoever looks first has the token
# cause: there is no line: each sleeps for himself, and one who asks later may take the token
# line: await asyncio.sleep((1 - self._tokens) / self._rate) | if self._tokens > 1 - 1e-9: | while True: | none
import asyncio


class TokenBucket:
    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._seen = self._now()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _refill(self) -> None:
        before, self._seen = self._seen, self._now()
        gained = (self._seen - before) * self._rate
        self._tokens = min(self._burst, self._tokens + gained)

    async def take(self) -> None:
        while True:
            self._refill()
            if self._tokens > 1 - 1e-9:
                self._tokens -= 1
                return
            await asyncio.sleep((1 - self._tokens) / self._rate)

# %% bucket-1 wrong: waits for a whole token
# cause: a part of the token is there already, so the wait of 1 / rate is longer than it must be
# line: await asyncio.sleep(1 / self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.last = asyncio.get_running_loop().time()
        self.turn = asyncio.Lock()  # its waiters are served in their order

    def look(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + self.rate * (now - self.last))
        self.last = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.turn:
            self.look()
            if self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
                self.look()
            self.tokens -= 1

# %% bucket-1 right: a lock, and the moment when the bucket was empty
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.apart, self.full = 1 / rate, burst / rate
        self.clock = asyncio.get_running_loop().time
        self.empty = self.clock() - self.full
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            self.empty = max(self.empty, self.clock() - self.full)
            wait = self.empty + self.apart - self.clock()
            if wait > 1e-9:
                await asyncio.sleep(wait)
            self.empty += self.apart

# %% bucket-1 right: a line of events
import asyncio
from collections import deque


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.since = asyncio.get_running_loop().time()
        self.line = deque()

    def drop_in(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.since) * self.rate)
        self.since = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        first = asyncio.Event()
        self.line.append(first)
        try:
            if self.line[0] is not first:
                await first.wait()
            self.drop_in()
            missing = 1 - self.tokens
            if missing > 1e-9:
                await asyncio.sleep(missing / self.rate)
                self.drop_in()
            self.tokens -= 1
        finally:
            self.line.remove(first)
            if self.line:
                self.line[0].set()

# %% workers-1 wrong: gather leaves the others running
# cause: if a fetch fails, the other workers go on
# line: await asyncio.gather(*(worker() for _ in range(workers)))
import asyncio
from contextlib import suppress

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = Queue()
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown()
    pages = {}

    async def worker():
        with suppress(QueueShutDown):
            while True:
                url = await queue.get()
                pages[url] = await fetch(url)

    await asyncio.gather(*(worker() for _ in range(workers)))
    return pages

# %% workers-1 wrong: in batches, again, again
# cause: it waits for a whole batch before it begins the next one, so fewer than `workers` are in flight
# line: async with asyncio.TaskGroup() as group: | while not queue.empty(): | batch =
import asyncio

from helpers.basics.backports import Queue


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    for url in urls:
        await queue.put(url)

    pages = {}
    while not queue.empty():
        batch = [queue.get_nowait() for _ in range(min(workers, queue.qsize()))]
        async with asyncio.TaskGroup() as group:
            tasks = {url: group.create_task(fetch(url)) for url in batch}
        pages.update((url, task.result()) for url, task in tasks.items())
    return pages

# %% workers-1 right: until the queue is empty, again
import asyncio

from helpers.basics.backports import Queue


async def fetch_all(fetch, urls, workers):
    queue, pages = Queue(), {}
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return pages

# %% feed-1 wrong: task_done before the item is sent
# cause: an item counts as done before it is sent, so join returns, and the workers are cancelled, while the last items are on the way
# line: queue.task_done() | await queue.join() | task.cancel()
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            item = await queue.get()
            queue.task_done()
            await send(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.join()
        for task in tasks:
            task.cancel()

# %% feed-1 wrong: the sentinels in a finally
# cause: after an error it still waits for room in the queue for the Nones, so the error comes out late, or never
# line: await queue.put(None) | finally:
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def produce():
        try:
            async for item in source:
                await queue.put(item)
        finally:
            for _ in range(workers):
                await queue.put(None)

    async def consume():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        group.create_task(produce())
        for _ in range(workers):
            group.create_task(consume())

# %% feed-1 right: one None that is handed on, again
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)
        queue.put_nowait(None)  # for the next worker: there is room, it was just taken

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        await queue.put(None)

# %% consumer-1 wrong: the places are given back at once
# cause: inside the semaphore the task is only created, so the place is free again at once and there is no limit
# line: running.append(asyncio.create_task(details(number))) | async with places:
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    places = asyncio.Semaphore(at_most)
    running = []
    while True:
        number = await queue.get()
        if number is None:
            break
        async with places:
            running.append(asyncio.create_task(details(number)))
    await asyncio.gather(*running)

# %% consumer-1 wrong: a dict by number
# cause: the tasks are kept by number, so a number that comes a second time displaces the first, which is neither counted nor waited for
# line: running[number] = asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    running = {}
    while (number := await queue.get()) is not None:
        while len(running) >= at_most:
            await asyncio.wait(running.values(), return_when=asyncio.FIRST_COMPLETED)
            running = {n: task for n, task in running.items() if not task.done()}
        running[number] = asyncio.create_task(details(number))
    if running:
        await asyncio.wait(running.values())

# %% consumer-1 right: first a place, then a number
import asyncio


async def consumer(queue, details, at_most):
    places = asyncio.Semaphore(at_most)
    async with asyncio.TaskGroup() as group:
        while await places.acquire():
            if (number := await queue.get()) is None:
                return
            task = group.create_task(details(number))
            task.add_done_callback(lambda _: places.release())

# %% worker-1 wrong: puts it back into the queue
# cause: a failing item is put into the queue again and done more than once
# line: await queue.put(item)
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
            await queue.put(item)  # so that it isn't lost
        finally:
            queue.task_done()

# %% worker-1 wrong: the item goes on when the worker is cancelled
# cause: asyncio.wait does not cancel the task that it waits for, so the item goes on after its worker was cancelled
# line: await asyncio.wait({task}) | task = asyncio.create_task(work(item))
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            task = asyncio.create_task(work(item))
            await asyncio.wait({task})
            if error := task.exception():
                failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 right: a context manager for each item, again, again
from contextlib import contextmanager


async def worker(queue, work, failed):
    @contextmanager
    def noted(item):
        try:
            yield
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

    while True:
        item = await queue.get()
        with noted(item):
            await work(item)

# %% bucket-1 wrong: sleeps for a whole token
# cause: it sleeps as long as a whole token takes, although a part of it may have dropped already
# line: await asyncio.sleep(1 / self.rate)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.looked = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    def look(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.looked) * self.rate)
        self.looked = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self.lock:
            self.look()
            while self.tokens < 1 - 1e-9:
                await asyncio.sleep(1 / self.rate)
                self.look()
            self.tokens -= 1

# %% bucket-1 wrong: a cancelled task has its token reserved
# cause: the token is taken before the wait and not given back when the task is cancelled, so the others wait for it
# line: self.tokens -= 1 | await asyncio.sleep(-self.tokens / self.rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens, self.then = burst, self.now()

    @staticmethod
    def now():
        return asyncio.get_running_loop().time()

    async def take(self):
        now = self.now()
        dropped = (now - self.then) * self.rate
        self.tokens, self.then = min(self.tokens + dropped, self.burst), now
        self.tokens -= 1  # may be negative: a debt
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 right: remembers when it was empty
import asyncio


class TokenBucket:
    """`empty` is the time at which, without a burst, the bucket was empty."""

    def __init__(self, rate, burst):
        self.each, self.full = 1 / rate, burst / rate
        self.clock = asyncio.get_running_loop().time
        self.empty = self.clock() - self.full
        self.turn = asyncio.Lock()

    async def take(self):
        async with self.turn:
            now = self.clock()
            self.empty = max(self.empty, now - self.full)
            due = self.empty + self.each
            if due > now:
                await asyncio.sleep(due - now)
            self.empty = due

# %% workers-1 wrong: join and forget, again
# cause: the error of a fetch ends its worker silently; nobody ever awaits the workers, so the error never comes out (or join hangs).
# line: await queue.join() | await asyncio.gather(*crew, return_exceptions=True)
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    for url in urls:
        queue.put_nowait(url)
    pages = {}

    async def worker():
        while True:
            url = await queue.get()
            try:
                pages[url] = await fetch(url)
            finally:
                queue.task_done()

    crew = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await queue.join()
    finally:
        for task in crew:
            task.cancel()
        await asyncio.gather(*crew, return_exceptions=True)
    return pages

# %% workers-1 wrong: cancels and does not wait
# cause: after a failure the other workers are cancelled but not awaited, so they still run (and clean up) when the error comes out.
# line: task.cancel()
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown()
    pages = {}

    async def worker():
        while True:
            try:
                url = await queue.get()
            except QueueShutDown:
                return
            pages[url] = await fetch(url)

    crew = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await asyncio.wait(crew, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in crew:
            task.cancel()
    for task in crew:
        if task.done():
            task.result()
    return pages

# %% workers-1 right: gather and a finally
import asyncio
import contextlib

from helpers.basics.backports import Queue, QueueShutDown


async def _work(queue, fetch, store):
    with contextlib.suppress(QueueShutDown):
        while True:
            url = await queue.get()
            store(url, await fetch(url))


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown()
    crew = [
        asyncio.ensure_future(_work(queue, fetch, pages.__setitem__))
        for _ in range(workers)
    ]
    try:
        await asyncio.gather(*crew)
    finally:
        for task in crew:
            task.cancel()
        await asyncio.wait(crew)
    return pages

# %% feed-1 wrong: ends put without waiting
# cause: the queue is bounded, so put_nowait of the ends raises QueueFull while items still wait in it.
# line: queue.put_nowait(None)
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            item = await queue.get()
            if item is None:
                return
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            queue.put_nowait(None)

# %% feed-1 wrong: looks at the workers last
# cause: while it feeds, nobody looks at the workers: an error of send comes out only after the source has ended, or never when all workers are dead and put waits for ever.
# line: await queue.put(item) | await asyncio.gather(*crew)
# told: none
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    crew = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)
        await asyncio.gather(*crew)
    finally:
        for task in crew:
            task.cancel()
        await asyncio.gather(*crew, return_exceptions=True)

# %% feed-1 right: join, then dismiss the workers
import asyncio


class _Feeder:
    def __init__(self, send, size):
        self.send = send
        self.queue = asyncio.Queue(size)

    async def worker(self):
        while True:
            await self.send(await self.queue.get())
            self.queue.task_done()

    async def run(self, source, workers):
        async with asyncio.TaskGroup() as group:
            crew = [group.create_task(self.worker()) for _ in range(workers)]
            async for item in source:
                await self.queue.put(item)
            await self.queue.join()
            for task in crew:
                task.cancel()


async def feed(source, send, workers, size):
    await _Feeder(send, size).run(source, workers)

# %% consumer-1 wrong: collects one slot too few
# cause: at the end it collects all slots but one, so it returns while one number may still be in flight.
# line: for _ in range(at_most - 1):
# told: task = asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    slots = asyncio.Semaphore(at_most)
    tasks = set()

    def ended(task):
        tasks.discard(task)
        slots.release()

    while True:
        number = await queue.get()
        if number is None:
            break
        await slots.acquire()
        task = asyncio.create_task(details(number))
        tasks.add(task)
        task.add_done_callback(ended)
    # all slots are back: nothing is in flight any more
    for _ in range(at_most - 1):
        await slots.acquire()

# %% consumer-1 right: a slot given back by a callback
import asyncio


async def consumer(queue, details, at_most):
    free = asyncio.Semaphore(at_most)

    def give_back(_task):
        free.release()

    async with asyncio.TaskGroup() as group:
        while await free.acquire():
            number = await queue.get()
            if number is None:
                break
            group.create_task(details(number)).add_done_callback(give_back)

# %% worker-1 wrong: get inside the try
# cause: a worker that is cancelled while it waits for an item calls task_done for an item it never got: ValueError instead of the cancellation, or a wrong count.
# line: item = await queue.get() | queue.task_done()
async def worker(queue, work, failed):
    item = None
    while True:
        try:
            item = await queue.get()
            await work(item)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: shields the item
# cause: when the worker is cancelled, the item goes on in its own task behind the shield, instead of ending with the worker.
# line: await asyncio.shield(work(item))
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await asyncio.shield(work(item))
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 right: a context manager keeps the books, again
class _Booked:
    def __init__(self, queue, item, failed):
        self.queue, self.item, self.failed = queue, item, failed

    def __enter__(self):
        return self.item

    def __exit__(self, kind, error, traceback):
        try:
            if isinstance(error, Exception):
                self.failed.append((self.item, error))
                return True
            return False
        finally:
            self.queue.task_done()


async def worker(queue, work, failed):
    while True:
        with _Booked(queue, await queue.get(), failed) as item:
            await work(item)

# %% bucket-1 wrong: gives the token back, but wakes nobody
# cause: a cancelled task gives its reservation back, but those behind it already sleep for the time that counted it in, so they wait too long.
# line: await asyncio.sleep(-self.tokens / self.rate) | self.tokens += 1
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.looked = asyncio.get_running_loop().time()

    async def take(self):
        now = asyncio.get_running_loop().time()
        dropped = (now - self.looked) * self.rate
        self.tokens = min(self.burst, self.tokens + dropped)
        self.looked = now
        self.tokens -= 1
        if self.tokens < 0:
            try:
                await asyncio.sleep(-self.tokens / self.rate)
            except asyncio.CancelledError:
                self.tokens += 1
                raise

# %% bucket-1 wrong: only whole tokens drop
# cause: at each look the fraction of a token that has dropped in is thrown away, so tasks wait longer than they must.
# line: dropped = int( | self.looked = now
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.looked = asyncio.get_running_loop().time()
        self.turn = asyncio.Lock()

    def refill(self):
        now = asyncio.get_running_loop().time()
        dropped = int((now - self.looked) * self.rate + 1e-9)
        self.tokens = min(self.burst, self.tokens + dropped)
        self.looked = now

    async def take(self):
        async with self.turn:
            self.refill()
            while self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
                self.refill()
            self.tokens -= 1

# %% bucket-1 right: counts in times instead of tokens
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self._gap = 1 / rate
        self._ahead = (burst - 1) / rate
        self._clock = asyncio.get_running_loop().time
        self._full_at = self._clock()
        self._turn = asyncio.Lock()

    async def take(self):
        async with self._turn:
            # one token is there when the bucket is at most burst - 1 gaps from full
            missing = self._full_at - self._ahead - self._clock()
            if missing > 0:
                await asyncio.sleep(missing)
            self._full_at = max(self._full_at, self._clock()) + self._gap

# %% consumer-1 wrong: a dict of tasks by number
# cause: if a number comes twice, the second task replaces the first in the dict, and at the end the first is not waited for.
# line: running[number] = | running = {}
import asyncio


async def consumer(queue, details, at_most):
    slots = asyncio.Semaphore(at_most)
    running = {}

    async def one(number):
        try:
            await details(number)
        finally:
            slots.release()

    while True:
        await slots.acquire()
        number = await queue.get()
        if number is None:
            break
        running[number] = asyncio.create_task(one(number))
    await asyncio.gather(*running.values())

# %% workers-1 wrong: shuts the queue down at once
# cause: shutdown(immediate=True) empties the queue before a worker has taken anything, so no url is fetched
# line: queue.shutdown(immediate=True)
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)
    queue.shutdown(immediate=True)

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
    return pages

# %% workers-1 wrong: waits for the queue only
# cause: if a fetch fails its worker dies without the error being looked at, and join never returns (or the error is lost)
# line: await queue.join() | await asyncio.gather(*tasks, return_exceptions=True)
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    pages = {}
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        while True:
            url = await queue.get()
            try:
                pages[url] = await fetch(url)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% workers-1 right: asyncio.wait and by-hand clean-up
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


class _Crew:
    def __init__(self, fetch, urls):
        self.fetch = fetch
        self.pages = {}
        self.queue = Queue()
        for url in urls:
            self.queue.put_nowait(url)
        self.queue.shutdown()

    async def one(self):
        while True:
            try:
                url = await self.queue.get()
            except QueueShutDown:
                break
            self.pages[url] = await self.fetch(url)


async def fetch_all(fetch, urls, workers):
    crew = _Crew(fetch, urls)
    tasks = [asyncio.ensure_future(crew.one()) for _ in range(workers)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return crew.pages

# %% feed-1 wrong: one None for all workers
# cause: only one end mark is put, so only one worker ends and the others wait for ever
# line: await queue.put(None)
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        await queue.put(None)

# %% feed-1 wrong: cancels when the queue is empty
# cause: an empty queue does not mean that the workers have sent what they took; the last items are cancelled in the middle of send
# line: while not queue.empty(): | task.cancel()
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while True:
            item = await queue.get()
            await send(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        while not queue.empty():
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()

# %% feed-1 right: one end mark that is handed on
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)
    end = object()

    async def produce():
        async for item in source:
            await queue.put(item)
        await queue.put(end)

    async def consume():
        while True:
            item = await queue.get()
            if item is end:
                queue.put_nowait(end)
                return
            await send(item)

    async with asyncio.TaskGroup() as group:
        group.create_task(produce())
        for _ in range(workers):
            group.create_task(consume())

# %% consumer-1 wrong: tasks by number, again
# cause: the running tasks are kept in a dict by number, so the same number coming twice overwrites its first task, which is neither counted nor waited for
# line: running[number] = asyncio.create_task(details(number))
import asyncio


async def consumer(queue, details, at_most):
    running = {}
    while (number := await queue.get()) is not None:
        while len(running) >= at_most:
            await asyncio.wait(running.values(), return_when=asyncio.FIRST_COMPLETED)
            for key in [key for key, task in running.items() if task.done()]:
                del running[key]
        running[number] = asyncio.create_task(details(number))
        for key in [key for key, task in running.items() if task.done()]:
            del running[key]
    if running:
        await asyncio.wait(running.values())

# %% consumer-1 wrong: the slot is taken inside the task
# cause: every number gets a task as soon as it comes and waits there for the semaphore, so the queue is emptied instead of keeping what can't begin
# line: async with slots: | group.create_task(one(number))
import asyncio


async def consumer(queue, details, at_most):
    slots = asyncio.Semaphore(at_most)

    async def one(number):
        async with slots:
            await details(number)

    async with asyncio.TaskGroup() as group:
        while True:
            number = await queue.get()
            if number is None:
                break
            group.create_task(one(number))

# %% consumer-1 right: semaphore and done callbacks
import asyncio


async def consumer(queue, details, at_most):
    slots = asyncio.Semaphore(at_most)
    tasks = set()

    def ended(task):
        tasks.discard(task)
        slots.release()

    try:
        while True:
            await slots.acquire()
            number = await queue.get()
            if number is None:
                break
            task = asyncio.create_task(details(number))
            tasks.add(task)
            task.add_done_callback(ended)
        while tasks:
            await asyncio.wait(set(tasks))
            await asyncio.sleep(0)
    finally:
        for task in tasks:
            task.cancel()

# %% worker-1 wrong: notes a cancellation as a failure
# cause: a cancellation of work (BaseException) is noted as a failed item and the worker goes on instead of ending
# line: except BaseException as error:
async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await work(item)
        except BaseException as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% worker-1 wrong: tries again by putting it back
# cause: a failing item is put back once and done a second time, although each is to be done once
# line: queue.put_nowait(item)
async def worker(queue, work, failed):
    seen = []
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            if item in seen:
                failed.append((item, error))
            else:
                seen.append(item)
                queue.put_nowait(item)
        finally:
            queue.task_done()

# %% worker-1 right: a context manager that notes the error
class _Note:
    def __init__(self, queue, item, failed):
        self.queue, self.item, self.failed = queue, item, failed

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        swallow = isinstance(error, Exception)
        if swallow:
            self.failed.append((self.item, error))
        self.queue.task_done()
        return swallow


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        with _Note(queue, item, failed):
            await work(item)

# %% bucket-1 wrong: no upper limit
# cause: after a long rest the bucket holds more than burst tokens, because the refill isn't capped
# line: self.tokens += (now - self.last) * self.rate
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.last = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    def refill(self):
        now = asyncio.get_running_loop().time()
        self.tokens += (now - self.last) * self.rate
        self.last = now

    async def take(self):
        async with self.lock:
            self.refill()
            while self.tokens < 1 - 1e-9:
                await asyncio.sleep((1 - self.tokens) / self.rate)
                self.refill()
            self.tokens -= 1

# %% bucket-1 wrong: the debt of a cancelled task stays
# cause: the token is taken before the wait and isn't given back when the task is cancelled, so the others wait for it
# line: self.tokens -= 1 | await asyncio.sleep(-self.tokens / self.rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.tokens = burst
        self.last = asyncio.get_running_loop().time()

    async def take(self):
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
        self.last = now
        self.tokens -= 1
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)

# %% bucket-1 right: the time at which the bucket is full
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self._step = 1 / rate
        self._slack = (burst - 1) / rate
        self._clock = asyncio.get_running_loop().time
        self._full_at = self._clock()
        self._turn = asyncio.Lock()

    async def take(self):
        await self._turn.acquire()
        try:
            while (wait := self._full_at - self._slack - self._clock()) > 1e-9:
                await asyncio.sleep(wait)
            self._full_at = max(self._full_at, self._clock()) + self._step
        finally:
            self._turn.release()

# %% bucket-1 wrong: books the token before it waits
# cause: the token is booked before the sleep and not given back when the task is cancelled, so the others wait for one that nobody took
# line: self.next = due + 1 / self.rate | await asyncio.sleep(due - now)
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self.rate = rate
        self.burst = burst
        self.next = asyncio.get_running_loop().time() - (burst - 1) / rate

    async def take(self):
        """Take a token; wait for it if there is none."""
        now = asyncio.get_running_loop().time()
        due = max(self.next, now - (self.burst - 1) / self.rate)
        self.next = due + 1 / self.rate
        if due > now:
            await asyncio.sleep(due - now)

# %% workers-1 wrong: shuts the queue down at once, again
# cause: with immediate=True the queue is emptied, so the urls in it are never fetched
# line: queue.shutdown(immediate=True)
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    pages = {}
    queue = Queue()

    async def worker():
        try:
            while True:
                url = await queue.get()
                pages[url] = await fetch(url)
        except QueueShutDown:
            pass

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        for url in urls:
            await queue.put(url)
        queue.shutdown(immediate=True)
    return pages

# %% feed-1 wrong: says done before it has sent
# cause: task_done is called before the item is sent, so join returns, and the workers are cancelled in the middle of the last items
# line: queue.task_done() | await send(item)
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def sender():
        while True:
            item = await queue.get()
            queue.task_done()
            await send(item)

    async with asyncio.TaskGroup() as group:
        senders = [group.create_task(sender()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.join()
        for task in senders:
            task.cancel()

# %% feed-1 wrong: nobody watches the workers while it puts
# cause: an error of `send` is seen only by the gather after the source's end, and when the workers have died, the put waits for ever
# line: await queue.put(item) | await asyncio.gather(*tasks) | async for item in source: | tasks.append(asyncio.create_task(worker()))
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    tasks = []
    for _ in range(workers):
        tasks.append(asyncio.create_task(worker()))
    try:
        async for item in source:
            await queue.put(item)
        for _ in tasks:
            await queue.put(None)
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% consumer-1 wrong: who sees the None cancels the others
# cause: the worker that gets None cancels its colleagues, though they may be in the middle of a number
# line: other.cancel() | if other is not asyncio.current_task():
import asyncio


async def consumer(queue, details, at_most):
    crew = []

    async def work():
        while (number := await queue.get()) is not None:
            await details(number)
        for other in crew:
            if other is not asyncio.current_task():
                other.cancel()

    async with asyncio.TaskGroup() as group:
        for _ in range(at_most):
            crew.append(group.create_task(work()))

# %% worker-1 wrong: makes a new list
# cause: `failed + [...]` is a new list that only the worker knows, so the caller's list stays empty
# line: failed = failed + [(item, error)]
async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed = failed + [(item, error)]
        finally:
            queue.task_done()

# %% bucket-1 wrong: caps what is new, not what is in it
# cause: only the new tokens are limited to `burst`, not the sum, so the bucket may hold more than `burst`
# line: self.level += min(self.burst, (now - self.stamp) * self.rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.level = burst
        self.stamp = asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.level += min(self.burst, (now - self.stamp) * self.rate)
            self.stamp = now
            if self.level < 1:
                pause = (1 - self.level) / self.rate
                await asyncio.sleep(pause)
                self.level = 1
                self.stamp = now + pause
            self.level -= 1

# %% workers-1 wrong: only as many workers as one less
# cause: starts one worker too few
# line: for _ in range(1, workers):
import asyncio


async def fetch_all(fetch, urls, workers):
    queue, pages = asyncio.Queue(), {}
    for url in urls:
        queue.put_nowait(url)

    async def worker():
        while not queue.empty():
            url = queue.get_nowait()
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as group:
        for _ in range(1, workers):
            group.create_task(worker())
    return pages

# %% feed-1 wrong: reads all items first
# cause: reads all of the source first
# line: items = [item async for item in source]
import asyncio


async def feed(source, send, workers, size):
    items = [item async for item in source]
    queue = asyncio.Queue(size)

    async def worker():
        while (item := await queue.get()) is not None:
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        for item in items:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% consumer-1 wrong: the set forgets equals
# cause: a number that came before is not done again
# line: if number in seen: | seen.add(number)
import asyncio


async def consumer(queue, details, at_most):
    seen = set()

    async def worker():
        while (number := await queue.get()) is not None:
            if number in seen:
                continue
            seen.add(number)
            await details(number)
        await queue.put(None)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_most):
            group.create_task(worker())

# %% consumer-1 wrong: get with a timeout
# cause: a quiet second is taken for the end
# line: number = await asyncio.wait_for(queue.get(), 1) | except TimeoutError:
import asyncio


async def consumer(queue, details, at_most):
    async def worker():
        while True:
            try:
                number = await asyncio.wait_for(queue.get(), 1)
            except TimeoutError:
                return
            if number is None:
                await queue.put(None)
                return
            await details(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_most):
            group.create_task(worker())

# %% worker-1 wrong: breaks after a failure
# cause: the worker ends after a failing item
# line: break
async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
            break
        finally:
            queue.task_done()

# %% worker-1 wrong: raises again
# cause: raises the error again
# line: raise
async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
            raise
        finally:
            queue.task_done()

# %% worker-1 wrong: its own list
# cause: the failures go into a list of its own
# line: failed = []
async def worker(queue, work, failed):
    failed = []
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
        queue.task_done()

# %% bucket-1 wrong: the last look is not noted
# cause: last isn't set, so the same time is counted again and again
# line: self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate) | none
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens, self.last = burst, asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            if self.tokens < 1:
                await asyncio.sleep((1 - self.tokens) / self.rate)
                self.tokens = 1
            self.tokens -= 1

# %% bucket-1 wrong: caps at the rate
# cause: the bucket holds rate tokens, not burst
# line: self.tokens = min(self.rate, self.tokens + (now - self.last) * self.rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens, self.last = burst, asyncio.get_running_loop().time()
        self.lock = asyncio.Lock()

    async def take(self):
        async with self.lock:
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.rate, self.tokens + (now - self.last) * self.rate)
            self.last = now
            if self.tokens < 1:
                await asyncio.sleep((1 - self.tokens) / self.rate)
                self.tokens, self.last = 1, asyncio.get_running_loop().time()
            self.tokens -= 1

# %% feed-1 wrong: plain tasks and join
# cause: Nobody looks at the workers while `feed` waits: when `send` fails, its worker dies without `task_done`, the error does not come out, and `put` or `join` waits for ever.
# line: await queue.join() | task = asyncio.create_task(worker())
# told: async for item in source:
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while True:
            item = await queue.get()
            await send(item)
            queue.task_done()

    tasks = []
    for _ in range(workers):
        task = asyncio.create_task(worker())
        tasks.append(task)
    try:
        async for item in source:
            await queue.put(item)
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% worker-1 wrong: the item is shielded
# cause: `shield` keeps the item's task running when the worker is cancelled, though the item must end together with the worker.
# line: await asyncio.shield(job) | job = asyncio.ensure_future(work(item))
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        job = asyncio.ensure_future(work(item))
        try:
            await asyncio.shield(job)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()


# %% consumer-1 wrong: tasks by their number
# cause: The running tasks are kept in a dict by number, so when the same number comes twice the second overwrites the first, and more than at_most are in flight.
# line: running[number] = | running = {}
import asyncio


async def consumer(queue, details, at_most):
    running = {}
    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            while len(running) >= at_most:
                await asyncio.wait(
                    running.values(), return_when=asyncio.FIRST_COMPLETED
                )
                for key in [key for key, task in running.items() if task.done()]:
                    del running[key]
            running[number] = group.create_task(details(number))


# %% worker-1 wrong: None taken for the end
# cause: A None in the queue is an item like any other, but here it ends the worker, undone and without task_done.
# line: while (item := await queue.get()) is not None:
async def worker(queue, work, failed):
    while (item := await queue.get()) is not None:
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()


# %% worker-1 wrong: the item in its own task
# cause: The item runs in a task of its own and asyncio.wait does not cancel what it waits for, so a worker cancelled in the middle of an item leaves the item running.
# line: await asyncio.wait([task]) | task = asyncio.create_task(work(item))
import asyncio


async def worker(queue, work, failed):
    while True:
        item = await queue.get()
        try:
            task = asyncio.create_task(work(item))
            await asyncio.wait([task])
            if not task.cancelled() and task.exception() is not None:
                failed.append((item, task.exception()))
        finally:
            queue.task_done()


# %% bucket-1 wrong: throws away parts of tokens
# cause: Only whole tokens are counted but the time of the last look is set to now, so the part of a token that had dropped in is lost at each look and tasks wait longer than they must.
# line: self._seen = now | int((now - self._seen) * self._rate + 1e-6)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._seen = asyncio.get_running_loop().time()
        self._turn = asyncio.Lock()

    def _look(self):
        now = asyncio.get_running_loop().time()
        dropped = int((now - self._seen) * self._rate + 1e-6)
        self._tokens = min(self._burst, self._tokens + dropped)
        self._seen = now

    async def take(self):
        async with self._turn:
            self._look()
            while self._tokens < 1:
                await asyncio.sleep(1 / self._rate)
                self._look()
            self._tokens -= 1


# %% bucket-1 wrong: whoever wakes first takes it
# cause: All waiting tasks sleep side by side and the one that happens to look first gets the token, so they are not served in the order in which they asked.
# line: while self._tokens < 1 - 1e-9: | await asyncio.sleep((1 - self._tokens) / self._rate) | async def take(self):
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._seen = asyncio.get_running_loop().time()

    def _fill(self):
        now = asyncio.get_running_loop().time()
        dropped = (now - self._seen) * self._rate
        self._tokens = min(self._burst, self._tokens + dropped)
        self._seen = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        self._fill()
        while self._tokens < 1 - 1e-9:
            await asyncio.sleep((1 - self._tokens) / self._rate)
            self._fill()
        self._tokens -= 1


# %% bucket-1 wrong: pays before it waits
# cause: The token is taken off before the wait and not given back when the task is cancelled in its sleep; a cancelled task still takes a token and the others wait too long.
# line: self._tokens -= 1 | await asyncio.sleep(-self._tokens / self._rate)
import asyncio


class TokenBucket:
    def __init__(self, rate, burst):
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._seen = asyncio.get_running_loop().time()

    async def take(self):
        now = asyncio.get_running_loop().time()
        dropped = (now - self._seen) * self._rate
        self._tokens = min(self._burst, self._tokens + dropped)
        self._seen = now
        self._tokens -= 1
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / self._rate)

# %% feed-1 wrong: worker takes its next item early
# cause: A worker takes its next item while it still sends, so it holds two, more items are taken from the source than allowed, and an item waits in a busy worker while another is idle.
# line: following = inner.create_task(queue.get())
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)

    async def worker():
        item = await queue.get()
        while item is not None:
            async with asyncio.TaskGroup() as inner:
                following = inner.create_task(queue.get())
                await send(item)
            item = following.result()

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

# %% consumer-1 wrong: waits for the oldest one
# cause: When at_most are in flight it waits for the oldest of them, so a number doesn't begin though a later one has ended and there is room.
# line: await tasks.popleft() | if len(tasks) == at_most:
import asyncio
from collections import deque


async def consumer(queue, details, at_most):
    tasks = deque()
    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            if len(tasks) == at_most:
                await tasks.popleft()
            tasks.append(group.create_task(details(number)))

# %% workers-1 wrong: join doesn't see failing workers
# cause: Only `queue.join()` is awaited and the workers' errors are thrown away, so the error of a failing fetch never comes out (the url is missing, or join hangs when all workers have died).
# line: await queue.join() | return_exceptions=True
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    queue = asyncio.Queue()
    for url in urls:
        queue.put_nowait(url)
    result = {}

    async def worker():
        while True:
            url = await queue.get()
            try:
                result[url] = await fetch(url)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return result

# %% feed-1 wrong: a failing send goes unnoticed
# cause: The workers are plain tasks that nobody watches while `feed` waits in `put` and `join`, so when `send` fails its error doesn't come out.
# line: asyncio.create_task(worker()) | await queue.join() | return_exceptions=True
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            item = await queue.get()
            try:
                await send(item)
            finally:
                queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        async for item in source:
            await queue.put(item)
        await queue.join()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% feed-1 wrong: flag doesn't wake waiting workers
# cause: The end is told by a flag that workers look at only before `get`, so a worker that already waits in `get` when the source ends waits for ever.
# line: item = await queue.get() | finished.set() | while not (finished.is_set() and queue.empty())
import asyncio


async def feed(source, send, workers, size):
    queue = asyncio.Queue(maxsize=size)
    finished = asyncio.Event()

    async def sender():
        while not (finished.is_set() and queue.empty()):
            item = await queue.get()
            await send(item)

    async with asyncio.TaskGroup() as tg:
        for _ in range(workers):
            tg.create_task(sender())
        async for item in source:
            await queue.put(item)
        finished.set()

# %% feed-1 wrong: queue of size minus one
# cause: The item that `feed` holds is taken off the size, and for a size of 1 `Queue(0)` has no limit at all.
# line: Queue(size - 1)
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size - 1)

    async def work():
        while (item := await queue.get()) is not None:
            await send(item)

    async def produce():
        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)

    async with asyncio.TaskGroup() as group:
        group.create_task(produce())
        for _ in range(workers):
            group.create_task(work())

# %% consumer-1 wrong: returns while details still run
# cause: At None the function returns at once, without waiting for the calls of `details` that are still in flight.
# line: if number is None | return | running.add(task) | none
import asyncio


async def consumer(queue, details, at_most):
    running = set()
    while True:
        number = await queue.get()
        if number is None:
            return
        if len(running) >= at_most:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            running = {task for task in running if not task.done()}
        task = asyncio.create_task(details(number))
        running.add(task)

# %% workers-1 wrong: shutdown throws the urls away
# cause: An immediate shutdown empties the queue, so the urls that no worker has taken yet are never fetched.
# line: queue.shutdown(immediate=True)
import asyncio

from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    pages = {}

    async def work():
        while True:
            try:
                url = await queue.get()
            except QueueShutDown:
                return
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        for url in urls:
            await queue.put(url)
        queue.shutdown(immediate=True)
    return pages

# %% workers-1 wrong: too few end marks
# cause: There is an end mark for each url at most but always `workers` workers, so with fewer urls than workers some wait in get for ever.
# line: for _ in range(min(workers, len(urls))) | for _ in range(workers)
import asyncio

END = object()


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    urls = list(urls)
    queue = asyncio.Queue()
    pages = {}

    async def worker():
        while (url := await queue.get()) is not END:
            pages[url] = await fetch(url)

    for url in urls:
        queue.put_nowait(url)
    for _ in range(min(workers, len(urls))):
        queue.put_nowait(END)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return pages

# %% worker-1 wrong: get inside the try
# cause: A worker that is cancelled while it waits in get calls task_done for an item that it never got, and ends with a ValueError.
# line: item = await queue.get() | try: | queue.task_done()
async def worker(queue, work, failed):
    while True:
        try:
            item = await queue.get()
            await work(item)
        except Exception as exc:
            failed.append((item, exc))
        finally:
            queue.task_done()

# %% worker-1 wrong: error recorded as a group
# cause: The TaskGroup wraps the error of the item, so an ExceptionGroup is appended to `failed` instead of the error.
# line: async with asyncio.TaskGroup() as group | failed.append((item, error)) | except Exception as error | group.create_task(work(item))
import asyncio


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(work(item))
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% feed-1 wrong: immediate shutdown drops waiting items
# cause: shutdown(immediate=True) empties the queue, so the items that still wait when the source ends are never sent.
# line: queue.shutdown(immediate=True)
import asyncio


async def send_items(queue, send):
    try:
        while True:
            await send(await queue.get())
    except asyncio.QueueShutDown:
        return


async def feed(source, send, workers, size):
    queue = asyncio.Queue(size)
    async with asyncio.TaskGroup() as tg:
        for _ in range(workers):
            tg.create_task(send_items(queue, send))
        async for item in source:
            await queue.put(item)
        queue.shutdown(immediate=True)

# %% bucket-1 wrong: no lock, newcomers overtake waiters
# cause: Nothing keeps the waiting tasks in a row, so a task that asks when a token has just dropped takes it before those that sleep.
# line: while self._tokens < 1: | await asyncio.sleep( | none
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._last = asyncio.get_running_loop().time()

    def _refill(self):
        now = asyncio.get_running_loop().time()
        self._tokens = min(self._burst, self._tokens + (now - self._last) * self._rate)
        self._last = now

    async def take(self):
        """Take a token; wait for it if there is none."""
        self._refill()
        while self._tokens < 1:
            await asyncio.sleep((1 - self._tokens) / self._rate + 1e-6)
            self._refill()
        self._tokens -= 1

# %% feed-1 wrong: Joins whenever the queue is full
# cause: With a full queue it waits until all items are done before it puts the next, so workers are idle while an item waits for the slowest of them.
# line: await queue.join() | if queue.full():
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(maxsize=size)
    done = object()

    async def worker():
        while True:
            item = await queue.get()
            try:
                if item is done:
                    return
                await send(item)
            finally:
                queue.task_done()

    async with asyncio.TaskGroup() as tg:
        for _ in range(workers):
            tg.create_task(worker())

        async for item in source:
            if queue.full():
                await queue.join()
            await queue.put(item)

        for _ in range(workers):
            await queue.put(done)

# %% workers-1 right: filled queue, wait for first exception
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    pages = {}
    todo = asyncio.Queue()
    for url in urls:
        todo.put_nowait(url)

    async def work():
        while not todo.empty():
            url = todo.get_nowait()
            pages[url] = await fetch(url)

    crew = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        ended, _ = await asyncio.wait(crew, return_when=asyncio.FIRST_EXCEPTION)
        for task in ended:
            task.result()
    finally:
        for task in crew:
            task.cancel()
        await asyncio.gather(*crew, return_exceptions=True)
    return pages

# %% feed-1 right: one None, handed on by workers
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    belt = asyncio.Queue(size)

    async def work():
        while (item := await belt.get()) is not None:
            await send(item)
        belt.put_nowait(None)  # the next one's turn; there is room, it was just taken

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
        async for item in source:
            await belt.put(item)
        await belt.put(None)

# %% consumer-1 right: a set that empties itself
import asyncio


async def consumer(queue, details, at_most):
    running = set()
    try:
        while (number := await queue.get()) is not None:
            while len(running) >= at_most:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            task = asyncio.create_task(details(number))
            running.add(task)
            task.add_done_callback(running.discard)
        while running:
            await asyncio.wait(running)
    except BaseException:
        left = list(running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        raise

# %% worker-1 right: a context manager per item
import asyncio


class _Job:
    """Notes how the work on an item ended."""

    def __init__(self, queue, item, failed):
        self.queue = queue
        self.item = item
        self.failed = failed
        self.cancelled_before = asyncio.current_task().cancelling()

    def __enter__(self):
        return self.item

    def __exit__(self, kind, error, traceback):
        try:
            if asyncio.current_task().cancelling() > self.cancelled_before:
                # Whatever `work` made of it: the worker is to end, the item isn't a failed one.
                if isinstance(error, asyncio.CancelledError):
                    return False
                raise asyncio.CancelledError
            if isinstance(error, Exception):
                self.failed.append((self.item, error))
                return True
            return False
        finally:
            self.queue.task_done()


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        with _Job(queue, await queue.get(), failed) as item:
            await work(item)

# %% bucket-1 right: moment when it was empty
import asyncio


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self._step = 1 / rate  # from one token to the next
        self._fill = burst / rate  # from empty to full
        self._turn = asyncio.Lock()  # lets waiting tasks in in their order
        # When the bucket would have been empty, had nobody taken anything since.
        self._empty = asyncio.get_running_loop().time() - self._fill

    async def take(self):
        """Take a token; wait for it if there is none."""
        async with self._turn:
            now = asyncio.get_running_loop().time()
            self._empty = max(self._empty, now - self._fill)
            ready = self._empty + self._step
            if ready - now > 1e-9:
                await asyncio.sleep(ready - now)
            self._empty = ready

# %% workers-1 wrong: all fetches start at once
# cause: The queue holds tasks that already run, so all urls are fetched at once and the workers limit only who awaits the results.
# line: queue.put_nowait((url, group.create_task(fetch(url))))
import asyncio
from helpers.basics.backports import Queue, QueueShutDown


async def fetch_all(fetch, urls, workers):
    queue = Queue()
    result = {}

    async def worker():
        while True:
            try:
                url, promise = await queue.get()
            except QueueShutDown:
                break
            result[url] = await promise

    async with asyncio.TaskGroup() as group:
        for url in urls:
            queue.put_nowait((url, group.create_task(fetch(url))))
        queue.shutdown()
        for _ in range(workers):
            group.create_task(worker())
    return result

# %% worker-1 wrong: the item is only started
# cause: create_task starts the item and returns at once, so the try never sees its error, task_done is called too early, and cancelling the worker doesn't end the item.
# line: asyncio.create_task(work(item))
import asyncio


async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            asyncio.create_task(work(item))
        except Exception as error:
            failed.append((item, error))
        finally:
            queue.task_done()

# %% feed-1 wrong: a task for every put
# cause: Each put is a task of its own, so nothing slows down the reading; of a million items all that don't fit wait in tasks, not just one.
# line: puts.append(group.create_task(queue.put(item)))
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(maxsize=size)

    async def worker():
        while True:
            item = await queue.get()
            if item is None:
                return
            await send(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        puts = []
        async for item in source:
            puts.append(group.create_task(queue.put(item)))
        await asyncio.gather(*puts)
        for _ in range(workers):
            await queue.put(None)

# %% feed-1 wrong: worker grabs all that waits
# cause: A worker empties the whole queue into its own batch, so it holds more than one item and other workers are idle meanwhile.
# line: while not queue.empty(): | batch.append(queue.get_nowait())
import asyncio


async def feed(source, send, workers, size):
    """Send all items of `source` with so many workers and a queue of at most `size`."""
    queue = asyncio.Queue(size)

    async def worker():
        while True:
            batch = [await queue.get()]
            while not queue.empty():
                batch.append(queue.get_nowait())
            for item in batch:
                await send(item)
                queue.task_done()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        async for item in source:
            await queue.put(item)
        await queue.join()
        for task in tasks:
            task.cancel()

# %% workers-1 right: iter with get_nowait and end marks
import asyncio


async def fetch_all(fetch, urls, workers):
    """Fetch all `urls` with so many workers; return a dict from url to page."""
    urls = list(urls)
    pages = dict.fromkeys(urls)
    end = object()
    queue = asyncio.Queue()
    for entry in [*urls, *[end] * workers]:
        queue.put_nowait(entry)

    async def work():
        for url in iter(queue.get_nowait, end):
            pages[url] = await fetch(url)

    async with asyncio.TaskGroup() as crew:
        for _ in range(workers):
            crew.create_task(work())
    return pages

# %% feed-1 right: async generator passes None along
import asyncio
from contextlib import aclosing


async def _until_none(queue):
    while (item := await queue.get()) is not None:
        yield item
    # None was the last to come, so that there is room: it is for the next worker.
    queue.put_nowait(None)


async def feed(source, send, workers, size):
    belt = asyncio.Queue(size)

    async def hand():
        async with aclosing(_until_none(belt)) as items:
            async for item in items:
                await send(item)

    async with asyncio.TaskGroup() as crew:
        for _ in range(workers):
            crew.create_task(hand())
        async for item in source:
            await belt.put(item)
        await belt.put(None)

# %% consumer-1 right: event set by done callbacks
import asyncio


async def consumer(queue, details, at_most):
    """Call `details` for each number in `queue` until None comes, so many at once."""
    landing = asyncio.Event()
    flying = set()

    def landed(task):
        flying.discard(task)
        landing.set()

    async with asyncio.TaskGroup() as group:
        while (number := await queue.get()) is not None:
            while len(flying) >= at_most:
                landing.clear()
                await landing.wait()
            task = group.create_task(details(number))
            flying.add(task)
            task.add_done_callback(landed)

# %% worker-1 right: async context manager for each turn
import asyncio


class _Turn:
    """From the get of an item to its task_done; keeps failures, lets cancellation out."""

    def __init__(self, queue, failed):
        self.queue = queue
        self.failed = failed

    async def __aenter__(self):
        self.item = await self.queue.get()
        return self.item

    async def __aexit__(self, kind, error, trace):
        try:
            if not isinstance(error, Exception):
                return False
            if asyncio.current_task().cancelling():
                # The item made another error of our cancellation: end all the same.
                raise asyncio.CancelledError from error
            self.failed.append((self.item, error))
            return True
        finally:
            self.queue.task_done()


async def worker(queue, work, failed):
    turn = _Turn(queue, failed)
    while True:
        async with turn as item:
            await work(item)

# %% worker-1 wrong: the error is replaced by its cause
# cause: for an error raised `from` another one, the other one is appended to `failed` in place of the error of the item
# line: failed.append((item, error.__cause__ or error))
async def worker(queue, work, failed):
    """Do all items of `queue`; append failing ones and their errors to `failed`."""
    while True:
        item = await queue.get()
        try:
            await work(item)
        except Exception as error:
            failed.append((item, error.__cause__ or error))
        finally:
            queue.task_done()

# %% bucket-1 right: futures by hand and one timer
import asyncio
from collections import deque


class TokenBucket:
    """At most `rate` a second, and up to `burst` at once after a rest."""

    def __init__(self, rate, burst):
        self._rate = rate
        self._burst = burst
        self._loop = asyncio.get_running_loop()
        self._tokens = burst
        self._stamp = self._loop.time()
        self._queue = deque()       # futures of those who wait, first come first
        self._granted = 0           # have their token, but have not gone on yet
        self._timer = None

    def _look(self, now):
        if now > self._stamp:
            self._tokens = min(self._burst, self._tokens + (now - self._stamp) * self._rate)
            self._stamp = now

    def _enough(self):
        return self._tokens > 1 - 1e-9

    def _disarm(self):
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self):
        self._disarm()
        moment = self._stamp + max(0, 1 - self._tokens) / self._rate
        self._timer = self._loop.call_at(moment, self._tick, moment)

    def _tick(self, moment):
        self._timer = None
        self._look(max(moment, self._loop.time()))
        self._tokens = max(self._tokens, 1)     # the timer was set for this: no rounding
        while self._queue and self._enough():
            future = self._queue.popleft()
            if not future.done():
                self._tokens -= 1
                self._granted += 1
                future.set_result(None)
        if self._queue:
            self._arm()

    async def take(self):
        """Take a token; wait for it if there is none."""
        self._look(self._loop.time())
        if not self._queue and not self._granted and self._enough():
            self._tokens -= 1
            return
        future = self._loop.create_future()
        self._queue.append(future)
        if self._timer is None:
            self._arm()
        try:
            await future
        except BaseException:
            if future.done() and not future.cancelled():
                # It had its token already: give it back.
                self._granted -= 1
                self._look(self._loop.time())
                self._tokens = min(self._burst, self._tokens + 1)
                if self._queue:
                    self._arm()
            else:
                if future in self._queue:
                    self._queue.remove(future)
                if not self._queue:
                    self._disarm()
            raise
        self._granted -= 1
