from helpers.coach import Exercise, Wrong, wrong_value


class PredictPrints(Exercise):
    """Predict what is printed

    Read this program, but don't run it.

        def steps():
            print("A")
            yield "B"
            print("C")
            yield "D"
            print("E")

        print("F")
        s = steps()
        print("G")
        print(next(s))
        print("H")
        print(next(s))
        print("I")

    Set `letters` to the letters that it prints, in order, as one string such as "ABC".
    """

    id = "prints-1"
    asks = "letters"
    minutes = 4
    hints = (
        "Put a finger on the line that runs now. At which lines does it leave `steps`?",
        "The call of `steps` prints nothing. The first `next` runs from the top to the first "
        "`yield`, and `print` shows what it gave.",
        "The second `next` goes on below the first `yield`. No line asks a third time.",
    )
    right_values = ("FGABHCDI",)
    wrong_values = (
        wrong_value(
            "FAGBHCDI",
            "not run yet",
            "You have A before G. The call `steps()` runs no line of `steps`; it makes a "
            "generator. Find the line that runs its first line.",
            headline="runs at the call",
        ),
        wrong_value(
            "FACEGBHDI",
            "not run yet",
            "You have A, C and E before G. The call `steps()` runs no line of `steps`; it makes a "
            "generator. Find what runs its lines.",
            headline="runs at the call",
        ),
        wrong_value(
            "FGABHABI",
            "runs past the yield",
            "You have A twice. The frame remembers its place: the second `next` goes on "
            "below the `yield` where the first one stopped.",
            headline="starts again at each next",
        ),
        wrong_value(
            "FGACBHEDI",
            "runs past the yield",
            "You have C before B is printed. `next` stops at the `yield` itself; the line below it "
            "runs at the next `next`.",
        ),
        wrong_value(
            "FGABCHDEI",
            "runs past the yield",
            "You have C before H. The line below the first `yield` runs only when `next` is called "
            "again.",
        ),
        wrong_value(
            "FGABHCDIE",
            "runs past the yield",
            "You have E. No line asks a third time, so nothing below the second `yield` ever runs.",
            headline="runs on by itself",
        ),
        wrong_value(
            "FGABHCDEI",
            "runs past the yield",
            "You have E. No line asks a third time, so nothing below the second `yield` ever runs.",
            headline="runs on by itself",
        ),
        wrong_value(
            "FGAHCI",
            "runs past the yield",
            "B and D are missing. `next(s)` gives the value to the right of the `yield`, and "
            "`print` shows it.",
            headline="forgot what next gives",
        ),
    )

    def verify(self, letters, lab):
        if not isinstance(letters, (str, list, tuple)):
            lab.equal(letters, self.right_values[0], what="`letters` is", secret=True)
        text = "".join(c for c in "".join(map(str, letters)).upper() if c.isalpha())
        try:
            super().verify(text, lab)
        except Wrong as found:
            if found.kind != "value":
                raise
            same = 0
            while text[: same + 1] == self.right_values[0][: same + 1] and same < len(text):
                same += 1
            raise Wrong(
                "value",
                f"`letters` is {text!r}. "
                + (
                    f"It is right up to its letter number {same}."
                    if same
                    else "Its first letter is not right yet."
                ),
                try_="Which line runs after that?" if same else "Which `print` runs first?",
            ) from None
