"""What the course's own machinery costs, as ratios in one run: `python -m helpers.upkeep.bench`.

A file for each subject; each of its benchmarks is a function that yields `Row`s, and a row stands
beside its bound, if it has one. To add a benchmark, write such a function and put it into
`BENCHMARKS` in `__main__`.
"""
