"""Long, for turns can be given in many wrong ways, and each is a whole program."""

import ast
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import (
    ANY_OTHER,
    SAID,
    attending,
    calling,
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


class RoundRobin(Exercise):
    """Round robin

    Write `round_robin(generators)`. It is given a list of generators, and gives them turns until
    all of them have ended: one turn each, from left to right, then again from the left, and so
    on.

    - One turn is one `send(None)`. What a generator yields is ignored, and is not sent back.
    - A generator that has ended gets no more turns, and no other one loses a turn because of it.
    - The list belongs to the caller: it stays as it is.
    - It must work for many thousands of turns.
    - An error that a generator raises comes out at once.
    """

    id = "robin-1"
    asks = "round_robin"
    minutes = 8
    hints = (
        "Keep a queue of your own. Which one is next? Where does it go after its turn?",
        "`ready = deque(generators)` copies the list. Take the leftmost, give it its turn, and "
        "`append` it. What do you do when `send` raises StopIteration?",
        "`while ready:` then `generator = ready.popleft()`, `try: generator.send(None)`, "
        "`except StopIteration: continue`, and `ready.append(generator)` below.",
    )

    def verify(self, round_robin, lab):
        log = []
        generators = watched(
            lab, {name: guest(log, name, turns) for name, turns in (("A", 1), ("B", 3), ("C", 3))}
        )
        kept = list(generators)
        lab.told("with three generators: A has 1 turn to log, B has 3, C has 3")
        give(lab, round_robin, generators)
        self._name(lab, "".join(log), any(one.asked for one in kept))
        if len(generators) < len(kept):
            raise Wrong(
                "changed",
                f"I gave it a list of 3, and {len(generators)} of them are left in it.",
                _other_name(lab)
                or lab.earliest(lab.call_of("pop", "remove"), lab.deleting())
                or lab.changing(),
                "Work on a queue of your own: `deque(generators)` is a copy.",
                headline="took the caller's list apart",
            )
        lab.equal(generators, kept, what="the caller's list is now")
        self._echo(lab, round_robin)
        self._long(lab, round_robin)

    def _name(self, lab, log, ended):
        if log == "ABCBCBC":
            return
        said = f"The log is {log}."
        if log == "ABCCBCB" and (rotates := lab.call_of("rotate")):
            raise Wrong(
                "lost items",
                f"{said} When A had ended, C had its turn and B had none.",
                rotates,
                "Where the first has ended and is taken out, the next is the first already: don't "
                "send it to the end.",
                headline="sent one to the end without its turn",
            )
        if log == "ABCCBCB":
            raise Wrong(
                "lost items",
                f"{said} When A had ended, C had its turn and B had none.",
                lab.earliest(lab.call_of("remove", "pop"), lab.deleting()),
                "A `for` loop over a list counts places, and `remove` moves all that "
                "follow. Take the leftmost off a queue, and append it after its turn.",
                headline="removed from the list that it walks",
            )
        if log == "ABBBCCC":
            raise Wrong(
                "turns",
                f"{said} B began when A had ended, and C when B had.",
                lab.call_of("appendleft", lab.asks) or lab.looping(),
                "After one turn the others come first: put it at the end of the queue.",
                headline="ran each to its end",
            )
        asks = [call.lineno for call in lab.text.calls_of("send", "next")]
        if log.startswith("ABB") and len(asks) > 1:
            raise Wrong(
                "turns",
                f"{said} B had two turns in a row.",
                asks[-1],
                "One `send(None)` is a turn. After that the others come first.",
                headline="gave two turns at once",
            )
        if log.startswith("CBA"):
            raise Wrong(
                "order",
                f"{said} C, which stands last, came first.",
                lab.call_of("pop", "reversed", "reverse") or lab.item_of(at=-1),
                "Take from the left, `popleft()`, and append at the right.",
                headline="went from right to left",
            )
        if log == "CCCBBBA":
            raise Wrong(
                "turns",
                f"{said} C, which came last, had all its turns first.",
                lab.call_of("pop"),
                "`pop()` takes from the right, where `append` has just put one. Take from "
                "the left: `popleft()`.",
                headline="took the one that came last",
            )
        if log == "ABC" and lab.earliest(
            lab.operation("is", "is not", "=="), lab.call_of("next", given=None)
        ):
            raise Wrong(
                "falsy",
                f"{said} Each had one turn and no more. They all yield None, which does "
                "not mean that they have ended.",
                lab.earliest(lab.operation("is", "is not", "=="), lab.call_of("next", given=None)),
                "Only StopIteration tells that a generator has ended.",
                headline="took None for the end",
            )
        if log == "ABC":
            if not ended:
                one_round(lab, said)
            stopped_at_the_first_end(lab, f"{said} A ended, and B and C had no more turns.")
        if not log:
            raise Wrong(
                "turns",
                "All three are as they were.",
                lab.call_of("send", "next"),
                "`generator.send(None)` runs a generator to its next `yield`.",
                headline="gave nobody a turn",
            )
        raise Wrong(
            "order" if sorted(log) == sorted("ABCBCBC") else "value",
            f"{said} It has to be ABCBCBC.",
            try_="From left to right: take from the left, append at the right, and leave none out.",
        )

    def _echo(self, lab, round_robin):
        heard = []

        def asks():
            heard.append((yield "a question"))
            heard.append((yield "another"))

        lab.told("with a generator that yields two questions")
        give(lab, round_robin, [asks()])
        if any(thing is not None for thing in heard):
            raise Wrong(
                "sent for yielded",
                f"It yielded 'a question' and 'another', and was sent {heard}.",
                lab.call_of("send"),
                "A turn is `send(None)`: there is no answer to give.",
                headline="echoed what was yielded",
            )
        lab.equal(heard, [None, None], what="the generator was sent")

    def _long(self, lab, round_robin):
        log = []
        lab.told("with two generators of 3,000 turns each")
        try:
            round_robin([guest(log, "A", 3000), guest(log, "B", 3000)])
        except RecursionError as error:
            raise Wrong(
                "recursion",
                f"After {len(log):,} turns Python refused to go deeper: RecursionError.",
                lab.text.most_often_in(error),
                "A call inside a call keeps both frames. Give the turns in a `while` loop.",
                headline="called itself too often",
            ) from None
        lab.equal(len(log), 6000, what="the turns logged are")

    @sweep(
        lambda some: {
            "turns": some.lists(some.integers(0, 3), max_size=4),
            "says": some.sampled_from(SAID),
        },
        besides=[{"turns": [1] * 1100, "says": None}, {"turns": [11_000], "says": None}],
    )
    def any_generators(self, round_robin, lab, turns, says):
        plan, log = [(each, None) for each in turns], []
        generators = attending(log, plan, says)
        kept = list(generators)
        lab.told(f"with {plan_words(plan)}; each of their turns yields {says!r}")
        give(lab, round_robin, generators)
        return {"the log is": log, "the caller's list is as it was:": generators == kept}

    @sweep(one_fails, besides=ANY_OTHER, most=20)
    def an_error(self, round_robin, lab, **inputs):
        plan, log = plan_with(**inputs), []
        lab.told(f"with {plan_words(plan)}")
        generators = attending(log, plan)
        error = failing(lab, inputs["error"], round_robin, generators)
        held_back(lab, generators, log)
        return {"what came out was": error, "the log is": log}

    @sweep(lambda some: {"turns": some.lists(some.integers(0, 2), max_size=3)}, most=8)
    def a_call_in_a_turn(self, round_robin, lab, turns):
        plan, log = [(each, None) for each in turns], []
        lab.told(f"with a generator that calls it with {plan_words(plan)}; and with D (2 turns)")
        call = calling(log, lambda: give(lab, round_robin, attending(log, plan)))
        give(lab, round_robin, [call, *attending(log, [(2, None)], names="D")])
        return {"the log is": log}

    @right
    def with_deque(generators):
        """Give the generators turns until all have ended."""
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue  # it has ended: it does not queue again
            ready.append(generator)

    @right
    def in_rounds(generators):
        while generators:
            left = []
            for generator in generators:
                try:
                    next(generator)
                except StopIteration:
                    continue
                left.append(generator)
            generators = left

    @right
    def with_a_default(generators):
        ready, end = deque(generators), object()
        while ready:
            generator = ready.popleft()
            if next(generator, end) is not end:
                ready.append(generator)

    @wrong("lost error", says="the others had turns after that")
    def raises_it_at_the_end(generators):
        ready, errors = deque(generators), []
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except BaseException as error:
                errors.append(error)
            else:
                ready.append(generator)
        if errors:
            raise errors[0]

    @wrong("lost items", says="the next is the first already")
    def rotates_past_the_next(generators):
        ready = deque(generators)
        while ready:
            try:
                next(ready[0])
            except StopIteration:
                ready.popleft()
            ready.rotate(-1)

    @wrong("lost items", says="The log is ABCCBCB")
    def as_published(generators):
        pending = list(generators)
        while pending:
            for generator in pending:
                try:
                    generator.send(None)
                except StopIteration:
                    pending.remove(generator)

    @wrong("lost items", says="pending.pop(place)")
    def pops_while_it_counts(generators):
        pending = list(generators)
        while pending:
            for place, generator in enumerate(pending):
                try:
                    next(generator)
                except StopIteration:
                    pending.pop(place)

    @wrong("recursion", says="RecursionError")
    def recursion(generators):
        if not generators:
            return
        first, *rest = generators
        try:
            next(first)
        except StopIteration:
            round_robin(rest)
        else:
            round_robin(rest + [first])

    @wrong("turns", says="The log is ABBBCCC")
    def one_after_another(generators):
        for generator in generators:
            for _ in generator:
                pass

    @wrong("turns", says="round_robin([generator])")
    def order_by_depth(generators):
        for generator in generators:
            try:
                generator.send(None)
            except StopIteration:
                continue
            round_robin([generator])

    @wrong("turns", says="appendleft")
    def back_to_the_front(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.appendleft(generator)

    @wrong("turns", says="popleft")
    def a_stack(generators):
        ready = list(generators)
        while ready:
            generator = ready.pop()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)

    @wrong("falsy", says="They all yield None")
    def none_is_the_end(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            if next(generator, None) is not None:
                ready.append(generator)

    @wrong("stopped early", says="B and C had no more turns")
    def with_zip(generators):
        for _ in zip(*generators):
            pass

    @wrong("stopped early", says="Catch StopIteration inside the loop")
    def try_around_the_loop(generators):
        ready = deque(generators)
        try:
            while ready:
                generator = ready.popleft()
                generator.send(None)
                ready.append(generator)
        except StopIteration:
            pass

    @wrong("stopped early", says="none has ended")
    def one_round_only(generators):
        for generator in generators:
            try:
                generator.send(None)
            except StopIteration:
                pass

    from_the_right = back_to_the_front.but(
        "ready.popleft()", "ready.pop()", kind="order", says="The log is CBACBCB"
    )

    @wrong("StopIteration", says="The end of one is not the end of all")
    def without_try(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)

    @wrong("changed", says="0 of them are left")
    def empties_the_list(generators):
        while generators:
            generator = generators.pop(0)
            try:
                generator.send(None)
            except StopIteration:
                continue
            generators.append(generator)

    @wrong("sent for yielded", says="'a question'")
    def echoes(generators):
        ready = deque((generator, None) for generator in generators)
        while ready:
            generator, answer = ready.popleft()
            try:
                answer = generator.send(answer)
            except StopIteration:
                continue
            ready.append((generator, answer))

    @wrong("async for plain", says="yield generator.send(None)")
    def yields_itself(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                yield generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)

    @wrong("StopIteration", says="A had ended long")
    def the_ended_queue_again(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                pass
            ready.append(generator)


def _other_name(lab):
    """Where the list gets another name, which is no copy of it; or None."""
    given = {node.arg for node in lab.nodes() if isinstance(node, ast.arg)}
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Assign)
            if isinstance(node.value, ast.Name) and node.value.id in given
        )
    )
