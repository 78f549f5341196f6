"""A learner's side of a class: joins the board, and tells it how exercises and guesses go.

`joining` is what a learner calls; the coach calls `told`. The board itself is `helpers.board`.
"""

from helpers.room.joining import hand, join, leave, told

__all__ = ["hand", "join", "leave", "told"]
