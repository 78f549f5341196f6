"""Regenerate what is generated: exercises/ from solutions/, stored outputs, the README's pictures,
the plans in the teachers' guides, the sheet of key points.

`python3 course.py refresh` calls this. Everything here gives the same bytes every time, so that
a second refresh changes nothing and a test can tell when one was forgotten.
"""

import copy
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from helpers.basics.project import PROJECT as ROOT
from helpers.coach.form.stubs import stub_of
from helpers.coach.lessons import lessons
from helpers.memory.closing import closing_of
from helpers.memory.terms import terms
from helpers.upkeep import practice, readme_pictures, teaching
from helpers.upkeep.pages import sheet

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SECONDS_A_CELL = 60


def tags(cell: NotebookNode) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def exercises_from(solutions: NotebookNode) -> NotebookNode:
    """Return the notebook that a learner gets, made from the one with the answers."""
    notebook = copy.deepcopy(solutions)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            _clear(cell)
            if "answer" in tags(cell):
                cell.source = stub_of(cell.source)
    return notebook


def _clear(cell: NotebookNode) -> None:
    """Forget what a code cell printed when it was last run."""
    cell.outputs, cell.execution_count = [], None


def tidy(notebook: NotebookNode) -> None:
    """Leave in the notebook only what is the same on every machine."""
    course = notebook.metadata.get("course")
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
        | ({"course": course} if course else {})
    )
    for cell in notebook.cells:
        kept = {key: cell.metadata[key] for key in ("tags", "raises") if cell.metadata.get(key)}
        if "proof" in tags(cell):  # it keeps the lesson honest, and isn't what a reader came for
            kept["jupyter"] = {"source_hidden": True}
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "code":
            if "nbval-check-output" not in tags(cell):
                _clear(cell)
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output.execution_count = 1
                if output.output_type == "error":
                    # A traceback names the files of one machine; the name and the words stay.
                    output.traceback = [f"{output.ename}: {output.evalue}"]
            cell.execution_count = 1 if cell.outputs else None


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run the notebook in `folder` with a learner's progress file that is thrown away.

    Raises nbclient's CellExecutionError where a cell fails that is not tagged for it.
    """
    with tempfile.TemporaryDirectory() as progress:
        os.environ["ASYNC_COURSE_DATA"] = progress
        # A warning about TCP, which the kernel gives for every run, is not the reader's concern.
        NotebookClient(
            notebook,
            timeout=SECONDS_A_CELL,
            kernel_name="python3",
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": str(folder)}},
        ).execute()


def write(notebook: NotebookNode, path: Path) -> bool:
    """Write the notebook where it belongs, if that changes anything; return whether it did."""
    text = nbformat.writes(notebook) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def read(path: Path) -> NotebookNode:
    """Read a notebook as version 4."""
    return nbformat.read(path, as_version=4)


def refresh_outputs(path: Path) -> bool:
    """Run one notebook, store the outputs of the cells tagged for it, and write a lesson's sentence
    on drills anew; return whether that changed anything.
    """
    notebook = read(path)
    if path.parent.name == "notebooks":
        practice.with_drills(notebook, path.name[:2], practice.lessons_with_drills())
    execute(notebook, path.parent)
    tidy(notebook)
    return write(notebook, path)


def refresh_exercises(path: Path) -> bool:
    """Write the exercises that belong to the solutions at `path`; return if that changed them."""
    target = ROOT / "exercises" / path.name
    return write(exercises_from(read(path)), target)


def sheet_page() -> str:
    """Return the sheet of key points and terms."""
    points = [closing_of(lesson) for lesson in lessons(ROOT / "notebooks")]
    return sheet.page(points, terms())


def main(argv: Sequence[str]) -> None:
    """Refresh all notebooks, or only those whose paths begin with one of `argv`."""
    chosen = [
        path
        for room in ("notebooks", "solutions")
        for path in sorted((ROOT / room).glob("*.ipynb"))
        if not argv or any(str(path.relative_to(ROOT)).startswith(a) for a in argv)
    ]
    for path in chosen:
        changed = refresh_outputs(path)
        if path.parent.name == "solutions":
            changed |= refresh_exercises(path)
        print(f"{'changed' if changed else 'same   '} {path.relative_to(ROOT)}", flush=True)
    if not argv:
        readme_pictures.save()
        teaching.refresh(ROOT)
        (ROOT / "teaching" / "sheet.md").write_text(sheet_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
