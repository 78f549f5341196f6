"""What can be told to a board: its form, checked before anything is done with it."""

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

MOST_AT_ONCE = 50  # events in a request


def _printable(text: str) -> str:
    """The text on one line, without what is not shown or turns the line around."""
    kept = (sign if unicodedata.category(sign)[0] != "C" else " " for sign in text)
    return " ".join("".join(kept).split())


Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
Secret = Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Words = Annotated[str, Field(max_length=500), AfterValidator(_printable)]
Name = Annotated[str, Field(max_length=40), AfterValidator(_printable)]
Line = Annotated[str, Field(max_length=200), AfterValidator(_printable)]


class Strict(BaseModel):
    """A form that takes nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Check(Strict):
    """An exercise was checked. mistake: its kind in the catalogue, if one was named."""

    kind: Literal["check"]
    number: Count
    at: Count
    of: Id
    status: Literal["not started", "not yet", "solved"]
    mistake: Annotated[str, Field(max_length=80)] = ""


class Hint(Strict):
    """A hint was shown. hints: how many were shown so far."""

    kind: Literal["hint"]
    number: Count
    at: Count
    of: Id
    hints: Count


class Guess(Strict):
    """A guess was made; or compared with what came out, and then `truth` and `right` are there."""

    kind: Literal["guess"]
    number: Count
    at: Count
    of: Id
    said: Words
    truth: Words | None = None
    right: bool | None = None


class Hand(Strict):
    """A hand was raised or lowered."""

    kind: Literal["hand"]
    number: Count
    at: Count
    up: bool


Event = Annotated[Check | Hint | Guess | Hand, Field(discriminator="kind")]


class Told(Strict):
    """What a learner's kernel sends. session: drawn by each kernel, whose events are numbered."""

    learner: Secret
    session: Secret
    events: Annotated[list[Event], Field(min_length=1, max_length=MOST_AT_ONCE)]


class Joining(Strict):
    """What a learner sends to be let in."""

    code: Annotated[str, Field(max_length=200)]
    learner: Secret
    name: Name = ""


class Pasted(Strict):
    """The progress of somebody whom no network joins: a string of `course_map().code`."""

    name: Name = ""
    code: Annotated[str, Field(max_length=60_000)]
