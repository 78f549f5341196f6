"""Notes each socket that a Python process binds, however shortly: for tests/listeners.py.

Python imports it at every start where this folder is on the PYTHONPATH.
"""

import json
import os
import sys

NOTES = os.environ["NOTED_BINDS"]
PROBES = {"urllib3.util.connection"}  # binds to see whether there is IPv6, and never listens


def note(event, arguments):
    if event == "socket.bind" and sys._getframe(1).f_globals.get("__name__") not in PROBES:
        _, address = arguments
        host = address[0] if isinstance(address, tuple) else "a Unix socket"
        with open(NOTES, "a", encoding="utf-8") as file:
            file.write(json.dumps([sys.orig_argv, str(host)]) + "\n")


sys.addaudithook(note)
