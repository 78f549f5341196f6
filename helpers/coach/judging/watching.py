"""Watches an answer while it runs, and looks closely at one that hangs."""

import sys
import threading
import time
from typing import IO

from helpers.coach.judging.lab import Lab
from helpers.coach.judging.leftovers import Leftovers
from helpers.coach.judging.limits import (
    LAST_RESORT,
    SILENCE,
    STALL,
    cpu_of,
    end_us_after,
    sleep_now,
)
from helpers.coach.mistakes.hangs import Hang
from helpers.coach.mistakes.source import Place, Source

LOOK = 0.05  # seconds between two looks at the worker
BLINK = 0.1  # seconds of computing in one step of the loop that are nothing to talk of
SAMPLES = 16  # looks at something that hangs


def watch(worker: threading.Thread, outcome: list, limit: float, lab: Lab, errors: IO) -> None:
    """Wait for the worker to end; note the longest time that one step of its loop computed.

    outcome: has something in it once the worker is done. limit: seconds. errors: where the last
    resort writes who held the interpreter for good.
    """
    left, looked = limit, time.monotonic()
    turns, since, place = None, 0.0, None
    while not outcome and left > 0:
        worker.join(min(LOOK, left))
        now = time.monotonic()
        left, looked = left - min(now - looked, STALL), now
        end_us_after(max(left + LAST_RESORT, SILENCE), exit=True, file=errors)
        loop, cpu = lab.loop, cpu_of(worker)
        if loop is None or loop.turns != turns:
            turns, since, place = getattr(loop, "turns", None), cpu, None
            continue
        place = where_is(worker, lab.text) or place
        longest = lab.long_step[0] if lab.long_step else BLINK
        if place and cpu - since > longest:
            lab.long_step = (cpu - since, place)


def look_at(worker: threading.Thread, limit: float, lab: Lab, left: Leftovers) -> Hang:
    """Sample a worker that hangs."""
    loop = lab.loop
    turns = loop.turns if loop else 0
    clock = loop.time() if loop else 0.0
    cpu, begun = cpu_of(worker), time.monotonic()
    places = []
    for _ in range(SAMPLES):
        sleep_now(0.01)
        places.append(where_is(worker, lab.text))
    share = (cpu_of(worker) - cpu) / (time.monotonic() - begun)
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
