"""Long, for an error can go astray in many ways, and each is a whole program."""

import ast
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

RAISED = (LookupError, KeyError, IndexError, ValueError, TypeError, RuntimeError, OSError)
ERRORS = {each.__name__: each for each in RAISED}
ANSWERS = [None, 0, "", 4, "LookupError", "KeyError", "IndexError", "ValueError"]
CATCHES = "catches the LookupError of `find` and then returns 'did without'"


class Drive(Exercise):
    """A driver

    Write an ordinary function `drive(generator, find)`. The generator hands out questions; for
    each of them `find(question)` returns the answer, which goes back in with `send`. When the
    generator ends, `drive` returns the generator's return value.

    If `find` raises a LookupError, throw that error into the generator instead. It may catch it.
    `drive` lets out any error that the generator lets out, and any other error that `find` raises.
    `find` never raises StopIteration.
    """

    id = "drive-1"
    asks = "drive"
    minutes = 9
    hints = (
        "Four things can happen: a question comes, an answer is found, none is found, the "
        "generator ends. Which line handles each of them?",
        "`throw` gives back the next question, exactly as `send` does. The end is a StopIteration, "
        "whether `next`, `send` or `throw` raises it.",
        "Outer `try`: `question = next(generator)`, then `while True:` with an inner `try` around "
        "`find`, its `except LookupError as error:` with `generator.throw(error)`, its `else:` "
        "with `generator.send(answer)`. Outer `except StopIteration as end: return end.value`.",
    )

    def verify(self, drive, lab):
        heard = []
        self._case(lab, drive, shopper(heard), "enough")
        if heard == ["price", "purse"]:
            raise Wrong(
                "sent for yielded",
                "The generator asked for the price and was sent 'price'.",
                lab.call_of("send"),
                "What goes in is the answer: `find(question)`.",
                headline="sent the question back",
            )
        lab.equal(heard, [4, 10], what="the generator heard")
        self._case(lab, drive, asks_nothing(), "nothing to ask", "asks nothing")
        self._case(lab, drive, says_nothing(), None, "returns nothing")
        heard = []
        self._case(lab, drive, careful(heard), "did without", CATCHES, heard)
        heard = []
        self._case(lab, drive, patient(heard), "enough", "asks on after an error")
        if heard != [4]:
            raise self._lost_a_question(
                lab,
                "`find` raised a LookupError for 'umbrella'. The generator caught it and asked "
                f"'price'; {f'it was sent {heard[0]!r}' if heard else 'nothing was sent'} instead "
                "of the answer 4.",
            )
        try:
            got = drive(lab.generator(careless()), find)
        except LookupError:
            pass
        else:
            raise Wrong(
                "lost error",
                f"A generator did not catch the LookupError. It should come out of `drive`, "
                f"which returned {got!r}.",
                lab.handler(),
                "What leaves the generator must reach whoever called `drive`.",
                headline="swallowed the error",
            )
        self._thrown(lab, drive)

    def _thrown(self, lab, drive):
        """What goes into the generator is a LookupError, and the very one that `find` raised."""
        for error in (KeyError("umbrella"), ValueError("umbrella")):
            heard = []

            def find(question, error=error):
                raise error

            lab.told(f"with a generator that catches each error; `find` raised {error!r}")
            with contextlib.suppress(Exception):
                drive(lab.generator(talker(heard, ["umbrella"], "enough", True)), find)
            thrown = next((each for each in heard if isinstance(each, BaseException)), None)
            if thrown is None or (isinstance(error, KeyError) and repr(thrown) == repr(error)):
                continue
            said = f"The generator was thrown {thrown!r}."
            if isinstance(error, KeyError):
                raise Wrong(
                    "another error",
                    said,
                    made_instead(lab),
                    "Catch the error that `find` raises `as error`, and throw that one.",
                    headline="threw another error",
                )
            raise Wrong(
                "caught too much",
                said,
                lab.handler(ValueError),
                "Only a LookupError goes in. Let any other error that `find` raises come out.",
                headline="threw in what is no LookupError",
            )

    @sweep(
        lambda some: {
            "questions": some.lists(some.sampled_from((None, 0, "", "price")), max_size=4),
            "answers": some.lists(some.sampled_from(ANSWERS), min_size=4, max_size=4),
            "end": some.sampled_from((None, 0, "", "enough", "OSError")),
            "catches": some.booleans(),
        },
        besides=[
            *(
                {
                    "questions": ["price"] * 2,
                    "answers": [answer],
                    "end": "enough",
                    "catches": isinstance(answer, str),
                }
                for answer in (LookupError("an error as an answer"), "TypeError", "RuntimeError")
            ),
            {
                "questions": ["price"] * 1100,
                "answers": [4] * 1100,
                "end": "enough",
                "catches": True,
            },
        ],
        most=60,
    )
    def any_talk(self, drive, lab, questions, answers, end, catches):
        heard, asked = [], []
        answers = answers[: len(questions)]

        def find(question):
            asked.append(question)
            answer = answers[len(asked) - 1] if len(asked) <= len(answers) else None
            if is_raised(answer):
                raise ERRORS[answer](f"nobody knows {question!r}")
            return answer

        if len(questions) < 12:
            does = "catches each error" if catches else "lets errors out"
            last = f"raises {end}" if end in ERRORS else f"returns {end!r}"
            given = ", ".join(each if is_raised(each) else repr(each) for each in answers)
            lab.told(
                f"with a generator that asks for {questions}, {does} and {last}; what `find` "
                f"answers or raises is [{given}]"
            )
        else:
            lab.told(f"with a generator that asks {len(questions):,} questions")
        got = lab.call(drive, talker(heard, questions, end, catches), find)
        return {
            "`find` was asked for": asked,
            "the generator heard": heard,
            "it returned": got,
        }

    def _lost_a_question(self, lab, observed):
        return Wrong(
            "sent for yielded",
            observed,
            lab.dropping("throw") or lab.call_of("throw"),
            "`throw` makes the generator go on, as `send` does, and gives back its next question.",
            headline="lost a question",
        )

    def _case(self, lab, drive, generator, expected, which="asks two questions", heard=()):
        talk = lab.generator(generator)
        try:
            got = drive(talk, find)
        except StopIteration as end:
            raise Wrong(
                "StopIteration",
                f"A generator that {which} came to its end, and `drive` raised "
                f"StopIteration({end.value!r}).",
                lab.call_of(
                    {asks_nothing.__code__: "next", careful.__code__: "throw"}.get(
                        generator.gi_code, "send"
                    )
                ),
                "`next`, `send` and `throw` can each raise it at the end. Catch it there.",
                headline="let StopIteration out",
            ) from None
        except LookupError as error:
            if which.startswith("asks on") and lab.dropping("throw"):
                raise self._lost_a_question(
                    lab,
                    f"`find` raised {type(error).__name__}, and the generator was thrown it and "
                    "asked its next question. `find` was asked the old one once more.",
                ) from None
            if isinstance(error, IndexError):
                raise Wrong(
                    "return value",
                    f"A generator that {which} came to its end, and `drive` raised "
                    f"{type(error).__name__}.",
                    lab.item_of("args"),
                    "A bare `return` leaves `args` empty. `value` is always there.",
                    headline="args is empty",
                ) from None
            # Thrown in once, the error is caught; one more ends the generator.
            again = which.startswith("asks on") and generator.gi_frame is None
            if again and (kept := _keeps_the_error(lab)) and lab.call_of("*.throw"):
                raise Wrong(
                    "value",
                    f"`find` raised {type(error).__name__}; the generator caught it and asked its "
                    "next question. There it was thrown an error once more.",
                    kept,
                    "A name keeps what it holds: in the next rounds the old error is still there. "
                    "Throw an error in where it comes, or take it off the name afterwards.",
                    headline="threw an error in again",
                    at="keeps the error for the next rounds",
                ) from None
            raise Wrong(
                "not delegated",
                f"`find` raised {type(error).__name__}, and `drive` let it out. The "
                "generator would have caught it.",
                lab.text.let_out(error),
                "Catch the LookupError around `find`, and `generator.throw(error)`.",
                headline="did not pass the error on",
                at="lets the error out",
            ) from None
        if sent := [answer for answer in heard if isinstance(answer, LookupError)]:
            raise Wrong(
                "sent for yielded",
                f"`find` raised {sent[0]!r}, and the generator was sent it, as if it were an "
                "answer: the `yield` raised nothing.",
                lab.handler(LookupError),
                "`send` makes anything the value of the `yield`, an error too. Only "
                "`generator.throw(error)` raises it there.",
                headline="sent the error",
            )
        if got is None and which == CATCHES and not lab.call_of("*.throw"):
            raise Wrong(
                "not delegated",
                "`find` raised LookupError, and nothing was thrown into the generator, which "
                "would have caught it.",
                lab.call_of("*.close") or lab.handler(LookupError),
                "`generator.throw(error)`, where you catch the LookupError.",
                headline="did not pass the error on",
            )
        if got is None and expected is not None:
            raise Wrong(
                "return value",
                f"The generator returned {expected!r}, and `drive` returned None.",
                lab.earliest(lab.use_of("StopIteration"), lab.for_loop()),
                "The return value is the `value` of the StopIteration.",
            )
        lab.equal(got, expected, what=f"for a generator that {which} it returned")

    @right
    def with_two_tries(generator, find):
        """Answer each question of the generator; return what it returns."""
        try:
            question = next(generator)
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration as end:
            return end.value

    @right
    def with_one_step(generator, find):
        act, what = generator.send, None
        while True:
            try:
                question = act(what)
            except StopIteration as end:
                return end.value
            try:
                act, what = generator.send, find(question)
            except LookupError as error:
                act, what = generator.throw, error

    forgets_the_value = with_two_tries.but("StopIteration as end", "StopIteration").but(
        "end.value", "None", kind="return value", says="returned 'enough'"
    )

    with_args = with_two_tries.but(
        "end.value", "end.args[0]", kind="return value", says="IndexError"
    )

    @wrong("not delegated", says="`find` raised LookupError")
    def without_throw(generator, find):
        try:
            question = next(generator)
            while True:
                question = generator.send(find(question))
        except StopIteration as end:
            return end.value

    @wrong("StopIteration", says="asks nothing")
    def primes_outside_the_try(generator, find):
        question = next(generator)
        try:
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration as end:
            return end.value

    @wrong("StopIteration", says="asks two questions")
    def without_except(generator, find):
        question = next(generator)
        while True:
            question = generator.send(find(question))

    @wrong("StopIteration", says="question = generator.throw(error)")
    def throws_outside_the_try(generator, find):
        act = next
        while True:
            try:
                question = act(generator)
                answer = find(question)
                act = lambda generator, answer=answer: generator.send(answer)
            except LookupError as error:
                question = generator.throw(error)
            except StopIteration as end:
                return end.value

    echoes = without_throw.but(
        "find(question)", "question", kind="sent for yielded", says="was sent 'price'"
    )

    drops_what_throw_hands_out = with_two_tries.but(
        "question = generator.throw(error)",
        "generator.throw(error)\nquestion = next(generator)",
        kind="sent for yielded",
        says="its next question",
    )

    @wrong("lost error", says="It should come out of `drive`")
    def swallows_what_it_throws(generator, find):
        try:
            question = next(generator)
            while True:
                try:
                    question = generator.send(find(question))
                except LookupError as error:
                    question = generator.throw(error)
        except StopIteration as end:
            return end.value
        except LookupError:
            return None


def find(question):
    known = {"price": 4, "purse": 10}
    if question not in known:
        raise LookupError(f"nobody knows the {question}")
    return known[question]


def made_instead(lab):
    """The line of an `except` that makes an error of its own, or else the one that throws."""
    made = (
        part.lineno
        for node in lab.nodes()
        if isinstance(node, ast.ExceptHandler)
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and is_named(part.func, ("*Error",))
    )
    return next(made, None) or lab.call_of("throw")


def is_raised(answer):
    """Whether this answer is the name of an error that `find` raises."""
    return isinstance(answer, str) and answer in ERRORS


def shopper(heard):
    price = yield "price"
    heard.append(price)
    purse = yield "purse"
    heard.append(purse)
    return "enough"


def asks_nothing():
    return "nothing to ask"
    yield


def says_nothing():
    yield "price"


def careful(heard):
    try:
        heard.append((yield "umbrella"))
    except LookupError:
        return "did without"


def patient(heard):
    with contextlib.suppress(LookupError):
        yield "umbrella"
    heard.append((yield "price"))
    return "enough"


def careless():
    yield "umbrella"
    return "lucky"


def talker(heard, questions, end, catches):
    """A generator that asks these questions and notes what it hears. end: its return value, or the
    name of the error that it raises. catches: whether it goes on after an error.
    """
    for question in questions:
        try:
            answer = yield question
        except Exception as error:
            if not catches:
                raise
            answer = error
        heard.append(answer)
    if end in ERRORS:
        raise ERRORS[end]("the shop is closed")
    return end


def _keeps_the_error(lab):
    """Where an `except` puts its error under another name, or None."""
    return lab.earliest(
        *(
            part.lineno
            for handler in lab.nodes()
            if isinstance(handler, ast.ExceptHandler) and handler.name
            for part in handler.body
            if isinstance(part, ast.Assign)
            and isinstance(part.value, ast.Name)
            and part.value.id == handler.name
        )
    )
