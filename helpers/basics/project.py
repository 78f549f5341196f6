"""Where the course lies on this machine."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
"""The folder that holds README.md."""

HELPERS = str(PROJECT / "helpers") + os.sep
"""Every file of ours that notebooks call begins with it."""
