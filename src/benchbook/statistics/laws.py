"""Quantiles and tails of the usual laws, by the special functions that ``scipy.stats`` calls too.

Loading ``scipy.stats`` takes longer than most of what is computed with it; a test compares these with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy


def student_quantile(share: float, freedom: float) -> float:
    """Below which a share of Student's t lies."""
    return float(scipy.special.stdtrit(freedom, share))


def student_above(value: float, freedom: float) -> float:
    """Share of Student's t above a value."""
    return float(scipy.special.stdtr(freedom, -value))


def normal_quantile(share: float) -> float:
    """Below which a share of the normal law lies."""
    return float(scipy.special.ndtri(share))


def normal_below(value: float) -> float:
    """Share of the normal law below a value."""
    return float(scipy.special.ndtr(value))


def chi_square_quantile(share: float, freedom: float) -> float:
    """Below which a share of the chi-square law lies."""
    return 2 * float(scipy.special.gammaincinv(freedom / 2, share))


def means_alike(groups: Sequence[np.ndarray]) -> float:
    """p of the F test that all groups have one mean: ``scipy.stats.f_oneway``. nan where nothing varies within them.

    groups: each of shape (values,), two or more, one of them with two values at least.
    """
    every = np.concatenate([np.asarray(each, dtype=np.float64) for each in groups])
    mean, freedom = every.mean(), every.size - len(groups)
    between = sum(len(each) * (float(np.mean(each)) - mean) ** 2 for each in groups) / (len(groups) - 1)
    within = sum(float(((each - np.mean(each)) ** 2).sum()) for each in groups) / freedom
    return float(scipy.special.fdtrc(len(groups) - 1, freedom, between / within)) if within else float("nan")
