"""What the import of the helpers does to a kernel, and what `environment` says of one."""

import subprocess
import sys

from helpers import environment
from tests.real_kernel import ROOT


def test_environment_says_what_is_there(kernel):
    answer = kernel.cell("""
        from helpers import environment
        found = environment()
        print(found.ok, found)
    """)
    lines = answer.out.splitlines()
    assert lines[-1] == "True All is ready."
    assert any(line.startswith("stop button  stops async cells") for line in lines)
    assert all(len(line) < 80 for line in lines)


def test_environment_outside_a_notebook(capsys):
    found = environment()
    assert not found.ok
    assert "stop button" in found.wrong
    assert "needs a notebook" in capsys.readouterr().out


def test_the_import_changes_nothing_outside_ipython():
    code = (
        "import signal, threading\n"
        "before = signal.getsignal(signal.SIGINT), threading.active_count()\n"
        "import helpers, sys\n"
        "assert (signal.getsignal(signal.SIGINT), threading.active_count()) == before\n"
        "heavy = {'IPython', 'matplotlib', 'numpy', 'aiohttp', 'httpx'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from helpers import timeline, record, job\n"
        "import helpers.pictures.timeline\n"
        "from helpers import timeline as again\n"
        "assert callable(timeline) and again is timeline\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
