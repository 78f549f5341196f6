from helpers.coach import Exercise, wrong_value


class PredictOrder(Exercise):
    """Predict the order

    Read this program, and do not run it.

        log = []

        async def numbers():
            for number in (1, 2):
                log.append(f"make {number}")
                yield number
                log.append(f"after {number}")

        async def use(number):
            log.append(f"use {number}")

        async def main():
            async with asyncio.TaskGroup() as group:
                async for number in numbers():
                    group.create_task(use(number))
                    log.append(f"got {number}")
                log.append("read")
            log.append("end")

        asyncio.run(main())

    Set `log` to the list of its ten words, such as "make 1", in the order in which they are noted.
    """

    id = "async-order-1"
    asks = "log"
    minutes = 5
    hints = (
        "Who goes on when `numbers` comes to its `yield`? And when the body of the loop is done?",
        "`create_task` puts a task into the ready queue. It gets its turn when another task "
        "suspends.",
        "Nothing in the loop suspends. The first thing to do so is the end of the `async with`, "
        "which waits for the tasks.",
    )
    right_values = (
        [
            "make 1",
            "got 1",
            "after 1",
            "make 2",
            "got 2",
            "after 2",
            "read",
            "use 1",
            "use 2",
            "end",
        ],
    )
    wrong_values = (
        wrong_value(
            [
                "make 1",
                "use 1",
                "got 1",
                "after 1",
                "make 2",
                "use 2",
                "got 2",
                "after 2",
                "read",
                "end",
            ],
            "queued is run",
            "You have `use 1` before `got 1`. `create_task` runs nothing: it puts the task "
            "into the queue.",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "use 1",
                "after 1",
                "make 2",
                "got 2",
                "use 2",
                "after 2",
                "read",
                "end",
            ],
            "where it switches",
            "You have `use 1` before the loop is over. `async for` awaits the next item, "
            "but the generator hands it out without waiting for anything, so the event "
            "loop has no turn.",
            headline="let every `await` give others a turn",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "use 1",
                "got 2",
                "after 2",
                "use 2",
                "read",
                "end",
            ],
            "where it switches",
            "You have `use 1` where the generator yields. A `yield` hands the item to the "
            "`async for`, and the event loop isn't told.",
            headline="let every `yield` give others a turn",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "got 2",
                "after 2",
                "use 1",
                "use 2",
                "read",
                "end",
            ],
            "where it switches",
            "You have `use 1` before `read`. The end of the stream suspends nothing either; "
            "the end of the `async with` does.",
            headline="let the end of the stream give others a turn",
        ),
        wrong_value(
            [
                "make 1",
                "after 1",
                "make 2",
                "after 2",
                "got 1",
                "got 2",
                "read",
                "use 1",
                "use 2",
                "end",
            ],
            "runs past the yield",
            "You have `after 1` before `got 1`. At its `yield` the generator pauses until the "
            "loop asks for the next item.",
            headline="made all items first",
        ),
        wrong_value(
            ["make 1", "got 1", "after 1", "make 2", "got 2", "read", "use 1", "use 2", "end"],
            "runs past the yield",
            "You left out `after 2`. The loop asks once more after the last item, and the "
            "generator runs to its end.",
            headline="stopped at the last `yield`",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "after 1",
                "make 2",
                "got 2",
                "after 2",
                "read",
                "end",
                "use 1",
                "use 2",
            ],
            "await waits",
            "You have `end` before the uses. The end of the `async with` waits for all "
            "tasks of its group.",
            headline="did not wait",
        ),
        wrong_value(
            [
                "make 1",
                "got 1",
                "make 2",
                "after 1",
                "got 2",
                "after 2",
                "read",
                "use 1",
                "use 2",
                "end",
            ],
            "runs past the yield",
            "You have `make 2` before `after 1`. The generator goes on after the `yield` at "
            "which it paused.",
            headline="went on from the top instead of after the `yield`",
        ),
    )
