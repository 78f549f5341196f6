"""The course as a site and as an EPUB: what `python3 course.py site` runs.

In the order of a build:

running.py      runs the lessons, and keeps what they gave
lessons.py      a lesson as a page
exercises.py    its exercises as a page, with hints and a solution to open
loop_code.py    the event loop's files, to which lessons link
outputs.py      what a cell showed, as a page shows it
fragments.py    HTML within pages
page_folder.py  the folder of pages, site/_build/pages, and the links between them
build.py        all of it, and the other pages; then Sphinx, with sphinx_hooks.py

What is made from data, such as the glossary, comes from helpers/upkeep/pages.

How the site looks stands in site/: conf.py, the first page, the CSS.
"""
