"""Answers to the exercises of lesson 13, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% tally-1 wrong: += around an await
# cause: the old total is read before the await, and what others added meanwhile is overwritten
# line: totals[name] += await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    totals.setdefault(name, 0)
    totals[name] += await fetch(name)

# %% tally-1 wrong: who is new is decided before the await
# cause: whether the name is new is looked up before the await, so two new ones overwrite each other
# line: new = name not in totals | number = await fetch(name)
async def add(totals, name, fetch):
    new = name not in totals
    number = await fetch(name)
    if new:
        totals[name] = number
    else:
        totals[name] += number

# %% tally-1 wrong: one at a time
# cause: the lock is held while fetch waits, so they fetch one after another
# line: async with lock:
import asyncio

lock = asyncio.Lock()


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    async with lock:
        totals[name] = totals.get(name, 0) + await fetch(name)

# %% tally-1 wrong: a new name
# cause: a name that is not in totals yet is a KeyError
# line: totals[name] += number
async def add(totals, name, fetch):
    number = await fetch(name)
    totals[name] += number

# %% tally-1 right: try, and begin with 0
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    number = await fetch(name)
    try:
        totals[name] += number
    except KeyError:
        totals[name] = 0 + number

# %% tally-1 right: the new total by update
async def add(totals, name, fetch):
    if (number := await fetch(name)) or name not in totals:
        totals.update({name: sum((totals.get(name, 0), number))})

# %% account-1 wrong: one lock for all accounts
# cause: the lock belongs to the class, so different accounts wait for each other
# line: lock = asyncio.Lock()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: the lock stays shut after an error
# cause: if the bank raises an error (or on a cancellation), the lock is not released
# line: self.lock.release() | await self.lock.acquire()
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        await self.lock.acquire()
        self.euros = await self.bank(self.euros, change)
        self.lock.release()

# %% account-1 wrong: the lock around the writing
# cause: the bank is asked outside the lock, with an amount that is out of date when its answer comes
# line: euros = await self.bank(self.euros, change) | async with self.lock:
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        euros = await self.bank(self.euros, change)
        async with self.lock:
            self.euros = euros

# %% account-1 wrong: the error is caught
# cause: the bank's error is swallowed
# line: except Exception:
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        async with self.lock:
            try:
                self.euros = await self.bank(self.euros, change)
            except Exception:
                pass

# %% account-1 right: the money goes round in a queue
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank, self.euros, self._purse = bank, 0, asyncio.Queue(1)
        self._purse.put_nowait(self.euros)

    async def pay(self, change):
        euros = await self._purse.get()
        try:
            euros = self.euros = await self.bank(euros, change)
        finally:
            self._purse.put_nowait(euros)

# %% account-1 right: a decorator for methods
import asyncio
import functools


def one_at_a_time(method):
    @functools.wraps(method)
    async def guarded(self, *arguments):
        async with self._turn:
            return await method(self, *arguments)
    return guarded


class Account:
    def __init__(self, bank):
        self._ask = functools.partial(bank)
        self._turn = asyncio.BoundedSemaphore(1)
        self.euros = 0

    @one_at_a_time
    async def pay(self, change):
        self.euros = await self._ask(self.euros, change)

# %% bread-1 wrong: looks once only
# cause: it doesn't look again after it was woken, but another customer may have been quicker
# line: if not shelf:
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: the last loaf
# cause: takes the last loaf, not the first one
# line: shelf.pop()
async def buy(changed, shelf):
    async with changed:
        while not shelf:
            await changed.wait()
        return shelf.pop()

# %% bread-1 wrong: sleeps with the lock in its hand
# cause: the lock is held while it sleeps, so no baker can bring anything
# line: await asyncio.sleep(0.1)
import asyncio


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        while not shelf:
            await asyncio.sleep(0.1)
        return shelf.pop(0)

# %% bread-1 wrong: takes without the lock
# cause: the shelf is changed after the lock was given back
# line: return shelf.pop(0)
async def buy(changed, shelf):
    async with changed:
        await changed.wait_for(lambda: shelf)
    return shelf.pop(0)

# %% bread-1 wrong: only news counts
# cause: waits for a notification even if there is a loaf already
# line: await changed.wait()
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        while True:
            await changed.wait()
            if shelf:
                return shelf.pop(0)

# %% bread-1 right: try to take it
async def buy(changed, shelf):
    async with changed:
        while True:
            try:
                loaf, shelf[:1] = shelf[0], []
            except IndexError:
                await changed.wait()
            else:
                return loaf

# %% bread-1 right: acquire and release by hand
from functools import partial


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    await changed.acquire()
    try:
        await changed.wait_for(partial(len, shelf))
        return shelf.pop(0)
    finally:
        changed.release()

# %% request-log-1 wrong: by task
# cause: the number is kept by task, so a task that the request creates does not belong to it
# line: self.numbers.get(asyncio.current_task()) | self.numbers[asyncio.current_task()] = number
import asyncio


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.numbers = {}

    def begin(self, number):
        self.numbers[asyncio.current_task()] = number

    def say(self, text):
        self.lines.append((self.numbers.get(asyncio.current_task()), text))

# %% request-log-1 wrong: an attribute
# cause: the number is an attribute of the log, so all tasks share the one that was set last
# line: self.number = number
class Log:
    def __init__(self):
        self.lines = []
        self.number = None

    def begin(self, number):
        self.number = number

    def say(self, text):
        self.lines.append((self.number, text))

# %% request-log-1 wrong: number 0
# cause: the request with number 0 is taken for none
# line: self.number.get() or None
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number", default=None)

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        self.lines.append((self.number.get() or None, text))

# %% request-log-1 wrong: a list for all logs
# cause: the list of lines belongs to the class, so all logs share it
# line: lines = []
import contextvars


class Log:
    lines = []

    def __init__(self):
        self._number = contextvars.ContextVar("number", default=None)

    def begin(self, number):
        self._number.set(number)

    def say(self, text):
        self.lines.append((self._number.get(), text))

# %% request-log-1 wrong: only the first one begins
# cause: a task that begins a second request keeps the number of the first
# line: if self.number.get() is None:
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number", default=None)

    def begin(self, number):
        if self.number.get() is None:
            self.number.set(number)

    def say(self, text):
        self.lines.append((self.number.get(), text))

# %% request-log-1 wrong: no default
# cause: where no request has begun, say raises a LookupError
# line: contextvars.ContextVar("number") | self.number.get()
import contextvars


class Log:
    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number")

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        self.lines.append((self.number.get(), text))

# %% request-log-1 right: LookupError, and a dataclass
import contextvars
from dataclasses import dataclass, field


@dataclass(eq=False)
class Log:
    """A log that knows to which request a line belongs."""

    lines: list = field(default_factory=list)
    _request: contextvars.ContextVar = field(
        default_factory=lambda: contextvars.ContextVar("request"), repr=False)

    def begin(self, number):
        self._request.set(number)

    def say(self, text):
        try:
            number = self._request.get()
        except LookupError:
            number = None
        self.lines += [(number, text)]

# %% request-log-1 right: asks the context itself
import contextvars


class Log:
    def __init__(self):
        self.lines = []
        self.mine = contextvars.ContextVar(f"request of log {id(self)}")
        self.begin = self.mine.set

    def begin(self, number):
        raise NotImplementedError

    def say(self, text):
        here = contextvars.copy_context()
        self.lines.append((here.get(self.mine), text))

# %% limited-1 wrong: a semaphore for each call
# cause: each call makes a semaphore of its own, so nobody waits for anybody
# line: places = asyncio.Semaphore(most)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    async def get(page):
        places = asyncio.Semaphore(most)
        async with places:
            return await fetch(page)

    return get

# %% limited-1 wrong: what fails keeps its place
# cause: after an error or a cancellation the place is not given back
# line: places.release() | await places.acquire()
import asyncio


def limited(fetch, most):
    places = asyncio.Semaphore(most)

    async def get(page):
        await places.acquire()
        result = await fetch(page)
        places.release()
        return result

    return get

# %% limited-1 wrong: a place is lost with who waits for it
# cause: who is cancelled in the moment in which the place was given to it doesn't pass it on
# line: await mine
import asyncio
from collections import deque


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    free = most
    waiting = deque()

    async def get(page):
        nonlocal free
        if free > 0:
            free -= 1
        else:
            mine = asyncio.get_running_loop().create_future()
            waiting.append(mine)
            await mine
        try:
            return await fetch(page)
        finally:
            while waiting and waiting[0].done():
                waiting.popleft()
            if waiting:
                waiting.popleft().set_result(None)
            else:
                free += 1

    return get

# %% limited-1 wrong: a semaphore for all functions
# cause: the semaphore belongs to the module, so two limited functions share their places
# line: places = asyncio.Semaphore(most)
import asyncio

places = None


def limited(fetch, most):
    global places
    if places is None:
        places = asyncio.Semaphore(most)

    async def get(page):
        async with places:
            return await fetch(page)

    return get

# %% limited-1 wrong: gives nothing back
# cause: get doesn't return what fetch returned
# line: await fetch(page)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Semaphore(most)

    async def get(page):
        async with places:
            await fetch(page)

    return get

# %% limited-1 right: chips in a queue
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    chips = asyncio.Queue()
    for chip in range(most):
        chips.put_nowait(chip)

    async def get(page):
        chip = await chips.get()
        try:
            return await fetch(page)
        finally:
            chips.put_nowait(chip)

    return get

# %% limited-1 right: a class with places of its own
import asyncio
from collections import deque


class Places:
    def __init__(self, free):
        self.free, self.waiting = free, deque()

    async def __aenter__(self):
        if self.free:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave()
            raise

    async def __aexit__(self, *error):
        self.leave()

    def leave(self):
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1


def limited(fetch, most):
    places = Places(most)

    async def get(page):
        async with places:
            return await fetch(page)

    return get

# %% once-per-key-1 wrong: looks, waits, and notes it then
# cause: the key is noted only after the await, so all who ask meanwhile load it too
# line: pages[key] = await load(key) | if key not in pages:
def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    pages = {}

    async def get(key):
        if key not in pages:
            pages[key] = await load(key)
        return pages[key]

    return get

# %% once-per-key-1 wrong: one lock for all keys
# cause: one lock for all, so different keys are loaded one after another
# line: lock = asyncio.Lock() | async with lock:
import asyncio


def once_per_key(load):
    pages = {}
    lock = asyncio.Lock()

    async def get(key):
        async with lock:
            if key not in pages:
                pages[key] = await load(key)
            return pages[key]

    return get

# %% once-per-key-1 wrong: what failed is kept
# cause: a failed load stays in the dict, so who asks later gets the old error
# line: tasks[key] = asyncio.create_task(load(key))
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        return await asyncio.shield(tasks[key])

    return get

# %% once-per-key-1 wrong: nothing is loaded again and again
# cause: a result that is None or otherwise falsy is taken for "not loaded yet"
# line: if not pages.get(key):
import asyncio


def once_per_key(load):
    pages, locks = {}, {}

    async def get(key):
        async with locks.setdefault(key, asyncio.Lock()):
            if not pages.get(key):
                pages[key] = await load(key)
            return pages[key]

    return get

# %% once-per-key-1 wrong: one caller's cancellation is everybody's
# cause: if one caller is cancelled, the task that the others wait for is cancelled too
# line: return await tasks[key] | tasks.pop(key, None)
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        try:
            return await tasks[key]
        except BaseException:
            tasks.pop(key, None)
            raise

    return get

# %% once-per-key-1 wrong: a dict for all functions
# cause: the default argument is one dict for all functions, so two of them mix up their pages
# line: tasks={}
import asyncio


def once_per_key(load, tasks={}):
    def ended(key, task):
        if task.cancelled() or task.exception():
            del tasks[key]

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
            tasks[key].add_done_callback(lambda task: ended(key, task))
        return await asyncio.shield(tasks[key])

    return get

# %% once-per-key-1 right: tasks that take themselves out
import asyncio
from functools import partial


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    def ended(key, task):
        if task.cancelled() or task.exception() is not None:
            tasks.pop(key, None)

    async def get(key):
        try:
            task = tasks[key]
        except KeyError:
            task = tasks[key] = asyncio.ensure_future(load(key))
            task.add_done_callback(partial(ended, key))
        return await asyncio.shield(task)

    return get

# %% once-per-key-1 right: a dict that knows how to load
import asyncio


class Loads(dict):
    def __init__(self, load):
        super().__init__()
        self.load, self.workers = load, set()

    def __missing__(self, key):
        future = self[key] = asyncio.get_running_loop().create_future()
        worker = asyncio.create_task(self.fill(key, future))
        self.workers.add(worker)
        worker.add_done_callback(self.workers.discard)
        return future

    async def fill(self, key, future):
        try:
            future.set_result(await self.load(key))
        except BaseException as error:
            del self[key]
            future.set_exception(error)
            future.exception()

    async def __call__(self, key):
        return await asyncio.shield(self[key])


def once_per_key(load):
    loads = Loads(load)

    async def get(key):
        return await loads(key)

    return get

# %% tally-1 wrong: what is nothing is not added
# cause: a fetched 0 never makes an entry for a name that is new
# line: if number:
async def add(totals, name, fetch):
    number = await fetch(name)
    if number:
        totals[name] = totals.get(name, 0) + number

# %% tally-1 wrong: one tally for all dicts
# cause: the default argument keeps totals of all calls, whichever dict they were for
# line: known={}
async def add(totals, name, fetch, known={}):
    number = await fetch(name)
    known[name] = known.get(name, totals.get(name, 0)) + number
    totals[name] = known[name]

# %% account-1 wrong: the lock is released by who never had it
# cause: if a payment is cancelled while it waits for the lock, the finally releases somebody else's
# line: await self.lock.acquire() | self.lock.release()
import asyncio


class Account:
    def __init__(self, bank):
        self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

    async def pay(self, change):
        try:
            await self.lock.acquire()
            self.euros = await self.bank(self.euros, change)
        finally:
            self.lock.release()

# %% account-1 wrong: the lock stays shut after a cancellation
# cause: except Exception lets a cancellation pass without a release
# line: except Exception:
import asyncio


class Account:
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

# %% account-1 wrong: nothing to pay
# cause: a payment of 0 is not told to the bank, which would take its fee
# line: if change:
import asyncio


class Account:
    def __init__(self, bank):
        self.bank, self.euros, self.lock = bank, 0, asyncio.Lock()

    async def pay(self, change):
        if change:
            async with self.lock:
                self.euros = await self.bank(self.euros, change)

# %% account-1 right: each payment waits for the one before
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.last = None

    async def pay(self, change):
        before, mine = self.last, asyncio.Event()
        self.last = mine
        try:
            if before is not None:
                await before.wait()
            self.euros = await self.bank(self.euros, change)
        finally:
            if before is None or before.is_set():
                mine.set()
            else:
                asyncio.create_task(self.pass_on(before, mine))

    async def pass_on(self, before, mine):
        await before.wait()
        mine.set()

# %% bread-1 wrong: a look through the window
# cause: it looks at the shelf before it holds the lock
# line: if not shelf:
async def buy(changed, shelf):
    if not shelf:
        async with changed:
            await changed.wait_for(lambda: shelf)
            return shelf.pop(0)
    async with changed:
        return shelf.pop(0)

# %% bread-1 wrong: a loaf without a name
# cause: an empty string is taken for no loaf, and it goes on to wait
# line: if loaf:
async def buy(changed, shelf):
    async with changed:
        while True:
            loaf = shelf.pop(0) if shelf else None
            if loaf:
                return loaf
            await changed.wait()

# %% request-log-1 wrong: a child that lives longer
# cause: when the task that began the request is over, its children lose the number
# line: if owner is None or owner.done():
import asyncio
import contextvars


class Log:
    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number", default=(None, None))


    def begin(self, number):
        self.number.set((asyncio.current_task(), number))

    def say(self, text):
        owner, number = self.number.get()
        if owner is None or owner.done():
            number = None
        self.lines.append((number, text))

# %% limited-1 wrong: no page twice at once
# cause: who asks for a page that is under way gets the other one's result, and fetch isn't called
# line: if page in flying: | flying[page] = asyncio.ensure_future(fetch(page))
import asyncio


def limited(fetch, most):
    places, flying = asyncio.Semaphore(most), {}

    async def get(page):
        async with places:
            if page in flying:
                return await asyncio.shield(flying[page])
            flying[page] = asyncio.ensure_future(fetch(page))
            try:
                return await flying[page]
            finally:
                flying.pop(page, None)

    return get

# %% limited-1 wrong: tries once more
# cause: after a ConnectionError it calls fetch again, which fetch doesn't do
# line: except ConnectionError:
import asyncio


def limited(fetch, most):
    places = asyncio.Semaphore(most)

    async def get(page):
        async with places:
            try:
                return await fetch(page)
            except ConnectionError:
                return await fetch(page)

    return get

# %% once-per-key-1 wrong: only what is kept for a while
# cause: at most a hundred pages are kept, so what was loaded first is loaded again
# line: if len(pages) > 100:
import asyncio


def once_per_key(load):
    pages, locks = {}, {}

    async def get(key):
        async with locks.setdefault(key, asyncio.Lock()):
            if key not in pages:
                pages[key] = await load(key)
                if len(pages) > 100:
                    del pages[next(iter(pages))]
                    return await load(key) if key not in pages else pages[key]
            return pages[key]

    return get

# %% once-per-key-1 wrong: only an OSError is a failure
# cause: a load that fails with another error stays in the dict
# line: except OSError:
import asyncio


def once_per_key(load):
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        task = tasks[key]
        try:
            return await asyncio.shield(task)
        except OSError:
            if tasks.get(key) is task:
                del tasks[key]
            raise

    return get

# %% once-per-key-1 wrong: a key is its truth
# cause: a falsy key is not kept, so it is loaded at each call
# line: if not key
import asyncio


def once_per_key(load):
    pages, locks = {}, {}

    async def get(key):
        async with locks.setdefault(key, asyncio.Lock()):
            if not key or key not in pages:
                pages[key] = await load(key)
            return pages[key]

    return get

# %% tally-1 wrong: reads before it fetches
# cause: The old total is read before the await and written back after it; what other tasks added meanwhile is lost.
# line: before = totals.get(name, 0) | number = await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    before = totals.get(name, 0)
    number = await fetch(name)
    totals[name] = before + number

# %% tally-1 wrong: zero set after the fetch is asked for
# cause: `name not in totals` is asked before the await, but acted upon after it; of two tasks with the same new name the second sets the total back to 0, and the first number is lost.
# line: new = name not in totals | if new: | number = await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    new = name not in totals
    number = await fetch(name)
    if new:
        totals[name] = 0
    totals[name] += number

# %% tally-1 right: a task, and KeyError for a new name
import asyncio
import operator


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    number = await asyncio.ensure_future(fetch(name))
    try:
        totals[name] = operator.add(totals[name], number)
    except KeyError:
        totals[name] = number

# %% account-1 wrong: one lock for all accounts, again
# cause: The lock belongs to the class, so different accounts wait for each other.
# line: lock = asyncio.Lock()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: lock not released on error
# cause: If the bank raises an error, or the payment is cancelled, `release` is never reached; the account stays locked for ever.
# line: self.lock.release()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        await self.lock.acquire()
        self.euros = await self.bank(self.euros, change)
        self.lock.release()

# %% account-1 right: a semaphore in an exit stack
import asyncio
import contextlib


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self._turn = asyncio.Semaphore(1)

    async def pay(self, change):
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._turn)
            after = await self.bank(self.euros, change)
            self.euros = after

# %% bread-1 wrong: if instead of while
# cause: After waking up it isn't asked again whether there is a loaf; another customer may have been quicker, or the notification was for something else, and `pop` raises an IndexError.
# line: if not shelf:
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: takes after the lock is given back
# cause: The loaf is taken after the lock of `changed` was given back by one who does not hold it; who changes the shelf must hold the lock.
# line: return shelf.pop(0)
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        await changed.wait_for(lambda: len(shelf) > 0)
    return shelf.pop(0)

# %% bread-1 right: acquire and release by hand, again
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    await changed.acquire()
    try:
        while True:
            match shelf:
                case [loaf, *_]:
                    del shelf[0]
                    return loaf
                case _:
                    await changed.wait()
    finally:
        changed.release()

# %% request-log-1 right: context variable of the class
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    number = contextvars.ContextVar("number", default=None)

    def __init__(self):
        self.lines = []

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        self.lines.append((self.number.get(), text))

# %% request-log-1 wrong: a dict of tasks
# cause: The number is kept under the current task; a task that is created by a request's task is another one, and its lines get None instead of the request's number.
# line: self.lines.append((self.numbers.get(asyncio.current_task()), text)) | self.numbers[asyncio.current_task()] = number
import asyncio
import contextvars
import weakref


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.numbers = weakref.WeakKeyDictionary()

    def begin(self, number):
        self.numbers[asyncio.current_task()] = number

    def say(self, text):
        self.lines.append((self.numbers.get(asyncio.current_task()), text))

# %% request-log-1 right: without a default, by LookupError
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self._current = contextvars.ContextVar(f"request of log {id(self)}")

    def begin(self, number):
        self._current.set(number)

    def say(self, text):
        context = contextvars.copy_context()
        try:
            number = context[self._current]
        except KeyError:
            number = None
        self.lines.append((number, text))

# %% limited-1 wrong: a semaphore for each call, again
# cause: Each call of `get` makes a semaphore of its own, so nobody ever waits for anybody: there is no limit at all.
# line: async with asyncio.Semaphore(most):
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    async def get(page):
        async with asyncio.Semaphore(most):
            return await fetch(page)
    return get

# %% limited-1 wrong: place lost on an error
# cause: The place is given back only after a success; when `fetch` raises or the caller is cancelled, it's lost, and after `most` failures everybody waits for ever.
# line: places.put_nowait(None)  # back
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Queue()
    for _ in range(most):
        places.put_nowait(None)

    async def get(page):
        await places.get()
        result = await fetch(page)
        places.put_nowait(None)  # back
        return result

    return get

# %% limited-1 right: a queue of places in a class
import asyncio


class _Limited:
    def __init__(self, fetch, most):
        self.fetch = fetch
        self.places = asyncio.Queue()
        for number in range(most):
            self.places.put_nowait(number)

    async def get(self, page):
        place = await self.places.get()
        try:
            return await self.fetch(page)
        finally:
            self.places.put_nowait(place)


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    return _Limited(fetch, most).get

# %% once-per-key-1 wrong: tests the page with get
# cause: A page that is None (or the test for None) counts as "not loaded yet", so such a key is loaded again by each who asks.
# line: if pages.get(key) is None:
import asyncio
from collections import defaultdict


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    pages = {}
    locks = defaultdict(asyncio.Lock)

    async def get(key):
        async with locks[key]:
            if pages.get(key) is None:
                pages[key] = await load(key)
            return pages[key]

    return get

# %% once-per-key-1 wrong: awaits the shared task without a shield
# cause: All who ask await the same task without `asyncio.shield`; if one of them is cancelled, the task is cancelled with him, and the others get a CancelledError instead of the page.
# line: return await tasks[key] | tasks.pop(key, None)
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        try:
            return await tasks[key]
        except BaseException:
            tasks.pop(key, None)
            raise

    return get

# %% once-per-key-1 right: shielded task with a done callback
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    def forget(key, task):
        if task.cancelled() or task.exception() is not None:
            if tasks.get(key) is task:
                del tasks[key]

    async def run(key):
        return await load(key)

    async def get(key):
        task = tasks.get(key)
        if task is not None and task.done() and (task.cancelled() or task.exception() is not None):
            task = None
        if task is None:
            task = tasks[key] = asyncio.ensure_future(run(key))
            task.add_done_callback(lambda done: forget(key, done))
        return await asyncio.shield(task)

    return get

# %% tally-1 wrong: the first one overwrites
# cause: whether the name is new is asked before the await; several that find it missing all assign, and overwrite what others have added meanwhile
# line: totals[name] = await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    if name in totals:
        number = await fetch(name)
        totals[name] += number
    else:
        totals[name] = await fetch(name)

# %% tally-1 wrong: a lock around the fetch
# cause: the lock is held during the fetch, so the tasks fetch one after another instead of all at the same time
# line: async with lock:
import asyncio

lock = asyncio.Lock()


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    async with lock:
        totals[name] = totals.get(name, 0) + await fetch(name)

# %% tally-1 right: an update after the await
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    match await fetch(name):
        case number:
            totals.update({name: totals.get(name, 0) + number})

# %% account-1 wrong: one lock for the class
# cause: the lock is an attribute of the class, so all accounts share it and wait for each other
# line: lock = asyncio.Lock()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: acquire within the try
# cause: a payment that is cancelled while it waits for the lock runs into the finally and releases the lock that another payment holds
# line: await self.lock.acquire()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        try:
            await self.lock.acquire()
            self.euros = await self.bank(self.euros, change)
        finally:
            self.lock.release()

# %% account-1 right: the only key goes round in a queue
import asyncio
from contextlib import asynccontextmanager


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.keys = asyncio.Queue()
        self.keys.put_nowait("key")

    @asynccontextmanager
    async def alone(self):
        key = await self.keys.get()
        try:
            yield
        finally:
            self.keys.put_nowait(key)

    async def pay(self, change):
        async with self.alone():
            self.euros = await self.bank(self.euros, change)

# %% bread-1 wrong: woken once, so there is bread
# cause: after wait() the shelf may be empty again (another customer, another reason to notify); it must be looked at anew, with while
# line: if not shelf:
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: taken after the lock
# cause: the loaf is taken off the shelf when the lock has been released already; who changes the shelf must hold it
# line: return shelf.pop(0)
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        await changed.wait_for(lambda: len(shelf) > 0)
    return shelf.pop(0)

# %% bread-1 right: try to take one, wait for an IndexError
from contextlib import AsyncExitStack


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(changed)
        while True:
            try:
                return shelf.pop(0)
            except IndexError:
                await changed.wait()

# %% request-log-1 wrong: a dict by task
# cause: a task that is created by a request's task is another task and not in the dict, so its lines get None instead of its request's number
# line: self.numbers.get(asyncio.current_task()) | self.numbers[asyncio.current_task()] = number
import asyncio
import weakref


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.numbers = weakref.WeakKeyDictionary()

    def begin(self, number):
        self.numbers[asyncio.current_task()] = number

    def say(self, text):
        self.lines.append((self.numbers.get(asyncio.current_task()), text))

# %% request-log-1 wrong: a box in the context
# cause: the context is copied for a new task, but not the dict in it: parent and child change the same box, so a child that begins another request changes its parent's number
# line: box["number"] = number
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.current = contextvars.ContextVar("current", default=None)

    def begin(self, number):
        box = self.current.get()
        if box is None:
            box = {}
            self.current.set(box)
        box["number"] = number

    def say(self, text):
        box = self.current.get()
        self.lines.append((box["number"] if box else None, text))

# %% request-log-1 right: a property over a mapping that is never changed
import contextvars
from types import MappingProxyType

_numbers = contextvars.ContextVar("numbers", default=MappingProxyType({}))


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []

    @property
    def number(self):
        return _numbers.get().get(self)

    @number.setter
    def number(self, number):
        _numbers.set(MappingProxyType({**_numbers.get(), self: number}))

    def begin(self, number):
        self.number = number

    def say(self, text):
        self.lines += [(self.number, text)]

# %% limited-1 wrong: a cancelled caller keeps the place
# cause: a CancelledError is no Exception and passes both releases, so the place of a cancelled caller is never free again
# line: except Exception:
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Semaphore(most)

    async def get(page):
        await places.acquire()
        try:
            text = await fetch(page)
        except Exception:
            places.release()
            raise
        places.release()
        return text

    return get

# %% limited-1 wrong: a place that is handed to a dead man
# cause: a place is handed over to a waiter; if this one is cancelled after that and before it runs, `await turn` raises outside of the try, and the place is lost
# line: await turn
import asyncio
from collections import deque


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    free = most
    waiting = deque()

    async def get(page):
        nonlocal free
        if free:
            free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            waiting.append(turn)
            await turn
        try:
            return await fetch(page)
        finally:
            while waiting and waiting[0].done():
                waiting.popleft()
            if waiting:
                waiting.popleft().set_result(None)
            else:
                free += 1

    return get

# %% limited-1 right: tickets in a queue
import asyncio
from contextlib import ExitStack


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    tickets = asyncio.LifoQueue()
    for ticket in range(most):
        tickets.put_nowait(ticket)

    async def get(page):
        with ExitStack() as stack:
            stack.callback(tickets.put_nowait, await tickets.get())
            return await fetch(page)

    return get

# %% once-per-key-1 wrong: a page that is false counts as missing
# cause: a page may be empty or None; then it is taken for not loaded yet, and who asks later has it loaded again
# line: if pages.get(key):
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    pages = {}
    tasks = {}

    async def fill(key):
        try:
            pages[key] = await load(key)
            return pages[key]
        finally:
            del tasks[key]

    async def get(key):
        if pages.get(key):
            return pages[key]
        if key not in tasks:
            tasks[key] = asyncio.create_task(fill(key))
        return await asyncio.shield(tasks[key])

    return get

# %% once-per-key-1 wrong: the first loads for all
# cause: if the one who loads is cancelled, no except Exception catches that: the future never gets done, and all who wait for it, or ask later, wait for ever
# line: except Exception as error:
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    futures = {}

    async def get(key):
        if key in futures:
            return await asyncio.shield(futures[key])
        future = futures[key] = asyncio.get_running_loop().create_future()
        try:
            page = await load(key)
        except Exception as error:
            del futures[key]
            future.set_exception(error)
            future.exception()      # seen, if nobody else waits
            raise
        future.set_result(page)
        return page

    return get

# %% once-per-key-1 right: a dict that makes its tasks itself
import asyncio


class Loads(dict):
    def __init__(self, load):
        super().__init__()
        self.load = load

    def __missing__(self, key):
        async def run():
            return await self.load(key)

        task = self[key] = asyncio.get_running_loop().create_task(run())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    def fresh(self, key):
        """The task for the key; one that went wrong is forgotten first."""
        task = self[key]
        if task.done() and (task.cancelled() or task.exception() is not None):
            del self[key]
        return self[key]


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    loads = Loads(load)

    async def get(key):
        return await asyncio.shield(loads.fresh(key))

    return get

# %% limited-1 wrong: place of a cancelled one is free before it has ended
# cause: the fetch is cancelled and not awaited: it still cleans up when the place is free again, and one more than `most` are in `fetch`
# line: task.cancel()
import asyncio


def limited(fetch, most):
    places = asyncio.Semaphore(most)

    async def get(page):
        async with places:
            task = asyncio.ensure_future(fetch(page))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                task.cancel()
                raise

    return get

# %% tally-1 wrong: the first one overwrites, again
# cause: Whether the name is there is looked up before the fetch: two that find it missing both write their own number, and one is lost.
# line: totals[name] = await fetch(name) | if name in totals:
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    if name in totals:
        number = await fetch(name)
        totals[name] += number
    else:
        totals[name] = await fetch(name)

# %% tally-1 wrong: += around an await, again
# cause: The old total is read before the await, and written back after it: what others added meanwhile is lost.
# line: totals[name] += await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    totals.setdefault(name, 0)
    totals[name] += await fetch(name)

# %% tally-1 right: dict.update after the fetch
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    match await fetch(name):
        case number:
            totals.update({name: totals.get(name, 0) + number})

# %% account-1 wrong: one lock for all accounts, once more
# cause: The lock is an attribute of the class: all accounts share it, and wait for each other.
# line: lock = asyncio.Lock()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: released only where all goes well
# cause: If the bank raises an error, or the payment is cancelled, the lock is never released, and every later payment waits for ever.
# line: self.lock.release()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        await self.lock.acquire()
        self.euros = await self.bank(self.euros, change)
        self.lock.release()

# %% account-1 right: the state travels through a queue
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.turn = asyncio.Queue()
        self.turn.put_nowait("your turn")

    async def pay(self, change):
        turn = await self.turn.get()
        try:
            self.euros = await self.bank(self.euros, change)
        finally:
            self.turn.put_nowait(turn)

# %% bread-1 wrong: looked once
# cause: After a notify the shelf may still be empty: another customer was quicker, or the baker notified for another reason. Look again after each wait.
# line: if not shelf:
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: looked without the lock
# cause: The shelf is looked at, and taken from, without the lock, while another who holds it may be changing it.
# line: while not shelf: | return shelf.pop(0)
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    while not shelf:
        async with changed:
            await changed.wait()
    return shelf.pop(0)

# %% bread-1 right: wait for a length
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    await changed.acquire()
    try:
        await changed.wait_for(shelf.__len__)
        loaf, shelf[:1] = shelf[0], []
        return loaf
    finally:
        changed.release()

# %% request-log-1 wrong: a dict of tasks, again
# cause: The number is kept for the task itself; a task that a request's task creates is another one, and its lines get None. A ContextVar is inherited.
# line: self.numbers[asyncio.current_task()] = number | self.numbers.get(asyncio.current_task())
import asyncio
import contextvars
import weakref


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.numbers = weakref.WeakKeyDictionary()

    def begin(self, number):
        self.numbers[asyncio.current_task()] = number

    def say(self, text):
        self.lines.append((self.numbers.get(asyncio.current_task()), text))

# %% request-log-1 wrong: request number 0
# cause: A request may have the number 0, which counts as false: its lines get None.
# line: self.number.get(None) or None
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number")

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        self.lines.append((self.number.get(None) or None, text))

# %% request-log-1 right: a variable of the class
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    current = contextvars.ContextVar("current request")

    def __init__(self):
        self.lines = []

    def begin(self, number):
        type(self).current.set(number)

    def say(self, text):
        try:
            number = type(self).current.get()
        except LookupError:
            number = None
        self.lines += [(number, text)]

# %% limited-1 wrong: a place given back that was never taken
# cause: The `acquire` stands inside the try: who is cancelled while it waits releases a place that it never had, and then more than `most` are in fetch.
# line: await places.acquire() | places.release()
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Semaphore(most)

    async def get(page):
        try:
            await places.acquire()
            return await fetch(page)
        finally:
            places.release()

    return get

# %% limited-1 right: tokens in a queue
import asyncio
import functools


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    tokens = asyncio.Queue()
    for token in range(most):
        tokens.put_nowait(token)

    @functools.wraps(fetch)
    async def get(page):
        token = await tokens.get()
        try:
            return await fetch(page)
        finally:
            tokens.put_nowait(token)

    return get

# %% once-per-key-1 wrong: the second who fails forgets the new load
# cause: Every waiter of a failed load forgets the key; if the first of them has asked again already, the second throws the new load away, and the page is loaded twice at a time.
# line: tasks.pop(key, None)
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        try:
            return await asyncio.shield(tasks[key])
        except Exception:
            tasks.pop(key, None)
            raise

    return get

# %% once-per-key-1 wrong: who is cancelled takes the load along
# cause: To await a task and be cancelled is to cancel that task: all others that wait for the same key get a CancelledError. A shield is missing.
# line: return await task
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        task = tasks.get(key)
        if task is None or task.done() and (task.cancelled() or task.exception()):
            task = tasks[key] = asyncio.create_task(load(key))
        return await task

    return get

# %% once-per-key-1 right: a task per key behind a shield
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    loads = {}

    def failed(task):
        return task.done() and (task.cancelled() or task.exception() is not None)

    def begin(key):
        task = asyncio.ensure_future(load(key))
        loads[key] = task
        return task

    async def get(key):
        task = loads.get(key)
        if task is None or failed(task):
            task = begin(key)
        await asyncio.wait([task])
        return task.result()

    return get

# %% limited-1 wrong: a semaphore for each call, again, again
# cause: each call makes its own semaphore, which limits nothing
# line: asyncio.Semaphore(most)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""

    async def get(page):
        gate = asyncio.Semaphore(most)
        async with gate:
            return await fetch(page)

    return get

# %% limited-1 wrong: no finally for the release
# cause: if fetch fails or the caller is cancelled, the place is never given back
# line: gate.release() | page = await fetch(page) | text = await fetch(page)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    gate = asyncio.Semaphore(most)

    async def get(page):
        await gate.acquire()
        text = await fetch(page)
        gate.release()
        return text

    return get

# %% limited-1 wrong: acquires inside the try
# cause: a caller that is cancelled while it waits releases a place that it never had
# line: await gate.acquire() | gate.release()
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    gate = asyncio.Semaphore(most)

    async def get(page):
        try:
            await gate.acquire()
            return await fetch(page)
        finally:
            gate.release()

    return get

# %% limited-1 wrong: one gate for all
# cause: the semaphore stands outside of the function: all limited functions share it
# line: GATE = | global | GATES.setdefault
import asyncio

GATES = {}


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    gate = GATES.setdefault(most, asyncio.Semaphore(most))

    async def get(page):
        async with gate:
            return await fetch(page)

    return get

# %% tally-1 wrong: reads the total before the await
# cause: totals[name] is read before the fetch, and written after it, so what others added meanwhile is lost
# line: totals[name] += await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    totals.setdefault(name, 0)
    totals[name] += await fetch(name)

# %% tally-1 wrong: decides before the fetch whether the name is new
# cause: several tasks find the name new, and each overwrites what the one before wrote
# line: is_new = name not in totals | totals[name] = number | if is_new: | number = await fetch(name)
async def add(totals, name, fetch):
    is_new = name not in totals
    number = await fetch(name)
    if is_new:
        totals[name] = number
    else:
        totals[name] += number

# %% tally-1 wrong: fetches under a lock
# cause: the lock is held during the fetch, so the tasks fetch one after another
# line: async with lock: | number = await fetch(name)
import asyncio

lock = asyncio.Lock()


async def add(totals: dict, name: str, fetch) -> None:
    """Fetch a number and add it to the total of `name`."""
    async with lock:
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number

# %% tally-1 right: awaits on the left
async def add(totals, name, fetch):
    totals[name] = await fetch(name) + totals.get(name, 0)

# %% tally-1 right: try and except
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    match await fetch(name):
        case number:
            try:
                totals[name] += number
            except KeyError:
                totals[name] = 0 + number

# %% account-1 wrong: one lock in the class for all accounts
# cause: the lock belongs to the class, so different accounts wait for each other
# line: lock = asyncio.Lock()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: a cancelled payment keeps the lock
# cause: CancelledError is no Exception, so after a cancelled payment the lock is never released
# line: except Exception: | await self._lock.acquire() | none
import asyncio


class Account:
    def __init__(self, bank):
        self.euros = 0
        self._bank = bank
        self._lock = asyncio.Lock()

    async def pay(self, change):
        await self._lock.acquire()
        try:
            euros = await self._bank(self.euros, change)
        except Exception:
            self._lock.release()
            raise
        self.euros = euros
        self._lock.release()

# %% account-1 wrong: only the writing is locked
# cause: the bank is asked outside the lock, with a balance that another payment changes meanwhile
# line: euros = await self.bank(self.euros, change) | async with self.changing:
import asyncio
from dataclasses import dataclass, field
from typing import Callable


@dataclass(eq=False)
class Account:
    """An account that no two tasks change at once."""

    bank: Callable
    euros: float = field(default=0, init=False)
    changing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def pay(self, change):
        euros = await self.bank(self.euros, change)
        async with self.changing:
            self.euros = euros

# %% account-1 right: a key that hangs in a queue
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.keys = asyncio.Queue()
        self.keys.put_nowait("the only key")

    async def pay(self, change):
        key = await self.keys.get()
        try:
            self.euros = await self.bank(self.euros, change)
        finally:
            self.keys.put_nowait(key)

# %% account-1 right: a semaphore with one place
import asyncio


class Account:
    def __init__(self, bank):
        self.euros, self._bank, self._one = 0, bank, asyncio.BoundedSemaphore(1)

    async def pay(self, change):
        await self._one.acquire()
        try:
            after = await self._bank(self.euros, change)
        finally:
            self._one.release()
            # nobody else runs before the next line
        self.euros = after

# %% bread-1 wrong: looks only once after waking
# cause: after waking it doesn't look again whether there is a loaf; another customer may have it
# line: if not shelf: | await changed.wait() | return shelf.pop(0)
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: takes the loaf after the lock is released
# cause: the shelf is changed without holding the lock
# line: return shelf.pop(0)
async def buy(changed, shelf):
    def there_is_one():
        return len(shelf) > 0

    async with changed:
        await changed.wait_for(there_is_one)
    return shelf.pop(0)

# %% bread-1 wrong: sleeps with the lock
# cause: it holds the lock while it waits, so no baker can ever bring a loaf
# line: await asyncio.sleep(0.01) | while not shelf: | async with changed:
import asyncio


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        while not shelf:
            await asyncio.sleep(0.01)
        loaf, *rest = shelf
        shelf[:] = rest
        return loaf

# %% bread-1 right: acquire and release by hand, once more
async def buy(changed, shelf):
    await changed.acquire()
    try:
        while True:
            match shelf:
                case [loaf, *_]:
                    del shelf[0]
                    return loaf
            await changed.wait()
    finally:
        changed.release()

# %% bread-1 right: wait_for returns the shelf
from operator import truth


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        await changed.wait_for(lambda: truth(shelf))
        return shelf.pop(0)

# %% request-log-1 wrong: the number is kept in the log
# cause: all tasks share one attribute, so a line gets the number that was begun last
# line: self.number = number | self.lines.append((self.number, text))
class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.number = None

    def begin(self, number):
        self.number = number

    def say(self, text):
        self.lines.append((self.number, text))

# %% request-log-1 wrong: a number for each task
# cause: a task that is created by a request's task has no number: it is another task
# line: self._numbers[me] = number | return asyncio.current_task() | self._numbers.get(
import asyncio
import weakref


def this_task():
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop
        return None


class Log:
    def __init__(self):
        self.lines = []
        self._numbers = weakref.WeakKeyDictionary()
        self._outside = None

    def begin(self, number):
        if me := this_task():
            self._numbers[me] = number
        else:
            self._outside = number

    def say(self, text):
        me = this_task()
        number = self._numbers.get(me) if me else self._outside
        self.lines.append((number, text))

# %% request-log-1 wrong: the tasks share a dict in the variable
# cause: begin changes the one dict that is the default in every task, instead of setting the variable
# line: self.state.get()["number"] = number | default={"number": None}
import contextvars

class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.state = contextvars.ContextVar("state", default={"number": None})

    def begin(self, number):
        self.state.get()["number"] = number

    def say(self, text):
        self.lines.append((self.state.get()["number"], text))

# %% request-log-1 right: a variable of its own
import contextvars


class Log:
    def __init__(self):
        self.lines = []
        self._request = contextvars.ContextVar("request")

    def begin(self, number):
        self._request.set(number)

    def say(self, text):
        self.lines += [(self._request.get(None), text)]

# %% request-log-1 right: a dataclass
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(eq=False)
class Log:
    """A log that knows to which request a line belongs."""

    lines: list = field(default_factory=list)
    current: ClassVar[ContextVar] = ContextVar("current", default=None)

    def begin(self, number) -> None:
        self.current.set(number)

    def say(self, text) -> None:
        pair = self.current.get(), text
        self.lines.append(pair)

# %% limited-1 wrong: a semaphore for each call, once more
# cause: each call makes a semaphore of its own, so nothing is limited
# line: asyncio.Semaphore(most)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""

    async def get(page):
        async with asyncio.Semaphore(most):
            return await fetch(page)

    return get

# %% limited-1 wrong: an error takes the place along
# cause: if fetch raises or is cancelled, release is never reached and the place is lost
# line: places.release() | result = await fetch(page) | none
import asyncio
from functools import wraps


def limited(fetch, most):
    places = asyncio.Semaphore(most)

    @wraps(fetch)
    async def get(page):
        await places.acquire()
        result = await fetch(page)
        places.release()
        return result

    return get

# %% limited-1 wrong: a cancelled caller stays in the line
# cause: who is cancelled while waiting stays in the line, and is handed the place (InvalidStateError)
# line: line.popleft().set_result(None) | await turn | line.append(turn)
import asyncio
from collections import deque


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    inside = 0
    line = deque()

    async def get(page):
        nonlocal inside
        if inside >= most:
            turn = asyncio.get_running_loop().create_future()
            line.append(turn)
            await turn  # the place is handed over
        else:
            inside += 1
        try:
            return await fetch(page)
        finally:
            if line:
                line.popleft().set_result(None)
            else:
                inside -= 1

    return get

# %% limited-1 right: tokens in a queue, again
import asyncio


def limited(fetch, most):
    tokens = asyncio.Queue()
    for token in range(most):
        tokens.put_nowait(token)

    async def get(page):
        token = await tokens.get()
        try:
            return await fetch(page)
        finally:
            tokens.put_nowait(token)

    return get

# %% limited-1 right: an object with a method
import asyncio


class _Gate:
    def __init__(self, fetch, most):
        self.fetch = fetch
        self.places = asyncio.BoundedSemaphore(most)

    async def get(self, page):
        await self.places.acquire()
        try:
            return await self.fetch(page)
        finally:
            self.places.release()


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    return _Gate(fetch, most).get

# %% once-per-key-1 wrong: a caller's cancellation cancels the load
# cause: the shared task is awaited without a shield, so cancelling one caller cancels the load for all
# line: return await tasks[key]
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def loading(key):
        try:
            return await load(key)
        except BaseException:
            del tasks[key]
            raise

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(loading(key))
        return await tasks[key]

    return get

# %% once-per-key-1 wrong: forgets what has arrived
# cause: the key is forgotten after a success as well, so whoever asks later has it loaded again
# line: task.add_done_callback( | under_way.pop(key, None)
import asyncio


def once_per_key(load):
    under_way = {}

    async def get(key):
        task = under_way.get(key)
        if task is None:
            task = asyncio.ensure_future(load(key))
            under_way[key] = task
            task.add_done_callback(lambda _: under_way.pop(key, None))
        return await asyncio.shield(task)

    return get

# %% once-per-key-1 wrong: remembers a failure
# cause: a task that failed stays in the dict, so its error comes out for ever and nothing is loaded again
# line: self.pages[key] = asyncio.create_task(self.load(key)) | if key not in self.pages: | none
import asyncio


class _Pages:
    def __init__(self, load):
        self.load = load
        self.pages = {}

    async def get(self, key):
        if key not in self.pages:
            self.pages[key] = asyncio.create_task(self.load(key))
        return await asyncio.shield(self.pages[key])


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    return _Pages(load).get

# %% once-per-key-1 right: a shielded task that takes its failure away
import asyncio


def once_per_key(load):
    tasks: dict[object, asyncio.Task] = {}

    async def loading(key):
        done = False
        try:
            page = await load(key)
            done = True
            return page
        finally:
            if not done:
                del tasks[key]

    async def get(key):
        if (task := tasks.get(key)) is None:
            task = tasks[key] = asyncio.create_task(loading(key))
        return await asyncio.shield(task)

    return get

# %% once-per-key-1 right: the first caller loads, the next takes over
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    known = {}

    async def get(key):
        while key in known:
            future = known[key]
            await asyncio.wait([future])  # my cancellation doesn't touch it
            if not future.cancelled():
                return future.result()
        future = known[key] = asyncio.get_running_loop().create_future()
        try:
            page = await load(key)
        except Exception as error:
            del known[key]
            future.set_exception(error)
            future.exception()  # it may be that nobody else waits
            raise
        except BaseException:
            del known[key]
            future.cancel()
            raise
        future.set_result(page)
        return page

    return get


# %% tally-1 wrong: the first one is looked for before the fetch
# cause: whether the name is new is asked before the fetch, so that several tasks find it new and overwrite each other's number
# line: if name not in totals: | totals[name] = await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    if name not in totals:
        totals[name] = await fetch(name)
    else:
        number = await fetch(name)
        totals[name] += number

# %% tally-1 wrong: a lock around the fetch as well
# cause: the lock is held while it fetches, so only one task fetches at a time
# line: async with guard: | number = await fetch(name)
import asyncio
from collections import defaultdict

guards = defaultdict(asyncio.Lock)


async def add(totals, name, fetch):
    guard = guards[id(totals)]
    async with guard:
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number

# %% tally-1 right: in one expression, the fetch first
async def add(totals, name, fetch):
    totals.update({name: await fetch(name) + totals.get(name, 0)})

# %% account-1 wrong: short critical sections
# cause: the lock is not held while the bank is asked, so another payment begins from the same euros and one is lost
# line: after = await self.bank(before, change) | self.euros = after | before = self.euros
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        # keep the critical sections short
        async with self.lock:
            before = self.euros
        after = await self.bank(before, change)
        async with self.lock:
            self.euros = after

# %% account-1 wrong: a chain of events, broken by a cancelled waiter
# cause: a payment that is cancelled while it waits for its turn lets the next one begin, although the one before is still at the bank
# line: my_turn_is_over.set() | finally: | await before.wait()
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.last = None

    async def pay(self, change):
        before, my_turn_is_over = self.last, asyncio.Event()
        self.last = my_turn_is_over
        try:
            if before is not None:
                await before.wait()
            self.euros = await self.bank(self.euros, change)
        finally:
            my_turn_is_over.set()

# %% account-1 right: one pen in a queue
import asyncio


class Account:
    """Whoever has the pen may write."""

    def __init__(self, bank):
        self.bank, self.euros = bank, 0
        self.pens = asyncio.Queue()
        self.pens.put_nowait("pen")

    async def pay(self, change):
        pen = await self.pens.get()
        try:
            self.euros = await self.bank(self.euros, change)
        finally:
            self.pens.put_nowait(pen)

# %% bread-1 wrong: takes the loaf after the lock is given back
# cause: the loaf is taken when the lock is no longer held
# line: return shelf.pop(0)
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        await changed.wait_for(lambda: len(shelf) > 0)
    return shelf.pop(0)

# %% bread-1 wrong: sleeps with the lock, and takes the loaf apart
# cause: it keeps the lock while it waits, so no baker can bring a loaf
# line: await asyncio.sleep(0.01) | while not shelf: | async with changed:
import asyncio


async def buy(changed, shelf):
    async with changed:
        while not shelf:
            await asyncio.sleep(0.01)
        loaf, *_ = shelf
        del shelf[0]
        return loaf

# %% bread-1 right: waits for the length
async def buy(changed, shelf):
    async with changed:
        await changed.wait_for(shelf.__len__)
        return shelf.pop(0)

# %% request-log-1 wrong: a threading.local
# cause: all tasks run in one thread, so they share the number; it must be kept in a context variable
# line: self.current = threading.local() | self.current.number = number | number = getattr(self.current, "number", None)
import threading


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.current = threading.local()

    def begin(self, number):
        self.current.number = number

    def say(self, text):
        number = getattr(self.current, "number", None)
        self.lines.append((number, text))

# %% request-log-1 wrong: a mutable holder in the context
# cause: begin changes the holder that other tasks have inherited, instead of setting the variable anew; a new number shows in tasks that belong to another request
# line: holder["number"] = number | if holder is None:
import contextvars


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple] = []
        self._request = contextvars.ContextVar("request", default=None)

    def begin(self, number) -> None:
        holder = self._request.get()
        if holder is None:
            self._request.set({"number": number})
        else:
            holder["number"] = number

    def say(self, text) -> None:
        holder = self._request.get() or {}
        self.lines.append((holder.get("number"), text))

# %% request-log-1 right: looks into the context itself
import contextvars


class Log:
    def __init__(self):
        self.lines = []
        self.number = contextvars.ContextVar("number")

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        context = contextvars.copy_context()
        self.lines += [(context.get(self.number), text)]

# %% limited-1 wrong: waits for the place inside the try
# cause: a caller that is cancelled while it waits for a place gives back a place that it does not have
# line: await places.acquire() | places.release() | finally:
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Semaphore(most)

    async def get(page):
        try:
            await places.acquire()
            return await fetch(page)
        finally:
            places.release()

    return get

# %% limited-1 wrong: awaits the answer outside of the block
# cause: the call of fetch only makes a coroutine; it is awaited after the place was given back
# line: return await answer | answer = fetch(page)
import asyncio


def limited(fetch, most):
    gate = asyncio.Semaphore(most)

    async def get(page):
        async with gate:
            answer = fetch(page)
        return await answer

    return get

# %% limited-1 right: numbered tickets in a queue
import asyncio


def limited(fetch, most):
    tickets = asyncio.Queue()
    for number in range(most):
        tickets.put_nowait(number)

    async def get(page):
        ticket = await tickets.get()
        try:
            return await fetch(page)
        finally:
            tickets.put_nowait(ticket)

    return get

# %% once-per-key-1 wrong: functools.cache on the task
# cause: a task that failed stays in the cache, so the key is never loaded again
# line: @functools.cache | return asyncio.create_task(load(key)) | return await asyncio.shield(started(key))
import asyncio
import functools


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""

    @functools.cache
    def started(key):
        return asyncio.create_task(load(key))

    async def get(key):
        return await asyncio.shield(started(key))

    return get

# %% once-per-key-1 wrong: the one that loads is cancelled
# cause: if the task that loads is cancelled, its future is never resolved nor forgotten, and the others wait for ever
# line: except Exception as error: | page = await load(key)
import asyncio


def once_per_key(load):
    promises = {}

    async def get(key):
        if key in promises:
            return await asyncio.shield(promises[key])
        promise = promises[key] = asyncio.get_running_loop().create_future()
        try:
            page = await load(key)
        except Exception as error:
            del promises[key]
            promise.set_exception(error)
            promise.exception()  # no warning if nobody else waits
            raise
        promise.set_result(page)
        return page

    return get

# %% once-per-key-1 right: a task that forgets itself when it fails
import asyncio


def once_per_key(load):
    loads = {}

    async def loading(key):
        try:
            return await load(key)
        except BaseException:
            loads.pop(key, None)
            raise

    async def get(key):
        try:
            task = loads[key]
        except KeyError:
            task = loads[key] = asyncio.create_task(loading(key))
        return await asyncio.shield(task)

    return get

# %% tally-1 wrong: reads the total before the wait
# cause: the old total is read before the await, so numbers that were added meanwhile are lost
# line: totals[name] = totals.get(name, 0) + await fetch(name)
async def add(totals, name, fetch):
    totals[name] = totals.get(name, 0) + await fetch(name)

# %% tally-1 wrong: first one overwrites
# cause: between the test whether the name is there and the assignment another task may have added its number, which is overwritten
# line: if name not in totals: | totals[name] = await fetch(name)
async def add(totals, name, fetch):
    if name not in totals:
        totals[name] = await fetch(name)
    else:
        number = await fetch(name)
        totals[name] += number

# %% tally-1 right: with update
async def add(totals, name, fetch):
    number = await fetch(name)
    totals.update({name: totals.get(name, 0) + number})

# %% account-1 wrong: reads before it has the lock
# cause: the balance is read before the lock is taken, so a waiting payment uses an old balance
# line: before = self.euros | self.euros = await self.bank(before, change)
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        before = self.euros
        async with self.lock:
            self.euros = await self.bank(before, change)

# %% account-1 wrong: one lock for all accounts, again
# cause: the lock belongs to the class, so different accounts wait for each other
# line: lock = asyncio.Lock()
import asyncio


class Account:
    lock = asyncio.Lock()

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

# %% account-1 right: a token in a queue
import asyncio


class Account:
    def __init__(self, bank):
        self._bank = bank
        self._turn = asyncio.Queue()
        self._turn.put_nowait("token")
        self.euros = 0

    async def pay(self, change):
        token = await self._turn.get()
        try:
            self.euros = await self._bank(self.euros, change)
        finally:
            self._turn.put_nowait(token)

# %% bread-1 wrong: looks only once
# cause: a woken customer does not look again whether there is a loaf
# line: if not shelf:
async def buy(changed, shelf):
    async with changed:
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: waits even if there is bread
# cause: it waits for a notification first, though a loaf may be on the shelf already
# line: await changed.wait()
async def buy(changed, shelf):
    async with changed:
        while True:
            await changed.wait()
            if shelf:
                return shelf.pop(0)

# %% bread-1 right: acquire and release by hand, again
async def buy(changed, shelf):
    await changed.acquire()
    try:
        while len(shelf) == 0:
            await changed.wait()
        loaf = shelf[0]
        del shelf[0]
        return loaf
    finally:
        changed.release()

# %% request-log-1 wrong: a dict by task, again
# cause: a task created by the request's task is another key, so its lines have no number
# line: self.numbers.get(asyncio.current_task()) | self.numbers[asyncio.current_task()] = number
import asyncio


class Log:
    def __init__(self):
        self.lines = []
        self.numbers = {}

    def begin(self, number):
        self.numbers[asyncio.current_task()] = number

    def say(self, text):
        self.lines.append((self.numbers.get(asyncio.current_task()), text))

# %% request-log-1 wrong: number zero is none
# cause: the request number 0 is taken for no request
# line: number = current.get() or None
import contextvars

current = contextvars.ContextVar("current", default=0)


class Log:
    def __init__(self):
        self.lines = []

    def begin(self, number):
        current.set(number)

    def say(self, text):
        number = current.get() or None
        self.lines.append((number, text))

# %% request-log-1 right: a lookup that may fail
import contextvars


class Log:
    def __init__(self):
        self.lines = list()
        self._request = contextvars.ContextVar("request")

    def begin(self, number):
        self._request.set((number,))

    def say(self, text):
        try:
            (number,) = self._request.get()
        except LookupError:
            number = None
        self.lines += [(number, text)]

# %% limited-1 wrong: releases what it has not got
# cause: a caller that is cancelled while it waits releases a place that it never had, so too many fetch
# line: try: | await semaphore.acquire()
import asyncio


def limited(fetch, most):
    semaphore = asyncio.Semaphore(most)

    async def get(page):
        try:
            await semaphore.acquire()
            return await fetch(page)
        finally:
            semaphore.release()

    return get

# %% limited-1 wrong: a semaphore per call
# cause: each call makes a semaphore of its own, so nothing is limited
# line: semaphore = asyncio.Semaphore(most)
import asyncio


def limited(fetch, most):
    async def get(page):
        semaphore = asyncio.Semaphore(most)
        async with semaphore:
            return await fetch(page)

    return get

# %% limited-1 right: a queue of places
import asyncio


def limited(fetch, most):
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

# %% once-per-key-1 wrong: every waiter forgets the key
# cause: after a failure each waiter removes the entry, even if it is already the new load, which is then loaded twice
# line: tasks.pop(key, None)
import asyncio


def once_per_key(load):
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        try:
            return await asyncio.shield(tasks[key])
        except Exception:
            tasks.pop(key, None)
            raise

    return get

# %% once-per-key-1 wrong: no shield
# cause: a cancelled waiter cancels the task that all share, and the others get a CancelledError
# line: return await tasks[key]
import asyncio


def once_per_key(load):
    tasks = {}

    async def get(key):
        task = tasks.get(key)
        if task is None or task.done() and (task.cancelled() or task.exception()):
            tasks[key] = asyncio.create_task(load(key))
        return await tasks[key]

    return get

# %% once-per-key-1 right: a class with a shielded task
import asyncio


class Once:
    def __init__(self, load):
        self.load = load
        self.tasks = {}

    @staticmethod
    def usable(task):
        if task is None:
            return False
        if not task.done():
            return True
        return not task.cancelled() and task.exception() is None

    async def get(self, key):
        task = self.tasks.get(key)
        if not self.usable(task):
            task = asyncio.ensure_future(self.load(key))
            self.tasks[key] = task
        return await asyncio.shield(task)


def once_per_key(load):
    return Once(load).get

# %% tally-1 wrong: a question asked too early
# cause: whether the name is new is asked before the await; when two tasks begin with the same new name, the later one overwrites the number of the other.
# line: new = name not in totals | number = await fetch(name)
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    new = name not in totals
    number = await fetch(name)
    if new:
        totals[name] = number
    else:
        totals[name] += number

# %% tally-1 wrong: a lock for each name around the fetch
# cause: tasks with the same name fetch one after another, though all should fetch at the same time.
# line: async with locks[name]:
import asyncio
from collections import defaultdict

locks = defaultdict(asyncio.Lock)


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    async with locks[name]:
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number

# %% tally-1 right: in a done callback
import asyncio
from functools import partial


def book(totals, name, task):
    if not task.cancelled() and task.exception() is None:
        totals.update({name: totals.get(name, 0) + task.result()})


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    task = asyncio.ensure_future(fetch(name))
    task.add_done_callback(partial(book, totals, name))
    await task

# %% account-1 wrong: an error is handed down the line
# cause: each payment awaits the task of the one before, so an error or a cancellation of that one comes out of this one too, and of all that follow.
# line: await previous
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.last = None

    async def pay(self, change):
        self.last = asyncio.create_task(self._pay(self.last, change))
        await self.last

    async def _pay(self, previous, change):
        if previous is not None:
            await previous
        self.euros = await self.bank(self.euros, change)

# %% account-1 wrong: adds the difference instead of waiting
# cause: payments at the same time all tell the bank the same old amount, not what is in the account; no lock makes them wait for each other, and `euros` is not what the bank returned.
# line: after = await self.bank(before, change) | self.euros += after - before | before = self.euros
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0

    async def pay(self, change):
        before = self.euros
        after = await self.bank(before, change)
        self.euros += after - before

# %% account-1 right: a queue that holds the only key
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self._ask = bank
        self._key = asyncio.Queue(maxsize=1)
        self._key.put_nowait("the only key")
        self.euros = 0

    async def pay(self, change):
        key = await self._key.get()
        try:
            self.euros = await self._ask(self.euros, change)
        finally:
            self._key.put_nowait(key)

# %% account-1 wrong: reads the euros before it has the lock
# cause: what is in the account is read before the lock is taken, so it is old when the bank is asked and payments are lost
# line: before = self.euros
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def pay(self, change):
        before = self.euros
        async with self.lock:
            self.euros = await self.bank(before, change)

# %% bread-1 wrong: waits before it looks
# cause: it waits for a notification before it looks at the shelf, so a loaf that is already there is not taken.
# line: await changed.wait()
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with changed:
        while True:
            await changed.wait()
            if shelf:
                return shelf.pop(0)

# %% bread-1 wrong: a quick look without the lock
# cause: if there is a loaf, it is taken without holding the lock, even while another task holds it.
# line: if shelf:
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    if shelf:
        # no need to queue up for the lock
        return shelf.pop(0)
    async with changed:
        while not shelf:
            await changed.wait()
        loaf = shelf.pop(0)
    return loaf

# %% bread-1 right: by hand, with a predicate that is a method
async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    await changed.acquire()
    try:
        await changed.wait_for(shelf.__len__)
        loaf, shelf[:] = shelf[0], shelf[1:]
        return loaf
    finally:
        changed.release()

# %% request-log-1 wrong: a holder that the children share
# cause: a created task inherits the same dict, and begin changes it in place; so a request that the child begins changes the number of its parent, and the other way round.
# line: holder["number"] = number
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self.request = contextvars.ContextVar("request", default=None)

    def begin(self, number):
        holder = self.request.get()
        if holder is None:
            self.request.set({"number": number})
        else:
            holder["number"] = number

    def say(self, text):
        holder = self.request.get()
        number = holder["number"] if holder is not None else None
        self.lines.append((number, text))

# %% request-log-1 wrong: one context for all
# cause: the log keeps one copied context and sets the number in there, so all tasks share a single number.
# line: self.context = contextvars.copy_context() | self.context.run(self.number.set, number)
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    number = contextvars.ContextVar("number", default=None)

    def __init__(self):
        self.lines = []
        self.context = contextvars.copy_context()

    def begin(self, number):
        self.context.run(self.number.set, number)

    def say(self, text):
        number = self.context.run(self.number.get)
        self.lines.append((number, text))

# %% request-log-1 right: one variable, copied when written
import contextvars
from types import MappingProxyType

_requests = contextvars.ContextVar("requests", default=MappingProxyType({}))


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self._me = object()
        self.lines = []

    def begin(self, number):
        _requests.set(MappingProxyType({**_requests.get(), self._me: number}))

    def say(self, text):
        self.lines += [(_requests.get().get(self._me), text)]

# %% limited-1 wrong: gives back a place that it never had
# cause: the acquire stands inside the try, so a caller that is cancelled while it waits releases a place that it never had, and more than `most` get in.
# line: await gate.acquire() | try:
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    gate = asyncio.Semaphore(most)

    async def get(page):
        try:
            await gate.acquire()
            return await fetch(page)
        finally:
            gate.release()

    return get

# %% limited-1 wrong: hands its place to one who has gone
# cause: a caller that was cancelled while it waited is still in the line; the place is handed to its cancelled future, which raises an InvalidStateError, and the place is lost.
# line: line.popleft().set_result(None) | await turn
import asyncio
from collections import deque


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    inside = 0
    line = deque()

    async def get(page):
        nonlocal inside
        if inside < most:
            inside += 1
        else:
            turn = asyncio.get_running_loop().create_future()
            line.append(turn)
            await turn
        try:
            return await fetch(page)
        finally:
            if line:
                line.popleft().set_result(None)  # my place is yours
            else:
                inside -= 1

    return get

# %% limited-1 right: seats in a queue
import asyncio
from contextlib import asynccontextmanager


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    seats = asyncio.LifoQueue()
    for seat in range(most):
        seats.put_nowait(seat)

    @asynccontextmanager
    async def seated():
        seat = await seats.get()
        try:
            yield
        finally:
            seats.put_nowait(seat)

    async def get(page):
        async with seated():
            return await fetch(page)

    return get

# %% once-per-key-1 wrong: each that waited forgets the task
# cause: after a failure every waiting task removes what is stored for the key, even if that is already the new load that a quicker one has begun; so the key is loaded more than once again.
# line: tasks.pop(key, None)
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        try:
            return await asyncio.shield(tasks[key])
        except Exception:
            tasks.pop(key, None)  # whoever asks later has it loaded again
            raise

    return get

# %% once-per-key-1 wrong: one failure clears the whole cache
# cause: cache_clear forgets all keys, not only the one that failed; so other keys are loaded a second time.
# line: start.cache_clear()
# told: none
import asyncio
from functools import cache


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""

    @cache
    def start(key):
        task = asyncio.ensure_future(load(key))
        task.add_done_callback(check)
        return task

    def check(task):
        if task.cancelled() or task.exception() is not None:
            start.cache_clear()

    async def get(key):
        return await asyncio.shield(start(key))

    return get

# %% once-per-key-1 right: wait, which cancels nobody
import asyncio


class Loads(dict):
    def __init__(self, load):
        super().__init__()
        self.load = load

    def __missing__(self, key):
        task = self[key] = asyncio.ensure_future(self.load(key))
        return task

    def forget_failed(self, key):
        task = self.get(key)
        if task is not None and task.done():
            if task.cancelled() or task.exception() is not None:
                del self[key]


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    loads = Loads(load)

    async def get(key):
        loads.forget_failed(key)
        task = loads[key]
        await asyncio.wait([task])
        return task.result()

    return get

# %% tally-1 wrong: makes a new dict
# cause: The assignment binds the local name to a new dict, and the dict of the caller stays as it was.
# line: totals = {**totals
async def add(totals, name, fetch):
    number = await fetch(name)
    totals = {**totals, name: totals.get(name, 0) + number}

# %% tally-1 wrong: returns the sum
# cause: The sum is returned, and not written into the dict.
# line: return totals.get(name, 0) + number
async def add(totals, name, fetch):
    number = await fetch(name)
    return totals.get(name, 0) + number

# %% bread-1 wrong: looks, waits and takes in three blocks
# cause: The shelf is looked at without the lock: a loaf that comes between the look and the wait is missed, or another customer takes it.
# line: while not shelf: | return shelf.pop(0) | # now it is our turn
async def buy(changed, shelf):
    while not shelf:
        async with changed:
            await changed.wait()
    async with changed:  # now it is our turn
        return shelf.pop(0)

# %% bread-1 wrong: looks twice
# cause: After the second waking it does not look again.
# line: if not shelf: | await changed.wait()
async def buy(changed, shelf):
    async with changed:
        if not shelf:
            await changed.wait()
        if not shelf:
            await changed.wait()
        return shelf.pop(0)

# %% bread-1 wrong: only looks at the loaf
# cause: The first loaf is returned, and stays on the shelf.
# line: return shelf[0]
async def buy(changed, shelf):
    async with changed:
        await changed.wait_for(lambda: shelf)
        return shelf[0]

# %% once-per-key-1 wrong: setdefault with a new task
# cause: The argument of setdefault is computed each time, so every call starts a load, even if there is one for the key already.
# line: task = tasks.setdefault(
import asyncio


def once_per_key(load):
    tasks = {}

    async def run(key):
        try:
            return await load(key)
        except BaseException:
            tasks.pop(key, None)
            raise

    async def get(key):
        task = tasks.setdefault(key, asyncio.create_task(run(key)))
        return await asyncio.shield(task)

    return get

# %% once-per-key-1 wrong: get with a new task for its default
# cause: The default is computed each time, so every call starts a load.
# line: tasks.get(key, asyncio.create_task
import asyncio


def once_per_key(load):
    tasks = {}

    async def get(key):
        task = tasks[key] = tasks.get(key, asyncio.create_task(load(key)))
        try:
            return await asyncio.shield(task)
        except Exception:
            if tasks.get(key) is task:
                del tasks[key]
            raise

    return get

# %% once-per-key-1 wrong: a dict for each call
# cause: Each call of get makes a dict of its own, so none finds what another one has begun.
# line: tasks = {}
import asyncio


def once_per_key(load):
    async def get(key):
        tasks = {}
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        return await asyncio.shield(tasks[key])

    return get

# %% once-per-key-1 wrong: one dict for all
# cause: The dict stands outside, and all functions that are made share what it holds.
# line: tasks = {}
import asyncio

tasks = {}


def once_per_key(load):
    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        task = tasks[key]
        try:
            return await asyncio.shield(task)
        except Exception:
            if tasks.get(key) is task:
                del tasks[key]
            raise

    return get

# %% once-per-key-1 wrong: a cache of tasks
# cause: The cache keeps a task that failed (and forgets pages beyond a hundred).
# line: lru_cache(maxsize
import asyncio
from functools import lru_cache


def once_per_key(load):
    @lru_cache(maxsize=100)
    def start(key):
        return asyncio.create_task(load(key))

    async def get(key):
        return await asyncio.shield(start(key))

    return get

# %% request-log-1 wrong: lists and not pairs
# cause: It adds lists, and not tuples.
# line: [self.number.get(), text]
import contextvars


class Log:
    def __init__(self):
        self.lines, self.number = [], contextvars.ContextVar("number", default=None)

    def begin(self, number):
        self.number.set(number)

    def say(self, text):
        self.lines.append([self.number.get(), text])

# %% tally-1 wrong: first see whether the name is known
# cause: Whether the name is new is decided before the fetch; by the time the number has come, another task may have entered the name, and its number is overwritten.
# line: is_new = name not in totals | totals[name] = number
async def add(totals, name, fetch):
    is_new = name not in totals
    number = await fetch(name)
    if is_new:
        totals[name] = number
    else:
        totals[name] += number

# %% limited-1 wrong: a counter with a condition
# cause: The count is checked only once; when one place gets free, all waiting tasks are woken and go in without looking again, so more than `most` are in `fetch`.
# line: if inside >= most: | await changed.wait()
import asyncio


def limited(fetch, most):
    changed = asyncio.Condition()
    inside = 0

    async def get(page):
        nonlocal inside
        async with changed:
            if inside >= most:
                await changed.wait()
            inside += 1
        try:
            return await fetch(page)
        finally:
            async with changed:
                inside -= 1
                changed.notify_all()

    return get

# %% once-per-key-1 wrong: a shielded task per key
# cause: A load that failed stays in the dict, so a task that asks later gets the old error instead of having the key loaded again.
# line: if key not in tasks: | return await asyncio.shield(tasks[key]) | tasks[key] = asyncio.create_task(load(key))
import asyncio


def once_per_key(load):
    tasks = {}

    async def get(key):
        if key not in tasks:
            tasks[key] = asyncio.create_task(load(key))
        return await asyncio.shield(tasks[key])

    return get

# %% tally-1 wrong: asks too early whether the name is new
# cause: Whether the name is new is decided before the await; by the time the number has come another task may have written a total, which is then overwritten.
# line: new = name not in totals | totals[name] = number
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    new = name not in totals
    number = await fetch(name)
    if new:
        totals[name] = number
    else:
        totals[name] += number

# %% tally-1 wrong: a lock is held while it fetches
# cause: The lock is held during the fetch, so the tasks fetch one after another instead of all at the same time.
# line: async with lock: | number = await fetch(name)
import asyncio

lock = asyncio.Lock()


async def add(totals, name, fetch):
    async with lock:
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number


# %% bread-1 wrong: shortcut without the lock
# cause: If there is bread already, the loaf is taken without the lock, so the shelf changes under a task that holds the lock and is in the middle of its work.
# line: if shelf: | return take_first(shelf)
def take_first(shelf):
    return shelf.pop(0)


async def buy(changed, shelf):
    if shelf:
        return take_first(shelf)
    async with changed:
        while not shelf:
            await changed.wait()
        loaf = take_first(shelf)
    return loaf


# %% account-1 wrong: acquire stands inside the try
# cause: A payment that is cancelled while it still waits for the lock runs the finally and releases the lock that another payment holds, so two payments run at once and one is lost.
# line: await self._lock.acquire() | self._lock.release() | try:
import asyncio


class Account:
    def __init__(self, bank):
        self.euros = 0
        self._bank = bank
        self._lock = asyncio.Lock()

    async def pay(self, change):
        try:
            await self._lock.acquire()
            self.euros = await self._bank(self.euros, change)
        finally:
            self._lock.release()

# %% tally-1 wrong: the first number is lost
# cause: a new name is set to 0 in the except branch but the number isn't added then, so the first number of each name is lost.
# line: totals[name] = 0
async def add(totals, name, fetch):
    number = await fetch(name)
    try:
        totals[name] += number
    except KeyError:
        totals[name] = 0

# %% bread-1 wrong: lets go between look and wait
# cause: The lock is given up between looking at the shelf and waiting, so a baker who stands in line for the lock brings the loaf and notifies in between, and the customer waits on though there is bread.
# line: await changed.wait() | return shelf.pop(0) | if shelf:
async def buy(changed, shelf):
    while True:
        async with changed:
            if shelf:
                return shelf.pop(0)
        async with changed:
            await changed.wait()

# %% tally-1 wrong: the lock is held while fetching
# cause: the lock is held during the fetch, so the tasks fetch one after another instead of all at the same time.
# line: async with lock_of_loop(): | number = await fetch(name)
import asyncio
from weakref import WeakKeyDictionary

_locks = WeakKeyDictionary()


def lock_of_loop():
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    async with lock_of_loop():
        number = await fetch(name)
        totals[name] = totals.get(name, 0) + number

# %% account-1 wrong: adds the change itself
# cause: it adds the change and not what the bank returned, so the fee is lost
# line: self.euros += change
import asyncio


class Account:
    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.turn = asyncio.Semaphore(1)

    async def pay(self, change):
        async with self.turn:
            await self.bank(self.euros, change)
            self.euros += change

# %% bread-1 wrong: Calls itself with the lock
# cause: After a notification it calls itself while it holds the lock, which cannot be taken twice, so it hangs for ever once it had to wait.
# line: return await buy(changed, shelf) | async with changed:
async def buy(changed, shelf):
    async with changed:
        if shelf:
            return shelf.pop(0)
        await changed.wait()
        return await buy(changed, shelf)

# %% account-1 wrong: lock stays held when cancelled
# cause: except Exception does not catch CancelledError, so after a payment cancelled in the bank the lock is never released and the next pay hangs.
# line: except Exception: | self._busy.release()
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self._bank = bank
        self._busy = asyncio.Lock()
        self.euros = 0

    async def pay(self, change):
        await self._busy.acquire()
        try:
            new_euros = await self._bank(self.euros, change)
        except Exception:
            self._busy.release()
            raise
        self.euros = new_euros
        self._busy.release()

# %% bread-1 wrong: lock given up before taking
# cause: the lock is given back between seeing the loaf and taking it, so another customer may take the loaf meanwhile and pop raises IndexError.
# line: async with changed:  # take | return shelf.pop(0) | await changed.wait_for(
async def wait_until_full(changed, shelf):
    async with changed:
        await changed.wait_for(lambda: len(shelf) > 0)


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    await wait_until_full(changed, shelf)
    async with changed:  # take
        return shelf.pop(0)

# %% tally-1 wrong: new name gives a KeyError
# cause: `+=` needs the name to be in totals already, so the first add of a new name raises a KeyError instead of beginning with 0.
# line: totals[name] += number
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    number = await fetch(name)
    totals[name] += number

# %% account-1 wrong: shielded payment is made anyway
# cause: the payment runs in a shielded task, so when pay is cancelled the bank call goes on and euros changes nevertheless.
# line: await asyncio.shield(
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.bank = bank
        self.euros = 0
        self.lock = asyncio.Lock()

    async def _book(self, change):
        async with self.lock:
            self.euros = await self.bank(self.euros, change)

    async def pay(self, change):
        await asyncio.shield(self._book(change))

# %% request-log-1 wrong: number set in a copy
# cause: the number is set in a copy of the context that is then thrown away, so say finds None even after begin.
# line: context.run(current_request.set, number) | context = contextvars.copy_context()
import contextvars

current_request = contextvars.ContextVar("current_request", default=None)


class Log:
    def __init__(self):
        self.lines = []

    def begin(self, number):
        context = contextvars.copy_context()
        context.run(current_request.set, number)

    def say(self, text):
        self.lines.append((current_request.get(), text))

# %% limited-1 wrong: awaits outside the semaphore
# cause: inside the semaphore the coroutine is only made, it runs after the place is given back, so more than most tasks are in fetch.
# line: return await answer | answer = fetch(page)
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = asyncio.Semaphore(most)

    async def get(page):
        async with places:
            answer = fetch(page)
        return await answer

    return get

# %% limited-1 wrong: shielded fetch outlives its place
# cause: if a caller is cancelled the shielded fetch goes on while its place is given to the next, so more than most are in fetch.
# line: asyncio.shield(fetch(page))
import asyncio


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    semaphore = asyncio.Semaphore(most)

    async def get(page):
        await semaphore.acquire()
        try:
            return await asyncio.shield(fetch(page))
        finally:
            semaphore.release()

    return get

# %% limited-1 wrong: fetch started before the gate
# cause: The task with fetch is created before the semaphore is acquired, so all fetches run at once and only the waiting for them is limited.
# line: asyncio.create_task(fetch(page)) | async with gate
import asyncio


def limited(fetch, most):
    gate = asyncio.Semaphore(most)

    async def get(page):
        promise = asyncio.create_task(fetch(page))
        async with gate:
            return await promise

    return get

# %% account-1 wrong: acquire and release without finally
# cause: If the bank raises or the payment is cancelled, the lock is never released and the next payment waits for ever.
# line: self._mutex.release() | await self._mutex.acquire() | balance = await self._bank(
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self._bank = bank
        self._mutex = asyncio.Lock()
        self.euros = 0

    async def pay(self, change):
        await self._mutex.acquire()
        balance = await self._bank(self.euros, change)
        self.euros = balance
        self._mutex.release()

# %% account-1 right: a line of futures
import asyncio
from collections import deque


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.euros = 0
        self._bank = bank
        self._line = deque()  # a future for each payment; the first one is being served

    async def pay(self, change):
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            if self._line[0] is not turn:
                await turn
            self.euros = await self._bank(self.euros, change)
        finally:
            self._line.remove(turn)
            if self._line and not self._line[0].done():
                self._line[0].set_result(None)

# %% bread-1 right: exit stack, length as predicate
from contextlib import AsyncExitStack


async def buy(changed, shelf):
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(changed)
        await changed.wait_for(shelf.__len__)
        return shelf.pop(0)

# %% request-log-1 right: variable per log, context as mapping
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self._request = contextvars.ContextVar("request")

    def begin(self, number):
        self._request.set(number)

    def say(self, text):
        here = contextvars.copy_context()
        self.lines.append((here.get(self._request), text))

# %% limited-1 right: a queue of places again
import asyncio
from contextlib import asynccontextmanager


def limited(fetch, most):
    places = asyncio.Queue()
    for place in range(most):
        places.put_nowait(place)

    @asynccontextmanager
    async def seated():
        place = await places.get()
        try:
            yield
        finally:
            places.put_nowait(place)

    async def get(page):
        async with seated():
            return await fetch(page)

    return get

# %% once-per-key-1 right: tasks watched with asyncio.wait
import asyncio


class _Loads:
    def __init__(self, load):
        self.load = load
        self.tasks = {}

    def task_for(self, key):
        match self.tasks.get(key):
            case None:
                pass
            case task if not task.done():
                return task
            case task if not task.cancelled() and task.exception() is None:
                return task
        task = asyncio.get_running_loop().create_task(self.load(key))
        # Should nobody be left to see an error, it is not worth a message.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self.tasks[key] = task
        return task

    async def get(self, key):
        task = self.task_for(key)
        if not task.done():
            await asyncio.wait([task])  # doesn't cancel the task if we are cancelled
        return task.result()


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    return _Loads(load).get

# %% request-log-1 wrong: dictionary by current task
# cause: The number is kept for the very task that called begin, so a task created by a request's task finds None.
# line: self.numbers[_who()] = number | self.numbers.get(_who()) | return asyncio.current_task()
import asyncio
import weakref


def _who():
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


class Log:
    def __init__(self):
        self.lines = []
        self.numbers = weakref.WeakKeyDictionary()
        self.outside = None

    def begin(self, number):
        if _who() is None:
            self.outside = number
        else:
            self.numbers[_who()] = number

    def say(self, text):
        if _who() is None:
            number = self.outside
        else:
            number = self.numbers.get(_who())
        self.lines.append((number, text))

# %% request-log-1 wrong: changes a dict inside the variable
# cause: The context variable holds one dict that all contexts share, and begin changes the dict instead of setting the variable, so requests at the same time overwrite each other's number.
# line: self._state.get()["number"] = number | default={"number": None}
import contextvars


class Log:
    """A log that knows to which request a line belongs."""

    def __init__(self):
        self.lines = []
        self._state = contextvars.ContextVar("state", default={"number": None})

    def begin(self, number):
        self._state.get()["number"] = number

    def say(self, text):
        state = self._state.get()
        self.lines.append((state["number"], text))

# %% once-per-key-1 wrong: failed load is kept
# cause: a task that failed stays in the dictionary, so whoever asks for that key later gets the old error instead of a new load.
# line: if task is None | tasks[key] = task | return await asyncio.shield(task) | none
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    async def get(key):
        task = tasks.get(key)
        if task is None:
            task = asyncio.create_task(load(key))
            tasks[key] = task
        return await asyncio.shield(task)

    return get

# %% tally-1 wrong: shares a running fetch
# cause: calls for the same name at the same time share one fetch, so each doesn't fetch its own number and the same number is added several times.
# line: if name not in _running | await asyncio.shield(_running[name]) | _running = {}
import asyncio

_running = {}


async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    if name not in _running:
        _running[name] = asyncio.ensure_future(fetch(name))
        _running[name].add_done_callback(lambda _: _running.pop(name, None))
    number = await asyncio.shield(_running[name])
    totals[name] = totals.get(name, 0) + number

# %% tally-1 right: match on number and total
async def add(totals, name, fetch):
    """Fetch a number and add it to the total of `name`."""
    # From left to right: the total is looked up when the number is there.
    match await fetch(name), totals.get(name, 0):
        case number, so_far:
            totals[name] = so_far + number

# %% account-1 right: a queue holding one token
import asyncio


class Account:
    """An account that no two tasks change at once."""

    def __init__(self, bank):
        self.euros = 0
        self._bank = bank
        self._pen = asyncio.Queue()
        self._pen.put_nowait("the only pen")

    async def pay(self, change):
        pen = await self._pen.get()
        try:
            self.euros = await self._bank(self.euros, change)
        finally:
            self._pen.put_nowait(pen)

# %% bread-1 right: async generator that holds the lock
from contextlib import aclosing


async def _looks(changed, shelf):
    """Say again and again how many loaves there are, with the lock held."""
    async with changed:
        while True:
            yield len(shelf)
            await changed.wait()


async def buy(changed, shelf):
    """Take the first loaf, as soon as there is one."""
    async with aclosing(_looks(changed, shelf)) as looks:
        async for loaves in looks:
            if loaves:
                return shelf.pop(0)

# %% request-log-1 right: dataclass with a context variable
import contextvars
from dataclasses import dataclass, field
from functools import partial


@dataclass(eq=False)
class Log:
    lines: list = field(init=False, default_factory=list)
    _number: contextvars.ContextVar = field(
        init=False,
        repr=False,
        default_factory=partial(contextvars.ContextVar, "number", default=None),
    )

    def begin(self, number):
        self._number.set(number)

    def say(self, text):
        self.lines.append((self._number.get(), text))

# %% limited-1 right: door class with futures in line
import asyncio
from collections import deque
from contextlib import suppress


class _Door:
    # While anybody is in line, no place is free: who leaves hands the place on.

    def __init__(self, places):
        self.free = places
        self.line = deque()

    async def __aenter__(self):
        if self.free > 0:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with suppress(ValueError):
                    self.line.remove(turn)
            else:
                self.leave()  # the place had just been handed to us
            raise

    async def __aexit__(self, *error):
        self.leave()

    def leave(self):
        while self.line:
            turn = self.line.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1


def limited(fetch, most):
    door = _Door(most)

    async def get(page):
        async with door:
            return await fetch(page)

    return get


# %% limited-1 wrong: two limits of the same function share their places
# cause: the semaphore is kept by `fetch` in a module's dict, for all limits of it
# line: places = _places.setdefault(fetch, asyncio.Semaphore(most))
import asyncio

_places = {}


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    places = _places.setdefault(fetch, asyncio.Semaphore(most))

    async def get(page):
        async with places:
            return await fetch(page)

    return get


# %% limited-1 wrong: a newcomer takes the place of the one that is woken
# cause: the woken one counts itself only when it runs; who calls `get` before takes the same place
# line: if running >= most:
import asyncio
from collections import deque


def limited(fetch, most):
    """Return a function that does what `fetch` does, for at most `most` at a time."""
    running = 0
    waiting = deque()

    def wake_next():
        while waiting:
            first = waiting.popleft()
            if not first.done():
                first.set_result(None)
                return

    async def get(page):
        nonlocal running
        if running >= most:
            ticket = asyncio.get_running_loop().create_future()
            waiting.append(ticket)
            try:
                await ticket
            except asyncio.CancelledError:
                if not ticket.cancelled():
                    wake_next()
                raise
        running += 1
        try:
            return await fetch(page)
        finally:
            running -= 1
            wake_next()

    return get


# %% once-per-key-1 right: detached loader, a future per asker
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    pages = {}
    askers = {}  # key -> the futures of those who wait for its load
    loaders = set()

    async def bring(key):
        try:
            page = await load(key)
        except BaseException as error:
            for asker in askers.pop(key):
                if not asker.done():
                    asker.set_exception(error)
                    asker.exception()  # no complaint if nobody is left to see it
            if not isinstance(error, Exception):
                raise
        else:
            pages[key] = page
            for asker in askers.pop(key):
                if not asker.done():
                    asker.set_result(page)

    async def get(key):
        if key in pages:
            return pages[key]
        asker = asyncio.get_running_loop().create_future()
        if key in askers:
            askers[key].append(asker)
        else:
            askers[key] = [asker]
            loader = asyncio.create_task(bring(key))
            loaders.add(loader)
            loader.add_done_callback(loaders.discard)
        return await asker

    return get

# %% once-per-key-1 wrong: who is cancelled loads the page itself
# cause: the one that is cancelled takes the load along, sees a cancelled load as the others do, and loads anew: its own cancellation is swallowed
# line: if not task.cancelled(): | except asyncio.CancelledError:
import asyncio


def once_per_key(load):
    """Return a function that gives what `load` gives, and loads each key once."""
    tasks = {}

    def forget(key, task):
        if tasks.get(key) is task:
            del tasks[key]

    async def get(key):
        while True:
            task = tasks.get(key)
            if task is None:
                task = tasks[key] = asyncio.create_task(load(key))
            try:
                return await task
            except asyncio.CancelledError:
                if not task.cancelled():
                    raise
                # The load went with a task that was cancelled: once more.
                forget(key, task)
            except Exception:
                forget(key, task)
                raise

    return get
