"""Watches an answer while it runs, and looks closely at one that hangs."""

import asyncio
import contextlib
import sys
import threading
from collections import Counter
from typing import IO

from helpers.basics.places import outward
from helpers.coach.form.statement import Wrong
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
from helpers.coach.judging.load import MOST, TimeLeft, now
from helpers.coach.judging.standing import Standing
from helpers.coach.mistakes.hangs import GIVES_WAY, Hang
from helpers.coach.mistakes.source import Place, Source

LOOK = 0.05  # seconds between two looks at the worker
BLINK = 0.1  # seconds of computing in one step of the loop that are nothing to talk of
SAMPLES = 16  # looks at something that hangs
PAUSE = 0.01  # seconds between two of them
TRIES = 10  # to find where the tasks of a loop are that goes on meanwhile
# Where a process is started: these wait until it has begun.
STARTING = {"Popen._execute_child", "Popen._launch"}
IMPORTING = "<frozen importlib"
SWITCH = 0.0005  # seconds after which one that computes lets us look, at each call of the system
GLANCE = 0.01  # seconds between two looks whether it stands still
STANDS = 0.05  # seconds after which it does
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
    standstill = Standstill(worker, lab)
    while not outcome and time_left.seconds > 0 and not time_left.too_much:
        if memory.too_much:
            return
        pause = min(LOOK, time_left.seconds)
        standstill.wait(pause)
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


class Standstill:
    """Looks for a call of the learner's in which the thread of a running loop stands still, and
    tells the loop of it.
    """

    def __init__(self, worker: threading.Thread, lab: Lab):
        self._worker = worker
        self._lab = lab
        self._standing = Standing(worker)
        self._turns = None

    def wait(self, seconds: float) -> None:
        """Wait for the worker to end, at most so long, and look all the while."""
        ends = now() + seconds
        while self._worker.is_alive() and (left := ends - now()) > 0:
            self._worker.join(min(left, GLANCE))
            self._look()

    def _look(self):
        loop, standing = self._lab.loop, self._standing
        turns, self._turns = self._turns, getattr(loop, "turns", None)
        frame = self._waiting() if loop is not None and not loop.stood else None
        if frame is None or loop.turns != turns:
            standing.begin()
        if frame is None:
            return
        # From the first look at it on: on a busy machine there may be only two in all.
        standing.look()
        if standing.seconds > STANDS:
            called = self._lab.text.called_in(frame)
            loop.stood = Wrong(
                "blocked",
                f"{f'`{called}`' if called else 'It'} waited on the loop's own thread, and nothing "
                "else could run in the meantime.",
                self._lab.text.of_frame(frame),
            )

    def _waiting(self):
        """The innermost frame of the learner's on the loop's thread, or None if there is none, or
        if it starts a process or imports a module: that takes a while wherever it is done.
        """
        frame = sys._current_frames().get(self._worker.ident)
        own = self._lab.text.innermost(frame)
        for one in outward(frame) if own else ():
            if one is own:
                return own
            if one.f_code.co_qualname in STARTING or one.f_code.co_filename.startswith(IMPORTING):
                return None
        return None


def patience(time_left: TimeLeft) -> float:
    """Seconds until the last resort. On a machine that kept us waiting we may get no turn for as
    long again.
    """
    return max(time_left.seconds + LAST_RESORT, SILENCE) + min(time_left.kept, MOST)


def look_at(
    worker: threading.Thread, limit: float, lab: Lab, left: Leftovers, time_left: TimeLeft
) -> Hang | None:
    """Sample a worker that hangs. None if the machine gives nobody the time to see anything."""
    sys.setswitchinterval(SWITCH)
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
        hang.stood = loop.stood
        hang.outside = getattr(loop, "real_seconds", 0.0) > limit / 2
        for _ in range(TRIES):  # the loop runs on while we look
            with contextlib.suppress(Exception):
                hang.deepest, hang.depth = _deepest(loop, worker, lab)
                hang.tasks = lab.unfinished(loop)
                waits = [what for _, _, line, what in hang.tasks if line]
                if any(places) or (GIVES_WAY in waits if hang.turns else waits):
                    break
            sleep_now(PAUSE)
    return hang


def _deepest(
    loop: asyncio.AbstractEventLoop, worker: threading.Thread, lab: Lab
) -> tuple[Place | None, int]:
    """The learner's place that stands most often in what one task awaits, and how often."""
    chains = [lab.steps_of(task) for task in asyncio.all_tasks(loop)]
    # What the task that runs just now awaits, only its frames tell.
    chains.append(lab.text.places(outward(sys._current_frames().get(worker.ident))))
    most = [Counter(chain).most_common(1)[0] for chain in chains if chain]
    return max(most, key=lambda each: each[1], default=(None, 0))


def where_is(thread: threading.Thread, source: Source) -> Place | None:
    """Where a thread is in the learner's code right now, or None."""
    return source.of_frame(sys._current_frames().get(thread.ident))
