"""The talk of generators and their callers, told in words, one instant a turn."""

import bisect
import collections
from collections.abc import Iterator

from helpers.pictures.explorer_story import CHOICES, Story
from helpers.pictures.explorer_view import Box, View
from helpers.recording.model import STATES, TALK
from helpers.recording.recording import Recording


class Talks(Story):
    """The turns of generators, told in words: one instant each time that control moves."""

    def __init__(self, rec: Recording) -> None:
        super().__init__(rec)
        said = []  # (time, lane, kind, detail, state of the frame from then on)
        for talk in rec.talks:
            for i, kind in enumerate(talk.kinds):
                state = STATES[talk.states[i // 2]] if i % 2 else "running"
                said.append((talk.times[i], talk.lane, TALK[kind], talk.details[i], state))
        said.sort(key=lambda one: one[0])
        self.said = said
        self.frames = collections.defaultdict(lambda: ([], []))  # lane → instants, states
        self.stacks = []  # lanes that are in the midst of a call, innermost last
        stack = ()
        for k, (_, lane, _, _, state) in enumerate(said):
            if state == "running":
                stack = (*stack, lane)
            else:
                stack = tuple(one for one in stack if one != lane)
            self.stacks.append(stack)
            instants, states = self.frames[lane]
            instants.append(k)
            states.append(state)

    def __len__(self) -> int:
        return len(self.said)

    def title(self) -> str:
        return "What generators and their callers said, turn by turn."

    def runs(self, k: int) -> int:
        """The lane that runs after turn k."""
        return self.stacks[k][-1] if self.stacks[k] else self.rec.lanes[self.said[k][1]].parent

    def view(self, k: int, secret: bool) -> View:
        """Turn k as a View; it has no secrets."""
        time, lane, kind, detail, state = self.said[k]
        name, caller = self.name(lane), self.name(self.rec.lanes[lane].parent)
        if state == "running":
            prose = [f"{caller} calls {name}: {kind}({detail or ''}).", f"{name} runs."]
        else:
            prose = [
                f"{name} answers {caller}: {kind} {detail or ''}".rstrip() + ".",
                f"{self.name(self.runs(k))} runs.",
            ]
        frames = [f"{self.name(lane)}: {self.frame(lane, k)}" for lane in self.frames]
        calls = [self.name(one) for one in self.stacks[k]]
        boxes = Box("Under way, innermost last", calls, True), Box("Frames", frames, False)
        return View(self.time(time), self.head(k, time), prose, (), boxes)

    def frame(self, lane: int, k: int) -> str:
        """The state of a generator's frame after turn k."""
        instants, states = self.frames[lane]
        i = bisect.bisect_right(instants, k)
        if not i:
            return "created"
        if states[i - 1] == "running" and self.stacks[k][-1] != lane:
            return "running (in a call of its own)"
        return states[i - 1]

    def choices(self, k: int) -> dict[str, int | None]:
        """{name: lane} of who may run after the next turn."""
        near = [self.runs(k + 1), self.runs(k)]
        lanes = dict.fromkeys(near + list(self.callers_and_frames()))
        return self.named(list(lanes)[:CHOICES])

    def callers_and_frames(self) -> Iterator[int]:
        """The lanes of a talk: of each generator its caller and itself."""
        for lane in self.frames:
            yield self.rec.lanes[lane].parent
            yield lane

    def judge(self, k: int, chosen: int | None) -> str:
        """What comes after turn k."""
        return " ".join(self.view(k + 1, False).prose)
