"""Long, for tokens can be counted in many wrong ways."""

import ast
import asyncio
import contextlib
import inspect
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import SOON, listed, now

CLOSE = 0.001  # seconds: a sleep may be a little longer, so that a whole token is there after it


class Bucket(Exercise):
    """A token bucket

    Write a class `TokenBucket(rate, burst)` with a coroutine method `take()`. Tokens drop into the
    bucket at `rate` a second, evenly, until it holds `burst` of them (1 or more); in the beginning
    it is full. `await bucket.take()` takes one token, and waits for it if there is none, but no
    longer than it must. Many tasks share one bucket, and they are served in the order in
    which they ask.

    A task may be cancelled while it waits. Then it takes no token, and the others wait as if it
    had never asked.

    The time is that of the loop: `asyncio.get_running_loop().time()`. A bucket is made where a
    loop runs, and needs no task of its own: tokens are dropped in when somebody looks.
    """

    id = "bucket-1"
    asks = "TokenBucket"
    minutes = 12
    hints = (
        "No task has to drop the tokens in. How many have dropped in since the last look follows "
        "from the time.",
        "What happens between reading the number of tokens and writing it, if there is an "
        "`await` in between and another task asks?",
        "Refill: `min(burst, tokens + (now - last) * rate)`. Below 1, sleep `(1 - tokens) / rate` "
        "seconds and refill again; only then take one away. An `asyncio.Lock` around all that lets "
        "one task after another in.",
    )

    def verify(self, TokenBucket, lab):
        if not inspect.isclass(TokenBucket):
            raise Wrong("value", f"`TokenBucket` is {TokenBucket!r}.", try_="Write a class.")
        self._ask(lab, TokenBucket, [0] * 8, [0, 0, 0, 0.5, 1, 1.5, 2, 2.5])
        self._ask(lab, TokenBucket, [100] * 5, [100, 100, 100, 100.5, 101])
        self._ask(lab, TokenBucket, [0, 0, 0, 0.75, 0.75, 10.1], [0, 0, 0, 0.75, 1, 10.1])
        # Who comes in the very moment in which a token drops finds it, if nobody keeps the order.
        self._ask(lab, TokenBucket, [0] * 6 + [0.5, 1, 1.5], [0, 0, 0, 0.5, 1, 1.5, 2, 2.5, 3])
        self._cancelled(lab, TokenBucket)

    def _cancelled(self, lab, TokenBucket):
        """Look at an answer in which all wait side by side: those behind a cancelled task wait for
        its token, too, and may do so even if it gives that back. Other answers that go wrong
        after a cancellation, the sweep tells.
        """

        def served(*takers):
            return lab.run(self._takers(TokenBucket, 2, 1, 1, [(0, None), *takers])).result

        cancelled = 0, 0.3137
        try:
            next_served = served(cancelled, (0.4, None))[2]
        except Exception:
            return
        if next_served is None or (next_served != 0.5 and _takes_turns(lab)):
            return
        lab.told(
            "with `rate=2` and `burst=1`; `take()` was called at 0, 0, 0 s; number 2 was cancelled "
            "0.3137 s later"
        )
        got = served(cancelled, (0, None))
        if next_served > 0.5 + SOON and got[2] is not None and got[2] > 0.5 + SOON:
            raise Wrong(
                "late",
                f"Number 3 was served at {got[2]:g} s. A task that is cancelled takes no token: "
                "number 3 could have been served at 0.5 s.",
                _counted_before(lab),
                "The token of the task that was cancelled is gone, and those behind it had fixed "
                "by then how long they wait. Let one after another in, with a lock, and take the "
                "token after the wait.",
                headline="let the others wait too long after a cancellation",
                at="takes the token before the wait" if _counted_before(lab) else "",
            )
        if got[2] is not None and got[2] > 0.5 + SOON:
            raise Wrong(
                "late",
                f"Number 3 was served at {got[2]:g} s. With the token that number 2 gave back it "
                "could have been served at 0.5 s.",
                lab.call_of("sleep", "timeout*", "wait_for"),
                "A wait that was fixed beforehand isn't made shorter by a token that comes back. "
                "Let one task after another in, with a lock, and take the token after the wait.",
                headline="let the others wait too long after a cancellation",
                at="waits for a time that was fixed before",
            )

    def _ask(self, lab, TokenBucket, asked, best):
        moments = ", ".join(f"{moment:g}" for moment in asked)
        lab.told(f"with `rate=2` and `burst=3`, and `take()` {len(asked)} times, at {moments} s")
        given = {}
        try:
            lab.run(self._all(TokenBucket, asked, given))
        except TimeoutError:
            if line := lab.call_of("time.*", "monotonic", "perf_counter", "datetime"):
                raise Wrong(
                    "wrong clock",
                    "The check runs on a clock that jumps, and your times don't follow it.",
                    line,
                    "`asyncio.get_running_loop().time()` is the time that sleeps go by.",
                ) from None
            waiting = len(asked) - len(given)
            raise Wrong(
                "late",
                f"200 s later {waiting} still waited for a token.",
                lab.earliest(lab.call_of("sleep"), lab.await_of()),
                "Tokens drop in while nobody asks, too: compute how many from the time.",
                headline="waited too long",
            ) from None
        got = [given[number] for number in range(len(asked))]
        if all(abs(moment - earliest) < CLOSE for moment, earliest in zip(got, best)):
            return
        self._too_many(lab, asked, sorted(got))
        if sorted(got) != got:
            side_by_side = lab.repeated_call_of("sleep") and not _takes_turns(lab)
            raise Wrong(
                "order",
                f"A task that asked later was served earlier: they were served at {listed(got)} s.",
                lab.call_of("sleep"),
                "All sleep side by side, and whoever looks first when a token is there takes it, "
                "one who has only just come, too. An `asyncio.Lock` around all of `take` lets "
                "them in one after another."
                if side_by_side
                else "The next token is for the first who asked. Whoever comes later waits behind.",
            )
        number = next(n for n, (a, b) in enumerate(zip(got, best)) if abs(a - b) >= CLOSE)
        observed = (
            f"They were served at {listed(got)} s. Number {number + 1} could have been served at "
            f"{best[number]:g} s."
        )
        if best[number] == asked[number]:
            raise Wrong(
                "limit",
                observed,
                lab.assigned("self.*token*", to=0)
                or lab.assigned("self.*token*", to=0.0)
                or _another_bound(lab),
                "A full bucket lets `burst` of them through at once, in the beginning and "
                "after a rest.",
                headline="did not save up",
            )
        if whole := _whole_tokens(lab):
            raise Wrong(
                "late",
                observed,
                whole,
                "A part of a token that has dropped in counts, too: keep it, or let the moment of "
                "the last look move on only by the time of the whole ones.",
                headline="waited too long",
                at="counts whole tokens alone",
            )
        raise Wrong(
            "late",
            observed,
            lab.call_of("int", "floor", "round") or lab.operation("//") or lab.call_of("sleep"),
            "The next token is there when `(1 - tokens) / rate` seconds are over.",
            headline="waited too long",
        )

    def _too_many(self, lab, asked, got):
        """Raise Wrong if more were served in some time than the bucket can give."""
        for first, start in enumerate(got):
            for last in range(first, len(got)):
                served = sum(start <= moment <= got[last] for moment in got)
                most = 3 + 2 * (got[last] - start)
                when = _span(start, got[last])
                if served > most + SOON:
                    rested = asked[0] == start == 100
                    if line := lab.with_of("Lock"):
                        raise Wrong(
                            "lock per call",
                            f"{served} were served {when}.",
                            line,
                        )
                    if not rested and lab.async_with("*lock", "*turn", "*gate", "*mutex"):
                        raise Wrong(
                            "limit",
                            f"{served} were served {when}; a bucket of 3 that gets 2 a second "
                            f"gives {int(most + SOON)}.",
                            _counts_again(lab),
                            "Time that has been counted must not be counted again: note the moment "
                            "of each refill, and note it anew after a sleep.",
                            headline="counted the same time twice",
                        )
                    raise Wrong(
                        "limit",
                        f"{served} were served {when}; a bucket of 3 that gets 2 a second gives "
                        f"{int(most + SOON)}.",
                        _refill(lab) if rested else lab.await_of("sleep", "acquire"),
                        "The bucket holds at most `burst` tokens, however long the rest was."
                        if rested
                        else "A token is one task's. Between looking at the tokens and taking "
                        "one there must be no `await` that lets another task look.",
                        headline="let too many through",
                    )

    async def _all(self, TokenBucket, asked, given):
        bucket = TokenBucket(2, 3)

        async def one(number, when):
            await asyncio.sleep(when)
            await bucket.take()
            given[number] = now()

        async with asyncio.timeout(asked[0] + 200), asyncio.TaskGroup() as group:
            for number, when in enumerate(asked):
                group.create_task(one(number, when))

    @sweep(
        lambda some: {
            "rate": some.sampled_from((0.5, 2)),
            "burst": some.integers(1, 2),
            "buckets": some.sampled_from((1, 1, 2)),
            "asks": some.lists(
                some.tuples(
                    some.sampled_from((0, 0, 0.25, 7)),
                    some.sampled_from((None, None, 0.3137)),
                ),
                min_size=1,
                max_size=6,
            ),
        },
        besides=[
            {
                "rate": 2,
                "burst": 1,
                "buckets": 1,
                "asks": [(0, None), (0, 0.3137), (0, None), (0, None)],
            }
        ],
        most=40,
        calm=lambda case: {**case, "asks": [(gap, None) for gap, _ in case["asks"]]},
    )
    def any_takers(self, TokenBucket, lab, rate, burst, buckets, asks):
        asked, when = [], 0
        for gap, _ in asks:
            asked.append(when := when + gap)
        left = [
            f"number {number} was cancelled {patience:g} s later"
            for number, (_, patience) in enumerate(asks, 1)
            if patience is not None
        ]
        lab.told(
            f"with `rate={rate}` and `burst={burst}`"
            + (", twice, and used the two in turns" if buckets == 2 else "")
            + f"; `take()` was called at {listed(asked)} s"
            + "".join(f"; {each}" for each in left)
        )
        takers = [(when, patience) for when, (_, patience) in zip(asked, asks)]
        served = lab.run(self._takers(TokenBucket, rate, burst, buckets, takers)).result
        return {"`take()` returned at": served}

    async def _takers(self, TokenBucket, rate, burst, buckets, takers):
        made, served = [TokenBucket(rate, burst) for _ in range(buckets)], [None] * len(takers)

        async def one(number, when, patience):
            await asyncio.sleep(when)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await made[number % buckets].take()
                    served[number] = round(now(), 6)

        async with asyncio.TaskGroup() as group:
            for number, taker in enumerate(takers):
                group.create_task(one(number, *taker))
        return served

    @right
    class WithALock:
        """At most `rate` a second, and up to `burst` at once after a rest."""

        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()
            self.lock = asyncio.Lock()

        async def take(self):
            """Take a token; wait for it if there is none."""
            async with self.lock:
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens < 1:
                    await asyncio.sleep((1 - self.tokens) / self.rate)
                    self.tokens, self.last = 1, asyncio.get_running_loop().time()
                self.tokens -= 1

    @right
    class NotesWhenItIsFull:
        def __init__(self, rate, burst):
            self.apart, self.burst = 1 / rate, burst
            self.next, self.turn = float("-inf"), asyncio.Lock()

        async def take(self):
            clock = asyncio.get_running_loop().time
            async with self.turn:
                mine = max(self.next, clock() - (self.burst - 1) * self.apart)
                if mine > clock():
                    await asyncio.sleep(mine - clock())
                self.next = mine + self.apart

    @wrong("limit", says="no `await` that lets another task look")
    class LooksSleepsAndTakes:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now
            if self.tokens < 1:
                await asyncio.sleep((1 - self.tokens) / self.rate)
            self.tokens -= 1

    @wrong("limit", says="however long the rest was")
    class HoldsAnyNumber:
        def __init__(self, rate, burst):
            self.rate, self.tokens = rate, burst
            self.last = asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens += (now - self.last) * self.rate
            self.last = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

    @wrong("wrong clock", says="get_running_loop().time()")
    class AsksTheTimeOfDay:
        def __init__(self, rate, burst):
            self.rate, self.burst, self.tokens, self.last = rate, burst, burst, time.monotonic()

        async def take(self):
            while True:
                now = time.monotonic()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens >= 1:
                    break
                await asyncio.sleep((1 - self.tokens) / self.rate)
            self.tokens -= 1

    @wrong("order", says="A task that asked later was served earlier")
    class LooksAgainAndAgain:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            while True:
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens >= 1:
                    break
                await asyncio.sleep((1 - self.tokens) / self.rate)
            self.tokens -= 1

    @wrong("late", says="still waited for a token")
    class NeverRefills:
        def __init__(self, rate, burst):
            self.rate, self.tokens = rate, burst

        async def take(self):
            while self.tokens < 1:
                await asyncio.sleep(1 / self.rate)
            self.tokens -= 1

    @wrong("lock per call", says="were served")
    class LocksForItself:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            async with asyncio.Lock():
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens < 1:
                    await asyncio.sleep((1 - self.tokens) / self.rate)
                self.tokens -= 1

    @wrong("limit", says="after a rest")
    class OnlyPaces:
        def __init__(self, rate, burst):
            self.apart, self.next = 1 / rate, 0.0

        async def take(self):
            now = asyncio.get_running_loop().time()
            mine = max(now, self.next)
            self.next = mine + self.apart
            await asyncio.sleep(mine - now)

    @wrong("late", says="take the token after the wait")
    class TakesAtOnce:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()

        async def take(self):
            now = asyncio.get_running_loop().time()
            self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
            self.last = now
            self.tokens -= 1
            if self.tokens < 0:
                await asyncio.sleep(-self.tokens / self.rate)

    @wrong("late", says="take the token after the wait")
    class HandsOutMoments:
        def __init__(self, rate, burst):
            self.apart, self.burst, self.next = 1 / rate, burst, float("-inf")

        async def take(self):
            now = asyncio.get_running_loop().time()
            mine = max(self.next, now - (self.burst - 1) * self.apart)
            self.next = mine + self.apart
            if mine > now:
                await asyncio.sleep(mine - now)

    BeginsEmpty = TakesAtOnce.but(
        "self.last = burst", "self.last = 0", kind="limit", says="in the beginning"
    )

    @wrong("limit", says="gives 3")
    class IsASemaphore:
        def __init__(self, rate, burst):
            self.rate, self.places = rate, asyncio.Semaphore(burst)

        async def take(self):
            async with self.places:
                pass

    @wrong("late", says="could have been served at 1 s")
    class WaitsAWholeToken:
        def __init__(self, rate, burst):
            self.rate, self.burst = rate, burst
            self.tokens, self.last = burst, asyncio.get_running_loop().time()
            self.lock = asyncio.Lock()

        async def take(self):
            async with self.lock:
                now = asyncio.get_running_loop().time()
                self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
                self.last = now
                if self.tokens < 1:
                    await asyncio.sleep(1 / self.rate)
                    self.last, self.tokens = asyncio.get_running_loop().time(), 1
                self.tokens -= 1


def _span(start, end):
    """The time from one moment to the other, in words."""
    return f"at {start:g} s" if start == end else f"from {start:g} s to {end:g} s"


def _takes_turns(lab):
    """Whether there is anything in the answer that could let one after another in."""
    return lab.call_of("*Lock", "*Semaphore", "Condition", "Event", "*Queue", "deque", "*_future")


def _counted_before(lab):
    """The last line before the sleep that notes something in the bucket, or None."""
    wait = lab.call_of("sleep", "timeout*", "wait_for")
    notes = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and lab.text.function_at(node.lineno) is lab.text.function_at(wait)
    ]
    return max((line for line in notes if wait and line < wait), default=None)


def _whole_tokens(lab):
    """Where what has dropped in is rounded to whole tokens, or None."""
    asleep = [inner for node in lab.text.calls_of("sleep") for inner in ast.walk(node)]
    rounded = [
        node.lineno
        for node in lab.nodes()
        if node not in asleep
        and (
            isinstance(node, ast.BinOp | ast.AugAssign)
            and isinstance(node.op, ast.FloorDiv)
            or isinstance(node, ast.Call)
            and len(node.args) == 1
            and ast.unparse(node.func).removeprefix("math.") in ("int", "floor", "trunc", "round")
        )
    ]
    return lab.earliest(*rounded)


def _refill(lab):
    """The line that lets more than `burst` into the bucket, or None if it isn't sure."""
    if not lab.call_of("min"):
        return lab.operation("*", on=["*rate"])
    return lab.earliest(*(node.lineno for node in lab.nodes() if _adds_the_least(node)))


def _adds_the_least(node):
    """Whether this adds a `min(…)` to something: it limits what is new, and not the sum."""
    added = [getattr(node, name, None) for name in ("value", "left", "right")]
    return (
        isinstance(node, (ast.AugAssign, ast.BinOp))
        and isinstance(node.op, ast.Add)
        and any(isinstance(part, ast.Call) and ast.unparse(part.func) == "min" for part in added)
    )


def _another_bound(lab):
    """The line of a `min` that doesn't go by `burst`, or None."""
    bounds = [call for call in lab.text.calls_of("min") if "burst" not in ast.unparse(call)]
    return lab.earliest(*(call.lineno for call in bounds))


def _counts_again(lab):
    """Where the time since the last look is counted, if that moment is never noted anew; or else
    the sleep, after which it must be.
    """
    for node in lab.nodes():
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Sub)
            and isinstance(node.right, ast.Attribute)
            and not isinstance(node.left, ast.Constant)
        ):
            noted = [
                part.lineno
                for part in lab.nodes()
                if isinstance(part, ast.Attribute)
                and isinstance(part.ctx, ast.Store)
                and part.attr == node.right.attr
            ]
            return lab.call_of("sleep") if max(noted, default=0) > node.lineno else node.lineno
    return None
