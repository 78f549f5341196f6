"""The house keeps its order: what may know what, how long a file is, what a function says."""

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the ground up: a room knows its own files and the floors below it.
FLOORS = [
    {"basics"},
    {"eventloop", "recording"},
    {"services", "pictures"},
    {"kernel"},
    {"measuring"},
    {"props", "room", "beliefs"},
    {"coach"},
    {"board", "drills", "schedules"},
    {"memory"},
    {"upkeep"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# The recorder knows the loop that it listens to by name.
BESIDE = {("recording", "eventloop")}
# Within the coach likewise: what an exercise is, what can be wrong with an answer, who judges it.
COACH = ["form", "mistakes", "judging"]
LONGEST = 400  # lines of a file that gives no reason for more
NO_HINTS = {"eventloop"}  # a learner writes these files, before hints are of any use
# Others' code, which lessons show as it was published: nothing is added to it.
AS_PUBLISHED = {"helpers.props.published", "helpers.services.published"}


def modules():
    """Every file of the helpers, as (dotted name, path)."""
    for path in sorted((ROOT / "helpers").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(modules())
each = pytest.mark.parametrize("name", MODULES)


@functools.cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(name, path):
    """The modules of ours that a file imports anywhere in it, inside functions too."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            inner = [f"{base}.{alias.name}" for alias in node.names]
            found = [one if one in MODULES else base for one in inner]
        else:
            continue
        yield from (one for one in found if one.split(".")[0] in ("helpers", "exercises"))


def room(name):
    """The room of a module: "recording" of "helpers.recording.model"."""
    return (name.split(".") + [""])[1]


def below(one, other):
    """Whether a module may know another one, which is not in its own room."""
    return (one, other) in BESIDE or FLOOR[other] < FLOOR[one]


@each
def test_imports_run_downward(name):
    mine = room(name)
    for known in imports(name, MODULES[name]):
        if known == "helpers":
            assert mine in ("", "upkeep"), f"{name}: import a name from its own room"
            continue
        theirs = room(known)
        assert known.startswith("helpers."), f"{name} imports {known}, a check or a notebook"
        if mine == "commands" or theirs == "commands":
            assert mine == theirs, f"{name} imports {known}: the commands stand alone"
        elif mine and mine != theirs:
            assert below(mine, theirs), f"{name} imports {known}, which stands above it"
        elif mine == theirs == "coach":
            mine_in, theirs_in = ((one.split(".") + [""] * 2)[2] for one in (name, known))
            if mine_in in COACH and theirs_in != mine_in:
                assert theirs_in in COACH[: COACH.index(mine_in)], f"{name} imports {known}"


def test_no_import_runs_in_a_circle():
    graph = {name: set(imports(name, path)) & set(MODULES) for name, path in MODULES.items()}
    done, way = set(), []

    def visit(name):
        assert name not in way, f"a circle: {' → '.join([*way[way.index(name) :], name])}"
        if name not in done:
            way.append(name)
            for known in sorted(graph[name]):
                visit(known)
            way.pop()
            done.add(name)

    for name in graph:
        visit(name)


@pytest.mark.parametrize(
    "command, beside",
    [
        ("import helpers.commands", {"helpers", "helpers.commands"}),
        ("import helpers", {"helpers"}),
        ("from helpers import record", {"helpers", "helpers.recording", "helpers.basics"}),
    ],
)
def test_an_import_brings_no_other_room_along(command, beside):
    loaded = subprocess.run(
        [sys.executable, "-c", f"{command}; import sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    ).stdout.split()  # fmt: skip
    rooms = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("helpers")}
    assert rooms <= beside


def long_files():
    for folder in "helpers", "tests", "exercises/checks":
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_long_without_a_reason():
    for name, lines in long_files():
        if lines > LONGEST:
            words = ast.get_docstring(tree_of(ROOT / name)) or ""
            assert "Long, for " in words, f"{name} has {lines} lines and gives no reason"


def public(body, inside=()):
    """The functions and methods of a module that others may call."""
    for node in body:
        if getattr(node, "name", "_").startswith("_"):
            continue
        if isinstance(node, ast.ClassDef):
            yield from public(node.body, (*inside, node.name))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ".".join((*inside, node.name)), node


@each
def test_public_functions_have_type_hints(name):
    if room(name) in NO_HINTS or name in AS_PUBLISHED:
        return
    for where, function in public(tree_of(MODULES[name]).body):
        given = function.args
        named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        named += [one for one in (given.vararg, given.kwarg) if one]
        bare = [one.arg for one in named if not one.annotation and one.arg not in ("self", "cls")]
        assert not bare, f"{name}.{where}: {', '.join(bare)}"
        assert function.returns is not None, f"{name}.{where} returns what?"


@each
def test_public_functions_have_docstrings(name):
    if name in AS_PUBLISHED:
        return
    for where, function in public(tree_of(MODULES[name]).body):
        if len(where.split(".")) == 1:
            assert ast.get_docstring(function), f"{name}.{where}"
