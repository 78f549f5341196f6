"""course.py finds what it calls, its own helpers.commands, from wherever it is started."""

import shutil
import subprocess

import pytest

from tests.course_copies import PYTHON, ROOT, copy_small_course, course, environ, one_line


@pytest.fixture
def oddly_named(tmp_path):
    return copy_small_course(tmp_path / "dir with space é")


@pytest.fixture
def strangers(tmp_path):
    """A folder with another package of the same name."""
    folder = tmp_path / "strangers"
    (folder / "helpers").mkdir(parents=True)
    (folder / "helpers" / "__init__.py").write_text("raise RuntimeError('the wrong helpers')")
    return folder


def test_it_finds_its_own_helpers_whatever_stands_on_the_path(oddly_named, strangers):
    program = oddly_named / "course.py"
    link = strangers / "link.py"
    link.symlink_to(program)
    for command, changes in [
        ([program], {}),
        ([link], {}),
        (["-P", program], {}),
        ([program], {"PYTHONSAFEPATH": "1"}),
        ([program], {"PYTHONPATH": str(strangers)}),
        (["-P", link], {"PYTHONPATH": str(strangers)}),
        (["-I", program], {}),
    ]:
        told = subprocess.run(
            [PYTHON, *command, "doctor"],
            cwd=strangers,
            env=environ(**changes),
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert f"{oddly_named} can be written" in told.stdout, told.stderr
        assert told.returncode == 1 and told.stderr == ""


def test_it_leaves_no_bytecode_in_the_course(oddly_named):
    assert course(oddly_named, "doctor").returncode == 1
    assert not list(oddly_named.rglob("__pycache__"))


def test_a_course_that_is_not_whole_is_told_so_in_one_line(oddly_named):
    shutil.rmtree(oddly_named / "helpers" / "commands")
    assert "the course is not whole (No module named 'helpers.commands')" in one_line(
        course(oddly_named, "lab")
    )


def test_the_commands_need_the_standard_library_alone():
    files = sorted((ROOT / "helpers" / "commands").glob("*.py"))
    names = [f"helpers.commands.{file.stem}" for file in files if file.stem != "__init__"]
    assert len(names) > 5
    # By their names as texts: `class` is a command, and no name in Python.
    code = (
        f"import importlib, sys; sys.path.insert(0, {str(ROOT)!r}); "
        f"[importlib.import_module(name) for name in {names}]"
    )
    subprocess.run([PYTHON, "-I", "-S", "-B", "-c", code], check=True)


def test_a_command_is_imported_only_where_it_is_wanted():
    code = """
import runpy, sys
sys.argv = ["course.py", "lab", "--help"]
try:
    runpy.run_path("course.py", run_name="__main__")
except SystemExit:
    print(*(name for name in sys.modules if name.startswith("helpers")))
"""
    done = subprocess.run([PYTHON, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert set(done.stdout.splitlines()[-1].split()) == {
        "helpers",
        "helpers.commands",
        "helpers.commands.command_line",
        "helpers.commands.ground",
    }
