"""What a sweep compares: what came of one case with the answer, and what with the model."""

from collections.abc import Callable, Mapping

from helpers.basics.words import count, seconds
from helpers.coach.form.statement import Wrong, same_value, surplus
from helpers.coach.judging.comparing import Comparing
from helpers.coach.judging.runs import Run, is_longer
from helpers.coach.mistakes.suspects import Suspect, of_fixed_number, of_limit
from helpers.coach.mistakes.words import brief, error_words

HELD_UP = (
    "waits while an error is on its way",
    "Until that wait is over the error doesn't come out, and all others go on. A wait that is "
    "needed only when all goes well belongs after the `try`, not in its `finally`.",
)
INSTEAD = (
    "This is an error that your code met, and another one is asked for here: raise that one "
    "instead."
)
GROUPED = "The errors that came have to come out in a group, also where there is only one."
UNGROUPED = (
    "The error that came has to come out alone. A TaskGroup puts the errors of its tasks into a "
    "group: do without one here, or raise what is in it."
)


class Seen:
    """What is to be compared of one run: its result or error, its seconds on the exercise's clock,
    and the calls of services.

    without: what is left out, "result", "seconds", "calls" or "peak"; with "group" an error may
    come alone or in groups.
    """

    def __init__(self, run: Run, services: tuple[Callable, ...], without: tuple[str, ...]):
        self.run = run
        self.services = services
        self.without = without

    def differ(self, lab: Comparing, got: "Seen") -> None:
        """Raise what is wrong with `got`, where this is what the model did."""
        self.differ_in_outcome(lab, got)
        self.differ_in_seconds(lab, got)

    def differ_in_outcome(self, lab: Comparing, got: "Seen") -> None:
        """Raise what is wrong with what came of it, however long it took."""
        if "result" not in self.without:
            self._differ_in_result(lab, got.run)
        for asked, made in zip(self.services, got.services):
            if "calls" not in self.without:
                _differ_in_calls(lab, asked, made, _held_up(lab, got.run))
            if "peak" not in self.without and made.peak > asked.peak:
                lab.limited(made.peak, asked.peak, f"calls of `{made.__name__}`", made.peak_place)
        if got.run.left is not None and self.run.left is None:
            raise got.run.left

    def differ_in_seconds(self, lab: Comparing, got: "Seen") -> None:
        """Raise Wrong if `got` took longer or shorter than what the model did."""
        if "seconds" not in self.without and lab.clock == "virtual":
            fewer = any(made.peak < one.peak for one, made in zip(self.services, got.services))
            limit = of_limit(lab.text.nodes()) if fewer else None
            held = _held_up(lab, got.run) if self.run.error else None
            limit = limit or held or of_fixed_number(lab.text.nodes()) or Suspect(None)
            _differ_in_seconds(lab, self.run, got.run, limit)

    def _differ_in_result(self, lab, got):
        if self.run.error is None and got.error is None:
            lab.equal(got.result, self.run.result)
        elif self.run.error is None:
            raise got.error
        elif got.error is None:
            lost = self.run.error
            if "group" in self.without:
                lost = _alone(lost)[0]
            raise lab.lost_error(
                f"`{error_words(lost)}` had to come out. It returned {brief(got.result)} instead.",
                type(lost),
            )
        elif "group" not in self.without or not _alike_alone(self.run.error, got.error):
            differ_in_error(lab, self.run.error, got.error)


def differ(lab: Comparing, asked: object, got: object) -> None:
    """Raise what is wrong with `got`, what came of asking the answer, where `asked` came of asking
    the model: what a play returned, or an error that left it.
    """
    if isinstance(asked, BaseException):
        if isinstance(got, BaseException):
            differ_in_error(lab, asked, got)
            return
        raise lab.lost_error(
            f"`{error_words(asked)}` had to come out, and nothing did.", type(asked)
        )
    if isinstance(asked, Seen):
        asked.differ(lab, got)
    elif isinstance(asked, Mapping):
        runs = {what: value for what, value in asked.items() if isinstance(value, Seen)}
        for what, value in asked.items():
            if what in runs:
                value.differ_in_outcome(lab, got[what])
            else:
                lab.equal(got[what], value, what)
        for what, value in runs.items():  # what came of it tells more than how long it took
            value.differ_in_seconds(lab, got[what])
    else:
        lab.equal(got, asked)


def differ_in_error(lab: Comparing, asked: BaseException, got: BaseException) -> None:
    """Raise Wrong("another error") unless both errors are the same to who catches them."""
    if same_value(got, asked):
        return
    said = f"It raised `{error_words(got)}`; expected `{error_words(asked)}`."
    if isinstance(got, BaseExceptionGroup) and isinstance(asked, BaseExceptionGroup):
        # Whoever raises it has done all that can be seen there: what is in it came before.
        try_ = "They don't hold the same errors. Follow each one to where your code keeps it."
        raise Wrong("another error", said, None, try_)
    made = lab.text.call_of(type(got).__name__) if type(got) is not type(asked) else None
    again = lab.text.raised_again(got)
    line = made or lab.kept_of(type(asked)) or again or lab.text.let_out(got)
    came, had_come = (any(same_value(one, error) for error in lab.raised) for one in (got, asked))
    try_ = None
    if isinstance(got, BaseExceptionGroup) and any(same_value(one, asked) for one in _alone(got)):
        try_ = UNGROUPED
    elif (again or came) and not had_come:
        try_ = GROUPED if isinstance(asked, BaseExceptionGroup) else INSTEAD
    raise Wrong("another error", said, line, try_)


def _alike_alone(asked, got):
    """Is each error in `got` one of those in `asked`, groups aside?"""
    may = _alone(asked)
    return all(any(same_value(error, one) for one in may) for error in _alone(got))


def _alone(error):
    """The errors in a group, and in groups in it; or the error itself."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [each for one in error.exceptions for each in _alone(one)]


def _held_up(lab, run):
    """What an error waited for before it came out of a run, if it did."""
    found = (lab.text.held_up(error) for error in _alone(run.error)) if run.error else ()
    return next((Suspect(line, *HELD_UP) for line in found if line), None)


def _differ_in_calls(lab, asked, made, held):
    said = (
        f"It called `{made.__name__}` {count(len(made.started), 'time')}; expected "
        f"{count(len(asked.started), 'call')}. "
    )
    for argument in surplus(made.started, asked.started):
        suspect = held or Suspect(None)
        said += f"One with {brief(argument)} was too many."
        raise Wrong("calls", said, suspect.line, suspect.try_, at=suspect.at)
    for argument in surplus(asked.started, made.started):
        suspect = Suspect(None) if argument else lab.truth_test()
        said += f"One with {brief(argument)} was missing."
        raise Wrong("calls", said, suspect.line, suspect.try_, at=suspect.at)


def _differ_in_seconds(lab, asked, got, limit):
    # Beside a thread that is just beginning or ending a virtual clock goes with the real one for a
    # moment. That may have lengthened a run, or may have been a part of a wait: nobody knows.
    if is_longer(got.elapsed - got.outside, asked.elapsed):
        raise Wrong(
            "late",
            f"It took {seconds(got.elapsed)}; it can be done in {seconds(asked.elapsed)}.",
            limit.line,
            limit.try_
            or "Look for a wait that nothing asks for, or for one that could go on beside another.",
            headline="took longer than it must",
            at=limit.at,
        )
    if is_longer(asked.elapsed - asked.outside, got.elapsed):
        raise Wrong(
            "early return",
            f"It ended after {seconds(got.elapsed)}; it has to take {seconds(asked.elapsed)}.",
        )
