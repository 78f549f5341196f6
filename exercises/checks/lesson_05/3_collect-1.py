"""Long, for a result can be lost in many ways, and each is a whole program."""

import ast
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import (
    ANY_OTHER,
    KEPT,
    QUEUED,
    SAID,
    Watched,
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
    yielded,
)


class RunAll(Exercise):
    """What they return

    Write `run_all(generators)`. It gives the generators of a list turns, as in round robin, until
    all have ended. Then it returns a list: what each of them returned, in the order of
    `generators`.

    A generator may return anything: 0, an empty string, None. What it yields is ignored. An
    error that it raises comes out at once.
    """

    id = "collect-1"
    asks = "run_all"
    minutes = 9
    hints = (
        "They do not end in the order of the list. So the queue must know, for each of them, where "
        "its result belongs.",
        "Let the queue hold pairs, a place and a generator: `deque(enumerate(generators))`. The "
        "return value is the `value` of the StopIteration.",
        "`results = [None] * len(generators)`. In the loop `place, generator = ready.popleft()`; "
        "in the `except StopIteration as end:` write `results[place] = end.value`. The loop goes "
        "on while `ready` holds something: do not ask `results`.",
    )

    def verify(self, run_all, lab):
        log = []
        plan = {"A": (3, "tea"), "B": (1, 0), "C": (2, "jam")}
        lab.told("with A, B and C, which have 3, 1 and 2 turns and return 'tea', 0 and 'jam'")
        generators = watched(lab, {name: guest(log, name, *what) for name, what in plan.items()})
        got = self._give(lab, run_all, list(generators), QUEUED)
        if log and set(log) < set("ABC"):
            lab.equal(log, list("ABCACA"), what="the log is")
        self._asked_again(lab, got, generators)
        self._name(lab, got, "".join(log))
        lab.told("with A, B and C, of which B returns None")
        plan = {"A": (3, "tea"), "B": (2, None), "C": (1, "jam")}
        got = self._give(
            lab,
            run_all,
            [Watched(name, guest(log, name, *what)) for name, what in plan.items()],
            UNFINISHED,
        )
        if got == ["tea", "jam"]:
            raise Wrong(
                "falsy",
                f"It returned {got}: the None of B is missing.",
                lab.earliest(lab.operation("is not"), lab.condition(), lab.call_of("filter")),
                "None is a result like any other. Keep its place.",
                headline="took None for nothing",
            )
        if got == ["tea", "jam", None] and lab.call_of("insert"):
            raise Wrong(
                "order",
                f"It returned {got}. They ended as C, B, A.",
                lab.call_of("insert"),
                "In a list that is still short, `insert` can't reach the place that it is "
                "given. Make all places first: `[None] * len(generators)`.",
            )
        lab.equal(got, ["tea", None, "jam"])
        lab.told("with an empty list")
        lab.equal(give(lab, run_all, []), [])

    def _give(self, lab, run_all, generators, asked_on):
        try:
            return give(lab, run_all, generators, asked_on=asked_on)
        except IndexError:
            if lab.item_of("args"):
                raise Wrong(
                    "return value",
                    "A generator that returns None came to its end, and `run_all` raised "
                    "IndexError.",
                    lab.item_of("args"),
                    "Where nothing is returned, `args` is empty. `value` is always there.",
                    headline="args is empty",
                ) from None
            if lab.assigned(to=[]):
                raise Wrong(
                    "another form",
                    "The list is empty, and has no place yet.",
                    lab.item_of() or lab.assigned(to=[]),
                    "Make the places first: `[None] * len(generators)`.",
                    headline="no place to write to",
                ) from None
            raise
        except AttributeError as error:
            if error.name == "send" and lab.call_of("enumerate", "zip"):
                raise Wrong(
                    "another form",
                    f"The queue held pairs, and then something else came out of it: {error}.",
                    lab.call_of("append"),
                    "What you append must be such a pair again: `(place, generator)`.",
                    headline="queued without its place",
                ) from None
            raise

    def _asked_again(self, lab, got, generators):
        """Raise Wrong if the end of a generator, which comes again when it is asked again, has
        taken the place of what it returned.
        """
        if not isinstance(got, list) or len(got) != len(generators):
            return
        again = [one for one, result in zip(generators, got) if one.asked > 1 and result is None]
        if again:
            name = again[0].name
            raise Wrong(
                "StopIteration",
                f"It returned {got}. {name} had ended, and was asked to go on. Then StopIteration "
                "comes once more, and its `value` is None.",
                lab.earliest(lab.assigned(to="value"), lab.for_loop("generators"))
                or lab.use_of("StopIteration"),
                "A generator that has ended gets no more turns: keep a queue of those that are "
                "left.",
                headline="asked one that has ended",
            )

    def _name(self, lab, got, log):
        if log == "AAABCC":
            raise Wrong(
                "turns",
                f"The log is {log}: B began when A had ended.",
                lab.yielding_from() or lab.inner_loop() or lab.looping(),
                "Give the first generator one turn, then put it at the end of the queue.",
                headline="ran each to its end",
            )
        if log == "ABC":
            one_round(lab, f"The log is {log}.")
        if log == "ABCA":
            stopped_at_the_first_end(
                lab, f"The log is {log}. B ended, and A and C had no more turns."
            )
        if log == "ABCAAC":
            raise Wrong(
                "lost items",
                f"The log is {log}; in round robin it is ABCACA.",
                lab.earliest(lab.call_of("remove", "pop"), lab.deleting()),
                "A `for` loop over a list counts places, and `remove` moves all that "
                "follow: here C lost a turn when B had ended. Use a queue.",
                headline="removed from the list that it walks",
            )
        if got is None or got == [None] * 3:
            raise Wrong(
                "return value",
                f"It returned {got}. The generators returned 'tea', 0 and 'jam'.",
                lab.earliest(lab.use_of("StopIteration"), lab.for_loop()),
                "What a generator returns arrives in its StopIteration, as `value`.",
            )
        if got == [yielded("A"), yielded("B"), yielded("C")]:
            raise Wrong(
                "return value",
                f"It returned {got}. That is what the generators yielded.",
                lab.earliest(lab.assigned(to="send"), lab.assigned(to="next")),
                "`send` gives back what is yielded. What is returned arrives in the "
                "StopIteration, as `value`.",
                headline="kept what was yielded",
            )
        if got == ["tea", "jam"]:
            raise Wrong(
                "falsy",
                f"It returned {got}: the 0 of B is missing.",
                lab.earliest(lab.condition(), lab.call_of("filter")),
                "0 is a result like any other. Keep its place.",
                headline="took 0 for nothing",
            )
        if isinstance(got, list) and any(isinstance(result, StopIteration) for result in got):
            raise Wrong(
                "return value",
                f"It returned {got}.",
                lab.use_of("StopIteration"),
                "What the generator returned is the `value` of the StopIteration.",
                headline="kept the StopIteration",
            )
        if got in ([0, "jam", "tea"], ["jam", 0, "tea"], [0, "tea", "jam"]):
            raise Wrong(
                "order",
                f"It returned {got}: in the order in which they ended.",
                lab.call_of("append", given="value")
                or lab.operation("+=", on=["value"])
                or lab.call_of("*.values", "reversed", "*.reverse")
                or lab.node(ast.Slice),
                "The results must stand in the order of `generators`. Keep each generator's place "
                "with it.",
            )
        if got == [(0, "tea"), (1, 0), (2, "jam")]:
            raise Wrong(
                "another form",
                f"It returned {got}. Asked for are the results alone: 'tea', 0, 'jam'.",
                lab.returning(),
                "When the pairs are in order, take the result out of each.",
                headline="returned the places too",
            )
        expected = ["tea", 0, "jam"]
        if isinstance(got, list) and len(got) == 3 and all(one in (*expected, None) for one in got):
            if any(one is not None and one != right for one, right in zip(got, expected)):
                raise Wrong(
                    "order",
                    f"It returned {got}; expected {expected}. A result stands in another one's "
                    "place.",
                    _out_of_step(lab),
                    "When one has ended, those that are left have other places among themselves. "
                    "Give each generator its place at the start, and keep it with it.",
                    headline="in another one's place",
                )
        lab.equal(got, expected)
        lab.equal(list(log), list("ABCACA"), what="the log is")

    @sweep(
        lambda some: {
            "plan": some.lists(
                some.tuples(some.integers(0, 3), some.sampled_from((*SAID, KEPT, []))), max_size=4
            ),
            "says": some.sampled_from(SAID),
        },
        besides=[
            {"plan": [(1, "tea")] * 1100, "says": None},
            {"plan": [(11_000, "tea")], "says": None},
        ],
        most=50,
    )
    def any_generators(self, run_all, lab, plan, says):
        log = []
        lab.told(f"with {plan_words(plan)}; each of their turns yields {says!r}")
        got = give(lab, run_all, lab.own(attending(log, plan, says)))
        return {"it returned": got, "the log is": log}

    @sweep(one_fails, besides=ANY_OTHER, most=20)
    def an_error(self, run_all, lab, **inputs):
        plan, log = plan_with(**inputs), []
        lab.told(f"with {plan_words(plan)}")
        generators = attending(log, plan)
        error = failing(lab, inputs["error"], run_all, list(generators))
        held_back(lab, generators, log)
        return {"what came out was": error, "the log is": log}

    @sweep(lambda some: {"turns": some.lists(some.integers(0, 2), max_size=3)}, most=8)
    def a_call_in_a_turn(self, run_all, lab, turns):
        plan, log = [(each, number) for number, each in enumerate(turns)], []
        lab.told(f"with a generator that calls it with {plan_words(plan)}; and with D (2 turns)")
        call = calling(log, lambda: log.append(give(lab, run_all, attending(log, plan))))
        got = give(lab, run_all, [call, *attending(log, [(2, "tea")], names="D")])
        return {"it returned": got, "the log is": log}

    @right
    def with_places(generators):
        """Run them in turns; return what each returned, in their order."""
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.value
            else:
                ready.append((place, generator))
        return results

    @right
    def with_a_dict(generators):
        results = {}
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                next(generator)
            except StopIteration as end:
                results[generator] = end.value
                continue
            ready.append(generator)
        return [results[generator] for generator in generators]

    @wrong("falsy", says="B had ended long")
    def none_is_unfinished(generators):
        results = [None] * len(generators)
        while None in results:
            for place, generator in enumerate(generators):
                if results[place] is None:
                    try:
                        next(generator)
                    except StopIteration as end:
                        results[place] = end.value
        return results

    @wrong("order", says="in the order in which they ended")
    def as_they_end(generators):
        results = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                next(generator)
            except StopIteration as end:
                results.append(end.value)
                continue
            ready.append(generator)
        return results

    in_a_dict_as_they_end = with_a_dict.but(
        "[results[generator] for generator in generators]",
        "list(results.values())",
        kind="order",
        says="results.values()",
    )

    with_args = with_places.but("end.value", "end.args[0]", kind="return value", says="IndexError")

    @wrong("lost items", says="in round robin it is ABCACA")
    def as_published(generators):
        pending = list(generators)
        results = {generator: None for generator in generators}
        while pending:
            for generator in pending:
                try:
                    generator.send(None)
                except StopIteration as end:
                    results[generator] = end.value
                    pending.remove(generator)
        return list(results.values())

    @wrong("return value", says="what the generators yielded")
    def the_last_yield(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                results[place] = generator.send(None)
            except StopIteration:
                continue
            ready.append((place, generator))
        return results

    the_exception_itself = with_places.but(
        "end.value", "end", kind="return value", says="StopIteration('tea')"
    )

    @wrong("turns", says="The log is AAABCC")
    def each_to_its_end(generators):
        results = []
        for generator in generators:
            while True:
                try:
                    generator.send(None)
                except StopIteration as end:
                    results.append(end.value)
                    break
        return results

    forgets_the_value = the_last_yield.but(
        "generator.send(None)",
        "generator.send(None) and None",
        kind="return value",
        says="arrives in its StopIteration",
    )

    drops_none = with_places.but(
        "return results",
        "return [result for result in results if result is not None]",
        kind="falsy",
        says="the None of B is missing",
    )

    @wrong("stopped early", says="A and C had no more turns")
    def breaks_at_the_end(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.value
                break
            ready.append((place, generator))
        return results

    @wrong("falsy", says="the 0 of B is missing")
    def drops_what_is_false(generators):
        results = {}
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                if end.value:
                    results[generator] = end.value
                continue
            ready.append(generator)
        return [results[generator] for generator in generators if generator in results]

    @wrong("order", says="can't reach the place")
    def inserts_at_its_place(generators):
        results = []
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results.insert(place, end.value)
                continue
            ready.append((place, generator))
        return results

    writes_into_an_empty_list = inserts_at_its_place.but(
        "results.insert(place, end.value)",
        "results[place] = end.value",
        kind="another form",
        says="results[place] = end.value",
    )

    @wrong("another form", says="ready.append(generator)")
    def forgets_the_place(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.value
                continue
            ready.append(generator)
        return results

    @wrong("StopIteration", says="came to its end")
    def without_try(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)


def _out_of_step(lab):
    """The line that works out a place by the number of turns, or that counts those that are left;
    or else the one that puts a result there.
    """
    given = {node.arg for node in lab.nodes() if isinstance(node, ast.arg)}
    counts = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
        if is_named(node.iter.func, ("enumerate",))
        if not any(isinstance(one, ast.Name) and one.id in given for one in ast.walk(node.iter))
    ]
    return lab.operation("%") or lab.earliest(*counts) or lab.assigned(to="value")


UNFINISHED = (
    "falsy",
    "took None for not done",
    lambda lab: lab.earliest(
        lab.operation("is", "in"), lab.call_of("all", "any"), lab.while_loop("results")
    ),
    "B returns None, and None is a result. Only StopIteration tells that a generator "
    "has ended: keep those that have not, and go on while there are any.",
)
