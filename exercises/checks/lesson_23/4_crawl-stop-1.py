"""Long, for each of its programs is a whole crawl that can be stopped."""

import ast
import asyncio
import collections

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, own_nodes, spans

from .shared import SOON, now


class Bell(asyncio.Event):
    """An event that counts those who wait for it."""

    waiting = 0

    async def wait(self):
        self.waiting += 1
        try:
            return await super().wait()
        finally:
            self.waiting -= 1

    wait.__qualname__ = asyncio.Event.wait.__qualname__  # the name in lanes and messages


class Stopping(Exercise):
    """A clean stop

    `fetch(page)` is a coroutine function. `todo` is a `collections.deque` of different pages,
    `done` a dict that may hold pages of an earlier crawl, `stop` an `asyncio.Event`. Write
    `crawl(fetch, todo, done, workers, stop, grace)`, a coroutine function.

    - `workers` workers take pages from the left end of `todo`, fetch them, and put the result into
      `done`, under the page.
    - Once `stop` is set, no worker begins another page. A worker that has one may finish it within
      `grace` seconds; one that needs longer is cancelled.
    - If `crawl` itself is cancelled, it cancels its workers at once, and the cancellation comes
      out. If a `fetch` raises an error, in the grace too, it does the same, and that error comes
      out, alone or in a group.
    - A page that was begun and is not done goes back into `todo`, at either end. In the end each
      page is in `todo` or in `done`, once.
    - It returns as soon as there is nothing left to wait for, and then nothing of it runs any more.
      Its return value is ignored.
    """

    id = "crawl-stop-1"
    asks = "crawl"
    minutes, clock = 15, "virtual"
    hints = (
        "Three ends: nothing is left to do, `stop` and its grace, a cancellation. In which of them "
        "is a page in the hands of a worker, and who knows which one?",
        "The worker itself knows its page: `except BaseException:` give it back, `raise`. Then all "
        "ends can be the same to it, an error's as well.",
        "In a TaskGroup: the workers, and one task more that awaits `stop.wait()`, sleeps for "
        "`grace` and cancels the workers. `await asyncio.wait(tasks)`, then cancel that task. The "
        "group sees to a cancellation from outside.",
    )

    def verify(self, crawl, lab):
        self.scene(crawl, lab, dict.fromkeys("abcde", 1.03), None, 1, done="abcde", ends=3.09)
        self.scene(crawl, lab, dict(a=1), None, 1, done="a", ends=1)
        seconds = dict(a=1, b=5, c=1, d=1, e=1, f=1)
        unasked = self.scene(crawl, lab, seconds, 2.53, 1, done="acd", ends=3.53)
        told = lab.called
        self.scene(
            crawl, lab, dict(a=1, b=3, c=1, d=1.5, e=1, f=1), 2.53, 10, done="abcd", ends=3.5
        )
        self.scene(crawl, lab, seconds, 0, 1, done="", ends=0)
        self.scene(crawl, lab, seconds, None, 1, done="ac", ends=2.5, cancelled=2.5)
        self.scene(crawl, lab, seconds, 2.53, 60, done="acd", ends=4, cancelled=4)
        self.scene(crawl, lab, seconds, None, 1, done="a", ends=2, fails="c")
        seconds = dict(a=1, b=3, c=1)
        self.scene(crawl, lab, seconds, 2.53, 10, done="ac", ends=3, fails="b")
        seconds["c"] = 4
        self.scene(crawl, lab, seconds, 2.53, 10, done="a", ends=3, fails="b")
        try:
            earlier = {"an earlier page": 0}
            self.scene(crawl, lab, dict(a=1, b=1, c=1), None, 1, "abc", ends=2, earlier=earlier)
        except Wrong as found:
            raise Wrong(
                "counted wrong",
                f"{found.observed} If `done` is empty at the beginning, it goes well.",
                lab.call_of("len", given="done") or lab.use_of("done"),
                "What is in `done` at the beginning is not of this crawl. Whether there is more "
                "to do, `todo` and the workers tell.",
                headline="counted an earlier page",
            ) from None
        if unasked:  # it only makes a noise: what breaks a rule has been told before
            lab.called = told
            raise unasked

    def scene(
        self,
        crawl,
        lab,
        seconds,
        stopped,
        grace,
        done,
        ends,
        cancelled=None,
        fails=None,
        earlier=(),
    ):
        """Judge one crawl. Return the Wrong for a future of `gather` that nobody asked, if that is
        all, or None.
        """
        pages, found = collections.deque(seconds), dict(earlier)
        fetch = lab.service(seconds, errors={fails: OSError(f"no page {fails}")})
        failing = "" if fails is None else f", of which {fails!r} raises OSError,"
        what = f"with {len(seconds)} pages{failing} and 2 workers"
        if stopped is not None:
            what += f", and set `stop` after {stopped:g} s (grace={grace:g})"
        if cancelled is not None:
            what += f", and cancelled it after {cancelled:g} s"
        if earlier:
            what += ", and with a page of an earlier crawl in `done`"
        lab.told(what)

        async def scene():
            stop = Bell()
            if stopped == 0:
                stop.set()
            elif stopped is not None:
                asyncio.get_running_loop().call_later(stopped, stop.set)
            begun = now()
            try:
                await lab.awaitable(crawl(fetch_once, pages, found, 2, stop, grace))
            finally:
                took.append(now() - begun)
                gone.extend(page for page in seconds if page not in pages and page not in found)
                asked.extend(page for page in gone if page in held and held[page].cancelling())
            waits_on.append(stop.waiting)

        async def fetch_once(page):
            if fetch.calls.count(page) > 2:
                again.append(page)
                raise RuntimeError("fetched three times")
            held[page] = asyncio.current_task()
            return await fetch(page)

        again, waits_on, took, unasked = [], [], [], None
        gone, held, asked = [], {}, []
        try:
            lab.run(
                scene(),
                cancel_after=cancelled,
                raises=(OSError, BaseExceptionGroup) if fails else None,
            )
        except Exception as error:
            if again:
                raise Wrong(
                    "endless",
                    f"{again[0]!r} was fetched three times, and would be for ever.",
                    lab.call_of("append", "extend", "insert"),
                    "A page goes back into `todo` if it is not done, and after its worker was "
                    "cancelled; the grace begins with `stop`.",
                    headline="fetched again and again",
                ) from None
            unasked = self.unasked(lab, error)
            if not unasked:
                raise self.better(lab, error, any(waits_on)) from None
        self.began(lab, fetch, stopped, cancelled, fails)
        for page in gone:
            if (page in pages or page in found) and (page in asked or cancelled is not None):
                raise self.still_running(lab, page, page in asked)
        self.kept(lab, fetch, pages, found, seconds, fails)
        lab.limited(fetch.peak, 2, "fetches", fetch.peak_place)
        if took[0] > ends + SOON:
            if fails and stopped:
                self.late_after_an_error(lab, took[0], ends, fails)
            self.late(lab, took[0], fetch, ends, stopped, cancelled)
        missing = [page for page in done if page not in found]
        if missing:
            if cancelled is None and stopped is not None:
                raise Wrong(
                    "dropped requests",
                    f"{missing[0]!r} was being fetched when `stop` was set, and would have been "
                    f"done within the {grace:g} s of grace. It "
                    "was cancelled.",
                    lab.call_of("cancel"),
                    "Cancel only what is late: `asyncio.wait(tasks, timeout=grace)` first.",
                )
            raise Wrong(
                "lost items",
                f"It returned, and {missing[0]!r} was never fetched.",
                lab.looping(),
                headline="lost pages",
            )
        lab.equal(found, dict(earlier) | {page: f"page {page}" for page in done}, what="`done` is")
        return unasked

    @sweep(
        lambda some: {
            "pages": some.lists(some.sampled_from(("a", "b", "c", "d", "e", "")), unique=True),
            "results": some.permutations((None, "", 0, [], "page", "more")),
            "waits": some.permutations((0.3, 1.03, 1.1, 2.7, 5.9, 11)),
            "workers": some.integers(1, 4),
            "stopped": some.sampled_from((None, 0, 0.77, 2.53)),
            "grace": some.sampled_from((0, 0.81, 3.17)),
            "cleanup": some.sampled_from((0, 0, 0.21)),
        },
        fails=(OSError, TimeoutError, ...),
        cancels=True,
        most=20,
    )
    def any_stop(self, crawl, lab, pages, results, waits, workers, stopped, grace, cleanup):
        seconds = dict(zip(pages, waits))
        fetch = lab.service(seconds, dict(zip(pages, results)))
        todo, done, again = collections.deque(pages), {"an earlier page": 0}, []

        async def fetching(page):
            if fetch.calls.count(page) > 2:
                again.append(page)
                raise RuntimeError("fetched three times")
            try:
                return await fetch(page)
            except asyncio.CancelledError:
                await asyncio.sleep(cleanup)
                raise

        async def scene():
            stop = asyncio.Event()
            if stopped == 0:
                stop.set()
            elif stopped is not None:
                asyncio.get_running_loop().call_later(stopped, stop.set)
            await lab.awaitable(crawl(fetching, todo, done, workers, stop, grace))

        takes = ", ".join(f"{page!r} takes {seconds[page]:g} s" for page in pages) or "no pages"
        told = f"with workers={workers}, grace={grace:g} and these pages: {takes}"
        if stopped is not None:
            told += f"; I set `stop` after {stopped:g} s"
        if cleanup:
            told += f". A fetch that is cancelled ends {cleanup:g} s later"
        lab.told(told)
        try:
            run = lab.run(scene())
            if again:
                raise self.for_ever(lab, again[0], dict(zip(pages, results)))
        except Wrong as left:
            last = left.kind == "leaked" and fetch.cancelled and _last_cancel(lab)
            if last:
                left.line, left.at = last, "only tells it to end"
                left.try_ = (
                    "A task that is cancelled ends some time later, after its cleanup. Await it "
                    "behind the `cancel`."
                )
            raise
        return {
            "": lab.seen(run, fetch, without=("group",)),
            "`done` is": done,
            "`todo` is, sorted,": sorted(todo),
        }

    def for_ever(self, lab, page, results):
        """The Wrong for a page that was fetched three times."""
        return Wrong(
            "endless",
            f"`fetch` returned {results[page]!r} for {page!r}, which was fetched three times.",
            lab.condition("done") or lab.call_of("append", "appendleft", "extend", "insert"),
            "A page for which `fetch` has returned is done, whatever it returned, and stays out of "
            "`todo`. Ask whether it is `in done`, or give it back in an `except` alone.",
            headline="fetched again and again",
        )

    def better(self, lab, error, waits_on):
        if getattr(error, "kind", "") == "leaked" and waits_on:
            error.observed += " Nobody had set `stop`."
            error.try_ = (
                "When the workers are done, `stop` may never be set. Cancel what waits for it, in "
                "a `finally`, so that it is done after an error, too."
            )
        cleaning = lab.keyword("return_exceptions", of="gather")
        waits = _last_wait(lab)
        if getattr(error, "kind", "") == "lost error" and error.line == cleaning and waits:
            error.line, error.at = waits, "raises no error of what it waits for"
            error.try_ = (
                "`asyncio.wait` only waits. It should end at the first error "
                "(`return_when=asyncio.FIRST_EXCEPTION`). After it, look at each task that is "
                "done: `task.result()` raises its error."
            )
        return error

    def unasked(self, lab, error):
        """The Wrong for the end of cancelled tasks in a future that `gather` had returned, if this
        error tells of it, or None.
        """
        gathered = lab.call_of("gather")
        lost = getattr(error, "kind", "") == "lost error" and "CancelledError" in error.observed
        if not (lost and gathered):
            return None
        return Wrong(
            "awaited the cancelled",
            "Its tasks were cancelled, and the CancelledError was in the future that `gather` "
            "had returned. Nobody asked for it, and asyncio complains of that.",
            gathered,
            "Do without that future: `asyncio.wait(tasks, timeout=...)` takes the tasks "
            "themselves. Or await it once more, behind the `cancel`, and catch the "
            "CancelledError.",
            headline="a gather that nobody asked",
        )

    def still_running(self, lab, page, asked):
        """The Wrong for a page that was nowhere when `crawl` was over, and came back later.

        asked: whether its worker had been told to end.
        """
        return Wrong(
            "leaked",
            f"When `crawl` was over, {page!r} was neither in `todo` nor in `done`: its worker "
            "still ran.",
            (_last_cancel(lab) or lab.call_of("cancel")) if asked else lab.waited_at,
            "A task that is cancelled ends some time later. Await it behind the `cancel`: "
            "`asyncio.gather(*tasks, return_exceptions=True)` waits for all of them."
            if asked
            else "If `crawl` is cancelled there, nothing cancels its workers. Do that in a "
            "`finally`, and await them there.",
            headline="did not wait for its workers",
            at="only tells it to end" if asked else "is where the cancellation came",
        )

    def began(self, lab, fetch, stopped, cancelled, fails):
        if cancelled is not None and (
            len(fetch.calls) > 4 or stopped is None and len(set(fetch.calls)) < len(fetch.calls)
        ):
            raise Wrong(
                "swallowed",
                f"I cancelled it after {cancelled:g} s, and then a worker "
                f"began {fetch.calls[-1]!r}.",
                lab.earliest(lab.handler(), lab.cleanup()),
            )
        twice = [page for page, n in collections.Counter(fetch.calls).items() if n > 1]
        if twice:
            failed = twice[0] == fails
            raise Wrong(
                "done twice",
                f"{twice[0]!r} was fetched twice{', the second time after its error' * failed}.",
                failed and _last_wait(lab) or lab.call_of("popleft"),
                "An error ends the crawl: no worker takes another page, and those that have one "
                "are cancelled at once."
                if failed
                else "A page that one worker has taken belongs to it.",
                headline="fetched twice",
            )
        if stopped and {"e", "f"} & set(fetch.calls) or stopped == 0 and fetch.calls:
            page = next(page for page in fetch.calls if page in "ef" or stopped == 0)
            raise Wrong(
                "went on after the end",
                f"`stop` was set after {stopped:g} s, and then it began {page!r}.",
                lab.earliest(lab.while_loop(), lab.call_of("popleft")),
                "Before it takes another page, a worker must look: `stop.is_set()`.",
                headline="went on after the stop",
            )

    def kept(self, lab, fetch, pages, found, seconds, fails):
        for page in seconds:
            places = pages.count(page) + (page in found)
            if places == 0 and page not in fetch.calls:
                raise Wrong(
                    "lost items",
                    f"{page!r} was taken out of `todo` and never fetched; in the end it is neither "
                    "in `todo` nor in `done`.",
                    lab.call_of("popleft", "pop"),
                    "Look at `stop` first, and then take a page.",
                    headline="lost pages",
                )
            if places == 0:
                error = OSError if page == fails else asyncio.CancelledError
                raise Wrong(
                    "lost items",
                    f"{page!r} was begun and not finished; in the end it is "
                    "neither in `todo` nor in `done`.",
                    self.lets_go(lab, fetch, page, error),
                    "Put the page back, whatever ended its fetch: `except BaseException: "
                    "todo.append(page)`, then `raise`.",
                    headline="lost pages",
                    at=f"lets {'an error' if page == fails else 'a cancellation'} pass",
                )
            if places > 1:
                raise Wrong(
                    "given back wrongly",
                    f"{page!r} is in the end "
                    + (
                        "in `todo` and in `done`."
                        if page in found
                        else f"{places} times in `todo`."
                    ),
                    lab.call_of("append", "extend"),
                    "Give back what was begun and is not done, and only that.",
                    headline="given back twice",
                )

    def lets_go(self, lab, fetch, page, error):
        """The `except` that such an error passes on its way from a fetch, or the fetch itself."""
        place = fetch.places[fetch.calls.index(page)]
        narrow = place and lab.text.narrow_handler([place[1]], error)
        return narrow or place

    def late_after_an_error(self, lab, elapsed, failed, page):
        raise Wrong(
            "late",
            f"{page!r} failed after {failed:g} s, in the grace, and it returned after "
            f"{elapsed:g} s.",
            lab.call_of("wait", "wait_for", "timeout", given="grace") or lab.call_of("wait"),
            "An error ends the crawl, in the grace as well: cancel the other workers at once. "
            "(`asyncio.wait` returns at the first error if it is told "
            "`return_when=asyncio.FIRST_EXCEPTION`.)",
            headline="went on after an error",
        )

    def late(self, lab, elapsed, fetch, ends, stopped, cancelled):
        took = f"It returned after {elapsed:g} s; it must return after {ends:g} s."
        if fetch.peak == 1 and len(fetch.calls) > 1:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.await_of("fetch"))
        if cancelled is not None:
            raise Wrong(
                "swallowed",
                f"I cancelled it after {cancelled:g} s, and it went on until {elapsed:g} s.",
                lab.earliest(lab.handler(), lab.cleanup()),
            )
        if stopped is None or fetch.cancelled or elapsed > ends + 5:
            if lab.repeated_call_of("sleep"):
                try_ = (
                    "Whoever sleeps and looks, again and again, sees it late: `await` what will "
                    "come."
                )
            elif stopped is not None and (anew := _grace_for_each(lab)):
                raise Wrong(
                    "late",
                    took,
                    anew,
                    "The grace begins when `stop` is set, and is one for all workers: wait for all "
                    "of them at once.",
                    headline="a grace for each in turn",
                    at="gives the grace anew",
                )
            elif stopped is None:
                try_ = "When the last worker has ended there is nothing left to wait for."
            else:
                try_ = (
                    "The grace is a maximum: when the last worker has ended there is nothing left "
                    "to wait for."
                )
            raise Wrong(
                "late",
                took,
                lab.call_of("sleep") or lab.call_of("wait_for", "timeout", "wait"),
                try_,
                headline="ended late",
            )
        raise Wrong(
            "time limit",
            f"{took} It waited for a page that needs longer than the grace.",
            lab.call_of("grace", "wait", "gather", "TaskGroup"),
            "Some page may hang for ever: cancel what is late.",
            headline="no limit to the grace",
        )

    @right
    async def a_task_that_cancels(fetch, todo, done, workers, stop, grace):
        """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except BaseException:  # whatever ends it, the page is not lost
                    todo.append(page)
                    raise

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    gives_back_the_cancelled = a_task_that_cancels.but(
        "BaseException:  # whatever ends it, the page is not lost",
        "asyncio.CancelledError:",
        kind="lost items",
        says="whatever ended its fetch",
    )

    @right
    async def crossed_out_last(fetch, todo, done, workers, stop, grace):
        begun = set()

        async def worker():
            for page in list(todo):
                if page not in begun and not stop.is_set():
                    begun.add(page)
                    done[page] = await fetch(page)

        async def all_workers():
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker())

        working = asyncio.create_task(all_workers())
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([working], timeout=grace)
            if working.done():
                await working  # for its error
        finally:
            working.cancel()
            stopping.cancel()
            await asyncio.gather(working, stopping, return_exceptions=True)
            for page in begun & done.keys():
                todo.remove(page)

    cancels_at_once = a_task_that_cancels.but(
        "await asyncio.sleep(grace)", "", kind="dropped requests", says="within the 1 s of grace"
    )

    @wrong("lost error", says="'b' raises OSError")
    async def looks_at_no_error_after_the_stop(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except BaseException:
                    todo.appendleft(page)
                    raise

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        stopper = asyncio.create_task(stop.wait())
        try:
            pending = set(tasks)
            while pending and not stopper.done():
                ended, pending = await asyncio.wait(
                    pending | {stopper}, return_when=asyncio.FIRST_COMPLETED
                )
                pending.discard(stopper)
                for task in ended - {stopper}:
                    task.result()
            if pending:
                await asyncio.wait(pending, timeout=grace)
        finally:
            stopper.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, stopper, return_exceptions=True)

    @wrong("time limit", says="may hang for ever")
    async def patient(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    @wrong("lost error", says="had to come out")
    async def gathers_and_looks_away(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                finally:
                    if page not in done:
                        todo.append(page)

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        ends = asyncio.gather(*tasks)
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([ends, stopped], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(tasks, timeout=grace)
        finally:
            for task in (*tasks, stopped):
                task.cancel()
            await asyncio.gather(*tasks, stopped, return_exceptions=True)

    asks_no_gather_of_the_cancelled = gathers_and_looks_away.but(
        "await asyncio.wait(tasks, timeout=grace)",
        "await asyncio.wait([ends], timeout=grace)\nif ends.done():\n    await ends",
        kind="awaited the cancelled",
        says="was in the future",
    )

    @wrong("endless", says="the grace begins with `stop`")
    async def a_grace_for_each(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    async with asyncio.timeout(grace):
                        done[page] = await fetch(page)
                except TimeoutError:
                    todo.append(page)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    @wrong("lost items", says="Put the page back")
    async def gives_nothing_back(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                done[page] = await fetch(page)

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    does_not_look = a_task_that_cancels.but(
        "todo and not stop.is_set()", "todo", kind="went on after the end", says="stop.is_set()"
    )

    @wrong("given back wrongly", says="in `todo` and in `done`")
    async def gives_all_back(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                finally:
                    todo.append(page) if stop.is_set() else None

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    sits_the_grace_out = a_task_that_cancels.but(
        "closer.cancel()",
        "if not stop.is_set():\n    closer.cancel()",
        kind="late",
        says="nothing left to wait for",
    )

    @wrong("deadlock", says="Event.wait")
    async def waits_for_a_stop(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            await stop.wait()
            await asyncio.wait(tasks, timeout=grace)
            for task in tasks:
                task.cancel()

    @wrong("leaked", says="worker")
    async def leaves_them(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        stopping = asyncio.create_task(stop.wait())
        working = asyncio.gather(*tasks)
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        await asyncio.wait(tasks, timeout=grace)


def _last_cancel(lab):
    """The line of a `cancel` behind which nothing is awaited any more, or None."""
    awaits = (ast.Await, ast.AsyncFor, ast.AsyncWith)
    last = max((node.end_lineno for node in lab.nodes() if isinstance(node, awaits)), default=0)
    loops = [node for node in lab.nodes() if isinstance(node, ast.For)]
    cancels = (
        (not any(spans(loop, node.lineno) for loop in loops), node.lineno)
        for node in lab.nodes()
        if isinstance(node, ast.Attribute) and node.attr == "cancel" and node.lineno > last
    )
    # The workers are many: what cancels them stands in a loop.
    return min(cancels, default=(False, None))[1]


def _grace_for_each(lab):
    """Where a loop waits with a time limit, again and again, or None."""
    return lab.earliest(
        *(
            part.lineno
            for loop in lab.nodes()
            if isinstance(loop, (ast.For, ast.While))
            for part in own_nodes(loop)
            if isinstance(part, ast.Call)
            and (
                any(keyword.arg == "timeout" for keyword in part.keywords)
                or is_named(part.func, ("wait_for", "asyncio.timeout"))
            )
        )
    )


def _last_wait(lab):
    """The last `asyncio.wait` in front of a `cancel`, or None."""
    cancels = [call.lineno for call in lab.text.calls_of("*.cancel")]
    waits = [call.lineno for call in lab.text.calls_of("asyncio.wait")]
    return max((line for line in waits if line < max(cancels, default=0)), default=None)
