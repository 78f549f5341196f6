"""The sweep: the answer is asked with many cases, and has to behave as the model does in each.

A sample is not a proof: what an exercise's `verify` asks with is a sample. Here the first right
program of the exercise is the oracle. The cases are those that the exercise's sweeps draw; in some
of them a service fails or the run is cancelled besides.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.sweeps import Sweep
from helpers.coach.judging.cases import Case, cases_of, smaller_than, spread
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.seen import differ
from helpers.coach.judging.twists import NONE, Twist, cancellations, failures
from helpers.coach.mistakes.words import brief

TWISTED = 3  # cases of a sweep, at most, that are asked with a failure or a cancellation


@dataclass
class Outcome:
    """What came of asking once: what the play returned, or what it raised; and the inputs of the
    case that are not what they were, by name: (before, afterwards), as text.
    """

    seen: object = None
    error: BaseException | None = None
    changed: dict[str, tuple[str, str]] = field(default_factory=dict)


class Sweeping:
    """The sweeps of an exercise, as one answer is asked with them.

    again: makes the same answer anew, as if no call had been made of it. go_on: is called before
    each run, which has time of its own.
    """

    def __init__(
        self,
        exercise: type[Exercise],
        lab: Lab,
        again: Callable[[], Any],
        go_on: Callable[[], None],
    ):
        self._exercise = exercise
        self._lab = lab
        self._again = again
        self._go_on = go_on
        self._model = model_of(exercise) if exercise.sweeps else None

    def judge(self, answer: Any) -> None:
        """Return if the answer behaves as the model does; else raise the Wrong, or whatever the
        answer raised, in the first case where it doesn't.
        """
        lab = self._lab
        shown, lab.sweeping = lab.recording, True
        for sweep in self._exercise.sweeps:
            self._sweep(sweep, answer)
        lab.sweeping, lab.recording = False, shown

    def _sweep(self, sweep: Sweep, answer):
        lab, plain = self._lab, []
        for case in cases_of(sweep):
            expected = self._ask(sweep, self._model, case)
            if isinstance(expected.error, Wrong):
                raise RuntimeError(
                    f"{self._exercise.id}: the model itself is wrong for {case}"
                ) from expected.error
            plain.append((case, list(lab.services), lab.recording))
            try:
                self._compare(sweep, answer, case, NONE, expected)
            except Exception as error:
                self._smallest(sweep, answer, case, error)
        called = [each for each in plain if any(service.started for service in each[1])]
        for case, services, recording in _some(called if sweep.fails else plain):
            twists = failures(services, sweep.fails)
            if sweep.cancels and recording is not None:
                twists += cancellations(recording)
            for twist in twists:
                expected = self._ask(sweep, self._model, case, twist)
                if not isinstance(expected.error, Wrong):
                    self._compare(sweep, answer, case, twist, expected)

    def _smallest(self, sweep, answer, case, error) -> NoReturn:
        """Raise what is wrong in the smallest case there is, where `case` ended in `error`.

        On the real clock it stays with this case, a small one already: what goes wrong there may
        take its time again and again.
        """
        lab = self._lab
        if isinstance(error, RecursionError):
            raise error  # no smaller case goes as deep, and to ask this one again takes its time
        shown = lab.called, lab.recording
        # What a task that was left behind does when it is collected goes wrong once, and no more.
        if self._is_right(sweep, self._again(), case) and not self._is_right(sweep, answer, case):
            lab.called, lab.recording = shown
            said = error.observed if isinstance(error, Wrong) else f"It raised {error!r}."
            raise Wrong(
                "shared state",
                f"It was not the first call, and a first one goes well. {said}",
                lab.earliest(lab.kept_default(), lab.outer_name(), lab.class_attribute()),
                try_="What a call makes belongs to that call. Look for a name outside of the "
                "function, a default that is a list or a dict, an attribute of a class.",
                headline="kept something from an earlier call",
            )
        for less in smaller_than(case, sweep) if lab.clock == "virtual" else ():
            if not self._is_right(sweep, answer, less):
                expected = self._ask(sweep, self._model, less)
                self._compare(sweep, answer, less, NONE, expected)
        lab.called, lab.recording = shown
        raise error

    def _is_right(self, sweep, answer, case):
        expected = self._ask(sweep, self._model, case)
        try:
            self._compare(sweep, answer, case, NONE, expected)
        except Exception:
            return False
        return True

    def _compare(self, sweep, answer, case, twist, expected):
        got = self._ask(sweep, answer, case, twist)
        if got.error is not None and expected.error is None:
            raise got.error
        if got.error is not None and isinstance(got.error, Wrong):
            raise got.error
        differ(self._lab, expected.error or expected.seen, got.error or got.seen)
        for name in got.changed.keys() - expected.changed.keys():
            self._lab.changed_input(*got.changed[name])

    def _ask(self, sweep: Sweep, program, case: Case, twist: Twist = NONE) -> Outcome:
        lab = self._lab
        self._go_on()
        lab.begin_case(twist)
        given = copy.deepcopy(case)
        try:
            seen = sweep.play(self._exercise(), program, lab, **given)
            lab.check_awaited()
            before = case | {f"own {n}": copied for n, (_, copied) in enumerate(lab.owned)}
            after = given | {f"own {n}": thing for n, (thing, _) in enumerate(lab.owned)}
            return Outcome(seen, changed=_changed(before, after))
        except BaseException as error:
            return Outcome(error=error)


def model_of(exercise: type[Exercise]) -> Any:
    """The first right program as an answer: what its text defines under the asked name."""
    names = {"__name__": "__main__"}
    exec(compile(exercise.solution(), f"<the model of {exercise.id}>", "exec"), names)
    return names[exercise.asks]


def _changed(case: Case, given: Case) -> dict[str, tuple[str, str]]:
    """The lists, dicts and sets of a case that a program has changed."""
    found = {}
    for name, value in case.items():
        # A copy of an error or of an object of ours is another one, and looks alike.
        if isinstance(value, (list, dict, set)) and value != given[name]:
            if repr(value) != repr(given[name]):
                found[name] = (brief(value), brief(given[name]))
    return found


def _some(cases):
    """A few of them, without the smallest, which ask for little."""
    return spread(cases[len(cases) // (TWISTED + 1) :], TWISTED)
