"""Long, for a payment can be lost or doubled in many ways, and each has words of its own."""

import ast
import inspect
import math
import pickle
import sys
from unittest import mock

import cloudpickle

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, uses

NTH = "first", "second", "third", "fourth"


class Died(BaseException):
    """The end of a worker: no program can do anything about it."""


class Book(dict):
    """A dict that can be changed so many times; then the worker dies.

    died_at: the learner's place at which it did so last. changed: the place of each change, and
    what it held then.
    """

    changes_left, died_at = math.inf, None

    def __init__(self, lab):
        self.lab, self.changed = lab, []

    def _changed(name):
        def change(self, *arguments, **named):
            place = self.lab.text.of_frame(sys._getframe(1))
            if not self.changes_left:
                self.died_at = place
                raise Died
            self.changes_left -= 1
            made = getattr(dict, name)(self, *arguments, **named)
            self.changed.append((place, dict(self)))
            return made

        return change

    __setitem__, __delitem__, __ior__ = map(_changed, ("__setitem__", "__delitem__", "__ior__"))
    setdefault, update, pop, popitem, clear = map(
        _changed, ("setdefault", "update", "pop", "popitem", "clear")
    )


class Once(Exercise):
    """Twice is once

    A cluster runs a task again if it can't know whether it was done. Payments are entered by such
    tasks, into `book`, a dict that outlives every worker. A payment is a dict of three entries:
    "id", which no other payment has; "account"; and "amount", a whole number.

    Write an ordinary function `pay(book, payment)` that enters a payment. At any time
    `sum(book.values())` must be the sum of all payments made. A payment may be entered again, once
    or many times, at once or much later: that changes nothing. Keep all that must be remembered in
    `book`, because the next call may run in another process. A worker may die in the middle of
    `pay`; then the payment is entered again.
    """

    id = "idempotent-1"
    asks = "pay"
    minutes = 6
    hints = (
        "How would you know a payment that was entered before? Two payments may be alike in "
        "everything but one.",
        "A sum forgets what it was made of. What could stand in `book` in its place?",
        "Setting `book[key] = amount` a second time changes nothing, if the key belongs to this "
        "payment alone.",
    )

    def verify(self, pay, lab):
        tea = {"id": 1, "account": "Ada", "amount": 5}
        more_tea = {"id": 2, "account": "Ada", "amount": 5}
        soup = {"id": 3, "account": "Bob", "amount": 7}
        cake = {"id": 4, "account": "Ada", "amount": 20}
        back = {"id": 5, "account": "Ada", "amount": -5}

        if inspect.iscoroutinefunction(pay):
            raise Wrong(
                "async for plain",
                "`pay` is a coroutine function, and it must be an ordinary one.",
                lab.coroutine_function(),
                "Nothing in it waits: `def`.",
                headline="a coroutine function",
            )

        def after(what, *payments):
            book = Book(lab)
            lab.told(f"with {what}")
            for payment in payments:
                pay(book, dict(payment))
            for key, value in book.items():
                if not isinstance(value, int):
                    raise Wrong(
                        "value",
                        f"The book holds {value!r} at {key!r}, which isn't a number: "
                        "`sum(book.values())` fails.",
                        lab.earliest(lab.item_of("book"), lab.call_of("book.*")),
                        "All that stands in `book` is added up: let the amounts stand there, and "
                        "nothing beside them.",
                    )
            if len(payments) == 1:
                self.alone(lab, book, payments[0]["amount"])
            return sum(book.values())

        seen = "`sum(book.values())` is"
        lab.equal(after("a payment of 5", tea), 5, seen)
        if after("a new book, and the payment that another book has already", tea) == 0:
            raise Wrong(
                "idempotence",
                f"{seen} 0: the payment isn't in this book, because it had been entered in "
                "another one.",
                lab.text.kept_outside() or lab.operation("not in", "in"),
                "What your function remembers is in one process, and is lost with it. Only "
                "`book` outlives it.",
                headline="remembered elsewhere",
            )
        got = after("payments of 5 and 20 to Ada and one of 7 to Bob", tea, cake, soup)
        if got < 32:
            raise Wrong(
                "idempotence",
                f"{seen} {got}, not 32: a payment is missing, or another one has taken its place.",
                lab.item_of("book") or lab.call_of("book.*"),
                "Each payment needs a place of its own.",
                headline="overwritten",
            )
        lab.equal(got, 32, what=seen)
        got = after("two payments of 5 to Ada that differ in their ids alone", tea, more_tea)
        if got == 5:
            raise Wrong(
                "idempotence",
                f"{seen} 5, and two payments of 5 were made.",
                _key_without_id(lab)
                or lab.earliest(
                    lab.operation("not in"), lab.item_of("book"), lab.operation("in", on=["book"])
                ),
                "Two payments may be alike. Only the id tells them apart.",
                headline="took two for one",
            )
        lab.equal(got, 10, what=seen)
        for what, *payments in (
            ("a payment of 5 entered twice in a row, then one of 20", tea, tea, cake),
            ("payments of 5 and 20, and the first one entered again", tea, cake, tea),
            ("payments of 20 and 5, each entered three times", cake, tea, tea, cake, tea, cake),
        ):
            got = after(what, *payments)
            if got > 25:
                raise Wrong(
                    "idempotence",
                    f"{seen} {got}, not 25: the task ran again, and so did its addition.",
                    lab.earliest(lab.operation("+=", "+"), lab.call_of("len")),
                    "Each id has a place of its own in `book` already, and each run adds to what "
                    "stands there. Set it to the amount alone, and add nothing."
                    if self.has_places(pay, lab, tea, more_tea)
                    else "Give each id a place of its own in `book`: the second run then writes "
                    "what is there already.",
                    headline="booked twice",
                )
            lab.equal(got, 25, what=seen)
        lab.equal(
            after(
                "payments of 5, 20 and -5, and the first one entered again at the end",
                tea,
                cake,
                back,
                tea,
            ),
            20,
            what=seen,
        )
        self.in_two_processes(pay, lab, tea)

    def in_two_processes(self, pay, lab, payment):
        """Does a payment have the same key, whichever process enters it?"""
        lab.told("with a payment of 5 entered twice, as by two processes")
        book = {}
        for process in 1, 2:
            with mock.patch("builtins.hash", _hash_in(process)):
                book = pickle.loads(cloudpickle.dumps(book))
                pay(book, dict(payment))
        hashed = lab.call_of("hash")
        if hashed and sum(book.values()) != payment["amount"]:
            raise Wrong(
                "idempotence",
                f"`sum(book.values())` is {sum(book.values())}, not {payment['amount']}: the "
                "second process made another key for the same payment.",
                hashed,
                "The hash of a text is another one in each process. Let the id itself be the key, "
                "or a tuple.",
                headline="another key in another process",
            )

    def has_places(self, pay, lab, *payments):
        """Whether each payment has one place in the book, and keeps it when it comes again."""
        book = Book(lab)
        for payment in (*payments, *payments):
            pay(book, dict(payment))
        return len(book) == len(payments)

    def alone(self, lab, book, amount):
        """Is the sum of the book no more than the one payment that was entered?"""
        total = sum(book.values())
        if len(book) < 2 or total == amount:
            return
        other = (place for place, held in book.changed if set(held.values()) - {amount})
        raise Wrong(
            "value",
            f"The book holds {dict(book)}, and `sum(book.values())` is {total}; expected {amount}.",
            next(other, book.changed[-1][0]),
            "All that stands in `book` is added up, a mark and a balance as well: let an amount "
            "stand there once, and nothing beside it.",
            headline="more than the payment",
            at="changes it",
        )

    @sweep(
        lambda some: {
            "order": some.lists(some.integers(0, 5), max_size=6),
            "ids": some.sampled_from(((0, 1, 2, 3, 4, 5), (1, 11, 111, 10, 110, 1010))),
            "amounts": some.permutations((5, 5, 0, -5, 20, 1)),
            "accounts": some.sampled_from(("AAAAAA", "ABABAB", ("A1", "A", "", "A", "A1", "B"))),
        },
        most=60,
    )
    def any_payments(self, pay, lab, order, ids, amounts, accounts):
        payments = [
            {"id": id, "account": account, "amount": amount}
            for id, account, amount in zip(ids, accounts, amounts)
        ]
        made = [payments[number] for number in order]
        words = [f"{one['amount']} to {one['account']!r} (id {one['id']})" for one in made]
        lab.told(f"with the payments {', '.join(words) or 'of nobody'}")
        book, sums, asked = {}, [], {}
        for number in order:
            keys, is_new = set(book), number not in asked
            asked[number] = amounts[number]
            pay(book, payments[number])
            sums.append(sum(book.values()))
            total = sum(asked.values())
            glue = is_new and sums[-1] != total and keys == set(book) and _glue(lab)
            if glue:
                raise Wrong(
                    "idempotence",
                    f"`sum(book.values())` is {sums[-1]} in the end; expected {total}. The last "
                    "payment got no place of its own in `book`, for its key was there already.",
                    glue,
                    "Text that is put together tells no more where one part ends: `A1` and `1` "
                    "make the same as `A` and `11`. The id alone would do, or a tuple.",
                    headline="two payments under one key",
                    at="makes the key",
                )
            book = pickle.loads(cloudpickle.dumps(book))  # as another process gets it
        return {"after each of them, `sum(book.values())` was": sums}

    @sweep(
        lambda some: {
            "order": some.lists(some.integers(0, 2), min_size=1, max_size=3),
            "amounts": some.permutations((5, -5, 20)),
            "accounts": some.sampled_from(("AAA", "ABA")),
        },
        most=15,
    )
    def any_deaths(self, pay, lab, order, amounts, accounts):
        payments = [
            {"id": id, "account": account, "amount": amount}
            for id, account, amount in zip((1, 2, 3), accounts, amounts)
        ]
        made = [payments[number] for number in order]
        words = [f"{one['amount']} to {one['account']!r} (id {one['id']})" for one in made]
        for last, payment in enumerate(made):
            for changes in range(4):
                self.one_death(pay, lab, made[:last], payment, changes, words[: last + 1])
        lab.told(
            f"with the payments {', '.join(words)}; in each the worker died, once or more, "
            "and it was entered again"
        )
        book, sums = Book(lab), []
        for entered, payment in enumerate(made, 1):
            book.died_at = None
            for book.changes_left in range(4):
                try:
                    pay(book, payment)
                except Died:
                    continue
            sums.append(sum(book.values()))
            asked = sum(amounts[number] for number in set(order[:entered]))
            if sums[-1] != asked and book.died_at:
                raise Wrong(
                    "idempotence",
                    f"`sum(book.values())` was {sums[-1]} after payment {entered}; expected "
                    f"{asked}.",
                    book.died_at,
                    "Between two changes of `book` the worker may die, and the next call finds the "
                    "first without the second. Make a payment one change.",
                    headline="half a payment",
                    at="was not done",
                )
        return {"after each of them, `sum(book.values())` was": sums}

    def one_death(self, pay, lab, before, payment, changes, words):
        """Is all well if the worker dies once, after so many changes for the last payment?"""
        book = Book(lab)
        for each in before:
            pay(book, each)
        book.changes_left = changes
        try:
            pay(book, payment)
        except Died:
            book.changes_left = math.inf
            pay(book, payment)
        total = sum(book.values())
        asked = sum({each["id"]: each["amount"] for each in (*before, payment)}.values())
        if total == asked or not book.died_at:
            return
        what = f"a payment of {words[0]}"
        if before:
            what = f"the payments {', '.join(words)}. With the last one,"
        else:
            what += ";"
        lab.told(
            f"with {what} the worker died before its {NTH[changes]} change "
            "of `book`, and the payment was entered again"
        )
        raise Wrong(
            "idempotence",
            f"`sum(book.values())` is {total}; expected {asked}.",
            book.died_at,
            "Between two changes of `book` the worker may die, and the next call finds the "
            "first without the second. Make a payment one change.",
            headline="half a payment",
            at="was not done",
        )

    @right
    def a_place_for_each(book, payment):
        """Enter `payment` into `book`, however often it is called."""
        book[payment["id"]] = payment["amount"]

    @right
    def only_what_is_new(book, payment):
        key = payment["account"], payment["id"]
        if key not in book:
            book[key] = payment["amount"]

    @wrong("idempotence", says="so did its addition")
    def adds_up(book, payment):
        book[payment["account"]] = book.get(payment["account"], 0) + payment["amount"]

    a_new_line = a_place_for_each.but(
        'payment["id"]', "len(book)", kind="idempotence", says="is 30, not 25"
    )

    @wrong("idempotence", says="Only the id")
    def by_account_and_amount(book, payment):
        book[payment["account"], payment["amount"]] = payment["amount"]

    in_two_steps = by_account_and_amount.but(
        'book[payment["account"], payment["amount"]]',
        'key = payment["account"], payment["amount"]\nbook[key]',
        kind="idempotence",
        says="key = payment",
    )

    @wrong("idempotence", says="another one has taken its place")
    def one_payment_an_account(book, payment):
        book[payment["account"]] = payment["amount"]

    @wrong("value", says="which isn't a number")
    def keeps_the_payment(book, payment):
        book[payment["id"]] = payment

    @wrong("idempotence", says="Only `book` outlives it")
    def remembers_here(book, payment, seen=set()):
        if payment["id"] not in seen:
            seen.add(payment["id"])
            book[payment["id"]] = payment["amount"]


def _hash_in(process):
    """`hash` as another process has it: that of a text is another one in each."""
    hash_here = hash

    def hash_there(value):
        if isinstance(value, (str, bytes)):
            return hash_here((process, value))
        if isinstance(value, (tuple, frozenset)):
            of_each = map(hash_there, value)
            return hash_here(tuple(of_each) if isinstance(value, tuple) else frozenset(of_each))
        return hash_here(value)

    return hash_there


def _key_without_id(lab):
    """The one line that makes a key for `book` of a payment, and not of its id."""
    keys = set()
    for node in lab.nodes():
        if isinstance(node, ast.Subscript) and is_named(node.value, ("book",)):
            keys.add(ast.unparse(node.slice))
        elif isinstance(node, ast.Compare) and uses(("book",), node.comparators[0]):
            keys.add(ast.unparse(node.left))
        elif isinstance(node, ast.Call) and is_named(node.func, ("book.*",)) and node.args:
            keys.add(ast.unparse(node.args[0]))
    made = {
        node.lineno
        for node in lab.nodes()
        if isinstance(node, (ast.Assign, ast.NamedExpr))
        for target in getattr(node, "targets", None) or [node.target]
        if ast.unparse(target) in keys and not _is_of_id(node.value)
    }
    return made.pop() if len(made) == 1 else None


def _glue(lab):
    """The one line that puts text together, as it seems for a key."""
    glued = {
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.JoinedStr)
        and sum(isinstance(part, ast.FormattedValue) for part in node.values) > 1
        or isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Mod))
        and _is_of_id(node)
        or isinstance(node, ast.Call)
        and is_named(node.func, ("*.join", "*.format"))
    }
    return glued.pop() if len(glued) == 1 else None


def _is_of_id(node):
    """Whether an expression uses what stands under "id"."""
    return any(isinstance(part, ast.Constant) and part.value == "id" for part in ast.walk(node))
