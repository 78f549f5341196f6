import ast
import contextlib
import heapq
import itertools
import time
import types
from collections import deque
from unittest import mock

from helpers.coach import Exercise, Wrong, right, sweep, wrong

SLEEPERS = {
    "late": "the one of 0.3 s",
    "early": "the one of 0.2 s",
    "over": "the one whose deadline had passed",
}
IN_ROUND = {0: "in the same round", 1: "in the next round"}


class SleepUntil(Exercise):
    """Sleep until a moment

    Write `sleep_until(deadline)` for the loop of `timers.py`. A coroutine that awaits it is
    woken at `deadline`, a moment of `time.monotonic()`. If that has passed already, it goes on in
    the next round: it always lets the others have a turn.

    You know what a coroutine may yield there: `None`, or a function that the loop calls as
    `park(loop, who)`. And you know a method of the loop: `loop.wake_at(deadline, who)`.
    """

    id = "until-1"
    asks = "sleep_until"
    minutes = 6
    hints = (
        "`sleep(seconds)` of `timers.py` works out a deadline and does the rest. Here the deadline "
        "is given.",
        "The thing at the bottom that yields is a marked generator: `@types.coroutine` above a "
        "`def` with one `yield`.",
        "What it yields is a function that has not been called yet: "
        "`yield lambda loop, who: loop.wake_at(deadline, who)`.",
    )

    equivalent = {
        "with_a_function: or None, line 10": "a function is never falsy",
    }

    def verify(self, sleep_until, lab):
        loop, woken = FakeLoop(lab), []

        async def sleeper(name, seconds):
            deadline = loop.start + seconds
            await sleep_until(deadline)
            woken.append((name, round(loop.now - loop.start, 3)))

        lab.told("for two sleepers, of 0.3 and 0.2 s, and for one whose deadline had passed")
        try:
            for name, seconds in (("late", 0.3), ("early", 0.2), ("over", -1)):
                loop.ready.append((name, sleeper(name, seconds)))
            with mock.patch.object(time, "sleep", loop.blocked):
                loop.run()
        except NameError as error:
            if error.name not in ("loop", "who"):
                raise
            raise Wrong(
                "no loop yet",
                f"That raised NameError: {error}. A sleeper knows neither the loop nor its own "
                "coroutine.",
                lab.call_of("wake_at"),
                "The loop gives both to the function that you yield, when it calls it: "
                "`park(loop, who)`.",
                headline="asked for the loop too early",
            ) from None
        except TypeError as error:
            if "await" not in str(error):
                raise
            raise Wrong(
                "not async",
                f"`await sleep_until(…)` raised TypeError: {error}.",
                lab.definition("sleep_until"),
                "Mark it: `@types.coroutine` above a plain `def` with a `yield` makes a "
                "generator that can be awaited.",
                headline="cannot be awaited",
            ) from None
        finally:
            loop.close()
        self._never(lab, [words for name, words in SLEEPERS.items() if name not in dict(woken)])
        if max(when for _, when in woken) > 10:
            raise Wrong(
                "wrong deadline",
                "It took the deadline for a number of seconds, and would wake far too late.",
                lab.earliest(lab.call_of("wake_at", "sleep"), lab.operation("+", on=["monotonic"])),
                "`deadline` is a moment already: hand it on as it is.",
                headline="took a moment for a length of time",
            )
        times = dict(woken)
        if times["early"] < 0.2 and (line := lab.call_of("wait", "join", "select")):
            raise Wrong(
                "blocked",
                "It waited by other means than the loop's, and the loop stood still.",
                line,
                "Who sleeps yields a function that tells the loop the deadline.",
            )
        if times["early"] < 0.2:
            other = lab.call_of("time.time", "perf_counter")
            raise Wrong(
                "wrong deadline",
                f"The sleeper of 0.2 s went on after {times['early']:.1f} s.",
                other or lab.call_of("wake_at") or lab.yielding(),
                "Each clock counts from a moment of its own. The deadline is one of "
                "`time.monotonic()`, and is compared with that."
                if other
                else "The function that you yield must give `wake_at` the moment, `deadline` "
                "itself, and not how many seconds are left.",
                headline="asked another clock" if other else "did not sleep",
                at="tells the time of another clock" if other else "",
            )
        lab.equal([name for name, _ in woken], ["over", "early", "late"], what="they woke as")
        lab.equal(times, {"over": 0, "early": 0.2, "late": 0.3}, what="they woke at")

    def _never(self, lab, names):
        if names:
            raise Wrong(
                "wake-up",
                f"Nobody woke {' and '.join(names)}.",
                lab.condition() or lab.earliest(lab.yielding(), lab.node(ast.Lambda)),
                "The loop knows of a parked sleeper only what it is told: the function must call "
                "`loop.wake_at(deadline, who)`, for a deadline that has passed too.",
                headline="nobody wakes it",
            )

    @sweep(
        lambda some: {
            "naps": some.lists(
                some.lists(
                    some.sampled_from((-1, 0, 0.1, 0.3, 0.5)), min_size=1, max_size=2, unique=True
                ),
                min_size=1,
                max_size=3,
            ),
        },
    )
    def any_deadlines(self, sleep_until, lab, naps):
        """Each sleeper waits until these moments, one after the other, in seconds from now."""
        plan = [
            f"in coroutine {name} (deadline {', then '.join(map(in_words, moments))})"
            for name, moments in zip("ABC", naps)
        ]
        lab.told(", ".join(plan))
        loop, woken, rounds = FakeLoop(lab), [], []

        async def sleeper(name, moments):
            for moment in moments:
                before, over = loop.rounds, loop.start + moment <= loop.now
                await sleep_until(loop.start + moment)
                if over:
                    later = loop.rounds - before
                    self._had_turns(lab, name, later)
                    rounds.append(f"{name} {IN_ROUND.get(later, f'{later} rounds later')}")
                else:
                    woken.append((name, round(loop.now - loop.start, 3)))

        with contextlib.closing(loop), mock.patch.object(time, "sleep", loop.blocked):
            for name, moments in zip("ABC", naps):
                loop.ready.append((name, sleeper(name, moments)))
            loop.run()
        return {
            "they woke at": sorted(woken, key=lambda one: (one[1], one[0])),
            "those whose deadline had come went on:": sorted(rounds),
        }

    def _had_turns(self, lab, name, rounds):
        """Raise Wrong if one whose moment was over went on at once, or too late."""
        if rounds == 0:
            raise Wrong(
                "turns",
                f"The deadline of {name} had come. {name} went on at once, and nobody else had a "
                "turn.",
                lab.condition("monotonic", "*time", "deadline"),
                "Yield the function in any case, and once: the loop itself sees that the deadline "
                "has passed.",
                headline="gave the others no turn",
            )
        if rounds > 1:
            raise Wrong(
                "turns",
                f"The deadline of {name} had come. {name} went on {rounds} rounds later.",
                lab.dropped_yield(),
                "Each `yield` costs a round. One is enough: the loop itself sees that the deadline "
                "has passed.",
                headline="one round too many",
            )

    @right
    @types.coroutine
    def with_a_lambda(deadline):
        """Wait until `deadline`, a moment of time.monotonic()."""
        yield lambda loop, who: loop.wake_at(deadline, who)

    @right
    @types.coroutine
    def with_a_function(deadline):
        def park(loop, who):
            loop.wake_at(deadline, who)

        yield park if deadline > time.monotonic() else None

    @right
    class AnAwaitable:
        def __init__(self, deadline):
            self.deadline = deadline

        def __await__(self):
            yield lambda loop, who: loop.wake_at(self.deadline, who)

    @wrong("another form", says="a float")
    @types.coroutine
    def yields_the_deadline(deadline):
        yield deadline

    @wrong("not async", says="generator")
    def without_a_mark(deadline):
        yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("not async", says="async_generator")
    async def with_async(deadline):
        yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("polling", says="100 turns")
    @types.coroutine
    def that_polls(deadline):
        while time.monotonic() < deadline:
            yield

    @wrong("blocked", says="`time.sleep`")
    @types.coroutine
    def that_blocks(deadline):
        time.sleep(max(0, deadline - time.monotonic()))
        yield

    @wrong("wrong deadline", says="number of seconds")
    @types.coroutine
    def adds_it(deadline):
        until = time.monotonic() + deadline
        yield lambda loop, who: loop.wake_at(until, who)

    @wrong("wake-up", says="Nobody woke the one of 0.3 s")
    @types.coroutine
    def forgets(deadline):
        yield lambda loop, who: None

    @wrong("turns", says="nobody else had a turn")
    @types.coroutine
    def goes_on_at_once(deadline):
        if deadline > time.monotonic():
            yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("turns", says="2 rounds later")
    @types.coroutine
    def yields_twice(deadline):
        yield
        yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("no loop yet", says="neither the loop")
    @types.coroutine
    def calls_it_itself(deadline):
        yield loop.wake_at(deadline, who)  # noqa: F821

    @wrong("wrong deadline", says="deadline first")
    @types.coroutine
    def turned_round(deadline):
        yield lambda loop, who: loop.wake_at(who, deadline)

    @wrong("wrong deadline", says="after 0.0 s")
    @types.coroutine
    def only_one_turn(deadline):
        yield


def in_words(moment):
    """A deadline that is so many seconds from the start."""
    return {-1: "1 s ago", 0: "now"}.get(moment, f"in {moment} s")


class FakeLoop:
    """A loop as `timers.Loop`, whose clock jumps from one deadline to the next."""

    def __init__(self, lab):
        self.lab = lab
        self.start = self.now = time.monotonic()
        self.ready = deque()
        self.sleeping = []
        self.tickets = itertools.count()
        self.turns = self.rounds = 0

    def wake_at(self, deadline, who):
        if not isinstance(deadline, (int, float)):
            raise Wrong(
                "wrong deadline",
                "It called `loop.wake_at` with something other than a moment "
                "as its first argument.",
                self.lab.call_of("wake_at"),
                "`loop.wake_at(deadline, who)`: the deadline first.",
                headline="swapped the arguments"
                if isinstance(who, (int, float))
                else "gave no deadline",
            )
        entry = [deadline, next(self.tickets), who]
        heapq.heappush(self.sleeping, entry)
        return entry

    def run(self):
        while self.ready or self.sleeping:
            if not self.ready:
                self.now = max(self.now, self.sleeping[0][0])
            self.rounds += 1
            while self.sleeping and self.sleeping[0][0] <= self.now:
                self.ready.append(heapq.heappop(self.sleeping)[2])
            for _ in range(len(self.ready)):
                self.step(*self.ready.popleft())

    def step(self, name, coro):
        try:
            park = coro.send(None)
        except StopIteration:
            return
        self.turns += 1
        if self.turns > 100:
            raise Wrong(
                "polling",
                "It took 100 turns and more, and asked in each of them.",
                self.lab.while_loop(),
                "Tell the loop the deadline, once, and take no turn before it.",
                headline="asks for the time",
            )
        if park is None:
            self.ready.append((name, coro))
        elif callable(park):
            park(self, (name, coro))
        else:
            raise Wrong(
                "another form",
                f"What it yielded is no function but a {type(park).__name__}: {park!r}.",
                self.lab.stands_at(coro) or self.lab.yielding(),
                "Yield a function that the loop can call as `park(loop, who)`. Don't call "
                "it yourself.",
                headline="handed out no function",
            )

    def blocked(self, seconds):
        raise Wrong(
            "blocked",
            f"It called `time.sleep` for {seconds:.1f} s, and nobody else could run.",
            self.lab.call_of("sleep"),
            "Only the loop may sleep, and only if nobody is ready. Yield a function that calls "
            "`loop.wake_at`.",
            headline="held up the loop",
        )

    def close(self):
        """End those that have not, without a warning."""
        for _, coro in [*self.ready, *(entry[2] for entry in self.sleeping)]:
            coro.close()
