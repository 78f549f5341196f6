"""Long, for an account loses money in many ways, and each is a class."""

import ast
import asyncio
import inspect
import threading

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.hangs import Stuck

from .shared import APART, ended, made_per_call, now


class PayIn(Exercise):
    """An account that asks its bank

    `bank(euros, change)` is a coroutine function that takes a while: it is told what is in the
    account and what is to be added, and it returns what is in the account then. That is a little
    less than the sum, because the bank takes a fee. Write a class:

    - `Account(bank)` makes an account. Its attribute `euros` is 0 at first.
    - `await account.pay(change)` asks the bank, and writes into `euros` what the bank returned.

    Many tasks call `pay` at the same time, and no payment may be lost. Different accounts do not
    wait for each other. If the bank raises an error, that comes out, `euros` stays as it was, and
    the account can be used as before. The same holds for a payment that is cancelled.
    """

    id = "account-1"
    asks = "Account"
    minutes = 8
    hints = (
        "Here an await must stand between reading `euros` and writing it. What keeps the others "
        "out in the meantime?",
        "A lock keeps out those who ask for the same lock. Where do you make it, so that all calls "
        "for one account share it, and two accounts do not?",
        "`self.lock = asyncio.Lock()` in `__init__`, and `async with self.lock:` around the asking "
        "and the writing.",
    )

    def verify(self, Account, lab):
        lab.run(self._days(Account, lab))

    async def _days(self, Account, lab):
        bank = self._bank()
        account = lab.call(Account, bank)
        if not hasattr(account, "euros"):
            raise Wrong(
                "value",
                "The account has no attribute `euros`.",
                lab.definition("__init__"),
                "`self.euros = 0` in `__init__`.",
            )
        lab.equal(account.euros, 0, what="`euros` is")
        lab.told("and paid in 5 euros")
        await self._pay(account, lab, 5)
        if inspect.iscoroutine(account.euros):
            account.euros.close()
            raise Wrong(
                "not awaited",
                "`euros` is a coroutine, `bank`, that nobody awaited.",
                lab.call_of("bank"),
            )
        if not bank.asked:
            raise Wrong(
                "value",
                "When `pay` was over, the bank had not been asked.",
                try_="`await self.bank(self.euros, change)` returns what is in the account then.",
                headline="did not ask the bank",
            )
        if account.euros == 5:
            raise Wrong(
                "value",
                "The bank took a fee of 1 euro, and `euros` is 5; expected 4.",
                _added_itself(lab) or lab.assigned("euros", to=ast.BinOp),
                "The bank says what is in the account then: write what its call returns.",
                headline="did not write what the bank returned",
            )
        lab.equal(account.euros, 4, what="the bank took a fee of 1 euro, and `euros` is")

        lab.told("and paid in 10, 20 and 30 euros at the same time")
        account = Account(bank)
        await self._pay(account, lab, 10, 20, 30)
        if account.euros != 57:
            observed = (
                f"The fee is 1 euro each time. `euros` is {account.euros} in the end, and not 57."
            )
            if line := made_per_call(lab):
                raise Wrong(
                    "lock per call",
                    observed,
                    line,
                    "A lock keeps out only those who ask for the same lock. Make it where "
                    "the account is made, in `__init__`.",
                )
            raise Wrong(
                "lost update",
                observed,
                _read_before(lab) or lab.await_of(),
                "While the bank was asked others read `euros` too. Hold one lock for the "
                "account around reading, asking and writing.",
            )

        if bank.peak > 1:
            raise Wrong(
                "lost update",
                "The right sum came out, but the payments were at the bank at the same time: it "
                "wasn't told what is in the account after the payment before.",
                lab.await_of(),
                "The bank has to know what is in the account then. Hold one lock for the account "
                "around reading, asking and writing.",
                headline="told the bank an old sum",
            )

        lab.told("for Ann and for Ben, and paid in twice for each, at the same time")
        begin, ann, ben = now(), Account(bank), Account(bank)
        async with asyncio.TaskGroup() as group:
            for owner in ann, ben, ann, ben:
                group.create_task(self._pay(owner, lab, 10))
        if 2.001 < now() - begin < 3.9:
            raise Wrong(
                "polling",
                f"It took {now() - begin:g} s. The bank takes 1 s each time, so two "
                "payments into one account take 2 s.",
                lab.call_of("sleep"),
                "Do not check every now and then whether it is your turn: a lock wakes you.",
                headline="asks again and again",
            )
        if now() - begin > 2.001:
            raise Wrong(
                "lock too wide",
                f"It took {now() - begin:g} s. The bank takes 1 s each time, so two "
                "payments into one account take 2 s.",
                lab.call_of("Lock") or lab.earliest(lab.async_with(), lab.call_of("acquire")),
                "Two accounts have nothing to protect from each other. Make a lock for "
                "each, in `__init__`.",
                headline="one lock for all accounts",
            )

        lab.told("and paid in 13 euros, which the bank refused, and then 7")
        account = Account(bank)
        try:
            await self._pay(account, lab, 13)
        except Refused:
            pass
        else:
            raise lab.lost_error(
                "The bank raised Refused, and that had to come out.", Refused, line=lab.handler()
            )
        lab.equal(account.euros, 0, what="after the refusal `euros` is")
        await self._pay(account, lab, 7)
        lab.equal(account.euros, 6, what="after the fee of 1 euro `euros` is")

    async def _pay(self, account, lab, *changes):
        paying = []
        for change in changes:
            paying.append(lab.awaitable(account.pay(change), "pay"))
        if len(paying) == 1:
            await paying[0]
        else:
            await asyncio.gather(*paying)

    def _bank(self):
        async def bank(euros, change):
            bank.asked.append((euros, change))
            bank.inside += 1
            bank.peak = max(bank.peak, bank.inside)
            try:
                await asyncio.sleep(1)
            finally:
                bank.inside -= 1
            if ended := bank.ends.get(len(bank.asked)):
                asyncio.get_running_loop().call_soon(ended)  # before anybody hears of it
            if change == 13:
                raise Refused("the bank takes no 13")
            return euros + change - 1

        bank.asked, bank.ends, bank.inside, bank.peak = [], {}, 0, 0
        return bank

    @sweep(
        lambda some: {
            "changes": some.lists(some.sampled_from([0, 1, -2, 2.5, 10, 13]), max_size=4),
            "others": some.lists(some.sampled_from([0, 5, 13]), max_size=2),
        },
        most=20,
    )
    def any_payments(self, Account, lab, changes, others):
        lab.told(
            f"and paid in {_sums(changes)}, {_sums(others)} into another account, and then 7 into "
            f"each{_refused(changes + others)}"
        )
        return self._paid(Account, lab, [changes, others], lambda tasks, bank: None)

    @sweep(
        lambda some: {
            "changes": some.lists(some.sampled_from([0, 10, 13]), min_size=1, max_size=3),
            "number": some.integers(0, 2),
            "after": some.sampled_from([0.5, 1.5, "turn"]),
        },
        besides=[{"changes": [10, 20], "number": 1, "after": "turn"}],
        most=14,
    )
    def one_is_cancelled(self, Account, lab, changes, number, after):
        number = min(number, len(changes) - 1)
        when = f"after {after} s" if after != "turn" else "in the moment in which its turn came"
        # Nothing is refused before 1 s, so what was cancelled before that never is.
        others = changes[:number] + changes[number + 1 :]
        refused = _refused(others if after == 0.5 else changes)
        if others:
            lab.told(
                f"and paid in {_sums(changes)}, and then 7; of the first {len(changes)}, number "
                f"{number + 1} was cancelled {when}{refused}"
            )
        else:
            lab.told(f"and paid in {_sums(changes)}, which I cancelled {when}, and then 7{refused}")

        def cancel(tasks, bank):
            def now():
                waited.append(lab.where(tasks[number]))
                tasks[number].cancel()

            banks.append(bank)
            if after == "turn":
                bank.ends[max(number, 1)] = now
            else:
                asyncio.get_running_loop().call_later(after, now)

        banks, waited = [], []
        try:
            seen = self._paid(Account, lab, [changes], cancel)
        except Stuck:
            if not (line := lab.text.narrow_cleanup("release")):
                raise
            raise Wrong(
                "deadlock",
                "The payment after it waited for ever.",
                line,
                "A CancelledError is no `Exception`: it passes by, and nothing is released. "
                "A `finally` is on every way out, and so is the end of an `async with`.",
                at="doesn't catch a cancellation",
            ) from None
        (bank,) = banks
        if bank.peak > 1:
            raise Wrong(
                "lost update",
                "Then two payments into the account were at the bank at the same time.",
                waited[0] if waited else None,
                "A payment that is cancelled while it waits has had no turn, and must not let the "
                "next one begin. A lock that is taken with `async with` sees to that.",
                headline="let another one in",
            )
        ends, (_, (euros,)), _ = seen.values()
        due = 6 + sum(change - 1 for change, end in zip(changes, ends) if end == "paid")
        if ends[number] == "cancelled" and euros == due + changes[number] - 1:
            raise Wrong(
                "cancel passed on",
                "The cancelled payment was made all the same, and its fee was taken: `euros` is "
                f"{euros} in the end, and not {due}.",
                lab.call_of(*APART),
                "What is shielded, or runs in a task of its own, may go on when `pay` is "
                "cancelled. Await the bank's call without that.",
                headline="made a cancelled payment",
            )
        return seen

    def _paid(self, Account, lab, all_changes, cancel):
        """What came of payments into an account each, all at once, and then one more into each."""
        bank = self._bank()

        async def days():
            accounts = [Account(bank) for _ in all_changes]
            tasks = [
                asyncio.ensure_future(lab.awaitable(account.pay(change), "pay"))
                for account, changes in zip(accounts, all_changes)
                for change in changes
            ]
            cancel(tasks, bank)
            if tasks:
                outcomes.extend(await ended(tasks))
            before = [account.euros for account in accounts]
            for account in accounts:
                await lab.awaitable(account.pay(7), "pay")
            return before, [account.euros for account in accounts]

        outcomes = []
        run = lab.run(days())
        for outcome in outcomes:
            if isinstance(outcome, RuntimeError):
                raise outcome  # of the answer's own lock
        if run.error:
            raise run.error
        errors = [each if isinstance(each, (str, Exception)) else "paid" for each in outcomes]
        return {
            "the payments ended as": errors,
            "`euros` was, before and after the last payment,": run.result,
            "": lab.seen(run, without=("result",)),
        }

    @right
    class with_a_lock:
        """An account that no two tasks change at once."""

        def __init__(self, bank):
            self.bank = bank
            self.euros = 0
            self.lock = asyncio.Lock()

        async def pay(self, change):
            async with self.lock:
                self.euros = await self.bank(self.euros, change)

    @right
    class by_hand:
        def __init__(self, bank):
            self.bank, self.euros, self.free = bank, 0, asyncio.Semaphore(1)

        async def pay(self, change):
            await self.free.acquire()
            try:
                self.euros = await self.bank(self.euros, change)
            finally:
                self.free.release()

    @wrong("lost update", says="`euros` is 29 in the end, and not 57")
    class no_lock:
        def __init__(self, bank):
            self.bank, self.euros = bank, 0

        async def pay(self, change):
            self.euros = await self.bank(self.euros, change)

    @wrong("lock per call", says="makes it: `async with asyncio.Lock():`")
    class lock_per_call:
        def __init__(self, bank):
            self.bank, self.euros = bank, 0

        async def pay(self, change):
            async with asyncio.Lock():
                self.euros = await self.bank(self.euros, change)

    @wrong("lock too wide", says="It took 4 s")
    class lock_of_the_class:
        lock = asyncio.Lock()

        def __init__(self, bank):
            self.bank, self.euros = bank, 0

        async def pay(self, change):
            async with self.lock:
                self.euros = await self.bank(self.euros, change)

    @wrong("deadlock", says="which the bank refused, and then 7")
    class keeps_the_lock:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            await self.lock.acquire()
            self.euros = await self.bank(self.euros, change)
            self.lock.release()

    @wrong("deadlock", says="A CancelledError is no `Exception`")
    class keeps_the_lock_when_cancelled:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            await self.lock.acquire()
            try:
                self.euros = await self.bank(self.euros, change)
            except Exception:
                self.lock.release()
                raise
            self.lock.release()

    @wrong("lost update", says="others read `euros` too")
    class reads_before_the_lock:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            before = self.euros
            async with self.lock:
                self.euros = await self.bank(before, change)

    @wrong("lost update", says="`await before.wait()`")
    class chain_of_events:
        def __init__(self, bank):
            self.bank, self.euros, self.last = bank, 0, None

        async def pay(self, change):
            before, self.last = self.last, asyncio.Event()
            over = self.last
            try:
                if before:
                    await before.wait()
                self.euros = await self.bank(self.euros, change)
            finally:
                over.set()

    @wrong("value", says="the bank had not been asked")
    class adds_itself:
        def __init__(self, bank):
            self.bank, self.euros = bank, 0

        async def pay(self, change):
            self.euros += change

    @wrong("not awaited", says="`euros` is a coroutine")
    class forgets_to_await:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            async with self.lock:
                self.euros = self.bank(self.euros, change)

    @wrong("value", says="took a fee of 1 euro")
    class asks_and_adds_itself:
        def __init__(self, bank):
            self.bank, self.euros = bank, 0

        async def pay(self, change):
            await self.bank(self.euros, change)
            self.euros += change

    @wrong("polling", says="a lock wakes you")
    class polls:
        def __init__(self, bank):
            self.bank, self.euros, self.busy = bank, 0, False

        async def pay(self, change):
            while self.busy:
                await asyncio.sleep(0.3)
            self.busy = True
            try:
                self.euros = await self.bank(self.euros, change)
            finally:
                self.busy = False

    @wrong("raised", says="`async with`")
    class plain_with:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            with self.lock:
                self.euros = await self.bank(self.euros, change)

    lock_of_threads = plain_with.but(
        "asyncio.Lock()", "threading.Lock()", kind="blocked", says="The whole thread stood still"
    )


class Refused(Exception):
    """The bank says no."""


def _sums(changes):
    """Payments into one account, in words."""
    if not changes:
        return "nothing"
    return f"{listed(map(str, changes))} euros" + " at the same time" * (len(changes) > 1)


def _refused(changes):
    return "; the bank refuses 13" if 13 in changes else ""


def _read_before(lab):
    """Where `euros` is read before a lock is held, if one is held at all."""
    reads = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Attribute) and node.attr == "euros"
        if isinstance(node.ctx, ast.Load)
    ]
    holds = lab.async_with() or lab.call_of("acquire")
    return lab.earliest(*(line for line in reads if holds and line < holds))


def _added_itself(lab):
    """Where the answer adds to `euros` itself, or None."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.AugAssign) and ast.unparse(node.target).endswith("euros")
        )
    )
