"""What this machine allows the course: lengths of paths, a home, open files, processes, semaphores.

Each function says in one sentence what stands in the way and what to try, or returns None.
"""

import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

from .ground import ON_WINDOWS, ROOT

if not ON_WINDOWS:
    import resource

LONGEST_ROOT = 97
"""Characters of the course's folder on Windows: the longest name in an environment takes 162 more,
and 259 is the most for a path where long ones are not switched on."""

FILES_WANTED = PROCESSES_WANTED = 11_000  # lesson 17 serves 10,000, in a thread each
PROCESSES_NEEDED = 200

PID_LIMITS = Path("/sys/fs/cgroup/pids.max"), Path("/sys/fs/cgroup/pids/pids.max")


def why_path_too_long() -> str | None:
    """Say so if the course lies too deep for Windows, where a path is short by default."""
    length = len(str(ROOT))
    if not ON_WINDOWS or length <= LONGEST_ROOT or _long_paths_allowed():
        return None
    return (
        f"the path of this folder has {length} characters, and with more than {LONGEST_ROOT} "
        f"Windows can't hold the packages in it: move the course to a shorter one ({ROOT})"
    )


def _long_paths_allowed() -> bool:
    import winreg

    where = r"SYSTEM\CurrentControlSet\Control\FileSystem"
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, where) as key:
            return winreg.QueryValueEx(key, "LongPathsEnabled")[0] == 1
    except OSError:
        return False


def why_no_home() -> str | None:
    """Say so if JupyterLab could not keep its files: it would end with a traceback."""
    for folder in jupyter_config(), jupyter_runtime():
        ground = folder
        while not ground.exists() and ground != ground.parent:
            ground = ground.parent
        try:
            tempfile.TemporaryFile(dir=ground).close()
        except OSError as error:
            name = "USERPROFILE" if ON_WINDOWS else "HOME"
            return (
                f"JupyterLab keeps its files in {folder}, and {ground} cannot be written "
                f"({error.strerror}): let {name} name a folder of your own"
            )
    return None


def jupyter_config() -> Path:
    """The folder of JupyterLab's settings, as jupyter_core finds it."""
    return Path(os.environ.get("JUPYTER_CONFIG_DIR") or os.path.expanduser("~/.jupyter"))


def jupyter_runtime() -> Path:
    """The folder of the files by which running kernels are reached, as jupyter_core finds it."""
    data = os.environ.get("JUPYTER_DATA_DIR")
    if not data and ON_WINDOWS:
        data = os.path.join(os.environ.get("APPDATA") or os.path.expanduser("~"), "jupyter")
    elif not data and sys.platform == "darwin":
        data = os.path.expanduser("~/Library/Jupyter")
    elif not data:
        share = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        data = os.path.join(share, "jupyter")
    return Path(os.environ.get("JUPYTER_RUNTIME_DIR") or os.path.join(data, "runtime"))


def most_files() -> int | None:
    """How many files a process may open at once; the course raises its limit to this. None: any."""
    if ON_WINDOWS:
        return None
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def most_processes() -> int | None:
    """How many processes and threads this user may have at once. None: any number."""
    if ON_WINDOWS:
        return None
    limits = []
    soft = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:  # it does not bind root
        limits.append(soft)
    for path in PID_LIMITS:  # of a container
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # there is none, or it says "max"
            pass
    return min(limits, default=None)


def why_no_semaphores() -> str | None:
    """Say so if processes can't share a lock, as in a container without /dev/shm."""
    if ON_WINDOWS:
        return None
    try:
        multiprocessing.get_context("fork").Lock()  # of this kind none outlives its process
    except OSError as error:
        return (
            f"a lock for several processes cannot be made ({error.strerror}): "
            "let the container have a /dev/shm that can be written"
        )
    return None
