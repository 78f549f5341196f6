"""Plain charts of what an experiment measured: bars, lines, and a grid of cells.

    bars({"in the loop": 310, "in a thread": 4}, unit="ms", title="Heartbeat, latest beat")
    lines({"httpx": [(10, 0.2), (100, 0.3)]}, x="requests", y="seconds")
    heatmap([[1, 2], [3, 4]], rows=["1 task", "2 tasks"], columns=["none", "one"], x="awaits")

What ran when is a `timeline`; the times of several ways are a `compare`. Like those, a chart tells
in words what it shows, and nothing in it is told by colour alone.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from helpers.pictures.picture import (
    BLUE,
    BROWN,
    DARK,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    WIDTH,
    Picture,
    plain,
    titled,
)

__all__ = ["bars", "lines", "heatmap"]

BAR = 0.34  # inches of height
HEIGHT = 2.6  # inches, of lines
LOOKS = (  # colour, mark and stroke of each line: to be told apart in grey as well
    (BLUE, "o", "-"),
    (ORANGE, "s", "--"),
    (RED, "^", "-."),
    (PURPLE, "D", ":"),
    (BROWN, "v", (0, (5, 1, 1, 1))),
    (GREY, "x", (0, (1, 1))),
)
MANY = 40  # points of one line; more are drawn without a mark for each
PALE_TO_BLUE = LinearSegmentedColormap.from_list("pale to blue", ["#f4f7fb", BLUE, "#123a63"])


def bars(
    values: Mapping[str, float], *, title: str = "", unit: str = "", log: bool = False
) -> Picture:
    """A bar for each name, with its value beside it.

    Parameters:
        values: name → number.  unit: of the numbers, on the axis and in the words.
        log: a logarithmic axis, where the numbers are of different sizes; all must be above 0.

    Raises ValueError if there is nothing to draw, or a number that can't be drawn.
    """
    values = {str(name): float(value) for name, value in values.items()}
    _require(values, "bars needs a dict of at least one number: {name: number}.")
    _require_finite(values.values())
    if log:
        _require_above_zero(values.values())
    return _Bars(values, title, unit, log)


def lines(
    series: Mapping[str, Iterable[tuple[float, float]]],
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    log: bool = False,
    step: bool = False,
) -> Picture:
    """A line for each name through its points.

    Parameters:
        series: name → points, pairs of x and y.  x, y: what the axes say, with the unit.
        log: both axes logarithmic; all numbers must be above 0.
        step: the value stays until the next point, as the length of a queue does.

    Raises ValueError if there is nothing to draw, more lines than can be told apart, or a number
    that can't be drawn.
    """
    drawn = {str(name): [(float(a), float(b)) for a, b in line] for name, line in series.items()}
    _require(drawn and all(drawn.values()), "lines needs at least one point for each name.")
    if len(drawn) > len(LOOKS):
        raise ValueError(f"{len(drawn)} lines can't be told apart, at most {len(LOOKS)} can.")
    numbers = [number for points in drawn.values() for pair in points for number in pair]
    _require_finite(numbers)
    if log:
        _require_above_zero(numbers)
    return _Lines(drawn, title, x, y, log, step)


def heatmap(
    values: Sequence[Sequence[float]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str = "",
    x: str = "",
    y: str = "",
) -> Picture:
    """A grid of cells, darker the larger its number, which stands in it.

    Parameters:
        values: rows of numbers, from the top.  rows, columns: their labels.
        x, y: what the columns and the rows are.

    Raises ValueError if labels and numbers don't fit each other.
    """
    grid = [[float(value) for value in row] for row in values]
    rows, columns = [str(row) for row in rows], [str(column) for column in columns]
    shape = f"{len(rows)} rows of {len(columns)} numbers"
    fits = len(grid) == len(rows) and all(len(row) == len(columns) for row in grid)
    _require(rows and columns and fits, f"heatmap needs as many numbers as labels: {shape}.")
    _require_finite(value for row in grid for value in row)
    return _Grid(grid, rows, columns, title, x, y)


def _require(fine: object, sentence: str) -> None:
    if not fine:
        raise ValueError(sentence)


def _require_finite(numbers: Iterable[float]) -> None:
    for number in numbers:
        _require(math.isfinite(number), f"{number} can't be drawn.")


def _require_above_zero(numbers: Iterable[float]) -> None:
    least = min(numbers)
    _require(least > 0, f"a logarithmic axis has no place for {_number(least)}: leave out `log`.")


class _Bars(Picture):
    def __init__(self, values, title, unit, log):
        self.values, self.title, self.unit, self.log = values, title, unit, log
        told = [f"{name}: {self._said(value)}" for name, value in values.items()]
        self.text = titled(title, told)
        self.alt = f"Bars. {title + '. ' if title else ''}{'; '.join(told)}."

    def _said(self, value):
        return f"{_number(value)} {self.unit}".strip()

    def draw(self):
        figure = Figure((WIDTH, BAR * len(self.values) + 0.75), layout="constrained")
        axes = figure.subplots()
        drawn = axes.barh(
            list(self.values),
            list(self.values.values()),
            0.6,
            color=BLUE,
            edgecolor=DARK,
            linewidth=0.6,
        )
        axes.bar_label(drawn, [self._said(value) for value in self.values.values()], padding=3)
        if self.log:
            axes.set_xscale("log")
            low, high = min(self.values.values()), max(self.values.values())
            axes.set_xlim(low / 2, high * (high / low) ** 0.25 * 2)
            _plain_numbers(axes.xaxis)
        else:
            axes.set_xlim(min(0, *self.values.values()), 1.25 * max(*self.values.values(), 1e-12))
        axes.invert_yaxis()
        axes.set_xlabel(self.unit)
        axes.tick_params(axis="y", length=0)
        _head(axes, self.title)
        return figure


class _Lines(Picture):
    def __init__(self, series, title, x, y, log, step):
        self.series, self.title, self.x, self.y = series, title, x, y
        self.log, self.step = log, step
        told = [f"{name}: {self._said(points)}" for name, points in series.items()]
        self.text = titled(title, told)
        axes = f"{y or 'y'} against {x or 'x'}"
        self.alt = f"Lines, {axes}. {title + '. ' if title else ''}{'; '.join(told)}."

    def _said(self, points):
        if len(points) <= 8:
            return ", ".join(f"{_number(b)} at {_number(a)}" for a, b in points)
        (first, begun), (last, ended) = points[0], points[-1]
        at, most = max(points, key=lambda point: point[1])
        return (
            f"{_number(begun)} at {_number(first)}, at most {_number(most)} at {_number(at)}, "
            f"{_number(ended)} at {_number(last)}"
        )

    def draw(self):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        for (name, points), (colour, mark, stroke) in zip(self.series.items(), LOOKS):
            few = len(points) <= MANY
            axes.plot(
                *zip(*points),
                color=colour,
                linestyle=stroke,
                marker=mark,
                markevery=1 if few else len(points) // 8,
                markersize=4,
                label=name,
                drawstyle="steps-post" if self.step else "default",
                linewidth=1.4,
            )
        if self.log:
            axes.set_xscale("log")
            axes.set_yscale("log")
            _plain_numbers(axes.xaxis)
            _plain_numbers(axes.yaxis)
        else:
            axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        if len(self.series) > 1 or not self.y:
            figure.legend(loc="outside lower center", ncols=3, frameon=False, handlelength=3.2)
        _head(axes, self.title)
        return figure


class _Grid(Picture):
    def __init__(self, grid, rows, columns, title, x, y):
        self.grid, self.rows, self.columns = grid, rows, columns
        self.title, self.x, self.y = title, x, y
        head = f"{y or 'rows'} by {x or 'columns'}: {', '.join(columns)}"
        told = [f"{row}: {', '.join(map(_number, cells))}" for row, cells in zip(rows, grid)]
        self.text = titled(title, [head, *told])
        self.alt = f"Grid of numbers. {title + '. ' if title else ''}{head}. {'; '.join(told)}."

    def draw(self):
        figure = Figure((WIDTH, 0.34 * len(self.rows) + 0.9), layout="constrained")
        axes = figure.subplots()
        low, high = min(map(min, self.grid)), max(map(max, self.grid))
        axes.imshow(self.grid, cmap=PALE_TO_BLUE, aspect="auto", vmin=low, vmax=high)
        for i, row in enumerate(self.grid):
            for j, value in enumerate(row):
                dark = high > low and (value - low) / (high - low) > 0.4
                axes.text(
                    j,
                    i,
                    _number(value),
                    ha="center",
                    va="center",
                    color="white" if dark else DARK,
                )
        axes.set_xticks(range(len(self.columns)), self.columns)
        axes.set_yticks(range(len(self.rows)), self.rows)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        _head(axes, self.title, plainly=False)
        return figure


def _head(axes, title, plainly=True):
    if title:
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    if plainly:
        plain(axes)


def _plain_numbers(axis):
    """On a logarithmic axis 100 rather than 10², and 2 and 5 where it is short."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(NullFormatter())


def _number(value):
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
