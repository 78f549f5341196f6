"""Exercises of lesson 15: async generators, async context managers, and streams of items."""

import asyncio
from contextlib import aclosing, asynccontextmanager
from types import SimpleNamespace

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


def watched(items, seconds, error=None):
    """An async generator over `items`, `seconds` apart, and a note of what is done with it.

    error: what it raises after the last item. note: .taken (items handed out), .closed.
    """

    async def stream():
        try:
            for item in items:
                await asyncio.sleep(seconds)
                note.taken.append(item)
                yield item
            if error is not None:
                await asyncio.sleep(seconds)
                raise error
        finally:
            await asyncio.sleep(0)  # who doesn't await the closing finds it open
            note.closed = True

    note = SimpleNamespace(taken=[], closed=False)
    return stream(), note


def async_iterator(lab, thing):
    """Return `thing`, or raise Wrong if it is nothing to be read by `async for`."""
    if hasattr(thing, "__anext__"):
        return thing
    said = f"It returned a {type(thing).__name__}."
    if asyncio.iscoroutine(thing):
        thing.close()
        said = "It returned a coroutine: it is `async def`, and has no `yield`."
    elif hasattr(thing, "__next__"):
        said = "It returned a plain generator, which can't await."
    raise Wrong(
        "not an async generator",
        said,
        lab.line(rf"def\s+{lab.asks}\b"),
        "A function becomes an async generator by `async def` and a `yield`.",
    )


def leaves(error):
    """The errors in a group, and in the groups in it; an error alone is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


class PredictOrder(Exercise):
    """Predict the order

    Read this program, and do not run it.

        log = []

        async def numbers():
            for number in (1, 2):
                log.append(f"make {number}")
                yield number
                log.append(f"after {number}")

        async def use(number):
            log.append(f"use {number}")

        async def main():
            async with asyncio.TaskGroup() as group:
                async for number in numbers():
                    group.create_task(use(number))
                    log.append(f"got {number}")
                log.append("read")
            log.append("end")

        asyncio.run(main())

    Set `log` to the list of its ten words, such as "make 1", in the order in which they are noted.
    """

    id = "async-order-1"
    asks = "log"
    minutes = 5
    hints = (
        "Who goes on when `numbers` comes to its `yield`? And when the body of the loop is done?",
        "`create_task` puts a task into the ready queue. It has its turn when somebody suspends.",
        "Nothing in the loop suspends. The first thing to do so is the end of the `async with`, "
        "which waits for the tasks.",
    )
    right_values = (
        [
            "make 1",
            "got 1",
            "after 1",
            "make 2",
            "got 2",
            "after 2",
            "read",
            "use 1",
            "use 2",
            "end",
        ],
    )
    wrong_values = (
        wrong_value(
            [
                "make 1",
                "use 1",
                "got 1",
                "after 1",
                "make 2",
                "use 2",
                "got 2",
                "after 2",
                "read",
                "end",
            ],
            "create_task runs it now",
            "You have use 1 before got 1. `create_task` runs nothing: it puts the task "
            "into the queue.",
        ),
        wrong_value(
            [
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
            ],
            "every await lets others run",
            "You have use 1 before the loop is over. `async for` awaits the next item, "
            "but the generator hands it out without waiting for anything, so the event "
            "loop has no turn.",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "use 1",
                "got 2",
                "after 2",
                "use 2",
                "read",
                "end",
            ],
            "every yield lets others run",
            "You have use 1 where the generator yields. A `yield` hands the item to the "
            "`async for`, and the event loop hears nothing of it.",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "got 2",
                "after 2",
                "use 1",
                "use 2",
                "read",
                "end",
            ],
            "the end of the stream lets others run",
            "You have use 1 before `read`. The end of the stream suspends nobody either; "
            "the end of the `async with` does.",
        ),
        wrong_value(
            [
                "make 1",
                "after 1",
                "make 2",
                "after 2",
                "got 1",
                "got 2",
                "read",
                "use 1",
                "use 2",
                "end",
            ],
            "makes all items first",
            "You have after 1 before got 1. At its `yield` the generator stands still, "
            "until the loop asks for the next item.",
        ),
        wrong_value(
            ["make 1", "got 1", "after 1", "make 2", "got 2", "read", "use 1", "use 2", "end"],
            "forgot what stands behind the last yield",
            "You left out after 2. The loop asks once more after the last item, and the "
            "generator runs to its end.",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "got 2",
                "after 2",
                "read",
                "end",
                "use 1",
                "use 2",
            ],
            "did not wait",
            "You have `end` before the uses. The end of the `async with` waits for all "
            "tasks of its group.",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "make 2",
                "after 1",
                "got 2",
                "after 2",
                "read",
                "use 1",
                "use 2",
                "end",
            ],
            "wrong place to go on",
            "You have make 2 before after 1. The generator goes on below the `yield` at "
            "which it stood.",
        ),
    )


class Pages(Exercise):
    """A paginator

    A catalogue answers in pages. `fetch(url)` is a coroutine function; its page is a dict:
    `page["results"]` is a list of items, which may be empty, and `page["next"]` is the url of the
    next page, or None if there is none.

    Write an async generator `pages(fetch, url)`: it yields the items of all pages, one by one,
    beginning with the page at `url`. A page is fetched only when somebody asks for an item that
    is on none of the pages before it.
    """

    id = "pages-1"
    asks = "pages"
    minutes = 7
    hints = (
        "A loop goes from page to page. What tells it where to go, and when to stop?",
        "Hand out all items of a page before you fetch the next one.",
        "`while url is not None:` fetch the page, `yield` each of its results, and set `url` to "
        "the page's next.",
    )

    def verify(self, pages, lab):
        book = {
            "p1": {"results": ["a", "b"], "next": "p2"},
            "p2": {"results": [], "next": "p3"},
            "p3": {"results": ["c"], "next": "p4"},
            "p4": {"results": ["d"], "next": None},
        }
        fetch = lab.service(1, book)
        lab.told('with a catalogue of four pages: "a" and "b", none, "c", "d"')
        lab.run(self._read(pages, lab, fetch))
        lab.told("with a catalogue of one page")
        fetch = lab.service(1, {"only": {"results": ["z"], "next": None}})
        lab.equal(lab.run(self._all(pages(fetch, "only"))).result, ["z"], what="it yielded")

    async def _all(self, stream):
        return [item async for item in stream]

    async def _read(self, pages, lab, fetch):
        stream, got = async_iterator(lab, pages(fetch, "p1")), []
        async for item in self._ended(stream, lab):
            if isinstance(item, (list, dict)):
                raise Wrong(
                    "yields whole pages",
                    f"It yielded {item!r}.",
                    lab.line(r"\byield\b"),
                    "Whoever reads it wants items: go through the results in a loop.",
                )
            if hasattr(item, "__anext__"):
                raise Wrong(
                    "yields a stream",
                    "It yielded an async generator.",
                    lab.line(r"\byield\b.*\("),
                    "There is no `yield from` for async generators: go through it with "
                    "`async for`, and yield its items.",
                )
            got.append(item)
            await asyncio.sleep(3)  # what was begun in the background begins now
            self._fetched(lab, fetch.calls, got)
        if got == ["a", "b"]:
            raise Wrong(
                "stopped too early",
                "It yielded a and b, and no more. The second page is empty, and it has a next one."
                if len(fetch.calls) > 1
                else "It yielded the items of the first page, and no more.",
                lab.line(r"\bwhile\b|\bif\b|\breturn\b|\bfor\b"),
                "Only `next` tells whether there is another page.",
            )
        if got == ["a", "b", "c"]:
            raise Wrong(
                "stopped too early",
                "It yielded a, b and c. The item of the last page is missing.",
                lab.line(r"\bwhile\b|\bif\b|\breturn\b|\bbreak\b"),
                "The page whose `next` is None has items like the others: yield them "
                "before you stop.",
            )
        lab.equal(got, ["a", "b", "c", "d"], what="it yielded")

    async def _ended(self, stream, lab):
        try:
            async for item in stream:
                yield item
        except RuntimeError as error:
            if "StopAsyncIteration" not in str(error):
                raise
            raise Wrong(
                "raised StopAsyncIteration",
                f"Python said: {error}.",
                lab.line("StopAsyncIteration|anext"),
                "An async generator ends where its body ends, or by a bare `return`.",
            ) from None

    def _fetched(self, lab, calls, got):
        if len(calls) > len(set(calls)):
            raise Wrong(
                "the same page again",
                f"It fetched {calls}.",
                lab.line(r"\bfetch\("),
                "After a page, go on with its `next`.",
            )
        needed = {1: 1, 2: 1, 3: 3, 4: 4}.get(len(got), 4)
        if len(calls) <= needed:
            return
        said = f"I asked for {len(got)} item{'s' * (len(got) > 1)}, and it had fetched {calls}."
        if len(calls) == 4 and needed == 1:
            raise Wrong(
                "loads all first",
                said,
                lab.line(r"\bfetch\("),
                "The first item has to wait for the last page in this way. Yield the "
                "items of a page before you fetch the next one.",
            )
        raise Wrong(
            "fetches a page too early",
            said,
            lab.line(r"\bfetch\("),
            "Fetch the next page when all items of this one have been asked for.",
        )

    @right
    async def with_while(fetch, url):
        """Yield the items of all pages, beginning with the page at `url`."""
        while url is not None:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            url = page["next"]

    @right
    async def with_itself(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item
        if page["next"]:
            async for item in with_itself(fetch, page["next"]):
                yield item

    @wrong("loads all first", says="I asked for 1 item")
    async def loads_all(fetch, url):
        items = []
        while url is not None:
            page = await fetch(url)
            items += page["results"]
            url = page["next"]
        for item in items:
            yield item

    @wrong("fetches a page too early", says="['p1', 'p2']")
    async def one_ahead(fetch, url):
        page = await fetch(url)
        while page is not None:
            following = await fetch(page["next"]) if page["next"] else None
            for item in page["results"]:
                yield item
            page = following

    @wrong("not an async generator", says="no `yield`")
    async def returns_a_list(fetch, url):
        items = []
        while url is not None:
            page = await fetch(url)
            items.extend(page["results"])
            url = page["next"]
        return items

    @wrong("yields whole pages", says="['a', 'b']")
    async def yields_lists(fetch, url):
        while url is not None:
            page = await fetch(url)
            yield page["results"]
            url = page["next"]

    @wrong("stopped too early", says="empty")
    async def until_an_empty_page(fetch, url):
        page = await fetch(url)
        while page["results"]:
            for item in page["results"]:
                yield item
            page = await fetch(page["next"])

    @wrong("stopped too early", says="the first page")
    async def the_first_page(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item

    @wrong("fetches a page too early", says="['p1', 'p2']")
    async def in_the_background(fetch, url):
        page = await fetch(url)
        while page["next"]:
            following = asyncio.create_task(fetch(page["next"]))
            for item in page["results"]:
                yield item
            page = await following
        for item in page["results"]:
            yield item

    @wrong("the same page again", says="go on with its `next`")
    async def never_goes_on(fetch, url):
        while True:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            if page["next"] is None:
                return

    @wrong("yields a stream", says="no `yield from`")
    async def yields_the_rest(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item
        if page["next"]:
            yield yields_the_rest(fetch, page["next"])

    @wrong("raised StopAsyncIteration", says="bare `return`")
    async def raises_the_end(fetch, url):
        while True:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            if page["next"] is None:
                raise StopAsyncIteration
            url = page["next"]

    @wrong("stopped too early", says="item of the last page")
    async def all_but_the_last(fetch, url):
        page = await fetch(url)
        while page["next"] is not None:
            for item in page["results"]:
                yield item
            page = await fetch(page["next"])

    @wrong("not awaited", says="coroutine")
    async def no_await(fetch, url):
        while url is not None:
            page = fetch(url)
            for item in page["results"]:
                yield item
            url = page["next"]


class FirstMatch(Exercise):
    """Take one and leave

    `stream` is an async generator that holds a connection, and gives it back in its `finally`.
    Write a coroutine function `first(stream, wanted)`: it returns the first item for which the
    plain function `wanted(item)` is true, or None if the stream has no such item.

    Read no further than that item. And when `first` returns, the stream has been closed; so it
    has when `wanted` fails, whose error comes out.
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
        self._fails(first, lab)

    def _case(self, first, lab, items, wanted, expected, needed):
        stream, note = watched(items, 1)
        lab.told(
            f"with a stream of {items}, of which "
            f"{'none' if expected is None else expected} is the first one wanted"
        )
        closed = lab.run(self._ask(first, lab, stream, wanted, note)).result
        lab.equal(note.got, expected, what="it returned")
        if len(note.taken) > needed:
            raise Wrong(
                "reads on",
                f"It read {note.taken}, and needed no more than {items[:needed]}.",
                lab.line(r"\bfor\b"),
                "A stream may be long, or never end. Return as soon as you have it.",
            )
        self._closed(lab, closed, "It returned")

    async def _ask(self, first, lab, stream, wanted, note):
        try:
            note.got = await first(stream, wanted)
        except StopAsyncIteration:
            raise Wrong(
                "let StopAsyncIteration out",
                "The stream had nothing more, and `anext` raised StopAsyncIteration.",
                lab.line(r"\banext\(|__anext__"),
                "Let an `async for` ask, or give `anext` a default.",
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
            raise Wrong(
                "lost error",
                "`wanted` raised a ValueError, and `first` returned as if nothing had happened.",
                lab.line(r"except|suppress"),
            )

        stream, note = watched([1, 2], 1)
        lab.told("with a `wanted` that fails")
        closed = lab.run(ask()).result
        self._closed(lab, closed, "The error came out")

    def _closed(self, lab, closed, then):
        if not closed:
            line = lab.line(r"(?<!await )\b\w+\.aclose\(\)")
            other = lab.line(r"await \w+\.aclose\(\)")
            raise Wrong(
                "left the stream open",
                f"{then}, and the stream had not been closed.",
                line or other or lab.line(r"async for|anext"),
                "`aclose()` is a coroutine: await it, and await it on every way out."
                if line
                else "This way out does not come by your `aclose()`. A `finally` is "
                "on every way, and so is `contextlib.aclosing`."
                if other
                else "To leave an `async for` closes nothing. `contextlib.aclosing` closes it "
                "on every way out of its block.",
            )

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

    @wrong("left the stream open", says="closes nothing")
    async def just_returns(stream, wanted):
        async for item in stream:
            if wanted(item):
                return item

    @wrong("left the stream open", says="does not come by your `aclose()`")
    async def closes_on_the_good_way(stream, wanted):
        found = None
        async for item in stream:
            if wanted(item):
                found = item
                break
        await stream.aclose()
        return found

    @wrong("left the stream open", says="is a coroutine")
    async def closes_later(stream, wanted):
        try:
            async for item in stream:
                if wanted(item):
                    return item
        finally:
            asyncio.ensure_future(stream.aclose())

    @wrong("reads on", says="[3, 8, 5, 9]")
    async def with_a_comprehension(stream, wanted):
        found = [item async for item in stream if wanted(item)]
        return found[0] if found else None

    @wrong("let StopAsyncIteration out", says="nothing more")
    async def by_hand(stream, wanted):
        async with aclosing(stream):
            while True:
                item = await anext(stream)
                if wanted(item):
                    return item

    @wrong("value", says="It returned [8]")
    async def returns_a_list(stream, wanted):
        async with aclosing(stream):
            async for item in stream:
                if wanted(item):
                    return [item]

    @wrong("lost error", says="as if nothing had happened")
    async def catches_all(stream, wanted):
        try:
            async with aclosing(stream):
                async for item in stream:
                    if wanted(item):
                        return item
        except Exception:
            return None


class Borrowed(Exercise):
    """A borrowed connection

    `pool.acquire()` and `pool.release(connection)` are coroutine functions. Write a function
    `borrowed(pool)` with `@asynccontextmanager`:

        async with borrowed(pool) as connection:
            ...

    The connection is acquired at the beginning of the block and released when the block ends,
    however it ends. An error or a cancellation of the block comes out as it would without you.
    """

    id = "borrowed-1"
    asks = "borrowed"
    minutes = 7
    hints = (
        "What stands before the `yield` opens, what stands behind it closes. What do you yield?",
        "An error of the block is raised at the `yield`. Then what stands below is not reached.",
        "`connection = await pool.acquire()`, then `try: yield connection`, and in the `finally` "
        "`await pool.release(connection)`.",
    )

    def verify(self, borrowed, lab):
        for ends in ("by itself", "with an error", "by a cancellation"):
            lab.told(f"and the block ended {ends}")
            pool = Pool()
            block = self._block(borrowed, lab, pool, ends)
            if ends == "by a cancellation":
                lab.run(block, cancel_after=5)
            else:
                lab.run(block)
            self._released(lab, pool, ends)
        self._no_connection(borrowed, lab)

    async def _block(self, borrowed, lab, pool, ends):
        try:
            async with self._manager(borrowed, lab, pool) as connection:
                if connection != "connection 1":
                    raise Wrong(
                        "value",
                        f"In the block the connection was {connection!r}, and "
                        f"what `acquire` gave is {pool.given or 'nothing'}.",
                        lab.line(r"\byield\b"),
                        "Yield what the block is to work with.",
                    )
                if pool.back:
                    raise Wrong(
                        "released too early",
                        "The connection had been released when the block began.",
                        lab.line("release"),
                        "Release it behind the `yield`.",
                    )
                if ends == "with an error":
                    raise ValueError("in the block")
                await asyncio.sleep(10)
        except ValueError:
            return
        except RuntimeError as error:
            if "didn't stop" not in str(error):
                raise
            raise Wrong(
                "yields twice",
                f"Python said: {error}. The block stands for one `yield`, "
                "and there was another one.",
                lab.line(r"\byield\b"),
                "One `yield` for the one block.",
            ) from None
        if ends == "with an error":
            raise Wrong(
                "lost error",
                "The block raised a ValueError, and it didn't come out of the `async with`.",
                lab.line(r"\bexcept\b|suppress|\breturn\b"),
                "It is raised at the `yield`, and nothing there may end it: no `except` "
                "that doesn't raise again, no `return` in a `finally`.",
            )

    def _manager(self, borrowed, lab, pool):
        manager = borrowed(pool)
        inner = getattr(manager, "gen", None)  # what @asynccontextmanager has been given
        if hasattr(manager, "__aenter__") and (inner is None or hasattr(inner, "__anext__")):
            return manager
        said = f"It returned a {type(manager).__name__}."
        if hasattr(manager, "__aenter__"):
            said = "It is no `async def`, so it can't await."
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
            "not an async context manager",
            said,
            lab.line(r"def\s+borrowed\b"),
            "Write `@asynccontextmanager` above `async def`, and a `yield` inside.",
        )

    def _released(self, lab, pool, ends):
        if pool.back == pool.given:
            return
        if not pool.back:
            raise Wrong(
                "not given back",
                "The connection was never released.",
                lab.line("release") or lab.line(r"\byield\b"),
                "Your release is reached only when the block fails. A `finally` is "
                "reached on every way out."
                if ends == "by itself" and lab.line(r"\bexcept\b")
                else "Release it behind the `yield`."
                if ends == "by itself"
                else "The error is raised at the `yield`. Only a `finally` is reached on every "
                "way out."
                if ends == "with an error"
                else "A CancelledError is no Exception. Only a `finally` is reached on every "
                "way out.",
            )
        raise Wrong(
            "value",
            f"Acquired was {pool.given}, and released {pool.back}.",
            lab.line("release"),
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
                    "released what it never had",
                    "`acquire` failed, so there was no "
                    "connection, and the release was reached all the same.",
                    lab.line("release"),
                    "Acquire before the `try`.",
                ) from None
            raise Wrong(
                "lost error",
                "`acquire` failed, and the block ran all the same.",
                lab.line(r"\bexcept\b|suppress"),
            )

        pool = Pool(empty=True)
        lab.told("with a pool whose `acquire` raises a ConnectionError")
        lab.run(ask())
        if pool.back:
            raise Wrong(
                "released what it never had",
                f"It released {pool.back}.",
                lab.line("release"),
                "Acquire before the `try`.",
            )

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

    @wrong("not given back", says="no Exception")
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

    @wrong("swallowed", says="as if nothing had happened")
    @asynccontextmanager
    async def swallows_the_cancellation(pool):
        connection = await pool.acquire()
        try:
            yield connection
        except asyncio.CancelledError:
            pass
        finally:
            await pool.release(connection)

    @wrong("not awaited", says="release")
    @asynccontextmanager
    async def does_not_await(pool):
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            pool.release(connection)

    @wrong("not given back", says="only when the block fails")
    @asynccontextmanager
    async def only_after_an_error(pool):
        connection = await pool.acquire()
        try:
            yield connection
        except BaseException:
            await pool.release(connection)
            raise

    @wrong("lost error", says="no `return` in a `finally`")
    @asynccontextmanager
    async def returns_in_the_finally(pool):
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)
            return

    @wrong("yields twice", says="One `yield`")
    @asynccontextmanager
    async def two_yields(pool):
        connection = await pool.acquire()
        yield connection
        yield connection
        await pool.release(connection)

    @wrong("not an async context manager", says="no `yield` in it")
    @asynccontextmanager
    async def returns_it(pool):
        connection = await pool.acquire()
        try:
            return connection
        finally:
            await pool.release(connection)

    @wrong("not an async context manager", says="the decorator is missing")
    async def no_decorator(pool):
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)

    @wrong("value", says="None")
    @asynccontextmanager
    async def yields_nothing(pool):
        connection = await pool.acquire()
        try:
            yield
        finally:
            await pool.release(connection)

    @wrong("released what it never had", says="Acquire before the `try`")
    @asynccontextmanager
    async def acquires_inside(pool):
        try:
            connection = await pool.acquire()
            yield connection
        finally:
            await pool.release(connection)


class Pool:
    """A pool that notes what it gave and got back: .given, .back."""

    def __init__(self, empty=False):
        self.empty, self.given, self.back = empty, [], []

    async def acquire(self):
        await asyncio.sleep(1)
        if self.empty:
            raise ConnectionError("no connection left")
        self.given.append(f"connection {len(self.given) + 1}")
        return self.given[-1]

    async def release(self, connection):
        await asyncio.sleep(1)
        self.back.append(connection)


class AsTheyArrive(Exercise):
    """As they arrive

    `stream` is an async iterator whose items come one after another, and `fetch(item)` is a
    coroutine function. Write a coroutine function `load(stream, fetch)`: it returns the results
    of all fetches, in the order of the items.

    Each fetch begins as soon as its item is there, while you wait for the next item. If a fetch
    fails, its error (or a group with it) comes out at once, without waiting for more items, and
    no fetch goes on.
    """

    id = "arrive-1"
    asks = "load"
    minutes = 8
    hints = (
        "What begins a coroutine while you go on with something else?",
        "An error has to get to you while you wait in an `async for`. What cancels whoever made "
        "the tasks when one of them fails?",
        "Inside `async with asyncio.TaskGroup() as group:` make a task of `fetch(item)` for each "
        "item, and keep it in a list; behind the block, return the tasks' results.",
    )

    def verify(self, load, lab):
        self._starts(load, lab)
        self._fails(load, lab)

    def _starts(self, load, lab):
        service = lab.service({"a": 5, "b": 1, "c": 2}, name="fetch")
        began = {}

        async def fetch(item):
            began.setdefault(item, asyncio.get_running_loop().time())
            return await service(item)

        lab.told("with items a, b and c, 1 s apart, whose fetches take 5, 1 and 2 s")
        stream = lab.stream("abc", seconds=1)
        run = lab.run(self._load(load, stream, fetch))
        lab.equal(run.result, ["page a", "page b", "page c"], what="it returned")
        first = min(began.values())
        starts = {item: round(time - first, 3) for item, time in began.items()}
        if starts["b"] >= 5:
            raise Wrong(
                "sequential",
                f"The fetch of b began {starts['b']:g} s after that of a, when that was over.",
                lab.text.sequential_await(),
                "An `async for` runs its body to the end before it asks for the next "
                "item. Start a task, and go on.",
            )
        if starts["b"] == 0:
            raise Wrong(
                "waits for the last item",
                "The fetch of a began when the last item had come: all fetches began together.",
                lab.line(r"gather\(|async for|create_task"),
                "A list of items, or of coroutines, starts nothing. Start a task for each "
                "item when it arrives.",
            )
        if run.elapsed > 6.001:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s. The last fetch could be over after 6 s.",
                lab.line(r"\bawait\b"),
                "Start each fetch when its item arrives.",
            )

    async def _load(self, load, stream, fetch):
        return await load(stream, fetch)

    def _fails(self, load, lab):
        service = lab.service(
            {"a": 30, "b": 1, "c": 1, "d": 1}, errors={"b": ConnectionError("b is gone")}
        )
        lab.told("with items that come 3 s apart, and the fetch of the second one fails")

        async def ask():
            loop = asyncio.get_running_loop()
            begin = loop.time()
            try:
                got = await load(stream, service)
            except Exception as error:
                if not any(isinstance(leaf, ConnectionError) for leaf in leaves(error)):
                    raise
            else:
                raise Wrong(
                    "lost error",
                    f"It returned {got!r}.",
                    lab.line(r"return_exceptions|\bexcept\b|suppress"),
                )
            if service.flying:
                raise Wrong(
                    "left fetches running",
                    "The error came out, and the fetch of a still went on.",
                    lab.line(r"gather|create_task|ensure_future"),
                    "gather raises the first error and lets the others go on. A TaskGroup "
                    "ends them.",
                )
            if loop.time() - begin > 7.5:
                raise Wrong(
                    "heard of the error too late",
                    f"b failed after 7 s, and I heard of it after {loop.time() - begin:g} s.",
                    lab.line(r"gather\(|await task|async for"),
                    "Who awaits the tasks behind the loop hears of nothing before. A "
                    "TaskGroup around the loop does.",
                )

        stream = lab.stream("abcd", seconds=3)
        lab.run(ask(), leaks=True)

    @right
    async def with_a_group(stream, fetch):
        """Return the results of `fetch` for all items of the stream, in order."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fetch(item)) async for item in stream]
        return [task.result() for task in tasks]

    @right
    async def into_a_dict(stream, fetch):
        results, number = {}, 0

        async def one(number, item):
            results[number] = await fetch(item)

        async with asyncio.TaskGroup() as group:
            async for item in stream:
                group.create_task(one(number, item))
                number += 1
        return [results[n] for n in range(number)]

    @wrong("sequential", says="began 6 s after")
    async def in_the_body(stream, fetch):
        return [await fetch(item) async for item in stream]

    @wrong("waits for the last item", says="all fetches began together")
    async def list_then_gather(stream, fetch):
        return await asyncio.gather(*[fetch(item) async for item in stream])

    @wrong("waits for the last item", says="all fetches began together")
    async def group_around_a_list(stream, fetch):
        items = [item async for item in stream]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fetch(item)) for item in items]
        return [task.result() for task in tasks]

    @wrong("left fetches running", says="the fetch of a still went on")
    async def tasks_and_gather(stream, fetch):
        tasks = [asyncio.create_task(fetch(item)) async for item in stream]
        return await asyncio.gather(*tasks)

    @wrong("lost error", says="It returned")
    async def keeps_the_exceptions(stream, fetch):
        tasks = [asyncio.create_task(fetch(item)) async for item in stream]
        return await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("heard of the error too late", says="after 7 s")
    async def group_behind_the_loop(stream, fetch):
        tasks = [asyncio.create_task(fetch(item)) async for item in stream]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            raise

    @wrong("order", says="page b")
    async def as_they_are_done(stream, fetch):
        results = []

        async def one(item):
            results.append(await fetch(item))

        async with asyncio.TaskGroup() as group:
            async for item in stream:
                group.create_task(one(item))
        return results

    @wrong("not awaited", says="list with a Task")
    async def returns_tasks(stream, fetch):
        async with asyncio.TaskGroup() as group:
            return [group.create_task(fetch(item)) async for item in stream]


class Merge(Exercise):
    """Several streams, one queue

    `streams` is a list of async generators, and `queue` an `asyncio.Queue`. Write a coroutine
    function `merge(streams, queue)`: it puts the items of all streams into the queue, each as
    soon as it comes, whichever stream it is from. When all streams have ended, it puts one None,
    and returns.

    - The queue may be full: wait for room.
    - If a stream fails, its error (or a group with it) comes out of `merge` at once, and no None
      is put.
    - When `merge` has ended, in whichever way, nothing of it still runs, and every stream has been
      closed. So it is when `merge` is cancelled.
    """

    id = "merge-1"
    asks = "merge"
    minutes = 12
    hints = (
        "Who reads two streams at the same time? Give each of them a task.",
        "A group of tasks ends the others when one fails, lets the error out, and waits for all. "
        "What stands behind it is reached only if all went well.",
        "A pump is cancelled while it waits in `queue.put`, and then its stream stands at a "
        "`yield`: `aclosing` in each pump. `async with asyncio.TaskGroup()` around them, and the "
        "None behind it.",
    )

    def verify(self, merge, lab):
        self._order(merge, lab)
        self._fails(merge, lab)
        self._full(merge, lab)
        self._cancelled(merge, lab)

    def _order(self, merge, lab):
        a, noted_a = watched(["a0", "a1"], 2)
        b, noted_b = watched(["b0", "b1"], 3)
        got = []

        async def read(queue):
            loop = asyncio.get_running_loop()
            begin = loop.time()
            while True:
                got.append(await queue.get())
                times.append(loop.time() - begin)

        async def ask():
            queue = asyncio.Queue(1)
            reader = asyncio.create_task(read(queue))
            await merge([a, b], queue)
            await asyncio.sleep(0)
            reader.cancel()

        times = []
        lab.told(
            "with a stream that gives a0 and a1 after 2 and 4 s, and one that gives b0 and "
            "b1 after 3 and 6 s"
        )
        lab.run(ask())
        items = [item for item in got if item is not None]
        if items == ["a0", "a1", "b0", "b1"] or items == ["b0", "b1", "a0", "a1"]:
            raise Wrong(
                "sequential",
                f"The queue got {got}: one stream after the other.",
                lab.line(r"async for"),
                "A task for each stream reads them all at once.",
            )
        if got.count(None) == 2 and items == ["a0", "b0", "a1", "b1"]:
            raise Wrong(
                "two ends",
                f"The queue got {got}. Whoever reads it stops at the first None.",
                lab.line(r"put(_nowait)?\(None"),
                "The streams end at different times. Put the None when all have ended.",
            )
        if items == ["a0", "b0", "a1", "b1"] and None not in got:
            raise Wrong(
                "no end",
                f"The queue got {got}, and no None. Whoever reads it waits for ever.",
                lab.line(r"\bput\b"),
                "Put a None when all streams have ended.",
            )
        if items == ["a0", "b0", "a1", "b1"] and None in got[:-1]:
            raise Wrong(
                "ended too early",
                f"The queue got {got}.",
                lab.line(r"put(_nowait)?\(None"),
                "The end of a TaskGroup's block waits for its tasks. What is in the block doesn't.",
            )
        lab.equal(got, ["a0", "b0", "a1", "b1", None], what="the queue got")
        for item, there, taken in zip(got, (2, 3, 4, 6), times):
            if taken > there + 0.5:
                raise Wrong(
                    "came too late",
                    f"{item} was there after {there} s, and in the queue after {taken:g} s.",
                    lab.line(r"anext|sorted|gather|\bput\b"),
                    "Each stream needs a task of its own, which waits for nothing but its "
                    "next item and for room.",
                )

    async def _outcome(self, merge, lab, streams, queue, fails_at):
        loop = asyncio.get_running_loop()
        begin = loop.time()
        before = asyncio.all_tasks()
        asked = asyncio.ensure_future(merge(streams, queue))
        await asyncio.wait([asked], timeout=60)
        if not asked.done():
            asked.cancel()
            await asyncio.wait([asked])
            raise Wrong(
                "never came back",
                f"The stream b failed after {fails_at} s. A minute later `merge` had not ended.",
                lab.line(r"await"),
                "Something waits for the stream that failed, or for room in the queue.",
            )
        if asked.cancelled():
            raise Wrong(
                "lost error",
                "The stream b raised a ConnectionError, and what came out is a CancelledError.",
                lab.line(r"cancel"),
            )
        error = asked.exception()
        if error is None:
            raise Wrong(
                "lost error",
                "The stream b raised a ConnectionError, and `merge` "
                "returned as if nothing had happened.",
                lab.line(r"return_exceptions|\bexcept\b|suppress|asyncio\.wait|finally"),
            )
        if not any(isinstance(leaf, ConnectionError) for leaf in leaves(error)):
            raise error
        left = asyncio.all_tasks() - before - {asked}
        if left:
            raise Wrong(
                "left pumps running",
                "The error came out, and the reading of the other stream went on.",
                lab.line(r"gather|create_task|ensure_future|wait\("),
                "gather and wait let the others go on when one fails. A TaskGroup ends them.",
            )
        if loop.time() - begin > fails_at + 0.5:
            raise Wrong(
                "heard of the error too late",
                f"The stream b failed after {fails_at} s, "
                f"and the error came out after {loop.time() - begin:g} s.",
                lab.line(r"^\s+await (?!queue)"),
                "Something else was awaited first. A TaskGroup hears of the first one "
                "that fails, and ends the others.",
            )

    def _fails(self, merge, lab):
        async def ask():
            queue = asyncio.Queue()
            await self._outcome(merge, lab, [a, b], queue, 3)
            return [queue.get_nowait() for _ in range(queue.qsize())]

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched([], 3, ConnectionError("b is gone"))
        lab.told("with two streams, of which the second, b, fails after 3 s")
        got = lab.run(ask(), leaks=True).result
        if None in got:
            raise Wrong(
                "ended well all the same",
                f"The queue got {got}. Whoever reads it takes the None for a good end.",
                lab.line(r"put(_nowait)?\(None"),
                "Put the None only where all streams have ended, not in a `finally`.",
            )
        lab.equal(got, ["a0"], what="the queue got")
        self._closed(lab, a=noted_a, b=noted_b)

    def _full(self, merge, lab):
        async def ask():
            await self._outcome(merge, lab, [a, b], asyncio.Queue(1), 5)
            return noted_a.closed

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched([], 5, ConnectionError("b is gone"))
        lab.told("with a queue that is full, and a stream b that fails after 5 s")
        noted_a.closed = lab.run(ask(), leaks=True).result
        self._closed(lab, a=noted_a, b=noted_b)

    def _cancelled(self, merge, lab):
        async def ask():
            before = asyncio.all_tasks()
            asked = asyncio.ensure_future(merge([a, b], asyncio.Queue(1)))
            await asyncio.sleep(5)
            asked.cancel()
            await asyncio.wait([asked], timeout=60)
            left = asyncio.all_tasks() - before
            if asked in left:
                raise Wrong(
                    "swallowed",
                    "A minute later `merge` had not ended.",
                    lab.text.swallowing_handler() or lab.line(r"await"),
                )
            if left:
                raise Wrong(
                    "left pumps running",
                    "`merge` ended, and the reading of the streams went on.",
                    lab.line(r"create_task|ensure_future|wait\("),
                    "Who cancels `merge` doesn't cancel the tasks that it made. A "
                    "TaskGroup does, and so does a `finally` that cancels them.",
                )
            if not asked.cancelled():
                raise Wrong(
                    "swallowed",
                    "`merge` didn't end by a CancelledError.",
                    lab.text.swallowing_handler(),
                )
            return noted_a.closed, noted_b.closed

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched(["b0"], 30)
        lab.told("with two streams and a queue that is full, and cancelled it after 5 s")
        noted_a.closed, noted_b.closed = lab.run(ask(), leaks=True).result
        self._closed(lab, then="`merge` was cancelled", a=noted_a, b=noted_b)

    def _closed(self, lab, then="The error came out", **noted):
        for name, note in noted.items():
            if not note.closed:
                raise Wrong(
                    "left a stream open",
                    f"{then}, and the stream {name} had "
                    "not been closed: its task was cancelled in the body of the loop, and "
                    "the stream stood at its `yield`.",
                    lab.line(r"async for"),
                    "To leave an `async for` closes nothing. `aclosing` does.",
                )

    @right
    async def with_a_group(streams, queue):
        """Put the items of all streams into the queue as they come, then a None."""

        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)

    @right
    async def with_finally(streams, queue):
        async def pump(stream):
            try:
                async for item in stream:
                    await queue.put(item)
            finally:
                await stream.aclose()

        tasks = [asyncio.create_task(pump(stream)) for stream in streams]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await queue.put(None)

    @wrong("lost error", says="as if nothing had happened")
    async def keeps_the_exceptions(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.gather(*(pump(stream) for stream in streams), return_exceptions=True)
        await queue.put(None)

    @wrong("lost error", says="as if nothing had happened")
    async def only_waits(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.wait([asyncio.create_task(pump(stream)) for stream in streams])
        await queue.put(None)

    @wrong("sequential", says="one stream after the other")
    async def one_by_one(streams, queue):
        for stream in streams:
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
        await queue.put(None)

    @wrong("came too late", says="b0 was there after 3 s")
    async def in_turns(streams, queue):
        streams = list(streams)
        while streams:
            for stream in list(streams):
                try:
                    await queue.put(await anext(stream))
                except StopAsyncIteration:
                    streams.remove(stream)
        await queue.put(None)

    @wrong("heard of the error too late", says="after 6 s")
    async def awaits_in_order(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        tasks = [asyncio.create_task(pump(stream)) for stream in streams]
        for task in tasks:
            await task
        await queue.put(None)

    @wrong("ended too early", says="What is in the block")
    async def ends_in_the_block(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
            await queue.put(None)

    @wrong("left a stream open", says="stood at its `yield`")
    async def no_aclosing(streams, queue):
        async def pump(stream):
            async for item in stream:
                await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)

    @wrong("left pumps running", says="let the others go on")
    async def with_gather(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.gather(*(pump(stream) for stream in streams))
        await queue.put(None)

    @wrong("left pumps running", says="Who cancels `merge`")
    async def cancelled_it_leaves_them(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        pumps = [asyncio.create_task(pump(stream)) for stream in streams]
        done, others = await asyncio.wait(pumps, return_when=asyncio.FIRST_EXCEPTION)
        for pump in others:
            pump.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for pump in done:
            pump.result()
        await queue.put(None)

    @wrong("two ends", says="stops at the first None")
    async def an_end_for_each(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
            await queue.put(None)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))

    @wrong("no end", says="waits for ever")
    async def forgets_the_end(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))

    @wrong("ended well all the same", says="for a good end")
    async def ends_in_finally(streams, queue):
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

    @wrong("full queue", says="QueueFull")
    async def does_not_wait(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    queue.put_nowait(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)
