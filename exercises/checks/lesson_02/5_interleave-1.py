import ast
from collections import deque
from itertools import islice, zip_longest

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
    noted,
)

LONG = 1_000
TWICE = ["a", "b"]  # one list in both places
OTHER = (
    "Catch StopIteration around `next`. It says that this one has nothing more; the other one may "
    "still have something."
)


class Interleave(Exercise):
    """Two at a time

    Write a generator function `interleave(first, second)`: it yields an item of `first`, then one
    of `second`, then one of `first` again, and so on. When one of them is used up, it goes on with
    the rest of the other. From "abc" and "12" it makes a, 1, b, 2, c.

    Both are iterables of anything. Either may be far too long for a list. If one raises an error,
    let it out.
    """

    id = "interleave-1"
    asks = "interleave"
    minutes = 8
    hints = (
        "`for` walks one iterable to its end. Here you need to ask each of two, in turn: "
        "`iter` and `next`.",
        "Keep the iterators that aren't used up in a list. Ask the first one; if it gave an item, "
        "put it at the end of the list.",
        "`row = [iter(first), iter(second)]`, and `while row:` take `row.pop(0)`, ask it with "
        "`next` inside a `try`, `append` it again, then `yield`.",
    )

    equivalent = {"with_a_row: drop falsy, line 10": "an iterator counts as true"}

    def verify(self, interleave, lab):
        places = []
        first, second = lab.source("abcd"), lab.source(noted(lab, range(10_000), places))
        mixed = lazily(lab, lab.call(interleave, first, second), first, second)
        begin = list(islice(mixed, 4))
        if begin and isinstance(begin[0], (tuple, list)):
            raise Wrong(
                "another form",
                f"The first thing it yielded was {begin[0]}, two items at once.",
                lab.yielding(),
                "Use a separate `yield` for each of the two.",
                headline="yields pairs",
            )
        if second.taken > 3:
            raise Wrong(
                "eager",
                f"I asked for 4 items. `interleave` took {second.taken:,} from `second` for that.",
                places[3],
                "Ask for one item, and hand it out before you ask for another.",
                headline="reads too far",
            )
        if begin == ["a", "b", "c", "d"]:
            raise Wrong(
                "turns",
                "It yielded all of `first` before it yielded anything of `second`.",
                lab.earliest(lab.yielding_from(), lab.call_of("chain")) or lab.for_loop(),
                "Ask each of the two for one item, in turn.",
                headline="one after another",
            )
        lab.equal(begin, ["a", 0, "b", 1], what="from 'abcd' and 0, 1, 2, … it yielded first")
        for left, right_, expected in (
            ("abcd", "1", list("a1bcd")),
            ("abc", "12", list("a1b2c")),
            ("a", "123", list("a123")),
            ("", "12", list("12")),
            ("", "", []),
        ):
            self._compare(lab, interleave, left, right_, expected)
        self._compare(lab, interleave, ["a", None, "c"], [0, 1], ["a", 0, None, 1, "c"])

    @sweep(
        lambda some: {
            "first": some.lists(some.sampled_from((None, 0, "", "a")), max_size=4),
            "second": some.lists(some.sampled_from((None, False, "b")), max_size=4),
        },
        besides=[
            {"first": TWICE, "second": TWICE},
            {"first": ["a"] * 600, "second": ["b"] * 580},
        ],
    )
    def any_two(self, interleave, lab, first, second):
        if len(first) > MOST:
            lab.told(f"with {len(first)} and {len(second)} items")
        got = lab.call(interleave, first, second)
        return {"it yielded": items_of(lab, got, len(first) + len(second) + 1, OTHER)}

    @sweep(
        lambda some: {
            "lengths": some.permutations((LONG, 1, 0)),
            "asked": some.integers(0, 5),
        },
        most=8,
    )
    def a_long_one(self, interleave, lab, lengths, asked):
        places = [], []
        first, second = (
            lab.source(noted(lab, range(length), asked_at))
            for length, asked_at in zip(lengths, places)
        )
        lab.told(f"with {lengths[0]:,} and {lengths[1]:,} items, and asked for {asked}")
        mixed = lazily(lab, lab.call(interleave, first, second), first, second)
        got = list(islice(mixed, asked))
        for source, name, asked_at in zip((first, second), ("first", "second"), places):
            if source.taken > asked + 1:
                raise Wrong(
                    "eager",
                    f"`interleave` took {source.taken:,} from `{name}` for that.",
                    asked_at[asked + 1],
                    "Ask for one item, and hand it out before you ask for another.",
                    headline="reads too far",
                )
        return {"it yielded": got}

    @sweep(
        lambda some: {
            "first": some.lists(some.sampled_from("ab"), max_size=3),
            "second": some.lists(some.sampled_from("cd"), max_size=3),
            "at": some.integers(0, 2),
            "error": some.sampled_from(ERRORS),
            "which": some.sampled_from(("first", "second")),
        },
        besides=[
            {"first": ["a"], "second": ["c"], "at": 0, "error": error, "which": which}
            for error in ERRORS
            for which in ("first", "second")
        ],
        most=12,
    )
    def any_error(self, interleave, lab, first, second, at, error, which):
        error = error("the disk is gone")
        does = failing_words(first if which == "first" else second, at, error)
        other = f"second` gives {second}" if which == "first" else f"first` gives {first}"
        lab.told(f"with two iterables: `{which}` {does}, and `{other}")
        if which == "first":
            first = failing(first, at, error)
        else:
            second = failing(second, at, error)
        came = self._error(lab, interleave, first, second)
        check_let_out(lab, error, came)
        return {"the error that came out was": came}

    def _error(self, lab, interleave, first, second):
        """The error that ends it, or None."""
        try:
            list(islice(lab.call(interleave, first, second), MOST))
        except ERRORS as error:
            return error

    def _compare(self, lab, interleave, left, right_, expected):
        got = items_of(lab, lab.call(interleave, left, right_), then=OTHER)
        if got == expected:
            return
        if len(got) < len(expected) and got == expected[: len(got)]:
            shorter = "first" if len(left) < len(right_) else "second"
            raise Wrong(
                "stopped early",
                f"It yielded {got} and stopped. One of the two was used up; the other "
                "still had something.",
                lab.call_of("zip")
                or lab.for_loop(shorter)
                or lab.earliest(lab.handler(StopIteration), lab.returning()),
                "Go on with the other one alone.",
                headline="lost the rest",
            )
        zipped = lab.text.calls_of("zip")
        if zipped and got == [item for item in expected if item in got]:
            lost = next(item for item in expected if item not in got)
            raise Wrong(
                "lost items",
                f"It yielded {got}: the {lost!r} is lost.",
                zipped[0].lineno,
                f"`zip` took the {lost!r} from `first`, found nothing in `second`, and threw it "
                "away. Ask each of the two with `next`, and yield what you got before you ask "
                "again.",
                headline="lost an item",
            )
        if got == [item for item in expected if item in got] and (asks := asks_both(lab)):
            lost = next(item for item in expected if item not in got)
            raise Wrong(
                "lost items",
                f"It yielded {got}: the {lost!r} is lost.",
                asks,
                "Yield what you got from one of the two before you ask the other, which may have "
                "nothing more.",
                headline="lost an item",
                at="asks the other one first",
            )
        if None in got and None not in expected:
            raise Wrong(
                "falsy",
                f"It yielded {got}. There is a None where one of the two had nothing more.",
                lab.earliest(lab.call_of("zip_longest"), lab.literal(None)),
                "Leave out an iterator that is used up.",
                headline="None for nothing",
            )
        if None in expected and None not in got:
            raise Wrong(
                "falsy",
                f"It yielded {got}. The None in `first` is an item like any other.",
                lab.earliest(lab.literal(None), lab.condition()),
                "Only StopIteration says that an iterator is used up.",
                headline="took None for the end",
            )
        if len(got) > len(expected) and (again := goes_again(lab)):
            raise Wrong(
                "value",
                f"It yielded {got}; expected {expected}.",
                again,
                "An iterator goes on where it was; what it was made from begins again. Go on with "
                "the iterator.",
                headline="began again",
            )
        if len(got) > len(expected) and (inner := begins_anew(lab)):
            raise Wrong(
                "value",
                f"It yielded {got}; expected {expected}.",
                inner,
                "A `for` over a string or a list begins at its first item each time. Only an "
                "iterator goes on where it was: `iter` makes one.",
                headline="began again",
            )
        lab.equal(got, expected, what="it yielded")

    @right
    def with_a_row(first, second):
        """Yield items of `first` and `second` in turn, to the end of both."""
        row = [iter(first), iter(second)]
        while row:
            iterator = row.pop(0)
            try:
                item = next(iterator)
            except StopIteration:
                continue
            row.append(iterator)
            yield item

    @right
    def with_a_mark(first, second):
        missing = object()
        for pair in zip_longest(first, second, fillvalue=missing):
            yield from (item for item in pair if item is not missing)

    @right
    def with_a_deque(first, second):
        row = deque([iter(first), iter(second)])
        while row:
            try:
                yield next(row[0])
            except StopIteration:
                row.popleft()
            else:
                row.rotate(-1)

    @right
    def by_turns(first, second):
        mine, other = iter(first), iter(second)
        while True:
            try:
                item = next(mine)
            except StopIteration:
                break
            yield item
            mine, other = other, mine
        yield from other

    @wrong("another form", says="two items at once")
    def with_zip_as_it_is(first, second):
        yield from zip(first, second)

    @wrong("value", says="'a', '1', 'a', '1'")
    def starts_anew_each_time(first, second):
        while True:
            yield next(iter(first))
            yield next(iter(second))

    @wrong("value", says="what it was made from begins again")
    def begins_the_rest_again(first, second):
        ones, others = iter(first), iter(second)
        for one in ones:
            yield one
            try:
                yield next(others)
            except StopIteration:
                yield from ones
                return
        yield from second

    @wrong("turns", says="all of `first`")
    def one_by_one(first, second):
        yield from first
        yield from second

    @wrong("stopped early", says="and stopped")
    def with_zip(first, second):
        for pair in zip(first, second):
            yield from pair

    @wrong("lost items", says="`zip` took the 'b' from `first`")
    def with_zip_and_the_rest(first, second):
        first, second = iter(first), iter(second)
        for pair in zip(first, second):
            yield from pair
        yield from first
        yield from second

    @wrong("falsy", says="There is a None")
    def with_zip_longest(first, second):
        for pair in zip_longest(first, second):
            yield from pair

    @wrong("falsy", says="an item like any other")
    def drops_every_none(first, second):
        for pair in zip_longest(first, second):
            yield from (item for item in pair if item is not None)

    @wrong("StopIteration", says="generator raised StopIteration")
    def without_try(first, second):
        first, second = iter(first), iter(second)
        while True:
            yield next(first)
            yield next(second)

    @wrong("eager", says="10,000 from `second`")
    def with_lists(first, second):
        first, second = list(first), list(second)
        while first or second:
            if first:
                yield first.pop(0)
            if second:
                yield second.pop(0)


def goes_again(lab):
    """The line that goes through an iterable itself, of which an iterator is in hand already."""
    given = (call.args[0] for call in lab.text.calls_of("iter") if call.args)
    names = [one.id for one in given if isinstance(one, ast.Name) and not lab.assigned(one.id)]
    return names and (lab.yielding_from(*names) or lab.for_loop(*names)) or None


def begins_anew(lab):
    """The line of a `for` inside another loop that goes through what the answer was given, and
    that is no iterator; or None.
    """
    given = {node.arg for node in lab.nodes() if isinstance(node, ast.arg)}
    return lab.earliest(
        *(
            inner.lineno
            for outer in lab.nodes()
            if isinstance(outer, (ast.For, ast.While))
            for inner in own_nodes(outer)
            if isinstance(inner, ast.For) and inner is not outer
            if isinstance(inner.iter, ast.Name) and inner.iter.id in given
            if not lab.assigned(inner.iter.id)
        )
    )


def asks_both(lab):
    """The line of a `next` that comes after another one, with no `yield` between them; or None."""
    steps = sorted(
        (node.lineno, node.col_offset, isinstance(node, ast.Call))
        for node in lab.nodes()
        if isinstance(node, (ast.Yield, ast.YieldFrom)) or node in lab.text.calls_of("next")
    )
    pairs = zip(steps, steps[1:])
    return next((line for (*_, one), (line, _, other) in pairs if one and other), None)
