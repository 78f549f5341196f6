"""Wheels of a few lines, and locks that name them: environments that are made in seconds."""

import base64
import hashlib
import zipfile

from tests.course_copies import copy_course

FILES = 400
"""Modules in each, so that compiling them takes a moment."""
MODULE = "def f(x):\n    return x\n" * 50
PROGRAM = "def main():\n    import sys, {name}\n    print('{name}', {name}.VERSION, sys.prefix)\n"


def make_wheel(folder, name, version, **modules):
    """Write a wheel that has a program of its own name; return its path. modules: more texts."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = {f"{name}/part{n}.py": MODULE for n in range(FILES)} | {
        f"{name}/__init__.py": f"VERSION = '{version}'\n",
        f"{name}/program.py": PROGRAM.format(name=name),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}.program:main\n",
    }
    files |= {f"{name}/{module}.py": text for module, text in modules.items()}
    record = "".join(f"{file},{_digest(text)},{len(text)}\n" for file, text in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return path


def _digest(text):
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def lock(*wheels):
    """Return the text of a lock that names these wheels, with their hashes."""
    lines = []
    for wheel in wheels:
        name, version = wheel.name.split("-")[:2]
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"{name}=={version} \\\n    --hash=sha256:{digest}\n")
    return "".join(lines)


class TinyCourse:
    """A copy of course.py whose lock names two tiny packages; `wheels` is all the network there is.

    One of them passes for JupyterLab: it says that it was opened.
    """

    def __init__(self, folder):
        self.folder = copy_course(folder / "course")
        self.wheels = folder / "wheels"
        jupyter = "import jupyterlab\ndef main():\n    print('opened', jupyterlab.VERSION)\n"
        self.lab, self.tiny, self.newer, self.extra = (
            make_wheel(self.wheels, "jupyterlab", "1.0", labapp=jupyter),
            make_wheel(self.wheels, "tiny", "1.0"),
            make_wheel(self.wheels, "tiny", "2.0"),
            make_wheel(self.wheels, "extra", "1.0"),
        )
        self.ask_for(self.lab, self.tiny)
        self.write("requirements-extras.txt", self.lab, self.tiny, self.extra)
        self.online = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        self.offline = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"}
        self.offline |= {"PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1"}

    def write(self, name, *wheels):
        (self.folder / name).write_text(lock(*wheels))

    def ask_for(self, *wheels):
        """Let the lock name these."""
        self.write("requirements.txt", *wheels)
