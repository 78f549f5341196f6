"""What the recorder's tests share: coroutines to be recorded, and how to read a recording."""

import asyncio
import inspect
import linecache
import os
import sys

import pytest

from helpers.kernel.virtual import VirtualLoop
from helpers.recording.record import attach, record

uvloop = pytest.importorskip("uvloop") if sys.platform != "win32" else None

OURS = os.path.dirname(inspect.getsourcefile(record))
LOOPS = [asyncio.SelectorEventLoop] + ([uvloop.new_event_loop] if uvloop else [])


def recorded(main, loop_factory=None, returns=False):
    """Run the coroutine as a script would, recorded."""
    with record() as rec, asyncio.Runner(loop_factory=loop_factory) as runner:
        attach(runner.get_loop())
        result = runner.run(main)
    return (rec, result) if returns else rec


def virtual(main):
    return recorded(main, VirtualLoop)


def is_ours(frame):
    """Is it a frame of the recorder, which no traceback shows?"""
    return os.path.dirname(frame.filename) == OURS


def states(rec, lane):
    return [span.state for span in rec.spans(lane)]


def waits(rec, lane):
    return [span.detail for span in rec.spans(lane) if span.state == "waiting"]


def line_of(text):
    """The number of the one line of the caller's file that holds the text (as a comment)."""
    lines = linecache.getlines(sys._getframe(1).f_code.co_filename)
    [number] = [n for n, line in enumerate(lines, 1) if f"# {text}" in line]
    return number


async def nap(seconds):
    await asyncio.sleep(seconds)


async def gathered(*coros):
    await asyncio.gather(*coros)


async def awaits(thing):
    return await thing


def iter_three():
    yield 1
    yield 2
    return 3
