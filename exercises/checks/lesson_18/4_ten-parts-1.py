"""Long, for a page can lose its parts in many ways, and each is told apart."""

import ast
import asyncio
import contextlib

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong


class TenParts(Exercise):
    """Ten waits in one page

    A page is put together from ten parts, and each comes from a different server. Write the
    coroutine function `page(ask, parts, seconds)`: it returns a dict from each of `parts`, in
    their order, to what `await ask(part)` gives. Ask for all of them at once.

    The visitor waits `seconds` at most. What isn't there by then, and what fails with an
    `OSError`, is `None` in the dict; the other parts are there all the same. If all come sooner,
    so does the page. Leave nothing running, even if `page` itself is cancelled because the visitor
    has gone. What you cancel may need a while to clean up, and the page comes after that. `ask`
    raises no other errors.
    """

    id = "ten-parts-1"
    equivalent = {
        "with_wait: or None, line 12": "there is a part at least",
        "with_wait: each once, line 4": "a dict holds each part once",
        "each_its_own: or None, line 15": "there is a part at least",
        "each_its_own: each once, line 5": "a dict holds each part once",
        "each_its_own: wider except, line 9": "`ask` raises nothing else",
    }
    asks = "page"
    minutes = 12
    hints = (
        "Each part can see to its own timeout and its own failure: a coroutine around `ask`.",
        "In that coroutine: `async with asyncio.timeout(seconds)`, and `except` for both errors.",
        "Start one task for each part in a TaskGroup, and take their results at its end.",
    )

    def verify(self, page, lab):
        parts = [f"part {number}" for number in range(10)]
        waits = {part: 1 + number * 7 % 10 / 10 for number, part in enumerate(parts)}
        ask = lab.service(waits, {part: part.upper() for part in parts}, name="ask")
        run = lab.run(page, ask, parts, 5)
        if ask.peak == 1 and run.elapsed < sum(waits.values()):  # else it has all of them
            raise Wrong(
                "sequential",
                f"It asked for one part at a time, and was over after {run.elapsed:g} s; the "
                "longest single wait is 1.9 s.",
                lab.text.sequential_await(),
            )
        lab.equal(run.result, {part: part.upper() for part in parts})
        if abs(run.elapsed - 5) < 0.001:
            raise Wrong(
                "late",
                "All parts were there after 1.9 s, and the page came after 5 s.",
                lab.call_of("sleep"),
                try_="`seconds` is the longest that the visitor waits: `asyncio.timeout` "
                "or `asyncio.wait(..., timeout=...)` go on sooner.",
                headline="waits though all is there",
            )
        lab.concurrent(run, longest=1.9, total=sum(waits.values()))

        waits = dict(waits, **{"part 3": 30, "part 4": 4.5})
        errors = {"part 6": ConnectionError("part 6 is down")}
        ask = lab.service(waits, {part: part.upper() for part in parts}, errors, name="ask")
        lab.told("with ten parts and 5 s; part 3 takes 30 s, part 4 takes 4.5 s, and part 6 fails")
        try:
            run = lab.run(self._page(page, ask, parts, lab))
        except TimeoutError:
            raise Wrong(
                "lost items",
                "It raised a TimeoutError: eight parts had come, and "
                "the visitor sees none of them.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                try_="One timeout for each part, or `asyncio.wait`, keeps what is there.",
                headline="lost what was there",
            ) from None
        except asyncio.CancelledError as error:
            met = lab.text.steps_of(error)
            raise Wrong(
                "awaited the cancelled",
                "CancelledError came out of `page`: it asked a task that it had cancelled for its "
                "result.",
                met[0] if met and lab.call_of("cancel") else None,
                "Whoever awaits a cancelled task meets a CancelledError, and so does whoever asks "
                "it for its `result()` or `exception()`. `await asyncio.gather(*late, "
                "return_exceptions=True)` waits and raises nothing; `task.cancelled()` tells which "
                "ones they are.",
                headline="let a cancellation out",
                at="meets it",
            ) from None
        except ConnectionError as error:
            raise Wrong(
                "lost items",
                "One part failed, and its error ended the page: the "
                "visitor sees nothing of the others.",
                lab.text.narrow_handler(lab.text.steps_of(error), type(error)),
                try_="Catch `OSError` around each part's own `ask`.",
                headline="lost what was there",
            ) from None
        except BaseExceptionGroup:
            raise Wrong(
                "lost items",
                "One part failed, and the TaskGroup cancelled the "
                "others: the visitor sees nothing.",
                try_="Catch `OSError` inside the task, around its own `ask`.",
                headline="lost what was there",
            ) from None
        expected = {part: part.upper() for part in parts} | {"part 3": None, "part 6": None}
        if isinstance(run.result, dict):
            for part, got in run.result.items():
                if isinstance(got, BaseException):
                    raise Wrong(
                        "error for a result",
                        f"`{part}` is {got!r} in the dict.",
                        try_="The page shows what it has; what failed is `None`.",
                        headline="an error for a part",
                    )
        if run.elapsed > 5.001:
            raise Wrong(
                "limits add up",
                f"It took {run.elapsed:g} s; the visitor waits 5 s at most.",
                lab.call_of("timeout*", "wait*"),
                try_="All the timeouts must begin at the same moment.",
                headline="the visitor waited longer",
            )
        if isinstance(run.result, dict) and run.result.get("part 4", 0) is None:
            alone = self._loses(page, lab, parts, waits, {})
            if alone and not self._loses(page, lab, parts, waits | {"part 3": 1}, errors):
                raise Wrong(
                    "lost items",
                    "Part 4 came after 4.5 s, in time, and is `None`. If part 3 is late and none "
                    "fails, part 4 is `None` too; if none is late, it is there.",
                    (lab.use_of("gather") and lab.async_with("timeout*"))
                    or lab.returning("fromkeys"),
                    "One that is late must take nothing from the others: give each part a timeout "
                    "of its own, or let `asyncio.wait` tell which ones are done.",
                    headline="lost what was there",
                )
            raise Wrong(
                "lost items",
                "Part 4 came after 4.5 s, in time, and is `None`.",
                lab.use_of("FIRST_EXCEPTION")
                or (lab.use_of("gather") and lab.async_with("timeout*"))
                or lab.returning("fromkeys"),
                "Only part 3 is too late, and only part 6 failed. What else can end part 4, or "
                "throw its answer away: the failure of another, or one timeout around all?",
                headline="lost what was there",
            )
        lab.equal(run.result, expected)
        if list(run.result) != parts:
            at = next(n for n, part in enumerate(parts) if list(run.result)[n] != part)
            raise Wrong(
                "order",
                f"`{list(run.result)[at]}` stands in the dict where `{parts[at]}` should.",
                self._set_when_it_comes(lab) or lab.assigned(to=ast.Await),
                "A dict keeps its keys in the order in which they were first set. Make it in the "
                "order of `parts`, when all is there.",
            )

    def _loses(self, page, lab, parts, waits, errors):
        """Whether part 4 is `None` with these waits and errors."""
        ask = lab.service(waits, {part: part.upper() for part in parts}, errors, name="ask")
        told = lab.called
        try:
            result = lab.run(self._page(page, ask, parts, lab)).result
        except (Wrong, Exception):
            return False
        finally:
            lab.called = told
        return isinstance(result, dict) and result.get("part 4", 0) is None

    def _set_when_it_comes(self, lab):
        """Where a function inside, behind its first `await` or with it, sets an item of what the
        answer returns.
        """
        outer = [node for node in lab.nodes() if getattr(node, "name", "") == lab.asks]
        return lab.earliest(
            *(
                part.lineno
                for around in outer
                for node in ast.walk(around)
                if isinstance(node, ast.AsyncFunctionDef) and node is not around
                for part in ast.walk(node)
                if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript)
                if lab.returning(ast.unparse(part.targets[0].value))
                if any(
                    isinstance(one, ast.Await) and one.lineno <= part.lineno
                    for one in ast.walk(node)
                )
            )
        )

    @sweep(
        lambda some: {
            "waits": some.lists(some.sampled_from((1, 5)), min_size=1, max_size=3),
            "cleanup": some.sampled_from((0, 0.5, 30)),
            "ends_well": some.booleans(),
        },
        most=20,
        unseen=("waits",),
    )
    def any_cleanup(self, page, lab, waits, cleanup, ends_well):
        asked, ended = [], []

        async def ask(part):
            asked.append(asyncio.current_task())
            try:
                await asyncio.sleep(waits[part])
            except asyncio.CancelledError:
                await asyncio.sleep(cleanup)
                if not ends_well:
                    raise ConnectionError("the connection has gone") from None
                raise
            finally:
                ended.append(part)
            return "here"

        async def scene():
            result = await lab.awaitable(page(ask, list(range(len(waits))), 2))
            for task in asked:
                if task.done() and not task.cancelled():
                    task.exception()  # nobody has to look at it: the part is None anyway
            return result, len(asked) - len(ended)

        then = [f"needs {cleanup} s to clean up"] * bool(cleanup)
        then += ["then fails with a ConnectionError"] * (not ends_well)
        lab.told(
            "with `seconds=2`; "
            + ", ".join(f"part {part} takes {wait} s" for part, wait in enumerate(waits))
            + f"; one that is cancelled {' and '.join(then)}" * bool(then)
        )
        try:
            run = lab.run(scene())
        except Wrong as found:
            limited = lab.wait_behind("cancel")
            visit = lab.call_of("wait*", "timeout*", "sleep", given="seconds")
            if found.kind == "leaked" and limited and limited != visit:
                found.line, found.at = limited, "waits for a while, and not for their end"
                found.try_ = "Wait without a limit: the page comes when all have cleaned up."
            raise
        if run.error:
            raise run.error
        result, running = run.result
        if running:
            raise Wrong(
                "leaked",
                f"When the page came, {count(running, 'call')} of `ask` still ran: cancelled, and "
                "not yet at the end.",
                lab.call_of("cancel"),
                "`cancel` only asks a task to end. Await it, as with "
                "`asyncio.gather(*tasks, return_exceptions=True)`.",
                headline="did not wait for what it cancelled",
            )
        return {"": lab.seen(run)}

    @sweep(
        lambda some: {
            "parts": some.lists(some.sampled_from("abcd"), min_size=1, max_size=4, unique=True),
            "gives": some.permutations(("page", None, 0, "", [])),
            "waits": some.permutations((0.5, 1.9, 2.1, 7)),
            "seconds": some.sampled_from((2, 5)),
        },
        besides=[
            {
                "parts": list(range(1100)),
                "gives": [""] * 1100,
                "waits": [1] * 1100,
                "seconds": 2,
            }
        ],
        fails=(OSError, TimeoutError),
        cancels=True,
        most=24,
    )
    def any_parts(self, page, lab, parts, gives, waits, seconds):
        ask = lab.service(dict(zip(parts, waits)), dict(zip(parts, gives)), name="ask")
        if len(parts) < 9:
            came = [f"{part!r} takes {wait:g} s" for part, wait in zip(parts, waits)]
            lab.told(f"with `seconds={seconds}`; {', '.join(came)}")
        run = lab.run(page, ask, parts, seconds)
        order = list(run.result) if isinstance(run.result, dict) else None
        return {"": lab.seen(run, ask), "the parts stood in the order": order}

    async def _page(self, page, ask, parts, lab):
        return await page(ask, parts, 5)

    @right
    async def each_its_own(ask, parts, seconds):
        """Return part → what `ask` gives, all at once; None for what is late or fails."""

        async def one(part):
            with contextlib.suppress(OSError):  # a TimeoutError is one as well
                async with asyncio.timeout(seconds):
                    return await ask(part)

        async with asyncio.TaskGroup() as group:
            tasks = {part: group.create_task(one(part)) for part in parts}
        return {part: task.result() for part, task in tasks.items()}

    @right
    async def with_wait(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        try:
            await asyncio.wait(tasks.values(), timeout=seconds)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {
            part: None if task.cancelled() or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("leaked", says="cancelled")
    async def cancels_only_what_is_late(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return {
            part: None if task in late or task.exception() else task.result()
            for part, task in tasks.items()
        }

    ends_at_an_error = with_wait.but(
        "timeout=seconds",
        "timeout=seconds, return_when=asyncio.FIRST_EXCEPTION",
        kind="lost items",
        says="the failure of another",
    )

    @wrong("sequential", says="1.9 s")
    async def in_turn(ask, parts, seconds):
        page = {}
        for part in parts:
            try:
                page[part] = await asyncio.wait_for(ask(part), seconds)
            except OSError:
                page[part] = None
        return page

    @wrong("late", says="after 5 s")
    async def sleeps_it_out(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        await asyncio.sleep(seconds)
        for task in tasks.values():
            task.cancel()
        await asyncio.wait(tasks.values())
        return {
            part: None if task.cancelled() or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("lost items", says="TimeoutError")
    async def one_timeout(ask, parts, seconds):
        async with asyncio.timeout(seconds):
            got = await asyncio.gather(*(ask(part) for part in parts), return_exceptions=True)
        return {part: None if isinstance(g, OSError) else g for part, g in zip(parts, got)}

    @wrong("lost items", says="TaskGroup cancelled")
    async def plain_group(ask, parts, seconds):
        async def one(part):
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(ask(part), seconds)

        async with asyncio.TaskGroup() as group:
            tasks = {part: group.create_task(one(part)) for part in parts}
        return {part: task.result() for part, task in tasks.items()}

    @wrong("error for a result", says="in the dict")
    async def errors_as_values(ask, parts, seconds):
        asking = (asyncio.wait_for(ask(part), seconds) for part in parts)
        return dict(zip(parts, await asyncio.gather(*asking, return_exceptions=True)))

    @wrong("leaked", says="1 task still ran: `ask`")
    async def leaves_the_late_ones(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
        return {
            part: None if task in late or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("limits add up", says="5 s at most")
    async def one_timeout_after_the_other(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        page = {}
        for part, task in tasks.items():
            try:
                page[part] = await asyncio.wait_for(task, seconds)
            except OSError:
                page[part] = None
        return page

    @wrong("lost items", says="part failed")
    async def timeouts_alone(ask, parts, seconds):
        async def one(part):
            try:
                return await asyncio.wait_for(ask(part), seconds)
            except TimeoutError:
                return None

        got = await asyncio.gather(*(one(part) for part in parts))
        return dict(zip(parts, got))
