"""What an answer runs on, and what came of it."""

import asyncio
import os

from helpers.coach.form.statement import Wrong
from helpers.coach.judging.limits import sleep_now
from helpers.kernel.virtual import VirtualLoop
from helpers.recording.recording import Recording

MANY = 1000  # turns after which a loop that goes round and round lets the watching thread look
GLIMPSE = 0.0005  # seconds for that

# Two times are the same, if they differ by no more: sums of floats depend on their order.
ROUNDING = 1.001  # times
TICK = 1e-6  # seconds


class Counting:
    """An event loop that counts its turns: each turn asks for the time.

    stood: the Wrong for a call of the learner's that waited on its thread, if one was seen.
    """

    turns = 0
    stood: Wrong | None = None

    def time(self) -> float:
        """Seconds on the loop's clock."""
        self.turns += 1
        if not self.turns % MANY:
            # Each turn lets go of the interpreter, in `select`, and takes it back so soon that a
            # thread on another processor may never get it: then nobody would name the hang.
            sleep_now(GLIMPSE)
        return super().time()


class Virtual(Counting, VirtualLoop):
    """The loop of an exercise with clock = "virtual"."""


class Real(Counting, asyncio.ProactorEventLoop if os.name == "nt" else asyncio.SelectorEventLoop):
    """The loop of an exercise with clock = "real"."""


class Run:
    """What came of one run: .result or .error, .elapsed (seconds on the exercise's clock),
    .recording, .peak (tasks at once), .left (the Wrong for tasks that still ran after an error),
    .stood (the one for a call that waited on the loop's thread).
    """

    def __init__(self):
        self.result: object = None
        self.error: BaseException | None = None
        self.elapsed = 0.0
        self.outside = 0.0  # of it, seconds that a virtual clock went with the real one
        self.left: Wrong | None = None
        self.stood: Wrong | None = None
        self.recording: Recording | None = None

    @property
    def peak(self) -> int:
        """The most tasks that were there at once."""
        return self.recording.peak()


def is_longer(took: float, expected: float) -> bool:
    """Whether one number of seconds on a virtual clock is really more than the other."""
    return took > expected * ROUNDING + TICK
