"""What can be wrong, in words, and how it is found.

The `catalogue` names all mistakes, and `python_errors` which of them an error of Python's tells of:
both are data. Mistakes are found in `errors`, in `hangs`, and in the `source`, which knows the
lines; `verdict` is what the learner reads.
"""
