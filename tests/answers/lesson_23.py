"""Answers to the exercises of lesson 23, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% crawl-page-1 wrong: no end for the whole
# cause: five slow tries may take more than 4 s, nothing ends the whole
# line: none | asyncio.timeout(1)
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    for attempt in range(5):
        if attempt:
            await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (attempt - 1)))
        try:
            async with asyncio.timeout(1):
                status, body = await ask(page)
        except OSError:
            continue
        if status == 200:
            return body
        if status not in (429, 503):
            break
    raise ValueError(page)

# %% crawl-page-1 wrong: any status again
# cause: every status but 200 is tried again, a 404 too
# line: if status == 200:
import asyncio
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for attempt in range(5):
            if attempt > 0:
                await asyncio.sleep(random.random() * 0.1 * 2 ** (attempt - 1))
            try:
                status, body = await asyncio.wait_for(ask(page), 1)
            except OSError:
                continue
            if status == 200:
                return body
        raise ValueError("no page")

# %% crawl-page-1 wrong: an empty body
# cause: an empty body is taken for no answer, and asked for again
# line: if status == 200 and body:
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    most = 0.1
    async with asyncio.timeout(4):
        for attempt in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                pass
            else:
                if status == 200 and body:
                    return body
                if status not in (200, 429, 503):
                    raise ValueError(status)
            if attempt < 4:
                await asyncio.sleep(random.uniform(0, most))
                most *= 2
    raise ValueError("five tries")

# %% crawl-page-1 wrong: a pause after the last try
# cause: pauses after the fifth try, too, so the ValueError doesn't come out at once
# line: await asyncio.sleep(
import asyncio
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for attempt in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in {429, 503}:
                    raise ValueError(f"{page}: {status}")
            except OSError:
                pass
            await asyncio.sleep(random.uniform(0, 0.1 * 2 ** attempt))
        raise ValueError(f"{page}: five tries")

# %% crawl-page-1 wrong: the last error comes out
# cause: after the fifth try the OSError comes out, not a ValueError
# line: raise
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        for left in 4, 3, 2, 1, 0:
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in (429, 503) or not left:
                    raise ValueError(status)
            except OSError:
                if not left:
                    raise
            await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (4 - left)))

# %% crawl-page-1 right: one try is a function, match sorts its ends
import asyncio
import random


async def get_page(ask, page):
    async def one_try():
        try:
            return await asyncio.wait_for(ask(page), timeout=1)
        except OSError as error:
            return None, error

    async def tries():
        for most in (0, 0.1, 0.2, 0.4, 0.8):
            await asyncio.sleep(random.uniform(0, most))
            match await one_try():
                case 200, body:
                    return body
                case (429 | 503 | None), _:
                    continue
                case status, _:
                    raise ValueError(f"status {status} for {page!r}")
        raise ValueError(f"no answer for {page!r}")

    return await asyncio.wait_for(tries(), timeout=4)

# %% crawl-page-1 wrong: all that begins with two
# cause: any status below 300 is taken for a 200
# line: if status < 300:
import asyncio, random

async def get_page(ask, page):
    async with asyncio.timeout(4):
        for attempt in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except (ConnectionError, TimeoutError):
                status = 503
            except OSError:
                status = 503
            if status < 300:
                return body
            if status not in (429, 503) or attempt == 4:
                raise ValueError(status)
            await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))

# %% crawl-page-1 wrong: all of the server's errors
# cause: asks again after a 500, too
# line: status < 500
import asyncio, random

async def get_page(ask, page):
    async with asyncio.timeout(4):
        for attempt in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                status = 503
            if status == 200:
                return body
            if status < 500 and status != 429 or attempt == 4:
                raise ValueError(status)
            await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))

# %% crawl-limit-1 wrong: sleeps before each start
# cause: sleeps the whole distance even if the last start was long ago, so it begins later than the limits allow
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)

    async def one(page):
        try:
            return await fetch(page)
        finally:
            places.release()

    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            if tasks:
                await asyncio.sleep(apart)
            tasks.append(group.create_task(one(page)))
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: fixed moments
# cause: the moments are fixed in advance; who waits for a place starts too soon after (or together with) the next one
# line: await asyncio.sleep(number * apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    places = asyncio.Semaphore(most)

    async def one(number, page):
        await asyncio.sleep(number * apart)
        async with places:
            return await fetch(page)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in enumerate(pages)]
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: a rest at the end
# cause: sleeps after the last start, too, so it may return later than when the last has ended
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places, turn = asyncio.Semaphore(most), asyncio.Lock()

    async def one(page):
        try:
            return await fetch(page)
        finally:
            places.release()

    async def starter(page):
        async with turn:
            await places.acquire()
            task = asyncio.create_task(one(page))
            await asyncio.sleep(apart)
        return await task

    return list(await asyncio.gather(*map(starter, pages)))

# %% crawl-limit-1 wrong: a dict by page
# cause: a page that comes twice has one result only
# line: found[page] = await fetch(page)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    found = {}
    places = asyncio.Semaphore(most)
    loop = asyncio.get_running_loop()

    async def one(page):
        try:
            found[page] = await fetch(page)
        finally:
            places.release()

    due = loop.time()
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            due = loop.time() + apart
            group.create_task(one(page))
    return list(found.values())

# %% crawl-limit-1 right: a gate to pass
import asyncio
import contextlib


class Gate:
    def __init__(self, most, apart):
        self.apart, self.free = apart, asyncio.BoundedSemaphore(most)
        self.clock, self.last = asyncio.get_running_loop().time, None

    async def opens(self):
        await self.free.acquire()
        if self.last is not None:
            await asyncio.sleep(max(0, self.last + self.apart - self.clock()))
        self.last = self.clock()

    @contextlib.contextmanager
    def passed(self):
        with contextlib.ExitStack() as stack:
            stack.callback(self.free.release)
            yield


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    gate = Gate(most, apart)

    async def fetch_one(page):
        with gate.passed():
            return await fetch(page)

    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await gate.opens()
            tasks.append(group.create_task(fetch_one(page)))
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: tasks by page
# cause: a page that comes twice is in the list once
# line: found[page] = task | found.values() | none
import asyncio


async def fetch_all(fetch, pages, most, apart):
    loop, following = asyncio.get_running_loop(), None
    flying, found = set(), {}
    for page in pages:
        while len(flying) >= most:
            _, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
        if following:
            await asyncio.sleep(following - loop.time())
        following = loop.time() + apart
        task = asyncio.create_task(fetch(page), name=page)
        flying.add(task)
        found[page] = task
        await asyncio.sleep(0)
    return [await task for task in found.values()]

# %% crawl-limit-1 wrong: errors in the list
# cause: an error of a fetch stands in the list and doesn't come out
# line: return_exceptions=True
import asyncio


async def fetch_all(fetch, pages, most, apart):
    places, following = asyncio.Semaphore(most), 0.0
    clock = asyncio.get_running_loop().time

    async def one(page):
        nonlocal following
        async with places:
            mine = max(clock(), following)
            following = mine + apart
            await asyncio.sleep(mine - clock())
            return await fetch(page)

    return await asyncio.gather(*(one(page) for page in pages), return_exceptions=True)

# %% crawl-limit-1 right: each one starts the next
import asyncio


async def fetch_all(fetch, pages, most, apart):
    if not pages:
        return []
    places, clock = asyncio.Semaphore(most), asyncio.get_running_loop().time

    async def rest(n, soonest):
        await places.acquire()
        await asyncio.sleep(max(0, soonest - clock()))
        begun = clock()
        task = asyncio.create_task(fetch(pages[n]))
        task.add_done_callback(lambda _: places.release())
        others = await rest(n + 1, begun + apart) if n + 1 < len(pages) else []
        return [await task, *others]

    return await rest(0, clock())

# %% crawl-pipeline-1 wrong: None is the end
# cause: a fetch that returns None is taken for the end
# line: if raw is None:
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo, queue = iter(pages), asyncio.Queue(size)
    records, failed = {}, {}

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            if raw is None:
                return
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetching:
            for _ in range(workers):
                fetching.create_task(worker())
        await queue.put((None, None))
    return records, failed

# %% crawl-pipeline-1 wrong: room for everything
# cause: the queue has no bound, so any number of fetched pages may wait
# line: asyncio.Queue()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    todo, queue = iter(pages), asyncio.Queue()
    records, failed, end = {}, {}, object()

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            if raw is end:
                break
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetching:
            for _ in range(workers):
                fetching.create_task(worker())
        await queue.put((None, end))
    return records, failed

# %% crawl-pipeline-1 wrong: a parser dies
# cause: an exception of parse isn't caught, it ends the parser and with it all the rest
# line: records[page] = await parse(raw)
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo, queue = iter(pages), asyncio.Queue(size)
    records, failed = {}, {}

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
                continue
            await queue.put((page, raw))

    async def parser():
        while (item := await queue.get()) is not None:
            page, raw = item
            records[page] = await parse(raw)

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetching:
            for _ in range(workers):
                fetching.create_task(worker())
        await queue.put(None)
    return records, failed

# %% crawl-pipeline-1 wrong: each worker parses
# cause: each worker parses what it has fetched, so several pages are parsed at a time, and nobody fetches meanwhile
# line: records[page] = await parse(raw)
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    todo, records, failed = iter(pages), {}, {}

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return records, failed

# %% crawl-pipeline-1 wrong: returns before the parser is done
# cause: the parser is cancelled when the queue is empty, in the middle of the last page
# line: parsing.cancel()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo, queue = iter(pages), asyncio.Queue(size)
    records, failed = {}, {}

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        parsing = group.create_task(parser())
        await asyncio.gather(*(worker() for _ in range(workers)))
        while not queue.empty():
            await asyncio.sleep(0.01)
        parsing.cancel()
    return records, failed

# %% crawl-pipeline-1 right: join, and a context manager that notes failures
import asyncio
from contextlib import contextmanager


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, failed = {}, {}
    todo, fetched = iter(pages), asyncio.Queue(maxsize=size)

    @contextmanager
    def noting(page):
        try:
            yield
        except Exception as error:
            failed[page] = error

    async def fetcher():
        for page in todo:
            raws = []
            with noting(page):
                raws.append(await fetch(page))
            for raw in raws:
                await fetched.put((page, raw))

    async def parser():
        while True:
            page, raw = await fetched.get()
            with noting(page):
                records[page] = await parse(raw)
            fetched.task_done()

    async with asyncio.TaskGroup() as outer:
        parsing = outer.create_task(parser(), name="parser")
        async with asyncio.TaskGroup() as inner:
            for number in range(workers):
                inner.create_task(fetcher(), name=f"fetcher {number}")
        await fetched.join()
        parsing.cancel()
    return records, failed

# %% crawl-pipeline-1 wrong: a cancellation is a failed page
# cause: except BaseException keeps the cancellation, and the worker goes on
# line: except BaseException as error:
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    raws, records, failed, left = asyncio.Queue(size), {}, {}, list(pages)

    async def fetcher():
        while left:
            page = left.pop(0)
            try:
                raw = await fetch(page)
                await raws.put((page, raw))
            except BaseException as error:
                failed[page] = error

    async def parser():
        while (item := await raws.get()) is not None:
            page, raw = item
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as outer:
        outer.create_task(parser())
        async with asyncio.TaskGroup() as inner:
            for _ in range(workers):
                inner.create_task(fetcher())
        await raws.put(None)
    return records, failed

# %% crawl-pipeline-1 wrong: two kinds of errors
# cause: any other exception ends all
# line: except (OSError, ValueError) as error:
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    raws, records, failed, left = asyncio.Queue(size), {}, {}, list(pages)

    async def fetcher():
        while left:
            page = left.pop(0)
            try:
                raw = await fetch(page)
                await raws.put((page, raw))
            except (OSError, ValueError) as error:
                failed[page] = error

    async def parser():
        while (item := await raws.get()) is not None:
            page, raw = item
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as outer:
        outer.create_task(parser())
        async with asyncio.TaskGroup() as inner:
            for _ in range(workers):
                inner.create_task(fetcher())
        await raws.put(None)
    return records, failed

# %% crawl-pipeline-1 right: a list, a condition and a semaphore for the room
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    pages = list(pages)[::-1]
    waiting, some, room = [], asyncio.Condition(), asyncio.Semaphore(size)
    records, failed, fetching = {}, {}, workers

    async def one_worker():
        nonlocal fetching
        while pages:
            page = pages.pop()
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
                continue
            await room.acquire()
            async with some:
                waiting.append((page, raw))
                some.notify()
        async with some:
            fetching -= 1
            some.notify()

    async def one_parser():
        while True:
            async with some:
                await some.wait_for(lambda: waiting or not fetching)
                if not waiting:
                    return
                page, raw = waiting.pop(0)
            room.release()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    await asyncio.gather(one_parser(), *(one_worker() for _ in range(workers)))
    return records, failed

# %% crawl-stop-1 wrong: the page is lost
# cause: a page whose fetch is cancelled doesn't go back into todo
# line: done[page] = await fetch(page)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            done[page] = await fetch(page)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    working = asyncio.ensure_future(asyncio.wait(tasks))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(tasks, timeout=grace)
    finally:
        for task in [*tasks, working, stopping]:
            task.cancel()
        await asyncio.gather(*tasks, working, stopping, return_exceptions=True)

# %% crawl-stop-1 wrong: only errors bring it back
# cause: except Exception: a cancellation is none, so the page doesn't go back
# line: except Exception:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except Exception:
                todo.append(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    working = asyncio.ensure_future(asyncio.wait(tasks))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(tasks, timeout=grace)
    finally:
        for task in [*tasks, working, stopping]:
            task.cancel()
        await asyncio.gather(*tasks, working, stopping, return_exceptions=True)

# %% crawl-stop-1 wrong: always as long
# cause: after stop it always sleeps for the whole grace, even if all have finished
# line: await asyncio.sleep(grace)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    working = asyncio.ensure_future(asyncio.wait(tasks))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            await asyncio.sleep(grace)
    finally:
        for task in [*tasks, working, stopping]:
            task.cancel()
        await asyncio.gather(*tasks, working, stopping, return_exceptions=True)

# %% crawl-stop-1 wrong: waits for the stop
# cause: waits until stop is set, even if there is nothing left to do
# line: await stop.wait()
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await stop.wait()
        await asyncio.wait(tasks, timeout=grace)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% crawl-stop-1 wrong: in both
# cause: every page goes back into todo, also one that is done
# line: finally: | todo.append(page)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    pages = iter(range(len(todo)))

    async def worker():
        for _ in pages:
            if stop.is_set():
                return
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            finally:
                todo.append(page)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    working = asyncio.ensure_future(asyncio.wait(tasks))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(tasks, timeout=grace)
    finally:
        for task in [*tasks, working, stopping]:
            task.cancel()
        await asyncio.gather(*tasks, working, stopping, return_exceptions=True)

# %% crawl-stop-1 wrong: leaves its workers behind
# cause: if crawl is cancelled, its workers go on
# line: return_exceptions=True | await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    working = asyncio.ensure_future(asyncio.wait(tasks))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait(tasks, timeout=grace)
    for task in [*tasks, working, stopping]:
        task.cancel()
    await asyncio.gather(*tasks, working, stopping, return_exceptions=True)

# %% crawl-stop-1 right: a group, and an alarm that cancels
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def worker():
        while todo and not stop.is_set():
            page, fetched = todo.popleft(), False
            try:
                done[page], fetched = await fetch(page), True
            finally:
                if not fetched:
                    todo.appendleft(page)

    async def alarm(crew):
        await stop.wait()
        await asyncio.sleep(grace)
        for member in crew:
            member.cancel()

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(worker()) for _ in range(workers)]
        ringing = group.create_task(alarm(crew))
        await asyncio.wait(crew)
        ringing.cancel()

# %% crawl-stop-1 wrong: nothing came
# cause: a page for which something falsy came is given back although it is done
# line: if not done.get(page):
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            finally:
                if not done.get(page):
                    todo.append(page)

    async def closing(tasks):
        await stop.wait()
        await asyncio.sleep(grace)
        for task in tasks:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        closer = group.create_task(closing(tasks))
        await asyncio.wait(tasks)
        closer.cancel()

# %% crawl-stop-1 wrong: waits for the first failure or the stop
# cause: when a fetch fails in the grace, the others go on until they are done or the grace is over
# line: await asyncio.wait(tasks, timeout=grace)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.append(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    stopping = asyncio.create_task(stop.wait())
    try:
        working = asyncio.create_task(asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION))
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            if task.done() and not task.cancelled():
                task.result()
    finally:
        for task in [*tasks, stopping, working]:
            task.cancel()
        await asyncio.gather(*tasks, stopping, working, return_exceptions=True)

# %% crawl-progress-1 wrong: one read
# cause: one read is taken for the whole request, but it may come in pieces
# line: await reader.read(65536)
import asyncio
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    async def say(text):
        writer.write(text.encode())
        await writer.drain()

    def event():
        return f"data: {json.dumps(crawl.state())}\n\n"

    try:
        request = await reader.read(65536)
        path = request.decode("latin-1").split(" ")[1]
        if path == "/":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>The crawl</h1>")
        elif path == "/events":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            await say(event())
            while not crawl.over:
                await asyncio.sleep(0.05)
                await say(event())
            await say(event())
        else:
            await say("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot found")
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: the end is not told
# cause: when the crawl is over, the state at the end is not sent
# line: while not crawl.over:
import asyncio
import json


async def show(crawl, reader, writer):
    async def say(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.decode("latin-1").split(" ")[1]
        if path == "/":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>See /events.</p>")
        elif path == "/events":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await say(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
        else:
            await say("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot found")
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: no JSON
# cause: the state is written as Python writes a dict, not as JSON
# line: {crawl.state()}
import asyncio


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    async def say(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.decode("latin-1").split(" ")[1]
        if path == "/":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>See /events.</p>")
        elif path == "/events":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await say(f"data: {crawl.state()}\n\n")
                await asyncio.sleep(0.05)
            await say(f"data: {crawl.state()}\n\n")
        else:
            await say("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot found")
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: who leaves is an error
# cause: a visitor who leaves makes a ConnectionError come out
# line: await writer.drain()
import asyncio
import json
from contextlib import closing


async def show(crawl, reader, writer):
    async def say(text):
        writer.write(text.encode())
        await writer.drain()

    with closing(writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        path = head.decode("latin-1").split(" ")[1]
        if path == "/":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>See /events.</p>")
        elif path == "/events":
            await say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await say(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
            await say(f"data: {json.dumps(crawl.state())}\n\n")
        else:
            await say("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot found")

# %% crawl-progress-1 right: an async generator of what to say
import asyncio
import json
from contextlib import aclosing, closing, suppress


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    def head(kind, status="200 OK"):
        return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n"

    def event():
        return "data: " + json.dumps(crawl.state()) + "\n\n"

    async def answer(path):
        match path:
            case "/":
                yield head("text/html") + "<!doctype html><title>Crawl</title><p>Hello"
            case "/events":
                yield head("text/event-stream")
                yield event()
                while not crawl.over:
                    await asyncio.sleep(0.05)
                    yield event()
                yield event()
            case _:
                yield head("text/plain", "404 Not Found") + "not found"

    with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
        lines = []
        while (line := await reader.readuntil(b"\n")) != b"\r\n":
            lines.append(line.decode("latin-1"))
        method, path, *_ = lines[0].split()
        async with aclosing(answer(path)) as pieces:
            async for piece in pieces:
                writer.write(piece.encode())
                await writer.drain()

# %% crawl-progress-1 wrong: events anywhere
# cause: /events is looked for in the whole request, so other paths and headers with it get the events
# line: if b"/events" in asked:
import asyncio, contextlib, json

async def show(crawl, reader, writer):
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError), contextlib.closing(writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        if b"/events" in asked:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                await writer.drain()
                await asyncio.sleep(0.05)
            writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
        elif asked.startswith(b"GET / "):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
        else:
            writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
        await writer.drain()

# %% crawl-whole-1 wrong: the same pause for all
# cause: after a 429 it doesn't wait as long as Retry-After says
# line: await asyncio.sleep(random.uniform(0, 0.1))
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed, todo = {}, [], iter(pages)

    async def name_of(client, page):
        for attempt in range(6):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.1))
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(url + page)
            except (TimeoutError, httpx.TransportError):
                continue
            if response.status_code not in (429, 503):
                return response.raise_for_status().json()["name"]
        raise TimeoutError(page)

    async def worker(client):
        for page in todo:
            try:
                names[page] = await name_of(client, page)
            except (httpx.HTTPStatusError, TimeoutError):
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: httpx's own time-out
# cause: httpx's timeout limits each wait, not the whole try, so an answer that drips may take longer than 0.3 s
# line: timeout=0.3
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    names, failed, todo = {}, [], iter(pages)

    async def name_of(client, page):
        pause = 0
        for attempt in range(6):
            await asyncio.sleep(pause)
            pause = random.uniform(0, 0.1)
            try:
                response = await client.get(url + page)
            except httpx.TransportError:
                continue
            if response.status_code == 429:
                pause = float(response.headers.get("Retry-After", 0.1))
            elif response.status_code != 503:
                return response.raise_for_status().json()["name"]
        raise TimeoutError(page)

    async def worker(client):
        for page in todo:
            try:
                names[page] = await name_of(client, page)
            except (httpx.HTTPStatusError, TimeoutError):
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: tells of what went well
# cause: tell isn't called after a page that failed
# line: tell(len(names), len(failed))
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed, todo = {}, [], iter(pages)

    async def name_of(client, page):
        pause = 0
        for attempt in range(6):
            await asyncio.sleep(pause)
            pause = random.uniform(0, 0.1)
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(url + page)
            except (TimeoutError, httpx.TransportError):
                continue
            if response.status_code == 429:
                pause = float(response.headers.get("Retry-After", 0.1))
            elif response.status_code != 503:
                return response.raise_for_status().json()["name"]
        raise TimeoutError(page)

    async def worker(client):
        for page in todo:
            try:
                names[page] = await name_of(client, page)
                tell(len(names), len(failed))
            except (httpx.HTTPStatusError, TimeoutError):
                failed.append(page)

    async with httpx.AsyncClient() as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: a 404 again
# cause: any other status, such as 404, is asked for again
# line: if response.status_code == 200:
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    names, failed, todo = {}, [], iter(pages)

    async def name_of(client, page):
        pause = 0
        for attempt in range(6):
            await asyncio.sleep(pause)
            pause = random.uniform(0, 0.1)
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(url + page)
            except (TimeoutError, httpx.TransportError):
                continue
            if response.status_code == 200:
                return response.json()["name"]
            if response.status_code == 429:
                pause = float(response.headers.get("Retry-After", 0.1))
        raise TimeoutError(page)

    async def worker(client):
        for page in todo:
            try:
                names[page] = await name_of(client, page)
            except TimeoutError:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: a client for each page
# cause: each page is asked for through a client of its own
# line: async with httpx.AsyncClient() as client:
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed, todo = {}, [], iter(pages)

    async def name_of(page):
        pause = 0
        async with httpx.AsyncClient() as client:
            for attempt in range(6):
                await asyncio.sleep(pause)
                pause = random.uniform(0, 0.1)
                try:
                    async with asyncio.timeout(0.3):
                        response = await client.get(url + page)
                except (TimeoutError, httpx.TransportError):
                    continue
                if response.status_code == 429:
                    pause = float(response.headers.get("Retry-After", 0.1))
                elif response.status_code != 503:
                    return response.raise_for_status().json()["name"]
        raise TimeoutError(page)

    async def worker():
        for page in todo:
            try:
                names[page] = await name_of(page)
            except (httpx.HTTPStatusError, TimeoutError):
                failed.append(page)
            tell(len(names), len(failed))

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return names, failed

# %% crawl-whole-1 right: a class with a pause for each end of a try
import asyncio
import random
import httpx


class Failed(Exception):
    """This page has no name."""


class Crawler:
    def __init__(self, client, pages, tell):
        self.client, self.todo, self.tell = client, iter(pages), tell
        self.names, self.failed = {}, []

    async def one_try(self, page):
        """Return the name, or the seconds to wait before the next try."""
        try:
            async with asyncio.timeout(0.3):
                response = await self.client.get(page)
        except (TimeoutError, httpx.TransportError):
            return None, random.uniform(0, 0.1)
        match response.status_code:
            case 200:
                return response.json()["name"], 0
            case 429:
                return None, float(response.headers.get("Retry-After", 0.1))
            case 503:
                return None, random.uniform(0, 0.1)
        raise Failed(page)

    async def name_of(self, page):
        for further in range(5, -1, -1):
            name, pause = await self.one_try(page)
            if name is not None:
                return name
            if further:
                await asyncio.sleep(pause)
        raise Failed(page)

    async def work(self):
        for page in self.todo:
            try:
                self.names[page] = await self.name_of(page)
            except Failed:
                self.failed += [page]
            self.tell(len(self.names), len(self.failed))


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=None) as client:
        crawler = Crawler(client, pages, tell)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(crawler.work())
    return crawler.names, crawler.failed

# %% crawl-page-1 wrong: a pause after the last try, once more
# cause: It pauses after each try that failed, the fifth too, though no other follows: the ValueError comes up to 1.6 s late (or not at all, as the 4 s are over before it).
# line: await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        for attempt in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:         # a TimeoutError is one
                pass
            else:
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(f"status {status}")
            await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
        raise ValueError("five tries, no page")

# %% crawl-page-1 wrong: the pauses grow too slowly
# cause: The bound grows by 0.1 s each time: 0.1, 0.2, 0.3, 0.4. It ought to double each time: 0.1, 0.2, 0.4, 0.8.
# line: 0.1 * attempt
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""

    async def tries():
        for attempt in range(5):
            if attempt > 0:
                await asyncio.sleep(random.uniform(0, 0.1 * attempt))
            try:
                status, body = await asyncio.wait_for(ask(page), 1)
            except (OSError, TimeoutError):
                continue
            if status == 200:
                return body
            if status not in (429, 503):
                break
        raise ValueError(f"no page {page!r}")

    return await asyncio.wait_for(tries(), 4)

# %% crawl-page-1 right: bounds in a tuple, match on the answer
import asyncio
import random

BOUNDS = None, 0.1, 0.2, 0.4, 0.8


async def one_try(ask, page):
    """What `ask` answers, or None if there's nothing to be had from it."""
    try:
        async with asyncio.timeout(1):
            return await ask(page)
    except OSError:
        return None


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        for bound in BOUNDS:
            if bound is not None:
                await asyncio.sleep(random.uniform(0, bound))
            match await one_try(ask, page):
                case (200, body):
                    return body
                case None | (429 | 503, _):
                    pass
                case (status, _):
                    raise ValueError(f"{page!r}: status {status}")
        raise ValueError(f"{page!r}: nothing after five tries")

# %% crawl-limit-1 wrong: a pause behind the last start
# cause: It sleeps `apart` seconds after each start, the last one too. If the last fetch ends sooner, it returns too late: nobody is to start any more.
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)

    async def one(page):
        try:
            return await fetch(page)
        finally:
            places.release()

    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            tasks.append(group.create_task(one(page)))
            await asyncio.sleep(apart)
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: the starts are planned beforehand
# cause: Each page's start is planned from the beginning, and then it waits for a place. When slow fetches have kept all places, several pages have their time behind them and start one right after the other, less than `apart` seconds apart.
# line: await asyncio.sleep(number * apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)

    async def one(number, page):
        await asyncio.sleep(number * apart)
        async with places:
            return await fetch(page)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(one(number, page)) for number, page in enumerate(pages)
        ]
    return [task.result() for task in tasks]

# %% crawl-limit-1 right: workers that go through one gate
import asyncio


class Gate:
    """Gives out numbered pages, in order and so far apart."""

    def __init__(self, pages, apart):
        self.loop = asyncio.get_running_loop()
        self.pages = enumerate(pages)
        self.apart = apart
        self.turn = asyncio.Lock()
        self.next_start = None

    async def pass_through(self):
        async with self.turn:
            numbered = next(self.pages, None)
            if numbered is None:
                return None
            if self.next_start is not None and self.loop.time() < self.next_start:
                bell = self.loop.create_future()
                timer = self.loop.call_at(self.next_start, bell.set_result, None)
                try:
                    await bell
                finally:
                    timer.cancel()
            self.next_start = self.loop.time() + self.apart
            return numbered


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    pages = list(pages)
    gate = Gate(pages, apart)
    results = [None] * len(pages)

    async def worker():
        while (numbered := await gate.pass_through()) is not None:
            number, page = numbered
            results[number] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(most, len(pages))):
            group.create_task(worker())
    return results

# %% crawl-pipeline-1 wrong: a failing page ends its worker
# cause: The try stands around the whole loop: after a failure the worker has ended. Then there are fewer than `workers`, and when all have ended so, the rest of the pages is never begun.
# line: except Exception as error
# told: await queue.put(None)
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, failed = {}, {}
    queue = asyncio.Queue(size)
    coming = iter(pages)

    async def fetcher():
        page = None
        try:
            for page in coming:
                await queue.put((page, await fetch(page)))
        except Exception as error:
            failed[page] = error

    async def parser():
        while (item := await queue.get()) is not None:
            page, raw = item
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as outer:
        outer.create_task(parser())
        async with asyncio.TaskGroup() as inner:
            for _ in range(workers):
                inner.create_task(fetcher())
        await queue.put(None)
    return records, failed

# %% crawl-pipeline-1 wrong: a page that is None
# cause: What `fetch` returned may be None. Here it is the sign that all has come: the parser ends there, this page and those behind it are never parsed, and the fetchers may wait for room for ever.
# line: if raw is None
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = list(reversed(pages))
    records, failed = {}, {}
    queue = asyncio.Queue(size)
    at_work = workers

    async def fetcher():
        nonlocal at_work
        while todo:
            page = todo.pop()
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))
        at_work -= 1
        if at_work == 0:
            await queue.put((None, None))

    async def parser():
        while True:
            page, raw = await queue.get()
            if raw is None:
                return
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        for _ in range(workers):
            group.create_task(fetcher())
    return records, failed

# %% crawl-pipeline-1 right: a class, and the parser is cancelled when all is joined
import asyncio


class Pipeline:
    def __init__(self, fetch, parse, pages, size):
        self.fetch, self.parse = fetch, parse
        self.coming = iter(pages)
        self.fetched = asyncio.Queue(size)
        self.records, self.failed = {}, {}

    async def attempt(self, page, function, argument):
        """(True, result), or (False, None) with the page's error noted down."""
        try:
            return True, await function(argument)
        except Exception as error:
            self.failed[page] = error
            return False, None

    async def fetch_some(self):
        for page in self.coming:
            is_there, raw = await self.attempt(page, self.fetch, page)
            if is_there:
                await self.fetched.put((page, raw))

    async def parse_all(self):
        while True:
            page, raw = await self.fetched.get()
            is_there, record = await self.attempt(page, self.parse, raw)
            if is_there:
                self.records[page] = record
            self.fetched.task_done()

    async def run(self, workers):
        async with asyncio.TaskGroup() as group:
            parser = group.create_task(self.parse_all())
            fetchers = [group.create_task(self.fetch_some()) for _ in range(workers)]
            await asyncio.gather(*fetchers)
            await self.fetched.join()
            parser.cancel()
        return self.records, self.failed


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    return await Pipeline(fetch, parse, pages, size).run(workers)

# %% crawl-stop-1 wrong: a page that failed is lost
# cause: The page goes back only after a cancellation. If its fetch raises an error it is neither in `todo` nor in `done`.
# line: except asyncio.CancelledError
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except asyncio.CancelledError:
                todo.appendleft(page)
                raise

    async def work():
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    working = asyncio.create_task(work())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await asyncio.wait({working}, timeout=grace)
        if working.done():
            await working
    finally:
        stopping.cancel()
        working.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)

# %% crawl-stop-1 wrong: waits for a stop that never comes
# cause: It waits for `stop` first, whatever the workers do. If all pages are done (or a fetch has failed) and nobody sets `stop`, it never returns.
# line: await stop.wait()
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await stop.wait()
        await asyncio.wait(tasks, timeout=grace, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result

# %% crawl-stop-1 right: a class that knows what is under way
import asyncio


class Crawl:
    def __init__(self, fetch, todo, done, stop):
        self.fetch, self.todo, self.done, self.stop = fetch, todo, done, stop
        self.begun = []
        self.is_closing = False

    async def work(self):
        while self.todo and not self.stop.is_set() and not self.is_closing:
            page = self.todo.popleft()
            self.begun.append(page)
            try:
                result = await self.fetch(page)
            except BaseException:
                self.is_closing = True      # an error or a cancellation ends it all
                raise
            self.done[page] = result
            self.begun.remove(page)

    async def run(self, workers, grace):
        tasks = [asyncio.ensure_future(self.work()) for _ in range(workers)]
        bell = asyncio.ensure_future(self.stop.wait())
        try:
            left = set(tasks)
            while left and not bell.done():
                ended, _ = await asyncio.wait(
                    {bell, *left}, return_when=asyncio.FIRST_COMPLETED
                )
                for task in ended:
                    task.result()
                left -= ended
            if left:
                await asyncio.wait(
                    left, timeout=grace, return_when=asyncio.FIRST_EXCEPTION
                )
        finally:
            self.is_closing = True
            bell.cancel()
            for task in tasks:
                task.cancel()
            try:
                await asyncio.gather(bell, *tasks, return_exceptions=True)
            finally:
                self.todo.extendleft(reversed(self.begun))
                self.begun.clear()
        for task in tasks:
            if not task.cancelled():
                task.result()


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    await Crawl(fetch, todo, done, stop).run(workers, grace)

# %% crawl-progress-1 wrong: the request in one piece
# cause: `read` returns what is there: a request that comes in pieces is read only in part, and half a line is taken for the whole of it.
# line: await reader.read(4096)
import asyncio
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""

    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        request = (await reader.read(4096)).decode()
        if not request:
            return
        words = request.split()
        path = words[1] if len(words) > 1 else ""
        if path == "/":
            await send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
        elif path == "/events":
            await send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while True:
                is_over = crawl.over
                await send(f"data: {json.dumps(crawl.state())}\n\n")
                if is_over:
                    break
                await asyncio.sleep(0.05)
        else:
            await send("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno")
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: over while the event was sent
# cause: Whether the crawl is over is asked after the drain, the state was taken before it. If the crawl ends in between, the loop ends with an old state: the last event, the one with the state at the end, is missing.
# line: if crawl.over
import asyncio
import json

HEAD = "HTTP/1.1 {}\r\nContent-Type: {}\r\n\r\n"


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split()[1]
        if path == b"/":
            writer.write(HEAD.format("200 OK", "text/html").encode())
            writer.write(b"<script>new EventSource('/events')</script>")
            await writer.drain()
        elif path == b"/events":
            writer.write(HEAD.format("200 OK", "text/event-stream").encode())
            await writer.drain()
            while True:
                writer.write(f"data: {json.dumps(crawl.state())}\n\n".encode())
                await writer.drain()
                if crawl.over:
                    break
                await asyncio.sleep(0.05)
        else:
            writer.write(HEAD.format("404 Not Found", "text/plain").encode())
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 right: bodies as async generators
import asyncio
import contextlib
import json

PAGE = b"""<!doctype html>
<title>Crawl</title>
<pre id="state"></pre>
<script>
new EventSource("/events").onmessage = event => {
    document.getElementById("state").textContent = event.data;
};
</script>
"""


async def text(body):
    yield body


async def events(crawl):
    is_last = False
    while not is_last:
        is_last = crawl.over        # in the same moment as the state
        yield b"data: %b\n\n" % json.dumps(crawl.state()).encode()
        if not is_last:
            await asyncio.sleep(0.05)


async def read_path(reader):
    line = await reader.readline()
    words = line.split()
    while line != b"\r\n":
        if not line.endswith(b"\n"):
            raise ConnectionError("the visitor left within the request")
        line = await reader.readline()
    return words[1] if len(words) > 1 else None


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    with contextlib.closing(writer), contextlib.suppress(ConnectionError):
        match await read_path(reader):
            case b"/":
                status, kind, body = b"200 OK", b"text/html", text(PAGE)
            case b"/events":
                status, kind, body = b"200 OK", b"text/event-stream", events(crawl)
            case _:
                status, kind, body = b"404 Not Found", b"text/plain", text(b"no\n")
        writer.write(b"HTTP/1.1 %b\r\nContent-Type: %b\r\n\r\n" % (status, kind))
        await writer.drain()
        async with contextlib.aclosing(body):
            async for part in body:
                writer.write(part)
                await writer.drain()

# %% crawl-whole-1 wrong: httpx's timeout is not for the whole answer
# cause: The timeout of httpx holds for each single wait (connecting, each piece of the answer). An answer that trickles in takes much longer than 0.3 s without any of them being late; asyncio.timeout around the request is for all of it.
# line: timeout=0.3
# told: for attempt in range(6):
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    done, failed = {}, []
    coming = iter(pages)

    async def get(client, page):
        for attempt in range(6):
            pause = random.uniform(0, 0.1)
            try:
                response = await client.get(f"{url}/{page}")
            except httpx.TransportError:
                pass
            else:
                if response.status_code == 200:
                    return response.json()["name"]
                if response.status_code == 429:
                    pause = float(response.headers["Retry-After"])
                elif response.status_code != 503:
                    break
            if attempt < 5:
                await asyncio.sleep(pause)
        return None

    async def worker(client):
        for page in coming:
            name = await get(client, page)
            if name is None:
                failed.append(page)
            else:
                done[page] = name
            tell(len(done), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return done, failed

# %% crawl-whole-1 wrong: told only of those that are done
# cause: After a page that failed it goes on with the next one by `continue`, and does not call `tell`, though it is to be told of each page, done or failed.
# line: continue
# told: for left in reversed(range(6)):
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    todo = list(pages)
    done, failed = {}, []

    async def get(client, page):
        for left in reversed(range(6)):
            pause = 0.1 * random.random()
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(f"{url}/{page}")
            except (TimeoutError, httpx.TransportError):
                status = None
            else:
                status = response.status_code
            if status == 200:
                return response.json()["name"]
            if status == 429:
                pause = float(response.headers.get("Retry-After", pause))
            if status not in (None, 429, 503):
                break
            if left:
                await asyncio.sleep(pause)
        raise LookupError(page)

    async def worker(client):
        while todo:
            page = todo.pop()
            try:
                done[page] = await get(client, page)
            except LookupError:
                failed.append(page)
                continue
            tell(len(done), len(failed))

    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker(client))
    return done, failed

# %% crawl-whole-1 right: a class, and an async generator of tries
import asyncio
import random
import httpx


class Crawler:
    def __init__(self, url, pages, tell):
        self.base = url.rstrip("/")
        self.coming = iter(pages)
        self.tell = tell
        self.done, self.failed = {}, []

    async def one_try(self, page):
        """A response, or None after a lost connection or too long a time."""
        try:
            async with asyncio.timeout(0.3):
                return await self.client.get(self.base + page)
        except (TimeoutError, httpx.TransportError):
            return None

    @staticmethod
    def pause_after(response):
        if response is not None and response.status_code == 429:
            try:
                return max(0.0, float(response.headers["Retry-After"]))
            except (KeyError, ValueError):
                pass
        return random.uniform(0, 0.1)

    async def name(self, page):
        """The name in a tuple, or an empty tuple."""
        for number in range(6):
            if number > 0:
                await asyncio.sleep(self.pause_after(response))
            response = await self.one_try(page)
            match None if response is None else response.status_code:
                case 200:
                    try:
                        return (response.json()["name"],)
                    except (ValueError, LookupError, TypeError):
                        return ()
                case None | 429 | 503:
                    continue
                case _:
                    return ()
        return ()

    async def work(self):
        for page in self.coming:
            match await self.name(page):
                case (name,):
                    self.done[page] = name
                case _:
                    self.failed.append(page)
            self.tell(len(self.done), len(self.failed))

    async def run(self, workers):
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=None, limits=limits) as self.client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self.work())
        return self.done, self.failed


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    return await Crawler(url, pages, tell).run(workers)

# %% crawl-pipeline-1 wrong: an exception as a result
# cause: an exception that `fetch` returned is taken for one that it raised
# line: if isinstance(raw, Exception): | raw = error
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    records, failed, left = {}, {}, iter(pages)
    queue = asyncio.Queue(size)

    async def fetcher():
        for page in left:
            try:
                raw = await fetch(page)
            except Exception as error:
                raw = error
            await queue.put((page, raw))

    async def parser():
        while pair := await queue.get():
            page, raw = pair
            if isinstance(raw, Exception):
                failed[page] = raw
                continue
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as outer:
        outer.create_task(parser())
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(fetcher())
        await queue.put(None)
    return records, failed

# %% crawl-page-1 wrong: a pause behind the last try
# cause: After the fifth try it pauses once more, before the ValueError, which should come out at once.
# line: await asyncio.sleep(random.uniform(0, 0.1 * 2 ** attempt))
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        for attempt in range(5):
            with contextlib.suppress(OSError):
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(f"status {status}")
            await asyncio.sleep(random.uniform(0, 0.1 * 2 ** attempt))
        raise ValueError("five tries failed")

# %% crawl-page-1 wrong: the end of all is taken for a slow try
# cause: When the 4 s are over, a TimeoutError should come out; here it is caught and becomes a ValueError.
# line: except TimeoutError: | raise ValueError(page) from None
import asyncio
import contextlib
import random


async def tries(ask, page):
    for attempt in range(5):
        if attempt:
            await asyncio.sleep(random.uniform(0, 0.05 * 2 ** attempt))
        try:
            status, body = await asyncio.wait_for(ask(page), 1)
        except OSError:
            continue
        if status == 200:
            return body
        if status not in (429, 503):
            break
    raise ValueError(page)


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    try:
        return await asyncio.wait_for(tries(ask, page), 4)
    except TimeoutError:
        raise ValueError(page) from None

# %% crawl-page-1 right: match, and a row of limits
import asyncio
import contextlib
import random


async def one_try(ask, page):
    try:
        async with asyncio.timeout(1):
            return await ask(page)
    except OSError:
        return 503, None


async def tries(ask, page):
    for longest in (0, 0.1, 0.2, 0.4, 0.8):
        if longest:
            await asyncio.sleep(longest * random.random())
        match await one_try(ask, page):
            case 200, body:
                return body
            case (429 | 503), _:
                continue
            case status, _:
                raise ValueError(f"{page}: {status}")
    raise ValueError(f"{page}: five tries failed")


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        return await tries(ask, page)

# %% crawl-limit-1 wrong: two places become free at once
# cause: The tasks are made `apart` seconds apart, but they start when the semaphore lets them: if two fetches end in one moment, the next two start in one moment as well.
# line: async with places: | await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)
    tasks = []

    async def one(page):
        async with places:
            return await fetch(page)

    async with asyncio.TaskGroup() as group:
        for page in pages:
            if tasks:
                await asyncio.sleep(apart)
            tasks.append(group.create_task(one(page)))
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: always the whole pause
# cause: After waiting for a place it sleeps `apart` in any case, even if the last start is long ago: the page does not start as soon as the limits allow.
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)
    tasks = []

    async def one(page):
        try:
            return await fetch(page)
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            if tasks:
                await asyncio.sleep(apart)
            tasks.append(group.create_task(one(page)))
    return [task.result() for task in tasks]

# %% crawl-limit-1 right: places and starts in one loop
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    clock = asyncio.get_running_loop().time
    free = asyncio.Queue()
    for place in range(most):
        free.put_nowait(place)
    tasks = []
    earliest = clock()
    async with asyncio.TaskGroup() as group:
        for page in pages:
            place = await free.get()
            if (wait := earliest - clock()) > 0:
                await asyncio.sleep(wait)
            earliest = clock() + apart
            task = group.create_task(fetch(page))
            task.add_done_callback(lambda _, place=place: free.put_nowait(place))
            tasks.append(task)
    return [task.result() for task in tasks]

# %% crawl-pipeline-1 wrong: an exception that was returned
# cause: A failure of fetch goes through the queue as a value; but `fetch` may return anything, an exception as well: that page is not parsed. Besides, failed pages take up room in the queue.
# line: if isinstance(raw, Exception):
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, errors = {}, {}
    queue = asyncio.Queue(size)
    todo = iter(pages)

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                raw = error
            await queue.put((page, raw))

    async def parse_all():
        while (entry := await queue.get()) is not None:
            page, raw = entry
            if isinstance(raw, Exception):
                errors[page] = raw
                continue
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parse_all())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(work())
        await queue.put(None)
    return records, errors

# %% crawl-pipeline-1 wrong: join is not told of failures
# cause: When `parse` fails, `task_done` is skipped: `queue.join()` waits for ever.
# line: queue.task_done() | await queue.join()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, errors = {}, {}
    queue = asyncio.Queue(size)
    todo = iter(pages)

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def parse_all():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
                queue.task_done()
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        parser = group.create_task(parse_all())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(work())
        await queue.join()
        parser.cancel()
    return records, errors

# %% crawl-pipeline-1 right: the last worker sends the end
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, errors = {}, {}
    queue = asyncio.Queue(size)
    todo = iter(pages)
    end = object()

    async def attempt(page, coroutine):
        """Return whether it went well, and the result."""
        try:
            return True, await coroutine
        except Exception as error:
            errors[page] = error
            return False, None

    async def work():
        for page in todo:
            match await attempt(page, fetch(page)):
                case True, raw:
                    await queue.put((page, raw))

    async def all_work():
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
        await queue.put((end, None))

    async with asyncio.TaskGroup() as group:
        group.create_task(all_work())
        while True:
            page, raw = await queue.get()
            if page is end:
                break
            match await attempt(page, parse(raw)):
                case True, record:
                    records[page] = record
    return records, errors

# %% crawl-stop-1 wrong: a page that fails is lost
# cause: Only a cancellation puts the page back; where `fetch` raises an error, its page is neither in `todo` nor in `done` in the end.
# line: except asyncio.CancelledError: | done[page] = await fetch(page)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def work():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except asyncio.CancelledError:
                todo.appendleft(page)
                raise

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work()) for _ in range(workers)]

        async def watch():
            await stop.wait()
            await asyncio.wait(tasks, timeout=grace)
            for task in tasks:
                task.cancel()

        watcher = group.create_task(watch())
        await asyncio.wait(tasks)
        watcher.cancel()

# %% crawl-stop-1 wrong: it waits for the stop in any case
# cause: `stop.wait()` is awaited first: if all pages are done and nobody sets `stop`, crawl never returns, and an error of a fetch does not come out.
# line: await stop.wait()
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def work():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.append(page)
                raise

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await stop.wait()
        await asyncio.wait(tasks, timeout=grace)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.result()

# %% crawl-stop-1 right: an exit stack for the page in hand
import asyncio
from contextlib import ExitStack


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def work():
        while todo and not stop.is_set():
            page = todo.popleft()
            with ExitStack() as stack:
                stack.callback(todo.appendleft, page)
                done[page] = await fetch(page)
                stack.pop_all()

    async def watch(tasks):
        await stop.wait()
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work()) for _ in range(workers)]
        watcher = group.create_task(watch(tasks))
        if tasks:
            await asyncio.wait(tasks)
        watcher.cancel()

# %% crawl-progress-1 wrong: a visitor who leaves before the empty line
# cause: If the visitor leaves in the middle of the request, `readuntil` raises an IncompleteReadError, which is an EOFError and no ConnectionError: it comes out.
# line: except ConnectionError: | request = await reader.readuntil(b"\r\n\r\n")
import asyncio
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split()[1]
        if path == b"/":
            await send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>\n")
        elif path == b"/events":
            await send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await send(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
            await send(f"data: {json.dumps(crawl.state())}\n\n")
        else:
            await send("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot found\n")
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: no last state
# cause: When the crawl is over the loop ends, and the state at the end is never sent; a visitor who comes after the end gets no event at all.
# line: while not crawl.over:
import asyncio
import contextlib
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            match request.split()[1]:
                case b"/":
                    await send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hi\n")
                case b"/events":
                    await send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                    while not crawl.over:
                        await send(f"data: {json.dumps(crawl.state())}\n\n")
                        await asyncio.sleep(0.05)
                case _:
                    await send("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno\n")
    finally:
        writer.close()

# %% crawl-whole-1 wrong: httpx's timeout is no deadline
# cause: `timeout=0.3` bounds each single wait for bytes, not the whole try: an answer that trickles in takes as long as it likes.
# line: httpx.AsyncClient(timeout=0.3)
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed = {}, []
    todo = iter(pages)

    async def one(client, page):
        for attempt in range(6):
            wait = random.uniform(0, 0.1)
            try:
                response = await client.get(url + page)
            except httpx.TransportError:
                pass
            else:
                if response.status_code == 200:
                    names[page] = response.json()["name"]
                    return
                if response.status_code not in (429, 503):
                    break
                if response.status_code == 429:
                    wait = float(response.headers["Retry-After"])
            if attempt < 5:
                await asyncio.sleep(wait)
        failed.append(page)

    async def work(client):
        for page in todo:
            await one(client, page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work(client))
    return names, failed

# %% crawl-whole-1 wrong: lost connections of other kinds
# cause: Only the ConnectError is caught; a connection that is lost while the answer comes is a ReadError or a RemoteProtocolError: it comes out and ends the whole crawl.
# line: except (httpx.ConnectError, TimeoutError): | response = await client.get(url + page, timeout=None)
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed = {}, []
    places = asyncio.Semaphore(workers)

    async def get(client, page):
        for attempt in range(6):
            if attempt:
                await asyncio.sleep(wait)
            wait = 0.1 * random.random()
            try:
                async with places, asyncio.timeout(0.3):
                    response = await client.get(url + page, timeout=None)
            except (httpx.ConnectError, TimeoutError):
                continue
            if response.status_code == 200:
                return response.json()["name"]
            if response.status_code == 429:
                wait = int(response.headers.get("Retry-After", 0))
            elif response.status_code != 503:
                return None
        return None

    async def one(client, page):
        name = await get(client, page)
        if name is None:
            failed.append(page)
        else:
            names[page] = name
        tell(len(names), len(failed))

    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for page in pages:
            group.create_task(one(client, page))
    return names, failed

# %% crawl-limit-1 wrong: sleeps inside the gate
# cause: the pause stands after the fetch, so the next starts only `apart` after one has ended
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    gate = asyncio.Semaphore(most)

    async def one(page):
        async with gate:
            text = await fetch(page)
            await asyncio.sleep(apart)
            return text

    return await asyncio.gather(*map(one, pages))

# %% crawl-limit-1 wrong: the starts are planned from the beginning
# cause: the pause runs beside the gate: fetches that waited for a place start together
# line: await asyncio.sleep(number * apart) | async with gate
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    gate = asyncio.Semaphore(most)

    async def one(number, page):
        await asyncio.sleep(number * apart)
        async with gate:
            return await fetch(page)

    return await asyncio.gather(*(one(*each) for each in enumerate(pages)))

# %% crawl-limit-1 wrong: waits apart after the last one
# cause: it sleeps after the last start too, so it may return late
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    gate = asyncio.Semaphore(most)

    async def one(page):
        try:
            return await fetch(page)
        finally:
            gate.release()

    async with asyncio.TaskGroup() as group:
        tasks = []
        for page in pages:
            await gate.acquire()
            tasks.append(group.create_task(one(page)))
            await asyncio.sleep(apart)
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: rests behind the last start, errors among the results
# cause: the rest is waited for before the result, also behind the last start; errors don't come out
# line: await asyncio.sleep(apart) | return_exceptions=True
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    gate = asyncio.Semaphore(most)
    turn = asyncio.Lock()

    async def one(page):
        async with gate:
            async with turn:
                started = asyncio.create_task(fetch(page))
                await asyncio.sleep(apart)
            return await started

    return await asyncio.gather(*map(one, pages), return_exceptions=True)

# %% crawl-pipeline-1 wrong: the parser dies of an error
# cause: an error of parse ends the parser; the workers wait for room for ever
# line: await parse(raw)
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records, errors = {}, {}

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def read():
        while True:
            page, raw = await queue.get()
            records[page] = await parse(raw)
            queue.task_done()

    reader = asyncio.create_task(read())
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
        await queue.join()
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    return records, errors

# %% crawl-pipeline-1 wrong: a failed parse isn't done
# cause: task_done isn't called when parse fails: join waits for ever
# line: queue.task_done() | except Exception as error
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records, errors = {}, {}

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def read():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
                queue.task_done()
            except Exception as error:
                errors[page] = error

    reader = asyncio.create_task(read())
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
        await queue.join()
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    return records, errors

# %% crawl-pipeline-1 wrong: counts the pages that were fetched
# cause: the parser waits for as many as there are pages, though some failed
# line: for _ in pages | await queue.get()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records, errors = {}, {}

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
                await queue.put((page, raw))
            except Exception as error:
                errors[page] = error

    async def read():
        for _ in pages:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        for _ in range(workers):
            group.create_task(work())
    return records, errors

# %% crawl-pipeline-1 wrong: no mark for the parser at the end
# cause: nobody tells the parser that no more comes
# line: await queue.get()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records, errors = {}, {}

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
                await queue.put((page, raw))
            except Exception as error:
                errors[page] = error

    async def read():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        for _ in range(workers):
            group.create_task(work())
    return records, errors

# %% crawl-pipeline-1 wrong: the parser begins when all are fetched
# cause: with a queue that is full the workers wait for ever
# line: await queue.put((page, raw)) | async with asyncio.TaskGroup() as group
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records, errors = {}, {}

    async def work():
        for page in todo:
            try:
                raw = await fetch(page)
                await queue.put((page, raw))
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    while not queue.empty():
        page, raw = queue.get_nowait()
        try:
            records[page] = await parse(raw)
        except Exception as error:
            errors[page] = error
    return records, errors

# %% crawl-page-1 wrong: pauses after the last try as well
# cause: after the fifth try it still pauses, so the ValueError doesn't come out at once
# line: await asyncio.sleep(random.uniform(0, longest)) | for attempt in range(5):
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    longest = 0.1
    async with asyncio.timeout(4):
        for attempt in range(5):
            with contextlib.suppress(OSError):  # a TimeoutError is one, too
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(f"{page}: {status}")
            await asyncio.sleep(random.uniform(0, longest))
            longest *= 2
    raise ValueError(f"{page}: no answer in five tries")

# %% crawl-page-1 wrong: catches ConnectionError only
# cause: an OSError that isn't a ConnectionError isn't tried again, it comes out
# line: except (ConnectionError, TimeoutError):
import asyncio
import random

PASSING = {429, 503}


async def one_try(ask, page):
    try:
        return await asyncio.wait_for(ask(page), timeout=1)
    except (ConnectionError, TimeoutError):
        return 503, ""  # as if it were busy


async def get_page(ask, page):
    async def tries():
        for attempt in range(5):
            if attempt > 0:
                await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
            match await one_try(ask, page):
                case 200, body:
                    return body
                case status, _ if status not in PASSING:
                    break
        raise ValueError(page)

    async with asyncio.timeout(4):
        return await tries()

# %% crawl-page-1 wrong: looks at the deadline between the tries only
# cause: a try or a pause that has begun isn't cut off at 4 s, so the TimeoutError comes out late
# line: if loop.time() >= deadline: | deadline = loop.time() + 4 | async with asyncio.timeout(1):
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + 4
    for most in (0, 0.1, 0.2, 0.4, 0.8):
        if most:
            await asyncio.sleep(random.uniform(0, most))
        if loop.time() >= deadline:
            raise TimeoutError(page)
        status = None
        with contextlib.suppress(OSError):
            async with asyncio.timeout(1):
                status, body = await ask(page)
        if status == 200:
            return body
        if status not in (None, 429, 503):
            raise ValueError(f"status {status}")
    raise ValueError("five tries were not enough")

# %% crawl-page-1 right: the pauses come from a list
import asyncio
import random


async def get_page(ask, page):
    pauses = [0.1 * 2**n for n in range(4)]
    async with asyncio.timeout(4):
        while True:
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                status = 503
            if status == 200:
                return body
            if status not in (429, 503) or not pauses:
                raise ValueError(f"{page} gave {status}")
            await asyncio.sleep(random.random() * pauses.pop(0))

# %% crawl-page-1 right: by recursion, without contextlib
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""

    async def ask_again(tries_left, longest):
        try:
            status, body = await asyncio.wait_for(ask(page), 1)
        except (OSError, asyncio.TimeoutError):
            status, body = 503, None
        match status:
            case 200:
                return body
            case 429 | 503 if tries_left:
                await asyncio.sleep(random.uniform(0, longest))
                return await ask_again(tries_left - 1, 2 * longest)
        raise ValueError(status)

    async with asyncio.timeout(4):
        return await ask_again(4, 0.1)

# %% crawl-limit-1 wrong: sleeps after the last start as well
# cause: it sleeps after the last start too, so it may return long after the last fetch has ended
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)

    async def one(page):
        try:
            return await fetch(page)
        finally:
            places.release()

    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            tasks.append(group.create_task(one(page)))
            await asyncio.sleep(apart)
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: pauses although enough time has gone by
# cause: it always pauses for all of `apart` once there is room, even if the last start is long ago, so fetches start later than the limits allow
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    results = {}
    todo = list(enumerate(pages))
    running = set()
    try:
        for n, page in todo:
            if len(running) >= most:
                done, running = await asyncio.wait(
                    running, return_when=asyncio.FIRST_COMPLETED
                )
                results.update(task.result() for task in done)
            if n > 0:
                await asyncio.sleep(apart)
            running.add(asyncio.create_task(numbered(fetch, n, page)))
        while running:
            done, running = await asyncio.wait(
                running, return_when=asyncio.FIRST_COMPLETED
            )
            results.update(task.result() for task in done)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return [results[n] for n, _ in todo]


async def numbered(fetch, n, page):
    return n, await fetch(page)

# %% crawl-limit-1 wrong: the moment is fixed before there is a place
# cause: each task waits for its moment first and for a place afterwards, so two that waited for places may start less than `apart` apart
# line: await asyncio.sleep(n * apart) | async with places:
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)

    async def in_turn(n, page):
        await asyncio.sleep(n * apart)  # the n-th start
        async with places:
            return await fetch(page)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(in_turn(*pair)) for pair in enumerate(pages)]
    return [task.result() for task in tasks]

# %% crawl-limit-1 right: workers, and a lock around the start
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    clock = asyncio.get_running_loop().time
    todo = enumerate(pages)
    results, turn, earliest = {}, asyncio.Lock(), clock()

    async def worker():
        nonlocal earliest
        while True:
            async with turn:
                if (taken := next(todo, None)) is None:
                    return
                if (pause := earliest - clock()) > 0:
                    await asyncio.sleep(pause)
                earliest = clock() + apart
            n, page = taken
            results[n] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for _ in range(most):
            group.create_task(worker())
    return [results[n] for n in range(len(results))]

# %% crawl-limit-1 right: one loop starts all, a callback gives the place back
import asyncio


async def fetch_all(fetch, pages, most, apart):
    loop = asyncio.get_running_loop()
    places = asyncio.Semaphore(most)
    tasks, last = [], None
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            if last is not None and loop.time() < last + apart:
                await asyncio.sleep(last + apart - loop.time())
            last = loop.time()
            task = group.create_task(fetch(page))
            task.add_done_callback(lambda _: places.release())
            tasks.append(task)
    return [task.result() for task in tasks]

# %% crawl-pipeline-1 wrong: None means that there is nothing to parse
# cause: a page for which `fetch` returned None isn't parsed, though None is a result as any other
# line: if raw is not None: | raw = None
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, errors = {}, {}
    queue, todo = asyncio.Queue(size), iter(pages)
    end = object()

    async def fetcher():
        for page in todo:
            raw = None
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            if raw is not None:
                await queue.put((page, raw))

    async def parser():
        while (item := await queue.get()) is not end:
            page, raw = item
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(fetcher())
        await queue.put(end)
    return records, errors

# %% crawl-pipeline-1 wrong: the parser is cancelled at the end only
# cause: if the pipeline is cancelled, nobody cancels the parser's task, which goes on for ever
# line: parsing = asyncio.create_task(parse_all()) | parsing.cancel() | await asyncio.gather(*(fetch_some() for _ in range(workers))) | none
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    good, bad = {}, {}
    todo = list(reversed(pages))
    fetched = asyncio.Queue(maxsize=size)

    async def fetch_some():
        while todo:
            page = todo.pop()
            try:
                raw = await fetch(page)
            except Exception as error:
                bad[page] = error
                continue
            await fetched.put((page, raw))

    async def parse_all():
        while True:
            page, raw = await fetched.get()
            try:
                good[page] = await parse(raw)
            except Exception as error:
                bad[page] = error
            finally:
                fetched.task_done()

    parsing = asyncio.create_task(parse_all())
    await asyncio.gather(*(fetch_some() for _ in range(workers)))
    await fetched.join()
    parsing.cancel()
    await asyncio.wait([parsing])
    return good, bad

# %% crawl-pipeline-1 wrong: task_done only after a success
# cause: if `parse` raises, task_done isn't called, so queue.join() waits for ever
# line: self.queue.task_done() | self.errors[page] = error | await self.queue.join()
import asyncio


class Pipeline:
    def __init__(self, fetch, parse, pages, size):
        self.fetch, self.parse = fetch, parse
        self.todo = iter(pages)
        self.queue = asyncio.Queue(size)
        self.records, self.errors = {}, {}

    async def fetcher(self):
        for page in self.todo:
            try:
                raw = await self.fetch(page)
            except Exception as failure:
                self.errors.update({page: failure})
            else:
                await self.queue.put((page, raw))

    async def parser(self):
        while True:
            page, raw = await self.queue.get()
            try:
                self.records[page] = await self.parse(raw)
                self.queue.task_done()
            except Exception as error:
                self.errors[page] = error

    async def run(self, workers):
        async with asyncio.TaskGroup() as group:
            parsing = group.create_task(self.parser())
            fetching = [group.create_task(self.fetcher()) for _ in range(workers)]
            await asyncio.wait(fetching)
            await self.queue.join()
            parsing.cancel()
        return self.records, self.errors


async def pipeline(fetch, parse, pages, workers, size):
    return await Pipeline(fetch, parse, pages, size).run(workers)

# %% crawl-pipeline-1 right: join in a task group, one dict of outcomes
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    outcomes = {True: {}, False: {}}
    queue, todo = asyncio.Queue(size), iter(pages)

    async def attempt(page, waiting):
        try:
            return True, await waiting
        except Exception as error:
            outcomes[False][page] = error
            return False, None

    async def fetcher():
        for page in todo:
            fine, raw = await attempt(page, fetch(page))
            if fine:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            fine, record = await attempt(page, parse(raw))
            if fine:
                outcomes[True][page] = record
            queue.task_done()

    async with asyncio.TaskGroup() as group:
        parsing = group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(fetcher())
        await queue.join()
        parsing.cancel()
    return outcomes[True], outcomes[False]

# %% crawl-pipeline-1 right: a deque and two semaphores for the queue
import asyncio
from collections import deque


async def pipeline(fetch, parse, pages, workers, size):
    records, errors = {}, {}
    raws, room, ready = deque(), asyncio.Semaphore(size), asyncio.Semaphore(0)
    todo = deque(pages)

    async def fetch_pages():
        while todo:
            page = todo.popleft()
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await room.acquire()
                raws.append((page, raw))
                ready.release()

    async def parse_pages():
        while True:
            await ready.acquire()
            if not raws:
                return  # woken for the end
            page, raw = raws.popleft()
            room.release()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    tasks = [asyncio.create_task(fetch_pages()) for _ in range(workers)]
    last = asyncio.create_task(parse_pages())
    try:
        await asyncio.gather(*tasks)
        ready.release()
        await last
    finally:
        for task in (*tasks, last):
            task.cancel()
        await asyncio.gather(*tasks, last, return_exceptions=True)
    return records, errors

# %% crawl-progress-1 wrong: closes only if it isn't cancelled
# cause: writer.close() stands after the try and not in a finally, so a cancelled handler leaves the connection open
# line: writer.close() | except (OSError, EOFError, asyncio.LimitOverrunError): | none
import asyncio
import json


def head(status, kind):
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode()


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""

    async def send(data):
        writer.write(data)
        await writer.drain()

    def event():
        return f"data: {json.dumps(crawl.state())}\n\n".encode()

    try:
        request = await reader.readuntil(b"\r\n\r\n")
        match request.split(b" ", 2):
            case [_, b"/", _]:
                await send(head("200 OK", "text/html") + b"<h1>The crawl</h1>")
            case [_, b"/events", _]:
                await send(head("200 OK", "text/event-stream"))
                while not crawl.over:
                    await send(event())
                    await asyncio.sleep(0.05)
                await send(event())
            case _:
                await send(head("404 Not Found", "text/plain") + b"not here")
    except (OSError, EOFError, asyncio.LimitOverrunError):
        pass  # the visitor has left
    writer.close()

# %% crawl-progress-1 wrong: no event at the end
# cause: once the crawl is over the loop ends without an event with the last state, and a crawl that is over already gives no event at all
# line: while not crawl.over: | none
import asyncio
import contextlib
import json

PAGE = "<!doctype html><title>Crawl</title><p>See /events."


def answer(crawl, path):
    if path == "/":
        yield "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
    elif path == "/events":
        yield "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        while not crawl.over:
            yield "data: " + json.dumps(crawl.state()) + "\n\n"
    else:
        yield "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nNot found"


async def show(crawl, reader, writer):
    gone = OSError, EOFError, asyncio.LimitOverrunError
    with contextlib.closing(writer), contextlib.suppress(*gone):
        asked = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        words = asked.split()
        path = words[1] if len(words) > 1 else ""
        for part in answer(crawl, path):
            writer.write(part.encode())
            await writer.drain()
            if part.startswith("data: "):
                await asyncio.sleep(0.05)

# %% crawl-progress-1 wrong: reads lines for ever if the visitor leaves
# cause: at the end of the input readline() returns b"", which isn't the empty line, so a visitor who leaves in the request keeps the loop going for ever
# line: while await reader.readline() != b"\r\n":
import asyncio
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    try:
        first = (await reader.readline()).split()
        while await reader.readline() != b"\r\n":
            pass  # the other lines don't matter
        path = first[1] if len(first) >= 2 else b"?"
        if path == b"/events":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            last = False
            while not last:
                last = crawl.over
                writer.write(f"data: {json.dumps(crawl.state())}\n\n".encode())
                await writer.drain()
                if not last:
                    await asyncio.sleep(0.05)
        else:
            status, kind, body = "404 Not Found", "text/plain", "404"
            if path == b"/":
                status, kind, body = "200 OK", "text/html", "<h1>Crawl</h1>"
            text = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n{body}"
            writer.write(text.encode())
            await writer.drain()
    except (ConnectionError, ValueError):
        pass  # gone, or a line too long
    finally:
        writer.close()

# %% crawl-progress-1 right: an async generator of the parts
import asyncio
import contextlib
import json


async def parts_of(crawl, path):
    head = "HTTP/1.1 {}\r\nContent-Type: {}\r\n\r\n".format
    if path == b"/":
        yield head("200 OK", "text/html") + "<!doctype html><p>The crawl"
    elif path == b"/events":
        yield head("200 OK", "text/event-stream")
        over = False
        while not over:
            over = crawl.over
            yield f"data: {json.dumps(crawl.state())}\n\n"
            if not over:
                await asyncio.sleep(0.05)
    else:
        yield head("404 Not Found", "text/plain") + "no such page"


async def show(crawl, reader, writer):
    try:
        with contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError):
            asked = await reader.readuntil(b"\r\n\r\n")
            path = (asked.split(maxsplit=2) + [b"", b""])[1]
            async with contextlib.aclosing(parts_of(crawl, path)) as parts:
                async for part in parts:
                    writer.write(part.encode())
                    await writer.drain()
    finally:
        writer.close()

# %% crawl-progress-1 right: reads line by line, a class for the visitor
import asyncio
import json


class Visitor:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def path(self):
        lines = []
        while (line := await self.reader.readline()).strip():
            lines.append(line)
        if not line:
            raise ConnectionError("left in the middle of the request")
        words = lines[0].split() if lines else []
        return words[1].decode("latin-1") if len(words) > 1 else None

    async def head(self, kind, status="200 OK"):
        await self.say(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n")

    async def say(self, text):
        self.writer.write(text.encode())
        await self.writer.drain()


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    visitor = Visitor(reader, writer)
    try:
        path = await visitor.path()
        if path == "/":
            await visitor.head("text/html")
            await visitor.say("<html><body>Crawling</body></html>")
        elif path == "/events":
            await visitor.head("text/event-stream")
            while not crawl.over:
                await visitor.say(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
            await visitor.say(f"data: {json.dumps(crawl.state())}\n\n")
        else:
            await visitor.head("text/plain", "404 Not Found")
    except (OSError, ValueError):
        pass
    finally:
        writer.close()

# %% crawl-stop-1 wrong: a cancelled page is lost
# cause: CancelledError is no Exception, so the page of a cancelled worker doesn't go back into todo
# line: except Exception:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except Exception:
                todo.appendleft(page)
                raise

    async def cancel_late(crew):
        await stop.wait()
        _, late = await asyncio.wait(crew, timeout=grace)
        for task in late:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(worker()) for _ in range(workers)]
        watching = group.create_task(cancel_late(crew))
        await asyncio.wait(crew)
        watching.cancel()

# %% crawl-stop-1 wrong: always sleeps for all of the grace
# cause: after the stop it sleeps for `grace` seconds even if all workers have finished their pages before
# line: await asyncio.sleep(grace)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def work():
        while not stop.is_set() and len(todo) > 0:
            page = todo.popleft()
            result, fetched = None, False
            try:
                result = await fetch(page)
                fetched = True
            finally:
                if fetched:
                    done[page] = result
                else:
                    todo.append(page)

    async def all_workers():
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())

    working = asyncio.create_task(all_workers())
    stopping = asyncio.create_task(stop.wait())
    both = {working, stopping}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await asyncio.sleep(grace)
        if working.done():
            working.result()  # raises its error
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)

# %% crawl-stop-1 wrong: cancels, but doesn't wait for the cancelled
# cause: the cancelled workers are not awaited, so when it returns they still run and their pages are not yet back in todo
# line: task.cancel() | none
import asyncio


async def worker(fetch, todo, done, stop):
    while todo and not stop.is_set():
        page = todo.popleft()
        try:
            done[page] = await fetch(page)
        except BaseException:
            todo.appendleft(page)
            raise


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    bell = asyncio.create_task(stop.wait())
    crew = {
        asyncio.create_task(worker(fetch, todo, done, stop)) for _ in range(workers)
    }
    at_work = set(crew)
    try:
        while at_work and not bell.done():
            ended, _ = await asyncio.wait(
                at_work | {bell}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in ended & at_work:
                task.result()
            at_work -= ended
        if at_work:
            ended, at_work = await asyncio.wait(
                at_work, timeout=grace, return_when=asyncio.FIRST_EXCEPTION
            )
            for task in ended:
                task.result()
    finally:
        for task in crew | {bell}:
            task.cancel()

# %% crawl-stop-1 right: a timeout that is set when the stop comes
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    loop = asyncio.get_running_loop()

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.append(page)
                raise

    async def all_of_them():
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    async def set_deadline(deadline):
        await stop.wait()
        deadline.reschedule(loop.time() + grace)

    deadline = asyncio.timeout(None)
    try:
        async with deadline:
            watching = asyncio.create_task(set_deadline(deadline))
            try:
                await all_of_them()
            finally:
                watching.cancel()
                await asyncio.wait([watching])
    except TimeoutError:
        if not deadline.expired():
            raise

# %% crawl-stop-1 right: a group with somebody who cancels the late
import asyncio
from contextlib import contextmanager


@contextmanager
def borrowed(todo):
    page = todo.popleft()
    try:
        yield page
    except BaseException:
        todo.appendleft(page)
        raise


async def crawl(fetch, todo, done, workers, stop, grace):
    async def work():
        while todo and not stop.is_set():
            with borrowed(todo) as page:
                done[page] = await fetch(page)

    async def end_late(crew):
        await stop.wait()
        _, late = await asyncio.wait(crew, timeout=grace)
        for task in late:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(work()) for _ in range(workers)]
        ending = group.create_task(end_late(crew))
        await asyncio.wait(crew)
        ending.cancel()

# %% crawl-whole-1 wrong: leaves the 0.3 s to the client
# cause: httpx's timeout holds for each single read, so an answer that comes in small pieces may take longer than 0.3 s in all
# line: httpx.AsyncClient(timeout=0.3) | response = await client.get(url + page)
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names, failed = {}, []
    todo = iter(pages)

    async def get(client, page):
        for attempt in range(6):
            pause = random.uniform(0, 0.1)
            try:
                response = await client.get(url + page)
            except httpx.TransportError:
                pass
            else:
                if response.status_code == 200:
                    names[page] = response.json()["name"]
                    return
                if response.status_code == 429:
                    pause = float(response.headers.get("Retry-After", 0))
                elif response.status_code != 503:
                    break
            if attempt < 5:
                await asyncio.sleep(pause)
        failed.append(page)

    async def worker(client):
        for page in todo:
            await get(client, page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: in groups of `workers` pages
# cause: the next group begins only when the slowest page of this one has ended, so for long fewer than `workers` requests are in flight
# line: for first in range(0, len(pages), workers): | async with asyncio.TaskGroup() as group: | pages[first : first + workers]
import asyncio
import random

import httpx


class NoSuchPage(Exception):
    pass


async def one_try(client, address):
    """Return a name and None, or None and the seconds to wait."""
    try:
        async with asyncio.timeout(0.3):
            response = await client.get(address)
    except (TimeoutError, httpx.TransportError):
        return None, random.uniform(0, 0.1)
    match response.status_code:
        case 200:
            return response.json()["name"], None
        case 429:
            return None, float(response.headers.get("Retry-After", 0.1))
        case 503:
            return None, random.uniform(0, 0.1)
    raise NoSuchPage(address)


async def six_tries(client, address):
    for left in (5, 4, 3, 2, 1, 0):
        name, pause = await one_try(client, address)
        if pause is None:
            return name
        if left:
            await asyncio.sleep(pause)
    raise NoSuchPage(address)


async def crawl(url, pages, workers, tell):
    names, failed = {}, []

    async def one(client, page):
        try:
            names[page] = await six_tries(client, url + page)
        except NoSuchPage:
            failed.append(page)
        tell(len(names), len(failed))

    async with httpx.AsyncClient() as client:
        for first in range(0, len(pages), workers):
            async with asyncio.TaskGroup() as group:
                for page in pages[first : first + workers]:
                    group.create_task(one(client, page))
    return names, failed

# %% crawl-whole-1 wrong: not every lost connection is caught
# cause: a server that closes the connection without an answer gives httpx.RemoteProtocolError, which is neither a ConnectError nor a ReadError, so an error comes out instead of another try
# line: except (TimeoutError, httpx.ConnectError, httpx.ReadError):
import asyncio
import random

import httpx


class Crawl:
    def __init__(self, url, pages, tell):
        self.url, self.tell = url, tell
        self.todo = list(pages)
        self.done: dict[str, str] = {}
        self.failed: list[str] = []

    async def ask(self, client, page):
        """Return the status, what to wait, and the name."""
        pause, name = random.uniform(0, 0.1), None
        try:
            async with asyncio.timeout(0.3):
                answer = await client.get(self.url + page)
        except (TimeoutError, httpx.ConnectError, httpx.ReadError):
            return 503, pause, name
        if answer.status_code == 200:
            name = answer.json()["name"]
        elif answer.status_code == 429:
            pause = float(answer.headers["Retry-After"])
        return answer.status_code, pause, name

    async def work(self, client):
        while self.todo:
            page = self.todo.pop()
            tries = 1
            status, pause, name = await self.ask(client, page)
            while status in (429, 503) and tries < 6:
                await asyncio.sleep(pause)
                status, pause, name = await self.ask(client, page)
                tries += 1
            if status == 200:
                self.done[page] = name
            else:
                self.failed.append(page)
            self.tell(len(self.done), len(self.failed))


async def crawl(url, pages, workers, tell):
    crawling = Crawl(url, pages, tell)
    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(crawling.work(client))
    return crawling.done, crawling.failed

# %% crawl-whole-1 right: a task for each page, a semaphore around each request
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    done, failed = {}, []
    gate = asyncio.Semaphore(workers)

    async def try_once(client, page):
        async with gate:
            try:
                async with asyncio.timeout(0.3):
                    return await client.get(url + page)
            except (TimeoutError, httpx.TransportError):
                return httpx.Response(503)

    async def one(client, page):
        for pauses_left in reversed(range(6)):
            response = await try_once(client, page)
            if response.status_code not in (429, 503):
                break
            if pauses_left:
                told = response.headers.get("Retry-After", "0.1")
                slow = response.status_code == 429
                await asyncio.sleep(float(told) if slow else random.uniform(0, 0.1))
        if response.status_code == 200:
            done[page] = response.json()["name"]
        else:
            failed.append(page)
        tell(len(done), len(failed))

    async with httpx.AsyncClient(timeout=None) as client:
        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(one(client, page))
    return done, failed

# %% crawl-whole-1 right: workers and a queue, an error that carries the pause
import asyncio
import random

import httpx


class Again(Exception):
    def __init__(self, pause):
        super().__init__(pause)
        self.pause = pause


async def name_of(client, address):
    try:
        async with asyncio.timeout(0.3):
            response = await client.get(address)
    except (TimeoutError, httpx.TransportError):
        raise Again(random.uniform(0, 0.1)) from None
    if response.status_code == 429:
        raise Again(float(response.headers.get("Retry-After", 0)))
    if response.status_code == 503:
        raise Again(random.uniform(0, 0.1))
    if response.status_code != 200:
        raise LookupError(address)
    return response.json()["name"]


async def crawl(url, pages, workers, tell):
    queue = asyncio.Queue()
    for page in pages:
        queue.put_nowait(page)
    names, failed = {}, []

    async def work(client):
        while not queue.empty():
            page, tries, pause = queue.get_nowait(), 0, 0
            while page not in names and tries < 6:
                await asyncio.sleep(pause)
                tries += 1
                try:
                    names[page] = await name_of(client, url + page)
                except Again as again:
                    pause = again.pause
                except LookupError:
                    break
            if page not in names:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client:
        tasks = [asyncio.create_task(work(client)) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return names, failed

# %% crawl-page-1 wrong: looks at the clock between the tries only
# cause: the 4 s are looked at only before a try, so a try or a pause that is under way then goes on beyond them
# line: if loop.time() - start >= 4: | raise TimeoutError
import asyncio
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    longest = 0.1
    for tries in range(1, 6):
        if loop.time() - start >= 4:
            raise TimeoutError(page)
        try:
            status, body = await asyncio.wait_for(ask(page), 1)
        except OSError:  # a TimeoutError is one, too
            status = 503
        if status == 200:
            return body
        if status not in (429, 503) or tries == 5:
            raise ValueError(page)
        await asyncio.sleep(random.uniform(0, longest))
        longest *= 2

# %% crawl-page-1 wrong: pauses that grow by 0.1 s
# cause: the longest pause grows by 0.1 s each time instead of being doubled
# line: random.uniform(0, 0.1 * attempt)
import asyncio
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for attempt in range(5):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.1 * attempt))
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except (OSError, TimeoutError):
                continue
            match status:
                case 200:
                    return body
                case 429 | 503:
                    continue
                case _:
                    raise ValueError(f"{page}: {status}")
        raise ValueError(f"{page}: no answer")

# %% crawl-page-1 right: a row of pauses
import asyncio
import contextlib
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for longest in 0, 0.1, 0.2, 0.4, 0.8:
            await asyncio.sleep(longest * random.random())
            status = None
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            if status == 200:
                return body
            if status not in (None, 429, 503):
                break
    raise ValueError(page)

# %% crawl-limit-1 wrong: pauses after the last one, too
# cause: it pauses after the last start as well, and so may return later than the last fetch ends
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    places = asyncio.Semaphore(most)
    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            task = group.create_task(fetch(page))
            task.add_done_callback(lambda _: places.release())
            tasks.append(task)
            await asyncio.sleep(apart)
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: a timetable made beforehand
# cause: the starts are timed before the wait for a place; fetches that had to wait for one start closer together
# line: await asyncio.sleep(number * apart) | async with places:
import asyncio


async def fetch_all(fetch, pages, most, apart):
    places = asyncio.Semaphore(most)

    async def one(number, page):
        await asyncio.sleep(number * apart)
        async with places:
            return await fetch(page)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(n, page)) for n, page in enumerate(pages)]
    return [task.result() for task in tasks]

# %% crawl-limit-1 right: workers that pass a gate
import asyncio


async def fetch_all(fetch, pages, most, apart):
    clock = asyncio.get_running_loop().time
    gate, free_at, results = asyncio.Lock(), clock(), {}
    numbered = iter(enumerate(pages))

    async def worker():
        nonlocal free_at
        while True:
            async with gate:
                # whoever is here takes the next page, so they start in order
                number, page = next(numbered, (None, None))
                if number is None:
                    return
                if (pause := free_at - clock()) > 0:
                    await asyncio.sleep(pause)
                free_at = clock() + apart
            results[number] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for _ in range(most):
            group.create_task(worker())
    return [results[number] for number in sorted(results)]

# %% crawl-pipeline-1 wrong: None counts as failed
# cause: a page for which fetch returned None is not parsed but noted as failed
# line: if raw is None: | failed[page] = ValueError("nothing there")
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, failed = {}, {}
    todo = iter(pages)
    fetched = asyncio.Queue(size)

    async def fetcher():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
                continue
            if raw is None:
                failed[page] = ValueError("nothing there")
            else:
                await fetched.put((page, raw))

    async def parser():
        while (entry := await fetched.get()) is not None:
            page, raw = entry
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(fetcher())
        await fetched.put(None)
    return records, failed

# %% crawl-pipeline-1 wrong: the parser outlives a cancellation
# cause: if the pipeline is cancelled, the parser is not
# line: parsing.cancel() | parsing = asyncio.create_task(parser()) | await asyncio.gather(*(worker() for _ in range(workers)))
import asyncio
from collections import deque


async def pipeline(fetch, parse, pages, workers, size):
    todo = deque(pages)
    queue = asyncio.Queue(maxsize=size)
    good, bad = {}, {}

    async def worker():
        while todo:
            page = todo.popleft()
            try:
                raw = await fetch(page)
            except Exception as error:
                bad[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            try:
                good[page] = await parse(raw)
            except Exception as error:
                bad[page] = error
            finally:
                queue.task_done()

    parsing = asyncio.create_task(parser())
    await asyncio.gather(*(worker() for _ in range(workers)))
    await queue.join()
    parsing.cancel()
    return good, bad

# %% crawl-pipeline-1 right: the last worker puts the end
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    todo, queue, end = iter(list(pages)), asyncio.Queue(size), object()
    records, errors, at_work = {}, {}, workers

    async def step(page, function, argument, then):
        try:
            result = await function(argument)
        except Exception as error:
            errors[page] = error
        else:
            await then(page, result)

    async def enqueue(page, raw):
        await queue.put((page, raw))

    async def note(page, record):
        records[page] = record

    async def worker():
        nonlocal at_work
        for page in todo:
            await step(page, fetch, page, enqueue)
        at_work -= 1
        if at_work == 0:
            await queue.put((end, None))

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        while (entry := await queue.get())[0] is not end:
            await step(entry[0], parse, entry[1], note)
    return records, errors

# %% crawl-progress-1 wrong: the last state may be missing
# cause: if the crawl ends while the event is drained, the loop ends without an event with the state at the end
# line: if crawl.over: | break
import asyncio
import json


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""

    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    async def head(status, kind):
        await send(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n")

    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.decode("latin-1").split(" ")[1]
        if path == "/":
            await head("200 OK", "text/html")
            await send("<h1>The crawl</h1>")
        elif path == "/events":
            await head("200 OK", "text/event-stream")
            while True:
                await send(f"data: {json.dumps(crawl.state())}\n\n")
                if crawl.over:
                    break
                await asyncio.sleep(0.05)
        else:
            await head("404 Not Found", "text/plain")
            await send("There is nothing here.")
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: leaves in the middle of the request
# cause: if the visitor leaves before the request is complete, an IncompleteReadError comes out
# line: except ConnectionError: | await reader.readuntil(b"\r\n\r\n")
import asyncio
import json

PAGE = "<!doctype html><script>new EventSource('/events')</script>"


async def show(crawl, reader, writer):
    async def write(*lines):
        writer.write("\r\n".join(lines).encode())
        await writer.drain()

    async def event():
        writer.write(b"data: %b\n\n" % json.dumps(crawl.state()).encode())
        await writer.drain()

    try:
        request = await reader.readuntil(b"\r\n\r\n")
        match request.split()[1]:
            case b"/":
                await write("HTTP/1.1 200 OK", "Content-Type: text/html", "", PAGE)
            case b"/events":
                await write("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "", "")
                while not crawl.over:
                    await event()
                    await asyncio.sleep(0.05)
                await event()
            case _:
                await write("HTTP/1.1 404 Not Found", "Content-Type: text/plain", "", "?")
    except ConnectionError:
        return
    finally:
        writer.close()

# %% crawl-progress-1 right: an async generator of parts
import asyncio
import contextlib
import json


async def parts(crawl, path):
    if path == "/":
        yield "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>It crawls.</p>"
    elif path == "/events":
        yield "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        while not crawl.over:
            yield f"data: {json.dumps(crawl.state())}\n\n"
            await asyncio.sleep(0.05)
        yield f"data: {json.dumps(crawl.state())}\n\n"
    else:
        yield "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nNot here."


async def show(crawl, reader, writer):
    with contextlib.closing(writer), contextlib.suppress(OSError, EOFError):
        first = await reader.readline()
        line = first
        while line not in (b"\r\n", b"\n"):
            if not line.endswith(b"\n"):
                return  # the visitor has left
            line = await reader.readline()
        words = first.decode("latin-1").split()
        path = words[1] if len(words) > 1 else ""
        async with contextlib.aclosing(parts(crawl, path)) as answer:
            async for part in answer:
                writer.write(part.encode())
                await writer.drain()

# %% crawl-stop-1 wrong: waits for the stop first
# cause: it waits until stop is set, even if all pages are done long before
# line: await stop.wait()
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        await stop.wait()
        _, late = await asyncio.wait(tasks, timeout=grace)
        for task in late:
            task.cancel()

# %% crawl-stop-1 wrong: the page whose fetch failed is lost
# cause: only a cancelled page goes back into todo; one whose fetch raised an error is in neither
# line: except asyncio.CancelledError: | page = todo.popleft()
import asyncio
from contextlib import suppress


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                result = await fetch(page)
            except asyncio.CancelledError:
                todo.append(page)
                raise
            done[page] = result

    async def deadline(tasks):
        await stop.wait()
        await asyncio.sleep(grace)
        for task in tasks:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker()) for _ in range(workers)]
        watch = group.create_task(deadline(tasks))
        with suppress(ValueError):  # no tasks
            await asyncio.wait(tasks)
        watch.cancel()

# %% crawl-stop-1 right: a hold on each page
import asyncio
from contextlib import contextmanager


async def crawl(fetch, todo, done, workers, stop, grace):
    @contextmanager
    def held():
        page, results = todo.popleft(), []
        try:
            yield page, results
        finally:
            if results:
                [done[page]] = results
            else:
                todo.append(page)

    async def worker():
        while todo and not stop.is_set():
            with held() as (page, results):
                results.append(await fetch(page))

    at_work = [asyncio.create_task(worker()) for _ in range(workers)]
    stopping = asyncio.create_task(stop.wait())

    def failed():
        return [t for t in at_work if t.done() and not t.cancelled() and t.exception()]

    try:
        while not failed() and not stopping.done():
            if all(task.done() for task in at_work):
                return
            pending = [task for task in at_work if not task.done()]
            await asyncio.wait([stopping, *pending], return_when=asyncio.FIRST_COMPLETED)
        pending = [task for task in at_work if not task.done()]
        if pending and not failed():
            await asyncio.wait(pending, timeout=grace, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in (*at_work, stopping):
            task.cancel()
        await asyncio.gather(*at_work, stopping, return_exceptions=True)
    for task in failed():
        task.result()

# %% crawl-whole-1 wrong: httpx's own timeout
# cause: httpx's timeout holds for each single read, not for all of the answer; a slow answer in pieces may take longer than 0.3 s
# line: async with httpx.AsyncClient(timeout=0.3) as client: | response = await client.get(url + page)
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    done: dict[str, str] = {}
    failed: list[str] = []
    todo = iter(pages)

    async def ask(client, page):
        for tries_left in reversed(range(6)):
            pause = random.uniform(0, 0.1)
            try:
                response = await client.get(url + page)
            except httpx.TransportError:
                pass
            else:
                if response.status_code == 200:
                    done[page] = response.json()["name"]
                    return
                if response.status_code == 429:
                    pause = float(response.headers["Retry-After"])
                elif response.status_code != 503:
                    break
            if tries_left:
                await asyncio.sleep(pause)
        failed.append(page)

    async def worker(client):
        for page in todo:
            await ask(client, page)
            tell(len(done), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return done, failed

# %% crawl-whole-1 wrong: only a ConnectError is a lost connection
# cause: a connection that is lost during the answer raises another error of httpx (such as ReadError or RemoteProtocolError), which comes out
# line: except (TimeoutError, httpx.ConnectError):
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    queue = asyncio.Queue()
    for page in pages:
        queue.put_nowait(page)

    async def one_try(client, page):
        """Return the name, or None and the pause, or raise LookupError."""
        try:
            async with asyncio.timeout(0.3):
                answer = await client.get(page)
        except (TimeoutError, httpx.ConnectError):
            return None, random.random() / 10
        match answer.status_code:
            case 200:
                return answer.json()["name"], 0
            case 429:
                return None, float(answer.headers.get("Retry-After", 0.1))
            case 503:
                return None, random.random() / 10
        raise LookupError(page)

    async def six_tries(client, page):
        for attempt in range(1, 7):
            name, pause = await one_try(client, page)
            if name is not None:
                return name
            if attempt < 6:
                await asyncio.sleep(pause)
        raise LookupError(page)

    async def worker(client):
        while not queue.empty():
            page = queue.get_nowait()
            try:
                names[page] = await six_tries(client, page)
            except LookupError:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(base_url=url) as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 right: an async generator of tries
import asyncio
import random

import httpx


async def tries(client, address, most=6):
    """Yield what each try brings: an answer or None; pause between them."""
    for number in range(most):
        answer = None
        try:
            async with asyncio.timeout(0.3):
                answer = await client.get(address)
        except (TimeoutError, httpx.TransportError):
            pass
        yield answer
        if number + 1 < most:
            seconds = random.uniform(0, 0.1)
            if answer is not None and answer.status_code == 429:
                seconds = float(answer.headers.get("Retry-After", seconds))
            await asyncio.sleep(seconds)


async def crawl(url, pages, workers, tell):
    names, failed, todo = {}, [], list(reversed(pages))

    async def worker(client):
        while todo:
            page = todo.pop()
            async for answer in tries(client, url + page):
                status = 503 if answer is None else answer.status_code
                if status == 200:
                    names[page] = answer.json()["name"]
                if status not in (429, 503):
                    break
            if page not in names:
                failed.append(page)
            tell(len(names), len(failed))

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(limits=limits, timeout=None) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-page-1 wrong: pauses after the last try too
# cause: after the fifth try it pauses once more before the ValueError, which should come out at once
# line: await asyncio.sleep(random.uniform(0, pause))
import asyncio
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        pause = 0.1
        for _ in range(5):
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                pass
            else:
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(status)
            await asyncio.sleep(random.uniform(0, pause))
            pause *= 2
        raise ValueError("five tries")

# %% crawl-page-1 wrong: pauses that grow by steps
# cause: the longest pause grows linearly (0.1, 0.2, 0.3, 0.4) instead of doubling each time
# line: 0.1 * number
import asyncio
import random


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for number in range(5):
            if number:
                await asyncio.sleep(random.uniform(0, 0.1 * number))
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                continue
            if status == 200:
                return body
            if status not in (429, 503):
                raise ValueError(status)
        raise ValueError("five tries")

# %% crawl-page-1 right: wait_for and a row of pauses
import asyncio
import contextlib
import random


async def get_page(ask, page):
    async def attempts():
        for longest in (0, 0.1, 0.2, 0.4, 0.8):
            if longest:
                await asyncio.sleep(random.random() * longest)
            with contextlib.suppress(OSError):
                status, body = await asyncio.wait_for(ask(page), 1)
                if status == 200:
                    return body
                if status != 429 and status != 503:
                    break
        raise ValueError(f"no page {page!r}")

    return await asyncio.wait_for(attempts(), 4)

# %% crawl-limit-1 wrong: sleeps after the last start too
# cause: after the last start it still sleeps, so it returns late when the last fetch is shorter than apart
# line: await asyncio.sleep(apart)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    slots = asyncio.Semaphore(most)
    tasks = []
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await slots.acquire()
            task = group.create_task(fetch(page))
            task.add_done_callback(lambda task: slots.release())
            tasks.append(task)
            await asyncio.sleep(apart)
    return [task.result() for task in tasks]

# %% crawl-limit-1 wrong: a timetable made in advance
# cause: starts are spaced before the semaphore, so fetches that had to wait for a slot start together, closer than apart
# line: await asyncio.sleep(number * apart) | async with slots:
import asyncio


async def fetch_all(fetch, pages, most, apart):
    slots = asyncio.Semaphore(most)

    async def one(number, page):
        await asyncio.sleep(number * apart)
        async with slots:
            return await fetch(page)

    return await asyncio.gather(
        *(one(number, page) for number, page in enumerate(pages)))

# %% crawl-limit-1 right: a starter that waits for both
import asyncio


async def fetch_all(fetch, pages, most, apart):
    loop = asyncio.get_running_loop()
    free = asyncio.Queue()
    for slot in range(most):
        free.put_nowait(slot)
    results = {}

    async def one(number, page, slot):
        try:
            results[number] = await fetch(page)
        finally:
            free.put_nowait(slot)

    async with asyncio.TaskGroup() as group:
        last = None
        for number, page in enumerate(pages):
            slot = await free.get()
            if last is not None:
                rest = last + apart - loop.time()
                if rest > 0:
                    await asyncio.sleep(rest)
            last = loop.time()
            group.create_task(one(number, page, slot))
    return [results[number] for number in sorted(results)]

# %% crawl-pipeline-1 wrong: None means the end
# cause: a raw page that is None is taken for the end mark, so parsing stops there
# line: if raw is None: | await queue.put((None, None))
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    records, failed = {}, {}
    queue = asyncio.Queue(size)
    todo = iter(pages)

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            if raw is None:
                break
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(worker())
        await queue.put((None, None))
    return records, failed

# %% crawl-pipeline-1 wrong: the parser survives a cancellation
# cause: if pipeline is cancelled while the pages are fetched, the parser task is not cancelled and goes on
# line: await asyncio.gather(* | parsing = asyncio.create_task(parser()) | parsing.cancel()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    records, failed = {}, {}
    queue = asyncio.Queue(size)
    todo = iter(pages)

    async def worker():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error
            finally:
                queue.task_done()

    parsing = asyncio.create_task(parser())
    await asyncio.gather(*(worker() for _ in range(workers)))
    await queue.join()
    parsing.cancel()
    return records, failed

# %% crawl-pipeline-1 right: a queue that is shut down
import asyncio


class Line:
    def __init__(self, fetch, parse, pages, size):
        self.fetch, self.parse = fetch, parse
        self.todo = list(reversed(list(pages)))
        self.raws = asyncio.Queue(size)
        self.records, self.failed = {}, {}

    async def attempt(self, page, step, argument, keep):
        try:
            value = await step(argument)
        except Exception as error:
            self.failed[page] = error
            return
        await keep(page, value)

    async def store(self, page, record):
        self.records[page] = record

    async def enqueue(self, page, raw):
        await self.raws.put((page, raw))

    async def fetching(self):
        while self.todo:
            page = self.todo.pop()
            await self.attempt(page, self.fetch, page, self.enqueue)

    async def parsing(self):
        while True:
            try:
                page, raw = await self.raws.get()
            except asyncio.QueueShutDown:
                return
            await self.attempt(page, self.parse, raw, self.store)


async def pipeline(fetch, parse, pages, workers, size):
    line = Line(fetch, parse, pages, size)
    async with asyncio.TaskGroup() as everything:
        everything.create_task(line.parsing())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(line.fetching())
        line.raws.shutdown()
    return line.records, line.failed

# %% crawl-progress-1 wrong: the request in one piece, again
# cause: it reads once, though the request may come in pieces, so half a request line gives a 404 or an error
# line: request = await reader.read(4096)
import asyncio
import json


async def show(crawl, reader, writer):
    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    async def head(status, kind):
        await send(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n")

    try:
        request = await reader.read(4096)
        parts = request.split()
        if not parts:
            return
        path = parts[1].decode() if len(parts) > 1 else ""
        if path == "/":
            await head("200 OK", "text/html")
            await send("<h1>Crawl</h1>")
        elif path == "/events":
            await head("200 OK", "text/event-stream")
            while not crawl.over:
                await send(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
            await send(f"data: {json.dumps(crawl.state())}\n\n")
        else:
            await head("404 Not Found", "text/plain")
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: a visitor who leaves in the request
# cause: if the visitor leaves before the empty line, readuntil raises IncompleteReadError, which is no OSError and comes out
# line: except OSError: | request = await reader.readuntil
import asyncio
import json


async def show(crawl, reader, writer):
    async def send(text):
        writer.write(text.encode())
        await writer.drain()

    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.decode("latin-1").split(" ")[1]
        if path == "/":
            await send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                       "<p>crawling</p>")
        elif path == "/events":
            await send("HTTP/1.1 200 OK\r\n"
                       "Content-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await send(f"data: {json.dumps(crawl.state())}\n\n")
                await asyncio.sleep(0.05)
            await send(f"data: {json.dumps(crawl.state())}\n\n")
        else:
            await send("HTTP/1.1 404 Not Found\r\n"
                       "Content-Type: text/plain\r\n\r\nno such page")
    except OSError:
        pass
    finally:
        writer.close()

# %% crawl-progress-1 right: bodies as async generators, again
import asyncio
import contextlib
import json


async def page_body(crawl):
    yield b"<!doctype html><title>Crawl</title><p>See /events"


async def events_body(crawl):
    over = False
    while not over:
        over = bool(crawl.over)
        yield b"data: " + json.dumps(crawl.state()).encode() + b"\n\n"
        if not over:
            await asyncio.sleep(0.05)


async def missing_body(crawl):
    yield b"not found"


ROUTES = {
    "/": (b"200 OK", b"text/html", page_body),
    "/events": (b"200 OK", b"text/event-stream", events_body),
}
MISSING = (b"404 Not Found", b"text/plain", missing_body)


async def show(crawl, reader, writer):
    with contextlib.closing(writer), contextlib.suppress(
            OSError, EOFError, ValueError):
        words = (await reader.readline()).decode("latin-1").split()
        while (line := await reader.readline()) != b"\r\n":
            if not line.endswith(b"\n"):
                return
        path = words[1] if len(words) > 1 else ""
        status, kind, body = ROUTES.get(path, MISSING)
        writer.write(b"HTTP/1.1 %b\r\nContent-Type: %b\r\n\r\n"
                     % (status, kind))
        await writer.drain()
        async with contextlib.aclosing(body(crawl)) as chunks:
            async for chunk in chunks:
                writer.write(chunk)
                await writer.drain()

# %% crawl-stop-1 wrong: a cancelled page is lost, again
# cause: a CancelledError is no Exception, so the page of a worker that is cancelled does not go back into todo
# line: except Exception:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except Exception:
                todo.appendleft(page)
                raise

    async def watch(limit):
        await stop.wait()
        limit.reschedule(asyncio.get_running_loop().time() + grace)

    watcher = None
    try:
        async with asyncio.timeout(None) as limit:
            watcher = asyncio.create_task(watch(limit))
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker())
    except TimeoutError:
        pass
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])

# %% crawl-stop-1 wrong: waits for stop though all is done
# cause: it waits for stop before it looks at the workers, so it hangs when todo is empty, and an error comes out only after stop
# line: await stop.wait()
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await stop.wait()
        finished, late = await asyncio.wait(
            tasks, timeout=grace, return_when=asyncio.FIRST_EXCEPTION)
        for task in finished:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% crawl-stop-1 right: a limit that is set later
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    loop = asyncio.get_running_loop()

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            fetched = False
            try:
                result = await fetch(page)
                fetched = True
            finally:
                if fetched:
                    done[page] = result
                else:
                    todo.append(page)

    async def watch(limit):
        await stop.wait()
        limit.reschedule(loop.time() + grace)

    async with asyncio.TaskGroup() as outer:
        try:
            async with asyncio.timeout(None) as limit:
                watcher = outer.create_task(watch(limit))
                async with asyncio.TaskGroup() as group:
                    for _ in range(workers):
                        group.create_task(worker())
        except TimeoutError:
            pass
        finally:
            watcher.cancel()

# %% crawl-whole-1 wrong: the timeout of httpx
# cause: the timeout of httpx holds for each read and not for the whole answer, so an answer that trickles in takes longer than 0.3 s
# line: timeout=0.3
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    todo = iter(pages)

    async def get_name(client, page):
        for number in range(6):
            pause = random.uniform(0, 0.1)
            try:
                answer = await client.get(url + page)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code == 200:
                    return answer.json()["name"]
                if answer.status_code == 429:
                    pause = float(answer.headers["Retry-After"])
                elif answer.status_code != 503:
                    break
            if number < 5:
                await asyncio.sleep(pause)
        raise ValueError(page)

    async def worker(client):
        for page in todo:
            try:
                names[page] = await get_name(client, page)
            except ValueError:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=0.3) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: the client is closed only at a good end
# cause: aclose is not in a finally, so the client stays open if crawl is cancelled
# line: await client.aclose() | client = httpx.AsyncClient
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    todo = iter(pages)
    client = httpx.AsyncClient(timeout=None)

    async def get_name(page):
        for number in range(6):
            pause = random.uniform(0, 0.1)
            try:
                async with asyncio.timeout(0.3):
                    answer = await client.get(url + page)
            except (httpx.TransportError, TimeoutError):
                pass
            else:
                if answer.status_code == 200:
                    return answer.json()["name"]
                if answer.status_code == 429:
                    pause = float(answer.headers["Retry-After"])
                elif answer.status_code != 503:
                    break
            if number < 5:
                await asyncio.sleep(pause)
        raise ValueError(page)

    async def worker():
        for page in todo:
            try:
                names[page] = await get_name(page)
            except ValueError:
                failed.append(page)
            tell(len(names), len(failed))

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    await client.aclose()
    return names, failed

# %% crawl-whole-1 right: a task per page, a slot per try
import asyncio
import random

import httpx


class Crawler:
    def __init__(self, client, url, workers, tell):
        self.client, self.url, self.tell = client, url, tell
        self.slots = asyncio.Semaphore(workers)
        self.names, self.failed = {}, []

    async def ask(self, page):
        async with self.slots:
            try:
                return await asyncio.wait_for(
                    self.client.get(self.url + page), 0.3)
            except (httpx.TransportError, TimeoutError):
                return None

    async def one(self, page):
        for left in reversed(range(6)):
            answer = await self.ask(page)
            status = 503 if answer is None else answer.status_code
            if status == 200:
                self.names[page] = answer.json()["name"]
                break
            if status not in (429, 503) or not left:
                self.failed.append(page)
                break
            if status == 429 and "Retry-After" in answer.headers:
                await asyncio.sleep(float(answer.headers["Retry-After"]))
            else:
                await asyncio.sleep(random.random() / 10)
        self.tell(len(self.names), len(self.failed))


async def crawl(url, pages, workers, tell):
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=None, limits=limits) as client:
        crawler = Crawler(client, url, workers, tell)
        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(crawler.one(page))
    return crawler.names, crawler.failed

# %% crawl-page-1 wrong: the limit of 4 s is taken for a lost connection
# cause: the TimeoutError of the whole is an OSError and is caught with those of the tries, so at 4 s a ValueError comes out instead of a TimeoutError.
# line: except OSError: | async with asyncio.timeout_at(deadline):
import asyncio
import random


async def get_page(ask, page):
    deadline = asyncio.get_running_loop().time() + 4
    for attempt in range(5):
        try:
            async with asyncio.timeout_at(deadline):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (attempt - 1)))
                async with asyncio.timeout(1):
                    status, body = await ask(page)
        except OSError:
            continue
        if status == 200:
            return body
        if status != 429 and status != 503:
            break
    raise ValueError(f"no answer for {page}")

# %% crawl-page-1 wrong: pauses before the first try
# cause: the first try is paused for
# line: await asyncio.sleep
import asyncio, random
async def get_page(ask, page):
    async with asyncio.timeout(4):
        for n in range(5):
            await asyncio.sleep(random.uniform(0, 0.05 * 2 ** n))
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                continue
            if status == 200:
                return body
            if status not in (429, 503):
                raise ValueError(status)
    raise ValueError("five tries")

# %% crawl-page-1 wrong: makes a ValueError of the deadline
# cause: TimeoutError at 4 s is turned
# line: except TimeoutError | raise ValueError("too slow")
import asyncio, random
async def get_page(ask, page):
    try:
        async with asyncio.timeout(4):
            for n in range(5):
                if n:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2 ** n))
                try:
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                except OSError:
                    continue
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(status)
    except TimeoutError:
        raise ValueError("too slow")
    raise ValueError("five tries")

# %% crawl-page-1 wrong: asks again after every error status
# cause: after a status such as 404 or 500 it asks again, where a ValueError should come out at once
# line: if status < 400:
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    async with asyncio.timeout(4):
        longest = 0.1
        for number in range(1, 6):
            if number > 1:
                await asyncio.sleep(random.uniform(0, longest))
                longest *= 2
            try:
                async with asyncio.timeout(1):
                    status, body = await ask(page)
            except OSError:
                continue
            if status == 200:
                return body
            if status < 400:
                raise ValueError(f"{page}: status {status}")
    raise ValueError(f"{page}: no answer after five tries")

# %% crawl-page-1 wrong: looks at the clock only between tries
# cause: the 4 s are checked only before a try, so a try or a pause goes on beyond them
# line: if clock() >= deadline: | deadline = clock() + 4
import asyncio
import contextlib
import random

AGAIN = {429, 503}


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + 4
    for pause in (0.1, 0.2, 0.4, 0.8, None):
        if clock() >= deadline:
            raise TimeoutError(f"{page} took more than 4 s")
        with contextlib.suppress(OSError):
            status, body = await asyncio.wait_for(ask(page), 1)
            if status == 200:
                return body
            if status not in AGAIN:
                raise ValueError(f"status {status}")
        if pause is not None:
            await asyncio.sleep(random.uniform(0, pause))
    raise ValueError("five tries")

# %% crawl-limit-1 wrong: looks at the clock before there is a slot
# cause: the time of a start is noted before the fetch waits for its slot; when it really starts later, the next one may follow at once.
# line: next_start = loop.time() + apart | await slots.acquire()
import asyncio


async def fetch_all(fetch, pages, most, apart):
    loop = asyncio.get_running_loop()
    slots = asyncio.Semaphore(most)
    results = []

    async def one(place, page):
        try:
            results[place] = await fetch(page)
        finally:
            slots.release()

    next_start = loop.time()
    async with asyncio.TaskGroup() as group:
        for place, page in enumerate(pages):
            results.append(None)
            await asyncio.sleep(max(0, next_start - loop.time()))
            next_start = loop.time() + apart
            await slots.acquire()
            group.create_task(one(place, page))
    return results

# %% crawl-limit-1 wrong: looks for a slot on every beat only
# cause: if all slots are taken it sleeps for another whole pause, so a fetch starts not as soon as a slot is free but at the next beat.
# line: while in_flight >= most: | await asyncio.sleep(apart)     # the next beat
import asyncio


async def fetch_all(fetch, pages, most, apart):
    in_flight = 0
    answers = {}

    async def one(place, page):
        nonlocal in_flight
        try:
            answers[place] = await fetch(page)
        finally:
            in_flight -= 1

    async with asyncio.TaskGroup() as group:
        for place, page in enumerate(pages):
            if place > 0:
                await asyncio.sleep(apart)
            while in_flight >= most:
                await asyncio.sleep(apart)     # the next beat
            in_flight += 1
            group.create_task(one(place, page))
    return [answers[place] for place in range(len(answers))]

# %% crawl-limit-1 wrong: in groups
# cause: the pages are fetched in groups of `most`; a free place stays empty until the whole group has ended
# line: for first in range(0, len(pages), most): | for page in pages[first:first + most]: | async with asyncio.TaskGroup() as group:
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    loop = asyncio.get_running_loop()
    results = []
    last = None
    for first in range(0, len(pages), most):
        tasks = []
        async with asyncio.TaskGroup() as group:
            for page in pages[first:first + most]:
                if last is not None:
                    await asyncio.sleep(max(0, last + apart - loop.time()))
                last = loop.time()
                tasks.append(group.create_task(fetch(page)))
        results.extend(task.result() for task in tasks)
    return results

# %% crawl-pipeline-1 wrong: gives up its slot before there is room
# cause: the slot is given back as soon as the page is fetched, before it is in the queue, so any number of fetched pages may wait, not only one for each worker.
# line: async with slots: | await queue.put((page, raw))
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    records, errors = {}, {}
    slots = asyncio.Semaphore(workers)
    queue = asyncio.Queue(size)

    async def bring(page):
        async with slots:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
                return
        await queue.put((page, raw))

    async def digest():
        while True:
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error
            finally:
                queue.task_done()

    async with asyncio.TaskGroup() as group:
        parser = group.create_task(digest())
        async with asyncio.TaskGroup() as fetchers:
            for page in pages:
                fetchers.create_task(bring(page))
        await queue.join()
        parser.cancel()
    return records, errors

# %% crawl-pipeline-1 wrong: shares out the pages beforehand
# cause: each worker gets its own share of the pages at the beginning; one whose pages are quick is idle while others still have pages to begin, so fewer fetches than `workers` are in flight.
# line: crew.create_task(worker(pages[number::workers])) | for page in share:
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    pages = list(pages)
    good = {}
    bad = {}
    queue = asyncio.Queue(maxsize=size)
    END = object()

    async def worker(share):
        for page in share:
            try:
                raw = await fetch(page)
            except Exception as error:
                bad[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while (item := await queue.get()) is not END:
            page, raw = item
            try:
                good[page] = await parse(raw)
            except Exception as error:
                bad[page] = error

    async with asyncio.TaskGroup() as stages:
        stages.create_task(parser())
        async with asyncio.TaskGroup() as crew:
            for number in range(workers):
                crew.create_task(worker(pages[number::workers]))
        await queue.put(END)
    return good, bad

# %% crawl-pipeline-1 right: one scheduler that waits for what comes first
import asyncio
import collections


async def pipeline(fetch, parse, pages, workers, size):
    to_begin = collections.deque(pages)
    fetching = {}                       # from each task to its page
    fetched = collections.deque()       # pairs that wait to be parsed
    parsing = {}                        # one at most
    records, errors = {}, {}
    try:
        while True:
            if fetched and not parsing:
                page, raw = fetched.popleft()
                parsing[asyncio.ensure_future(parse(raw))] = page
            while to_begin and len(fetching) + max(0, len(fetched) - size) < workers:
                page = to_begin.popleft()
                fetching[asyncio.ensure_future(fetch(page))] = page
            if not fetching and not parsing:
                return records, errors
            ended, _ = await asyncio.wait(
                [*fetching, *parsing], return_when=asyncio.FIRST_COMPLETED
            )
            for task in ended:
                stage = fetching if task in fetching else parsing
                page = stage.pop(task)
                try:
                    value = task.result()
                except Exception as error:
                    errors[page] = error
                    continue
                if stage is fetching:
                    fetched.append((page, value))
                else:
                    records[page] = value
    finally:
        rest = [*fetching, *parsing]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

# %% crawl-progress-1 wrong: the first event comes after a pause
# cause: the first event only after 0.05
# line: await asyncio.sleep(0.05)
import asyncio, json
async def show(crawl, reader, writer):
    try:
        asked = await reader.readuntil(b"\r\n\r\n")
        path = asked.split()[1]
        if path == b"/events":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                await writer.drain()
            writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
        elif path == b"/":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
        else:
            writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
        await writer.drain()
    except (OSError, EOFError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: a pattern that is found anywhere
# cause: the expression finds it anywhere
# line: re.search(rb"/events"
import asyncio, json, re
async def show(crawl, reader, writer):
    try:
        asked = await reader.readuntil(b"\r\n\r\n")
        if re.search(rb"/events", asked):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                await writer.drain()
                await asyncio.sleep(0.05)
            writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
        elif re.match(rb"GET / ", asked):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
        else:
            writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

# %% crawl-progress-1 wrong: doesn't close when cancelled
# cause: the connection is closed after the try statement, which a cancellation never reaches
# line: writer.close() | except (OSError, EOFError):
import asyncio
import json

TYPES = {b"/": "text/html", b"/events": "text/event-stream"}


def event(crawl):
    return b"data: " + json.dumps(crawl.state()).encode() + b"\n\n"


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = (request.split() + [b"", b""])[1]
        status = "200 OK" if path in TYPES else "404 Not Found"
        kind = TYPES.get(path, "text/plain")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode())
        await writer.drain()
        if path == b"/events":
            while True:
                last = crawl.over
                writer.write(event(crawl))
                await writer.drain()
                if last:
                    break
                await asyncio.sleep(0.05)
        else:
            writer.write(b"<h1>Crawl</h1>" if path == b"/" else b"not here")
            await writer.drain()
    except (OSError, EOFError):
        pass
    writer.close()

# %% crawl-stop-1 wrong: doesn't wait for those it cancels
# cause: after the grace the late workers are only told to end; crawl returns while they still run, and their pages are not back in todo yet.
# line: task.cancel()     # too late | for task in late:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            finally:
                if page not in done:
                    todo.appendleft(page)

    crew = [asyncio.create_task(worker()) for _ in range(workers)]
    everyone = asyncio.ensure_future(asyncio.wait(crew, return_when=asyncio.FIRST_EXCEPTION))
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({everyone, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not everyone.done():
            await asyncio.wait({everyone}, timeout=grace)
        for task in crew:
            if task.done():
                task.result()
    except BaseException:
        for task in crew:
            task.cancel()
        await asyncio.gather(*crew, return_exceptions=True)
        raise
    finally:
        for helper in (everyone, stopped):
            helper.cancel()
        await asyncio.gather(everyone, stopped, return_exceptions=True)

    late = [task for task in crew if not task.done()]
    for task in late:
        task.cancel()     # too late

# %% crawl-stop-1 wrong: counts the pages of an earlier crawl
# cause: it takes the crawl for over when `done` is as long as `todo` was, but `done` may hold pages of an earlier crawl, so it ends too early.
# line: total = len(todo) | if len(done) >= total:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    total = len(todo)
    complete = asyncio.Event()

    def check():
        if len(done) >= total:
            complete.set()

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise
            check()

    async with asyncio.TaskGroup() as group:
        check()
        crew = [group.create_task(worker()) for _ in range(workers)]
        signals = [group.create_task(event.wait()) for event in (complete, stop)]
        await asyncio.wait(signals, return_when=asyncio.FIRST_COMPLETED)
        if not complete.is_set():
            await asyncio.wait(crew, timeout=grace)
        for task in crew + signals:
            task.cancel()

# %% crawl-whole-1 wrong: knows only some of the lost connections
# cause: httpx.NetworkError does not cover a server that hangs up without an answer (RemoteProtocolError), so that error comes out of the crawl.
# line: except (TimeoutError, httpx.NetworkError, httpx.TimeoutException):
import asyncio
import random

import httpx

TRIES = 6


async def get_name(client, address):
    """Return the name, or None if the page has failed."""
    for left in reversed(range(TRIES)):
        wait = random.random() / 10
        try:
            async with asyncio.timeout(0.3):
                answer = await client.get(address)
        except (TimeoutError, httpx.NetworkError, httpx.TimeoutException):
            pass
        else:
            match answer.status_code:
                case 200:
                    return answer.json()["name"]
                case 429:
                    wait = float(answer.headers["Retry-After"])
                case 503:
                    pass
                case _:
                    return None
        if left:
            await asyncio.sleep(wait)
    return None


async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    todo = list(reversed(pages))

    async def worker():
        while todo:
            page = todo.pop()
            name = await get_name(client, url + page)
            if name is None:
                failed.append(page)
            else:
                names[page] = name
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return names, failed

# %% crawl-whole-1 wrong: asks again for a page that isn't there
# cause: raise_for_status makes an httpx.HTTPError of a 404 too, and that is caught as if the connection were lost, so such a page is asked for six times.
# line: response.raise_for_status() | except (TimeoutError, httpx.HTTPError):
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    done = {}
    failed = []
    queue = asyncio.Queue()
    for page in pages:
        queue.put_nowait(page)

    async def attempt(client, page):
        """Return True and the name, or False and the seconds to wait."""
        try:
            async with asyncio.timeout(0.3):
                response = await client.get(url + page)
            if response.status_code == 429:
                return False, float(response.headers["Retry-After"])
            response.raise_for_status()
        except (TimeoutError, httpx.HTTPError):
            return False, random.uniform(0, 0.1)
        return True, response.json()["name"]

    async def worker(client):
        while not queue.empty():
            page = queue.get_nowait()
            for number in range(1, 7):
                ok, value = await attempt(client, page)
                if ok:
                    done[page] = value
                    break
                if number < 6:
                    await asyncio.sleep(value)
            else:
                failed.append(page)
            tell(len(done), len(failed))

    async with httpx.AsyncClient() as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return done, failed

# %% crawl-whole-1 wrong: the pause counts as part of the try
# cause: the pause after a 429 lies within the 0.3 s of the try, so a longer Retry-After is cut off and it asks again too early.
# line: await asyncio.sleep(float(response.headers["Retry-After"])) | async with asyncio.timeout(0.3):
import asyncio
import collections
import random

import httpx


async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    waiting = collections.deque(pages)

    async def ask(client, page):
        for again in (True, True, True, True, True, False):
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(url + page)
                    if response.status_code == 429 and again:
                        await asyncio.sleep(float(response.headers["Retry-After"]))
            except (TimeoutError, httpx.TransportError):
                status = None
            else:
                status = response.status_code
            if status == 200:
                names[page] = response.json()["name"]
                return
            if status not in (None, 429, 503):
                break
            if status != 429 and again:
                await asyncio.sleep(random.uniform(0, 0.1))
        failed.append(page)

    async def worker(client):
        while waiting:
            await ask(client, waiting.popleft())
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker(client))
    return names, failed

# %% crawl-whole-1 wrong: each worker has its own share
# cause: shared out beforehand
# line: pages[k::workers]
import asyncio, random, httpx
async def crawl(url, pages, workers, tell):
    names, failed = {}, []
    async def worker(client, share):
        for page in share:
            for n in range(6):
                pause = random.uniform(0, 0.1)
                status = None
                try:
                    async with asyncio.timeout(0.3):
                        r = await client.get(url + page)
                    status = r.status_code
                except (TimeoutError, httpx.TransportError):
                    pass
                if status == 200:
                    names[page] = r.json()["name"]
                    break
                if status == 429:
                    pause = float(r.headers["Retry-After"])
                elif status not in (None, 503):
                    failed.append(page)
                    break
                if n < 5:
                    await asyncio.sleep(pause)
            else:
                failed.append(page)
            tell(len(names), len(failed))
    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as g:
        for k in range(workers):
            g.create_task(worker(client, pages[k::workers]))
    return names, failed

# %% crawl-whole-1 wrong: the time of waiting for a place counts
# cause: the 0.3 s begin before the semaphore lets the try in, so a try that waits for its place runs out of time without a request
# line: async with asyncio.timeout(0.3), slots:
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    slots = asyncio.Semaphore(workers)
    names, failed = {}, []

    async def ask(client, page):
        """Return the answer, or None if there was none."""
        try:
            async with asyncio.timeout(0.3), slots:
                return await client.get(url + page)
        except (httpx.TransportError, TimeoutError):
            return None

    async def get(client, page):
        for attempt in range(1, 7):
            response = await ask(client, page)
            status = None if response is None else response.status_code
            if status == 200:
                names[page] = response.json()["name"]
                break
            if status not in (None, 429, 503) or attempt == 6:
                failed.append(page)
                break
            if status == 429:
                await asyncio.sleep(float(response.headers["Retry-After"]))
            else:
                await asyncio.sleep(random.uniform(0, 0.1))
        tell(len(names), len(failed))

    async with httpx.AsyncClient() as client:
        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(get(client, page))
    return names, failed

# %% crawl-pipeline-1 wrong: a failure ends its worker
# cause: The try is around the whole loop, so a worker ends with its first page that fails, and fewer workers, or none, are left for the other pages.
# line: except Exception as error: | while todo:
import asyncio
from collections import deque


async def pipeline(fetch, parse, pages, workers, size):
    todo = deque(pages)
    queue = asyncio.Queue(size)
    results = {}
    errors = {}

    async def work():
        page = None
        try:
            while todo:
                page = todo.popleft()
                raw = await fetch(page)
                await queue.put((page, raw))
        except Exception as error:
            errors[page] = error

    async def parse_one(page, raw):
        try:
            results[page] = await parse(raw)
        except Exception as problem:
            errors[page] = problem

    async def parse_all():
        while True:
            page, raw = await queue.get()
            await parse_one(page, raw)
            queue.task_done()

    parser = asyncio.create_task(parse_all())
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
        await queue.join()
    finally:
        parser.cancel()
        await asyncio.gather(parser, return_exceptions=True)
    return results, errors

# %% crawl-pipeline-1 wrong: the parser stays behind
# cause: If pipeline is cancelled, the line that cancels the parser is never reached, and the parser goes on running; it belongs into a finally.
# line: parser.cancel() | parser = asyncio.create_task(parse_pages()) | await asyncio.gather(*(fetch_pages() for _ in range(workers)))
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    waiting = asyncio.Queue(maxsize=size)
    good = {}
    bad = {}
    source = iter(list(pages))

    async def fetch_pages():
        while True:
            try:
                page = next(source)
            except StopIteration:
                return
            try:
                raw = await fetch(page)
            except Exception as exc:
                bad[page] = exc
            else:
                await waiting.put((page, raw))

    async def parse_pages():
        while True:
            page, raw = await waiting.get()
            try:
                good[page] = await parse(raw)
            except Exception as exc:
                bad[page] = exc
            finally:
                waiting.task_done()

    parser = asyncio.create_task(parse_pages())
    await asyncio.gather(*(fetch_pages() for _ in range(workers)))
    await waiting.join()
    parser.cancel()
    try:
        await parser
    except asyncio.CancelledError:
        pass
    return good, bad

# %% crawl-page-1 wrong: an empty body counts as no answer
# cause: The test for truth takes an empty body for a failed try and asks again, though its status was 200; `is not None` is meant.
# line: if body:
import asyncio
import random


async def attempt(ask, page):
    """Return the body, or None if it is worth asking again."""
    try:
        async with asyncio.timeout(1):
            status, text = await ask(page)
    except (OSError, TimeoutError):
        return None
    if status in {429, 503}:
        return None
    if status != 200:
        raise ValueError(f"status {status}")
    return text


async def get_page(ask, page):
    async with asyncio.timeout(4):
        for number in range(5):
            if number:
                await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (number - 1)))
            body = await attempt(ask, page)
            if body:
                return body
    raise ValueError("asked five times, in vain")

# %% crawl-whole-1 wrong: the tries are counted for each worker, not for each page
# cause: The counter is set to 0 once for each worker and never again, so after a few pages the first 503 is taken for the sixth try, and the page fails.
# line: tries = 0 | or tries >= 6
import asyncio
import collections
import random

import httpx


async def crawl(url, pages, workers, tell):
    todo = collections.deque(pages)
    names = {}
    failed = []

    async def worker(client):
        tries = 0
        while todo:
            page = todo.popleft()
            while True:
                tries += 1
                pause = random.random() / 10
                try:
                    async with asyncio.timeout(0.3):
                        answer = await client.get(url + page)
                    status = answer.status_code
                except (TimeoutError, httpx.TransportError):
                    status = 503
                if status == 200:
                    names[page] = answer.json()["name"]
                    break
                if status not in (429, 503) or tries >= 6:
                    failed.append(page)
                    break
                if status == 429:
                    pause = float(answer.headers["Retry-After"])
                await asyncio.sleep(pause)
            tell(len(names), len(failed))

    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker(client))
    return names, failed

# %% crawl-progress-1 wrong: a visitor who leaves within the request causes an error
# cause: If the visitor leaves before the empty line, `readuntil` raises an `IncompleteReadError`, which is an `EOFError` and no `ConnectionError`, so it comes out.
# line: except ConnectionError: | head = await reader.readuntil
import asyncio
import json


async def show(crawl, reader, writer):
    async def send(data):
        writer.write(data)
        await writer.drain()

    def event():
        return b"data: " + json.dumps(crawl.state()).encode() + b"\n\n"

    try:
        head = await reader.readuntil(b"\r\n\r\n")
        words = head.split(b"\r\n")[0].split()
        path = words[1] if len(words) > 1 else b""
        if path == b"/":
            await send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>A crawl</h1>")
        elif path == b"/events":
            await send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            while not crawl.over:
                await send(event())
                await asyncio.sleep(0.05)
            await send(event())
        else:
            await send(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnot here")
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% crawl-whole-1 wrong: names and failed are global and keep the pages of an earlier crawl
# cause: The dict and the list are made once for the module, so a second call returns and counts the pages of the first one as well.
# line: names = {} | failed = []
import asyncio
import random

import httpx

names = {}
failed = []


async def ask(client, limit, address):
    """One try: the response, or None if it took too long or was lost."""
    async with limit:
        try:
            async with asyncio.timeout(0.3):
                return await client.get(address)
        except (TimeoutError, httpx.TransportError):
            return None


async def one_page(client, limit, url, page):
    for left in range(5, -1, -1):
        response = await ask(client, limit, url + page)
        status = response.status_code if response is not None else 503
        if status == 200:
            names[page] = response.json()["name"]
            return
        if status not in (429, 503) or left == 0:
            failed.append(page)
            return
        if status == 429:
            await asyncio.sleep(float(response.headers["Retry-After"]))
        else:
            await asyncio.sleep(random.uniform(0, 0.1))


async def crawl(url, pages, workers, tell):
    limit = asyncio.Semaphore(workers)

    async def job(page):
        await one_page(client, limit, url, page)
        tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=None) as client:
        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(job(page))
    return names, failed


# %% crawl-page-1 wrong: except Exception repeats a 404
# cause: the ValueError for a final status such as 404 is raised inside the try and caught by `except Exception`, so it asks again, five times in all.
# line: except Exception as error:
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""

    async def one_try():
        async with asyncio.timeout(1):
            status, body = await ask(page)
        if status == 200:
            return body
        if status in (429, 503):
            raise ConnectionError(status)
        raise ValueError(status)

    last = None
    async with asyncio.timeout(4):
        for number in range(1, 6):
            if number > 1:
                await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (number - 2)))
            try:
                return await one_try()
            except Exception as error:
                last = error
    raise ValueError(f"{page} failed") from last


# %% crawl-limit-1 wrong: semaphore only around create_task
# cause: the semaphore is released as soon as the task has been created, so it doesn't limit how many fetches are in flight.
# line: async with gate: | tasks.append(group.create_task(fetch(page)))
import asyncio


async def fetch_all(fetch, pages, most, apart):
    loop = asyncio.get_running_loop()
    gate = asyncio.Semaphore(most)
    tasks = []
    earliest = loop.time()
    async with asyncio.TaskGroup() as group:
        for page in pages:
            async with gate:
                await asyncio.sleep(max(0, earliest - loop.time()))
                earliest = loop.time() + apart
                tasks.append(group.create_task(fetch(page)))
    return [task.result() for task in tasks]


# %% crawl-pipeline-1 wrong: a raw None ends parsing
# cause: the end is told by `raw is None`, but `fetch` may return None: that page ends the parser, and the later ones are never parsed.
# line: if raw is None: | await queue.put((None, None))
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    queue = asyncio.Queue(size)
    todo = iter(pages)
    records, errors = {}, {}

    async def fetcher():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while True:
            page, raw = await queue.get()
            if raw is None:
                return
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(fetcher())
        await queue.put((None, None))
    return records, errors


# %% crawl-stop-1 wrong: task for the event leaks
# cause: the task that waits for `stop` is never cancelled; if the crawl ends without a stop (all done, an error, cancelled), it still runs.
# line: bell = asyncio.create_task(stop.wait())
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                result = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise
            done[page] = result

    bell = asyncio.create_task(stop.wait())
    async with asyncio.TaskGroup() as group:
        rest = {group.create_task(worker()) for _ in range(workers)}
        while rest and not bell.done():
            _, pending = await asyncio.wait(
                {bell, *rest}, return_when=asyncio.FIRST_COMPLETED
            )
            rest = pending - {bell}
        if rest:
            _, late = await asyncio.wait(rest, timeout=grace)
            for task in late:
                task.cancel()


# %% crawl-whole-1 wrong: client not closed when cancelled
# cause: `aclose()` is called only on the way through the end, so if `crawl` is cancelled the client stays open.
# line: client = httpx.AsyncClient() | await client.aclose()
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    client = httpx.AsyncClient()
    names, failed = {}, []
    queue = list(pages)[::-1]

    async def try_once(page):
        try:
            answer = await asyncio.wait_for(client.get(url + page), 0.3)
        except (TimeoutError, httpx.TransportError):
            return True, random.random() / 10
        if answer.status_code == 200:
            names[page] = answer.json()["name"]
            return False, 0
        if answer.status_code == 429:
            return True, float(answer.headers["Retry-After"])
        return answer.status_code == 503, random.random() / 10

    async def worker():
        while queue:
            page = queue.pop()
            for number in range(1, 7):
                again, pause = await try_once(page)
                if not again:
                    break
                if number < 6:
                    await asyncio.sleep(pause)
            if page not in names:
                failed.append(page)
            tell(len(names), len(failed))

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    await client.aclose()
    return names, failed

# %% crawl-page-1 wrong: the pause inside the timeout of the try
# cause: the pause counts in the second of the next try
# line: await asyncio.sleep(random.random() * top) | async with asyncio.timeout(1):
import asyncio
import random


async def get_page(ask, page):
    top = 0
    async with asyncio.timeout(4):
        for _ in range(5):
            try:
                async with asyncio.timeout(1):
                    await asyncio.sleep(random.random() * top)
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in {429, 503}:
                    raise ValueError(status)
            except OSError:
                pass
            top = 2 * top or 0.1
    raise ValueError("tried five times")

# %% crawl-pipeline-1 wrong: the parser in the worker's hand
# cause: a lock around parse lets one parse at a time, but the worker waits for it and fetches nothing meanwhile
# line: async with one_at_a_time: | records[page] = await parse(raw)
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    todo = list(reversed(pages))
    one_at_a_time = asyncio.Lock()
    records, errors = {}, {}

    async def work():
        while todo:
            page = todo.pop()
            try:
                raw = await fetch(page)
                async with one_at_a_time:
                    records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    return records, errors

# %% crawl-page-1 wrong: total timeout becomes a ValueError
# cause: TimeoutError is an OSError, so the except around everything also catches the end of the 4 s and makes a ValueError of it.
# line: except OSError as error:
import asyncio
import contextlib
import random


async def one_try(ask, page):
    async with asyncio.timeout(1):
        status, body = await ask(page)
    if status in (429, 503):
        raise ConnectionError(f"status {status}")
    if status != 200:
        raise ValueError(f"status {status}")
    return body


async def get_page(ask, page):
    try:
        async with asyncio.timeout(4):
            pause = 0.1
            for _ in range(4):
                with contextlib.suppress(OSError):
                    return await one_try(ask, page)
                await asyncio.sleep(random.uniform(0, pause))
                pause *= 2
            return await one_try(ask, page)
    except OSError as error:
        raise ValueError(f"{page} failed five times") from error

# %% crawl-stop-1 wrong: grace for each in turn
# cause: The workers are waited for one after the other, each for `grace` seconds, so the second one that is slow is cancelled only after twice the grace.
# line: await asyncio.wait([member], timeout=grace) | for member in crew:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                result = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise
            done[page] = result

    async def guard():
        await stop.wait()
        for member in crew:
            await asyncio.wait([member], timeout=grace)
            member.cancel()

    async with asyncio.TaskGroup() as group:
        crew = [group.create_task(worker()) for _ in range(workers)]
        watching = group.create_task(guard())
        await asyncio.wait(crew)
        watching.cancel()

# %% crawl-limit-1 wrong: starts follow a fixed grid
# cause: The next start is counted from the planned one, not from the real one; after a long wait for a slot the plan lies in the past, and fetches start right after one another.
# line: next_start += apart
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    loop = asyncio.get_running_loop()
    pages = list(pages)
    results = [None] * len(pages)
    waiting = iter(enumerate(pages))
    gate = asyncio.Lock()
    next_start = loop.time()

    async def worker():
        nonlocal next_start
        while True:
            async with gate:
                item = next(waiting, None)
                if item is None:
                    return
                delay = next_start - loop.time()
                if delay > 0:
                    await asyncio.sleep(delay)
                next_start += apart
            i, page = item
            results[i] = await fetch(page)

    async with asyncio.TaskGroup() as tg:
        for _ in range(most):
            tg.create_task(worker())
    return results

# %% crawl-stop-1 wrong: cancelled page does not return
# cause: `except Exception` doesn't catch CancelledError, so a page whose worker is cancelled (after the grace or with crawl) is neither in todo nor in done.
# line: except Exception:
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except Exception:
                todo.appendleft(page)
                raise

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    stopped = asyncio.create_task(stop.wait())
    everyone = asyncio.gather(*tasks)
    try:
        await asyncio.wait([everyone, stopped], return_when=asyncio.FIRST_COMPLETED)
        if not everyone.done():
            await asyncio.wait([everyone], timeout=grace)
        if everyone.done():
            everyone.result()
    finally:
        for task in (stopped, *tasks):
            task.cancel()
        await asyncio.gather(stopped, *tasks, return_exceptions=True)

# %% crawl-stop-1 wrong: workers cancelled but not awaited
# cause: It cancels the workers and returns without waiting for them, so after the grace (or a cancellation) they still run and their pages are not back in todo yet.
# line: task.cancel() | finally:
import asyncio


async def fetch_until_stop(fetch, todo, done, stop):
    while todo and not stop.is_set():
        page = todo.popleft()
        try:
            result = await fetch(page)
        except BaseException:
            todo.appendleft(page)
            raise
        done[page] = result


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    tasks = [
        asyncio.create_task(fetch_until_stop(fetch, todo, done, stop))
        for _ in range(workers)
    ]
    bell = asyncio.create_task(stop.wait())
    together = asyncio.gather(*tasks)
    try:
        await asyncio.wait({together, bell}, return_when=asyncio.FIRST_COMPLETED)
        if not together.done():
            await asyncio.wait({together}, timeout=grace)
        if together.done():
            await together
    finally:
        for task in [bell, *tasks]:
            task.cancel()

# %% crawl-whole-1 wrong: NetworkError misses the dropped connection
# cause: If the server closes the connection without an answer or in the middle of it, httpx raises RemoteProtocolError, which is no NetworkError; it isn't tried again and comes out of crawl.
# line: except (TimeoutError, httpx.NetworkError):
import asyncio
import random
from collections import deque

import httpx

TRIES = 6


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    queue = deque(pages)
    names: dict[str, str] = {}
    failed: list[str] = []

    async def attempt(client, page):
        try:
            async with asyncio.timeout(0.3):
                r = await client.get(f"{url}{page}")
        except (TimeoutError, httpx.NetworkError):
            return None, random.uniform(0, 0.1)
        if r.status_code == 429:
            return None, float(r.headers["Retry-After"])
        if r.status_code == 503:
            return None, random.uniform(0, 0.1)
        return r, 0

    async def fetch(client, page):
        for left in reversed(range(TRIES)):
            response, delay = await attempt(client, page)
            if response is not None:
                return response
            if left:
                await asyncio.sleep(delay)
        return None

    async def worker(client):
        while queue:
            page = queue.popleft()
            response = await fetch(client, page)
            if response is not None and response.status_code == 200:
                names[page] = response.json()["name"]
            else:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=None) as client, asyncio.TaskGroup() as tg:
        for _ in range(workers):
            tg.create_task(worker(client))
    return names, failed


# %% crawl-whole-1 right: names the ways to lose a connection; httpx itself has no limit
import asyncio
import random
from collections import deque

import httpx

TRIES = 6


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    queue = deque(pages)
    names: dict[str, str] = {}
    failed: list[str] = []

    async def attempt(client, page):
        try:
            async with asyncio.timeout(0.3):
                r = await client.get(f"{url}{page}")
        except (TimeoutError, httpx.NetworkError, httpx.RemoteProtocolError):
            return None, random.uniform(0, 0.1)
        if r.status_code == 429:
            return None, float(r.headers["Retry-After"])
        if r.status_code == 503:
            return None, random.uniform(0, 0.1)
        return r, 0

    async def fetch(client, page):
        for left in reversed(range(TRIES)):
            response, delay = await attempt(client, page)
            if response is not None:
                return response
            if left:
                await asyncio.sleep(delay)
        return None

    async def worker(client):
        while queue:
            page = queue.popleft()
            response = await fetch(client, page)
            if response is not None and response.status_code == 200:
                names[page] = response.json()["name"]
            else:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(timeout=None) as client, asyncio.TaskGroup() as tg:
        for _ in range(workers):
            tg.create_task(worker(client))
    return names, failed

# %% crawl-limit-1 wrong: slot lost after an error
# cause: The slot isn't released if fetch raises, so with most=1 and more pages the loop waits for a slot forever and the error never comes out.
# line: slots.release() | result = await fetch(page)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    clock = asyncio.get_running_loop().time
    slots = asyncio.Semaphore(most)
    tasks = []
    earliest = clock()

    async def run(page):
        result = await fetch(page)
        slots.release()
        return result

    try:
        for page in pages:
            await slots.acquire()
            if clock() < earliest:
                await asyncio.sleep(earliest - clock())
            earliest = clock() + apart
            tasks.append(asyncio.create_task(run(page)))
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()

# %% crawl-pipeline-1 wrong: first worker's end stops parser
# cause: Each worker puts an end mark when it finds no more pages, and the parser stops at the first one; pages that other workers still fetch are never parsed.
# line: if item is END: | break | await queue.put(END)
import asyncio

END = object()


async def pipeline(fetch, parse, pages, workers, size):
    good = {}
    bad = {}
    left = list(pages)[::-1]
    queue = asyncio.Queue(size)

    async def fetcher():
        while left:
            page = left.pop()
            try:
                raw = await fetch(page)
            except Exception as exc:
                bad[page] = exc
                continue
            await queue.put((page, raw))
        await queue.put(END)

    async def parser():
        while True:
            item = await queue.get()
            if item is END:
                break
            page, raw = item
            try:
                good[page] = await parse(raw)
            except Exception as exc:
                bad[page] = exc

    async with asyncio.TaskGroup() as tg:
        tg.create_task(parser())
        for _ in range(workers):
            tg.create_task(fetcher())
    return good, bad

# %% crawl-stop-1 wrong: error during grace is lost
# cause: The last wait doesn't look at the results, so if a fetch raises after stop was set, the other workers aren't cancelled and the error doesn't come out.
# line: await asyncio.wait(pending, timeout=grace) | return_exceptions=True
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            finished = False
            try:
                done[page] = await fetch(page)
                finished = True
            finally:
                if not finished:
                    todo.appendleft(page)

    tasks = {asyncio.create_task(worker()) for _ in range(workers)}
    stopper = asyncio.create_task(stop.wait())
    pending = set(tasks)
    try:
        while pending and not stopper.done():
            ended, _ = await asyncio.wait(
                pending | {stopper}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in ended & pending:
                task.result()
            pending -= ended
        if pending:
            await asyncio.wait(pending, timeout=grace)
    finally:
        for task in (*tasks, stopper):
            task.cancel()
        await asyncio.gather(*tasks, stopper, return_exceptions=True)

# %% crawl-stop-1 wrong: looks for errors when all have ended
# cause: `asyncio.wait` without `return_when` waits for all workers, so an error of one comes out when the others have done all pages.
# line: await asyncio.wait(tasks)
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    async def worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except BaseException:
                todo.append(page)
                raise

    async def end_them():
        await stop.wait()
        await asyncio.sleep(grace)
        for task in tasks:
            task.cancel()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    closer = asyncio.create_task(end_them())
    try:
        await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()
    finally:
        for task in (*tasks, closer):
            task.cancel()
        await asyncio.gather(*tasks, closer, return_exceptions=True)

# %% crawl-page-1 right: recursion from try to try
import asyncio
import contextlib
import random


async def get_page(ask, page):
    """Return the body of the page; try up to five times, for up to 4 s."""

    async def attempt(number):
        with contextlib.suppress(OSError):      # a TimeoutError is one as well
            async with asyncio.timeout(1):
                status, body = await ask(page)
            match status:
                case 200:
                    return body
                case 429 | 503:
                    pass
                case _:
                    raise ValueError(f"{page}: status {status}")
        if number == 5:
            raise ValueError(f"{page}: no answer in five tries")
        await asyncio.sleep(random.uniform(0, 0.1 * 2 ** (number - 1)))
        return await attempt(number + 1)

    async with asyncio.timeout(4):
        return await attempt(1)

# %% crawl-limit-1 right: workers pass through a turnstile
import asyncio
import math


async def fetch_all(fetch, pages, most, apart):
    loop = asyncio.get_running_loop()
    pages = list(pages)
    results = [None] * len(pages)
    waiting = iter(enumerate(pages))
    turnstile = asyncio.Lock()
    opens = -math.inf

    async def work():
        nonlocal opens
        while True:
            async with turnstile:
                job = next(waiting, None)
                if job is None:
                    return
                while (rest := opens - loop.time()) > 0:
                    await asyncio.sleep(rest)
                opens = loop.time() + apart
            index, page = job
            results[index] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(most, len(pages))):
            group.create_task(work())
    return results

# %% crawl-pipeline-1 right: a line of futures
import asyncio
import collections


class _Line:
    """A queue for `size`, where those who have no room stand in line."""

    def __init__(self, size):
        self.size = size
        self.items = collections.deque()
        self.bell = asyncio.Event()

    async def put(self, item):
        room = asyncio.get_running_loop().create_future()
        self.items.append((item, room))
        if len(self.items) <= self.size:
            room.set_result(None)
        self.bell.set()
        await room

    def take(self):
        item, room = self.items.popleft()
        rooms = [room]
        if 0 < self.size <= len(self.items):
            rooms.append(self.items[self.size - 1][1])
        for room in rooms:
            if not room.done():
                room.set_result(None)
        return item


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    records, errors = {}, {}
    line = _Line(size)
    todo = iter(pages)
    at_work = workers

    async def attempt(page, function, argument):
        """Return [result], or [] if it failed."""
        try:
            return [await function(argument)]
        except Exception as error:
            errors[page] = error
        except asyncio.CancelledError as error:
            if asyncio.current_task().cancelling():
                raise
            errors[page] = error
        return []

    async def fetcher():
        nonlocal at_work
        for page in todo:
            for raw in await attempt(page, fetch, page):
                await line.put((page, raw))
        at_work -= 1
        line.bell.set()

    async def parser():
        while line.items or at_work:
            if not line.items:
                line.bell.clear()
                await line.bell.wait()
                continue
            page, raw = line.take()
            for record in await attempt(page, parse, raw):
                records[page] = record

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        for _ in range(workers):
            group.create_task(fetcher())
    return records, errors

# %% crawl-stop-1 right: a verdict set by callbacks
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    loop = asyncio.get_running_loop()
    verdict = loop.create_future()
    told = set()            # the workers that were cancelled
    alarms = []

    async def work():
        while todo and not stop.is_set() and asyncio.current_task() not in told:
            page = todo.popleft()
            try:
                result = await fetch(page)
            except BaseException:
                todo.appendleft(page)
                raise
            done[page] = result

    def ended(task):
        staff.discard(task)
        error = None if task.cancelled() else task.exception()
        if verdict.done():
            return
        if error is not None:
            verdict.set_exception(error)
        elif not staff:
            verdict.set_result(None)

    def send_home():
        for task in staff - told:
            told.add(task)
            task.cancel()

    def stopped(task):
        if not task.cancelled() and not verdict.done():
            alarms.append(loop.call_later(grace, send_home))

    staff = {asyncio.ensure_future(work()) for _ in range(workers)}
    everybody = list(staff)
    for task in everybody:
        task.add_done_callback(ended)
    watcher = asyncio.ensure_future(stop.wait())
    watcher.add_done_callback(stopped)
    everybody.append(watcher)

    interrupted = None
    try:
        if staff:
            await verdict
    finally:
        verdict.cancel()
        for alarm in alarms:
            alarm.cancel()
        watcher.cancel()
        send_home()
        while left := [task for task in everybody if not task.done()]:
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted

# %% crawl-progress-1 right: closing, suppress and match
import asyncio
import contextlib
import json

_PAGE = b"""<!doctype html>
<title>The crawl</title>
<pre id="state"></pre>
<script>
const source = new EventSource("/events");
source.onmessage = event => { document.getElementById("state").textContent = event.data; };
source.onerror = () => source.close();
</script>
"""


async def _events(crawl):
    over = False
    while not over:
        over = crawl.over       # first: the state that is read after it is the last one
        yield b"data: %s\n\n" % json.dumps(crawl.state()).encode()
        if not over:
            await asyncio.sleep(0.05)


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""

    async def send(data):
        writer.write(data)
        await writer.drain()

    async def head(status, kind):
        await send(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode())

    with contextlib.closing(writer), contextlib.suppress(OSError):
        request = []
        while (line := await reader.readline()) != b"\r\n":
            if not line.endswith(b"\n"):
                return          # the visitor has left
            request.append(line)
        match request[0].split() if request else []:
            case [b"GET", b"/", *_]:
                await head("200 OK", "text/html")
                await send(_PAGE)
            case [b"GET", b"/events", *_]:
                await head("200 OK", "text/event-stream")
                async with contextlib.aclosing(_events(crawl)) as events:
                    async for event in events:
                        await send(event)
            case _:
                await head("404 Not Found", "text/plain")
                await send(b"not found\n")

# %% crawl-whole-1 right: timers bring jobs back
import asyncio
import random
import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    pages = list(pages)
    names, failed = {}, []
    if not pages:
        return names, failed
    loop = asyncio.get_running_loop()
    jobs = asyncio.Queue()
    timers = []

    async def ask(client, page):
        """Return ("name", name), ("again", seconds to wait) or ("never", None)."""
        try:
            async with asyncio.timeout(0.3):
                answer = await client.get(url + page)
            match answer.status_code:
                case 200:
                    return "name", answer.json()["name"]
                case 429:
                    return "again", float(answer.headers["Retry-After"])
                case 503:
                    pass
                case _:
                    return "never", None
        except (httpx.RequestError, OSError, ValueError, LookupError, TypeError):
            pass        # too slow, lost, or cut off
        return "again", random.uniform(0, 0.1)

    async def work(client):
        while (job := await jobs.get()) is not None:
            page, tries = job
            what, value = await ask(client, page)
            if what == "again" and tries < 6:
                # The page waits, the worker does not.
                timers.append(loop.call_later(value, jobs.put_nowait, (page, tries + 1)))
                continue
            if what == "name":
                names[page] = value
            else:
                failed.append(page)
            tell(len(names), len(failed))
            if len(names) + len(failed) == len(pages):
                for _ in range(workers):
                    jobs.put_nowait(None)

    for page in pages:
        jobs.put_nowait((page, 1))
    try:
        async with httpx.AsyncClient(timeout=None, limits=httpx.Limits()) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(workers, len(pages))):
                    group.create_task(work(client))
    finally:
        for timer in timers:
            timer.cancel()
    return names, failed

# %% crawl-stop-1 wrong: Cancels and does not wait
# cause: The workers are only asked to end and are not awaited, so when `crawl` ends they still run and their pages aren't back in `todo` yet.
# line: task.cancel() | for task in tasks: | none
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    async def run_worker():
        while todo and not stop.is_set():
            page = todo.popleft()
            finished = False
            try:
                done[page] = await fetch(page)
                finished = True
            finally:
                if not finished:
                    todo.appendleft(page)

    tasks = [asyncio.create_task(run_worker()) for _ in range(workers)]
    everything = asyncio.gather(*tasks)
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({everything, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not everything.done():
            await asyncio.wait({everything}, timeout=grace)
        if everything.done():
            everything.result()
    finally:
        stopped.cancel()
        for task in tasks:
            task.cancel()

# %% crawl-page-1 right: recursive attempts and match
import asyncio
import random


async def get_page(ask, page):
    async def attempt(left, ceiling):
        try:
            async with asyncio.timeout(1):
                answer = await ask(page)
        except OSError:  # a TimeoutError is one, too
            answer = 503, None
        match answer:
            case 200, body:
                return body
            case (429 | 503), _ if left > 1:
                await asyncio.sleep(random.uniform(0, ceiling))
                return await attempt(left - 1, ceiling * 2)
            case status, _:
                raise ValueError(f"no page {page!r}: status {status}")

    async with asyncio.timeout(4):
        return await attempt(5, 0.1)

# %% crawl-limit-1 right: shared turnstile with `__anext__`
import asyncio


class Turnstile:
    """An async iterator for many tasks: it lets one through at a time, with gaps."""

    def __init__(self, things, apart):
        self._things = iter(things)
        self._apart = apart
        self._lock = asyncio.Lock()
        self._earliest = None

    def __aiter__(self):
        return self

    async def __anext__(self):
        async with self._lock:
            for thing in self._things:
                await self._gap()
                return thing
            raise StopAsyncIteration

    async def _gap(self):
        loop = asyncio.get_running_loop()
        if self._earliest is not None and loop.time() < self._earliest:
            open_now = asyncio.Event()
            timer = loop.call_at(self._earliest, open_now.set)
            try:
                await open_now.wait()
            finally:
                timer.cancel()
        self._earliest = loop.time() + self._apart


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    pages = list(pages)
    answers = [None] * len(pages)
    turnstile = Turnstile(enumerate(pages), apart)

    async def runner():
        async for position, page in turnstile:
            answers[position] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(most, len(pages))):
            group.create_task(runner())
    return answers

# %% crawl-limit-1 wrong: the results by page, and a page comes twice
# cause: the results are kept in a dict by page: if a page stands twice in `pages`, both get what the later fetch returned
# line: results[page] = await fetch(page)
import asyncio


async def fetch_all(fetch, pages, most, apart):
    """Fetch all pages, in order; at most so many at once, and starts so far apart."""
    loop = asyncio.get_running_loop()
    places = asyncio.Semaphore(most)
    results = {}

    async def one(page):
        try:
            results[page] = await fetch(page)
        finally:
            places.release()

    last = None
    async with asyncio.TaskGroup() as group:
        for page in pages:
            await places.acquire()
            if last is not None:
                await asyncio.sleep(max(0, last + apart - loop.time()))
            last = loop.time()
            group.create_task(one(page))
    return [results[page] for page in pages]

# %% crawl-pipeline-1 right: Condition, deque and outcome dataclasses
import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Good:
    value: Any


@dataclass(frozen=True)
class Bad:
    error: BaseException


async def outcome(call, argument):
    try:
        result = Good(await call(argument))
    except (Exception, asyncio.CancelledError) as error:
        result = Bad(error)
    if asyncio.current_task().cancelling():
        raise asyncio.CancelledError
    return result


async def pipeline(fetch, parse, pages, workers, size):
    records, errors = {}, {}
    source = iter(pages)
    shelf = deque()
    news = asyncio.Condition()
    active = workers

    async def fetcher():
        nonlocal active
        for page in source:
            match await outcome(fetch, page):
                case Bad(error):
                    errors[page] = error
                case Good(raw):
                    async with news:
                        await news.wait_for(lambda: len(shelf) < size)
                        shelf.append((page, raw))
                        news.notify_all()
        async with news:
            active -= 1
            news.notify_all()

    async def parser():
        while True:
            async with news:
                await news.wait_for(lambda: shelf or not active)
                if not shelf:
                    return
                page, raw = shelf.popleft()
                news.notify_all()
            match await outcome(parse, raw):
                case Good(record):
                    records[page] = record
                case Bad(error):
                    errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        for _ in range(workers):
            group.create_task(fetcher())
    return records, errors

# %% crawl-stop-1 right: one event, a watchdog, bare tasks
import asyncio


async def crawl(fetch, todo, done, workers, stop, grace):
    """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""
    over = asyncio.Event()  # there is nothing left to wait for
    errors = []

    async def work():
        while todo and not stop.is_set() and not over.is_set():
            page = todo.popleft()
            try:
                done[page] = await fetch(page)
            except asyncio.CancelledError as error:
                if not asyncio.current_task().cancelling():
                    errors.append(error)
                    over.set()
                raise
            except Exception as error:
                errors.append(error)
                over.set()
            finally:
                if page not in done:
                    todo.appendleft(page)

    async def watchdog():
        await stop.wait()
        await asyncio.sleep(grace)
        over.set()

    def one_less(_):
        if all(task.done() for task in crew):
            over.set()

    crew = [asyncio.create_task(work()) for _ in range(workers)]
    for task in crew:
        task.add_done_callback(one_less)
    everybody = [*crew, asyncio.create_task(watchdog())]

    interruption = None
    try:
        await over.wait()
    except asyncio.CancelledError as error:
        interruption = error
    over.set()
    for task in everybody:
        task.cancel()
    while not all(task.done() for task in everybody):
        try:
            await asyncio.wait(everybody)
        except asyncio.CancelledError as error:
            interruption = error

    if interruption is not None:
        raise interruption
    match errors:
        case []:
            return
        case [error]:
            raise error
        case _:
            raise BaseExceptionGroup("fetches failed", errors)

# %% crawl-progress-1 right: async generators, closing and match
import asyncio
import json
from contextlib import aclosing, closing, suppress


async def head_lines(reader):
    while (line := await reader.readline()) not in (b"\r\n", b"\n"):
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the visitor left within the request")
        yield line


async def moments(crawl):
    while not crawl.over:
        yield crawl.state()
        await asyncio.sleep(0.05)
    yield crawl.state()


async def answer(crawl, request):
    """Yield the pieces of the answer, as text."""
    match request.split():
        case [_, b"/", *_]:
            yield (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                "<!doctype html><title>Crawl</title><pre id=now></pre><script>"
                "new EventSource('/events').onmessage ="
                " event => { now.textContent = event.data }</script>"
            )
        case [_, b"/events", *_]:
            yield "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            async with aclosing(moments(crawl)) as states:
                async for state in states:
                    yield f"data: {json.dumps(state)}\n\n"
        case _:
            yield "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nNot found\n"


async def show(crawl, reader, writer):
    """Answer one visitor: the page, the events or 404; then close."""
    with suppress(OSError), closing(writer):
        lines = [line async for line in head_lines(reader)]
        request = lines[0] if lines else b""
        async with aclosing(answer(crawl, request)) as pieces:
            async for piece in pieces:
                writer.write(piece.encode())
                await writer.drain()

# %% crawl-whole-1 right: queue, workers and delayed returns
import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx


@dataclass
class Errand:
    page: str
    tries: int = 0


def pause_after(response):
    if response is not None and response.status_code == 429:
        try:
            return max(0.0, float(response.headers["Retry-After"]))
        except (KeyError, ValueError):
            pass
    return random.uniform(0, 0.1)


async def crawl(url, pages, workers, tell):
    errands = [Errand(page) for page in pages]
    names, failed = {}, []
    if not errands:
        return names, failed
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()
    for errand in errands:
        queue.put_nowait(errand)
    finished = asyncio.Event()

    async def run(client, errand):
        """One try; return the response, or None if there was none."""
        errand.tries += 1
        try:
            async with asyncio.timeout(0.3):
                return await client.get(url + errand.page)
        except (OSError, httpx.RequestError):
            return None

    async def worker(client, stack):
        while not asyncio.current_task().cancelling():
            errand = await queue.get()
            response = await run(client, errand)
            status = None if response is None else response.status_code
            match status:
                case None | 429 | 503 if errand.tries < 6:
                    # It comes back later; meanwhile this worker takes another.
                    timer = loop.call_later(
                        pause_after(response), queue.put_nowait, errand
                    )
                    stack.callback(timer.cancel)
                    continue
                case 200:
                    try:
                        names[errand.page] = response.json()["name"]
                    except (ValueError, LookupError, TypeError):
                        failed.append(errand.page)
                case _:
                    failed.append(errand.page)
            tell(len(names), len(failed))
            if len(names) + len(failed) == len(errands):
                finished.set()

    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
        )
        group = await stack.enter_async_context(asyncio.TaskGroup())
        crew = [
            group.create_task(worker(client, stack))
            for _ in range(min(workers, len(errands)))
        ]
        await finished.wait()
        for task in crew:
            task.cancel()
    return names, failed

# %% crawl-whole-1 wrong: the pauses grow beyond 0.1 s
# cause: the pause doubles with each try; after the fourth and the fifth try it is longer than the 0.1 s that are allowed
# line: pause = random.uniform(0.75, 1) * 0.02 * 2 ** attempt | await asyncio.sleep(pause)
import asyncio
import random

import httpx


async def crawl(url, pages, workers, tell):
    """Return the name of each page, and the pages that failed."""
    names = {}
    failed = []
    todo = iter(pages)

    async def get_name(client, page):
        for attempt in range(6):
            if attempt > 0:
                await asyncio.sleep(pause)
            # exponential backoff with jitter
            pause = random.uniform(0.75, 1) * 0.02 * 2 ** attempt
            try:
                async with asyncio.timeout(0.3):
                    response = await client.get(url + page)
            except (TimeoutError, httpx.TransportError):
                continue
            if response.status_code == 429:
                pause = float(response.headers["Retry-After"])
            elif response.status_code == 200:
                return response.json()["name"]
            elif response.status_code != 503:
                break
        return None

    async def worker(client):
        for page in todo:
            name = await get_name(client, page)
            if name is not None:
                names[page] = name
            else:
                failed.append(page)
            tell(len(names), len(failed))

    async with httpx.AsyncClient(
        timeout=None, limits=httpx.Limits(max_connections=workers)
    ) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
    return names, failed

# %% crawl-pipeline-1 right: the last page first
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    todo, raws = list(pages), asyncio.Queue(size)
    done, failed = {}, {}

    async def work():
        while todo:
            page = todo.pop()
            try:
                raw = await fetch(page)
            except Exception as error:
                failed[page] = error
            else:
                await raws.put((page, raw))

    async def parser():
        while True:
            page, raw = await raws.get()
            try:
                done[page] = await parse(raw)
            except Exception as error:
                failed[page] = error
            raws.task_done()

    async with asyncio.TaskGroup() as group:
        parsing = group.create_task(parser())
        working = [group.create_task(work()) for _ in range(workers)]
        await asyncio.gather(*working)
        await raws.join()
        parsing.cancel()
    return done, failed

# %% crawl-pipeline-1 wrong: an IndexError of fetch ends the worker
# cause: the except for the empty deque also covers fetch: if fetch raises IndexError, the page is in neither dict and the worker is gone; with one worker the rest is never fetched
# line: except IndexError:
import asyncio
from collections import deque


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    todo = deque(pages)
    queue = asyncio.Queue(size)
    records = {}
    errors = {}

    async def fetcher():
        while True:
            try:
                page = todo.popleft()
                raw = await fetch(page)
            except IndexError:
                return
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while (item := await queue.get()) is not None:
            page, raw = item
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        async with asyncio.TaskGroup() as fetchers:
            for _ in range(workers):
                fetchers.create_task(fetcher())
        await queue.put(None)
    return records, errors

# %% crawl-pipeline-1 wrong: hangs when the last page fails to be fetched
# cause: the parser counts the finished pages before each get; if the last fetch to end fails while it waits at the queue, nothing comes any more and the pipeline never ends
# line: while len(records) + len(errors) < len(pages): | page, raw = await queue.get()
import asyncio


async def pipeline(fetch, parse, pages, workers, size):
    """Return two dicts: the record of each page, and the error of each that failed."""
    pages = list(pages)
    todo = iter(pages)
    queue = asyncio.Queue(size)
    records = {}
    errors = {}

    async def fetcher():
        for page in todo:
            try:
                raw = await fetch(page)
            except Exception as error:
                errors[page] = error
            else:
                await queue.put((page, raw))

    async def parser():
        while len(records) + len(errors) < len(pages):
            page, raw = await queue.get()
            try:
                records[page] = await parse(raw)
            except Exception as error:
                errors[page] = error

    async with asyncio.TaskGroup() as group:
        group.create_task(parser())
        for _ in range(workers):
            group.create_task(fetcher())
    return records, errors
