"""The mean of one trial's seconds, with an interval that allows for their autocorrelation."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals
from benchbook.statistics.inputs import Values, checked, checked_confidence, checked_resamples

MINIMUM_SECONDS = 20
"""Below 20 seconds there are too few lags to choose the length of a stretch from."""


def stationary_mean(series: np.ndarray, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0) -> Estimate:
    """Mean of one trial's seconds with a stationary bootstrap interval, to be shown only as "within this trial".

    series: one value per second in order of time, shape (seconds,), at least 20, any unit. n of the Estimate is the
    number of seconds; they are not replicates. Stretches of random length are drawn, as long on average as
    ``block_length`` says, until each resample is as long as the series; the interval's ends are percentiles of the
    resamples' means. The same seed gives the same interval.
    It covers less often than it says where seconds repeat each other for long: of seconds correlated by 0.6 it held
    the mean in 79, 85 and 90 % of simulated trials of 60, 120 and 300 s (95 % asked), of independent ones in 93 to
    94 %; the calibration chapter shows this. It is no ground for a verdict.
    Raises BenchbookError for fewer seconds, missing values, and a series that is the same in every second: nothing
    in it tells how far its mean could be off.
    Source: Politis & Romano 1994; through `arch.bootstrap.StationaryBootstrap`.
    """
    from arch.bootstrap import StationaryBootstrap

    checked_confidence(confidence)
    values = _varying(series)
    length: Any = block_length(values)  # annotated as int there, but a mean length need not be whole
    drawn = StationaryBootstrap(length, values, seed=np.random.default_rng(seed))
    means = drawn.apply(np.mean, checked_resamples(resamples))
    tail = (1 - confidence) / 2
    low, high = (float(bound) for bound in np.quantile(means, (tail, 1 - tail)))
    point = float(values.mean())
    return Estimate(point, min(low, point), max(high, point), values.size, intervals.STATIONARY, confidence)


def block_length(series: np.ndarray) -> float:
    """Mean length in seconds of the stretches that a stationary bootstrap of this series should draw, at least 1.

    series: as for ``stationary_mean``. Source: Politis & White 2004 with the correction of Patton, Politis & White
    2009, through `arch.bootstrap.optimal_block_length`.
    """
    from arch.bootstrap import optimal_block_length

    values = _varying(series)
    # a lag at which one end of the series is flat has no autocorrelation, and then counts as a strong one
    with np.errstate(divide="ignore", invalid="ignore"):
        found = float(optimal_block_length((values - values.mean()) / values.std())["stationary"].iloc[0])
    return max(1.0, found)


def _varying(series: np.ndarray) -> Values:
    values = checked(series, name="seconds", minimum=MINIMUM_SECONDS, unit="seconds")
    if float(np.ptp(values)) <= intervals.NEGLIGIBLE * float(np.abs(values).max()):
        raise BenchbookError(
            f"all {values.size} seconds are {values[0]:g}, so their mean's interval is not estimable",
            "report the value without an interval, or look at a finer clock",
        )
    return values
