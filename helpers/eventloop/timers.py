"""Stage 2, time: who sleeps gets no turn before its deadline.

The loop keeps the sleepers in a heap, earliest deadline first, and sleeps itself for exactly as
long as nobody is ready.
"""

import heapq
import itertools
import time
import types

from . import ready


@types.coroutine
def sleep(seconds):
    """Wait, while the others run. Zero, or less, is one turn for the others."""
    deadline = time.monotonic() + seconds
    yield (lambda loop, who: loop.wake_at(deadline, who)) if seconds > 0 else None


class Loop(ready.Loop):
    """Runs coroutines in turns, and lets them sleep."""

    def __init__(self):
        super().__init__()
        self.sleeping = []  # a heap of [deadline, ticket, who]
        # Two equal deadlines would make the heap compare coroutines, which have no order.
        self.tickets = itertools.count()

    def run(self):
        """Give turns until every coroutine has ended."""
        while self.ready or self.sleeping:
            self.turn()

    def turn(self):
        """Wait if nobody is ready; then give one turn to each who is."""
        self.wait()
        for _ in range(len(self.ready)):  # who becomes ready meanwhile has the next turn
            self.step(self.ready.popleft())

    def step(self, coro):
        """Run one coroutine to its next yield. It yields None, or a function that parks it."""
        try:
            park = coro.send(None)
        except StopIteration:
            return
        if park is None:
            self.wake(coro)
        else:
            park(self, coro)

    def wake_at(self, deadline, who):
        """Wake it at that time (of `time.monotonic`); return what takes that back."""
        entry = [deadline, next(self.tickets), who]
        heapq.heappush(self.sleeping, entry)
        return entry.pop  # what is in the middle of a heap stays there: void, and without a `who`

    def wait(self):
        """If nobody is ready, wait for the first sleeper. Then wake all whose time has come."""
        if not self.ready:
            self.pause(self.sleeping[0][0] - time.monotonic() if self.sleeping else None)
        now = time.monotonic()
        while self.sleeping and self.sleeping[0][0] <= now:
            entry = heapq.heappop(self.sleeping)
            if len(entry) == 3:
                self.wake(entry.pop())

    def wake(self, coro):
        """Put it at the end of the queue."""
        self.ready.append(coro)

    def pause(self, seconds):
        """Let the thread sleep."""
        time.sleep(max(0, seconds))  # the deadline may be over, and time.sleep refuses less than 0
