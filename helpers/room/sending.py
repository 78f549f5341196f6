"""Sends what happens to the board, in the background: no cell waits for a network.

Events wait in a queue and go out in order. Each has a number, so the board takes one that it got
twice for one; so whatever had no answer is sent again, with growing pauses, until it has one.
"""

import atexit
import collections
import contextlib
import secrets
import threading
import time
from collections.abc import Callable

from helpers.room.board_client import Address, Refused, Unreachable

MOST = 1000  # events that wait; then the oldest are dropped
AT_ONCE = 50  # events in a request
PAUSES = 1.0, 30.0  # seconds between two tries: the first, and the longest
AT_THE_END = 1.0  # seconds that a kernel which ends gives to what waits


class Sender:
    """A queue of events, and the thread that sends them; it starts with the first event.

    who: gives (learner, key), called on that thread and asked again until it succeeds.
    over: called once when the board says that the class is over, or that we are not in it.
    """

    def __init__(
        self, board: Address, who: Callable[[], tuple[str, str]], over: Callable[[], None]
    ) -> None:
        self.ended = False
        self._board = board
        self._who = who
        self._over = over
        self._session = secrets.token_hex(8)
        self._count = 0
        self._waiting = collections.deque(maxlen=MOST)
        self._something = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def put(self, event: dict) -> None:
        """Send this event, now or when the board can be reached."""
        with self._lock:
            if self.ended:
                return
            self._count += 1
            self._waiting.append({"number": self._count, "at": round(time.time()), **event})
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_all, name="room", daemon=True)
                self._thread.start()
                atexit.register(self.stop)
        self._something.set()

    def stop(self) -> None:
        """Send what waits, if that takes no more than a second; then no more."""
        self.ended = True
        thread = self._thread
        if thread is None:
            return
        atexit.unregister(self.stop)
        until = time.monotonic() + AT_THE_END
        while self._waiting and thread.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        self._stopped.set()
        self._something.set()

    def _send_all(self):
        pause, longest = PAUSES
        member = None
        while not self._stopped.is_set():
            self._something.wait()
            self._something.clear()
            while self._waiting and not self._stopped.is_set():
                wait = 0.0
                try:
                    member = member or self._who()
                    self._send_some(*member)
                    pause = PAUSES[0]
                    continue
                except Unreachable:
                    pass
                except Refused as error:
                    if error.status not in (408, 413, 429) and error.status < 500:
                        self._end()
                        return
                    wait = error.pause
                    if error.status == 413:  # not to be sent again, whatever it is
                        self._drop(AT_ONCE)
                self._stopped.wait(max(wait, pause))
                pause = min(2 * pause, longest)

    def _send_some(self, learner, key):
        events = [self._waiting[i] for i in range(min(AT_ONCE, len(self._waiting)))]
        body = {"learner": learner, "session": self._session, "events": events}
        taken = self._board.post("events", body, key)["taken"]
        while self._waiting and self._waiting[0]["number"] <= taken:
            self._drop(1)

    def _drop(self, count):
        for _ in range(count):
            with contextlib.suppress(IndexError):
                self._waiting.popleft()

    def _end(self):
        self.ended = True
        self._waiting.clear()
        self._over()
