"""Answers to the exercises of lesson 09, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% loop-turn-1 wrong: a call later with 0 comes first
# cause: takes it that a timer with a delay of 0 is called before the calls soon
# line: order
order = ["main", "timer", "b", "a", "late timer"]

# %% loop-turn-1 wrong: a in the first turn
# cause: what is asked for by a call joins the queue for the next turn, behind the timer
# line: order
order = ["main", "a", "b", "timer", "late timer"]

# %% switch-1 wrong: each await of a coroutine
# cause: to await a coroutine that does not pause is only a call
# line: "await work()": True
switches = {
    "await free_lock.acquire()": False,
    "await held_lock.acquire()": True,
    "await queue.put(1)": False,
    "await full_queue.put(1)": True,
    "await event.wait()": False,
    "await work()": True,
    "await asyncio.create_task(work())": True,
    "await asyncio.gather(work(), work())": True,
    "await asyncio.sleep(0)": True,
}

# %% switch-1 wrong: a sleep of zero
# cause: sleep(0) is just what gives one turn to the others
# line: "await asyncio.sleep(0)": False
switches = {
    "await free_lock.acquire()": False,
    "await held_lock.acquire()": True,
    "await queue.put(1)": False,
    "await full_queue.put(1)": True,
    "await event.wait()": False,
    "await work()": False,
    "await asyncio.create_task(work())": True,
    "await asyncio.gather(work(), work())": True,
    "await asyncio.sleep(0)": False,
}

# %% task-step-1 wrong: the first step at once
# cause: the first step is taken within start, and not by call_soon
# line: step()
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    future = loop.create_future()

    def step(_=None):
        try:
            waits_for = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except BaseException as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(step)

    step()
    return future

# %% task-step-1 wrong: a step calls the next one
# cause: where coro hands out None the next step is called at once: nobody else has a turn, and after a thousand it ends
# line: return step()
def start(coro, loop):
    future = loop.create_future()

    def step(_=None):
        try:
            waits_for = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except BaseException as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                return step()
            waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: errors are lost
# cause: an error that leaves coro does not become the exception of the future
# line: except StopIteration as stop: | waits_for = coro.send(None)
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    future = loop.create_future()

    def step(_=None):
        try:
            waits_for = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: asks for the result itself
# cause: if the future that it waited for has failed, result() raises here, and coro never hears of it
# line: woken_by.result()
def start(coro, loop):
    future = loop.create_future()

    def step(woken_by=None):
        if woken_by is not None:
            woken_by.result()
        try:
            waits_for = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except BaseException as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 right: an object that is called
class Step:
    def __init__(self, coro, loop):
        self.coro, self.loop = coro, loop
        self.future = loop.create_future()

    def __call__(self, *woken_by):
        try:
            match self.coro.send(None):
                case None:
                    self.loop.call_soon(self)
                case other:
                    other.add_done_callback(self)
        except StopIteration as end:
            self.future.set_result(end.value)
        except BaseException as error:
            self.future.set_exception(error)


def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    first = Step(coro, loop)
    loop.call_soon(first)
    return first.future

# %% task-step-1 right: partial, and the reason by walrus
from functools import partial


def start(coro, loop):
    loop.call_soon(one_step, coro, loop, result := loop.create_future())
    return result


def one_step(coro, loop, result, woken_by=None):
    try:
        waits_for = coro.send(None)
    except StopIteration as stop:
        result.set_result(stop.value)
        return
    except BaseException as error:
        result.set_exception(error)
        return
    again = partial(one_step, coro, loop, result)
    soon = loop.call_soon if waits_for is None else waits_for.add_done_callback
    soon(again)

# %% task-step-1 wrong: hands the result of the future on
# cause: a step has to send None, whatever the future came to
# line: coro.send(woken_by.result()
def start(coro, loop):
    future = loop.create_future()

    def step(woken_by=None):
        try:
            if woken_by is None:
                waits_for = coro.send(None)
            else:
                waits_for = coro.send(woken_by.result())
        except StopIteration as end:
            future.set_result(end.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: goes on if it went well
# cause: a future that was cancelled or failed is done too, and nobody takes the next step
# line: if not done.cancelled()
def start(coro, loop):
    future = loop.create_future()

    def woken(done):
        if not done.cancelled() and done.exception() is None:
            step()

    def step():
        try:
            waits_for = coro.send(None)
        except StopIteration as end:
            future.set_result(end.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(woken)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: the coroutine of whoever came last
# cause: coro and future stand in the module, and a second start takes them away
# line: global now, future
now = future = None


def step(woken_by=None):
    try:
        waits_for = now.send(None)
    except StopIteration as end:
        future.set_result(end.value)
    except Exception as error:
        future.set_exception(error)
    else:
        if waits_for is None:
            future.get_loop().call_soon(step)
        else:
            waits_for.add_done_callback(step)


def start(coro, loop):
    global now, future
    now, future = coro, loop.create_future()
    loop.call_soon(step)
    return future

# %% call-later-1 wrong: called at once
# cause: the function is called when the entry is made, and its result stands in the heap
# line: function(*args)]
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    entry = [loop.time() + delay, next(loop.tickets), function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = lambda: None

    return cancel

# %% call-later-1 wrong: None in place of the function
# cause: the loop calls what it finds in the entry, and None can't be called
# line: entry[2] = None
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = None

    return cancel

# %% call-later-1 wrong: out of the middle of the heap
# cause: to remove an entry from a heap's middle breaks its order
# line: loop.timers.remove(entry)
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    entry = [loop.time() + delay, next(loop.tickets), partial(function, *args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        if entry in loop.timers:
            loop.timers.remove(entry)

    return cancel

# %% call-later-1 wrong: a number of seconds taken for a moment
# cause: the deadline is only the delay; the time of now is not added
# line: entry = [delay,
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    entry = [delay, next(loop.tickets), partial(function, *args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = lambda: None

    return cancel

# %% call-later-1 right: an object with two methods
import heapq


class Call:
    def __init__(self, function, args):
        self.function, self.args = function, args

    def __call__(self):
        if self.function is not None:
            self.function(*self.args)

    def cancel(self):
        self.function = None


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    call = Call(function, args)
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), call])
    return call.cancel

# %% call-later-1 right: an entry whose item is set by partial
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    moment, ticket = delay + loop.time(), next(loop.tickets)
    heapq.heappush(loop.timers, entry := [moment, ticket, partial(function, *args)])
    return partial(entry.__setitem__, 2, int)

# %% call-later-1 wrong: tickets that were taken back, in the module
# cause: two loops give the same tickets, and one cancels the other's calls
# line: cancelled = set() | cancelled.add(ticket)
import heapq

cancelled = set()


def call_later(loop, delay, function, *args):
    ticket = next(loop.tickets)

    def call():
        if ticket not in cancelled:
            function(*args)

    heapq.heappush(loop.timers, [loop.time() + delay, ticket, call])
    return lambda: cancelled.add(ticket)

# %% call-later-1 wrong: a delay of nothing is a second
# cause: a delay of 0 counts as false
# line: delay or 1
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + (delay or 1), next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = int

    return cancel

# %% keep-1 wrong: never let go
# cause: the task is not taken out of the set when it is done
# line: none | kept.add(task)
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.create_task(coro)
    kept.add(task)
    return task

# %% keep-1 wrong: taken out at once
# cause: discard is called here and now; the callback is what it returns, None
# line: task.add_done_callback(kept.discard(task))
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(kept.discard(task))
    return task

# %% keep-1 wrong: taken out by the coroutine itself
# cause: a task that is cancelled before its first step never comes to its finally, and stays in the set
# line: finally: | kept.discard(task)
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""

    async def run():
        try:
            return await coro
        finally:
            kept.discard(task)

    task = asyncio.create_task(run())
    kept.add(task)
    return task

# %% keep-1 wrong: the set is emptied
# cause: when one task is done, all others are taken out as well
# line: kept.clear()
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(lambda done: kept.clear())
    return task

# %% keep-1 right: a walrus
import asyncio


def background(coro, kept):
    kept.add(task := asyncio.get_running_loop().create_task(coro))
    task.add_done_callback(kept.discard)
    return task

# %% keep-1 right: set operations in place
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    mine = {asyncio.ensure_future(coro)}

    def let_go(_):
        kept.difference_update(mine)

    kept |= mine
    [task] = mine
    task.add_done_callback(let_go)
    return task

# %% keep-1 wrong: only those that went well
# cause: a task that failed or was cancelled stays in the set
# line: if not task.cancelled()
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept.add(task)

    def over(task):
        if not task.cancelled() and not task.exception():
            kept.remove(task)

    task.add_done_callback(over)
    return task

# %% keep-1 wrong: the result gets lost
# cause: the task is that of a wrapper that returns nothing
# line: await coro
import asyncio


def background(coro, kept):
    async def run():
        await coro

    task = asyncio.create_task(run())
    kept.add(task)
    task.add_done_callback(kept.discard)
    return task

# %% task-step-1 wrong: the result is asked for outside the coroutine
# cause: if the awaited future fails, its result() raises in the callback, outside the coroutine: no next step is taken, and the returned future never gets done
# line: f.result()
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    future = loop.create_future()

    def step(value=None):
        try:
            handed = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if handed is None:
                loop.call_soon(step)
            else:
                handed.add_done_callback(lambda f: step(f.result()))

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: a None is answered at once
# cause: the inner loop takes the next step at once instead of by call_soon, so a coroutine that sleeps with sleep(0) never lets the others have a turn
# line: while handed is None
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    future = loop.create_future()

    def step():
        try:
            handed = None
            while handed is None:
                handed = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except Exception as error:
            future.set_exception(error)
        else:
            handed.add_done_callback(lambda _: step())

    loop.call_soon(step)
    return future

# %% task-step-1 right: a class with match
import asyncio


class Stepper:
    def __init__(self, coro, loop):
        self.coro, self.loop = coro, loop
        self.future = loop.create_future()

    def __call__(self, _=None):
        try:
            handed = self.coro.send(None)
        except StopIteration as stop:
            self.finish(self.future.set_result, stop.value)
        except asyncio.CancelledError:
            self.future.cancel()
        except Exception as error:
            self.finish(self.future.set_exception, error)
        else:
            match handed:
                case None:
                    self.loop.call_soon(self)
                case awaited:
                    awaited.add_done_callback(self)

    def finish(self, tell, what):
        if not self.future.done():
            tell(what)


def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    stepper = Stepper(coro, loop)
    loop.call_soon(stepper)
    return stepper.future

# %% call-later-1 wrong: cancelled means None
# cause: the entry stays on the heap, and when its deadline comes the loop calls the None in it, which raises a TypeError
# line: entry[2] = None
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = None

    return cancel

# %% call-later-1 wrong: taken out of the middle of the heap
# cause: list.remove shifts the entries behind, so the list is no heap any more, and other timers come late or in the wrong order; a heapify is missing
# line: loop.timers.remove(entry)
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    def call():
        function(*args)

    entry = [loop.time() + delay, next(loop.tickets), call]
    heapq.heappush(loop.timers, entry)

    def cancel():
        if entry in loop.timers:
            loop.timers.remove(entry)

    return cancel

# %% call-later-1 right: a timer that can be emptied
import functools
import heapq


class Timer:
    def __init__(self, call):
        self.calls = [call]

    def __call__(self):
        while self.calls:
            self.calls.pop()()

    def cancel(self):
        self.calls.clear()


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    timer = Timer(functools.partial(function, *args))
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), timer])
    return timer.cancel

# %% keep-1 wrong: the coroutine takes its task out itself
# cause: a task that is cancelled before its first step never enters the try, so it stays in the set for ever (and otherwise it leaves the set before it is done)
# line: kept.discard(task)
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    async def run():
        try:
            return await coro
        finally:
            kept.discard(task)

    task = asyncio.create_task(run())
    kept.add(task)
    return task

# %% keep-1 wrong: the result is looked at first
# cause: if the task failed or was cancelled, result() raises in the callback, and the task is never taken out of the set
# line: task.result()
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    def finished(task):
        task.result()       # an error shall not pass unseen
        kept.remove(task)

    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(finished)
    return task

# %% keep-1 right: in place, with the loop's own tools
import asyncio
from operator import methodcaller


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.get_running_loop().create_task(coro)
    kept.update((task,))
    task.add_done_callback(lambda done: methodcaller("discard", done)(kept))
    return task

# %% loop-turn-1 wrong: what call_soon was given comes at once
# cause: "a" is appended two turns later (call_soon of a call_soon), so "timer" comes before it
# line: order = ["main", "b", "a", "timer", "late timer"]
order = ["main", "b", "a", "timer", "late timer"]

# %% switch-1 wrong: every await of a coroutine switches
# cause: awaiting a coroutine that never waits for anything goes straight on; nobody else gets a turn
# line: "await work()": True
switches = {
    "await free_lock.acquire()": False,
    "await held_lock.acquire()": True,
    "await queue.put(1)": False,
    "await full_queue.put(1)": True,
    "await event.wait()": False,
    "await work()": True,
    "await asyncio.create_task(work())": True,
    "await asyncio.gather(work(), work())": True,
    "await asyncio.sleep(0)": True,
}

# %% task-step-1 wrong: a while loop for the None
# cause: when coro hands out None, the next step is taken in the same call and not by call_soon
# line: while (waits_for := coro.send(None)) is None: | pass
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    result = loop.create_future()

    def step(woken_by=None):
        try:
            while (waits_for := coro.send(None)) is None:
                pass
        except StopIteration as end:
            result.set_result(end.value)
        except Exception as error:
            result.set_exception(error)
        else:
            waits_for.add_done_callback(step)

    loop.call_soon(step)
    return result

# %% task-step-1 wrong: looks into the future itself
# cause: it asks the future for its result before sending; if that future failed, its error never gets into coro
# line: self.coro.send(future.result() | future.result()
class Runner:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.result = loop.create_future()

    def first(self):
        self.advance(lambda: self.coro.send(None))

    def woken(self, future):
        self.advance(lambda: self.coro.send(future.result()))

    def advance(self, send):
        try:
            handed = send()
        except StopIteration as stop:
            self.result.set_result(stop.value)
            return
        except Exception as exc:
            self.result.set_exception(exc)
            return
        if handed is None:
            self.loop.call_soon(self.first)
        else:
            handed.add_done_callback(self.woken)


def start(coro, loop):
    runner = Runner(coro, loop)
    loop.call_soon(runner.first)
    return runner.result

# %% task-step-1 wrong: the end of the coroutine is taken for an error
# cause: StopIteration is an Exception too, so the first except takes it and the result is never set
# line: except Exception as e: | except StopIteration as e: | fut.set_exception(e)
def start(coro, loop):
    fut = loop.create_future()

    def one_step():
        try:
            x = coro.send(None)
        except Exception as e:
            fut.set_exception(e)
        except StopIteration as e:
            fut.set_result(e.value)
        else:
            # None: soon; a future: when it is done
            if x is None:
                loop.call_soon(one_step)
            else:
                x.add_done_callback(lambda _: one_step())

    loop.call_soon(one_step)
    return fut

# %% task-step-1 right: one place that schedules
def start(coro, loop):
    outcome = loop.create_future()

    def step(*_):
        try:
            handed = coro.send(None)
        except StopIteration as end:
            return outcome.set_result(end.value)
        except Exception as error:
            return outcome.set_exception(error)
        when_to_go_on = loop.call_soon if handed is None else handed.add_done_callback
        when_to_go_on(step)

    loop.call_soon(step)
    return outcome

# %% task-step-1 right: an object that can be called, and match
class _Steps:
    __slots__ = ("coro", "loop", "future")

    def __init__(self, coro, loop):
        self.coro, self.loop, self.future = coro, loop, loop.create_future()

    def __call__(self, _woken_by=None):
        match self.one():
            case ("more", None):
                self.loop.call_soon(self)
            case ("more", waited_for):
                waited_for.add_done_callback(self)
            case ("value", value):
                self.future.set_result(value)
            case ("error", error):
                self.future.set_exception(error)

    def one(self):
        try:
            return "more", self.coro.send(None)
        except StopIteration as end:
            return "value", end.value
        except Exception as error:
            return "error", error


def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    steps = _Steps(coro, loop)
    loop.call_soon(steps)
    return steps.future

# %% call-later-1 wrong: a cancelled entry has no function any more
# cause: cancel puts None where the loop expects a function; the loop calls it and gets a TypeError
# line: entry[2] = None
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = None

    return cancel

# %% call-later-1 wrong: takes the entry off the heap, though it may be gone
# cause: to cancel too late or twice raises a ValueError, for the entry is not on the heap any more
# line: loop.timers.remove(timer)
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    deadline = loop.time() + delay
    timer = [deadline, next(loop.tickets), partial(function, *args)]
    heapq.heappush(loop.timers, timer)

    def cancel() -> None:
        loop.timers.remove(timer)
        heapq.heapify(loop.timers)  # what is left must be a heap again

    return cancel

# %% call-later-1 wrong: the flag is another variable
# cause: without nonlocal, cancel sets a variable of its own, and the call is made all the same
# line: cancelled = True | def cancel(): | none
import heapq


def call_later(loop, delay, function, *args):
    cancelled = False

    def run():
        if not cancelled:
            function(*args)

    def cancel():
        cancelled = True

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), run])
    return cancel

# %% call-later-1 right: a list of at most one call
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    to_do = [partial(function, *args)]

    def run():
        while to_do:
            to_do.pop()()

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), run])
    return to_do.clear

# %% call-later-1 right: the entry is made harmless
import heapq


def nothing():
    pass


class Cancel:
    def __init__(self, entry):
        self.entry = entry

    def __call__(self):
        self.entry[-1] = nothing


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    ticket = next(loop.tickets)
    entry = [loop.time() + delay, ticket, lambda: function(*args)]
    heapq.heappush(loop.timers, entry)
    return Cancel(entry)

# %% keep-1 wrong: takes the task out at once
# cause: kept.discard(task) is called here and now, and its None is given to add_done_callback
# line: task.add_done_callback(kept.discard(task))
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(kept.discard(task))
    return task

# %% keep-1 wrong: takes itself out in a finally
# cause: a task that is cancelled before its first step never reaches the try, so it stays in kept
# line: try: | kept.discard(task) | finally:
import asyncio


def background(coro, kept):
    async def run_and_forget():
        try:
            return await coro
        finally:
            kept.discard(task)

    task = asyncio.create_task(run_and_forget())
    kept.add(task)
    return task

# %% keep-1 wrong: only a task that went well is taken out
# cause: result() raises for a task that failed or was cancelled, and the line after it is not reached
# line: finished.result() | kept.remove(finished)
import asyncio


def background(coro, kept):
    def done(finished: asyncio.Task) -> None:
        finished.result()  # so that an error is not lost
        kept.remove(finished)

    task = asyncio.get_running_loop().create_task(coro)
    task.add_done_callback(done)
    kept.add(task)
    return task

# %% keep-1 right: a walrus and discard
import asyncio


def background(coro, kept):
    kept.add(task := asyncio.get_running_loop().create_task(coro))
    task.add_done_callback(kept.discard)
    return task

# %% keep-1 right: ensure_future and a function of its own
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""

    def let_go(*done):
        kept.difference_update(done)

    task = asyncio.ensure_future(coro)
    task.add_done_callback(let_go)
    kept |= {task}
    return task


# %% task-step-1 wrong: sends what the future brought
# cause: it asks the future for its result and sends that; if the future failed, the error is raised in step and never comes to coro
# line: coro.send(waited.result() if waited else None) | waited.result()
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    outcome = loop.create_future()

    def then(waited=None):
        try:
            pending = coro.send(waited.result() if waited else None)
        except StopIteration as end:
            outcome.set_result(end.value)
        except Exception as error:
            outcome.set_exception(error)
        else:
            if pending is None:
                loop.call_soon(then)
            else:
                pending.add_done_callback(then)

    loop.call_soon(then)
    return outcome


# %% task-step-1 wrong: after a None it goes on at once
# cause: a None should let the others go first; here the loop in step takes the next step in the same turn
# line: while pending is None: | pending = self.coro.send(None)
class Stepper:
    def __init__(self, coro, loop):
        self.coro = coro
        self.future = loop.create_future()

    def step(self, _future=None):
        pending = None
        try:
            while pending is None:
                pending = self.coro.send(None)
        except StopIteration as stop:
            self.future.set_result(stop.value)
        except Exception as exc:
            self.future.set_exception(exc)
        else:
            pending.add_done_callback(self.step)


def start(coro, loop):
    stepper = Stepper(coro, loop)
    loop.call_soon(stepper.step)
    return stepper.future


# %% task-step-1 right: says how to be called next, and then is
def start(coro, loop):
    promise = loop.create_future()

    def again(*_):
        try:
            handed = coro.send(None)
        except StopIteration as returned:
            return promise.set_result(returned.value)
        except Exception as failed:
            return promise.set_exception(failed)
        arrange = loop.call_soon if handed is None else handed.add_done_callback
        arrange(again)

    loop.call_soon(again)
    return promise


# %% call-later-1 wrong: cancels with None, as in the loop of the lessons
# cause: this loop calls what stands in the entry without looking, and None can't be called
# line: entry[-1] = None
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    entry = [loop.time() + delay, next(loop.tickets), partial(function, *args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[-1] = None

    return cancel


# %% call-later-1 wrong: takes the entry out of the middle of the heap
# cause: remove leaves a list that is no heap, so other timers come in the wrong order or too late
# line: loop.timers.remove(timer)
import heapq


def call_later(loop, delay, function, *args):
    deadline = loop.time() + delay
    timer = [deadline, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, timer)

    def cancel():
        if timer in loop.timers:
            loop.timers.remove(timer)

    return cancel


# %% call-later-1 right: a list of calls that can be emptied
import heapq


def call_later(loop, delay, function, *args):
    calls = [(function, args)]

    def due():
        while calls:
            call, arguments = calls.pop()
            call(*arguments)

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), due])
    return calls.clear


# %% keep-1 wrong: the callback takes no argument
# cause: the loop calls it with the task, that is a TypeError, and the task stays in the set
# line: task.add_done_callback(lambda: kept.discard(task)) | lambda: kept.discard(task)
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(lambda: kept.discard(task))
    return task


# %% keep-1 wrong: takes itself out in a finally of a guard
# cause: a task that is cancelled before its first step never comes to the finally, and stays in the set
# line: finally: | kept.discard(task) | task = asyncio.create_task(guarded())
import asyncio


def background(coro, kept):
    async def guarded():
        try:
            return await coro
        finally:
            kept.discard(task)

    task = asyncio.create_task(guarded())
    kept.add(task)
    return task


# %% keep-1 right: an update and a difference
import asyncio


def background(coro, kept):
    def forget(done):
        kept.difference_update({done})

    task = asyncio.get_running_loop().create_task(coro)
    task.add_done_callback(forget)
    kept |= {task}
    return task

# %% task-step-1 wrong: sends in what the future gave
# cause: a step sends None always; result() of a failed future raises in the callback, so the coroutine never hears of the error
# line: step(done.result())
def start(coro, loop):
    outcome = loop.create_future()

    def step(value=None):
        try:
            awaited = coro.send(value)
        except StopIteration as stop:
            outcome.set_result(stop.value)
        except Exception as error:
            outcome.set_exception(error)
        else:
            if awaited is None:
                loop.call_soon(step)
            else:
                awaited.add_done_callback(lambda done: step(done.result()))

    loop.call_soon(step)
    return outcome

# %% task-step-1 wrong: never waits for the future
# cause: what the coroutine hands out is not looked at, so the next step comes soon although the future is not done
# line: loop.call_soon(step)  # next
def start(coro, loop):
    outcome = loop.create_future()

    def step():
        try:
            coro.send(None)
        except StopIteration as stop:
            outcome.set_result(stop.value)
        except Exception as error:
            outcome.set_exception(error)
        else:
            loop.call_soon(step)  # next

    loop.call_soon(step)
    return outcome

# %% task-step-1 right: a class that is its own callback
class _Stepper:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.future = loop.create_future()

    def __call__(self, _=None):
        try:
            handed = self.coro.send(None)
        except StopIteration as stop:
            tell, news = self.future.set_result, stop.value
        except Exception as error:
            tell, news = self.future.set_exception, error
        else:
            if handed is None:
                tell, news = self.loop.call_soon, self
            else:
                handed._asyncio_future_blocking = False
                tell, news = handed.add_done_callback, self
        tell(news)


def start(coro, loop):
    stepper = _Stepper(coro, loop)
    loop.call_soon(stepper)
    return stepper.future

# %% call-later-1 wrong: an entry without a function
# cause: this loop calls the function of every entry that is due, so it will call None and break
# line: entry[2] = None
import functools
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), functools.partial(function, *args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = None

    return cancel

# %% call-later-1 wrong: takes the entry out and leaves no heap
# cause: after the removal from the middle of the list it is no heap any more, so other timers come in the wrong order or too late
# line: loop.timers.remove(entry)
import heapq


def call_later(loop, delay, function, *args):
    def call():
        function(*args)

    entry = [loop.time() + delay, next(loop.tickets), call]
    heapq.heappush(loop.timers, entry)

    def cancel():
        if entry in loop.timers:
            loop.timers.remove(entry)

    return cancel

# %% call-later-1 right: a list of what is left to do
import functools
import heapq


def call_later(loop, delay, function, *args):
    todo = [functools.partial(function, *args)]

    def ring():
        while todo:
            todo.pop()()

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), ring])
    return todo.clear

# %% keep-1 wrong: taken out by the coroutine itself, again
# cause: a task that is cancelled before its first step never gets to the finally, so it stays in the set (and coro is never started)
# line: kept.discard(task) | finally: | try:
import asyncio


def background(coro, kept):
    async def run():
        try:
            return await coro
        finally:
            kept.discard(task)

    task = asyncio.create_task(run())
    kept.add(task)
    return task

# %% keep-1 wrong: calls discard instead of handing it over
# cause: kept.discard(task) is called at once, so the task is not kept, and the callback is None
# line: kept.discard(task)
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(kept.discard(task))
    return task

# %% keep-1 right: ensure_future and set operators
import asyncio


def background(coro, kept):
    def over(task):
        kept.difference_update({task})

    task = asyncio.ensure_future(coro, loop=asyncio.get_running_loop())
    kept |= {task}
    task.add_done_callback(over)
    return task

# %% task-step-1 wrong: asks the future itself
# cause: the step takes the result of the future, so that its error is raised in the step and coro cannot catch it (and a value is sent instead of None)
# line: value = None if done is None else done.result() | handed = coro.send(value)
def start(coro, loop):
    future = loop.create_future()

    def step(done=None):
        try:
            value = None if done is None else done.result()
            handed = coro.send(value)
        except StopIteration as stop:
            future.set_result(stop.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if handed is None:
                loop.call_soon(step)
            else:
                handed.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: calls soon at once
# cause: call_soon is called now and not when the future is done, so that the next step comes while the future is still pending
# line: handed.add_done_callback(loop.call_soon(step))
def start(coro, loop):
    future = loop.create_future()

    def step():
        try:
            handed = coro.send(None)
        except StopIteration as stop:
            future.set_result(stop.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if handed is None:
                loop.call_soon(step)
            else:
                handed.add_done_callback(loop.call_soon(step))

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: leaves out what it returns if it is nothing
# cause: a coroutine that returns None, 0 or an empty string never gives its future a result
# line: if stop.value:
def start(coro, loop):
    future = loop.create_future()

    def step(_=None):
        try:
            handed = coro.send(None)
        except StopIteration as stop:
            if stop.value:
                future.set_result(stop.value)
            return
        except Exception as error:
            future.set_exception(error)
            return
        if handed is None:
            loop.call_soon(step)
        else:
            handed.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 right: a class with two ways on
class Stepper:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.outcome = loop.create_future()

    def soon(self):
        self.loop.call_soon(self.step)

    def step(self, *ignored):
        finish, what = self.outcome.set_result, None
        try:
            handed = self.coro.send(None)
        except StopIteration as stop:
            what = stop.value
        except Exception as error:
            finish, what = self.outcome.set_exception, error
        else:
            if handed is None:
                self.soon()
            else:
                handed.add_done_callback(self.step)
            return
        finish(what)


def start(coro, loop):
    stepper = Stepper(coro, loop)
    stepper.soon()
    return stepper.outcome

# %% call-later-1 wrong: tears a hole in the heap
# cause: remove takes the entry out of the middle of the list and shifts the rest, after which the list may be no heap and others come late or in the wrong order
# line: loop.timers.remove(entry)
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        if entry in loop.timers:
            loop.timers.remove(entry)

    return cancel

# %% call-later-1 wrong: puts it off for ever
# cause: the deadline is changed inside the heap, so that a cancelled entry at the top, which is never due, keeps back the others behind it
# line: entry[0] = float("inf")
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[0] = float("inf")

    return cancel

# %% call-later-1 wrong: takes off the top
# cause: cancel takes off the first entry of the heap, which may be somebody else's
# line: heapq.heappop(loop.timers)
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), partial(function, *args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        if entry in loop.timers:
            heapq.heappop(loop.timers)

    return cancel

# %% call-later-1 right: a list of one call that can be emptied
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    calls = [partial(function, *args)]

    def fire():
        while calls:
            calls.pop()()

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), fire])
    return calls.clear

# %% keep-1 wrong: takes itself out in a finally, again
# cause: a task that is cancelled before its first step never gets to the try, so that it stays in the set
# line: finally: | kept.discard(asyncio.current_task())
import asyncio


def background(coro, kept):
    async def run():
        try:
            return await coro
        finally:
            kept.discard(asyncio.current_task())

    task = asyncio.create_task(run())
    kept.add(task)
    return task

# %% keep-1 wrong: asks for the result first
# cause: for a task that failed or was cancelled result() raises in the callback, so that the task is never taken out
# line: task.result()
import asyncio


def background(coro, kept):
    def ended(task):
        task.result()
        kept.discard(task)

    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(ended)
    return task

# %% keep-1 wrong: a set of its own
# cause: the bar makes a new set and the caller's set never gets the task
# line: kept = kept | {task}
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept = kept | {task}
    task.add_done_callback(kept.discard)
    return task

# %% keep-1 right: by way of the loop and set arithmetic
import asyncio


def background(coro, kept):
    task = asyncio.get_running_loop().create_task(coro)
    kept.update((task,))
    task.add_done_callback(lambda *done: kept.difference_update(done))
    return task

# %% call-later-1 wrong: cancels all of the same deadline
# cause: cancel throws out every entry with this deadline, so it cancels other calls that are due at the same time
# line: timer for timer in loop.timers if timer[0] != deadline
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    deadline = loop.time() + delay
    heapq.heappush(loop.timers, [deadline, next(loop.tickets), partial(function, *args)])

    def cancel():
        loop.timers[:] = [
            timer for timer in loop.timers if timer[0] != deadline
        ]
        heapq.heapify(loop.timers)

    return cancel

# %% keep-1 wrong: tidies up at the next call
# cause: tasks that are done are only taken out when background is called again, and not when they are done
# line: for old in [task for task in kept if task.done()]: | kept.remove(old) | none
import asyncio


def background(coro, kept):
    for old in [task for task in kept if task.done()]:
        kept.remove(old)
    new = asyncio.ensure_future(coro)
    kept.add(new)
    return new

# %% call-later-1 wrong: the arguments as one tuple
# cause: the function gets one tuple
# line: function(args)
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[2] = lambda: None

    return cancel

# %% call-later-1 wrong: due at once when cancelled
# cause: cancel puts the deadline to 0, so it is called at once
# line: entry[0] = 0
import heapq


def call_later(loop, delay, function, *args):
    entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
    heapq.heappush(loop.timers, entry)

    def cancel():
        entry[0] = 0

    return cancel

# %% call-later-1 wrong: empties the heap
# cause: cancel empties the whole heap
# line: loop.timers.clear()
import heapq


def call_later(loop, delay, function, *args):
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), lambda: function(*args)])

    def cancel():
        loop.timers.clear()

    return cancel

# %% call-later-1 wrong: cancels the entry at the end
# cause: cancel takes the newest entry
# line: loop.timers[-1]
import heapq


def call_later(loop, delay, function, *args):
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), lambda: function(*args)])

    def cancel():
        if loop.timers:
            loop.timers[-1][2] = lambda: None

    return cancel

# %% keep-1 wrong: keeps the name
# cause: keeps the name, not the task
# line: kept.add(task.get_name())
import asyncio


def background(coro, kept):
    task = asyncio.create_task(coro)
    kept.add(task.get_name())
    task.add_done_callback(lambda done: kept.discard(done.get_name()))
    return task

# %% keep-1 wrong: lets go after a fixed time
# cause: it is taken out after a fixed time
# line: call_later
import asyncio


def background(coro, kept):
    loop = asyncio.get_running_loop()
    task = loop.create_task(coro)
    kept.add(task)
    loop.call_later(10, kept.discard, task)
    return task

# %% task-step-1 wrong: a tenth of a second after a None
# cause: waits for a tenth after a None
# line: loop.call_later(0.1, step)
def start(coro, loop):
    future = loop.create_future()

    def step(woken=None):
        try:
            waits_for = coro.send(None)
        except StopIteration as end:
            future.set_result(end.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_later(0.1, step)
            else:
                waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: next for a coroutine
# cause: a coroutine is no iterator
# line: next(coro)
def start(coro, loop):
    future = loop.create_future()

    def step(woken=None):
        try:
            waits_for = next(coro)
        except StopIteration as end:
            future.set_result(end.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if waits_for is None:
                loop.call_soon(step)
            else:
                waits_for.add_done_callback(step)

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: a failed future ends the task
# cause: The error of an awaited future is given to the task's future directly, and the coroutine is not resumed: it can neither catch the error nor clean up.
# line: result.set_exception(awaited.exception())
def start(coro, loop):
    result = loop.create_future()

    def resume(awaited):
        if awaited.exception() is not None:
            result.set_exception(awaited.exception())
        else:
            step()

    def step():
        try:
            handed = coro.send(None)
        except StopIteration as stop:
            result.set_result(stop.value)
        except Exception as error:
            result.set_exception(error)
        else:
            if handed is None:
                loop.call_soon(step)
            else:
                handed.add_done_callback(resume)

    loop.call_soon(step)
    return result

# %% task-step-1 wrong: begins by itself
# cause: the first step is taken inside start, not by loop.call_soon
# line: advance(None)
def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    result = loop.create_future()

    def advance(_):
        try:
            awaited = coro.send(None)
        except StopIteration as stop:
            result.set_result(stop.value)
        except Exception as error:
            result.set_exception(error)
        else:
            if awaited is None:
                loop.call_soon(advance, None)
            else:
                awaited.add_done_callback(advance)

    advance(None)
    return result

# %% keep-1 wrong: takes the task out at once
# cause: `kept.remove(task)` is called here and now, so the task is out of the set at once, and what is given as a callback is only None.
# line: task.add_done_callback(kept.remove(task))
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.create_task(coro)
    kept.add(task)
    task.add_done_callback(kept.remove(task))
    return task

# %% task-step-1 wrong: sends the result of the future
# cause: it sends what the future holds, and not None
# line: done.result() | coro.send(value)
def start(coro, loop):
    future = loop.create_future()

    def step(value=None):
        try:
            waits = coro.send(value)
        except StopIteration as stop:
            future.set_result(stop.value)
        except Exception as error:
            future.set_exception(error)
        else:
            if waits is None:
                loop.call_soon(step)
            else:
                waits.add_done_callback(lambda done: step(done.result()))

    loop.call_soon(step)
    return future

# %% task-step-1 wrong: failed future bypasses the coroutine
# cause: The step asks the awaited future for its result before it sends, so when that future failed the error goes straight to the outcome and the coroutine never gets to catch it or clean up.
# line: awaited.result() | if awaited is not None:
class _Stepper:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.future = loop.create_future()

    def step(self, awaited=None):
        try:
            if awaited is not None:
                awaited.result()
            blocker = self.coro.send(None)
        except StopIteration as stop:
            self.future.set_result(stop.value)
        except Exception as error:
            self.future.set_exception(error)
        else:
            if blocker is None:
                self.loop.call_soon(self.step)
            else:
                blocker.add_done_callback(self.step)


def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    stepper = _Stepper(coro, loop)
    loop.call_soon(stepper.step)
    return stepper.future

# %% call-later-1 wrong: removes without restoring the heap
# cause: Removing an entry from the middle of the list shifts the others and no heapify follows, so the list may be no heap any more and other timers are called late or in the wrong order.
# line: loop.timers.remove(entry) | none
import contextlib
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    def run():
        function(*args)

    deadline = loop.time() + delay
    entry = [deadline, next(loop.tickets), run]
    heapq.heappush(loop.timers, entry)

    def cancel():
        with contextlib.suppress(ValueError):
            loop.timers.remove(entry)

    return cancel

# %% task-step-1 wrong: StopIteration itself as the result
# cause: The future gets the StopIteration object instead of its value, so who awaits it gets a StopIteration in place of what the coroutine returned.
# line: future.set_result(result) | except StopIteration as result:
def start(coro, loop):
    future = loop.create_future()

    def advance(*_):
        try:
            handed_out = coro.send(None)
        except StopIteration as result:
            future.set_result(result)
            return
        except Exception as exc:
            future.set_exception(exc)
            return
        if handed_out is None:
            loop.call_soon(advance)
        else:
            handed_out.add_done_callback(advance)

    loop.call_soon(advance)
    return future

# %% keep-1 wrong: swept only at the next call
# cause: Tasks that are done are taken out only when background is called the next time, so the last ones stay in the set after they are done.
# line: kept.difference_update( | kept.add(task) | if t.done()
import asyncio


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    finished = {t for t in kept if t.done()}
    kept.difference_update(finished)
    task = asyncio.create_task(coro)
    kept.add(task)
    return task

# %% task-step-1 wrong: first step at once
# cause: the first step is called directly, so the coroutine begins to run before start has returned.
# line: self.advance()
class Runner:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.future = loop.create_future()
        self.advance()

    def advance(self, _fut=None):
        try:
            request = self.coro.send(None)
        except StopIteration as e:
            self.future.set_result(e.value)
            return
        except Exception as e:
            self.future.set_exception(e)
            return
        if request is None:
            self.loop.call_soon(self.advance)
        else:
            request.add_done_callback(self.advance)


def start(coro, loop):
    return Runner(coro, loop).future

# %% keep-1 wrong: cancelled task stays in set
# cause: exception() of a cancelled task raises CancelledError, so the callback breaks off before the discard and a cancelled task is kept for ever.
# line: error = finished.exception() | kept.discard(finished)
import asyncio


def background(coro, kept):
    def on_done(finished):
        error = finished.exception()
        if error is not None:
            print("background task failed:", repr(error))
        kept.discard(finished)

    t = asyncio.get_running_loop().create_task(coro)
    kept.add(t)
    t.add_done_callback(on_done)
    return t

# %% task-step-1 right: a callable stepper object
import asyncio


class _Stepper:
    def __init__(self, coro, loop):
        self.coro = coro
        self.loop = loop
        self.outcome = loop.create_future()

    def __call__(self, _=None):
        try:
            handed = self.coro.send(None)
        except StopIteration as stop:
            self.settle(self.outcome.set_result, stop.value)
        except asyncio.CancelledError:
            self.outcome.cancel()
        except Exception as error:
            self.settle(self.outcome.set_exception, error)
        else:
            match handed:
                case None:
                    self.loop.call_soon(self)
                case future:
                    future.add_done_callback(self)

    def settle(self, setter, what):
        if not self.outcome.done():
            setter(what)


def start(coro, loop):
    """Run `coro` on `loop`, step by step; return a future of its result."""
    stepper = _Stepper(coro, loop)
    loop.call_soon(stepper)
    return stepper.outcome

# %% call-later-1 right: the cancel is deque.clear
import heapq
from collections import deque
from functools import partial


def call_later(loop, delay, function, *args):
    pending = deque([partial(function, *args)])

    def fire():
        if pending:
            pending.pop()()

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), fire])
    return pending.clear

# %% keep-1 right: an ExitStack closed when done
import asyncio
from contextlib import ExitStack


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    stay = ExitStack()
    task = asyncio.get_running_loop().create_task(coro)
    kept.update((task,))
    stay.callback(kept.discard, task)
    task.add_done_callback(lambda _: stay.close())
    return task

# %% keep-1 wrong: cancelled tasks are kept for ever
# cause: the callback returns early for a cancelled task, before it takes the task out, so a cancelled one stays in `kept`.
# line: if finished.cancelled(): | kept.discard(finished) | return
import asyncio
import logging


def background(coro, kept):
    """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
    task = asyncio.create_task(coro)
    kept.add(task)

    def clean_up(finished):
        if finished.cancelled():
            return
        error = finished.exception()
        if error is not None:
            logging.error("background task failed: %r", error)
        kept.discard(finished)

    task.add_done_callback(clean_up)
    return task

# %% task-step-1 right: a callable dataclass that walks
import asyncio
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class Walker:
    coro: Any
    loop: Any
    promise: Any

    def __call__(self, _woken_by=None):
        try:
            handed_out = self.coro.send(None)
        except StopIteration as end:
            self.arrive("set_result", end.value)
        except asyncio.CancelledError:
            self.promise.cancel()
        except Exception as error:
            self.arrive("set_exception", error)
        else:
            match handed_out:
                case None:
                    self.loop.call_soon(self)
                case future:
                    future.add_done_callback(self)

    def arrive(self, verb, what):
        if not self.promise.done():
            getattr(self.promise, verb)(what)


def start(coro, loop):
    walker = Walker(coro, loop, loop.create_future())
    loop.call_soon(walker)
    return walker.promise

# %% call-later-1 right: a list of at most one job
import functools
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    jobs = [functools.partial(function, *args)]

    def ring():
        while jobs:
            jobs.pop()()

    def cancel():
        jobs.clear()

    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), ring])
    return cancel

# %% call-later-1 wrong: cancel takes back every call of that function
# cause: looks for the entry by its function, which without arguments may stand there twice
# line: entry[2] is not call
import functools
import heapq


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    call = functools.partial(function, *args) if args else function
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), call])

    def cancel():
        loop.timers[:] = [entry for entry in loop.timers if entry[2] is not call]
        heapq.heapify(loop.timers)

    return cancel

# %% call-later-1 wrong: cancel takes back another call of the same function
# cause: cancel looks for the function, not for its entry; when the same function without arguments is due twice, it may take the other one, and a second or late cancel takes it for sure
# line: if entry[2] == call: | call = partial(function, *args) if args else function
import heapq
from functools import partial


def call_later(loop, delay, function, *args):
    """Call function(*args) in `delay` seconds; return a function that cancels it."""
    call = partial(function, *args) if args else function
    heapq.heappush(loop.timers, [loop.time() + delay, next(loop.tickets), call])

    def cancel():
        for entry in loop.timers:
            if entry[2] == call:
                loop.timers.remove(entry)
                heapq.heapify(loop.timers)
                return

    return cancel

# %% keep-1 right: an ExitStack closed by the callback
import asyncio
import contextlib


def background(coro, kept):
    task = asyncio.get_running_loop().create_task(coro)
    afterwards = contextlib.ExitStack()
    kept.add(task)
    afterwards.callback(kept.discard, task)
    task.add_done_callback(lambda _ended: afterwards.close())
    return task
