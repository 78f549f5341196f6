"""Makes a notebook's kernel fit for async: the stop button, and errors that show.

Importing this does it, where IPython runs; elsewhere the import changes nothing. Nothing in
asyncio is patched.
"""

import functools

from helpers.basics.shell import running_shell
from helpers.kernel.errors import show_errors
from helpers.kernel.stop_button import StopButton
from helpers.recording.cell import observe


def install() -> None:
    """Make the IPython shell that runs this fit for async. Does nothing the second time, and
    nothing outside IPython."""
    shell = running_shell()
    if shell is None or hasattr(shell, "stop_button"):
        return
    shell.stop_button = StopButton(shell)
    _drive_cells(shell)
    show_errors(shell)


def _drive_cells(shell):
    """Tell the stop button and the recorder which code is the cell's."""
    button, run_code = shell.stop_button, shell.run_code

    @functools.wraps(run_code)
    async def observed(code, result=None, *, async_=False):
        coro = run_code(code, result, async_=async_)
        with button.cell(code, coro):
            return await (observe(coro) if async_ else coro)

    shell.run_code = observed


install()
