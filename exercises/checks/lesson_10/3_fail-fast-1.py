import asyncio
import itertools

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import KEPT, LONG, MOMENT, Tidy, errors_in, none_left, swept, told_waits, watched


class FailFast(Exercise):
    """All or nothing

    `buy(item)` is a coroutine function that takes a while, and may fail. Write
    `all_or_nothing(buy, items)`. It buys all items at the same time, and returns what `buy`
    returned for each, in the order of `items`; for no items, an empty list.

    If one of them fails, the others are stopped, and the error comes out, alone or in a group.
    When `all_or_nothing` itself is cancelled, all are stopped. Either way, every `buy` has ended
    when `all_or_nothing` ends. A `buy` that is cancelled may take a while to clean up.
    """

    id = "fail-fast-1"
    asks = "all_or_nothing"
    minutes = 8
    hints = (
        "Which of the five ways of the lesson stops the others when one fails?",
        "A TaskGroup does all that is asked. After its block each task has its `result()`.",
        "`async with asyncio.TaskGroup() as group: tasks = [group.create_task(buy(item)) for item "
        "in items]`, and then the results of `tasks`.",
    )

    def verify(self, all_or_nothing, lab):
        seconds, items = {"tea": 3, "milk": 1, "cake": 2}, ["tea", "milk", "cake"]
        bought = {item: f"a {item}" for item in items}
        buy = lab.service(seconds, bought, name="buy")
        run = lab.run(all_or_nothing, buy, items)
        lab.equal(run.result, list(bought.values()))
        lab.concurrent(run, longest=3, total=6)
        for late, error in (("milk", ValueError("no milk")), ("cake", OSError("no cake"))):
            buy = Tidy(lab.service(seconds, bought, {late: error}, name="buy"))
            after = seconds[late]
            ended = watched(lab, f"and `{late}` failed after {after} s", all_or_nothing, buy, items)
            self._failed(lab, ended, error, after)
        buy = Tidy(lab.service(seconds, bought, name="buy"))
        ended = watched(
            lab, "and cancelled it after 0.5 s", all_or_nothing, buy, items, cancel_after=0.5
        )
        none_left(lab, ended, "It was cancelled and ended")

    def _failed(self, lab, ended, error, after):
        words = f"{type(error).__name__}"
        if ended.error is None:
            raise lab.lost_error(
                f"It returned {ended.result!r}, as if all had gone well.",
                type(error),
                line=lab.earliest(lab.handler(), lab.keyword("return_exceptions")),
            )
        if error not in errors_in(ended.error):
            raise Wrong(
                "lost error",
                f"{words} was to come out. What came out was {ended.error!r}.",
                lab.raising() or lab.earliest(lab.handler(), lab.keyword("return_exceptions")),
            )
        if ended.at > after + MOMENT + 1e-6:
            # A clean-up waits for all as well; what comes first is what waits for the results.
            in_turn = lab.text.sequential_await()
            for_all = lab.keyword("return_exceptions") or lab.call_of("wait")
            if in_turn and for_all and (in_turn[1] < for_all or _cancels_before(lab, for_all)):
                for_all = None
            raise Wrong(
                "late",
                f"{words} was raised after {after} s, and came out after {ended.at:g} s.",
                for_all or in_turn,
                "Whoever waits for all hears of a failure when the last has ended. Stop at the "
                "first failure: a TaskGroup does."
                if for_all
                else "Whoever awaits tasks one by one hears of a failure when its turn comes. Wait "
                "for all of them at once, and stop at the first failure: a TaskGroup does.",
                headline="heard of the error too late",
                at="waits for all of them" if for_all else "waits for one after another",
            )
        none_left(lab, ended, f"The {words} came out")

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from("abc"), max_size=4),
            "bought": some.fixed_dictionaries(
                {item: some.sampled_from(("a thing", "", 0, None, KEPT)) for item in "abc"}
            ),
            "waits": some.permutations((1, 2, 3.5)),
            "moments": some.permutations((0.25, LONG, 0)),
        },
        fails=(ValueError, TimeoutError, ...),
        cancels=True,
        most=30,
    )
    def any_items(self, all_or_nothing, lab, items, bought, waits, moments):
        takes = dict(zip("abc", waits))
        buy = Tidy(lab.service(takes, bought, name="buy"), dict(zip("abc", moments)))
        words = f"with the items {items}"
        if items:
            words += f"; `buy` takes {told_waits({item: takes[item] for item in items})}"
        return swept(lab, words, all_or_nothing, buy, items)

    @sweep(
        lambda some: {
            "waits": some.permutations((1, 2, 3.5)),
            "failing": some.sampled_from("abc"),
            "moments": some.permutations((0.25, LONG, 0)),
        },
        cancels=True,
        most=6,
    )
    def a_failure(self, all_or_nothing, lab, waits, failing, moments):
        """One fails, and it may be cancelled while the others clean up."""
        takes = dict(zip("abc", waits))
        errors = {failing: ValueError(f"no {failing}")}
        buy = Tidy(lab.service(takes, None, errors, name="buy"), dict(zip("abc", moments)))
        words = f"with the items {[*takes]}; `buy` takes {told_waits(takes)}; {failing!r} fails"
        cancelled = lab.twist.cancel_after is not None  # then either error may come out
        without = ("result",) if cancelled else ()
        return swept(lab, words, all_or_nothing, buy, [*takes], without=without)

    @sweep(
        lambda some: {"items": some.lists(some.sampled_from("ab"), min_size=2, max_size=4)},
        most=6,
    )
    def each_its_own(self, all_or_nothing, lab, items):
        """Each `buy` returns something else, for the same item too."""
        numbers = itertools.count(1)

        async def buy(item):
            number = next(numbers)
            await asyncio.sleep(1)
            return number

        lab.told(f"with the items {items}; `buy` returned 1, then 2, and so on")
        run = lab.run(all_or_nothing, buy, items)
        if isinstance(run.result, list):
            run.result.sort()  # nobody says which of them is bought first
        return {"in order of size, it returned": lab.seen(run)}

    @right
    async def with_a_group(buy, items):
        """Buy all items at once and return what was bought, in order; or stop them all."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
        return [task.result() for task in tasks]

    @right
    async def with_gather_and_a_finally(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("losers", says="2 calls still ran")
    async def with_gather(buy, items):
        return await asyncio.gather(*(buy(item) for item in items))

    @wrong("losers", says="had not ended")
    async def asks_and_goes(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return await asyncio.gather(*tasks)
        except Exception:
            for task in tasks:
                task.cancel()
            raise

    waits_a_turn = asks_and_goes.but(
        "raise", "await asyncio.sleep(0)\nraise", kind="losers", says="had not ended"
    )

    @wrong("others' tasks", says="holds the task that runs this line")
    async def cancels_everybody(buy, items):
        try:
            return await asyncio.gather(*(buy(item) for item in items))
        except Exception:
            for task in asyncio.all_tasks():
                task.cancel()
            raise

    @wrong("late", says="Whoever waits for all")
    async def waits_for_all(buy, items):
        results = await asyncio.gather(*map(buy, items), return_exceptions=True)
        for each in results:
            if isinstance(each, Exception):
                raise each
        return results

    @wrong("losers", says="cancelled it after 0.5 s")
    async def forgets_its_own_cancellation(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return [task.result() for task in tasks if not task.cancelled()]

    @wrong("sequential", says="one after another")
    async def one_by_one(buy, items):
        return [await buy(item) for item in items]

    awaits_them_in_order = with_gather_and_a_finally.but(
        "await asyncio.gather(*tasks)",
        "[await task for task in tasks]",
        kind="late",
        says="came out after 3 s",
    )

    @wrong("lost error", says="as if all had gone well")
    async def errors_as_values(buy, items):
        return await asyncio.gather(*(buy(item) for item in items), return_exceptions=True)

    @wrong("lost error", says="as if all had gone well")
    async def catches_the_group(buy, items):
        tasks = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks += [group.create_task(buy(item)) for item in items]
        except* Exception as errors:
            print(errors)
        return [task.result() for task in tasks if not task.cancelled() and not task.exception()]

    @wrong("order", says="It returned ['a milk', 'a cake', 'a tea']")
    async def as_they_come(buy, items):
        bought = []
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
            for next_one in asyncio.as_completed(tasks):
                bought.append(await next_one)
        return bought

    returns_the_tasks = with_a_group.but(
        "[task.result() for task in tasks]",
        "tasks",
        kind="not awaited",
        says="a list with a Task, not its result",
    )


def _cancels_before(lab, line):
    """Whether the function that holds a line has cancelled tasks before it: it cleans up there."""
    calls = lab.text.calls_of("*.cancel", inside=lab.text.function_at(line))
    return any(call.lineno < line for call in calls)
