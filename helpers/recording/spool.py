"""The folder in which other processes tell a recording what they did.

A line of JSON at the start of a call and one at its end, in a file for each thread; the recording
reads them when it ends. `time.perf_counter` is one clock for all processes of a machine on the
systems that the course supports.
"""

import glob
import json
import os
import secrets
import shutil
import tempfile
import threading
from typing import Any


def path_of(folder: str) -> str:
    """The file in which this thread of this process writes."""
    return os.path.join(folder, f"{os.getpid()}-{threading.get_ident()}.jsonl")


def write(path: str, **entry: Any) -> None:
    """Add a line to the file of a thread, where the recording has not ended yet."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except FileNotFoundError:
        pass  # the recording has ended and taken its folder away


class Spool:
    """The folder in which other processes tell what they did. Made when one may need it."""

    def __init__(self):
        name = f"recording-{os.getpid()}-{secrets.token_hex(8)}"
        self.folder = os.path.join(tempfile.gettempdir(), name)

    def make(self) -> str:
        """The folder's path; it is made if it is not there yet."""
        if not os.path.isdir(self.folder):
            self.sweep()
            os.makedirs(self.folder, mode=0o700)
        return self.folder

    def sweep(self) -> None:
        """Take away the folders of recorders that were killed before they could do so."""
        import psutil  # here, for every process that runs a job imports this module

        for folder in glob.glob(os.path.join(tempfile.gettempdir(), "recording-*-*")):
            owner = os.path.basename(folder).split("-")[1]
            if owner.isdigit() and not psutil.pid_exists(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)

    def read(self) -> list[dict[str, Any]]:
        """List of calls by their start, as dicts; takes the folder away."""
        calls = {}
        if os.path.isdir(self.folder):
            for name in os.listdir(self.folder):
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    for line in file:
                        if line.endswith("\n"):  # else its process was killed while it wrote
                            entry = json.loads(line)
                            calls.setdefault((name, entry["call"]), {}).update(entry)
            shutil.rmtree(self.folder, ignore_errors=True)
        return sorted(calls.values(), key=lambda call: call["start"])
