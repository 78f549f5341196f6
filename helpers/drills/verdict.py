"""The verdict on an answer: right, or the belief that predicts just that, or the first line that
was wrong, with its reason from the recording.
"""

import textwrap
from typing import NamedTuple

from helpers.basics.words import listed, moment
from helpers.beliefs.all import BELIEFS
from helpers.beliefs.world import TRUTH, Belief, Outcome, run_in
from helpers.drills.answers import Answer, truth_of, words_in, words_of
from helpers.drills.template import LEFT, Program
from helpers.drills.weighing import SURE, Answered
from helpers.pictures.timeline import Figure, timeline
from helpers.recording.record import record
from helpers.recording.recording import Recording

MOST_SAID = 200  # characters of an answer that are said again
HAPPENS, PREDICTED = "what happens", "what you predicted"


class Verdict(NamedTuple):
    """What is said to an answer.

    belief: the wrong belief that is named, or None.  sentences: in order.  figure: of the truth,
    and under it what was predicted, if a belief is named.
    """

    right: bool
    belief: Belief | None
    sentences: tuple[str, ...]
    figure: Figure | None


class Recorded(NamedTuple):
    """A program's outcome in a world, and the recording."""

    outcome: Outcome
    recording: Recording


def recorded(world: Belief, program: Program) -> Recorded:
    """Run a program in a world and record it. RuntimeError if a recording is under way."""
    with record() as recording:
        outcome = run_in(world, program.source, program.name)
    return Recorded(outcome, recording)


def verdict_on(
    program: Program, said: str, answered: Answered, thought: dict[str, float], named: str | None
) -> Verdict:
    """The verdict on what was typed.

    answered: what it tells.  thought: the probabilities of the beliefs after it.  named: the
    belief that it shows, if one is sure.
    """
    truth = truth_of(program)
    if answered.right:
        return Verdict(True, None, (f"Right: {shown(truth)}.",), None)
    first = f"You said {textwrap.shorten(said, MOST_SAID, placeholder=' …')}. It is {shown(truth)}."
    happened = recorded(TRUTH, program)
    if named is None:
        sentences = [first, *_perhaps(answered, thought)]
        if not answered.ids or sum(thought[id] for id in answered.ids) < SURE:
            sentences.append(explained(program, said, happened))
        return Verdict(False, None, tuple(filter(None, sentences)), drawn(program, happened))
    belief = BELIEFS[named]
    predicted = recorded(belief, program)
    sentences = (
        first,
        f"You predicted what would happen if {belief.sentence}.",
        belief.truth,
    )
    return Verdict(False, belief, sentences, drawn(program, happened, predicted))


def shown(entries: Answer) -> str:
    """An answer on a line."""
    return ", ".join(entries) or "nothing"


def _perhaps(answered, thought):
    """The sentence on beliefs that predict the same, if it must be one of them."""
    likely = [id for id in answered.ids if thought[id] > 0.05]
    if len(likely) < 2 or sum(thought[id] for id in likely) < SURE:
        return []
    both = listed([f"if {BELIEFS[id].sentence}" for id in likely[:3]], "or")
    return [f"It would be so {both}. Another drill tells which: ask for one."]


def has_loop(program: Program) -> bool:
    """Whether an event loop runs the program; else it has no tasks and no time goes by."""
    return "async def" in program.source


def drawn(program: Program, happened: Recorded, predicted: Recorded | None = None) -> Figure | None:
    """The timeline of what happens, and under it of what was predicted; None of a program in which
    nothing is waited for.
    """
    if not has_loop(program):
        return None
    if predicted is None:
        return timeline(happened.recording)
    return timeline(
        {HAPPENS: happened.recording, PREDICTED: predicted.recording},
        mark=(parting(happened.outcome, predicted.outcome), "here they part"),
    )


def parting(one: Outcome, other: Outcome) -> float:
    """The first moment, in virtual seconds, at which two worlds print different things."""
    for mine, its in zip(one.lines, other.lines):
        if (mine.text, mine.at) != (its.text, its.at):
            return min(mine.at, its.at)
    longer = max(one.lines, other.lines, key=len)[min(len(one.lines), len(other.lines)) :]
    return longer[0].at if longer else min(one.at, other.at)


# Where no belief predicts it


def explained(program: Program, said: str, happened: Recorded) -> str:
    """The first wrong entry of an answer, and from the recording why it is another one.

    "" if there is nothing to be said beyond the right answer.
    """
    if program.asks == LEFT:
        return _about_left(said, happened.outcome)
    words, at = words_in(said), 0
    lines = happened.outcome.lines
    for number, entry in enumerate(truth_of(program), 1):
        own = list(words_of((entry,)))
        if words[at : at + len(own)] != own:
            if number > len(lines):
                return f"After {number - 1} lines comes {entry}."
            line = lines[number - 1]
            if not has_loop(program):
                return f"The first difference is line {number}, `{line.text}`."
            why = _why(line, happened.recording)
            return f"The first difference is line {number}, `{line.text}` at {line.at:g} s{why}."
        at += len(own)
    return "All lines are right; what you said after them is not printed."


def _about_left(said, outcome):
    wrong = sorted(set(words_in(said)) ^ set(outcome.left))
    if not wrong:
        return ""
    state = "unfinished" if wrong[0] in outcome.left else "done"
    return f"Main ends at {outcome.at:g} s, and `{wrong[0]}` is {state} then."


def _why(line, recording):
    """Why this line was printed at this moment: what woke its task."""
    if line.lane is None:
        return ""
    lane = recording.lanes[line.lane]
    wakes = [one for one in recording.wakes if one.lane == lane.id and one.time <= line.at]
    turns = sum(one.time == line.at for one in wakes) + (lane.created == line.at)
    if turns > 1:  # at this moment it had several turns, and times don't tell which was this one
        return ""
    if not wakes:
        if lane.parent is None:
            return f": `{lane.name}` has not paused before"
        maker = recording.lanes[lane.parent].name
        return f": `{lane.name}` was made by `{maker}` and runs when its turn comes"
    wake = wakes[-1]
    spans = [
        one for one in recording.spans(lane) if one.state == "waiting" and one.end <= wake.time
    ]
    where = f" at line {spans[-1].line}" if spans and spans[-1].line else ""
    if wake.why == "timer":
        since = f", {wake.time - spans[-1].start:g} s long," if spans else ""
        return f": the sleep of `{lane.name}`{where}{since} ended at {moment(wake.time)}"
    if wake.by is not None:
        return f": `{recording.lanes[wake.by].name}` woke `{lane.name}`{where} ({wake.why})"
    return f": `{lane.name}` was woken{where} ({wake.why})"
