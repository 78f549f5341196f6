"""The judge's side: where an answer runs, and what judges it.

In the learner's kernel, `at_sight` tells what needs no run, `packing` makes the answer ready to
leave, and `sandbox` keeps the other process, to which it speaks over `wire`.

That process starts in `judge`, and `pipes` leads to the kernel. It is the `nursery`, which runs no
learner's code: it forks a process for each check, and when that has ended, ends its `orphans`.
Where there are no forks it judges one request itself.

The process of a check is `serving` one request. A `check` runs the answer, with `watching`,
`standing`, `limits`, `load` and `printed` around it, and looks for `changes` and `leftovers` behind
it. What the exercise itself asks is judged with a `lab`: `runs` is what it gives back, `comparing`
and `fakes` are its two halves; it notes which lines `ran`, and asks `anew` what an earlier call may
have spoilt. After that, `sweeping` asks with the `cases` that the exercise's sweeps draw, and with
`twists`: what was `seen` of the answer is compared with what was seen of the `model`.
"""
