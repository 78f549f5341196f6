"""Long, for a price can be lost in many ways, and each is a whole program."""

import ast
import inspect
import reprlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

MENU = ["cake", "jam"]  # one list, which may be ordered twice


class Bill(Exercise):
    """A bill of parts

    An order is a list. Each part of it is the name of a thing, or a list: an order within the
    order, which may hold orders itself:

        ["tea", ["cake", ["jam", "cream"]], "milk"]

    Write a generator function `bill(order)`. It yields each name, from left to right, is sent
    that thing's price, and at the end returns the sum of all prices. For an order within the
    order it delegates to another `bill`. It asks for a thing as often as that is ordered.
    """

    id = "layers-2"
    asks = "bill"
    minutes = 8
    hints = (
        "A part is a name or a list: `isinstance(part, str)` tells. For a name one `yield` is "
        "enough. What comes back from it?",
        "A list is an order, and `bill` knows how to deal with orders. Delegate to `bill(part)`; "
        "the value of that expression is the sum of the inner order.",
        "`total += yield part` for a name, `total += yield from bill(part)` for a list, and "
        "`return total` at the end.",
    )

    equivalent = {
        "delegates: or None, line 6": "each thing has a name",
        "first_and_rest: or None, line 3": "each thing has a name",
    }

    def verify(self, bill, lab):
        heard, total = self._talk(lab, bill, ["tea", "cake"])
        lab.equal(heard, ["tea", "cake"], what="it asked for")
        if total is None:
            raise Wrong(
                "return value",
                "It asked for both prices, and returned None.",
                try_="At the end, `return` the sum.",
                headline="no return",
            )
        both = PRICES["tea"] + PRICES["cake"]
        if total != both and (drops := lab.dropped_yield()):
            raise Wrong(
                "sent for yielded",
                f"It returned {total!r}; expected {both}.",
                drops,
                "The price of a thing is what the `yield` gives back: `price = yield part`.",
                headline="lost what was sent",
                at="drops what is sent to it",
            )
        lab.equal(total, both, what="it returned")
        order = ["tea", ["cake", ["jam", "cream"]], "milk"]
        heard, total = self._talk(lab, bill, order)
        if heard == ["tea", "milk"]:
            raise Wrong(
                "not run yet",
                f"It asked for {heard} only.",
                lab.earliest(lab.call_of("bill"), lab.item_of()),
                "A call of `bill` builds a paused frame. `yield from` makes it go on.",
                headline="never asked the inner one",
            )
        if heard[:2] == ["tea", "milk"] and sorted(heard) == sorted(PRICES):
            raise Wrong(
                "order",
                f"It asked for {heard}: the milk before what stands left of it.",
                _putting_off(lab) or lab.yielding_from(),
                "What is put off comes too late. Delegate to an inner order where it stands.",
                headline="put off the inner order",
            )
        if heard == ["tea", "cake", "jam", "cream"] and (ends := _returning_inside(lab)):
            raise Wrong(
                "stopped early",
                f"It asked for {heard}, and not for the milk, which comes after the inner order.",
                ends,
                "Add the sum of the inner order to yours, and go on.",
                headline="ended with the inner order",
            )
        lab.equal(heard, ["tea", "cake", "jam", "cream", "milk"], what="it asked for")
        if total == PRICES["tea"] + PRICES["milk"]:
            raise Wrong(
                "return value",
                f"It returned {total}: only tea and milk were added up. The "
                "sum of the inner order was returned, and dropped.",
                lab.earliest(lab.yielding_from(), lab.for_loop("bill")),
                "`yield from bill(part)` has a value: what the inner `bill` returned.",
            )
        lab.equal(total, sum(PRICES.values()), what="it returned")
        self._empty(lab, bill)
        self._again(lab, bill)

    def _empty(self, lab, bill):
        _, total = self._talk(lab, bill, [])
        if total is None:
            asks = lab.condition()
            raise Wrong(
                "return value",
                "It returned None. The sum of no prices is 0.",
                asks if asks and lab.has_run(asks) else lab.returning(),
                "The sum begins at 0. For an empty order it stays 0, without a case of its own.",
                headline="no sum for an empty order",
            )

    def _again(self, lab, bill):
        order = ["cake", "cake", ["cake"]]
        heard, _ = self._talk(lab, bill, order)
        if heard in (["cake"], ["cake", "cake"]):
            raise Wrong(
                "lost items",
                f"It asked for {heard}; cake was ordered three times.",
                lab.operation("in", "not in") or lab.alike().line,
                "Ask for each cake, whatever you have asked for before.",
                headline="did not ask each time",
            )

    def _talk(self, lab, bill, order):
        """Let `bill` ask for prices: (what it asked for, what it returned)."""
        generator = lab.call(bill, order)
        talk = lab.generator(generator)
        heard, answer = [], None
        while True:
            try:
                name = talk.send(answer)
            except StopIteration as end:
                return heard, end.value
            except (TypeError, AttributeError) as error:
                self._name(lab, error, heard, order)
                raise
            heard.append(name)
            if inspect.isgenerator(name):
                raise Wrong(
                    "not delegated",
                    "It yielded a generator. There is no price for that.",
                    stands_at(generator),
                    "`yield` hands the inner `bill` to the caller. `yield from` lets it run.",
                    headline="handed out a generator",
                )
            if not isinstance(name, str):
                raise Wrong(
                    "not delegated",
                    f"It yielded {name!r}. There is no price for that.",
                    stands_at(generator),
                    "Yield names only. A list is an order: delegate to `bill(part)`.",
                    headline="handed out a list",
                )
            answer = PRICES.get(name)

    def _name(self, lab, error, heard, order):
        said = f"It asked for {heard}, and then: {error}."
        if "has no attribute 'send'" in str(error):
            raise Wrong(
                "not delegated",
                said,
                lab.yielding_from(),
                "`yield from` over a list hands its items out, but a list takes no "
                "answers. Delegate to a generator: `bill(part)`.",
                headline="delegated to the list",
            ) from None
        if "'generator'" in str(error):
            raise Wrong(
                "not run yet",
                said,
                lab.call_of("bill"),
                "A call of `bill` builds a paused frame, not a number. `yield from` makes "
                "it go on, and has its sum as value.",
                headline="never asked the inner one",
            ) from None
        if "'str'" in str(error) and "'int'" in str(error):
            raise Wrong(
                "sent for yielded",
                said,
                lab.earliest(lab.operation("+=", on=["part"]), lab.operation("+", on=["part"])),
                "`part` is a name. Its price is what the `yield` gives back: `price = yield part`.",
                headline="added the name",
            ) from None
        if "'NoneType'" in str(error) and order[1:] and isinstance(order[1], list):
            if walks := _walking(lab):
                raise Wrong(
                    "sent for yielded",
                    f"{said} The price did not reach the inner `bill`.",
                    walks,
                    "A `for` loop asks with `next`, which sends None. Let `yield from` "
                    "carry everything through.",
                    headline="lost what was sent",
                ) from None
            if heard == ["tea", "cake"]:  # no inner order was over yet
                return
            raise Wrong(
                "return value",
                said,
                lab.yielding_from(),
                "Each layer must `return` its sum.",
            ) from None

    @sweep(
        lambda some: {"order": an_order(some), "prices": some.permutations((0, 1, 2.5))},
        besides=[
            {"order": ["tea"] * 1100, "prices": (1, 2, 3)},
            {"order": [MENU, MENU], "prices": (1, 2, 3)},
        ],
    )
    def any_order(self, bill, lab, order, prices):
        lab.told(f"with the order {reprlib.repr(order)}, and these prices: {at(prices)}")
        [heard], [total] = self._in_turns(lab, bill, [order], prices)
        return {"it asked for": heard, "it returned": total}

    @sweep(
        lambda some: {
            "orders": some.tuples(an_order(some), an_order(some)),
            "prices": some.permutations((0, 1, 2.5)),
        },
        most=10,
    )
    def two_at_once(self, bill, lab, orders, prices):
        one, other = map(reprlib.repr, orders)
        lab.told(
            f"with the order {one} and with {other}, answered in turns; the prices: {at(prices)}"
        )
        heard, totals = self._in_turns(lab, bill, orders, prices)
        return {"they asked for": heard, "they returned": totals}

    def _in_turns(self, lab, bill, orders, prices):
        """Give each bill one price after the other: what each asked for, what each returned. Raise
        Wrong if one asks for more than there is in its order.
        """
        prices = dict(zip(NAMES, prices))
        ordered = [sum(1 for _ in names_in(order)) for order in orders]
        heard, totals = [[] for _ in orders], [None] * len(orders)
        talks = dict(enumerate(map(bill, orders)))
        while talks:
            for place, talk in list(talks.items()):
                price = prices[heard[place][-1]] if heard[place] else None
                try:
                    heard[place].append(talk.send(price))
                except StopIteration as end:
                    totals[place] = end.value
                    del talks[place]
                if len(heard[place]) > ordered[place]:
                    raise self._asks_on(lab, heard[place], price)
        return heard, totals

    def _asks_on(self, lab, heard, price):
        last = heard[-1]
        if heard[-2:] == [last, last] and price == 0:
            return Wrong(
                "falsy",
                f"I sent 0 for {last!r}, and it asked for {last!r} once more.",
                lab.truth_test().line,
                "What costs nothing has a price, too: 0. Only None says that there is none yet.",
                headline="took the price 0 for no answer",
            )
        return Wrong(
            "done twice",
            f"It asked for {last!r}, and all that was ordered had its price already.",
            try_="Ask once for each name in the order.",
            headline="asked for too much",
        )

    @right
    def delegates(order):
        """Yield each name, be sent its price; return the sum."""
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield from bill(part)
        return total

    @right
    def first_and_rest(order):
        if isinstance(order, str):
            return (yield order)
        total = 0
        for part in order:
            price = yield from bill(part)
            total += price
        return total

    lets_the_sum_fall = delegates.but(
        "total += yield from", "yield from", kind="return value", says="only tea and milk"
    )

    with_a_for_loop = delegates.but(
        "total += yield from bill(part)",
        "for name in bill(part):\n    yield name",
        kind="sent for yielded",
        says="`for` loop asks with `next`",
    )

    @wrong("return value", says="returned None")
    def forgets_to_return(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield from bill(part)

    only_calls = delegates.but(
        "yield from bill(part)", "bill(part)", kind="not run yet", says="paused frame"
    )

    calls_and_forgets = delegates.but(
        "total += yield from bill(part)",
        "bill(part)",
        kind="not run yet",
        says="asked for ['tea', 'milk'] only",
    )

    @wrong("order", says="Delegate to an inner order where it stands")
    def inner_orders_last(order):
        total, inner = 0, []
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                inner.append(part)
        for part in inner:
            total += yield from bill(part)
        return total

    to_the_list = delegates.but(
        "bill(part)", "part", kind="not delegated", says="a list takes no answers"
    )

    @wrong("not delegated", says="['cake', ['jam', 'cream']]")
    def without_looking(order):
        total = 0
        for part in order:
            total += yield part
        return total

    one_level_deep = delegates.but(
        "total += yield from bill(part)",
        "for inner in part:\n    total += yield inner",
        kind="not delegated",
        says="yield inner",
    )

    hands_out_the_inner_one = delegates.but(
        "from bill(part)", "bill(part)", kind="not delegated", says="yield bill(part)"
    )

    adds_the_name = delegates.but(
        "total += yield part",
        "yield part\ntotal += part",
        kind="sent for yielded",
        says="price = yield part",
    )

    @wrong("not a generator", says="int")
    def adds_lengths(order):
        return len(order)


def stands_at(generator):
    """(filename, line) of the yield at which the innermost generator of a stack stands."""
    while inspect.isgenerator(generator.gi_yieldfrom):
        generator = generator.gi_yieldfrom
    return generator.gi_frame.f_code.co_filename, generator.gi_frame.f_lineno


NAMES = "tea", "cake", "jam"


def an_order(some):
    names = some.sampled_from(NAMES)
    parts = some.recursive(names, lambda part: some.lists(part, max_size=3), max_leaves=5)
    return some.lists(parts, max_size=3)


def names_in(order):
    """Each name of an order, those of the orders in it as well."""
    for part in order:
        if isinstance(part, str):
            yield part
        else:
            yield from names_in(part)


def at(prices):
    return ", ".join(f"{name} {price}" for name, price in zip(NAMES, prices))


PRICES = {"tea": 4, "cake": 3, "jam": 1, "cream": 2, "milk": 1}


def _walking(lab):
    """The `for` that goes through a `bill`, or through a name that stands for one; or None."""
    names = [
        target.id
        for node in lab.nodes()
        if isinstance(node, ast.Assign)
        if isinstance(node.value, ast.Call) and is_named(node.value.func, ("bill",))
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return lab.for_loop("bill", *names)


def _putting_off(lab):
    """Where the inner orders are put by for the loop that delegates to them, or else that loop;
    or None.
    """
    loops = [
        loop
        for loop in lab.nodes()
        if isinstance(loop, (ast.For, ast.While))
        if any(isinstance(part, ast.YieldFrom) for part in ast.walk(loop))
    ]
    if not loops:
        return None
    loop = max(loops, key=lambda loop: loop.lineno)
    head = loop.iter if isinstance(loop, ast.For) else loop.test
    rows = [part.id for part in ast.walk(head) if isinstance(part, ast.Name)]
    adds = ("append", "appendleft", "extend", "extendleft", "insert", "put")
    return rows and lab.call_of(*(f"{row}.{add}" for row in rows for add in adds)) or loop.lineno


def _returning_inside(lab):
    """The `return` of a `yield from` in a loop, or None."""
    lines = [
        part.lineno
        for loop in lab.nodes()
        if isinstance(loop, (ast.For, ast.While))
        for part in ast.walk(loop)
        if isinstance(part, ast.Return)
        if any(isinstance(one, ast.YieldFrom) for one in ast.walk(part))
    ]
    return min(lines, default=None)
