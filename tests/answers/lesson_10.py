"""Answers to the exercises of lesson 10, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% written-1 wrong: gather cancels the others
# cause: gather leaves the others running when one fails, so c writes while main sleeps
# line: "gather": ["a"]
written = {"group": ["a"], "gather": ["a"], "wait": ["a", "c"], "brief": ["a"]}

# %% written-1 wrong: wait cancels at its time-out
# cause: wait only looks: after its timeout c goes on
# line: "wait": ["a"]
written = {"group": ["a"], "gather": ["a", "c"], "wait": ["a"], "brief": ["a"]}

# %% group-end-1 wrong: at the moment of the error
# cause: the group waits until the task that was cancelled has cleaned up
# line: seconds
seconds = 2

# %% group-end-1 wrong: nobody is cancelled
# cause: takes it that tidy sleeps to its end, as it would in a gather
# line: seconds
seconds = 13

# %% fail-fast-1 wrong: a plain gather
# cause: gather does not stop the others when one fails
# line: asyncio.gather(
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    return await asyncio.gather(*(buy(item) for item in items))

# %% fail-fast-1 wrong: asked, but not awaited
# cause: the others are asked to end, and nobody waits until they have cleaned up
# line: task.cancel()
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise

# %% fail-fast-1 wrong: a dict by item
# cause: an item that is in the list twice is bought twice, but only the second of the two is in the result
# line: tasks[item] = | return [
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = {}
    async with asyncio.TaskGroup() as group:
        for item in items:
            tasks[item] = group.create_task(buy(item))
    return [task.result() for task in tasks.values()]

# %% fail-fast-1 wrong: only for an Exception
# cause: if all_or_nothing is cancelled, it does not wait until all have ended
# line: except Exception:
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except Exception:
        for task in tasks:
            task.cancel()
        while not all(task.done() for task in tasks):
            await asyncio.wait(tasks)
        raise

# %% fail-fast-1 right: a group, and each puts its result into its place
import asyncio


async def all_or_nothing(buy, items):
    bought = {}

    async def get(place, item):
        bought[place] = await buy(item)

    async with asyncio.TaskGroup() as group:
        for place, item in enumerate(items):
            group.create_task(get(place, item))
    return [bought[place] for place in sorted(bought)]

# %% fail-fast-1 right: an asynchronous context manager of one's own
import asyncio


class Children:
    def __init__(self, coros):
        self.coros = list(coros)

    async def __aenter__(self):
        self.tasks = [asyncio.ensure_future(coro) for coro in self.coros]
        return self.tasks

    async def __aexit__(self, kind, error, trace):
        asked = None
        for task in self.tasks:
            task.cancel()
        while left := [task for task in self.tasks if not task.done()]:
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError as request:
                asked = request
        for task in self.tasks:
            task.cancelled() or task.exception()
        if asked is not None:
            raise asked


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    async with Children(map(buy, items)) as tasks:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        ended = [task.result() for task in tasks if task.done()]
    return ended

# %% fail-fast-1 wrong: only those that are something
# cause: what buy returned is left out where it counts as false
# line: filter(None
import asyncio


async def all_or_nothing(buy, items):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(buy(item)) for item in items]
    return list(filter(None, (task.result() for task in tasks)))

# %% fail-fast-1 wrong: wait, but not for nothing
# cause: asyncio.wait refuses an empty set, so no items are an error
# line: await asyncio.wait(tasks, return_when
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% fail-fast-1 wrong: a timeout is no failure
# cause: a TimeoutError that buy raises is suppressed
# line: except* TimeoutError:
import asyncio


async def all_or_nothing(buy, items):
    tasks = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks += [group.create_task(buy(item)) for item in items]
    except* TimeoutError:
        pass
    return [task.result() for task in tasks if not task.cancelled() and not task.exception()]

# %% first-answer-1 wrong: the first that ends
# cause: if the first one that ends has failed, its error comes out, though others may answer
# line: return done.pop().result()
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: an answer that counts as false
# cause: an answer such as 0 or "" is taken for none
# line: if answer:
import asyncio


async def first_answer(ask, servers):
    errors = []
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        for next_one in asyncio.as_completed(tasks):
            try:
                answer = await next_one
            except Exception as error:
                errors.append(error)
            else:
                if answer:
                    return answer
        raise ExceptionGroup("no server answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: the others go on
# cause: the servers that were slower are not stopped, and nobody waits for them
# line: return await next_one | tasks = [asyncio.create_task(
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    errors = []
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    for next_one in asyncio.as_completed(tasks):
        try:
            return await next_one
        except Exception as error:
            errors.append(error)
    raise ExceptionGroup("no server answered", errors)

# %% first-answer-1 wrong: the last error alone
# cause: if all fail, only the error of the last one is in the group
# line: errors = [error] | raise ExceptionGroup(
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        for next_one in asyncio.as_completed(tasks):
            try:
                return await next_one
            except Exception as error:
                errors = [error]
        raise ExceptionGroup("no server answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 right: a group whose children catch their own errors
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    answers, errors, asking = [], [], []

    async def try_one(server):
        try:
            answer = await ask(server)
        except Exception as error:
            errors.append(error)
        else:
            answers.append(answer)
            for other in asking:
                if other is not asyncio.current_task():
                    other.cancel()

    async with asyncio.TaskGroup() as group:
        for server in servers:
            asking.append(group.create_task(try_one(server)))
    match answers:
        case [first, *_]:
            return first
    raise ExceptionGroup("all servers failed", errors)

# %% first-answer-1 right: wait, a future of the winner, and a stubborn end
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def started(coros):
    tasks = [asyncio.create_task(coro) for coro in coros]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await until_ended(tasks)


async def until_ended(tasks):
    request = None
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            request = error
    failed = [task for task in tasks if not task.cancelled() and task.exception()]
    if request:
        raise request
    return failed


async def first_answer(ask, servers):
    async with started(ask(server) for server in servers) as tasks:
        pending = set(tasks)
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED)
            for task in filter(done.__contains__, tasks):
                if not task.cancelled() and task.exception() is None:
                    return task.result()
        raise ExceptionGroup("nobody", [task.exception() for task in tasks])

# %% first-answer-1 wrong: only one kind of failure
# cause: a server that fails with another error than OSError or ValueError ends it all
# line: except (ConnectionError, ValueError) | raise
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    try:
        for coming in asyncio.as_completed(tasks):
            try:
                return await coming
            except (ConnectionError, ValueError) as error:
                errors.append(error)
            except OSError as error:
                if isinstance(error, TimeoutError):
                    raise
                errors.append(error)
        raise ExceptionGroup("nobody answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: waits for the first loser alone
# cause: it ends when the first of the cancelled calls has ended, and others may need longer
# line: await asyncio.wait(pending | task.cancel()
import asyncio


async def first_answer(ask, servers):
    pending, errors = {asyncio.create_task(ask(server)) for server in servers}, []
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not task.exception():
                    return task.result()
                errors.append(task.exception())
        raise ExceptionGroup("nobody answered", errors)
    finally:
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)

# %% first-answer-1 right: a queue of what comes
import asyncio


async def first_answer(ask, servers):
    came, errors = asyncio.Queue(), []

    async def one(server):
        try:
            came.put_nowait((await ask(server), None))
        except Exception as error:
            came.put_nowait((None, error))

    tasks = [asyncio.create_task(one(server)) for server in servers]
    try:
        for _ in tasks:
            answer, error = await came.get()
            if error is None:
                return answer
            errors.append(error)
        raise ExceptionGroup("nobody answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 wrong: one deadline around a gather
# cause: if one page is late, all the others are lost too
# line: async with asyncio.timeout(seconds):
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    found = {}
    try:
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                tasks = {url: group.create_task(caught(fetch, url)) for url in urls}
        for url, task in tasks.items():
            if not isinstance(task.result(), Exception):
                found[url] = task.result()
    except TimeoutError:
        pass
    return found


async def caught(fetch, url):
    try:
        return await fetch(url)
    except Exception as error:
        return error

# %% within-1 wrong: nothing is stopped when it is cancelled
# cause: if fetch_within is cancelled in the wait, the tasks go on
# line: await asyncio.wait(tasks, timeout=seconds) | asyncio.create_task(fetch(url))
import asyncio


async def fetch_within(fetch, urls, seconds):
    if not urls:
        return {}
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    done, pending = await asyncio.wait(tasks, timeout=seconds)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    return {tasks[task]: task.result() for task in done
            if not task.cancelled() and task.exception() is None}

# %% within-1 wrong: what failed comes out
# cause: result raises the error of a page that failed; it should be left out
# line: task.result()
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    if not urls:
        return {}
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds)
        return {tasks[task]: task.result() for task in done}
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 wrong: always sleeps for all of the time
# cause: it waits for all of the seconds, even if all have ended before
# line: await asyncio.sleep(seconds)
import asyncio


async def fetch_within(fetch, urls, seconds):
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    try:
        await asyncio.sleep(seconds)
        return {url: task.result() for task, url in tasks.items()
                if task.done() and not task.cancelled() and task.exception() is None}
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 right: a group, and a timer that stops its children
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages, late = {}, False

    async def one(url):
        try:
            page = await fetch(url)
        except Exception:
            return
        if not late:
            pages[url] = page

    def ring():
        nonlocal late
        late = True
        for task in tasks:
            task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, ring)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(url)) for url in urls]
    finally:
        timer.cancel()
    return pages

# %% within-1 right: wait, and an end that is not cut off
import asyncio


def well(pair):
    task = pair[1]
    return not task.cancelled() and task.exception() is None


async def stop(tasks):
    again = False
    [task.cancel() for task in tasks]
    while not all(map(asyncio.Task.done, tasks)):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            again = True
    if again:
        raise asyncio.CancelledError


async def fetch_within(fetch, urls, seconds):
    start = asyncio.create_task
    pairs = [(url, start(fetch(url))) for url in dict.fromkeys(urls)]
    tasks = [task for _, task in pairs]
    if not tasks:
        return {}
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds)
        return {url: task.result() for url, task in filter(
            well, [pair for pair in pairs if pair[1] in done])}
    finally:
        await stop(tasks)

# %% within-1 wrong: a page that is nothing
# cause: a page that counts as false is left out
# line: if task.result()
# told: none
import asyncio


async def fetch_within(fetch, urls, seconds):
    tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
    if not tasks:
        return {}
    try:
        await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {
        url: task.result()
        for url, task in tasks.items()
        if not task.cancelled() and not task.exception() and task.result()
    }

# %% within-1 wrong: the timeout of a page ends all
# cause: a TimeoutError that a fetch raises is taken for the end of the time
# line: except TimeoutError:
import asyncio


async def fetch_within(fetch, urls, seconds):
    pages = {}

    async def one(url):
        try:
            pages[url] = await fetch(url)
        except TimeoutError:
            raise
        except Exception:
            pass

    try:
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(one(url))
    except* TimeoutError:
        pass
    return pages

# %% supervise-1 wrong: a cancellation is a failure
# cause: if supervise is cancelled, the worker is started again
# line: except BaseException:
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for _ in range(restarts):
        try:
            return await worker()
        except BaseException:
            await asyncio.sleep(pause)
    return await worker()

# %% supervise-1 wrong: one restart too few
# cause: the first start is counted as a restart
# line: if failures >= restarts:
import asyncio


async def supervise(worker, restarts, pause):
    failures = 0
    while True:
        try:
            return await worker()
        except Exception:
            failures += 1
            if failures >= restarts:
                raise
        await asyncio.sleep(pause)

# %% supervise-1 wrong: recursion
# cause: each restart is one call deeper, so it ends at about a thousand
# line: return await supervise(worker, restarts - 1, pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    try:
        return await worker()
    except Exception:
        if restarts == 0:
            raise
    await asyncio.sleep(pause)
    return await supervise(worker, restarts - 1, pause)

# %% supervise-1 wrong: pauses before the last error
# cause: after the last failure it waits for another pause before the error comes out
# line: await asyncio.sleep(pause)
import asyncio


async def supervise(worker, restarts, pause):
    for left in range(restarts, -1, -1):
        try:
            return await worker()
        except Exception:
            await asyncio.sleep(pause)
            if not left:
                raise

# %% supervise-1 right: repeat, and a last time without a net
import asyncio
from itertools import repeat


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for rest in repeat(pause, restarts):
        try:
            return await worker()
        except Exception:
            await asyncio.sleep(rest)
    return await worker()

# %% supervise-1 right: outcomes and a match
import asyncio


async def outcome(worker):
    try:
        return "returned", await worker()
    except Exception as error:
        return "failed", error


async def supervise(worker, restarts, pause):
    while True:
        match await outcome(worker):
            case "returned", value:
                return value
            case "failed", error if restarts <= 0:
                raise error
        restarts -= 1
        await asyncio.sleep(pause)

# %% supervise-1 wrong: starts again until something comes
# cause: a worker that returns None or 0 has ended well, and is not started again
# line: if result :=
# told: none
import asyncio


async def supervise(worker, restarts, pause):
    left = restarts
    while True:
        try:
            if result := await worker():
                return result
            return "done"
        except Exception:
            if not left:
                raise
            left -= 1
            await asyncio.sleep(pause)

# %% supervise-1 wrong: no pause is a second
# cause: a pause of 0 counts as false
# line: pause or 1
import asyncio


async def supervise(worker, restarts, pause):
    for _ in range(restarts):
        try:
            return await worker()
        except Exception:
            await asyncio.sleep(pause or 1)
    return await worker()

# %% fail-fast-1 wrong: return_exceptions waits for all
# cause: with return_exceptions=True gather waits for all of them: when one fails, the others are not stopped but buy on to their end
# line: return_exceptions=True
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    bought = await asyncio.gather(*(buy(item) for item in items), return_exceptions=True)
    errors = [result for result in bought if isinstance(result, Exception)]
    if errors:
        raise ExceptionGroup("not everything could be bought", errors)
    return bought

# %% fail-fast-1 wrong: cancels and doesn't wait
# cause: the others are cancelled, but nobody waits until they have cleaned up: all_or_nothing ends before every buy has ended
# line: task.cancel()
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise

# %% fail-fast-1 right: an AsyncExitStack and methodcaller
import asyncio
from contextlib import AsyncExitStack
from operator import methodcaller


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    async with AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())
        tasks = [*map(group.create_task, map(buy, items))]
    return [*map(methodcaller("result"), tasks)]

# %% first-answer-1 wrong: a falsy answer doesn't count
# cause: an answer like 0, "" or None is taken for no answer: the next one wins, or an ExceptionGroup is raised though somebody answered
# line: if answer:
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    errors = []
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        for ended in asyncio.as_completed(tasks):
            answer = None
            try:
                answer = await ended
            except Exception as error:
                errors.append(error)
            if answer:
                return answer
        raise ExceptionGroup("nobody answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: one of several that are done
# cause: several may be done at the same moment; it looks at one alone and forgets the others: an answer, or an error for the group, is lost
# line: task = done.pop()
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    pending = set(tasks)
    errors = []
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            task = done.pop()
            if task.exception() is None:
                return task.result()
            errors.append(task.exception())
        raise ExceptionGroup("nobody answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 right: a queue of outcomes in a group
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    outcomes = asyncio.Queue()
    errors = []
    answers = []

    async def report(server):
        try:
            outcome = ("answer", await ask(server))
        except Exception as error:
            outcome = ("error", error)
        outcomes.put_nowait(outcome)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(report(server)) for server in servers]
        while not answers and len(errors) < len(tasks):
            match await outcomes.get():
                case ("answer", answer):
                    answers.append(answer)
                case ("error", error):
                    errors.append(error)
        for task in tasks:
            task.cancel()
    if not answers:
        raise ExceptionGroup("nobody answered", errors)
    return answers[0]

# %% within-1 wrong: fails without urls
# cause: asyncio.wait raises a ValueError for an empty set: of no urls the dict should be empty
# line: await asyncio.wait(tasks, timeout=seconds)
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {
        tasks[task]: task.result()
        for task in done
        if not task.cancelled() and task.exception() is None
    }

# %% within-1 wrong: a cancel leaves the fetches running
# cause: asyncio.wait doesn't cancel what it waits for: when fetch_within is cancelled there, the lines after it are skipped and the fetches go on
# line: await asyncio.wait(tasks, timeout=seconds) | asyncio.create_task(fetch(url))
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    if not tasks:
        return {}
    done, late = await asyncio.wait(tasks, timeout=seconds)
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late)
    return {
        tasks[task]: task.result()
        for task in done
        if not task.cancelled() and task.exception() is None
    }

# %% within-1 right: call_later cuts off
import asyncio


class _Round:
    def __init__(self, fetch):
        self.fetch = fetch
        self.pages = {}
        self.tasks = []
        self.closed = False

    async def get(self, url):
        try:
            page = await self.fetch(url)
        except Exception:
            return
        if not self.closed:
            self.pages[url] = page

    def close(self):
        self.closed = True
        for task in self.tasks:
            task.cancel()


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    this = _Round(fetch)
    handle = asyncio.get_running_loop().call_later(seconds, this.close)
    try:
        async with asyncio.TaskGroup() as group:
            for url in urls:
                this.tasks.append(group.create_task(this.get(url)))
    finally:
        handle.cancel()
    return this.pages

# %% supervise-1 wrong: pauses before the last error, again
# cause: the last error must come out at once, but the pause comes before it is seen that no restart is left
# line: await asyncio.sleep(pause)
import asyncio


async def supervise(worker, restarts, pause):
    failures = 0
    while True:
        try:
            return await worker()
        except Exception:
            failures += 1
            await asyncio.sleep(pause)
            if failures > restarts:
                raise

# %% supervise-1 wrong: an exception as a result
# cause: with return_exceptions=True a worker that returns an exception object can't be told from one that failed: it is started again instead of its result being returned
# line: return_exceptions=True | if not isinstance(result, Exception):
# told: raise result
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    while True:
        [result] = await asyncio.gather(worker(), return_exceptions=True)
        if not isinstance(result, Exception):
            return result
        if restarts == 0:
            raise result
        restarts -= 1
        await asyncio.sleep(pause)

# %% supervise-1 right: pauses from an iterator
import asyncio
from itertools import repeat


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    pauses = repeat(pause, restarts)
    while True:
        try:
            return await worker()
        except Exception:
            delay = next(pauses, None)
            if delay is None:
                raise
        await asyncio.sleep(delay)

# %% fail-fast-1 wrong: gather, tidied up after errors only
# cause: CancelledError is no Exception: when all_or_nothing is cancelled, gather ends with the first task that does, and the ones that still clean up are not waited for
# line: except Exception:
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except Exception:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise

# %% fail-fast-1 wrong: a dict by item, once more
# cause: an item that stands in `items` twice is bought twice, but the dict keeps only the last purchase, which is then returned twice
# line: tasks[item] =
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = {}
    async with asyncio.TaskGroup() as group:
        for item in items:
            tasks[item] = group.create_task(buy(item))
    return [tasks[item].result() for item in items]

# %% fail-fast-1 right: wait for the first exception
import asyncio


async def stop(tasks):
    """Cancel the tasks and wait until all have ended, whoever cancels us meanwhile."""
    for task in tasks:
        task.cancel()
    cancelled = None
    while left := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.ensure_future(coro) for coro in map(buy, items)]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()       # raises what went wrong
    finally:
        await stop(tasks)
    return [task.result() for task in tasks]

# %% first-answer-1 wrong: none means "no answer yet"
# cause: a server may answer None; then this answer does not count, and if no other comes an ExceptionGroup is raised although somebody answered
# line: if answer is not None
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    answer = None
    try:
        for future in asyncio.as_completed(tasks):
            try:
                answer = await future
            except Exception as error:
                errors.append(error)
            if answer is not None:
                return answer
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    raise ExceptionGroup("nobody answered", errors)

# %% first-answer-1 wrong: the losers are only stopped when there is a winner
# cause: if first_answer itself is cancelled, the await in the loop raises and the cleanup is skipped: all the asks run on; a finally is missing
# line: await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED) | pending = {asyncio.create_task(ask(server)) for server in servers}
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    pending = {asyncio.create_task(ask(server)) for server in servers}
    errors = []
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if task.exception() is not None:
                errors.append(task.exception())
                continue
            for other in pending:
                other.cancel()
            if pending:
                await asyncio.wait(pending)
            return task.result()
    raise ExceptionGroup("all servers failed", errors)

# %% first-answer-1 right: done callbacks and one future
import asyncio


class Race:
    def __init__(self, coros):
        self.winner = asyncio.get_running_loop().create_future()
        self.errors = []
        self.tasks = [asyncio.ensure_future(coro) for coro in coros]
        self.running = len(self.tasks)
        for task in self.tasks:
            task.add_done_callback(self.finished)

    def finished(self, task):
        self.running -= 1
        if task.cancelled():
            self.errors.append(RuntimeError("cancelled"))
        elif error := task.exception():
            self.errors.append(error)
        elif not self.winner.done():
            self.winner.set_result(task)
        if not self.running and not self.winner.done():
            self.winner.set_result(None)

    async def stop(self):
        for task in self.tasks:
            task.cancel()
        cancelled = None
        while left := [task for task in self.tasks if not task.done()]:
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    race = Race(map(ask, servers))
    try:
        winner = await race.winner
    finally:
        await race.stop()
    if winner is None:
        raise ExceptionGroup("no server answered", race.errors)
    return winner.result()

# %% within-1 wrong: nothing to wait for
# cause: asyncio.wait raises a ValueError when it is given no tasks, so for no urls there is no empty dict
# line: await asyncio.wait(tasks.values(), timeout=seconds)
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
    try:
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {url: task.result() for url, task in tasks.items()
            if task in done and not task.cancelled() and task.exception() is None}

# %% within-1 wrong: only the errors of the network are expected
# cause: any other error of fetch, a ValueError say, leaves its task, makes the group cancel all the others, and comes out instead of being left out
# line: except (TimeoutError, OSError):
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages = {}

    async def one(url):
        try:
            async with asyncio.timeout(seconds):
                pages[url] = await fetch(url)
        except (TimeoutError, OSError):
            pass

    async with asyncio.TaskGroup() as group:
        for url in urls:
            group.create_task(one(url))
    return pages

# %% within-1 right: an alarm clock and a countdown
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    pages = {}

    def ring():
        if not over.done():
            over.set_result(None)

    def finished(url, task):
        running.discard(task)
        if not over.done() and not task.cancelled() and task.exception() is None:
            pages[url] = task.result()
        if not running:
            ring()

    running = set()
    for url in urls:
        task = loop.create_task(fetch(url))
        running.add(task)
        task.add_done_callback(lambda task, url=url: finished(url, task))
    if not running:
        return pages

    alarm = loop.call_later(seconds, ring)
    cancelled = None
    try:
        await over
    except asyncio.CancelledError as error:
        cancelled = error
    alarm.cancel()
    left = list(running)
    for task in left:
        task.cancel()
    while any(not task.done() for task in left):
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return pages

# %% supervise-1 wrong: a pause before giving up
# cause: after the last failure the loop sleeps once more before the error comes out, instead of raising it at once
# line: await asyncio.sleep(pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    last = None
    for attempt in range(restarts + 1):
        try:
            return await worker()
        except Exception as error:
            last = error
        await asyncio.sleep(pause)
    raise last

# %% supervise-1 wrong: start again by recursion
# cause: each restart goes one call deeper, so after some hundreds of them a RecursionError comes instead of the next start
# line: return await supervise(worker, restarts - 1, pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    try:
        return await worker()
    except Exception:
        if restarts == 0:
            raise
    await asyncio.sleep(pause)
    return await supervise(worker, restarts - 1, pause)

# %% supervise-1 right: an endless loop that counts down
import asyncio
import itertools


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    me = asyncio.current_task()
    before = me.cancelling()
    for failures in itertools.count(1):
        try:
            return await worker()
        except asyncio.CancelledError:
            raise
        except Exception:
            if me.cancelling() > before or failures > restarts:
                raise
        await asyncio.sleep(pause)

# %% fail-fast-1 wrong: waits once for those that clean up
# cause: cancelled while the others clean up, it ends before they do
# line: await asyncio.wait(tasks)
# told: t.cancel()
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(i)) for i in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for t in tasks:
            t.cancel()
        if tasks:
            await asyncio.wait(tasks)

# %% fail-fast-1 wrong: an error that buy returns is raised
# cause: buy may return an exception object; it has not failed then
# line: raise r | isinstance
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(i)) for i in items]
    try:
        done, pending = (
            await asyncio.wait(tasks, return_when="FIRST_EXCEPTION") if tasks else ((), ())
        )
    finally:
        for t in tasks:
            t.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for r in results:
        if isinstance(r, Exception):
            raise r
    return results

# %% first-answer-1 wrong: errors by their text
# cause: two servers fail with the same words, and one of the errors is lost
# line: errors[repr(e)]
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(s)) for s in servers]
    errors = {}
    try:
        for nxt in asyncio.as_completed(tasks):
            try:
                return await nxt
            except Exception as e:
                errors[repr(e)] = e
        raise ExceptionGroup("x", list(errors.values()))
    finally:
        for t in tasks:
            t.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% supervise-1 wrong: cancels the worker and does not wait
# cause: when it is cancelled, the worker is told to stop, and may still clean up when supervise has ended
# line: task.cancel() | await asyncio.wait([task]) | asyncio.create_task(worker())
import asyncio


async def supervise(worker, restarts, pause):
    for n in range(restarts + 1):
        task = asyncio.create_task(worker())
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
        if task.exception() is None:
            return task.result()
        if n < restarts:
            await asyncio.sleep(pause)
    raise task.exception()

# %% fail-fast-1 wrong: stopped, but not waited for
# cause: `cancel` only asks: a buy that takes a moment to clean up still runs when all_or_nothing ends. Await the cancelled tasks.
# line: task.cancel() | raise
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise

# %% fail-fast-1 wrong: items as keys
# cause: The results are kept under the item: of two equal items only one is bought, as the second replaces the first task's entry - and its result stands for both.
# line: tasks = {item: group.create_task(buy(item)) for item in set(items)} | set(items)
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    items = list(items)
    async with asyncio.TaskGroup() as group:
        tasks = {item: group.create_task(buy(item)) for item in set(items)}
    return [tasks[item].result() for item in items]

# %% fail-fast-1 right: a group, and places that are filled
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    async with asyncio.TaskGroup() as group:
        tasks = [*map(group.create_task, map(buy, items))]
    return [task.result() for task in tasks]

# %% first-answer-1 wrong: an answer of None is none
# cause: None stands for "no answer yet"; an answer that is None itself is taken for a failure of all, and the group of no errors is a ValueError.
# line: if answer is None:
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    answer = None
    errors = []
    try:
        for coming in asyncio.as_completed(tasks):
            try:
                answer = await coming
                break
            except Exception as error:
                errors.append(error)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if answer is None:
        raise ExceptionGroup("no server answered", errors)
    return answer

# %% first-answer-1 wrong: one of several that are done, again
# cause: Two may be done in the same moment; here only one of them is looked at, and if that one failed and no other is pending, the answer of the other is lost.
# line: task = done.pop()
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    pending = set(tasks)
    errors = []
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            task = done.pop()
            if task.exception() is None:
                return task.result()
            errors.append(task.exception())
        raise ExceptionGroup("no server answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 right: the winner stops the others
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    answers, errors, tasks = [], [], []

    async def run(server):
        try:
            answers.append(await ask(server))
        except Exception as error:
            errors.append(error)
        else:
            for task in tasks:
                if task is not asyncio.current_task():
                    task.cancel()

    async with asyncio.TaskGroup() as group:
        tasks.extend([group.create_task(run(server)) for server in servers])
    match answers:
        case [first, *_]:
            return first
    raise ExceptionGroup("all servers failed", errors)

# %% within-1 wrong: cancelled, and the fetches go on
# cause: `asyncio.wait` does not cancel its tasks when it is cancelled itself: if fetch_within is cancelled there, all fetches go on running.
# line: done, late = await asyncio.wait(tasks, timeout=seconds) | tasks = {asyncio.create_task(fetch(url)): url for url in urls}
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    if not tasks:
        return {}
    done, late = await asyncio.wait(tasks, timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return {tasks[task]: task.result() for task in done if task.exception() is None}

# %% within-1 wrong: one that fails takes the time from all
# cause: The first error leaves the group and cancels the other fetches; what they would have brought in time is lost.
# line: except* Exception: | async with asyncio.TaskGroup() as group:
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages = {}

    async def one(url):
        pages[url] = await fetch(url)

    try:
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(one(url))
    except* Exception:
        pass
    return pages

# %% supervise-1 wrong: a supervisor for each restart
# cause: Each restart is a call within the call before: with many restarts comes a RecursionError instead of the worker's result or error.
# line: return await supervise(worker, restarts - 1, pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    try:
        return await worker()
    except Exception:
        if restarts == 0:
            raise
    await asyncio.sleep(pause)
    return await supervise(worker, restarts - 1, pause)

# %% supervise-1 wrong: a pause before the last error
# cause: After the last failure it still waits for the pause, though nothing is started any more; the last error has to come out at once.
# line: await asyncio.sleep(pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    last = None
    for _ in range(restarts + 1):
        try:
            return await worker()
        except Exception as error:
            last = error
            await asyncio.sleep(pause)
    raise last

# %% supervise-1 right: the pauses as a list
import asyncio
from itertools import chain, repeat


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for wait in chain(repeat(pause, restarts), [None]):
        try:
            result = await worker()
        except Exception:
            if wait is None:
                raise
        else:
            return result
        await asyncio.sleep(wait)

# %% within-1 wrong: falsy pages are dropped
# cause: a page that is empty is left out as if it had failed
# line: if page
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages = {}

    async def keep(url):
        try:
            page = await fetch(url)
        except Exception:
            return
        if page:
            pages[url] = page

    try:
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(keep(url))
    except TimeoutError:
        pass
    return pages

# %% within-1 wrong: wait of nothing
# cause: asyncio.wait refuses an empty set: no urls raise a ValueError
# line: asyncio.wait(
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
    try:
        await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {
        url: task.result()
        for url, task in tasks.items()
        if not task.cancelled() and task.exception() is None
    }

# %% within-1 wrong: doesn't wait for those it cancels
# cause: the late ones are cancelled and not awaited, so they still clean up when it returns
# line: task.cancel()
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    if not urls:
        return {}
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    try:
        done, late = await asyncio.wait(tasks, timeout=seconds)
        return {tasks[task]: task.result() for task in done if task.exception() is None}
    finally:
        for task in tasks:
            task.cancel()

# %% within-1 wrong: a failure ends them all
# cause: an error in one fetch makes the group cancel the others, which would have come in time
# line: pages[url] = await fetch(url) | except* Exception | asyncio.TaskGroup()
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages = {}

    async def keep(url):
        pages[url] = await fetch(url)

    try:
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(keep(url))
    except* Exception:
        pass
    return pages

# %% within-1 wrong: returns what it has when cancelled
# cause: the cancellation is caught, and it returns
# line: except (TimeoutError, asyncio.CancelledError):
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    pages = {}

    async def keep(url):
        try:
            pages[url] = await fetch(url)
        except Exception:
            pass

    tasks = [asyncio.create_task(keep(url)) for url in urls]
    try:
        async with asyncio.timeout(seconds):
            await asyncio.gather(*tasks)
    except (TimeoutError, asyncio.CancelledError):
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% written-1 wrong: wait's timeout cancels
# cause: wait only stops waiting after 2 s; c goes on and is written at 3 s
# line: "wait": ["a"],
written = {
    "group": ["a"],
    "gather": ["a", "c"],
    "wait": ["a"],
    "brief": ["a"],
}

# %% group-end-1 wrong: the group ends when the child fails
# cause: the group waits until tidy has cleaned up, which takes 3 s more
# line: seconds = 2
seconds = 2

# %% fail-fast-1 wrong: cancels after gather, and doesn't wait
# cause: when one fails, the others are asked to stop, but all_or_nothing ends before they have
# line: task.cancel() | raise | none
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise

# %% fail-fast-1 wrong: one task for each different item
# cause: an item that stands twice in items takes the place of the first in the dict, and only one of the two results is returned twice
# line: buying[item] = group.create_task(buy(item)) | return [buying[item].result() for item in items] | buying = {}
import asyncio


async def all_or_nothing(buy, items):
    buying = {}
    async with asyncio.TaskGroup() as group:
        for item in items:
            buying[item] = group.create_task(buy(item))
    return [buying[item].result() for item in items]

# %% fail-fast-1 wrong: no cleanup when it is cancelled itself
# cause: wait leaves the tasks running when all_or_nothing is cancelled there, and no finally stops them
# line: await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION) | none
import asyncio


async def all_or_nothing(buy, items):
    if not items:
        return []
    tasks = [asyncio.create_task(buy(i)) for i in items]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    if pending:
        # somebody failed
        for p in pending:
            p.cancel()
        await asyncio.wait(pending)
    for d in done:
        d.result()  # raises the error, if it is this one
    return [t.result() for t in tasks]

# %% fail-fast-1 right: each writes into its own place
import asyncio


async def all_or_nothing(buy, items):
    bought = [None] * len(items)

    async def put(place, item):
        bought[place] = await buy(item)

    async with asyncio.TaskGroup() as group:
        for numbered in enumerate(items):
            group.create_task(put(*numbered))
    return bought

# %% fail-fast-1 right: a group inside, a lone error outside
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    try:
        async with asyncio.TaskGroup() as shop:
            baskets = list(map(shop.create_task, map(buy, items)))
    except BaseExceptionGroup as several:
        first, *_ = several.exceptions
        raise first from None
    else:
        return [basket.result() for basket in baskets]

# %% first-answer-1 wrong: only the last error
# cause: the errors of the earlier servers are overwritten, and the group has only the last one
# line: last = error | [last]
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        for next_one in asyncio.as_completed(tasks):
            try:
                return await next_one
            except Exception as error:
                last = error
        raise ExceptionGroup("all servers failed", [last])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: an answer must be true
# cause: an answer like 0, "" or None is taken for no answer
# line: if answer: | if answer
import asyncio


async def first_answer(ask, servers):
    answer = None
    errors: list[Exception] = []

    async def one(server):
        nonlocal answer
        try:
            got = await ask(server)
        except Exception as error:
            errors.append(error)
            return
        if not won.done():
            won.set_result(None)
            answer = got
            for task in tasks:
                if task is not asyncio.current_task():
                    task.cancel()

    won = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(server)) for server in servers]

    if answer:
        return answer
    raise ExceptionGroup("nobody answered", errors)

# %% first-answer-1 wrong: stops the others only when there is an answer
# cause: if first_answer is cancelled in its wait, nobody cancels the asks, and they run on
# line: await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED) | await stop(pending) | none
import asyncio


async def stop(tasks):
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def first_answer(ask, servers):
    pending = {asyncio.create_task(ask(s)) for s in servers}
    errors = []
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        good = [task for task in done if task.exception() is None]
        if good:
            await stop(pending)
            return good[0].result()
        errors += [task.exception() for task in done]
    raise ExceptionGroup("no server has answered", errors)

# %% first-answer-1 right: outcomes come through a queue
import asyncio


async def first_answer(ask, servers):
    outcomes = asyncio.Queue()

    async def one(server):
        try:
            outcomes.put_nowait((True, await ask(server)))
        except Exception as error:
            outcomes.put_nowait((False, error))

    errors = []
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(one(server)) for server in servers]
        for _ in asking:
            answered, what = await outcomes.get()
            if answered:
                for task in asking:
                    task.cancel()
                break
            errors.append(what)
    if not answered:
        raise ExceptionGroup("all servers failed", errors)
    return what

# %% first-answer-1 right: the answer is raised
import asyncio


class Found(Exception):
    pass


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    errors, answers = [], []

    async def one(server):
        try:
            answer = await ask(server)
        except Exception as error:
            errors.append(error)
        else:
            raise Found(answer)  # ends the whole group

    try:
        async with asyncio.TaskGroup() as group:
            for server in servers:
                group.create_task(one(server))
    except* Found as found:
        answers.extend(each.args[0] for each in found.exceptions)
    if answers:
        return answers[0]
    raise ExceptionGroup("nobody knows", errors)

# %% within-1 wrong: all or none
# cause: if one page is late, the timeout throws away gather's results, and with them the pages that came in time
# line: got = await asyncio.gather( | return {} | except TimeoutError: | async with asyncio.timeout(seconds):
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    try:
        async with asyncio.timeout(seconds):
            got = await asyncio.gather(*map(fetch, urls), return_exceptions=True)
    except TimeoutError:
        return {}
    return {u: g for u, g in zip(urls, got) if not isinstance(g, BaseException)}

# %% within-1 wrong: no urls
# cause: asyncio.wait refuses to wait for nothing: for no urls it raises a ValueError instead of returning an empty dict
# line: await asyncio.wait(tasks, timeout=seconds) | none
import asyncio


async def fetch_within(fetch, urls, seconds):
    tasks = {asyncio.create_task(fetch(url)): url for url in urls}
    pages = {}
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds)
        for task in done:
            if not task.exception():
                pages[tasks[task]] = task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages

# %% within-1 wrong: catches the late ones only
# cause: an error of fetch isn't caught, so one page that fails ends the group and comes out
# line: except TimeoutError:
import asyncio


async def fetch_within(fetch, urls, seconds):
    pages = {}

    async def one(url):
        try:
            async with asyncio.timeout(seconds):
                pages[url] = await fetch(url)
        except TimeoutError:
            pass  # too late, so leave it out

    async with asyncio.TaskGroup() as group:
        for url in urls:
            group.create_task(one(url))
    return pages

# %% within-1 right: a deadline around a group
import asyncio
from contextlib import suppress


async def fetch_within(fetch, urls, seconds):
    pages = {}

    async def keep(url):
        with suppress(Exception):
            page = await fetch(url)
            if not deadline.expired():
                pages[url] = page

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds) as deadline, asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(keep(url))
    return pages

# %% within-1 right: the loop's own timer stops the children
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""

    async def tried(url):
        try:
            return [(url, await fetch(url))]
        except Exception:
            return []

    def time_is_up():
        for child in children:
            child.cancel()

    children = []
    timer = asyncio.get_running_loop().call_later(seconds, time_is_up)
    try:
        async with asyncio.TaskGroup() as group:
            children += [group.create_task(tried(url)) for url in urls]
    finally:
        timer.cancel()
    return dict(sum((c.result() for c in children if not c.cancelled()), []))

# %% supervise-1 wrong: a pause before the last error too
# cause: after the last failure it still sleeps for the pause before it raises, so the error doesn't come out at once
# line: await asyncio.sleep(pause) | if failures > restarts:
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    failures = 0
    while True:
        try:
            return await worker()
        except Exception as error:
            failures += 1
            await asyncio.sleep(pause)
            if failures > restarts:
                raise error

# %% supervise-1 wrong: the worker runs on when supervise is cancelled
# cause: the worker is a task of its own; a cancelled wait doesn't cancel it, and nobody else does
# line: await asyncio.wait([task]) | task = asyncio.create_task(worker()) | none
import asyncio


async def supervise(worker, restarts, pause):
    for left in range(restarts, -1, -1):
        task = asyncio.create_task(worker())
        await asyncio.wait([task])
        if task.exception() is None or left == 0:
            break
        await asyncio.sleep(pause)
    return task.result()

# %% supervise-1 wrong: a request to stop is taken for a failure
# cause: except BaseException swallows the CancelledError, and the worker is started again
# line: except BaseException:
import asyncio


async def supervise(worker, restarts, pause):
    tries_left = restarts + 1
    while tries_left:
        tries_left -= 1
        try:
            result = await worker()
        except BaseException:  # it may fail with any kind of error
            if not tries_left:
                raise
        else:
            return result
        await asyncio.sleep(pause)

# %% supervise-1 right: a task that is told to stop, once
import asyncio


async def to_its_end(task):
    request = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            if request is None:
                task.cancel()
            request = error
    failed = not task.cancelled() and task.exception() is not None
    if request is not None:
        raise request
    return failed


async def supervise(worker, restarts, pause):
    for left in reversed(range(restarts + 1)):
        running = asyncio.create_task(worker())
        if not await to_its_end(running) or not left:
            break
        await asyncio.sleep(pause)
    return running.result()

# %% supervise-1 right: pauses from repeat
import asyncio
from itertools import repeat


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    pauses = repeat(pause, restarts)
    me = asyncio.current_task()
    before = me.cancelling()
    while True:
        try:
            return await worker()
        except Exception:
            if me.cancelling() > before:
                # it failed while it cleaned up
                raise asyncio.CancelledError from None
            if (seconds := next(pauses, None)) is None:
                raise
        await asyncio.sleep(seconds)

# %% fail-fast-1 wrong: does not wait for all when it is cancelled
# cause: a CancelledError is no Exception; gather stops the others then but comes back with the first that has ended, while others still clean up
# line: except Exception:
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except Exception:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise

# %% fail-fast-1 wrong: fails for no items
# cause: asyncio.wait raises a ValueError when there is nothing to wait for, but for no items an empty list is wanted
# line: await asyncio.wait(tasks
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done() and task.exception():
                raise task.exception()
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% fail-fast-1 right: a group in an exit stack
import asyncio
from contextlib import AsyncExitStack


async def all_or_nothing(buy, items):
    bought = {}

    async def fill(place, item):
        bought[place] = await buy(item)

    async with AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for place, item in enumerate(items):
            group.create_task(fill(place, item))
    return [bought[place] for place in sorted(bought)]

# %% first-answer-1 wrong: tidies up only after an answer
# cause: the losers are stopped when there is a winner, but not when first_answer is cancelled: then every ask goes on
# line: none | answer = await coming
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    for coming in asyncio.as_completed(tasks):
        try:
            answer = await coming
        except Exception as error:
            errors.append(error)
        else:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return answer
    raise ExceptionGroup("no server answered", errors)

# %% first-answer-1 right: a future and callbacks
import asyncio


async def first_answer(ask, servers):
    loop = asyncio.get_running_loop()
    winner = loop.create_future()
    errors = []

    def ended(task):
        error = RuntimeError("cancelled") if task.cancelled() else task.exception()
        if winner.done():
            return
        if error is None:
            winner.set_result(task.result())
            return
        errors.append(error)
        if len(errors) == len(tasks):
            winner.set_exception(ExceptionGroup("all have failed", errors))

    tasks = [loop.create_task(ask(server)) for server in servers]
    for task in tasks:
        task.add_done_callback(ended)
    try:
        return await winner
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 wrong: one that fails stops the others
# cause: in a TaskGroup the first error cancels all other fetches, although they have nothing to do with one another
# line: pages[url] = await fetch(url) | async with asyncio.TaskGroup() as group:
import asyncio


async def fetch_within(fetch, urls, seconds):
    pages = {}

    async def one(url):
        pages[url] = await fetch(url)

    try:
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(one(url))
    except (TimeoutError, ExceptionGroup):
        pass
    return pages

# %% within-1 right: a group and call_later
import asyncio
from contextlib import suppress


async def fetch_within(fetch, urls, seconds):
    loop = asyncio.get_running_loop()
    pages = {}
    tasks = []
    over = False

    async def one(url):
        with suppress(Exception):
            page = await fetch(url)
            if not over:
                pages[url] = page

    def stop():
        nonlocal over
        over = True
        for task in tasks:
            if not task.cancelling():
                task.cancel()

    alarm = loop.call_later(seconds, stop)
    try:
        async with asyncio.TaskGroup() as group:
            for url in urls:
                tasks.append(group.create_task(one(url)))
    finally:
        alarm.cancel()
    return pages

# %% supervise-1 wrong: wait does not pass the cancellation on
# cause: asyncio.wait does not cancel the tasks when it is cancelled, so the worker goes on after supervise has been cancelled
# line: await asyncio.wait([task]) | task = asyncio.create_task(worker())
import asyncio


async def supervise(worker, restarts, pause):
    while True:
        task = asyncio.create_task(worker())
        await asyncio.wait([task])
        error = task.exception()
        if error is None:
            return task.result()
        if restarts == 0:
            raise error
        restarts -= 1
        await asyncio.sleep(pause)

# %% supervise-1 right: repeat and suppress
import asyncio
import itertools
from contextlib import suppress


async def supervise(worker, restarts, pause):
    for _ in itertools.repeat(None, restarts):
        with suppress(Exception):
            return await worker()
        await asyncio.sleep(pause)
    return await worker()

# %% first-answer-1 wrong: looks at one of those that are done
# cause: several may have ended at the same moment; only one of them is looked at, and the answer or the error of the others is lost
# line: task = done.pop()
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    pending = set(tasks)
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED)
            task = done.pop()
            if task.exception() is None:
                return task.result()
            errors.append(task.exception())
        raise ExceptionGroup("no server answered", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% fail-fast-1 wrong: keyed by the item
# cause: the tasks are kept in a dict by item, so an item that stands twice in `items` has its first task overwritten: both places give the result of the second one.
# line: tasks[item] = group.create_task(buy(item)) | return [tasks[item].result() for item in items]
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    items = list(items)
    tasks = {}
    async with asyncio.TaskGroup() as group:
        for item in items:
            tasks[item] = group.create_task(buy(item))
    return [tasks[item].result() for item in items]

# %% fail-fast-1 wrong: nobody waits after a cancellation
# cause: a CancelledError is no Exception, so when all_or_nothing is cancelled it ends as soon as the first buy has ended, while others still clean up.
# line: except Exception:
import asyncio


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return list(await asyncio.gather(*tasks))
    except Exception:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise

# %% fail-fast-1 right: exit stack and map
import asyncio
from contextlib import AsyncExitStack


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    async with AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())
        tasks = list(map(group.create_task, map(buy, items)))
    return [*map(asyncio.Task.result, tasks)]

# %% first-answer-1 wrong: looks at one of those that are done, again
# cause: two asks can end in the same moment; only one of the done tasks is looked at, the other's answer or error is lost.
# line: task = done.pop()
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    pending = set(tasks)
    errors = []
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED)
            task = done.pop()
            if task.exception() is None:
                return task.result()
            errors.append(task.exception())
        raise ExceptionGroup("nobody answers", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% first-answer-1 wrong: a single error comes out bare
# cause: if there is only one server and it fails, its bare error comes out instead of an ExceptionGroup.
# line: if len(errors) == 1: | raise errors[0]
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    try:
        for next_one in asyncio.as_completed(tasks):
            try:
                return await next_one
            except Exception as error:
                errors.append(error)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if len(errors) == 1:
        raise errors[0]
    raise ExceptionGroup("no server answers", errors)

# %% first-answer-1 right: a queue fed by done callbacks
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    ended = asyncio.Queue()
    tasks = []
    for server in servers:
        task = asyncio.ensure_future(ask(server))
        task.add_done_callback(ended.put_nowait)
        tasks.append(task)
    errors = []
    try:
        while len(errors) < len(tasks):
            task = await ended.get()
            error = task.exception()
            if error is None:
                return task.result()
            errors.append(error)
        raise ExceptionGroup("all servers failed", errors)
    finally:
        cancelled = None
        for task in tasks:
            task.cancel()
        while not all(task.done() for task in tasks):
            try:
                await asyncio.wait(tasks)
            except asyncio.CancelledError as error:
                cancelled = error
        for task in tasks:
            if not task.cancelled():
                task.exception()
        if cancelled is not None:
            raise cancelled

# %% within-1 wrong: CancelledError stays in the dict
# cause: what the timer has cancelled gives a CancelledError, which is no Exception, so the late urls stay in the dict with the error as their page.
# line: if not isinstance(page, Exception) | pages = await asyncio.gather(*tasks, return_exceptions=True)
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    loop = asyncio.get_running_loop()
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    timers = [loop.call_later(seconds, task.cancel) for task in tasks]
    try:
        pages = await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        for timer in timers:
            timer.cancel()
    return {
        url: page
        for url, page in zip(urls, pages)
        if not isinstance(page, Exception)
    }

# %% within-1 right: a harvest with a timer
import asyncio


class Harvest:
    def __init__(self, fetch):
        self.fetch = fetch
        self.pages = {}
        self.tasks = []
        self.late = False

    async def pick(self, url):
        try:
            page = await self.fetch(url)
        except Exception:
            return
        if not self.late:
            self.pages[url] = page

    def close(self):
        self.late = True
        for task in self.tasks:
            task.cancel()


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    harvest = Harvest(fetch)
    timer = asyncio.get_running_loop().call_later(seconds, harvest.close)
    try:
        async with asyncio.TaskGroup() as group:
            for url in urls:
                harvest.tasks.append(group.create_task(harvest.pick(url)))
    finally:
        timer.cancel()
    return harvest.pages

# %% supervise-1 wrong: the worker outlives its supervisor
# cause: asyncio.wait does not cancel the task that it waits for, so when supervise is cancelled the worker goes on.
# line: await asyncio.wait([task]) | task = asyncio.create_task(worker())
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    left = restarts
    while True:
        task = asyncio.create_task(worker())
        await asyncio.wait([task])
        if task.exception() is None:
            return task.result()
        if left == 0:
            raise task.exception()
        left -= 1
        await asyncio.sleep(pause)

# %% supervise-1 wrong: pauses whatever happened
# cause: the pause stands in `finally`, so the result, the last error and a cancellation are all held up by it.
# line: finally: | await asyncio.sleep(pause)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for left in range(restarts, -1, -1):
        try:
            return await worker()
        except Exception:
            if not left:
                raise
        finally:
            await asyncio.sleep(pause)

# %% supervise-1 right: a task that is watched
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    async def run():
        task = asyncio.ensure_future(worker())
        stop = None
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                task.cancel()
                stop = error
        error = None if task.cancelled() else task.exception()
        if stop is not None:
            raise stop
        return task, error

    task, error = await run()
    failures = 0
    while error is not None:
        failures += 1
        if failures > restarts:
            raise error
        await asyncio.sleep(pause)
        task, error = await run()
    return task.result()

# %% within-1 wrong: believes that wait raises a TimeoutError
# cause: asyncio.wait doesn't raise when its time is over, it returns; so the late fetches are never cancelled and go on
# line: except TimeoutError: | await asyncio.wait(tasks, timeout=seconds) | tasks = [asyncio.create_task(fetch(url)) for url in urls]
import asyncio


async def stop(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    if not tasks:
        return {}
    try:
        await asyncio.wait(tasks, timeout=seconds)
    except TimeoutError:
        await stop(tasks)
    except asyncio.CancelledError:
        await stop(tasks)
        raise
    pages = {}
    for url, task in zip(urls, tasks):
        if task.done() and not task.cancelled() and task.exception() is None:
            pages[url] = task.result()
    return pages

# %% fail-fast-1 wrong: waits for the rest after an Exception only
# cause: CancelledError is no Exception, so when all_or_nothing is cancelled it ends with the first buy that has ended and doesn't wait for the others
# line: except Exception:
import asyncio


async def stop(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def all_or_nothing(buy, items):
    tasks = []
    for item in items:
        tasks.append(asyncio.create_task(buy(item)))
    try:
        results = await asyncio.gather(*tasks)
    except Exception:
        await stop(tasks)
        raise
    return list(results)

# %% first-answer-1 wrong: only the errors of the last round
# cause: the list of errors is made anew in each round, so the group holds only the errors of the servers that failed last
# line: errors = []
import asyncio


async def end(tasks):
    for task in tasks:
        task.cancel()
    interrupted = False
    while rest := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(rest)
        except asyncio.CancelledError:
            interrupted = True
    if interrupted:
        raise asyncio.CancelledError


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    pending = tasks
    try:
        while pending:
            errors = []
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                if task.exception() is None:
                    return task.result()
                errors.append(task.exception())
        raise ExceptionGroup("all servers have failed", errors)
    finally:
        await end(tasks)

# %% fail-fast-1 wrong: raises an error of its own
# cause: another error comes out than that of buy
# line: raise RuntimeError
import asyncio


async def all_or_nothing(buy, items):
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
    except ExceptionGroup:
        raise RuntimeError("nothing bought") from None
    return [task.result() for task in tasks]

# %% fail-fast-1 wrong: stops the others for an OSError alone
# cause: only OSError stops the others
# line: except OSError:
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except OSError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise

# %% first-answer-1 wrong: returns the group
# cause: returns the group
# line: return ExceptionGroup
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    try:
        for one in asyncio.as_completed(tasks):
            try:
                return await one
            except Exception as error:
                errors.append(error)
        return ExceptionGroup("all failed", errors)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 wrong: wait_for around a gather
# cause: When the time is over, the whole gather is thrown away, and with it the pages that did come in time.
# line: return {} | asyncio.wait_for(everything, seconds)
import asyncio


async def fetch_within(fetch, urls, seconds):
    urls = list(urls)
    everything = asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
    try:
        results = await asyncio.wait_for(everything, seconds)
    except TimeoutError:
        return {}
    return {
        url: result
        for url, result in zip(urls, results)
        if not isinstance(result, BaseException)
    }

# %% within-1 wrong: all or nothing
# cause: if one page is late, those that came in time are lost too
# line: return {}
import asyncio


async def fetch_within(fetch, urls, seconds):
    urls = list(urls)
    try:
        async with asyncio.timeout(seconds):
            pages = await asyncio.gather(*map(fetch, urls), return_exceptions=True)
    except TimeoutError:
        return {}
    return {
        url: page
        for url, page in zip(urls, pages)
        if not isinstance(page, BaseException)
    }

# %% first-answer-1 wrong: gives the cancelled tasks one turn only
# cause: `sleep(0)` gives the cancelled tasks a single turn, but one that takes a moment to clean up is still running when the function returns; it has to be awaited.
# line: await asyncio.sleep(0)
import asyncio


async def first_answer(ask, servers):
    errors = []
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    try:
        waiting = set(tasks)
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                error = task.exception()
                if error is None:
                    return task.result()
                errors.append(error)
        raise ExceptionGroup("no server answered", errors)
    finally:
        # send the others home
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)

# %% first-answer-1 wrong: a falsy answer is taken for no answer
# cause: The test asks whether the answer is true, not whether there is one, so an answer such as 0, "" or None is thrown away.
# line: if answer: | answer = None
import asyncio


async def first_answer(ask, servers):
    answer = None
    errors = []
    pending = {asyncio.create_task(ask(server)) for server in servers}
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for t in done:
                if t.exception() is not None:
                    errors.append(t.exception())
                else:
                    answer = t.result()
            if answer:
                return answer
    finally:
        for t in pending:
            t.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
    raise ExceptionGroup("nobody answered", errors)

# %% supervise-1 wrong: doesn't wait for the cleanup
# cause: on cancellation the worker task is cancelled but not awaited, so supervise ends while the worker still cleans up.
# line: task.cancel() | except asyncio.CancelledError: | none
import asyncio


async def supervise(worker, restarts, pause):
    for left in range(restarts, -1, -1):
        task = asyncio.create_task(worker())
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.exception() is None or left == 0:
            return task.result()
        await asyncio.sleep(pause)

# %% fail-fast-1 wrong: awaited in order
# cause: an error of a later one is noticed only when the earlier ones are done
# line: return [await task for task in tasks]
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return [await task for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% within-1 wrong: a CancelledError is no Exception
# cause: CancelledError is not an Exception but a BaseException, so the CancelledErrors that gather returns for the late fetches get into the dict as pages.
# line: if not isinstance(page, Exception)
import asyncio


async def fetch_within(fetch, urls, seconds):
    urls = list(urls)
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
        pages = await asyncio.gather(*tasks, return_exceptions=True)
    return {
        url: page
        for url, page in zip(urls, pages)
        if not isinstance(page, Exception)
    }

# %% within-1 wrong: waits after the finally
# cause: The waiting for the cancelled fetches stands after the finally block, so when fetch_within is cancelled it is skipped and fetches are still cleaning up when it ends.
# line: await asyncio.gather(*tasks, return_exceptions=True) | finally: | task.cancel()
import asyncio


def succeeded(task):
    return not task.cancelled() and task.exception() is None


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""
    url_of = {asyncio.create_task(fetch(url)): url for url in urls}
    if not url_of:
        return {}
    tasks = list(url_of)
    try:
        await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {url_of[task]: task.result() for task in tasks if succeeded(task)}

# %% supervise-1 wrong: cancelled worker not awaited
# cause: When supervise is cancelled it cancels the worker's task but doesn't wait for it, so the worker is still cleaning up when supervise ends.
# line: task.cancel() | except asyncio.CancelledError: | none
import asyncio


async def run_once(worker):
    task = asyncio.create_task(worker())
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        raise
    return task


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for _ in range(restarts):
        task = await run_once(worker)
        if task.exception() is None:
            return task.result()
        await asyncio.sleep(pause)
    task = await run_once(worker)
    return task.result()

# %% supervise-1 wrong: first start counted as restart
# cause: The loop runs the worker restarts times in all, though it should be started once and then again restarts times; with restarts=0 it is not run at all.
# line: for attempt in range(restarts): | if attempt == restarts - 1:
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for attempt in range(restarts):
        try:
            return await worker()
        except Exception:
            if attempt == restarts - 1:
                raise
            await asyncio.sleep(pause)

# %% fail-fast-1 wrong: awaits the tasks one by one
# cause: The tasks are awaited in the order of `items`, so when a later one fails while an earlier one takes long, the failure isn't noticed until the earlier ones are over and the others aren't stopped.
# line: return [await task for task in tasks]
import asyncio


async def stop(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return [await task for task in tasks]
    finally:
        await stop(tasks)

# %% first-answer-1 wrong: only the last round's errors
# cause: done holds only the tasks of the last round of asyncio.wait, so if the servers fail at different moments the ExceptionGroup lacks the errors of those that failed before.
# line: [task.exception() for task in done] | raise ExceptionGroup(
import asyncio


async def first_answer(ask, servers):
    tasks = {asyncio.create_task(ask(server)) for server in servers}
    pending = tasks
    try:
        while pending:
            done, pending = await asyncio.wait(
                pending, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                if task.exception() is None:
                    return task.result()
        raise ExceptionGroup("all failed", [task.exception() for task in done])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

# %% first-answer-1 wrong: clean-up raises a failed server's error
# cause: The clean-up awaits all tasks and suppresses only CancelledError, so the error of a server that failed earlier comes out of it, in place of the answer or of the ExceptionGroup.
# line: with suppress(asyncio.CancelledError): | await task
import asyncio
from contextlib import suppress


async def stop_all(tasks):
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    tasks = [asyncio.create_task(ask(s)) for s in servers]
    errors = []
    try:
        waiting = set(tasks)
        while waiting:
            finished, waiting = await asyncio.wait(
                waiting, return_when=asyncio.FIRST_COMPLETED
            )
            for t in finished:
                if error := t.exception():
                    errors.append(error)
                else:
                    return t.result()
        raise ExceptionGroup("every server failed", errors)
    finally:
        await stop_all(tasks)

# %% supervise-1 wrong: the task is made once
# cause: The worker's task is made before the loop, so after a failure the same ended task is awaited again and gives the same error; the worker is never started again.
# line: task = asyncio.create_task(worker()) | return await task
import asyncio


async def supervise(worker, restarts, pause):
    task = asyncio.create_task(worker())
    for attempt in range(restarts + 1):
        try:
            return await task
        except Exception:
            if attempt == restarts:
                raise
            await asyncio.sleep(pause)

# %% first-answer-1 wrong: TaskGroup stops at first failure
# cause: The tasks belong to a TaskGroup, so the first server that fails cancels all the others and the caller gets an error although another one would have answered.
# line: async with asyncio.TaskGroup() as group: | group.create_task(ask(server))
import asyncio


async def first_answer(ask, servers):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(server)) for server in servers]

        for earliest in asyncio.as_completed(tasks):
            try:
                answer = await earliest
            except Exception:
                # this server doesn't count, try the next one
                continue

            # We have a winner: stop the rest. The group waits for them.
            for task in tasks:
                task.cancel()
            return answer

# %% fail-fast-1 right: done callbacks pull the brake
import asyncio


class _Order:
    def __init__(self, coros):
        self.stopped = False
        self.tasks = [asyncio.ensure_future(coro) for coro in coros]
        for task in self.tasks:
            task.add_done_callback(self.note)

    def note(self, task):
        if not task.cancelled() and task.exception() is not None:
            self.stop()

    def stop(self):
        # Once only: a second cancel would cut off the cleaning up.
        if not self.stopped:
            self.stopped = True
            for task in self.tasks:
                task.cancel()

    def errors(self):
        return [
            task.exception()
            for task in self.tasks
            if not task.cancelled() and task.exception() is not None
        ]


async def all_or_nothing(buy, items):
    order = _Order([buy(item) for item in items])
    cut = None
    while not all(task.done() for task in order.tasks):
        try:
            await asyncio.wait(order.tasks)
        except asyncio.CancelledError as error:
            cut = cut or error
            order.stop()
    errors = order.errors()
    if cut is not None:
        raise cut
    if errors:
        raise BaseExceptionGroup("not everything could be bought", errors)
    return [task.result() for task in order.tasks]

# %% first-answer-1 right: done callbacks feed a queue
import asyncio


async def _stop_all(tasks):
    for task in tasks:
        task.cancel()
    cut = None
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cut = error
    for task in tasks:
        task.cancelled() or task.exception()
    if cut is not None:
        raise cut


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    ended = asyncio.Queue()
    tasks = []
    try:
        for server in servers:
            task = asyncio.create_task(ask(server))
            task.add_done_callback(ended.put_nowait)
            tasks.append(task)
        errors = []
        for _ in range(len(tasks)):
            task = await ended.get()
            if task.cancelled():
                errors.append(RuntimeError("the question was cancelled"))
            elif task.exception() is not None:
                errors.append(task.exception())
            else:
                return task.result()
        raise ExceptionGroup("no server answered", errors)
    finally:
        await _stop_all(tasks)

# %% within-1 right: call_later with a cached brake
import asyncio
import functools


async def fetch_within(fetch, urls, seconds):
    tasks = {url: asyncio.create_task(fetch(url)) for url in urls}

    @functools.cache  # it brakes once, whoever calls it
    def brake():
        for task in tasks.values():
            task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, brake)
    cut = None
    while not all(map(asyncio.Task.done, tasks.values())):
        try:
            await asyncio.wait(list(tasks.values()))
        except asyncio.CancelledError as error:
            cut = error
            brake()
    timer.cancel()
    pages = {
        url: task.result()
        for url, task in tasks.items()
        if not task.cancelled() and task.exception() is None
    }
    if cut is not None:
        raise cut
    return pages

# %% supervise-1 right: every shift its own task
import asyncio
import itertools


async def _see_out(shift):
    """Wait until the task has ended; pass a cancellation on to it, once."""
    cut = None
    while not shift.done():
        try:
            await asyncio.wait([shift])
        except asyncio.CancelledError as error:
            if cut is None:
                cut = error
                shift.cancel()
    if cut is not None:
        shift.cancelled() or shift.exception()
        raise cut


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    for used in itertools.count():
        shift = asyncio.create_task(worker())
        await _see_out(shift)
        failed = shift.cancelled() or shift.exception() is not None
        if not failed or used >= restarts:
            return shift.result()
        await asyncio.sleep(pause)

# %% fail-fast-1 right: a purchase class with __await__
import asyncio


class Purchase:
    """Buy things at once; awaited, it gives all of them, or stops all of them."""

    def __init__(self, buy, items):
        async def fetch(item):
            return await buy(item)

        self.errors = []
        self.stopping = False
        self.all_ended = asyncio.Event()
        self.tasks = [asyncio.create_task(fetch(item)) for item in items]
        self.under_way = len(self.tasks)
        for task in self.tasks:
            task.add_done_callback(self.on_end)

    def on_end(self, task):
        self.under_way -= 1
        if task.cancelled():
            if not self.stopping:
                self.errors.append(asyncio.CancelledError())
                self.stop()
        elif (error := task.exception()) is not None:
            self.errors.append(error)
            self.stop()
        if self.under_way == 0:
            self.all_ended.set()

    def stop(self):
        if not self.stopping:       # once only: they may be cleaning up
            self.stopping = True
            for task in self.tasks:
                task.cancel()

    def __await__(self):
        cancellation = None
        while self.under_way:
            try:
                yield from self.all_ended.wait().__await__()
            except asyncio.CancelledError as error:
                cancellation = error
                self.stop()
        if cancellation is not None:
            raise cancellation
        for error in self.errors:
            raise error
        return [task.result() for task in self.tasks]


async def all_or_nothing(buy, items):
    """Buy all items at once and return what was bought, in order; or stop them all."""
    return await Purchase(buy, list(items))

# %% first-answer-1 right: done callbacks and a future
import asyncio


async def first_answer(ask, servers):
    """Return the first answer; raise an ExceptionGroup if all servers fail."""
    loop = asyncio.get_running_loop()
    verdict = loop.create_future()      # (answer,) or () when all have failed
    quiet = asyncio.Event()
    errors = []
    asked = [loop.create_task(ask(server)) for server in servers]
    running = set(asked)

    def ended(task):
        running.discard(task)
        if task.cancelled():
            errors.append(asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            errors.append(error)
        elif not verdict.done():
            verdict.set_result((task.result(),))
        if not running:
            quiet.set()
            if not verdict.done():
                verdict.set_result(())

    for task in asked:
        task.add_done_callback(ended)

    try:
        won = await verdict
    finally:
        for task in running:
            task.cancel()
        interruption = None
        while running:
            try:
                await quiet.wait()
            except asyncio.CancelledError as again:
                interruption = again
        if interruption is not None:
            raise interruption

    if won:
        return won[0]
    raise BaseExceptionGroup("no server answered", errors)

# %% first-answer-1 wrong: waits a second for those it stops
# cause: who needs longer than a second to clean up still runs when it has ended
# line: await asyncio.wait(tasks, timeout=1)
import asyncio


async def first_answer(ask, servers):
    tasks = [asyncio.create_task(ask(server)) for server in servers]
    errors = []
    try:
        for done in asyncio.as_completed(tasks):
            try:
                return await done
            except Exception as error:
                errors.append(error)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=1)
    raise ExceptionGroup("no server answered", errors)

# %% within-1 right: async generator fed by queue
import asyncio
from contextlib import aclosing


async def _arrivals(fetch, urls, seconds):
    loop = asyncio.get_running_loop()
    box = asyncio.Queue()
    url_of = {loop.create_task(fetch(url)): url for url in urls}
    for task in url_of:
        task.add_done_callback(box.put_nowait)
    bell = loop.call_later(seconds, box.put_nowait, None)
    open_ = set(url_of)

    def good(task):
        return not task.cancelled() and task.exception() is None

    try:
        while open_:
            task = await box.get()
            if task is not None:
                ready = [task]
            else:
                ready = [task for task in open_ if task.done()]
            for done in ready:
                open_.discard(done)
                if good(done):
                    yield url_of[done], done.result()
            if task is None:
                return
    finally:
        bell.cancel()
        for task in open_:
            task.cancel()
        interruption = None
        while alive := [task for task in open_ if not task.done()]:
            try:
                await asyncio.wait(alive)
            except asyncio.CancelledError as again:
                interruption = again
        for task in open_:
            good(task)      # looks at the error, so that nobody complains
        if interruption is not None:
            raise interruption


async def fetch_within(fetch, urls, seconds):
    urls = list(urls)
    came = {}
    async with aclosing(_arrivals(fetch, urls, seconds)) as arrivals:
        async for url, page in arrivals:
            came[url] = page
    return {url: came[url] for url in urls if url in came}

# %% supervise-1 right: an awaitable class per shift
import asyncio


class _Shift:
    """Awaiting a shift runs the worker once, and gives its finished task."""

    def __init__(self, worker):
        self.worker = worker

    def __await__(self):
        task = asyncio.ensure_future(self.worker())
        try:
            yield from asyncio.wait({task}).__await__()
        except asyncio.CancelledError:
            task.cancel()
            while not task.done():
                try:
                    yield from asyncio.wait({task}).__await__()
                except asyncio.CancelledError:
                    pass        # already on our way out
            if not task.cancelled():
                task.exception()
            raise
        return task


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    left = restarts
    while True:
        shift = await _Shift(worker)
        failed = shift.cancelled() or shift.exception() is not None
        if not failed or left <= 0:
            return shift.result()
        left -= 1
        await asyncio.sleep(pause)


# %% supervise-1 wrong: waits one second at most for the clean-up
# cause: a cancelled worker gets one second to clean up; what takes longer is left running
# line: await asyncio.wait([task], timeout=1)
import asyncio


async def supervise(worker, restarts, pause):
    """Run the worker; start it again when it fails, `restarts` times at most."""
    while True:
        task = asyncio.create_task(worker())
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task], timeout=1)
            raise
        try:
            return task.result()
        except Exception:
            if restarts == 0:
                raise
        restarts -= 1
        await asyncio.sleep(pause)


# %% fail-fast-1 right: the last item first
import asyncio


async def all_or_nothing(buy, items):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(buy(item)) for item in reversed(items)]
    return [task.result() for task in reversed(tasks)]

# %% fail-fast-1 wrong: waits a second for those it stops
# cause: who needs longer than a second to clean up still runs when it has ended
# line: await asyncio.wait(tasks, timeout=1)
import asyncio


async def all_or_nothing(buy, items):
    tasks = [asyncio.create_task(buy(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)

# %% within-1 right: the last url first
import asyncio


async def fetch_within(fetch, urls, seconds):
    tasks = {url: asyncio.create_task(fetch(url)) for url in reversed(urls)}
    try:
        if tasks:
            await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {
        url: task.result()
        for url, task in tasks.items()
        if not task.cancelled() and task.exception() is None
    }

# %% within-1 wrong: an empty page is left out
# cause: what failed is told from what came by the truth of the page; a page that came in time but is empty is left out
# line: if task in in_time and task.result()
import asyncio


async def fetch_within(fetch, urls, seconds):
    """Return a dict from url to page of what came within `seconds` seconds."""

    async def attempt(url):
        try:
            return await fetch(url)
        except Exception:
            return None

    tasks = {url: asyncio.create_task(attempt(url)) for url in urls}
    if not tasks:
        return {}
    try:
        in_time, _ = await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {
        url: task.result()
        for url, task in tasks.items()
        if task in in_time and task.result()
    }

# %% within-1 wrong: waits a second for those it stops
# cause: who needs longer than a second to clean up still runs when it has ended
# line: await asyncio.wait(late, timeout=1)
import asyncio


async def fetch_within(fetch, urls, seconds):
    tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
    if not tasks:
        return {}
    late = tasks.values()
    try:
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
    finally:
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=1)
    return {
        url: task.result()
        for url, task in tasks.items()
        if task in done and not task.exception()
    }
