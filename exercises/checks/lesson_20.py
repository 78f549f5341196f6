"""Exercises of lesson 20: tests that take no time and are steady, and programs that hang."""

import asyncio
import contextlib
import itertools
import time
from contextlib import AsyncExitStack

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

LET_IT_PASS = "Let it pass: no `except` that keeps it, and no `return` in a `finally`."


def verdict(lab, *what):
    """The error with which a test fails, or None if it passes."""
    try:
        lab.run(*what, leaks=True, blocks=True)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Wrong:
        return None  # the test itself came to its end
    except BaseException as error:  # pytest.fail raises no Exception
        return error
    finally:
        lab.lost = []  # what a broken thing loses is no fault of the test
        lab.unawaited.clear()
    return None


def must_pass(lab, what, *call):
    """Run a test that has to pass; what makes it fail is told as such."""
    try:
        run = lab.run(*call)
    except BaseException as error:
        kind = type(error).__name__
        if kind not in ("AssertionError", "TimeoutError", "Failed"):
            raise  # Failed is what pytest.fail and pytest.raises raise
        if lab.blocks:
            blocked, length, place = lab.blocks[0]
            raise Wrong(
                "blocked",
                f"{blocked} was called on the loop's own thread, and no timer "
                f"could ring for {length:g} s.",
                place,
            ) from None
        place = lab.text.of_traceback(error)
        says = f" It says: {error}." if str(error) else ""
        raised = "" if kind == "AssertionError" else f" with a {kind}"
        if lab.line(r"\bpatch"):
            try_ = (
                "A stand-in takes the waiting away, and the clock stands still. Here the clock "
                "jumps by itself."
            )
        elif lab.line(r"\b(perf_counter|monotonic|time\.time)\b"):
            try_ = (
                "The clock of the computer does not go along with virtual time. Ask that of "
                "the loop: `asyncio.get_running_loop().time()`."
            )
        else:
            try_ = "What did the test expect there that nobody promised?"
        raise Wrong(
            "fails the right one",
            f"{what}, and your test failed all the same{raised}.{says}",
            place and place[1],
            try_,
        ) from None
    if run.result is not None:
        raise Wrong(
            "returned its verdict",
            f"Your test returned {run.result!r}. Nobody looks at "
            "what a test returns: it fails by an error.",
            lab.line(r"\breturn\b"),
            "`assert` it instead.",
        )
    return run


class TimeoutTest(Exercise):
    """A test of thirty seconds that takes no time

    `order(kitchen)` calls the coroutine function `kitchen` and awaits it. This is promised:

    - What the kitchen returns is returned, as soon as it is there.
    - After 30 s without it, `order` returns "the guest left", and the kitchen is cancelled.
    - An error of the kitchen comes out.

    Write the test: `async def test_order(order)`. It passes (returns) if `order` keeps all of
    that, and fails (raises any error) if not. My wrong ones may be wrong by one second. The test
    runs on virtual time, on a loop of its own, whose clock is
    `asyncio.get_running_loop().time()`.
    """

    id = "thirty-1"
    asks = "test_order"
    minutes = 12
    hints = (
        "Give `order` kitchens of your own making: one that is a little quicker than 30 s, one "
        "that is a little slower, one that fails.",
        "After each order, ask the clock: when did it come back? Let the kitchen note in a list "
        "how it ended; a cancelled one meets a CancelledError.",
        'async def kitchen(): await asyncio.sleep(29); return "soup", and then assert that it is '
        "soup and that 29 s have passed. Likewise with 31, after which 30 have passed. For the "
        "error: `try`, `except` that error, and `else` an assert that fails.",
    )

    def verify(self, test_order, lab):
        lab.told("with an `order` that keeps its promises")
        run = must_pass(lab, "This `order` keeps its promises", test_order, self.good)
        if run.elapsed > 3600:
            raise Wrong(
                "waits too long",
                f"Your test took {run.elapsed:g} s of virtual time.",
                try_="An hour is plenty.",
            )
        for order, what in self.BROKEN:
            if verdict(lab, test_order, order) is None:
                raise Wrong(
                    "passes a broken one",
                    f"I gave your test an `order` {what}, and it passed.",
                    try_="Which line of your test should have failed there?",
                )

    @staticmethod
    async def good(kitchen):
        try:
            async with asyncio.timeout(30):
                return await kitchen()
        except TimeoutError:
            return "the guest left"

    async def never(kitchen):
        return await kitchen()

    async def late(kitchen):
        try:
            return await asyncio.wait_for(kitchen(), 31)
        except TimeoutError:
            return "the guest left"

    async def early(kitchen):
        try:
            return await asyncio.wait_for(kitchen(), 29)
        except TimeoutError:
            return "the guest left"

    async def unkind(kitchen):
        await asyncio.wait({task := asyncio.ensure_future(kitchen())}, timeout=30)
        task.cancel()
        return "the guest left"

    async def forgetful(kitchen):
        try:
            async with asyncio.timeout(30):
                await kitchen()
        except TimeoutError:
            return "the guest left"

    async def raising(kitchen):
        async with asyncio.timeout(30):
            return await kitchen()

    async def wasteful(kitchen):
        task = asyncio.ensure_future(kitchen())
        done, _ = await asyncio.wait({task}, timeout=30)
        return task.result() if done else "the guest left"

    async def patient(kitchen):
        task = asyncio.ensure_future(kitchen())
        await asyncio.sleep(30)
        if task.done():
            return task.result()
        task.cancel()
        return "the guest left"

    async def silent(kitchen):
        try:
            async with asyncio.timeout(30):
                return await kitchen()
        except Exception:
            return "the guest left"

    BROKEN = (
        (never, "that never times out"),
        (late, "that waits for 31 s"),
        (early, "that waits for only 29 s"),
        (unkind, 'that says "the guest left" even if the soup came in time'),
        (forgetful, "that returns None where the kitchen returned something"),
        (raising, "that lets a TimeoutError out after 30 s"),
        (patient, "that always waits for 30 s, even if the kitchen is quicker"),
        (silent, 'that says "the guest left" where the kitchen raised an error'),
        (wasteful, "that leaves the kitchen cooking when the guest has left"),
    )

    @right
    async def both_sides(order):
        """Pass if `order` keeps its promises, fail if it does not."""
        clock, cancelled = asyncio.get_running_loop(), []

        async def kitchen(seconds):
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                cancelled.append(seconds)
                raise
            return "soup"

        async def fails():
            raise LookupError("no soup")

        assert await order(lambda: kitchen(29)) == "soup"
        assert clock.time() == 29
        assert await order(lambda: kitchen(31)) == "the guest left"
        assert clock.time() == 29 + 30
        assert cancelled == [31]
        try:
            await order(fails)
        except LookupError:
            return
        raise AssertionError("the error did not come out")

    @right
    async def by_the_list(order):
        clock, ended = asyncio.get_running_loop(), []
        soup = object()

        async def kitchen():
            try:
                await asyncio.sleep(seconds)
                if seconds < 20:
                    raise ZeroDivisionError
                return soup
            finally:
                ended.append(round(clock.time() - began, 3))

        results = []
        for seconds in (29.99, 30.01, 19):
            began = clock.time()
            try:
                results.append(await order(kitchen))
            except ZeroDivisionError:
                results.append("an error")
            assert round(clock.time() - began, 3) == min(seconds, 30)
        assert results == [soup, "the guest left", "an error"]
        assert ended == [29.99, 30, 19]

    @wrong("returned its verdict", says="True")
    async def returns_it(order):
        async def kitchen():
            await asyncio.sleep(31)

        return await order(kitchen) == "the guest left"

    @wrong("passes a broken one", says="never times out")
    async def quick_alone(order):
        async def kitchen():
            await asyncio.sleep(1)
            return "soup"

        assert await order(kitchen) == "soup"

    @wrong("passes a broken one", says="31 s")
    async def slow_alone(order):
        async def kitchen():
            await asyncio.sleep(60)

        assert await order(kitchen) == "the guest left"

    @wrong("passes a broken one", says="only 29 s")
    async def far_from_the_deadline(order):
        async def kitchen(seconds):
            await asyncio.sleep(seconds)
            return "soup"

        assert await order(lambda: kitchen(5)) == "soup"
        assert await order(lambda: kitchen(30.5)) == "the guest left"

    @wrong("passes a broken one", says="raised an error")
    async def no_error_asked_for(order):
        clock = asyncio.get_running_loop()

        async def kitchen(seconds):
            await asyncio.sleep(seconds)
            return "soup"

        assert await order(lambda: kitchen(29)) == "soup"
        assert clock.time() == 29
        assert await order(lambda: kitchen(31)) == "the guest left"
        assert clock.time() == 59

    @wrong("passes a broken one", says="leaves the kitchen cooking")
    async def not_asked_who_goes_on(order):
        clock = asyncio.get_running_loop()

        async def kitchen(seconds):
            await asyncio.sleep(seconds)
            return 1 / (seconds - 10)

        assert await order(lambda: kitchen(29)) == 1 / 19
        assert clock.time() == 29
        assert await order(lambda: kitchen(31)) == "the guest left"
        assert clock.time() == 59
        try:
            await order(lambda: kitchen(10))
        except ZeroDivisionError:
            return
        raise AssertionError

    @wrong("fails the right one", says="and your test failed all the same")
    async def expects_a_timeout_error(order):
        async def kitchen():
            await asyncio.sleep(31)

        try:
            await order(kitchen)
        except TimeoutError:
            return
        assert False, "no TimeoutError"

    @wrong("fails the right one", says="does not go along with virtual time")
    async def asks_the_computers_clock(order):
        async def kitchen():
            await asyncio.sleep(29)
            return "soup"

        began = time.perf_counter()
        assert await order(kitchen) == "soup"
        assert time.perf_counter() - began > 28

    @wrong("not awaited", says="order")
    async def never_awaits(order):
        async def kitchen():
            await asyncio.sleep(31)

        assert order(kitchen)


class Circle(Exercise):
    """Find the deadlock

    A program hangs. Somebody has written down who waits for whom: `waits` is a dict from the name
    of a task to the name of the task that it waits for, or to None if it waits for a timer or a
    socket.

    Write `find_circle(waits)`. It returns the set of the tasks that wait for each other in a
    circle; if there is none, the empty set. A task that waits for one in the circle hangs too,
    but it is not to blame, and does not belong to it. A task that waits for itself is a circle.
    There is at most one circle, and a name that has no entry of its own has ended.
    """

    id = "circle-1"
    asks = "find_circle"
    minutes = 10
    hints = (
        "Begin with any task and follow: whom does it wait for, and that one, and that one?",
        "Two ends are possible: None (no circle on this way), or a name that you have met before. "
        "The names met before may be a tail that leads into the circle.",
        "Begin with each task in turn. If you come back to the very one that you began with, the "
        "names on the way are the circle. Stop as well when you meet any name a second time.",
    )

    CASES = (
        ({"Ann": "Bob", "Bob": "Ann"}, {"Ann", "Bob"}),
        ({"Ann": "Bob", "Bob": "Cleo", "Cleo": "Ann"}, {"Ann", "Bob", "Cleo"}),
        ({"guest": "evening", "evening": "Ann", "Ann": None}, set()),
        ({"Ann": "Bob"}, set()),
        ({"guest": "evening", "evening": "Ann", "Ann": "Bob", "Bob": "Ann"}, {"Ann", "Bob"}),
        ({"guest": "Ann", "Ann": "Ann"}, {"Ann"}),
        (
            {"x": None, "guest": "Bob", "Bob": "Cleo", "Cleo": "Dan", "Dan": "Bob", "cat": "Dan"},
            {"Bob", "Cleo", "Dan"},
        ),
        ({}, set()),
    )

    def verify(self, find_circle, lab):
        for waits, circle in self.CASES:
            lab.told(f"with {waits}")
            got = find_circle(dict(waits))
            if isinstance(got, (list, tuple, frozenset)):
                got = set(got)
            if not isinstance(got, set):
                lab.equal(got, circle)
            if circle and circle < got:
                raise Wrong(
                    "named the innocent",
                    f"It found {named(got)}. Of these, "
                    f"{named(got - circle)} can only wait for the circle.",
                    try_="Who ends when the circle is broken at one place? Those in the "
                    "circle are the ones to which the way comes back.",
                )
            if got and not circle:
                raise Wrong(
                    "saw a circle where there is none",
                    f"It found {named(got)}. Each way there ends: at a task "
                    "that waits for a timer, or at one that has ended.",
                    try_="None ends a way, and so does a name that has no entry.",
                )
            if circle - got:
                raise Wrong(
                    "missed the circle",
                    f"It found {named(got)}; "
                    + (
                        f"{named(circle)} waits for itself."
                        if len(circle) == 1
                        else f"{named(circle)} wait for each other in a circle."
                    ),
                    try_="Follow the way to its end, from each of the tasks.",
                )
            lab.equal(got, circle)

    @right
    def from_each(waits):
        """Return the set of the tasks that wait for each other in a circle."""
        for first in waits:
            way = [first]
            while (follows := waits.get(way[-1])) is not None and follows not in way:
                way.append(follows)
            if follows == first:
                return set(way)
        return set()

    @right
    def cut_the_tail(waits):
        for first in waits:
            way, name = [], first
            while name is not None and name not in way:
                way.append(name)
                name = waits.get(name)
            if name is not None:
                return set(way[way.index(name) :])
        return set()

    @wrong("named the innocent", says="evening, guest can only wait")
    def with_the_tail(waits):
        for first in waits:
            way, name = [], first
            while name is not None and name not in way:
                way.append(name)
                name = waits.get(name)
            if name is not None:
                return set(way)
        return set()

    @wrong("missed the circle", says="Ann, Bob, Cleo")
    def pairs_alone(waits):
        for one, other in waits.items():
            if waits.get(other) == one:
                return {one, other}
        return set()

    @wrong("missed the circle", says="found nobody")
    def from_the_first_alone(waits):
        if not waits:
            return set()
        first, way = next(iter(waits)), []
        name = first
        while name is not None and name not in way:
            way.append(name)
            name = waits.get(name)
        return set(way) if name == first else set()

    @wrong("spin")
    def until_it_comes_back(waits):
        for first in waits:
            way, name = [first], waits.get(first)
            while name is not None and name != first:
                way.append(name)
                name = waits.get(name)
            if name == first:
                return set(way)
        return set()

    @wrong("saw a circle where there is none", says="Each way there ends")
    def all_that_wait(waits):
        return {name for name, other in waits.items() if other is not None}

    @wrong("raised", says="KeyError")
    def no_get(waits):
        for first in waits:
            way, name = [], first
            while name is not None and name not in way:
                way.append(name)
                name = waits[name]
            if name == first:
                return set(way)
        return set()


def named(names):
    """Names in words: "Ann, Bob", or "nobody"."""
    return ", ".join(sorted(map(str, names))) or "nobody"


class ReadTree(Exercise):
    """Read who waits for whom

    This program seems to hang.

        async def sales(ready):
            await ready.wait()

        async def stock(lock):
            async with lock:
                await asyncio.sleep(36000)

        async def report(lock, ready):
            async with lock:
                ready.set()

        async def main():
            lock, ready = asyncio.Lock(), asyncio.Event()
            asyncio.create_task(stock(lock), name="stock")
            asyncio.create_task(report(lock, ready), name="report")
            await asyncio.create_task(sales(ready), name="sales")

    Somebody looked into it, with `links` of the lesson, and found this:

        main   -> main:16 -> task sales
        report -> report:9 -> Lock.acquire
        sales  -> sales:2 -> Event.wait
        stock  -> stock:6 -> sleep

    Set `tree` to a dict of four answers:

    - "holds up": the name of the task that all the others wait for in the end
    - "deadlock": True or False; is it one?
    - "main cancelled": a list of the tasks that are cancelled at once if somebody cancels the task
      main (leave out what the end of the program does)
    - "stock cancelled": a list of the tasks that end if somebody cancels the task stock instead,
      in the order in which they end
    """

    id = "tree-1"
    asks = "tree"
    minutes = 6
    hints = (
        "Ask of each line: who ends this wait? For an event it is whoever sets it, for a lock it "
        "is whoever holds it.",
        "A deadlock is a circle. Does the way from main come back to main?",
        "Who awaits a task passes a request to cancel on to it. A lock is no task: nothing is "
        "passed on to its holder.",
    )
    right_values = (
        {
            "holds up": "stock",
            "deadlock": False,
            "main cancelled": ["main", "sales"],
            "stock cancelled": ["stock", "report", "sales", "main"],
        },
        {
            "holds up": "stock",
            "deadlock": False,
            "main cancelled": ["sales", "main"],
            "stock cancelled": ["stock", "report", "sales", "main"],
        },
    )
    wrong_values = (
        wrong_value(
            right_values[0] | {"holds up": "main"}, "blamed the one who waits", "waits for sales"
        ),
        wrong_value(
            right_values[0] | {"holds up": "sales"}, "blamed the one who waits", "an event"
        ),
        wrong_value(
            right_values[0] | {"holds up": "report"}, "blamed the one who waits", "the lock"
        ),
        wrong_value(
            right_values[0] | {"deadlock": True}, "took a long wait for a deadlock", "a timer"
        ),
        wrong_value(
            right_values[0] | {"main cancelled": ["main"]},
            "a request is passed on",
            "awaits the task sales",
        ),
        wrong_value(
            right_values[0] | {"main cancelled": ["main", "sales", "report", "stock"]},
            "a request stops where no task is awaited",
            "report",
        ),
        wrong_value(
            right_values[0] | {"main cancelled": ["main", "sales", "report"]},
            "a request stops where no task is awaited",
            "report",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock"]},
            "a lock that is free again wakes",
            "lock",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock", "report"]},
            "a lock that is free again wakes",
            "`ready.set()`",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock", "sales", "report", "main"]},
            "order",
            "Follow",
        ),
    )

    def verify(self, tree, lab):
        if isinstance(tree, dict):
            tree = {
                key: list(value) if isinstance(value, (tuple, set)) else value
                for key, value in tree.items()
            }
            self._beliefs(tree)
            if isinstance(tree.get("main cancelled"), list):
                tree["main cancelled"] = sorted(map(str, tree["main cancelled"]))
        lab.equal(tree, self.right_values[0], what="`tree` is", secret=True)

    def _beliefs(self, tree):
        blamed = {
            "main": "main waits for sales: it is at one end of the way, and not at the other.",
            "sales": "sales waits for an event. Who sets it, and what is that one waiting for?",
            "report": "report waits for the lock. Who holds it?",
        }
        if tree.get("holds up") in blamed:
            raise Wrong(
                "blamed the one who waits",
                f"You blame {tree['holds up']}. " + blamed[tree["holds up"]],
                try_="Go on to the end of the way.",
            )
        if tree.get("deadlock") is True:
            raise Wrong(
                "took a long wait for a deadlock",
                "You say it is a deadlock. stock waits for a timer, which rings after ten "
                "hours, and then all of them go on.",
                try_="A deadlock is a circle.",
            )
        cancelled, ended = tree.get("main cancelled"), tree.get("stock cancelled")
        if cancelled == ["main"]:
            raise Wrong(
                "a request is passed on",
                "You let main be cancelled alone. It awaits the "
                "task sales, and passes the request on to it.",
                try_="",
            )
        if isinstance(cancelled, list) and {"report", "stock"} & set(map(str, cancelled)):
            raise Wrong(
                "a request stops where no task is awaited",
                "You let it go on to report or to stock. sales waits for an event, and "
                "an event is no task: of report it knows nothing.",
                try_="",
            )
        if ended == ["stock"]:
            raise Wrong(
                "a lock that is free again wakes",
                "You let stock end alone. When it is "
                "cancelled, its `async with` gives the lock back, and somebody waits for "
                "that lock.",
                try_="",
            )
        if ended in (["stock", "report"], ["stock", "report", "sales"]):
            raise Wrong(
                "a lock that is free again wakes",
                f"You stop at {ended[-1]}. report has the lock now, and does "
                "`ready.set()`; whoever waits for that goes on and ends, and so does "
                "whoever awaits that one.",
                try_="",
            )
        if (
            isinstance(ended, list)
            and len(ended) == 4
            and set(map(str, ended)) == {"stock", "report", "sales", "main"}
            and ended != ["stock", "report", "sales", "main"]
        ):
            raise Wrong(
                "order",
                "The four do end, in another order.",
                try_="Follow the lock, then the event, then the task: who wakes whom?",
            )


class SteadyTest(Exercise):
    """Make a flaky test steady

    A washer is a coroutine function `washer(dirty, clean)`. It takes plates from the queue `dirty`
    one after another, for ever, washes each for a while, appends it to the list `clean`, and calls
    `dirty.task_done()`. Somebody tests it like this:

        async def test_washer(washer):
            dirty, clean = asyncio.Queue(), []
            task = asyncio.create_task(washer(dirty, clean))
            for plate in range(5):
                dirty.put_nowait(plate)
            await asyncio.sleep(0.06)
            task.cancel()
            assert clean == [0, 1, 2, 3, 4]

    Write a steady `test_washer(washer)`.

    - It passes with a right washer, be it quick or slow, and is over as soon as the last plate is
      clean.
    - It fails with a washer that loses a plate, washes one twice, or mixes up their order.
    - It fails, and does not hang, with a washer that dies of an error on the way.
    - The washer has ended when the test is over.
    """

    id = "steady-1"
    asks = "test_washer"
    minutes = 12
    hints = (
        "The sleep stands for something. What is it, and who says that it has happened?",
        "`await dirty.join()` waits until each plate was reported. But if the washer has died, "
        "nobody reports any more. What ends your wait when a task fails?",
        "Start the washer in a TaskGroup, and `join` inside its `async with`: an error of the "
        "washer cancels the `join` and comes out. Then cancel the washer, still inside.",
    )

    def verify(self, test_washer, lab):
        for pace in (0.0123, 0.001, 2.0):
            lab.told(f"with a washer that takes {pace:g} s for a plate")
            cleaned = [0.0]  # when, on the loop's clock, which begins at 0
            run = must_pass(
                lab,
                f"This washer is right; it takes {pace:g} s for a plate",
                test_washer,
                self.good(pace, cleaned),
            )
            if run.elapsed > cleaned[-1] + 1e-6:
                raise Wrong(
                    "waits longer than it must",
                    f"With {pace:g} s a plate the last one was clean at {cleaned[-1]:g} s; "
                    f"your test was over at {run.elapsed:g} s.",
                    lab.line(r"sleep\("),
                    "Wait for the event itself: `dirty.join()`.",
                )
        for broken, what in (
            (self.loses, "loses a plate"),
            (self.twice, "washes one plate twice"),
            (self.mixes, "mixes up the order"),
        ):
            if verdict(lab, bounded(test_washer, broken)) is None:
                raise Wrong(
                    "passes a broken one",
                    f"I gave your test a washer that {what}, and it passed.",
                    lab.line("assert"),
                    "Give it several plates, and compare the whole list, with its order.",
                )
        error = verdict(lab, bounded(test_washer, self.dies))
        if error is None:
            raise Wrong(
                "passes a broken one",
                "I gave your test a washer that dies at the second plate, and it passed.",
                lab.line(r"except|suppress"),
                "Its error must come out, or an assert must fail.",
            )
        if type(error).__name__ == "Stuck" or isinstance(error, Hung):
            until = "after 20 s" if isinstance(error, Hung) else "when nothing could wake it"
            raise Wrong(
                "hangs where it should fail",
                "I gave your test a washer that dies of an error at the second plate. "
                f"Nobody reports the other plates; your test still waited {until}.",
                lab.line(r"\.join\(|\bwait\("),
                "Let the death of the washer end your wait: a TaskGroup does that.",
            )

    @staticmethod
    def good(pace, cleaned):
        async def washer(dirty, clean):
            while True:
                plate = await dirty.get()
                await asyncio.sleep(pace)
                clean.append(plate)
                cleaned.append(asyncio.get_running_loop().time())
                dirty.task_done()

        return washer

    @staticmethod
    async def loses(dirty, clean):
        for number in itertools.count():
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            if number != 1:
                clean.append(plate)
            dirty.task_done()

    @staticmethod
    async def twice(dirty, clean):
        for number in itertools.count():
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            clean.extend([plate, plate] if number == 1 else [plate])
            dirty.task_done()

    @staticmethod
    async def mixes(dirty, clean):
        while True:
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            clean.insert(0, plate)
            dirty.task_done()

    @staticmethod
    async def dies(dirty, clean):
        while True:
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            if len(clean) == 1:
                raise OSError("the washer is broken")
            clean.append(plate)
            dirty.task_done()

    @right
    async def in_a_group(washer):
        """Pass with a right washer, fail with a broken one; never hang."""
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            for plate in range(5):
                dirty.put_nowait(plate)
            await dirty.join()
            task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @right
    async def whichever_is_first(washer):
        dirty, clean = asyncio.Queue(), []
        for plate in range(5):
            dirty.put_nowait(plate)
        task = asyncio.create_task(washer(dirty, clean))
        join = asyncio.create_task(dirty.join())
        await asyncio.wait([task, join], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        join.cancel()
        await asyncio.wait([task, join])
        assert clean == [0, 1, 2, 3, 4]

    @right
    async def with_plates_of_its_own(washer):
        dirty, clean, plates = asyncio.Queue(), [], ["cup", "pan", "lid"]
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            for plate in plates:
                await dirty.put(plate)
            await dirty.join()
            task.cancel()
        assert clean == plates

    @wrong("passes a broken one", says="Give it several plates")
    async def one_plate_alone(washer):
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            dirty.put_nowait(0)
            await dirty.join()
            task.cancel()
        assert clean == [0]

    @wrong("waits longer than it must", says="at 0.1 s")
    async def a_longer_sleep(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await asyncio.sleep(0.1)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("fails the right one", says="0.0123 s for a plate")
    async def as_it_was(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await asyncio.sleep(0.06)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("waits longer than it must", says="at 3600 s")
    async def a_very_long_sleep(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await asyncio.sleep(3600)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("fails the right one", says="2 s for a plate")
    async def a_limit_instead(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        async with asyncio.timeout(5):
            await dirty.join()
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("waits longer than it must", says="dirty.join()")
    async def polls(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        while len(clean) < 5:
            await asyncio.sleep(0.03)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("hangs where it should fail", says="dies of an error")
    async def joins_alone(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await dirty.join()
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("passes a broken one", says="loses a plate")
    async def asks_for_nothing(washer):
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            for plate in range(5):
                dirty.put_nowait(plate)
            await dirty.join()
            task.cancel()

    @wrong("passes a broken one", says="mixes up")
    async def asks_how_many(washer):
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            for plate in range(5):
                dirty.put_nowait(plate)
            await dirty.join()
            task.cancel()
        assert len(clean) == 5

    @wrong("leaked")
    async def leaves_the_washer(washer):
        dirty, clean = asyncio.Queue(), []
        asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await dirty.join()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("deadlock")
    async def waits_for_the_washer(washer):
        dirty, clean = asyncio.Queue(), []
        for plate in range(5):
            dirty.put_nowait(plate)
        await washer(dirty, clean)
        assert clean == [0, 1, 2, 3, 4]


class Hung(Exception):
    """A test that was not over after twenty seconds of virtual time."""


async def bounded(test, *arguments):
    """Run a test that may poll for ever; raise Hung after twenty seconds."""
    try:
        async with asyncio.timeout(20) as limit:
            await test(*arguments)
    except TimeoutError:
        if limit.expired():
            raise Hung from None
        raise


class LeakDetector(Exercise):
    """A detector for leaked tasks

    Write `leaks(test)`. It awaits `test()`, a coroutine function, and returns the sorted list of
    the names of the tasks that the test started and left running.

    - Tasks that were there before are none of its business, and go on.
    - What the test left is cancelled, and has ended, its cleanup too, when `leaks` is over. It
      waits no longer than that.
    - An error of the test comes out, and what the test left is ended in that case too.
    """

    id = "leaks-1"
    asks = "leaks"
    minutes = 10
    hints = (
        "`asyncio.all_tasks()` before and after; what is the difference of two sets?",
        "Your own task is in both. `cancel()` only asks: how do you wait until they have ended?",
        "`try: await test()` and in the `finally` the difference, `cancel()` for each, and "
        "`await asyncio.gather(*left, return_exceptions=True)`.",
    )

    def verify(self, leaks, lab):
        ended = []

        async def rings(name, cleanup=0):
            try:
                await asyncio.sleep(1000)
            finally:
                await asyncio.sleep(cleanup)
                ended.append(name)

        async def leaves_two():
            for name in "radio", "light":
                asyncio.create_task(rings(name, 2 if name == "radio" else 0), name=name)
            await asyncio.sleep(1)

        async def leaves_none():
            await asyncio.create_task(asyncio.sleep(1), name="kettle")

        async def fails():
            await leaves_two()
            raise LookupError("the test failed")

        lab.told("with a test that leaves the tasks `radio` and `light`")
        run = lab.run(self._house(leaks, leaves_two, ended))
        self._judge(lab, *run.result, ["light", "radio"])
        ended.clear()
        lab.told("with a test that leaves no task")
        self._judge(lab, *lab.run(self._house(leaks, leaves_none, ended)).result, [])
        ended.clear()
        lab.told("with a test that leaves two tasks and then fails")
        names, state, *_ = lab.run(self._house(leaks, fails, ended)).result
        if isinstance(names, ExceptionGroup):
            raise Wrong(
                "wrapped the error",
                f"The test raised LookupError, and out came {names!r}.",
                lab.line("TaskGroup"),
                "A TaskGroup wraps what its tasks raise. Await the test itself.",
            )
        if not isinstance(names, LookupError):
            raise Wrong(
                "lost error",
                f"The test raised LookupError, and `leaks` returned {names}.",
                lab.line(r"except\b|suppress") or lab.line(r"\breturn\b"),
                LET_IT_PASS,
            )
        self._ended(lab, state, ["light", "radio"], "The test failed with a LookupError")

    async def _house(self, leaks, test, ended):
        """What `leaks` returns or raises, what it left, and whether a task of before still ran."""
        clock = asyncio.create_task(asyncio.sleep(500), name="clock")
        await asyncio.sleep(0)
        loop, this = asyncio.get_running_loop(), asyncio.current_task()
        began = loop.time()
        try:
            names = await asyncio.create_task(leaks(test), name="your leaks")
        except (LookupError, ExceptionGroup, asyncio.CancelledError) as error:
            names = error
        took, state = loop.time() - began, list(ended)
        # Both tasks were there before the test. The clock may have come to its own end.
        mine = bool(this.cancelling() or clock.cancelled() or clock.cancelling())
        # What it did not end is ended here, so that the message is ours.
        for task in (left := asyncio.all_tasks() - {this}):
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return names, state, mine, took

    def _judge(self, lab, names, state, mine, took, expected):
        if mine:
            raise Wrong(
                "cancelled the others'",
                "A task `clock` ran before the test began, and `leaks` cancelled it.",
                lab.line(r"cancel\("),
                "Note which tasks there are before the test: those are not its own.",
            )
        if isinstance(names, asyncio.CancelledError):
            raise Wrong(
                "was cancelled with them",
                "`leaks` itself ended with a CancelledError: "
                "whoever awaits a task that was cancelled meets that error.",
                lab.line(r"await (?!test)"),
                "`gather(*tasks, return_exceptions=True)` waits and keeps the errors.",
            )
        if took > 10:
            raise Wrong(
                "waited for what it found",
                f"The test took 1 s, and `leaks` {took:g} s: "
                "it waited until the tasks came to their own end.",
                lab.line(r"gather|\.wait\("),
                "Cancel them first.",
            )
        must = 3 if expected else 1  # the test takes 1 s, and the cleanup of radio 2 s
        if took > must + 0.5:
            raise Wrong(
                "waits longer than it must",
                f"{must} s after its begin nothing was left to wait for, and `leaks` was "
                f"over at {took:g} s.",
                lab.line(r"sleep\("),
                "A sleep stands for something: await the tasks themselves.",
            )
        if isinstance(names, (list, tuple, set)):
            if {"clock", "leaks"} & set(names):
                raise Wrong(
                    "counted those of before",
                    f"It returned {sorted(names)}. "
                    f"{named({'clock', 'leaks'} & set(names))} ran before the test began.",
                    lab.line("all_tasks"),
                    "Take the difference: after, minus before.",
                )
            if "your leaks" in names:
                raise Wrong(
                    "counted itself",
                    f"It returned {sorted(names)}. `your leaks` is the "
                    "task that your own function runs in.",
                    lab.line("all_tasks"),
                    "Leave out `asyncio.current_task()`.",
                )
            if names != expected and sorted(names) == expected:
                raise Wrong(
                    "order",
                    f"It returned {names}.",
                    lab.line(r"\breturn\b"),
                    "Asked is a list, with the names sorted.",
                )
        lab.equal(names, expected)
        self._ended(lab, state, expected, "The test was over")

    def _ended(self, lab, state, expected, when):
        missing = sorted(set(expected) - set(state))
        if missing:
            raise Wrong(
                "left what it found",
                f"{when}, `leaks` was over, and "
                f"{' and '.join(missing)} had not ended: radio takes 2 s for its cleanup, "
                "light takes none.",
                lab.line(r"\.cancel\(") or lab.line(r"all_tasks\(\) -"),
                "`cancel()` asks. Then await them, in a `finally`, so that it is done "
                "however the test ended.",
            )

    @right
    async def with_gather(test):
        """Return the names of the tasks that `test` left, sorted; end them."""
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @right
    async def in_a_task_of_its_own(test):
        before = asyncio.all_tasks()
        task = asyncio.create_task(test())
        await asyncio.wait([task])
        left = asyncio.all_tasks() - before
        for other in left:
            other.cancel()
        if left:
            await asyncio.wait(left)
        await task
        return sorted(other.get_name() for other in left)

    @wrong("counted those of before", says="clock")
    async def all_there_are(test):
        await test()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        return sorted(task.get_name() for task in left)

    @wrong("cancelled the others'", says="`clock` ran before")
    async def ends_all_there_are(test):
        await test()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        return sorted(task.get_name() for task in left)

    @wrong("counted those of before", says="clock")
    async def never_compares(test):
        await test()
        return sorted(task.get_name() for task in asyncio.all_tasks())

    @wrong("left what it found", says="radio")
    async def only_names_them(test):
        before = asyncio.all_tasks()
        await test()
        return sorted(task.get_name() for task in asyncio.all_tasks() - before)

    @wrong("left what it found", says="radio takes 2 s")
    async def only_asks(test):
        before = asyncio.all_tasks()
        await test()
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
        return sorted(task.get_name() for task in left)

    @wrong("left what it found", says="failed with a LookupError")
    async def not_if_it_fails(test):
        before = asyncio.all_tasks()
        await test()
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @wrong("wrapped the error", says="ExceptionGroup")
    async def in_a_group(test):
        before = asyncio.all_tasks()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(test())
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @wrong("lost error", says="LookupError")
    async def catches_all(test):
        before = asyncio.all_tasks()
        try:
            await test()
        except Exception:
            pass
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @wrong("was cancelled with them", says="meets that error")
    async def awaits_each(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
                await task
        return sorted(task.get_name() for task in left)

    @wrong("waited for what it found", says="their own end")
    async def never_cancels(test):
        before = asyncio.all_tasks()
        await test()
        left = asyncio.all_tasks() - before
        await asyncio.gather(*left)
        return sorted(task.get_name() for task in left)

    @wrong("waits longer than it must", says="over at 4 s")
    async def guesses_how_long(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.sleep(3)
        return sorted(task.get_name() for task in left)

    @wrong("lost error", says="no `return` in a `finally`")
    async def returns_in_finally(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            return sorted(task.get_name() for task in left)

    @wrong("order", says="light")
    async def sorted_backwards(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        return sorted((task.get_name() for task in left), reverse=True)


class Appliance:
    """Something to switch on and off; notes into a list what was done."""

    def __init__(self, name, notes, fails=None):
        self.name, self.notes, self.fails = name, notes, fails

    async def on(self):
        await asyncio.sleep(1)
        if self.fails == "on":
            raise OSError(f"the {self.name} does not start")
        self.notes.append(f"{self.name} on")

    async def off(self):
        await asyncio.sleep(1)
        self.notes.append(f"{self.name} off")
        if self.fails == "off":
            raise OSError(f"the {self.name} makes trouble")

    def __repr__(self):
        return self.name


class Fixture(Exercise):
    """A fixture that cleans up

    Write `kitchen(oven, fridge)`, an async generator as pytest-asyncio takes it for a fixture. It
    switches on the oven, then the fridge (`await oven.on()`), yields both as a pair, and switches
    them off again, the fridge first (`await fridge.off()`).

    - It is used in two ways. pytest goes on after the `yield`, however the test ended.
      `contextlib.asynccontextmanager` throws the error of the block in, at the `yield`. In both,
      all that was switched on is switched off.
    - If the fridge does not start (`on` raises), the oven is switched off.
    - If `fridge.off()` raises, the oven is switched off all the same.
    - What did not start is not switched off. Errors come out.
    """

    id = "fixture-1"
    asks = "kitchen"
    minutes = 10
    hints = (
        "What runs whether or not an error passes by? And from which line on must the oven be "
        "switched off again?",
        "A `try` of its own for each: that of the fridge stands inside that of the oven.",
        "`await oven.on()`, then `try:`, in it the same for the fridge with the `yield` inside, "
        "and the two `finally`. Or a `contextlib.AsyncExitStack` with `push_async_callback`.",
    )

    def verify(self, kitchen, lab):
        good = ["oven on", "fridge on", "test", "fridge off", "oven off"]
        for how, what in ((as_pytest, "pytest's way"), (as_context, "by asynccontextmanager")):
            for fails in (None, "test"):
                told = f"I used it {what}, with a test that " + ("fails" if fails else "passes")
                self._use(lab, kitchen, how, told, good, test=fails)
        for how in (as_pytest, as_context):
            self._use(
                lab,
                kitchen,
                how,
                "I used it with a fridge that does not start",
                ["oven on", "oven off"],
                fridge="on",
            )
            self._use(
                lab, kitchen, how, "I used it with a fridge whose `off` raises", good, fridge="off"
            )
            self._use(
                lab, kitchen, how, "I used it with an oven that does not start", [], oven="on"
            )

    def _use(self, lab, kitchen, how, told, expected, test=None, oven=None, fridge=None):
        notes = []
        things = Appliance("oven", notes, oven), Appliance("fridge", notes, fridge)

        async def run_test(pair):
            if not (isinstance(pair, (tuple, list)) and list(pair) == list(things)):
                raise Wrong(
                    "value",
                    f"It yields {pair!r}; asked is the pair (oven, fridge).",
                    lab.line("yield"),
                )
            notes.append("test")
            await asyncio.sleep(1)
            if test:
                raise LookupError("the test failed")

        lab.told("with an oven and a fridge")
        caught = None
        try:
            lab.run(how(kitchen, things, run_test, lab))
        except (LookupError, OSError) as error:
            caught = error
        except RuntimeError as error:
            if "generator didn't stop" in str(error):
                raise Wrong(
                    "more than one yield",
                    f"{told}, and it yielded a second time.",
                    lab.line("yield"),
                    "One `yield` for the test, and no loop.",
                ) from None
            if "generator didn't yield" not in str(error):
                raise
        self._compare(lab, told, notes, expected)
        if caught is None and (oven or fridge or (test and how is as_context)):
            raise Wrong(
                "lost error",
                f"{told}. The error had to come out, and it did not.",
                lab.line(r"\bexcept\b|suppress|\breturn\b"),
                LET_IT_PASS,
            )

    def _compare(self, lab, told, notes, expected):
        if notes == expected:
            return
        seen = f"{told}. What happened: {', '.join(notes) or 'nothing'}."
        for name in "oven", "fridge":
            if f"{name} off" in notes and f"{name} on" not in notes:
                raise Wrong(
                    "switched off what was never on",
                    seen,
                    lab.line(rf"{name}\.off"),
                    f"The `try` of the {name} begins after its `on`.",
                )
            if f"{name} on" in notes and f"{name} off" not in notes:
                raise Wrong(
                    "left on",
                    seen + f" The {name} is still on.",
                    lab.line(rf"{name}\.on"),
                    "Each thing needs a `finally` of its own, from the moment when it is on.",
                )
        if sorted(notes) == sorted(expected):
            raise Wrong(
                "order",
                seen + f" The order asked is {', '.join(expected)}.",
                lab.line(r"\.off"),
                "The oven first, then the fridge; and off in the opposite order.",
            )
        lab.equal(notes, expected, what="what happened is")

    @right
    async def two_finally(oven, fridge):
        """Switch on both, yield them, and switch off what was switched on."""
        await oven.on()
        try:
            await fridge.on()
            try:
                yield oven, fridge
            finally:
                await fridge.off()
        finally:
            await oven.off()

    @right
    async def with_a_stack(oven, fridge):
        async with AsyncExitStack() as stack:
            for thing in oven, fridge:
                await thing.on()
                stack.push_async_callback(thing.off)
            yield oven, fridge

    @wrong("left on", says="by asynccontextmanager, with a test that fails")
    async def one_after_another(oven, fridge):
        await oven.on()
        await fridge.on()
        yield oven, fridge
        await fridge.off()
        await oven.off()

    @wrong("left on", says="does not start")
    async def one_finally(oven, fridge):
        await oven.on()
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await fridge.off()
            await oven.off()

    @wrong("switched off what was never on", says="fridge off")
    async def begins_too_early(oven, fridge):
        try:
            await oven.on()
            await fridge.on()
            yield oven, fridge
        finally:
            try:
                await fridge.off()
            finally:
                await oven.off()

    @wrong("left on", says="whose `off` raises")
    async def one_after_another_in_finally(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
        except BaseException:
            await oven.off()
            raise
        try:
            yield oven, fridge
        finally:
            await fridge.off()
            await oven.off()

    @wrong("lost error", says="did not")
    async def swallows(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
            try:
                yield oven, fridge
            except Exception:
                pass
            finally:
                await fridge.off()
        finally:
            await oven.off()

    @wrong("lost error", says="does not start")
    async def ends_in_silence(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
        except OSError:
            await oven.off()
            return
        try:
            yield oven, fridge
        finally:
            try:
                await fridge.off()
            finally:
                await oven.off()

    @wrong("lost error", says="whose `off` raises")
    async def hushes_the_fridge(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
            try:
                yield oven, fridge
            finally:
                with contextlib.suppress(OSError):
                    await fridge.off()
        finally:
            await oven.off()

    @wrong("order", says="oven off, fridge off")
    async def oven_first(oven, fridge):
        await oven.on()
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await oven.off()
            await fridge.off()

    @wrong("not a fixture", says="`yield`")
    async def returns(oven, fridge):
        await oven.on()
        await fridge.on()
        return oven, fridge

    @wrong("not awaited")
    async def forgets_to_await(oven, fridge):
        oven.on()
        fridge.on()
        try:
            yield oven, fridge
        finally:
            fridge.off()
            oven.off()


def made(kitchen, things, lab):
    """The async generator, else Wrong."""
    fixture = kitchen(*things)
    if not hasattr(fixture, "__anext__"):
        if asyncio.iscoroutine(fixture):
            fixture.close()
        decorated = hasattr(fixture, "__aenter__")
        raise Wrong(
            "not a fixture",
            f"`kitchen` returned a {type(fixture).__name__}.",
            lab.line("contextmanager") if decorated else lab.line(r"def\s+kitchen"),
            "Leave out the decorator: I put it on when I need it."
            if decorated
            else "An `async def` with a `yield` in it makes an async generator.",
        )
    return fixture


async def as_pytest(kitchen, things, test, lab):
    """Use a fixture as pytest-asyncio does: go on after the yield, however the test ended."""
    fixture = made(kitchen, things, lab)
    try:
        pair = await anext(fixture)
    except StopAsyncIteration:
        raise RuntimeError("generator didn't yield") from None
    try:
        await test(pair)
    except LookupError:
        pass  # pytest has noted that the test failed, and goes on
    try:
        await anext(fixture)
    except StopAsyncIteration:
        return
    raise RuntimeError("generator didn't stop")


async def as_context(kitchen, things, test, lab):
    """Use a fixture as a context manager: an error of the block is thrown in at the yield."""
    made(kitchen, things, lab)
    async with contextlib.asynccontextmanager(kitchen)(*things) as pair:
        await test(pair)
