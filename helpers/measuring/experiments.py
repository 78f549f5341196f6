"""Run the variants of one experiment side by side, and hold a source's claim against the result.

    compare({"one after another": in_turn, "threads": in_threads, "asyncio": with_asyncio},
            claim="000 sleep.py")

The result displays as bars with a table beside them; `verdict` says what holds on this machine. The
published figures come from `claims.toml`, and are compared as ratios: no machine is another's.
"""

import functools
import html
import inspect
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from helpers.kernel.run import run
from helpers.measuring.claims import Claim, Verdict, effect, number, rows, times
from helpers.measuring.ledger import note
from helpers.pictures.picture import BLUE, DARK, ORANGE, WIDTH, Picture, plain
from helpers.recording import recorder

try:
    import resource
except ImportError:  # Windows
    resource = None

__all__ = ["compare", "Comparison"]

WIDE = 1.5  # runs of one variant that differ more than that don't settle anything
BUILT_IN = ("time", "of a core")  # what each run is measured by
MOST = 3  # times as many runs as asked for, and no more
LONG = 2.0  # seconds after which a learner wants to see that something goes on

ROW = 0.52  # inches: of the height of one variant


def compare(
    variants: dict[str, Callable[[], Any]],
    *,
    repeat: int = 3,
    claim: str | Iterable[str] | None = None,
    baseline: str | None = None,
    record: bool = True,
    shows: Iterable[str] = ("time",),
) -> "Comparison":
    """Run each variant `repeat` times, in turns (a, b, c, a, b, c, ...), and measure it.

    Parameters:
        variants: name → function without parameters, sync or async. An async one is run to its
            end as `run(main())` does.
        repeat: runs of each. A variant whose runs differ more than 1.5-fold is run again until so
            many of them agree, at most three times as often; `notes` says so.
        claim: ids of rows of `claims.toml` ("000-2"), or names of experiments ("000 sleep.py").
        baseline: the name that the others are compared with; the first unless told.
        record: keep a recording of each variant's first run in `recordings`.
        shows: what the picture shows, a panel each: "time", "of a core" (its share of one), or a
            key of the dict of numbers that every variant then returns, "late, ms". With a claim,
            which is about times, it is "time" alone.

    Raises ValueError for arguments that don't fit each other, and whatever a variant raises, with
    a note that names the variant.
    """
    _check(variants, repeat)
    shows = tuple(shows)
    if claim is not None and shows != ("time",):
        raise ValueError("a claim is about times: leave out `shows`, or the claim")
    baseline = next(iter(variants)) if baseline is None else baseline
    if baseline not in variants:
        raise ValueError(f"baseline {baseline!r} is none of the variants {_names(variants)}.")
    claimed = _claimed([claim] if isinstance(claim, str) else claim or [], variants, baseline)

    runs = {name: [] for name in variants}
    unsettled = list(variants)
    with _progress(repeat * len(variants)) as progress:
        for turn in range(MOST * repeat):
            for name in unsettled:
                progress.set_description_str(name, refresh=False)
                runs[name].append(_run(name, variants[name], record and turn == 0))
                _check_shown(name, runs[name][-1].result, shows)
                progress.update()
            if turn + 1 >= repeat:
                unsettled = [name for name in unsettled if not _agree(runs[name], repeat)]
                progress.total += len(unsettled)
    comparison = Comparison(runs, repeat, baseline, claimed, shows)
    if claimed:
        note(comparison.findings())
    return comparison


def _progress(runs: int):
    """A bar that shows itself where all the runs together take long, and is gone at their end."""
    from tqdm.auto import tqdm  # here, for it looks at once what kind of front end there is

    return tqdm(total=runs, unit="run", delay=LONG, leave=False)


def _check(variants: dict[str, Callable], repeat: int) -> None:
    if not isinstance(variants, dict) or not variants:
        raise ValueError("compare needs a dict of at least one variant: {name: function}.")
    for name, function in variants.items():
        if inspect.iscoroutine(function):
            function.close()
            raise ValueError(
                f"The variant {name!r} is a coroutine, which can run only once. "
                "Give the function itself, without parentheses, or lambda: function(...)."
            )
        if not callable(function):
            raise ValueError(f"The variant {name!r} is no function but {function!r}.")
    if not isinstance(repeat, int) or repeat < 1:
        raise ValueError(f"repeat must be a whole number, 1 or more, not {repeat!r}.")


def _check_shown(name: str, result: Any, shows: tuple[str, ...]) -> None:
    for key in shows:
        if key not in BUILT_IN and not (isinstance(result, dict) and key in result):
            raise ValueError(
                f"shows names {key!r}, which is neither {' nor '.join(map(repr, BUILT_IN))} nor a "
                f"key of what the variant {name!r} returned: {result!r:.80}"
            )


def _claimed(names: Iterable[str], variants: dict[str, Callable], baseline: str) -> list[Claim]:
    """The rows that `names` stand for, if they can be judged by these variants."""
    covered = []
    for name in names:
        about = rows(name)
        for row in about:
            if row.baseline is None:
                raise ValueError(f"Claim {row.id} is not about times: there is nothing to compare.")
            if row.baseline != baseline:
                raise ValueError(
                    f"Claim {row.id} is measured against {row.baseline!r}, not {baseline!r}."
                )
        # An experiment may be repeated in part, a single claim can't.
        here = [row for row in about if set(row.variants) & set(variants)]
        if not here:
            raise ValueError(
                f"Claim {name} is about {_names(v for row in about for v in row.variants)}; "
                f"the variants are {_names(variants)}."
            )
        covered += here
    return covered


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


# One run


class Run(NamedTuple):
    """seconds of wall time; cpu: share of a core; what it returned; its Recording or None."""

    seconds: float
    cpu: float
    result: Any
    recording: recorder.Recording | None


def _run(name: str, function: Callable[[], Any], record: bool) -> Run:
    with recorder.record() if record else nullcontext() as recording:
        # The clocks of the share stand around that of the time: reading them takes time as well.
        before, cpu = time.perf_counter(), _cpu_seconds()
        start = time.perf_counter()
        try:
            result = function()
            if inspect.iscoroutine(result):
                result = run(result)
        except BaseException as error:
            error.add_note(f"It was raised by the variant {name!r}.")
            raise
        seconds = time.perf_counter() - start
        own, children = (now - then for now, then in zip(_cpu_seconds(), cpu, strict=True))
        around = time.perf_counter() - before
    # Neither tells too much, and either may miss some: the system tells of children that have
    # ended (not on Windows, nor through a fork server), the recording of jobs alone.
    children = max(children, _cpu_of_processes(recording) if recording else 0.0)
    return Run(seconds, (own + children) / around, result, recording)


def _cpu_seconds() -> tuple[float, float]:
    """CPU seconds of this process, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN) if resource else None
    return time.process_time(), children.ru_utime + children.ru_stime if children else 0.0


def _cpu_of_processes(recording: recorder.Recording) -> float:
    return sum(
        span.cpu * (span.end - span.start)
        for lane in recording.lanes
        if lane.kind == "process"
        for span in recording.spans(lane)
        if span.cpu is not None
    )


def _agree(runs: list[Run], enough: int) -> bool:
    """Do so many of the runs lie close together?"""
    seconds = sorted(run.seconds for run in runs)
    pairs = zip(seconds, seconds[enough - 1 :], strict=False)
    return any(slowest <= WIDE * fastest for fastest, slowest in pairs)


# The result


class Comparison(Picture):
    """What `compare` found. Each attribute below is a dict by variant, in the order given.

    seconds: median of its runs.  spread: (fastest, slowest).  cpu: cpu seconds / wall seconds,
    its own and its processes'; 1.0 is one core kept busy, 0.0 is all waiting.
    results: what its last run returned.  recordings: the Recording of its first run.
    figures: for each key of `shows` that a variant returned, the median by variant.
    verdict: a `Verdict` for each variant that a claim is about: `.holds` and `.reason`.

    notes: sentences on how it was measured.  alt, text: what the picture shows, in words.
    """

    def __init__(
        self,
        runs: dict[str, list[Run]],
        repeat: int,
        baseline: str,
        claimed: list[Claim],
        shows: tuple[str, ...],
    ) -> None:
        self.baseline = baseline
        self.shows = shows
        self.claims = claimed
        self.seconds = {n: statistics.median(run.seconds for run in rs) for n, rs in runs.items()}
        self.spread = {
            n: (min(run.seconds for run in rs), max(run.seconds for run in rs))
            for n, rs in runs.items()
        }
        self.cpu = {n: _share(rs) for n, rs in runs.items()}
        self.results = {n: rs[-1].result for n, rs in runs.items()}
        self.recordings = {n: rs[0].recording for n, rs in runs.items() if rs[0].recording}
        self.figures = {
            key: {n: statistics.median(run.result[key] for run in rs) for n, rs in runs.items()}
            for key in shows
            if key not in BUILT_IN
        }
        self.verdict = {n: _joined(vs) for n in runs if (vs := self._verdicts(n))}
        self.notes = [
            f"{name} ran {len(rs)} times, for its runs differed {number(slowest / fastest)}-fold."
            for name, rs in runs.items()
            for fastest, slowest in [self.spread[name]]
            if len(rs) > repeat
        ]

    def ratio(self, name: str) -> float:
        """How many times as fast as the baseline it was."""
        return self.seconds[self.baseline] / self.seconds[name]

    def published(self, name: str) -> float | None:
        """How many times as fast as the baseline the source found it, or None."""
        for row in self.claims:
            if name in row.variants and name in row.published:
                return row.ratio(name)
        return None

    @property
    def holds(self) -> bool:
        """Does every claim hold here?"""
        return all(verdict.holds is not False for verdict in self.verdict.values())

    def findings(self) -> dict[str, tuple[bool | None, str]]:
        """What was found of each claim, for the ledger: id → (does it hold, what was seen)."""
        told = {}
        for row in self.claims:
            here = [name for name in row.variants if name in self.seconds]
            if not here:
                continue
            verdicts = [row.judge(name, self.ratio(name), self.cpu[name]) for name in here]
            judged = [verdict.holds for verdict in verdicts if verdict.holds is not None]
            saw = "; ".join(self._seen(row, name) for name in here)
            told[row.id] = all(judged) if judged else None, saw
        return told

    def _seen(self, row: Claim, name: str) -> str:
        seen = f"{name}: {_duration(self.seconds[name])}"
        if name != self.baseline:
            seen += f", {times(self.ratio(name))}"
        if row.rule not in ("ratio", "measure"):  # the other rules ask how busy the cores were
            seen += f", {self.cpu[name]:.2f} of a core"
        return seen

    def _verdicts(self, name: str) -> list[tuple[Claim, Verdict]]:
        ratio, cpu = self.ratio(name), self.cpu[name]
        return [(r, r.judge(name, ratio, cpu)) for r in self.claims if name in r.variants]

    # In words

    @functools.cached_property
    def text(self) -> str:
        """The picture's twin: a line for each variant, one for each verdict, one for each note."""
        width = max(map(len, self.seconds))
        lines = [f"{name:{width}}  {self._facts(name)}" for name in self.seconds]
        for name in self.seconds:
            lines += [f"{name}: {row.id} {verdict}" for row, verdict in self._verdicts(name)]
        return "\n".join(lines + self.notes)

    @functools.cached_property
    def alt(self) -> str:
        """What the picture shows, in a sentence for each variant."""
        told = [f"{name}: {self._facts(name, short=True)}." for name in self.seconds]
        if self.shows == ("time",):
            return f"Bars of the time each variant took, and how many times as fast as \
{self.baseline} it was. {' '.join(told)}"
        return f"Bars for each variant: {'; '.join(self.shows)}. {' '.join(told)}"

    def _facts(self, name: str, short: bool = False) -> str:
        shown = [f"{key}: {_figure(values[name])}" for key, values in self.figures.items()]
        if short and self.shows != ("time",):
            built_in = {
                "time": _duration(self.seconds[name]), "of a core": f"{self.cpu[name]:.2f} of a core"
            }  # fmt: skip
            return ", ".join([built_in[key] for key in self.shows if key in built_in] + shown)
        facts = [_duration(self.seconds[name])]
        if not short:
            facts[0] += " ({} to {})".format(*map(_duration, self.spread[name]))
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
    def below(self) -> str:
        """The table of what was measured, as HTML."""
        heads = ["variant", "time (fastest to slowest)", "times as fast", "of a core"]
        heads += self.figures
        claimed = bool(self.claims)
        if claimed:
            heads[3:3] = ["published"]
            heads.append("verdict")
        body = ""
        for name in self.seconds:
            published = self.published(name)
            cells = [
                "{} ({} to {})".format(*map(_duration, (self.seconds[name], *self.spread[name]))),
                number(self.ratio(name)),
                f"{self.cpu[name]:.2f}",
                *(_figure(values[name]) for values in self.figures.values()),
            ]
            if claimed:
                cells[2:2] = ["" if published is None else number(published)]
                cells.append(" ".join(f"{row.id} {v}" for row, v in self._verdicts(name)))
            body += f'<tr><th scope="row">{html.escape(name)}</th>'
            body += "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        head = "".join(f'<th scope="col">{text}</th>' for text in heads)
        caption = html.escape(" ".join(["What was measured.", *self.notes]))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    # As a picture

    def draw(self) -> Figure:
        names = list(self.seconds)
        published = {n: p for n in names if (p := self.published(n)) is not None}
        figure = Figure((WIDTH, ROW * len(names) + 0.75), layout="constrained")
        if published:
            times, ratios = figure.subplots(1, 2, sharey=True)
            self._draw_ratios(ratios, names, published)
            self._draw_times(times, names, with_ratio=False)
        else:
            panels = figure.subplots(1, len(self.shows), sharey=True, squeeze=False)[0]
            for axes, key in zip(panels, self.shows, strict=True):
                self._draw_panel(axes, names, key)
            times = panels[0]
        times.set_yticks(range(len(names)), names)
        times.set_ylim(len(names) - 0.4, -0.6)
        return figure

    def _draw_times(self, axes, names: list[str], with_ratio: bool) -> None:
        longest = max(slowest for _, slowest in self.spread.values())
        for y, name in enumerate(names):
            middle, (fastest, slowest) = self.seconds[name], self.spread[name]
            axes.barh(y, middle, 0.5, color=BLUE)
            whisker = [[middle - fastest], [slowest - middle]]
            axes.errorbar(middle, y, xerr=whisker, ecolor=DARK, capsize=3, elinewidth=1)
            label = _duration(middle)
            if with_ratio and name != self.baseline:
                label += f", {times(self.ratio(name))}"
            axes.text(slowest + 0.02 * longest, y, label, va="center")
        axes.set_xlim(0, longest * (1.6 if with_ratio else 1.35))
        axes.set_xlabel("time in seconds: median, fastest to slowest")
        plain(axes)

    def _draw_panel(self, axes, names: list[str], key: str) -> None:
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

    def _draw_ratios(self, axes, names: list[str], published: dict[str, float]) -> None:
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


def _share(runs: list[Run]) -> float:
    # The first run has the recording, which may know of processes that the system didn't tell of.
    return max(runs[0].cpu if runs[0].recording else 0.0, statistics.median(r.cpu for r in runs))


def _joined(verdicts: list[tuple[Claim, Verdict]]) -> Verdict:
    """One verdict for all claims about a variant: it holds if none fails."""
    judged = [verdict.holds for _, verdict in verdicts if verdict.holds is not None]
    reasons = " ".join(f"{row.id}: {verdict.reason}" for row, verdict in verdicts)
    return Verdict(all(judged) if judged else None, reasons)


def _word(verdict: Verdict) -> str:
    return "holds" if verdict.holds else "does not hold"


def _ratio_bar(axes, y: float, ratio: float, label: str, wide: bool, **look) -> None:
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


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-6)} µs"
