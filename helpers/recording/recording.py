"""The recording itself: what `with record() as rec` gives, to be read when the `with` has ended."""

import collections
import sys
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from helpers.recording.model import TALK, Lane, Mark, Recorded, Span, Wake
from helpers.recording.spans import spans_of, wakes_of
from helpers.recording.telling import tell

Loop = TypeVar("Loop")


class Recording(Recorded):
    """What `record()` saw. Read it when the `with` has ended; it can be pickled.

    lanes: list of Lane.  duration: seconds.  clock: "real" or "virtual".
    """

    def __getstate__(self):
        return {**self.__dict__, "live": None}

    def __repr__(self):
        if not self.lanes:
            return "<Recording of nothing: only what starts inside the `with` is recorded>"
        kinds = collections.Counter(lane.kind for lane in self.lanes)
        counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"<Recording: {counts}; {self.steps} steps in {self.duration:.3f} s>"

    def lane(self, name: str) -> Lane:
        """The first lane of that name. Raises KeyError that lists the names there are."""
        for lane in self.lanes:
            if lane.name == name:
                return lane
        names = ", ".join(lane.name for lane in self.lanes[:20]) or "none"
        raise KeyError(f"no lane is named {name!r}. There are: {names}")

    @property
    def steps(self) -> int:
        """How many steps were recorded: each a run from one suspension to the next."""
        return sum(len(track.steps) // 3 for track in self.tracks) + sum(
            len(talk.times) // 2 for talk in self.talks
        )

    @property
    def nbytes(self) -> int:
        """Bytes kept in the columns."""
        size = 0
        for track in self.tracks:
            size += sum(
                map(
                    sys.getsizeof,
                    (
                        track.steps,
                        track.waits,
                        track.words,
                        track.stacks,
                        track.functions,
                        track.deadlines,
                    ),
                )
            )
        for talk in self.talks:
            size += sum(map(sys.getsizeof, (talk.times, talk.kinds, talk.details, *talk.details)))
        return size

    def peak(self) -> int:
        """The most tasks in flight at once: created and not ended."""
        return self.most

    def generator(self, gen: Generator | Coroutine, name: str | None = None) -> Any:
        """A stand-in for the generator `gen`: use it in its place, and each turn is recorded.

        It does all that the generator does, and `yield from` takes it too. `gen` may be a
        coroutine, and then `await` takes it. Raises RuntimeError after the `with`.
        """
        if self.live is None:
            raise RuntimeError("the recording has ended: call rec.generator inside the `with`")
        return self.live.stand_in(gen, name)

    def loop(self, loop: Loop) -> Loop:
        """Record a loop of your own, and return it: each coroutine that it is given from now on.

        loop: anything with `spawn(coro)` that drives its coroutines by `send` and `throw`. Where
        it keeps those that are ready in `ready` (a deque or a list), it is seen who wakes whom.
        Raises RuntimeError after the `with`, TypeError for what can't spawn.
        """
        if self.live is None:
            raise RuntimeError("the recording has ended: call rec.loop inside the `with`")
        if not callable(getattr(loop, "spawn", None)):
            raise TypeError(f"rec.loop takes a loop that has spawn(coro), and got {loop!r}")
        self.live.attach(loop, everything=True, own=True)
        return loop

    def spans(self, lane: Lane | int | str | None = None) -> list[Span]:
        """List of Span by start, of one lane (a Lane, its id or its name) or of all."""
        if isinstance(lane, str):
            lane = self.lane(lane)
        if isinstance(lane, Lane):
            lane = lane.id
        return spans_of(self, None if lane is None else {lane})

    @property
    def wakes(self) -> list[Wake]:
        """List of Wake by time: who made which task ready."""
        wakes = [wake for track in self.tracks for wake, _ in wakes_of(track)]
        wakes.sort(key=lambda wake: wake.time)
        return wakes

    @property
    def marks(self) -> list[Mark]:
        """List of Mark by time: cancellations, and what generators and their callers said."""
        marks = [mark for mark, _ in self.cancels]
        for talk in self.talks:
            for i, kind in enumerate(talk.kinds):
                marks.append(Mark(talk.times[i], talk.lane, TALK[kind], talk.details[i]))
        marks.sort(key=lambda mark: mark.time)
        return marks

    def log(self) -> str:
        """The recording as text, one event a line, in order: on a virtual clock too."""
        return tell(self)
