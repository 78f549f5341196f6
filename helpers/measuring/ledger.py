"""The ledger: every claim of the five sources, published and as this machine found it.

    found("002-float", holds=False, saw="344 steps, not 538")    # in the lesson that tries it
    ledger()                                                     # all rows, as a table
    ledger().run()                                               # try what was not tried here yet
    ledger().save("ledger.html")                                 # or .csv

Nothing in it is typed in: `compare(..., claim=...)` notes what it measured, `found` what a cell
saw, each in a file beside the learner's progress. What no lesson has tried on this machine yet is
shown as open.
"""

import csv
import io
import itertools
import os
import platform
import textwrap
import time
from collections import Counter
from pathlib import Path

from markupsafe import Markup

from helpers.basics.project import PROJECT
from helpers.basics.records import Kept
from helpers.basics.words import count, number
from helpers.kernel.run import run
from helpers.measuring.claims import Claim, available_cores, claim, claims
from helpers.pictures.html import Column, bundle, element, table

__all__ = ["found", "ledger", "Ledger"]

NOTEBOOKS = PROJECT / "notebooks"
HEADS = ("claim", "source", "lesson", "what it says", "published", "found here", "verdict", "why")
WORDS = {True: "holds", False: "does not hold", None: "measured, not judged"}
OF_A_MISTAKE = {True: "right as printed", False: "wrong as printed", None: WORDS[None]}
OPEN = "not tried here yet"
VERDICTS = tuple(dict.fromkeys([*WORDS.values(), *OF_A_MISTAKE.values(), OPEN]))
# Heads of the table, with their shares of its width; the source is a line of its own.
WIDTHS = {
    "claim": 12,
    "lesson": 8,
    "what it says": 18,
    "published": 16,
    "found here": 16,
    "verdict": 10,
    "why": 20,
}
SECONDS_A_CELL = 120
LEFT = "text-align: left; vertical-align: top; overflow-wrap: break-word"
STAYS = "position: sticky; top: 0; background: var(--jp-layout-color0, white)"
QUIET = "color: var(--jp-ui-font-color2, #616161); font-size: 90%"
CLOSE = "margin: 0.25em 0 0.25em 1em"
COLUMNS = 88  # what a cell shows of a line before JupyterLab breaks it, in mid-word


class Findings(Kept):
    """What was found on this machine: {claim id: {"holds", "saw", "python", "cores", "at"}}."""

    file, holds, what, instead = "ledger.json", "claims", "your ledger", "."
    fields = {
        "holds": lambda value: value is None or isinstance(value, bool),
        "saw": lambda value: isinstance(value, str),
        "python": lambda value: isinstance(value, str),
        "cores": lambda value: type(value) in (int, float),
        "at": lambda value: type(value) is int,
    }

    def merged(self, one: dict, other: dict) -> dict:
        """The later of two findings, one with a verdict before one without."""
        return max(
            one, other, key=lambda known: (known.get("holds") is not None, known.get("at", 0))
        )


def note(found: dict[str, tuple[bool | None, str]]) -> None:
    """Keep what was found of some claims: {id: (does it hold, what was seen)}.

    A claim without a verdict is the measure of others, or its variant was not run: it takes no
    verdict away that was found before.
    """
    about = {
        "python": platform.python_version(),
        "cores": available_cores(),
        "at": round(time.time()),
    }

    def change(known):
        for id, (holds, saw) in found.items():
            if holds is not None or known.get(id, {}).get("holds") is None:
                known[id] = {"holds": holds, "saw": saw, **about}

    Findings().change(change)


class Found:
    """One line of the ledger, as a cell shows it: a quiet mark that opens for what was seen."""

    def __init__(self, row: Claim, holds: bool | None, saw: str) -> None:
        self.row, self.holds, self.saw = row, holds, saw

    def __repr__(self) -> str:
        verdict = _verdict(self.row, self.holds).capitalize()
        lines = f"Ledger {self.row.id}: {self.row.what}", f"{verdict}: {self.saw}"
        return "\n".join(_wrapped(line) for line in lines)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        verdict = _verdict(self.row, self.holds)
        mark = element("summary", f"Ledger: {self.row.id}, {verdict}")
        lines = (self.row.what, f"Seen here: {self.saw}")
        opened = (element("p", line, style=CLOSE) for line in lines)
        return bundle(element("details", mark, *opened, style=QUIET), repr(self))


def found(id: str, *, holds: bool | None, saw: object) -> Found:
    """Enter what a cell found of a claim that is not about times; the cell's last line.

    Parameters:
        id: of a row of `claims.toml`, "002-float".
        holds: what the cell just found, computed and not typed in; None where this machine was
            too noisy to say.
        saw: what was seen, in a few words with the figures.

    Raises KeyError for a claim that there is not, ValueError for one that `compare` judges, and
    TypeError if `holds` is none of the three.
    """
    row = claim(id)
    if row.kind == "measurement" and row.rule != "measure":
        raise ValueError(f"{id} is about times: compare(..., claim={id!r}) enters it.")
    if not (holds is None or isinstance(holds, bool)):
        raise TypeError(f"holds is True, False or None, not {holds!r}.")
    note({id: (holds, str(saw))})
    return Found(row, holds, str(saw))


def ledger() -> "Ledger":
    """The ledger as it stands on this machine."""
    return Ledger(Findings().all())


class Ledger:
    """All claims in the order of the sources, with what was found of each.

    rows: a dict for each claim, by the words of HEADS.  open: ids of those not tried here yet.
    """

    def __init__(self, findings: dict[str, dict]) -> None:
        ordered = sorted(claims(), key=lambda row: row.id.partition("-")[0])
        self.rows = [_row(row, findings.get(row.id)) for row in ordered]
        self.open = [row["claim"] for row in self.rows if row["verdict"] == OPEN]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        found = Counter(row["verdict"] for row in self.rows)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}

    @property
    def text(self) -> str:
        """The ledger in lines: the counts, then a claim each."""
        counts = "; ".join(f"{verdict}: {number}" for verdict, number in self.counts.items())
        lines = [f"{len(self.rows)} claims of five sources. {counts}."]
        if self.open:
            lessons = [f"{lesson:02}" for lesson in self._open_lessons()]
            lines.append(
                f"Not tried on this machine yet: those of lesson{'s' * (len(lessons) > 1)} "
                f"{', '.join(lessons)}. Run the lessons, or ledger().run(), which runs them for "
                "you."
            )
        lines += ["{claim} {verdict}: {what it says} {found here}".format(**r) for r in self.rows]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        head = element("p", "\n".join(self.text.splitlines()[: 1 + bool(self.open)]))
        # A hundred rows would push the rest of the notebook ten screens down.
        low = element("div", self.table(), tabindex=0, style="max-height: 36em; overflow: auto")
        return bundle(head + low, self.text)

    def run(self) -> "Ledger":
        """Run the lessons whose claims were not tried here yet; return the ledger after that.

        Each runs from its first cell to its last in a kernel of its own, some ten seconds each.
        Says in one line which claims stayed open all the same, and which lessons are not there.
        """
        import nbformat
        from nbclient import NotebookClient
        from tqdm.auto import tqdm

        paths = {lesson: _notebook(lesson) for lesson in self._open_lessons()}
        missing = [f"lesson {lesson:02}" for lesson, path in paths.items() if path is None]
        if missing:
            print(f"Without a notebook, so that their claims stay open: {', '.join(missing)}.")
        for path in tqdm([*filter(None, paths.values())], unit="lesson", leave=False):
            notebook = nbformat.read(path, as_version=4)
            # An error, or a cell that takes too long, is for the ledger a claim that stays open:
            # the other cells still count. The kernel's warning about TCP concerns no reader.
            client = NotebookClient(
                notebook,
                allow_errors=True,
                timeout=SECONDS_A_CELL,
                interrupt_on_timeout=True,
                extra_arguments=["--IPKernelApp.log_level=ERROR"],
                resources={"metadata": {"path": str(path.parent)}},
                shutdown_kernel="immediate",
            )
            manager = client.create_kernel_manager()
            try:
                run(client.async_execute())
            finally:  # nbclient (0.10) leaves a kernel that somebody stopped while it started
                if manager.has_kernel:
                    run(manager.shutdown_kernel(now=True))
        after = ledger()
        if after.open:
            print(f"Still open: {', '.join(after.open)}.")
        return after

    def _open_lessons(self) -> list[int]:
        return sorted({row["lesson"] for row in self.rows if row["verdict"] == OPEN})

    # Out of the notebook

    def save(self, path: str | os.PathLike) -> None:
        """Write all rows as one HTML page or as CSV, by the path's ending (else ValueError)."""
        ending = Path(path).suffix.lower()
        if ending == ".csv":
            written = io.StringIO()
            rows = csv.DictWriter(written, HEADS, lineterminator="\n")
            rows.writeheader()
            rows.writerows(self.rows)
            text = written.getvalue()
        elif ending == ".html":
            head = self.text.splitlines()[0]
            text = PAGE.format(head=head, machine=_machine(), table=self.table())
        else:
            raise ValueError(f"cannot save as {ending or 'that'}: the path ends in .html or .csv")
        Path(path).write_text(text, encoding="utf-8", newline="")

    def table(self) -> Markup:
        """All rows as an HTML table, under the sources that they come from."""
        groups = itertools.groupby(self.rows, lambda row: row["source"])
        return table(
            {source: [[row[key] for key in WIDTHS] for row in rows] for source, rows in groups},
            [Column(key, f"{LEFT}; {STAYS}", LEFT, f"{WIDTHS[key]}%") for key in WIDTHS],
            caption="Each claim of the sources, as published and as found on this machine.",
            style="width: 100%; table-layout: fixed",
        )


def _notebook(lesson: int) -> Path | None:
    return next(NOTEBOOKS.glob(f"{lesson:02}_*.ipynb"), None)


def _wrapped(line: str) -> str:
    return textwrap.fill(line, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _row(row: Claim, finding: dict | None) -> dict[str, object]:
    told = finding or {}
    return {
        "claim": row.id,
        "source": row.source.title + (f", {row.source.author}" if row.source.author else ""),
        "lesson": row.lesson,
        "what it says": row.what,
        "published": _published(row),
        "found here": told.get("saw", ""),
        "verdict": _verdict(row, told.get("holds")) if finding else OPEN,
        "why": row.note,
    }


def _verdict(row: Claim, holds: bool | None) -> str:
    # A row of this kind says what is wrong in a listing, so "does not hold" would deny the mistake.
    return (OF_A_MISTAKE if row.kind == "mistake" else WORDS)[holds]


def _published(row: Claim) -> str:
    """The source's figures in words; its own words where it gives none."""
    if row.published:
        return "; ".join(f"{name}: {number(v)} {row.unit}" for name, v in row.published.items())
    return f"“{row.quote}”"


def _machine() -> str:
    cores = count(available_cores(), "core")
    return f"Python {platform.python_version()}, {cores}, {platform.system()}"


PAGE = Markup("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>What five articles on async Python claim, and what was found</title>
<style>
body {{ font-family: sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #94a4a2; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }}
</style>
</head>
<body>
<h1>What five articles on async Python claim, and what was found</h1>
<p>{head} Found on: {machine}.</p>
{table}
</body>
</html>
""")
