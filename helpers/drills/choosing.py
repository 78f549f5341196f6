"""Which drill comes next: the one whose answer tells most about what the learner may believe."""

import collections
import math
import random
import time
from collections.abc import Collection, Sequence

from helpers.beliefs.world import Belief, run_in
from helpers.drills.answers import answer_of, predictions, truth_of, words_of
from helpers.drills.template import Program, Template
from helpers.drills.weighing import TRUTH

CANDIDATES = 24
VARIANTS = 1000  # of a template, from which the candidates are drawn
BUDGET = 0.4  # seconds, after which no more candidates are looked at
LOOKED_AT = 300  # variants, until one asks about a belief
FEWEST = 4  # entries of an answer; shorter ones are guessed too easily


def tells(program: Program, thought: dict[str, float]) -> float:
    """How much the answer is expected to tell, in bits: the entropy of the answers that those who
    hold the beliefs would give. Beliefs that answer alike count as one.
    """
    shares = collections.Counter()
    wrong = predictions(program)
    for id, share in thought.items():
        shares[words_of(wrong[id]) if id in wrong else TRUTH] += share
    bits = -sum(share * math.log2(share) for share in shares.values() if share > 0)
    return bits if len(truth_of(program)) >= FEWEST else bits / 4


def choose(
    templates: Sequence[Template],
    thought: dict[str, float],
    drawn: random.Random,
    seen: Collection[tuple[str, int]] = (),
    budget: float = BUDGET,
) -> Program:
    """The next drill: of some variants of these templates the one that tells most.

    thought: the probabilities of the beliefs.  seen: ids and variants that were asked already.
    budget: seconds; one candidate is looked at in any case.
    """
    until = time.perf_counter() + budget
    best, most = None, -1.0
    order = drawn.sample(list(templates), len(templates))
    for number in range(CANDIDATES):
        chosen = order[number % len(order)]
        variant = drawn.randrange(VARIANTS)
        while (chosen.id, variant) in seen:
            variant = drawn.randrange(VARIANTS)
        program = chosen.variant(variant)
        if (bits := tells(program, thought)) > most:
            best, most = program, bits
        if time.perf_counter() > until:
            break
    return best


def asking_about(
    belief: Belief,
    templates: Sequence[Template],
    drawn: random.Random,
    seen: Collection[tuple[str, int]] = (),
) -> Program | None:
    """A drill in which this belief predicts something wrong; None if the templates make none.

    seen: ids and variants that were asked already.
    """
    short = None
    for _ in range(LOOKED_AT):
        template, variant = drawn.choice(templates), drawn.randrange(VARIANTS)
        program = template.variant(variant)
        if (template.id, variant) in seen or not belief.matters(program.source):
            continue
        truth = truth_of(program)
        wrong = answer_of(program, run_in(belief, program.source, program.name))
        if words_of(wrong) != words_of(truth):
            if len(truth) >= FEWEST:
                return program
            short = short or program  # too easily guessed, but better than none
    return short
