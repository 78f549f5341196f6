"""The class board: a teacher's machine hears how exercises and guesses of a room go, and shows it.

`python3 course.py class` runs it. `events` is what learners and the teacher tell it, `store` keeps
that on disk, `standing` is what it comes to, `pages` shows it, `guard` lets in and keeps out, and
`app` speaks HTTP. A learner's side is `helpers.room`.
"""
