"""Mechanical mutants of a right program: each drops or weakens one thing that the course is
about.

`mutants(text, name)` yields (what was done, text) of each single change to the definition of
`name`.
"""

import ast
import copy

RAN = """
async def ran_at_once(coroutine):
    done = asyncio.get_running_loop().create_future()
    done.set_result(await coroutine)
    return done
"""


def drop_await(node):
    """await x -> x"""
    if isinstance(node, ast.Await):
        return node.value


def sleep_blocking(node):
    """await asyncio.sleep(x) -> time.sleep(x)"""
    if isinstance(node, ast.Await) and called(node.value) == "sleep" and node.value.args:
        return expression(f"__import__('time').sleep({ast.unparse(node.value.args[0])})")


def gather_in_turn(node):
    """await asyncio.gather(*xs) -> [await x for x in xs]"""
    if isinstance(node, ast.Await) and called(node.value) == "gather":
        arguments = node.value.args
        if len(arguments) == 1 and isinstance(arguments[0], ast.Starred):
            return expression(f"[await each for each in {ast.unparse(arguments[0].value)}]")
        return expression("[" + ", ".join(f"await {ast.unparse(each)}" for each in arguments) + "]")


def task_at_once(node):
    """create_task(c) -> await c, here and now"""
    if called(node) in ("create_task", "ensure_future") and node.args:
        return expression(f"await ran_at_once({ast.unparse(node.args[0])})")


def drop_yield(node):
    """yield x -> x; yield from x -> x"""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return node.value or ast.Constant(None)


def drop_finally(node):
    """try: a finally: b -> a"""
    if isinstance(node, ast.Try) and node.finalbody:
        node.finalbody = []
        return node if node.handlers else node.body


def drop_handlers(node):
    """try: a except E: b -> a"""
    if isinstance(node, ast.Try) and node.handlers:
        node.handlers, node.orelse = [], []
        return node if node.finalbody else node.body


def drop_with(node):
    """with x: a -> a, where nothing is bound"""
    if isinstance(node, (ast.With, ast.AsyncWith)) and all(
        item.optional_vars is None for item in node.items
    ):
        return node.body


def drop_return(node):
    """return x -> x"""
    if isinstance(node, ast.Return) and node.value is not None:
        return ast.Expr(node.value)


def drop_raise(node):
    """raise -> pass"""
    if isinstance(node, ast.Raise):
        return ast.Pass()


CHANGES = {
    "drop await": drop_await,
    "sleep that blocks": sleep_blocking,
    "gather in turn": gather_in_turn,
    "task at once": task_at_once,
    "drop yield": drop_yield,
    "drop finally": drop_finally,
    "drop except": drop_handlers,
    "drop with": drop_with,
    "drop return": drop_return,
    "drop raise": drop_raise,
}


def mutants(text, name):
    """Yield (name of the change with its line, changed text) for each place where a change is
    possible.
    """
    tree = ast.parse(text)
    original = ast.unparse(tree)
    at = next(
        number for number, node in enumerate(tree.body) if getattr(node, "name", None) == name
    )
    for title, change in CHANGES.items():
        for place in range(sum(1 for _ in ast.walk(tree.body[at]))):
            changed = copy.deepcopy(tree)
            replacer = Replace(place, change)
            changed.body[at] = replacer.visit(changed.body[at])
            if replacer.line is None:
                continue
            new = ast.unparse(ast.fix_missing_locations(changed))
            if new == original:
                continue
            if "ran_at_once" in new:
                new = "import asyncio\n" + RAN + new
            try:
                compile(new, "mutant", "exec")
            except SyntaxError:
                continue
            yield f"{title}, line {replacer.line}", new


class Replace(ast.NodeTransformer):
    """Applies a change to the node with a number, counted in the order of the walk."""

    def __init__(self, place, change):
        self.left = place
        self.change = change
        self.line = None

    def visit(self, node):
        self.left -= 1
        if self.left == -1:
            line = getattr(node, "lineno", None)
            new = self.change(node)
            if new is not None:
                self.line = line
                return new
            return node
        return self.generic_visit(node)


def called(node):
    """The name of what a call calls: `asyncio.sleep(1)` gives "sleep"; None for anything else."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", None))


def expression(text):
    return ast.parse(text, mode="eval").body
