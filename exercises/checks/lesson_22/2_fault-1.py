from helpers.coach import Exercise, wrong_value

from .shared import judge_letters

FAULTS = {
    "a": "limits differ",
    "b": "errors count as answers",
    "c": "first run",
    "d": "client too slow",
    "e": "one point",
    "f": "none",
}
# What to look at in each benchmark, whatever was said of it.
LOOK = {
    "a": (
        "unfair measuring",
        "the limits",
        "Look at `a` once more: how many requests may each server have under way?",
    ),
    "b": (
        "unfair measuring",
        "a refusal is no answer",
        "In `b` four of five clients of T got nothing, and quickly. What counts as an answer "
        "there?",
    ),
    "c": (
        "unfair measuring",
        "what the time holds",
        "Look at what the times of `c` are made of: which part will be gone at the second request?",
    ),
    "d": (
        "unfair measuring",
        "bound by the client",
        "In `d` a client that needs 10 ms for a request asks at most 100 a second. Which server "
        "could have shown more than that?",
    ),
    "e": (
        "unfair measuring",
        "said more than was measured",
        "`e` was measured well, at 50 clients. What does it say about 1, or 5,000?",
    ),
    "f": (
        "unfair measuring",
        "took a fair one for unfair",
        "Go through the five points for `f`. Which of them does it break?",
    ),
}


class Fault(Exercise):
    """What is wrong with the benchmark?

    Six benchmarks of a threaded server T and an async server A. Set `faults` to a dict from the
    letter to one of "limits differ", "errors count as answers", "first run", "client too slow",
    "one point" and "none".

    - `a`: T runs with 8 threads; A may have 1,000 requests in flight. 1,000 clients ask at once.
    - `b`: 500 clients at once. T refused 400 of them, the other 100 took 0.2 s; A served 500 in
      0.9 s. Reported: "T needs 0.2 s, A 0.9 s".
    - `c`: each server is started, asked once by one client, and stopped. The times include its
      imports.
    - `d`: one client sends one request after another; it needs 10 ms for each by itself. T and A
      both come to 97 requests a second. Reported: "no difference".
    - `e`: same work and limits, five runs in turns, errors counted; at 50 clients A is 1.1 times as
      fast. Reported: "A is faster for any number of clients".
    - `f`: same work and limits, five runs in turns, errors counted, 1 to 1,000 clients. Reported:
      a line for each server.
    """

    id = "fault-1"
    asks = "faults"
    minutes = 6
    hints = (
        "Go through the five points of the lesson for each of them.",
        "In `d`, compute how many requests a second that client can send at most.",
        "Exactly one of them is fair.",
    )
    right_values = (FAULTS,)
    wrong_values = (
        *(
            wrong_value(FAULTS | {letter: word}, kind, text)
            for letter, word in (
                ("a", "one point"),
                ("b", "none"),
                ("c", "one point"),
                ("d", "none"),
                ("d", "limits differ"),
                ("e", "none"),
                ("f", "one point"),
            )
            for kind, _, text in [LOOK[letter]]
        ),
        wrong_value(dict.fromkeys("abcdef", "none"), "unfair measuring", "`b`, `c`, `d`, `e`"),
        wrong_value(FAULTS | {"f": "nothing"}, "another form", "`f` is 'nothing'."),
    )

    def verify(self, faults, lab):
        words = tuple(FAULTS.values())
        beliefs = {(letter, word): LOOK[letter] for letter in FAULTS for word in words}
        judge_letters(lab, "faults", faults, FAULTS, words, beliefs)
