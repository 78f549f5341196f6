"""Every package of the course, extras included, has a wheel for each Python on each system.

So nobody needs a compiler. uv resolves the lock for another system than this one, and installs
nothing; it asks the package index, and downloads no package.
"""

import subprocess
import sys

import pytest

from helpers.commands.ground import EXTRAS_LOCK, ROOT, Problem
from helpers.commands.locks import resolver
from helpers.commands.processes import clean_environ

SYSTEMS = {
    "Windows": "x86_64-pc-windows-msvc",
    "macOS, Apple silicon": "aarch64-apple-darwin",
    "macOS, Intel": "x86_64-apple-darwin",
    "Linux": "x86_64-unknown-linux-gnu",
    "Linux, ARM": "aarch64-unknown-linux-gnu",
}
PYTHONS = "3.11", "3.12", "3.13", "3.14"
OFFLINE = "error sending request", "dns error", "Failed to fetch", "timed out"


@pytest.fixture(scope="module")
def uv(tmp_path_factory):
    try:
        return resolver(tmp_path_factory.mktemp("uv") / "uv")
    except Problem as problem:
        pytest.skip(f"{problem}: it needs the network")


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_lock_has_wheels_for(uv, system, python, tmp_path):
    command = [uv, "pip", "install", "--dry-run", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--python", sys.executable, "--target", tmp_path]
    command += ["--python-platform", SYSTEMS[system], "--python-version", python]
    command += ["-r", EXTRAS_LOCK]  # it holds the lessons' own lock whole
    done = subprocess.run(command, cwd=ROOT, env=clean_environ(), capture_output=True, text=True)
    if done.returncode and any(words in done.stderr for words in OFFLINE):
        pytest.skip("the package index can't be reached: it needs the network")
    assert done.returncode == 0, done.stderr
