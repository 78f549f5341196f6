"""The README's pictures: real ones, on the virtual clock, and so the same on every machine."""

import asyncio
from pathlib import Path

from helpers import explore, record, run, timeline
from helpers.basics.project import PROJECT
from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.form.text import run_as_cell
from helpers.coach.lessons import cells_of, source_of
from helpers.pictures.timeline import Figure
from helpers.upkeep.panel import Panel

FOLDER = PROJECT / "pictures"
BREAKFAST = """\
async def kettle(boiled):
    await asyncio.sleep(180)
    boiled.set()

async def cup(boiled):
    await boiled.wait()

async def breakfast():
    boiled = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(kettle(boiled), name="kettle")
        group.create_task(cup(boiled), name="cup")
        group.create_task(asyncio.sleep(240), name="toast")
"""
CUP_WAITS = 3  # the instant at which something is in most of the boxes


def save(folder: Path = FOLDER) -> None:
    """Write all pictures."""
    folder.mkdir(exist_ok=True)
    three_waits().save(folder / "three_waits.svg")
    for name, panel in {"explorer": explorer(), "mistake": mistake()}.items():
        (folder / f"{name}.svg").write_text(panel.svg(), encoding="utf-8", newline="\n")


def three_waits() -> Figure:
    """The timeline of three waits one after another, and of the same three overlapped."""

    async def one_after_another():
        for _ in range(3):
            await asyncio.sleep(1)

    async def overlapped():
        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(asyncio.sleep(1), name=f"wait {number + 1}")

    recordings = {}
    for title, main in [("one after another", one_after_another), ("overlapped", overlapped)]:
        with record() as recordings[title]:
            run(main(), clock="virtual")
    return timeline(recordings, title="Three waits of one second")


def explorer() -> Panel:
    """An instant of a recording as the explorer shows it."""
    with record() as rec:
        run(run_as_cell(BREAKFAST, "breakfast.py", asyncio=asyncio)["breakfast"](), clock="virtual")
    shown = explore(rec)
    shown.move(CUP_WAITS)
    view = shown.view
    first, *others = view.prose
    panel = Panel(f"The explorer. {view.text}")
    panel.words(f"{view.head}. **{first}** {' '.join(others)}")
    panel.space()
    panel.columns(((what, where, f"`{line}`") for what, where, line in view.lines), (0, 50, 210))
    panel.space()
    panel.boxes([(f"{box.title} ({len(box.entries)})", box.entries[:]) for box in view.boxes])
    return panel


def mistake() -> Panel:
    """The tour's wrong answer, and what the coach says to it."""
    (cell,) = (cell for cell in cells_of(PROJECT / "notebooks" / "tour.ipynb") if _answers(cell))
    answer = source_of(cell).partition("\n\n\nex.check")[0]
    fetch_all = run_as_cell(answer, "fetch_all.py", asyncio=asyncio)["fetch_all"]
    verdict, _ = judge(finding.find("overlap-1"), fetch_all)
    panel = Panel(f"An answer to an exercise, and the coach's: {' '.join(verdict.parts())}")
    panel.code(answer, marked=verdict.line)
    panel.space()
    panel.card([f"**{verdict.first()}**", *verdict.parts()])
    return panel


def _answers(cell):
    return "ex.check(" in source_of(cell)
