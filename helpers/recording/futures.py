"""The futures and tasks of a recorded asyncio loop: they note who settles and who cancels them.

Their attributes begin with an underscore, for to the learner they are asyncio's own; the log reads
them.
"""

import asyncio
from typing import Any


class Future(asyncio.Future):
    """A future that notes when and by whom it was settled. Named so that its repr stays right."""

    __slots__ = ("_log", "_made", "_when", "_by", "_why")

    def set_result(self, result: Any) -> None:
        _set_result(self, result)
        self._log.settled(self)

    def set_exception(self, exception: Any) -> None:
        _set_exception(self, exception)
        self._log.settled(self)

    def cancel(self, msg: Any = None) -> bool:
        if self.done():
            return False
        self._log.settled(self)
        return super().cancel(msg)


_set_result = asyncio.Future.set_result

_set_exception = asyncio.Future.set_exception


class Task(asyncio.Task):
    """A task that notes who asks it to cancel. Named so that its repr stays right."""

    __slots__ = ("_log", "_lane")

    def cancel(self, msg: Any = None) -> bool:
        if not self.done() and self._log.open:
            self._log.cancel_asked(self._lane)
        return super().cancel(msg)

    def set_name(self, value: Any) -> None:
        if value is not None:  # Python 3.13.0 passes None on to what a task factory made
            super().set_name(value)
            self._log.rename(self._lane, str(value))
