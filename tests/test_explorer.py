"""What the explorer says of each instant of a recording: the queue, who waits, who is woken."""

import asyncio
import pickle
import random
import re
import sys
import time

import pytest

from helpers import explore
from helpers.eventloop import sockets, timers
from helpers.kernel.virtual import VirtualLoop
from helpers.recording.instants import Instants
from helpers.recording.record import attach, record
from tests.stories import answer, nap, recorded, story, walk

uvloop = pytest.importorskip("uvloop") if sys.platform != "win32" else None
LOOPS = [VirtualLoop, asyncio.SelectorEventLoop] + ([uvloop.new_event_loop] if uvloop else [])


def boxes(view):
    return {title: list(entries) for title, entries, _ in view.boxes if entries}


def without_places(entries):
    return [re.sub(r" \(.*\)", "", entry) for entry in entries]


# What is said of an instant


def test_every_instant_of_a_known_story():
    told = [view.prose for view in walk(explore(recorded(story())))]
    assert told == [
        ["story runs.", "It creates one, two and slow.", "Then it waits for gather."],
        ["one runs.", "Then it sleeps until 1.000 s."],
        ["two runs.", "Then it waits for Lock.acquire."],
        ["slow runs.", "Then it sleeps until 9.000 s."],
        ["Nobody is ready: the loop waits in select.", "one is woken by its timer."],
        [
            "one runs: it was woken by its timer.",
            "two is woken by one (Lock.release).",
            "Then it is done.",
        ],
        ["two runs: it was woken by one (Lock.release).", "Then it sleeps until 3.000 s."],
        ["Nobody is ready: the loop waits in select.", "two is woken by its timer."],
        [
            "two runs: it was woken by its timer.",
            "story is woken by two (its end).",
            "Then it is done.",
        ],
        [
            "story runs: it was woken by two (its end).",
            "slow is asked to cancel by story.",
            "slow is woken by story (cancel).",
            "Then it waits in asyncio.wait.",
        ],
        [
            "slow runs: it was woken by story (cancel).",
            "CancelledError is raised in slow.",
            "story is woken by slow (its end).",
            "Then it is cancelled.",
        ],
        ["story runs: it was woken by slow (its end).", "Then it is done."],
    ]


def test_the_queue_the_timers_and_the_locks_at_every_instant():
    states = [
        {title: without_places(entries) for title, entries in boxes(view).items()}
        for view in walk(explore(recorded(story())))
    ]
    gather, lock = "story: gather", "two: Lock.acquire"
    others, one, two, slow = (
        "Futures, tasks, locks",
        "one until 1.000 s",
        "two until 3.000 s",
        "slow until 9.000 s",
    )
    assert states == [
        {},
        {"Ready queue": ["two", "slow"], others: [gather]},
        {"Ready queue": ["slow"], "Timers": [one], others: [gather]},
        {"Timers": [one], others: [gather, lock]},
        {"Timers": [one, slow], others: [gather, lock]},
        {"Timers": [slow], others: [gather, lock]},
        {"Timers": [slow], others: [gather]},
        {"Timers": [two, slow], others: [gather]},
        {"Timers": [slow], others: [gather]},
        {"Timers": [slow]},
        {others: ["story: wait"]},
        {},
    ]


def test_the_source_lines_of_a_step():
    async def helper():
        await asyncio.sleep(0)

    async def main():
        await helper()  # over to the others
        await asyncio.sleep(1)

    [first, second, *_] = walk(explore(recorded(main())))
    lines = [(what, text) for what, _, text in [*first.lines, *second.lines]]
    assert lines == [
        ("from", "async def main():"),
        ("to", "await helper()  # over to the others"),
        ("from", "await helper()  # over to the others"),
        ("to", "await asyncio.sleep(1)"),
    ]
    assert re.fullmatch(r"test_explorer.py:\d+ main", first.lines[1][1])
    assert "Then it hands over, and joins the end of the queue." in first.prose


def test_the_queue_keeps_its_order():
    async def hand_over():
        for _ in range(2):
            await asyncio.sleep(0)

    async def main():
        tasks = [asyncio.create_task(hand_over(), name=name) for name in "abc"]
        tasks.append(asyncio.create_task(nap(0.5), name="d"))
        await asyncio.wait(tasks)

    queues = [boxes(view).get("Ready queue", []) for view in walk(explore(recorded(main())))]
    assert queues[:5] == [[], list("bcd"), list("cda"), list("dab"), list("abc")]


def test_a_timeout_cancels_and_the_cut_sleep_says_until_when():
    async def main():
        try:
            async with asyncio.timeout(2):
                await asyncio.sleep(7)
        except TimeoutError:
            pass

    views = list(walk(explore(recorded(main()))))
    assert without_places(boxes(views[1])["Timers"]) == ["main until 7.000 s"]
    assert "main is asked to cancel by a timeout." in views[1].prose
    assert "CancelledError is raised in main." in views[2].prose


def test_an_error_is_told():
    async def main():
        async def fails():
            raise ValueError("so it is")

        await asyncio.gather(fails(), return_exceptions=True)

    assert "Then it fails: ValueError('so it is')." in explore(recorded(main())).text


def test_timers_that_are_due_together():
    async def main():
        await asyncio.gather(nap(1), nap(1))

    assert "nap-1 and nap-2 are woken by their timers." in explore(recorded(main())).text


def test_who_waits_for_a_socket():
    async def main():
        async def serve(reader, writer):
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1")
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            await asyncio.sleep(0.05)
            writer.write(b"hello\n")
            await reader.readline()
            writer.close()

    views = list(walk(explore(recorded(main(), None))))
    waiting = [without_places(boxes(view).get("Sockets", ())) for view in views]
    assert ["serve: socket"] in waiting
    assert any("serve runs: it was woken by its socket." in view.prose for view in views)
    # The accepted connection's transport is set up by a callback, not by a timer.
    woken = [view.prose[0] for view in views if view.prose[0].startswith("main runs: it was")]
    assert any("a callback" in words for words in woken)
    assert sum("its timer" in words for words in woken) == 1


def test_what_was_left_in_the_queue_and_asleep():
    async def main():
        with record() as rec:
            asyncio.create_task(nap(3), name="late")
            await asyncio.sleep(0)
            asyncio.create_task(nap(3), name="never")
        return rec

    rec = asyncio.run(main())
    *_, last = walk(explore(rec))
    assert without_places(boxes(last)["Timers"])[0].startswith("late until 3")
    [queue] = [entries for title, entries, _ in last.boxes if title == "Ready queue"]
    assert list(queue) == []
    assert [rec.lanes[stay.lane].name for stay in Instants(rec).queue_after(1)] == ["never"]


def test_the_loop_still_waits_when_the_recording_ends():
    async def main():
        with record() as rec:
            asyncio.create_task(nap(3), name="late")
            await asyncio.sleep(0)
            time.sleep(0.01)
        return rec

    *_, last = walk(explore(asyncio.run(main())))
    assert last.prose == ["Nobody is ready: the loop waits in select.", "Here the recording ends."]


@pytest.mark.parametrize(
    "stage, words", [(timers, "the loop waits."), (sockets, "the loop waits in select.")]
)
def test_only_a_loop_with_a_selector_waits_in_select(stage, words):
    async def naps():
        await timers.sleep(0.01)

    with record() as rec:
        loop = rec.loop(stage.Loop())
        if stage is timers:
            loop.spawn(naps())
            loop.run()
        else:
            loop.run(naps())
    waits = [view.prose for view in walk(explore(rec)) if view.prose[0].startswith("Nobody")]
    assert waits == [[f"Nobody is ready: {words}", "naps is woken by its timer."]]


def test_two_loops_do_not_mix():
    async def first():
        asyncio.create_task(nap(100), name="left")
        await asyncio.sleep(1)

    async def second():
        await asyncio.sleep(1)

    with record() as rec:
        for main in first, second:
            with asyncio.Runner(loop_factory=VirtualLoop) as runner:
                attach(runner.get_loop())
                runner.run(main())
    views = list(walk(explore(rec)))
    at = [i for i, view in enumerate(views) if "second runs." in view.prose][0]
    assert views[at - 1].head.endswith("loop 1 of 2") and views[at].head.endswith("loop 2 of 2")
    assert not any("left" in view.text for view in views[at:])
    assert boxes(views[at]) == {}
    assert "second" not in views[at - 1].text


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in Python 3.12")
def test_an_eager_task_was_never_in_the_queue():
    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        await asyncio.sleep(0.01)
        await asyncio.create_task(nap(0.01), name="eager")

    rec = recorded(main(), None)
    asks = explore(rec, ask=True)
    asks.answer(None)
    assert answer(asks, "eager") == (
        "Right: eager is eager: it ran at once, within the step that created it."
    )
    views = list(walk(explore(rec)))
    assert [view.prose[0] for view in views][:4] == [
        "main runs.",
        "Nobody is ready: the loop waits in select.",
        "eager runs.",
        "main runs: it was woken by its timer.",
    ]
    assert not any("eager" in str(boxes(view).get("Ready queue", "")) for view in views[:4])


async def turmoil(seed):
    """Tasks that do everything at random: a lock, a queue, sleeps, cancellation, timeouts."""
    draw = random.Random(seed)
    lock, queue = asyncio.Lock(), asyncio.Queue()

    async def task(depth=0):
        for _ in range(draw.randrange(4)):
            what = draw.randrange(7)
            if what == 0:
                await asyncio.sleep(0)
            elif what == 1:
                await asyncio.sleep(draw.randrange(4) / 1000)
            elif what == 2:
                async with lock:
                    await asyncio.sleep(draw.randrange(2) / 1000)
            elif what == 3:
                queue.put_nowait(1)
                await queue.get()
            elif what == 4 and depth < 2:
                await asyncio.gather(task(depth + 1), task(depth + 1))
            elif what == 5:
                other = asyncio.create_task(nap(0.003))
                await asyncio.sleep(0)
                other.cancel()
                await asyncio.wait([other])
            else:
                try:
                    async with asyncio.timeout(0.001):
                        await asyncio.sleep(draw.choice([0, 0.002]))
                except TimeoutError:
                    pass

    async with asyncio.TaskGroup() as group:
        for _ in range(6):
            group.create_task(task())


@pytest.mark.parametrize("loop_factory", LOOPS)
def test_whoever_runs_was_ready_before_and_the_loop_waits_only_if_nobody_is(loop_factory):
    for seed in range(12):
        rec = recorded(turmoil(seed), loop_factory)
        instants = Instants(rec)
        assert sum(one.lane is not None for one in instants.list) == rec.steps
        alive = set()
        for k in range(len(instants)):
            runs = instants[k].lane
            before = [stay.lane for stay in instants.queue_after(k - 1)] if k else [runs]
            assert runs is None or before[0] == runs
            assert runs is not None or before == []
            ready = [stay.lane for stay in instants.ready(k)]
            waiting = [stay.lane for stays in instants.waiting(k).values() for stay in stays]
            # Whoever was created and has not ended is in just one place.
            alive |= {runs, *before} - {None}
            everyone = [*ready, *waiting, *([] if runs is None else [runs])]
            assert sorted(everyone) == sorted(alive), k
            if instants[k].then in ("done", "failed", "cancelled"):
                alive.discard(runs)


def test_a_pickled_recording_tells_the_same():
    rec = recorded(story())
    assert explore(pickle.loads(pickle.dumps(rec))).text == explore(rec).text


# Generators


def test_the_talk_of_generators():
    with record() as rec:

        def inner():
            yield (yield 1)

        def outer():
            yield from rec.generator(inner())

        talk = rec.generator(outer())
        next(talk)
        talk.send(5)
    explorer = explore(rec)
    views = list(walk(explorer))
    assert [view.prose for view in views][:5] == [
        ["caller calls outer: next().", "outer runs."],
        ["outer calls inner: next().", "inner runs."],
        ["inner answers outer: yield 1.", "outer runs."],
        ["outer answers caller: yield 1.", "caller runs."],
        ["caller calls outer: send(5).", "outer runs."],
    ]
    assert boxes(views[1]) == {
        "Under way, innermost last": ["outer", "inner"],
        "Frames": ["outer: running (in a call of its own)", "inner: running"],
    }
    assert boxes(views[3]) == {"Frames": ["outer: suspended", "inner: suspended"]}
    asks = explore(rec, ask=True)
    assert list(asks.choices()) == ["caller", "outer", "inner"]
    assert answer(asks, "caller") == "Not so: outer calls inner: next(). inner runs."
    assert answer(asks, "outer") == "Right: inner answers outer: yield 1. outer runs."
