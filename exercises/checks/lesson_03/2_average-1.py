import ast
from inspect import getgeneratorstate
from itertools import zip_longest

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import unnegated


class Averager(Exercise):
    """A running average

    Write a generator function `averager()`. The first `next` primes its generator, and gets None.
    From then on each `send` of a number gives back the average of all numbers so far: `send(10)`
    gives 10, then `send(20)` gives 15, then `send(30)` gives 20.
    """

    id = "average-1"
    asks = "averager"
    minutes = 6
    hints = (
        "One `yield` is enough: it hands out the last average and takes the next number.",
        "`number = yield average`, inside `while True`. What must you keep between two numbers?",
        "Begin with `total, count, average = 0, 0, None`. In the loop: take a number, add it to "
        "`total`, count it, work out `average`.",
    )

    def verify(self, averager, lab):
        talk = lab.generator(lab.call(averager))
        primed = self._prime(lab, talk)
        if primed == 0:
            raise Wrong(
                "value",
                "Primed, it handed out 0; expected None.",
                self._first_given(lab) or lab.yielding(),
                "Nothing has been sent in yet, so there is no average: begin with None.",
                headline="0 for no average",
            )
        lab.equal(primed, None, what="primed, it handed out")
        got = [self._send(lab, talk, number) for number in (10, 20, 30, 5)]
        self._name(lab, got)
        one, other = averager(), averager()
        next(one), next(other)
        one.send(100)
        if (answer := other.send(10)) != 10:
            shown = f"{answer:g}" if isinstance(answer, float) else repr(answer)
            raise Wrong(
                "shared state",
                "I sent 10, 20, 30, 5 and 100 to other averagers. This one was sent only a 10, and "
                f"its answer was {shown}.",
                lab.earliest(lab.default(), lab.outer_name(), lab.assigned("averager.*"))
                or lab.text.kept_outside(),
                f"{'A default' if lab.kept_default() else 'What stands outside'} is made once, for "
                "all of them. Make what you count with inside the generator.",
                headline="all averagers share one state",
            )
        self._send_zero(lab, averager())

    @sweep(
        lambda some: {
            "numbers": some.lists(some.sampled_from((0, 1, -2, 2.5, 10)), max_size=5),
            "others": some.sampled_from(([], [100, 0])),
        },
        besides=[{"numbers": list(range(1100)), "others": []}],
    )
    def any_numbers(self, averager, lab, numbers, others):
        sent = (
            listed(map(str, numbers or ["nothing"]))
            if len(numbers) < 12
            else f"{len(numbers):,} numbers"
        )
        if others:
            beside = listed(map(str, others))
            lab.told(f"twice, and sent {sent} to one and {beside} to the other, in turns")
        else:
            lab.told(f"and sent {sent}")
        one, other = lab.call(averager), averager()
        primed = [self._send(lab, one, None), self._send(lab, other, None)]
        got = [], []
        for pair in zip_longest(numbers, others):
            for talk, number, answers in zip((one, other), pair, got):
                if number is not None:
                    answers.append(self._send(lab, talk, number))
        return {
            "primed, the two handed out": primed,
            "the answers were": got[0],
            "the other one's answers were": got[1],
        }

    def _prime(self, lab, talk):
        begun = getgeneratorstate(talk) != "GEN_CREATED"
        try:
            return self._send(lab, talk, None)
        except TypeError as error:
            if not begun:
                raise
            raise Wrong(
                "sent for yielded",
                "The generator that I got was primed already. So my first `next` sent a None in, "
                f"as if it were a number, and raised TypeError: {error}.",
                lab.call_of("next") or lab.call_of("send"),
                "The caller primes the generator. Hand it over before its first `next`.",
                headline="primed it already",
            ) from None

    def _send(self, lab, talk, value):
        try:
            return talk.send(value)
        except StopIteration:
            raise Wrong(
                "stopped early",
                f"I sent {value!r}, and the generator ended.",
                lab.returning() or lab.yielding(),
                "There may always be one more number. Use `while True`, and answer with `yield`: a "
                "`return` ends the generator.",
                headline="ended too early",
            ) from None

    def _send_zero(self, lab, talk):
        """Raise Wrong if a 0 ends it, which no other number did."""
        next(talk)
        try:
            talk.send(0)
        except StopIteration:
            asks = tests(lab)
            taken = [test for test in asks if is_taken_in(lab, test)]
            raise Wrong(
                "stopped early",
                "I sent 0, and the generator ended. It did not end at other numbers.",
                lab.earliest(*(test.lineno for test in taken or asks)) or lab.yielding(),
                f"{'0 counts as false. It' if taken else '0'} is a number like any other, and none "
                "ends the loop: a `while True` without that test goes on.",
                headline="ended at a 0",
            ) from None

    def _first_given(self, lab):
        """Where what is handed out gets its first value, if it has a name; or None."""
        yields = [node.value for node in lab.nodes() if isinstance(node, ast.Yield)]
        names = [value.id for value in yields if isinstance(value, ast.Name)]
        return lab.assigned(*names) if names else None

    def _name(self, lab, got):
        expected = [10, 15, 20, 16.25]
        if got == [None] * 4:
            raise Wrong(
                "return value",
                f"I sent 10, 20, 30 and 5. The answers were {got}.",
                lab.yielding(),
                "The caller doesn't get what `print` shows. Put the average to the right of the "
                "`yield`.",
                headline="hands out nothing",
            )
        if got[1] is None:
            raise Wrong(
                "sent for yielded",
                f"I sent 10, 20, 30 and 5. The answers were {got}. Every second number went to a "
                "`yield` that drops it.",
                lab.dropped_yield(),
                "Each `yield` pauses, and each pause takes one `send`. Use a single `yield` to "
                "hand out the average and take the next number.",
                headline="two yields for one send",
            )
        if got[:2] == [10, 15] and got[2] != 20:
            raise Wrong(
                "value",
                f"I sent 10, 20, 30 and 5. The answers were {got}; expected [10, 15, 20, 16.25].",
                lab.operation("/"),
                "The mean of the last average and the new number gives the newest number too much "
                "weight. Keep the sum of all numbers, and how many there are.",
                headline="halves each time",
            )
        if got[1:] == expected[:3]:
            raise Wrong(
                "sent for yielded",
                f"I sent 10, 20, 30 and 5. The answers were {got}: each belongs to the "
                "number before.",
                lab.yielding(),
                "Take the number in first, then work out the average, then reach `yield`.",
                headline="one answer late",
            )
        lab.equal(got, expected, what="to 10, 20, 30 and 5 it answered")

    @right
    def with_sum_and_count():
        """Answer each number sent in with the average of all so far."""
        total, count, average = 0, 0, None
        while True:
            number = yield average
            total += number
            count += 1
            average = total / count

    @right
    def with_a_list():
        numbers, average = [], None
        while True:
            numbers.append((yield average))
            average = sum(numbers) / len(numbers)

    @wrong("sent for yielded", says="drops it")
    def takes_and_hands_out_apart():
        total, count = 0, 0
        while True:
            number = yield
            total += number
            count += 1
            yield total / count

    @wrong("value", says="too much weight")
    def mean_of_two():
        average = yield
        while True:
            number = yield average
            average = (average + number) / 2

    @wrong("sent for yielded", says="the number before")
    def works_it_out_before_it_takes():
        numbers, average = [], None
        while True:
            number = yield average
            if numbers:
                average = sum(numbers) / len(numbers)
            numbers.append(number)

    @wrong("stopped early", says="I sent 20")
    def without_a_loop():
        number = yield
        yield number

    @wrong("stopped early", says="`return` ends")
    def with_return():
        numbers = []
        while True:
            numbers.append((yield))
            return sum(numbers) / len(numbers)

    @wrong("return value", says="The caller doesn't get")
    def prints_the_average():
        total, count = 0, 0
        while True:
            total += yield
            count += 1
            print(total / count)

    @wrong("value", says="16]; expected [10, 15, 20, 16.25]")
    def rounds_down():
        total, count, average = 0, 0, None
        while True:
            total += yield average
            count += 1
            average = total // count

    @wrong("value", says="Primed, it handed out 0")
    def begins_with_zero():
        total, count, average = 0, 0, 0
        while True:
            total += yield average
            count += 1
            average = total / count

    @wrong("shared state", says="other averagers")
    def with_a_default(numbers=[]):
        average = None
        while True:
            numbers.append((yield average))
            average = sum(numbers) / len(numbers)

    @wrong("not a generator", says="NoneType")
    def that_prints():
        print("no yield")

    @wrong("stopped early", says="0 counts as false")
    def ends_at_zero():
        total, count, average = 0, 0, None
        while number := (yield average):
            total, count = total + number, count + 1
            average = total / count


def tests(lab):
    """What each `while` and `if` asks, without the `True` of a `while True`."""
    asking = (node for node in lab.nodes() if isinstance(node, (ast.If, ast.While)))
    return [node.test for node in asking if not isinstance(node.test, ast.Constant)]


def is_taken_in(lab, test):
    """Whether a test asks for the truth of what a `yield` takes in."""
    asked = unnegated(test)
    if isinstance(asked, ast.NamedExpr):
        return isinstance(asked.value, ast.Yield)
    names = {
        target.id
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Yield)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return isinstance(asked, ast.Name) and asked.id in names
