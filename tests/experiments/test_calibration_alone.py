"""One arm stalls: the true ratios are true, and the intervals tried there are those that they claim to be."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import alone
from benchbook.chapters.calibration.simulation.distributions import STALLED, Family

PARAMETERS = Parameters.given({"repetitions": 2_000, "slow_repetitions": 2})


def test_the_true_mean_and_the_true_median_are_those_of_many_trials() -> None:
    given = PARAMETERS.model_copy(update={"between_trial_sd": 0.02})
    generator = np.random.default_rng(1)
    above, below = (Family(given, name, generator).levels((400_000,)) for name in ("stalls", "lognormal"))
    logs = np.log(above / below)
    assert logs.mean() == pytest.approx(STALLED / given.tail_index, abs=0.001)
    assert math.exp(np.median(logs)) == pytest.approx(alone.typical_ratio(0.02, given.tail_index), abs=0.0003)


def test_a_sign_flip_interval_is_what_no_sign_flip_test_rejects() -> None:
    values = np.random.default_rng(2).normal(size=(1, 7))
    bounds = alone.sign_flips(values, 99, np.random.default_rng(3))
    signs = np.array(list(product((-1, 1), repeat=7)))

    def p_value(centre: float) -> float:
        flipped = (signs * (values - centre)).mean(axis=1)
        return float(np.mean(np.abs(flipped) >= abs((values - centre).mean()) - 1e-12))

    for end, inward in ((bounds.low[0], 1e-6), (bounds.high[0], -1e-6)):
        assert p_value(end + inward) > 0.05
        assert p_value(end - inward) <= 0.05


@pytest.mark.parametrize("size", [8, 30])
def test_sign_flips_cover_where_the_values_are_spread_evenly(size: int) -> None:
    values = np.random.default_rng(4).standard_t(3, size=(4_000, size))
    covered = alone.sign_flips(values, 999, np.random.default_rng(5)).cover(0.0).mean()
    assert 0.935 <= covered <= 0.965


def test_the_mean_is_missed_where_one_arm_stalls_and_the_median_is_not() -> None:
    metrics = alone.measured(PARAMETERS, 0.02, 10, np.random.default_rng(6))
    assert 800 < (metrics["alone_found"] or 0) < 1_300, "two runs of three hold a stall, and most of those show it"
    assert (metrics["alone_missed_unseen"] or 0) > 200
    shares = {name: (metrics[f"alone_{name}_covered"] or 0) / 2_000 for name in ("ratio", "flips", "median")}
    assert shares["ratio"] < 0.7
    assert shares["flips"] < 0.7
    assert shares["median"] > 0.95
    assert set(alone.measured(PARAMETERS, 0.02, 3, np.random.default_rng(7))) == {
        "alone_ratio_runs", "alone_ratio_covered", "alone_ratio_width",
    }  # fmt: skip
