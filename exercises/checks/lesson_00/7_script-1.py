import asyncio
import inspect
import threading

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.words import error_words

KEPT = OSError("kept")  # an error that is returned is a result like any other
RESULTS = [None, 0, False, "", [], {"a": 1}, (1, 2), "done", 21.5, KEPT]


async def a_year():
    """Let a year go by on the clock of the loop, so that whatever was set to a time rings."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + 365 * 24 * 3600
    for _ in range(3):
        await asyncio.sleep(0)


class StartScript(Exercise):
    """Run a script's main

    `main` is a coroutine function. Write the plain function `start(main)`, which does what the
    last line of a script does: it runs `main` to its end and returns what `main` returned. If
    `main` raises an error, so does `start`. No event loop is running when `start` is called, and
    it leaves none open, even after an error.
    """

    id = "script-1"
    asks = "start"
    minutes = 5
    clock = "real"
    hints = (
        "A plain function can't `await`. Something has to start an event loop.",
        "`asyncio.run` starts a loop, runs one coroutine in it and closes the loop.",
        "It wants the coroutine, not the function: `return asyncio.run(main())`.",
    )

    def verify(self, start, lab):
        if inspect.iscoroutinefunction(start):
            raise Wrong(
                "async for plain",
                "`start` is a coroutine function itself: a call of it gives "
                "a coroutine, and something would have to run that one too.",
                line=lab.coroutine_function(),
                try_="Write `def start(main)`. A script's last line starts the loop; it does not "
                "run in one.",
                headline="async all the way up",
            )
        began = []

        async def main():
            began.append(True)
            await asyncio.sleep(0.01)
            return "all done"

        try:
            result = lab.call(start, main)
        except (TypeError, ValueError) as error:
            if "coroutine" not in str(error) or lab.bare_call_of("main"):
                raise
            raise Wrong(
                "named, not called",
                "The function `main` was handed over. To run it, a coroutine is needed.",
                line=lab.call_of("run", "run_until_complete"),
                try_="`main` is the function, `main()` is the coroutine. Call it.",
                headline="handed over the function",
            ) from None
        except RuntimeError as error:
            if "no running event loop" not in str(error):
                raise
            raise Wrong(
                "no loop yet",
                f"Python said: {error}. A task needs a loop that is "
                "already running; in a script there is none until you start it.",
                line=lab.text.of_traceback(error),
                try_="Let `asyncio.run` start the loop.",
                headline="no loop to run in",
            ) from None
        if not began:
            given = "a coroutine" if inspect.iscoroutine(result) else repr(result)
            raise Wrong(
                "not run yet",
                f"`main` never began. `start` returned {given}.",
                line=lab.call_of("main"),
                try_="Hand the coroutine to `asyncio.run`.",
                headline="built, not run",
            )
        if result is None:
            raise Wrong(
                "return value",
                "`main` ran and returned 'all done'; `start` returned None.",
                line=lab.call_of("run", "run_until_complete"),
                try_="What runs `main` to its end also gives you its result: `return` that.",
                headline="lost the result",
            )
        lab.equal(result, "all done")

    @sweep(
        lambda some: {
            "result": some.sampled_from(RESULTS),
            "error": some.sampled_from((None, None, ValueError, KeyError)),
            "pauses": some.sampled_from((0, 1, 5)),
            "years": some.just(0),
        },
        besides=[
            {"result": "done", "error": None, "pauses": 1, "years": 1},
            {"result": KEPT, "error": None, "pauses": 0, "years": 0},
            *(
                {"result": None, "error": error, "pauses": 1, "years": 0}
                for error in (OSError, RuntimeError, SystemExit, KeyboardInterrupt)
            ),
        ],
        most=16,
    )
    def any_main(self, start, lab, result, error, pauses, years):
        ran, loops, threads = [], [], []

        async def main():
            loops.append(asyncio.get_running_loop())
            threads.append(threading.get_ident())
            if years:
                await a_year()
            for _ in range(pauses):
                await asyncio.sleep(0.0005)
            ran.append(True)
            if error:
                raise error("nobody is here")
            return result

        ends = f"raises a {error.__name__}" if error else f"returns {result!r}"
        takes = "takes a year and " if years else "waits and " if pauses else ""
        lab.told(f"with a `main` that {takes}{ends}")
        try:
            got = lab.call(start, main)
        except TimeoutError:
            raise Wrong(
                "time limit",
                "TimeoutError came out before `main` had ended.",
                lab.call_of("wait_for", "timeout*"),
                "The task sets no limit: `main` may take as long as it likes.",
                headline="limited the time",
            ) from None
        except Exception as came:
            if error and isinstance(came, ExceptionGroup) and (group := lab.with_of("*TaskGroup")):
                raise Wrong(
                    "another error",
                    f"It raised `{error_words(came)}`; expected `{error.__name__}`.",
                    group,
                    "A TaskGroup puts the errors of its tasks into an ExceptionGroup. Here is one "
                    "coroutine to run, and no group is needed.",
                    headline="wrapped the error in a group",
                ) from None
            if error and not isinstance(came, error) and threads != [threading.get_ident()]:
                raise Wrong(
                    "lost error",
                    f"It raised `{error_words(came)}`; expected `{error.__name__}`.",
                    lab.call_of("*Thread", "start_new_thread") or lab.text.of_traceback(came),
                    "`main` ran in another thread. An error ends its thread, and no other one "
                    "learns of it. Here no second thread is needed.",
                ) from None
            raise
        finally:
            if any(not loop.is_closed() for loop in loops):
                raise Wrong(
                    "left open",
                    "When it was over, the event loop in which `main` had run was still open.",
                    lab.call_of("close") or lab.call_of("*new_event_loop"),
                    "`asyncio.run` closes the loop however `main` ends. If you make one by hand, "
                    "close it in a `finally`.",
                    headline="left the loop open",
                )
        return {"it returned": got, "the times that `main` ran to its end were": len(ran)}

    @right
    def with_run(main):
        """Run `main` to its end and return its result."""
        return asyncio.run(main())

    @right
    def with_runner(main):
        with asyncio.Runner() as runner:
            return runner.run(main())

    @wrong("not run yet", says="a coroutine")
    def calls_only(main):
        return main()

    @wrong("named, not called", says="The function `main` was handed over")
    def forgets_to_call(main):
        return asyncio.run(main)

    @wrong("async for plain", says="coroutine function itself")
    async def is_async_itself(main):
        return await main()

    @wrong("no loop yet", says="no running event loop")
    def makes_a_task(main):
        return asyncio.create_task(main())

    @wrong("return value", says="None")
    def forgets_to_return(main):
        asyncio.run(main())

    @wrong("time limit", says="may take as long as it likes")
    def limits_the_time(main):
        return asyncio.run(asyncio.wait_for(main(), 60))
