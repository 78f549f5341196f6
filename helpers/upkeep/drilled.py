"""How well drills find out what somebody believes: `python -m helpers.upkeep.drilled 500`.

Simulated learners who hold one wrong belief each answer three drills on the lesson that corrects
it, as their belief has it; others answer by the truth; others make a slip. It prints how many were
told of their belief, and how many of one that they don't hold.
"""

import random
import sys

from helpers.beliefs.all import BELIEFS
from helpers.drills.answers import predictions, truth_of
from helpers.drills.catalogue import in_order, templates_for
from helpers.drills.choosing import choose
from helpers.drills.template import LEFT
from helpers.drills.weighing import after, at_first, named, told_by

DRILLS = 3
NO_HURRY = 60.0  # seconds for a choice: else it would depend on the machine
LESSONS = sorted({one.lesson for one in in_order()})


def told(belief: str | None, lesson: str, drawn: random.Random) -> list[str]:
    """The beliefs that a learner is told of in three drills on a lesson.

    belief: the one that the learner holds; None for somebody who answers by the truth.
    """
    thought = first = at_first([lesson])
    found = []
    for _ in range(DRILLS):
        program = choose(templates_for(lesson), thought, drawn, budget=NO_HURRY)
        said = " ".join(predictions(program).get(belief, truth_of(program)))
        answered = told_by(program, said)
        thought = after(thought, answered, first)
        found.append(named(thought, answered))
    return [one for one in found if one]


def told_after_a_slip(lesson: str, drawn: random.Random) -> str | None:
    """The belief that is named to somebody who says the right entries in an order drawn at random,
    or one of them in place of another.
    """
    first = at_first([lesson])
    while True:
        program = choose(templates_for(lesson), first, drawn, budget=NO_HURRY)
        truth = list(truth_of(program))
        said = drawn.sample(truth, len(truth))
        if drawn.random() < 0.5:
            said = [*truth]
            said[drawn.randrange(len(said))] = drawn.choice(truth)
        if said != truth and program.asks != LEFT:
            break
    answered = told_by(program, " ".join(said))
    return named(after(first, answered, first), answered)


def main(runs: int) -> None:
    """Print the shares."""
    drawn = random.Random(runs)
    right = wrong = 0
    for number in range(runs):
        belief = list(BELIEFS)[number % len(BELIEFS)]
        found = told(belief, BELIEFS[belief].lesson, drawn)
        right += belief in found
        wrong += any(one != belief for one in found)
    print(f"{runs} who hold a belief: {right / runs:.1%} told of it, {wrong / runs:.1%} of another")
    few = runs // DRILLS
    found = sum(bool(told(None, drawn.choice(LESSONS), drawn)) for _ in range(few))
    print(f"{few} who answer by the truth: {found / few:.1%} told of a belief")
    found = sum(bool(told_after_a_slip(drawn.choice(LESSONS), drawn)) for _ in range(runs))
    print(f"{runs} who make a slip: {found / runs:.1%} told of a belief")


if __name__ == "__main__":
    main(int(sys.argv[1]))
