"""What kernel and judge say to each other: the number of the check, what kind of message it is, a
length, and a pickle.

A number is drawn for each check, and nobody can guess it. So what an answer writes into a pipe that
it has found, and what a process says too late or twice, is passed over unread.
"""

import os
import pickle
import secrets
import struct
from collections.abc import Iterator

HEAD = struct.Struct("!16scQ")
READY, ASKED, BEGUN, MORE, VERDICT, END = b"R", b"A", b"B", b"M", b"V", b"E"
START = bytes(16)  # the number of what is said before anything was asked


def new_number() -> bytes:
    """The number of a check."""
    return secrets.token_bytes(16)


def packed(number: bytes, kind: bytes, content: object = None) -> bytes:
    """One message, as bytes."""
    data = pickle.dumps(content)
    return HEAD.pack(number, kind, len(data)) + data


def write(descriptor: int, data: bytes) -> None:
    """Write all of it. Raises OSError when nobody reads any more."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Messages:
    """The messages in a stream of bytes. number: of a check, if only what belongs to it counts."""

    def __init__(self, number: bytes = b""):
        self._number = number
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
        """The messages that are whole with these bytes: (number, kind, pickle, all of it)."""
        self._rest += data
        while self._find() and len(self._rest) >= HEAD.size:
            number, kind, length = HEAD.unpack_from(self._rest)
            end = HEAD.size + length
            if len(self._rest) < end:
                return
            whole = bytes(self._rest[:end])
            del self._rest[:end]
            yield number, kind, whole[HEAD.size :], whole

    def _find(self):
        """Pass over what stands before the number; is it there?"""
        begin = self._rest.find(self._number)
        if begin < 0:
            begin = max(0, len(self._rest) - len(self._number) + 1)  # it may have come in part
            del self._rest[:begin]
            return False
        del self._rest[:begin]
        return True
