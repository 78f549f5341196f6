"""Errors of a cell, as a real kernel shows them: ExceptionGroups, and a name that is not there."""

import re
import sys
import textwrap

import pytest

from tests.real_kernel import Kernel

# ExceptionGroups ---------------------------------------------------------------------------------

FAILING_GROUP = """
    import asyncio
    async def fails():
        raise ValueError("what went wrong")   # this line
    async with asyncio.TaskGroup() as tg:
        tg.create_task(fails())
"""


def test_a_group_that_leaves_a_cell_is_an_error(kernel):
    answer = kernel.cell(FAILING_GROUP)
    assert answer.ename == "ExceptionGroup"
    assert answer.error["evalue"] == "unhandled errors in a TaskGroup (1 sub-exception)"
    assert "ValueError: what went wrong" in answer.traceback
    assert 'raise ValueError("what went wrong")   # this line' in answer.traceback
    # Readable: names the cell, not ipykernel's temporary file; no frames of asyncio or IPython.
    assert re.search(r"Cell In\[\d+\], line 3, in fails", answer.traceback)
    for inner in ("ipykernel", "taskgroups.py", "interactiveshell.py", "helpers"):
        assert inner not in answer.traceback
    assert answer.err == ""


def test_a_group_in_the_first_cell_is_answered():
    kernel = Kernel(first=None)
    try:
        answer = kernel.cell("import helpers\n" + textwrap.dedent(FAILING_GROUP))
        assert answer.ename == "ExceptionGroup"
    finally:
        kernel.stop()


@pytest.mark.parametrize(
    "code, name",
    [
        ("raise ExceptionGroup('plain cell', [ValueError(1)])", "ExceptionGroup"),
        ("raise BaseExceptionGroup('base', [KeyboardInterrupt()])", "BaseExceptionGroup"),
        (
            """
     try:
         raise ExceptionGroup('inner', [ValueError(1)])
     except ExceptionGroup as group:
         raise RuntimeError('from a group') from group
     """,
            "RuntimeError",
        ),
        (
            """
     try:
         raise ExceptionGroup('inner', [ValueError(1)])
     except* ValueError:
         raise LookupError('while a group was handled')
     """,
            "LookupError",
        ),
        (
            """
     class Mine(ExceptionGroup): pass
     raise Mine('mine', [ExceptionGroup('nested', [ValueError(1), TypeError(2)])])
     """,
            "Mine",
        ),
    ],
)
def test_groups_in_every_shape_are_errors(kernel, code, name):
    answer = kernel.cell(code)
    assert answer.ename == name
    assert "ValueError: 1" in answer.traceback or name == "BaseExceptionGroup"


def test_plain_errors_look_as_ever(kernel):
    answer = kernel.cell("1 / 0")
    assert answer.ename == "ZeroDivisionError"
    assert "----> 1 1 / 0" in answer.traceback
    assert kernel.cell("x = = 1").ename == "SyntaxError"
    assert kernel.cell("eval('1 +')").ename == "SyntaxError"
    assert kernel.cell("  x = 1\n y = 2").ename == "IndentationError"


# A name that is not there ------------------------------------------------------------------------

ADVICE = (
    "`fetch` is not defined in this kernel. Run the cells above this one first (menu Run, "
    "Run All Above Selected Cell), or check the spelling."
)


@pytest.mark.parametrize(
    "code",
    [
        "page = fetch('a')",
        "page = await fetch('a')",
        """
    from helpers import run
    async def main():
        return await fetch('a')
    run(main())
    """,
    ],
    ids=["plain", "await", "run"],
)
def test_a_name_from_a_cell_that_did_not_run_is_explained(kernel, code):
    answer = kernel.cell(code)
    assert answer.ename == "NameError"
    assert answer.error["evalue"] == "name 'fetch' is not defined"
    assert re.search(r"-> +\d+ .*fetch\('a'\)", answer.traceback)
    assert answer.traceback.endswith(f"NameError: name 'fetch' is not defined\n{ADVICE}")
    assert answer.err == ""


def test_an_error_that_is_shown_once_more_is_explained_once(kernel):
    kernel.cell("fetch('a')")
    shown = kernel.cell("""
        import sys
        get_ipython().showtraceback((NameError, sys.last_value, None))
    """)
    assert shown.traceback.count(ADVICE) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import types; types.SimpleNamespace().fetch",
        "raise NameError('fetch')",
        "raise NameError(\"name 'fetch' is not defined\")",
        "def late():\n    print(fetch)\n    fetch = 1\nlate()",
        "def outer():\n    def inner():\n        return fetch\n    inner()\n    fetch = 1\nouter()",
        "exec('fetch', {})",
    ],
    ids=["attribute", "own words", "by hand", "unbound local", "free variable", "not a cell's"],
)
def test_other_errors_get_no_such_advice(kernel, code):
    answer = kernel.cell(code)
    assert answer.ename in ("AttributeError", "NameError", "UnboundLocalError")
    assert "Run the cells above" not in answer.traceback


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are set as on Linux")
@pytest.mark.parametrize(
    "code, words",
    [
        (
            """
            import resource, socket
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
            try:
                sockets = [socket.socket() for _ in range(300)]
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)
            """,
            "as many files and sockets open as this system allows",
        ),
        (
            """
            import multiprocessing, unittest.mock
            denied = OSError(30, "Read-only file system")
            with unittest.mock.patch("_multiprocessing.SemLock", side_effect=denied):
                from multiprocessing.synchronize import Lock
                Lock(ctx=multiprocessing.get_context())
            """,
            "no lock can be made that processes share",
        ),
        (
            """
            import threading, unittest.mock
            full = RuntimeError("can't start new thread")
            with unittest.mock.patch("threading.Thread.start", side_effect=full):
                threading.Thread().start()
            """,
            "no further thread or process",
        ),
    ],
)
def test_a_limit_of_the_system_is_named(kernel, code, words):
    answer = kernel.cell(code)
    assert words in answer.traceback and "course.py doctor" in answer.traceback
