"""The process in which answers are judged, `python -m helpers.coach.judging.judge`, started by
`sandbox`.

It reads requests from its standard input and writes verdicts to its standard output. Where there
are forks it is the nursery of those that judge; told to be a `spare`, it judges one request itself
and ends. There the answer runs in a worker thread; the main thread watches it and names what
hangs. Code in C that keeps the interpreter to itself is ended by faulthandler, whose thread needs
no interpreter, and its traceback goes where the sandbox reads the line. Whatever happens, each
process ends with its parent.
"""

import contextlib
import faulthandler
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from helpers.coach.judging import wire
from helpers.coach.judging.limits import exit_now
from helpers.coach.judging.pipes import Kernel, Pipes

# All the authorities that an answer trusts. Each client of httpx reads a list of them, and the
# usual one takes 60 ms of a processor: too long for an answer that makes many clients on a machine
# that is busy. In a check nobody speaks TLS.
AUTHORITIES = Path(__file__).with_name("nobody.pem")


def main() -> NoReturn:
    """Have judged what is asked until nobody is there to ask."""
    os.environ.pop("PYTHONASYNCIODEBUG", None)  # the kernel's debug mode is not the answer's
    os.environ["SSL_CERT_FILE"] = str(AUTHORITIES)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the stop button is the kernel's
    kernel, errors = Kernel(os.dup(0), os.dup(1)), os.dup(2)
    # Loaded late: this takes a while, and all of it is the judge's.
    from helpers.coach.judging.serving import Judge

    judge = Judge()
    keep_to_ourselves()
    try:
        kernel.tell(wire.packed(wire.START, wire.READY))
        if sys.argv[1:] == ["spare"]:
            number, request = kernel.next_request()
            judge.judge(request, Pipes(number, kernel.told, errors, kernel.asked))
        from helpers.coach.judging.nursery import Nursery

        faulthandler.enable(errors)
        Nursery(kernel, judge).serve()
    except EOFError:
        pass  # the kernel has ended
    except BaseException:
        with contextlib.suppress(OSError):
            wire.write(errors, traceback.format_exc().encode())
        exit_now(1)
    exit_now(0)


def keep_to_ourselves() -> None:
    """Leave nothing of our pipes where an answer would find it, at descriptors 0, 1 and 2."""
    sys.stdin = open(os.devnull)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


if __name__ == "__main__":
    main()
