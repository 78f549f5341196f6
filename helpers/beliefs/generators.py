"""Beliefs about generators: lessons 02 to 04."""

import ast
import functools
from typing import Any

from helpers.beliefs.trees import yields
from helpers.beliefs.world import Belief, Running


class _OfGenerators(Belief):
    """A belief in which a call of a generator function gives something else."""

    words = ("yield",)

    def tree(self, tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and yields(node):
                node.decorator_list.append(ast.Name("__generator__", ast.Load()))
        return tree

    def names(self, under: Running) -> dict[str, Any]:
        def generator(function):
            return functools.wraps(function)(lambda *given: self.made(lambda: function(*given)))

        return {"__generator__": generator}

    def made(self, call: Any) -> Any:
        """What a call of a generator function gives. call: makes the generator."""
        raise NotImplementedError


class _StandIn:
    """What is asked like a generator, and asks one."""

    def __init__(self, call):
        self.call = call
        self.own = call()

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, value):
        return self.own.send(value)

    def throw(self, error):
        return self.own.throw(error)

    def close(self):
        self.own.close()


class GeneratorCallRuns(_OfGenerators):
    """A call of a generator function runs it to its first `yield`."""

    id = "generator-call-runs"
    sentence = "calling a generator function ran it up to its first `yield`"
    truth = "The call runs none of its lines: the first `next` does."
    lesson, turn = "02", "02-call"

    def made(self, call: Any) -> Any:
        return _Begun(call)


class _Begun(_StandIn):
    def __init__(self, call):
        super().__init__(call)
        self.ahead = []
        try:
            self.ahead.append(self.own.send(None))
        except StopIteration:
            pass

    def send(self, value):
        return self.ahead.pop() if self.ahead else super().send(value)


class AllBeforeTheFirst(_OfGenerators):
    """When it is first asked, a generator runs to its end, and then hands out the items."""

    id = "all-before-the-first"
    sentence = "a generator made all its items before it hands out the first"
    truth = "It makes one item when one is asked for, and stands still in between."
    lesson, turn = "02", "02-lazy"

    def made(self, call: Any) -> Any:
        return _Whole(call)


class _Whole(_StandIn):
    items = None

    def send(self, value):
        if self.items is None:
            self.items = []
            for item in self.own:
                self.items.append(item)
                if len(self.items) > 50:
                    break
        if not self.items:
            raise StopIteration
        return self.items.pop(0)


class StartsAnew(_OfGenerators):
    """A generator that is used up begins anew when it is asked again."""

    id = "starts-anew"
    sentence = "a loop over a generator began at its first item again"
    truth = "A generator is used up once: a second loop goes on where the first one stopped."
    lesson, turn = "02", "02-second-list"

    def made(self, call: Any) -> Any:
        return _Anew(call)


class _Anew(_StandIn):
    def __iter__(self):
        return _Anew(self.call)


class ThrowEndsIt(_OfGenerators):
    """What is thrown in ends the generator, and comes back out."""

    id = "throw-ends-it"
    sentence = "an error thrown into a generator ended it, whatever it catches"
    truth = "It is raised at the `yield`: who catches it there goes on to the next `yield`."
    lesson, turn = "03", "03-throw"
    words = (".throw(",)

    def made(self, call: Any) -> Any:
        return _Thrown(call)


class _Thrown(_StandIn):
    def throw(self, error):
        self.own.close()
        raise error


class FinallyAlways(_OfGenerators):
    """A generator that is closed before it began runs its `finally`."""

    id = "finally-always"
    sentence = "a `finally` ran although its generator was never asked"
    truth = "A generator that was never asked is paused before its `try`: there is nothing to do."
    lesson, turn = "03", "03-finally"
    words = (".close()",)

    def made(self, call: Any) -> Any:
        return _Entered(call)


class _Entered(_StandIn):
    begun = False

    def send(self, value):
        self.begun = True
        return super().send(value)

    def close(self):
        if not self.begun:
            self.own = self.call()
            self.own.send(None)
        self.own.close()


class CloseDoesNothing(_OfGenerators):
    """`close` runs none of the generator's lines."""

    id = "close-runs-nothing"
    sentence = "`close()` ran none of the generator's lines"
    truth = "`close` raises GeneratorExit at the `yield`, so that `finally` is run."
    lesson, turn = "03", "03-close"
    words = (".close()",)

    def names(self, under: Running) -> dict[str, Any]:
        self_names = super().names(under)
        generator = self_names["__generator__"]

        def kept(function):
            def call(*given):
                made = generator(function)(*given)
                under.kept.append(made.own)
                return made

            return functools.wraps(function)(call)

        return {"__generator__": kept}

    def made(self, call: Any) -> Any:
        return _Left(call)


class _Left(_StandIn):
    def close(self):
        self.own = iter(())

    def send(self, value):
        if hasattr(self.own, "send"):
            return self.own.send(value)
        raise StopIteration


class SendComesBack(_OfGenerators):
    """`send` gives back what was sent, and the generator goes on at the next `next`."""

    id = "send-comes-later"
    sentence = "what is sent arrived one `yield` later"
    truth = "It is the value of the `yield` at which the generator stands now."
    lesson, turn = "03", "03-answers"
    words = (".send(",)

    def made(self, call: Any) -> Any:
        return _Later(call)


class _Later(_StandIn):
    waiting = None

    def send(self, value):
        self.waiting, value = value, self.waiting
        return super().send(value)


class LoopOverCopy(Belief):
    """`for` walks over a copy of the list."""

    id = "loop-over-copy"
    sentence = "a `for` visited what was in the list when it began"
    truth = "`for` counts places: what is removed moves the rest, and one is passed over."
    lesson, turn = "05", "05-removed"
    words = (".remove(", ".append(", ".pop(")

    def tree(self, tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
                node.iter = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        return tree


BELIEFS = [
    GeneratorCallRuns(),
    AllBeforeTheFirst(),
    StartsAnew(),
    ThrowEndsIt(),
    FinallyAlways(),
    CloseDoesNothing(),
    SendComesBack(),
    LoopOverCopy(),
]
