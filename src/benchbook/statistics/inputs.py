"""Check arrays as callers give them: float arrays, or one clear error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import BenchbookError

Values = NDArray[np.float64]
Labels = NDArray[np.int64]


class Rows(np.ndarray[Any, np.dtype[np.float64]]):
    """Values of many runs at once, shape (..., blocks), as ``array.view(Rows)``.

    What is estimated from such has arrays in place of its numbers, one for each run, and neither looks for values that
    are all equal nor for stalled blocks.
    """


VISITS = 4
"""Fewer visits do not tell how much a number differs from one to the next; then blocks are the replicates."""

FEWEST_RESAMPLES = 99
"""With fewer resamples the ends of a 95 % interval would be the two or three most extreme of them."""


def checked(
    values: ArrayLike, *, name: str = "values", minimum: int = 2, positive: bool = False, unit: str = "trials"
) -> Values:
    """One number per trial as a float array of shape (trials,); unit: what there is one number of, if not trials.

    Raises BenchbookError for what is not a number, another shape, fewer than ``minimum`` values, NaN or infinite values
    and, when ``positive`` is asked for (everything that is done on logs), for a zero or a negative value.
    """
    array = _numbers(values, name)
    if array.ndim != 1 and not (isinstance(values, Rows) and array.ndim):
        raise BenchbookError(
            f"{name} have the shape {array.shape}", f"give one number for each of the {unit}, in one dimension"
        )
    if array.shape[-1] < minimum:
        raise BenchbookError(
            f"{name} need {minimum} {unit}, but there are {array.shape[-1]}",
            "measure more blocks: without them there is no interval" if unit == "trials" else f"give more {unit}",
        )
    _check_finite(array, name)
    if positive:
        _check_logarithms(array, name)
    return array


def checked_grid(values: ArrayLike, *, names: tuple[str, str] = ("blocks", "arms")) -> Values:
    """One number above 0 per block and arm as a float array of shape (blocks, arms), at least two of each.

    names: what rows and columns are. Raises BenchbookError as ``checked`` does, and for rows of unequal length.
    """
    array = _numbers(values, "values")
    if array.ndim != 2 or min(array.shape) < 2:
        raise BenchbookError(
            f"values have the shape {array.shape}", f"give at least 2 {names[0]} (rows) of at least 2 {names[1]} each"
        )
    _check_finite(array, "values")
    _check_logarithms(array, "values")
    return array


def paired(
    first: ArrayLike, second: ArrayLike, *, names: tuple[str, str], positive: bool = False
) -> tuple[Values, Values]:
    """Two checked arrays of the same blocks in the same order, each of shape (blocks,).

    Raises BenchbookError as ``checked`` does, and when the numbers of blocks differ.
    """
    left = checked(first, name=names[0], positive=positive)
    right = checked(second, name=names[1], positive=positive)
    if left.shape[-1] != right.shape[-1]:
        raise BenchbookError(
            f"{names[0]} have {left.shape[-1]} blocks, but {names[1]} have {right.shape[-1]}",
            "compare complete blocks only, in the same order",
        )
    return left, right


def checked_visits(visits: ArrayLike | None, blocks: int) -> Labels | None:
    """Each block's visit, from 0, shape (blocks,); None where fewer than four visits are there.

    visits: any label for each block, the same for those of one visit. Raises BenchbookError for another number of
    labels than blocks.
    """
    if visits is None:
        return None
    labels = np.asarray(visits)
    if labels.shape != (blocks,):
        raise BenchbookError(
            f"{labels.size} labels of visits come with {blocks} blocks", "give the visit of each block"
        )
    numbers = np.unique(labels, return_inverse=True)[1]
    return None if numbers.size == 0 or numbers.max() + 1 < VISITS else numbers.astype(np.int64)


def number(value: Any) -> Any:
    """A float; of ``Rows`` the array of their numbers."""
    return value if np.ndim(value) else float(value)


def checked_confidence(confidence: float) -> float:
    """A confidence level strictly between 0 and 1; BenchbookError otherwise."""
    if not 0 < confidence < 1:
        raise BenchbookError(f"confidence {confidence:g} is not between 0 and 1", "give a share such as 0.95")
    return confidence


def checked_sd(sd: float) -> float:
    """A standard deviation, finite and from 0 up; BenchbookError otherwise."""
    if not (math.isfinite(sd) and sd >= 0):
        raise BenchbookError(f"standard deviation {sd:g} is not a number from 0 up", "give the sd of a pilot's effect")
    return sd


def checked_blocks(blocks: int) -> int:
    """A number of blocks that an interval can be made of; BenchbookError below two."""
    if not blocks >= 2:
        raise BenchbookError(f"{blocks} blocks have no interval", "give at least 2 blocks")
    return blocks


def checked_resamples(resamples: int) -> int:
    """A number of resamples from which the ends of an interval can be read; BenchbookError below 99."""
    if resamples < FEWEST_RESAMPLES:
        raise BenchbookError(f"{resamples} resamples give no interval", f"draw at least {FEWEST_RESAMPLES}")
    return resamples


def _numbers(values: ArrayLike, name: str) -> Values:
    if isinstance(values, np.ma.MaskedArray):
        # a masked value is missing; it is not what lies under the mask
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        return values if isinstance(values, Rows) else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BenchbookError(
            f"{name} are not all numbers, or their rows differ in length",
            "give numbers alone, NaN for missing ones, and complete blocks",
        ) from error


def _check_finite(array: Values, name: str) -> None:
    missing = int(np.count_nonzero(~np.isfinite(array)))
    if missing:
        raise BenchbookError(
            f"{missing} of {array.size} {name} are missing or infinite",
            "report the metric as not estimable, or leave those blocks out of every arm and say so",
        )


def _check_logarithms(array: Values, name: str) -> None:
    if array.min() <= 0:
        raise BenchbookError(
            f"{name} hold {array.min():g}, which has no logarithm",
            "use share() for shares and arithmetic_mean() or difference() for values that may be 0 or negative",
        )
