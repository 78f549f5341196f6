"""How a claim of a source is judged, and what the rows of the ledger say."""

import re

import pytest

from helpers.measuring.claims import Claim, Source, claim, claims, effect, rows

SOURCE = Source("000", "A source", "", "")


def row(**fields):
    """A row of the ledger made for a test."""
    told = dict(what="", quote="", where="", held="yes")
    usual = dict(id="000-x", source=SOURCE, lesson=1, kind="measurement", **told)
    return Claim(**(usual | fields))


@pytest.mark.parametrize(
    "ratio, said",
    [
        (5, "gain"),
        (1.26, "gain"),
        (1.25, "same"),
        (1, "same"),
        (0.8, "same"),
        (0.79, "loss"),
        (0.01, "loss"),
    ],
)
def test_classes_of_ratios(ratio, said):
    assert effect(ratio) == said


@pytest.mark.parametrize(
    "rule, fields, ratio, cpu, holds, words",
    [
        ("ratio", dict(published={"a": 10, "b": 2}), 1.3, 0, True, "5.00 times as fast, a gain"),
        ("ratio", dict(published={"a": 10, "b": 2}), 1.2, 0, False, "1.20 times as fast, about"),
        ("ratio", dict(published={"a": 1, "b": 50}), 0.01, 0, True, "100 times as slow, a loss"),
        ("ratio", dict(says={"a": "measure", "b": "loss"}), 1.0, 0, False, "source says a loss"),
        ("ratio", dict(says={"a": "measure", "b": "same"}), 1.1, 0, True, "says about the same"),
        (
            "sooner",
            dict(published={"a": 12, "b": 10}),
            1.1,
            0,
            True,
            "here it is 1.10 times as fast",
        ),
        ("sooner", dict(published={"a": 12, "b": 10}), 1.0, 0, False, "make it 1.20 times as fast"),
        ("one core", dict(published={"a": 1, "b": 1}), 0.7, 1.01, True, "no more than one core"),
        ("one core", dict(published={"a": 1, "b": 1}), 1.9, 1.95, False, "more than one core"),
        ("several cores", dict(published={"a": 4, "b": 1}), 1.7, 1.8, True, "(published: 4.00)"),
        ("several cores", dict(says={"a": "measure", "b": "gain"}), 0.9, 0.9, False, "machine"),
        ("parallel", dict(says={"a": "measure", "b": "gain"}), 4.9, 0.1, False, "0.10 of a core"),
        ("measure", dict(published={"a": 1}), 1, 0, None, "the others"),
    ],
)
def test_rules(rule, fields, ratio, cpu, holds, words):
    verdict = row(rule=rule, **fields).judge("b", ratio, cpu)
    assert verdict.holds is holds
    assert words in verdict.reason
    starts = {True: "holds: ", False: "does not hold: ", None: "the others"}
    assert str(verdict).startswith(starts[holds])


# The rows


def test_every_row_is_whole():
    assert len(claims()) == len({row.id for row in claims()}) >= 20
    for row in claims():
        assert re.fullmatch(r"00[0-4]-[a-zA-Z0-9-]+", row.id)
        assert row.id.startswith(row.source.id)
        assert row.source.title
        assert 0 <= row.lesson <= 23
        assert row.held in ("yes", "no", "partly", "outdated")
        for text in (row.what, row.quote, row.where, row.repeated):
            assert text and text == text.strip()
        assert re.search(r"\blines? \d+", row.where), row.id
        assert all(figure > 0 for figure in row.published.values())
        assert not (row.published and row.says)
        if row.kind == "measurement":
            assert row.published
        if row.kind == "output":
            assert row.output.strip()
        if row.baseline and row.rule != "measure":
            for variant in row.variants:
                assert row.effect(variant) in ("gain", "same", "loss")


def test_rows_of_the_first_lessons_are_there():
    assert {f"000-{number}" for number in range(1, 8)} <= {row.id for row in claims(1)}
    assert [row.id for row in claims(2)] == ["001-3"]
    assert [row.id for row in claims(3)] == ["001-4", "001-5"]
    assert [row.id for row in rows("000 hard_work.py")] == ["000-5", "000-6", "000-7"]
    assert [row.id for row in rows("000-1", "the GIL")][:2] == ["000-1", "001-gil"]
    assert claim("000-6").source.date == "2023-04-23"


def test_published_ratios_are_those_of_the_sources_own_figures():
    assert claim("000-2").ratio("threads") == pytest.approx(4.993, abs=0.001)
    assert claim("000-5").ratio("threads") == pytest.approx(1.068, abs=0.001)
    assert claim("000-6").ratio("processes") == pytest.approx(4.074, abs=0.001)
    assert claim("000-7").effect("asyncio") == "same"
    assert claim("000-2").ratio("asyncio") is None


def run_as_source_001(lines):
    """What the lines print at an interactive prompt: prints, and values that aren't None."""
    import code
    import contextlib
    import io

    out = io.StringIO()
    console = code.InteractiveConsole()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for line in lines.splitlines():
            console.push(line)
    told = out.getvalue().splitlines()
    return [line for line in told if not line.startswith(("Traceback", "  "))]


MYGEN = """\
def mygen():
    c = 0
    for i in range(3):
        yield i
        print(f"Inside of generator value of i {i}")

"""
MYCORO = """\
def mycoro():
    c = 0
    for i in range(100):
        c += yield i
        print(f"Inside of generator value of c {c}")

x = mycoro()
"""


@pytest.mark.parametrize(
    "id, lines",
    [
        ("001-3", MYGEN + "x = mygen()\nnext(x)\nlist(x)"),
        ("001-4", MYCORO + "x.send(10)\nx = mycoro()\nnext(x)\nx = mycoro()\nx.send(None)"),
        ("001-5", MYCORO + "next(x)\nx.send(10)\nx.send(5)\nx.send(20)\nx.send(1.5)"),
    ],
)
def test_printed_outputs_are_what_python_prints(id, lines):
    assert run_as_source_001(lines) == claim(id).output.strip().splitlines()
