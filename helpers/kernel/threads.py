"""What another thread is at, told from its innermost frame: whose code, a pool's, idle or not; and
how to interrupt it.
"""

import os
import threading
from types import FrameType

from helpers.basics.places import is_library, outward
from helpers.basics.project import HELPERS

POOL = os.path.join("concurrent", "futures", "thread.py")


def belongs_to_helpers(frame: FrameType) -> bool:
    """Whether a thread runs nothing but code of these helpers (and the library below it)."""
    files = [f.f_code.co_filename for f in outward(frame)]
    return any(name.startswith(HELPERS) for name in files) and all(map(is_library, files))


def is_pools(frame: FrameType) -> bool:
    """Whether this is the frame in which a thread of a concurrent.futures pool takes its work."""
    return frame.f_code.co_name == "_worker" and frame.f_code.co_filename.endswith(POOL)


def idle_in_pool(frame: FrameType) -> bool:
    """Whether a thread of a pool waits for work, and none is queued for it."""
    if not is_pools(frame):
        return False
    names = frame.f_locals
    return names.get("work_item") is None and names["work_queue"].empty()


def all_free(frame: FrameType) -> bool:
    """Whether the pool of an idle thread says that all its threads are free.

    Its count is the only trace of a work item between the queue and the thread's first line.
    It may count a free thread as taken for ever, where two threads went for one item.
    """
    pool = frame.f_locals["executor_reference"]()
    return pool is None or pool._idle_semaphore._value >= len(pool._threads)


def raise_in(thread: threading.Thread, kind: type[BaseException]) -> None:
    """Raise an exception in another thread, as soon as that runs Python code again."""
    import ctypes  # hardly ever needed

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(kind))
