"""What the five sources of the course claim, row by row: the start of the ledger (lesson 22).

The rows stand in `claims.toml`. A lesson makes a row live, by `compare(..., claim="000-2")`
where it is about times; `Claim.judge` then says whether it holds on the machine at hand.
"""

import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from helpers.basics.words import count, number

__all__ = ["Source", "Claim", "Verdict", "claims", "claim", "effect"]

FILE = Path(__file__).with_name("claims.toml")
GAIN, LOSS = 1.25, 0.8  # ratios nearer to 1 are called the same: that much is noise
SOONER = 1.05
KINDS = ("measurement", "output", "statement", "mistake")


class Verdict(NamedTuple):
    """holds: True, False, or None where there is nothing to hold. reason: a sentence."""

    holds: bool | None
    reason: str

    def __str__(self) -> str:
        word = {True: "holds: ", False: "does not hold: ", None: ""}[self.holds]
        return word + self.reason


@dataclass(frozen=True)
class Source:
    """A source as its own head names it; author and date are "" where the head has none."""

    id: str
    title: str
    author: str
    date: str


@dataclass(frozen=True)
class Claim:
    """One row of the ledger.

    id: the source's number and the row's, "000-1".
    lesson: the lesson that makes it live.
    kind: "measurement" (figures), "output" (printed text), "statement" (words) or "mistake" (a
        listing or a label that is wrong as printed).
    what: the claim in our words.  quote: in the source's.  where: section and line of the source.
    experiment: rows that are measured together share this name.
    published: the source's figure for each variant, in `unit`. The first is the measure of others.
    says: where the source gives no figure: variant → "gain", "same" or "loss". The first variant
        is the measure of the others, and has "measure".
    parameters: of the source's own run.
    output: what the source prints, for kind "output".
    rule: how a measurement is judged, a name in `RULES`.
    repeated: what repeating it gave when the course was written, as `held` says in a word.
    held: "yes", "no", "partly" or "outdated".
    note: where the source is wrong, or what to look at.
    """

    id: str
    source: Source
    lesson: int
    kind: str
    what: str
    quote: str
    where: str
    held: str
    experiment: str = ""
    published: dict[str, float] = field(default_factory=dict)
    unit: str = "s"
    says: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    output: str = ""
    rule: str = "ratio"
    repeated: str = ""
    note: str = ""

    @property
    def baseline(self) -> str | None:
        """The variant that the others are measured by."""
        return next(iter(self.published or self.says), None)

    @property
    def variants(self) -> list[str]:
        """The variants that the row is about: all but the baseline, if it isn't alone."""
        names = list(self.published or self.says)
        return names[1:] or names

    def ratio(self, variant: str) -> float | None:
        """How many times as fast as the baseline the source found it; None without figures."""
        if variant not in self.published:
            return None
        return self.published[self.baseline] / self.published[variant]

    def effect(self, variant: str) -> str:
        """What the source says of it: "gain", "same" or "loss"."""
        ratio = self.ratio(variant)
        return self.says[variant] if ratio is None else effect(ratio)

    def judge(self, variant: str, ratio: float, cpu: float) -> Verdict:
        """Hold the row against a measurement.

        ratio: how many times as fast as the baseline it was here.
        cpu: the share of a core it used here (cpu seconds / wall seconds; 2.0 is two cores).
        """
        return RULES[self.rule](self, variant, ratio, cpu)


def effect(ratio: float) -> str:
    """The class of a ratio: "gain" above 1.25, "loss" below 0.8, else "same"."""
    return "gain" if ratio > GAIN else "loss" if ratio < LOSS else "same"


def times(ratio: float) -> str:
    """A ratio in words: "4.90 times as fast"; a loss as "20.0 times as slow"."""
    if effect(ratio) == "loss":
        return f"{number(1 / ratio)} times as slow"
    return f"{number(ratio)} times as fast"


# Rules: what must be true on the machine at hand for a row to hold


def _by_ratio(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    published, said, found = claim.ratio(variant), claim.effect(variant), effect(ratio)
    told = f"the source says {_WORDS[said]}"
    if published is not None:
        told = f"the source's figures make it {times(published)}, {_WORDS[said]}"
    return Verdict(said == found, f"{told}; here it is {times(ratio)}, {_WORDS[found]}.")


def _sooner(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    # For a gain that is the source's point, and smaller than those that `effect` calls one.
    told = f"the source's figures make it {times(claim.ratio(variant))}"
    return Verdict(ratio > SOONER, f"{told}; here it is {times(ratio)}.")


def _one_core(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    # Times of CPU work in threads wander by a tenth either way; the share of a core doesn't.
    holds = cpu <= GAIN
    than = "no more than one core" if holds else "more than one core"
    return Verdict(holds, f"it kept {cpu:.2f} of a core busy, {than} ({times(ratio)}).")


def _several_cores(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    cores = available_cores()
    holds = cpu > 1.1 or ratio > 1.1
    reason = f"it kept {cpu:.2f} of a core busy and was {times(ratio)}"
    published = claim.ratio(variant)
    if published is not None:
        reason += f" (published: {number(published)})"
    return Verdict(holds, f"{reason}; this machine has {count(cores, 'core')}.")


def _parallel(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    # Its time says nothing here: waits that overlap save time and are not parallel work.
    reason = f"it kept {cpu:.2f} of a core busy; parallel work keeps more than one."
    return Verdict(cpu > 1.1, reason)


def _measure(claim: Claim, variant: str, ratio: float, cpu: float) -> Verdict:
    return Verdict(None, "the others are compared with it.")


RULES = {
    "ratio": _by_ratio,
    "sooner": _sooner,
    "one core": _one_core,
    "several cores": _several_cores,
    "parallel": _parallel,
    "measure": _measure,
}
_WORDS = {"gain": "a gain", "same": "about the same", "loss": "a loss"}


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Reading


@cache
def _rows() -> dict[str, Claim]:
    with FILE.open("rb") as file:
        tables = tomllib.load(file)
    sources = {id: Source(id, **entries) for id, entries in tables["source"].items()}
    rows = {}
    for id, entries in tables["claim"].items():
        row = Claim(id=id, source=sources[id.partition("-")[0]], **entries)
        if row.kind not in KINDS or row.rule not in RULES:
            raise ValueError(f"claims.toml: {id} has an unknown kind or rule.")
        rows[id] = row
    return rows


def claims(lesson: int | None = None) -> list[Claim]:
    """All rows in order, or those of one lesson."""
    return [row for row in _rows().values() if lesson in (None, row.lesson)]


def claim(id: str) -> Claim:
    """The row with this id. Raises KeyError that lists the ids there are."""
    try:
        return _rows()[id]
    except KeyError:
        raise KeyError(f"no claim has the id {id!r}. There are: {', '.join(_rows())}") from None


def rows(*names: str) -> list[Claim]:
    """The rows with these ids, and those of the experiments with these names.

    Raises KeyError that lists what there is.
    """
    found = []
    for name in names:
        measured = [row for row in claims() if row.experiment == name]
        found += measured or [claim(name)]
    return found
