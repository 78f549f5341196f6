"""Which lines of an answer have run: of several that a mistake may stand in, one that has run is
the better guess.
"""

import functools
import sys
import types
from collections.abc import Iterator
from types import CodeType

from helpers.coach.mistakes.source import Source

CACHED = type(functools.cache(len))
EMPTY = types.CellType()
TOOL = 4  # of the numbers that sys.monitoring has for tools, one that it gives no name to


class Ran:
    """Notes in a Source which lines of its main cell run. Python 3.11 can't tell."""

    def __init__(self, source: Source):
        self._source = source

    def watch(self, answer: object) -> None:
        """Look at an answer's functions, and at all that they use of their cell."""
        if sys.version_info < (3, 12):
            return
        monitoring = sys.monitoring
        if monitoring.get_tool(TOOL) is None:
            monitoring.use_tool_id(TOOL, "coach")
        monitoring.register_callback(TOOL, monitoring.events.LINE, self._note)
        for code in codes_of(answer):
            if code.co_filename == self._source.main:
                monitoring.set_local_events(TOOL, code, monitoring.events.LINE)

    def begin(self) -> None:
        """Forget what has run until now."""
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()
        self._source.lines_run.clear()

    def _note(self, code, line):
        self._source.lines_run.add(line)
        return sys.monitoring.DISABLE


def codes_of(thing: object) -> Iterator[CodeType]:
    """The code of a function or a class, of what stands in it, and of all functions and classes
    that it knows by a name.
    """
    seen, found = set(), [thing]
    while found:
        one = found.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        kind = type(one)  # not isinstance, which asks the thing itself
        if kind is CodeType:
            yield one
            found += one.co_consts
        elif kind is types.FunctionType:
            cells = [cell.cell_contents for cell in one.__closure__ or () if cell != EMPTY]
            found += [one.__code__, *one.__globals__.values(), *cells, *vars(one).values()]
        elif kind in (staticmethod, classmethod, types.MethodType):
            found.append(one.__func__)
        elif kind is CACHED:
            found.append(one.__wrapped__)
        elif kind is property:
            found += [one.fget, one.fset, one.fdel]
        elif issubclass(kind, type) and one.__module__ == "__main__":
            found += vars(one).values()
