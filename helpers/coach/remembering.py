"""When what was learnt is asked again: the correction of each wrong belief that somebody met.

A belief is met where it shows (a guess that was wrong, a mistake in an exercise, an answer to one,
or to a drill, that the belief predicts) and where the lesson that corrects it is finished. Each
meeting and each answer is a review to FSRS: "Again" where the belief showed, else "Good". FSRS then
says after how many days nine of ten would still remember, at least one; that is when a drill on it
is due.
"""

import datetime
import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from helpers.beliefs.all import BELIEFS
from helpers.coach.lessons import Lesson
from helpers.coach.next_step import todo_in
from helpers.coach.noted import Remembered
from helpers.coach.progress import Progress, drills_in, guess_in, memory_in

MOST = 10  # drills of a sitting
EACH = 50  # seconds for a drill

# The beliefs that lead to a kind of mistake. The other kinds are not about what runs when.
BEHIND = {
    "not awaited": ["call-runs"],
    "not run yet": ["call-runs", "generator-call-runs"],
    "where it switches": ["every-await-switches"],
    "runs past the yield": ["all-before-the-first"],
    "eager": ["all-before-the-first"],
    "used up": ["starts-anew"],
    "sent for yielded": ["send-comes-later"],
    "ignored close": ["close-runs-nothing"],
    "sequential": ["loops-overlap"],
    "overlap added up": ["sleep-blocks"],
    "overlap imagined": ["loops-overlap"],
    "blocked": ["time-sleep-shares"],
    "async def unblocks": ["time-sleep-shares"],
    "queued is run": ["runs-at-once"],
    "turns": ["newest-first"],
    "early return": ["starts-when-awaited"],
    "siblings": ["gather-cancels", "group-goes-on"],
    "lost error": ["errors-surface"],
    "caught too much": ["exception-catches-cancel"],
    "cancel is instant": ["cancel-ends-at-once"],
    "what cancelling leaves": ["body-is-entered"],
    "cancel passed on": ["shield-keeps-waiting", "shield-lets-through"],
    "timeout interrupts": ["timeout-stops-blocking"],
    "lost update": ["no-races"],
    "lock per call": ["own-lock-locks"],
    "woken is ready": ["set-runs-them"],
    "one read is one message": ["one-write-one-read"],
    "end of stream": ["end-raises"],
}

# The beliefs by which these guesses go wrong, besides each belief's own turn. The other guesses ask
# how much or how long: nothing that a program could be about.
BEHIND_A_GUESS = {
    "02-after-break": ["starts-anew"],
    "03-echo": ["send-comes-later"],
    "04-plain": ["every-await-switches"],
    "05-spawn": ["runs-at-once"],
    "07-asks": ["cancel-ends-at-once"],
    "07-burnt": ["errors-surface"],
    "07-stubborn": ["cancel-ends-at-once"],
    "08-ticks": ["time-sleep-shares"],
    "09-callback": ["set-runs-them"],
    "10-requests": ["gather-cancels"],
    "10-slowest": ["loops-overlap"],
    "11-swallowed": ["cancel-ends-at-once"],
    "12-file": ["time-sleep-shares"],
    "12-leave": ["time-sleep-shares"],
    "12-nap": ["time-sleep-shares"],
    "12-stop": ["timeout-stops-blocking"],
    "13-cache": ["no-races"],
    "13-global": ["no-races"],
    "14-pool": ["timeout-skips-queue"],
    "15-await-nothing": ["every-await-switches"],
    "15-ticks": ["every-await-switches"],
    "17-one-read": ["one-write-one-read"],
    "18-def": ["time-sleep-shares"],
    "18-three-cups": ["time-sleep-shares"],
}


class Waiting(NamedTuple):
    """What is due. ids: of the beliefs, the longest due first.  later: when the next one is, in
    seconds since 1970; None if there is none.
    """

    ids: list[str]
    later: int | None

    @property
    def words(self) -> str:
        """What the next sitting is: "5 to review, 4 minutes"; "" if nothing is due."""
        if not self.ids:
            return ""
        number = min(len(self.ids), MOST)
        minutes = max(1, round(number * EACH / 60))
        return f"{number} to review, {minutes} minute{'s' * (minutes > 1)}"


def waiting(
    progress: Progress, lessons: Sequence[Lesson], exercises: dict[str, list[str]]
) -> Waiting:
    """What is due now, with all that was met since it was looked at last.

    exercises: their ids by the lesson's number.
    """
    known = progress.all()
    memory = memory_in(known)
    new = _new(memory, known, lessons, exercises)
    progress.remember(new)
    now, memory = progress.now(), memory | new
    there = sorted((one.due, id) for id, one in memory.items() if id in BELIEFS)
    later = next((due for due, _ in there if due > now), None)
    return Waiting([id for due, id in there if due <= now], later)


def reviewed(remembered: Remembered | None, right: bool, at: int) -> Remembered:
    """How well something is remembered after an answer, or after it was met.

    remembered: before; None if it was never met.  right: False where the wrong belief showed.
    at: in seconds since 1970.
    """
    import fsrs

    card = fsrs.Card(card_id=0, due=_moment(at))
    if remembered is not None:
        card = fsrs.Card(
            card_id=0,
            state=fsrs.State.Review,
            stability=remembered.stability,
            difficulty=remembered.difficulty,
            due=_moment(remembered.due),
            last_review=_moment(remembered.last),
        )
    rating = fsrs.Rating.Good if right else fsrs.Rating.Again
    card, _ = _scheduler().review_card(card, rating, _moment(at))
    due = round(card.due.timestamp())
    return Remembered(at, due, round(card.stability, 4), round(card.difficulty, 4))


def shown_in(known: dict[str, dict]) -> dict[str, int]:
    """When each belief showed last, in seconds since 1970, by its id."""
    last = {}
    for id, at in _signs(known):
        last[id] = max(at, last.get(id, 0))
    return last


def _signs(known) -> Iterator[tuple[str, int]]:
    """(id of a belief, when) for each time that it showed, as far as that is known."""
    turns = [(belief.turn, [id]) for id, belief in BELIEFS.items()]
    for turn, ids in [*turns, *BEHIND_A_GUESS.items()]:
        guess = guess_in(known, turn)
        at = max(known.get(turn, {}).get("wrong at", 0), guess.at if guess.right is False else 0)
        yield from ((id, at) for id in ids)
    for id in BELIEFS:
        yield id, known.get(f"belief {id}", {}).get("wrong at", 0)
    for entry in known.values():
        for at, kind in entry.get("mistakes", []):
            yield from ((id, at) for id in BEHIND.get(kind, []))
    for _, answer in drills_in(known):
        if answer.named in BELIEFS:
            yield answer.named, answer.at


def _new(memory, known, lessons, exercises):
    """What is to be remembered otherwise, because of what is known by now."""
    new = {}
    for id, at in shown_in(known).items():
        old = memory.get(id)
        if at > (old.last if old else 0):
            new[id] = reviewed(old, False, at)
    for lesson in lessons:
        of_it = [id for id, one in BELIEFS.items() if one.lesson == lesson.number]
        fresh = [id for id in of_it if id not in memory and id not in new]
        ids = exercises.get(lesson.number, [])
        if fresh and todo_in(lesson, ids, known) is None:
            if at := _finished(lesson, ids, known):  # else there was nothing to do in it
                new |= {id: reviewed(None, True, at) for id in fresh}
    return new


def _finished(lesson, exercises, known):
    """When the last guess or exercise of a lesson was done."""
    guessed = [guess_in(known, id).at for id in lesson.guesses()]
    return max([*guessed, *(known[id].get("solved at", 0) for id in exercises)], default=0)


def _moment(at):
    return datetime.datetime.fromtimestamp(at, datetime.UTC)


@functools.cache
def _scheduler():
    import fsrs

    # No steps of minutes, for nothing is asked again before a day has passed; and nothing drawn at
    # random, so that two machines with the same progress say the same.
    return fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
