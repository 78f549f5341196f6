"""What `course.py doctor` finds, and how it tells it."""

from collections.abc import Iterable
from typing import NamedTuple


class Finding(NamedTuple):
    """Something that the course stands on.

    cure: what to do where it is not right. less: it then only makes lessons smaller.
    """

    right: bool
    what: str
    cure: str
    less: bool = False


def report(findings: Iterable[Finding]) -> int:
    """Print what is found, as it is found; return 1 if anything is wrong."""
    fine = True
    for right, what, cure, less in findings:
        print(f"{'ok' if right else 'less' if less else 'WRONG':5}  {what}", flush=True)
        if not right:
            fine = fine and less
            print(f"       {cure}", flush=True)
    return 0 if fine else 1
