"""The lessons that have something from the optional extra go on where it is missing."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from helpers.props import cluster
from helpers.services import postgres

ROOT = Path(__file__).resolve().parent.parent
# Python runs it by itself when it starts, in the kernel and in all that the kernel starts.
SITE = """
from importlib.machinery import PathFinder

usual = PathFinder.find_spec

def find_spec(name, *more):
    return None if name.split(".")[0] == {missing!r} else usual(name, *more)

PathFinder.find_spec = find_spec
"""
LESSONS = {
    "19_services": (postgres.PACKAGE, postgres.MISSING, "PostgreSQL runs here."),
    "21_many_machines": ("distributed", cluster.MISSING, "<cluster at"),
}


def printed(cell):
    return "".join(out.get("text", "") for out in cell.get("outputs", []))


@pytest.mark.notebooks
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_says_what_is_missing_and_how_to_get_it_and_goes_on(lesson, tmp_path):
    missing, sentence, otherwise = LESSONS[lesson]
    (tmp_path / "sitecustomize.py").write_text(SITE.format(missing=missing))
    path = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", 4)
    notebook.cells.append(nbformat.v4.new_code_cell(f"import {missing}"))
    kernel = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=60,
        allow_errors=True,
        resources={"metadata": {"path": ROOT / "notebooks"}},
    )
    kernel.execute(env=os.environ | {"PYTHONPATH": path, "ASYNC_COURSE_DATA": str(tmp_path)})
    *cells, last = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert last.outputs[0].ename == "ModuleNotFoundError"
    failed = {
        cell.id: f"{out.ename}: {out.evalue}"
        for cell in cells
        for out in cell.outputs
        if out.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", ())
    }
    assert not failed
    assert all(cell.execution_count for cell in cells)
    [told] = [cell for cell in cells if sentence in printed(cell)]
    assert "`python3 course.py lab --extras`" in printed(told)
    assert not any(otherwise in printed(cell) for cell in cells)
    silent = [cell for cell in cells if "shows-stderr" not in cell.metadata.get("tags", ())]
    loud = {
        cell.id: out.text for cell in silent for out in cell.outputs if out.get("name") == "stderr"
    }
    assert not loud
