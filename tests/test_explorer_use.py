"""The explorer: its questions, its size, and what a page without it gets."""

import asyncio
import statistics
import subprocess
import sys
import time

import jupyter_client.manager
import nbclient
import nbconvert
import nbformat
import pytest

from helpers import explore
from helpers.beliefs.all import BELIEFS
from helpers.pictures.explorer_story import CHOICES
from helpers.pictures.explorer_view import SHOWN
from helpers.recording.jobs import job
from helpers.recording.record import record
from tests.stories import answer, nap, recorded, story, walk

# Questions


def asked():
    return explore(recorded(story()), ask=True)


def test_right_and_wrong_predictions():
    explorer = asked()
    assert list(explorer.choices()) == ["story", "one", "two", "slow", "nothing: it waits"]
    assert answer(explorer, "two") == (
        "Not so: two was ready, but one came before it. "
        "The queue was: one, two and slow; the loop takes the first."
    )
    assert answer(explorer, "nothing: it waits") == (
        "Not so: two was ready. The loop waits only when nobody is ready. "
        "The queue was: two and slow; the loop takes the first."
    )
    assert answer(explorer, "slow").startswith("Right: slow was ready.")
    assert answer(explorer, "two") == (
        "Not so: two is not ready: it waits for Lock.acquire. Nobody is ready, so the loop waits."
    )
    assert answer(explorer, "slow") == (
        "Not so: slow is not ready: it sleeps until 9.000 s. "
        "The timer of one was due first, at 1.000 s. "
        "The queue was: one; the loop takes the first."
    )
    assert answer(explorer, "two").startswith("Right: two was ready.")
    assert answer(explorer, "nothing: it waits") == "Right: Nobody is ready, so the loop waits."
    assert (explorer.right, explorer.asked, explorer.newest) == (3, 7, 8)


async def of_three(second):
    told = asyncio.Event()

    async def sets():
        told.set()

    async def creates():
        asyncio.create_task(asyncio.sleep(0), name="new")
        await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(told.wait() if second == "sets" else asyncio.sleep(9), name="first")
        group.create_task(sets() if second == "sets" else creates(), name=second)
        group.create_task(asyncio.sleep(0), name="third")


@pytest.mark.parametrize(
    "second, rights, said, belief",
    [
        ("sets", 0, "third", "newest-first"),
        ("sets", 2, "first", "set-runs-them"),
        ("creates", 2, "new", "runs-at-once"),
        ("creates", 2, "creates", "sleep-0-nothing"),
        ("creates", 0, "creates", None),
    ],
)
def test_a_wrong_prediction_names_the_belief_that_makes_it(second, rights, said, belief):
    explorer = explore(recorded(of_three(second)), ask=True)
    for name in ("first", second)[:rights]:
        assert answer(explorer, name).startswith("Right")
    told = answer(explorer, said)
    assert told.startswith("Not so")
    if belief is None:
        assert "It would be" not in told
    else:
        assert told.endswith(f"It would be {said} if {BELIEFS[belief].sentence}.")


def test_forward_is_only_by_an_answer_and_back_is_free():
    explorer = asked()
    explorer.move(5)
    assert explorer.at == 1
    answer(explorer, "one")
    answer(explorer, "two")
    assert explorer.at == 3
    explorer.move(1)
    assert explorer.at == 1 and explorer.newest == 3
    explorer.move(99)
    assert explorer.at == 3
    while explorer.choices():
        explorer.answer(None)
    assert explorer.at == explorer.count and explorer.asked == explorer.count - 1


def test_a_wait_does_not_tell_who_wakes_before_the_answer():
    explorer = asked()
    for name in "one", "two", "slow", "nothing: it waits":
        answer(explorer, name)
    waits = ["Nobody is ready: the loop waits in select."]
    assert explorer.view.prose == waits
    answer(explorer, "one")
    explorer.move(5)
    assert explorer.view.prose == [*waits, "one is woken by its timer."]


def test_the_right_answer_is_among_a_few_choices():
    async def main():
        await asyncio.gather(*[nap(number % 5) for number in range(50)])

    explorer = explore(recorded(main()), ask=True)
    while choices := explorer.choices():
        assert len(choices) <= CHOICES and list(choices)[-1] == "nothing: it waits"
        follows = explorer._story.runs(explorer.newest)
        assert follows in choices.values()
        explorer.answer(follows)
    assert explorer.right == explorer.asked == explorer.count - 1


def test_tasks_of_one_name_are_told_apart():
    async def main():
        await asyncio.wait([asyncio.create_task(nap(1), name="twin") for _ in range(2)])

    choices = explore(recorded(main()), ask=True).choices()
    assert [name for name in choices if name.startswith("twin")] == ["twin", "twin (lane 3)"]


# Many events


def test_ten_thousand_events_open_at_once_and_a_move_is_small():
    async def main():
        async def task(number):
            for _ in range(3):
                await asyncio.sleep(1 + number % 7)

        await asyncio.gather(*[task(number) for number in range(2500)])

    rec = recorded(main())
    begun = time.process_time()
    explorer = explore(rec)
    explorer._repr_mimebundle_()
    opening = time.process_time() - begun
    assert explorer.count > 10_000 and opening < 5
    taken, sizes = [], []
    for at in range(1, explorer.count, explorer.count // 200):
        begun = time.process_time()
        explorer.move(at)
        sizes.append(len(explorer.view.html("status")))
        taken.append(time.process_time() - begun)
    assert statistics.median(taken) < 0.05 and max(sizes) < 6000
    asks = explore(rec, ask=True)
    begun = time.process_time()
    for _ in range(20):
        asks.answer(list(asks.choices().values())[0])
    assert (time.process_time() - begun) / 20 < 0.25


def test_long_lists_are_cut_and_counted():
    async def main():
        await asyncio.gather(*[nap(1) for _ in range(2000)])

    explorer = explore(recorded(main()))
    assert (
        "It creates nap-1, nap-2, nap-3, nap-4, nap-5, nap-6, nap-7, nap-8, nap-9, nap-10, "
        "nap-11 and 1,989 more." in explorer.view.prose
    )
    explorer.move(2)
    shown = explorer.view.html("status")
    assert "(1,999)" in shown and "and 1,987 more" in shown and shown.count("<li>") == SHOWN + 1


# Without a front end


def test_the_text_is_the_first_dozen_instants():
    explorer = explore(recorded(story()))
    lines = explorer.text.splitlines()
    assert lines[0] == (
        "What the loop did in 3.000 s of virtual time, step by step. Instants 1 to 12 of 12:"
    )
    assert lines[1].startswith(
        " 1. 0.000 s: story runs. It creates one, two and slow. Then it waits for gather. "
        "(from stories.py:"
    )
    assert len(lines) == 13 and repr(explorer) == explorer.text

    async def main():
        for _ in range(20):
            await asyncio.sleep(1)

    lines = explore(recorded(main())).text.splitlines()
    assert len(lines) == 14 and lines[-1] == "And 29 more."


def test_outside_a_notebook_there_is_no_widget():
    bundle = explore(recorded(story()))._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert '<img alt="Timeline of 3.00 s of virtual time' in bundle["text/html"]
    assert "<details><summary>What the loop did" in bundle["text/html"]


def test_names_are_escaped():
    async def main():
        await asyncio.create_task(nap(1), name="<b>&")

    explorer = explore(recorded(main()))
    for view in walk(explorer):
        shown = view.html("status")
        assert "<b>" not in shown
        assert "&lt;b&gt;&amp;" in shown or explorer.at == explorer.count
    assert "<b>" not in explorer._repr_mimebundle_()["text/html"]


CELL = """\
import asyncio
from helpers import explore, record, run
async def main():
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2))
with record() as rec:
    run(main(), clock="virtual")
explore(rec)
"""


def test_nbconvert_writes_the_picture_with_its_description():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(notebook, timeout=60).execute()
    [output] = notebook.cells[0].outputs
    assert set(output.data) == {"text/html", "text/plain"}
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert 'alt="Timeline of 2.00 s of virtual time' in page
    assert "application/vnd.jupyter.widget" not in page.partition("<body")[2]


def test_a_front_end_gets_the_player_and_the_picture():
    with jupyter_client.manager.run_kernel(kernel_name="python3") as client:
        shown = []

        def hook(message):
            if message["msg_type"] == "execute_result":
                shown.append(message["content"]["data"])

        for somebody in (True, False):
            reply = client.execute_interactive(
                CELL, allow_stdin=somebody, stdin_hook=None, output_hook=hook, timeout=60
            )
            assert reply["content"]["status"] == "ok"
    there, nobody = shown
    assert set(there) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert set(nobody) == {"text/html", "text/plain"}
    assert "cell" in there["text/plain"]


def test_importing_helpers_stays_light():
    code = (
        "import sys, helpers; 'explore' in dir(helpers) or sys.exit(1); "
        "sys.exit('ipywidgets' in sys.modules or 'helpers.pictures.explorer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# Wrong use


@pytest.mark.parametrize(
    "wrong, words",
    [
        (None, "this is a NoneType"),
        (3, "this is an int"),
        ({"a": None}, "give it one of the dict's values"),
    ],
)
def test_what_is_no_recording(wrong, words):
    with pytest.raises(TypeError, match=words):
        explore(wrong)


def test_a_recording_with_nothing_to_step_through():
    with record() as rec:
        with pytest.raises(ValueError, match="call explore after its `with`"):
            explore(rec)
    with pytest.raises(ValueError, match="only what starts inside the `with` is recorded"):
        explore(rec)
    with record() as rec:
        job(abs)(1)
    with pytest.raises(ValueError, match=r"only jobs, .* timeline\(rec\) shows them"):
        explore(rec)
