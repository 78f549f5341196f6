"""Event loops beside the kernel's own, and out of sight of a recording."""

import threading
from collections.abc import Callable
from typing import TypeVar

from helpers.recording import jobs

Result = TypeVar("Result")


def apart(call: Callable[[], Result]) -> Result:
    """What a call returns that runs event loops: in a thread of its own, because a notebook's
    kernel has a loop in this one, which must not be recorded; nor does a recording that is under
    way see anything of it. Raises what the call raises.
    """
    came = {}
    aside, jobs.under_way = jobs.under_way, None

    def work():
        try:
            came["result"] = call()
        except BaseException as error:
            came["error"] = error

    thread = threading.Thread(target=work, name="drill", daemon=True)
    try:
        thread.start()
        thread.join()
    finally:
        jobs.under_way = aside
    if "error" in came:
        raise came.pop("error")
    return came["result"]
