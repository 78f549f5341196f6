"""Long, for each of its programs is a whole pipeline."""

import ast
import asyncio
import contextlib

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant, is_named, own_nodes

from .shared import SOON


class Works:
    """fetch and parse of a pipeline, and what they saw: peaks, and how far one ran ahead.

    putting: the learner's places at which a task waited for room, when most pages had been fetched.
    """

    def __init__(self, lab, fetch_takes, parse_takes, errors):
        self.lab = lab
        self.fetch_takes, self.parse_takes, self.errors = fetch_takes, parse_takes, errors
        self.raised = lab.raised  # gets the errors that came out of them
        self.putting = []
        self.fetching = self.fetch_peak = self.parsing = self.parse_peak = 0
        self.raw = self.ahead = 0  # pages that were fetched and are not parsed yet
        self.fetched, self.parsed = [], []
        self.early = 0  # parses that began while a page was being fetched

    async def fetch(self, page):
        self.fetched.append(page)
        self.fetching += 1
        self.fetch_peak = max(self.fetch_peak, self.fetching)
        try:
            await asyncio.sleep(self.fetch_takes)
        finally:
            self.fetching -= 1
        if isinstance(self.errors.get(page), OSError):
            self.raised.append(self.errors[page])
            raise self.errors[page]
        self.raw += 1
        if self.raw > self.ahead:
            self.ahead = self.raw
            self.putting = self.lab.waiting_for("Queue.put")
        return f"raw {page}"

    async def parse(self, raw):
        page = raw.removeprefix("raw ") if isinstance(raw, str) else raw
        self.parsed.append(page)
        self.early += self.fetching > 0
        self.parsing += 1
        self.parse_peak = max(self.parse_peak, self.parsing)
        try:
            await asyncio.sleep(self.parse_takes)
        finally:
            self.parsing -= 1
        self.raw -= 1
        if isinstance(self.errors.get(page), ValueError):
            self.raised.append(self.errors[page])
            raise self.errors[page]
        return f"record {page}"


class TwoStages(Exercise):
    """Two stages, and nobody dies

    `fetch(page)` and `parse(raw)` are coroutine functions. Write `pipeline(fetch, parse, pages,
    workers, size)`, a coroutine function. Each page is fetched, and what `fetch` returned is
    parsed. The pages are all different. `fetch` and `parse` may return anything, also `None`.

    - As long as there are pages to begin and room in the queue, `workers` fetches are in flight at
      once, and never more.
    - One page is parsed at a time, and parsing begins as soon as a page is there.
    - At most `size` fetched pages wait to be parsed. In addition, each worker may hold one for
      which there is no room yet.
    - If `fetch` or `parse` raises an exception, that page has failed, and everything else goes on.
    - It returns two dicts when all is done: from each page to what `parse` returned, and from each
      page that failed to its exception.
    - If it is cancelled, all that it started ends, and the cancellation comes out.
    """

    id = "crawl-pipeline-1"
    asks = "pipeline"
    minutes, clock = 15, "virtual"
    hints = (
        "Which errors may end a worker? Who would then take its next page?",
        "A bounded queue between the two stages. A worker catches `Exception` around the fetch, "
        "the parser around the parse, and both note it beside the page.",
        "Put `(page, raw)` into `Queue(size)`. When all workers have ended, put one `None` (or "
        "shut the queue down): that is enough for one parser. Two nested TaskGroups do it: "
        "the parser in the outer one, the workers in the inner.",
    )

    equivalent = {
        "two_groups: falsy for None, line 18": "an item is a pair, and true",
        "joined: each once, line 4": "the pages are all different",
        "joined: finally for errors, line 12": "nobody joins any more by then",
    }

    def verify(self, pipeline, lab):
        pages = [f"/{number}" for number in range(12)]
        self.scene(pipeline, lab, pages[:3], 2, 2, 1, 0.5, {})
        self.scene(pipeline, lab, pages, 3, 2, 1, 0.5, {})
        self.scene(pipeline, lab, pages, 3, 2, 0.1, 1, {})
        self.scene(
            pipeline,
            lab,
            pages,
            3,
            2,
            1,
            0.1,
            {
                "/2": OSError("connection lost"),
                "/5": ValueError("no name"),
                "/6": OSError("connection lost"),
                "/7": OSError("connection lost"),
            },
        )
        self.scene(pipeline, lab, [], 2, 1, 1, 1, {})
        self.scene(pipeline, lab, pages[:3], 1, 2, 1, 0.1, {"/2": OSError("connection lost")})
        self.uneven(pipeline, lab, pages, 3)
        self.none_among_them(pipeline, lab)

    def values_kept(self, lab, result, values):
        """Is none of the errors that were returned, and not raised, among the failed?"""
        match result:
            case (_, dict() as failed):
                kept = [each for each in values if any(each is one for one in failed.values())]
                if kept and isinstance(kept[0], Exception):
                    raise Wrong(
                        "value",
                        f"{kept[0]!r} was returned, and not raised. It is in the second dict, as "
                        "if its page had failed.",
                        lab.call_of("isinstance"),
                        "What is returned is a value, whatever it is. A page has failed if an "
                        "exception was raised: note it in the `except`.",
                        headline="took a value for a failure",
                    )

    def none_among_them(self, pipeline, lab):
        """Does it go on behind a page for which None came?"""

        async def fetch(page):
            return None if page == "/1" else page

        async def parse(raw):
            return f"record {raw}"

        pages = ["/0", "/1", "/2"]
        lab.told(f"with the pages {pages}, workers=1, size=4; `fetch` returns None for '/1'")
        try:
            run = lab.run(pipeline, fetch, parse, list(pages), 1, 4)
        except Exception:
            return  # the sweep tells of what is raised
        records = run.result[0] if isinstance(run.result, tuple) and run.result else None
        if records != {"/0": "record /0"} or any(run.result[1:]):
            return
        tests = [
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))
            if is_constant(node.comparators[0], None)
        ]
        raise Wrong(
            "end signal",
            "'/1' was not parsed, and '/2', which came after it, wasn't either.",
            lab.earliest(*tests) or lab.while_loop(),
            "`fetch` may return None for a page. Mark the end with an object of your own, which "
            "`fetch` can't return: `END = object()`.",
            headline="took a page for the end",
            at="takes a fetched None as the end" if len(tests) == 1 else "",
        )

    def uneven(self, pipeline, lab, pages, workers):
        """Are there always enough fetches, if one page takes longer than all the others?"""
        begun = []

        async def fetch(page):
            begun.append(page)
            await asyncio.sleep(7 if len(begun) == 1 else 1)
            return page

        async def parse(raw):
            return raw

        lab.told(
            f"with {len(pages)} pages, workers={workers}, size=2; the first fetch takes 7 s, the "
            "others 1 s, and a parse takes no time"
        )
        run = lab.run(pipeline, fetch, parse, list(pages), workers, 2)
        records = {page: page for page in pages}
        lab.equal(run.result, (records, {}))
        if run.elapsed > 7.5:
            raise Wrong(
                "idle places",
                f"It took {run.elapsed:g} s; 7 s are enough. While one page took long, there were "
                f"others to begin, and fewer than {workers} fetches in flight.",
                lab.node(ast.Slice)
                or lab.call_of("islice", "batched")
                or lab.operation("%")
                or lab.repeated_call_of("gather", "wait", "TaskGroup"),
                "Where one page has ended the next may begin, however long the others take: let "
                "all workers take their pages from one iterator or queue.",
                headline="left a worker idle",
            )

    def scene(self, pipeline, lab, pages, workers, size, fetch_takes, parse_takes, errors):
        works = Works(lab, fetch_takes, parse_takes, errors)
        what = (
            f"with {len(pages)} pages, workers={workers}, size={size}; a fetch takes "
            f"{fetch_takes:g} s, a parse {parse_takes:g} s"
        )
        if errors:
            lost = sum(isinstance(error, OSError) for error in errors.values())
            what += f"; `fetch` fails for {count(lost, 'page')}, `parse` for {len(errors) - lost}"
        lab.told(what)
        try:
            run = lab.run(pipeline, works.fetch, works.parse, list(pages), workers, size)
        except (OSError, ValueError, ExceptionGroup) as error:
            first = error
            while isinstance(first, ExceptionGroup):
                first = first.exceptions[0]
            if first not in errors.values():
                raise
            alone = "" if first is error else ", in an ExceptionGroup"
            raise Wrong(
                "one failure ends all",
                f"{len(errors)} pages fail, and "
                f"{first!r} came out{alone}; {len(pages) - len(errors)} "
                "others were lost with them.",
                lab.text.of_traceback(first),
                "Catch what the work raises where it is awaited, and keep it beside its page.",
                headline="one page ended all",
            ) from None
        self.results(lab, run, pages, works)
        lab.limited(works.fetch_peak, workers, "fetches", lab.await_of("fetch"))
        lab.limited(works.parse_peak, 1, "parses", lab.await_of("parse"))
        if works.early == 0 and works.ahead == len(pages) > workers:
            raise Wrong(
                "batch barrier",
                "Parsing began when all fetches were over.",
                lab.call_of("gather", "TaskGroup", "join"),
                "Start the parser before the workers, and let it take what comes.",
            )
        if works.ahead > size + workers + 1 and len(works.putting) >= workers:
            raise Wrong(
                "unbounded",
                f"{works.ahead} pages had been fetched and were not parsed yet, and "
                f"{len(works.putting) + 1} tasks were waiting for room with a page in their hands; "
                f"{size} may wait, {workers} may be held by the workers, and one is being parsed.",
                works.putting[0],
                "The queue has its bound. But who gives up the place of a fetch before there is "
                "room lets the next fetch begin: keep the place until the page is in the queue.",
                headline="too many wait for room",
                at="waits for room",
            )
        if works.ahead > size + workers + 1:
            raise Wrong(
                "unbounded",
                f"{works.ahead} pages had been fetched and were not parsed "
                f"yet; {size} may wait, {workers} may be held by the workers, "
                "and one is being parsed.",
                lab.call_of("*Queue", "gather"),
                None
                if not lab.call_of("*Queue") or lab.bare_call_of("*Queue")
                else "At most `size` pages may wait in the queue, and one with each worker: it "
                "awaits `queue.put(item)` itself, before it fetches another.",
            )
        self.pace(lab, run, works, pages, workers, fetch_takes, parse_takes)

    def results(self, lab, run, pages, works):
        if not (
            isinstance(run.result, tuple)
            and len(run.result) == 2
            and all(isinstance(part, dict) for part in run.result)
        ):
            raise Wrong(
                "value",
                f"It returned {run.result!r:.90}; it must be two dicts.",
                lab.returning(),
            )
        (records, failed), errors = run.result, works.errors
        lost = [page for page in pages if page not in records and page not in failed]
        full = [page for page, error in failed.items() if isinstance(error, asyncio.QueueFull)]
        if full:
            raise Wrong(
                "full queue",
                f"{full[0]} was fetched, there was no room for it, and it counts as failed.",
                lab.call_of("put_nowait"),
            )
        told = f"{len(lost)} of {len(pages)} pages ended in neither dict: {', '.join(lost[:4])}."
        broken = [lab.text.broken_off(error) for error in lab.raised]
        if lost and any(broken):
            raise Wrong(
                "lost items",
                f"{told} A fetch failed, and its worker ended with it.",
                next(filter(None, broken)),
                "Let the `try` stand inside the loop, around a single page.",
                headline="lost pages",
                at="is broken off by the error",
            )
        announced = _announced_end(lab)
        if lost and works.raw == len(lost) and announced and lost == pages[-len(lost) :]:
            raise Wrong(
                "end signal",
                f"{told} What was fetched for {lost[-1]} was not parsed to its end.",
                announced,
                "The parser was ended before it had done all: a queue that is empty doesn't mean "
                "that what was taken out of it is done. Announce the end through the queue, once, "
                "after the last page, and await the parser.",
                headline="the end too soon",
            )
        if lost:
            raise Wrong(
                "lost items",
                told,
                lab.handler() if errors.keys() & lost else lab.breaking(),
                "Each page ends in one of the two, whatever happens to it.",
                headline="lost pages",
            )
        lab.equal(
            records,
            {page: f"record {page}" for page in pages if page not in errors},
            what="the first dict is",
        )
        lab.equal(failed, errors, what="the second dict is")

    def pace(self, lab, run, works, pages, workers, fetch_takes, parse_takes):
        rounds = -(-len(pages) // workers)
        fetches, parses = rounds * fetch_takes, len(pages) * parse_takes
        best = max(fetch_takes + parses, fetches + parse_takes) if pages else 0
        # A page that fails, and the order of the last ones, may cost or spare a parse or two.
        if run.elapsed <= best + 2 * min(fetch_takes, parse_takes) + SOON:
            return
        took = f"It took {run.elapsed:g} s; {best:g} s are enough."
        if works.fetch_peak == 1 and workers > 1:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.await_of("fetch"))
        held = _held_around(lab, "parse")
        raise Wrong(
            "idle places",
            took,
            held or lab.call_of("sleep", "wait_for", "timeout", "gather"),
            "A worker that waits until another one has parsed fetches nothing meanwhile. Let "
            "it put the page into a queue, and one task parse what is in there."
            if held
            else "A task that waits for a page or for room is woken at once by "
            "`await queue.get()` and `await queue.put(item)`.",
            headline="left a stage idle",
            at="lets a worker wait where it could fetch" if held else "",
        )

    @sweep(
        lambda some: {
            "pages": some.lists(some.sampled_from(("/a", "/b", "/c", "/d", "")), unique=True),
            "raws": some.permutations((None, "", 0, (), ValueError("a value"))),
            "records": some.permutations((None, "", 0, [], KeyError("a value"))),
            "waits": some.sampled_from(((1, 0.3), (0.3, 1), (0, 1), (1, 0))),
            "workers": some.integers(1, 4),
            "size": some.integers(1, 3),
        },
        fails=(KeyError, ...),
        cancels=True,
        most=15,
    )
    def any_pages(self, pipeline, lab, pages, raws, records, waits, workers, size):
        fetch = lab.service(waits[0], dict(zip(pages, raws)))
        parse = lab.service(waits[1], dict(zip(raws, records)), name="parse")
        ahead, after_the_end = [0], []

        async def fetching(page):
            if asyncio.current_task().cancelling():
                after_the_end.append(page)
            raw = await fetch(page)
            ahead.append(len(fetch.finished) - len(parse.started))
            return raw

        returned = ", ".join(f"{as_value(raw)} for {page!r}" for page, raw in zip(pages, raws))
        parsed = ", ".join(
            f"{as_value(record)} for {as_value(raw)}"
            for raw, record in zip(raws[: len(pages)], records)
        )
        told = f"with the pages {pages}, workers={workers}, size={size}"
        if pages and lab.twist.cancel_after is None:
            told += f"; `fetch` returns {returned}; `parse` returns {parsed}"
        lab.told(told)
        run = lab.run(pipeline, fetching, parse, pages, workers, size)
        if after_the_end:
            caught = lab.handler(asyncio.CancelledError)
            if not (caught and lab.has_run(caught)):
                caught = lab.met_by_the_cancellation()
            raise Wrong(
                "swallowed",
                f"After that it began to fetch {', '.join(map(repr, after_the_end))}.",
                caught,
                "A cancellation is no failed page. `except Exception` lets it pass, and "
                "`except BaseException` does not.",
                headline="went on after the cancellation",
                at="catches the cancellation as well" if caught else "",
            )
        if max(ahead) > size + workers:
            raise Wrong(
                "unbounded",
                f"{max(ahead)} pages had been fetched and were waiting to be parsed; {size} may "
                f"wait, and {workers} may be held by the workers.",
                lab.call_of("*Queue", "gather"),
            )
        self.values_kept(lab, run.result, [*raws, *records])
        if lab.twist.cancel_after is not None:  # in which order pages are taken is left open
            return {
                "": lab.seen(run, fetch, parse, without=("seconds", "calls", "peak")),
                "fetches that it began:": len(fetch.calls),
                "parses that it began:": len(parse.calls),
            }
        return {
            "": lab.seen(run, fetch, parse, without=("seconds",)),
            "the most fetches at once were": fetch.peak,
        }

    @right
    async def two_groups(fetch, parse, pages, workers, size):
        """Return two dicts: the record of each page, and the error of each that failed."""
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    raw = await fetch(page)
                except Exception as error:
                    failed[page] = error
                else:
                    await raws.put((page, raw))

        async def parser():
            while (item := await raws.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @right
    async def joined(fetch, parse, pages, workers, size):
        todo, raws, records, failed = asyncio.Queue(), asyncio.Queue(size), {}, {}
        for page in pages:
            todo.put_nowait(page)

        async def work_on(inbox, work):
            while True:
                item = await inbox.get()
                try:
                    await work(item)
                except Exception as error:
                    failed[item[0] if inbox is raws else item] = error
                finally:
                    inbox.task_done()

        async def fetching(page):
            await raws.put((page, await fetch(page)))

        async def parsing(item):
            records[item[0]] = await parse(item[1])

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work_on(todo, fetching)) for _ in range(workers)]
            tasks.append(group.create_task(work_on(raws, parsing)))
            await todo.join()
            await raws.join()
            for task in tasks:
                task.cancel()
        return records, failed

    @wrong("unbounded", says="not parsed yet")
    async def no_bound(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("one failure ends all", says="were lost with them")
    async def fetchers_die(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                await raws.put((page, await fetch(page)))

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("one failure ends all", says="records[item[0]] = await parse(item[1])`.")
    async def the_parser_dies(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await raws.get()) is not None:
                records[item[0]] = await parse(item[1])

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("end signal", says="after the last page")
    async def each_says_the_end(fetch, parse, pages, workers, size):
        queue, records, failed, tap = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in tap:
                try:
                    await queue.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error
            await queue.put(None)

        async def parser():
            while (item := await queue.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            group.create_task(parser())
            for _ in range(workers):
                group.create_task(fetcher())
        return records, failed

    @wrong("full queue", says="no room for it")
    async def puts_without_waiting(fetch, parse, pages, workers, size):
        queue, records, failed, tap = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in tap:
                try:
                    queue.put_nowait((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await queue.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(fetcher())
            await queue.put(None)
        return records, failed

    @wrong("lost items", says="in neither dict")
    async def looks_away(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                with contextlib.suppress(Exception):
                    await raws.put((page, await fetch(page)))

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("deadlock", says="Queue.get")
    async def no_end(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while True:
                page, raw = await raws.get()
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            group.create_task(parser())
            for _ in range(workers):
                group.create_task(fetcher())
        return records, failed

    @wrong("limit", says="parses were in flight")
    async def each_worker_parses(fetch, parse, pages, workers, size):
        records, failed, left = {}, {}, iter(pages)

        async def worker():
            for page in left:
                try:
                    records[page] = await parse(await fetch(page))
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return records, failed

    @wrong("batch barrier", says="when all fetches were over")
    async def first_all_then_all(fetch, parse, pages, workers, size):
        raws, records, failed, left = {}, {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    raws[page] = await fetch(page)
                except Exception as error:
                    failed[page] = error

        await asyncio.gather(*(fetcher() for _ in range(workers)))
        for page, raw in raws.items():
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error
        return records, failed


def as_value(thing):
    """A value in words: an error that is returned, and not raised, is told as such."""
    return f"the object {thing!r}" if isinstance(thing, Exception) else repr(thing)


def _announced_end(lab):
    """Where the end is announced to the parser: a `shutdown`, a `cancel`, or a `put` of None or of
    what is compared with.
    """
    compared = [
        node.comparators[0].id
        for node in lab.nodes()
        if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Name)
    ]
    puts = (lab.call_of("put*", given=mark) for mark in (None, *compared))
    return lab.earliest(lab.call_of("shutdown", "cancel"), *puts)


def _held_around(lab, name):
    """The `async with` of a lock or a semaphore in which something of this name is called."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.AsyncWith)
            and "TaskGroup" not in ast.unparse(node.items[0])
            and any(
                isinstance(part, ast.Call) and is_named(part.func, (name,))
                for part in own_nodes(node)
            )
        )
    )
