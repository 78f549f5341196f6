"""Long, for each broken washer stands here, and each test that lets one pass."""

import ast
import asyncio
import itertools

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.hangs import Stuck

from .shared import must_pass, verdict


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

    - It passes with a right washer, quick or slow, and is over as soon as the last plate is clean.
      A plate may take hours: no time limit is long enough.
    - It fails with a washer that loses a plate, washes one twice, or mixes up their order.
    - It fails, and does not hang, with a washer that dies of an error while plates are left.
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

    equivalent = {
        "with_plates_of_its_own: drop falsy, line 9": "its plates have names",
    }

    def verify(self, test_washer, lab):
        # A limit of its own ends it, be it after an hour: it is no answer, and yet no hang.
        limited = lab.call_of("timeout*", "wait_for") or lab.keyword("timeout")
        patience = 10**6 if limited else 20
        for pace in (0.0123, 0.001, 2.0):
            plates = self._passes_with(pace, test_washer, lab, limited)
        asserts = [node.lineno for node in lab.nodes() if isinstance(node, ast.Assert)]
        too_little = asserts[0] if len(asserts) == 1 else None
        if plates == 1:
            too_little = lab.call_of("put_nowait", "put")
        for broken, what in (
            (self.loses, "loses a plate"),
            (self.twice, "washes one plate twice"),
            (self.mixes, "mixes up the order"),
            (self.loses_the_last, "loses the last plate"),
            (self.last_twice, "washes the last plate twice"),
        ):
            error = verdict(lab, bounded(test_washer, broken, seconds=patience))
            self._must_end(
                error,
                f"I gave your test a washer that {what}, and it",
                "Wait until each plate was reported: `dirty.join()`.",
                lab,
            )
            if error is None:
                raise Wrong(
                    "passes the broken",
                    f"I gave your test a washer that {what}, and it passed.",
                    lab.call_of("sorted", "set", "frozenset", "Counter")
                    or (lab.call_of("zip") or lab.node(ast.Slice) if "last" in what else None)
                    or too_little,
                    "Give it several plates, and compare the whole list, with its order.",
                    headline="passes a broken one",
                )
        error = verdict(lab, bounded(test_washer, self.dies, seconds=patience))
        if error is None:
            raise Wrong(
                "passes the broken",
                "I gave your test a washer that dies at the second plate, and it passed.",
                lab.handler(),
                "Its error must come out, or an assert must fail.",
                headline="passes a broken one",
            )
        self._must_end(
            error,
            "I gave your test a washer that dies of an error at the second plate. Nobody washes "
            "the other plates any more; your test",
            "Let the death of the washer end your wait: a TaskGroup does that.",
            lab,
        )
        self._passes_with(900_000, test_washer, lab, limited)

    def _must_end(self, error, told, try_, lab):
        """Raise Wrong for a test that hangs with a broken washer. told: what it was given, up to
        the word for the test itself.
        """
        if isinstance(error, (Stuck, Hung)):
            until = f"after {error}" if isinstance(error, Hung) else "when nothing could wake it"
            raise Wrong(
                "endless",
                f"{told} still waited {until}.",
                lab.call_of("join", "wait"),
                try_,
                headline="hangs where it should fail",
            )

    def _passes_with(self, pace, test_washer, lab, limited):
        """Raise the Wrong for a test that fails with a good washer, or takes longer than that;
        return how many plates it had.
        """
        lab.told(f"with a washer that takes {pace:g} s for a plate")
        cleaned = [0.0]  # when, on the loop's clock, which begins at 0
        try:
            run = must_pass(
                lab,
                "This is a right one",
                test_washer,
                self.good(pace, cleaned),
            )
        except Wrong as found:
            if found.kind == "fails the right" and limited and pace > 1:
                found.line, found.at = limited, "gives up before all of them are clean"
                found.try_ = (
                    "A plate may take any time. What ends your wait if the washer dies is its "
                    "own end, not a clock."
                )
            raise
        if run.elapsed > cleaned[-1] + 1e-6:
            raise Wrong(
                "late",
                f"With {pace:g} s a plate the last one was clean at {cleaned[-1]:g} s; "
                f"your test was over at {run.elapsed:g} s.",
                lab.call_of("sleep"),
                "Wait for the event itself: `dirty.join()`.",
                headline="waits longer than it must",
            )
        return len(cleaned) - 1

    @sweep(
        lambda some: {
            "paces": some.sampled_from(((0.01,), (0.002, 0.3, 0.01), (900,))),
            "number": some.integers(1, 2),
            "flaw": some.sampled_from((None, "loses", "washes twice", "holds back", "dies at")),
            "cleanup": some.sampled_from((0, 0.5)),
        },
        most=40,
    )
    def any_washer(self, test_washer, lab, paces, number, flaw, cleanup):
        cleaned, at_work, left = [0.0], [], []

        async def watched():
            try:
                await lab.awaitable(test_washer(washer))
            finally:
                left.extend(at_work)

        async def washer(dirty, clean):
            held = []
            at_work.append(clean)
            try:
                for n in itertools.count(1):
                    plate = await dirty.get()
                    await asyncio.sleep(paces[n % len(paces)])
                    cleaned.append(asyncio.get_running_loop().time())
                    if flaw == "dies at" and n == number:
                        raise ValueError("the washer is broken")
                    if flaw == "holds back" and n == number:
                        held.append(plate)  # it comes behind the next one
                    elif flaw != "loses" or n != number:
                        for each in plate, *held:
                            clean.append(each)  # as a washer does
                        held.clear()
                    if flaw == "washes twice" and n == number:
                        clean.append(plate)
                    dirty.task_done()
            finally:
                await asyncio.sleep(cleanup)
                at_work.remove(clean)

        told = f"that takes {', then '.join(f'{pace:g}' for pace in paces)} s for a plate"
        if flaw is None:
            told += f", and {cleanup:g} s to end when it is cancelled" * bool(cleanup)
            lab.told(f"with a washer {told}")
            run = must_pass(lab, "This is a right one", test_washer, washer)
            if run.elapsed > cleaned[-1] + cleanup + 1e-6:
                raise Wrong(
                    "late",
                    f"The last plate was clean at {cleaned[-1]:g} s; your test was over at "
                    f"{run.elapsed:g} s.",
                    lab.call_of("sleep", "wait", "timeout"),
                    "Wait for the event itself: `dirty.join()`.",
                    headline="waits longer than it must",
                )
            return
        broken = f"I gave your test a washer {told}, and {flaw} plate number {number}"
        if verdict(lab, watched()) is None:
            raise Wrong(
                "passes the broken",
                f"{broken}. It passed.",
                lab.node(ast.Assert),
                headline="passes a broken one",
            )
        if left:
            raise Wrong(
                "leaked",
                f"{broken}. It failed, as it must, and left the washer running.",
                lab.node(ast.Assert),
                "What comes after a failed assert isn't reached. Cancel the washer and await its "
                "end before it, or in a `finally`.",
                headline="left the washer running",
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
    async def loses_the_last(dirty, clean):
        while True:
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            if not dirty.empty():
                clean.append(plate)
            dirty.task_done()

    @staticmethod
    async def last_twice(dirty, clean):
        while True:
            plate = await dirty.get()
            await asyncio.sleep(0.01)
            clean.extend([plate, plate] if dirty.empty() else [plate])
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

    @wrong("passes the broken", says="Give it several plates")
    async def one_plate_alone(washer):
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            dirty.put_nowait(0)
            await dirty.join()
            task.cancel()
        assert clean == [0]

    @wrong("late", says="at 0.1 s")
    async def a_longer_sleep(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await asyncio.sleep(0.1)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    as_it_was = a_longer_sleep.but(
        "asyncio.sleep(0.1)",
        "asyncio.sleep(0.06)",
        kind="fails the right",
        says="0.0123 s for a plate",
    )

    a_very_long_sleep = a_longer_sleep.but(
        "asyncio.sleep(0.1)",
        "asyncio.sleep(3600)",
        kind="late",
        says="at 3600 s",
    )

    @wrong("fails the right", says="2 s for a plate")
    async def a_limit_instead(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        async with asyncio.timeout(5):
            await dirty.join()
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("late", says="dirty.join()")
    async def polls(washer):
        dirty, clean = asyncio.Queue(), []
        task = asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        while len(clean) < 5:
            await asyncio.sleep(0.03)
        task.cancel()
        assert clean == [0, 1, 2, 3, 4]

    joins_alone = a_longer_sleep.but(
        "asyncio.sleep(0.1)",
        "dirty.join()",
        kind="endless",
        says="dies of an error",
    )

    @wrong("passes the broken", says="loses a plate")
    async def asks_for_nothing(washer):
        dirty, clean = asyncio.Queue(), []
        async with asyncio.TaskGroup() as group:
            task = group.create_task(washer(dirty, clean))
            for plate in range(5):
                dirty.put_nowait(plate)
            await dirty.join()
            task.cancel()

    asks_how_many = in_a_group.but(
        "clean == [0, 1, 2, 3, 4]", "len(clean) == 5", kind="passes the broken", says="mixes up"
    )

    @wrong("leaked", says="1 task still ran: `washer`")
    async def leaves_the_washer(washer):
        dirty, clean = asyncio.Queue(), []
        asyncio.create_task(washer(dirty, clean))
        for plate in range(5):
            dirty.put_nowait(plate)
        await dirty.join()
        assert clean == [0, 1, 2, 3, 4]

    @wrong("leaked", says="It failed, as it must")
    async def ends_it_after_the_assert(washer):
        dirty, clean = asyncio.Queue(), []
        for plate in range(5):
            dirty.put_nowait(plate)
        task = asyncio.create_task(washer(dirty, clean))
        joined = asyncio.create_task(dirty.join())
        await asyncio.wait({task, joined}, return_when=asyncio.FIRST_COMPLETED)
        joined.cancel()
        if task.done():
            task.result()
        assert clean == [0, 1, 2, 3, 4]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    @wrong("deadlock", says="for Queue.get")
    async def waits_for_the_washer(washer):
        dirty, clean = asyncio.Queue(), []
        for plate in range(5):
            dirty.put_nowait(plate)
        await washer(dirty, clean)
        assert clean == [0, 1, 2, 3, 4]


class Hung(Exception):
    """A test that was not over in time, on the virtual clock."""


async def bounded(test, *arguments, seconds=20):
    """Run a test that may poll for ever; raise Hung after so many seconds."""
    try:
        async with asyncio.timeout(seconds) as limit:
            await test(*arguments)
    except TimeoutError:
        if limit.expired():
            raise Hung(f"{seconds:,} s") from None
        raise
