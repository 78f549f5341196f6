"""The outcome of a check, as the learner reads it."""

from dataclasses import asdict, dataclass

from helpers.coach.form.statement import Wrong
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.catalogue.kind import Kind
from helpers.coach.mistakes.source import Place, Source


@dataclass
class Verdict:
    """The outcome of a check. status: "not started", "not yet", "solved" or "can't tell".

    A message states what was observed, then the line, then what to try. Lines are those of the
    learner's own cell.
    """

    status: str
    kind: str = ""
    headline: str = ""
    observed: str = ""
    line: int | None = None
    at: str = ""
    try_: str = ""
    printed: str = ""

    def text(self) -> str:
        """The verdict as plain text, one part a line."""
        return "\n".join([self.first(), *self.parts()])

    def first(self) -> str:
        """Its first line, which tells the status and the name of the mistake."""
        return (
            f"{self.status.upper()}: {self.headline}."
            if self.headline
            else self.status.upper() + "."
        )

    def parts(self) -> list[str]:
        """What follows the first line: what was observed, where, what to try."""
        return [part for part in (self.observed, self.at, self.try_) if part]

    def as_dict(self) -> dict[str, object]:
        """The verdict by its fields, to be sent to another process."""
        return asdict(self)


def narrowed(found: Wrong, where: str, try_: str, place: Place | None) -> Wrong:
    """The same Wrong, where it is known what it turns on: the headline ends in that. place: its
    line, if it has one.
    """
    kind = KINDS[found.kind]
    headline = f"{found.headline or kind.headline} {where}"
    at = found.at or ("" if found.headline else kind.at)
    return Wrong(found.kind, found.observed, place, try_, headline, at)


def verdict_of(
    found: Wrong, place: Place | None = None, source: Source | None = None, called: str = ""
) -> Verdict:
    """The Verdict NOT YET for a Wrong at a place of the learner's source.

    place: None if no line is to blame; `source` is not needed then. called: a sentence that
    quotes the call, set before what was observed.
    """
    kind = KINDS[found.kind]
    if found.headline:
        kind = Kind(found.headline, "", "")
    observed = found.observed
    if called and not observed.startswith("I "):
        observed = f"{called} {observed}".strip()
    return Verdict(
        "not yet",
        found.kind,
        kind.headline,
        observed,
        place[1] if place else None,
        source.sentence(place, found.at or kind.at) if place else "",
        kind.try_ if found.try_ is None else found.try_,
    )


def too_busy() -> Verdict:
    """The Verdict CAN'T TELL, where the machine's load may have brought about what was seen."""
    kind = KINDS["too busy"]
    return Verdict(
        "can't tell",
        "too busy",
        kind.headline,
        "Your answer often had to wait for a processor: what I saw may be the machine's doing, and "
        "not yours.",
        try_=kind.try_,
    )
