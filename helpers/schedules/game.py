"""`play(program)`: choose what arrives next, and try to break the program."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from helpers.basics.shell import show
from helpers.basics.words import count
from helpers.coach import cards
from helpers.pictures.html import bundle, element
from helpers.schedules.orders import FIFO, Orders, drawn, listed_steps, numbered, searched
from helpers.schedules.replaying import Ended, Game, game_of, in_a_thread, run_once
from helpers.schedules.searching import must_be_the_same

if TYPE_CHECKING:
    import ipywidgets


def play(
    program: Callable[[], Any],
    *,
    right: Callable[[Any], bool] | None = None,
    jitter: float = 0.0,
    cancel: str | Collection[str] = (),
) -> "Play":
    """A game: the learner chooses what arrives next, and wins when that breaks the program.

    program: an async function without arguments, run anew at each choice. What may vary in it are
    its `arrival`s, and the sleeps and other timers that are due at the same moment.
    right: says whether what the program returned is right. An error that gets out of the program
    and a deadlock break it too.
    jitter: how many seconds late a sleep may end; `math.inf` lets sleeps end in any order. With
    less, what arrives during a sleep is taken to come halfway through what is left of it.
    cancel: a task's name, or several: each of these may be cancelled once, wherever it waits.

    Returns a `Play`, which a cell shows. Raises TypeError for what is no program; ValueError if it
    can't be played, because it doesn't end, holds its thread, or reaches past its loop.
    """
    return Play(game_of(program, right, jitter, cancel))


class Play:
    """A game under way. `choose` goes on, `back` takes a choice back, `restart` takes back all.

    now: the run so far, or the whole of it if it is over.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._found: Orders | None = None
        self._gave_up = False
        self._taken: tuple[int, ...] = ()
        self.now = self._run()

    @property
    def choices(self) -> tuple[str, ...]:
        """What can come next; nothing when the game is over."""
        return self.now.could

    @property
    def won(self) -> bool:
        """Whether the program is broken."""
        return bool(self.now.broken)

    # what a learner does

    def choose(self, what: str | int) -> None:
        """Let this come next, and show what comes of it.

        what: its name, or its number in the list, from 1.
        Raises ValueError, naming what there is, if that can't come.
        """
        names = self.choices
        if not names:
            raise ValueError("the game is over: take a choice back with back(), or restart()")
        if what in names:
            self.take(names.index(what))
        elif isinstance(what, int) and 1 <= what <= len(names):
            self.take(what - 1)
        else:
            there = ", ".join(f'{number} "{name}"' for number, name in enumerate(names, 1))
            raise ValueError(f"{what!r} can't come now; this can: {there}")
        show(self.card())

    def back(self) -> None:
        """Take the last choice back, and show where that leads."""
        self.take_back()
        show(self.card())

    def restart(self) -> None:
        """Begin anew."""
        self.start_again()
        show(self.card())

    def shortest(self) -> None:
        """Give up: show the shortest order that breaks the program, if one does."""
        self.give_up()
        show(self.card())

    # without showing it, for the buttons

    def take(self, index: int) -> None:
        """Let the choice with this index come next."""
        self._go((*self.now.taken, index))

    def take_back(self) -> None:
        """Take the last choice back; without one, nothing happens."""
        self._go(self._taken[:-1])

    def start_again(self) -> None:
        """Take all choices back."""
        self._go(())

    def give_up(self) -> None:
        """Let the shortest order be shown from now on."""
        self._gave_up = True

    def _go(self, taken):
        before, self._taken = self._taken, taken
        names = [step.name for step in self.now.choices][: len(taken)]
        if len(taken) > len(names) and taken[-1] < len(self.choices):
            names.append(self.choices[taken[-1]])
        try:
            now = self._run()
            must_be_the_same(tuple(names), tuple(step.name for step in now.choices))
        except (ValueError, IndexError):
            self._taken = before
            raise
        self.now = now

    def _run(self):
        return in_a_thread(lambda runs: run_once(self._game, self._taken, to_end=False))

    @property
    def machine(self) -> Orders:
        """What the search found, which is begun when it is first asked for."""
        if self._found is None:
            self._found = Orders(self._game, searched(self._game))
        return self._found

    # what is shown

    def said(self) -> list[str]:
        """How the game stands, in sentences."""
        now = self.now
        if now.could:
            sentences = ["What comes next?"]
        elif self.won and not now.choices:
            sentences = [f"**It breaks by itself**, with nothing to choose: {now.broken}."]
        elif self.won:
            sentences = [f"**You broke it in {count(len(now.choices), 'choice')}:** {now.broken}."]
            sentences.append(self._compared())
        else:
            returned = "" if now.value is None else f", and it returned {now.value!r:.100}"
            more = "Take a choice back, or start again."
            if not now.choices:
                more = "There was nothing to choose: two arrivals are never open at once."
            sentences = [f"**It held**{returned}. {more}"]
        return sentences

    def _compared(self):
        """The learner's order and the machine's, in a sentence."""
        mine, best = len(self.now.choices), self.machine.choices
        if best is None or mine <= best:
            return "No order that the search has found is shorter."
        names = "; ".join(self.machine.schedule)
        return f"The shortest takes {count(best, 'choice')}: {names}."

    def _shorter(self) -> Ended | None:
        """The machine's order, where it is to be shown."""
        if self.won:
            shorter = len(self.now.choices) > (self.machine.choices or 0)
            return self.machine.shortest if shorter else None
        return self.machine.shortest if self._gave_up else None

    def _runs(self) -> dict[str | None, Ended]:
        """What is drawn."""
        runs = {"your order": self.now} if self.won else {}
        if self._shorter() is not None:
            runs["the shortest order"] = self._shorter()
        return runs

    @property
    def text(self) -> str:
        """How the game stands, in plain text."""
        now, lines = self.now, []
        if now.steps:
            lines += ["What has come:", *numbered(now.told)]
        lines += self._printed()
        if now.waits:
            lines += ["Who waits:", *(f"- {wait}" for wait in now.waits)]
        if self._gave_up and not self.won:
            lines += ["The search says:", self.machine.text]
        lines += [sentence.replace("**", "") for sentence in self.said()]
        lines += numbered(now.could)
        if now.could:
            lines.append("Answer with .choose(a number, or a name); .back() takes a choice back.")
        return "\n".join(lines)

    def _printed(self):
        printed = "".join([*(step.printed for step in self.now.steps), self.now.printed])
        return ["It has printed:", printed.rstrip("\n")] if printed else []

    def html(self) -> Markup:
        """How the game stands, with the timelines when it is over."""
        now = self.now
        colour = "solved" if self.won else "not started" if now.could else "not yet"
        said = [cards.paragraph(sentence) for sentence in self.said()]
        if now.could:
            names = (element("li", name) for name in now.could)
            said.append(element("ul", *names, style=cards.CLOSE))
        parts = [element("div", *said, role="alert")]
        if now.steps:
            parts.append(cards.paragraph("What has come:"))
        parts.append(listed_steps(now))
        if printed := self._printed():
            parts += [cards.paragraph(printed[0]), cards.preformatted(printed[1])]
        if self._gave_up and not self.won:
            parts.append(cards.paragraph(f"The search says: {self.machine.verdict}"))
            if self.machine.shortest is not None:
                parts.append(listed_steps(self.machine.shortest))
        shown = cards.box(cards.COLOURS[colour], element("div", *parts, style="line-height: 1.45"))
        if runs := self._runs():
            figure = drawn(self._game, runs if len(runs) > 1 else {None: next(iter(runs.values()))})
            shown += Markup(figure._repr_mimebundle_()["text/html"])
        return shown

    def card(self) -> cards.Card:
        """How the game stands, to be shown."""
        return cards.Card(self.html(), self.text)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        shown = bundle(self.html() + cards.paragraph(FIFO), f"{self.text}\n{FIFO}")
        try:
            from helpers.pictures.widgets import with_widget
        except ImportError:  # ipywidgets, where the course's packages are not all there
            return shown
        return with_widget(shown, self.field)

    def field(self) -> "ipywidgets.Widget":
        """The game with buttons."""
        from helpers.schedules.field import field

        return field(self, FIFO)
