"""course.py makes an environment, mends it, leaves it alone; and runs the tests in it.

Real environments, from a lock cut down to a few small packages, which takes seconds.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.course_copies import (
    MAKE,
    PYTHON,
    ROOT,
    copy_small_course,
    course,
    cut_lock,
    environ,
    make,
    python_in,
)


@pytest.fixture
def small(tmp_path):
    return copy_small_course(tmp_path / "course")


def test_the_life_of_an_environment(small):
    """Made; then left alone; made anew when its stamp, its folder or its Python do not fit."""
    made = make(small, PYTHONDONTWRITEBYTECODE="1")
    assert "it is not made yet" in made.stdout
    assert list(small.glob(".venv/lib/python*/site-packages/__pycache__/six.*.pyc")), (
        "bytecode is compiled whatever PYTHONDONTWRITEBYTECODE says"
    )
    imported = subprocess.run(
        [python_in(small), "-I", "-c", "import six, idna, helpers; print(helpers.__file__)"],
        cwd="/",
        text=True,
        capture_output=True,
        check=True,
    )
    assert Path(imported.stdout.strip()) == small / "helpers" / "__init__.py"
    assert (small / ".venv/share/jupyter/lab/settings/overrides.json").exists()
    assert make(small).stdout == ""

    for part in small.glob(".venv/lib/python*/site-packages/pip*"):
        shutil.rmtree(part)  # as uv, which is gone from the PATH since, would have left it
    lock = small / "requirements.txt"
    lock.write_text(cut_lock("requirements.txt", "six", "idna", "webencodings"))
    updated = make(small)
    assert "Updating .venv: it does not hold what requirements.txt says" in updated.stdout
    assert subprocess.run([python_in(small), "-I", "-c", "import webencodings"]).returncode == 0
    assert make(small).stdout == ""

    moved = small.rename(small.parent / "moved")
    assert f"the course has moved here from {small}" in course(moved, "doctor").stdout
    # By its own Python, as where it is activated: the ground goes from under its feet.
    assert f"the course has moved here from {small}" in make(moved, python_in(moved)).stdout
    for program in "pip", "idna":
        done = subprocess.run(
            [moved / ".venv" / "bin" / program, "--version"], text=True, capture_output=True
        )
        assert done.returncode == 0, done.stderr

    stamp = moved / ".venv" / "course.json"
    for text, words in [
        ('{"python": "3.11.0', "its stamp is damaged"),
        ("{}", "its stamp is damaged"),
        ("[]", "its stamp is damaged"),
        (stamp.read_text().replace('"python": "3', '"python": "2'), "it was made by Python 2"),
    ]:
        stamp.write_text(text)
        told = course(moved, "doctor")
        assert told.returncode == 1
        assert words in told.stdout and "type: python3 course.py lab" in told.stdout


def test_the_extras_hold_the_course_and_stay_when_it_is_opened_without_them(small):
    lock = small / "requirements-extras.txt"
    lock.write_text(cut_lock("requirements-extras.txt", "six", "idna", "toolz"))
    assert make(small, lock="EXTRAS_LOCK").stdout.startswith("Making .venv")
    assert make(small).stdout == ""
    assert subprocess.run([python_in(small), "-I", "-c", "import six, toolz"]).returncode == 0
    told = course(small, "lab", "--extras", "--no-browser")
    assert "Updating" not in told.stdout  # all is there but JupyterLab itself


def test_two_at_once_install_once(small):
    command = [PYTHON, "-c", MAKE.format("COURSE_LOCK")]
    both = [
        subprocess.Popen(command, cwd=small, env=environ(), text=True, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    said = sorted(process.communicate()[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert said[0].startswith("Making .venv")
    assert said[1] == "Waiting for another course.py that is installing ...\n"


# What `course.py test` says at its end


SAMPLE = """
import pytest

@pytest.mark.coach
def test_that_passes(): pass

def test_that_fails(): assert False

@pytest.mark.skip(reason="no such thing here")
def test_that_is_skipped(): pass
"""


def test_the_tests_end_with_counts_and_a_true_exit_status(small):
    names = {
        "pytest",
        "pytest-xdist",
        "execnet",
        "iniconfig",
        "packaging",
        "pluggy",
        "pygments",
        "six",
        "idna",
    }
    (small / "tests" / "requirements.txt").write_text(cut_lock("tests/requirements.txt", *names))
    shutil.copy(ROOT / "tests" / "conftest.py", small / "tests")
    sample = small / "tests" / "test_sample.py"
    sample.write_text(SAMPLE)

    done = course(small, "test", "--also", PYTHON, CI="")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"
    also = f".venv-{sys.version_info.major}.{sys.version_info.minor}"
    assert python_in(small, also).exists()

    done = course(small, "test", "--", "-k", "skipped", CI="true")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    assert "CI lets no test be skipped" in done.stdout and "no such thing here" in done.stdout

    done = course(small, "test", "--", "-k", "passes", CI="true")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"

    sample.write_text("import nothing_of_this_name")
    done = course(small, "test", CI="true")
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    sample.unlink()
    done = course(small, "test", CI="true")
    assert done.returncode != 0, "no test at all is no success"
