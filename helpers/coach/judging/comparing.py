"""What a lab compares: a result with what was asked, a time and a peak with what is allowed."""

import ast
import asyncio
import inspect
from collections.abc import Awaitable, Iterator, MappingView
from typing import NoReturn

from helpers.basics.words import count, listed, seconds
from helpers.coach.form.statement import Wrong, same_items, same_value
from helpers.coach.judging.fakes import Stream
from helpers.coach.judging.runs import Run, is_longer
from helpers.coach.judging.what_if import is_error, leaves, type_of
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.differences import in_spelling
from helpers.coach.mistakes.errors import with_items
from helpers.coach.mistakes.handlers import (
    LEFT_AT_ONCE,
    STARTED_BEFORE,
    TAKEN_INSIDE,
    left_at_once,
    started_before,
    taken_inside,
)
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.suspects import (
    Suspect,
    of_alike,
    of_change,
    of_one_wait,
    of_order,
    of_row,
    of_value,
)
from helpers.coach.mistakes.words import brief, coroutine_name

RETURNED = "it returned"
DEFAULT = (
    "A default is made once, when the function is defined, and each call gets the same one. Take "
    "None for the default, and make a new one inside."
)
OUTSIDE = "What belongs to one call is made in that call: inside the function."
OWN = "Let out the error that came: a bare `raise` in the `except`, or no `except` at all."
LOOK_AGAIN = "Look at those again."


class Comparing:
    """The half of a Lab that compares: each method returns if all is well and raises Wrong.

    asks: the learner's name for the answer. clock: "virtual" or "real". text: the answer's.
    raised: the errors that services raised in this run.
    """

    asks: str
    clock: str
    text: Source
    raised: list[BaseException]

    def equal(
        self,
        got: object,
        expected: object,
        what: str = RETURNED,
        secret: bool = False,
        line: int | None = None,
    ) -> None:
        """Raise Wrong unless `got` equals `expected`: "not awaited", "order" or "value".

        what: the words before the value. secret: don't show what was expected. line: the one to
        point at, where the answer's tree doesn't tell.
        """
        self._look_for_coroutines(got)
        if same_value(got, expected):
            return
        said = f"{_begun(what)} {brief(got)}"
        if _is_lazy(got) and _is_row(expected) and not secret:
            raise Wrong(
                "value",
                f"{_begun(what)} a {type(got).__name__} object. A list is asked for.",
                self.text.returning(),
                f"`list(…)` makes a list of a {type(got).__name__} object.",
                headline="not a list",
            )
        if secret and isinstance(expected, dict):
            raise Wrong("value", _items_apart(got, expected, what), try_=LOOK_AGAIN)
        if _is_row(got) and _is_row(expected) and len(got) == len(expected):
            if same_items(got, expected):
                if secret:
                    raise Wrong(
                        "order",
                        f"{said}.",
                        try_="The items are right, their order is not. Follow the program again, "
                        "line by line.",
                    )
                found = self._kept_outside() or of_order(self.text.nodes(), got, expected)
                found = found or Suspect(line)
                raise Wrong(
                    "order",
                    f"{said}; the expected order is {brief(expected)}.",
                    found.line,
                    found.try_,
                    at=found.at,
                )
            if secret:
                numbered = (dict(enumerate(row, 1)) for row in (got, expected))
                raise Wrong("value", _items_apart(*numbered, what, "number "), try_=LOOK_AGAIN)
        if secret:
            raise Wrong("value", f"{said}; that is not it.", try_="`ex.hint()` gives a nudge.")
        apart = _first_difference(got, expected) if brief(got) == brief(expected) else ""
        found = self.suspect(got, expected) or Suspect(line)
        said = f"{said}; expected {brief(expected)}.{apart}"
        try_ = found.try_ or in_spelling(got, expected)
        if what == RETURNED:
            raise Wrong("value", said, found.line, try_, at=found.at)
        # What happened, or when, is no value.
        headline = "not what was expected"
        raise Wrong("value", said, found.line, try_ or KINDS["value"].try_, headline, found.at)

    def suspect(self, got: object, expected: object) -> Suspect | None:
        """The line that seems to make `got` of what should be `expected`, and what it does."""
        if kept := self.text.kept_default():
            return Suspect(kept, "keeps it from call to call", DEFAULT)
        lost = next(filter(is_error, leaves(expected)), None)
        came = next(filter(is_error, leaves(got)), None)
        if lost is not None and came is None:
            kept = self.text.keeper_of(type_of(lost))
            return kept and Suspect(kept.line, kept.at, kept.try_)
        if lost is not None and (line := self._raised_instead(came)):
            return Suspect(line, "raises another error", OWN)
        if found := of_value(self.text.nodes(), got, expected):
            return found
        return self._kept_outside()

    def _raised_instead(self, error):
        """The line of the answer that raised this error while it dealt with another one."""
        if not isinstance(error, BaseException) or error.__context__ is None:
            return None
        steps = self.text.steps_of(error)
        raises = [node.lineno for node in self.text.nodes() if isinstance(node, ast.Raise)]
        return steps[-1] if steps and steps[-1] in raises else None

    def _kept_outside(self):
        outside = self.text.kept_outside()
        return outside and Suspect(outside, "makes one for all calls", OUTSIDE)

    def truth_test(self) -> Suspect:
        """The one test of the answer by what counts as false; without a line if there is none."""
        return of_value(self.text.nodes(), [], [0]) or Suspect(None)

    def alike(self) -> Suspect:
        """The one line that may mix up items that are equal; without a line if there is none."""
        return of_alike(self.text.nodes()) or Suspect(None)

    def changed_underway(self) -> int | None:
        """The one line that changes a row while a `for` goes through it."""
        found = of_row(self.text.nodes())
        return found and found.line

    def one_wait(self) -> Suspect:
        """The one `if` behind whose wait nobody asks again whether there is a place; without a
        line if there is none.
        """
        return of_one_wait(self.text.nodes()) or Suspect(None)

    def changing(self) -> int | None:
        """The one line that seems to change what the answer was given."""
        found = of_change(self.text.nodes())
        return found and found.line

    def lost_error(
        self, observed: str, *errors: type[BaseException], line: int | None = None
    ) -> Wrong:
        """The Wrong for an error of one of these types that had to come out and did not: with the
        line that kept it, where that is sure.

        line: the one to point at where it isn't.
        """
        kept = self._keeper_of_raised(*errors) or self.text.keeper_of(*errors)
        if kept is None:
            return Wrong("lost error", observed, line)
        return Wrong("lost error", observed, kept.line, kept.try_, at=kept.at)

    def _keeper_of_raised(self, *errors):
        """What kept an error from coming out that a service raised in this run."""
        raised = [error for error in self.raised if isinstance(error, errors)]
        return next(filter(None, map(self.text.keeper, raised)), None)

    def kept_of(self, *errors: type[BaseException]) -> Place | None:
        """The line that kept such an error, which a service raised in this run."""
        kept = self._keeper_of_raised(*errors)
        return kept and self.text.place(kept.line)

    def keeping(self, *errors: type[BaseException]) -> int | None:
        """The line that keeps such an error from coming out; None if it isn't sure which."""
        kept = self.text.keeper_of(*errors)
        return kept and kept.line

    def _look_for_coroutines(self, got):
        for thing in with_items(got):
            inside = "" if thing is got else f"a {type(got).__name__} with "
            if inspect.iscoroutine(thing):
                place = self.text.of_coroutine(thing)
                name = coroutine_name(thing)
                thing.close()
                raise Wrong(
                    "not awaited",
                    f"It returned {inside}a coroutine, `{name}`, that nobody awaited.",
                    place,
                )
            if isinstance(thing, asyncio.Future):
                raise Wrong(
                    "not awaited",
                    f"It returned {inside}a {type(thing).__name__}, not its result.",
                    try_="Await it first.",
                )

    def concurrent(self, run: Run, longest: float, total: float) -> None:
        """Raise Wrong("sequential") unless the waits overlapped, up to the longest one.

        longest, total: seconds of the longest single wait and of all of them together. On the
        virtual clock the time must be exact; on the real one it must be nearer to the longest
        than to the total.
        """
        if self.clock == "virtual":
            in_turn = is_longer(run.elapsed - run.outside, longest)
        else:
            in_turn = run.elapsed > (longest + total) / 2
        if not in_turn:
            return
        took = f"It took {seconds(run.elapsed)}; the longest single wait is {seconds(longest)}."
        if self.clock == "virtual" and run.elapsed < total * 0.999:
            took += (
                f" Some waits overlapped, not all: one after another they take {seconds(total)}."
            )
        raise Wrong("sequential", took, self.text.sequential_await())

    def changed_input(self, before: str, afterwards: str) -> NoReturn:
        """Raise Wrong("changed") for a list, a dict or a set that belongs to the caller."""
        suspect = of_change(self.text.nodes(), self.text.has_run) or Suspect(None)
        raise Wrong(
            "changed",
            f"I gave it {before}. Afterwards that was {afterwards}.",
            suspect.line,
            "It belongs to the caller, who may still need it. Work on a copy, or let it be.",
            headline="changed what it was given",
            at=suspect.at,
        )

    def limited(
        self, peak: int, at_most: int, what: str = "calls", line: Place | int | None = None
    ) -> None:
        """Raise Wrong("limit") if more than `at_most` were in flight at once.

        line: that of the call with which there were too many, as a service's `peak_place`.
        """
        if peak > at_most:
            observed = f"{peak} {what} were in flight at once; at most {at_most} may be."
            found = self.one_too_many(line)
            raise Wrong("limit", observed, found.line or line, found.try_, at=found.at)

    def one_too_many(self, line: Place | int | None) -> Suspect:
        """What lets in more than a limit allows; without a line if it isn't sure.

        line: that of the call with which there were too many.
        """
        nodes = self.text.nodes()
        number = line[1] if isinstance(line, tuple) else line
        suspects = (
            Suspect(taken_inside(nodes), *TAKEN_INSIDE),
            Suspect(left_at_once(nodes), *LEFT_AT_ONCE),
            Suspect(started_before(nodes, number), *STARTED_BEFORE),
            self.one_wait(),
        )
        return next((suspect for suspect in suspects if suspect.line), Suspect(None))

    def bounded(self, stream: Stream, at_most: int) -> None:
        """Raise Wrong("unbounded") if a stream ran more than `at_most` items ahead of its
        service.
        """
        if stream.ahead <= at_most:
            return
        observed = (
            f"{stream.ahead} items had been taken from the source and were not done yet; at most "
            f"{at_most} may be."
        )
        queue = self.text.call_of("*Queue")
        if not queue or self.text.bare_call_of("*Queue"):
            raise Wrong("unbounded", observed, queue or self.text.async_for())
        raise Wrong(
            "unbounded",
            observed,
            stream.held or queue,
            "Whatever waits for a place with an item in its hand counts too: get the place first, "
            "then take the item."
            if stream.held
            else "Each worker has an item in its hand, and so has the one that puts: the queue may "
            "hold no more than what is left.",
            headline="took too many items",
            at="waits for a place" if stream.held else "",
        )

    def awaitable(self, made: object, name: str | None = None) -> Awaitable:
        """What a call of the answer, or of its method `name`, returned: Wrong("not async") if it
        can't be awaited.
        """
        name = name or self.asks
        if inspect.isawaitable(made):
            return made
        if inspect.isasyncgen(made):
            raise Wrong(
                "not async",
                f"`{name}` returned an async generator.",
                self.text.yielding(),
                "A `yield` inside an `async def` makes an async generator of it: `return` instead.",
            )
        raise Wrong(
            "not async",
            f"`{name}` returned {brief(made)} at once: there is nothing to await.",
            self.text.definition(name),
        )


def _begun(words):
    """The words, as a sentence begins."""
    return words[0].upper() + words[1:]


def _items_apart(got, expected, what, prefix=""):
    """Which items of a dict are not right, in words that don't tell what is."""
    if not isinstance(got, dict):
        return f"{_begun(what)} {brief(got)}; expected a dict."
    missing = [key for key in expected if key not in got]
    open_ = [key for key in expected if key in got and got[key] is ...]
    extra = [key for key in got if key not in expected]
    bad = [
        key
        for key in expected
        if key in got and key not in open_ and not same_value(got[key], expected[key])
    ]
    parts = []
    for keys, one, several in (
        (open_, "still stands at `...`", "still stand at `...`"),
        (missing, "is missing", "are missing"),
        (extra, "was not asked for", "were not asked for"),
        (bad, "is not right yet", "are not right yet"),
    ):
        if keys:
            named = listed(prefix + brief(key) for key in keys[:4])
            more = f" and {len(keys) - 4} more" if len(keys) > 4 else ""
            parts.append(f"{named}{more} {several if len(keys) > 1 else one}")
    return f"Of {count(len(expected), 'item')}: " + "; ".join(parts) + "."


def _first_difference(got, expected):
    """What parts two rows or two dicts that look the same where they are cut, as a sentence."""
    if isinstance(got, dict) and isinstance(expected, dict):
        return _first_key(got, expected)
    if not _is_row(got) or not _is_row(expected):
        return ""
    if len(got) != len(expected):
        return f" That is {count(len(got), 'item')}; expected {len(expected):,}."
    rows = enumerate(zip(got, expected), 1)
    place, (one, other) = next(each for each in rows if not same_value(*each[1]))
    return f" Number {place:,} is {brief(one)}; expected {brief(other)}."


def _first_key(got, expected):
    for key, value in expected.items():
        if key not in got:
            return f" There is no {brief(key)} in it."
        if not same_value(got[key], value):
            return f" At {brief(key)} stands {brief(got[key])}; expected {brief(value)}."
    extra = [key for key in got if key not in expected]
    return f" Nobody asked for {brief(extra[0])}, which is in it." if extra else ""


def _is_lazy(thing):
    """Whether this gives out its items one by one, or only shows what a dict has in it."""
    return isinstance(thing, (Iterator, MappingView))


def _is_row(thing):
    return isinstance(thing, (list, tuple))
