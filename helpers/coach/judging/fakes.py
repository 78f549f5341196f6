"""What a lab hands to an answer: services, sources and streams that note what is done to them."""

import asyncio
import contextlib
import copy
import math
import sys
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Self, TypeVar

from helpers.coach.judging.twists import NONE, Twist
from helpers.coach.mistakes.source import Place, Source

if TYPE_CHECKING:  # not every check talks to a server
    from helpers.services import Service

Owned = TypeVar("Owned", list, dict, set)


class Fakes:
    """The half of a Lab that makes things to hand to an answer.

    blocked: is told of a call that held the loop's thread: what, seconds, the frame that called.
    settled: is called when what only takes its time is over, and something in real time may begin.
    waiting_for: where tasks of the learner's wait for something. text: the answer's.
    """

    blocked: Callable[[str, float, FrameType], None]
    settled: Callable[[], None] = staticmethod(lambda: None)
    waiting_for: Callable[[str], list[Place]]
    text: Source

    def __init__(self):
        self._sites = contextlib.ExitStack()
        self.services = []  # those made for the case under way
        self.raised = []  # errors that their calls raised
        self.twist = NONE  # what befalls it
        self.owned = []  # (a list, dict or set of its caller, a copy of it)
        self.naps = math.inf  # seconds that time.sleep takes at most where the answer is called

    def service(
        self,
        seconds: float | Mapping[Hashable, float],
        results: Mapping[Hashable, object] | None = None,
        errors: Mapping[Hashable, Exception] | None = None,
        name: str = "fetch",
        cleanup: float = 0,
    ) -> Callable[[Hashable], Awaitable]:
        """A coroutine function of one argument that takes a while and notes what is done to it.

        seconds: how long each argument takes, a dict or one number for all. results: a dict
        from argument to result ("page …" otherwise). errors: a dict from argument to what is
        raised after that time. cleanup: seconds that a call takes to end when it is cancelled; who
        cancels it and goes has left it running. (It takes none in a run that is cancelled from
        outside: few statements say what holds if that falls into a cleanup.)

        Attributes: peak (most calls in flight), flying, calls, started, finished, cancelled (lists
        of arguments), places (the learner's line of each call, in the order of `calls`), peak_place
        (that of the call with which there were most).
        """
        sleep = asyncio.sleep

        async def service(argument):
            place = self.calling()
            service.started.append(argument)
            service.places.append(place)
            service.flying += 1
            if service.flying > service.peak:
                service.peak, service.peak_place = service.flying, place
            try:
                await sleep(seconds[argument] if isinstance(seconds, dict) else seconds)
            except asyncio.CancelledError:
                service.cancelled.append(argument)
                if cleanup and self.twist.cancel_after is None:
                    await sleep(cleanup)
                raise
            finally:
                service.flying -= 1
            if error := self.twist.error_of(name, argument) or (errors or {}).get(argument):
                self.raised.append(error)
                raise error
            service.finished.append(argument)
            return results[argument] if results is not None else f"page {argument}"

        service.started, service.finished, service.cancelled = [], [], []
        service.calls, service.places = service.started, []
        service.flying = service.peak = 0
        service.peak_place = None
        service.__name__ = service.__qualname__ = name
        self.services.append(service)
        return service

    def calling(self) -> Place | None:
        """The learner's place that calls the function or the coroutine function that asks here."""
        if place := self.text.of_frame(sys._getframe(1)):
            return place
        task = asyncio.current_task() if asyncio._get_running_loop() else None
        return self.text.of_coroutine(task.get_coro()) if task else None  # one of this call alone

    def begin_case(self, twist: Twist) -> None:
        """Begin to ask anew, with what befalls this time."""
        self.services, self.raised, self.owned, self.twist = [], [], [], twist

    def own(self, thing: Owned) -> Owned:
        """`thing` itself, a list, a dict or a set made in a sweep from what was drawn: it belongs
        to the caller, and whoever changes it is told so.
        """
        self.owned.append((thing, copy.copy(thing)))
        return thing

    def source(self, items: Iterable) -> "Items":
        """An iterator over `items` that notes how it is used: .taken, .finished, .closed, .place
        (the learner's that took the first).
        """
        return Items(items, self.text)

    def stream(
        self, items: Iterable, seconds: float = 0.0, behind: Callable | None = None
    ) -> "Stream":
        """An async iterator over `items` that takes `seconds` for each and notes how it is used:
        .taken, .finished, .closed; .ahead, the most items that were taken and not yet finished by
        the service `behind`.
        """
        return Stream(items, seconds, behind, self.holding)

    def holding(self) -> Place | None:
        """Where a task of the learner's waits for a lock or a semaphore, or None."""
        return min(self.waiting_for(".acquire"), default=None)

    def site(self, **settings: object) -> "Service":
        """A `services.catalogue(**settings)` of this check's own, gone when the check is over.

        It takes about half a second to start: for an exercise with clock = "real" and a `limit`
        of several seconds. Its .url, .log() and .peak() tell the rest.
        """
        from helpers import services

        site = self._sites.enter_context(services.catalogue(**settings))
        self.settled()  # a server takes long to start on a busy machine, and nothing comes too late
        return site

    def stop_sites(self) -> None:
        """End the servers of this check."""
        self._sites.close()

    def blocking(self, function: Callable) -> Callable:
        """`function`, noting each call of it that is made on a running loop's thread as
        "blocked".
        """

        def blocking(*arguments, **named):
            if asyncio._get_running_loop() is None:
                return function(*arguments, **named)
            begun = time.perf_counter()
            frame = sys._getframe(1)
            try:
                return function(*arguments, **named)
            finally:
                self.blocked(f"`{blocking.__name__}`", time.perf_counter() - begun, frame)

        blocking.__name__ = blocking.__qualname__ = getattr(function, "__name__", "work")
        return blocking


class Items:
    """An iterator that notes how it is used: .taken (items given), .finished, .closed, .place (the
    learner's that asked for the first).
    """

    def __init__(self, items: Iterable, text: Source):
        self._items = iter(items)
        self._text = text
        self.place = None
        self.taken = 0
        self.finished = False
        self.closed = False

    def __iter__(self):
        return self

    def __next__(self):
        self.place = self.place or self._text.of_frame(sys._getframe(1))
        try:
            item = next(self._items)
        except StopIteration:
            self.finished = True
            raise
        self.taken += 1
        return item

    def close(self) -> None:
        """Note that nobody wants the rest."""
        self.closed = True

    def __repr__(self):
        return "source"


class Stream:
    """An async iterator that notes how it is used: .taken (items given), .finished, .closed,
    .ahead (most items given that `behind`, a lab.service, had not finished yet), .held (what
    `holding` told then: where a task waits that has one in its hand).
    """

    def __init__(
        self,
        items: Iterable,
        seconds: float,
        behind: Callable | None,
        holding: Callable[[], Place | None] = lambda: None,
    ):
        self._items = iter(items)
        self._seconds = seconds
        self._behind = behind
        self._holding = holding
        self.taken = self.ahead = 0
        self.held = None
        self.finished = self.closed = False
        self._sleep = asyncio.sleep

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self):
        if self._seconds:
            await self._sleep(self._seconds)
        try:
            item = next(self._items)
        except StopIteration:
            self.finished = True
            raise StopAsyncIteration from None
        self.taken += 1
        if self._behind is not None and self.taken - len(self._behind.finished) > self.ahead:
            self.ahead, self.held = self.taken - len(self._behind.finished), self._holding()
        return item

    async def aclose(self) -> None:
        """Note that nobody wants the rest."""
        self.closed = True

    def __repr__(self):
        return "source"
