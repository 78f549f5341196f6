import ast
import asyncio

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import as_coroutine, made_per_call

FETCH_FIRST = (
    "Fetch first, and keep the number; then read and write without an `await` in between. That "
    "needs no lock."
)


def last_await(lab):
    """Line of the last `await` of the answer; None if there is none."""
    lines = [node.lineno for node in lab.text.nodes() if isinstance(node, ast.Await)]
    return max(lines, default=None)


def _in_another_place(lab):
    """Line that puts the sum into a dict of its own, or into nothing but a variable."""
    line = lab.earliest(lab.rebinding(), lab.copying("totals"))
    if line or lab.assigned("totals"):
        return line
    return lab.operation("+=", "+") or lab.call_of("setdefault")


class AddWhatComes(Exercise):
    """Add what comes

    `fetch(name)` is a coroutine function that takes a while and returns a number. Write
    `add(totals, name, fetch)`, a coroutine function: it fetches a number for `name` and adds it to
    `totals[name]`; a name that is not in `totals` yet begins with 0.

    Many tasks call `add` at the same time, with the same `totals`. No number may be lost, and all
    of them fetch at the same time.
    """

    id = "tally-1"
    asks = "add"
    minutes = 5
    hints = (
        "Where do you read the total, where do you write it, and which `await` stands between?",
        "Python reads the left side of `x += await y` before it awaits.",
        "Fetch first and keep the number in a variable. Then read and write in one go: no lock is "
        "needed.",
    )

    def verify(self, add, lab):
        lab.told('once, with `totals` {"a": 100} and a `fetch` that returns 3')
        totals = {"a": 100}
        lab.run(self._once(add, totals))
        if totals == {"a": 100} and (line := _in_another_place(lab)):
            raise Wrong(
                "value",
                "`totals` is still {'a': 100}; expected {'a': 103}.",
                line,
                "The caller looks into the dict that he gave you. Put the sum there: "
                "`totals[name] = …`.",
                headline="left the dict as it was",
            )
        lab.equal(totals, {"a": 103}, what="`totals` is")
        lab.told("once, with an empty `totals` and a `fetch` that returns 3")
        totals = {}
        try:
            lab.run(self._once(add, totals))
        except KeyError as error:
            raise Wrong(
                "raised",
                f"It raised {error!r}.",
                lab.text.of_traceback(error),
                "A name that is not in `totals` yet begins with 0.",
                headline="raised KeyError",
                at="raises it",
            ) from None
        line = lab.assigned("totals", to=ast.Constant)
        lab.equal(totals, {"a": 3}, what="`totals` is", line=line)
        lab.told(
            'five times at once, with `totals` {"a": 100}: 1, 2 and 4 were fetched for "a", '
            '10 and 20 for "b"'
        )
        totals = {"a": 100}
        calls = [("a", 1, 3), ("a", 2, 2), ("b", 10, 2), ("a", 4, 2), ("b", 20, 1)]
        fetched = []
        run = lab.run(self._all(add, totals, calls, fetched))
        if totals != {"a": 107, "b": 30}:
            self._name_loss(totals, fetched, lab)
        if run.elapsed > 3.001:
            raise Wrong(
                "lock too wide",
                f"It took {run.elapsed:g} s; the longest fetch takes 3 s.",
                lab.earliest(lab.with_of(), lab.call_of("acquire")),
                f"A lock that is held while you fetch lets one task fetch at a time. {FETCH_FIRST}",
                headline="one at a time",
            )

    async def _once(self, add, totals):
        await add(totals, "a", self._fetch(iter([("a", 3, 1)]), []))

    async def _all(self, add, totals, calls, fetched):
        async with asyncio.TaskGroup() as group:
            for call in calls:
                fetch = self._fetch(iter([call]), fetched)
                group.create_task(as_coroutine(add(totals, call[0], fetch)))

    def _fetch(self, calls, fetched):
        """`fetch` for one call of the answer. calls: an iterator over (name, number, seconds).
        fetched: a list that gets the numbers which were asked for.
        """

        async def fetch(name):
            asked, number, seconds = next(calls, (None, 0, 0))
            if asked is None:
                raise Wrong(
                    "done twice",
                    "One call of `add` fetched more than once.",
                    try_="Fetch once, and keep the number.",
                    headline="fetched twice",
                )
            if asked != name:
                raise Wrong("value", f"`fetch` was called with {name!r}, and not with {asked!r}.")
            fetched.append(number)
            await asyncio.sleep(seconds)
            return number

        return fetch

    def _name_loss(self, totals, fetched, lab):
        if len(fetched) < 5:
            raise Wrong(
                "calls",
                f"Only {listed(map(str, fetched))} came of `fetch`, and "
                f"`totals` is {totals} in the end; 107 and 30 are expected.",
                lab.operation("in", "not in") or last_await(lab),
                "Each call of `add` fetches a number of its own, for the same name as well.",
                headline="shared a fetch",
            )
        if totals.keys() == {"a", "b"} and totals["a"] <= 107 and totals["b"] <= 30:
            observed = f"`totals` is {totals} in the end; 107 and 30 are expected."
            if line := made_per_call(lab):
                raise Wrong("lock per call", observed, line, FETCH_FIRST)
            early = lab.assigned(to=ast.Compare)  # such as `new = name not in totals`
            asked = early and early < last_await(lab)
            raise Wrong(
                "lost update",
                observed,
                early if asked else lab.assigned("totals", to=ast.Await) or last_await(lab),
                FETCH_FIRST,
                at="asks before the others have their turn"
                if asked
                else "gives the others their turn",
            )
        lab.equal(totals, {"a": 107, "b": 30}, what="`totals` is")

    @sweep(
        lambda some: {
            "totals": some.dictionaries(
                some.sampled_from("ab"), some.sampled_from([0, 100, -3, 0.5]), max_size=2
            ),
            "fetched": some.lists(
                some.tuples(
                    some.sampled_from(["a", "b", ""]),
                    some.sampled_from([0, 1, 2.5, -7]),
                    some.sampled_from([1, 2, 3]),
                ),
                max_size=5,
            ),
        },
        besides=[{"totals": {}, "fetched": [("a", 0, 1)]}],
    )
    def any_numbers(self, add, lab, totals, fetched):
        numbers = [(name, number) for name, number, _ in fetched]
        lab.told(
            f"once for each of {numbers}, all at the same time, with `totals` {totals}; and for "
            "another dict as well"
        )
        dicts = totals, {"a": 1}
        services, calls = [], []
        for number, each in enumerate(dicts):
            for name, got, seconds in fetched[: None if number == 0 else 2]:
                services.append(lab.service(seconds, {name: got}))
                calls.append((each, name, services[-1]))

        async def all_at_once():
            await asyncio.gather(*(as_coroutine(add(*call)) for call in calls))

        run = lab.run(all_at_once())
        if run.error:
            raise run.error
        return {
            "`totals` is": dicts[0],
            "the other dict is": dicts[1],
            "": lab.seen(run, *services),
        }

    @right
    async def fetches_first(totals, name, fetch):
        """Fetch a number and add it to the total of `name`."""
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number

    @right
    async def sets_the_default_first(totals, name, fetch):
        totals.setdefault(name, 0)
        number = await fetch(name)
        totals[name] += number

    @wrong("lost update", says="107 and 30 are expected")
    async def in_one_line(totals, name, fetch):
        totals[name] = totals.get(name, 0) + await fetch(name)

    @wrong("lost update", says="Line 4")
    async def with_plus_equals(totals, name, fetch):
        totals.setdefault(name, 0)
        totals[name] += await fetch(name)

    @wrong("lost update", says="Line 8 gives the others their turn: `number = await fetching`")
    async def reads_before_the_task_is_done(totals, name, fetch):
        fetching = asyncio.create_task(fetch(name))
        before = totals.get(name, 0)
        number = await fetching
        totals[name] = before + number

    @wrong("lost update", says="Fetch first")
    async def reads_first(totals, name, fetch):
        before = totals[name] if name in totals else 0
        number = await fetch(name)
        totals[name] = before + number

    @wrong("lost update", says="Line 8 gives the others their turn: `await asyncio.sleep(0)`")
    async def pauses_in_between(totals, name, fetch):
        number = await fetch(name)
        before = totals.get(name, 0)
        await asyncio.sleep(0)
        totals[name] = before + number

    @wrong("lock per call", says="Fetch first")
    async def with_a_lock_of_its_own(totals, name, fetch):
        lock = asyncio.Lock()
        async with lock:
            totals[name] = totals.get(name, 0) + await fetch(name)

    @wrong("done twice", says="fetched twice")
    async def looks_at_it_first(totals, name, fetch):
        if await fetch(name):
            totals[name] = totals.get(name, 0) + await fetch(name)

    @wrong("value", says="103")
    async def forgets_the_total(totals, name, fetch):
        totals[name] = await fetch(name)

    @wrong("raised", says="KeyError")
    async def no_default(totals, name, fetch):
        number = await fetch(name)
        totals[name] += number
