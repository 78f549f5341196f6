"""The chain of awaits: a coroutine, what it awaits, what that awaits.

`recording.log` has a quicker walk of its own, for it takes one after each step of each task and
knows that it meets coroutines and generators alone.
"""

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from types import AsyncGeneratorType, CodeType, FrameType, GeneratorType
from typing import Any

_LINKS = asyncio.Future, Coroutine, GeneratorType, AsyncGeneratorType


def awaited(step: Any) -> Iterator[Any]:
    """Yield `step`, what it awaits, what that awaits … as far as the chain can be followed.

    step: a coroutine, a generator, an asynchronous generator, a future or an iterator of one.
    """
    seen = set()
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        if isinstance(step, asyncio.Future):
            return
        if isinstance(step, Coroutine) and hasattr(step, "cr_await"):
            step = step.cr_await
        elif isinstance(step, GeneratorType):
            step = step.gi_yieldfrom
        elif isinstance(step, AsyncGeneratorType):
            step = step.ag_await
        else:
            # Iterators written in C (of a future, of an async generator's step) don't tell what
            # they stand for, but the garbage collector knows what they hold.
            held = gc.get_referents(step)
            step = next((thing for thing in held if isinstance(thing, _LINKS)), None)


def frame_of(step: Any) -> FrameType | None:
    """The frame of a link of the chain; None if it is written in C, or has ended."""
    for name in ("cr_frame", "gi_frame", "ag_frame"):
        if hasattr(step, name):
            return getattr(step, name)
    return None


def code_of(step: Any) -> CodeType | None:
    """The code that a coroutine or a generator runs; None if it is written in C."""
    return getattr(step, "cr_code", None) or getattr(step, "gi_code", None)
