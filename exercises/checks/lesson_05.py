"""Exercises of lesson 05: many generators, one thread, each in its turn."""

from collections import deque
from collections.abc import Generator

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class PredictQueue(Exercise):
    """Predict a queue

    Read this program, and do not run it.

        def g(name, turns):
            for _ in range(turns):
                log.append(name)
                yield

        def p():
            log.append("P")
            ready.append(g("D", 2))
            yield
            log.append("P")

        log = []
        ready = deque([g("A", 2), p(), g("C", 1)])
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        order = "".join(log)

    Set `order` to the string of letters.
    """

    id = "queue-1"
    asks = "order"
    minutes = 5
    hints = (
        "Write down the queue after each turn. Who is taken from the left, and who joins at the "
        "right?",
        "`p` puts D into the queue in the middle of its own turn. It joins the queue itself only "
        "when that turn is over.",
        "After three turns the queue is A, D, P, C: the log is APC so far. Go on from there.",
    )
    right_values = ("APCADPD", list("APCADPD"), "A P C A D P D", "A, P, C, A, D, P, D", "apcadpd")
    wrong_values = (
        wrong_value(
            "APCAPDD",
            "queued too late",
            "You let P queue before D. P made D join while its own turn was still going "
            "on, and joined the queue after that turn.",
        ),
        wrong_value(
            "APDCADP",
            "ran when it was queued",
            "You let D run as soon as it was appended. To append is not to run: its turn "
            "comes when all before it have had theirs.",
        ),
        wrong_value(
            "APDCAPD",
            "ran when it was queued",
            "You let D run as soon as it was appended. To append is not to run: its turn "
            "comes when all before it have had theirs.",
        ),
        wrong_value(
            "AAPPCDD",
            "ran each to its end",
            "You let each generator run until it ended. One `send` runs it to its next "
            "`yield`, and then it goes to the end of the queue.",
        ),
        wrong_value(
            "AAPPDDC",
            "ran each to its end",
            "You let each generator run until it ended. One `send` runs it to its next "
            "`yield`, and then it goes to the end of the queue.",
        ),
        wrong_value(
            "APCAPD", "a turn is missing", "D has two turns. Count how often each letter must come."
        ),
        wrong_value(
            "APCADD",
            "a turn is missing",
            "P has something to log after its `yield` as well. The turn in which a "
            "generator ends is a turn.",
        ),
    )


class RoundRobin(Exercise):
    """Round robin

    Write `round_robin(generators)`. It is given a list of generators, and gives them turns until
    all of them have ended: one turn each, from left to right, then again from the left, and so
    on.

    - One turn is one `send(None)`. What a generator yields is of no concern, and is not sent back.
    - A generator that has ended gets no more turns, and nobody else loses a turn by it.
    - The list belongs to the caller: it stays as it is.
    - It must work for many thousands of turns.
    """

    id = "robin-1"
    asks = "round_robin"
    minutes = 8
    hints = (
        "Keep a queue of your own. Who is next? Where does it go after its turn?",
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
                "took the caller's list apart",
                f"I gave it a list of 3, and {len(generators)} of them are left in it.",
                lab.line(r"\.pop\(|\.remove\(|\bdel\b"),
                "Work on a queue of your own: `deque(generators)` is a copy.",
            )
        lab.equal(generators, kept, what="the caller's list is now")
        self._echo(lab, round_robin)
        self._long(lab, round_robin)

    def _name(self, lab, log, ended):
        if log == "ABCBCBC":
            return
        said = f"The log is {log}."
        if log == "ABCCBCB":
            raise Wrong(
                "removed from the list that it walks",
                f"{said} When A had ended, C had its turn and B had none.",
                lab.line(r"\.remove\(|\bdel\b|\.pop\("),
                "A `for` loop over a list counts places, and `remove` moves all that "
                "follow. Take the leftmost off a queue, and append it after its turn.",
            )
        if log == "ABBBCCC":
            raise Wrong(
                "ran each to its end",
                f"{said} B began when A had ended, and C when B had.",
                lab.line(rf"appendleft|(?<!def ){lab.asks}\(") or lab.line(r"\bfor\b|\bwhile\b"),
                "After one turn the others come first: put it at the end of the queue.",
            )
        if log == "CCCBBBA":
            raise Wrong(
                "took the one that came last",
                f"{said} C, which came last, had all its turns first.",
                lab.line(r"\.pop\(\)"),
                "`pop()` takes from the right, where `append` has just put one. Take from "
                "the left: `popleft()`.",
            )
        if log == "ABC" and lab.line(r"next\(\w+, None\)|is None|is not None|==? None"):
            raise Wrong(
                "took None for the end",
                f"{said} Each had one turn and no more. They all yield None, which does "
                "not mean that they have ended.",
                lab.line(r"next\(\w+, None\)|is None|is not None|==? None"),
                "Only StopIteration tells that a generator has ended.",
            )
        if log == "ABC":
            if not ended:
                one_round(lab, said)
            stopped_at_the_first_end(lab, f"{said} A ended, and B and C had no more turns.")
        if not log:
            raise Wrong(
                "gave nobody a turn",
                "All three are as they were.",
                lab.line(r"\bsend\b|\bnext\b"),
                "`generator.send(None)` runs a generator to its next `yield`.",
            )
        raise Wrong(
            "order" if sorted(log) == sorted("ABCBCBC") else "value",
            f"{said} It has to be ABCBCBC.",
            try_="From left to right: take from the left, "
            "append at the right, and leave nobody out.",
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
                "echoed what was yielded",
                f"It yielded 'a question' and 'another', and was sent {heard}.",
                lab.line(r"\.send\((?!None)"),
                "A turn is `send(None)`: there is no answer to give.",
            )
        lab.equal(heard, [None, None], what="the generator was sent")

    def _long(self, lab, round_robin):
        log = []
        lab.told("with two generators of 3,000 turns each")
        try:
            round_robin([guest(log, "A", 3000), guest(log, "B", 3000)])
        except RecursionError:
            raise Wrong(
                "makes a call for each turn",
                f"After {len(log):,} turns Python refused to go deeper: RecursionError.",
                lab.line(rf"(?<!def )\b{self.asks}\(") or lab.line(r"^\s+\w+\("),
                "A call inside a call keeps both frames. Give the turns in a `while` loop.",
            ) from None
        lab.equal(len(log), 6000, what="the turns logged are")

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

    @wrong("removed from the list that it walks", says="The log is ABCCBCB")
    def as_published(generators):
        pending = list(generators)
        while pending:
            for generator in pending:
                try:
                    generator.send(None)
                except StopIteration:
                    pending.remove(generator)

    @wrong("removed from the list that it walks", says="pending.pop(place)")
    def pops_while_it_counts(generators):
        pending = list(generators)
        while pending:
            for place, generator in enumerate(pending):
                try:
                    next(generator)
                except StopIteration:
                    pending.pop(place)

    @wrong("makes a call for each turn", says="RecursionError")
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

    @wrong("ran each to its end", says="The log is ABBBCCC")
    def one_after_another(generators):
        for generator in generators:
            for _ in generator:
                pass

    @wrong("ran each to its end", says="round_robin([generator])")
    def order_by_depth(generators):
        for generator in generators:
            try:
                generator.send(None)
            except StopIteration:
                continue
            round_robin([generator])

    @wrong("ran each to its end", says="appendleft")
    def back_to_the_front(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.appendleft(generator)

    @wrong("took the one that came last", says="popleft")
    def a_stack(generators):
        ready = list(generators)
        while ready:
            generator = ready.pop()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)

    @wrong("took None for the end", says="They all yield None")
    def none_is_the_end(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            if next(generator, None) is not None:
                ready.append(generator)

    @wrong("stopped at the first end", says="B and C had no more turns")
    def with_zip(generators):
        for _ in zip(*generators):
            pass

    @wrong("stopped at the first end", says="Catch StopIteration inside the loop")
    def try_around_the_loop(generators):
        ready = deque(generators)
        try:
            while ready:
                generator = ready.popleft()
                generator.send(None)
                ready.append(generator)
        except StopIteration:
            pass

    @wrong("gave one round only", says="nobody has ended")
    def one_round_only(generators):
        for generator in generators:
            try:
                generator.send(None)
            except StopIteration:
                pass

    @wrong("order", says="The log is CBACBCB")
    def from_the_right(generators):
        ready = deque(generators)
        while ready:
            generator = ready.pop()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.appendleft(generator)

    @wrong("let StopIteration out", says="The end of one is not the end of all")
    def without_try(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)

    @wrong("took the caller's list apart", says="0 of them are left")
    def empties_the_list(generators):
        while generators:
            generator = generators.pop(0)
            try:
                generator.send(None)
            except StopIteration:
                continue
            generators.append(generator)

    @wrong("echoed what was yielded", says="'a question'")
    def echoes(generators):
        ready = deque((generator, None) for generator in generators)
        while ready:
            generator, answer = ready.popleft()
            try:
                answer = generator.send(answer)
            except StopIteration:
                continue
            ready.append((generator, answer))

    @wrong("not a plain function", says="yield generator.send(None)")
    def yields_itself(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                yield generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)

    @wrong("asked one that has ended", says="A had ended long")
    def the_ended_queue_again(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                pass
            ready.append(generator)


class RunAll(Exercise):
    """What they return

    Write `run_all(generators)`. It gives the generators of a list turns, as in round robin, until
    all have ended. Then it returns a list: what each of them returned, in the order of
    `generators`.

    A generator may return anything: 0, an empty string, None. What it yields is of no concern.
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
        got = self._give(
            lab,
            run_all,
            watched(lab, {name: guest(log, name, *what) for name, what in plan.items()}),
            QUEUED,
        )
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
                "took None for nothing",
                f"It returned {got}: the None of B is missing.",
                lab.line(r"not None|\bif \w+\]|filter\("),
                "None is a result like any other. Keep its place.",
            )
        if got == ["tea", "jam", None] and lab.line(r"\.insert\("):
            raise Wrong(
                "order",
                f"It returned {got}. They ended as C, B, A.",
                lab.line(r"\.insert\("),
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
            if lab.line(r"args\["):
                raise Wrong(
                    "args is empty",
                    "A generator that returns None came to its end, and `run_all` raised "
                    "IndexError.",
                    lab.line(r"args\["),
                    "Where nothing is returned, `args` is empty. `value` is always there.",
                ) from None
            if lab.line(r"= *\[\] *$"):
                raise Wrong(
                    "no place to write to",
                    "The list is empty, and has no place yet.",
                    lab.line(r"\w\[\w+\] *=") or lab.line(r"= *\[\] *$"),
                    "Make the places first: `[None] * len(generators)`.",
                ) from None
            raise
        except AttributeError as error:
            if error.name == "send" and lab.line(r"enumerate|zip"):
                raise Wrong(
                    "queued without its place",
                    f"The queue held pairs, and then something else came out of it: {error}.",
                    lab.line(r"append\((?!\()"),
                    "What you append must be such a pair again: `(place, generator)`.",
                ) from None
            raise

    def _name(self, lab, got, log):
        if log == "AAABCC":
            raise Wrong(
                "ran each to its end",
                f"The log is {log}: B began when A had ended.",
                lab.line(r"yield from|\bfor\b|while"),
                "Give one turn, then put it at the end of the queue.",
            )
        if log == "ABC":
            one_round(lab, f"The log is {log}.")
        if log == "ABCA":
            stopped_at_the_first_end(
                lab, f"The log is {log}. B ended, and A and C had no more turns."
            )
        if log == "ABCAAC":
            raise Wrong(
                "removed from the list that it walks",
                f"The log is {log}; in round robin it is ABCACA.",
                lab.line(r"\.remove\(|\bdel\b|\.pop\("),
                "A `for` loop over a list counts places, and `remove` moves all that "
                "follow: here C lost a turn when B had ended. Use a queue.",
            )
        if got is None or got == [None] * 3:
            raise Wrong(
                "lost the return value",
                f"It returned {got}. The generators returned 'tea', 0 and 'jam'.",
                lab.line(r"StopIteration|\bfor\b"),
                "What a generator returns arrives in its StopIteration, as `value`.",
            )
        if got == [yielded("A"), yielded("B"), yielded("C")]:
            raise Wrong(
                "kept what was yielded",
                f"It returned {got}. That is what the generators yielded.",
                lab.line(r"=.*(\.send\(|\bnext\()"),
                "`send` gives back what is yielded. What is returned arrives in the "
                "StopIteration, as `value`.",
            )
        if got == ["tea", "jam"]:
            raise Wrong(
                "took 0 for nothing",
                f"It returned {got}: the 0 of B is missing.",
                lab.line(r"\bif \w+(\.value)?( is not None)?:|filter\("),
                "0 is a result like any other. Keep its place.",
            )
        if isinstance(got, list) and any(isinstance(result, StopIteration) for result in got):
            raise Wrong(
                "kept the StopIteration",
                f"It returned {got}.",
                lab.line(r"StopIteration as (\w+)"),
                "What the generator returned is the `value` of the StopIteration.",
            )
        if got in ([0, "jam", "tea"], ["jam", 0, "tea"], [0, "tea", "jam"]):
            raise Wrong(
                "order",
                f"It returned {got}: in the order in which they ended.",
                lab.line(r"append\(\w*\.?value|append\(.*\bvalue\b"),
                "Asked is the order of `generators`. Note with each generator its place.",
            )
        lab.equal(got, ["tea", 0, "jam"])
        lab.equal(list(log), list("ABCACA"), what="the log is")

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

    @wrong("took None for not finished", says="B had ended long")
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

    @wrong("args is empty", says="IndexError")
    def with_args(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.args[0]
            else:
                ready.append((place, generator))
        return results

    @wrong("removed from the list that it walks", says="in round robin it is ABCACA")
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

    @wrong("kept what was yielded", says="what the generators yielded")
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

    @wrong("kept the StopIteration", says="StopIteration('tea')")
    def the_exception_itself(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end
            else:
                ready.append((place, generator))
        return results

    @wrong("ran each to its end", says="The log is AAABCC")
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

    @wrong("lost the return value", says="arrives in its StopIteration")
    def forgets_the_value(generators):
        results = [None] * len(generators)
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                results[place] = generator.send(None) and None
            except StopIteration:
                continue
            ready.append((place, generator))
        return results

    @wrong("took None for nothing", says="the None of B is missing")
    def drops_none(generators):
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
        return [result for result in results if result is not None]

    @wrong("stopped at the first end", says="A and C had no more turns")
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

    @wrong("took 0 for nothing", says="the 0 of B is missing")
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

    @wrong("no place to write to", says="results[place] = end.value")
    def writes_into_an_empty_list(generators):
        results = []
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.value
                continue
            ready.append((place, generator))
        return results

    @wrong("queued without its place", says="ready.append(generator)")
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

    @wrong("let StopIteration out", says="came to its end")
    def without_try(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)


class RunOn(Exercise):
    """One fails, the others go on

    Write `run_on(generators)`. It gives the generators of a list turns, as in round robin, until
    all have ended. A generator that raises an error has ended too; the others go on.

    No error must be lost: `run_on` returns a list of them, the exceptions themselves, in the order
    in which they came. Without errors the list is empty.

    An error is an `Exception`. A KeyboardInterrupt, which is what the stop button raises, is not
    for you to keep: it must come out at once.
    """

    id = "errors-1"
    asks = "run_on"
    minutes = 8
    hints = (
        "A turn can end in three ways: with a `yield`, with the end, with an error. Only after the "
        "first of them does the generator queue again.",
        "Two `except` behind one `try`, inside the loop. StopIteration is an Exception too: which "
        "of the two must stand first?",
        "`except StopIteration: continue`, then `except Exception as error: errors.append(error)`, "
        "then `else: ready.append(generator)`.",
    )

    def verify(self, run_on, lab):
        log, late, early = [], ValueError("no tea"), KeyError("cake")
        lab.told(
            "with four generators: C raises a KeyError in its first turn, A a ValueError in "
            "its second"
        )
        generators = watched(
            lab,
            {
                "A": fails(log, "A", 1, late),
                "B": guest(log, "B", 4),
                "C": fails(log, "C", 0, early),
                "D": guest(log, "D", 2),
            },
        )
        self._name(lab, self._give(lab, run_on, generators), "".join(log), [early, late])
        lab.told("with two generators that raise nothing")
        lab.equal(self._give(lab, run_on, [guest(log, "A", 1), guest(log, "B", 2)]), [])
        self._stop(lab, run_on)

    def _give(self, lab, run_on, generators):
        try:
            return give(lab, run_on, generators)
        except (ValueError, KeyError, ExceptionGroup) as error:
            if isinstance(error, ExceptionGroup) or error.args in (("no tea",), ("cake",)):
                raise Wrong(
                    "let the error out",
                    f"`run_on` raised {type(error).__name__}, and returned nothing.",
                    lab.line(r"\braise\b") or lab.line(r"\.send\(|\bnext\("),
                    "Catch it at the `send`, keep it in a list, and go on.",
                ) from None
            raise

    def _name(self, lab, got, log, expected):
        if log == "ABBBBDD":
            raise Wrong(
                "ran each to its end",
                f"The log is {log}: D began when B had ended.",
                lab.line(r"\bfor\b|\bwhile\b"),
                "Give one turn, then put it at the end of the queue.",
            )
        if log == "ABDBDB":
            stopped_at_the_first_end(lab, "D ended, and B had no more turns.")
        if log in ("ABC", "AB"):
            raise Wrong(
                "stopped the others",
                "C raised its error, and from then on nobody had a turn. D had none at all.",
                lab.line(r"except (?!StopIteration)|\bbreak\b|\breturn\b"),
                "Let the `try` stand inside the loop, around a single turn.",
            )
        errors = got if isinstance(got, list) else []
        if any(isinstance(error, StopIteration) for error in errors):
            raise Wrong(
                "took the end for an error",
                f"It returned {got}. StopIteration is how a generator says that it has ended.",
                lab.line(r"except (Exception|BaseException)|except:"),
                "Put `except StopIteration` before `except Exception`: the first that "
                "fits is taken.",
            )
        if errors and all(isinstance(error, (str, type)) for error in errors):
            raise Wrong(
                "kept the words only",
                f"It returned {got}.",
                lab.line(r"append\("),
                "Keep the exception itself: it knows its type, its words and its line.",
            )
        if got is None and lab.line(r"\breturn\b") is None:
            raise Wrong(
                "no return", "It returned None.", try_="At the end, `return` the list of errors."
            )
        if got is None or len(errors) < 2:
            raise Wrong(
                "lost error",
                f"Two generators raised errors. It returned {got}.",
                lab.line(r"except (?!StopIteration)|except:"),
                "Put each error into a list, and return the list.",
            )
        if errors == expected[::-1]:
            raise Wrong(
                "order",
                f"It returned {got}, which is the order of the generators.",
                try_="The KeyError came first. Append each error when it comes.",
            )
        lab.equal(got, expected)
        lab.equal(list(log), list("ABDBDBB"), what="the log is")

    def _stop(self, lab, run_on):
        log = []
        lab.told("with a generator that raises KeyboardInterrupt")
        try:
            got = run_on([fails(log, "A", 1, KeyboardInterrupt()), guest(log, "B", 3)])
        except KeyboardInterrupt:
            if log == ["A", "B"]:
                return
            raise Wrong(
                "held up the stop",
                f"It came out, but only after the log was {''.join(log)}.",
                lab.line(r"\braise\b"),
                "Do not catch it.",
            ) from None
        raise Wrong(
            "caught too much",
            f"Somebody pressed stop, and `run_on` went on. It returned {got!r}.",
            lab.line(r"except\s*:|BaseException|KeyboardInterrupt"),
            "`except Exception` lets a KeyboardInterrupt pass.",
        )

    @right
    def with_two_excepts(generators):
        """Run them in turns; return the errors that were raised."""
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @right
    def in_rounds(generators):
        errors = []
        while generators:
            left = []
            for generator in generators:
                try:
                    next(generator)
                    left.append(generator)
                except StopIteration:
                    pass
                except Exception as error:
                    errors.append(error)
            generators = left
        return errors

    @wrong("no return", says="`return` the list")
    def returns_nothing(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
                continue
            ready.append(generator)

    @wrong("stopped the others", says="D had none at all")
    def try_around_the_loop(generators):
        errors = []
        ready = deque(generators)
        try:
            while ready:
                generator = ready.popleft()
                try:
                    generator.send(None)
                except StopIteration:
                    continue
                ready.append(generator)
        except Exception as error:
            errors.append(error)
        return errors

    @wrong("ran each to its end", says="D began when B had ended")
    def one_after_another(generators):
        errors = []
        for generator in generators:
            try:
                for _ in generator:
                    pass
            except Exception as error:
                errors.append(error)
        return errors

    @wrong("lost error", says="It returned []")
    def swallows(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except Exception:
                continue
            ready.append(generator)
        return errors

    @wrong("lost error", says="Two generators raised errors")
    def keeps_the_last(generators):
        failed = None
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                failed = error
            else:
                ready.append(generator)
        return [failed] if failed else []

    @wrong("stopped at the first end", says="B had no more turns")
    def breaks_at_the_end(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                break
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @wrong("took the end for an error", says="StopIteration is how")
    def one_except(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @wrong("let the error out", says="raised KeyError")
    def catches_the_end_only(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return []

    @wrong("asked one that has ended", says="append it after its `send`")
    def queues_in_any_case(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                pass
            except Exception as error:
                errors.append(error)
            ready.append(generator)
        return errors

    @wrong("let the error out", says="raised ExceptionGroup")
    def raises_at_the_end(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        if errors:
            raise ExceptionGroup("some failed", errors)
        return errors

    @wrong("caught too much", says="Somebody pressed stop")
    def catches_all(generators):
        errors = []
        ready = deque(generators)
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
        return errors

    @wrong("kept the words only", says="Keep the exception itself")
    def words(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(str(error))
            else:
                ready.append(generator)
        return errors

    @wrong("order", says="the order of the generators")
    def by_place(generators):
        errors = {}
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors[place] = error
            else:
                ready.append((place, generator))
        return [errors[place] for place in sorted(errors)]


class RunFor(Exercise):
    """A number of turns, and no more

    Write `run_for(ready, turns)`. `ready` is a deque of generators. Give turns as in round robin,
    but at most `turns` of them, and return how many you gave. It is fewer only if all have ended.

    A turn is one `send(None)`, and the one in which a generator ends counts as well. Who has not
    ended is in `ready` afterwards, in the order in which their turns come, so that another call
    goes on where this one stopped.
    """

    id = "turns-1"
    asks = "run_for"
    minutes = 7
    hints = (
        "Two things can stop the loop: nobody is left, or the turns are used up. When must you "
        "know that, before or after you take one from the queue?",
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
        lab.equal(self._give(lab, run_for, ready, 0), 0)
        lab.equal(len(ready), 1, what="the generators in the queue are")

    def _give(self, lab, run_for, ready, turns):
        try:
            return give(lab, run_for, ready, turns)
        except IndexError:
            if ready:
                raise
            raise Wrong(
                "took from an empty queue",
                "All had ended before the turns were used up, and `run_for` raised IndexError.",
                lab.line(r"\.popleft\(|\.pop\(|\[0\]"),
                "Go on only while somebody is in the queue: `while ready and ...`.",
            ) from None

    def _first(self, lab, given, log, left):
        said = f"The log is {log}, and in the queue are {', '.join(left) or 'none'}."
        if log == "ABCA" and left == "ABC":
            raise Wrong(
                "worked on a copy",
                f"{said} A is next once more, before B.",
                lab.line(r"deque\(|list\(|\.copy\(|\[:\]"),
                "Take from `ready` itself, and append to it.",
            )
        if given == 5:
            raise Wrong(
                "one too many",
                f"I asked for 4 turns. It gave {given}.",
                lab.line(r"<="),
                "Ask before each turn whether it is still allowed.",
            )
        if log == "ABCA" and len(left) == 2:
            raise Wrong(
                "lost one",
                f"{said} Nobody ended, and one of them is gone.",
                lab.line(r"\breturn\b|\bbreak\b"),
                "Ask whether a turn is left before you take one from the queue.",
            )
        if log == "ABCACC":
            raise Wrong(
                "counted rounds",
                f"{said} Those are more than 4 turns.",
                lab.line(r"\bfor\b|\bwhile\b"),
                "Count each `send`, and ask before each one whether it is still allowed.",
            )
        if log == "ABC":
            one_round(lab, said)
        if log[:2] == "AA":
            raise Wrong(
                "ran each to its end",
                f"{said} A had two turns before B had one.",
                lab.line(r"appendleft") or lab.line(r"\bfor\b|\bwhile\b"),
                "After its turn it goes to the end of the queue.",
            )
        lab.equal(list(log), list("ABCA"), what="the log is")
        lab.equal(list(left), list("BCA"), what="in the queue are")
        if given is None:
            raise Wrong(
                "no return",
                "It gave 4 turns, and returned None.",
                try_="`return` how many turns were given.",
            )
        lab.equal(given, 4)

    def _rest(self, lab, given, log, ready):
        if log == "ABCA":
            stopped_at_the_first_end(lab, "B ended, and A and C had no more turns.")
        lab.equal(list(log), list("ABCACC"), what="the log is")
        if given == 2:
            raise Wrong(
                "did not count the end",
                "The second call gave 5 turns: in 3 of them a generator ended. It returned 2.",
                lab.line(r"\+= ?1|\+ 1"),
                "Count the turn before you know how it ends.",
            )
        if given == 9:
            raise Wrong(
                "counts on",
                "The second call gave 5 turns, and returned 9.",
                lab.line(r"\bglobal\b|\bnonlocal\b|def .*="),
                "Begin at 0 in each call.",
            )
        lab.equal(given, 5)

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

    @wrong("worked on a copy", says="A is next once more")
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

    @wrong("lost one", says="one of them is gone")
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

    @wrong("one too many", says="It gave 5")
    def off_by_one(ready, turns):
        given = 0
        while ready and given <= turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return given

    @wrong("counted rounds", says="more than 4 turns")
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

    @wrong("did not count the end", says="in 3 of them a generator ended")
    def counts_yields(ready, turns):
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            given += 1
            ready.append(generator)
        return given

    @wrong("asked one that has ended", says="B had ended long")
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

    @wrong("ran each to its end", says="appendleft")
    def back_to_the_front(ready, turns):
        given = 0
        while ready and given < turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.appendleft(generator)
        return given

    @wrong("took from an empty queue", says="IndexError")
    def does_not_ask_the_queue(ready, turns):
        for given in range(turns):
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return turns

    @wrong("stopped at the first end", says="B ended")
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

    @wrong("no return", says="returned None")
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


def yielded(name):
    return f"{name} is busy"


def guest(log, name, turns, result=None):
    for _ in range(turns):
        log.append(name)
        yield yielded(name) if result is not None else None
    return result


def fails(log, name, turns, error):
    for _ in range(turns):
        log.append(name)
        yield
    raise error


def one_round(lab, said):
    raise Wrong(
        "gave one round only",
        f"{said} Each had one turn, and nobody has ended.",
        lab.line(r"\bfor\b|\bwhile\b"),
        "Round after round, as long as anybody is left: a `while` loop over a queue.",
    )


def stopped_at_the_first_end(lab, observed):
    raise Wrong(
        "stopped at the first end",
        observed,
        lab.line(r"\bzip\(|except StopIteration|\bbreak\b|\breturn\b"),
        "Go on as long as anybody is left. Catch StopIteration inside the loop.",
    )


QUEUED = (
    "asked one that has ended",
    (r"\.append\((?!err)", r"\bfor\b|\bwhile\b"),
    "Only who has not ended has another turn: append it after its `send`, and only if that "
    "did not raise StopIteration.",
)
UNFINISHED = (
    "took None for not finished",
    (r"is None|None in|not results|\ball\(|\bany\(",),
    "It returned None, and None is a result. Only StopIteration tells that a generator "
    "has ended: ask who is still in the queue.",
)


def give(lab, answer, *arguments, asked_on=QUEUED):
    """Call the answer; name the two ways in which it can miss an end, and the one not to run."""
    try:
        got = answer(*arguments)
        if hasattr(got, "send"):
            got.close()
            raise Wrong(
                "not a plain function",
                f"It returned a {type(got).__name__}: nothing has run.",
                lab.line(r"async def|\byield\b"),
                "Write `def`, and no `await` or `yield` in it: the loop gives turns, and "
                "takes none.",
            )
        return got
    except StopIteration:
        raise Wrong(
            "let StopIteration out",
            f"A generator came to its end, and `{lab.asks}` raised StopIteration.",
            lab.line(r"\.send\(|\bnext\("),
            "The end of one is not the end of all: catch it, and go on.",
        ) from None
    except AskedOn as asked:
        kind, where, try_ = asked_on
        raise Wrong(
            kind,
            f"It asked {asked} to go on, again and again, and {asked} had ended long before.",
            next(filter(None, map(lab.line, where)), None),
            try_,
        ) from None


class AskedOn(BaseException):
    """A generator was asked again and again after its end. No `except Exception` shall keep it."""


class Watched(Generator):
    """A generator that notices when it is asked on and on after its end."""

    MOST = 20  # to ask once more is clumsy; to ask on and on is a belief

    def __init__(self, name, generator):
        self.name, self.generator, self.asked = name, generator, 0

    def send(self, value):
        try:
            return self.generator.send(value)
        except StopIteration:
            self.asked += 1
            if self.asked > self.MOST:
                raise AskedOn(self.name) from None
            raise

    def throw(self, *error):
        return self.generator.throw(*error)

    def __repr__(self):
        return f"<generator {self.name}>"

    def __getattr__(self, name):
        return getattr(self.generator, name)


def watched(lab, named):
    """The generators that `named` gives a name each, watched, and recorded for the timeline."""
    return [Watched(name, stand_in) for name, stand_in in zip(named, lab.generators(named))]
