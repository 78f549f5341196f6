from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.loops import late_bound
from helpers.coach.mistakes.suspects import LATE
from helpers.eventloop.tasks import Future, Task, sleep

from .shared import Watched, in_a_row, work

RESULTS = (None, 0, "", "tea", False, [], OSError("kept"))
ERRORS = (LookupError, TimeoutError, RuntimeError)


async def returning(seconds, result):
    """Take some seconds; return the result, even if it is an error."""
    await sleep(seconds)
    return result


class Gather(Exercise):
    """Start all, collect all

    Write `gather(loop, *coros)`, an async function for your own loop. It runs all the coroutines
    at once and returns their results as a list, in the order of `coros`. If one of them fails,
    its error comes out of `gather`, at once or later.

    `loop.spawn(coro)` makes a task of a coroutine, and a task can be awaited.
    """

    id = "gather-own-1"
    asks = "gather"
    minutes = 6
    hints = (
        "A coroutine begins when it is spawned. When do you spawn the second one?",
        "First spawn all, and keep the tasks in a list. Then await them, one after another: they "
        "all run meanwhile.",
        "`tasks = [loop.spawn(coro) for coro in coros]`, then "
        "`return [await task for task in tasks]`.",
    )

    def verify(self, gather, lab):
        lab.told("with coroutines that take 3, 1 and 2 s")
        run = Watched(lab)
        try:
            got = run(lambda loop: gather(loop, work(3, "a"), work(1, "b"), work(2, "c")))
        except RuntimeError as error:
            if "await" not in str(error):
                raise
            late = next(late_bound(lab.nodes()), None)
            raise Wrong(
                "awaited twice",
                f"Python said: {error}.",
                late or lab.text.of_traceback(error),
                LATE
                if late
                else "A coroutine runs once, and `loop.spawn(coro)` makes a task that runs it. "
                "Keep that task, and await it in the place of the coroutine.",
                at="sees the loop's variable as it is when it runs" if late else "awaits it again",
            ) from None
        if isinstance(got, (list, tuple)) and any(isinstance(item, Task) for item in got):
            raise Wrong(
                "future for its result",
                f"It returned {got}: the tasks, and not what they return.",
                lab.returning(),
                "`await` each of them.",
                headline="returned tasks",
            )
        if isinstance(got, list) and None in got and (last := lab.item_of(at=-1)):
            raise Wrong(
                "early return",
                f"It returned {got}: it waited for no more than one of them.",
                last,
                "The one that began last need not be the last to end: await each of them.",
                headline="waited for the last one alone",
            )
        whole = isinstance(got, (list, tuple)) and len(got) == 3
        lab.equal(got, ["a", "b", "c"], line=None if whole else lab.returning())
        if run.elapsed > 3.5:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s; the longest of them takes 3 s.",
                lab.await_of(),
            )
        lab.told("with nothing")
        lab.equal(Watched(lab)(lambda loop: gather(loop)), [], what="for no coroutines it returned")
        lab.told("with three coroutines, of which the second raises a LookupError")
        run = Watched(lab)
        got = run(
            lambda loop: gather(loop, work(1, "a"), work(2, LookupError("no tea")), work(3, "c")),
            raises=LookupError,
        )
        if run.error is None:
            raise Wrong(
                "lost error",
                f"It returned {got!r}.",
                lab.handler(),
                "To await a task is to get its error. Let it pass.",
            )

    @sweep(
        lambda some: {
            "works": some.lists(
                some.tuples(some.sampled_from((0, 1, 2.5)), some.sampled_from(RESULTS)), max_size=4
            ),
        },
        besides=[{"works": [(1, "tea")] * 1100}],
    )
    def any_works(self, gather, lab, works):
        row = in_a_row(f"{result!r} after {seconds} s" for seconds, result in works)
        lab.told(f"with coroutines that return {row}" if works else "with nothing")
        run = Watched(lab)
        got = run(lambda loop: gather(loop, *(returning(*each) for each in works)))
        return {"it returned": got, "it took, in seconds,": run.elapsed}

    @sweep(
        lambda some: {
            "waits": some.lists(some.sampled_from((0, 1, 2.5)), min_size=1, max_size=4),
            "failing": some.integers(0, 3),
            "error": some.sampled_from(ERRORS),
        },
        most=20,
    )
    def one_fails(self, gather, lab, waits, failing, error):
        failing %= len(waits)
        lab.told(
            f"with coroutines that take {', '.join(map(str, waits))} s, of which number "
            f"{failing + 1} raises a {error.__name__}"
        )
        results = [error("no tea") if number == failing else "tea" for number in range(len(waits))]
        return Watched(lab)(lambda loop: gather(loop, *map(work, waits, results)))

    @sweep(
        lambda some: {
            "groups": some.lists(some.lists(some.integers(1, 3), max_size=3), max_size=3),
        },
        most=12,
    )
    def one_in_another(self, gather, lab, groups):
        lab.told(f"with calls of itself, whose coroutines take so many seconds: {groups}")
        run = Watched(lab)
        got = run(
            lambda loop: gather(
                loop, *(gather(loop, *(work(each, each) for each in group)) for group in groups)
            )
        )
        return {"it returned": got, "it took, in seconds,": run.elapsed}

    @right
    async def with_tasks(loop, *coros):
        """Run all `coros` at once; return their results in order."""
        tasks = [loop.spawn(coro) for coro in coros]
        return [await task for task in tasks]

    @right
    async def with_a_loop(loop, *coros):
        tasks, results = [], []
        for coro in coros:
            tasks.append(loop.spawn(coro))
        for task in tasks:
            results.append(await task)
        return results

    @wrong("sequential", says="It took 6 s")
    async def one_by_one(loop, *coros):
        return [await coro for coro in coros]

    @wrong("sequential", says="the longest of them takes 3 s")
    async def spawns_and_awaits_each(loop, *coros):
        results = []
        for coro in coros:
            results.append(await loop.spawn(coro))
        return results

    @wrong("order", says="['b', 'c', 'a']")
    async def as_they_come(loop, *coros):
        results = []

        async def note(coro):
            results.append(await coro)

        tasks = [loop.spawn(note(coro)) for coro in coros]
        for task in tasks:
            await task
        return results

    @wrong("future for its result", says="not what they return")
    async def without_await(loop, *coros):
        return [loop.spawn(coro) for coro in coros]

    @wrong("lost error", says="no tea")
    async def with_errors_as_results(loop, *coros):
        tasks, results = [loop.spawn(coro) for coro in coros], []
        for task in tasks:
            try:
                results.append(await task)
            except Exception as error:
                results.append(error)
        return results

    @wrong("polling", says="turns")
    async def that_polls(loop, *coros):
        tasks = [loop.spawn(coro) for coro in coros]
        while not all(task.done() for task in tasks):
            await sleep(0)
        return [task.result() for task in tasks]

    @wrong("nested run", says="one of its turns")
    async def runs_each(loop, *coros):
        return [loop.run(coro) for coro in coros]

    @wrong("named, not called", says="takes one coroutine")
    async def spawns_them_in_one(loop, *coros):
        tasks = loop.spawn(coros)
        return [await task for task in tasks]

    @wrong("other loop", says="your own loop")
    async def with_asyncio(loop, *coros):
        import asyncio

        return await asyncio.gather(*coros)

    @wrong("deadlock", says="somebody still waited")
    async def nobody_sets_it(loop, *coros):
        results, all_done = [], Future()
        for coro in coros:
            results.append(loop.spawn(coro))
        await all_done
        return results
