"""`join("http://192.168.1.20:8890", "oak river seven")`, and its companions `leave` and `hand`.

Membership is kept beside the learner's progress, so it holds for later kernels too. On a hub the
variable ASYNC_COURSE_ROOM, the address and the three words with a space between, joins everybody.
"""

import contextlib
import functools
import json
import os
import secrets
import tempfile
from typing import NamedTuple

from helpers.basics.records import folder
from helpers.room.board_client import Address, Refused, Unreachable
from helpers.room.sending import Sender

VARIABLE = "ASYNC_COURSE_ROOM"
SENT = (
    "After each check, hint and guess your kernel sends which one it was, its outcome, the "
    "mistake's name, or your guess: never your code"
)


class Member(NamedTuple):
    """Who somebody is in a room. learner: drawn at random.  key: proves it to the board.
    number: the board's, to be called by.
    """

    address: str
    learner: str
    key: str
    number: int
    name: str = ""


def join(address: str, code: str, *, name: str = "") -> None:
    """Join the class at this address, with the three words that the teacher shows.

    name: shown to the teacher beside your number; nothing is shown unless you give one.

    It lasts for this kernel and later ones, until `leave()`. Says so, or why it could not be, in a
    sentence; nothing is sent before.
    """
    try:
        member = _enter(Address.of(address), code, name)
    except (ValueError, Refused, Unreachable) as error:
        print(f"{error} You have not joined.")
        return
    _stop()
    _sender.cache_clear()
    kept = _keep(member)
    called = f'as "{name}", number {member.number}' if name else f"as number {member.number}"
    never = "." if name else " or name."
    print(f"You are in the room at {member.address}, {called}. {SENT}{never} `leave()` ends it.")
    if not kept:
        print("It could not be kept: it lasts for this kernel only.")
        _session["member"] = member


def leave() -> None:
    """Leave the class: from now on nothing is sent."""
    was = _member() is not None
    _stop()
    _forget()
    _session["left"] = True
    _sender.cache_clear()
    print("You have left the room." if was else "You are in no room.")


def hand(up: bool = True) -> None:
    """Raise your hand, so that the teacher sees it; `hand(False)` lowers it."""
    sender = _sender()
    if sender is None:
        print('You are in no room: join("http://…", "three words here") first.')
    elif sender.ended:
        print("The class is over.")
    else:
        sender.put({"kind": "hand", "up": bool(up)})
        print("Your hand is up. `hand(False)` lowers it." if up else "Your hand is down.")


def told(kind: str, of: str, **details: object) -> None:
    """Tell the board, if there is one, what came of an exercise or a guess.

    kind: "check", "hint" or "guess".  of: its id.  details: as `helpers.board.events` lists them.
    Takes some microseconds and raises nothing: the coach goes on whatever becomes of the board.
    """
    with contextlib.suppress(Exception):
        sender = _sender()
        if sender is not None:
            sender.put({"kind": kind, "of": of, **details})


_session: dict = {}  # what this kernel alone knows: a member that couldn't be kept, or that it left


@functools.cache
def _sender() -> Sender | None:
    """What sends for this kernel; None if it is in no room."""
    member = _member()
    if member is not None:
        return Sender(Address.of(member.address), lambda: (member.learner, member.key), _forget)
    words = os.environ.get(VARIABLE, "").split(maxsplit=1)
    if len(words) == 2 and not _session.get("left"):
        # A hub's learners join in the background: a cell must not wait for the network.
        address = Address.of(words[0])

        def enter():
            entered = _enter(address, words[1], "")
            _keep(entered)
            return entered.learner, entered.key

        return Sender(address, enter, _forget)
    return None


def _enter(address, code, name):
    """Ask the board at this address to let us in. Raises Refused or Unreachable."""
    known = _member()
    learner = known.learner if known and known.address == str(address) else secrets.token_hex(16)
    answer = address.post(
        "join", {"code": " ".join(code.split()), "learner": learner, "name": name}
    )
    return Member(str(address), learner, answer["key"], answer["number"], name)


def _stop():
    sender = _sender()
    if sender is not None:
        sender.stop()


def _file():
    return folder() / "room.json"


def _member():
    """The Member that this learner is; None if none."""
    if "member" in _session:
        return _session["member"]
    try:
        return Member(**json.loads(_file().read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _keep(member):
    """Keep the membership for later kernels; returns whether it could be."""
    _session.clear()
    try:
        _file().parent.mkdir(parents=True, exist_ok=True)
        # Readable for its owner alone, for the key is in it, and whole or not there at all.
        number, name = tempfile.mkstemp(dir=_file().parent, prefix="room", suffix=".new")
        with open(number, "w", encoding="utf-8") as file:
            json.dump(member._asdict(), file)
        os.replace(name, _file())
    except OSError:
        return False
    return True


def _forget():
    _session.clear()
    with contextlib.suppress(OSError):
        _file().unlink(missing_ok=True)
