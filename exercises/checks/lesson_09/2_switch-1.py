from helpers.coach import Exercise, wrong_value


class PredictSwitches(Exercise):
    """Who lets others run?

    Each key of `switches` is an await in a task. Beside it another task is ready. Set each value
    to True if that other task gets a turn before the await is over, and to False if not.

        switches = {
            "await free_lock.acquire()": ...,
            "await held_lock.acquire()": ...,
            "await queue.put(1)": ...,
            "await full_queue.put(1)": ...,
            "await event.wait()": ...,
            "await work()": ...,
            "await asyncio.create_task(work())": ...,
            "await asyncio.gather(work(), work())": ...,
            "await asyncio.sleep(0)": ...,
        }

    - `free_lock` is held by nobody, `held_lock` by a third task, which will release it.
    - `queue` has no limit. `full_queue` has one item and room for one; a third task will take it.
    - `event` is set already.
    - `work` is an `async def` that only returns a number.
    """

    id = "switch-1"
    asks = "switches"
    minutes = 4
    hints = (
        "Do not look at the word `await`. Ask: is there something to wait for?",
        "To await a coroutine is to call it. A task needs a turn of its own first, and `gather` "
        "makes tasks.",
        "Five of the nine let others run.",
    )
    right_values = (
        {
            "await free_lock.acquire()": False,
            "await held_lock.acquire()": True,
            "await queue.put(1)": False,
            "await full_queue.put(1)": True,
            "await event.wait()": False,
            "await work()": False,
            "await asyncio.create_task(work())": True,
            "await asyncio.gather(work(), work())": True,
            "await asyncio.sleep(0)": True,
        },
    )
    wrong_values = (
        wrong_value(
            dict.fromkeys(right_values[0], True),
            "where it switches",
            "You let all nine switch. Four of them have nothing to wait for, and run straight on.",
            headline="took every await for a switch",
        ),
        wrong_value(
            right_values[0] | {"await asyncio.sleep(0)": False},
            "where it switches",
            "You let `sleep(0)` run straight on. It waits for no time, but its bare "
            "`yield` reaches the loop: that is what it is for.",
            headline="took no time for no switch",
        ),
        wrong_value(
            right_values[0]
            | {
                "await asyncio.create_task(work())": False,
                "await asyncio.gather(work(), work())": False,
            },
            "queued is run",
            "You let tasks run at once. A new task stands at the end of the queue, and "
            "others come before it.",
        ),
        wrong_value(
            right_values[0] | {"await work()": True},
            "where it switches",
            "You let `await work()` switch. To await a coroutine is to call it.",
            headline="took a call for a task",
        ),
        wrong_value(
            right_values[0] | {"await queue.put(1)": True}, "value", "'await queue.put(1)'"
        ),
    )
