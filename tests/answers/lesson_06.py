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
# line: while True: | if done >= times:
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

# %% every-1 wrong: awaits the function
# cause: `work` is awaited and never called
# line: await work
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start = clock()
    for beat in range(times):
        await sleep(start + beat * seconds - clock())
        await work

# %% every-1 wrong: an ordinary function
# cause: it returns at once, so there is nothing to await
# line: def every
def every(seconds, times, work, clock, sleep):
    start = clock()
    for beat in range(times):
        sleep(start + beat * seconds - clock())
        work()

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
# line: return | if deadline <= time.monotonic():
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

# %% until-1 wrong: seconds from now
# cause: wake_at wants a moment; it is given a number of seconds from now
# line: loop.wake_at(seconds, who) | seconds = deadline - time.monotonic()
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    seconds = deadline - time.monotonic()

    def park(loop, who):
        loop.wake_at(seconds, who)

    yield park

# %% until-1 wrong: blocks
# cause: time.sleep holds up the whole loop
# line: time.sleep
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield
    time.sleep(max(0, deadline - time.monotonic()))

# %% wakes-1 wrong: b's two naps taken for one
# cause: b is placed as if it slept once for 0.1 s; its second nap ends at 0.2 s, after c and e
# line: order = ["d", "b", "c", "e", "a"]
order = ["d", "b", "c", "e", "a"]

# %% wait-1 wrong: None as soon as nobody sleeps
# cause: an empty heap gives None even if somebody is ready, where 0 is asked for
# line: if not sleeping: | return None
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if not sleeping:
        return None
    if ready:
        return 0
    deadline, _, _ = sleeping[0]
    return max(0, deadline - now)

# %% wait-1 wrong: takes the first sleeper out of the heap
# cause: heappop changes the heap, though the function must only look
# line: heapq.heappop(sleeping)
import heapq


def next_wait(ready, sleeping, now):
    if len(ready) > 0:
        return 0
    try:
        deadline = heapq.heappop(sleeping)[0]
    except IndexError:
        return None
    seconds = deadline - now
    if seconds < 0:
        seconds = 0
    return seconds

# %% wait-1 wrong: sleepers that are overdue are not counted
# cause: only deadlines in the future are looked at, so an overdue sleeper gives the next one's wait or None, not 0
# line: if deadline > now | return min(still_to_come, default=None)
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    still_to_come = [
        deadline - now
        for deadline, ticket, coroutine in sleeping
        if deadline > now
    ]
    return min(still_to_come, default=None)

# %% wait-1 right: with match
def next_wait(ready, sleeping, now):
    match bool(ready), sleeping:
        case True, _:
            return 0
        case False, [(deadline, _, _), *_]:
            return deadline - now if deadline > now else 0
        case _:
            return None

# %% wait-1 right: the least of all waits
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    waits = [0] if ready else [max(entry[0] - now, 0) for entry in sleeping]
    return min(waits, default=None)

# %% sleepers-1 wrong: the length of the heap as a ticket
# cause: len(self.heap) repeats after something was taken out, so equal deadlines meet with equal tickets or in the wrong order
# line: len(self.heap), who
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
            _, _, who = heapq.heappop(self.heap)
            woken.append(who)
        return woken

# %% sleepers-1 wrong: goes through the heap as if it were sorted
# cause: the inside of a heap is not in order, so the list that due returns is not by deadline
# line: for deadline, _, who in self._heap if deadline <= now | return woken
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self._heap = []
        self._ticket = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self._heap, (deadline, next(self._ticket), who))

    def due(self, now):
        woken = [who for deadline, _, who in self._heap if deadline <= now]
        self._heap = [entry for entry in self._heap if entry[0] > now]
        heapq.heapify(self._heap)
        return woken

# %% sleepers-1 wrong: takes out every entry of those who are woken
# cause: the entries are removed by who, so one who was added twice loses the later deadline too
# line: not in woken
import heapq
import itertools
from operator import itemgetter


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.entries: list[tuple[float, object]] = []

    def add(self, deadline: float, who: object) -> None:
        """Take in `who`, to be woken at `deadline`."""
        self.entries.append((deadline, who))

    def due(self, now: float) -> list:
        """Take out all whose deadline is `now` or earlier; return them in order."""
        in_order = sorted(self.entries, key=itemgetter(0))
        woken = [who for deadline, who in in_order if deadline <= now]
        self.entries = [entry for entry in self.entries if entry[1] not in woken]
        return woken

# %% sleepers-1 right: a list kept in order with bisect
import bisect


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.deadlines = []
        self.names = []

    def add(self, deadline, who):
        place = bisect.bisect_right(self.deadlines, deadline)
        self.deadlines.insert(place, deadline)
        self.names.insert(place, who)

    def due(self, now):
        end = bisect.bisect_right(self.deadlines, now)
        woken = self.names[:end]
        del self.deadlines[:end], self.names[:end]
        return woken

# %% sleepers-1 right: one list for each deadline, a heap of deadlines
import heapq


class Sleepers:
    def __init__(self):
        self.heap = []
        self.by_deadline = {}

    def add(self, deadline, who):
        if deadline not in self.by_deadline:
            heapq.heappush(self.heap, deadline)
            self.by_deadline[deadline] = []
        self.by_deadline[deadline].append(who)

    def due(self, now):
        woken = []
        while self.heap and self.heap[0] <= now:
            woken += self.by_deadline.pop(heapq.heappop(self.heap))
        return woken

# %% until-1 wrong: no turn for the others if the deadline has passed
# cause: nothing is yielded when the deadline has passed, so the coroutine goes on at once
# line: if deadline > time.monotonic(): | none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline > time.monotonic():
        yield lambda loop, who: loop.wake_at(deadline, who)

# %% until-1 wrong: tells the loop how many seconds are left
# cause: wake_at takes a moment of time.monotonic(), not a number of seconds, so it wakes at once
# line: loop.wake_at(seconds, who) | seconds = deadline - time.monotonic()
import time
import types


@types.coroutine
def sleep_until(deadline):
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        yield
        return

    def park(loop, who):
        return loop.wake_at(seconds, who)

    yield park

# %% until-1 wrong: yields the deadline itself
# cause: this loop understands None or a function park(loop, who), not a number
# line: yield deadline
import types
from time import monotonic


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline <= monotonic():
        yield
    else:
        yield deadline  # not before this time

# %% until-1 right: a class with __await__ inside
import time
import types


class _Until:
    def __init__(self, deadline):
        self.deadline = deadline

    def park(self, loop, who):
        return loop.wake_at(self.deadline, who)

    def __await__(self):
        yield self.park if time.monotonic() < self.deadline else None


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    yield from _Until(deadline).__await__()

# %% until-1 right: always parked, the loop looks at the clock
import types


@types.coroutine
def sleep_until(deadline):
    def park(loop, who):
        return loop.wake_at(deadline, who)

    yield park

# %% every-1 wrong: sleeps once more after the last work
# cause: it waits for another beat after the last work, though it should end with the work
# line: await sleep(beat - clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    beat = clock()
    for _ in range(times):
        await work()
        beat += seconds
        await sleep(beat - clock())

# %% every-1 wrong: counts each beat from the start of the work before
# cause: each wait is counted from when the work before really began, so every late waking shifts all later beats
# line: began = clock() | await sleep(began + seconds - clock())
async def every(seconds, times, work, clock, sleep):
    began = None
    while times > 0:
        if began is not None:
            await sleep(began + seconds - clock())
        began = clock()
        await work()
        times -= 1

# %% every-1 wrong: a long work moves the beat
# cause: after a work that took too long the beat is set anew, so the later works are not on the beat of the start
# line: max(beat + seconds, clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    beat = clock()
    for number in range(times):
        if number > 0:
            # the next beat, or now if it is over already
            beat = max(beat + seconds, clock())
            await sleep(beat - clock())
        await work()

# %% every-1 right: a generator of beats
def _beats(start, seconds, times):
    for number in range(times):
        yield start + number * seconds


async def every(seconds, times, work, clock, sleep):
    start = clock()
    for number, beat in enumerate(_beats(start, seconds, times)):
        if number:
            await sleep(beat - clock())
        await work()

# %% every-1 right: with its own counter
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    start, done = clock(), 0
    while done < times:
        if done:
            await sleep(start + done * seconds - clock())
        await work()
        done += 1


# %% wait-1 wrong: looks for sleepers first
# cause: if somebody is ready and nobody sleeps it returns None instead of 0
# line: if not sleeping:
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if not sleeping:
        return None
    if ready:
        return 0
    return max(0, sleeping[0][0] - now)


# %% wait-1 wrong: takes the first sleeper off the heap
# cause: queue is only another name for the heap, so the heap loses its first entry
# line: queue = sleeping | heapq.heappop(queue)
import heapq


def next_wait(ready, sleeping, now):
    if ready:
        return 0
    queue = sleeping  # work on a copy
    if queue:
        deadline, _, _ = heapq.heappop(queue)
        return max(deadline - now, 0)
    return None


# %% wait-1 right: the smallest of all, with a default
def next_wait(ready, sleeping, now):
    waits = (max(0, deadline - now) for deadline, *_ in sleeping)
    return 0 if ready else min(waits, default=None)


# %% sleepers-1 wrong: the length of the heap as the ticket
# cause: when some were taken out the same number is given again, so equal deadlines compare who
# line: ticket = len(self.heap) | (deadline, ticket, who)
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        ticket = len(self.heap)
        heapq.heappush(self.heap, (deadline, ticket, who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken


# %% sleepers-1 wrong: one heap for all objects of the class
# cause: the heap belongs to the class, so two Sleepers share their sleepers
# line: heap = []
import heapq
import itertools


class Sleepers:
    heap = []
    tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        def taken():
            while self.heap and self.heap[0][0] <= now:
                *_, who = heapq.heappop(self.heap)
                yield who

        return list(taken())


# %% sleepers-1 right: a sorted list, cut in two
from bisect import bisect_right, insort_right
from operator import itemgetter

deadline_of = itemgetter(0)


class Sleepers:
    def __init__(self):
        self.queue = []

    def add(self, deadline, who):
        insort_right(self.queue, (deadline, who), key=deadline_of)

    def due(self, now):
        cut = bisect_right(self.queue, now, key=deadline_of)
        taken, self.queue = self.queue[:cut], self.queue[cut:]
        return [who for _, who in taken]


# %% until-1 wrong: doesn't pause if the deadline has passed
# cause: if the deadline has passed nothing is yielded, so the others get no turn
# line: if deadline > time.monotonic(): | none
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline > time.monotonic():
        yield lambda loop, who: loop.wake_at(deadline, who)


# %% until-1 wrong: hands the loop seconds instead of a moment
# cause: wake_at wants a moment of the clock, and gets how long is left, so it wakes at once
# line: seconds = max(0, deadline - time.monotonic()) | loop.wake_at(seconds, who)
import time
import types


@types.coroutine
def sleep_until(deadline):
    seconds = max(0, deadline - time.monotonic())

    def park(loop, who):
        return loop.wake_at(seconds, who)

    yield park if seconds else None


# %% until-1 right: leaves the whole matter to the heap
import types
from operator import methodcaller


@types.coroutine
def sleep_until(deadline):
    # a deadline that has passed is found by the loop before its next round
    yield lambda loop, who: methodcaller("wake_at", deadline, who)(loop)


# %% every-1 wrong: a late work shifts all later beats
# cause: after a work that took too long the beats are counted anew from its end
# line: beat = max(beat + seconds, clock()) | max(beat + seconds, clock())
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    beat = clock()
    for n in range(times):
        if n > 0:
            beat = max(beat + seconds, clock())
            await sleep(beat - clock())
        await work()


# %% every-1 wrong: sleeps after each work, the last too
# cause: it sleeps until the next beat after each work, the last one too, and so doesn't end with the last work
# line: await sleep(start + done * seconds - clock())
async def every(seconds, times, work, clock, sleep):
    start, done = clock(), 0
    while done < times:
        await work()
        done += 1
        await sleep(start + done * seconds - clock())


# %% every-1 right: a generator of what is left until each beat
async def every(seconds, times, work, clock, sleep):
    def ahead(start=clock()):
        for number in range(times):
            yield start + number * seconds - clock()

    for left in ahead():
        if left > 0:
            await sleep(left)
        await work()

# %% wait-1 wrong: zero becomes None
# cause: when the first deadline has come (or is past) the answer is 0, but `or None` makes None of it
# line: or None
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    wait = max(0, sleeping[0][0] - now) if sleeping else 0
    return wait or None

# %% wait-1 wrong: looks only at deadlines to come
# cause: a sleeper whose deadline has passed is not counted, so the loop sleeps on instead of 0 seconds, or returns None
# line: if deadline > now
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    to_come = [deadline for deadline, _, _ in sleeping if deadline > now]
    if not to_come:
        return None
    return min(to_come) - now

# %% wait-1 right: with min and a default
def next_wait(ready, sleeping, now):
    moments = (entry[0] for entry in sleeping)
    first = now if len(ready) else min(moments, default=None)
    return None if first is None else max(first - now, 0)

# %% sleepers-1 wrong: the length of the heap as a ticket, again
# cause: after some were taken out the length comes a second time as a ticket, so equal deadlines compare `who` or come in the wrong order
# line: len(self.heap)
import heapq


class Sleepers:
    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, len(self.heap), who))

    def due(self, now):
        result = []
        while self.heap and self.heap[0][0] <= now:
            result.append(heapq.heappop(self.heap)[2])
        return result

# %% sleepers-1 wrong: None as a mark for nobody
# cause: `who` may be anything, also None; a None that is due ends the loop and is lost, with those behind it left until later
# line: is not None | return None
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self._heap = []
        self._tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self._heap, (deadline, next(self._tickets), who))

    def _next_due(self, now):
        if not self._heap or self._heap[0][0] > now:
            return None
        _, _, who = heapq.heappop(self._heap)
        return who

    def due(self, now):
        found = []
        while (who := self._next_due(now)) is not None:
            found.append(who)
        return found

# %% sleepers-1 right: a sorted list and bisect
import bisect
from operator import itemgetter


class Sleepers:
    def __init__(self):
        self._entries = []

    def add(self, deadline, who):
        bisect.insort_right(self._entries, (deadline, who), key=itemgetter(0))

    def due(self, now):
        end = bisect.bisect_right(self._entries, now, key=itemgetter(0))
        gone, self._entries = self._entries[:end], self._entries[end:]
        return [who for _, who in gone]

# %% until-1 wrong: no turn for the others when it is late
# cause: if the deadline has passed, it goes on at once, without letting the others have a turn
# line: return | if deadline <= time.monotonic():
import time
import types


@types.coroutine
def sleep_until(deadline):
    if deadline <= time.monotonic():
        return

    def park(loop, who):
        loop.wake_at(deadline, who)

    yield park

# %% until-1 wrong: takes the moment for a length
# cause: wake_at wants a moment, and deadline is one already; adding the time makes it far too late
# line: time.monotonic() + deadline
import time
import types


@types.coroutine
def sleep_until(deadline):
    if deadline <= time.monotonic():
        yield
    else:
        yield lambda loop, who: loop.wake_at(time.monotonic() + deadline, who)

# %% until-1 right: an awaitable class
import time


class sleep_until:
    def __init__(self, deadline):
        self.deadline = deadline

    def __call__(self, loop, who):
        loop.wake_at(self.deadline, who)

    def __await__(self):
        late = time.monotonic() >= self.deadline
        yield None if late else self

# %% every-1 wrong: counts from the beginning of each work
# cause: the beats are counted from when this work began, not from the start, so every late waking shifts all later beats
# line: begin = clock() | await sleep(seconds - (clock() - begin))
async def every(seconds, times, work, clock, sleep):
    for number in range(times):
        begin = clock()
        await work()
        if number < times - 1:
            await sleep(seconds - (clock() - begin))

# %% every-1 wrong: waits for the next whole beat after a long work
# cause: after a work that took longer than a beat the next one should begin at once, but here the missed beat is passed over
# line: while beat <= clock():
async def every(seconds, times, work, clock, sleep):
    beat = clock()
    for left in range(times, 0, -1):
        await work()
        if left == 1:
            break
        beat += seconds
        while beat <= clock():
            beat += seconds
        await sleep(beat - clock())

# %% every-1 right: an async generator of beats, again
async def every(seconds, times, work, clock, sleep):
    start = clock()

    async def beats():
        number = 0
        while number < times:
            if number:
                await sleep(start + number * seconds - clock())
            yield number
            number += 1

    async for _ in beats():
        await work()

# %% wait-1 wrong: overdue is taken for never
# cause: a wait of 0 is falsy, so that None is returned when the first deadline has come already
# line: or None
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    deadline = sleeping[0][0] if sleeping else now
    return max(0, deadline - now) or None

# %% wait-1 wrong: looks only at the deadlines to come
# cause: a deadline that has passed is left out, so that the loop sleeps until a later one though somebody should wake now
# line: if deadline > now
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    if not sleeping:
        return None
    waits = [deadline - now for deadline, _, _ in sleeping if deadline > now]
    return min(waits, default=0)

# %% wait-1 right: the first of all moments
from itertools import chain


def next_wait(ready, sleeping, now):
    moments = chain((now for _ in ready), (entry[0] for entry in sleeping))
    first = min(moments, default=None)
    return first if first is None else max(0, first - now)

# %% sleepers-1 wrong: the length as a ticket
# cause: the length of the heap is no unique ticket once some have been taken out; then two sleepers have the same one and are compared or swap places
# line: len(self.heap)
import heapq


class Sleepers:
    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, len(self.heap), who))

    def due(self, now):
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken

# %% sleepers-1 wrong: reads the heap as a sorted list
# cause: only the first entry of a heap is in its place, so that those who are due come out in the order of the heap's list, not of their deadlines
# line: woken = [entry for entry in self.heap if entry[0] <= now]
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()

    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        woken = [entry for entry in self.heap if entry[0] <= now]
        self.heap = [entry for entry in self.heap if entry[0] > now]
        heapq.heapify(self.heap)
        return [who for _, _, who in woken]

# %% sleepers-1 right: a sorted list with bisect, again
from bisect import bisect_right, insort_right
from operator import itemgetter


class Sleepers:
    def __init__(self):
        self._entries = []

    def add(self, deadline, who):
        insort_right(self._entries, (deadline, who), key=itemgetter(0))

    def due(self, now):
        end = bisect_right(self._entries, now, key=itemgetter(0))
        woken = [who for _, who in self._entries[:end]]
        del self._entries[:end]
        return woken

# %% until-1 wrong: gives the loop a length
# cause: wake_at wants a moment but gets the seconds that are left, which is a moment long ago, so that it wakes at once
# line: loop.wake_at(max(0, deadline - time.monotonic()), who)
import time
import types


@types.coroutine
def sleep_until(deadline):
    def park(loop, who):
        loop.wake_at(max(0, deadline - time.monotonic()), who)

    yield park

# %% until-1 wrong: two rounds for a late one
# cause: when the deadline has passed it yields once for the others and then parks as well, so that it goes on a round too late
# line: if time.monotonic() >= deadline: | yield
import time
import types


@types.coroutine
def sleep_until(deadline):
    if time.monotonic() >= deadline:
        yield
    yield lambda loop, who: loop.wake_at(deadline, who)

# %% until-1 right: a bound method parks
import types


class Moment:
    def __init__(self, deadline):
        self.deadline = deadline

    def park(self, loop, who):
        loop.wake_at(self.deadline, who)


@types.coroutine
def sleep_until(deadline):
    yield Moment(deadline).park

# %% every-1 wrong: waits for a beat of the clock
# cause: after a work that took too long it waits for the next beat of the clock, though the next work should begin at once
# line: seconds - (clock() - start) % seconds
async def every(seconds, times, work, clock, sleep):
    start = clock()
    for number in range(times):
        if number > 0:
            await sleep(seconds - (clock() - start) % seconds)
        await work()

# %% every-1 wrong: moves the beat after a long work
# cause: after a work that took too long the beat itself is moved to now, so that all later beats are shifted
# line: beat = max(beat + seconds, clock())
async def every(seconds, times, work, clock, sleep):
    beat = clock()
    for number in range(times):
        if number > 0:
            beat = max(beat + seconds, clock())
            await sleep(beat - clock())
        await work()

# %% every-1 wrong: works before it counts
# cause: the first work is done before anything is counted, so that it is done once even if times is 0
# line: await work()  # the first
async def every(seconds, times, work, clock, sleep):
    start = clock()
    await work()  # the first
    for number in range(1, times):
        await sleep(start + number * seconds - clock())
        await work()

# %% every-1 right: beats from an asynchronous generator
async def every(seconds, times, work, clock, sleep):
    start = clock()

    async def beats():
        for number in range(times):
            if number:
                await sleep(start + number * seconds - clock())
            yield number

    async for _ in beats():
        await work()

# %% until-1 wrong: nobody wakes those who are late
# cause: park does nothing for a deadline that has passed, so that coroutine is in no queue and never goes on
# line: if deadline > time.monotonic():
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""

    def park(loop, who):
        if deadline > time.monotonic():
            loop.wake_at(deadline, who)

    yield park

# %% sleepers-1 wrong: a fresh counter for each ticket
# cause: a new count starts in every add, so all tickets are 0 and with equal deadlines the sleepers themselves are compared
# line: next(itertools.count())
import heapq
import itertools


class Sleepers:
    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        ticket = next(itertools.count())
        heapq.heappush(self.heap, (deadline, ticket, who))

    def due(self, now):
        woken = []
        while self.heap and self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken

# %% sleepers-1 wrong: inserted on the left
# cause: insort_left puts a new sleeper before those with the same deadline, so of equal deadlines the last one added comes first
# line: bisect.insort_left
import bisect
from operator import itemgetter


class Sleepers:
    def __init__(self):
        self._line = []

    def add(self, deadline, who):
        bisect.insort_left(self._line, (deadline, who), key=itemgetter(0))

    def due(self, now):
        end = bisect.bisect_right(self._line, now, key=itemgetter(0))
        woken = [who for _, who in self._line[:end]]
        del self._line[:end]
        return woken

# %% sleepers-1 wrong: the length is the ticket
# cause: the length of the heap serves as ticket, and after some have been taken out the same ticket is given again
# line: len(self.heap), who
import heapq


class Sleepers:
    def __init__(self):
        self.heap = []

    def add(self, deadline, who):
        entry = (deadline, len(self.heap), who)
        heapq.heappush(self.heap, entry)

    def due(self, now):
        result = []
        while self.heap:
            if self.heap[0][0] > now:
                break
            _, _, who = heapq.heappop(self.heap)
            result.append(who)
        return result

# %% every-1 wrong: the clock starts after the first work
# cause: the start is taken when the first work is over, so the beats are shifted by its length
# line: start = clock() | await work()  # at once
async def every(seconds, times, work, clock, sleep):
    if times < 1:
        return
    await work()  # at once
    start = clock()
    for beat in range(1, times):
        await sleep(start + beat * seconds - clock())
        await work()

# %% wait-1 wrong: abs
# cause: a deadline that has passed counts as one to come
# line: abs
def next_wait(ready, sleeping, now):
    if ready:
        return 0
    if not sleeping:
        return None
    return abs(sleeping[0][0] - now)

# %% sleepers-1 wrong: counter goes down again
# cause: a counter that goes down gives the same ticket again
# line: self.count -= 1
import heapq
class Sleepers:
    def __init__(self):
        self.heap = []
        self.count = 0
    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, self.count, who))
        self.count += 1
    def due(self, now):
        found = []
        while self.heap and self.heap[0][0] <= now:
            found.append(heapq.heappop(self.heap)[2])
            self.count -= 1
        return found

# %% sleepers-1 wrong: ticket before the deadline
# cause: the heap is ordered by ticket, not by deadline
# line: next(self.tickets), deadline | heappush
import heapq, itertools
class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()
    def add(self, deadline, who):
        heapq.heappush(self.heap, (next(self.tickets), deadline, who))
    def due(self, now):
        found = []
        while self.heap and self.heap[0][1] <= now:
            found.append(heapq.heappop(self.heap)[2])
        return found

# %% sleepers-1 wrong: returns entries
# cause: returns the entries of the heap
# line: heappop | return
import heapq, itertools
class Sleepers:
    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()
    def add(self, deadline, who):
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))
    def due(self, now):
        found = []
        while self.heap and self.heap[0][0] <= now:
            found.append(heapq.heappop(self.heap))
        return found

# %% every-1 wrong: tasks for works
# cause: works run in tasks and overlap
# line: create_task
import asyncio
async def every(seconds, times, work, clock, sleep):
    start = clock()
    tasks = []
    for beat in range(times):
        await sleep(start + beat * seconds - clock())
        tasks.append(asyncio.create_task(work()))
    for task in tasks:
        await task

# %% every-1 wrong: adds the time of the work
# cause: the work is added to the pause, not taken off
# line: sleep(seconds
async def every(seconds, times, work, clock, sleep):
    for beat in range(times):
        begun = clock()
        await work()
        if beat < times - 1:
            await sleep(seconds + (clock() - begun))

# %% sleepers-1 wrong: removing while iterating
# cause: The list is changed while the for loop walks over it, so after each removal the next sleeper is skipped and not woken.
# line: for entry in self.entries: | del self.entries[
class Sleepers:
    """Keeps (deadline, who) pairs sorted by their deadline."""

    def __init__(self):
        self.entries = []

    def add(self, deadline, who):
        self.entries.append((deadline, who))
        # sort is stable, so equal deadlines stay in the order of adding
        self.entries.sort(key=lambda entry: entry[0])

    def due(self, now):
        result = []
        for entry in self.entries:
            if entry[0] > now:
                break
            result.append(entry[1])
            del self.entries[self.entries.index(entry)]
        return result

# %% every-1 wrong: new rhythm after a long work
# cause: When a work has taken too long, the beat is counted anew from that moment, so the later ones are no longer on the beat of the start.
# line: next_beat = now
async def every(seconds, times, work, clock, sleep):
    if times <= 0:
        return
    next_beat = clock()
    await work()
    for _ in range(times - 1):
        next_beat += seconds
        now = clock()
        if now > next_beat:
            next_beat = now
        await sleep(next_beat - now)
        await work()

# %% every-1 wrong: works once even if times is 0
# cause: The first work stands before the loop and is done in any case, even if `times` is 0 and there is nothing to do.
# line: await work()  # the first one
async def every(seconds, times, work, clock, sleep):
    start = clock()
    await work()  # the first one
    for beat in range(1, times):
        await sleep(start + beat * seconds - clock())
        await work()

# %% every-1 wrong: after a long work the beats start anew
# cause: When a work took too long, the beat is set to the present time, so all later beats are counted from there and no longer from the start.
# line: beat = clock()
async def every(seconds, times, work, clock, sleep):
    start = clock()
    beat = start
    for n in range(times):
        if n:
            beat += seconds
            rest = beat - clock()
            if rest > 0:
                await sleep(rest)
            else:
                beat = clock()
        await work()

# %% every-1 wrong: Leaves out missed beats
# cause: If a work took longer than `seconds` the missed beat is skipped without a work, so work is awaited fewer times than `times` says and the next one does not begin at once.
# line: if wait < 0: | continue
async def every(seconds, times, work, clock, sleep):
    start = clock()
    for beat in range(times):
        if beat > 0:
            wait = start + beat * seconds - clock()
            if wait < 0:
                continue
            await sleep(wait)
        await work()

# %% every-1 wrong: next beat counted from now
# cause: each beat is counted from the moment when the last work began, so each late waking and each long work shifts all later beats.
# line: beat = clock() + seconds
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    beat = clock()
    for number in range(times):
        if number > 0:
            await sleep(beat - clock())
        beat = clock() + seconds
        await work()

# %% until-1 wrong: Compares with the wall clock
# cause: time.time() is another clock, far ahead of time.monotonic(), so every deadline looks passed and the coroutine goes on in the next round.
# line: time.time()
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""
    if deadline <= time.time():
        yield None
    else:
        yield lambda loop, who: loop.wake_at(deadline, who)

# %% wait-1 wrong: zero turned into None
# cause: A wait of 0 is falsy, so for a first deadline that is now or has passed it returns None instead of 0.
# line: return wait or None
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if len(ready) > 0:
        return 0
    wait = max((sleeping[0][0] - now) if sleeping else 0, 0)
    return wait or None

# %% sleepers-1 wrong: empty heap not thought of
# cause: The first of the heap is looked at without asking whether there is one, so due raises an IndexError when nobody is left.
# line: while self.heap[0][0] <= now
import heapq
import itertools


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.heap = []
        self.tickets = itertools.count()

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.heap, (deadline, next(self.tickets), who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.heap[0][0] <= now:
            woken.append(heapq.heappop(self.heap)[2])
        return woken

# %% sleepers-1 wrong: Trusts the heap to be stable
# cause: The entries compare by deadline only, and a heap is not stable, so of three or more with equal deadlines the order can differ from that of adding.
# line: who: object = field(compare=False) | heapq.heappush(self.entries, Entry(deadline, who)) | deadline: float
import heapq
from dataclasses import dataclass, field


@dataclass(order=True)
class Entry:
    deadline: float
    who: object = field(compare=False)


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self.entries = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        heapq.heappush(self.entries, Entry(deadline, who))

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        woken = []
        while self.entries and self.entries[0].deadline <= now:
            woken.append(heapq.heappop(self.entries).who)
        return woken

# %% until-1 wrong: Park forgets the passed deadline
# cause: If the deadline has passed park does not register the coroutine anywhere, so the loop never wakes it again.
# line: if deadline > time.monotonic(): | loop.wake_at(deadline, who)
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""

    def park(loop, who):
        if deadline > time.monotonic():
            loop.wake_at(deadline, who)

    yield park

# %% wait-1 wrong: No sleepers is checked first
# cause: an empty heap gives None before the queue is looked at, so with somebody ready and nobody asleep it returns None instead of 0.
# line: if not sleeping: | return None
def next_wait(ready, sleeping, now):
    if not sleeping:
        return None
    if ready:
        return 0
    first = min(entry[0] for entry in sleeping)
    return max(0, first - now)

# %% until-1 wrong: Seconds left given to wake_at
# cause: wake_at wants a moment but gets the number of seconds that are left, a moment long past, so the coroutine is woken much too early.
# line: loop.wake_at(remaining, who) | remaining = max(0, deadline - time.monotonic())
import time
import types


@types.coroutine
def sleep_until(deadline):
    remaining = max(0, deadline - time.monotonic())
    yield lambda loop, who: loop.wake_at(remaining, who)

# %% wait-1 right: structural match on the heap
def next_wait(ready, sleeping, now):
    match bool(ready), sleeping:
        case True, _:
            return 0
        case _, [(deadline, *_), *_]:
            return max(0, deadline - now)
        case _:
            return None

# %% sleepers-1 right: sorted list with bisect
from bisect import bisect_right, insort_right
from operator import itemgetter

_deadline = itemgetter(0)


class Sleepers:
    """Those who sleep, by deadline."""

    def __init__(self):
        self._line = []

    def add(self, deadline, who):
        """Take in `who`, to be woken at `deadline`."""
        insort_right(self._line, (deadline, who), key=_deadline)

    def due(self, now):
        """Take out all whose deadline is `now` or earlier; return them in order."""
        cut = bisect_right(self._line, now, key=_deadline)
        woken = [who for _, who in self._line[:cut]]
        del self._line[:cut]
        return woken

# %% until-1 right: a callable object that parks
import time
import types


class _Alarm:
    def __init__(self, deadline):
        self.deadline = deadline

    def __call__(self, loop, who):
        loop.wake_at(self.deadline, who)


@types.coroutine
def sleep_until(deadline):
    yield None if deadline <= time.monotonic() else _Alarm(deadline)

# %% every-1 right: beats from a generator expression
async def every(seconds, times, work, clock, sleep):
    """Await `work()` on each beat, `seconds` apart, `times` times."""
    if times < 1:
        return
    start = clock()
    beats = (start + number * seconds for number in range(1, times))
    await work()
    for beat in beats:
        await sleep(beat - clock())
        await work()

# %% wait-1 right: match on queue and heap
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    match bool(ready), sleeping:
        case (True, _):
            return 0
        case (False, [(first, _, _), *_]):
            return max(0, first - now)
        case _:
            return None

# %% wait-1 wrong: rounds to milliseconds
# cause: the rest is rounded: 0.0004 s becomes 0 (the loop spins), 1.0006 s becomes 1.001 (it sleeps past the deadline)
# line: return max(0, round(deadline - now, 3))
def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if not sleeping:
        return None
    deadline, _, _ = sleeping[0]
    return max(0, round(deadline - now, 3))

# %% wait-1 wrong: takes the first out and puts it back
# cause: heappop and heappush may leave the heap's list in another order: deadlines [1, 2, 3, 4, 5] become [1, 2, 3, 5, 4]
# line: first = heapq.heappop(sleeping) | heapq.heappush(sleeping, first)
import heapq


def next_wait(ready, sleeping, now):
    """Return the seconds that the loop may sleep; None if nothing will ever happen."""
    if ready:
        return 0
    if not sleeping:
        return None
    first = heapq.heappop(sleeping)
    heapq.heappush(sleeping, first)
    return max(0, first[0] - now)

# %% sleepers-1 right: groups by deadline, heap of deadlines
import heapq


class Sleepers:
    def __init__(self):
        self._moments = []      # a heap: each deadline is in it once
        self._groups = {}       # deadline -> those who wait for it, in order

    def add(self, deadline, who):
        group = self._groups.get(deadline)
        if group is None:
            group = self._groups[deadline] = []
            heapq.heappush(self._moments, deadline)
        group.append(who)

    def due(self, now):
        woken = []
        while self._moments and self._moments[0] <= now:
            woken += self._groups.pop(heapq.heappop(self._moments))
        return woken

# %% until-1 right: one yield, chosen by match
import time
import types


@types.coroutine
def sleep_until(deadline):
    """Wait until `deadline`, a moment of time.monotonic()."""

    def park(loop, who):
        loop.wake_at(deadline, who)

    match deadline - time.monotonic():
        case left if left > 0:
            request = park
        case _:
            request = None
    yield request

# %% every-1 right: async generator of beats, aclosing
from contextlib import aclosing


async def _beats(seconds, times, clock, sleep):
    start = clock()
    for number in range(times):
        if number:
            left = start + number * seconds - clock()
            if left > 0:
                await sleep(left)
        yield number


async def every(seconds, times, work, clock, sleep):
    async with aclosing(_beats(seconds, times, clock, sleep)) as beats:
        async for _ in beats:
            await work()
