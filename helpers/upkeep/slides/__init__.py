"""A lesson as slides, in one file that needs no network: what `python3 course.py slides` runs.

turns.py   a lesson's cells as slides: what stands on one, what is cut, what the speaker reads
page.py    the slides as an HTML page, by nbconvert, with reveal.js inside
template/  how the page is put together, what it looks like, and what fits a slide into its frame

reveal.js comes with the wheel of sphinx-revealjs, so it is in the lock and no network is asked.
"""
