"""A world in which a small program runs: asyncio as it is, or as somebody believes it to be.

`run_in(TRUTH, source)` gives the `Outcome` under asyncio itself, on a virtual clock. A `Belief` is
a world with one piece replaced: names of asyncio, the syntax tree, the task factory, the loop, or
what a generator function makes. Nothing of asyncio itself is changed, because the program gets a
module of its own under that name.

The program runs in the kernel's process, by `helpers.run`: where a loop runs already, that is a
thread with a loop of its own. A process of its own would cost more than all the worlds together
(about half a millisecond each), and there is nothing here from which it would have to protect the
kernel: programs are the course's own, and each world is bounded in steps, virtual and real time.
"""

import ast
import asyncio
import contextlib
import functools
import inspect
import re
import sys
import time
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from helpers.kernel.run import run
from helpers.kernel.virtual import Deadlock, VirtualLoop
from helpers.recording import jobs

MOST_TICKS = 1000  # rounds of loops, and turns of the event loop
MOST_VIRTUAL = 200.0  # seconds
MOST_REAL = 2.0  # seconds
FOR_CLEANUP = 300  # ticks, once a program that doesn't end is stopped


class Line(NamedTuple):
    """One call of `print`.

    at: virtual seconds.  lane: of the recording, if there is one.  number: of the line of source.
    """

    text: str
    at: float
    lane: int | None = None
    number: int = 0


class Outcome(NamedTuple):
    """What a program did in a world.

    lines: what it printed.  error: the name of the error that main raised, or "".
    endless: whether it was stopped because it does not end.  at: when main ended, in virtual
    seconds.  left: the tasks that were unfinished then and have a name of their own.
    value: of the name that was asked for.
    """

    lines: tuple[Line, ...]
    error: str
    endless: bool
    at: float
    left: tuple[str, ...]
    value: Any = None


class Endless(BaseException):
    """Raised in a program that does not end."""


class Belief:
    """A wrong belief as a world: the truth with one piece replaced. Its docstring says which.

    A learner who predicted what it does "predicted what would happen if" and then `sentence`.
    truth: what happens instead, in a sentence.  lesson, turn: where it is corrected: the number of
    the lesson and the id of a guess in it.
    words: the program must have one of these in its text, or the belief changes nothing.
    """

    id = sentence = truth = lesson = turn = ""
    words: tuple[str, ...] = ()

    def __repr__(self):
        return f"belief {self.id!r}: {self.sentence}"

    def matters(self, source: str) -> bool:
        """Whether this program may do something else than in truth."""
        return any(word in source for word in self.words)

    def loop(self, under: "Running") -> asyncio.AbstractEventLoop:
        """The event loop of the world."""
        return Clock(under)

    def tree(self, tree: ast.Module) -> ast.Module:
        """The program as the world reads it."""
        return tree

    def names(self, under: "Running") -> dict[str, Any]:
        """What replaces names of asyncio, and what else the changed tree calls."""
        return {}

    def factory(self, under: "Running") -> Callable[..., asyncio.Task] | None:
        """The task factory of the loop."""
        return None


class _Truth(Belief):
    id, sentence = "truth", "it were as it is"


TRUTH = _Truth()


class Clock(VirtualLoop):
    """The virtual clock for programs that nothing reaches from outside, with its limits."""

    def __init__(self, under: "Running"):
        super().__init__()
        self._under = under
        self._wait = self._jumps.select
        self._jumps.select = self._turn
        self._jumps.threads = lambda: 0  # the kernel's own threads are none of the program's

    def _turn(self, timeout=None):
        self._under.turns += 1
        self._under.tick()
        found = self._wait(timeout)
        self._under.look_at(self.time())
        return found

    def block(self, seconds: float) -> None:
        """Let time pass as a call does that holds the thread."""
        self._jumps.now = round(self._jumps.now + seconds, 9)
        self._under.look_at(self.time())


class Running:
    """A program under way: what it printed, and how long it may go on.

    turns: of the event loop.  kept: coroutines and generators that the world holds to the end.
    endless: nothing is noted any more, for it doesn't end.  over: nor does anything run.
    """

    def __init__(self, world: Belief):
        self.world = world
        self.lines: list[Line] = []
        self.left: tuple[str, ...] = ()
        self.at = 0.0
        self.turns = self.ticks = 0
        self.most = MOST_TICKS
        self.until = time.perf_counter() + MOST_REAL
        self.until_virtual = MOST_VIRTUAL
        self.endless = self.over = False
        self.kept: list[Any] = []
        self.clock: Any = None

    def tick(self) -> None:
        """Count a step; raise Endless after too many."""
        self.ticks += 1
        if self.ticks > self.most or time.perf_counter() > self.until:
            self.give_up()

    def look_at(self, now: float) -> None:
        """Raise Endless if it is too late by the virtual clock."""
        if now > self.until_virtual:
            self.until_virtual = now + MOST_VIRTUAL
            self.give_up()

    def give_up(self) -> None:
        """The program does not end: note nothing more of it, and raise Endless."""
        self.endless = True
        self.most = self.ticks + FOR_CLEANUP
        self.until = time.perf_counter() + MOST_REAL
        raise Endless

    def say(self, *words: object, **_: object) -> None:
        """The program's `print`."""
        if not self.endless:
            lane = jobs.under_way.current() if jobs.under_way else None
            number = sys._getframe(1).f_lineno
            text = " ".join(map(str, words))
            self.lines.append(Line(text, round(self.clock.time(), 6), lane, number))

    def keep(self, value: Any) -> Any:
        """Hold what a call gave, so that Python doesn't warn of it, if it is a coroutine."""
        if inspect.iscoroutine(value):
            self.kept.append(value)
        return value

    def make_loop(self) -> asyncio.AbstractEventLoop:
        """The world's loop, with nothing to say about tasks that nobody awaited."""
        self.clock = self.world.loop(self)
        self.clock.set_exception_handler(lambda *_: None)
        return self.clock

    def main_ended(self) -> None:
        """Note when main ended, and which tasks with a name of their own were unfinished then."""
        self.at = round(self.clock.time(), 6)
        names = {task.get_name() for task in asyncio.all_tasks() - {asyncio.current_task()}}
        self.left = tuple(sorted(name for name in names if not re.fullmatch(r"Task-\d+", name)))

    def drop(self) -> None:
        """Close what was held. The program's last words are not noted any more."""
        self.endless = self.over = True
        self.most, self.until = self.ticks + FOR_CLEANUP, time.perf_counter() + MOST_REAL
        for held in self.kept:
            with contextlib.suppress(BaseException):
                held.close()
        self.kept.clear()


def run_in(world: Belief, source: str, filename: str = "<drill>", asks: str = "") -> Outcome:
    """Run a program in a world, to its end or to its limit. Its loop is closed afterwards.

    source: statements, with `asyncio`, `time` and `print` at hand; an `async def main()` in it is
    run.  asks: a name of the program, whose value is wanted.
    Raises SyntaxError for what is no Python.
    """
    under = Running(world)
    code = _compiled(world, source, filename)
    module = types.ModuleType("asyncio")
    module.__dict__.update(vars(asyncio))
    sleeping = types.SimpleNamespace(
        sleep=lambda seconds: under.clock.block(seconds), monotonic=lambda: under.clock.time()
    )
    names = {"__name__": "drill", "asyncio": module, "time": sleeping, "print": under.say}
    names |= {"__tick__": under.tick, "__kept__": under.keep}
    for name, value in world.names(under).items():
        if not name.startswith("__") and name not in names:
            setattr(module, name, value)
        else:
            names[name] = value
    return _outcome(under, code, names)._replace(value=names.get(asks))


def _outcome(under, code, names):
    async def program():
        under.clock.set_task_factory(under.world.factory(under))
        try:
            exec(code, names)
            if inspect.iscoroutinefunction(main := names.get("main")):
                await main()
        finally:
            if not under.over:
                under.clock.set_task_factory(None)  # what cleans up is no part of the program
                under.main_ended()

    program.__qualname__ = program.__name__ = "main"
    error, endless = "", False
    under.kept.append(whole := program())
    try:
        run(whole, loop_factory=under.make_loop)
    except (Endless, Deadlock):
        endless = True
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = type(raised).__name__
    endless = endless or under.endless
    outcome = Outcome(tuple(under.lines), error, endless, under.at, under.left)
    under.drop()
    return outcome


@functools.lru_cache(maxsize=512)
def _compiled(world, source, filename):
    tree = world.tree(ast.parse(source, filename))
    tree = ast.fix_missing_locations(_Guard().visit(tree))
    return compile(tree, filename, "exec")


class _Guard(ast.NodeTransformer):
    """Counts the rounds of loops, and holds what calls give."""

    def _round(self, node):
        self.generic_visit(node)
        tick = ast.Expr(ast.Call(ast.Name("__tick__", ast.Load()), [], []))
        node.body.insert(0, ast.copy_location(tick, node.body[0]))
        return node

    visit_While = visit_For = visit_AsyncFor = _round

    def visit_Await(self, node):
        if isinstance(node.value, ast.Call):
            self.generic_visit(node.value)  # what is awaited is run
            return node
        return self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        keep = ast.Name("__kept__", ast.Load())
        return ast.copy_location(ast.Call(keep, [node], []), node)
