from helpers.coach import Exercise, wrong_value


class PredictLayers(Exercise):
    """Predict a delegation

    Read this program, and do not run it.

        def inner():
            a = yield 1
            b = yield a + 1
            return a * b

        def outer():
            c = yield from inner()
            yield c + 100

        o = outer()
        answers = [o.send(None), o.send(5), o.send(6)]

    Set `answers` to the list of three numbers.
    """

    id = "layers-1"
    asks = "answers"
    minutes = 4
    hints = (
        "Draw three lines, one for the caller, one for `outer`, one for `inner`, and an arrow for "
        "each value.",
        "The first two answers come from the `yield`s of `inner`. At which `yield` does the 6 "
        "arrive, and what does `inner` do then?",
        "It returns 5 * 6. That is the value of `yield from`, so `c` is 30, and `outer` goes on "
        "to a `yield` of its own.",
    )
    right_values = ([1, 6, 130], (1, 6, 130))
    wrong_values = (
        wrong_value(
            [1, 6, 30],
            "return value",
            "You let the 30 that `inner` returns go out to the caller. A return value "
            "climbs one frame only: it becomes `c`.",
            headline="handed out a return value",
        ),
        wrong_value(
            [1, 6, 106],
            "return value",
            "You gave `c` the 6. It went in to `inner`; `c` is what `inner` returned.",
            headline="took the last send for the return value",
        ),
        wrong_value(
            [1, 6, 101],
            "return value",
            "You gave `c` the 1 that `inner` yields first. What is yielded goes out to the "
            "caller; `c` is what `inner` returned.",
            headline="took a yielded value for the return value",
        ),
        wrong_value(
            [1, 6, 107],
            "return value",
            "You gave `c` something that `inner` yields. What is yielded goes out to the "
            "caller; `c` is what `inner` returned.",
            headline="took a yielded value for the return value",
        ),
        wrong_value(
            [1, 5, 6],
            "sent for yielded",
            "You let each send give back what was sent. It gives back what the next "
            "`yield` hands out.",
            headline="an echo",
        ),
        wrong_value(
            [1, 2, 106],
            "sent for yielded",
            "You gave `a` the 1 that its `yield` hands out. The value of a `yield` is "
            "what is sent in: the 5.",
            headline="took what is yielded for what is sent",
        ),
        wrong_value(
            [1, 2, 130],
            "sent for yielded",
            "You added 1 to the 1 that was yielded. `a` is what is sent in: the 5.",
            headline="took what is yielded for what is sent",
        ),
        wrong_value(
            [1, 6],
            "stopped early",
            "There are three sends, so there are three answers. `outer` goes on when "
            "`inner` has ended, and has a `yield` of its own.",
            headline="ended too early",
        ),
        wrong_value(
            [1, 6, None],
            "stopped early",
            "You let everything end where `inner` ends. `outer` goes on, and has a `yield` "
            "of its own.",
            headline="ended too early",
        ),
    )
