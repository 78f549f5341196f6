"""Mistakes found in the source: which line of the answer did it.

A line is found in what ran (a frame, a coroutine's origin, a traceback) or in the syntax tree, as
in `Lines`; never by a search of the text. Long, for there are many things to ask a source for.
"""

import ast
import asyncio
import linecache
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from types import CoroutineType, FrameType

from helpers.basics.places import outward
from helpers.coach.form.text import is_function, nodes_of
from helpers.coach.mistakes.handlers import (
    Keeper,
    around,
    catches,
    is_for_an_end,
    keeper_at,
    keepers,
    kept_by,
    names_of,
    narrow_cleanup,
    passed_by,
    raised_again,
    skipped_cleanup,
    suppressing,
)
from helpers.coach.mistakes.lines import Lines
from helpers.coach.mistakes.nodes import (
    LOOPS,
    is_named,
    locks_made_per_call,
    makes_changing,
    own_nodes,
    spans,
)

READING = ("*.readline", "*.read", "*.recv")
HOLDING = ("*.put", "*.join", "gather", "asyncio.wait")

Place = tuple[str, int]
"""A file's name and the number of a line in it."""


class Source(Lines):
    """The text of the learner's cells, asked for lines.

    filenames: those of the cells that the answer comes from. main: the one that holds the answer,
    from line `first` to line `last`.
    """

    def __init__(
        self,
        filenames: Iterable[str],
        main: str | None = None,
        first: int | None = None,
        last: int | None = None,
    ):
        self.filenames = set(filenames)
        self.main = main
        self.first = first or 1
        self.last = last
        self.lines_run: set[int] = set()  # of the main cell, as far as somebody noted
        self._nodes = None

    def owns(self, filename: str) -> bool:
        """Whether a file is a cell of the learner's."""
        return filename in self.filenames

    def code(self, filename: str, line: int) -> str:
        """The text of a line, without its indentation."""
        return linecache.getline(filename, line).strip()

    def place(self, line: int | None) -> Place | None:
        """The place of a line of the cell with the answer."""
        return (self.main, line) if line else None

    # What ran

    def of_traceback(self, error: BaseException) -> Place | None:
        """Where `error` left the learner's code, innermost; None if it never was there."""
        place = None
        for frame, line in traceback.walk_tb(error.__traceback__):
            if self.owns(frame.f_code.co_filename):
                place = (frame.f_code.co_filename, line)
        if place is None and isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                place = place or self.of_traceback(inner)
        if isinstance(error.__cause__, StopIteration):  # Python raised a RuntimeError for it
            place = self.of_traceback(error.__cause__) or place
        return place

    def steps_of(self, error: BaseException) -> list[int]:
        """The lines of the cell with the answer that `error` came through, outermost first."""
        return [
            line
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == self.main
        ]

    def raised_again(self, error: BaseException) -> Place | None:
        """Where the answer raised an error by its name that it had caught before, outermost; None
        if it let it go on its way.
        """
        steps = list(traceback.walk_tb(error.__traceback__))
        again = (
            (frame.f_code.co_filename, line)
            for (frame, line), (below, _) in zip(steps, steps[1:])
            if frame is below and self.owns(frame.f_code.co_filename)
        )
        return next(again, None)

    def was_first_to_raise(self, error: BaseException) -> bool:
        """Whether an error that the answer had not made was raised by the answer, and by nobody
        before.
        """
        first = self._first_raise(error)
        given = first is not None and not isinstance(first.exc, (ast.Call, type(None)))
        return given and not self.use_of(type(error).__name__)

    def raises_itself(self, error: BaseException) -> bool:
        """Whether a `raise` of the answer made this error and raised it."""
        first = self._first_raise(error)
        return first is not None and isinstance(first.exc, (ast.Call, ast.Name))

    def _first_raise(self, error):
        """The `raise` of the main cell by which nobody but the answer raised an error; or None."""
        steps = [*traceback.walk_tb(error.__traceback__)][-1:]
        lines = [line for frame, line in steps if frame.f_code.co_filename == self.main]
        return next((node for node in self._of(ast.Raise) if node.lineno in lines), None)

    def most_often_in(self, error: BaseException) -> Place | None:
        """The learner's line that stands in the traceback most often: a recursion goes on there."""
        places = Counter(
            (frame.f_code.co_filename, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if self.owns(frame.f_code.co_filename)
        )
        return max(places, key=places.get, default=None)

    def of_frame(self, frame: FrameType | None) -> Place | None:
        """Where the innermost frame in the learner's code is, from `frame` outwards, or None."""
        frame = self.innermost(frame)
        return frame and (frame.f_code.co_filename, frame.f_lineno)

    def places(self, frames: Iterable[FrameType]) -> list[Place]:
        """Where those of the frames are that run the learner's code, in the frames' order."""
        return [
            (frame.f_code.co_filename, frame.f_lineno)
            for frame in frames
            if self.owns(frame.f_code.co_filename)
        ]

    def innermost(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame in the learner's code, from `frame` outwards, or None."""
        own = (one for one in outward(frame) if self.owns(one.f_code.co_filename))
        return next(own, None)

    def called_in(self, frame: FrameType) -> str:
        """What a frame of the learner's is calling, as `thread.join` or `with pool`; an empty
        string if it can't be told.
        """
        code = frame.f_code
        span = next(islice(code.co_positions(), frame.f_lasti // 2, None))
        for node in nodes_of(code.co_filename):
            if isinstance(node, ast.With):  # up to Python 3.12 the call spans the whole statement
                for item in node.items:
                    if span in (_span(item.context_expr), _span(node)):
                        return f"with {ast.unparse(item.context_expr)}"
            if isinstance(node, ast.Call) and _span(node) == span:
                return ast.unparse(node.func)
        return ""

    def of_coroutine(self, coroutine: CoroutineType) -> Place | None:
        """The learner's innermost line that made `coroutine`, or None."""
        origin = getattr(coroutine, "cr_origin", None) or ()
        made = ((name, line) for name, line, _ in origin if self.owns(name))
        return next(made, None)

    def handed_over(self, name: str, called_at: Place | None = None) -> Place | None:
        """The one line that hands over a function of this name, which is called by whoever has
        got it. None where the answer calls it itself, at `called_at`.
        """
        handed = set()
        for node in self.nodes():
            if isinstance(node, ast.Call):
                if called_at == self.place(node.lineno) and is_named(node.func, (name,)):
                    return None
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                found = (part for part in given if isinstance(part, (ast.Name, ast.Attribute)))
                handed |= {part.end_lineno for part in found if is_named(part, (name,))}
        return self.place(handed.pop()) if len(handed) == 1 else None

    def of_text(self, text: str) -> Place | None:
        """The last learner's line that a printed traceback mentions, or None."""
        found = [
            (name, int(line))
            for name, line in re.findall(r'File "([^"]+)", line (\d+)', text)
            if self.owns(name)
        ]
        return found[-1] if found else None

    def sentence(self, place: Place, at: str) -> str:
        """ "Line 4 awaits each call …: `code`." at: what the line does, or an empty string."""
        filename, line = place
        code = self.code(filename, line)
        where = f"Line {line}"
        if filename != self.main:
            name = next(
                (
                    node.name
                    for node in nodes_of(filename)
                    if is_function(node) and spans(node, line)
                ),
                None,
            )
            where += f" of the cell with `{name}`" if name else " of another cell"
        return where + (f" {at}" if at else "") + (f": `{code}`" if code else "") + "."

    # What the tree tells

    def nodes(self) -> list[ast.AST]:
        """The nodes of the answer itself; behind them those of the functions and classes of its
        cell that it uses, and that these use.
        """
        if self._nodes is None:
            tree = nodes_of(self.main) if self.main else []
            found = new = [node for node in tree if self.is_own(_line(node))]
            others = (
                [node for node in tree[0].body if _is_defined_beside(self, node)] if tree else []
            )
            while new:
                names = {node.id for node in new if isinstance(node, ast.Name)}
                used = [node for node in others if node.name in names]
                others = [node for node in others if node not in used]
                new = [part for node in used for part in ast.walk(node)]
                found = found + new
            self._nodes = found
        return self._nodes

    def has_run(self, line: int) -> bool:
        """Whether a line has run; all have where nobody noted any."""
        return line in self.lines_run or not self.lines_run

    def is_own(self, line: int) -> bool:
        """Whether a line stands in the answer itself, and not in a helper of it."""
        return self.first <= line <= (self.last or 10**9)

    def made_outside(
        self, name: str, makes: Callable[[ast.AST], bool] = lambda value: True
    ) -> int | None:
        """The line outside of all functions of the cell that gives a name its value. makes: asked
        whether the expression makes what is looked for.
        """
        parts = nodes_of(self.main) if self.main else []
        statements = parts[0].body if parts else []
        return next(
            (
                node.lineno
                for node in statements
                if isinstance(node, ast.Assign)
                and makes(node.value)
                and any(getattr(target, "id", None) == name for target in node.targets)
            ),
            None,
        )

    def kept_outside(self) -> int | None:
        """The one line of `all_kept_outside`, if there is one and no other."""
        made = self.all_kept_outside()
        return made.pop() if len(made) == 1 else None

    def all_kept_outside(self, makes: Callable[[ast.AST], bool] = makes_changing) -> set[int]:
        """The lines outside of the answer that make what the answer keeps for all calls: what can
        be changed. makes: as for `made_outside`.
        """
        nodes = self.nodes()
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names -= {node.id for node in nodes if _is_bound(node)}
        names -= {node.arg for node in nodes if isinstance(node, ast.arg)}
        return set(filter(None, (self.made_outside(name, makes) for name in names)))

    def spinning(self, place: Place, *others: Place) -> Place | None:
        """Where the `while` begins that goes round and round at a place; None if it is in none.

        others: where it was at other moments. Those in the same `while` are in what is named, too.
        """
        filename, _ = place
        around = _whiles_at(place)
        if not around:
            return None
        outermost = min(around, key=_line)
        lines = {at for name, at in others if name == filename and spans(outermost, at)}
        inmost = max((node for node in around if all(spans(node, at) for at in lines)), key=_line)
        return filename, inmost.lineno

    def sequential_await(self) -> Place | None:
        """Where each call is awaited before the next starts: an await in a loop, or a group of
        tasks, at whose end they are awaited; else the second await.
        """
        for loop in self.nodes():
            if isinstance(loop, LOOPS):
                for node in own_nodes(loop):
                    if isinstance(node, ast.Await) or _is_group(node):
                        return self.main, node.lineno
        awaits = sorted(node.lineno for node in self.nodes() if isinstance(node, ast.Await))
        awaits = [*filter(self.is_own, awaits)] or awaits
        return (self.main, awaits[min(1, len(awaits) - 1)]) if awaits else None

    def is_endless_at(self, place: Place) -> bool:
        """Whether a place stands in a `while True` that nothing leaves but an error."""
        inmost = max(_whiles_at(place), key=_line, default=None)
        if inmost is None or not isinstance(inmost.test, ast.Constant):
            return False
        return not any(isinstance(part, (ast.Break, ast.Return)) for part in own_nodes(inmost))

    def asks_before(self, place: Place) -> bool:
        """Whether a place stands in a `while` that ends by its condition alone, and that is asked
        before this place is reached.
        """
        inmost = max(_whiles_at(place), key=_line, default=None)
        if inmost is None or isinstance(inmost.test, ast.Constant):
            return False
        leaves = (ast.Break, ast.Return, ast.Raise)
        leaving = any(isinstance(part, leaves) for part in own_nodes(inmost))
        return place[1] > inmost.test.end_lineno and not leaving

    def calls_of(self, *names: str, inside: ast.AST | None = None) -> list[ast.Call]:
        """The calls of functions or methods of these names, in the answer's order. inside: those
        that this function makes itself.
        """
        nodes = self.nodes() if inside is None else own_nodes(inside)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        named = [call for call in calls if is_named(call.func, names)]
        return sorted(
            named, key=lambda call: (not self.is_own(call.lineno), call.lineno, call.col_offset)
        )

    def function_at(self, line: int) -> ast.AST:
        """The innermost function of the cell with the answer that holds a line."""
        functions = [
            node for node in nodes_of(self.main) if is_function(node) and spans(node, line)
        ]
        return max(functions, key=lambda node: node.lineno, default=nodes_of(self.main)[0])

    def name_at(self, place: Place) -> str | None:
        """The name of the function that holds a place; None outside of the main cell."""
        filename, line = place
        return getattr(self.function_at(line), "name", None) if filename == self.main else None

    def is_class(self, name: str) -> bool:
        """Whether the main cell defines a class of this name."""
        return any(isinstance(node, ast.ClassDef) and node.name == name for node in self.nodes())

    def calls_alone(self, line: int) -> bool:
        """Whether a call stands at a line as a statement: nothing is done with what it returns."""
        alone = (node for node in self.nodes() if isinstance(node, ast.Expr))
        return any(isinstance(one.value, ast.Call) and one.lineno == line for one in alone)

    def reading_at(self, line: int) -> str | None:
        """The name of the call that reads from a connection in the loop at a line, or None."""
        loops = [node for node in self.nodes() if isinstance(node, LOOPS) and node.lineno == line]
        calls = [
            part.func.attr
            for loop in loops
            for part in own_nodes(loop)
            if isinstance(part, ast.Call) and is_named(part.func, READING)
        ]
        return calls[0] if calls else None

    def handler_of(self, error: type[BaseException]) -> ast.ExceptHandler | None:
        """The first `except` that catches such an error, by the names that stand in it, or None."""
        names = names_of((error,))
        handlers = [node for node in self.nodes() if isinstance(node, ast.ExceptHandler)]
        catching = [handler for handler in handlers if catches(handler, names)]
        first = self._first(handler.lineno for handler in catching)
        return next((handler for handler in catching if handler.lineno == first), None)

    def keeper_of(self, *errors: type[BaseException], sure: bool = False) -> Keeper | None:
        """What keeps such an error from coming out; None if there is nothing, or more than one
        thing. sure: it is known that something did.
        """
        found = set(keepers(self.nodes(), names_of(errors), sure))
        return found.pop() if len(found) == 1 else None

    def keeper(self, error: BaseException) -> Keeper | None:
        """What kept `error` itself from coming out: its traceback ends where that was."""
        steps = self.steps_of(error)
        blocks = around(self.nodes(), steps[0]) if steps else []
        names = names_of((type(error),))
        kept = (kept_by(block, names, sure=True) for block in blocks)
        return next(filter(None, kept), None)

    def keeper_at(self, place: Place) -> Keeper | None:
        """What keeps an error from coming out at a place where one was lost, or None."""
        return keeper_at(self.nodes(), place[1]) if place[0] == self.main else None

    def kept_around(self, name: str, error: type[BaseException]) -> int | None:
        """The line that keeps such an error which comes out of a call of this name, or None."""
        kept = self._kept_at([call.lineno for call in self.calls_of(name)], error)
        return next((keeper.line for keeper in kept), None)

    def swallowing_handler(self, waited: Iterable[int] = ()) -> Place | None:
        """Where a cancellation is kept from coming out, or None.

        waited: the lines at which the answer's tasks waited when it came, if they are known.
        """
        met = set(self._kept_at(waited, asyncio.CancelledError))
        # Where a `raise` stands under a condition, that was not met.
        met = met or set(self._kept_at(waited, asyncio.CancelledError, sure=True))
        found = met.pop() if len(met) == 1 else self.keeper_of(asyncio.CancelledError)
        found = found or self.keeper_of(asyncio.CancelledError, sure=True)
        return found and self.place(found.line)

    def _kept_at(self, lines, error, sure=False):
        """All that may keep such an error which comes out of one of these lines. sure: one did."""
        blocks = (block for line in lines for block in around(self.nodes(), line))
        return filter(None, (kept_by(block, names_of((error,)), sure) for block in blocks))

    def locks_made_per_call(self) -> list[tuple[int, ast.AsyncFunctionDef]]:
        """The lines at which an `async def` makes a lock, so anew in each call, and that one."""
        return [*locks_made_per_call(self.nodes())]

    def skipped(self, *names: str) -> int | None:
        """The line because of which a call of such a name is not made after each error."""
        found = skipped_cleanup(self.nodes(), *names)
        return found and found[0]

    def passed_by(self, error: type[BaseException], *names: str) -> int | None:
        """The one call of such a name that such an error passes by on its way out."""
        return passed_by(self.nodes(), error, *names)

    def narrow_cleanup(self, *names: str) -> int | None:
        """The `except` that makes a call of such a name, and lets a cancellation pass."""
        return narrow_cleanup(self.nodes(), *names)

    def let_out(self, error: BaseException, thrown_at: int | None = None) -> Place | None:
        """Where an error went its way, though it could have been caught: an `except` for other
        errors around it, or else the line that raised it.

        thrown_at: the `yield` of a context manager, for `contextlib` takes it out of a traceback.
        """
        lines = self.steps_of(error) or ([thrown_at] if thrown_at else [])
        raised = self.of_traceback(error) or self.place(thrown_at)
        narrow = self.narrow_handler(lines, type(error), suppress=True)
        return narrow or self._again(lines, error) or raised

    def held_up(self, error: BaseException) -> int | None:
        """The wait in a `finally` that an error met on its way out: for a queue or for the others,
        and not for what was cancelled there.
        """
        for line in reversed(self.steps_of(error)):
            for block in around(self.nodes(), line):
                calls = [
                    part
                    for statement in getattr(block, "finalbody", ())
                    for part in ast.walk(statement)
                    if isinstance(part, ast.Call)
                ]
                waits = [call.lineno for call in calls if is_named(call.func, HOLDING)]
                if waits and not any(is_named(call.func, ("*.cancel",)) for call in calls):
                    return min(waits)
        return None

    def broken_off(self, error: BaseException) -> int | None:
        """The outermost loop that an error ended: one inside of the `try` that caught the error, or
        in a function that is called there.
        """
        steps, names = self.steps_of(error), names_of((type(error),))
        caught = [
            block
            for block in (around(self.nodes(), steps[0]) if steps else ())
            if any(catches(handler, names) for handler in getattr(block, "handlers", ()))
        ]
        if not caught:
            return None
        own = _line(self.function_at(steps[0]))
        called = ((line, self.function_at(line)) for line in steps[1:])
        called = [(line, function) for line, function in called if _line(function) != own]
        for line, part in [(steps[0], caught[0]), *called]:
            loops = [
                node.lineno
                for node in ast.walk(part)
                if isinstance(node, (ast.For, ast.While)) and spans(node, line)
            ]
            if loops:
                return min(loops)
        return None

    def _again(self, lines, error):
        """The `raise` that lets an error go on, where the first `except` that it meets has one."""
        names = names_of((type(error),))
        blocks = (block for line in reversed(lines) for block in around(self.nodes(), line))
        handlers = (handler for block in blocks for handler in getattr(block, "handlers", ()))
        first = next((handler for handler in handlers if catches(handler, names)), None)
        again = raised_again(first) if first else []
        return self.place(again[0]) if len(again) == 1 else None

    def narrow_handler(
        self, lines: Iterable[int], error: type[BaseException], suppress: bool = False
    ) -> Place | None:
        """The `except` that lets such an error pass on its way through these lines, outermost
        first; None if there is none, or more than one. One for the end of an iterator is none.
        suppress: a `suppress` counts as well.
        """
        names = names_of((error,))
        for line in reversed(list(lines)):
            for block in around(self.nodes(), line):
                if suppress and (passed := suppressing(block)):
                    at, caught = passed
                    return self.place(at) if caught.isdisjoint(names) else None
                handlers = getattr(block, "handlers", ())
                if any(catches(handler, names) for handler in handlers):
                    return None
                handlers = [handler for handler in handlers if not is_for_an_end(handler)]
                if handlers:
                    return self.place(handlers[0].lineno) if len(handlers) == 1 else None
        return None


def _is_defined_beside(source, node):
    """Whether this is a function or a class of the cell, and not the answer."""
    beside = is_function(node) or isinstance(node, ast.ClassDef)
    return beside and not source.is_own(node.lineno)


def _is_group(node):
    """Whether this is an `async with TaskGroup()`."""
    return isinstance(node, ast.AsyncWith) and any(
        isinstance(item.context_expr, ast.Call) and is_named(item.context_expr.func, ("TaskGroup",))
        for item in node.items
    )


def _is_bound(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _span(node: ast.expr) -> tuple[int, int | None, int, int | None]:
    """From where to where an expression stands, as `co_positions` has it."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _whiles_at(place):
    """The `while` loops that a place stands in."""
    filename, line = place
    return [
        node for node in nodes_of(filename) if isinstance(node, ast.While) and spans(node, line)
    ]


def _line(node: ast.AST) -> int:
    """The line of a node, 0 if it has none; a comprehension's `for` is where its target is."""
    node = node.target if isinstance(node, ast.comprehension) else node
    return getattr(node, "lineno", 0)
