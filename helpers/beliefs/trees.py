"""What the beliefs look for in a syntax tree, and how they change it."""

import ast
from collections.abc import Collection, Iterator


def async_names(tree: ast.AST) -> set[str]:
    """The names of the async functions in a program; not those of async generators."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef) and not yields(node)
    }


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions inside it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from own_nodes(child)


def yields(function: ast.AST) -> bool:
    """Whether a function is a generator."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


def awaits(node: ast.AST) -> bool:
    """Whether there is an `await` in this statement or expression."""
    return any(isinstance(one, ast.Await) for one in ast.walk(node))


def calls_one_of(node: ast.AST, names: Collection[str]) -> bool:
    """Whether this is a call of a function with one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def is_call_of(node: ast.AST, dotted: str) -> bool:
    """Whether this is a call of `dotted`, such as "time.sleep"."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == dotted


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of something that the world brings along."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def statements(text: str) -> list[ast.stmt]:
    """Statements from their text."""
    return ast.parse(text).body


class _InAsync(ast.NodeTransformer):
    def __init__(self, change):
        self.change = change

    def visit_AsyncFunctionDef(self, node):
        self.generic_visit(node)
        body = []
        for statement in node.body:
            changed = self.change.visit(statement)
            body += changed if isinstance(changed, list) else [changed]
        node.body = body
        return node


def in_async_functions(tree: ast.Module, change: ast.NodeTransformer) -> ast.Module:
    """Change the statements of the async functions alone: an `await` may stand there."""
    return _InAsync(change).visit(tree)
