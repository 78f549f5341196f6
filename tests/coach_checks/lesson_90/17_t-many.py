import time

from helpers.coach import Exercise, right, sweep


def computed(seconds):
    """Compute for so many seconds, however long that takes."""
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


class Many(Exercise):
    """Squares

    Write a function `squares(numbers)`. It returns the square of each number, in a list.
    """

    id = "t-many"
    asks = "squares"
    minutes, limit = 3, 0.3
    hints = ("One after the other.",)

    def verify(self, squares, lab):
        lab.equal(lab.call(squares, []), [])
        lab.equal(lab.call(squares, [2, 3, 2]), [4, 9, 4])

    @sweep(lambda some: {"numbers": some.just([1, 2, 3])}, most=1)
    def many_numbers(self, squares, lab, numbers):
        computed(0.2 * len(numbers))  # as many items in a loop of the course's own do
        return lab.call(squares, numbers)

    @right
    def one_by_one(numbers):
        """Return the squares of the numbers."""
        return [number * number for number in numbers]
