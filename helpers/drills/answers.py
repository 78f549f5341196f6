"""The answer to a drill: what a world gives, what a learner types, and whether they agree."""

import collections
import functools
import math
import re

from helpers.beliefs.all import BELIEFS
from helpers.beliefs.world import TRUTH, Outcome, run_in
from helpers.drills.template import LEFT, TIMES, Program

NEVER = "never"  # stands at the end of the answer where the program does not end
NOTHING = "nothing"

Answer = tuple[str, ...]  # its entries: "a", or "a 2" with the second


def answer_of(program: Program, outcome: Outcome) -> Answer:
    """The entries of the answer that is right in the world of this outcome."""
    if program.asks == LEFT:
        return outcome.left or (NOTHING,)
    entries = [line.text for line in outcome.lines]
    if program.asks == TIMES:
        entries = [f"{line.text} {line.at:g}" for line in outcome.lines]
    if outcome.error:
        entries.append(outcome.error)
    return (*entries, NEVER) if outcome.endless else tuple(entries)


@functools.lru_cache(maxsize=256)
def truth_of(program: Program) -> Answer:
    """The right answer."""
    return answer_of(program, run_in(TRUTH, program.source, program.name))


@functools.lru_cache(maxsize=256)
def predictions(program: Program) -> dict[str, Answer]:
    """The answers that are wrong, by the ids of the beliefs that give them."""
    truth, found = truth_of(program), {}
    for id, belief in BELIEFS.items():
        if belief.matters(program.source):
            answer = answer_of(program, run_in(belief, program.source, program.name))
            if words_of(answer) != words_of(truth):
                found[id] = answer
    return found


def words_of(entries: Answer) -> tuple[str, ...]:
    """The words of an answer, without what doesn't count."""
    return tuple(words_in(" ".join(entries)))


def words_in(text: str) -> list[str]:
    """The words of what somebody typed: capitals, quotes, brackets, commas and "s" don't count."""
    words = re.sub(r"[\s,;:@()\[\]{}'\"|→>]+", " ", text.casefold()).split()
    return [_plain(word) for word in words if word not in ("s", "at")]


def _plain(word):
    number = re.fullmatch(r"(-?\d+(?:\.\d+)?)s?", word)
    return f"{float(number[1]):g}" if number else word


def agrees(program: Program, said: str, answer: Answer) -> bool:
    """Whether what was typed is this answer; letters may stand together: "abc"."""
    mine, its = words_in(said), words_of(answer)
    if program.asks == LEFT:
        return set(mine) == set(its) or (len(mine) == 1 and sorted(mine[0]) == sorted("".join(its)))
    return tuple(mine) == its or (len(mine) == 1 and mine[0] == "".join(its))


def slip(program: Program, said: str) -> float:
    """How likely it is that somebody who makes a slip says just this.

    A slip is an order of the right entries drawn at random, or one entry in place of another.
    """
    truth = truth_of(program)
    if program.asks == LEFT:
        return 1 / 2 ** len(truth)
    counts = collections.Counter(truth)
    orders = math.factorial(len(truth)) / math.prod(map(math.factorial, counts.values()))
    changes = len(truth) * max(len(counts) - 1, 1)
    mine, its = words_in(said), words_of(truth)
    if sorted(mine) == sorted(its):
        return 0.5 / max(orders - 1, 1)
    if len(mine) == len(its) and sum(one != other for one, other in zip(mine, its)) <= 2:
        return 0.5 / changes
    return 0.1 / max(orders - 1, changes)
