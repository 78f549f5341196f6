"""The lock, pyproject.toml, environment.yml and what Binder gets are one and the same."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from helpers.commands import links

ROOT = Path(__file__).resolve().parent.parent
LOCKS = (
    "requirements.txt",
    "requirements-extras.txt",
    "site/requirements.txt",
    "teaching/hub/requirements.txt",
    "tests/requirements.txt",
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SYSTEMS = {
    "linux": {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},
    "darwin": {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin"},
    "win32": {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows"},
}
PYTHONS = "3.11", "3.12", "3.13", "3.14"


def read_lock(name):
    """Return the lock's pins, each a (Requirement, number of hashes)."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    hashed = re.compile("--hash=sha256:[0-9a-f]{64}")
    return [(Requirement(block.split("\\")[0]), len(hashed.findall(block))) for block in blocks]


def pinned(name, python, system):
    """Return {package: version} of what a lock installs on one Python and system."""
    marks = SYSTEMS[system] | {"python_version": python, "python_full_version": python + ".9"}
    found = {}
    for pin, _ in read_lock(name):
        if pin.marker is None or pin.marker.evaluate(marks):
            assert pin.name not in found, f"two pins of {pin.name} for {python}, {system}"
            found[pin.name] = str(pin.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_is_exact_hashed_and_without_an_address(name):
    for pin, hashes in read_lock(name):
        assert re.fullmatch(r"==[^=*,]+", str(pin.specifier)), pin
        assert hashes >= 1, pin
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "//" not in text and "--index" not in text and "--find-links" not in text
    assert not re.search(r"(^|\s)(/|[A-Z]:\\)\w", text), "a path of some machine"


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_locks_give_what_pyproject_asks_for(python, system):
    course, extras, site, hub, all_of_it = (pinned(name, python, system) for name in LOCKS)
    marks = SYSTEMS[system] | {"python_version": python, "python_full_version": python + ".9"}
    wishes = PROJECT["dependencies"]
    for lock, more in (
        (course, None),
        (extras, "extras"),
        (site, "site"),
        (hub, "hub"),
        (all_of_it, "test"),
    ):
        wishes = wishes + PROJECT["optional-dependencies"].get(more, [])
        for line in wishes:
            wish = Requirement(line)
            if wish.marker is None or wish.marker.evaluate(marks):
                assert wish.specifier.contains(lock[canonicalize_name(wish.name)]), line
            else:
                assert canonicalize_name(wish.name) not in lock, line
    assert course.items() <= extras.items(), "the extras change what the lessons run on"
    assert extras.items() <= site.items(), "the site's tools change what the lessons run on"
    assert site.items() <= hub.items(), "the hub changes what the lessons run on"
    assert hub.items() <= all_of_it.items(), "the test tools change what the lessons run on"


def test_the_locks_were_made_from_pyproject_as_it_is():
    """Their header carries the digest of the dependencies; `course.py refresh` would do nothing."""
    checked = subprocess.run(
        [sys.executable, "-c", "from helpers.commands.locks import locks_fit; assert locks_fit()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, "type: python3 course.py refresh\n" + checked.stderr


def test_every_dependency_says_who_needs_it():
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    start = lines.index("dependencies = [")
    for line in lines[start + 1 : lines.index("]", start)]:
        assert re.search(r'",\s+# (every lesson|lessons? \d\d|helpers/)', line), line


def test_conda_and_binder_take_the_lock_itself():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge"]
    assert environment["dependencies"] == ["python=3.13", "pip", {"pip": ["-r requirements.txt"]}]
    assert not any((ROOT / name).exists() for name in ("binder", ".binder", "Dockerfile")), (
        "Binder would not look at environment.yml any more"
    )


def copy_for_binder(folder):
    folder.mkdir()
    for name in (
        "course.py",
        "environment.yml",
        "overrides.json",
        "postBuild",
        "pyproject.toml",
        "requirements.txt",
        "tour.jupyterlab-workspace",
    ):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / ".config", folder / ".config")
    shutil.copytree(ROOT / "helpers" / "commands", folder / "helpers" / "commands")
    (folder / "helpers" / "__init__.py").touch()
    return folder


def ask_repo2docker(folder):
    pytest.importorskip("repo2docker", reason="jupyter-repo2docker is not installed")
    return subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_repo2docker_accepts_the_course(tmp_path):
    asked = ask_repo2docker(copy_for_binder(tmp_path / "course"))
    said = asked.stdout + asked.stderr
    assert asked.returncode == 0, said
    assert "Building conda environment for python=3.13" in said
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "environment.yml"' in said
    assert "./postBuild" in said


def test_repo2docker_would_refuse_a_malformed_environment(tmp_path):
    course = copy_for_binder(tmp_path / "course")
    (course / "environment.yml").write_text("- python=3.13\n", encoding="utf-8")
    assert ask_repo2docker(course).returncode != 0


def test_pip_keeps_nothing_where_the_course_is_the_home(tmp_path):
    """So Binder has it; what pip kept would be pulled at each start."""
    course = copy_for_binder(tmp_path / "course")
    asks = [sys._base_executable, "-m", "pip", "config", "list", "--user"]
    own = {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}
    said = subprocess.run(asks, env=own | {"HOME": str(course)}, capture_output=True, text=True)
    assert "global.no-cache-dir='true'" in said.stdout, said


@pytest.fixture
def fitted(tmp_path):
    """(the course, an environment that postBuild has fitted to it, the home of who did it)."""
    course = copy_for_binder(tmp_path / "a course")
    prefix, home = tmp_path / "conda", tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    inside = {"base": str(prefix), "platbase": str(prefix)}
    packages = Path(sysconfig.get_path("purelib", vars=inside))
    (packages / "jupyterlab.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    home.mkdir()
    path = f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    env = own | {"PATH": path, "HOME": str(home)}
    subprocess.run(["./postBuild"], cwd=course, check=True, env=env)
    return course, prefix, home


def test_postbuild_fits_an_environment_to_the_course(fitted):
    course, prefix, home = fitted
    imported = subprocess.run(
        [prefix / "bin" / "python", "-I", "-c", "import helpers; print(helpers.__file__)"],
        cwd=home,
        check=True,
        capture_output=True,
        text=True,
    )
    assert Path(imported.stdout.strip()) == course / "helpers" / "__init__.py"
    assert list((course / "helpers" / "__pycache__").glob("__init__.*.pyc"))
    settings = prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    assert settings.read_text() == (ROOT / "overrides.json").read_text()


def test_postbuild_imports_the_layout_that_links_to_the_tour_open(fitted):
    _, _, home = fitted
    (stored,) = (home / ".jupyter" / "lab" / "workspaces").iterdir()
    workspace = json.loads(stored.read_text(encoding="utf-8"))
    assert links.TOUR_PAGE.startswith(f"lab/workspaces/{workspace['metadata']['id']}/tree/")
    current = workspace["data"]["layout-restorer:data"]["main"]["current"]
    assert workspace["data"][current]["data"]["path"] == links.TOUR


def test_every_setting_in_overrides_is_one_that_jupyterlab_has():
    schemas = Path(sys.prefix) / "share" / "jupyter" / "lab" / "schemas"
    for plugin, settings in json.loads((ROOT / "overrides.json").read_text()).items():
        extension, name = plugin.split(":")
        schema = json.loads((schemas / extension / f"{name}.json").read_text(encoding="utf-8"))
        for setting, value in settings.items():
            offered = schema["properties"][setting]
            if "$ref" in offered:
                offered = schema["definitions"][offered["$ref"].rsplit("/", 1)[1]]
            assert value in offered.get("enum", [value]), f"{plugin} {setting}"


def test_a_changed_dependency_is_noticed(tmp_path):
    """What `refresh` goes by: it leaves the locks alone, and the network, unless this says so."""
    course = copy_for_binder(tmp_path / "course")
    for lock in LOCKS:
        (course / lock).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / lock, course / lock)

    def fit():
        ask = "from helpers.commands import locks; raise SystemExit(not locks.locks_fit())"
        return subprocess.run([sys.executable, "-c", ask], cwd=course).returncode == 0

    assert fit()
    project = course / "pyproject.toml"
    project.write_text(project.read_text(encoding="utf-8").replace('"httpx"', '"httpx>=0.28"'))
    assert not fit()
