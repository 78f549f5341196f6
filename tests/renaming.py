"""Source text with other names for what only its own functions know: for a test of who guesses."""

import ast


def renamed(source):
    """The same program, its local variables, inner functions and lambdas' parameters renamed."""
    tree = ast.parse(source)
    for function in tree.body:
        for inner in function.body if isinstance(function, ast.ClassDef) else [function]:
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                _rename(inner)
    return ast.unparse(tree)


def _rename(function):
    """Rename what a function of a module or a class has made up for itself."""
    nodes = [node for node in ast.walk(function) if node is not function]
    kept = {one.arg for node in [function, *nodes] for one in _parameters(node)}
    kept |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler)}
    own = {node.arg for one in nodes if isinstance(one, ast.Lambda) for node in one.args.args}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and _is_stored(node)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in own - kept:
            node.id = f"{node.id}_renamed"
        elif isinstance(node, ast.FunctionDef) and node.name in own - kept:
            node.name = f"{node.name}_renamed"
        elif isinstance(node, ast.Lambda):
            for argument in node.args.args:
                if argument.arg in own - kept:
                    argument.arg = f"{argument.arg}_renamed"


def _parameters(node):
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    given = node.args
    rest = [one for one in (given.vararg, given.kwarg) if one]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]


def _is_stored(node):
    return isinstance(node.ctx, ast.Store)
