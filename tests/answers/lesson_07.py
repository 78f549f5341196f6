"""Answers to the exercises of lesson 07, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% tasks-1 wrong: the finally of c too
# cause: c was cancelled before its first step, so it never came to its try
# line: log
log = ["spawned", "a1", "b1", "c2", "asked", "b2", "a2", "over"]

# %% tasks-1 wrong: cancel stops at once
# cause: takes it that b cleans up within cancel(), and not in its own next turn
# line: log
log = ["spawned", "a1", "b1", "b2", "asked", "a2", "over"]

# %% future-1 wrong: None means not there
# cause: a result that is None is taken for none at all
# line: if self.value is None:
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.value = None
        self.over = False
        self.waiters = []

    def __await__(self):
        if self.value is None:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.over:
            raise RuntimeError("this future has its result already")
        self.value, self.over = value, True
        for wake in self.waiters:
            wake()

# %% future-1 wrong: room for one
# cause: a second waiter takes the place of the first one, who is never woken
# line: self.waiter = wake
class Future:
    def __init__(self):
        self.done = False
        self.waiter = None

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiter = wake

    def set_result(self, value):
        if self.done:
            raise RuntimeError("set twice")
        self.value, self.done = value, True
        if self.waiter is not None:
            self.waiter()

# %% future-1 wrong: last come, first woken
# cause: pop takes the last waiter first, so they are woken in the wrong order
# line: self.waiters.pop()()
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("set twice")
        self.value, self.done = value, True
        while self.waiters:
            self.waiters.pop()()

# %% future-1 wrong: who comes late waits too
# cause: it pauses even if the result is there, and nobody will wake that waiter
# line: yield self.park
class Future:
    def __init__(self):
        self.done = False
        self.waiters = []

    def __await__(self):
        yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("set twice")
        self.value, self.done = value, True
        for wake in self.waiters:
            wake()

# %% future-1 wrong: refuses too late
# cause: the second value is kept before the second set_result is refused
# line: self.value = value
# told: none
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        self.value = value
        if self.done:
            raise RuntimeError("set twice")
        self.done = True
        for wake in self.waiters:
            wake()

# %% future-1 wrong: False means not there
# cause: a result that is False or an empty string is given, but a second one is taken as well
# line: if self.value is not ... and (self.value or self.value is None):
class Future:
    def __init__(self):
        self.value = ...
        self.waiters = []

    def __await__(self):
        if self.value is ...:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.value is not ... and (self.value or self.value is None):
            raise RuntimeError("set twice")
        self.value = value
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% future-1 wrong: each wakes the next one
# cause: who waits longest is the innermost of many calls, so it ends at about a thousand waiters
# line: before()
class Future:
    def __init__(self):
        self.done = False
        self.wake_all = lambda: None

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        before = self.wake_all

        def both():
            before()
            wake()

        self.wake_all = both

    def set_result(self, value):
        if self.done:
            raise RuntimeError("set twice")
        self.value, self.done = value, True
        self.wake_all()

# %% future-1 right: a box that is empty or full
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.box, self.waiting = (), {}

    def __await__(self):
        if not self.box:
            yield self.park
        [value] = self.box
        return value

    def park(self, loop, wake):
        ticket = object()
        self.waiting[ticket] = wake
        return lambda: self.waiting.pop(ticket, None)

    def set_result(self, value):
        if self.box:
            raise RuntimeError("this future has its result already")
        self.box = (value,)
        for wake in self.waiting.values():
            wake()
        self.waiting.clear()

# %% future-1 right: a deque that goes, and match
from collections import deque
from functools import partial


class Future:
    def __init__(self):
        self.queue = deque()

    def __await__(self):
        while self.queue is not None:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.queue.append(wake)
        return partial(self.queue.remove, wake)

    def set_result(self, value):
        match self.queue:
            case None:
                raise RuntimeError("a future is set once")
            case waiting:
                self.value, self.queue = value, None
                for wake in waiting:
                    wake()

# %% future-1 right: an iterator of its own for each waiter
class Waiting:
    def __init__(self, future):
        self.future, self.asked = future, False

    def __iter__(self):
        return self

    def __next__(self):
        if self.asked or self.future.results:
            raise StopIteration(self.future.results[0])
        self.asked = True
        return lambda loop, wake: self.future.wakes.append(wake)


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.results, self.wakes = [], []

    def __await__(self):
        return Waiting(self)

    def set_result(self, value):
        if self.results:
            raise RuntimeError("this future has its result already")
        self.results.append(value)
        while self.wakes:
            self.wakes.pop(0)()

# %% gather-own-1 wrong: one after another
# cause: each task is awaited before the next one is spawned
# line: await loop.spawn(coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    return [await loop.spawn(coro) for coro in coros]

# %% gather-own-1 wrong: leaves out None
# cause: a coroutine that returns None has no place in the list
# line: if result is not None:
async def gather(loop, *coros):
    results = []
    for task in [loop.spawn(coro) for coro in coros]:
        result = await task
        if result is not None:
            results.append(result)
    return results

# %% gather-own-1 wrong: in the order in which they end
# cause: each result is appended when it comes, so the order is not that of coros
# line: results.append(await coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []

    async def collect(coro):
        results.append(await coro)

    for task in [loop.spawn(collect(coro)) for coro in coros]:
        await task
    return results

# %% gather-own-1 wrong: errors as results
# cause: an error stands in the list and does not come out
# line: except Exception as error: | results.append(error)
async def gather(loop, *coros):
    tasks, results = [loop.spawn(coro) for coro in coros], []
    for task in tasks:
        try:
            results.append(await task)
        except Exception as error:
            results.append(error)
    return results

# %% gather-own-1 wrong: each result once
# cause: a result that comes twice is in the list once
# line: if result not in results:
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []
    for task in [loop.spawn(coro) for coro in coros]:
        result = await task
        if result not in results:
            results.append(result)
    return results

# %% gather-own-1 wrong: the first and a gather of the rest
# cause: each coroutine is one call deeper, so it ends at about a thousand coroutines
# line: await gather(loop, *rest)
async def gather(loop, *coros):
    if not coros:
        return []
    first, *rest = coros
    task = loop.spawn(first)
    others = await gather(loop, *rest)
    return [await task, *others]

# %% gather-own-1 wrong: who is late has no result
# cause: a TimeoutError is caught, and None stands in its place
# line: except TimeoutError:
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks, results = [loop.spawn(coro) for coro in coros], []
    for task in tasks:
        try:
            results.append(await task)
        except TimeoutError:
            results.append(None)
    return results

# %% gather-own-1 wrong: a list of the module
# cause: the tasks stand in a list of the module, so one gather in another mixes the two
# line: running.append(loop.spawn(coro)) | running = []
running = []


async def gather(loop, *coros):
    running.clear()
    for coro in coros:
        running.append(loop.spawn(coro))
    return [await task for task in running]

# %% gather-own-1 right: map and a comprehension
async def gather(loop, *coros):
    return [await each for each in [*map(loop.spawn, coros)]]

# %% gather-own-1 right: an async generator of results
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""

    async def in_order(tasks):
        while tasks:
            first, *tasks = tasks
            yield await first

    started = tuple(loop.spawn(coro) for coro in coros)
    return [result async for result in in_order(started)]

# %% gather-own-1 right: the error of the first that fails, at once
from helpers.eventloop.tasks import Future


async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results, over = {}, Future()

    async def one(number, coro):
        try:
            results[number] = await coro
        except Exception as error:
            if not over.done():
                over.set_exception(error)
        else:
            if len(results) == len(coros):
                over.set_result(None)

    for number, coro in enumerate(coros):
        loop.spawn(one(number, coro))
    if coros:
        await over
    return [results[number] for number in range(len(coros))]

# %% cancel-own-1 wrong: the timer stays
# cause: the entry in the heap still holds the task, so it is woken a second time later
# line: none | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    if any(entry[2] is task for entry in loop.sleeping):
        loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: a second place in the queue
# cause: a task that is ready or runs is put into the queue once more, so it has two places
# line: loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
    loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: the one who runs
# cause: a task that runs and cancels itself is not in the queue now, and gets a place too many
# line: if task not in loop.ready: | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
    if task not in loop.ready:
        loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: out of the middle of the heap
# cause: to remove an entry from a heap's middle breaks its order
# line: loop.sleeping.remove(entry)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in list(loop.sleeping):
        if entry[2] is task:
            loop.sleeping.remove(entry)
            loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: asked once is enough
# cause: a task that was asked and has not had its turn yet has not ended, and it returns False
# line: if task.done or task.throw:
# told: none
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done or task.throw:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
            loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: only who has begun
# cause: a task that has not had its first turn is left as it is, and goes on as if nothing had been asked
# line: if inspect.getcoroutinestate(task.coro) == inspect.CORO_CREATED: | return False
# told: none
import inspect

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    if inspect.getcoroutinestate(task.coro) == inspect.CORO_CREATED:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
            loop.ready.append(task)
    return True

# %% cancel-own-1 right: for with else
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if not task.done:
        task.throw = CancelledError("asked to end")
        for entry in loop.sleeping:
            _, _, sleeper = entry
            if sleeper is task:
                break
        else:
            return True
        entry[-1] = None
        loop.ready.append(task)
        return True
    return False

# %% cancel-own-1 right: a new heap
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if ended := task.done:
        return not ended
    task.throw = CancelledError()
    left = [entry for entry in loop.sleeping if entry[2] is not task]
    if len(left) < len(loop.sleeping):
        loop.sleeping[:] = left
        heapq.heapify(loop.sleeping)
        loop.ready.append(task)
    return True

# %% cancel-own-1 right: a heap of those who are left, by pops
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    kept = []
    while loop.sleeping:
        entry = heapq.heappop(loop.sleeping)
        if entry[2] is task:
            loop.ready.append(task)
        else:
            kept.append(entry)
    loop.sleeping += kept
    task.throw = CancelledError
    return True

# %% bell-1 wrong: no undo
# cause: park returns nothing, so a cancelled task is still on the list and is woken by a later ring
# line: self.waiters.append(wake) | def park
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)

    def ring(self):
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% bell-1 wrong: takes back the last one
# cause: the undo takes out whoever came last, and not the one who is cancelled
# line: return self.waiters.pop
class Bell:
    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return self.waiters.pop

    def ring(self):
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% bell-1 wrong: rings again for the same
# cause: the list is not emptied, so a second ring wakes those of the first one again
# line: for wake in self.waiters:
from functools import partial


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return partial(self.waiters.remove, wake)

    def ring(self):
        for wake in self.waiters:
            wake()

# %% bell-1 wrong: rings once, like a future
# cause: who comes after a ring does not wait for the next one
# line: if not self.rung:
from functools import partial


class Bell:
    def __init__(self):
        self.waiters = []
        self.rung = False

    async def wait(self):
        await self

    def __await__(self):
        if not self.rung:
            yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return partial(self.waiters.remove, wake)

    def ring(self):
        self.rung = True
        while self.waiters:
            self.waiters.pop(0)()

# %% bell-1 wrong: one list for all bells
# cause: the list belongs to the class, so each bell rings for all
# line: waiters = []
class Bell:
    """Rings for all who wait."""

    waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return lambda: self.waiters.remove(wake)

    def ring(self):
        while self.waiters:
            self.waiters.pop(0)()

# %% bell-1 wrong: keeps a ring that nobody heard
# cause: who comes after a ring that nobody heard goes on at once
# line: self.rung = True
# told: none
class Bell:
    def __init__(self):
        self.waiters = []
        self.rung = False

    async def wait(self):
        if self.rung:
            self.rung = False
            return
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return lambda: self.waiters.remove(wake)

    def ring(self):
        if not self.waiters:
            self.rung = True
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% bell-1 wrong: a hundred at most
# cause: it wakes a hundred of those who wait, and the rest must wait for the next ring
# line: self.waiters[:100]
class Bell:
    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return lambda: self.waiters.remove(wake)

    def ring(self):
        waiters, self.waiters = self.waiters[:100], self.waiters[100:]
        for wake in waiters:
            wake()

# %% bell-1 right: a future for each ring
from helpers.eventloop.tasks import Future


class Bell:
    def __init__(self):
        self.next_ring = Future()

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        return self.next_ring.park(loop, wake)

    def ring(self):
        now, self.next_ring = self.next_ring, Future()
        now.set_result("ding")

# %% bell-1 right: a dict of tickets
from itertools import count


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.tickets = count()
        self.guests = {}

    async def wait(self):
        await self

    def __await__(self):
        return iter([self.park])

    def park(self, loop, wake):
        ticket = next(self.tickets)
        self.guests[ticket] = wake

        def leave():
            self.guests.pop(ticket, None)

        return leave

    def ring(self):
        for ticket in list(self.guests):
            self.guests.pop(ticket)()

# %% bell-1 right: those who wait as a chain of futures
from helpers.eventloop.tasks import Future


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.futures = []

    async def wait(self):
        mine = Future()
        self.futures.append(mine)
        try:
            await mine
        finally:
            if mine in self.futures:
                self.futures.remove(mine)

    def ring(self):
        while self.futures:
            self.futures.pop(0).set_result(None)

# %% timeout-own-1 wrong: every cancellation is a timeout
# cause: if with_timeout itself is cancelled, a TimeoutError comes out and not a CancelledError
# line: raise TimeoutError from None | except CancelledError:
from helpers.eventloop.tasks import CancelledError
from helpers.eventloop.tasks import sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)

    async def ring():
        await sleep(seconds)
        task.cancel()

    timer = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        task.cancel()
        raise TimeoutError from None
    finally:
        timer.cancel()

# %% timeout-own-1 wrong: the timer is left behind
# cause: if the coroutine is done in time, the timer still sleeps
# line: loop.spawn(ring())
from helpers.eventloop.tasks import CancelledError
from helpers.eventloop.tasks import sleep


async def with_timeout(loop, seconds, coro):
    task, rung = loop.spawn(coro), []

    async def ring():
        await sleep(seconds)
        if task.cancel():
            rung.append(True)

    loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        if rung and task.done():
            raise TimeoutError from None
        task.cancel()
        raise

# %% timeout-own-1 wrong: does not wait for its end
# cause: the TimeoutError comes out while the cancelled task still cleans up
# line: raise TimeoutError
from helpers.eventloop.tasks import CancelledError, Future
from helpers.eventloop.tasks import sleep


async def with_timeout(loop, seconds, coro):
    task, first = loop.spawn(coro), Future()

    async def ring():
        await sleep(seconds)
        if not first.done():
            first.set_result("time")

    async def watch():
        try:
            await task
        except BaseException:
            pass
        if not first.done():
            first.set_result("task")

    helpers = [loop.spawn(ring()), loop.spawn(watch())]
    try:
        if await first == "time":
            task.cancel()
            raise TimeoutError
        return await task
    except CancelledError:
        task.cancel()
        raise
    finally:
        for helper in helpers:
            helper.cancel()

# %% timeout-own-1 wrong: the task goes on without its caller
# cause: if with_timeout is cancelled, the task is not cancelled too
# line: except CancelledError:
from helpers.eventloop.tasks import CancelledError
from helpers.eventloop.tasks import sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task, rung = loop.spawn(coro), []

    async def ring():
        await sleep(seconds)
        if task.cancel():
            rung.append(True)

    timer = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        if rung and task.done():
            raise TimeoutError("too long") from None
        else:
            raise
    finally:
        timer.cancel()

# %% timeout-own-1 wrong: no time is no limit
# cause: a limit of 0 s counts as false, so there is no limit at all
# line: if not seconds:
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task, rang = loop.spawn(coro), []
    if not seconds:
        return await task

    async def ring():
        await sleep(seconds)
        rang.append(True)
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        if rang:
            raise TimeoutError
        task.cancel()
        raise
    finally:
        alarm.cancel()

# %% timeout-own-1 wrong: after the alarm every error is a timeout
# cause: an error that the work raises when it is cancelled becomes a TimeoutError
# line: except BaseException:
# told: none
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task, rang = loop.spawn(coro), []

    async def ring():
        await sleep(seconds)
        rang.append(True)
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except BaseException:
        if rang:
            raise TimeoutError
        task.cancel()
        raise
    finally:
        alarm.cancel()

# %% timeout-own-1 wrong: one alarm for all
# cause: that the alarm rang is noted in the module, so another call takes it for its own
# line: rang = False | global rang
# told: none
from helpers.eventloop.tasks import CancelledError, sleep

rang = False


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    global rang
    rang = False
    task = loop.spawn(coro)

    async def ring():
        global rang
        await sleep(seconds)
        rang = True
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        if rang:
            raise TimeoutError
        task.cancel()
        raise
    finally:
        alarm.cancel()

# %% timeout-own-1 right: an entry of the heap, and no second task
import time

from helpers.eventloop.tasks import CancelledError
from helpers.eventloop.tasks import sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    late = False

    def ring():
        nonlocal late
        late = task.cancel()

    task = loop.spawn(coro)
    unring = loop.wake_at(time.monotonic() + seconds, ring)
    try:
        result = await task
    except CancelledError as error:
        if not (late and task.done() and error is task.error):
            task.cancel()
            raise
    finally:
        unring()
    if late:
        raise TimeoutError(f"not done in {seconds} s")
    return result

# %% timeout-own-1 right: a clock with a context manager
from helpers.eventloop.tasks import CancelledError
from helpers.eventloop.tasks import sleep


class Clock:
    def __init__(self, loop, seconds, task):
        self.task, self.rang = task, False
        self.timer = loop.spawn(self.tick(seconds), "clock")

    async def tick(self, seconds):
        await sleep(seconds)
        self.rang = self.task.cancel()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.timer.cancel()
        if isinstance(error, CancelledError):
            over = self.task.done()
            if not over or error is not self.task.error:
                self.task.cancel()
                return False
        if self.rang and (error is None or isinstance(error, CancelledError)):
            raise TimeoutError


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    with Clock(loop, seconds, task):
        return await task

# %% timeout-own-1 right: cancels, and then looks who it was
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    work = loop.spawn(coro, "work")

    async def alarm():
        await sleep(seconds)
        return work.cancel()

    timer = loop.spawn(alarm(), "timer")
    try:
        await work
    except CancelledError:
        if timer.done() and timer.result():
            raise TimeoutError(seconds) from None
        raise
    finally:
        work.cancel()
        timer.cancel()
    return work.result()

# %% future-1 wrong: None means no result
# cause: None is taken for "no result yet": with the result None a later waiter parks for ever, and a second set_result goes through
# line: if self.value is None: | if self.value is not None: | self.value = None
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.value = None
        self.waiting = []

    def __await__(self):
        if self.value is None:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        if self.value is not None:
            raise RuntimeError("the result is there already")
        self.value = value
        for wake in self.waiting:
            wake()
        self.waiting.clear()

# %% future-1 wrong: the second result overwrites the first
# cause: the value is stored before the check: a second set_result raises, but has changed the result by then
# line: self.value = value
# told: none
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.waiting = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        self.value = value
        if self.done:
            raise RuntimeError("the result is there already")
        self.done = True
        for wake in self.waiting:
            wake()

# %% future-1 right: a box for one value
from collections import deque


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self._box = ()
        self._wakes = deque()

    def __await__(self):
        match self._box:
            case ():
                yield self.park
        (value,) = self._box
        return value

    def park(self, loop, wake):
        self._wakes.append(wake)

    def set_result(self, value):
        if self._box:
            raise RuntimeError("this future has its result already")
        self._box = (value,)
        while self._wakes:
            self._wakes.popleft()()

# %% gather-own-1 wrong: one after another, again
# cause: each task is awaited before the next one is spawned: they run one after another, not at once
# line: results.append(await task) | task = loop.spawn(coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []
    for coro in coros:
        task = loop.spawn(coro)
        results.append(await task)
    return results

# %% gather-own-1 wrong: in the order of the ends
# cause: each coroutine appends its result when it ends: the list is in the order of the ends, not of coros
# line: results.append(await coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []

    async def run(coro):
        results.append(await coro)

    for task in [loop.spawn(run(coro)) for coro in coros]:
        await task
    return results

# %% gather-own-1 right: slots, filled by helpers
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    slots = [None] * len(coros)

    async def fill(index, coro):
        slots[index] = await coro

    tasks = list(map(loop.spawn, map(fill, range(len(coros)), coros)))
    while tasks:
        await tasks.pop()
    return slots

# %% cancel-own-1 wrong: breaks the heap
# cause: list.remove shifts the entries behind it: the list is no heap any more, and others may be woken in the wrong order or too late; put None in the entry instead
# line: loop.sleeping.remove(entry)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            loop.sleeping.remove(entry)
            loop.ready.append(task)
            break
    return True

# %% cancel-own-1 wrong: always into the ready queue
# cause: a task that is ready already is put into the queue a second time (as is one that is running): it gets a second turn, perhaps after its end
# line: loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
    loop.ready.append(task)
    return True

# %% cancel-own-1 right: next over the entries
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if not task.done:
        task.throw = CancelledError()
        bed = next((entry for entry in loop.sleeping if entry[-1] is task), None)
        if bed is not None:
            bed[-1] = None
            loop.ready.append(task)
    return not task.done

# %% bell-1 wrong: an undo by position
# cause: the undo takes out by a position that shifts when somebody else is taken out before: a second cancel removes another waiter, or hits nothing
# line: del self.waiting[position] | position = len(self.waiting)
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        position = len(self.waiting)
        self.waiting.append(wake)

        def undo():
            del self.waiting[position]

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 wrong: a ring that nobody heard is kept
# cause: a ring for nobody is remembered, and the next who comes goes on at once: but who comes after a ring waits for the next
# line: self.rung = True | if self.rung: | self.rung = not self.waiting
# told: none
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiting = []
        self.rung = False

    async def wait(self):
        if self.rung:
            self.rung = False
            return
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)
        return lambda: self.waiting.remove(wake)

    def ring(self):
        self.rung = not self.waiting
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 right: a dict by ticket
import functools
import itertools


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._tickets = itertools.count()
        self._wakes = {}

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        ticket = next(self._tickets)
        self._wakes[ticket] = wake
        return functools.partial(self._forget, ticket)

    def _forget(self, ticket):
        self._wakes.pop(ticket, None)

    def ring(self):
        for ticket in list(self._wakes):
            self._wakes.pop(ticket)()

# %% timeout-own-1 wrong: the alarm stays set after an error
# cause: the alarm is cancelled only after a result: if the coroutine fails, or with_timeout is cancelled, the alarm is left behind and still rings
# line: alarm.cancel() | result = await task | alarm = loop.spawn(ring())
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    late = False

    async def ring():
        nonlocal late
        await sleep(seconds)
        late = True
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        result = await task
    except CancelledError:
        if late:
            raise TimeoutError from None
        task.cancel()
        raise
    alarm.cancel()
    return result

# %% timeout-own-1 wrong: every cancel is a timeout
# cause: it takes every CancelledError for the timeout: if with_timeout itself is cancelled before the time is over, a TimeoutError comes out
# line: raise TimeoutError from None | except CancelledError:
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)

    async def ring():
        await sleep(seconds)
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        task.cancel()
        raise TimeoutError from None
    finally:
        alarm.cancel()

# %% timeout-own-1 right: a class that keeps the books
from helpers.eventloop.tasks import CancelledError, sleep


class _Limited:
    def __init__(self, seconds, coro):
        self.seconds = seconds
        self.coro = coro
        self.over = False  # the coroutine has ended
        self.late = False  # the alarm rang before that

    async def run(self):
        try:
            return await self.coro
        finally:
            self.over = True

    async def ring(self, task):
        try:
            await sleep(self.seconds)
        except CancelledError:
            return
        if not self.over:
            self.late = True
            task.cancel()


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    limited = _Limited(seconds, coro)
    task = loop.spawn(limited.run())
    alarm = loop.spawn(limited.ring(task))
    try:
        result = await task
    except CancelledError:
        if not limited.over:  # it is with_timeout that is cancelled
            alarm.cancel()
            task.cancel()
            try:
                await task
            except (Exception, CancelledError):
                pass
            raise
        if limited.late:
            raise TimeoutError from None
        raise
    finally:
        alarm.cancel()
    if limited.late:
        raise TimeoutError
    return result

# %% future-1 wrong: overwrites before it complains
# cause: the value is stored before the test, so the second set_result raises its RuntimeError but has changed the result already
# line: self.value = value | if self.done:
# told: none
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.value = None
        self.waiting = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        self.value = value
        if self.done:
            raise RuntimeError("the future has its result already")
        self.done = True
        for wake in self.waiting:
            wake()
        self.waiting.clear()

# %% future-1 wrong: wakes the last comer first
# cause: pop() takes from the end of the list, so the waiters are woken in the reverse of the order in which they came
# line: self.waiting.pop()()
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.value = None
        self.waiting = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("the future has its result already")
        self.done = True
        self.value = value
        while self.waiting:
            self.waiting.pop()()

# %% future-1 right: the result in a list, matched
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self._results = []
        self._wakes = []

    def __await__(self):
        match self._results:
            case []:
                yield self.park
        (value,) = self._results
        return value

    def park(self, loop, wake):
        self._wakes.append(wake)

    def set_result(self, value):
        match self._results:
            case [_]:
                raise RuntimeError("a future has one result only")
        self._results.append(value)
        wakes, self._wakes = self._wakes, []
        for wake in wakes:
            wake()

# %% gather-own-1 wrong: spawns lazily
# cause: the parentheses make a generator, which spawns the next task only when the one before has been awaited to its end: one after the other, not at once
# line: tasks = (loop.spawn(coro) for coro in coros)
# told: return [await task for task in tasks]
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = (loop.spawn(coro) for coro in coros)
    return [await task for task in tasks]

# %% gather-own-1 wrong: in the order of their ends
# cause: each task appends its result when it is done, so the results are in the order in which they came and not in the order of coros
# line: results.append(await coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []

    async def run(coro):
        results.append(await coro)

    tasks = [loop.spawn(run(coro)) for coro in coros]
    for task in tasks:
        await task
    return results

# %% gather-own-1 right: A dictionary of numbered tasks
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = dict(enumerate(map(loop.spawn, coros)))
    results = {number: await task for number, task in tasks.items()}
    return [*results.values()]

# %% cancel-own-1 wrong: takes the entry out of the middle
# cause: remove takes an entry out of the middle of the heap and moves all behind it up, so it may be no heap any more, and the others are woken in the wrong order; the entry's task must become None instead
# line: loop.sleeping.remove(entry)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            loop.sleeping.remove(entry)
            loop.ready.append(task)
            break
    return True

# %% cancel-own-1 wrong: who is not ready must be asleep
# cause: a task that cancels itself is neither ready nor asleep but has its turn; it is put into ready here, and once more when it pauses
# line: if task not in loop.ready: | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    if task not in loop.ready:
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        loop.ready.append(task)
    return True

# %% cancel-own-1 right: look for its bed first
from helpers.eventloop.tasks import CancelledError


def bed_of(loop, task):
    return next((entry for entry in loop.sleeping if entry[2] is task), None)


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    match task.done, bed_of(loop, task):
        case True, _:
            return False
        case False, None:
            pass  # it is ready, or runs just now: its turn comes anyway
        case False, bed:
            bed[2] = None
            loop.ready.append(task)
    task.throw = CancelledError()
    return True

# %% bell-1 wrong: the place as undo
# cause: the undo pops the place where the waiter stood when it came; if one before it has been cancelled meanwhile, or the bell has rung, somebody else stands there (or nobody, an IndexError)
# line: self.waiting.pop(place) | place = len(self.waiting)
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        place = len(self.waiting)
        self.waiting.append(wake)
        return lambda: self.waiting.pop(place)

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 wrong: swallows the cancellation
# cause: wait() catches the CancelledError and returns as if the bell had rung; the task goes on and is not told that it is cancelled
# line: except CancelledError:
# told: def park(self, loop, wake):
from helpers.eventloop.tasks import CancelledError


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiting = []

    async def wait(self):
        try:
            await self
        except CancelledError:
            pass  # the undo has taken it off the list already

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)

        def undo():
            if wake in self.waiting:
                self.waiting.remove(wake)

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 right: A dictionary of tickets
from functools import partial


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._wakes = {}

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        ticket = object()
        self._wakes[ticket] = wake
        return partial(self._wakes.pop, ticket, None)

    def ring(self):
        wakes = tuple(self._wakes.values())
        self._wakes.clear()
        for wake in wakes:
            wake()

# %% timeout-own-1 wrong: the timer goes on if it fails
# cause: the timer is cancelled only after a result; if the coroutine raises an error, or with_timeout is cancelled, it is left behind and rings later; it belongs in a finally
# line: stop(loop, timer) | timer = loop.spawn(ring())
from helpers.eventloop.tasks import CancelledError, sleep


def stop(loop, task):
    return task.cancel() if hasattr(task, "cancel") else loop.cancel(task)


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    over = False

    async def ring():
        nonlocal over
        await sleep(seconds)
        over = True
        stop(loop, task)

    timer = loop.spawn(ring())
    try:
        result = await task
    except CancelledError:
        if over:
            raise TimeoutError from None
        stop(loop, task)
        raise
    stop(loop, timer)
    return result

# %% timeout-own-1 wrong: each cancellation is a timeout
# cause: a CancelledError is always taken for the timeout, also if with_timeout itself was cancelled before the time was over; then the CancelledError must come out
# line: except CancelledError: | raise TimeoutError from None
from helpers.eventloop.tasks import CancelledError, sleep


def stop(loop, task):
    return task.cancel() if hasattr(task, "cancel") else loop.cancel(task)


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)

    async def ring():
        await sleep(seconds)
        stop(loop, task)

    timer = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        stop(loop, task)
        raise TimeoutError from None
    finally:
        stop(loop, timer)

# %% timeout-own-1 right: A class with a timer in it
from helpers.eventloop.tasks import CancelledError, sleep


def stop(loop, task):
    return task.cancel() if hasattr(task, "cancel") else loop.cancel(task)


class Limit:
    def __init__(self, loop, seconds, coro):
        self.loop = loop
        self.seconds = seconds
        self.rung = False
        self.ended = False
        self.task = loop.spawn(self.run(coro))
        self.timer = loop.spawn(self.tick())

    async def run(self, coro):
        try:
            return await coro
        finally:
            self.ended = True

    async def tick(self):
        try:
            await sleep(self.seconds)
        except CancelledError:
            return
        if not self.ended:
            self.rung = True
            stop(self.loop, self.task)

    async def result(self):
        try:
            value = await self.task
        except CancelledError:
            if self.ended:  # the task's own
                if self.rung:
                    raise TimeoutError from None
                raise
            # somebody cancels us: the task as well, and wait for its end
            stop(self.loop, self.timer)
            stop(self.loop, self.task)
            try:
                await self.task
            except CancelledError:
                pass
            raise
        finally:
            stop(self.loop, self.timer)
        if self.rung:
            raise TimeoutError
        return value


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    return await Limit(loop, seconds, coro).result()

# %% future-1 wrong: an error as a value is raised
# cause: set_result was given an exception as a value, and it is raised
# line: raise self.value | isinstance
class Future:
    def __init__(self):
        self.done, self.value, self.wakes = False, None, []

    def set_result(self, value):
        if self.done:
            raise RuntimeError("twice")
        self.value = value
        self.done = True
        for wake in self.wakes:
            wake()

    def __await__(self):
        if not self.done:
            yield lambda loop, wake: self.wakes.append(wake)
        if isinstance(self.value, Exception):
            raise self.value
        return self.value

# %% gather-own-1 wrong: results that are errors are raised
# cause: a coroutine that returns an exception has not failed
# line: raise r | isinstance
async def gather(loop, *coros):
    tasks = [loop.spawn(c) for c in coros]
    results = []
    for task in tasks:
        try:
            results.append(await task)
        except Exception as error:
            results.append(error)
    for r in results:
        if isinstance(r, Exception):
            raise r
    return results

# %% timeout-own-1 wrong: a TimeoutError of the cleanup is renamed
# cause: an error that the coroutine raises when it is cancelled has to come out as it is
# line: except (CancelledError, TimeoutError):
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task, rang = loop.spawn(coro), []

    async def ring():
        await sleep(seconds)
        rang.append(True)
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except (CancelledError, TimeoutError):
        if rang:
            raise TimeoutError(f"not done in {seconds} s") from None
        task.cancel()
        raise
    finally:
        alarm.cancel()
