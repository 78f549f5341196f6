from helpers.coach import Exercise, wrong_value


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
            "overlap added up",
            "6 s is the sum, 1 + 2 + 3: what three waits take one after another. `gather` starts "
            "all three before it waits for any. Draw the bars side by side and look where the "
            "last one ends.",
        ),
        wrong_value(
            2,
            "first for last",
            "2 s is the mean. After 2 s the third wait has one more second to go, and "
            "`gather` waits for all of them. Look for the last one to end.",
            headline="mean for max",
        ),
        wrong_value(
            1,
            "first for last",
            "After 1 s the shortest wait is over, and the other two go on. `gather` waits for all "
            "of them. Look for the last one to end.",
        ),
        wrong_value(
            0,
            "await waits",
            "`gather` starts the waits in no time, but the line says `await asyncio.gather(...)`: "
            "it goes on when the last wait is over. When is that?",
            headline="starts, does not wait",
        ),
    )
