"""What a recording is made of: lanes, columns of numbers, and what is worked out from them.

A step takes some 25 bytes in the columns, and 50 more if it ends in a wait. Spans and wakes are
worked out when they are asked for (`spans`), and so is the text (`telling`).
"""

import bisect
import math
import re
from array import array
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

BLOCKED = 0.05  # seconds: a step that takes longer has blocked the loop
LOOK = 0.045  # seconds between two looks of the watcher: no blocked step escapes it
PLACES = 2**24  # in a column of lanes: lane * PLACES + `f_lasti`


@dataclass(slots=True)
class Lane:
    """One line of the picture. Times are seconds from the start of the recording.

    kind: "loop", "cell", "task", "generator", "caller", "thread" or "process".
    parent: the id of the lane that created it, or None.
    outcome: None (still alive at the end), "done", "failed" or "cancelled".
    detail: the error's repr where it failed ("killed" where its process was); for a job, the
        thread or process it ran in.
    pid: for a job in another process, that process.
    """

    id: int
    name: str
    kind: str
    parent: int | None
    created: float
    ended: float | None = None
    outcome: str | None = None
    detail: str | None = None
    pid: int | None = None


class Span(NamedTuple):
    """What a lane did from `start` to `end`.

    state: "ready", "running", "waiting" (tasks and cells); "selecting", "running", "blocked"
        (loop); "created", "running", "suspended", "closed" (generators); "running", "waiting"
        (callers); "running" (jobs).
    detail: what a task waited for; which line blocked the loop; where a job ran.
    line: the learner's line that awaits or blocks, or None.
    cpu: the share of a core that a job used (1.0 is a whole core); None elsewhere.
    stack: (file, line, function) of each frame of a waiting task, outermost first; of a blocked
        loop, the one that blocks it.
    """

    lane: int
    start: float
    end: float
    state: str
    detail: str | None = None
    line: int | None = None
    cpu: float | None = None
    stack: tuple = ()


class Wake(NamedTuple):
    """At `time`, `lane` became ready. by: the lane that saw to it, or None (timer, socket, ...)."""

    time: float
    by: int | None
    lane: int
    why: str


class Mark(NamedTuple):
    """Something that happened to a lane at one instant.

    kind: "cancel asked", "cancel delivered"; and the talk of a generator with its caller:
    "next", "send", "throw", "close" (to it), "yield", "return", "raise" (from it).
    """

    time: float
    lane: int
    kind: str
    detail: str | None = None


class Code(NamedTuple):
    """What is needed of a code object, which can't be pickled, to name the line of an instruction.

    lines: (index of the first instruction, line) by index.
    """

    file: str
    function: str
    first: int
    lines: list

    @classmethod
    def of(cls, code: CodeType) -> "Code":
        lines = [(start, line) for start, _, line in code.co_lines()]
        return cls(code.co_filename, code.co_name, code.co_firstlineno, lines)

    def line(self, instruction: int) -> int | None:
        """The line of an instruction, or None."""
        return self.lines[bisect.bisect_right(self.lines, (instruction, math.inf)) - 1][1]


@dataclass(slots=True)
class Track:
    """The columns of one recorded loop. Times in them are the loop's; `zero` is its start.

    steps: lane, start, end, lane, start, end, ... The lane's number is multiplied by PLACES; what
        is added is the index of the instruction in the task's own function at which it stopped.
    waits: six numbers for each await that suspended: index of the step that it ended; what it
        waited for (an index into `words`, or -1 - lane of a task); index into `stacks`; then
        who woke it: when (nan: unknown), by which lane (-1: none), why (an index into `words`).
    stacks: (stack as in Span, the learner's line in it).
    seen: by the watcher: (lane, number of steps before) → (how often, place, its frame as in Span).
    codes: the functions of tasks. functions: lane, index into `codes`, lane, index, ...
    deadlines: index of a step that ended in a sleep which did not last to its end → until when.
    selects: does the loop wait in a selector? One that somebody wrote may have none.
    """

    lane: int
    zero: float
    stop: float
    steps: array
    waits: array
    words: list
    stacks: list
    seen: dict
    codes: list = field(default_factory=list)
    functions: array = field(default_factory=lambda: array("q"))
    deadlines: dict = field(default_factory=dict)
    selects: bool = True


@dataclass(slots=True)
class Talk:
    """The talk of one generator, by turns.

    times: two a turn. kinds, details: what went in, what came out. states: of the frame after it.
    """

    lane: int
    times: array = field(default_factory=lambda: array("d"))
    kinds: bytearray = field(default_factory=bytearray)
    details: list = field(default_factory=list)
    states: bytearray = field(default_factory=bytearray)


STATES = ("created", "running", "suspended", "closed")
TALK = ("next", "send", "throw", "close", "yield", "return", "raise")


class Recorded:
    """What is kept of a recording.

    lanes: list of Lane.  duration: seconds.  clock: "real" or "virtual".
    """

    def __init__(self):
        self.lanes = []
        self.duration = 0.0
        self.clock = "real"
        self.most = 0  # tasks in flight
        self.cancels = []  # (Mark, its order among the steps)
        self.tracks = []
        self.talks = []
        self.shares = {}  # lane of a job → share of a core, or None
        self.killed = {}  # process id → when it was killed, where that was told
        self.live = None  # what collects, while it does


def without_number(name: str) -> str:
    """What tasks of one kind share of their names: worker-3 and worker-1 are two of a kind."""
    return re.sub(r"[-_ #]*\d+$", "", name)
