"""Arrays as callers give them go in; checked float arrays come out, or one clear error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import BenchbookError

Values = NDArray[np.float64]


def checked(values: ArrayLike, *, name: str = "values", minimum: int = 2, positive: bool = False) -> Values:
    """One number per trial as a float array of shape (trials,).

    Raises BenchbookError for another shape, fewer than ``minimum`` values, NaN or infinite values and, when
    ``positive`` is asked for (everything that is done on logs), for a zero or a negative value.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise BenchbookError(f"{name} have the shape {array.shape}", "give one number per trial, in one dimension")
    if array.size < minimum:
        raise BenchbookError(
            f"{array.size} of the {minimum} trials that {name} need are there",
            "measure more blocks: without them there is no interval",
        )
    missing = int(np.count_nonzero(~np.isfinite(array)))
    if missing:
        raise BenchbookError(
            f"{missing} of {array.size} {name} are missing or infinite",
            "report the metric as not estimable, or leave those blocks out of every arm and say so",
        )
    if positive and array.min() <= 0:
        raise BenchbookError(
            f"{name} hold {array.min():g}, which has no logarithm",
            "use share() for shares and arithmetic_mean() or difference() for values that may be 0 or negative",
        )
    return array


def paired(
    first: ArrayLike, second: ArrayLike, *, names: tuple[str, str], minimum: int = 2, positive: bool = False
) -> tuple[Values, Values]:
    """Two checked arrays of the same blocks in the same order, each of shape (blocks,).

    Raises BenchbookError as ``checked`` does, and when the numbers of blocks differ.
    """
    left = checked(first, name=names[0], minimum=minimum, positive=positive)
    right = checked(second, name=names[1], minimum=minimum, positive=positive)
    if left.size != right.size:
        raise BenchbookError(
            f"{names[0]} have {left.size} blocks and {names[1]} {right.size}",
            "compare complete blocks only, in the same order",
        )
    return left, right


def checked_confidence(confidence: float) -> float:
    """A confidence level strictly between 0 and 1; BenchbookError otherwise."""
    if not 0 < confidence < 1:
        raise BenchbookError(f"confidence {confidence:g} is not between 0 and 1", "give a share such as 0.95")
    return confidence
