"""Mistakes found in a hang: in what the watcher saw of an answer that came to no end."""

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from helpers.basics.places import short
from helpers.basics.words import count, seconds
from helpers.coach.form.statement import Wrong
from helpers.coach.mistakes.handlers import Keeper, skipped_cleanup
from helpers.coach.mistakes.nodes import own_nodes
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.words import error_words
from helpers.recording.model import Lane, without_number

BUSY = 0.05  # share of a core: what waits uses none, what computes on a crowded machine uses some

DEEP = 100  # calls in one another, of one function; each wait takes longer, the deeper it is

STANDSTILL = "Nothing was ready and no timer was set, so nothing could ever happen again: "

# What a task waits for that others hold, and the calls that give it back.
PAIRS = {
    "Lock.acquire": ("release",),
    "Semaphore.acquire": ("release",),
    "Queue.get": ("put", "put_nowait"),
}
GIVE_BACK = (
    "What is taken has to be given back however it ends: in a `finally`, or by `async with`."
)

DIED = (
    "An error ends the task that it comes out of, and what the others wait for never comes. If the "
    "others are to go on, catch it around the one job that failed; if not, wait for that task too."
)
AT_END = (
    "Where the other side has gone, `{}` gives b'' at once, again and again: end the loop then, "
    "too. A loop that waits for anything else must await what really suspends, such as an event."
)
JOINED = (
    "`join` waits for `task_done` alone: an error that ends a worker stays in the worker's task. "
    "Catch it around the one job that failed, or wait for the workers as well as for `join`."
)
NOT_DONE = (
    "`join` waits until `task_done` was called for each item, also for one that failed: call it in "
    "a `finally`."
)
NEVER_NOTIFIED = (
    "Nothing in your code calls `notify` or `notify_all`. Who waits for a `Condition` looks again "
    "only when it is notified: do so after each change, under its lock."
)
NEVER_SET = "Nothing in your code sets that event: `set()` wakes all who wait for it."
NOT_ALONE = (
    "Nobody has to set that event. Wait for the work as well, as `asyncio.wait` can do, and go on "
    "with what comes first."
)
NEVER_DONE = "Nothing in your code calls `task_done`, and `join` waits for one for each item."
FOR_EVER = (
    "This loop takes item after item, and nothing ends it when no more will come. Put a mark for "
    "the end into the queue, or cancel the task then."
)
NO_FLAG = (
    "The loop asks its condition before `get`: a worker that waits there already asks no more. "
    "Wake each one at the end, by a `None` of its own or by `queue.shutdown()`."
)
NOBODY_TAKES = (
    "A queue with a `maxsize` holds that many items, and then `put` waits until one is taken out: "
    "whoever takes them out has to run by then."
)

TWICE = (
    "Whoever holds a lock waits for itself when it asks for that lock again. Take it once, around "
    "all of it, or call only what doesn't take it."
)

Unfinished = tuple[str, str | None, int | None, str]
"""A task that has not ended: its name, the learner's file and line, and what it waits for."""


class Stuck(Exception):
    """A deadlock. tasks: those that have not ended; lanes: all, as they were recorded; raised: the
    errors that services raised.

    ended: the names of those that came to their end; died: of those that failed with an error of a
    service, and that error.
    """

    def __init__(
        self,
        tasks: Sequence[Unfinished],
        lanes: Iterable[Lane],
        raised: Sequence[BaseException],
    ):
        super().__init__("deadlock")
        self.tasks = tasks
        self.raised = raised
        self.ended: list[str] = []
        self.died: list[tuple[str, BaseException]] = []
        for lane in lanes:
            name = lane.name.rpartition("<locals>.")[2]  # as a task without a name is called
            if lane.outcome == "done":
                self.ended.append(name)
            elif lane.outcome == "failed":
                said = (error for error in raised if short(error, 200) == lane.detail)
                self.died += ((without_number(name), error) for error in said)


GIVES_WAY = "sleep0"  # what a task waits for in `asyncio.sleep(0)`


@dataclass
class Hang:
    """What the watcher saw of code that did not end.

    limit: seconds that it had. places: the learner's innermost place at each sample, None where
    there was none. cpu: share of a core that the thread used. turns: the loop went on between
    samples; moved: its clock did; clock: what it said. tasks: those that have not ended.
    cancelling: it had been cancelled. other: place of another thread in the learner's code.
    in_loop: a loop ran. outside: a virtual clock went with the real one, because a thread was
    alive. stood: the Wrong for a call that had waited on the loop's thread.
    deepest: the place that stands most often in what one task awaits; depth: how often.
    """

    limit: float
    places: list[Place | None]
    cpu: float
    turns: bool = False
    moved: bool = False
    clock: float = 0.0
    tasks: list[Unfinished] = field(default_factory=list)
    cancelling: bool = False
    other: Place | None = None
    in_loop: bool = False
    outside: bool = False
    stood: Wrong | None = None
    deepest: Place | None = None
    depth: int = 0


def name_hang(hang: Hang, source: Source) -> tuple[Wrong, Place | None]:
    """Tell a deadlock, a spin, a hog, a blocked loop and the rest apart: (Wrong, place)."""
    seen = [place for place in hang.places if place]
    often = max(set(seen), key=seen.count) if seen else None
    own = [task for task in hang.tasks if task[1] and source.owns(task[1])]
    waiting = next(((filename, line) for _, filename, line, _ in own), None)
    round_and_round = ((filename, line) for _, filename, line, what in own if what == GIVES_WAY)
    met = often or next(round_and_round, waiting)
    spins = met and source.spinning(met, *seen)
    waited = f"After {seconds(hang.limit)} it was still at it."
    if hang.cancelling:
        place = source.swallowing_handler() or met
        return Wrong("swallowed", f"I cancelled it, and it went on. {waited}"), place
    if hang.depth > DEEP:
        went = f"After {seconds(hang.limit)} it stood {hang.depth:,} calls deep in itself"
        return Wrong("recursion", f"{went}, and went deeper."), hang.deepest
    if hang.other and (hang.outside or not often):
        return Wrong(
            "thread", f"After {seconds(hang.limit)} a thread of yours still ran."
        ), hang.other
    if hang.stood and (hang.turns or not often):
        return hang.stood, hang.stood.line
    if hang.turns:
        if hang.moved:
            return Wrong(
                "endless", f"Its clock stood at {seconds(hang.clock)} and it was still going round."
            ), waiting or often
        if hang.cpu > BUSY:
            said = f"The loop went round and round, and nothing ever waited. {waited}"
            return _spin(said, spins or met, source)
        return Wrong("endless", f"It waited again and again. {waited}"), waiting or often
    if often and hang.cpu > BUSY:
        if spins:
            return _spin(f"It used a whole core and never came back. {waited}", spins, source)
        return Wrong("hog", f"It computed for {seconds(hang.limit)} and was not done."), often
    if often and hang.in_loop:
        return Wrong("blocked", f"The whole thread stood still. {waited}"), often
    if hang.tasks and not often:
        return deadlock(
            hang.tasks, source, said=f"Nothing happened any more for {seconds(hang.limit)}: "
        )
    return Wrong("endless", waited), often or waiting or hang.other


def deadlock(
    tasks: Sequence[Unfinished],
    source: Source,
    ended: Iterable[str] = (),
    died: Iterable[tuple[str, BaseException]] = (),
    raised: Sequence[BaseException] = (),
    said: str = STANDSTILL,
) -> tuple[Wrong, Place | None]:
    """Name a deadlock by each unfinished task, its line and what it awaits: (Wrong, place).

    ended, died, raised: as `Stuck` has them. said: the words before the tasks.
    """
    if found := _one_sentinel(tasks, source, ended):
        return found
    kept = next(filter(None, (_not_given_back(task, source) for task in tasks)), None)
    # Who waits for an item may have nothing to do: who joins the queue waits for what is not done.
    joins = {call.lineno for call in source.calls_of("join")}
    waits, place = [], None
    for name, filename, line, what in tasks:
        mine = filename is not None and source.owns(filename)
        if mine:
            place = place or (filename, line)
            if line in joins and what != "Queue.get":
                place = filename, line
        where = f" at line {line}" if mine and line else ""
        what = "`asyncio.wait`" if what == "wait" else what
        waits.append(f"`{name}` waits{where}" + (f" for {what}" if what else ""))
    said += "; ".join(
        wait + (f" ({times:,} tasks)" if times > 1 else "")
        for wait, times in [*Counter(waits).items()][:6]
    )
    said += "."
    if kept:
        return Wrong("deadlock", said, at=kept.at, try_=kept.try_), source.place(kept.line)
    for name, error in died:
        if source.definition(name) and (let_out := source.let_out(error)):
            said += f" `{name}` had ended with {error_words(error)}."
            if place and place[1] in joins:
                return Wrong("deadlock", said, try_=JOINED), place
            return Wrong("deadlock", said, at="lets the error out", try_=DIED), let_out
    done = source.calls_of("task_done")
    if raised and place and place[1] in joins and len(done) == 1:
        nodes = [*own_nodes(source.function_at(done[0].lineno))]
        if skipped := skipped_cleanup(nodes, "task_done"):
            line, at = skipped
            return Wrong("deadlock", said, at=at, try_=NOT_DONE), source.place(line)
    return Wrong("deadlock", said, try_=_lacking(tasks, source)), place


def _lacking(tasks, source):
    """What to try where the answer has nothing that could end the wait of the first that waits for
    what only its own code could do; None if it can't be told.
    """
    own = [task for task in tasks if source.owns(task[1])]
    waits = {what for *_, what in own}
    ends_never = {
        "Condition.wait": (("notify", "notify_all"), NEVER_NOTIFIED),
        "Event.wait": (("set",), NEVER_SET if source.calls_of("Event") else NOT_ALONE),
        "Queue.join": (("task_done",), NEVER_DONE),
    }
    for what, (calls, try_) in ends_never.items():
        if what in waits and not source.use_of(*calls):
            return try_
    of_others = ("Event.", "Condition.", "Queue.", "Semaphore.", "Barrier.")
    if "Lock.acquire" in waits and not any(what.startswith(of_others) for what in waits):
        # There is one lock, and it is given back wherever its block ends: who waits here holds it.
        if _one_lock(source) and not source.use_of("acquire"):
            return TWICE
    of_queues = {what for what in waits if what.startswith("Queue.")}
    if waits == {"Queue.put"}:
        return NOBODY_TAKES
    if (
        of_queues == {"Queue.get"}
        and waits != of_queues
        and not source.use_of("cancel", "shutdown")
    ):
        takers = ((file, line) for _, file, line, what in own if what == "Queue.get")
        return FOR_EVER if all(map(source.is_endless_at, takers)) else None
    return None


def _one_lock(source):
    """Whether the answer makes a single lock: once, and for a name of its own."""
    made = source.calls_of("Lock")
    named = [node.value for node in source.nodes() if isinstance(node, ast.Assign)]
    return len(made) == 1 and made[0] in named and made[0].lineno != source.repeated_call_of("Lock")


def _spin(said, place, source):
    """A loop that spins, and its place. If it reads from a connection, that may have ended."""
    reads = place and place[0] == source.main and source.reading_at(place[1])
    return Wrong("spin", said, try_=AT_END.format(reads) if reads else None), place


def _not_given_back(task, source):
    """What keeps an answer from giving back what this task waits for after an error, or None."""
    _, filename, line, what = task
    take, back = next((pair for pair in PAIRS.items() if what.endswith(pair[0])), (None, ()))
    if take is None or filename != source.main:
        return None
    function = source.function_at(line)
    taking = source.calls_of(take.rpartition(".")[2], inside=function)
    if len(taking) != 1:
        return None
    found = skipped_cleanup([*own_nodes(function)], *back)
    return found and Keeper(*found, GIVE_BACK)


def _one_sentinel(tasks, source, ended):
    """(Wrong, place) if of workers with one name some ended and the others wait for an item."""
    starved = [task for task in tasks if task[3] == "Queue.get" and source.owns(task[1])]
    alike = {without_number(task[0]) for task in starved} & set(map(without_number, ended))
    if not alike:
        return None
    name, filename, line, _ = next(t for t in starved if without_number(t[0]) in alike)
    name = without_number(name)
    gone = sum(without_number(other) == name for other in ended)
    left = sum(without_number(task[0]) == name for task in starved)
    nothing = source.call_of("put", "put_nowait", given=None)
    if nothing and nothing == source.repeated_call_of("put", "put_nowait"):
        return None  # it was put more than once
    put = source.place(nothing)
    observed = (
        f"{count(gone, 'task')} of `{name}` ended, {left} more still waited for an item in "
        "`Queue.get`, and nobody was left to put one."
    )
    if len(source.calls_of("put", "put_nowait")) == 1 and source.asks_before((filename, line)):
        return Wrong(
            "one sentinel",
            observed,
            at="waits for an item that nobody will put",
            try_=NO_FLAG,
            headline="left workers waiting",
        ), (filename, line)
    return Wrong(
        "one sentinel",
        observed,
        at="puts the one sentinel" if put else "",
    ), put or (filename, line)
