"""What the runs of an experiment come to, and what of a source's claims they bear out."""

import statistics

from helpers.basics.words import duration, number
from helpers.measuring.claims import Claim, Verdict, times
from helpers.measuring.runs import Run

BUILT_IN = ("time", "of a core")  # what each run is measured by


class Results:
    """What `compare` found. Each attribute below is a dict by variant, in the order given.

    seconds: median of its runs.  spread: (fastest, slowest).  cpu: cpu seconds / wall seconds,
    its own and its processes'; 1.0 is one core kept busy, 0.0 is all waiting.
    results: what its last run returned.  recordings: the Recording of its first run.
    figures: for each key of `shows` that a variant returned, the median by variant.
    verdict: a `Verdict` for each variant that a claim is about: `.holds` and `.reason`.

    notes: sentences on how it was measured.
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
        self.verdict = {n: _one_of(vs) for n in runs if (vs := self.verdicts(n))}
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
            verdicts = [self._judged(row, name) for name in here]
            judged = [verdict.holds for verdict in verdicts if verdict.holds is not None]
            saw = "; ".join(self._seen(row, name) for name in here)
            told[row.id] = all(judged) if judged else None, saw
        return told

    def _seen(self, row: Claim, name: str) -> str:
        seen = f"{name}: {duration(self.seconds[name])}"
        if name != self.baseline:
            seen += f", {times(self.ratio(name))}"
        if row.rule not in ("ratio", "measure"):  # the other rules ask how busy the cores were
            seen += f", {self.cpu[name]:.2f} of a core"
        return seen

    def verdicts(self, name: str) -> list[tuple[Claim, Verdict]]:
        """Each claim about a variant, with what became of it."""
        return [(r, self._judged(r, name)) for r in self.claims if name in r.variants]

    def _judged(self, row: Claim, name: str) -> Verdict:
        """What became of a claim about a variant; no verdict where its fastest, middle and
        slowest runs don't agree.
        """
        verdict = row.judge(name, self.ratio(name), self.cpu[name])
        ends = zip(self.spread[self.baseline], self.spread[name], strict=True)
        others = [row.judge(name, base / own, self.cpu[name]) for base, own in ends]
        if any(other.holds is not verdict.holds for other in others):
            return Verdict(None, f"too noisy to say here: {verdict.reason}")
        return verdict


def _share(runs: list[Run]) -> float:
    # The first run has the recording, which may know of processes that the system didn't tell of.
    return max(runs[0].cpu if runs[0].recording else 0.0, statistics.median(r.cpu for r in runs))


def _one_of(verdicts: list[tuple[Claim, Verdict]]) -> Verdict:
    """One verdict for all claims about a variant: it holds if none fails."""
    judged = [verdict.holds for _, verdict in verdicts if verdict.holds is not None]
    reasons = " ".join(f"{row.id}: {verdict.reason}" for row, verdict in verdicts)
    return Verdict(all(judged) if judged else None, reasons)
