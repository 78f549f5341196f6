"""An environment that is built in one place and serves in another; and taking the other's place.

Its packages are found from wherever its Python lies. What names the place in full are the programs
in its bin, on Windows Scripts, whose beginning says which Python runs them, and pyvenv.cfg.
"""

import contextlib
import os
import shutil
import time
from pathlib import Path

from .ground import ON_WINDOWS, Problem

STAMP = "course.json"
"""The file that an environment gets last of all: one that has it is whole."""

PATIENCE = 5.0  # seconds that Windows is given: a virus scanner holds new files for a moment


def retarget(folder: Path, old: Path, new: Path) -> None:
    """Let the programs in `folder`, written for an environment at `old`, serve at `new`.

    It may be cut off and done again. The .exe files that pip makes on Windows stay whole under it,
    for they find what they run by looking back from their end.
    """
    was, now = os.fsencode(old), os.fsencode(new)
    programs = folder / ("Scripts" if ON_WINDOWS else "bin")
    for path in [folder / "pyvenv.cfg", *programs.iterdir()]:
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if was not in content or now in content:  # done before; `now` may hold `was`
            continue
        first, newline, rest = content.partition(b"\n")
        if first.startswith(b"#!" + was):
            # As pip does it: a first line is cut off at a space, and at 127 bytes.
            first = b"#!/bin/sh\n'''exec' \"" + first[2:] + b'" "$0" "$@"\n' + b"' '''"
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes((first + newline + rest).replace(was, now))
        shutil.copymode(path, fresh)
        os.replace(fresh, path)


def put_in_place(new: Path, place: Path, past: Path) -> None:
    """Put the folder `new` at `place`; what was there goes by way of `past`.

    That is two renames, and nothing else. If the second fails, the first is undone; if the process
    is killed between them, `settle` does the second. Raises Problem where the system does not allow
    it; both folders are then where they were.
    """
    discard(past)
    try:
        if os.path.lexists(place):
            _rename(place, past)
        _rename(new, place)
    except OSError as error:
        if os.path.lexists(past):
            past.rename(place)
        if ON_WINDOWS:
            raise Problem(
                f"Windows can't rename a folder that is in use, and {place.name} is: close "
                "JupyterLab and whatever else runs from it, then type the same again"
            ) from error
        raise Problem(f"{place} cannot be replaced ({error.strerror})") from error
    discard(past)


def settle(new: Path, place: Path, past: Path) -> None:
    """Finish what `put_in_place` began, if it was killed half-way."""
    for folder in new, past:
        if not place.exists() and (folder / STAMP).exists():
            folder.rename(place)
    discard(past)


def discard(folder: Path) -> None:
    """Delete a folder, its stamp first; what cannot be deleted now is left for the next call."""
    with contextlib.suppress(OSError):
        (folder / STAMP).unlink(missing_ok=True)
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _rename(old: Path, new: Path) -> None:
    end = time.monotonic() + PATIENCE
    while ON_WINDOWS and time.monotonic() < end:
        with contextlib.suppress(PermissionError):
            old.rename(new)
            return
        time.sleep(0.2)
    old.rename(new)
