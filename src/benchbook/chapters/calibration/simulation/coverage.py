"""How often each interval of the book covers in simulated runs with known truths, and how wide it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import distributions, rows, worlds
from benchbook.chapters.calibration.simulation.distributions import Array
from benchbook.chapters.calibration.simulation.rows import Bounds
from benchbook.chapters.calibration.simulation.worlds import Truths, World
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
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


def twin(name: str, truth: float | Array, *values: Array, counts: int | None = None, logs: bool = True) -> Attempt:
    """The interval that a function of ``statistics`` gives, by its twin in ``rows``. counts: what a share is of."""
    own, given = getattr(statistics, name), () if counts is None else (counts,)
    bounds = getattr(rows, name)(*values, *given)
    return Attempt(bounds, truth, lambda i: [own(*(each[i] for each in values), *given)], logs)


def tried(attempts: Mapping[str, Attempt]) -> Metrics:
    """For each interval the runs, how many covered, and the mean width.

    Raises BenchbookError when a twin and the book's own function differ: the simulation would prove nothing.
    """
    metrics: Metrics = {}
    for name, attempt in attempts.items():
        check(name, attempt)
        metrics |= counted(name, attempt.bounds, attempt.truth, logs=attempt.logs)
    return metrics


def attempts(parameters: Parameters, world: World, true: Truths) -> dict[str, Attempt]:
    """These intervals, by name; the median has none for few trials."""
    w, counts = world, parameters.page_requests
    hits, fewer, most = w.hits / counts, w.fewer_hits / counts, w.most_hits / counts
    found = {
        "ratio": twin("ratio", 1.0, w.again, w.base),
        "ratio_unblocked": twin("ratio_unblocked", 1.0, w.again, w.elsewhere),
        "difference": twin("difference", 0.0, w.again, w.base, logs=False),
        "shares_difference": twin("shares_difference", true.shares_difference, hits, fewer, counts=counts, logs=False),
        "equivalence": twin("equivalence", 1.0, w.again, w.base),
        "many_to_one": _many_to_one(parameters, w.sweep, true),
        "geometric_mean": twin("geometric_mean", math.exp(true.log_mean), w.base),
        "throughput": twin("geometric_mean", math.exp(true.throughput_log_mean), w.throughput),
        "arithmetic_mean": twin("arithmetic_mean", true.mean, w.base, logs=False),
        "share": twin("share", true.share, hits, counts=counts, logs=False),
        "share_few_misses": twin("share", true.mean_share_few_misses, most, counts=counts, logs=False),
        "geometric_sd": twin("geometric_sd", math.exp(true.log_sd), w.base),
        "dip": twin("dip", 1.0, w.flat[:, 0], w.flat[:, 1], w.flat[:, 2]),
    }
    if w.base.shape[1] >= MEDIAN_TRIALS:
        found["median"] = twin("median", true.median, w.base)
    return found


def _many_to_one(parameters: Parameters, sweep: Array, true: Truths) -> Attempt:
    base, others = sweep[:, 0], sweep[:, 1:]
    unequal = np.ones(parameters.settings - 1)
    unequal[-1] = math.exp((worlds.UNEQUAL - 1) * true.throughput_log_mean)

    def own(run: int) -> list[Estimate]:
        return [*statistics.many_to_one(base[run], {str(k): each for k, each in enumerate(others[run])}).values()]

    return Attempt(rows.many_to_one(base, others), unequal, own)


def check(name: str, attempt: Attempt) -> None:
    """Compare the first rows with the book's own intervals; BenchbookError at a difference."""
    for run in range(min(CHECKED, len(attempt.bounds.low))):
        own = np.array([[each.low, each.high] for each in attempt.own(run)])
        twin = np.array([np.ravel(attempt.bounds.low[run]), np.ravel(attempt.bounds.high[run])]).T
        if own.shape != twin.shape or not np.allclose(own, twin, rtol=TOLERANCE, atol=TOLERANCE):
            raise BenchbookError(
                f"the simulated {name} interval is {twin.tolist()}, the book's own is {own.tolist()}",
                "mend the twin in calibration/simulation/rows.py: the two must be equal",
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


def within(parameters: Parameters, length: int, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of single trials of so many seconds, level 1: what is shown as "within this trial"."""
    series = distributions.seconds(parameters, (parameters.slow_repetitions, length), generator)
    counts, share = parameters.page_requests, parameters.hit_ratio
    hits = generator.binomial(counts, share, parameters.repetitions)
    bounds = rows.wilson(hits.astype(np.float64), counts)
    wilson = Attempt(bounds, share, lambda i: [statistics.wilson(int(hits[i]), counts)], logs=False)
    independent = distributions.seconds(parameters, (parameters.repetitions, length), generator)
    return {
        **tried({"wilson": wilson}),
        **counted("stationary", stationary(parameters, series, generator), 1.0, logs=False),
        **counted("independent_seconds", rows.student(independent), 1.0, logs=False),
    }


def stationary(parameters: Parameters, series: Array, generator: np.random.Generator) -> Bounds:
    """The book's own interval for each trial; there is no twin, so there are fewer of them."""
    return _bounds(
        [
            statistics.stationary_mean(one, resamples=parameters.resamples, seed=int(generator.integers(2**31)))
            for one in series
        ]
    )


def cliffs(parameters: Parameters, flat: Array, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch: the cliff's place, its size, and its size where there is none; by the book's own function.

    flat: throughput without any cliff, shape (runs, settings, blocks); the first slow_repetitions are used. The place
    covers when the planted pair is in the set; the size, when the interval holds the true ratio of the pair it names.
    """
    some = flat[: parameters.slow_repetitions]
    steep = [_cliff(parameters, values, generator) for values in planted(parameters, some)]
    level = [_cliff(parameters, values, generator) for values in some]
    true_pair = cliff_pair(parameters)
    drop = 1 - parameters.cliff_percent / 100
    truths = np.array([drop if place == true_pair else 1.0 for place, _, _ in steep])
    located = sum(true_pair in places for _, places, _ in steep)
    sizes = [len(places) for _, places, _ in steep]
    return {
        "cliff_location_runs": float(len(steep)),
        "cliff_location_covered": float(located),
        "cliff_location_width": float(np.mean(sizes)),
        **counted("cliff_drop", _bounds([each for _, _, each in steep]), truths),
        **counted("cliff_flat", _bounds([each for _, _, each in level]), 1.0),
    }


def planted(parameters: Parameters, flat: Array) -> Array:
    """The sweeps with a cliff in the middle: from there on every setting has so much less throughput."""
    values = flat.copy()
    values[:, cliff_pair(parameters) + 1 :] *= 1 - parameters.cliff_percent / 100
    return values


def cliff_pair(parameters: Parameters) -> int:
    """Index of the last setting before the planted cliff."""
    return parameters.settings // 2 - 1


def _cliff(parameters: Parameters, values: Array, generator: np.random.Generator) -> tuple[int, set[int], Effect]:
    """Index of the pair that is found, indices of its set, and its drop; values: shape (settings, blocks)."""
    settings = np.arange(1.0, parameters.settings + 1)
    found = statistics.cliff(values.T, settings, resamples=parameters.resamples, seed=int(generator.integers(2**31)))
    return int(found.pair[0]) - 1, {int(pair[0]) - 1 for pair, _ in found.locations}, found.drop


def _bounds(found: Sequence[Estimate]) -> Bounds:
    return Bounds(np.array([each.low for each in found]), np.array([each.high for each in found]))
