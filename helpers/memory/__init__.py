"""A memory for what was learnt: `review()` asks what is due; `start_with()` says where to begin.

review.py    a sitting of drills on what is due; helpers/coach/remembering.py says when that is
starting.py  three questions and ten drills; placing.py says what they tell
counted.py   a drill of which the first answer counts
field.py     questions and drills where somebody can type
deck.py      beliefs, terms (terms.py) and key points (closing.py) as a deck for Anki
"""

from helpers.memory.review import review
from helpers.memory.starting import start_with

__all__ = ["review", "start_with"]
