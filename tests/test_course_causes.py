"""What an installer says when it fails is told to the learner in words that help."""

import re

import pytest

from helpers.commands.installer import CAUSES

IN_USE = [
    "ERROR: [WinError 5] Access is denied: 'C:\\\\course\\\\.venv\\\\Scripts\\\\python.exe'",
    "The process cannot access the file because it is being used by another process",
    "error: failed to remove file `zmq.pyd`: Access is denied. (os error 5)",
]


def cause(words):
    return next(cause for pattern, cause in CAUSES if re.search(pattern, words))


@pytest.mark.parametrize("words", IN_USE)
def test_a_file_that_is_in_use_is_not_a_folder_that_cannot_be_written(words):
    assert cause(words).startswith("a file is in use") and "close JupyterLab" in cause(words)


def test_a_folder_that_cannot_be_written_is_told():
    assert "folder of your own" in cause("[Errno 13] Permission denied: '/opt/course/.venv'")
