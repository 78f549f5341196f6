"""The talk of a generator with its caller, turn by turn, by a stand-in for the generator."""

import collections.abc
import inspect
from typing import Any

from helpers.basics.places import short
from helpers.recording.current import here
from helpers.recording.model import STATES, TALK, Talk


class Generator:
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

    def send(self, value: Any) -> Any:
        try:
            return self._turn("send", short(value), self._gen.send, value)
        except BaseException as error:
            _hide_two(error)
            raise

    def throw(self, *error: Any) -> Any:
        try:
            return self._turn("throw", short(error[0]), self._gen.throw, *error)
        except BaseException as error:
            _hide_two(error)
            raise

    def close(self) -> Any:
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
        if not hasattr(here, "talking"):
            here.talking = []
        here.talking.append(talk.lane)
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
            here.talking.pop()
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


collections.abc.Generator.register(Generator)
