"""Jobs to hand to threads and processes: `from helpers.workloads import do_work`.

A process that is spawned imports the function that it shall run, and it can't import a notebook.
The two are the source's `sleep.py` and `hard_work.py` (source 000), at a size for a lesson, without
its prints: what another process prints doesn't reach the cell.
"""

import time

from helpers.recorder import job


@job
def do_work(number: int, seconds: float = 0.05) -> int:
    """Wait: sleep for `seconds`, as for the answer of a database. Returns `number`."""
    time.sleep(seconds)
    return number


@job
def do_real_work(number: int, loops: int = 1_000_000) -> int:
    """Work: count to `loops` in Python code, some 30 to 60 ms for a million. Returns `number`."""
    output = 0
    for _ in range(loops):
        output += 1
    return number
