"""What newer Pythons have and older ones lack: `from helpers.basics.backports import Queue`.

On Python 3.13 and later these are asyncio's own. Below, `Queue` is asyncio's queue with the
`shutdown` that came in 3.13, for the lessons on pipelines: the same calls, the same errors.
"""

import asyncio
import sys
from typing import Any

__all__ = ["Queue", "QueueShutDown"]

if sys.version_info >= (3, 13):
    from asyncio import Queue, QueueShutDown
else:

    class QueueShutDown(Exception):
        """Raised by `put` on a queue that was shut down, and by `get` once it is empty too."""

    class Queue(asyncio.Queue):
        """asyncio's queue, with `shutdown`.

        It waits in the lists that asyncio's own queue has on 3.11 and 3.12, `_getters` and
        `_putters`; neither version changes any more.
        """

        def __init__(self, maxsize: int = 0) -> None:
            super().__init__(maxsize)
            self._is_shut = False

        def shutdown(self, immediate: bool = False) -> None:
            """From now on `put` raises QueueShutDown, and so does `get` once nothing is left.

            Whoever waits in `put` or `get` is woken. immediate: drop what is left, and count it
            as done, so that `join` returns.
            """
            self._is_shut = True
            while immediate and not self.empty():
                super().get_nowait()
                self.task_done()
            for waiters in (self._getters, self._putters):
                while waiters:
                    self._wakeup_next(waiters)

        def put_nowait(self, item: Any) -> None:
            if self._is_shut:
                raise QueueShutDown
            super().put_nowait(item)

        def get_nowait(self) -> Any:
            if self._is_shut and self.empty():
                raise QueueShutDown
            return super().get_nowait()

        async def put(self, item: Any) -> None:
            while self.full() and not self._is_shut:
                # The future is made here, so that a recording says what the task waits for.
                turn = asyncio.get_running_loop().create_future()
                await self._wait_in(self._putters, turn, self.full)
            self.put_nowait(item)

        async def get(self) -> Any:
            while self.empty() and not self._is_shut:
                turn = asyncio.get_running_loop().create_future()
                await self._wait_in(self._getters, turn, self.empty)
            return self.get_nowait()

        async def _wait_in(self, waiters, turn, in_vain):
            waiters.append(turn)
            try:
                await turn
            except BaseException:
                if turn in waiters:
                    waiters.remove(turn)
                elif not in_vain():
                    # Woken and cancelled in the same turn of the loop: another may go in its place.
                    self._wakeup_next(waiters)
                raise
