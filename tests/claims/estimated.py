"""Claims of the ledger, effects of eight blocks, and grounds by visits, for tests of what is judged."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from benchbook.claims import Ground, Quantity, load_claims
from benchbook.model import Effect
from benchbook.statistics import Gate, ratio
from benchbook.statistics.intervals import PAIRED_LOG_T

CLAIMS = load_claims()
INSIDE = CLAIMS["L012"]
"""A ratio claimed inside [0.2727, 0.4545]."""
NOISE = np.exp(np.array([0.03, -0.05, 0.04, -0.02, 0.05, -0.04, 0.01, -0.02]))
DRIFT = np.linspace(50, 90, 8)


def effect(point: float, spread: float = 1.0) -> Effect:
    """A ratio over eight blocks; its interval reaches 3.2 % to each side, or as many times that as spread says."""
    return ratio(point * DRIFT * NOISE**spread, DRIFT)


def both(point: float, half: float, n: int = 8) -> tuple[Effect, Effect]:
    """The 95 % and the 90 % interval of a ratio; half: of the first, on logs."""
    wide = Effect(point, point * math.exp(-half), point * math.exp(half), n, PAIRED_LOG_T, sd=half)
    return wide, replace(wide, low=point * math.exp(-0.8 * half), high=point * math.exp(0.8 * half), confidence=0.9)


def on(visits: int, quantity: Quantity = Quantity.COMPARISON, **others: Any) -> Ground:
    """What stands behind eight blocks of so many visits."""
    return Ground(quantity, visits=visits, blocks=8, a_visit=4, **others)


def off(name: str, reason: str) -> Gate:
    """A check that the trials did not pass."""
    return Gate(name, False, 1.0, reason)
