"""What every hub of the course shares; `try_it.py` and `one_machine.py` say the rest.

All learners use the one environment that `course.py hub` makes, and the helpers beside this file.
Each has a folder of their own with a clone of the course, which nbgitpuller brings up to date each
time they come, and leaves what they wrote as it is.
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlencode

from helpers.board.opened import room
from helpers.commands.hub import proxy

COURSE = Path(__file__).resolve().parents[2]
# Where learners' clones come from: the course's public address, or this machine's own copy.
REPOSITORY = os.environ.get("COURSE_REPOSITORY", str(COURSE))
BRANCH = os.environ.get("COURSE_BRANCH", "main")
FIRST = "lab/tree/async-course/notebooks/00_start_here.ipynb"
BIN = Path(sys.executable).parent
AN_HOUR = 3600  # seconds

c = get_config()  # noqa: F821  JupyterHub gives it to its configuration

c.ConfigurableHTTPProxy.command = proxy()

pull = {"repo": REPOSITORY, "branch": BRANCH, "targetpath": "async-course", "urlpath": FIRST}
c.Spawner.default_url = "/git-pull?" + urlencode(pull)
c.Spawner.cmd = [str(BIN / "jupyterhub-singleuser")]
c.Spawner.environment = {
    # Where `python3 course.py class` is open on this machine, everybody who comes is in the room.
    "ASYNC_COURSE_ROOM": lambda spawner: room() or "",
    # A library that computes on all cores at once would take them from the others.
    "OMP_NUM_THREADS": "1",
}
c.Spawner.http_timeout = 120  # seconds: thirty servers that start at once are slow
c.Spawner.start_timeout = 120
c.JupyterHub.concurrent_spawn_limit = 10

# Ends a server that nobody has used for an hour. What its learner wrote stays.
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["culler"],
    }
]
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={AN_HOUR}"],
    }
]
