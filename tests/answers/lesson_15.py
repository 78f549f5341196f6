"""Answers to the exercises of lesson 15, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% async-order-1 wrong: a task begins where it is made
# cause: takes it that create_task runs the task at once
# line: log
log = ["make 1", "use 1", "got 1", "after 1", "make 2", "use 2", "got 2", "after 2", "read", "end"]

# %% async-order-1 wrong: each await is a turn for the others
# cause: takes it that the tasks have a turn whenever async for asks for the next number
# line: log
log = ["make 1", "got 1", "use 1", "after 1", "make 2", "got 2", "use 2", "after 2", "read", "end"]

# %% async-order-1 wrong: end before the tasks
# cause: takes it that the end of the TaskGroup doesn't wait for its tasks
# line: log
log = ["make 1", "got 1", "after 1", "make 2", "got 2", "after 2", "read", "end", "use 1", "use 2"]

# %% pages-1 wrong: an empty page is the end
# cause: stops at an empty page, though there may be a next one
# line: if not page["results"]:
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    while url is not None:
        page = await fetch(url)
        if not page["results"]:
            return
        for item in page["results"]:
            yield item
        url = page["next"]

# %% pages-1 wrong: one page ahead
# cause: the next page is fetched before the items of this one are given out
# line: further = await fetch(page["next"])
async def pages(fetch, url):
    page = await fetch(url)
    while page is not None:
        further = None
        if page["next"] is not None:
            further = await fetch(page["next"])
        for item in page["results"]:
            yield item
        page = further

# %% pages-1 wrong: a generator in the generator
# cause: each page is a generator inside of the one before, which ends at about a thousand pages
# line: async for item in pages(fetch, page["next"]):
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    for item in page["results"]:
        yield item
    if page["next"] is not None:
        async for item in pages(fetch, page["next"]):
            yield item

# %% pages-1 wrong: items that are nothing
# cause: falsy items are left out
# line: if item:
async def pages(fetch, url):
    while url:
        page = await fetch(url)
        for item in page["results"]:
            if item:
                yield item
        url = page["next"]

# %% pages-1 wrong: the last page
# cause: the items of the last page are never given out
# line: while page["next"] is not None:
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while page["next"] is not None:
        for item in page["results"]:
            yield item
        page = await fetch(page["next"])

# %% pages-1 right: begins with a page that is none
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    items, further = [], url
    while True:
        while items:
            yield items.pop(0)
        if further is None:
            break
        match await fetch(further):
            case {"results": results, "next": further}:
                items = [*results]

# %% first-match-1 wrong: leaves the stream open
# cause: the stream isn't closed when it returns
# line: return item | async for item in stream:
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async for item in stream:
        if wanted(item):
            return item
    return None

# %% first-match-1 wrong: closes it when all went well
# cause: if wanted fails (or on a cancellation), the stream isn't closed
# line: await stream.aclose()
async def first(stream, wanted):
    found = None
    async for item in stream:
        if wanted(item):
            found = item
            break
    await stream.aclose()
    return found

# %% first-match-1 wrong: reads to the end
# cause: the whole stream is read, not only up to the first that is wanted
# line: [item async for item in stream if wanted(item)]
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with aclosing(stream):
        matches = [item async for item in stream if wanted(item)]
        return matches[0] if matches else None

# %% first-match-1 wrong: zero is found and lost
# cause: looks whether the item itself is true, so a falsy one is never found
# line: if item and wanted(item):
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream):
        async for item in stream:
            if item and wanted(item):
                return item

# %% first-match-1 right: anext, and finally
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    try:
        while not wanted(item := await anext(stream)):
            pass
    except StopAsyncIteration:
        return None
    else:
        return item
    finally:
        await stream.aclose()

# %% borrowed-1 wrong: without a finally
# cause: after an error or a cancellation in the block the connection isn't released
# line: yield connection | await pool.release(connection)
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    yield connection
    await pool.release(connection)

# %% borrowed-1 wrong: errors only
# cause: except Exception lets a cancellation pass without releasing
# line: except Exception:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except Exception:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% borrowed-1 wrong: the error stays inside
# cause: the return in the finally swallows the error or the cancellation of the block
# line: return
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    finally:
        await pool.release(connection)
        return

# %% borrowed-1 wrong: gives back what it did not get
# cause: if acquire fails, the finally releases a connection that there isn't
# line: connection = await pool.acquire() | await pool.release(connection)
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        await pool.release(connection)

# %% borrowed-1 wrong: a forgotten await
# cause: release is called but not awaited, so it never runs
# line: pool.release(connection)
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    finally:
        pool.release(connection)

# %% borrowed-1 right: an exit stack
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 wrong: all items first
# cause: no fetch begins before the last item has come
# line: items = [item async for item in stream]
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    items = [item async for item in stream]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(item)) for item in items]
    return [task.result() for task in tasks]

# %% arrive-1 wrong: one after another
# cause: waits for each fetch before it asks for the next item
# line: await fetch(item)
async def load(stream, fetch):
    return [await fetch(item) async for item in stream]

# %% arrive-1 wrong: an error is noticed at the end
# cause: the tasks are looked at only after the last item, so an error comes out late and the others go on
# line: return await asyncio.gather(*tasks) | asyncio.create_task(fetch(item))
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    async for item in stream:
        tasks.append(asyncio.create_task(fetch(item)))
    return await asyncio.gather(*tasks)

# %% arrive-1 wrong: a dict by item
# cause: items that come twice have one entry only, so results are missing
# line: tasks[item] = group.create_task(fetch(item))
import asyncio


async def load(stream, fetch):
    tasks = {}
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            tasks[item] = group.create_task(fetch(item))
    return [task.result() for task in tasks.values()]

# %% arrive-1 wrong: in the order of the ends
# cause: the results are in the order in which the fetches end
# line: results.append(await fetch(item))
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    results = []

    async def one(item):
        results.append(await fetch(item))

    async with asyncio.TaskGroup() as group:
        async for item in stream:
            group.create_task(one(item))
    return results

# %% arrive-1 right: a reader beside the fetches
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    results = {}

    async def fetch_one(number, item):
        results[number] = await fetch(item)

    async def reader(group):
        number = 0
        async for item in stream:
            group.create_task(fetch_one(number, item), name=f"fetch {number}")
            number += 1

    async with asyncio.TaskGroup() as group:
        group.create_task(reader(group), name="reader")
    return [results[number] for number in range(len(results))]

# %% merge-1 wrong: no room is an error
# cause: put_nowait raises QueueFull where it should wait for room
# line: queue.put_nowait(item)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                queue.put_nowait(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pour(stream))
    await queue.put(None)

# %% merge-1 wrong: a None for each
# cause: puts a None for every stream that ends, not one after all of them
# line: await queue.put(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)
        await queue.put(None)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pour(stream))

# %% merge-1 wrong: a None in any case
# cause: the None is put in a finally, so also after an error or a cancellation
# line: finally: | await queue.put(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    try:
        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pour(stream))
    finally:
        await queue.put(None)

# %% merge-1 wrong: gather leaves them running
# cause: after an error gather lets the other streams go on
# line: await asyncio.gather(*map(pour, streams))
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    await asyncio.gather(*map(pour, streams))
    await queue.put(None)

# %% merge-1 wrong: the streams stay open
# cause: a stream that is left while its item waits for room is not closed
# line: async for item in stream:
import asyncio


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pour(stream):
        async for item in stream:
            await queue.put(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pour(stream))
    await queue.put(None)

# %% merge-1 wrong: one stream after another
# cause: the streams are read one after another
# line: for stream in streams: | async for item in stream:
from contextlib import aclosing


async def merge(streams, queue):
    for stream in streams:
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)
    await queue.put(None)

# %% merge-1 right: a stack that closes, and a group inside
import asyncio
from contextlib import AsyncExitStack, aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pour(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        async with asyncio.TaskGroup() as group:
            [group.create_task(pour(stream)) for stream in streams]
    await queue.put(None)

# %% pages-1 wrong: one dict of pages for all
# cause: the pages are kept in a default argument, so another catalogue gets those of the first
# line: seen={}
async def pages(fetch, url, seen={}):
    while url is not None:
        if url not in seen:
            seen[url] = await fetch(url)
        page = seen[url]
        for item in page["results"]:
            yield item
        url = page["next"]

# %% pages-1 wrong: each item once
# cause: items that come twice are given out once only
# line: if item not in known:
async def pages(fetch, url):
    known = []
    while url is not None:
        page = await fetch(url)
        for item in page["results"]:
            if item not in known:
                known.append(item)
                yield item
        url = page["next"]

# %% pages-1 right: an object that is read
class Reader:
    def __init__(self, fetch, url):
        self.fetch, self.url, self.items = fetch, url, iter(())

    async def next_page(self):
        page = await self.fetch(self.url)
        self.items, self.url = iter(page["results"]), page["next"]


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    reader, missing = Reader(fetch, url), object()
    while True:
        item = next(reader.items, missing)
        if item is not missing:
            yield item
        elif reader.url is None:
            return
        else:
            await reader.next_page()

# %% first-match-1 wrong: only True is true
# cause: `wanted` may return anything that is true, not only True itself
# line: is True
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream):
        async for item in stream:
            if wanted(item) is True:
                return item

# %% first-match-1 wrong: a stream that fails has no such item
# cause: an error of the stream is swallowed, and None returned
# line: except LookupError:
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream):
        try:
            async for item in stream:
                if wanted(item):
                    return item
        except LookupError:
            return None

# %% first-match-1 wrong: a call inside the call
# cause: each item is one call deeper, so a long stream ends in a RecursionError
# line: return await search()
from contextlib import aclosing


async def first(stream, wanted):
    async def search():
        async for item in stream:
            if wanted(item):
                return item
            return await search()
        return None

    async with aclosing(stream):
        return await search()

# %% borrowed-1 wrong: a connection that is nothing
# cause: a connection that is falsy is never released
# line: if connection:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        if connection:
            await pool.release(connection)

# %% borrowed-1 wrong: one place for all blocks
# cause: the connection is kept on the function, so blocks at the same time mix theirs up
# line: borrowed.connection = await pool.acquire()
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    borrowed.connection = await pool.acquire()
    try:
        yield borrowed.connection
    finally:
        await pool.release(borrowed.connection)

# %% borrowed-1 wrong: takes too long, is gone
# cause: a TimeoutError of the block does not come out
# line: except TimeoutError:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except TimeoutError:
        pass
    finally:
        await pool.release(connection)

# %% arrive-1 wrong: results that are nothing
# cause: falsy results are left out
# line: if task.result()
import asyncio


async def load(stream, fetch):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(item)) async for item in stream]
    return [task.result() for task in tasks if task.result()]

# %% arrive-1 wrong: an item that is nothing ends the stream
# cause: a falsy item is taken for the end
# line: if not item:
import asyncio


async def load(stream, fetch):
    tasks = []
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            if not item:
                break
            tasks.append(group.create_task(fetch(item)))
    return [task.result() for task in tasks]

# %% arrive-1 wrong: too late is no error
# cause: a fetch that fails with a TimeoutError gives None, and its error doesn't come out
# line: except TimeoutError:
import asyncio


async def load(stream, fetch):
    async def one(item):
        try:
            return await fetch(item)
        except TimeoutError:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) async for item in stream]
    return [task.result() for task in tasks]

# %% merge-1 wrong: items that are nothing
# cause: falsy items are not put
# line: if item:
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                if item:
                    await queue.put(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pour(stream))
    await queue.put(None)

# %% merge-1 wrong: only a lost connection is an error
# cause: a TimeoutError of a stream is taken for its end
# line: except TimeoutError:
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pour(stream):
        async with aclosing(stream):
            try:
                async for item in stream:
                    await queue.put(item)
            except TimeoutError:
                pass

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pour(stream))
    await queue.put(None)

# %% merge-1 wrong: two streams and no more
# cause: only the first two streams are read
# line: for stream in streams[:2]:
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pour(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams[:2]:
            group.create_task(pour(stream))
    await queue.put(None)

# %% pages-1 wrong: calls itself for the next page
# cause: Each page makes one more generator inside the last one; with thousands of pages a RecursionError comes.
# line: async for item in pages(fetch, page["next"]):
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    for item in page["results"]:
        yield item
    if page["next"] is not None:
        async for item in pages(fetch, page["next"]):
            yield item

# %% pages-1 wrong: one page ahead, again
# cause: The next page is fetched before the items of this one are given out, so a page is fetched that perhaps nobody asks for.
# line: following = await fetch(page["next"]) if page["next"] is not None else None
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while page is not None:
        following = await fetch(page["next"]) if page["next"] is not None else None
        for item in page["results"]:
            yield item
        page = following

# %% pages-1 right: a match on the page
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    todo = [url]
    while todo:
        match await fetch(todo.pop()):
            case {"results": results, "next": following}:
                if following is not None:
                    todo.append(following)
                for item in results:
                    yield item

# %% first-match-1 wrong: closed where it is found
# cause: The stream is closed when an item is found, but not when `wanted` fails: then its error comes out and the connection stays with the stream.
# line: await stream.aclose()
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async for item in stream:
        if wanted(item):
            await stream.aclose()
            return item
    return None

# %% first-match-1 wrong: None taken for the end
# cause: `anext(stream, None)` makes an item None look like the end of the stream: what comes after it is not looked at.
# line: while (item := await anext(stream, None)) is not None:
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with aclosing(stream):
        while (item := await anext(stream, None)) is not None:
            if wanted(item):
                return item
    return None

# %% first-match-1 right: an exit stack and __anext__ by hand
from contextlib import AsyncExitStack


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stream.aclose)
        while True:
            try:
                item = await stream.__anext__()
            except StopAsyncIteration:
                return None
            if wanted(item):
                return item

# %% borrowed-1 wrong: a cancelled block keeps it
# cause: `except Exception` does not catch a CancelledError: when the block is cancelled, the connection is not released.
# line: except Exception:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except Exception:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% borrowed-1 wrong: released only if it is true
# cause: `if connection` asks whether the connection is true, not whether there is one; a connection that counts as false (0, or an object with length 0) is never released.
# line: if connection:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        if connection:
            await pool.release(connection)

# %% borrowed-1 right: an exit stack, once more
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 wrong: gather at the end
# cause: The fetches are tasks, but nobody looks at them before the stream has ended: an error comes out late, and then the other fetches go on.
# line: return await asyncio.gather(*tasks)
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    async for item in stream:
        tasks.append(asyncio.create_task(fetch(item)))
    return await asyncio.gather(*tasks)

# %% arrive-1 wrong: results by item
# cause: The results are kept in a dict by item: an item that comes twice has one place only, so a result is missing from the list (and an item that can't be hashed fails).
# line: results[item] = None | results[item] = await fetch(item) | return list(results.values())
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    results = {}

    async def one(item):
        results[item] = await fetch(item)

    async with asyncio.TaskGroup() as group:
        async for item in stream:
            results[item] = None
            group.create_task(one(item))
    return list(results.values())

# %% arrive-1 right: a reading task and done callbacks
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    failed = asyncio.Event()
    errors = []
    tasks = []

    def note(task):
        if not task.cancelled() and task.exception() is not None:
            errors.append(task.exception())
            failed.set()

    def start(coroutine):
        task = asyncio.ensure_future(coroutine)
        task.add_done_callback(note)
        return task

    async def read():
        async for item in stream:
            tasks.append(start(fetch(item)))
        return await asyncio.gather(*tasks)

    reader = start(read())
    alarm = asyncio.ensure_future(failed.wait())
    try:
        await asyncio.wait({reader, alarm}, return_when=asyncio.FIRST_COMPLETED)
        if errors:
            raise errors[0]
        return reader.result()
    finally:
        everyone = [reader, alarm, *tasks]
        for task in everyone:
            task.cancel()
        await asyncio.gather(*everyone, return_exceptions=True)

# %% merge-1 wrong: streams left open
# cause: Nothing closes the streams: a pump that is cancelled while it waits for room in the queue leaves its stream open in the middle.
# line: async for item in stream:
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pump(stream))
    await queue.put(None)

# %% merge-1 wrong: None in any case
# cause: The None is put in a `finally`, so it's put as well when a stream has failed or `merge` was cancelled (and the error waits for room in a full queue).
# line: finally: | await queue.put(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pump(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    try:
        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
    finally:
        await queue.put(None)

# %% merge-1 right: an exit stack and asyncio.wait
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    tasks = []

    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async def stop():
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async with AsyncExitStack() as stack:
        for stream in streams:
            stack.push_async_callback(stream.aclose)
        stack.push_async_callback(stop)
        tasks += [asyncio.ensure_future(pump(stream)) for stream in streams]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        await queue.put(None)

# %% pages-1 wrong: the next page is fetched ahead
# cause: The next page is fetched while the items of this one are given out, though nobody has asked for one of its items yet; who stops early has caused a fetch too many (and leaves a task behind).
# line: asyncio.create_task(fetch(page["next"]))
import asyncio


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while True:
        following = None
        if page["next"] is not None:
            following = asyncio.create_task(fetch(page["next"]))
        for item in page["results"]:
            yield item
        if following is None:
            return
        page = await following

# %% pages-1 wrong: a generator in a generator
# cause: The generator calls itself for the rest of the pages. With thousands of pages it is nested thousands deep and ends in a RecursionError.
# line: async for item in pages(fetch, page["next"])
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    for item in page["results"]:
        yield item
    if page["next"] is not None:
        async for item in pages(fetch, page["next"]):
            yield item

# %% pages-1 right: a match statement in a loop
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    while url is not None:
        match await fetch(url):
            case {"results": items, "next": url}:
                for item in items:
                    yield item

# %% first-match-1 wrong: closed only on the way out at the end
# cause: If `wanted` raises an error, the line that closes the stream is never reached: the connection is not given back. It belongs into a finally (or `aclosing`).
# line: await stream.aclose()
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    found = None
    async for item in stream:
        if wanted(item):
            found = item
            break
    await stream.aclose()
    return found

# %% first-match-1 wrong: a falsy item is taken for the end
# cause: The loop ends at the first item that is false, 0 or an empty text or None, as if the stream had ended there; a wanted item behind it (or this one itself) is not found.
# line: while item := await anext(stream, None)
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with aclosing(stream):
        while item := await anext(stream, None):
            if wanted(item):
                return item
    return None

# %% first-match-1 right: an exit stack and anext
from contextlib import AsyncExitStack


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    end = object()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stream.aclose)
        while (item := await anext(stream, end)) is not end:
            if wanted(item):
                return item
    return None

# %% borrowed-1 wrong: released after an Exception only
# cause: A cancellation of the block is a CancelledError, which is no Exception: the connection is not released then. A `finally` catches every end.
# line: except Exception
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except Exception:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% borrowed-1 wrong: released by and by
# cause: The release is only started, in a task that nobody awaits: when the block has ended, the connection is not back yet, an error of the release gets lost, and the task may be collected or cut off.
# line: asyncio.create_task(pool.release(connection))
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    finally:
        asyncio.create_task(pool.release(connection))

# %% borrowed-1 right: a callback on an exit stack
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 wrong: gathered when the stream has ended
# cause: Nobody looks at the tasks while the stream runs: the error of a fetch comes out only when the last item is there, and when it does the other fetches go on.
# line: await asyncio.gather(*tasks)
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    async for item in stream:
        tasks.append(asyncio.create_task(fetch(item)))
    return await asyncio.gather(*tasks)

# %% arrive-1 wrong: tasks by item
# cause: The tasks are kept in a dict under their items. If the stream gives the same item twice, its second task replaces the first one, and a result is missing.
# line: tasks[item] = group.create_task(fetch(item))
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = {}
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            tasks[item] = group.create_task(fetch(item))
    return [task.result() for task in tasks.values()]

# %% arrive-1 right: one wait for the next item and all fetches
import asyncio

END = object()


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    iterator = aiter(stream)

    async def take():
        return await anext(iterator, END)

    fetches = []
    step = asyncio.ensure_future(take())
    running = {step}
    try:
        while running:
            done, running = await asyncio.wait(
                running, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                result = task.result()      # an error comes out here
                if task is step and result is not END:
                    fetches.append(asyncio.ensure_future(fetch(result)))
                    step = asyncio.ensure_future(take())
                    running |= {fetches[-1], step}
        return [task.result() for task in fetches]
    finally:
        rest = [task for task in (step, *fetches) if not task.done()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

# %% merge-1 wrong: gather lets the others go on
# cause: If one stream fails, gather raises its error but leaves the other pumps running: they still read their streams, put items into the queue, and their streams are not closed when merge has ended.
# line: await asyncio.gather(*(pump(stream, queue) for stream in streams))
import asyncio
from contextlib import aclosing


async def pump(stream, queue):
    async with aclosing(stream):
        async for item in stream:
            await queue.put(item)


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    await asyncio.gather(*(pump(stream, queue) for stream in streams))
    await queue.put(None)

# %% merge-1 wrong: the last one puts the None, however it ends
# cause: The None is put in a finally, so the last pump puts it also when a stream has failed or merge was cancelled; and if the queue is full then, merge hangs there instead of ending.
# line: await queue.put(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    left = len(streams)

    async def pump(stream):
        nonlocal left
        try:
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
        finally:
            left -= 1
            if left == 0:
                await queue.put(None)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pump(stream))

# %% merge-1 right: one stack that closes, one wait
import asyncio
from contextlib import AsyncExitStack


async def pump(stream, queue):
    async for item in stream:
        await queue.put(item)


async def stop(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async with AsyncExitStack() as stack:
        for stream in streams:
            stack.push_async_callback(stream.aclose)
        tasks = [asyncio.ensure_future(pump(stream, queue)) for stream in streams]
        stack.push_async_callback(stop, tasks)      # before any stream is closed
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    await queue.put(None)

# %% merge-1 wrong: two rounds of the loop for the closing
# cause: the pumps are cancelled and get two rounds of the loop to end; a stream that needs longer to close is still open
# line: await asyncio.sleep(0) | task.cancel() | tasks = [
import asyncio


async def merge(streams, queue):
    async def pump(stream):
        try:
            async for item in stream:
                await queue.put(item)
        finally:
            await stream.aclose()

    tasks = [asyncio.create_task(pump(stream)) for stream in streams]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        raise
    await queue.put(None)

# %% merge-1 right: gather and a cleanup by hand
import asyncio


async def pump(stream, queue):
    async for item in stream:
        await queue.put(item)


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    tasks = [asyncio.ensure_future(pump(stream, queue)) for stream in streams]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(stream.aclose() for stream in streams), return_exceptions=True)
    await queue.put(None)

# %% pages-1 wrong: ends at an empty page
# cause: an empty page is no end; the pages after it are lost
# line: while page["results"]
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while page["results"]:
        for item in page["results"]:
            yield item
        if page["next"] is None:
            return
        page = await fetch(page["next"])

# %% pages-1 wrong: collects first
# cause: all pages are fetched before the first item is yielded
# line: items += page["results"] | page = await fetch(url) | while url
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    items = []
    while url is not None:
        page = await fetch(url)
        items += page["results"]
        url = page["next"]
    for item in items:
        yield item

# %% async-order-1 wrong: believes that each task runs at the next turn of the async for
# cause: the async for never suspends, so no task begins before the stream has been read
# line: "use 1", | log = [ | none
log = [
    "make 1",
    "got 1",
    "use 1",
    "after 1",
    "make 2",
    "got 2",
    "use 2",
    "after 2",
    "read",
    "end",
]

# %% pages-1 wrong: fetches the next page ahead
# cause: the next page is fetched before the items of this one have been handed out
# line: following = await fetch(page["next"]) | await fetch(page["next"])
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while page["next"] is not None:
        following = await fetch(page["next"])
        for item in page["results"]:
            yield item
        page = following
    for item in page["results"]:
        yield item

# %% pages-1 wrong: takes an empty page for the end
# cause: it stops at a page without items, though there may be pages behind it
# line: while items := page["results"]: | page = await fetch(page["next"])
from collections.abc import AsyncIterator


async def pages(fetch, url: str) -> AsyncIterator:
    page = await fetch(url)
    while items := page["results"]:
        for item in items:
            yield item
        if page["next"] is None:
            return
        page = await fetch(page["next"])

# %% pages-1 wrong: one generator inside the other
# cause: it calls itself for each further page, so thousands of pages are too deep a recursion
# line: async for item in pages(fetch, page["next"]):
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    for item in page["results"]:
        yield item
    if page["next"] is not None:
        # the rest are the pages of the next url
        async for item in pages(fetch, page["next"]):
            yield item

# %% pages-1 right: a deque of the items that are there
from collections import deque


async def pages(fetch, url):
    there = deque()
    while there or url is not None:
        if there:
            yield there.popleft()
        else:
            page = await fetch(url)
            there.extend(page["results"])
            url = page["next"]

# %% pages-1 right: match, and an iterator of pages below the one of items
from contextlib import aclosing


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""

    async def whole():
        upcoming = url
        while True:
            match await fetch(upcoming):
                case {"results": results, "next": None}:
                    yield results
                    return
                case {"results": results, "next": upcoming}:
                    yield results

    async with aclosing(whole()) as all_pages:
        async for results in all_pages:
            for item in results:
                yield item

# %% first-match-1 wrong: not closed if wanted fails
# cause: aclose stands behind the loop and not in a finally, so an error of wanted leaves the stream open
# line: await stream.aclose() | if wanted(item): | none
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    found = None
    async for item in stream:
        if wanted(item):
            found = item
            break
    await stream.aclose()
    return found

# %% first-match-1 wrong: reads the whole stream
# cause: the comprehension reads on behind the item that is wanted
# line: matches = [item async for item in items if wanted(item)]
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream) as items:
        matches = [item async for item in items if wanted(item)]
    return matches[0] if matches else None

# %% first-match-1 wrong: an item like 0 ends the search
# cause: the walrus takes a false item, such as 0 or an empty string, for the end of the stream
# line: while item := await anext(stream, None):
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    try:
        while item := await anext(stream, None):
            if wanted(item):
                return item
        return None
    finally:
        await stream.aclose()

# %% first-match-1 right: the first item of a filtered stream
from contextlib import aclosing


async def first(stream, wanted):
    async with (
        aclosing(stream),
        aclosing(item async for item in stream if wanted(item)) as matches,
    ):
        return await anext(matches, None)

# %% first-match-1 right: by hand, with StopAsyncIteration
async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    try:
        item = await anext(stream)
        while not wanted(item):
            item = await anext(stream)
    except StopAsyncIteration:
        return None
    else:
        return item
    finally:
        await stream.aclose()

# %% borrowed-1 wrong: a cancelled block keeps the connection
# cause: except Exception does not see a cancellation, so the connection is not released then
# line: except Exception:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except Exception:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% borrowed-1 wrong: swallows the cancellation
# cause: the cancellation of the block is caught and does not come out
# line: except asyncio.CancelledError: | pass  # the block
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except asyncio.CancelledError:
        pass  # the block was cancelled: all that is left is to release
    finally:
        await pool.release(connection)

# %% borrowed-1 wrong: the release goes on in the background
# cause: the release is only started as a task, so the connection is not yet back when the block has ended
# line: asyncio.create_task(pool.release(lent))
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    lent = await pool.acquire()
    try:
        yield lent
    finally:
        # a task of its own, so that a cancellation can't stop it
        asyncio.create_task(pool.release(lent))

# %% borrowed-1 right: an exit stack that releases
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% borrowed-1 right: except BaseException, and else
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except BaseException:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% arrive-1 wrong: hears of an error only when the stream has ended
# cause: nobody looks at the tasks while the stream is read, so an error waits for the last item
# line: return await asyncio.gather(*tasks) | async for item in stream: | tasks.append(asyncio.create_task(fetch(item))) | none
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    try:
        async for item in stream:
            tasks.append(asyncio.create_task(fetch(item)))
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% arrive-1 wrong: in the order in which they end
# cause: each result is appended when its fetch has ended, so they are not in the order of the items
# line: results.append(await fetch(item))
import asyncio


async def load(stream, fetch):
    results = []

    async def fetch_one(item):
        results.append(await fetch(item))

    async with asyncio.TaskGroup() as group:
        async for item in stream:
            group.create_task(fetch_one(item))
    return results

# %% arrive-1 wrong: an item that comes twice has one result
# cause: the tasks are kept under their items, so of equal items only the last has a result
# line: by_item[item] = group.create_task(fetch(item)) | by_item = {} | return [task.result() for task in by_item.values()]
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    by_item = {}
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            by_item[item] = group.create_task(fetch(item))
    return [task.result() for task in by_item.values()]

# %% arrive-1 right: results by number, in a group
import asyncio


async def load(stream, fetch):
    results = {}

    async def put(place, item):
        results[place] = await fetch(item)

    async with asyncio.TaskGroup() as group:
        place = 0
        async for item in stream:
            group.create_task(put(place, item))
            place += 1
    return [results[place] for place in sorted(results)]

# %% arrive-1 right: by asyncio.wait
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    iterator = aiter(stream)
    fetches = []
    reading = asyncio.ensure_future(anext(iterator))
    pending = {reading}
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done - {reading}:
                task.result()
            if reading in done:
                try:
                    item = reading.result()
                except StopAsyncIteration:
                    continue
                fetches.append(asyncio.create_task(fetch(item)))
                reading = asyncio.ensure_future(anext(iterator))
                pending |= {fetches[-1], reading}
        return [task.result() for task in fetches]
    finally:
        for task in (reading, *fetches):
            task.cancel()
        await asyncio.gather(reading, *fetches, return_exceptions=True)

# %% merge-1 wrong: a None even if a stream fails
# cause: the None is put in a finally, so it is also put when a stream has failed or merge was cancelled
# line: await queue.put(None) | finally:
import asyncio
from contextlib import AsyncExitStack, aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""

    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        try:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(pump(stream))
        finally:
            await queue.put(None)

# %% merge-1 wrong: closes streams whose pumps still run
# cause: the pumps are cancelled but not awaited, so their streams are still running when they are to be closed
# line: pumping.cancel() | await stream.aclose() | none
import asyncio


async def pump(stream, queue):
    async for item in stream:
        await queue.put(item)


async def merge(streams, queue):
    pumps = [asyncio.create_task(pump(stream, queue)) for stream in streams]
    try:
        await asyncio.gather(*pumps)
        await queue.put(None)
    finally:
        for pumping in pumps:
            pumping.cancel()
        for stream in streams:
            await stream.aclose()

# %% merge-1 wrong: the error waits for the other streams
# cause: with return_exceptions an error is kept back until all other streams have ended
# line: return_exceptions=True | raise error | ends = await asyncio.gather(
import asyncio
from contextlib import AsyncExitStack, aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""

    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            stack.push_async_exit(aclosing(stream))
        ends = await asyncio.gather(*map(pump, streams), return_exceptions=True)
        for error in ends:
            if error is not None:
                raise error
        await queue.put(None)

# %% merge-1 right: a group inside an exit stack
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            stack.push_async_callback(stream.aclose)
        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)


# %% pages-1 wrong: fetches the next page before it yields the items
# cause: the next page is fetched before the items of this one are handed out
# line: page = await fetch(url) if url else None
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    page = await fetch(url)
    while page is not None:
        items, url = page["results"], page["next"]
        page = await fetch(url) if url else None
        for item in items:
            yield item

# %% pages-1 wrong: recursion
# cause: it calls itself for each page, which is too deep for thousands of pages
# line: async for item in pages(fetch, page["next"]):
async def pages(fetch, url):
    page = await fetch(url)
    for item in page["results"]:
        yield item
    if page["next"] is not None:
        async for item in pages(fetch, page["next"]):
            yield item

# %% pages-1 right: match
async def pages(fetch, url):
    while url is not None:
        match await fetch(url):
            case {"results": items, "next": url}:
                for item in items:
                    yield item

# %% first-match-1 wrong: the stream is closed in the background
# cause: closing is only started; the stream may still be open when first returns
# line: asyncio.create_task(stream.aclose())
import asyncio


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    try:
        async for item in stream:
            if wanted(item):
                return item
    finally:
        asyncio.create_task(stream.aclose())

# %% first-match-1 wrong: a walrus takes a falsy item for the end
# cause: an item such as 0 or "" is taken for the end of the stream
# line: while item := await anext(stream, None):
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream):
        while item := await anext(stream, None):
            if wanted(item):
                return item
        return None

# %% first-match-1 right: a generator expression
async def first(stream, wanted):
    matches = (item async for item in stream if wanted(item))
    try:
        return await anext(matches, None)
    finally:
        try:
            await matches.aclose()
        finally:
            await stream.aclose()

# %% borrowed-1 wrong: releases what it did not get
# cause: if acquire fails, it releases None, for the acquire is inside the try
# line: await pool.release(connection) | connection = await pool.acquire() | finally:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        await pool.release(connection)

# %% borrowed-1 wrong: a cancellation ends here
# cause: a cancellation of the block is swallowed
# line: except asyncio.CancelledError: | pass  # the block was cancelled
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except asyncio.CancelledError:
        pass  # the block was cancelled, and is over
    finally:
        await pool.release(connection)

# %% arrive-1 wrong: results as they come
# cause: the results are in the order in which the fetches end, not in that of the items
# line: results.append(await fetch(item)) | return results
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    results = []

    async def one(item):
        results.append(await fetch(item))

    async with asyncio.TaskGroup() as group:
        async for item in stream:
            group.create_task(one(item))
    return results

# %% arrive-1 wrong: an error is seen only after the last item
# cause: nobody looks at the fetches while the stream is read, so an error comes out only when all items are there
# line: async for item in stream: | return await asyncio.gather(*tasks)
import asyncio


async def load(stream, fetch):
    tasks = []
    try:
        async for item in stream:
            tasks.append(asyncio.create_task(fetch(item)))
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% arrive-1 right: an async comprehension in a group
import asyncio


async def load(stream, fetch):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(item)) async for item in stream]
    return list(map(asyncio.Task.result, tasks))

# %% merge-1 wrong: the None in a finally
# cause: the None is put even if a stream failed or merge was cancelled
# line: await queue.put(None) | finally:
import asyncio
from contextlib import AsyncExitStack, aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""

    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        try:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(pump(stream))
        finally:
            await queue.put(None)

# %% merge-1 wrong: a full queue hides an error
# cause: while it waits for room in the queue it does not look at the other streams, so an error comes out late or never
# line: await queue.put(item)
import asyncio


async def merge(streams, queue):
    asking = {asyncio.ensure_future(anext(stream)): stream for stream in streams}
    try:
        while asking:
            done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                stream = asking.pop(task)
                try:
                    item = task.result()
                except StopAsyncIteration:
                    continue
                asking[asyncio.ensure_future(anext(stream))] = stream
                await queue.put(item)
        await queue.put(None)
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        for stream in streams:
            await stream.aclose()

# %% merge-1 right: one stack closes all
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    async def pour(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as cleanup:
        for stream in streams:
            cleanup.push_async_callback(stream.aclose)
        async with asyncio.TaskGroup() as group:
            _ = [group.create_task(pour(stream)) for stream in streams]
        await queue.put(None)

# %% pages-1 wrong: fetches one page ahead
# cause: the next page is fetched before the items of this one are asked for
# line: following = await fetch(page["next"]) if page["next"] else None
async def pages(fetch, url):
    page = await fetch(url)
    while page is not None:
        following = await fetch(page["next"]) if page["next"] else None
        for item in page["results"]:
            yield item
        page = following

# %% pages-1 wrong: an empty page is the end, again
# cause: it stops at a page without items, though there may be more pages behind it
# line: if not page["results"]:
async def pages(fetch, url):
    while url is not None:
        page = await fetch(url)
        if not page["results"]:
            return
        for item in page["results"]:
            yield item
        url = page["next"]

# %% pages-1 right: an iterator that is refilled
async def pages(fetch, url):
    end = object()
    items = iter(())
    while True:
        item = next(items, end)
        if item is not end:
            yield item
        elif url is None:
            break
        else:
            page = await fetch(url)
            items, url = iter(page["results"]), page["next"]

# %% first-match-1 wrong: not closed when wanted fails
# cause: if `wanted` raises, the stream is not closed
# line: if wanted(item): | await stream.aclose()
async def first(stream, wanted):
    async for item in stream:
        if wanted(item):
            await stream.aclose()
            return item
    return None

# %% first-match-1 wrong: reads the whole stream, again
# cause: it reads the stream to its end before it returns the first match
# line: matches = [item async for item in stream if wanted(item)]
from contextlib import aclosing


async def first(stream, wanted):
    async with aclosing(stream):
        matches = [item async for item in stream if wanted(item)]
    return matches[0] if matches else None

# %% first-match-1 right: anext by hand
async def first(stream, wanted):
    try:
        while True:
            try:
                item = await stream.__anext__()
            except StopAsyncIteration:
                return None
            if wanted(item):
                return item
    finally:
        await stream.aclose()

# %% borrowed-1 wrong: a cancellation keeps the connection
# cause: a cancelled block doesn't release the connection, since a CancelledError is no Exception
# line: except Exception:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except Exception:
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% borrowed-1 wrong: releases what it has not acquired
# cause: if acquire fails or is cancelled, None is released
# line: connection = await pool.acquire() | await pool.release(connection)
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        await pool.release(connection)

# %% borrowed-1 right: an exit stack, again
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 wrong: errors come at the end
# cause: the error of a fetch comes out only after all items have arrived, and then the other fetches go on
# line: return await asyncio.gather(*tasks)
import asyncio


async def load(stream, fetch):
    tasks = []
    async for item in stream:
        tasks.append(asyncio.create_task(fetch(item)))
    return await asyncio.gather(*tasks)

# %% arrive-1 wrong: in the order of arrival
# cause: the results stand in the order in which the fetches end, not in that of the items
# line: results.append(await fetch(item))
import asyncio


async def load(stream, fetch):
    results = []

    async def one(item):
        results.append(await fetch(item))

    async with asyncio.TaskGroup() as group:
        async for item in stream:
            group.create_task(one(item))
    return results

# %% arrive-1 right: a dict by number
import asyncio


async def load(stream, fetch):
    results = {}

    async def one(number, item):
        results[number] = await fetch(item)

    number = 0
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            group.create_task(one(number, item))
            number += 1
    return [results[index] for index in range(number)]

# %% merge-1 wrong: gather leaves the others running
# cause: when one stream fails, gather leaves the other tasks running, and their streams open
# line: await asyncio.gather(*(pump(stream) for stream in streams))
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pump(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    await asyncio.gather(*(pump(stream) for stream in streams))
    await queue.put(None)

# %% merge-1 wrong: a None after an error
# cause: the None is put even if a stream failed or merge was cancelled
# line: await queue.put(None) | finally:
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    try:
        async with AsyncExitStack() as stack:
            for stream in streams:
                stack.push_async_callback(stream.aclose)
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(pump(stream))
    finally:
        await queue.put(None)

# %% merge-1 right: a stack and a group
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as stack:
        for stream in streams:
            stack.push_async_callback(stream.aclose)
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for stream in streams:
            group.create_task(pump(stream))
    await queue.put(None)

# %% pages-1 wrong: None is there too
# cause: the last page has the key "next" as well, with the value None; so the loop does not end, and None is fetched.
# line: if "next" not in page: | page = await fetch(url)
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    while True:
        page = await fetch(url)
        for item in page["results"]:
            yield item
        if "next" not in page:
            return
        url = page["next"]

# %% pages-1 wrong: an empty page leaves nothing to take
# cause: after an empty page the buffer is still empty, and popleft raises an IndexError.
# line: if not buffer: | yield buffer.popleft()
from collections import deque


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    buffer = deque()
    while buffer or url is not None:
        if not buffer:
            page = await fetch(url)
            buffer.extend(page["results"])
            url = page["next"]
        yield buffer.popleft()

# %% pages-1 right: an iterator that is changed for the next one
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    end = object()
    items = iter(())
    while True:
        item = next(items, end)
        if item is not end:
            yield item
        elif url is None:
            break
        else:
            page = await fetch(url)
            items, url = iter(page["results"]), page["next"]

# %% first-match-1 wrong: leaves the closing to a task
# cause: the closing is only begun in a task and not awaited, so the stream is still open when first returns.
# line: asyncio.create_task(close())
import asyncio


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async def close():
        await stream.aclose()

    try:
        async for item in stream:
            if wanted(item):
                return item
        return None
    finally:
        asyncio.create_task(close())

# %% first-match-1 wrong: None taken for the end, again
# cause: an item None of the stream is taken for its end, so what comes after it is not found.
# line: while (item := await anext(stream, None)) is not None:
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with aclosing(stream):
        while (item := await anext(stream, None)) is not None:
            if wanted(item):
                return item
    return None

# %% first-match-1 right: exit stack and __anext__
from contextlib import AsyncExitStack


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stream.aclose)
        found = False
        while not found:
            try:
                item = await stream.__anext__()
            except StopAsyncIteration:
                return None
            found = wanted(item)
        return item

# %% borrowed-1 wrong: asks whether the connection is true
# cause: a connection that counts as false, such as the number 0 or an object with a length of 0, is never released.
# line: if connection:
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = None
    try:
        connection = await pool.acquire()
        yield connection
    finally:
        if connection:
            await pool.release(connection)

# %% borrowed-1 wrong: a cancelled block ends quietly
# cause: the cancellation of the block is swallowed here and does not come out.
# line: except asyncio.CancelledError: | pass
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except asyncio.CancelledError:
        pass
    finally:
        await pool.release(connection)

# %% borrowed-1 right: an exit stack gives it back
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 wrong: the closure sees the latest item
# cause: one() looks up `item` only when its task has its first turn; if the stream gives several items without a pause, all of these tasks fetch the last one.
# line: return await fetch(item) | async def one(): | tasks.append(group.create_task(one()))
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            async def one():
                return await fetch(item)

            tasks.append(group.create_task(one()))
    return [task.result() for task in tasks]

# %% arrive-1 wrong: looks for failures when an item comes
# cause: whether a fetch has failed is only looked at when the next item comes or the stream ends, so an error has to wait for more items.
# line: if task.done() and task.exception(): | async for item in stream:
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    try:
        async for item in stream:
            tasks.append(asyncio.create_task(fetch(item)))
            for task in tasks:
                if task.done() and task.exception():
                    raise task.exception()
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% arrive-1 right: the reader is a task of the group, too
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    async def read(group):
        begun = []
        async for item in stream:
            begun.append(group.create_task(fetch(item)))
        return begun

    async with asyncio.TaskGroup() as group:
        reader = group.create_task(read(group))
    return [task.result() for task in reader.result()]

# %% merge-1 wrong: the last one out puts the None
# cause: the count goes down in `finally`, also when a stream has failed and the others are cancelled; so the last one puts a None even then.
# line: finally: | await queue.put(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    left = len(streams)

    async def pump(stream):
        nonlocal left
        try:
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
        finally:
            left -= 1
            if left == 0:
                await queue.put(None)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pump(stream))

# %% merge-1 wrong: closes streams that still run
# cause: the tasks are cancelled but not waited for, so a stream is still running when it is closed: aclose raises a RuntimeError, which takes the error's place, and the rest stays open.
# line: task.cancel() | await stream.aclose()
import asyncio


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    tasks = [asyncio.create_task(pump(stream)) for stream in streams]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        for stream in streams:
            await stream.aclose()
    await queue.put(None)

# %% merge-1 right: a stack of doors around a group
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as doors:
        for stream in streams:
            doors.push_async_callback(stream.aclose)
        group = await doors.enter_async_context(asyncio.TaskGroup())
        for task in map(pump, streams):
            group.create_task(task)
    await queue.put(None)

# %% first-match-1 wrong: takes a None for the end
# cause: an item may be None as well; the search ends there, though wanted items may follow (or a None may be wanted)
# line: while item is not None:
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    async with aclosing(stream):
        item = await anext(stream, None)
        while item is not None:
            if wanted(item):
                return item
            item = await anext(stream, None)
    return None

# %% first-match-1 wrong: a falsy item does not count as found
# cause: whether something was found is read off the item's truth, so a wanted 0 or "" is passed over
# line: if found:
from contextlib import AsyncExitStack


async def first(stream, wanted):
    found = None
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stream.aclose)
        async for item in stream:
            if wanted(item):
                found = item
            if found:
                break
    return found

# %% borrowed-1 wrong: lists the ways a block can end
# cause: a block that ends with a KeyboardInterrupt, a SystemExit or a GeneratorExit is neither an Exception nor cancelled, and keeps the connection
# line: except (Exception, asyncio.CancelledError):
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    except (Exception, asyncio.CancelledError):
        await pool.release(connection)
        raise
    else:
        await pool.release(connection)

# %% pages-1 wrong: looks at next before the results
# cause: the last page's next is None, so its items aren't yielded
# line: if page["next"] is None:
async def pages(fetch, url):
    while True:
        page = await fetch(url)
        if page["next"] is None:
            return
        for item in page["results"]:
            yield item
        url = page["next"]

# %% first-match-1 wrong: a flag set for the last
# cause: returns the last wanted
# line: found = item | async for item in stream: | if wanted(item):
from contextlib import aclosing


async def first(stream, wanted):
    found = None
    async with aclosing(stream):
        async for item in stream:
            if wanted(item):
                found = item
    return found

# %% merge-1 wrong: closes after an Exception only
# cause: a cancelled pump doesn't close its stream
# line: except Exception:
import asyncio


async def merge(streams, queue):
    async def pump(stream):
        try:
            async for item in stream:
                await queue.put(item)
        except Exception:
            await stream.aclose()
            raise

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pump(stream))
    await queue.put(None)

# %% merge-1 wrong: the last closure's stream
# cause: all pumps read the last stream
# line: lambda: pump(stream) | async for item in stream:
import asyncio


async def merge(streams, queue):
    async with asyncio.TaskGroup() as group:
        for stream in streams:

            async def pump():
                try:
                    async for item in stream:
                        await queue.put(item)
                finally:
                    await stream.aclose()

            group.create_task(pump())
    await queue.put(None)

# %% merge-1 wrong: put_nowait for the None
# cause: the queue may be full when the None is put
# line: queue.put_nowait(None)
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    async def pump(stream):
        async with aclosing(stream):
            async for item in stream:
                await queue.put(item)

    async with asyncio.TaskGroup() as group:
        for stream in streams:
            group.create_task(pump(stream))
    queue.put_nowait(None)

# %% arrive-1 wrong: coroutines made but not started
# cause: Calling `fetch(item)` only makes a coroutine; none of the fetches begins before the stream has ended and the tasks are created.
# line: fetches.append(fetch(item))
import asyncio


async def load(stream, fetch):
    fetches = []
    async for item in stream:
        fetches.append(fetch(item))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in fetches]
    return [task.result() for task in tasks]

# %% pages-1 wrong: all pages are fetched before the first item is given
# cause: The items of all pages are gathered first and given only afterwards, so every page is fetched before anybody asks for its items.
# line: items.extend(page["results"]) | for item in items: | page = await fetch(url)
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    items = []
    while url is not None:
        page = await fetch(url)
        items.extend(page["results"])
        url = page["next"]
    for item in items:
        yield item


# %% first-match-1 wrong: return in the finally
# cause: The return in the finally block swallows the error that wanted raised, and None comes back instead.
# line: return found | finally:
from contextlib import aclosing


async def first(stream, wanted):
    found = None
    try:
        async for item in stream:
            if wanted(item):
                found = item
                break
    finally:
        await stream.aclose()
        return found


# %% arrive-1 wrong: cancels only the next step
# cause: When a fetch fails only the wait for the next item is cancelled; the other fetches go on after the error has come out.
# line: step.cancel() | finally: | await asyncio.gather(step, return_exceptions=True)
import asyncio

END = object()


async def load(stream, fetch):
    iterator = aiter(stream)

    async def following():
        return await anext(iterator, END)

    fetches = []
    step = asyncio.create_task(following())
    pending = {step}
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                value = task.result()
                if task is step and value is not END:
                    fetches.append(asyncio.create_task(fetch(value)))
                    step = asyncio.create_task(following())
                    pending |= {fetches[-1], step}
    finally:
        step.cancel()
        await asyncio.gather(step, return_exceptions=True)
    return [task.result() for task in fetches]


# %% borrowed-1 wrong: release in a background task
# cause: The release is only started as a task and not awaited, so when the block has ended the connection is not yet released (and nobody sees the release through).
# line: asyncio.create_task(pool.release(connection))
import asyncio
from contextlib import asynccontextmanager

_releases = set()


@asynccontextmanager
async def borrowed(pool):
    connection = await pool.acquire()
    try:
        yield connection
    finally:
        task = asyncio.create_task(pool.release(connection))
        _releases.add(task)
        task.add_done_callback(_releases.discard)


# %% arrive-1 wrong: looks at tasks after the stream
# cause: Nobody looks at the tasks while the stream is being read, so the error of a failed fetch comes out only when the stream has ended.
# line: async for item in stream: | return await asyncio.gather(*tasks) | tasks.append(asyncio.create_task(fetch(item)))
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    tasks = []
    try:
        async for item in stream:
            tasks.append(asyncio.create_task(fetch(item)))
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% merge-1 wrong: gather, then close the streams
# cause: When a stream fails, gather leaves the other pumps running, and closing a stream that still runs raises a RuntimeError instead of the stream's error.
# line: await asyncio.gather( | await stream.aclose()
import asyncio
from contextlib import aclosing


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""

    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    try:
        await asyncio.gather(*(pump(stream) for stream in streams))
        await queue.put(None)
    finally:
        for stream in streams:
            await stream.aclose()

# %% first-match-1 wrong: closing
# cause: closing calls close, which an async generator has not
# line: with closing(stream):
from contextlib import closing


async def first(stream, wanted):
    with closing(stream):
        async for item in stream:
            if wanted(item):
                return item

# %% arrive-1 wrong: cancelled fetches are not awaited
# cause: When a fetch fails the others are only asked to cancel and not awaited, so they still run (their cleanup, say) when the error comes out of `load`.
# line: task.cancel() | for task in (reader, *fetches)
import asyncio

END = object()


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    iterator = aiter(stream)

    async def advance():
        return await anext(iterator, END)

    fetches = []
    reader = asyncio.create_task(advance())
    pending = {reader}
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                value = task.result()
                if task is reader and value is not END:
                    new = asyncio.create_task(fetch(value))
                    fetches.append(new)
                    reader = asyncio.create_task(advance())
                    pending |= {new, reader}
        return [task.result() for task in fetches]
    finally:
        for task in (reader, *fetches):
            task.cancel()

# %% first-match-1 wrong: aclosing around the generator expression
# cause: aclosing closes only the generator expression, which does not close the stream it reads from, so after a match the stream is still open.
# line: async with aclosing(matches): | matches = (item async for item in stream if wanted(item))
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    matches = (item async for item in stream if wanted(item))
    async with aclosing(matches):
        return await anext(matches, None)

# %% first-match-1 wrong: closes inside a generator that nobody closes
# cause: the aclosing stands in an inner async generator that is left in the middle, so its block is not left when first returns
# line: async with aclosing(stream): | return await anext(matches(), None)
from contextlib import aclosing


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""

    async def matches():
        async with aclosing(stream):
            async for item in stream:
                if wanted(item):
                    yield item

    return await anext(matches(), None)

# %% borrowed-1 wrong: cancellation of the block swallowed
# cause: CancelledError is caught and not raised again, so a block that is cancelled ends as if nothing had happened.
# line: except asyncio.CancelledError | print("block was cancelled
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    connection = await pool.acquire()
    try:
        yield connection
    except asyncio.CancelledError:
        print("block was cancelled, giving the connection back")
    finally:
        await pool.release(connection)

# %% borrowed-1 wrong: error of the block wrapped
# cause: An error of the block comes out as a RuntimeError instead of as the error that it was.
# line: raise RuntimeError( | except Exception as error
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    """Lend a connection of the pool to the block."""
    async with AsyncExitStack() as stack:
        connection = await pool.acquire()
        stack.push_async_callback(pool.release, connection)
        try:
            yield connection
        except Exception as error:
            raise RuntimeError(f"error while using {connection!r}") from error

# %% pages-1 wrong: a safety limit of pages
# cause: The generator ends after 1,000 pages, so in a catalogue of thousands of pages the items of all later ones are lost.
# line: MAX_PAGES = 1000 | range(MAX_PAGES)
MAX_PAGES = 1000  # a catalogue whose pages link in a circle must not hang us


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    for _ in range(MAX_PAGES):
        page = await fetch(url)
        for item in page["results"]:
            yield item
        url = page["next"]
        if url is None:
            return

# %% pages-1 right: match on the page
async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    while True:
        match await fetch(url):
            case {"results": results, "next": following}:
                for item in results:
                    yield item
        if following is None:
            return
        url = following

# %% first-match-1 right: exit stack with aclose pushed
from contextlib import AsyncExitStack


async def first(stream, wanted):
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stream.aclose)
        async for item in stream:
            if wanted(item):
                return item
    return None

# %% first-match-1 wrong: one second to close
# cause: closing is broken off after a second: the connection is lost, and a TimeoutError comes out
# line: await asyncio.wait_for(stream.aclose(), 1)
import asyncio
from contextlib import aclosing, asynccontextmanager


async def first(stream, wanted):
    """Return the first item that is wanted, or None; close the stream."""
    try:
        async for item in stream:
            if wanted(item):
                return item
        return None
    finally:
        await asyncio.wait_for(stream.aclose(), 1)

# %% borrowed-1 right: release pushed on a stack
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def borrowed(pool):
    async with AsyncExitStack() as duties:
        connection = await pool.acquire()
        duties.push_async_callback(pool.release, connection)
        yield connection

# %% arrive-1 right: reader task and a future
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    loop = asyncio.get_running_loop()
    broken = loop.create_future()
    fetches = []

    def look(task):
        if broken.done() or task.cancelled():
            return
        if (error := task.exception()) is not None:
            broken.set_exception(error)

    async def read():
        async for item in stream:
            task = loop.create_task(fetch(item))
            task.add_done_callback(look)
            fetches.append(task)
        return await asyncio.gather(*fetches)

    reader = loop.create_task(read())
    try:
        await asyncio.wait({reader, broken}, return_when=asyncio.FIRST_COMPLETED)
        return broken.result() if broken.done() else reader.result()
    finally:
        broken.cancel()
        started = [reader, *fetches]
        for task in started:
            task.cancel()
        await asyncio.gather(*started, return_exceptions=True)

# %% merge-1 right: closing from outside the group
import asyncio
from contextlib import AsyncExitStack


async def merge(streams, queue):
    async def pump(stream):
        async for item in stream:
            await queue.put(item)

    async with AsyncExitStack() as closers:
        for stream in streams:
            closers.push_async_callback(stream.aclose)
        # The group ends first: then no stream runs any more, and all can be closed,
        # also one whose task was cancelled before it began.
        group = await closers.enter_async_context(asyncio.TaskGroup())
        for stream in streams:
            group.create_task(pump(stream))
    await queue.put(None)

# %% pages-1 right: dataclass cursor with a deque
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Cursor:
    fetch: object
    url: object
    waiting: deque = field(default_factory=deque)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self.waiting:
            if self.url is None:
                raise StopAsyncIteration
            page = await self.fetch(self.url)
            self.waiting.extend(page["results"])
            self.url = page["next"]
        return self.waiting.popleft()


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    async for item in Cursor(fetch, url):
        yield item

# %% pages-1 wrong: a KeyError of fetch ends the catalogue
# cause: a KeyError that `fetch` raises (or that is thrown in at the yield) is taken for a missing "next"; the error is swallowed and the rest of the items is missing
# line: except KeyError:
import asyncio
from contextlib import aclosing, asynccontextmanager


async def pages(fetch, url):
    """Yield the items of all pages, beginning with the page at `url`."""
    try:
        while url is not None:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            url = page["next"]
    except KeyError:
        # There is no next page.
        return

# %% arrive-1 right: done callbacks and one future
import asyncio


async def load(stream, fetch):
    finished = asyncio.get_running_loop().create_future()
    fetches = []
    running = 0

    def ended(task):
        nonlocal running
        running -= 1
        error = None if task.cancelled() else task.exception()
        if finished.done():
            return
        if task.cancelled():
            finished.cancel()
        elif error is not None:
            finished.set_exception(error)
        elif running == 0:
            finished.set_result(None)

    def begin(coroutine):
        nonlocal running
        running += 1
        task = asyncio.create_task(coroutine)
        task.add_done_callback(ended)
        return task

    async def read():
        async for item in stream:
            fetches.append(begin(fetch(item)))

    reader = begin(read())
    try:
        await finished
    finally:
        everything = [reader, *fetches]
        for task in everything:
            task.cancel()
        await asyncio.gather(*everything, return_exceptions=True)
    return [task.result() for task in fetches]

# %% arrive-1 wrong: no more than twenty fetches at once
# cause: when twenty fetches are under way, the next one waits for one of them instead of beginning as soon as its item is there
# line: limit = asyncio.Semaphore(20)
import asyncio


async def load(stream, fetch):
    """Return the results of `fetch` for all items of the stream, in order."""
    limit = asyncio.Semaphore(20)  # be kind to the server

    async def fetch_one(item):
        async with limit:
            return await fetch(item)

    tasks = []
    async with asyncio.TaskGroup() as group:
        async for item in stream:
            tasks.append(group.create_task(fetch_one(item)))
    return [task.result() for task in tasks]

# %% merge-1 right: exit stack of streams and TaskGroup
import asyncio
from contextlib import AsyncExitStack, aclosing


async def _pour(stream, queue):
    async for item in stream:
        await queue.put(item)


async def merge(streams, queue):
    """Put the items of all streams into the queue as they come, then a None."""
    async with AsyncExitStack() as stack:
        # The streams first: they are closed last, when no task reads them any more.
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for stream in streams:
            group.create_task(_pour(stream, queue))
    await queue.put(None)
