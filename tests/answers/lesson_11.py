"""Answers to the exercises of lesson 11, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% deadline-1 wrong: a shield keeps the deadline off
# cause: shield keeps the request from the task inside, and not from the one who waits
# line: "e": (5, "no error")
ends = {
    "a": (2, "TimeoutError"),
    "b": (2, "TimeoutError"),
    "c": (2, "no error"),
    "d": (4, "TimeoutError"),
    "e": (5, "no error"),
    "f": (1, "TimeoutError"),
    "g": (5, "no error"),
}

# %% deadline-1 wrong: a blocking call is interrupted
# cause: a timeout can't interrupt time.sleep, and there is no await to deliver a request to
# line: "g": (2, "TimeoutError")
ends = {
    "a": (2, "TimeoutError"), "b": (2, "TimeoutError"), "c": (2, "no error"),
    "d": (4, "TimeoutError"), "e": (2, "TimeoutError"), "f": (1, "TimeoutError"),
    "g": (2, "TimeoutError"),
}

# %% whose-1 wrong: every TimeoutError is mine
# cause: a TimeoutError that ask raises itself is taken for the end of the short deadline
# line: except TimeoutError:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    whole = None
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                try:
                    return await asyncio.wait_for(ask(server), short)
                except TimeoutError:
                    continue
    except asyncio.TimeoutError:
        if whole.expired():
            return "out of time"
        raise
    return "nobody"

# %% whose-1 wrong: the long one does not ask
# cause: a TimeoutError of ask that comes out of the short block is taken for the long deadline
# line: return "out of time" | except TimeoutError:
import asyncio


async def first_answer(ask, servers, short, long):
    try:
        async with asyncio.timeout(long):
            for server in servers:
                try:
                    async with asyncio.timeout(short) as mine:
                        return await ask(server)
                except TimeoutError:
                    if not mine.expired():
                        raise
    except TimeoutError:
        return "out of time"
    return "nobody"

# %% whose-1 wrong: the long time for each
# cause: the long deadline begins anew with each server
# line: async with asyncio.timeout(long) as whole:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    for server in servers:
        try:
            async with asyncio.timeout(long) as whole:
                try:
                    async with asyncio.timeout(short) as mine:
                        return await ask(server)
                except TimeoutError:
                    if not mine.expired():
                        raise
        except TimeoutError:
            if not whole.expired():
                raise
            return "out of time"
    return "nobody"

# %% whose-1 wrong: an answer that counts as false
# cause: an answer such as 0 is taken for none, and the next server is asked
# line: if answer:
import asyncio


async def first_answer(ask, servers, short, long):
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                answer = None
                try:
                    async with asyncio.timeout(short) as mine:
                        answer = await ask(server)
                except TimeoutError:
                    if not mine.expired():
                        raise
                if answer:
                    return answer
    except TimeoutError:
        if not whole.expired():
            raise
        return "out of time"
    return "nobody"

# %% whose-1 right: an error of one's own for one's own deadline
import asyncio
from contextlib import asynccontextmanager, suppress


class Late(Exception):
    pass


@asynccontextmanager
async def within(seconds):
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError as error:
        if limit.expired():
            raise Late from error
        raise


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    try:
        async with within(long):
            for server in servers:
                with suppress(Late):
                    async with within(short):
                        return await ask(server)
            return "nobody"
    except Late:
        return "out of time"

# %% whose-1 right: outcomes and moments
import asyncio


async def until(moment, coro):
    limit = asyncio.timeout_at(moment)
    try:
        async with limit:
            return True, await coro
    except TimeoutError:
        if limit.expired():
            return False, None
        raise


async def first_answer(ask, servers, short, long):
    clock = asyncio.get_running_loop().time

    async def in_turn():
        for server in servers:
            match await until(clock() + short, ask(server)):
                case (True, answer):
                    return answer
        return "nobody"

    in_time, words = await until(clock() + long, in_turn())
    return words if in_time else "out of time"

# %% whose-1 wrong: a word that says nothing came
# cause: an answer None is taken for none, and the next server is asked
# line: is not None
import asyncio


async def first_answer(ask, servers, short, long):
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                answer = None
                try:
                    async with asyncio.timeout(short) as each:
                        answer = await ask(server)
                except TimeoutError:
                    if not each.expired():
                        raise
                if answer is not None:
                    return answer
    except TimeoutError:
        if not whole.expired():
            raise
        return "out of time"
    return "nobody"

# %% whose-1 wrong: calls itself with the others
# cause: each server is one call deeper, so it ends at about a thousand
# line: return await first_answer(
import asyncio


async def first_answer(ask, servers, short, long):
    if not servers:
        return "nobody"
    clock = asyncio.get_running_loop().time
    begun = clock()
    try:
        async with asyncio.timeout(min(short, long)) as each:
            return await ask(servers[0])
    except TimeoutError:
        if not each.expired():
            raise
    if long <= short:
        return "out of time"
    return await first_answer(ask, servers[1:], short, long - (clock() - begun))

# %% budget-1 wrong: the same share for each
# cause: the share is fixed at the start, so what a quick page saves is lost to the later ones
# line: share = budget / len(pages)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    texts = {}
    for page in pages:
        share = budget / len(pages)
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: another clock
# cause: the seconds that are left are counted on another clock than the loop's
# line: end = time.monotonic() + budget | (end - time.monotonic())
import asyncio
import time
from contextlib import suppress


async def load(fetch, pages, budget):
    texts = {}
    end = time.monotonic() + budget
    for number, page in enumerate(pages):
        with suppress(TimeoutError):
            async with asyncio.timeout((end - time.monotonic()) / (len(pages) - number)):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: divided by all pages
# cause: what is left is divided by the number of all pages, not of those that are left
# line: / len(pages)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end, texts = loop.time() + budget, {}
    for page in pages:
        with suppress(TimeoutError):
            async with asyncio.timeout((end - loop.time()) / len(pages)):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: None for a late page
# cause: a page that did not come in time stands in the dict, with None
# line: texts = dict.fromkeys(pages)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = dict.fromkeys(pages)
    for number, page in enumerate(pages):
        with suppress(TimeoutError):
            async with asyncio.timeout((end - clock()) / (len(pages) - number)):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 right: a queue, and wait_for
import asyncio
from collections import deque
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    now = asyncio.get_running_loop().time
    texts, to_do, end = {}, deque(pages), now() + budget
    while to_do:
        share = (end - now()) / len(to_do)
        page = to_do.popleft()
        with suppress(TimeoutError):
            texts |= {page: await asyncio.wait_for(fetch(page), share)}
    return texts

# %% budget-1 right: an async generator of moments
import asyncio


class Budget:
    def __init__(self, seconds):
        self.clock = asyncio.get_running_loop().time
        self.end = self.clock() + seconds

    async def shares(self, pages):
        for left, page in zip(range(len(pages), 0, -1), pages):
            begin = self.clock()
            yield page, begin + (self.end - begin) / left


async def load(fetch, pages, budget):
    texts = {}
    async for page, moment in Budget(budget).shares(pages):
        try:
            async with asyncio.timeout_at(moment):
                text = await fetch(page)
        except TimeoutError:
            continue
        texts[page] = text
    return texts

# %% budget-1 wrong: a text that counts as false
# cause: a page that came in time is left out where its text is empty
# line: if text is not None
import asyncio


async def load(fetch, pages, budget):
    clock = asyncio.get_running_loop().time
    end, texts = clock() + budget, {}
    for left, page in zip(range(len(pages), 0, -1), pages):
        text = None
        try:
            async with asyncio.timeout((end - clock()) / left):
                text = await fetch(page)
        except TimeoutError:
            pass
        if text is not None:
            texts[page] = text
    return texts

# %% budget-1 wrong: an OSError is a timeout
# cause: TimeoutError is an OSError, but not each OSError is a TimeoutError
# line: suppress(OSError)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    clock = asyncio.get_running_loop().time
    end, texts = clock() + budget, {}
    for left, page in zip(range(len(pages), 0, -1), pages):
        with suppress(OSError):
            async with asyncio.timeout((end - clock()) / left):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 right: an iterator that gives the shares
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}

    def moments():
        for left in range(len(pages), 0, -1):
            yield loop.time() + (end - loop.time()) / left

    for page, moment in zip(pages, moments()):
        task = asyncio.ensure_future(fetch(page))
        try:
            done, _ = await asyncio.wait([task], timeout=moment - loop.time())
        finally:
            task.cancel()
        if done:
            texts[page] = task.result()
    return texts

# %% in-hand-1 wrong: a cancellation is an error of the job
# cause: if the worker is cancelled, the job is noted as failed and the worker goes on
# line: except BaseException:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except BaseException:
            failed.append(job)

# %% in-hand-1 wrong: the job in hand is lost
# cause: if the worker is cancelled while it handles a job, the job does not go back
# line: except Exception: | job = await queue.get()
import asyncio


async def worker(queue, handle, failed):
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: the job before goes back as well
# cause: if it is cancelled in get, the job that was handled before goes into the queue again
# line: job = await queue.get() | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    nothing = job = object()
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            if job is not nothing:
                queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: a job that counts as false
# cause: a job such as 0 or "" ends the loop
# line: while job := await queue.get():
import asyncio


async def worker(queue, handle, failed):
    while job := await queue.get():
        try:
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 right: an ExitStack that puts it back
import asyncio
from contextlib import ExitStack


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        with ExitStack() as hand:
            hand.callback(queue.put_nowait, job)
            try:
                await handle(job)
            except Exception:
                failed.append(job)
            hand.pop_all()

# %% in-hand-1 right: an async generator, and a context manager for the job in hand
import asyncio


class InHand:
    def __init__(self, job, queue, failed):
        self.job, self.queue, self.failed = job, queue, failed

    def __enter__(self):
        return self.job

    def __exit__(self, kind, error, trace):
        match error:
            case None:
                return False
            case Exception():
                self.failed.append(self.job)
                return True
            case _:
                self.queue.put_nowait(self.job)
                return False


async def endless(queue):
    while True:
        yield await queue.get()


async def worker(queue, handle, failed):
    async for each in endless(queue):
        with InHand(each, queue, failed) as job:
            await handle(job)

# %% in-hand-1 wrong: nothing in hand is None
# cause: a job may be None as well, and is lost then
# line: if job is not None:
import asyncio


async def worker(queue, handle, failed):
    job = None
    try:
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)
            job = None
    finally:
        if job is not None:
            queue.put_nowait(job)

# %% in-hand-1 wrong: a look every now and then
# cause: it looks whether the queue is empty, and takes a QueueEmpty of handle for that
# line: except asyncio.QueueEmpty:
import asyncio


async def worker(queue, handle, failed):
    while True:
        try:
            job = queue.get_nowait()
            await handle(job)
        except asyncio.QueueEmpty:
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: waits for the job with a task
# cause: a job that came in the moment of the cancellation is taken out by the task, and lost
# line: asyncio.create_task(queue.get())
# told: none
import asyncio


async def worker(queue, handle, failed):
    while True:
        getting = asyncio.create_task(queue.get())
        try:
            job = await asyncio.shield(getting)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            getting.cancel()
            raise
        try:
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% submit-1 wrong: the time-out ends the saving
# cause: wait_for cancels the task that it waits for when the patience is over
# line: asyncio.wait_for(task, patience)
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = group.create_task(save())
    try:
        return await asyncio.wait_for(task, patience)
    except TimeoutError:
        return "still saving"

# %% submit-1 wrong: not a task of the group
# cause: the saving is a task of its own, so the group does not wait for it
# line: task = asyncio.create_task(save())
import asyncio


async def submit(group, save, patience):
    task = asyncio.create_task(save())
    done, _ = await asyncio.wait([task], timeout=patience)
    return task.result() if done else "still saving"

# %% submit-1 wrong: a zero is no number
# cause: the number 0 counts as false and becomes "still saving"
# line: return number or
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = group.create_task(save())
    await asyncio.wait([task], timeout=patience)
    number = task.result() if task.done() else None
    return number or "still saving"

# %% submit-1 wrong: always waits for the whole patience
# cause: the number is returned only when the patience is over, not as soon as it is there
# line: await asyncio.sleep(patience)
import asyncio


async def submit(group, save, patience):
    task = group.create_task(save())
    await asyncio.sleep(patience)
    if task.done():
        return task.result()
    return "still saving"

# %% submit-1 right: an Event and a callback
import asyncio
from contextlib import suppress


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving, over = group.create_task(save()), asyncio.Event()
    saving.add_done_callback(lambda _: over.set())
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await over.wait()
    return saving.result() if saving.done() else "still saving"

# %% submit-1 right: a shield, and whose deadline it was
import asyncio


async def submit(group, save, patience):
    number = group.create_task(save())
    limit = asyncio.timeout(patience)
    try:
        async with limit:
            return await asyncio.shield(number)
    except TimeoutError:
        if not limit.expired():
            raise
    return "still saving"

# %% submit-1 wrong: one saving for all guests
# cause: the saving stands in the module, and the second guest gets the first one's number
# line: global saving
import asyncio

saving = None


async def submit(group, save, patience):
    global saving
    saving = group.create_task(save())
    done, _ = await asyncio.wait([saving], timeout=patience)
    return saving.result() if saving.done() else "still saving"

# %% submit-1 wrong: no patience is all the patience
# cause: a patience of 0 counts as false, and becomes None: no bound at all
# line: patience or None
import asyncio


async def submit(group, save, patience):
    saving = group.create_task(save())
    done, _ = await asyncio.wait([saving], timeout=patience or None)
    return saving.result() if done else "still saving"

# %% give-back-1 wrong: a plain finally
# cause: a cancellation that comes while the thing is given back cuts that off
# line: await asyncio.wait_for(give_back(thing), 3)
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(give_back(thing), 3)

# %% give-back-1 wrong: protected against one request only
# cause: the second cancellation reaches give_back, for the task is then awaited without a shield
# line: await task
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    async def bounded():
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await give_back(thing)

    thing = await lend()
    try:
        return await use(thing)
    finally:
        task = asyncio.create_task(bounded())
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await task
            raise

# %% give-back-1 wrong: no bound
# cause: give_back may take as long as it likes; it should be cancelled after 3 s
# line: asyncio.create_task(give_back(thing))
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        task, request = asyncio.create_task(give_back(thing)), None
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                request = error
        if request is not None:
            raise request

# %% give-back-1 wrong: the request is swallowed
# cause: a cancellation that comes while the thing is given back is not raised again
# line: with suppress(asyncio.CancelledError):
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    thing = await lend()
    try:
        return await use(thing)
    finally:
        task = asyncio.create_task(give_back(thing))
        timer = asyncio.get_running_loop().call_later(3, task.cancel)
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        timer.cancel()

# %% give-back-1 right: a context manager, and a count of the requests
import asyncio
from contextlib import asynccontextmanager, suppress


async def bounded(coro):
    with suppress(TimeoutError):
        await asyncio.wait_for(coro, 3)


@asynccontextmanager
async def lent(lend, give_back):
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    try:
        yield thing
    finally:
        giving = asyncio.create_task(bounded(give_back(thing)))
        while not giving.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({giving})
        if me.cancelling() > before:
            raise asyncio.CancelledError


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    async with lent(lend, give_back) as thing:
        return await use(thing)

# %% give-back-1 right: a timer, and outcomes instead of a finally
import asyncio


async def borrow(lend, use, give_back):
    asked = asyncio.current_task().cancelling
    thing, already = await lend(), asked()
    result = trouble = None
    try:
        result = await use(thing)
    except BaseException as error:
        trouble = error
    back = asyncio.ensure_future(give_back(thing))
    stop = asyncio.get_running_loop().call_later(3, back.cancel)
    back.add_done_callback(lambda _: stop.cancel())
    while not back.done():
        try:
            await asyncio.wait([back])
        except asyncio.CancelledError as request:
            trouble = request
    if asked() > already and not isinstance(trouble, asyncio.CancelledError):
        trouble = asyncio.CancelledError()
    if trouble is not None:
        raise trouble
    return result

# %% give-back-1 wrong: a thing that is nothing
# cause: a thing that is None is not given back
# line: if thing is not None:
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    async def bounded():
        with suppress(TimeoutError):
            await asyncio.wait_for(give_back(thing), 3)

    thing = request = None
    try:
        thing = await lend()
        return await use(thing)
    finally:
        if thing is not None:
            back = asyncio.create_task(bounded())
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request:
                raise request

# %% give-back-1 wrong: the error of use first
# cause: an error of use comes out although it was cancelled later
# line: except Exception as error: | raise failed
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    thing, failed, request, result = await lend(), None, None, None

    async def bounded():
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await give_back(thing)

    try:
        result = await use(thing)
    except Exception as error:
        failed = error
    except asyncio.CancelledError as error:
        request = error
    back = asyncio.create_task(bounded())
    while not back.done():
        try:
            await asyncio.wait([back])
        except asyncio.CancelledError as error:
            request = error
    if failed is not None:
        raise failed
    if request is not None:
        raise request
    return result

# %% whose-1 wrong: every TimeoutError means the next
# cause: the inner except takes a TimeoutError that ask raised itself for the end of the short seconds: the next one is asked, and the error doesn't come out
# line: except TimeoutError:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""

    async def in_turn():
        for server in servers:
            try:
                async with asyncio.timeout(short):
                    return await ask(server)
            except TimeoutError:
                continue
        return "nobody"

    try:
        async with asyncio.timeout(long) as whole:
            return await in_turn()
    except TimeoutError:
        if not whole.expired():
            raise
        return "out of time"

# %% whose-1 wrong: the outer except isn't asked whose
# cause: the inner one is checked by expired(), but the outer except is not: ask's own TimeoutError, passed on by the inner one, ends as "out of time"
# line: return "out of time"
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    try:
        async with asyncio.timeout(long):
            for server in servers:
                try:
                    async with asyncio.timeout(short) as turn:
                        return await ask(server)
                except TimeoutError:
                    if not turn.expired():
                        raise
            return "nobody"
    except TimeoutError:
        return "out of time"

# %% whose-1 right: the outcome is kept inside the scopes
import asyncio
from contextlib import suppress


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    outcome = ("answer", "out of time")
    # What leaves a scope as a TimeoutError is the scope's own: the errors of ask stay inside.
    with suppress(TimeoutError):
        async with asyncio.timeout(long):
            for server in servers:
                with suppress(TimeoutError):
                    async with asyncio.timeout(short):
                        try:
                            outcome = ("answer", await ask(server))
                        except Exception as error:
                            outcome = ("error", error)
                    break
            else:
                outcome = ("answer", "nobody")
    match outcome:
        case ("error", error):
            raise error
        case (_, answer):
            return answer

# %% budget-1 wrong: the same share for all
# cause: the share is computed once, before the loop: what a quick page saves doesn't go to the later ones
# line: share = budget / len(pages)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    texts = {}
    if not pages:
        return texts
    share = budget / len(pages)
    for page in pages:
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: an empty text is left out
# cause: a page whose text is empty came in time as well, but "if text" takes it for one that is late and leaves it out
# line: if text:
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}
    for index, page in enumerate(pages):
        text = None
        share = (end - loop.time()) / (len(pages) - index)
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                text = await fetch(page)
        if text:
            texts[page] = text
    return texts

# %% budget-1 right: a deque and timeout_at
import asyncio
from collections import deque
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    waiting = deque(pages)
    came = []
    while waiting:
        now = clock()
        bell = now + (end - now) / len(waiting)
        page = waiting.popleft()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(bell) as scope:
                text = await fetch(page)
            if not scope.expired():
                came.append((page, text))
    return dict(came)

# %% in-hand-1 wrong: a falsy job is lost
# cause: a job like 0 or "" is false: it is taken for no job and doesn't go back into the queue
# line: if job:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    job = None
    try:
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)
            job = None
    except asyncio.CancelledError:
        if job:
            queue.put_nowait(job)
        raise

# %% in-hand-1 wrong: puts back a job that is done
# cause: when the worker is cancelled while it waits in get, job is still the last one, which was handled already: it goes back and is handled twice
# line: queue.put_nowait(job) | job = await queue.get() | if job is not nothing:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    nothing = object()
    job = nothing
    try:
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)
    except asyncio.CancelledError:
        if job is not nothing:
            queue.put_nowait(job)
        raise

# %% in-hand-1 right: asks the task whether it is cancelled
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    me = asyncio.current_task()
    before = me.cancelling()
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except (Exception, asyncio.CancelledError) as error:
            if me.cancelling() == before:
                failed.append(job)
                continue
            queue.put_nowait(job)
            raise asyncio.CancelledError from error
        if me.cancelling() > before:
            raise asyncio.CancelledError

# %% submit-1 wrong: a falsy number
# cause: the number 0 is false: for it submit returns "still saving" though the number is there
# line: return number or "still saving"
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = group.create_task(save())
    number = None
    try:
        async with asyncio.timeout(patience):
            number = await asyncio.shield(task)
    except TimeoutError:
        pass
    return number or "still saving"

# %% submit-1 wrong: shielded from the timeout, but not in the group
# cause: the saving is a task of nobody: the group doesn't wait for it, and its error doesn't come out of the group
# line: task = asyncio.create_task(save())
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = asyncio.create_task(save())
    try:
        return await asyncio.wait_for(asyncio.shield(task), patience)
    except TimeoutError:
        return "still saving"

# %% submit-1 right: an event and a done callback
import asyncio
from contextlib import suppress


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    ended = asyncio.Event()
    task = group.create_task(save())
    task.add_done_callback(lambda _: ended.set())
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await ended.wait()
    return task.result() if task.done() else "still saving"

# %% give-back-1 wrong: survives one cancel only
# cause: the first cancel is caught by the shield, but after it the task is awaited bare: a second cancel cuts give_back off
# line: await giving
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        giving = asyncio.create_task(give_back(thing))
        alarm = asyncio.get_running_loop().call_later(3, giving.cancel)
        try:
            await asyncio.shield(giving)
        except asyncio.CancelledError:
            if not giving.done():
                await giving
            if not giving.cancelled():
                raise
        finally:
            alarm.cancel()

# %% give-back-1 wrong: each cancel grants three seconds more
# cause: the timeout of 3 s begins anew after each cancel: who cancels again and again gives give_back more than 3 s
# line: await asyncio.wait({giving}, timeout=3) | asyncio.create_task(give_back(thing))
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        giving = asyncio.create_task(give_back(thing))
        cancelled = None
        while not giving.done():
            try:
                await asyncio.wait({giving}, timeout=3)
                giving.cancel()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

# %% give-back-1 right: a class for the way back, call_later as the limit
import asyncio


class _WayBack:
    """Gives a thing back in a task of its own, which no cancel of the borrower reaches."""

    def __init__(self, coroutine):
        self.task = asyncio.ensure_future(coroutine)
        self.alarm = asyncio.get_running_loop().call_later(3, self.task.cancel)
        self.was_cancelled = False

    async def end(self):
        while not self.task.done():
            try:
                await asyncio.wait([self.task])
            except asyncio.CancelledError:
                self.was_cancelled = True
        self.alarm.cancel()


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    result = error = None
    try:
        result = await use(thing)
    except BaseException as caught:
        error = caught
    way_back = _WayBack(give_back(thing))
    await way_back.end()
    try:
        if isinstance(error, asyncio.CancelledError):
            raise error
        if way_back.was_cancelled or me.cancelling() > before:
            raise asyncio.CancelledError from error
        if error is not None:
            raise error
        return result
    finally:
        del error

# %% whose-1 wrong: whoever was late, it was the whole
# cause: the outer except takes every TimeoutError for the long deadline, also one that ask raised itself; whole.expired() is not asked
# line: return "out of time"
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    try:
        async with asyncio.timeout(long):
            for server in servers:
                try:
                    async with asyncio.timeout(short) as part:
                        return await ask(server)
                except TimeoutError:
                    if not part.expired():
                        raise
    except TimeoutError:
        return "out of time"
    return "nobody"

# %% whose-1 wrong: the long deadline is looked at between the servers
# cause: the long deadline is checked only before each server; one that is asked shortly before still gets its full short seconds, so the whole takes too long (and the last may answer too late)
# line: if loop.time() >= end: | async with asyncio.timeout(short) as deadline:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        if loop.time() >= end:
            return "out of time"
        try:
            async with asyncio.timeout(short) as deadline:
                return await ask(server)
        except TimeoutError:
            if not deadline.expired():
                raise
    return "nobody"

# %% whose-1 right: one clock at a time, errors as values
import asyncio


async def outcome(coro):
    try:
        return "answer", await coro
    except Exception as error:
        return "error", error


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        ring = min(loop.time() + short, end)
        try:
            async with asyncio.timeout_at(ring):
                found = await outcome(ask(server))
        except TimeoutError:        # ours alone: those of ask are values here
            if ring == end or loop.time() >= end:
                return "out of time"
            continue
        match found:
            case "answer", answer:
                return answer
            case "error", error:
                raise error
    return "nobody"

# %% budget-1 wrong: shared among those that have not come
# cause: the divisor counts the pages without a text, also those that were asked for in vain; after a page that was too slow the shares of the others are too small
# line: len(pages) - len(texts)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = {}
    for page in pages:
        share = (end - clock()) / (len(pages) - len(texts))
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: another clock, once more
# cause: time.monotonic is not the loop's clock: what the loop's clock jumps is not seen, so what is left is reckoned wrongly
# line: start = time.monotonic() | (time.monotonic() - start)
import asyncio
import time
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    start = time.monotonic()
    result = {}
    for number, page in enumerate(pages):
        left = budget - (time.monotonic() - start)
        with suppress(asyncio.TimeoutError):
            result[page] = await asyncio.wait_for(fetch(page), left / (len(pages) - number))
    return result

# %% budget-1 right: a purse
import asyncio
from contextlib import suppress


class Purse:
    def __init__(self, seconds, heads):
        self.clock = asyncio.get_running_loop().time
        self.end = self.clock() + seconds
        self.heads = heads

    def share(self):
        now = self.clock()
        heads, self.heads = self.heads, self.heads - 1
        return asyncio.timeout_at(now + (self.end - now) / heads)


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    pages = list(pages)
    purse = Purse(budget, len(pages))
    texts = {}
    for page in pages:
        with suppress(TimeoutError):
            async with purse.share():
                texts |= {page: await fetch(page)}
    return texts

# %% in-hand-1 wrong: the old job is put back
# cause: `job` still holds the last job when the worker waits for the next one; a cancellation there puts a job back that was handled already
# line: job = await queue.get() | if job is not nothing | queue.put_nowait(job)
import asyncio

nothing = object()


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    job = nothing
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            if job is not nothing:
                queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: a job that is false
# cause: a job may be false, such as 0 or an empty text; when it is cancelled in hand, it is not put back and so it is lost
# line: if job:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = None
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            if job:
                queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 right: three outcomes, a match
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    me = asyncio.current_task()
    before = me.cancelling()
    while True:
        job = await queue.get()
        try:
            await handle(job)
            outcome = "handled"
        except (Exception, asyncio.CancelledError):
            outcome = "broken off"
        match outcome, me.cancelling() > before:
            case "broken off", True:
                queue.put_nowait(job)
            case "broken off", False:
                failed.append(job)
        queue.task_done()
        if me.cancelling() > before:
            raise asyncio.CancelledError

# %% submit-1 wrong: a number that is false
# cause: save may return 0, and `0 or ...` is "still saving" though the number was there
# line: return number or "still saving"
import asyncio
from contextlib import suppress


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = group.create_task(save())
    number = None
    with suppress(TimeoutError):
        number = await asyncio.wait_for(asyncio.shield(saving), patience)
    return number or "still saving"

# %% submit-1 wrong: a task outside the group
# cause: the task is not one of the group's, so the group ends before the saving has ended, and an error of save does not come out of the group
# line: asyncio.create_task(save())
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = asyncio.create_task(save())
    done, _ = await asyncio.wait([saving], timeout=patience)
    if saving in done:
        return saving.result()
    return "still saving"

# %% submit-1 right: a bell that two may ring
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    loop = asyncio.get_running_loop()
    bell = asyncio.Event()
    saving = group.create_task(save())
    saving.add_done_callback(lambda _: bell.set())
    alarm = loop.call_later(patience, bell.set)
    try:
        await bell.wait()
    finally:
        alarm.cancel()
    return saving.result() if saving.done() else "still saving"

# %% give-back-1 wrong: shield alone
# cause: shield keeps give_back running, but the await is broken off by a cancellation: borrow ends before give_back does
# line: await asyncio.shield(
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        with suppress(TimeoutError):
            await asyncio.shield(asyncio.wait_for(give_back(thing), 3))

# %% give-back-1 wrong: the three seconds begin anew
# cause: every cancellation goes round the loop and waits for another 3 s, so give_back may get much more than 3 s
# line: timeout=3 | giving = asyncio.create_task(give_back(thing))
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    cancelled = None
    try:
        return await use(thing)
    except asyncio.CancelledError as error:
        cancelled = error
    finally:
        giving = asyncio.create_task(give_back(thing))
        while not giving.done():
            try:
                done, late = await asyncio.wait([giving], timeout=3)
            except asyncio.CancelledError as error:
                cancelled = error
            else:
                if late:
                    giving.cancel()
        if cancelled is not None:
            raise cancelled

# %% give-back-1 right: a keeper that counts the cancellations
import asyncio


async def to_its_end(coro, seconds):
    """Run the coroutine to its end, or cancel it after so many seconds. Hears nothing."""
    task = asyncio.ensure_future(coro)
    alarm = asyncio.get_running_loop().call_later(seconds, task.cancel)
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            pass                    # counted in Task.cancelling()
    alarm.cancel()


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    result = error = None
    try:
        result = await use(thing)
    except BaseException as raised:
        error = raised
    await to_its_end(give_back(thing), 3)
    if me.cancelling() > before:
        raise asyncio.CancelledError
    if error is not None:
        raise error
    return result

# %% budget-1 wrong: a text that is an exception is raised
# cause: fetch may return an exception object
# line: raise text | isinstance(text, Exception)
import asyncio


async def load(fetch, pages, budget):
    now = asyncio.get_running_loop().time
    end = now() + budget
    texts = {}
    for number, page in enumerate(pages):
        share = (end - now()) / (len(pages) - number)
        [text] = await asyncio.gather(asyncio.wait_for(fetch(page), share), return_exceptions=True)
        if isinstance(text, TimeoutError):
            continue
        if isinstance(text, Exception):
            raise text
        texts[page] = text
    return texts

# %% whose-1 wrong: the outer deadline is not asked
# cause: A TimeoutError of `ask` itself is let through by the inner block, but then it is taken for the end of the long deadline. Ask `whole.expired()` too.
# line: return "out of time"
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    try:
        async with asyncio.timeout(long):
            for server in servers:
                try:
                    async with asyncio.timeout(short) as one:
                        return await ask(server)
                except TimeoutError:
                    if not one.expired():
                        raise
        return "nobody"
    except TimeoutError:
        return "out of time"

# %% whose-1 right: wait, and two clocks
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        if left <= 0:
            return "out of time"
        task = asyncio.ensure_future(ask(server))
        try:
            await asyncio.wait([task], timeout=min(short, left))
            if task.done():
                return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if left < short:
            return "out of time"
    return "nobody"

# %% budget-1 wrong: left out pages are still counted
# cause: `len(texts)` counts the pages that came, not those whose turn is over: after a slow page the later ones get too small a share.
# line: share = (end - clock()) / (len(pages) - len(texts))
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = {}
    for page in pages:
        share = (end - clock()) / (len(pages) - len(texts))
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: a falsy text is left out
# cause: A page whose text is empty came in time as well; `if text` drops it.
# line: if text:
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}
    for place, page in enumerate(pages):
        text = None
        share = (end - loop.time()) / (len(pages) - place)
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                text = await fetch(page)
        if text:
            texts[page] = text
    return texts

# %% budget-1 right: a deque, and timeout_at
import asyncio
from collections import deque


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    left = deque(pages)
    came = []
    while left:
        now = clock()
        try:
            async with asyncio.timeout_at(now + (end - now) / len(left)):
                came.append((left[0], await fetch(left[0])))
        except TimeoutError:
            pass
        left.popleft()
    return dict(came)

# %% in-hand-1 wrong: the last job comes back again
# cause: The `get` stands in the same try: a worker that is cancelled while it waits for a job puts the last one, done long ago, back into the queue.
# line: job = await queue.get() | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    job = None
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except Exception:
            failed.append(job)
        except asyncio.CancelledError:
            if job is not None:
                queue.put_nowait(job)
            raise

# %% in-hand-1 right: an exit stack that is emptied
import asyncio
from contextlib import ExitStack


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        with ExitStack() as stack:
            stack.callback(queue.put_nowait, job)
            try:
                await handle(job)
            except Exception:
                if asyncio.current_task().cancelling():
                    raise
                failed.append(job)
            stack.pop_all()

# %% submit-1 wrong: given to the group too late
# cause: The saving is a task of its own, and the group hears of it only when the patience is over: if submit is cancelled before, the group does not wait for it, and its error does not come out of the group.
# line: task = asyncio.create_task(save()) | group.create_task(finish()) | await task
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = asyncio.create_task(save())

    async def finish():
        await task

    try:
        return await asyncio.wait_for(asyncio.shield(task), patience)
    except TimeoutError:
        group.create_task(finish())
        return "still saving"

# %% submit-1 wrong: the number 0 is still saving
# cause: 0 is a number as any other, but it counts as false.
# line: return number or "still saving"
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    number = None
    task = group.create_task(save())
    done, _ = await asyncio.wait([task], timeout=patience)
    if done:
        number = task.result()
    return number or "still saving"

# %% submit-1 right: a future that callbacks fill
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    loop = asyncio.get_running_loop()
    answer = loop.create_future()

    def settle(value):
        if not answer.done():
            answer.set_result(value)

    def saved(task):
        if task.cancelled() or task.exception() is not None:
            settle("failed")
        else:
            settle(task.result())

    group.create_task(save()).add_done_callback(saved)
    alarm = loop.call_later(patience, settle, "still saving")
    try:
        return await answer
    finally:
        alarm.cancel()

# %% give-back-1 wrong: every cancellation winds the clock up again
# cause: Each cancellation begins the wait anew with 3 s: cancelled often enough, give_back gets far more than 3 s. Compute the deadline once.
# line: await asyncio.wait([back], timeout=3) | back = asyncio.create_task(give_back(thing))
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        back = asyncio.create_task(give_back(thing))
        cancelled = False
        while not back.done():
            try:
                await asyncio.wait([back], timeout=3)
                back.cancel()
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

# %% give-back-1 wrong: shielded once only
# cause: The shield keeps give_back from being cancelled, but borrow itself ends at the first cancellation, before give_back has ended.
# line: await asyncio.wait_for(asyncio.shield(give_back(thing)), 3)
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(give_back(thing)), 3)

# %% in-hand-1 wrong: goes back and goes on
# cause: after the job is put back the worker doesn't end: the cancellation is swallowed
# line: except asyncio.CancelledError | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: puts back in a finally
# cause: the finally puts back every job, also one that is done
# line: queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except Exception:
            failed.append(job)
        finally:
            queue.put_nowait(job)

# %% in-hand-1 wrong: one try around the loop
# cause: an error leaves the loop: the worker handles no more jobs
# line: except Exception | while True | failed.append(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    job = None
    try:
        while True:
            job = await queue.get()
            await handle(job)
            job = None
    except asyncio.CancelledError:
        if job is not None:
            queue.put_nowait(job)
        raise
    except Exception:
        failed.append(job)

# %% in-hand-1 wrong: returns at a cancellation
# cause: it returns, so the cancellation doesn't come out
# line: except asyncio.CancelledError | return
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            return
        except Exception:
            failed.append(job)

# %% deadline-1 wrong: shield keeps the deadline away
# cause: shield keeps the request from the sleep inside, not from the job that awaits: that ends at 2 s with a TimeoutError
# line: "e": (5, "no error")
ends = {
    "a": (2, "TimeoutError"),
    "b": (2, "TimeoutError"),
    "c": (2, "no error"),
    "d": (4, "TimeoutError"),
    "e": (5, "no error"),
    "f": (1, "TimeoutError"),
    "g": (5, "no error"),
}

# %% whose-1 wrong: every TimeoutError is the short deadline's
# cause: a TimeoutError that ask raises of its own is taken for the short deadline, and the next server is asked
# line: except TimeoutError: | continue
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    whole = None
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                try:
                    return await asyncio.wait_for(ask(server), short)
                except TimeoutError:
                    continue
            return "nobody"
    except TimeoutError:
        if whole.expired():
            return "out of time"
        raise

# %% whose-1 wrong: out of time at the last server
# cause: if the long time is over while the last server is asked, the loop ends there and "nobody" is returned
# line: return "nobody" | if left <= 0: | if not limit.expired():
import asyncio


async def first_answer(ask, servers, short, long):
    now = asyncio.get_running_loop().time
    end = now() + long
    for server in servers:
        left = end - now()
        if left <= 0:
            return "out of time"
        try:
            async with asyncio.timeout(min(short, left)) as limit:
                return await ask(server)
        except TimeoutError:
            if not limit.expired():
                raise
    return "nobody"

# %% whose-1 wrong: the long time begins anew
# cause: the long deadline is made inside the loop, so each server gets it, and not all of them together
# line: async with asyncio.timeout(long) as whole: | for server in servers:
import asyncio


async def ask_one(ask, server, short):
    try:
        async with asyncio.timeout(short) as brief:
            return [await ask(server)]
    except TimeoutError:
        if brief.expired():
            return []
        raise


async def first_answer(ask, servers, short, long):
    for server in servers:
        try:
            async with asyncio.timeout(long) as whole:
                if found := await ask_one(ask, server, short):
                    return found[0]
        except TimeoutError:
            if not whole.expired():
                raise
            return "out of time"
    return "nobody"

# %% whose-1 right: two deadlines, one handler
import asyncio


async def first_answer(ask, servers, short, long):
    answers = iter(servers)
    own = None
    try:
        async with asyncio.timeout(long) as whole:
            for server in answers:
                own = asyncio.timeout(short)
                try:
                    async with own:
                        return await ask(server)
                except TimeoutError:
                    if own.expired() is False:
                        raise
    except TimeoutError as error:
        match whole.expired():
            case True:
                return "out of time"
            case False:
                raise error
    return "nobody"

# %% whose-1 right: a task and wait
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        left = end - loop.time()
        task = loop.create_task(ask(server))
        try:
            done, _ = await asyncio.wait({task}, timeout=min(short, left))
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if done:
            return task.result()
        if left < short:
            return "out of time"
    return "nobody"

# %% budget-1 wrong: takes the share off, and not what was used
# cause: it subtracts the whole share even when the page was quick, so what that page saved is lost for the later ones
# line: left -= share
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    texts = {}
    left = budget
    for number, page in enumerate(pages):
        share = left / (len(pages) - number)
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
        left -= share
    return texts

# %% budget-1 wrong: the wrong clock
# cause: it measures with time.monotonic and not with the loop's clock, by which the deadlines run
# line: end = time.monotonic() + budget | (end - time.monotonic()) | import time
import asyncio
import time


async def load(fetch, pages, budget):
    got = {}
    end = time.monotonic() + budget
    to_go = len(pages)
    for page in pages:
        seconds = (end - time.monotonic()) / to_go
        to_go -= 1
        try:
            got[page] = await asyncio.wait_for(fetch(page), seconds)
        except TimeoutError:
            continue
    return got

# %% budget-1 wrong: one slow page ends it all
# cause: the suppress stands around the whole loop, so after the first page that is late no other page is fetched
# line: with suppress(TimeoutError):
import asyncio
from collections import deque
from contextlib import suppress


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    deadline = loop.time() + budget
    todo = deque(pages)
    result = {}
    with suppress(TimeoutError):
        while todo:
            share = (deadline - loop.time()) / len(todo)
            page = todo.popleft()
            async with asyncio.timeout(share):
                result[page] = await fetch(page)
    return result

# %% budget-1 right: counts down, with moments
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = {}
    for page, waiting in zip(pages, range(len(pages), 0, -1)):
        now = clock()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(now + (end - now) / waiting):
                texts |= {page: await fetch(page)}
    return texts

# %% budget-1 right: a task for each page in turn
import asyncio


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    begun = loop.time()

    async def in_time(page, share):
        task = asyncio.create_task(fetch(page))
        try:
            done, late = await asyncio.wait([task], timeout=share)
        finally:
            if task.cancel():
                await asyncio.wait([task])
        return {page: d.result() for d in done}

    texts = {}
    for index in range(len(pages)):
        left = budget - (loop.time() - begun)
        texts.update(await in_time(pages[index], left / len(pages[index:])))
    return texts

# %% in-hand-1 wrong: puts the last job back while it waits for another
# cause: queue.get stands in the try: if the worker is cancelled there, it puts back a job that is done already (or there is no job at all)
# line: job = await queue.get() | try: | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: swallows the request
# cause: after it has put the job back, it doesn't raise the CancelledError again, so the worker goes on
# line: except asyncio.CancelledError: | queue.put_nowait(job) | none
import asyncio


async def worker(queue, handle, failed):
    async def attempt(job):
        try:
            await handle(job)
        except asyncio.CancelledError:
            # not done: somebody else may take it
            queue.put_nowait(job)
        except Exception:
            failed.append(job)

    while True:
        await attempt(await queue.get())

# %% in-hand-1 wrong: notes more than the job
# cause: it appends a pair of the job and its error to failed, and not the job
# line: failed.append((job, error))
import asyncio


async def worker(queue: asyncio.Queue, handle, failed: list) -> None:
    while job := [await queue.get()]:
        [job] = job
        try:
            await handle(job)
        except BaseException as error:
            if isinstance(error, Exception):
                failed.append((job, error))
            else:
                queue.put_nowait(job)
                raise

# %% in-hand-1 right: what is in hand, in a list
import asyncio


async def worker(queue, handle, failed):
    in_hand = []
    try:
        while True:
            in_hand.append(await queue.get())
            try:
                await handle(*in_hand)
            except Exception:
                failed.extend(in_hand)
            in_hand.clear()
    finally:
        for job in in_hand:
            queue.put_nowait(job)

# %% in-hand-1 right: an ExitStack that is let go
import asyncio
from contextlib import ExitStack


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        with ExitStack() as stack:
            stack.callback(queue.put_nowait, job)
            try:
                await handle(job)
            except Exception:
                failed.append(job)
            stack.pop_all()  # it is done, so it doesn't go back

# %% submit-1 wrong: the deadline ends the saving
# cause: wait_for cancels the task that it waits for when the time is over, so the saving does not go on
# line: await asyncio.wait_for(saving, patience)
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = group.create_task(save())
    try:
        return await asyncio.wait_for(saving, patience)
    except TimeoutError:
        return "still saving"

# %% submit-1 wrong: the saving is in no group
# cause: shield makes a task of its own of save(), outside of the group, so the group doesn't wait for it and gets no error of it
# line: await asyncio.shield(save()) | none
import asyncio
from contextlib import suppress


async def submit(group, save, patience):
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            return await asyncio.shield(save())
    return "still saving"

# %% submit-1 wrong: zero is no number
# cause: if save returns 0, the or takes it for no result and returns "still saving"
# line: or "still saving"
import asyncio


async def submit(group: asyncio.TaskGroup, save, patience: float) -> int | str:
    task = group.create_task(save(), name="saving")
    done, _ = await asyncio.wait({task}, timeout=patience)
    number = done.pop().result() if done else None
    return number or "still saving"

# %% submit-1 right: a shield around a child of the group
import asyncio
from contextlib import suppress


async def submit(group, save, patience):
    child = asyncio.shield(group.create_task(save()))
    with suppress(TimeoutError):
        return await asyncio.wait_for(child, patience)
    return "still saving"

# %% submit-1 right: an event that the task or the timer sets
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    go_on = asyncio.Event()
    saving = group.create_task(save())
    saving.add_done_callback(lambda _: go_on.set())
    timer = asyncio.get_running_loop().call_later(patience, go_on.set)
    try:
        await go_on.wait()
    finally:
        timer.cancel()
    return saving.result() if saving.done() else "still saving"

# %% give-back-1 wrong: a thing that is None is not given back
# cause: None serves as the mark for "nothing lent", so a thing that is None is never given back
# line: if thing is not None: | thing = None
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = None

    async def within_three():
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await give_back(thing)

    try:
        thing = await lend()
        return await use(thing)
    finally:
        if thing is not None:
            request = None
            returning = asyncio.create_task(within_three())
            while not returning.done():
                try:
                    await asyncio.wait([returning])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

# %% give-back-1 wrong: each request brings three new seconds
# cause: the wait with its timeout begins again after each cancellation, so give_back may get much more than 3 s in all
# line: await asyncio.wait([task], timeout=3)
import asyncio


async def finish(task):
    cancelled = False
    while not task.done():
        try:
            done, late = await asyncio.wait([task], timeout=3)
        except asyncio.CancelledError:
            cancelled = True
        else:
            for slow in late:
                slow.cancel()
    if cancelled:
        raise asyncio.CancelledError


async def borrow(lend, use, give_back):
    thing = await lend()
    try:
        result = await use(thing)
    except BaseException:
        await finish(asyncio.create_task(give_back(thing)))
        raise
    await finish(asyncio.create_task(give_back(thing)))
    return result

# %% give-back-1 wrong: the error of use comes first
# cause: if use has failed and borrow is cancelled while it gives back, the error of use comes out and not a CancelledError
# line: if failure is not None: | raise failure | if request:
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    thing = await lend()
    failure = result = request = None
    try:
        result = await use(thing)
    except BaseException as error:
        failure = error

    # give it back in a task of its own, so that a request doesn't reach it
    task = asyncio.ensure_future(asyncio.wait_for(give_back(thing), 3))
    while not task.done():
        try:
            with suppress(TimeoutError):
                await asyncio.shield(task)
        except asyncio.CancelledError as error:
            request = error

    if failure is not None:
        raise failure
    if request:
        raise request
    return result

# %% give-back-1 right: a context manager, and the count of the requests
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def lent(lend, give_back):
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    try:
        yield thing
    finally:
        back = asyncio.create_task(give_back(thing))
        timer = asyncio.get_running_loop().call_later(3, back.cancel)
        while not back.done():
            try:
                await asyncio.wait({back})
            except asyncio.CancelledError:
                pass  # it is counted, see below
        timer.cancel()
        if me.cancelling() > before:
            raise asyncio.CancelledError


async def borrow(lend, use, give_back):
    async with lent(lend, give_back) as thing:
        return await use(thing)

# %% give-back-1 right: an event that the bringing sets
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    me = asyncio.current_task()
    at_first = me.cancelling()
    thing = await lend()
    returned = asyncio.Event()

    async def bring():
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)
        finally:
            returned.set()

    try:
        return await use(thing)
    finally:
        bringing = asyncio.create_task(bring())
        while not returned.is_set():
            with suppress(asyncio.CancelledError):  # raised below
                await returned.wait()
        del bringing
        if me.cancelling() > at_first:
            raise asyncio.CancelledError


# %% whose-1 wrong: looks at the long deadline only between servers
# cause: the whole may take longer than long, because nothing ends a server that is being asked when the long time is over
# line: if loop.time() >= end: | async with asyncio.timeout(short) as patience:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        if loop.time() >= end:
            return "out of time"
        try:
            async with asyncio.timeout(short) as patience:
                return await ask(server)
        except TimeoutError:
            if not patience.expired():
                raise
    return "out of time" if loop.time() >= end else "nobody"


# %% whose-1 wrong: takes any TimeoutError for the long one
# cause: a TimeoutError that ask raises itself comes out as "out of time"
# line: except TimeoutError:  # the long one | return "out of time"
import asyncio


async def first_answer(ask, servers, short, long):
    async def asked_for_a_while(server):
        try:
            async with asyncio.timeout(short) as while_:
                return True, await ask(server)
        except TimeoutError:
            if while_.expired():
                return False, None
            raise

    try:
        async with asyncio.timeout(long):
            for server in servers:
                answered, answer = await asked_for_a_while(server)
                if answered:
                    return answer
    except TimeoutError:  # the long one
        return "out of time"
    return "nobody"


# %% whose-1 right: a task for each server, and a wait for what is left
import asyncio


async def first_answer(ask, servers, short, long):
    now = asyncio.get_running_loop().time
    end = now() + long
    for server in servers:
        left = end - now()
        task = asyncio.ensure_future(ask(server))
        try:
            done, _ = await asyncio.wait([task], timeout=min(short, left))
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if done:
            return task.result()
        if left < short:
            return "out of time"
    return "nobody"


# %% budget-1 wrong: divides by the pages that it hasn't got
# cause: a page that was left out is still counted as one to be fetched, so the later shares are too small
# line: share = (end - loop.time()) / (len(pages) - len(texts)) | len(pages) - len(texts)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}
    for page in pages:
        share = (end - loop.time()) / (len(pages) - len(texts))
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts


# %% budget-1 wrong: subtracts the share and not the time that was used
# cause: what a quick page saves is lost, because its whole share is taken off the budget
# line: left -= share
import asyncio


async def load(fetch, pages, budget):
    got, left = {}, budget
    for still, page in zip(range(len(pages), 0, -1), pages):
        share = left / still
        left -= share
        try:
            got[page] = await asyncio.wait_for(fetch(page), share)
        except TimeoutError:
            pass
    return got


# %% budget-1 wrong: a moment for each page, by recursion
# cause: it calls itself for each page, which is too deep for thousands of pages
# line: return came | await rest(end, later)
import asyncio


async def load(fetch, pages, budget):
    now = asyncio.get_running_loop().time

    async def rest(end, todo):
        if not todo:
            return {}
        page, *later = todo
        begin = now()
        came = {}
        try:
            async with asyncio.timeout_at(begin + (end - begin) / len(todo)):
                came[page] = await fetch(page)
        except TimeoutError:
            pass
        return came | await rest(end, later)

    return await rest(now() + budget, list(pages))


# %% in-hand-1 wrong: puts back a job although it has none in hand
# cause: the try holds queue.get() too, so a worker that is cancelled while it waits puts back the job it did last
# line: job = await queue.get() | queue.put_nowait(job) | except asyncio.CancelledError:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    job = None
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            if job is not None:
                queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)


# %% in-hand-1 wrong: puts the job back and goes on
# cause: the CancelledError is caught and not raised again, so the worker doesn't end
# line: except asyncio.CancelledError: | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    async def attempt(job):
        try:
            await handle(job)
        except asyncio.CancelledError:
            # somebody wants us to stop: the job isn't lost
            queue.put_nowait(job)
        except Exception:
            failed.append(job)

    while True:
        await attempt(await queue.get())


# %% in-hand-1 right: an exit stack puts it back
import asyncio
from contextlib import ExitStack


async def worker(queue, handle, failed):
    while job := [await queue.get()]:
        with ExitStack() as undo:
            undo.callback(queue.put_nowait, *job)
            try:
                await handle(*job)
            except Exception:
                failed.extend(job)
            undo.pop_all()


# %% submit-1 wrong: shields a task that isn't the group's
# cause: the saving is a task of the loop, so the group ends without it and its error doesn't come out of the group
# line: saving = asyncio.create_task(save()) | asyncio.create_task(save())
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = asyncio.create_task(save())
    try:
        async with asyncio.timeout(patience):
            return await asyncio.shield(saving)
    except TimeoutError:
        return "still saving"


# %% submit-1 wrong: a number 0 counts as not there
# cause: the number may be 0, which is false, and then it says that it still saves
# line: return number or "still saving"
import asyncio


async def submit(group, save, patience):
    task = group.create_task(save(), name="saving")
    done, pending = await asyncio.wait({task}, timeout=patience)
    number = task.result() if task in done else None
    return number or "still saving"


# %% submit-1 right: the task tells a future
import asyncio


async def submit(group, save, patience):
    told = asyncio.get_running_loop().create_future()

    def tell(task):
        if not told.done():
            told.set_result(None)

    saving = group.create_task(save())
    saving.add_done_callback(tell)
    try:
        async with asyncio.timeout(patience):
            await told
    except TimeoutError:
        return "still saving"
    return saving.result()


# %% give-back-1 wrong: a second cancellation reaches give_back
# cause: after the first cancellation the task is awaited without a shield, so the next one cancels it
# line: await returning  # to its end
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""

    async def bring(thing):
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await give_back(thing)

    thing = await lend()
    try:
        return await use(thing)
    finally:
        returning = asyncio.create_task(bring(thing))
        try:
            await asyncio.shield(returning)
        except asyncio.CancelledError:
            await returning  # to its end
            raise


# %% give-back-1 wrong: each cancellation gives it another three seconds
# cause: the 3 s are counted by each wait, so every cancellation begins them anew
# line: await asyncio.wait({task}, timeout=3) | while not task.done():
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()
    request = None
    try:
        return await use(thing)
    finally:
        task = asyncio.ensure_future(give_back(thing))
        while not task.done():
            try:
                done, _ = await asyncio.wait({task}, timeout=3)
                if not done:
                    task.cancel()
            except asyncio.CancelledError as error:
                request = error
        if request is not None:
            raise request


# %% give-back-1 right: asks the task how often it was told to end
import asyncio


async def borrow(lend, use, give_back):
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    try:
        return await use(thing)
    finally:
        giving = asyncio.ensure_future(give_back(thing))
        alarm = asyncio.get_running_loop().call_later(3, giving.cancel)
        while not giving.done():
            try:
                await asyncio.wait([giving])
            except asyncio.CancelledError:
                pass  # me.cancelling() tells
        alarm.cancel()
        if me.cancelling() > before:
            raise asyncio.CancelledError

# %% whose-1 wrong: swallows the server's own TimeoutError
# cause: a TimeoutError that `ask` itself raises is taken for the end of the short deadline
# line: except TimeoutError:
import asyncio


async def first_answer(ask, servers, short, long):
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                try:
                    async with asyncio.timeout(short):
                        return await ask(server)
                except TimeoutError:
                    continue
            return "nobody"
    except asyncio.TimeoutError:
        if whole.expired():
            return "out of time"
        raise

# %% whose-1 wrong: long is looked at between servers only
# cause: the long deadline is tested only before each server, so the last one goes on beyond it
# line: if loop.time() >= end: | async with asyncio.timeout(short) as limit:
import asyncio


async def first_answer(ask, servers, short, long):
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        if loop.time() >= end:
            return "out of time"
        try:
            async with asyncio.timeout(short) as limit:
                return await ask(server)
        except TimeoutError:
            if not limit.expired():
                raise
    return "nobody"

# %% whose-1 right: a task and asyncio.wait
import asyncio


async def first_answer(ask, servers, short, long):
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        task = asyncio.ensure_future(ask(server))
        try:
            await asyncio.wait([task], timeout=min(short, left))
            if task.done():
                return task.result()
            if left < short:
                return "out of time"
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
    return "nobody"

# %% budget-1 wrong: shares fixed at the start
# cause: each page gets the same share from the start, so what a quick page saves doesn't go to the later ones
# line: share = budget / len(pages)
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    texts = {}
    if not pages:
        return texts
    share = budget / len(pages)
    for page in pages:
        with suppress(TimeoutError):
            texts[page] = await asyncio.wait_for(fetch(page), share)
    return texts

# %% budget-1 wrong: empty texts are left out
# cause: a page that came in time with an empty text is left out
# line: if text:
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}
    for index, page in enumerate(pages):
        share = (end - loop.time()) / (len(pages) - index)
        text = None
        try:
            text = await asyncio.wait_for(fetch(page), share)
        except TimeoutError:
            pass
        if text:
            texts[page] = text
    return texts

# %% budget-1 right: counting down with tasks
import asyncio


async def load(fetch, pages, budget):
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = {}
    for count, page in zip(range(len(pages), 0, -1), pages):
        task = asyncio.ensure_future(fetch(page))
        try:
            done, _ = await asyncio.wait({task}, timeout=(end - clock()) / count)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        if done:
            texts[page] = task.result()
    return texts

# %% in-hand-1 wrong: puts back a job that is done, again
# cause: when it is cancelled while it waits for a job, the last one, which is done, goes back into the queue
# line: if job is not None: | job = await queue.get() | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    job = None
    while True:
        try:
            job = await queue.get()
            await handle(job)
        except asyncio.CancelledError:
            if job is not None:
                queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 wrong: shields the job
# cause: the shielded job goes on after the cancellation, and is handled again by whoever takes it from the queue
# line: await asyncio.shield(handle(job))
import asyncio


async def worker(queue, handle, failed):
    while True:
        job = await queue.get()
        try:
            await asyncio.shield(handle(job))
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% in-hand-1 right: a flag and finally
import asyncio


async def worker(queue, handle, failed):
    while True:
        job = await queue.get()
        in_hand = True
        try:
            await handle(job)
            in_hand = False
        except Exception:
            in_hand = False
            failed.append(job)
        finally:
            if in_hand:
                queue.put_nowait(job)

# %% submit-1 wrong: the timeout cancels the saving
# cause: wait_for cancels the saving when the patience is over
# line: return await asyncio.wait_for(task, patience)
import asyncio


async def submit(group, save, patience):
    task = group.create_task(save())
    try:
        return await asyncio.wait_for(task, patience)
    except TimeoutError:
        return "still saving"

# %% submit-1 wrong: a task outside of the group
# cause: the saving is a task that the group doesn't know, so the group doesn't wait for it
# line: task = asyncio.create_task(save())
import asyncio


async def submit(group, save, patience):
    task = asyncio.create_task(save())
    try:
        async with asyncio.timeout(patience):
            return await asyncio.shield(task)
    except TimeoutError:
        return "still saving"

# %% submit-1 right: an event that is set from two sides
import asyncio


async def submit(group, save, patience):
    bell = asyncio.Event()
    task = group.create_task(save())
    task.add_done_callback(lambda _: bell.set())
    timer = asyncio.get_running_loop().call_later(patience, bell.set)
    try:
        await bell.wait()
    finally:
        timer.cancel()
    return task.result() if task.done() else "still saving"

# %% give-back-1 wrong: one shield
# cause: the shield lets give_back go on, but a cancelled borrow ends before it
# line: await asyncio.wait_for(asyncio.shield(task), 3) | task = asyncio.create_task(give_back(thing))
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()
    try:
        return await use(thing)
    finally:
        task = asyncio.create_task(give_back(thing))
        try:
            await asyncio.wait_for(asyncio.shield(task), 3)
        except TimeoutError:
            task.cancel()

# %% give-back-1 wrong: the three seconds begin anew, again
# cause: every cancellation starts the 3 s again, so give_back may get more than 3 s
# line: await asyncio.wait([task], timeout=3)
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()
    cancelled = None
    try:
        return await use(thing)
    finally:
        task = asyncio.create_task(give_back(thing))
        while not task.done():
            try:
                await asyncio.wait([task], timeout=3)
                if not task.done():
                    task.cancel()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

# %% give-back-1 right: a timer that cancels
import asyncio


async def borrow(lend, use, give_back):
    me = asyncio.current_task()
    requests = me.cancelling()
    thing = await lend()
    result = error = None
    try:
        result = await use(thing)
    except BaseException as exception:
        error = exception
    task = asyncio.ensure_future(give_back(thing))
    timer = asyncio.get_running_loop().call_later(3, task.cancel)
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as exception:
            error = exception
    timer.cancel()
    if me.cancelling() > requests and not isinstance(error, asyncio.CancelledError):
        error = asyncio.CancelledError()
    if error is not None:
        raise error
    return result

# %% whose-1 wrong: judges by the error's cause
# cause: an `ask` with an asyncio.timeout of its own raises a TimeoutError with a CancelledError as its cause too; that error is swallowed and the next server is asked.
# line: if not isinstance(error.__cause__, asyncio.CancelledError):
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    whole = asyncio.timeout(long)
    try:
        async with whole:
            for server in servers:
                try:
                    async with asyncio.timeout(short):
                        return await ask(server)
                except TimeoutError as error:
                    # a timeout of asyncio's, or an error of the server?
                    if not isinstance(error.__cause__, asyncio.CancelledError):
                        raise
            return "nobody"
    except TimeoutError:
        if whole.expired():
            return "out of time"
        raise

# %% whose-1 wrong: nobody instead of out of time
# cause: if the long deadline ends the wait for the last server, the loop is over before the time is looked at, and "nobody" is returned instead of "out of time".
# line: return "nobody" | if left <= 0:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        left = end - loop.time()
        if left <= 0:
            return "out of time"
        task = asyncio.create_task(ask(server))
        try:
            await asyncio.wait([task], timeout=min(short, left))
            if task.done():
                return task.result()
        finally:
            task.cancel()
    return "nobody"

# %% whose-1 right: plain wait and the nearer of two limits
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        task = asyncio.ensure_future(ask(server))
        try:
            done, _ = await asyncio.wait({task}, timeout=min(short, left))
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        if done:
            return task.result()
        if left < short:
            return "out of time"
    return "nobody"

# %% budget-1 wrong: a late page is still counted
# cause: the pages still to be fetched are counted as those without a text, so a page that was left out keeps its part of the share for ever.
# line: share = (end - loop.time()) / (len(pages) - len(texts))
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    texts = {}
    for page in pages:
        share = (end - loop.time()) / (len(pages) - len(texts))
        with suppress(TimeoutError):
            async with asyncio.timeout(share):
                texts[page] = await fetch(page)
    return texts

# %% budget-1 wrong: only pages that came are paid for
# cause: the time is taken from the budget only when the page came; a page whose share is over costs nothing, so the later ones get too much, and all takes longer than the budget.
# line: left -= loop.time() - begun
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    left = budget
    texts = {}
    for done, page in enumerate(pages):
        begun = loop.time()
        with suppress(TimeoutError):
            async with asyncio.timeout(left / (len(pages) - done)):
                texts[page] = await fetch(page)
            left -= loop.time() - begun
    return texts

# %% budget-1 right: a purse and wait_for
import asyncio


class Purse:
    def __init__(self, seconds, heads):
        self.clock = asyncio.get_running_loop().time
        self.end = self.clock() + seconds
        self.heads = heads

    def share(self):
        part = (self.end - self.clock()) / self.heads
        self.heads -= 1
        return part


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    pages = tuple(pages)
    purse = Purse(budget, len(pages))
    came = []
    for page in pages:
        try:
            text = await asyncio.wait_for(fetch(page), purse.share())
        except TimeoutError:
            continue
        came.append((page, text))
    return dict(came)

# %% in-hand-1 wrong: puts back the job before
# cause: `job` is not forgotten when it is done; a worker that is cancelled while it waits for the next job puts the finished one back.
# line: job = nothing | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    nothing = object()
    job = nothing
    try:
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)
    except asyncio.CancelledError:
        if job is not nothing:
            queue.put_nowait(job)
        raise

# %% in-hand-1 wrong: the handling goes on
# cause: asyncio.wait does not cancel the task inside, so the job goes back into the queue while it is still being handled, after the worker has ended.
# line: await asyncio.wait([task]) | task = asyncio.create_task(handle(job))
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        task = asyncio.create_task(handle(job))
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        if task.exception() is not None:
            failed.append(job)

# %% in-hand-1 right: a context manager holds the job
import asyncio


class Hand:
    def __init__(self, job, queue, failed):
        self.job, self.queue, self.failed = job, queue, failed

    def __enter__(self):
        return self.job

    def __exit__(self, kind, error, traceback):
        if kind is None:
            return False
        stopped = asyncio.current_task().cancelling() > 0
        if issubclass(kind, Exception) and not stopped:
            self.failed.append(self.job)
            return True
        self.queue.put_nowait(self.job)
        if issubclass(kind, Exception):
            raise asyncio.CancelledError from error
        return False


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        with Hand(await queue.get(), queue, failed) as job:
            await handle(job)

# %% submit-1 wrong: zero is a number too
# cause: if the saving returns 0, `or` drops it and "still saving" is returned, although the number is there.
# line: return number or "still saving"
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    task = group.create_task(save())
    number = None
    try:
        async with asyncio.timeout(patience):
            number = await asyncio.shield(task)
    except TimeoutError:
        pass
    return number or "still saving"

# %% submit-1 wrong: the group never hears of the error
# cause: the error of `save` is caught inside the task and handed to the guest only, so it does not come out of the group.
# line: except Exception as error: | box.set_exception(error)
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    box = asyncio.get_running_loop().create_future()

    async def job():
        try:
            number = await save()
        except Exception as error:
            box.set_exception(error)
        else:
            box.set_result(number)

    group.create_task(job())
    await asyncio.wait([box], timeout=patience)
    if box.done():
        return box.result()
    return "still saving"

# %% submit-1 right: a bell that two can ring
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    loop = asyncio.get_running_loop()
    bell = loop.create_future()

    def ring(*_):
        if not bell.done():
            bell.set_result(None)

    task = group.create_task(save())
    task.add_done_callback(ring)
    timer = loop.call_later(patience, ring)
    try:
        await bell
    finally:
        timer.cancel()
        task.remove_done_callback(ring)
    return task.result() if task.done() else "still saving"

# %% give-back-1 wrong: each cancellation gives three more seconds
# cause: after each cancellation the wait begins anew with a full timeout, so give_back can get far more than 3 s.
# line: await asyncio.wait([back], timeout=3)
import asyncio


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        cancelled = None
        back = asyncio.create_task(give_back(thing))
        while not back.done():
            try:
                await asyncio.wait([back], timeout=3)
                back.cancel()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

# %% give-back-1 wrong: the cleanup's timeout comes out
# cause: if give_back takes more than 3 s, the TimeoutError of the cleanup comes out and takes the place of what `use` returned or raised.
# line: cleanup.result() | asyncio.wait_for(give_back(thing), 3))
import asyncio


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    cancelled = False
    try:
        return await use(thing)
    finally:
        cleanup = asyncio.ensure_future(
            asyncio.wait_for(give_back(thing), 3))
        while not cleanup.done():
            try:
                await asyncio.wait([cleanup])
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError
        cleanup.result()

# %% give-back-1 right: a timer, and a count of the cancellations
import asyncio


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()

    value = problem = None
    try:
        value = await use(thing)
    except BaseException as error:
        problem = error

    back = asyncio.ensure_future(give_back(thing))
    timer = asyncio.get_running_loop().call_later(3, back.cancel)
    while not back.done():
        try:
            await asyncio.wait({back})
        except asyncio.CancelledError:
            pass
    timer.cancel()

    if me.cancelling() > before and not isinstance(problem, asyncio.CancelledError):
        raise asyncio.CancelledError
    if problem is not None:
        raise problem
    return value

# %% give-back-1 wrong: believes that a timeout gets through a shield
# cause: the timeout ends only the waiting; the shield keeps it from the task, so give_back goes on after 3 s
# line: await asyncio.shield(task) | async with asyncio.timeout_at(end): | except TimeoutError: | break
# told: none
import asyncio


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        me = asyncio.current_task()
        cancelled = me.cancelling() > 0
        end = asyncio.get_running_loop().time() + 3
        task = asyncio.create_task(give_back(thing))
        while not task.done():
            try:
                async with asyncio.timeout_at(end):
                    await asyncio.shield(task)
            except TimeoutError:
                break
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

# %% budget-1 wrong: a late page costs nothing
# cause: the seconds that are left are only reduced after a page that came, and not after one whose share was over
# line: left -= loop.time() - began
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    found = {}
    left = budget
    for number, page in enumerate(pages):
        began = loop.time()
        try:
            async with asyncio.timeout(left / (len(pages) - number)):
                found[page] = await fetch(page)
                left -= loop.time() - began
        except TimeoutError:
            continue
    return found

# %% give-back-1 wrong: return in the finally
# cause: the return in the finally drops the error of use, which should come out
# line: return outcome | finally:
import asyncio
from contextlib import suppress


async def limited(coro):
    with suppress(TimeoutError):
        async with asyncio.timeout(3):
            await coro


async def borrow(lend, use, give_back):
    me = asyncio.current_task()
    thing = await lend()
    outcome = None
    try:
        outcome = await use(thing)
    finally:
        task = asyncio.create_task(limited(give_back(thing)))
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(task)
        if me.cancelling():
            raise asyncio.CancelledError
        return outcome

# %% whose-1 wrong: leaves the loop at a slow server
# cause: a slow server ends the asking
# line: break
import asyncio


async def first_answer(ask, servers, short, long):
    try:
        async with asyncio.timeout(long) as all_of_it:
            for server in servers:
                try:
                    async with asyncio.timeout(short) as each:
                        return await ask(server)
                except TimeoutError:
                    if not each.expired():
                        raise
                    break
            return "nobody"
    except TimeoutError:
        if not all_of_it.expired():
            raise
        return "out of time"

# %% budget-1 wrong: a late page costs nothing, by an else
# cause: late pages cost nothing
# line: used +=
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    used = 0
    got = {}
    for number, page in enumerate(pages):
        begin = loop.time()
        try:
            async with asyncio.timeout((budget - used) / (len(pages) - number)):
                got[page] = await fetch(page)
        except TimeoutError:
            continue
        else:
            used += loop.time() - begin
    return got

# %% budget-1 wrong: a late page is passed by before it is counted
# cause: a late page skips the counting
# line: continue | left -=
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    left = budget
    got = {}
    for number, page in enumerate(pages):
        begin = loop.time()
        try:
            async with asyncio.timeout(left / (len(pages) - number)):
                text = await fetch(page)
        except TimeoutError:
            continue
        got[page] = text
        left -= loop.time() - begin
    return got

# %% budget-1 wrong: a list of the texts
# cause: the texts without the pages
# line: append
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    got = []
    for number, page in enumerate(pages):
        try:
            async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                got.append(await fetch(page))
        except TimeoutError:
            pass
    return got

# %% budget-1 wrong: takes the same seconds off again
# cause: the time is measured from the start each time and taken off again
# line: begin = loop.time() | left -=
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    left = budget
    begin = loop.time()
    got = {}
    for number, page in enumerate(pages):
        try:
            async with asyncio.timeout(left / (len(pages) - number)):
                got[page] = await fetch(page)
        except TimeoutError:
            pass
        left -= loop.time() - begin
    return got

# %% in-hand-1 wrong: until the queue is empty
# cause: ends when the queue is empty
# line: queue.empty()
import asyncio


async def worker(queue, handle, failed):
    while not queue.empty():
        job = await queue.get()
        try:
            await handle(job)
        except asyncio.CancelledError:
            queue.put_nowait(job)
            raise
        except Exception:
            failed.append(job)

# %% submit-1 wrong: saves once more when the patience is over
# cause: begins the saving again when the patience is over
# line: group.create_task(save())
import asyncio


async def submit(group, save, patience):
    try:
        return await asyncio.wait_for(save(), patience)
    except TimeoutError:
        group.create_task(save())
        return "still saving"

# %% give-back-1 wrong: drops what use returns
# cause: returns nothing
# line: await use(thing)
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()

    async def bounded():
        try:
            async with asyncio.timeout(3):
                await give_back(thing)
        except TimeoutError:
            pass

    try:
        await use(thing)
    finally:
        task, request = asyncio.create_task(bounded()), None
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                request = error
        if request:
            raise request

# %% give-back-1 wrong: a bound of thirty seconds
# cause: the bound is too long
# line: timeout(30)
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()

    async def bounded():
        try:
            async with asyncio.timeout(30):
                await give_back(thing)
        except TimeoutError:
            pass

    try:
        return await use(thing)
    finally:
        task, request = asyncio.create_task(bounded()), None
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                request = error
        if request:
            raise request

# %% give-back-1 wrong: leaves the waiting at a request
# cause: the break leaves the waiting at the first request
# line: break
import asyncio


async def borrow(lend, use, give_back):
    thing = await lend()

    async def bounded():
        try:
            async with asyncio.timeout(3):
                await give_back(thing)
        except TimeoutError:
            pass

    try:
        return await use(thing)
    finally:
        task, request = asyncio.create_task(bounded()), None
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                request = error
                break
        if request:
            raise request

# %% in-hand-1 wrong: a flag and a finally
# cause: `finished` stays False for a job that failed as well, so a failed job stands in `failed` and also goes back into the queue.
# line: if not finished: | failed.append(job) | finished = True | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    while True:
        job = await queue.get()
        finished = False
        try:
            await handle(job)
            finished = True
        except Exception:
            failed.append(job)
        finally:
            if not finished:
                queue.put_nowait(job)

# %% in-hand-1 wrong: a job that is done goes back, too
# cause: The hand isn't emptied when a job is done, so a worker that is cancelled while it waits for the next job puts the last one back although it has been handled.
# line: for job in hand: | hand = [await queue.get()] | queue.put_nowait(job)
import asyncio


async def worker(queue, handle, failed):
    hand = []
    try:
        while True:
            hand = [await queue.get()]
            try:
                await handle(hand[0])
            except Exception:
                failed.append(hand[0])
    except asyncio.CancelledError:
        for job in hand:
            queue.put_nowait(job)
        raise

# %% in-hand-1 wrong: a cancelled job is lost
# cause: only Exception is handled and CancelledError is none, so the job in hand is in no place any more when the worker is cancelled.
# line: except Exception: | await handle(job) | none
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except Exception:
            failed.append(job)
        finally:
            queue.task_done()

# %% whose-1 wrong: last server cut by the long
# cause: the long deadline is looked at only before a server is asked, so when it cuts off the last server the function returns "nobody" instead of "out of time".
# line: return "nobody" | if left <= 0: | if not limit.expired():
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        if left <= 0:
            return "out of time"
        try:
            async with asyncio.timeout(min(short, left)) as limit:
                return await ask(server)
        except TimeoutError:
            if not limit.expired():
                raise
    return "nobody"

# %% whose-1 wrong: server's own TimeoutError swallowed
# cause: Every TimeoutError is taken for the short deadline, so one that ask raises itself doesn't come out; the next server is asked.
# line: continue | await asyncio.wait_for(ask(server), short) | except TimeoutError:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    try:
        async with asyncio.timeout(long) as whole:
            for server in servers:
                try:
                    return await asyncio.wait_for(ask(server), short)
                except TimeoutError:
                    continue
            return "nobody"
    except TimeoutError:
        if whole.expired():
            return "out of time"
        raise

# %% whose-1 wrong: long checked only between servers
# cause: The long deadline is looked at only before a server is asked, so it doesn't stop a server that is being asked when the long seconds are over.
# line: if loop.time() >= end: | async with asyncio.timeout(short) as mine: | return await ask(server)
import asyncio


async def first_answer(ask, servers, short, long):
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        if loop.time() >= end:
            return "out of time"
        try:
            async with asyncio.timeout(short) as mine:
                return await ask(server)
        except TimeoutError:
            if not mine.expired():
                raise
    return "out of time" if loop.time() >= end else "nobody"

# %% budget-1 wrong: suppress inside the timeout
# cause: The TimeoutError is raised at the end of the timeout block, outside of suppress, so the first page that is late makes load raise it instead of leaving the page out.
# line: with suppress(TimeoutError): | async with asyncio.timeout(
import asyncio
from contextlib import suppress


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    deadline = loop.time() + budget
    result = {}
    for n, page in enumerate(pages):
        left = deadline - loop.time()
        async with asyncio.timeout(left / (len(pages) - n)):
            with suppress(TimeoutError):
                result[page] = await fetch(page)
    return result

# %% in-hand-1 wrong: cancelled job also in failed
# cause: The job is appended to failed before it is known whether it was a cancellation, so a job that was cancelled stands in the queue and in failed.
# line: failed.append(job) | except BaseException as e:
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except BaseException as e:
            failed.append(job)
            if not isinstance(e, Exception):
                queue.put_nowait(job)
                raise

# %% submit-1 wrong: cancelled submit waits for saving
# cause: When submit is cancelled it waits for the saving to end before it raises, so it doesn't end at once.
# line: await asyncio.wait([saving]) | except asyncio.CancelledError:
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = group.create_task(save())
    try:
        done, _ = await asyncio.wait([saving], timeout=patience)
    except asyncio.CancelledError:
        await asyncio.wait([saving])
        raise
    if done:
        return saving.result()
    return "still saving"

# %% give-back-1 wrong: shields the giving back once
# cause: `shield` is awaited only once, so when borrow is cancelled during give_back, borrow ends at once and give_back is still running behind it.
# line: await asyncio.shield(returning)
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""

    async def bring_back(thing):
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await give_back(thing)

    me = asyncio.current_task()
    before = me.cancelling()
    thing = await lend()
    try:
        return await use(thing)
    finally:
        returning = asyncio.create_task(bring_back(thing))
        await asyncio.shield(returning)
        if me.cancelling() > before:
            raise asyncio.CancelledError

# %% give-back-1 wrong: error of use before cancellation
# cause: The error of use is raised before looking whether borrow was cancelled, so if use failed and borrow is cancelled during give_back, the error comes out instead of a CancelledError.
# line: if error is not None: | raise error | if task.cancelling() > cancels:
import asyncio
from contextlib import suppress


async def limited(coro):
    with suppress(TimeoutError):
        await asyncio.wait_for(coro, 3)


async def borrow(lend, use, give_back):
    task = asyncio.current_task()
    cancels = task.cancelling()
    thing = await lend()
    result = error = None
    try:
        result = await use(thing)
    except BaseException as e:
        error = e

    back = asyncio.create_task(limited(give_back(thing)))
    while not back.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(back)

    if error is not None:
        raise error
    if task.cancelling() > cancels:
        raise asyncio.CancelledError
    return result

# %% whose-1 wrong: short deadline set before the loop
# cause: The moment when the short seconds end is worked out once, before the loop, so all servers share one turn, and after the first slow one the next ones are stopped at once.
# line: turn_ends = loop.time() + short | asyncio.timeout_at(turn_ends)
import asyncio


async def first_answer(ask, servers, short, long):
    loop = asyncio.get_running_loop()
    turn_ends = loop.time() + short
    total = asyncio.timeout(long)
    try:
        async with total:
            for server in servers:
                turn = asyncio.timeout_at(turn_ends)
                try:
                    async with turn:
                        return await ask(server)
                except TimeoutError:
                    if turn.expired():
                        continue
                    raise
    except TimeoutError:
        if total.expired():
            return "out of time"
        raise
    return "nobody"

# %% whose-1 wrong: slow server is not stopped
# cause: asyncio.wait doesn't cancel the task at its timeout, so a server that is too slow goes on being asked while the next one is asked, and after the end too.
# line: await asyncio.wait({task}, timeout= | if task.done(): | if loop.time() >= end:
import asyncio


async def first_answer(ask, servers, short, long):
    """Return the first answer, "nobody" or "out of time"."""
    loop = asyncio.get_running_loop()
    end = loop.time() + long
    for server in servers:
        task = asyncio.create_task(ask(server))
        await asyncio.wait({task}, timeout=min(short, end - loop.time()))
        if task.done():
            return task.result()
        if loop.time() >= end:
            return "out of time"
    return "nobody"

# %% in-hand-1 wrong: try around the loop
# cause: The except for errors stands outside of the while loop, so after the first job that fails the worker ends instead of going on.
# line: except Exception: | failed.append(job) | while True:
import asyncio


async def worker(queue, handle, failed):
    try:
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except asyncio.CancelledError:
                await queue.put(job)
                raise
    except Exception:
        failed.append(job)

# %% submit-1 wrong: result set on cancelled future
# cause: wait_for cancels the future when the patience is over, and set_result on a cancelled future raises an InvalidStateError, so a saving that takes longer makes the group fail at its end.
# line: answer.set_result(number) | await asyncio.wait_for(answer, patience)
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    answer = asyncio.get_running_loop().create_future()

    async def save_and_tell():
        number = await save()
        answer.set_result(number)

    group.create_task(save_and_tell())
    try:
        return await asyncio.wait_for(answer, patience)
    except TimeoutError:
        return "still saving"

# %% give-back-1 wrong: second cancellation cuts it off
# cause: After the first cancellation the task is awaited without a shield, so a second cancellation of borrow during give_back goes through to it and cuts it off.
# line: await cleanup | except asyncio.CancelledError:
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()

    async def bring_back():
        try:
            async with asyncio.timeout(3):
                await give_back(thing)
        except TimeoutError:
            pass

    try:
        result = await use(thing)
    finally:
        cleanup = asyncio.create_task(bring_back())
        try:
            await asyncio.shield(cleanup)
        except asyncio.CancelledError:
            await cleanup  # let it come to its end
            raise
    return result

# %% budget-1 wrong: late pages still get counted
# cause: It counts the pages still to be fetched by the results, so a page that was late still counts, and the shares after it are too small.
# line: to_go = len(pages) - len(result)
import asyncio


async def load(fetch, pages, budget):
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    result = {}
    for page in pages:
        to_go = len(pages) - len(result)
        seconds = (end - loop.time()) / to_go
        try:
            result[page] = await asyncio.wait_for(fetch(page), seconds)
        except TimeoutError:
            pass
    return result

# %% submit-1 wrong: wait_for without a shield
# cause: wait_for cancels the task when the time is over or submit is cancelled, so the saving doesn't go on.
# line: return await asyncio.wait_for(saving, patience)
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    saving = group.create_task(save())
    try:
        return await asyncio.wait_for(saving, patience)
    except TimeoutError:
        return "still saving"

# %% whose-1 right: wait with the smaller of two
import asyncio


async def first_answer(ask, servers, short, long):
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        if left <= 0:
            return "out of time"
        asking = asyncio.ensure_future(ask(server))
        try:
            await asyncio.wait((asking,), timeout=min(short, left))
            if asking.done():
                return asking.result()
        finally:
            asking.cancel()
            if not asking.done():
                await asyncio.wait((asking,))
        if not asking.cancelled() and asking.exception() is not None:
            raise asking.exception()
        if left < short:
            return "out of time"
    return "nobody"

# %% budget-1 right: a deque and call_later cancelling
import asyncio
from collections import deque


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + budget
    line = deque(pages)
    texts = {}
    while line:
        share = (end - loop.time()) / len(line)
        page = line.popleft()
        task = loop.create_task(fetch(page))
        timer = loop.call_later(share, task.cancel)
        try:
            await asyncio.wait([task])
        finally:
            timer.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if not task.cancelled():
            texts[page] = task.result()
    return texts

# %% in-hand-1 right: ExitStack puts the job back
import asyncio
from contextlib import ExitStack


async def worker(queue, handle, failed):
    me = asyncio.current_task()
    before = me.cancelling()
    while True:
        job = await queue.get()
        with ExitStack() as hand:
            hand.callback(queue.put_nowait, job)
            trouble = None
            try:
                await handle(job)
            except (Exception, asyncio.CancelledError) as error:
                trouble = error
            if me.cancelling() > before:
                raise asyncio.CancelledError from trouble
            if trouble is not None:
                failed.append(job)
            hand.pop_all()

# %% submit-1 right: task and timer race by hand
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    loop = asyncio.get_running_loop()
    news = loop.create_future()

    def tell(ended):
        if not news.done():
            news.set_result(ended)

    saving = group.create_task(save())
    saving.add_done_callback(tell)
    timer = loop.call_later(patience, tell, None)
    try:
        ended = await news
    finally:
        timer.cancel()
        saving.remove_done_callback(tell)
    return "still saving" if ended is None else ended.result()

# %% give-back-1 right: a loan as context manager
import asyncio


class _Loan:
    def __init__(self, lend, give_back):
        self.lend = lend
        self.give_back = give_back

    async def __aenter__(self):
        self.thing = await self.lend()
        return self.thing

    async def __aexit__(self, *_):
        loop = asyncio.get_running_loop()
        giving = loop.create_task(self.give_back(self.thing))
        timer = loop.call_later(3, giving.cancel)
        cut = None
        while not giving.done():
            try:
                await asyncio.wait([giving])
            except asyncio.CancelledError as error:
                cut = error
        timer.cancel()
        if cut is not None:
            raise cut


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    me = asyncio.current_task()
    before = me.cancelling()
    try:
        async with _Loan(lend, give_back) as thing:
            value = await use(thing)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        if me.cancelling() > before:
            raise asyncio.CancelledError from error
        raise
    if me.cancelling() > before:
        raise asyncio.CancelledError
    return value

# %% in-hand-1 wrong: Cancellation sought among the Exceptions
# cause: CancelledError is no Exception, so the except clause never sees it and a job in hand is lost when the worker is cancelled.
# line: except Exception as ex: | if isinstance(ex, asyncio.CancelledError):
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except Exception as ex:
            if isinstance(ex, asyncio.CancelledError):
                queue.put_nowait(job)
                raise
            failed.append(job)

# %% whose-1 right: asyncio.wait, smaller limit, and match
import asyncio


async def first_answer(ask, servers, short, long):
    clock = asyncio.get_running_loop().time
    end = clock() + long
    for server in servers:
        left = end - clock()
        if left <= 0:
            return "out of time"
        limit, whose = min((short, "a server's"), (left, "ours"))
        task = asyncio.ensure_future(ask(server))
        in_time = False
        try:
            await asyncio.wait({task}, timeout=limit)
            in_time = task.done()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            error = None if task.cancelled() else task.exception()
        match in_time, error, whose:
            case True, _, _:
                return task.result()
            case False, BaseException(), _:
                raise error
            case False, None, "ours":
                return "out of time"
    return "nobody"

# %% budget-1 right: generator of deadlines, AsyncExitStack
import asyncio
from contextlib import AsyncExitStack, suppress


def _turns(pages, end, clock):
    """Yield each page with its deadline, worked out when its turn comes."""
    for done, page in enumerate(pages):
        now = clock()
        yield page, now + (end - now) / (len(pages) - done)


async def load(fetch, pages, budget):
    """Return a dict of the pages that came within `budget` seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + budget
    texts = {}
    for page, deadline in _turns(list(pages), end, clock):
        async with AsyncExitStack() as stack:
            stack.enter_context(suppress(TimeoutError))
            await stack.enter_async_context(asyncio.timeout_at(deadline))
            texts[page] = await fetch(page)
    return texts

# %% in-hand-1 right: context manager holds the job
import asyncio


class _InHand:
    def __init__(self, job, queue, failed):
        self.job, self.queue, self.failed = job, queue, failed

    def __enter__(self):
        self.me = asyncio.current_task()
        self.requests = self.me.cancelling()
        return self.job

    def __exit__(self, kind, error, traceback):
        if self.me.cancelling() > self.requests:
            # It is the worker that is cancelled, whatever `handle` made of it.
            self.queue.put_nowait(self.job)
            if not isinstance(error, asyncio.CancelledError):
                raise asyncio.CancelledError
            return False
        if isinstance(error, (Exception, asyncio.CancelledError)):
            self.failed.append(self.job)
            return True
        if error is not None:       # KeyboardInterrupt and the like
            self.queue.put_nowait(self.job)
        return False


async def worker(queue, handle, failed):
    while True:
        with _InHand(await queue.get(), queue, failed) as job:
            await handle(job)


# %% in-hand-1 wrong: nobody hears of the job that went back
# cause: the job is put into the queue's inner deque, which wakes no other worker in get()
# line: queue._queue.appendleft(job)
import asyncio


async def worker(queue, handle, failed):
    """Handle jobs for ever; a cancelled job goes back."""
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except asyncio.CancelledError:
            # to the front: it was the first in line
            queue._queue.appendleft(job)
            raise
        except Exception:
            failed.append(job)


# %% submit-1 right: hand-made future, timer and callback
import asyncio


async def submit(group, save, patience):
    """Save in `group`; return the number, or "still saving"."""
    loop = asyncio.get_running_loop()
    enough = loop.create_future()

    def wake(_=None):
        if not enough.done():
            enough.set_result(None)

    saving = group.create_task(save())
    saving.add_done_callback(wake)
    timer = loop.call_later(patience, wake)
    try:
        await enough
    finally:
        timer.cancel()
        saving.remove_done_callback(wake)
    return saving.result() if saving.done() else "still saving"

# %% give-back-1 right: two context managers as classes
import asyncio


class Candour:
    """If the task was cancelled within the block, a CancelledError leaves it."""

    def __enter__(self):
        self.task = asyncio.current_task()
        self.before = self.task.cancelling()
        return self

    def __exit__(self, kind, error, trace):
        cancelled = self.task.cancelling() > self.before
        if cancelled and not isinstance(error, asyncio.CancelledError):
            raise asyncio.CancelledError
        return False


class Loan:
    def __init__(self, lend, give_back, limit):
        self.lend = lend
        self.give_back = give_back
        self.limit = limit

    async def __aenter__(self):
        self.thing = await self.lend()
        return self.thing

    async def __aexit__(self, *details):
        interruption = None
        returning = asyncio.ensure_future(self.give_back(self.thing))
        alarm = asyncio.get_running_loop().call_later(self.limit, returning.cancel)
        while not returning.done():
            try:
                await asyncio.wait([returning])
            except asyncio.CancelledError as error:
                interruption = error
        alarm.cancel()
        if interruption is not None:
            raise interruption
        return False


async def borrow(lend, use, give_back):
    with Candour():
        async with Loan(lend, give_back, limit=3) as thing:
            return await use(thing)


# %% give-back-1 wrong: a cancellation in the moment when give_back has just ended is swallowed
# cause: done() tells whose CancelledError it is: one that comes as give_back ends is lost
# line: cancelled = cancelled or not giving.done() | except asyncio.CancelledError:
import asyncio
from contextlib import suppress


async def borrow(lend, use, give_back):
    """Use a thing and give it back, whatever happens."""
    thing = await lend()
    try:
        return await use(thing)
    finally:
        giving = asyncio.create_task(give_back(thing))
        timer = asyncio.get_running_loop().call_later(3, giving.cancel)
        cancelled = False
        while not giving.done():
            try:
                await asyncio.shield(giving)
            except asyncio.CancelledError:
                # Either we were cancelled, or give_back was, being too slow.
                cancelled = cancelled or not giving.done()
        timer.cancel()
        if cancelled:
            raise asyncio.CancelledError
