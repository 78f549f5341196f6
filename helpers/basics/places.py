"""Places in code, in words that a learner knows: which line is theirs, and what it is called."""

import os
import sys
import sysconfig

from helpers.basics.project import HELPERS

_LIBRARY = tuple(
    {
        os.path.normpath(path) + os.sep
        for path in (
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            os.path.dirname(os.__file__),
            HELPERS,
        )
    }
)


def is_library(filename):
    """Does this file belong to Python, to an installed package or to this one?"""
    return filename.startswith(_LIBRARY) or filename.startswith("<frozen")


def resolved(key):
    """(code, offset, code, offset, ...) → ((file, line, function), ...)."""
    return tuple(
        (code.co_filename, _line(code, offset), code.co_name)
        for code, offset in zip(key[::2], key[1::2])
    )


def _line(code, offset):
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


def learner_line(stack):
    """The line of the innermost learner's frame in a resolved stack, or None."""
    for file, line, _ in reversed(stack):
        if not is_library(file):
            return line
    return None


def learner_frame(frame):
    """The innermost frame, from `frame` outwards, that is the learner's, or None."""
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def place(file, line, function):
    """Name a line in words: "demo.py:12 fetch", or "cell 3 line 12 fetch" in a notebook."""
    function = "" if function.startswith("<") else f" {function}"
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    if file in cells:
        return f"cell {cells[file]} line {line}{function}"
    if "ipykernel_" in file or file.startswith("<ipython-input"):
        return f"cell line {line}{function}"
    return f"{os.path.basename(file)}:{line}{function}"


def short(value, limit=40):
    """The repr of `value`, cut to `limit` characters; a repr that raises is said so."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
