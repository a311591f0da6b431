"""Whether the throughput of a trial's seconds was steady, or became so."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import Values, checked
from benchbook.statistics.intervals import NEGLIGIBLE

MINIMUM_SECONDS = 20
"""In fewer seconds only a change of many standard deviations would be seen, so that nearly all would seem steady."""
SEGMENT_S = 5
PENALTY = 15.0
"""A change must pay 15 ln(seconds), far above the usual 3: correlated seconds look like many small changes."""
SAME_LEVEL = 0.02
LAST_PART = 0.5
"""Steady over less than the last half is not steady."""


class Steadiness(StrEnum):
    """How a trial's throughput went."""

    FLAT = "flat"
    WARM_UP = "warm-up"
    SLOWDOWN = "slowdown"
    NONE = "no steady state"


def steady_state(tps: ArrayLike) -> Steadiness:
    """Find the changes of level or spread in one trial's throughput, and class what they leave.

    tps: operations per second of each second in order of time, shape (seconds,), not negative, at least 20.
    From the newest stretch backwards, stretches belong to the steady part as long as their mean lies within one
    standard deviation, or within 2 %, of the newest one's. flat: that is all of them. warm-up, slowdown: it is at
    least the last half, and what came before was lower, or higher, on average. Equal seconds throughout are flat.
    Raises BenchbookError for fewer seconds, and for missing or negative values.
    Source: Barrett et al. 2017; change points by `ruptures.Pelt` (Killick et al. 2012) with the cost of its model
    "normal", on the series in units of its own standard deviation, so that the unit does not matter.
    """
    values = checked(tps, name="seconds", minimum=MINIMUM_SECONDS, unit="seconds")
    if values.min() < 0:
        raise BenchbookError(f"a second has the throughput {values.min():g}", "give operations per second, 0 or more")
    start = _steady_from(values, _stretches(values))
    if start == 0:
        return Steadiness.FLAT
    if values.size - start < LAST_PART * values.size:
        return Steadiness.NONE
    return Steadiness.WARM_UP if values[:start].mean() < values[start:].mean() else Steadiness.SLOWDOWN


def _stretches(values: Values) -> list[tuple[int, int]]:
    from ruptures import Pelt

    from benchbook.statistics.normal_cost import NormalCost

    if float(np.ptp(values)) <= NEGLIGIBLE * float(values.max()):
        return [(0, values.size)]
    search = Pelt(custom_cost=NormalCost(), min_size=SEGMENT_S, jump=1)
    ends = search.fit((values - values.mean()) / values.std()).predict(pen=PENALTY * math.log(values.size))
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _steady_from(values: Values, stretches: list[tuple[int, int]]) -> int:
    """The second, from 0, at which the last steady part begins."""
    levels = [float(values[start:end].mean()) for start, end in stretches]
    start, end = stretches[-1]
    tolerance = max(float(values[start:end].std(ddof=1)), SAME_LEVEL * levels[-1])
    for (earlier, _), level in zip(reversed(stretches[:-1]), reversed(levels[:-1]), strict=True):
        if abs(level - levels[-1]) > tolerance:
            break
        start = earlier
    return start
