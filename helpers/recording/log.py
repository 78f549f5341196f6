"""What one loop does while it is recorded: columns that grow, and at the end a `Track` of them."""

import asyncio
import collections
import functools
import math
import threading
import time
import types
import weakref
from array import array
from collections.abc import Coroutine, Generator
from types import CoroutineType
from typing import Any

from helpers.basics.awaits import code_of
from helpers.basics.places import learner_line, place, resolved, short
from helpers.recording.futures import Future, Task
from helpers.recording.model import PLACES, Code, Mark, Track
from helpers.recording.shell import Shell, drive, is_cancel, throw
from helpers.recording.words import OwnWait, cancel_mark, foreign, words_for

# Links of a chain of awaits that are kept, outermost and innermost: what recurses waits deep down
# again and again, and to write all of it down each time takes far longer than to run it.
OUTER, INNER = 5, 25
_UNKNOWN = array("d", [0, 0, 0, math.nan, -1, 0])  # a row of waits before its wake


class Log:
    """The columns of one loop under way. A subclass hooks itself onto the loop and fills them."""

    __slots__ = (
        "live",
        "loop",
        "everything",
        "virtual",
        "now",
        "zero",
        "lane",
        "cell",
        "thread",
        "running",
        "open",
        "steps",
        "waits",
        "words",
        "stacks",
        "codes",
        "functions",
        "deadlines",
        "samples",
        "shells",
        "cancelled",
    )

    def __init__(self, live, loop, everything):
        self.live = live
        self.loop = loop
        self.everything = everything
        self.virtual = hasattr(loop, "real_seconds")
        self.now = loop.time if self.virtual else time.perf_counter
        self.zero = self.now() if self.virtual else live.zero
        self.lane = None  # made when there is something to show
        self.cell = None
        self.thread = threading.get_ident()
        self.running = None
        self.open = True
        self.steps = array("d")
        self.waits = array("d")
        self.words = {}  # code or text → its index
        self.stacks = {}
        self.codes = {}  # code of a task's function → its index
        self.functions = array("q")
        self.deadlines = {}
        self.samples = collections.defaultdict(collections.Counter)
        self.shells = {}  # lane → weak reference to the shell of a task that has not ended
        self.cancelled = set()  # lanes that were asked to cancel and not told yet
        if everything:
            self.begin()
        self.hook()

    def begin(self) -> None:
        """Make the lane of the loop, and of the cell if one is observed."""
        if self.lane is None:
            created = self.now() - self.zero if self.everything else 0.0
            self.lane = self.live.new_lane("loop", "loop", None, created).id
            if self.cell is not None:
                self.cell.lane = self.live.new_lane("cell", "cell", None, 0.0).id
                self.running = self.cell.lane

    def in_shell(
        self, coro: Coroutine | Generator, name: str, parent: int | None
    ) -> tuple[Shell, int]:
        """Make a lane and what stands for `coro` in it."""
        lane = self.live.new_lane(name, "task", parent, self.now() - self.zero).id
        shell = Shell()
        shell._coro = coro
        for named in "__name__", "__qualname__":
            if hasattr(coro, named):
                setattr(shell, named, getattr(coro, named))
        shell._held = held = []
        shell.send = drive(self, lane, coro, held).send
        shell.throw = functools.partial(throw, self, lane, coro, held)
        shell.close = coro.close
        self.shells[lane] = weakref.ref(shell)
        self.stands_in(lane, coro)
        return shell, lane

    def stands_in(self, lane: int, coro: Coroutine | Generator) -> None:
        """Note the function that a lane's steps are in."""
        code = code_of(coro)
        if isinstance(code, types.CodeType):
            self.functions.extend((lane, self.codes.setdefault(code, len(self.codes))))

    def rename(self, lane: int, name: str) -> None:
        """Give a lane the name that its task was given by hand."""
        if self.open:
            self.live.recording.lanes[lane].name = name
            self.live.named.add(lane)

    def word(self, key: Any) -> int:
        """The index of a word: text, or the code from which it will be made."""
        return self.words.setdefault(key, len(self.words))

    def waits_for(self, waited: Any, coro: Any, held: list) -> None:
        """Write down what the step that has just ended waits for, and where."""
        if held:
            self.woken(held)
        kind, words = type(waited), self.words
        if kind is Future:
            what = words.setdefault(waited._made, len(words))
        elif kind is Task and waited._log is self:
            what = -1 - waited._lane
        else:
            what = self.word(foreign(waited))
        stack = []
        while True:
            kind = type(coro)
            if kind is CoroutineType:
                frame, coro = coro.cr_frame, coro.cr_await
            elif kind is types.GeneratorType:
                frame, coro = coro.gi_frame, coro.gi_yieldfrom
            else:
                break
            if frame is not None:
                stack += frame.f_code, frame.f_lasti
        del stack[2 * OUTER : -2 * INNER]
        stacks, waits = self.stacks, self.waits
        held += len(waits), waited
        waits.extend(_UNKNOWN)
        row = held[0]
        waits[row] = len(self.steps) // 3 - 1
        waits[row + 1] = what
        waits[row + 2] = stacks.setdefault(tuple(stack), len(stacks))

    def woken(self, held: list) -> None:
        """A task goes on: note when and by whom it was made ready."""
        if not held:
            return
        row, waited = held
        held.clear()
        kind = type(waited)
        if kind is Future:
            if waited._log is not self or waited._when is None:
                return
            when, by, why = waited._when, waited._by, self.word((waited._why, "why"))
        elif kind is Task:
            if waited._log is not self:
                return
            when, by, why = self.end_of(waited), waited._lane, self.word("its end")
        elif children := getattr(waited, "_children", None):  # gather's own future
            ended = [c for c in children if type(c) is Task and c._log is self and c.done()]
            if not ended:
                return
            last = max(ended, key=self.end_of)
            when, by, why = self.end_of(last), last._lane, self.word("its end")
        else:
            return
        waits = self.waits
        waits[row + 3] = when
        if by is not None:
            waits[row + 4] = by
        waits[row + 5] = why

    def cut_short(self, coro: Any, held: list) -> None:
        """A task goes on before its time, or never: note when a sleep would have been over."""
        while (inner := getattr(coro, "cr_await", None)) is not None and type(
            inner
        ) is CoroutineType:
            coro = inner
        if getattr(coro, "cr_code", None) is asyncio.sleep.__code__ and coro.cr_frame is not None:
            step = int(self.waits[held[0]])
            begun = self.steps[3 * step + 2]
            self.deadlines[step] = begun + coro.cr_frame.f_locals["delay"]

    def was_due(self, row: int, waited: OwnWait) -> float:
        """When a sleeper's time had come: before now, if a step held up the loop meanwhile."""
        now = self.now()
        due = now if waited.deadline is None else now - (time.monotonic() - waited.deadline)
        if due >= self.steps[-1]:
            return now  # the loop had nothing to do before: the timer is on time
        asleep_since = self.steps[3 * int(self.waits[row]) + 2]
        return max(due, asleep_since)

    def end_of(self, task: Task) -> float:
        """When a task of asyncio's ended, by the loop's clock; nan if it has not."""
        ended = self.live.recording.lanes[task._lane].ended
        return math.nan if ended is None else ended + self.zero

    def mark(self, lane: int, kind: str, by: int | None = None, who: Any = None) -> None:
        """Note a cancellation, asked by the lane `by` or by `who`, in words or as code."""
        time, step = self.now() - self.zero, len(self.steps) // 3
        order = step + (0.4 if self.running is not None else -0.2)
        self.live.recording.cancels.append((time, lane, kind, by, who, order))

    def ended(
        self,
        lane: int,
        frame: Any,
        held: list,
        start: float,
        outcome: str,
        error: BaseException | None = None,
    ) -> None:
        """A task's last step, begun at `start`, is over: write it down, and how it ended."""
        self.running = None
        self.woken(held)
        if not self.open:
            return
        end = self.now()
        self.steps.extend((lane * PLACES + frame.f_lasti, start, end))
        self.shells.pop(lane, None)
        self.live.alive -= 1
        lane = self.live.recording.lanes[lane]
        lane.ended = end - self.zero
        lane.outcome = "cancelled" if is_cancel(error) else outcome
        if lane.outcome == "failed":
            lane.detail = short(error, 200)

    def dropped(self, lane: int) -> None:
        """The driver of a task is gone: after its end, or with a task that nobody held."""
        if self.open and self.live.recording.lanes[lane].outcome is None:
            self.live.alive -= 1
            self.live.recording.lanes[lane].detail = "lost: nobody held it"

    def stop(self, error: BaseException | None) -> None:
        """Put the loop back, and hand what was written down to the recording."""
        recording = self.live.recording
        self.unhook()
        for shell in self.shells.values():
            if (shell := shell()) is not None:
                coro, held = shell._coro, shell._held
                if held and not getattr(held[1], "done", bool)():
                    self.cut_short(coro, held)
                elif held:
                    self.woken(held)
                shell.send, shell.throw, shell.close = coro.send, coro.throw, coro.close
        self.open = False
        stop = self.now()
        if self.cell is not None:
            self.cell.leave(error)
        if self.lane is None:
            return
        if self.virtual:
            recording.clock = "virtual"
            recording.duration = stop - self.zero
        lane = recording.lanes[self.lane]
        if self.ended_loop():
            lane.ended = (self.steps[-1] if self.steps else stop) - self.zero
            lane.outcome = "done"
        words = [words_for(key) for key in self.words] or [""]
        for i, mark in enumerate(recording.cancels):
            if not isinstance(mark[0], Mark):
                recording.cancels[i] = cancel_mark(mark, recording.lanes)
        recording.tracks.append(
            Track(
                lane=self.lane,
                zero=self.zero,
                stop=stop,
                steps=self.steps[:],
                waits=self.waits[:],
                words=words,
                stacks=[(stack, learner_line(stack)) for stack in map(resolved, self.stacks)],
                codes=[Code.of(code) for code in self.codes],
                functions=self.functions[:],
                deadlines=self.deadlines,
                selects=self.selects(),
                seen=self.seen(),
            )
        )
        self.steps, self.waits, self.stacks = array("d"), array("d"), {}

    def seen(self) -> dict[tuple[int, int], tuple[int, str, tuple[str, int, str]]]:
        """What the watcher saw, by step: how often, and the place it saw most, as Track has it."""
        seen = {}
        for step, places in self.samples.items():
            (code, line), _ = places.most_common(1)[0]
            frame = code.co_filename, line, code.co_name
            seen[step] = places.total(), place(*frame), frame
        return seen
