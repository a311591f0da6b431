"""Blocks of several measuring sessions go in; a ratio that counts sessions, and its w, come out (item 20d)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import intervals
from benchbook.statistics.inputs import Values, checked, paired
from benchbook.statistics.intervals import exponentiated, student
from benchbook.statistics.movement import Movement

SESSION_T = "Student t on session means of paired log differences"
SESSIONS = 4
"""Fewer sessions do not tell how much a ratio differs from one to the next."""
BOUND = 0.95
"""Confidence of the upper bound of the difference of sensitivities."""
MOST = 1.0
"""No arm is taken to feel more of a movement than the canary does, and none less than nothing."""


def session_ratio(
    numerators: Sequence[ArrayLike], denominators: Sequence[ArrayLike], *, confidence: float = 0.95
) -> Effect:
    """Ratio of geometric means where the session is a random effect: Student t on the sessions' mean log ratios.

    numerators, denominators: per session the per-trial values, shape (blocks,), same block order, > 0; at least four
    sessions of one block or more. n: the number of sessions. sd: of their means, on the log scale. Sessions count
    alike, whatever their number of blocks. With equal numbers this is the interval of the mixed model (REML,
    Satterthwaite). With unequal ones it is right as long as sessions differ by more than their blocks' noise. Where
    they differ by that noise alone, a mean of few blocks counts as much as one of many: the interval is wider than it
    need be, and still covers. Raises BenchbookError for fewer sessions and for what ``ratio`` refuses.
    Source: Kalibera & Jones 2013, sec. 6 (the highest level of repetition is the replicate).
    """
    means = np.array([float(logs.mean()) for logs in _log_ratios(numerators, denominators)])
    interval = student(means, confidence)
    point, low, high = exponentiated(interval)
    method = intervals.CONSTANT if interval.constant else SESSION_T
    return Effect(point, low, high, means.size, method, confidence, "ratio", interval.sd)


def session_movement(
    numerators: Sequence[ArrayLike],
    denominators: Sequence[ArrayLike],
    canary: Sequence[ArrayLike],
    spread: float | None,
) -> Movement:
    """What w is for ``session_ratio``: the canary's level times how differently, at most, the arms feel it.

    numerators, denominators: as there. canary: per session and block ln(reading / quiet level), the mean of the
    block's readings, shape (blocks,). spread: how far, as a share, a quiet machine's canary moves, None if unknown.
    The level is the mean over sessions of their blocks' mean: that much, times the difference of the arms'
    sensitivities, the machine has added to the ratio. (Not the median: it does not see bursts. With no floor under w
    it let 37 % of runs decide falsely at the edge of a claim where the mean lets 3 %, simulated.) The difference is
    the slope of the blocks' log ratios on the blocks' canary, each session around its own mean; its upper 95 % bound
    counts, at most 1. The bound is 1 where the canary hardly moved within sessions (its standard deviation is within
    its spread): that tells no slope.
    Raises BenchbookError for missing readings, unequal numbers of blocks, and what ``session_ratio`` refuses.
    """
    ratios = _log_ratios(numerators, denominators)
    readings = [checked(each, name="canary readings", minimum=1, unit="blocks") for each in canary]
    if [each.size for each in ratios] != [each.size for each in readings]:
        raise BenchbookError("canary readings and ratios are not of the same blocks", "give one reading per block")
    level = float(np.mean([each.mean() for each in readings]))
    bound = _sensitivity_bound(ratios, readings, spread)
    reason = (
        f"the canary stood at {math.exp(level):.3g} times its quiet level over {len(ratios)} sessions, "
        f"and the arms' sensitivities to it differ by at most {bound:.2g}"
    )
    return Movement(abs(level) * bound, reason)


def _log_ratios(numerators: Sequence[ArrayLike], denominators: Sequence[ArrayLike]) -> list[Values]:
    if len(numerators) != len(denominators):
        raise BenchbookError(
            f"{len(numerators)} sessions stand over {len(denominators)}", "compare the arms of the same sessions"
        )
    if len(numerators) < SESSIONS:
        raise BenchbookError(
            f"{len(numerators)} of the {SESSIONS} sessions that a ratio over sessions needs are there",
            "measure in more sessions, or use ratio(), whose replicates are blocks",
        )
    names = ("the numerator's values", "the denominator's values")
    pairs = (
        paired(above, below, names=names, minimum=1, positive=True)
        for above, below in zip(numerators, denominators, strict=True)
    )
    return [np.log(above) - np.log(below) for above, below in pairs]


def _sensitivity_bound(ratios: Sequence[Values], readings: Sequence[Values], spread: float | None) -> float:
    """Upper bound of the absolute slope within sessions; 1 where there is no telling."""
    y = np.concatenate([each - each.mean() for each in ratios])
    x = np.concatenate([each - each.mean() for each in readings])
    freedom = x.size - len(ratios) - 1
    squares = float(x @ x)
    if spread is None or freedom < 1 or math.sqrt(squares / (freedom + 1)) <= math.log1p(spread):
        return MOST
    slope = float(x @ y) / squares
    residuals = y - slope * x
    error = math.sqrt(float(residuals @ residuals) / freedom / squares)
    return min(MOST, abs(slope) + float(scipy.stats.t.ppf(BOUND, freedom)) * error)
