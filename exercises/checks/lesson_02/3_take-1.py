import ast
from itertools import islice

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import own_nodes

from .shared import (
    ERRORS,
    MOST,
    check_let_out,
    failing,
    failing_words,
    items_of,
    lazily,
    made_a_list,
)


class Take(Exercise):
    """Take the first few

    Write a generator function `take(source, n)`: `source` is an iterator. Yield its first `n`
    items, or all of them if it has fewer. Take nothing more from `source`: the next `next(source)`
    must give the very next item. If `source` raises an error, let it out.
    """

    id = "take-1"
    asks = "take"
    minutes = 7
    hints = (
        "A `for` loop over `source` takes an item before its body can stop it.",
        "Count first, then ask: `for _ in range(n)`, with one `next(source)` in its body.",
        "`next(source)` raises StopIteration when the source is used up. Catch it, and `return`.",
    )

    equivalent = {"with_islice: or None, line 5": "an iterator counts as true"}

    def verify(self, take, lab):
        source = lab.source("abcdef")
        first = items_of(lab, lazily(lab, lab.call(take, source, 3), source))
        lab.equal(first, ["a", "b", "c"], what="it yielded")
        if source.taken > 3:
            raise Wrong(
                "one too many",
                f"I asked for 3 items, and `take` took {source.taken} from the source. "
                f"{'The d is' if source.taken == 4 else 'What came after is'} lost: "
                "nobody gets it.",
                lab.earliest(lab.for_loop("source"), lab.call_of("next")),
                "When enough have been yielded, do you stop before you ask for the next one, or "
                "after?",
            )
        source = lab.source("ab")
        lab.told("with a source of only two items, and `n=5`")
        short = items_of(lab, lab.call(take, source, 5))
        lab.equal(short, ["a", "b"], what="it yielded")
        source = lab.source("ab")
        none = items_of(lab, lab.call(take, source, 0))
        if none and (late := asks_too_late(lab)):
            raise Wrong(
                "value",
                f"Asked for none it yielded {none}; expected [].",
                late,
                "Ask that before you take an item: with 0 there are enough from the start.",
                headline="asked too late",
                at="asks only when an item has been handed out",
            )
        lab.equal(none, [], what="asked for none it yielded")
        if source.taken:
            raise Wrong(
                "one too many",
                f"I asked for 0 items, and `take` took {source.taken} from the source.",
                lab.earliest(lab.for_loop("source"), lab.call_of("next")),
                "Count before you ask.",
            )

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from((None, 0, "", "a", "b")), max_size=5),
            "n": some.integers(0, 6),
            "more": some.integers(0, 2),
        },
        besides=[{"items": list(range(1200)), "n": 1100, "more": 2}],
        most=30,
    )
    def any_source(self, take, lab, items, n, more):
        source = lab.source(items)
        if len(items) < MOST:
            again = f", and then with what was left in it and `n={more}`" if more else ""
            lab.told(f"with a source that gives the items of {items}, and `n={n}`{again}")
        else:
            lab.told(f"with a source of {len(items):,} items, and `n={n:_}`")
        found = lazily(lab, lab.call(take, source, n), source)
        taken = items_of(lab, ((item, source.taken) for item in found), n + 1)
        for number, (_, so_far) in enumerate(taken, 1):
            if so_far > number:
                raise Wrong(
                    "eager",
                    f"When it handed out item {number}, it had taken {so_far} from the source.",
                    made_a_list(lab),
                )
        left = items_of(lab, take(source, more))
        if source.closed:
            raise Wrong(
                "changed",
                "It closed `source`, so its caller can't go on with it.",
                lab.call_of("close", "closing", "aclose"),
                "It belongs to the caller. Stop asking, and leave it as it is.",
                headline="closed the source",
            )
        return {
            "it yielded": [item for item, _ in taken],
            "of what it had left it yielded": left,
            "what was left in the source was": list(source),
        }

    @sweep(
        lambda some: {
            "items": some.lists(some.sampled_from((None, "a", "b")), min_size=1, max_size=3),
            "at": some.integers(0, 2),
            "n": some.integers(0, 3),
            "error": some.sampled_from(ERRORS),
        },
        besides=[{"items": ["a"], "at": 0, "n": 1, "error": error} for error in ERRORS],
        most=12,
    )
    def any_error(self, take, lab, items, at, n, error):
        error = error("the disk is gone")
        lab.told(f"with a source that {failing_words(items, at, error)}, and `n={n}`")
        found, got = lab.call(take, failing(items, at, error), n), []
        try:
            for item in islice(found, n + 1):
                got.append(item)
        except ERRORS as raised:
            came = raised
        else:
            came = None
        check_let_out(lab, error, came)
        return {"it yielded": got, "the error that came out was": came}

    @right
    def with_range(source, n):
        """Yield the first `n` items of the iterator `source`."""
        for _ in range(n):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item

    @right
    def with_zip(source, n):
        for _, item in zip(range(n), source):
            yield item

    @right
    def with_islice(source, n):
        return islice(source, n)

    @wrong("one too many", says="The d is lost")
    def with_enumerate(source, n):
        for number, item in enumerate(source):
            if number == n:
                return
            yield item

    @wrong("one too many", says="took 4 from the source")
    def with_zip_the_other_way(source, n):
        for item, _ in zip(source, range(n)):
            yield item

    @wrong("value", says="Asked for none")
    def counts_afterwards(source, n):
        for number, item in enumerate(source, 1):
            yield item
            if number == n:
                return

    @wrong("StopIteration", says="nothing more")
    def trusts_the_source(source, n):
        for _ in range(n):
            yield next(source)

    @wrong("not a generator", says="returned a str")
    def returns_the_first(source, n):
        for _ in range(n):
            return next(source)

    @wrong("eager", says="taken 4")
    def builds_a_list(source, n):
        return [item for item, _ in zip(source, range(n))]

    @wrong("eager", says="taken 6")
    def slices(source, n):
        return iter(list(source)[:n])

    @wrong("value", says="It yielded ['a', 'b']")
    def one_too_few(source, n):
        yield from islice(source, n - 1 if n else 0)


def asks_too_late(lab):
    """The first `if` of a loop, where a `yield` comes before it; or None."""
    for loop in lab.nodes():
        if isinstance(loop, (ast.For, ast.While)):
            parts = list(own_nodes(loop))
            yields = [part.lineno for part in parts if isinstance(part, (ast.Yield, ast.YieldFrom))]
            tests = [part.lineno for part in parts if isinstance(part, ast.If)]
            if yields and tests and min(yields) < min(tests):
                return min(tests)
    return None
