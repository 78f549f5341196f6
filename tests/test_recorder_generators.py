"""The recorder: the talk of generators with their callers."""

import inspect
import traceback
import types

import pytest

from helpers.recording.record import record
from tests.recorded import is_ours, iter_three, states


def averager():
    total = count = 0
    mean = None
    while True:
        try:
            value = yield mean
        except ZeroDivisionError:
            total = count = 0
            mean = None
            continue
        total, count = total + value, count + 1
        mean = total / count


def said(rec, name):
    lane = rec.lane(name).id
    return [(m.kind, m.detail) for m in rec.marks if m.lane == lane]


def test_a_conversation():
    with record() as rec:
        mean = rec.generator(averager())
        assert next(mean) is None
        assert mean.send(10) == 10 and mean.send(20) == 15
        assert mean.throw(ZeroDivisionError) is None
        mean.close()
    assert said(rec, "averager") == [
        ("next", None),
        ("yield", "None"),
        ("send", "10"),
        ("yield", "10.0"),
        ("send", "20"),
        ("yield", "15.0"),
        ("throw", "<class 'ZeroDivisionError'>"),
        ("yield", "None"),
        ("close", None),
        ("return", "None"),
    ]
    assert [lane.kind for lane in rec.lanes] == ["caller", "generator"]
    assert rec.lane("averager").outcome == "done"
    assert states(rec, "averager") == ["created"] + ["running", "suspended"] * 4 + [
        "running",
        "closed",
    ]
    assert states(rec, "caller")[:3] == ["running", "waiting", "running"]
    assert rec.steps == 5


def test_an_unprimed_send_leaves_it_created():
    with record() as rec:
        mean = rec.generator(averager(), "mean")
        with pytest.raises(TypeError, match="just-started"):
            mean.send(1)
        next(mean)
    assert states(rec, "mean") == ["created", "running", "created", "running", "suspended"]
    assert rec.lane("mean").outcome is None


def test_errors_leave_a_generator_closed():
    def fails():
        yield 1
        raise ValueError("x")

    with record() as rec:
        stand_in = rec.generator(fails())
        with pytest.raises(ValueError) as caught:
            list(stand_in)
    assert rec.lane("fails").outcome == "failed"
    assert states(rec, "fails")[-1] == "closed"
    assert not any(map(is_ours, traceback.extract_tb(caught.tb)))


def test_a_swallowed_close_is_an_error():
    def stubborn():
        for _ in range(2):
            try:
                yield
            except GeneratorExit:
                pass

    with record() as rec:
        stand_in = rec.generator(stubborn())
        next(stand_in)
        with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
            stand_in.close()
    assert said(rec, "stubborn")[-1][0] == "raise"
    assert states(rec, "stubborn")[-1] == "suspended"
    list(stand_in)


def test_delegation_carries_everything_through():
    def outer(inner):
        result = yield from inner
        yield result

    with record() as rec:
        inner = rec.generator(iter_three(), "inner")
        through = rec.generator(outer(inner), "outer")
        assert list(through) == [1, 2, 3]
    assert rec.lane("inner").parent == rec.lane("outer").id
    assert rec.lane("outer").parent == rec.lane("caller").id
    assert said(rec, "inner")[-2:] == [("next", None), ("return", "3")]


def test_await_takes_the_stand_in_of_a_coroutine():
    @types.coroutine
    def ask():
        try:
            return (yield "tea?")
        except KeyError:
            return "none"

    async def through(inner):
        return await inner

    def drive(act, what):
        with record() as rec:
            inner = rec.generator(ask(), "ask")
            outer = rec.generator(through(rec.generator(through(inner), "middle")), "outer")
            assert outer.send(None) == "tea?"
            assert inspect.getcoroutinestate(outer) == "CORO_SUSPENDED"
            with pytest.raises(StopIteration) as end:
                getattr(outer, act)(what)
        return end.value.value, rec

    assert drive("throw", KeyError())[0] == "none"
    value, rec = drive("send", 4)
    assert value == 4
    talk = [(rec.lanes[mark.lane].name, mark.kind, mark.detail) for mark in rec.marks]
    assert talk[:3] == [
        ("outer", "send", "None"),
        ("middle", "send", "None"),
        ("ask", "next", None),
    ]
    assert talk[3:6] == [(name, "yield", "'tea?'") for name in ("ask", "middle", "outer")]
    assert talk[6:9] == [(name, "send", "4") for name in ("outer", "middle", "ask")]
    assert states(rec, "middle") == ["created", "running", "suspended", "running", "closed"]

    with record() as rec:
        coroutine = through(rec.generator(iter_three(), "plain"))
        with pytest.raises(TypeError, match="object generator can't be used in 'await'"):
            coroutine.send(None)


def test_a_stand_in_has_the_generators_attributes():
    with record() as rec:
        stand_in = rec.generator(iter_three())
        assert inspect.getgeneratorstate(stand_in) == "GEN_CREATED"
        next(stand_in)
        assert stand_in.gi_frame.f_lineno and stand_in.gi_code is iter_three.__code__
        assert stand_in.__name__ == "iter_three" and iter(stand_in) is stand_in
    assert next(stand_in) == 2  # it goes on after the with, unrecorded
    assert len(said(rec, "iter_three")) == 2
    with pytest.raises(RuntimeError, match="the recording has ended"):
        rec.generator(iter_three())


def test_a_value_whose_repr_fails_harms_nothing():
    class Odd:
        def __repr__(self):
            raise ValueError

    with record() as rec:
        stand_in = rec.generator((x for x in [Odd(), "x" * 1000]), "odd")
        list(stand_in)
    assert "repr raises ValueError" in said(rec, "odd")[1][1]
    assert len(said(rec, "odd")[3][1]) == 40
