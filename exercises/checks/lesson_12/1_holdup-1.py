from helpers.coach import Exercise, Wrong, wrong_value

LINES = frozenset(range(1, 16)) - {3}  # line 3 is empty


class FindTheBlockers(Exercise):
    """Find the lines that hold the loop up

    Read this program, and do not run it. `data` is large, the network is slow, and `pool` is a
    ThreadPoolExecutor with a free thread. `asyncio.wrap_future` turns a pool's future into one
    that can be awaited.

         1  async def total(data):
         2      return sum(data)
         3
         4  async def one_day(path, url, pool):
         5      await asyncio.sleep(1)
         6      time.sleep(1)
         7      await asyncio.to_thread(time.sleep, 1)
         8      page = await asyncio.to_thread(requests.get, url)
         9      await asyncio.to_thread(path.write_bytes, requests.get(url).content)
        10      path.read_bytes()
        11      task = asyncio.create_task(total(page.content))
        12      future = pool.submit(time.sleep, 1)
        13      await asyncio.wrap_future(future)
        14      pool.submit(time.sleep, 1).result()
        15      await task

    While some of these lines run, no other task on the loop has a turn until they are done. Set
    `blocking` to the list of their numbers. If one function of this program calls another, the
    line inside counts.
    """

    id = "holdup-1"
    asks = "blocking"
    minutes = 6
    hints = (
        "For each line: in which thread does the slow part run?",
        "Python computes the arguments of a call first, in the thread that makes the call.",
        "There are five. One is in `total`, one is hidden in an argument, and one waits for a "
        "future that can't be awaited.",
    )
    right_values = ([2, 6, 9, 10, 14],)
    wrong_values = (
        wrong_value([6, 9, 10, 14], "async def unblocks", "no `await` inside"),
        wrong_value([6, 9, 10, 14, 15], "blames the waiting", "Line 15"),
        wrong_value([2, 6, 9, 10, 14, 15], "blames the waiting", "Line 15"),
        wrong_value([2, 6, 9, 10, 11, 14], "queued is run", "Line 11"),
        wrong_value([2, 6, 10, 14], "called, not handed over", "before `to_thread` is called"),
        wrong_value([2, 6, 9, 14], "async def unblocks", "no `await` in front of"),
        wrong_value([2, 6, 9, 10], "async def unblocks", "blocks the thread"),
        wrong_value([2, 6, 9, 10, 12, 14], "queued is run", "Line 12"),
        wrong_value([2, 6, 7, 8, 9, 10, 14], "blames the waiting", "beside the loop"),
        wrong_value([2, 5, 6, 9, 10, 14], "blames the waiting", "Line 5"),
        wrong_value([2, 9, 10, 14], "async def unblocks", "Line 6"),
        wrong_value([2, 6, 9, 10, 13, 14], "blames the waiting", "Line 13"),
        wrong_value([1, 2, 6, 9, 10, 14], "not run yet", "Line 1 only"),
        wrong_value([2, 4, 6, 9, 10, 14], "not run yet", "Line 4 only"),
    )

    BELIEFS = (
        # lines wrongly named, or (negative) wrongly left out; kind; headline; what to say
        (
            1,
            "not run yet",
            "took a definition for run",
            "Line 1 only defines a function. Its lines run later.",
        ),
        (
            4,
            "not run yet",
            "took a definition for run",
            "Line 4 only defines a function. Its lines run later.",
        ),
        (
            15,
            "blames the waiting",
            "blamed the line that waits",
            "Line 15 only waits. `total` was a task and had its turn "
            "when `one_day` first waited after line 11; the line that computes is inside it.",
        ),
        (
            11,
            "queued is run",
            "took queuing for running",
            "Line 11 puts a task into the ready queue, and runs nothing of it.",
        ),
        (
            12,
            "queued is run",
            "let `submit` wait",
            "Line 12 hands the job to a thread of the pool, and goes on.",
        ),
        (
            7,
            "blames the waiting",
            "overlooked the thread",
            "In line 7 the sleep is in a thread, beside the loop. This line only awaits it.",
        ),
        (
            8,
            "blames the waiting",
            "overlooked the thread",
            "In line 8 the request is made in a thread, beside the loop. This line only awaits it.",
        ),
        (
            5,
            "blames the waiting",
            "blamed an `await`",
            "Line 5 waits, and it waits with `await`: the others have their turns.",
        ),
        (
            13,
            "blames the waiting",
            "blamed an `await`",
            "Line 13 waits, and it waits with `await`: `wrap_future` makes "
            "something that the loop can wait for.",
        ),
        (
            -6,
            "async def unblocks",
            "overlooked `time.sleep`",
            "Line 6 is not among them. `time.sleep` holds the thread, and "
            "the loop lives in that thread.",
        ),
        (
            -2,
            "async def unblocks",
            "trusted in `async def`",
            "You left out the line that adds up large `data`. `total` "
            "is `async def`, but there is no `await` inside: it computes to its end.",
        ),
        (
            -9,
            "called, not handed over",
            "overlooked that the argument comes first",
            "Look at line 9 again. `requests.get(url)` is called "
            "here, with parentheses, before `to_thread` is called.",
        ),
        (
            -10,
            "async def unblocks",
            "took reading a file for a wait",
            "Look at line 10 again. The disk is slow, and there is no `await` in "
            "front of the call.",
        ),
        (
            -14,
            "async def unblocks",
            "overlooked that `result()` waits",
            "Look at line 14 again. `result()` of a pool's future blocks the "
            "thread that asks until there is a result.",
        ),
    )

    def verify(self, blocking, lab):
        if not isinstance(blocking, (list, tuple)):
            raise Wrong(
                "value",
                f"`blocking` is {blocking!r}.",
                try_="Make it a list of line numbers: `[1, 2]`.",
            )
        if strange := [line for line in blocking if line not in LINES]:
            raise Wrong(
                "value",
                f"There is no line {strange[0]!r}.",
                try_="The numbers stand in front of the lines, 1 to 15; line 3 is empty.",
            )
        for line, kind, headline, says in self.BELIEFS:
            if (line in blocking) if line > 0 else (-line not in blocking):
                raise Wrong(kind, says, try_="", headline=headline)
        lab.equal(sorted(set(blocking)), self.right_values[0], what="`blocking` is", secret=True)
