"""Places in code, in words that a learner knows: which line is theirs, and what it is called."""

import os
import sysconfig
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

from helpers.basics.project import HELPERS
from helpers.basics.shell import running_shell

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


def is_library(filename: str) -> bool:
    """Does this file belong to Python, to an installed package or to this one?"""
    return filename.startswith(_LIBRARY) or filename.startswith("<frozen")


def resolved(key: Sequence[CodeType | int]) -> tuple[tuple[str, int | None, str], ...]:
    """(code, offset, code, offset, ...) → ((file, line, function), ...)."""
    return tuple(
        (code.co_filename, _line(code, offset), code.co_name)
        for code, offset in zip(key[::2], key[1::2])
    )


def _line(code: CodeType, offset: int) -> int | None:
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


def learner_line(stack: Sequence[tuple[str, int | None, str]]) -> int | None:
    """The line of the innermost learner's frame in a resolved stack, or None."""
    for file, line, _ in reversed(stack):
        if not is_library(file):
            return line
    return None


def outward(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, its caller, that one's caller …"""
    while frame is not None:
        yield frame
        frame = frame.f_back


def learner_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame, from `frame` outwards, that is the learner's, or None."""
    return next((one for one in outward(frame) if not is_library(one.f_code.co_filename)), None)


def place(file: str, line: int | None, function: str) -> str:
    """Name a line in words: "demo.py:12 fetch", or "cell 3 line 12 fetch" in a notebook."""
    function = "" if function.startswith("<") else f" {function}"
    cells = getattr(getattr(running_shell(), "compile", None), "_filename_map", {})
    if file in cells:
        return f"cell {cells[file]} line {line}{function}"
    if "ipykernel_" in file or file.startswith("<ipython-input"):
        return f"cell line {line}{function}"
    return f"{os.path.basename(file)}:{line}{function}"


def short(value: Any, limit: int = 40) -> str:
    """The repr of `value`, cut to `limit` characters; a repr that raises is said so."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
