from helpers.coach import Exercise, wrong_value


class Predict(Exercise):
    """Predict the wall time"""

    id = "t-predict"
    asks = "seconds"
    right_values = (3,)
    wrong_values = (
        wrong_value(6, "overlap added up", "6 s is the sum."),
        wrong_value(5, "value", "5"),
    )
