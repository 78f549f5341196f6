import ast
import asyncio
import contextlib
import gc

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.judging.runs import Run
from helpers.coach.mistakes.words import error_words

ERRORS = (KeyError, ConnectionError, TimeoutError, StopAsyncIteration, asyncio.CancelledError)
STOPS = (SystemExit, KeyboardInterrupt)  # a loop that meets one of these ends at once


class Transaction(Exercise):
    """All or nothing

    `await connection.execute(sql)` takes a while. Write the function `transaction(connection)`; the
    decorator above it makes an async context manager of it. `async with transaction(connection):`
    executes "begin" before the block. If the block comes to its end, it executes "commit". If it is
    left by an error, by a cancellation or by anything else that is raised, it executes "rollback",
    and what was raised goes on. If "begin" or "commit" fails, that error comes out; what you
    execute then is up to you.
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
        log, _ = self._block(transaction, lab)
        self._compare(log, ["begin", "commit"], lab)
        lab.told("and the block raised KeyError")
        log, error = self._block(transaction, lab, KeyError("no such account"), raises=KeyError)
        self._compare(log, ["begin", "rollback"], lab, error)
        lab.told("and the block was cancelled")
        log, error = self._block(transaction, lab, cancel_after=2.5)
        self._compare(log, ["begin", "rollback"], lab, error)
        for stop in STOPS:
            lab.told(f"and the block raised {stop.__name__}")
            log, error = self._block(transaction, lab, stop())
            self._compare(log, ["begin", "rollback"], lab, error)
        lab.told("inside an `except` of the caller, and its block came to its end")
        log, _ = self._block(transaction, lab, within=KeyError("an older one"))
        older = lab.call_of("exc_info", "exception") or lab.use_of("exc_info", "exception")
        if older and log[-1:] == ["rollback"]:
            raise Wrong(
                "value",
                'It executed "rollback" all the same.',
                older,
                "`sys.exc_info()` and `sys.exception()` show any error that is being handled, also "
                "one of the caller. What the block lets out comes out of the `yield`: "
                "`except BaseException`.",
                headline="took another error for one of the block",
                at="finds the caller's error",
            )
        self._compare(log, ["begin", "commit"], lab)
        lab.told("and the database refused the commit")
        self._block(transaction, lab, refuses="commit", raises=ConnectionError)

    @sweep(
        lambda some: {
            "ends": some.sampled_from((None, "return", *ERRORS)),
            "refuses": some.sampled_from((None, None, "begin", "commit")),
            "seconds": some.sampled_from((0, 1)),
        },
        cancels=True,
        most=30,
    )
    def any_block(self, transaction, lab, ends, refuses, seconds):
        how = {None: "came to its end", "return": "was left by `return`"}
        lab.told(
            f"and the block {how.get(ends) or f'raised {ends.__name__}'}"
            + (f'; the database refused "{refuses}"' if refuses else "")
        )
        asked, ran = [], []

        class Database:
            async def execute(self, sql):
                asked.append(sql.rstrip("; ").lower())
                await asyncio.sleep(1)
                if asked[-1] == refuses:
                    raise ConnectionError("the database has gone")

        async def main():
            async with transaction(Database()):
                ran.append("the block")
                await asyncio.sleep(seconds)
                if ends == "return":
                    return "returned"
                if ends:
                    raise ends("in the block")
            return "went on"

        run = lab.run(main())
        for last in ("commit", *([] if ran else ["begin"])):
            if last in asked:
                del asked[asked.index(last) + 1 :]  # what comes after these is up to the answer
        return {"": lab.seen(run, without=("seconds",)), "it executed": asked, "what ran is": ran}

    def _block(self, transaction, lab, error=None, refuses=None, within=None, **more):
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
            try:
                if within:
                    raise within
            except KeyError:
                return await block()
            return await block()

        async def block():
            made = transaction(Database())
            if not hasattr(made, "__aenter__"):
                if hasattr(made, "close"):
                    made.close()
                raise Wrong(
                    "another form",
                    f"It returned {type(made).__name__}, which `async with` doesn't take.",
                    lab.definition("transaction"),
                    "`@contextlib.asynccontextmanager` makes one of an async function with "
                    "one `yield`.",
                    headline="not a context manager",
                )
            try:
                async with made:
                    log.append("block")
                    await asyncio.sleep(1)
                    if error:
                        raise error
                    await asyncio.sleep(1)
            except STOPS as stop:
                return stop  # before the loop meets it

        run = Run()
        try:
            run = lab.run(main(), **more)
        except Wrong as found:
            if found.kind == "lost error" and error:
                handlers = [
                    node.lineno for node in lab.nodes() if isinstance(node, ast.ExceptHandler)
                ]
                found.observed = (
                    f"The {type(error).__name__} had to come out, and the `async with` ended as if "
                    "nothing had happened."
                )
                found.try_ = (
                    "After the rollback the error has to go on: let the last line of the "
                    "`except` be a `raise`."
                    if found.line in handlers
                    else "After the rollback the error has to go on."
                )
            if found.kind != "leaked" or asked == log[:-1]:
                raise
        except Exception as another:
            raised = lab.text.of_traceback(another)
            of_the_block = error is not None and another.__context__ is error
            if not of_the_block or not raised or raised[1] != lab.raising():
                raise
            raise Wrong(
                "another error",
                f"It raised `{error_words(another)}`; expected `{error_words(error)}`.",
                raised,
                "Let out the error of the block: a bare `raise` lets it go on.",
            ) from None
        if len(asked) > len([sql for sql in log if sql != "block"]):
            raise Wrong(
                "early return",
                f'The block was left while "{asked[-1]}" was '
                "still under way: nobody waited for it.",
                lab.call_of("create_task", "ensure_future"),
                f'`await connection.execute("{asked[-1]}")` there.',
            )
        if isinstance(error, STOPS) and run.result is not error:
            kind = type(error)
            raise lab.lost_error(
                f"The {kind.__name__} had to come out, and the `async with` ended as if nothing "
                "had happened.",
                kind,
            )
        return log, run.error or run.result

    def _compare(self, log, expected, lab, error=None):
        if "block" in log and log.index("block") != 1 and "begin" in log[1:]:
            raise Wrong(
                "order",
                "The block ran before the transaction had begun.",
                lab.literal("begin"),
                "`begin` stands before the `yield`.",
            )
        said = [sql for sql in log if sql != "block"]
        gc.collect()
        lab.check_awaited()
        name = type(error).__name__
        beyond = error and not isinstance(error, Exception)
        what = "error"
        if beyond:
            what = "cancellation" if isinstance(error, asyncio.CancelledError) else name
        narrow = error and lab.text.narrow_handler([lab.yielding()], type(error), suppress=True)
        if said == ["begin"]:
            raise Wrong(
                "not given back",
                'It executed "begin", and then neither '
                '"commit" nor "rollback": whoever gets this connection next is in the '
                "middle of a transaction.",
                error and lab.text.let_out(error, lab.yielding()),
                f"A {what} comes out of the `yield` as well. {name} is no `Exception`: "
                "`except BaseException` catches it."
                if beyond
                else "An error of the block comes out of the `yield`: catch it there, whatever it "
                "is, roll back, and let it go on.",
                headline="left the transaction open",
                at=f"doesn't catch the {what}" if narrow else f"is where the {what} comes out",
            )
        if said == ["begin", "commit"] and expected[-1] == "rollback":
            raise Wrong(
                "not given back",
                'It executed "commit", so what was changed before the '
                "error is kept, and the rest is missing.",
                narrow or lab.literal("commit"),
                f"{name} is no `Exception`: `except BaseException` sees it."
                if narrow and beyond
                else '"commit" belongs to the block that came to its end.',
                headline="kept one half",
                at="lets it pass" if narrow else "",
            )
        if said == ["begin", "rollback", "commit"] and expected[-1] == "rollback":
            try_ = '"commit" belongs to the block that came to its end.'
            if in_finally := _in_finally(lab, "commit"):
                try_ = f"A `finally` runs after an error, too. {try_}"
            raise Wrong(
                "value",
                'After the rollback it executed "commit" as well.',
                in_finally or lab.literal("commit"),
                try_,
                headline="committed after a rollback",
            )
        if said[-1:] == ["rollback"] and expected[-1] == "commit":
            self._rolled_back(said, lab)
        both = {"commit", "rollback"}.issubset(said)
        lab.equal(said, expected, "it executed", line=lab.literal("commit") if both else None)

    def _rolled_back(self, said, lab):
        """Raise the Wrong for a rollback of what the block brought to its end."""
        in_finally, on_exit = _in_finally(lab, "rollback"), _given_to_a_stack(lab)
        after = "commit" in said
        try_ = '"rollback" belongs to a block that is left by an error or a cancellation.'
        if in_finally:
            try_ = f"A `finally` runs when all went well, too. {try_}"
        elif on_exit:
            try_ = f"An exit stack calls it when all went well, too. {try_}"
        raise Wrong(
            "value",
            'After the commit it executed "rollback" as well.'
            if after
            else 'It executed "rollback", though the block came to its end.',
            in_finally or on_exit or lab.literal("rollback", "ROLLBACK"),
            try_,
            headline="rolled back after the commit" if after else "rolled back what went well",
            at="has it called at the exit" if on_exit and not in_finally else "",
        )

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

    errors_only = with_else.but(
        "BaseException", "Exception", kind="not given back", says="CancelledError is no"
    )

    @wrong("not given back", says="neither")
    @contextlib.asynccontextmanager
    async def no_try(connection):
        await connection.execute("begin")
        yield
        await connection.execute("commit")

    @wrong("early return", says="rollback")
    @contextlib.asynccontextmanager
    async def does_not_wait(connection):
        await connection.execute("begin")
        try:
            yield
        except BaseException:
            asyncio.create_task(connection.execute("rollback"))
            raise
        await connection.execute("commit")

    @wrong("not given back", says="commit")
    @contextlib.asynccontextmanager
    async def commits_always(connection):
        await connection.execute("begin")
        try:
            yield
        finally:
            await connection.execute("commit")

    swallows = with_else.but("raise", "", kind="lost error", says="KeyError")

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

    no_decorator = with_else.but(
        "@contextlib.asynccontextmanager",
        "",
        kind="another form",
        says="asynccontextmanager",
    )


def _in_finally(lab, sql):
    """Where a `finally` executes this, whatever came before; or None."""
    statements = [
        one
        for node in lab.nodes()
        if isinstance(node, ast.Try)
        for one in node.finalbody
        if isinstance(one, ast.Expr)
    ]
    return lab.earliest(*(one.lineno for one in statements if sql in ast.unparse(one).lower()))


def _given_to_a_stack(lab):
    """Where an exit stack is given a "rollback", to be called at the exit; or None."""
    given = (
        call.lineno
        for call in lab.text.calls_of("push*_async_callback", "callback", "push_async_exit", "push")
        if "rollback" in ast.unparse(call).lower()
    )
    return lab.earliest(*given)
