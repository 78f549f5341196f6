"""What a learner may believe: a probability for each belief, from the answers to drills.

Somebody who knows the truth says what happens, and now and then makes a slip; somebody who holds
a belief says what it predicts, which on most programs is what happens. By Bayes' rule each answer
moves the probabilities; and as people learn, older answers count for less.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from helpers.beliefs.all import BELIEFS
from helpers.drills.answers import agrees, predictions, slip, truth_of
from helpers.drills.template import Program

TRUTH = "truth"
KNOWS = 0.6  # before the first answer
THERE = 12  # times as likely as others are the beliefs that the lessons asked about correct
SLIPS = 0.15  # of the answers
FADES = 0.05  # with each answer, this share of what was thought goes back to the beginning
LEAST = 1e-6  # how likely any slip is: a rarer one is kept as 0, as if nobody could make it
SURE = 0.8  # from here on a belief is named


class Answered(NamedTuple):
    """What an answer to a drill tells.

    ids: of the beliefs that told it apart from the truth, if it was right; if it was wrong, of
    those that predicted it.  slip: how likely a slip would be just that.
    """

    right: bool
    ids: tuple[str, ...]
    slip: float


def told_by(program: Program, said: str) -> Answered:
    """What this answer to this program tells."""
    right = agrees(program, said, truth_of(program))
    wrong = predictions(program)
    ids = tuple(id for id in wrong if right or agrees(program, said, wrong[id]))
    return Answered(right, ids, slip(program, said))


def at_first(lessons: Collection[str] = ()) -> dict[str, float]:
    """What is thought of somebody who has not answered yet and asks for drills on these lessons."""
    weights = {id: THERE if one.lesson in lessons else 1 for id, one in BELIEFS.items()}
    each = (1 - KNOWS) / sum(weights.values())
    return {TRUTH: KNOWS} | {id: weight * each for id, weight in weights.items()}


def after(
    thought: dict[str, float], answered: Answered, first: dict[str, float]
) -> dict[str, float]:
    """What is thought after one more answer. first: what was thought before all of them."""
    weights = {}
    for id, share in thought.items():
        predicted = (id in answered.ids) != answered.right
        likely = (1 - SLIPS) * predicted + SLIPS * max(answered.slip, LEAST)
        weights[id] = ((1 - FADES) * share + FADES * first[id]) * likely
    total = sum(weights.values())
    return {id: weight / total for id, weight in weights.items()}


def after_all(answers: Iterable[Answered], lessons: Collection[str] = ()) -> dict[str, float]:
    """What is thought after these answers, the latest last, of somebody who asks for drills on
    these lessons.
    """
    thought = first = at_first(lessons)
    for answered in answers:
        thought = after(thought, answered, first)
    return thought


def named(thought: dict[str, float], answered: Answered) -> str | None:
    """The belief that a wrong answer shows, if it is beyond doubt; `thought` is after it."""
    if answered.right:
        return None
    return next((id for id in answered.ids if thought[id] >= SURE), None)
