"""How much of its time a busy machine kept from a check, so that the check gets it back.

Linux tells of each thread how long it ran, and how long it could have run and waited for a
processor. Elsewhere the looks themselves tell: one that comes late, and not because we computed,
was kept waiting like everybody else.

The calls are fetched here, before any answer runs.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from helpers.coach.judging.limits import STALL

MOST = 20.0  # seconds that a check is given back at most; after that nobody can tell
WINDOW = 0.5  # seconds; who waited for a processor so long
DISTURBED = 0.3  # within them may have missed a real deadline
ASLEEP = 2.0  # seconds without a look after which the machine has slept, and was not busy
DEAR = 3  # seconds that one second of computing counts for, even if it took longer to get it: right
# answers compute for a tenth of their limit, and what computes on and on is to be named soon
OWED = 1.0  # seconds of waiting, at most, that are still given back when it is over
LATE = 0.05  # seconds that a look is late on a busy machine, where the system tells no more
NANOSECOND = 1e-9

now, list_now, open_now, read_now, close_now = (
    time.monotonic,
    os.listdir,
    os.open,
    os.read,
    os.close,
)
TELLS = os.path.exists("/proc/self/schedstat")
cpu_now = time.process_time


class Load:
    """What a process and its children got of the machine since this was made.

    pid: of another process than this one. elapsed: seconds on the clock; kept: of them, those in
    which it could have gone on and was not let. disturbed: it may have missed a real deadline.
    """

    def __init__(self, pid: int | None = None):
        self._own = pid is None
        self._pid = os.getpid() if pid is None else pid
        self.elapsed = self.kept = 0.0
        self.disturbed = False
        self._settled = False
        self._owed = 0.0
        self._slept = 0.0
        self._recent = deque([(0.0, 0.0)])
        self._known = self._threads() if TELLS else {}
        self._cpu = cpu_now()
        self._looked = now()

    @property
    def counted(self) -> float:
        """Seconds in which it could have gone on."""
        return self.elapsed - self.kept

    @property
    def too_much(self) -> bool:
        """Whether the machine kept more from it than can be given back."""
        return self.kept - self._slept > MOST

    def settled(self) -> None:
        """Let nothing that was until now count as disturbed: there was no deadline to miss. Any
        thread may say so.
        """
        self._settled = True

    def look(self, pause: float = 0.0) -> None:
        """Count the time since the last look. pause: seconds of it that we wanted to wait."""
        settled, self._settled = self._settled, False
        time = now()
        gap, self._looked = time - self._looked, time
        used, waited = self._since_the_last_look(gap, pause)
        # If nobody had a turn, the machine had none to give: it has slept, or we were stopped.
        waited += max(0.0, gap - STALL)
        self._owed = min(self._owed + waited, max(OWED, gap))
        kept = max(0.0, min(self._owed, gap - DEAR * used))
        self._owed -= kept
        self.elapsed += gap
        self.kept += kept
        if gap > ASLEEP:
            self._slept += kept
        self._recent.append((self.elapsed, self.kept))
        while self._recent[0][0] < self.elapsed - max(WINDOW, gap):
            self._recent.popleft()
        if self.kept - self._recent[0][1] > DISTURBED:
            self.disturbed = True
        if settled:
            self.disturbed, self._owed = False, 0.0
            self._recent = deque([(self.elapsed, self.kept)])

    def _since_the_last_look(self, gap, pause):
        """(seconds of computing, of waiting for a processor) of all threads together"""
        if not TELLS:
            before, self._cpu = self._cpu, cpu_now()
            return self._cpu - before if self._own else 0.0, gap if gap > pause + LATE else 0.0
        sums, threads = [0, 0], self._threads()
        for thread, told in threads.items():
            for i, (before, after) in enumerate(zip(self._known.get(thread, (0, 0)), told)):
                sums[i] += max(0, after - before)
        self._known.update(threads)
        return sums[0] * NANOSECOND, sums[1] * NANOSECOND

    def _threads(self):
        """{(pid, thread): (nanoseconds of computing, of waiting for a processor)}"""
        return {
            (pid, thread): (told.ran, told.waited) for pid, thread, told in threads_of(self._pid)
        }


class TimeLeft(Load):
    """The time that a check may still take. tell: is told how many seconds that is, whenever there
    are more than expected.
    """

    def __init__(self, limit: float, tell: Callable[[float], None]):
        super().__init__()
        self._tell = tell
        self._ends = limit
        self._told = now() + limit
        self._telling = threading.Lock()

    @property
    def seconds(self) -> float:
        """Seconds left; fewer than none when the time is over."""
        return self._ends - self.counted

    def more(self, seconds: float) -> None:
        """Give the check this many seconds from now, for what begins now. Any thread may."""
        self._ends = self.counted + seconds
        self._expect()

    def look(self, pause: float = 0.0) -> None:
        """Count the time since the last look, and tell if the check will take longer."""
        super().look(pause)
        self._expect()

    def _expect(self):
        with self._telling:
            ends = now() + self.seconds
            if ends > self._told + STALL:
                self._told = ends
                self._tell(self.seconds)


class Told(NamedTuple):
    """What Linux tells of a thread: nanoseconds that it ran, and that it waited for a processor;
    how often it was given one.
    """

    ran: int
    waited: int
    turns: int


def threads_of(pid: int) -> Iterator[tuple[int, str, Told]]:
    """The threads of a process and of its children: (pid, number of the thread, what is told)."""
    pids = [pid]
    for pid in pids:
        try:
            threads = list_now(f"/proc/{pid}/task")
        except OSError:
            continue  # it has ended
        for thread in threads:
            try:
                told = Told(*map(int, _read(f"/proc/{pid}/task/{thread}/schedstat").split()))
                yield pid, thread, told
                pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
            except (OSError, TypeError):
                continue  # it has ended, or this system knows no children


def state_of(pid: int, thread: str) -> bytes:
    """What a thread does now, as the letter of Linux for it; nothing if it has ended."""
    try:
        return _read(f"/proc/{pid}/task/{thread}/stat").rpartition(b") ")[2][:1]
    except OSError:
        return b""


def _read(path: str) -> bytes:
    descriptor = open_now(path, os.O_RDONLY)
    try:
        return read_now(descriptor, 1 << 12)
    finally:
        close_now(descriptor)
