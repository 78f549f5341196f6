"""The belief behind a wrong answer to a program that an exercise shows."""

import ast
import re
import textwrap
from typing import Any

from helpers.beliefs.all import BELIEFS
from helpers.beliefs.world import TRUTH, Belief, run_in


def belief_behind(statement: str, asks: str, right: Any, answer: Any) -> Belief | None:
    """The one belief that predicts this wrong answer; None if there is none, or several, or if the
    statement shows no program that runs here.

    statement: of the exercise, code indented by four spaces.  asks: the name of what is asked for.
    right: the right answer; where the program doesn't give it in truth, it is not the program.
    """
    program = program_in(statement)
    if program is None or _given(TRUTH, program, asks, right) != right:
        return None
    found = [
        belief
        for belief in BELIEFS.values()
        if belief.matters(program) and _given(belief, program, asks, right) == answer != right
    ]
    return found[0] if len(found) == 1 else None


def program_in(statement: str) -> str | None:
    """The program in a statement, without the call that runs it; None if there is none."""
    blocks = [block for block in re.split(r"\n[ ]*\n", statement) if block.startswith("    ")]
    program = re.sub(r"(?m)^asyncio\.run\(main\(\)\)$", "", textwrap.dedent("\n\n".join(blocks)))
    try:
        ast.parse(program)
    except SyntaxError:
        return None
    return program if "async def main" in program or "yield" in program else None


def _given(world, program, asks, right):
    """The answer in this world, in the form of the right one."""
    outcome = run_in(world, program, asks=asks)
    if outcome.error or outcome.endless:
        return None
    if outcome.value is not None:
        return outcome.value
    printed = [line.text for line in outcome.lines]
    if isinstance(right, str):
        return "".join(printed)
    return outcome.at if isinstance(right, (int, float)) else printed
