from helpers.coach import Exercise, Wrong, wrong_value

SECONDS = {"threads": 8, "processes": 2, "asyncio": 8}


class PredictWork(Exercise):
    """Predict: eight jobs of work

    Eight jobs, and each is one second of pure Python work. The machine has four cores, Python has a
    GIL, and nothing else runs. After how many seconds are all eight done? Three times:

    - "threads": each job in a thread of its own
    - "processes": a pool of sixteen processes that have started already
    - "asyncio": each job in a task of its own

    Set `seconds_of` to a dict, as in `seconds_of = {"threads": 1, "processes": 2, "asyncio": 3}`.
    """

    id = "predict-work-1"
    asks = "seconds_of"
    minutes = 4
    hints = (
        "For each way, ask how many cores it can keep busy.",
        "Eight seconds of computing have to be done. How many cores share them?",
        "Threads share the GIL, and tasks share one thread: one core. Processes use all the cores "
        "you have and no more, however many processes you start.",
    )
    right_values = (SECONDS,)
    wrong_values = tuple(
        wrong_value(SECONDS | {way: value}, kind, says)
        for way, value, kind, says in [
            ("threads", 1, "work for a wait", "eight cores"),
            ("threads", 2, "threads compute", "only one of these threads"),
            ("processes", 1, "overlap imagined", "eight cores"),
            ("processes", 0.5, "overlap imagined", "sixteen"),
            ("processes", 8, "overlap added up", "a GIL of its own"),
            ("asyncio", 1, "work for a wait", "nothing in it pauses"),
            ("asyncio", 2, "async computes", "one thread"),
        ]
    ) + (wrong_value(8, "value", "dict"),)

    beliefs = {
        ("threads", 1): (
            "work for a wait",
            "took work for a wait",
            "1 s would need eight cores, and all threads together have one, because they share the "
            "GIL.",
        ),
        ("threads", 2): (
            "threads compute",
            "forgot the GIL",
            "2 s would be four cores at work. With a GIL only one of these threads at a time runs "
            "Python code.",
        ),
        ("processes", 1): (
            "overlap imagined",
            "counted more cores than there are",
            "1 s would need eight cores, and the machine has four. Two processes that share a core "
            "take turns.",
        ),
        ("processes", 0.5): (
            "overlap imagined",
            "counted more cores than there are",
            "0.5 s is the work divided by sixteen processes. They share four cores, and there are "
            "only eight jobs.",
        ),
        ("processes", 8): (
            "overlap added up",
            "forgot the cores",
            "Each process has a GIL of its own, so they don't wait for each other.",
        ),
        ("asyncio", 1): (
            "work for a wait",
            "took work for a wait",
            "1 s is right for eight waits. A task that works keeps the loop: nothing in it pauses.",
        ),
        ("asyncio", 2): (
            "async computes",
            "expected async to use several cores",
            "2 s would be four cores at work. All tasks of a loop run in one thread.",
        ),
    }

    def verify(self, seconds_of, lab):
        if isinstance(seconds_of, dict):
            for way in SECONDS:
                value = seconds_of.get(way)
                belief = isinstance(value, (int, float)) and self.beliefs.get((way, value))
                if belief:
                    kind, headline, observed = belief
                    raise Wrong(
                        kind,
                        f'"{way}": {observed}',
                        try_="How many cores can it keep busy?",
                        headline=headline,
                    )
        lab.equal(seconds_of, SECONDS, what="`seconds_of` is", secret=True)
