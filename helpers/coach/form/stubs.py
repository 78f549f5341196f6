"""Stubs: what of an answer a learner is shown before writing it."""

import ast

from helpers.coach.form.text import tree_of


def stub_of(text: str) -> str:
    """An answer's text as the learner first sees it.

    Functions, and the methods of classes, keep their head and their docstring and lose their body;
    `name = value` becomes `name = ...`; imports stay.

    Raises ValueError if the text holds anything else: it would be lost, or give the answer away.
    """
    lines = text.splitlines()
    for node in reversed(tree_of(text).body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            hollow(node, lines)
        elif isinstance(node, ast.ClassDef):
            for part in reversed(node.body):
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    hollow(part, lines)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lines[node.lineno - 1 : node.end_lineno] = [f"{node.targets[0].id} = ..."]
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            raise ValueError(
                f"line {node.lineno} of an answer is neither a function, nor a class, nor "
                f"`name = value`, nor an import: {lines[node.lineno - 1]!r}; put it in a cell of "
                "its own"
            )
    return "\n".join(lines)


def hollow(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> None:
    """Replace the body of a function by `...` in the lines of its text."""
    body = function.body
    has_docstring = ast.get_docstring(function) is not None
    first = body[0].end_lineno if has_docstring else function_head_end(function, lines)
    lines[first : function.end_lineno] = [" " * body[0].col_offset + "..."]


def function_head_end(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Number of the line on which a function's head ends, with its colon."""
    parts = [*ast.walk(function.args), *([function.returns] if function.returns else [])]
    number = max([function.lineno] + [getattr(part, "end_lineno", 0) for part in parts])
    while not lines[number - 1].partition("#")[0].rstrip().endswith(":"):
        number += 1
        if number >= function.body[0].lineno:
            raise ValueError(f"{function.name}: write its body on lines of its own")
    return number
