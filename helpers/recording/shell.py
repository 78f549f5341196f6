"""A thin shell around each coroutine, through which every step of its task goes.

A generator (`drive`) sits in that shell and sees every `send` and `throw`; it writes three numbers
a step: lane, start, end.
"""

import asyncio
import collections.abc
import operator
import struct
import types
from collections.abc import Coroutine, Generator
from typing import Any

from helpers.recording.current import within
from helpers.recording.model import PLACES

PACK = struct.Struct("3d").pack  # a step, as it lies in an array of doubles


def frame_of_task(coro: Any) -> Any:
    """The frame of a task's own function: its `f_lasti` tells where the task stands."""
    return getattr(coro, "cr_frame", None) or getattr(coro, "gi_frame", None) or _NOWHERE


_NOWHERE = types.SimpleNamespace(f_lasti=0)  # a coroutine that is not Python's has no frame


class Shell:
    """Stands for a coroutine in its task. Everything but the three verbs is the coroutine's own.

    `send`, `throw` and `close` are attributes, not methods: a task calls straight into the
    generator that records, without a Python frame between; and when the recording ends they are
    set to the coroutine's own, so that a task that lives on pays nothing.
    """

    __slots__ = (
        "send",
        "throw",
        "close",
        "__name__",
        "__qualname__",
        "_coro",
        "_held",
        "__weakref__",
    )

    def __await__(self):
        return self._coro.__await__()


# Properties, for a `__getattr__` would slow down the task's way to `send` too.
for _name in (
    f"{kind}_{what}"
    for kind in ("cr", "gi")
    for what in ("await", "code", "frame", "origin", "running", "suspended", "yieldfrom")
):
    setattr(Shell, _name, property(operator.attrgetter(f"_coro.{_name}")))

collections.abc.Coroutine.register(Shell)


def drive(log: Any, lane: int, coro: Coroutine | Generator, held: list) -> Generator:
    """Run `coro` for its task and write down each step. The heart: keep it short and quick.

    What is thrown into the task does not come here but to `throw`. `held` is the list that the
    two share: what the task waits for. (The log must not hold that: it would hold the task too.)
    """
    send, now, add, pack = coro.send, log.now, log.steps.frombytes, PACK  # quicker than 3 appends
    number = lane * PLACES
    frame = frame_of_task(coro)
    within.set((log.live.key, lane))
    try:
        while True:
            log.running = lane
            start = now()
            waited = send(None)
            add(pack(number + frame.f_lasti, start, now()))
            log.running = None
            if waited is None:
                yield
            else:
                log.waits_for(waited, coro, held)
                yield waited
                log.woken(held)
    except StopIteration as stop:
        log.ended(lane, frame, held, start, "done")
        return stop.value
    except GeneratorExit as error:
        if log.running != lane:  # we are dropped, and the coroutine with us
            log.dropped(lane)
            return
        log.ended(lane, frame, held, start, "failed", error)
        raise
    except BaseException as error:
        log.ended(lane, frame, held, start, "failed", error)
        # Take our own frame out of the traceback: a bare raise does not put it back.
        error.__traceback__ = error.__traceback__.tb_next
        raise


def throw(
    log: Any, lane: int, coro: Coroutine | Generator, held: list, error: Any, *more: Any
) -> Any:
    """Throw `error` into `coro`, which is suspended, and write down the step that follows."""
    if held:
        log.cut_short(coro, held)
    log.woken(held)
    if lane in log.cancelled and is_cancel(error):
        log.cancelled.discard(lane)
        log.mark(lane, "cancel delivered")
    log.running = lane
    frame = frame_of_task(coro)
    start = log.now()
    try:
        waited = coro.throw(error, *more)
    except StopIteration:
        log.ended(lane, frame, held, start, "done")
        raise
    except BaseException as failure:
        log.ended(lane, frame, held, start, "failed", failure)
        failure.__traceback__ = failure.__traceback__.tb_next
        raise
    log.steps.extend((lane * PLACES + frame.f_lasti, start, log.now()))
    log.running = None
    if waited is not None:
        log.waits_for(waited, coro, held)
    return waited


def is_cancel(error: object) -> bool:
    """Whether this error is how a loop ends a task: asyncio's own, or one of its name."""
    return isinstance(error, asyncio.CancelledError) or type(error).__name__ == "CancelledError"
