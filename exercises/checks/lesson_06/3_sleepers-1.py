"""Long, for an order can be lost in many ways, and each is a whole class."""

import ast
import heapq
import itertools

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import uses

ANYBODY = ("ann", "bob", "", 0, None, [])


class HeapWithTies(Exercise):
    """The sleepers

    Write a class `Sleepers`, which keeps sleepers and their deadlines.

    - `add(deadline, who)` takes in `who`, to be woken at `deadline`.
    - `due(now)` takes out all whose deadline is `now` or earlier, and returns them as a list: the
      earliest deadline first, and of equal deadlines the one first that was added first.

    `who` can be anything, and may be added twice. It need not be comparable: coroutines are not.
    """

    id = "sleepers-1"
    asks = "Sleepers"
    minutes = 9
    hints = (
        "A heap of `(deadline, who)` compares `who` as soon as two deadlines are equal. What could "
        "stand between the two?",
        "A number that never repeats: a ticket from `itertools.count()`, made once, in "
        "`__init__`. `len(self.heap)` repeats as soon as one has been taken out.",
        "`add`: `heapq.heappush(self.heap, (deadline, next(self.tickets), who))`. `due`: `while "
        "self.heap and self.heap[0][0] <= now:` append `heapq.heappop(self.heap)[2]` to a list.",
    )

    def verify(self, Sleepers, lab):
        lab.told("and then its `add` and `due`")
        a, b, c, d = (Sleeper(name) for name in "abcd")
        sleepers = Sleepers()
        for deadline, who in ((3, c), (1, a), (2, b), (9, d)):
            sleepers.add(deadline, who)
        lab.equal(sleepers.due(0.5), [], what="with deadlines 1, 2, 3 and 9, at 0.5 `due` returned")
        got = sleepers.due(2)
        if got == [b]:
            raise Wrong(
                "lost items",
                "a had the deadline 1. It was not due at 0.5, and at 2 it was gone.",
                lab.call_of("pop*", "*pop"),
                "Look at place 0 before you take out: what is popped is out of the heap.",
                headline="lost a sleeper",
            )
        if got == [a] and (loop := _through_a_heap(lab)):
            raise _unsorted(
                "The deadlines were 1, 2, 3 and 9. At 2 `due` returned [a] alone.", loop
            )
        if got == [a]:
            raise Wrong(
                "turns",
                "The deadlines were 1, 2, 3 and 9. At 2 `due` returned [a] alone.",
                lab.changed_underway()
                or lab.earliest(lab.condition("now"), lab.operation("<", ">", on=["now"])),
                "Go on while the first deadline is `now` or earlier, `now` included.",
                headline="left some asleep",
            )
        said = f"With deadlines 1, 2, 3 and 9, at 2 `due` returned {got}; expected [a, b]."
        if isinstance(got, list) and any(isinstance(one, tuple) for one in got):
            raise Wrong(
                "another form",
                said,
                lab.call_of("heappop", "*.pop", "*.popleft") or lab.returning(),
                "What was added is asked for, and not the entry that you made of it.",
                headline="returned entries",
            )
        if got != [a, b] and (heap := _not_by_deadline(lab)):
            raise Wrong(
                "heap",
                said,
                heap,
                "A heap is ordered by what stands first in its entries. Let that be the deadline.",
                headline="ordered by something else",
            )
        lab.equal(got, [a, b], "with deadlines 1, 2, 3 and 9, at 2 `due` returned")
        got = sleepers.due(4)
        if a in (got or ()):
            raise Wrong(
                "lost items",
                f"At 2 `due` returned [a, b], and at 4 {got}.",
                lab.earliest(lab.definition("due"), lab.for_loop()),
                "`due` takes out those that it returns.",
                headline="woke them twice",
            )
        lab.equal(got, [c], what="with 3 and 9 left, at 4 `due` returned")
        self._order(lab, Sleepers)
        self._twice(lab, Sleepers)
        self._lists(lab, Sleepers)
        self._ties(lab, Sleepers)
        self._ties_after_a_wake(lab, Sleepers)
        one, other = Sleepers(), Sleepers()
        one.add(1, a)
        if other.due(2):
            raise Wrong(
                "shared state",
                "I made two `Sleepers` and added somebody to the first. The second returned them.",
                lab.class_attribute(),
                "Make the list in `__init__`, so that each has its own.",
                headline="one heap for all objects",
            )

    def _order(self, lab, Sleepers):
        a, b, c = (Sleeper(name) for name in "abc")
        sleepers = Sleepers()
        for deadline, who in ((1, a), (3, c), (2, b)):
            sleepers.add(deadline, who)
        said = "I added a with the deadline 1, c with 3 and b with 2."
        got = self._looks(lab, f"{said} At 4 all were due", lambda: sleepers.due(4))
        self._looks(lab, "Nobody had been added", lambda: Sleepers().due(4))
        if got == [a, c, b] and lab.text.calls_of("heappush"):
            raise _unsorted(
                f"{said} At 4 `due` returned {got}; expected [a, b, c].", _through_a_heap(lab)
            )
        lab.equal(got, [a, b, c], what="with 1 for a, 3 for c and 2 for b, at 4 `due` returned")

    def _looks(self, lab, told, due):
        try:
            return due()
        except (IndexError, ValueError) as error:
            if isinstance(error, ValueError) and "empty" not in str(error):
                raise
            raise Wrong(
                "empty queue",
                f"{told}, and `due` raised {type(error).__name__}: {error}.",
                lab.text.of_traceback(error),
                "There may be no entry left. Ask whether there is one before you look at it.",
                headline="looked where nobody was left",
            ) from None

    def _twice(self, lab, Sleepers):
        a = Sleeper("a")
        sleepers = Sleepers()
        sleepers.add(1, a)
        sleepers.add(5, a)
        got = [sleepers.due(2), sleepers.due(9)]
        if [a] in got and [] in got:
            alike = lab.alike()
            raise Wrong(
                "lost items",
                f"I added a twice, with the deadlines 1 and 5. At 2 `due` returned {got[0]}, and "
                f"at 9 {got[1]}.",
                alike.line,
                "Keep entries, each a deadline and a sleeper, and take out entries. The same "
                "sleeper may be in two of them.",
                headline="lost the other entry",
                at=alike.at,
            )

    def _lists(self, lab, Sleepers):
        a = Sleeper("a")
        sleepers = Sleepers()
        sleepers.add(1, a)
        got = sleepers.due(1)
        sleepers.due(2)
        if got != [a]:
            raise Wrong(
                "shared state",
                f"At 1 `due` returned [a]. When I had asked again at 2, that list was {got}.",
                lab.call_of("clear") or lab.returning("self.*"),
                "A list that was returned is the caller's. Make a new one in each call.",
                headline="returns one list again and again",
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
                "turns",
                "Five had the deadline 4.0. At 4.0 nobody was due.",
                lab.operation("<", ">", on=["now"]),
                "Who wants to wake at 4.0 is due at 4.0: `<=`.",
                headline="left some asleep",
            )
        if got and got != five and set(got) == set(five):
            left = lab.call_of("insort_left", "bisect_left")
            raise Wrong(
                "heap",
                f"I added a, b, c, d and e, in this order, with the same deadline. They came out "
                f"as {got}.",
                left or lab.call_of("heappush", "append", "insort*", "sort", "min"),
                "A new one belongs behind those with the same deadline: `insort_right`."
                if left
                else "Let a ticket decide among equal deadlines: a number that `add` counts up, "
                "compared right after the deadline.",
                headline="wrong order among equals",
            )
        line = lab.assigned(to="who")
        if isinstance(got, list) and len(got) < 5 and line:
            raise Wrong(
                "lost items",
                f"I added a, b, c, d and e with the same deadline. When it had come, `due` "
                f"returned {got}.",
                line,
                "Several may have the same deadline. Keep an entry for each of them.",
                headline="lost those with the same deadline",
            )
        lab.equal(got, five, "five with the same deadline came out as", line=line)

    def _ties_after_a_wake(self, lab, Sleepers):
        a, b, c, d = (Sleeper(name) for name in "abcd")
        sleepers = Sleepers()

        sleepers.add(1, a)
        sleepers.add(5, b)
        sleepers.due(2)
        for added, who in (("c", c), ("c and d", d)):
            self._compare(
                lab,
                f"I added a and b, woke a, and added {added} with the deadline of b.",
                lambda who=who: sleepers.add(5, who),
            )
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
            if repeats := _repeating_ticket(lab):
                raise Wrong(
                    "heap",
                    f"{told} That raised TypeError: {error}.",
                    repeats,
                    "Where deadline and ticket are equal, Python compares the sleepers. A ticket "
                    "must never repeat: make one `itertools.count()` in `__init__`, and take the "
                    "`next` of it.",
                    headline="gave a ticket twice",
                ) from None
            raise Wrong(
                "heap",
                f"{told} That raised TypeError: {error}.",
                lab.call_of("heappush", "append", "insort", "sort"),
                "Put a ticket between deadline and sleeper: a number that never repeats, "
                "so that every comparison ends there.",
                headline="compared the sleepers",
            ) from None

    @sweep(
        lambda some: {
            "calls": some.lists(
                some.one_of(
                    some.tuples(some.integers(0, 3), some.sampled_from(ANYBODY)),
                    some.integers(0, 3),
                ),
                max_size=7,
            ),
        },
        besides=[
            {"calls": [(1, "ann"), (1, "ben"), (2, "cleo"), 1, (2, "dan")]},
            {"calls": [*[(1, "ann")] * 1100, 1]},
        ],
        most=60,
    )
    def any_calls(self, Sleepers, lab, calls):
        words = [said(call) for call in calls]
        told = ", ".join(words if len(words) < 9 else [words[0], "…", words[-1]])
        lab.told(f"and called {told}, and then `due(9)`" if calls else "and called `due(9)`")
        sleepers, woken = Sleepers(), []
        for call in [*calls, 9]:
            if isinstance(call, tuple):
                sleepers.add(*call)
            else:
                woken.append(sleepers.due(call))
        return {"`due` returned": woken}

    @sweep(lambda some: {"deadlines": some.lists(some.integers(0, 2), max_size=4)}, most=8)
    def two_of_them(self, Sleepers, lab, deadlines):
        lab.told(f"twice, and added sleepers with the deadlines {deadlines} to each by turns")
        both = Sleepers(), Sleepers()
        for number, deadline in enumerate(deadlines):
            both[number % 2].add(deadline, f"number {number + 1}")
        return {"at 1 they returned": [sleepers.due(1) for sleepers in both]}

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

    @wrong("heap", says="same deadline. That raised TypeError")
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

    @wrong("heap", says="woke a, and added c")
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

    with_the_id = with_a_ticket_that_comes_twice.but(
        "len(self.heap)",
        "id(who)",
        kind="heap",
        says="came out as [e, d, c, b, a]",
    )

    @wrong("turns", says="[a] alone")
    class wakes_one:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            if self.heap and self.heap[0][0] <= now:
                return [heapq.heappop(self.heap)[2]]
            return []

    @wrong("turns", says="`now` included")
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

    @wrong("heap", says="At 2 `due` returned [a] alone")
    class walks_through_the_heap_until_one_is_late:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            found = []
            for deadline, _, who in self.heap:
                if deadline > now:
                    break
                found.append(who)
            for _ in found:
                heapq.heappop(self.heap)
            return found

    @wrong("heap", says="[a, c, b]")
    class walks_through_the_heap:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            found = [who for deadline, _, who in self.heap if deadline <= now]
            self.heap = [entry for entry in self.heap if entry[0] > now]
            heapq.heapify(self.heap)
            return found

    @wrong("lost items", says="at 9 []")
    class takes_out_all_of_one:
        def __init__(self):
            self.entries = []

        def add(self, deadline, who):
            self.entries.append((deadline, who))

        def due(self, now):
            entries = sorted(self.entries, key=lambda entry: entry[0])
            found = [who for deadline, who in entries if deadline <= now]
            self.entries = [entry for entry in self.entries if entry[1] not in found]
            return found

    @wrong("shared state", says="that list was []")
    class with_one_list_for_all_calls:
        def __init__(self):
            self.heap, self.tickets, self.found = [], itertools.count(), []

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            self.found.clear()
            while self.heap and self.heap[0][0] <= now:
                self.found.append(heapq.heappop(self.heap)[2])
            return self.found

    @wrong("lost items", says="at 4 [a, b, c]")
    class that_keeps_them:
        def __init__(self):
            self.heap, self.tickets = [], itertools.count()

        def add(self, deadline, who):
            heapq.heappush(self.heap, (deadline, next(self.tickets), who))

        def due(self, now):
            return [who for deadline, _, who in sorted(self.heap) if deadline <= now]

    @wrong("lost items", says="at 2 it was gone")
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

    @wrong("shared state", says="The second returned them")
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


def said(call):
    return f"`add({call[0]}, {call[1]!r})`" if isinstance(call, tuple) else f"`due({call})`"


def _through_a_heap(lab):
    """The line of a `for` that goes through what `heappush` fills, or None."""
    heaps = {ast.unparse(call.args[0]) for call in lab.text.calls_of("heappush") if call.args}
    return lab.for_loop(*heaps) if heaps else None


def _unsorted(seen, loop):
    """The mistake of one who goes through a heap as if it were sorted."""
    return Wrong(
        "heap",
        seen,
        loop,
        "Only the first entry of a heap is sure to be in its place; the rest isn't sorted. "
        "Take out one after the other with `heappop`.",
        headline="took a heap for a sorted list",
    )


def _not_by_deadline(lab):
    """The `heappush` of an entry that doesn't begin with the deadline, or None."""
    for add in lab.nodes():
        if getattr(add, "name", None) == "add":
            deadline = add.args.args[1].arg
            for call in lab.text.calls_of("heappush", inside=add):
                entry = call.args[-1]
                if isinstance(entry, ast.Tuple):
                    first, *rest = (uses((deadline,), part) for part in entry.elts)
                    if any(rest) and not first:
                        return call.lineno
    return None


def _repeating_ticket(lab):
    """The line of `add` that makes a ticket which may come again: the length of what it keeps, or
    the first number of a new count; or where a count goes back. None if there is no such line.
    """
    for add in lab.nodes():
        if getattr(add, "name", None) == "add":
            calls = lab.text.calls_of("len", "count", inside=add)
            return calls[0].lineno if calls else lab.operation("-=")
    return None
