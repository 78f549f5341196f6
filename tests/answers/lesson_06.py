"""Answers to the exercises of lesson 06, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% wakes-1 wrong: in the order of the spawns at 0.1 s
# cause: takes it that b prints at its first waking; it sleeps once more
# line: order
order = ["d", "b", "c", "e", "a"]

# %% wakes-1 wrong: in the order of the spawns
# cause: takes it that each is printed in the order in which it was spawned
# line: order
order = ["a", "b", "c", "d", "e"]

# %% wait-1 wrong: less than 0
# cause: where the deadline is over already, the result is negative
# line: return sleeping[0][0] - now
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if sleeping:
        return sleeping[0][0] - now
    return None

# %% wait-1 wrong: takes the sleeper out
# cause: heappop takes the first sleeper out of the heap; it should only be looked at
# line: heapq.heappop(sleeping)
import heapq


def next_wait(ready, sleeping, now):
    if ready:
        return 0
    if not sleeping:
        return None
    deadline, _, _ = heapq.heappop(sleeping)
    return max(0, deadline - now)

# %% wait-1 wrong: asks for the sleepers first
# cause: where somebody is ready and nobody sleeps, it says None and not 0
# line: if not sleeping:
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if not sleeping:
        return None
    if ready:
        return 0
    return max(0, sleeping[0][0] - now)

# %% wait-1 wrong: a zero that becomes None
# cause: 0 counts as false, so a deadline that is over gives None
# line: or None
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    first = sleeping[0][0] if sleeping else now
    return max(0, first - now) or None

# %% wait-1 wrong: ten seconds at most
# cause: it never sleeps for more than ten seconds, and nobody asked for such a bound
# line: return min(10, max(0, sleeping[0][0] - now))
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if not sleeping:
        return None
    return min(10, max(0, sleeping[0][0] - now))

# %% wait-1 wrong: a deadline of 0 is none
# cause: a first deadline of 0 counts as false, so it says that nobody sleeps
# line: if not first:
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    first = min((deadline for deadline, _, _ in sleeping), default=None)
    if not first:
        return None
    return max(0, first - now)

# %% wait-1 right: match
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    match bool(ready), sleeping:
        case True, _:
            return 0
        case False, [(first, _, _), *_] if first > now:
            return first - now
        case False, [_, *_]:
            return 0

# %% wait-1 right: the least of all moments
def next_wait(ready, sleeping, now):
    moments = [now for _ in ready] + [max(now, deadline) for deadline, *_ in sleeping]
    return min(moments) - now if moments else None

# %% wait-1 right: the cases as conditions
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    late = bool(ready) or any(deadline <= now for deadline, *_ in sleeping)
    return 0 if late else min((deadline - now for deadline, *_ in sleeping), default=None)

# %% sleepers-1 wrong: no ticket
# cause: of equal deadlines the heap compares those who sleep, and they have no order
# line: heapq.heappush(self.heap, (deadline, who))
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[1])
        return woken

# %% sleepers-1 wrong: earlier, but not now
# cause: whose deadline is exactly now is not taken out
# line: self.heap[0][0] < now
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        woken = []
        while self.heap and self.heap[0][0] < now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken

# %% sleepers-1 wrong: one heap for all
# cause: the heap belongs to the class, so two objects share their sleepers
# line: heap = []
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    heap = []

    def __init__(self):
        self.tickets = itertools.count()

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken

# %% sleepers-1 wrong: a dict by deadline
# cause: a second one with the same deadline takes the place of the first
# line: self.sleeping[deadline] = who
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.sleeping = {}

    def add(self, deadline, who):
        self.sleeping[deadline] = who

    def due(self, now):
        moments = sorted(moment for moment in self.sleeping if moment <= now)
        return [self.sleeping.pop(moment) for moment in moments]

# %% sleepers-1 wrong: one deadline for each sleeper
# cause: who is added twice has only the later of the two deadlines
# line: self.deadlines[id(who)] = deadline, next(self.tickets), who
# told: none
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.deadlines = {}
        self.tickets = itertools.count()

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        self.deadlines[id(who)] = deadline, next(self.tickets), who

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        found = sorted(entry for entry in self.deadlines.values() if entry[0] <= now)
        for _, _, who in found:
            del self.deadlines[id(who)]
        return [who for _, _, who in found]

# %% sleepers-1 wrong: wakes nobody who counts as false
# cause: a sleeper that counts as false is taken out, and not returned
# line: if who:
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        woken = []
        while self.heap and self.heap[0][0] <= now:
            who = heapq.heappop(self.heap)[2]
            if who:
                woken.append(who)
        return woken

# %% sleepers-1 wrong: returns one list again and again
# cause: the list that `due` returned is emptied by the next call
# line: self.woken.clear()
# told: none
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()
        self.woken = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        self.woken.clear()
        while self.heap and self.heap[0][0] <= now:
            self.woken.append(heapq.heappop(self.heap)[2])
        return self.woken

# %% sleepers-1 wrong: the next one by a call
# cause: each sleeper that is due is one call deeper, so it ends at about a thousand
# line: return [who, *self.due(now)]
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        if not self.heap or self.heap[0][0] > now:
            return []
        _, _, who = heapq.heappop(self.heap)
        return [who, *self.due(now)]

# %% sleepers-1 right: a sorted list
import bisect
import heapq
import itertools
from operator import itemgetter


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.entries = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        bisect.insort(self.entries, (deadline, who), key=itemgetter(0))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        end = bisect.bisect_right(self.entries, now, key=itemgetter(0))
        out, self.entries[:end] = self.entries[:end], []
        return [who for _, who in out]

# %% sleepers-1 right: a queue for each deadline
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.by_moment = {}

    def add(self, deadline, who):
        self.by_moment.setdefault(deadline, []).append(who)

    def due(self, now):
        over = sorted(filter(now.__ge__, self.by_moment))
        return [*itertools.chain.from_iterable(map(self.by_moment.pop, over))]

# %% until-1 wrong: no turn for the others
# cause: if the moment is over it goes on at once, and not in the next round
# line: if deadline > time.monotonic():
# told: none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline > time.monotonic():
        yield lambda loop, who: loop.wake_at(deadline, who)

# %% until-1 wrong: a moment taken for a number of seconds
# cause: the time of now is added to a deadline that is a moment already
# line: time.monotonic() + deadline
import time
import types


@types.coroutine
def sleep_until(deadline):
    yield lambda loop, who: loop.wake_at(time.monotonic() + deadline, who)

# %% until-1 wrong: looks again and again
# cause: it is woken in every round to look at the clock: busy waiting
# line: while time.monotonic() < deadline:
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield
    while time.monotonic() < deadline:
        yield

# %% until-1 wrong: the thread sleeps
# cause: an Event of threads blocks the thread, so nobody else has a turn meanwhile
# line: threading.Event().wait(
import threading
import time
import types


@types.coroutine
def sleep_until(deadline):
    threading.Event().wait(max(0, deadline - time.monotonic()))
    yield

# %% until-1 wrong: a turn for the others first
# cause: it yields once before it looks, so one whose moment is over loses two rounds
# line: yield
# told: none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield
    yield lambda loop, who: loop.wake_at(deadline, who)

# %% until-1 right: an object that parks
import types


class At:
    def __init__(self, deadline):
        self.deadline = deadline

    def __call__(self, loop, who):
        return loop.wake_at(self.deadline, who)


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield At(deadline)

# %% until-1 right: None where it is over
import time
import types


@types.coroutine
def sleep_until(deadline):
    def park(loop, who):
        return loop.wake_at(deadline, who)

    over = deadline <= time.monotonic()
    return (yield None if over else park)

# %% until-1 right: the sleep of the lesson
import time

from helpers.eventloop.timers import sleep


async def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    await sleep(deadline - time.monotonic())

# %% every-1 wrong: a pause after each work
# cause: the time that the work takes shifts all later beats
# line: await sleep(seconds)
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    for number in range(times):
        if number:
            await sleep(seconds)
        await work()

# %% every-1 wrong: each beat from the last waking
# cause: beats are counted from when it was woken, so that each lateness shifts the later ones
# line: begin = clock()
async def every(seconds, times, work, clock, sleep):
    for number in range(times):
        begin = clock()
        await work()
        if number < times - 1:
            await sleep(begin + seconds - clock())

# %% every-1 wrong: waits after the last work
# cause: after the last work it waits for one more beat
# line: await sleep(
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()
    for number in range(1, times + 1):
        await work()
        await sleep(start + number * seconds - clock())

# %% every-1 wrong: leaves out the beats that it missed
# cause: after a work that took too long it waits for a later beat, and should begin at once
# line: while start + beat * seconds < clock():
async def every(seconds, times, work, clock, sleep):
    start, beat = clock(), 0
    for number in range(times):
        if number:
            beat += 1
            while start + beat * seconds < clock():
                beat += 1
            await sleep(start + beat * seconds - clock())
        await work()

# %% every-1 wrong: once at least
# cause: it looks at `times` only after the first work, so it works where none is asked for
# line: while True:
# told: none
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start, done = clock(), 0
    while True:
        await work()
        done += 1
        if done >= times:
            return
        await sleep(start + done * seconds - clock())

# %% every-1 wrong: a work that returns nothing is the last
# cause: a result of work that counts as false ends it
# line: if result is not None and not result:
# told: none
async def every(seconds, times, work, clock, sleep):
    start = clock()
    for beat in range(times):
        await sleep(start + beat * seconds - clock())
        result = await work()
        if result is not None and not result:
            break

# %% every-1 wrong: a second is the beat
# cause: the beats are one second apart, whatever is asked
# line: await sleep(start + beat - clock())
# told: none
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()
    for beat in range(times):
        await sleep(start + beat - clock())
        await work()

# %% every-1 wrong: ends in peace where it is cancelled
# cause: a cancellation is caught, and it goes on as if nothing had happened
# line: except asyncio.CancelledError:
import asyncio


async def every(seconds, times, work, clock, sleep):
    start = clock()
    for beat in range(times):
        try:
            await sleep(start + beat * seconds - clock())
            await work()
        except asyncio.CancelledError:
            return

# %% every-1 right: an async generator of beats
async def every(seconds, times, work, clock, sleep):
    async def beats():
        start = clock()
        for beat in range(times):
            if beat:
                await sleep(start + beat * seconds - clock())
            yield

    async for _ in beats():
        await work()

# %% every-1 right: counts down, with a break
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start, done = clock(), 0
    while done < times:
        await work()
        done += 1
        if done == times:
            break
        if (left := start + done * seconds - clock()) > 0:
            await sleep(left)

# %% wait-1 wrong: a falsy zero
# cause: "or None" turns a wait of 0 seconds, for a deadline that is now or over, into None: the loop would believe that nothing will ever happen
# line: return max(0, first - now) or None
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    first = min((entry[0] for entry in sleeping), default=now)
    return max(0, first - now) or None

# %% wait-1 wrong: the last of the heap
# cause: a heap isn't sorted: only its first entry is surely the earliest, the last is anything; sorted by deadline or not, [-1] is the wrong end
# line: deadline = sleeping[-1][0]
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if not sleeping:
        return None
    deadline = sleeping[-1][0]
    return max(0, deadline - now)

# %% wait-1 right: match on the heap
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    match (len(ready), sleeping):
        case (0, []):
            return None
        case (0, [(deadline, *_), *_]):
            return deadline - now if deadline > now else 0
        case _:
            return 0

# %% sleepers-1 wrong: id as the tie-break
# cause: id(who) is no order of arrival: of equal deadlines the one that lies lower in memory comes first, and if the same one is added twice the comparison reaches who
# line: heapq.heappush(self.heap, (deadline, id(who), who)) | id(who)
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, id(who), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[-1])
        return woken

# %% sleepers-1 wrong: tickets by the length of the heap
# cause: the heap's length is no ticket: after some have been taken out, it repeats numbers, so a later one gets the same or a lower ticket than an earlier one; then the order is wrong or who is compared
# line: heapq.heappush(self.heap, (deadline, len(self.heap), who)) | len(self.heap)
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, len(self.heap), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            deadline, ticket, who = heapq.heappop(self.heap)
            woken.append(who)
        return woken

# %% sleepers-1 right: a sorted list with bisect
import bisect
from operator import itemgetter


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self._entries = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        bisect.insort_right(self._entries, (deadline, who), key=itemgetter(0))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        end = bisect.bisect_right(self._entries, now, key=itemgetter(0))
        woken, self._entries = self._entries[:end], self._entries[end:]
        return [who for _, who in woken]

# %% until-1 wrong: no turn for the others when it is over
# cause: when the deadline is over it returns without a pause: the others get no turn
# line: return
# told: none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline <= time.monotonic():
        return
    yield lambda loop, who: loop.wake_at(deadline, who)

# %% until-1 wrong: a busy wait
# cause: it pauses with None round after round until the time has come: it is always ready, so the loop never sleeps, and the processor runs hot
# line: while time.monotonic() < deadline: | yield
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield
    while time.monotonic() < deadline:
        yield

# %% until-1 right: partial of a helper
import functools
import time
import types


def _park_until(deadline, loop, who):
    loop.wake_at(deadline, who)


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    over = deadline <= time.monotonic()
    yield None if over else functools.partial(_park_until, deadline)

# %% every-1 wrong: the beats slip when a work was late
# cause: a work that takes longer than a beat moves the next beat to its own end (max with the clock): all the later ones are shifted too
# line: beat = max(beat + seconds, clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    beat = clock()
    for turn in range(times):
        await work()
        if turn == times - 1:
            break
        beat = max(beat + seconds, clock())
        await sleep(beat - clock())

# %% every-1 wrong: sleeps after the last
# cause: it waits for one more beat after the last work: it should end with that
# line: await sleep(start + (turn + 1) * seconds - clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()
    for turn in range(times):
        await work()
        await sleep(start + (turn + 1) * seconds - clock())

# %% every-1 right: an async generator of beats, again
from itertools import islice


async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()

    async def beats():
        if times > 0:
            yield 0
        for number in islice(range(times), 1, None):
            left = start + number * seconds - clock()
            if left > 0:
                await sleep(left)
            yield number

    async for _ in beats():
        await work()

# %% wait-1 wrong: sorts the heap
# cause: sort changes the caller's heap; the function only looks, and the first of a heap is the smallest anyway
# line: sleeping.sort()
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if not sleeping:
        return None
    sleeping.sort()
    deadline, _, _ = sleeping[0]
    return max(0, deadline - now)

# %% wait-1 wrong: overlooks those who are overdue
# cause: only deadlines in the future are looked at; a sleeper whose time is over already is overlooked, and the loop sleeps until the next one, or gets None, instead of 0
# line: if deadline > now
# told: none
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    return min(
        (deadline - now for deadline, _, _ in sleeping if deadline > now),
        default=None,
    )

# %% wait-1 right: match, once more
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    match bool(ready), bool(sleeping):
        case True, _:
            return 0
        case False, True:
            return max(sleeping[0][0] - now, 0)
        case _:
            return None

# %% sleepers-1 wrong: the size of the heap as ticket
# cause: the heap's length is no running number: after some have been taken out the same ticket is given again, so equal deadlines come in the wrong order, or the sleepers themselves are compared
# line: len(self.heap)
import heapq


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, len(self.heap), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[-1])
        return woken

# %% sleepers-1 wrong: one heap for all, once more
# cause: the heap is an attribute of the class, so two Sleepers share it, and the one wakes those of the other
# line: heap = []
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    heap = []

    def __init__(self):
        self.tickets = itertools.count()

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            _, _, who = heapq.heappop(self.heap)
            woken.append(who)
        return woken

# %% sleepers-1 right: A sorted list, by bisect
from bisect import bisect_right
from operator import itemgetter


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self._deadlines = []
        self._sleepers = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        place = bisect_right(self._deadlines, deadline)
        self._deadlines.insert(place, deadline)
        self._sleepers.insert(place, who)

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        end = bisect_right(self._deadlines, now)
        woken = self._sleepers[:end]
        del self._deadlines[:end], self._sleepers[:end]
        return woken

# %% until-1 wrong: no turn for the others if it is over
# cause: if the deadline is over already, it returns without any yield, so the others get no turn; a coroutine that does this in a loop keeps them all waiting
# line: if deadline <= time.monotonic(): | return
# told: none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline <= time.monotonic():
        return

    def park(loop, who):
        loop.wake_at(deadline, who)

    yield park

# %% until-1 wrong: asks for a turn until it is time
# cause: it stays in the ready queue and looks at the clock in every round; it is not asleep, so the loop never rests and the processor runs hot until the deadline
# line: yield | while True:
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    while True:
        yield
        if time.monotonic() >= deadline:
            break

# %% until-1 right: an awaitable with a park method
import types


class Moment:
    def __init__(self, deadline):
        self.deadline = deadline

    def park(self, loop, who):
        loop.wake_at(self.deadline, who)

    def __iter__(self):
        yield self.park


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield from Moment(deadline)

# %% every-1 wrong: counts from the beginning of the last work
# cause: each pause is counted from the beginning of the last work; as the loop wakes us a little late each time, the delays add up and the later beats drift
# line: begun = clock() | await sleep(seconds - (clock() - begun))
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    for i in range(times):
        begun = clock()
        await work()
        if i < times - 1:
            await sleep(seconds - (clock() - begun))

# %% every-1 wrong: waits after the last work too
# cause: after the last work it sleeps until one more beat, for nobody; it must end with the last work
# line: await sleep(start + i * seconds - clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()
    for i in range(1, times + 1):
        await work()
        await sleep(start + i * seconds - clock())

# %% every-1 right: an async generator of beats, once more
async def beats(seconds, times, clock, sleep):
    start = clock()
    for number in range(times):
        if number:
            await sleep(start + number * seconds - clock())
        yield number


async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    async for _ in beats(seconds, times, clock, sleep):
        await work()

# %% every-1 wrong: the start is rounded
# cause: the beats are counted from a full second, not from the start
# line: round(
import math


async def every(seconds, times, work, clock, sleep):
    start = None
    for n in range(times):
        if n:
            await sleep(start + n * seconds - clock())
        else:
            start = round(clock(), 0)
        await work()
