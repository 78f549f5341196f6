"""Kinds of mistakes are a closed vocabulary: each one used is in the catalogue, and each one in the
catalogue is used.
"""

import ast
import re

import pytest

from helpers.basics.project import PROJECT
from helpers.coach.form import finding
from helpers.coach.form.statement import Wrong, wrong_value
from helpers.coach.mistakes.catalogue import KINDS, SUBJECTS
from helpers.coach.mistakes.python_errors import BY_NAME, PHRASES
from helpers.coach.mistakes.verdict import verdict_of
from tests.coach_cells import FIXTURES

pytestmark = pytest.mark.coach

PLACE = {
    "Wrong": 0,
    "wrong": 0,
    "_not_yet": 0,
    "wrong_value": 1,
    "Verdict": 1,
}  # of the kind, in such a call
CHECKS = [path for folder in (finding.CHECKS, FIXTURES) for path in sorted(folder.rglob("*.py"))]
COACH = sorted((PROJECT / "helpers" / "coach").rglob("*.py"))


def kinds_in(path):
    """(line, kind) of each kind that stands in a file as a string, right where it is used."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        given = [word.value for word in node.keywords if word.arg == "kind" and name == "but"]
        given += node.args[PLACE[name] :][:1] if name in PLACE else []
        for kind in given:
            for one in [kind.body, kind.orelse] if isinstance(kind, ast.IfExp) else [kind]:
                if isinstance(one, ast.Constant):
                    yield one.lineno, one.value


def expected(folder=None):
    """(exercise, kind) of each wrong program and each wrong value, those made in a loop too."""
    for entry in finding.entries(folder):
        exercise = finding.find(entry.id, folder)
        for wrong in (*exercise.wrong_programs(), *exercise.wrong_values):
            yield exercise.id, wrong.kind


def by_the_coach_itself():
    found = {kind for path in COACH for _, kind in kinds_in(path)}
    return found | set(BY_NAME.values()) | {kind for *_, kind in PHRASES}


@pytest.mark.parametrize("path", CHECKS + COACH, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_kind_that_is_used_is_in_the_catalogue(path):
    free = [f"line {line}: {kind!r}" for line, kind in kinds_in(path) if kind not in KINDS]
    assert not free, "a belief of the catalogue, and a headline of its own, say the same"


@pytest.mark.parametrize("folder", [None, FIXTURES], ids=["the course", "the fixture"])
def test_each_kind_that_is_expected_is_in_the_catalogue(folder):
    assert not [f"{id}: {kind!r}" for id, kind in expected(folder) if kind not in KINDS]


def test_each_kind_of_the_catalogue_is_told_by_some_exercise_or_by_the_coach_itself():
    used = {kind for _, kind in expected()} | by_the_coach_itself()
    assert not set(KINDS) - used


def test_each_kind_stands_in_the_catalogue_once_with_all_its_words():
    assert len(KINDS) == sum(map(len, SUBJECTS.values()))
    headlines = [kind.headline for kind in KINDS.values()]
    assert len(headlines) == len(set(headlines))
    for key, kind in KINDS.items():
        assert re.fullmatch(r"[A-Za-z].*[^.]", kind.headline), key
        assert not kind.at or re.fullmatch(r"[a-z].*[^.]", kind.at), key
        assert not kind.try_ or re.fullmatch(r"[A-Z`].*[.?]", kind.try_), key
        assert kind.try_ or key in ("raised", "crashed"), key


def test_a_headline_of_its_own_takes_the_place_of_all_words_of_the_kind():
    plain = verdict_of(Wrong("late", "It took 5 s."))
    own = verdict_of(Wrong("late", "It took 5 s.", headline="came too late"))
    assert (plain.headline, plain.try_) == (KINDS["late"].headline, KINDS["late"].try_)
    assert (own.kind, own.headline, own.try_) == ("late", "came too late", "")


def test_a_wrong_value_has_a_headline_of_its_own_too():
    found = verdict_of(wrong_value(2, "late", "It is 1.", headline="one second late").mistake())
    assert found.text() == "NOT YET: one second late.\nIt is 1."


def test_a_kind_that_is_not_in_the_catalogue_is_refused():
    with pytest.raises(KeyError, match="came too late"):
        verdict_of(Wrong("came too late", "It took 5 s."))
