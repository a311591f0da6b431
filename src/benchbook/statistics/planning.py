"""The number of blocks that would be enough, given the spread seen so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import scipy

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals
from benchbook.statistics.estimates import chi_square_bounds
from benchbook.statistics.inputs import checked_blocks, checked_confidence, checked_sd
from benchbook.statistics.intervals import critical

BLOCKS_LIMIT = 10_000
"""Where planning gives up: more blocks than anybody would run."""

_LINEAR = {intervals.T, intervals.PAIRED_T, intervals.PAIRED_SHARES_T, intervals.FIELLER}
_LOG = {intervals.LOG_T, intervals.PAIRED_LOG_T, intervals.SIMULTANEOUS_T, intervals.WELCH_LOG_T}
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


def blocks_for_half_width(
    sd: float, target: float, *, confidence: float = 0.95, limit: int = BLOCKS_LIMIT
) -> int | None:
    """Smallest number of blocks, at least 2, whose t interval is no wider than ``target`` to each side.

    sd: between blocks, >= 0, and target > 0 on the same scale; for ratios that is the log scale, where +-2 %
    is log(1.02). The same question decides against an edge: target is then the distance of point and edge.
    An sd from a pilot of three blocks is itself known to a factor of about 2 only. None above ``limit``.
    """
    checked_confidence(confidence)
    checked_sd(sd)
    if not target > 0:
        raise BenchbookError(f"half-width {target:g} is not above 0", "give a half-width such as log(1.02)")
    return smallest(lambda blocks: half_width(sd, blocks, confidence=confidence) <= target, start=2, limit=limit)


def plan_table(
    sd: float, half_widths: Sequence[float] = (0.01, 0.02, 0.05, 0.10), *, confidence: float = 0.95
) -> list[tuple[float, int | None]]:
    """For each half-width, as a share such as 0.02 for +-2 %, the number of blocks that reach it; None above the limit.

    sd: of the per-block log ratios, or of the logs of one configuration. The t interval on logs then ends no further
    than so much above its point, and a little less below. Raises BenchbookError as ``blocks_for_half_width`` does.
    """
    return [(share, blocks_for(sd, share, confidence)) for share in half_widths]


def blocks_for(sd: float, half_width: float, confidence: float = 0.95) -> int | None:
    """Smallest number of blocks for a half-width given as a share, such as 0.02 for +-2 %: see ``plan_table``."""
    if not (math.isfinite(half_width) and half_width > 0):
        raise BenchbookError(f"half-width {half_width:g} is not a share above 0", "give a share such as 0.02")
    return blocks_for_half_width(sd, math.log1p(half_width), confidence=confidence)


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
    if method in intervals.ON_COMPLEMENTS:
        left, low, high = (1 - each for each in (estimate.point, estimate.high, estimate.low))
        return 1 - left * (high / left) ** shrink, 1 - left * (low / left) ** shrink
    if method in _LOG or (isinstance(estimate, Effect) and estimate.scale == "ratio"):
        return estimate.point * (estimate.low / estimate.point) ** shrink, (
            estimate.point * (estimate.high / estimate.point) ** shrink
        )
    if method == intervals.LOGIT_T:
        centre, low, high = (float(scipy.special.logit(x)) for x in (estimate.point, estimate.low, estimate.high))
        return float(scipy.special.expit(centre - (centre - low) * shrink)), (
            float(scipy.special.expit(centre + (high - centre) * shrink))
        )
    if method in _LINEAR or isinstance(estimate, Effect):
        return estimate.point - (estimate.point - estimate.low) * shrink, (
            estimate.point + (estimate.high - estimate.point) * shrink
        )
    return None


def smallest(enough: Callable[[int], bool], *, start: int, limit: int) -> int | None:
    """Smallest whole number from start to limit for which ``enough`` holds; it must hold from there on."""
    if start > limit or not enough(limit):
        return None
    low, high = start, limit
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _check_interval(estimate: Estimate, *, above_0: bool) -> None:
    ends = (estimate.low, estimate.point, estimate.high)
    if not all(map(math.isfinite, ends)) or (above_0 and min(ends) <= 0):
        raise BenchbookError(
            f"{estimate.point:g} [{estimate.low:g}, {estimate.high:g}] is not an interval to plan with",
            "measure more blocks, or look at the individual trials",
        )
