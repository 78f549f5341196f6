"""Answers to the exercises of lesson 00, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% await-1 wrong: forgets the await
# cause: the coroutine is made and never awaited, so the name is a coroutine object
# line: name = ask()
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    name = ask()
    return f"Hello, {name}!"

# %% await-1 wrong: asks twice
# cause: ask is called twice, and the statement says once
# line: return f"Hello, {await ask()}!" | if await ask():
async def greet(ask):
    if await ask():
        return f"Hello, {await ask()}!"
    return "Hello, !"

# %% await-1 wrong: awaits the function itself
# cause: ask is not called: what is awaited is the function
# line: name = await ask
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    name = await ask
    return "Hello, " + name + "!"

# %% await-1 wrong: the name of the example
# cause: the name that was asked for is thrown away; Ada is hard-coded
# line: return "Hello, Ada!" | await ask()
async def greet(ask):
    await ask()
    return "Hello, Ada!"

# %% await-1 wrong: the name in capitals
# cause: the name is changed: "ada" and "McKay" come out as "Ada" and "Mckay"
# line: name.title()
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    name = await ask()
    return f"Hello, {name.title()}!"

# %% await-1 right: match and join, with type hints
from collections.abc import Awaitable, Callable


async def greet(ask: Callable[[], Awaitable[str]]) -> str:
    """Ask once, and return a greeting to whoever it is."""
    match await ask():
        case who:
            return "".join(("Hello, ", who, "!"))

# %% await-1 right: a task, its result and format
import asyncio


async def greet(ask):
    asking = asyncio.create_task(ask())
    return "Hello, {}!".format(await asking)

# %% order-1 wrong: the call runs the coroutine
# cause: takes it that hello() runs when it is called, not when it is awaited
# line: order
order = ["one", "hello", "two", "three"]

# %% order-1 wrong: the await only starts it
# cause: takes it that await does not wait until hello has printed
# line: order
order = ["one", "two", "three", "hello"]

# %% total-1 wrong: the waits one after another
# cause: adds the three waits, though they overlap
# line: seconds
seconds = 6

# %% total-1 wrong: the shortest wait
# cause: takes it that gather is over with the first of them
# line: seconds
seconds = 1

# %% total-2 wrong: adds all four
# cause: adds up the two waits inside of gather, though they overlap
# line: total
total = 7

# %% total-2 wrong: overlaps everything
# cause: takes it that the awaits one below the other overlap too
# line: total
total = 3

# %% overlap-1 wrong: one page after another
# cause: each page is awaited before the next one is begun
# line: texts.append(await fetch(page)) | await fetch(page)
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = []
    for page in pages:
        texts.append(await fetch(page))
    return texts

# %% overlap-1 wrong: in the order in which they come
# cause: as_completed gives the texts in the order in which they are ready
# line: asyncio.as_completed
import asyncio


async def fetch_all(fetch, pages):
    return [await text for text in asyncio.as_completed([fetch(page) for page in pages])]

# %% overlap-1 wrong: a dict from page to text
# cause: a page that is asked for twice is in the result only once
# line: texts = dict(zip(pages, | return list(texts.values())
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = dict(zip(pages, await asyncio.gather(*(fetch(page) for page in pages))))
    return list(texts.values())

# %% overlap-1 wrong: leaves out empty texts
# cause: an empty text is left out of the result
# line: if text
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = await asyncio.gather(*map(fetch, pages))
    return [text for text in texts if text]

# %% overlap-1 wrong: a loop that counts the finished ones
# cause: with no pages, it waits for an end that never comes
# line: await done.wait()
import asyncio


async def fetch_all(fetch, pages):
    texts, done = {}, asyncio.Event()

    async def one(number, page):
        texts[number] = await fetch(page)
        if len(texts) == len(pages):
            done.set()

    jobs = [asyncio.create_task(one(number, page)) for number, page in enumerate(pages)]
    await done.wait()
    return [texts[number] for number in range(len(pages))]

# %% overlap-1 wrong: a semaphore of ten
# cause: only ten pages are fetched at the same time, and not all of them
# line: asyncio.Semaphore(10) | async with places:
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    places = asyncio.Semaphore(10)

    async def one(page):
        async with places:
            return await fetch(page)

    return await asyncio.gather(*map(one, pages))

# %% overlap-1 wrong: finds the place by the page
# cause: places are found by `index`, which finds the first page of that name twice
# line: pages.index(page)
import asyncio


async def fetch_all(fetch, pages):
    texts = [None] * len(pages)

    async def one(page):
        texts[pages.index(page)] = await fetch(page)

    await asyncio.gather(*map(one, pages))
    return texts

# %% overlap-1 right: a task for each page, fetched once
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    tasks = {page: asyncio.ensure_future(fetch(page)) for page in pages}
    if tasks:
        await asyncio.wait(tasks.values())
    return [tasks[page].result() for page in pages]

# %% overlap-1 right: a TaskGroup
import asyncio


async def fetch_all(fetch, pages):
    async with asyncio.TaskGroup() as crew:
        jobs = [crew.create_task(fetch(page)) for page in pages]
    return [job.result() for job in jobs]

# %% overlap-1 right: each text put into its place
import asyncio
from functools import partial


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    places = [None] * len(pages)

    async def fill(places, number, page):
        places[number] = await fetch(page)

    into = partial(fill, places)
    await asyncio.gather(*(into(number, page) for number, page in enumerate(pages)))
    return places

# %% blocker-1 wrong: the await
# cause: takes the line that awaits for the one that blocks
# line: line
line = 12

# %% blocker-1 wrong: an asyncio.sleep
# cause: takes a sleep of asyncio, which lets the others run, for the blocker
# line: line
line = 11

# %% script-1 wrong: main is not called
# cause: asyncio.run is handed the function and not the coroutine
# line: return asyncio.run(main)
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    return asyncio.run(main)

# %% script-1 wrong: the result is not returned
# cause: what main returned is thrown away
# line: asyncio.run(main())
import asyncio


def start(main):
    asyncio.run(main())

# %% script-1 wrong: a coroutine function
# cause: start is async, so calling it runs nothing; it should be a plain function
# line: async def start(main):
import asyncio


async def start(main):
    """Run `main` to its end and return its result."""
    return await main()

# %% script-1 wrong: only results that count as true
# cause: a result such as 0 or an empty list is turned into None
# line: if result:
import asyncio


def start(main):
    result = asyncio.run(main())
    if result:
        return result

# %% script-1 wrong: one loop for all
# cause: the loop is made once and closed after the first script
# line: kept["loop"].close() | if "loop" not in kept: | kept = {}
import asyncio

kept = {}


def start(main):
    """Run `main` to its end and return its result."""
    if "loop" not in kept:
        kept["loop"] = asyncio.new_event_loop()
    try:
        return kept["loop"].run_until_complete(main())
    finally:
        kept["loop"].close()

# %% script-1 wrong: sends until it has ended
# cause: it drives the coroutine by hand, and nothing wakes the sleep: there is no event loop
# line: coroutine.send(None)
def start(main):
    coroutine = main()
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value

# %% script-1 wrong: an error becomes None
# cause: an error in main is caught and lost
# line: except Exception:
import asyncio


def start(main):
    try:
        return asyncio.run(main())
    except Exception:
        return None

# %% script-1 wrong: the result as text
# cause: what main returned is turned into a string
# line: str(
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    return str(asyncio.run(main()))

# %% script-1 right: a Runner
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    with asyncio.Runner() as runner:
        return runner.run(main())

# %% script-1 right: a lambda
import asyncio

start = lambda main: asyncio.run(main())  # noqa: E731

# %% await-1 wrong: asks twice, once more
# cause: ask() is called and awaited twice, once for the test and once for the greeting; it must ask only once
# line: return f"Hello, {await ask()}!" | if await ask():
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    if await ask():
        return f"Hello, {await ask()}!"
    return "Hello!"

# %% await-1 wrong: waits one second, then takes the result
# cause: it sleeps a second in place of awaiting the task, and hopes that the answer is there by then; if ask takes a bit longer, result() raises InvalidStateError
# line: await asyncio.sleep(1) | task.result()
import asyncio


async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    task = asyncio.create_task(ask())
    await asyncio.sleep(1)  # it takes a second
    return f"Hello, {task.result()}!"

# %% await-1 right: delegates by the awaitable protocol
class Greeting:
    def __init__(self, ask):
        self.ask = ask

    def __await__(self):
        name = yield from self.ask().__await__()
        return "Hello, {}!".format(name)


async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    return await Greeting(ask)

# %% overlap-1 wrong: asyncio.wait on an empty list
# cause: asyncio.wait raises ValueError when it is given no tasks at all; for no pages the answer is an empty list
# line: await asyncio.wait(tasks)
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    tasks = [asyncio.create_task(fetch(page)) for page in pages]
    await asyncio.wait(tasks)
    return [task.result() for task in tasks]

# %% overlap-1 wrong: texts in the order in which they arrive
# cause: each fetch appends its text when it is done, so the list is in order of arrival and not in the order of pages
# line: texts.append(await fetch(page))
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = []

    async def fetch_one(page):
        texts.append(await fetch(page))

    async with asyncio.TaskGroup() as group:
        for page in pages:
            group.create_task(fetch_one(page))
    return texts

# %% overlap-1 right: callbacks and a future
import asyncio
from functools import partial


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    loop = asyncio.get_running_loop()
    all_here = loop.create_future()
    texts = [None] * len(pages)
    missing = len(pages)

    def arrived(index, task):
        nonlocal missing
        texts[index] = task.result()
        missing -= 1
        if not missing and not all_here.done():
            all_here.set_result(texts)

    tasks = []
    for index, page in enumerate(pages):
        task = asyncio.ensure_future(fetch(page))
        task.add_done_callback(partial(arrived, index))
        tasks.append(task)
    if not tasks:
        return texts
    return await all_here

# %% script-1 wrong: runs in a thread, and the error stays there
# cause: an error of main ends the thread and is only printed there; what comes out of start is an IndexError because the list is empty
# line: thread.join() | return results[0] | target=lambda: results.append(asyncio.run(main()))
import asyncio
from threading import Thread


def start(main):
    """Run `main` to its end and return its result."""
    results = []
    thread = Thread(target=lambda: results.append(asyncio.run(main())))
    thread.start()
    thread.join()
    return results[0]

# %% script-1 wrong: the loop is closed only if all went well
# cause: if main raises an error, loop.close() is skipped and the loop leaks; it needs a finally, or simply asyncio.run
# line: loop.close()
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    loop = asyncio.new_event_loop()
    result = loop.run_until_complete(main())
    loop.close()
    return result

# %% script-1 right: with a Runner
import asyncio
from contextlib import ExitStack


def start(main):
    """Run `main` to its end and return its result."""
    with ExitStack() as stack:
        run = stack.enter_context(asyncio.Runner()).run
        return run(main())

# %% overlap-1 wrong: through a set of pairs kept by page
# cause: the pages are made keys of a dict, so a page that is asked for twice comes once
# line: texts = {page: asyncio.create_task(fetch(page)) for page in pages} | for task in texts.values()
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = {page: asyncio.create_task(fetch(page)) for page in pages}
    return [await task for task in texts.values()]

# %% overlap-1 wrong: as they complete
# cause: as_completed gives the texts in the order in which they come
# line: asyncio.as_completed
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    tasks = [asyncio.create_task(fetch(page)) for page in pages]
    texts = []
    for done in asyncio.as_completed(tasks):
        texts.append(await done)
    return texts

# %% overlap-1 wrong: a group for each page
# cause: each group is waited for before the next task starts, so the fetches come one after another
# line: async with asyncio.TaskGroup() as group:
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    texts = []
    for page in pages:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(fetch(page))
        texts.append(task.result())
    return texts

# %% overlap-1 wrong: five at a time
# cause: a semaphore of five that nobody asked for: of more pages not all are fetched at once
# line: asyncio.Semaphore(5) | async with gate
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    gate = asyncio.Semaphore(5)

    async def one(page):
        async with gate:
            return await fetch(page)

    return await asyncio.gather(*map(one, pages))

# %% await-1 wrong: asks a second time for the text
# cause: ask is called and awaited twice, the statement says once
# line: return f"Hello, {await ask()}!" | if await ask():
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    if await ask():
        return f"Hello, {await ask()}!"
    return "Hello, !"

# %% await-1 wrong: greets only Ada
# cause: the name in the example is taken as a condition; anybody else gets None
# line: if name == "Ada": | return "Hello, Ada!" | none
async def greet(ask):
    name = await ask()
    if name == "Ada":
        return "Hello, Ada!"

# %% await-1 wrong: asyncio.run inside the coroutine function
# cause: asyncio.run is called while a loop is running in this thread; it should be await
# line: asyncio.run(ask())
import asyncio


async def greet(ask) -> str:
    """Ask once, and return a greeting to whoever it is."""
    name: str = asyncio.run(ask())
    return "Hello, " + name + "!"

# %% await-1 right: by a task and format
import asyncio


async def greet(ask):
    asking = asyncio.ensure_future(ask())
    return "Hello, {}!".format(await asking)

# %% await-1 right: unpacks what gather gives
from asyncio import gather


async def greet(ask):
    (name,) = await gather(ask())
    return f"Hello, {name}!"

# %% order-1 wrong: the call runs the body
# cause: takes the call hello() for running it; the body runs at the await
# line: order = ["one", "hello", "two", "three"] | none
order = ["one", "hello", "two", "three"]

# %% total-1 wrong: the sum of the sleeps
# cause: adds the sleeps up although gather overlaps them
# line: seconds = 6 | none
seconds = 6

# %% total-2 wrong: everything added up
# cause: adds the two sleeps inside gather up instead of taking the longer one
# line: total = 7 | none
total = 7

# %% overlap-1 wrong: each task awaited as soon as it is made
# cause: a task is awaited before the next one is made, so the fetches run one after another
# line: [await asyncio.create_task(fetch(page)) for page in pages]
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    return [await asyncio.create_task(fetch(page)) for page in pages]

# %% overlap-1 wrong: the texts as they come in
# cause: as_completed gives the texts in the order in which the fetches end
# line: for arrived in asyncio.as_completed(running): | texts.append(await arrived)
import asyncio


async def fetch_all(fetch, pages):
    running = []
    for page in pages:
        running.append(asyncio.create_task(fetch(page)))

    texts = []
    for arrived in asyncio.as_completed(running):
        texts.append(await arrived)
    return texts

# %% overlap-1 wrong: a page named twice comes once
# cause: the tasks are kept in a dict by page, so a page that is twice in the list has one text only
# line: tasks = {page: group.create_task(fetch(page)) for page in pages} | tasks.values()
import asyncio


async def fetch_all(fetch, pages: list) -> list:
    async with asyncio.TaskGroup() as group:
        tasks = {page: group.create_task(fetch(page)) for page in pages}
    return [task.result() for task in tasks.values()]

# %% overlap-1 right: each coroutine writes to its place in the list
import asyncio


async def fetch_all(fetch, pages):
    texts = [None] * len(pages)

    async def put(place, page):
        texts[place] = await fetch(page)

    async with asyncio.TaskGroup() as group:
        for place, page in enumerate(pages):
            group.create_task(put(place, page))
    return texts

# %% overlap-1 right: all tasks first, then awaited in order
import asyncio


async def fetch_all(fetch, pages):
    started = list(map(asyncio.create_task, map(fetch, pages)))
    return [await task for task in started]

# %% blocker-1 wrong: the await of the blocking coroutine
# cause: names the line that awaits read_sensor, not the time.sleep in it
# line: line = 12 | none
line = 12

# %% script-1 wrong: the loop stays open after an error
# cause: loop.close() is skipped if main raises, because there is no finally
# line: loop.close() | result = loop.run_until_complete(main()) | none
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    loop = asyncio.new_event_loop()
    result = loop.run_until_complete(main())
    loop.close()
    return result

# %% script-1 wrong: runs main and drops its result
# cause: what asyncio.run returns is not returned
# line: asyncio.run(main()) | none
import asyncio


def start(main):
    asyncio.run(main())

# %% script-1 wrong: prints the error
# cause: the error of main is caught and printed, so start does not raise it
# line: except Exception as error: | print("main failed:", error)
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    with asyncio.Runner() as runner:
        try:
            return runner.run(main())
        except Exception as error:
            print("main failed:", error)

# %% script-1 right: by a Runner
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    with asyncio.Runner() as script:
        return script.run(main())

# %% script-1 right: a coroutine around it hands the result out
import asyncio


def start(main):
    box = []

    async def whole_script():
        box.append(await main())

    asyncio.run(whole_script())
    return box.pop()

# %% await-1 wrong: forgets to await
# cause: ask() is called but not awaited, so the greeting holds a coroutine object instead of the name
# line: name = ask()
async def greet(ask):
    name = ask()
    return f"Hello, {name}!"

# %% await-1 wrong: asks once to test and once to greet
# cause: ask is called and awaited twice, though it should ask once
# line: if await ask(): | {await ask()}
async def greet(ask):
    if await ask():
        return f"Hello, {await ask()}!"
    return "Hello, !"

# %% await-1 right: with a future and format
import asyncio


async def greet(ask):
    asking = asyncio.ensure_future(ask())
    await asyncio.wait([asking])
    return "Hello, {}!".format(asking.result())

# %% overlap-1 wrong: the order of completion
# cause: as_completed gives the texts in the order in which the fetches end, not in the order of pages
# line: asyncio.as_completed
import asyncio


async def fetch_all(fetch, pages):
    texts = []
    for done in asyncio.as_completed([fetch(page) for page in pages]):
        texts.append(await done)
    return texts

# %% overlap-1 wrong: a task awaited as soon as it is made
# cause: each task is awaited before the next one is created, so the fetches run one by one
# line: texts.append(await task)
import asyncio


async def fetch_all(fetch, pages):
    texts = []
    for page in pages:
        task = asyncio.create_task(fetch(page))
        texts.append(await task)
    return texts

# %% overlap-1 right: slots filled by index
import asyncio


async def fetch_all(fetch, pages):
    texts = [None] * len(pages)

    async def fill(index):
        texts[index] = await fetch(pages[index])

    async with asyncio.TaskGroup() as group:
        for index in range(len(pages)):
            group.create_task(fill(index))
    return texts

# %% script-1 wrong: the loop stays open after an error, again
# cause: the loop is closed only if main succeeds, because the close is not in a finally
# line: result = loop.run_until_complete(main()) | loop.close()
import asyncio


def start(main):
    loop = asyncio.new_event_loop()
    result = loop.run_until_complete(main())
    loop.close()
    return result

# %% script-1 wrong: the result is dropped
# cause: what asyncio.run returns is not returned, so start always returns None
# line: asyncio.run(main())
import asyncio


def start(main):
    asyncio.run(main())

# %% script-1 right: with a runner
import asyncio


def start(main):
    with asyncio.Runner() as runner:
        return runner.run(main())

# %% await-1 wrong: greets nobody but Ada
# cause: Ada is only an example; for any other name it returns None
# line: if name == "Ada":
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    name = await ask()
    if name == "Ada":
        return "Hello, Ada!"

# %% overlap-1 wrong: gather returned without await
# cause: gather is not awaited, so the caller gets a pending future in place of the list of texts.
# line: return asyncio.gather(
import asyncio


async def fetch_all(fetch, pages):
    return asyncio.gather(*(fetch(page) for page in pages))

# %% script-1 wrong: result of main is dropped
# cause: The result of runner.run is not returned, so start always returns None.
# line: runner.run(main())
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    with asyncio.Runner() as runner:
        runner.run(main())

# %% await-1 wrong: greets the finished task itself
# cause: asyncio.wait gives back a set of tasks, not results, so the greeting shows the repr of a Task instead of the name.
# line: name = done.pop() | return f"Hello, {name}!"
import asyncio


async def greet(ask):
    asking = asyncio.create_task(ask())
    done, pending = await asyncio.wait({asking})
    name = done.pop()
    return f"Hello, {name}!"

# %% await-1 wrong: sleeps a second, reads task result
# cause: It sleeps for as long as the task should take rather than awaiting it, so the task isn't done yet when `result()` is called, which raises InvalidStateError.
# line: await asyncio.sleep(1) | task.result()
import asyncio


async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    task = asyncio.create_task(ask())
    await asyncio.sleep(1)
    return f"Hello, {task.result()}!"

# %% script-1 wrong: function passed instead of coroutine
# cause: `asyncio.run` is given the coroutine function and not the coroutine that calling it makes, so it raises an error and never runs `main`.
# line: return asyncio.run(main)
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    return asyncio.run(main)

# %% script-1 wrong: the task group wraps the error
# cause: `main` runs in a TaskGroup, so when it raises an error `start` raises an ExceptionGroup and not that error.
# line: async with asyncio.TaskGroup() as tg: | task = tg.create_task(main())
import asyncio


def start(main):
    """Run `main` to its end and return its result."""

    async def supervise():
        async with asyncio.TaskGroup() as tg:
            task = tg.create_task(main())
        return task.result()

    return asyncio.run(supervise())

# %% await-1 right: match on the awaited name
async def greet(ask):
    match await ask():
        case name:
            return "".join(("Hello, ", str(name), "!"))

# %% overlap-1 right: done callbacks and one event
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    all_in = asyncio.Event()
    missing = set()

    def arrived(task):
        missing.discard(task)
        if not missing:
            all_in.set()

    tasks = [asyncio.ensure_future(fetch(page)) for page in pages]
    if not tasks:
        return []
    missing.update(tasks)
    for task in tasks:
        task.add_done_callback(arrived)
    try:
        await all_in.wait()
    except asyncio.CancelledError:
        left = list(missing)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        raise
    return [task.result() for task in tasks]

# %% script-1 right: a loop by hand, ExitStack
import asyncio
import contextlib


async def _sweep():
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def start(main):
    loop = asyncio.new_event_loop()
    with contextlib.ExitStack() as last_things:
        # These run in reverse order: close() comes last.
        last_things.callback(loop.close)
        for farewell in (loop.shutdown_default_executor, loop.shutdown_asyncgens, _sweep):
            last_things.callback(lambda f=farewell: loop.run_until_complete(f()))
        return loop.run_until_complete(main())

# %% overlap-1 wrong: coroutines made first, awaited in turn
# cause: Making the coroutines starts nothing; each fetch begins only when the loop awaits it, one after the other.
# line: texts.append(await promise) | promises = [fetch(page) for page in pages]
import asyncio


async def fetch_all(fetch, pages):
    """Return the texts of `pages`, in order, all fetched at once."""
    promises = [fetch(page) for page in pages]
    texts = []
    for promise in promises:
        texts.append(await promise)
    return texts

# %% await-1 wrong: time limit of half a second
# cause: ask takes a second by itself, so the limit of half a second always runs out and greet raises TimeoutError instead of greeting.
# line: asyncio.wait_for(ask(), timeout=0.5)
import asyncio


async def greet(ask):
    name = await asyncio.wait_for(ask(), timeout=0.5)
    return f"Hello, {name}!"

# %% overlap-1 wrong: results from the done set
# cause: asyncio.wait gives the finished tasks as a set, so the texts do not come in the order of pages.
# line: for task in done | asyncio.wait(futures)
import asyncio


async def fetch_all(fetch, pages):
    if not pages:
        return []
    futures = [asyncio.ensure_future(fetch(page)) for page in pages]
    done, _ = await asyncio.wait(futures)
    return [task.result() for task in done]

# %% await-1 right: awaitable class with yield from
class _Greeting:
    def __init__(self, ask):
        self._ask = ask

    def __await__(self):
        name = yield from self._ask().__await__()
        return f"Hello, {name}!"


async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    return await _Greeting(ask)

# %% await-1 wrong: every error and every cancellation becomes a greeting
# cause: the handler catches BaseException, so a cancellation during `ask` ends in a greeting
# line: except BaseException:
async def greet(ask):
    """Ask once, and return a greeting to whoever it is."""
    try:
        name = await ask()
    except BaseException:
        name = "stranger"
    return f"Hello, {name}!"

# %% overlap-1 right: done callbacks and one future
import asyncio
from functools import partial


async def fetch_all(fetch, pages):
    texts = [None] * len(pages)
    if not texts:
        return texts
    complete = asyncio.get_running_loop().create_future()
    missing = len(texts)

    def landed(place, task):
        nonlocal missing
        if complete.done() or task.cancelled():
            return
        if (error := task.exception()) is not None:
            complete.set_exception(error)
            return
        texts[place] = task.result()
        missing -= 1
        if not missing:
            complete.set_result(texts)

    flights = []
    for place, page in enumerate(pages):
        flight = asyncio.create_task(fetch(page))
        flight.add_done_callback(partial(landed, place))
        flights.append(flight)
    try:
        return await complete
    finally:
        for flight in flights:
            flight.cancel()

# %% script-1 right: own loop, tidied by ExitStack
import asyncio
from contextlib import ExitStack


def _cancel_rest(loop):
    rest = asyncio.all_tasks(loop)
    for task in rest:
        task.cancel()
    if rest:
        loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))


def start(main):
    """Run `main` to its end and return its result."""
    with ExitStack() as tidy:
        loop = asyncio.new_event_loop()
        # the last one in is the first one to run
        tidy.callback(loop.close)
        tidy.callback(asyncio.set_event_loop, None)
        tidy.callback(lambda: loop.run_until_complete(loop.shutdown_default_executor()))
        tidy.callback(lambda: loop.run_until_complete(loop.shutdown_asyncgens()))
        tidy.callback(_cancel_rest, loop)
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(main())

# %% script-1 wrong: the loop stays open after SystemExit
# cause: only an Exception closes the loop; after SystemExit or KeyboardInterrupt it is left open
# line: except Exception: | loop.close()
import asyncio


def start(main):
    """Run `main` to its end and return its result."""
    loop = asyncio.new_event_loop()
    try:
        result = loop.run_until_complete(main())
    except Exception:
        loop.close()
        raise
    loop.close()
    return result

# %% script-1 wrong: a returned exception is raised
# cause: errors travel as results, so an exception that main returns (not raises) is raised
# line: if isinstance(result, Exception): | return error | raise result
import asyncio


async def outcome(main):
    """Return the result of `main`, or its error."""
    try:
        return await main()
    except Exception as error:
        return error


def start(main):
    """Run `main` to its end and return its result."""
    result = asyncio.run(outcome(main))
    if isinstance(result, Exception):
        raise result
    return result

# %% overlap-1 right: the last page first
import asyncio


async def fetch_all(fetch, pages):
    return (await asyncio.gather(*map(fetch, reversed(pages))))[::-1]
