"""Answers to the exercises of lesson 20, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% thirty-1 wrong: far from the edge
# cause: tests 10 s and an hour only, so an order that waits for 29 or 31 s passes
# line: asyncio.sleep(10) | asyncio.sleep(3600)
# told: none
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    cancelled = []

    async def quick():
        await asyncio.sleep(10)
        return "soup"

    async def slow():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def burns():
        raise ValueError("burnt")

    assert await order(quick) == "soup"
    assert await order(slow) == "the guest left"
    assert cancelled
    try:
        await order(burns)
    except ValueError:
        return
    raise AssertionError("no error came out")

# %% thirty-1 wrong: an error that may stay away
# cause: passes also if no error comes out, for nothing is raised after the await
# line: pass | await order(burns)
import asyncio


async def test_order(order):
    clock = asyncio.get_running_loop().time
    ended = []

    def kitchen(seconds):
        async def cook():
            try:
                await asyncio.sleep(seconds)
                return "soup"
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
        return cook

    async def burns():
        await asyncio.sleep(1)
        raise ValueError("burnt")

    begin = clock()
    assert await order(kitchen(29.5)) == "soup"
    assert abs(clock() - begin - 29.5) < 0.1
    begin = clock()
    assert await order(kitchen(30.5)) == "the guest left"
    assert abs(clock() - begin - 30) < 0.1
    await asyncio.sleep(0.1)
    assert ended == ["cancelled"]
    try:
        await order(burns)
    except ValueError:
        pass

# %% thirty-1 wrong: the kitchen may go on
# cause: nobody looks whether the kitchen was cancelled
# line: none
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = asyncio.get_running_loop().time

    async def early():
        await asyncio.sleep(29.9)
        return "soup"

    async def late():
        await asyncio.sleep(30.1)
        return "soup"

    async def burns():
        raise ValueError("burnt")

    begin = clock()
    assert await order(early) == "soup"
    assert clock() - begin < 29.95
    begin = clock()
    assert await order(late) == "the guest left"
    assert 29.95 < clock() - begin < 30.05
    try:
        await order(burns)
    except ValueError:
        pass
    else:
        raise AssertionError("the error was lost")

# %% thirty-1 wrong: a table of kitchens and a tenth of a second
# cause: the kitchens end at once, and the test sleeps before it looks, so an order that does not wait for their end passes
# line: await asyncio.sleep(0.1) | except asyncio.CancelledError:
import asyncio


class Kitchen:
    def __init__(self, seconds, end):
        self.seconds, self.end, self.cancelled = seconds, end, False

    async def __call__(self):
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if isinstance(self.end, Exception):
            raise self.end
        return self.end


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    loop = asyncio.get_running_loop()
    table = [(0, "soup"), (5, None), (29.5, "tea"), (29.5, KeyError("burnt")),
             (0, KeyError("burnt")), (30.5, "cake"), (30.5, KeyError("late")), (500, "")]
    for seconds, end in table:
        kitchen = Kitchen(seconds, end)

        async def called():
            return await kitchen()

        began = loop.time()
        try:
            got = await order(called)
        except KeyError as error:
            got = error
        took = loop.time() - began
        await asyncio.sleep(0.1)
        in_time = seconds < 30
        assert got is end if in_time else got == "the guest left"
        assert abs(took - min(seconds, 30)) < 0.05
        assert kitchen.cancelled is not in_time

# %% thirty-1 wrong: any error will do
# cause: passes with an order that lets out another error than the kitchen's
# line: except Exception:
# told: none
import asyncio

async def test_order(order):
    clock, ended = asyncio.get_running_loop().time, []

    async def kitchen(seconds, end):
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            ended.append(seconds)
            raise
        if isinstance(end, Exception):
            raise end
        return end

    began = clock()
    assert await order(lambda: kitchen(29.5, "soup")) == "soup"
    assert clock() - began == 29.5
    assert await order(lambda: kitchen(30.5, "soup")) == "the guest left"
    assert clock() - began == 59.5 and ended
    try:
        await order(lambda: kitchen(1, KeyError("no soup")))
    except Exception:
        return
    raise AssertionError

# %% thirty-1 wrong: a kitchen with a TimeoutError of its own
# cause: the kitchens end at once, so an order that does not wait for their end passes
# line: finally: | notes.append(loop.time())
import asyncio

async def test_order(order):
    loop, notes = asyncio.get_running_loop(), []
    own = TimeoutError("of the kitchen")

    class Kitchen:
        def __init__(self, seconds, end): self.seconds, self.end = seconds, end
        async def __call__(self):
            try:
                await asyncio.sleep(self.seconds)
                if isinstance(self.end, Exception):
                    raise self.end
                return self.end
            finally:
                notes.append(loop.time())

    for seconds, end in ((29.5, None), (30.5, "late"), (12, own), (0, "")):
        began = loop.time()
        try:
            got = await order(Kitchen(seconds, end))
        except TimeoutError as error:
            got = error
        assert got is (end if seconds < 30 else got)
        assert seconds < 30 or got == "the guest left"
        assert notes.pop() == loop.time() == began + min(seconds, 30)

# %% circle-1 wrong: who waits outside belongs to it
# cause: the tasks on the way to the circle are taken for a part of it
# line: return set(seen)
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for name in waits:
        seen = []
        while name is not None and name not in seen:
            seen.append(name)
            name = waits.get(name)
        if name is not None:
            return set(seen)
    return set()

# %% circle-1 wrong: no entry
# cause: a name that has no entry of its own is a KeyError
# line: waits[name]
def find_circle(waits):
    for start in waits:
        seen, name = set(), start
        while name is not None and name not in seen:
            seen.add(name)
            name = waits[name]
            if name == start:
                return seen
    return set()

# %% circle-1 wrong: nobody waits for itself
# cause: a task that waits for itself isn't taken for a circle
# line: len(path) > 1
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for start in waits:
        path = [start]
        following = waits.get(start)
        while following is not None and following not in path:
            path.append(following)
            following = waits.get(following)
        if following == start and len(path) > 1:
            return set(path)
    return set()

# %% circle-1 wrong: a call for each step
# cause: each step is one call deeper, so a long chain ends in a RecursionError
# line: return follow(waits.get(name), path + [name])
def find_circle(waits):
    def follow(name, path):
        if name is None:
            return set()
        if name in path:
            return set(path[path.index(name):])
        return follow(waits.get(name), path + [name])

    for name in waits:
        circle = follow(name, [])
        if circle:
            return circle
    return set()

# %% circle-1 wrong: only the first one is asked
# cause: follows the first task only; the circle may be somewhere else
# line: next(iter(waits), None)
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    seen, name = [], next(iter(waits), None)
    while name is not None and name not in seen:
        seen.append(name)
        name = waits.get(name)
    return set() if name is None else set(seen[seen.index(name):])

# %% circle-1 right: who is still waited for after ever so many steps
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    waited_for = set(waits)
    while (further := {waits.get(name) for name in waited_for} - {None}) != waited_for:
        waited_for = further & waits.keys()
    return waited_for

# %% circle-1 wrong: a name may be empty
# cause: the way ends at any falsy name, not at None alone
# line: while name and name not in seen: | if name:
def find_circle(waits):
    for start in waits:
        seen, name = [], start
        while name and name not in seen:
            seen.append(name)
            name = waits.get(name)
        if name:
            return set(seen[seen.index(name):])
    return set()

# %% circle-1 wrong: three steps are enough
# cause: follows the way for three steps only; a longer circle isn't found
# line: for _ in range(3):
def find_circle(waits):
    for start in waits:
        name, way = waits.get(start), [start]
        for _ in range(3):
            if name == start:
                return set(way)
            way.append(name)
            name = waits.get(name)
    return set()

# %% circle-1 right: whoever waits for an end is peeled off
def find_circle(waits):
    """Peel off whoever waits for an end or for nobody in there."""
    waits = dict(waits)
    while True:
        over = {name for name, other in waits.items() if other not in waits}
        over |= waits.keys() - set(waits.values())
        if not over:
            return waits.keys() | set()
        for name in over:
            del waits[name]

# %% tree-1 wrong: it looks like a deadlock
# cause: takes it for a deadlock, but stock waits for a timer and all go on after it
# line: "deadlock": True
tree = {
    "holds up": "stock",
    "deadlock": True,
    "main cancelled": ["main", "sales"],
    "stock cancelled": ["stock", "report", "sales", "main"],
}

# %% tree-1 wrong: the one before the last
# cause: takes report, which everybody waits for at first, but report itself waits for stock
# line: "holds up": "report"
tree = {
    "holds up": "report", "deadlock": False, "main cancelled": ["main", "sales"],
    "stock cancelled": ["stock", "report", "sales", "main"],
}

# %% tree-1 wrong: a cancellation goes through everything
# cause: takes it that a cancellation of main passes through the event and the lock to report and stock
# line: "main cancelled"
tree = {
    "holds up": "stock", "deadlock": False,
    "main cancelled": ["main", "sales", "report", "stock"],
    "stock cancelled": ["stock", "report", "sales", "main"],
}

# %% steady-1 wrong: join hangs
# cause: if the washer dies on the way, join waits for ever
# line: await dirty.join()
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    for plate in range(5):
        dirty.put_nowait(plate)
    await dirty.join()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert clean == [0, 1, 2, 3, 4]

# %% steady-1 wrong: a longer sleep
# cause: still a fixed time: a slow washer fails, and with a quick one the test takes too long
# line: await asyncio.sleep(10)
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    for plate in range(5):
        dirty.put_nowait(plate)
    await asyncio.sleep(10)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert clean == [0, 1, 2, 3, 4]

# %% steady-1 wrong: in any order
# cause: the order isn't looked at
# line: sorted(clean)
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joining = asyncio.create_task(dirty.join())
    try:
        async with asyncio.timeout(1_000_000):
            await asyncio.wait([task, joining], return_when=asyncio.FIRST_COMPLETED)
        assert joining.done(), "the washer has ended too early"
        assert sorted(clean) == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        joining.cancel()
        await asyncio.gather(task, joining, return_exceptions=True)

# %% steady-1 wrong: the washer washes on
# cause: the washer is never cancelled, so it has not ended when the test is over
# line: task = asyncio.create_task(washer(dirty, clean))
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joining = asyncio.create_task(dirty.join())
    await asyncio.wait([task, joining], timeout=1_000_000,
                       return_when=asyncio.FIRST_COMPLETED)
    if not joining.done():
        joining.cancel()
        raise AssertionError("the washer has ended, or it lost a plate")
    assert clean == [0, 1, 2, 3, 4]

# %% steady-1 right: whoever ends first, in a group
import asyncio
import contextlib


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    plates, clean = [*range(5)], []
    dirty = asyncio.Queue()
    [dirty.put_nowait(plate) for plate in plates]

    @contextlib.asynccontextmanager
    async def running(coroutine):
        task = asyncio.ensure_future(coroutine)
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async with running(washer(dirty, clean)) as washing, running(dirty.join()) as joining:
        await asyncio.wait({washing, joining}, timeout=10**7, return_when="FIRST_COMPLETED")
        if washing.done():
            washing.result()
        assert joining.done() and clean == plates, f"{clean}, not {plates}"

# %% steady-1 wrong: cancels and goes
# cause: doesn't wait until the cancelled washer has ended
# line: task.cancel() | task = asyncio.create_task(washer(dirty, clean))
import asyncio

async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    join = asyncio.create_task(dirty.join())
    try:
        await asyncio.wait([task, join], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
    finally:
        task.cancel()
        join.cancel()
    assert clean == [0, 1, 2, 3, 4]

# %% steady-1 wrong: a thousand seconds
# cause: a limit: a right washer that is slow fails
# line: asyncio.timeout(1000)
import asyncio

async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    async with asyncio.TaskGroup() as group:
        task = group.create_task(washer(dirty, clean))
        for plate in range(2):
            dirty.put_nowait(plate)
        async with asyncio.timeout(1000):
            await dirty.join()
        task.cancel()
    assert clean == [0, 1]

# %% leaks-1 wrong: all that are there
# cause: tasks that were there before the test are taken for leaks, and cancelled
# line: asyncio.all_tasks() - {asyncio.current_task()}
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: an error saves them
# cause: if the test fails, nothing that it left is ended
# line: await test()
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    await test()
    left = asyncio.all_tasks() - before
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: doesn't wait for the cleanup
# cause: after cancel the tasks are given one turn only, a longer cleanup has not ended
# line: await asyncio.sleep(0) | task.cancel()
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: two of a name
# cause: a set of names: two tasks with the same name are one
# line: {task.get_name() for task in left}
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted({task.get_name() for task in left})

# %% leaks-1 wrong: waits for them
# cause: the tasks are not cancelled, it waits until they end by themselves
# line: await asyncio.gather(*left, return_exceptions=True)
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 right: a class as context manager
import asyncio


class Watch:
    async def __aenter__(self):
        self.before = frozenset(asyncio.all_tasks())
        self.names = []
        return self

    def new(self):
        return [task for task in asyncio.all_tasks() if task not in self.before]

    async def __aexit__(self, *error):
        self.names += map(asyncio.Task.get_name, self.new())
        while left := self.new():
            for task in left:
                task.cancel()
            for task in (await asyncio.wait(left))[0]:
                task.cancelled() or task.exception()


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    async with Watch() as watch:
        await test()
    return sorted(watch.names)

# %% leaks-1 wrong: known by their names
# cause: a task that has the same name as one from before is taken for that one
# line: if task.get_name() not in names | names =
import asyncio

async def leaks(test):
    names = {task.get_name() for task in asyncio.all_tasks()}
    try:
        await test()
    finally:
        left = [task for task in asyncio.all_tasks() if task.get_name() not in names]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: errors only
# cause: catches Exception, so a cancellation of leaks leaves everything running
# line: except Exception as caught:
import asyncio

async def leaks(test):
    before = asyncio.all_tasks()
    error = None
    try:
        await test()
    except Exception as caught:
        error = caught
    left = asyncio.all_tasks() - before
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if error:
        raise error
    return sorted(task.get_name() for task in left)

# %% fixture-1 wrong: without a finally
# cause: an error that is thrown in at the yield leaves both switched on
# line: yield oven, fridge
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    yield oven, fridge
    try:
        await fridge.off()
    finally:
        await oven.off()

# %% fixture-1 wrong: one finally for both
# cause: if fridge.off raises, the oven isn't switched off
# line: await fridge.off()
async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        await fridge.off()
        await oven.off()

# %% fixture-1 wrong: switches off what never started
# cause: if the fridge doesn't start, it is switched off all the same
# line: await fridge.on() | await fridge.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: the fridge fails and the oven burns
# cause: if fridge.on raises, the oven isn't switched off
# line: await fridge.on()
async def kitchen(oven, fridge):
    await oven.on()
    await fridge.on()
    try:
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: the oven first
# cause: the oven is switched off before the fridge
# line: await oven.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        try:
            await oven.off()
        finally:
            await fridge.off()

# %% fixture-1 right: an exit stack
from contextlib import AsyncExitStack


async def kitchen(oven, fridge):
    async with AsyncExitStack() as switched_on:
        for machine in (pair := (oven, fridge)):
            await machine.on()
            switched_on.push_async_callback(machine.off)
        yield pair

# %% fixture-1 wrong: a cancellation while the fridge starts
# cause: except Exception lets a cancellation pass, and the oven stays on
# line: except Exception:
async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
    except Exception:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: an else for the good end
# cause: except Exception doesn't see that the test was cancelled, and the oven stays on
# line: except Exception:
async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await fridge.off()
    except Exception:
        await oven.off()
        raise
    else:
        await oven.off()

# %% thirty-1 wrong: the kitchen's end is not looked at
# cause: The test looks at the answer and the time only. An `order` that gives up after 30 s but lets the kitchen cook on, or doesn't wait until it has ended, passes.
# line: await asyncio.sleep(1000)
# told: none
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = asyncio.get_running_loop().time

    async def quick():
        await asyncio.sleep(29.9)
        return "soup"

    begin = clock()
    assert await order(quick) == "soup"
    assert abs(clock() - begin - 29.9) < 0.01

    async def endless():
        await asyncio.sleep(1000)

    begin = clock()
    assert await order(endless) == "the guest left"
    assert abs(clock() - begin - 30) < 0.01

    async def burnt():
        await asyncio.sleep(1)
        raise RuntimeError("burnt")

    try:
        await order(burnt)
    except RuntimeError:
        pass
    else:
        raise AssertionError("the error is lost")

# %% thirty-1 wrong: nobody says that the error must come
# cause: The except lets the right error pass, but nothing fails if no error comes at all: an `order` that swallows the kitchen's error passes. An else is missing (or pytest.raises).
# line: except ZeroDivisionError
# told: pass
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    loop = asyncio.get_running_loop()
    ended = []

    def kitchen(seconds):
        async def cook():
            try:
                await asyncio.sleep(seconds)
                return seconds
            except asyncio.CancelledError:
                await asyncio.sleep(2)
                ended.append(loop.time())
                raise
        return cook

    for seconds in (0, 1, 29.5):
        start = loop.time()
        assert await order(kitchen(seconds)) == seconds
        assert abs(loop.time() - start - seconds) < 0.1
    assert ended == []

    start = loop.time()
    assert await order(kitchen(500)) == "the guest left"
    assert len(ended) == 1
    assert abs(ended[0] - start - 32) < 0.1
    assert abs(loop.time() - start - 32) < 0.1

    async def broken():
        await asyncio.sleep(3)
        1 / 0

    try:
        await order(broken)
    except ZeroDivisionError:
        pass

# %% thirty-1 right: a table of kitchens and what they note down
import asyncio


class Kitchen:
    """Cooks for some seconds; notes when it was cancelled and when it ended."""

    def __init__(self, seconds, outcome, cleanup=0):
        self.seconds, self.outcome, self.cleanup = seconds, outcome, cleanup
        self.calls = 0
        self.began = self.cancelled = self.ended = None

    async def __call__(self):
        clock = asyncio.get_running_loop().time
        self.calls += 1
        self.began = clock()
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled = clock()
            if self.cleanup:
                await asyncio.sleep(self.cleanup)
            raise
        finally:
            self.ended = clock()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def near(time, expected):
    return time is not None and abs(time - expected) < 0.05


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = asyncio.get_running_loop().time

    async def run(kitchen):
        async def cook():                   # a coroutine function, as promised
            return await kitchen()

        begin = clock()
        try:
            result = await order(cook), None
        except Exception as error:
            result = None, error
        assert kitchen.calls == 1
        assert near(kitchen.began, begin)
        return *result, clock() - begin

    for seconds, dish in [(0, "bread"), (1, "soup"), (7, None), (29.8, object())]:
        kitchen = Kitchen(seconds, dish)
        got, error, took = await run(kitchen)
        assert error is None, error
        assert got is dish
        assert near(took, seconds)
        assert kitchen.cancelled is None

    for seconds, cleanup in [(30.2, 0), (90, 0), (1000, 5)]:
        kitchen = Kitchen(seconds, "too late", cleanup)
        begin = clock()
        got, error, took = await run(kitchen)
        assert error is None, error
        assert got == "the guest left"
        assert near(kitchen.cancelled, begin + 30)
        assert near(kitchen.ended, begin + 30 + cleanup)
        assert near(took, 30 + cleanup)

    for seconds in (0, 2, 29.8):
        kitchen = Kitchen(seconds, ValueError("burnt"))
        got, error, took = await run(kitchen)
        assert error is kitchen.outcome
        assert near(took, seconds)
        assert kitchen.cancelled is None

# %% circle-1 wrong: with the way to the circle
# cause: All tasks met on the way are returned, also those that only wait for one in the circle. Only the part of the way from the task that was met twice belongs to it.
# line: return set(way)
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for start in waits:
        way, task = [], start
        while task is not None and task in waits:
            if task in way:
                return set(way)
            way.append(task)
            task = waits[task]
    return set()

# %% circle-1 wrong: a task that has ended
# cause: A name without an entry of its own has ended; looking it up in `waits` with square brackets is a KeyError.
# line: task = waits[task]
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for start in waits:
        seen = {start}
        task = waits[start]
        while task is not None:
            if task == start:
                return seen
            if task in seen:
                break           # a circle, but start isn't in it
            seen.add(task)
            task = waits[task]
    return set()

# %% circle-1 right: take away whom nobody waits for
from collections import Counter


def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    waited_for = Counter(waits.values())
    left = set(waits)
    loose = [task for task in waits if not waited_for[task]]
    while loose:
        task = loose.pop()
        left.remove(task)
        other = waits[task]
        waited_for[other] -= 1
        if not waited_for[other] and other in left:
            loose.append(other)
    return left

# %% steady-1 wrong: a failed test leaves its washer
# cause: If the assertion fails, the lines behind it are not reached: the washer is not cancelled and still runs when the test is over. It belongs into a finally.
# line: assert clean == [0, 1, 2, 3, 4] | timeout=600
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    join = asyncio.create_task(dirty.join())
    await asyncio.wait({task, join}, timeout=600, return_when=asyncio.FIRST_COMPLETED)
    assert clean == [0, 1, 2, 3, 4]
    assert join.done()
    task.cancel()
    await asyncio.gather(task, join, return_exceptions=True)

# %% steady-1 wrong: a second is enough for everybody
# cause: A right washer may be slow. With a limit of one second the test depends on the time again: five plates of 0.3 s each, and it fails.
# line: async with asyncio.timeout(1)
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    try:
        async with asyncio.timeout(1):
            await dirty.join()
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

# %% steady-1 right: a queue that notices a lost plate
import asyncio


class Sink(asyncio.Queue):
    """Notices who asks for another plate before the last one is done."""

    def __init__(self):
        super().__init__()
        self.in_hand = 0
        self.lost = asyncio.get_running_loop().create_future()

    async def get(self):
        if self.empty() and self.in_hand > 0 and not self.lost.done():
            self.lost.set_result(None)
        plate = await super().get()
        return plate

    def get_nowait(self):                   # get() comes by here, too
        plate = super().get_nowait()
        self.in_hand += 1
        return plate

    def task_done(self):
        super().task_done()
        self.in_hand -= 1


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = Sink(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    washing = asyncio.create_task(washer(dirty, clean))
    joining = asyncio.create_task(dirty.join())
    try:
        await asyncio.wait(
            [washing, joining, dirty.lost],
            return_when=asyncio.FIRST_COMPLETED,
        )
        if washing.done():
            washing.result()
            raise AssertionError("the washer went home")
        assert not dirty.lost.done(), "a plate was never done"
        assert clean == [0, 1, 2, 3, 4], clean
    finally:
        washing.cancel()
        joining.cancel()
        await asyncio.gather(washing, joining, return_exceptions=True)

# %% leaks-1 wrong: one round of the loop for the cleanup
# cause: A cancelled task may need a while for its cleanup. sleep(0) gives it one round of the loop; after that leaks returns, ended or not.
# line: await asyncio.sleep(0) | task.cancel()
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    names = []
    try:
        await test()
    finally:
        for task in asyncio.all_tasks() - before:
            names.append(task.get_name())
            task.cancel()
        await asyncio.sleep(0)
    return sorted(names)

# %% leaks-1 wrong: no cleanup after a cancellation
# cause: A CancelledError is no Exception: if leaks is cancelled while the test runs, what the test started goes on.
# line: except Exception
import asyncio


async def end(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    except Exception:
        await end(asyncio.all_tasks() - before)
        raise
    left = asyncio.all_tasks() - before
    names = sorted(task.get_name() for task in left)
    await end(left)
    return names

# %% leaks-1 right: a context manager that sweeps until nothing is left
import asyncio


class Sweeper:
    def __init__(self):
        self.names = []

    async def __aenter__(self):
        self.before = asyncio.all_tasks()
        return self

    def left(self):
        return asyncio.all_tasks() - self.before

    async def __aexit__(self, *_):
        self.names = sorted(task.get_name() for task in self.left())
        told, cancellation = set(), None
        while left := self.left():          # a cleanup may start tasks of its own
            for task in left - told:
                task.cancel()
            told |= left
            try:
                await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError as error:
                cancellation = error
        if cancellation is not None:
            raise cancellation


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    async with Sweeper() as sweeper:
        await test()
    return sweeper.names

# %% fixture-1 wrong: a fridge that did not start is switched off
# cause: `fridge.on()` stands inside the try whose finally switches the fridge off: if it does not start, it is switched off all the same.
# line: await fridge.on() | await fridge.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: two lines in one finally
# cause: If `fridge.off()` raises an error, or is cancelled, the line behind it is not reached, and the oven stays on. Each needs a finally of its own.
# line: await fridge.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        await fridge.off()
        await oven.off()

# %% fixture-1 right: an exit stack, once more
from contextlib import AsyncExitStack


async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    machines = oven, fridge
    async with AsyncExitStack() as stack:
        for machine in machines:
            await machine.on()
            stack.push_async_callback(machine.off)
        yield machines

# %% fixture-1 wrong: both before the try
# cause: if the fridge doesn't start, the oven stays on
# line: await fridge.on()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    await fridge.on()
    try:
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: one finally
# cause: if fridge.off() raises, the oven stays on; and a fridge that didn't start is switched off
# line: await fridge.off() | await oven.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
        yield oven, fridge
    finally:
        await fridge.off()
        await oven.off()

# %% fixture-1 wrong: except Exception for a fridge that doesn't start
# cause: a cancellation is no Exception: the oven stays on if the fridge's start is cancelled
# line: except Exception
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except Exception:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% thirty-1 wrong: the kitchens are far from the deadline
# cause: with 25 s and 35 s, and no look at the clock for the late one, a patience of 29 s or 31 s passes
# line: slow_kitchen(25) | slow_kitchen(35)
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    loop = asyncio.get_running_loop()
    cleaned = []

    def slow_kitchen(seconds):
        async def kitchen():
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await asyncio.sleep(2)  # switch everything off
                cleaned.append(seconds)
                raise
            return "soup"

        return kitchen

    start = loop.time()
    assert await order(slow_kitchen(25)) == "soup"
    assert abs(loop.time() - start - 25) < 0.01

    assert await order(slow_kitchen(35)) == "the guest left"
    assert cleaned == [35]

    async def burns():
        raise RuntimeError("fire")

    try:
        await order(burns)
    except RuntimeError:
        return
    raise AssertionError("the error did not come out")

# %% thirty-1 wrong: passes if no error comes out
# cause: if order swallows the kitchen's error, nothing is raised in the try, and the test goes on
# line: await order(broken) | except ZeroDivisionError | pass | none
import asyncio


async def test_order(order):
    clock = asyncio.get_running_loop().time
    ended = False

    async def quick():
        await asyncio.sleep(29.9)
        return "tea"

    async def slow():
        nonlocal ended
        try:
            await asyncio.sleep(30.1)
            return "tea"
        finally:
            await asyncio.sleep(1)
            ended = True

    async def broken():
        await asyncio.sleep(1)
        return 1 / 0

    began = clock()
    assert await order(quick) == "tea"
    assert round(clock() - began, 3) == 29.9

    began = clock()
    assert await order(slow) == "the guest left"
    assert round(clock() - began, 3) == 31  # 30, and the cleanup
    assert ended

    try:
        await order(broken)
    except ZeroDivisionError:
        pass

# %% thirty-1 wrong: doesn't ask what became of the kitchen
# cause: it never looks whether the kitchen was cancelled and has ended; an order that leaves it running passes
# line: == (30.0, "the guest left") | await asyncio.sleep(seconds) | none
import asyncio


async def timed(order, kitchen):
    loop = asyncio.get_running_loop()
    start = loop.time()
    said = await order(kitchen)
    return round(loop.time() - start, 3), said


def cooks(seconds, dish):
    async def kitchen():
        await asyncio.sleep(seconds)
        if isinstance(dish, Exception):
            raise dish
        return dish

    return kitchen


async def test_order(order):
    # both sides of the deadline
    assert await timed(order, cooks(29.5, "soup")) == (29.5, "soup")
    assert await timed(order, cooks(30.5, "soup")) == (30.0, "the guest left")
    # an error
    error = ValueError("burnt")
    try:
        await order(cooks(3, error))
    except ValueError as caught:
        assert caught is error
    else:
        assert False, "no error"

# %% thirty-1 right: all cases at once
import asyncio


class Burnt(Exception):
    pass


async def test_order(order):
    loop = asyncio.get_running_loop()

    async def case(seconds, cleanup, said, took, error=None):
        state = "new"

        async def kitchen():
            nonlocal state
            try:
                await asyncio.sleep(seconds)
                if error:
                    raise error
                state = "done"
                return "pie"
            except asyncio.CancelledError:
                state = "cancelled"
                await asyncio.sleep(cleanup)
                state = "cleaned"
                raise

        start = loop.time()
        try:
            got = await order(kitchen)
        except Burnt as caught:
            got = caught
        assert got is error if error else got == said, got
        assert abs(loop.time() - start - took) < 0.01
        if not error:
            assert state == ("done" if said == "pie" else "cleaned"), state

    async with asyncio.TaskGroup() as group:
        group.create_task(case(0, 0, "pie", 0))
        group.create_task(case(29.9, 0, "pie", 29.9))
        group.create_task(case(30.1, 0, "the guest left", 30))
        group.create_task(case(3600, 7, "the guest left", 37))
        group.create_task(case(12, 0, None, 12, Burnt("black")))

# %% thirty-1 right: a kitchen as a class, one visit after another
import asyncio


class Kitchen:
    def __init__(self, seconds, dish=None, tidying=0):
        self.seconds, self.dish, self.tidying = seconds, dish, tidying
        self.ended = None

    async def __call__(self):
        try:
            await asyncio.sleep(self.seconds)
            if isinstance(self.dish, Exception):
                raise self.dish
            return self.dish
        except asyncio.CancelledError:
            await asyncio.sleep(self.tidying)
            self.ended = "cancelled"
            raise


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    now = asyncio.get_running_loop().time

    def function(kitchen):
        async def cook():
            return await kitchen()

        return cook

    for kitchen, said, at in [
        (Kitchen(1, "tea"), "tea", 1),
        (Kitchen(29.8, "stew"), "stew", 29.8),
        (Kitchen(30.2, "stew"), "the guest left", 30),
        (Kitchen(90, "stew", tidying=4), "the guest left", 34),
    ]:
        start = now()
        assert await order(function(kitchen)) == said
        assert abs(now() - start - at) < 0.01
        assert (kitchen.ended == "cancelled") == (said == "the guest left")

    trouble = LookupError("no salt")
    try:
        await order(function(Kitchen(2, trouble)))
    except LookupError as error:
        assert error is trouble
    else:
        raise AssertionError("the error is lost")

# %% circle-1 wrong: blames those who only wait for the circle
# cause: it returns the whole path, with the tasks that lead into the circle but don't belong to it
# line: return set(path)
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for start in waits:
        path = []
        task = start
        while task is not None and task not in path:
            path.append(task)
            task = waits.get(task)
        if task is not None:
            return set(path)
    return set()

# %% circle-1 wrong: two who wait for the same one look like a circle
# cause: `seen` is kept over all starts, so a task seen from an earlier start is taken for the closing of a circle
# line: seen = set() | if name in seen | none
def find_circle(waits: dict) -> set:
    seen = set()

    def around(first):
        circle, name = {first}, waits.get(first)
        while name is not None and name != first:
            circle.add(name)
            name = waits.get(name)
        return circle

    for name in waits:
        while name is not None:
            if name in seen:
                return around(name)
            seen.add(name)
            name = waits.get(name)
    return set()

# %% circle-1 wrong: a task that has ended is a KeyError
# cause: a name that has no entry of its own is looked up with waits[name]
# line: waits[name]
def find_circle(waits):
    def walk(start):
        trail, name = [], start
        while name is not None:
            if name in trail:
                return trail[trail.index(name) :]
            trail.append(name)
            name = waits[name]
        return []

    return {name for start in waits for name in walk(start)}

# %% circle-1 right: strikes out who can't be in it
def find_circle(waits):
    left = dict(waits)
    while True:
        keep = {
            task: other
            for task, other in left.items()
            if other in left and task in left.values()
        }
        if len(keep) == len(left):
            return set(left)
        left = keep

# %% circle-1 right: who comes back to himself
from itertools import accumulate, repeat


def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""

    def follow(name, _=None):
        return waits.get(name)

    def comes_back(name):
        return name in [*accumulate(repeat(None, len(waits)), follow, initial=name)][1:]

    return {name for name in waits if comes_back(name)}

# %% tree-1 wrong: a cancellation goes to all tasks that main has made
# cause: a cancelled task cancels only what it awaits: main awaits sales, and neither report nor stock
# line: "main cancelled"
tree = {
    "holds up": "stock",
    "deadlock": False,
    "main cancelled": ["sales", "report", "stock"],
    "stock cancelled": ["stock", "report", "sales", "main"],
}

# %% steady-1 wrong: a limit of a minute
# cause: a right washer that needs hours for a plate fails: no time limit is long enough
# line: asyncio.timeout(60)
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    for plate in range(5):
        dirty.put_nowait(plate)
    try:
        async with asyncio.timeout(60):  # if the washer is dead
            await dirty.join()
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

# %% steady-1 wrong: doesn't wait for the end of the washer
# cause: cancel only asks the washer to end; the test is over before it has ended
# line: one.cancel() | none
import asyncio


async def test_washer(washer):
    dirty: asyncio.Queue[int] = asyncio.Queue()
    clean: list[int] = []
    plates = list(range(5))
    for plate in plates:
        dirty.put_nowait(plate)

    washing = asyncio.create_task(washer(dirty, clean), name="washer")
    joined = asyncio.create_task(dirty.join(), name="join")
    try:
        done, _ = await asyncio.wait(
            {washing, joined}, return_when=asyncio.FIRST_COMPLETED
        )
        if washing in done:
            washing.result()  # its error
        assert clean == plates
    finally:
        for one in (washing, joined):
            one.cancel()

# %% steady-1 wrong: a broken washer runs on
# cause: if the assert fails, the lines that end the washer aren't reached; they belong into a finally
# line: assert clean == | task.cancel() | none
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    for plate in range(5):
        dirty.put_nowait(plate)

    # until all are clean, or the washer has died
    all_done = asyncio.create_task(dirty.join())
    await asyncio.wait([task, all_done], return_when=asyncio.FIRST_COMPLETED)
    all_done.cancel()
    if task.done():
        await task

    assert clean == [0, 1, 2, 3, 4]
    task.cancel()
    await asyncio.wait([task])

# %% steady-1 right: a TaskGroup
import asyncio


async def test_washer(washer):
    clean, plates, over = [], [*range(5)], asyncio.Event()

    class Sink(asyncio.Queue):
        async def get(self):
            if self.empty():  # all are washed, or one is lost
                over.set()
            return await super().get()

        def task_done(self):
            super().task_done()
            if len(clean) >= len(plates):
                over.set()

    dirty = Sink()
    for plate in plates:
        dirty.put_nowait(plate)

    async def works():
        await washer(dirty, clean)
        assert clean == plates, "it went home early"

    async with asyncio.TaskGroup() as group:
        task = group.create_task(works())
        await over.wait()
        task.cancel()
    assert clean == plates

# %% steady-1 right: a queue that notices who asks again
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    asked_again = asyncio.Event()

    class Pile(asyncio.Queue):
        async def get(self):
            if self.empty():  # then it has washed all of them, or lost one
                asked_again.set()
            return await super().get()

    pile, clean = Pile(), []
    for plate in range(5):
        pile.put_nowait(plate)
    tasks = [
        asyncio.ensure_future(wait)
        for wait in (washer(pile, clean), pile.join(), asked_again.wait())
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            tasks[0].result()
        assert clean == [*range(5)]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% leaks-1 wrong: return in the finally
# cause: a `return` in the finally swallows the error of the test and the cancellation
# line: return sorted( | finally:
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: two of the same name count once
# cause: the names are collected in a set, so of two tasks with the same name one is missing from the list
# line: names = {
import asyncio


async def end(tasks):
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def leaks(test):
    old = asyncio.all_tasks()
    names = set()
    try:
        await test()
    finally:
        new = [task for task in asyncio.all_tasks() if task not in old]
        names = {task.get_name() for task in new}
        await end(new)
    return sorted(names)

# %% leaks-1 wrong: forgets to clean up when it is cancelled
# cause: a CancelledError is no Exception, so if leaks is cancelled what the test left runs on
# line: except Exception
import asyncio


async def leaks(test) -> list[str]:
    known = asyncio.all_tasks()

    async def sweep():
        left = asyncio.all_tasks() - known
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return sorted([task.get_name() for task in left])

    try:
        await test()
    except Exception:
        await sweep()
        raise
    else:
        return await sweep()

# %% leaks-1 right: keeps the error, and cleans up whatever comes
import asyncio


async def leaks(test):
    before, error = asyncio.all_tasks(), None
    try:
        await test()
    except BaseException as caught:
        error = caught
    left = asyncio.all_tasks() - before
    names = sorted(task.get_name() for task in left)
    for task in left:
        task.cancel()
    while left:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as caught:
            error = caught if error is None else error
        left = {task for task in left if not task.done()}
    if error is not None:
        raise error
    return names

# %% leaks-1 right: a callback on a stack
import asyncio
from contextlib import AsyncExitStack


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    here, names = asyncio.all_tasks(), []

    async def sweep():
        left = [task for task in asyncio.all_tasks() if task not in here]
        names.extend(task.get_name() for task in left)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async with AsyncExitStack() as stack:
        stack.push_async_callback(sweep)
        await test()
    names.sort()
    return names

# %% fixture-1 wrong: a cancellation while the fridge starts, again
# cause: a CancelledError is no Exception, so if fridge.on() is cancelled the oven stays on
# line: except Exception
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except Exception:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        try:
            await fridge.off()
        finally:
            await oven.off()

# %% fixture-1 wrong: switches off what did not start
# cause: the callback is pushed before on(), so a device whose on() fails is switched off
# line: push_async_callback(device.off) | await device.on()
import contextlib


async def kitchen(oven, fridge):
    async with contextlib.AsyncExitStack() as stack:
        for device in (oven, fridge):
            stack.push_async_callback(device.off)
            await device.on()
        yield oven, fridge

# %% fixture-1 wrong: an error of the fridge's off is swallowed
# cause: the suppress is there so that the oven is reached, but the error of fridge.off() must come out
# line: suppress(Exception)
from contextlib import suppress


async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
        try:
            yield (oven, fridge)
        finally:
            with suppress(Exception):  # the oven must go off in any case
                await fridge.off()
    finally:
        await oven.off()

# %% fixture-1 right: a context manager for each
import contextlib


@contextlib.asynccontextmanager
async def switched_on(device):
    await device.on()
    try:
        yield device
    finally:
        await device.off()


async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    async with switched_on(oven) as hot, switched_on(fridge) as cold:
        yield hot, cold

# %% fixture-1 right: a stack of what is on
import contextlib


async def kitchen(oven, fridge):
    async with contextlib.AsyncExitStack() as on:
        for device in (oven, fridge):
            await device.on()
            on.push_async_callback(device.off)
        yield oven, fridge

# %% thirty-1 wrong: too lax with the time
# cause: it allows two seconds more or less, so it passes an order that is wrong by one second
# line: assert abs(clock() - start - | < 2
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = asyncio.get_running_loop().time
    ended = []

    async def quick():
        await asyncio.sleep(20)
        return "soup"

    async def slow():
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(5)
            ended.append(clock())

    async def broken():
        await asyncio.sleep(3)
        raise ValueError("no gas")

    start = clock()
    assert await order(quick) == "soup"
    assert abs(clock() - start - 20) < 2

    start = clock()
    assert await order(slow) == "the guest left"
    assert ended
    assert abs(clock() - start - 35) < 2

    try:
        await order(broken)
    except ValueError:
        pass
    else:
        raise AssertionError("the error got lost")

# %% thirty-1 wrong: does not ask whether the error came
# cause: it passes, too, if the error of the kitchen doesn't come out
# line: with suppress(KeyError): | await order(burns)
import asyncio
from contextlib import suppress


async def test_order(order):
    loop = asyncio.get_running_loop()

    async def timed(kitchen):
        began = loop.time()
        result = await order(kitchen)
        return result, round(loop.time() - began, 3)

    cleaned = False

    async def late():
        nonlocal cleaned
        began = loop.time()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            assert round(loop.time() - began, 3) == 30
            await asyncio.sleep(2)
            cleaned = True
            raise

    async def in_time():
        await asyncio.sleep(29.9)
        return "pizza"

    async def burns():
        await asyncio.sleep(1)
        raise KeyError("oven")

    assert await timed(in_time) == ("pizza", 29.9)
    assert await timed(late) == ("the guest left", 32)
    assert cleaned
    with suppress(KeyError):
        await order(burns)

# %% thirty-1 right: a kitchen that keeps a diary
import asyncio


async def test_order(order):
    now = asyncio.get_running_loop().time

    class Kitchen:
        def __init__(self, seconds, result=None, error=None, cleanup=0):
            self.seconds, self.cleanup = seconds, cleanup
            self.result, self.error = result, error
            self.diary = []

        def note(self, word):
            self.diary.append((word, round(now() - self.start, 4)))

        async def cook(self):
            self.note("begin")
            try:
                await asyncio.sleep(self.seconds)
            except asyncio.CancelledError:
                self.note("cancelled")
                await asyncio.sleep(self.cleanup)
                self.note("ended")
                raise
            if self.error is not None:
                raise self.error
            return self.result

        async def served(self):
            self.start = now()

            async def cook():
                return await self.cook()

            try:
                result = "returned", await order(cook)
            except (Exception, asyncio.CancelledError) as error:
                result = "raised", error
            self.note("over")
            return result

    for seconds in 0, 1.003, 28.5, 29.503, 29.9:
        dish = object()
        kitchen = Kitchen(seconds, dish)
        assert await kitchen.served() == ("returned", dish)
        assert kitchen.diary == [("begin", 0), ("over", seconds)]
    assert await Kitchen(1, None).served() == ("returned", None)

    for cleanup in 0, 3:
        kitchen = Kitchen(50, "late", cleanup=cleanup)
        assert await kitchen.served() == ("returned", "the guest left")
        end = 30 + cleanup
        expected = [("begin", 0), ("cancelled", 30), ("ended", end), ("over", end)]
        assert kitchen.diary == expected, kitchen.diary

    for seconds in 0, 29.5:
        error = ZeroDivisionError("no guests")
        kitchen = Kitchen(seconds, error=error)
        assert await kitchen.served() == ("raised", error)
        assert kitchen.diary == [("begin", 0), ("over", seconds)]

# %% circle-1 wrong: begins with the first task only
# cause: it follows only the first task; a circle that it doesn't lead to is not found
# line: name = next(iter(waits), None)
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    path = []
    name = next(iter(waits), None)
    while name is not None and name not in path:
        path.append(name)
        name = waits.get(name)
    return set() if name is None else set(path[path.index(name) :])

# %% circle-1 wrong: KeyError for one that has ended
# cause: a name without an entry of its own raises a KeyError
# line: follower = waits[follower] | follower = waits[start]
def find_circle(waits):
    for start in waits:
        circle = {start}
        follower = waits[start]
        while follower is not None and follower not in circle:
            circle.add(follower)
            follower = waits[follower]
        if follower == start:
            return circle
    return set()

# %% circle-1 right: shrinks until nothing changes
def find_circle(waits):
    names = set(waits)
    while True:
        waited_for = {waits[name] for name in names} & waits.keys()
        if waited_for == names:
            return names
        names = waited_for

# %% steady-1 wrong: a time limit of an hour
# cause: it has a time limit, and a plate may take longer
# line: asyncio.timeout(3600)
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joined = asyncio.create_task(dirty.join())
    try:
        async with asyncio.timeout(3600):
            await asyncio.wait({task, joined}, return_when=asyncio.FIRST_COMPLETED)
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        joined.cancel()
        await asyncio.gather(task, joined, return_exceptions=True)

# %% steady-1 wrong: does not wait for the end of the washer
# cause: it cancels the washer and does not wait until it has ended
# line: task.cancel() | other.cancel()
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    plates = list(range(5))
    for plate in plates:
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    other = asyncio.create_task(dirty.join())
    try:
        await asyncio.wait([task, other], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        assert clean == plates
    finally:
        other.cancel()
        task.cancel()

# %% steady-1 right: notices, too, when the washer asks for a sixth plate
import asyncio


async def test_washer(washer):
    bored = asyncio.Event()

    class Dirty(asyncio.Queue):
        async def get(self):
            if self.empty():
                bored.set()
            return await super().get()

    dirty, clean, plates = Dirty(), [], [*range(5)]
    for plate in plates:
        dirty.put_nowait(plate)

    tasks = [asyncio.create_task(c) for c in (washer(dirty, clean), dirty.join(), bored.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            raise AssertionError("the washer has ended") from tasks[0].exception()
        assert clean == plates, clean
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% leaks-1 wrong: all tasks but this one
# cause: tasks that were there before the test are counted and cancelled, too
# line: asyncio.all_tasks() - {asyncio.current_task()}
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        names = sorted(task.get_name() for task in left)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
    return names

# %% leaks-1 wrong: gives them five seconds
# cause: it waits for five seconds at most, and a cleanup may take longer
# line: await asyncio.wait(left, timeout=5)
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    left = set()
    try:
        await test()
    finally:
        left |= asyncio.all_tasks() - before
        [task.cancel() for task in left]
        if left:
            await asyncio.wait(left, timeout=5)
    return sorted(map(asyncio.Task.get_name, left))

# %% leaks-1 right: waits on, even if it is cancelled meanwhile
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    names = []
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        names += sorted(task.get_name() for task in left)
        for task in left:
            task.cancel()
        stopped = None
        while pending := {task for task in left if not task.done()}:
            try:
                await asyncio.wait(pending)
            except asyncio.CancelledError as error:
                stopped = error
        if stopped is not None:
            raise stopped
    return names

# %% fixture-1 wrong: the start of the fridge is in its own try
# cause: a fridge that did not start is switched off
# line: await fridge.on() | await fridge.off()
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        try:
            await fridge.on()
            yield oven, fridge
        finally:
            await fridge.off()
    finally:
        await oven.off()

# %% fixture-1 wrong: the error of the fridge is swallowed
# cause: if the fridge can't be switched off, its error does not come out
# line: with contextlib.suppress(Exception):
import contextlib


async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            with contextlib.suppress(Exception):
                await fridge.off()
    finally:
        await oven.off()

# %% fixture-1 right: an exit stack, again
from contextlib import AsyncExitStack


async def kitchen(oven, fridge):
    async with AsyncExitStack() as running:
        for device in oven, fridge:
            await device.on()
            running.push_async_callback(device.off)
        yield oven, fridge

# %% thirty-1 wrong: doesn't look at the clock
# cause: the time of the answer is not checked, so an order that gives up a second too early or too late passes
# line: assert await order(hangs) == "the guest left"
import asyncio


async def test_order(order):
    async def quick():
        await asyncio.sleep(10)
        return "soup"

    async def hangs():
        await asyncio.sleep(3600)

    async def burns():
        raise ValueError("burnt")

    assert await order(quick) == "soup"
    assert await order(hangs) == "the guest left"
    try:
        await order(burns)
    except ValueError:
        pass
    else:
        raise AssertionError("the error was swallowed")

# %% thirty-1 wrong: a swallowed error passes
# cause: if order swallows the kitchen's error nothing fails, because the try has no else that raises
# line: await order(burns) | pass
import asyncio


async def test_order(order):
    clock = asyncio.get_running_loop().time
    ended = False

    async def quick():
        await asyncio.sleep(29.5)
        return "soup"

    async def hangs():
        nonlocal ended
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(2)
            ended = True

    async def burns():
        await asyncio.sleep(1)
        raise ValueError("burnt")

    start = clock()
    assert await order(quick) == "soup"
    assert abs(clock() - start - 29.5) < 0.1
    start = clock()
    assert await order(hangs) == "the guest left"
    assert ended
    assert abs(clock() - start - 32) < 0.1
    try:
        await order(burns)
    except ValueError:
        pass

# %% thirty-1 right: a kitchen that keeps a diary, again
import asyncio


class Kitchen:
    def __init__(self, seconds, result=None, error=None, cleanup=0):
        self.seconds, self.result, self.error = seconds, result, error
        self.cleanup = cleanup
        self.calls = 0
        self.cancelled_at = self.ended_at = None

    async def __call__(self):
        clock = asyncio.get_running_loop().time
        self.calls += 1
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled_at = clock()
            await asyncio.sleep(self.cleanup)
            raise
        finally:
            self.ended_at = clock()
        if self.error is not None:
            raise self.error
        return self.result


async def test_order(order):
    clock = asyncio.get_running_loop().time

    async def visit(seconds, **options):
        kitchen = Kitchen(seconds, **options)

        async def cook():
            return await kitchen()

        start = clock()
        try:
            outcome = await order(cook)
        except LookupError as error:
            outcome = error
        assert kitchen.calls == 1
        assert kitchen.ended_at is not None
        cancelled = kitchen.cancelled_at
        if cancelled is not None:
            cancelled = round(cancelled - start, 2)
        return outcome, round(clock() - start, 2), cancelled

    assert await visit(0, result="bread") == ("bread", 0, None)
    assert await visit(5, result="soup") == ("soup", 5, None)
    assert await visit(29.5, result="roast") == ("roast", 29.5, None)
    assert await visit(2, result=None) == (None, 2, None)
    assert await visit(30.5, result="late") == ("the guest left", 30, 30)
    assert await visit(9999) == ("the guest left", 30, 30)
    assert await visit(9999, cleanup=3) == ("the guest left", 33, 30)
    burnt = LookupError("burnt")
    assert await visit(7, error=burnt) == (burnt, 7, None)
    assert await visit(29.5, error=burnt) == (burnt, 29.5, None)

# %% circle-1 wrong: the tail belongs to it too
# cause: everything visited on the way is returned, also the tasks that only wait for one in the circle
# line: return seen
def find_circle(waits):
    for start in waits:
        seen = set()
        name = start
        while name is not None and name in waits:
            if name in seen:
                return seen
            seen.add(name)
            name = waits[name]
    return set()

# %% circle-1 wrong: a task that has ended, again
# cause: a name that has no entry of its own raises KeyError
# line: name = waits[name]
def find_circle(waits):
    for start in waits:
        path = []
        name = start
        while name is not None and name not in path:
            path.append(name)
            name = waits[name]
        if name is not None:
            return set(path[path.index(name):])
    return set()

# %% circle-1 right: peels off whom nobody waits for
import collections


def find_circle(waits):
    waiters = collections.Counter(waits.values())
    left = set(waits)
    free = [name for name in waits if not waiters[name]]
    while free:
        name = free.pop()
        left.discard(name)
        target = waits[name]
        waiters[target] -= 1
        if target in left and not waiters[target]:
            free.append(target)
    return left

# %% steady-1 wrong: hangs with a dead washer
# cause: only the queue is waited for, so the test hangs if the washer dies of an error before the last task_done
# line: await dirty.join()
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    try:
        for plate in range(5):
            dirty.put_nowait(plate)
        await dirty.join()
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

# %% steady-1 wrong: any order will do
# cause: the plates are sorted before they are compared, so a washer that mixes up the order passes
# line: assert sorted(clean)
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joined = asyncio.create_task(dirty.join())
    try:
        await asyncio.wait([task, joined], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        assert joined.done()
        assert sorted(clean) == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        joined.cancel()
        await asyncio.gather(task, joined, return_exceptions=True)

# %% steady-1 right: a queue that notices an idle or dead washer
import asyncio


class Sink(asyncio.Queue):
    """A queue that tells when somebody comes for a plate and there is none."""

    def __init__(self, tell):
        super().__init__()
        self.tell = tell

    async def get(self):
        if self.empty():
            self.tell()
        return await super().get()


async def test_washer(washer):
    over = asyncio.Event()
    dirty, clean = Sink(over.set), []
    loop = asyncio.get_running_loop()
    for plate in range(5):
        dirty.put_nowait(plate)
    task = loop.create_task(washer(dirty, clean))
    joining = loop.create_task(dirty.join())
    for each in (task, joining):
        each.add_done_callback(lambda finished: over.set())
    try:
        await over.wait()
        await asyncio.sleep(0)
        assert not task.done() and joining.done()
        assert clean == list(range(5))
    finally:
        for each in (task, joining):
            each.cancel()
        await asyncio.wait([task, joining])

# %% leaks-1 wrong: gone after one turn of the loop
# cause: it yields to the loop only once after the cancel, so a leaked task whose cleanup takes a while still runs
# line: await asyncio.sleep(0)
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    left = set()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: nothing ended if the test fails
# cause: the cleanup is skipped when the test raises or leaks is cancelled, because it stands after the await without try/finally
# line: await test()
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    await test()
    left = asyncio.all_tasks() - before
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 right: a wait that survives cancellation
import asyncio


async def leaks(test):
    before = frozenset(asyncio.all_tasks())
    names = []
    try:
        await test()
    finally:
        left = list(asyncio.all_tasks().difference(before))
        names.extend(sorted(map(asyncio.Task.get_name, left)))
        for task in left:
            task.cancel()
        interrupted = None
        while not all(task.done() for task in left):
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted
    return names

# %% fixture-1 wrong: two lines in one finally, again
# cause: if fridge.off raises, oven.off is never reached
# line: await fridge.off()
async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        await fridge.off()
        await oven.off()

# %% fixture-1 wrong: registered before it has started
# cause: the callback that switches off is pushed before on, so what did not start is switched off too
# line: stack.push_async_callback(thing.off)
import contextlib


async def kitchen(oven, fridge):
    async with contextlib.AsyncExitStack() as stack:
        for thing in (oven, fridge):
            stack.push_async_callback(thing.off)
            await thing.on()
        yield oven, fridge

# %% fixture-1 right: with a small context manager
import contextlib


@contextlib.asynccontextmanager
async def powered(thing):
    await thing.on()
    try:
        yield thing
    finally:
        await thing.off()


async def kitchen(oven, fridge):
    async with powered(oven) as hot, powered(fridge) as cold:
        yield hot, cold

# %% thirty-1 wrong: never looks at the clock
# cause: only the results are compared, so an order that gives up after 29 s or returns a finished meal late passes
# line: none | assert await order(never) == "the guest left"
import asyncio


async def test_order(order):
    async def quick():
        await asyncio.sleep(5)
        return "soup"

    async def never():
        await asyncio.Event().wait()

    async def broken():
        await asyncio.sleep(5)
        raise ZeroDivisionError

    assert await order(quick) == "soup"
    assert await order(never) == "the guest left"
    try:
        await order(broken)
    except ZeroDivisionError:
        pass
    else:
        raise AssertionError("no error")

# %% thirty-1 wrong: the missing error is caught by itself
# cause: the assertion that the error came out is raised inside the try, and except Exception catches it, so an order that swallows errors passes
# line: except Exception: | raise AssertionError("the error is lost") | pass
import asyncio


async def test_order(order):
    clock = asyncio.get_running_loop().time
    log = []

    def kitchen(seconds):
        async def cook():
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await asyncio.sleep(2)
                log.append(clock())
                raise
            return "soup"

        return cook

    async def burnt():
        await asyncio.sleep(1)
        raise ValueError("burnt")

    for seconds in (0, 10, 29.5):
        start = clock()
        assert await order(kitchen(seconds)) == "soup"
        assert abs(clock() - start - seconds) < 0.1
    start = clock()
    assert await order(kitchen(30.5)) == "the guest left"
    assert len(log) == 1
    assert abs(clock() - start - 32) < 0.1
    try:
        await order(burnt)
        raise AssertionError("the error is lost")
    except Exception:
        pass

# %% thirty-1 right: a table of cases and a recording kitchen
import asyncio


class _Kitchen:
    def __init__(self, seconds, result=None, error=None, cleanup=0):
        self.seconds, self.result = seconds, result
        self.error, self.cleanup = error, cleanup
        self.calls = 0
        self.cancelled_at = self.ended_at = None

    async def __call__(self):
        clock = asyncio.get_running_loop().time
        self.calls += 1
        try:
            await asyncio.sleep(self.seconds)
            if self.error is not None:
                raise self.error
            return self.result
        except asyncio.CancelledError:
            self.cancelled_at = clock()
            await asyncio.sleep(self.cleanup)
            raise
        finally:
            self.ended_at = clock()


async def test_order(order):
    clock = asyncio.get_running_loop().time

    async def run(kitchen):
        async def call():
            return await kitchen()

        start = clock()
        try:
            outcome = await asyncio.wait_for(order(call), 1000)
        except (LookupError, OSError) as error:
            outcome = error
        assert kitchen.calls == 1
        assert kitchen.ended_at is not None
        return outcome, clock() - start, start

    for seconds in (0, 1, 15, 29.5, 29.9):
        for meal in ("soup", None):
            outcome, took, _ = await run(_Kitchen(seconds, meal))
            assert outcome == meal
            assert abs(took - seconds) < 0.05
    for seconds in (30.1, 30.5, 31, 500):
        for cleanup in (0, 3):
            kitchen = _Kitchen(seconds, "soup", cleanup=cleanup)
            outcome, took, start = await run(kitchen)
            assert outcome == "the guest left"
            assert kitchen.cancelled_at is not None
            assert abs(kitchen.cancelled_at - start - 30) < 0.05
            assert abs(took - 30 - cleanup) < 0.05
    for error in (KeyError("salt"), ConnectionError("gas")):
        for seconds in (0, 10, 29.5):
            outcome, took, _ = await run(_Kitchen(seconds, error=error))
            assert outcome is error
            assert abs(took - seconds) < 0.05

# %% circle-1 wrong: the way into the circle belongs to it
# cause: when a name comes again the whole way is returned, also the tasks before the circle
# line: return set(way)
def find_circle(waits):
    for start in waits:
        way = []
        name = start
        while name is not None:
            if name in way:
                return set(way)
            way.append(name)
            name = waits.get(name)
    return set()

# %% circle-1 wrong: only pairs
# cause: only circles of one or two tasks are found, a circle of three is not
# line: if waits.get(other) == name:
# told: none
def find_circle(waits):
    for name, other in waits.items():
        if other is None:
            continue
        if waits.get(other) == name:
            return {name, other}
    return set()

# %% circle-1 right: takes away what is not waited for
from collections import Counter


def find_circle(waits):
    left = {a: b for a, b in waits.items() if b is not None}
    heads = Counter(left.values())
    ends = [name for name in left if not heads[name]]
    while ends:
        other = left.pop(ends.pop())
        heads[other] -= 1
        if not heads[other] and other in left:
            ends.append(other)
    # what is left is waited for by something: a circle, or nothing
    return set(left)

# %% steady-1 wrong: waits for the queue alone
# cause: if the washer dies, nobody calls task_done any more and join hangs
# line: await dirty.join()
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    task = asyncio.create_task(washer(dirty, clean))
    try:
        for plate in range(5):
            dirty.put_nowait(plate)
        await dirty.join()
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

# %% steady-1 wrong: sorts the plates
# cause: the plates are compared sorted, so a washer that mixes up their order passes
# line: assert sorted(clean) == list(range(5))
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joined = asyncio.create_task(dirty.join())
    try:
        await asyncio.wait({task, joined}, return_when=asyncio.FIRST_COMPLETED)
        assert not task.done()
        assert sorted(clean) == list(range(5))
    finally:
        task.cancel()
        joined.cancel()
        await asyncio.gather(task, joined, return_exceptions=True)

# %% steady-1 right: a done callback sets an event
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    plates = [*range(5)]
    for plate in plates:
        dirty.put_nowait(plate)
    over = asyncio.Event()
    washing = asyncio.ensure_future(washer(dirty, clean))
    waiting = asyncio.ensure_future(dirty.join())
    for future in washing, waiting:
        future.add_done_callback(lambda _: over.set())
    try:
        await over.wait()
        if washing.done():
            washing.result()
            raise AssertionError("the washer has stopped")
        if clean != plates:
            raise AssertionError(clean)
    finally:
        washing.cancel()
        waiting.cancel()
        await asyncio.gather(washing, waiting, return_exceptions=True)

# %% leaks-1 wrong: compares names
# cause: a leaked task with the name of a task that was there before is taken for that one, and goes on
# line: if task.get_name() not in before
# told: none
import asyncio


async def leaks(test):
    before = {task.get_name() for task in asyncio.all_tasks()}
    left = []
    try:
        await test()
    finally:
        left = [
            task
            for task in asyncio.all_tasks()
            if task.get_name() not in before
        ]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: a set of names
# cause: two leaked tasks of the same name are reported once
# line: names = {task.get_name() for task in left}
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        names = {task.get_name() for task in left}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
    return sorted(names)

# %% leaks-1 right: an async context manager
import asyncio


class _Watch:
    async def __aenter__(self):
        self.before = asyncio.all_tasks()
        self.names = []
        return self

    async def __aexit__(self, *error):
        left = asyncio.all_tasks() - self.before
        self.names.extend(sorted(task.get_name() for task in left))
        again = None
        while left:
            for task in left:
                task.cancel()
            while any(not task.done() for task in left):
                try:
                    await asyncio.wait(left)
                except asyncio.CancelledError as cancelled:
                    again = cancelled
            left = asyncio.all_tasks() - self.before
        if again is not None:
            raise again
        return False


async def leaks(test):
    async with _Watch() as watch:
        await test()
    return watch.names

# %% fixture-1 wrong: one finally for both, again
# cause: if fridge.off() raises, the line after it is not reached and the oven stays on
# line: await fridge.off()
async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        await fridge.off()
        await oven.off()

# %% fixture-1 wrong: switches on inside the try
# cause: if the fridge does not start, it is switched off though it was never on
# line: await fridge.on() | await fridge.off()
async def kitchen(oven, fridge):
    await oven.on()
    try:
        try:
            await fridge.on()
            yield oven, fridge
        finally:
            await fridge.off()
    finally:
        await oven.off()

# %% fixture-1 right: an exit stack, again
import contextlib


async def kitchen(oven, fridge):
    async with contextlib.AsyncExitStack() as stack:
        for machine in (oven, fridge):
            await machine.on()
            stack.push_async_callback(machine.off)
        yield oven, fridge

# %% thirty-1 wrong: measures on the wall clock
# cause: time.monotonic() goes on in real time while the loop's clock jumps, so thirty seconds of the loop measure as nothing and right orders fail
# line: clock = time.monotonic | assert await timed(kitchen(29.5, "soup")) == ("soup", 29.5)
import asyncio
import time


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = time.monotonic

    def kitchen(seconds, result=None, error=None, notes=None):
        async def cook():
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await asyncio.sleep(1)
                notes.append("cancelled")
                raise
            if error is not None:
                raise error
            return result
        return cook

    async def timed(cook):
        begin = clock()
        try:
            answer = await order(cook)
        except Exception as error:
            answer = error
        return answer, round(clock() - begin, 2)

    burnt, late = ValueError("burnt"), TimeoutError("late")
    notes = []
    assert await timed(kitchen(0, None)) == (None, 0)
    assert await timed(kitchen(29.5, "soup")) == ("soup", 29.5)
    assert await timed(kitchen(2, error=burnt)) == (burnt, 2)
    assert await timed(kitchen(2, error=late)) == (late, 2)
    assert await timed(kitchen(500, "soup", notes=notes)) == ("the guest left", 31)
    assert notes == ["cancelled"]

# %% circle-1 wrong: one set of seen tasks for all starts
# cause: seen is kept from one start to the next, so two chains that only meet look like a circle
# line: seen = set() | if name in seen: | for start in waits:
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    def circle_from(name):
        circle = {name}
        other = waits.get(name)
        while other is not None and other not in circle:
            circle.add(other)
            other = waits.get(other)
        return circle

    seen = set()
    for start in waits:
        name = start
        while name is not None:
            if name in seen:
                return circle_from(name)
            seen.add(name)
            name = waits.get(name)
    return set()

# %% thirty-1 wrong: gives the kitchen time to end by itself
# cause: the test sleeps before it looks whether the kitchen has ended, so an order that does not wait for that passes
# line: await asyncio.sleep(5)  # let it end | assert events == ["cancelled", "ended"]
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    loop = asyncio.get_running_loop()
    events = []

    async def quick():
        await asyncio.sleep(29)
        return 0

    async def slow():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            events.append("cancelled")
            raise
        finally:
            events.append("ended")

    async def broken():
        await asyncio.sleep(1)
        raise TimeoutError("no pan")

    start = loop.time()
    result = await order(quick)
    assert result == 0 and result is not None
    assert 28.9 < loop.time() - start < 29.1

    start = loop.time()
    result = await order(slow)
    assert result == "the guest left"
    assert 29.9 < loop.time() - start < 30.1
    await asyncio.sleep(5)  # let it end
    assert events == ["cancelled", "ended"]

    raised = None
    try:
        await order(broken)
    except TimeoutError as error:
        raised = error
    assert raised is not None

# %% circle-1 wrong: only a return to the start ends the walk
# cause: from a task outside that waits for one in the circle, the walk goes round for ever
# line: while name is not None and name != start: | circle.add(name) | name = 
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    for start in waits:
        circle = {start}
        name = waits.get(start)
        while name is not None and name != start:
            circle.add(name)
            name = waits.get(name)
        if name == start:
            return circle
    return set()

# %% steady-1 wrong: an hour must be enough
# cause: a plate may take hours, so a slow but right washer fails at the time limit
# line: timeout=3600 | assert joining.done()
import asyncio


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    washing = asyncio.ensure_future(washer(dirty, clean))
    joining = asyncio.ensure_future(dirty.join())
    both = [washing, joining]
    try:
        await asyncio.wait(
            both,
            timeout=3600,
            return_when=asyncio.FIRST_COMPLETED,
        )
        assert joining.done()
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
    assert clean == [*range(5)]

# %% fixture-1 wrong: made a context manager
# cause: the decorator makes kitchen return a context manager: it is no async generator any more, and pytest-asyncio can't use it
# line: @asynccontextmanager | async def kitchen(oven, fridge):
from contextlib import asynccontextmanager


@asynccontextmanager
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await fridge.off()
    finally:
        await oven.off()

# %% thirty-1 wrong: a second more or less will do
# cause: the time of the guest who leaves is checked with a tolerance of a whole second, so an order that waits 31 s or 29 s passes
# line: assert 29 <= left <= 31
import asyncio


async def test_order(order):
    loop = asyncio.get_running_loop()

    # in time
    async def quick():
        await asyncio.sleep(12)
        return "soup"

    start = loop.time()
    assert await order(quick) == "soup"
    assert abs(loop.time() - start - 12) < 0.1

    # an error
    async def burning():
        await asyncio.sleep(3)
        raise ZeroDivisionError

    start = loop.time()
    try:
        await order(burning)
    except ZeroDivisionError:
        assert abs(loop.time() - start - 3) < 0.1
    else:
        raise AssertionError("no error")

    # too late
    times = {}

    async def slow():
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            times["cancelled"] = loop.time()
            await asyncio.sleep(5)
            times["ended"] = loop.time()
            raise

    start = loop.time()
    assert await order(slow) == "the guest left"
    left = times["cancelled"] - start
    assert 29 <= left <= 31
    assert abs(times["ended"] - times["cancelled"] - 5) < 0.1
    assert abs(loop.time() - times["ended"]) < 0.1

# %% thirty-1 wrong: asserts a tuple
# cause: the parentheses make the condition and the message a tuple, which is always true, so it isn't tested that order waits for the end of the kitchen
# line: assert (ended and took == 34, "the kitchen was still busy")
import asyncio


async def test_order(order):
    clock = asyncio.get_running_loop().time
    cancelled_at, ended = None, False

    async def never():
        nonlocal cancelled_at, ended
        try:
            await asyncio.sleep(10_000)
        except asyncio.CancelledError:
            cancelled_at = round(clock() - start, 1)
            await asyncio.sleep(4)
            ended = True
            raise

    start = clock()
    answer = await order(never)
    took = round(clock() - start, 1)
    assert answer == "the guest left"
    assert cancelled_at == 30
    assert (ended and took == 34, "the kitchen was still busy")

    async def soup():
        await asyncio.sleep(20)
        return ["soup"]

    start = clock()
    assert await order(soup) == ["soup"]
    assert round(clock() - start, 1) == 20

    async def fails():
        await asyncio.sleep(1)
        raise LookupError("no salt")

    start = clock()
    try:
        await order(fails)
    except LookupError:
        assert round(clock() - start, 1) == 1
        return
    assert False, "the error is lost"

# %% thirty-1 wrong: a kitchen that is closed at once
# cause: the slow kitchen needs no time to end after it was cancelled, so an order that doesn't wait until it has ended passes
# line: return None | stopped.append(now() - begin) | await asyncio.sleep(3600) | finally:
import asyncio


async def test_order(order):
    now = asyncio.get_running_loop().time

    async def check(kitchen, result, seconds):
        began = now()
        try:
            got = await order(kitchen)
        except OSError as error:
            got = type(error)
        assert got == result, f"{got!r}, expected {result!r}"
        assert abs(now() - began - seconds) < 0.1, "at the wrong time"

    async def just_in_time():
        await asyncio.sleep(29.4)
        return None

    async def broken():
        await asyncio.sleep(2.5)
        raise BrokenPipeError

    stopped = []
    begin = None

    async def endless():
        nonlocal begin
        begin = now()
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.append(now() - begin)

    await check(endless, "the guest left", 30)
    await check(just_in_time, None, 29.4)
    await check(broken, BrokenPipeError, 2.5)
    assert len(stopped) == 1 and abs(stopped[0] - 30) < 0.1

# %% circle-1 wrong: those who hang because of the circle are in it
# cause: only the tasks that will get on are crossed out, so the tasks that wait for one in the circle are left over, too
# line: return hanging | free = {name for name in hanging if waits[name] not in hanging}
def find_circle(waits):
    hanging = set(waits)
    while True:
        free = {name for name in hanging if waits[name] not in hanging}
        if not free:
            return hanging
        hanging -= free

# %% circle-1 wrong: whoever has been seen before closes a circle
# cause: the names seen on the earlier walks are not told from those of this walk, so two tasks that wait for the same third one look like a circle
# line: if name in seen: | seen = set() | seen.add(name)
def all_round(waits, start):
    circle, name = {start}, waits[start]
    while name in waits and name not in circle:
        circle.add(name)
        name = waits[name]
    return circle


def find_circle(waits):
    seen = set()
    for name in waits:
        while name in waits:
            if name in seen:
                return all_round(waits, name)
            seen.add(name)
            name = waits[name]
    return set()

# %% steady-1 wrong: a day is long enough
# cause: a time limit (of a day) makes a washer that is right, but slower, fail
# line: async with asyncio.timeout(24 * 3600):
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    joined = asyncio.create_task(dirty.join())
    try:
        async with asyncio.timeout(24 * 3600):
            await asyncio.wait({task, joined}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        assert clean == [0, 1, 2, 3, 4]
    finally:
        task.cancel()
        joined.cancel()
        await asyncio.gather(task, joined, return_exceptions=True)

# %% steady-1 wrong: compares as far as both go
# cause: zip ends with the shorter of the two, so it isn't noticed if the last plates are lost, or washed again after the others
# line: for expected, plate in zip(range(5), clean):
import asyncio
import contextlib


async def stop(task):
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    async with asyncio.TaskGroup() as group:
        washing = group.create_task(washer(dirty, clean))
        await dirty.join()
        await stop(washing)
    for expected, plate in zip(range(5), clean):
        assert plate == expected

# %% leaks-1 wrong: knows the old tasks by their names
# cause: the tasks that were there before are remembered by name, so a leaked task that has the name of an old one is overlooked
# line: before = {task.get_name() for task in asyncio.all_tasks()} | if task.get_name() not in before
import asyncio


async def leaks(test):
    before = {task.get_name() for task in asyncio.all_tasks()}
    left = []
    try:
        await test()
    finally:
        left = [
            task
            for task in asyncio.all_tasks()
            if task.get_name() not in before
        ]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)

# %% thirty-1 wrong: the error may be any
# cause: except Exception also catches the assert that no error came out
# line: except Exception:
import asyncio


async def test_order(order):
    clock, done = asyncio.get_running_loop().time, []

    async def quick():
        await asyncio.sleep(29.5)
        return "soup"

    async def slow():
        try:
            await asyncio.sleep(30.5)
        except asyncio.CancelledError:
            done.append(clock())
            raise

    async def fails():
        raise LookupError

    assert await order(quick) == "soup"
    assert clock() == 29.5
    assert await order(slow) == "the guest left"
    assert clock() == 59.5 and done == [59.5]
    try:
        await order(fails)
        assert False, "no error"
    except Exception:
        pass

# %% thirty-1 wrong: kitchens without a result
# cause: no kitchen returns anything, so an order that loses the result passes
# line: async def quick():
import asyncio


async def test_order(order):
    clock, done = asyncio.get_running_loop().time, []

    async def quick():
        await asyncio.sleep(29.5)

    async def slow():
        try:
            await asyncio.sleep(30.5)
        except asyncio.CancelledError:
            done.append(clock())
            raise

    async def fails():
        raise LookupError

    assert await order(quick) is None
    assert clock() == 29.5
    assert await order(slow) == "the guest left"
    assert clock() == 59.5 and done == [59.5]
    try:
        await order(fails)
    except LookupError:
        return
    assert False

# %% circle-1 wrong: two in a row are a circle
# cause: the names of the ways before close a way, too
# line: if name in done:
def find_circle(waits):
    done = []
    for first in waits:
        way, name = [], first
        while name is not None:
            if name in done:
                return set(way)
            way.append(name)
            done.append(name)
            name = waits.get(name)
    return set()

# %% circle-1 wrong: values that are keys
# cause: whoever waits and is waited for counts as part of a circle
# line: return {name
def find_circle(waits):
    return {name for name in waits if name in waits.values()}

# %% circle-1 wrong: pairs of different tasks only
# cause: a task that waits for itself is never found, since only pairs of two different tasks are compared
# line: for a, b in combinations(waits, 2): | if b in reach[a] and a in reach[b]:
from itertools import combinations


def reachable(waits, start):
    """All that `start` waits for, directly or not."""
    seen = set()
    current = waits.get(start)
    while current is not None and current not in seen:
        seen.add(current)
        current = waits.get(current)
    return seen


def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    reach = {task: reachable(waits, task) for task in waits}
    circle = set()
    for a, b in combinations(waits, 2):
        if b in reach[a] and a in reach[b]:
            circle |= {a, b}
    return circle

# %% circle-1 wrong: runs into an earlier walk
# cause: a walk that meets a task of an earlier, finished walk takes this for a circle, though nothing waits in a circle there
# line: if task in order: | order = {} | first = order[task] | return {name for name, place in order.items() if place >= first}
def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    order = {}                          # task -> when we came by
    for start in waits:
        if start in order:
            continue
        task = start
        while task in waits:
            if task in order:
                first = order[task]
                return {name for name, place in order.items() if place >= first}
            order[task] = len(order)
            task = waits[task]
    return set()

# %% steady-1 wrong: the first five
# cause: a plate that is washed twice at the end is cut off
# line: clean[:5]
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(washer(dirty, clean))
        await dirty.join()
        task.cancel()
    assert clean[:5] == [0, 1, 2, 3, 4]

# %% steady-1 wrong: the last plate alone
# cause: only the last plate is compared
# line: assert clean[-1] == 4
import asyncio


async def test_washer(washer):
    dirty, clean = asyncio.Queue(), []
    for plate in range(5):
        dirty.put_nowait(plate)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(washer(dirty, clean))
        await dirty.join()
        task.cancel()
    assert clean[-1] == 4

# %% leaks-1 wrong: what was there before is noted too late
# cause: the tasks of before are noted when the test has begun, so its own are among them
# line: before = asyncio.all_tasks()
import asyncio


async def leaks(test):
    task = asyncio.create_task(test())
    await asyncio.sleep(0)
    before = asyncio.all_tasks()
    try:
        await task
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return sorted(task.get_name() for task in left)


# %% leaks-1 right: what is neither old nor a stranger's
import asyncio
import contextvars

testing = contextvars.ContextVar("testing", default=())


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    loop = asyncio.get_running_loop()
    mark = object()
    others, mine = asyncio.all_tasks(), set()
    earlier = loop.get_task_factory()

    def factory(loop, coroutine, **options):
        if earlier is None:
            task = asyncio.Task(coroutine, loop=loop, **options)
        else:
            task = earlier(loop, coroutine, **options)
        ours = mark in testing.get() or asyncio.current_task() in mine
        (mine if ours else others).add(task)
        return task

    def found():
        return {task for task in asyncio.all_tasks() - others if not task.done()}

    names, cancelled = [], None
    loop.set_task_factory(factory)
    try:
        token = testing.set((*testing.get(), mark))
        try:
            await test()
        finally:
            testing.reset(token)
            names += sorted(task.get_name() for task in found())
    finally:
        while tasks := found():
            for task in tasks:
                task.cancel()
            while not all(task.done() for task in tasks):
                try:
                    await asyncio.wait(tasks)
                except asyncio.CancelledError as error:
                    cancelled = error
        if loop.get_task_factory() is factory:
            loop.set_task_factory(earlier)
        if cancelled is not None:
            raise cancelled
    return names


# %% leaks-1 right: a factory that keeps a family book
import asyncio
import contextlib
import contextvars

family = contextvars.ContextVar("family", default=None)


class Book:
    """The tasks that are started within the block, and by those tasks."""

    def __init__(self, loop):
        self.loop = loop
        self.tasks = []
        self.outer = None

    def __enter__(self):
        self.outer = family.get()
        self.token = family.set(self)
        self.before = self.loop.get_task_factory()
        self.loop.set_task_factory(self)
        return self

    def __exit__(self, *error):
        family.reset(self.token)

    def close(self):
        if self.loop.get_task_factory() is self:
            self.loop.set_task_factory(self.before)

    def __call__(self, loop, coroutine, **options):
        make = self.before or self.default
        task = make(loop, coroutine, **options)
        book = family.get()
        while book is not None and book is not self:
            book = book.outer
        if book is self or asyncio.current_task() in self.tasks:
            self.tasks.append(task)
        return task

    @staticmethod
    def default(loop, coroutine, **options):
        return asyncio.Task(coroutine, loop=loop, **options)

    def running(self):
        return [task for task in self.tasks if not task.done()]

    async def end(self):
        interruption = None
        while round_ := self.running():
            for task in round_:
                task.cancel()
            while left := [task for task in round_ if not task.done()]:
                try:
                    await asyncio.wait(left)
                except asyncio.CancelledError as error:
                    interruption = error
        if interruption:
            raise interruption


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    async with contextlib.AsyncExitStack() as stack:
        book = Book(asyncio.get_running_loop())
        stack.callback(book.close)
        stack.push_async_callback(book.end)
        with book:
            await test()
        return sorted(task.get_name() for task in book.running())

# %% leaks-1 wrong: returns from the finally
# cause: the return inside the finally swallows the error of the test and the cancellation of leaks
# line: return sorted(task.get_name() for task in left) | finally:
import asyncio


async def end(tasks):
    """Cancel the tasks, and be over only when they are."""
    for task in tasks:
        task.cancel()
    interrupted = None
    while pending := {task for task in tasks if not task.done()}:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        await end(left)
        return sorted(task.get_name() for task in left)

# %% leaks-1 right: waits for what it cancelled, unless it is cancelled itself
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    known = asyncio.all_tasks()
    names = []
    try:
        await test()
    finally:
        left = [task for task in asyncio.all_tasks() if task not in known]
        for task in left:
            names.append(task.get_name())
            task.cancel()
        if left:
            await asyncio.wait(left)
    names.sort()
    return names

# %% fixture-1 wrong: a fridge that never started
# cause: `fridge.on()` stands inside the `try` whose `finally` switches the fridge off, so it is switched off even if it did not start.
# line: await fridge.on() | await fridge.off()
async def kitchen(oven, fridge):
    await oven.on()
    try:
        try:
            await fridge.on()
            yield oven, fridge
        finally:
            await fridge.off()
    finally:
        await oven.off()

# %% thirty-1 wrong: passes if the error of the kitchen doesn't come out
# cause: `suppress` is content if no error comes at all, so an `order` that swallows the error of the kitchen passes.
# line: with contextlib.suppress(ValueError): | await order(burnt)
import asyncio
import contextlib


async def test_order(order):
    clock = asyncio.get_running_loop().time

    # in time
    async def quick():
        await asyncio.sleep(29.5)
        return "soup"

    begun = clock()
    assert await order(quick) == "soup"
    assert abs(clock() - begun - 29.5) < 0.01

    # too late
    events = []

    async def slow():
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            events.append(clock())
            await asyncio.sleep(5)
            events.append(clock())
            raise

    begun = clock()
    assert await order(slow) == "the guest left"
    assert abs(clock() - begun - 35) < 0.01
    assert [round(moment - begun, 2) for moment in events] == [30, 35]

    # an error
    async def burnt():
        await asyncio.sleep(3)
        raise ValueError("burnt")

    with contextlib.suppress(ValueError):
        await order(burnt)


# %% leaks-1 wrong: except Exception misses the cancellation
# cause: CancelledError is no Exception, so when `leaks` is cancelled while the test runs, what the test left goes on running.
# line: except Exception:
import asyncio


async def end_new(before):
    new = asyncio.all_tasks() - before
    names = sorted(task.get_name() for task in new)
    for task in new:
        task.cancel()
    await asyncio.gather(*new, return_exceptions=True)
    return names


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()
    try:
        await test()
    except Exception:
        await end_new(before)
        raise
    return await end_new(before)

# %% thirty-1 wrong: Measures with the real clock
# cause: time.monotonic doesn't know of the virtual time, in which 30 s take no time, so the test fails with a right order too.
# line: clock = time.monotonic
import asyncio
import time


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    clock = time.monotonic
    cancelled_at = ended_at = None

    async def good():
        await asyncio.sleep(29)
        return "fish"

    async def endless():
        nonlocal cancelled_at, ended_at
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled_at = clock()
            await asyncio.sleep(1.5)
            ended_at = clock()
            raise

    async def bad():
        await asyncio.sleep(3)
        raise LookupError("no fish")

    start = clock()
    assert await order(good) == "fish"
    assert abs(clock() - start - 29) < 0.1

    start = clock()
    assert await order(endless) == "the guest left"
    assert cancelled_at is not None and abs(cancelled_at - start - 30) < 0.1
    assert ended_at is not None and abs(clock() - start - 31.5) < 0.1

    start = clock()
    try:
        await order(bad)
    except LookupError:
        assert abs(clock() - start - 3) < 0.1
    else:
        assert False, "no error"

# %% leaks-1 wrong: gather without return_exceptions
# cause: gather raises the CancelledError of the first task, so leaks itself looks cancelled and does not wait for the others
# line: await asyncio.gather(*left)
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = [task for task in asyncio.all_tasks() if task not in before]
        for task in left:
            task.cancel()
        try:
            await asyncio.gather(*left)
        except asyncio.CancelledError:
            pass
    return sorted(task.get_name() for task in left)

# %% leaks-1 wrong: test in a task of its own
# cause: the task of the test itself counts among those left when leaks is cancelled, and is not awaited before
# line: await asyncio.wait([task]) | asyncio.create_task(test())
import asyncio


async def leaks(test):
    before = asyncio.all_tasks()
    task = asyncio.create_task(test())
    await asyncio.wait([task])
    left = asyncio.all_tasks() - before
    for one in left:
        one.cancel()
    if left:
        await asyncio.wait(left)
    task.result()
    return sorted(one.get_name() for one in left)

# %% leaks-1 wrong: cleanup errors of tasks escape
# cause: Only CancelledError is suppressed, so when the cleanup of a left task raises another error, that error comes out of leaks and the remaining tasks are not waited for.
# line: with contextlib.suppress(asyncio.CancelledError): | await task
import asyncio
import contextlib


async def end_all(tasks):
    for task in tasks:
        task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def leaks(test):
    before = asyncio.all_tasks()
    try:
        await test()
    finally:
        left = asyncio.all_tasks() - before
        names = sorted(t.get_name() for t in left)
        await end_all(left)
    return names

# %% leaks-1 wrong: tells tasks apart by name
# cause: Tasks are recognised by their names, so a leaked task that has the same name as a task that was there before is neither reported nor cancelled.
# line: known = {task.get_name() | if task.get_name() not in known
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    known = {task.get_name() for task in asyncio.all_tasks()}
    names = []
    try:
        await test()
    finally:
        left = [
            task for task in asyncio.all_tasks()
            if task.get_name() not in known
        ]
        names = sorted(task.get_name() for task in left)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return names

# %% fixture-1 wrong: both switched off with gather
# cause: gather runs both offs at the same time, so the oven is switched off before the fridge is off, and if fridge.off() raises, the fixture is over while the oven is still being switched off.
# line: await asyncio.gather(fridge.off(), oven.off())
import asyncio


async def kitchen(oven, fridge):
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    try:
        yield oven, fridge
    finally:
        await asyncio.gather(fridge.off(), oven.off())

# %% thirty-1 wrong: quick meal not timed
# cause: The time at which the meal comes isn't checked, so an `order` that returns it a while after it is there passes.
# line: assert await order(kitchen) == "pizza" | return "pizza" | none
import asyncio


async def test_order(order):
    loop = asyncio.get_running_loop()

    for duration in (0, 10, 29.5):

        async def kitchen():
            await asyncio.sleep(duration)
            return "pizza"

        assert await order(kitchen) == "pizza"

    cancelled_at = ended_at = None

    async def never():
        nonlocal cancelled_at, ended_at
        try:
            await asyncio.sleep(100_000)
        finally:
            cancelled_at = loop.time()
            await asyncio.sleep(3)
            ended_at = loop.time()

    begin = loop.time()
    assert await order(never) == "the guest left"
    end = loop.time()
    assert round(cancelled_at - begin, 3) == 30
    assert ended_at is not None
    assert round(end - begin, 3) == 33

    async def broken():
        await asyncio.sleep(2)
        raise LookupError("no flour")

    try:
        await order(broken)
    except LookupError as error:
        assert str(error) == "no flour"
    else:
        raise AssertionError("the error of the kitchen was lost")

# %% thirty-1 wrong: kitchen that ends at once
# cause: The cancelled kitchen needs no time to end and the test gives it a turn of the loop before it looks, so an order that does not wait for the kitchen's end passes.
# line: cancelled.set() | await asyncio.sleep(0) | except asyncio.CancelledError:
import asyncio
import math


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    now = asyncio.get_running_loop().time

    for duration in (0, 1, 15, 29, 29.75):
        dish = object()

        async def cook():
            await asyncio.sleep(duration)
            return dish

        begin = now()
        assert await order(cook) is dish
        assert math.isclose(now() - begin, duration, abs_tol=0.01)

    cancelled = asyncio.Event()

    async def too_slow():
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    begin = now()
    assert await order(too_slow) == "the guest left"
    assert math.isclose(now() - begin, 30, abs_tol=0.01)
    await asyncio.sleep(0)
    assert cancelled.is_set()

    class Burnt(Exception):
        pass

    async def burn():
        await asyncio.sleep(10)
        raise Burnt

    raised = False
    try:
        await order(burn)
    except Burnt:
        raised = True
    assert raised

# %% leaks-1 wrong: compares names instead of tasks
# cause: It tells old tasks from new ones by their names, so a leaked task that has the same name as a task that was there before is neither reported nor ended.
# line: if task.get_name() not in old_names | old_names = {task.get_name() for task in asyncio.all_tasks()}
import asyncio


async def _end(tasks):
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    old_names = {task.get_name() for task in asyncio.all_tasks()}
    new = []
    try:
        await test()
    finally:
        new = [
            task
            for task in asyncio.all_tasks()
            if task.get_name() not in old_names
        ]
        await _end(new)
    return sorted(task.get_name() for task in new)

# %% fixture-1 wrong: nothing guards the yield
# cause: An error that asynccontextmanager raises at the yield leaves the generator at once, and neither the fridge nor the oven is switched off.
# line: yield oven, fridge
async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    await oven.on()
    try:
        await fridge.on()
    except BaseException:
        await oven.off()
        raise
    yield oven, fridge
    try:
        await fridge.off()
    finally:
        await oven.off()

# %% thirty-1 wrong: assert inside the cancelled kitchen
# cause: The time of the cancellation is asserted within the kitchen, so an order that cancels after 29 s and drops what the cancelled kitchen raises swallows the AssertionError and passes.
# line: assert abs(loop.time() - start - 30) < 0.001
import asyncio


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    loop = asyncio.get_running_loop()

    # the dish comes in time
    async def cook():
        await asyncio.sleep(29.5)
        return "pizza"

    start = loop.time()
    dish = await order(cook)
    assert dish == "pizza"
    assert abs(loop.time() - start - 29.5) < 0.001

    # the dish does not come
    ended = []

    async def sleepy():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            assert abs(loop.time() - start - 30) < 0.001
            await asyncio.sleep(4)
            raise
        finally:
            ended.append(loop.time())

    start = loop.time()
    answer = await order(sleepy)
    assert answer == "the guest left"
    assert len(ended) == 1
    assert abs(loop.time() - ended[0]) < 0.001

    # the kitchen fails
    error = LookupError("no flour")

    async def broken():
        await asyncio.sleep(7)
        raise error

    start = loop.time()
    caught = None
    try:
        await order(broken)
    except LookupError as e:
        caught = e
    assert caught is error
    assert abs(loop.time() - start - 7) < 0.001

# %% steady-1 wrong: waits for five clean plates
# cause: It waits until five plates are in the list rather than for the queue to be done, so with a washer that loses a plate the fifth never comes and the test hangs.
# line: if len(self) == 5: | self.full.set() | rack = asyncio.create_task(clean.full.wait())
import asyncio


class Rack(list):
    def __init__(self):
        super().__init__()
        self.full = asyncio.Event()

    def append(self, plate):
        super().append(plate)
        if len(self) == 5:
            self.full.set()


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    dirty, clean = asyncio.Queue(), Rack()
    for plate in range(5):
        dirty.put_nowait(plate)
    task = asyncio.create_task(washer(dirty, clean))
    rack = asyncio.create_task(clean.full.wait())
    try:
        await asyncio.wait({task, rack}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
        assert not task.done(), "the washer died"
    finally:
        for each in (task, rack):
            each.cancel()
        await asyncio.wait({task, rack})
    assert clean == [0, 1, 2, 3, 4]

# %% thirty-1 wrong: only an upper limit checked
# cause: Nothing checks that the kitchen isn't cancelled before 30 s, so an `order` that gives up after 29 s passes.
# line: assert cancelled_at - start < 30.5 | await asyncio.sleep(10)
import asyncio


async def expect_error(order, error, seconds):
    loop = asyncio.get_running_loop()

    async def kitchen():
        await asyncio.sleep(seconds)
        raise error

    start = loop.time()
    try:
        await order(kitchen)
    except Exception as caught:
        assert caught is error
    else:
        assert False, "no error"
    assert loop.time() - start < seconds + 0.5


async def test_order(order):
    loop = asyncio.get_running_loop()
    dish = object()
    cancelled_at = ended_at = None

    async def quick():
        await asyncio.sleep(10)
        return dish

    async def forever():
        nonlocal cancelled_at, ended_at
        try:
            await asyncio.Event().wait()
        finally:
            cancelled_at = loop.time()
            await asyncio.sleep(3)
            ended_at = loop.time()

    start = loop.time()
    assert await order(quick) is dish
    assert loop.time() - start < 10.5

    start = loop.time()
    assert await order(forever) == "the guest left"
    assert cancelled_at is not None
    assert cancelled_at - start < 30.5
    assert ended_at is not None
    assert loop.time() - ended_at < 0.5

    await expect_error(order, KeyError("salt"), 5)
    await expect_error(order, TimeoutError("oven"), 5)

# %% fixture-1 wrong: cleanup registered before the start
# cause: fridge.off is pushed on the stack before fridge.on has succeeded, so a fridge that does not start is switched off.
# line: stack.push_async_callback(fridge.off) | await fridge.on()
from contextlib import AsyncExitStack


async def kitchen(oven, fridge):
    """Switch on both, yield them, and switch off what was switched on."""
    async with AsyncExitStack() as stack:
        await oven.on()
        stack.push_async_callback(oven.off)
        stack.push_async_callback(fridge.off)
        await fridge.on()
        yield oven, fridge

# %% leaks-1 wrong: gather lets cleanup errors out
# cause: Only CancelledError is caught and gather has no return_exceptions, so an error that a cleanup raises comes out, and the other tasks are not waited for.
# line: await asyncio.gather(*[quiet(task) for task in left]) | except asyncio.CancelledError:
import asyncio


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    before = asyncio.all_tasks()

    async def quiet(task):
        try:
            await task
        except asyncio.CancelledError:
            pass

    async def clean():
        left = asyncio.all_tasks() - before
        names = sorted(task.get_name() for task in left)
        for task in left:
            task.cancel()
        await asyncio.gather(*[quiet(task) for task in left])
        return names

    try:
        await test()
    except BaseException:
        await clean()
        raise
    return await clean()

# %% thirty-1 right: a logging stove and table
import asyncio


class _Burnt(TimeoutError):
    pass


class _Stove:
    """A kitchen that writes down what happens to it, and when."""

    def __init__(self, seconds, ending, washing):
        self.seconds, self.ending, self.washing = seconds, ending, washing
        self.begin = asyncio.get_running_loop().time()
        self.log = []

    def note(self, what):
        self.log.append((what, asyncio.get_running_loop().time() - self.begin))

    async def cook(self):
        self.note("start")
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.note("cancelled")
            await asyncio.sleep(self.washing)
            self.note("end")
            raise
        self.note("end")
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending


async def _evening(order, seconds, ending, washing=0):
    stove = _Stove(seconds, ending, washing)
    guest = asyncio.ensure_future(order(stove.cook))
    await asyncio.wait([guest], timeout=5000)
    stove.note("served")
    if not guest.done():
        guest.cancel()
        raise AssertionError("order does not end")

    if seconds > 30:
        wanted = [("start", 0), ("cancelled", 30), ("end", 30 + washing), ("served", 30 + washing)]
    else:
        wanted = [("start", 0), ("end", seconds), ("served", seconds)]
    assert [what for what, _ in stove.log] == [what for what, _ in wanted], stove.log
    for (what, when), (_, planned) in zip(stove.log, wanted):
        assert abs(when - planned) < 0.01, (what, when, planned)

    assert not guest.cancelled()
    error = guest.exception()
    if seconds > 30:
        assert error is None and guest.result() == "the guest left"
    elif isinstance(ending, Exception):
        assert error is ending
    else:
        assert error is None and guest.result() is ending


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    for case in (
        (0, "bread"), (2.345, object()), (3.21, None), (29.6, ["soup"]),
        (0, ValueError("no gas")), (7.77, KeyError("salt")), (29.6, OSError("fire")),
        (5.5, _Burnt("black")),
        (30.4, "cold"), (1000, "colder"), (1000, "colder", 4.5), (1000, "coldest", 120),
    ):
        await _evening(order, *case)

# %% circle-1 right: graphlib finds the cycle
import graphlib


def find_circle(waits):
    graph = {task: () if other is None else (other,) for task, other in waits.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return set(error.args[1])
    return set()

# %% steady-1 right: a queue that rings
import asyncio


class _Dirty(asyncio.Queue):
    """Rings when the last plate is done, and when a washer asks for more than there is."""

    def __init__(self, plates):
        super().__init__()
        self.over = asyncio.Event()
        self.missing = len(plates)
        for plate in plates:
            self.put_nowait(plate)

    def _asked(self):
        if self.empty():
            self.over.set()

    async def get(self):
        self._asked()
        return await super().get()

    def get_nowait(self):
        self._asked()
        return super().get_nowait()

    def task_done(self):
        super().task_done()
        self.missing -= 1
        if self.missing <= 0:
            self.over.set()


async def test_washer(washer):
    """Pass with a right washer, fail with a broken one; never hang."""
    plates, clean = [0, 1, 2, 3, 4], []
    dirty = _Dirty(plates)
    task = asyncio.ensure_future(washer(dirty, clean))
    task.add_done_callback(lambda _: dirty.over.set())
    interrupted = None
    try:
        await dirty.over.wait()
    finally:
        task.cancel()
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                interrupted = error
        died = None if task.cancelled() else task.exception()
        if interrupted is not None:
            raise interrupted
    if dirty.missing != 0 or clean != plates:
        raise AssertionError(f"{clean} are clean, {dirty.missing} not done") from died

# %% leaks-1 right: a task factory keeps book
import asyncio
import contextvars

_families = contextvars.ContextVar("families", default=())


async def _bury(family):
    interrupted = None
    while left := [task for task in family if not task.done()]:
        for task in left:
            task.cancel()
        while still := [task for task in left if not task.done()]:
            try:
                await asyncio.wait(still)
            except asyncio.CancelledError as error:
                interrupted = error
    for task in family:
        task.cancelled() or task.exception()
    if interrupted is not None:
        raise interrupted


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    loop = asyncio.get_running_loop()
    before = loop.get_task_factory()
    family = []

    def factory(loop, coroutine, **options):
        if before is None:
            task = asyncio.Task(coroutine, loop=loop, **options)
        else:
            task = before(loop, coroutine, **options)
        # The one who starts a task, or who started that one, is the test: it's in the context.
        if any(one is family for one in _families.get()):
            family.append(task)
        return task

    loop.set_task_factory(factory)
    try:
        token = _families.set((*_families.get(), family))
        try:
            await test()
        finally:
            _families.reset(token)
        return sorted(task.get_name() for task in family if not task.done())
    finally:
        try:
            await _bury(family)
        finally:
            if loop.get_task_factory() is factory:
                loop.set_task_factory(before)

# %% fixture-1 right: a recursive way back
async def _off(running):
    if running:
        try:
            await running.pop().off()
        finally:
            await _off(running)


async def kitchen(oven, fridge):
    running = []
    try:
        for machine in (oven, fridge):
            await machine.on()
            running.append(machine)
        yield oven, fridge
    finally:
        await _off(running)

# %% thirty-1 right: a dataclass of scripted kitchens
import asyncio
import dataclasses


@dataclasses.dataclass
class Kitchen:
    """A kitchen that cooks for a while, and writes down what happens to it."""

    cooking: float
    outcome: object
    cleaning: float = 0.0
    opened: float = 0.0
    calls: int = 0
    cancelled_at: float | None = None
    ended_at: float | None = None
    clean: bool = False

    def clock(self):
        return asyncio.get_running_loop().time() - self.opened

    async def cook(self):
        self.calls += 1
        try:
            if self.cooking:
                await asyncio.sleep(self.cooking)
        except asyncio.CancelledError:
            self.cancelled_at = self.clock()
            await asyncio.sleep(self.cleaning)
            self.clean = True
            raise
        finally:
            self.ended_at = self.clock()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def near(moment, expected):
    return moment is not None and abs(moment - expected) < 0.01


async def try_out(order, kitchen):
    kitchen.opened = asyncio.get_running_loop().time()

    async def guest():
        try:
            return "returned", await order(kitchen.cook), kitchen.clock()
        except Exception as error:
            return "raised", error, kitchen.clock()

    visit = asyncio.create_task(guest())
    await asyncio.wait({visit}, timeout=10_000)
    if not visit.done():
        visit.cancel()
        raise AssertionError("the order never ends")
    assert not visit.cancelled(), "the order was cancelled"
    how, what, when = visit.result()
    assert kitchen.calls == 1, "the kitchen is to be called once"

    if kitchen.cooking < 30:
        wanted = "raised" if isinstance(kitchen.outcome, Exception) else "returned"
        assert how == wanted and what is kitchen.outcome, (how, what)
        assert near(when, kitchen.cooking), when
        assert kitchen.cancelled_at is None
    else:
        assert how == "returned" and what == "the guest left", (how, what)
        assert near(kitchen.cancelled_at, 30), kitchen.cancelled_at
        assert kitchen.clean, "the kitchen was disturbed, or not awaited, when it cleaned up"
        assert near(kitchen.ended_at, 30 + kitchen.cleaning), kitchen.ended_at
        assert near(when, 30 + kitchen.cleaning), when


async def test_order(order):
    """Pass if `order` keeps its promises, fail if it does not."""
    for kitchen in (
        Kitchen(0, "bread"),
        Kitchen(7.25, object()),
        Kitchen(12.5, None),
        Kitchen(29.5, ["soup"]),
        Kitchen(30.5, "too late"),
        Kitchen(1000, "much too late"),
        Kitchen(1000, "slow to end", cleaning=0.5),
        Kitchen(1000, "very slow to end", cleaning=42.0),
        Kitchen(0, LookupError("no such dish")),
        Kitchen(3.25, ValueError("burnt")),
        Kitchen(4.75, TimeoutError("the oven's own")),
        Kitchen(29.5, OSError("fire")),
    ):
        await try_out(order, kitchen)

# %% circle-1 right: doubling the hops with reduce
import functools


def find_circle(waits):
    """Return the set of the tasks that wait for each other in a circle."""
    def twice_as_far(hops, _round):
        return {start: hops[middle] for start, middle in hops.items() if middle in hops}

    one_hop = {name: other for name, other in waits.items() if other in waits}
    # whoever is reached by more hops than there are tasks is in the circle
    far = functools.reduce(twice_as_far, range(len(waits).bit_length()), one_hop)
    return set(far.values())

# %% steady-1 right: a queue that rings a future
import asyncio


class Sink(asyncio.Queue):
    def __init__(self, plates):
        super().__init__()
        self.verdict = asyncio.get_running_loop().create_future()
        self.missing = len(plates)
        for plate in plates:
            self.put_nowait(plate)

    def ring(self, reason):
        if not self.verdict.done():
            self.verdict.set_result(reason)

    def task_done(self):
        super().task_done()
        self.missing -= 1
        if self.missing == 0:
            self.ring("done")

    async def get(self):
        if self.empty():
            self.ring("asked for more plates while some were not done")
        return await super().get()

    def get_nowait(self):
        if self.empty():
            self.ring("asked for more plates while some were not done")
        return super().get_nowait()


async def test_washer(washer):
    plates = list(range(5))
    dirty, clean = Sink(plates), []
    task = asyncio.create_task(washer(dirty, clean))
    task.add_done_callback(lambda _: dirty.ring("the washer has ended"))
    try:
        reason = await dirty.verdict
        if task.done():
            error = None if task.cancelled() else task.exception()
            raise AssertionError("the washer has ended") from error
        assert reason == "done", reason
        assert clean == plates, clean
    finally:
        task.cancel()
        await asyncio.wait({task})
        task.cancelled() or task.exception()

# %% leaks-1 right: context variable marks the family
import asyncio
from contextvars import ContextVar
from operator import methodcaller

_family = ContextVar("_family", default=())


async def _end(tasks):
    """Cancel the tasks; come back when all have ended, however they do."""
    alive = set(tasks)
    empty = asyncio.Event()

    def gone(task):
        if not task.cancelled():
            task.exception()
        alive.discard(task)
        if not alive:
            empty.set()

    for task in tasks:
        task.add_done_callback(gone)
        task.cancel()
    interruption = None
    while alive:
        try:
            await empty.wait()
        except asyncio.CancelledError as again:
            interruption = again
    if interruption is not None:
        raise interruption


async def leaks(test):
    """Return the names of the tasks that `test` left, sorted; end them."""
    mark = object()
    before = asyncio.all_tasks()

    def ours(task):
        if task in before:
            return False
        if not hasattr(task, "get_context"):    # Python 3.11
            return True
        return mark in task.get_context().get(_family, ())

    token = _family.set((*_family.get(), mark))
    try:
        await test()
    finally:
        _family.reset(token)
        left = list(filter(ours, asyncio.all_tasks()))
        names = sorted(map(methodcaller("get_name"), left))
        await _end(left)
    return names

# %% fixture-1 right: small class with __aenter__ twice
class _Running:
    def __init__(self, device):
        self.device = device

    async def __aenter__(self):
        await self.device.on()
        return self.device

    async def __aexit__(self, *how_it_ended):
        await self.device.off()


async def kitchen(oven, fridge):
    async with _Running(oven) as hot, _Running(fridge) as cold:
        yield hot, cold
