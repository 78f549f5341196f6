"""Long, for a task can be lost, or kept for ever, in many ways."""

import ast
import asyncio
import gc
import inspect
import types
import weakref

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import own_nodes


@types.coroutine
def private(died):
    """Wait for a future that nobody else holds; say so if the waiting is thrown away."""
    future = asyncio.get_running_loop().create_future()
    weakref.finalize(future, died.append, "future")
    yield from future


class Background(Exercise):
    """In the background

    Write `background(coro, kept)`, an ordinary function that is called while a loop runs. It
    starts the coroutine `coro` as a task, keeps that task in the set `kept` until it is done, and
    takes it out then, however it ended. No callback of yours raises an error. It returns the task
    at once, without awaiting it.
    """

    id = "keep-1"
    asks = "background"
    minutes = 6
    hints = (
        "Who holds a task while it waits for a future that only the task itself knows?",
        "`kept.add(task)` holds it. It must leave the set when it is done, and not before: a task "
        "can tell you when that is.",
        "`task.add_done_callback(kept.discard)`: hand the method over, do not call it.",
    )

    def verify(self, background, lab):
        found = lab.run(self._keeps(background, lab), leaks=True).result
        if found is not None:
            raise found

    async def _keeps(self, background, lab):
        kept, died = set(), []

        async def waits():
            await private(died)

        coro = waits()
        try:
            made = background(coro, kept)
        except RuntimeError as error:
            coro.close()
            if "running event loop" not in str(error):
                raise
            return Wrong(
                "nested run",
                f"Python said: {error}.",
                lab.call_of("asyncio.run", "run_until_complete"),
                "A loop runs already: `asyncio.create_task(coro)` gives it a task.",
                headline="a second loop",
            )
        if made is coro and kept:
            for task in kept.copy():
                task.cancel()
            await asyncio.sleep(0)
            return Wrong(
                "future for its result",
                "It returned the coroutine, and not the task that runs it.",
                lab.returning(),
                "Return what `asyncio.create_task(coro)` gives.",
                headline="not a task",
            )
        if asyncio.iscoroutine(made):
            made.close()
            coro.close()
            return Wrong(
                "future for its result",
                "It is `async def`: it returned a coroutine, and started nothing.",
                lab.coroutine_function(),
                "`def background`: a task is made by `asyncio.create_task`, and that "
                "needs no await.",
                headline="not a task",
            )
        if not isinstance(made, asyncio.Task):
            return Wrong(
                "future for its result",
                f"It returned {made!r:.60}.",
                lab.returning(),
                "Return what `asyncio.create_task(coro)` gives.",
                headline="not a task",
            )
        if kept and made not in kept:
            for thing in kept:
                if asyncio.iscoroutine(thing):
                    made.cancel()
                    return Wrong(
                        "future for its result",
                        "`kept` holds the coroutine, not its task.",
                        lab.call_of("add"),
                        "The task holds its coroutine, and not the other way round.",
                        headline="kept the coroutine",
                    )
                if not isinstance(thing, asyncio.Future):
                    made.cancel()
                    return Wrong(
                        "task not kept",
                        f"`kept` holds {thing!r}, and not the task.",
                        lab.call_of("add"),
                        "A task lives as long as something holds it, and not its name: "
                        "`kept.add(task)`.",
                        headline="kept something else",
                    )
        del made, coro
        await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)
        if died:
            rebinds = lab.rebinding()
            called = None if rebinds else lab.call_of("add_done_callback", given="()")
            return Wrong(
                "task not kept",
                "The task waited for a future that only it knew. `kept` held "
                f"{len(kept)} tasks; after `gc.collect()` the task was gone.",
                rebinds or called or lab.call_of("create_task"),
                "Parentheses take it out here and now. Hand over the function itself: "
                "`task.add_done_callback(kept.discard)`."
                if called
                else "Put the task into `kept`, the set that you were given, and leave it there "
                "until it is done.",
                headline="lost the task",
            )
        if not kept:
            return Wrong(
                "task not kept",
                "The task is under way, and `kept` is empty.",
                lab.call_of("create_task"),
                "`kept.add(task)`.",
                headline="not kept",
            )
        for task in kept.copy():
            task.cancel()
        await asyncio.sleep(0.01)
        return await self._lets_go(background, lab, keeps_cancelled=bool(kept))

    async def _lets_go(self, background, lab, keeps_cancelled):
        kept = set()

        async def short():
            await asyncio.sleep(1)
            return "done"

        async def fails():
            await asyncio.sleep(2)
            raise LookupError("on purpose")

        tasks = [background(short(), kept), background(fails(), kept)]
        await asyncio.sleep(0.5)
        if len(kept) != 2:
            return Wrong(
                "task not kept",
                f"Two tasks are under way, and `kept` holds {len(kept)}.",
                headline="not kept",
            )
        await asyncio.wait([tasks[0]])
        await asyncio.sleep(0.5)
        if not kept and not lab.lost:
            tasks[1].cancel()
            return Wrong(
                "task not kept",
                "One task of two has ended, and `kept` is empty.",
                lab.call_of("clear", "add_done_callback"),
                "Take out that one only: `task.add_done_callback(kept.discard)`.",
                headline="let go of all",
            )
        await asyncio.wait(tasks)
        await asyncio.sleep(0.01)
        tasks[1].exception()
        lost = [context["exception"] for context in lab.lost if context.get("exception")]
        lab.lost.clear()
        if lost and (place := lab.text.of_traceback(lost[0])):
            cancelled = isinstance(lost[0], asyncio.CancelledError)
            asks = cancelled and lab.call_of("*.exception")
            observed = (
                f"A task {'was cancelled' if cancelled else 'had failed'}, and its callback raised "
                f"{lost[0]!r}."
            )
            raises = (
                "`exception()` of a cancelled task raises CancelledError"
                if asks and lab.text.place(asks) == place
                else "To ask such a task for its result raises its error"
            )
            if not (keeps_cancelled if cancelled else tasks[1] in kept):
                return Wrong(
                    "raised",
                    observed,
                    place,
                    f"{raises}, and in a callback nobody catches it. Take the task out, and ask it "
                    "for nothing: `task.add_done_callback(kept.discard)`.",
                    headline="raised an error in the callback",
                    at="raises it",
                )
            return Wrong(
                "unbounded",
                observed,
                place,
                f"{raises}, and nothing below is reached. Take the task out first: "
                "`task.add_done_callback(kept.discard)` asks for nothing.",
                headline="never lets go of one that "
                + ("was cancelled" if cancelled else "failed"),
                at="raises it",
            )
        if lost:
            return Wrong(
                "arguments",
                f"The loop was told: {lost[0]!r}.",
                lab.call_of("add_done_callback"),
                "A callback gets the task as its argument: hand over `kept.discard`.",
                headline="a callback that can't be called as it is",
            )
        if kept:
            left = len(kept)
            again = background(short(), kept)
            swept = kept.isdisjoint(tasks)
            again.cancel()
            # Without a callback, something else takes a task out: when that is reached at all.
            taken = None if lab.use_of("add_done_callback") else _taking_out(lab)
            at = "runs at the next call, not" if swept else "isn't reached"
            return Wrong(
                "unbounded",
                f"Both tasks have ended, and `kept` still holds {left}."
                + (" They left only at the next call." if swept else ""),
                taken
                or lab.condition("cancelled", "exception")
                or lab.call_of("add_done_callback", "add"),
                "Each is to leave when it ends, and there may be no next call: "
                "`task.add_done_callback(kept.discard)`."
                if swept
                else "In a program that runs for weeks they would pile up: "
                "`task.add_done_callback(kept.discard)`.",
                headline="lets go too late" if swept else "never lets go",
                at=f"{at} when each of them ends" if taken else "",
            )
        return None

    @sweep(
        lambda some: {
            "jobs": some.lists(
                some.tuples(
                    some.sampled_from(("tea", 0, None, OSError("no tea"))),
                    some.sampled_from((0, 1, 2)),
                    some.sampled_from((None, None, 0, 1.25)),
                ),
                min_size=1,
                max_size=3,
            ),
            "sets": some.sampled_from((1, 2)),
        },
        most=30,
    )
    def any_jobs(self, background, lab, jobs, sets):
        ends, coros = [], []

        async def job(end, seconds):
            await asyncio.sleep(seconds)
            if isinstance(end, Exception):
                raise end
            return end

        async def main():
            others = [asyncio.create_task(asyncio.sleep(9)) for _ in range(sets)]
            kept, tasks, held = [{other} for other in others], [], []
            for number, (end, seconds, cancelled) in enumerate(jobs):
                coros.append(job(end, seconds))
                tasks.append(background(coros[-1], kept[number % sets]))
                if cancelled == 0:
                    tasks[-1].cancel()
                elif cancelled is not None:
                    asyncio.get_running_loop().call_later(cancelled, tasks[-1].cancel)
            for _ in range(3):
                await asyncio.sleep(0.5)
                held.append([len(each) - (other in each) for each, other in zip(kept, others)])
                await asyncio.sleep(0.5)
            self._stays(lab, tasks, coros, [task in set().union(*kept) for task in tasks])
            for each, other in zip(kept, others):
                if other not in each:
                    raise Wrong(
                        "task not kept",
                        "Another task stood in `kept`, which still goes on. It was taken out.",
                        lab.call_of("add_done_callback"),
                        "Take out that one only: `task.add_done_callback(kept.discard)`.",
                        headline="let go of all",
                    )
                other.cancel()
            await asyncio.wait(tasks)
            ends.extend(
                "cancelled" if task.cancelled() else task.exception() or task.result()
                for task in tasks
            )
            for coro in coros:
                coro.close()  # one that was cancelled at once may not have begun
            return held

        says = " and ".join(_told(*job) for job in jobs)
        lab.told(f"with {says}" + (", each with a set of its own" if sets > 1 < len(jobs) else ""))
        held = [each if sets > 1 < len(jobs) else each[0] for each in lab.run(main()).result]
        return {
            "the number of tasks in `kept` after 0.5, 1.5 and 2.5 s was": held,
            "the task came to" if len(jobs) == 1 else "the tasks came to": ends,
        }

    def _stays(self, lab, tasks, coros, in_kept):
        """Raise Wrong if those tasks alone stay that were cancelled, or that were cancelled before
        their first step.
        """
        cancelled = [task.cancelled() for task in tasks]
        if any(cancelled) and in_kept == cancelled and (leaves := _leaves_before(lab)):
            raise Wrong(
                "unbounded",
                "When all was over, a task that had been cancelled was still in `kept`.",
                leaves,
                "Take the task out first, and then look how it ended.",
                headline="never lets go of one that was cancelled",
                at="leaves before the task is taken out",
            )
        early = [inspect.getcoroutinestate(coro) == inspect.CORO_CREATED for coro in coros]
        if any(early) and in_kept == early:
            raise Wrong(
                "unbounded",
                "When all was over, a task was still in `kept` that had been cancelled before its "
                "first step.",
                lab.call_of("kept.discard", "kept.remove", "kept.*_update"),
                "A task that is cancelled at once never comes to its `try`, nor to its `finally`. "
                "`task.add_done_callback(kept.discard)` has the loop call it however the task "
                "ends.",
                headline="never lets go of one that was cancelled at once",
                at="isn't reached then",
            )

    @right
    def discards_when_done(coro, kept):
        """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task

    @wrong("task not kept", says="only it knew")
    def no_reference(coro, kept):
        return asyncio.create_task(coro)

    discards_at_once = discards_when_done.but(
        "kept.discard", "kept.discard(task)", kind="task not kept", says="here and now"
    )

    @wrong("arguments", says="takes 0 positional arguments")
    def with_a_lambda(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(lambda: kept.discard(task))
        return task

    @wrong("unbounded", says="before its first step")
    def takes_itself_out(coro, kept):
        async def run():
            try:
                return await coro
            finally:
                kept.discard(task)

        task = asyncio.create_task(run())
        kept.add(task)
        return task

    @wrong("unbounded", says="Take the task out first")
    def asks_for_its_result(coro, kept):
        def done(task):
            task.result()
            kept.discard(task)

        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(done)
        return task

    @wrong("raised", says="ask it for nothing")
    def asks_after_taking_it_out(coro, kept):
        def done(task):
            kept.discard(task)
            task.result()

        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(done)
        return task

    never_discards = discards_when_done.but(
        "task.add_done_callback(kept.discard)", "", kind="unbounded", says="pile up"
    )

    clears_the_set = discards_when_done.but(
        "kept.discard", "lambda task: kept.clear()", kind="task not kept", says="that one only"
    )

    @wrong("nested run", says="A loop runs already")
    def with_run(coro, kept):
        asyncio.run(coro)

    @wrong("future for its result", says="not the task that runs it")
    def returns_the_coroutine(coro, kept):
        kept.add(asyncio.create_task(coro))
        return coro

    @wrong("future for its result", says="not its task")
    def keeps_the_coroutine(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(coro)
        task.add_done_callback(lambda task: kept.discard(coro))
        return task

    a_set_of_its_own = discards_when_done.but(
        "task =", "kept = set()\ntask =", kind="task not kept", says="leave it there"
    )

    @wrong("future for its result", says="async def")
    async def awaits_it(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        await task
        kept.discard(task)
        return task


def _leaves_before(lab):
    """Where a function returns before the line in which it takes a task out; or None."""
    functions = [node for node in lab.nodes() if isinstance(node, ast.FunctionDef)]
    return lab.earliest(
        *(
            leaves.lineno
            for function in functions
            for call in lab.text.calls_of("*.discard", "*.remove", inside=function)
            for leaves in own_nodes(function)
            if isinstance(leaves, ast.Return) and leaves.lineno < call.lineno
        )
    )


def _taking_out(lab):
    """The line that takes tasks out of the set."""
    return lab.use_of("*.discard", "*.remove", "*.*_update", "*.pop") or lab.operation("-=", "&=")


def _told(end, seconds, cancelled):
    """Such a coroutine, and when its task is cancelled, in words."""
    does = f"raises {end!r}" if isinstance(end, Exception) else f"returns {end!r}"
    words = f"a coroutine that {does} after {seconds} s"
    if cancelled is None:
        return words
    return f"{words}, cancelled {f'after {cancelled} s' if cancelled else 'at once'}"
