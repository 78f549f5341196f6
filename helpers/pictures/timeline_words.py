"""What a timeline shows, in words: its alt text, and the twin that stands where no picture can."""

import collections

from helpers.basics.words import listed, moment
from helpers.pictures.timeline_looks import cut
from helpers.pictures.timeline_panel import Panel

MOST_TURNS = 8  # of a generator's talk
MOST_TOLD = 10  # lanes in an alt text
PLURALS = {"process": "processes"}


def full_text(panel: Panel) -> str:
    """A line on the whole, and one for each lane."""
    return "\n".join([*_beginning(panel), *(_story(panel, lane) for lane in panel.lanes)])


def short_text(panel: Panel) -> str:
    """The same on one line, with the first lanes alone."""
    parts = [*_beginning(panel), *(_story(panel, lane) for lane in panel.lanes[:MOST_TOLD])]
    if len(panel.lanes) > MOST_TOLD:
        parts.append(f"And {len(panel.lanes) - MOST_TOLD} lanes more.")
    return " ".join(parts)


# The whole


def _beginning(panel):
    return [heading(panel), *([_outcomes(panel)] if panel.crowd else [])]


def heading(panel: Panel) -> str:
    """What is shown, in a sentence: how long, of how many."""
    rec = panel.rec
    clock = " of virtual time" if rec.clock == "virtual" else ""
    counts = collections.Counter(lane.kind for lane in panel.crowd or panel.lanes)
    lanes = listed(
        f"{n} {kind}" if n == 1 else f"{n} {PLURALS.get(kind, kind + 's')}"
        for kind, n in counts.items()
    )
    name = f"{panel.name}: " if panel.name else ""
    if panel.turns:
        return f"{name}Conversation of {lanes}."
    peak = f"; at most {rec.peak()} tasks in flight at once" if counts["task"] > 1 else ""
    return f"{name}Timeline of {moment(rec.duration)}{clock}: {lanes or 'no lanes'}{peak}."


def _outcomes(panel):
    outcomes = collections.Counter(lane.outcome for lane in panel.crowd)
    ends = listed(f"{n} {what or 'not ended'}" for what, n in outcomes.items())
    return f"In the end: {ends}. Some of them:"


# A lane


def _story(panel, lane):
    """What one lane did: a sentence."""
    tell = {
        "loop": _loop_story,
        "thread": _job_story,
        "process": _job_story,
        "caller": _caller_story,
        "generator": _generator_story,
    }
    return tell.get(lane.kind, _task_story)(panel, lane)


def _loop_story(panel, lane):
    took = collections.Counter()
    for span in panel.spans[lane.id]:
        took[span.state] += span.end - span.start
    parts = [f"ran steps for {moment(took['running'])}"]
    if took["selecting"]:
        parts.append(f"had nothing to do for {moment(took['selecting'])}")
    for span in panel.spans[lane.id]:
        if span.state == "blocked":
            long, at = moment(span.end - span.start), moment(span.start)
            parts.append(f"was blocked for {long} at {at} by {span.detail}")
    return f"The {lane.name} {listed(parts)}."


def _job_story(panel, lane):
    share = next((span.cpu for span in panel.spans[lane.id]), None)
    end = panel.rec.duration if lane.ended is None else lane.ended
    where = f" in {lane.detail}" if lane.detail and lane.outcome == "done" else ""
    parts = [f"ran{where} from {moment(lane.created)} on for {moment(end - lane.created)}"]
    if share is not None:
        parts.append(f"used {share:.0%} of a core")
    return f"{lane.name} {listed([*parts, _end(lane)])}."


def _caller_story(panel, lane):
    called = [one.name for one in panel.lanes if one.parent == lane.id]
    return f"The {lane.name} talked to {listed(called) or 'nobody'}."


def _generator_story(panel, lane):
    said = [mark for mark in panel.marks if mark.lane == lane.id]
    turns = []
    for asked, answer in zip(said[::2], said[1::2]):
        turns.append(f"{asked.kind}({asked.detail or ''}) with {answer.kind} {answer.detail or ''}")
    if len(turns) > MOST_TURNS:
        turns[MOST_TURNS:] = [f"{len(turns) - MOST_TURNS} turns more"]
    if not turns:
        return f"The generator {lane.name} was created and never ran."
    state, told = panel.spans[lane.id][-1].state, listed(turn.strip() for turn in turns)
    return f"The generator {lane.name} answered {told}; it is {state}."


def _task_story(panel, lane):
    took, reasons, steps = collections.Counter(), collections.Counter(), 0
    for span in panel.spans[lane.id]:
        took[span.state] += span.end - span.start
        steps += span.state == "running"
        if span.state == "waiting":
            reasons[span.detail] += span.end - span.start
    parts = [f"ran for {moment(took['running'])} in {steps} step{'' if steps == 1 else 's'}"]
    if not steps:
        parts = ["never ran"]
    parts += [f"waited {moment(t)} for {what}" for what, t in reasons.most_common(3)]
    if took["ready"] >= max(0.001, panel.end / 500):
        parts.append(f"waited {moment(took['ready'])} for its turn")
    for mark in panel.cancels():
        if mark.lane == lane.id:
            what = "was asked to cancel" if mark.kind == "cancel asked" else "was told so"
            parts.append(f"{what} {mark.detail or ''}".strip() + f" at {moment(mark.time)}")
    by = ""
    if lane.parent is not None:
        by = f", created by {panel.rec.lanes[lane.parent].name} at {moment(lane.created)},"
    return f"{lane.name}{by} {listed([*parts, _end(lane)])}."


def _end(lane):
    if lane.outcome is None:
        return lane.detail if lane.detail and lane.kind == "task" else "had not ended"
    at = moment(lane.ended)
    if lane.outcome == "failed":
        return f"failed at {at} with {cut(lane.detail or '', 80)}"
    return f"was {lane.outcome} at {at}"
