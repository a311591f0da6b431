"""One trial's seconds and counts, simulated; how often the intervals cover that are labelled "within this trial"."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.calibration import coverage, families, rows
from benchbook.experiments.calibration.coverage import Attempt, Metrics
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.rows import Bounds
from benchbook.model import Estimate


def measured(parameters: Parameters, length: int, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch: single trials of so many seconds, level 1; n in the figures is the number of seconds."""
    series = families.seconds(parameters, (parameters.slow_repetitions, length), generator)
    hits = generator.binomial(parameters.page_requests, parameters.hit_ratio, parameters.repetitions)
    successes = hits.astype(np.float64)
    wilson = Attempt(
        rows.wilson(successes, parameters.page_requests),
        parameters.hit_ratio,
        lambda i: [statistics.wilson(int(hits[i]), parameters.page_requests)],
        logs=False,
    )
    independent = families.seconds(parameters, (parameters.repetitions, length), generator)
    metrics: Metrics = {}
    coverage.check("wilson", wilson)
    metrics |= coverage.counted("wilson", wilson.bounds, wilson.truth, logs=False)
    metrics |= coverage.counted("stationary", stationary(parameters, series, generator), 1.0, logs=False)
    metrics |= coverage.counted("independent_seconds", rows.student(independent), 1.0, logs=False)
    return metrics


def stationary(parameters: Parameters, series: families.Array, generator: np.random.Generator) -> Bounds:
    """The book's own interval for each trial; there is no twin, so there are fewer of them."""
    found: list[Estimate] = [
        statistics.stationary_mean(one, resamples=parameters.resamples, seed=int(generator.integers(2**31)))
        for one in series
    ]
    return Bounds(np.array([each.low for each in found]), np.array([each.high for each in found]))
