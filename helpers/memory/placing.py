"""How far somebody can predict: the areas of the course, and how sure ten drills make it.

An area stands on those before it, so what is looked for is one number, the level: how many areas,
from the first on, somebody can predict. By Bayes' rule each answer moves the probabilities of all
levels.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Area(NamedTuple):
    """Lessons that belong together. words: for "you predict …"."""

    words: str
    lessons: tuple[str, ...]


AREAS = (
    Area("overlapping waits", ("00", "01")),
    Area("generators", ("02", "03", "04")),
    Area("the ready queue", ("05", "06")),
    Area("tasks", ("07", "08")),
    Area("`gather`", ("09", "10")),
    Area("cancellation", ("11", "12")),
    Area("locks", ("13",)),
    Area("queues", ("14", "15", "16")),
)
AFTER = "17"  # the lesson to begin with for whoever predicts all areas
KNOWS, GUESSES = 0.85, 0.2  # how often somebody is right who can predict an area, and who can't
SURE = 0.7  # so likely must it be that nothing before a lesson is missed


class Question(NamedTuple):
    """A question about what somebody has done. choices: with the least level that each tells of,
    and the highest.
    """

    words: str
    choices: dict[str, tuple[int, int]]


QUESTIONS = (
    Question(
        "What have you written yourself?",
        {
            "neither generators nor async code": (0, 1),
            "generators with yield": (1, 4),
            "code with async and await": (2, 6),
            "an application or a library on asyncio": (4, 8),
        },
    ),
    Question(
        "Have you cancelled tasks, or limited their time, and dealt with what came of it?",
        {"yes": (5, 8), "no": (0, 5)},
    ),
    Question(
        "Have you ever followed how an event loop works inside?",
        {"yes": (3, 8), "no": (0, 8)},
    ),
)
TELLS = 2  # times as likely is a level of which a choice tells: people know themselves a little


def levels(said: Iterable[tuple[int, int]], answers: Iterable[tuple[int, bool]]) -> list[float]:
    """The probabilities of the levels, from none of the areas to all.

    said: of the choices, the lowest and the highest level.  answers: (number of the area, right).
    """
    weights = [1.0] * (len(AREAS) + 1)
    for low, high in said:
        weights = [one * (TELLS if low <= k <= high else 1) for k, one in enumerate(weights)]
    for area, right in answers:
        for level in range(len(weights)):
            chance = KNOWS if area < level else GUESSES
            weights[level] *= chance if right else 1 - chance
    return [one / sum(weights) for one in weights]


def next_area(thought: Sequence[float]) -> int:
    """The number of the area whose drill tells most: about which it is least sure."""
    return min(range(len(AREAS)), key=lambda area: abs(at_least(thought, area + 1) - 0.5))


def at_least(thought: Sequence[float], level: int) -> float:
    """How likely it is that somebody has this level or a higher one."""
    return math.fsum(thought[level:])


def level_of(thought: Sequence[float]) -> int:
    """The highest level that it is sure enough to begin with."""
    return max(k for k in range(len(thought)) if at_least(thought, k) >= SURE or k == 0)


def lesson_of(level: int) -> str:
    """The number of the lesson to begin with."""
    return AREAS[level].lessons[0] if level < len(AREAS) else AFTER
