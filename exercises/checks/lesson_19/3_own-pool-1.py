"""Long, for each of its programs is a whole pool."""

import ast
import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import Connection, now


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


HELD = 1.0037  # seconds that a connection is held: no multiple of what one sleeps who polls


class PoolByHand(Exercise):
    """A pool by hand

    `connect()` is a coroutine function: it takes a while and returns a new connection, which has a
    coroutine method `close()`. Write a class:

    - `Pool(connect, size)` makes a pool. It opens nothing yet.
    - `async with pool.acquire() as connection:` lends a connection: one that was given back, if
      there is one; a new one, if fewer than `size` are open; otherwise it waits until one is given
      back; of those that wait the first is served first, unless another asks in the very moment
      in which one is given back. While one is being opened, another may be.
      At the end of the block it goes back to the pool, also after an error or a cancellation,
      which comes out.
    - `await pool.close()` closes all connections. (It is called when all of them are back, and no
      connection fails to close.)

    A connection belongs to one task at a time, and no more than `size` are ever open. If
    `connect()` raises an error, that comes out of `acquire`, and the next one may try again.
    """

    id = "own-pool-1"
    equivalent = {
        "with_a_queue: or None, line 17": "a connection counts as true",
        "with_a_queue: falsy for None, line 15": "a connection counts as true",
        "with_a_queue: falsy for None, line 24": "a connection counts as true",
    }
    asks = "Pool"
    minutes = 12
    hints = (
        "Two things have to be counted: how many may be lent at once, and which ones are free. The "
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
        opened, fails, left_by, closed_at = [], [], [], []

        class Noting(Connection):
            async def close(self):
                closed_at.append(lab.calling())
                await super().close()

        async def connect():
            await asyncio.sleep(1)
            if fails:
                raise fails.pop()
            opened.append(Noting())
            if sum(not connection.closed for connection in opened) > size:
                if left_by:
                    narrow = self._narrow(left_by[-1], lab)
                    raise Wrong(
                        "not given back",
                        f"After {left_by[-1]} the connection did not come "
                        f"back: the next borrower got another one, and {size} is allowed.",
                        narrow or lab.yielding(),
                        "A CancelledError is no `Exception`. What was taken goes back in `finally`."
                        if narrow
                        else "What was taken goes back in `finally`.",
                        headline="lost a connection",
                        at="doesn't see a cancellation" if narrow else "",
                    )
                raise Wrong(
                    "limit",
                    f"It opened another connection when {size} were open, and {size} are allowed.",
                    lab.call_of("*connect"),
                    "While one task awaits `connect()` others look at the count as well. "
                    "Take the place before you open: a semaphore of `size` does that.",
                )
            return opened[-1]

        async def use(pool, seconds=1.0, error=None):
            made = pool.acquire()
            if not hasattr(made, "__aenter__"):
                if hasattr(made, "close"):
                    made.close()
                raise Wrong(
                    "another form",
                    f"`acquire()` returned {type(made).__name__}, which `async with` doesn't take.",
                    lab.definition("acquire"),
                    "`@contextlib.asynccontextmanager` makes one of an async function with "
                    "one `yield`.",
                    headline="not a context manager",
                )
            async with made as connection:
                if not isinstance(connection, Connection):
                    raise Wrong(
                        "value",
                        f"`acquire` gave {connection!r}, and not a connection.",
                        lab.yielding(),
                    )
                if connection not in opened:
                    raise Wrong(
                        "shared state",
                        "It lent a connection that another `Pool` had opened.",
                        lab.class_attribute() or lab.outer_name(),
                        "What a pool keeps is made in `__init__`, on `self`.",
                        headline="shared with another pool",
                        at="is one for all pools" if lab.class_attribute() else "",
                    )
                if connection.busy:
                    raise Wrong(
                        "connection shared",
                        "Two tasks were lent the same connection.",
                        lab.yielding(),
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
        lab.told("with a size of 2, and borrowed twice, one after the other")
        await use(pool)
        if len(opened) > 1:
            raise Wrong(
                "eager",
                f"The first borrower needs one connection, and {len(opened)} were opened.",
                lab.call_of("*connect"),
                "Open one when somebody wants it and none is free.",
                headline="opened in advance",
            )
        await use(pool)
        if len(opened) != 1 and opened[0].closed:
            raise Wrong(
                "given back early",
                "The connection was closed at the end of the block, "
                "and the next borrower waited for a new one to be opened.",
                closed_at[0] or lab.call_of("close", "aclose"),
                "Keep it: only `close()` of the pool closes.",
                headline="closed what it lent",
            )
        places = lab.call_of("asyncio.Queue", "Queue") or lab.call_of("popleft")
        if len(opened) != 1 and places and lab.literal(None):
            raise Wrong(
                "client per request",
                f"{len(opened)} connections were opened, though the first one was free again.",
                places,
                "The connection went back behind the empty places, which came first. Take what "
                "was put back last, as `asyncio.LifoQueue` does, or keep the connections and the "
                "empty places apart.",
                headline="opened another one, though one was free",
                at="gives what was put in first",
            )
        if len(opened) != 1:
            raise Wrong(
                "client per request",
                f"{len(opened)} connections were opened, though the first one was free again.",
                lab.call_of("*connect"),
                "Look first whether one was given back.",
                headline="opened another one, though one was free",
            )

        size, opened[:] = 3, []
        lab.told("with a size of 3, and had seven tasks at once borrow a connection for 1 s each")
        pool, begin = Pool(connect, 3), now()
        async with asyncio.TaskGroup() as group:
            for _ in range(7):
                group.create_task(use(pool, HELD))
        seconds, best = now() - begin, 1 + 3 * HELD
        if len(opened) < 3:
            raise Wrong(
                "lock too wide",
                f"It opened {len(opened)} of 3, and all seven took "
                f"{seconds:.3g} s; they could have taken 4 s.",
                lab.call_of("*Lock", "Semaphore"),
                "Up to `size` tasks hold a connection at once: no lock around the lending.",
                headline="one at a time",
            )
        if best + 0.001 < seconds < best + 0.7:
            raise Wrong(
                "polling",
                f"All seven took {seconds:g} s; {best:g} s is enough.",
                lab.call_of("sleep"),
                "Do not ask every now and then whether "
                "one is free: a semaphore or a queue wakes who waits.",
                headline="asks again and again",
            )
        if seconds > best + 0.001:
            lock = _lock_around(lab, "*connect")
            raise Wrong(
                "sequential",
                f"All seven took {seconds:.3g} s; three at a time take 4 s, the opening included.",
                lock or lab.call_of("*connect"),
                "Connections may be opened at the same time: no lock around that."
                if lock
                else "Connections may be opened at the same time.",
                headline="opened one after another",
            )
        await pool.close()
        lab.check_awaited()
        left = sum(not connection.closed for connection in opened)
        if left:
            raise Wrong(
                "left open",
                f"After `close()` {left} of {len(opened)} connections were still open.",
                lab.call_of("*connect"),
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
                lab.handler(),
                "Give the connection back in `finally`, and let the error go on.",
            )
        await self._soon(use(pool), "the error", lab)
        self._must_be_kept(opened, closed_at[-1:], "the error", lab)
        lab.told("with a size of 1, and the borrower was cancelled")
        left_by.append("the cancellation")
        task = asyncio.create_task(use(pool, 60))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])
        await self._soon(use(pool), "the cancellation", lab)
        self._must_be_kept(opened, closed_at[-1:], "the cancellation", lab)
        lab.told("with a size of 1, and one who waited for his turn was cancelled")
        first = asyncio.create_task(use(pool, 2))
        await asyncio.sleep(0.5)
        second = asyncio.create_task(use(pool))
        await asyncio.sleep(0.5)
        second.cancel()
        await asyncio.wait([first, second])
        await self._soon(use(pool), "the cancellation", lab)
        lab.told(
            "with a size of 1; one gave the connection back, and the one who waited for it was "
            "cancelled in the very same moment"
        )
        await self._handed_to_a_cancelled_one(use, pool, lab)

        opened[:], left_by[:] = [], []
        pool = Pool(connect, 1)
        lab.told("with a size of 1, and the first `connect()` raised OSError")
        fails.append(OSError("nobody there"))
        try:
            await use(pool)
        except OSError:
            pass
        else:
            raise Wrong("lost error", "The OSError had to come out of `acquire`.", lab.handler())
        await self._soon(use(pool), "the failed `connect()`", lab)
        lab.told(
            "with a size of 1, and the first `connect()` raised OSError while another one waited"
        )
        opened[:], pool = [], Pool(connect, 1)
        fails.append(OSError("nobody there"))
        first = asyncio.create_task(use(pool))
        await asyncio.sleep(0.5)
        second = asyncio.create_task(use(pool))
        await asyncio.wait([first, second], timeout=10)
        if first.done():
            first.exception()
        if not second.done():
            raise Wrong(
                "not given back",
                "The place was free again, and the one who waited for it went on waiting.",
                lab.where(second),
                "Who waits must be woken by a place that comes free, with a connection or without "
                "one. A semaphore of `size` does that.",
                headline="woke nobody",
                at="is where it waits for ever",
            )
        await second

    @sweep(
        lambda some: {
            "size": some.integers(1, 3),
            "pools": some.sampled_from((1, 1, 2)),
            "fails": some.sampled_from((None, None, 1, 2)),
            "borrowers": some.lists(
                some.tuples(
                    some.sampled_from((0, 0.31, 1.57)),
                    some.sampled_from((0.71, 2.93)),
                    some.sampled_from((None, None, "an error", 0.23, 1.49)),
                ),
                min_size=1,
                max_size=6,
            ),
        },
        most=40,
        calm=lambda case: {
            **case,
            "borrowers": [
                (gap, hold, None if isinstance(end, float) else end)
                for gap, hold, end in case["borrowers"]
            ],
        },
    )
    def any_borrowers(self, Pool, lab, size, pools, fails, borrowers):
        told, when, asked = [], 0, []
        for number, (gap, hold, end) in enumerate(borrowers, 1):
            asked.append((when := when + gap, hold, end))
            ends = {None: "", "an error": ", and raised an error"}
            ends = ends.get(end, f", but was cancelled after {end} s")
            told.append(f"number {number} came at {when:g} s to hold one for {hold:g} s{ends}")
        lab.told(
            f"with a size of {size}"
            + (", twice, and borrowed from the two in turns" if pools == 2 else "")
            + (f"; `connect()` failed the {('first', 'second')[fails - 1]} time" if fails else "")
            + f"; {'; '.join(told)}"
        )
        run = lab.run(self._borrow(Pool, size, pools, fails, asked))
        if run.error is not None:
            raise run.error
        return run.result

    async def _borrow(self, Pool, size, pools, fails, asked):
        opened, made, came = [[] for _ in range(pools)], [], {}
        asking = [0]

        def connect_of(mine):
            async def connect():
                asking[0] += 1
                failing = asking[0] == fails
                await asyncio.sleep(1)
                if failing:
                    raise OSError("nobody there")
                mine.append(Connection())
                return mine[-1]

            return connect

        async def use(number, when, hold, end):
            await asyncio.sleep(when)
            try:
                async with asyncio.timeout(None if end == "an error" else end):
                    async with made[number % pools].acquire() as connection:
                        mine, connection.busy = not connection.busy, True
                        came[number] = f"at {now():g} s" + ("" if mine else ", another's")
                        try:
                            await asyncio.sleep(hold)
                        finally:
                            connection.busy = False
                        if end == "an error":
                            raise KeyError("mine")
            except (OSError, KeyError) as error:
                came[number] = f"{came.get(number, 'never')}, {type(error).__name__}"

        made += [Pool(connect_of(mine), size) for mine in opened]
        async with asyncio.TaskGroup() as group:
            for number, borrower in enumerate(asked):
                group.create_task(use(number, *borrower))
        for pool in made:
            await pool.close()
        seen = {
            f"number {number + 1} got a connection": came.get(number, "never")
            for number in range(len(asked))
        }
        for which, mine in enumerate(opened, 1):
            closed = sum(connection.closed for connection in mine)
            seen[f"what pool {which} opened and closed is"] = len(mine), closed
        return seen

    async def _handed_to_a_cancelled_one(self, use, pool, lab):
        """Cancel a waiter when it was handed a place and has not run yet: another must get it."""

        async def gives_back():
            async with pool.acquire():
                await asyncio.sleep(1)
            waiting.cancel()

        giving = asyncio.create_task(gives_back())
        await asyncio.sleep(0.5)
        waiting = asyncio.create_task(use(pool))
        await asyncio.sleep(0.1)
        place = lab.where(waiting)
        await asyncio.wait([giving, waiting])
        try:
            await self._soon(use(pool), "the cancellation", lab)
        except Wrong as found:
            if found.kind == "not given back":
                found.line, found.at = place, "is where the cancellation meets what was handed over"
                found.headline = "lost what it was handed"
                found.try_ = (
                    "A task that is cancelled may have been handed a connection, or a place, just "
                    "before. `except asyncio.CancelledError` around that wait: pass it on, and "
                    "`raise`. A semaphore or a queue does that by itself."
                )
            raise

    def _narrow(self, what, lab):
        """The `except` around the `yield` that lets what left the block pass, if that was a
        cancellation.
        """
        if what != "the cancellation":
            return None
        narrow = lab.text.narrow_handler([lab.yielding()], asyncio.CancelledError)
        return narrow and narrow[1]

    def _must_be_kept(self, opened, closed_at, what, lab):
        """Raise Wrong if the pool has closed the connection."""
        if opened[0].closed:
            raise Wrong(
                "given back early",
                f"After {what} the pool closed the connection.",
                closed_at[0] or lab.call_of("close", "aclose"),
                "It goes back to the pool, also after an error or a cancellation.",
                headline="closed what it lent",
            )

    async def _soon(self, using, what, lab):
        try:
            await asyncio.wait_for(using, 10)
        except TimeoutError:
            raise Wrong(
                "not given back",
                f"After {what} the next borrower waited for ever: a place or a "
                "connection never came back.",
                (lab.operation("+=") or lab.await_of("*connect*"))
                if "connect" in what
                else self._narrow(what, lab) or lab.yielding(),
                "What was taken goes back in `finally`; and if a connection can't be "
                "opened, its place is free again.",
                headline="lost a place",
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

    @wrong("not given back", says="failed `connect()`")
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

    wakes_nobody = counts_what_was_never_opened.but(
        "connection = await self.connect()",
        "try:\n    connection = await self.connect()\nexcept BaseException:\n"
        "    self.opened -= 1\n    raise",
        kind="not given back",
        says="is where it waits for ever",
    )

    @wrong("client per request", says="2 connections were opened")
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

    @wrong("given back early", says="only `close()` of the pool")
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

    @wrong("not given back", says="After the error")
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

    @wrong("not given back", says="did not come back")
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

    @wrong("eager", says="2 were opened")
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

    @wrong("not given back", says="After the cancellation")
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

    forgets_to_await = closes_nothing.but(
        "self.free.clear()",
        "for connection in self.free:\n    connection.close()",
        kind="not awaited",
        says="close",
    )

    @wrong("another form", says="asynccontextmanager")
    class returns_it:
        def __init__(self, connect, size):
            self.connect, self.places, self.free = connect, asyncio.Semaphore(size), []

        async def acquire(self):
            await self.places.acquire()
            return self.free.pop() if self.free else await self.connect()

        async def close(self):
            for connection in self.free:
                await connection.close()

    @wrong("polling", says="wakes who waits")
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

    @wrong("lock too wide", says="they could have taken 4 s")
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


def _lock_around(lab, name):
    """The `async with` of a lock in which such a function is awaited, or None."""
    locks = {
        ast.unparse(target)
        for node in lab.nodes()
        if isinstance(node, ast.Assign)
        and ast.unparse(node.value).endswith(("Lock()", "Condition()"))
        for target in node.targets
    }
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.AsyncWith)
            if locks.intersection(ast.unparse(item.context_expr) for item in node.items)
            if any(
                isinstance(part, ast.Await) and lab.await_of(name) == part.lineno
                for part in ast.walk(node)
            )
        )
    )
