"""Simulated sweeps go in; how often the book's cliff is found where it is, and how often where there is none."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.calibration.coverage import Metrics, counted
from benchbook.experiments.calibration.families import Array
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.rows import Bounds
from benchbook.model import Effect


def measured(parameters: Parameters, flat: Array, generator: np.random.Generator) -> Metrics:
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


def _bounds(effects: list[Effect]) -> Bounds:
    return Bounds(np.array([each.low for each in effects]), np.array([each.high for each in effects]))
