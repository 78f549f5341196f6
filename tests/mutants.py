"""Mechanical mutants of a right program: each drops or weakens one thing that the course is
about.

`mutants(text, name)` yields (what was done, text) of each single change to the definition of
`name`. A change is a function: it gets a node of the syntax tree, and returns what takes its
place, or None where there is nothing to change.
"""

import ast

# What catches more than an error, and what catches less; any other is widened to Exception.
WIDER = {
    "Exception": "BaseException",
    "CancelledError": "BaseException",
    "asyncio.CancelledError": "BaseException",
}
NARROWER = {
    "BaseException": "Exception",
    "Exception": "ValueError",
    "LookupError": "KeyError",
    "OSError": "ConnectionError",
    "ConnectionError": "ConnectionResetError",
}
ADDS = {"append", "add", "put", "put_nowait", "send", "set_result"}
# What these calls make, and what the programs call by these names, is an object of its own: never
# falsy, and never twice in one list.
MAKES = {"create_task", "ensure_future", "spawn", "create_future", "FastAPI", "raise_for_status"}
OBJECTS = {"generator", "task", "connection", "wake"}
DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Constant)
ALWAYS_TRUE = (*DISPLAYS, ast.Lambda, ast.GeneratorExp)

FOR_ERRORS = """
try:
    ...
except BaseException as error_at_the_end:
    is_error = isinstance(error_at_the_end, Exception)
    raise
finally:
    if is_error:
        ...
"""

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


def wait_blocking(node):
    """await asyncio.sleep(x) -> threading.Event().wait(x)"""
    if isinstance(node, ast.Await) and called(node.value) == "sleep" and node.value.args:
        seconds = ast.unparse(node.value.args[0])
        return expression(f"__import__('threading').Event().wait({seconds})")


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


# What is empty, zero or there twice


def or_none(node):
    """return x -> return x or None; yield x -> yield x or None"""
    if isinstance(node, (ast.Return, ast.Yield)) and may_be_falsy(node.value):
        node.value = ast.BoolOp(ast.Or(), [node.value, ast.Constant(None)])
        return node


def falsy_for_none(node):
    """x is None -> not x; x is not None -> x"""
    match node:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return ast.UnaryOp(ast.Not(), left)
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return left


def drop_falsy(node):
    """xs.append(x) -> if x: xs.append(x), and the same with what else adds an item"""
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if called(call) in ADDS and len(call.args) == 1 and may_be_falsy(call.args[0]):
            item = ast.NamedExpr(ast.Name("added_item", ast.Store()), call.args[0])
            call.args = [ast.Name("added_item", ast.Load())]
            return ast.If(item, [node], [])


def each_once(node):
    """def f(xs): a -> def f(xs): xs = list(dict.fromkeys(xs)); a, where a loop goes over xs"""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        looped = {
            ast.unparse(inner.iter)
            for inner in ast.walk(node)
            if isinstance(inner, (ast.For, ast.comprehension))
        }
        for given in node.args.args:
            if given.arg in looped and given.arg.removesuffix("s") not in OBJECTS:
                first = 1 if ast.get_docstring(node) is not None else 0
                once = f"{given.arg} = list(dict.fromkeys({given.arg}))"
                node.body[first:first] = ast.parse(once).body
                return node


# What is caught, and what comes out


def wider_except(node):
    """except E: a -> except Exception: a; Exception -> BaseException; suppress(E) likewise"""
    if (caught := caught_by(node)) is not None:
        wider = WIDER.get(ast.unparse(caught), "Exception")
        return catching(node, wider) if ast.unparse(caught) != "BaseException" else None


def narrower_except(node):
    """except (E, F): a -> except E: a; Exception -> ValueError; suppress(E) likewise"""
    if (caught := caught_by(node)) is not None:
        if isinstance(caught, ast.Tuple):
            return catching(node, ast.unparse(caught.elts[0]))
        narrower = NARROWER.get(ast.unparse(caught))
        return catching(node, narrower) if narrower else None


def finally_for_errors(node):
    """try: a finally: b -> the same, but a cancellation or an exit skips b

    As `except Exception: b; raise` does, and it keeps b where `a` returns.
    """
    if isinstance(node, ast.Try) and node.finalbody:
        (new,) = ast.parse(FOR_ERRORS).body
        new.body = [ast.Try(node.body, node.handlers, node.orelse, [])]
        if not node.handlers:
            new.body = node.body
        new.finalbody[0].body = node.finalbody
        return [*ast.parse("is_error = True").body, new]


def other_exceptions(node):
    """gather(*xs) -> gather(*xs, return_exceptions=True), and back"""
    if called(node) == "gather":
        kept = [each for each in node.keywords if each.arg != "return_exceptions"]
        if len(kept) == len(node.keywords):
            kept.append(ast.keyword("return_exceptions", ast.Constant(True)))
        node.keywords = kept
        return node


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
    "wait that blocks": wait_blocking,
    "or None": or_none,
    "falsy for None": falsy_for_none,
    "drop falsy": drop_falsy,
    "each once": each_once,
    "wider except": wider_except,
    "narrower except": narrower_except,
    "finally for errors": finally_for_errors,
    "other exceptions": other_exceptions,
}


def mutants(text, name):
    """Yield (name of the change with its line, changed text) for each place where a change is
    possible.
    """
    original = ast.unparse(ast.parse(text))
    for title, change in CHANGES.items():
        tree, nodes = parsed(text, name)
        for place in range(len(nodes)):
            node = nodes[place]
            line = getattr(node, "lineno", None)
            replacement = change(node)
            if replacement is None:
                continue
            changed = Replace(node, replacement).visit(tree)
            tree, nodes = parsed(text, name)  # the change has spoiled the other one
            new = ast.unparse(ast.fix_missing_locations(changed))
            if new == original:
                continue
            if "ran_at_once" in new:
                new = "import asyncio\n" + RAN + new
            try:
                compile(new, "mutant", "exec")
            except SyntaxError:
                continue
            yield f"{title}, line {line}", new


def parsed(text, name):
    """The syntax tree of a text, and the nodes of the definition of `name` from the outside in.

    Names of what is always true, whatever the inputs are, bear `always_true`.
    """
    tree = ast.parse(text)
    true = set(names_of_what_is_true(tree))
    for node in ast.walk(tree):
        node.always_true = getattr(node, "id", getattr(node, "attr", None)) in true
    definition = next(node for node in tree.body if getattr(node, "name", None) == name)
    return tree, list(inward(definition))


def names_of_what_is_true(tree):
    """The names of functions, classes, caught errors, tasks and the like."""
    yield from OBJECTS
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.ExceptHandler(name=str()):
                yield node.name
            case ast.Assign(targets=[ast.Name(id=id)], value=value) if called(value) in MAKES:
                yield id


def inward(node):
    yield node
    for child in ast.iter_child_nodes(node):
        yield from inward(child)


class Replace(ast.NodeTransformer):
    """Puts a node, or a list of statements, in the place of another node."""

    def __init__(self, node, replacement):
        self.node = node
        self.replacement = replacement

    def visit(self, node):
        return self.replacement if node is self.node else self.generic_visit(node)


def called(node):
    """The name of what a call calls: `asyncio.sleep(1)` gives "sleep"; None for anything else."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", None))


def expression(text):
    return ast.parse(text, mode="eval").body


def may_be_falsy(value):
    """Whether an expression may be falsy, as far as its form tells."""
    return not (
        value is None
        or isinstance(value, ALWAYS_TRUE)
        or getattr(value, "always_true", False)
        or called(value) in MAKES
    )


def caught_by(node):
    """What an `except E` or a `suppress(E)` catches, as an expression, or None."""
    if isinstance(node, ast.ExceptHandler):
        return node.type
    if called(node) == "suppress" and len(node.args) == 1:
        return node.args[0]


def catching(node, error):
    """The same `except` or `suppress`, for another error."""
    if isinstance(node, ast.ExceptHandler):
        node.type = expression(error)
    else:
        node.args = [expression(error)]
    return node
