"""Run all benchmarks, one after another, and print their rows; the exit status is 1 on a miss."""

import argparse
import functools
import sys

from helpers.upkeep.bench.board import class_board
from helpers.upkeep.bench.coach import checks
from helpers.upkeep.bench.halts import halts
from helpers.upkeep.bench.hub import hub
from helpers.upkeep.bench.lessons import lessons
from helpers.upkeep.bench.loops import hour, loops
from helpers.upkeep.bench.pictures import first_picture, ten_thousand
from helpers.upkeep.bench.recorder import memory, switching, waiting
from helpers.upkeep.bench.right import right
from helpers.upkeep.bench.room import room
from helpers.upkeep.bench.services import catalogue
from helpers.upkeep.bench.suites import suites

BENCHMARKS = [
    switching,
    waiting,
    memory,
    first_picture,
    ten_thousand,
    catalogue,
    checks,
    class_board,
    hour,
    loops,
    lessons,
]


def main() -> int:
    """Run all benchmarks, or what stands instead; print their rows; return the exit status."""
    parser = argparse.ArgumentParser(prog="course.py bench")
    parser.add_argument("--room", type=int)
    parser.add_argument("--hub", type=int)
    parser.add_argument("--halts", action="store_true")
    parser.add_argument("--suites", action="store_true")
    parser.add_argument("--right", type=int)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.busy and not options.right:
        parser.error("--busy goes with --right: how often is each right program to be judged?")
    benchmarks = BENCHMARKS
    if options.room:
        benchmarks = [functools.partial(room, options.room, options.names)]
    elif options.hub:
        benchmarks = [functools.partial(hub, options.hub, options.names)]
    elif options.halts:
        benchmarks = [functools.partial(halts, options.names)]
    elif options.suites:
        benchmarks = [functools.partial(suites, options.names)]
    elif options.right:
        benchmarks = [functools.partial(right, options.right, options.busy, options.names)]
    missed = 0
    print(f"Python {sys.version.split()[0]}, medians of interleaved runs")
    for benchmark in benchmarks:
        print(getattr(benchmark, "func", benchmark).__doc__.partition("\n")[0])
        for row in benchmark():
            print(row, flush=True)
            missed += row.missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
