"""How many blocks would be enough, and what a number of them would show, given the spread seen so far."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

import scipy

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals
from benchbook.statistics.estimates import chi_square_bounds
from benchbook.statistics.inputs import checked_blocks, checked_confidence, checked_sd
from benchbook.statistics.intervals import critical

BLOCKS_LIMIT = 10_000
"""Where planning gives up: more blocks than anybody would run."""

_LARGEST_LOG = 700.0
"""exp() of more leaves the range of floating point."""
_LINEAR = {intervals.T, intervals.PAIRED_T, intervals.PAIRED_SHARES_T, intervals.FIELLER}
_LOG = {intervals.LOG_T, intervals.PAIRED_LOG_T, intervals.SIMULTANEOUS_T, intervals.WELCH_LOG_T}
_SCALED = _LOG | {intervals.LOGIT_T} | intervals.ON_COMPLEMENTS
_FIXED = {intervals.CONSTANT, intervals.EXACT, intervals.RESOLUTION}

Bounds = tuple[float, float]


def half_width(sd: float, blocks: int, *, confidence: float = 0.95) -> float:
    """Half-width of the t interval that ``blocks`` blocks with standard deviation ``sd`` give, on sd's scale.

    Raises BenchbookError below two blocks, and for an sd that is not finite or below 0.
    """
    checked_confidence(confidence)
    checked_blocks(blocks)
    checked_sd(sd)
    return critical(blocks, confidence) * sd / math.sqrt(blocks)


def blocks_for_half_width(sd: float, target: float, *, confidence: float = 0.95) -> int | None:
    """Smallest number of blocks, at least 2, whose t interval is no wider than ``target`` to each side.

    sd: between blocks, >= 0, and target > 0 on the same scale; for ratios that is the log scale, where +-2 %
    is log(1.02). The same question decides against an edge: target is then the distance of point and edge.
    An sd from a pilot of three blocks is itself known to a factor of about 2 only. None above BLOCKS_LIMIT.
    """
    checked_confidence(confidence)
    checked_sd(sd)
    if not target > 0:
        raise BenchbookError(f"half-width {target:g} is not above 0", "give a half-width such as log(1.02)")
    return smallest(lambda blocks: half_width(sd, blocks, confidence=confidence) <= target, start=2, limit=BLOCKS_LIMIT)


def blocks_for(sd: float, half_width: float, confidence: float = 0.95) -> int | None:
    """Smallest number of blocks for a half-width given as a share, such as 0.02 for +-2 %; None above BLOCKS_LIMIT.

    sd: of the per-block log ratios, or of the logs of one configuration. The t interval on logs then ends no further
    than so much above its point, and a little less below. Raises BenchbookError as ``blocks_for_half_width`` does.
    """
    if not (math.isfinite(half_width) and half_width > 0):
        raise BenchbookError(f"half-width {half_width:g} is not a share above 0", "give a share such as 0.02")
    return blocks_for_half_width(sd, math.log1p(half_width), confidence=confidence)


def minimum_detectable(sd: float, blocks: int, power: float = 0.8, confidence: float = 0.95) -> float:
    """Smallest true ratio above 1 that a run shows to be above 1 with probability ``power``.

    sd: of the per-block log ratios, >= 0 (``Effect.sd``; for an A/A pair the root of twice ``trial_variance``).
    blocks: at least 2. Shows: the whole paired t interval of that confidence lies above 1. Ratios below the
    reciprocal are shown to be below 1 as often.
    Raises BenchbookError for other input, and where the ratio would leave the range of floating point.
    Source: noncentral t, `scipy.stats.nct`; `statsmodels.stats.power.TTestPower` gives the same numbers.
    """
    checked_confidence(confidence)
    checked_sd(sd)
    checked_blocks(blocks)
    if not (1 - confidence) / 2 < power < 1:
        raise BenchbookError(f"power {power:g} is not between chance and 1", "give a share such as 0.8")
    if sd == 0:
        return 1.0
    reach = critical(blocks, confidence)

    def missing(distance: float) -> float:
        return float(scipy.stats.nct.cdf(reach, blocks - 1, distance)) - (1 - power)

    far = 2.0
    while missing(far) > 0:
        far *= 2
    distance = float(scipy.optimize.brentq(missing, 0.0, far, xtol=1e-10)) * sd / math.sqrt(blocks)
    if distance > _LARGEST_LOG:
        raise BenchbookError(f"ratios up to e^{distance:.0f} stay unseen", "measure more blocks")
    return math.exp(distance)


def predicted(estimate: Estimate, blocks: int) -> Bounds | None:
    """Low and high that ``blocks`` blocks would give, were point and spread to stay as they are.

    blocks: where visits are the replicates, so many of these, of as many blocks each as those that were measured.
    None where more blocks do not narrow the interval, or its method has no such forecast (medians, one trial).
    Simultaneous intervals are scaled as if single, which asks for a few blocks too many.
    Raises BenchbookError below two blocks, and for an interval that is not finite or, for a ratio, not above 0.
    """
    checked_blocks(blocks)
    method = intervals.of_blocks(estimate.method)
    _check_interval(estimate, above_0=method in _LOG)
    if method in _FIXED:
        return None
    if method == intervals.WILSON_TRIALS:
        from statsmodels.stats.proportion import proportion_confint

        low, high = proportion_confint(estimate.point * blocks, blocks, 1 - estimate.confidence, method="wilson")
        return float(low), float(high)
    if method == intervals.CHI_SQUARE:
        low, high = chi_square_bounds(math.log(estimate.point), blocks, estimate.confidence)
        return math.exp(low), math.exp(high)
    if method == intervals.SD_CHI_SQUARE:
        return chi_square_bounds(estimate.point, blocks, estimate.confidence)
    unit = half_width(1.0, estimate.n, confidence=estimate.confidence) if estimate.n > 1 else 0.0
    if not unit:
        return None
    shrink = half_width(1.0, blocks, confidence=estimate.confidence) / unit
    if method in _LINEAR or intervals.linear(estimate):
        low, high = (estimate.point + (end - estimate.point) * shrink for end in (estimate.low, estimate.high))
        return low, high
    if method not in _SCALED and not isinstance(estimate, Effect):
        return None
    point, *ends = (intervals.to_scale(estimate, each) for each in (estimate.point, estimate.low, estimate.high))
    low, high = (intervals.from_scale(estimate, point + (end - point) * shrink) for end in ends)
    return low, high


def smallest(enough: Callable[[int], bool], *, start: int, limit: int) -> int | None:
    """Smallest whole number from start to limit for which ``enough`` holds; it must hold from there on."""
    numbers = range(start, limit + 1)
    place = bisect_left(numbers, True, key=enough)
    return numbers[place] if place < len(numbers) else None


def _check_interval(estimate: Estimate, *, above_0: bool) -> None:
    ends = (estimate.low, estimate.point, estimate.high)
    if not all(map(math.isfinite, ends)) or (above_0 and min(ends) <= 0):
        raise BenchbookError(
            f"{estimate.point:g} [{estimate.low:g}, {estimate.high:g}] is not an interval to plan with",
            "measure more blocks, or look at the individual trials",
        )
