"""Many verdicts go in; how many are decided, and how many of those say something untrue, comes out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook.claims import Region
from benchbook.experiments.calibration.coverage import Metrics
from benchbook.experiments.calibration.decisions import OUTCOMES, false_outcomes
from benchbook.experiments.calibration.families import Array
from benchbook.model import Outcome

Codes = NDArray[np.int8]
"""Verdicts as places in OUTCOMES, shape (runs,)."""
OPEN = OUTCOMES.index(Outcome.INCONCLUSIVE)


def metric(rule: str, claim: str, true_ratio: float) -> str:
    """How the metrics of a rule, a claim and a true ratio begin, such as new_greater_1_05."""
    return f"{rule}_{claim}_{true_ratio:g}".replace(".", "_")


def coded(asked: Region, low: Array, high: Array, low90: Array, high90: Array) -> Codes:
    """The region's outcomes of many intervals as places in OUTCOMES."""
    lists = [each.tolist() for each in (low, high, low90, high90)]
    return np.array([OUTCOMES.index(asked.outcome(*each)) for each in zip(*lists, strict=True)], dtype=np.int8)


def tallied(name: str, asked: Region, found: Codes, true_ratio: float, own: Array) -> Metrics:
    """Counts of one rule: decided, untrue of the quiet machine, untrue of the run's own state.

    own: ln of what the state adds to the true ratio in each run, shape (runs,).
    """
    untrue = [OUTCOMES.index(each) for each in OUTCOMES if each in false_outcomes(asked, true_ratio)]
    decided = np.flatnonzero(found != OPEN)
    there = (true_ratio * np.exp(own[decided])).tolist()
    wrong = sum(
        OUTCOMES[code] in false_outcomes(asked, truth)
        for code, truth in zip(found[decided].tolist(), there, strict=True)
    )
    return {
        f"{name}_decided": float(decided.size),
        f"{name}_false_quiet": float(np.isin(found, untrue).sum()),
        f"{name}_false_own": float(wrong),
    }
