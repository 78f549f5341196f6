"""Exercises of lesson 19: a service that talks to others, and how it ends."""

import asyncio
import contextlib
import gc
import sys
import weakref
from collections import deque

from helpers.coach import Exercise, Wrong, right, wrong


def now():
    """Seconds on the running loop's clock."""
    return round(asyncio.get_running_loop().time(), 6)


def holds(error, kind):
    """Is `error` of this kind, or a group that holds one?"""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(kind) is not None
    return isinstance(error, kind)


def fails_alone(lab, call):
    """`call()` must let a LookupError out, alone or in a group, and leave no task running."""
    left = []

    async def calling():
        try:
            return await lab.awaitable(call())
        finally:
            left.extend(asyncio.all_tasks() - {asyncio.current_task()})

    try:
        run = lab.run(calling(), raises=(LookupError, BaseExceptionGroup))
    except Wrong as found:
        found.observed = found.observed.replace("LookupError or BaseExceptionGroup", "LookupError")
        raise
    if not holds(run.error, LookupError):
        raise run.error
    if left:
        raise Wrong(
            "leaked",
            f"The error came out, and {len(left)} of the others still ran.",
            lab.line(r"gather|create_task|ensure_future"),
            "Neither `gather` nor a lone `create_task` ends the others. A TaskGroup does.",
        )


@contextlib.contextmanager
def told_plainly():
    """Let a Wrong out alone that was raised in a task of a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        while isinstance(group, BaseExceptionGroup):
            group = (group.subgroup(Wrong) or group).exceptions[0]
        if isinstance(group, Wrong):
            raise group from None
        raise


class Page(Exercise):
    """A page that does without its stars

    Three coroutine functions take the name of an article, and each takes a while: `price(name)`
    and `stock(name)`, which the page can't do without, and `stars(name)`, which it can.

    Write `page(price, stock, stars, name)`: it asks all three at once and returns a tuple: the
    price, the stock and the stars.

    - If `stars` raises a `ConnectionError`, or has no answer after 0.5 s, the stars are None. The
      rest of the page is as it would have been.
    - If `price` or `stock` raises an error, that comes out, alone or in a group. Nothing is left
      running.
    """

    id = "page-1"
    asks = "page"
    minutes = 8
    hints = (
        "Which part may fail, and which may take too long? Put `try` and the time limit around "
        "that part alone, in a function of its own.",
        "A TaskGroup starts all three, ends the others if one fails, and lets its error out.",
        "In the small function: `async with asyncio.timeout(0.5): return await stars(name)`, and "
        "`except (TimeoutError, ConnectionError): return None`.",
    )
    equivalent = {
        "with_a_group: drop return, line 12": "a function that ends returns None",
        "with_a_group: task at once, line 17": "the other two have been started before it",
    }

    def verify(self, page, lab):
        async def calling(*parts):  # lab.run would quote the call, which tells too little
            return await lab.awaitable(page(*parts, "tea"))

        price = lab.service({"tea": 3}, {"tea": 300}, name="price")
        stock = lab.service({"tea": 3}, {"tea": 7}, name="stock")
        stars = lab.service({"tea": 0.4}, {"tea": 4.5}, name="stars")
        lab.told('for "tea", with waits of 3, 3 and 0.4 s')
        run = lab.run(calling(price, stock, stars))
        self._compare(run.result, (300, 7, 4.5), lab)
        lab.concurrent(run, longest=3, total=6.4)
        for asked in price, stock, stars:
            if len(asked.calls) != 1:
                raise Wrong(
                    "asked more than once",
                    f"One of the three was called {len(asked.calls)} times.",
                    try_="Ask each once, and keep its answer.",
                )

        lab.told("and `stars` raised ConnectionError")
        broken = lab.service(0.1, errors={"tea": ConnectionError("no way there")}, name="stars")
        try:
            run = lab.run(calling(price, stock, broken))
        except BaseExceptionGroup as group:
            caught = lab.line(r"except\b.*ConnectionError|suppress\(.*ConnectionError")
            if not caught or not holds(group, ConnectionError):
                raise
            raise Wrong(
                "raised",
                "ConnectionError came out in a group, though you catch it: the "
                "task that failed was the group's, and the group saw it too.",
                caught,
                "Catch it inside the task: in a small function around `stars`.",
            ) from None
        self._compare(run.result, (300, 7, None), lab)

        lab.told("and `stars` took a minute")
        slow = lab.service(60, {"tea": 4.5}, name="stars")
        try:
            run = lab.run(calling(price, stock, slow))
        except TimeoutError:
            raise Wrong(
                "one time limit for all",
                "TimeoutError came out, and the price was lost.",
                lab.line(r"timeout|wait_for"),
                "Put the time limit around the stars alone.",
            ) from None
        except BaseExceptionGroup as group:
            if not holds(group, TimeoutError):
                raise
            raise Wrong(
                "one time limit for all",
                "TimeoutError came out, and the price was lost.",
                lab.line(r"timeout|wait_for"),
                "Catch it where the limit is: around the stars alone.",
            ) from None
        if run.elapsed > 3.6:
            raise Wrong(
                "no time limit",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s.",
                lab.line(r"stars\("),
                "Give up the stars after 0.5 s: `async with asyncio.timeout(0.5):`.",
            )
        if run.elapsed > 3.001:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s.",
                try_="Start the stars, too, before you await any.",
            )
        self._compare(run.result, (300, 7, None), lab)

        lab.told("and `stars` took 1 s")
        late = lab.service({"tea": 1}, {"tea": 4.5}, name="stars")
        run = lab.run(calling(price, stock, late))
        if run.result[2] is not None:
            raise Wrong(
                "no time limit",
                f"The stars are {run.result[2]!r}: it waited 1 s for "
                "them, and 0.5 s was the limit.",
                lab.line(r"timeout|wait_for"),
                "Give up the stars after 0.5 s.",
            )

        for name in "price", "stock":
            lab.told(f"and `{name}` raised LookupError")
            failing = lab.service(0.1, errors={"tea": LookupError("no tea")}, name=name)
            asked = (failing, stock) if name == "price" else (price, failing)
            fails_alone(lab, lambda: page(*asked, stars, "tea"))
        lab.told("and cancelled it after 0.2 s")
        lab.run(calling(price, stock, stars), cancel_after=0.2)

    def _compare(self, got, expected, lab):
        if isinstance(got, tuple | list) and None in got[:2]:
            raise Wrong(
                "gave up what it can't do without",
                f"It returned {got!r}: price and stock are wanted whatever becomes of the stars.",
                lab.line(r"timeout|wait_for|except|suppress"),
                "Put `try` and the time limit around the stars alone, in a small function.",
            )
        lab.equal(got, expected)

    @right
    async def with_a_group(price, stock, stars, name):
        """Return price, stock and stars of `name`; the stars are None if they fail."""

        async def stars_or_none():
            try:
                async with asyncio.timeout(0.5):
                    return await stars(name)
            except (TimeoutError, ConnectionError):
                return None

        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
            liked = group.create_task(stars_or_none())
        return cents.result(), left.result(), liked.result()

    @right
    async def with_wait_for(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(TimeoutError, ConnectionError):
                return await asyncio.wait_for(stars(name), 0.5)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("sequential", says="6.4 s")
    async def in_turn(price, stock, stars, name):
        try:
            async with asyncio.timeout(0.5):
                liked = await stars(name)
        except (TimeoutError, ConnectionError):
            liked = None
        return await price(name), await stock(name), liked

    @wrong("sequential", says="3.4 s")
    async def the_stars_first(price, stock, stars, name):
        try:
            async with asyncio.timeout(0.5):
                task = asyncio.create_task(stars(name))
                liked = await task
        except (TimeoutError, ConnectionError):
            liked = None
        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
        return cents.result(), left.result(), liked

    @wrong("raised", says="no way there")
    async def without_a_default(price, stock, stars, name):
        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part(name)) for part in (price, stock, stars)]
        return tuple(part.result() for part in parts)

    @wrong("raised", says="Catch it inside the task")
    async def catches_beside_the_task(price, stock, stars, name):
        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
            task = group.create_task(stars(name))
            try:
                liked = await asyncio.wait_for(task, 0.5)
            except (TimeoutError, ConnectionError):
                liked = None
        return cents.result(), left.result(), liked

    @wrong("no time limit", says="60 s")
    async def waits_for_the_stars(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(ConnectionError):
                return await stars(name)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("no time limit", says="it waited 1 s")
    async def a_limit_too_long(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(TimeoutError, ConnectionError):
                return await asyncio.wait_for(stars(name), 2)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("leaked", says="lone `create_task`")
    async def tasks_without_an_owner(price, stock, stars, name):
        cents, left = asyncio.create_task(price(name)), asyncio.create_task(stock(name))
        liked = None
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(0.5):
                liked = await stars(name)
        return await cents, await left, liked

    @wrong("lost error", says="LookupError")
    async def a_default_for_all(price, stock, stars, name):
        async def maybe(part):
            try:
                return await part(name)
            except Exception:
                return None

        async def in_time():
            try:
                return await asyncio.wait_for(maybe(stars), 0.5)
            except TimeoutError:
                return None

        return tuple(await asyncio.gather(maybe(price), maybe(stock), in_time()))

    @wrong("leaked")
    async def with_gather(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(TimeoutError, ConnectionError):
                return await asyncio.wait_for(stars(name), 0.5)

        return tuple(await asyncio.gather(price(name), stock(name), maybe()))

    @wrong("one time limit for all", says="around the stars alone")
    async def a_limit_for_all(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(ConnectionError):
                return await stars(name)

        async with asyncio.timeout(3.2):
            async with asyncio.TaskGroup() as group:
                parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("gave up what it can't do without", says="(None, None, 4.5)")
    async def gives_all_up(price, stock, stars, name):
        parts = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5), asyncio.TaskGroup() as group:
                parts += [group.create_task(part(name)) for part in (price, stock, stars)]
        return tuple(None if part.cancelled() else part.result() for part in parts)

    @wrong("gave up what it can't do without", says="around the stars alone")
    async def catches_around_the_group(price, stock, stars, name):
        parts = []
        try:
            async with asyncio.TaskGroup() as group:
                parts += [group.create_task(part(name)) for part in (price, stock)]
                parts.append(group.create_task(asyncio.wait_for(stars(name), 0.5)))
        except* (TimeoutError, ConnectionError):
            pass
        return tuple(
            None if part.cancelled() or part.exception() else part.result() for part in parts
        )

    @wrong("one time limit for all", says="where the limit is")
    async def lets_the_timeout_out(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(ConnectionError):
                async with asyncio.timeout(0.5):
                    return await stars(name)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)


class Busy(Exception):
    """A second question came while the first was under way, as asyncpg's InterfaceError tells."""


class Connection:
    """A connection of the check's own: one conversation at a time.

    seconds: of each question. pool: where it must be lent from while it is used, or None.
    """

    def __init__(self, seconds=None, pool=None):
        self.seconds, self.pool = seconds or {}, pool
        self.busy = self.closed = False

    async def fetch(self, name):
        if self.pool is not None and self not in self.pool.lent:
            self.pool.misused = f"`fetch({name!r})` began when the connection was the pool's again."
            raise RuntimeError(self.pool.misused)
        if self.busy:
            raise Busy("cannot perform operation: another operation is in progress")
        self.busy = True
        try:
            await asyncio.sleep(self.seconds.get(name, 1))
            if name == "nothing":
                raise LookupError("there is no 'nothing'")
            return f"price of {name}"
        finally:
            self.busy = False

    async def close(self):
        await asyncio.sleep(0.1)
        self.closed = True


class CheckedPool:
    """A pool that knows what it has lent; `misused` tells of a use after that, in a sentence."""

    def __init__(self, size, seconds):
        self.lent, self.misused = set(), None
        self.free = asyncio.LifoQueue()
        for _ in range(size):
            self.free.put_nowait(Connection(seconds, self))

    @contextlib.asynccontextmanager
    async def acquire(self):
        connection = await self.free.get()
        self.lent.add(connection)
        try:
            yield connection
        finally:
            self.lent.remove(connection)
            self.free.put_nowait(connection)


class AskThePool(Exercise):
    """Many questions, few connections

    `pool` lends connections: `async with pool.acquire() as connection:`. `await
    connection.fetch(name)` asks one question and takes a while; a connection takes one question at
    a time, and refuses a second one with an error. Who asks a pool that has lent everything waits
    for its turn.

    Write `prices(pool, names)`, a coroutine function: it returns what `fetch` gave for each name,
    in the order of `names`. As many questions as the pool has connections are under way at once;
    how many that are, only the pool knows. If a question fails, its error comes out, alone or in a
    group, and nothing is left running.
    """

    id = "ask-pool-1"
    asks = "prices"
    minutes = 7
    hints = (
        "How many tasks are there, and how many conversations does one connection hold?",
        "Each question takes a connection for itself and gives it back. Put both into a small "
        "function, `ask(name)`, and start one for each name.",
        "`async def ask(name): async with pool.acquire() as connection: return await "
        "connection.fetch(name)`; then a TaskGroup. The pool itself keeps the limit.",
    )

    def verify(self, prices, lab):
        names = ["tea", "cup", "kettle", "toaster", "spoon", "plate"]
        lab.told('with a pool of one connection and `names` ["tea"]')
        lab.equal(self._ask(prices, lab, 1, ["tea"]).result, ["price of tea"])
        lab.told(
            "with a pool of two connections and four names; the first takes 3 s, the others "
            "1 s each"
        )
        seconds = {"tea": 3}
        run = self._ask(prices, lab, 2, names[:4], seconds)
        lab.equal(run.result, [f"price of {name}" for name in names[:4]])
        if run.elapsed > 5.9:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s, and one connection was lent at a "
                "time: two could have answered in 3 s.",
                lab.line(r"acquire|fetch"),
                "Each question takes a connection of its own: put `acquire` and `fetch` "
                "into a small function and start one for each name.",
            )
        if run.elapsed > 3.001:
            raise Wrong(
                "batch barrier",
                f"It took {run.elapsed:g} s; while the slow question was "
                "answered, the other connection could have answered all the rest in 3 s.",
                lab.line(r"gather|TaskGroup"),
            )
        lab.told("with a pool of three connections and six names, 1 s each")
        run = self._ask(prices, lab, 3, names)
        lab.equal(run.result, [f"price of {name}" for name in names])
        if run.elapsed > 2.001:
            raise Wrong(
                "a limit of its own",
                f"It took {run.elapsed:g} s; three connections could have answered in 2 s.",
                lab.line(r"Semaphore|range\("),
                "The pool keeps the limit: who asks too much waits there.",
            )
        lab.told('and one of the names was "nothing"')
        seconds = {"nothing": 0.5, "tea": 9}
        fails_alone(lab, lambda: prices(CheckedPool(2, seconds), ["nothing", "tea", "cup"]))

    def _ask(self, prices, lab, size, names, seconds=None):
        pools = []

        async def asking():
            pools.append(CheckedPool(size, seconds or {}))
            return await lab.awaitable(prices(pools[0], list(names)))

        try:
            run = lab.run(asking())
        except Exception as error:
            if pools and pools[0].misused:
                raise Wrong(
                    "used a connection that was given back",
                    pools[0].misused,
                    lab.line(r"fetch"),
                    "It is yours inside `async with pool.acquire()` only: await the answer there.",
                ) from None
            if not holds(error, Busy):
                raise
            raise Wrong(
                "connection shared",
                "The connection refused a second question: another operation is in progress.",
                lab.line("fetch"),
            ) from None
        if pools[0].lent:
            raise Wrong(
                "left open",
                f"{len(pools[0].lent)} connections were not given back.",
                lab.line("acquire"),
                "`async with pool.acquire()` gives it back.",
            )
        return run

    @right
    async def one_each(pool, names):
        """Return the price of each name, in order."""

        async def ask(name):
            async with pool.acquire() as connection:
                return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("connection shared", says="another operation is in progress")
    async def one_for_all(pool, names):
        async with pool.acquire() as connection:
            return await asyncio.gather(*(connection.fetch(name) for name in names))

    @wrong("connection shared", says="one after another")
    async def one_for_a_group(pool, names):
        async with pool.acquire() as connection:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(connection.fetch(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("sequential", says="two could have answered in 3 s")
    async def in_turn(pool, names):
        async with pool.acquire() as connection:
            return [await connection.fetch(name) for name in names]

    @wrong("sequential")
    async def one_lock(pool, names):
        lock = asyncio.Lock()

        async def ask(name):
            async with lock, pool.acquire() as connection:
                return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("batch barrier", says="It took 4 s")
    async def in_twos(pool, names):
        async def ask(name):
            async with pool.acquire() as connection:
                return await connection.fetch(name)

        answers = []
        for start in range(0, len(names), 2):
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(ask(name)) for name in names[start : start + 2]]
            answers += [task.result() for task in tasks]
        return answers

    @wrong("a limit of its own", says="three connections")
    async def two_at_once(pool, names):
        places = asyncio.Semaphore(2)

        async def ask(name):
            async with places, pool.acquire() as connection:
                return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("used a connection that was given back", says="inside `async with")
    async def gives_it_back_first(pool, names):
        async def ask(name):
            async with pool.acquire() as connection:
                answer = connection.fetch(name)
            return await answer

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("leaked")
    async def with_gather(pool, names):
        async def ask(name):
            async with pool.acquire() as connection:
                return await connection.fetch(name)

        return await asyncio.gather(*(ask(name) for name in names))

    @wrong("raised", says="TypeError")
    async def awaits_the_pool(pool, names):
        async def ask(name):
            connection = await pool.acquire()
            return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]


HELD = 1.0037  # seconds that a connection is held: no multiple of what one sleeps who polls


class PoolByHand(Exercise):
    """A pool by hand

    `connect()` is a coroutine function: it takes a while and returns a new connection, which has a
    coroutine method `close()`. Write a class:

    - `Pool(connect, size)` makes a pool. It opens nothing yet.
    - `async with pool.acquire() as connection:` lends a connection: one that was given back, if
      there is one; a new one, if fewer than `size` are open; else it waits until one is given
      back. While one is being opened, another may be. At the end of the block it goes back to the
      pool, after an error or a cancellation too, and these go on their way.
    - `await pool.close()` closes all connections. (It is called when all of them are back.)

    A connection belongs to one task at a time, and never are more than `size` open. If `connect()`
    raises an error, that comes out of `acquire`, and the next one may try again.
    """

    id = "own-pool-1"
    asks = "Pool"
    minutes = 12
    hints = (
        "Two things are to be counted: how many may be lent at once, and which ones are free. The "
        "first is what a semaphore does.",
        "Between `if fewer than size are open` and `await connect()` others have their turn. Take "
        "the place first, and open then.",
        "`@contextlib.asynccontextmanager` on `async def acquire(self)`; inside, `async with "
        "self.places:` take a connection from the list of free ones or open one, `try: yield` it, "
        "`finally:` put it back into the list.",
    )

    def verify(self, Pool, lab):
        with told_plainly():
            lab.run(self._days(Pool, lab))

    async def _days(self, Pool, lab):
        opened, fails, left_by = [], [], []

        async def connect():
            await asyncio.sleep(1)
            if fails:
                raise fails.pop()
            opened.append(Connection())
            if sum(not connection.closed for connection in opened) > size:
                if left_by:
                    raise Wrong(
                        "lost a place",
                        f"After {left_by[-1]} the connection did not come "
                        f"back: the next borrower got another one, and {size} is allowed.",
                        lab.line(r"\byield\b"),
                        "What was taken goes back in `finally`.",
                    )
                raise Wrong(
                    "limit",
                    f"{len(opened)} connections were opened, and {size} are allowed.",
                    lab.line(r"connect\("),
                    "While one task awaits `connect()` others look at the count as well. "
                    "Take the place before you open: a semaphore of `size` does.",
                )
            return opened[-1]

        async def use(pool, seconds=1.0, error=None):
            made = pool.acquire()
            if not hasattr(made, "__aenter__"):
                if hasattr(made, "close"):
                    made.close()
                raise Wrong(
                    "not a context manager",
                    f"`acquire()` returned {type(made).__name__}, which `async with` doesn't take.",
                    lab.line(r"def\s+acquire"),
                    "`@contextlib.asynccontextmanager` makes one of an async function with "
                    "one `yield`.",
                )
            async with made as connection:
                if not isinstance(connection, Connection):
                    raise Wrong(
                        "value",
                        f"`acquire` gave {connection!r}, and not a connection.",
                        lab.line(r"\byield\b"),
                    )
                if connection.busy:
                    raise Wrong(
                        "connection shared",
                        "Two tasks were lent the same connection.",
                        lab.line(r"\byield\b"),
                        "Take it out of what is free before you "
                        "lend it, and put it back afterwards.",
                    )
                connection.busy = True
                try:
                    await asyncio.sleep(seconds)
                    if error:
                        raise error
                finally:
                    connection.busy = False

        size = 2
        lab.told("with a size of 2")
        pool = lab.call(Pool, connect, 2)
        lab.told("with a size of 2, and borrowed twice, one after another")
        await use(pool)
        if len(opened) > 1:
            raise Wrong(
                "opened in advance",
                f"The first borrower needs one connection, and {len(opened)} were opened.",
                lab.line(r"connect\("),
                "Open one when somebody wants it and none is free.",
            )
        await use(pool)
        if len(opened) != 1 and opened[0].closed:
            raise Wrong(
                "closed what it lent",
                "The connection was closed at the end of the block, "
                "and the next borrower waited for a new one to be opened.",
                lab.line(r"close\("),
                "Keep it: only `close()` of the pool closes.",
            )
        if len(opened) != 1:
            raise Wrong(
                "opened what it had",
                f"{len(opened)} connections were opened, though the first one was free again.",
                lab.line(r"connect\("),
                "Look first whether one was given back.",
            )

        size, opened[:] = 3, []
        lab.told("with a size of 3, and borrowed for a second by seven tasks at once")
        pool, begin = Pool(connect, 3), now()
        async with asyncio.TaskGroup() as group:
            for _ in range(7):
                group.create_task(use(pool, HELD))
        seconds, best = now() - begin, 1 + 3 * HELD
        if len(opened) < 3:
            raise Wrong(
                "one at a time",
                f"It opened {len(opened)} of 3, and all seven took "
                f"{seconds:g} s; they could have taken 4 s.",
                lab.line(r"Lock|Semaphore"),
                "Up to `size` tasks hold a connection at once: no lock around the lending.",
            )
        if best + 0.001 < seconds < best + 0.7:
            raise Wrong(
                "asks again and again",
                f"All seven took {seconds:g} s; {best:g} s is enough.",
                lab.line(r"sleep\("),
                "Do not ask every now and then whether "
                "one is free: a semaphore or a queue wakes who waits.",
            )
        if seconds > best + 0.001:
            raise Wrong(
                "opened one after another",
                f"All seven took {seconds:g} s; three at a time take 4 s, the opening included.",
                lab.line(r"connect\("),
                "Connections may be opened at the same time.",
            )
        await pool.close()
        lab.check_awaited()
        left = sum(not connection.closed for connection in opened)
        if left:
            raise Wrong(
                "left open",
                f"After `close()` {left} of {len(opened)} connections were still open.",
                lab.line(r"connect\(\)"),
                "`await connection.close()` for each that the pool has opened.",
            )

        size, opened[:] = 1, []
        pool = Pool(connect, 1)
        lab.told("with a size of 1, and the first borrower raised an error")
        left_by.append("the error")
        try:
            await use(pool, error=KeyError("mine"))
        except KeyError:
            pass
        else:
            raise Wrong(
                "lost error",
                "The KeyError of the block had to come out of it.",
                lab.line(r"\bexcept\b|suppress"),
                "Give the connection back in `finally`, and let the error go on.",
            )
        await self._soon(use(pool), "the error", lab)
        lab.told("with a size of 1, and the borrower was cancelled")
        left_by.append("the cancellation")
        task = asyncio.create_task(use(pool, 60))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])
        await self._soon(use(pool), "the cancellation", lab)
        lab.told("with a size of 1, and one who waited for his turn was cancelled")
        first = asyncio.create_task(use(pool, 2))
        await asyncio.sleep(0.5)
        second = asyncio.create_task(use(pool))
        await asyncio.sleep(0.5)
        second.cancel()
        await asyncio.wait([first, second])
        await self._soon(use(pool), "the cancellation", lab)

        opened[:], left_by[:] = [], []
        pool = Pool(connect, 1)
        lab.told("with a size of 1, and the first `connect()` raised OSError")
        fails.append(OSError("nobody there"))
        try:
            await use(pool)
        except OSError:
            pass
        else:
            raise Wrong(
                "lost error", "The OSError had to come out of `acquire`.", lab.line(r"\bexcept\b")
            )
        await self._soon(use(pool), "the failed `connect()`", lab)

    async def _soon(self, using, what, lab):
        try:
            await asyncio.wait_for(using, 10)
        except TimeoutError:
            raise Wrong(
                "lost a place",
                f"After {what} the next one waited for ever: a place or a "
                "connection never came back.",
                lab.line(r"\byield\b|def\s+acquire"),
                "What was taken goes back in `finally`; and a place that was taken for a "
                "connection that could not be opened is free again.",
            ) from None

    @right
    class with_a_semaphore:
        """At most `size` connections, each lent to one task at a time."""

        def __init__(self, connect, size):
            self.connect = connect
            self.places = asyncio.Semaphore(size)
            self.free = []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = self.free.pop() if self.free else await self.connect()
                try:
                    yield connection
                finally:
                    self.free.append(connection)

        async def close(self):
            while self.free:
                await self.free.pop().close()

    @right
    class with_a_queue:
        def __init__(self, connect, size):
            self.connect, self.slots = connect, asyncio.LifoQueue()
            for _ in range(size):
                self.slots.put_nowait(None)

        @contextlib.asynccontextmanager
        async def acquire(self):
            slot = await self.slots.get()
            try:
                if slot is None:
                    slot = await self.connect()
                yield slot
            finally:
                self.slots.put_nowait(slot)

        async def close(self):
            while not self.slots.empty():
                slot = self.slots.get_nowait()
                if slot is not None:
                    await slot.close()

    @wrong("limit", says="Take the place before you open")
    class counts_too_late:
        def __init__(self, connect, size):
            self.connect, self.size = connect, size
            self.opened, self.free = 0, asyncio.Queue()

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

    @wrong("lost a place", says="failed `connect()`")
    class counts_what_was_never_opened:
        def __init__(self, connect, size):
            self.connect, self.size = connect, size
            self.opened, self.free = 0, asyncio.Queue()

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

    @wrong("opened what it had", says="2 connections were opened")
    class opens_always:
        def __init__(self, connect, size):
            self.connect, self.places, self.opened = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                self.opened.append(await self.connect())
                yield self.opened[-1]

        async def close(self):
            for connection in self.opened:
                await connection.close()

    @wrong("closed what it lent", says="only `close()` of the pool")
    class closes_after_each:
        def __init__(self, connect, size):
            self.connect, self.places = connect, asyncio.Semaphore(size)

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = await self.connect()
                try:
                    yield connection
                finally:
                    await connection.close()

        async def close(self):
            pass

    @wrong("lost error", says="KeyError of the block")
    class prints_the_error:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = self.free.pop() if self.free else await self.connect()
                try:
                    yield connection
                except Exception as error:
                    print(error)
                finally:
                    self.free.append(connection)

        async def close(self):
            while self.free:
                await self.free.pop().close()

    @wrong("lost a place", says="After the error")
    class no_finally:
        def __init__(self, connect, size):
            self.connect, self.slots = connect, asyncio.LifoQueue()
            for _ in range(size):
                self.slots.put_nowait(None)

        @contextlib.asynccontextmanager
        async def acquire(self):
            slot = await self.slots.get() or await self.connect()
            yield slot
            self.slots.put_nowait(slot)

        async def close(self):
            while not self.slots.empty():
                slot = self.slots.get_nowait()
                if slot:
                    await slot.close()

    @wrong("lost a place", says="did not come back")
    class gives_back_the_place_alone:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = self.free.pop() if self.free else await self.connect()
                yield connection
                self.free.append(connection)

        async def close(self):
            while self.free:
                await self.free.pop().close()

    @wrong("opened in advance", says="2 were opened")
    class opens_all_at_first:
        def __init__(self, connect, size):
            self.connect, self.size, self.free = connect, size, None

        @contextlib.asynccontextmanager
        async def acquire(self):
            if self.free is None:
                self.free = asyncio.Queue()
                for _ in range(self.size):
                    self.free.put_nowait(await self.connect())
            connection = await self.free.get()
            try:
                yield connection
            finally:
                self.free.put_nowait(connection)

        async def close(self):
            while not self.free.empty():
                await self.free.get_nowait().close()

    @wrong("lost a place", says="After the cancellation")
    class errors_only:
        def __init__(self, connect, size):
            self.connect, self.slots = connect, asyncio.LifoQueue()
            for _ in range(size):
                self.slots.put_nowait(None)

        @contextlib.asynccontextmanager
        async def acquire(self):
            slot = await self.slots.get() or await self.connect()
            try:
                yield slot
            except Exception:
                self.slots.put_nowait(slot)
                raise
            self.slots.put_nowait(slot)

        async def close(self):
            while not self.slots.empty():
                slot = self.slots.get_nowait()
                if slot:
                    await slot.close()

    @wrong("connection shared", says="the same connection")
    class lends_the_first_one:
        def __init__(self, connect, size):
            self.connect, self.places, self.opened = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                if not self.opened:
                    self.opened.append(await self.connect())
                yield self.opened[0]

        async def close(self):
            for connection in self.opened:
                await connection.close()

    @wrong("left open", says="3 of 3")
    class closes_nothing:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = self.free.pop() if self.free else await self.connect()
                try:
                    yield connection
                finally:
                    self.free.append(connection)

        async def close(self):
            self.free.clear()

    @wrong("not awaited", says="close")
    class forgets_to_await:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.places:
                connection = self.free.pop() if self.free else await self.connect()
                try:
                    yield connection
                finally:
                    self.free.append(connection)

        async def close(self):
            for connection in self.free:
                connection.close()

    @wrong("not a context manager", says="asynccontextmanager")
    class returns_it:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        async def acquire(self):
            await self.places.acquire()
            return self.free.pop() if self.free else await self.connect()

        async def close(self):
            for connection in self.free:
                await connection.close()

    @wrong("asks again and again", says="wakes who waits")
    class polls:
        def __init__(self, connect, size):
            self.connect, self.size, self.free, self.opened = connect, size, [], 0

        @contextlib.asynccontextmanager
        async def acquire(self):
            while not self.free and self.opened >= self.size:
                await asyncio.sleep(0.01)
            if self.free:
                connection = self.free.pop()
            else:
                self.opened += 1
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

    @wrong("one at a time", says="they could have taken 4 s")
    class a_lock_around_all:
        def __init__(self, connect, size):
            self.connect, self.lock, self.free = connect, asyncio.Lock(), []

        @contextlib.asynccontextmanager
        async def acquire(self):
            async with self.lock:
                connection = self.free.pop() if self.free else await self.connect()
                try:
                    yield connection
                finally:
                    self.free.append(connection)

        async def close(self):
            for connection in self.free:
                await connection.close()


class Transaction(Exercise):
    """All or nothing

    `await connection.execute(sql)` takes a while. Write the function `transaction(connection)`; the
    decorator above it makes an async context manager of it. `async with transaction(connection):`
    executes "begin" before the block. If the block comes to its end, it executes "commit"; if it
    is left by an error or a cancellation, "rollback", and the error or the cancellation goes on
    its way.
    """

    id = "transaction-1"
    asks = "transaction"
    minutes = 6
    hints = (
        "`@contextlib.asynccontextmanager` makes a context manager of an async function with one "
        "`yield`: that is where the block runs.",
        "Which exception does a cancellation raise at the `yield`? Does `except Exception` catch "
        "it?",
        "`try: yield`, `except BaseException:` rollback and `raise`, and `else:` commit.",
    )

    def verify(self, transaction, lab):
        lab.told("and the block came to its end")
        log = self._block(transaction, lab)
        self._compare(log, ["begin", "commit"], lab)
        lab.told("and the block raised KeyError")
        log = self._block(transaction, lab, KeyError("no such account"), raises=KeyError)
        self._compare(log, ["begin", "rollback"], lab)
        lab.told("and the block was cancelled")
        log = self._block(transaction, lab, cancel_after=2.5)
        self._compare(log, ["begin", "rollback"], lab)
        lab.told("and the database refused the commit")
        log = self._block(transaction, lab, refuses="commit", raises=ConnectionError)

    def _block(self, transaction, lab, error=None, refuses=None, **more):
        log, asked = [], []

        class Database:
            async def execute(self, sql):
                sql = sql.rstrip("; ").lower()  # as a database reads it
                asked.append(sql)
                await asyncio.sleep(1)
                log.append(sql)
                if sql == refuses:
                    raise ConnectionError("the database has gone")

        async def main():
            made = transaction(Database())
            if not hasattr(made, "__aenter__"):
                if hasattr(made, "close"):
                    made.close()
                raise Wrong(
                    "not a context manager",
                    f"It returned {type(made).__name__}, which `async with` doesn't take.",
                    lab.line(r"def\s+transaction"),
                    "`@contextlib.asynccontextmanager` makes one of an async function with "
                    "one `yield`.",
                )
            async with made:
                log.append("block")
                await asyncio.sleep(1)
                if error:
                    raise error
                await asyncio.sleep(1)

        try:
            lab.run(main(), **more)
        except Wrong as found:
            if found.kind != "leaked" or asked == log[:-1]:
                raise
        if len(asked) > len([sql for sql in log if sql != "block"]):
            raise Wrong(
                "did not wait for the end",
                f'The block was left while "{asked[-1]}" was '
                "still under way: nobody waited for it.",
                lab.line(r"create_task|ensure_future"),
                f'`await connection.execute("{asked[-1]}")` there.',
            )
        return log

    def _compare(self, log, expected, lab):
        if "block" in log and log.index("block") != 1 and "begin" in log[1:]:
            raise Wrong(
                "order",
                "The block ran before the transaction had begun.",
                lab.line("begin"),
                "`begin` stands before the `yield`.",
            )
        said = [sql for sql in log if sql != "block"]
        if said == ["begin"]:
            raise Wrong(
                "left the transaction open",
                'It executed "begin", and then neither '
                '"commit" nor "rollback": the next who gets this connection is in the '
                "middle of it.",
                lab.line(r"except|\byield\b"),
                "An error of the block comes out of the `yield`. CancelledError is no "
                "`Exception`: `finally` and `except BaseException` see it.",
            )
        if said == ["begin", "commit"] and expected[-1] == "rollback":
            raise Wrong(
                "kept one half",
                'It executed "commit", so what was changed before the '
                "error is kept, and the rest is missing.",
                lab.line("commit"),
                '"commit" belongs to the block that came to its end.',
            )
        lab.equal(said, expected, what="it executed")

    @right
    @contextlib.asynccontextmanager
    async def with_else(connection):
        """Keep what the block changes together, or not at all."""
        await connection.execute("begin")
        try:
            yield
        except BaseException:
            await connection.execute("rollback")
            raise
        else:
            await connection.execute("commit")

    @right
    @contextlib.asynccontextmanager
    async def with_finally(connection):
        await connection.execute("begin")
        end = "rollback"
        try:
            yield
            end = "commit"
        finally:
            await connection.execute(end)

    @right
    @contextlib.asynccontextmanager
    async def in_capitals(connection):
        await connection.execute("BEGIN;")
        try:
            yield connection
        except BaseException:
            await connection.execute("ROLLBACK;")
            raise
        await connection.execute("COMMIT;")

    @wrong("left the transaction open", says="CancelledError is no")
    @contextlib.asynccontextmanager
    async def errors_only(connection):
        await connection.execute("begin")
        try:
            yield
        except Exception:
            await connection.execute("rollback")
            raise
        else:
            await connection.execute("commit")

    @wrong("left the transaction open", says="neither")
    @contextlib.asynccontextmanager
    async def no_try(connection):
        await connection.execute("begin")
        yield
        await connection.execute("commit")

    @wrong("did not wait for the end", says="rollback")
    @contextlib.asynccontextmanager
    async def does_not_wait(connection):
        await connection.execute("begin")
        try:
            yield
        except BaseException:
            asyncio.create_task(connection.execute("rollback"))
            raise
        await connection.execute("commit")

    @wrong("kept one half", says="commit")
    @contextlib.asynccontextmanager
    async def commits_always(connection):
        await connection.execute("begin")
        try:
            yield
        finally:
            await connection.execute("commit")

    @wrong("lost error", says="KeyError")
    @contextlib.asynccontextmanager
    async def swallows(connection):
        await connection.execute("begin")
        try:
            yield
        except BaseException:
            await connection.execute("rollback")
        else:
            await connection.execute("commit")

    @wrong("value", says="rollback")
    @contextlib.asynccontextmanager
    async def takes_back_always(connection):
        await connection.execute("begin")
        try:
            yield
            await connection.execute("commit")
        finally:
            await connection.execute("rollback")

    @wrong("not awaited", says="execute")
    @contextlib.asynccontextmanager
    async def forgets_to_await(connection):
        connection.execute("begin")
        try:
            yield
        except BaseException:
            connection.execute("rollback")
            raise
        else:
            connection.execute("commit")

    @wrong("not a context manager", says="asynccontextmanager")
    async def no_decorator(connection):
        await connection.execute("begin")
        try:
            yield
        except BaseException:
            await connection.execute("rollback")
            raise
        else:
            await connection.execute("commit")


class News:
    """A message that can be seen to be forgotten."""


class Client:
    """A client of the check's own: `send` takes `seconds`; after `most` messages it has left."""

    def __init__(self, seconds, most=None):
        self.seconds, self.most, self.got = seconds, most, []
        self.busy = self.shared = False

    async def send(self, message):
        if self.busy:
            self.shared = True
            raise RuntimeError("another send to this client is under way")
        if self.most is not None and len(self.got) >= self.most:
            raise ConnectionError("the client has left")
        self.busy = True
        try:
            await asyncio.sleep(self.seconds)
            self.got.append(message)
        finally:
            self.busy = False


class Feed(Exercise):
    """News that nobody stalls

    Write a class `Feed`, which sends news to many clients. `await client.send(message)` sends one
    message to one client; it takes a while, with some clients long.

    - `Feed(size)` makes a feed.
    - `await feed.serve(client)` sends to this client, in order, every message that is published
      from now on. It returns when `send` raises a `ConnectionError`: the client has left. It may
      also be cancelled.
    - `feed.publish(message)`, an ordinary function, hands a message to all clients that are
      served now. It returns at once.

    At most `size` messages wait for one client (the one that is being sent is not counted). If one
    more comes, the oldest of those that wait is lost. No client notices how slow another is. Who
    has left, or is served no more, is forgotten.
    """

    id = "news-1"
    asks = "Feed"
    minutes = 12
    hints = (
        "Who may wait for a slow client? Only the task that serves it. So what lies between "
        "`publish` and that task?",
        "Each client has a box of its own: a queue with `maxsize=size`. `publish` puts into all of "
        "them, `serve` takes out of one and sends.",
        "In `publish`: `if box.full(): box.get_nowait()`, then `box.put_nowait(message)`. In "
        "`serve`: `finally` takes the box away.",
    )

    def verify(self, Feed, lab):
        lab.run(self._day(Feed, lab))

    async def _day(self, Feed, lab):
        feed = lab.call(Feed, 3)
        lab.told(
            "with a size of 3, and published eleven messages, one each second, to a quick "
            "client and to a slow one that takes 100 s for each"
        )
        quick, slow = Client(0.1), Client(100)
        serving = [asyncio.create_task(self._serve(feed, client, lab)) for client in (quick, slow)]
        await asyncio.sleep(0.5)
        for number in range(11):
            self._publish(feed, number, lab)
            await asyncio.sleep(1)
        if quick.shared or slow.shared:
            raise Wrong(
                "connection shared",
                "`send` was called while another `send` to the same client was under way.",
                lab.line(r"\bsend\("),
                "One task for each client sends, one message after another.",
            )
        self._look_at(serving)
        if serving[0].done() or serving[1].done():
            raise Wrong(
                "served nobody",
                "`serve` returned, and the client had not left.",
                lab.line(r"def\s+serve"),
                "It goes on, in a loop: take a message, send it, "
                "until `send` raises ConnectionError.",
            )
        if len(quick.got) < 11:
            raise Wrong(
                "value",
                f"The quick client got {quick.got}, and eleven messages were published.",
                lab.line(r"def\s+(publish|serve)"),
                "Each client gets every message: a box for each, and one task that empties it.",
            )
        lab.equal(quick.got, list(range(11)), what="the quick client got")
        await asyncio.sleep(2000)
        self._look_at(serving)
        if len(slow.got) > 4:
            raise Wrong(
                "unbounded",
                f"{len(slow.got) - 1} messages waited for the slow client; 3 may wait.",
                lab.line(r"Queue\(|deque\(|\[\]"),
                "Give each box a `maxsize`, and say what is lost when it is full.",
            )
        lab.equal(slow.got, [0, 8, 9, 10], what="the slow client got")

        lab.told("and a client joined after the first message, and left after two")
        late, gone = Client(0.1), Client(0.1, most=2)
        self._publish(feed, 11, lab)
        joined = [asyncio.create_task(self._serve(feed, client, lab)) for client in (late, gone)]
        await asyncio.sleep(1)
        for number in range(12, 19):
            self._publish(feed, number, lab)
            await asyncio.sleep(1)
        self._look_at(serving + joined)
        if not joined[1].done():
            raise Wrong(
                "served one who had left",
                "`send` raised ConnectionError, and `serve` went on.",
                lab.line(r"\bsend\("),
                "Let `serve` return then.",
            )
        lab.equal(late.got, list(range(12, 19)), what="the one who joined late got")
        lab.equal(gone.got, [12, 13], what="the one who left had got")

        lab.told("and the serving of a client was cancelled")
        for task in [*serving, joined[0]]:
            task.cancel()
        await asyncio.wait([*serving, joined[0]], timeout=10)
        if not all(task.done() for task in [*serving, joined[0]]):
            raise Wrong(
                "swallowed", "Ten seconds later `serve` still went on.", lab.line(r"except")
            )
        news = News()
        self._publish(feed, news, lab)
        kept = weakref.ref(news)
        del news
        gc.collect()
        if kept() is not None:
            raise Wrong(
                "left open",
                "Nobody was served any more, and the feed kept what was "
                "published: a box was still there.",
                lab.line(r"Queue\(|deque\("),
                "Take the box away in `finally`: a client may leave, and its serving may "
                "be cancelled.",
            )

    async def _serve(self, feed, client, lab):
        await lab.awaitable(feed.serve(client), "serve")

    def _publish(self, feed, message, lab):
        try:
            made = feed.publish(message)
        except asyncio.QueueFull:
            raise Wrong(
                "full queue",
                "`publish` raised QueueFull, because one client was slow.",
                lab.line("put_nowait"),
                "Make room first: if the box is full, take the "
                "oldest message out, with `get_nowait`.",
            ) from None
        if hasattr(made, "__await__"):
            if hasattr(made, "close"):
                made.close()
            raise Wrong(
                "stalled by its slowest client",
                "`publish` wants to be awaited: whoever "
                "publishes waits, and with a slow client everybody waits with it.",
                lab.line(r"def\s+publish"),
                "An ordinary function that puts the message "
                "into a box for each client never waits.",
            )

    def _look_at(self, serving):
        for task in serving:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    @right
    class a_box_each:
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
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    @right
    class with_deques:
        def __init__(self, size):
            self.size, self.boxes = size, []

        async def serve(self, client):
            box, some = deque(maxlen=self.size), asyncio.Event()
            self.boxes.append((box, some))
            try:
                while True:
                    await some.wait()
                    some.clear()
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

    @wrong("stalled by its slowest client", says="everybody waits")
    class sends_in_turn:
        def __init__(self, size):
            self.clients = []

        async def serve(self, client):
            self.clients.append(client)
            await asyncio.Event().wait()

        async def publish(self, message):
            for client in self.clients:
                await client.send(message)

    @wrong("stalled by its slowest client")
    class puts_and_waits:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        async def publish(self, message):
            for box in self.boxes:
                await box.put(message)

    @wrong("unbounded", says="10 messages waited")
    class no_limit:
        def __init__(self, size):
            self.boxes = set()

        async def serve(self, client):
            box = asyncio.Queue()
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                box.put_nowait(message)

    @wrong("full queue", says="Make room first")
    class fails_when_full:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                box.put_nowait(message)

    @wrong("value", says="The slow client got")
    class loses_all_that_wait:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    while not box.empty():
                        box.get_nowait()
                box.put_nowait(message)

    @wrong("served nobody", says="in a loop")
    class joins_and_returns:
        def __init__(self, size):
            self.size, self.boxes = size, {}

        async def serve(self, client):
            self.boxes[client] = asyncio.Queue(maxsize=self.size)

        def publish(self, message):
            for box in self.boxes.values():
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    @wrong("value", says="The slow client got")
    class loses_the_newest:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if not box.full():
                    box.put_nowait(message)

    @wrong("value", says="a box for each")
    class one_box_for_all:
        def __init__(self, size):
            self.box = asyncio.Queue(maxsize=size)

        async def serve(self, client):
            try:
                while True:
                    await client.send(await self.box.get())
            except ConnectionError:
                pass

        def publish(self, message):
            if self.box.full():
                self.box.get_nowait()
            self.box.put_nowait(message)

    @wrong("connection shared", says="One task for each client")
    class a_task_for_each_message:
        def __init__(self, size):
            self.clients, self.tasks = [], set()

        async def serve(self, client):
            self.clients.append(client)
            try:
                await asyncio.Event().wait()
            finally:
                self.clients.remove(client)

        def publish(self, message):
            for client in self.clients:
                task = asyncio.create_task(client.send(message))
                self.tasks.add(task)
                task.add_done_callback(lambda task: self.tasks.discard(task) or task.result())

    @wrong("left open", says="in `finally`")
    class keeps_the_boxes:
        def __init__(self, size):
            self.size, self.boxes = size, []

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.append(box)
            with contextlib.suppress(ConnectionError):
                while True:
                    await client.send(await box.get())

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    @wrong("raised", says="the client has left")
    class lets_the_error_out:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)


class Listener:
    """A server of the check's own: it takes requests until it is closed."""

    def __init__(self, under_way):
        self.under_way, self.closed_at, self.waited = under_way, None, False

    def close(self):
        if self.closed_at is None:
            self.closed_at = now()

    async def wait_closed(self):
        while self.under_way:  # as asyncio's does from 3.12.1 on
            self.waited = self.waited or not any(task.cancelling() for task in self.under_way)
            await asyncio.wait(set(self.under_way))


class ShutDown(Exercise):
    """The end of a server

    SIGTERM has come. Write `shut_down(server, under_way, seconds)`, a coroutine function:

    - It stops accepting: `server.close()`, an ordinary method.
    - It lets the requests go on that are under way. `under_way` is a set of their tasks; a task
      that ends takes itself out of it. It may be empty. That one request fails is no reason to
      drop the others, nor does its error come out.
    - After `seconds` it cancels those that are left, and waits until they have ended, for they
      clean up.
    - It returns how many it had to cancel. It takes no longer than the requests do.
    """

    id = "shut-down-1"
    asks = "shut_down"
    minutes = 10
    hints = (
        "Three steps, in this order: stop accepting, wait with a limit, cancel what is left.",
        "`asyncio.wait(tasks, timeout=seconds)` returns two sets, and neither cancels nor raises "
        "anything. It doesn't take an empty set.",
        "`done, late = await asyncio.wait(under_way, timeout=seconds)`; cancel each of `late`; "
        "`await asyncio.gather(*late, return_exceptions=True)`; `return len(late)`.",
    )

    def verify(self, shut_down, lab):
        lab.told("with requests that need 1 and 3 s more, and 10 s of time")
        self._end(shut_down, lab, {"a": 1, "b": 3}, 10, expected=0, elapsed=3)
        lab.told("with no request under way")
        self._end(shut_down, lab, {}, 10, expected=0, elapsed=0)
        lab.told("with requests that need 1 s and a minute, and 5 s of time")
        self._end(shut_down, lab, {"a": 1, "b": 60, "c": 60}, 5, expected=2, elapsed=5.5)
        lab.told("with three requests, of which one fails")
        self._end(shut_down, lab, {"fails": 1, "b": 3, "c": 2}, 10, expected=0, elapsed=3)

    def _end(self, shut_down, lab, requests, seconds, expected, elapsed):
        ended, cancelled, cleaned, started = {}, [], [], []
        under_way = set()
        server = Listener(under_way)

        async def request(name, needs):
            try:
                await asyncio.sleep(needs)
                if name == "fails":
                    raise LookupError("no such page")
                ended[name] = now() - started[0]
            except asyncio.CancelledError:
                cancelled.append((name, now() - started[0]))
                await asyncio.sleep(0.5)
                cleaned.append(name)
                raise

        async def main():
            for name, needs in requests.items():
                task = asyncio.create_task(request(name, needs), name=name)
                under_way.add(task)
                task.add_done_callback(under_way.discard)
                task.add_done_callback(lambda task: task.cancelled() or task.exception())
            started.append(now())
            await asyncio.sleep(0)
            returned = await lab.awaitable(shut_down(server, under_way, seconds))
            took, left = now() - started[0], [task.cancelling() > 0 for task in under_way]
            # A copy of both, for the end of the loop cancels what is left.
            return returned, took, left, list(cancelled), len(cleaned)

        try:
            run = lab.run(main(), leaks=True)
        except SystemExit:
            raise Wrong(
                "dropped requests",
                "It ended the program while requests were under way.",
                lab.line(r"exit\("),
                "Nobody after `sys.exit` waits for them: end by returning, when nothing is left.",
            ) from None
        except asyncio.CancelledError:
            raise Wrong(
                "let a cancellation out",
                "It awaited a request that it had cancelled, and "
                "the CancelledError came out of `shut_down`.",
                lab.line("gather"),
                "`await asyncio.gather(*late, return_exceptions=True)` waits for them and "
                "raises nothing.",
            ) from None
        except TimeoutError:
            raise Wrong(
                "let the time-out out",
                f"After {seconds:g} s TimeoutError came out of `shut_down`.",
                lab.line(r"timeout|wait_for"),
                "Catch it: then what is left is to be cancelled, and counted.",
            ) from None
        except LookupError:
            raise Wrong(
                "dropped requests",
                "One request failed, its error came out, and nobody waited for the others.",
                lab.line(r"await|gather"),
                "`asyncio.wait` raises nothing; `gather` wants `return_exceptions=True`.",
            ) from None
        except RuntimeError as error:
            if "changed size" not in str(error):
                raise
            raise Wrong(
                "raised",
                "RuntimeError came out: the set `under_way` changed while it was gone through.",
                lab.line(r"\bfor\b.*under_way"),
                "A task that ends takes itself out. Go through a copy: `list(under_way)`.",
            ) from None
        returned, took, left, cancelled, clean = run.result
        early = [name for name, when in cancelled if when < seconds - 0.001]
        if early:
            raise Wrong(
                "dropped requests",
                f"{len(early)} of {len(requests)} requests were "
                f"cancelled after {min(when for _, when in cancelled):g} s; they had "
                f"{seconds:g} s.",
                lab.line(r"cancel\(|timeout"),
            )
        if server.closed_at is None:
            raise Wrong(
                "left open",
                "The server was never closed, and goes on accepting.",
                None,
                "`server.close()` comes first.",
            )
        if server.closed_at > started[0] + 0.001:
            raise Wrong(
                "accepted while it drained",
                "The server was closed after "
                f"{server.closed_at - started[0]:g} s; until then new requests came in, "
                "and the drain may never end.",
                lab.line(r"close\("),
                "Stop accepting first.",
            )
        if not all(left):
            raise Wrong(
                "dropped requests",
                f"It returned after {took:g} s, and {len(left)} of "
                f"{len(requests)} requests were still under way.",
            )
        if left or clean < len(cancelled):
            raise Wrong(
                "cut off",
                f"It returned after {took:g} s, when {len(left)} requests that "
                "it had cancelled were still cleaning up.",
                lab.line(r"cancel\("),
                "To cancel is to ask. Wait until they have ended: `await "
                "asyncio.gather(*late, return_exceptions=True)`.",
            )
        if took > elapsed + 1:
            if server.waited:
                raise Wrong(
                    "no limit",
                    f"It took {took:g} s, and had {seconds:g} s.",
                    lab.line(r"wait_closed"),
                    "`wait_closed` waits until the last request "
                    "has ended, however long that takes: it comes last.",
                )
            if not cancelled and took > seconds + 1 and lab.line(r"wait\(.*timeout"):
                raise Wrong(
                    "no limit",
                    f"It took {took:g} s, and had {seconds:g} s: what was left "
                    "then was not cancelled.",
                    lab.line(r"wait\(.*timeout"),
                    "`asyncio.wait` cancels nothing. `task.cancel()` for each of the "
                    "second set, then wait for those.",
                )
            if cancelled or took > seconds + 1:
                raise Wrong(
                    "no limit",
                    f"It took {took:g} s, and had {seconds:g} s.",
                    lab.line(r"gather|wait"),
                    "Somebody sends SIGKILL after a while. Give "
                    "one limit to all of them together: `asyncio.wait(..., "
                    "timeout=seconds)`.",
                )
            raise Wrong(
                "waited too long",
                f"It took {took:g} s, though the last request had ended after {elapsed:g} s.",
                lab.line(r"sleep\("),
                "Wait for the requests, and not for the clock.",
            )
        if len({when for _, when in cancelled}) > 1:
            raise Wrong(
                "waited too long",
                f"The last request was cancelled after "
                f"{max(when for _, when in cancelled):g} s; they had {seconds:g} s.",
                lab.line(r"cancel\("),
                "Cancel all that are left, and only then wait for them, all together.",
            )
        if took > elapsed + 0.001:
            raise Wrong(
                "waited too long",
                f"It took {took:g} s; {elapsed:g} s is enough.",
                lab.line(r"sleep\("),
                "Wait for the requests, and not for the clock.",
            )
        lab.equal(returned, expected)

    @right
    async def with_wait(server, under_way, seconds):
        """Stop accepting, drain, cancel what is left; return how many that were."""
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @right
    async def with_timeout(server, under_way, seconds):
        server.close()
        tasks, late = list(under_way), 0
        try:
            async with asyncio.timeout(seconds):
                for task in tasks:
                    await asyncio.wait([task])
        except TimeoutError:
            for task in tasks:
                late += task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return late

    @right
    async def and_waits_for_the_server(server, under_way, seconds):
        server.close()
        late = set()
        if under_way:
            done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await server.wait_closed()
        return len(late)

    @wrong("no limit", says="it comes last")
    async def waits_for_the_server_first(server, under_way, seconds):
        server.close()
        await server.wait_closed()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)

    @wrong("dropped requests", says="ended the program")
    async def exits(server, under_way, seconds):
        server.close()
        sys.exit(0)

    @wrong("dropped requests", says="cancelled after 0 s")
    async def cancels_at_once(server, under_way, seconds):
        server.close()
        tasks = list(under_way)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(tasks)

    @wrong("dropped requests", says="still under way")
    async def closes_only(server, under_way, seconds):
        server.close()
        return 0

    @wrong("no limit", says="It took 60 s")
    async def waits_for_all(server, under_way, seconds):
        server.close()
        await asyncio.gather(*under_way, return_exceptions=True)
        return 0

    @wrong("no limit", says="cancels nothing")
    async def waits_twice(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @wrong("waited too long", says="Cancel all that are left")
    async def cancels_one_after_another(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
            await asyncio.wait([task])
        return len(late)

    @wrong("raised", says="Go through a copy")
    async def goes_through_the_set(server, under_way, seconds):
        server.close()
        late = 0
        try:
            async with asyncio.timeout(seconds):
                for task in under_way:
                    await asyncio.wait([task])
        except TimeoutError:
            for task in under_way:
                late += task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        return late

    @wrong("no limit", says="one limit to all of them together")
    async def a_limit_for_each(server, under_way, seconds):
        server.close()
        late = 0
        for task in list(under_way):
            try:
                await asyncio.wait_for(task, seconds)
            except TimeoutError:
                late += 1
            except LookupError:
                pass
        return late

    @wrong("let a cancellation out", says="return_exceptions")
    async def awaits_what_it_cancelled(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late)
        return len(late)

    @wrong("let the time-out out", says="is to be cancelled")
    async def does_not_catch_it(server, under_way, seconds):
        server.close()
        async with asyncio.timeout(seconds):
            await asyncio.gather(*under_way, return_exceptions=True)
        return 0

    @wrong("accepted while it drained", says="Stop accepting first")
    async def closes_last(server, under_way, seconds):
        late = ()
        if under_way:
            done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        server.close()
        return len(late)

    @wrong("cut off", says="still cleaning up")
    async def does_not_wait_for_the_end(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)

    @wrong("dropped requests", says="One request failed")
    async def one_error_ends_it(server, under_way, seconds):
        server.close()
        tasks = list(under_way)
        try:
            await asyncio.wait_for(asyncio.gather(*tasks), seconds)
        except TimeoutError:
            return sum(task.cancelled() for task in tasks)
        return 0

    @wrong("waited too long", says="not for the clock")
    async def sleeps(server, under_way, seconds):
        server.close()
        await asyncio.sleep(seconds)
        late = list(under_way)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @wrong("raised", says="ValueError")
    async def nothing_under_way(server, under_way, seconds):
        server.close()
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)
