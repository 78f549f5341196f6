"""What an answer changes for all code: found, named and put back."""

import asyncio
import sys

from helpers.basics.words import listed
from helpers.coach.form.statement import Wrong
from helpers.coach.mistakes.source import Place, Source


class Changes:
    """What all code shares, as it was: finds what an answer has changed, says what, and puts it
    back.

    `put_back` calls no builtin: they may be what was changed.
    """

    # Besides these, all that is loaded of the course's own modules.
    MODULES = (
        "builtins",
        "time",
        "os",
        "sys",
        "threading",
        "random",
        "inspect",
        "contextvars",
        "socket",
        "selectors",
        "types",
        "functools",
        "itertools",
        "collections",
        "heapq",
        "queue",
        "pickle",
        "asyncio",
        "asyncio.tasks",
        "asyncio.events",
        "asyncio.futures",
        "asyncio.base_events",
        "asyncio.locks",
        "asyncio.queues",
        "asyncio.runners",
        "asyncio.taskgroups",
        "asyncio.timeouts",
        "asyncio.streams",
        "concurrent.futures",
    )
    CLASSES = (
        asyncio.Task,
        asyncio.Future,
        asyncio.BaseEventLoop,
        asyncio.Lock,
        asyncio.Event,
        asyncio.Queue,
        asyncio.Semaphore,
        asyncio.TaskGroup,
    )
    OWN = ("stdout", "stderr", "stdin")  # sys: new with every check

    def __init__(self):
        ours = [name for name in sys.modules if name.startswith("helpers.")]
        modules = [name for name in self.MODULES if name in sys.modules]
        shared = [(name, vars(sys.modules[name]), None) for name in modules + ours]
        shared += [(f"asyncio.{cls.__name__}", vars(cls), cls) for cls in self.CLASSES]
        self.before = [
            (
                title,
                names,
                cls,
                {name: thing for name, thing in names.items() if self._counts(name, thing)},
            )
            for title, names, cls in shared
        ]
        self.set = setattr
        self.settings = [
            (title, get, set_, get())
            for title, get, set_ in (
                ("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
                ("the switch interval", sys.getswitchinterval, sys.setswitchinterval),
            )
        ]

    def _counts(self, name, thing):
        is_public = not name.startswith("_") or name.startswith("__")
        return callable(thing) and is_public and name not in self.OWN

    def put_back(self) -> list[str]:
        """The names of what is not as it was, such as "time.sleep"; it is again, then."""
        changed = []
        for title, names, cls, before in self.before:
            for name, thing in before.items():
                if names.get(name) is not thing:
                    changed.append(f"{title}.{name}")
                    if cls is None:
                        names[name] = thing
                    else:
                        self.set(cls, name, thing)
        for title, get, set_, before in self.settings:
            if get() != before:
                changed.append(title)
                set_(before)
        return changed


def name_changes(changed: list[str], source: Source) -> tuple[Wrong, Place | None]:
    """The Wrong for an answer that changed these names, and the line that seems to do it."""
    name = changed[0].rpartition(".")[2]
    names = listed(name if " " in name else f"`{name}`" for name in changed[:3])
    line = source.earliest(
        source.assigned(name), source.call_of("setattr", "setrecursionlimit", "setswitchinterval")
    )
    return Wrong("changed", f"It changed {names} for all code."), source.place(line)
