"""The time axis of a timeline: which seconds it shows on which pixels, and where it has ticks."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from helpers.pictures.timeline_looks import number, words

TICK = 80  # pixels at least between two ticks
EDGE = 7  # pixels beside the axis: a mark at its very start is seen whole


class Axis(NamedTuple):
    """The moment at its left, in seconds; pixels a second; its width in pixels."""

    start: float
    scale: float
    width: float

    def x(self, moment: float) -> float:
        """Where a moment is, in pixels."""
        return (moment - self.start) * self.scale

    @property
    def unit(self) -> tuple[str, float]:
        """What it counts in, and how many of that a second has."""
        span = self.width / self.scale
        if span >= 0.5:
            return "seconds", 1
        return ("milliseconds", 1e3) if span >= 0.0005 else ("microseconds", 1e6)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """(pixel, number) of each round number that it shows."""
        _, each = self.unit
        low, high = self.start * each, (self.start + self.width / self.scale) * each
        step = _round(TICK / self.scale * each)
        for n in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
            yield self.x(n * step / each), f"{n * step:.10g}"


def _round(least):
    """The next of 1, 2, 5, 10, 20, 50, ... and their tenths."""
    power = 10 ** math.floor(math.log10(least))
    return next(power * by for by in (1, 2, 5, 10) if power * by >= least * (1 - 1e-9))


def grid(axis: Axis, height: float) -> str:
    """Lines through a plot at the ticks, on an area that feels the mouse."""
    lines = [f'<path transform="translate({number(x)})" d="M0 0V{number(height)}"/>'
             for x, _ in axis.ticks()]  # fmt: skip
    area = f'<rect width="{number(axis.width)}" height="{number(height)}" fill="none" '
    return f'{area}pointer-events="all"/><g class="grid">{"".join(lines)}</g>'


def numbers(axis: Axis) -> str:
    """The numbers at the ticks."""
    texts = [words(x, 13, text, anchor="middle") for x, text in axis.ticks()]
    return f'<g class="tick">{"".join(texts)}</g>'
