"""Watches an answer while it runs, and looks closely at one that hangs."""

import sys
import threading
from typing import IO

from helpers.coach.judging.lab import Lab
from helpers.coach.judging.leftovers import Leftovers
from helpers.coach.judging.limits import (
    LAST_RESORT,
    SILENCE,
    Memory,
    cpu_of,
    end_us_after,
    sleep_now,
)
from helpers.coach.judging.load import MOST, TimeLeft
from helpers.coach.mistakes.hangs import Hang
from helpers.coach.mistakes.source import Place, Source

LOOK = 0.05  # seconds between two looks at the worker
BLINK = 0.1  # seconds of computing in one step of the loop that are nothing to talk of
SAMPLES = 16  # looks at something that hangs
PAUSE = 0.01  # seconds between two of them
CALM = 0.1  # seconds in which it could have gone on that they must span, to tell anything


def watch(
    worker: threading.Thread,
    outcome: list,
    time_left: TimeLeft,
    lab: Lab,
    memory: Memory,
    errors: IO,
) -> None:
    """Wait for the worker to end; note the longest time that one step of its loop computed. Return
    early if it has too much memory.

    outcome: has something in it once the worker is done. errors: where the last resort writes who
    held the interpreter for good.
    """
    turns, since, place = None, 0.0, None
    while not outcome and time_left.seconds > 0 and not time_left.too_much:
        if memory.too_much:
            return
        pause = min(LOOK, time_left.seconds)
        worker.join(pause)
        time_left.look(pause)
        end_us_after(patience(time_left), exit=True, file=errors)
        loop, cpu = lab.loop, cpu_of(worker)
        if loop is None or loop.turns != turns:
            turns, since, place = getattr(loop, "turns", None), cpu, None
            continue
        place = where_is(worker, lab.text) or place
        longest = lab.long_step[0] if lab.long_step else BLINK
        if place and cpu - since > longest:
            lab.long_step = (cpu - since, place)


def patience(time_left: TimeLeft) -> float:
    """Seconds until the last resort. On a machine that kept us waiting we may get no turn for as
    long again.
    """
    return max(time_left.seconds + LAST_RESORT, SILENCE) + min(time_left.kept, MOST)


def look_at(
    worker: threading.Thread, limit: float, lab: Lab, left: Leftovers, time_left: TimeLeft
) -> Hang | None:
    """Sample a worker that hangs. None if the machine gives nobody the time to see anything."""
    loop = lab.loop
    turns = loop.turns if loop else 0
    clock = loop.time() if loop else 0.0
    cpu, begun = cpu_of(worker), time_left.counted
    places = []
    while len(places) < SAMPLES or time_left.counted - begun < CALM:
        sleep_now(PAUSE)
        time_left.look(PAUSE)
        places.append(where_is(worker, lab.text))
        if time_left.too_much:
            return None
    share = (cpu_of(worker) - cpu) / (time_left.counted - begun)
    others = [
        where_is(thread, lab.text)
        for thread in threading.enumerate()
        if left.is_new(thread) and thread is not worker
    ]
    hang = Hang(
        limit,
        places,
        share,
        cancelling=lab.cancelling,
        in_loop=loop is not None,
        other=next(filter(None, others), None),
    )
    if loop is not None:
        # Asking for the time counts as a turn: we asked once.
        hang.turns = loop.turns > turns + 2
        hang.clock = loop.time()
        hang.moved = lab.clock == "virtual" and hang.clock > clock
        hang.outside = getattr(loop, "real_seconds", 0.0) > limit / 2
        try:
            hang.tasks = lab.unfinished(loop)
        except Exception:
            pass  # the loop runs on while we look
    return hang


def where_is(thread: threading.Thread, source: Source) -> Place | None:
    """Where a thread is in the learner's code right now, or None."""
    return source.of_frame(sys._current_frames().get(thread.ident))
