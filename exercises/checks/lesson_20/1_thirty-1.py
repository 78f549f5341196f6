"""Long, for a test can let a broken thing pass in many ways, and each broken one stands here."""

import ast
import asyncio
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, own_nodes

from .shared import must_pass, verdict


def _leaves_room(compare):
    """Whether a comparison holds for times that are a second apart, as `29 <= took <= 31` does."""
    if not any(isinstance(sign, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for sign in compare.ops):
        return False
    sides = (compare.left, *compare.comparators)
    bounds = [
        side.value
        for side in sides
        if isinstance(side, ast.Constant) and isinstance(side.value, (int, float))
    ]
    if len(bounds) == 2:
        return abs(bounds[1] - bounds[0]) >= 1
    of_a_difference = any(
        isinstance(side, ast.Call) and getattr(side.func, "id", "") == "abs" for side in sides
    )
    return not (of_a_difference and bounds and bounds[0] < 1)


def _has_deadline(node):
    """Whether a number of about thirty seconds, or of a little more, stands in it."""
    numbers = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return any(isinstance(number, (int, float)) and 29 <= number <= 40 for number in numbers)


def _differs(lab, calls, as_promised, swallowed):
    """Where the test called a broken `order`, and had another outcome or another time of it than
    of a good one, and what to say of that line; None if it never had. For another time alone, the
    one assertion behind it that leaves room for more than one time, or the one of those in which
    the deadline stands.

    swallowed: where assertions failed inside a kitchen, and `order` let nothing out.
    """
    if swallowed:
        return swallowed[0], "fails inside the kitchen, and this `order` swallows that", OUTSIDE
    for (place, *got), (_, *promised) in zip(calls, as_promised):
        if got == promised:
            continue
        next_calls = [line for (_, line), *_ in calls if line > place[1]]
        rough = [
            node
            for node in lab.nodes()
            if isinstance(node, ast.Assert)
            and place[1] < node.lineno < min(next_calls, default=10**6)
            and any(_leaves_room(part) for part in ast.walk(node) if isinstance(part, ast.Compare))
        ]
        if len(rough) > 1:
            rough = [node for node in rough if _has_deadline(node)]
        if got[1:] == promised[1:] and len(rough) == 1:
            return rough[0].lineno, "leaves room for another time", IN_TIME
        if got[1:] == promised[1:]:
            return place, "ended at another time than was promised", IN_TIME
        also = "" if got[:1] == promised[:1] else ", and another time"
        return place, f"met another outcome than was promised{also}", AS_PROMISED
    return None


LEAVES_IT = "that leaves the kitchen cooking when the guest has left"
HASTY = "that cancels the kitchen and doesn't wait until it has ended"
IN_THE_KITCHEN = (
    "Only the kitchen knows. Let it note when it is cancelled and when it has ended, and assert "
    "that."
)
TAKES_A_WHILE = (
    "A kitchen that takes a while to end tells it for sure: let it sleep for some seconds when it "
    "is cancelled and note when it has ended, and assert that it had when `order` returned."
)
OUTSIDE = "Only note it in the kitchen, and assert it in the test itself, after `order`."
IN_TIME = "Assert exactly how many seconds `order` took: virtual time is exact."
AS_PROMISED = (
    "Assert what comes back or is raised. (An `except` alone asserts nothing if no error comes.)"
)


def _likeness(meal):
    """What a meal is compared by with one of another run: a new object is not the same twice."""
    return meal if isinstance(meal, (str, int, float, type(None))) else f"a {type(meal).__name__}"


class TimeoutTest(Exercise):
    """A test of thirty seconds that takes no time

    `order(kitchen)` calls the coroutine function `kitchen` and awaits it. It promises:

    - It returns what the kitchen returns, as soon as that is there.
    - After 30 s without it the kitchen is cancelled, and once it has ended `order` returns "the
      guest left". A kitchen may take a while to end.
    - An error of the kitchen comes out.

    Write the test: `async def test_order(order)`. It passes (returns) if `order` keeps all of that,
    and fails (raises any error) if not. Some broken ones are wrong by only one second. The test
    runs on virtual time, on a loop of its own, whose clock is `asyncio.get_running_loop().time()`.
    """

    id = "thirty-1"
    asks = "test_order"
    minutes = 12
    hints = (
        "Give `order` kitchens of your own making: one that is a little quicker than 30 s, one "
        "that is a little slower, one that fails.",
        "After each order, ask the clock: when did it come back? Let the kitchen note in a list "
        "how it ended. A cancelled one meets a CancelledError; let it sleep for a while before it "
        "notes that.",
        'async def kitchen(): await asyncio.sleep(29); return "soup", and then assert that it is '
        "soup and that 29 s have passed. Likewise with 31, after which 30 have passed and what "
        "the kitchen took to end. For the error: `try`, `except` that error, and `else` an assert "
        "that fails.",
    )

    equivalent = {
        "both_sides: drop falsy, line 13": "no kitchen of its own takes 0 s",
        "both_sides: wider except, line 11": "nothing but a cancellation ends that sleep",
        "by_the_list: or None, line 13": "its soup is an object, and true",
        "by_the_list: drop falsy, line 18": "no kitchen of its own ends at once",
        "by_the_list: drop falsy, line 24": "one that is missing isn't asserted",
    }

    def verify(self, test_order, lab):
        lab.told("with an `order` that keeps its promises")
        good, as_promised, _ = self._noted(self.good, lab)
        run = must_pass(lab, "This is a right one", test_order, good)
        if run.elapsed > 3600:
            raise Wrong(
                "late",
                f"Your test took {run.elapsed:g} s of virtual time.",
                try_="An hour is plenty.",
                headline="waits too long",
            )
        for order, what in self.BROKEN:
            broken, calls, swallowed = self._noted(order, lab)
            if verdict(lab, test_order, broken) is None:
                own = self._caught_its_own(lab)
                if "raised an error" in what and own:
                    try_ = "Name the kitchen's own error alone."
                    self._passes(lab, what, own, "catches the AssertionError as well", try_)
                error_may_stay = "raised an error" in what and lab.node(ast.Pass)
                if error_may_stay and lab.has_run(error_may_stay):
                    self._passes(lab, what, error_may_stay, "goes on there all the same")
                if "returns None" in what and (line := self._of_nothing(lab, as_promised)):
                    try_ = 'Let a kitchen return something of its own, such as "soup".'
                    self._passes(lab, what, line, "returns None as well", try_)
                found = _differs(lab, calls, as_promised, swallowed)
                slow = any(took > 29.999 for _, took, _ in as_promised)
                if what == LEAVES_IT and slow and not found:
                    found = None, "", IN_THE_KITCHEN
                elif what == HASTY and slow and not found:
                    found = *self._ends_in_time(lab), TAKES_A_WHILE
                self._passes(lab, what, *(found or ()))

    def _of_nothing(self, lab, as_promised):
        """Where a kitchen of the test returns None, if none of them returns anything else."""
        came = [came for _, took, came in as_promised if took < 30]
        if any(how == "returned" and meal is not None for how, meal in came):
            return None
        returned = [node for node in lab.nodes() if isinstance(node, ast.Return)]
        nothing = [node.lineno for node in returned if getattr(node.value, "value", 0) is None]
        silent = (
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.AsyncFunctionDef) and node.name != self.asks
            if not any(isinstance(part, (ast.Return, ast.Raise)) for part in ast.walk(node))
        )
        return lab.earliest(*(nothing or silent))

    def _caught_its_own(self, lab):
        """The `except` that catches an assertion of the `try` before it as well, or None."""
        return lab.earliest(
            *(
                handler.lineno
                for node in lab.nodes()
                if isinstance(node, ast.Try)
                if any(isinstance(part, ast.Assert) for part in node.body)
                or any(isinstance(part, ast.Raise) and part.exc for part in node.body)
                for handler in node.handlers
                if handler.type is None
                or ast.unparse(handler.type) in ("Exception", "BaseException", "AssertionError")
            )
        )

    def _ends_in_time(self, lab):
        """Where the test leaves a kitchen time to end by itself, or where one ends at once, and
        what to say of that line.
        """
        tests = (one for one in lab.nodes() if getattr(one, "name", "") == self.asks)
        slept = (
            node.lineno
            for test in tests
            for node in own_nodes(test)
            if isinstance(node, ast.Call) and is_named(node.func, ("sleep",))
        )
        if pause := next(slept, None):
            return pause, "leaves a kitchen time to end by itself"
        met = lab.handler(asyncio.CancelledError) or lab.cleanup()
        return met, "ends the kitchen at once" if met else ""

    def _noted(self, order, lab):
        """The `order`, noting where it was called, how long it took and what came of it; and where
        assertions failed in a kitchen, of which it let nothing out.
        """
        calls, swallowed = [], []

        async def noted(kitchen):
            place, begun, came = lab.calling(), asyncio.get_running_loop().time(), ()
            failed = []

            async def watched():
                try:
                    return await kitchen()
                except AssertionError as error:
                    failed.append(lab.text.of_traceback(error))
                    raise

            try:
                meal = await order(watched)
                swallowed.extend(failed)
                came = "returned", _likeness(meal)
                return meal
            except BaseException as error:
                came = "raised", type(error).__name__
                raise
            finally:
                took = round(asyncio.get_running_loop().time() - begun, 6)
                calls.append((place, took, came))

        noted.__name__ = noted.__qualname__ = "order"
        return noted, calls, swallowed

    def _passes(self, lab, what, line=None, at="", try_=None):
        """Raise the Wrong for a broken one that passed. line: where it could have been noticed."""
        asserts = (node for node in lab.nodes() if isinstance(node, ast.Assert))
        if pairs := [node for node in asserts if getattr(node.test, "elts", None)]:
            line, at = pairs[0].lineno, "asserts a tuple, which is always true"
            try_ = "Leave off the parentheses: `assert condition, message`."
        raise Wrong(
            "passes the broken",
            f"I gave your test an `order` {what}, and it passed.",
            line,
            try_ or (AS_PROMISED if line else "Which line of your test should have failed there?"),
            headline="passes a broken one",
            at=at,
        )

    @staticmethod
    async def good(kitchen):
        try:
            async with asyncio.timeout(30) as limit:
                return await kitchen()
        except TimeoutError:
            if not limit.expired():
                raise  # it is the kitchen's own
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

    async def dawdling(kitchen):
        try:
            async with asyncio.timeout(30) as limit:
                meal = await kitchen()
        except TimeoutError:
            if not limit.expired():
                raise
            return "the guest left"
        await asyncio.sleep(1)
        return meal

    async def hasty(kitchen):
        task = asyncio.ensure_future(kitchen())
        done, _ = await asyncio.wait({task}, timeout=30)
        if done:
            return task.result()
        task.cancel()
        for _ in range(3):  # it meets its cancellation, and begins to clean up
            await asyncio.sleep(0)
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
        (dawdling, "that brings a meal a second after it is there"),
        (silent, 'that says "the guest left" where the kitchen raised an error'),
        (wasteful, LEAVES_IT),
        (hasty, HASTY),
    )

    @sweep(
        lambda some: {
            "way": some.sampled_from(("in a task of its own", "within a timeout")),
            "after": some.sampled_from((29, 30, 31)),
            "flaw": some.sampled_from((None, "says nothing", "loses errors", "wraps errors")),
        },
        most=24,
    )
    def any_order(self, test_order, lab, way, after, flaw):
        async def order(kitchen):
            try:
                if way == "within a timeout":
                    async with asyncio.timeout(after) as limit:
                        return await kitchen()
                task = asyncio.ensure_future(kitchen())
                done, _ = await asyncio.wait({task}, timeout=after)
                if done:
                    return task.result()
                task.cancel()
                await asyncio.wait({task})
            except Exception as error:
                if way == "in a task of its own" or not limit.expired():
                    if flaw == "loses errors":
                        return None
                    if flaw == "wraps errors":
                        raise ExceptionGroup("in the kitchen", [error]) from None
                    raise
            return None if flaw == "says nothing" else "the guest left"

        told = f"that awaits the kitchen {way}"
        broken, calls, swallowed = self._noted(order, lab)
        if after == 30 and flaw is None:
            lab.told(f"with an `order` {told}, and keeps its promises")
            must_pass(lab, "This is a right one", test_order, order)
        elif verdict(lab, test_order, broken) is None:
            good, as_promised, _ = self._noted(self.good, lab)
            verdict(lab, test_order, good)
            told = f"that awaits the kitchen for {after} s, {way}" + f", and {flaw}" * bool(flaw)
            self._passes(lab, told, *(_differs(lab, calls, as_promised, swallowed) or ()))

    @right
    async def both_sides(order):
        """Pass if `order` keeps its promises, fail if it does not."""
        clock, cancelled = asyncio.get_running_loop(), []

        async def kitchen(seconds):
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await asyncio.sleep(2)
                cancelled.append(seconds)
                raise
            return "soup"

        async def fails():
            raise LookupError("no soup")

        assert await order(lambda: kitchen(29)) == "soup"
        assert clock.time() == 29
        assert await order(lambda: kitchen(31)) == "the guest left"
        assert clock.time() == 29 + 30 + 2
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
            except asyncio.CancelledError:
                await asyncio.sleep(0.5)
                raise
            finally:
                ended.append(round(clock.time() - began, 3))

        results = []
        for seconds in (29.99, 31, 19):
            began = clock.time()
            try:
                results.append(await order(kitchen))
            except ZeroDivisionError:
                results.append("an error")
            assert round(clock.time() - began, 3) == min(seconds, 30.5)
        assert results == [soup, "the guest left", "an error"]
        assert ended == [29.99, 30.5, 19]

    @wrong("passes the broken", says="True")
    async def returns_it(order):
        async def kitchen():
            await asyncio.sleep(31)

        return await order(kitchen) == "the guest left"

    @wrong("passes the broken", says="never times out")
    async def quick_alone(order):
        async def kitchen():
            await asyncio.sleep(1)
            return "soup"

        assert await order(kitchen) == "soup"

    @wrong("passes the broken", says="31 s")
    async def slow_alone(order):
        async def kitchen():
            await asyncio.sleep(60)

        assert await order(kitchen) == "the guest left"

    @wrong("passes the broken", says="only 29 s")
    async def far_from_the_deadline(order):
        async def kitchen(seconds):
            await asyncio.sleep(seconds)
            return "soup"

        assert await order(lambda: kitchen(5)) == "soup"
        assert await order(lambda: kitchen(30.5)) == "the guest left"

    @wrong("passes the broken", says="raised an error")
    async def no_error_asked_for(order):
        clock = asyncio.get_running_loop()

        async def kitchen(seconds):
            await asyncio.sleep(seconds)
            return "soup"

        assert await order(lambda: kitchen(29)) == "soup"
        assert clock.time() == 29
        assert await order(lambda: kitchen(31)) == "the guest left"
        assert clock.time() == 59

    @wrong("passes the broken", says="leaves the kitchen cooking")
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

    @wrong("fails the right", says="and your test failed all the same")
    async def expects_a_timeout_error(order):
        async def kitchen():
            await asyncio.sleep(31)

        try:
            await order(kitchen)
        except TimeoutError:
            return
        assert False, "no TimeoutError"

    @wrong("fails the right", says="doesn't follow virtual time")
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
