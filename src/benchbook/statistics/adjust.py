"""P-values of a family go in; p-values that allow for the size of the family come out."""

from __future__ import annotations

import math
from collections.abc import Mapping

import scipy

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import intervals

_PAIRED = {intervals.PAIRED_LOG_T, intervals.PAIRED_T, intervals.PAIRED_SHARES_T, intervals.SIMULTANEOUS_T}


def p_value(effect: Effect) -> float:
    """Two-sided, unadjusted p-value of a blocked effect against "the same" (ratio 1, difference 0).

    An effect without any spread has 1 when it is exactly that, else 0.
    Raises BenchbookError for effects that are not made of paired blocks.
    """
    distance = math.log(effect.point) if effect.scale == "ratio" else effect.point
    if effect.sd == 0:
        return 1.0 if distance == 0 else 0.0
    if effect.method not in _PAIRED and effect.method != intervals.RESOLUTION:
        raise BenchbookError(f"an effect by {effect.method!r} has no paired p-value", "use ratio() or difference()")
    statistic = abs(distance) / (effect.sd / math.sqrt(effect.n))
    return float(2 * scipy.stats.t.sf(statistic, effect.n - 1))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: at most 5 % of families have any false claim when each is held against 0.05.

    Source: Holm 1979, through `statsmodels.stats.multitest.multipletests`.
    """
    return _adjusted(p_values, "holm")


def benjamini_hochberg(p_values: Mapping[str, float]) -> dict[str, float]:
    """Benjamini and Hochberg's adjusted p-values, for sweeps that are labelled exploratory.

    Held against 0.05, on average at most 5 % of what is picked is false. Source: Benjamini & Hochberg 1995.
    """
    return _adjusted(p_values, "fdr_bh")


def _adjusted(p_values: Mapping[str, float], method: str) -> dict[str, float]:
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        raise BenchbookError("a family without p-values was given", "give at least one comparison")
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise BenchbookError(f"p-value {value:g} of {name} is not between 0 and 1", "compute it with p_value()")
    adjusted = multipletests(list(p_values.values()), method=method)[1]
    return {name: float(value) for name, value in zip(p_values, adjusted, strict=True)}
