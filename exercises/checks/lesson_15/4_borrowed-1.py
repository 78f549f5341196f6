import ast
import asyncio
from contextlib import asynccontextmanager

from helpers.coach import Exercise, Wrong, right, sweep, wrong

ERRORS = {"with an error": ValueError, "with a SystemExit": SystemExit}


class Borrowed(Exercise):
    """A borrowed connection

    `pool.acquire()` and `pool.release(connection)` are coroutine functions. Write a function
    `borrowed(pool)` with `@asynccontextmanager`:

        async with borrowed(pool) as connection:
            ...

    The connection is acquired at the beginning of the block and released when the block ends,
    however it ends. An error or a cancellation of the block comes out as it would without the
    manager. Nobody cancels the release itself.
    """

    id = "borrowed-1"
    asks = "borrowed"
    minutes = 7
    hints = (
        "What stands before the `yield` opens, what stands after it closes. What do you yield?",
        "An error of the block is raised at the `yield`. Then the lines below it are not reached.",
        "`connection = await pool.acquire()`, then `try: yield connection`, and in the `finally` "
        "`await pool.release(connection)`.",
    )

    def verify(self, borrowed, lab):
        for ends in ("by itself", "with an error", "by a cancellation", "with a SystemExit"):
            lab.told(f"and the block ended {ends}")
            pool = Pool()
            block = self._block(borrowed, lab, pool, ends)
            run = self._run(lab, block, 5 if ends == "by a cancellation" else None)
            self._released(lab, pool, ends, run.error or run.result)
        self._no_connection(borrowed, lab)

    def _run(self, lab, block, cancel_after):
        try:
            return lab.run(block, cancel_after=cancel_after)
        except Wrong as found:
            if found.kind == "leaked" and "`release`" in found.observed:
                found.observed = found.observed.replace("It returned", "The block was left")
                found.try_ = (
                    "The release is only started, and nothing waits for it. Await it where the "
                    "block ends."
                )
            if found.kind == "swallowed" and "It returned" in found.observed:
                found.observed = (
                    f"The task was cancelled after {cancel_after} s, and went on behind the block "
                    "as if nothing had happened."
                )
            raise

    async def _block(self, borrowed, lab, pool, ends):
        try:
            async with self._manager(borrowed, lab, pool) as connection:
                if connection != "connection 1":
                    raise Wrong(
                        "value",
                        f"In the block the connection was {connection!r}, and "
                        f"what `acquire` gave is {pool.given or 'nothing'}.",
                        lab.yielding(),
                        "Yield what the block is to work with.",
                    )
                if pool.back:
                    raise Wrong(
                        "given back early",
                        "The connection had been released when the block began.",
                        lab.call_of("release"),
                        "Release it after the `yield`.",
                    )
                if ends in ERRORS:
                    raise ERRORS[ends]("in the block")
                await asyncio.sleep(10)
        except (ValueError, SystemExit) as error:
            return error  # before the loop meets it, which a SystemExit would end
        except Exception as error:
            self._look_for_another(lab, ends, error)
            if "didn't stop" not in str(error):
                raise
            raise Wrong(
                "another form",
                f"Python said: {error}. The block takes the place of one `yield`, and there was "
                f"another one.",
                lab.yielding(),
                "One `yield` for the one block.",
                headline="yields twice",
            ) from None
        if ends in ERRORS:
            raise Wrong(
                "lost error",
                f"The block raised a {ERRORS[ends].__name__}, and it didn't come out of the "
                "`async with`.",
                lab.keeping(ERRORS[ends]) or lab.returning(),
                "It is raised at the `yield`, and nothing there may end it: no `except` "
                "that doesn't raise again, no `return` in a `finally`.",
            )

    def _look_for_another(self, lab, ends, error):
        """Raise Wrong if a `raise` of the answer has put an error in the place of the block's."""
        place = lab.text.of_traceback(error)
        raises = [node.lineno for node in lab.nodes() if isinstance(node, ast.Raise)]
        if ends in ERRORS and isinstance(error.__context__, ERRORS[ends]):
            if place and place[1] in raises:
                raise Wrong(
                    "another error",
                    f"The block raised a {ERRORS[ends].__name__}, and a {type(error).__name__} "
                    "came out.",
                    place,
                    "Let the error of the block out as it is: a `finally` needs no `except`.",
                ) from None

    def _manager(self, borrowed, lab, pool):
        manager = borrowed(pool)
        inner = getattr(manager, "gen", None)  # what @asynccontextmanager has been given
        if hasattr(manager, "__aenter__") and (inner is None or hasattr(inner, "__anext__")):
            return manager
        said = f"It returned a {type(manager).__name__}."
        if hasattr(manager, "__aenter__"):
            said = "It isn't an `async def`, so it can't await."
            if asyncio.iscoroutine(inner):
                inner.close()
                said = "There is no `yield` in it, so nothing stands for the block."
        elif hasattr(manager, "__anext__"):
            said = "It returned an async generator: the decorator is missing."
        elif asyncio.iscoroutine(manager):
            manager.close()
            said = "It returned a coroutine: there is no `yield` in it, and no decorator."
        elif hasattr(manager, "__enter__"):
            said = "It returned a context manager for `with`, not for `async with`."
        raise Wrong(
            "another form",
            said,
            lab.definition("borrowed"),
            "Write `@asynccontextmanager` above `async def`, and a `yield` inside.",
            headline="not an async context manager",
        )

    def _released(self, lab, pool, ends, error):
        if pool.back == pool.given:
            return
        if not pool.back:
            raise Wrong(
                "not given back",
                "The connection was never released.",
                lab.text.let_out(error, lab.yielding())
                if error
                else lab.call_of("release") or lab.yielding(),
                "Your release is reached only when the block fails. A `finally` is "
                "reached on every way out."
                if ends == "by itself" and lab.handler()
                else "Release it after the `yield`."
                if ends == "by itself"
                else "The error is raised at the `yield`. Only a `finally` is reached on every "
                "way out."
                if ends == "with an error"
                else f"A {type(error).__name__} isn't an Exception. Only a `finally` is reached "
                "on every way out.",
                at="lets it pass, and the release is not reached" if error else "",
            )
        raise Wrong(
            "value",
            f"Acquired was {pool.given}, and released {pool.back}.",
            lab.call_of("release"),
            "Release it once, and the one that you acquired.",
        )

    def _no_connection(self, borrowed, lab):
        async def ask():
            try:
                async with self._manager(borrowed, lab, pool):
                    pass
            except ConnectionError:
                return
            except UnboundLocalError:
                raise Wrong(
                    "given back wrongly",
                    "`acquire` failed, so there was no "
                    "connection, and the release was reached all the same.",
                    lab.call_of("release"),
                    "Acquire before the `try`.",
                ) from None
            raise Wrong(
                "lost error",
                "`acquire` failed, and the block ran all the same.",
                lab.handler(),
            )

        pool = Pool(empty=True)
        lab.told("with a pool whose `acquire` raises a ConnectionError")
        lab.run(ask())
        if pool.back:
            raise Wrong(
                "given back wrongly",
                f"It released {pool.back}.",
                lab.call_of("release"),
                "Acquire before the `try`.",
                at="gives it back",
            )

    @sweep(
        lambda some: {
            "given": some.permutations([0, "", (), "connection"]),
            "ends": some.lists(
                some.sampled_from([None, ValueError, TimeoutError, RuntimeError, 0.5, 1.5, 2.5]),
                min_size=1,
                max_size=3,
            ),
        },
        most=30,
    )
    def any_blocks(self, borrowed, lab, given, ends):
        told = [
            "ends by itself"
            if end is None
            else f"is cancelled after {end} s"
            if isinstance(end, float)
            else f"raises {end.__name__}"
            for end in ends
        ]
        lab.told(
            f"for a block of 2 s that {', at the same time for one that '.join(told)}; `acquire` "
            f"takes 1 s and gives {given[: len(ends)]}"
        )
        pool = Pool(names=given)

        async def block(end):
            async with self._manager(borrowed, lab, pool) as connection:
                seen.append(connection)
                await asyncio.sleep(2)
                if isinstance(end, type):
                    raise end("in the block")

        async def blocks():
            tasks = [asyncio.create_task(block(end)) for end in ends]
            for task, end in zip(tasks, ends):
                if isinstance(end, float):
                    asyncio.get_running_loop().call_later(end, task.cancel)
            await asyncio.wait(tasks)
            return ["cancelled" if task.cancelled() else task.exception() for task in tasks]

        seen = []
        run = lab.run(blocks())
        if run.error:
            raise run.error
        return {
            "the blocks worked with": seen,
            "the errors that came out are": run.result,
            "what was released is": sorted(pool.back, key=str),
            "": lab.seen(run, without=("result",)),
        }

    equivalent = {
        "with_a_class: or None, line 10": "the object is never falsy",
    }

    @right
    @asynccontextmanager
    async def with_finally(pool):
        """Lend a connection of the pool to the block."""
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)

    @right
    def with_a_class(pool):
        class Borrowed:
            async def __aenter__(self):
                self.connection = await pool.acquire()
                return self.connection

            async def __aexit__(self, *error):
                await pool.release(self.connection)

        return Borrowed()

    @wrong("not given back", says="The error is raised at the `yield`")
    @asynccontextmanager
    async def no_finally(pool):
        connection = await pool.acquire()
        yield connection
        await pool.release(connection)

    @wrong("not given back", says="isn't an Exception")
    @asynccontextmanager
    async def catches_exceptions(pool):
        connection = await pool.acquire()
        try:
            yield connection
        except Exception:
            await pool.release(connection)
            raise
        else:
            await pool.release(connection)

    @wrong("lost error", says="didn't come out")
    @asynccontextmanager
    async def forgets_to_raise(pool):
        connection = await pool.acquire()
        try:
            yield connection
        except Exception:
            pass
        finally:
            await pool.release(connection)

    swallows_the_cancellation = forgets_to_raise.but(
        "Exception", "asyncio.CancelledError", kind="swallowed", says="as if nothing had happened"
    )

    does_not_await = with_finally.but(
        "await pool.release(connection)",
        "pool.release(connection)",
        kind="not awaited",
        says="release",
    )

    @wrong("not given back", says="only when the block fails")
    @asynccontextmanager
    async def only_after_an_error(pool):
        connection = await pool.acquire()
        try:
            yield connection
        except BaseException:
            await pool.release(connection)
            raise

    returns_in_the_finally = with_finally.but(
        "pool.release(connection)",
        "pool.release(connection)\nreturn",
        kind="lost error",
        says="no `return` in a `finally`",
    )

    @wrong("another form", says="One `yield`")
    @asynccontextmanager
    async def two_yields(pool):
        connection = await pool.acquire()
        yield connection
        yield connection
        await pool.release(connection)

    returns_it = with_finally.but("yield", "return", kind="another form", says="no `yield` in it")

    @wrong("another form", says="the decorator is missing")
    async def no_decorator(pool):
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)

    yields_nothing = with_finally.but("yield connection", "yield", kind="value", says="None")

    @wrong("given back wrongly", says="Acquire before the `try`")
    @asynccontextmanager
    async def acquires_inside(pool):
        try:
            connection = await pool.acquire()
            yield connection
        finally:
            await pool.release(connection)


class Pool:
    """A pool that notes what it gave and got back: .given, .back. names: of its connections."""

    def __init__(self, empty=False, names=()):
        self.empty, self.given, self.back, self.names = empty, [], [], list(names)

    async def acquire(self):
        await asyncio.sleep(1)
        if self.empty:
            raise ConnectionError("no connection left")
        self.given.append(self.names.pop(0) if self.names else f"connection {len(self.given) + 1}")
        return self.given[-1]

    async def release(self, connection):
        await asyncio.sleep(1)
        self.back.append(connection)
