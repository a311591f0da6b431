"""A machine's canary readings go in; how far it stood from its quiet level comes out. It decides nothing (item 20d)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import checked

FLOOR = math.log(1.25)
"""The least widening of a comparison on a machine that was not seen to hold still, on the log scale."""
QUIET_QUANTILE = 0.05
"""Where among a processor's readings its quiet level is read: neighbours only ever make it slower."""
LEAST_READINGS = 20
"""Fewer readings of a processor do not tell how fast it is when nobody disturbs it."""
BEYOND_SHARE = 0.05
"""A still machine's readings leave the published spread, which holds 95 % of them, so often."""


@dataclass(frozen=True)
class Movement:
    """How far the machine's movement could have carried a comparison.

    w: widening on the interval's own scale (log, logit), >= 0. reason: half a sentence with the numbers behind it.
    """

    w: float
    reason: str


def quiet_level(readings: ArrayLike) -> float | None:
    """The canary of one processor when nobody disturbs it; None where too few readings are known.

    readings: all stored ones of that processor, whatever the run, shape (readings,), > 0.
    """
    values = np.asarray(readings, dtype=np.float64)
    if values.size < LEAST_READINGS:
        return None
    return float(np.quantile(checked(values, name="canary readings", positive=True, unit="readings"), QUIET_QUANTILE))


def movement(sessions: Sequence[ArrayLike], spread: float | None, *, around_trials: bool) -> Movement:
    """What w is for a run, from how far its canary readings lay from the quiet level of their processor.

    sessions: per measuring session ln(reading / quiet level), shape (readings,); an empty sequence, or a session
    without readings, where the quiet level is not known. spread: how far, as a share, a quiet machine's canary
    moves (``canary_spread``), None where unknown. around_trials: whether it was looked at before and after each trial.
    w is 0 only when it was, and no more than 5 % of the readings of any session, nor their median, lie further from
    the quiet level than the spread; else the larger of ln 1.25 and the median's distance in the worst session.
    """
    given = [np.asarray(each, dtype=np.float64) for each in sessions]
    if not given or any(each.size == 0 for each in given):
        return Movement(FLOOR, "how fast this processor is when quiet is not known")
    if not all(np.isfinite(each).all() for each in given):
        raise BenchbookError("canary readings are missing or not above 0", "measure again, or leave the session out")
    shift = max((float(np.median(each)) for each in given), key=abs)
    level = f"the canary stood at {math.exp(shift):.2f} times its quiet level"
    if not around_trials:
        level += " and was not looked at around each trial"
    elif spread is None:
        level += ", and how far it moves on a quiet machine is not known"
    else:
        edge = math.log1p(spread)
        beyond = max(float(np.mean(np.abs(each) > edge)) for each in given)
        if beyond <= BEYOND_SHARE and abs(shift) <= edge:
            return Movement(0.0, f"the canary stayed within {100 * spread:.2g} % of its quiet level")
    return Movement(max(FLOOR, abs(shift)), level)
