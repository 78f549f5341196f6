"""Long, for a worker can lose an item, or do it again, in many ways, each with words of its own."""

import ast
import asyncio
import traceback

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import words_of

ITEMS = ("a", 0, None, "")
ERRORS = (ValueError, TimeoutError, OSError, LookupError, EOFError, AssertionError)


class Counted(asyncio.Queue):
    """A queue that counts how often `task_done` was called."""

    done = 0

    def task_done(self):
        self.done += 1
        super().task_done()


class Survivor(Exercise):
    """A worker that outlives a failing item

    `work(item)` is a coroutine function that may raise any `Exception`. Write `worker(queue, work,
    failed)`: it takes item after item from `queue`, without end, and does each once. An item can
    be anything, `None` too. An item that fails isn't lost and doesn't end the worker:
    `(item, error)` is appended to the list `failed`.

    The program that starts your workers awaits `queue.join()`, until all items are done, failed
    ones too, and then cancels the workers. They must end then, even in the middle of an item, and
    that item ends with them; a cancelled item is not a failed one.
    """

    id = "worker-1"
    equivalent = {
        "with_finally: finally for errors, line 5": "nobody joins after a cancellation",
    }
    asks = "worker"
    minutes = 8
    hints = (
        "`join()` returns when `task_done()` was called for each item. On which ways out of your "
        "code is it reached?",
        "Catch what `work` raises, and that alone. Which errors does `except Exception` let pass?",
        "In `while True`: get an item; `try: await work(item)`, `except Exception as error:` "
        "append the two, `finally: queue.task_done()`.",
    )

    def verify(self, worker, lab):
        errors = {3: ValueError("item 3 is broken"), 4: KeyError("item 4")}
        lab.told("in two tasks; six items were in the queue, and items 3 and 4 failed")
        work = lab.service(1, errors=errors, name="work")
        lab.run(self._until_joined(worker, lab, work, errors))
        lab.told("in a task; None and a 1 were in the queue")
        lab.run(self._with_none(worker, lab, lab.service(1, name="work")))
        lab.told("in a task, and cancelled it in the middle of an item")
        work = lab.service(1, name="work")
        try:
            lab.run(self._cancelled(worker, lab, work))
        except Wrong as found:
            if found.kind == "leaked":
                found.observed = found.observed.replace("It returned", "The worker ended")
                if waits := lab.call_of("asyncio.wait", "asyncio.shield", ".wait", ".shield"):
                    found.line, found.at = waits, "is cancelled, and not what it waits for"
                    found.try_ = (
                        "A cancellation doesn't go through `wait` or `shield` to the task behind "
                        "it. Await the work itself, without a task."
                    )
            raise

    async def _until_joined(self, worker, lab, work, errors):
        queue, failed = Counted(), []
        for item in range(1, 7):
            queue.put_nowait(item)
        tasks = [asyncio.create_task(self._run(worker, queue, work, failed)) for _ in range(2)]
        try:
            async with asyncio.timeout(100):
                await queue.join()
        except TimeoutError:
            self._why_join_hangs(lab, queue, work, tasks, 6)
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
        lab.check_awaited()
        if len(work.started) < 6 or work.flying:
            waiting = 6 - len(work.started)
            apart = lab.dropping("create_task", "ensure_future")
            raise Wrong(
                "given back early",
                f"`join()` returned when {work.flying} items were under way"
                + (f" and {waiting} had not begun." if waiting else "."),
                apart or lab.call_of("task_done"),
                "The item is done when its work has ended: `await work(item)`."
                if apart
                else "Call `task_done()` when the work has ended.",
                headline="said it was done too early",
                at="only starts the work, and nothing waits for it" if apart else "",
            )
        if len(work.started) > 6:
            twice = next(item for item in work.started if work.started.count(item) > 1)
            raise Wrong(
                "retried",
                f"`work` was called {work.started.count(twice)} times with item {twice}.",
                lab.text.place(lab.call_of("put*"))
                or lab.earliest(lab.continuing(), lab.for_loop()),
                "Each item is done once.",
            )
        self._look_at_failed(lab, failed, errors)
        await self._end(lab, tasks)

    async def _with_none(self, worker, lab, work):
        """Look whether a None ends the worker; whatever else becomes of it, the sweep tells."""
        queue = Counted()
        for item in (None, 1):
            queue.put_nowait(item)
        task = asyncio.create_task(self._run(worker, queue, work, []))
        done, _ = await asyncio.wait([task], timeout=5)
        task.cancel()
        await asyncio.wait([task], timeout=10)
        if done and task.exception() is None:
            raise Wrong(
                "stopped early",
                "The worker returned before it was cancelled.",
                self._way_out(lab),
                "Here None is an item like any other, and nothing in the queue tells the end. Take "
                "item after item, and don't look for a None.",
                headline="took None for the end",
            )

    async def _cancelled(self, worker, lab, work):
        queue, failed = Counted(), []
        queue.put_nowait("a")
        task = asyncio.create_task(self._run(worker, queue, work, failed))
        await asyncio.sleep(0.5)
        await self._end(lab, [task])
        if failed:
            raise Wrong(
                "caught too much",
                f"`failed` is {failed!r}.",
                lab.text.swallowing_handler() or lab.handler(),
                "A CancelledError isn't an Exception: `except Exception` lets it pass.",
                headline="took the cancellation for a failure",
            )

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from(ITEMS), max_size=5),
            "fails": some.dictionaries(
                some.sampled_from(ITEMS), some.sampled_from(ERRORS), max_size=3
            ),
            "waits": some.permutations((0, 1, 1.13, 2.3)),
            "workers": some.integers(1, 2),
            "cancelled": some.sampled_from((None, 0.5, 1.71)),
        },
        besides=[
            {
                "items": ["a"] * 1100,
                "fails": {"a": ValueError},
                "waits": [1] * 4,
                "workers": 100,
                "cancelled": None,
            }
        ],
        most=28,
    )
    def any_items(self, worker, lab, items, fails, waits, workers, cancelled):
        errors = {item: kind(f"no {item}") for item, kind in fails.items()}
        for error in errors.values():
            error.__cause__ = OSError("the disk is full")  # as `raise … from …` makes it
        work = lab.service(dict(zip(ITEMS, waits)), errors=errors, name="work", cleanup=0.2)
        failing = ", ".join(
            f"{kind.__name__} for {item!r}" for item, kind in fails.items() if item in items
        )
        lab.told(
            ("in a task" if workers == 1 else f"in {workers} tasks")
            + f"; in the queue were {words_of(items)}"
            + (f"; `work` raised {failing}" if failing else "")
            + ("" if cancelled is None else f"; I cancelled after {cancelled:g} s")
        )
        failed = []
        run = lab.run(self._day(worker, lab, work, items, workers, cancelled, failed))
        return {"": lab.seen(run, work), "`failed` is": sorted(failed, key=repr)}

    async def _day(self, worker, lab, work, items, workers, cancelled, failed):
        queue = Counted()
        tasks = [
            asyncio.create_task(self._run(worker, queue, work, failed)) for _ in range(workers)
        ]
        await asyncio.sleep(0)
        for item in items:
            queue.put_nowait(item)
        try:
            async with asyncio.timeout(cancelled or 1000):
                await queue.join()
        except TimeoutError:
            if cancelled is None:
                self._why_join_hangs(lab, queue, work, tasks, len(items))
        await self._end(lab, tasks)

    async def _run(self, worker, queue, work, failed):
        await worker(queue, work, failed)
        return "returned"

    async def _end(self, lab, tasks):
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
            task.cancel()
        done, pending = await asyncio.wait(tasks, timeout=10)
        if pending:
            raise Wrong(
                "swallowed",
                "I cancelled the worker, and 10 s later it still went on.",
                lab.text.swallowing_handler(),
            )
        for task in done:
            if not task.cancelled() and task.exception() is not None:
                self._it_ended(lab, task)

    def _it_ended(self, lab, task):
        """Raise what a worker that has ended tells of itself."""
        error = task.exception()
        if isinstance(error, Wrong):
            raise error
        if isinstance(error, ValueError) and "task_done" in str(error):
            if _cancelled_in_get(error.__context__):
                raise Wrong(
                    "given back wrongly",
                    "The worker was cancelled while it waited in `get`, and called `task_done()` "
                    "for an item that it never got.",
                    lab.call_of("task_done"),
                    "Put the `get` before the `try` whose `finally` calls `task_done`: if it is "
                    "cancelled, there is no item to be done.",
                    headline="counted an item that it never got",
                )
            raise Wrong(
                "given back wrongly",
                "`task_done()` was called more often than items were taken.",
                lab.call_of("task_done"),
                "Call it once for each item, whatever becomes of it.",
                headline="said it twice",
            )
        if isinstance(error, asyncio.QueueEmpty):
            raise Wrong(
                "empty queue",
                "The worker ended with QueueEmpty.",
                lab.call_of("get_nowait"),
                "`get_nowait()` never waits. `await queue.get()` does.",
                headline="did not wait for an item",
            )
        if isinstance(error, (TypeError, AttributeError, NameError)):
            raise error  # of the worker itself: no item of ours raises these
        if error is not None:
            raise Wrong(
                "one failure ends all",
                f"The worker ended with {error!r}.",
                self._raised_again(lab, error) or lab.text.let_out(error),
                "Catch what the work raises, whatever it is, note it, and go on.",
                headline="died of a failing item",
            )
        raise Wrong(
            "stopped early",
            "The worker returned before it was cancelled.",
            self._way_out(lab),
            "`while True`: it takes the next item, and waits for one if there is none.",
            headline="ended too early",
        )

    def _raised_again(self, lab, error):
        """The `raise` of the `except` that caught the error, or None."""
        handler = lab.text.handler_of(type(error))
        raises = (
            [part for part in ast.walk(handler) if isinstance(part, ast.Raise)] if handler else []
        )
        return raises[0].lineno if raises else None

    def _way_out(self, lab):
        """Line of what ends the loop over the items: its condition, or else the first that leaves
        the function with that loop.
        """
        taking = lab.call_of("*.get", "*.get_nowait") or lab.definition()
        function = lab.text.function_at(taking)
        begin = getattr(function, "lineno", None)  # a module has none
        nodes = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.stmt)
            and getattr(lab.text.function_at(node.lineno), "lineno", None) == begin
        ]
        ends = [node for node in nodes if isinstance(node, (ast.Return, ast.Break))]
        loops = [node for node in nodes if isinstance(node, ast.While)]
        asked = [loop for loop in loops if not isinstance(loop.test, ast.Constant)]
        found = asked or ends or loops
        return min((node.lineno for node in found), default=None) or lab.looping()

    def _why_join_hangs(self, lab, queue, work, tasks, items):
        for task in tasks:
            if task.done():
                self._it_ended(lab, task)
        if len(work.started) > items:
            raise Wrong(
                "retried",
                f"Of {items} items {len(work.started)} were begun: `join()` waits for ever.",
                lab.text.place(lab.call_of("put*")) or lab.continuing(),
                "Each item is done once. Whatever is put into the queue again comes out again, and "
                "fails again.",
            )
        raise Wrong(
            "not given back",
            f"Of {items} items {len(work.started)} were begun, "
            f"and `task_done()` was called {queue.done} times: `join()` waits for ever.",
            lab.continuing() or lab.call_of("task_done") or lab.await_of("work"),
            "Every way out of an item must pass `queue.task_done()`, an error's too.",
            headline="never said that it was done",
        )

    def _look_at_failed(self, lab, failed, errors):
        if not failed:
            if anew := lab.assigned("failed"):
                raise Wrong(
                    "lost error",
                    "Items 3 and 4 failed, and `failed` is empty.",
                    anew,
                    "The caller looks at the list that it gave: append to that one.",
                    headline="noted it in another list",
                    at="makes another list, which the caller doesn't know",
                )
            raise Wrong(
                "lost error",
                "Items 3 and 4 failed, and `failed` is empty.",
                lab.earliest(lab.handler(), lab.call_of("suppress")),
                "Append the item and its error.",
            )
        asked = [(item, error) for item, error in errors.items()]
        pairs = [entry for entry in failed if isinstance(entry, (tuple, list)) and len(entry) == 2]
        if len(pairs) < len(failed):
            raise Wrong(
                "value",
                f"`failed` is {failed!r}.",
                lab.call_of("append"),
                "Append a pair: the item, and its error.",
            )
        groups = any(isinstance(error, BaseExceptionGroup) for _, error in pairs)
        if groups and (line := lab.async_with("TaskGroup")):
            raise Wrong(
                "value",
                f"`failed` is {failed!r}; it must be {asked!r}.",
                line,
                "`await work(item)` raises the error as it is: one item needs no group.",
                headline="noted a group in place of the error",
                at="raises a group, even of a single error",
            )
        if len(failed) != 2 or any(
            pair[0] != item or pair[1] is not error for pair, (item, error) in zip(pairs, asked)
        ):
            raise Wrong(
                "value",
                f"`failed` is {failed!r}; it must be {asked!r}.",
                lab.call_of("append"),
                "The item first, then the error itself.",
            )

    @right
    async def with_finally(queue, work, failed):
        """Do all items of `queue`; append failing ones and their errors to `failed`."""
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    @right
    async def at_the_end(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))
            queue.task_done()

    @wrong("one failure ends all", says="item 3 is broken")
    async def catches_nothing(queue, work, failed):
        while True:
            item = await queue.get()
            await work(item)
            queue.task_done()

    @wrong("one failure ends all", says="item 3 is broken")
    async def catches_outside_in_finally(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
            finally:
                queue.task_done()

    catches_one_kind = with_finally.but(
        "Exception", "ValueError", kind="one failure ends all", says="KeyError"
    )

    @wrong("stopped early", says="returned before")
    async def catches_outside_of_the_loop(queue, work, failed):
        try:
            while True:
                item = await queue.get()
                await work(item)
                queue.task_done()
        except Exception as error:
            failed.append((item, error))

    @wrong("not given back", says="`task_done()` was called 4 times")
    async def done_only_if_it_went_well(queue, work, failed):
        while True:
            item = await queue.get()
            try:
                await work(item)
                queue.task_done()
            except Exception as error:
                failed.append((item, error))

    passes_over = with_finally.but("Exception as error", "Exception").but(
        "failed.append((item, error))", "pass", kind="lost error", says="`failed` is empty"
    )

    catches_everything = with_finally.but(
        "Exception", "BaseException", kind="swallowed", says="still went on"
    )

    @wrong("given back early", says="were under way")
    async def done_when_taken(queue, work, failed):
        while True:
            item = await queue.get()
            queue.task_done()
            try:
                await work(item)
            except Exception as error:
                failed.append((item, error))

    appends_two_things = with_finally.but(
        "(item, error)", "item, error", kind="raised", says="append() takes exactly one argument"
    )

    @wrong("given back wrongly", says="an item that it never got")
    async def gets_inside_of_try(queue, work, failed):
        while True:
            try:
                item = await queue.get()
                await work(item)
            except Exception as error:
                failed.append((item, error))
            finally:
                queue.task_done()

    gets_without_waiting = with_finally.but(
        "await queue.get()",
        "queue.get_nowait()",
        kind="empty queue",
        says="never waits",
    )

    calls_only = with_finally.but("await work(item)", "work(item)", kind="not awaited", says="work")

    @wrong("retried", says="Each item is done once")
    async def puts_it_back(queue, work, failed):
        tried = set()
        while True:
            item = await queue.get()
            try:
                await work(item)
            except Exception as error:
                if item in tried:
                    failed.append((item, error))
                else:
                    tried.add(item)
                    await queue.put(item)
            finally:
                queue.task_done()


def _cancelled_in_get(error):
    """Whether this is a cancellation that met its task in `Queue.get`."""
    return isinstance(error, asyncio.CancelledError) and any(
        frame.f_code is asyncio.Queue.get.__code__
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )
