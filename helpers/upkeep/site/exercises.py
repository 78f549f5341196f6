"""The exercises of a lesson as a page: what is asked, hints to open, and a solution."""

import re

import nbformat
from nbformat import NotebookNode

from helpers.basics.words import count
from helpers.coach import cards
from helpers.coach.form.finding import find
from helpers.coach.form.statement import Exercise
from helpers.pictures.html import element
from helpers.upkeep.refresh import tags
from helpers.upkeep.site.fragments import folded, markdown_of
from helpers.upkeep.site.lessons import new_page
from helpers.upkeep.site.page_folder import Pages

ASKED = re.compile(r'ex = exercise\("([\w-]+)"\)$')
FOR_THE_COACH = re.compile(r"from helpers import exercise$|ex\.check\(\w+\)$")
HERE = """

```{note}
This page is for reading. To answer, and to be told what is wrong with your answer, open the course
in JupyterLab: the [first page](../README.md) says how.
```
"""


def exercises_page(
    stubs: NotebookNode, solutions: NotebookNode, name: str, pages: Pages
) -> NotebookNode:
    """Return the page of a lesson's exercises.

    stubs, solutions: the notebook of exercises/ and that of solutions/, which have the same cells.
    name: of the page, "exercises/10_tasks.ipynb".
    """
    page = new_page()
    exercise = None
    for stub, solution in zip(stubs.cells, solutions.cells, strict=True):
        if stub.cell_type == "markdown":
            _add_markdown(page, stub.id, pages.relink(stub.source, "exercises", name))
        elif asked := ASKED.match(stub.source):
            exercise = find(asked[1])
            _add_markdown(page, stub.id, markdown_of(_statement(exercise)))
        elif not FOR_THE_COACH.match(stub.source):
            page.cells.append(nbformat.v4.new_code_cell(stub.source, id=stub.id))
        if "answer" in tags(stub):
            _add_markdown(page, f"{stub.id}-help", _help(exercise, solution.source))
    page.cells[0].source += pages.relink(HERE, "exercises", name)
    return page


def _add_markdown(page, id, source):
    page.cells.append(nbformat.v4.new_markdown_cell(source, id=id))


def _statement(exercise: type[Exercise]) -> str:
    """What the coach's card says, but for how the learner stands."""
    facts = f" ({exercise.id}, {count(exercise.minutes, 'minute')})"
    heading = element("p", element("strong", cards.inline(exercise.title())), facts)
    return element("div", heading, cards.statement(exercise.statement()), class_="course-exercise")


def _help(exercise: type[Exercise], solution: str) -> str:
    """The hints and the solution, each folded."""
    hints = [
        folded(f"Hint {number} of {len(exercise.hints)}", markdown_of(cards.paragraph(hint)))
        for number, hint in enumerate(exercise.hints, 1)
    ]
    return "\n\n".join([*hints, folded("One solution", f"```python\n{solution}\n```")])
