import ast
import asyncio
import contextlib
from contextlib import aclosing

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, own_nodes

from .shared import watched


class FirstMatch(Exercise):
    """Take one and leave

    `stream` is an async generator that holds a connection, and gives it back in its `finally`.
    Write a coroutine function `first(stream, wanted)`: it returns the first item for which the
    plain function `wanted(item)` is true, or None if the stream has no such item.

    Read no further than that item. When `first` returns, the stream has been closed. The same
    holds when `wanted` fails; then its error comes out.
    """

    id = "first-match-1"
    asks = "first"
    minutes = 6
    hints = (
        "Who closes a generator that you leave in the middle? Somebody has to await its "
        "`aclose()`.",
        "`wanted` may fail. What closes the stream whichever way the block is left?",
        "`async with aclosing(stream):` around the `async for`, with `return item` in it.",
    )

    def verify(self, first, lab):
        self._case(first, lab, [3, 8, 5, 9], lambda item: item > 4, 8, 2)
        self._case(first, lab, [0, 7], lambda item: item == 0, 0, 1)
        self._case(first, lab, [1, 2], lambda item: item > 4, None, 2)
        self._says_yes(first, lab)
        self._fails(first, lab)
        self._closes_slowly(first, lab)

    def _says_yes(self, first, lab):
        stream, note = watched([3, 8], 1)
        lab.told("with a stream of [3, 8], and a `wanted` that returns 'yes' for 8, and '' for 3")
        lab.run(self._ask(first, lab, stream, lambda item: "yes" if item == 8 else "", note))
        if note.got is None:
            raise Wrong(
                "value",
                "It returned None; expected 8.",
                lab.operation("is", "==", on=["wanted"]) or lab.condition("wanted"),
                "`wanted` may return anything: what counts as true is a yes, too. "
                "`if wanted(item):` asks for just that.",
                headline="took only True for true",
            )
        lab.equal(note.got, 8, what="it returned")

    def _case(self, first, lab, items, wanted, expected, needed):
        stream, note = watched(items, 1)
        lab.told(
            f"with a stream of {items}, of which "
            f"{'none' if expected is None else expected} is the first one wanted"
        )
        closed = lab.run(self._ask(first, lab, stream, wanted, note)).result
        read_on = len(note.taken) > needed
        if read_on and expected:
            self._reads_on(lab, note, items[:needed])
        lab.equal(note.got, expected, what="it returned")
        if read_on:
            self._reads_on(lab, note, items[:needed], _asks_for_truth(lab))
        self._closed(lab, closed, "It returned")

    def _reads_on(self, lab, note, needed, asked=None):
        read = f"It read {note.taken}, and needed no more than {needed}."
        if asked:
            raise Wrong(
                "falsy",
                read,
                asked,
                "What was found may be 0, or empty, and counts as false then. Return it where you "
                "find it, or note in a flag that you have it.",
                headline="took what it had found for nothing",
            )
        raise Wrong(
            "one too many",
            read,
            lab.for_loop(),
            "A stream may be long, or never end. Return as soon as you have it.",
            headline="reads on",
        )

    async def _ask(self, first, lab, stream, wanted, note):
        try:
            note.got = await first(stream, wanted)
        except StopAsyncIteration:
            raise Wrong(
                "StopIteration",
                "The stream had nothing more, and `anext` raised StopAsyncIteration.",
                lab.earliest(lab.call_of("anext"), lab.definition("__anext__")),
                "Let an `async for` ask, or give `anext` a default.",
                headline="let StopAsyncIteration out",
            ) from None
        return note.closed

    def _fails(self, first, lab):
        def wanted(item):
            raise ValueError("no number")

        async def ask():
            try:
                await first(stream, wanted)
            except ValueError:
                return note.closed
            raise lab.lost_error(
                "`wanted` raised a ValueError, and `first` returned as if nothing had happened.",
                ValueError,
            )

        stream, note = watched([1, 2], 1)
        lab.told("with a `wanted` that fails")
        closed = lab.run(ask()).result
        self._closed(lab, closed, "The error came out")

    def _closes_slowly(self, first, lab):
        given_back = []

        async def stream():
            try:
                yield 3
                yield 8
            finally:
                await asyncio.sleep(60)
                given_back.append("the connection")

        async def ask():
            with contextlib.suppress(TimeoutError):
                await first(stream(), lambda item: item == 3)
            return bool(given_back)

        lab.told("with a stream that needs a minute to give its connection back")
        run = lab.run(ask(), leaks=True)
        if not run.result:
            raise Wrong(
                "left open",
                f"`first` ended after {run.elapsed:g} s; the connection had not been given back.",
                lab.call_of("wait_for", "timeout*", "asyncio.wait"),
                "Closing takes as long as it takes: await it without a limit.",
                headline="broke off the closing",
            )

    def _closed(self, lab, closed, then):
        if not closed:
            if line := _closes_something_else(lab):
                raise Wrong(
                    "left open",
                    f"{then}, and the stream had not been closed.",
                    line,
                    "Who closes a generator doesn't close the stream that it reads from. "
                    "Close the stream itself.",
                    headline="left the stream open",
                    at="closes something else",
                )
            if then == "It returned" and (line := _closes_in_a_generator(lab)):
                raise Wrong(
                    "left open",
                    f"{then}, and the stream had not been closed.",
                    line,
                    "That generator was left in the middle and is not closed itself, so its own "
                    "block has not been left. Close the stream in `first`.",
                    headline="left the stream open",
                    at="stands in a generator",
                )
            line = lab.dropping("aclose") or lab.call_of("ensure_future", "create_task")
            other = lab.await_of("aclose")
            raise Wrong(
                "left open",
                f"{then}, and the stream had not been closed.",
                line or other or lab.earliest(lab.async_for(), lab.call_of("anext")),
                "`aclose()` is a coroutine: await it, and await it on every way out."
                if line
                else "This way out doesn't pass your `aclose()`. A `finally` is "
                "on every way, and so is `contextlib.aclosing`."
                if other
                else "Leaving an `async for` closes nothing. `contextlib.aclosing` closes the "
                "stream on every way out of its block.",
                headline="left the stream open",
            )

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from([0, None, "", "a"]), max_size=4),
            "says": some.fixed_dictionaries(
                {item: some.sampled_from([0, "", None, 1, "yes"]) for item in (0, None, "", "a")}
            ),
            "fails": some.sampled_from([None, None, ValueError, LookupError, TimeoutError]),
        },
        cancels=True,
        most=24,
    )
    def any_stream(self, first, lab, items, says, fails):
        then = f", which then fails with a {fails.__name__}" if fails else ""
        answers = listed(f"{says[item]!r} for {item!r}" for item in dict.fromkeys(items))
        asked = f", and a `wanted` that returns {answers}" if items else ""
        lab.told(f"with a stream of {items}{then}{asked}")
        stream, note = watched(items, 1, fails and fails("the stream is gone"))
        closed = []

        async def ask():
            try:
                return await first(stream, says.get)
            finally:
                closed.append(note.closed)

        run = lab.run(ask())
        return {"": lab.seen(run), "it read": note.taken, "whether the stream was closed:": closed}

    @sweep(lambda some: {"number": some.just(1100)}, most=1)
    def a_long_stream(self, first, lab, number):
        lab.told(f"with a stream of {number} items, of which the last one is wanted")
        stream = lab.stream(range(1, number + 1))
        run = lab.run(first, stream, lambda item: item == number)
        return {"": lab.seen(run), "that the stream was closed is": stream.closed}

    equivalent = {
        "with_finally: finally for errors, line 2": "a cancelled stream ends by itself",
    }

    @right
    async def with_aclosing(stream, wanted):
        """Return the first item that is wanted, or None; close the stream."""
        async with aclosing(stream):
            async for item in stream:
                if wanted(item):
                    return item

    @right
    async def with_finally(stream, wanted):
        try:
            async for item in stream:
                if wanted(item):
                    return item
        finally:
            await stream.aclose()

    @wrong("left open", says="closes nothing")
    async def just_returns(stream, wanted):
        async for item in stream:
            if wanted(item):
                return item

    @wrong("left open", says="doesn't pass your `aclose()`")
    async def closes_on_the_good_way(stream, wanted):
        found = None
        async for item in stream:
            if wanted(item):
                found = item
                break
        await stream.aclose()
        return found

    closes_later = with_finally.but(
        "await stream.aclose()",
        "asyncio.ensure_future(stream.aclose())",
        kind="left open",
        says="is a coroutine",
    )

    @wrong("left open", says="closes something else")
    async def closes_what_reads_it(stream, wanted):
        found = (item async for item in stream if wanted(item))
        try:
            return await anext(found, None)
        finally:
            await found.aclose()

    @wrong("left open", says="stands in a generator")
    async def closes_in_a_generator(stream, wanted):
        async def found():
            async with aclosing(stream):
                async for item in stream:
                    if wanted(item):
                        yield item

        return await anext(found(), None)

    @wrong("one too many", says="[3, 8, 5, 9]")
    async def with_a_comprehension(stream, wanted):
        found = [item async for item in stream if wanted(item)]
        return found[0] if found else None

    @wrong("StopIteration", says="nothing more")
    async def by_hand(stream, wanted):
        async with aclosing(stream):
            while True:
                item = await anext(stream)
                if wanted(item):
                    return item

    returns_a_list = with_aclosing.but(
        "return item", "return [item]", kind="value", says="It returned [8]"
    )

    @wrong("lost error", says="as if nothing had happened")
    async def catches_all(stream, wanted):
        try:
            async with aclosing(stream):
                async for item in stream:
                    if wanted(item):
                        return item
        except Exception:
            return None


def _asks_for_truth(lab):
    """The line that asks whether a variable counts as true, or None."""
    tests = [node.test for node in lab.nodes() if isinstance(node, (ast.If, ast.While))]
    tests += [test.operand for test in tests if isinstance(test, ast.UnaryOp)]
    return lab.earliest(*(test.lineno for test in tests if isinstance(test, ast.Name)))


def _closed_here(lab):
    """What the answer closes, by `aclosing` or by an awaited `aclose()`, each with its line."""
    for call in lab.text.calls_of("aclosing"):
        if call.args:
            yield call.args[0], call.lineno
    for node in lab.nodes():
        called = getattr(node.value, "func", None) if isinstance(node, ast.Await) else None
        if isinstance(called, ast.Attribute) and called.attr == "aclose":
            yield called.value, node.lineno


def _closes_something_else(lab):
    """The line that has closed a generator that was made here, if no line closes the stream."""
    made = {
        target.id
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and _makes_a_generator(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    lines = set()
    for closed, line in _closed_here(lab):
        if not (getattr(closed, "id", None) in made or _makes_a_generator(closed)):
            return None
        lines.add(line)
    return lab.earliest(*filter(lab.has_run, lines))


def _makes_a_generator(value):
    """Whether this is a generator expression, or a call that may make one: `aiter` gives back the
    stream itself.
    """
    if isinstance(value, ast.Call):
        return not is_named(value.func, ("aiter", "__aiter__", "*ExitStack"))
    return isinstance(value, ast.GeneratorExp)


def _closes_in_a_generator(lab):
    """The line that closes in an async generator of the answer's own, if no line does elsewhere."""
    inside = [
        part
        for node in lab.nodes()
        if isinstance(node, ast.AsyncFunctionDef)
        and any(isinstance(part, ast.Yield) for part in own_nodes(node))
        for part in own_nodes(node)
    ]
    lines = [line for _, line in _closed_here(lab)]
    held = {part.lineno for part in inside if hasattr(part, "lineno")}
    return lab.earliest(*lines) if held.issuperset(lines) else None
