from helpers.coach import Exercise, wrong_value


class PredictLog(Exercise):
    """Predict the log of a run

    Read this program, and do not run it. `Loop` and `sleep` are those of `tasks.py`.

        log = []

        async def child(name):
            log.append(name + "1")
            try:
                await sleep(1)
            finally:
                log.append(name + "2")

        async def main(loop):
            a = loop.spawn(child("a"))
            b = loop.spawn(child("b"))
            c = loop.spawn(child("c"))
            c.cancel()
            log.append("spawned")
            await sleep(0)
            b.cancel()
            log.append("asked")
            await a
            log.append("over")

        loop = Loop()
        loop.run(main(loop))

    Set `log` to the list of words in the order in which they are noted.
    """

    id = "tasks-1"
    asks = "log"
    minutes = 5
    hints = (
        "Keep a list of what stands in the ready queue, and do what the first of them does until "
        "it pauses.",
        "`spawn` and `cancel` run nothing. `sleep(0)` gives a turn to each task that is in the "
        "queue by then.",
        "`c` is cancelled before its first line, so it never comes to its `try`. `b` is told at "
        "its `sleep`, in its own turn.",
    )
    right_values = (["spawned", "a1", "b1", "asked", "b2", "a2", "over"],)
    wrong_values = (
        wrong_value(
            ["a1", "b1", "c1", "spawned", "c2", "asked", "b2", "a2", "over"],
            "queued is run",
            "You let each task begin where it is spawned. `spawn` puts it into the queue; "
            "`main` goes on until it pauses itself.",
        ),
        wrong_value(
            ["a1", "b1", "spawned", "asked", "b2", "a2", "over"],
            "queued is run",
            "You let `a` and `b` begin where they are spawned. `spawn` puts them into the "
            "queue; `main` goes on until it pauses itself.",
        ),
        wrong_value(
            ["spawned", "asked", "a1", "b1", "b2", "a2", "over"],
            "where it switches",
            "You have `asked` before a1. `sleep(0)` pauses `main`: all tasks in the queue have a "
            "turn before it goes on.",
            headline="sleep(0) pauses",
        ),
        wrong_value(
            ["spawned", "asked", "a1", "a2", "over"],
            "where it switches",
            "You have `asked` before a1. `sleep(0)` pauses `main`: all tasks in the queue have a "
            "turn before it goes on.",
            headline="sleep(0) pauses",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "b2", "asked", "a2", "over"],
            "cancel is instant",
            "You have b2 before `asked`. `cancel` only asks; `b` hears of it in its next "
            "turn, and `main` goes on before that.",
            headline="cancel stops it now",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "c1", "c2", "asked", "b2", "a2", "over"],
            "what cancelling leaves",
            "You let `c` begin. It was cancelled before its first turn, so the error is "
            "thrown in before its first line.",
            headline="a task that never began",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "c2", "asked", "b2", "a2", "over"],
            "what cancelling leaves",
            "You have c2. `c` was cancelled before its first line, so it never came to its `try`.",
            headline="a finally that was not reached",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "a2", "over"],
            "what cancelling leaves",
            "You left out b2. A cancelled task gets an error at the place where it waits, "
            "and its `finally` runs.",
            headline="no cleaning up",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "b2", "over", "a2"],
            "await waits",
            "You have `over` before a2. `await a` waits for the end of `a`.",
            headline="did not wait",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "a2", "b2", "over"],
            "what cancelling leaves",
            "You let `b` sleep to the end of its second. The cancellation takes that "
            "sleep back: `b` has its turn at once.",
            headline="slept to its end",
        ),
    )
