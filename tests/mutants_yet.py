"""The mutants that pass today: for each right program, the changes that no check tells from it.

The table gets shorter, never longer: `test_no_mutant_passes` says what to take out.
"""

YET_TO_CATCH = {}
