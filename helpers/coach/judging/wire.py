"""What kernel and judge say to each other: a length, then a pickle of (word, content)."""

import pickle
import struct
from typing import IO

HEAD = struct.Struct("!Q")


def write(pipe: IO[bytes], thing: object) -> None:
    """Write one message. Raises OSError when nobody reads any more."""
    data = pickle.dumps(thing)
    pipe.write(HEAD.pack(len(data)) + data)
    pipe.flush()


def read(pipe: IO[bytes]) -> object:
    """Read one message; raises EOFError at the end of the pipe."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    return pickle.loads(pipe.read(*HEAD.unpack(head)))
