"""`environment()`: whether all that the course needs is here."""

import asyncio
import re
import signal
import sys
from importlib import metadata

from helpers.basics.shell import running_shell

# What the lessons lean on, with the oldest version that will do.
PACKAGES = {
    "ipykernel": "7.4",
    "jupyterlab": "",
    "ipywidgets": "",
    "matplotlib": "",
    "httpx": "",
    "aiohttp": "",
}


class Environment:
    """What `environment()` found. `ok`: all is as the course needs it; `wrong`: what is not."""

    def __init__(self, wrong: list[str]) -> None:
        self.wrong = wrong
        self.ok = not wrong

    def __repr__(self) -> str:
        return "All is ready." if self.ok else f"Not ready: {', '.join(self.wrong)}."


def environment() -> Environment:
    """Look at what the course needs, and print a short line for each thing.

    Returns an `Environment`.
    """
    wrong = []

    def say(name, found, good, needed):
        print(f"{name:12} {found}" + ("" if good else f"   <- needs {needed}"))
        if not good:
            wrong.append(name)

    say(
        "Python",
        ".".join(map(str, sys.version_info[:3])),
        sys.version_info >= (3, 11),
        "3.11 or newer",
    )
    for package, least in PACKAGES.items():
        found = _version(package)
        good = found is not None and _numbers(found) >= _numbers(least)
        say(package, found or "missing", good, f"{least} or newer" if least else "installing")
    try:
        found = type(asyncio.get_running_loop()).__name__
        say("event loop", f"{found}, running: top-level await works", True, "")
    except RuntimeError:
        say("event loop", "none runs here", False, "a notebook")
    button = getattr(running_shell(), "stop_button", None)
    fit = button is not None and signal.getsignal(signal.SIGINT) == button.press
    say(
        "stop button",
        "stops async cells too" if fit else "as the kernel has it",
        fit,
        "a notebook's kernel",
    )
    return Environment(wrong)


def _version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)[:3]]
