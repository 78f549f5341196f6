"""Windows, played on Linux: the environment of a Python that takes itself to be there."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAY = Path(__file__).parent / "played_windows"


def environment(folder, home=None):
    """The variables with which every Python plays.

    folder: for the launcher, which is made there. home: of a learner's records; `folder` unless
    told.
    """
    launcher = Path(folder, "python")
    launcher.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -I -S '{PLAY / 'launcher.py'}' \"$@\"\n"
    )
    launcher.chmod(0o755)
    path = os.pathsep.join([str(PLAY), str(ROOT)])
    return os.environ | {
        "PYTHONPATH": path,
        "PLAYED_LAUNCHER": str(launcher),
        "ASYNC_COURSE_DATA": str(home or folder),
    }
