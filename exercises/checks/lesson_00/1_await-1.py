import ast
import asyncio
import re

from helpers.coach import Exercise, Wrong, right, sweep, wrong

NAMES = ["Eve", "ada", "Ada", "Adam", "Mary Ann", "McKay", "Ada Ada"]


class GetTheValue(Exercise):
    """Get the value out of a coroutine

    `ask` is a coroutine function: it takes a second, then it returns a name.
    Write the coroutine function `greet(ask)`. It asks once and greets whoever it is: for the name
    `"Ada"` it returns `"Hello, Ada!"`.
    """

    id = "await-1"
    asks = "greet"
    minutes = 4
    hints = (
        "What does the call `ask()` give you: a name, or something that is paused before its "
        "first line?",
        "A coroutine runs when it is awaited: `await` gives you what it returns.",
        'Two lines: `name = await ask()`, then `return f"Hello, {name}!"`.',
    )

    equivalent = {
        "in_one_line: or None, line 2": "a greeting is never empty",
    }

    def verify(self, greet, lab):
        for name in ("Ada", "Grace"):
            asked = []

            async def ask():
                asked.append(name)
                await asyncio.sleep(1)
                return name

            try:
                run = lab.run(greet, ask)
            except asyncio.InvalidStateError as error:
                slept = lab.call_of("create_task", "ensure_future") and lab.call_of("sleep")
                if not slept:
                    raise
                raise Wrong(
                    "raised",
                    f"It slept, and then the task was not done yet: InvalidStateError: {error}",
                    slept,
                    "The task begins only when this sleep has begun, and a sleep beside it doesn't "
                    "wait for it. Await the task: that waits just as long, and gives its result.",
                    headline="asked for the result too early",
                    at="doesn't wait for the task",
                ) from None
            if isinstance(run.result, str) and "<function" in run.result:
                raise Wrong(
                    "named, not called",
                    "The greeting holds the function `ask` itself, where "
                    "the name should be. Nothing called it.",
                    line=lab.earliest(lab.node(ast.FormattedValue), lab.assigned(to="ask")),
                    try_="Call it, and await the call: `await ask()`.",
                )
            if run.result is None and name in lab.printed:
                raise Wrong(
                    "return value",
                    "It printed the greeting and returned None. A "
                    "caller that awaits `greet` gets nothing to work with.",
                    line=lab.call_of("print"),
                    try_="Use `return` instead of `print`.",
                    headline="printed, not returned",
                )
            if name != "Ada" and run.result in (None, "Hello, Ada!") and lab.literal("Ada"):
                raise Wrong(
                    "value",
                    f"With the name {name!r} it returned {run.result!r}; expected "
                    f"'Hello, {name}!'.",
                    lab.literal("Ada"),
                    "Ada is only an example: greet whoever it is.",
                    headline="greets nobody but Ada",
                )
            # Where the name is in it, the words around it are wrong.
            greeting = lab.node(ast.JoinedStr) or lab.returning()
            line = greeting if name in str(run.result) else None
            said = f"with the name {name!r} it returned"
            if isinstance(run.result, str) and "<Task" in run.result:
                shown = re.sub("<Task.*>", "<Task …>", run.result)
                raise Wrong(
                    "value",
                    f"With the name {name!r} it returned {shown!r}.",
                    line,
                    "That is the task, not what it returned. `await` it, or ask it for its "
                    "`result()`.",
                    headline="greets a task",
                )
            lab.equal(run.result, f"Hello, {name}!", said, line=line)
            if len(asked) != 1:
                raise Wrong(
                    "done twice",
                    f"`ask` ran {len(asked)} times, and each time is another second of waiting.",
                    line=lab.call_of("ask"),
                    try_="Call it once and keep the result: `name = await ask()`.",
                    headline="asked more than once",
                )
        # A task that was made for `ask` may go on: here nobody knows how to cancel one.
        lab.run(greet, ask, cancel_after=0.5, leaks=True)

    @sweep(lambda some: {"name": some.sampled_from(NAMES)}, most=len(NAMES))
    def any_name(self, greet, lab, name):
        service = lab.service(1, {"name": name})

        async def ask():
            return await service("name")

        lab.told(f"with an `ask` that returns {name!r}")
        run = lab.run(greet, ask)
        return {
            "it returned": lab.seen(run, without=("calls", "peak")),
            "the number of calls of `ask` was": len(service.calls),
        }

    @right
    async def with_await(ask):
        """Ask once, and return a greeting to whoever it is."""
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

    @wrong("return value", says="returned None")
    async def prints(ask):
        name = await ask()
        print(f"Hello, {name}!")

    @wrong("done twice", says="2 times")
    async def asks_twice(ask):
        if await ask():
            return f"Hello, {await ask()}!"

    @wrong("value", says="Grace")
    async def always_ada(ask):
        await ask()
        return "Hello, Ada!"

    runs_a_second_loop = with_await.but(
        "await ask()",
        "asyncio.run(ask())",
        kind="nested run",
        says="cannot be called from a running event loop",
    )
