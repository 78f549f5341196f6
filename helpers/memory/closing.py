"""What a lesson ends with: its key points, and the belief that it corrects."""

import re
from typing import NamedTuple

from helpers.coach.lessons import Lesson, cells_of, source_of

CLOSING = re.compile(
    r"(?ms)^## What to take away\n(?P<points>.*?)"
    r"^## The belief corrected\n\s*(?P<belief>(?:^>[^\n]*\n)+)(?P<instead>.*?)^## "
)


class KeyPoints(NamedTuple):
    """What a lesson ends with. belief: the wrong one.  instead: what is so."""

    number: str
    title: str
    points: str
    belief: str
    instead: str


def closing_of(lesson: Lesson) -> KeyPoints:
    """The key points of a lesson. Raises ValueError if it closes in another form."""
    cells = [cell for cell in cells_of(lesson.path) if cell.get("cell_type") == "markdown"]
    closing = CLOSING.search("\n\n".join(source_of(cell) + "\n" for cell in cells))
    if closing is None:
        raise ValueError(f"{lesson.path.name} has no closing as all lessons have")
    parts = closing.groupdict()
    belief = " ".join(parts["belief"].replace(">", " ").split())
    words = parts["points"].strip(), belief, parts["instead"].strip()
    return KeyPoints(lesson.number, lesson.title, *words)
