"""The timeline: a figure for every kind of recording, and its words."""

import asyncio
import base64
import io
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread

from helpers.kernel.virtual import VirtualLoop
from helpers.pictures.picture import WIDTH
from helpers.pictures.timeline import timeline
from helpers.pictures.timeline_looks import LOOKS
from helpers.pictures.timeline_panel import MOST
from helpers.recording.jobs import job
from helpers.recording.record import attach, record
from tests.readable import cut_or_covered
from tests.stories import nap, recorded

ROOT = Path(__file__).parent.parent


async def one_by_one():
    for seconds in (1, 2, 3):
        await nap(seconds)


async def together():
    await asyncio.gather(nap(1), nap(2), nap(3))


async def crowd(number=200):
    async def task(n):
        await asyncio.sleep(1 + n % 7)
        if n % 50 == 3:
            raise ValueError(n)

    await asyncio.gather(*[task(n) for n in range(number)], return_exceptions=True)


def pixels(figure):
    """The picture as an array, and its PNG's size in bytes."""
    bundle = figure._repr_mimebundle_()
    png = base64.b64decode(re.search(r"base64,([^\"]+)", bundle["text/html"])[1])
    return imread(io.BytesIO(png)), len(png)


def drawn(rec, monkeypatch, **options):
    """The matplotlib figure behind a timeline."""
    kept = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure,
        "savefig",
        lambda self, *args, **kwargs: (kept.append(self), original(self, *args, **kwargs))[1],
    )
    timeline(rec, **options)._repr_mimebundle_()
    monkeypatch.undo()
    FigureCanvasAgg(kept[0]).draw()
    return kept[0]


def words_in(canvas):
    return [text.get_text() for axes in canvas.axes for text in axes.texts]


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


def test_a_notebook_shows_an_image_with_its_description(capsys):
    figure = timeline(recorded(one_by_one()), title='<"quoted"> & more')
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/html"].startswith(
        '<img alt="&lt;&#34;quoted&#34;&gt; &amp; more. Timeline of 6.00 s'
    )
    assert bundle["text/plain"] == figure.text
    image, size = pixels(figure)
    assert image.shape[1] == WIDTH * 192 and size < 150_000
    assert image[..., :3].std() > 0.05  # something is drawn
    assert capsys.readouterr() == ("", "")


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


def test_what_is_drawn(monkeypatch):
    async def main():
        async def rude():
            await asyncio.sleep(0.02)
            time.sleep(0.12)

        task = asyncio.create_task(nap(9), name="slow")
        other = asyncio.create_task(rude())
        await asyncio.sleep(0.01)
        task.cancel()
        await other

    rec = recorded(main(), None)
    canvas = drawn(rec, monkeypatch)
    axes = canvas.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "loop",
        "main",
        "slow",
        "rude",
    ]
    words = words_in(canvas)
    assert any(re.fullmatch(r" test_timeline.py:\d+ rude ", text) for text in words)
    assert {"✓ done", "⊘ cancelled", "task rude"} <= set(words)
    assert {
        "running",
        "waiting for something",
        "loop has nothing to do",
        "loop is blocked",
        "woken by",
        "cancel asked",
        "cancel delivered",
    } <= {text.get_text() for text in canvas.legends[0].get_texts()}


def test_states_are_told_apart_without_colour():
    looks = [(height, hatch) for height, _, _, hatch, _ in LOOKS.values()]
    task = looks[:5]
    assert len(set(task)) == len(task)
    heights = sorted(height for height, _ in task)
    assert all(two - one > 0.1 for one, two in zip(heights, heights[1:]))
    generator = [LOOKS[state] for state in ("created", "running", "suspended", "closed")]
    assert len({(look[0], look[3]) for look in generator}) == 4


def conversation():
    def averager():
        total = count = 0
        mean = None
        while True:
            value = yield mean
            total, count = total + value, count + 1
            mean = total / count

    def outer(inner):
        yield from inner

    with record() as rec:
        mean = rec.generator(averager())
        through = rec.generator(outer(mean), "outer")
        next(through)
        for value in (10, 20, 30):
            through.send(value)
        through.close()
    return rec


def jobs():
    with record() as rec:
        threads = [threading.Thread(target=job(time.sleep), args=(0.02,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return rec


@pytest.mark.parametrize(
    "make",
    [
        lambda: recorded(one_by_one()),
        lambda: recorded(together()),
        lambda: recorded(crowd()),
        lambda: recorded(crowd(20)),
        conversation,
        jobs,
        lambda: {"one by one": recorded(one_by_one()), "together": recorded(together())},
    ],
    ids=["one by one", "together", "crowd", "twenty", "conversation", "jobs", "panels"],
)
def test_no_label_is_cut_or_covered(make, monkeypatch):
    cut, over = cut_or_covered(drawn(make(), monkeypatch, title="A title"))
    assert cut == [] and over == []


def test_a_long_name_keeps_its_room(monkeypatch):
    async def main():
        await asyncio.create_task(nap(1), name="a name that is much too long for a label")

    canvas = drawn(recorded(main()), monkeypatch)
    assert cut_or_covered(canvas) == ([], [])
    assert "a name that is mu…" in [t.get_text() for t in canvas.axes[0].get_yticklabels()]


def test_panels_share_one_time_axis(monkeypatch):
    recs = {"one by one": recorded(one_by_one()), "together": recorded(together())}
    canvas = drawn(recs, monkeypatch)
    first, second = canvas.axes
    assert first.get_xlim() == second.get_xlim()
    assert [axes.get_title(loc="left") for axes in canvas.axes] == ["one by one", "together"]
    assert second.get_xlabel() == "seconds of virtual time: sleeps jump"
    alt = timeline(recs).alt
    assert "one by one: Timeline of 6.00 s" in alt and "together: Timeline of 3.00 s" in alt


def test_many_lanes_are_put_together(monkeypatch):
    rec = recorded(crowd())
    figure = timeline(rec)
    assert len(figure.text.splitlines()) < 12
    assert "201 tasks; at most 201 tasks in flight at once." in figure.text
    assert "In the end: 197 done and 4 failed. Some of them:" in figure.text
    assert "task-4, created by crowd" in figure.text  # the first that failed is in the sample
    canvas = drawn(rec, monkeypatch)
    assert "201 at once" in words_in(canvas)
    assert canvas.get_figheight() < 6
    assert len(recorded(crowd(MOST - 2)).lanes) == MOST


def test_ten_thousand_tasks_are_drawn_in_no_time():
    async def main():
        await asyncio.gather(*[nap(1 + n % 97) for n in range(10_000)])

    rec = recorded(main())
    start = time.process_time()
    _, size = pixels(timeline(rec))
    assert time.process_time() - start < 6  # bench holds it to 1.5 s
    assert size < 150_000


def test_a_lane_of_many_steps_stays_small():
    async def main():
        for _ in range(20_000):
            await asyncio.sleep(0)

    _, size = pixels(timeline(recorded(main(), None)))
    assert size < 150_000


def test_chosen_lanes(monkeypatch):
    rec = recorded(together())
    canvas = drawn(rec, monkeypatch, lanes=["nap-3", rec.lane("nap-1")])
    assert [t.get_text() for t in canvas.axes[0].get_yticklabels()] == ["nap-3", "nap-1"]
    with pytest.raises(KeyError, match="no lane is named 'other'"):
        timeline(rec, lanes=["other"])


def test_a_conversation_is_drawn_turn_by_turn(monkeypatch):
    rec = conversation()
    canvas = drawn(rec, monkeypatch)
    [axes] = canvas.axes
    # The caller above what it calls, and that above what it delegates to.
    assert [t.get_text() for t in axes.get_yticklabels()] == ["caller", "outer", "averager"]
    words = words_in(canvas)
    for said in ("next()", "yield None", "send(10)", "yield 10.0"):
        assert words.count(said) == 2
    text = timeline(rec).text
    assert "The caller talked to outer." in text
    assert "averager answered next() with yield None, send(10) with yield 10.0" in text
    assert "it is closed." in text


def test_a_long_conversation_says_what_it_leaves_out(monkeypatch):
    with record() as rec:
        list(rec.generator(iter_many()))
    with record() as wordy:
        list(wordy.generator("a value of many letters" for _ in range(5)))
    assert cut_or_covered(drawn(wordy, monkeypatch)) == ([], [])
    canvas = drawn(rec, monkeypatch)
    assert cut_or_covered(canvas) == ([], [])
    assert any(re.fullmatch(r"… and\n\d+ more", text) for text in words_in(canvas))
    assert "93 turns more; it is closed." in timeline(rec).text


def test_a_yield_climbs_five_frames(monkeypatch):
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
    canvas = drawn(rec, monkeypatch)
    assert cut_or_covered(canvas) == ([], [])
    words = words_in(canvas)
    for said in ("next()", "yield 'tea?'", "send('yes')", "return 'yes'"):
        assert words.count(said) == 5
    [axes] = canvas.axes
    tips = [(note.xyann[1], note.xy[1]) for note in axes.texts if hasattr(note, "xyann")]
    # From edge to edge: a tip on a bar can't be seen.
    assert {round(abs(end - start), 2) for start, end in tips} == {1.38, 1.69}


def iter_many():
    yield from range(100)


def test_jobs_are_filled_to_their_share_of_a_core(monkeypatch):
    rec = jobs()
    canvas = drawn(rec, monkeypatch)
    heights = [patch.get_height() for patch in canvas.axes[0].patches]
    frames, fillings = heights[::2], heights[1::2]
    assert frames == [0.72] * 3
    for filling, lane in zip(fillings, rec.lanes):
        assert filling == pytest.approx(0.72 * rec.spans(lane)[0].cpu)
    text = timeline(rec).text
    assert re.search(r"sleep-1 ran in Thread-\d+.* used \d+% of a core and was done", text)


def test_an_empty_recording_says_so(monkeypatch):
    with record() as rec:
        pass
    assert "no lanes" in timeline(rec).alt
    assert "nothing was started inside the with" in words_in(drawn(rec, monkeypatch))
    with pytest.raises(ValueError, match="no recording"):
        timeline({})


def test_save(tmp_path):
    figure = timeline(recorded(together()))
    figure.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    figure.save(tmp_path / "a.svg")
    timeline(recorded(together())).save(str(tmp_path / "b.svg"))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(ValueError, match=r"cannot save as \.gif"):
        figure.save(tmp_path / "a.gif")


def test_the_learners_settings_do_not_reach_the_figure():
    rec = recorded(together())
    plain = timeline(rec)._png
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "figure.dpi": 10}):
        assert timeline(rec)._png == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_pyplot_is_not_needed():
    code = "import sys, helpers.pictures.timeline; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_one_line_that_blocks_again_and_again_is_written_once(monkeypatch):
    async def stubborn():
        time.sleep(0.06)

    async def main():
        await asyncio.gather(*(stubborn() for _ in range(3)))

    rec = recorded(main(), asyncio.new_event_loop)
    assert sum(span.state == "blocked" for span in rec.spans("loop")) == 3
    words = [word for word in words_in(drawn(rec, monkeypatch)) if "test_timeline.py:" in word]
    assert len(words) == 1
