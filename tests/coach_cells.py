"""Answers as a notebook's cells make them: text that was run under a cell's name."""

import ast
import contextlib
import itertools
import linecache
import os
import pathlib
import textwrap
import time
import tokenize

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.form.text import make_known, nodes_of, run_as_cell

FIXTURES = pathlib.Path(__file__).parent / "coach_checks"
numbers = itertools.count(1)
AGAIN = 5  # times, at most, that an answer is judged

HEAD = "import asyncio, os, socket, subprocess, sys, threading, time\n"
RIGHT = "    return await asyncio.gather(*(fetch(url) for url in urls))\n"


def cell(text, name=None):
    """Run `text` as a cell would be, return what it defines under `name` (or all of it)."""
    text = text.strip("\n") + "\n"
    names = run_as_cell(text, a_name())
    return names[name] if name else names


def cell_named(text):
    """Make `text` known as a cell's; return the cell's file name."""
    filename = a_name()
    make_known(filename, text)
    return filename


def a_name():
    """A cell's file name that no other has."""
    return f"/tmp/ipykernel_4711/{next(numbers)}.py"


def judged(exercise, answer):
    """(verdict, recording), as `judge` gives them. Where a busy machine can't tell, it is asked
    again, as it says.
    """
    for already in range(AGAIN):
        time.sleep(2 * already)  # what keeps the machine busy may be over by then
        verdict, recording = judge(exercise, answer)
        if verdict.status != "can't tell":
            break
    return verdict, recording


def answer(body, before="", right=False):
    """fetch_all with this body, after a line of imports; `right` adds what makes it right."""
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    text = HEAD + textwrap.dedent(before) + "async def fetch_all(fetch, urls):\n" + body
    return cell(text + (RIGHT if right else ""), "fetch_all")


def ask(id, answer, limit=None):
    """The verdict on an answer to an exercise of the fixture."""
    return judge(finding.find(id, FIXTURES), answer, limit)[0]


def timed(id, answer):
    """(verdict, seconds, limit); the better of two where the first was slow.

    limit: two seconds of waiting, which no load makes longer, and half a second of work for each
    process that wants the core, all in seconds: 2.5 on a quiet machine.
    """
    best = None
    for _ in range(2):
        begun = time.monotonic()
        verdict = ask(id, answer)
        took = time.monotonic() - begun
        best = min(best or took, took)
        limit = 2 + 0.5 * max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
        if best < limit:
            break
    return verdict, best, limit


def under_the_stub(program):
    """The text of a program as a learner has it, who wrote it below the stub's docstrings."""
    model = program.exercise.right_programs()[0].text
    text = program.text
    words = dict(docstrings(model))
    lines = text.splitlines()
    for where, node in reversed(list(definitions(text))):
        if where in words and ast.get_docstring(node, clean=False) is None:
            first = node.body[0]
            if first.lineno == node.lineno:
                continue  # its body stands on the line of its head
            decorated = getattr(first, "decorator_list", [])
            above = min([first.lineno, *(one.lineno for one in decorated)]) - 1
            while lines[above - 1].lstrip().startswith("#"):
                above -= 1
            lines[above:above] = textwrap.indent(words[where], " " * first.col_offset).splitlines()
    return "\n".join(lines) + "\n"


def definitions(text):
    """(qualified name, node) of each function, class and method, by line."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        yield f"{node.name}.{part.name}", part


def docstrings(text):
    """(qualified name, docstring as it is written, from the margin)."""
    lines = text.splitlines()
    for where, node in definitions(text):
        if ast.get_docstring(node) is not None:
            words = node.body[0]
            written = "\n".join(lines[words.lineno - 1 : words.end_lineno])
            yield where, textwrap.dedent(written)


def code_lines(filename):
    """The lines of a cell without what is no code: comments and docstrings are blank."""
    lines = list(linecache.getlines(filename))
    for node in nodes_of(filename):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
                lines[node.lineno - 1 : node.end_lineno] = [
                    before + "\n",
                    *["\n"] * (node.end_lineno - node.lineno),
                ]
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # a cell may hold what is no Python
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column] + "\n"
    return lines
