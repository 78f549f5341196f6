from helpers.coach import Exercise, wrong_value


class PredictWaits(Exercise):
    """Predict: twelve waits, five threads

    A pool of five threads is handed twelve jobs. Each job sleeps for half a second. After how many
    seconds is the last one done? Set `seconds` to a number. Ignore the time it takes to start a
    thread.
    """

    id = "predict-waits-1"
    asks = "seconds"
    minutes = 3
    hints = (
        "Think of the bank: five tellers, twelve customers, half a second each.",
        "How many are served in the first half second? How many in the next? How many are left "
        "then?",
        "Five, five and two make three rounds: `math.ceil(12 / 5)` of them.",
    )
    right_values = (1.5,)
    wrong_values = (
        wrong_value(
            6,
            "overlap added up",
            "6 s is the sum of all twelve: what they take one after "
            "another. Five threads wait at the same time.",
        ),
        wrong_value(
            0.5,
            "overlap imagined",
            "0.5 s is one round: twelve at once. There are only five threads, so seven jobs must "
            "wait for a free one.",
            headline="forgot the number of workers",
        ),
        wrong_value(
            1.2,
            "overlap imagined",
            "1.2 s is the sum divided by five. But a wait can't be divided between two threads. "
            "Count rounds.",
            headline="divided work that can't be cut",
        ),
        wrong_value(
            1,
            "counted wrong",
            "1 s is two rounds, which serve ten. Two jobs are left, and they take as long as five.",
            headline="rounded down",
        ),
        wrong_value(
            2.5,
            "counted wrong",
            "2.5 s would be five rounds. How many jobs does a round serve?",
            headline="divided the wrong way round",
        ),
    )
