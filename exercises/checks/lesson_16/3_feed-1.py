"""Long, for a queue can be fed too fast, too slowly, and by who holds too much."""

import ast
import asyncio

from helpers.basics.backports import Queue, QueueShutDown
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import (
    SOON,
    THROWN_AWAY,
    immediate_shutdown,
    in_batches,
    look_for_unwatched,
    noting_the_end,
    or_one,
    with_workers,
    words_of,
)


class Feed(Exercise):
    """Feed slow workers

    `source` is an async iterator whose items come quickly, and there may be millions of them.
    `send(item)` is a coroutine function that takes a while. Write `feed(source, send, workers,
    size)`: it sends all items with so many workers, through a queue of at most `size` items, and
    returns when all are sent.

    So at most `size` items wait in the queue, `feed` holds one more that it wants to put, and each
    worker has one. No worker may be idle while an item waits. `size` is 1 or more, and no item is
    `None`.

    If `send` or `source` raises an error, it comes out at once, alone or in a group, and nothing
    is left running.
    """

    id = "feed-1"
    asks = "feed"
    minutes = 10
    hints = (
        "What does `put` do when the queue is full, and what does `put_nowait` do?",
        "`asyncio.Queue(size)` and `await queue.put(item)`. The workers must run already when you "
        "begin to put.",
        "In an `async with asyncio.TaskGroup()` start the workers, then `async for item in source` "
        "put each, then put `None` for each worker (or shut the queue down).",
    )

    def verify(self, feed, lab):
        for items, workers, size in (30, 3, 5), (2, 4, 1), (12, 1, 2), (13, 3, 1):
            seconds = [3 if item % 5 == 0 else 1 for item in range(items)]
            send = lab.service(or_one(enumerate(seconds)), name="send")
            source = lab.stream(range(items), behind=send)
            run = lab.run(feed, source, noting_the_end(send), workers, size)
            self._all_sent(lab, send, items)
            lab.limited(send.peak, workers, "items", send.peak_place)
            self._bounded(lab, source, workers, size)
            best = with_workers(seconds, workers)
            if run.elapsed > best + SOON:
                took = (
                    f"It took {run.elapsed:g} s; {workers} workers need {best:g} s for "
                    f"{items} items of 1 or 3 s."
                )
                if workers > 1 and abs(run.elapsed - in_batches(seconds, workers)) < SOON:
                    raise Wrong("batch barrier", took, lab.call_of("gather", "TaskGroup", "wait"))
                join = lab.repeated_call_of("join")
                raise Wrong(
                    "idle places",
                    took,
                    join or lab.call_of("sleep", "timeout", "wait_for"),
                    "`join` waits until all that was put is done, and meanwhile workers may wait "
                    "for the next item. `put` waits by itself, for room alone."
                    if join
                    else "A task that waits for room or for an item must be woken at that moment: "
                    "`await queue.put(item)`, `await queue.get()`.",
                    headline="left a worker idle",
                )
        self._fails(feed, lab)

    def _bounded(self, lab, source, workers, size):
        most = size + 1 + workers
        if source.ahead > most:
            observed = (
                f"{source.ahead} items had been taken from the source and were not done yet; at "
                f"most {most} may be."
            )
            if put := lab.call_of("create_task", "ensure_future", given="put"):
                raise Wrong(
                    "unbounded",
                    observed,
                    put,
                    "A `put` that has a task of its own waits there, and the loop goes on. Await "
                    "it in the loop: `await queue.put(item)`.",
                    headline="did not wait for room",
                    at="starts each `put` in a task of its own",
                )
            if all_first := _takes_all_first(lab):
                raise Wrong(
                    "unbounded",
                    observed,
                    all_first,
                    "There may be millions. Put each item into the queue as it comes, and wait for "
                    "room before you take the next one.",
                    headline="took all items first",
                    at="takes all of them",
                )
            if early := _takes_early(lab):
                raise Wrong(
                    "unbounded",
                    observed,
                    early,
                    "Whoever takes the next item before the one in hand is sent holds two of them.",
                    headline="took too many items",
                    at="takes an item beside the one in hand",
                )
            limit = _limit(lab, workers=workers, size=size)
            if isinstance(limit, int) and limit <= 0:
                raise Wrong(
                    "unbounded",
                    observed,
                    lab.call_of("*Queue"),
                    f"With `size={size}` this is `Queue({limit})`, which has no limit. The queue "
                    "itself may hold `size` items: those in hand come on top.",
                    headline="made a queue without a limit",
                )
            if not source.held and lab.call_of("*Queue") and not lab.bare_call_of("*Queue"):
                raise Wrong(
                    "unbounded",
                    observed,
                    lab.call_of("*Queue"),
                    "At most `size` items may wait in the queue. Besides, each worker has one, and "
                    "`feed` one that it wants to put; nothing else may hold any.",
                    headline="took too many items",
                )
        lab.bounded(source, at_most=most)

    def _fails(self, feed, lab):
        """Look whether an error of `send` comes out while the source still gives items."""

        async def send(item):
            if item == 2:
                failed.set_result(None)
                raise ConnectionError("2 is gone")
            await asyncio.sleep(1)

        async def ask():
            nonlocal failed
            failed = asyncio.get_running_loop().create_future()
            asked = asyncio.ensure_future(feed(lab.stream(range(40), 1), send, 2, 2))
            await asyncio.wait([asked, failed], timeout=100, return_when="FIRST_COMPLETED")
            await asyncio.sleep(1)
            waits_at = lab.where(asked)
            if failed.done() and not asked.done():
                await asyncio.wait([asked], timeout=100)
                if not asked.done() or isinstance(asked.exception(), Exception):
                    raise Wrong(
                        "late",
                        "A second after the error `feed` still waited, and had not raised it.",
                        waits_at,
                        "An error of a task is kept until somebody awaits the task. A TaskGroup "
                        "around the loop hears of it at once.",
                        headline="heard of the error too late",
                        at="is where it waited",
                    )
            asked.cancel()
            await asyncio.wait([asked])

        failed = None
        lab.told("with 2 workers and an item every second; `send` failed for item 2")
        lab.run(ask(), leaks=True)

    def _all_sent(self, lab, send, items):
        missing = set(range(items)) - set(send.finished)
        if 0 in missing and len(missing) <= 2:
            raise Wrong(
                "falsy",
                "Item 0 was not sent.",
                lab.earliest(lab.while_loop("get"), lab.condition()),
                "0 counts as false, and is an item like any other: compare with `is not None`.",
                headline="took an item for the end",
            )
        if missing and (early := _said_early(lab)):
            raise Wrong(
                "lost items",
                f"Of {items} items {len(missing)} were not sent when it returned.",
                early,
                "`join` waits for one `task_done()` an item. Call it when the item has been sent.",
                headline="said it was done too early",
                at="is called before the item is sent",
            )
        if missing:
            raise Wrong(
                "lost items",
                f"Of {items} items {len(missing)} were not sent when it returned.",
                immediate_shutdown(lab) or lab.call_of("cancel"),
                THROWN_AWAY
                if immediate_shutdown(lab)
                else "Wait until the workers have done what is left in the queue.",
            )
        extra = [item for item in send.calls if item not in range(items)]
        if extra:
            raise Wrong(
                "end signal",
                f"`send` was called with {extra[0]!r}.",
                lab.call_of("send"),
                "Look at what you got before you send it.",
                headline="sent the sentinel",
            )
        if len(send.calls) > items:
            raise Wrong(
                "done twice",
                f"{items} items came, and {len(send.calls)} were sent.",
                headline="sent twice",
            )

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from(("a", "b", 0, "")), max_size=7),
            "breaks": some.sampled_from((False, False, True)),
            "waits": some.permutations((1, 1.13, 2.3, 3.7)),
            "pause": some.sampled_from((0, 0.171)),
            "workers": some.integers(1, 3),
            "size": some.integers(1, 2),
        },
        besides=[
            {
                "items": ["a"] * 1100,
                "breaks": False,
                "waits": [1] * 4,
                "pause": 0,
                "workers": 100,
                "size": 1,
            }
        ],
        fails=(TimeoutError, asyncio.QueueEmpty, ...),
        cancels=True,
        most=20,
    )
    def any_items(self, feed, lab, items, breaks, waits, pause, workers, size):
        def source():
            yield from items
            if breaks:
                raise OSError("the source broke")

        send = lab.service(dict(zip(("a", "b", 0, ""), waits)), name="send", cleanup=60)
        stream = lab.stream(source(), pause, behind=send)
        then = ", and then an OSError" if breaks else ""
        lab.told(
            f"with `workers={workers}` and `size={size}`; the source gave {words_of(items)}{then}"
        )
        run = lab.run(feed, stream, send, workers, size)
        look_for_unwatched(lab, run)
        if run.error is None:
            lab.bounded(stream, at_most=size + 1 + workers)
        return lab.seen(run, send, without=("group",))

    @right
    async def with_sentinels(source, send, workers, size):
        """Send all items of `source` with so many workers and a queue of at most `size`."""
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @right
    async def with_shutdown(source, send, workers, size):
        queue = Queue(size)

        async def worker():
            try:
                while True:
                    await send(await queue.get())
            except QueueShutDown:
                pass

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            queue.shutdown()

    @right
    async def with_join(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while True:
                await send(await queue.get())
                queue.task_done()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            async for item in source:
                await queue.put(item)
            await queue.join()
            for task in tasks:
                task.cancel()

    without_a_bound = with_sentinels.but(
        "asyncio.Queue(size)", "asyncio.Queue()", kind="unbounded", says="30 items had been taken"
    )

    puts_without_waiting = with_sentinels.but(
        "await queue.put(item)",
        "queue.put_nowait(item)",
        kind="full queue",
        says="never waits for room",
    )

    @wrong("unbounded", says="at most 9 may be")
    async def a_task_for_each(source, send, workers, size):
        places = asyncio.Semaphore(workers)

        async def one(item):
            async with places:
                await send(item)

        async with asyncio.TaskGroup() as group:
            async for item in source:
                group.create_task(one(item))

    @wrong("spin", says="nothing ever waited")
    async def asks_for_room(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                while queue.full():
                    await asyncio.sleep(0)
                queue.put_nowait(item)
            for _ in range(workers):
                await queue.put(None)

    looks_for_room_now_and_then = asks_for_room.but(
        "asyncio.sleep(0)",
        "asyncio.sleep(30)",
        kind="idle places",
        says="30 items of 1 or 3 s",
    )

    @wrong("deadlock", says="Queue.put")
    async def puts_before_anybody_takes(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            while (item := await queue.get()) is not None:
                await send(item)

        async for item in source:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(None)
        await asyncio.gather(*(worker() for _ in range(workers)))

    @wrong("end signal", says="called with None")
    async def looks_too_late(source, send, workers, size):
        queue = asyncio.Queue(size)

        async def worker():
            item = ...
            while item is not None:
                item = await queue.get()
                await send(item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
            async for item in source:
                await queue.put(item)
            for _ in range(workers):
                await queue.put(None)

    @wrong("batch barrier", says="3 workers need 14 s")
    async def in_batches(source, send, workers, size):
        batch = []
        async for item in source:
            batch.append(item)
            if len(batch) == workers:
                await asyncio.gather(*map(send, batch))
                batch = []
        await asyncio.gather(*map(send, batch))

    asks_whether_it_is_true = with_sentinels.but(
        "(item := await queue.get()) is not None",
        "item := await queue.get()",
        kind="falsy",
        says="0 counts as false",
    )

    looks_for_room = asks_for_room.but(
        "asyncio.sleep(0)",
        "asyncio.sleep(0.1)",
        kind="idle places",
        says="woken at that moment",
    )

    cancels_too_early = with_join.but("queue.task_done()", "").but(
        "await queue.join()", "", kind="lost items", says="were not sent when it returned"
    )


def _said_early(lab):
    """The line of a `task_done` that stands before the `send` of the same worker, or None."""
    early = [
        done.lineno
        for worker in lab.nodes()
        if isinstance(worker, ast.AsyncFunctionDef)
        for done in lab.text.calls_of("task_done", inside=worker)
        for send in lab.text.calls_of("send", inside=worker)
        if done.lineno < send.lineno
    ]
    return lab.earliest(*early)


def _takes_all_first(lab):
    """The line that collects the items in a list, or None."""
    loops = [node for node in lab.nodes() if isinstance(node, ast.AsyncFor)]
    collecting = [loop.lineno for loop in loops if lab.text.calls_of("append", inside=loop)]
    made = [node for node in lab.nodes() if isinstance(node, ast.ListComp)]
    return lab.earliest(
        *collecting, *(one.lineno for one in made if any(part.is_async for part in one.generators))
    )


def _limit(lab, **given):
    """What is handed to the one queue as its limit, if it is worked out from `given` alone; or
    None.
    """
    calls = lab.text.calls_of("*Queue")
    if len(calls) != 1:
        return None
    parts = [*calls[0].args, *(keyword.value for keyword in calls[0].keywords)]
    if len(parts) != 1 or any(isinstance(part, ast.Call) for part in ast.walk(parts[0])):
        return None
    try:
        return eval(ast.unparse(parts[0]), {"__builtins__": {}}, given)
    except Exception:
        return None


def _takes_early(lab):
    """Where a task is made of the `get` of a queue, or a worker takes items in a loop of its own
    that sends none; or None.
    """
    makes = lab.text.calls_of("create_task", "ensure_future", "gather")
    started = [given for call in makes for given in call.args]
    gathering = [
        inner
        for outer in lab.nodes()
        if isinstance(outer, (ast.While, ast.For, ast.AsyncFor))
        for inner in ast.walk(outer)
        if isinstance(inner, (ast.While, ast.For)) and inner is not outer
        if not lab.text.calls_of("send", inside=inner)
    ]
    return lab.earliest(
        *(
            part.lineno
            for block in started + gathering
            for part in ast.walk(block)
            if isinstance(part, ast.Call) and is_named(part.func, ("*.get", "*.get_nowait"))
        )
    )
