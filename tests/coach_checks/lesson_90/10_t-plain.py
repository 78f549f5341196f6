from helpers.coach import Exercise, right, wrong


class Plain(Exercise):
    """A plain function"""

    id = "t-plain"
    asks = "double"

    def verify(self, double, lab):
        lab.equal(lab.call(double, 4), 8)

    @right
    def twice(number):
        return 2 * number

    @wrong("value", says="16")
    def squared(number):
        return number**2
