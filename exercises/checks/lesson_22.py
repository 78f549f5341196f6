"""Exercises of lesson 22: when not."""

import asyncio
import inspect
import statistics
import time
import traceback

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

TOOLS = {
    "a": "plain Python",
    "b": "asyncio",
    "c": "processes",
    "d": "threads",
    "e": "plain Python",
    "f": "asyncio and processes",
}
FAULTS = {
    "a": "limits differ",
    "b": "errors count as answers",
    "c": "first run",
    "d": "client too slow",
    "e": "one point",
    "f": "none",
}


NO_SECOND_CORE = (
    "cores for one computation",
    "`e` is one computation: a loop, a second thread or a second process would have nothing to do. "
    "What is the simplest that does it?",
)
NO_OVERLAP = (
    "nothing to overlap",
    "`a` asks one service once. There is nothing that could go on meanwhile, so none of them buys "
    "anything. What is the simplest that does it?",
)
BELIEFS = {
    ("a", "asyncio"): NO_OVERLAP,
    ("a", "threads"): NO_OVERLAP,
    ("a", "processes"): NO_OVERLAP,
    ("a", "asyncio and processes"): NO_OVERLAP,
    ("b", "threads"): (
        "a thread for each of thousands",
        "`b` would need 5,000 threads, nearly all of them asleep. What waits cheaply?",
    ),
    ("b", "processes"): (
        "a process for each of thousands",
        "`b` would need 5,000 processes, nearly all of them asleep. What waits cheaply?",
    ),
    ("b", "plain Python"): (
        "one at a time",
        "In plain Python `b` waits for one person's next word, and 4,999 others wait for that one. "
        "What lets thousands of waits overlap?",
    ),
    ("b", "asyncio and processes"): (
        "nothing to compute",
        "`b` passes on what people write, and computes next to nothing. What would the processes "
        "do?",
    ),
    ("c", "threads"): (
        "threads for computing",
        "`c` computes. Threads share one core (with the GIL), so 300 fits take as long as in turn. "
        "What has a core of its own?",
    ),
    ("c", "asyncio"): (
        "asyncio for computing",
        "`c` computes, and never waits. On a loop the first fit would hold up all others. What has "
        "a core of its own?",
    ),
    ("c", "plain Python"): (
        "one core of several",
        "In plain Python `c` makes its 300 fits in turn, on one core. No fit needs another one: "
        "what could make several at once?",
    ),
    ("c", "asyncio and processes"): (
        "nothing to wait for",
        "`c` has 300 computations and waits for nothing. What would the loop do? Take the simpler "
        "one.",
    ),
    ("d", "asyncio"): (
        "async for a few blocking calls",
        "`d` has five things at once and a library that blocks. On a loop each call would have to "
        "go to a thread anyway. What is left if the loop goes?",
    ),
    ("d", "processes"): (
        "a process for each wait",
        "`d` waits and computes next to nothing, so it needs no core of its own. What waits for "
        "less, in the same program?",
    ),
    ("d", "plain Python"): (
        "one thing after another",
        "In plain Python the window of `d` stands still until all five files are saved. What lets "
        "a blocking call go on beside it?",
    ),
    ("d", "asyncio and processes"): (
        "async for a few blocking calls",
        "`d` has five things at once and a library that blocks: no task can await it, and there is "
        "little to compute. What is simpler, and enough for five?",
    ),
    ("e", "asyncio"): NO_SECOND_CORE,
    ("e", "threads"): NO_SECOND_CORE,
    ("e", "processes"): NO_SECOND_CORE,
    ("e", "asyncio and processes"): NO_SECOND_CORE,
    ("f", "asyncio"): (
        "computing on the loop",
        "`f` waits a lot and computes a lot: 2,000 times 50 ms are 100 s of work, and on the loop "
        "nothing else would go on meanwhile. Where can that go?",
    ),
    ("f", "threads"): (
        "threads for computing",
        "`f` computes as well: 2,000 times 50 ms are 100 s of work, and threads share one core "
        "(with the GIL). Where can that go?",
    ),
    ("f", "processes"): (
        "a process for each wait",
        "`f` computes a lot, but it waits a lot as well: a process that waits for the web does "
        "nothing else. What lets thousands of waits overlap?",
    ),
    ("f", "plain Python"): (
        "one thing after another",
        "In plain Python `f` waits for each picture in turn, and then has 100 s of work on one "
        "core. What overlaps the waits, and what does the work?",
    ),
}
# What to look at in each benchmark, whatever was said of it.
LOOK = {
    "a": (
        "the limits",
        "Look at `a` once more: how many requests may each server have under way?",
    ),
    "b": (
        "a refusal is no answer",
        "In `b` four of five clients of T got nothing, and quickly. What counts as an answer "
        "there?",
    ),
    "c": (
        "what the time holds",
        "Look at what the times of `c` are made of: which part will be gone at the second request?",
    ),
    "d": (
        "bound by the client",
        "In `d` a client that needs 10 ms for a request asks at most 100 a second. Which server "
        "could have shown more than that?",
    ),
    "e": (
        "said more than was measured",
        "`e` was measured well, at 50 clients. What does it say about 1, or 5,000?",
    ),
    "f": (
        "took a fair one for unfair",
        "Go through the five points for `f`. Which of them does it break?",
    ),
}


def judge_letters(lab, asks, got, asked, words, beliefs):
    """Raise Wrong for the first letter with another word than asked; the others are named."""
    if isinstance(got, dict):
        bad = [
            letter
            for letter in asked
            if got.get(letter, ...) is not ... and got[letter] != asked[letter]
        ]
        for letter in bad:
            if got[letter] not in words:
                listed = ", ".join(f'"{word}"' for word in words)
                raise Wrong(
                    "no such word",
                    f"`{letter}` is {got[letter]!r}.",
                    try_=f"Each answer is one of {listed}.",
                )
        if bad:
            kind, text = beliefs[bad[0], got[bad[0]]]
            others = ", ".join(f"`{letter}`" for letter in bad[1:])
            raise Wrong(kind, text, try_=f"Then look at {others} again." if others else "")
    lab.equal(got, asked, what=f"`{asks}` is", secret=True)


class Choose(Exercise):
    """Choose the tool

    Six programs. Set `tools` to a dict from the letter to one of "plain Python", "threads",
    "processes", "asyncio" and "asyncio and processes". Where two would do, take the simpler one.

    - `a`: reads a configuration file, asks one web service, prints its answer, ends.
    - `b`: a chat server, some 5,000 people connected, most of them silent.
    - `c`: fits a statistical model to each of 300 tables.
    - `d`: a desktop program of beginners in Python. It uses a library that blocks, to save 5 files
      at once over the network while its window stays alive.
    - `e`: computes one very large prime.
    - `f`: takes 2,000 pictures from the web and computes a thumbnail of each, 50 ms of work.
    """

    id = "choose-1"
    asks = "tools"
    minutes = 6
    hints = (
        "Ask first: does it compute, or does it wait?",
        "Then: how many things wait at once? One, a few, or thousands?",
        "One computation can't be split by any of them. And `f` has a lot of both.",
    )
    right_values = (TOOLS,)
    wrong_values = (
        *(
            wrong_value(TOOLS | {letter: word}, kind, text)
            for (letter, word), (kind, text) in BELIEFS.items()
        ),
        wrong_value(dict.fromkeys("abcdef", "asyncio"), "nothing to overlap", "`c`, `d`, `e`, `f`"),
        wrong_value(TOOLS | {"d": "a thread"}, "no such word", "`d` is 'a thread'."),
        wrong_value({"a": "plain Python"}, "value", "are missing"),
    )

    def verify(self, tools, lab):
        words = ("plain Python", "threads", "processes", "asyncio", "asyncio and processes")
        judge_letters(lab, "tools", tools, TOOLS, words, BELIEFS)


class Fault(Exercise):
    """What is wrong with the benchmark?

    Six benchmarks of a threaded server T and an async server A. Set `faults` to a dict from the
    letter to one of "limits differ", "errors count as answers", "first run", "client too slow",
    "one point" and "none".

    - `a`: T runs with 8 threads; A may have 1,000 requests under way. 1,000 clients ask at once.
    - `b`: 500 clients at once. T refused 400 of them, the other 100 took 0.2 s; A served 500 in
      0.9 s. Reported: "T needs 0.2 s, A 0.9 s".
    - `c`: each server is started, asked once by one client, and stopped. The times include its
      imports.
    - `d`: one client asks one request after another; it needs 10 ms for each by itself. T and A
      both come to 97 requests a second. Reported: "no difference".
    - `e`: same work and limits, five runs in turns, errors counted; at 50 clients A is 1.1 times as
      fast. Reported: "A is faster for any number of clients".
    - `f`: same work and limits, five runs in turns, errors counted, 1 to 1,000 clients. Reported:
      a line for each server.
    """

    id = "fault-1"
    asks = "faults"
    minutes = 6
    hints = (
        "Go through the five points of the lesson for each of them.",
        "In `d`, compute how many requests a second that client can ask at most.",
        "Exactly one of them is fair.",
    )
    right_values = (FAULTS,)
    wrong_values = (
        *(
            wrong_value(FAULTS | {letter: word}, *LOOK[letter])
            for letter, word in (
                ("a", "one point"),
                ("b", "none"),
                ("c", "one point"),
                ("d", "none"),
                ("d", "limits differ"),
                ("e", "none"),
                ("f", "one point"),
            )
        ),
        wrong_value(dict.fromkeys("abcdef", "none"), "the limits", "`b`, `c`, `d`, `e`"),
        wrong_value(FAULTS | {"f": "nothing"}, "no such word", "`f` is 'nothing'."),
    )

    def verify(self, faults, lab):
        words = tuple(FAULTS.values())
        beliefs = {(letter, word): LOOK[letter] for letter in FAULTS for word in words}
        judge_letters(lab, "faults", faults, FAULTS, words, beliefs)


class Bench(Exercise):
    """A fair benchmark

    Write `bench(ways, rounds, clock)`: `ways` is a dict from a name to a function without
    parameters, `clock()` tells the time in seconds. It returns a dict from each name to the median
    of its times, in the order of `ways`.

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
        "Two loops, one in the other. Which is the outer one: rounds or ways?",
        "Collect a list of times for each name: `times = {name: [] for name in ways}`.",
        "`for way in ways.values(): way()` first; then `for _ in range(rounds): for name, way in "
        "ways.items(): …`",
    )

    def verify(self, bench, lab):
        now, ran = [100.0], []

        def way(name, lengths, error=None):
            lengths = iter(lengths)

            def run():
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
                "must be awaited",
                "It returned a coroutine. The ways are plain functions: there is nothing to await.",
                lab.line(r"async\s+def\s+bench"),
                "Begin it with `def`.",
            )
        self._order(ran, found)
        medians = {"b": 3, "c": 2, "a": 2}
        if isinstance(found, dict) and found.keys() == medians.keys():
            self._figures(lab, found, medians)
        lab.equal(found, medians)

        lab.told("with one way, for 4 rounds")
        found = bench({"a": way("a", [9, 1, 2, 4, 8])}, 4, lambda: now[0])
        if isinstance(found, dict) and found.get("a") in (2, 4):
            raise Wrong(
                "no median",
                f"`a` took 1, 2, 4 and 8 s, and it says {found['a']:g}. Of four figures two are in "
                "the middle, and the median is halfway between them: 3.",
                try_="`statistics.median` does it right.",
            )
        lab.equal(found, {"a": 3})

        lab.told("with a way `b` that raises ConnectionError at its third run")
        ran.clear()
        error = ConnectionError("refused")
        try:
            bench({"a": way("a", []), "b": way("b", [], error)}, 3, lambda: now[0])
        except ConnectionError:
            if len(ran) > 6:
                raise Wrong(
                    "went on after the error",
                    f"The ways ran in the order {''.join(ran)}: more than once after the error.",
                    lab.line(r"^\s*except\b"),
                    "Let it out where it is raised.",
                ) from None
            return
        except Exception as other:
            raise Wrong(
                "lost error",
                f"The way raised ConnectionError, and out came {type(other).__name__}: {other}.",
                lab.line(r"^\s*except\b|suppress"),
                "An error is no fast answer. Let it out as it is.",
            ) from None
        raise Wrong(
            "lost error",
            "One way raised ConnectionError, and the benchmark came to an end.",
            lab.line(r"^\s*except\b|suppress"),
            "An error is no fast answer. Let it out.",
        )

    @staticmethod
    def _order(ran, found):
        order = "".join(ran)
        if order == "bca" * 4:
            return
        if not ran:
            raise Wrong("measured nothing", "It called none of the ways.", try_="Call `way()`.")
        if order == "bca" * 3:
            # Without its 9 s at the start, `b` would say 2.5.
            if isinstance(found, dict) and found.get("b") == 2.5:
                raise Wrong(
                    "a round too few",
                    "Each way ran 3 times: the run that does not count, and 2 rounds.",
                    try_="The 3 rounds come after that first run.",
                )
            raise Wrong(
                "measured the first run",
                "Each way ran 3 times, so the first run of each was measured as well.",
                try_="Let each run once before you measure: it pays for imports and connections.",
            )
        if sorted(order) == sorted("bca" * 4):
            if all(sorted(order[n : n + 3]) == sorted("bca") for n in (0, 3, 6, 9)):
                raise Wrong(
                    "another order",
                    f"The ways ran in the order {order}; in `ways` it is b, c, a.",
                    try_="Go through `ways` as it is, in each round.",
                )
            raise Wrong(
                "not in turns",
                f"The ways ran in the order {order}. While one has its runs one after another, "
                "the machine may change, and only that one is hit.",
                try_="Let the rounds be the outer loop: b, c, a, then b, c, a again.",
            )
        raise Wrong(
            "another number of runs",
            f"The ways ran in the order {order}; asked is bca, four times: once before, then "
            "three rounds.",
            try_="Two loops: over the rounds, and in it over the ways.",
        )

    @staticmethod
    def _figures(lab, found, medians):
        numbers = all(isinstance(value, (int, float)) for value in found.values())

        def says(b, c, a):
            return numbers and all(
                abs(found[name] - value) < 1e-6 for name, value in zip("bca", (b, c, a))
            )

        if numbers and all(abs(value) < 0.5 for value in found.values()):
            raise Wrong(
                "another clock",
                f"`b` took 2, 3 and 6 s on my clock, and it says {found['b']:g}.",
                lab.line(r"perf_counter\(|monotonic\(|time\.time\(|process_time\("),
                "Ask `clock()`, which you are given, before and after each run.",
            )
        if numbers and found["b"] < 0:
            raise Wrong(
                "end before begin",
                f"`b` took 2, 3 and 6 s, and it says {found['b']:g}.",
                lab.line(r"-\s*clock\(\)"),
                "The time taken is the clock after the run minus the clock before it.",
            )
        for name, *figures in (
            ("mean", 11 / 3, 3, 3), ("fastest", 2, 1, 1), ("sum", 11, 9, 9), ("slowest", 6, 6, 6)
        ):  # fmt: skip
            if says(*figures):
                raise Wrong(
                    f"took the {name}",
                    f"`b` took 2, 3 and 6 s, and it says {found['b']:g}.",
                    try_="The median is the middle one: one slow run does not move it.",
                )
        if says(4.5, 4, 4):
            raise Wrong(
                "counted the first run",
                "`b` took 9 s in the run before, then 2, 3 and 6 s, and it says 4.5.",
                try_="Leave the first run out of the times.",
            )
        if numbers and len(set(found.values())) == 1:
            raise Wrong(
                "one list for all",
                f"It says {found['b']:g} for all three, though `b` took longer than the others.",
                lab.line(r"fromkeys|\[\]"),
                "Each way needs a list of its own: `{name: [] for name in ways}`.",
            )
        if says(3, 5, 7):
            raise Wrong(
                "counted the others' runs",
                "`c` took 1, 2 and 6 s, and it says 5: the runs of `b` are in it.",
                lab.line(r"clock\(\)"),
                "Ask the clock anew right before each run.",
            )
        if found["b"] == [2, 3, 6]:
            raise Wrong(
                "no median",
                "It returned all the times of each way.",
                lab.line(r"\breturn\b"),
                "`statistics.median` makes one number of them.",
            )
        if list(found) != list(medians) and numbers:
            raise Wrong(
                "order",
                f"It returned the names in the order {', '.join(found)}; in `ways` it is "
                f"{', '.join(medians)}.",
                lab.line(r"\bsorted\(|\breturn\b"),
                "A dict keeps the order in which its keys came.",
            )

    @right
    def rounds_outside(ways, rounds, clock=time.perf_counter):
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
    def one_round_more(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken[1:]) for name, taken in times.items()}

    @wrong("not in turns", says="order bbbbccccaaaa")
    def one_way_after_another(ways, rounds, clock=time.perf_counter):
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

    @wrong("not in turns", says="order bcabbbcccaaa")
    def warm_and_then_one_by_one(ways, rounds, clock=time.perf_counter):
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

    @wrong("measured the first run", says="ran 3 times")
    def cold(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("counted the first run", says="says 4.5")
    def keeps_the_first(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("took the mean", says="says 3.66667")
    def takes_the_mean(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.mean(taken) for name, taken in times.items()}

    @wrong("took the fastest", says="says 2")
    def takes_the_fastest(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: min(taken) for name, taken in times.items()}

    @wrong("lost error", says="came to an end")
    def swallows(ways, rounds, clock=time.perf_counter):
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

    @wrong("another clock", says="Ask `clock()`")
    def on_its_own_clock(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = time.perf_counter()
                way()
                times[name].append(time.perf_counter() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("no median", says="halfway between them")
    def the_middle_one(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: sorted(taken)[len(taken) // 2] for name, taken in times.items()}

    @wrong("no median", says="all the times")
    def returns_all(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return times

    @wrong("order", says="in the order c, a, b")
    def the_quickest_first(ways, rounds, clock=time.perf_counter):
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

    @wrong("one list for all", says="for all three")
    def one_list(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = dict.fromkeys(ways, [])
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("counted the others' runs", says="runs of `b` are in it")
    def clock_of_the_round(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            begun = clock()
            for name, way in ways.items():
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("end before begin", says="minus the clock before")
    def wrong_way_round(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(begun - clock())
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("a round too few", says="and 2 rounds")
    def one_round_is_the_first(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for number in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                if number:
                    times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("another number of runs", says="order bcabca")
    def once_each(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        medians = {}
        for name, way in ways.items():
            begun = clock()
            way()
            medians[name] = clock() - begun
        return medians

    @wrong("measured nothing", says="none of the ways")
    def names_them_alone(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("another order", says="it is b, c, a")
    def by_the_alphabet(ways, rounds, clock=time.perf_counter):
        for way in dict(sorted(ways.items())).values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in sorted(ways.items()):
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(times[name]) for name in ways}

    @wrong("lost error", says="came to an end")
    def skips_what_failed(ways, rounds, clock=time.perf_counter):
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


class Edge(Exercise):
    """Async at the edge

    `fetch(url)` is a coroutine function. Write a *plain* function `report(fetch, urls)`: it fetches
    all pages at once and returns one string, the pages in the order of `urls`, joined by ", ". It
    is called from a script, where no loop runs.
    """

    id = "edge-1"
    asks = "report"
    minutes, clock = 8, "real"
    limit = 3
    hints = (
        "Whoever calls `report` doesn't await it. Where does the loop come from, then?",
        "A coroutine inside the function can gather; `asyncio.run` runs it to its end.",
        "`async def all_of_them(): return await asyncio.gather(*(fetch(url) for url in urls))`, "
        "then `asyncio.run(all_of_them())`.",
    )
    equivalent = {
        "on_a_loop_of_its_own: drop finally, line 10": "a loop that nobody closes is untidy, but "
        "the statement asks for the pages alone"
    }

    def verify(self, report, lab):
        fetch = lab.service({"a": 0.12, "b": 0.04, "c": 0.08})
        try:
            got = lab.call(report, fetch, ["a", "b", "c"])
        except asyncio.CancelledError:
            raise Wrong(
                "not awaited",
                "Its loop ended before the fetches did, and what still ran was cancelled.",
                lab.line(r"return asyncio\.gather|gather\(|create_task\("),
                "The inner coroutine must `await` the gather.",
            ) from None
        except (RuntimeError, TypeError, ValueError) as error:
            self._named(lab, error)
            raise
        if asyncio.iscoroutine(got):
            got.close()
            outer = lab.line(r"async\s+def\s+report")
            raise Wrong(
                "must be awaited",
                "It returned a coroutine: its caller would have to be async as well.",
                outer or lab.line(r"\breturn\b"),
                "Begin it with `def`, and run the loop inside it."
                if outer
                else "Run it to its end here: `asyncio.run` does, and returns what it returned.",
            )
        if fetch.peak == 1 and len(fetch.started) == 3:
            raise Wrong(
                "sequential",
                "Each page was fetched before the next one began.",
                lab.line(r"asyncio\.run|run_until_complete|await "),
                "One `asyncio.run` for all of them, and a gather or a TaskGroup inside.",
            )
        if got == "page b, page c, page a":
            raise Wrong(
                "order",
                f"It returned {got!r}: the order in which they were ready.",
                lab.line(r"as_completed|wait\(|append"),
            )
        lab.equal(got, "page a, page b, page c")
        lab.told("with a page that fails")
        failing = lab.service(0.01, errors={"b": ConnectionError("no page b")})
        try:
            got = report(failing, ["a", "b"])
        except BaseException as error:
            if _holds(error, ConnectionError):
                return
            raise
        raise Wrong(
            "lost error",
            f"ConnectionError was raised inside, and it had to come out. It returned {got!r}.",
            lab.line(r"^\s*except\b|return_exceptions|suppress\("),
        )

    @staticmethod
    def _named(lab, error):
        """Raise Wrong for an error of Python that says too little about the mistake."""
        words = str(error)
        if "no current event loop" in words:
            raise Wrong(
                "no loop yet",
                f"It raised {type(error).__name__}: {words.rstrip('.')}.",
                lab.line(r"get_event_loop|gather\("),
                "No loop runs where `report` is called. Gather inside an `async def`, and hand "
                "that one to `asyncio.run`.",
            ) from None
        # What was given, for from Python 3.14 on its words don't say.
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        if any(
            frame.f_code is asyncio.run.__code__
            and inspect.iscoroutinefunction(frame.f_locals["main"])
            for frame in frames
        ):
            raise Wrong(
                "a function for a coroutine",
                "`asyncio.run` was given a coroutine function.",
                lab.line(r"asyncio\.run\("),
                "Call it: its call makes the coroutine.",
            ) from None
        if "coroutine found" in words:
            raise Wrong(
                "not awaited",
                "`fetch` was called, and nobody awaited the coroutines.",
                lab.line(r"\bfetch\("),
                "Await them in an inner `async def`, and run that with `asyncio.run`.",
            ) from None
        # Python 3.11 takes a generator for an old coroutine, and finds out later.
        refused = isinstance(error, TypeError) or "bad yield" in words
        if refused and (line := lab.line(r"gather\((?!\s*\*).*\bfor\b")):
            raise Wrong(
                "one argument for many",
                "`gather` was given one generator; it takes the awaitables one by one.",
                line,
                "Put a star before it: `gather(*(… for …))`.",
            ) from None

    @right
    def with_gather(fetch, urls):
        """Return the pages of `urls` as one string; a plain function."""

        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them()))

    @right
    def with_a_group(fetch, urls):
        async def all_of_them():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(fetch(url)) for url in urls]
            return [task.result() for task in tasks]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("must be awaited", says="would have to be async as well")
    async def async_all_the_way(fetch, urls):
        return ", ".join(await asyncio.gather(*(fetch(url) for url in urls)))

    @wrong("sequential", says="before the next one began")
    def a_loop_for_each(fetch, urls):
        return ", ".join(asyncio.run(fetch(url)) for url in urls)

    @wrong("sequential")
    def in_turn(fetch, urls):
        async def all_of_them():
            return [await fetch(url) for url in urls]

        return ", ".join(asyncio.run(all_of_them()))

    @right
    def on_a_loop_of_its_own(fetch, urls):
        async def all_of_them():
            tasks = [asyncio.create_task(fetch(url)) for url in urls]
            return ", ".join([await task for task in tasks])

        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(all_of_them())
        finally:
            loop.close()

    @wrong("no loop yet", says="inside an `async def`")
    def gathers_outside(fetch, urls):
        return ", ".join(asyncio.run(asyncio.gather(*(fetch(url) for url in urls))))

    @wrong("no loop yet", says="No loop runs where `report` is called")
    def asks_for_a_loop(fetch, urls):
        loop = asyncio.get_event_loop()
        return ", ".join(loop.run_until_complete(asyncio.gather(*(fetch(url) for url in urls))))

    @wrong("not awaited", says="Its loop ended before the fetches did")
    def returns_the_gather(fetch, urls):
        async def all_of_them():
            return asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("not awaited", says="inner `async def`")
    def awaits_nobody(fetch, urls):
        return ", ".join(fetch(url) for url in urls)

    @wrong("a function for a coroutine", says="Call it")
    def does_not_call_it(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them))

    @wrong("one argument for many", says="Put a star before it")
    def no_star(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(fetch(url) for url in urls)

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("order", says="in which they were ready")
    def as_they_come(fetch, urls):
        async def all_of_them():
            return [await page for page in asyncio.as_completed(map(fetch, urls))]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("must be awaited", says="Run it to its end here")
    def hands_it_on(fetch, urls):
        async def all_of_them():
            return ", ".join(await asyncio.gather(*(fetch(url) for url in urls)))

        return all_of_them()

    @wrong("raised", says="RuntimeError")
    def gather_without_a_loop(fetch, urls):
        return ", ".join(
            asyncio.get_running_loop().run_until_complete(
                asyncio.gather(*(fetch(url) for url in urls))
            )
        )

    @wrong("lost error", says="ConnectionError was raised inside")
    def loses_errors(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)

        return ", ".join(map(str, asyncio.run(all_of_them())))


def _holds(error, kind):
    """Is it an error of this kind, or a group that holds one?"""
    if isinstance(error, BaseExceptionGroup):
        return any(_holds(inner, kind) for inner in error.exceptions)
    return isinstance(error, kind)
