"""A hub for a class on one machine: system users, each in a unit of systemd with limits of its own.

Run as root, by the unit in README.md. Change the limits to what your machine has: README.md says
what a lesson takes.
"""

from pathlib import Path

c = get_config()  # noqa: F821  JupyterHub gives it to its configuration
# By its whole path: one that isn't found is passed over in silence.
load_subconfig(str(Path(__file__).with_name("common.py")))  # noqa: F821  so is this

c.JupyterHub.db_url = "sqlite:////var/lib/async-course-hub/hub.sqlite"
c.JupyterHub.cookie_secret_file = "/var/lib/async-course-hub/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = "/var/lib/async-course-hub/proxy.pid"
c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True  # every system user of this machine
c.LocalAuthenticator.create_system_users = False

c.JupyterHub.spawner_class = "systemd"
c.SystemdSpawner.mem_limit = "1G"
c.SystemdSpawner.cpu_limit = 2.0  # cores: lesson 12 shows what a second one gives
c.SystemdSpawner.isolate_tmp = True
c.SystemdSpawner.disable_user_sudo = True
c.SystemdSpawner.user_workingdir = "/home/{USERNAME}"
# Lesson 17 opens a thousand connections at once, and starts as many threads.
c.SystemdSpawner.unit_extra_properties = {"LimitNOFILE": "8192", "TasksMax": "4096"}
