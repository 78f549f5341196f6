"""The cases of a sweep: drawn with Hypothesis from what an exercise says its inputs are.

All are drawn before an answer runs, with one seed, and sorted by size: everybody is asked the
same, and is shown the smallest of the cases drawn in which the answer goes wrong.
"""

import functools
from typing import Any

from helpers.coach.form.sweeps import Sweep

Case = dict[str, Any]
"""The arguments of one run of a sweep, by name. It is shared: a program gets a copy."""

DRAWS = 3  # how many are drawn for each that is asked: many are alike
BACKEND = "course"


def cases_of(sweep: Sweep) -> list[Case]:
    """The cases to ask with, smallest first; then those that the sweep asks for besides."""
    return [*spread(drawn(sweep), sweep.most), *sweep.besides]


def ways_of(sweep: Sweep) -> list[str]:
    """The names in the cases of a sweep that tell how to ask: they are nothing but True or False,
    or no answer gets to see them.
    """
    cases = cases_of(sweep)
    flags = (name for name in cases[0] if all(isinstance(case[name], bool) for case in cases))
    return [*flags, *sweep.unseen]


def smaller_than(case: Case, sweep: Sweep) -> list[Case]:
    """The drawn cases that are smaller than this one, smallest first."""
    return [each for each in drawn(sweep) if _size(each) < _size(case)]


@functools.cache
def drawn(sweep: Sweep) -> list[Case]:
    """All cases drawn for a sweep, smallest first."""
    import hypothesis
    from hypothesis import HealthCheck, Phase, strategies

    _without_constants()
    inputs, found = sweep.inputs(strategies), {}

    @hypothesis.seed(0)
    @hypothesis.settings(
        backend=BACKEND,
        database=None,
        deadline=None,
        max_examples=sweep.most * DRAWS,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(strategies.fixed_dictionaries(inputs))
    def draw(case):
        case = {name: case[name] for name in inputs}
        found.setdefault(repr(case), case)

    draw()
    return sorted(found.values(), key=_size)


def spread(ordered: list, most: int) -> list:
    """At most so many of a list, from its first item on, evenly spread."""
    wanted = min(len(ordered), most)
    return [ordered[number * len(ordered) // wanted] for number in range(wanted)]


def _size(case):
    words = repr(case)
    return len(words), words


@functools.cache
def _without_constants() -> None:
    """Make known to Hypothesis a way to draw that looks at no source.

    Its own now and then draws a constant that stands in one of the modules that happen to be
    loaded: the cases would depend on what was checked before.
    """
    from hypothesis.internal.conjecture import providers

    class Plain(providers.HypothesisProvider):
        def _maybe_draw_constant(self, *arguments, **named):
            return None

    providers.AVAILABLE_PROVIDERS[BACKEND] = Plain
