"""Long, for those who share a load can hurt one another in many ways."""

import ast
import asyncio
import functools
import inspect

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import as_coroutine, ended, made_per_call, now, outcome


def _begun_in_vain(lab):
    """Line that hands a new load to a `setdefault` or a `get`, which may have no need of it."""
    lines = (
        lab.call_of("setdefault", "*.get", given=starting)
        for starting in ("create_task", "ensure_future", "load")
    )
    return lab.earliest(*lines)


def _stored(lab):
    """The one line that puts what was started under a key, or None."""
    stores = {
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    }
    return stores.pop() if len(stores) == 1 else None


def _made_anew(lab):
    """Line of an `async def` that makes a dict, so anew in each call of it; None if none does."""
    lines = (
        node.lineno
        for function in lab.nodes()
        if isinstance(function, ast.AsyncFunctionDef)
        for node in function.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and not node.value.keys
    )
    return next(lines, None)


class OncePerKey(Exercise):
    """Load each page once

    Write `once_per_key(load)`, a plain function. `load(key)` is a coroutine function that takes a
    while. It returns a coroutine function `get(key)`, which returns what `load(key)` returned, and:

    - each key is loaded once, even if many tasks ask for it at the same time;
    - different keys are loaded at the same time;
    - if a load fails, its error comes out; a task that asks for that key later has it loaded
      again, once for all that ask;
    - a task that is cancelled while it waits takes nothing from the others: those that asked with
      it, or ask later, get the page. For that it may be loaded anew.
    """

    id = "once-per-key-1"
    asks = "once_per_key"
    minutes = 10
    hints = (
        'Between the check "is it there?" and the note "it is there" no `await` may stand.',
        "Keep something in the dict that can be awaited by many while the page is not there yet.",
        "A task for each load. All wait for the same one, by `await asyncio.wait([task])`, so that "
        "a cancelled caller doesn't cancel it, and then take `task.result()`. If the load fails, "
        "the task itself takes its key out of the dict: a caller that waited may wake late, when "
        "the next task is already there.",
    )

    equivalent = {
        "with_a_task: narrower except, line 11": "nobody cancels the task of a load",
        "whoever_finds_it_failed: wider except, line 13": "the page may be loaded anew",
        "with_a_callback: falsy for None, line 9": "an error is never falsy",
        "with_wait: falsy for None, line 12": "an error is never falsy",
    }

    def verify(self, once_per_key, lab):
        lab.run(self._scenes(once_per_key, lab))

    async def _scenes(self, once_per_key, lab):
        lab.told('and asked for "a" three times at once')
        load = lab.service(1, name="load")
        get = self._made(once_per_key, load, lab)
        pages = await asyncio.gather(*(as_coroutine(get("a")) for _ in range(3)))
        if None in pages:
            raise Wrong(
                "value",
                f"The three got {pages}.",
                lab.earliest(lab.literal(None), lab.call_of("load")),
                "A task that finds the page being loaded has to wait for it too. Keep "
                "something in the dict that can be awaited.",
            )
        lab.equal(pages, ["page a"] * 3, what="the three got")
        self._loaded(
            lab,
            load,
            1,
            "Each call must find what another one has begun. Before "
            "anything is awaited, keep the task of the load in a dict that all calls "
            "share, and let all await that.",
        )

        lab.told('and asked for "a" again, when it was there')
        lab.equal(await get("a"), "page a")
        self._loaded(
            lab,
            load,
            1,
            "What was loaded once is kept: take it out only if the load failed.",
            lab.earliest(lab.deleting(), lab.call_of("pop", "popitem", "clear")),
        )

        lab.told('and asked for "a", "b" and "c" at once, each twice')
        load = lab.service(1, name="load")
        get, begin = self._made(once_per_key, load, lab), now()
        pages = await asyncio.gather(*(as_coroutine(get(key)) for key in "abcabc"))
        lab.equal(pages, [f"page {key}" for key in "abcabc"], what="they got")
        self._loaded(lab, load, 3, "Keep the task of each load under its key.")
        if now() - begin > 1.001:
            raise Wrong(
                "lock too wide",
                f"It took {now() - begin:g} s. Each load takes 1 s, and different keys do "
                "not wait for each other.",
                lab.earliest(lab.call_of("Lock", "*Semaphore"), lab.await_of()),
                "Other keys need no protection. Keep a task, or a lock, for each key.",
                headline="one lock for all keys",
            )

        lab.told('and asked for "a", whose first load failed, and then again')
        errors = {"a": OSError("no page a")}
        load = lab.service(1, errors=errors, name="load")
        get = self._made(once_per_key, load, lab)
        try:
            page = await get("a")
        except OSError:
            pass
        else:
            observed = f"The first `get` returned {page!r}; the OSError of `load` had to come out."
            if kept := lab.kept_default() or lab.text.kept_outside():
                raise Wrong(
                    "shared state",
                    f"{observed} That page came from another `load`, of an earlier call.",
                    kept,
                    "Make what it keeps inside `once_per_key`, a new one for each call.",
                )
            raise Wrong("lost error", observed, lab.keeping(OSError))
        await asyncio.sleep(0.5)
        del errors["a"]
        try:
            page = await get("a")
        except (OSError, KeyError) as error:
            cached = lab.use_of("cache", "lru_cache")
            raise Wrong(
                "error for a result",
                f"The second `get` raised {error!r}, and `load` was "
                f"called {len(load.started)} time{'s' * (len(load.started) > 1)}.",
                cached
                or _stored(lab)
                or lab.earliest(lab.call_of("create_task", "ensure_future"), lab.await_of()),
                f"A load that failed must not stay in the {'cache' if cached else 'dict'}.",
                headline="kept the failure",
            ) from None
        lab.equal(page, "page a", what="the second `get` returned")

        lab.told('and asked for "a" twice at once, and the load failed')
        load = lab.service(1, errors={"a": OSError("no page a")}, name="load")
        get = self._made(once_per_key, load, lab)
        pages = await asyncio.gather(
            *(as_coroutine(get("a")) for _ in range(2)), return_exceptions=True
        )
        odd = [page for page in pages if not isinstance(page, OSError)]
        if odd:
            raise Wrong(
                "lost error",
                f"One of the two got {odd[0]!r}, and not the OSError of `load`.",
                lab.earliest(lab.deleting(), lab.call_of("pop")) or lab.handler(),
                "All that wait for a load get its error. And the second one to take it "
                "out of the dict finds it gone, or finds the next task there: take it out only "
                "if it is still what stands under its key.",
            )
        await self._asked_again(once_per_key, lab)
        await self._cancelled_among_others(once_per_key, lab)
        await self._cancelled_alone(once_per_key, lab)

    async def _asked_again(self, once_per_key, lab):
        lab.told('and three tasks asked for "a", whose first load failed, and each asked again')
        errors = {"a": OSError("no page a")}
        load = lab.service(1, errors=errors, name="load")
        get = self._made(once_per_key, load, lab)

        async def persistent():
            try:
                return await get("a")
            except OSError:
                errors.clear()
                return await get("a")

        pages = await asyncio.gather(*(persistent() for _ in range(3)))
        lab.equal(pages, ["page a"] * 3, what="the three got")
        if len(load.started) > 2:
            raise Wrong(
                "done twice",
                f"`load` was called {len(load.started)} times, {load.peak} of them at the same "
                "time. 2 calls are enough.",
                lab.earliest(lab.deleting(), lab.call_of("pop")),
                "A task that wakes late takes out what another one has begun meanwhile. Take out "
                "what failed only if it is still what stands under its key.",
                headline="loaded more than once",
            )

    async def _cancelled_among_others(self, once_per_key, lab):
        lab.told('and asked for "a" twice at once, and cancelled the first of the two')
        get = self._made(once_per_key, lab.service(1, name="load"), lab)
        first, second = (asyncio.create_task(as_coroutine(get("a"))) for _ in range(2))
        await asyncio.sleep(0.25)
        waited = lab.steps_of(first)
        first.cancel()
        await asyncio.wait([first, second], timeout=60)
        if not second.done():
            waits = lab.where(second)
            second.cancel()
            self._left_waiting(lab, "The second one", waited, waits)
        if not first.cancelled():
            raise Wrong("swallowed", "It went on.", lab.text.swallowing_handler())
        if second.cancelled():
            self._one_for_all("The second one got the CancelledError of the first.", waited[-1])
        lab.equal(await second, "page a", what="the second one got")

    async def _cancelled_alone(self, once_per_key, lab):
        lab.told('and asked for "a", cancelled that, and asked again')
        get = self._made(once_per_key, lab.service(1, name="load"), lab)
        first = asyncio.create_task(as_coroutine(get("a")))
        await asyncio.sleep(0.25)
        waited = lab.steps_of(first)
        first.cancel()
        await asyncio.wait([first])
        again = asyncio.create_task(as_coroutine(get("a")))
        await asyncio.wait([again], timeout=60)
        if not again.done():
            waits = lab.where(again)
            again.cancel()
            self._left_waiting(lab, "Who asked again", waited, waits)
        if again.cancelled():
            self._one_for_all("Who asked again got the CancelledError of the first.", waited[-1])
        page = again.result()
        lab.equal(page, "page a", what="who asked again got")

    def _left_waiting(self, lab, who, met, waits):
        """met: where the first one waited when it was cancelled, outermost first; waits: where the
        other one waits.
        """
        lines = [line for filename, line in met if filename == lab.text.main]
        passed = lab.text.narrow_handler(lines, asyncio.CancelledError)
        raise Wrong(
            "deadlock",
            f"{who} still waits, 60 s later, for what the first one was to load.",
            passed or waits,
            "A CancelledError is no `Exception`: it passes by, and whoever waits for the page "
            "never hears of it."
            if passed
            else "If it is cancelled on the way, somebody else has to load the page.",
            headline="left the others waiting",
            at="doesn't catch a cancellation" if passed else "",
        )

    def _one_for_all(self, observed, waited):
        raise Wrong(
            "cancel passed on",
            observed,
            waited,
            "If a caller that awaits the shared task is cancelled, so is that task. "
            "`await asyncio.wait([task])` leaves it alone, and so does `asyncio.shield(task)`.",
            headline="one cancelled all",
        )

    def _made(self, once_per_key, load, lab):
        get = once_per_key(load)
        if inspect.iscoroutine(get):
            get.close()
            raise Wrong(
                "async for plain",
                "It returned a coroutine.",
                lab.coroutine_function("once_per_key"),
                "`once_per_key` itself waits for nothing: `def once_per_key`. What it "
                "returns is `async def`.",
                headline="not a plain function",
            )
        if not callable(get):
            raise Wrong(
                "value",
                f"It returned {get!r}; the exercise asks for a coroutine function.",
                try_="Define a function inside, and return it without calling it.",
            )
        return get

    def _loaded(self, lab, load, times, try_, line=None):
        if len(load.started) > times:
            observed = (
                f"`load` was called {len(load.started)} times: "
                f"{', '.join(map(repr, load.started))}. {times} "
                f"{'calls are' if times > 1 else 'call is'} enough."
            )
            if made := made_per_call(lab):
                raise Wrong(
                    "lock per call",
                    observed,
                    made,
                    "A lock keeps out only those who ask for the same lock. Keep one for each "
                    "key, where all calls find it; or keep the task that loads, and no lock is "
                    "needed.",
                )
            if lab.await_of("load") and lab.call_of("Lock", "*Semaphore"):
                try_ = "Who has waited for the lock must look again: the page may be there by then."
            if not line and (line := _begun_in_vain(lab)):
                try_ = (
                    "Python computes an argument before the call, whether it is needed or not. Ask "
                    "first if the key is there, and only then begin a load."
                )
            line = (
                line
                or _made_anew(lab)
                or lab.call_of("create_task", "ensure_future")
                or lab.call_of("load")
            )
            raise Wrong("done twice", observed, line, try_, headline="loaded more than once")

    @sweep(
        lambda some: {
            "keys": some.lists(some.sampled_from(["", "a", 0, None]), max_size=5),
            "pages": some.fixed_dictionaries(
                {key: some.sampled_from([None, 0, "", "page"]) for key in ("", "a", 0, None)}
            ),
            "waits": some.permutations((1, 2, 3)),
        },
        besides=[{"keys": [*range(130)], "pages": dict.fromkeys(range(130)), "waits": (1, 1, 1)}],
        most=14,
    )
    def any_keys(self, once_per_key, lab, keys, pages, waits):
        shown = keys if len(keys) < 9 else f"{len(keys)} different keys"
        lab.told(
            f"twice, and asked each of the two for {shown} at once, and after 9 s once more; the "
            f"pages are {({key: pages[key] for key in keys}) if len(keys) < 9 else 'all None'}"
        )
        waits = {key: waits[number % 3] for number, key in enumerate(pages)}
        loads = [lab.service(waits, pages, name="load") for _ in range(2)]
        gets = [once_per_key(load) for load in loads]

        async def twice():
            asks = [(get, key) for get in gets for key in (keys if get is gets[0] else keys[:5])]
            first = await asyncio.gather(*(get(key) for get, key in asks))
            await asyncio.sleep(9)
            return first, await asyncio.gather(*(get(key) for get, key in asks))

        run = lab.run(twice())
        if run.error:
            raise run.error
        return {"they got": run.result, "": lab.seen(run, *loads, without=("result", "seconds"))}

    @sweep(
        lambda some: {"keys": some.lists(some.sampled_from("ab"), min_size=1, max_size=4)},
        most=6,
        fails=(OSError, ConnectionError, LookupError, ...),
    )
    def one_after_another(self, once_per_key, lab, keys):
        lab.told(f"and asked for {keys}, one after another")
        load = lab.service(1, name="load")
        get = once_per_key(load)

        async def ask():
            return [await outcome(get(key)) for key in keys]

        run = lab.run(ask())
        if run.error:
            raise run.error
        return {"they got": run.result, "": lab.seen(run, load, without=("result",))}

    @sweep(
        lambda some: {
            "askers": some.integers(1, 3),
            "number": some.integers(0, 2),
            "after": some.sampled_from([0.5, "end"]),
            "page": some.sampled_from(["page", None]),
        },
        most=10,
    )
    def one_is_cancelled(self, once_per_key, lab, askers, number, after, page):
        number = min(number, askers - 1)
        when = f"after {after} s" if after != "end" else "in the moment in which `load` returned"
        lab.told(
            f'and asked for "a" {("once", "twice at once", "three times at once")[askers - 1]}, '
            f"and again 4 s later; number {number + 1} was cancelled {when}; the page is {page!r}"
        )
        service, ends = lab.service(1, {"a": page}, name="load"), []

        async def load(key):
            got = await service(key)
            while ends:
                asyncio.get_running_loop().call_soon(ends.pop())
            return got

        get = once_per_key(load)

        async def ask():
            tasks = [asyncio.create_task(as_coroutine(get("a"))) for _ in range(askers)]
            if after == "end":
                ends.append(tasks[number].cancel)
            else:
                asyncio.get_running_loop().call_later(after, tasks[number].cancel)
            came = await ended(tasks)
            if after == "end":
                del came[number]  # who loads himself has his page by then
            await asyncio.sleep(4)
            return [*came, await get("a")]

        run = lab.run(ask())
        if run.error:
            raise run.error
        return {"they got": run.result}

    @right
    def with_a_task(load):
        """Return a function that gives what `load` gives, and loads each key once."""
        tasks = {}

        async def load_once(key):
            try:
                return await load(key)
            except BaseException:
                del tasks[key]  # its own entry: nobody begins another one while it stands
                raise

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load_once(key))
            # Who is cancelled here must not cancel what the others wait for.
            return await asyncio.shield(tasks[key])

        return get

    @right
    def whoever_finds_it_failed(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            task = tasks[key]
            try:
                return await asyncio.shield(task)
            except Exception:
                if tasks.get(key) is task:  # not the one that somebody began since
                    del tasks[key]
                raise

        return get

    @right
    def with_wait(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            task = tasks[key]
            await asyncio.wait([task])  # who is cancelled here leaves the task as it is
            if task.exception() is not None and tasks.get(key) is task:
                del tasks[key]
            return task.result()

        return get

    @right
    def with_a_lock_per_key(load):
        pages, locks = {}, {}

        async def get(key):
            async with locks.setdefault(key, asyncio.Lock()):
                if key not in pages:
                    pages[key] = await load(key)
                return pages[key]

        return get

    @right
    def with_a_callback(load):
        tasks = {}

        def forget_failure(key, task):
            if task.cancelled() or task.exception() is not None:
                del tasks[key]

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
                tasks[key].add_done_callback(functools.partial(forget_failure, key))
            return await asyncio.shield(tasks[key])

        return get

    late_ones_take_it_out = whoever_finds_it_failed.but(
        "if tasks.get(key) is task:  # not the one that somebody began since\n    del tasks[key]",
        "tasks.pop(key, None)",
        kind="done twice",
        says="3 of them at the same time",
    )

    cancelled_for_all = whoever_finds_it_failed.but(
        "asyncio.shield(task)",
        "task",
        kind="cancel passed on",
        says="The second one got the CancelledError of the first",
    )

    @wrong("cancel passed on", says="Who asked again got")
    def keeps_what_was_cancelled(load):
        tasks, waiting = {}, {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            task = tasks[key]
            waiting[key] = waiting.get(key, 0) + 1
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                if waiting[key] == 1:
                    task.cancel()
                raise
            except Exception:
                if tasks.get(key) is task:
                    del tasks[key]
                raise
            finally:
                waiting[key] -= 1

        return get

    @wrong("done twice", says="`load` was called 3 times")
    def checks_then_acts(load):
        pages = {}

        async def get(key):
            if key not in pages:
                pages[key] = await load(key)
            return pages[key]

        return get

    one_lock = with_a_lock_per_key.but("locks = {}, {}", "lock = {}, asyncio.Lock()").but(
        "locks.setdefault(key, asyncio.Lock())",
        "lock",
        kind="lock too wide",
        says="It took 3 s",
    )

    lock_per_call = with_a_lock_per_key.but("pages, locks = {}, {}", "pages = {}").but(
        "locks.setdefault(key, asyncio.Lock())",
        "asyncio.Lock()",
        kind="lock per call",
        says="`load` was called 3 times",
    )

    @wrong("done twice", says="must look again")
    def looks_before_the_lock(load):
        pages, locks = {}, {}

        async def get(key):
            if key in pages:
                return pages[key]
            async with locks.setdefault(key, asyncio.Lock()):
                pages[key] = await load(key)
            return pages[key]

        return get

    leaves_a_note = checks_then_acts.but(
        "await", "None\npages[key] = await", kind="value", says="has to wait for it too"
    )

    @wrong("error for a result", says="must not stay in the dict")
    def keeps_failures(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            return await tasks[key]

        return get

    @wrong("done twice", says="What was loaded once is kept")
    def forgets_pages(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            try:
                return await tasks[key]
            finally:
                tasks.pop(key, None)

        return get

    @wrong("awaited twice", says="coroutine is being awaited already")
    def with_functools_cache(load):
        return functools.cache(load)

    @wrong("lost error", says="still what stands under its key")
    def deletes_twice(load):
        tasks = {}

        async def get(key):
            if key not in tasks:
                tasks[key] = asyncio.create_task(load(key))
            try:
                return await tasks[key]
            except OSError:
                del tasks[key]
                raise

        return get
