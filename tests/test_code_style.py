"""ruff has nothing to say about the project's code, the notebooks' cells included."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("command", ["format --check", "check"])
def test_ruff_has_nothing_to_say(command):
    """`ruff format` and `ruff check --fix` mend most of what it says."""
    ruff = [sys.executable, "-m", "ruff", *command.split(), "--quiet", "--no-cache"]
    done = subprocess.run(ruff, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"ruff {command}\n{done.stdout}{done.stderr}"
