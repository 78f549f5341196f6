from helpers.coach import Exercise, wrong_value


class PredictTalk(Exercise):
    """Predict a conversation

    Read this program, but don't run it.

        def talk():
            a = yield 1
            b = yield a + 1
            yield a * b

        t = talk()
        answers = [t.send(None), t.send(5), t.send(6)]

    Set `answers` to the list that it makes, of three numbers.
    """

    id = "talk-1"
    asks = "answers"
    minutes = 3
    hints = (
        "Draw two lines, one for the caller and one for `talk`, and an arrow for each value.",
        "The first `send` reaches `yield 1` and gets the 1. At which `yield` does the 5 go in?",
        "The 5 becomes the value of `yield 1`, so `a` is 5. Then `talk` runs to the next `yield`.",
    )
    right_values = ([1, 6, 30], (1, 6, 30))
    wrong_values = (
        wrong_value(
            [1, 5, 6],
            "sent for yielded",
            "You let each `send` give back what was sent. It gives back what the next `yield` "
            "hands out, and here that is another number.",
            headline="an echo",
        ),
        wrong_value(
            [1, 1, 6],
            "sent for yielded",
            "You let the `yield` that takes the 5 answer `send(5)`. The answer comes from the "
            "`yield` after that.",
            headline="one yield too early",
        ),
        wrong_value(
            [None, 1, 6],
            "sent for yielded",
            "You let the first `send` give nothing. It runs to the first `yield`, and that "
            "hands out a 1 at once.",
            headline="one yield too early",
        ),
        wrong_value(
            [None, 6, 30],
            "sent for yielded",
            "The first `send` carries nothing in, but it gives back what the first `yield` hands "
            "out.",
            headline="priming gives nothing",
        ),
        wrong_value(
            [1, 2, 2],
            "sent for yielded",
            "You gave `a` the 1. The 1 goes out. The value of `yield 1` is what is sent in.",
            headline="the value handed out",
        ),
    )
