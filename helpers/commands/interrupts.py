"""Ctrl-C while something is built: heard at once, acted on only where it can do no harm."""

import signal
from types import FrameType
from typing import Self

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Interrupts:
    """A context in which Ctrl-C, or a polite kill, is noted; `check` then raises KeyboardInterrupt.

    So a process that was started is never lost sight of, and no rename is cut off. A signal that
    is ignored, as where a shell started the program in the background, stays ignored.
    """

    def __enter__(self) -> Self:
        self.pressed = False
        self.before = {number: signal.getsignal(number) for number in SIGNALS}
        for number, handler in self.before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._note)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise KeyboardInterrupt if somebody has asked to stop."""
        if self.pressed:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
