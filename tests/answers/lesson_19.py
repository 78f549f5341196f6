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
# line: for name in names: | async with pool.acquire() as connection:
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
# told: none
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
# told: connection = await self.connect()
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
# told: none
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
