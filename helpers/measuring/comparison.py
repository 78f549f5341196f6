"""The results of an experiment as a notebook shows them: bars, a table beside them, and words."""

import functools

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from helpers.basics.words import duration, number
from helpers.measuring.claims import Verdict, effect, times
from helpers.measuring.results import Results
from helpers.pictures.html import table
from helpers.pictures.picture import BLUE, DARK, ORANGE, WIDTH, Picture, plain

ROW = 0.52  # inches: of the height of one variant


class Comparison(Results, Picture):
    """The results of `compare`, shown.  alt, text: what the picture shows, in words."""

    @functools.cached_property
    def text(self) -> str:
        """The picture's twin: a line for each variant, one for each verdict, one for each note."""
        width = max(map(len, self.seconds))
        lines = [f"{name:{width}}  {self._facts(name)}" for name in self.seconds]
        for name in self.seconds:
            lines += [f"{name}: {row.id} {verdict}" for row, verdict in self.verdicts(name)]
        return "\n".join(lines + self.notes)

    @functools.cached_property
    def alt(self) -> str:
        """What the picture shows, in a sentence for each variant."""
        told = [f"{name}: {self._facts(name, short=True)}." for name in self.seconds]
        if self.shows == ("time",):
            took = "Bars of the time each variant took, and how many times as fast as"
            return f"{took} {self.baseline} it was. {' '.join(told)}"
        return f"Bars for each variant: {'; '.join(self.shows)}. {' '.join(told)}"

    def _facts(self, name: str, short: bool = False) -> str:
        shown = [f"{key}: {_figure(values[name])}" for key, values in self.figures.items()]
        if short and self.shows != ("time",):
            time, core = duration(self.seconds[name]), f"{self.cpu[name]:.2f} of a core"
            built_in = {"time": time, "of a core": core}
            return ", ".join([built_in[key] for key in self.shows if key in built_in] + shown)
        facts = [duration(self.seconds[name])]
        if not short:
            facts[0] += " ({} to {})".format(*map(duration, self.spread[name]))
        if name != self.baseline:
            facts.append(times(self.ratio(name)))
            if self.published(name) is not None:
                facts.append(f"published {times(self.published(name))}")
        if not short:
            facts += [f"{self.cpu[name]:.2f} of a core", *shown]
        elif name in self.verdict and self.verdict[name].holds is not None:
            facts.append(_word(self.verdict[name]))
        return ", ".join(facts)

    @property
    def below(self) -> Markup:
        """The table of what was measured, as HTML."""
        heads = ["variant", "time (fastest to slowest)", f"beside {self.baseline}", "of a core"]
        heads += self.figures
        if self.claims:
            heads[3:3] = ["published"]
            heads.append("verdict")
        rows = [(name, *self._cells(name)) for name in self.seconds]
        return table(rows, heads, caption=" ".join(["What was measured.", *self.notes]))

    def _cells(self, name: str) -> list[str]:
        """A row of the table, without its first cell."""
        cells = [
            "{} ({} to {})".format(*map(duration, (self.seconds[name], *self.spread[name]))),
            "" if name == self.baseline else times(self.ratio(name)),
            f"{self.cpu[name]:.2f}",
            *(_figure(values[name]) for values in self.figures.values()),
        ]
        if self.claims:
            published = self.published(name)
            cells[2:2] = ["" if published is None else times(published)]
            cells.append(" ".join(f"{row.id} {v}" for row, v in self.verdicts(name)))
        return cells

    # As a picture

    def draw(self) -> Figure:
        """Bars of what was measured; with figures of a source, beside those."""
        names = list(self.seconds)
        published = {n: p for n in names if (p := self.published(n)) is not None}
        figure = Figure((WIDTH, ROW * len(names) + 0.75), layout="constrained")
        if published:
            took, ratios = figure.subplots(1, 2, sharey=True)
            self._draw_ratios(ratios, names, published)
            self._draw_times(took, names, with_ratio=False)
        else:
            panels = figure.subplots(1, len(self.shows), sharey=True, squeeze=False)[0]
            for axes, key in zip(panels, self.shows, strict=True):
                self._draw_panel(axes, names, key)
            took = panels[0]
        took.set_yticks(range(len(names)), names)
        took.set_ylim(len(names) - 0.4, -0.6)
        return figure

    def _draw_times(self, axes: Axes, names: list[str], with_ratio: bool) -> None:
        longest = max(slowest for _, slowest in self.spread.values())
        for y, name in enumerate(names):
            middle, (fastest, slowest) = self.seconds[name], self.spread[name]
            axes.barh(y, middle, 0.5, color=BLUE)
            whisker = [[middle - fastest], [slowest - middle]]
            axes.errorbar(middle, y, xerr=whisker, ecolor=DARK, capsize=3, elinewidth=1)
            label = duration(middle)
            if with_ratio and name != self.baseline:
                label += f", {times(self.ratio(name))}"
            axes.text(slowest + 0.02 * longest, y, label, va="center")
        axes.set_xlim(0, longest * (1.6 if with_ratio else 1.35))
        axes.set_xlabel("time in seconds: median, fastest to slowest")
        plain(axes)

    def _draw_panel(self, axes: Axes, names: list[str], key: str) -> None:
        if key == "time":
            return self._draw_times(axes, names, with_ratio=self.shows == ("time",))
        values = self.cpu if key == "of a core" else self.figures[key]
        most = max(values[name] for name in names) or 1.0
        for y, name in enumerate(names):
            label = f"{values[name]:.2f}" if key == "of a core" else _figure(values[name])
            axes.barh(y, values[name], 0.5, color=BLUE)
            axes.text(values[name] + 0.02 * most, y, label, va="center")
        axes.set_xlim(0, most * 1.35)
        axes.set_xlabel(key)
        plain(axes)

    def _draw_ratios(self, axes: Axes, names: list[str], published: dict[str, float]) -> None:
        ratios = {name: self.ratio(name) for name in names}
        every = [*ratios.values(), *published.values()]
        wide = max(every) > 20 * min(every)
        if wide:
            axes.set_xscale("log")
        for y, name in enumerate(names):
            _ratio_bar(axes, y - 0.15, ratios[name], "here", wide, color=BLUE)
            if name in published:
                look = {"facecolor": "white", "edgecolor": ORANGE, "hatch": "/////"}
                _ratio_bar(axes, y + 0.15, published[name], "published", wide, **look)
            verdict = self.verdict.get(name)
            if verdict is not None and verdict.holds is not None:
                axes.annotate(
                    _word(verdict).replace("not ", "not\n"),
                    (1.03, y),
                    xycoords=("axes fraction", "data"),
                    annotation_clip=False,
                    va="center",
                    fontweight="bold",
                )
        axes.axvline(1, color=DARK, linewidth=0.8)
        low, high = min(1, *every), max(1, *every)
        room = 0.42  # of the axis, for the longest label beside the longest bar
        if wide:
            axes.set_xlim(low / 1.3, low / 1.3 * (1.3 * high / low) ** (1 / (1 - room)))
            axes.xaxis.set_major_locator(LogLocator(numticks=5))
            axes.xaxis.set_major_formatter(_plain_fraction)
            axes.xaxis.set_minor_locator(NullLocator())
        else:
            axes.set_xlim(0, high / (1 - room))
        axes.set_xlabel(f"times as fast as {self.baseline}")
        axes.tick_params(axis="y", length=0)
        plain(axes)


def _word(verdict: Verdict) -> str:
    return "holds" if verdict.holds else "does not hold"


def _ratio_bar(axes: Axes, y: float, ratio: float, label: str, wide: bool, **look) -> None:
    # On a logarithmic axis there is no 0 to start from; 1 means no difference.
    left = 1 if wide else 0
    axes.barh(y, ratio - left, 0.27, left=left, **look)
    # Right of the line at 1 in any case, which would run through the text.
    axes.text(max(ratio, 1), y, f" {_short(ratio)} {label}", va="center", fontsize=7)


def _short(ratio: float) -> str:
    return f"1/{number(1 / ratio)}" if effect(ratio) == "loss" else number(ratio)


def _plain_fraction(value: float, position: int) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


def _figure(value: float) -> str:
    return number(value) if value >= 0.1 else f"{value:.2g}"
