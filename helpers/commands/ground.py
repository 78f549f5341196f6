"""What all commands know: where the course lies, what its locks are called, what a problem is."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder of course.py; `basics.project`, which knows it as well, is another room."""

COURSE_LOCK = "requirements.txt"
EXTRAS_LOCK = "requirements-extras.txt"
TEST_LOCK = "tests/requirements.txt"
LOCKS = TEST_LOCK, EXTRAS_LOCK, COURSE_LOCK
"""Each lock holds those after it whole, at the same versions."""

VERSION = ".".join(str(number) for number in sys.version_info[:3])
ON_WINDOWS = os.name == "nt"

DISK_NEEDED = 1000
"""MB: the packages of the tests, their bytecode, room to unpack the largest."""


class Problem(Exception):
    """What stands in the way, in one line for whoever called; ends the program with status 2."""
