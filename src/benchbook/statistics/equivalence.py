"""The 90 % interval of the two one-sided tests, for two configurations that should not differ."""

from __future__ import annotations

from numpy.typing import ArrayLike

from benchbook.model import Effect
from benchbook.statistics.effects import ratio

TOST_CONFIDENCE = 0.90
"""Two one-sided tests at 5 % each reject together exactly when the 90 % interval lies inside the margin."""


def equivalence(numerator: ArrayLike, denominator: ArrayLike, *, visits: ArrayLike | None = None) -> Effect:
    """Ratio over blocks with the 90 % interval that an equivalence test reads.

    numerator, denominator, visits: as for ``ratio``. Source: Schuirmann 1987 (two one-sided tests, TOST).
    """
    return ratio(numerator, denominator, confidence=TOST_CONFIDENCE, visits=visits)
