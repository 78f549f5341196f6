"""A recording to step through: who runs, who is ready, who waits for what, at every instant.

    explore(rec)              # play, step forward and back, or scrub
    explore(rec, ask=True)    # asks "What runs next?" before it shows it

In JupyterLab it is a player. Where nobody can press a button (a notebook run by nbconvert or nbval,
a terminal) it is the timeline of the recording and the first instants in words.
"""

import bisect
import collections
import collections.abc
import html
import linecache
import sys
import threading

import ipywidgets

from helpers.basics.places import place
from helpers.recording.instants import TIMERS, Instants
from helpers.recording.model import STATES, TALK, Recording

__all__ = ["explore", "Explorer"]

SHOWN = 12  # entries of a list, and instants of the text
CHOICES = 6  # buttons of a question, "nothing" among them
_PACE = 900  # ms an instant while it plays
WIDGET = "application/vnd.jupyter.widget-view+json"
_TITLES = {"timer": "Timers", "socket": "Sockets", "other": "Futures, tasks, locks"}
_ENDS = {"done": "is done", "failed": "fails", "cancelled": "is cancelled"}
_CAUSES = {
    "timer": "its timer",
    "socket": "its socket",
    "executor": "a thread of the executor",
    "callback": "a callback",
    "cancel": "a cancellation",
}


def explore(rec, *, ask=False):
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
            f"explore needs a recording, and this is {_a(type(rec).__name__)}. "
            "Make one by `with record() as rec: run(main())`, then explore(rec)"
        )
    if rec.live is not None:
        raise ValueError("the recording is still under way: call explore after its `with`")
    story = _Tasks(rec)
    if not len(story):
        story = _Talks(rec)
    if not len(story):
        what = (
            "only jobs, which run side by side: timeline(rec) shows them"
            if rec.lanes
            else ("nothing: only what starts inside the `with` is recorded")
        )
        raise ValueError(f"there is nothing to step through. The recording holds {what}")
    return story


def _a(noun):
    return f"an {noun}" if noun[0] in "aeiouAEIOU" else f"a {noun}"


class Explorer:
    """A recording and the instant that is shown. Instants count from 1.

    at: the instant shown. newest: the latest that may be shown (with ask, what was answered).
    right, asked: answers. said: what the last answer was told.
    """

    def __init__(self, story, ask):
        self._story = story
        self.ask = ask
        self.count = len(story)
        self.at = 1
        self.newest = 1 if ask else self.count
        self.right = self.asked = 0
        self.said = ""
        self._player = None

    def move(self, to):
        """Show instant `to`, or the nearest one that may be shown."""
        self.at = min(max(to, 1), self.newest)

    def choices(self):
        """{name: lane} of what may run next, and "nothing: it waits": None. {} without a next."""
        if self.newest == self.count:
            return {}
        return self._story.choices(self.newest - 1)

    def answer(self, lane):
        """Say which lane runs next (None: nothing does); what does is shown then."""
        told = self._story.judge(self.newest - 1, lane)
        right = self._story.runs(self.newest) == lane
        self.asked += 1
        self.right += right
        self.said = f"{'Right' if right else 'Not so'}: {told}"
        self.newest += 1
        self.at = self.newest

    @property
    def view(self):
        """The instant shown, as a View."""
        secret = self.ask and self.at == self.newest < self.count
        return self._story.view(self.at - 1, secret)

    @property
    def text(self):
        """The first dozen instants in words, and how many there are."""
        shown = min(self.count, SHOWN)
        lines = [f"{self._story.title()} Instants 1 to {shown} of {self.count}:"]
        lines += [f"{k + 1:>2}. {self._story.view(k, False).text}" for k in range(shown)]
        if shown < self.count:
            lines.append(f"And {self.count - shown} more.")
        return "\n".join(lines)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/html": self._picture(), "text/plain": self.text}
        if somebody_is_there():
            if self._player is None:
                self._player = _Player(self)
            widget = self._player.box
            bundle[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
        return bundle

    def _picture(self):
        """What is left where no widget is shown: the timeline, and the text folded away."""
        from helpers.pictures.timeline import timeline

        figure = timeline(self._story.rec)._repr_mimebundle_()["text/html"]
        first, *lines = self.text.splitlines()
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        return (
            f"{figure}<details><summary>{html.escape(first)}</summary>"
            f'<ul style="list-style: none">{items}</ul></details>'
        )


def somebody_is_there():
    """Is there a front end where somebody can press a button?

    A kernel can't know what shows its outputs. But whoever runs notebooks by themselves (nbclient,
    nbconvert, nbval, papermill) says with each cell that nobody will answer an `input()`. A widget
    made for them would end as a broken one in the page that nbconvert writes.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return False
    request = shell.get_parent() or {}
    return bool(request.get("content", {}).get("allow_stdin", True))


# What is shown of an instant


class View:
    """An instant in words.

    time: in words. head: which instant, and when. prose: sentences.
    lines: (what, place, source text).
    boxes: (title, entries, are they in order?).
    """

    def __init__(self, time, head, prose, lines, boxes):
        self.time = time
        self.head = head
        self.prose = list(prose)
        self.lines = list(lines)
        self.boxes = list(boxes)

    @property
    def text(self):
        at = "; ".join(f"{what} {where}" for what, where, _ in self.lines)
        boxes = " ".join(
            f"{title}: {', '.join(entries[:SHOWN])}{_more(entries, ' and {} more')}."
            for title, entries, _ in self.boxes
            if entries
        )
        return " ".join(filter(None, [f"{self.time}:", *self.prose, at and f"({at})", boxes]))

    def html(self, live):
        """live: role of the sentences, so that a screen reader says them."""
        lines = "".join(
            f"<tr><th scope='row'>{what}</th><td>{html.escape(where)}</td>"
            f"<td><code>{html.escape(text)}</code></td></tr>"
            for what, where, text in self.lines
        )
        boxes = "".join(_box(*box) for box in self.boxes)
        return (
            f"<div class='explorer'><p role='{live}'><span>{html.escape(self.head)}.</span> "
            f"<strong>{html.escape(self.prose[0])}</strong> "
            f"{html.escape(' '.join(self.prose[1:]))}</p>"
            f"<div class='explorer-lines'><table><tbody>{lines}</tbody></table></div>"
            f"<div class='explorer-boxes'>{boxes}</div></div>"
        )


def _box(title, entries, ordered):
    tag = "ol" if ordered else "ul"
    items = "".join(f"<li>{html.escape(entry)}</li>" for entry in entries[:SHOWN])
    items = f"<{tag}>{items}</{tag}>" if entries else "<p>nobody</p>"
    more = _more(entries, "<p>and {} more</p>")
    return f"<div><p><strong>{title}</strong> ({len(entries):,})</p>{items}{more}</div>"


def _more(entries, words):
    return words.format(f"{len(entries) - SHOWN:,}") if len(entries) > SHOWN else ""


def _joined(parts):
    """["a", "b", "c"] → "a, b and c"; what is too long is counted."""
    if len(parts) > SHOWN:
        parts = [*parts[: SHOWN - 1], f"{len(parts) - SHOWN + 1:,} more"]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


class _Told:
    """What both kinds of story share."""

    def __init__(self, rec):
        self.rec = rec
        self.short = rec.duration < 0.5 and rec.clock == "real"

    def name(self, lane):
        return self.rec.lanes[lane].name

    def time(self, seconds):
        if self.short and seconds < 1:
            return f"{seconds * 1e3:.3f} ms"
        return f"{seconds:.3f} s"

    def named(self, lanes):
        """{name: lane} in the order in which they were created; of one name, told apart."""
        names = {}
        for lane in sorted(lanes):
            name = self.name(lane)
            names[f"{name} (lane {lane})" if name in names else name] = lane
        return names

    def head(self, k, seconds):
        virtual = " of virtual time" if self.rec.clock == "virtual" else ""
        return f"Instant {k + 1} of {len(self):,}, at {self.time(seconds)}{virtual}"


class _Tasks(_Told):
    """The instants of loops, told in words."""

    def __init__(self, rec):
        super().__init__(rec)
        self.instants = Instants(rec)
        self.selecting = {track.lane for track in rec.tracks if track.selects}

    def __len__(self):
        return len(self.instants)

    def title(self):
        virtual = " of virtual time" if self.rec.clock == "virtual" else ""
        return f"What the loop did in {self.time(self.rec.duration)}{virtual}, step by step."

    def runs(self, k):
        """The lane that runs at instant k; None where the loop waits."""
        return self.instants[k].lane

    def view(self, k, secret):
        """Instant k as a View. secret: keep to yourself who wakes while the loop waits."""
        instant = self.instants[k]
        tell = self.tell_select if instant.lane is None else self.tell_step
        number, loops = self.instants.loop_of(k)
        head = self.head(k, instant.start)
        if loops > 1:
            head += f", loop {number} of {loops}"
        return View(
            self.time(instant.start),
            head,
            tell(k, instant, secret),
            self.lines(instant),
            self.boxes(k),
        )

    def tell_step(self, k, instant, secret):
        name = self.name(instant.lane)
        woken = instant.woken
        if woken is None:
            yield f"{name} runs."
        else:
            yield f"{name} runs: it was woken by {self.cause(woken)}."
        yield from self.effects(k, instant.lane)
        if instant.then == "hands over":
            yield "Then it hands over, and joins the end of the queue."
        elif instant.then == "waits":
            yield f"Then it {self.waits(instant)}."
        elif instant.then is not None:
            error = f": {instant.detail}" if instant.detail else ""
            yield f"Then it {_ENDS[instant.then]}{error}."

    def tell_select(self, k, instant, secret):
        where = " in select" if instant.loop in self.selecting else ""
        yield f"Nobody is ready: the loop waits{where}."
        if secret:
            return
        yield from self.effects(k, None)
        if k + 1 == len(self):
            yield "Here the recording ends."

    def effects(self, k, runs):
        """What happened during instant k: who was created, cancelled, woken."""
        asked = []
        for mark in self.instants.marks.get(k, ()):
            name = self.name(mark.lane)
            if mark.kind == "cancel asked":
                asked.append(f"{name} is asked to cancel {mark.detail or ''}".rstrip() + ".")
            else:
                yield f"CancelledError is raised in {name}."
        created = collections.defaultdict(list)
        woken = collections.defaultdict(list)
        for stay in self.instants.causes.get(k, ()):
            if stay.cause == "created":
                created[self.rec.lanes[stay.lane].parent].append(self.name(stay.lane))
            elif stay.cause is None:
                woken["something unknown"].append(self.name(stay.lane))
            elif stay.cause != "hands over":
                woken[self.cause(stay.cause)].append(self.name(stay.lane))
        for parent, names in created.items():
            if parent is not None and parent == runs:
                yield f"It creates {_joined(names)}."
            else:
                yield f"{_joined(names)} {_is(names)} created."
        yield from asked
        for cause, names in woken.items():
            if cause.startswith("its ") and len(names) > 1:
                cause = f"their {cause[4:]}s"
            yield f"{_joined(names)} {_is(names)} woken by {cause}."

    def cause(self, wake):
        if wake.by is not None:
            return f"{self.name(wake.by)} ({wake.why})"
        return _CAUSES.get(wake.why, wake.why)

    def waits(self, since):
        """What a lane does whose step `since` ended in a wait."""
        if since.detail in TIMERS:
            return "sleeps" + ("" if since.until is None else f" until {self.time(since.until)}")
        return "waits in asyncio.wait" if since.detail == "wait" else f"waits for {since.detail}"

    def lines(self, instant):
        """The source lines between which the step ran."""
        if instant.went_on is not None:
            yield "from", place(*instant.went_on), _source(instant.went_on)
        if instant.stopped is not None and instant.then is not None:
            yield "to", place(*instant.stopped), _source(instant.stopped)

    def boxes(self, k):
        ready = self.instants.ready(k)
        yield "Ready queue", _Entries(ready, lambda stay: self.name(stay.lane)), True
        for kind, stays in self.instants.waiting(k).items():
            yield _TITLES[kind], _Entries(stays, self.entry), False

    def entry(self, stay):
        since = self.instants[stay.step]
        where = "" if since.stopped is None else f" ({place(*since.stopped)})"
        if since.detail in TIMERS and since.until is not None:
            return f"{self.name(stay.lane)} until {self.time(since.until)}{where}"
        return f"{self.name(stay.lane)}: {since.detail}{where}"

    # questions

    def choices(self, k):
        """{name: lane} of who may run after instant k, in the order in which they were created."""
        follows = self.instants[k + 1].lane
        ready = [stay.lane for stay in self.instants.queue_after(k)]
        last = self.instants[k].lane
        lanes = [lane for lane in (follows, *ready[:3]) if lane is not None]
        waits = self.instants.waiting(k + 1).values()
        waits = [stay.lane for stays in waits for stay in stays[:CHOICES]]
        lanes += [last] * (last in waits) + waits
        lanes = list(dict.fromkeys(lanes))[: CHOICES - 1]
        return self.named(lanes) | {"nothing: it waits": None}

    def judge(self, k, chosen):
        """Why what comes after instant k does, and the chosen lane does not (None: nothing)."""
        follows = self.instants[k + 1].lane
        queue = [stay.lane for stay in self.instants.queue_after(k)]
        waits = {
            stay.lane: self.instants[stay.step]
            for stays in self.instants.waiting(k + 1).values()
            for stay in stays
        }
        if follows is None:
            if chosen is None:
                return "Nobody is ready, so the loop waits."
            return f"{self.unready(chosen, waits)} Nobody is ready, so the loop waits."
        name, woken = self.name(follows), self.instants[k + 1].woken
        because = f"{name} was ready."
        if self.instants[k].lane is None and woken is not None:
            because = f"{name} was woken by {self.cause(woken)}."
            if woken.why == "timer":
                because = f"The timer of {name} was due first, at {self.time(woken.time)}."
        order = _joined([self.name(lane) for lane in queue])
        queued = f"The queue was: {order}; the loop takes the first."
        if follows not in queue:
            return f"{name} is eager: it ran at once, within the step that created it."
        if chosen == follows:
            return f"{because} {queued}"
        if chosen is None:
            return f"{because} The loop waits only when nobody is ready. {queued}"
        if chosen in queue:
            return f"{self.name(chosen)} was ready, but {name} came before it. {queued}"
        return f"{self.unready(chosen, waits)} {because} {queued}"

    def unready(self, lane, waits):
        since = waits.get(lane)
        if since is None:
            return f"{self.name(lane)} has ended."
        return f"{self.name(lane)} is not ready: it {self.waits(since)}."


class _Entries(collections.abc.Sequence):
    """Words for each of many stays, made when they are looked at."""

    def __init__(self, stays, words):
        self.stays = stays
        self.words = words

    def __len__(self):
        return len(self.stays)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self.words(stay) for stay in self.stays[i]]
        return self.words(self.stays[i])


def _is(names):
    return "is" if len(names) == 1 else "are"


def _source(where):
    file, line, _ = where
    return linecache.getline(file, line).strip()


# Generators and their callers


class _Talks(_Told):
    """The turns of generators, told in words: one instant each time that control moves."""

    def __init__(self, rec):
        super().__init__(rec)
        said = []  # (time, lane, kind, detail, state of the frame from then on)
        for talk in rec.talks:
            for i, kind in enumerate(talk.kinds):
                state = STATES[talk.states[i // 2]] if i % 2 else "running"
                said.append((talk.times[i], talk.lane, TALK[kind], talk.details[i], state))
        said.sort(key=lambda one: one[0])
        self.said = said
        self.frames = collections.defaultdict(lambda: ([], []))  # lane → instants, states
        self.stacks = []  # lanes that are in the midst of a call, innermost last
        stack = ()
        for k, (_, lane, _, _, state) in enumerate(said):
            if state == "running":
                stack = (*stack, lane)
            else:
                stack = tuple(one for one in stack if one != lane)
            self.stacks.append(stack)
            instants, states = self.frames[lane]
            instants.append(k)
            states.append(state)

    def __len__(self):
        return len(self.said)

    def title(self):
        return "What generators and their callers said, turn by turn."

    def runs(self, k):
        """The lane that runs after turn k."""
        return self.stacks[k][-1] if self.stacks[k] else self.rec.lanes[self.said[k][1]].parent

    def view(self, k, secret):
        """Turn k as a View; it has no secrets."""
        time, lane, kind, detail, state = self.said[k]
        name, caller = self.name(lane), self.name(self.rec.lanes[lane].parent)
        if state == "running":
            prose = [f"{caller} calls {name}: {kind}({detail or ''}).", f"{name} runs."]
        else:
            prose = [
                f"{name} answers {caller}: {kind} {detail or ''}".rstrip() + ".",
                f"{self.name(self.runs(k))} runs.",
            ]
        frames = [f"{self.name(lane)}: {self.frame(lane, k)}" for lane in self.frames]
        calls = [self.name(one) for one in self.stacks[k]]
        boxes = ("Under way, innermost last", calls, True), ("Frames", frames, False)
        return View(self.time(time), self.head(k, time), prose, (), boxes)

    def frame(self, lane, k):
        """The state of a generator's frame after turn k."""
        instants, states = self.frames[lane]
        i = bisect.bisect_right(instants, k)
        if not i:
            return "created"
        if states[i - 1] == "running" and self.stacks[k][-1] != lane:
            return "running (in a call of its own)"
        return states[i - 1]

    def choices(self, k):
        """{name: lane} of who may run after the next turn."""
        near = [self.runs(k + 1), self.runs(k)]
        lanes = dict.fromkeys(near + [lane for lane in self.callers_and_frames()])
        return self.named(list(lanes)[:CHOICES])

    def callers_and_frames(self):
        for lane in self.frames:
            yield self.rec.lanes[lane].parent
            yield lane

    def judge(self, k, chosen):
        """What comes after turn k."""
        return " ".join(self.view(k + 1, False).prose)


# The player


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

_STYLE = (
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


class _Player:
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
                min=1, max=self.slider.max, interval=_PACE, layout=ipywidgets.Layout(display="none")
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
        style = ipywidgets.HTML(_STYLE, layout=ipywidgets.Layout(display="none"))
        self.box = ipywidgets.VBox([style, ipywidgets.HBox(controls), self.screen, *rows])
        self.box.add_class("explorer-player")
        self.show()

    def button(self, words, tooltip, action):
        button = ipywidgets.Button(
            description=words, tooltip=tooltip, layout=ipywidgets.Layout(width="auto")
        )

        def clicked(_):
            with self.lock:
                action()

        button.on_click(clicked)
        return button

    def go(self, by):
        self.slider.value = self.explorer.at + by  # which calls `moved`

    def moved(self, change):
        with self.lock:
            self.explorer.move(change["new"])
            self.slider.value = self.explorer.at  # back to what may be shown
            self.show()

    def toggled(self, change):
        with self.lock:
            self.toggle.description = "Pause" if change["new"] else "Play"
            if change["new"] and self.explorer.at == self.explorer.count:
                self.slider.value = 1

    def answered(self, i):
        explorer = self.explorer
        lanes = list(explorer.choices().values())
        if i < len(lanes) and explorer.at == explorer.newest:
            explorer.answer(lanes[i])
            self.slider.max = _length(explorer)
            if self.slider.value == explorer.at:
                self.show()
            else:
                self.slider.value = explorer.at

    def show(self):
        explorer = self.explorer
        self.screen.value = explorer.view.html(self.role())
        self.back.disabled = explorer.at == 1
        self.forward.disabled = explorer.at == explorer.newest
        if explorer.ask:
            self.ask()

    def role(self):
        # The sentences are put into the page anew at each move. Of what is new, a screen reader
        # says an alert only; while it plays, nobody wants to hear them all.
        return "status" if self.play is not None and self.toggle.value else "alert"

    def ask(self):
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
        parts = [f"<p role='alert'>{html.escape(' '.join(filter(None, words)))}</p>"]
        self.told.value = (
            f"<div class='explorer'>{''.join(parts)}<p><strong>{question}</strong></p></div>"
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
