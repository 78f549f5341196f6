"""The catalogue of mistakes: a closed vocabulary of the beliefs that lead to wrong answers.

A kind is kept with the learner's progress, so it names what was believed, and not the exercise or
the words of one message: those are the check's own. Each file holds the kinds of one subject, in
the order of the course; who needs a kind that is missing adds it there.
"""

from helpers.coach.mistakes.catalogue import (
    answers,
    coroutines,
    loops,
    networks,
    sharing,
    tasks,
    tools,
)

SUBJECTS = {
    "coroutines": coroutines.KINDS,
    "loops": loops.KINDS,
    "tasks": tasks.KINDS,
    "sharing": sharing.KINDS,
    "networks": networks.KINDS,
    "tools": tools.KINDS,
    "answers": answers.KINDS,
}
KINDS = {key: kind for kinds in SUBJECTS.values() for key, kind in kinds.items()}
"""Every kind of mistake by its key."""
