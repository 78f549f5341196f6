"""Exercises of lesson 02: a generator is a paused frame."""

import inspect
from collections import deque
from collections.abc import Iterator
from itertools import islice, zip_longest

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

MAKES_A_LIST = r"\[.* for |\blist\(|\btuple\(|\bsorted\(|append\("
MOST = 12  # items; no answer here is right with as many


def lazily(lab, thing, *sources):
    """Return `thing` as an iterator that has not begun to work.

    Raises Wrong if it is a list or the like, or if one of `sources` has been asked already.
    """
    taken = sum(source.taken for source in sources)
    if isinstance(thing, (list, tuple, set)) or taken and isinstance(thing, Iterator):
        raise Wrong(
            "builds a list",
            f"Nobody had asked for an item yet. `{lab.asks}` had already taken {taken} from its "
            "source.",
            lab.line(MAKES_A_LIST),
            "Let each item wait until it is asked for: `yield` them one by one.",
        )
    if isinstance(thing, Iterator) and not inspect.isgenerator(thing):
        return thing  # map, filter and islice are as lazy as a generator
    return lab.generator(thing)


def items_of(lab, iterator):
    """Return the list of all items, and name a StopIteration that a generator let out.

    Of a generator that never ends it returns no more than a line can show.
    """
    try:
        return list(islice(iterator, MOST))
    except RuntimeError as error:
        if "generator raised StopIteration" not in str(error):
            raise
        raise Wrong(
            "let StopIteration out",
            "The source had nothing more. `next` raised StopIteration inside the generator, and "
            f"Python turned that into an error: {error}.",
            lab.line(r"\bnext\("),
            "Catch StopIteration around `next` and `return`, or let a `for` loop do it.",
        ) from None


class PredictPrints(Exercise):
    """Predict what is printed

    Read this program, and do not run it.

        def steps():
            print("A")
            yield "B"
            print("C")
            yield "D"
            print("E")

        print("F")
        s = steps()
        print("G")
        print(next(s))
        print("H")
        print(next(s))
        print("I")

    Set `letters` to the letters that it prints, in order, as one string such as "ABC".
    """

    id = "prints-1"
    asks = "letters"
    minutes = 4
    hints = (
        "Put a finger on the line that runs now. At which lines does it leave `steps`?",
        "The call of `steps` prints nothing. The first `next` runs from the top to the first "
        "`yield`, and `print` shows what came out.",
        "The second `next` goes on below the first `yield`. Nobody asks a third time.",
    )
    right_values = ("FGABHCDI",)
    wrong_values = (
        wrong_value(
            "FAGBHCDI",
            "runs at the call",
            "You have A before G. The call `steps()` runs no line of `steps`; it makes a "
            "generator. Ask who runs its first line.",
        ),
        wrong_value(
            "FACEGBHDI",
            "runs at the call",
            "You have A, C and E before G. The call `steps()` runs no line of `steps`; it "
            "makes a generator. Ask who runs its lines.",
        ),
        wrong_value(
            "FGABHABI",
            "starts again at each next",
            "You have A twice. The frame remembers its place: the second `next` goes on "
            "below the `yield` where the first one stopped.",
        ),
        wrong_value(
            "FGACBHEDI",
            "runs past the yield",
            "You have C before B is out. `next` stops at the `yield` itself; what stands "
            "below waits for the next question.",
        ),
        wrong_value(
            "FGABCHDEI",
            "runs past the yield",
            "You have C before H. What stands below the first `yield` runs only when "
            "`next` is called again.",
        ),
        wrong_value(
            "FGABHCDIE",
            "runs on by itself",
            "You have E. Nobody asks a third time, so nothing below the second `yield` ever runs.",
        ),
        wrong_value(
            "FGABHCDEI",
            "runs on by itself",
            "You have E. Nobody asks a third time, so nothing below the second `yield` ever runs.",
        ),
        wrong_value(
            "FGAHCI",
            "forgot what next gives",
            "B and D are missing. `next(s)` gives what stands right of the `yield`, and "
            "`print` shows it.",
        ),
    )

    def verify(self, letters, lab):
        if not isinstance(letters, (str, list, tuple)):
            lab.equal(letters, self.right_values[0], what="`letters` is", secret=True)
        text = "".join(c for c in "".join(map(str, letters)).upper() if c.isalpha())
        try:
            super().verify(text, lab)
        except Wrong as found:
            if found.kind != "value":
                raise
            same = 0
            while text[: same + 1] == self.right_values[0][: same + 1] and same < len(text):
                same += 1
            raise Wrong(
                "value",
                f"`letters` is {text!r}. "
                + (
                    f"It is right up to its letter number {same}."
                    if same
                    else "Its first letter is not right yet."
                ),
                try_="Which line runs after that?" if same else "Which `print` runs first?",
            ) from None


class LazyPipeline(Exercise):
    """A lazy pipeline

    A log may be longer than your memory. Write a generator function `errors(lines)`: `lines` is
    an iterable of strings. A line that begins with "ERROR " is an error. Yield the text of each
    error, in order: what comes after "ERROR ", without blanks or line ends around it.

    Read a line only when somebody asks for the next error.
    """

    id = "lazy-1"
    asks = "errors"
    minutes = 6
    hints = (
        "A list holds all errors before anybody has asked for the first. What hands them out one "
        "by one?",
        "Go through `lines` with a `for` loop, and `yield` where you would have appended.",
        '`line.startswith("ERROR ")`, then `yield line.removeprefix("ERROR ").strip()`.',
    )

    def verify(self, errors, lab):
        log = [
            "start",
            "ERROR  disk full\n",
            "still running",
            "ERROR no route ",
            "no ERROR here",
            "ERRORS: 2",
            *["running"] * 200,
            "ERROR out of paper",
        ]
        source = lab.source(log)
        found = lazily(lab, lab.call(errors, source), source)
        first = next(found, None)
        if source.taken > 2:
            raise Wrong(
                "reads too far",
                f"I asked for one error. It stands in line 2 of the log, and `errors` had read "
                f"{source.taken} of {len(log)} lines before it handed it out.",
                lab.line(MAKES_A_LIST),
                "Hand out each error as soon as you see it, before you read on.",
            )
        lab.equal(first, "disk full", what="the first error is")
        lab.equal(items_of(lab, found), ["no route", "out of paper"], what="the other errors are")
        lab.equal(items_of(lab, iter(errors([]))), [], what="for no lines the errors are")

    @right
    def with_yield(lines):
        """Yield the text of each error line, one at a time."""
        for line in lines:
            if line.startswith("ERROR "):
                yield line.removeprefix("ERROR ").strip()

    @right
    def with_two_stages(lines):
        wanted = (line for line in lines if line.startswith("ERROR "))
        yield from (line[6:].strip() for line in wanted)

    @right
    def with_one_expression(lines):
        return (line[6:].strip() for line in lines if line.startswith("ERROR "))

    @wrong("builds a list", says="Nobody had asked")
    def with_a_list(lines):
        return [line[6:].strip() for line in lines if line.startswith("ERROR ")]

    @wrong("builds a list", says="taken 207")
    def with_append(lines):
        found = []
        for line in lines:
            if line.startswith("ERROR "):
                found.append(line[6:].strip())
        return iter(found)

    @wrong("reads too far", says="read 207 of 207 lines")
    def reads_all_first(lines):
        for line in list(lines):
            if line.startswith("ERROR "):
                yield line[6:].strip()

    @wrong("reads too far", says="I asked for one error")
    def collects_and_then_yields(lines):
        found = []
        for line in lines:
            if line.startswith("ERROR "):
                found.append(line[6:].strip())
        yield from found

    @wrong("value", says="no ERROR here")
    def finds_the_word_anywhere(lines):
        for line in lines:
            if "ERROR " in line:
                yield line.removeprefix("ERROR ").strip()

    @wrong("let StopIteration out", says="nothing more")
    def asks_by_hand(lines):
        lines = iter(lines)
        while True:
            line = next(lines)
            if line.startswith("ERROR "):
                yield line[6:].strip()

    @wrong("not a generator", says="NoneType")
    def prints(lines):
        for line in lines:
            if line.startswith("ERROR "):
                print(line[6:].strip())


class Take(Exercise):
    """Take the first few

    Write a generator function `take(source, n)`: `source` is an iterator. Yield its first `n`
    items, or all it has if that is fewer. Ask `source` for nothing more: whoever goes on with it
    must find the very next item.
    """

    id = "take-1"
    asks = "take"
    minutes = 7
    hints = (
        "A `for` loop over `source` asks for an item before its body can say stop.",
        "Count first, ask afterwards: `for _ in range(n)`, and in its body one `next(source)`.",
        "`next(source)` raises StopIteration when the source is used up. Catch it, and `return`.",
    )

    def verify(self, take, lab):
        source = lab.source("abcdef")
        first = items_of(lab, lazily(lab, lab.call(take, source, 3), source))
        lab.equal(first, ["a", "b", "c"], what="it yielded")
        if source.taken > 3:
            raise Wrong(
                "one too many",
                f"I asked for 3 items, and `take` took {source.taken} from the source. "
                f"{'The d is' if source.taken == 4 else 'What came after is'} lost: nobody gets it.",
                lab.line(r"^\s*for\b.*\bsource\b|\bnext\("),
                "Look at what happens when enough have been yielded: do you stop before you ask "
                "for the next one, or after?",
            )
        source = lab.source("ab")
        short = items_of(lab, lab.call(take, source, 5))
        lab.equal(short, ["a", "b"], what="from a source of two it yielded")
        source = lab.source("ab")
        none = items_of(lab, lab.call(take, source, 0))
        lab.equal(none, [], what="asked for none it yielded")
        if source.taken:
            raise Wrong(
                "one too many",
                f"I asked for 0 items, and `take` took {source.taken} from the source.",
                lab.line(r"^\s*for\b.*\bsource\b|\bnext\("),
                "Count before you ask.",
            )

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

    @wrong("let StopIteration out", says="nothing more")
    def trusts_the_source(source, n):
        for _ in range(n):
            yield next(source)

    @wrong("not a generator", says="returned a str")
    def returns_the_first(source, n):
        for _ in range(n):
            return next(source)

    @wrong("builds a list", says="taken 4")
    def builds_a_list(source, n):
        return [item for item, _ in zip(source, range(n))]

    @wrong("builds a list", says="taken 6")
    def slices(source, n):
        return iter(list(source)[:n])

    @wrong("value", says="It yielded ['a', 'b']")
    def one_too_few(source, n):
        yield from islice(source, n - 1 if n else 0)


class Shares(Exercise):
    """Shares of the whole

    Write a function `shares(numbers)` that returns a list: for each number its share of the sum
    of all. For 1 and 3 that is `[0.25, 0.75]`. For no numbers it returns an empty list.

    `numbers` is any iterable. Often it will be a generator.
    """

    id = "shares-1"
    asks = "shares"
    minutes = 5
    hints = (
        "How often do you go through `numbers`? How often can you go through a generator?",
        "Here laziness doesn't help: the first share needs the sum, and the sum needs them all.",
        "Begin with `numbers = list(numbers)`; a list can be walked as often as you like.",
    )

    def verify(self, shares, lab):
        numbers = [1, 3, 4]
        expected = [0.125, 0.375, 0.5]
        got = shares(numbers)
        if inspect.isgenerator(got):
            raise Wrong(
                "not a list",
                "It returned a generator. A list is asked for.",
                lab.line(r"\byield\b|^\s*return \("),
                "The sum needs all numbers anyway, so nothing is won by waiting.",
            )
        lab.equal(got, expected, what="for the list [1, 3, 4] it returned")
        try:
            got = list(shares(number for number in numbers))
        except ArithmeticError as error:
            got = f"nothing, and raised {type(error).__name__}"
        if got != expected:
            raise Wrong(
                "used up",
                f"For the list [1, 3, 4] it is right. For a generator of the same numbers it "
                f"returned {got}. The first walk had used it up.",
                lab.line(r"\bsum\(|\blist\(|\blen\(|\bfor\b"),
                "A generator can be walked once. The second walk finds nothing, and says nothing.",
            )
        lab.equal(shares(iter(())), [], what="for no numbers it returned")

    @right
    def with_a_list(numbers):
        """Return each number's share of the sum, as a list."""
        numbers = list(numbers)
        total = sum(numbers)
        return [number / total for number in numbers]

    @right
    def in_one_walk(numbers):
        kept, total = [], 0
        for number in numbers:
            kept.append(number)
            total += number
        return [number / total for number in kept]

    @wrong("used up", says="it returned []")
    def walks_twice(numbers):
        total = sum(numbers)
        return [number / total for number in numbers]

    @wrong("used up", says="it returned []")
    def looks_whether_it_is_empty(numbers):
        if not list(numbers):
            return []
        total = sum(numbers)
        return [number / total for number in numbers]

    @wrong("used up", says="ZeroDivisionError")
    def adds_up_what_is_gone(numbers):
        kept = list(numbers)
        total = sum(numbers)
        return [number / total for number in kept]

    @wrong("value", says="[12.5, 37.5, 50.0]")
    def in_percent(numbers):
        numbers = list(numbers)
        return [100 * number / sum(numbers) for number in numbers]

    @wrong("not a list", says="generator")
    def lazily_where_it_cannot_be(numbers):
        numbers = list(numbers)
        return (number / sum(numbers) for number in numbers)


class Interleave(Exercise):
    """Two at a time

    Write a generator function `interleave(first, second)`: it yields an item of `first`, then one
    of `second`, then one of `first` again, and so on. When one of them is used up, it goes on
    with the rest of the other. From "abc" and "12" it makes a, 1, b, 2, c.

    The two are iterables of anything. Either may be far too long for a list.
    """

    id = "interleave-1"
    asks = "interleave"
    minutes = 8
    hints = (
        "`for` walks one iterable to its end. Here you need to ask each of two, in turn: "
        "`iter` and `next`.",
        "Keep the iterators that still have something in a row. Ask the first one; if it gave an "
        "item, put it at the end of the row.",
        "`row = [iter(first), iter(second)]`, and `while row:` take `row.pop(0)`, ask it with "
        "`next` inside a `try`, `append` it again, then `yield`.",
    )

    def verify(self, interleave, lab):
        first, second = lab.source("abcd"), lab.source(range(10_000))
        mixed = lazily(lab, lab.call(interleave, first, second), first, second)
        begin = list(islice(mixed, 4))
        if begin and isinstance(begin[0], (tuple, list)):
            raise Wrong(
                "yields pairs",
                f"The first thing it yielded was {begin[0]}, two items at once.",
                lab.line(r"\byield\b"),
                "Hand out each of the two by a `yield` of its own.",
            )
        if second.taken > 3:
            raise Wrong(
                "builds a list",
                f"I asked for 4 items. `interleave` took {second.taken:,} from `second` for that.",
                lab.line(MAKES_A_LIST),
                "Ask for one item, and hand it out before you ask for another.",
            )
        if begin == ["a", "b", "c", "d"]:
            raise Wrong(
                "one after another",
                "It yielded all of `first` before it yielded anything of `second`.",
                lab.line(r"yield from|\bchain\("),
                "Ask each of the two for one item, in turn.",
            )
        lab.equal(begin, ["a", 0, "b", 1], what="from 'abcd' and 0, 1, 2, … it yielded first")
        for left, right_, expected in (
            ("abc", "12", list("a1b2c")),
            ("a", "123", list("a123")),
            ("", "12", list("12")),
            ("", "", []),
        ):
            self._compare(lab, interleave, left, right_, expected)
        self._compare(lab, interleave, ["a", None, "c"], [0, 1], ["a", 0, None, 1, "c"])

    def _compare(self, lab, interleave, left, right_, expected):
        got = items_of(lab, lab.call(interleave, left, right_))
        if got == expected:
            return
        if len(got) < len(expected) and got == expected[: len(got)]:
            raise Wrong(
                "lost the rest",
                f"It yielded {got} and stopped. One of the two was used up; the other "
                "still had something.",
                lab.line(r"\bzip\(|StopIteration|return"),
                "Go on with the other one alone.",
            )
        if None in got and None not in expected:
            raise Wrong(
                "None for nothing",
                f"It yielded {got}. A None stands where one of the two had nothing more.",
                lab.line(r"zip_longest|\bNone\b"),
                "An iterator that is used up is left out of the round.",
            )
        if None in expected and None not in got:
            raise Wrong(
                "took None for the end",
                f"It yielded {got}. The None in `first` is an item like any other.",
                lab.line(r"\bNone\b|\bif\b"),
                "Only StopIteration says that an iterator is used up.",
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

    @wrong("yields pairs", says="two items at once")
    def with_zip_as_it_is(first, second):
        yield from zip(first, second)

    @wrong("value", says="'a', '1', 'a', '1'")
    def starts_anew_each_time(first, second):
        while True:
            yield next(iter(first))
            yield next(iter(second))

    @wrong("one after another", says="all of `first`")
    def one_by_one(first, second):
        yield from first
        yield from second

    @wrong("lost the rest", says="and stopped")
    def with_zip(first, second):
        for pair in zip(first, second):
            yield from pair

    @wrong("None for nothing", says="A None stands")
    def with_zip_longest(first, second):
        for pair in zip_longest(first, second):
            yield from pair

    @wrong("took None for the end", says="an item like any other")
    def drops_every_none(first, second):
        for pair in zip_longest(first, second):
            yield from (item for item in pair if item is not None)

    @wrong("let StopIteration out", says="generator raised StopIteration")
    def without_try(first, second):
        first, second = iter(first), iter(second)
        while True:
            yield next(first)
            yield next(second)

    @wrong("builds a list", says="10,000 from `second`")
    def with_lists(first, second):
        first, second = list(first), list(second)
        while first or second:
            if first:
                yield first.pop(0)
            if second:
                yield second.pop(0)
