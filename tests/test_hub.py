"""The hub: learners log in, get the course, run a lesson and solve an exercise, by its proxy."""

import asyncio
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from helpers.basics.project import PROJECT
from helpers.board import opened
from helpers.commands import hub as command
from helpers.upkeep.bench import hub
from helpers.upkeep.bench.hub_learner import Learner
from tests.boards import board

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="JupyterHub doesn't run on Windows"),
]
LESSON = "05_loop_ready_queue.ipynb"
NPM = shutil.which("npm")


@pytest.fixture(scope="module")
def proxy():
    """The proxy that JupyterHub needs, as package-lock.json has it."""
    if not (command.FOLDER / "node_modules" / ".bin" / command.PROXY).exists():
        if NPM is None:
            pytest.skip("there is no npm here: apt install npm")
        subprocess.run([NPM, "ci", "--silent", "--prefix", str(command.FOLDER)], check=True)


@pytest.fixture(scope="module")
def address(proxy, tmp_path_factory):
    """A hub's address, and a class that is open beside it."""
    folder = tmp_path_factory.mktemp("hub")
    with board(os.environ | {"ASYNC_COURSE_DATA": str(folder / "data")}) as class_:
        with hub.running_hub(folder) as address:
            yield address, class_


def answers():
    """What solves the exercises of lesson 05: the cell's id and what is written into it."""
    solved = nbformat.read(PROJECT / "solutions" / LESSON, as_version=4)
    return {
        cell.id: cell.source for cell in solved.cells if "answer" in cell.metadata.get("tags", ())
    }


def test_learners_run_a_lesson_and_solve_its_exercises(address):
    hub_, class_ = address

    async def learn(learner):
        await learner.come(hub.PASSWORD)
        await learner.run(f"notebooks/{LESSON}")
        await learner.run(f"exercises/{LESSON}", answers())
        await learner.go()
        return "".join(learner.said)

    async def all_of_them():
        return await asyncio.gather(*map(learn, people))

    people = [Learner(hub_, name) for name in ("ann", "ben")]
    for learner, said in zip(people, asyncio.run(all_of_them()), strict=True):
        assert not learner.failed
        assert said.count("SOLVED") >= len(answers()) > 2
        assert hub.memory(learner.name) > 50
    # They are in the class that is open on this machine, without a word.
    assert "2 learners in all" in class_.teacher().get("/summary.html").text


def test_a_wrong_password_lets_nobody_in(address):
    async def try_it():
        eve = Learner(address[0], "eve")
        with pytest.raises(RuntimeError, match="eve is not let in"):
            await eve.come("oak river eight")
        await eve.go()

    asyncio.run(try_it())


def test_an_open_class_is_noted_for_its_owner_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path))
    assert opened.room() is None
    (tmp_path / "classes").mkdir()
    opened.opens(8890, "oak river seven")
    assert opened.room() == "http://127.0.0.1:8890 oak river seven"
    (file,) = (tmp_path / "classes").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    opened.closes()
    opened.closes()
    assert opened.room() is None


@pytest.mark.parametrize("name", ["try_it", "one_machine"])
def test_jupyterhub_knows_every_setting_of_a_configuration(name, tmp_path):
    """It says nothing of one that it doesn't know but in its log."""
    check = (
        "import sys; from jupyterhub.app import JupyterHub\n"
        "app = JupyterHub(); app.load_config_file(sys.argv[1])\n"
        "classes = {one.__name__: one for one in app._classes_inc_parents()}\n"
        "classes |= {one.__name__: one for one in (app.spawner_class, app.authenticator_class)}\n"
        "for part, settings in app.config.items():\n"
        "    for setting in settings:\n"
        "        assert setting in classes[part].class_trait_names(config=True), (part, setting)\n"
        "assert 'default_url' in app.config.Spawner\n"
    )
    environment = os.environ | {"ASYNC_COURSE_DATA": str(tmp_path)}
    given = [sys.executable, "-c", check, str(command.FOLDER / f"{name}.py")]
    done = subprocess.run(given, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    course = [sys.executable, str(PROJECT / "course.py"), "hub"]
    done = subprocess.run([*course, "--configuration", "two"], capture_output=True, text=True)
    assert "--configuration two: there is no " in done.stderr
