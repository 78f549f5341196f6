"""Answers to the exercises of lesson 12, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% holdup-1 wrong: the argument is forgotten
# cause: overlooks that in line 9 the argument, requests.get(url), is computed on the loop before to_thread is called
# line: blocking
blocking = [2, 6, 10, 14]

# %% holdup-1 wrong: a task is elsewhere
# cause: takes it that a coroutine function, or a task, computes beside the loop, so sum(data) is left out
# line: blocking
blocking = [6, 9, 10, 14]

# %% holdup-1 wrong: the line that makes the task
# cause: names the line that creates the task, not the one inside that computes
# line: blocking
blocking = [6, 9, 10, 11, 14]

# %% place-1 wrong: hashing to a process
# cause: hashlib lets go of the GIL, so a thread will do; a process would have to copy 500 MB
# line: "hash": "process"
places = {
    "pages": "loop", "again": "loop", "sum": "loop", "driver": "thread", "upload": "thread",
    "photo": "process", "solver": "process", "hash": "process", "printer": "thread",
}

# %% place-1 wrong: the solver in a thread
# cause: a thread can't be ended from outside
# line: places["solver"]
places = dict(pages="loop", again="loop", sum="loop", driver="thread", upload="thread")
places["photo"] = "process"
places["solver"] = "thread"
places["hash"] = "thread"
places["printer"] = "thread"

# %% place-1 wrong: the photo in a thread
# cause: two seconds of Python code in a thread hold the GIL and slow the loop down
# line: "photo": "thread"
places = {"pages": "loop", "again": "loop", "sum": "loop", "driver": "thread",
          "upload": "thread", "photo": "thread", "solver": "process", "hash": "thread",
          "printer": "thread"}

# %% slices-1 wrong: eleven calls
# cause: eleven calls come before a turn
# line: if count > 10:
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    count = 0
    for item in items:
        total += weigh(item)
        count += 1
        if count > 10:
            await asyncio.sleep(0)
            count = 0
    return total

# %% slices-1 wrong: awaits, but never lets go
# cause: awaiting a coroutine that itself waits for nothing gives nobody a turn
# line: total += await ten(items[start:start + 10]) | return sum(weigh(item)
import asyncio


async def add_up(weigh, items):
    async def ten(part):
        return sum(weigh(item) for item in part)

    items = list(items)
    total = 0
    for start in range(0, len(items), 10):
        total += await ten(items[start:start + 10])
    return total

# %% slices-1 wrong: all slices are ready at once
# cause: all the slices are tasks in the queue at once, so they run one right after the other
# line: asyncio.gather
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    async def ten(part):
        return sum(map(weigh, part))

    items = list(items)
    parts = [items[n:n + 10] for n in range(0, len(items), 10)]
    return sum(await asyncio.gather(*(ten(part) for part in parts)))

# %% slices-1 wrong: the rest is lost
# cause: the last slice, which has fewer than ten items, is never weighed
# line: range(len(items) // 10)
import asyncio


async def add_up(weigh, items):
    total = 0
    for n in range(len(items) // 10):
        for item in items[10 * n:10 * n + 10]:
            total += weigh(item)
        await asyncio.sleep(0)
    return total

# %% slices-1 wrong: in a thread
# cause: weigh is called from another thread, though it is not made for several
# line: asyncio.to_thread(weigh, item)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    for item in items:
        total += await asyncio.to_thread(weigh, item)
    return total

# %% slices-1 right: islice and a walrus
import asyncio
from itertools import islice


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    rest, total = iter(items), 0
    while part := list(islice(rest, 7)):
        total += sum(map(weigh, part))
        await asyncio.sleep(0)
    return total

# %% slices-1 right: an async generator of weights
import asyncio


async def add_up(weigh, items):
    async def weights():
        for number, item in enumerate(items, start=1):
            yield weigh(item)
            if not number % 5:
                await asyncio.sleep(0)

    return sum([weight async for weight in weights()])

# %% slices-1 right: a class that rests by itself
import asyncio


class Rest:
    def __init__(self, every):
        self.every, self.count = every, 0

    def __await__(self):
        self.count += 1
        if self.count >= self.every:
            self.count = 0
            yield


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    rest = Rest(every=10)
    total = 0
    for item in items:
        total = total + weigh(item)
        await rest
    return total

# %% search-1 wrong: the flag is set after a time-out only
# cause: after a cancellation from outside the flag is not set, and the thread looks on
# line: except TimeoutError:
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop = threading.Event()

    def look_about():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place
        return None

    try:
        return await asyncio.wait_for(asyncio.to_thread(look_about), seconds)
    except TimeoutError:
        stop.set()
        return None

# %% search-1 wrong: so many seconds for each place
# cause: each place has the seconds, not the search as a whole
# line: async with asyncio.timeout(seconds): | for place in places:
import asyncio


async def search(look, places, seconds):
    for place in places:
        try:
            async with asyncio.timeout(seconds):
                if await asyncio.to_thread(look, place):
                    return place
        except TimeoutError:
            return None
    return None

# %% search-1 wrong: the timeout ends the thread
# cause: a timeout ends the waiting only, the thread looks on
# line: asyncio.to_thread(look_about)
import asyncio


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    def look_about():
        for place in places:
            if look(place):
                return place

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(look_about)
    except TimeoutError:
        return None

# %% search-1 wrong: a cancellation is a None
# cause: a cancellation from outside is swallowed and becomes a None
# line: except (TimeoutError, asyncio.CancelledError):
import asyncio


async def search(look, places, seconds):
    try:
        async with asyncio.timeout(seconds):
            for place in places:
                if await asyncio.to_thread(look, place):
                    return place
    except (TimeoutError, asyncio.CancelledError):
        return None

# %% search-1 wrong: joins on the loop
# cause: join blocks the loop's thread while the other one searches
# line: thread.join(seconds)
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop = threading.Event()
    found = []

    def look_about():
        for place in places:
            if stop.is_set():
                break
            if look(place):
                found.append(place)
                break

    thread = threading.Thread(target=look_about)
    thread.start()
    try:
        thread.join(seconds)
    finally:
        stop.set()
    return found[0] if found else None

# %% search-1 right: place by place under one deadline
import asyncio


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    try:
        async with asyncio.timeout(seconds) as limit:
            for place in places:
                if await asyncio.to_thread(look, place):
                    return place
    except TimeoutError:
        if not limit.expired():
            raise
    return None

# %% search-1 right: a generator that the flag ends, and asyncio.wait
import asyncio
import itertools
import threading


async def search(look, places, seconds):
    enough = threading.Event()
    until_enough = itertools.takewhile(lambda place: not enough.is_set(), places)
    job = asyncio.ensure_future(asyncio.to_thread(next, filter(look, until_enough), None))
    try:
        done, pending = await asyncio.wait([job], timeout=seconds)
        return job.result() if done else None
    finally:
        enough.set()
        job.cancel()

# %% leave-pool-1 wrong: a with around the pool
# cause: the end of the with waits for the last ones, and blocks the loop
# line: with ThreadPoolExecutor(2) as pool:
import asyncio
from concurrent.futures import ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    with ThreadPoolExecutor(2) as pool:
        jobs = [(item, pool.submit(work, item)) for item in items]
        await asyncio.to_thread(wait, [job for _, job in jobs], seconds)
        pool.shutdown(wait=False, cancel_futures=True)
    return {item: job.result() for item, job in jobs if not job.cancelled()}

# %% leave-pool-1 wrong: only what is done in time
# cause: what had begun but was not done after the seconds is missing in the result
# line: if job in done
import asyncio
from concurrent.futures import ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    jobs = {pool.submit(work, item): item for item in items}
    done, not_done = await asyncio.to_thread(wait, jobs, seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: job.result() for job, item in jobs.items() if job in done}

# %% leave-pool-1 wrong: waits on the loop
# cause: concurrent.futures.wait blocks the thread of the loop
# line: wait(jobs, timeout=seconds)
import asyncio
from concurrent.futures import ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(2)
    jobs = {pool.submit(work, item): item for item in items}
    wait(jobs, timeout=seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: job.result() for job, item in jobs.items() if not job.cancelled()}

# %% leave-pool-1 wrong: no result, no entry
# cause: a result that is falsy is left out
# line: if result:
import asyncio
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    jobs = [(item, pool.submit(work, item)) for item in items]
    await asyncio.to_thread(wait, [job for _, job in jobs], seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    results = {}
    for item, job in jobs:
        try:
            result = job.result()
        except CancelledError:
            continue
        if result:
            results[item] = result
    return results

# %% leave-pool-1 wrong: everything comes to its end
# cause: nothing is cancelled after the seconds: shutdown waits for all the items
# line: await asyncio.to_thread(pool.shutdown)
import asyncio
from concurrent.futures import ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(2)
    jobs = {pool.submit(work, item): item for item in items}
    await asyncio.to_thread(wait, jobs, seconds)
    await asyncio.to_thread(pool.shutdown)
    return {item: job.result() for job, item in jobs.items() if not job.cancelled()}

# %% leave-pool-1 right: two runners that look at the clock
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="crunch")
    waiting, results = iter(items), {}

    async def runner():
        for item in waiting:
            results[item] = await loop.run_in_executor(pool, work, item)
            if loop.time() >= end:
                return

    try:
        await asyncio.gather(runner(), runner())
    finally:
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return results

# %% leave-pool-1 right: each future is asked to cancel
import asyncio
import contextlib
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    pairs: list[tuple[object, Future]] = [(item, pool.submit(work, item)) for item in items]
    jobs = [job for item, job in pairs]
    await asyncio.to_thread(wait, jobs, timeout=seconds)
    begun = [pair for pair in pairs if not pair[1].cancel()]
    await asyncio.to_thread(pool.shutdown, wait=True)
    results = {}
    for item, job in begun:
        with contextlib.suppress(CancelledError):
            results |= {item: job.result()}
    return results

# %% listen-1 wrong: not by the door
# cause: the queue of the loop is filled from another thread, which wakes nobody
# line: queue.put_nowait
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    queue = asyncio.Queue()
    subscribe(queue.put_nowait)
    words = []
    while (word := await queue.get()) is not None:
        words.append(word)
    return words

# %% listen-1 wrong: looks again and again
# cause: polls every few milliseconds, so the loop never sleeps
# line: await asyncio.sleep(0.005)
import asyncio


async def listen(subscribe):
    heard = []
    subscribe(heard.append)
    while not heard or heard[-1] is not None:
        await asyncio.sleep(0.005)
    return heard[:-1]

# %% listen-1 wrong: an empty word is the end
# cause: an empty word is taken for the end
# line: if not word:
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    def callback(word):
        loop.call_soon_threadsafe(queue.put_nowait, word)

    subscribe(callback)
    words = []
    while True:
        word = await queue.get()
        if not word:
            return words
        words.append(word)

# %% listen-1 wrong: a queue for threads
# cause: get of a queue for threads blocks the loop
# line: words.get()
import asyncio
import queue


async def listen(subscribe):
    words = queue.SimpleQueue()
    subscribe(words.put)
    return list(iter(lambda: words.get(), None))

# %% listen-1 wrong: waits for a threading.Event
# cause: wait of a threading.Event blocks the loop until the last word
# line: over.wait()
import asyncio
import threading


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    words = []
    over = threading.Event()

    def callback(word):
        if word is None:
            over.set()
        else:
            words.append(word)

    subscribe(callback)
    over.wait()
    return words

# %% listen-1 wrong: the loop is asked for in the thread
# cause: get_running_loop is called in the other thread, where no loop runs
# line: asyncio.get_running_loop().call_soon_threadsafe
import asyncio


async def listen(subscribe):
    queue = asyncio.Queue()

    def callback(word):
        asyncio.get_running_loop().call_soon_threadsafe(queue.put_nowait, word)

    subscribe(callback)
    words = []
    while (word := await queue.get()) is not None:
        words.append(word)
    return words

# %% listen-1 right: a list, and a future for the end
import asyncio
from functools import partial


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    over, words = loop.create_future(), []

    def hear(word):
        if word is not None:
            words.append(word)
        elif not over.done():
            over.set_result(words)

    subscribe(partial(loop.call_soon_threadsafe, hear))
    return await over

# %% listen-1 right: an object to go through
import asyncio


class Ear:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.heard = asyncio.Queue()

    def __call__(self, word):
        asyncio.run_coroutine_threadsafe(self.heard.put(word), self.loop)

    def __aiter__(self):
        return self

    async def __anext__(self):
        match await self.heard.get():
            case None:
                raise StopAsyncIteration
            case word:
                return word


async def listen(subscribe):
    ear = Ear()
    subscribe(ear)
    return [word async for word in ear]

# %% slices-1 wrong: each kind of item once
# cause: the items are taken as a set, so what comes twice is weighed once
# line: set(items)
import asyncio


async def add_up(weigh, items):
    total = 0
    for number, item in enumerate(set(items), 1):
        total += weigh(item)
        if number % 10 == 0:
            await asyncio.sleep(0)
    return total

# %% slices-1 wrong: counts the weight and not the items
# cause: it pauses where the sum is a multiple of five, which need not be after ten items
# line: if total % 5 == 0:
import asyncio


async def add_up(weigh, items):
    total = 0
    for item in items:
        total += weigh(item)
        if total % 5 == 0:
            await asyncio.sleep(0)
    return total

# %% search-1 wrong: a place that is nothing
# cause: a falsy place is taken for not found, and it looks on
# line: if found:
import asyncio
import threading


async def search(look, places, seconds):
    stop = threading.Event()

    def walk():
        for place in places:
            if stop.is_set():
                return None
            found = look(place) and place
            if found:
                return found

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(walk)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% search-1 wrong: one flag for all searches
# cause: the flag belongs to the module, so the end of one search ends the others
# line: stop = threading.Event() | stop.clear() | stop.set()
import asyncio
import threading

stop = threading.Event()


async def search(look, places, seconds):
    stop.clear()

    def walk():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(walk)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% search-1 wrong: no seconds are no limit
# cause: 0 seconds are taken for no limit at all
# line: seconds or None
import asyncio
import threading


async def search(look, places, seconds):
    stop = threading.Event()

    def walk():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place

    try:
        return await asyncio.wait_for(asyncio.to_thread(walk), seconds or None)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% leave-pool-1 wrong: one dict for all calls
# cause: the default argument is one dict for all calls, so results of others are in it
# line: results={}
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds, results={}):
    pool = ThreadPoolExecutor(2)
    jobs = {item: pool.submit(work, item) for item in items}
    await asyncio.sleep(seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    for item, job in jobs.items():
        if not job.cancelled():
            results[item] = job.result()
    return results

# %% leave-pool-1 wrong: the items that are something
# cause: falsy items are left out of the result
# line: if item and
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    jobs = {item: pool.submit(work, item) for item in items}
    await asyncio.sleep(seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: job.result() for item, job in jobs.items() if item and not job.cancelled()}

# %% listen-1 wrong: silence is one word
# cause: empty words share one key, so all but one of them are lost
# line: if word else word
# told: none
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    queue, words = asyncio.Queue(), {}
    subscribe(lambda word: loop.call_soon_threadsafe(queue.put_nowait, word))
    while (word := await queue.get()) is not None:
        words[len(words) if word else word] = word
    return list(words.values())

# %% listen-1 wrong: looks whether there is news now and then
# cause: asks every 20 ms whether a word has come
# line: asyncio.wait_for(news.wait(), 0.02)
import asyncio


async def listen(subscribe):
    words = []
    subscribe(words.append)
    news = asyncio.Event()
    while None not in words:
        try:
            await asyncio.wait_for(news.wait(), 0.02)
        except TimeoutError:
            pass
    return words[:-1]

# %% listen-1 right: a stream reader of its own
import asyncio
import socket


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    words = []

    def callback(word):
        words.append(word)
        theirs.send(b"!")

    subscribe(callback)
    with ours, theirs:
        while not words or words[-1] is not None:
            await asyncio.get_running_loop().sock_recv(ours, 1)
    return words[:-1]

# %% slices-1 wrong: remainder dropped
# cause: Only full slices of ten are added up; the last, shorter slice is never weighed, so the sum is too small when the number of items is no multiple of 10.
# line: for number in range(len(items) // 10):
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)
    total = 0
    for number in range(len(items) // 10):
        part = items[number * 10:number * 10 + 10]
        total += sum(weigh(item) for item in part)
        await asyncio.sleep(0)
    return total

# %% slices-1 wrong: one task per slice
# cause: All slices are started as tasks at once, so all of them are ready in the same round of the loop; each gives way only at its own end, and the loop runs them one after the other in a single round: someone who becomes ready meanwhile, or whose next turn is due, waits for all of them.
# line: return sum(await asyncio.gather(*(part(start) for start in range(0, len(items), 10)))) | await asyncio.sleep(0)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)

    async def part(start):
        total = sum(weigh(item) for item in items[start:start + 10])
        await asyncio.sleep(0)
        return total

    return sum(await asyncio.gather(*(part(start) for start in range(0, len(items), 10))))

# %% slices-1 right: call_soon chain with a future
import asyncio
import itertools


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    left = iter(items)
    total = 0

    def step():
        nonlocal total
        if done.done():
            return
        try:
            part = list(itertools.islice(left, 10))
            for item in part:
                total += weigh(item)
        except Exception as error:
            done.set_exception(error)
            return
        if part:
            loop.call_soon(step)
        else:
            done.set_result(total)

    loop.call_soon(step)
    return await done

# %% search-1 wrong: only told to stop on a timeout
# cause: The thread is told to stop only after a TimeoutError; if `search` is cancelled from outside, a CancelledError goes by and the thread looks on.
# line: except TimeoutError:
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop = threading.Event()

    def run():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place
        return None

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(run)
    except TimeoutError:
        stop.set()
        return None

# %% search-1 wrong: look at the clock only in the thread
# cause: The deadline is checked only between two looks in the thread, and the coroutine waits for the thread; a look that takes long keeps `search` from returning after `seconds`.
# line: while time.monotonic() < end | return await asyncio.to_thread(run)
import asyncio
import threading
import time


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop = threading.Event()
    end = time.monotonic() + seconds

    def run():
        left = iter(places)
        while time.monotonic() < end and not stop.is_set():
            try:
                place = next(left)
            except StopIteration:
                return None
            if look(place):
                return place
        return None

    try:
        return await asyncio.to_thread(run)
    finally:
        stop.set()

# %% search-1 right: one look per thread call, the loop on the coroutine's side
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def one(place):
        return not stop.is_set() and look(place)

    async def all_of_them():
        for place in places:
            if await loop.run_in_executor(None, one, place):
                return (place,)
        return (None,)

    task = asyncio.ensure_future(all_of_them())
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if done:
            return task.result()[0]
        return None
    finally:
        stop.set()
        task.cancel()

# %% leave-pool-1 wrong: leaves the pool by with
# cause: The `with` block shuts the pool down in the loop's thread and waits there for what has begun, so the loop is blocked until the last ones come to their end.
# line: with ThreadPoolExecutor(2) as pool:
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    with ThreadPoolExecutor(2) as pool:
        futures = {item: pool.submit(work, item) for item in items}
        await asyncio.wait([asyncio.wrap_future(f) for f in futures.values()], timeout=seconds)
        for future in futures.values():
            future.cancel()
    return {item: future.result() for item, future in futures.items() if not future.cancelled()}

# %% leave-pool-1 wrong: falsy results are left out
# cause: A result that is 0, None or empty is taken for "not begun" and is left out of the dict.
# line: if result:
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(max_workers=2)
    futures = {item: pool.submit(work, item) for item in items}
    await asyncio.sleep(seconds)
    await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)
    pages = {}
    for item, future in futures.items():
        result = None if future.cancelled() else future.result()
        if result:
            pages[item] = result
    return pages

# %% leave-pool-1 right: results noted by the threads themselves
import asyncio
from concurrent.futures import ThreadPoolExecutor
import functools


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    results = {}

    def note(item):
        results[item] = work(item)

    pool = ThreadPoolExecutor(2)
    try:
        handles = [pool.submit(note, item) for item in items]
        await asyncio.sleep(seconds)
    finally:
        leave = functools.partial(pool.shutdown, wait=True, cancel_futures=True)
        await loop.run_in_executor(None, leave)
    for handle in handles:
        if not handle.cancelled():
            handle.result()
    return results

# %% listen-1 wrong: put from the thread
# cause: The callback runs in the other thread, and an asyncio.Queue isn't made for that: `put_nowait` doesn't wake the sleeping loop, so `get` may wait for ever.
# line: subscribe(queue.put_nowait)
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    queue = asyncio.Queue()
    subscribe(queue.put_nowait)
    words = []
    while (word := await queue.get()) is not None:
        words.append(word)
    return words

# %% listen-1 wrong: ends at an empty word
# cause: The end is recognised by falsiness; an empty word "" ends the listening early, and the words after it are lost.
# line: while word := await queue.get():
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()
    subscribe(lambda word: loop.call_soon_threadsafe(queue.put_nowait, word))
    words = []
    while word := await queue.get():
        words.append(word)
    return words

# %% listen-1 right: a list and a future
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    words = []

    def finish():
        if not over.done():
            over.set_result(words)

    def callback(word):
        match word:
            case None:
                loop.call_soon_threadsafe(finish)
            case _:
                words.append(word)

    subscribe(callback)
    return await over

# %% slices-1 wrong: eleven calls, once more
# cause: off by one: the pause comes only when the counter is past 10, so eleven calls are made in a row
# line: if calls > 10:
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    calls = 0
    for item in items:
        total += weigh(item)
        calls += 1
        if calls > 10:
            calls = 0
            await asyncio.sleep(0)
    return total

# %% slices-1 wrong: a task for each slice
# cause: all the slices' tasks become ready at the same time and run one right after the other in the same turn; nobody else gets between them
# line: asyncio.gather(
import asyncio


async def add_slice(weigh, items):
    return sum(weigh(item) for item in items)


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)
    sums = await asyncio.gather(
        *(add_slice(weigh, items[i:i + 10]) for i in range(0, len(items), 10)))
    return sum(sums)

# %% slices-1 right: a chain of call_soon
import asyncio
from itertools import islice


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    loop = asyncio.get_running_loop()
    finished = loop.create_future()
    source = iter(items)
    total = 0

    def slice_soon():
        loop.call_soon(add_slice)

    def add_slice():
        nonlocal total
        if finished.done():         # cancelled
            return
        try:
            batch = list(islice(source, 10))
            total += sum(map(weigh, batch))
        except Exception as error:
            finished.set_exception(error)
        else:
            slice_soon() if batch else finished.set_result(total)

    slice_soon()
    return await finished

# %% search-1 wrong: one flag for all searches, once more
# cause: the Event is shared by all calls: when one search ends, it stops the others too, and the start of one clears the flag of another
# line: stop = threading.Event()
import asyncio
import threading

stop = threading.Event()


def walk(look, places):
    for place in places:
        if stop.is_set():
            return None
        if look(place):
            return place
    return None


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop.clear()
    try:
        return await asyncio.wait_for(asyncio.to_thread(walk, look, places), seconds)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% search-1 wrong: told to stop after a timeout only
# cause: when search is cancelled from outside, a CancelledError comes, nobody sets the event, and the thread looks on; it belongs into a finally
# line: except asyncio.TimeoutError:
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    give_up = threading.Event()

    def run():
        for place in places:
            if give_up.is_set():
                break
            if look(place):
                return place

    try:
        return await asyncio.wait_for(asyncio.to_thread(run), seconds)
    except asyncio.TimeoutError:
        give_up.set()
        return None

# %% search-1 right: the loop holds the reins
import asyncio
import threading
from contextlib import suppress


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for place in places:
                if await asyncio.to_thread(look, place):
                    return place
    return None

# %% leave-pool-1 wrong: the loop's futures are cancelled
# cause: the futures of run_in_executor can be cancelled even while their work is running, so what had begun is thrown away
# line: future.cancel()
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(max_workers=2)
    futures = {item: loop.run_in_executor(pool, work, item) for item in items}
    done, pending = await asyncio.wait(futures.values(), timeout=seconds)
    for future in pending:
        future.cancel()
    await asyncio.to_thread(pool.shutdown)
    return {item: future.result() for item, future in futures.items()
            if not future.cancelled()}

# %% leave-pool-1 wrong: the with statement waits
# cause: at the end of the with block the pool is shut down with wait=True in the loop's thread: the loop is blocked until the last ones have ended
# line: with ThreadPoolExecutor(2) as pool:
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    with ThreadPoolExecutor(2) as pool:
        futures = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        begun = {item: future for item, future in futures.items()
                 if not future.cancel()}
    return {item: future.result() for item, future in begun.items()}

# %% leave-pool-1 right: threads note their own results
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    results = {}
    pool = ThreadPoolExecutor(max_workers=2)

    def note(item):
        results[item] = work(item)

    try:
        futures = [pool.submit(note, item) for item in items]
        await asyncio.wait([asyncio.wrap_future(future) for future in futures],
                           timeout=seconds)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(pool.shutdown, wait=True)
    return results

# %% listen-1 wrong: the thread fills the queue itself
# cause: an asyncio.Queue is not made for other threads: a put from there does not wake a loop that is asleep
# line: subscribe(queue.put_nowait)
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    queue = asyncio.Queue()
    words = []
    subscribe(queue.put_nowait)
    while (word := await queue.get()) is not None:
        words.append(word)
    return words

# %% listen-1 wrong: an empty word is the end, once more
# cause: an empty word is false too, so the list ends there although more words will come; only None is the end
# line: while word := await queue.get():
import asyncio
from functools import partial


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()
    words = []
    subscribe(partial(loop.call_soon_threadsafe, queue.put_nowait))
    while word := await queue.get():
        words.append(word)
    return words

# %% listen-1 right: a list and one future
import asyncio


class Ear:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.words = []
        self.heard_all = self.loop.create_future()

    def __call__(self, word):
        """Called by the thread."""
        self.loop.call_soon_threadsafe(self.note, word)

    def note(self, word):
        match word:
            case None if not self.heard_all.done():
                self.heard_all.set_result(self.words)
            case None:
                pass
            case _:
                self.words.append(word)


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    ear = Ear()
    subscribe(ear)
    return await ear.heard_all

# %% slices-1 wrong: in a thread, again
# cause: weigh is called in another thread, and isn't made for it
# line: asyncio.to_thread
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    return sum([await asyncio.to_thread(weigh, item) for item in items])

# %% slices-1 wrong: a turn after a hundred
# cause: the others have a turn after 100 calls, and the statement says 10
# line: if number % 100 == 0: | total += weigh(item)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    for number, item in enumerate(items, 1):
        total += weigh(item)
        if number % 100 == 0:
            await asyncio.sleep(0)
    return total

# %% slices-1 wrong: never a turn
# cause: the others have a turn before the first call, and none in between
# line: sum(weigh(item) for item in items)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    await asyncio.sleep(0)
    return sum(weigh(item) for item in items)

# %% slices-1 wrong: the last slice is lost
# cause: only whole slices of ten are added; the rest is lost
# line: range(0, len(items) - 9, 10) | len(items) - 9
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)
    total = 0
    for begin in range(0, len(items) - 9, 10):
        total += sum(weigh(item) for item in items[begin : begin + 10])
        await asyncio.sleep(0)
    return total

# %% holdup-1 wrong: overlooks the argument that is computed first
# cause: line 9 is missing: requests.get(url) is called on the loop, before to_thread gets its result
# line: blocking =
blocking = [2, 6, 10, 14]

# %% place-1 wrong: hashing is put into a process
# cause: hashlib lets go of the GIL, so a thread will do; a process would need a copy of 500 MB
# line: "hash": "process"
places = {
    "pages": "loop",
    "again": "loop",
    "sum": "loop",
    "driver": "thread",
    "upload": "thread",
    "photo": "process",
    "solver": "process",
    "hash": "process",
    "printer": "thread",
}

# %% slices-1 wrong: eleven calls between two turns
# cause: the count is compared with > 10 after it was raised, so eleven calls are made before the others have a turn
# line: if since > 10:
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    since = 0
    for item in items:
        total += weigh(item)
        since += 1
        if since > 10:
            await asyncio.sleep(0)
            since = 0
    return total

# %% slices-1 wrong: slices in a thread
# cause: weigh is called in another thread, which it is not made for
# line: await asyncio.to_thread(
import asyncio


def weigh_slice(weigh, part):
    return sum(weigh(item) for item in part)


async def add_up(weigh, items):
    items = list(items)
    total = 0
    for start in range(0, len(items), 10):
        part = items[start:start + 10]
        total += await asyncio.to_thread(weigh_slice, weigh, part)
    return total

# %% slices-1 wrong: a task for each ten, all ready at once
# cause: all slices become ready together and run one after another, with nobody else in between
# line: group.create_task(ten(items[i : i + 10])) | return sum(map(weigh, some)) | none
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)

    async def ten(some):
        return sum(map(weigh, some))

    async with asyncio.TaskGroup() as group:
        parts = [
            group.create_task(ten(items[i : i + 10]))
            for i in range(0, len(items), 10)
        ]
    return sum(part.result() for part in parts)

# %% slices-1 right: slices of an iterator
from asyncio import sleep
from itertools import islice


async def add_up(weigh, items):
    rest = iter(items)
    total = 0
    while part := list(islice(rest, 10)):
        total += sum(map(weigh, part))
        await sleep(0)
    return total

# %% slices-1 right: an awaitable of its own
class Turn:
    def __await__(self):
        yield


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    weights = []
    for number, item in enumerate(items, start=1):
        weights.append(weigh(item))
        if not number % 5:
            await Turn()
    return sum(weights)

# %% search-1 wrong: the flag is set only after a timeout
# cause: if search is cancelled from outside, nobody sets the flag, and the thread looks on
# line: except TimeoutError: | stop.set() | none
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop = threading.Event()

    def walk():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place
        return None

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(walk)
    except TimeoutError:
        stop.set()
        return None

# %% search-1 wrong: the seconds begin anew for each place
# cause: each look has `seconds` of its own, so that the whole search may take much longer
# line: await asyncio.wait_for(asyncio.to_thread(look, place), seconds)
import asyncio


async def search(look, places, seconds):
    for place in places:
        try:
            here = await asyncio.wait_for(asyncio.to_thread(look, place), seconds)
        except asyncio.TimeoutError:
            break
        if here:
            return place
    return None

# %% search-1 wrong: the task that walks is never ended
# cause: asyncio.wait doesn't cancel the task when the time is over, so it goes on looking into places
# line: await asyncio.wait({walking}, timeout=seconds) | return walking.result() if done else None | walking = asyncio.create_task(walk()) | none
import asyncio
from typing import Any, Callable, Iterable


async def search(look: Callable[[Any], bool], places: Iterable, seconds: float):
    """Return the first of `places` where `look` says True, or None after `seconds`."""

    async def walk():
        for place in places:
            if await asyncio.to_thread(look, place):
                return place

    walking = asyncio.create_task(walk())
    done, _ = await asyncio.wait({walking}, timeout=seconds)
    return walking.result() if done else None

# %% search-1 right: a call of to_thread for each place
import asyncio
from contextlib import suppress


async def search(look, places, seconds):
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for place in places:
                if await asyncio.to_thread(look, place):
                    return place

# %% search-1 right: one thread that looks at a flag
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    loop = asyncio.get_running_loop()
    over = threading.Event()
    answer = loop.create_future()

    def tell(place):
        if not answer.done():
            answer.set_result(place)

    def walk():
        found = None
        for place in places:
            if over.is_set():
                return
            if look(place):
                found = place
                break
        if not over.is_set():
            loop.call_soon_threadsafe(tell, found)

    def to_the_end():
        try:
            walk()
        except RuntimeError:  # the loop is closed: nobody wants to know
            pass

    try:
        threading.Thread(target=to_the_end, daemon=True).start()
        await asyncio.wait([answer], timeout=seconds)
        return answer.result() if answer.done() else None
    finally:
        over.set()

# %% leave-pool-1 wrong: the with statement waits on the loop
# cause: at the end of the with block the pool waits for its threads, and blocks the loop
# line: with ThreadPoolExecutor(max_workers=2) as pool:
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.wait(map(asyncio.wrap_future, jobs.values()), timeout=seconds)
        for job in jobs.values():
            job.cancel()
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

# %% leave-pool-1 wrong: cancels the loop's futures
# cause: cancelling the loop's future also gives up the job that has begun, so its result is not in the dict
# line: future.cancel() | if not future.cancelled()
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(2)
    item_of = {}
    for item in items:
        item_of[loop.run_in_executor(pool, work, item)] = item
    done, pending = await asyncio.wait(item_of, timeout=seconds)
    for future in pending:
        future.cancel()
    await asyncio.to_thread(pool.shutdown)
    results = {}
    for future, item in item_of.items():
        if not future.cancelled():
            results[item] = future.result()
    return results

# %% leave-pool-1 wrong: nothing is cancelled
# cause: shutdown without cancel_futures lets all jobs run, also those that have not begun
# line: pool.shutdown | await asyncio.sleep(seconds) | none
import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(2, thread_name_prefix="crunch")
    try:
        futures = [(item, pool.submit(work, item)) for item in items]
        await asyncio.sleep(seconds)
    finally:
        await asyncio.to_thread(partial(pool.shutdown, wait=True))
    return dict((item, f.result()) for item, f in futures if f.done() and not f.cancelled())

# %% leave-pool-1 right: shut down in a thread
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    jobs = [(item, pool.submit(work, item)) for item in items]
    try:
        await asyncio.sleep(seconds)
    finally:
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: job.result() for item, job in jobs if not job.cancelled()}

# %% leave-pool-1 right: two workers that share a deque
import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    todo, results = deque(items), {}

    def worker():
        while True:
            try:
                item = todo.popleft()
            except IndexError:
                return
            results[item] = work(item)

    timer = loop.call_later(seconds, todo.clear)
    pool = ThreadPoolExecutor(2)
    try:
        await asyncio.gather(*(loop.run_in_executor(pool, worker) for _ in range(2)))
    finally:
        timer.cancel()
        todo.clear()
        await loop.run_in_executor(None, pool.shutdown)
    return results

# %% listen-1 wrong: the event is set from the thread
# cause: asyncio.Event.set is called in another thread, which doesn't wake the loop
# line: done.set()
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    words = []
    done = asyncio.Event()

    def callback(word):
        if word is None:
            done.set()
        else:
            words.append(word)

    subscribe(callback)
    await done.wait()
    return words

# %% listen-1 wrong: waits in an ordinary queue
# cause: queue.Queue.get blocks the loop's thread until the next word comes
# line: iter(heard.get, None)
import queue


async def listen(subscribe):
    heard = queue.Queue()
    subscribe(heard.put)
    return [word for word in iter(heard.get, None)]

# %% listen-1 wrong: has room for one word
# cause: a word that comes before the last one was taken overwrites it, so words are lost
# line: current = word | words.append(current) | loop.call_soon_threadsafe(heard.set) | none
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()
    current = None

    def callback(word):
        nonlocal current
        current = word
        loop.call_soon_threadsafe(heard.set)

    subscribe(callback)
    words = []
    while True:
        await heard.wait()
        heard.clear()
        if current is None:
            return words
        words.append(current)

# %% listen-1 right: a list and a future, again
import asyncio
from functools import partial


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    words, end = [], loop.create_future()

    def hear(word):  # on the loop
        if word is not None:
            words.append(word)
        elif not end.done():
            end.set_result(words)

    subscribe(partial(loop.call_soon_threadsafe, hear))
    return await end

# %% listen-1 right: coroutines sent to the loop
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    mailbox = asyncio.Queue()
    subscribe(lambda word: asyncio.run_coroutine_threadsafe(mailbox.put(word), loop))
    words = []
    while (word := await mailbox.get()) is not None:
        words.append(word)
    return words

# %% slices-1 wrong: awaits a helper that never waits
# cause: awaiting a coroutine that never suspends gives nobody a turn
# line: total += await part(items[start:start + 10]) | return sum(weigh(item) for item in some)
async def add_up(weigh, items):
    async def part(some):
        return sum(weigh(item) for item in some)

    total = 0
    for start in range(0, len(items), 10):
        total += await part(items[start:start + 10])
    return total

# %% slices-1 wrong: eleven calls, again
# cause: the others have a turn only after 11 calls
# line: if count > 10:
import asyncio


async def add_up(weigh, items):
    total = count = 0
    for item in items:
        total += weigh(item)
        count += 1
        if count > 10:
            await asyncio.sleep(0)
            count = 0
    return total

# %% slices-1 right: batched
import asyncio
import itertools


async def add_up(weigh, items):
    total = 0
    for batch in itertools.batched(items, 10):
        total += sum(map(weigh, batch))
        await asyncio.sleep(0)
    return total

# %% search-1 wrong: cancelled from outside it goes on
# cause: the flag is set only after a timeout, so after a cancellation the thread goes on looking
# line: except TimeoutError:
import asyncio
import threading


async def search(look, places, seconds):
    stop = threading.Event()

    def scan():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place

    try:
        return await asyncio.wait_for(asyncio.to_thread(scan), seconds)
    except TimeoutError:
        stop.set()
        return None

# %% search-1 wrong: the seconds hold for each place
# cause: each look gets all the seconds, instead of all of them together
# line: if await asyncio.wait_for(asyncio.to_thread(look, place), seconds):
import asyncio


async def search(look, places, seconds):
    for place in places:
        try:
            if await asyncio.wait_for(asyncio.to_thread(look, place), seconds):
                return place
        except TimeoutError:
            return None
    return None

# %% search-1 right: a thread call for each place
import asyncio


async def search(look, places, seconds):
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    for place in places:
        left = end - loop.time()
        if left <= 0:
            break
        future = loop.run_in_executor(None, look, place)
        try:
            done, _ = await asyncio.wait([future], timeout=left)
            if not done:
                break
            if future.result():
                return place
        finally:
            future.cancel()
    return None

# %% leave-pool-1 wrong: cancels the wrong futures
# cause: cancelling asyncio's futures also drops the results of the jobs that have begun
# line: future.cancel()
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(2)
    futures = {item: loop.run_in_executor(pool, work, item) for item in items}
    done, pending = await asyncio.wait(futures.values(), timeout=seconds)
    for future in pending:
        future.cancel()
    await asyncio.to_thread(pool.shutdown)
    return {item: f.result() for item, f in futures.items() if not f.cancelled()}

# %% leave-pool-1 wrong: the shutdown blocks
# cause: shutdown waits for the last jobs on the loop's thread, and blocks the loop
# line: pool.shutdown(cancel_futures=True)
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(max_workers=2)
    futures = {item: pool.submit(work, item) for item in items}
    await asyncio.sleep(seconds)
    pool.shutdown(cancel_futures=True)
    return {item: f.result() for item, f in futures.items() if not f.cancelled()}

# %% leave-pool-1 right: wrapped futures
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(max_workers=2)
    jobs = {item: pool.submit(work, item) for item in items}
    waiting = [asyncio.wrap_future(job) for job in jobs.values()]
    await asyncio.wait(waiting, timeout=seconds)
    for job in jobs.values():
        job.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    pool.shutdown()
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

# %% listen-1 wrong: an empty word is the end, again
# cause: an empty word is taken for the end
# line: while word := await queue.get():
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()
    subscribe(lambda word: loop.call_soon_threadsafe(queue.put_nowait, word))
    words = []
    while word := await queue.get():
        words.append(word)
    return words

# %% listen-1 wrong: looks again and again, again
# cause: the loop never sleeps, because it looks again in every turn
# line: await asyncio.sleep(0) | while not words or words[-1] is not None:
import asyncio


async def listen(subscribe):
    words = []
    subscribe(words.append)
    while not words or words[-1] is not None:
        await asyncio.sleep(0)
    return words[:-1]

# %% listen-1 right: a future for the end
import asyncio
import functools


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    words = []
    end = loop.create_future()

    def hear(word):
        if word is not None:
            words.append(word)
        elif not end.done():
            end.set_result(words)

    subscribe(functools.partial(loop.call_soon_threadsafe, hear))
    return await end

# %% slices-1 wrong: an await that does not suspend
# cause: awaiting a coroutine that never suspends gives nobody a turn; the whole sum is computed in one go.
# line: total += await part(items[start:start + 10]) | return sum(weigh(item) for item in some)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)

    async def part(some):
        return sum(weigh(item) for item in some)

    total = 0
    for start in range(0, len(items), 10):
        total += await part(items[start:start + 10])
    return total

# %% slices-1 wrong: all slices are ready at once, again
# cause: all slices are tasks that are ready at the same time, so the loop runs them one after another in a single round, and no other task has a turn in between.
# line: parts = await asyncio.gather(
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)

    async def weigh_slice(start):
        return sum(map(weigh, items[start:start + 10]))

    parts = await asyncio.gather(
        *(weigh_slice(start) for start in range(0, len(items), 10)))
    return sum(parts)

# %% slices-1 right: batches and an awaitable of its own
import asyncio
from itertools import batched


class Turn:
    """To await it is to let all the others have a turn."""

    def __await__(self):
        yield


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    for some in batched(items, 8):
        total = sum(map(weigh, some), total)
        await Turn()
    return total

# %% search-1 wrong: the pool's exit holds up the loop
# cause: leaving the `with` of the pool waits, on the loop's thread, for the look in hand; so search ends late and blocks the loop.
# line: with ThreadPoolExecutor(max_workers=1) as pool:
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            async with asyncio.timeout(seconds):
                for place in places:
                    if await loop.run_in_executor(pool, look, place):
                        return place
        except TimeoutError:
            pass
    return None

# %% search-1 wrong: one flag for all searches, again
# cause: all searches share one flag: the end of one stops the others, and a new search clears the flag for a thread that should stop.
# line: stop = threading.Event() | stop.clear()
import asyncio
import threading

stop = threading.Event()


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    stop.clear()

    def look_around():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place
        return None

    try:
        return await asyncio.wait_for(asyncio.to_thread(look_around), seconds)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% search-1 right: a thread of its own that reports to a future
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    over = threading.Event()

    def report(place):
        if not answer.done():
            answer.set_result(place)

    def tell(place):
        if over.is_set():
            return
        try:
            loop.call_soon_threadsafe(report, place)
        except RuntimeError:  # the loop has been closed meanwhile
            pass

    def seek():
        for place in places:
            if over.is_set():
                return
            if look(place):
                tell(place)
                return
        tell(None)

    timer = loop.call_later(seconds, report, None)
    threading.Thread(target=seek, daemon=True).start()
    try:
        return await answer
    finally:
        timer.cancel()
        over.set()

# %% leave-pool-1 wrong: cancels the wrapper of a job in hand
# cause: an asyncio future from run_in_executor can be cancelled although its job runs in the thread; so the results of the jobs in hand are lost.
# line: future.cancel() | if not future.cancelled()
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(max_workers=2)
    futures = {item: loop.run_in_executor(pool, work, item) for item in items}
    _, pending = await asyncio.wait(futures.values(), timeout=seconds)
    for future in pending:
        future.cancel()
    await asyncio.to_thread(pool.shutdown)
    return {
        item: future.result()
        for item, future in futures.items()
        if not future.cancelled()
    }

# %% leave-pool-1 wrong: results in the order of the finish
# cause: two threads append their results as they finish, which need not be the order of the items; so zip gives results to the wrong items.
# line: results.append(work(item)) | return dict(zip(items, results))
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    results = []

    def job(item):
        results.append(work(item))

    pool = ThreadPoolExecutor(max_workers=2)
    for item in items:
        pool.submit(job, item)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return dict(zip(items, results))

# %% leave-pool-1 right: two runners that share a deque
import asyncio
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    waiting = deque(items)
    closed = threading.Event()

    def runner():
        mine = {}
        while not closed.is_set():
            try:
                item = waiting.popleft()
            except IndexError:
                break
            mine[item] = work(item)
        return mine

    pool = ThreadPoolExecutor(2)
    runners = [loop.run_in_executor(pool, runner) for _ in range(2)]
    try:
        await asyncio.wait(runners, timeout=seconds)
    finally:
        closed.set()
    first, second = await asyncio.gather(*runners)
    await asyncio.to_thread(pool.shutdown)
    return first | second

# %% listen-1 wrong: asks for the loop in the thread
# cause: the callback runs in the thread, where no loop runs: get_running_loop raises a RuntimeError there, and listen waits for ever.
# line: loop = asyncio.get_running_loop()
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    heard = asyncio.Queue()

    def hear(word):
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(heard.put_nowait, word)

    subscribe(hear)
    words = []
    while (word := await heard.get()) is not None:
        words.append(word)
    return words

# %% listen-1 wrong: room for one word
# cause: only the latest word is kept; if two words come before the loop has a turn, the first of them is lost.
# line: latest = word
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    news = asyncio.Event()
    latest = None

    def hear(word):
        nonlocal latest
        latest = word
        loop.call_soon_threadsafe(news.set)

    subscribe(hear)
    words = []
    while True:
        await news.wait()
        news.clear()
        if latest is None:
            return words
        words.append(latest)

# %% listen-1 right: a plain list and one future
import asyncio


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    silence = loop.create_future()
    words = []

    def finish():
        if not silence.done():
            silence.set_result(words)

    def hear(word):
        if word is None:
            loop.call_soon_threadsafe(finish)
        else:
            words.append(word)

    subscribe(hear)
    return await silence

# %% slices-1 wrong: believes that each await gives a turn
# cause: awaiting a coroutine that never waits for anything itself doesn't give the loop a turn
# line: total += await add_slice(weigh, items[i:i + 10]) | async def add_slice(weigh, part): | return sum(map(weigh, part))
import asyncio


async def add_slice(weigh, part):
    return sum(map(weigh, part))


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    items = list(items)
    total = 0
    for i in range(0, len(items), 10):
        total += await add_slice(weigh, items[i:i + 10])
    return total

# %% search-1 wrong: one stop for all searches
# cause: the event belongs to the module and is never cleared; after the first search it is set, so the next one finds nothing
# line: stop = threading.Event() | stop.set()
import asyncio
import threading

stop = threading.Event()


def look_around(look, places):
    for place in places:
        if stop.is_set():
            return None
        if look(place):
            return place
    return None


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(look_around, look, places)
    except TimeoutError:
        return None
    finally:
        stop.set()

# %% listen-1 wrong: a queue with room for eight
# cause: The queue is bounded, and put_nowait raises QueueFull in the loop when words come faster than they are taken, so words are lost.
# line: inbox = asyncio.Queue(maxsize=8) | inbox.put_nowait
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    inbox = asyncio.Queue(maxsize=8)
    subscribe(lambda word: loop.call_soon_threadsafe(inbox.put_nowait, word))

    words = []
    while True:
        word = await inbox.get()
        if word is None:
            return words
        words.append(word)

# %% listen-1 wrong: a future for each word
# cause: A future takes one result; a word that comes before the last one was looked at has no future to go to.
# line: heard.set_result | heard = loop.create_future()
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    heard = loop.create_future()
    subscribe(lambda word: loop.call_soon_threadsafe(heard.set_result, word))
    words = []
    while True:
        word = await heard
        if word is None:
            return words
        words.append(word)
        heard = loop.create_future()

# %% listen-1 wrong: one event for each word
# cause: An event that is set several times wakes the task once, and only one word is taken then.
# line: await event.wait() | event.clear() | latest.pop()
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    words = []
    latest = []

    def callback(word):
        latest.append(word)
        loop.call_soon_threadsafe(event.set)

    subscribe(callback)
    while True:
        await event.wait()
        event.clear()
        word = latest.pop()
        if word is None:
            return words
        words.append(word)

# %% listen-1 wrong: a silence is the end
# cause: It returns when no word has come for a moment, and not after the None.
# line: wait_for(inbox.get() | except TimeoutError
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    inbox = asyncio.Queue()
    subscribe(lambda word: loop.call_soon_threadsafe(inbox.put_nowait, word))
    words = []
    while True:
        try:
            word = await asyncio.wait_for(inbox.get(), 0.02)
        except TimeoutError:
            return words
        if word is None:
            return words
        words.append(word)

# %% slices-1 wrong: batches of a hundred
# cause: It pauses after a hundred calls, not after ten.
# line: items[start:start + 100] | range(0, len(items), 100)
import asyncio


async def add_up(weigh, items):
    total = 0
    for start in range(0, len(items), 100):
        total += sum(map(weigh, items[start:start + 100]))
        await asyncio.sleep(0)
    return total

# %% search-1 wrong: the flag is set when it was found in time
# cause: After a timeout or a cancellation nobody sets the flag, and the thread looks on.
# line: stop.set() | except TimeoutError | wait_for
import asyncio
import threading


async def search(look, places, seconds):
    stop = threading.Event()

    def walk():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place

    try:
        found = await asyncio.wait_for(asyncio.to_thread(walk), seconds)
    except TimeoutError:
        return None
    stop.set()
    return found

# %% search-1 wrong: returns what `look` said
# cause: It returns True, and not the place.
# line: return True
import asyncio


async def search(look, places, seconds):
    try:
        async with asyncio.timeout(seconds):
            for place in places:
                if await asyncio.to_thread(look, place):
                    return True
    except TimeoutError:
        return None

# %% leave-pool-1 wrong: a None for what was cancelled
# cause: Items that were never begun are in the dict, too.
# line: None if job.cancelled()
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    pool = ThreadPoolExecutor(2)
    jobs = {item: pool.submit(work, item) for item in items}
    await asyncio.sleep(seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: None if job.cancelled() else job.result() for item, job in jobs.items()}

# %% leave-pool-1 wrong: forgets the jobs that were finished late
# cause: only the jobs that were done after `seconds` are in the result; those that had begun and were finished later are missing
# line: return {jobs[job]: job.result() for job in done}
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(max_workers=2)
    jobs = {loop.run_in_executor(pool, work, item): item for item in items}
    done, late = await asyncio.wait(jobs, timeout=seconds)
    await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {jobs[job]: job.result() for job in done}

# %% listen-1 wrong: polling without sleep
# cause: The coroutine polls with `sleep(0)`, so the loop never sleeps but spins at full load while there are no words.
# line: await asyncio.sleep(0)
import asyncio
import queue


async def listen(subscribe):
    heard = queue.SimpleQueue()
    subscribe(heard.put)
    words = []
    while True:
        try:
            word = heard.get_nowait()
        except queue.Empty:
            await asyncio.sleep(0)
            continue
        if word is None:
            break
        words.append(word)
    return words

# %% leave-pool-1 wrong: collects before the last are finished
# cause: the dict is made before the shutdown has waited for the jobs that still run, so their results are missing.
# line: if job.done() | await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(2)
    jobs = {item: pool.submit(work, item) for item in items}
    await asyncio.wait(map(asyncio.wrap_future, jobs.values()), timeout=seconds)
    results = {item: job.result() for item, job in jobs.items() if job.done()}
    await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)
    return results

# %% slices-1 wrong: slices by time, not calls
# cause: It lets the others have a turn whenever 5 ms have passed, so if weigh is quick, many more than 10 calls are made in one go.
# line: if perf_counter() - began >= SLICE: | SLICE = 0.005
import asyncio
from time import perf_counter

SLICE = 0.005


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    weights = []
    began = perf_counter()
    for item in items:
        weights.append(weigh(item))
        if perf_counter() - began >= SLICE:
            await asyncio.sleep(0)
            began = perf_counter()
    return sum(weights)

# %% leave-pool-1 wrong: shutdown blocks the loop
# cause: `pool.shutdown` with wait=True is called on the loop's thread, so the loop is blocked while the last jobs are finished.
# line: pool.shutdown(wait=True, cancel_futures=True)
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(max_workers=2)
    jobs = {item: pool.submit(work, item) for item in items}
    await asyncio.wait([asyncio.wrap_future(job) for job in jobs.values()], timeout=seconds)
    pool.shutdown(wait=True, cancel_futures=True)
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

# %% listen-1 wrong: asks again and again
# cause: It spins with sleep(0) until the end has come, so the loop never sleeps while there is nothing to do.
# line: await asyncio.sleep(0) | while not heard or heard[-1] is not None:
import asyncio


async def listen(subscribe):
    heard = []
    subscribe(heard.append)
    while not heard or heard[-1] is not None:
        await asyncio.sleep(0)
    return heard[:-1]

# %% search-1 wrong: looks everywhere at the same time
# cause: All places are handed to threads at once by gather, so it doesn't look into one place after another, and looks into further places even if the first one has it.
# line: asyncio.gather( | asyncio.to_thread(look, place)
import asyncio
import threading


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    places = list(places)
    try:
        async with asyncio.timeout(seconds):
            answers = await asyncio.gather(
                *[asyncio.to_thread(look, place) for place in places]
            )
    except TimeoutError:
        return None
    for place, there in zip(places, answers):
        if there:
            return place
    return None

# %% listen-1 wrong: None ends up in the list
# cause: The word is appended before it is compared with None, so the list that is returned always ends with a None that is no word.
# line: words.append(word) | if word is None:
import asyncio


async def listen(subscribe):
    loop = asyncio.get_running_loop()
    finished = loop.create_future()
    words = []

    def on_word(word):
        words.append(word)
        if word is None:
            finished.set_result(words)

    subscribe(lambda word: loop.call_soon_threadsafe(on_word, word))
    return await finished

# %% search-1 wrong: one event for all searches
# cause: The event is global and stays set after the first search, so each later search (or one that goes on at the same time) stops at once and returns None though the thing is there.
# line: _stop = threading.Event() | _stop.set()
import asyncio
import threading

_stop = threading.Event()


def _look_around(look, places):
    for place in places:
        if _stop.is_set():
            break
        if look(place):
            return place
    return None


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(_look_around, look, places)
    except TimeoutError:
        return None
    finally:
        _stop.set()

# %% search-1 wrong: thread not stopped when cancelled
# cause: The flag is set only on a TimeoutError; when search is cancelled from outside, the thread goes on looking into all the places.
# line: except TimeoutError: | stop.set()
import asyncio
import threading


async def search(look, places, seconds):
    stop = threading.Event()

    def go_through():
        for place in places:
            if stop.is_set():
                return None
            if look(place):
                return place
        return None

    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(go_through)
    except TimeoutError:
        stop.set()
        return None

# %% listen-1 wrong: blocking get on the loop
# cause: get() of a queue.Queue blocks the loop's thread until the next word comes, so no other task can run meanwhile.
# line: iter(channel.get, None)
import asyncio
import queue


async def listen(subscribe):
    channel = queue.Queue()
    subscribe(channel.put)
    words = []
    for word in iter(channel.get, None):
        words.append(word)
        await asyncio.sleep(0)
    return words

# %% slices-1 right: a paced async generator
import types


@types.coroutine
def _turn():
    yield


async def _paced(items):
    for count, item in enumerate(items, start=1):
        yield item
        if count % 10 == 0:
            await _turn()


async def add_up(weigh, items):
    return sum([weigh(item) async for item in _paced(items)])

# %% search-1 right: takewhile in a bare thread
import asyncio
import threading
from contextlib import suppress
from itertools import takewhile


async def search(look, places, seconds):
    """Return the first of `places` where `look` says True, or None after `seconds`."""
    loop = asyncio.get_running_loop()
    news = loop.create_future()
    over = threading.Event()

    def tell(place):
        if not news.done():
            news.set_result(place)

    def walk():
        still_wanted = takewhile(lambda _: not over.is_set(), places)
        place = next(filter(look, still_wanted), None)
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(tell, place)

    timer = loop.call_later(seconds, tell, None)
    try:
        threading.Thread(target=walk, daemon=True).start()
        return await news
    finally:
        over.set()
        timer.cancel()

# %% leave-pool-1 right: a timer shuts the pool
import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial


async def crunch(work, items, seconds):
    loop = asyncio.get_running_loop()
    ended = asyncio.Queue()
    pool = ThreadPoolExecutor(max_workers=2)
    close = partial(pool.shutdown, wait=False, cancel_futures=True)
    jobs = {}
    timer = loop.call_later(seconds, close)
    try:
        for item in items:
            jobs[item] = job = pool.submit(work, item)
            job.add_done_callback(partial(loop.call_soon_threadsafe, ended.put_nowait))
        for _ in range(len(jobs)):
            await ended.get()
    finally:
        timer.cancel()
        close()
    pool.shutdown(wait=True)  # all jobs are over: the threads only go home
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

# %% listen-1 right: a primed generator as ear
import asyncio
from functools import partial


async def listen(subscribe):
    """Return the words that the thread says, in order."""
    loop = asyncio.get_running_loop()
    all_said = loop.create_future()

    def hearing():
        words = []
        while (word := (yield)) is not None:
            words.append(word)
        if not all_said.done():
            all_said.set_result(words)
        yield

    ear = hearing()
    next(ear)
    subscribe(partial(loop.call_soon_threadsafe, ear.send))
    return await all_said

# %% slices-1 wrong: all slices ready at once
# cause: gather makes a task of every slice at once, and these run one after the other in the same round of the loop, so other ready tasks wait for more than 10 calls when there are more than 10 items.
# line: asyncio.gather
import asyncio
from itertools import batched


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""

    async def part_sum(part):
        subtotal = sum(map(weigh, part))
        await asyncio.sleep(0)
        return subtotal

    return sum(await asyncio.gather(*(part_sum(p) for p in batched(items, 10))))

# %% slices-1 right: islice batches until a sentinel
import asyncio
from itertools import islice


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    supply = iter(items)
    total = 0
    for handful in iter(lambda: list(islice(supply, 10)), []):
        total = sum(map(weigh, handful), total)
        await asyncio.sleep(0)
    return total


# %% slices-1 wrong: the sum begins with a float
# cause: the sum is a float from the start, so weights that are Decimals raise a TypeError
# line: total = 0.0 | total += weigh(item)
import asyncio


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0.0
    for count, item in enumerate(items, start=1):
        total += weigh(item)
        if count % 10 == 0:
            await asyncio.sleep(0)
    return total


# %% slices-1 wrong: None among the items is taken for filling
# cause: the slices are filled up with None, so an item None is skipped as well
# line: if item is not None:
import asyncio
from itertools import zip_longest


async def add_up(weigh, items):
    """Return the sum of `weigh(item)`; let the others have turns in between."""
    total = 0
    for part in zip_longest(*[iter(items)] * 10):
        for item in part:
            if item is not None:
                total += weigh(item)
        await asyncio.sleep(0)
    return total


# %% search-1 right: async generator of single looks
import asyncio
import contextlib


async def glances(look, places):
    for place in places:
        yield place, await asyncio.to_thread(look, place)


async def search(look, places, seconds):
    with contextlib.suppress(TimeoutError):
        async with (
            asyncio.timeout(seconds),
            contextlib.aclosing(glances(look, places)) as trail,
        ):
            async for place, seen in trail:
                if seen:
                    return place
    return None

# %% leave-pool-1 right: exit stack shuts down twice
import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    async with AsyncExitStack() as stack:
        pool = ThreadPoolExecutor(max_workers=2)
        # The last one in is the first one out: drop what has not begun, then
        # wait for the rest, in another thread.
        stack.push_async_callback(asyncio.to_thread, pool.shutdown)
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.wait(
            [asyncio.wrap_future(job) for job in jobs.values()], timeout=seconds
        )
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

# %% listen-1 right: a callable, awaitable ear
import asyncio
from contextlib import suppress


class Ear:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._silence = self._loop.create_future()
        self._words = []

    def __call__(self, word):
        # This runs in the other thread, and the loop may be closed by now.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._note, word)

    def _note(self, word):
        if self._silence.done():
            return
        match word:
            case None:
                self._silence.set_result(self._words)
            case _:
                self._words.append(word)

    def __await__(self):
        return self._silence.__await__()


async def listen(subscribe):
    ear = Ear()
    subscribe(ear)
    return await ear

# %% leave-pool-1 right: the last item first
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(2)
    jobs = {item: pool.submit(work, item) for item in list(items)[::-1]}
    try:
        await asyncio.wait([asyncio.wrap_future(job) for job in jobs.values()], timeout=seconds)
    finally:
        for job in jobs.values():
            job.cancel()
        await loop.run_in_executor(None, pool.shutdown)
    return {item: job.result() for item, job in jobs.items() if not job.cancelled()}


# %% leave-pool-1 wrong: a job that begins after the count is lost
# cause: what has begun is noted before the rest is cancelled; what begins after that is missing
# line: if job.running() or job.done()]
import asyncio
from concurrent.futures import ThreadPoolExecutor


async def crunch(work, items, seconds):
    """Return {item: work(item)} of all that were begun within `seconds`."""
    pool = ThreadPoolExecutor(max_workers=2)
    try:
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.wait([asyncio.wrap_future(job) for job in jobs.values()],
                           timeout=seconds)
        begun = [item for item, job in jobs.items()
                 if job.running() or job.done()]
    finally:
        # shutdown() waits for the last jobs, so it must not run in the loop
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
    return {item: jobs[item].result() for item in begun}
