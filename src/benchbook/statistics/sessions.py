"""A comparison by block and the blocks' canary go in; w comes out where sessions are the replicates (item 20d)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics import laws
from benchbook.statistics.inputs import SESSIONS, Labels, Values, checked, checked_sessions
from benchbook.statistics.intervals import critical, session_means
from benchbook.statistics.movement import Movement

BOUND = 0.95
"""Confidence of the upper bound of the difference of sensitivities."""
MOST = 1.0
"""No arm is taken to feel more of a movement than the canary does, and none less than nothing."""
PAIRS = math.sqrt(2) * laws.normal_quantile(0.975)
"""Standard deviations of a reading by which 95 % of pairs of readings differ at most: what a spread tells."""


def session_movement(
    by_block: ArrayLike, canary: ArrayLike, sessions: ArrayLike, spread: float | None, looks: ArrayLike = 1
) -> Movement:
    """What w is for a comparison whose replicates are sessions: the canary's level times how differently arms feel it.

    by_block: the comparison on its own scale (log ratios), shape (blocks,), block order. canary: ln(reading / quiet
    level) of each block, the mean of its readings. sessions: each block's session, at least four. spread: how far, as a
    share, single readings of a quiet machine's canary lie apart, None if unknown. looks: readings in each block's mean,
    >= 1, shape (blocks,), or one number for all.
    The level is the mean over sessions of their blocks' mean: that much, times the difference of the arms'
    sensitivities, the machine has added to the ratio. (Not the median: it does not see bursts. With no floor under w
    it let 37 % of runs decide falsely at the edge of a claim where the mean lets 3 %, simulated.) The difference is
    the slope of the blocks' log ratios on the blocks' canary, each session around its own mean; its upper 95 % bound
    counts, at most 1. The readings' own noise flattens a slope, so the bound is divided by the share of the canary's
    variance that is not noise; it is 1 where the canary hardly moved within sessions (its standard deviation is within
    the spread of such means): that tells no slope.
    Raises BenchbookError for missing values, unequal numbers of blocks, fewer than four sessions, and blocks without a
    reading.
    Source: attenuation by a regressor's known error; Fuller 1987, Measurement Error Models, sec. 1.2.
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
    counts = np.broadcast_to(np.asarray(looks, dtype=np.float64), values.shape)
    if not (counts >= 1).all():
        raise BenchbookError("a block's mean has no canary reading in it", "give the number of readings of each block")
    level = float(session_means(readings, labels).mean())
    apart = None if spread is None else math.log1p(spread) * math.sqrt(float((1 / counts).mean()))
    bound = _sensitivity_bound(_centred(values, labels), _centred(readings, labels), int(labels.max()) + 1, apart)
    reason = (
        f"over {labels.max() + 1} sessions the canary stood at {math.exp(level):.3g} times its quiet level, and the "
        f"two sides' sensitivities to it differ by at most {bound:.2g}"
    )
    return Movement(abs(level) * bound, reason)


def _centred(values: Values, labels: Labels) -> Values:
    """Each session's values around their own mean."""
    centred: Values = values - session_means(values, labels)[labels]
    return centred


def _sensitivity_bound(y: Values, x: Values, sessions: int, apart: float | None) -> float:
    """Upper bound of the absolute slope within sessions; 1 where there is no telling.

    apart: by how much 95 % of pairs of x differ at most where nothing but the readings' noise moves them.
    """
    freedom = x.size - sessions - 1
    squares = float(x @ x)
    if apart is None or freedom < 1 or math.sqrt(squares / (freedom + 1)) <= apart:
        return MOST
    slope = float(x @ y) / squares
    residuals = y - slope * x
    error = math.sqrt(float(residuals @ residuals) / freedom / squares)
    real = 1 - (apart / PAIRS) ** 2 * (freedom + 1) / squares
    return min(MOST, (abs(slope) + critical(freedom + 1, 2 * BOUND - 1) * error) / real)
