"""Long, for a coroutine can be run wrongly in many ways, and each is a whole program."""

import ast
import contextlib
import types
from asyncio import CancelledError

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, spans

SAID = (None, 0, "", "tea", False, [])
KEPT = OSError("kept")  # an error that is returned is a result like any other
ERRORS = (LookupError, RuntimeError, StopIteration, KeyboardInterrupt)
OTHERS = (ValueError, TimeoutError, CancelledError, StopAsyncIteration)


class RunAlone(Exercise):
    """Run a coroutine by hand

    Write an ordinary function `run_alone(coroutine)`: it resumes the coroutine again and again
    until it ends, and returns two things: what the coroutine returned, and how often it
    paused on the way.

    Whatever the coroutine hands out when it pauses needs no answer. An error that leaves the
    coroutine leaves `run_alone` as well.
    """

    id = "by-hand-1"
    asks = "run_alone"
    minutes = 7
    hints = (
        "A coroutine has `send`, and no `next`. What may be sent first, and what if there is no "
        "answer?",
        "It ends with a StopIteration, as a generator does. Which part of it holds the result?",
        "Count from 0, and inside `while True`: `try: coroutine.send(None)`; "
        "`except StopIteration as end: return end.value, pauses`; then `pauses += 1`.",
    )

    def verify(self, run_alone, lab):
        for make, expected in (
            (straight, ("straight", 0)),
            (thrice, ("three pauses", 3)),
            (says_nothing, (None, 1)),
        ):
            self._case(lab, run_alone, make, expected)
        coroutine = fails()
        lab.told("with a coroutine that raises a LookupError")
        try:
            got = run_alone(coroutine)
        except LookupError:
            return
        finally:
            coroutine.close()
        lost = lab.lost_error(
            f"The error should come out, and `run_alone` returned {got!r}.", LookupError
        )
        lost.headline = "swallowed the error"
        if lab.handler(LookupError):
            lost.try_ = "Catch StopIteration alone."
        elif lost.try_ is None:
            lost.try_ = "An error that nothing keeps comes out by itself."
        raise lost

    def _case(self, lab, run_alone, make, expected):
        result, pauses = expected
        lab.told(f"with a coroutine that {times(pauses)} and returns {result!r}")
        heard = []
        coroutine = make(heard)
        try:
            got = run_alone(coroutine)
        except StopIteration as end:
            raise Wrong(
                "StopIteration",
                f"The coroutine came to its end, and `run_alone` raised "
                f"StopIteration({end.value!r}).",
                lab.text.of_traceback(end) or lab.call_of("send"),
                "StopIteration can come at any `send`, the first one too. This one stands in no "
                "`try`: catch it here as well."
                if _outside_the_try(lab, end)
                else "StopIteration is how a coroutine says that it is done: catch it, and take "
                "its `value`.",
                headline="let StopIteration out",
            ) from None
        except IndexError:
            if not (item := lab.item_of("args")):
                raise
            raise Wrong(
                "return value",
                "That raised IndexError: where nothing is returned, the `args` of the "
                "StopIteration are empty.",
                item,
                "`value` is always there.",
                headline="args is empty",
            ) from None
        except RuntimeError as error:
            if "bad yield" not in str(error):
                raise
            raise Wrong(
                "other loop",
                f"Python said: {error}.",
                lab.call_of("run"),
                "An event loop refuses what it does not know. Here you are the driver: "
                "`coroutine.send(None)`.",
                headline="left it to asyncio",
            ) from None
        except TypeError as error:
            text = str(error)
            if "not an iterator" in text or "not iterable" in text:
                raise Wrong(
                    "not async",
                    f"Python said: {text}.",
                    lab.earliest(lab.call_of("next", "list"), lab.for_loop()),
                    "A coroutine has no `next`, so a `for` loop refuses it. "
                    "`send(None)` does the same.",
                    headline="took it for an iterator",
                ) from None
            if "can't send non-None" in text:
                raise Wrong(
                    "unprimed",
                    f"Python said: {text}.",
                    lab.call_of("send"),
                    "It stands before its first line: nothing but None can be sent.",
                ) from None
            raise
        finally:
            coroutine.close()
        self._judge(lab, got, result, pauses, heard)

    def _judge(self, lab, got, result, pauses, heard):
        if hasattr(got, "__await__") or hasattr(got, "send"):
            if hasattr(got, "close"):
                got.close()
            raise Wrong(
                "async for plain",
                f"It returned a {type(got).__name__}: nothing has run.",
                lab.earliest(lab.coroutine_function(), lab.yielding()),
                "Write `def`, and no `await` or `yield` in it: a driver stands outside.",
                headline="not a plain function",
            )
        if heard != ["begun", "ended"]:
            raise Wrong(
                "stopped early",
                f"`run_alone` returned {got!r}, and the coroutine was not at its end.",
                lab.call_of("send"),
                "Go on until StopIteration comes.",
                headline="stopped too early",
            )
        got = tuple(got) if isinstance(got, list) else got
        if not isinstance(got, tuple) or len(got) != 2:
            raise Wrong(
                "value",
                f"It returned {got!r}; expected two things, the result and the number of pauses.",
                lab.returning(),
                "`return end.value, pauses`",
            )
        if got == (pauses, result):
            raise Wrong(
                "order",
                f"It returned {got}.",
                lab.returning(),
                "First the result, then the number of pauses.",
            )
        if got == (None, pauses) and result is not None:
            raise Wrong(
                "return value",
                f"It returned {got}; the coroutine had returned {result!r}.",
                lab.use_of("StopIteration") or lab.for_loop(),
                "The result is the `value` of the StopIteration.",
            )
        if got == (result, pauses + 1):
            adds = lab.operation("+=")
            raise Wrong(
                "counted wrong",
                f"It returned {got}. The last `send` was not followed by a pause: the "
                "coroutine ended.",
                adds,
                "Count after `send` has come back, not before."
                if adds
                else "When the first `send` is made there has been no pause: begin at 0.",
                headline="counted the end",
            )
        if got[0] == result and isinstance(got[1], int) and got[1] < pauses:
            asks = lab.truth_test()
            numbers = lab.call_of("enumerate")
            if numbers and got[1] == pauses - 1:
                raise Wrong(
                    "counted wrong",
                    f"It returned {got}; expected {(result, pauses)}.",
                    numbers,
                    "`enumerate` counts from 0: the number of the last pause is one less than how "
                    "many there were.",
                    headline="counted from 0",
                )
            raise Wrong(
                "counted wrong",
                f"It returned {got}; expected {(result, pauses)}.",
                asks.line,
                "Each `send` that returns is a pause, whatever it returns, None included.",
                headline="left pauses out",
                at=asks.at,
            )
        lab.equal(got, (result, pauses))

    @sweep(
        lambda some: {
            "pauses": some.lists(some.sampled_from(SAID), max_size=4),
            "result": some.sampled_from((*SAID, *ERRORS, KEPT)),
        },
        besides=[
            *({"pauses": [None], "result": error} for error in OTHERS),
            {"pauses": [None] * 12_000, "result": "tea"},
        ],
    )
    def any_coroutine(self, run_alone, lab, pauses, result):
        fails = isinstance(result, type)
        gives = f" ({', '.join(map(repr, pauses))})" if 0 < len(pauses) < 9 else ""
        ends = f"raises a {result.__name__}" if fails else f"returns {result!r}"
        lab.told(f"with a coroutine that {times(len(pauses))}{gives} and {ends}")

        async def coroutine():
            for said in pauses:
                await pause(said)
            if fails:
                raise result("no tea")
            return result

        with contextlib.closing(coroutine()) as made:
            got = run_alone(made)
        if got is None and len(pauses) > 9:
            raise Wrong(
                "stopped early",
                "It gave up, and returned None.",
                lab.call_of("range") or lab.breaking(),
                "Nobody has set a bound. Go on until StopIteration comes.",
                headline="gave up",
            )
        return got

    @sweep(
        lambda some: {"outer": some.integers(0, 3), "inner": some.integers(0, 3)},
        most=8,
    )
    def one_in_another(self, run_alone, lab, outer, inner):
        lab.told(
            f"with a coroutine that {times(outer)} and then runs another one alone, which "
            f"{times(inner)}"
        )

        async def pausing(times):
            for _ in range(times):
                await pause()

        async def coroutine():
            await pausing(outer)
            with contextlib.closing(pausing(inner)) as other:
                return run_alone(other)

        with contextlib.closing(coroutine()) as made:
            return run_alone(made)

    @right
    def with_a_loop(coroutine):
        """Run the coroutine to its end; return its result and how often it paused."""
        pauses = 0
        while True:
            try:
                coroutine.send(None)
            except StopIteration as end:
                return end.value, pauses
            pauses += 1

    @right
    def with_the_try_outside(coroutine):
        pauses = 0
        try:
            while True:
                coroutine.send(None)
                pauses += 1
        except StopIteration as end:
            return end.value, pauses

    @wrong("counted wrong", says="None included")
    def counts_what_is_handed_out(coroutine):
        pauses = 0
        while True:
            try:
                if coroutine.send(None) is not None:
                    pauses += 1
            except StopIteration as end:
                return end.value, pauses

    @wrong("other loop", says="you are the driver")
    def with_asyncio(coroutine):
        import asyncio

        return asyncio.run(coroutine), 0

    the_number_first = with_a_loop.but(
        "end.value, pauses", "pauses, end.value", kind="order", says="First the result"
    )

    @wrong("StopIteration", says="StopIteration('straight')")
    def ignores_the_end(coroutine):
        pauses = 0
        while True:
            result = coroutine.send(None)
            pauses += 1
            if result is not None:
                return result, pauses

    @wrong("return value", says="had returned 'straight'")
    def drops_the_value(coroutine):
        pauses, result = 0, None
        while True:
            try:
                result = coroutine.send(None)
            except StopIteration:
                return result, pauses
            pauses += 1

    with_args = with_a_loop.but(
        "end.value", "end.args[0]", kind="return value", says="`args` of the"
    )

    @wrong("counted wrong", says="ended")
    def counts_before(coroutine):
        pauses = 0
        while True:
            pauses += 1
            try:
                coroutine.send(None)
            except StopIteration as end:
                return end.value, pauses

    with_next = with_a_loop.but(
        "coroutine.send(None)",
        "next(coroutine)",
        kind="not async",
        says="has no `next`",
    )

    @wrong("not async", says="not iterable")
    def with_a_for_loop(coroutine):
        pauses, result = 0, None
        for result in coroutine:
            pauses += 1
        return result, pauses

    sends_the_count = with_a_loop.but("None", "pauses", kind="unprimed", says="nothing but None")

    @wrong("stopped early", says="not at its end")
    def sends_once(coroutine):
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, 0
        return None, 1

    @wrong("async for plain", says="coroutine")
    async def awaits(coroutine):
        return await coroutine, 0

    catches_everything = with_a_loop.but("StopIteration", "Exception").but(
        "end.value",
        'getattr(end, "value", None)',
        kind="lost error",
        says="The error should come out",
    )


def _outside_the_try(lab, end):
    """Whether StopIteration came from a line that stands in no `try`, where others do."""
    place = lab.text.of_traceback(end)
    guarded = [
        part
        for node in lab.nodes()
        if isinstance(node, (ast.Try, ast.TryStar))
        for part in node.body
    ]
    others = lab.handler(StopIteration) and any(map(_sends, guarded))
    return bool(place and others) and not any(spans(part, place[1]) for part in guarded)


def _sends(part):
    return any(
        isinstance(node, ast.Call) and is_named(node.func, ("send",)) for node in ast.walk(part)
    )


def times(pauses):
    return {0: "never pauses", 1: "pauses once"}.get(pauses, f"pauses {pauses:,} times")


@types.coroutine
def pause(question=None):
    yield question


async def straight(heard):
    heard += ["begun", "ended"]
    return "straight"


async def thrice(heard):
    heard.append("begun")
    for question in (None, "what is handed out", 0):
        await pause(question)
    heard.append("ended")
    return "three pauses"


async def says_nothing(heard):
    heard.append("begun")
    await pause()
    heard.append("ended")


async def fails():
    await pause()
    raise LookupError("nobody knows the price")
