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

# %% thirty-1 right: a table of kitchens
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

# %% thirty-1 right: a kitchen with a TimeoutError of its own
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
# told: none
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
# told: none
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
# told: none
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
# line: assert clean == [0, 1, 2, 3, 4]
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
