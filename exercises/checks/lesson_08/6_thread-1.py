"""Long, for what goes wrong between two threads shows in many places."""

import ast
import inspect
import sys
import threading
import traceback

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.loops import using_late
from helpers.coach.mistakes.suspects import Suspect
from helpers.coach.mistakes.words import error_words
from helpers.eventloop.sockets import Loop
from helpers.eventloop.tasks import Future

from .shared import patiently

LONG = 1.5  # seconds that work in a thread waits to be let go


ANY_ERROR = "Any error of `work` belongs in `future.set_exception`: `except Exception`."
KEPT = OSError("kept")  # an error that `work` returns is a result like any other


class Listening(Loop):
    """A loop that notes what other threads ask of it. where: tells the learner's line that asks."""

    def __init__(self, where):
        super().__init__()
        self.where = where
        self.asked = []
        self.no_functions = []  # what was given in place of a function, and where: (thing, line)
        self.answered = 0  # so many of these calls have come back

    def call_soon_threadsafe(self, function, *arguments):
        self.asked.append(function)
        if callable(function):
            super().call_soon_threadsafe(function, *arguments)
        else:  # the check names it; here it would end the loop
            self.no_functions.append((function, self.where()))
        self.answered += 1

    async def all_came_back(self):
        """Wait until no thread is inside of such a call: the loop must not be closed under it."""
        await patiently(lambda: self.answered == len(self.asked))


class Work:
    """What is to be done in a thread: it notes where it ran, and waits until it is let go."""

    def __init__(self, value=None, error=None):
        self.value, self.error = value, error
        self.thread, self.called_in = None, []  # (filename, line, function), innermost first
        self.let_go = threading.Event()
        self.hurried = False  # nobody let it go

    def __call__(self):
        self.thread = threading.get_ident()
        stack = traceback.walk_stack(sys._getframe(1))
        self.called_in = [(one.f_code.co_filename, line, one.f_code.co_name) for one, line in stack]
        self.hurried = not self.let_go.wait(LONG)
        if self.error is not None:
            raise self.error
        return self.value


class InThread(Exercise):
    """The answer of a thread

    `work` is an ordinary function that blocks. Write `in_thread(loop, work)`, an ordinary function
    too. It starts a thread that calls `work`, and returns a future at once. The future gets what
    `work` returns, or the error that it raises, and a loop that is asleep notices it.

    `Future()` makes a future; `future.set_result(value)` and `future.set_exception(error)` set it.
    `loop.call_soon_threadsafe(function, *arguments)` is the door for other threads.
    """

    id = "thread-1"
    asks = "in_thread"
    minutes, clock, limit = 8, "real", 5.0
    hints = (
        "Which lines run in the loop's thread, and which in the new one? Write a function inside "
        "`in_thread` for the new one.",
        "The new thread must not touch the future. It hands the loop a *function* to call: "
        "`future.set_result`, without parentheses, and its argument.",
        "`try: result = work()`, then `loop.call_soon_threadsafe(future.set_result, result)`; in "
        "`except Exception as error:` the same with `future.set_exception, error`.",
    )
    equivalent = {
        "with_a_function_inside: or None, line 18": "a future is never false",
        "with_a_function_inside: wider except, line 12": "no other errors are asked",
    }

    def verify(self, in_thread, lab):
        lab.told('with a `work` that returns "tea"')
        self._play(lab, in_thread, Work("tea"))
        lab.told("with a `work` that raises ValueError")
        self._play(lab, in_thread, Work(error=ValueError("no tea")))

    def _play(self, lab, in_thread, work):
        loop = Listening(lambda: self._setter(lab))
        try:
            self._run(lab, loop, self._one(lab, loop, in_thread, work))
        except RuntimeError as error:
            if "has its result already" not in str(error):
                raise
            raise Wrong(
                "done twice",
                "That raised RuntimeError: a future that had been set was set once more.",
                lab.use_of("set_result" if work.error else "set_exception"),
                "Where `work` raised an error there is no result: put that into the `else:` of the "
                "`try`.",
                headline="set the future twice",
            ) from None

    def _run(self, lab, loop, main):
        try:
            return loop.run(main)
        except NameError as error:
            if not (line := _asking_late(lab, error.name)):
                raise
            raise Wrong(
                "raised",
                "A function was called after the `except` block in which it was made had ended. "
                f"That raised {error_words(error)}.",
                line,
                "The name after `except … as` is gone when its block has ended. Hand the error "
                "itself over, as an argument.",
                headline="asked for the error too late",
                at=f"holds a function that uses `{error.name}` only when it is called",
            ) from None

    async def _one(self, lab, loop, in_thread, work):
        own, woken = threading.get_ident(), []
        future = in_thread(loop, work)
        early = isinstance(future, Future) and future.done()
        if isinstance(future, Future) and not early:
            # Whoever sets the future calls this, in the thread in which it is set.
            future.park(loop, lambda: woken.append((threading.get_ident(), self._setter(lab))))
        work.let_go.set()
        await patiently(lambda: work.thread is not None)
        self._returned(lab, future, work, own)
        kept = early and (lab.text.kept_default() or lab.text.kept_outside())
        if kept:
            raise Wrong(
                "shared state",
                "The future that it returned had been set by an earlier call.",
                kept,
                "Make a new `Future()` in each call.",
                headline="kept the future from an earlier call",
            )
        await patiently(future.done)
        await loop.all_came_back()
        place = next((place for thread, place in woken if thread != own), None)
        self._set(lab, loop, future, work, early or woken and woken[0][0] != own, place)

    def _setter(self, lab):
        """The learner's line that sets the future, in whose call we are."""
        return lab.text.of_frame(sys._getframe())

    def _returned(self, lab, future, work, own):
        if work.thread == own:
            own = [each for each in work.called_in if lab.text.owns(each[0])]
            filename, line, name = own[-1] if own else (None, None, lab.asks)
            raise Wrong(
                "called, not handed over",
                "`work` ran in the loop's own thread: the loop stood still.",
                filename and (filename, line),
                "Parentheses call it here and now. Let the new thread call it."
                if name == lab.asks
                else "What the loop is handed, it calls in its own thread. Call `work` in the new "
                "thread, and hand the loop what came of it.",
                headline="did the work here",
            )
        if work.hurried:
            raise Wrong(
                "blocked",
                "It did not return before `work` was done: the loop stood still.",
                lab.call_of("join", "result", "wait"),
                "Return the future at once. The thread sets it later.",
                headline="waited for the thread",
            )
        if inspect.iscoroutine(future):
            future.close()
            raise Wrong(
                "async for plain",
                "It returned a coroutine. Nothing begins before somebody awaits that.",
                lab.coroutine_function(),
                "Make it an ordinary function that returns the future.",
                headline="not a future",
            )
        if not isinstance(future, Future):
            raise Wrong(
                "async for plain",
                f"It returned {future!r}.",
                lab.returning(),
                "Make a `Future()` and return it; whoever wants the result awaits it.",
                headline="not a future",
            )
        if work.thread is None:
            raise Wrong(
                "not run yet",
                "`work` was never called.",
                lab.call_of("Thread"),
                "A thread begins with `start()`.",
                headline="never began",
            )

    def _set(self, lab, loop, future, work, in_the_thread, place):
        if in_the_thread and loop.no_functions:
            thing, line = loop.no_functions[0]
            raise Wrong(
                "called, not handed over",
                f"`call_soon_threadsafe` was given {thing!r}. The future had been set before, in "
                "the thread.",
                line,
                "Parentheses call it here and now. Hand over the function without them, "
                "and its argument after a comma.",
            )
        if in_the_thread:
            raise Wrong(
                "wrong thread",
                "The future was set in the other thread. A loop that is asleep does not notice.",
                place or lab.use_of("set_result", "set_exception"),
                "Call `work` in the thread, and let the loop set the future: "
                "`loop.call_soon_threadsafe(future.set_result, value)`, and likewise for "
                "`set_exception`.",
                headline="set the future in the thread",
            )
        if not future.done():
            raise Wrong(
                "lost error" if work.error else "wake-up",
                "`work` "
                + (f"raised {work.error!r}" if work.error else "was done")
                + ", and the future was never set: whoever awaits it waits for ever.",
                lab.earliest(lab.call_of("work"), lab.keyword("target")),
                "Catch the error in the thread, and have the loop call "
                "`future.set_exception` with it."
                if work.error
                else "Have the loop call `future.set_result` with what `work` returned.",
                headline=None if work.error else "never set",
            )
        if not loop.asked:
            raise Wrong(
                "wrong thread",
                "The future was set, but `call_soon_threadsafe` was not "
                "called. A loop that is asleep would sleep on.",
                lab.use_of("ready", "spawn"),
                "`loop.call_soon_threadsafe` puts it into the queue and wakes the loop.",
                headline="woke nobody",
            )
        future.seen = True
        if work.error is None and future.error is None:
            lab.equal(future.value, work.value, what="the future got")
        elif future.error is not work.error:
            got = (
                f"the error {future.error!r}"
                if future.error is not None
                else f"{future.value!r} as its result"
            )
            raise Wrong(
                "lost error" if work.error else "raised",
                f"The future got {got}.",
                lab.use_of("set_result" if future.error is None else "set_exception"),
                "An error of `work` belongs in `future.set_exception`.",
            )

    @sweep(
        lambda some: {
            "ends": some.lists(
                some.sampled_from(
                    (
                        "tea",
                        0,
                        "",
                        None,
                        False,
                        OSError,
                        TimeoutError,
                        KeyError,
                    )
                ),
                min_size=1,
                max_size=2,
            ),
            "last_first": some.booleans(),
        },
        besides=[{"ends": [KEPT], "last_first": False}],
        most=8,
    )
    def any_work(self, in_thread, lab, ends, last_first):
        works = [Work(error=end("no tea")) if isinstance(end, type) else Work(end) for end in ends]
        words = " and ".join(_told(end) for end in ends)
        if len(ends) > 1:
            words += f", and the {'second' if last_first else 'first'} was done first"
        lab.told(f"with {words}")
        loop = Listening(lambda: self._setter(lab))
        futures = self._run(lab, loop, self._together(lab, loop, in_thread, works, last_first))
        came = [("raised", one.error) if one.error else one.value for one in futures]
        if any(one.error is KEPT for one in futures):
            raise Wrong(
                "value",
                "The future got it as its error, though `work` had returned it.",
                lab.condition("isinstance") or lab.use_of("set_exception"),
                "An error that is returned is a result like any other. Only the `except` knows "
                "that one was raised.",
                headline="took a result for an error",
            )
        return {"the future got" if len(came) == 1 else "the futures got": _alone(came)}

    async def _together(self, lab, loop, in_thread, works, last_first):
        own, futures = threading.get_ident(), []
        try:
            futures += [in_thread(loop, work) for work in works]
            both = list(zip(works, futures))
            for work, future in reversed(both) if last_first else both:
                work.let_go.set()
                for _ in range(4):  # a thread may have to wait for its turn
                    if await patiently(future.done):
                        break
                self._returned(lab, future, work, own)
                if not future.done():
                    # With "tea" it went well, so it may be asked whether there is a result.
                    asks = Suspect(None) if work.error or work.value else lab.truth_test()
                    if work.error and not lab.text.handler_of(type(work.error)):
                        asks = Suspect(lab.handler(), "doesn't catch it", ANY_ERROR)
                    raise Wrong(
                        "wake-up",
                        "`work` was done, and the future was never set: whoever awaits it waits "
                        "for ever.",
                        asks.line or lab.call_of("work") or lab.keyword("target"),
                        asks.try_
                        or "Each `work` has a thread and a future of its own, and the future gets "
                        "whatever it returns.",
                        headline="never set",
                        at=asks.at,
                    )
        finally:
            for work in works:
                work.let_go.set()
            await loop.all_came_back()
        return futures

    @right
    def with_a_function_inside(loop, work):
        """Have a thread call `work`; return a future of what it returns or raises."""
        future = Future()

        def in_the_other_thread():
            try:
                result = work()
            except Exception as error:
                loop.call_soon_threadsafe(future.set_exception, error)
            else:
                loop.call_soon_threadsafe(future.set_result, result)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("wrong thread", says="does not notice")
    def sets_it_directly(loop, work):
        future = Future()

        def in_the_other_thread():
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("called, not handed over", says="without them")
    def calls_it_at_once(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result(work()))

        threading.Thread(target=in_the_other_thread).start()
        return future

    forgets_errors = calls_it_at_once.but(
        "future.set_result(work())",
        "future.set_result, work()",
        kind="lost error",
        says="waits for ever",
    )

    @wrong("called, not handed over", says="stood still")
    def works_here(loop, work):
        future = Future()
        future.set_result(work())
        return future

    @wrong("called, not handed over", says="target=in_the_other_thread()")
    def calls_the_target(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        threading.Thread(target=in_the_other_thread()).start()
        return future

    @wrong("called, not handed over", says="in its own thread")
    def works_behind_the_door(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(lambda: future.set_result(work()))

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("lost error", says="as its result")
    def hands_the_error_over_as_a_result(loop, work):
        future = Future()

        def in_the_other_thread():
            try:
                result = work()
            except Exception as error:
                result = error
            loop.call_soon_threadsafe(future.set_result, result)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("blocked", says="at once")
    def joins_the_thread(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        thread = threading.Thread(target=in_the_other_thread)
        thread.start()
        thread.join()
        return future

    @wrong("wrong thread", says="would sleep on")
    def only_queues_it(loop, work):
        future = Future()

        def in_the_other_thread():
            result = work()
            loop.ready.append(lambda: future.set_result(result))

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("async for plain", says="coroutine")
    async def as_a_coroutine(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        threading.Thread(target=in_the_other_thread).start()
        return await future


def _asking_late(lab, name):
    """The function in an `except … as name` that uses this name, not handed to it; or None."""
    handlers = [node for node in lab.nodes() if isinstance(node, ast.ExceptHandler)]
    bodies = [handler.body for handler in handlers if handler.name == name]
    return lab.earliest(*(line for body in bodies for line in using_late(body, {name})))


def _told(end):
    """Such a work, in words."""
    does = f"raises a {end.__name__}" if isinstance(end, type) else f"returns {end!r}"
    return f"a `work` that {does}"


def _alone(things):
    """One thing alone instead of a list of it."""
    return things[0] if len(things) == 1 else things
