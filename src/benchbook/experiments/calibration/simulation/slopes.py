"""w by the canary's level and slope for many runs at once: the twin of ``statistics.session_movement``."""

from __future__ import annotations

import math

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.simulation.coverage import TOLERANCE
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import SPREAD
from benchbook.statistics.intervals import critical
from benchbook.statistics.sessions import BOUND, MOST, PAIRS


def session_widening(apart: Array, canary: Array, spread: float = SPREAD, *, looks: int) -> Array:
    """w over sessions of each run; both: per block, shape (runs, sessions, blocks).

    spread: of single readings. looks: readings in each of the canary's means. Raises BenchbookError where the first
    run's w is not the book's own.
    """
    runs, sessions, blocks = apart.shape
    y, x = ((each - each.mean(axis=-1, keepdims=True)).reshape(runs, -1) for each in (apart, canary))
    freedom = sessions * blocks - sessions - 1
    squares = (x * x).sum(axis=-1)
    noise = math.log1p(spread) / math.sqrt(looks)
    told = np.sqrt(squares / (freedom + 1)) > noise
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (x * y).sum(axis=-1) / squares
        residuals = y - slope[:, None] * x
        error = np.sqrt((residuals * residuals).sum(axis=-1) / freedom / squares)
        real = 1 - (noise / PAIRS) ** 2 * (freedom + 1) / squares
        bound = np.minimum(MOST, (np.abs(slope) + critical(freedom + 1, 2 * BOUND - 1) * error) / real)
    w = np.asarray(np.abs(canary.mean(axis=(-2, -1))) * np.where(told, bound, MOST))
    labels = np.repeat(np.arange(sessions), blocks)
    own = statistics.session_movement(apart[0].ravel(), canary[0].ravel(), labels, spread, looks).w
    if not math.isclose(float(w[0]), own, rel_tol=TOLERANCE, abs_tol=1e-12):
        raise BenchbookError(
            f"the simulated w over sessions is {w[0]}, the book's own {own}",
            "mend calibration/simulation/slopes.py: the two must be equal",
        )
    return w
