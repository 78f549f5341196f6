"""Gauges for a pipeline: how full a queue is, how long its items lie in it, what its workers do.

    queue = GaugedQueue(10)      a Queue that keeps book: .depths .ages .deepest .oldest
    occupancy(rec)               of a recording: each stage's share of time at work, and why not
    virtual_seconds(main())      how long it takes where only waits take time

A queue's depth says how much is held in memory; its age says how stale an item is by the time
somebody begins with it. A stage that always works is the one that sets the pace.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Coroutine
from typing import Any, NamedTuple

from helpers.basics.backports import Queue
from helpers.kernel.run import run
from helpers.recording.model import without_number
from helpers.recording.recording import Recording

__all__ = ["GaugedQueue", "Occupancy", "occupancy", "virtual_seconds"]

AT_A_QUEUE = {"Queue.get": 1, "Queue.put": 2}  # what a task waits for: its place in Occupancy


class GaugedQueue(Queue):
    """A queue that notes its depth and the age of what is taken from it.

    depths: (time, items in it) after each put and get.  ages: (time, seconds that the item lay in
    it) at each get. Times are seconds of the running loop's clock since the first put. Put and get
    raise RuntimeError where no loop runs.
    deepest: most items that were in it.  oldest: longest time, in seconds, that one lay in it.
    head_start: how many items had been put when the first was taken.
    """

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(maxsize)
        self.depths: list[tuple[float, int]] = []
        self.ages: list[tuple[float, float]] = []
        self.head_start = 0
        self._put_at: deque[float] = deque()
        self._begun: float | None = None

    @property
    def deepest(self) -> int:
        return max((depth for _, depth in self.depths), default=0)

    @property
    def oldest(self) -> float:
        return max((age for _, age in self.ages), default=0.0)

    # put and get come by here as well, once there is room or an item.

    def put_nowait(self, item: Any) -> None:
        super().put_nowait(item)
        now = self._now()
        self._put_at.append(now)
        self.depths.append((now, self.qsize()))
        if not self.ages:
            self.head_start += 1

    def get_nowait(self) -> Any:
        item = super().get_nowait()
        now = self._now()
        self.ages.append((now, now - self._put_at.popleft()))
        self.depths.append((now, self.qsize()))
        return item

    def _now(self) -> float:
        now = asyncio.get_running_loop().time()
        if self._begun is None:
            self._begun = now
        return now - self._begun


class Occupancy(NamedTuple):
    """Shares of a stage's time, 0 to 1, that together make 1.

    busy: at work on an item.  starved: waiting in `Queue.get` for one.  held_up: waiting in
    `Queue.put` for room behind it.
    """

    busy: float
    starved: float
    held_up: float

    def __repr__(self) -> str:
        return f"{self.busy:.0%} busy, {self.starved:.0%} starved, {self.held_up:.0%} held up"


def occupancy(recording: Recording) -> dict[str, Occupancy]:
    """What each stage's workers did with their time, by stage, in the order of their start.

    The tasks of one stage have one name and a number: "fetch 0", "fetch 1". A task without a
    number is a stage of its own; one that never met a queue is left out.
    """
    spent = defaultdict(lambda: [0.0, 0.0, 0.0])
    met_a_queue = set()
    for lane in recording.lanes:
        if lane.kind != "task":
            continue
        stage = without_number(lane.name)
        for span in recording.spans(lane):
            spent[stage][AT_A_QUEUE.get(span.detail, 0)] += span.end - span.start
            if span.detail in AT_A_QUEUE:
                met_a_queue.add(stage)
    return {
        stage: Occupancy(*(seconds / sum(parts) for seconds in parts))
        for stage, parts in spent.items()
        if stage in met_a_queue and sum(parts)
    }


def virtual_seconds(main: Coroutine[Any, Any, Any]) -> float:
    """Run `main` to its end on the virtual clock; return how many seconds went by on it."""

    async def timed():
        await main
        return asyncio.get_running_loop().time()  # such a clock begins at 0

    return run(timed(), clock="virtual")
