import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import Busy, Connection, fails_alone, holds

# In which order they are asked is left open, and so the seconds are: see `_in_time`.
LEFT_OPEN = ("group", "seconds")


class CheckedPool:
    """A pool that knows what it has lent; `misused` tells of a use after that, in a sentence."""

    def __init__(self, size, seconds, answers=None, cleanup=0):
        self.lent, self.most, self.misused = set(), 0, None
        self.cleanup = cleanup  # seconds that it takes back a connection after a cancellation
        self.free = asyncio.LifoQueue()
        for _ in range(size):
            self.free.put_nowait(Connection(seconds, self, answers))

    @contextlib.asynccontextmanager
    async def acquire(self):
        connection = await self.free.get()
        self.lent.add(connection)
        self.most = max(self.most, len(self.lent))
        try:
            yield connection
        except asyncio.CancelledError:
            await asyncio.sleep(self.cleanup)
            raise
        finally:
            self.lent.remove(connection)
            self.free.put_nowait(connection)


class AskThePool(Exercise):
    """Many questions, few connections

    `pool` lends connections: `async with pool.acquire() as connection:`. `await
    connection.fetch(name)` asks one question and takes a while; a connection takes one question at
    a time, and refuses a second one with an error. A task that asks when everything is lent waits
    its turn.

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
            "with a pool of two connections and six names; the first, the third and the fifth take "
            "3 s, the others 1 s each"
        )
        run = self._ask(prices, lab, 2, names, dict.fromkeys(names[::2], 3))
        lab.equal(run.result, [f"price of {name}" for name in names])
        if run.elapsed > 11.9:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s, and one connection was lent at a time.",
                lab.repeated_call_of("fetch") or lab.call_of("acquire", "fetch"),
                "Each question takes a connection of its own: put `acquire` and `fetch` "
                "into a small function and start one for each name.",
            )
        if run.elapsed > 7.501:  # in the worst order of asking: see `_in_time`
            raise Wrong(
                "batch barrier",
                f"It took {run.elapsed:g} s: while a slow question was answered, the other "
                "connection lay idle, though more questions waited.",
                lab.call_of("gather", "TaskGroup"),
            )
        lab.told("with a pool of three connections and six names, 1 s each")
        run = self._ask(prices, lab, 3, names)
        lab.equal(run.result, [f"price of {name}" for name in names])
        if run.elapsed > 2.001:
            raise Wrong(
                "limit",
                f"It took {run.elapsed:g} s; three connections could have answered in 2 s.",
                lab.call_of("Semaphore", "range"),
                "The pool keeps the limit: a task that asks when all are lent waits there.",
                headline="a limit of its own",
            )
        lab.told(
            'with a pool of two connections and the names "nothing", "tea" and "cup"; the question '
            'for "nothing" raised LookupError'
        )
        seconds = {"nothing": 0.5, "tea": 9}
        fails_alone(lab, lambda: prices(CheckedPool(2, seconds), ["nothing", "tea", "cup"]))

    @sweep(
        lambda some: {
            "names": some.lists(some.sampled_from(("tea", "cup", "plate")), max_size=6),
            "size": some.integers(1, 4),
            "answers": some.permutations(("3", 0, None)),
            "waits": some.permutations((1, 1.13, 2.3)),
        },
        besides=[
            {"names": ["tea"] * 8, "size": 8, "answers": "332", "waits": [1] * 3},
            {"names": ["tea"] * 1100, "size": 200, "answers": "332", "waits": [1] * 3},
        ],
        cancels=True,
        most=24,
    )
    def any_names(self, prices, lab, names, size, answers, waits):
        known = ("tea", "cup", "plate")
        shown = str(names) if len(names) < 9 else f"{len(names):,} names"
        lab.told(f"with a pool of {size} and {shown}")
        pools = []

        async def asking():
            pools.append(CheckedPool(size, dict(zip(known, waits)), dict(zip(known, answers))))
            return await lab.awaitable(prices(pools[0], list(names)))

        run = lab.run(asking())
        if run.error is None and pools[0].most < min(size, len(names)):
            raise Wrong(
                "limit",
                f"It used {pools[0].most} connections at once; the pool has {size}.",
                lab.call_of("*Semaphore") or lab.literal(pools[0].most) or lab.call_of("range"),
                "The pool keeps the limit: a task that asks when all are lent waits there.",
                headline="a limit of its own",
            )
        self._in_time(lab, run, [dict(zip(known, waits))[name] for name in names], size)
        return {"": lab.seen(run, without=LEFT_OPEN), "still lent are": len(pools[0].lent)}

    def _in_time(self, lab, run, waits, size):
        """Raise Wrong if a connection lay idle while a question waited. In whatever order they are
        asked, it takes no longer than the sum divided by the connections, and nearly the longest
        besides: Graham, Bounds on Multiprocessing Timing Anomalies, 1969.
        """
        most = sum(waits) / size + max(waits, default=0) * (1 - 1 / size)
        if run.error is None and run.elapsed > most + 0.001:
            raise Wrong(
                "late",
                f"It took {run.elapsed:g} s. If no connection lies idle while a question waits, it "
                f"takes {most:g} s at most.",
                lab.call_of("gather", "create_task") or lab.await_of(),
                "Start a task for each name at once, and let the pool make it wait.",
            )

    @sweep(
        lambda some: {
            "names": some.lists(some.sampled_from(("tea", "cup", "plate", "nothing")), max_size=6),
            "size": some.integers(1, 4),
        },
        besides=[{"names": ["tea", "cup", "nothing", "plate"], "size": 3}],
        most=16,
    )
    def one_fails(self, prices, lab, names, size):
        lab.told(
            f"with a pool of {size} and {names}; a connection whose question is cancelled goes "
            "back 0.2 s later"
        )
        pools = []

        async def asking():
            seconds = dict(zip(("tea", "cup", "plate", "nothing"), (3.7, 2.3, 1.13, 1)))
            pools.append(CheckedPool(size, seconds, cleanup=0.2))
            return await lab.awaitable(prices(pools[0], list(names)))

        run = lab.run(asking())
        return {"": lab.seen(run, without=LEFT_OPEN), "still lent are": len(pools[0].lent)}

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
                    "given back early",
                    pools[0].misused,
                    lab.call_of("fetch"),
                    "It is yours inside `async with pool.acquire()` only: await the answer there.",
                    headline="used a connection that was given back",
                ) from None
            if not holds(error, Busy):
                raise
            raise Wrong(
                "connection shared",
                "The connection refused a second question: another operation is in progress.",
                lab.call_of("fetch") or lab.use_of("fetch"),
                "A connection holds one conversation at a time. Let each question take a "
                "connection of its own: `async with pool.acquire()` belongs in its task.",
            ) from None
        if pools[0].lent:
            raise Wrong(
                "left open",
                f"{len(pools[0].lent)} connections were not given back.",
                lab.call_of("acquire"),
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

    @wrong("connection shared", says="a connection of its own")
    async def one_for_a_group(pool, names):
        async with pool.acquire() as connection:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(connection.fetch(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("sequential", says="It took 12 s")
    async def in_turn(pool, names):
        async with pool.acquire() as connection:
            return [await connection.fetch(name) for name in names]

    @wrong("sequential", says="one connection was lent at a time")
    async def one_lock(pool, names):
        lock = asyncio.Lock()

        async def ask(name):
            async with lock, pool.acquire() as connection:
                return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("batch barrier", says="lay idle")
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

    @wrong("limit", says="three connections")
    async def two_at_once(pool, names):
        places = asyncio.Semaphore(2)

        async def ask(name):
            async with places, pool.acquire() as connection:
                return await connection.fetch(name)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("given back early", says="inside `async with")
    async def gives_it_back_first(pool, names):
        async def ask(name):
            async with pool.acquire() as connection:
                answer = connection.fetch(name)
            return await answer

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name)) for name in names]
        return [task.result() for task in tasks]

    @wrong("leaked", says="2 tasks still ran")
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
