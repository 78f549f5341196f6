from helpers.coach import Exercise, Wrong, wrong_value


class ReadTree(Exercise):
    """Read who waits for whom

    This program seems to hang.

        async def sales(ready):
            await ready.wait()

        async def stock(lock):
            async with lock:
                await asyncio.sleep(36000)

        async def report(lock, ready):
            async with lock:
                ready.set()

        async def main():
            lock, ready = asyncio.Lock(), asyncio.Event()
            asyncio.create_task(stock(lock), name="stock")
            asyncio.create_task(report(lock, ready), name="report")
            await asyncio.create_task(sales(ready), name="sales")

    Somebody looked into it with the lesson's `links`, and found this:

        main   -> main:16 -> task sales
        report -> report:9 -> Lock.acquire
        sales  -> sales:2 -> Event.wait
        stock  -> stock:6 -> sleep

    Set `tree` to a dict of four answers:

    - "holds up": the name of the task that all the others wait for in the end
    - "deadlock": True or False; is it one?
    - "main cancelled": a list of the tasks that are cancelled at once if somebody cancels the task
      main (leave out what the end of the program does)
    - "stock cancelled": a list of the tasks that end if somebody cancels the task stock instead,
      in the order in which they end
    """

    id = "tree-1"
    asks = "tree"
    minutes = 6
    hints = (
        "Ask of each line: who ends this wait? For an event it is whoever sets it, for a lock it "
        "is whoever holds it.",
        "A deadlock is a circle. Does the way from main come back to main?",
        "A task passes a request to cancel on to the task that it awaits. A lock isn't a task: "
        "nothing is passed on to its holder.",
    )
    right_values = (
        {
            "holds up": "stock",
            "deadlock": False,
            "main cancelled": ["main", "sales"],
            "stock cancelled": ["stock", "report", "sales", "main"],
        },
        {
            "holds up": "stock",
            "deadlock": False,
            "main cancelled": ["sales", "main"],
            "stock cancelled": ["stock", "report", "sales", "main"],
        },
    )
    wrong_values = (
        wrong_value(
            right_values[0] | {"holds up": "main"}, "blames the waiting", "waits for sales"
        ),
        wrong_value(right_values[0] | {"holds up": "sales"}, "blames the waiting", "an event"),
        wrong_value(right_values[0] | {"holds up": "report"}, "blames the waiting", "the lock"),
        wrong_value(right_values[0] | {"deadlock": True}, "circle of waits", "a timer"),
        wrong_value(
            right_values[0] | {"main cancelled": ["main"]},
            "cancel passed on",
            "awaits the task sales",
        ),
        wrong_value(
            right_values[0] | {"main cancelled": ["main", "sales", "report", "stock"]},
            "cancel passed on",
            "report",
        ),
        wrong_value(
            right_values[0] | {"main cancelled": ["main", "sales", "report"]},
            "cancel passed on",
            "report",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock"]},
            "circle of waits",
            "lock",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock", "report"]},
            "circle of waits",
            "`ready.set()`",
        ),
        wrong_value(
            right_values[0] | {"stock cancelled": ["stock", "sales", "report", "main"]},
            "order",
            "Follow",
        ),
    )

    def verify(self, tree, lab):
        if isinstance(tree, dict):
            tree = {
                key: list(value) if isinstance(value, (tuple, set)) else value
                for key, value in tree.items()
            }
            self._beliefs(tree)
            if isinstance(tree.get("main cancelled"), list):
                tree["main cancelled"] = sorted(map(str, tree["main cancelled"]))
        lab.equal(tree, self.right_values[0], what="`tree` is", secret=True)

    def _beliefs(self, tree):
        blamed = {
            "main": "main waits for sales: it is at one end of the way, and not at the other.",
            "sales": "sales waits for an event. Who sets it, and what is that one waiting for?",
            "report": "report waits for the lock. Who holds it?",
        }
        if tree.get("holds up") in blamed:
            raise Wrong(
                "blames the waiting",
                f"You blame {tree['holds up']}. " + blamed[tree["holds up"]],
                try_="Go on to the end of the way.",
            )
        if tree.get("deadlock") is True:
            raise Wrong(
                "circle of waits",
                "You say that it is a deadlock. But stock waits for a timer: it rings after ten "
                "hours, and then all of them go on.",
                try_="A deadlock is a circle.",
                headline="took a long wait for a deadlock",
            )
        cancelled, ended = tree.get("main cancelled"), tree.get("stock cancelled")
        if cancelled == ["main"]:
            raise Wrong(
                "cancel passed on",
                "You let main be cancelled alone. It awaits the "
                "task sales, and passes the request on to it.",
                try_="",
                headline="a request is passed on",
            )
        if isinstance(cancelled, list) and {"report", "stock"} & set(map(str, cancelled)):
            raise Wrong(
                "cancel passed on",
                "You let it go on to report or to stock. sales waits for an event, and an event "
                "isn't a task: it knows nothing of report.",
                try_="",
                headline="a request stops where no task is awaited",
            )
        if ended == ["stock"]:
            raise Wrong(
                "circle of waits",
                "You let stock end alone. When it is "
                "cancelled, its `async with` gives the lock back, and somebody waits for "
                "that lock.",
                try_="",
                headline="a lock that is free again wakes",
            )
        if ended in (["stock", "report"], ["stock", "report", "sales"]):
            raise Wrong(
                "circle of waits",
                f"You stop at {ended[-1]}. report has the lock now, and does "
                "`ready.set()`; whoever waits for that goes on and ends, and so does "
                "whoever awaits that one.",
                try_="",
                headline="a lock that is free again wakes",
            )
        if (
            isinstance(ended, list)
            and len(ended) == 4
            and set(map(str, ended)) == {"stock", "report", "sales", "main"}
            and ended != ["stock", "report", "sales", "main"]
        ):
            raise Wrong(
                "order",
                "The four do end, in another order.",
                try_="Follow the lock, then the event, then the task: who wakes whom?",
            )
