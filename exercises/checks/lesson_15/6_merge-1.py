"""Long, for streams can be merged in many wrong ways."""

import ast
import asyncio
from contextlib import aclosing

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import leaves, watched


class Merge(Exercise):
    """Several streams, one queue

    `streams` is a list of at least one async generator, and `queue` an `asyncio.Queue`. Write a
    coroutine function `merge(streams, queue)`: it puts the items of all streams into the queue,
    each as soon as it comes, whichever stream it is from. When all streams have ended, it puts one
    None, and returns. No item is None.

    - The queue may be full: wait for room.
    - If a stream fails, its error (or a group with it) comes out of `merge` at once, and no None
      is put.
    - When `merge` has ended, however it ended, nothing of it still runs, and every stream has been
      closed. The same holds when `merge` is cancelled.
    """

    id = "merge-1"
    asks = "merge"
    minutes = 12
    hints = (
        "Who reads two streams at the same time? Give each of them a task.",
        "A group of tasks ends the others when one fails, lets the error out, and waits for all. "
        "What stands after it is reached only if all went well.",
        "A pump is cancelled while it waits in `queue.put`, and then its stream is paused at a "
        "`yield`: `aclosing` in each pump. `async with asyncio.TaskGroup()` around them, and the "
        "None after it.",
    )

    def verify(self, merge, lab):
        self._order(merge, lab)
        self._fails(merge, lab)
        self._full(merge, lab)
        self._cancelled(merge, lab)

    def _order(self, merge, lab):
        a, noted_a = watched(["a0", "a1"], 2)
        b, noted_b = watched(["b0", "b1"], 3)
        got = []

        async def read(queue):
            loop = asyncio.get_running_loop()
            begin = loop.time()
            while True:
                got.append(await queue.get())
                times.append(loop.time() - begin)

        async def ask():
            queue = asyncio.Queue(1)
            reader = asyncio.create_task(read(queue))
            await merge([a, b], queue)
            await asyncio.sleep(0)
            reader.cancel()

        times = []
        lab.told(
            "with a stream that gives a0 and a1 after 2 and 4 s, and one that gives b0 and "
            "b1 after 3 and 6 s"
        )
        try:
            lab.run(ask())
        except (RuntimeError, ExceptionGroup) as error:
            last = _late_bound(lab)
            if last is None or not any(isinstance(leaf, RuntimeError) for leaf in leaves(error)):
                raise
            raise Wrong(
                "shared state",
                "Two tasks read the same stream.",
                last,
                "A function sees the loop's variable as it is when it runs, and by then that is "
                "the last stream. Hand the stream over as an argument.",
                headline="read one stream twice",
            ) from None
        items = [item for item in got if item is not None]
        if items == ["a0", "a1", "b0", "b1"] or items == ["b0", "b1", "a0", "a1"]:
            raise Wrong(
                "sequential",
                f"The queue got {got}: one stream after the other.",
                lab.async_for(),
                "A task for each stream reads them all at once.",
            )
        if got.count(None) == 2 and items == ["a0", "b0", "a1", "b1"]:
            raise Wrong(
                "end signal",
                f"The queue got {got}. A reader stops at the first None.",
                lab.call_of("put*", given=None),
                "The streams end at different times. Put the None when all have ended.",
                headline="two ends",
            )
        if items == ["a0", "b0", "a1", "b1"] and None not in got:
            raise Wrong(
                "end signal",
                f"The queue got {got}, and no None. A reader waits for ever.",
                lab.call_of("put"),
                "Put a None when all streams have ended.",
                headline="no end",
            )
        if items == ["a0", "b0", "a1", "b1"] and None in got[:-1]:
            raise Wrong(
                "stopped early",
                f"The queue got {got}.",
                lab.call_of("put*", given=None),
                "The end of a TaskGroup's block waits for its tasks. What is in the block doesn't.",
                headline="ended too early",
            )
        lab.equal(got, ["a0", "b0", "a1", "b1", None], what="the queue got")
        for item, there, taken in zip(got, (2, 3, 4, 6), times):
            if taken > there + 0.5:
                raise Wrong(
                    "late",
                    f"{item} was there after {there} s, and in the queue after {taken:g} s.",
                    lab.call_of("anext", "sorted", "gather", "put"),
                    "Each stream needs a task of its own, which waits for nothing but its "
                    "next item and for room.",
                    headline="came too late",
                )

    async def _outcome(self, merge, lab, streams, queue, fails_at):
        loop = asyncio.get_running_loop()
        begin = loop.time()
        before = asyncio.all_tasks()
        asked = asyncio.ensure_future(merge(streams, queue))
        await asyncio.wait([asked], timeout=60)
        if not asked.done():
            waits_at = lab.where(asked)
            asked.cancel()
            await asyncio.wait([asked])
            raise Wrong(
                "time limit",
                f"The stream b failed after {fails_at} s. A minute later `merge` had not ended.",
                waits_at or lab.await_of(),
                "Something waits for the stream that failed, or for room in the queue.",
                headline="never came back",
            )
        if asked.cancelled():
            raise Wrong(
                "lost error",
                "The stream b raised a ConnectionError, and what came out is a CancelledError.",
                lab.call_of("cancel"),
            )
        error = asked.exception()
        if error is None:
            raise lab.lost_error(
                "The stream b raised a ConnectionError, and `merge` "
                "returned as if nothing had happened.",
                ConnectionError,
                line=lab.earliest(lab.handler(), lab.cleanup(), lab.call_of("asyncio.wait"))
                or lab.keyword("return_exceptions"),
            )
        if not any(isinstance(leaf, ConnectionError) for leaf in leaves(error)):
            raise error
        left = asyncio.all_tasks() - before - {asked}
        if left:
            raise Wrong(
                "losers",
                "The error came out, and the reading of the other stream went on.",
                lab.call_of("gather", "create_task", "ensure_future", "wait"),
                "gather and wait let the others go on when one fails. A TaskGroup ends them.",
                headline="left the others running",
            )
        if loop.time() - begin > fails_at + 0.5:
            raise Wrong(
                "late",
                f"The stream b failed after {fails_at} s, "
                f"and the error came out after {loop.time() - begin:g} s.",
                lab.await_of(besides="queue"),
                "Something else was awaited first. A TaskGroup hears of the first one "
                "that fails, and ends the others.",
                headline="heard of the error too late",
            )

    def _fails(self, merge, lab):
        async def ask():
            queue = asyncio.Queue()
            await self._outcome(merge, lab, [a, b], queue, 3)
            return [queue.get_nowait() for _ in range(queue.qsize())]

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched([], 3, ConnectionError("b is gone"))
        lab.told("with two streams, of which the second, b, fails after 3 s")
        got = lab.run(ask(), leaks=True).result
        if None in got:
            raise Wrong(
                "lost error",
                f"The queue got {got}. A reader takes the None for a good end.",
                lab.call_of("put*", given=None),
                "Put the None only where all streams have ended, not in a `finally`.",
                headline="put the None after a failure",
            )
        lab.equal(got, ["a0"], what="the queue got")
        self._closed(lab, a=noted_a, b=noted_b)

    def _full(self, merge, lab):
        async def ask():
            await self._outcome(merge, lab, [a, b], asyncio.Queue(1), 5)
            return noted_a.closed

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched([], 5, ConnectionError("b is gone"))
        lab.told("with a queue that is full, and a stream b that fails after 5 s")
        noted_a.closed = lab.run(ask(), leaks=True).result
        self._closed(lab, a=noted_a, b=noted_b)

    def _cancelled(self, merge, lab):
        async def ask():
            before = asyncio.all_tasks()
            asked = asyncio.ensure_future(merge([a, b], asyncio.Queue(1)))
            await asyncio.sleep(5)
            asked.cancel()
            await asyncio.wait([asked], timeout=60)
            waits_at = lab.where(asked)
            left = asyncio.all_tasks() - before
            if asked in left:
                raise Wrong(
                    "swallowed",
                    "A minute later `merge` had not ended.",
                    lab.text.swallowing_handler() or waits_at,
                )
            if left:
                raise Wrong(
                    "losers",
                    "`merge` ended, and tasks that it had made still ran.",
                    lab.call_of("create_task", "ensure_future", "wait"),
                    "Cancelling `merge` doesn't cancel the tasks that it made. A "
                    "TaskGroup does, and so does a `finally` that cancels them.",
                    headline="left the others running",
                )
            if not asked.cancelled():
                raise Wrong(
                    "swallowed",
                    "`merge` didn't end by a CancelledError.",
                    lab.text.swallowing_handler(),
                )
            return noted_a.closed, noted_b.closed

        a, noted_a = watched(["a0", "a1", "a2"], 2)
        b, noted_b = watched(["b0"], 30)
        lab.told("with two streams and a queue that is full, and cancelled it after 5 s")
        noted_a.closed, noted_b.closed = lab.run(ask(), leaks=True).result
        self._closed(lab, then="`merge` was cancelled", a=noted_a, b=noted_b)

    def _closed(self, lab, then="The error came out", **noted):
        for name, note in noted.items():
            if not note.closed and (skipped := lab.text.skipped("aclose")):
                raise Wrong(
                    "left open",
                    f"{then}, and the stream {name} had not been closed: its task was cancelled.",
                    skipped,
                    "A cancelled task leaves by a CancelledError, which isn't an Exception. Only a "
                    "`finally`, or `aclosing`, is on every way out.",
                    headline="left a stream open",
                    at="isn't met on this way out",
                )
            if not note.closed:
                raise Wrong(
                    "left open",
                    f"{then}, and the stream {name} had "
                    "not been closed: its task was cancelled in the body of the loop, and the "
                    "stream was paused at its `yield`.",
                    lab.async_for(),
                    "Leaving an `async for` closes nothing. `aclosing` closes the stream.",
                    headline="left a stream open",
                )

    @sweep(
        lambda some: {
            "streams": some.lists(
                some.tuples(
                    some.lists(some.sampled_from(["", 0, "a"]), max_size=3),
                    some.sampled_from([None, None, None, ValueError, TimeoutError, OSError]),
                ),
                min_size=1,
                max_size=3,
            ),
            "size": some.integers(0, 2),
            "pause": some.sampled_from([0, 0, 5.03]),
        },
        cancels=True,
        most=26,
    )
    def any_streams(self, merge, lab, streams, size, pause):
        gaps = 1, 1.37, 2.71
        told = [
            f"{items} {gap} s apart" + (f" and then a {error.__name__}" if error else "")
            for (items, error), gap in zip(streams, gaps)
        ]
        lab.told(
            f"with streams that give {'; '.join(told)}; the queue holds "
            f"{('all of them', 'one item', 'two items')[size]}, and I take them "
            + (f"{pause} s apart" if pause else "as they come")
        )
        made = [
            watched(items, gap, error and error("the stream is gone"))
            for (items, error), gap in zip(streams, gaps)
        ]
        got, closed = [], []

        async def read(queue):
            while True:
                got.append(await queue.get())
                await asyncio.sleep(pause)

        async def ask():
            queue = asyncio.Queue(size)
            reader = asyncio.create_task(read(queue))
            try:
                await merge([stream for stream, _ in made], queue)
            finally:
                closed.extend(note.closed for _, note in made)
                reader.cancel()
                await asyncio.wait([reader])
                while not queue.empty():
                    got.append(queue.get_nowait())

        run = lab.run(ask())
        if isinstance(run.error, BaseExceptionGroup):
            run.error = leaves(run.error)[0]  # a group will do as well
        if isinstance(run.error, asyncio.QueueFull):
            raise run.error
        return {
            "": lab.seen(run, without=("result",) if run.error is None else ()),
            "the queue got": got,
            "whether each stream was closed:": closed,
        }

    equivalent = {
        "with_a_group: each once, line 5": "no stream is there twice",
        "with_finally: each once, line 4": "no stream is there twice",
        "with_finally: finally for errors, line 13": "a cancelled gather cancels them and waits",
    }

    @right
    async def with_a_group(streams, queue):
        """Put the items of all streams into the queue as they come, then a None."""

        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)

    @right
    async def with_finally(streams, queue):
        async def pump(stream):
            try:
                async for item in stream:
                    await queue.put(item)
            finally:
                await stream.aclose()

        tasks = [asyncio.create_task(pump(stream)) for stream in streams]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await queue.put(None)

    @wrong("lost error", says="as if nothing had happened")
    async def keeps_the_exceptions(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.gather(*(pump(stream) for stream in streams), return_exceptions=True)
        await queue.put(None)

    @wrong("lost error", says="as if nothing had happened")
    async def only_waits(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.wait([asyncio.create_task(pump(stream)) for stream in streams])
        await queue.put(None)

    @wrong("sequential", says="one stream after the other")
    async def one_by_one(streams, queue):
        for stream in streams:
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
        await queue.put(None)

    @wrong("late", says="b0 was there after 3 s")
    async def in_turns(streams, queue):
        streams = list(streams)
        while streams:
            for stream in list(streams):
                try:
                    await queue.put(await anext(stream))
                except StopAsyncIteration:
                    streams.remove(stream)
        await queue.put(None)

    @wrong("late", says="after 6 s")
    async def awaits_in_order(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        tasks = [asyncio.create_task(pump(stream)) for stream in streams]
        for task in tasks:
            await task
        await queue.put(None)

    @wrong("stopped early", says="What is in the block")
    async def ends_in_the_block(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
            await queue.put(None)

    @wrong("left open", says="was paused at its `yield`")
    async def no_aclosing(streams, queue):
        async def pump(stream):
            async for item in stream:
                await queue.put(item)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))
        await queue.put(None)

    @wrong("losers", says="let the others go on")
    async def with_gather(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        await asyncio.gather(*(pump(stream) for stream in streams))
        await queue.put(None)

    @wrong("losers", says="Cancelling `merge`")
    async def cancelled_it_leaves_them(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        pumps = [asyncio.create_task(pump(stream)) for stream in streams]
        done, others = await asyncio.wait(pumps, return_when=asyncio.FIRST_EXCEPTION)
        for pump in others:
            pump.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for pump in done:
            pump.result()
        await queue.put(None)

    @wrong("end signal", says="stops at the first None")
    async def an_end_for_each(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)
            await queue.put(None)

        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(pump(stream))

    forgets_the_end = an_end_for_each.but(
        "await queue.put(None)", "", kind="end signal", says="waits for ever"
    )

    @wrong("lost error", says="for a good end")
    async def ends_in_finally(streams, queue):
        async def pump(stream):
            async with aclosing(stream):
                async for item in stream:
                    await queue.put(item)

        try:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(pump(stream))
        finally:
            await queue.put(None)

    does_not_wait = with_a_group.but(
        "await queue.put(item)", "queue.put_nowait(item)", kind="full queue", says="QueueFull"
    )


def _late_bound(lab):
    """The line that reads a stream by the name of a loop's variable, in a function that was made
    in that loop and runs later; or None.
    """
    loops = [node for node in lab.nodes() if isinstance(node, ast.For)]
    readings = [
        (loop, part)
        for loop in loops
        for made in ast.walk(loop)
        if isinstance(made, ast.AsyncFunctionDef) and not made.args.args
        for part in ast.walk(made)
        if isinstance(part, ast.AsyncFor)
    ]
    return lab.earliest(
        *(
            reading.lineno
            for loop, reading in readings
            if ast.unparse(reading.iter) == ast.unparse(loop.target)
        )
    )
