from helpers.coach import Exercise, wrong_value


class PredictTurns(Exercise):
    """One turn after another

    Read this program, and do not run it. A turn takes next to no time.

        async def main():
            loop = asyncio.get_running_loop()

            def note(word):
                order.append(word)

            loop.call_later(0.1, note, "late timer")
            loop.call_later(0, note, "timer")
            loop.call_soon(loop.call_soon, note, "a")
            loop.call_soon(note, "b")
            note("main")
            await asyncio.sleep(1)

    Set `order` to the list of the five words as they come.
    """

    id = "loop-turn-1"
    asks = "order"
    minutes = 4
    hints = (
        "A task that runs is not interrupted. All that `call_soon` and `call_later` do is put "
        "something somewhere. Write down the queue and the heap when `main` pauses.",
        "The queue then holds the call that asks for `a`, and the note of `b`. The next turn puts "
        "the timers that are due behind them.",
        "A turn calls what is in the queue when it begins. `a` joins during that turn, so "
        "it is called in the one after it.",
    )
    right_values = (
        ["main", "b", "timer", "a", "late timer"],
        ("main", "b", "timer", "a", "late timer"),
    )
    wrong_values = (
        wrong_value(
            ["main", "timer", "b", "a", "late timer"],
            "turns",
            "You let `timer` come before `b`, because it was asked for first and is due at "
            "once. Timers that are due go behind those who stand in the queue.",
            headline="let a timer go ahead",
        ),
        wrong_value(
            ["main", "timer", "a", "b", "late timer"],
            "turns",
            "You let `timer` come first of all calls. Timers that are due go behind those "
            "who stand in the queue.",
            headline="let a timer go ahead",
        ),
        wrong_value(
            ["main", "a", "b", "timer", "late timer"],
            "queued is run",
            "You let `a` come before `b`. The first call only asks for a call of `a`; that "
            "one goes to the end of the queue.",
            headline="called at once",
        ),
        wrong_value(
            ["main", "b", "a", "timer", "late timer"],
            "turns",
            "You let `a` join the turn that runs already. A turn calls only those who "
            "stood in the queue, timers included, when it began.",
            headline="one turn too early",
        ),
        wrong_value(
            ["timer", "b", "a", "main", "late timer"],
            "turns",
            "You let something come before `main`. Nobody else runs before `main` pauses.",
            headline="interrupted who runs",
        ),
        wrong_value(
            ["b", "timer", "a", "main", "late timer"],
            "turns",
            "You let something come before `main`. Nobody else runs before `main` pauses.",
            headline="interrupted who runs",
        ),
        wrong_value(
            ["late timer", "timer", "a", "b", "main"],
            "queued is run",
            "You took the order of the lines. `call_soon` and `call_later` call nothing: "
            "they put it into the queue and the heap.",
            headline="read it from top to bottom",
        ),
        wrong_value(
            ["late timer", "timer", "b", "main", "a"],
            "queued is run",
            "You took the order of the lines. `call_soon` and `call_later` call nothing: "
            "they put it into the queue and the heap.",
            headline="read it from top to bottom",
        ),
    )
