"""Two configurations that should not differ go in; the 90 % interval of the two one-sided tests comes out."""

from __future__ import annotations

from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics.effects import ratio

TOST_CONFIDENCE = 0.90
"""Two one-sided tests at 5 % each reject together exactly when the 90 % interval lies inside the margin."""


def equivalence(numerator: ArrayLike, denominator: ArrayLike) -> Effect:
    """Ratio over blocks with the 90 % interval that an equivalence test reads.

    numerator, denominator: as for ``ratio``. Source: Schuirmann 1987 (two one-sided tests, TOST).
    """
    return ratio(numerator, denominator, confidence=TOST_CONFIDENCE)


def equivalent(estimate90: Estimate, margin: float) -> bool:
    """Whether a ratio's 90 % interval lies inside 1 +- margin, edges included.

    Raises BenchbookError when the interval has less than 90 % confidence or the margin is not in (0, 1).
    """
    if estimate90.confidence < TOST_CONFIDENCE - 1e-9:
        raise BenchbookError(
            f"equivalence was asked of a {estimate90.confidence:.0%} interval", "give the 90 % interval"
        )
    if not 0 < margin < 1:
        raise BenchbookError(f"margin {margin:g} is not between 0 and 1", "give a share such as 0.05")
    return 1 - margin <= estimate90.low and estimate90.high <= 1 + margin
