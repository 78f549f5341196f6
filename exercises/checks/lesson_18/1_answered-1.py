from helpers.coach import Exercise, Wrong, wrong_value


class HowLong(Exercise):
    """How long do they take?

    Sixty requests arrive at once. Each page waits for 0.1 s, and work takes no time. After how
    many seconds are all sixty answered? Set `seconds` to a dict; to a tenth of a second is enough.

    - `"one thread"`: Flask, `time.sleep`, on a server with one thread
    - `"a thread each"`: Flask, `time.sleep`, on the development server as `app.run()` starts it
    - `"waitress"`: Flask, `time.sleep`, on waitress with its four threads
    - `"awaits"`: FastAPI, `async def` with `await asyncio.sleep`
    - `"blocks"`: FastAPI, `async def` with `time.sleep`
    - `"def"`: FastAPI, `def` with `time.sleep`; its pool has forty threads
    """

    id = "answered-1"
    asks = "seconds"
    minutes = 5
    hints = (
        "For each: how many pages can wait at the same moment? Then it goes in rounds.",
        "Sixty in one thread are sixty rounds; sixty in four threads are fifteen.",
        "Which of the two views of FastAPI runs in the loop's own thread, and what does "
        "`time.sleep` do there? The other one gets a thread of forty.",
    )
    right_values = (
        {
            "one thread": 6.0,
            "a thread each": 0.1,
            "waitress": 1.5,
            "awaits": 0.1,
            "blocks": 6.0,
            "def": 0.2,
        },
    )
    wrong_values = (
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 0.1,
                "def": 6.0,
            },
            "async def unblocks",
            "runs in the loop",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 0.1,
                "def": 0.2,
            },
            "async def unblocks",
            "never awaits",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 6.0,
            },
            "async def unblocks",
            "in a thread",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.1,
            },
            "overlap imagined",
            "forty",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 6.0,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "overlap added up",
            "a thread each",
        ),
        wrong_value(
            {
                "one thread": 0.1,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "overlap imagined",
            "one thread",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 0.1,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "overlap imagined",
            "rounds of four",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 6.0,
                "blocks": 6.0,
                "def": 0.2,
            },
            "overlap added up",
            "sixty tasks",
        ),
    )

    BELIEFS = (
        (
            "blocks",
            lambda given: given < 1,
            "async def unblocks",
            "trusted in `async def`",
            "`blocks`: an `async def` runs in the loop, in its one thread, and this one never "
            "awaits. While it sleeps nobody else has a turn.",
        ),
        (
            "def",
            lambda given: given >= 6,
            "async def unblocks",
            "overlooked the thread of a `def`",
            "`def`: FastAPI calls a plain `def` in a thread, so it doesn't hold the loop up.",
        ),
        (
            "def",
            lambda given: given < 0.15,
            "overlap imagined",
            "forgot the size of the pool",
            "`def`: the threads for it are forty, and sixty want one.",
        ),
        (
            "a thread each",
            lambda given: given > 0.5,
            "overlap added up",
            "added up what threads wait",
            "`a thread each`: a thread that sleeps keeps no other thread from sleeping.",
        ),
        (
            "one thread",
            lambda given: given < 5,
            "overlap imagined",
            "let one thread wait for several at once",
            "`one thread`: it is in `time.sleep` for one request, and can begin no other.",
        ),
        (
            "waitress",
            lambda given: given < 1,
            "overlap imagined",
            "forgot that there are four threads",
            "`waitress`: four threads serve four requests at a time. How many rounds of four are "
            "sixty?",
        ),
        (
            "awaits",
            lambda given: given > 0.5,
            "overlap added up",
            "added up what tasks wait",
            "`awaits`: each of the sixty tasks waits by `await`, and meanwhile the others have "
            "their turns.",
        ),
    )

    def verify(self, seconds, lab):
        expected = self.right_values[0]
        if not isinstance(seconds, dict):
            raise Wrong(
                "value", f"`seconds` is {seconds!r}.", try_="Make it a dict: name to number."
            )
        for name in expected:
            if type(seconds.get(name)) not in (int, float):
                raise Wrong(
                    "value",
                    f"`seconds[{name!r}]` is {seconds.get(name)!r}.",
                    try_=f"Give a number for each of {', '.join(map(repr, expected))}.",
                )
        for name, mistaken, kind, headline, says in self.BELIEFS:
            if mistaken(seconds[name]):
                raise Wrong(kind, says, try_="Count the rounds.", headline=headline)
        off = [name for name in expected if abs(seconds[name] - expected[name]) > 0.051]
        if off:
            raise Wrong(
                "value",
                f"Not yet right: {', '.join(map(repr, off))}.",
                try_="Sixty divided by how many wait at the same moment: that many rounds, of "
                "0.1 s each.",
            )
