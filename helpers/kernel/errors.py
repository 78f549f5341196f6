"""Errors of a notebook's cell, shown so that they are seen and say what to do.

**ExceptionGroups.** IPython prints them to stderr, and as far as its clients can tell the cell
went well. Here they are shown as the errors they are.

**A stop.** Where a cell was stopped in a library, its traceback shows the learner's lines alone.
IPython reads and colours the source of each frame, which takes seconds for those of a library.

**A name that is not there.** Where a cell meets one, its error says what to do, too: after a
restart the cells above have to run again.

**A limit of the system.** Where a container or an account allows no more threads, processes, files
or shared locks, the error says which, and what to do.
"""

import asyncio
import errno
import functools
import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from helpers.basics.places import is_library
from helpers.basics.project import HELPERS

# Files whose frames say nothing to a learner in an ExceptionGroup's traceback.
INNER = re.compile(
    "|".join(re.escape(folder) for folder in (os.path.dirname(asyncio.__file__) + os.sep, HELPERS))
    + r"|.*[/\\](IPython|ipykernel)[/\\]"
)


LIMITS = {  # of the system, in words
    "threads": "This system gives this notebook no further thread or process.",
    "files": "This notebook has as many files and sockets open as this system allows.",
    "locks": "On this system no lock can be made that processes share: in a container, /dev/shm is "
    "missing or can't be written.",
}
WHAT_THEN = (
    "Restart the kernel (menu Kernel), so that what is left over ends, or go on with a cell that "
    "needs none; `python3 course.py doctor` tells what this machine allows."
)


def show_errors(shell: Any) -> None:
    """From now on show errors that hold an ExceptionGroup, in themselves or in their context, fold
    the libraries' part of a stop, and add what to do to a NameError.

    shell: IPython's, with our `stop_button`, which knows how an error looks to the learner.

    `shell.set_custom_exc` would do for the groups themselves. But an error raised while a group
    was handled disappears as well, whatever its class.
    """
    button, showtraceback = shell.stop_button, shell.showtraceback
    # ipykernel's answer to a failed cell reads it, and not every error sets it.
    shell._last_traceback = None

    @functools.wraps(showtraceback)
    def show(exc_tuple=None, *args, **kwargs):
        raised = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        error = button.as_seen(raised)
        if error is None:
            showtraceback(exc_tuple, *args, **kwargs)
        elif _holds_group(error):
            shell._showtraceback(type(error), error, _readable(shell, error))
        else:
            _advise(shell, error)
            _fold(shell, error, raised)
            showtraceback((type(error), error, error.__traceback__), *args, **kwargs)

    shell.showtraceback = show


def _advise(shell, error):
    """Add what to do to an error that a limit of the system caused, and to the NameError of a
    cell, or of a function that a cell defines.
    """
    limit = _limit_met(error)
    if limit and not hasattr(error, "__notes__"):
        error.add_note(f"{LIMITS[limit]} {WHAT_THEN}")
        return
    if type(error) is not NameError or str(error) != f"name {error.name!r} is not defined":
        return  # such as an UnboundLocalError, which no other cell mends
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    learners = frames and frames[-1].f_globals is shell.user_global_ns
    if learners and not hasattr(error, "__notes__"):  # it has one where it is shown once more
        error.add_note(
            f"`{error.name}` is not defined in this kernel. Run the cells above this "
            "one first (menu Run, Run All Above Selected Cell), or check the spelling."
        )


def _limit_met(error):
    """Which of LIMITS the error is about, or None."""
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return "threads"
    if not isinstance(error, OSError):
        return None
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "files"
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    files = {os.path.basename(frame.f_code.co_filename) for frame in frames}
    if "synchronize.py" in files:
        return "locks"
    # Elsewhere EAGAIN only says that a socket has nothing yet.
    starting = error.errno == errno.EAGAIN and files & {"subprocess.py", "popen_fork.py"}
    return "threads" if starting else None


def _fold(shell, error, raised):
    """Have IPython show a stop by the learner's frames alone, and by a word on the others.

    raised: the error that stopped the cell, where `error` is how it looks. IPython keeps it in its
    history as it shows it, and draws it anew for that.
    """
    steps = list(_steps(error.__traceback__))
    learners = [step for step in steps if not is_library(step.tb_frame.f_code.co_filename)]
    if not isinstance(error, KeyboardInterrupt) or not learners:
        return
    stop = KeyboardInterrupt(*error.args)
    # What is around the first of the learner's is IPython's, and the last may be the button's.
    inside = [step for step in steps[steps.index(learners[0]) :] if step not in learners]
    names = [step.tb_frame.f_globals.get("__name__", "?").partition(".")[0] for step in inside]
    packages = dict.fromkeys(name for name in names if name != "helpers")
    if packages:
        stop.add_note(f"What it waited for in {', '.join(packages)} is left out.")
    shown = None
    for step in reversed(learners):
        shown = TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    lines = shell.InteractiveTB.structured_traceback(type(stop), stop, shown, tb_offset=0)
    error._render_traceback_ = raised._render_traceback_ = lambda: lines


def _steps(tb: TracebackType | None) -> Iterator[TracebackType]:
    """Each step of a traceback, outermost first."""
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _holds_group(error):
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, BaseExceptionGroup):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def _readable(shell, error):
    """The lines of an error's traceback, without the inner frames of asyncio and IPython."""
    described = traceback.TracebackException.from_exception(error, compact=True)
    _leave_out_inner_frames(described)
    text = "".join(described.format())

    def in_words(match):
        kind_and_name = shell.compile.format_code_name(match[1])
        return " ".join(kind_and_name) if kind_and_name else match[0]

    # ipykernel gives its cells the names of temporary files.
    return re.sub(r'File "([^"]+)"', in_words, text).splitlines()


def _leave_out_inner_frames(described):
    outside = [frame for frame in described.stack if not INNER.match(frame.filename)]
    if outside:
        described.stack[:] = outside
    for inner in (*(described.exceptions or ()), described.__cause__, described.__context__):
        if inner is not None:
            _leave_out_inner_frames(inner)
