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
# line: except BaseException: | raise TimeoutError
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

# %% future-1 wrong: a None counts as no result
# cause: Whether there is a result already is read off the value: after `set_result(None)` a second `set_result` is no error, and changes the result.
# line: if self.value is not None: | def set_result(self, value):
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.value = None
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.value is not None:
            raise RuntimeError("there is a result already")
        self.value = value
        self.done = True
        for wake in self.waiters:
            wake()
        self.waiters.clear()

# %% future-1 wrong: the last who came is woken first
# cause: `pop()` takes the waiters from the end of the list: they get the value in the reverse order.
# line: self.waiters.pop()()
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.done = False
        self.value = None
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("there is a result already")
        self.done = True
        self.value = value
        while self.waiters:
            self.waiters.pop()()

# %% future-1 right: a box, and a deque of calls
from collections import deque


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.box = ()
        self.calls = deque()

    def __await__(self):
        while not self.box:
            yield self.park
        [value] = self.box
        return value

    def park(self, loop, wake):
        if self.box:
            wake()
        else:
            self.calls.append(wake)

    def set_result(self, value):
        if self.box:
            raise RuntimeError("the result is set")
        self.box = (value,)
        while self.calls:
            self.calls.popleft()()

# %% gather-own-1 wrong: tasks made when they are needed
# cause: A generator expression is lazy: the next coroutine is spawned only when the one before has been awaited. They run one after another.
# line: tasks = (loop.spawn(coro) for coro in coros) | return [await task for task in tasks]
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = (loop.spawn(coro) for coro in coros)
    return [await task for task in tasks]

# %% gather-own-1 right: map, and a list that is filled
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []
    tasks = [*map(loop.spawn, coros)]
    for task in tasks:
        results += [await task]
    return results

# %% cancel-own-1 wrong: the heap is cut
# cause: `remove` takes an entry out of the middle of a heap; what is left need not be a heap any more, and other tasks wake too late or in the wrong order. Set the entry's task to None.
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

# %% cancel-own-1 right: match on the entries
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    match task.done:
        case True:
            return False
    task.throw = CancelledError()
    asleep = [entry for entry in loop.sleeping if entry[-1] is task]
    for entry in asleep:
        entry[-1] = None
    if asleep:
        loop.ready.append(task)
    return True

# %% bell-1 wrong: the undo remembers a place
# cause: The undo removes whoever stands at the place now; once another waiter before it has been cancelled, that is the wrong one, or none (IndexError).
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

        def undo():
            self.waiting.pop(place)

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 right: a dict of tickets, again
from functools import partial
from itertools import count


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.tickets = count()
        self.waiting = {}

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        ticket = next(self.tickets)
        self.waiting[ticket] = wake
        return partial(self.waiting.pop, ticket, None)

    def ring(self):
        calls = list(self.waiting.values())
        self.waiting.clear()
        for wake in calls:
            wake()

# %% timeout-own-1 wrong: the alarm rings on after an error
# cause: When the coroutine fails, its error passes by `alarm.cancel()`: the alarm is left behind and still rings. It belongs into a finally.
# line: result = await task | alarm = loop.spawn(ring()) | alarm.cancel()
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    late = False
    task = loop.spawn(coro)

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
        alarm.cancel()
        raise
    alarm.cancel()
    return result

# %% timeout-own-1 wrong: every cancellation is taken for a timeout
# cause: If with_timeout itself is cancelled, that is a CancelledError as well; here it comes out as a TimeoutError.
# line: except CancelledError:
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
        raise TimeoutError
    finally:
        alarm.cancel()

# %% gather-own-1 wrong: one after another, again, again
# cause: each task is awaited before the next is spawned
# line: await loop.spawn(coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []
    for coro in coros:
        results.append(await loop.spawn(coro))
    return results

# %% gather-own-1 wrong: awaits the coroutines
# cause: the coroutines are awaited themselves, and no task is made
# line: await coro
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    return [await coro for coro in coros]

# %% gather-own-1 wrong: errors are results
# cause: an error is put among the results and doesn't come out
# line: except Exception as error | results.append(error)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = [loop.spawn(coro) for coro in coros]
    results = []
    for task in tasks:
        try:
            results.append(await task)
        except Exception as error:
            results.append(error)
    return results

# %% gather-own-1 wrong: in the order they end
# cause: results are appended as the coroutines end
# line: results.append(await coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = []

    async def keep(coro):
        results.append(await coro)

    for task in [loop.spawn(keep(coro)) for coro in coros]:
        await task
    return results

# %% tasks-1 wrong: the finally of a task that never began
# cause: c is cancelled before its first turn, so it never comes to its try and "c2" is not noted
# line: log = ["spawned", "a1", "b1", "c2"
log = ["spawned", "a1", "b1", "c2", "asked", "b2", "a2", "over"]

# %% future-1 wrong: None stands for "not there yet"
# cause: the result None can't be told from no result, so whoever awaits later waits for ever and a second set_result passes
# line: if self.value is None: | if self.value is not None: | self.value = None
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.value = None
        self.waiters = []

    def __await__(self):
        if self.value is None:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.value is not None:
            raise RuntimeError("there is a result already")
        self.value = value
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% future-1 wrong: one who comes late pauses
# cause: __await__ always yields, so a task that awaits a future with a result loses a turn
# line: yield self.park | wake()  # there is nothing to wait for
class Future:
    def __init__(self):
        self.done = False
        self.result = None
        self.wakes = []

    def __await__(self):
        yield self.park
        return self.result

    def park(self, loop, wake):
        if self.done:
            wake()  # there is nothing to wait for
        else:
            self.wakes.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("set_result was called twice")
        self.done, self.result = True, value
        while self.wakes:
            self.wakes.pop(0)()

# %% future-1 wrong: the second set_result changes the value
# cause: the new value is written before the RuntimeError is raised
# line: old, self.value = self.value, value | raise RuntimeError
from collections import deque


class Future:
    """A result that is not there yet."""

    _MISSING = object()

    def __init__(self):
        self.value = self._MISSING
        self.queue = deque()

    def __await__(self):
        if self.value is self._MISSING:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.queue.append(wake)

    def set_result(self, value):
        old, self.value = self.value, value
        if old is not self._MISSING:
            raise RuntimeError("this future has its result already")
        while self.queue:
            self.queue.popleft()()

# %% future-1 right: a list of at most one result
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.results = []
        self.waiting = []

    def __await__(self):
        while not self.results:
            yield self.park
        (value,) = self.results
        return value

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        if self.results:
            raise RuntimeError("a future has only one result")
        self.results.append(value)
        for wake in self.waiting:
            wake()
        self.waiting.clear()

# %% future-1 right: the state is a function that gives the value
class Future:
    def __init__(self):
        self._get = None
        self._wakes = {}

    def __await__(self):
        return self._wait() if self._get is None else self._now()

    def _wait(self):
        yield self.park
        return self._get()

    def _now(self):
        return self._get()
        yield  # makes it a generator

    def park(self, loop, wake):
        self._wakes[len(self._wakes)] = wake

    def set_result(self, value):
        if self._get is not None:
            raise RuntimeError("second result")
        self._get = lambda: value
        for wake in self._wakes.values():
            wake()

# %% gather-own-1 wrong: one after the other
# cause: each task is awaited before the next one is spawned, so they do not run at once
# line: await loop.spawn(coro)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    return [await loop.spawn(coro) for coro in coros]

# %% gather-own-1 wrong: each one adds its own when it ends
# cause: each one appends its result when it ends, so the list is not in the order of coros
# line: results.append(await coro) | return results
async def gather(loop, *coros):
    results = []

    async def run(coro):
        results.append(await coro)

    tasks = []
    for coro in coros:
        tasks.append(loop.spawn(run(coro)))
    for task in tasks:
        await task
    return results

# %% gather-own-1 wrong: an error is put among the results
# cause: the error is caught and returned as a result, it does not come out of gather
# line: except Exception as error: | results[place] = error
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = list(map(loop.spawn, coros))
    results = [None] * len(tasks)
    for place, task in enumerate(tasks):
        try:
            results[place] = await task
        except Exception as error:
            results[place] = error
    return results

# %% gather-own-1 right: the last of the tasks are awaited first
async def gather(loop, *coros):
    tasks = [loop.spawn(coro) for coro in coros]
    results = []
    for task in reversed(tasks):
        results.insert(0, await task)
    return results

# %% gather-own-1 right: places in a dict, and the first error afterwards
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = {}
    errors = []

    async def run(place, coro):
        try:
            results[place] = await coro
        except Exception as error:
            errors.append(error)

    tasks = [loop.spawn(run(*numbered)) for numbered in enumerate(coros)]
    while tasks:
        await tasks.pop()
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(coros))]

# %% cancel-own-1 wrong: removes from the heap and leaves it in disorder
# cause: remove takes an entry out of the middle of the list, after which it need not be a heap any more
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

# %% cancel-own-1 wrong: the old entry still wakes the task
# cause: the entry stays in the heap with its task, so the timer wakes the task a second time
# line: loop.ready.append(task) | if any(sleeper is task | none
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if not task.done:
        task.throw = CancelledError("cancelled")
        if any(sleeper is task for deadline, ticket, sleeper in loop.sleeping):
            loop.ready.append(task)
    return not task.done

# %% cancel-own-1 wrong: a task that cancels itself gets two turns
# cause: a task that is not in the queue need not be asleep, it may be running; then it comes into the queue twice
# line: if task not in loop.ready: | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False

    task.throw = CancelledError()
    if task not in loop.ready:
        # it sleeps: nobody may wake it a second time
        for entry in loop.sleeping:
            if entry[-1] is task:
                entry[-1] = None
        loop.ready.append(task)
    return True

# %% cancel-own-1 right: next over the entries, and a walrus
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    mine = (entry for entry in loop.sleeping if entry[2] is task)
    if (entry := next(mine, None)) is not None:
        entry[2] = None
        loop.ready.append(task)
    return True

# %% cancel-own-1 right: the heap is built anew
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    if task.done:
        return False
    task.throw = CancelledError()
    others = [entry for entry in loop.sleeping if entry[2] is not task]
    if len(others) < len(loop.sleeping):
        loop.sleeping[:] = others
        heapq.heapify(loop.sleeping)
        loop.ready.append(task)
    return True

# %% bell-1 wrong: the undo knows only a place in the list
# cause: the place is not the waiter's any more when one before it has been taken out, so another one is removed, or an IndexError comes
# line: self.waiters.pop(place) | place = len(self.waiters)
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        place = len(self.waiters)
        self.waiters.append(wake)
        return lambda: self.waiters.pop(place)

    def ring(self):
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% bell-1 wrong: the list is never emptied
# cause: those who were woken stay in the list, so the next ring wakes them again
# line: for wake in self.waiting: | wake() | none
from functools import partial


class Bell:
    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)
        return partial(self.waiting.remove, wake)

    def ring(self):
        for wake in self.waiting:
            wake()

# %% bell-1 wrong: the cancellation is swallowed
# cause: wait catches the CancelledError and returns as if the bell had rung, so the task isn't told
# line: except CancelledError: | return  # no longer in the list
from helpers.eventloop.tasks import CancelledError


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._tickets = 0
        self._waiters = {}

    async def wait(self):
        try:
            await self
        except CancelledError:
            return  # no longer in the list

    def __await__(self):
        return (yield self.park)

    def park(self, loop, wake):
        self._tickets += 1
        ticket = self._tickets
        self._waiters[ticket] = wake

        def undo():
            del self._waiters[ticket]

        return undo

    def ring(self):
        waiters = list(self._waiters.values())
        self._waiters.clear()
        for wake in waiters:
            wake()

# %% bell-1 right: an entry whose function is taken out
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.entries = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        entry = [wake]
        self.entries.append(entry)
        return entry.clear

    def ring(self):
        entries, self.entries = self.entries, []
        for entry in entries:
            for wake in entry:
                wake()

# %% bell-1 right: each ring has a crowd of its own, a deque
from collections import deque


class _Pause:
    def __init__(self, park):
        self.park = park

    def __await__(self):
        yield self.park


class Bell:
    def __init__(self):
        self.crowd = deque()

    async def wait(self):
        await _Pause(self.park)

    def __await__(self):
        return self.wait().__await__()

    def park(self, loop, wake):
        self.crowd.append(wake)

        def undo():
            self.crowd.remove(wake)

        return undo

    def ring(self):
        for _ in range(len(self.crowd)):
            self.crowd.popleft()()

# %% timeout-own-1 wrong: the alarm still rings after an error
# cause: if the coroutine fails, the error leaves before the alarm is cancelled, so the alarm stays behind
# line: alarm.cancel()  # no longer needed | result = await task | none
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    late = False

    async def ring():
        nonlocal late
        await sleep(seconds)
        if not task.done():
            late = True
            task.cancel()

    alarm = loop.spawn(ring())
    try:
        result = await task
    except CancelledError:
        if late and task.done():
            raise TimeoutError from None
        alarm.cancel()
        task.cancel()
        raise
    alarm.cancel()  # no longer needed
    if late:
        raise TimeoutError
    return result

# %% timeout-own-1 wrong: an error on cancelling becomes a TimeoutError
# cause: when the time is over every error is replaced, also one that the coroutine raises when it is cancelled
# line: except BaseException: | raise TimeoutError("too slow") from None
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    over = []
    task = loop.spawn(coro)

    async def watch():
        await sleep(seconds)
        if not task.done():
            over.append(True)
            task.cancel()

    watcher = loop.spawn(watch())
    try:
        result = await task
    except BaseException:
        if over and task.done():
            raise TimeoutError("too slow") from None
        task.cancel()
        raise
    finally:
        watcher.cancel()
    if over:
        raise TimeoutError("too slow")
    return result

# %% timeout-own-1 wrong: cancelled from outside, it leaves the task running
# cause: when with_timeout is itself cancelled, only the CancelledError comes out; the task is not cancelled
# line: raise  # somebody cancelled us | none | except CancelledError:
from helpers.eventloop.tasks import CancelledError, sleep


class _Alarm:
    def __init__(self, seconds, task):
        self.seconds = seconds
        self.task = task
        self.rang = False

    async def run(self):
        await sleep(self.seconds)
        if not self.task.done():
            self.rang = True
            self.task.cancel()


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    alarm = _Alarm(seconds, task)
    timer = loop.spawn(alarm.run())
    try:
        result = await task
    except CancelledError:
        if alarm.rang and task.done():
            raise TimeoutError(f"longer than {seconds} s") from None
        raise  # somebody cancelled us
    finally:
        timer.cancel()
    if alarm.rang:
        raise TimeoutError(f"longer than {seconds} s")
    return result

# %% timeout-own-1 right: a finally that looks after both
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    late = False

    async def ring():
        nonlocal late
        await sleep(seconds)
        if not task.done():
            late = True
            task.cancel()

    alarm = loop.spawn(ring())
    try:
        result = await task
    except CancelledError:
        if not (late and task.done()):
            raise
    finally:
        for one in (alarm, task):
            if not one.done():
                one.cancel()
    if late:
        raise TimeoutError
    return result

# %% timeout-own-1 right: an alarm without a task, straight in the heap
import time

from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    rang = cut_off = False

    def ring():
        nonlocal rang, cut_off
        rang = True
        if not task.done():
            cut_off = True
            task.cancel()

    take_back = loop.wake_at(time.monotonic() + seconds, ring)
    try:
        result = await task
        if cut_off:
            raise TimeoutError(f"more than {seconds} s")
        return result
    except CancelledError:
        if cut_off and task.done():
            raise TimeoutError(f"more than {seconds} s") from None
        if not task.done():
            task.cancel()
        raise
    finally:
        if not rang:
            take_back()


# %% future-1 wrong: wakes the last that came first
# cause: the waiters are popped from the end, so they are woken in the wrong order
# line: wake = self.waiters.pop() | self.waiters.pop()
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.waiters = []
        self.done = False
        self.value = None

    def __await__(self):
        if not self.done:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("there is a result already")
        self.done, self.value = True, value
        while self.waiters:
            wake = self.waiters.pop()
            wake()


# %% future-1 wrong: takes the second value before it refuses it
# cause: the second set_result raises, but has changed the value before
# line: self.value = value
class Future:
    pending = True

    def __init__(self):
        self.callbacks = []

    def __await__(self):
        if self.pending:
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.callbacks.append(wake)

    def set_result(self, value):
        self.value = value
        if not self.pending:
            raise RuntimeError("set twice")
        self.pending = False
        for callback in self.callbacks:
            callback()


# %% future-1 right: a box that holds one value or none
from collections import deque


class Future:
    def __init__(self):
        self.box = deque(maxlen=1)
        self.line = deque()

    def __await__(self):
        if not self.box:
            yield self.park
        (value,) = self.box
        return value

    def park(self, loop, wake):
        self.line.append(wake)

    def set_result(self, value):
        if self.box:
            raise RuntimeError("this future has a result")
        self.box.append(value)
        while self.line:
            self.line.popleft()()


# %% gather-own-1 wrong: a map that spawns one at a time
# cause: map is lazy, so the next coroutine is spawned only when the one before has ended
# line: tasks = map(loop.spawn, coros) | map(loop.spawn, coros) | for task in tasks
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    tasks = map(loop.spawn, coros)
    return [await task for task in tasks]


# %% gather-own-1 wrong: errors among the results, like allSettled
# cause: an error is put into the list and doesn't come out of gather
# line: except Exception as error: | results.append(error)
async def gather(loop, *coros):
    tasks = []
    for coro in coros:
        tasks.append(loop.spawn(coro))
    results = []
    for task in tasks:
        try:
            results.append(await task)
        except Exception as error:
            results.append(error)
    return results


# %% gather-own-1 right: each fills its own place
async def gather(loop, *coros):
    places = [None] * len(coros)

    async def fill(place, coro):
        places[place] = await coro

    for filler in [loop.spawn(fill(*pair)) for pair in enumerate(coros)]:
        await filler
    return places


# %% cancel-own-1 wrong: queues whoever isn't in the queue
# cause: a task that runs just now isn't in loop.ready either, and doesn't sleep; it gets a second place in the queue
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


# %% cancel-own-1 wrong: removes the entry from the middle of the heap
# cause: list.remove moves the entries behind it, and the list isn't a heap any more
# line: loop.sleeping.remove(entry)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    entry = next((e for e in loop.sleeping if e[-1] is task), None)
    if entry is not None:
        loop.sleeping.remove(entry)
        loop.ready.append(task)
    task.throw = CancelledError("please end")
    return True


# %% cancel-own-1 right: builds the heap anew without the task
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if not task.done:
        task.throw = CancelledError()
        others = [entry for entry in loop.sleeping if entry[2] is not task]
        if len(others) < len(loop.sleeping):
            heapq.heapify(others)
            loop.sleeping[:] = others
            loop.ready.append(task)
    return not task.done


# %% bell-1 wrong: the undo takes out the last waiter
# cause: pop without an index takes out whoever came last, and not the one that is cancelled
# line: return self.waiters.pop
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
        return self.waiters.pop

    def ring(self):
        waiters = self.waiters
        self.waiters = []
        for wake in waiters:
            wake()


# %% bell-1 wrong: stays rung, like an event of threads
# cause: a flag remembers the ring, so a task that comes later doesn't wait for the next
# line: self.rung = True | if not self.rung:
from functools import partial


class Bell:
    def __init__(self):
        self.waiters = []
        self.rung = False

    async def wait(self):
        if not self.rung:
            await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return partial(self.waiters.remove, wake)

    def ring(self):
        self.rung = True
        for wake in self.waiters[:]:
            self.waiters.remove(wake)
            wake()


# %% bell-1 right: a dict of tickets that are bare objects
class Bell:
    def __init__(self):
        self.parked = {}  # in the order in which they came

    async def wait(self):
        return await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        ticket = object()
        self.parked[ticket] = wake

        def undo():
            self.parked.pop(ticket, None)

        return undo

    def ring(self):
        for ticket in [*self.parked]:
            self.parked.pop(ticket)()


# %% timeout-own-1 wrong: trusts that cancelling reaches the task that is awaited
# cause: if with_timeout is cancelled itself the task isn't cancelled, because on this loop that isn't done by the await
# line: raise  # cancelled from outside | except CancelledError: | result = await task | none
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    expired = False
    task = loop.spawn(coro)

    async def watchdog():
        nonlocal expired
        await sleep(seconds)
        expired = True
        task.cancel()

    timer = loop.spawn(watchdog())
    try:
        result = await task
    except CancelledError:
        if expired:
            raise TimeoutError from None
        raise  # cancelled from outside
    finally:
        timer.cancel()
    if expired:
        raise TimeoutError
    return result


# %% timeout-own-1 wrong: the alarm stays on after an error
# cause: if the coroutine fails, its error leaves with_timeout before the alarm is cancelled, so that still rings
# line: result = await task | alarm.cancel() | none
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    rang = []

    async def ring():
        await sleep(seconds)
        rang.append(True)
        task.cancel()

    task = loop.spawn(coro)
    alarm = loop.spawn(ring())
    try:
        result = await task
    except CancelledError:
        alarm.cancel()
        if rang:
            raise TimeoutError("too slow")
        task.cancel()
        raise
    alarm.cancel()
    if rang:
        raise TimeoutError("too slow")
    return result


# %% timeout-own-1 right: the alarm is an object
from helpers.eventloop.tasks import CancelledError, sleep


class Alarm:
    def __init__(self, loop, seconds, task):
        self.late = False
        self.task = task
        self.own = loop.spawn(self.ring(seconds))

    async def ring(self, seconds):
        await sleep(seconds)
        self.late = True
        self.task.cancel()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.own.cancel()
        cancelled = kind is not None and issubclass(kind, CancelledError)
        if self.late and (kind is None or cancelled):
            raise TimeoutError from None
        if cancelled:
            self.task.cancel()


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    with Alarm(loop, seconds, task):
        return await task

# %% future-1 wrong: always pauses
# cause: a task that awaits a future which has its result already must get it without a pause, but here it yields in any case
# line: yield self.park | wake()  # there already
class Future:
    def __init__(self):
        self.done = False
        self.value = None
        self.waiting = []

    def __await__(self):
        yield self.park
        return self.value

    def park(self, loop, wake):
        if self.done:
            wake()  # there already
        else:
            self.waiting.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("the result is set already")
        self.done = True
        self.value = value
        for one in self.waiting:
            one()

# %% future-1 wrong: the second result stays
# cause: the value is replaced before the check, so the second set_result raises but changes the result
# line: self.value = value | if self.done:  # twice
class Future:
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
        if self.done:  # twice
            raise RuntimeError("the result is set already")
        self.done = True
        while self.waiting:
            self.waiting.pop(0)()

# %% future-1 right: a hand-written iterator
from collections import deque


class _Waiting:
    def __init__(self, future):
        self.future = future
        self.asked = False

    def __iter__(self):
        return self

    def __next__(self):
        if self.future.box:
            raise StopIteration(self.future.box[0])
        if self.asked:
            raise RuntimeError("woken without a result")
        self.asked = True
        return self.future.park


class Future:
    def __init__(self):
        self.box = ()
        self.wakers = deque()

    def __await__(self):
        return _Waiting(self)

    def park(self, loop, wake):
        self.wakers.append(wake)

    def set_result(self, value):
        if self.box:
            raise RuntimeError("there is a result already")
        self.box = (value,)
        while self.wakers:
            wake = self.wakers.popleft()
            wake()

# %% gather-own-1 wrong: a lazy map
# cause: map is lazy, so each task is spawned only when the one before it has ended: one after another
# line: map(loop.spawn, coros)
async def gather(loop, *coros):
    tasks = map(loop.spawn, coros)
    results = []
    for task in tasks:
        results.append(await task)
    return results

# %% gather-own-1 wrong: errors among the results
# cause: an error is put into the list as if it were a result and does not come out of gather
# line: return error | except Exception as error:
async def gather(loop, *coros):
    async def guarded(coro):
        try:
            return await coro
        except Exception as error:
            return error

    tasks = [loop.spawn(guarded(coro)) for coro in coros]
    return [await task for task in tasks]

# %% gather-own-1 right: slots, awaited from the end
async def gather(loop, *coros):
    slots = [None] * len(coros)

    async def fill(index, coro):
        slots[index] = await coro

    tasks = []
    for index, coro in enumerate(coros):
        tasks.append(loop.spawn(fill(index, coro)))
    while tasks:
        await tasks.pop()
    return slots

# %% cancel-own-1 wrong: a running task is queued
# cause: a task that cancels itself is neither ready nor asleep; it is put into the queue here and again when it pauses, so it gets two turns
# line: if task not in loop.ready: | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
    if task not in loop.ready:
        loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: takes an entry out of the middle of the heap
# cause: list.remove out of the middle leaves a list that is no heap any more, so others wake in the wrong order or too late
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
            break
    return True

# %% cancel-own-1 right: the heap is built anew, again
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError("cancelled")
    others = list(filter(lambda entry: entry[2] is not task, loop.sleeping))
    if len(others) < len(loop.sleeping):
        heapq.heapify(others)
        loop.sleeping[:] = others
        loop.ready.append(task)
    return True

# %% bell-1 wrong: undo by position
# cause: the position is that of the moment of parking; when one before it has gone, the undo takes out another waiter or none
# line: del self.waiting[index] | index = len(self.waiting)
class Bell:
    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        index = len(self.waiting)
        self.waiting.append(wake)

        def undo():
            del self.waiting[index]

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 wrong: remembers that it rang
# cause: after the first ring the flag stays, so whoever comes later does not wait for the next ring
# line: self.rung = True | if not self.rung:
class Bell:
    def __init__(self):
        self.rung = False
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        if not self.rung:
            yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)

        def undo():
            if wake in self.waiting:
                self.waiting.remove(wake)

        return undo

    def ring(self):
        self.rung = True
        while self.waiting:
            self.waiting.pop(0)()

# %% bell-1 right: a dict of tokens and partial
import functools


class Bell:
    def __init__(self):
        self._wakers = {}

    async def wait(self):
        return await self

    def __await__(self):
        return iter([self.park])

    def park(self, loop, wake):
        token = object()
        self._wakers[token] = wake
        return functools.partial(self._wakers.pop, token, None)

    def ring(self):
        wakers = list(self._wakers.values())
        self._wakers.clear()
        for wake in wakers:
            wake()

# %% timeout-own-1 wrong: its own error is hidden by the timeout
# cause: an error that the coroutine raises when it is cancelled should come out as it is, but becomes a TimeoutError
# line: except BaseException: | raise TimeoutError from None
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    expired = False

    async def alarm():
        nonlocal expired
        await sleep(seconds)
        expired = True
        task.cancel()

    timer = loop.spawn(alarm())
    try:
        result = await task
    except BaseException:
        if expired:
            raise TimeoutError from None
        task.cancel()
        raise
    finally:
        timer.cancel()
    if expired:
        raise TimeoutError
    return result

# %% timeout-own-1 wrong: the timer goes on after an error
# cause: the timer is cancelled when there is a result or a CancelledError, but if the coroutine fails it stays behind and rings
# line: timer.cancel()  # in time | result = await task
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    expired = False

    async def alarm():
        nonlocal expired
        await sleep(seconds)
        expired = True
        task.cancel()

    timer = loop.spawn(alarm())
    try:
        result = await task
    except CancelledError:
        if expired:
            raise TimeoutError from None
        timer.cancel()
        task.cancel()
        raise
    timer.cancel()  # in time
    if expired:
        raise TimeoutError
    return result

# %% timeout-own-1 right: a class that guards the task
from helpers.eventloop.tasks import CancelledError, sleep


class _Guard:
    def __init__(self, loop, seconds, coro):
        self.seconds = seconds
        self.rang = False
        self.task = loop.spawn(coro)
        self.timer = loop.spawn(self.ring())

    async def ring(self):
        await sleep(self.seconds)
        if self.task.cancel() is not False:
            self.rang = True

    async def result(self):
        try:
            value = await self.task
        except CancelledError:
            if self.rang:
                raise TimeoutError("it took too long") from None
            self.task.cancel()
            raise
        finally:
            self.timer.cancel()
        if self.rang:
            raise TimeoutError("it took too long")
        return value


async def with_timeout(loop, seconds, coro):
    return await _Guard(loop, seconds, coro).result()

# %% future-1 wrong: pauses even with a result
# cause: it always yields park, so a task that awaits a future with a result pauses all the same
# line: yield self.park
class Future:
    def __init__(self):
        self.done = False
        self.result = None
        self.waiting = []

    def __await__(self):
        yield self.park
        return self.result

    def park(self, loop, wake):
        if self.done:
            wake()
        else:
            self.waiting.append(wake)

    def set_result(self, value):
        if self.done:
            raise RuntimeError("there is a result already")
        self.done = True
        self.result = value
        for wake in self.waiting:
            wake()
        self.waiting.clear()

# %% future-1 wrong: the same result again is let pass
# cause: a second set_result with an equal value raises no RuntimeError
# line: if self.done and value != self.result:
class Future:
    def __init__(self):
        self.done = False
        self.result = None
        self.waiting = []

    def __await__(self):
        if not self.done:
            yield self.park
        return self.result

    def park(self, loop, wake):
        self.waiting.append(wake)

    def set_result(self, value):
        if self.done and value != self.result:
            raise RuntimeError("the result is another already")
        self.done, self.result = True, value
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% future-1 right: an iterator class for each wait
from collections import deque


class _Wait:
    def __init__(self, future):
        self.future = future
        self.parked = False

    def __iter__(self):
        return self

    def __next__(self):
        if self.parked or self.future.box:
            raise StopIteration(self.future.box[0])
        self.parked = True
        return self.future.park

    def send(self, _):
        return next(self)


class Future:
    def __init__(self):
        self.box = ()
        self.queue = deque()

    def __await__(self):
        return _Wait(self)

    def park(self, loop, wake):
        self.queue.append(wake)

    def set_result(self, value):
        if self.box:
            raise RuntimeError("a future has one result")
        self.box = (value,)
        while self.queue:
            self.queue.popleft()()

# %% gather-own-1 wrong: the first one in its own task
# cause: it unpacks a first coroutine, so gather of none is a ValueError instead of an empty list
# line: first, *others = coros
async def gather(loop, *coros):
    first, *others = coros
    tasks = [loop.spawn(coro) for coro in others]
    results = [await first]
    for task in tasks:
        results.append(await task)
    return results

# %% gather-own-1 wrong: waits for the last task only
# cause: it waits only for the last coroutine, not for earlier ones that take longer or fail
# line: await tasks[-1]
async def gather(loop, *coros):
    results = [None] * len(coros)

    async def keep(place, coro):
        results[place] = await coro

    tasks = [loop.spawn(keep(place, coro)) for place, coro in enumerate(coros)]
    if tasks:
        await tasks[-1]
    return results

# %% gather-own-1 right: each writes its own place
import itertools


async def gather(loop, *coros):
    results = dict.fromkeys(range(len(coros)))

    async def keep(place, coro):
        results[place] = await coro

    tasks = list(map(loop.spawn, map(keep, itertools.count(), coros)))
    while tasks:
        await tasks.pop(0)
    return list(results.values())

# %% cancel-own-1 wrong: takes the entry out and breaks the heap
# cause: the list without the entry need not be a heap any more, so others may wake too late
# line: loop.sleeping[place] = last | loop.sleeping.pop()
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for place, entry in enumerate(loop.sleeping):
        if entry[2] is task:
            last = loop.sleeping.pop()
            if last is not entry:
                loop.sleeping[place] = last
            loop.ready.append(task)
            break
    return True

# %% cancel-own-1 wrong: a running task is queued as well
# cause: a task that cancels itself is neither asleep nor ready, and is put into the ready queue in addition to the turn that it gets when it pauses
# line: if task not in loop.ready: | loop.ready.append(task)
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
    if task not in loop.ready:
        loop.ready.append(task)
    return True

# %% cancel-own-1 right: takes the entry out and heapifies
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if not task.done:
        task.throw = CancelledError("cancelled")
        places = [i for i, (_, _, who) in enumerate(loop.sleeping) if who is task]
        for place in places:
            del loop.sleeping[place]
            heapq.heapify(loop.sleeping)
            loop.ready.append(task)
    return not task.done

# %% bell-1 wrong: an undo by place
# cause: the place of a waiter shifts when an earlier one is undone, so a later undo removes the wrong one or fails
# line: del self.waiting[place] | place = len(self.waiting)
class Bell:
    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        place = len(self.waiting)
        self.waiting.append(wake)

        def undo():
            del self.waiting[place]

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% bell-1 wrong: remembers a ring that nobody heard
# cause: a ring without waiters is kept for the next task, which ought to wait for the next ring
# line: self.missed = True
class Bell:
    def __init__(self):
        self.waiting = []
        self.missed = False

    async def wait(self):
        if self.missed:
            self.missed = False
            return
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)
        return lambda: self.waiting.remove(wake)

    def ring(self):
        if not self.waiting:
            self.missed = True
        while self.waiting:
            self.waiting.pop(0)()

# %% bell-1 right: a dict with numbered waiters
import functools
import itertools


class Bell:
    def __init__(self):
        self._tickets = itertools.count()
        self._waiting = {}

    async def wait(self):
        return await self

    def __await__(self):
        return iter([self.park])

    def park(self, loop, wake):
        ticket = next(self._tickets)
        self._waiting[ticket] = wake
        return functools.partial(self._waiting.pop, ticket, None)

    def ring(self):
        for ticket in tuple(self._waiting):
            self._waiting.pop(ticket)()

# %% timeout-own-1 wrong: the alarm goes on after an error
# cause: if the coroutine fails or is cancelled the alarm is not cancelled, and it still rings later
# line: alarm.cancel() | result = await task
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
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
        for other in (task, alarm):
            other.cancel()
        raise
    if late:
        raise TimeoutError
    alarm.cancel()
    return result

# %% timeout-own-1 wrong: the timeout hides the coroutine's error
# cause: when the time is over, an error that the coroutine raises as it is cancelled is replaced by the TimeoutError
# line: raise TimeoutError(
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    over = []

    async def ring():
        await sleep(seconds)
        over.append(True)
        task.cancel()

    alarm = loop.spawn(ring())
    try:
        return await task
    except CancelledError:
        if not over:
            task.cancel()
        raise
    finally:
        alarm.cancel()
        if over:
            raise TimeoutError("too slow")

# %% timeout-own-1 right: an alarm in a small class
from helpers.eventloop.tasks import CancelledError, sleep


class _Alarm:
    def __init__(self, loop, seconds, task):
        self.task = task
        self.rang = False
        self.clock = loop.spawn(self.tick(seconds))

    async def tick(self, seconds):
        await sleep(seconds)
        self.rang = self.task.cancel() is not False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.clock.cancel()
        if kind is not None and issubclass(kind, CancelledError):
            if self.rang:
                raise TimeoutError from error
            self.task.cancel()
        elif kind is None and self.rang:
            raise TimeoutError
        return False


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)
    with _Alarm(loop, seconds, task):
        result = await task
    return result

# %% gather-own-1 wrong: by recursion
# cause: a recursion that ends at a thousand
# line: others = await gather(loop, *rest)
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    if not coros:
        return []
    first, *rest = coros
    task = loop.spawn(first)
    others = await gather(loop, *rest)
    return [await task, *others]

# %% gather-own-1 wrong: waits for the last task only, again
# cause: the task that was spawned last need not be the last to end, so other results are still missing
# line: await tasks[-1]
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = [None] * len(coros)

    async def fill(index, coro):
        results[index] = await coro

    tasks = [loop.spawn(fill(i, coro)) for i, coro in enumerate(coros)]
    if tasks:
        await tasks[-1]
    return results

# %% timeout-own-1 wrong: raises the TimeoutError in the alarm
# cause: an error in the alarm's task does not come out here, so the caller gets the CancelledError of the task
# line: raise TimeoutError("too slow") | return await task
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)

    async def alarm():
        await sleep(seconds)
        task.cancel()
        raise TimeoutError("too slow")

    timer = loop.spawn(alarm())
    try:
        return await task
    except CancelledError:
        task.cancel()
        raise
    finally:
        timer.cancel()

# %% future-1 wrong: a result None does not stop a second one
# cause: whether there is a result already is judged by None, so after set_result(None) another result is accepted
# line: if self.result is not None:
class Future:
    def __init__(self):
        self.result = None
        self.waiters = []
        self.finished = False

    def __await__(self):
        if not self.finished:
            yield self.park
        return self.result

    def park(self, loop, wake):
        self.waiters.append(wake)

    def set_result(self, value):
        if self.result is not None:
            raise RuntimeError("a future has one result")
        self.result = value
        self.finished = True
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% cancel-own-1 wrong: only the name is cleared
# cause: who = None rebinds a local name and leaves the entry in the heap, so its deadline still wakes the task a second time
# line: who = None
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for deadline, ticket, who in loop.sleeping:
        if who is task:
            who = None
            loop.ready.append(task)
            break
    return True

# %% bell-1 wrong: undo rebinds a local name
# cause: the undo binds a local variable to the shorter list and leaves the one of the bell as it is, so a ring still wakes the cancelled task
# line: waiting = [other for other in self.waiting if other is not wake]
class Bell:
    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        def undo():
            waiting = [other for other in self.waiting if other is not wake]

        self.waiting.append(wake)
        return undo

    def ring(self):
        woken = self.waiting.copy()
        self.waiting.clear()
        for wake in woken:
            wake()

# %% timeout-own-1 wrong: the alarm stays after an error
# cause: the alarm is cancelled only when the coroutine returns, so after an error or a cancellation it goes on and would still ring
# line: timer.cancel() | else:
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    over = expired = False

    async def body():
        nonlocal over
        try:
            return await coro
        finally:
            over = True

    async def alarm():
        nonlocal expired
        await sleep(seconds)
        if not over:
            expired = True
            task.cancel()

    task = loop.spawn(body())
    timer = loop.spawn(alarm())
    try:
        result = await task
    except CancelledError:
        if expired:
            raise TimeoutError from None
        task.cancel()
        raise
    else:
        timer.cancel()
    if expired:
        raise TimeoutError
    return result

# %% future-1 wrong: refuses when nobody waits
# cause: takes it that no waiters means that the result was set
# line: if not self.waiters
class Future:
    def __init__(self):
        self.result, self.done, self.waiters = None, False, []
    def __await__(self):
        if not self.done:
            yield self.park
        return self.result
    def park(self, loop, wake):
        self.waiters.append(wake)
    def set_result(self, value):
        if not self.waiters:
            raise RuntimeError("again")
        self.result, self.done = value, True
        for wake in self.waiters:
            wake()
        self.waiters = []

# %% future-1 wrong: ValueError
# cause: raises another error
# line: raise ValueError
class Future:
    def __init__(self):
        self.result, self.done, self.waiters = None, False, []
    def __await__(self):
        if not self.done:
            yield self.park
        return self.result
    def park(self, loop, wake):
        self.waiters.append(wake)
    def set_result(self, value):
        if self.done:
            raise ValueError("again")
        self.result, self.done = value, True
        for wake in self.waiters:
            wake()

# %% gather-own-1 wrong: returns at the first
# cause: returns after the first task
# line: return [await task]
async def gather(loop, *coros):
    tasks = [loop.spawn(coro) for coro in coros]
    for task in tasks:
        return [await task]

# %% cancel-own-1 wrong: sets entry copy
# cause: makes a new entry and leaves the one in the heap
# line: entry = [entry[0], entry[1], None]
from helpers.eventloop.tasks import CancelledError
def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in sorted(loop.sleeping):
        if entry[2] is task:
            entry = [entry[0], entry[1], None]
            loop.ready.append(task)
    return True

# %% cancel-own-1 wrong: appendleft
# cause: the old entry in the heap still wakes the task
# line: appendleft
from helpers.eventloop.tasks import CancelledError
def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        if entry[2] is task:
            loop.ready.appendleft(task)
    return True

# %% bell-1 wrong: wakes the first only
# cause: a ring wakes one waiter and not all
# line: wake = | self.waiters.pop(0)
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
        if self.waiters:
            self.waiters.pop(0)()

# %% bell-1 wrong: undo takes out the last
# cause: The undo takes out whoever came last instead of the waiter that it belongs to, so a ring misses another task and wakes the cancelled one.
# line: self._waiting.pop()
class Bell:
    def __init__(self):
        self._waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self._park

    def _park(self, loop, wake):
        self._waiting.append(wake)

        def undo():
            if self._waiting:
                self._waiting.pop()

        return undo

    def ring(self):
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()

# %% bell-1 wrong: the undo remembers a place in the list
# cause: the places shift when an earlier waiter leaves, so the undo takes out somebody else or nobody
# line: place = len(self.waiters) | del self.waiters[place] | if place < len(self.waiters):
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        place = len(self.waiters)
        self.waiters.append(wake)

        def undo():
            if place < len(self.waiters):
                del self.waiters[place]

        return undo

    def ring(self):
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake()

# %% cancel-own-1 wrong: a task that cancels itself is taken for one that has ended
# cause: A task that is neither ready nor asleep need not have ended: it may be the one that runs just now and cancels itself, and then it gets no error, and False is returned.
# line: return False
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task in loop.ready:
        task.throw = CancelledError()
        return True

    for entry in loop.sleeping:
        if entry[2] is task:
            entry[2] = None
            task.throw = CancelledError()
            loop.ready.append(task)
            return True

    # neither here nor there
    return False

# %% bell-1 wrong: the undo takes out the last waiter, not its own
# cause: `pop` takes the waiter that came last, so the cancelling of an earlier one strikes out somebody else, who then misses the ring.
# line: return self._waiters.pop
class Bell:
    def __init__(self):
        self._waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self._waiters.append(wake)
        return self._waiters.pop

    def ring(self):
        waiters = list(self._waiters)
        self._waiters.clear()
        for wake in waiters:
            wake()

# %% bell-1 wrong: keyed by loop
# cause: waiters kept in a dict by loop: only one for each loop
# line: self.waiters[loop] = wake
class Bell:
    def __init__(self):
        self.waiters = {}

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters[loop] = wake
        return lambda: self.waiters.pop(loop, None)

    def ring(self):
        waiters, self.waiters = self.waiters, {}
        for wake in waiters.values():
            wake()

# %% bell-1 wrong: removes while it iterates
# cause: Removing from the list that the for loop walks skips every other waiter, so of two who wait only one is woken.
# line: for waiter in self.waiters: | self.forget(waiter)
class Bell:
    def __init__(self):
        self.waiters = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiters.append(wake)
        return lambda: self.forget(wake)

    def forget(self, wake):
        if wake in self.waiters:
            self.waiters.remove(wake)

    def ring(self):
        for waiter in self.waiters:
            waiter()
            self.forget(waiter)

# %% future-1 wrong: pauses although the result is there
# cause: __await__ always yields and park wakes at once if there is a result, so a task that awaits a finished future still loses a turn instead of going on without a pause.
# line: yield self.park | def __await__(self):
_MISSING = object()


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self._result = _MISSING
        self._wakes = []

    def __await__(self):
        yield self.park
        return self._result

    def park(self, loop, wake):
        if self._result is not _MISSING:
            wake()
        else:
            self._wakes.append(wake)

    def set_result(self, value):
        if self._result is not _MISSING:
            raise RuntimeError("result already set")
        self._result = value
        for w in self._wakes:
            w()
        self._wakes.clear()

# %% bell-1 wrong: undo deletes by a stale index
# cause: The undo deletes by the index at the time of parking, but indexes shift when an earlier waiter is cancelled, so a second cancel removes the wrong waiter or raises IndexError.
# line: del self._parked[index] | index = len(self._parked)
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._parked = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        index = len(self._parked)
        self._parked.append(wake)

        def undo():
            del self._parked[index]

        return undo

    def ring(self):
        parked = self._parked[:]
        self._parked.clear()
        for wake in parked:
            wake()

# %% timeout-own-1 wrong: every cancel is a timeout
# cause: Each CancelledError is turned into TimeoutError, also the one that comes because with_timeout itself was cancelled before the time was over.
# line: except CancelledError: | raise TimeoutError from None
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    late = False

    async def alarm():
        nonlocal late
        await sleep(seconds)
        late = True
        task.cancel()

    timer = loop.spawn(alarm())
    try:
        result = await task
    except CancelledError:
        task.cancel()
        raise TimeoutError from None
    finally:
        timer.cancel()
    if late:
        raise TimeoutError
    return result

# %% gather-own-1 wrong: Runner closes over loop variables
# cause: run reads index and coro only when it first runs, after the for loop has ended, so with two or more coroutines all runners take the last one.
# line: async def run(): | results[index] = await coro | loop.spawn(run())
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    results = {}
    tasks = []
    for index, coro in enumerate(coros):
        async def run():
            results[index] = await coro

        tasks.append(loop.spawn(run()))
    for task in tasks:
        await task
    return [results[i] for i in range(len(coros))]

# %% gather-own-1 wrong: Coroutines awaited instead of tasks
# cause: The tasks are thrown away and the coroutines themselves are awaited, though the loop's tasks already run them, so each is driven twice and a RuntimeError comes.
# line: results.append(await coro) | for coro in coros:  # collect
async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    for coro in coros:
        loop.spawn(coro)
    results = []
    for coro in coros:  # collect
        results.append(await coro)
    return results

# %% bell-1 wrong: popitem takes the newest first
# cause: dict.popitem takes the entry that was put in last, so with two or more waiters they are woken in the reverse of the order in which they came.
# line: self._waiters.popitem()
from itertools import count


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._tickets = count()
        self._waiters = {}

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        ticket = next(self._tickets)
        self._waiters[ticket] = wake
        return lambda: self._waiters.pop(ticket, None)

    def ring(self):
        while self._waiters:
            _, wake = self._waiters.popitem()
            wake()

# %% timeout-own-1 wrong: TimeoutError raised in the timer
# cause: The TimeoutError is raised in the timer's own task, which nobody awaits, so when the time is over a CancelledError comes out of with_timeout.
# line: raise TimeoutError
from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    task = loop.spawn(coro)

    async def alarm():
        await sleep(seconds)
        task.cancel()
        raise TimeoutError

    timer = loop.spawn(alarm())
    try:
        return await task
    except CancelledError:
        task.cancel()
        raise
    finally:
        timer.cancel()

# %% future-1 wrong: second set_result silently ignored
# cause: as with a promise, a second set_result just returns, where the statement wants a RuntimeError.
# line: return  # already resolved | if self.state == "resolved":
class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.state = "pending"
        self.callbacks = []

    def __await__(self):
        if self.state == "pending":
            yield self.park
        return self.value

    def park(self, loop, wake):
        self.callbacks.append(wake)

    def set_result(self, value):
        if self.state == "resolved":
            return  # already resolved
        self.state = "resolved"
        self.value = value
        callbacks, self.callbacks = self.callbacks, []
        for callback in callbacks:
            callback()

# %% future-1 right: state swapped by bound methods
from collections import deque


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self._read = None
        self._queue = deque()
        self._admit = self._queue.append

    def __await__(self):
        while self._read is None:
            yield self.park
        return self._read()

    def park(self, loop, wake):
        self._admit(wake)

    def set_result(self, value):
        if self._read is not None:
            raise RuntimeError("the future has a result already")
        self._read = lambda: value
        self._admit = lambda wake: wake()
        while self._queue:
            self._queue.popleft()()

# %% gather-own-1 right: slots filled, awaited from the end
from itertools import starmap


async def gather(loop, *coros):
    slots = [None] * len(coros)

    async def fill(index, coro):
        slots[index] = await coro

    stack = list(map(loop.spawn, starmap(fill, enumerate(coros))))
    while stack:
        await stack.pop()
    return slots

# %% cancel-own-1 right: take it out and heapify anew
import heapq

from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    """Ask a task to end; return False if it has ended already."""
    match task.done:
        case True:
            return False
        case _:
            task.throw = CancelledError()
    others = [entry for entry in loop.sleeping if entry[2] is not task]
    if len(others) < len(loop.sleeping):
        heapq.heapify(others)
        loop.sleeping[:] = others
        loop.ready.append(task)
    return True

# %% bell-1 right: tickets, partial undo, tuple iterator
import functools
import itertools


class Bell:
    def __init__(self):
        self._tickets = itertools.count()
        self._guests = {}

    async def wait(self):
        await self

    def __await__(self):
        return iter((self.park,))

    def park(self, loop, wake):
        ticket = next(self._tickets)
        self._guests[ticket] = wake
        return functools.partial(self._guests.pop, ticket, None)

    def ring(self):
        guests, self._guests = self._guests, {}
        for wake in guests.values():
            wake()

# %% timeout-own-1 right: alarm task and an ExitStack
from contextlib import ExitStack

from helpers.eventloop.tasks import CancelledError, sleep


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    rung = []
    task = loop.spawn(coro)

    async def alarm():
        await sleep(seconds)
        rung.append(True)
        task.cancel()

    with ExitStack() as at_the_end:
        at_the_end.callback(task.cancel)
        at_the_end.callback(loop.spawn(alarm()).cancel)
        try:
            return await task
        except CancelledError:
            if not rung:
                raise
            raise TimeoutError(f"longer than {seconds} s") from None

# %% future-1 right: visits as hand-made generators
from collections.abc import Generator


class _Visit(Generator):
    """One await of a future, as an object instead of a generator function."""

    def __init__(self, future):
        self.future = future

    def send(self, _):
        match self.future.outcome:
            case []:
                return self.future.park
            case [value]:
                raise StopIteration(value)

    def throw(self, kind, error=None, traceback=None):
        if error is None:
            error = kind() if isinstance(kind, type) else kind
        raise error


class Future:
    """A result that is not there yet."""

    def __init__(self):
        self.outcome = []        # nothing, or the one result
        self.line = []

    def __await__(self):
        return _Visit(self)

    def park(self, loop, wake):
        if self.outcome:
            wake()
        else:
            self.line.append(wake)

    def set_result(self, value):
        if self.outcome:
            raise RuntimeError("there is a result already")
        self.outcome.append(value)
        line, self.line = self.line, []
        for wake in line:
            wake()

# %% gather-own-1 right: a class with __await__
class _Harvest:
    def __init__(self, tasks):
        self.tasks = tasks

    def __await__(self):
        fruits = []
        for task in self.tasks:
            fruit = yield from task.__await__()
            fruits.append(fruit)
        return fruits


async def gather(loop, *coros):
    """Run all `coros` at once; return their results in order."""
    return await _Harvest(tuple(map(loop.spawn, coros)))

# %% cancel-own-1 right: match over the sleepers
from helpers.eventloop.tasks import CancelledError


def cancel(loop, task):
    if task.done:
        return False
    task.throw = CancelledError()
    for entry in loop.sleeping:
        match entry:
            case [_, _, sleeper] if sleeper is task:
                entry[2] = None          # the heap's order stays as it is
                loop.ready.append(task)
                break
    # Ready: its turn comes anyway. Running: it is made ready when it pauses.
    return True

# %% bell-1 right: numbered wakes, partial as undo
from functools import partial
from itertools import count


class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self._numbers = count()
        self._wakes = {}

    async def wait(self):
        await self

    def __await__(self):
        return iter((self.park,))

    def park(self, loop, wake):
        number = next(self._numbers)
        self._wakes[number] = wake
        return partial(self._forget, number)

    def _forget(self, number):
        self._wakes.pop(number, None)

    def ring(self):
        for number in tuple(self._wakes):
            wake = self._wakes.pop(number, None)
            if wake is not None:
                wake()

# %% bell-1 wrong: an undo changes the order of the others
# cause: undo moves the last one into the place of the cancelled one, so the next ring wakes it before those who came earlier
# line: self.waiting[place] = self.waiting[-1]
# told: place = self.waiting.index(wake)
class Bell:
    """Rings for all who wait."""

    def __init__(self):
        self.waiting = []

    async def wait(self):
        await self

    def __await__(self):
        yield self.park

    def park(self, loop, wake):
        self.waiting.append(wake)

        def undo():
            if wake in self.waiting:
                place = self.waiting.index(wake)
                # Fill the gap with the last one: the list needn't be shifted.
                self.waiting[place] = self.waiting[-1]
                self.waiting.pop()

        return undo

    def ring(self):
        waiting, self.waiting = self.waiting, []
        for wake in waiting:
            wake()

# %% timeout-own-1 right: alarm as a context manager
from contextlib import suppress

from helpers.eventloop.tasks import CancelledError, sleep


class _Alarm:
    """Cancels a task after a while, unless it is stopped before."""

    def __init__(self, loop, seconds, victim):
        self.loop = loop
        self.seconds = seconds
        self.victim = victim
        self.rang = False
        self.over = False

    def __enter__(self):
        self.clock = self.loop.spawn(self._tick())
        return self

    def __exit__(self, *_):
        self.stop()

    async def _tick(self):
        with suppress(CancelledError):
            await sleep(self.seconds)
            if not self.over:
                self.over = True
                self.rang = self.victim.cancel() is not False

    def stop(self):
        if not self.over:
            self.over = True
            self.clock.cancel()


async def with_timeout(loop, seconds, coro):
    """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
    task = loop.spawn(coro)
    with _Alarm(loop, seconds, task) as alarm:
        try:
            return await task
        except CancelledError:
            if not alarm.rang:
                # We are cancelled ourselves, or the coroutine gave up on its own.
                alarm.stop()
                task.cancel()
            try:
                await task               # until it has really ended
            except CancelledError:
                if alarm.rang:
                    raise TimeoutError from None
                raise
            raise
