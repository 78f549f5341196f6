"""The five questions that say whether async is worth it, and what the answers come to.

    guide()                                                  # to answer by mouse or keyboard
    guide(cpu="no", at_once="many", script="no").advice      # or by name

The questions are those of source 003, "The Queen's Croquet Ground" (lines 66 to 78). The answers
are the course's: each leans on a lesson, and the guide says on which.
"""

from dataclasses import dataclass

import ipywidgets
from markupsafe import Markup

from helpers.pictures.html import bundle, element
from helpers.pictures.widgets import with_widget

__all__ = ["guide", "advise", "Advice"]

# name → (question, answers; the first is the one that a guide starts from)
QUESTIONS = {
    "cpu": ("Does it mostly compute?", ("no", "yes")),
    "at_once": ("How many things must go on at once?", ("one", "a few", "many")),
    "script": ("Is it a script whose user waits for each step anyway?", ("no", "yes")),
    "new": ("Will people work on it who are new to Python?", ("no", "yes")),
    "network": ("Does it wait for the network a lot?", ("no", "yes")),
}


@dataclass(frozen=True)
class Advice:
    """tool: "plain Python", "threads", "processes", "asyncio" or "asyncio and processes".

    because: sentences.  lessons: the numbers of those that show it.
    """

    tool: str
    because: tuple[str, ...]
    lessons: tuple[int, ...]

    def __str__(self) -> str:
        shown = ", ".join(f"{lesson:02}" for lesson in self.lessons)
        return f"{self.tool}. {' '.join(self.because)} (Lessons {shown}.)"


def advise(cpu: str, at_once: str, script: str, new: str, network: str) -> Advice:
    """What the five answers come to; each is one of those in `QUESTIONS`."""
    if cpu == "yes" and at_once == "one":
        return Advice(
            "plain Python",
            ("One computation is one computation, whatever it is wrapped in.",),
            (1, 12),
        )
    if cpu == "yes" and network == "yes":
        return Advice(
            "asyncio and processes",
            (
                "The waiting overlaps on the loop; the computing goes to a process pool, or it "
                "would hold everybody up.",
            ),
            (12, 16),
        )
    if cpu == "yes":
        return Advice(
            "processes",
            ("Only more cores make computing faster, and threads share one (with the GIL).",),
            (1, 12),
        )
    if at_once == "one" or (script == "yes" and at_once == "a few" and network == "no"):
        return Advice(
            "plain Python",
            ("Nothing overlaps, so there is nothing to win; and it is the easiest to read.",),
            (1, 22),
        )
    if at_once == "many":
        because = ["A waiting task takes a kilobyte or two, a thread much more."]
        if new == "yes":
            because.append("Keep it small and at the edge, with TaskGroup and timeout alone.")
        return Advice("asyncio", tuple(because), (8, 10, 17))
    if new == "yes" or network == "no":
        return Advice(
            "threads",
            ("For a few waits at once they are as fast, and the code stays as it is.",),
            (1, 12, 14),
        )
    return Advice(
        "asyncio",
        ("A few waits overlap as well in threads; deadlines and cleanup are easier here.",),
        (11, 14),
    )


class Guide:
    """The questions with their answers so far; `advice` is what they come to."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self._box = None

    @property
    def advice(self) -> Advice:
        """The `Advice` for the answers as they stand."""
        return advise(**self.answers)

    @property
    def text(self) -> str:
        """The questions, the answers and the advice, in lines."""
        asked = [f"{QUESTIONS[name][0]} {answer}" for name, answer in self.answers.items()]
        return "\n".join([*asked, f"Take: {self.advice}"])

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        lines = Markup("<br>").join(self.text.splitlines())
        return with_widget(bundle(element("p", lines), self.text), self._widget)

    def _widget(self):
        if self._box is None:
            self._box = self._make_box()
        return self._box

    def _make_box(self):
        said = ipywidgets.HTML()

        def tell(_=None):
            said.value = element("p", element("b", "Take:"), f" {self.advice}")

        rows = []
        for name, (question, answers) in QUESTIONS.items():
            buttons = ipywidgets.ToggleButtons(
                options=answers, value=self.answers[name], tooltips=[question] * len(answers)
            )

            def answered(change, name=name):
                self.answers[name] = change["new"]
                tell()

            buttons.observe(answered, "value")
            rows += [ipywidgets.HTML(element("b", question)), buttons]
        tell()
        return ipywidgets.VBox([*rows, said])


def guide(**answers: str) -> Guide:
    """Ask the five questions; show the result as a cell's last value.

    answers: those known already, by the names in `QUESTIONS`; the first answer stands for others.
    Raises ValueError for a question or an answer that there is not.
    """
    for name, answer in answers.items():
        if name not in QUESTIONS:
            raise ValueError(f"there is no question {name!r}: there are {', '.join(QUESTIONS)}")
        if answer not in QUESTIONS[name][1]:
            there = ", ".join(map(repr, QUESTIONS[name][1]))
            raise ValueError(f"{name} is one of {there}, not {answer!r}")
    return Guide({name: given[0] for name, (_, given) in QUESTIONS.items()} | answers)
