"""Tasks that an answer leaves running, and the line because of which they still run."""

import ast
import asyncio
import traceback
from collections.abc import Collection

from helpers.basics.awaits import code_of
from helpers.basics.words import count, listed
from helpers.coach.form.statement import Wrong
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.words import coroutine_name

ASKED = (
    "`cancel` only asks a task to end. Await it as well: `asyncio.wait` does so and raises "
    "nothing, and so does `gather` with `return_exceptions=True`."
)
GOES_ON = (
    "Neither `gather` nor a lone `create_task` ends the others. Cancel them in a `finally`, and "
    "await them; a TaskGroup does both for you."
)
SKIPPED = (
    "What comes after it is skipped. In a `finally`, cancel the tasks that you started, and await "
    "them; a TaskGroup does both for you."
)


def left_running(
    left: Collection[asyncio.Task],
    source: Source,
    error: BaseException | None = None,
    waited_at: Place | None = None,
) -> Wrong:
    """The Wrong for tasks that still run when the answer has ended.

    error: what it ended with. waited_at: where it waited when it was cancelled, if it was.
    """
    codes = [code_of(task.get_coro()) for task in left]
    names = sorted(f"`{coroutine_name(task.get_coro())}`" for task in left)
    made = [*filter(None, (source.of_coroutine(task.get_coro()) for task in left))]
    place, at, try_ = next(iter(made), None), f"starts {'it' if len(left) == 1 else 'them'}", None
    if any(task.cancelling() for task in left):
        asks = _cancels(made, source)
        if len(asks) == 1:
            place, try_ = source.place(asks.pop()), ASKED
            at = "asks it to end, and nobody waits until it has"
    elif isinstance(error, asyncio.CancelledError):
        if waited_at:
            place, at, try_ = waited_at, "is where the cancellation came", SKIPPED
    elif error is not None and (out := _let_out(error, codes, source)):
        place, at, try_ = out, "lets the error out, and others still run", GOES_ON
    ended = "returned" if error is None else "ended"
    if error is not None and not isinstance(error, asyncio.CancelledError):
        ended += f" with {type(error).__name__}"
    said = f"It {ended}, and {count(len(left), 'task')} still ran: {listed(dict.fromkeys(names))}."
    return Wrong("leaked", said, place, try_, at=at)


def _cancels(made, source):
    """The lines that cancel the tasks of the coroutines that were made there: by their names, where
    they have some, or else all that cancel anything.
    """
    calls = source.calls_of("*.cancel")
    names = {
        ast.unparse(target)
        for node in source.nodes()
        if isinstance(node, ast.Assign) and source.place(node.lineno) in made
        for target in node.targets
    }
    named = {call.lineno for call in calls if ast.unparse(call.func.value) in names}
    return named or {call.lineno for call in calls}


def _let_out(error, codes, source):
    """Where the answer met an error that one of its tasks had raised; None if it can't be told.

    codes: of what the tasks run that are left. It is what the failed one ran, most often, and there
    the traceback goes on in another task.
    """
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code in codes:
            return place
        if source.owns(frame.f_code.co_filename):
            place = frame.f_code.co_filename, line
    return None
