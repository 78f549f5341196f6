from helpers.coach import Exercise, Wrong, wrong_value

WAYS = {
    "slowest": "It is the name of one of the three stages: the one that finishes the fewest items "
    "a second, `workers / seconds`.",
    "seconds": "Add up the way of one item through all three stages, and what the slowest stage "
    "needs for the other items of its busiest worker.",
    "workers": '"read" finishes 50 items a second. Each worker of "fetch" finishes one in 0.3 s: '
    "how many must there be for as many items a second?",
}


class Bound(Exercise):
    """How fast can it be?

    A pipeline has three stages, and 100 items pass through it:

    - "read" takes 0.02 s for an item, with one worker;
    - "fetch" takes 0.3 s, with 10 workers;
    - "save" takes 0.05 s, with 2 workers.

    Set `answers` to a dict of three entries. "slowest": the name of the stage that sets the pace.
    "seconds": the bound for all 100 items, as the lesson computes it. "workers": with how many
    workers "fetch" would keep up with "read".
    """

    id = "bound-1"
    asks = "answers"
    minutes = 5
    hints = (
        "How many items a second does each stage finish?",
        "A stage finishes `workers / seconds` items a second. And one item alone passes through "
        "all three stages.",
        "The bound is the time of one item alone, 0.37 s, plus what the slowest stage needs for "
        "the other items of its busiest worker. How many are in a place where 50 come in a "
        "second and each stays for 0.3 s?",
    )
    right_values = ({"slowest": "fetch", "seconds": 3.07, "workers": 15},)
    wrong_values = (
        wrong_value(
            {"slowest": "fetch", "seconds": 37, "workers": 15},
            "overlap added up",
            "37 s is 100 times the time of one item: that is one item after another. In a "
            "pipeline all stages work at once.",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.0, "workers": 15},
            "bottleneck",
            "3 s is how long the slowest stage works. It can't begin before the first item is "
            "read, and the last one has still to be saved.",
            headline="forgot the ends",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.37, "workers": 15},
            "bottleneck",
            "0.37 s already holds 0.3 s for one item of the slowest stage.",
            headline="counted one twice",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 3.07, "workers": 6},
            "bottleneck",
            '6 workers finish 20 items a second. How many does "read" give?',
            headline="the wrong rate",
        ),
        wrong_value(
            {"slowest": "read", "seconds": 2.35, "workers": 15},
            "bottleneck",
            'A stage with one worker need not be the slowest: "read" finishes 50 items a '
            "second. What do the two others finish?",
            headline="the wrong stage",
        ),
        wrong_value(
            {"slowest": "save", "seconds": 2.82, "workers": 15},
            "bottleneck",
            '"save" finishes 2 / 0.05 items a second. What do the two others finish?',
            headline="the wrong stage",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 2.35, "workers": 15},
            "bottleneck",
            '2.35 s is the bound that "read" sets. There is a slower stage.',
            headline="the wrong stage",
        ),
        wrong_value(
            {"slowest": "fetch", "seconds": 2.82, "workers": 15},
            "bottleneck",
            '2.82 s is the bound that "save" sets. There is a slower stage.',
            headline="the wrong stage",
        ),
    )

    def verify(self, answers, lab):
        asked = self.right_values[0]
        if isinstance(answers, dict):
            for belief in self.wrong_values:
                name = next(name for name in asked if belief.value[name] != asked[name])
                if answers.get(name) == belief.value[name]:
                    raise belief.mistake()
            for name, way in WAYS.items():
                if name in answers and answers[name] != asked[name]:
                    raise Wrong("value", f"{name!r} is {answers[name]!r}.", try_=way)
        lab.equal(answers, asked, what="`answers` is", secret=True)
