"""Drives JupyterLab in Chromium as a learner would: open, type, run, press stop, restart."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS_TO_START = 60
SECONDS_TO_ANSWER = 60
POLLING = 100  # ms; the usual way, once a drawn frame, waits for ever where nothing is drawn

OPEN = """async path => {
    const app = window.jupyterapp;
    await app.restored;
    const panel = await app.commands.execute('docmanager:open', {path, factory: 'Notebook'});
    await panel.context.ready; await panel.sessionContext.ready; await panel.revealed;
    app.shell.activateById(panel.id);
    window.panel = panel;
    // A command acts on the notebook in front, which may be another one that opens just then;
    // so each is told which one is meant.
    window.run = name => app.commands.execute(name, {semanticWidget: panel.id});
}"""
SET_SOURCE = """([index, source]) => {
    window.panel.content.model.cells.get(index).sharedModel.setSource(source);
}"""
RUN = """async index => {
    window.panel.content.activeCellIndex = index;
    window.panel.content.deselectAll();
    await window.run('notebook:run-cell');
}"""
CELLS = """() => window.panel.content.model.sharedModel.cells.map(cell => cell.toJSON())"""


@contextlib.contextmanager
def lab_server(folder):
    """Start JupyterLab by `course.py lab`; give its address. Settings and progress go to `folder`.

    Nothing is saved into the notebooks: autosave is off for this run alone.
    """
    settings = folder / "settings" / "@jupyterlab" / "docmanager-extension"
    settings.mkdir(parents=True)
    (settings / "plugin.jupyterlab-settings").write_text(json.dumps({"autosave": False}))
    config = folder / "config"
    config.mkdir()
    # Lets a test reach JupyterLab's own commands, which are steadier than clicks.
    (config / "jupyter_lab_config.json").write_text(
        json.dumps({"LabApp": {"expose_app_in_browser": True}})
    )
    env = os.environ | {
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(config),
        "ASYNC_COURSE_DATA": str(folder / "progress"),
    }
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "course.py"), "lab", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=env,
        start_new_session=True,
    )
    giving_up = threading.Timer(SECONDS_TO_START, server.kill)
    giving_up.start()
    said = []
    try:
        for line in server.stdout:
            said.append(line)
            address = re.search(r"http://127\.0\.0\.1:\d+/\S*token=\w+", line)
            if address:
                break
        else:
            raise RuntimeError("JupyterLab did not start:\n" + "".join(said))
        giving_up.cancel()
        # Its log is read on, or the pipe would fill and stop the server.
        threading.Thread(target=server.stdout.read, daemon=True).start()
        yield address.group()
    finally:
        giving_up.cancel()
        server.terminate()
        server.wait(SECONDS_TO_START)


@contextlib.contextmanager
def browser_page(address):
    """Open the address in Chromium; give the page once JupyterLab is restored."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(SECONDS_TO_ANSWER * 1000)
        page.goto(address)
        page.wait_for_function("() => window.jupyterapp", polling=POLLING)
        page.evaluate("() => window.jupyterapp.restored.then(() => true)")
        yield page
        browser.close()


@contextlib.contextmanager
def lab_page(folder):
    """A page of a JupyterLab of its own, which keeps its files in `folder`."""
    with lab_server(folder) as address, browser_page(address) as page:
        yield page


class Notebook:
    """One open notebook. Cells are counted from 0, Markdown cells among them."""

    def __init__(self, page, path):
        self.page = page
        page.evaluate(OPEN, path)

    def cells(self):
        return self.page.evaluate(CELLS)

    def find(self, words, nth=0):
        """Return the number of the nth cell whose source holds `words`."""
        found = [i for i, cell in enumerate(self.cells()) if words in "".join(cell["source"])]
        return found[nth]

    def set_source(self, index, source):
        self.page.evaluate(SET_SOURCE, [index, source])

    def run(self, index):
        """Run one cell to its end; return what it shows, as text."""
        self.page.evaluate(RUN, index)
        return self.text(index)

    def start(self, index):
        """Start one cell and come back while it runs."""
        self.page.evaluate(f"index => {{ ({RUN})(index); }}", index)
        self.page.wait_for_function(
            "() => window.panel.sessionContext.session.kernel.status === 'busy'", polling=POLLING
        )

    def run_all(self):
        """Run all cells to their end."""
        # The command is through at the first error, also at one that is meant, while the cells
        # go on.
        self.page.evaluate("async () => { await window.run('notebook:run-all-cells'); }")
        self.settle()

    def settle(self):
        """Come back when the kernel is through with all that it was asked until now."""
        # It answers in turn, so one more request is answered when all are.
        self.page.evaluate("""async () => {
            const kernel = window.panel.sessionContext.session.kernel;
            await kernel.requestExecute({code: '', store_history: false}).done; }""")

    def text(self, index):
        """Return the outputs of a cell in the form that a screen reader or a terminal gets."""
        parts = []
        for output in self.cells()[index]["outputs"]:
            if output["output_type"] == "error":
                parts.append(f"{output['ename']}: {output['evalue']}")
            else:
                plain = output.get("data", {}).get("text/plain", output.get("text", ""))
                parts.append("".join(plain))
        return "\n".join(parts)

    def show(self, index):
        """Scroll to a cell; return its element."""
        self.page.evaluate(
            """async index => {
            await window.panel.content.scrollToItem(index, 'start'); }""",
            index,
        )
        return self.page.locator(
            f".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell[data-windowed-list-index='{index}']"
        )

    def press_stop(self):
        """Press the toolbar's stop button; come back when the kernel is idle again."""
        self.page.locator(
            ".jp-NotebookPanel:not(.lm-mod-hidden) [data-command='notebook:interrupt-kernel']"
        ).click()
        self.page.wait_for_function(
            "() => window.panel.sessionContext.session.kernel.status === 'idle'", polling=POLLING
        )

    def restart_kernel(self):
        self.page.evaluate("""async () => {
            await window.panel.sessionContext.session.kernel.restart(); }""")

    def close(self):
        """Shut the kernel down and leave the notebook without saving it."""
        self.page.evaluate("""async () => {
            await window.panel.sessionContext.shutdown();
            window.panel.context.model.dirty = false;
            window.panel.dispose(); }""")
