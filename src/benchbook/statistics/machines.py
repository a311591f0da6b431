"""Numbers of several visits or machines: where the next one's is to be expected, and what they say together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics import laws
from benchbook.statistics.inputs import VISITS

MACHINES = 5
"""Of which a prediction for a further one is made."""


def predicted_next(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Where a further visit's value lies, if it comes from where these came from: Student's t, shape (visits,).

    It is the wider the fewer they are, and takes at least four. values: on a scale on which they add up, such as logs.
    Source: Hahn & Meeker 1991, sec. 4.7.
    """
    known = np.asarray(values, dtype=float)
    if known.ndim != 1 or known.size < VISITS or not np.isfinite(known).all():
        raise BenchbookError(f"a prediction takes {VISITS} visits or more", "measure in more visits")
    reach = laws.student_quantile((1 + confidence) / 2, known.size - 1)
    half = reach * float(known.std(ddof=1)) * math.sqrt(1 + 1 / known.size)
    return float(known.mean()) - half, float(known.mean()) + half


@dataclass(frozen=True)
class Combined:
    """Several machines' numbers as one, on the scale of the values.

    tau: standard deviation between machines beyond what their own errors explain. i2: its share of all variance.
    predicted: ends for a further machine; None of fewer than MACHINES.
    """

    point: float
    low: float
    high: float
    tau: float
    i2: float
    predicted: tuple[float, float] | None


def combined(values: ArrayLike, errors: ArrayLike) -> Combined:
    """A random-effects meta-analysis with 95 % intervals. values, errors: each machine's number and standard error.

    tau by Paule and Mandel, the interval by Hartung, Knapp, Sidik and Jonkman, never narrower than with the normal
    weights. Raises BenchbookError for fewer than two machines and for errors that are not above 0.
    Source: IntHout et al. 2014; Higgins et al. 2009 (prediction). The computing is statsmodels'.
    """
    from statsmodels.stats.meta_analysis import combine_effects  # late: it takes a second to load

    effects, own = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    if effects.shape != own.shape or effects.ndim != 1 or effects.size < 2:
        raise BenchbookError("two machines or more can be combined", "give a number and its error of each")
    if not (np.isfinite(effects).all() and np.isfinite(own).all() and (own > 0).all()):
        raise BenchbookError("a machine's number or its error is missing, or is 0", "leave that machine out")
    freedom = effects.size - 1
    if float(np.ptp(effects)) == 0:  # nothing lies between them, and a share of nothing is no number
        point, error, tau2, i2 = float(effects[0]), float((1 / own**2).sum()) ** -0.5, 0.0, 0.0
    else:
        found = combine_effects(effects, own**2, method_re="pm", use_t=True)
        point, error = float(found.mean_effect_re), max(float(found.sd_eff_w_re_hksj), float(found.sd_eff_w_re))
        tau2, i2 = max(0.0, float(found.tau2)), max(0.0, float(found.i2))
    half = laws.student_quantile(0.975, freedom) * error
    ends = None
    if effects.size >= MACHINES:
        wide = laws.student_quantile(0.975, freedom - 1) * math.hypot(error, math.sqrt(tau2))
        ends = point - wide, point + wide
    return Combined(point, point - half, point + half, math.sqrt(tau2), i2, ends)
