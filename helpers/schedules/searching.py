"""All orders of a program's arrivals, one run for each, the shortest first.

A run with a list of choices goes on, where the list ends, as on a quiet day, and says at each
choice how many things could have come. Each of the others is the end of one more list. So every
order is run once.

A list that is longer can't break the program in fewer choices, so what is found is the shortest as
soon as all lists that are left are as long. But in a large program all short lists may be too many,
and most breaks need few surprises: things that would not have come on a quiet day. So, until
something is found, every second list is one with the fewest surprises.
"""

import heapq
import itertools
import time
from collections.abc import Callable
from typing import NamedTuple

from helpers.schedules.replaying import Ended, Game, run_once

NOT_THE_SAME = (
    "The program isn't the same in each run: {}. "
    "Let it make all that it changes anew in each run, and use neither chance nor the real time."
)


class Found(NamedTuple):
    """What a search found.

    looked: how many orders were run.  every: whether these were all.
    shortest: the run that broke in the fewest choices, or None.
    sure: whether no order that was not run can break in fewer.
    assumed: whether in a run something arrived while a sleep lasted (see the loop).
    """

    looked: int
    every: bool
    shortest: Ended | None
    sure: bool
    assumed: bool


def search(game: Game, most: int, seconds: float, runs: Callable[[], None]) -> Found:
    """Look for the order of arrivals that breaks a program in the fewest choices.

    It ends when that is found, and else when all orders, or `most`, were run, or when this thread
    has computed for so many seconds: on a busy machine it finds the same. runs: called before each
    run. Raises as `replay`, and ValueError if the program isn't the same in each run, or if what
    may be cancelled isn't there in any.
    """
    until = time.thread_time() + seconds
    lists = _Lists()
    lists.add((), (), 0)
    looked, shortest, assumed, tasks = 0, None, False, set()
    while lists:
        length = lists.shortest()
        if shortest is not None and len(shortest.choices) <= length:
            return Found(looked, False, shortest, True, assumed)
        if looked >= most or (looked and time.thread_time() > until):
            return Found(looked, False, shortest, False, assumed)
        choices, names, surprises = lists.take(by_length=shortest is not None or looked % 2 == 0)
        runs()
        try:
            ended = run_once(game, choices)
        except IndexError:  # the last time, so many things could come
            raise _otherwise(len(choices), names[-1], "it can't come") from None
        looked += 1
        assumed = assumed or ended.assumed
        tasks |= ended.tasks
        could = [step.could for step in ended.choices]
        came = tuple(step.name for step in ended.choices)
        must_be_the_same(names, came)
        if ended.broken and choices and shortest is None:
            _must_hold_again(game, runs)
        if ended.broken and (shortest is None or len(could) < len(shortest.choices)):
            shortest = ended
        for at in range(len(choices), len(could)):
            for other in range(1, len(could[at])):
                more = (*ended.taken[:at], other), (*came[:at], could[at][other])
                lists.add(*more, surprises + 1)
    missing = [name for name in game.cancel if name not in tasks]
    if missing and shortest is None:  # one that broke may have ended before the task was made
        raise ValueError(
            f"No task has the name {missing[0]!r}, so it can't be cancelled. "
            f"Those that waited were: {', '.join(sorted(tasks)) or 'none'}."
        )
    return Found(looked, True, shortest, True, assumed)


class _Lists:
    """Lists of choices that are still to be run, with the names of what they choose."""

    def __init__(self):
        self.numbers = itertools.count()
        self.waiting = {}
        self.by_length, self.by_surprises = [], []

    def __bool__(self):
        return bool(self.waiting)

    def add(self, choices, names, surprises):
        number, length = next(self.numbers), len(choices)
        self.waiting[number] = choices, names, surprises
        heapq.heappush(self.by_length, (length, surprises, number))
        heapq.heappush(self.by_surprises, (surprises, length, number))

    def shortest(self):
        """The length of the shortest."""
        return self.first(self.by_length)[0]

    def take(self, by_length):
        return self.waiting.pop(self.first(self.by_length if by_length else self.by_surprises)[-1])

    def first(self, heap):
        while heap[0][-1] not in self.waiting:  # it was taken from the other heap
            heapq.heappop(heap)
        return heap[0]


def _must_hold_again(game, runs):
    """The order of a quiet day, which held: what a later run breaks may be left from others."""
    runs()
    if broken := run_once(game, ()).broken:
        raise ValueError(NOT_THE_SAME.format(f"its usual order held, and now not: {broken}"))


def must_be_the_same(names: tuple[str, ...], came: tuple[str, ...]) -> None:
    """A run must have come past what its list of choices was made for.

    names: of what its choices chose, when they were made.  came: at its choices.
    Raises ValueError, naming the first that differs.
    """
    if came[: len(names)] == names:
        return
    at = next((i for i, (one, two) in enumerate(zip(names, came)) if one != two), len(came))
    now = f'"{came[at]}" came' if at < len(came) else "nothing came"
    raise _otherwise(at + 1, names[at], f"{now} there")


def _otherwise(number, name, now):
    return ValueError(NOT_THE_SAME.format(f'choice {number} was "{name}", and now {now}'))
