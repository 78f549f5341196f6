import ast
import asyncio
import contextlib

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import KEPT, LONG, MOMENT, Tidy, errors_in, none_left, swept, told_waits, watched


class Within(Exercise):
    """What can be had in time

    `fetch(url)` is a coroutine function that takes a while, and may fail. Write
    `fetch_within(fetch, urls, seconds)`. It fetches all pages at the same time and returns a
    dict, from url to page, of those that came in time; for no urls, an empty one. No url stands in
    `urls` twice.

    - It returns as soon as all have ended. After `seconds` seconds it stops those that are left,
      and returns.
    - What failed is left out, and so is what was late.
    - However it ends, even if it is cancelled, every `fetch` has ended by then. A `fetch` that is
      cancelled may take a while to clean up; then the cancellation comes out of it.
    """

    id = "within-1"
    asks = "fetch_within"
    minutes = 10
    hints = (
        "`asyncio.wait` can be given a `timeout`. What does it do with the tasks that are late?",
        "Keep the tasks in a dict from url to task. After `wait`, cancel the late ones and await "
        "them. A `finally` does that however the function ends.",
        "At the end three kinds of tasks are there. `task.cancelled()` tells the late ones, "
        "`task.exception()` the failed ones (ask in this order), and the others have a "
        "`task.result()`.",
    )

    equivalent = {
        "with_wait: each once, line 4": "no url is named twice",
        "with_a_group: each once, line 5": "no url is named twice",
        "with_a_group: wider except, line 9": "one that is cancelled has no page, and ends",
        "with_a_group: wider except, line 12": "nothing else comes out of the group",
        "with_wait: falsy for None, line 17": "an error is never falsy",
    }

    def verify(self, fetch_within, lab):
        urls, seconds = ["/a", "/b", "/c", "/d"], {"/a": 1, "/b": 0.5, "/c": 9, "/d": 2}
        down = {"/b": ValueError("/b is down")}
        fetch = Tidy(lab.service(seconds, errors=down))
        ended = watched(
            lab,
            "with pages that take 1, 0.5, 9 and 2 s, of which the second fails, and gave it 3 s",
            fetch_within,
            fetch,
            urls,
            3,
        )
        self._pages(lab, ended, ["/a", "/d"], after=3, given=3)
        fetch = Tidy(lab.service(seconds, errors=down))
        ended = watched(
            lab,
            "with pages that take 1, 0.5 and 2 s, of which the second fails, and gave it 5 s",
            fetch_within,
            fetch,
            ["/a", "/b", "/d"],
            5,
        )
        self._pages(lab, ended, ["/a", "/d"], after=2, given=5)
        fetch = Tidy(lab.service(seconds))
        ended = watched(
            lab, "and cancelled it after 0.25 s", fetch_within, fetch, urls, 3, cancel_after=0.25
        )
        none_left(lab, ended, "It was cancelled and ended")
        ended = watched(lab, "with no urls", fetch_within, Tidy(lab.service(1)), [], 3)
        self._pages(lab, ended, [], after=0, given=3)

    def _pages(self, lab, ended, urls, after, given):
        if isinstance(ended.error, TimeoutError):
            line = lab.earliest(lab.call_of("wait_for", "timeout*"), lab.keyword("timeout"))
            raise _thrown_away("It raised TimeoutError", ended, urls, line)
        down = [error for error in errors_in(ended.error) if str(error) == "/b is down"]
        if down:
            came = "came" if ended.at > 1.999 else "would have come"
            raise Wrong(
                "one failure ends all",
                f"The page /b failed, and {ended.error!r} came out. Two other pages {came} in "
                "time.",
                lab.text.let_out(down[0])
                or lab.text.of_traceback(ended.error)
                or lab.call_of("gather", "TaskGroup", "result"),
                "What fails is left out. Catch its error where you await it, or look at each task: "
                "`task.exception()` tells whether it failed.",
            )
        if ended.error is not None:
            raise ended.error
        if ended.at > after + MOMENT + 1e-6:
            if after < given:
                raise Wrong(
                    "late",
                    f"All had ended after {after} s. It returned after {ended.at:g} s.",
                    lab.call_of("sleep"),
                    "`wait` with a `timeout` returns earlier when all are done.",
                    headline="waited for the clock",
                )
            raise Wrong(
                "late",
                f"It returned after {ended.at:g} s, and {given} s were allowed.",
                lab.text.sequential_await(),
                "Start all of them, and wait once for all: `asyncio.wait(tasks, timeout=seconds)`.",
                headline="waited too long",
            )
        pages = {url: f"page {url}" for url in urls}
        bad = (
            [url for url, page in ended.result.items() if isinstance(page, BaseException)]
            if (isinstance(ended.result, dict))
            else []
        )
        if bad:
            raise Wrong(
                "error for a result",
                f"It returned {ended.result!r}.",
                lab.call_of("isinstance")
                or lab.earliest(lab.keyword("return_exceptions"), lab.call_of("exception")),
                "What failed, or was late, is left out. `isinstance(each, BaseException)` "
                "tells: CancelledError is no Exception.",
                headline="took an error for a page",
            )
        if ended.at < after - 1e-6 and isinstance(ended.result, dict):
            raise Wrong(
                "one failure ends all",
                f"The page /b failed after 0.5 s. It returned {ended.result!r} after "
                f"{ended.at:g} s, without the pages that come later.",
                lab.earliest(lab.call_of("TaskGroup", "gather"), lab.use_of("FIRST_*")),
                "A failure is no reason to stop the others. Let each task catch its own.",
            )
        none_left(lab, ended, f"It returned, after {ended.at:g} s")
        if isinstance(ended.result, dict):
            for url, page in ended.result.items():
                if str(page).startswith("page /") and page != f"page {url}":
                    raise Wrong(
                        "order",
                        f"It returned {ended.result!r}.",
                        lab.call_of("zip") or lab.use_of("done"),
                        "`done` is a set, and has no order: keep a dict from url to task, "
                        "or from task to url.",
                        headline="mixed the pages up",
                    )
        if urls and ended.result == {}:
            line = _giving_up(lab) or lab.with_of("timeout*") or lab.call_of("wait_for")
            raise _thrown_away("It returned {}", ended, urls, line)
        lab.equal(ended.result, pages)

    @sweep(
        lambda some: {
            "waits": some.dictionaries(
                some.sampled_from("abc"), some.sampled_from((0.75, 1, 2, 3.5)), max_size=3
            ),
            "seconds": some.sampled_from((0.5, 1.5, 3, 9)),
            "pages": some.fixed_dictionaries(
                {url: some.sampled_from(("a page", "", 0, None, KEPT)) for url in "abc"}
            ),
            "down": some.dictionaries(
                some.sampled_from("abc"), some.sampled_from((OSError, TimeoutError, ValueError))
            ),
            "moments": some.permutations((0.25, LONG, 0)),
        },
        besides=[
            {
                "waits": {"a": 1, "b": 2},
                "seconds": 0,
                "pages": dict.fromkeys("ab", "a page"),
                "down": {},
                "moments": (0, 0.25, 0),
            }
        ],
        cancels=True,
        most=30,
    )
    def any_urls(self, fetch_within, lab, waits, seconds, pages, down, moments):
        errors = {url: error(f"{url} is down") for url, error in down.items()}
        fetch = Tidy(lab.service(waits, pages, errors), dict(zip("abc", moments)))
        words = f"with the urls {list(waits)} and {seconds:g} s"
        if waits:
            words += f"; `fetch` takes {told_waits(waits)}"
        if failing := [f"{down[url].__name__} for {url!r}" for url in waits if url in down]:
            words += f", and raises {listed(failing)}"
        without = () if seconds else ("calls",)  # one may be stopped before it has begun
        return swept(
            lab, words, fetch_within, fetch, lab.own(list(waits)), seconds, without=without
        )

    @right
    async def with_wait(fetch, urls, seconds):
        """Return a dict from url to page of what came within `seconds` seconds."""
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        try:
            if tasks:  # `wait` refuses to wait for nothing
                await asyncio.wait(tasks.values(), timeout=seconds)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {
            url: task.result()
            for url, task in tasks.items()
            if not task.cancelled() and task.exception() is None
        }

    @right
    async def with_a_group(fetch, urls, seconds):
        pages = {}

        async def one(url):
            with contextlib.suppress(Exception):
                pages[url] = await fetch(url)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(one(url))
        return pages

    only_for_the_network = with_a_group.but(
        "contextlib.suppress(Exception)",
        "contextlib.suppress(OSError)",
        kind="one failure ends all",
        says="Catch its error",
    )

    waits_for_nothing = with_wait.but(
        "if tasks:  # `wait` refuses to wait for nothing\n    await",
        "await",
        kind="raised",
        says="takes one task at least",
    )

    @wrong("losers", says="1 call still ran")
    async def leaves_the_late_ones(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        return {
            url: task.result()
            for url, task in tasks.items()
            if task in done and task.exception() is None
        }

    @wrong("losers", says="cancelled it after 0.25 s")
    async def forgets_its_own_cancellation(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return {
            url: task.result()
            for url, task in tasks.items()
            if task in done and task.exception() is None
        }

    @wrong("one failure ends all", says="Two other pages")
    async def with_gather(fetch, urls, seconds):
        pages = await asyncio.gather(*(fetch(url) for url in urls))
        return dict(zip(urls, pages))

    @wrong("one failure ends all", says="task.exception()")
    async def asks_each_for_its_result(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return {url: task.result() for url, task in tasks.items() if task in done}

    @wrong("one failure ends all", says="that come later")
    async def group_around_all(fetch, urls, seconds):
        tasks = {}
        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                tasks |= {url: group.create_task(fetch(url)) for url in urls}
        except* Exception:
            pass
        return {
            url: task.result()
            for url, task in tasks.items()
            if not task.cancelled() and task.exception() is None
        }

    @wrong("awaited the cancelled", says="Ask `task.cancelled()` first")
    async def asks_the_late_ones_too(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        await asyncio.wait(tasks.values(), timeout=seconds)
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {url: task.result() for url, task in tasks.items() if not task.exception()}

    @wrong("error for a result", says="is left out")
    async def errors_as_values(fetch, urls, seconds):
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        await asyncio.wait(tasks, timeout=seconds)
        for task in tasks:
            task.cancel()
        return dict(zip(urls, await asyncio.gather(*tasks, return_exceptions=True)))

    @wrong("order", says="has no order")
    async def takes_done_for_a_list(fetch, urls, seconds):
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        done, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return {url: task.result() for url, task in zip(urls, done) if not task.exception()}

    @wrong("lost items", says="Keep each page")
    async def wait_for_all_or_none(fetch, urls, seconds):
        gathered = asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
        pages = await asyncio.wait_for(gathered, seconds)
        return {url: page for url, page in zip(urls, pages) if not isinstance(page, Exception)}

    @wrong("late", says="9 s")
    async def waits_for_all(fetch, urls, seconds):
        pages = await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
        return {url: page for url, page in zip(urls, pages) if not isinstance(page, Exception)}

    sleeps_it_out = with_wait.but(
        "asyncio.wait(tasks.values(), timeout=seconds)",
        "asyncio.sleep(seconds)",
        kind="late",
        says="All had ended",
    )

    @wrong("late", says="Start all of them")
    async def one_by_one(fetch, urls, seconds):
        pages = {}
        for url in urls:
            with contextlib.suppress(Exception):
                pages[url] = await asyncio.wait_for(fetch(url), seconds)
        return pages


def _thrown_away(how, ended, urls, line):
    """The Wrong for pages that came in time and are lost."""
    return Wrong(
        "lost items",
        f"{how} after {ended.at:g} s, and the pages of {listed(urls)} were there.",
        line,
        "Keep each page outside what is cancelled: in a task of its own, or in a dict.",
        headline="threw the pages away",
    )


def _giving_up(lab):
    """The `return` of an empty dict in an `except`, or None."""
    handlers = [node for node in lab.nodes() if isinstance(node, ast.ExceptHandler)]
    returns = [part for node in handlers for part in node.body if isinstance(part, ast.Return)]
    empty = [node.lineno for node in returns if ast.unparse(node) in ("return {}", "return dict()")]
    return lab.earliest(*empty)
