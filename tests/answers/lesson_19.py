"""Answers to the exercises of lesson 19, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% page-1 wrong: no stars are None
# cause: 0 stars (or any falsy answer) become None
# line: or None
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async def perhaps():
        try:
            return await asyncio.wait_for(stars(name), 0.5) or None
        except (ConnectionError, TimeoutError):
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part) for part in (price(name), stock(name), perhaps())]
    return tuple(task.result() for task in tasks)

# %% page-1 wrong: the stars come last
# cause: stars is asked only when price and stock are there
# line: await asyncio.wait_for(stars(name), 0.5)
import asyncio


async def page(price, stock, stars, name):
    async with asyncio.TaskGroup() as group:
        first = group.create_task(price(name))
        second = group.create_task(stock(name))
    try:
        third = await asyncio.wait_for(stars(name), 0.5)
    except (ConnectionError, TimeoutError):
        third = None
    return first.result(), second.result(), third

# %% page-1 wrong: half a second for everything
# cause: the time-out holds for price and stock, too
# line: async with asyncio.timeout(0.5):
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async def perhaps():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async with asyncio.timeout(0.5):
        async with asyncio.TaskGroup() as group:
            one = group.create_task(price(name))
            two = group.create_task(stock(name))
            three = group.create_task(perhaps())
    return one.result(), two.result(), three.result()

# %% page-1 wrong: gather leaves them running
# cause: if price or stock fails, gather lets the others go on
# line: await asyncio.gather(
import asyncio


async def page(price, stock, stars, name):
    async def perhaps():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except (ConnectionError, TimeoutError):
            return None

    return tuple(await asyncio.gather(price(name), stock(name), perhaps()))

# %% page-1 wrong: a late answer is an error
# cause: the TimeoutError of the stars isn't caught
# line: except ConnectionError:
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async def perhaps():
        try:
            return await asyncio.wait_for(stars(name), timeout=0.5)
        except ConnectionError:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part) for part in (price(name), stock(name), perhaps())]
    return tuple(task.result() for task in tasks)

# %% page-1 right: a dict, and suppress
import asyncio
from contextlib import suppress


async def page(price, stock, stars, name):
    found = [None, None, None]

    async def put(place, ask, limit=None):
        async with asyncio.timeout(limit):
            found[place] = await ask(name)

    async def put_perhaps(place, ask):
        with suppress(ConnectionError, TimeoutError):
            await put(place, ask, 0.5)

    async with asyncio.TaskGroup() as group:
        for place, (way, ask) in enumerate([(put, price), (put, stock), (put_perhaps, stars)]):
            group.create_task(way(place, ask))
    return (*found,)

# %% page-1 wrong: any failure of the stars
# cause: every error of stars becomes None, not only a ConnectionError
# line: except Exception:
import asyncio


async def page(price, stock, stars, name):
    async def perhaps():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except Exception:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part) for part in (price(name), stock(name), perhaps())]
    return tuple(task.result() for task in tasks)

# %% ask-pool-1 wrong: one connection for all
# cause: all the questions go to one connection, which takes one at a time
# line: async with pool.acquire() as connection: | connection.fetch(name)
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    async with pool.acquire() as connection:
        return list(await asyncio.gather(*(connection.fetch(name) for name in names)))

# %% ask-pool-1 wrong: one after another
# cause: each question waits for the one before it
# line: for name in names: | await connection.fetch(name)
async def prices(pool, names):
    found = []
    for name in names:
        async with pool.acquire() as connection:
            found.append(await connection.fetch(name))
    return found

# %% ask-pool-1 wrong: at most five
# cause: a number of its own: only five questions are under way, however many connections the pool has
# line: asyncio.Semaphore(5) | async with places,
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    places = asyncio.Semaphore(5)

    async def one(name):
        async with places, pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: the others go on
# cause: after an error gather leaves the other questions running
# line: asyncio.gather
import asyncio


async def prices(pool, names):
    async def one(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    return await asyncio.gather(*(one(name) for name in names))

# %% ask-pool-1 right: slots in a list
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    found = [None] * len(names := list(names))

    async def fill(place):
        async with pool.acquire() as connection:
            found[place] = await connection.fetch(names[place])

    async with asyncio.TaskGroup() as group:
        list(map(group.create_task, map(fill, range(len(found)))))
    return found

# %% ask-pool-1 wrong: no price is no answer
# cause: prices that are false are dropped
# line: if task.result()
import asyncio


async def prices(pool, names):
    async def ask(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(name)) for name in names]
    return [task.result() for task in tasks if task.result()]

# %% ask-pool-1 right: gather, and the rest is ended
import asyncio


async def prices(pool, names):
    async def ask(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    asking = [asyncio.ensure_future(ask(name)) for name in names]
    try:
        return list(await asyncio.gather(*asking))
    except BaseException:
        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        raise

# %% own-pool-1 wrong: one opening at a time
# cause: the lock is held while a connection is opened, so no other one may be opened meanwhile
# line: async with self.lock: | connection = await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.lock = asyncio.Lock()
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.places:
            async with self.lock:
                if self.free:
                    connection = self.free.pop()
                else:
                    connection = await self.connect()
            try:
                yield connection
            finally:
                self.free.append(connection)

    async def close(self):
        while self.free:
            await self.free.pop().close()

# %% own-pool-1 wrong: a failed opening costs a place
# cause: if connect fails (or is cancelled), the place stays counted, and is lost
# line: self.opened += 1
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect, self.size = connect, size
        self.opened = 0
        self.free = asyncio.LifoQueue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.opened < self.size:
            self.opened += 1
            connection = await self.connect()
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: counted when it is open
# cause: a connection is counted only after connect has returned, so too many are opened at the same time
# line: self.opened += 1 | connection = await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect, self.size = connect, size
        self.opened = 0
        self.free = asyncio.LifoQueue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.opened < self.size:
            connection = await self.connect()
            self.opened += 1
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: not back after an error
# cause: after an error or a cancellation in the block the connection doesn't go back to the pool
# line: yield connection | self.free.append(connection)
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.places:
            connection = self.free.pop() if self.free else await self.connect()
            yield connection
            self.free.append(connection)

    async def close(self):
        await asyncio.gather(*(connection.close() for connection in self.free))
        self.free.clear()

# %% own-pool-1 wrong: all are opened at the first need
# cause: opens all the connections at once, not one when it is needed
# line: for _ in range(self.size): | await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect, self.size = connect, size
        self.free, self.lock, self.opened = asyncio.Queue(), asyncio.Lock(), False

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.lock:
            if not self.opened:
                for _ in range(self.size):
                    self.free.put_nowait(await self.connect())
                self.opened = True
        connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 right: slots, empty ones on the left
import asyncio
import contextlib
from collections import deque


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.slots = deque([None] * size)
        self.turn = asyncio.Semaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.turn:
            slot = self.slots.pop()
            try:
                if slot is None:
                    slot = await self.connect()
                yield slot
            finally:
                (self.slots.appendleft if slot is None else self.slots.append)(slot)

    async def close(self):
        for number, slot in enumerate(self.slots):
            if slot is not None:
                self.slots[number] = None
                await slot.close()

# %% own-pool-1 right: a condition, and a count
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect, self.size = connect, size
        self.free, self.count, self.changed = [], 0, asyncio.Condition()

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.changed:
            await self.changed.wait_for(lambda: self.free or self.count < self.size)
            connection = self.free.pop() if self.free else None
            self.count += connection is None
        try:
            if connection is None:
                connection = await self.connect()
            yield connection
        finally:
            async with self.changed:
                if connection is None:
                    self.count -= 1
                else:
                    self.free.append(connection)
                self.changed.notify()

    async def close(self):
        async with self.changed:
            for connection in self.free:
                await connection.close()
            self.free.clear()
            self.count = 0

# %% transaction-1 wrong: errors only
# cause: a cancellation is no Exception, so it is left without a rollback
# line: except Exception:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except Exception:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: commits in any case
# cause: the finally commits after an error or a cancellation, too
# line: finally: | await connection.execute("commit")
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
        raise
    finally:
        await connection.execute("commit")

# %% transaction-1 wrong: the error ends here
# cause: after the rollback the error or the cancellation isn't raised again
# line: except BaseException:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: never awaited
# cause: rollback is called without an await, so it never runs
# line: connection.execute("rollback")
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    await connection.execute("commit")

# %% transaction-1 right: an exit stack decides
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    async def finish(kind, error, trace):
        await connection.execute("commit" if kind is None else "rollback")

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(finish)
        yield connection

# %% transaction-1 wrong: a lost connection is no error
# cause: a ConnectionError of the block ends in the context manager
# line: except ConnectionError:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except ConnectionError:
        await connection.execute("rollback")
    except BaseException:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: raises an error of its own
# cause: another error than that of the block comes out
# line: raise RuntimeError
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except KeyError:
        await connection.execute("rollback")
        raise
    except Exception as error:
        await connection.execute("rollback")
        raise RuntimeError("rolled back") from error
    except BaseException:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 right: a commit that fails is rolled back
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield connection
        await connection.execute("commit")
    except BaseException:
        await connection.execute("rollback")
        raise

# %% transaction-1 right: begins in the try
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    done = False
    try:
        await connection.execute("begin")
        yield
        done = True
    finally:
        await connection.execute("commit" if done else "rollback")

# %% news-1 wrong: the newest is lost
# cause: when it is full, the new message is lost, not the oldest
# line: if not queue.full():
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.queues = set()

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.add(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            pass
        finally:
            self.queues.discard(queue)

    def publish(self, message):
        for queue in self.queues:
            if not queue.full():
                queue.put_nowait(message)

# %% news-1 wrong: who is cancelled is not forgotten
# cause: only who has left is forgotten, not who was cancelled
# line: except ConnectionError: | self.waiting.remove(mine)
import asyncio
from collections import deque


class Feed:
    def __init__(self, size):
        self.size = size
        self.waiting = []

    async def serve(self, client):
        mine = deque(maxlen=self.size), asyncio.Event()
        self.waiting.append(mine)
        messages, news = mine
        while True:
            await news.wait()
            try:
                while messages:
                    await client.send(messages.popleft())
            except ConnectionError:
                self.waiting.remove(mine)
                return
            news.clear()

    def publish(self, message):
        for messages, news in self.waiting:
            messages.append(message)
            news.set()

# %% news-1 wrong: without a bound
# cause: any number of messages may wait for a slow client
# line: asyncio.Queue()
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.queues = []

    async def serve(self, client):
        queue = asyncio.Queue()
        self.queues.append(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            return
        finally:
            self.queues.remove(queue)

    def publish(self, message):
        for queue in self.queues:
            queue.put_nowait(message)

# %% news-1 wrong: a message that is nothing
# cause: a falsy message is never sent
# line: if message:
import asyncio
from collections import deque


class Feed:
    def __init__(self, size):
        self.size, self.clients = size, {}

    async def serve(self, client):
        key = object()
        messages, news = self.clients[key] = deque(maxlen=self.size), asyncio.Event()
        try:
            while True:
                await news.wait()
                news.clear()
                while messages:
                    message = messages.popleft()
                    if message:
                        await client.send(message)
        except ConnectionError:
            pass
        finally:
            del self.clients[key]

    def publish(self, message):
        for messages, news in self.clients.values():
            messages.append(message)
            news.set()

# %% news-1 wrong: all feeds are one
# cause: the set of clients belongs to the class, so two feeds share their clients
# line: queues = set()
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    queues = set()

    def __init__(self, size):
        self.size = size

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.add(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            pass
        finally:
            self.queues.discard(queue)

    def publish(self, message):
        for queue in self.queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)

# %% news-1 right: a mailbox that one can go through
import asyncio
from collections import deque
from contextlib import contextmanager, suppress


class Mailbox:
    def __init__(self, size):
        self.letters, self.wake = deque(maxlen=size), None

    def drop(self, letter):
        self.letters.append(letter)
        if self.wake is not None and not self.wake.done():
            self.wake.set_result(None)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self.letters:
            self.wake = asyncio.get_running_loop().create_future()
            await self.wake
        return self.letters.popleft()


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size, self.boxes = size, []

    @contextmanager
    def mailbox(self):
        box = Mailbox(self.size)
        self.boxes.append(box)
        try:
            yield box
        finally:
            self.boxes.remove(box)

    async def serve(self, client):
        with suppress(ConnectionError), self.mailbox() as box:
            async for letter in box:
                await client.send(letter)

    def publish(self, message):
        for box in self.boxes:
            box.drop(message)

# %% shut-down-1 wrong: nobody is there
# cause: asyncio.wait raises a ValueError if nothing is under way
# line: asyncio.wait(under_way, timeout=seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    done, left = await asyncio.wait(under_way, timeout=seconds)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(left)

# %% shut-down-1 wrong: one that fails
# cause: the error of a request comes out, and the others are dropped without being cancelled
# line: await task
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    left = set()
    if under_way:
        done, left = await asyncio.wait(under_way, timeout=seconds)
        for task in done:
            await task
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(left)

# %% shut-down-1 wrong: doesn't wait for the cleanup
# cause: returns right after cancel, while the requests still clean up
# line: task.cancel() | return len(left)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    if not under_way:
        return 0
    done, left = await asyncio.wait(under_way, timeout=seconds)
    for task in left:
        task.cancel()
    return len(left)

# %% shut-down-1 wrong: always as long
# cause: waits for all the seconds, even if the requests have ended sooner
# line: await asyncio.sleep(seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    await asyncio.sleep(seconds)
    left = list(under_way)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(left)

# %% shut-down-1 wrong: counts at the end
# cause: counts after the tasks have taken themselves out of the set, so it is always 0
# line: return len(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    if under_way:
        await asyncio.wait(under_way, timeout=seconds)
    left = set(under_way)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(under_way)

# %% shut-down-1 right: cancel says whether it was needed
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    match [*under_way]:
        case []:
            return 0
        case requests:
            await asyncio.wait(requests, timeout=seconds)
            dropped = [request for request in requests if request.cancel()]
            _ = dropped and await asyncio.wait(dropped)
            return len(dropped)

# %% page-1 wrong: an except too wide
# cause: OSError is meant for the ConnectionError and the TimeoutError, but it has many more children: a PermissionError or FileNotFoundError of `stars` ought to come out, and vanishes.
# line: except OSError
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""

    async def stars_or_none():
        try:
            return await asyncio.wait_for(stars(name), 0.5)
        except OSError:
            return None

    async with asyncio.TaskGroup() as group:
        first = group.create_task(price(name))
        second = group.create_task(stock(name))
        third = group.create_task(stars_or_none())
    return first.result(), second.result(), third.result()

# %% page-1 wrong: the half second begins when the others are there
# cause: The stars' limit begins only when price and stock have come. With a slow price the stars may take much longer than 0.5 s and still count, and slow ones keep a page waiting that was ready.
# line: await asyncio.wait_for(third, 0.5)
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    third = asyncio.create_task(stars(name))
    try:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(price(name))
            second = group.create_task(stock(name))
        try:
            rating = await asyncio.wait_for(third, 0.5)
        except (ConnectionError, TimeoutError):
            rating = None
    finally:
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)
    return first.result(), second.result(), rating

# %% page-1 right: plain tasks and asyncio.wait
import asyncio


async def without_need(stars, name):
    limit = asyncio.timeout(0.5)
    try:
        async with limit:
            return await stars(name)
    except ConnectionError:
        return None
    except TimeoutError:
        if limit.expired():
            return None
        raise                   # it was an error of the stars' own


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    coroutines = price(name), stock(name), without_need(stars, name)
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        return tuple(task.result() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% ask-pool-1 wrong: a bound of my own
# cause: Only the pool knows how many connections it has. With more than ten of them, ten questions are under way and the other connections are idle.
# line: asyncio.Semaphore(10)
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    places = asyncio.Semaphore(10)

    async def ask(name):
        async with places, pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: gather leaves questions running
# cause: If a question fails, gather raises its error at once, but does not end the others: they go on asking, and hold their connections.
# line: await asyncio.gather(*map(ask, names))
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""

    async def ask(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    return await asyncio.gather(*map(ask, names))

# %% ask-pool-1 right: gather with its cleanup by hand
import asyncio


async def ask(pool, name):
    async with pool.acquire() as connection:
        return await connection.fetch(name)


async def prices(pool, names):
    """Return the price of each name, in order."""
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(ask(pool, name)) for name in names]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise

# %% own-pool-1 wrong: counted after the opening
# cause: The new connection is counted only when it is open. While connect takes its while, others see the old number and open theirs too: there are more than `size`.
# line: self.open += 1 | connection = await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect, self.size = connect, size
        self.open = 0
        self.free = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.open < self.size:
            connection = await self.connect()
            self.open += 1
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: one opening at a time, once more
# cause: The lock is held while a connection is being opened (and while somebody waits for one): a second one cannot be opened at the same time, nor can a free one be taken.
# line: async with self.lock
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.lock = asyncio.Lock()
        self.idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.places:
            async with self.lock:
                if self.idle:
                    connection = self.idle.pop()
                else:
                    connection = await self.connect()
            try:
                yield connection
            finally:
                self.idle.append(connection)

    async def close(self):
        while self.idle:
            await self.idle.pop().close()

# %% own-pool-1 right: a semaphore on an exit stack
import asyncio
import collections
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self._connect = connect
        self._places = asyncio.Semaphore(size)
        self._back = collections.deque()

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._places)
            try:
                connection = self._back.popleft()
            except IndexError:
                connection = None
                is_new = True
            else:
                is_new = False
            if is_new:
                connection = await self._connect()
            stack.callback(self._back.append, connection)
            yield connection

    async def close(self):
        connections = list(self._back)
        self._back.clear()
        for connection in connections:
            await connection.close()

# %% transaction-1 wrong: a cancellation is not rolled back
# cause: A CancelledError is no Exception: if the block is cancelled, neither commit nor rollback is executed, and the transaction stays open.
# line: except Exception
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except Exception:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: the error is swallowed
# cause: After the rollback the error is not raised again. For asynccontextmanager it is dealt with then: the code behind the block goes on as if all had been kept, and a cancellation is lost.
# line: except BaseException
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
    else:
        await connection.execute("commit")

# %% transaction-1 right: an exit function on a stack
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""

    async def finish(kind, error, trace):
        if kind is None:
            await connection.execute("commit")
        else:
            with contextlib.suppress(Exception):    # the block's error is the one that counts
                await connection.execute("rollback")
        return False

    async with contextlib.AsyncExitStack() as stack:
        await connection.execute("begin")
        stack.push_async_exit(finish)
        yield

# %% news-1 wrong: the newest is lost, once more
# cause: When the queue is full, the message that comes is thrown away. The oldest of those that wait ought to be lost instead.
# line: except asyncio.QueueFull
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.queues = set()

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.add(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            pass
        finally:
            self.queues.discard(queue)

    def publish(self, message):
        for queue in self.queues:
            try:
                queue.put_nowait(message)
            except asyncio.QueueFull:
                pass

# %% news-1 wrong: only who leaves is forgotten
# cause: The client is taken out only after a ConnectionError. If serve is cancelled, or ends by another error, the client stays in the feed for ever, with its messages.
# line: self.boxes.remove(box)
import asyncio
import collections


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.boxes = []

    async def serve(self, client):
        box = collections.deque(maxlen=self.size), asyncio.Event()
        self.boxes.append(box)
        waiting, news = box
        while True:
            await news.wait()
            while waiting:
                try:
                    await client.send(waiting.popleft())
                except ConnectionError:
                    self.boxes.remove(box)
                    return
            news.clear()

    def publish(self, message):
        for waiting, news in self.boxes:
            waiting.append(message)
            news.set()

# %% news-1 right: mailboxes with a future as a bell
import asyncio
import collections


class Mailbox:
    """What waits for one client; an async iterator."""

    def __init__(self, size):
        self.waiting = collections.deque(maxlen=size)
        self.bell = None

    def put(self, message):
        self.waiting.append(message)        # the oldest falls out
        if self.bell is not None and not self.bell.done():
            self.bell.set_result(None)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self.waiting:
            self.bell = asyncio.get_running_loop().create_future()
            await self.bell
        return self.waiting.popleft()


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.mailboxes = {}

    async def serve(self, client):
        key = object()
        mailbox = self.mailboxes[key] = Mailbox(self.size)
        try:
            async for message in mailbox:
                try:
                    await client.send(message)
                except ConnectionError:
                    return
        finally:
            del self.mailboxes[key]

    def publish(self, message):
        for mailbox in self.mailboxes.values():
            mailbox.put(message)

# %% shut-down-1 wrong: counted when they have gone
# cause: The tasks take themselves out of `under_way` when they end, so after the wait the set is empty: the number of those cancelled has to be taken before.
# line: return len(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    if under_way:
        await asyncio.wait(set(under_way), timeout=seconds)
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    return len(under_way)

# %% shut-down-1 wrong: asyncio.wait of nothing
# cause: `under_way` may be empty, and asyncio.wait raises a ValueError for an empty set.
# line: await asyncio.wait(list(under_way), timeout=seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    _, left = await asyncio.wait(list(under_way), timeout=seconds)
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
    return len(left)

# %% shut-down-1 right: one future for all of them
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    requests = frozenset(under_way)
    drained = asyncio.gather(*requests, return_exceptions=True)
    await asyncio.wait([drained], timeout=seconds)      # cancels nothing
    left = [task for task in requests if not task.done()]
    for task in left:
        task.cancel()
    await drained
    return len(left)

# %% page-1 wrong: the slow stars are cancelled and not awaited
# cause: the stars that are late are cancelled, and nobody waits until they have ended
# line: task.cancel() | task = asyncio.
import asyncio


async def page(price, stock, stars, name):
    async def maybe():
        task = asyncio.ensure_future(stars(name))
        try:
            done, _ = await asyncio.wait([task], timeout=0.5)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            task.cancel()
            return None
        try:
            return task.result()
        except ConnectionError:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(price(name)),
            group.create_task(stock(name)),
            group.create_task(maybe()),
        ]
    return tuple(t.result() for t in tasks)

# %% ask-pool-1 wrong: one round of the loop to give back
# cause: the other questions are cancelled and get one round of the loop to end; a connection that is given back slowly is still lent
# line: await asyncio.sleep(0) | task.cancel() | tasks = [
import asyncio


async def prices(pool, names):
    async def one(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    tasks = [asyncio.ensure_future(one(name)) for name in names]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
        raise

# %% page-1 wrong: OSError is too wide
# cause: ConnectionError and TimeoutError are both OSErrors, but there are others: a PermissionError of `stars` should come out, and becomes None here.
# line: except OSError:
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async def kind():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except OSError:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(price(name)),
            group.create_task(stock(name)),
            group.create_task(kind()),
        ]
    return tuple(task.result() for task in tasks)

# %% page-1 wrong: what is left goes on
# cause: If `price` fails, gather lets its error out and leaves the other two running.
# line: return tuple(await asyncio.gather(
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async def kind():
        try:
            return await asyncio.wait_for(stars(name), 0.5)
        except (ConnectionError, TimeoutError):
            return None

    return tuple(await asyncio.gather(price(name), stock(name), kind()))

# %% page-1 right: a list that starts with None
import asyncio
from contextlib import suppress


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    answers = [None, None, None]

    async def fill(place, ask):
        answers[place] = await ask(name)

    async def fill_kindly(place, ask):
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(0.5):
                await fill(place, ask)

    async with asyncio.TaskGroup() as group:
        group.create_task(fill(0, price))
        group.create_task(fill(1, stock))
        group.create_task(fill_kindly(2, stars))
    return tuple(answers)

# %% ask-pool-1 wrong: ten, for nobody's sake
# cause: The number of questions at once is guessed: a pool with more than ten connections has some that do nothing. Only the pool knows how many it has.
# line: asyncio.Semaphore(10)
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    places = asyncio.Semaphore(10)

    async def one(name):
        async with places, pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: one connection for all, again
# cause: All questions are asked over the same connection, which takes one at a time and refuses the second.
# line: connection.fetch(name) | async with pool.acquire() as connection:
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    async with pool.acquire() as connection:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(connection.fetch(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 right: places in a list
import asyncio
from functools import partial


async def ask_into(answers, pool, place, name):
    async with pool.acquire() as connection:
        answers[place] = await connection.fetch(name)


async def prices(pool, names):
    """Return the price of each name, in order."""
    names = tuple(names)
    answers = [None] * len(names)
    ask = partial(ask_into, answers, pool)
    async with asyncio.TaskGroup() as group:
        for numbered in enumerate(names):
            group.create_task(ask(*numbered))
    return answers

# %% own-pool-1 wrong: a cancelled opening takes a place for ever
# cause: If the task is cancelled while `connect()` is under way, the count is not taken back: a CancelledError is no Exception. Those who come later wait for a connection that nobody has.
# line: except Exception:
# told: await self.changed.wait_for(lambda: self.idle or self.opened < self.size)
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.idle = []
        self.changed = asyncio.Condition()

    async def get(self):
        async with self.changed:
            await self.changed.wait_for(lambda: self.idle or self.opened < self.size)
            if self.idle:
                return self.idle.pop()
            self.opened += 1
        try:
            return await self.connect()
        except Exception:
            async with self.changed:
                self.opened -= 1
                self.changed.notify()
            raise

    @contextlib.asynccontextmanager
    async def acquire(self):
        connection = await self.get()
        try:
            yield connection
        finally:
            async with self.changed:
                self.idle.append(connection)
                self.changed.notify()

    async def close(self):
        while self.idle:
            await self.idle.pop().close()

# %% own-pool-1 wrong: counted after the opening, again
# cause: The connection is counted only when `connect()` has returned: several tasks that come meanwhile all find room, and more than `size` are opened.
# line: self.opened += 1 | connection = await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.idle = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.idle.empty() and self.opened < self.size:
            connection = await self.connect()
            self.opened += 1
        else:
            connection = await self.idle.get()
        try:
            yield connection
        finally:
            self.idle.put_nowait(connection)

    async def close(self):
        while not self.idle.empty():
            await self.idle.get_nowait().close()

# %% own-pool-1 right: a semaphore and a stack
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self.places)
            if self.idle:
                connection = self.idle.pop()
            else:
                connection = await self.connect()
            stack.callback(self.idle.append, connection)
            yield connection

    async def close(self):
        idle, self.idle = self.idle, []
        for connection in idle:
            await connection.close()

# %% transaction-1 wrong: a cancellation is no Exception
# cause: A block that is left by a cancellation is neither committed nor rolled back: CancelledError is a BaseException.
# line: except Exception:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except Exception:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: the error does not go on
# cause: After the rollback the error is not raised again: the context manager swallows it, and the caller takes the transaction for done.
# line: await connection.execute("rollback") | except BaseException:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
    else:
        await connection.execute("commit")

# %% transaction-1 right: an exit callback chooses
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    async def end(kind, error, trace):
        await connection.execute("commit" if kind is None else "rollback")
        return False

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(end)
        yield

# %% news-1 wrong: the one that is sent still waits
# cause: The message stays in the deque while it is sent: it is counted among those that wait, may be dropped meanwhile, and then `popleft` throws away one that was never sent.
# line: await client.send(waiting[0]) | waiting.popleft()
import asyncio
from collections import deque


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.served = []

    async def serve(self, client):
        waiting = deque(maxlen=self.size)
        there = asyncio.Event()
        self.served.append((there, waiting))
        try:
            while True:
                await there.wait()
                while waiting:
                    await client.send(waiting[0])
                    waiting.popleft()
                there.clear()
        except ConnectionError:
            return
        finally:
            self.served = [one for one in self.served if one[0] is not there]

    def publish(self, message):
        for there, waiting in self.served:
            waiting.append(message)
            there.set()

# %% news-1 wrong: only those who leave are forgotten
# cause: A client whose `serve` is cancelled, or fails with another error, stays in the list; it gets messages for ever that nobody sends.
# line: self.queues.remove(queue)
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.queues = []

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.append(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            self.queues.remove(queue)

    def publish(self, message):
        for queue in self.queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)

# %% news-1 right: a place with a deque for each client
import asyncio
from collections import deque
from contextlib import suppress


class Place:
    def __init__(self, size):
        self.waiting = deque(maxlen=size)
        self.bell = asyncio.Event()

    def put(self, message):
        self.waiting.append(message)
        self.bell.set()

    async def get(self):
        while not self.waiting:
            self.bell.clear()
            await self.bell.wait()
        return self.waiting.popleft()


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.places = {}

    async def serve(self, client):
        place = Place(self.size)
        self.places[id(place)] = place
        try:
            with suppress(ConnectionError):
                while True:
                    await client.send(await place.get())
        finally:
            del self.places[id(place)]

    def publish(self, message):
        for place in tuple(self.places.values()):
            place.put(message)

# %% shut-down-1 wrong: only what ended as cancelled is counted
# cause: A request that is cancelled, cleans up and then returns (or fails) is not `cancelled()`, but it had to be cancelled: it is not counted.
# line: task.cancelled()
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    tasks = list(under_way)
    if not tasks:
        return 0
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return sum(task.cancelled() for task in tasks)

# %% shut-down-1 wrong: no requests at all
# cause: `asyncio.wait` takes no empty set: if nothing is under way, a ValueError comes out instead of 0.
# line: await asyncio.wait(set(under_way), timeout=seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    _, late = await asyncio.wait(set(under_way), timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return len(late)

# %% shut-down-1 right: gather behind a shield
import asyncio
from contextlib import suppress


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    tasks = tuple(under_way)
    drained = asyncio.gather(*tasks, return_exceptions=True)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.shield(drained)
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    await drained
    return len(left)

# %% own-pool-1 wrong: a failed connect keeps the place
# cause: if connect fails its place is never free again: those who wait wait for ever
# line: self.opened += 1 | await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.free = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.opened < self.size:
            self.opened += 1
            connection = await self.connect()
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: a failed connect gives its place back, and wakes nobody
# cause: who waits in the queue isn't woken when an opening failed
# line: self.opened -= 1 | await self.free.get()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.free = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.opened < self.size:
            self.opened += 1
            try:
                connection = await self.connect()
            except BaseException:
                self.opened -= 1
                raise
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: no finally
# cause: after an error the connection doesn't come back
# line: self.free.put_nowait(connection) | yield connection
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.gate = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.gate.acquire()
        connection = self.free.pop() if self.free else await self.connect()
        yield connection
        self.free.append(connection)
        self.gate.release()

    async def close(self):
        for connection in self.free:
            await connection.close()

# %% own-pool-1 wrong: a semaphore and a connect outside of the try
# cause: if connect fails the permit isn't given back
# line: await self.connect() | self.gate.release()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.gate = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.gate.acquire()
        connection = self.free.pop() if self.free else await self.connect()
        try:
            yield connection
        finally:
            self.free.append(connection)
            self.gate.release()

    async def close(self):
        for connection in self.free:
            await connection.close()

# %% own-pool-1 wrong: except Exception when opening
# cause: a cancelled opening keeps its place
# line: except Exception
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.gate = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.gate.acquire()
        try:
            connection = self.free.pop() if self.free else await self.connect()
        except Exception:
            self.gate.release()
            raise
        try:
            yield connection
        finally:
            self.free.append(connection)
            self.gate.release()

    async def close(self):
        for connection in self.free:
            await connection.close()

# %% own-pool-1 wrong: a condition that never notifies
# cause: nobody is told that a connection came back
# line: self.free.append(connection) | wait_for
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.free = []
        self.changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.changed:
            await self.changed.wait_for(lambda: self.free or self.opened < self.size)
            if self.free:
                connection = self.free.pop()
            else:
                self.opened += 1
                connection = None
        if connection is None:
            try:
                connection = await self.connect()
            except BaseException:
                self.opened -= 1
                raise
        try:
            yield connection
        finally:
            self.free.append(connection)

    async def close(self):
        for connection in self.free:
            await connection.close()

# %% page-1 wrong: forgives stars any OSError
# cause: OSError covers more than TimeoutError and ConnectionError; another OSError of stars must come out
# line: except OSError
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""

    async def stars_or_none():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except OSError:  # TimeoutError and ConnectionError are both of this kind
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(price(name)),
            group.create_task(stock(name)),
            group.create_task(stars_or_none()),
        ]
    return tuple(task.result() for task in tasks)

# %% page-1 wrong: the half second of the stars begins late
# cause: the limit of 0.5 s begins only when price and stock are there, so the page may come late, or with late stars
# line: async with asyncio.timeout(0.5) | rating = await rating_task | left = await stock_task | cents = await price_task
import asyncio


async def page(price, stock, stars, name):
    async def forgiving():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async with asyncio.TaskGroup() as tg:
        price_task = tg.create_task(price(name))
        stock_task = tg.create_task(stock(name))
        rating_task = tg.create_task(forgiving())
        cents = await price_task
        left = await stock_task
        try:
            async with asyncio.timeout(0.5):
                rating = await rating_task
        except TimeoutError:
            rating = None
    return cents, left, rating

# %% page-1 wrong: gather leaves the others running
# cause: if price or stock fails, gather raises the error but doesn't cancel the others; they run on
# line: asyncio.gather( | none
import asyncio


async def optional(coroutine, seconds, default=None):
    try:
        return await asyncio.wait_for(coroutine, seconds)
    except (TimeoutError, ConnectionError):
        return default


async def page(price, stock, stars, name):
    parts = await asyncio.gather(price(name), stock(name), optional(stars(name), 0.5))
    return tuple(parts)

# %% page-1 right: gather with a finally
import asyncio


async def page(price, stock, stars, name):
    async def rated():
        try:
            return await asyncio.wait_for(stars(name), 0.5)
        except (TimeoutError, ConnectionError):
            return None

    tasks = [asyncio.create_task(part) for part in (price(name), stock(name), rated())]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% page-1 right: suppress, and a list that stays empty
import asyncio
from contextlib import suppress


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    rating = []

    async def rate():
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(0.5):
                rating.append(await stars(name))

    async with asyncio.TaskGroup() as group:
        group.create_task(rate())
        must = [group.create_task(ask(name)) for ask in (price, stock)]
    return must[0].result(), must[1].result(), rating[0] if rating else None

# %% ask-pool-1 wrong: gives the connection back before its question is answered
# cause: the block of acquire ends as soon as the task is made, so the connection is lent again while it is in use
# line: tg.create_task(connection.fetch(name)) | async with pool.acquire() as connection
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    tasks = []
    async with asyncio.TaskGroup() as tg:
        for name in names:
            async with pool.acquire() as connection:
                tasks.append(tg.create_task(connection.fetch(name)))
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: a name that comes twice is returned once
# cause: the results are in a dict by name, so of a name that stands twice in names only one price is returned
# line: found.values() | found = dict.fromkeys(names) | found[name] =
import asyncio


async def prices(pool, names):
    found = dict.fromkeys(names)  # in the right order from the beginning

    async def ask(name):
        async with pool.acquire() as connection:
            found[name] = await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(ask(name))

    return list(found.values())

# %% ask-pool-1 wrong: an error leaves the other questions running
# cause: awaits one task after another; when one raises, nobody cancels or awaits the others
# line: [await task for task in tasks] | none
import asyncio


async def one_price(pool, name):
    async with pool.acquire() as connection:
        return await connection.fetch(name)


async def prices(pool, names):
    # start all of them, the pool makes them wait
    tasks = [asyncio.create_task(one_price(pool, name)) for name in names]
    return [await task for task in tasks]

# %% ask-pool-1 right: lets all end, then raises the first error
import asyncio


async def prices(pool, names):
    async def ask(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    answers = await asyncio.gather(*map(ask, names), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers

# %% ask-pool-1 right: a list with places, filled by a TaskGroup
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    names = list(names)
    answers = [None] * len(names)

    async def fill(place):
        async with pool.acquire() as connection:
            answers[place] = await connection.fetch(names[place])

    async with asyncio.TaskGroup() as group:
        for place in range(len(names)):
            group.create_task(fill(place))
    return answers

# %% own-pool-1 wrong: a failed connect loses a place
# cause: if connect() fails or is cancelled, the semaphore isn't released: it stands before the try
# line: connection = await self.connect() | await self.places.acquire() | try:  # lend it
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.places.acquire()
        if self.free:
            connection = self.free.pop()
        else:
            connection = await self.connect()
        try:  # lend it
            yield connection
        finally:
            self.free.append(connection)
            self.places.release()

    async def close(self):
        while self.free:
            await self.free.pop().close()

# %% own-pool-1 wrong: opens one connection at a time
# cause: the lock is held during connect(), so while one connection is being opened no other can be
# line: async with self.lock | await self.connect()
import asyncio
from collections import deque
from contextlib import asynccontextmanager


class Pool:
    def __init__(self, connect, size: int):
        self.connect = connect
        self.idle = deque()
        self.lock = asyncio.Lock()
        self.limit = asyncio.Semaphore(size)

    async def _take(self):
        async with self.lock:
            return self.idle.popleft() if self.idle else await self.connect()

    @asynccontextmanager
    async def acquire(self):
        async with self.limit:
            connection = await self._take()
            try:
                yield connection
            finally:
                self.idle.append(connection)

    async def close(self):
        await asyncio.gather(*(connection.close() for connection in self.idle))
        self.idle.clear()

# %% own-pool-1 right: a queue of permits
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect, self.free = connect, []
        self.permits = asyncio.Queue()
        for number in range(size):
            self.permits.put_nowait(number)

    @contextlib.asynccontextmanager
    async def acquire(self):
        permit = await self.permits.get()
        connection = None
        try:
            connection = self.free.pop() if self.free else await self.connect()
            yield connection
        finally:
            if connection is not None:
                self.free.append(connection)
            self.permits.put_nowait(permit)

    async def close(self):
        for connection in self.free:
            await connection.close()
        self.free.clear()

# %% own-pool-1 right: a semaphore and a stack, again
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._places = asyncio.Semaphore(size)
        self._idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._places)
            connection = self._idle.pop() if self._idle else await self._connect()
            stack.callback(self._idle.append, connection)
            yield connection

    async def close(self):
        idle, self._idle[:] = list(self._idle), []
        async with asyncio.TaskGroup() as group:
            for connection in idle:
                group.create_task(connection.close())

# %% own-pool-1 right: futures in a row
import asyncio
import collections
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.unopened = size
        self.idle = []
        self.row = collections.deque()

    def _take(self):
        """An idle connection, or None: the right to open one."""
        if self.idle:
            return self.idle.pop()
        self.unopened -= 1
        return None

    def _give(self, connection):
        if connection is None:
            self.unopened += 1
        else:
            self.idle.append(connection)
        while self.row and (self.idle or self.unopened):
            turn = self.row.popleft()
            if not turn.done():
                turn.set_result(self._take())

    async def _wait(self):
        turn = asyncio.get_running_loop().create_future()
        self.row.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give(turn.result())
            raise

    @contextlib.asynccontextmanager
    async def acquire(self):
        at_once = not self.row and (self.idle or self.unopened)
        connection = self._take() if at_once else await self._wait()
        try:
            if connection is None:
                connection = await self.connect()
            yield connection
        finally:
            self._give(connection)

    async def close(self):
        while self.idle:
            connection = self.idle.pop()
            self.unopened += 1
            await connection.close()

# %% transaction-1 wrong: commits what was cancelled
# cause: a CancelledError is no Exception, so `end` stays "commit" and half of the changes are kept
# line: except Exception | end = "commit"
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    end = "commit"
    try:
        yield
    except Exception:
        end = "rollback"
        raise
    finally:
        await connection.execute(end)

# %% transaction-1 wrong: swallows the error of the block
# cause: after the rollback the error isn't raised again, so it doesn't go on
# line: except BaseException | execute("rollback") | none
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    execute = connection.execute
    await execute("begin")
    try:
        yield connection
    except BaseException:  # a cancellation, too
        await execute("rollback")
    else:
        await execute("commit")

# %% transaction-1 wrong: rollback isn't awaited
# cause: connection.execute("rollback") only makes a coroutine; without await nothing is rolled back
# line: connection.execute("rollback")
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    done = False
    await connection.execute("begin")
    try:
        yield
        done = True
    finally:
        if done:
            await connection.execute("commit")
        else:
            connection.execute("rollback")

# %% transaction-1 right: a stack from which the rollback is taken
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    async with contextlib.AsyncExitStack() as stack:
        await connection.execute("begin")
        stack.push_async_callback(connection.execute, "rollback")
        yield
        stack.pop_all()
        await connection.execute("commit")

# %% transaction-1 right: an inner class with __aexit__
import contextlib


class Ending:
    def __init__(self, connection):
        self.connection = connection

    async def __aenter__(self):
        await self.connection.execute("begin")

    async def __aexit__(self, kind, error, trace):
        await self.connection.execute("commit" if kind is None else "rollback")
        return False


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    async with Ending(connection):
        yield

# %% news-1 wrong: loses the newest message
# cause: if the box is full the new message is dropped; the oldest that waits should be
# line: box.put_nowait(message) | suppress(asyncio.QueueFull)
import asyncio
import contextlib


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.boxes = set()

    async def serve(self, client):
        box = asyncio.Queue(maxsize=self.size)
        self.boxes.add(box)
        try:
            while True:
                await client.send(await box.get())
        except ConnectionError:
            pass
        finally:
            self.boxes.discard(box)

    def publish(self, message):
        for box in self.boxes:
            with contextlib.suppress(asyncio.QueueFull):  # too slow
                box.put_nowait(message)

# %% news-1 wrong: the message that is being sent stays in the box
# cause: it is taken out of the box only after send, so it is counted, may be pushed out, and then another one is removed unsent
# line: await client.send(box[0]) | box.popleft()
import asyncio
from collections import deque


class Feed:
    def __init__(self, size: int):
        self.size = size
        self.waiting: dict[asyncio.Event, deque] = {}

    async def serve(self, client):
        news, box = asyncio.Event(), deque(maxlen=self.size)  # the oldest falls out
        self.waiting[news] = box
        try:
            while True:
                await news.wait()
                while box:
                    await client.send(box[0])
                    box.popleft()
                news.clear()
        except ConnectionError:
            return
        finally:
            del self.waiting[news]

    def publish(self, message):
        for news, box in self.waiting.items():
            box.append(message)
            news.set()

# %% news-1 wrong: remembers clients whose serve was cancelled
# cause: the client is forgotten only after a ConnectionError, and not after a cancellation or another error
# line: del self.boxes[client] | except ConnectionError | none
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.boxes = {}
        self.size = size

    async def serve(self, client):
        box = self.boxes[client] = asyncio.Queue(self.size)
        while True:
            message = await box.get()
            try:
                await client.send(message)
            except ConnectionError:
                del self.boxes[client]
                return

    def publish(self, message):
        for box in self.boxes.values():
            if box.full():
                box.get_nowait()
            box.put_nowait(message)

# %% news-1 right: an async generator for each client
import asyncio
import contextlib


class Feed:
    def __init__(self, size):
        self.size = size
        self.boxes = set()

    async def _news(self):
        box = asyncio.Queue(self.size)
        self.boxes.add(box)
        try:
            while True:
                yield await box.get()
        finally:
            self.boxes.discard(box)

    async def serve(self, client):
        with contextlib.suppress(ConnectionError):
            async with contextlib.aclosing(self._news()) as news:
                async for message in news:
                    await client.send(message)

    def publish(self, message):
        for box in self.boxes:
            if box.full():
                box.get_nowait()
            box.put_nowait(message)

# %% news-1 right: a deque and an event, as a closure
import asyncio
from collections import deque


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self._size = size
        self._post = {}

    async def serve(self, client):
        box, ready, key = deque((), self._size), asyncio.Event(), object()

        def put(message):
            box.append(message)
            ready.set()

        self._post[key] = put
        try:
            while True:
                while box:
                    await client.send(box.popleft())
                ready.clear()
                await ready.wait()
        except ConnectionError:
            return None
        finally:
            self._post.pop(key)

    def publish(self, message):
        for put in self._post.values():
            put(message)

# %% shut-down-1 wrong: counts when they have gone
# cause: the tasks have taken themselves out of under_way by then, so it returns 0
# line: return len(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    if under_way:
        _, pending = await asyncio.wait(set(under_way), timeout=seconds)
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending)
    return len(under_way)

# %% shut-down-1 wrong: counts only those that ended as cancelled
# cause: a task that it had to cancel and that then returned or failed in its cleanup isn't counted
# line: .cancelled()
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    requests = list(under_way)
    if not requests:
        return 0

    await asyncio.wait(requests, timeout=seconds)
    late = [request for request in requests if not request.done()]
    for request in late:
        request.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return sum(request.cancelled() for request in late)

# %% shut-down-1 wrong: a limit for each request
# cause: each request that is awaited gets the full `seconds` again, so the limits add up
# line: timeout=seconds | for task in list(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    cancelled = []
    for task in list(under_way):
        done, _ = await asyncio.wait([task], timeout=seconds)
        if not done:
            task.cancel()
            cancelled.append(task)
    if cancelled:  # let them clean up
        await asyncio.wait(cancelled)
    return len(cancelled)

# %% shut-down-1 right: a timeout around watchers
import asyncio
import contextlib


async def shut_down(server, under_way, seconds):
    server.close()
    requests = tuple(under_way)

    async def ended(task):
        await asyncio.wait([task])

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*map(ended, requests))

    late = [task for task in requests if not task.done()]
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return len(late)

# %% shut-down-1 right: an event and a timer
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    left, late = set(under_way), []
    all_ended = asyncio.Event()

    def ended(task):
        left.discard(task)
        if not left:
            all_ended.set()

    def too_late():
        late.extend(task for task in left if not task.done())
        for task in late:
            task.cancel()

    if not left:
        return 0
    for task in list(left):
        task.add_done_callback(ended)
    timer = asyncio.get_running_loop().call_later(seconds, too_late)
    try:
        await all_ended.wait()
    finally:
        timer.cancel()
    return len(late)

# %% page-1 wrong: any OSError of the stars
# cause: every OSError of stars is taken for a missing answer, although only a ConnectionError or too long a wait may be
# line: except OSError:
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""

    async def optional():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except OSError:  # TimeoutError and ConnectionError both are
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(c) for c in (price(name), stock(name), optional())]
    return tuple(task.result() for task in tasks)

# %% page-1 wrong: the half second begins too late
# cause: the 0.5 s for the stars are counted only from when the price and the stock are there
# line: rating = await asyncio.wait_for(third, 0.5) | await asyncio.wait([first, second])
import asyncio


async def page(price, stock, stars, name):
    async def safe_stars():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async with asyncio.TaskGroup() as group:
        first = group.create_task(price(name))
        second = group.create_task(stock(name))
        third = group.create_task(safe_stars())
        await asyncio.wait([first, second])
        try:
            rating = await asyncio.wait_for(third, 0.5)
        except TimeoutError:
            rating = None
    return first.result(), second.result(), rating

# %% page-1 right: suppress around a timeout
import asyncio
from contextlib import suppress


async def page(price, stock, stars, name):
    async def perhaps():
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(0.5):
                return await stars(name)

    asked = []
    async with asyncio.TaskGroup() as group:
        for question in price(name), stock(name), perhaps():
            asked.append(group.create_task(question))
    return tuple(map(asyncio.Task.result, asked))

# %% ask-pool-1 wrong: all on one connection, one after another
# cause: it borrows one connection only, so one question is under way at a time
# line: async with pool.acquire() as connection: | return [await connection.fetch(name) for name in names]
async def prices(pool, names):
    """Return the price of each name, in order."""
    async with pool.acquire() as connection:
        return [await connection.fetch(name) for name in names]

# %% ask-pool-1 wrong: a limit of its own
# cause: a semaphore of its own lets four questions through, however many connections the pool has
# line: limit = asyncio.Semaphore(4) | async with limit
import asyncio


async def prices(pool, names):
    limit = asyncio.Semaphore(4)  # don't flood the database

    async def price(name: str):
        async with limit, pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(price(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 right: gather, and a finally
import asyncio


async def prices(pool, names):
    async def ask(name):
        async with pool.acquire() as connection:
            return await connection.fetch(name)

    tasks = [asyncio.ensure_future(ask(name)) for name in names]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% own-pool-1 wrong: opens under a lock
# cause: the lock is held while a connection is opened, so no other one can be opened meanwhile
# line: async with self.opening: | await self.connect()
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.opening = asyncio.Lock()
        self.idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.places:
            async with self.opening:
                connection = self.idle.pop() if self.idle else await self.connect()
            try:
                yield connection
            finally:
                self.idle.append(connection)

    async def close(self):
        while self.idle:
            await self.idle.pop().close()

# %% own-pool-1 wrong: a failed connect keeps its place
# cause: if connect fails, the place that was taken for it is never given back
# line: connection = await self.connect() | await self.places.acquire() | self.places.release()
import asyncio
import contextlib
from collections import deque


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.free = deque()
        self.places = asyncio.BoundedSemaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.places.acquire()
        if self.free:
            connection = self.free.popleft()
        else:
            connection = await self.connect()
        try:
            yield connection
        finally:
            self.free.append(connection)
            self.places.release()

    async def close(self):
        await asyncio.gather(*(connection.close() for connection in self.free))
        self.free.clear()

# %% own-pool-1 right: a semaphore and an exit stack
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect, self.back, self.places = connect, [], asyncio.Semaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self.places, contextlib.AsyncExitStack() as stack:
            try:
                connection = self.back.pop()
            except IndexError:
                connection = await self.connect()
            stack.callback(self.back.append, connection)
            yield connection

    async def close(self):
        connections, self.back = self.back, []
        async with asyncio.TaskGroup() as group:
            for connection in connections:
                group.create_task(connection.close())

# %% transaction-1 wrong: commits in the finally
# cause: after the rollback it executes "commit" as well
# line: await connection.execute("commit") | finally:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
        raise
    finally:
        await connection.execute("commit")

# %% transaction-1 wrong: an error of its own
# cause: another error comes out than the one that left the block, and a cancellation becomes an error
# line: raise RuntimeError("rolled back") from error
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield connection
    except BaseException as error:
        await connection.execute("rollback")
        raise RuntimeError("rolled back") from error
    else:
        await connection.execute("commit")

# %% transaction-1 right: the last word
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    last_word = "rollback"
    try:
        yield
        last_word = "commit"
    finally:
        await connection.execute(last_word)

# %% news-1 wrong: the message that is being sent stays in the box, again
# cause: a message stays in the box while it is sent, so it is counted and may be dropped, and then another is taken out unsent
# line: message = box[0] | box.popleft() | await client.send(message)
import asyncio
from collections import deque


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.boxes = []

    async def serve(self, client):
        box, news = deque(maxlen=self.size), asyncio.Event()
        entry = (box, news)
        self.boxes.append(entry)
        try:
            while True:
                await news.wait()
                while box:
                    message = box[0]
                    await client.send(message)
                    if box:
                        box.popleft()
                news.clear()
        except ConnectionError:
            return
        finally:
            self.boxes = [other for other in self.boxes if other is not entry]

    def publish(self, message):
        for box, news in self.boxes:
            box.append(message)
            news.set()

# %% news-1 wrong: forgets only those that have left
# cause: a client whose serve was cancelled, or ended with another error, is never forgotten
# line: self.queues.discard(queue) | except ConnectionError: | self.queues.add(queue)
import asyncio


class Feed:
    def __init__(self, size):
        self.size = size
        self.queues = set()

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.add(queue)
        while True:
            message = await queue.get()
            try:
                await client.send(message)
            except ConnectionError:
                self.queues.discard(queue)
                return

    def publish(self, message):
        for queue in self.queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)

# %% news-1 right: a deque and a future
import asyncio
import contextlib
from collections import deque


class Feed:
    def __init__(self, size):
        self.size, self.served = size, {}

    async def serve(self, client):
        key, box, bell = object(), deque(maxlen=self.size), asyncio.Event()
        self.served[key] = (box, bell)
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(ConnectionError))
            stack.callback(self.served.pop, key)
            while await bell.wait():
                bell.clear()
                while box:
                    await client.send(box.popleft())

    def publish(self, message):
        for box, bell in self.served.values():
            box.append(message)
            bell.set()

# %% shut-down-1 wrong: counts when they have taken themselves out
# cause: it counts after the cancelled tasks have ended and taken themselves out of the set, so it returns 0
# line: return len(under_way) | await asyncio.gather(*under_way, return_exceptions=True)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    if not under_way:
        return 0
    await asyncio.wait(under_way, timeout=seconds)
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    return len(under_way)

# %% shut-down-1 wrong: one turn for the cleanup
# cause: it does not wait until the cancelled tasks have ended; their cleanup may take longer than one turn of the loop
# line: await asyncio.sleep(0)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    late = set(under_way)
    if late:
        _, late = await asyncio.wait(late, timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.sleep(0)  # let them clean up
    return len(late)

# %% shut-down-1 right: one gather, waited for twice
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    requests = list(under_way)
    all_ended = asyncio.gather(*requests, return_exceptions=True)
    await asyncio.wait([all_ended], timeout=seconds)
    cancelled = sum(task.cancel() for task in requests if not task.done())
    await all_ended
    return cancelled

# %% page-1 wrong: the half second begins too late, again
# cause: the 0.5 s begin only when price and stock are there, so the stars get more time than that and the page comes later.
# line: await asyncio.wait_for(stars_task, 0.5)
import asyncio


async def page(price, stock, stars, name):
    price_task = asyncio.create_task(price(name))
    stock_task = asyncio.create_task(stock(name))
    stars_task = asyncio.create_task(stars(name))
    tasks = [price_task, stock_task, stars_task]
    try:
        needed = await asyncio.gather(price_task, stock_task)
        try:
            nice = await asyncio.wait_for(stars_task, 0.5)
        except (ConnectionError, TimeoutError):
            nice = None
        return (*needed, nice)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% page-1 wrong: every OSError counts
# cause: OSError is wider than ConnectionError and TimeoutError: other errors of stars, such as a PermissionError, are swallowed instead of coming out.
# line: except OSError:
import asyncio


async def page(price, stock, stars, name):
    async def stars_or_none():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except OSError:  # the parent of ConnectionError and TimeoutError
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(price(name)),
            group.create_task(stock(name)),
            group.create_task(stars_or_none()),
        ]
    return tuple(task.result() for task in tasks)

# %% page-1 right: gather, wait_for, and a finally
import asyncio


async def _optional(awaitable, seconds):
    try:
        return await asyncio.wait_for(awaitable, timeout=seconds)
    except (ConnectionError, TimeoutError):
        return None


async def page(price, stock, stars, name):
    asked = list(
        map(asyncio.ensure_future, (price(name), stock(name), _optional(stars(name), 0.5)))
    )
    try:
        return tuple(await asyncio.gather(*asked))
    finally:
        for future in asked:
            future.cancel()
        await asyncio.wait(asked)

# %% ask-pool-1 wrong: gives the connection back too early
# cause: the block ends as soon as the task is made, so the connection is lent to the next question while the first is still under way.
# line: group.create_task(connection.fetch(name)) | async with pool.acquire() as connection:
import asyncio


async def prices(pool, names):
    tasks = []
    async with asyncio.TaskGroup() as group:
        for name in names:
            async with pool.acquire() as connection:
                tasks.append(group.create_task(connection.fetch(name)))
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: a limit of its own, again
# cause: a semaphore of its own keeps at most ten questions under way, although the pool may have more connections.
# line: asyncio.Semaphore(10) | async with limit, pool.acquire() as connection:
import asyncio


async def prices(pool, names):
    limit = asyncio.Semaphore(10)

    async def one(name):
        async with limit, pool.acquire() as connection:
            return await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 right: asyncio.wait until the first error
import asyncio
import functools


async def _ask(pool, name):
    async with pool.acquire() as connection:
        return await connection.fetch(name)


async def prices(pool, names):
    tasks = [asyncio.ensure_future(c) for c in map(functools.partial(_ask, pool), names)]
    if not tasks:
        return []
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    return [task.result() for task in tasks]

# %% own-pool-1 wrong: cancelled while it connects
# cause: a task that is cancelled while connect runs doesn't give its place back, because CancelledError is no Exception.
# line: except Exception:
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.places = asyncio.Semaphore(size)
        self.idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.places.acquire()
        if self.idle:
            connection = self.idle.pop()
        else:
            try:
                connection = await self.connect()
            except Exception:
                self.places.release()
                raise
        try:
            yield connection
        finally:
            self.idle.append(connection)
            self.places.release()

    async def close(self):
        while self.idle:
            await self.idle.pop().close()

# %% own-pool-1 right: an exit stack
import asyncio
import collections
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._places = asyncio.Semaphore(size)
        self._back = collections.deque()

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._places)
            try:
                connection = self._back.popleft()
            except IndexError:
                connection = await self._connect()
            stack.callback(self._back.append, connection)
            yield connection

    async def close(self):
        connections = [*self._back]
        self._back.clear()
        await asyncio.gather(*(connection.close() for connection in connections))

# %% transaction-1 wrong: rolls back in the background
# cause: the rollback is only started, not awaited: the block is left before it has been executed.
# line: asyncio.create_task(connection.execute("rollback"))
import asyncio
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        # in a task of its own, so that a cancellation can't stop it
        asyncio.create_task(connection.execute("rollback"))
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: a cancellation ends here
# cause: after a cancellation it rolls back but doesn't raise it again, so the cancelled task goes on after the block.
# line: except asyncio.CancelledError:
import asyncio
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except asyncio.CancelledError:
        await connection.execute("rollback")
    except Exception as error:
        await connection.execute("rollback")
        raise error
    else:
        await connection.execute("commit")

# %% transaction-1 right: an exit callback decides
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    async def finish(kind, error, traceback):
        await connection.execute("commit" if kind is None else "rollback")

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(finish)
        yield

# %% news-1 wrong: leaves the message in the queue while it is sent
# cause: the message being sent still stands first among the waiting ones: it takes up one of their places, and if it is pushed out meanwhile, popleft throws away one that was never sent.
# line: await client.send(waiting[0]) | waiting.popleft()
import asyncio
import collections


class Feed:
    def __init__(self, size):
        self.size = size
        self.clients = {}

    async def serve(self, client):
        waiting = collections.deque(maxlen=self.size)
        news = asyncio.Event()
        key = object()
        self.clients[key] = waiting, news
        try:
            while True:
                await news.wait()
                news.clear()
                while waiting:
                    await client.send(waiting[0])
                    waiting.popleft()
        except ConnectionError:
            return
        finally:
            del self.clients[key]

    def publish(self, message):
        for waiting, news in self.clients.values():
            waiting.append(message)
            news.set()

# %% news-1 right: closures in a dict
import asyncio
import collections
import contextlib
import itertools


class Feed:
    def __init__(self, size):
        self._size = size
        self._numbers = itertools.count()
        self._offers = {}

    async def serve(self, client):
        waiting = collections.deque((), self._size)
        wake = asyncio.Event()

        def offer(message):
            waiting.append(message)
            wake.set()

        number = next(self._numbers)
        with contextlib.ExitStack() as stack:
            self._offers[number] = offer
            stack.callback(self._offers.pop, number)
            stack.enter_context(contextlib.suppress(ConnectionError))
            while await wake.wait():
                wake.clear()
                while waiting:
                    await client.send(waiting.popleft())

    def publish(self, message):
        for offer in tuple(self._offers.values()):
            offer(message)

# %% shut-down-1 wrong: counts when all are gone
# cause: the cancelled tasks have taken themselves out of the set by then, so it returns 0 instead of how many it cancelled.
# line: return len(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if under_way:
        await asyncio.wait(under_way, timeout=seconds)
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    return len(under_way)

# %% shut-down-1 wrong: the cancellations come back
# cause: gather without return_exceptions raises the CancelledError of the first cancelled request out of shut_down, and doesn't wait for the others.
# line: await asyncio.gather(*late)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if not under_way:
        return 0
    _, late = await asyncio.wait(under_way, timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late)
    return len(late)

# %% shut-down-1 right: a timer cancels
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    requests = tuple(under_way)
    cancelled = []

    def give_up():
        cancelled.extend(task for task in requests if task.cancel())

    timer = asyncio.get_running_loop().call_later(seconds, give_up)
    try:
        for task in requests:
            await asyncio.wait([task])
    finally:
        timer.cancel()
    return len(cancelled)

# %% own-pool-1 wrong: a failed connect wakes nobody
# cause: those that wait in the queue aren't woken when a connect fails, although a place is free then; they may wait for ever.
# line: self.opened -= 1 | connection = await self.idle.get()
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.idle = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.idle.empty() and self.opened < self.size:
            self.opened += 1
            try:
                connection = await self.connect()
            except BaseException:
                self.opened -= 1
                raise
        else:
            connection = await self.idle.get()
        try:
            yield connection
        finally:
            self.idle.put_nowait(connection)

    async def close(self):
        while not self.idle.empty():
            await self.idle.get_nowait().close()
        self.opened = 0

# %% news-1 wrong: forgets a queue that looks the same
# cause: list.remove compares by value: it takes out the first deque that is equal, often the empty one of another client, who then gets no more news.
# line: self.boxes.remove(box) | self.boxes = []
import asyncio
from collections import deque


class Feed:
    def __init__(self, size):
        self.size = size
        self.boxes = []
        self.news = asyncio.Event()

    async def serve(self, client):
        box = deque(maxlen=self.size)
        self.boxes.append(box)
        try:
            while True:
                while not box:
                    await self.news.wait()
                await client.send(box.popleft())
        except ConnectionError:
            pass
        finally:
            self.boxes.remove(box)

    def publish(self, message):
        for box in self.boxes:
            box.append(message)
        # wake all that wait, and let the next wait begin anew
        self.news.set()
        self.news = asyncio.Event()

# %% page-1 wrong: the time limit holds for everything
# cause: the timeout surrounds the whole group, so a slow price also ends after 0.5 s and the page is lost
# line: async with asyncio.timeout(0.5):
import asyncio


async def page(price, stock, stars, name):
    async def maybe():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async with asyncio.timeout(0.5):
        async with asyncio.TaskGroup() as group:
            a = group.create_task(price(name))
            b = group.create_task(stock(name))
            c = group.create_task(maybe())
    return a.result(), b.result(), c.result()

# %% page-1 wrong: the clock of the stars starts late
# cause: the 0.5 s of the stars are counted only from when price and stock are there, so slow stars get more time and the page comes later
# line: rating = await asyncio.wait_for(extra, 0.5)
import asyncio


async def page(price, stock, stars, name):
    extra = asyncio.create_task(stars(name))
    try:
        async with asyncio.TaskGroup() as group:
            a = group.create_task(price(name))
            b = group.create_task(stock(name))
        try:
            rating = await asyncio.wait_for(extra, 0.5)
        except (ConnectionError, TimeoutError):
            rating = None
    finally:
        extra.cancel()
        await asyncio.gather(extra, return_exceptions=True)
    return a.result(), b.result(), rating

# %% page-1 right: gather and clean-up by hand
import asyncio


async def _or_none(awaitable):
    try:
        return await asyncio.wait_for(awaitable, timeout=0.5)
    except (ConnectionError, asyncio.TimeoutError):
        return None


async def page(price, stock, stars, name):
    coroutines = price(name), stock(name), _or_none(stars(name))
    tasks = list(map(asyncio.ensure_future, coroutines))
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% ask-pool-1 wrong: one connection for all, again
# cause: all questions share one connection, which refuses a second one at the same time
# line: async with pool.acquire() as connection: | tasks = [group.create_task(connection.fetch(name)) for name in names]
import asyncio


async def prices(pool, names):
    async with pool.acquire() as connection:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(connection.fetch(name)) for name in names]
    return [task.result() for task in tasks]

# %% ask-pool-1 wrong: a dict of answers drops repeated names
# cause: the answers are kept by name and their values are returned, so a name that stands twice in the list comes once, and in the order of arrival
# line: return list(found.values()) | found[name] = await connection.fetch(name)
import asyncio


async def prices(pool, names):
    found = {}

    async def ask(name):
        async with pool.acquire() as connection:
            found[name] = await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(ask(name))
    return list(found.values())

# %% ask-pool-1 right: slots of a list, wait for the first exception
import asyncio


async def prices(pool, names):
    names = list(names)
    answers = [None] * len(names)

    async def put(place, name):
        async with pool.acquire() as connection:
            answers[place] = await connection.fetch(name)

    tasks = [asyncio.create_task(put(*pair)) for pair in enumerate(names)]
    if not tasks:
        return answers
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return answers

# %% own-pool-1 wrong: counts only what is open
# cause: the number is raised only after connect has ended, so tasks that ask meanwhile open more than size
# line: self.opened += 1 | connection = await self.connect()
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.size = size
        self.opened = 0
        self.free = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self.free.empty() and self.opened < self.size:
            connection = await self.connect()
            self.opened += 1
        else:
            connection = await self.free.get()
        try:
            yield connection
        finally:
            self.free.put_nowait(connection)

    async def close(self):
        while not self.free.empty():
            await self.free.get_nowait().close()

# %% own-pool-1 wrong: the slot of a cancelled connect is lost
# cause: only an Exception of connect gives the slot back, a cancellation while connecting keeps it for ever
# line: except Exception:
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self.connect = connect
        self.slots = asyncio.Semaphore(size)
        self.free = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        await self.slots.acquire()
        if self.free:
            connection = self.free.pop()
        else:
            try:
                connection = await self.connect()
            except Exception:
                self.slots.release()
                raise
        try:
            yield connection
        finally:
            self.free.append(connection)
            self.slots.release()

    async def close(self):
        while self.free:
            await self.free.pop().close()

# %% own-pool-1 right: a semaphore and an exit stack, again
import asyncio
import collections
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._idle = collections.deque()
        self._permits = asyncio.BoundedSemaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._permits)
            try:
                connection = self._idle.popleft()
            except IndexError:
                connection = await self._connect()
            stack.callback(self._idle.append, connection)
            yield connection

    async def close(self):
        idle, self._idle = self._idle, collections.deque()
        await asyncio.gather(*(connection.close() for connection in idle))

# %% transaction-1 wrong: commits in a finally
# cause: after the rollback the finally executes commit too, so a failed block is committed
# line: finally: | await connection.execute("commit")
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield connection
    except BaseException:
        await connection.execute("rollback")
        raise
    finally:
        await connection.execute("commit")

# %% transaction-1 wrong: the error ends in the rollback
# cause: the error of the block is swallowed, because it isn't raised again after the rollback
# line: except BaseException:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    except BaseException:
        await connection.execute("rollback")
    else:
        await connection.execute("commit")

# %% transaction-1 right: an exit stack that is told what to execute
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    async def end(kind, error, trace):
        await connection.execute("commit" if kind is None else "rollback")
        return False

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(end)
        yield

# %% news-1 wrong: the newest is lost, again
# cause: if the queue of a client is full, the new message is dropped instead of the oldest one
# line: except asyncio.QueueFull: | pass
import asyncio


class Feed:
    def __init__(self, size):
        self.size = size
        self.queues = set()

    async def serve(self, client):
        queue = asyncio.Queue(self.size)
        self.queues.add(queue)
        try:
            while True:
                await client.send(await queue.get())
        except ConnectionError:
            return
        finally:
            self.queues.discard(queue)

    def publish(self, message):
        for queue in self.queues:
            try:
                queue.put_nowait(message)
            except asyncio.QueueFull:
                pass

# %% news-1 wrong: forgets only those who left
# cause: a client whose serve is cancelled or fails with another error stays in the dict and is not forgotten
# line: del self.waiting[client] | except ConnectionError:
import asyncio
from collections import deque


class Feed:
    def __init__(self, size):
        self.size = size
        self.waiting = {}

    async def serve(self, client):
        messages, news = deque(maxlen=self.size), asyncio.Event()
        self.waiting[client] = messages, news
        while True:
            await news.wait()
            news.clear()
            while messages:
                try:
                    await client.send(messages.popleft())
                except ConnectionError:
                    del self.waiting[client]
                    return

    def publish(self, message):
        for messages, news in self.waiting.values():
            messages.append(message)
            news.set()

# %% news-1 right: a deque and a future that wakes
import asyncio
import collections
import contextlib


class _Box:
    def __init__(self, size):
        self.messages = collections.deque(maxlen=size)
        self.waker = None

    def put(self, message):
        self.messages.append(message)
        if self.waker is not None and not self.waker.done():
            self.waker.set_result(None)

    async def get(self):
        while not self.messages:
            self.waker = asyncio.get_running_loop().create_future()
            try:
                await self.waker
            finally:
                self.waker = None
        return self.messages.popleft()


class Feed:
    def __init__(self, size):
        self._size = size
        self._boxes = {}

    async def serve(self, client):
        box = _Box(self._size)
        self._boxes[id(box)] = box
        try:
            while True:
                message = await box.get()
                try:
                    await client.send(message)
                except ConnectionError:
                    return
        finally:
            self._boxes.pop(id(box))

    def publish(self, message):
        for box in tuple(self._boxes.values()):
            box.put(message)

# %% shut-down-1 wrong: counts after they have ended
# cause: the number is taken after the cancelled tasks have taken themselves out of the set, so it is 0
# line: return len(under_way)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if under_way:
        await asyncio.wait(set(under_way), timeout=seconds)
    for task in list(under_way):
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    return len(under_way)

# %% shut-down-1 wrong: a failing request ends the grace
# cause: gather without return_exceptions raises at the first error, and then the others are cancelled before their time
# line: await asyncio.wait_for(asyncio.gather(*under_way), seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    tasks = list(under_way)
    try:
        await asyncio.wait_for(asyncio.gather(*under_way), seconds)
    except Exception:
        pass
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(left)

# %% shut-down-1 right: call_later cancels
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    tasks = tuple(under_way)
    cancelled = []

    def enough():
        for task in tasks:
            if not task.done():
                task.cancel()
                cancelled.append(task)

    timer = asyncio.get_running_loop().call_later(seconds, enough)
    try:
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        timer.cancel()
    return len(cancelled)

# %% news-1 right: one history for all
import asyncio
import collections


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.recent = collections.deque(maxlen=size)
        self.count = 0
        self.news = asyncio.Event()

    async def serve(self, client):
        position = self.count
        try:
            while True:
                while position == self.count:
                    await self.news.wait()
                oldest = self.count - len(self.recent)
                position = max(position, oldest)
                message = self.recent[position - oldest]
                position += 1
                await client.send(message)
        except ConnectionError:
            pass

    def publish(self, message):
        self.recent.append(message)
        self.count += 1
        self.news.set()
        self.news = asyncio.Event()

# %% shut-down-1 wrong: believes that a timeout spares what gather waits for
# cause: when the time is over, gather is cancelled and cancels all the requests itself; afterwards none is left to count, so 0 is returned
# line: await asyncio.gather(*under_way, return_exceptions=True)  # drain | async with asyncio.timeout(seconds):
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    cancelled = 0
    try:
        async with asyncio.timeout(seconds):
            await asyncio.gather(*under_way, return_exceptions=True)  # drain
    except TimeoutError:
        rest = [task for task in under_way if not task.done()]
        for task in rest:
            task.cancel()
            cancelled += 1
        await asyncio.gather(*rest, return_exceptions=True)
    return cancelled

# %% news-1 wrong: puts by tasks
# cause: put waits while the queue is full, so nothing is ever lost; the messages wait in tasks instead, more than size of them
# line: asyncio.create_task(queue.put(message))
import asyncio


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self.size = size
        self.clients = {}

    async def serve(self, client):
        key = object()
        queue = self.clients[key] = asyncio.Queue(self.size)
        try:
            while True:
                message = await queue.get()
                await client.send(message)
        except ConnectionError:
            pass
        finally:
            del self.clients[key]

    def publish(self, message):
        for queue in self.clients.values():
            asyncio.create_task(queue.put(message))

# %% page-1 wrong: late stars are given up but not cancelled
# cause: asyncio.wait doesn't cancel what is late, so the stars go on and the task group makes the page wait for them
# line: await asyncio.wait([asked], timeout=0.5) | found[2] = asked.result() if asked.done() else None
import asyncio


async def page(price, stock, stars, name):
    found = [None, None, None]

    async def safe_stars():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async def need(place, ask):
        found[place] = await ask(name)

    async with asyncio.TaskGroup() as group:
        asked = group.create_task(safe_stars())
        group.create_task(need(0, price))
        group.create_task(need(1, stock))
        await asyncio.wait([asked], timeout=0.5)
        found[2] = asked.result() if asked.done() else None
    return tuple(found)

# %% own-pool-1 wrong: opens new ones while others lie idle
# cause: the queue is first in, first out, so the empty places come before the connections that were given back, and a new one is opened though an old one is free
# line: self._places = asyncio.Queue() | place = await self._places.get()
import asyncio
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._places = asyncio.Queue()
        for _ in range(size):
            self._places.put_nowait(None)

    @contextlib.asynccontextmanager
    async def acquire(self):
        place = await self._places.get()
        try:
            if place is None:
                place = await self._connect()
            yield place
        finally:
            self._places.put_nowait(place)

    async def close(self):
        for _ in range(self._places.qsize()):
            place = self._places.get_nowait()
            if place is not None:
                await place.close()
            self._places.put_nowait(None)

# %% own-pool-1 wrong: a cancelled waiter keeps what it was handed
# cause: a task that is cancelled just after a connection (or a place) was handed to it doesn't pass it on, so it is lost for ever
# line: lent = await turn
import asyncio
import collections
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._room = size
        self._idle = []
        self._queue = collections.deque()

    def _hand_on(self, connection):
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(connection)
                return
        if connection is None:
            self._room += 1
        else:
            self._idle.append(connection)

    @contextlib.asynccontextmanager
    async def acquire(self):
        if self._idle:
            lent = self._idle.pop()
        elif self._room:
            self._room -= 1
            lent = None
        else:
            turn = asyncio.get_running_loop().create_future()
            self._queue.append(turn)
            lent = await turn
        try:
            if lent is None:
                lent = await self._connect()
            yield lent
        finally:
            self._hand_on(lent)

    async def close(self):
        while self._idle:
            connection = self._idle.pop()
            self._room += 1
            await connection.close()

# %% transaction-1 wrong: takes an older error for one of the block
# cause: sys.exc_info() also shows an error that is being handled outside, so a transaction in an except block is rolled back though its block came to its end
# line: failed = sys.exc_info()[0] is not None
import contextlib
import sys


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    try:
        yield
    finally:
        failed = sys.exc_info()[0] is not None
        await connection.execute("rollback" if failed else "commit")

# %% news-1 wrong: an empty message ends the service
# cause: the loop goes on only while the messages are true, so a message such as "", 0 or None is not sent and ends serve
# line: while message := await inbox.get():
import asyncio


class Feed:
    def __init__(self, size):
        self._size = size
        self._inboxes = set()

    async def serve(self, client):
        inbox = asyncio.Queue(self._size)
        self._inboxes.add(inbox)
        try:
            while message := await inbox.get():
                await client.send(message)
        except ConnectionError:
            pass
        finally:
            self._inboxes.discard(inbox)

    def publish(self, message):
        for inbox in self._inboxes:
            if inbox.full():
                inbox.get_nowait()
            inbox.put_nowait(message)

# %% news-1 wrong: the bell is silenced after the sending
# cause: the event is cleared after one message was sent, whatever came in the meantime, so messages that wait stay there until another is published
# line: reader.bell.clear()
import asyncio
import collections


class Reader:
    def __init__(self, size):
        self.box = collections.deque(maxlen=size)
        self.bell = asyncio.Event()

    def put(self, message):
        self.box.append(message)
        self.bell.set()


class Feed:
    def __init__(self, size):
        self.size = size
        self.readers = []

    async def serve(self, client):
        reader = Reader(self.size)
        self.readers.append(reader)
        try:
            while True:
                await reader.bell.wait()
                await client.send(reader.box.popleft())
                reader.bell.clear()
        except ConnectionError:
            return None
        finally:
            self.readers.remove(reader)

    def publish(self, message):
        for reader in self.readers:
            reader.put(message)

# %% shut-down-1 wrong: a limit for the cleanup too
# cause: the second wait has a time limit as well, so requests whose cleanup takes longer are still running when shut_down returns
# line: await asyncio.wait(late, timeout=seconds)
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    late = set()
    if under_way:
        _, late = await asyncio.wait(tuple(under_way), timeout=seconds)
    if late:
        for task in late:
            task.cancel()
        await asyncio.wait(late, timeout=seconds)
    return len(late)

# %% own-pool-1 wrong: a deque of places, from the left
# cause: the empty places come before the connection that was put back
# line: popleft
import asyncio
import collections
import contextlib


class Pool:
    def __init__(self, connect, size):
        self._connect = connect
        self._free = asyncio.Semaphore(size)
        self._places = collections.deque([None] * size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self._free:
            place = self._places.popleft()
            try:
                if place is None:
                    place = await self._connect()
                yield place
            finally:
                self._places.append(place)

    async def close(self):
        for place in self._places:
            if place is not None:
                await place.close()

# %% own-pool-1 wrong: a shared list of the class
# cause: the list belongs to the class, so each pool lends what another has opened
# line: _idle = []
import asyncio
import contextlib


class Pool:
    _idle = []

    def __init__(self, connect, size):
        self._connect = connect
        self._free = asyncio.Semaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self._free:
            place = self._idle.pop() if self._idle else await self._connect()
            try:
                yield place
            finally:
                self._idle.append(place)

    async def close(self):
        while self._idle:
            await self._idle.pop().close()

# %% transaction-1 wrong: a cancelled block is committed
# cause: a CancelledError is no Exception, so a cancelled block is committed
# line: except Exception
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    end = "commit"
    try:
        yield
    except Exception:
        end = "rollback"
        raise
    finally:
        await connection.execute(end)

# %% news-1 wrong: serves while the box has something
# cause: the loop ends when the box is empty, though the client has not left
# line: while box:
import asyncio
import collections


class Feed:
    def __init__(self, size):
        self.size, self.boxes, = size, []

    async def serve(self, client):
        box, some = collections.deque(maxlen=self.size), asyncio.Event()
        self.boxes.append((box, some))
        try:
            await some.wait()
            while box:
                await client.send(box.popleft())
        except ConnectionError:
            return
        finally:
            self.boxes.remove((box, some))

    def publish(self, message):
        for box, some in self.boxes:
            box.append(message)
            some.set()

# %% news-1 wrong: sends one for each ring
# cause: several messages may lie behind one ring, and only one of them is sent
# line: await client.send(box.popleft()) | some.clear()
import asyncio
import collections


class Feed:
    def __init__(self, size):
        self.size, self.boxes, = size, []

    async def serve(self, client):
        box, some = collections.deque(maxlen=self.size), asyncio.Event()
        self.boxes.append((box, some))
        try:
            while True:
                await some.wait()
                some.clear()
                await client.send(box.popleft())
        except ConnectionError:
            return
        finally:
            self.boxes.remove((box, some))

    def publish(self, message):
        for box, some in self.boxes:
            box.append(message)
            some.set()

# %% news-1 wrong: catches any OSError
# cause: OSError is wider than ConnectionError, so other errors of send don't come out
# line: except OSError
import asyncio


class Feed:
    def __init__(self, size):
        self._size = size
        self._inboxes = set()

    async def serve(self, client):
        inbox = asyncio.Queue(self._size)
        self._inboxes.add(inbox)
        try:
            while True:
                await client.send(await inbox.get())
        except OSError:
            pass
        finally:
            self._inboxes.discard(inbox)

    def publish(self, message):
        for inbox in self._inboxes:
            if inbox.full():
                inbox.get_nowait()
            inbox.put_nowait(message)

# %% shut-down-1 right: awaits each late one, whatever comes
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if not under_way:
        return 0
    _, late = await asyncio.wait(set(under_way), timeout=seconds)
    for task in late:
        task.cancel()
    for task in late:
        try:
            await task
        except (asyncio.CancelledError, Exception):
            pass
    return len(late)

# %% shut-down-1 wrong: returns the tasks
# cause: returns the set of tasks and not their number
# line: return late
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if not under_way:
        return 0
    _, late = await asyncio.wait(set(under_way), timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return late

# %% ask-pool-1 wrong: all questions on one connection
# cause: One connection is borrowed for all the questions, but it takes only one at a time and refuses the second one.
# line: async with pool.acquire() as connection: | group.create_task(connection.fetch(name))
import asyncio


async def prices(pool, names):
    async with pool.acquire() as connection:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(connection.fetch(name)) for name in names]
    return [task.result() for task in tasks]

# %% page-1 wrong: the group hears of the stars' error
# cause: `stars` runs as a task of the group itself, so its ConnectionError ends the whole group, whether or not it is also caught where the task is awaited.
# line: stars_task = group.create_task(stars(name))
import asyncio


async def page(price, stock, stars, name):
    async with asyncio.TaskGroup() as group:
        price_task = group.create_task(price(name))
        stock_task = group.create_task(stock(name))
        stars_task = group.create_task(stars(name))
        try:
            rating = await asyncio.wait_for(stars_task, 0.5)
        except (ConnectionError, TimeoutError):
            rating = None
    return price_task.result(), stock_task.result(), rating

# %% ask-pool-1 wrong: asks all questions through one connection
# cause: Only one connection is acquired and all tasks share it, but a connection takes one question at a time and refuses the second.
# line: async with pool.acquire() as connection: | tasks = [group.create_task
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    async with pool.acquire() as connection:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(connection.fetch(name)) for name in names]
    return [task.result() for task in tasks]

# %% own-pool-1 wrong: Cancellation loses the connection
# cause: CancelledError is not an Exception, so if the block is cancelled the connection doesn't go back to the pool, and a new one is opened in its place.
# line: except Exception:
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self._connect = connect
        self._slots = asyncio.Semaphore(size)
        self._idle = []

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self._slots:
            connection = self._idle.pop() if self._idle else await self._connect()
            try:
                yield connection
            except Exception:
                self._idle.append(connection)
                raise
            else:
                self._idle.append(connection)

    async def close(self):
        while self._idle:
            await self._idle.pop().close()

# %% shut-down-1 wrong: First failure ends the draining
# cause: With FIRST_EXCEPTION the wait ends as soon as one request fails, and the others are cancelled before their seconds are over.
# line: return_when=asyncio.FIRST_EXCEPTION
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if not under_way:
        return 0
    _, pending = await asyncio.wait(
        under_way,
        timeout=seconds,
        return_when=asyncio.FIRST_EXCEPTION,
    )
    for task in pending:
        task.cancel()
    if pending:
        await asyncio.wait(pending)
    return len(pending)

# %% ask-pool-1 wrong: gather on one connection
# cause: a connection is asked a second question while it answers
# line: asyncio.gather( | async with pool.acquire() as connection:
import asyncio


async def prices(pool, names):
    async with pool.acquire() as connection:
        return await asyncio.gather(*map(connection.fetch, names))

# %% page-1 wrong: gather, one timeout around
# cause: the half second holds for price and stock too
# line: asyncio.timeout(0.5) | return await cost, await left
import asyncio


async def page(price, stock, stars, name):
    async with asyncio.TaskGroup() as group:
        cost = group.create_task(price(name))
        left = group.create_task(stock(name))
        rating = group.create_task(stars(name))
        try:
            async with asyncio.timeout(0.5):
                return await cost, await left, await rating
        except (TimeoutError, ConnectionError):
            return await cost, await left, None

# %% page-1 wrong: OSError catches too much
# cause: OSError covers ConnectionError and TimeoutError but others as well, so a PermissionError or FileNotFoundError of stars becomes None instead of coming out.
# line: except OSError:
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""

    async def optional_stars():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except OSError:
            return None

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(coro)
            for coro in (price(name), stock(name), optional_stars())
        ]
    return tuple(task.result() for task in tasks)

# %% ask-pool-1 wrong: own limit of ten questions
# cause: the semaphore allows ten questions at once, so with a pool of more than ten connections some of them stay unused.
# line: limit = asyncio.Semaphore(10) | async with limit, pool.acquire() as connection:
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    names = list(names)
    results = [None] * len(names)
    limit = asyncio.Semaphore(10)

    async def worker(index, name):
        async with limit, pool.acquire() as connection:
            results[index] = await connection.fetch(name)

    async with asyncio.TaskGroup() as tg:
        for index, name in enumerate(names):
            tg.create_task(worker(index, name))
    return results

# %% transaction-1 wrong: exit stack rolls back after commit
# cause: The callback on the stack is never popped, so a rollback is executed after the commit of a block that came to its end.
# line: stack.push_async_callback | await connection.execute("commit") | none
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    async with contextlib.AsyncExitStack() as stack:
        await connection.execute("begin")
        stack.push_async_callback(connection.execute, "rollback")
        yield
        await connection.execute("commit")

# %% shut-down-1 wrong: counts after wait_for has cancelled
# cause: When wait_for raises TimeoutError the gathered tasks are already cancelled and have ended, so the set is empty and 0 is returned.
# line: left = list(under_way) | asyncio.wait_for(everything, seconds) | return len(left)
import asyncio


async def shut_down(server, under_way, seconds):
    """Stop accepting, drain, cancel what is left; return how many that were."""
    server.close()
    everything = asyncio.gather(*under_way, return_exceptions=True)
    try:
        await asyncio.wait_for(everything, seconds)
    except TimeoutError:
        left = list(under_way)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)
    return 0

# %% transaction-1 wrong: except Exception misses the cancellation
# cause: CancelledError is no Exception, so a block that is left by a cancellation is neither rolled back nor committed.
# line: except Exception:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except Exception:
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% transaction-1 wrong: the flag is never set
# cause: done is never set to True, so a block that came to its end is rolled back
# line: await connection.execute("rollback") | done = False | if not done:
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    await connection.execute("begin")
    done = False
    try:
        yield
    finally:
        if not done:
            await connection.execute("rollback")
        else:
            await connection.execute("commit")

# %% shut-down-1 wrong: a limit around a helper that gathers
# cause: the limit cancels the gather in the helper and with it all requests, so none is left to count
# line: await asyncio.wait_for(drain(under_way), seconds) | left = list(under_way)
import asyncio


async def drain(tasks):
    await asyncio.gather(*tasks, return_exceptions=True)


async def shut_down(server, under_way, seconds):
    server.close()
    try:
        await asyncio.wait_for(drain(under_way), seconds)
    except TimeoutError:
        left = list(under_way)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)
    return 0

# %% shut-down-1 wrong: cancels a second time
# cause: the second cancellation ends the cleanup that the first one began
# line: await asyncio.sleep(0) | task.cancel()
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    if not under_way:
        return 0
    _, left = await asyncio.wait(set(under_way), timeout=seconds)
    for task in left:
        task.cancel()
    await asyncio.sleep(0)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return len(left)

# %% ask-pool-1 right: divide and conquer in groups
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""

    async def some(part):
        match part:
            case []:
                return []
            case [name]:
                async with pool.acquire() as connection:
                    return [await connection.fetch(name)]
        half = len(part) // 2
        try:
            async with asyncio.TaskGroup() as group:
                left = group.create_task(some(part[:half]))
                right = group.create_task(some(part[half:]))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return left.result() + right.result()

    return await some(list(names))

# %% page-1 wrong: ConnectionError of stars isn't caught
# cause: only the TimeoutError is caught, so a ConnectionError of stars makes the whole page fail instead of giving None for the stars.
# line: except TimeoutError:
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""

    async def stars_or_none():
        try:
            async with asyncio.timeout(0.5):
                return await stars(name)
        except TimeoutError:
            return None

    async with asyncio.TaskGroup() as tg:
        price_task = tg.create_task(price(name))
        stock_task = tg.create_task(stock(name))
        stars_task = tg.create_task(stars_or_none())
    return price_task.result(), stock_task.result(), stars_task.result()

# %% page-1 wrong: forgives errors of price too
# cause: the helper that turns a ConnectionError into None is used for all three, so a ConnectionError of price or stock becomes None instead of coming out.
# line: tg.create_task(ask(price)) | tg.create_task(ask(stock)) | except ConnectionError:
import asyncio


async def page(price, stock, stars, name):
    async def ask(function, limit=None):
        timeout = asyncio.timeout(limit)
        try:
            async with timeout:
                return await function(name)
        except ConnectionError:
            return None
        except TimeoutError:
            if not timeout.expired():
                raise
            return None

    async with asyncio.TaskGroup() as tg:
        tasks = (
            tg.create_task(ask(price)),
            tg.create_task(ask(stock)),
            tg.create_task(ask(stars, 0.5)),
        )
    return tuple(task.result() for task in tasks)

# %% page-1 wrong: shield keeps the stars running
# cause: shield keeps wait_for from cancelling stars, so stars without an answer after 0.5 s go on running, as they do if price or stock fails.
# line: asyncio.shield(stars(name))
import asyncio


async def try_stars(stars, name):
    try:
        return await asyncio.wait_for(asyncio.shield(stars(name)), timeout=0.5)
    except (ConnectionError, TimeoutError):
        return None


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    async with asyncio.TaskGroup() as group:
        p = group.create_task(price(name))
        s = group.create_task(stock(name))
        rating = group.create_task(try_stars(stars, name))
    return p.result(), s.result(), rating.result()

# %% ask-pool-1 wrong: one question after the other
# cause: the loop awaits each fetch before it goes on to the next name, so only one question is under way although the pool has more connections.
# line: result.append(await connection.fetch(name)) | for name in names:
import asyncio


async def prices(pool, names):
    """Return the price of each name, in order."""
    result = []
    for name in names:
        async with pool.acquire() as connection:
            result.append(await connection.fetch(name))
    return result

# %% own-pool-1 wrong: throws connection away after error
# cause: after an error or a cancellation in the block the connection is closed instead of given back, so the next one who asks gets a new one.
# line: await connection.close() | except BaseException: | self._idle.append(connection)
import asyncio
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self._connect = connect
        self._idle = []
        self._semaphore = asyncio.Semaphore(size)

    @contextlib.asynccontextmanager
    async def acquire(self):
        async with self._semaphore:
            connection = self._idle.pop() if self._idle else await self._connect()
            try:
                yield connection
            except BaseException:
                await connection.close()
                raise
            else:
                self._idle.append(connection)

    async def close(self):
        idle, self._idle = self._idle, []
        for each in idle:
            await each.close()

# %% news-1 wrong: all that wait taken at once
# cause: All waiting messages are moved to a batch, where they still wait for the client but are not counted, so more than size wait and the oldest isn't lost.
# line: batch = list(inbox.messages) | inbox.messages.clear() | for message in batch:
import asyncio
import collections


class Inbox:
    def __init__(self, size):
        self.messages = collections.deque(maxlen=size)
        self.news = asyncio.Event()

    def put(self, message):
        self.messages.append(message)
        self.news.set()


class Feed:
    def __init__(self, size):
        self.size = size
        self.inboxes = set()

    async def serve(self, client):
        inbox = Inbox(self.size)
        self.inboxes.add(inbox)
        try:
            while True:
                await inbox.news.wait()
                inbox.news.clear()
                batch = list(inbox.messages)
                inbox.messages.clear()
                for message in batch:
                    await client.send(message)
        except ConnectionError:
            pass
        finally:
            self.inboxes.discard(inbox)

    def publish(self, message):
        for inbox in self.inboxes:
            inbox.put(message)

# %% ask-pool-1 wrong: ten workers, whatever the pool
# cause: The number of workers is fixed at 10, so with a pool of more connections only ten questions are under way at once.
# line: WORKERS = 10 | for _ in range(WORKERS):
import asyncio

WORKERS = 10


async def prices(pool, names):
    jobs = asyncio.Queue()
    names = list(names)
    for job in enumerate(names):
        jobs.put_nowait(job)
    results = [None] * len(names)

    async def worker():
        while not jobs.empty():
            index, name = jobs.get_nowait()
            async with pool.acquire() as connection:
                results[index] = await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        for _ in range(WORKERS):
            group.create_task(worker())
    return results

# %% page-1 right: call_later cancels the stars
import asyncio


async def page(price, stock, stars, name):
    async def soft():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    late = []
    async with asyncio.TaskGroup() as group:
        extra = group.create_task(soft())
        needed = [group.create_task(ask(name)) for ask in (price, stock)]
        alarm = asyncio.get_running_loop().call_later(
            0.5, lambda: late.append(extra.cancel()))
        try:
            await asyncio.wait([extra])
        finally:
            alarm.cancel()
    nothing = any(late) or extra.cancelled()
    return (*(task.result() for task in needed), None if nothing else extra.result())

# %% ask-pool-1 right: plain tasks and wait
import asyncio


async def _ask(pool, name):
    async with pool.acquire() as connection:
        return await connection.fetch(name)


async def _end(tasks):
    interrupted = None
    for task in tasks:
        task.cancel()
    while left := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            interrupted = error
    for task in tasks:
        task.cancelled() or task.exception()
    if interrupted is not None:
        raise interrupted


async def prices(pool, names):
    """Return the price of each name, in order."""
    tasks = [asyncio.ensure_future(_ask(pool, name)) for name in names]
    if not tasks:
        return []
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in ended:
            task.result()
        return [task.result() for task in tasks]
    finally:
        await _end(tasks)

# %% own-pool-1 right: tickets, futures, direct hand-over
import asyncio
import collections
import contextlib


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self._connect = connect
        self._room = size                       # connections that may still be opened
        self._idle = collections.deque()
        self._line = collections.deque()        # a future for each that waits

    def _hand_on(self, ticket):
        """A ticket is (connection,), or () for the right to open one."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(ticket)
                return
        if ticket:
            self._idle.extend(ticket)
        else:
            self._room += 1

    async def _ticket(self):
        if self._idle:
            return (self._idle.popleft(),)
        if self._room > 0:
            self._room -= 1
            return ()
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._hand_on(turn.result())
            elif turn in self._line:
                self._line.remove(turn)
            raise

    @contextlib.asynccontextmanager
    async def acquire(self):
        ticket = await self._ticket()
        try:
            if not ticket:
                ticket = (await self._connect(),)
            yield ticket[0]
        finally:
            self._hand_on(ticket)

    async def close(self):
        while self._idle:
            connection = self._idle.pop()
            await connection.close()
            self._room += 1

# %% transaction-1 right: an exit callback decides again
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    async def settle(kind, error, trace):
        await connection.execute("commit" if kind is None else "rollback")
        return False

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(settle)
        yield

# %% news-1 right: one shared log, a cursor each
import asyncio
import collections


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self._last = collections.deque(maxlen=size)
        self._total = 0
        self._bell = asyncio.Event()

    async def serve(self, client):
        position = self._total
        while True:
            while position == self._total:
                await self._bell.wait()
            first = self._total - len(self._last)
            position = max(position, first)
            if position == self._total:
                continue
            message = self._last[position - first]
            position += 1
            try:
                await client.send(message)
            except ConnectionError:
                return

    def publish(self, message):
        self._last.append(message)
        self._total += 1
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()

# %% shut-down-1 right: a timer cancels, gather waits
import asyncio


async def shut_down(server, under_way, seconds):
    server.close()
    tasks = tuple(under_way)
    cancelled = []

    def enough():
        cancelled.extend(task for task in tasks if task.cancel())

    alarm = asyncio.get_running_loop().call_later(seconds, enough)
    try:
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        alarm.cancel()
    return len(cancelled)

# %% page-1 right: a timer and a done callback
import asyncio


async def page(price, stock, stars, name):
    """Return price, stock and stars of `name`; the stars are None if they fail."""
    given_up = []

    async def shine():
        try:
            return await stars(name)
        except ConnectionError:
            return None

    async with asyncio.TaskGroup() as group:
        extra = group.create_task(shine())
        timer = asyncio.get_running_loop().call_later(
            0.5, lambda: given_up.append(extra.cancel()))
        extra.add_done_callback(lambda _: timer.cancel())
        needed = [group.create_task(ask(name)) for ask in (price, stock)]

    late = any(given_up) or extra.cancelled()
    return (*(task.result() for task in needed), None if late else extra.result())

# %% ask-pool-1 right: connection first, then a question
import asyncio
from collections import deque


async def prices(pool, names):
    line = deque(enumerate(names))
    answers = [None] * len(line)

    async def turn():
        async with pool.acquire() as connection:
            place, name = line.popleft()
            answers[place] = await connection.fetch(name)

    async with asyncio.TaskGroup() as group:
        for _ in range(len(line)):
            group.create_task(turn())
    return answers

# %% own-pool-1 right: places handed on through futures
import asyncio
import collections
import contextlib

VACANT = object()      # a place whose connection is still to be opened


class Pool:
    """At most `size` connections, each lent to one task at a time."""

    def __init__(self, connect, size):
        self._connect = connect
        self._shelf = collections.deque([VACANT] * size)    # connections left, vacancies right
        self._line = collections.deque()

    def _hand_on(self, place):
        while self._line:
            first = self._line.popleft()
            if not first.done():
                first.set_result(place)
                return
        if place is VACANT:
            self._shelf.append(place)
        else:
            self._shelf.appendleft(place)

    async def _place(self):
        if self._shelf:
            return self._shelf.popleft()
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            return await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._hand_on(turn.result())
            else:
                with contextlib.suppress(ValueError):
                    self._line.remove(turn)
            raise

    @contextlib.asynccontextmanager
    async def acquire(self):
        place = await self._place()
        try:
            if place is VACANT:
                place = await self._connect()
            yield place
        finally:
            self._hand_on(place)

    async def close(self):
        while self._shelf and self._shelf[0] is not VACANT:
            connection = self._shelf.popleft()
            try:
                await connection.close()
            finally:
                self._hand_on(VACANT)

# %% transaction-1 right: an exit callback on AsyncExitStack
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    async def settle(_kind, error, _trace):
        match error:
            case None:
                await connection.execute("commit")
            case _:
                with contextlib.suppress(Exception):    # the first error is the one to tell
                    await connection.execute("rollback")
        return False

    await connection.execute("begin")
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_exit(settle)
        yield connection

# %% transaction-1 wrong: no rollback for other BaseExceptions
# cause: after a SystemExit or a KeyboardInterrupt the transaction stays open
# line: except (Exception, asyncio.CancelledError):
import asyncio
import contextlib


@contextlib.asynccontextmanager
async def transaction(connection):
    """Keep what the block changes together, or not at all."""
    await connection.execute("begin")
    try:
        yield
    except (Exception, asyncio.CancelledError):
        await connection.execute("rollback")
        raise
    else:
        await connection.execute("commit")

# %% news-1 right: mailboxes with __anext__ and Event
import asyncio
import collections
import contextlib


class Mailbox:
    """An endless asynchronous iterator over the letters; keeps the newest ones."""

    def __init__(self, size):
        self.letters = collections.deque(maxlen=size)
        self.bell = asyncio.Event()

    def drop(self, letter):
        self.letters.append(letter)
        self.bell.set()

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self.letters:
            self.bell.clear()
            await self.bell.wait()
        return self.letters.popleft()


class Feed:
    """Send news to many clients, none of whom waits for another."""

    def __init__(self, size):
        self._size = size
        self._boxes = {}

    async def serve(self, client):
        box = Mailbox(self._size)
        with contextlib.ExitStack() as leaving:
            leaving.enter_context(contextlib.suppress(ConnectionError))
            self._boxes[box] = True
            leaving.callback(self._boxes.pop, box)
            async for letter in box:
                await client.send(letter)

    def publish(self, message):
        for box in self._boxes:
            box.drop(message)

# %% shut-down-1 right: done callbacks, Event and timeout
import asyncio
import contextlib


async def shut_down(server, under_way, seconds):
    server.close()
    left = {request for request in under_way if not request.done()}
    if not left:
        return 0
    quiet = asyncio.Event()

    def on_end(request):
        request.cancelled() or request.exception()      # seen, so that nobody complains
        left.discard(request)
        if not left:
            quiet.set()

    for request in left:
        request.add_done_callback(on_end)

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await quiet.wait()

    stopped = sum(request.cancel() for request in left)
    await quiet.wait()
    return stopped

# %% ask-pool-1 right: asks for the last name first
import asyncio


async def prices(pool, names):
    found = [None] * len(names)

    async def ask(place):
        async with pool.acquire() as connection:
            found[place] = await connection.fetch(names[place])

    async with asyncio.TaskGroup() as group:
        for place in reversed(range(len(names))):
            group.create_task(ask(place))
    return found
