from helpers.coach import Exercise, Wrong, wrong_value


class Classify(Exercise):
    """Waiting or working?

    Ten jobs of your program. Which of them wait?

    - a: ask a weather service for tomorrow's forecast
    - b: sort ten million numbers
    - c: unpack a large archive that is already in memory
    - d: read what the user types at `input()`
    - e: `while not door.is_open(): pass`
    - f: let a database on another machine sort ten million rows, and take the first
    - g: make small copies of 500 photos that are in memory
    - h: start another program with `subprocess.run`, which computes for an hour
    - i: turn 100 MB of JSON that has just come over the network into a dict
    - j: take a lock that another thread holds

    Set `waiting` to the letters of the jobs that wait, as in `waiting = "a b c"`.
    """

    id = "classify-1"
    asks = "waiting"
    minutes = 4
    hints = (
        "Think of the two clocks: while the job runs, does the one that counts your own program's "
        "computing run, or does it stand still?",
        "Ask who computes: your program, another program, or nobody? Only what your program "
        "computes is its work.",
        "Five of them wait. Look again at the one that asks the same question as fast as it can, "
        "and at the one that starts another program.",
    )
    right_values = ("a d f h j", "adfhj", {"a", "d", "f", "h", "j"}, ["a", "d", "f", "h", "j"])
    wrong_values = (
        wrong_value("d f h j", "wait for work", "a waits: the answer travels"),
        wrong_value("a b d f h j", "work for a wait", "b works"),
        wrong_value("a c d f h j", "work for a wait", "c works"),
        wrong_value("a f h j", "wait for work", "d waits: a person types"),
        wrong_value("a d e f h j", "work for a wait", "keeps the core busy"),
        wrong_value("a d h j", "wait for work", "f waits: the other machine"),
        wrong_value("a d f g h j", "work for a wait", "g works"),
        wrong_value("a d f j", "wait for work", "h waits: the other program"),
        wrong_value("a d f h i j", "work for a wait", "the network's part is over"),
        wrong_value("a d f h", "wait for work", "j waits"),
        wrong_value("b c e g i", "wait for work", "a waits"),
        wrong_value("a d e h j", "wait for work", "e works"),
        wrong_value("a z", "value", "z"),
        wrong_value(5, "value", "letters"),
    )

    reasons = {
        "a": "the answer travels, and your program can do nothing to hurry it",
        "b": "comparing ten million numbers is computing from beginning to end",
        "c": "nothing has to be fetched any more; unpacking is arithmetic",
        "d": "a person types, and the processor is idle between two keys",
        "e": "it is meant to wait, but it asks again and again, as fast as it can, and keeps the "
        "core busy",
        "f": "the other machine sorts; yours gets one row when that is done",
        "g": "each pixel of a small photo is computed from many pixels of the large one",
        "h": "the other program computes, in a process of its own; yours only waits for its end",
        "i": "the network's part is over; what remains is reading 100 million characters",
        "j": "until the other thread releases the lock, this one is asleep",
    }

    def verify(self, waiting, lab):
        try:
            letters = {letter for letter in "".join(waiting) if letter not in " ,"}
        except TypeError:
            raise Wrong(
                "value",
                f"`waiting` is {waiting!r}; expected letters.",
                try_='Write the letters in one string, such as "a b c".',
            ) from None
        if strange := sorted(letters - set(self.reasons)):
            raise Wrong(
                "value",
                f"There is no job {', '.join(strange)}.",
                try_="The jobs have the letters a to j.",
            )
        expected = set("adfhj")
        missing, extra = sorted(expected - letters), sorted(letters - expected)
        if not missing and not extra:
            return
        kind = "wait for work" if missing else "work for a wait"
        headline = "mixed up waiting and working" if missing and extra else None
        said = [
            f"{letter} {'waits' if letter in expected else 'works'}: {self.reasons[letter]}."
            for letter in sorted(missing + extra)
        ]
        raise Wrong(
            kind,
            " ".join(said),
            try_="While it runs, does your own program compute, or does it sleep?",
            headline=headline,
        )
