"""What an answer runs on, and what came of it."""

import asyncio
import os

from helpers.kernel.virtual import VirtualLoop
from helpers.recording.model import Recording


class Counting:
    """An event loop that counts its turns: each turn asks for the time."""

    turns = 0

    def time(self) -> float:
        """Seconds on the loop's clock."""
        self.turns += 1
        return super().time()


class Virtual(Counting, VirtualLoop):
    """The loop of an exercise with clock = "virtual"."""


class Real(Counting, asyncio.ProactorEventLoop if os.name == "nt" else asyncio.SelectorEventLoop):
    """The loop of an exercise with clock = "real"."""


class Run:
    """What came of one run: .result or .error, .elapsed (seconds on the exercise's clock),
    .recording, .peak (tasks at once).
    """

    def __init__(self):
        self.result: object = None
        self.error: BaseException | None = None
        self.elapsed = 0.0
        self.outside = 0.0  # of it, seconds that a virtual clock went with the real one
        self.recording: Recording | None = None

    @property
    def peak(self) -> int:
        """The most tasks that were there at once."""
        return self.recording.peak()
