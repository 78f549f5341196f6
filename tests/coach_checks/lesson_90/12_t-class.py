from helpers.coach import Exercise, right


class Ticker(Exercise):
    """A class"""

    id = "t-class"
    asks = "Ticker"

    def verify(self, Ticker, lab):
        ticker = lab.call(Ticker, 3)
        lab.equal([ticker.tick(), ticker.tick()], [2, 1], what="two ticks gave")

    @right
    class Counting:
        """Counts down."""

        def __init__(self, start):
            self.left = start

        def tick(self):
            """Return what is left."""
            self.left -= 1
            return self.left

    TooLate = Counting.but("return self.left", "return self.left + 1", kind="value", says="[3, 2]")
