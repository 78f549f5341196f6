import ast
import asyncio

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import leaves


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
        "What runs a coroutine while you go on with something else?",
        "An error has to get to you while you wait in an `async for`. What cancels the task that "
        "made the others when one of them fails?",
        "Inside `async with asyncio.TaskGroup() as group:` make a task of `fetch(item)` for each "
        "item, and keep it in a list; after the block, return the tasks' results.",
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
                "eager",
                "The fetch of a began when the last item had come: all fetches began together.",
                _kept_as_coroutine(lab)
                or lab.earliest(lab.call_of("gather", "create_task"), lab.async_for()),
                "A list of items, or of coroutines, starts nothing. Start a task for each "
                "item when it arrives.",
                headline="waits for the last item",
            )
        if run.elapsed > 6.001:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s. The last fetch could be over after 6 s.",
                lab.await_of(),
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
                raise lab.lost_error(
                    f"It returned {got!r}.",
                    ConnectionError,
                    line=lab.earliest(lab.keyword("return_exceptions"), lab.handler()),
                )
            if service.flying:
                cancels = lab.call_of("*.cancel")
                if cancels and _all_asked_to_end():
                    raise Wrong(
                        "losers",
                        "The error came out, and the fetch of a, which had been cancelled, had not "
                        "ended yet.",
                        cancels,
                        "`cancel()` only asks a task to end. Await the tasks after it.",
                        headline="did not wait for what it cancelled",
                        at="asks them to end",
                    )
                raise Wrong(
                    "losers",
                    "The error came out, and the fetch of a still went on.",
                    cancels or lab.call_of("gather") or lab.call_of("create_task", "ensure_future"),
                    "This doesn't end all that you started. Cancel each fetch that still goes on, "
                    "and await it. A TaskGroup does both."
                    if cancels
                    else "An error ends no other task, even if `gather` raises it. A TaskGroup "
                    "ends them.",
                    headline="left the others running",
                )
            if loop.time() - begin > 7.5:
                raise Wrong(
                    "late",
                    f"It failed after 7 s, and I heard of it after {loop.time() - begin:g} s.",
                    lab.earliest(lab.call_of("gather"), lab.await_of("task"), lab.async_for()),
                    "An error of a task is kept until somebody awaits the task. A TaskGroup "
                    "around the loop hears of it at once.",
                    headline="heard of the error too late",
                )

        stream = lab.stream("abcd", seconds=3)
        lab.run(ask(), leaks=True)

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from(["", "a", 0, None]), max_size=4),
            "results": some.fixed_dictionaries(
                {item: some.sampled_from([None, 0, "", "page"]) for item in ("", "a", 0, None)}
            ),
            "waits": some.permutations((0.3, 1.6, 2.2, 5.4)),
            "apart": some.sampled_from([0, 1]),
        },
        besides=[
            {
                "items": ["a"] * 200,
                "results": {"a": "page"},
                "waits": (0.3, 1.6, 2.2, 5.4),
                "apart": 0,
            }
        ],
        fails=(OSError, TimeoutError, LookupError, ...),
        cancels=True,
        most=24,
    )
    def any_stream(self, load, lab, items, results, waits, apart):
        waits = dict(zip(("", "a", 0, None), waits))
        shown = items if len(items) < 9 else f"'a', {len(items)} times"
        lab.told(
            f"with the items {shown}, {apart} s apart; the fetches take "
            f"{ {item: waits[item] for item in items} } s and, unless they fail, return "
            f"{ {item: results[item] for item in items} }"
        )
        fetch = lab.service(waits, results)
        run = lab.run(self._load(load, lab.stream(items, seconds=apart), fetch))
        if isinstance(run.error, BaseExceptionGroup):
            run.error = leaves(run.error)[0]  # a group will do as well
        return lab.seen(run, fetch)

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

    @wrong("eager", says="all fetches began together")
    async def list_then_gather(stream, fetch):
        return await asyncio.gather(*[fetch(item) async for item in stream])

    @wrong("eager", says="all fetches began together")
    async def group_around_a_list(stream, fetch):
        items = [item async for item in stream]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fetch(item)) for item in items]
        return [task.result() for task in tasks]

    @wrong("losers", says="the fetch of a still went on")
    async def tasks_and_gather(stream, fetch):
        tasks = [asyncio.create_task(fetch(item)) async for item in stream]
        return await asyncio.gather(*tasks)

    @wrong("lost error", says="It returned")
    async def keeps_the_exceptions(stream, fetch):
        tasks = [asyncio.create_task(fetch(item)) async for item in stream]
        return await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("late", says="after 7 s")
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


def _kept_as_coroutine(lab):
    """The line in the loop over the stream that keeps what a call gives, and starts nothing."""
    calls = [
        node
        for loop in lab.nodes()
        if isinstance(loop, ast.AsyncFor)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".append")
    ]
    started = [
        call for call in calls if "task" in ast.unparse(call) or "ensure" in ast.unparse(call)
    ]
    made = (call.lineno for call in calls if isinstance(call.args[0], ast.Call))
    return None if started else lab.earliest(*made)


def _all_asked_to_end():
    """Whether each task besides this one has been cancelled, and goes on until it meets that."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return bool(others) and all(task.cancelling() for task in others)
