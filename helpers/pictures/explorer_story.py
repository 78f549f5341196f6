"""What the explorer's two kinds of story share: one of tasks on loops, one of generators' talk."""

from collections.abc import Iterable

from helpers.basics.words import exact_moment
from helpers.pictures.explorer_view import View
from helpers.recording.recording import Recording

CHOICES = 6  # answers to a question, "nothing" among them


class Story:
    """The instants of a recording, told in words; instant `k` counts from 0."""

    def __init__(self, rec: Recording) -> None:
        self.rec = rec
        self.short = rec.duration < 0.5 and rec.clock == "real"

    def __len__(self) -> int:
        raise NotImplementedError

    def title(self) -> str:
        """A sentence on the whole."""
        raise NotImplementedError

    def runs(self, k: int) -> int | None:
        """The lane that runs at instant k; None where the loop waits."""
        raise NotImplementedError

    def view(self, k: int, secret: bool) -> View:
        """Instant k. secret: keep to yourself what would give the next one away."""
        raise NotImplementedError

    def choices(self, k: int) -> dict[str, int | None]:
        """{name: lane} of who may run after instant k; None: the loop waits."""
        raise NotImplementedError

    def judge(self, k: int, chosen: int | None) -> str:
        """Why what comes after instant k does, and the chosen lane does not."""
        raise NotImplementedError

    # for both kinds

    def name(self, lane: int) -> str:
        """What a lane is called."""
        return self.rec.lanes[lane].name

    def time(self, seconds: float) -> str:
        """A time in words, in the unit that suits the whole recording."""
        return exact_moment(seconds, in_ms=self.short)

    def named(self, lanes: Iterable[int]) -> dict[str, int]:
        """{name: lane} in the order in which they were created; of one name, told apart."""
        names = {}
        for lane in sorted(lanes):
            name = self.name(lane)
            names[f"{name} (lane {lane})" if name in names else name] = lane
        return names

    def head(self, k: int, seconds: float) -> str:
        """Which instant it is, and when."""
        virtual = " of virtual time" if self.rec.clock == "virtual" else ""
        return f"Instant {k + 1} of {len(self):,}, at {self.time(seconds)}{virtual}"
