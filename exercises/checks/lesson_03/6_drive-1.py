from helpers.coach import Exercise, Wrong, right, wrong


class Drive(Exercise):
    """A driver

    Write an ordinary function `drive(generator, find)`. The generator hands out questions; for
    each of them `find(question)` returns the answer, which goes back in with `send`. When the
    generator ends, `drive` returns the generator's return value.

    If `find` raises a LookupError, throw that error into the generator instead. It may know what
    to do.
    """

    id = "drive-1"
    asks = "drive"
    minutes = 9
    hints = (
        "Four things can happen: a question comes, an answer is found, none is found, the "
        "generator ends. Which line meets each of them?",
        "`throw` gives back the next question, exactly as `send` does. The end is a StopIteration, "
        "whichever of `next`, `send` and `throw` meets it.",
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
        self._case(lab, drive, careful(), "did without", "asks for what nobody has")
        try:
            got = drive(lab.generator(careless()), find)
        except LookupError:
            return
        raise Wrong(
            "lost error",
            f"A generator did not catch the LookupError. It should come out of `drive`, "
            f"which returned {got!r}.",
            lab.handler(),
            "What leaves the generator must reach whoever called `drive`.",
            headline="swallowed the error",
        )

    def _case(self, lab, drive, generator, expected, which="asks two questions"):
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
                "Each of `next`, `send` and `throw` can meet the end. Catch it there.",
                headline="let StopIteration out",
            ) from None
        except LookupError as error:
            if isinstance(error, IndexError):
                raise Wrong(
                    "return value",
                    f"A generator that {which} came to its end, and `drive` raised "
                    f"{type(error).__name__}.",
                    lab.item_of("args"),
                    "A bare `return` leaves `args` empty. `value` is always there.",
                    headline="args is empty",
                ) from None
            raise Wrong(
                "not delegated",
                f"`find` raised {type(error).__name__}, and `drive` let it out. The "
                "generator would have caught it.",
                lab.text.let_out(error),
                "Catch the LookupError around `find`, and `generator.throw(error)`.",
                headline="kept the error from the generator",
                at="lets it out",
            ) from None
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


def careful():
    try:
        yield "umbrella"
    except LookupError:
        return "did without"


def careless():
    yield "umbrella"
    return "lucky"
