import ast
import asyncio
import threading
import time
from decimal import Decimal

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, nodes_of_block, own_nodes

MOST_IN_A_ROW = 10
CLOCKS = ("perf_counter*", "monotonic*", "time", "time_ns", "process_time*", "thread_time*")


ALL_READY = (
    "makes all of them ready at once",
    "Each pauses after its own calls, but the loop first runs the first calls of all that are "
    "ready. Do ten, pause, and begin the next ten only then.",
)
NO_PAUSE = (
    "starts tasks that never pause",
    "Tasks that never pause run right after one another. Do ten, pause, and begin the next ten "
    "only then.",
)


class InSlices(Exercise):
    """Work in slices

    `weigh(item)` is an ordinary function. It computes for a moment and returns a number, of any
    type. It is not made for several threads, so call it from this thread only.

    Write a coroutine function `add_up(weigh, items)`: it returns the sum of `weigh(item)` over all
    items. After at most 10 calls, all other tasks that are ready on the loop have a turn.
    """

    id = "slices-1"
    asks = "add_up"
    minutes, clock = 6, "real"  # a virtual one never jumps beside a task that is always ready
    limit = 6  # who sleeps for some milliseconds after each item is right, too
    hints = (
        "What gives the others a turn? Only an `await` that really pauses.",
        "`await asyncio.sleep(0)` pauses for one turn of the loop.",
        "Count the calls, with `enumerate`, and pause after every tenth.",
    )

    def verify(self, add_up, lab):
        lab.told("with no items")
        lab.equal(lab.run(add_up, Scale().weigh, []).result, 0)
        scale = Scale()
        lab.told("with 100 items")

        async def main():
            other = asyncio.create_task(scale.others())
            try:
                return await add_up(scale.weigh, list(range(100)))
            finally:
                other.cancel()

        run = lab.run(main(), step=30)
        if scale.elsewhere:
            raise Wrong(
                "wrong thread",
                f"`weigh` was called {scale.elsewhere} times from "
                "another thread, and it is not made for that.",
                lab.call_of("to_thread", "run_in_executor", "Executor", "Thread"),
                "Stay in this thread, and pause between the calls.",
                headline="another thread",
            )
        if scale.calls < 100:
            raise Wrong(
                "lost items",
                f"`weigh` was called {scale.calls} times for 100 items, in this process.",
                lab.call_of("Process", "*Executor") or lab.call_of("weigh"),
                "Weigh each item once, here.",
                headline="not all of them",
            )
        if scale.most > MOST_IN_A_ROW:
            turns = (
                "the others never had a turn" if scale.most >= 100 else "then the others had a turn"
            )
            line, try_ = (
                lab.use_of("weigh"),
                "Pause after every tenth call: `await asyncio.sleep(0)`.",
            )
            at = ""
            if scale.most < 100 and (asked := lab.condition()):
                line, at = asked, "decides when the others have a turn"
            if sleeps := lab.call_of("time.sleep"):
                line, try_ = (
                    sleeps,
                    "`time.sleep(0)` lets other threads run. The tasks of this "
                    "loop need an `await` that pauses.",
                )
            elif tasks := lab.call_of("gather", "create_task") or lab.call_of("TaskGroup"):
                (at, try_), line = ALL_READY if lab.call_of("*.sleep") else NO_PAUSE, tasks
            elif scale.most >= 100 and (skipped := _skipped_pause(lab)):
                line, at = skipped, "decides when the others have a turn"
            elif scale.most >= 100 and (waits := lab.await_of(besides="sleep")):
                line, at = waits, "awaits what never pauses"
            if line in _asking_the_time(lab):
                try_ = (
                    "Count the calls, not the time: when `weigh` is quick, far more than 10 of "
                    "them fit in a moment."
                )
            raise Wrong(
                "hog",
                f"`weigh` was called {scale.most} times in a row, {turns}.",
                line,
                try_,
                at=at,
            )
        lab.equal(run.result, sum(range(100)))

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from(["", None, "a", "b"]), max_size=24),
            "weights": some.sampled_from([(0, 0, 0, 0), (2, 5, 3, -3), (1, 7, 0.5, 0)]),
        },
        besides=[
            *(
                {"items": ["a"] * size, "weights": (0, 0, 0.3, 2)}
                for size in (1, 9, 10, 11, 20, 25)
            ),
            {"items": ["a", "b"], "weights": (0, 0, Decimal("0.5"), Decimal("2.5"))},
        ],
        most=8,
    )
    def any_items(self, add_up, lab, items, weights):
        weights = dict(zip(["", None, "a", "b"], weights))
        weights = {item: weights[item] for item in items}
        scale = Scale(weights)
        lab.told(f"with the items {items}, whose weights are {weights}")

        async def main():
            others = [asyncio.create_task(scale.others()) for _ in range(2)]
            try:
                return await lab.awaitable(add_up(scale.weigh, items))
            finally:
                for other in others:
                    other.cancel()

        run = lab.run(main(), step=30)
        if run.error:
            raise run.error
        if scale.calls < len(items) and run.result != sum(weights[item] for item in items):
            skipped = [item for item in weights if not item and item not in scale.asked]
            if skipped and (test := lab.truth_test().line or lab.operation("is", "is not")):
                raise Wrong(
                    "lost items",
                    f"`weigh` was never called for {listed(map(repr, skipped))}.",
                    test,
                    "An item may be anything: ask for each of them what it weighs.",
                    headline="not all of them",
                    at="leaves some items out",
                )
            raise Wrong(
                "lost items",
                f"`weigh` was called {scale.calls} times for {len(items)} items.",
                lab.call_of("set", "frozenset", "fromkeys") or lab.call_of("range", "islice"),
                "Weigh each item, those that are alike too, and those of the last slice, which may "
                "be a short one.",
                headline="not all of them",
            )
        if scale.most > MOST_IN_A_ROW:
            raise Wrong(
                "hog",
                f"`weigh` was called {scale.most} times in a row, and the others had no turn in "
                "between.",
                lab.operation("%") or lab.call_of("weigh"),
                "Pause after every tenth call: `await asyncio.sleep(0)`.",
            )
        return run.result

    @right
    async def every_tenth(weigh, items):
        """Return the sum of `weigh(item)`; let the others have turns in between."""
        total = 0
        for number, item in enumerate(items, 1):
            total += weigh(item)
            if number % 10 == 0:
                await asyncio.sleep(0)
        return total

    @right
    async def after_each(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            await asyncio.sleep(0)
        return total

    @right
    async def by_slices(weigh, items):
        total = 0
        for first in range(0, len(items), 10):
            total += sum(weigh(item) for item in items[first : first + 10])
            await asyncio.sleep(0)
        return total

    @right
    async def with_a_real_sleep(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            await asyncio.sleep(0.01)
        return total

    @wrong("not async", says="async def")
    def as_a_plain_function(weigh, items):
        return sum(weigh(item) for item in items)

    in_one_go = as_a_plain_function.but("def", "async def", kind="hog", says="100 times in a row")

    @wrong("hog", says="never had a turn")
    async def awaits_what_never_pauses(weigh, items):
        async def one(item):
            return weigh(item)

        return sum([await one(item) for item in items])

    @wrong("hog", says="Tasks that never pause")
    async def with_gather(weigh, items):
        async def one(item):
            return weigh(item)

        return sum(await asyncio.gather(*(one(item) for item in items)))

    sleeps_the_thread = after_each.but(
        "await asyncio.sleep(0)", "time.sleep(0)", kind="hog", says="lets other threads run"
    )

    @wrong("hog", says="50 times in a row")
    async def too_rarely(weigh, items):
        total = 0
        for number, item in enumerate(items, 1):
            total += weigh(item)
            if number % 50 == 0:
                await asyncio.sleep(0)
        return total

    forgets_to_await = after_each.but(
        "await asyncio.sleep(0)", "asyncio.sleep(0)", kind="not awaited", says="sleep"
    )

    @wrong("wrong thread", says="100 times from another thread")
    async def in_a_thread(weigh, items):
        return await asyncio.to_thread(lambda: sum(weigh(item) for item in items))

    counts_them = after_each.but(
        "total += weigh(item)", "weigh(item)\ntotal += 1", kind="value", says="100"
    )


class Scale:
    """Counts calls of `weigh`: all, most of them in a row, and those from another thread.

    weights: what each item weighs; else it is the item itself. asked: the items, each once.
    """

    def __init__(self, weights=None):
        self.weights = weights
        self.thread = threading.get_ident()
        self.calls = self.row = self.most = self.elsewhere = 0
        self.asked = set()

    def weigh(self, item):
        self.calls += 1
        self.asked.add(item)
        self.row += 1
        self.most = max(self.most, self.row)
        self.elsewhere += threading.get_ident() != self.thread
        return item if self.weights is None else self.weights[item]

    async def others(self):
        while True:
            self.row = 0
            await asyncio.sleep(0)


def _skipped_pause(lab):
    """The `if` of a loop that had an await under it, and never came to that; or None."""
    return lab.earliest(
        *(
            node.test.lineno
            for loop in lab.nodes()
            if isinstance(loop, (ast.For, ast.While))
            for node in own_nodes(loop)
            if isinstance(node, ast.If)
            for part in nodes_of_block(node.body)
            if isinstance(part, ast.Await) and not lab.has_run(part.lineno)
        )
    )


def _asking_the_time(lab):
    """The lines of each `if` that asks a clock, itself or by a name that was given its time."""
    nodes = lab.nodes()
    names = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _asks_a_clock(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return {
        node.test.lineno
        for node in nodes
        if isinstance(node, ast.If)
        if _asks_a_clock(node.test)
        or any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node.test))
    }


def _asks_a_clock(expression):
    return any(
        isinstance(part, ast.Call) and is_named(part.func, CLOCKS) for part in ast.walk(expression)
    )
