"""Exercises of lesson 00: calling, awaiting, overlapping, blocking, starting a script."""

import asyncio
import inspect
import time

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class GetTheValue(Exercise):
    """Get the value out of a coroutine

    `ask()` is a coroutine function: it takes a second, then it returns a name.
    Write the coroutine function `greet(ask)`. It asks once and returns `"Hello, Ada!"` if the
    name is `"Ada"`.
    """

    id = "await-1"
    asks = "greet"
    minutes = 4
    hints = (
        "What does the call `ask()` give you: a name, or something that stands before its "
        "first line?",
        "A coroutine runs when it is awaited: `await` gives you what it returns.",
        'Two lines: `name = await ask()`, then `return f"Hello, {name}!"`.',
    )

    def verify(self, greet, lab):
        for name in ("Ada", "Grace"):
            asked = []

            async def ask():
                asked.append(name)
                await asyncio.sleep(1)
                return name

            run = lab.run(greet, ask)
            if isinstance(run.result, str) and "<function" in run.result:
                raise Wrong(
                    "named, not called",
                    "The function `ask` itself stands in the greeting, where "
                    "the name should be. Nobody called it.",
                    line=lab.line(r"=\s*ask\b|\{ask\}"),
                    try_="Call it, and await the call: `await ask()`.",
                )
            if run.result is None and name in lab.printed:
                raise Wrong(
                    "printed, not returned",
                    "It printed the greeting and returned None. A "
                    "caller that awaits `greet` gets nothing to work with.",
                    line=lab.line(r"print\("),
                    try_="Replace `print` by `return`.",
                )
            lab.equal(run.result, f"Hello, {name}!", what="with this name it returned")
            if len(asked) != 1:
                raise Wrong(
                    "asked more than once",
                    f"`ask` ran {len(asked)} times, and each time is another second of waiting.",
                    line=lab.line(r"ask\(\)"),
                    try_="Keep what the first `await ask()` gave under a name.",
                )

    @right
    async def with_await(ask):
        """Return a greeting to the one whose name `ask()` gives."""
        name = await ask()
        return f"Hello, {name}!"

    @right
    async def in_one_line(ask):
        return "Hello, " + await ask() + "!"

    @wrong("not awaited", says="`ask` was called, and nobody awaited")
    async def forgets_to_await(ask):
        name = ask()
        return f"Hello, {name}!"

    @wrong("named, not called", says="`ask` itself")
    async def forgets_to_call(ask):
        name = ask
        return f"Hello, {name}!"

    @wrong("printed, not returned", says="returned None")
    async def prints(ask):
        name = await ask()
        print(f"Hello, {name}!")

    @wrong("asked more than once", says="2 times")
    async def asks_twice(ask):
        if await ask():
            return f"Hello, {await ask()}!"

    @wrong("value", says="Grace")
    async def always_ada(ask):
        await ask()
        return "Hello, Ada!"

    @wrong("nested run")
    async def runs_a_second_loop(ask):
        name = asyncio.run(ask())
        return f"Hello, {name}!"


class PredictOrder(Exercise):
    """Predict what is printed

    Don't run this yet. In which order are the four words printed?

        async def hello():
            print("hello")

        async def main():
            print("one")
            greeting = hello()
            print("two")
            await greeting
            print("three")

        asyncio.run(main())

    Set `order` to a list of the words.
    """

    id = "order-1"
    asks = "order"
    minutes = 3
    hints = (
        "Follow the lines of `main` from the top. Which of them runs the body of `hello`?",
        "`greeting = hello()` builds a coroutine and prints nothing.",
        '`hello` is printed while `await greeting` waits: after "two", before "three".',
    )
    right_values = (["one", "two", "hello", "three"],)
    wrong_values = (
        wrong_value(
            ["one", "hello", "two", "three"],
            "runs at the call",
            "You let `hello` print when it is called, in the line `greeting = hello()`. That line "
            "only builds a coroutine: it stands before its first line until somebody awaits it. "
            "Look for the `await`.",
        ),
        wrong_value(
            ["one", "two", "three", "hello"],
            "await does not wait",
            'You let `main` print "three" before `hello` is through. `await greeting` holds `main` '
            "at this line until the coroutine has ended. Put what it prints where `main` stands "
            "still.",
        ),
        wrong_value(
            ["one", "two", "three"],
            "never ran",
            "You left `hello` out. It is called in one line and awaited two lines below, and the "
            "`await` does run it. Find the place where it prints.",
        ),
        wrong_value(
            ["hello", "one", "two", "three"],
            "runs at the definition",
            "You let `hello` print where it is defined. `async def` runs nothing, just as `def` "
            "runs nothing. Start with the first line of `main`.",
        ),
    )


class TotalOfThree(Exercise):
    """Total time of three overlapped waits

    How many seconds does this take?

        await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2), asyncio.sleep(3))

    Set `seconds` to your answer.
    """

    id = "total-1"
    asks = "seconds"
    minutes = 2
    hints = (
        "Draw the three waits as bars, one under another. Where does each begin?",
        "All three begin at 0. `gather` is done when the last of them is.",
        "The bars end at 1, 2 and 3 s. The longest one decides.",
    )
    right_values = (3,)
    wrong_values = (
        wrong_value(
            6,
            "sum for max",
            "6 s is the sum, 1 + 2 + 3: what three waits take one after another. `gather` starts "
            "all three before it waits for any. Draw the bars side by side and look where the "
            "last one ends.",
        ),
        wrong_value(
            2,
            "mean for max",
            "2 s is the mean. When 2 s are over, the third wait has one more second to go, and "
            "`gather` waits for all of them. Look for the last one to end.",
        ),
        wrong_value(
            1,
            "first for last",
            "After 1 s the shortest wait is over, and the other two go on. `gather` waits for all "
            "of them. Look for the last one to end.",
        ),
        wrong_value(
            0,
            "starts, does not wait",
            "`gather` starts the waits in no time, but the line says `await gather(...)`: it goes "
            "on when the last wait is over. When is that?",
        ),
    )


class TotalOfMixed(Exercise):
    """Total time of a mixed program

    How many seconds does `main` take?

        async def main():
            await asyncio.sleep(2)
            await asyncio.gather(asyncio.sleep(1), asyncio.sleep(3))
            await asyncio.sleep(1)

    Set `total` to your answer.
    """

    id = "total-2"
    asks = "total"
    minutes = 3
    hints = (
        "How many lines does `main` have, and can the second begin before the first is over?",
        "The lines follow one another: add them up. Within the `gather` the waits overlap: take "
        "the longest.",
        "2 s, then the longer of 1 s and 3 s, then 1 s.",
    )
    right_values = (6,)
    wrong_values = (
        wrong_value(
            7,
            "sum for max",
            "7 s is the sum of all four waits. The two within `gather` overlap: together they take "
            "as long as the longer one. Count that line once more.",
        ),
        wrong_value(
            3,
            "max for sum",
            "3 s is the longest of the four waits. That would be right if all of them stood in one "
            "`gather`. Here only two do: each `await` line begins when the line above it is done. "
            "Add up the lines.",
        ),
        wrong_value(
            4,
            "min for max",
            "4 s is 2 + 1 + 1: you let the `gather` end with its shorter wait. It ends with the "
            "longer one.",
        ),
        wrong_value(
            5,
            "lost a line",
            "5 s is 2 + 3: you left out the last line. It begins when the `gather` is done, and "
            "takes a second of its own.",
        ),
    )


class Overlap(Exercise):
    """Make the waits overlap

    `fetch(page)` is a coroutine function that takes a while and returns the page's text.
    Write the coroutine function `fetch_all(fetch, pages)`. It fetches every page of the list
    `pages`, all of them at once, and returns the texts in the order of `pages`.
    """

    id = "overlap-1"
    asks = "fetch_all"
    minutes = 8
    hints = (
        "`await fetch(page)` in a loop waits for one page before it starts the next.",
        "`asyncio.gather` starts all the coroutines it is given and keeps their order. It takes "
        "them one by one, so spread a list with a star: `gather(*coroutines)`.",
        "One line: `return await asyncio.gather(*[fetch(page) for page in pages])`.",
    )

    def verify(self, fetch_all, lab):
        fetch = lab.service(
            {"news": 3, "sport": 1, "weather": 2},
            results={"news": "rain", "sport": "2:1", "weather": "sunny"},
        )
        try:
            run = lab.run(fetch_all, fetch, ["news", "sport", "weather"])
        except TypeError as error:
            if "unhashable type: 'list'" not in str(error):
                raise
            raise Wrong(
                "gathered a list",
                "`gather` was given one list. It takes the coroutines one by "
                "one, as `gather(a, b, c)`.",
                line=lab.line(r"gather\("),
                try_="Spread the list with a star: `gather(*coroutines)`.",
            ) from None
        lab.equal(run.result, ["rain", "2:1", "sunny"])
        lab.concurrent(run, longest=3, total=6)

    @right
    async def with_gather(fetch, pages):
        """Return the texts of `pages`, in order, all fetched at once."""
        return await asyncio.gather(*[fetch(page) for page in pages])

    @right
    async def with_tasks(fetch, pages):
        tasks = [asyncio.create_task(fetch(page)) for page in pages]
        return [await task for task in tasks]

    @wrong("sequential", says="6 s")
    async def one_by_one(fetch, pages):
        texts = []
        for page in pages:
            texts.append(await fetch(page))
        return texts

    @wrong("sequential", says="6 s")
    async def gather_of_one(fetch, pages):
        texts = []
        for page in pages:
            texts += await asyncio.gather(fetch(page))
        return texts

    @wrong("not awaited")
    async def calls_only(fetch, pages):
        return [fetch(page) for page in pages]

    @wrong("order")
    async def as_they_come(fetch, pages):
        texts = []
        for next_one in asyncio.as_completed([fetch(page) for page in pages]):
            texts.append(await next_one)
        return texts

    @wrong("blocked", says="0.2 s")
    async def sleeps_on_top(fetch, pages):
        tasks = [asyncio.create_task(fetch(page)) for page in pages]
        time.sleep(0.2)
        return [await task for task in tasks]

    @wrong("gathered a list", says="star")
    async def forgets_the_star(fetch, pages):
        return await asyncio.gather([fetch(page) for page in pages])


class FindTheBlocker(Exercise):
    """Find the line that blocks

    The heart should beat every 0.1 s. After two beats it stands still for a while. Which line
    blocks the event loop?

         1  async def heartbeat():
         2      for beat in range(6):
         3          print("beat")
         4          await asyncio.sleep(0.1)
         5
         6  async def read_sensor():
         7      time.sleep(0.3)
         8      return 21.5
         9
        10  async def report():
        11      await asyncio.sleep(0.15)
        12      degrees = await read_sensor()
        13      print(degrees)
        14
        15  async def main():
        16      await asyncio.gather(heartbeat(), report())

    Set `line` to its number.
    """

    id = "blocker-1"
    asks = "line"
    minutes = 5
    hints = (
        "`await` does not block by itself. Follow it into the function that it awaits.",
        "A wait lets go only if it tells the event loop. Which of the sleeps here doesn't?",
        "`asyncio.sleep` lets go, `time.sleep` keeps the thread.",
    )
    right_values = (7,)
    wrong_values = (
        wrong_value(
            12,
            "blames the awaiter",
            "Line 12 awaits `read_sensor`, and `await` would let the heart beat on. But the "
            "coroutine that it runs never lets go. Follow the `await` to the function, and look "
            "for the call that waits without an `await`.",
        ),
        wrong_value(
            4,
            "blames a wait that lets go",
            "Line 4 waits with `await asyncio.sleep`: the event loop runs others meanwhile. It is "
            "late because it is kept waiting by another line. Which sleep has no `await`?",
        ),
        wrong_value(
            11,
            "blames a wait that lets go",
            "Line 11 waits with `await asyncio.sleep`: the heart beats during this wait. The "
            "standstill comes after it. Which sleep has no `await`?",
        ),
        wrong_value(
            6,
            "blames the definition",
            "Line 6 only defines a function. It is close: one of its lines holds the thread while "
            "it runs. Name that line.",
        ),
        wrong_value(
            16,
            "blames the start",
            "Line 16 starts both and waits for both, as it should. If everything they do let go, "
            "the heart would beat on time. Look into `report`, and follow it down.",
        ),
    )


class StartScript(Exercise):
    """Run a script's main

    `main` is a coroutine function. Write the plain function `start(main)`, as the last line of a
    script would do it: it runs `main` to its end and returns what `main` returned. No event loop
    is running yet.
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
                "async all the way up",
                "`start` is a coroutine function itself: to call it gives "
                "a coroutine, and somebody would have to run that one too.",
                line=lab.line(r"async def"),
                try_="Write `def start(main)`. A script's last line starts the loop; it does not "
                "stand in one.",
            )
        began = []

        async def main():
            began.append(True)
            await asyncio.sleep(0.01)
            return "all done"

        try:
            result = lab.call(start, main)
        except (TypeError, ValueError) as error:
            if "coroutine" not in str(error):
                raise
            raise Wrong(
                "handed over the function",
                "`asyncio.run` was given the function `main`. It runs a coroutine.",
                line=lab.line(r"run\("),
                try_="`main` is the recipe, `main()` is the coroutine. Call it.",
            ) from None
        except RuntimeError as error:
            if "no running event loop" not in str(error):
                raise
            raise Wrong(
                "no loop to run in",
                f"Python said: {error}. A task needs a loop that runs "
                "already; in a script there is none until you start it.",
                line=lab.line(r"create_task|gather|get_running_loop"),
                try_="Let `asyncio.run` start the loop.",
            ) from None
        if not began:
            given = "a coroutine" if inspect.iscoroutine(result) else repr(result)
            raise Wrong(
                "built, not run",
                f"`main` never began. `start` returned {given}.",
                line=lab.line(r"main\(\)"),
                try_="Hand the coroutine to `asyncio.run`.",
            )
        if result is None:
            raise Wrong(
                "lost the result",
                "`main` ran and returned 'all done'; `start` returned None.",
                line=lab.line(r"run\("),
                try_="`return` what `asyncio.run` gives you.",
            )
        lab.equal(result, "all done")

    @right
    def with_run(main):
        """Run `main` to its end and return its result."""
        return asyncio.run(main())

    @right
    def with_runner(main):
        with asyncio.Runner() as runner:
            return runner.run(main())

    @wrong("built, not run", says="a coroutine")
    def calls_only(main):
        return main()

    @wrong("handed over the function", says="was given the function")
    def forgets_to_call(main):
        return asyncio.run(main)

    @wrong("async all the way up", says="coroutine function itself")
    async def is_async_itself(main):
        return await main()

    @wrong("no loop to run in", says="no running event loop")
    def makes_a_task(main):
        return asyncio.create_task(main())

    @wrong("lost the result", says="None")
    def forgets_to_return(main):
        asyncio.run(main())
