import asyncio
import inspect
import traceback

from helpers.coach import Exercise, Wrong, right, sweep, wrong


class Edge(Exercise):
    """Async at the edge

    `fetch(url)` is a coroutine function. Write a *plain* function `report(fetch, urls)`: it fetches
    all pages at once and returns one string, the pages in the order of `urls`, joined by ", ";
    without urls it is empty. If a fetch fails, its error comes out, alone or in a group. It is
    called from a script, where no loop runs, and leaves no loop open.
    """

    id = "edge-1"
    asks = "report"
    minutes, clock = 8, "real"
    limit = 3
    hints = (
        "Whoever calls `report` doesn't await it. Where does the loop come from, then?",
        "A coroutine inside the function can gather; `asyncio.run` runs it to its end.",
        "`async def all_of_them(): return await asyncio.gather(*(fetch(url) for url in urls))`, "
        "then `asyncio.run(all_of_them())`.",
    )
    equivalent = {
        "on_a_loop_of_its_own: finally for errors, line 11": "as below, for a cancellation",
        "on_a_loop_of_its_own: drop finally, line 11": "a loop that nobody closes is untidy, but "
        "the statement asks for the pages alone",
    }

    def verify(self, report, lab):
        fetch = lab.service({"a": 0.12, "b": 0.04, "c": 0.08})
        try:
            got = lab.call(report, fetch, ["a", "b", "c"])
        except asyncio.CancelledError:
            raise Wrong(
                "not awaited",
                "Its loop ended before the fetches did, and what still ran was cancelled.",
                lab.earliest(lab.returning("gather"), lab.call_of("gather", "create_task")),
                "The inner coroutine must `await` the gather.",
            ) from None
        except (RuntimeError, TypeError, ValueError) as error:
            self._named(lab, error)
            raise
        if asyncio.iscoroutine(got):
            got.close()
            outer = lab.coroutine_function("report")
            raise Wrong(
                "async for plain",
                "It returned a coroutine: its caller would have to be async as well.",
                outer or lab.returning(),
                "Begin it with `def`, and run the loop inside it."
                if outer
                else "Run it to its end here: `asyncio.run` does, and returns what it returned.",
                headline="must be awaited",
            )
        if fetch.peak == 1 and len(fetch.started) == 3:
            runs = lab.repeated_call_of("run", "run_until_complete")
            raise Wrong(
                "sequential",
                "Each page was fetched before the next one began.",
                runs or lab.await_of() or lab.call_of("asyncio.run", "run_until_complete"),
                "Call `asyncio.run` once for all of them, and start them inside it, in a "
                "TaskGroup or by `gather`."
                if runs
                else "Start them all, in a TaskGroup or by `gather`.",
                at="runs a loop for one page to its end before it starts the next" if runs else "",
            )
        if got == "page b, page c, page a":
            raise Wrong(
                "order",
                f"It returned {got!r}: the order in which they were ready.",
                lab.call_of("as_completed", "wait", "append"),
            )
        lab.equal(got, "page a, page b, page c")
        lab.equal(lab.call(report, fetch, []), "")
        self.twice(report, lab)
        lab.told("with a page that fails")
        failing = lab.service(0.01, errors={"b": ConnectionError("no page b")})
        try:
            got = report(failing, ["a", "b"])
        except BaseException as error:
            if _holds(error, ConnectionError):
                return
            raise
        raise lab.lost_error(
            f"ConnectionError was raised inside, and it had to come out. It returned {got!r}.",
            ConnectionError,
            line=lab.earliest(
                lab.handler(), lab.keyword("return_exceptions"), lab.call_of("suppress")
            ),
        )

    @sweep(
        lambda some: {
            "urls": some.lists(some.sampled_from("abc"), max_size=4),
            "pages": some.permutations(("", "page", ", ")),
            "waits": some.permutations((0.002, 0.006, 0.01)),
        },
        besides=[
            {"urls": ["a", "b"], "pages": ("", "page", ", "), "waits": (0.002, 0.006, 0.01)},
        ],
        fails=(OSError, ValueError, ...),
        most=6,
    )
    def any_urls(self, report, lab, urls, pages, waits):
        fetch, loops = lab.service(dict(zip("abc", waits)), dict(zip("abc", pages))), []

        async def fetching(url):
            loops.append(asyncio.get_running_loop())
            return await fetch(url)

        lab.told(f"with {urls}")
        try:
            text = lab.call(report, fetching, urls)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            if not all(loop.is_closed() for loop in loops):
                skipped = lab.text.skipped("close")
                raise Wrong(
                    "left open",
                    "When it was over, the loop that it had made was not closed.",
                    skipped or lab.call_of("new_event_loop"),
                    "`asyncio.run` closes its loop, whatever happened.",
                    headline="left a loop open",
                    at="isn't reached after an error" if skipped else "",
                )
        return {
            "it returned": text,
            "the pages that it fetched, sorted, are": sorted(fetch.started),
            "the most fetches at once were": fetch.peak,
        }

    def twice(self, report, lab):
        """Is a url that comes twice there with both of its pages?"""
        came = []

        async def fetch(url):
            came.append(url)
            number = came.count(url)
            await asyncio.sleep(0.01)
            return f"{url}{number}"

        lab.told("with ['a', 'b', 'a']; `fetch` returns another page each time")
        got = report(fetch, ["a", "b", "a"])
        one_each = got in ("a1, b1", "a2, b1")
        if len(came) == 3 and (one_each or got in ("a1, b1, a1", "a2, b1, a2")):
            alike = lab.alike()
            raise Wrong(
                "value",
                f"It returned {got!r}: of the two pages for 'a', only one is there.",
                alike.line or lab.call_of("fromkeys", "set", "index") or lab.item_of("*"),
                "A key stands in a dict once. Keep the pages, or their tasks, in a list.",
                headline="lost a page of a url that comes twice",
                at=alike.at,
            )

    @staticmethod
    def _named(lab, error):
        """Raise Wrong for an error of Python that says too little about the mistake."""
        words = str(error)
        if "no current event loop" in words:
            asked = lab.call_of("get_event_loop")
            raise Wrong(
                "no loop yet",
                f"It raised {type(error).__name__}: {words.rstrip('.')}.",
                asked or lab.call_of("gather"),
                "No loop runs where `report` is called, and `get_event_loop` makes none. Call an "
                "`async def` that gathers, and pass what that call returns to `asyncio.run`."
                if asked
                else "No loop runs where `report` is called. Gather inside an `async def`, and "
                "pass what a call of it returns to `asyncio.run`.",
            ) from None
        # What was given, for from Python 3.14 on its words don't say.
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        if any(
            frame.f_code is asyncio.run.__code__
            and inspect.iscoroutinefunction(frame.f_locals["main"])
            for frame in frames
        ):
            raise Wrong(
                "named, not called",
                "`asyncio.run` was given a coroutine function.",
                lab.call_of("asyncio.run"),
                "Call it: its call makes the coroutine.",
                headline="a function for a coroutine",
            ) from None
        if "coroutine found" in words:
            raise Wrong(
                "not awaited",
                "`fetch` was called, and nobody awaited the coroutines.",
                lab.call_of("fetch"),
                "Await them in an inner `async def`, and run that with `asyncio.run`.",
            ) from None

    @right
    def with_gather(fetch, urls):
        """Return the pages of `urls` as one string; a plain function."""

        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them()))

    @right
    def with_a_group(fetch, urls):
        async def all_of_them():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(fetch(url)) for url in urls]
            return [task.result() for task in tasks]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("async for plain", says="would have to be async as well")
    async def async_all_the_way(fetch, urls):
        return ", ".join(await asyncio.gather(*(fetch(url) for url in urls)))

    @wrong("sequential", says="before the next one began")
    def a_loop_for_each(fetch, urls):
        return ", ".join(asyncio.run(fetch(url)) for url in urls)

    @wrong("sequential", says="fetched before the next one began")
    def in_turn(fetch, urls):
        async def all_of_them():
            return [await fetch(url) for url in urls]

        return ", ".join(asyncio.run(all_of_them()))

    @right
    def on_a_loop_of_its_own(fetch, urls):
        async def all_of_them():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(fetch(url)) for url in urls]
            return ", ".join(task.result() for task in tasks)

        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(all_of_them())
        finally:
            loop.close()

    @wrong("no loop yet", says="inside an `async def`")
    def gathers_outside(fetch, urls):
        return ", ".join(asyncio.run(asyncio.gather(*(fetch(url) for url in urls))))

    @wrong("no loop yet", says="No loop runs where `report` is called")
    def asks_for_a_loop(fetch, urls):
        loop = asyncio.get_event_loop()
        return ", ".join(loop.run_until_complete(asyncio.gather(*(fetch(url) for url in urls))))

    returns_the_gather = with_gather.but(
        "await asyncio", "asyncio", kind="not awaited", says="Its loop ended before the fetches did"
    )

    @wrong("not awaited", says="inner `async def`")
    def awaits_nobody(fetch, urls):
        return ", ".join(fetch(url) for url in urls)

    @wrong("named, not called", says="Call it")
    def does_not_call_it(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them))

    @wrong("one argument for many", says="Put a star before it")
    def no_star(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(fetch(url) for url in urls)

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("order", says="in which they were ready")
    def as_they_come(fetch, urls):
        async def all_of_them():
            return [await page for page in asyncio.as_completed(map(fetch, urls))]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("async for plain", says="Run it to its end here")
    def hands_it_on(fetch, urls):
        async def all_of_them():
            return ", ".join(await asyncio.gather(*(fetch(url) for url in urls)))

        return all_of_them()

    @wrong("raised", says="RuntimeError")
    def gather_without_a_loop(fetch, urls):
        return ", ".join(
            asyncio.get_running_loop().run_until_complete(
                asyncio.gather(*(fetch(url) for url in urls))
            )
        )

    @wrong("raised", says="takes one task at least")
    def waits_for_nothing(fetch, urls):
        async def all_of_them():
            tasks = [asyncio.create_task(fetch(url)) for url in urls]
            await asyncio.wait(tasks)
            return [task.result() for task in tasks]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("lost error", says="ConnectionError was raised inside")
    def loses_errors(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)

        return ", ".join(map(str, asyncio.run(all_of_them())))


def _holds(error, kind):
    """Is it an error of this kind, or a group that holds one?"""
    if isinstance(error, BaseExceptionGroup):
        return any(_holds(inner, kind) for inner in error.exceptions)
    return isinstance(error, kind)
