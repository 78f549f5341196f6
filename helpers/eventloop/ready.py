"""Stage 1, the ready queue: many paused functions, one thread, each in its turn.

loop = Loop()
loop.spawn(countdown("A", 3))
loop.spawn(countdown("B", 2))
loop.run()
"""

from collections import deque


class Loop:
    """Runs generators and coroutines in turns, until none is left."""

    def __init__(self):
        self.ready = deque()  # whose turn it is: the leftmost

    def spawn(self, coro):
        """Put a generator or a coroutine at the end of the queue. It does not run yet."""
        self.ready.append(checked(coro))

    def run(self):
        """Give turns until every generator has ended."""
        while self.ready:
            self.step(self.ready.popleft())

    def step(self, coro):
        """Run one generator to its next yield."""
        try:
            coro.send(None)
        except StopIteration:
            return  # it has ended: it does not queue again
        self.ready.append(coro)


def checked(coro):
    """Return a generator or a coroutine as it is; TypeError for anything else."""
    if hasattr(coro, "send"):
        return coro
    raise TypeError(
        f"spawn takes a generator or a coroutine, and got {coro!r}. "
        "If it is a function, call it: spawn(work()), not spawn(work)."
    )
