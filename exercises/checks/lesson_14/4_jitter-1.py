import ast
import asyncio
import math
import random
from collections import Counter

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant, is_named


class Jitter(Exercise):
    """Break up the herd

    Many clients call your function to learn how long to wait before they try again. Write
    `pause(attempt)`: after the first failure `attempt` is 0, after the second 1, and so on. It
    returns a random number of seconds, every length equally likely, between 0 and

    - 0.1 s for attempt 0, and twice as much for each further attempt,
    - but never more than 2 s. A client that has tried for an hour comes with attempt 2,000.
    """

    id = "jitter-1"
    asks = "pause"
    minutes = 5
    hints = (
        "First the longest pause of that attempt: 0.1, 0.2, 0.4, ... up to 2. Then draw.",
        "`0.1 * 2**attempt` doubles; `min(2, ...)` caps. What doesn't fit in a float must be "
        "capped first: `2 ** min(attempt, 5)`.",
        "`random.uniform(0, longest)` draws evenly between the two.",
    )

    CLIENTS = 2000

    def verify(self, pause, lab):
        for attempt in (2, 0, 1, 3, 4, 5, 9, 2000):
            longest = _longest(attempt)
            lab.told(
                f"for {self.CLIENTS} clients with attempt {attempt}, where the longest pause "
                f"is {longest:g} s"
            )
            try:
                first = pause(attempt)
            except OverflowError as error:
                place = lab.text.of_traceback(error)
                raise Wrong(
                    "pauses",
                    f"It raised OverflowError: {error}.",
                    place and place[1],
                    "2 to the power of 2,000 doesn't fit in a float. Cap the attempt before you "
                    "double: from "
                    "attempt 5 on the longest pause is 2 s.",
                    headline="too large a number",
                ) from None
            if asyncio.iscoroutine(first):
                first.close()
                raise Wrong(
                    "value",
                    "It returned a coroutine; a number of seconds is wanted.",
                    lab.coroutine_function(),
                    "It only says how long to wait: a plain `def`.",
                )
            drawn = [pause(attempt) for _ in range(self.CLIENTS)]
            for one in first, *drawn:
                if not isinstance(one, int | float) or not math.isfinite(one):
                    raise Wrong(
                        "value",
                        f"It returned {one!r:.80}; a number of seconds is wanted.",
                        lab.returning(),
                    )
            self._look(lab, drawn, attempt)
        if seed := self._fixed_seed(lab):
            raise Wrong(
                "no jitter",
                "The draws begin with a fixed seed: each client has the same row of pauses, and "
                "all of them come back together.",
                seed,
                "Each client must draw its own: `random.uniform` needs no seed.",
                headline="gave all clients the same pauses",
            )

    def _fixed_seed(self, lab):
        """Line that seeds the draws with a constant, or None."""
        inside = {call.lineno for call in lab.nodes() if _is_seeded(call)}
        return min(inside | lab.text.all_kept_outside(_is_seeded), default=None)

    def _look(self, lab, drawn, attempt):
        longest = _longest(attempt)
        line = lab.operation("%") or lab.returning()
        low, high = min(drawn), max(drawn)
        [(usual, times_drawn)] = Counter(drawn).most_common(1)
        said = (
            f"{times_drawn} of the {self.CLIENTS} clients come back at the same moment, "
            f"after {usual:.3g} s."
        )
        once = self._same_for_all(lab) if times_drawn == self.CLIENTS else None
        further = _longest(attempt + 1)
        if further == 2 * longest and 0.95 * further < high <= further and low < longest / 2:
            raise Wrong(
                "pauses",
                f"The longest pause that I got was {high:.3g} s, as for attempt {attempt + 1}.",
                (None if lab.literal(0.1) else lab.literal(0.2))
                or lab.operation("+", on=["attempt"])
                or lab.operation("**", "<<", "*=")
                or line,
                "For attempt 0 nothing is doubled yet: its longest pause is 0.1 s.",
                headline="waits twice as long",
            )
        if high > longest and not once:
            raise Wrong(
                "pauses",
                f"The longest pause that I got was {high:.3g} s.",
                line,
                "The random time lies between 0 and the longest pause; it isn't added to it."
                if low >= longest * 0.99
                else "First the longest pause: 0.1 s, doubled for each further attempt, and no "
                "more than 2 s. Then a random time between 0 and that.",
                headline="waits too long",
            )
        if low < 0:
            raise Wrong("pauses", f"I got {low:.3g} s.", line, headline="waits less than nothing")
        if high < longest * 0.9 and not once:
            doublings = max(0, math.ceil(math.log2(high / 0.1 - 1e-9))) if high > 0 else 0
            # Those before 3 have been asked for by then, and were right.
            stops = 3 <= attempt <= 5 and doublings == attempt - 1
            raise Wrong(
                "pauses",
                f"The longest pause that I got was {high:.3g} s"
                + (f", as for attempt {attempt - 1}." if stops else "."),
                _line_with_the_last(lab, doublings)
                or (lab.operation("**", "<<", "*=") if stops else None)
                or line,
                "The doubling stops too early: it has to go on until the longest pause is 2 s."
                if stops
                else "0.1 s for attempt 0, and it doubles with each attempt, up to 2 s.",
                headline="waits too briefly",
            )
        if times_drawn > self.CLIENTS / 10:
            if usual == longest == 2 and low < 1:
                raise Wrong(
                    "no jitter",
                    said,
                    line,
                    "What was drawn above 2 s was cut "
                    "to 2 s. Cap the longest pause first, then draw.",
                    headline="capped after the draw",
                )
            raise Wrong(
                "no jitter",
                said,
                once or lab.call_of("randrange", "randint", "choice") or line,
                "They failed together, and will fail together again. Draw each pause at random, "
                "with `random.uniform`, anew at each call.",
                headline="equal delays",
            )
        if low > longest / 2:
            raise Wrong(
                "no jitter",
                f"All pauses lie between {low:.3g} s and {high:.3g} s, and those "
                "who failed together come back close together.",
                line,
                "Draw between 0 and the longest pause, so that every length is equally likely.",
                headline="too little jitter",
            )
        if low > longest / 10:
            raise Wrong(
                "no jitter",
                f"No pause was shorter than {low:.3g} s.",
                line,
                "Draw between 0 and the longest.",
                headline="does not begin at 0",
            )
        quarters = [sorted(drawn)[self.CLIENTS * part // 4] / longest for part in (1, 2, 3)]
        if any(abs(found - part) > 0.08 for found, part in zip(quarters, (0.25, 0.5, 0.75))):
            raise Wrong(
                "no jitter",
                f"A quarter of the pauses were shorter than "
                f"{quarters[0] * longest:.3g} s, half shorter than "
                f"{quarters[1] * longest:.3g} s, three quarters shorter than "
                f"{quarters[2] * longest:.3g} s.",
                lab.call_of("gauss", "*variate", "triangular") or line,
                "Every length is equally likely: `random.uniform`.",
                headline="drew unevenly",
            )

    def _same_for_all(self, lab):
        """Line that makes the same draw for every call: by a seed, or because it draws once."""
        drawing = ("random", "uniform", "randrange", "randint")
        kept = lab.default() if lab.call_of(*drawing) == lab.default() else None
        return kept or lab.call_of("Random", "seed")

    @sweep(
        lambda some: {"attempt": some.one_of(some.integers(0, 12), some.integers(13, 2000))},
        besides=[{"attempt": 1023}, {"attempt": 1024}],
        most=12,
    )
    def any_attempt(self, pause, lab, attempt):
        longest = _longest(attempt)
        lab.told(
            f"for {self.CLIENTS} clients with attempt {attempt}, where the longest pause is "
            f"{longest:g} s"
        )
        self._look(lab, [pause(attempt) for _ in range(self.CLIENTS)], attempt)

    equivalent = {
        "evenly: or None, line 6": "nobody ever draws a 0.0",
        "a_share_of_the_longest: or None, line 6": "nobody ever draws a 0.0",
    }

    @right
    def evenly(attempt):
        """Return how many seconds to wait after so many failures before this one."""
        return random.uniform(0, min(2, 0.1 * 2 ** min(attempt, 5)))

    @right
    def a_share_of_the_longest(attempt):
        longest = 2 if attempt >= 5 else 0.1 * 2**attempt
        return longest * random.random()

    grows_too_large = evenly.but(
        "2 ** min(attempt, 5)", "2**attempt", kind="pauses", says="doesn't fit in a float"
    )

    @wrong("no jitter", says="2000 of the 2000")
    def no_lot(attempt):
        return min(2, 0.1 * 2**attempt)

    @wrong("no jitter", says="anew at each call")
    def same_lot_for_all(attempt):
        return random.Random(attempt).uniform(0, min(2, 0.1 * 2**attempt))

    @wrong("pauses", says="was 0 s")
    def whole_seconds(attempt):
        return random.randint(0, int(min(2, 0.1 * 2**attempt)))

    @wrong("no jitter", says="same moment")
    def all_or_nothing(attempt):
        return random.choice([0, min(2, 0.1 * 2**attempt)])

    @wrong("no jitter", says="then draw")
    def caps_what_was_drawn(attempt):
        return min(2, random.uniform(0, 0.1 * 2**attempt))

    @wrong("no jitter", says="between 0 and the longest")
    def never_at_once(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return random.uniform(longest / 3, longest)

    @wrong("no jitter", says="equally likely")
    def mostly_in_the_middle(attempt):
        return random.triangular(0, min(2, 0.1 * 2**attempt))

    @wrong("pauses", says="isn't added")
    def on_top(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return longest + random.uniform(0, longest)

    @wrong("no jitter", says="close together")
    def a_tenth(attempt):
        longest = min(2, 0.1 * 2**attempt)
        return longest * random.uniform(0.9, 1)

    @wrong("pauses", says="no more than 2 s")
    def without_a_cap(attempt):
        return random.uniform(0, 0.1 * 2**attempt)

    @wrong("pauses", says="doubles")
    def does_not_grow(attempt):
        return random.uniform(0, 0.1)

    @wrong("pauses", says="doubled for each further attempt")
    def counts_from_one(attempt):
        return random.uniform(0, min(2, 0.2 * (attempt + 1) * 2 / 3))


def _is_seeded(node):
    """Whether this is a `Random(7)` or a `seed(7)`."""
    return (
        isinstance(node, ast.Call)
        and is_named(node.func, ("Random", "seed"))
        and any(isinstance(given, ast.Constant) and given.value is not None for given in node.args)
    )


def _longest(attempt):
    return min(2.0, 0.1 * 2 ** min(attempt, 5))


def _line_with_the_last(lab, doublings):
    """The one line that may hold the pause at so many doublings: by their number, or by the pause
    that they make; None if there is none, or more than one.
    """
    lines, held = set(), (doublings, _longest(doublings))
    for node in lab.nodes():
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and is_named(node.func, ("min", "range")):
            parts = node.args
        elif isinstance(node, ast.Assign):
            parts = [node.value]
        else:
            parts = []
        for part in parts:
            if any(is_constant(part, value) for value in held):
                lines.add(part.lineno)
            elif isinstance(part, ast.Name):
                lines.add(lab.text.made_outside(part.id, lambda made: is_constant(made, held[0])))
    lines.discard(None)
    return lines.pop() if doublings and len(lines) == 1 else None
