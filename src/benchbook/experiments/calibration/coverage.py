"""Simulated runs and their truths go in; how often each interval of the book covers, and how wide it is, comes out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration import rows, worlds
from benchbook.experiments.calibration.families import Array
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.rows import Bounds
from benchbook.experiments.calibration.truths import Truths
from benchbook.experiments.calibration.worlds import World
from benchbook.model import Estimate
from benchbook.statistics.equivalence import TOST_CONFIDENCE
from benchbook.statistics.estimates import MEDIAN_TRIALS

CHECKED = 3
"""Rows of each batch that go through the book's own function too."""
TOLERANCE = 1e-9
Metrics = dict[str, float | None]


@dataclass(frozen=True)
class Attempt:
    """Intervals of one kind for all runs of a batch.

    bounds: shape (runs,), or (runs, comparisons) where all must cover. truth: what they ought to hold. own: the
    book's own intervals of one run. logs: whether the width is that of the logarithms.
    """

    bounds: Bounds
    truth: float | Array
    own: Callable[[int], list[Estimate]]
    logs: bool = True


def measured(parameters: Parameters, world: World, true: Truths) -> Metrics:
    """Metrics of one batch of a cell: for each interval the runs, how many covered, and the mean width.

    Raises BenchbookError when a twin and the book's own function differ: the simulation would prove nothing.
    """
    metrics: Metrics = {}
    for name, attempt in attempts(parameters, world, true).items():
        check(name, attempt)
        metrics |= counted(name, attempt.bounds, attempt.truth, logs=attempt.logs)
    return metrics


def attempts(parameters: Parameters, world: World, true: Truths) -> dict[str, Attempt]:
    """All intervals of the book that take one number per trial, on the same runs."""
    s, w, counts = statistics, world, parameters.page_requests
    hits, fewer, most = w.hits / counts, w.fewer_hits / counts, w.most_hits / counts
    others = w.sweep[:, 1:]
    unequal = np.ones(parameters.settings - 1)
    unequal[-1] = math.exp((worlds.UNEQUAL - 1) * true.throughput_log_mean)
    found = {
        "ratio": Attempt(rows.ratio(w.again, w.base), 1.0, lambda i: [s.ratio(w.again[i], w.base[i])]),
        "ratio_unblocked": Attempt(
            rows.ratio_unblocked(w.again, w.elsewhere), 1.0, lambda i: [s.ratio_unblocked(w.again[i], w.elsewhere[i])]
        ),
        "difference": Attempt(
            rows.student(w.again - w.base), 0.0, lambda i: [s.difference(w.again[i], w.base[i])], logs=False
        ),
        "shares_difference": Attempt(
            rows.shares_difference(hits, fewer, counts),
            true.shares_difference,
            lambda i: [s.shares_difference(hits[i], fewer[i], counts)],
            logs=False,
        ),
        "equivalence": Attempt(
            rows.ratio(w.again, w.base, TOST_CONFIDENCE), 1.0, lambda i: [s.equivalence(w.again[i], w.base[i])]
        ),
        "many_to_one": Attempt(
            rows.many_to_one(w.sweep[:, 0], others),
            unequal,
            lambda i: [*s.many_to_one(w.sweep[i, 0], {str(k): each for k, each in enumerate(others[i])}).values()],
        ),
        "geometric_mean": Attempt(
            rows.geometric_mean(w.base), math.exp(true.log_mean), lambda i: [s.geometric_mean(w.base[i])]
        ),
        "throughput": Attempt(
            rows.geometric_mean(w.throughput),
            math.exp(true.throughput_log_mean),
            lambda i: [s.geometric_mean(w.throughput[i])],
        ),
        "arithmetic_mean": Attempt(
            rows.student(w.base), true.mean, lambda i: [s.arithmetic_mean(w.base[i])], logs=False
        ),
        "share": Attempt(rows.share(hits, counts), true.share, lambda i: [s.share(hits[i], counts)], logs=False),
        "share_few_misses": Attempt(
            rows.share(most, counts), true.mean_share_few_misses, lambda i: [s.share(most[i], counts)], logs=False
        ),
        "geometric_sd": Attempt(
            rows.geometric_sd(w.base), math.exp(true.log_sd), lambda i: [s.geometric_sd(w.base[i])]
        ),
        "dip": Attempt(
            rows.dip(w.flat[:, 0], w.flat[:, 1], w.flat[:, 2]),
            1.0,
            lambda i: [s.dip(w.flat[i, 0], w.flat[i, 1], w.flat[i, 2])],
        ),
    }
    if w.base.shape[1] >= MEDIAN_TRIALS:
        found["median"] = Attempt(rows.median(w.base), true.median, lambda i: [s.median(w.base[i])])
    return found


def check(name: str, attempt: Attempt) -> None:
    """Compare the first rows with the book's own intervals; BenchbookError at a difference."""
    for run in range(min(CHECKED, len(attempt.bounds.low))):
        own = np.array([[each.low, each.high] for each in attempt.own(run)])
        twin = np.array([np.ravel(attempt.bounds.low[run]), np.ravel(attempt.bounds.high[run])]).T
        if own.shape != twin.shape or not np.allclose(own, twin, rtol=TOLERANCE, atol=TOLERANCE):
            raise BenchbookError(
                f"the simulated {name} interval is {twin.tolist()}, the book's own is {own.tolist()}",
                "mend the twin in calibration/rows.py: the two must be equal",
            )


def counted(name: str, bounds: Bounds, truth: float | Array, *, logs: bool = True) -> Metrics:
    """Metrics of one interval: runs, runs covered (all comparisons at once), mean width of those that are there."""
    covered = bounds.cover(truth)
    together = np.asarray(covered.reshape(len(covered), -1).all(axis=1))
    width = np.log(bounds.high / bounds.low) if logs else bounds.high - bounds.low
    there = np.isfinite(width)
    return {
        f"{name}_runs": float(len(together)),
        f"{name}_covered": float(together.sum()),
        f"{name}_width": float(width[there].mean()) if there.any() else None,
    }
