"""All templates: the modules that hold them are imported here."""

from helpers.drills import generating, running, sharing, together
from helpers.drills.template import TEMPLATES, Program, Template

__all__ = ["TEMPLATES", "Program", "Template", "templates_for", "topics"]

PARTS = generating, running, together, sharing


def topics() -> list[str]:
    """The topics that drills can be asked for, in the lessons' order."""
    return list(dict.fromkeys(one.topic for one in in_order()))


def in_order() -> list[Template]:
    """The templates by their lessons."""
    return sorted(TEMPLATES.values(), key=lambda one: one.lesson)


def templates_for(what: str) -> list[Template]:
    """The templates of a lesson ("07") or of a topic ("cancel"), which may be a part of its name.

    Raises ValueError, naming what there is, if there is none.
    """
    wanted = str(what).strip().casefold()
    found = [one for one in in_order() if wanted and one.lesson == wanted.zfill(2)]
    found = found or [one for one in in_order() if wanted and wanted in one.topic]
    if not found:
        lessons = sorted({one.lesson for one in TEMPLATES.values()})
        raise ValueError(
            f"There are no drills on {what!r}. Give a lesson, {lessons[0]} to {lessons[-1]}, or a "
            f"topic: {', '.join(topics())}."
        )
    return found
