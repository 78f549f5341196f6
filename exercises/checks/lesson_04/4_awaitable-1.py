"""Long, for an answer can be lost in many ways, and each is a whole class."""

import ast
import contextlib
import types
from asyncio import CancelledError

from helpers.coach import Exercise, Wrong, right, sweep, wrong

KEPT = OSError("kept")  # an error that is sent is an answer like any other
SAID = (None, 0, "", "tea?", False, [])


class Awaitable(Exercise):
    """Write an awaitable

    Write a class `Ask`. An `Ask(question)` can be awaited: `await Ask("tea?")` hands the
    question to the driver of the coroutine, and its value is the answer that the driver sends back.

    The same `Ask` may be awaited again, even while another coroutine still waits for its answer,
    and then asks again.
    """

    id = "awaitable-1"
    asks = "Ask"
    minutes = 7
    hints = (
        "`await x` calls `x.__await__()` and goes on with the result as `yield from` would. What "
        "must that result be?",
        "It must be an iterator that takes what is sent: a generator. A method with a `yield` in "
        "it makes one each time it is called.",
        "`def __await__(self):` with `return (yield self.question)`. The `yield` hands the "
        "question out; its value is the answer.",
    )

    equivalent = {"through_a_marked_generator: or None, line 9": "an iterator counts as true"}

    def verify(self, Ask, lab):
        lab.told("inside a coroutine, as `await Ask('tea?')`, and drove that by hand")
        one = Ask("tea?")
        if not hasattr(type(one), "__await__"):
            raise Wrong(
                "not async",
                f"`Ask('tea?')` has {methods_of(one)}.",
                lab.definition(),
                "Python looks for a method with the name `__await__`.",
                headline="has no __await__",
            )
        coroutine = waits_for(one)
        question = self._send(lab, coroutine, None)
        if question is one:
            raise Wrong(
                "value",
                "The driver got the `Ask` itself, and not its question.",
                lab.yielding() or lab.call_of("iter"),
                "Hand out what `Ask` was given: the question alone.",
                headline="handed out itself",
            )
        self._question(lab, question)
        answer = self._send(lab, coroutine, 4)
        if not isinstance(answer, StopIteration):
            raise Wrong(
                "sent for yielded",
                f"I answered 4, and instead of going on it handed out {answer!r}.",
                lab.dropped_yield(),
                "One `yield` hands out and takes in.",
                headline="one yield too many",
            )
        if answer.value is None:
            raise Wrong(
                "sent for yielded",
                "I sent a 4, and the `await` gave None.",
                lab.yielding(),
                "The value of an `await` is what `__await__` returns: `return (yield …)`.",
                headline="lost the answer",
            )
        if answer.value == "tea?":
            raise Wrong(
                "sent for yielded",
                "I sent a 4, and the `await` gave 'tea?', the question.",
                lab.returning(),
                "What was sent is the value of the `yield`. Return that.",
                headline="gave the question back",
            )
        line = lab.returning()
        lab.equal(answer.value, 4, what="I sent a 4, and the `await` gave", line=line)
        self._takes(lab, Ask)
        self._fails(lab, Ask)
        again = waits_for(one)
        question = self._send(lab, again, None)
        if isinstance(question, StopIteration):
            self._not_again(lab, question.value)
        again.close()
        two = waits_for(Ask("cake?"))
        lab.equal(two.send(None), "cake?", what="`Ask('cake?')` handed out")
        two.close()

    def _not_again(self, lab, value):
        said = "I awaited one and the same `Ask` a second time, and it did not ask"
        if value == 4:
            raise Wrong(
                "shared state",
                f"{said}: the `await` gave 4, my answer to the first.",
                kept_in_self(lab) or lab.assigned("self.*", to=ast.Yield),
                "Each `await` asks anew: `yield` every time, and keep no answer.",
                headline="gave an old answer",
            )
        raise Wrong(
            "used up",
            f"{said}.",
            kept_in_self(lab),
            "Each `await` asks anew. Keep nothing in `self` that the first one changes or uses up."
            if lab.condition()
            else "A generator runs once, and what is kept in `self` is the one that has run. Make "
            "a new one in each call of `__await__`.",
            headline="asked only once",
        )

    def _send(self, lab, coroutine, value):
        try:
            return coroutine.send(value)
        except StopIteration as end:
            return end
        except TypeError as error:
            text = str(error)
            if "returned a coroutine" in text or "async_generator" in text:
                raise Wrong(
                    "async for plain",
                    f"Python said: {text}.",
                    lab.coroutine_function("__await__"),
                    "An `async def` doesn't make an iterator. Write a plain `def` with a "
                    "`yield` in it.",
                    headline="__await__ is async",
                ) from None
            if "iterator" in text:
                raise Wrong(
                    "not async",
                    f"Python said: {text}.",
                    lab.returning(),
                    "`__await__` must return an iterator. With a `yield` in it, it "
                    "returns a generator.",
                    headline="__await__ is not an iterator",
                ) from None
            raise
        except NameError as error:
            if error.name != "question":
                raise
            self._kept(lab, error)
        except AttributeError as error:
            if error.name != "send":
                if not hasattr(type(error.obj), "__await__"):
                    raise
                self._kept(lab, error)
            raise Wrong(
                "sent for yielded",
                f"The question came out. Then I sent the answer, and that raised AttributeError: "
                f"{error}.",
                lab.call_of("iter"),
                "Such an iterator only hands out. A generator also takes in.",
                headline="takes no answer",
            ) from None

    def _kept(self, lab, error):
        raise Wrong(
            "not async",
            f"Python said: {error}.",
            lab.yielding(),
            "A parameter of `__init__` is gone when it ends. Keep it: `self.question = question`.",
            headline="did not keep the question",
        ) from None

    def _question(self, lab, question):
        if isinstance(question, StopIteration):
            raise Wrong(
                "sent for yielded",
                f"The `await` was over at once, with {question.value!r}. Nothing was "
                "handed to the driver.",
                lab.definition("__await__"),
                "Only a `yield` hands something out to the driver.",
                headline="never asks",
            )
        if question is None:
            raise Wrong(
                "return value",
                "It paused, and handed out None.",
                lab.yielding(),
                "Put the question to the right of the `yield`.",
                headline="hands out nothing",
            )
        if isinstance(question, str) and len(question) == 1:
            raise Wrong(
                "another form",
                f"It handed out {question!r}.",
                lab.earliest(lab.yielding_from(), lab.call_of("iter")),
                "`yield from` a string goes through its letters. `yield` hands it out whole.",
                headline="hands out letters",
            )
        lab.equal(question, "tea?", what="it handed out", line=lab.yielding())

    @sweep(
        lambda some: {
            "questions": some.lists(some.sampled_from(SAID), min_size=1, max_size=2),
            "awaits": some.lists(some.integers(0, 1), min_size=1, max_size=3),
            "answers": some.permutations(SAID),
            "in_turn": some.booleans(),
        },
        besides=[{"questions": ["tea?"], "awaits": [0], "answers": (KEPT,), "in_turn": True}],
    )
    def any_questions(self, Ask, lab, questions, awaits, answers, in_turn):
        """Await some `Ask`s, each to its end before the next, or all of them at once."""
        awaits = [number % len(questions) for number in awaits]
        told = in_words(questions, awaits, in_turn)
        answered = f"{told}; my answers were {', '.join(map(repr, answers[: len(awaits)]))}"
        lab.told(answered if in_turn else told)
        asks = [Ask(question) for question in questions]
        with contextlib.ExitStack() as stack:
            waiters = [
                stack.enter_context(contextlib.closing(waits_for(asks[number])))
                for number in awaits
            ]
            asked, gave = [], []
            if in_turn:
                for waiter, answer in zip(waiters, answers):
                    asked.append(handed_out(waiter, None))
                    gave.append(handed_out(waiter, answer))
            else:
                asked = self._beside(lab, awaits, waiters)
                lab.told(answered)
                gave = [handed_out(*both) for both in zip(waiters, answers)]
                self._mixed(lab, gave, answers)
        return {"what came out was": asked, "what came after the answers was": gave}

    def _takes(self, lab, Ask):
        """Any answer is one, None too."""
        for answer in (None, 0):
            waits = waits_for(Ask("tea?"))
            waits.send(None)
            came = handed_out(waits, answer)
            waits.close()
            if not isinstance(came, tuple):
                raise Wrong(
                    "falsy",
                    f"After the answer {answer!r} it handed out {came!r} instead of going on.",
                    lab.while_loop() or lab.condition() or lab.node(ast.BoolOp) or lab.yielding(),
                    "What is sent first is the answer, whatever it is: None and 0 are answers too.",
                    headline="asked again",
                )

    def _fails(self, lab, Ask):
        """Raise Wrong if an error that is thrown in instead of an answer doesn't come out."""
        for error in (OSError("no tea"), CancelledError()):
            waits = waits_for(Ask("tea?"))
            waits.send(None)
            try:
                came = f"handed out {waits.throw(error)!r}"
            except StopIteration as end:
                came = f"gave {end.value!r}, which nobody had sent"
            except BaseException:
                continue  # a generator written by hand may make another error of it
            finally:
                waits.close()
            name = type(error).__name__
            raise lab.lost_error(
                f"Where it waited for the answer I threw {name} in. It has to come out, and the "
                f"`await` {came}.",
                type(error),
            )

    def _beside(self, lab, awaits, waiters):
        """What each asks; Wrong if an `Ask` that is awaited already doesn't ask."""
        asked = []
        for place, (number, waiter) in enumerate(zip(awaits, waiters)):
            try:
                asked.append(handed_out(waiter, None))
            except Exception as error:
                if number not in awaits[:place]:
                    raise
                raise Wrong(
                    "shared state",
                    "While one coroutine still waited for its answer, another awaited the same "
                    f"`Ask`. That raised {type(error).__name__}: {error}.",
                    lab.text.of_traceback(error),
                    "Both may wait at the same time, so what belongs to one `await` must not stand "
                    "in `self`, which they share.",
                    headline="let only one wait",
                ) from None
            if isinstance(asked[-1], tuple) and number in awaits[:place]:
                raise Wrong(
                    "shared state",
                    "While one coroutine still waited for its answer, another awaited the same "
                    "`Ask`, and it asked nothing.",
                    kept_in_self(lab),
                    "All who await it share `self`. What belongs to one `await` belongs in the "
                    "frame of a generator: let each call of `__await__` make a new one.",
                    headline="shared one state among all awaits",
                )
        return asked

    def _mixed(self, lab, gave, answers):
        """Raise Wrong if one got the answer of another."""
        for place, (came, answer) in enumerate(zip(gave, answers)):
            others = [each for each in answers[: len(gave)] if each is not answer]
            if isinstance(came, tuple) and any(came[1] is each for each in others):
                if kept := lab.assigned("self.*", to=ast.Yield):
                    raise Wrong(
                        "shared state",
                        f"I answered await {place + 1} with {answer!r}. It gave {came[1]!r}, the "
                        "answer to another.",
                        kept,
                        "All who await it share `self`. `return` the answer; don't keep it there.",
                        headline="mixed up the answers",
                    )

    @right
    class with_a_yield:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return (yield self.question)

    @right
    class through_a_marked_generator:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return self.asking().__await__()

        async def asking(self):
            return await self.once()

        @types.coroutine
        def once(self):
            return (yield self.question)

    @wrong("not async", says="non-iterator of type 'list'")
    class with_a_list:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return [self.question]

    with_the_question = with_a_yield.but(
        "(yield self.question)", "self.question", kind="not async", says="'str'"
    )

    with_async_def = with_a_yield.but("def __await__(self)", "async def __await__(self)").but(
        "(yield self.question)", "self.question", kind="async for plain", says="make an iterator"
    )

    with_async_def_and_yield = with_async_def.but(
        "return", "yield", kind="async for plain", says="async_generator"
    )

    @wrong("not async", says="name 'question' is not defined")
    class with_the_parameter:
        def __init__(self, question):
            pass

        def __await__(self):
            return (yield question)

    @wrong("not async", says="no attribute 'question'")
    class without_self:
        def __init__(self, question):
            question = question

        def __await__(self):
            return (yield self.question)

    @wrong("sent for yielded", says="no attribute 'send'")
    class with_iter:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return iter([self.question])

    without_return = with_a_list.but(
        "return [self.question]", "yield self.question", kind="sent for yielded", says="I sent a 4"
    )

    with_a_bare_yield = with_a_yield.but(
        "return (yield self.question)",
        "answer = yield\nreturn answer",
        kind="return value",
        says="handed out None",
    )

    with_yield_from = with_a_yield.but(
        "yield self.question", "yield from self.question", kind="another form", says="'t'"
    )

    returns_at_once = with_a_yield.but(
        "(yield self.question)",
        "self.question\nyield",
        kind="sent for yielded",
        says="over at once",
    )

    @wrong("used up", says="second time")
    class keeps_one_generator:
        def __init__(self, question):
            self.generator = self.asking(question)

        def asking(self, question):
            return (yield question)

        def __await__(self):
            return self.generator

    @wrong("shared state", says="asked nothing")
    class that_is_its_own_iterator:
        def __init__(self, question):
            self.question, self.asked = question, False

        def __await__(self):
            return self

        def __iter__(self):
            return self

        def __next__(self):
            return self.send(None)

        def send(self, answer):
            self.asked = not self.asked
            if self.asked:
                return self.question
            raise StopIteration(answer)

    @wrong("shared state", says="answer to another")
    class keeps_the_answer:
        def __init__(self, question):
            self.question, self.asking = question, False

        def __await__(self):
            if self.asking:
                yield self.question
            else:
                self.asking = True
                self.answer = yield self.question
                self.asking = False
            return self.answer

    with_iter_instead = with_a_yield.but(
        "__await__(self)", "__iter__(self)", kind="not async", says="__iter__"
    )


def methods_of(thing):
    names = [
        name for name, what in vars(type(thing)).items() if isinstance(what, types.FunctionType)
    ]
    return "the methods " + ", ".join(names) if names else "no methods"


def kept_in_self(lab):
    """The line that keeps in the object what belongs to one `await`."""
    return lab.condition() or lab.call_of("iter") or lab.assigned("self.*", to=ast.Call)


def in_words(questions, awaits, in_turn):
    """How `any_questions` awaits, for `lab.told`."""
    shown = " and ".join(f"with {question!r}" for question in questions)
    if len(questions) > 1:
        row = ", then ".join(("the first", "the second")[number] for number in awaits)
    else:
        row = ("it", "it twice", "it three times")[len(awaits) - 1]
    if len(awaits) == 1:
        return f"{shown}, and awaited {row}"
    both = "both" if len(awaits) == 2 else "all"
    how = "each to its end" if in_turn else f"{both} before I answered"
    return f"{shown}, and awaited {row}, {how}"


async def waits_for(awaitable):
    return await awaitable


def handed_out(coroutine, value):
    """What comes out of a coroutine that is sent this; what it returns, where that is its end."""
    try:
        return coroutine.send(value)
    except StopIteration as end:
        return "the end", end.value
