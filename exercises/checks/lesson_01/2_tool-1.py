from helpers.coach import Exercise, Wrong, wrong_value

TOOLS = {
    "a": "threads",
    "b": "asyncio",
    "c": "processes",
    "d": "one after another",
    "e": "one after another",
    "f": "one after another",
}


class PickTheTool(Exercise):
    """Pick the tool

    Six pieces of work, and four ways to run each: "one after another", "threads", "processes" or
    "asyncio". Your Python has a GIL, and your machine has eight cores. Take the simplest way that
    is about as fast as any.

    - a: fetch 20 pages with a library that has no async functions
    - b: hold 10,000 chat connections on which little happens, with an async library
    - c: count the words of 4,000 books in memory, half a second of pure Python for each
    - d: read one small file and print it
    - e: follow a trail of 20 pages, where each page names the next
    - f: add up four short lists, a millisecond of work for each

    Set `tools` to a dict from each letter to a way, as in `tools = {"a": "threads", "b": …}`.
    """

    id = "tool-1"
    asks = "tools"
    minutes = 5
    hints = (
        "First ask for each: does it wait or work? Then: is there anything that could overlap?",
        "Waits can overlap in threads or on a loop. Take threads for a few, or for jobs without "
        "`await`; take a loop for very many. Work needs processes, if it takes long enough to pay "
        "for their start.",
        "Three of the six are best left one after another: two have nothing that could overlap, "
        "and one is over before a process has started.",
    )
    right_values = (TOOLS,)
    wrong_values = tuple(
        wrong_value(TOOLS | {letter: tool}, kind, says)
        for letter, tool, kind, says in [
            ("c", "threads", "threads compute", "take turns on one core"),
            ("c", "asyncio", "async computes", "nothing in them pauses"),
            ("c", "one after another", "sequential", "seven cores"),
            ("a", "asyncio", "async def unblocks", "no `await` in it"),
            ("a", "processes", "heavy tool", "20 new Pythons"),
            ("a", "one after another", "sequential", "add up"),
            ("b", "threads", "heavy tool", "10,000 threads"),
            ("b", "processes", "heavy tool", "10,000 processes"),
            ("b", "one after another", "sequential", "you hear no other"),
            ("d", "threads", "heavy tool", "one job"),
            ("e", "asyncio", "heavy tool", "the next address"),
            ("f", "processes", "shipping", "longer to start"),
            ("f", "threads", "threads compute", "take turns on one core"),
        ]
    ) + (
        wrong_value({"a": "threads"}, "value", "missing"),
        wrong_value(TOOLS | {"a": "goroutines"}, "value", "goroutines"),
    )

    ways = ("one after another", "threads", "processes", "asyncio")
    mistakes = {
        ("a", "one after another"): (
            "sequential",
            "left waits in a row",
            "Pages are waits, and one after another their times add up.",
        ),
        ("a", "processes"): (
            "heavy tool",
            "paid for cores that nobody needs",
            "Waits need no core. That would start up to 20 new Pythons to let them sleep.",
        ),
        ("a", "asyncio"): (
            "async def unblocks",
            "put jobs on a loop that never pause",
            "The library has no `await` in it, so a task that calls it keeps the loop until the "
            "page arrives: one after another again.",
        ),
        ("b", "one after another"): (
            "sequential",
            "left waits in a row",
            "While you wait for the first connection, you hear no other.",
        ),
        ("b", "threads"): (
            "heavy tool",
            "took a thread for each of very many",
            "10,000 threads cost memory and start-up time only to sleep; a task is far cheaper.",
        ),
        ("b", "processes"): (
            "heavy tool",
            "took a process for each of very many",
            "10,000 processes, and each of them asleep.",
        ),
        ("c", "one after another"): (
            "sequential",
            "left cores idle",
            "It is work, and seven cores are idle.",
        ),
        ("c", "threads"): (
            "threads compute",
            "expected threads to share out work",
            "It is pure Python work: with a GIL, threads take turns on one core.",
        ),
        ("c", "asyncio"): (
            "async computes",
            "expected async to make work faster",
            "These jobs only compute: nothing in them pauses, so the loop runs them in turn.",
        ),
        ("f", "processes"): (
            "shipping",
            "paid more for the start than for the work",
            "A process takes many times longer to start than these lists take to add up.",
        ),
        ("f", "threads"): (
            "threads compute",
            "expected threads to share out work",
            "It is pure Python work: with a GIL, threads take turns on one core.",
        ),
        ("f", "asyncio"): (
            "async computes",
            "expected async to make work faster",
            "These jobs only compute: nothing in them pauses, so the loop runs them in turn.",
        ),
    }

    def verify(self, tools, lab):
        if not isinstance(tools, dict) or set(tools) != set(TOOLS):
            lab.equal(tools, TOOLS, what="`tools` is", secret=True)
        for letter, tool in tools.items():
            if tool not in self.ways:
                raise Wrong(
                    "value",
                    f"For {letter} you say {tool!r}.",
                    try_=f"The four ways are: {', '.join(self.ways)}.",
                )
        wrong_ones = [letter for letter in TOOLS if tools[letter] != TOOLS[letter]]
        if not wrong_ones:
            return
        first = wrong_ones[0]
        found = self.mistakes.get((first, tools[first])) or self.no_overlap(first)
        kind, headline, observed = found
        others = f" Look again at {', '.join(wrong_ones[1:])} too." if wrong_ones[1:] else ""
        raise Wrong(
            kind,
            f"Job {first}, {tools[first]}: {observed}{others}",
            try_="Ask: does it wait or work, how many are there, can they overlap at all?",
            headline=headline,
        )

    def no_overlap(self, letter):
        if letter == "d":
            return (
                "heavy tool",
                "wanted to overlap what is alone",
                "There is only one job, so nothing can overlap.",
            )
        return (
            "heavy tool",
            "wanted to overlap what needs the one before",
            "You learn the next address only when a page arrives.",
        )
