"""Long, for a future can be wrong in many ways, and each is a whole class."""

import ast
import contextlib
import functools

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.eventloop.tasks import Future

from .shared import in_a_row

VALUES = (None, 0, "", "tea", False, [])
KEPT = OSError("kept")  # an error that is set is a value like any other


class WriteFuture(Exercise):
    """A future

    Write a class `Future`. Any number of tasks may await it, and `set_result(value)` gives all of
    them the value, in the order in which they came.

    - `__await__` yields a function `park(loop, wake)`, as in the lesson. The loop calls it.
      `wake` is a function without parameters: to call it is to put the waiter into the ready
      queue. Nobody is cancelled here, so `park` need not return an undo.
    - A task that awaits a future with a result gets it without a pause.
    - The result may be any value, even `None`.
    - A second `set_result` is a RuntimeError, and changes nothing.
    """

    id = "future-1"
    asks = "Future"
    minutes = 10
    hints = (
        "What must a future remember before it is set, and what after?",
        "A list of `wake` functions takes many waiters. A waiter that comes after the result must "
        "not get to the `yield`; let an attribute of its own tell whether it is there.",
        "`__await__`: `if not self.done: yield self.park`, then `return self.value`. `park` "
        "appends `wake` to the list. `set_result` refuses if it is done, notes value and done, "
        "and calls each `wake`.",
    )

    def verify(self, Future, lab):
        for value in ("tea", None):
            self._case(Future, lab, value)

    def _case(self, Future, lab, value):
        lab.told(f"and set its result to {value!r}")
        future, woken = Future(), []
        waiters = {name: awaiting(future) for name in ("first", "second", "third")}
        with contextlib.ExitStack() as stack:
            for coro in waiters.values():
                stack.callback(coro.close)
            for name in waiters:
                self._park(lab, waiters[name], name, woken)
            other = stack.enter_context(contextlib.closing(awaiting(Future())))
            self._park(lab, other, "other", woken)
            future.set_result(value)
            if "other" in woken:
                raise Wrong(
                    "shared state",
                    "There were two futures. I set one of them, and the waiter of the other was "
                    "woken too.",
                    lab.class_attribute(),
                    "An attribute of the class is shared by all futures. Make the list "
                    "in `__init__`: `self.waiters = []`.",
                    headline="shared by all",
                )
            self._woken(lab, woken, list(waiters))
            for name in waiters:
                self._result(lab, waiters[name], f"the {name} waiter", value)
            late = stack.enter_context(contextlib.closing(awaiting(future)))
            self._result(lab, late, "a waiter who came after it", value)
        self._twice(lab, future, woken, value)

    def _park(self, lab, coro, name, woken):
        try:
            park = coro.send(None)
        except StopIteration as stop:
            raise Wrong(
                "wake-up",
                f"The result was not there yet, and the {name} waiter got {stop.value!r}.",
                lab.definition("__await__"),
                "While there is no result, yield the function that parks the waiter.",
                headline="did not wait",
            ) from None
        except TypeError as error:
            if "non-iterator" not in str(error):
                raise
            raise Wrong(
                "not async",
                f"Python said: {error}.",
                lab.coroutine_function("__await__")
                or lab.returning("park")
                or lab.definition("__await__"),
                "`__await__` is an ordinary `def` with a `yield` in it: `yield "
                "self.park`, and at its end `return` the value.",
                headline="no generator",
            ) from None
        if park is None:
            raise Wrong(
                "polling",
                "`__await__` yielded None, so the waiter queues at once, and looks again "
                "in each of its turns.",
                lab.yielding(),
                "Yield `self.park`: the waiter sleeps until somebody calls its `wake`.",
                headline="asks again and again",
            )
        if not callable(park):
            raise Wrong(
                "another form",
                f"`__await__` yielded {park!r}.",
                lab.yielding(),
                "Yield a function that the loop can call as `park(loop, wake)`.",
                headline="handed out no function",
            )
        park(OtherLoop(lab), lambda: woken.append(name))
        if name in woken:
            raise Wrong(
                "called, not handed over",
                "`park` called `wake`, so the waiter was woken before there was a result.",
                lab.call_of("wake"),
                "`park` only keeps `wake`. `set_result` calls it.",
                headline="woken at once",
            )

    def _woken(self, lab, woken, names):
        observed = f"Three waited, and `set_result` woke: {', '.join(woken) or 'nobody'}."
        if len(set(woken)) == 1 and names[-1] in woken:
            raise Wrong(
                "wake-up",
                observed,
                lab.assigned(to="wake"),
                "There is room for one waiter, and the next one is written over it. Keep a list.",
                headline="overwrites the first waiter",
            )
        if not woken:
            raise Wrong(
                "wake-up",
                observed,
                lab.definition("set_result"),
                "Call the `wake` of each who waits.",
                headline="wakes nobody",
            )
        if len(woken) > len(set(woken)):
            raise Wrong(
                "stale wake-up",
                observed,
                lab.call_of("wake", "append"),
                "Each `wake` puts the waiter into the queue once more.",
                headline="woken twice",
            )
        if len(woken) < 3:
            raise Wrong(
                "wake-up",
                observed,
                lab.definition("set_result"),
                "Call the `wake` of each who waits.",
                headline="lost a waiter",
            )
        lab.equal(woken, names, what="it woke")

    def _result(self, lab, coro, who, value):
        try:
            park = coro.send(None)
        except StopIteration as stop:
            if stop.value is None and value is not None:
                raise Wrong(
                    "return value",
                    f"The result is {value!r}, and {who} got None.",
                    _last_yield(lab)
                    or lab.assigned(to=ast.Yield)
                    or _returned_yield(lab)
                    or lab.definition("__await__"),
                    "What `__await__` returns is the value of the `await`, also where it had to "
                    "wait first.",
                    headline="lost the result",
                    at="is the last that it does" if _last_yield(lab) else "",
                ) from None
            lab.equal(stop.value, value, what=f"{who} got")
        else:
            late = "after" in who
            if value is None:
                raise Wrong(
                    "falsy",
                    f"The result was set to None, and {who} waits on.",
                    lab.earliest(
                        lab.operation("is", "is not"),
                        lab.condition("self.*"),
                        lab.while_loop("self.*"),
                    ),
                    "None is a result like any other. Let an attribute of its own tell "
                    "whether there is one.",
                    headline="took None for not done",
                )
            woken = _wakes_at_once(lab, park)
            raise Wrong(
                "wake-up",
                f"The result was there, and {who} paused"
                + (", for nothing." if woken else ". Nobody will ever call that `wake`."),
                lab.yielding(),
                "If there is a result, return it; don't get to the `yield`.",
                headline="paused for nothing"
                if woken
                else "lost the late waiter"
                if late
                else "waits again",
            )

    def _twice(self, lab, future, woken, value):
        before = len(woken)
        try:
            future.set_result("once more")
        except RuntimeError as error:
            with contextlib.closing(awaiting(future)) as late:
                try:
                    late.send(None)
                except StopIteration as end:
                    self._unchanged(lab, end.value, value, error)
            return
        except Exception as error:
            raise Wrong(
                "another error",
                f"The second `set_result` raised {type(error).__name__}: {error}.",
                lab.text.of_traceback(error) or lab.definition("set_result"),
                "Raise a RuntimeError that says what is wrong.",
            ) from None
        more = len(woken) - before
        asks = self._refusing(lab) if value is None else None  # "tea" was refused
        if asks:
            raise Wrong(
                "falsy",
                "I set the result to None, and then once more. No error came.",
                asks,
                "None is a result like any other. Let an attribute of its own tell whether there "
                "is one.",
                headline="took None for not done",
            )
        raise Wrong(
            "stale wake-up" if more else "done twice",
            "I set the result a second time. "
            + (
                f"{more} waiters were woken again, for nothing."
                if more
                else "No error came, so such a mistake would go unnoticed."
            ),
            (not more and self._refusing(lab, in_silence=True)) or lab.definition("set_result"),
            "Refuse it: `raise RuntimeError(…)`.",
            headline="woken twice" if more else "set twice",
        )

    def _refused(self, lab, error):
        return Wrong(
            "another error",
            f"Nobody had set a result yet, and `set_result` raised a RuntimeError: {error}.",
            self._refusing(lab) or lab.text.of_traceback(error),
            "Refuse only a second one. A future may be set when nobody waits for it yet.",
            headline="refused the first result",
        )

    def _refusing(self, lab, in_silence=False):
        """The first `if` of `set_result`, or None. in_silence: one that ends in a `return`."""
        lines = [
            part.lineno
            for node in lab.nodes()
            if isinstance(node, ast.FunctionDef) and node.name == "set_result"
            for part in ast.walk(node)
            if isinstance(part, ast.If)
            if not in_silence or isinstance(part.body[-1], ast.Return)
        ]
        return min(lines, default=None)

    def _unchanged(self, lab, got, value, refusal):
        if got == "once more":
            changing = self._changing(lab, refusal)
            raise Wrong(
                "done twice",
                f"I set the result to {value!r} and then to {got!r}. The second time a "
                f"RuntimeError came, and whoever awaits it now gets {got!r}.",
                changing or lab.text.of_traceback(refusal),
                "Refuse first, and change nothing before.",
                headline="changed what was set",
                at="comes before the refusal" if changing else "refuses too late",
            )

    def _changing(self, lab, refusal):
        """The one line before the refusal that gives the future another value, or None."""
        refuses = lab.text.steps_of(refusal)[-1:]
        lines = {
            node.lineno
            for line in refuses
            for node in ast.walk(lab.text.function_at(line))
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if node.lineno < line
        }
        return lines.pop() if len(lines) == 1 else None

    @sweep(
        lambda some: {
            "acts": some.lists(
                some.one_of(some.just("await"), some.sampled_from(VALUES).map(lambda one: [one])),
                max_size=6,
            ),
        },
        besides=[{"acts": ["await", [KEPT]]}, {"acts": ["await"] * 1100 + [["tea"]]}],
        most=50,
    )
    def any_acts(self, Future, lab, acts):
        lab.told(f"and then: {in_a_row(map(act_words, acts)) or 'nothing'}")
        return self._act(Future, lab, [(0, act) for act in acts])

    @sweep(
        lambda some: {
            "acts": some.lists(
                some.tuples(some.integers(0, 1), some.sampled_from(("await", ["tea"], [0]))),
                max_size=6,
            ),
        },
        most=12,
    )
    def two_of_them(self, Future, lab, acts):
        told = ", ".join(f"{'AB'[which]} {act_words(act)}" for which, act in acts)
        lab.told(f"twice, for A and B, and then: {told or 'nothing'}")
        return self._act(Future, lab, acts)

    def _act(self, Future, lab, acts):
        """Await a future, or set its result, again and again; what came of it."""
        futures, woken, refused = (Future(), Future()), [], []
        waiters, went_on, given = [], [], set()
        with contextlib.ExitStack() as stack:
            for which, act in acts:
                if act != "await":
                    try:
                        futures[which].set_result(act[0])
                    except RecursionError:
                        raise
                    except RuntimeError as error:
                        if which not in given:
                            raise self._refused(lab, error) from None
                        refused.append(act[0])
                    given.add(which)
                    continue
                waiter = stack.enter_context(contextlib.closing(awaiting(futures[which])))
                name = f"waiter {len(waiters) + len(went_on) + 1}"
                try:
                    park = waiter.send(None)
                except StopIteration as end:
                    went_on.append((name, end.value))
                else:
                    park(OtherLoop(lab), functools.partial(woken.append, name))
                    waiters.append((name, waiter))
            got = []
            for name, waiter in waiters:
                if name in woken:
                    try:
                        waiter.send(None)
                        got.append(f"{name} waits again")
                    except StopIteration as end:
                        got.append((name, end.value))
        return {
            "it woke": woken,
            "who went on without a pause, and with what:": went_on,
            "who was woken, and with what:": got,
            "refused with a RuntimeError was:": refused,
        }

    @right
    class with_a_list:
        """A result that is not there yet."""

        def __init__(self):
            self.waiters, self.done, self.value = [], False, None

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.done:
                raise RuntimeError("this future has its result already")
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    refuses_too_late = with_a_list.but(
        "if self.done:\n    raise",
        "self.value = value\nif self.done:\n    raise",
        kind="done twice",
        says="Refuse first",
    )

    @right
    class with_the_list_as_flag:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            if self.waiters is not None:
                yield lambda loop, wake: self.waiters.append(wake)
            return self.value

        def set_result(self, value):
            if self.waiters is None:
                raise RuntimeError("set once")
            self.value = value
            waiters, self.waiters = self.waiters, None
            for wake in waiters:
                wake()

    @wrong("wake-up", says="woke: third")
    class with_one_slot:
        def __init__(self):
            self.waiter, self.done = None, False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiter = wake

        def set_result(self, value):
            self.value, self.done = value, True
            if self.waiter:
                self.waiter()

    @wrong("wake-up", says="a waiter who came after it paused")
    class always_pauses:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            yield self.waiters_append
            return self.value

        def waiters_append(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value = value
            for wake in self.waiters:
                wake()

    wakes_the_late_one_at_once = (
        always_pauses.but("self.waiters = []", "self.waiters, self.done = [], False")
        .but(
            "self.waiters.append(wake)",
            "wake() if self.done else self.waiters.append(wake)",
        )
        .but(
            "self.value = value",
            "self.value, self.done = value, True",
            kind="wake-up",
            says="for nothing",
        )
    )

    @wrong("polling", says="looks again")
    class that_polls:
        def __init__(self):
            self.done = False

        def __await__(self):
            while not self.done:
                yield
            return self.value

        def set_result(self, value):
            self.value, self.done = value, True

    @wrong("falsy", says="set to None")
    class with_none_for_not_done:
        def __init__(self):
            self.waiters, self.value = [], None

        def __await__(self):
            if self.value is None:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.value is not None:
                raise RuntimeError("set once")
            self.value = value
            for wake in self.waiters:
                wake()

    @wrong("stale wake-up", says="a second time")
    class set_as_often_as_you_like:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    @wrong("done twice", says="No error came")
    class forgets_who_waited:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value, self.done = value, True
            while self.waiters:
                self.waiters.pop(0)()

    @wrong("return value", says="got None")
    class returns_nothing:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.done = True
            for wake in self.waiters:
                wake()

    @wrong("shared state", says="the other was woken too")
    class with_one_list_for_all:
        waiters = []
        done = False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.done:
                raise RuntimeError("set once")
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    @wrong("wake-up", says="knows the loop")
    class as_in_the_lesson:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            if self.waiters is not None:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append((loop, wake))

        def set_result(self, value):
            self.value = value
            waiters, self.waiters = self.waiters, None
            for loop, who in waiters:
                loop.make_ready(who)

    @wrong("not async", says="return self.park")
    class that_returns_park:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            return self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            for wake in self.waiters:
                wake()

    @wrong("called, not handed over", says="`set_result` calls it")
    class that_wakes_in_park:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake())

        def set_result(self, value):
            self.value, self.done = value, True

    last_come_first_served = forgets_who_waited.but(
        "self.waiters.pop(0)()", "self.waiters.pop()()", kind="order", says="third"
    )


def act_words(act):
    return "awaited" if act == "await" else f"set to {act[0]!r}"


async def awaiting(future):
    return await future


class OtherLoop:
    """Stands in for the loop: a future of this exercise asks nothing of it."""

    def __init__(self, lab):
        self.lab = lab

    def make_ready(self, who):
        raise Wrong(
            "wake-up",
            "`set_result` called `loop.make_ready(…)`.",
            self.lab.call_of("make_ready"),
            "Here `wake` is the function that wakes its waiter, and knows the loop: `wake()`.",
            headline="woke through the loop",
        )


def _wakes_at_once(lab, park):
    """Whether what a waiter yields to the loop calls the `wake` that it is given."""
    woken = []
    with contextlib.suppress(Exception):  # what it can't do is no matter here
        park(OtherLoop(lab), lambda: woken.append(True))
    return bool(woken)


def _last_yield(lab):
    """The line of a `yield` that is the last that `__await__` does, or None."""
    for node in lab.nodes():
        if isinstance(node, ast.FunctionDef) and node.name == "__await__":
            last = node.body[-1]
            if isinstance(last, ast.Expr) and isinstance(last.value, (ast.Yield, ast.YieldFrom)):
                return last.lineno
    return None


def _returned_yield(lab):
    """Where it returns what a `yield` gives, or None."""
    returns = [node for node in lab.nodes() if isinstance(node, ast.Return) and node.value]
    return lab.earliest(*(one.lineno for one in returns if isinstance(one.value, ast.Yield)))
