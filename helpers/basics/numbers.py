"""What measurements are summed up by."""

import math
from collections.abc import Sequence


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest of these values, in order, that `share` percent of them do not exceed.

    NaN if there are none. It is a value that was measured (the nearest-rank method), never one
    between two.
    """
    if not ordered:
        return math.nan
    return ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)]
