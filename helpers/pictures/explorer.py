"""A recording to step through: who runs, who is ready, who waits for what, at every instant.

    explore(rec)              # play, step forward and back, or scrub
    explore(rec, ask=True)    # asks "What runs next?" before it shows it

In JupyterLab it is a player. Where nobody can press a button (a notebook run by nbconvert or nbval,
a terminal) it is the timeline of the recording and the first instants in words.
"""

from markupsafe import Markup

from helpers.basics.words import article
from helpers.pictures.explorer_player import Player
from helpers.pictures.explorer_story import Story
from helpers.pictures.explorer_talks import Talks
from helpers.pictures.explorer_tasks import Tasks
from helpers.pictures.explorer_view import View
from helpers.pictures.html import bundle, element
from helpers.pictures.timeline import timeline
from helpers.pictures.widgets import with_widget
from helpers.recording.recording import Recording

__all__ = ["explore", "Explorer"]

INSTANTS = 12  # of the text


def explore(rec: Recording, *, ask: bool = False) -> "Explorer":
    """Step through a recording, instant by instant; show the result as a cell's last value.

    An instant is one step of a task, or a wait of the loop (in select, if it has a selector);
    where only generators were recorded, one turn of their talk.
    ask: ask "What runs next?" before each instant is shown, and count the right answers.
    Returns an `Explorer`. Raises TypeError for what is no recording, ValueError for one that holds
    nothing to step through.
    """
    return Explorer(_story(rec), ask)


def _story(rec):
    if isinstance(rec, dict):
        raise TypeError("explore steps through one recording: give it one of the dict's values")
    if not isinstance(rec, Recording):
        raise TypeError(
            f"explore needs a recording, and this is {article(type(rec).__name__)}. "
            "Make one by `with record() as rec: run(main())`, then explore(rec)"
        )
    if rec.live is not None:
        raise ValueError("the recording is still under way: call explore after its `with`")
    story = Tasks(rec)
    if not len(story):
        story = Talks(rec)
    if not len(story):
        what = (
            "only jobs, which run side by side: timeline(rec) shows them"
            if rec.lanes
            else ("nothing: only what starts inside the `with` is recorded")
        )
        raise ValueError(f"there is nothing to step through. The recording holds {what}")
    return story


class Explorer:
    """A recording and the instant that is shown. Instants count from 1.

    at: the instant shown. newest: the latest that may be shown (with ask, what was answered).
    right, asked: answers. said: what the last answer was told.
    """

    def __init__(self, story: Story, ask: bool) -> None:
        self._story = story
        self.ask = ask
        self.count = len(story)
        self.at = 1
        self.newest = 1 if ask else self.count
        self.right = self.asked = 0
        self.said = ""
        self._player = None

    def move(self, to: int) -> None:
        """Show instant `to`, or the nearest one that may be shown."""
        self.at = min(max(to, 1), self.newest)

    def choices(self) -> dict[str, int | None]:
        """{name: lane} of what may run next, and "nothing: it waits": None. {} without a next."""
        if self.newest == self.count:
            return {}
        return self._story.choices(self.newest - 1)

    def answer(self, lane: int | None) -> None:
        """Say which lane runs next (None: nothing does); what does is shown then."""
        told = self._story.judge(self.newest - 1, lane)
        right = self._story.runs(self.newest) == lane
        self.asked += 1
        self.right += right
        self.said = f"{'Right' if right else 'Not so'}: {told}"
        self.newest += 1
        self.at = self.newest

    @property
    def view(self) -> View:
        """The instant shown, as a View."""
        secret = self.ask and self.at == self.newest < self.count
        return self._story.view(self.at - 1, secret)

    @property
    def text(self) -> str:
        """The first dozen instants in words, and how many there are."""
        shown = min(self.count, INSTANTS)
        lines = [f"{self._story.title()} Instants 1 to {shown} of {self.count}:"]
        lines += [f"{k + 1:>2}. {self._story.view(k, False).text}" for k in range(shown)]
        if shown < self.count:
            lines.append(f"And {self.count - shown} more.")
        return "\n".join(lines)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return with_widget(bundle(self._picture(), self.text), self._widget)

    def _widget(self):
        if self._player is None:
            self._player = Player(self)
        return self._player.box

    def _picture(self):
        """What is left where no widget is shown: the timeline, and the text folded away."""
        figure = timeline(self._story.rec)._repr_mimebundle_()["text/html"]
        first, *lines = self.text.splitlines()
        items = element("ul", *(element("li", line) for line in lines), style="list-style: none")
        return Markup(figure) + element("details", element("summary", first), items)
