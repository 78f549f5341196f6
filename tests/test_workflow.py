"""The workflow for GitHub: it can't be run here, but what it names exists.

`actionlint .github/workflows/course.yml` (a Go program) checks its form.
"""

import re
from pathlib import Path

import pytest
import yaml

from tests.test_pins import PYTHONS

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / ".github" / "workflows" / "course.yml"
pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def jobs():
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]


def test_every_supported_python_is_tested_on_three_systems(jobs):
    matrix = jobs["test"]["strategy"]["matrix"]
    assert tuple(matrix["python"]) == PYTHONS
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_it_publishes_what_the_site_command_builds(jobs):
    steps = jobs["site"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["python course.py site"]
    assert [step["with"]["path"] for step in steps if "upload-pages" in step.get("uses", "")] == [
        "site/_build/html"
    ]
    assert jobs["publish"]["needs"] == "site"


def test_only_the_job_that_publishes_may_write(jobs):
    writes = [name for name, job in jobs.items() if "write" in str(job.get("permissions"))]
    assert writes == ["publish"]
    text = WORKFLOW.read_text(encoding="utf-8")
    assert re.findall(r"(?m)^permissions:\n  contents: (\w+)$", text) == ["read"]


def test_every_file_that_it_names_exists(jobs):
    for job in jobs.values():
        for step in job["steps"]:
            named = step.get("with", {}).get("cache-dependency-path")
            assert named is None or (ROOT / named).exists()


def test_the_readme_says_that_it_was_not_run():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "`.github/workflows/course.yml`" in text and "has not been run" in text
