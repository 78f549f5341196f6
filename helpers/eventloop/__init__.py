"""The event loop that lessons 05 to 09 build, one file a stage.

ready.py: a queue of paused functions.  timers.py: sleep.  tasks.py: futures, tasks, cancelling.
sockets.py: the network, and other threads.  asyncio_loop.py, and the files that it names:
asyncio's interface, so that `run(main())` and `new_event_loop()` stand where asyncio's own do.

Beside the stages, instruments.py: what a loop announces to whoever listens.
"""

from .asyncio_loop import new_event_loop, run

__all__ = ["new_event_loop", "run"]
