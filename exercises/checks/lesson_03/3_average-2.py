import ast
from collections.abc import Iterator
from inspect import isgenerator

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import LOOPS, own_nodes


class Averages(Exercise):
    """Send them all

    Write an ordinary function `averages(generator, numbers)`. `generator` answers each number that
    is sent in, as a new `averager()` does. It has not been primed. Send it every number, and return
    the list of its answers, one for each number.
    """

    id = "average-2"
    asks = "averages"
    minutes = 5
    hints = (
        "Where is a new generator paused? Can a value arrive there?",
        "Prime it once, before the first number. What that gives back is not an answer.",
        "`next(generator)`, then `return [generator.send(number) for number in numbers]`.",
    )

    def verify(self, averages, lab):
        heard = []
        generator = lab.generator(listener(heard))
        lab.told("with a generator and the numbers 10, 20 and 60")
        got = lab.call(averages, generator, [10, 20, 60])
        if isinstance(got, Iterator):
            made = "a generator" if isgenerator(got) else f"a `{type(got).__name__}`"
            raise Wrong(
                "value",
                f"It returned {made}, and none of its lines has run."
                if isgenerator(got)
                else f"It returned {made}, which sends a number only when it is asked for an item.",
                lab.earliest(lab.yielding(), lab.returning()),
                "The exercise asks for a list: collect the answers, and `return` them.",
                headline="not a list",
            )
        if heard == [10, None, 20, None, 60, None] and lab.dropping("send"):
            raise Wrong(
                "sent for yielded",
                f"The generator heard {heard}. `next` sends None.",
                lab.earliest(lab.repeated_call_of("next")) or lab.dropping("send"),
                "`send` itself gives back the answer to the number. Keep that; there is nothing "
                "more to ask for.",
                headline="sent None in between",
            )
        if None in heard:
            raise Wrong(
                "sent for yielded",
                f"The generator heard {heard}. `next` sends None, and so does a `for` "
                "loop that goes through a generator.",
                # The priming stands less deep, or alone on its line.
                lab.earliest(lab.repeated_call_of("next"), lab.for_loop("generator"))
                or lab.call_of("next"),  # in a function that is called for each number
                "Prime it once, before the first number. Each number goes in with `send`.",
                headline="sent None in between",
            )
        if heard == [20, 60]:
            raise Wrong(
                "sent for yielded",
                "The generator heard 20 and 60. The 10 never arrived.",
                lab.earliest(lab.node(ast.Slice), lab.call_of("next")),
                "Priming carries no number: the first `send` has to bring the first one.",
                headline="lost the first number",
            )
        whole = [10, 20, 60] in heard and lab.call_of("send", given="numbers")
        if whole:
            raise Wrong(
                "value",
                f"The generator heard {heard}; expected [10, 20, 60].",
                whole,
                "An averager takes one number at a time: send it each of them.",
                headline="sent all of them at once",
            )
        lab.equal(heard, [10, 20, 60], what="the generator heard")
        if isinstance(got, (list, tuple)) and list(got[:1]) == ["ready"]:
            raise Wrong(
                "sent for yielded",
                f"It returned {got}. The first of these came before any number was sent.",
                keeping_before_sending(lab)
                or lab.earliest(lab.call_of("next"), lab.call_of("send", given=None))
                or lab.sieve()
                or lab.condition()
                or lab.call_of("send"),
                "What the priming gives back is not an answer to a number. Keep what each later "
                "`send` gives back, and that alone.",
                headline="kept the priming's answer",
            )
        if got == "answer to 60":
            raise Wrong(
                "value",
                f"It returned {got!r}: that is the last answer alone.",
                lab.returning(),
                "Collect the answers in a list, and `return` that.",
                headline="lost the other answers",
            )
        line = None if isinstance(got, list) else lab.returning()
        lab.equal(got, ["answer to 10", "answer to 20", "answer to 60"], line=line)
        for nothing in (0, None):
            given = [nothing, 7]
            lab.told(f"with the numbers [1, 2], which the generator answered with {given}")
            got = lab.call(averages, listener([], given), [1, 2])
            if got == [7] and (leaves := leaving_out(lab)):
                raise Wrong(
                    "value",
                    f"It returned [7]; expected {given}.",
                    leaves,
                    f"{nothing} is an answer like any other. Keep one for each number, without "
                    "any test.",
                    headline="left an answer out",
                )
        lab.told("with no numbers")
        lab.equal(lab.call(averages, listener([]), []), [])

    @sweep(
        lambda some: {
            "numbers": some.lists(some.sampled_from((0, 1, 2)), max_size=5),
            "answers": some.permutations((0, None, 2.5, -1)),
        },
        besides=[{"numbers": [1] * 1100, "answers": (3, 2, 1)}],
    )
    def any_numbers(self, averages, lab, numbers, answers):
        heard = []
        given = [answers[number] for number in numbers]
        if len(numbers) < 12:
            lab.told(f"with the numbers {numbers}, which the generator answered with {given}")
        else:
            lab.told(f"with {len(numbers):,} numbers")
        got = lab.call(averages, listener(heard, given), numbers)
        return {"the generator heard": heard, "it returned": got}

    @right
    def primes_with_next(generator, numbers):
        """Prime the generator, send it each number, return its answers."""
        next(generator)
        return [generator.send(number) for number in numbers]

    @right
    def primes_with_none(generator, numbers):
        generator.send(None)
        answers = []
        for number in numbers:
            answers.append(generator.send(number))
        return answers

    @wrong("unprimed", says="just-started")
    def sends_at_once(generator, numbers):
        return [generator.send(number) for number in numbers]

    @wrong("sent for yielded", says="before any number was sent")
    def keeps_the_first_answer(generator, numbers):
        answers = [next(generator)]
        for number in numbers:
            answers.append(generator.send(number))
        return answers

    @wrong("sent for yielded", says="None")
    def asks_with_next(generator, numbers):
        next(generator)
        return [next(generator) for number in numbers]

    primes_every_time = primes_with_none.but("generator.send(None)", "").but(
        "numbers:", "numbers:\n    next(generator)", kind="sent for yielded", says="None"
    )

    @wrong("sent for yielded", says="append(next(generator))")
    def asks_for_each_answer(generator, numbers):
        next(generator)
        answers = []
        for number in numbers:
            generator.send(number)
            answers.append(next(generator))
        return answers

    @wrong("value", says="none of its lines")
    def yields_the_answers(generator, numbers):
        next(generator)
        for number in numbers:
            yield generator.send(number)

    takes_priming_for_the_first = keeps_the_first_answer.but(
        "numbers:", "numbers[1:]:", kind="sent for yielded", says="The 10 never arrived"
    )


def listener(heard, answers=()):
    """A generator that notes what is sent in, and answers it. answers: the first ones."""
    answer = "ready"
    while True:
        number = yield answer
        heard.append(number)
        count = len(heard)
        answer = answers[count - 1] if count <= len(answers) else f"answer to {number}"


def leaving_out(lab):
    """The `if` of a loop or of a comprehension, or None."""
    inside = (part for loop in lab.nodes() if isinstance(loop, LOOPS) for part in own_nodes(loop))
    tests = (part.lineno for part in inside if isinstance(part, ast.If))
    return lab.sieve() or lab.earliest(*tests)


def keeping_before_sending(lab):
    """The line of a loop that appends what came last, and only then sends a number, or None."""
    keeps, sends = lab.repeated_call_of("append"), lab.repeated_call_of("send")
    return keeps if keeps and sends and keeps < sends else None
