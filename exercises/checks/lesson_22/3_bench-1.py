"""Long, for a measurement can be wrong in many ways, and each has words of its own."""

import ast
import asyncio
import gc
import statistics
import sys
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong

ERRORS = ValueError, TimeoutError, LookupError


class Bench(Exercise):
    """A fair benchmark

    Write `bench(ways, rounds, clock)`: `ways` is a dict from a name to a function without
    parameters, `clock()` returns the time in seconds. It returns a dict from each name to the
    median of its times, in the order of `ways`.

    - Before anything is measured, each way runs once, in the order of `ways`: that run doesn't
      count.
    - Then `rounds` rounds; in each round every way runs once, in the order of `ways`.
    - A way that raises an error ends the benchmark: the error comes out.

    `statistics.median` makes a median.
    """

    id = "bench-1"
    asks = "bench"
    minutes = 10
    hints = (
        "Two loops, one inside the other. Which is the outer one: rounds or ways?",
        "Collect a list of times for each name: `times = {name: [] for name in ways}`.",
        "`for way in ways.values(): way()` first; then `for _ in range(rounds): for name, way in "
        "ways.items(): …`",
    )

    def verify(self, bench, lab):
        now, ran = [100.0], []
        first, later = set(), set()  # the lines of `bench` at which the ways ran

        def way(name, lengths, error=None):
            lengths = iter(lengths)

            def run():
                (later if name in ran else first).add(_line_in_bench(lab))
                ran.append(name)
                now[0] += next(lengths, 0.0)
                if error and ran.count(name) == 3:
                    raise error

            run.__name__ = name
            return run

        # The first run is long; then the machine gets slower and slower, for all alike.
        taken = {"b": [9, 2, 3, 6], "c": [9, 1, 2, 6], "a": [9, 1, 2, 6]}
        ways = {name: way(name, lengths) for name, lengths in taken.items()}
        lab.told("with three ways `b`, `c`, `a` on a clock of mine, for 3 rounds")
        found = bench(ways, 3, lambda: now[0])
        if asyncio.iscoroutine(found):
            found.close()
            raise Wrong(
                "async for plain",
                "It returned a coroutine. The ways are plain functions: there is nothing to await.",
                lab.coroutine_function("bench"),
                "Begin it with `def`.",
                headline="must be awaited",
            )
        self._order(lab, ran, found)
        medians = {"b": 3, "c": 2, "a": 2}
        if isinstance(found, dict) and found.keys() == medians.keys():
            self._figures(lab, found, medians, first - later)
        lab.equal(found, medians)

        lab.told("with one way, for 4 rounds")
        found = bench({"a": way("a", [9, 1, 2, 4, 8])}, 4, lambda: now[0])
        if isinstance(found, dict) and found.get("a") in (2, 4):
            raise Wrong(
                "unfair measuring",
                f"`a` took 1, 2, 4 and 8 s, and it says {found['a']:g}. Of four figures two are in "
                "the middle, and the median is halfway between them: 3.",
                lab.call_of("median_*") or lab.operation("//", ">>", "/"),
                "`statistics.median` does it right.",
                headline="no median",
            )
        lab.equal(found, {"a": 3})
        self._collects(lab, "when `bench` had returned")

        lab.told("with a way `b` that raises ConnectionError at its third run")
        ran.clear()
        error = ConnectionError("refused")
        try:
            bench({"a": way("a", []), "b": way("b", [], error)}, 3, lambda: now[0])
        except ConnectionError:
            if len(ran) > 6:
                raise Wrong(
                    "lost error",
                    f"The ways ran in the order {''.join(ran)}: more than once after the error.",
                    lab.handler(),
                    "Let it out where it is raised.",
                    headline="went on after the error",
                ) from None
            self._collects(lab, "when the error had come out of `bench`")
            return
        except Exception as other:
            raise Wrong(
                "lost error",
                f"The way raised ConnectionError, and out came {type(other).__name__}: {other}.",
                lab.handler(),
                "An error isn't a fast answer. Let it come out as it is.",
            ) from None
        raise Wrong(
            "lost error",
            "One way raised ConnectionError, and it did not come out of `bench`.",
            lab.handler(),
            "A way that fails has no time. Let its error out: it ends the benchmark.",
        )

    @sweep(
        lambda some: {
            "names": some.lists(some.sampled_from(("T", "A", "", "b")), max_size=3, unique=True),
            "rounds": some.integers(1, 6),
            "lengths": some.lists(some.sampled_from((0, 0, 1, 2, 5, 0.25)), min_size=3, max_size=7),
            "alike": some.booleans(),
            "begins": some.sampled_from((0, -3.5, 1e6)),
            "fails": some.sampled_from((None, None, None, *ERRORS)),
            "at": some.integers(1, 5),
        },
        most=60,
    )
    def any_ways(self, bench, lab, names, rounds, lengths, alike, begins, fails, at):
        clock, ran = [begins], []

        def way(name):
            def run():
                ran.append(name)
                if fails and len(ran) == at:
                    raise fails(f"run {at} failed")
                clock[0] += lengths[len(ran) % len(lengths)]

            return run

        ways = (
            dict.fromkeys(names, way("the way")) if alike else {name: way(name) for name in names}
        )
        told = f"with the ways {names}, for {rounds} round{'s' * (rounds > 1)}"
        if alike and len(names) > 1:
            told += ", the same function for each name"
        told += f"; the runs take {', '.join(str(one) for one in lengths[1:] + lengths[:1])} s"
        if fails:
            told += f", and number {at} raises {fails.__name__}"
        lab.told(told)
        try:
            found = bench(ways, rounds, lambda: clock[0])
        except ERRORS as error:
            found = error
        if alike and len(names) > 1 and not fails and len(ran) == rounds + 1:
            raise Wrong(
                "counted wrong",
                f"{len(names)} names stand for the same function, and it ran {len(ran)} times: as "
                "often as for one name.",
                lab.alike().line,
                "Two names may have the same function. Keep the times by name, and run the "
                "function for each name.",
                headline="took two ways for one",
            )
        if alike and not fails and isinstance(found, dict) and len(set(found.values())) == 1:
            each = {
                statistics.median(
                    lengths[(len(names) * (number + 1) + place + 1) % len(lengths)]
                    for number in range(rounds)
                )
                for place in range(len(names))
            }
            if len(each) > 1:
                raise Wrong(
                    "value",
                    f"It returned {found}: the same for each name, though they had different "
                    "times.",
                    lab.call_of("*.append"),
                    "Two names may have the same function: keep the times by name.",
                    headline="took two ways for one",
                )
        seen = {"the ways ran in this order:": ran}
        if isinstance(found, Exception):
            return seen | {"what came out is": type(found).__name__}
        return seen | {"it returned": found, "the names came in this order:": list(found)}

    @staticmethod
    def _collects(lab, when):
        """Does the garbage collector, which `bench` may turn off, work as it did before?"""
        if gc.isenabled():
            return
        gc.enable()
        skipped = lab.text.skipped("enable")
        raise Wrong(
            "not given back",
            f"The garbage collector was still off {when}.",
            skipped or lab.call_of("disable"),
            "All of the program would go on without it. Call `gc.enable()` in a `finally`.",
            headline="left the garbage collector off",
            at="isn't reached after an error" if skipped else "turns it off",
        )

    @staticmethod
    def _order(lab, ran, found):
        order = "".join(ran)
        if order == "bca" * 4:
            return
        if not ran:
            raise Wrong(
                "not run yet",
                "It called none of the ways.",
                try_="Call `way()`.",
                headline="measured nothing",
            )
        if order == "bca" * 3:
            # Without its 9 s at the start, `b` would say 2.5.
            if isinstance(found, dict) and found.get("b") == 2.5:
                raise Wrong(
                    "counted wrong",
                    "Each way ran 3 times: the run that does not count, and 2 rounds.",
                    try_="The 3 rounds come after that first run.",
                    headline="a round too few",
                )
            raise Wrong(
                "unfair measuring",
                "Each way ran 3 times, so the first run of each was measured as well.",
                try_="Let each run once before you measure: it pays for imports and connections.",
                headline="measured the first run",
            )
        if sorted(order) == sorted("bca" * 4):
            if all(sorted(order[n : n + 3]) == sorted("bca") for n in (0, 3, 6, 9)):
                raise Wrong(
                    "turns",
                    f"The ways ran in the order {order}; in `ways` it is b, c, a.",
                    lab.call_of("*.reverse", "reversed", "sorted", "*.sort", "*shuffle", "*.rotate")
                    or lab.node(ast.Slice),
                    try_="Go through `ways` as it is, in each round.",
                    headline="another order",
                )
            if order == "bbccaa" + "bca" * 2:
                raise Wrong(
                    "unfair measuring",
                    f"The ways ran in the order {order}. The run of `c` that doesn't count came "
                    "when `b` had been measured.",
                    lab.condition() or lab.for_loop("*ways*"),
                    try_="Run each way once, in a separate loop before the first round.",
                    headline="warmed up too late",
                )
            raise Wrong(
                "unfair measuring",
                f"The ways ran in the order {order}. If one way has all its runs in a row, a "
                "change in the machine hits only that one.",
                lab.for_loop("rounds"),
                try_="Let the rounds be the outer loop: b, c, a, then b, c, a again.",
                headline="not in turns",
            )
        if order == "bbccaa" * 3:
            raise Wrong(
                "counted wrong",
                f"The ways ran in the order {order}: each ran before each of its measured runs, "
                "too.",
                lab.inner_loop() or lab.for_loop("*ways*"),
                "The run that doesn't count comes once, before all rounds: in a loop of its own.",
                headline="warmed up in each round",
            )
        raise Wrong(
            "counted wrong",
            f"The ways ran in the order {order}; it must be bca, four times: once before, then "
            "three rounds.",
            try_="Two loops: over the rounds, and in it over the ways.",
            headline="another number of runs",
        )

    @staticmethod
    def _figures(lab, found, medians, lines_of_the_first):
        numbers = all(isinstance(value, (int, float)) for value in found.values())

        def says(b, c, a):
            return numbers and all(
                abs(found[name] - value) < 1e-6 for name, value in zip("bca", (b, c, a))
            )

        if numbers and all(abs(value) < 0.5 for value in found.values()):
            raise Wrong(
                "wrong clock",
                f"`b` took 2, 3 and 6 s on my clock, and it says {found['b']:g}.",
                lab.call_of("perf_counter", "monotonic", "time.time", "process_time"),
                "Ask `clock()`, which you are given, before and after each run.",
            )
        if numbers and found["b"] < 0:
            raise Wrong(
                "wrong deadline",
                f"`b` took 2, 3 and 6 s, and it says {found['b']:g}.",
                lab.operation("-", on=["clock"]),
                "The time taken is the clock after the run minus the clock before it.",
                headline="end before begin",
            )
        for name, line, *figures in (
            ("mean", lab.call_of("*mean") or lab.operation("/", "/="), 11 / 3, 3, 3),
            ("fastest", lab.call_of("min"), 2, 1, 1),
            ("sum", lab.call_of("sum"), 11, 9, 9),
            ("slowest", lab.call_of("max"), 6, 6, 6),
        ):
            if says(*figures):
                raise Wrong(
                    "unfair measuring",
                    f"`b` took 2, 3 and 6 s, and it says {found['b']:g}.",
                    line,
                    "The median is the middle one: one slow run does not move it.",
                    headline=f"took the {name}",
                )
        if says(4.5, 4, 4):
            line = lab.earliest(*lines_of_the_first)
            raise Wrong(
                "unfair measuring",
                "`b` took 9 s in its first run, which doesn't count, then 2, 3 and 6 s, and it "
                "says 4.5.",
                line or lab.looping("range"),
                try_="Leave the first run out of the times.",
                headline="counted the first run",
                at="makes the first run of each" if line else "",
            )
        if numbers and len(set(found.values())) == 1:
            raise Wrong(
                "shared state",
                f"It says {found['b']:g} for all three, though `b` took longer than the others.",
                lab.earliest(lab.call_of("fromkeys"), lab.node(ast.List)),
                "Each way needs a list of its own: `{name: [] for name in ways}`.",
                headline="one list for all",
            )
        if says(3, 5, 7):
            raise Wrong(
                "unfair measuring",
                "`c` took 1, 2 and 6 s, and it says 5: the runs of `b` are in it.",
                lab.call_of("clock"),
                "Ask the clock again right before each run.",
                headline="counted the others' runs",
            )
        if found["b"] == [2, 3, 6]:
            raise Wrong(
                "unfair measuring",
                "It returned all the times of each way.",
                lab.returning(),
                "`statistics.median` makes one number of them.",
                headline="no median",
            )
        if list(found) != list(medians) and numbers:
            raise Wrong(
                "order",
                f"It returned the names in the order {', '.join(found)}; in `ways` it is "
                f"{', '.join(medians)}.",
                lab.call_of("sorted", "*.sort", "reversed"),
                "A dict keeps the order in which its keys came.",
            )

    @right
    def rounds_outside(ways, rounds, clock):
        """Return the median time of each way, in the order of `ways`."""
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @right
    def one_round_more(ways, rounds, clock):
        times = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken[1:]) for name, taken in times.items()}

    @wrong("unfair measuring", says="order bbbbccccaaaa")
    def one_way_after_another(ways, rounds, clock):
        medians = {}
        for name, way in ways.items():
            way()
            taken = []
            for _ in range(rounds):
                begun = clock()
                way()
                taken.append(clock() - begun)
            medians[name] = statistics.median(taken)
        return medians

    @wrong("unfair measuring", says="order bcabbbcccaaa")
    def warm_and_then_one_by_one(ways, rounds, clock):
        for way in ways.values():
            way()
        medians = {}
        for name, way in ways.items():
            taken = []
            for _ in range(rounds):
                begun = clock()
                way()
                taken.append(clock() - begun)
            medians[name] = statistics.median(taken)
        return medians

    cold = one_round_more.but("rounds + 1", "rounds").but(
        "taken[1:]", "taken", kind="unfair measuring", says="ran 3 times"
    )

    keeps_the_first = one_round_more.but(
        "taken[1:]", "taken", kind="unfair measuring", says="says 4.5"
    )

    takes_the_mean = rounds_outside.but(
        "statistics.median(taken)",
        "statistics.mean(taken)",
        kind="unfair measuring",
        says="says 3.66667",
    )

    takes_the_fastest = rounds_outside.but(
        "statistics.median(taken)", "min(taken)", kind="unfair measuring", says="says 2"
    )

    @wrong("lost error", says="did not come out")
    def swallows(ways, rounds, clock):
        times = {name: [] for name in ways}
        for number in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                try:
                    way()
                except Exception:
                    pass
                if number:
                    times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    on_its_own_clock = rounds_outside.but("begun = clock()", "begun = time.perf_counter()").but(
        "clock() - begun", "time.perf_counter() - begun", kind="wrong clock", says="Ask `clock()`"
    )

    the_middle_one = rounds_outside.but(
        "statistics.median(taken)",
        "sorted(taken)[len(taken) // 2]",
        kind="unfair measuring",
        says="halfway between them",
    )

    returns_all = rounds_outside.but(
        "{name: statistics.median(taken) for name, taken in times.items()}",
        "times",
        kind="unfair measuring",
        says="all the times",
    )

    @wrong("order", says="in the order c, a, b")
    def the_quickest_first(ways, rounds, clock):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        return dict(sorted(medians.items(), key=lambda pair: pair[1]))

    one_list = rounds_outside.but(
        "{name: [] for name in ways}",
        "dict.fromkeys(ways, [])",
        kind="shared state",
        says="for all three",
    )

    clock_of_the_round = rounds_outside.but("for name, way", "begun = clock()\nfor name, way").but(
        "begun = clock()\nway()",
        "way()",
        kind="unfair measuring",
        says="runs of `b` are in it",
    )

    wrong_way_round = rounds_outside.but(
        "clock() - begun", "begun - clock()", kind="wrong deadline", says="minus the clock before"
    )

    @wrong("counted wrong", says="and 2 rounds")
    def one_round_is_the_first(ways, rounds, clock):
        times = {name: [] for name in ways}
        for number in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                if number:
                    times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("counted wrong", says="order bcabca")
    def once_each(ways, rounds, clock):
        for way in ways.values():
            way()
        medians = {}
        for name, way in ways.items():
            begun = clock()
            way()
            medians[name] = clock() - begun
        return medians

    @wrong("not run yet", says="none of the ways")
    def names_them_alone(ways, rounds, clock):
        for way in ways.values():
            way
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("turns", says="it is b, c, a")
    def by_the_alphabet(ways, rounds, clock):
        for way in dict(sorted(ways.items())).values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in sorted(ways.items()):
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(times[name]) for name in ways}

    @wrong("lost error", says="did not come out")
    def skips_what_failed(ways, rounds, clock):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                try:
                    way()
                except Exception:
                    continue
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}


def _line_in_bench(lab):
    """The line of `bench` itself that leads to the run of a way which asks here, or None."""
    frames, frame = [], sys._getframe(1)
    while frame:
        frames.append(frame)
        frame = frame.f_back
    places = lab.text.places(frames)
    return places[-1][1] if places else None
