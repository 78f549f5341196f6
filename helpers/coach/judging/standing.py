"""Whether a thread stands still: asleep in a call that waits, and not because a busy machine lets
nobody go on.

Linux tells of each thread how often it was given a processor. One that is asleep at two looks and
was given none between them slept all the time, however late the second look came. It doesn't wait
for Python's interpreter either: who does is woken every few milliseconds to ask for it. What is
left is that it waits for one who waits for a processor: a thread that it joins, a process. A time
in which any of ours did is not counted.

Elsewhere the system tells too little, and nothing is ever said to stand still.
"""

import os
from threading import Thread, get_native_id

from helpers.coach.judging.limits import STALL
from helpers.coach.judging.load import NANOSECOND, TELLS, Told, now, state_of, threads_of

ASLEEP = b"S"
UNDER_WAY = (b"R", b"D")  # runs or waits for a processor; waits for the disk
HUNGRY = 0.1  # share of a time: who waited for a processor so long was kept from going on,
FED = 0.5  # and so was who wants to go on and has not run for so long


class Standing:
    """How many .seconds a thread of ours has stood still at the last look."""

    def __init__(self, thread: Thread):
        self._thread = str(thread.native_id)
        self._known = {}
        self._looked = 0.0
        self.seconds = 0.0

    def begin(self) -> None:
        """Count from the next look on."""
        self._known, self.seconds = {}, 0.0

    def look(self) -> None:
        """Count the time since the last look, or begin anew if the thread has run since."""
        if not TELLS:
            return
        known, looked = self._known, self._looked
        self._known, self._looked = _all_told(), now()
        if not self._slept(known):
            self.seconds = 0.0
            return
        gap = self._looked - looked
        others = self._known.keys() - {self._thread, str(get_native_id())}
        if gap < STALL and not any(self._is_hungry(one, known.get(one), gap) for one in others):
            self.seconds += gap

    def _slept(self, known):
        """Whether the thread slept all the time between the last look and this one."""
        return (
            self._thread in known
            and self._thread in self._known
            and known[self._thread] == self._known[self._thread]
            and known[self._thread][1] == ASLEEP
        )

    def _is_hungry(self, thread, known, gap):
        """Whether a thread wanted to go on since the last look and was not let."""
        before = known[0] if known else Told(0, 0, 0)
        told, state = self._known[thread]
        if (told.waited - before.waited) * NANOSECOND > HUNGRY * gap:
            return True
        return state in UNDER_WAY and (told.ran - before.ran) * NANOSECOND < FED * gap


def _all_told() -> dict[str, tuple[Told, bytes]]:
    """What is told of each thread of ours and of our children, and what it does, by its number."""
    # One that is asleep after its turns were counted has had no other since.
    return {thread: (told, state_of(pid, thread)) for pid, thread, told in threads_of(os.getpid())}
