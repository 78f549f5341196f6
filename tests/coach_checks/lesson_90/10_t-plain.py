from helpers.coach import Exercise, right


class Plain(Exercise):
    """A plain function"""

    id = "t-plain"
    asks = "double"

    def verify(self, double, lab):
        lab.equal(lab.call(double, 4), 8)

    @right
    def twice(number):
        return 2 * number

    squared = twice.but("2 * number", "number**2", kind="value", says="16")
