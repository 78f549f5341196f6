"""Jobs to hand to threads and processes: `from helpers.props.workloads import do_work`.

A process that is spawned imports the function that it shall run, and it can't import a notebook.
`do_work` and `do_real_work` are the `sleep.py` and `hard_work.py` of source 000, `collatz_steps`
and `collatz_line` those of source 002, `fibonacci` is what source 003 computes: all at a size for
a lesson, without prints, for what another process prints doesn't reach the cell. How much they
compute is set by a parameter; how long that takes is the machine's affair.

A pool of processes is made with `initializer=end_with_parent`, so that no worker outlives the
notebook.
"""

import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.connection import wait

from helpers.recording.jobs import job


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


@job
def wait_and_work(seconds: float = 0.005, loops: int = 100_000) -> None:
    """Wait for `seconds`, then count to `loops`: as for an answer that takes some work."""
    time.sleep(seconds)
    for _ in range(loops):
        pass


@job
def parse(text: str, rounds: int = 200) -> int:
    """Work as a parser does, about 1 ms for 40 characters: read every character, many times over.

    Returns a number below 2**32 that depends on each character and on `rounds`.
    """
    total = len(text)
    for _ in range(rounds):
        for character in text:
            total = (total * 31 + ord(character)) & 0xFFFFFFFF
    return total


@job
def fibonacci(n: int) -> int:
    """Work: the n-th Fibonacci number (0, 1, 1, 2, ...) the slow way, about 1.6 ** n calls."""
    return _fibonacci(n)


def _fibonacci(n):
    return n if n < 2 else _fibonacci(n - 1) + _fibonacci(n - 2)


def collatz_steps(n: int) -> int:
    """Steps from `n` to 1: an even number is halved, an odd one becomes three times it plus 1."""
    steps = 0
    while n > 1:
        steps += 1
        if n % 2 == 0:
            n //= 2
            continue
        n = n * 3 + 1
    return steps


def collatz_steps_as_published(n: int) -> int:
    """The same as source 002 prints it (line 15), with `/=`: from about 2**53 on it may be wrong.

    `/` gives a float, which holds 53 bits of a number.
    """
    steps = 0
    while n > 1:
        steps += 1
        if n % 2 == 0:
            n /= 2
            continue
        n = n * 3 + 1
    return steps


def collatz_line(n: int) -> str:
    """The line that source 002 makes of `n`."""
    return f"The collatz steps for {n} is {collatz_steps(n)}"


@job
def collatz_lines(first: int, last: int) -> list[str]:
    """Work: the lines for `first` up to `last`, that one not included."""
    return [collatz_line(n) for n in range(first, last)]


def end_with_parent() -> None:
    """Make a pool's worker end with the notebook: `ProcessPoolExecutor(initializer=...)`.

    The worker ignores SIGINT, which the stop button sends to the kernel and its children alike:
    the kernel decides what becomes of its pool. And it ends as soon as its parent is gone, in the
    middle of its work, even if the parent was killed and could shut nothing down. (Work in C that
    never lets go of the GIL is finished first.)

    Raises RuntimeError in a process that was not started by multiprocessing.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError(
            "end_with_parent is for the worker processes of a pool: give it as "
            "initializer to a ProcessPoolExecutor."
        )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def never_ends() -> None:
    """Work without an end, for a process that is killed from outside; it ends with its parent."""
    end_with_parent()
    while True:
        pass


def _end_after(sentinel):
    wait([sentinel])
    # Not sys.exit: in a thread it ends the thread alone, and the work shall not go on.
    os._exit(1)
