"""The model of an exercise, its first right program: what it does in each case of a sweep is the
measure of an answer.
"""

import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.sweeps import Sweep
from helpers.coach.judging.cases import Case, cases_of, drawn, spread
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.load import cpu_now
from helpers.coach.judging.twists import NONE, Twist, cancellations, failures
from helpers.coach.mistakes.source import Source
from helpers.coach.mistakes.words import brief

TWISTED = 3  # cases of a sweep, at most, that are asked with a failure or a cancellation


@dataclass
class Outcome:
    """What came of asking once: what the play returned, or what it raised; and the inputs of the
    case that are not what they were, by their place in it: (before, afterwards), as text. took:
    seconds of computing.
    """

    seen: object = None
    error: BaseException | None = None
    changed: dict[int, tuple[str, str]] = field(default_factory=dict)
    took: float = 0.0


Asked = tuple[Case, Twist, Outcome]


class Model:
    """The first right program of an exercise as an answer, and what came of asking it."""

    def __init__(self, exercise: type[Exercise]):
        self._exercise = exercise
        self._known: dict[Sweep, list[Asked]] = {}
        names = {"__name__": "__main__"}
        exec(compile(exercise.solution(), f"<the model of {exercise.id}>", "exec"), names)
        self.program = names[exercise.asks]

    def get_known(self) -> None:
        """Draw all cases and ask it with them now, once for all checks of processes that are forked
        from this one. To ask with the real clock is left to each check: it may leave threads
        behind.
        """
        for sweep in self._exercise.sweeps:
            drawn(sweep)
        if self._exercise.clock != "virtual" or self._known:
            return
        lab = Lab(self._exercise.asks, "virtual", Source(()))
        lab.sweeping = True
        try:
            known = {sweep: [*self.asked(sweep, lab)] for sweep in self._exercise.sweeps}
        finally:
            lab.stop_sites()
            lab.close()
        if not lab.in_real_time:
            self._known = known

    def asked(
        self, sweep: Sweep, lab: Lab, go_on: Callable[[float], None] = lambda took: None
    ) -> Iterator[Asked]:
        """Each case of a sweep, with what befalls it and what came of it: first all of them with
        nothing that befalls them, then some with a failure or a cancellation.

        go_on: is called before the model is asked, where it has to be, with 0: how long it will
        compute nobody knows. Raises RuntimeError where the model itself is wrong.
        """
        if sweep in self._known:
            yield from self._known[sweep]
            return
        plain = []
        for case in cases_of(sweep):
            go_on(0.0)
            expected = ask(self._exercise, self.program, lab, sweep, case)
            if isinstance(expected.error, Wrong):
                raise RuntimeError(
                    f"{self._exercise.id}: the model itself is wrong for {case}"
                ) from expected.error
            plain.append((case, lab.services, lab.recording))
            yield case, NONE, expected
        called = [each for each in plain if any(service.started for service in each[1])]
        for case, services, recording in _some(called if sweep.fails else plain):
            twists = failures(services, sweep.fails)
            if sweep.cancels and recording is not None:
                twists += cancellations(recording, lab.asks)
            for twist in twists:
                go_on(0.0)
                yield case, twist, ask(self._exercise, self.program, lab, sweep, case, twist)

    def outcome(
        self, sweep: Sweep, lab: Lab, case: Case, twist: Twist, go_on: Callable[[float], None]
    ) -> Outcome:
        """What comes of one case, which may be none of the sweep's own. go_on: as above."""
        for one, befalls, outcome in self._known.get(sweep, ()):
            if one is case and befalls == twist:
                return outcome
        go_on(0.0)
        return ask(self._exercise, self.program, lab, sweep, case, twist)


@functools.cache
def model_of(exercise: type[Exercise]) -> Model:
    """The one Model of an exercise in this process."""
    return Model(exercise)


def ask(
    exercise: type[Exercise],
    program: Any,
    lab: Lab,
    sweep: Sweep,
    case: Case,
    twist: Twist = NONE,
) -> Outcome:
    """Ask a program with one case: an answer, or the model."""
    begun = cpu_now()
    lab.begin_case(twist)
    given = copy.deepcopy(case)
    try:
        seen = sweep.play(exercise(), program, lab, **given)
        lab.check_awaited()
        things = [(value, given[name]) for name, value in case.items()]
        things += [(copied, thing) for thing, copied in lab.owned]
        return Outcome(seen, changed=_changed(things), took=cpu_now() - begun)
    except BaseException as error:
        return Outcome(error=error, took=cpu_now() - begun)


def _changed(things):
    """The lists, dicts and sets that a program has changed, by their place among the things.

    things: each as it was, and as it is.
    """
    found = {}
    for at, (was, now) in enumerate(things):
        # A copy of an error or of an object of ours is another one, and looks alike.
        if isinstance(was, (list, dict, set)) and was != now and repr(was) != repr(now):
            found[at] = (brief(was), brief(now))
    return found


def _some(cases):
    """A few of them, without the smallest, which ask for little."""
    return spread(cases[len(cases) // (TWISTED + 1) :], TWISTED)
