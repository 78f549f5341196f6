"""Long, for a consumer begins too much, too little or too late in many ways."""

import ast
import asyncio
from collections import Counter

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import own_nodes

from .shared import SOON, now

ONCE_OR_TWICE = {1: "", 2: "twice "}


class Details:
    """What has to be done with each number: it notes when each begins and ends.

    calling: gives the learner's place of the call. peak_place: that with which there were most.
    """

    def __init__(self, seconds, calling):
        self.seconds, self.calling = seconds, calling
        self.begun, self.ended = {}, {}
        self.peak, self.peak_place = 0, None
        self.wrong = None  # raised after the run: the answer's own TaskGroup would wrap it up

    async def details(self, number):
        if number in self.begun:
            self.wrong = self.wrong or Wrong(
                "done twice",
                f"`details` was called twice with {number!r}.",
                try_="An item that was taken from the queue is done once.",
                headline="did one twice",
            )
        elif number not in self.seconds:
            self.wrong = self.wrong or Wrong(
                "end signal",
                f"`details` was called with {number!r}.",
                try_="Look at what you got before you begin with it.",
                headline="did the sentinel",
            )
        else:
            self.begun[number] = now()
            if len(self.begun) - len(self.ended) > self.peak:
                self.peak, self.peak_place = self.peak + 1, self.calling()
            await asyncio.sleep(self.seconds[number])
            self.ended[number] = now()


class Taken(asyncio.Queue):
    """A queue that notes how many items at most had been taken and were not done yet.

    ended: holds what is done.
    """

    def __init__(self, ended):
        super().__init__()
        self.ended = ended
        self.taken = self.ahead = 0

    def get_nowait(self):
        item = super().get_nowait()
        if item is not None:
            self.taken += 1
            self.ahead = max(self.ahead, self.taken - len(self.ended))
        return item


class Unlike(dict):
    """The seconds of each number, which are others each time: a second call may end first."""

    def __init__(self, waits):
        super().__init__(enumerate(waits))
        self.asked = Counter()

    def __getitem__(self, number):
        self.asked[number] += 1
        return super().__getitem__((number + self.asked[number] - 1) % len(self))


class Consumer(Exercise):
    """A consumer without batches

    This is what the published consumer of the lesson does:

        while consumer_active:
            await asyncio.sleep(0.05)
            ...                          # take all that is in the queue, until None comes
            await asyncio.gather(*(details(number) for number in batch))

    Write a better `consumer(queue, details, at_most)`. It takes numbers from `queue` until it gets
    `None`, calls `await details(number)` for each, and returns when all have ended. A number
    begins as soon as it is in the queue and fewer than `at_most` are in flight. Numbers that can't
    begin yet stay in the queue; your code may hold one of them.

    The same number may come twice, and is done twice; the second time may be quicker. `details`
    never fails here: failing items are the subject of the next exercise.
    """

    id = "consumer-1"
    equivalent = {
        "with_a_semaphore: finally for errors, line 8": "who is cancelled wants no place any more",
    }
    asks = "consumer"
    minutes = 10
    hints = (
        "What wakes you as soon as something is in the queue?",
        "Either `at_most` workers, who pass the `None` on to each other, or a semaphore.",
        "With a semaphore: acquire a place *before* you take a number; give it to a task in a "
        "TaskGroup, and release it when that task is done.",
    )

    arrivals = ((0, 1), (0, 2), (0.1, 3), (0.2, 4), (0.3, 5), (0.4, 6), (1.9, 7), (5, 8), (5.01, 9))
    seconds = {1: 3, 2: 1.003, 3: 1.007, 4: 0.504, 5: 1.006, 6: 0.503, 7: 1, 8: 1, 9: 1}

    def verify(self, consumer, lab):
        for at_most in (3, 1):
            lab.told(
                f"with `at_most={at_most}`; the numbers 1 to 9 came at "
                + ", ".join(f"{when:g}" for when, _ in self.arrivals)
                + " s"
            )
            details = Details(self.seconds, lab.calling)
            queue = Taken(details.ended)
            try:
                lab.run(self._play(consumer, queue, details.details, self.arrivals, at_most))
            except Exception as error:
                if details.wrong is None:
                    if getattr(error, "kind", "") == "leaked" and (leaving := _leaving(lab)):
                        error.line, error.at = leaving, "leaves while they still run"
                        error.try_ = (
                            "`None` says that no more will come. Await the tasks of all that has "
                            "begun; a TaskGroup awaits all that it has started."
                        )
                    raise
            if details.wrong is not None:
                raise details.wrong
            if queue.taken < len(self.seconds):
                raise Wrong(
                    "stopped early",
                    f"It returned when {queue.taken} of "
                    f"{len(self.seconds)} numbers had come, and `None` had not.",
                    lab.call_of("*empty*", "wait_for", "timeout") or lab.looping(),
                    "An empty queue says that nothing is there now, not that no more will "
                    "come. `None` says that.",
                    headline="ended too early",
                )
            lost = self.seconds.keys() - details.ended.keys()
            if lost:
                raise Wrong(
                    "lost items",
                    f"When it returned, {len(lost)} of {len(self.seconds)} were not done.",
                    lab.call_of("cancel") or lab.literal(None),
                    "`None` says that no more will come. What has begun must end first.",
                )
            lab.limited(details.peak, at_most, "numbers", details.peak_place)
            if at_most > 1:
                self._look_for_delay(lab, details, at_most)
            self._look_for_a_second_queue(lab, queue, at_most)

    @sweep(
        lambda some: {
            "arrivals": some.lists(
                some.tuples(some.sampled_from((0, 0.3, 1.9)), some.integers(0, 3)), max_size=6
            ),
            "waits": some.permutations((0.71, 1.13, 2.3, 3.7)),
            "at_most": some.integers(1, 3),
        },
        besides=[
            {"arrivals": [(0, 1)] * 1100, "waits": [1] * 4, "at_most": 100},
            {"arrivals": [(0, 1), (0, 1)], "waits": (0.71, 3.7, 1.13, 2.3), "at_most": 3},
        ],
        most=24,
    )
    def any_numbers(self, consumer, lab, arrivals, waits, at_most):
        details, begun, when = lab.service(Unlike(waits), name="details"), [], 0
        queue, times = Taken(details.finished), []
        for gap, number in arrivals:
            times.append((when := when + gap, number))

        async def noted(number):
            begun.append((number, round(now(), 6)))
            await details(number)

        noted.__name__ = noted.__qualname__ = "details"

        numbers = [number for _, number in arrivals]
        came = [
            f"number {number} came {ONCE_OR_TWICE.get(often, f'{often:,} times ')}at {when:g} s"
            for (when, number), often in Counter(times).items()
        ]
        lab.told(f"with `at_most={at_most}`; {', '.join([*came, 'then `None`'])}")
        try:
            run = lab.run(self._play(consumer, queue, noted, times, at_most))
        except Wrong as found:
            alike = lab.alike()
            if found.kind == "leaked" and alike.line and len(set(numbers)) < len(numbers):
                found.line, found.at = alike.line, alike.at
                found.try_ = (
                    "The same number may come again while its first task still runs. Keep the "
                    "tasks in a list or a set."
                )
            raise
        self._look_for_a_second_queue(lab, queue, at_most)
        if details.peak > at_most and len(set(numbers)) < len(numbers):
            self._counts_by_number(consumer, lab, details.peak, times, waits, at_most)
        again = Counter(numbers) - Counter(details.calls)
        if not run.error and again and again.keys() <= set(details.calls):
            alike = lab.alike()
            raise Wrong(
                "lost items",
                f"Number {min(again)} came more than once, and was done fewer times than it came.",
                alike.line,
                "The same number may come again, and is done again.",
                headline="left out a number that came before",
                at=alike.at,
            )
        return {
            "": lab.seen(run, details),
            "the numbers began, each with its moment, as": sorted(begun),
        }

    def _counts_by_number(self, consumer, lab, peak, times, waits, at_most):
        """Raise Wrong if the limit holds as soon as no number comes twice."""
        other = lab.service(max(waits))
        unlike = [(when, number) for number, (when, _) in enumerate(times)]
        lab.run(self._play(consumer, asyncio.Queue(), other, unlike, at_most))
        if other.peak <= at_most:
            alike = lab.alike()
            raise Wrong(
                "limit",
                f"{peak} calls of `details` were in flight at once; at most {at_most} may be. "
                "Where no number comes twice, the limit holds.",
                alike.line,
                "The same number may come again while the first is in flight: both count. Keep "
                "the tasks in a set, or take a semaphore.",
                at=alike.at,
            )

    def _look_for_a_second_queue(self, lab, queue, at_most):
        if queue.ahead > at_most + 1:
            raise Wrong(
                "unbounded",
                f"{queue.ahead} numbers had been taken from the queue and were not done; at most "
                f"{at_most + 1} may be: {at_most} in flight, and one that you hold.",
                lab.call_of("create_task", "ensure_future"),
                "A task for each number that waits for its place is a second queue, and nothing "
                "bounds that one. Get a place first, then take a number.",
                headline="took more than it can begin",
            )

    async def _play(self, consumer, queue, details, arrivals, at_most):
        async def produce():
            for when, number in arrivals:
                await asyncio.sleep(when - now())
                await queue.put(number)
            await queue.put(None)

        producing = asyncio.create_task(produce())
        await consumer(queue, details, at_most)
        producing.cancel()

    def _look_for_delay(self, lab, details, at_most):
        free, late = [0.0] * at_most, {}
        for when, number in self.arrivals:
            earliest = free.index(min(free))
            best = max(when, free[earliest])
            free[earliest] = best + self.seconds[number]
            if details.begun[number] > best + SOON:
                late[number] = best
        for number, best in late.items():
            begun = details.begun[number]
            others = [n for n in details.begun if n != number and details.begun[n] < begun]
            there = [n for n in others if details.ended[n] > best + SOON]
            seen = (
                f"The call for number {number} could begin at {best:g} s, and began at {begun:g} s"
            )
            if details.peak == 1:
                raise Wrong(
                    "sequential",
                    f"{seen}: one after another.",
                    lab.await_of("details"),
                    "Give each number to a task or a worker, and take the next one as soon as a "
                    "place is free.",
                )
            if there and all(details.ended[n] <= begun + SOON for n in others):
                raise Wrong(
                    "batch barrier",
                    f"{seen}, when all that were in flight had ended.",
                    lab.await_of("popleft", "pop") or lab.call_of("gather", "TaskGroup", "wait"),
                )
        for number, best in late.items():
            raise Wrong(
                "polling",
                f"The call for number {number} could begin at {best:g} s, "
                f"and began at {details.begun[number]:g} s.",
                lab.call_of("sleep"),
                "`await queue.get()` wakes as soon as something is there; a semaphore, or "
                "`asyncio.wait`, as soon as a place is free.",
                headline="looked instead of waiting",
            )

    @right
    async def with_workers(queue, details, at_most):
        """Call `details` for each number in `queue` until None comes, so many at once."""

        async def worker():
            while (number := await queue.get()) is not None:
                await details(number)
            await queue.put(None)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @right
    async def with_a_semaphore(queue, details, at_most):
        places = asyncio.Semaphore(at_most)

        async def one(number):
            try:
                await details(number)
            finally:
                places.release()

        async with asyncio.TaskGroup() as group:
            while True:
                await places.acquire()
                if (number := await queue.get()) is None:
                    break
                group.create_task(one(number))

    @right
    async def waits_for_the_first(queue, details, at_most):
        tasks = set()
        while (number := await queue.get()) is not None:
            if len(tasks) == at_most:
                done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            tasks.add(asyncio.create_task(details(number)))
        if tasks:
            await asyncio.wait(tasks)

    @wrong("batch barrier", says="when all that were in flight had ended")
    async def as_published(queue, details, at_most):
        active = True
        while active:
            await asyncio.sleep(0.05)
            batch = []
            while not queue.empty() and len(batch) < at_most:
                if (number := await queue.get()) is not None:
                    batch.append(number)
                else:
                    active = False
            await asyncio.gather(*(details(number) for number in batch))

    @wrong("batch barrier", says="when all that were in flight had ended")
    async def batches_without_a_poll(queue, details, at_most):
        active = True
        while active:
            batch = [await queue.get()]
            while not queue.empty() and len(batch) < at_most:
                batch.append(queue.get_nowait())
            active = None not in batch
            async with asyncio.TaskGroup() as group:
                for number in batch:
                    if number is not None:
                        group.create_task(details(number))

    @wrong("limit", says="at most 3 may be")
    async def all_of_them(queue, details, at_most):
        async with asyncio.TaskGroup() as group:
            while (number := await queue.get()) is not None:
                group.create_task(details(number))

    @wrong("unbounded", says="is a second queue")
    async def a_task_for_each(queue, details, at_most):
        places = asyncio.Semaphore(at_most)

        async def one(number):
            async with places:
                await details(number)

        async with asyncio.TaskGroup() as group:
            while (number := await queue.get()) is not None:
                group.create_task(one(number))

    @wrong("polling", says="number 1 could begin at 0 s")
    async def workers_that_poll(queue, details, at_most):
        ended = False

        async def worker():
            nonlocal ended
            while not ended:
                if queue.empty():
                    await asyncio.sleep(0.05)
                elif (number := queue.get_nowait()) is None:
                    ended = True
                else:
                    await details(number)

        await asyncio.sleep(0.05)
        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    @wrong("polling", says="wakes as soon as")
    async def looks_for_a_place(queue, details, at_most):
        tasks = []
        while (number := await queue.get()) is not None:
            while sum(not task.done() for task in tasks) == at_most:
                await asyncio.sleep(0.01)
            tasks.append(asyncio.create_task(details(number)))
        await asyncio.gather(*tasks)

    @wrong("stopped early", says="`None` says that")
    async def until_it_is_empty(queue, details, at_most):
        async def worker():
            while not queue.empty():
                await details(await queue.get())

        async with asyncio.TaskGroup() as group:
            for _ in range(at_most):
                group.create_task(worker())

    does_the_sentinel = until_it_is_empty.but(
        "not queue.empty()", "True", kind="end signal", says="called with None"
    )

    @wrong("lost items", says="What has begun must end first")
    async def ends_at_the_first_sentinel(queue, details, at_most):
        async def worker():
            while (number := await queue.get()) is not None:
                await details(number)

        workers = [asyncio.create_task(worker()) for _ in range(at_most)]
        await asyncio.wait(workers, return_when=asyncio.FIRST_COMPLETED)
        for each in workers:
            each.cancel()

    @wrong("sequential", says="one after another")
    async def one_after_another(queue, details, at_most):
        while (number := await queue.get()) is not None:
            await details(number)

    keeps_the_sentinel = with_workers.but(
        "await queue.put(None)", "", kind="one sentinel", says="ended, 2 more still waited"
    )


def _leaving(lab):
    """The one `return` or `break` in the endless loop that ends the consumer, if that is the only
    way out; or None.
    """
    for function in lab.nodes():
        if not isinstance(function, ast.AsyncFunctionDef) or function.name != lab.asks:
            continue
        leaves = [node for node in own_nodes(function) if isinstance(node, (ast.Return, ast.Break))]
        loop = function.body[-1]
        if isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and len(leaves) == 1:
            return leaves[0].lineno
    return None
