"""Plain words for what an await waits for, who woke it, and who cancelled."""

import asyncio
from typing import Any, NamedTuple

from helpers.basics.places import is_library
from helpers.recording.model import Lane, Mark
from helpers.recording.shell import drive

TIMERS = ("sleep", "timer")  # what a task waits for that has set a timer
_WAITS = {  # what a task waits for, by the function that made the future
    "wrap_future": "executor",
    "StreamReader._wait_for_data": "socket",
    "FlowControlMixin._drain_helper": "socket",
    "BaseSelectorEventLoop._create_connection_transport": "connection",
    "BaseSubprocessTransport._wait": "process",
    "TaskGroup.__aexit__": "TaskGroup",
    "TaskGroup._aexit": "TaskGroup",  # its newer name
    "_wait": "wait",
}

_CAUSES = {  # who woke it, by the function that set the result
    "_set_result_unless_cancelled": "timer",
    "_release_waiter": "wait_for",
    "StreamReader._wakeup_waiter": "socket",
    "Lock._wake_up_first": "Lock.release",
    "Semaphore._wake_up_next": "Semaphore.release",
    "Condition._notify": "Condition.notify",
    "Queue._wakeup_next": "Queue",
    "TaskGroup._on_task_done": "its end",
    "_wait.<locals>._on_completion": "its end",
    "shield.<locals>._inner_done_callback": "its end",
    "_copy_future_state": "executor",
    "Task.cancel": "cancel",
    "Handle._run": "callback",
}

SCOPE = "by a scope of AnyIO"
_CANCELLERS = {
    "Timeout._on_timeout": "a timeout",
    "_cancel_all_tasks": "the end of run",
    "Loop.run": "the end of run",  # of a learner's loop
    "Loop.end_tasks": "the end of run",
    "Runner._on_sigint": "the keyboard",
}


class OwnWait(NamedTuple):
    """What a task of somebody's own loop waits for; a sleeper until when, by `time.monotonic`."""

    words: str
    deadline: float | None = None

    def done(self) -> bool:
        """As a future has it; such a wait is over when the task goes on, and not before."""
        return False


def words_for(key: Any) -> str:
    """Plain words for what an await waits for, or for the cause of a wake."""
    if isinstance(key, str):
        return key
    why = isinstance(key, tuple)
    code, known = (key[0], _CAUSES) if why else (key, _WAITS)
    name = code.co_qualname
    if name in known:
        return known[name]
    # Compiled code of another loop has no frame of its own: then it is our driver's that shows.
    if not is_library(code.co_filename) or code is drive.__code__:
        return "set_result" if why else "future"
    if name.startswith(("BaseSelectorEventLoop.", "_Selector")):
        return "socket"
    return name.replace(".<locals>", "")


def foreign(waited: Any) -> str:
    """Plain words for something that is awaited and does not come from a recorded loop."""
    if isinstance(waited, OwnWait):
        return waited.words
    if asyncio.isfuture(waited):
        if isinstance(waited, asyncio.Task):
            name = waited.get_name()  # "None" if a factory made it: Python 3.13.0 names it so
            return f"task {name}" if name != "None" else "a task"
        return "gather" if hasattr(waited, "_children") else "future"
    return type(waited).__name__


def cancel_mark(mark: tuple, lanes: list[Lane]) -> tuple[Mark, float]:
    """The Mark of a cancellation as `Log.mark` noted it, and its order among the steps."""
    time, lane, kind, by, who, order = mark
    detail = None
    if getattr(who, "co_qualname", "") == "CancelScope._deliver_cancellation":
        detail = SCOPE  # whichever task entered or left it
    elif by is not None:
        detail = f"by {lanes[by].name}"
    elif isinstance(who, str):
        detail = f"by {who}"
    elif who is not None:
        detail = f"by {_CANCELLERS.get(who.co_qualname, 'somebody outside')}"
    return Mark(time, lane, kind, detail), order
