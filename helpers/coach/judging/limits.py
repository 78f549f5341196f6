"""What bounds a check, in time and in memory, by calls that an answer can't take from us.

They are fetched here, before any answer runs: what an answer puts in place of `time.sleep` or
`os._exit`, and what we put there ourselves, leaves these alone.
"""

import faulthandler
import os
import sys
import threading
import time

LOADING = 20.0  # seconds that unpacking an answer may take: it imports what the answer imports
GRACE = 3.0  # seconds after the limit when a judge that says nothing is given up,
STOPPED = 0.5  # and when one is that a signal has stopped
STALL = 0.2  # seconds between two looks; if one comes later, the machine had no time for anybody
MEMORY = 1 << 30  # bytes that an answer may take on top of what we need
LAST_RESORT = 0.4  # seconds after the limit when faulthandler ends us,
SILENCE = 0.8  # and at least so many after the main thread has last had a turn
NAMING = 1.5  # seconds that looking at a hang may take on a crowded machine

exit_now = os._exit
sleep_now = time.sleep
end_us_after = faulthandler.dump_traceback_later
end_us_not = faulthandler.cancel_dump_traceback_later


def limit_memory(most: int | None = MEMORY) -> bool:
    """Let what allocates without end meet a MemoryError; return whether the system does that.

    most: bytes; None: no limit.
    """
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (hard if most is None else most, hard))
    except (ImportError, ValueError, OSError):
        return False
    # macOS takes the limit and heeds it not.
    return sys.platform.startswith("linux")


class Memory:
    """What an answer takes of the memory, looked at where the system doesn't limit it."""

    def __init__(self, limited: bool):
        """limited: what `limit_memory` returned."""
        self._before = 0 if limited else _memory_held()
        self._limited = limited

    @property
    def too_much(self) -> bool:
        """Whether it is more than a check may take."""
        return not self._limited and _memory_held() - self._before > MEMORY


def _memory_held() -> int:
    """Bytes that this process has in memory."""
    import psutil

    return psutil.Process().memory_info().rss


def show_clock() -> None:
    """Let `cpu_of` read the clock of the thread that calls this.

    A thread has to fetch it itself: asked for the clock of one that has ended, Python crashes.
    """
    if hasattr(time, "pthread_getcpuclockid"):
        clock = time.pthread_getcpuclockid(threading.get_ident())
        threading.current_thread().coach_clock = clock


def cpu_of(thread: threading.Thread) -> float:
    """CPU seconds of a thread that has shown its clock, 0 if it has ended; of the process where
    threads have no clock of their own.
    """
    clock = getattr(thread, "coach_clock", None)
    if clock is None:
        return time.process_time()
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0
