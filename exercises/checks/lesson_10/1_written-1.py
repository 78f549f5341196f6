from helpers.coach import Exercise, wrong_value


class PredictWritten(Exercise):
    """Predict what is written

    Read this program, and do not run it. Each of the four runs begins with an empty `written`.

        async def a():
            await asyncio.sleep(1)
            written.append("a")

        async def b():
            await asyncio.sleep(2)
            raise ValueError

        async def c():
            await asyncio.sleep(3)
            written.append("c")

        async def group():
            async with asyncio.TaskGroup() as group:
                for job in (a, b, c):
                    group.create_task(job())

        async def gather():
            await asyncio.gather(a(), b(), c())

        async def wait():
            tasks = [asyncio.create_task(a()), asyncio.create_task(c())]
            await asyncio.wait(tasks, timeout=2)

        async def main(way):
            with suppress(Exception):
                await way()
            await asyncio.sleep(10)

        async def brief_main(way):
            with suppress(Exception):
                await way()

        "group":   asyncio.run(main(group))
        "gather":  asyncio.run(main(gather))
        "wait":    asyncio.run(main(wait))
        "brief":   asyncio.run(brief_main(gather))

    Set `written` to a dict from these four names to the list of what is written in the end:
    `{"group": [...], "gather": [...], "wait": [...], "brief": [...]}`.
    """

    id = "written-1"
    asks = "written"
    minutes = 5
    hints = (
        "Who of the three is still at work when `way()` ends, and does somebody stop it?",
        "`gather` and `wait` stop nobody. A TaskGroup does.",
        "And what does `asyncio.run` do, at the end of `main`, with the tasks that are left? It "
        "cancels them. So it matters whether `main` sleeps on.",
    )
    right_values = (
        {"group": ["a"], "gather": ["a", "c"], "wait": ["a", "c"], "brief": ["a"]},
        {"group": "a", "gather": "ac", "wait": "ac", "brief": "a"},
        {"group": {"a"}, "gather": {"a", "c"}, "wait": {"a", "c"}, "brief": {"a"}},
    )
    wrong_values = (
        wrong_value(
            right_values[0] | {"gather": ["a"]},
            "siblings",
            "You let `gather` stop `c` when `b` failed. It raises the error and leaves "
            "the others running.",
            headline="let gather cancel the others",
        ),
        wrong_value(
            right_values[0] | {"wait": ["a"]},
            "siblings",
            "You let `wait` stop `c` when its two seconds were over. It returns it among "
            "the pending ones, and leaves it running.",
            headline="let wait cancel what is late",
        ),
        wrong_value(
            right_values[0] | {"gather": ["a"], "wait": ["a"]},
            "siblings",
            "You let `gather` and `wait` stop `c`. Neither stops anybody: of the three "
            "ways only the TaskGroup does.",
            headline="let everybody cancel the others",
        ),
        wrong_value(
            right_values[0] | {"brief": ["a", "c"]},
            "siblings",
            "You let `c` write after the end of `brief_main`. `asyncio.run` cancels what "
            "is left, and closes the loop.",
            headline="let a task outlive its loop",
        ),
        wrong_value(
            right_values[0] | {"group": ["a", "c"]},
            "siblings",
            "You let `c` write in the group. When a child fails, a TaskGroup cancels the others.",
            headline="let a group leave tasks behind",
        ),
        wrong_value(
            dict.fromkeys(right_values[0], ["a", "c"]),
            "siblings",
            "You let `c` write every time. A TaskGroup stops it, and so does the end of "
            "`asyncio.run`.",
            headline="let nobody be stopped",
        ),
        wrong_value(
            right_values[0] | {"group": []},
            "what cancelling leaves",
            "You let the group undo what `a` has written. To cancel stops what is still "
            "at work; what is done is done.",
            headline="took back what was done",
        ),
    )
