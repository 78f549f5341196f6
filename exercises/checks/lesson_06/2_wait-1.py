import heapq
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong


class NextWait(Exercise):
    """How long may the loop sleep?

    Write a function `next_wait(ready, sleeping, now)`. `ready` is the queue of the coroutines
    that are ready, `sleeping` the heap of `(deadline, ticket, coroutine)`, `now` the time. The
    function returns for how many seconds the loop may sleep before its next round:

    - 0 if somebody is ready;
    - otherwise the seconds until the first deadline, and never less than 0;
    - `None` if nobody is ready and nobody sleeps: then nothing will ever happen.

    It only looks: the queue and the heap stay as they are.
    """

    id = "wait-1"
    asks = "next_wait"
    minutes = 6
    hints = (
        "Three cases, and the order of the questions matters. Which of them comes first, whatever "
        "stands in the heap?",
        "In a heap the first deadline is at place 0: `sleeping[0][0]`. It may have passed already.",
        "`if ready: return 0`, then `if not sleeping: return None`, then "
        "`return max(0, sleeping[0][0] - now)`.",
    )

    equivalent = {"with_min: each once, line 1": "the first deadline stays the first one"}

    def verify(self, next_wait, lab):
        got = self._ask(lab, next_wait, "A", [5.0], 3.0, "A was ready, and B's deadline 2 s away")
        if got == 2:
            raise Wrong(
                "turns",
                "It returned 2: A would have to wait as long as B.",
                lab.item_of("sleeping"),
                "Ask about `ready` first.",
                headline="sleeps while somebody is ready",
            )
        lab.equal(got, 0)
        got = self._ask(lab, next_wait, "A", [], 3.0, "A was ready, and nobody slept")
        if got is None:
            raise Wrong(
                "turns",
                "It returned None: for the loop that means that nothing will ever happen.",
                lab.condition("sleeping") or lab.condition(),
                "Ask about `ready` first.",
                headline="gave up while somebody was ready",
            )
        lab.equal(got, 0)
        self._first(
            lab,
            self._ask(
                lab,
                next_wait,
                "",
                [4.0, 9.0, 6.0],
                3.0,
                "nobody was ready, `now` was 3.0, and the deadlines were 4.0, 9.0 and 6.0",
            ),
        )
        got = self._ask(lab, next_wait, "", [4.0], 4.5, "the only deadline had passed 0.5 s before")
        if isinstance(got, (int, float)) and got < 0:
            raise Wrong(
                "wrong deadline",
                f"It returned {got}, and `time.sleep` refuses that.",
                lab.operation("-", on=["now"]),
                "A deadline may always have passed by the time you look: `max(0, …)`.",
                headline="a negative wait",
            )
        compares = lab.operation("<", ">", "<=", ">=", on=["now"])
        if got is None and compares and not lab.suspect(got, 0):
            raise self._left_out(
                compares, "It returned None: a sleeper whose deadline has passed would never wake."
            )
        if got is None and (takes := lab.suspect(got, 0)):
            raise Wrong(
                "falsy",
                "It returned None: for the loop that means that nothing will ever happen.",
                takes.line,
                "Here 0 s are left to wait, and 0 counts as false. None is for an empty heap "
                "alone: ask whether anybody sleeps.",
                headline="took 0 for nothing",
            )
        if got == 0.5:
            raise Wrong(
                "wrong deadline",
                "It returned 0.5: somebody should have woken 0.5 s ago, and would wait on.",
                lab.call_of("abs") or lab.operation("-", on=["now"]),
                "Where the deadline has passed, 0 s are left to wait, however late it is.",
                headline="sleeps past a deadline",
            )
        lab.equal(got, 0)
        self._overdue(lab, next_wait)
        got = self._ask(lab, next_wait, "", [], 3.0, "nobody was ready, and nobody slept")
        if got == 0 and got is not None:
            raise Wrong(
                "polling",
                "It returned 0: the loop would go round and round, at once and for nothing.",
                lab.earliest(lab.returning(), lab.call_of("max")),
                "There is nothing to wait for, so there is no number to return.",
                headline="never rests",
            )
        lab.equal(got, None)

    def _overdue(self, lab, next_wait):
        told = "nobody was ready, B's deadline had passed 2 s before, and C's was 37 s away"
        got = self._ask(lab, next_wait, "", [1.0, 40.0], 3.0, told)
        if got == 37:
            raise self._left_out(
                lab.operation("<", ">", "<=", ">=", on=["now"]) or lab.item_of(at=1),
                "It returned 37: B, whose deadline has passed, would have to wait for C's.",
            )
        lab.equal(got, 0)

    def _left_out(self, line, observed):
        return Wrong(
            "wrong deadline",
            observed,
            line,
            "A deadline may have passed by the time you look. Its sleeper still waits, so the loop "
            "may not sleep at all.",
            headline="left out an overdue sleeper",
        )

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
                "empty queue",
                f"That raised {type(error).__name__}: {error}.",
                lab.earliest(lab.item_of("sleeping"), lab.call_of("min")),
                "Ask whether there is a first deadline before you look at it.",
                headline="looked into an empty heap",
            ) from None
        for name, was, left in (("queue", before[0], ready), ("heap", before[1], sleeping)):
            if was != [*left]:
                raise Wrong(
                    "changed",
                    f"Before, the {name} held {was}; afterwards {[*left]}.",
                    lab.call_of("pop*", "*pop", "remove", "sort", "sorted"),
                    "Only look, and leave the order as it is: the loop does the rest."
                    if len(left) == len(was)
                    else "Only look, and take nothing out: the loop does that. "
                    f"`{'ready' if name == 'queue' else 'sleeping'}[0]` shows the first.",
                    headline=f"changed the {name}",
                )
        return got

    def _first(self, lab, got):
        if got == 4:
            raise Wrong(
                "wrong deadline",
                "It returned 4.0: that is a moment, not a number of seconds.",
                lab.item_of("sleeping"),
                "The loop may sleep from `now` until that moment.",
                headline="took a moment for a length of time",
            )
        if got in (6, 3):
            raise Wrong(
                "heap",
                f"It returned {got}, and the first deadline is 1 s away: its sleeper would wake "
                "too late.",
                lab.earliest(lab.item_of("sleeping"), lab.call_of("max")),
                "In a heap the first deadline is at place 0.",
                headline="another's deadline",
            )
        lab.equal(got, 1)

    @sweep(
        lambda some: {
            "ready": some.lists(some.sampled_from("AB"), max_size=2),
            "deadlines": some.lists(some.sampled_from((0, 0.25, 1, 3.0, 40)), max_size=4),
            "now": some.sampled_from((0, 0.25, 2.0)),
        },
        besides=[
            {"ready": [], "deadlines": [3.0] * 1100, "now": 2.0},
            {"ready": [], "deadlines": [0.0003], "now": 0},
        ],
        most=60,
    )
    def any_moment(self, next_wait, lab, ready, deadlines, now):
        queue = deque(ready)
        heap = [(deadline, ticket, f"C{ticket}") for ticket, deadline in enumerate(deadlines)]
        heapq.heapify(heap)
        lab.told(
            f"when {' and '.join(ready) or 'nobody'} was ready, the deadlines in the heap were "
            f"{[entry[0] for entry in heap[:9]]}, and it was {now}"
        )
        before = [*heap]
        got = next_wait(queue, heap, now)
        if sorted(heap) == sorted(before) and heap != before:
            raise Wrong(
                "changed",
                f"The heap's list was {before}, and then {heap}.",
                lab.call_of("heappush", "heapify", "sort", "*.insert", "*.append"),
                "It only looks. The first of a heap stands at place 0: `sleeping[0]`.",
                headline="put the heap into another order",
            )
        return {"it returned": got, "the queue then held": [*queue], "the heap then held": heap}

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

    @wrong("turns", says="Ask about `ready` first")
    def asks_the_sleepers_first(ready, sleeping, now):
        if not sleeping:
            return None
        return 0 if ready else max(0, sleeping[0][0] - now)

    @wrong("wrong deadline", says="would never wake")
    def looks_ahead_alone(ready, sleeping, now):
        if ready:
            return 0
        waits = [deadline - now for deadline, _, _ in sleeping if deadline > now]
        return min(waits, default=None)

    @wrong("turns", says="A would have to wait")
    def without_ready(ready, sleeping, now):
        if sleeping:
            return max(0, sleeping[0][0] - now)
        return 0 if ready else None

    @wrong("wrong deadline", says="It returned -0.5")
    def without_max(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return sleeping[0][0] - now

    @wrong("empty queue", says="IndexError")
    def without_a_look(ready, sleeping, now):
        if ready:
            return 0
        return max(0, sleeping[0][0] - now)

    nothing_is_zero = without_a_look.but(
        "ready:", "ready or not sleeping:", kind="polling", says="round and round"
    )

    @wrong("wrong deadline", says="It returned 4.0")
    def returns_the_deadline(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return sleeping[0][0]

    looks_at_the_end = with_three_cases.but(
        "sleeping[0][0]", "sleeping[-1][0]", kind="heap", says="It returned 3.0"
    )

    @wrong("changed", says="changed the heap")
    def pops(ready, sleeping, now):
        if ready:
            return 0
        if not sleeping:
            return None
        return max(0, heapq.heappop(sleeping)[0] - now)
