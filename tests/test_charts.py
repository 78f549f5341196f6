"""Charts say in words what they draw, and no label is cut or runs into another."""

import math

import pytest
from matplotlib.figure import Figure

from helpers import bars, heatmap, lines
from tests.readable import cut_or_covered

DEPTH = [(0.1 * n, n % 7) for n in range(200)]
CHARTS = {
    "bars": lambda: bars(
        {"in the loop": 310.4, "in a thread": 4, "nowhere": 0}, unit="ms", title="Heartbeat"
    ),
    "bars, log": lambda: bars({"a thread for each call": 3400, "a call": 1}, unit="ns", log=True),
    "one bar": lambda: bars({"alone": 3}),
    "lines": lambda: lines(
        {"httpx": [(1, 0.2), (10, 0.3)], "aiohttp": [(1, 0.1), (10, 0.2)]},
        x="requests",
        y="seconds",
        title="Time",
    ),
    "steps": lambda: lines({"depth": DEPTH}, x="seconds", y="items", step=True),
    "six lines, log": lambda: lines(
        {f"a line with name {n}": [(1, n + 1), (100, n + 2)] for n in range(6)},
        x="x",
        y="y",
        log=True,
    ),
    "heatmap": lambda: heatmap(
        [[1, 100], [3.25, 1000]],
        rows=["1 task", "100 tasks"],
        columns=["no await", "one"],
        x="awaits",
        y="tasks",
        title="Lost",
    ),
    "flat heatmap": lambda: heatmap([[5, 5]], rows=["a"], columns=["b", "c"]),
}


def test_words_that_can_not_be_read_are_seen():
    figure = Figure((2, 1))
    for x, words in ((0.3, "one"), (0.32, "another"), (0.95, "over the edge")):
        figure.text(x, 0.5, words)
    assert cut_or_covered(figure) == (["over the edge"], [("one", "another")])


@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_cut_or_runs_into_other_text(name):
    assert cut_or_covered(CHARTS[name]().figure()) == ([], [])


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_shown_with_its_words(name, tmp_path):
    chart = CHARTS[name]()
    shown = chart._repr_mimebundle_()
    assert 'alt="' in shown["text/html"] and shown["text/plain"] == chart.text == repr(chart)
    for ending in ("png", "svg"):
        copies = [tmp_path / f"{copy}.{ending}" for copy in ("one", "two")]
        for copy in copies:
            chart.save(copy)
        assert copies[0].read_bytes() == copies[1].read_bytes()


def test_the_words_hold_the_numbers():
    assert CHARTS["bars"]().text == (
        "Heartbeat.\nin the loop: 310 ms\nin a thread: 4 ms\nnowhere: 0 ms"
    )
    assert CHARTS["lines"]().text == (
        "Time.\nhttpx: 0.2 at 1, 0.3 at 10\naiohttp: 0.1 at 1, 0.2 at 10"
    )
    assert "at most 6 at 0.6" in CHARTS["steps"]().text
    assert CHARTS["heatmap"]().text == (
        "Lost.\ntasks by awaits: no await, one\n1 task: 1, 100\n100 tasks: 3.25, 1,000"
    )


def test_lines_are_told_apart_without_colour():
    (axes,) = CHARTS["six lines, log"]().figure().axes
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes.lines}) == 6


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: bars({}), "at least one number"),
        (lambda: bars({"a": 0}, log=True), "no place for 0"),
        (lambda: lines({"a": []}), "at least one point"),
        (lambda: lines({str(n): [(0, 0)] for n in range(7)}), "7 lines can't be told apart"),
        (lambda: lines({"a": [(0, 1)]}, log=True), "no place for 0"),
        (lambda: heatmap([[1]], rows=["a"], columns=["b", "c"]), "1 rows of 2 numbers"),
        (lambda: bars({"a": math.nan}), "can't be drawn"),
        (lambda: lines({"a": [(0, math.inf)]}), "can't be drawn"),
        (lambda: heatmap([[math.nan]], rows=["a"], columns=["b"]), "can't be drawn"),
    ],
)
def test_what_can_not_be_drawn_is_told(make, words):
    with pytest.raises(ValueError, match=words):
        make()
