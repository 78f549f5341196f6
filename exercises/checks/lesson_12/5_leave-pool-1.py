"""Long, for a pool can be left in many ways, some of them on the loop's thread."""

import asyncio
import contextlib
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from unittest import mock

from helpers.coach import Exercise, Wrong, right, sweep, wrong

PATIENCE = 2  # seconds that the slow item waits for the quick one


class LeaveThePool(Exercise):
    """Leave a pool without losing a result

    `work(item)` is an ordinary function that blocks for a while, and never fails. Write a coroutine
    function `crunch(work, items, seconds)`. It lets two threads of a pool of its own work on the
    items: one or more, and all different.

    - After `seconds`, jobs that have not begun are cancelled. Those that have begun are finished.
    - If all is done before that, `crunch` may return at once or wait for the `seconds` to pass.
    - Return a dict from item to result, of all items that were begun.
    - When it returns, no thread works any more, and the pool is shut down.
    - The loop is never blocked, not even while the last jobs are finished.
    """

    id = "leave-pool-1"
    asks = "crunch"
    minutes, clock = 10, "real"
    limit = 6
    hints = (
        "`pool.shutdown(cancel_futures=True)` does most of it. In which thread does it wait?",
        "`pool.submit` returns a future. After the shutdown each is done or cancelled.",
        "Hand in everything, `await asyncio.sleep(seconds)`, "
        "`await asyncio.to_thread(pool.shutdown, cancel_futures=True)`, and ask each future.",
    )

    def verify(self, crunch, lab):
        lab.told("with 20 items of 0.1 s each and `seconds=0.45`")
        bench = Bench()
        items = [f"item {number}" for number in range(20)]

        async def main():
            ticks = asyncio.create_task(bench.tick())
            try:
                return await lab.awaitable(crunch(bench.work, items, 0.45)), bench.working
            except (CancelledError, asyncio.CancelledError):
                raise Wrong(
                    "awaited the cancelled",
                    "A CancelledError came out: it asked a cancelled job for its result.",
                    lab.call_of("result", "gather"),
                    "Ask only those that are not cancelled: `if not job.cancelled()`.",
                    headline="asked a cancelled job",
                ) from None
            finally:
                ticks.cancel()

        with bench.watched(lab):
            run = lab.run(main(), stands=True)
        result, working = run.result
        if bench.blocked:
            what, place = bench.blocked
            raise Wrong(
                "blocked",
                f"`{what}` waited on the loop's own thread, while the pool still worked.",
                place or lab.earliest(lab.with_of(), lab.use_of("shutdown"), lab.call_of("result")),
                _instead_of(what, place, lab),
            )
        if bench.on_the_loop:
            raise Wrong(
                "blocked", "`work` was called on the loop's own thread.", lab.call_of("work")
            )
        # Counted by threads: on a busy machine the first of twenty may be done before the last
        # begins.
        if len(bench.hands) > 2:
            raise Wrong(
                "limit",
                f"{len(bench.hands)} threads worked on the items; the exercise asks for two.",
                lab.call_of("*Executor", "to_thread", "run_in_executor", "Thread"),
                "Make a pool of two: `ThreadPoolExecutor(2)`.",
            )
        if bench.most_unseen > 2:
            raise Wrong(
                "blocked",
                f"{bench.most_unseen} items, of 0.1 s each, came to their end "
                "between two ticks of a task beside it that ticks every 10 ms.",
                lab.call_of("wait", "sleep", "as_completed", "map", "join"),
                "Await something of asyncio's, or hand the waiting to a thread.",
            )
        if run.stood:
            raise run.stood
        if bench.most < 2:
            raise Wrong(
                "sequential",
                f"At most {bench.most} of them was worked on at once; two threads can do two.",
                lab.await_of(),
                "Hand all of them in before you wait for any.",
            )
        if working:
            raise Wrong(
                "losers",
                f"It returned, and {working} of the items were still being worked on.",
                lab.earliest(lab.keyword("wait"), lab.use_of("shutdown"), lab.call_of("wait")),
                "Wait for those that have begun: `shutdown` does, if you let it.",
                headline="left them working",
            )
        if len(bench.begun) == len(items):
            raise Wrong(
                "went on after the end",
                "After 0.45 s some items had not begun, and yet all 20 were done in the end.",
                lab.earliest(lab.use_of("shutdown"), lab.with_of()),
                "Cancel those that have not begun: `cancel_futures=True`.",
                headline="did all of them",
            )
        if not isinstance(result, dict):
            raise Wrong(
                "value", f"It returned {result!r:.80}.", try_="Return a dict from item to result."
            )
        lost = [item for item in bench.begun if item not in result]
        if lost and bench.given_up:
            raise Wrong(
                "lost items",
                f"{len(bench.begun)} items were begun, and for {len(lost)} of them there is no "
                "result in what it returned: the loop's futures for them were cancelled.",
                lab.call_of("*.cancel", "wait_for", "timeout", "timeout_at"),
                "A job that has begun can't be cancelled: its thread works on, and only the future "
                "on the loop is given up. Cancel what `pool.submit` returned, or let the shutdown "
                "do it.",
                headline="lost results",
                at="gives up jobs in flight",
            )
        if lost:
            raise Wrong(
                "lost items",
                f"{len(bench.begun)} items were begun, and for "
                f"{len(lost)} of them there is no result in what it returned.",
                lab.returning("done")
                or lab.call_of("*.done")
                or lab.earliest(lab.call_of("timeout*"), lab.returning(), lab.keyword("timeout")),
                "The jobs in flight are done once the shutdown has ended. Collect after that, "
                "from all jobs that are not `cancelled()`, and not only from those that were done "
                "before.",
                headline="lost results",
            )
        lab.equal(
            result,
            {item: item.upper() for item in bench.begun},
            line=lab.call_of("cancelled") if len(result) > len(bench.begun) else None,
        )
        if bench.shutdowns == 0:
            raise Wrong(
                "left open",
                "Nobody called `shutdown`.",
                lab.call_of("*Executor"),
                "Shut it down, or its threads wait for more work.",
                headline="left the pool open",
            )
        self._second_first(crunch, lab)
        self._one_more_begins(crunch, lab)

    def _second_first(self, crunch, lab):
        lab.told('with the items "slow" and "quick", of which the second is done first')
        begun, is_done = [], threading.Event()

        def work(item):
            begun.append(item)
            if item == "quick":
                is_done.set()
            elif is_done.wait(PATIENCE):
                time.sleep(0.05)  # until its result has been taken
            return item.upper()

        run = lab.run(crunch, work, ["slow", "quick"], 0.2, stands=True)
        lab.equal(run.result, {item: item.upper() for item in begun})

    def _one_more_begins(self, crunch, lab):
        lab.told("with 20 items of 0.1 s each and `seconds=0.15`")
        bench = Bench(slow_to_shut_down=True)
        with bench.watched(lab):
            run = lab.run(crunch, bench.work, [f"item {n}" for n in range(20)], 0.15, stands=True)
        if lost := [item for item in bench.begun if item not in run.result]:
            raise Wrong(
                "lost items",
                f"Just before `shutdown` cancelled the rest, more items began: {len(bench.begun)} "
                f"in all, and for {len(lost)} of them there is no result.",
                lab.call_of("*.running", "*.done") or lab.returning(),
                "The threads don't stand still while you look at the jobs. Ask after the shutdown: "
                "then each job is done, or `cancelled()`.",
                headline="lost results",
                at="is too early to ask",
            )

    @sweep(
        lambda some: {
            "items": some.lists(
                some.sampled_from(["", "a", None, 0]), unique=True, min_size=1, max_size=4
            ),
            "results": some.fixed_dictionaries(
                {item: some.sampled_from([None, 0, "", "done"]) for item in ("", "a", None, 0)}
            ),
        },
        besides=[{"items": ["a", 0], "results": {"a": None, 0: "done"}}],
        most=5,
    )
    def any_items(self, crunch, lab, items, results):
        results = {item: results[item] for item in items}
        lab.told(f"twice at once, with the items {items}, whose results are {results}")
        runs = []

        async def one():
            begun = []

            def work(item):
                begun.append(item)
                return results[item]

            found = await lab.awaitable(crunch(work, items, 0.03))
            runs.append((found, {item: results[item] for item in begun}))

        async def both():
            await asyncio.gather(one(), one())

        run = lab.run(both(), blocks=True)
        if run.error:
            raise run.error
        for found, asked in runs:  # on a busy machine not all of them may have begun
            lab.equal(found, asked)

    equivalent = {
        "with_submit: or None, line 11": "there is an item at least, and it begins",
        "with_run_in_executor: or None, line 11": "there is an item at least, and it begins",
        "by_two_tasks: or None, line 17": "there is an item at least, and it begins",
        "all_of_it_in_a_thread: or None, line 11": "there is an item at least, and it begins",
        "all_of_it_in_a_thread: or None, line 13": "there is an item at least, and it begins",
        "with_submit: each once, line 5": "the items are all different",
        "with_run_in_executor: each once, line 5": "the items are all different",
        "all_of_it_in_a_thread: each once, line 5": "the items are all different",
        "by_two_tasks: other exceptions, line 16": "`work` never fails",
    }

    @right
    async def with_submit(work, items, seconds):
        """Return {item: work(item)} of all that were begun within `seconds`."""
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @right
    async def with_run_in_executor(work, items, seconds):
        loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(2)
        jobs = {item: loop.run_in_executor(pool, work, item) for item in items}
        await asyncio.wait(jobs.values(), timeout=seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        await asyncio.wait(jobs.values())
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @right
    async def by_two_tasks(work, items, seconds):
        loop, results, rest = asyncio.get_running_loop(), {}, iter(items)
        ends = loop.time() + seconds

        async def worker():
            for item in rest:
                if loop.time() > ends:
                    break
                results[item] = await loop.run_in_executor(pool, work, item)

        with ThreadPoolExecutor(2) as pool:  # nothing is under way any more at its end
            await asyncio.gather(worker(), worker())
        return results

    @right
    async def all_of_it_in_a_thread(work, items, seconds):
        def in_the_manner_of_threads():
            with ThreadPoolExecutor(2) as pool:
                jobs = {item: pool.submit(work, item) for item in items}
                wait(jobs.values(), timeout=seconds)
                pool.shutdown(cancel_futures=True)
            return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

        return await asyncio.to_thread(in_the_manner_of_threads)

    @wrong("blocked", says="The end of a `with`")
    async def in_a_with_block(work, items, seconds):
        with ThreadPoolExecutor(2) as pool:
            jobs = {item: pool.submit(work, item) for item in items}
            await asyncio.sleep(seconds)
            for job in jobs.values():
                job.cancel()
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("blocked", says="`shutdown` waited")
    async def shuts_down_on_the_loop(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("blocked", says="`result` waited")
    async def asks_for_results_too_early(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(wait=False, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("losers", says="2 of the items")
    async def does_not_wait(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(wait=False, cancel_futures=True)
        return {
            item: job.result() for item, job in jobs.items() if job.done() and not job.cancelled()
        }

    @wrong("not async", says="Begin it with `async def`")
    def without_async(work, items, seconds):
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(items, pool.map(work, items[:4])))

    @wrong("lost items", says="there is no result")
    async def collects_before_the_end(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        results = {item: job.result() for item, job in jobs.items() if job.done()}
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return results

    @wrong("went on after the end", says="cancel_futures=True")
    async def waits_for_all(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown)
        return {item: job.result() for item, job in jobs.items()}

    @wrong("awaited the cancelled", says="not job.cancelled()")
    async def asks_the_cancelled(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items()}

    @wrong("lost items", says="there is no result")
    async def with_a_timeout_around_all(work, items, seconds):
        loop, pool, results = asyncio.get_running_loop(), ThreadPoolExecutor(2), {}

        async def one(item):
            results[item] = await loop.run_in_executor(pool, work, item)

        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for item in items:
                    group.create_task(one(item))
        except TimeoutError:
            pass
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return results

    @wrong("blocked", says="every 10 ms")
    async def waits_in_the_manner_of_threads(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        wait(jobs.values(), timeout=seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("sequential", says="two threads can do two")
    async def one_at_a_time(work, items, seconds):
        pool, results = ThreadPoolExecutor(2), {}
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        for item in items:
            if loop.time() > ends:
                break
            results[item] = await loop.run_in_executor(pool, work, item)
        await asyncio.to_thread(pool.shutdown)
        return results

    @wrong("limit", says="threads worked on the items")
    async def a_thread_each(work, items, seconds):
        pool = ThreadPoolExecutor(len(items))
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}


class Bench:
    """Notes what is done to the items, and what of a pool blocks the loop.

    begun: items, in order. working, most: at work now, and at once at most. hands: the threads
    that worked. given_up: jobs at work whose futures on the loop were cancelled. shutdowns: calls
    of it. blocked: (what, place) of the first call that waited on a
    loop's thread, or None. most_unseen: most items that came to their end between two turns of a
    task beside it, while the loop's thread was busy with something else than its own waiting.
    slow_to_shut_down: whether more items begin while a thread is about to shut the pool down.
    """

    def __init__(self, slow_to_shut_down=False):
        self.slow_to_shut_down = slow_to_shut_down
        self.begun, self.working, self.most = [], 0, 0
        self.shutdowns, self.blocked, self.on_the_loop = 0, None, False
        self.unseen = self.most_unseen = self.given_up = 0
        self.hands, self.loops_own = set(), threading.get_ident()
        self.lock = threading.Lock()

    async def tick(self):
        while True:
            await asyncio.sleep(0.01)
            self.unseen = 0

    def work(self, item):
        with self.lock:
            self.begun.append(item)
            self.working += 1
            self.hands.add(threading.current_thread())
            self.most = max(self.most, self.working)
            self.on_the_loop |= _on_a_loop()
        time.sleep(0.1)
        with self.lock:
            self.working -= 1
            # A loop that waits stands in its selector. Beside a busy machine it may stand there for
            # long before it has its turn, and that is nobody's fault.
            if not sys._current_frames()[self.loops_own].f_code.co_name.endswith("select"):
                self.unseen += 1
                self.most_unseen = max(self.most_unseen, self.unseen)
        return item.upper()

    def let_more_begin(self):
        """Wait until another item has begun, as may happen when a thread is slow to start."""
        begun, ends = len(self.begun), time.monotonic() + 0.3
        while len(self.begun) == begun and self.working and time.monotonic() < ends:
            time.sleep(0.001)

    def watched(self, lab):
        """A context in which the calls of a pool that may block are looked at."""
        shutdown, result, cancel = ThreadPoolExecutor.shutdown, Future.result, Future.cancel

        def note(what):
            on_loop = _on_a_loop()
            if on_loop and self.working and not self.blocked:
                self.blocked = what, lab.text.of_frame(sys._getframe(2))

        def watched_shutdown(pool, wait=True, *, cancel_futures=False):
            self.shutdowns += 1
            if cancel_futures and self.slow_to_shut_down and not _on_a_loop():
                self.let_more_begin()
            if wait:
                note("shutdown")
            return shutdown(pool, wait, cancel_futures=cancel_futures)

        def watched_result(future, timeout=None):
            if not future.done():
                note("result")
            return result(future, timeout)

        def watched_cancel(future):
            # The loop passes a cancellation on in a turn of its own, outside of the answer.
            if future.running() and lab.text.of_frame(sys._getframe(1)) is None:
                self.given_up += 1
            return cancel(future)

        stack = contextlib.ExitStack()
        stack.enter_context(mock.patch.object(Future, "cancel", watched_cancel))
        stack.enter_context(mock.patch.object(ThreadPoolExecutor, "shutdown", watched_shutdown))
        stack.enter_context(mock.patch.object(Future, "result", watched_result))
        return stack


def _on_a_loop():
    return asyncio._get_running_loop() is not None


def _instead_of(what, place, lab):
    """What to try where a pool's call waited on the loop's thread."""
    hand_over = "Hand the waiting to a thread: `await asyncio.to_thread(pool.shutdown, …)`."
    if what == "result":
        return f"A result that isn't there yet is waited for. {hand_over} Ask for results after it."
    if place and "shutdown" in lab.text.code(*place):
        return hand_over
    return f"The end of a `with` around a pool is a `shutdown`. {hand_over}"
