"""Sweeps: what an exercise says its inputs are, so that the judge can ask with many of them.

`exercises/checks/__init__.py` describes the form with an example.
"""

from collections.abc import Callable, Iterable, Mapping
from types import EllipsisType, ModuleType
from typing import Any

Inputs = Callable[[ModuleType], Mapping[str, Any]]
Calm = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Sweep:
    """One way of asking an answer, and what it may be asked with.

    play: the method of the exercise that asks once. inputs: given `hypothesis.strategies`, gives a
    strategy for each argument of `play` by its name. besides: cases that are asked in any case.
    most: cases to draw. fails: errors that each call of a service raises in turn; any_error:
    whether it may raise others as well: those are tried that the answer itself catches somewhere.
    cancels: whether the run is cancelled between any two moments at which something happens. calm:
    makes of a case the same one in which nobody is cancelled, where the inputs tell who is. unseen:
    names of inputs that no answer gets to see, such as how long each of its calls takes.
    """

    def __init__(
        self,
        play: Callable,
        inputs: Inputs,
        besides: Iterable[Mapping[str, Any]],
        most: int,
        fails: tuple[type[Exception] | EllipsisType, ...],
        cancels: bool,
        calm: Calm | None,
        unseen: tuple[str, ...],
    ):
        self.play = play
        self.inputs = inputs
        self.besides = [dict(case) for case in besides]
        self.most = most
        self.fails = tuple(error for error in fails if error is not ...)
        self.any_error = ... in fails
        self.cancels = cancels
        self.calm = calm
        self.unseen = unseen


def sweep(
    inputs: Inputs,
    *,
    besides: Iterable[Mapping[str, Any]] = (),
    most: int = 40,
    fails: tuple[type[Exception] | EllipsisType, ...] = (),
    cancels: bool = False,
    calm: Calm | None = None,
    unseen: tuple[str, ...] = (),
) -> Callable[[Callable], Callable]:
    """Mark a method of an Exercise, `method(self, answer, lab, **case)`, as one that asks an
    answer once and returns what came of it; `Sweep` tells of the arguments. Three dots at the end
    of `fails` say that a call may raise any error.

    `inputs` is called with `hypothesis.strategies` when somebody checks an answer, and not before:
    who only looks at an exercise should not wait for Hypothesis to load.
    """

    def mark(play):
        play.coach_sweep = Sweep(play, inputs, besides, most, fails, cancels, calm, unseen)
        return play

    return mark
