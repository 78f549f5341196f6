"""Each entry of "It happened to me" shows what it says it shows, and its cure cures it."""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest

from helpers.upkeep.pages import happened as pages
from tests import happened, markdown
from tests.real_kernel import Kernel
from tests.test_lessons import LESSONS, anchors, read

ENTRIES = list(pages.entries())
BY_NUMBER = {path.name[:2]: path for path in LESSONS}
FRONT = {"file_format": "mystnb"} | {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "name": "python3"}
}
KEYS = {*FRONT, "error", "symptom", "shows", "mended", "lesson", "keywords"}
SECONDS_A_CELL = 10  # most take a twentieth of that; a busy machine takes longer
MOST_WORDS = 27  # of the answer below the title
# On a busy machine asyncio warns of the mended one, too.
BY_THE_REAL_CLOCK, AGAIN = {"slow-callback"}, 3

# What Windows words or limits in its own way, as their texts say.
NOT_ON_WINDOWS = {"address-already-in-use", "connection-reset", "too-many-open-files"}
RUN_HERE = [e for e in ENTRIES if sys.platform != "win32" or e.path.stem not in NOT_ON_WINDOWS]

each = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.path.stem)
once = pytest.mark.once

# What is in the kernel: its tasks and threads by name, and the ports on which it listens.
LEFT = """
def _left():
    import asyncio, gc, psutil, threading
    gc.collect()
    sockets = psutil.Process().net_connections("tcp")
    ports = {f"port {one.laddr.port}" for one in sockets if one.status == "LISTEN"}
    tasks = {f"task {task.get_coro().__qualname__}" for task in asyncio.all_tasks()}
    threads = {f"thread {thread.name}" for thread in threading.enumerate()}
    # Those that go with the kernel: the course's own, idle ones that to_thread keeps, and that of
    # pycares, by which aiohttp asks for addresses where JupyterHub is installed.
    return sorted(name for name in tasks | threads | ports
                  if name != "thread stop-button" and not name.startswith("thread asyncio_")
                  and "_run_safe_shutdown_loop" not in name)
print(*_left(), sep="\\n")
"""
# Frames aren't compared, and to draw those of libraries takes a second.
KEEP = "%xmode Minimal\n_kept = {*globals(), '_kept', '_name'}"
# Not %reset, which takes away what a spawned process asks of __main__ as well.
FORGET = """
for _name in {*globals()} - _kept:
    del globals()[_name]
Out.clear()
"""


class Kernels:
    """A plain kernel, and one for the entries that use the course's helpers, which change it."""

    def __init__(self):
        self.started = {}

    def of(self, entry):
        """The kernel for an entry, and what runs in it when nothing has been left."""
        first = "import helpers" if "from helpers import" in entry.text else None
        if first not in self.started:
            kernel = Kernel(first)
            assert kernel.cell(KEEP).ename is None
            self.started[first] = kernel, left(kernel)
        return self.started[first]

    def replace(self, kernel):
        """Start anew where an entry left something behind, so that it is no other's trouble."""
        kernel.stop()
        self.started = {k: pair for k, pair in self.started.items() if pair[0] is not kernel}

    def stop(self):
        for kernel, _ in self.started.values():
            kernel.stop()


def left(kernel):
    return set(kernel.cell(LEFT).out.splitlines())


@pytest.fixture(scope="module")
def two_kernels():
    started = Kernels()
    yield started
    started.stop()


@pytest.mark.notebooks
@pytest.mark.parametrize("entry", RUN_HERE, ids=lambda entry: entry.path.stem)
def test_the_example_shows_it_and_the_mended_one_does_not(entry, two_kernels):
    for again in reversed(range(AGAIN if entry.path.stem in BY_THE_REAL_CLOCK else 1)):
        try:
            return shows_it_and_is_mended(entry, two_kernels)
        except AssertionError:
            if not again:
                raise


def shows_it_and_is_mended(entry, two_kernels):
    kernel, before = two_kernels.of(entry)
    shown, mended = "", ""
    try:
        for cell in happened.cells(entry):
            answer = kernel.cell(cell.source, timeout=SECONDS_A_CELL)
            assert (answer.ename is not None) == ("raises-exception" in cell.tags), answer.shown
            if cell.part == "What to do.":
                assert not answer.err, answer.err
                mended += answer.shown
            else:
                shown += answer.shown
        for text in entry.shows(sys.version_info[:2]):
            assert pages.pattern(text).search(shown), shown
        assert pages.pattern(entry.front["mended"]).search(mended), mended
        assert not any(pages.pattern(text).search(mended) for text in entry.errors), mended
        assert left(kernel) <= before
        assert kernel.cell(FORGET).ename is None
    except BaseException:
        two_kernels.replace(kernel)
        raise


@once
@each
def test_its_front_matter_says_what_to_look_for(entry):
    assert entry.front.items() >= FRONT.items()
    assert set(entry.front) <= KEYS
    assert "error" in entry.front or "symptom" in entry.front
    assert ("error" in entry.front) != ("shows" in entry.front)
    assert entry.front["mended"] and entry.front["keywords"]


@once
@each
def test_its_form_is_that_of_all(entry):
    blocks = markdown.blocks(entry.text)
    assert [level for level, _ in markdown.headings(blocks)] == [1]
    assert happened.parts(entry) == happened.PARTS
    _, answer, first, second, *_ = [one for one in blocks if one["type"] != "blank_line"]
    assert answer["type"] == "paragraph" and len(markdown.words(answer).split()) <= MOST_WORDS
    assert "block_code" in (first["type"], second["type"]), "after the answer comes the example"
    assert not markdown.html(blocks)
    assert not [c for c in entry.text if unicodedata.category(c) == "So"]
    assert {cell.part for cell in happened.cells(entry)} == {"", "What to do."}


@once
@each
def test_its_links_lead_to_the_lessons_that_it_names(entry):
    linked = []
    for _, words, target in markdown.links(markdown.blocks(entry.text)):
        assert "://" not in target, target
        file, _, anchor = unquote(target).partition("#")
        there = (entry.path.parent / file).resolve()
        assert there.exists(), f"[{words}]({target})"
        if there in LESSONS:
            assert not anchor or anchor in anchors(read(there)), f"[{words}]({target})"
            linked.append("#".join(filter(None, [there.name[:2], anchor])))
    assert linked == entry.front["lesson"]


@once
@each
def test_its_lines_fit_a_classroom_screen_and_reach_nowhere(entry):
    for cell in happened.cells(entry):
        assert all(len(line) <= 88 for line in cell.source.splitlines())
        assert len(cell.source.splitlines()) <= 25, "the shortest example that shows it"
        for host in re.findall(r"https?://([^\s/\"'\\}{]+)", cell.source):
            assert host.split(":")[0] == "127.0.0.1", host
        assert not re.search(r"^\s*[!%]", cell.source, flags=re.M), cell.source


@once
def test_ruff_would_write_the_cells_as_they_are(tmp_path):
    for entry in ENTRIES:
        for number, cell in enumerate(happened.cells(entry)):
            file = tmp_path / f"{entry.path.stem}_{number}.ipynb.py"
            file.write_text(cell.source + "\n", encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", "format", "--diff", "--isolated", "--line-length=88"]
    done = subprocess.run([*ruff, tmp_path], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout


@once
def test_the_page_lists_every_entry_by_its_error_or_its_symptom():
    text = pages.page(iter(ENTRIES))
    assert all(entry.answer in text for entry in ENTRIES)
    listed = markdown.links(markdown.blocks(text))
    assert {link.target for link in listed} == {entry.path.name for entry in ENTRIES}
    words = [link.words for link in listed]
    for entry in ENTRIES:
        symptom = [entry.front["symptom"]] if "symptom" in entry.front else []
        assert {*entry.errors, *symptom} <= set(words)


@once
def test_a_text_of_one_python_is_that_of_the_later_ones_too():
    entry = pages.Entry(Path("x.md"), {"error": {"3.11": "old", "3.14": "new"}}, "# X")
    said = [entry.shows((3, minor)) for minor in (11, 13, 14, 15)]
    assert said == [["old"], ["old"], ["new"], ["new"]]
    assert entry.errors == ["old", "new"]


@once
def test_a_text_with_an_ellipsis_finds_what_it_stands_for():
    found = pages.pattern("coroutine '…' was never (ever) awaited")
    assert found.search("x coroutine 'a.b' was never (ever) awaited\n")
    assert not found.search("coroutine was never (ever) awaited")


@once
def test_a_file_without_front_matter_is_named(tmp_path):
    Path(tmp_path, "bare.md").write_text("# Bare\n", encoding="utf-8")
    with pytest.raises(ValueError, match="bare.md"):
        list(pages.entries(tmp_path))
