"""The instants of loops, told in words: who runs, who is woken by what, who waits for what."""

import collections
import linecache
from collections.abc import Iterator

from helpers.basics.places import place
from helpers.pictures.causes import cause
from helpers.pictures.explorer_story import CHOICES, Story
from helpers.pictures.explorer_view import Box, Entries, View, listed_in_part
from helpers.recording.instants import Instant, Instants, Stay
from helpers.recording.model import Wake
from helpers.recording.recording import Recording
from helpers.recording.words import TIMERS

TITLES = {"timer": "Timers", "socket": "Sockets", "other": "Futures, tasks, locks"}
# Wrong beliefs by which another one would be next, in the words of helpers.beliefs, which stands on
# a floor above.
AT_ONCE = "`create_task` ran the task at once, up to its first pause"
NOTHING_GIVEN = "`sleep(0)` did nothing"
SET_RUNS = "those who wait ran as soon as the result or the event is set"
NEWEST = "the task that became ready last ran first"
ENDS = {"done": "is done", "failed": "fails", "cancelled": "is cancelled"}


class Tasks(Story):
    """The instants of loops, told in words."""

    def __init__(self, rec: Recording) -> None:
        super().__init__(rec)
        self.instants = Instants(rec)
        self.selecting = {track.lane for track in rec.tracks if track.selects}

    def __len__(self) -> int:
        return len(self.instants)

    def title(self) -> str:
        virtual = " of virtual time" if self.rec.clock == "virtual" else ""
        return f"What the loop did in {self.time(self.rec.duration)}{virtual}, step by step."

    def runs(self, k: int) -> int | None:
        """The lane that runs at instant k; None where the loop waits."""
        return self.instants[k].lane

    def view(self, k: int, secret: bool) -> View:
        """Instant k. secret: keep to yourself who wakes while the loop waits."""
        instant = self.instants[k]
        waits = instant.lane is None
        prose = self.tell_select(k, secret) if waits else self.tell_step(k)
        number, loops = self.instants.loop_of(k)
        head = self.head(k, instant.start)
        if loops > 1:
            head += f", loop {number} of {loops}"
        lines, boxes = self.lines(instant), self.boxes(k)
        return View(self.time(instant.start), head, prose, lines, boxes)

    def tell_step(self, k: int) -> Iterator[str]:
        """Sentences on a task's step."""
        instant = self.instants[k]
        name = self.name(instant.lane)
        woken = instant.woken
        if woken is None:
            yield f"{name} runs."
        else:
            yield f"{name} runs: it was woken by {self.cause(woken)}."
        yield from self.effects(k, instant.lane)
        if instant.then == "hands over":
            yield "Then it hands over, and joins the end of the queue."
        elif instant.then == "waits":
            yield f"Then it {self.waits(instant)}."
        elif instant.then is not None:
            error = f": {instant.detail}" if instant.detail else ""
            yield f"Then it {ENDS[instant.then]}{error}."

    def tell_select(self, k: int, secret: bool) -> Iterator[str]:
        """Sentences on a wait of the loop."""
        where = " in select" if self.instants[k].loop in self.selecting else ""
        yield f"Nobody is ready: the loop waits{where}."
        if secret:
            return
        yield from self.effects(k, None)
        if k + 1 == len(self):
            yield "Here the recording ends."

    def effects(self, k: int, runs: int | None) -> Iterator[str]:
        """What happened during instant k: who was created, cancelled, woken."""
        asked = []
        for mark in self.instants.marks.get(k, ()):
            name = self.name(mark.lane)
            if mark.kind == "cancel asked":
                asked.append(f"{name} is asked to cancel {mark.detail or ''}".rstrip() + ".")
            else:
                yield f"CancelledError is raised in {name}."
        created = collections.defaultdict(list)
        woken = collections.defaultdict(list)
        for stay in self.instants.causes.get(k, ()):
            if stay.cause == "created":
                created[self.rec.lanes[stay.lane].parent].append(self.name(stay.lane))
            elif stay.cause is None:
                woken["something unknown"].append(self.name(stay.lane))
            elif stay.cause != "hands over":
                woken[self.cause(stay.cause)].append(self.name(stay.lane))
        for parent, names in created.items():
            if parent is not None and parent == runs:
                yield f"It creates {listed_in_part(names)}."
            else:
                yield f"{listed_in_part(names)} {_is(names)} created."
        yield from asked
        for by, names in woken.items():
            if by.startswith("its ") and len(names) > 1:
                by = f"their {by[4:]}s"
            yield f"{listed_in_part(names)} {_is(names)} woken by {by}."

    def cause(self, wake: Wake) -> str:
        """Who or what woke somebody."""
        return cause(wake, self.name)

    def waits(self, since: Instant) -> str:
        """What a lane does whose step `since` ended in a wait."""
        if since.detail in TIMERS:
            return "sleeps" + ("" if since.until is None else f" until {self.time(since.until)}")
        return "waits in asyncio.wait" if since.detail == "wait" else f"waits for {since.detail}"

    def lines(self, instant: Instant) -> Iterator[tuple[str, str, str]]:
        """The source lines between which the step ran."""
        if instant.went_on is not None:
            yield "from", place(*instant.went_on), _source(instant.went_on)
        if instant.stopped is not None and instant.then is not None:
            yield "to", place(*instant.stopped), _source(instant.stopped)

    def boxes(self, k: int) -> Iterator[Box]:
        """The queue, and who waits for what."""
        ready = self.instants.ready(k)
        yield Box("Ready queue", Entries(ready, lambda stay: self.name(stay.lane)), True)
        for kind, stays in self.instants.waiting(k).items():
            yield Box(TITLES[kind], Entries(stays, self.entry), False)

    def entry(self, stay: Stay) -> str:
        """Who waits, for what, and where."""
        since = self.instants[stay.step]
        where = "" if since.stopped is None else f" ({place(*since.stopped)})"
        if since.detail in TIMERS and since.until is not None:
            return f"{self.name(stay.lane)} until {self.time(since.until)}{where}"
        return f"{self.name(stay.lane)}: {since.detail}{where}"

    # questions

    def choices(self, k: int) -> dict[str, int | None]:
        """{name: lane} of who may run after instant k, in the order in which they were created."""
        follows = self.instants[k + 1].lane
        ready = [stay.lane for stay in self.instants.queue_after(k)]
        last = self.instants[k].lane
        lanes = [lane for lane in (follows, *ready[:3]) if lane is not None]
        waits = self.instants.waiting(k + 1).values()
        waits = [stay.lane for stays in waits for stay in stays[:CHOICES]]
        lanes += [last] * (last in waits) + waits
        lanes = list(dict.fromkeys(lanes))[: CHOICES - 1]
        return self.named(lanes) | {"nothing: it waits": None}

    def judge(self, k: int, chosen: int | None) -> str:
        """Why what comes after instant k does, and the chosen lane does not (None: nothing)."""
        follows = self.instants[k + 1].lane
        queue = [stay.lane for stay in self.instants.queue_after(k)]
        waits = {
            stay.lane: self.instants[stay.step]
            for stays in self.instants.waiting(k + 1).values()
            for stay in stays
        }
        if follows is None:
            if chosen is None:
                return "Nobody is ready, so the loop waits."
            return f"{self.unready(chosen, waits)} Nobody is ready, so the loop waits."
        name, woken = self.name(follows), self.instants[k + 1].woken
        because = f"{name} was ready."
        if self.instants[k].lane is None and woken is not None:
            because = f"{name} was woken by {self.cause(woken)}."
            if woken.why == "timer":
                because = f"The timer of {name} was due first, at {self.time(woken.time)}."
        order = listed_in_part([self.name(lane) for lane in queue])
        queued = f"The queue was: {order}; the loop takes the first."
        if follows not in queue:
            return f"{name} is eager: it ran at once, within the step that created it."
        if chosen == follows:
            return f"{because} {queued}"
        if chosen is None:
            return f"{because} The loop waits only when nobody is ready. {queued}"
        if chosen in queue:
            told = f"{self.name(chosen)} was ready, but {name} came before it. {queued}"
            belief = self.belief(k, chosen, queue)
            return f"{told} It would be {self.name(chosen)} if {belief}." if belief else told
        return f"{self.unready(chosen, waits)} {because} {queued}"

    def belief(self, k: int, chosen: int, queue: list[int]) -> str:
        """The wrong belief by which somebody who is ready after instant k would be next; "" if
        none would make it so.
        """
        causes = {stay.lane: stay.cause for stay in self.instants.causes.get(k, ())}
        cause, first = causes.get(chosen), causes.get(queue[0])
        if cause == "created" != first:
            return AT_ONCE
        if cause == "hands over":
            return NOTHING_GIVEN
        runs = self.instants[k].lane
        if isinstance(cause, Wake) and runs is not None and cause.by == runs:
            if not isinstance(first, Wake) or first.by != runs:
                return SET_RUNS
        return NEWEST if len(queue) > 2 and chosen == queue[-1] else ""

    def unready(self, lane: int, waits: dict[int, Instant]) -> str:
        """Why a lane does not run next. waits: lane → the step since which it waits."""
        since = waits.get(lane)
        if since is None:
            return f"{self.name(lane)} has ended."
        return f"{self.name(lane)} is not ready: it {self.waits(since)}."


def _is(names):
    return "is" if len(names) == 1 else "are"


def _source(where):
    file, line, _ = where
    return linecache.getline(file, line).strip()
