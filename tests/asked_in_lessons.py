"""How a lesson asks for guesses, read from its cells: what is wrong with it, in sentences."""

import ast
import builtins
from typing import NamedTuple


class Asked(NamedTuple):
    """A call of `guess`: in which cell, counted from 0, its id, and the name that it is kept under
    ("" if none).
    """

    cell: int
    id: str
    name: str


class Checked(NamedTuple):
    """A call of `check` by a name: in which cell, and with what."""

    cell: int
    name: str
    truth: ast.expr | None


def guesses(sources):
    """The guesses that these cells ask for, in order."""
    found = []
    for number, tree in enumerate(map(ast.parse, sources)):
        names = {
            id(node.value): node.targets[0].id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="guess"), args=[ast.Constant(value=str(asked)), *_]):
                    found.append(Asked(number, asked, names.get(id(node), "")))
                case ast.Call(func=ast.Name(id="guess")):
                    found.append(Asked(number, "", names.get(id(node), "")))
    return found


def checks(sources):
    """The calls of a `check` in these cells, in order."""
    for number, tree in enumerate(map(ast.parse, sources)):
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="check")):
                    yield Checked(number, name, node.args[0] if node.args else None)


def problems(lesson, sources):
    """What is wrong with the guesses of a lesson with this number and these cells."""
    asked, checked = guesses(sources), list(checks(sources))
    for one in asked:
        if not one.id.startswith(f"{lesson}-"):
            yield f"{one.id!r} must begin with {lesson}-"
        if not one.name:
            yield f"{one.id!r} must be kept under a name, to be checked"
            continue
        later = [other.cell for other in asked if other.name == one.name and other.cell > one.cell]
        until = min(later, default=len(sources))  # then the name is another guess's
        its = [c for c in checked if c.name == one.name and one.cell <= c.cell < until]
        if any(check.cell == one.cell for check in its):
            yield f"{one.id!r} is checked in its own cell, before anybody can say something"
        elif not its:
            yield f"{one.id!r} is checked in no later cell"
        for check in its:
            if check.truth is None or is_literal(check.truth):
                yield f"{one.id!r} is checked against something that no experiment gave"


def is_literal(node):
    """Whether an expression is the same whatever happened: it names nothing but built-ins."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names <= set(dir(builtins))
