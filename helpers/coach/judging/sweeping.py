"""The sweep: the answer is asked with many cases, and has to behave as the model does in each.

A sample is not a proof: what an exercise's `verify` asks with is a sample. Here the first right
program of the exercise is the oracle. The cases are those that the exercise's sweeps draw; in some
of them a service fails or the run is cancelled besides.
"""

import gc
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.sweeps import Sweep
from helpers.coach.judging.anew import kept_at, shared_state
from helpers.coach.judging.cases import Case, smaller_than, ways_of
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.model import ask, model_of
from helpers.coach.judging.seen import differ
from helpers.coach.judging.twists import NONE, Twist, caught_in, failure
from helpers.coach.judging.what_if import CANCELLED, ERRORS, FAILED, changes, without_falsy
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.errors import is_slip, mistake
from helpers.coach.mistakes.handlers import in_a_finally
from helpers.coach.mistakes.suspects import GUESSED, of_count, of_error
from helpers.coach.mistakes.verdict import narrowed

# Mistakes that Python's errors tell of, and that may turn on one thing in a case, such as a 0.
TURNING = ("raised", "deadlock", "one sentinel")
# Mistakes whose line is that of what ran, and no guess: nothing that they turn on says more.
RAN = ("leaked", "limit", "left open")
# Cases, at most, that are asked on the real clock to see whether a guess holds.
FEW = 2
# Mistakes that say little, where nothing else is said: what they turn on says more.
VAGUE = ("value", "calls", "late", "early return", "deadlock")


class Sweeping:
    """The sweeps of an exercise, as one answer is asked with them.

    again: makes the same answer anew, as if no call had been made of it. go_on: is called before
    each run, which has time of its own, with the seconds that the model computed in it.
    """

    def __init__(
        self,
        exercise: type[Exercise],
        lab: Lab,
        again: Callable[[], Any],
        go_on: Callable[[float], None],
    ):
        self._exercise = exercise
        self._lab = lab
        self._again = again
        self._go_on = go_on
        self._model = model_of(exercise) if exercise.sweeps else None
        self.failed = None  # (sweep, case, twist) of the first case that it is wrong in

    def judge(self, answer: Any) -> None:
        """Return if the answer behaves as the model does; else raise the Wrong, or whatever the
        answer raised, in the first case where it doesn't.
        """
        lab = self._lab
        shown, lab.sweeping = lab.recording, True
        for sweep in self._exercise.sweeps:
            self._sweep(sweep, answer)
        lab.sweeping, lab.recording = False, shown
        gc.collect()  # after each run only what was made in it was looked at

    def ask_again(self, answer: Any, failed: tuple[Sweep, Case, Twist]) -> None:
        """Ask with the case that another answer `failed` in; raise what is wrong there."""
        sweep, case, twist = failed
        self._lab.sweeping = True
        self._compare(sweep, answer, case, twist, self._expected(sweep, case, twist))
        self._lab.sweeping = False

    def _sweep(self, sweep: Sweep, answer):
        failing = []
        for case, twist, expected in self._model.asked(sweep, self._lab, self._go_on):
            if twist.error and twist.error is sweep.fails[0]:
                failing.append((case, twist))
            if twist is NONE:
                try:
                    self._compare(sweep, answer, case, NONE, expected)
                except Exception as error:
                    self._smallest(sweep, answer, case, error)
            elif not isinstance(expected.error, Wrong):
                self._twisted(sweep, answer, case, twist, expected)
        others = caught_in(self._lab.nodes()) if sweep.any_error else ()
        for error in (each for each in others if each not in sweep.fails):
            for case, twist in failing:
                self._fails_otherwise(sweep, answer, case, twist, error)

    def _fails_otherwise(self, sweep, answer, case, twist, error):
        """Compare what comes of a failure as in `twist`, but with an `error` that the answer
        catches somewhere: it may mean one of its own there, and not that of a service.
        """
        other = failure(twist.service, twist.argument, error)
        expected = self._model.outcome(sweep, self._lab, case, other, self._go_on)
        self._twisted(sweep, answer, case, other, expected)

    def _twisted(self, sweep, answer, case, twist, expected):
        """Compare what came of a case in which it goes well if nothing befalls it."""
        lab = self._lab
        try:
            self._compare(sweep, answer, case, twist, expected)
        except Exception as error:
            found, place = mistake(error, lab.text, lab.asks)
            if found.kind == "late" and twist.error and not found.line:
                kept = lab.text.keeper_of(twist.error)
                if kept and not in_a_finally(lab.nodes(), kept.line):
                    found.line, found.at, found.try_ = kept.line, kept.at, kept.try_
            if not _is_vague(found):
                raise
            where, try_ = FAILED if twist.cancel_after is None else CANCELLED
            if suspect := self._of_this_error(sweep, answer, case, twist):
                found.at, place = suspect.at, lab.text.place(suspect.line)
                try_ = suspect.try_ or try_
            raise narrowed(found, where, try_, place) from error

    def _of_this_error(self, sweep, answer, case, twist):
        """The `except` that the mistake turns on: with another error in place of the twist's, for
        which that is passed by, or met, the answer goes well.
        """
        lab = self._lab
        shown = lab.shown
        for other in (*sweep.fails, *ERRORS) if twist.error else ():
            suspect = of_error(lab.nodes(), twist.error, other)
            if suspect and self._goes_well(sweep, answer, case, replace(twist, error=other)):
                break
        else:
            suspect = None
        lab.shown = shown
        return suspect

    def _smallest(self, sweep, answer, case, error) -> NoReturn:
        """Raise what is wrong in the smallest case there is, where `case` ended in `error`.

        On the real clock it stays with this case, a small one already: what goes wrong there may
        take its time again and again.
        """
        lab = self._lab
        if isinstance(error, RecursionError):
            raise error  # no smaller case goes as deep, and to ask this one again takes its time
        shown = lab.shown
        # What a task that was left behind does when it is collected goes wrong once, and no more.
        kept = kept_at(lab)
        alone = kept and self._error_in(sweep, self._again(), case)
        if kept and alone is None and self._error_in(sweep, answer, case) is not None:
            lab.shown = shown
            raise shared_state(error, kept)
        for less in smaller_than(case, sweep) if lab.clock == "virtual" else ():
            if (smaller := self._error_in(sweep, answer, less)) is not None:
                self._turns_on(sweep, answer, less, smaller)
        lab.shown = shown
        self._turns_on(sweep, answer, case, error)

    def _turns_on(self, sweep, answer, case, error) -> NoReturn:
        """Raise `error`, with the line that it turns on: there is one if the answer is right as
        soon as one thing in the case is changed.
        """
        lab = self._lab
        found, place = mistake(error, lab.text, lab.asks)
        if found.kind in RAN and found.line:
            raise error
        turns = error is found or (found.kind in TURNING and not is_slip(error, lab.text))
        if not turns:
            raise error
        shown = lab.shown
        guessed = error is found and found.try_ in GUESSED
        without = without_falsy(case, ways_of(sweep)) if guessed else ()
        if lab.clock != "virtual":
            self._keep_no_wrong_guess(sweep, answer, found, itertools.islice(without, FEW))
            lab.shown = shown
            raise error
        calm = sweep.calm(case) if sweep.calm and _is_vague(found) else case
        if calm != case and self._goes_well(sweep, answer, calm):
            lab.shown = shown
            if counts := of_count(lab.nodes()):
                found.at, place = counts.at, lab.text.place(counts.line)
            where, try_ = CANCELLED
            raise narrowed(found, where, counts.try_ if counts else try_, place) from error
        for change in changes(case, lab.nodes(), ways_of(sweep)):
            if self._goes_well(sweep, answer, change.case):
                found.line, found.at, try_ = change.suspect
                found.try_ = try_ or found.try_
                error = found
                break
        else:
            self._keep_no_wrong_guess(sweep, answer, found, without)
        lab.shown = shown
        raise error

    def _keep_no_wrong_guess(self, sweep, answer, found, cases):
        """Take the line out of a mistake where it was guessed for a value that counts as false,
        and the answer is wrong in these cases without one, too, as far as they can be asked.
        """
        asked = [each for each in cases if self._expected(sweep, each).error is None]
        if asked and all(self._error_in(sweep, answer, each) is not None for each in asked):
            found.line, found.at, found.try_ = None, "", None

    def _goes_well(self, sweep, answer, case, twist=NONE):
        """Whether the answer is right in a case of our own, which may be none that fits."""
        try:
            expected = self._expected(sweep, case, twist)
        except Exception:
            return False
        return expected.error is None and self._error_in(sweep, answer, case, twist) is None

    def _error_in(self, sweep, answer, case, twist=NONE):
        """What is wrong with an answer in this case, or None."""
        expected = self._expected(sweep, case, twist)
        try:
            self._compare(sweep, answer, case, twist, expected)
        except Exception as error:
            return error
        return None

    def _compare(self, sweep, answer, case, twist, expected):
        try:
            self._compare_once(sweep, answer, case, twist, expected)
        except BaseException:
            self.failed = self.failed or (sweep, case, twist)
            raise

    def _compare_once(self, sweep, answer, case, twist, expected):
        self._go_on(expected.took)
        got = ask(self._exercise, answer, self._lab, sweep, case, twist)
        if got.error is not None and expected.error is None:
            raise got.error
        if got.error is not None and isinstance(got.error, Wrong):
            raise got.error
        try:
            differ(self._lab, expected.error or expected.seen, got.error or got.seen)
        except Wrong as found:
            found.line = found.line or self._lab.met_by_the_cancellation()
            raise
        for at in got.changed.keys() - expected.changed.keys():
            self._lab.changed_input(*got.changed[at])

    def _expected(self, sweep, case, twist=NONE):
        return self._model.outcome(sweep, self._lab, case, twist, self._go_on)


def _is_vague(found):
    nothing = (None, KINDS[found.kind].try_)  # the kind's own words say no more than none
    return found.kind in VAGUE and found.line is None and found.try_ in nothing
