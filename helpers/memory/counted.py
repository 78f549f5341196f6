"""A drill of which the first answer counts."""

from collections.abc import Callable

from helpers.drills.drill import Answer, Drill
from helpers.drills.template import Program


class Counted(Drill):
    """A drill that tells `heard` whether the first answer to it was right."""

    def __init__(self, program: Program, heard: Callable[[bool], object]) -> None:
        super().__init__(program)
        self._heard = heard

    def say(self, said: str) -> Answer:
        """As in a drill."""
        first = self.verdict is None
        answer = super().say(said)
        if first and self.verdict is not None:
            self._heard(self.verdict.right)
        return answer
