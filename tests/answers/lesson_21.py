"""Answers to the exercises of lesson 21, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% batches-1 wrong: a call for each number
# cause: each number is a call of its own: too many calls
# line: client.map(work, numbers)
async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    return await client.gather(client.map(work, numbers))

# %% batches-1 wrong: rounded down
# cause: with fewer than four numbers a batch has the size 0, and range fails
# line: len(numbers) // 4 | range(0, len(numbers), size)
async def work_all(client, work, numbers):
    def batch(part):
        return [work(number) for number in part]

    if not numbers:
        return []
    size = len(numbers) // 4
    parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]
    found = await client.gather(client.map(batch, parts))
    return [result for part in found for result in part]

# %% batches-1 wrong: a size of its own
# cause: 100 in a call, however many there are: too many calls if there are many, more than a quarter if there are few
# line: range(0, len(numbers), 100)
async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    def batch(part):
        return [work(number) for number in part]

    parts = [numbers[n:n + 100] for n in range(0, len(numbers), 100)]
    results = []
    for part in await client.gather(client.map(batch, parts)):
        results.extend(part)
    return results

# %% batches-1 wrong: forty, and some more
# cause: a fortieth rounded down leaves a rest, so there are up to 79 calls
# line: max(1, len(numbers) // 40)
async def work_all(client, work, numbers):
    size = max(1, len(numbers) // 40)
    parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]
    futures = [client.submit(lambda part: list(map(work, part)), part) for part in parts]
    return sum(await client.gather(futures), [])

# %% batches-1 wrong: results by number
# cause: the results are kept by number, so a number that comes twice has one result only
# line: found.update(zip(part, results))
import math


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    size = max(1, math.ceil(len(numbers) / 8))
    parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]
    found = {}
    futures = client.map(lambda part: [work(number) for number in part], parts)
    for part, results in zip(parts, await client.gather(futures)):
        found.update(zip(part, results))
    return list(found.values())

# %% batches-1 right: dealt out like cards
from functools import partial


def deal(work, cards):
    return [*map(work, cards)]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    numbers = list(numbers)
    hands = [hand for n in range(32) if (hand := numbers[n::32])]
    found = await client.gather(client.map(partial(deal, work), hands))
    results = [None] * len(numbers)
    for n, hand in enumerate(found):
        results[n::32] = hand
    return results

# %% batches-1 wrong: None is no result
# cause: results that are None are left out
# line: if result is not None
async def work_all(client, work, numbers):
    def batch(part):
        return [work(number) for number in part]
    size = -(-len(numbers) // 20) or 1
    parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]
    lists = await client.gather(client.map(batch, parts))
    return [result for part in lists for result in part if result is not None]

# %% reduce-there-1 wrong: brought home
# cause: all measurements are brought home, and the highest is found here
# line: await client.gather(client.map(load, days))
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    found = await client.gather(client.map(load, days))
    return {day: max(numbers) for day, numbers in zip(days, found)}

# %% reduce-there-1 wrong: there and back
# cause: each day is awaited, comes home and is sent out again
# line: client.submit(max, await future)
async def highest(client, load, days):
    futures = client.map(load, days)
    result = {}
    for day, future in zip(days, futures):
        result[day] = await client.submit(max, await future)
    return result

# %% reduce-there-1 wrong: all in one call
# cause: one call does all the days, so one worker has all the work
# line: await client.submit(all_days)
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    def all_days():
        return {day: max(load(day)) for day in days}

    return await client.submit(all_days)

# %% reduce-there-1 wrong: all to one worker
# cause: one call takes all the futures as arguments, so the measurements move to the worker where it runs
# line: client.submit(tops, *futures)
async def highest(client, load, days):
    def tops(*measured):
        return [max(numbers) for numbers in measured]

    futures = client.map(load, days)
    return dict(zip(days, await client.submit(tops, *futures)))

# %% reduce-there-1 wrong: one day after another
# cause: each day is awaited before the next is sent, so one worker at a time has something to do
# line: await client.submit(lambda: max(load(day)))
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    result = {}
    for day in days:
        result[day] = await client.submit(lambda: max(load(day)))
    return result

# %% reduce-there-1 right: loads and reduces in the same call
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    def top(day, load=load):
        return day, max(load(day))

    return dict(await client.gather(client.map(top, days)))

# %% reduce-there-1 right: a dict of futures of futures
async def highest(client, load, days):
    tops = {day: client.submit(max, client.submit(load, day)) for day in days}
    match [*tops.values()]:
        case []:
            return tops
        case futures:
            return dict(zip(tops, await client.gather(futures)))

# %% reduce-there-1 wrong: begins at zero
# cause: the highest of negative numbers is said to be 0
# line: best = 0
async def highest(client, load, days):
    def top(numbers):
        best = 0
        for number in numbers:
            if number > best:
                best = number
        return best

    lists = client.map(load, days)
    return dict(zip(days, await client.gather(client.map(top, lists))))

# %% survive-1 wrong: everything again
# cause: if one is lost, all the items are sent again
# line: client.map(work, items)
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    for attempt in range(3):
        futures = client.map(work, items)
        try:
            return list(await asyncio.gather(*futures))
        except client.WorkerDied:
            if attempt == 2:
                raise

# %% survive-1 wrong: every error
# cause: what failed with an error of its own is sent again, too
# line: except Exception:
import asyncio


async def do_all(client, work, items):
    async def result(item, future):
        for _ in range(2):
            try:
                return await future
            except Exception:
                future = client.submit(work, item)
        return await future

    futures = client.map(work, items)
    return list(await asyncio.gather(*map(result, items, futures)))

# %% survive-1 wrong: four times
# cause: each item may be sent four times, once and then three times again
# line: range(3)
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    async def result(item, future):
        for _ in range(3):
            try:
                return await future
            except client.WorkerDied:
                future = client.submit(work, item)
        return await future

    futures = [client.submit(work, item) for item in items]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(result(*pair)) for pair in zip(items, futures)]
    return [task.result() for task in tasks]

# %% survive-1 wrong: errors among the results
# cause: an error of an item is returned among the results and doesn't come out
# line: return_exceptions=True
import asyncio


async def do_all(client, work, items):
    async def result(item, future):
        for further in (True, True, False):
            try:
                return await future
            except client.WorkerDied:
                if not further:
                    raise
                future = client.submit(work, item)

    futures = client.map(work, items)
    return await asyncio.gather(*map(result, items, futures), return_exceptions=True)

# %% survive-1 wrong: one after another
# cause: an item is sent only when the one before it is done, not all at the beginning
# line: future = client.submit(work, item) | await future
async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    results = []
    for item in items:
        for attempt in 1, 2, 3:
            future = client.submit(work, item)
            try:
                results.append(await future)
                break
            except client.WorkerDied:
                if attempt == 3:
                    raise
    return results

# %% survive-1 right: rounds for what was lost
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    found, lost, tries = {}, list(items), 0
    while lost:
        tries += 1
        futures = client.map(work, lost)
        ends = await asyncio.gather(*futures, return_exceptions=True)
        again = []
        for item, end in zip(lost, ends):
            match end:
                case client.WorkerDied() if tries < 3:
                    again.append(item)
                case BaseException():
                    raise end
                case result:
                    found[item] = result
        lost = again
    return [found[item] for item in items]

# %% survive-1 right: the next try is inside of the last one's except
import asyncio


async def do_all(client, work, items):
    async def look_after(item, future, left=2):
        try:
            return await future
        except client.WorkerDied:
            if not left:
                raise
            return await look_after(item, client.submit(work, item), left - 1)

    async with asyncio.TaskGroup() as group:
        sent = [(item, client.submit(work, item)) for item in items]
        tasks = [group.create_task(look_after(*pair)) for pair in sent]
    return [task.result() for task in tasks]

# %% survive-1 wrong: falsy is not done
# cause: what returned something falsy is taken for lost, and sent again
# line: if not results.get(item)
import asyncio

async def do_all(client, work, items):
    results = {}
    for attempt in range(3):
        left = [item for item in items if not results.get(item)]
        for item, end in zip(left, await asyncio.gather(*client.map(work, left), return_exceptions=True)):
            if isinstance(end, client.WorkerDied) and attempt < 2:
                continue
            if isinstance(end, Exception):
                raise end
            results[item] = end
    return [results[item] for item in items]

# %% survive-1 wrong: item zero
# cause: an item that is 0 isn't sent again
# line: if not item or tries == 1:
import asyncio

async def do_all(client, work, items):
    async def one(item, tries=3):
        try:
            return await client.submit(work, item)
        except client.WorkerDied:
            if not item or tries == 1:
                raise
            return await one(item, tries - 1)

    return await asyncio.gather(*(one(item) for item in items))

# %% idempotent-1 wrong: added up by account
# cause: a payment that is entered again is added again
# line: book[payment["account"]] = book.get(payment["account"], 0) + payment["amount"]
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    book[payment["account"]] = book.get(payment["account"], 0) + payment["amount"]

# %% idempotent-1 wrong: remembered outside the book
# cause: which payments were made is remembered in a global set, which another process hasn't got
# line: seen.add(payment["id"]) | seen = set() | if payment["id"] not in seen:
seen = set()


def pay(book, payment):
    if payment["id"] not in seen:
        seen.add(payment["id"])
        account = payment["account"]
        book[account] = book.get(account, 0) + payment["amount"]

# %% idempotent-1 wrong: a mark that counts
# cause: the mark True in the book counts as 1 in the sum of its values
# line: book["paid", payment["id"]] = True
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    if ("paid", payment["id"]) in book:
        return
    book["paid", payment["id"]] = True
    account = "account", payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]

# %% idempotent-1 wrong: equal ones are the same
# cause: two payments of the same amount into the same account are taken for one
# line: book[payment["account"], payment["amount"]]
def pay(book, payment):
    book[payment["account"], payment["amount"]] = payment["amount"]

# %% idempotent-1 right: match, and a row of its own
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    match payment:
        case {"id": row, "amount": amount, "account": account}:
            book.update({(account, row): amount})

# %% idempotent-1 wrong: account and id run together
# cause: A and 11 make the same key as A1 and 1
# line: payment["account"] + str(payment["id"])
def pay(book, payment):
    book[payment["account"] + str(payment["id"])] = payment["amount"]

# %% idempotent-1 wrong: takes the id out
# cause: changes the payment, so entering it again is a KeyError
# line: payment.pop("id")
def pay(book, payment):
    key = payment.pop("id")
    if key not in book:
        book[key] = payment["amount"]

# %% choose-where-1 wrong: pictures on a cluster
# cause: one machine with eight cores will do for the pictures, and it may begin anew if it fails
# line: "scale 400 pictures": "cluster"
places = {
    "ask 500 sites": "loop", "old driver": "thread", "scale 400 pictures": "cluster",
    "add two numbers": "loop", "a month of logs": "cluster",
    "a week of physics": "cluster", "compress a file": "thread",
}

# %% choose-where-1 wrong: a process for zlib
# cause: zlib lets go of the GIL, so a thread will do
# line: "compress a file": "process pool"
places = {
    "ask 500 sites": "loop",
    "old driver": "thread",
    "scale 400 pictures": "process pool",
    "add two numbers": "loop",
    "a month of logs": "cluster",
    "a week of physics": "cluster",
    "compress a file": "process pool",
}

# %% choose-where-1 wrong: physics in a pool
# cause: a pool doesn't survive a machine that goes down
# line: places["a week of physics"]
places = {"ask 500 sites": "loop", "old driver": "thread", "add two numbers": "loop"}
places["scale 400 pictures"] = "process pool"
places["a month of logs"] = "cluster"
places["a week of physics"] = "process pool"
places["compress a file"] = "thread"

# %% batches-1 wrong: up to 79 calls
# cause: The size is rounded down. With 79 numbers it is 1, which makes 79 calls; with 100 it is 2, and 50 calls. It has to be rounded up.
# line: len(numbers) // 40
def do(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    size = max(1, len(numbers) // 40)
    futures = [
        client.submit(do, work, numbers[start:start + size])
        for start in range(0, len(numbers), size)
    ]
    return [result for batch in await client.gather(futures) for result in batch]

# %% batches-1 wrong: dealt out like cards
# cause: Each call gets every sixteenth number, and the results are strung together call by call: they are not in the order of the numbers.
# line: numbers[start::16]
def do(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    batches = [numbers[start::16] for start in range(min(16, len(numbers)))]
    futures = [client.submit(do, work, batch) for batch in batches]
    results = []
    for batch in await client.gather(futures):
        results.extend(batch)
    return results

# %% batches-1 right: islice, partial and chain
import functools
import itertools
import math


def do(work, batch):
    return list(map(work, batch))


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    numbers = list(numbers)
    size = math.ceil(len(numbers) / 20)         # 20 calls at most, five per worker
    rest = iter(numbers)
    batches = list(iter(lambda: list(itertools.islice(rest, size)), []))
    if not batches:
        return []
    futures = client.map(functools.partial(do, work), batches)
    return list(itertools.chain.from_iterable(await client.gather(futures)))

# %% reduce-there-1 wrong: the measurements come home
# cause: The results of `load` are gathered, so all the measurements travel to the client, which then looks for the highest itself.
# line: await client.gather(futures)
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    futures = client.map(load, days)
    lists = await client.gather(futures)
    return {day: max(numbers) for day, numbers in zip(days, lists)}

# %% reduce-there-1 wrong: one call for all days
# cause: One call has all the lists as its arguments: they have to move to the one worker on which it runs. One call for each day runs where that day's list is.
# line: client.submit(all_highest, *futures)
def all_highest(*lists):
    return [max(numbers) for numbers in lists]


async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    futures = client.map(load, days)
    numbers = await client.submit(all_highest, *futures)
    return dict(zip(days, numbers))

# %% reduce-there-1 right: load and reduce in one call
import functools


def peak(load, day):
    return max(load(day))


async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    days = list(days)
    if not days:
        return {}
    futures = client.map(functools.partial(peak, load), days)
    return dict(zip(days, await client.gather(futures)))

# %% survive-1 wrong: sent a fourth time
# cause: The first sending isn't counted: after it, three more may follow, so an item is sent four times.
# line: for _ in range(3)
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""

    async def one(item, future):
        for _ in range(3):
            try:
                return await future
            except client.WorkerDied:
                future = client.submit(work, item)
        return await future

    futures = client.map(work, items)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in zip(items, futures)]
    return [task.result() for task in tasks]

# %% survive-1 wrong: none is taken for lost
# cause: What `work` returns may be None: such an item is done, but taken for lost and sent again, and in the end an error comes out for it.
# line: if results[item] is None
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    results = dict.fromkeys(items)
    for attempt in range(3):
        futures = {
            item: client.submit(work, item) for item in items if results[item] is None
        }
        for item, future in futures.items():
            try:
                results[item] = await future
            except client.WorkerDied:
                if attempt == 2:
                    raise
    return [results[item] for item in items]

# %% survive-1 right: a class for each item, recursion of depth three
import asyncio


class Errand:
    def __init__(self, client, work, item):
        self.client, self.work, self.item = client, work, item
        self.sent = 0
        self.send()

    def send(self):
        self.sent += 1
        self.future = self.client.submit(self.work, self.item)

    async def result(self):
        try:
            return await self.future
        except self.client.WorkerDied:
            if self.sent == 3:
                raise
        self.send()
        return await self.result()


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    errands = [Errand(client, work, item) for item in items]    # all are sent off here
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(errand.result()) for errand in errands]
    return [task.result() for task in tasks]

# %% idempotent-1 wrong: remembered in the process
# cause: Which payments were entered is remembered in a set of the module. The next call may be in another process, which has a new, empty set: it enters the payment a second time.
# line: seen = set() | if payment["id"] in seen:
seen = set()


def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    if payment["id"] in seen:
        return
    account = payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]
    seen.add(payment["id"])

# %% idempotent-1 wrong: noted down first, paid afterwards
# cause: The payment is entered in two steps. If the worker dies between them, the payment is noted down as entered but its amount is missing, and the repetition does nothing; two calls at once can lose an amount, too.
# line: book[payment["id"]] = 0
# told: none
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    if payment["id"] in book:
        return
    book[payment["id"]] = 0
    account = payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]

# %% idempotent-1 right: one entry for each payment
from operator import itemgetter


def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    number, account, amount = itemgetter("id", "account", "amount")(payment)
    book.setdefault((number, account), amount)

# %% survive-1 wrong: sends without an end
# cause: an item that kills its worker is sent again for ever, not three times at most
# line: while True | except client.WorkerDied | future = client.submit(work, item)
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""

    async def one(item):
        while True:
            try:
                return await client.submit(work, item)
            except client.WorkerDied:
                continue

    return await asyncio.gather(*map(one, items))

# %% survive-1 wrong: one after another, again
# cause: each is awaited before the next is sent off
# line: await client.submit(work, item) | await future
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    results = []
    for item in items:
        for attempt in range(3):
            try:
                results.append(await client.submit(work, item))
                break
            except client.WorkerDied:
                if attempt == 2:
                    raise
    return results

# %% survive-1 wrong: sends again after every error
# cause: an error of the call's own is sent again, too
# line: except Exception
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""

    async def one(item):
        for _ in range(2):
            try:
                return await client.submit(work, item)
            except Exception:
                pass
        return await client.submit(work, item)

    return await asyncio.gather(*map(one, items))

# %% survive-1 wrong: everything again, again
# cause: after a loss all items are sent again, also those that are done
# line: client.map(work, items) | asyncio.gather
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    for attempt in range(3):
        try:
            return await asyncio.gather(*client.map(work, items))
        except client.WorkerDied:
            if attempt == 2:
                raise

# %% batches-1 wrong: a batch is never smaller than ten
# cause: with few numbers a call gets ten of them, which is more than a quarter, so some workers have no share
# line: size = max(10, math.ceil(len(numbers) / 40)) | numbers[start : start + size]
import math


def do_batch(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    size = max(10, math.ceil(len(numbers) / 40))
    futures = []
    for start in range(0, len(numbers), size):
        batch = numbers[start : start + size]
        futures.append(client.submit(do_batch, work, batch))
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results

# %% batches-1 wrong: no numbers, no step
# cause: without numbers the size is 0, and range() with a step of 0 raises a ValueError instead of an empty list coming back
# line: size = math.ceil(len(numbers) / 40) | for n in range(0, len(numbers), size)
import math


async def work_all(client, work, numbers):
    size = math.ceil(len(numbers) / 40)
    batches = [numbers[n : n + size] for n in range(0, len(numbers), size)]

    def several(batch):
        return [work(number) for number in batch]

    done = await client.gather(client.map(several, batches))
    return [result for batch in done for result in batch]

# %% batches-1 wrong: every 20th number goes into the same call
# cause: the parts are taken with a stride, but their results are joined one part after the other, so the order is lost
# line: parts = [numbers[first::CALLS] for first in range(CALLS)] | return list(chain.from_iterable(answers)) | numbers[first::CALLS]
from itertools import chain

CALLS = 20


def work_on_part(work, part):
    return list(map(work, part))


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    parts = [numbers[first::CALLS] for first in range(CALLS)]
    parts = [part for part in parts if part]  # there may be few
    futures = [client.submit(work_on_part, work, part) for part in parts]
    answers = await client.gather(futures)
    return list(chain.from_iterable(answers))

# %% batches-1 right: sixteen equal shares, cut by their bounds
async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    total = len(numbers)
    shares = min(16, total)
    cuts = [total * n // shares for n in range(shares + 1)] if shares else []
    futures = [
        client.submit(lambda f, part: [f(x) for x in part], work, numbers[a:b])
        for a, b in zip(cuts, cuts[1:])
    ]
    return sum(await client.gather(futures), [])

# %% batches-1 right: slices by islice, until one is empty
import math
from functools import partial
from itertools import islice


def _apply(work, chunk):
    return [work(number) for number in chunk]


async def work_all(client, work, numbers):
    if not numbers:
        return []
    source, size = iter(numbers), math.ceil(len(numbers) / 40)
    chunks = list(iter(lambda: list(islice(source, size)), []))
    nested = await client.gather(client.map(partial(_apply, work), chunks))
    flat = []
    for results in nested:
        flat += results
    return flat

# %% reduce-there-1 wrong: awaits the lists first
# cause: the loaded lists are gathered, so all measurements come home and go out again
# line: loaded = await client.gather(client.map(load, days)) | client.map(max, loaded)
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    loaded = await client.gather(client.map(load, days))
    tops = await client.gather(client.map(max, loaded))
    return dict(zip(days, tops))

# %% reduce-there-1 wrong: all days in a single call
# cause: one call loads all the days, so one worker does everything and the others take no part
# line: client.submit(maxima, load, list(days))
def maxima(load, days):
    # runs on the worker, so nothing but the maxima comes home
    result = {}
    for day in days:
        result[day] = max(load(day))
    return result


async def highest(client, load, days):
    return await client.submit(maxima, load, list(days))

# %% reduce-there-1 wrong: one call takes all the futures
# cause: a single call gets the lists of all days as arguments, so they have to move to one worker
# line: client.submit(highest_of_each, *measured)
def highest_of_each(*lists):
    return [max(numbers) for numbers in lists]


async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    measured = [client.submit(load, day) for day in days]
    # the futures are passed on, they are not awaited here
    tops = await client.submit(highest_of_each, *measured)
    return {day: top for day, top in zip(days, tops)}

# %% reduce-there-1 right: max is mapped over futures
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    days = list(days)
    there = client.map(load, days)
    return dict(zip(days, await client.gather(client.map(max, there))))

# %% reduce-there-1 right: loads and reduces in the same call, again
async def highest(client, load, days):
    def top(day):
        return max(load(day))

    calls = {day: client.submit(top, day) for day in days}
    result = {}
    for day, call in calls.items():
        result[day] = await call
    return result

# %% survive-1 wrong: the third loss is forgotten
# cause: an item that is lost three times falls out of the loop, and None is returned for it instead of WorkerDied coming out
# line: none | except client.WorkerDied: | for attempt in range(3):
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""

    async def one(item, future):
        for attempt in range(3):
            try:
                return await future
            except client.WorkerDied:
                if attempt < 2:
                    future = client.submit(work, item)

    futures = client.map(work, items)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in zip(items, futures)]
    return [task.result() for task in tasks]

# %% survive-1 wrong: sends again whatever failed
# cause: a call that failed with an error of its own is sent again too, not only those that were lost with their worker
# line: if isinstance(results[n], Exception)
import asyncio


async def do_all(client, work, items):
    items = list(items)
    results = await asyncio.gather(*client.map(work, items), return_exceptions=True)
    for _ in range(2):
        again = [n for n in range(len(items)) if isinstance(results[n], Exception)]
        if not again:
            break
        futures = [client.submit(work, items[n]) for n in again]
        ends = await asyncio.gather(*futures, return_exceptions=True)
        for n, end in zip(again, ends):
            results[n] = end
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results

# %% survive-1 wrong: what was sent again comes last
# cause: results enter the dict when they are there, so an item that was lost comes after the others and the order is wrong
# line: return list(results.values()) | results[item] = await future
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    results: dict = {}
    pending = [(item, client.submit(work, item)) for item in items]
    sent = 1
    while pending:
        lost = []
        for item, future in pending:
            try:
                results[item] = await future
            except client.WorkerDied:
                if sent == 3:
                    raise
                lost.append(item)
        sent += 1
        pending = [(item, client.submit(work, item)) for item in lost]
    return list(results.values())

# %% survive-1 right: by recursion
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""

    async def outcome(item, future, left):
        try:
            return await future
        except client.WorkerDied:
            if not left:
                raise
        return await outcome(item, client.submit(work, item), left - 1)

    sent = [(item, client.submit(work, item)) for item in items]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(outcome(i, f, left=2)) for i, f in sent]
    return [task.result() for task in tasks]

# %% survive-1 right: in rounds, with a dict of futures
import asyncio


async def do_all(client, work, items):
    items = list(items)
    futures = dict(zip(items, client.map(work, items)))
    answers = {}
    for last in (False, False, True):
        ends = await asyncio.gather(*futures.values(), return_exceptions=True)
        lost = []
        for item, end in zip(futures, ends):
            if isinstance(end, client.WorkerDied) and not last:
                lost.append(item)
            elif isinstance(end, BaseException):
                raise end
            else:
                answers[item] = end
        futures = {item: client.submit(work, item) for item in lost}
    return [answers[item] for item in items]

# %% idempotent-1 wrong: remembers the ids in a set of the module
# cause: the ids that were entered are kept in a set of this process and not in the book, so another process enters the payment again
# line: entered = set() | if payment["id"] not in entered: | entered.add(payment["id"])
entered = set()


def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    if payment["id"] not in entered:
        account = payment["account"]
        book[account] = book.get(account, 0) + payment["amount"]
        entered.add(payment["id"])

# %% idempotent-1 wrong: notes the id first, then adds
# cause: two writes; if the worker dies between them the id is noted but the amount is missing, and the next call skips it
# line: book[mark] = 0 | book[account] = book.get(account, 0) + amount
def pay(book, payment):
    mark = ("entered", payment["id"])
    account, amount = payment["account"], payment["amount"]
    if mark in book:
        return
    book[mark] = 0  # 0, so that the sum stays right
    book[account] = book.get(account, 0) + amount

# %% idempotent-1 wrong: a payment is known by account and amount
# cause: two different payments of the same amount to the same account have the same key, so the second isn't entered
# line: key = payment["account"], payment["amount"] | book[key] = payment["amount"]
def pay(book: dict, payment: dict) -> None:
    """Enter `payment` into `book`, however often it is called."""
    # a row of its own for each payment: writing it twice changes nothing
    key = payment["account"], payment["amount"]
    book[key] = payment["amount"]

# %% idempotent-1 right: a row for each payment, by setdefault
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    book.setdefault((payment["account"], payment["id"]), payment["amount"])

# %% idempotent-1 right: takes the payment apart by match
def pay(book, payment):
    match payment:
        case {"id": row, "amount": amount}:
            book[row] = amount

# %% choose-where-1 wrong: compresses in a process pool
# cause: zlib lets go of the GIL, so a thread is enough for the one file
# line: "compress a file": "process pool"
places = {
    "ask 500 sites": "loop",
    "old driver": "thread",
    "scale 400 pictures": "process pool",
    "add two numbers": "loop",
    "a month of logs": "cluster",
    "a week of physics": "cluster",
    "compress a file": "process pool",
}

# %% batches-1 wrong: rounds the size down
# cause: the batch size is rounded down, so 79 numbers make 79 calls instead of at most 40
# line: len(numbers) // 40
import math


async def work_all(client, work, numbers):
    size = max(1, len(numbers) // 40)
    batches = [numbers[i:i + size] for i in range(0, len(numbers), size)]

    def work_batch(batch):
        return [work(number) for number in batch]

    parts = await client.gather(client.map(work_batch, batches))
    return [result for part in parts for result in part]

# %% batches-1 wrong: dealt out like cards, again
# cause: each batch takes every 40th number, and the parts are then just strung together, so the order is wrong
# line: numbers[start::40] | return [result for part in parts for result in part]
import math


async def work_all(client, work, numbers):
    def work_batch(batch):
        return [work(number) for number in batch]

    count = min(40, len(numbers))
    batches = [numbers[start::40] for start in range(count)]
    parts = await client.gather(client.map(work_batch, batches))
    return [result for part in parts for result in part]

# %% batches-1 right: dealt out and collected by stride
import functools


def apply_to(work, batch):
    return list(map(work, batch))


async def work_all(client, work, numbers):
    numbers = list(numbers)
    hands = min(16, len(numbers))
    results = [None] * len(numbers)
    send = functools.partial(client.submit, apply_to, work)
    futures = [send(numbers[hand::hands]) for hand in range(hands)]
    for hand, part in enumerate(await client.gather(futures)):
        results[hand::hands] = part
    return results

# %% reduce-there-1 wrong: the lists come home
# cause: the long lists are gathered and their maximum is taken at home, so all measurements move
# line: await client.gather(client.map(load, days))
async def highest(client, load, days):
    lists = await client.gather(client.map(load, days))
    return {day: max(numbers) for day, numbers in zip(days, lists)}

# %% reduce-there-1 wrong: all lists to one worker
# cause: one single call gets all the lists as arguments, so they move from the other workers to the one where it runs
# line: client.submit(peaks, *lists)
async def highest(client, load, days):
    def peaks(*lists):
        return [max(numbers) for numbers in lists]

    lists = client.map(load, days)
    tops = await client.submit(peaks, *lists)
    return dict(zip(days, tops))

# %% reduce-there-1 right: a chain of futures per day
async def highest(client, load, days):
    tops = {}
    for day in days:
        tops[day] = client.submit(max, client.submit(load, day))
    values = iter(await client.gather(list(tops.values())))
    for day in tops:
        tops[day] = next(values)
    return tops

# %% survive-1 wrong: three more times
# cause: an item is sent once at the beginning and three more times afterwards, four times in all
# line: for again in range(3):
import asyncio


async def do_all(client, work, items):
    futures = client.map(work, items)

    async def follow(item, future):
        for again in range(3):
            try:
                return await future
            except client.WorkerDied:
                future = client.submit(work, item)
        return await future

    return await asyncio.gather(
        *(follow(item, future) for item, future in zip(items, futures)))

# %% survive-1 wrong: own errors are sent again too
# cause: an error of the work itself is caught as well, so a call that failed by itself is repeated
# line: except Exception:
import asyncio


async def do_all(client, work, items):
    futures = client.map(work, items)

    async def follow(item, future):
        sent = 1
        while True:
            try:
                return await future
            except Exception:
                if sent == 3:
                    raise
            future = client.submit(work, item)
            sent += 1

    return await asyncio.gather(*map(follow, items, futures))

# %% survive-1 right: one object per item
import asyncio


class Job:
    def __init__(self, client, work, item):
        self.client, self.work, self.item = client, work, item
        self.left = 3
        self.send()

    def send(self):
        self.left -= 1
        self.future = self.client.submit(self.work, self.item)

    async def finish(self):
        while self.left:
            try:
                return await self.future
            except self.client.WorkerDied:
                self.send()
        return await self.future


async def do_all(client, work, items):
    jobs = [Job(client, work, item) for item in items]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job.finish()) for job in jobs]
    return [task.result() for task in tasks]

# %% idempotent-1 wrong: dies between account and mark
# cause: the amount is added before the payment is marked as entered, so a worker that dies in between makes it count twice
# line: book[account] = | book[mark] = 0
def pay(book, payment):
    mark = ("seen", payment["id"])
    account = payment["account"]
    if mark in book:
        return
    book[account] = book.get(account, 0) + payment["amount"]
    book[mark] = 0

# %% idempotent-1 right: one entry per payment
def pay(book, payment):
    key = (payment["account"], payment["id"])
    book.setdefault(key, payment["amount"])

# %% idempotent-1 wrong: one entry per account and amount
# cause: two different payments of the same amount to the same account have the same key, so the second is taken for a repetition and lost
# line: key = (payment["account"], payment["amount"])
def pay(book, payment):
    key = (payment["account"], payment["amount"])
    book[key] = payment["amount"]

# %% idempotent-1 wrong: remembers in the function
# cause: the ids are kept in a set of this process and not in book, so another process enters the payment again
# line: entered = set() | entered.add(payment["id"])
entered = set()


def pay(book, payment):
    if payment["id"] in entered:
        return
    account = payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]
    entered.add(payment["id"])

# %% batches-1 wrong: rounds the size down, again
# cause: the size of a batch is rounded down, so there may be more than 40 calls (79 numbers make 79 calls)
# line: size = max(1, len(numbers) // 40)
import math


def _batch(work, numbers):
    return [work(number) for number in numbers]


async def work_all(client, work, numbers):
    numbers = list(numbers)
    size = max(1, len(numbers) // 40)
    futures = [
        client.submit(_batch, work, numbers[start : start + size])
        for start in range(0, len(numbers), size)
    ]
    return [result for part in await client.gather(futures) for result in part]

# %% batches-1 wrong: deals the numbers out like cards
# cause: every eighth number goes into the same batch, and the results are put together batch by batch, so not in the order of the numbers
# line: results.extend(part) | batches = [numbers[first::8] for first in range(min(8, len(numbers)))]
import math


def _batch(work, some):
    return list(map(work, some))


async def work_all(client, work, numbers):
    numbers = list(numbers)
    batches = [numbers[first::8] for first in range(min(8, len(numbers)))]
    results = []
    for part in await client.gather([client.submit(_batch, work, some) for some in batches]):
        results.extend(part)
    return results

# %% batches-1 right: islice and chain
import functools
import itertools
import math


def _do(work, batch):
    return [*map(work, batch)]


async def work_all(client, work, numbers):
    numbers = list(numbers)
    if not numbers:
        return []
    size = math.ceil(len(numbers) / min(16, len(numbers)))
    rest = iter(numbers)
    batches = list(iter(lambda: list(itertools.islice(rest, size)), []))
    futures = client.map(functools.partial(_do, work), batches)
    return list(itertools.chain.from_iterable(await client.gather(futures)))

# %% reduce-there-1 wrong: max comes home with its list
# cause: the lists are gathered and the highest number is looked for at home, so all measurements move
# line: lists = await client.gather(client.map(load, days))
async def highest(client, load, days):
    days = list(days)
    lists = await client.gather(client.map(load, days))
    return dict(zip(days, map(max, lists)))

# %% reduce-there-1 wrong: one day after the other
# cause: each day is awaited before the next one is submitted, so only one worker works at a time
# line: result[day] = await client.submit(max, future)
async def highest(client, load, days):
    result = {}
    for day in days:
        future = client.submit(load, day)
        result[day] = await client.submit(max, future)
    return result

# %% reduce-there-1 right: one call that loads and looks
import functools


def _peak(load, day):
    top, *rest = load(day)
    for number in rest:
        if number > top:
            top = number
    return top


async def highest(client, load, days):
    futures = {day: client.submit(functools.partial(_peak, load), day) for day in days}
    peaks = await client.gather(list(futures.values()))
    return {day: peak for day, peak in zip(futures, peaks)}

# %% survive-1 wrong: four tries
# cause: after the first sending there are three more, so an item is sent four times
# line: for _ in range(3):
import asyncio


async def do_all(client, work, items):
    async def finish(item, future):
        for _ in range(3):
            try:
                return await future
            except client.WorkerDied:
                future = client.submit(work, item)
        return await future

    items = list(items)
    futures = client.map(work, items)
    return await asyncio.gather(*map(finish, items, futures))

# %% survive-1 wrong: retries every error
# cause: a call that failed with an error of its own is sent again too
# line: except Exception:
import asyncio


async def do_all(client, work, items):
    async def finish(item, future):
        for tries in range(3):
            try:
                return await future
            except Exception:
                if tries == 2:
                    raise
                future = client.submit(work, item)

    items = list(items)
    futures = [client.submit(work, item) for item in items]
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(finish(item, future))
            for item, future in zip(items, futures)
        ]
    return [task.result() for task in tasks]

# %% survive-1 right: an object for each item
import asyncio


class _Job:
    def __init__(self, client, work, item):
        self.client, self.work, self.item = client, work, item
        self.sent = 0
        self.send()

    def send(self):
        self.sent += 1
        self.future = self.client.submit(self.work, self.item)

    async def result(self):
        while True:
            try:
                return await self.future
            except self.client.WorkerDied:
                if self.sent >= 3:
                    raise
            self.send()


async def do_all(client, work, items):
    jobs = [_Job(client, work, item) for item in items]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job.result()) for job in jobs]
    return [task.result() for task in tasks]

# %% idempotent-1 wrong: one entry for each account
# cause: entering is idempotent, but a second payment to the same account replaces the first, so the sum is too small
# line: book[payment["account"]] = payment["amount"]
def pay(book, payment):
    book[payment["account"]] = payment["amount"]

# %% idempotent-1 wrong: the mark is made first
# cause: if the worker dies between the mark and the sum, the payment is never entered, because the mark says that it was
# line: book[mark] = 0 | book[account] = book.get(account, 0) + payment["amount"]
def pay(book, payment):
    mark = ("done", payment["id"])
    if mark in book:
        return
    book[mark] = 0
    account = payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]

# %% idempotent-1 right: setdefault by id
def pay(book, payment):
    match payment:
        case {"id": key, "amount": amount}:
            book.setdefault(key, amount)

# %% batches-1 wrong: a list of lists
# cause: the results of each call are a list of their own, and nobody puts them together
# line: return await client.gather(futures)
import math


def work_batch(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    if not numbers:
        return []
    size = math.ceil(len(numbers) / 40)
    futures = []
    for start in range(0, len(numbers), size):
        futures.append(client.submit(work_batch, work, numbers[start:start + size]))
    return await client.gather(futures)

# %% reduce-there-1 wrong: begins at zero, again
# cause: on a day with negative numbers only, zero stays the highest
# line: best = 0
def highest_number(numbers):
    best = 0
    for number in numbers:
        if number > best:
            best = number
    return best


async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    futures = {}
    for day in days:
        measured = client.submit(load, day)
        futures[day] = client.submit(highest_number, measured)
    values = await client.gather(list(futures.values()))
    return dict(zip(futures, values))

# %% idempotent-1 wrong: the mark counts as one
# cause: True is 1 in a sum, so each mark makes the sum of the book too great by one
# line: book.update({account: balance, key: True})
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    key = "payment", payment["id"]
    if key in book:
        return
    account = "account", payment["account"]
    balance = book.get(account, 0) + payment["amount"]
    book.update({account: balance, key: True})

# %% batches-1 wrong: ships the lazy map itself
# cause: `map` does nothing until it is iterated, so the call only makes a map object, and the work is done at home when the results are collected, not by the workers.
# line: client.submit(map, work, numbers[i:i + size]) | results.extend(part)
import math


async def work_all(client, work, numbers):
    if not numbers:
        return []
    size = math.ceil(len(numbers) / 40)
    futures = [
        client.submit(map, work, numbers[i:i + size])
        for i in range(0, len(numbers), size)
    ]
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results

# %% survive-1 wrong: awaits the lost future again
# cause: after a loss the same future is awaited again, which raises again; the item is never sent a second time.
# line: return await future | except client.WorkerDied:
import asyncio


async def do_all(client, work, items):
    async def outcome(future):
        for chance in range(3):
            try:
                return await future
            except client.WorkerDied:
                if chance == 2:
                    raise

    futures = client.map(work, items)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(outcome(future)) for future in futures]
    return [task.result() for task in tasks]

# %% survive-1 wrong: one counter for all items
# cause: the losses of all items are counted together, so three items that are lost once each end it, though none was sent three times.
# line: losses = 0 | losses += 1 | if losses == 3:
import collections


async def do_all(client, work, items):
    results = {}
    losses = 0
    waiting = collections.deque((item, client.submit(work, item)) for item in items)
    while waiting:
        item, future = waiting.popleft()
        try:
            results[item] = await future
        except client.WorkerDied:
            losses += 1
            if losses == 3:
                raise
            waiting.append((item, client.submit(work, item)))
    return [results[item] for item in items]

# %% survive-1 wrong: gives up at the second loss
# cause: raises at the second loss
# line: > 1
import asyncio
async def do_all(client, work, items):
    futures = {item: client.submit(work, item) for item in items}
    lost = dict.fromkeys(items, 0)
    results = []
    for item in items:
        while True:
            try:
                results.append(await futures[item])
                break
            except client.WorkerDied:
                lost[item] += 1
                if lost[item] > 1:
                    raise
                futures[item] = client.submit(work, item)
    return results

# %% survive-1 wrong: three times more
# cause: an item is sent again three times, four times in all
# line: if resent == 3:
async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    items = list(items)
    pending = dict(zip(items, client.map(work, items)))
    results = {}
    resent = 0
    while pending:
        lost = []
        for item, future in pending.items():
            try:
                results[item] = await future
            except client.WorkerDied:
                if resent == 3:
                    raise
                lost.append(item)
        pending = {item: client.submit(work, item) for item in lost}
        resent += 1
    return [results[item] for item in items]

# %% idempotent-1 wrong: keeps a balance for the account as well
# cause: the balance of the account is kept in the book besides the amounts of the payments, so each amount is in the sum twice.
# line: book["account", account] = balance
def pay(book, payment):
    account = payment["account"]
    book["payment", account, payment["id"]] = payment["amount"]
    balance = sum(
        amount for key, amount in book.items()
        if key[:2] == ("payment", account)
    )
    book["account", account] = balance

# %% idempotent-1 wrong: glues account and id together
# cause: the key is account and id glued together without anything between, so payment 11 of account "a" and payment 1 of account "a1" have the same key, and one overwrites the other.
# line: f"{payment['account']}{payment['id']}"
def pay(book, payment):
    entry = f"{payment['account']}{payment['id']}"
    book.update({entry: payment["amount"]})

# %% idempotent-1 right: a named key and setdefault
from typing import Any, NamedTuple


class Entry(NamedTuple):
    account: Any
    id: Any

    @classmethod
    def of(cls, payment):
        return cls(payment["account"], payment["id"])


def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    book.setdefault(Entry.of(payment), payment["amount"])

# %% batches-1 wrong: does each different number once
# cause: a number that comes twice is done once
# line: set(numbers)
# told: parts = [
import math
async def work_all(client, work, numbers):
    def batch(part):
        return {n: work(n) for n in part}
    todo = list(set(numbers))
    size = math.ceil(len(todo) / 20) or 1
    parts = [todo[i:i + size] for i in range(0, len(todo), size)]
    found = {}
    for each in await client.gather(client.map(batch, parts)):
        found.update(each)
    return [found[n] for n in numbers]

# %% reduce-there-1 wrong: home and out again
# cause: Awaiting the loaded lists brings all measurements home, and they are then sent out again for max; the futures themselves should be the arguments.
# line: measurements = await client.gather(loaded)
async def highest(client, load, days):
    days = list(days)
    loaded = client.map(load, days)
    measurements = await client.gather(loaded)

    maxima = client.map(max, measurements)
    values = await client.gather(maxima)
    return dict(zip(days, values))

# %% reduce-there-1 wrong: zipped with as_completed
# cause: as_completed gives the results in the order in which they are ready, so zipping them with the days gives days the values of other days.
# line: zip(days, asyncio.as_completed(waiting)) | asyncio.as_completed(waiting)
import asyncio


async def value_of(future):
    return await future


async def highest(client, load, days):
    maxima = [client.submit(max, client.submit(load, day)) for day in days]
    waiting = [value_of(future) for future in maxima]
    result = {}
    for day, value in zip(days, asyncio.as_completed(waiting)):
        result[day] = await value
    return result

# %% idempotent-1 wrong: marked as paid before it is paid
# cause: The payment is marked in one step and added in another; a worker that dies between them leaves a payment that counts as made and never gets entered.
# line: book[mark] = 0 | book[account] = book.get
def pay(book, payment):
    mark = ("paid", payment["id"])
    if mark in book:
        return
    book[mark] = 0
    account = ("account", payment["account"])
    book[account] = book.get(account, 0) + payment["amount"]

# %% survive-1 wrong: takes a result of 0 or None for a lost call
# cause: Whether a call was lost is judged by the truth of its result, so an item whose result is 0, None or empty is sent again although it is done.
# line: if not results.get(item)
async def do_all(client, work, items):
    items = list(items)
    results = {}
    pending = {item: client.submit(work, item) for item in items}
    for last in (False, False, True):
        for item, future in pending.items():
            try:
                results[item] = await future
            except client.WorkerDied:
                if last:
                    raise
        if last:
            break
        missing = [item for item in items if not results.get(item)]
        pending = {item: client.submit(work, item) for item in missing}
    return [results[item] for item in items]


# %% batches-1 wrong: size rounded down
# cause: the size of a batch is rounded down, so that 79 numbers make 79 calls of one, more than the 40 allowed.
# line: size = max(1, len(numbers) // 40)
import math


def do_batch(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    size = max(1, len(numbers) // 40)
    futures = []
    for start in range(0, len(numbers), size):
        futures.append(client.submit(do_batch, work, numbers[start:start + size]))
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results


# %% idempotent-1 wrong: adds to the entry again
# cause: the entry of this payment is added to, not set, so a payment that is entered twice counts twice.
# line: book.get(payment["id"], 0) + payment["amount"]
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    book[payment["id"]] = book.get(payment["id"], 0) + payment["amount"]


# %% idempotent-1 wrong: balance first, mark after it
# cause: it takes two steps; if the worker dies between the new balance and the mark, the payment is entered a second time.
# line: book[mark] = 0 | book[account] = book.get(account, 0) + payment["amount"]
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    mark = ("entered", payment["id"])
    if mark in book:
        return
    account = payment["account"]
    book[account] = book.get(account, 0) + payment["amount"]
    book[mark] = 0

# %% batches-1 wrong: floor instead of ceil
# cause: with fewer than four numbers the size is 0 and range raises
# line: size = len(numbers) // 4 | range(0, len(numbers), size)
import math


async def work_all(client, work, numbers):
    size = len(numbers) // 4

    def many(some):
        return list(map(work, some))

    futures = client.map(many, [numbers[i:i + size] for i in range(0, len(numbers), size)])
    return sum(await client.gather(futures), [])

# %% idempotent-1 wrong: setdefault of account
# cause: a second payment to one account is lost
# line: book.setdefault(payment["account"]
def pay(book, payment):
    book.setdefault(payment["account"], payment["amount"])

# %% batches-1 wrong: no numbers, step zero
# cause: With no numbers the size is 0, and range() with a step of 0 raises ValueError.
# line: size = math.ceil(len(numbers) / 20) | for i in range(0, len(numbers), size)
import math
from itertools import chain


async def work_all(client, work, numbers):
    def do_chunk(chunk):
        return [work(n) for n in chunk]

    size = math.ceil(len(numbers) / 20)
    chunks = [numbers[i:i + size] for i in range(0, len(numbers), size)]
    parts = await client.gather(client.map(do_chunk, chunks))
    return list(chain.from_iterable(parts))

# %% batches-1 wrong: size is rounded down
# cause: The size is rounded down, so with 79 numbers it is 1 and there are 79 calls instead of at most 40.
# line: size = max(1, len(numbers) // 40)
def run_batch(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    numbers = list(numbers)
    size = max(1, len(numbers) // 40)
    futures = []
    for start in range(0, len(numbers), size):
        futures.append(client.submit(run_batch, work, numbers[start:start + size]))
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results

# %% survive-1 wrong: third loss stays among results
# cause: After the third round an item that was lost again keeps its WorkerDied object in the list of results, and nothing is raised.
# line: return [outcomes[item] for item in items] | if isinstance(outcome, Exception) and not isinstance(outcome, client.WorkerDied):
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    items = list(items)
    outcomes = {}
    todo = items
    for _ in range(3):
        futures = client.map(work, todo)
        got = await asyncio.gather(*futures, return_exceptions=True)
        for item, outcome in zip(todo, got):
            if isinstance(outcome, Exception) and not isinstance(outcome, client.WorkerDied):
                raise outcome
            outcomes[item] = outcome
        todo = [i for i in todo if isinstance(outcomes[i], client.WorkerDied)]
        if not todo:
            break
    return [outcomes[item] for item in items]

# %% batches-1 wrong: remainder all in last batch
# cause: The size is rounded down and the last batch takes all the rest, so with 79 numbers the last call does 40 of them, more than a quarter.
# line: batches.append(numbers[(count - 1) * size:]) | size = len(numbers) // count
import math


def run_batch(work, batch):
    return [work(number) for number in batch]


async def work_all(client, work, numbers):
    if not numbers:
        return []
    count = min(40, len(numbers))
    size = len(numbers) // count
    batches = []
    for i in range(count - 1):
        batches.append(numbers[i * size:(i + 1) * size])
    batches.append(numbers[(count - 1) * size:])
    futures = [client.submit(run_batch, work, batch) for batch in batches]
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results

# %% reduce-there-1 wrong: the check loads it again
# cause: The function that runs on the worker calls load once to check for an empty list and once more for the maximum, so every day is loaded twice.
# line: if not load(day): | return max(load(day))
async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""

    def top(day):
        if not load(day):
            return None
        return max(load(day))

    futures = {day: client.submit(top, day) for day in days}
    tops = await client.gather(list(futures.values()))
    return dict(zip(futures, tops))

# %% survive-1 wrong: third loss yields None
# cause: after the third loss the loop just ends and the coroutine returns None, so WorkerDied does not come out.
# line: except client.WorkerDied | for attempt in range(3) | continue | none
import asyncio


async def do_all(client, work, items):
    async def follow(item, future):
        for attempt in range(3):
            if attempt > 0:
                future = client.submit(work, item)
            try:
                return await future
            except client.WorkerDied:
                continue

    items = list(items)
    first = client.map(work, items)
    async with asyncio.TaskGroup() as tg:
        tasks = [tg.create_task(follow(i, f)) for i, f in zip(items, first)]
    return [t.result() for t in tasks]

# %% batches-1 right: stripes instead of slices
import math


def _stripe(work, numbers):
    return [work(number) for number in numbers]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    numbers = list(numbers)
    if not numbers:
        return []
    calls = min(8, len(numbers))
    futures = [client.submit(_stripe, work, numbers[k::calls]) for k in range(calls)]
    results = [None] * len(numbers)
    for k, some in enumerate(await client.gather(futures)):
        results[k::calls] = some
    return results

# %% reduce-there-1 right: futures awaited one by one
async def highest(client, load, days):
    days = list(days)
    measured = [client.submit(load, day) for day in days]
    peaks = [client.submit(max, there) for there in measured]
    return {day: await peak for day, peak in zip(days, peaks, strict=True)}

# %% survive-1 right: callbacks report to a queue
import asyncio


async def _settle(future):
    return await future


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    items = list(items)
    results = [None] * len(items)
    news = asyncio.Queue()
    owners = {}

    def watch(index, times, future):
        task = asyncio.ensure_future(_settle(future))
        owners[task] = index, times
        task.add_done_callback(news.put_nowait)

    first = [client.submit(work, item) for item in items]
    try:
        for index, future in enumerate(first):
            watch(index, 1, future)
        while owners:
            task = await news.get()
            index, times = owners.pop(task)
            try:
                results[index] = task.result()
            except client.WorkerDied:
                if times == 3:
                    raise
                watch(index, times + 1, client.submit(work, items[index]))
        return results
    finally:
        for task in owners:
            task.cancel()
        if owners:
            await asyncio.gather(*owners, return_exceptions=True)

# %% idempotent-1 right: one entry for each payment again
def pay(book, payment):
    match payment:
        case {"id": number, "account": account, "amount": amount}:
            book[account, number] = amount

# %% batches-1 wrong: zip drops the remainder
# cause: the interleaved parts are put together with zip, which stops at the shortest, so if the count isn't a multiple of four the last results are lost.
# line: for group in zip(*parts):
import math

WORKERS = 4


def work_on(work, share):
    return [work(n) for n in share]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    futures = [
        client.submit(work_on, work, numbers[first::WORKERS])
        for first in range(WORKERS)
    ]
    parts = await client.gather(futures)
    results = []
    for group in zip(*parts):
        results.extend(group)
    return results

# %% batches-1 right: stripes instead of slices
def _stripe(work, numbers):
    return [work(number) for number in numbers]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call.

    Call i of k gets the numbers i, i + k, i + 2k, and so on.
    """
    numbers = list(numbers)
    count = len(numbers)
    calls = min(count, 40, max(4, count // 25))
    if calls == 0:
        return []
    futures = [client.submit(_stripe, work, numbers[first::calls])
               for first in range(calls)]
    results = [None] * count
    for first, part in enumerate(await client.gather(futures)):
        results[first::calls] = part
    return results

# %% reduce-there-1 right: mapped submit, async dict comprehension
from itertools import repeat


async def highest(client, load, days):
    days = list(days)
    measured = list(map(client.submit, repeat(load), days))
    peaks = list(map(client.submit, repeat(max), measured))
    return {day: await peak for day, peak in zip(days, peaks)}

# %% reduce-there-1 wrong: made for four workers
# cause: the days are dealt to four calls, so if there are more than four workers, the others have nothing to do
# line: SHARES = 4 | futures = [client.submit
SHARES = 4


def peaks_of(load, *days):
    return [(day, max(load(day))) for day in days]


async def highest(client, load, days):
    """Return {day: its highest number}; the measurements stay on the workers."""
    days = list(days)
    shares = [days[start::SHARES] for start in range(SHARES)]
    futures = [client.submit(peaks_of, load, *share) for share in shares if share]
    found = {}
    for pairs in await client.gather(futures):
        found.update(pairs)
    return {day: found[day] for day in days}

# %% survive-1 right: queue of outcomes, then match
import asyncio


async def _outcome(future):
    return await future


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    items = list(items)
    results = [None] * len(items)
    news = asyncio.Queue()
    followed = {}

    def follow(place, sent, future):
        task = asyncio.ensure_future(_outcome(future))
        followed[task] = place, sent
        task.add_done_callback(news.put_nowait)

    for place, future in enumerate(client.map(work, items)):
        follow(place, 1, future)
    try:
        while followed:
            task = await news.get()
            place, sent = followed.pop(task)
            match task.exception():
                case None:
                    results[place] = task.result()
                case client.WorkerDied() if sent < 3:
                    follow(place, sent + 1, client.submit(work, items[place]))
                case error:
                    raise error
    finally:
        for task in followed:
            task.cancel()
        await asyncio.gather(*followed, return_exceptions=True)
    return results

# %% survive-1 wrong: a cancellation is taken for a dead worker
# cause: CancelledError is caught together with WorkerDied; if `do_all` is cancelled, or another item's own error ends the group, the calls under way are sent again, and it goes on until they are done
# line: except (client.WorkerDied, asyncio.CancelledError):
import asyncio


async def do_all(client, work, items):
    """Return the results in order; each item is sent three times at most."""
    items = list(items)

    async def result_of(item, future):
        for resends_left in (2, 1, 0):
            try:
                return await future
            except (client.WorkerDied, asyncio.CancelledError):
                if not resends_left:
                    raise
                future = client.submit(work, item)

    futures = client.map(work, items)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(result_of(item, future))
            for item, future in zip(items, futures)
        ]
    return [task.result() for task in tasks]

# %% idempotent-1 right: one entry per payment, itemgetter
from operator import itemgetter

_entry = itemgetter("account", "id")


def pay(book, payment):
    book[_entry(payment)] = payment["amount"]

# %% idempotent-1 wrong: the hash of the id is the key
# cause: the hash of a string is another one in each process; the same payment is counted twice
# line: key = hash(
def pay(book, payment):
    """Enter `payment` into `book`, however often it is called."""
    key = hash((payment["id"], payment["account"]))
    book[key] = payment["amount"]

# %% batches-1 right: the last batch first
import math


def all_of(work, part):
    return [work(number) for number in part]


async def work_all(client, work, numbers):
    size = max(1, math.ceil(len(numbers) / 40))
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    futures = [client.submit(all_of, work, part) for part in reversed(parts)]
    found = await client.gather(futures)
    return [result for part in reversed(found) for result in part]

# %% batches-1 wrong: the caller's list is emptied
# cause: the parts are cut off the list of the caller, which is empty afterwards; a second call with it returns []
# line: del numbers[:size]
import math


def work_part(work, part):
    return [work(number) for number in part]


async def work_all(client, work, numbers):
    """Return the results of `work`, in order; ship many numbers in one call."""
    size = math.ceil(len(numbers) / 40)
    futures = []
    while numbers:
        futures.append(client.submit(work_part, work, numbers[:size]))
        del numbers[:size]
    results = []
    for part in await client.gather(futures):
        results.extend(part)
    return results
