"""The timeline: a figure for every kind of recording, and its words."""

import asyncio
import collections
import re
import time

import pytest

from helpers.kernel.virtual import VirtualLoop
from helpers.pictures.timeline import timeline
from helpers.pictures.timeline_panel import MOST
from helpers.recording.counting import count_states
from helpers.recording.record import attach, record
from helpers.recording.words import SCOPE
from tests.stories import nap, recorded
from tests.timelines import (
    bars,
    conversation,
    crowd,
    drawn,
    iter_many,
    jobs,
    one_by_one,
    titles_in,
    together,
    tree,
    words_in,
)


def test_the_words_tell_what_each_lane_did():
    figure = timeline(recorded(together()), title="Three waits")
    assert figure.text.splitlines() == [
        "Three waits.",
        "Timeline of 3.00 s of virtual time: 1 loop and 4 tasks; at most 4 tasks in flight at "
        "once.",
        "The loop ran steps for 0 µs and had nothing to do for 3.00 s.",
        "together ran for 0 µs in 2 steps, waited 3.00 s for gather and was done at 3.00 s.",
        "nap-1, created by together at 0 µs, ran for 0 µs in 2 steps, waited 1.00 s for sleep and "
        "was done at 1.00 s.",
        "nap-2, created by together at 0 µs, ran for 0 µs in 2 steps, waited 2.00 s for sleep and "
        "was done at 2.00 s.",
        "nap-3, created by together at 0 µs, ran for 0 µs in 2 steps, waited 3.00 s for sleep and "
        "was done at 3.00 s.",
    ]
    assert figure.alt == " ".join(figure.text.splitlines())
    assert repr(figure) == figure.text


def test_a_moment_can_be_marked_through_all_panels():
    recs = {"one": recorded(together()), "two": recorded(one_by_one())}
    figure = timeline(recs, mark=(1.0, "here they part"))
    assert figure.text.splitlines()[-1] == "Marked at 1.00 s: here they part."
    assert figure.alt.endswith(" Marked at 1.00 s: here they part.")
    assert tree(figure).get("aria-label").endswith(" Marked at 1.00 s: here they part.")
    plain = timeline(recs)
    assert "here they part" in words_in(tree(figure))
    line = re.search(r'class="mark" d="([^"]*)"', figure.svg)[1]
    runs = [tuple(map(float, run)) for run in re.findall(r" ([\d.]+)V([\d.]+)", line)]
    names = [float(y) for y in re.findall(r'y="([\d.]+)" class="panel"', figure.svg)]
    assert len(runs) == len(names) == 2
    assert all(not begin <= y <= end for begin, end in runs for y in names), (
        "it strikes no name out"
    )
    assert figure.svg.count('class="mark"') == 1 and 'class="mark"' not in plain.svg


def test_cancellation_and_errors_in_words():
    async def main():
        task = asyncio.create_task(nap(9), name="slow")
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        raise KeyError("k")

    with record() as rec, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        attach(runner.get_loop())
        with pytest.raises(KeyError):
            runner.run(main())
    text = timeline(rec).text
    assert (
        "slow, created by main at 0 µs, ran for 0 µs in 2 steps, waited 1.00 s for sleep, was "
        "asked to cancel by main at 1.00 s, was told so at 1.00 s and was cancelled at 1.00 s."
    ) in text
    assert "failed at 1.00 s with KeyError('k')." in text


def test_what_is_drawn():
    async def main():
        async def rude():
            await asyncio.sleep(0.02)
            time.sleep(0.12)

        task = asyncio.create_task(nap(9), name="slow")
        other = asyncio.create_task(rude())
        await asyncio.sleep(0.01)
        task.cancel()
        await other

    svg = drawn(recorded(main(), None))
    assert words_in(svg, "name") == ["loop", "main", "slow", "rude"]
    assert any(re.fullmatch(r"test_timeline.py:\d+ rude", text) for text in words_in(svg))
    assert {"✓ done", "⊘ cancelled", "task rude"} <= set(words_in(svg))
    assert set(words_in(svg, "key")) - {"ready, waits its turn"} == {
        "running",
        "waiting for something",
        "loop has nothing to do",
        "loop is blocked",
        "woken by",
        "cancel asked",
        "cancel delivered",
    }


def test_a_bar_says_what_it_was():
    async def main():
        async def rude():
            await asyncio.sleep(0.02)
            time.sleep(0.12)

        await asyncio.create_task(rude(), name="rude")

    said = "\n".join(titles_in(drawn(recorded(main(), None))))
    span = r"from [\d.]+ m?s to [\d.]+ m?s \([\d.]+ ms\)"
    place = r"test_timeline.py:\d+ "
    for sentence in (
        rf"rude waited for sleep {span}, {place}nap: await asyncio.sleep\(0.02\); "
        "woken by its timer",
        rf"main waited for task rude {span}, {place}main: await asyncio.create_task\(rude\(\), "
        r"name=\"rude\"\); woken by rude \(its end\)",
        rf"The loop was blocked {span} by {place}rude: time.sleep\(0.12\)",
        rf"The loop had nothing to do {span}",
        rf"rude ran {span}",
        r"rude woke main at [\d.]+ ms \(its end\)",
    ):
        sentence = sentence.replace("nap: await", "rude: await")
        assert re.search(rf"^{sentence}\.$", said, re.MULTILINE), sentence


def test_what_still_waits_says_so():
    async def main():
        asyncio.create_task(nap(9), name="slow")
        await asyncio.sleep(1)

    with record() as rec:
        loop = VirtualLoop()
        attach(loop)
        loop.run_until_complete(main())
    [said] = [title for title in titles_in(drawn(rec)) if title.startswith("slow waited")]
    assert said.endswith("; it still waits.")
    loop.run_until_complete(asyncio.sleep(9))
    loop.close()


def test_a_long_name_is_cut_and_can_be_asked():
    async def main():
        await asyncio.create_task(nap(1), name="a name that is much too long for a label")

    svg = drawn(recorded(main()))
    [name] = [text for text in svg.iter("text") if "…" in (text.text or "")]
    assert name.text == "a name that is mu…"
    assert name[0].text == "a name that is much too long for a label"


def test_panels_share_one_time_axis():
    recs = {"one by one": recorded(one_by_one()), "together": recorded(together())}
    svg = drawn(recs)
    assert words_in(svg, "panel") == ["one by one", "together"]
    assert "seconds of virtual time: sleeps jump" in words_in(svg, "tick")
    first, second = (
        {path.get("transform") for path in grid.iter("path")}
        for grid in svg.iter("g")
        if grid.get("class") == "grid"
    )
    assert first == second
    [numbers] = [group for group in svg.iter("g") if group.get("class") == "tick"]
    assert [text.text for text in numbers] == ["0", "1", "2", "3", "4", "5", "6"]
    alt = timeline(recs).alt
    assert "one by one: Timeline of 6.00 s" in alt and "together: Timeline of 3.00 s" in alt


def test_who_begins_late_begins_at_the_left():
    with record() as rec, asyncio.Runner() as runner:
        time.sleep(0.05)
        attach(runner.get_loop())
        runner.run(nap(0.01))
    start, _, _ = drawn(rec).get("data-axis").split()
    assert 50 <= float(start) < 1000 and drawn(rec).get("data-unit") == "milliseconds"
    with record() as rec, asyncio.Runner() as runner:
        attach(runner.get_loop())
        runner.run(nap(0.5))  # a busy machine needs a moment to begin: it is to be a small part
    assert drawn(rec).get("data-axis").startswith("0 ")


def test_arrows_that_would_lie_on_one_another_go_aside():
    async def main():
        both = asyncio.Semaphore(2)

        async def visit():
            async with both:
                await asyncio.sleep(1)

        await asyncio.gather(*(visit() for _ in range(4)))

    svg = drawn(recorded(main()))
    arrows = [path for path in svg.find("g").iter("path") if path.get("class") == "wake"]
    ways = collections.defaultdict(set)
    for path in arrows:
        ways[path.get("transform")].add("C" in path.get("d"))
    assert {True, False} in ways.values()


def test_a_scope_of_anyio_that_a_task_lives_through_is_no_mark():
    async def main():
        task = asyncio.create_task(nap(9), name="slow")
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])

    rec = recorded(main())
    assert "cancel asked" in words_in(drawn(rec))
    rec.cancels = [
        (mark._replace(detail=SCOPE, time=0.5) if mark.kind == "cancel asked" else mark, order)
        for mark, order in rec.cancels
    ]
    assert "cancel asked" not in words_in(drawn(rec))
    assert "asked" not in timeline(rec).text


def test_many_lanes_are_put_together():
    rec = recorded(crowd())
    figure = timeline(rec)
    assert len(figure.text.splitlines()) < 12
    assert "201 tasks; at most 201 tasks in flight at once." in figure.text
    assert "In the end: 197 done and 4 failed. Some of them:" in figure.text
    assert "task-4, created by crowd" in figure.text  # the first that failed is in the sample
    svg = tree(figure)
    assert "201 at once" in words_in(svg)
    assert float(svg.get("height")) < 600
    assert len(recorded(crowd(MOST - 2)).lanes) == MOST


def test_a_crowd_is_counted_as_its_spans_say():
    async def main():
        async def task(n):
            await asyncio.sleep(n % 3 / 100)
            time.sleep(0.001)
            await asyncio.sleep(0)

        await asyncio.gather(*[task(n) for n in range(30)])

    rec = recorded(main(), asyncio.new_event_loop)
    lanes = [lane for lane in rec.lanes if lane.kind == "task"]
    moments = [rec.duration * (i + 0.5) / 50 for i in range(50)]
    counts = count_states(rec, lanes, moments)
    for i, moment in enumerate(moments):
        states = [
            span.state
            for lane in lanes
            for span in rec.spans(lane)
            if span.start <= moment < span.end
        ]
        for state in ("running", "ready", "waiting"):
            assert counts[state][i] == states.count(state), (moment, state)


def test_chosen_lanes():
    rec = recorded(together())
    svg = drawn(rec, lanes=["nap-3", rec.lane("nap-1")])
    assert words_in(svg, "name") == ["nap-3", "nap-1"]
    with pytest.raises(KeyError, match="no lane is named 'other'"):
        timeline(rec, lanes=["other"])


def test_a_conversation_is_drawn_turn_by_turn():
    rec = conversation()
    svg = drawn(rec)
    # The caller above what it calls, and that above what it delegates to.
    assert words_in(svg, "name") == ["caller", "outer", "averager"]
    for said in ("next()", "yield None", "send(10)", "yield 10.0"):
        assert words_in(svg).count(said) == 2
    assert "averager: running after send(10)." in titles_in(svg)
    assert "averager: suspended since yield 10.0." in titles_in(svg)
    text = timeline(rec).text
    assert "The caller talked to outer." in text
    assert "averager answered next() with yield None, send(10) with yield 10.0" in text
    assert "it is closed." in text


def test_a_long_conversation_says_what_it_leaves_out():
    with record() as rec:
        list(rec.generator(iter_many()))
    svg = drawn(rec)
    shown = sum(text.startswith(("next", "yield", "return")) for text in words_in(svg, "detail"))
    assert f"{2 * 101 - shown} more" in words_in(svg)
    assert "93 turns more; it is closed." in timeline(rec).text


def test_a_yield_climbs_five_frames():
    def innermost():
        return (yield "tea?")

    def through(inner):
        return (yield from inner)

    with record() as rec:
        talk = rec.generator(innermost(), "1")
        for name in "2345":
            talk = rec.generator(through(talk), name)
        next(talk)
        with pytest.raises(StopIteration):
            talk.send("yes")
    words = words_in(drawn(rec))
    for said in ("next()", "yield 'tea?'", "send('yes')", "return 'yes'"):
        assert words.count(said) == 5


def test_jobs_are_filled_to_their_share_of_a_core():
    rec = jobs()
    svg = drawn(rec)
    frames = bars(svg, "core")
    fillings = bars(svg, "running share")
    assert len(frames) == len(fillings) == 3
    for frame, filling, lane in zip(frames, fillings, rec.lanes):
        share = float(filling.get("height")) / float(frame.get("height"))
        assert share == pytest.approx(rec.spans(lane)[0].cpu, abs=0.01)
        assert re.match(r"sleep-\d ran in Thread-\d+ .* and used \d+% of a core", frame[0].text)
    text = timeline(rec).text
    assert re.search(r"sleep-1 ran in Thread-\d+.* used \d+% of a core and was done", text)


def test_an_empty_recording_says_so():
    with record() as rec:
        pass
    assert "no lanes" in timeline(rec).alt
    assert "nothing was started inside the with" in words_in(drawn(rec))
    with pytest.raises(ValueError, match="no recording"):
        timeline({})


def test_one_line_that_blocks_again_and_again_is_written_once():
    async def stubborn():
        time.sleep(0.06)

    async def main():
        await asyncio.gather(*(stubborn() for _ in range(3)))

    rec = recorded(main(), asyncio.new_event_loop)
    assert sum(span.state == "blocked" for span in rec.spans("loop")) == 3
    words = [word for word in words_in(drawn(rec)) if "test_timeline.py:" in word]
    assert len(words) == 1


def test_a_lane_of_the_crowd_may_be_woken_by_one_that_is_drawn():
    """FastAPI under uvicorn, asked by httpx, is such a crowd."""

    async def wakes_one_of_many():
        door = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for number in range(2 * MOST):
                waits = number == MOST + 1
                group.create_task(door.wait() if waits else asyncio.sleep(1), name=f"T{number}")
            await asyncio.sleep(0.5)
            door.set()

    rec = recorded(wakes_one_of_many())
    woken = f"wakes_one_of_many woke T{MOST + 1} at"
    assert not [title for title in titles_in(drawn(rec)) if title.startswith(woken)]
