"""Long, for a kitchen can be left on in many ways."""

import ast
import asyncio
import contextlib
from contextlib import AsyncExitStack

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import LET_IT_PASS


class Appliance:
    """Something to switch on and off; notes into a list what was done."""

    def __init__(self, name, notes, fails=None):
        self.name, self.notes, self.fails = name, notes, fails

    async def on(self):
        await asyncio.sleep(1)
        if self.fails == "on":
            raise OSError(f"the {self.name} does not start")
        self.notes.append(f"{self.name} on")

    async def off(self):
        await asyncio.sleep(1)
        self.notes.append(f"{self.name} off")
        if self.fails == "off":
            raise OSError(f"the {self.name} makes trouble")

    def __repr__(self):
        return self.name


class Noted(Appliance):
    """One that fails as the name of its method says, "oven.on", with an error of any kind."""

    def __init__(self, name, notes, fails, error):
        super().__init__(name, notes)
        self.where, self.error = fails, error

    async def on(self):
        if self.where == f"{self.name}.on":
            await asyncio.sleep(1)
            raise self.error("failed")
        await super().on()

    async def off(self):
        await super().off()
        if self.where == f"{self.name}.off":
            raise self.error("failed")


class Fixture(Exercise):
    """A fixture that cleans up

    Write `kitchen(oven, fridge)`, an async generator that pytest-asyncio can use as a fixture. It
    switches on the oven, then the fridge (`await oven.on()`), yields both as a pair, and switches
    them off again, the fridge first (`await fridge.off()`).

    - It is used in two ways. pytest goes on after the `yield`, however the test ended.
      `contextlib.asynccontextmanager` raises the error of its block at the `yield`. In both,
      whatever was switched on is switched off.
    - If the fridge does not start (`on` raises), the oven is switched off.
    - If `fridge.off()` raises, the oven is switched off all the same.
    - What did not start is not switched off. Errors come out. A cancellation, at any moment, counts
      as an error.
    """

    id = "fixture-1"
    asks = "kitchen"
    minutes = 10
    hints = (
        "What runs whether or not an error passes by? And from which line on must the oven be "
        "switched off again?",
        "Each needs a `try` of its own, and the fridge's stands inside the oven's.",
        "`await oven.on()`, then `try:`, in it the same for the fridge with the `yield` inside, "
        "and the two `finally`. Or a `contextlib.AsyncExitStack` with `push_async_callback`.",
    )

    def verify(self, kitchen, lab):
        good = ["oven on", "fridge on", "test", "fridge off", "oven off"]
        for how, what in (
            (as_pytest, "as pytest does"),
            (as_context, "as `asynccontextmanager` does"),
        ):
            for fails in (None, "test"):
                told = f"I used it {what}, with a test that " + ("fails" if fails else "passes")
                self._use(lab, kitchen, how, told, good, test=fails)
        for how in (as_pytest, as_context):
            self._use(
                lab,
                kitchen,
                how,
                "I used `kitchen` with a fridge that does not start",
                ["oven on", "oven off"],
                fridge="on",
            )
            self._use(
                lab,
                kitchen,
                how,
                "I used `kitchen` with a fridge whose `off` raises",
                good,
                fridge="off",
            )
            self._use(
                lab,
                kitchen,
                how,
                "I used `kitchen` with an oven that does not start",
                [],
                oven="on",
            )

    @sweep(
        lambda some: {
            "as_pytest_does": some.booleans(),
            "fails": some.sampled_from(
                (None, "test", "test", "oven.on", "fridge.on", "fridge.off", "oven.off")
            ),
            "error": some.sampled_from((OSError, AssertionError, asyncio.CancelledError)),
        },
        cancels=True,
        most=30,
    )
    def any_failure(self, kitchen, lab, as_pytest_does, fails, error):
        notes = []
        things = Noted("oven", notes, fails, error), Noted("fridge", notes, fails, error)

        async def run_test(pair):
            notes.append("test")
            await asyncio.sleep(1)
            if fails == "test":
                raise LookupError("failed") if as_pytest_does else error("failed")

        how = as_pytest if as_pytest_does else as_context
        told = "with an oven and a fridge, " + (
            "as pytest does" if as_pytest_does else "as `asynccontextmanager` does"
        )
        if fails:
            what = "the test" if fails == "test" else f"`{fails}`"
            told += f"; {what} raises {error.__name__}"
        lab.told(told)
        run = lab.run(how(kitchen, things, run_test, lab))
        together = lab.call_of("gather", "TaskGroup")
        if together and not fails and run.error is None and run.elapsed < 5 - 0.001:
            raise Wrong(
                "order",
                f"It took {run.elapsed:g} s, the test's 1 s included, and each switch takes 1 s: "
                "two were pressed at the same time.",
                together,
                "One after the other: the oven first, then the fridge; and off in the opposite "
                "order.",
                headline="switched both at once",
            )
        return {"what happened is": notes, "": lab.seen(run)}

    def _use(self, lab, kitchen, how, told, expected, test=None, oven=None, fridge=None):
        notes = []
        things = Appliance("oven", notes, oven), Appliance("fridge", notes, fridge)

        async def run_test(pair):
            if not (isinstance(pair, (tuple, list)) and list(pair) == list(things)):
                raise Wrong(
                    "value",
                    f"It yields {pair!r}; it must be the pair (oven, fridge).",
                    lab.yielding(),
                )
            notes.append("test")
            await asyncio.sleep(1)
            if test:
                raise LookupError("the test failed")

        lab.told("with an oven and a fridge")
        caught = None
        try:
            lab.run(how(kitchen, things, run_test, lab))
        except (LookupError, OSError) as error:
            caught = error
        except RuntimeError as error:
            if "generator didn't stop" in str(error):
                raise Wrong(
                    "another form",
                    f"{told}, and it yielded a second time.",
                    lab.yielding(),
                    "One `yield` for the test, and no loop.",
                    headline="more than one yield",
                ) from None
            if "generator didn't yield" not in str(error):
                raise
        self._compare(lab, told, notes, expected, caught)
        if caught is None and (oven or fridge or (test and how is as_context)):
            raise Wrong(
                "lost error",
                f"{told}. The error had to come out, and it did not.",
                lab.keeping(LookupError, OSError) or lab.returning(),
                LET_IT_PASS,
            )

    def _compare(self, lab, told, notes, expected, caught):
        if notes == expected:
            return
        seen = f"{told}. What happened: {', '.join(notes) or 'nothing'}."
        on = [
            name
            for name in ("oven", "fridge")
            if f"{name} on" in notes and f"{name} off" not in notes
        ]
        for name in "oven", "fridge":
            if f"{name} off" in notes and f"{name} on" not in notes:
                called = lab.call_of(f"{name}.off")
                handed = None if called else lab.text.handed_over(f"{name}.off")
                raise Wrong(
                    "given back wrongly",
                    seen,
                    called or handed,
                    "Leave a thing to the stack only when it is on: after the `await` of its `on`."
                    if handed
                    else f"The `try` of the {name} begins after its `on`."
                    if lab.node(ast.Try)
                    else "Only what is on is switched off.",
                    headline="switched off what was never on",
                    at="hands over its `off` before it is on" if handed else "switches it off",
                )
            if name in on:
                raise Wrong(
                    "not given back",
                    seen
                    + f" The {on[0]} is still on." * (len(on) == 1)
                    + " The oven and the fridge are still on." * (len(on) == 2),
                    lab.text.let_out(caught, lab.yielding())
                    if caught
                    else lab.call_of(f"{name}.on"),
                    "Errors come out, but not before all is off. Each thing needs a `finally` of "
                    "its own, from the moment when it is on.",
                    headline="left on",
                    at="lets the error out" if caught else "switches it on",
                )
        if sorted(notes) == sorted(expected):
            raise Wrong(
                "order",
                seen + f" The right order is {', '.join(expected)}.",
                lab.call_of("off"),
                "The oven first, then the fridge; and off in the opposite order.",
            )
        lab.equal(notes, expected, what="what happened is")

    @right
    async def two_finally(oven, fridge):
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

    @right
    async def with_a_stack(oven, fridge):
        async with AsyncExitStack() as stack:
            for thing in oven, fridge:
                await thing.on()
                stack.push_async_callback(thing.off)
            yield oven, fridge

    @wrong("not given back", says="as `asynccontextmanager` does, with a test that fails")
    async def one_after_another(oven, fridge):
        await oven.on()
        await fridge.on()
        yield oven, fridge
        await fridge.off()
        await oven.off()

    @wrong("not given back", says="does not start")
    async def one_finally(oven, fridge):
        await oven.on()
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await fridge.off()
            await oven.off()

    @wrong("given back wrongly", says="fridge off")
    async def begins_too_early(oven, fridge):
        try:
            await oven.on()
            await fridge.on()
            yield oven, fridge
        finally:
            try:
                await fridge.off()
            finally:
                await oven.off()

    @wrong("not given back", says="whose `off` raises")
    async def one_after_another_in_finally(oven, fridge):
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

    @wrong("lost error", says="did not")
    async def swallows(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
            try:
                yield oven, fridge
            except Exception:
                pass
            finally:
                await fridge.off()
        finally:
            await oven.off()

    @wrong("lost error", says="does not start")
    async def ends_in_silence(oven, fridge):
        await oven.on()
        try:
            await fridge.on()
        except OSError:
            await oven.off()
            return
        try:
            yield oven, fridge
        finally:
            try:
                await fridge.off()
            finally:
                await oven.off()

    hushes_the_fridge = two_finally.but(
        "await fridge.off()",
        "with contextlib.suppress(OSError):\n    await fridge.off()",
        kind="lost error",
        says="whose `off` raises",
    )

    @wrong("order", says="oven off, fridge off")
    async def oven_first(oven, fridge):
        await oven.on()
        await fridge.on()
        try:
            yield oven, fridge
        finally:
            await oven.off()
            await fridge.off()

    @wrong("another form", says="`yield`")
    async def returns(oven, fridge):
        await oven.on()
        await fridge.on()
        return oven, fridge

    @wrong("not awaited", says="`on` was called, and nobody awaited")
    async def forgets_to_await(oven, fridge):
        oven.on()
        fridge.on()
        try:
            yield oven, fridge
        finally:
            fridge.off()
            oven.off()


def made(kitchen, things, lab):
    """The async generator, else Wrong."""
    fixture = kitchen(*things)
    if not hasattr(fixture, "__anext__"):
        if asyncio.iscoroutine(fixture):
            fixture.close()
        decorated = hasattr(fixture, "__aenter__")
        raise Wrong(
            "another form",
            f"`kitchen` returned a {type(fixture).__name__}.",
            lab.use_of("*contextmanager") if decorated else lab.definition("kitchen"),
            "Leave out the decorator: I put it on when I need it."
            if decorated
            else "An `async def` with a `yield` in it makes an async generator.",
            headline="not a fixture",
        )
    return fixture


async def as_pytest(kitchen, things, test, lab):
    """Use a fixture as pytest-asyncio does: go on after the yield, however the test ended."""
    fixture = made(kitchen, things, lab)
    try:
        pair = await anext(fixture)
    except StopAsyncIteration:
        raise RuntimeError("generator didn't yield") from None
    cancelled = None
    try:
        await test(pair)
    except LookupError:
        pass  # pytest has noted that the test failed, and goes on
    except asyncio.CancelledError as error:
        cancelled = error
    try:
        await anext(fixture)
    except StopAsyncIteration:
        if cancelled:
            raise cancelled from None
        return
    raise RuntimeError("generator didn't stop")


async def as_context(kitchen, things, test, lab):
    """Use a fixture as a context manager: an error of the block is thrown in at the yield."""
    made(kitchen, things, lab)
    async with contextlib.asynccontextmanager(kitchen)(*things) as pair:
        await test(pair)
