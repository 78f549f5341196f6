"""A hub to try on this machine: everybody is let in with one password, and runs as you do.

Learners are not protected from each other here, so it is for a rehearsal, not for a class.
"""

import os
from pathlib import Path

from helpers.basics.ports import free_port
from helpers.basics.records import folder
from helpers.board.words import new_code

c = get_config()  # noqa: F821  JupyterHub gives it to its configuration
# By its whole path: one that isn't found is passed over in silence.
load_subconfig(str(Path(__file__).with_name("common.py")))  # noqa: F821  so is this

state = folder() / "hub"
(state / "homes").mkdir(parents=True, exist_ok=True)
password = os.environ.get("COURSE_HUB_PASSWORD") or new_code()

c.JupyterHub.db_url = f"sqlite:///{state / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(state / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(state / "proxy.pid")
# Of these nobody needs the numbers, and another hub may have the usual ones.
c.JupyterHub.hub_port = free_port()
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{free_port()}"
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = password
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(state / "homes" / "{username}")
if os.geteuid() == 0:
    c.Spawner.args = ["--allow-root"]  # in a container everybody is root

print(f"Any name, with the password: {password}", flush=True)
