"""What exercises of lesson 10 share: calls that take a moment to end, and tasks that are left."""

import ast
import asyncio

from helpers.basics.words import listed
from helpers.coach import Wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import is_named, nodes_of_block

KEPT = OSError("kept")  # an error that a call returns is a result like any other
STOP = "Cancel the tasks that are left, in a `finally`, and await them: `cancel` returns at once."
MOMENT = 0.25  # seconds that a cancelled call takes to end
LONG = 60  # the same, longer than anybody sets a limit for


class Ended:
    """How a call of the answer ended. result or error; at: seconds; flying: calls that still ran
    at that instant; cancelled: those that had been told to stop a turn later.
    """

    result = error = None


class Tidy:
    """A service whose calls take a moment to end when they are cancelled. flying: calls that have
    not ended. moments: seconds that this takes, by argument.
    """

    def __init__(self, service, moments=None):
        self.service, self.flying, self.moments = service, 0, moments
        self.started, self.cancelled = service.started, service.cancelled
        self.__name__ = self.__qualname__ = service.__name__

    def __call__(self, argument):
        return named(self._call(argument), self.__name__)

    async def _call(self, argument):
        self.flying += 1
        try:
            return await self.service(argument)
        except asyncio.CancelledError:
            await asyncio.sleep(self.moments[argument] if self.moments else MOMENT)
            raise
        finally:
            self.flying -= 1


def named(coro, name):
    """The coroutine, under a name that the learner knows it by."""
    coro.__name__ = coro.__qualname__ = name
    return coro


async def play(to_be_cancelled, answer, service, *arguments):
    """Call the answer, and look at `service` in the instant in which it ends."""
    loop, ended = asyncio.get_running_loop(), Ended()
    begun = loop.time()
    service.ended = ended
    try:
        ended.result = await answer(service, *arguments)
    except Exception as error:
        if to_be_cancelled:
            raise  # the lab tells what else than a cancellation came out
        ended.error = error
    finally:
        ended.at = loop.time() - begun
        ended.flying = service.flying
        await asyncio.sleep(0)
        ended.cancelled = len(service.cancelled)
    return ended.result


def watched(lab, words, answer, service, *arguments, **how):
    """Play the scene in the lab; `words` follow "I called …" in messages."""
    lab.told(words)
    try:
        lab.run(play("cancel_after" in how, answer, service, *arguments), leaks=True, **how)
    except Wrong as found:
        if found.kind == "swallowed" and found.line is None:
            found.line = lab.handler(asyncio.CancelledError)
        raise
    except asyncio.CancelledError as error:
        place = lab.text.of_traceback(error)
        if place and "await" not in lab.text.code(*place):
            raise Wrong(
                "awaited the cancelled",
                "It asked a cancelled task for its result or its "
                "error, and the CancelledError came out.",
                place,
                "A cancelled task has neither. Ask `task.cancelled()` first.",
                headline="raised CancelledError",
            ) from None
        if everybody := lab.call_of("all_tasks"):
            raise Wrong(
                "others' tasks",
                "A CancelledError came out, though nobody had cancelled it from outside.",
                everybody,
                "`asyncio.all_tasks()` holds the task that runs this line as well. Keep a "
                "list of the tasks that you start, and cancel those.",
                headline="cancelled itself",
            ) from None
        raise Wrong(
            "awaited the cancelled",
            "It awaited a task that had been cancelled, and the task's CancelledError came out.",
            place,
            "`await asyncio.gather(*tasks, return_exceptions=True)` awaits cancelled tasks "
            "and keeps their errors to itself.",
            headline="raised CancelledError",
        ) from None
    return service.ended


def swept(lab, words, answer, service, *arguments, in_a_group=False, without=()):
    """Play one case of a sweep and return what is to be compared of it; Wrong if calls went on.

    in_a_group: whether an error must come out in a group, even where it is the only one. without:
    what is not compared.
    """
    at = lab.twist.cancel_after

    async def case():
        try:
            return await answer(service, *arguments)
        finally:
            ended = Ended()
            ended.at = asyncio.get_running_loop().time()
            ended.flying = service.flying
            await asyncio.sleep(0)
            ended.cancelled = len(service.cancelled)
            none_left(lab, ended, "It ended")
            if at is not None and ended.at > at + max(service.moments.values()) + 1e-6:
                raise Wrong("losers", f"It went on until {ended.at:g} s.", None, STOP)

    lab.told(words)
    run = lab.run(case())
    left_out = (*without, "seconds") if at is not None else without
    return lab.seen(run if in_a_group else ungrouped(run), service.service, without=left_out)


def ungrouped(run):
    """The run, with an error that it ended in as if it stood alone, if the group held no other."""
    if isinstance(run.error, ExceptionGroup):
        different = {repr(error): error for error in errors_in(run.error)}
        if len(different) == 1:
            run.error = next(iter(different.values()))
    return run


def told_waits(waits):
    """What a service takes for each argument, in words: 1 s for 'a' and 2 s for 'b'."""
    return listed(f"{wait:g} s for {argument!r}" for argument, wait in waits.items())


def none_left(lab, ended, when):
    """Raise Wrong if calls went on when the answer had ended. when: "It raised the error"."""
    if not ended.flying:
        return
    calls = f"{ended.flying} call{'s' * (ended.flying > 1)}"
    # Where nobody of them failed or was first, there are no others.
    headline = "left the calls running" if lab.cancelling else ""
    line = lab.call_of("gather", "wait", "as_completed", "create_task")
    narrow = passes = None
    if lab.cancelling or ended.error and not lab.text.handler_of(type(ended.error)):
        narrow = lab.text.narrow_cleanup("cancel")
        passes = narrow and ("lets a cancellation pass" if lab.cancelling else "doesn't catch it")
    if ended.cancelled:
        turn = None if narrow else lab.wait_behind("cancel")
        if not (narrow or turn) and (behind := _behind_a_cleanup(lab)):
            raise Wrong(
                "losers",
                f"{when}, and {calls} had been asked to stop and had not ended.",
                behind,
                "What stands behind a `finally` is not reached when a `return`, an error or a "
                "cancellation leaves its `try`. Await the tasks inside the `finally`.",
                headline=headline,
                at="was not reached",
            )
        raise Wrong(
            "losers",
            f"{when}, and {calls} had been asked to stop and had not ended.",
            narrow or turn or lab.call_of("cancel") or line,
            STOP
            if narrow
            else "Wait for them without a limit of time, as `gather(*tasks, "
            "return_exceptions=True)` does."
            if turn
            else "`cancel` only asks, and returns at once. Await them after it, as `gather(*tasks, "
            "return_exceptions=True)` does.",
            headline=headline,
            at=passes or ("gives them a while, and that may be too short" if turn else ""),
        )
    waited = None if narrow else lab.waited_at
    raise Wrong(
        "losers",
        f"{when}, and {calls} still ran: nobody had asked "
        f"{'them' if ended.flying > 1 else 'it'} to stop.",
        narrow or waited or line,
        STOP,
        headline=headline,
        at="is where it was cancelled" if waited else passes or "",
    )


def _behind_a_cleanup(lab):
    """The await of tasks that stands behind a `try` whose `finally` cancels them and awaits
    nothing, and that was not reached; or None.
    """
    cancels = ("*.cancel", *_cancelling(lab))
    found = []
    for node in lab.nodes():
        statements = getattr(node, "body", None)
        for number, block in enumerate(statements if isinstance(statements, list) else ()):
            if isinstance(block, ast.Try) and _holds(block.finalbody, ast.Call, cancels):
                if not _holds(block.finalbody, ast.Await):
                    found += _awaits_of_tasks(statements[number + 1 :])
    found = [line for line in found if not lab.has_run(line)]
    return lab.earliest(*found)


def _awaits_of_tasks(statements):
    """The lines of these statements that await a `gather` or a `wait`."""
    for node in nodes_of_block(statements):
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            if is_named(node.value.func, ("gather", "wait")):
                yield node.lineno


def _holds(statements, type_, names=()):
    """Whether there is such a node in these statements; for a call, one of these names."""
    return any(
        isinstance(node, type_) and (not names or is_named(node.func, names))
        for node in nodes_of_block(statements)
    )


def _cancelling(lab):
    """The names of the answer's own functions that cancel tasks."""
    functions = filter(is_function, lab.nodes())
    return [one.name for one in functions if lab.text.calls_of("cancel", inside=one)]


def errors_in(error):
    """The errors in a group, however deep; a lone error is a list of one."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in errors_in(inner)]
    return [error]
