"""Run the variants of one experiment side by side, and hold a source's claim against the result.

    compare({"one after another": in_turn, "threads": in_threads, "asyncio": with_asyncio},
            claim="000 sleep.py")

The result displays as bars with a table beside them; `verdict` says what holds on this machine. The
published figures come from `claims.toml`, and are compared as ratios: no machine is another's.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from helpers.measuring.claims import Claim, rows
from helpers.measuring.comparison import Comparison
from helpers.measuring.ledger import note
from helpers.measuring.results import BUILT_IN
from helpers.measuring.runs import agree, run_once

__all__ = ["compare"]

MOST = 3  # times as many runs as asked for, and no more
LONG = 2.0  # seconds after which a learner wants to see that something goes on


def compare(
    variants: dict[str, Callable[[], Any]],
    *,
    repeat: int = 3,
    claim: str | Iterable[str] | None = None,
    baseline: str | None = None,
    record: bool = True,
    shows: Iterable[str] = ("time",),
) -> Comparison:
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
                runs[name].append(run_once(name, variants[name], record and turn == 0))
                _check_shown(name, runs[name][-1].result, shows)
                progress.update()
            if turn + 1 >= repeat:
                unsettled = [name for name in unsettled if not agree(runs[name], repeat)]
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
