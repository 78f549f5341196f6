from helpers.coach import Exercise, wrong_value


class PredictEnd(Exercise):
    """When does the group end?

    Read this program, and do not run it.

        async def fails():
            await asyncio.sleep(2)
            raise ValueError

        async def tidy():
            try:
                await asyncio.sleep(10)
            finally:
                await asyncio.sleep(3)

        async def short():
            await asyncio.sleep(1)

        async def main():
            try:
                async with asyncio.TaskGroup() as group:
                    for job in (fails, tidy, short):
                        group.create_task(job())
            except* ValueError:
                print("the group has ended")

    After how many seconds does it print? Set `seconds`.
    """

    id = "group-end-1"
    asks = "seconds"
    minutes = 3
    hints = (
        "At 2 s one child has failed. What does the group do then, and what must it wait for?",
        "`tidy` is told at 2 s, in the middle of its first sleep. What does it do next?",
    )
    right_values = (5,)
    wrong_values = (
        wrong_value(
            2,
            "cancel is instant",
            "At 2 s `tidy` is asked to stop. It has a `finally`, which takes its time, "
            "and the group waits until all its children have ended.",
        ),
        wrong_value(
            13,
            "what cancelling leaves",
            "13 s is what `tidy` takes if nobody cancels it. The failure at 2 s ends its "
            "first sleep.",
            headline="let tidy sleep to its end",
        ),
        wrong_value(
            10,
            "what cancelling leaves",
            "You let the first sleep of `tidy` go on to its end. The failure at 2 s ends "
            "it, and then comes the `finally`.",
            headline="let tidy sleep to its end",
        ),
        wrong_value(
            3,
            "what cancelling leaves",
            "The `finally` of `tidy` takes 3 s, but it begins only when `tidy` is told.",
            headline="started the clock too early",
        ),
        wrong_value(
            1,
            "siblings",
            "At 1 s `short` ends, and nothing is wrong with that. The group goes on.",
            headline="followed the wrong child",
        ),
        wrong_value(
            6, "overlap added up", "You added `short` to it. The three run at the same time."
        ),
    )
