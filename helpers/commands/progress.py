"""How far an installation is: on a terminal one line that lives, elsewhere a line a package."""

import shutil
import sys
import time


class Progress:
    """What is shown while an environment is filled. label: the step that it is at."""

    def __init__(self) -> None:
        self.label: str | None = None
        self.live = sys.stdout.isatty()
        self.started = time.monotonic()

    def step(self, label: str) -> None:
        """Begin a step of the work."""
        self.label = label
        if not self.live:
            print("  " + label, flush=True)

    def line(self, text: str) -> None:
        """Tell of one package; on a terminal the live line is enough."""
        if not self.live:
            print("  " + text, flush=True)

    def tick(self, far: str) -> None:
        """Bring the live line up to date."""
        if self.live:
            text = f"  {time.monotonic() - self.started:3.0f} s  {self.label} {far}"
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write("\r" + text[:width].ljust(width))
            sys.stdout.flush()

    def end(self) -> None:
        """Wipe the live line."""
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write("\r" + " " * width + "\r")
            sys.stdout.flush()
