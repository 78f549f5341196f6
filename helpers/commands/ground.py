"""What all commands know: where the course lies, what its locks are called, what a problem is."""

import errno
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder of course.py; `basics.project`, which knows it as well, is another room."""

COURSE_LOCK = "requirements.txt"
EXTRAS_LOCK = "requirements-extras.txt"
SITE_LOCK = "site/requirements.txt"
TEST_LOCK = "tests/requirements.txt"
HUB_LOCK = "teaching/hub/requirements.txt"
LOCKS = TEST_LOCK, HUB_LOCK, SITE_LOCK, EXTRAS_LOCK, COURSE_LOCK
"""Each lock holds those after it whole, at the same versions."""

VERSION = ".".join(str(number) for number in sys.version_info[:3])
ON_WINDOWS = os.name == "nt"
PYTHON = "py" if ON_WINDOWS else "python3"
"""What a learner types for Python: python.org's installer gives Windows no python3."""

DISK_NEEDED = 1000
"""MB: the packages of the tests, their bytecode, room to unpack the largest."""


class Problem(Exception):
    """What stands in the way, in one line for whoever called; ends the program with status 2."""


def explain(error: OSError) -> str:
    """Say what an OSError means for somebody who only wants to open the course."""
    what = error.strerror or str(error)
    where = error.filename or ROOT
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return f"the disk is full ({where}): free {DISK_NEEDED} MB and try again"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"cannot write {where} ({what}): copy the course to a folder of your own"
    return f"{where}: {what}"
