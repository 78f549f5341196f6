from helpers.coach import Exercise, wrong_value


class PredictPauses(Exercise):
    """Which await pauses?

    Read this program, and do not run it.

        class Pause:
            def __await__(self):
                yield

        @types.coroutine
        def rest():
            yield
            yield

        class Ready:
            def __await__(self):
                return iter([])

        async def plain():
            return 1

        async def sum_up():
            return await plain() + await plain() + await plain()

        async def wait():
            await Pause()

        async def outer():
            await wait()
            await plain()
            await wait()

    Each of these is awaited once. How often does it hand control back to the driver? Set `pauses`
    to a dict with a number for each of "rest", "Ready", "plain", "sum_up", "wait", "outer".
    """

    id = "pauses-1"
    asks = "pauses"
    minutes = 5
    hints = (
        "Cover up every `await` and look for the `yield`s.",
        "An `await` is a pipe. Follow each one down to its end: is there a `yield`? How often is "
        "it reached?",
        "`sum_up` has three pipes, and behind none of them is a `yield`. `outer` has three as "
        "well, and behind two of them is a `Pause`.",
    )
    right_values = ({"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},)
    wrong_values = (
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 3, "wait": 1, "outer": 3},
            "where it switches",
            "You counted the awaits in `sum_up` and `outer`. An `await` hands on; what "
            "pauses is a `yield` at its far end.",
            headline="counted the awaits",
        ),
        wrong_value(
            {"rest": 2, "Ready": 1, "plain": 1, "sum_up": 3, "wait": 1, "outer": 3},
            "where it switches",
            "You let every `await` pause, even one of `plain`, which has no `yield` in it.",
            headline="counted the awaits",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 3},
            "where it switches",
            "You have 3 for `outer`. It awaits three times, but there "
            "is no `yield` behind `plain`.",
            headline="a pause in plain",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 0, "outer": 0},
            "where it switches",
            "You have 0 for `wait`. The `yield` in `Pause` climbs through every frame "
            "above it, as far as the driver.",
            headline="lost the pause on the way",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 4},
            "where it switches",
            "You have 4 for `outer`. A `yield` that climbs through two frames pauses both "
            "of them, and the driver sees it once.",
            headline="counted each frame",
        ),
        wrong_value(
            {"rest": 1, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},
            "where it switches",
            "You have 1 for `rest`. It yields twice, and each `yield` goes to the driver.",
            headline="one pause for a whole generator",
        ),
        wrong_value(
            {"rest": 2, "Ready": 1, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},
            "where it switches",
            "You have 1 for `Ready`. Its iterator is empty: it ends before it hands out anything.",
            headline="a pause without a yield",
        ),
    )
