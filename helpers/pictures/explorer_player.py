"""The player: the widgets that show a recording instant by instant, and ask what runs next."""

import threading
from collections.abc import Callable

import ipywidgets

from helpers.pictures.explorer_story import CHOICES
from helpers.pictures.html import element

PACE = 900  # ms an instant while it plays

# ipywidgets has no name for a slider's handle, which is what a screen reader reads: "slider, 1".
# The slider may come into the page after this does, so it is looked for until it is there.
_NAME = """
const box = this.closest('.explorer-player');
const observer = new MutationObserver(name);
function name() {
  const handle = box.querySelector('.noUi-handle');
  if (!handle) return observer.observe(box, {childList: true, subtree: true});
  handle.setAttribute('aria-label', 'Instant');
  observer.disconnect();
}
name();
"""

STYLE = (
    f'<style onload="{_NAME}">'
    """
.explorer { line-height: 1.45; color: var(--jp-content-font-color1, inherit); max-width: 62em }
.explorer p { margin: 2px 0 }
.explorer p > span { color: var(--jp-content-font-color2, inherit) }
.explorer > p { min-height: 2.9em }
.explorer-lines { min-height: 3.3em; overflow-x: auto }
.explorer table { border-collapse: collapse; margin: 4px 0 }
.explorer table th, .explorer table td { padding: 0 12px 0 0; text-align: left;
  background: none; white-space: nowrap; font-weight: normal; font-size: inherit }
.explorer table code { padding: 0 4px; background: var(--jp-layout-color2, #eee);
  color: inherit; white-space: pre }
.explorer-boxes { display: flex; flex-wrap: wrap; gap: 8px }
.explorer-boxes > div { flex: 1 1 13em; min-height: 5em; padding: 2px 10px;
  border: 1px solid var(--jp-border-color1, #999) }
.explorer ol, .explorer ul { margin: 0; padding-left: 1.6em }
</style>"""
)


class Player:
    """The widgets that show an Explorer and move it."""

    def __init__(self, explorer):
        self.explorer = explorer
        # A front end may run callbacks beside one another (sub-shells, one for each widget).
        self.lock = threading.RLock()
        self.screen = ipywidgets.HTML()
        self.slider = ipywidgets.IntSlider(
            value=explorer.at,
            min=1,
            max=_length(explorer),
            description="Instant",
            tooltip="Arrow keys step, Home and End go to the ends; or type a number at the right",
            layout=ipywidgets.Layout(flex="1 1 auto", max_width="36em"),
        )
        self.slider.observe(self.moved, "value")
        self.back = self.button("Back", "One instant back", lambda: self.go(-1))
        self.forward = self.button("Forward", "One instant forward", lambda: self.go(+1))
        controls = [self.back, self.forward, self.slider]
        self.told = ipywidgets.HTML()
        self.play = None
        self.answers = []
        rows = []
        if explorer.ask:
            self.answers = [
                self.button("", "", lambda i=i: self.answered(i)) for i in range(CHOICES)
            ]
            rows = [
                self.told,
                ipywidgets.HBox(self.answers, layout=ipywidgets.Layout(flex_flow="row wrap")),
            ]
        else:
            # It plays in the browser, and goes on while a cell keeps the kernel busy. Its own
            # buttons are pictures without a name, so another button, with one, plays it.
            self.play = ipywidgets.Play(
                min=1, max=self.slider.max, interval=PACE, layout=ipywidgets.Layout(display="none")
            )
            self.toggle = ipywidgets.ToggleButton(
                description="Play",
                tooltip="Play from this instant on",
                layout=ipywidgets.Layout(width="auto"),
            )
            self.toggle.observe(self.toggled, "value")
            # The links live as long as the kernel keeps them: they must not be dropped.
            self.links = (
                ipywidgets.jslink((self.play, "value"), (self.slider, "value")),
                ipywidgets.jslink((self.toggle, "value"), (self.play, "playing")),
            )
            controls = [self.toggle, *controls, self.play]
        style = ipywidgets.HTML(STYLE, layout=ipywidgets.Layout(display="none"))
        self.box = ipywidgets.VBox([style, ipywidgets.HBox(controls), self.screen, *rows])
        self.box.add_class("explorer-player")
        self.show()

    def button(self, words: str, tooltip: str, action: Callable[[], None]) -> ipywidgets.Button:
        """A button that does one thing at a time."""
        button = ipywidgets.Button(
            description=words, tooltip=tooltip, layout=ipywidgets.Layout(width="auto")
        )

        def clicked(_):
            with self.lock:
                action()

        button.on_click(clicked)
        return button

    def go(self, by: int) -> None:
        """Move by so many instants."""
        self.slider.value = self.explorer.at + by  # which calls `moved`

    def moved(self, change: dict) -> None:
        """The slider stands elsewhere."""
        with self.lock:
            self.explorer.move(change["new"])
            self.slider.value = self.explorer.at  # back to what may be shown
            self.show()

    def toggled(self, change: dict) -> None:
        """It begins to play, or pauses."""
        with self.lock:
            self.toggle.description = "Pause" if change["new"] else "Play"
            if change["new"] and self.explorer.at == self.explorer.count:
                self.slider.value = 1

    def answered(self, i: int) -> None:
        """Somebody pressed the answer with this number."""
        explorer = self.explorer
        lanes = list(explorer.choices().values())
        if i < len(lanes) and explorer.at == explorer.newest:
            explorer.answer(lanes[i])
            self.slider.max = _length(explorer)
            if self.slider.value == explorer.at:
                self.show()
            else:
                self.slider.value = explorer.at

    def show(self) -> None:
        """Put the instant, and what can be pressed, as the explorer has it."""
        explorer = self.explorer
        self.screen.value = explorer.view.html(self.role())
        self.back.disabled = explorer.at == 1
        self.forward.disabled = explorer.at == explorer.newest
        if explorer.ask:
            self.ask()

    def role(self) -> str:
        """The role of the sentences in the page."""
        # The sentences are put into the page anew at each move. Of what is new, a screen reader
        # says an alert only; while it plays, nobody wants to hear them all.
        return "status" if self.play is not None and self.toggle.value else "alert"

    def ask(self) -> None:
        """Put the question, or what became of the last one."""
        explorer = self.explorer
        choices = explorer.choices()
        newest = explorer.at == explorer.newest
        score = f"{explorer.right} of {explorer.asked} right." if explorer.asked else ""
        words = [explorer.said, score] if newest else []
        question = "What runs next?"
        if not choices:
            question = "That was the last instant."
        elif not newest:
            question = f"Go forward to instant {explorer.newest} to answer what runs next."
        self.told.value = element(
            "div",
            element("p", " ".join(filter(None, words)), role="alert"),
            element("p", element("strong", question)),
            class_="explorer",
        )
        for i, button in enumerate(self.answers):
            name = list(choices)[i] if i < len(choices) else ""
            with button.hold_sync():
                button.description = name
                button.tooltip = f"Next runs: {name}" if name else ""
                button.disabled = not newest
            button.layout.display = None if name else "none"


def _length(explorer):
    """Of the slider: one of length 1 can't be drawn."""
    return max(explorer.newest, 2)
