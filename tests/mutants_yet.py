"""The mutants that pass today: for each right program, the changes that no check tells from it.

The table gets shorter, never longer: `test_no_mutant_passes` says what to take out. What is really
the same stands in the exercise's `equivalent`, with the reason.
"""

YET_TO_CATCH = {
    "t-together:with_gather": {"each once, line 4", "or None, line 6", "other exceptions, line 6"},
    "t-together:with_group": {"each once, line 4", "or None, line 7"},
    "t-forgotten:with_awaits": {"or None, line 4"},
    "t-forgotten:with_gather": {"or None, line 6", "other exceptions, line 5"},
    "t-real:with_gather": {"each once, line 4", "or None, line 5", "other exceptions, line 5"},
    "t-limited:with_semaphore": {
        "each once, line 4",
        "or None, line 11",
        "or None, line 9",
        "other exceptions, line 11",
    },
    "t-guarded:passes": {"or None, line 2"},
    "t-pipeline:bounded": {"drop falsy, line 15"},
    "t-site:few_at_once": {
        "drop with, line 11",
        "gather in turn, line 14",
        "or None, line 12",
        "or None, line 14",
        "other exceptions, line 14",
    },
    "t-take:with_range": {"or None, line 4"},
    "t-plain:twice": {"or None, line 2"},
    "t-manager:with_finally": {"finally for errors, line 8"},
    "t-class:Counting": {"or None, line 10"},
    "t-shelf:FromAThread": {"or None, line 6"},
}
