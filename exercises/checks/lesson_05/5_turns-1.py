"""Long, for turns can be counted in many wrong ways, and each is a whole program."""

import ast
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import (
    ANY_OTHER,
    SAID,
    attending,
    failing,
    give,
    guest,
    held_back,
    one_fails,
    one_round,
    plan_with,
    plan_words,
    stopped_at_the_first_end,
    watched,
)


class RunFor(Exercise):
    """A number of turns, and no more

    Write `run_for(ready, turns)`. `ready` is a deque of generators. Give turns as in round robin,
    but at most `turns` of them, and return how many you gave. It is fewer only if all have ended.

    A turn is one `send(None)`, and the one in which a generator ends counts as well. Generators
    that have not ended are in `ready` afterwards, in the order of their next turns, so that
    another call goes on where this one stopped. An error that a generator raises comes out at
    once, and that generator has ended.
    """

    id = "turns-1"
    asks = "run_for"
    minutes = 7
    hints = (
        "Two things can stop the loop: no generator is left, or the turns are used up. When must "
        "you know that, before or after you take one from the queue?",
        "`while ready and given < turns:`. Use `ready` itself, not a copy of it.",
        "In the loop: `generator = ready.popleft()`, `given += 1`, then the `try` with its `send`, "
        "`continue` at the end of a generator, and `ready.append(generator)` last.",
    )

    def verify(self, run_for, lab):
        log = []
        generators = watched(
            lab, {name: guest(log, name, turns) for name, turns in (("A", 2), ("B", 1), ("C", 3))}
        )
        names = dict(zip(map(id, generators), "ABC"))
        ready = deque(generators)
        lab.told("with a queue of A, B and C, which have 2, 1 and 3 turns to log, for 4 turns")
        given = self._give(lab, run_for, ready, 4)
        self._first(lab, given, "".join(log), "".join(names[id(one)] for one in ready))
        lab.told("for 4 turns, and then for 100 more")
        given = self._give(lab, run_for, ready, 100)
        self._rest(lab, given, "".join(log), ready)
        lab.told("for 0 turns")
        ready.append(guest(log, "Z", 2))
        given = self._give(lab, run_for, ready, 0)
        if log[-1] == "Z":
            raise Wrong(
                "one too many",
                f"It gave the only generator a turn all the same, and returned {given}.",
                lab.condition("turns") or lab.looping("turns") or lab.looping(),
                "Ask before each turn whether it is still allowed, before the first one too.",
                headline="gave a turn too many",
            )
        lab.equal(given, 0)
        lab.equal(len(ready), 1, what="the generators in the queue are")

    def _give(self, lab, run_for, ready, turns):
        try:
            return give(lab, run_for, ready, turns)
        except IndexError:
            if ready:
                raise
            raise Wrong(
                "empty queue",
                "All had ended before the turns were used up, and `run_for` raised IndexError.",
                lab.earliest(lab.call_of("popleft", "pop"), lab.item_of(at=0)),
                "Go on only while the queue isn't empty: `while ready and ...`.",
            ) from None

    def _first(self, lab, given, log, left):
        said = f"The log is {log}, and in the queue are {', '.join(left) or 'none'}."
        if log == "ABCA" and left == "ABC":
            raise Wrong(
                "changed",
                f"{said} A is next once more, before B.",
                lab.earliest(lab.call_of("deque", "list", "copy"), lab.node(ast.Slice)),
                "Take from `ready` itself, and append to it.",
                headline="worked on a copy",
            )
        if given == 5:
            raise Wrong(
                "one too many",
                f"I asked for 4 turns. It gave {given}.",
                lab.operation("<="),
                "Ask before each turn whether it is still allowed.",
            )
        if log == "ABCA" and len(left) == 2:
            raise Wrong(
                "lost items",
                f"{said} None of them ended, and one is gone.",
                lab.earliest(lab.returning(), lab.breaking()),
                "Ask whether a turn is left before you take one from the queue.",
                headline="lost one",
            )
        if log == "ABCACC":
            raise Wrong(
                "counted wrong",
                f"{said} Those are more than 4 turns.",
                lab.looping(),
                "Count each `send`, and ask before each one whether it is still allowed.",
                headline="counted rounds",
            )
        if log.startswith("ABCA") and given and given > 4:
            raise Wrong(
                "counted wrong",
                f"{said} I asked for 4 turns, and it gave {given}.",
                lab.inner_loop() or lab.looping(),
                "Ask before each turn whether it is still allowed.",
                headline="gave too many turns",
            )
        if log == "ABC":
            one_round(lab, said)
        if log[:2] == "AA":
            raise Wrong(
                "turns",
                f"{said} A had two turns before B had one.",
                lab.call_of("appendleft") or lab.looping(),
                "After its turn it goes to the end of the queue.",
                headline="ran each to its end",
            )
        lab.equal(list(log), list("ABCA"), what="the log is")
        lab.equal(list(left), list("BCA"), what="in the queue are")
        if given is None:
            raise Wrong(
                "return value",
                "It gave 4 turns, and returned None.",
                try_="`return` how many turns were given.",
                headline="no return",
            )
        if given == 3:
            raise Wrong(
                "counted wrong",
                "It gave 4 turns, and returned 3.",
                lab.operation("+=", "+") or lab.returning(),
                "Count from 0, and one more for each turn. A `for` over `range(n)` ends at n - 1.",
                headline="counted one turn too few",
            )
        lab.equal(given, 4, line=lab.operation("+=", "+") or lab.returning())

    def _rest(self, lab, given, log, ready):
        if log == "ABCA":
            stopped_at_the_first_end(lab, "B ended, and A and C had no more turns.")
        lab.equal(list(log), list("ABCACC"), what="the log is")
        if given == 2:
            raise Wrong(
                "counted wrong",
                "The second call gave 5 turns: in 3 of them a generator ended. It returned 2.",
                lab.operation("+=", "+"),
                "Count the turn before you know how it ends.",
                headline="did not count the end",
            )
        if given == 6:
            raise Wrong(
                "counted wrong",
                "The second call gave 5 turns, and returned 6: nobody was left for another.",
                lab.operation("+=", "+") or lab.for_loop(),
                "Look whether anybody is left before you count, or count when a turn is given.",
                headline="counted a turn that nobody had",
            )
        if given == 100:
            raise Wrong(
                "counted wrong",
                "The second call gave 5 turns, and returned 100: the number that was asked for.",
                lab.returning(),
                "Count each turn that is given, and return that number.",
                headline="returned what was asked for",
            )
        if given == 9:
            raise Wrong(
                "shared state",
                "The second call gave 5 turns, and returned 9.",
                lab.earliest(lab.outer_name(), lab.default()),
                "Begin at 0 in each call.",
                headline="counts on",
            )
        lab.equal(given, 5, line=lab.operation("+=", "+") or lab.returning())

    @sweep(
        lambda some: {
            "has": some.lists(some.integers(0, 3), max_size=4),
            "calls": some.lists(some.integers(0, 7), min_size=1, max_size=3),
            "says": some.sampled_from(SAID),
        },
        besides=[
            {"has": [1] * 1100, "calls": [1099, 1102], "says": None},
            {"has": [3000], "calls": [2000], "says": None},
        ],
        most=50,
    )
    def any_turns(self, run_for, lab, has, calls, says):
        plan, log = [(each, None) for each in has], []
        ready = deque(attending(log, plan, says))
        numbers = " turns, then for ".join(map(str, calls))
        lab.told(f"with a queue of {plan_words(plan)}, for {numbers} turns")
        given, left = [], []
        for turns in calls:
            given.append(give(lab, run_for, ready, turns))
            left.append([one.name for one in ready])
        return {"it returned": given, "the log is": log, "in the queue were afterwards": left}

    @sweep(one_fails, besides=ANY_OTHER, most=20)
    def an_error(self, run_for, lab, **inputs):
        plan, log = plan_with(**inputs), []
        lab.told(f"with a queue of {plan_words(plan)}, for 20 turns")
        generators = attending(log, plan)
        ready = deque(generators)
        error = failing(lab, inputs["error"], run_for, ready, 20)
        left = [one.name for one in ready]
        for one in ready:
            if getattr(one, "failed", None):
                said = f"{one.name} raised an error, and has ended. The queue then held {left}."
                taken = lab.call_of("ready.pop*", "ready.remove") or lab.deleting("ready")
                if not taken and not lab.cleanup() and (copy := lab.copying("ready")):
                    raise Wrong(
                        "changed",
                        said,
                        copy,
                        "When an error comes out, nothing behind the loop is done any more. Take "
                        "from `ready` itself, and append to it.",
                        headline="worked on a copy",
                    )
                raise Wrong(
                    "StopIteration",
                    said,
                    lab.cleanup() or lab.text.of_traceback(one.failed),
                    "An error ends a generator too, not only its return. Take each one out "
                    "before its turn, and put it back only if it has not ended.",
                    headline="kept a generator that has ended",
                )
        lost = [
            one.name
            for one in generators
            if one not in ready and not one.asked and not getattr(one, "failed", None)
        ]
        if lost:
            raise Wrong(
                "lost items",
                f"When the error came out, the queue held {left}. Not in it, and not ended: "
                f"{', '.join(lost)}.",
                lab.copying("ready") or _put_by(lab),
                "An error leaves at once, and what stands behind the loop is not done. Put each "
                "generator back into `ready` right after its turn.",
                headline="an error lost the others",
            )
        held_back(lab, generators, log)
        return {"what came out was": error, "the log is": log, "the queue then held": left}

    @right
    def with_while(ready, turns):
        """Give at most so many turns; return how many were given."""
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return given

    @right
    def with_for(ready, turns):
        for given in range(turns):
            if not ready:
                return given
            generator = ready.popleft()
            try:
                next(generator)
            except StopIteration:
                continue
            ready.append(generator)
        return turns

    @wrong("changed", says="A is next once more")
    def on_a_copy(ready, turns):
        given, queue = 0, deque(ready)
        while queue and given < turns:
            generator = queue.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            queue.append(generator)
        return given

    writes_back_at_the_end = on_a_copy.but(
        "return given",
        "ready.clear()\nready.extend(queue)\nreturn given",
        kind="changed",
        says="nothing behind the loop",
    )

    @wrong("lost items", says="one is gone")
    def takes_then_asks(ready, turns):
        given = 0
        while ready:
            generator = ready.popleft()
            if given == turns:
                return given
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return given

    @wrong("StopIteration", says="An error ends a generator")
    def takes_it_out_afterwards(ready, turns):
        for given in range(turns):
            if not ready:
                return given
            try:
                ready[0].send(None)
            except StopIteration:
                ready.popleft()
            else:
                ready.rotate(-1)
        return turns

    off_by_one = with_while.but(
        "given < turns", "given <= turns", kind="one too many", says="It gave 5"
    )

    @wrong("counted wrong", says="more than 4 turns")
    def rounds(ready, turns):
        given = 0
        while ready and given < turns:
            given += 1
            for _ in range(len(ready)):
                generator = ready.popleft()
                try:
                    generator.send(None)
                except StopIteration:
                    continue
                ready.append(generator)
        return given

    counts_yields = with_while.but("given += 1", "").but(
        "ready.append(generator)",
        "given += 1\nready.append(generator)",
        kind="counted wrong",
        says="in 3 of them a generator ended",
    )

    @wrong("StopIteration", says="B had ended long")
    def rotates(ready, turns):
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            ready.append(generator)
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                pass
        return given

    back_to_the_front = with_while.but(
        "ready.append(generator)",
        "ready.appendleft(generator)",
        kind="turns",
        says="appendleft",
    )

    @wrong("empty queue", says="IndexError")
    def does_not_ask_the_queue(ready, turns):
        for given in range(turns):
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return turns

    @wrong("stopped early", says="B ended")
    def breaks_at_the_end(ready, turns):
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                break
            ready.append(generator)
        return given

    @wrong("return value", says="returned None")
    def returns_nothing(ready, turns):
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)


def _put_by(lab):
    """The line that puts a generator elsewhere than into `ready`, or None."""
    adds = lab.text.calls_of("append", "extend", "insert")
    return lab.earliest(*(add.lineno for add in adds if not is_named(add.func, ("ready.*",))))
