"""Who ran when, who waited for what, who woke whom: one format for every kind of concurrency.

    with record() as rec:
        run(main())             # or, in a cell:  await main()

`rec` is then a `Recording`: lanes (the loop, tasks, generators, jobs in threads and processes),
the spans of each lane, the wakes and the marks.

How it looks at asyncio, without touching asyncio's insides and on any event loop:

- A task factory puts a thin shell around each coroutine. A generator (`_drive`) sits in that shell
  and sees every `send` and `throw`; it writes three numbers a step: lane, start, end.
- `Task` and `Future` are subclasses that note who cancels and who sets a result. The loop hands
  out such futures while it is recorded, and the caller of `loop.create_future` names what a task
  waits for (`sleep`, `Lock.acquire`, `Queue.get`, ...).
- A loop that somebody wrote (`rec.loop`) has its `spawn` and its queue `ready` replaced: the same
  shell, and who appends whom.
- A watcher thread, alive only while a loop is recorded, names the line of a step that holds the
  loop for more than 50 ms.

Everything is put back when the `with` ends. Tasks that live on go on without any cost.
"""

import asyncio
import collections
import collections.abc
import contextvars
import functools
import inspect
import math
import operator
import os
import struct
import sys
import threading
import time
import types
import weakref
from array import array

from helpers.basics.places import is_library, learner_frame, learner_line, place, resolved, short
from helpers.recording import jobs
from helpers.recording.jobs import job
from helpers.recording.model import (
    LOOK,
    STATES,
    TALK,
    Code,
    Lane,
    Mark,
    Recording,
    Span,
    Talk,
    Track,
    Wake,
)
from helpers.recording.model import (
    PLACES as _PLACES,
)

__all__ = ["record", "Recording", "Lane", "Span", "Wake", "Mark", "job", "attach", "observe"]

_PACK = struct.Struct("3d").pack  # a step, as it lies in an array of doubles
_IDLE = 0.001  # seconds: when no step ran for so long, nothing held up the loop

_now = time.perf_counter
_within = contextvars.ContextVar(
    "helpers.recording.recorder", default=(None, None)
)  # (recording key, lane)
# .cell: the cell whose step runs in this thread; .talking: lanes of generators that run in it
_here = threading.local()


# Recording: the `with`


class record:
    """`with record() as rec:` records what starts inside: tasks, `rec.generator`s and `job`s.

    Where a loop runs already (a notebook's cell, or inside a coroutine) its new tasks are
    recorded; `run(main())` inside the `with` is recorded as well. One recording at a time:
    a second one raises RuntimeError, because a task can belong to one picture only.
    """

    def __enter__(self):
        if jobs.under_way is not None:
            raise RuntimeError(
                "a recording is under way already: end its `with` before you start another"
            )
        self._live = _Live()
        self._token = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is not None:
            log = self._live.attach(loop, everything=False)
            self._token = _within.set((self._live.key, None))
            if (cell := getattr(_here, "cell", None)) is not None:
                log.cell = cell
                cell.enter(log)
        jobs.under_way = self._live
        return self._live.recording

    def __exit__(self, kind, error, traceback):
        if self._token is not None:
            try:
                _within.reset(self._token)
            except ValueError:
                pass  # left in another context than it was entered in; nothing to reset there
        jobs.under_way = None
        self._live.stop(error)


class _Live:
    """What is needed while a recording is under way, and not after it."""

    def __init__(self):
        self.recording = Recording()
        self.recording.live = self
        self.key = object()
        self.lock = threading.Lock()
        self.zero = _now()
        self.logs = []
        self.named = set()  # lanes whose name was given by hand
        self.alive = 0
        self.caller = None
        self.spool = jobs.Spool()
        self.watcher = None

    def new_lane(self, name, kind, parent, created):
        with self.lock:
            lanes = self.recording.lanes
            lane = Lane(len(lanes), name, kind, parent, created)
            lanes.append(lane)
            if kind == "task":
                self.alive += 1
                self.recording.most = max(self.recording.most, self.alive)
        return lane

    def attach(self, loop, everything, own=False):
        """own: the loop is somebody's own, not one of asyncio's kind."""
        for log in self.logs:
            if log.loop is loop:
                return log
        log = (_OwnLog if own else _Log)(self, loop, everything)
        self.logs.append(log)
        if self.watcher is None:
            self.watcher = _Watcher(self.logs)
        return log

    def current(self):
        """The lane that runs in this thread, or None."""
        if talking := getattr(_here, "talking", None):
            return talking[-1]
        me = threading.get_ident()
        for log in self.logs:
            if log.thread == me and log.running is not None:
                return log.running
        key, lane = _within.get()
        return lane if key is self.key else None

    def time(self):
        """Seconds since the start, by the clock of the recorded loop."""
        log = next((log for log in self.logs if log.virtual), None)
        return _now() - self.zero if log is None else log.now() - log.zero

    def stand_in(self, gen, name):
        return _Generator(gen, self, name)

    def the_caller(self):
        """The lane of whoever calls generators outside of all other lanes."""
        if self.caller is None:
            self.caller = self.new_lane("caller", "caller", None, 0.0).id
        return self.caller

    def stop(self, error):
        recording = self.recording
        recording.duration = _now() - self.zero
        if self.watcher is not None:
            self.watcher.stop()
        recording.live = None
        self.read_spool()
        self.name_lanes()
        for log in self.logs:
            log.stop(error)
        self.logs.clear()

    def name_lanes(self):
        """Number the lanes that share a name which nobody gave: fetch-1, fetch-2."""
        unnamed = [lane for lane in self.recording.lanes if lane.id not in self.named]
        for lane in unnamed:
            lane.name = lane.name.rpartition("<locals>.")[2]
        counts = collections.Counter(lane.name for lane in unnamed)
        seen = collections.Counter()
        for lane in unnamed:
            if counts[lane.name] > 1:
                seen[lane.name] += 1
                lane.name = f"{lane.name}-{seen[lane.name]}"

    def read_spool(self):
        """Make a lane of each call that other processes wrote down."""
        for entry in self.spool.read():
            lane = self.new_lane(entry["name"], "process", None, entry["start"] - self.zero)
            lane.pid = entry["pid"]
            lane.detail = f"process {lane.pid}"
            if entry["named"]:
                self.named.add(lane.id)
            if "end" in entry:
                lane.ended = entry["end"] - self.zero
                lane.outcome = entry["outcome"]
                lane.detail = entry["error"] or lane.detail
            elif lane.pid in self.recording.killed:
                lane.ended = self.recording.killed[lane.pid]
                lane.outcome, lane.detail = "failed", "killed"
            self.recording.shares[lane.id] = entry.get("cpu")


def attach(loop):
    """Record the tasks of `loop` from now to the end of the recording under way, if there is one.

    Call it before the loop's first task is made. A loop with an attribute `real_seconds` keeps
    virtual time: its recording then goes by `loop.time()`.
    """
    if jobs.under_way is not None:
        jobs.under_way.attach(loop, everything=True)


# Tasks


class Future(asyncio.Future):
    """A future that notes when and by whom it was settled. Named so that its repr stays right."""

    __slots__ = ("_log", "_made", "_when", "_by", "_why")

    def set_result(self, result):
        _set_result(self, result)
        self._log.settled(self)

    def set_exception(self, exception):
        _set_exception(self, exception)
        self._log.settled(self)

    def cancel(self, msg=None):
        if self.done():
            return False
        self._log.settled(self)
        return super().cancel(msg)


_set_result = asyncio.Future.set_result
_set_exception = asyncio.Future.set_exception


class Task(asyncio.Task):
    """A task that notes who asks it to cancel. Named so that its repr stays right."""

    __slots__ = ("_log", "_lane")

    def cancel(self, msg=None):
        if not self.done() and self._log.open:
            self._log.cancel_asked(self._lane)
        return super().cancel(msg)

    def set_name(self, value):
        if value is not None:  # Python 3.13.0 passes None on to what a task factory made
            super().set_name(value)
            self._log.rename(self._lane, str(value))


def _frame(coro):
    """The frame of a task's own function: its `f_lasti` tells where the task stands."""
    return getattr(coro, "cr_frame", None) or getattr(coro, "gi_frame", None) or _NOWHERE


_NOWHERE = types.SimpleNamespace(f_lasti=0)  # a coroutine that is not Python's has no frame


class _Shell:
    """Stands for a coroutine in its task. Everything but the three verbs is the coroutine's own.

    `send`, `throw` and `close` are attributes, not methods: a task calls straight into the
    generator that records, without a Python frame between; and when the recording ends they are
    set to the coroutine's own, so that a task that lives on pays nothing.
    """

    __slots__ = (
        "send",
        "throw",
        "close",
        "__name__",
        "__qualname__",
        "_coro",
        "_held",
        "__weakref__",
    )

    def __await__(self):
        return self._coro.__await__()


# Properties, for a `__getattr__` would slow down the task's way to `send` too.
for _name in (
    f"{kind}_{what}"
    for kind in ("cr", "gi")
    for what in ("await", "code", "frame", "origin", "running", "suspended", "yieldfrom")
):
    setattr(_Shell, _name, property(operator.attrgetter(f"_coro.{_name}")))
collections.abc.Coroutine.register(_Shell)


def _drive(log, lane, coro, held):
    """Run `coro` for its task and write down each step. The heart: keep it short and quick.

    What is thrown into the task does not come here but to `_throw`. `held` is the list that the
    two share: what the task waits for. (The log must not hold that: it would hold the task too.)
    """
    send, now, add, pack = coro.send, log.now, log.steps.frombytes, _PACK  # quicker than 3 appends
    number = lane * _PLACES
    frame = _frame(coro)
    _within.set((log.live.key, lane))
    try:
        while True:
            log.running = lane
            start = now()
            waited = send(None)
            add(pack(number + frame.f_lasti, start, now()))
            log.running = None
            if waited is None:
                yield
            else:
                log.waits_for(waited, coro, held)
                yield waited
                log.woken(held)
    except StopIteration as stop:
        log.ended(lane, frame, held, start, "done")
        return stop.value
    except GeneratorExit as error:
        if log.running != lane:  # we are dropped, and the coroutine with us
            log.dropped(lane)
            return
        log.ended(lane, frame, held, start, "failed", error)
        raise
    except BaseException as error:
        log.ended(lane, frame, held, start, "failed", error)
        # Take our own frame out of the traceback: a bare raise does not put it back.
        error.__traceback__ = error.__traceback__.tb_next
        raise


def _throw(log, lane, coro, held, error, *more):
    """Throw `error` into `coro`, which is suspended, and write down the step that follows."""
    if held:
        log.cut_short(coro, held)
    log.woken(held)
    if lane in log.cancelled and _cancels(error):
        log.cancelled.discard(lane)
        log.mark(lane, "cancel delivered")
    log.running = lane
    frame = _frame(coro)
    start = log.now()
    try:
        waited = coro.throw(error, *more)
    except StopIteration:
        log.ended(lane, frame, held, start, "done")
        raise
    except BaseException as failure:
        log.ended(lane, frame, held, start, "failed", failure)
        failure.__traceback__ = failure.__traceback__.tb_next
        raise
    log.steps.extend((lane * _PLACES + frame.f_lasti, start, log.now()))
    log.running = None
    if waited is not None:
        log.waits_for(waited, coro, held)
    return waited


_HOOKED = ("create_future", "set_task_factory")  # methods of a loop while it is recorded


class _Log:
    """What one loop does while it is recorded, and the hooks on it."""

    __slots__ = (
        "live",
        "loop",
        "everything",
        "virtual",
        "now",
        "ahead",
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
        "theirs",
        "before",
    )

    def __init__(self, live, loop, everything):
        self.live = live
        self.loop = loop
        self.everything = everything
        self.virtual = hasattr(loop, "real_seconds")
        self.now = loop.time if self.virtual else _now
        self.ahead = 0.0  # of the loop's clock
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

    def hook(self):
        loop = self.loop
        self.ahead = loop.time() - self.now()
        self.theirs = loop.get_task_factory()
        loop.set_task_factory(self.make_task)
        # As attributes of this one loop, as few as will do, and without a look at its __dict__:
        # Python takes a slower way to each attribute of an object that has many of its own.
        self.before = {}
        for name in _HOOKED:
            method = getattr(loop, name)
            if getattr(method, "__self__", None) is not loop:  # somebody was here before us
                self.before[name] = method
            setattr(loop, name, getattr(self, name))

    def unhook(self):
        for name in _HOOKED:
            if name in self.before:
                setattr(self.loop, name, self.before[name])
            else:
                delattr(self.loop, name)
        self.loop.set_task_factory(self.theirs)

    def ended_loop(self):
        return self.loop.is_closed()

    def selects(self):
        """Does this loop wait in a selector, so far as one can tell?"""
        return True

    def begin(self):
        """Make the lane of the loop, and of the cell if one is observed."""
        if self.lane is None:
            created = self.now() - self.zero if self.everything else 0.0
            self.lane = self.live.new_lane("loop", "loop", None, created).id
            if self.cell is not None:
                self.cell.lane = self.live.new_lane("cell", "cell", None, 0.0).id
                self.running = self.cell.lane

    # hooks of the loop

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self.theirs = factory

    def create_future(self):
        future = Future(loop=self.loop)
        future._log = self
        future._made = sys._getframe(1).f_code
        future._when = None
        return future

    def make_task(self, loop, coro, **kwargs):
        make = self.theirs
        if make is not None and make is getattr(asyncio, "eager_task_factory", None):
            make, kwargs = None, {"eager_start": True} | kwargs
        if self.running is not None:
            parent, ours = self.running, True
        else:
            parent = self.live.current()
            ours = self.everything or _within.get()[0] is self.live.key
            ours = ours and getattr(coro, "__name__", None) not in _CLOSING
        if not ours or not asyncio.iscoroutine(coro):
            if make is None:
                return asyncio.Task(coro, loop=loop, **kwargs)
            return make(loop, coro, **kwargs)
        if self.lane is None:
            self.begin()
            parent = self.running
        self.thread = threading.get_ident()
        name = getattr(coro, "__qualname__", type(coro).__name__)
        shell, lane = self.shell(coro, name, parent)
        before = self.running
        if make is not None:
            task = make(loop, shell, **kwargs)
        else:
            task = Task.__new__(Task)
            task._log, task._lane = self, lane
            task.__init__(shell, loop=loop, **kwargs)
        self.running = before  # an eager task has run its first step by now
        if kwargs.get("name") is not None:
            self.rename(lane, str(kwargs["name"]))
        return task

    def shell(self, coro, name, parent):
        """Make a lane and what stands for `coro` in it."""
        lane = self.live.new_lane(name, "task", parent, self.now() - self.zero).id
        shell = _Shell()
        shell._coro = coro
        for named in "__name__", "__qualname__":
            if hasattr(coro, named):
                setattr(shell, named, getattr(coro, named))
        shell._held = held = []
        shell.send = _drive(self, lane, coro, held).send
        shell.throw = functools.partial(_throw, self, lane, coro, held)
        shell.close = coro.close
        self.shells[lane] = weakref.ref(shell)
        self.stands_in(lane, coro)
        return shell, lane

    def stands_in(self, lane, coro):
        """Note the function that a lane's steps are in."""
        code = getattr(coro, "cr_code", None) or getattr(coro, "gi_code", None)
        if isinstance(code, types.CodeType):
            self.functions.extend((lane, self.codes.setdefault(code, len(self.codes))))

    def rename(self, lane, name):
        if self.open:
            self.live.recording.lanes[lane].name = name
            self.live.named.add(lane)

    # what the hooks tell

    def word(self, key):
        return self.words.setdefault(key, len(self.words))

    def cut_short(self, coro, held):
        """A task goes on before its time, or never: note when a sleep would have been over."""
        while (inner := getattr(coro, "cr_await", None)) is not None and type(inner) is _Coroutine:
            coro = inner
        if getattr(coro, "cr_code", None) is asyncio.sleep.__code__ and coro.cr_frame is not None:
            step = int(self.waits[held[0]])
            begun = self.steps[3 * step + 2]
            self.deadlines[step] = begun + coro.cr_frame.f_locals["delay"]

    def waits_for(self, waited, coro, held):
        """Write down what the step that has just ended waits for, and where."""
        if held:
            self.woken(held)
        kind, words = type(waited), self.words
        if kind is Future:
            what = words.setdefault(waited._made, len(words))
        elif kind is Task and waited._log is self:
            what = -1 - waited._lane
        else:
            what = self.word(_foreign(waited))
        stack = []
        while True:
            kind = type(coro)
            if kind is _Coroutine:
                frame, coro = coro.cr_frame, coro.cr_await
            elif kind is types.GeneratorType:
                frame, coro = coro.gi_frame, coro.gi_yieldfrom
            else:
                break
            if frame is not None:
                stack += frame.f_code, frame.f_lasti
        stacks, waits = self.stacks, self.waits
        held += len(waits), waited
        waits.extend(_UNKNOWN)
        row = held[0]
        waits[row] = len(self.steps) // 3 - 1
        waits[row + 1] = what
        waits[row + 2] = stacks.setdefault(tuple(stack), len(stacks))

    def settled(self, future):
        """A future got its result: note when and who did it."""
        if self.open:
            future._when = self.now()
            caller = sys._getframe(2)
            future._why = caller.f_code
            future._by = self.running
            if self.running is None:
                if caller.f_code is _TIMER:
                    self.due(future, caller.f_back)
                else:
                    future._by = self.ended_behind(caller)

    def due(self, future, frame):
        """A timer set a result. If a step held up the loop meanwhile, note when it was due."""
        if not self.steps or future._when - self.steps[-1] > _IDLE:
            return  # the loop had nothing to do before: the timer is on time
        if frame.f_code is _HANDLE:
            due = getattr(frame.f_locals["self"], "_when", math.inf) - self.ahead
            if due < self.steps[-1]:
                future._when = due

    def ended_behind(self, frame):
        """The lane of the task whose end is the reason for a callback that runs now, or None."""
        for _ in range(6):
            if frame is None:
                return None
            if frame.f_code is _HANDLE:
                arguments = frame.f_locals["self"]._args or ()
            elif frame.f_code.co_filename.startswith(_ASYNCIO):
                arguments = tuple(frame.f_locals.values())
            else:
                arguments = ()
            for value in arguments:
                if type(value) is Task and value._log is self and value.done():
                    return value._lane
            if frame.f_code is _HANDLE:
                return None
            frame = frame.f_back
        return None

    def woken(self, held):
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

    def end_of(self, task):
        ended = self.live.recording.lanes[task._lane].ended
        return math.nan if ended is None else ended + self.zero

    def cancel_asked(self, lane):
        caller = sys._getframe(2)
        while caller.f_code.co_name == "cancel" and caller.f_back:  # passed on by what awaits it
            caller = caller.f_back
        by = self.running if self.running is not None else self.ended_behind(caller)
        self.cancelled.add(lane)
        self.mark(lane, "cancel asked", by, caller.f_code)

    def mark(self, lane, kind, by=None, code=None):
        time, step = self.now() - self.zero, len(self.steps) // 3
        order = step + (0.4 if self.running is not None else -0.2)
        self.live.recording.cancels.append((time, lane, kind, by, code, order))

    def ended(self, lane, frame, held, start, outcome, error=None):
        self.running = None
        self.woken(held)
        if not self.open:
            return
        end = self.now()
        self.steps.extend((lane * _PLACES + frame.f_lasti, start, end))
        self.shells.pop(lane, None)
        self.live.alive -= 1
        lane = self.live.recording.lanes[lane]
        lane.ended = end - self.zero
        lane.outcome = "cancelled" if _cancels(error) else outcome
        if lane.outcome == "failed":
            lane.detail = short(error, 200)

    def dropped(self, lane):
        """The driver of a task is gone: after its end, or with a task that nobody held."""
        if self.open and self.live.recording.lanes[lane].outcome is None:
            self.live.alive -= 1
            self.live.recording.lanes[lane].detail = "lost: nobody held it"

    # the end

    def stop(self, error):
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
        words = [_words(key) for key in self.words] or [""]
        for i, mark in enumerate(recording.cancels):
            if not isinstance(mark[0], Mark):
                recording.cancels[i] = _cancel_mark(mark, recording.lanes)
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

    def seen(self):
        """What the watcher saw, by step: how often, and the place it saw most."""
        seen = {}
        for step, places in self.samples.items():
            (code, line), _ = places.most_common(1)[0]
            where = place(code.co_filename, line, code.co_name)
            seen[step] = (places.total(), where, line)
        return seen


class _OwnLog(_Log):
    """What a loop that somebody wrote does: it has `spawn(coro)`, and a queue `ready`.

    The coroutines that are spawned go in a shell, as on asyncio. Who makes a task ready is seen at
    the queue: what is appended there is the shell, or a bound method of the task that holds it.
    """

    __slots__ = ("waiting",)

    def hook(self):
        loop = self.loop
        self.waiting = weakref.WeakKeyDictionary()  # shell → its lane, while it has not ended
        self.theirs = loop.spawn
        loop.spawn = self.spawn
        if (queue := getattr(loop, "ready", None)) is not None:
            loop.ready = _watched(queue, self)
        if hasattr(loop, "task_class"):
            loop.task_class = self.task_class(loop.task_class)

    def unhook(self):
        loop = self.loop
        del loop.spawn
        if hasattr(loop, "task_class"):
            del loop.task_class
        if (queue := getattr(loop, "ready", None)) is not None:
            loop.ready = type(queue).__mro__[1](queue)

    def ended_loop(self):
        return not self.shells

    def selects(self):
        return hasattr(self.loop, "selector")

    def spawn(self, coro, *more, **named):
        if not hasattr(coro, "send") or not hasattr(coro, "throw"):
            return self.theirs(coro, *more, **named)  # which knows what to say to that
        self.thread = threading.get_ident()
        name = named.get("name") or (more[0] if more and isinstance(more[0], str) else None)
        shell, lane = self.shell(coro, name or getattr(coro, "__qualname__", "task"), self.running)
        if name:
            self.rename(lane, name)
        self.waiting[shell] = lane
        return self.theirs(shell, *more, **named)

    def task_class(self, kind):
        log = self

        def cancel(task, *more, **named):
            if isinstance(task.coro, _Shell) and not task.done() and log.open:
                log.cancel_asked(log.waiting[task.coro])
            return kind.cancel(task, *more, **named)

        return type(kind.__name__, (kind,), {"__slots__": (), "cancel": cancel})

    def waits_for(self, waited, coro, held):
        """What a coroutine yields to such a loop is its own business: name it as well as we can."""
        super().waits_for(_Request(waited), coro, held)

    def made_ready(self, item):
        """Something was put into the queue: note which task is ready, and who saw to it."""
        shell = (
            item
            if isinstance(item, _Shell)
            else getattr(getattr(item, "__self__", None), "coro", None)
        )
        if not isinstance(shell, _Shell) or not self.open or not shell._held:
            return
        row, waited = shell._held
        shell._held.clear()
        by, why = self.running, "its turn"
        frame = sys._getframe(2)
        while frame is not None:
            if (name := frame.f_code.co_name) != "wake":
                if by is None and (lane := self.lane_of(frame)) is not None:
                    by, why = lane, "its end"
                    break
                why = _OWN_CAUSES.get(name, name)
                if by is not None or name in _OWN_CAUSES:
                    break
            frame = frame.f_back
        self.waits[row + 3] = self.was_due(row, waited) if why == "timer" else self.now()
        if by is not None:
            self.waits[row + 4] = by
        self.waits[row + 5] = self.word(why)

    def was_due(self, row, waited):
        """When a sleeper's time had come: before now, if a step held up the loop meanwhile."""
        now = self.now()
        due = now if waited.deadline is None else now - (time.monotonic() - waited.deadline)
        if due >= self.steps[-1]:
            return now  # the loop had nothing to do before: the timer is on time
        asleep_since = self.steps[3 * int(self.waits[row]) + 2]
        return max(due, asleep_since)

    def lane_of(self, frame):
        """The lane of the task whose method this frame is, or None."""
        shell = getattr(frame.f_locals.get("self"), "coro", None)
        return self.waiting.get(shell) if isinstance(shell, _Shell) else None


# What the stages of helpers.eventloop do when nobody runs, by the name of the method.
_OWN_CAUSES = {"wait": "timer", "pause": "socket"}
_OWN_WAITS = {"until": "socket"}  # what its coroutines wait for, by the function that yields


class _Request:
    """What a coroutine yielded to a loop of somebody's own, in words."""

    def __init__(self, waited):
        owner = getattr(waited, "__self__", None)
        name = getattr(waited, "__qualname__", None)
        if isinstance(getattr(owner, "coro", None), _Shell):
            self.words = f"task {owner.name}"
        elif owner is not None and name:
            self.words = type(owner).__name__
        elif name:
            self.words = _OWN_WAITS.get(name.partition(".")[0], name.partition(".<locals>")[0])
        else:
            self.words = short(waited, 40)
        # A sleep's function holds its deadline, of time.monotonic; else the heap alone knows it.
        names = getattr(getattr(waited, "__code__", None), "co_freevars", ())
        deadline = None
        if "deadline" in names:
            deadline = waited.__closure__[names.index("deadline")].cell_contents
        self.deadline = deadline if isinstance(deadline, float) else None

    def done(self):
        return False


def _watched(queue, log):
    """A queue of the same kind and contents that tells the log what is appended."""
    kind = type(queue)

    def append(self, item):
        log.made_ready(item)
        kind.append(self, item)

    return type(kind.__name__, (kind,), {"append": append})(queue)


def _cancels(error):
    """Whether this error is how a loop ends a task: asyncio's own, or one of its name."""
    return isinstance(error, asyncio.CancelledError) or type(error).__name__ == "CancelledError"


def _cancel_mark(mark, lanes):
    time, lane, kind, by, code, order = mark
    detail = None
    if by is not None:
        detail = f"by {lanes[by].name}"
    elif code is not None:
        detail = f"by {_CANCELLERS.get(code.co_qualname, 'somebody outside')}"
    return Mark(time, lane, kind, detail), order


_CLOSING = ("shutdown_asyncgens", "shutdown_default_executor")  # the runner's own, at its end
_CANCELLERS = {
    "Timeout._on_timeout": "a timeout",
    "_cancel_all_tasks": "the end of run",
    "Loop.run": "the end of run",
    "Runner._on_sigint": "the keyboard",
}


# The cell of a notebook


@types.coroutine
def observe(coro):
    """Await `coro` (a notebook cell's own coroutine) so that record() inside it gets its lane.

    `await observe(coro)` gives the result of `coro`. It costs nothing worth mentioning while
    nothing is recorded.
    """
    cell = _Cell()
    error = None
    while True:
        outer, _here.cell = getattr(_here, "cell", None), cell
        cell.resumed()
        try:
            if error is None:
                cell.waited = coro.send(None)
            else:
                thrown, error = error, None
                thrown.__traceback__ = thrown.__traceback__.tb_next
                try:
                    cell.waited = coro.throw(thrown)
                finally:
                    del thrown
        except StopIteration as stop:
            return stop.value
        except BaseException as failure:
            failure.__traceback__ = failure.__traceback__.tb_next
            raise
        finally:
            _here.cell = outer
        cell.suspended(coro)
        try:
            yield cell.waited
        except BaseException as thrown:
            error = thrown


class _Cell:
    """The cell whose coroutine `observe` drives; record() finds it and gives it a log."""

    def __init__(self):
        self.log = None
        self.lane = None
        self.start = 0.0
        self.waited = None
        self.held = []

    def enter(self, log):
        self.log = log
        self.start = log.zero

    def resumed(self):
        if self.log is not None:
            self.log.woken(self.held)
            self.log.running = self.lane
            self.start = self.log.now()

    def suspended(self, coro):
        log = self.log
        if log is not None:
            log.begin()
            log.steps.extend((self.lane * _PLACES + _frame(coro).f_lasti, self.start, log.now()))
            log.running = None
            if self.waited is not None:
                log.waits_for(self.waited, coro, self.held)

    def leave(self, error):
        """The recording ends in the middle of a step of this cell."""
        log, self.log = self.log, None
        if self.lane is not None:
            end = log.now()
            log.steps.extend((self.lane * _PLACES, self.start, end))
            lane = log.live.recording.lanes[self.lane]
            lane.ended = end - log.zero
            lane.outcome = "done"
            if isinstance(error, asyncio.CancelledError):
                lane.outcome = "cancelled"
            elif error is not None:
                lane.outcome, lane.detail = "failed", short(error, 200)
        log.running = None


# The watcher


class _Watcher:
    """Looks at the recorded loops now and then, and writes down at which line a step is."""

    def __init__(self, logs):
        self.logs = logs
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, name="recorder-watcher", daemon=True)
        self.thread.start()

    def stop(self):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(LOOK):
            for log in self.logs:
                lane, before = log.running, len(log.steps) // 3
                if lane is not None:
                    frame = learner_frame(sys._current_frames().get(log.thread))
                    if frame is not None:
                        log.samples[lane, before][frame.f_code, frame.f_lineno] += 1


# Generators


class _Generator:
    """A stand-in for a generator or a coroutine: it does as they do, each turn is written down."""

    def __init__(self, gen, live, name):
        self._gen = gen
        self._live = live
        self._talk = None
        text = name or getattr(gen, "__name__", type(gen).__name__)
        self._lane = live.new_lane(text, "generator", self._caller(), live.time())
        self._talk = Talk(self._lane.id)
        live.recording.talks.append(self._talk)
        if name:
            live.named.add(self._lane.id)

    def _caller(self):
        lane = self._live.current()
        return self._live.the_caller() if lane is None else lane

    def __getattr__(self, name):
        return getattr(self._gen, name)

    def __repr__(self):
        return repr(self._gen)

    def __iter__(self):
        return self

    def __await__(self):
        if not inspect.isawaitable(self._gen):
            kind = type(self._gen).__name__
            raise TypeError(f"object {kind} can't be used in 'await' expression")
        return self

    def __next__(self):
        try:
            if inspect.iscoroutine(self._gen):  # it has no __next__
                return self._turn("send", "None", self._gen.send, None)
            return self._turn("next", None, self._gen.__next__)
        except BaseException as error:
            _hide_two(error)
            raise

    def send(self, value):
        try:
            return self._turn("send", short(value), self._gen.send, value)
        except BaseException as error:
            _hide_two(error)
            raise

    def throw(self, *error):
        try:
            return self._turn("throw", short(error[0]), self._gen.throw, *error)
        except BaseException as error:
            _hide_two(error)
            raise

    def close(self):
        try:
            return self._turn("close", None, self._gen.close)
        except BaseException as error:
            _hide_two(error)
            raise

    def _turn(self, asked, detail, act, *arguments):
        live, talk = self._live, self._talk
        if live.recording.live is None:  # the recording has ended
            return act(*arguments)
        if not talk.kinds:
            self._lane.parent = self._caller()
        if not hasattr(_here, "talking"):
            _here.talking = []
        _here.talking.append(talk.lane)
        talk.times.append(live.time())
        answer, value = "return", None
        try:
            value = act(*arguments)
            if asked != "close":
                answer = "yield"
            return value
        except StopIteration as stop:
            value = stop.value
            raise
        except BaseException as error:
            answer, value = "raise", error
            raise
        finally:
            _here.talking.pop()
            talk.times.append(live.time())
            talk.kinds += bytes((TALK.index(asked), TALK.index(answer)))
            talk.details += detail, short(value)
            self._look(answer, value)

    def _look(self, answer, value):
        """Keep the state that the generator's frame is in now."""
        state, lane = _state(self._gen, answer), self._lane
        self._talk.states.append(STATES.index(state))
        if state == "closed" and lane.ended is None:
            lane.ended = self._talk.times[-1]
            lane.outcome = "done"
            if answer == "raise":
                lane.outcome, lane.detail = "failed", short(value, 200)


def _state(gen, answer):
    if not hasattr(gen, "gi_frame"):  # another kind of iterator has no frame to look at
        return "suspended" if answer == "yield" else "closed"
    return inspect.getgeneratorstate(gen).removeprefix("GEN_").lower()


def _hide_two(error):
    """Take the frames of a stand-in out of a traceback: the learner's code is what matters."""
    error.__traceback__ = error.__traceback__.tb_next.tb_next


collections.abc.Generator.register(_Generator)


# Words and places

_Coroutine = types.CoroutineType
_UNKNOWN = array("d", [0, 0, 0, math.nan, -1, 0])  # a row of waits before its wake
_ASYNCIO = os.path.dirname(asyncio.__file__)
_TIMER = asyncio.futures._set_result_unless_cancelled.__code__
_HANDLE = asyncio.Handle._run.__code__
_WAITS = {  # what a task waits for, by the function that made the future
    "EventLoop.adopt": "socket",
    "wrap_future": "executor",
    "StreamReader._wait_for_data": "socket",
    "FlowControlMixin._drain_helper": "socket",
    "BaseSelectorEventLoop._create_connection_transport": "connection",
    "BaseSubprocessTransport._wait": "process",
    "TaskGroup.__aexit__": "TaskGroup",
    "TaskGroup._aexit": "TaskGroup",  # its newer name
    "_wait": "wait",
}
_CAUSES = {  # who woke it, by the function that set the result
    "_set_result_unless_cancelled": "timer",
    "_release_waiter": "wait_for",
    "StreamReader._wakeup_waiter": "socket",
    "Lock._wake_up_first": "Lock.release",
    "Semaphore._wake_up_next": "Semaphore.release",
    "Condition._notify": "Condition.notify",
    "Queue._wakeup_next": "Queue",
    "TaskGroup._on_task_done": "its end",
    "_wait.<locals>._on_completion": "its end",
    "shield.<locals>._inner_done_callback": "its end",
    "_copy_future_state": "executor",
    "Task.cancel": "cancel",
    "Loop.pause": "socket",
    "Handle._run": "callback",
}


def _words(key):
    """Plain words for what an await waits for, or for the cause of a wake."""
    if isinstance(key, str):
        return key
    why = isinstance(key, tuple)
    code, known = (key[0], _CAUSES) if why else (key, _WAITS)
    name = code.co_qualname
    if name in known:
        return known[name]
    # Compiled code of another loop has no frame of its own: then it is our driver's that shows.
    if not is_library(code.co_filename) or code is _drive.__code__:
        return "set_result" if why else "future"
    if name.startswith(("BaseSelectorEventLoop.", "_Selector")):
        return "socket"
    return name.replace(".<locals>", "")


def _foreign(waited):
    if isinstance(waited, _Request):
        return waited.words
    if asyncio.isfuture(waited):
        if isinstance(waited, asyncio.Task):
            return f"task {waited.get_name()}"
        return "gather" if hasattr(waited, "_children") else "future"
    return type(waited).__name__
