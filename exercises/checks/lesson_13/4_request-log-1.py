"""Long, for a number is lost, or mixed up with another, in many ways."""

import ast
import asyncio
import contextvars
import inspect
import threading

from helpers.coach import Exercise, Wrong, right, sweep, wrong


def where_it_is_kept(lab, besides=()):
    """Line of the first statement in `begin` that does something with the number; or None.

    besides: calls of methods of these names count only if nothing else is done with it.
    """
    for node in lab.nodes():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "begin":
            given = {argument.arg for argument in node.args.args[1:]}
            statements = [part for part in ast.walk(node) if isinstance(part, KEEPING)]
            keeping = [
                (_called(statement) in besides, not _of_a_task(statement), statement.lineno)
                for statement in statements
                if any(getattr(part, "id", None) in given for part in ast.walk(statement))
            ]
            return min(keeping, default=(False, False, node.body[-1].lineno))[-1]
    return None


def _of_a_task(statement):
    """Whether a statement keeps something by a key, as for each task its own."""
    return any(isinstance(part, ast.Subscript) for part in ast.walk(statement))


def _called(statement):
    """The name of the method that a statement calls, whose value it drops or keeps; or None."""
    called = getattr(statement.value, "func", None)
    return getattr(called, "attr", None)


KEEPING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


class RequestLog(Exercise):
    """Whose line is it?

    A server works on many requests at the same time, a task each, and all of them write into one
    log. Write a class:

    - `Log()` makes a log. Its attribute `lines` is a list, empty at first.
    - `log.begin(number)` notes the number of the request that the calling task works on. A task may
      begin one request after another.
    - `log.say(text)` adds the pair `(number, text)` to `lines`, with the number of the request in
      which it is called, or `None` where none has begun.

    Both are plain methods: nothing is awaited. A task that is created by a request's task belongs
    to that request. A server has one log; whether two logs would share the numbers is left open.
    """

    id = "request-log-1"
    asks = "Log"
    minutes = 7
    hints = (
        "An attribute of the log is one for all tasks: all read what was written last.",
        "A context variable has a value in each task, and a new task gets a copy of the values of "
        "the one that creates it.",
        '`contextvars.ContextVar("request", default=None)` makes one; it has `set(value)` and '
        "`get()`.",
    )

    def verify(self, Log, lab):
        lab.run(self._served(Log, lab))

    async def _served(self, Log, lab):
        log = lab.call(Log)
        lab.told("and called `say` before any request had begun")
        self._plain(lab, log.say("open"), "say")
        self._said(lab, log, [(None, "open")])

        async def request(number, child):
            self._plain(lab, log.begin(number), "begin")
            await asyncio.sleep(1)
            if child:
                await asyncio.create_task(self._child(log))
            log.say("page")

        lab.told("and let three requests at once each begin, sleep, and say a word")
        log = Log()
        if self._pairs(lab, log):
            raise Wrong(
                "shared state",
                f"A new log already held {log.lines!r}.",
                lab.assigned("lines"),
                "`self.lines = []` in `__init__` makes a list for each log.",
                headline="one list for all logs",
            )
        await asyncio.gather(*(request(number, False) for number in (1, 2, 3)))
        numbers = [number for number, _ in self._pairs(lab, log)]
        observed = (
            f"The three lines were noted for {', '.join(map(str, numbers))}, and not for "
            "1, 2 and 3."
        )
        if None in numbers and lab.call_of("copy_context") and (line := lab.call_of("run")):
            raise Wrong(
                "value",
                observed,
                line,
                "What is set in a copy of the context is not set in the task's own. Call `set` "
                "itself, without `run`.",
                headline="set the number in a copy",
                at="sets it in a copy",
            )
        if None in numbers:
            raise Wrong(
                "value",
                observed,
                where_it_is_kept(lab),
                "What `begin` sets must still be there when the same task calls `say`.",
            )
        if sorted(numbers, key=str) != [1, 2, 3]:
            raise Wrong(
                "shared state",
                observed,
                where_it_is_kept(lab),
                "There is one such place for all tasks, and all read what was written "
                "last. A ContextVar has a value for each task."
                if not lab.call_of("ContextVar") or lab.call_of("*.set")
                else "The variable holds the same thing in all tasks, and this line changes what "
                "it holds. Give each task a value of its own: `set`.",
                headline="shared by all requests",
            )
        self._said(lab, log, [(1, "page"), (2, "page"), (3, "page")])

        lab.told("and had the task of request 7 create a task that says a word")
        log = Log()
        await asyncio.create_task(request(7, True))
        if (None, "query") in log.lines:
            raise Wrong(
                "shared state",
                "The line of the task that request 7 had created was noted for None.",
                where_it_is_kept(lab),
                "The new task belongs to request 7 as well. A new task gets a copy of its "
                "creator's context variables.",
                headline="lost in a child task",
            )
        self._said(lab, log, [(7, "query"), (7, "page")])
        lab.told("and called `say` when the task of request 7 was over")
        log.say("close")
        self._said(lab, log, [(7, "query"), (7, "page"), (None, "close")])

        lab.told(
            "and had the task of request 7 create a task that says a word when the first is over"
        )
        log = Log()
        child = await asyncio.create_task(self._leaves_a_child(log, 7))
        await child
        if log.lines == [(None, "query")]:
            raise Wrong(
                "shared state",
                "The line of the task that request 7 had created was noted for None.",
                lab.call_of("*.done") or where_it_is_kept(lab),
                "The new task belongs to request 7 all the time. It gets a copy of its creator's "
                "context variables, and keeps it.",
                headline="lost when the request's task was over",
            )
        self._said(lab, log, [(7, "query")])

        lab.told("and let a task begin request 1, then request 2, and say a word")
        log = Log()
        await asyncio.create_task(self._begins(log, 1, 2))
        if log.lines == [(1, "word")]:
            raise Wrong(
                "value",
                "The word was noted for 1.",
                lab.condition() or where_it_is_kept(lab),
                "A task may begin one request after another, and its lines belong to the one that "
                "it began last.",
                headline="kept the first number",
            )
        self._said(lab, log, [(2, "word")])

        lab.told(
            "and let a task begin request 1, create a task that begins request 2, and say a word"
        )
        log = Log()
        await asyncio.create_task(self._begins(log, 1, child=2))
        if log.lines == [(2, "word")]:
            raise Wrong(
                "shared state",
                "The word of request 1 was noted for 2.",
                where_it_is_kept(lab, besides=("set",)),
                "A new task gets a copy of its creator's context variables, and not of what they "
                "hold: `set` a new value.",
                headline="shared with a child task",
            )
        self._said(lab, log, [(1, "word")])

        lab.told(
            "in a task of its own, and called `say` in another one, where no request had begun"
        )
        log = await asyncio.create_task(self._made(Log))
        await asyncio.create_task(self._child(log))
        self._said(lab, log, [(None, "query")])

    async def _begins(self, log, *numbers, child=None):
        for number in numbers:
            log.begin(number)
        if child is not None:
            await asyncio.create_task(self._begins_alone(log, child))
        log.say("word")

    async def _leaves_a_child(self, log, number):
        log.begin(number)
        return asyncio.create_task(self._child(log))

    async def _begins_alone(self, log, number):
        log.begin(number)

    async def _made(self, Log):
        return Log()

    async def _child(self, log):
        await asyncio.sleep(1)
        log.say("query")

    def _plain(self, lab, returned, name):
        if inspect.iscoroutine(returned):
            returned.close()
            raise Wrong(
                "async for plain",
                f"`{name}` returned a coroutine.",
                lab.coroutine_function(name),
                f"Nothing is awaited in there: `def {name}`.",
                headline="not a plain method",
            )

    def _pairs(self, lab, log):
        lines = log.lines
        if not all(isinstance(line, tuple) and len(line) == 2 for line in lines):
            raise Wrong(
                "value",
                f"`lines` is {lines!r}; expected tuples (number, text).",
                lab.call_of("*.append"),
                "A pair is a tuple of two: `(…, …)`.",
            )
        return lines

    def _said(self, lab, log, expected):
        if self._pairs(lab, log) != expected:
            raise Wrong("value", f"`lines` is {log.lines!r}; expected {expected!r}.")

    @sweep(
        lambda some: {
            "tasks": some.lists(
                some.recursive(
                    some.sampled_from(["begin 0", "begin 1", "begin 2", "say", "say"]),
                    lambda inner: some.lists(inner, min_size=1, max_size=4),
                    max_leaves=6,
                ).map(lambda steps: steps if isinstance(steps, list) else [steps]),
                min_size=1,
                max_size=2,
            ),
        },
        besides=[
            {"tasks": [["begin 0", "say"]]},
            {"tasks": [["begin 1", "begin 2", "say"]]},
            {"tasks": [["begin 1", ["say", "say", "say"]]]},
            {"tasks": [["begin 1", ["begin 2"], "say"]]},
            {"tasks": [["begin 1", ["say", "say", "say"], "begin 2", "say"]]},
            {"tasks": [["begin 1", [["begin 2", "say"], "say", "say"], "say", "say"]]},
        ],
    )
    def any_requests(self, Log, lab, tasks):
        lab.told(
            f"and let tasks do {tasks}, a step a second; a list in a list is a task that the other "
            "one creates"
        )
        log = Log()

        async def work(steps, name):
            for number, step in enumerate(steps, 1):
                if isinstance(step, list):
                    children.append(asyncio.create_task(work(step, f"{name}.{number}")))
                elif step == "say":
                    self._plain(lab, log.say(f"line {number} of {name}"), "say")
                else:
                    self._plain(lab, log.begin(int(step.split()[1])), "begin")
                await asyncio.sleep(1)

        async def server():
            for number, steps in enumerate(tasks, 1):
                children.append(asyncio.create_task(work(steps, f"task {number}")))
            for child in children:  # which grows meanwhile
                await child

        children = []
        run = lab.run(server())
        if run.error:
            raise run.error
        return {"`lines` is": log.lines}

    @right
    class with_a_context_variable:
        """A log that knows to which request a line belongs."""

        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @right
    class one_for_all_logs:
        request = contextvars.ContextVar("request", default=None)

        def __init__(self):
            self.lines = []

        def begin(self, number):
            type(self).request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("shared state", says="Line 8: `self.number = number`")
    class in_an_attribute:
        def __init__(self):
            self.lines = []
            self.number = None

        def begin(self, number):
            self.number = number

        def say(self, text):
            self.lines.append((self.number, text))

    @wrong("shared state", says="There is one such place for all tasks")
    class for_each_thread:
        def __init__(self):
            self.lines = []
            self.local = threading.local()

        def begin(self, number):
            self.local.number = number

        def say(self, text):
            self.lines.append((getattr(self.local, "number", None), text))

    @wrong("shared state", says="noted for 3, 3, 3")
    class a_dict_in_the_variable:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default={})

        def begin(self, number):
            self.request.get()["number"] = number

        def say(self, text):
            self.lines.append((self.request.get().get("number"), text))

    @wrong("shared state", says='`holder["number"] = number`')
    class a_holder_that_is_changed:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            holder = self.request.get()
            if holder is None:
                self.request.set({"number": number})
            else:
                holder["number"] = number

        def say(self, text):
            self.lines.append(((self.request.get() or {}).get("number"), text))

    takes_it_back = with_a_context_variable.but(
        "self.request.set(number)",
        "token = self.request.set(number)\nself.request.reset(token)",
        kind="value",
        says="noted for None, None, None",
    )

    @wrong("shared state", says="for each log")
    class one_list:
        lines = []
        request = contextvars.ContextVar("request", default=None)

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("shared state", says="noted for None")
    class by_task:
        def __init__(self):
            self.lines = []
            self.numbers = {}

        def begin(self, number):
            self.numbers[asyncio.current_task()] = number

        def say(self, text):
            self.lines.append((self.numbers.get(asyncio.current_task()), text))

    asynchronous = with_a_context_variable.but(
        "def say(self, text)",
        "async def say(self, text)",
        kind="async for plain",
        says="`def say`",
    )

    no_default = with_a_context_variable.but(
        '"request", default=None', '"request"', kind="raised", says="default=None"
    )

    @wrong("raised", says="default=None")
    class sets_none_at_first:
        def __init__(self):
            self.lines = []
            self.request = contextvars.ContextVar("request")
            self.request.set(None)

        def begin(self, number):
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))

    @wrong("raised", says="is None there")
    class makes_it_in_begin:
        def __init__(self):
            self.lines = []
            self.request = None

        def begin(self, number):
            self.request = contextvars.ContextVar("request", default=None)
            self.request.set(number)

        def say(self, text):
            self.lines.append((self.request.get(), text))
