"""Long, for there are many ways to lose an error, and each is a whole program."""

import ast
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import (
    KEPT,
    QUEUED,
    SAID,
    STOPS,
    attending,
    calling,
    failing,
    give,
    guest,
    plan_words,
    stopped_at_the_first_end,
    watched,
)

ENDS = (None, KEPT, LookupError, KeyError, RuntimeError, StopAsyncIteration)


class RunOn(Exercise):
    """One fails, the others go on

    Write `run_on(generators)`. It gives the generators of a list turns, as in round robin, until
    all have ended. A generator that raises an error has ended too, and gets no other turn; the
    others go on.

    No error must be lost: `run_on` returns a list of them, the exceptions themselves, in the order
    in which they came. Without errors the list is empty.

    An error is an `Exception`. A KeyboardInterrupt, which the stop button raises, must not be
    kept: it comes out at once.
    """

    id = "errors-1"
    asks = "run_on"
    minutes = 8
    hints = (
        "A turn can end in three ways: with a `yield`, with the end, with an error. Only after the "
        "first of them does the generator queue again.",
        "Two `except` behind one `try`, inside the loop. StopIteration is an Exception too: which "
        "of the two must stand first?",
        "`except StopIteration: continue`, then `except Exception as error: errors.append(error)`, "
        "then `else: ready.append(generator)`.",
    )

    def verify(self, run_on, lab):
        log, late, early = [], ValueError("no tea"), KeyError("cake")
        lab.told(
            "with four generators: C raises a KeyError in its first turn, A a ValueError in "
            "its second"
        )
        generators = watched(
            lab,
            {
                "A": fails(log, "A", 1, late),
                "B": guest(log, "B", 4),
                "C": fails(log, "C", 0, early),
                "D": guest(log, "D", 2),
            },
        )
        got = self._give(lab, run_on, generators)
        if log == ["A", "B", "D"]:
            self._one_turn_each(lab, run_on)
        raised = [each for each in generators if each.failed]
        self._name(lab, got, "".join(log), len(raised), [early, late])
        self._asked_again(lab, generators)
        lab.told("with two generators that raise nothing")
        lab.equal(self._give(lab, run_on, [guest(log, "A", 1), guest(log, "B", 2)]), [])
        self._next_of_nothing(lab, run_on)
        self._stop(lab, run_on)

    def _give(self, lab, run_on, generators):
        try:
            return give(lab, run_on, generators)
        except (ValueError, KeyError, ExceptionGroup) as error:
            if isinstance(error, ExceptionGroup) or error.args in (("no tea",), ("cake",)):
                raise Wrong(
                    "one failure ends all",
                    f"`run_on` raised {type(error).__name__}, and returned nothing.",
                    lab.raising() or lab.call_of("send", "next"),
                    "Catch it at the `send`, keep it in a list, and go on.",
                    headline="let the error out",
                ) from None
            raise

    def _one_turn_each(self, lab, run_on):
        said = "The log is ABD: A, B and D had one turn and no more, and none of them had ended."
        log = []
        self._give(lab, run_on, attending(log, [(2, None)], "a question"))
        if log == ["A", "A", "A ends"]:
            raise Wrong(
                "falsy",
                f"{said} They all yield None. One that yields something else had all its turns.",
                lab.earliest(lab.operation("is", "is not", "=="), lab.call_of("next", given=None))
                or lab.condition(),
                "A bare `yield` gives None. Only StopIteration tells that a generator has ended.",
                headline="took None for the end",
            )
        raise Wrong(
            "stopped early",
            said,
            lab.looping(),
            "Round after round, as long as any generator is left.",
            headline="gave one round only",
        )

    def _name(self, lab, got, log, raised, expected):
        if log == "ABBBBDD":
            raise Wrong(
                "turns",
                f"The log is {log}: D began when B had ended.",
                lab.yielding_from() or lab.inner_loop() or lab.looping(),
                "Give the first generator one turn, then put it at the end of the queue.",
                headline="ran each to its end",
            )
        if log == "ABDBDB":
            stopped_at_the_first_end(lab, "D ended, and B had no more turns.")
        if log in ("ABC", "AB"):
            raise Wrong(
                "one failure ends all",
                "C raised its error, and from then on no generator had a turn. D had none at all.",
                lab.earliest(lab.handler(Exception), lab.breaking(), lab.returning()),
                "Let the `try` stand inside the loop, around a single turn.",
                headline="stopped the others",
            )
        errors = got if isinstance(got, list) else []
        if any(isinstance(error, StopIteration) for error in errors):
            raise Wrong(
                "StopIteration",
                f"It returned {got}. StopIteration is how a generator says that it has ended.",
                lab.handler(Exception, BaseException),
                "Put `except StopIteration` before `except Exception`: the first that "
                "fits is taken.",
                headline="took the end for an error",
            )
        if errors and all(isinstance(error, (str, type)) for error in errors):
            raise Wrong(
                "lost items",
                f"It returned {got}.",
                lab.call_of("append"),
                "Keep the exception itself: it knows its type, its words and its line.",
                headline="kept the words only",
            )
        if got is None and lab.returning() is None:
            raise Wrong(
                "return value",
                "It returned None.",
                try_="At the end, `return` the list of errors.",
                headline="no return",
            )
        if raised == 2 and len(errors) < 2:
            raise Wrong(
                "lost error",
                f"Two generators raised errors. It returned {got}.",
                _replacing(lab) or lab.handler(Exception, BaseException),
                "Put each error into a list, and return the list.",
            )
        if errors == expected[::-1]:
            raise Wrong(
                "order",
                f"It returned {got}, which is the order of the generators.",
                lab.call_of("sorted", "sort") or _taken_by_place(lab) or lab.item_of(),
                "The KeyError came first. Append each error when it comes.",
            )
        lab.equal(got, expected)
        if log[2:3] != "D" and (loop := lab.text.broken_off(expected[0])):
            raise Wrong(
                "one failure ends all",
                f"The log is {log}. C raised its error, and D, whose turn was next, had none.",
                loop,
                "Let the `try` stand inside the loop, around a single turn.",
                headline="an error ended the round",
                at="is left when one of them raises an error",
            )
        lab.equal(list(log), list("ABDBDBB"), what="the log is")

    def _asked_again(self, lab, generators):
        again = next((each for each in generators if each.after_failing), None)
        if again is None:
            return
        kind, headline, where, _ = QUEUED
        raise Wrong(
            kind,
            f"{again.name} had raised {type(again.failed).__name__}, and it was asked to go on.",
            where(lab),
            "A generator that raised an error has ended, as after StopIteration: `continue` in "
            "both `except`, or append it in an `else`.",
            headline,
        )

    def _next_of_nothing(self, lab, run_on):
        """Raise Wrong if an error is lost that Python made of a StopIteration."""
        lab.told("with a generator that calls `next` on an empty iterator")
        got = self._give(lab, run_on, [yields_the_next(iter([]))])
        if got == []:
            raise Wrong(
                "lost error",
                "It returned []. The generator had not come to its end, and that `next` raised "
                "StopIteration in it: Python makes a RuntimeError of such a one.",
                lab.use_of("__cause__", "__context__") or lab.handler(RuntimeError, Exception),
                "Keep this RuntimeError like any other error.",
            )

    def _stop(self, lab, run_on):
        log = []
        lab.told("with a generator that raises KeyboardInterrupt")
        try:
            got = run_on([fails(log, "A", 1, KeyboardInterrupt()), guest(log, "B", 3)])
        except KeyboardInterrupt:
            if log == ["A", "B"]:
                return
            raise Wrong(
                "caught too much",
                f"It came out, but only after the log was {''.join(log)}.",
                lab.raising(),
                "Do not catch it.",
                headline="held up the stop",
            ) from None
        if (leaves := _leaving_a_finally(lab)) and not lab.handler(BaseException):
            raise Wrong(
                "caught too much",
                f"Somebody pressed stop. It returned {got!r}, as if nothing had happened.",
                leaves,
                "Let the `return` stand behind the loop, without a `finally`.",
                at="stands in a `finally`, and so ends every error on its way out",
            )
        raise Wrong(
            "caught too much",
            f"Somebody pressed stop, and `run_on` went on. It returned {got!r}.",
            lab.earliest(lab.handler(BaseException), lab.call_of("KeyboardInterrupt")),
            "`except Exception` lets a KeyboardInterrupt pass.",
        )

    @sweep(
        lambda some: {
            "plan": some.lists(
                some.tuples(some.integers(0, 3), some.sampled_from(ENDS)), max_size=4
            ),
            "says": some.sampled_from(SAID),
        },
        besides=[
            {"plan": [(1, KeyError)] * 1100, "says": None},
            {"plan": [(11_000, KeyError)], "says": None},
        ],
        most=50,
    )
    def any_generators(self, run_on, lab, plan, says):
        log = []
        lab.told(f"with {plan_words(plan)}; each of their turns yields {says!r}")
        generators = attending(log, plan, says)
        got = give(lab, run_on, lab.own(list(generators)))
        self._asked_again(lab, generators)
        return {"it returned": got, "the log is": log}

    @sweep(
        lambda some: {
            "turns": some.lists(some.integers(0, 2), min_size=1, max_size=3),
            "place": some.integers(0, 2),
            "stop": some.sampled_from(STOPS),
        },
        most=12,
    )
    def a_stop(self, run_on, lab, turns, place, stop):
        """One is stopped, and the one before it fails."""
        place %= len(turns)
        ends = {place: stop, place - 1: KeyError}
        plan, log = [(each, ends.get(number)) for number, each in enumerate(turns)], []
        lab.told(f"with {plan_words(plan)}")
        error = failing(lab, stop, run_on, attending(log, plan))
        return {"what came out was": error, "the log is": log}

    @sweep(lambda some: {"ends": some.lists(some.sampled_from(ENDS), max_size=3)}, most=8)
    def a_call_in_a_turn(self, run_on, lab, ends):
        plan, log = [(1, end) for end in ends], []
        lab.told(f"with a generator that calls it with {plan_words(plan)}; and with D (2 turns)")
        call = calling(log, lambda: log.append(give(lab, run_on, attending(log, plan))))
        got = give(lab, run_on, [call, *attending(log, [(2, KeyError)], names="D")])
        return {"it returned": got, "the log is": log}

    @right
    def with_two_excepts(generators):
        """Run them in turns; return the errors that were raised."""
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @right
    def in_rounds(generators):
        errors = []
        while generators:
            left = []
            for generator in generators:
                try:
                    next(generator)
                    left.append(generator)
                except StopIteration:
                    pass
                except Exception as error:
                    errors.append(error)
            generators = left
        return errors

    @wrong("StopIteration", says="it was asked to go on")
    def failed_ones_queue(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
            ready.append(generator)
        return errors

    @wrong("return value", says="`return` the list")
    def returns_nothing(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
                continue
            ready.append(generator)

    @wrong("one failure ends all", says="D had none at all")
    def try_around_the_loop(generators):
        errors = []
        ready = deque(generators)
        try:
            while ready:
                generator = ready.popleft()
                try:
                    generator.send(None)
                except StopIteration:
                    continue
                ready.append(generator)
        except Exception as error:
            errors.append(error)
        return errors

    @wrong("one failure ends all", says="whose turn was next")
    def try_around_the_round(generators):
        alive, errors = list(generators), []
        while alive:
            try:
                for generator in list(alive):
                    try:
                        generator.send(None)
                    except StopIteration:
                        alive.remove(generator)
            except Exception as error:
                errors.append(error)
                alive.remove(generator)
        return errors

    @wrong("turns", says="D began when B had ended")
    def one_after_another(generators):
        errors = []
        for generator in generators:
            try:
                for _ in generator:
                    pass
            except Exception as error:
                errors.append(error)
        return errors

    @wrong("lost error", says="It returned []")
    def swallows(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except Exception:
                continue
            ready.append(generator)
        return errors

    @wrong("lost error", says="Two generators raised errors")
    def keeps_the_last(generators):
        failed = None
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                failed = error
            else:
                ready.append(generator)
        return [failed] if failed else []

    @wrong("stopped early", says="B had no more turns")
    def breaks_at_the_end(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                break
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @wrong("StopIteration", says="StopIteration is how")
    def one_except(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        return errors

    @wrong("one failure ends all", says="raised KeyError")
    def catches_the_end_only(generators):
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        return []

    queues_in_any_case = with_two_excepts.but("continue", "pass").but(
        "else:\n    ready.append(generator)",
        "ready.append(generator)",
        kind="StopIteration",
        says="append it after its `send`",
    )

    @wrong("one failure ends all", says="raised ExceptionGroup")
    def raises_at_the_end(generators):
        errors = []
        ready = deque(generators)
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
            else:
                ready.append(generator)
        if errors:
            raise ExceptionGroup("some failed", errors)
        return errors

    catches_all = with_two_excepts.but(
        "Exception", "BaseException", kind="caught too much", says="Somebody pressed stop"
    )

    words = with_two_excepts.but(
        "errors.append(error)",
        "errors.append(str(error))",
        kind="lost items",
        says="Keep the exception itself",
    )

    @wrong("order", says="the order of the generators")
    def by_place(generators):
        errors = {}
        ready = deque(enumerate(generators))
        while ready:
            place, generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors[place] = error
            else:
                ready.append((place, generator))
        return [errors[place] for place in sorted(errors)]


def yields_the_next(iterator):
    yield next(iterator)


def fails(log, name, turns, error):
    for _ in range(turns):
        log.append(name)
        yield
    raise error


def _replacing(lab):
    """The line of an `except` that gives a name a new list, where it should append; or None."""
    lines = [
        part.lineno
        for node in lab.nodes()
        if isinstance(node, ast.ExceptHandler)
        for part in ast.walk(node)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.List)
        if isinstance(part.targets[0], ast.Name)
    ]
    return min(lines, default=None)


def _leaving_a_finally(lab):
    """The `return` in a `finally`, or None."""
    lines = [
        part.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Try)
        for statement in node.finalbody
        for part in ast.walk(statement)
        if isinstance(part, ast.Return)
    ]
    return min(lines, default=None)


def _taken_by_place(lab):
    """The line that takes errors out of what it kept by generator or by place, or None."""
    items = [node for node in lab.nodes() if isinstance(node, ast.Subscript)]
    kept = {ast.unparse(one.value) for one in items if isinstance(one.ctx, ast.Store)}
    lines = [
        one.lineno
        for one in items
        if isinstance(one.ctx, ast.Load) and ast.unparse(one.value) in kept
    ]
    return max(lines, default=None)
