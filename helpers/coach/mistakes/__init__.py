"""What can be wrong, in words, and how it is found.

The `catalogue` is data. Mistakes are found in `errors`, in `hangs`, and in the `source`, which
knows the lines; `verdict` is what the learner reads.
"""
