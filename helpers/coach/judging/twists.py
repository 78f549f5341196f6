"""What may befall one run of a sweep: a call of a service fails, or the run is cancelled."""

import ast
import asyncio
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from helpers.basics.words import seconds
from helpers.coach.judging.cases import spread
from helpers.coach.judging.runs import TICK
from helpers.coach.mistakes.handlers import EVERY_ERROR
from helpers.coach.mistakes.nodes import names_in, suppressed_by
from helpers.coach.mistakes.words import brief
from helpers.recording.recording import Recording

MOMENTS = 6  # moments of a run, at most, at which it is cancelled
ARGUMENTS = 4  # arguments of a service, at most, for which it fails in turn


@dataclass(frozen=True)
class Twist:
    """One thing that befalls a run. words: a sentence that tells it.

    service, argument, error: the service of that name fails for that argument with such an error.
    cancel_after: seconds after which the run is cancelled.
    """

    words: str = ""
    service: str | None = None
    argument: object = None
    error: type[Exception] | None = None
    cancel_after: float | None = None

    def error_of(self, service: str, argument: object) -> Exception | None:
        """What a call of this service has to raise, or None."""
        if self.error is None or service != self.service or argument != self.argument:
            return None
        return self.error(f"{service} failed")


NONE = Twist()


def failures(services: Iterable[Callable], errors: Iterable[type[Exception]]) -> list[Twist]:
    """Each of the services that were called failing in turn, for each argument and error."""
    found = []
    for service in services:
        arguments = []
        for argument in service.started:
            if argument not in arguments:
                arguments.append(argument)
        for argument in arguments[:ARGUMENTS]:
            found += (failure(service.__name__, argument, error) for error in errors)
    return found


def failure(service: str, argument: object, error: type[Exception]) -> Twist:
    """The service of this name failing for that argument with such an error."""
    said = f"`{service}` raised {error.__name__} for {brief(argument)}."
    return Twist(said, service, argument, error)


def cancellations(recording: Recording, asks: str) -> list[Twist]:
    """A cancellation between any two moments at which something happened in a run of the learner's
    function of this name, or of what the learner's class of this name is used for.
    """
    moments = sorted({start for track in recording.tracks for start in track.steps[1::3]})
    between = [(one + other) / 2 for one, other in zip(moments, moments[1:]) if other - one > TICK]
    what = "it" if asks[:1].isupper() else f"`{asks}`"
    return [
        Twist(f"I cancelled {what} after {seconds(at)}.", cancel_after=at)
        for at in spread(between, MOMENTS)
    ]


def caught_in(nodes: Iterable[ast.AST]) -> list[type[Exception]]:
    """The kinds of error that an answer names to catch them, in the order of their names: those of
    Python and of asyncio that a coroutine can raise.
    """
    names = set()
    for node in nodes:
        if isinstance(node, ast.ExceptHandler):
            names.update(names_in(node.type))
        else:
            names.update(suppressed_by(node) or ())
    known = {**vars(builtins), **vars(asyncio)}
    found = {known[name] for name in names if name in known}
    return sorted((each for each in found if _can_be_raised(each)), key=lambda each: each.__name__)


def _can_be_raised(error):
    """Whether a coroutine can raise such an error with a text; not every error at once is meant."""
    if not (isinstance(error, type) and issubclass(error, Exception)):
        return False
    if error.__name__ in EVERY_ERROR or issubclass(error, (StopIteration, StopAsyncIteration)):
        return False  # Python makes another one of those
    if error.__name__ == "QueueShutDown":
        return False  # whoever shuts a queue down takes it for that queue's end, as lesson 16 does
    try:
        error("no")
    except TypeError:
        return False
    return True
