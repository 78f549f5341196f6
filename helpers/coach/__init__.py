"""The coach: asks exercises, runs the answers where they can do no harm, and names the mistake;
and asks for a guess before an experiment.

For a learner: `exercise`, `guess` and `course_map`. For a check module: `Exercise`, `right`,
`wrong`, `sweep`, `wrong_value` and `Wrong`; `exercises/checks/__init__.py` describes their form.
"""

from helpers.coach.course_map import course_map
from helpers.coach.exercise import exercise
from helpers.coach.form.programs import right, wrong
from helpers.coach.form.statement import Exercise, Wrong, wrong_value
from helpers.coach.form.sweeps import sweep
from helpers.coach.guess import guess

__all__ = [
    "Exercise",
    "Wrong",
    "course_map",
    "exercise",
    "guess",
    "right",
    "sweep",
    "wrong",
    "wrong_value",
]
