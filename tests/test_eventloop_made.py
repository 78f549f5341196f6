"""What the course's event loop is made of, and that its bench runs."""

import re
import tokenize
from pathlib import Path

import pytest

from helpers.upkeep.bench import loop_work

pytestmark = pytest.mark.loop
ROOT = Path(__file__).resolve().parent.parent


def code_lines(path):
    """The numbers of the lines that hold code: no comments, no docstrings, no empty lines."""
    lines, statement = set(), True
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (
                tokenize.NEWLINE,
                tokenize.INDENT,
                tokenize.DEDENT,
                tokenize.ENCODING,
            ):
                statement = True
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
                if not (statement and token.type == tokenize.STRING):
                    lines.update(range(token.start[0], token.end[0] + 1))
                statement = False
    return len(lines)


STAGES = {  # lines of code: these don't grow, a learner reads them whole
    "__init__": 5,
    "ready": 22,
    "timers": 76,
    "tasks": 136,
    "sockets": 130,
    "instruments": 155,
}
SCREENS = 200  # lines of code of a file of the last stage, which has one subject each
FILES = sorted((ROOT / "helpers" / "eventloop").glob("*.py"), key=lambda path: path.stem)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_is_small_and_imports_nothing_private(path):
    assert code_lines(path) <= STAGES.get(path.stem, SCREENS)
    imported = re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
    private = [module for module in imported if module.startswith(("asyncio.", "helpers"))]
    assert private == (["asyncio.sslproto"] if path.stem == "tls" else [])


def test_tls_is_asyncios_in_forty_lines():
    assert code_lines(ROOT / "helpers" / "eventloop" / "tls.py") <= 40


def test_the_bench_runs_the_same_work_on_each_loop():
    for work in (
        loop_work.switches(3, 4),
        loop_work.sleeps(5, 0.01),
        loop_work.cancelled_timers(200),
        loop_work.held_timers(200),
        loop_work.new_connections(20),
        loop_work.one_write(3_000_000),
        loop_work.echoes(3, 4),
    ):
        speeds = loop_work.speeds(work, repeats=1, beside="asyncio")
        assert {"library", "asyncio"} <= set(speeds) and min(speeds.values()) > 0
        assert speeds["asyncio"] == 1
    assert 100 < loop_work.bytes_a_task("own", 20_000) < 3000
    assert loop_work.cost_a_step(1000, 3000) > 0
