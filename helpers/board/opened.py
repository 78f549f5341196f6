"""The class that is open on this machine, for those who start learners' kernels here: a hub."""

from pathlib import Path

from helpers.basics.records import folder

LOCAL = "127.0.0.1"


def room() -> str | None:
    """What ASYNC_COURSE_ROOM is to be, the address and the words; None if no class is open."""
    try:
        return _file().read_text(encoding="utf-8")
    except OSError:
        return None


def opens(port: int, code: str) -> None:
    """Note, for this user alone, that a class is open on this port with this code."""
    file = _file()
    file.touch(mode=0o600)
    file.write_text(f"http://{LOCAL}:{port} {code}", encoding="utf-8")


def closes() -> None:
    """Note that it is over."""
    _file().unlink(missing_ok=True)


def classes() -> Path:
    """The folder in which the board keeps what it was told."""
    return folder() / "classes"


def _file() -> Path:
    return classes() / "open.txt"
