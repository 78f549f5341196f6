"""The judge's side: where an answer runs, and what judges it.

In the learner's kernel, `at_sight` tells what needs no run, `packing` makes the answer ready to
leave, and `sandbox` keeps the other process, to which it speaks over `wire`.

In that process `judge` starts, `pipes` leads to the kernel, and `serving` takes one request after
another. A `check` runs the answer, with `watching`, `limits` and `printed` around it, and looks
for `changes` and `leftovers` behind it. What the exercise itself asks is judged with a `lab`:
`runs` is what it gives back, `comparing` and `fakes` are its two halves.
"""
