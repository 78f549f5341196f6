"""Other programs: run one in the course's folder, and the variables that an installer gets."""

import os
import subprocess
from collections.abc import Sequence

from .ground import ROOT


def call(command: Sequence[str]) -> int:
    """Run a command in the course's folder; return its exit status."""
    with subprocess.Popen(command, cwd=ROOT) as child:
        while True:
            try:
                status = child.wait()
                return status if status >= 0 else 128 - status
            except KeyboardInterrupt:
                pass  # the terminal sent it to the child as well, whose business it is


ASTRAY = {
    "PYTHONHOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_REQUIRE_VIRTUALENV",
}


def clean_environ() -> dict[str, str]:
    """Return the variables for an installer: without those that would lead it astray."""
    kept = {name: value for name, value in os.environ.items() if name not in ASTRAY}
    return kept | {
        "PIP_USER": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PYTHONUNBUFFERED": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "NO_COLOR": "1",
    }
