"""Stage 2, time: a sleeping coroutine gets no turn before its deadline.

The loop keeps the sleepers in a heap, earliest deadline first, and sleeps itself for exactly as
long as no coroutine is ready.
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


class Timers:
    """The sleepers with their deadlines, the earliest first."""

    def __init__(self):
        self.heap = []  # of [deadline, ticket, who]; an entry without a `who` is void
        # Two equal deadlines would make the heap compare coroutines, which have no order.
        self.tickets = itertools.count()
        self.many = 100  # so many entries, and all the void ones are thrown out

    def __len__(self):
        return len(self.heap)  # the void ones too

    def __iter__(self):
        return (entry[2] for entry in self.heap if len(entry) == 3)

    def add(self, deadline, who):
        """Add a sleeper; return a function that takes it out again, to be called once."""
        entry = [deadline, next(self.tickets), who]
        heapq.heappush(self.heap, entry)
        return entry.pop  # what is in the middle of a heap stays there: void, and without a `who`

    def first(self):
        """Return the first deadline; None if there is no sleeper."""
        while self.heap and len(self.heap[0]) < 3:
            heapq.heappop(self.heap)
        return self.heap[0][0] if self.heap else None

    def due(self, now):
        """Take out those that are due, one by one: each may take the next one back."""
        if len(self.heap) > self.many:  # or cancelled timeouts would pile up for an hour
            self.throw_out()
        if self.heap and self.heap[0][0] <= now:
            return self.taken_out(now)
        return ()

    def taken_out(self, now):
        heap = self.heap
        while heap and heap[0][0] <= now:
            entry = heapq.heappop(heap)
            if len(entry) == 3:
                yield entry.pop()

    def throw_out(self):
        """Throw out all void entries."""
        self.heap = [entry for entry in self.heap if len(entry) == 3]
        heapq.heapify(self.heap)
        self.many = max(100, 2 * len(self.heap))


class Loop(ready.Loop):
    """Runs coroutines in turns, and lets them sleep."""

    def __init__(self):
        super().__init__()
        self.sleeping = Timers()

    def run(self):
        """Give turns until every coroutine has ended."""
        while self.ready or self.sleeping:
            self.turn()

    def turn(self):
        """Wait if no coroutine is ready; then give one turn to each that is."""
        self.wait()
        for _ in range(len(self.ready)):  # what becomes ready meanwhile runs in the next turn
            self.step(self.ready.popleft())

    def step(self, coro):
        """Run one coroutine to its next yield. It yields None, or a function that parks it."""
        try:
            park = coro.send(None)
        except StopIteration:
            return
        if park is None:
            self.make_ready(coro)
        else:
            park(self, coro)

    def wake_at(self, deadline, who):
        """Wake it at that time (of `time.monotonic`); return a function that takes it back."""
        return self.sleeping.add(deadline, who)

    def wait(self):
        """If none is ready, wait for the first sleeper. Then wake all that are due."""
        if not self.ready:
            first = self.sleeping.first()
            self.pause(None if first is None else first - time.monotonic())
        for who in self.sleeping.due(time.monotonic()):
            self.ring(who)

    def ring(self, who):
        """Called when a sleeper is due."""
        self.make_ready(who)

    def make_ready(self, coro):
        """Put it at the end of the queue."""
        self.ready.append(coro)

    def pause(self, seconds):
        """Let the thread sleep."""
        time.sleep(max(0, seconds))  # the deadline may be over, and time.sleep refuses less than 0
