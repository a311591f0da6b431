"""A comparison by block and the blocks' canary go in; w comes out where sessions are the replicates (item 20d)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import SESSIONS, Labels, Values, checked, checked_sessions
from benchbook.statistics.intervals import critical, session_means
from benchbook.statistics.movement import Movement

BOUND = 0.95
"""Confidence of the upper bound of the difference of sensitivities."""
MOST = 1.0
"""No arm is taken to feel more of a movement than the canary does, and none less than nothing."""


def session_movement(by_block: ArrayLike, canary: ArrayLike, sessions: ArrayLike, spread: float | None) -> Movement:
    """What w is for a comparison whose replicates are sessions: the canary's level times how differently arms feel it.

    by_block: the comparison on its own scale (log ratios), shape (blocks,), block order. canary: ln(reading / quiet
    level) of each block, the mean of its readings. sessions: each block's session, at least four. spread: how far, as a
    share, a quiet machine's canary moves, None if unknown.
    The level is the mean over sessions of their blocks' mean: that much, times the difference of the arms'
    sensitivities, the machine has added to the ratio. (Not the median: it does not see bursts. With no floor under w
    it let 37 % of runs decide falsely at the edge of a claim where the mean lets 3 %, simulated.) The difference is
    the slope of the blocks' log ratios on the blocks' canary, each session around its own mean; its upper 95 % bound
    counts, at most 1. The bound is 1 where the canary hardly moved within sessions (its standard deviation is within
    its spread): that tells no slope.
    Raises BenchbookError for missing values, unequal numbers of blocks, and fewer than four sessions.
    """
    values = checked(by_block, name="comparisons", unit="blocks")
    readings = checked(canary, name="canary readings", unit="blocks")
    if values.size != readings.size:
        raise BenchbookError("canary readings and comparisons are not of the same blocks", "give one reading per block")
    labels = checked_sessions(sessions, values.size)
    if labels is None:
        raise BenchbookError(
            f"fewer than {SESSIONS} sessions are there", "measure in more sessions, or use movement(), which needs one"
        )
    level = float(session_means(readings, labels).mean())
    bound = _sensitivity_bound(_centred(values, labels), _centred(readings, labels), int(labels.max()) + 1, spread)
    reason = (
        f"over {labels.max() + 1} sessions the canary stood at {math.exp(level):.3g} times its quiet level, and the "
        f"two sides' sensitivities to it differ by at most {bound:.2g}"
    )
    return Movement(abs(level) * bound, reason)


def _centred(values: Values, labels: Labels) -> Values:
    """Each session's values around their own mean."""
    centred: Values = values - session_means(values, labels)[labels]
    return centred


def _sensitivity_bound(y: Values, x: Values, sessions: int, spread: float | None) -> float:
    """Upper bound of the absolute slope within sessions; 1 where there is no telling."""
    freedom = x.size - sessions - 1
    squares = float(x @ x)
    if spread is None or freedom < 1 or math.sqrt(squares / (freedom + 1)) <= math.log1p(spread):
        return MOST
    slope = float(x @ y) / squares
    residuals = y - slope * x
    error = math.sqrt(float(residuals @ residuals) / freedom / squares)
    return min(MOST, abs(slope) + critical(freedom + 1, 2 * BOUND - 1) * error)
