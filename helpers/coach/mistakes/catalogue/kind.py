"""The form of an entry of the catalogue."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A mistake by name: the headline, what its line does ("Line 4 …"), and what to try."""

    headline: str
    at: str
    try_: str
