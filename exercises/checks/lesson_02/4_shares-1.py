import inspect

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.words import error_words

FORMS = {
    "a list": list,
    "a tuple": tuple,
    "an iterator": iter,
    "a generator": lambda numbers: (number for number in numbers),
}


class Shares(Exercise):
    """Shares of the whole

    Write a function `shares(numbers)` that returns a list: for each number, its share of the sum of
    all numbers. For 1 and 3 that is `[0.25, 0.75]`. For no numbers it returns an empty list.
    Otherwise the sum is never 0.

    `numbers` is any iterable. Often it will be a generator. If it is a list, leave it unchanged.
    """

    id = "shares-1"
    asks = "shares"
    minutes = 5
    hints = (
        "How often do you go through `numbers`? How often can you go through a generator?",
        "Being lazy doesn't help here: the first share needs the sum, and the sum needs all "
        "numbers.",
        "Begin with `numbers = list(numbers)`; you can go through a list as often as you like.",
    )

    def verify(self, shares, lab):
        numbers = [1, 3, 4]
        expected = [0.125, 0.375, 0.5]
        got = shares(numbers)
        if inspect.isgenerator(got):
            raise Wrong(
                "value",
                "It returned a generator. A list is asked for.",
                lab.earliest(lab.yielding(), lab.returning()),
                "The sum needs all numbers anyway, so a generator saves nothing here.",
                headline="not a list",
            )
        said = "for the list [1, 3, 4] it returned"
        if got == [1.0, 0.75, 0.5]:
            raise Wrong(
                "value",
                f"For the list [1, 3, 4] it returned {got}: each share of the sum so far.",
                lab.operation("/"),
                "The sum is known only when you have seen all numbers. Divide after that.",
                headline="divided too early",
            )
        lab.equal(got, expected, said, line=lab.call_of("round"))
        if numbers != [1, 3, 4]:
            raise Wrong(
                "changed",
                f"I gave it the list [1, 3, 4]. Afterwards it was {numbers}.",
                lab.changing(),
                "The list belongs to the caller, who may still need it. Make a new list for the "
                "shares, or work on a copy: `list(numbers)`.",
                headline="changed the list",
            )
        source = lab.source(numbers)
        try:
            got = list(shares(number for number in source))
        except ArithmeticError as error:
            got = f"nothing, and raised {type(error).__name__}"
        except TypeError as error:
            if "'generator'" not in str(error):
                raise
            raise Wrong(
                "raised",
                f"I called `shares` with a generator. It raised TypeError: {error}.",
                lab.text.of_traceback(error),
                "You can go through a generator, once, and that is all. Make a list of it first.",
                headline="took a generator for a list",
                at="raises it",
            ) from None
        if got != expected:
            raise Wrong(
                "used up",
                "For the list [1, 3, 4] it is right. For a generator of the same numbers it "
                f"returned {got}. The first pass had used it up.",
                source.place,
                "You can go through a generator only once. The second pass finds nothing, and "
                "raises no error.",
            )
        try:
            got = shares(iter(()))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise Wrong(
                "raised",
                f"For no numbers it raised {error_words(error)}.",
                lab.text.of_traceback(error),
                "To have no numbers is no mistake: return an empty list.",
                headline=f"raised {type(error).__name__}",
                at="raises it",
            ) from None
        lab.equal(got, [], what="for no numbers it returned")

    @sweep(
        lambda some: {
            "numbers": some.lists(
                some.sampled_from((0, 1, 3, 2.5, -0.5, 40_000)), max_size=5
            ).filter(lambda numbers: not numbers or sum(numbers)),
            "form": some.sampled_from(sorted(FORMS)),
        },
        besides=[{"numbers": [0, 1] * 550, "form": "a generator"}],
    )
    def any_numbers(self, shares, lab, numbers, form):
        source = lab.source(numbers)
        given = FORMS[form](numbers if form in ("a list", "a tuple") else source)
        shown = numbers if len(numbers) < 12 else f"{len(numbers):,} numbers"
        lab.told(f"with {shown} as {form}")
        got = lab.call(shares, given)
        if numbers and got == [] and source.place:
            raise Wrong(
                "used up",
                "It returned []: the first pass had used it up.",
                lab.call_of("isinstance", "isgenerator", "type") or source.place,
                "You can go through an iterator of any kind only once. The second pass finds "
                "nothing, and raises no error.",
            )
        seen = {"it returned": got}
        if isinstance(given, list):
            seen["afterwards the list was"] = given
        return seen

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

    @wrong("changed", says="Afterwards it was []")
    def empties_the_list(numbers):
        if not isinstance(numbers, list):
            numbers = list(numbers)
        total, found = sum(numbers), []
        while numbers:
            found.append(numbers.pop(0) / total)
        return found

    @wrong("used up", says="It returned []")
    def copies_a_generator_alone(numbers):
        if inspect.isgenerator(numbers):
            numbers = list(numbers)
        total = sum(numbers)
        return [number / total for number in numbers]

    @wrong("changed", says="values[place] /= total")
    def divides_in_place(numbers):
        values = numbers if isinstance(numbers, list) else list(numbers)
        total = sum(values)
        for place in range(len(values)):
            values[place] /= total
        return values

    adds_up_what_is_gone = with_a_list.but("numbers = list(numbers)", "kept = list(numbers)").but(
        "in numbers", "in kept", kind="used up", says="ZeroDivisionError"
    )

    @wrong("value", says="[12.5, 37.5, 50.0]")
    def in_percent(numbers):
        numbers = list(numbers)
        return [100 * number / sum(numbers) for number in numbers]

    @wrong("value", says="generator")
    def lazily_where_it_cannot_be(numbers):
        numbers = list(numbers)
        return (number / sum(numbers) for number in numbers)
