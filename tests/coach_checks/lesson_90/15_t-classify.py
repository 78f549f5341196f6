from helpers.coach import Exercise, wrong_value


class Classify(Exercise):
    """Waiting or working?"""

    id = "t-classify"
    asks = "kinds"
    right_values = ({"download": "waiting", "sort": "working", "lunch": "waiting"},)
    wrong_values = (
        wrong_value(
            {"download": "working", "sort": "working", "lunch": "waiting"},
            "value",
            "'download' is not",
        ),
        wrong_value(
            {"download": "waiting", "sort": ..., "lunch": "waiting"}, "value", "still stands"
        ),
        wrong_value({"download": "waiting", "sort": "working"}, "value", "is missing"),
        wrong_value(["waiting"], "value", "expected a dict"),
    )
