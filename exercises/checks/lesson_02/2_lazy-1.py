import ast
from itertools import zip_longest

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import line_of_call

from .shared import MOST, items_of, lazily, made_a_list

LINES = [
    "ERROR a",
    "ERROR ",
    "ERROR",
    "ERROR\n",
    "ERRORS: 2",
    "error b",
    " ERROR b",
    "",
    "fine",
    "ERROR ROR ERROR \n",
    "ERROR \t b  c \t\r\n",
]
PREFIX_IN_TEXT = "ERROR EOF in line 3"  # its text begins with letters of the prefix
SHORT = ["ERROR a", "ERROR b", "fine"]


class LazyPipeline(Exercise):
    """A lazy pipeline

    A log may be too long for your memory. Write a generator function `errors(lines)`: `lines` is an
    iterable of strings. A line that begins with "ERROR " is an error. Yield the text of each error,
    in order: what comes after "ERROR ", without spaces, tabs or newlines around it.

    Read a line only when the next error is asked for.
    """

    id = "lazy-1"
    asks = "errors"
    minutes = 6
    hints = (
        "A list holds all errors before the first is asked for. What hands them out one by one?",
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
                "eager",
                f"I asked for one error. It stands in line 2 of the log, and `errors` had read "
                f"{source.taken} of {len(log)} lines before it handed it out.",
                made_a_list(lab)
                or lab.repeated_call_of("next")
                or lab.call_of("next", "pairwise", "batched", "islice", "zip*")
                or lab.yielding(),
                "Hand out each error as soon as you see it, before you read on.",
                headline="reads too far",
            )
        lab.equal(first, "disk full", what="the first error is")
        for line in ("ERRORS: 2", "no ERROR here"):
            self._compare_line(errors, lab, line)
        others = items_of(lab, found)
        lab.equal(others, ["no route", "out of paper"], "after that one the errors are")
        lab.equal(items_of(lab, iter(errors([]))), [], what="for no lines the errors are")
        if items_of(lab, iter(errors(["  ERROR b"]))):
            asks = lab.condition("startswith") or lab.condition()
            strips = lab.use_of("strip", "lstrip", "rstrip")
            raise Wrong(
                "value",
                "For the line '  ERROR b' it yielded an error. That line begins with a space.",
                lab.earliest(strips, asks),
                "Test the line as it is. Strip only the text after 'ERROR ', once the test is "
                "passed.",
                headline="took an indented line for an error",
            )
        cut = items_of(lab, iter(errors([PREFIX_IN_TEXT])))
        if cut and cut[0] == "F in line 3" and (stripping := strips_letters(lab)):
            side = "the left" if stripping.func.attr == "lstrip" else "both ends"
            raise Wrong(
                "value",
                f"For the line {PREFIX_IN_TEXT!r} it yielded {cut[0]!r}; expected 'EOF in line 3'.",
                line_of_call(stripping),
                f"`{stripping.func.attr}` takes no word away: from {side} it takes any of the "
                "characters that it is given, in any order, until it meets another one. "
                "`removeprefix` takes the word away, once.",
                headline="ate letters of the text",
            )

    def _compare_line(self, errors, lab, line):
        """Raise Wrong if a line that is no error is taken for one."""
        if wrongly := items_of(lab, iter(errors([line]))):
            raise Wrong(
                "value",
                f"For the line {line!r} it yielded {wrongly[0]!r}. That line doesn't begin with "
                "'ERROR ', the word and a space.",
                lab.condition("startswith") or lab.condition() or lab.literal("ERROR"),
                "Try this condition on that line: what does it say?",
                headline="took another line for an error",
            )

    @sweep(
        lambda some: {"log": some.lists(some.sampled_from(LINES), max_size=5)},
        besides=[{"log": ["fine"] * 9 + ["ERROR again"] * 1100}],
        most=30,
    )
    def any_log(self, errors, lab, log):
        source = lab.source(log)
        lab.told(f"with the lines {log}" if len(log) < MOST else f"with {len(log):,} lines")
        found = lazily(lab, lab.call(errors, source), source)
        read = items_of(lab, ((text, source.taken) for text in found), len(log) + 1)
        return {
            "it yielded": [text for text, _ in read],
            "with each error, the number of lines that it had read was": [n for _, n in read],
        }

    @sweep(
        lambda some: {
            "log": some.lists(some.sampled_from(SHORT), max_size=3),
            "other": some.lists(some.sampled_from(SHORT), max_size=3),
        },
        most=8,
    )
    def two_logs(self, errors, lab, log, other):
        lab.told(f"twice, with the lines {log} and {other}, and asked the two in turns")
        one, two = lab.call(errors, iter(log)), errors(iter(other))
        return {"the two yielded": items_of(lab, zip_longest(one, two))}

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

    @wrong("value", says="begins with a space")
    def strips_first(lines):
        for line in lines:
            line = line.strip()
            if line.startswith("ERROR "):
                yield line[6:].strip()

    @wrong("eager", says="Nobody had asked")
    def with_a_list(lines):
        return [line[6:].strip() for line in lines if line.startswith("ERROR ")]

    @wrong("eager", says="taken 207")
    def with_append(lines):
        found = []
        for line in lines:
            if line.startswith("ERROR "):
                found.append(line[6:].strip())
        return iter(found)

    @wrong("eager", says="read 207 of 207 lines")
    def reads_all_first(lines):
        for line in list(lines):
            if line.startswith("ERROR "):
                yield line[6:].strip()

    collects_and_then_yields = with_append.but(
        "return iter(found)", "yield from found", kind="eager", says="I asked for one error"
    )

    finds_the_word_anywhere = with_yield.but(
        'line.startswith("ERROR ")', '"ERROR " in line', kind="value", says="no ERROR here"
    )

    joins_the_words = with_yield.but(
        'line.removeprefix("ERROR ").strip()',
        '" ".join(line.split()[1:])',
        kind="value",
        says="puts the words together anew",
    )

    @wrong("StopIteration", says="nothing more")
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

    strips_the_letters = with_yield.but(
        "removeprefix", "lstrip", kind="value", says="any of the characters"
    )


def strips_letters(lab):
    """The first call of a `strip` or `lstrip` method that is told of letters, or None."""
    for call in lab.text.calls_of("*.strip", "*.lstrip"):
        plain = isinstance(call.func.value, ast.Name) and call.func.value.id == "str"
        letters = call.args[plain:]  # `str.strip(line)` is told of none
        if letters and not str(getattr(letters[0], "value", letters[0])).isspace():
            return call
    return None
