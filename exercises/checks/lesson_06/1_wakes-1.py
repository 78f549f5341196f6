from helpers.coach import Exercise, wrong_value


class PredictWakes(Exercise):
    """Predict who wakes when

    Read this program, and do not run it. `sleep` and `Loop` are those of `timers.py`.

        async def naps(name, *lengths):
            for seconds in lengths:
                await sleep(seconds)
            print(name)

        loop = Loop()
        loop.spawn(naps("a", 0.3))
        loop.spawn(naps("b", 0.1, 0.1))
        loop.spawn(naps("c", 0.1))
        loop.spawn(naps("d", 0))
        loop.spawn(naps("e", 0.1))
        loop.run()

    Set `order` to the list of names in the order in which they are printed.
    """

    id = "wakes-1"
    asks = "order"
    minutes = 3
    hints = (
        "Write the moment at which each is done beside its name.",
        "`sleep(0)` is one turn for the others, and no wait. Two naps add up.",
        "d after one turn, at 0; c and e at 0.1, in the order of their tickets; then b and a.",
    )
    right_values = (["d", "c", "e", "b", "a"],)
    wrong_values = (
        wrong_value(
            ["a", "b", "c", "d", "e"],
            "turns",
            "You printed them as they were spawned. All five begin in that order; they "
            "end when their sleeps are over.",
            headline="in the order of spawning",
        ),
        wrong_value(
            ["d", "b", "c", "e", "a"],
            "turns",
            "You woke `b` for good at 0.1. It then sleeps again, for another 0.1.",
            headline="one nap of two",
        ),
        wrong_value(
            ["d", "e", "c", "b", "a"],
            "heap",
            "`c` went to sleep before `e`, so its deadline is the earlier one, or its "
            "ticket the lower one.",
            headline="equal deadlines turned round",
        ),
        wrong_value(
            ["d", "c", "b", "e", "a"],
            "turns",
            "You woke `b` for good between `c` and `e`, at 0.1. It then sleeps again, for "
            "another 0.1.",
            headline="one nap of two",
        ),
        wrong_value(
            ["d", "c", "e", "a", "b"],
            "turns",
            "You let `a` come before `b`. `b` sleeps twice for 0.1 s: that is over before "
            "the 0.3 s of `a`.",
            headline="two naps for more than they are",
        ),
        wrong_value(
            ["c", "e", "b", "a", "d"],
            "where it switches",
            "You let `d` come last. It sleeps for 0 s: one turn for the others, and on.",
            headline="a sleep of nothing",
        ),
        wrong_value(
            ["c", "d", "e", "b", "a"],
            "where it switches",
            "You let `c` come before `d`. `c` sleeps for 0.1 s, and `d` for no time at "
            "all: it goes on in the next round.",
            headline="a sleep of nothing",
        ),
    )
