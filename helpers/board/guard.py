"""Who is let in: the room's code, the keys it is exchanged for, the teacher's token, and limits.

All secrets are compared in constant time. A code of three words can be guessed by trying, so tries
are limited; whoever is in has a key of 256 bits and is bothered by nobody's tries.
"""

import hashlib
import hmac
import secrets
import time
from typing import NamedTuple

WRONG_EACH, WRONG_ALL = 10, 200  # tries of a wrong code in a minute: of one address, of all
A_MINUTE = 60.0  # seconds
RATE, BURST = 20.0, 200.0  # events a second of one learner, and how many at once
MOST_LEARNERS = 1000


class Secrets(NamedTuple):
    """What a session is locked with; kept with its data, so that it can be gone on with."""

    code: str
    token: str
    salt: str

    @classmethod
    def drawn(cls, code: str) -> "Secrets":
        """New ones for a room with this code."""
        return cls(code, secrets.token_urlsafe(32), secrets.token_hex(32))

    def fits_code(self, said: str) -> bool:
        """Whether this is the room's code, however it is spaced and capitalised."""
        words = " ".join(said.lower().split())
        return hmac.compare_digest(words.encode(), self.code.encode())

    def fits_token(self, said: str) -> bool:
        """Whether this is the teacher's token."""
        return hmac.compare_digest(said.encode(), self.token.encode())

    def key_of(self, learner: str) -> str:
        """What this learner proves with that the code was right."""
        return hmac.new(self.salt.encode(), learner.encode(), hashlib.sha256).hexdigest()

    def fits_key(self, learner: str, said: str) -> bool:
        """Whether this is the learner's key."""
        return hmac.compare_digest(said.encode(), self.key_of(learner).encode())


class Tries:
    """Counts wrong codes: of each address, and of all."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}

    def allowed(self, address: str) -> bool:
        """Whether this address may try once more."""
        self._forget()
        total = sum(map(len, self._wrong.values()))
        return len(self._wrong.get(address, ())) < WRONG_EACH and total < WRONG_ALL

    def wrong(self, address: str) -> None:
        """Note a wrong try."""
        self._wrong.setdefault(address, []).append(time.monotonic())

    def _forget(self):
        since = time.monotonic() - A_MINUTE
        for address, times in list(self._wrong.items()):
            times[:] = [at for at in times if at > since]
            if not times:
                del self._wrong[address]


class Rates:
    """How many events each learner may send: a bucket that fills again."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens, when

    def allowed(self, learner: str, events: int) -> bool:
        """Whether the learner may send so many events now; if so, they are counted."""
        now = time.monotonic()
        tokens, at = self._buckets.get(learner, (BURST, now))
        tokens = min(BURST, tokens + (now - at) * RATE)
        fits = events <= tokens
        self._buckets[learner] = (tokens - events if fits else tokens), now
        return fits
