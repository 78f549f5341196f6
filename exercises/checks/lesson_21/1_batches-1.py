import ast
import itertools
import math
from collections import Counter

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import Cluster, not_a_future, not_here, run_on, size


class Batches(Exercise):
    """Not too small, not too big

    `work(number)` is an ordinary function that takes a millisecond. There are four workers, and a
    call costs five milliseconds, however little it does.

    Write a coroutine function `work_all(client, work, numbers)`: it returns the list of what
    `work` returns for each of `numbers`, in their order. All the work is done by the workers, in at
    most 40 calls, and no call does more than a quarter of the numbers (rounded up), so that every
    worker can have a share. There may be few numbers, or none.

    `client` behaves as Dask's: `client.submit(function, *arguments)` and `client.map(function,
    items)` return futures at once, and `await client.gather(futures)` gives their results in order.
    Arguments are passed by position.
    """

    id = "batches-1"
    asks = "work_all"
    minutes = 8
    hints = (
        "You needn't send `work` itself. Which function handles several numbers?",
        "`math.ceil(len(numbers) / 20)` numbers in a call are some 20 calls. And for no numbers?",
        "`parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]`, a function `batch` "
        "that returns `[work(number) for number in part]`, and `client.map(batch, parts)`.",
    )

    equivalent = {
        "with_map: or None, line 8": "no part is empty, so no list of results is",
    }

    def verify(self, work_all, lab):
        # With 79, 40 calls of the size rounded down leave 39 numbers over.
        for many in 1000, 437, 7, 1, 0, 79:
            numbers = list(range(many, 0, -1))
            told = f"with {many or 'no'} number{'s' * (many != 1)}"
            self.ship(work_all, lab, numbers, lambda number: number * number, told)

    @sweep(
        lambda some: {
            "many": some.sampled_from(
                (0, 1, 2, 3, 5, 8, 19, 20, 21, 39, 40, 41, 42, 81, 161, 1100)
            ),
            "different": some.sampled_from((1, 2, 7, 5000)),
            "results": some.permutations((None, 0, "", [], "ok")),
        },
        most=25,
    )
    def any_numbers(self, work_all, lab, many, different, results):
        numbers = [n % different for n in range(many)]
        told = f"with {numbers}" if many < 9 else f"with {many} numbers"
        said = ", ".join(f"{results[n % 5]!r} for {n}" for n in sorted(set(numbers))[:5])
        told += f", where `work` returns {said}" if numbers else ""
        self.ship(work_all, lab, numbers, lambda number: results[number % 5], told)

    def ship(self, work_all, lab, numbers, result_of, told):
        """Run it, and look at the calls that it made and at what it returned."""
        many, client, worked = len(numbers), Cluster(lab), []

        def work(number):
            worked.append(number)
            client.spend(0.001)
            return result_of(number)

        try:
            run = run_on(lab, told, work_all, client, work, lab.own(list(numbers)))
        except ValueError as error:
            if numbers or "must not be zero" not in str(error):
                raise
            raise self.no_step(lab, error) from None
        not_here(client, "work", lab)
        not_a_future(run.result, lab)
        done = sum(client.share)
        calls = len(client.calls)
        if calls > 40 and (rounded := _rounded_down(lab, many, calls)):
            line, parts = rounded
            raise Wrong(
                "shipping",
                f"{many} numbers went out in {calls} calls; 40 are allowed.",
                line,
                f"`{many} // {parts}` is {many // parts}, for `//` rounds down, and {parts} calls "
                f"of {many // parts} do only {parts * (many // parts)} of them. Round up: "
                "`math.ceil`.",
                headline="too small to ship",
                at="rounds down",
            )
        if calls > 40:
            raise Wrong(
                "shipping",
                f"{many} numbers went out in {calls} calls.",
                (max(client.share) == 1 and lab.call_of("submit", "map", given="work"))
                or _size(lab),
                "`//` rounds down, and what is left over makes more calls. Round up: `math.ceil`."
                if lab.operation("//") and max(client.share) > 1
                else "Each call costs five times what a number does. Put more numbers into one: 40 "
                "calls at most.",
                headline="too small to ship",
            )
        if done < many:
            raise Wrong(
                "lost items",
                f"The workers did {done} of {many} numbers.",
                lab.earliest(lab.operation("//"), lab.call_of("range", "zip")),
                "What becomes of the rest, if the parts don't come out even?"
                if Counter(numbers) - Counter(worked) == Counter(numbers[done:])
                else "No number is left out: not one that comes twice, not a 0, and none between "
                "two parts.",
            )
        if done > many:
            raise Wrong(
                "done twice",
                f"The workers did {done} numbers, and {many} were given.",
                lab.call_of("range"),
                headline="did some twice",
            )
        most = max(client.share, default=0)
        if most > math.ceil(many / 4):
            left_over = 0 < client.share.index(most) == calls - 1
            raise Wrong(
                "shipping",
                f"One call did {most} of {many} numbers; a quarter, rounded up, is "
                f"{math.ceil(many / 4)}."
                + " It was the last one; no other did as many."
                * left_over,
                _size(lab),
                "No call may do more than that, not even the last one, with all that is left over."
                if left_over
                else "No call may do more than a quarter, however few the numbers are.",
                headline="too big a batch",
            )
        self.put_together(lab, run.result, numbers, result_of)
        if len(client.sent) > 1 and client.sent[-1] - client.sent[0] > 0.001:
            raise Wrong(
                "sequential",
                f"The last of {len(client.sent)} calls was made "
                f"{client.sent[-1] - client.sent[0]:.2g} s after the first one: one "
                "worker at a time had work.",
                lab.text.sequential_await() or lab.await_of(),
            )

    def no_step(self, lab, error):
        """The Wrong for a step of 0, where there are no numbers."""
        place = lab.text.of_traceback(error)
        made = _step(lab, place and place[1])
        return Wrong(
            "raised",
            f"It raised ValueError: {error}.",
            made or (place and place[1]),
            "Without numbers that step is 0, and a step of `range` must not be 0. Take at least 1, "
            "or return at once if there are no numbers.",
            headline="a step of 0",
            at="makes the step" if made else "raises it",
        )

    def put_together(self, lab, got, numbers, result_of):
        """Are these the results of the numbers, in one list?"""
        expected = [result_of(number) for number in numbers]
        different = [*dict.fromkeys(numbers)]
        lists = isinstance(got, list) and all(isinstance(part, list) for part in got)
        if lists and got != expected and [*itertools.chain(*got)] == expected:
            raise Wrong(
                "value",
                f"It returned a list of {len(got)} lists; expected one list of {len(numbers)} "
                "results.",
                lab.returning(),
                "Each call returned a list of its own. Make one list of them all.",
                headline="a list of lists",
            )
        if len(different) < len(numbers) and got == [result_of(number) for number in different]:
            raise Wrong(
                "value",
                f"It returned {len(got)} of {len(numbers)} results: one for each different number.",
                lab.alike().line or lab.call_of("*.update"),
                "A key stands in a dict once, and an item in a set. A number that comes twice "
                "needs two results: keep lists.",
                headline="one result for those that are equal",
            )
        lab.equal(got, expected)

    @right
    async def with_map(client, work, numbers):
        """Return the results of `work`, in order; ship many numbers in one call."""

        def batch(part):
            return [work(number) for number in part]

        size = math.ceil(len(numbers) / 20) or 1
        parts = [numbers[n : n + size] for n in range(0, len(numbers), size)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @right
    async def with_strides(client, work, numbers):
        futures = [
            client.submit(lambda part: list(map(work, part)), numbers[n::8]) for n in range(8)
        ]
        results = [None] * len(numbers)
        for n, future in enumerate(futures):
            results[n::8] = await future
        return results

    @wrong("shipping", says="1000 numbers went out in 1000 calls")
    async def one_by_one(client, work, numbers):
        return await client.gather(client.map(work, numbers))

    @wrong("shipping", says="One call did 1000 of 1000 numbers")
    async def all_in_one(client, work, numbers):
        return await client.submit(lambda: [work(number) for number in numbers])

    @wrong("shipping", says="One call did 7 of 7 numbers")
    async def a_fixed_size(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        parts = [numbers[n : n + 50] for n in range(0, len(numbers), 50)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @wrong("sequential", says="one worker at a time")
    async def batch_after_batch(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        results, size = [], len(numbers) // 20 + 1
        for n in range(0, len(numbers), size):
            results += await client.submit(batch, numbers[n : n + size])
        return results

    @wrong("called, not handed over", says="without a call")
    async def calls_what_it_sends(client, work, numbers):
        return await client.gather([client.submit(work(number)) for number in numbers])

    an_async_batch = with_map.but(
        "def batch(part)",
        "async def batch(part)",
        kind="async for plain",
        says="`batch`, which you sent",
    )

    @wrong("lost items", says="420 of 437")
    async def loses_the_rest(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        size = len(numbers) // 20 or 1
        parts = [numbers[n * size : (n + 1) * size] for n in range(20)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @wrong("called, not handed over", says="by your own program")
    async def sends_what_is_done(client, work, numbers):
        size = len(numbers) // 20 + 1
        parts = [numbers[n : n + size] for n in range(0, len(numbers), size)]
        return await client.gather(
            [client.submit(print, [work(n) for n in part]) for part in parts]
        )

    @wrong("order", says="It returned [1000000, 984064")
    async def mixed_up(client, work, numbers):
        futures = [
            client.submit(lambda part: list(map(work, part)), numbers[n::8]) for n in range(8)
        ]
        return [result for part in await client.gather(futures) for result in part]

    @wrong("not awaited", says="futures of the cluster")
    async def futures_only(client, work, numbers):
        size = len(numbers) // 20 + 1
        return [
            client.submit(lambda part: list(map(work, part)), numbers[n : n + size])
            for n in range(0, len(numbers), size)
        ]

    @wrong("value", says="a list of 20 lists")
    async def a_list_of_lists(client, work, numbers):
        size = len(numbers) // 20 + 1
        return await client.gather(
            [
                client.submit(lambda part: list(map(work, part)), numbers[n : n + size])
                for n in range(0, len(numbers), size)
            ]
        )


def _rounded_down(lab, many, calls):
    """The line of a `//` whose rounding makes so many calls of so many numbers, and by what it
    divides; or None.
    """
    for node in lab.nodes():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            parts = getattr(node.right, "value", None)
            if type(parts) is int and 0 < parts <= min(40, many):
                if math.ceil(many / (many // parts)) == calls:
                    return node.lineno, parts
    return None


def _size(lab):
    """The line that decides how many numbers go out in one call."""
    sized = lab.operation("//", "/") or lab.call_of("range", "batched")
    return sized or lab.call_of("submit", "map")


def _step(lab, line):
    """The one line that makes the step of the `range` in this line, if that is a name; or None."""
    steps = [
        node.args[2].id
        for node in lab.nodes()
        if isinstance(node, ast.Call) and is_named(node.func, ("range",)) and node.lineno == line
        if len(node.args) == 3 and isinstance(node.args[2], ast.Name)
    ]
    made = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr))
        for target in getattr(node, "targets", None) or [node.target]
        if getattr(target, "id", None) in steps
    ]
    return made[0] if len(made) == 1 else None
