"""How things are measured here: a row of the result, runs in turn, the time that a call takes."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")


class Row(NamedTuple):
    """One measured figure. limit, least: the most, and the least, it may be; None: no matter."""

    what: str
    measured: float
    unit: str = "times bare"
    limit: float | None = None
    least: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the figure is out of its bounds."""
        return (
            self.limit is not None
            and self.measured > self.limit
            or self.least is not None
            and self.measured < self.least
        )

    def __str__(self) -> str:
        bounds = [
            f"  {word} {bound:g}"
            for word, bound in (("at most", self.limit), ("at least", self.least))
            if bound is not None
        ]
        verdict = "" if not bounds else "  MISSED" if self.missed else "  ok"
        return f"  {self.what:<44}{self.measured:>9.3f} {self.unit:<14}{''.join(bounds)}{verdict}"


def in_turn(ways: Mapping[str, Callable[[], Result]], repeats: int) -> dict[str, list[Result]]:
    """What each way gives, run `repeats` times, all in turn: a noisy machine hurts all alike."""
    found = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            found[name].append(way())
    return found


def median_seconds(call: Callable[[], object], repeats: int) -> float:
    """The seconds that a call takes: the median of as many calls."""
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)
