"""Drills: short programs made from templates, and the question what they do.

`drill("07")` asks one. An answer is compared with what happens (`helpers.beliefs.world`), and if
it is wrong with what each wrong belief predicts (`helpers.beliefs.all`).

    template.py    what a template is; generating, running, together, sharing hold them
    catalogue.py   all of them, by lesson and topic
    answers.py     the right answer, the wrong ones, and what was typed
    weighing.py    what a learner may believe
    choosing.py    the drill that tells most about it
    verdict.py     what is said to an answer
    drill.py       what a learner calls; field.py where somebody can type
"""

from helpers.drills.drill import drill

__all__ = ["drill"]
