from helpers.coach import Exercise, wrong_value


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
            "overlap added up",
            "7 s is the sum of all four waits. The two within `gather` overlap: together they take "
            "as long as the longer one. Count that line again.",
        ),
        wrong_value(
            3,
            "overlap imagined",
            "3 s is the longest of the four waits. That would be right if all of them were in one "
            "`gather`. Here only two are: each `await` line begins when the line above it is done. "
            "Add up the lines.",
            headline="max for sum",
        ),
        wrong_value(
            4,
            "first for last",
            "4 s is 2 + 1 + 1: you let the `gather` end with its shorter wait. It ends with the "
            "longer one.",
            headline="min for max",
        ),
        wrong_value(
            5,
            "lost items",
            "5 s is 2 + 3: you left out the last line. It begins when the `gather` is done, and "
            "takes a second of its own.",
            headline="lost a line",
        ),
    )
