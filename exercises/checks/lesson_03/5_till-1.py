import ast
from decimal import InvalidOperation
from inspect import getgeneratorstate
from itertools import zip_longest

from helpers.coach import Exercise, Wrong, right, sweep, wrong

UNREADABLE = "threw a ValueError in"
ENDS = {
    "closed it": None,
    "threw a KeyError in": KeyError,
    "threw a TypeError in": TypeError,
    "threw an Exception in": Exception,
    "threw Decimal's InvalidOperation in": InvalidOperation,
    "threw a KeyboardInterrupt in": KeyboardInterrupt,
}


class Till(Exercise):
    """Skip what cannot be read

    Write a generator function `till()`. When it is primed, it hands out 0. It adds each number that
    is sent in, and hands out the sum so far.

    A `throw(ValueError(…))` means that a label could not be read: `till` skips it, hands out the
    unchanged sum, and goes on. Every other error ends it and comes out. `close()` ends it without
    an error.
    """

    id = "till-1"
    asks = "till"
    minutes = 6
    hints = (
        "The error is raised at the `yield`. Where must the `try` be, so that the loop goes on "
        "afterwards?",
        "Inside the `while`: `try`, take a number; `except ValueError`, go round again.",
        "Name only ValueError. A bare `except` catches the GeneratorExit of `close` as well.",
    )

    def verify(self, till, lab):
        talk = lab.generator(lab.call(till))
        lab.equal(next(talk), 0, what="primed, it handed out")
        lab.equal(talk.send(3), 3, what="to 3 it answered")
        self._skip(lab, till, talk)
        try:
            answer = talk.send(4)
        except StopIteration:
            raise Wrong(
                "stopped early",
                "I sent 3, and threw a ValueError in: the answer was 3. Then I sent 4, and the "
                "generator ended.",
                lab.handler(ValueError),
                "After the error the loop has to go round again: put the `try` inside it, around "
                "the `yield`, and hand nothing out in the `except`.",
                headline="ended after the first error",
            ) from None
        if answer == 3 and (drops := _yield_in_a_handler(lab)):
            raise Wrong(
                "sent for yielded",
                "I sent 3, threw a ValueError in, and sent 4. The last answer was 3; expected 7. "
                "The 4 is lost.",
                drops,
                "Each `yield` takes in what is sent next. This one hands out the sum, and nobody "
                "adds what it takes in. Go round the loop to the other `yield`.",
                headline="lost a number",
            )
        said = "I sent 3, threw a ValueError in, and sent 4. The last answer was"
        lab.equal(answer, 7, said, line=lab.dropped_yield())
        self._close(lab, talk)
        talk = lab.generator(lab.call(till))
        next(talk)
        try:
            answer = talk.throw(KeyError("drawer"))
        except (KeyError, StopIteration) as error:
            if isinstance(error, KeyError):
                return self._skip_everywhere(lab, till)
            answer = "StopIteration"
        raise Wrong(
            "caught too much",
            f"I threw a KeyError in. It should come out, and the answer was {answer}.",
            lab.handler(KeyError),
            "Catch ValueError alone.",
        )

    @sweep(
        lambda some: {
            "steps": some.lists(some.sampled_from((0, 3, -1, 2.5, UNREADABLE)), max_size=6),
            "others": some.sampled_from(([], [5, UNREADABLE, 1])),
            "end": some.sampled_from(sorted(ENDS)),
        },
        besides=[{"steps": [1, UNREADABLE] * 1100, "others": [], "end": "closed it"}],
    )
    def any_labels(self, till, lab, steps, others, end):
        if len(steps) < 12:
            beside = f"; in turns with that, with another one, I {listed(others)}" if others else ""
            lab.told(f"and {listed([*steps, end])}{beside}")
        else:
            lab.told(f"and sent {len(steps) // 2:,} numbers, each with a ValueError behind it")
        one, other = lab.call(till), till()
        got = [next(one)], [next(other)]
        for pair in zip_longest(steps, others):
            for talk, step, answers in zip((one, other), pair, got):
                if step is not None:
                    answers.append(self._step(lab, talk, step))
        return {
            "primed, and to these, it answered": got[0],
            "the other one answered": got[1],
            "what came out at the end was": self._came(one, ENDS[end]),
            "then it was": getgeneratorstate(one),
        }

    def _step(self, lab, talk, step):
        """What a till answers to one step."""
        try:
            return talk.throw(ValueError("label")) if step == UNREADABLE else talk.send(step)
        except StopIteration:
            raise Wrong(
                "stopped early",
                f"I {listed([step])}, and the generator ended.",
                lab.returning() or lab.yielding(),
                "There may always be one more number: go round again.",
                headline="ended too early",
            ) from None

    def _came(self, talk, error):
        """What came out of a till that was ended by an error, or closed: an error, or words."""
        try:
            if error is None:
                talk.close()
                return "nothing"
            return f"an answer: {talk.throw(error('drawer'))!r}"
        except StopIteration:
            return "nothing"
        except BaseException as came:
            return came

    def _look_for_the_last(self, lab, till, got):
        """Raise Wrong if an error makes it add once more what was sent last."""
        if got != 6:
            return
        talk = till()
        next(talk), talk.send(5), talk.send(1)
        if talk.throw(ValueError("unreadable")) == 7:
            raise Wrong(
                "value",
                "I sent 3 and threw a ValueError in. The answer was 6: the 3 was added once more.",
                lab.operation("+=", "+"),
                "What was sent last is still there after the error. Where a label could not be "
                "read, skip the adding as well.",
                headline="added a number twice",
            )

    def _skip(self, lab, till, talk):
        try:
            got = talk.throw(ValueError("unreadable"))
        except ValueError:
            raise Wrong(
                "caught too little",
                "I threw a ValueError in. It came out again, and the generator is closed.",
                lab.yielding(),
                "Catch it around the `yield`, inside the loop.",
                headline="let the error through",
            ) from None
        except StopIteration:
            raise Wrong(
                "stopped early",
                "I threw a ValueError in, and the generator ended.",
                lab.handler(),
                "After the error the loop has to go round again. Put the `try` inside the loop, "
                "around the `yield`, and don't leave the loop in its `except`.",
                headline="ended at the first error",
            ) from None
        self._look_for_the_last(lab, till, got)
        anew = _set_by_a_handler(lab) or (lab.inner_loop() and lab.assigned(to=0))
        line = anew or lab.operation("+=", "+")
        if got == 0:
            raise Wrong(
                "value",
                "I sent 3 and threw a ValueError in. The answer was 0; expected 3.",
                anew or lab.assigned(to=0) or line,
                "Such an error leaves the sum as it is: begin it once, before all numbers.",
                headline="lost the sum",
            )
        lab.equal(got, 3, "I sent 3 and threw a ValueError in. The answer was", line=line)

    def _skip_everywhere(self, lab, till):
        """Raise Wrong if an error comes out that is thrown in first of all, or after another."""
        for steps in ([UNREADABLE], [3, UNREADABLE, UNREADABLE]):
            talk = till()
            next(talk)
            try:
                for step in steps:
                    self._step(lab, talk, step)
            except ValueError as error:
                raise Wrong(
                    "caught too little",
                    f"I primed it, and then {listed(steps)}. The last error came out again.",
                    lab.text.of_traceback(error),
                    "An error is raised at the `yield` where the generator waits. Have just one "
                    "`yield`, inside the `try`, and go round the loop to it each time.",
                    headline="let an error through",
                ) from None

    def _close(self, lab, talk):
        try:
            talk.close()
        except RuntimeError as error:
            if "ignored GeneratorExit" not in str(error):
                raise
            raise Wrong(
                "ignored close",
                f"I closed the generator, and it handed out another value: {error}.",
                lab.earliest(lab.handler(BaseException), lab.use_of("GeneratorExit")),
                "`close()` raises GeneratorExit at the `yield`. Let that pass: nobody takes "
                "another value.",
            ) from None
        if getgeneratorstate(talk) != "GEN_CLOSED":
            raise Wrong("ignored close", "I closed the generator, and it went on.")

    @right
    def with_try_inside():
        """Add up what is sent in; skip a ValueError that is thrown in."""
        total = 0
        while True:
            try:
                total += yield total
            except ValueError:
                pass

    @right
    def with_continue():
        total = 0
        while True:
            try:
                price = yield total
            except ValueError:
                continue
            total += price

    with_a_bare_except = with_try_inside.but(
        "except ValueError", "except", kind="ignored close", says="generator ignored GeneratorExit"
    )

    names_the_exit_too = with_try_inside.but("ValueError:", "(ValueError, GeneratorExit):").but(
        "pass", "continue", kind="ignored close", says="I closed the generator"
    )

    with_exception = with_try_inside.but(
        "ValueError:", "Exception:", kind="caught too much", says="KeyError"
    )

    @wrong("stopped early", says="the generator ended")
    def with_try_outside():
        total = 0
        try:
            while True:
                total += yield total
        except ValueError:
            pass

    returns_at_the_error = with_try_inside.but(
        "pass", "return", kind="stopped early", says="don't leave the loop"
    )

    @wrong("caught too little", says="came out again")
    def without_try():
        total = 0
        while True:
            total += yield total

    begins_anew = with_try_inside.but(
        "pass", "total = 0", kind="value", says="The answer was 0; expected 3"
    )


def listed(steps):
    """What is done to a till, in words."""
    *words, last = [f"sent {step}" if isinstance(step, (int, float)) else step for step in steps]
    return f"{', '.join(words)} and {last}" if words else last


def _set_by_a_handler(lab):
    """The line of an `except` that gives a name a value, or None."""
    lines = [
        part.lineno
        for node in lab.nodes()
        if isinstance(node, ast.ExceptHandler)
        for part in node.body
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
    ]
    return min(lines, default=None)


def _yield_in_a_handler(lab):
    """The line of a `yield` in an `except`, or None."""
    return lab.earliest(
        *(
            part.lineno
            for node in lab.nodes()
            if isinstance(node, ast.ExceptHandler)
            for part in ast.walk(node)
            if isinstance(part, ast.Yield)
        )
    )
