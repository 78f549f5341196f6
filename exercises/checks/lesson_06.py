"""Exercises of lesson 06: a loop that knows when to wake whom, and sleeps until then."""

import asyncio
import heapq
import itertools
import time
import types
from collections import deque
from unittest import mock

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class PredictWakes(Exercise):
    """Predict who wakes when

    Read this program, and do not run it. `sleep` and `Loop` are those of `timers.py`.

        async def naps(name, *lengths):
            for seconds in lengths:
                await sleep(seconds)
            print(name)

        loop = Loop()
        loop.spawn(naps("a", 0.3))
        loop.spawn(naps("b", 0.1, 0.1))
        loop.spawn(naps("c", 0.1))
        loop.spawn(naps("d", 0))
        loop.spawn(naps("e", 0.1))
        loop.run()

    Set `order` to the list of names in the order in which they are printed.
    """

    id = "wakes-1"
    asks = "order"
    minutes = 3
    hints = (
        "Write the moment at which each is done beside its name.",
        "`sleep(0)` is one turn for the others, and no wait. Two naps add up.",
        "d after one turn, at 0; c and e at 0.1, in the order of their tickets; then b and a.",
    )
    right_values = (["d", "c", "e", "b", "a"],)
    wrong_values = (
        wrong_value(
            ["a", "b", "c", "d", "e"],
            "in the order of spawning",
            "You printed them as they were spawned. All five begin in that order; they "
            "end when their sleeps are over.",
        ),
        wrong_value(
            ["d", "b", "c", "e", "a"],
            "one nap of two",
            "You woke `b` for good at 0.1. It then sleeps again, for another 0.1.",
        ),
        wrong_value(
            ["d", "e", "c", "b", "a"],
            "equal deadlines turned round",
            "`c` went to sleep before `e`, so its deadline is the earlier one, or its "
            "ticket the lower one.",
        ),
        wrong_value(
            ["d", "c", "b", "e", "a"],
            "one nap of two",
            "You woke `b` for good between `c` and `e`, at 0.1. It then sleeps again, for "
            "another 0.1.",
        ),
        wrong_value(
            ["d", "c", "e", "a", "b"],
            "two naps for more than they are",
            "You let `a` come before `b`. `b` sleeps twice for 0.1 s: that is over before "
            "the 0.3 s of `a`.",
        ),
        wrong_value(
            ["c", "e", "b", "a", "d"],
            "a sleep of nothing",
            "You let `d` come last. It sleeps for 0 s: one turn for the others, and on.",
        ),
        wrong_value(
            ["c", "d", "e", "b", "a"],
            "a sleep of nothing",
            "You let `c` come before `d`. `c` sleeps for 0.1 s, and `d` for no time at "
            "all: it goes on in the next round.",
        ),
    )


class NextWait(Exercise):
    """How long may the loop sleep?

    Write a function `next_wait(ready, sleeping, now)`. `ready` is the queue of those who are
    ready, `sleeping` the heap of `(deadline, ticket, coroutine)`, `now` the time. The function
    returns for how many seconds the loop may sleep before its next round:

    - 0 if somebody is ready;
    - else the seconds until the first deadline, and never less than 0;
    - `None` if nobody is ready and nobody sleeps: then nothing will ever happen.

    It only looks: the queue and the heap stay as they are.
    """

    id = "wait-1"
    asks = "next_wait"
    minutes = 6
    hints = (
        "Three cases, and the order of the questions matters. Which of them comes first, whatever "
        "stands in the heap?",
        "In a heap the first deadline is at place 0: `sleeping[0][0]`. It may be over already.",
        "`if ready: return 0`, then `if not sleeping: return None`, then "
        "`return max(0, sleeping[0][0] - now)`.",
    )

    def verify(self, next_wait, lab):
        got = self._ask(lab, next_wait, "A", [5.0], 3.0, "A was ready, and B's deadline 2 s away")
        if got == 2:
            raise Wrong(
                "sleeps while somebody is ready",
                "It returned 2: A would have to wait as long as B.",
                lab.line(r"\bsleeping\["),
                "Ask about `ready` first.",
            )
        lab.equal(got, 0)
        got = self._ask(lab, next_wait, "A", [], 3.0, "A was ready, and nobody slept")
        lab.equal(got, 0)
        self._first(
            lab,
            self._ask(
                lab,
                next_wait,
                "",
                [4.0, 9.0, 6.0],
                3.0,
                "nobody was ready, it was 3.0, and the deadlines were 4.0, 9.0 and 6.0",
            ),
        )
        got = self._ask(lab, next_wait, "", [4.0], 4.5, "the only deadline was over by 0.5 s")
        if isinstance(got, (int, float)) and got < 0:
            raise Wrong(
                "a negative wait",
                f"It returned {got}, and `time.sleep` refuses that.",
                lab.line(r"-\s*now|now\s*-"),
                "A deadline may always be over by the time you look: `max(0, …)`.",
            )
        lab.equal(got, 0)
        got = self._ask(lab, next_wait, "", [], 3.0, "nobody was ready, and nobody slept")
        if got == 0 and got is not None:
            raise Wrong(
                "never rests",
                "It returned 0: the loop would go round and round, at once and for nothing.",
                lab.line(r"return 0|max\("),
                "There is nothing to wait for, so there is no number to return.",
            )
        lab.equal(got, None)

    def _ask(self, lab, next_wait, names, deadlines, now, told):
        """Ask once; the queue and the heap must stay as they are."""
        ready = deque(names)
        sleeping = [
            (deadline, number, chr(66 + number)) for number, deadline in enumerate(deadlines)
        ]
        before = [*ready], [*sleeping]
        lab.told(f"when {told}")
        try:
            got = next_wait(ready, sleeping, now)
        except (IndexError, ValueError) as error:
            if sleeping:
                raise
            raise Wrong(
                "looked into an empty heap",
                f"That raised {type(error).__name__}: {error}.",
                lab.line(r"\bsleeping\[|min\("),
                "Ask whether there is a first deadline before you look at it.",
            ) from None
        if before != ([*ready], [*sleeping]):
            raise Wrong(
                "took somebody out",
                "Afterwards the queue or the heap was not what it had been.",
                lab.line(r"pop|remove|sort"),
                "Only look: the sleeper at place 0 must still be there when it is due.",
            )
        return got

    def _first(self, lab, got):
        if got == 4:
            raise Wrong(
                "a moment for a length",
                "It returned 4.0: that is a moment, not a number of seconds.",
                lab.line(r"\bsleeping\["),
                "The loop may sleep from `now` until that moment.",
            )
        if got in (6, 3):
            raise Wrong(
                "another's deadline",
                f"It returned {got}, and the first deadline is 1 s away: who has it would "
                "wake too late.",
                lab.line(r"\bsleeping\[|max\("),
                "In a heap the first deadline is at place 0.",
            )
        lab.equal(got, 1)

    @right
    def with_three_cases(ready, sleeping, now):
        """Return the seconds that the loop may sleep; None if nothing will ever happen."""
        if ready:
            return 0
        if not sleeping:
            return None
        return max(0, sleeping[0][0] - now)

    @right
    def with_min(ready, sleeping, now):
        if not ready and not sleeping:
            return None
        first = min((entry[0] for entry in sleeping), default=now)
        return 0 if ready else max(first, now) - now

    @wrong("sleeps while somebody is ready", says="A would have to wait")
    def without_ready(ready, sleeping, now):
        if sleeping:
            return max(0, sleeping[0][0] - now)
        return 0 if ready else None

    @wrong("a negative wait", says="It returned -0.5")
    def without_max(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return sleeping[0][0] - now

    @wrong("looked into an empty heap", says="IndexError")
    def without_a_look(ready, sleeping, now):
        if ready:
            return 0
        return max(0, sleeping[0][0] - now)

    @wrong("never rests", says="round and round")
    def nothing_is_zero(ready, sleeping, now):
        if ready or not sleeping:
            return 0
        return max(0, sleeping[0][0] - now)

    @wrong("a moment for a length", says="It returned 4.0")
    def returns_the_deadline(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return sleeping[0][0]

    @wrong("another's deadline", says="It returned 3.0")
    def looks_at_the_end(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return max(0, sleeping[-1][0] - now)

    @wrong("took somebody out", says="not what it had been")
    def pops(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return max(0, heapq.heappop(sleeping)[0] - now)


class HeapWithTies(Exercise):
    """The sleepers

    Write a class `Sleepers`, which keeps those who sleep.

    - `add(deadline, who)` takes in `who`, to be woken at `deadline`.
    - `due(now)` takes out all whose deadline is `now` or earlier, and returns them as a list: the
      earliest deadline first, and of equal deadlines the one first that was added first.

    `who` can be anything. It need not be comparable: coroutines are not.
    """

    id = "sleepers-1"
    asks = "Sleepers"
    minutes = 9
    hints = (
        "A heap of `(deadline, who)` compares `who` as soon as two deadlines are equal. What could "
        "stand between the two?",
        "A number that never comes twice: a ticket from `itertools.count()`, made once, in "
        "`__init__`. `len(self.heap)` comes twice, as soon as somebody has been taken out.",
        "`add`: `heapq.heappush(self.heap, (deadline, next(self.tickets), who))`. `due`: `while "
        "self.heap and self.heap[0][0] <= now:` append `heapq.heappop(self.heap)[2]` to a list.",
    )

    def verify(self, Sleepers, lab):
        lab.told("and added sleepers to it")
        a, b, c, d = (Sleeper(name) for name in "abcd")
        sleepers = Sleepers()
        for deadline, who in ((3, c), (1, a), (2, b), (9, d)):
            sleepers.add(deadline, who)
        lab.equal(sleepers.due(0.5), [], what="with deadlines 1, 2, 3 and 9, at 0.5 it returned")
        got = sleepers.due(2)
        if got == [b]:
            raise Wrong(
                "lost a sleeper",
                "a had the deadline 1. It was not due at 0.5, and at 2 it was gone.",
                lab.line(r"pop"),
                "Look at place 0 before you take out: what is popped is out of the heap.",
            )
        if got == [a]:
            raise Wrong(
                "left some asleep",
                "The deadlines were 1, 2, 3 and 9. At 2 it returned [a] alone.",
                lab.line(r"\bif\b.*now|<\s*now|now\s*>"),
                "Go on while the first deadline is `now` or earlier, `now` included.",
            )
        lab.equal(got, [a, b], what="with deadlines 1, 2, 3 and 9, at 2 it returned")
        got = sleepers.due(4)
        if a in (got or ()):
            raise Wrong(
                "woke them twice",
                f"At 2 it returned [a, b], and at 4 {got}.",
                lab.line(r"def due|for "),
                "`due` takes out those that it returns.",
            )
        lab.equal(got, [c], what="with 3 and 9 left, at 4 it returned")
        self._ties(lab, Sleepers)
        self._ties_after_a_wake(lab, Sleepers)
        one, other = Sleepers(), Sleepers()
        one.add(1, a)
        if other.due(2):
            raise Wrong(
                "share one heap",
                "I made two `Sleepers` and added somebody to the first. The second returned them.",
                lab.line(r"=\s*\[\]"),
                "Make the list in `__init__`, so that each has its own.",
            )

    def _ties(self, lab, Sleepers):
        # Whoever orders by id gets them the other way round.
        five = sorted((Sleeper("") for _ in range(5)), key=id, reverse=True)
        for name, sleeper in zip("abcde", five):
            sleeper.name = name
        sleepers = Sleepers()
        self._compare(
            lab,
            "I added five sleepers with the same deadline.",
            lambda: [sleepers.add(4.0, sleeper) for sleeper in five],
        )
        got = sleepers.due(4.0)
        if got == []:
            raise Wrong(
                "left some asleep",
                "Five had the deadline 4.0. At 4.0 nobody was due.",
                lab.line(r"<\s*now|now\s*>"),
                "Who wants to wake at 4.0 is due at 4.0: `<=`.",
            )
        if got and got != five and set(got) == set(five):
            raise Wrong(
                "no order among equals",
                f"I added a, b, c, d and e with the same deadline. They came out as {got}.",
                lab.line(r"heappush|append|sort|min\("),
                "The ticket must tell who came first: `next(self.tickets)`.",
            )
        lab.equal(got, five, what="five with the same deadline came out as")

    def _ties_after_a_wake(self, lab, Sleepers):
        a, b, c, d = (Sleeper(name) for name in "abcd")
        sleepers = Sleepers()

        def talk():
            sleepers.add(1, a)
            sleepers.add(5, b)
            sleepers.due(2)
            sleepers.add(5, c)
            sleepers.add(5, d)

        self._compare(lab, "I added a and b, woke a, and added two with the deadline of b.", talk)
        lab.equal(
            sleepers.due(5),
            [b, c, d],
            what="after one had been woken, three equal ones came out as",
        )

    def _compare(self, lab, told, act):
        try:
            act()
        except TypeError as error:
            if "not supported between" not in str(error):
                raise
            raise Wrong(
                "compared the sleepers",
                f"{told} That raised TypeError: {error}.",
                lab.line(r"heappush|append|insort|sort"),
                "Put a ticket between deadline and sleeper: a number that never comes "
                "twice, so that every comparison ends there.",
            ) from None

    @right
    class with_tickets:
        """Those who sleep, by deadline."""

        def __init__(self):
            self.heap = []
            self.tickets = itertools.count()

        def add(self, deadline, who):
            """Take in `who`, to be woken at `deadline`."""
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            """Take out all whose deadline is `now` or earlier; return them in order."""
            found = []
            while self.heap and self.heap[0][0] <= now:
                found.append(heapq.heappop(self.heap)[2])
            return found

    @right
    class with_a_sorted_list:
        def __init__(self):
            self.pairs = []

        def add(self, deadline, who):
            self.pairs.append((deadline, who))
            self.pairs.sort(key=lambda pair: pair[0])

        def due(self, now):
            found = [who for deadline, who in self.pairs if deadline <= now]
            del self.pairs[: len(found)]
            return found

    @wrong("compared the sleepers", says="same deadline. That raised TypeError")
    class without_a_ticket:
        def __init__(self):
            self.heap = []

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, who))

        def due(self, now):
            found = []
            while self.heap and self.heap[0][0] <= now:
                found.append(heapq.heappop(self.heap)[1])
            return found

    @wrong("compared the sleepers", says="woke a, and added two")
    class with_a_ticket_that_comes_twice:
        def __init__(self):
            self.heap = []

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, len(self.heap), who))

        def due(self, now):
            found = []
            while self.heap and self.heap[0][0] <= now:
                found.append(heapq.heappop(self.heap)[2])
            return found

    @wrong("no order among equals", says="came out as [e, d, c, b, a]")
    class with_the_id:
        def __init__(self):
            self.heap = []

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, id(who), who))

        def due(self, now):
            found = []
            while self.heap and self.heap[0][0] <= now:
                found.append(heapq.heappop(self.heap)[2])
            return found

    @wrong("left some asleep", says="[a] alone")
    class wakes_one:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            if self.heap and self.heap[0][0] <= now:
                return [heapq.heappop(self.heap)[2]]
            return []

    @wrong("left some asleep", says="`now` included")
    class with_less_than:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            found = []
            while self.heap and self.heap[0][0] < now:
                found.append(heapq.heappop(self.heap)[2])
            return found

    @wrong("woke them twice", says="at 4 [a, b, c]")
    class that_keeps_them:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            return [who for deadline, _, who in sorted(self.heap) if deadline <= now]

    @wrong("lost a sleeper", says="at 2 it was gone")
    class pops_before_it_looks:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            found = []
            while self.heap:
                deadline, _, who = heapq.heappop(self.heap)
                if deadline > now:
                    break
                found.append(who)
            return found

    @wrong("share one heap", says="The second returned them")
    class with_one_heap_for_all:
        heap, ticket = [], 0

        def add(self, deadline, who):
            self.ticket += 1
            heapq.heappush(self.heap, (deadline, self.ticket, who))

        def due(self, now):
            found = []
            while self.heap and self.heap[0][0] <= now:
                found.append(heapq.heappop(self.heap)[2])
            return found


class Sleeper:
    """Somebody who has a name and no order."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class SleepUntil(Exercise):
    """Sleep until a moment

    Write `sleep_until(deadline)` for the loop of `timers.py`. Who awaits it is woken at
    `deadline`, a moment of `time.monotonic()`. If that is over already, it goes on in the next
    round.

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

    def verify(self, sleep_until, lab):
        loop, woken = FakeLoop(lab), []

        async def sleeper(name, seconds):
            deadline = loop.start + seconds
            await sleep_until(deadline)
            woken.append((name, round(loop.now - loop.start, 3)))

        lab.told("for two sleepers, of 0.3 and 0.2 s, and for one whose deadline was over")
        try:
            for name, seconds in (("late", 0.3), ("early", 0.2), ("over", -1)):
                loop.ready.append((name, sleeper(name, seconds)))
            with mock.patch.object(time, "sleep", loop.blocked):
                loop.run()
        except NameError as error:
            if error.name not in ("loop", "who"):
                raise
            raise Wrong(
                "asked for the loop too early",
                f"That raised NameError: {error}. Who sleeps knows neither the loop nor "
                "its own coroutine.",
                lab.line(r"wake_at"),
                "The loop gives both to the function that you yield, when it calls it: "
                "`park(loop, who)`.",
            ) from None
        except TypeError as error:
            if "await" not in str(error):
                raise
            raise Wrong(
                "cannot be awaited",
                f"`await sleep_until(…)` raised TypeError: {error}.",
                lab.line(r"def sleep_until"),
                "Mark it: `@types.coroutine` above a plain `def` with a `yield` makes a "
                "generator that can be awaited.",
            ) from None
        finally:
            loop.close()
        self._never(lab, [name for name in ("late", "early", "over") if name not in dict(woken)])
        if max(when for _, when in woken) > 10:
            raise Wrong(
                "a moment for a length",
                "It took the deadline for a number of seconds, and woke days too late.",
                lab.line(r"monotonic\(\) \+|wake_at|sleep\("),
                "`deadline` is a moment already: hand it on as it is.",
            )
        times = dict(woken)
        if times["early"] < 0.2:
            raise Wrong(
                "did not sleep",
                f"A sleeper of 0.2 s went on after {times['early']:.1f} s.",
                lab.line(r"yield|wake"),
                "Who parks it must give the loop its deadline.",
            )
        lab.equal([name for name, _ in woken], ["over", "early", "late"], what="they woke as")
        lab.equal(times, {"over": 0, "early": 0.2, "late": 0.3}, what="they woke at")

    def _never(self, lab, names):
        if names:
            raise Wrong(
                "nobody wakes it",
                f"{len(names)} of the three never woke: {', '.join(names)}.",
                lab.line(r"yield|lambda"),
                "Parked is not forgotten: the function must call `loop.wake_at(deadline, who)`.",
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

    @wrong("handed out no function", says="a float")
    @types.coroutine
    def yields_the_deadline(deadline):
        yield deadline

    @wrong("cannot be awaited", says="generator")
    def without_a_mark(deadline):
        yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("cannot be awaited", says="async_generator")
    async def with_async(deadline):
        yield lambda loop, who: loop.wake_at(deadline, who)

    @wrong("asks for the time", says="100 turns")
    @types.coroutine
    def that_polls(deadline):
        while time.monotonic() < deadline:
            yield

    @wrong("held up the loop", says="`time.sleep`")
    @types.coroutine
    def that_blocks(deadline):
        time.sleep(max(0, deadline - time.monotonic()))
        yield

    @wrong("a moment for a length", says="number of seconds")
    @types.coroutine
    def adds_it(deadline):
        until = time.monotonic() + deadline
        yield lambda loop, who: loop.wake_at(until, who)

    @wrong("nobody wakes it", says="never woke: late, early, over")
    @types.coroutine
    def forgets(deadline):
        yield lambda loop, who: None

    @wrong("asked for the loop too early", says="neither the loop")
    @types.coroutine
    def calls_it_itself(deadline):
        yield loop.wake_at(deadline, who)  # noqa: F821

    @wrong("gave no deadline", says="deadline first")
    @types.coroutine
    def turned_round(deadline):
        yield lambda loop, who: loop.wake_at(who, deadline)

    @wrong("did not sleep", says="after 0.0 s")
    @types.coroutine
    def only_one_turn(deadline):
        yield


class FakeLoop:
    """A loop as `timers.Loop`, whose clock jumps from one deadline to the next."""

    def __init__(self, lab):
        self.lab = lab
        self.start = self.now = time.monotonic()
        self.ready = deque()
        self.sleeping = []
        self.tickets = itertools.count()
        self.turns = 0

    def wake_at(self, deadline, who):
        if not isinstance(deadline, (int, float)):
            raise Wrong(
                "gave no deadline",
                "It called `loop.wake_at` with something else than a moment in the first place.",
                self.lab.line("wake_at"),
                "`loop.wake_at(deadline, who)`: the deadline first.",
            )
        entry = [deadline, next(self.tickets), who]
        heapq.heappush(self.sleeping, entry)
        return entry

    def run(self):
        while self.ready or self.sleeping:
            if not self.ready:
                self.now = max(self.now, self.sleeping[0][0])
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
                "asks for the time",
                "It took 100 turns and more, and asked in each of them.",
                self.lab.line(r"\bwhile\b"),
                "Tell the loop the deadline, once, and take no turn before it.",
            )
        if park is None:
            self.ready.append((name, coro))
        elif callable(park):
            park(self, (name, coro))
        else:
            raise Wrong(
                "handed out no function",
                f"What it yielded is no function but a {type(park).__name__}: {park!r}.",
                self.lab.line(r"\byield\b"),
                "Yield a function that the loop can call as `park(loop, who)`. Don't call "
                "it yourself.",
            )

    def blocked(self, seconds):
        raise Wrong(
            "held up the loop",
            f"It called `time.sleep` for {seconds:.1f} s, and nobody else could run.",
            self.lab.line(r"sleep\("),
            "Only the loop may sleep, and only if nobody is ready. Yield instead.",
        )

    def close(self):
        """End those that have not, without a warning."""
        for _, coro in [*self.ready, *(entry[2] for entry in self.sleeping)]:
            coro.close()


class Every(Exercise):
    """On the beat

    Write an async function `every(seconds, times, work, clock, sleep)`. It awaits `work()` as
    often as `times` says: the first time at once, then on each beat, `seconds` apart, counted from
    the start. It ends with the last work.

    `clock()` tells the time, and `await sleep(seconds)` waits, for zero or less only one turn. As
    on every loop, it wakes you a little late. `work` takes a while too. Neither may shift the
    later beats. If a work takes longer than `seconds`, the next one begins at once, and the later
    ones are on the beat again.
    """

    id = "every-1"
    asks = "every"
    minutes = 8
    hints = (
        "Sleep `seconds` after each work, and the beats are `seconds` and a work apart. Which "
        "moment is beat number 3?",
        "Beat number n is at `start + n * seconds`, whatever happened before. Note the start once.",
        "`start = clock()`; `for beat in range(times):` first `await sleep(start + beat * seconds "
        "- clock())`, then `await work()`.",
    )

    def verify(self, every, lab):
        begun, run = self._play(lab, every, [0.3] * 5)
        self._count(lab, begun, 5)
        if begun[0] > 0.5:
            raise Wrong(
                "began one beat late",
                f"The first work began after {begun[0]:.2f} s. It should begin at once.",
                lab.line(r"sleep\("),
                "Beat number 0 is the start itself.",
            )
        self._drift(lab, begun)
        if self.sleeps > 10:
            raise Wrong(
                "asks for the time",
                f"It slept {self.sleeps} times for five works: it wakes, looks at the "
                "clock, and sleeps again.",
                lab.line(r"\bwhile\b"),
                "You know how long it is until the next beat: sleep once, for so long.",
            )
        if run.elapsed > begun[-1] + 0.31:
            raise Wrong(
                "waits for nothing at the end",
                f"The last work was done after {begun[-1] + 0.3:.2f} s. It went on until "
                f"{run.elapsed:.2f} s.",
                lab.line(r"sleep\("),
                "Sleep before a work, not after it.",
            )
        begun, _ = self._play(lab, every, [0.3, 1.6, 0.1, 0.1, 0.1])
        self._count(lab, begun, 5)
        if begun[2] > 2.7:
            raise Wrong(
                "left out a beat",
                f"A work begun at {begun[1]:.2f} s took 1.6 s. The next one should begin "
                f"at once, and began at {begun[2]:.2f} s.",
                lab.line(r"sleep\("),
                "Its beat is over: what is left to wait is less than nothing.",
            )
        if abs(begun[3] - 3) > 0.02:
            raise Wrong(
                "lost the beat",
                f"One work took 1.6 s. The beats after it should be at 3 and 4 s, and were "
                f"at {begun[3]:.2f} and {begun[4]:.2f} s.",
                lab.line(r"sleep\("),
                "Count the beats from the start.",
            )

    def _play(self, lab, every, lengths):
        begun, left = [], iter(lengths)
        self.sleeps = 0

        def clock():
            return asyncio.get_running_loop().time()

        async def sleep(seconds):
            self.sleeps += 1
            await asyncio.sleep(seconds + 0.01 if seconds > 0 else 0)

        async def work():
            begun.append(clock() - zero)
            await asyncio.sleep(next(left, 0.1))

        async def main():
            nonlocal zero
            zero = clock()
            return await every(1, len(lengths), work, clock, sleep)

        zero = 0.0
        lab.told(f"with beats 1 s apart and works of {', '.join(map(str, lengths))} s")
        return begun, lab.run(self._whole(lab, every, main))

    async def _whole(self, lab, every, main):
        try:
            return await main()
        except TypeError as error:
            if "can't be used in 'await'" in str(error):
                raise Wrong(
                    "not async",
                    f"`await every(…)` raised TypeError: {error}.",
                    lab.line(r"def every"),
                ) from None
            raise

    def _count(self, lab, begun, times):
        if len(begun) != times:
            raise Wrong(
                "wrong number of works",
                f"I asked for {times} works, and it began {len(begun)}.",
                lab.line(r"range|while"),
                "`range(times)` counts from 0.",
            )

    def _drift(self, lab, begun):
        shown = ", ".join(f"{moment:.2f}" for moment in begun)
        if abs(begun[1] - 1.31) < 0.02:
            raise Wrong(
                "drifts by the work",
                f"Each work took 0.3 s. They began at {shown} s, and should at 0, 1, 2, 3 "
                "and 4 s, or a hundredth later.",
                lab.line(r"sleep\("),
                "The next beat is `seconds` after the last beat, not after the work.",
            )
        if begun[-1] > 4.02:
            raise Wrong(
                "drifts by what it wakes late",
                f"Each sleep ended 0.01 s late. The works began at {shown} s: it adds up.",
                lab.line(r"sleep\("),
                "Don't count from when you woke. Count all beats from the start.",
            )
        if any(abs(moment - beat) > 0.02 for beat, moment in enumerate(begun)):
            raise Wrong(
                "not on the beat",
                f"The works began at {shown} s, and should at 0, 1, 2, 3 and 4 s, or a "
                "hundredth later.",
                lab.line(r"sleep\("),
            )

    @right
    async def with_the_number_of_the_beat(seconds, times, work, clock, sleep):
        """Await `work()` on each beat, `seconds` apart, `times` times."""
        start = clock()
        for beat in range(times):
            await sleep(start + beat * seconds - clock())
            await work()

    @right
    async def with_the_next_beat(seconds, times, work, clock, sleep):
        due = clock()
        for _ in range(times):
            await sleep(due - clock())
            await work()
            due += seconds

    @wrong("drifts by the work", says="1.31, 2.62")
    async def sleeps_after_work(seconds, times, work, clock, sleep):
        for beat in range(times):
            if beat:
                await sleep(seconds)
            await work()

    @wrong("drifts by what it wakes late", says="1.01, 2.02")
    async def measures_each_work(seconds, times, work, clock, sleep):
        for _ in range(times - 1):
            begun = clock()
            await work()
            await sleep(seconds - (clock() - begun))
        await work()

    @wrong("began one beat late", says="after 1.01 s")
    async def counts_from_one(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(1, times + 1):
            await sleep(start + beat * seconds - clock())
            await work()

    @wrong("waits for nothing at the end", says="5.01 s")
    async def sleeps_at_the_end(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times):
            await work()
            await sleep(start + (beat + 1) * seconds - clock())

    @wrong("wrong number of works", says="it began 6")
    async def one_more(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times + 1):
            await sleep(start + beat * seconds - clock())
            await work()

    @wrong("left out a beat", says="began at 3.01 s")
    async def skips(seconds, times, work, clock, sleep):
        start, begun = clock(), 0
        while begun < times:
            await work()
            begun += 1
            if begun < times:
                late = (clock() - start) % seconds
                await sleep(seconds - late)

    @wrong("asks for the time", says="sleep once")
    async def sleeps_a_little(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times):
            while clock() < start + beat * seconds:
                await sleep(0.001)
            await work()

    @wrong("spin", says="nothing ever waited")
    async def asks_politely(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times):
            while clock() < start + beat * seconds:
                await sleep(0)
            await work()
