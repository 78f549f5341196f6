"""Exercises of lesson 13: what tasks share, and how they keep out of each other's way."""

import ast
import asyncio
import contextvars
import functools
import inspect
import threading

from helpers.coach import Exercise, Wrong, right, wrong

LOCKS = ("lock", "semaphore", "boundedsemaphore", "condition")


def made_per_call(lab):
    """Line at which an `async def` makes a lock, so anew in each call; None if none does, or if it
    may be made once and kept: `locks.setdefault(key, Lock())`, or in an `if`.
    """
    for function in lab.text.nodes():
        if isinstance(function, ast.AsyncFunctionDef):
            kept = set()
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and called(node) == "setdefault":
                    kept.update(node.args)
                elif isinstance(node, ast.If):
                    kept.update(
                        inner.value
                        for inner in ast.walk(node)
                        if isinstance(inner, ast.Assign)
                        and isinstance(inner.targets[-1], (ast.Subscript, ast.Attribute))
                    )
            for node in ast.walk(function):
                # `self.lock()` too, where `lock` is the class
                if isinstance(node, ast.Call) and called(node).lower() in LOCKS:
                    if node not in kept:
                        return node.lineno
    return None


def called(call):
    """The name of what a call calls, without what stands before its last dot."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def last_await(lab):
    """Line of the last `await` of the answer; None if there is none."""
    lines = [node.lineno for node in lab.text.nodes() if isinstance(node, ast.Await)]
    return max(lines, default=None)


def first_line_of(lab, name):
    """Line of the first statement of the answer's function `name`, after its docstring; or None."""
    for node in lab.text.nodes():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            body = node.body[1:] if ast.get_docstring(node) and node.body[1:] else node.body
            return body[0].lineno
    return None


def now():
    """Seconds on the running loop's clock."""
    return round(asyncio.get_running_loop().time(), 6)


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
        lab.told('once, with `totals` {"a": 100}, and 3 was fetched')
        totals = {"a": 100}
        lab.run(self._all(add, totals, [("a", 3, 1)]))
        lab.equal(totals, {"a": 103}, what="`totals` is")
        lab.told(
            'five times at once, with `totals` {"a": 100}: 1, 2 and 4 were fetched for "a", '
            '10 and 20 for "b"'
        )
        totals = {"a": 100}
        calls = [("a", 1, 3), ("a", 2, 2), ("b", 10, 2), ("a", 4, 2), ("b", 20, 1)]
        run = lab.run(self._all(add, totals, calls))
        if totals != {"a": 107, "b": 30}:
            self._name_loss(totals, lab)
        if run.elapsed > 3.001:
            raise Wrong(
                "one at a time",
                f"It took {run.elapsed:g} s; the longest fetch takes 3 s.",
                lab.line(r"\bwith\b|acquire"),
                "A lock that is held while you fetch lets one task fetch at a time. Fetch "
                "outside of it.",
            )

    async def _all(self, add, totals, calls):
        async with asyncio.TaskGroup() as group:
            for call in calls:
                fetch = self._fetch(iter([call]))
                group.create_task(as_coroutine(add(totals, call[0], fetch)))

    def _fetch(self, calls):
        """`fetch` for one call of the answer. calls: an iterator over (name, number, seconds)."""

        async def fetch(name):
            asked, number, seconds = next(calls, (None, 0, 0))
            if asked is None:
                raise Wrong(
                    "fetched twice",
                    "One call of `add` fetched more than once.",
                    try_="Fetch once, and keep the number.",
                )
            if asked != name:
                raise Wrong("value", f"`fetch` was called with {name!r}, and not with {asked!r}.")
            await asyncio.sleep(seconds)
            return number

        return fetch

    def _name_loss(self, totals, lab):
        if totals.keys() == {"a", "b"} and totals["a"] <= 107 and totals["b"] <= 30:
            observed = f"`totals` is {totals} in the end; 107 and 30 are asked."
            if line := made_per_call(lab):
                raise Wrong("lock per call", observed, line)
            raise Wrong("lost update", observed, lab.line(r"totals.*\bawait\b") or last_await(lab))
        lab.equal(totals, {"a": 107, "b": 30}, what="`totals` is")

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

    @wrong("lost update", says="107 and 30 are asked")
    async def in_one_line(totals, name, fetch):
        totals[name] = totals.get(name, 0) + await fetch(name)

    @wrong("lost update", says="Line 3")
    async def with_plus_equals(totals, name, fetch):
        totals.setdefault(name, 0)
        totals[name] += await fetch(name)

    @wrong("lost update", says="Line 7: `number = await fetching`")
    async def reads_before_the_task_is_done(totals, name, fetch):
        fetching = asyncio.create_task(fetch(name))
        before = totals.get(name, 0)
        number = await fetching
        totals[name] = before + number

    @wrong("lost update")
    async def reads_first(totals, name, fetch):
        before = totals[name] if name in totals else 0
        number = await fetch(name)
        totals[name] = before + number

    @wrong("lost update", says="Line 7: `await asyncio.sleep(0)`")
    async def pauses_in_between(totals, name, fetch):
        number = await fetch(name)
        before = totals.get(name, 0)
        await asyncio.sleep(0)
        totals[name] = before + number

    @wrong("lock per call", says="Make one, outside, and share it")
    async def with_a_lock_of_its_own(totals, name, fetch):
        lock = asyncio.Lock()
        async with lock:
            totals[name] = totals.get(name, 0) + await fetch(name)

    @wrong("value", says="103")
    async def forgets_the_total(totals, name, fetch):
        totals[name] = await fetch(name)

    @wrong("raised", says="KeyError")
    async def no_default(totals, name, fetch):
        number = await fetch(name)
        totals[name] += number


class PayIn(Exercise):
    """An account that asks its bank

    `bank(euros, change)` is a coroutine function that takes a while: it is told what is in the
    account and what is to be added, and it returns what is in the account then. (That is a little
    less than the sum, for the bank takes a fee.) Write a class:

    - `Account(bank)` makes an account. Its attribute `euros` is 0 at first.
    - `await account.pay(change)` asks the bank, and writes into `euros` what the bank returned.

    Many tasks call `pay` at the same time, and no payment may be lost. Different accounts do not
    wait for each other. If the bank raises an error, that comes out, `euros` stays as it was, and
    the account can be used as before.
    """

    id = "account-1"
    asks = "Account"
    minutes = 8
    hints = (
        "Here an await must stand between reading `euros` and writing it. Who keeps the others out "
        "in the meantime?",
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
                lab.line("__init__"),
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
                lab.line(r"\bbank\("),
            )
        if not bank.asked:
            raise Wrong(
                "did not ask the bank",
                "When `pay` was over, the bank had not been asked.",
                try_="`await self.bank(self.euros, change)` returns what is in the account then.",
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
                lab.line(r"\bawait\b"),
                "While the bank was asked others read `euros` too. Hold one lock for the "
                "account around reading, asking and writing.",
            )

        lab.told("for Ann and for Ben, and paid in twice for each, at the same time")
        begin, ann, ben = now(), Account(bank), Account(bank)
        async with asyncio.TaskGroup() as group:
            for owner in ann, ben, ann, ben:
                group.create_task(self._pay(owner, lab, 10))
        if 2.001 < now() - begin < 3.9:
            raise Wrong(
                "asks again and again",
                f"It took {now() - begin:g} s. The bank takes 1 s each time, so two "
                "payments into one account take 2 s.",
                lab.line(r"sleep\("),
                "Do not ask every now and then whether it is your turn: a lock wakes you.",
            )
        if now() - begin > 2.001:
            raise Wrong(
                "one lock for all accounts",
                f"It took {now() - begin:g} s. The bank takes 1 s each time, so two "
                "payments into one account take 2 s.",
                lab.line(r"Lock\(") or lab.line(r"async with|acquire"),
                "Two accounts have nothing to protect from each other. Make a lock for "
                "each, in `__init__`.",
            )

        lab.told("and paid in 13 euros, which the bank refused, and then 7")
        account = Account(bank)
        try:
            await self._pay(account, lab, 13)
        except Refused:
            pass
        else:
            raise Wrong(
                "lost error",
                "The bank raised Refused, and that had to come out.",
                lab.line(r"\bexcept\b"),
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
            await asyncio.sleep(1)
            if change == 13:
                raise Refused("the bank takes no 13")
            return euros + change - 1

        bank.asked = []
        return bank

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

    @wrong("one lock for all accounts", says="It took 4 s")
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

    @wrong("lost update", says="others read `euros` too")
    class reads_before_the_lock:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

        async def pay(self, change):
            before = self.euros
            async with self.lock:
                self.euros = await self.bank(before, change)

    @wrong("did not ask the bank", says="the bank had not been asked")
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

    @wrong("asks again and again", says="a lock wakes you")
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

    @wrong("blocked", says="The whole thread stood still")
    class lock_of_threads:
        def __init__(self, bank):
            self.bank, self.euros, self.lock = bank, 0, threading.Lock()

        async def pay(self, change):
            with self.lock:
                self.euros = await self.bank(self.euros, change)


class Refused(Exception):
    """The bank says no."""


class BuyBread(Exercise):
    """Wait for bread

    `shelf` is a list of loaves, and `changed` is the `asyncio.Condition` that belongs to it. Who
    changes the shelf, or wants to know what is on it, holds the lock of `changed`. A baker who
    brings a loaf calls `notify_all()`.

    Write `buy(changed, shelf)`, a coroutine function: it takes the first loaf from the shelf and
    returns it. If there is none, it waits until there is. There may be other customers, and a
    baker may notify for other reasons, too.
    """

    id = "bread-1"
    asks = "buy"
    minutes = 6
    hints = (
        "Who is woken must take the lock again, and somebody else may have it first. What may he "
        "have done?",
        "After each waking, look again: `while` and not `if`.",
        "`await changed.wait_for(lambda: shelf)` does the looking, the waiting, and the looking "
        "again.",
    )

    def verify(self, buy, lab):
        lab.told("when two loaves were there")
        shelf = ["rye", "oat"]
        run = lab.run(self._day(buy, lab, shelf, customers=1, bakes=()))
        lab.equal([loaf for loaf, _ in run.result], ["rye"])
        lab.equal(shelf, ["oat"], what="the shelf then held")

        lab.told("when the shelf was empty; a loaf came after 1.03 s")
        self._bought(lab, buy, [(1.03, "rye")])

        lab.told(
            "when the shelf was empty; at 1 s the baker notified and had brought nothing, at "
            "2.03 s he brought a loaf"
        )
        self._bought(lab, buy, [(1, None), (2.03, "rye")])

        lab.told(
            "twice at once, when the shelf was empty; a loaf came after 1 s, and another one "
            "after 2.03 s"
        )
        self._bought(lab, buy, [(1, "rye"), (2.03, "oat")], customers=2)

        lab.told(
            "when the shelf was empty, and a baker held the lock for 1 s while he brought a loaf"
        )
        self._bought(lab, buy, [(1, "rye")], holds=True)

    def _bought(self, lab, buy, bakes, customers=1, holds=False):
        shelf = []
        try:
            run = lab.run(self._day(buy, lab, shelf, customers, bakes, holds))
        except* IndexError:
            raise Wrong(
                "did not look again",
                "A customer had waited, and took a loaf from a shelf that was empty: IndexError.",
                lab.line(r"\bif\b|\bwait\("),
                "To be notified means to look again. Use `while` instead of `if`, or "
                "`changed.wait_for`.",
            ) from None
        brought = [(loaf, when) for when, loaf in bakes if loaf]
        got = sorted(run.result, key=lambda pair: pair[1])
        if any(loaf is None for loaf, _ in got):
            raise Wrong(
                "did not look again",
                "A customer came back without a loaf.",
                lab.line(r"\bif\b|\bwait\("),
                "To be notified means to look again. Use `while` instead of `if`, or "
                "`changed.wait_for`.",
            )
        lab.equal([loaf for loaf, _ in got], [loaf for loaf, _ in brought], what="the loaves were")
        late = [(when, came) for (_, when), (_, came) in zip(got, brought) if when > came + 1e-6]
        if late:
            taken, came = late[0]
            raise Wrong(
                "asks again and again",
                f"A loaf came at {came:g} s, and was taken at {taken:g} s.",
                lab.line(r"sleep\("),
                "Do not ask every now and then. The baker notifies you: wait for that.",
            )

    async def _day(self, buy, lab, shelf, customers, bakes, holds=False):
        """Customers buy; the baker notifies at each time of `bakes`, with a loaf or None.

        holds: he takes the lock at the beginning, and not when he comes.
        """
        changed, got = asyncio.Condition(), []

        async def customer():
            loaf = await as_coroutine(buy(changed, shelf))
            got.append((loaf, now()))

        async with asyncio.TaskGroup() as group:
            for number in range(customers):
                group.create_task(customer(), name=f"customer {number + 1}")
            for when, loaf in bakes:
                if not holds:
                    await asyncio.sleep(when - now())
                async with changed:
                    await asyncio.sleep(when - now())
                    if loaf:
                        shelf.append(loaf)
                    changed.notify_all()
        if changed.locked():
            raise Wrong(
                "kept the lock",
                "It returned, and the lock of `changed` is still held.",
                lab.line(r"acquire\("),
                "`async with changed:` gives it back however the block ends.",
            )
        return got

    @right
    async def with_wait_for(changed, shelf):
        """Take the first loaf, as soon as there is one."""
        async with changed:
            await changed.wait_for(lambda: shelf)
            return shelf.pop(0)

    @right
    async def with_while(changed, shelf):
        async with changed:
            while not shelf:
                await changed.wait()
            return shelf.pop(0)

    @wrong("did not look again", says="Use `while` instead of `if`")
    async def with_if(changed, shelf):
        async with changed:
            if not shelf:
                await changed.wait()
            return shelf.pop(0)

    @wrong("did not look again", says="came back without a loaf")
    async def looks_once_more(changed, shelf):
        async with changed:
            if not shelf:
                await changed.wait()
            return shelf.pop(0) if shelf else None

    @wrong("deadlock", says="when two loaves were there")
    async def always_waits(changed, shelf):
        async with changed:
            await changed.wait()
            return shelf.pop(0)

    @wrong("raised", says="RuntimeError")
    async def without_the_lock(changed, shelf):
        while not shelf:
            await changed.wait()
        return shelf.pop(0)

    @wrong("deadlock", says="a baker held the lock")
    async def looks_before_the_lock(changed, shelf):
        while not shelf:
            async with changed:
                await changed.wait()
        return shelf.pop(0)

    @wrong("asks again and again", says="A loaf came at 1.03 s")
    async def polls(changed, shelf):
        while not shelf:
            await asyncio.sleep(0.1)
        return shelf.pop(0)

    @wrong("endless", says="still going round")
    async def sleeps_with_the_lock(changed, shelf):
        async with changed:
            while not shelf:
                await asyncio.sleep(0.1)
            return shelf.pop(0)

    @wrong("value", says="rye")
    async def takes_the_last(changed, shelf):
        async with changed:
            await changed.wait_for(lambda: shelf)
            return shelf.pop()


class RequestLog(Exercise):
    """Whose line is it?

    A server works on many requests at the same time, a task each, and all of them write into one
    log. Write a class:

    - `Log()` makes a log. Its attribute `lines` is a list, empty at first.
    - `log.begin(number)` notes the number of the request that the calling task works on.
    - `log.say(text)` adds the pair `(number, text)` to `lines`, with the number of the request in
      which it is called, or `None` where none has begun.

    Both are plain methods, nothing is awaited. A task that is created by a request's task belongs
    to that request.
    """

    id = "request-log-1"
    asks = "Log"
    minutes = 7
    hints = (
        "An attribute of the log is one for all tasks: whoever wrote last is read by all.",
        "A context variable has a value in each task, and a new task gets a copy of the values of "
        "the one that creates it.",
        '`contextvars.ContextVar("request", default=None)` makes one; it has `set(value)` and '
        "`get()`.",
    )

    def verify(self, Log, lab):
        lab.run(self._served(Log, lab))

    async def _served(self, Log, lab):
        log = lab.call(Log)
        lab.told("and called `say` before any request had begun")
        self._plain(lab, log.say("open"), "say")
        self._said(lab, log, [(None, "open")])

        async def request(number, child):
            self._plain(lab, log.begin(number), "begin")
            await asyncio.sleep(1)
            if child:
                await asyncio.create_task(self._child(log))
            log.say("page")

        lab.told("and let three requests at once each begin, sleep, and say a word")
        log = Log()
        if self._pairs(lab, log):
            raise Wrong(
                "one list for all logs",
                f"A new log already held {log.lines!r}.",
                lab.line(r"\blines\b.*="),
                "`self.lines = []` in `__init__` makes a list for each log.",
            )
        await asyncio.gather(*(request(number, False) for number in (1, 2, 3)))
        numbers = [number for number, _ in self._pairs(lab, log)]
        observed = (
            f"The three lines were noted for {', '.join(map(str, numbers))}, and not for "
            "1, 2 and 3."
        )
        if None in numbers:
            raise Wrong(
                "value",
                observed,
                first_line_of(lab, "begin"),
                "What `begin` sets must still be there when the same task calls `say`.",
            )
        if sorted(numbers, key=str) != [1, 2, 3]:
            raise Wrong(
                "shared by all requests",
                observed,
                first_line_of(lab, "begin"),
                "There is one such place for all tasks, and the last one who wrote is read "
                "by all. A ContextVar has a value for each task.",
            )
        self._said(lab, log, [(1, "page"), (2, "page"), (3, "page")])

        lab.told("and had the task of request 7 create a task that says a word")
        log = Log()
        await asyncio.create_task(request(7, True))
        if (None, "query") in log.lines:
            raise Wrong(
                "lost in a child task",
                "The line of the task that request 7 had created was noted for None.",
                first_line_of(lab, "begin"),
                "It belongs to request 7 as well. A new task gets a copy of its creator's "
                "context variables.",
            )
        self._said(lab, log, [(7, "query"), (7, "page")])
        lab.told("and called `say` when the task of request 7 was over")
        log.say("close")
        self._said(lab, log, [(7, "query"), (7, "page"), (None, "close")])

    async def _child(self, log):
        await asyncio.sleep(1)
        log.say("query")

    def _plain(self, lab, returned, name):
        if inspect.iscoroutine(returned):
            returned.close()
            raise Wrong(
                "not a plain method",
                f"`{name}` returned a coroutine.",
                lab.line(rf"async def {name}"),
                f"Nothing is awaited in there: `def {name}`.",
            )

    def _pairs(self, lab, log):
        lines = log.lines
        if not all(isinstance(line, tuple) and len(line) == 2 for line in lines):
            raise Wrong("value", f"`lines` is {lines!r}; asked are tuples (number, text).")
        return lines

    def _said(self, lab, log, expected):
        if self._pairs(lab, log) != expected:
            raise Wrong("value", f"`lines` is {log.lines!r}; asked is {expected!r}.")

    @right
    class with_a_context_variable:
        """A log that knows to which request a line belongs."""

        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @right
    class one_for_all_logs:
        request = contextvars.ContextVar("request", default=None)

        def __init__(self):
            self.lines = []

        def begin(self, number):
            type(self).request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("shared by all requests", says="Line 7: `self.number = number`")
    class in_an_attribute:
        def __init__(self):
            self.lines = []
            self.number = None

        def begin(self, number):
            self.number = number

        def say(self, text):
            self.lines.append((self.number, text))

    @wrong("shared by all requests", says="There is one such place for all tasks")
    class for_each_thread:
        def __init__(self):
            self.lines = []
            self.local = threading.local()

        def begin(self, number):
            self.local.number = number

        def say(self, text):
            self.lines.append((getattr(self.local, "number", None), text))

    @wrong("shared by all requests", says="noted for 3, 3, 3")
    class a_dict_in_the_variable:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default={})

        def begin(self, number):
            self.request.get()["number"] = number

        def say(self, text):
            self.lines.append((self.request.get().get("number"), text))

    @wrong("value", says="noted for None, None, None")
    class takes_it_back:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            token = self.request.set(number)
            self.request.reset(token)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("one list for all logs", says="for each log")
    class one_list:
        lines = []
        request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("lost in a child task", says="noted for None")
    class by_task:
        def __init__(self):
            self.lines = []
            self.numbers = {}

        def begin(self, number):
            self.numbers[asyncio.current_task()] = number

        def say(self, text):
            self.lines.append((self.numbers.get(asyncio.current_task()), text))

    @wrong("not a plain method", says="`def say`")
    class asynchronous:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            self.request.set(number)

        async def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("raised", says="LookupError")
    class no_default:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request")

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))


class Limited(Exercise):
    """A function with a limit

    Write `limited(fetch, most)`, a plain function. `fetch` is a coroutine function of one argument.
    It returns a coroutine function `get(page)` that does what `fetch(page)` does: it returns the
    same or raises the same. But of all who call `get` at the same time, at most `most` are in
    `fetch` at any moment. The others wait, and go on as soon as there is a place.
    """

    id = "limited-1"
    asks = "limited"
    minutes = 7
    hints = (
        "A semaphore is a lock with several places. Who must share it: those who call `limited`, "
        "or those who call what it returns?",
        "Make the semaphore in `limited`, and use it in the inner function.",
        "Inside: `async with places: return await fetch(page)`.",
    )

    def verify(self, limited, lab):
        fetch = lab.service(0.937)
        lab.told("with `most` 2, and six tasks called what it returned at once")
        run = lab.run(self._six(limited, lab, fetch, range(6)))
        lab.equal(run.result, [f"page {number}" for number in range(6)], what="they got")
        if fetch.peak > 2:
            observed = f"{fetch.peak} of them were in `fetch` at once; at most 2 may be."
            if line := made_per_call(lab):
                raise Wrong(
                    "lock per call",
                    observed,
                    line,
                    "A semaphore limits only those who share it. Make it once, in "
                    "`limited`, and not in the function that is called each time.",
                )
            line = lab.line(r"Semaphore\(") if fetch.peak == 3 else None
            raise Wrong("limit", observed, line or lab.line(r"\bfetch\("))
        if fetch.peak < 2:
            raise Wrong(
                "one at a time",
                "Only 1 of them was in `fetch` at a time; 2 may be.",
                lab.line(r"Lock\(|Semaphore\("),
                "A lock has one place. A semaphore has as many as you say.",
            )
        self._in_time(lab, run)

        lab.told("with `most` 3, and six tasks called what it returned at once")
        fetch = lab.service(0.937)
        lab.run(self._six(limited, lab, fetch, range(6), most=3))
        if fetch.peak != 3:
            raise Wrong(
                "another limit",
                f"{fetch.peak} of them were in `fetch` at once, and not 3.",
                lab.line(r"Lock\(|Semaphore\("),
                "The limit is `most`.",
            )

        lab.told(
            "with `most` 2, and six tasks called what it returned; `fetch` failed for pages 0 and 1"
        )
        failing = lab.service(0.937, errors={0: OSError("page 0"), 1: OSError("page 1")})
        run = lab.run(self._six(limited, lab, failing, range(6)))
        for page, result in enumerate(run.result[:2]):
            if result != f"raised OSError('page {page}')":
                raise Wrong(
                    "lost error",
                    f"The caller of page {page} got {result!r}, and not the OSError.",
                    lab.line(r"\bexcept\b|suppress"),
                )
        lab.equal(
            run.result[2:], [f"page {number}" for number in range(2, 6)], what="the others got"
        )
        self._in_time(lab, run)

        lab.told("twice, with `most` 2 each, and six tasks called each of the two")
        one, two = lab.service(0.937), lab.service(0.937)
        run = lab.run(self._both(limited, lab, one, two))
        self._in_time(lab, run)

    def _in_time(self, lab, run):
        if run.elapsed > 3 * 0.937 + 0.001:
            raise Wrong(
                "left places empty",
                f"It took {run.elapsed:g} s. With two places, and "
                "0.937 s for each page, it takes 2.811 s.",
                lab.line(r"sleep\(|Semaphore\(|Lock\("),
                "Who leaves must wake the next one at once: a semaphore does that.",
            )

    async def _both(self, limited, lab, one, two):
        await asyncio.gather(
            self._six(limited, lab, one, range(6)), self._six(limited, lab, two, range(6))
        )

    async def _six(self, limited, lab, fetch, pages, most=2):
        """What each caller got: a result, or "raised …"."""
        get = limited(fetch, most)
        if inspect.iscoroutine(get):
            get.close()
            raise Wrong(
                "not a plain function",
                "It returned a coroutine.",
                lab.line(r"async def limited"),
                "`limited` itself waits for nothing: `def limited`. What it returns is "
                "`async def`.",
            )
        if not callable(get):
            raise Wrong(
                "value",
                f"It returned {get!r}; asked is a coroutine function.",
                try_="Define a function inside, and return it without calling it.",
            )

        async def caller(page):
            try:
                return await get(page)
            except OSError as error:
                return f"raised {error!r}"

        return await asyncio.gather(*(caller(page) for page in pages))

    @right
    def with_a_semaphore(fetch, most):
        """Return a function that does what `fetch` does, for at most `most` at a time."""
        places = asyncio.Semaphore(most)

        async def get(page):
            async with places:
                return await fetch(page)

        return get

    @right
    def with_a_queue_of_places(fetch, most):
        places = asyncio.Queue()
        for number in range(most):
            places.put_nowait(number)

        async def get(page):
            place = await places.get()
            try:
                return await fetch(page)
            finally:
                places.put_nowait(place)

        return get

    @wrong("lock per call", says="6 of them were in `fetch` at once")
    def semaphore_per_call(fetch, most):
        async def get(page):
            async with asyncio.Semaphore(most):
                return await fetch(page)

        return get

    @wrong("limit", says="6 of them")
    def no_limit(fetch, most):
        async def get(page):
            return await fetch(page)

        return get

    @wrong("limit", says="3 of them")
    def one_too_many(fetch, most):
        places = asyncio.Semaphore(most + 1)

        async def get(page):
            async with places:
                return await fetch(page)

        return get

    @wrong("one at a time", says="A lock has one place")
    def with_a_lock(fetch, most):
        lock = asyncio.Lock()

        async def get(page):
            async with lock:
                return await fetch(page)

        return get

    @wrong("deadlock", says="`fetch` failed for pages 0 and 1")
    def keeps_the_place(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            await places.acquire()
            result = await fetch(page)
            places.release()
            return result

        return get

    @wrong("another limit", says="The limit is `most`")
    def always_two(fetch, most):
        places = asyncio.Semaphore(2)

        async def get(page):
            async with places:
                return await fetch(page)

        return get

    @wrong("lost error", says="The caller of page 0 got OSError('page 0')")
    def returns_the_error(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            async with places:
                try:
                    return await fetch(page)
                except OSError as error:
                    return error

        return get

    @wrong("left places empty", says="a semaphore does that")
    def polls(fetch, most):
        flying = []

        async def get(page):
            while len(flying) >= most:
                await asyncio.sleep(0.1)
            flying.append(page)
            try:
                return await fetch(page)
            finally:
                flying.remove(page)

        return get

    @wrong("not a plain function", says="`def limited`")
    async def is_async(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            async with places:
                return await fetch(page)

        return get


class OncePerKey(Exercise):
    """Load each page once

    Write `once_per_key(load)`, a plain function. `load(key)` is a coroutine function that takes a
    while. It returns a coroutine function `get(key)`, which returns what `load(key)` returned, and:

    - each key is loaded once, even if many tasks ask for it at the same time;
    - different keys are loaded at the same time;
    - if a load fails, its error comes out, and who asks for that key later has it loaded again.
    """

    id = "once-per-key-1"
    asks = "once_per_key"
    minutes = 10
    hints = (
        'Between the check "is it there?" and the note "it is there" no `await` may stand.',
        "Keep something in the dict that can be awaited by many while the page is not there yet.",
        "A task: `asyncio.create_task(load(key))`. All await the same one. If it fails, take it "
        "out of the dict again.",
    )

    def verify(self, once_per_key, lab):
        lab.run(self._scenes(once_per_key, lab))

    async def _scenes(self, once_per_key, lab):
        lab.told('and asked for "a" three times at once')
        load = lab.service(1, name="load")
        get = self._made(once_per_key, load, lab)
        pages = await asyncio.gather(*(as_coroutine(get("a")) for _ in range(3)))
        if None in pages:
            raise Wrong(
                "value",
                f"The three got {pages}.",
                lab.line(r"None|\bload\("),
                "Who finds that the page is being loaded has to wait for it too. Keep "
                "something in the dict that can be awaited.",
            )
        lab.equal(pages, ["page a"] * 3, what="the three got")
        self._loaded(
            lab,
            load,
            1,
            "Each call must find what another one has begun. Before "
            "anything is awaited, keep the task of the load in a dict that all calls "
            "share, and let all await that.",
        )

        lab.told('and asked for "a" again, when it was there')
        lab.equal(await get("a"), "page a")
        self._loaded(lab, load, 1, "What was loaded once is kept: do not take it out again.")

        lab.told('and asked for "a", "b" and "c" at once, each twice')
        load = lab.service(1, name="load")
        get, begin = self._made(once_per_key, load, lab), now()
        pages = await asyncio.gather(*(as_coroutine(get(key)) for key in "abcabc"))
        lab.equal(pages, [f"page {key}" for key in "abcabc"], what="they got")
        self._loaded(lab, load, 3, "Keep the task of each load under its key.")
        if now() - begin > 1.001:
            raise Wrong(
                "one lock for all keys",
                f"It took {now() - begin:g} s. Each load takes 1 s, and different keys do "
                "not wait for each other.",
                lab.line(r"Lock\(|Semaphore\(|\bawait\b"),
                "Nobody else's key needs protection. Keep a task, or a lock, for each key.",
            )

        lab.told('and asked for "a", whose first load failed, and then again')
        errors = {"a": OSError("no page a")}
        load = lab.service(1, errors=errors, name="load")
        get = self._made(once_per_key, load, lab)
        try:
            page = await get("a")
        except OSError:
            pass
        else:
            raise Wrong(
                "lost error",
                f"The first `get` returned {page!r}; the OSError of `load` had to come out.",
                lab.line(r"\bexcept\b"),
            )
        await asyncio.sleep(0.5)
        del errors["a"]
        try:
            page = await get("a")
        except (OSError, KeyError) as error:
            raise Wrong(
                "kept the failure",
                f"The second `get` raised {error!r}, and `load` was "
                f"called {len(load.started)} time{'s' * (len(load.started) > 1)}.",
                lab.line(r"create_task|ensure_future|\bawait\b"),
                "A load that failed must not stay in the dict.",
            ) from None
        lab.equal(page, "page a", what="the second `get` returned")

        lab.told('and asked for "a" twice at once, and the load failed')
        load = lab.service(1, errors={"a": OSError("no page a")}, name="load")
        get = self._made(once_per_key, load, lab)
        pages = await asyncio.gather(
            *(as_coroutine(get("a")) for _ in range(2)), return_exceptions=True
        )
        odd = [page for page in pages if not isinstance(page, OSError)]
        if odd:
            raise Wrong(
                "lost error",
                f"One of the two got {odd[0]!r}, and not the OSError of `load`.",
                lab.line(r"\bdel\b|\.pop\(") or lab.line(r"\bexcept\b"),
                "Whoever waits for a load gets its error. And the second one to take it "
                "out of the dict finds it gone: `pop(key, None)`.",
            )

    def _made(self, once_per_key, load, lab):
        get = once_per_key(load)
        if inspect.iscoroutine(get):
            get.close()
            raise Wrong(
                "not a plain function",
                "It returned a coroutine.",
                lab.line(r"async def once_per_key"),
                "`once_per_key` itself waits for nothing: `def once_per_key`. What it "
                "returns is `async def`.",
            )
        if not callable(get):
            raise Wrong(
                "value",
                f"It returned {get!r}; asked is a coroutine function.",
                try_="Define a function inside, and return it without calling it.",
            )
        return get

    def _loaded(self, lab, load, times, try_):
        if len(load.started) > times:
            observed = (
                f"`load` was called {len(load.started)} times: "
                f"{', '.join(map(repr, load.started))}. {times} "
                f"{'calls are' if times > 1 else 'call is'} enough."
            )
            if line := made_per_call(lab):
                raise Wrong("lock per call", observed, line)
            if lab.line(r"\bawait\b.*\bload\(\w") and lab.line(r"Lock\(|Semaphore\("):
                try_ = "Who has waited for the lock must look again: the page may be there by then."
            raise Wrong("loaded twice", observed, lab.line(r"\bload\(\w"), try_)

    @right
    def with_a_task(load):
        """Return a function that gives what `load` gives, and loads each key once."""
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            task = tasks[key]
            try:
                return await task
            except Exception:
                if tasks.get(key) is task:  # not the one that somebody began since
                    del tasks[key]
                raise

        return get

    @right
    def with_a_lock_per_key(load):
        pages, locks = {}, {}

        async def get(key):
            async with locks.setdefault(key, asyncio.Lock()):
                if key not in pages:
                    pages[key] = await load(key)
                return pages[key]

        return get

    @right
    def with_a_callback(load):
        tasks = {}

        def forget_failure(key, task):
            if task.exception() is not None:
                tasks.pop(key, None)

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
                tasks[key].add_done_callback(functools.partial(forget_failure, key))
            return await tasks[key]

        return get

    @wrong("loaded twice", says="`load` was called 3 times")
    def checks_then_acts(load):
        pages = {}

        async def get(key):
            if key not in pages:
                pages[key] = await load(key)
            return pages[key]

        return get

    @wrong("one lock for all keys", says="It took 3 s")
    def one_lock(load):
        pages, lock = {}, asyncio.Lock()

        async def get(key):
            async with lock:
                if key not in pages:
                    pages[key] = await load(key)
                return pages[key]

        return get

    @wrong("lock per call", says="`load` was called 3 times")
    def lock_per_call(load):
        pages = {}

        async def get(key):
            async with asyncio.Lock():
                if key not in pages:
                    pages[key] = await load(key)
                return pages[key]

        return get

    @wrong("loaded twice", says="must look again")
    def looks_before_the_lock(load):
        pages, locks = {}, {}

        async def get(key):
            if key in pages:
                return pages[key]
            async with locks.setdefault(key, asyncio.Lock()):
                pages[key] = await load(key)
            return pages[key]

        return get

    @wrong("value", says="has to wait for it too")
    def leaves_a_note(load):
        pages = {}

        async def get(key):
            if key not in pages:
                pages[key] = None
                pages[key] = await load(key)
            return pages[key]

        return get

    @wrong("kept the failure", says="must not stay in the dict")
    def keeps_failures(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            return await tasks[key]

        return get

    @wrong("loaded twice", says="What was loaded once is kept")
    def forgets_pages(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            try:
                return await tasks[key]
            finally:
                tasks.pop(key, None)

        return get

    @wrong("awaited twice")
    def with_functools_cache(load):
        return functools.cache(load)

    @wrong("lost error", says="`pop(key, None)`")
    def deletes_twice(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            try:
                return await tasks[key]
            except OSError:
                del tasks[key]
                raise

        return get


async def as_coroutine(awaitable):
    return await awaitable
