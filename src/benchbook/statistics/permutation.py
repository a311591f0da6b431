"""How often chance alone sets arms that are the same by design as far apart as they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.statistics import intervals
from benchbook.statistics.inputs import Values, checked_grid, checked_resamples

ARRANGEMENTS = 9_999


@dataclass(frozen=True)
class Permutation:
    """p_value: how often an arrangement is at least as extreme as the one found.

    arrangements: how many were tried, all that there are or drawn ones. Of those the one found counts as one more, so
    that p_value is never 0.
    """

    p_value: float
    arrangements: int


def arms_apart(values: ArrayLike, rng: np.random.Generator, *, arrangements: int = ARRANGEMENTS) -> Permutation:
    """Whether arms differ by more than a random order would set them apart: tests that no label matters.

    values: per-trial values, shape (blocks, arms), > 0, at least two of each. statistic: standard deviation of the
    arms' mean logs around the blocks' means. The values of each block are dealt to the arms anew, blocks by
    themselves, so nothing is assumed of their distribution and what a block shares does not count.
    Raises BenchbookError for missing, zero or negative values, incomplete blocks, and fewer than 99 arrangements.
    Source: Fisher 1935; drawn arrangements: Phipson & Smyth 2010; through `scipy.stats.permutation_test`.
    """
    return _permuted(values, _spread, rng, arrangements)


def first_apart(values: ArrayLike, rng: np.random.Generator, *, arrangements: int = ARRANGEMENTS) -> Permutation:
    """Whether the first arm differs from the mean of the others by more than chance would: as ``arms_apart``.

    values: shape (blocks, arms), in the order of which the first column is asked about. statistic: distance of the
    mean log of the first from the mean log of the others; both directions count.
    """
    return _permuted(values, _first, rng, arrangements)


def _permuted(
    values: ArrayLike, statistic: Callable[..., Any], rng: np.random.Generator, arrangements: int
) -> Permutation:
    checked_resamples(arrangements)
    logs = np.log(checked_grid(values))
    away = logs - logs.mean(axis=1, keepdims=True)
    if float(np.abs(away).max()) <= intervals.NEGLIGIBLE * max(1.0, float(np.abs(logs).max())):
        return Permutation(1.0, 1)  # all arrangements are this one
    found = scipy.stats.permutation_test(
        list(away.T), statistic, permutation_type="samples", vectorized=True, n_resamples=arrangements,
        alternative="greater", rng=rng,
    )  # fmt: skip
    return Permutation(float(found.pvalue), int(np.size(found.null_distribution)))


def _spread(*arms: Values, axis: int) -> Any:
    return np.stack(arms).mean(axis=axis).std(axis=0)


def _first(first: Values, *others: Values, axis: int) -> Any:
    return np.abs(first.mean(axis=axis) - np.mean(others, axis=0).mean(axis=axis))
