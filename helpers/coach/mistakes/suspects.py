"""Lines of an answer that a wrong value or a wrong order points to, by the syntax tree.

Each is named only where nothing else in the answer could be meant. Long, for a value goes wrong in
many ways.
"""

import ast
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from helpers.coach.form.statement import same_value
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.differences import (
    has_more,
    has_more_nones,
    has_swapped,
    is_cut,
    is_none,
    is_paired,
    lacks_alike,
    pairs_apart,
    takes_for_nothing,
)
from helpers.coach.mistakes.edits import FALSY
from helpers.coach.mistakes.handlers import CATCHES, catches, names_of, raised_again
from helpers.coach.mistakes.keeping import asked_before, changed_underway, keyed, strides
from helpers.coach.mistakes.loops import (
    late_bound,
    only_made,
    started_by_number,
    started_lazily,
    waited_once,
)
from helpers.coach.mistakes.nodes import (
    COLLECTED,
    LOOPS,
    dotted,
    errors_kept,
    flags,
    holds,
    is_constant,
    is_named,
    is_own_number,
    line_of_call,
    makes_changing,
    own_nodes,
    rounding,
    unnegated,
)
from helpers.coach.mistakes.replacing import (
    CHANGING,
    changes,
    overwritten,
    raised_instead,
    replaced,
)

LETTERS = ("title", "capitalize", "upper", "lower", "casefold", "swapcase")
TAKING = ("len", "list", "tuple", "set", "deque", "iter", "map", "sorted", "heappop", "heappush")
VIEWS = ("*.items", "*.keys", "*.values")
FILLING = ("*.append", "*.popleft", "*.pop", "*.extend", "*.insert", "*.remove", "*.clear")
CUTTING = (
    *("strip", "lstrip", "rstrip", "splitlines"),
    *("replace", "translate", "removeprefix", "removesuffix"),
)
WAITING = (ast.Await, ast.AsyncFor, ast.AsyncWith)
MADE = (ast.Call, ast.BinOp, ast.Await, ast.Yield, ast.YieldFrom)  # no name: it is made there
PASSES = (
    "A CancelledError is no `Exception`. What has to be done however it ends belongs in a "
    "`finally`."
)
LETTERS_AND_BYTES = (
    "In UTF-8 a letter such as `é` is two bytes, and others are up to four. Bytes are counted "
    "before they are decoded, letters after that."
)
STRIPPED = (
    "`strip`, `lstrip` and `rstrip` take away every character that is among these, in whatever "
    "order. `removeprefix` and `removesuffix` take away a word, once."
)
SPACES = (
    "`split()` takes away all that stands between two words, and `join` puts the same between any "
    "two. Cut the text only where it is to be cut."
)
LAST_FIRST = (
    "`pop()` and `popitem()` take the last one. `pop(0)` of a list and `popleft()` of a deque take "
    "the first, and a `for` begins with it."
)
STRIDES = (
    "Each part then holds items from all over the row, and the parts one after another have "
    "another order. Cut the row into runs of neighbours, or put each result back where its item "
    "stood."
)
NONE = (
    "None is a value like any other. Compare with a mark of your own, such as "
    "`nothing = object()`, or keep in another variable whether there is one."
)

GUESSED = (FALSY, NONE)  # what is to try where a value seems to be taken for nothing
PASSED = "Two that are equal are still two, and each of them counts. Leave this test out."
KEYED = (
    "A key stands in a dict once, and an item in a set. Keep a list, or take the position of each "
    "one for its key."
)
READY = (
    "What is ready first comes first. Keep each one at the place of what it was asked for, as "
    "`gather` does, or a list of tasks."
)
THROUGH = "Try this condition on what should not be there: what does it say?"
DROPPED = "What an `await` gives is lost unless it is returned, or kept under a name."
NULLS = "A key that gets no value later keeps this None. Put a key in when its value is there."
SHARED = (
    "Two at the same time, or two objects, overwrite each other's. What belongs to one call stands "
    "inside the function, what belongs to one object in `self`."
)
BY_STEPS = (
    "A `for` counts its steps: when an item is taken out, the next one moves into its place, and "
    "is skipped. Go through a copy, or make a new list."
)
SHORTEST = (
    "`zip` ends with the shortest row, and what the others have left is dropped. With "
    "`strict=True` it says so; `itertools.zip_longest` goes on to the last."
)
ASKED_FOR = "Does the exercise ask for that limit?"
NO_ORDER = (
    "`asyncio.wait` returns two sets, and a set has no order. Go through your own list of the "
    "tasks, in the order in which you made them."
)
IN_PLACE = (
    "The items are right, their order is not. Follow one that stands in the wrong place: when is "
    "it put there, and what comes before it?"
)
ROUNDED = "Nobody asked for a rounded number: leave it as it is."
BOUND = "Nobody asked for this bound: leave it out."
SUMMED = "`+=` adds to what is there; `=` puts another value in its place."
AS_TEXT = "The value itself is asked for, not its text."
LETTERS_CHANGED = "Nobody asked for other letters: leave the text as it came."
LATE = (
    "A function looks its names up when it runs, and by then the loop may have gone on. Hand it "
    "the value as an argument."
)


class Suspect(NamedTuple):
    """A line, what it does ("Line 4 …"), and what to try, or None for what goes with the kind."""

    line: int | None
    at: str = ""
    try_: str | None = None


def of_value(nodes: Collection[ast.AST], got: object, expected: object) -> Suspect | None:
    """The line that seems to make `got` of what should be `expected`, or None."""
    if takes_for_nothing(got, expected):
        of_a_row = isinstance(expected, (list, tuple, dict, set))
        tests = set(_truth_tests(nodes, got, () if of_a_row else _rows(nodes) | _made(nodes)))
        if tests:
            return _falsy(nodes, tests)
    if lacks_alike(got, expected):
        return of_alike(nodes)
    if underway := of_row(nodes):
        return underway
    if has_swapped(got, expected):
        ready = _only(_calls(nodes, "as_completed"), "gives them their order", READY)
        return ready or _only(_filled(nodes), "adds what is ready", READY)
    if has_more(got, expected) and (found := _only(_conditions(nodes), "lets it through", THROUGH)):
        return found
    if is_cut(got, expected):
        found = _only(_slices(nodes, len(got)), "takes no more")
        if found := found or _only(_zips(nodes), "ends with the shortest", SHORTEST):
            return found
    if is_paired(got, expected) and (found := _only(_tuples(nodes), "keeps more than that")):
        return found
    if is_none(got) and not is_none(expected):
        if found := _only(_dropped(nodes), "drops what it gets", DROPPED):
            return found
    if has_more_nones(got, expected):
        return _only(_calls(nodes, "fromkeys"), "begins with a None for each", NULLS)
    if (
        isinstance(got, (str, bytes))
        and got
        and expected
        and (found := _only(_returned(nodes, got), "returns it"))
    ):
        return found
    changed = filter(None, (_changed(nodes, *pair) for pair in pairs_apart(got, expected)))
    if found := next(changed, None):
        return found
    if found := _only(late_bound(nodes), "sees the loop's variable as it is when it runs", LATE):
        return found
    whole = isinstance(expected, (list, dict)) and _only(replaced(nodes), "replaces all of it")
    return whole or _only(_shared(nodes), "is one for all", SHARED)


def of_row(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that changes a row while a `for` goes through it, or the one `for` whose row
    several lines change.
    """
    changing = changed_underway(nodes)
    fors = [node for node in nodes if isinstance(node, ast.For)]
    loops = {loop.lineno for loop in fors if changed_underway([loop])}
    return _only(changing, "changes what the `for` goes through", BY_STEPS) or _only(
        loops, "goes through what lines inside it change", BY_STEPS
    )


def of_truth(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that asks whether something counts as true, where that is the mistake: of no
    flag, and of no row, which is asked whether there is anything to do.
    """
    others = _rows(nodes) | flags(nodes) | errors_kept(nodes) | _counted(nodes)
    others |= {ast.unparse(node) for node in nodes if _asks_for_error(node)}
    tests = {
        test.lineno
        for node in nodes
        for test in _tests_of(node, heads=True)
        if others.isdisjoint(map(ast.unparse, _asked_of(test)))
    }
    return _falsy(nodes, tests | set(_filters(nodes)))


def of_none(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that asks whether a value is None."""
    asked = {
        node.lineno
        for node in nodes
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        if is_constant(node.comparators[0], None)
    }
    return _only(asked, "takes None for nothing", NONE)


def of_letters(nodes: Collection[ast.AST], was: str | bytes) -> Suspect | None:
    """The one line that takes a letter for a byte or a byte for a letter, where the answer goes
    right with plain letters in place of `was`.
    """
    if isinstance(was, bytes):
        return _only(_calls(nodes, "decode"), "makes letters of the bytes", LETTERS_AND_BYTES)
    return _only(_calls(nodes, "len"), "counts letters, not bytes", LETTERS_AND_BYTES)


def of_alike(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that asks whether an item was there before, that keeps items by a key, or that
    looks for one of them.
    """
    asked = _only(asked_before(nodes), "skips what was there before", PASSED)
    kept = asked or _only(keyed(nodes), "keeps only one of several that are equal", KEYED)
    return kept or _only(
        _calls(nodes, "index", "remove"),
        "finds the first of several that are equal",
        "`index` and `remove` take the first item that is equal, not yours. Keep its position.",
    )


def of_error(
    nodes: Collection[ast.AST], one: type[BaseException], other: type[BaseException]
) -> Suspect | None:
    """The one `except` that makes a difference between two errors, where the answer goes wrong
    with the first and goes well with the second.
    """
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    wide, narrow = (
        {node for node in handlers if catches(node, names_of((error,)))} for error in (one, other)
    )
    if len(wide ^ narrow) != 1:
        return None
    (handler,) = wide ^ narrow
    if handler in narrow:
        return Suspect(
            handler.lineno, "doesn't catch it", None if issubclass(one, Exception) else PASSES
        )
    again = _only(raised_again(handler), "raises it again")
    return again or Suspect(handler.lineno, *CATCHES)


def of_count(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that counts something up or down for all, with a wait behind it and nothing that
    takes it back, should the wait be cancelled.
    """
    counted = []
    for node in nodes:
        if isinstance(node, ast.AsyncFunctionDef):
            parts = [*own_nodes(node)]
            last_wait = max((one.lineno for one in parts if isinstance(one, ast.Await)), default=0)
            counts = [
                one
                for one in parts
                if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Attribute)
            ]
            names = [ast.unparse(one.target) for one in counts]
            counted += [
                one.lineno
                for one, name in zip(counts, names)
                if one.lineno < last_wait and names.count(name) == 1
            ]
    return _only(
        counted,
        "counts before it waits",
        "If the task is cancelled in the wait that follows, what was counted stays counted. Count "
        "when the wait is over, or take it back in an `except BaseException:` that ends in "
        "`raise`.",
    )


def of_limit(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that sets how many may go on at once, to a number of the answer's own."""
    names = ("Semaphore", "BoundedSemaphore")
    limits = [
        line_of_call(node)
        for node in nodes
        if isinstance(node, ast.Call) and is_named(node.func, names)
        if any(map(is_own_number, node.args))
    ]
    return _only(limits, "limits how many run at once", ASKED_FOR)


def of_fixed_number(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one loop that starts so many tasks as a number of the answer's own says, or None."""
    return _only(started_by_number(nodes), "starts a fixed number of tasks", ASKED_FOR)


def of_one_wait(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one `if` behind whose wait nobody asks again whether there is a place; or None."""
    return _only(
        waited_once(nodes),
        "asks once",
        "Those who wait are woken together, and another may have come first. Ask again after each "
        "wait: `while` in the place of `if`, or `condition.wait_for`.",
    )


def of_waits(nodes: Collection[ast.AST]) -> Suspect | None:
    """The line that makes coroutines which begin only when a loop awaits them, or that starts tasks
    in a `map` or a generator, which such a loop asks for one by one; None if there is none.
    """
    return _only(
        only_made(nodes),
        "only makes the coroutines, and none of them runs yet",
        "A coroutine begins when it is awaited, or when a task is made of it. Make a task of each "
        "before you await any.",
    ) or _only(
        started_lazily(nodes),
        "starts each one only when the loop asks for it",
        "`map` and a generator hand out their items one by one, and do nothing before. Make a "
        "list of the tasks: then all of them have started.",
    )


def of_order(nodes: Collection[ast.AST], got: list, expected: list) -> Suspect | None:
    """The line that seems to give the items their order, or None."""
    ordered = of_row(nodes) or _only(
        _calls(nodes, "as_completed", "sorted", "insert"), "gives them their order"
    )
    if ordered is None and same_value(list(got)[::-1], list(expected)):
        last = [*_calls(nodes, "pop", bare=True), *_calls(nodes, "popitem", bare=True)]
        ordered = _only(last, "takes the last one first", LAST_FIRST)
    ordered = ordered or _only(strides(nodes), "takes items that don't stand side by side", STRIDES)
    ordered = ordered or _only(_set_of_done(nodes), "goes through a set", NO_ORDER)
    if not any(isinstance(node, WAITING) for node in nodes):
        ordered = ordered or _only(_filled(nodes), "puts it there") or Suspect(None)
        return ordered._replace(try_=ordered.try_ or IN_PLACE)
    return ordered or _only(_filled(nodes), "adds what is ready")


def of_change(
    nodes: Collection[ast.AST], has_run: Callable[[int], bool] = lambda line: True
) -> Suspect | None:
    """The line that seems to change a list, a dict or a set that it was given, or None. Of several
    it is the only one that has run.
    """
    for lines in map(set, (changes(nodes), _calls(nodes, *CHANGING))):
        found = _only(lines, "changes it") or _only(filter(has_run, lines), "changes it")
        if found:
            return found
    return None


def _only(lines, at, try_=None):
    found = set(lines)
    return Suspect(found.pop(), at, try_) if len(found) == 1 else None


def _falsy(nodes, lines):
    """The one line of these, which asks whether something counts as false, or is None."""
    found = _only(lines, "takes 0, or what is empty, for nothing", FALSY)
    for node in nodes if found else ():
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            if node.lineno == found.line and is_constant(node.comparators[0], None):
                return Suspect(found.line, "takes None for nothing", NONE)
    return found


def _truth_tests(nodes, got, rows) -> list[int]:
    """Tests by what counts as true or false. Where None was returned: those that lead to it.

    Parameters are asked, too, whether there is anything to do: they count where nothing else does.
    rows: what is asked whether anything is in it, and not for a value.
    """
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    known = flags(nodes) | errors_kept(nodes) | _errors_asked_for(nodes)
    known |= set(rows) if got is None else set()
    found = [
        test
        for node in nodes
        for test in _tests_of(node)
        if known.isdisjoint(map(ast.unparse, _asked_of(test)))
        if got is not None or _may_give_none(node, test)
    ]
    others = [test for test in found if not (isinstance(test, ast.Name) and test.id in given)]
    made = [node for node in nodes if _gives_none(node)] if got is None else []
    return [test.lineno for test in made or others or found] + _filters(nodes)


def _may_give_none(node, test):
    """Whether None may come of an `if`, of an `… or …`, or of what else asks."""
    if isinstance(node, ast.BoolOp):
        return _gives_none(node) or not isinstance(node.values[-1], ast.Constant)
    return not isinstance(node, ast.If) or _leads_to_none(node, test)


def _gives_none(node):
    """Whether this is an `… or None`."""
    return isinstance(node, ast.BoolOp) and is_constant(node.values[-1], None)


def _filters(nodes) -> list[int]:
    return [
        line_of_call(node)
        for node in nodes
        if isinstance(node, ast.Call) and is_named(node.func, ("filter",)) and node.args
        if is_constant(node.args[0], None)
    ]


def _tests_of(node, heads=False) -> Iterator[ast.expr]:
    """What this node asks for its truth, of variables, items and what came of a call.

    heads: those of `while` too. Most ask whether there is anything to do.
    """
    if isinstance(node, (ast.If, ast.IfExp)):
        asked = [node.test]
    elif isinstance(node, ast.While):
        flag = isinstance(unnegated(node.test), ast.Attribute)
        asked = [node.test] if heads and not flag or isinstance(node.test, ast.NamedExpr) else []
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        asked = node.values[:-1]
        if isinstance(node.values[-1], ast.Constant):  # as in `max(0, wait) or None`
            yield from (part for part in asked if isinstance(part, MADE))
    else:
        asked = getattr(node, "ifs", [])
    for test in asked:
        yield from _plain_tests(test)


def _plain_tests(test) -> Iterator[ast.expr]:
    """The tests of which a condition is made, if they ask by what counts as true."""
    test = unnegated(test)
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _plain_tests(part)
    elif _is_bare(test) or _is_compared_with_nothing(test):
        yield test


def _rows(nodes) -> set[str]:
    """What an answer takes for rows, as it names them: they are gone through, filled or emptied."""
    found = []
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            found.append(node.iter)
        elif isinstance(node, ast.Starred):
            found.append(node.value)
        elif isinstance(node, ast.Call) and is_named(node.func, TAKING):
            found += node.args
        elif isinstance(node, ast.Call) and is_named(node.func, FILLING):
            found.append(node.func.value)
    views = [one for one in found if isinstance(one, ast.Call) and is_named(one.func, VIEWS)]
    found += [view.func.value for view in views]
    return set(map(ast.unparse, found))


def _counted(nodes) -> set[str]:
    """The names of what a loop over numbers, or over constants, counts with: none of a case's
    values.
    """
    loops = (node for node in nodes if isinstance(node, (ast.For, ast.comprehension)))
    return {ast.unparse(loop.target) for loop in loops if _is_fixed(loop.iter)}


def _is_fixed(row):
    if isinstance(row, ast.Call):
        return is_named(row.func, ("range",))
    return isinstance(row, (ast.Tuple, ast.List)) and all(
        isinstance(one, ast.Constant) for one in row.elts
    )


def _asks_for_error(node):
    """Whether this asks a task or a future for its error, which is None or counts as true."""
    return isinstance(node, ast.Call) and is_named(node.func, ("*.exception",))


def _errors_asked_for(nodes) -> set[str]:
    """The names that get what a task or a future has for its error."""
    return {
        ast.unparse(target)
        for node in nodes
        if isinstance(node, (ast.Assign, ast.NamedExpr)) and _asks_for_error(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }


def _made(nodes) -> set[str]:
    """The names of the lists and dicts that an answer makes in one go."""
    return {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, COLLECTED)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _asked_of(test) -> list[ast.AST]:
    """The values whose truth, or whose being None, is asked for."""
    if isinstance(test, ast.NamedExpr):
        return [test.value]
    return [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]


def _is_bare(test):
    """Whether a test asks for the truth of a variable, an item or what came of a call. One with
    False as its default is a flag, and an attribute of what the answer was given is mostly one.
    """
    if isinstance(test, ast.Call):
        taken = is_named(test.func, ("result", "pop", "popleft", "get_nowait", "get"))
        return taken and not any(is_constant(part, False) for part in test.args)
    if isinstance(test, ast.Attribute):
        return ast.unparse(test.value) == "self"
    return isinstance(test, (ast.Name, ast.Subscript, ast.NamedExpr, ast.Await))


def _is_compared_with_nothing(test):
    """Whether a test compares with None, 0 or something empty, to be it or not."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and any(isinstance(part, ast.Constant) and not part.value for part in test.comparators)
    )


def _leads_to_none(node, test):
    """Whether an `if` returns None, or returns only what it has found to be true."""
    returned = [part.value for part in node.body if isinstance(part, ast.Return)]
    return any(
        value is None or is_constant(value, None) or ast.dump(value) == ast.dump(test)
        for value in returned
    )


def _dropped(nodes) -> Iterator[int]:
    """Statements that await what the answer was given, or a call of it, and do nothing with what
    comes of that.
    """
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await):
            awaited = node.value.value
            used = awaited.func if isinstance(awaited, ast.Call) else awaited
            if isinstance(used, ast.Name) and used.id in given:
                yield node.lineno


def _returned(nodes, value) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
            if same_value(node.value.value, value):
                yield node.lineno


def _conditions(nodes) -> Iterator[int]:
    """What decides on an item: an `if` inside a loop or in a comprehension; none that asks for a
    flag or for an error that was kept.
    """
    others = flags(nodes) | errors_kept(nodes)
    inside = {id(part) for node in nodes if isinstance(node, LOOPS) for part in own_nodes(node)}
    for node in nodes:
        if isinstance(node, (ast.If, ast.IfExp)) and id(node) in inside:
            if others.isdisjoint(map(ast.unparse, _asked_of(unnegated(node.test)))):
                yield node.test.lineno
        elif isinstance(node, ast.comprehension):
            yield from (test.lineno for test in node.ifs)


def _slices(nodes, length) -> Iterator[int]:
    """Where a row is cut to this length."""
    for node in nodes:
        if isinstance(node, ast.Slice) and is_constant(node.upper, length):
            yield node.upper.lineno


def _bounds(nodes, value) -> Iterator[int]:
    """Where this very number is the least or the most that may come out."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, ("min", "max")):
            if any(is_constant(part, value) for part in node.args):
                yield line_of_call(node)


def _changed(nodes, one, wanted):
    """The call that seems to have made `one` of `wanted`: it rounds, or changes a text."""
    if isinstance(one, (int, float)) and isinstance(wanted, (int, float)):
        rounded = _only(rounding(nodes), "rounds", ROUNDED) if abs(one - wanted) < 1 else None
        bound = rounded or _only(_bounds(nodes, one), "sets this bound", BOUND)
        return bound or _only(overwritten(nodes), "overwrites what was added up before", SUMMED)
    if isinstance(one, BaseException) and isinstance(wanted, BaseException):
        return _only(raised_instead(nodes), "raises an error of its own")
    if isinstance(one, str) and one == str(wanted) != wanted:
        return _only(_calls(nodes, "str"), "makes a text of it", AS_TEXT)
    if not any(isinstance(one, kind) and isinstance(wanted, kind) for kind in (str, bytes)):
        return None
    if one.lower() == wanted.lower():
        return _only(_calls(nodes, *LETTERS), "changes letters", LETTERS_CHANGED)
    if one.split() == wanted.split() and one.strip() != wanted.strip():
        return _only(_calls(nodes, "join"), "puts the words together anew", SPACES)
    if one in wanted and (
        found := _only(_letters_stripped(nodes), "takes away single characters", STRIPPED)
    ):
        return found
    if one in wanted:
        return _only(_calls(nodes, *CUTTING), "cuts it")
    return _only(_calls(nodes, *CUTTING), "cuts too little") if wanted in one else None


def _letters_stripped(nodes) -> Iterator[int]:
    """Where a word is given to `strip` and its like, which take it for a set of letters."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, ("strip", "lstrip", "rstrip")):
            given = [part.value for part in node.args if isinstance(part, ast.Constant)]
            if any(isinstance(word, (str, bytes)) and len(word.split()) == 1 for word in given):
                if len(given[0].strip()) > 1:
                    yield line_of_call(node)


def _is_generator(node):
    """Whether this is a `def` with a `yield` in it."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(part, (ast.Yield, ast.YieldFrom)) for part in own_nodes(node)
    )


def _tuples(nodes) -> Iterator[int]:
    """Where a tuple is made of what is returned, or put among the results."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, FILLING):
            kept = node.args
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            kept = [node.elt]
        elif isinstance(node, (ast.Return, ast.Yield)):
            kept = [node.value]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            kept = [node.value]
        else:
            kept = [getattr(node, "value", None)] if isinstance(node, ast.DictComp) else []
        yield from (value.lineno for value in kept if isinstance(value, ast.Tuple))


def _shared(nodes) -> Iterator[int]:
    """A `global`, an attribute of the function or the class itself, or what the body of a class
    makes for all that are made of it.
    """
    defined = {node.name for node in nodes if is_function(node) or isinstance(node, ast.ClassDef)}
    for node in nodes:
        if isinstance(node, ast.Global):
            yield node.lineno
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and dotted(target)[0] in defined:
                    yield node.lineno
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, (ast.Assign, ast.AnnAssign)) and makes_changing(part.value):
                    yield part.lineno


def _calls(nodes, *names, bare=False) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, names):
            if not (bare and (node.args or node.keywords)):
                yield line_of_call(node)


def _zips(nodes) -> Iterator[int]:
    """Where rows are gone through side by side, to the end of the shortest."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, ("zip",)):
            if not any(keyword.arg == "strict" for keyword in node.keywords):
                yield line_of_call(node)


def _set_of_done(nodes) -> Iterator[int]:
    """Where the first of the two sets that `asyncio.wait` returns is gone through."""
    done = {
        ast.unparse(node.targets[0].elts[0])
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Await)
        and isinstance(node.value.value, ast.Call)
        and is_named(node.value.value.func, ("asyncio.wait",))
    }
    for node in nodes:
        if isinstance(node, (ast.For, ast.comprehension)) and ast.unparse(node.iter) in done:
            yield node.iter.lineno


def _filled(nodes) -> Iterator[int]:
    """Where a list or a dict gets what is ready; of several, that which is returned. Not in a
    generator, which does one thing after another.
    """
    stepwise = [part for node in nodes if _is_generator(node) for part in own_nodes(node)]
    filled = [
        (line_of_call(node), dotted(node.func)[:-1])
        for node in nodes
        if isinstance(node, ast.Call) and is_named(node.func, ("append",)) and node not in stepwise
    ]
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if holds(node.value, ast.Await):
                filled.append((node.lineno, dotted(node.targets[0].value)))
    returned = [
        dotted(part)
        for node in nodes
        if isinstance(node, ast.Return) and node.value
        for part in ast.walk(node.value)
    ]
    kept = [line for line, row in filled if "" not in row and row in returned]
    yield from kept or [line for line, _ in filled]
