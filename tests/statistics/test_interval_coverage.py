"""Simulated coverage of the 95 % intervals, at six blocks: seeded, with limits of about three standard errors."""

import numpy as np
import pytest
from scipy import special

from benchbook.statistics import (
    drift,
    geometric_mean,
    geometric_sd,
    many_to_one,
    ratio,
    ratio_unblocked,
    share,
    trial_variance,
)

BLOCKS = 6
REPEATS = 1_500
LIMITS = (0.93, 0.97)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


def blocked(rng: np.random.Generator, sds: list[float], block_sd: float = 0.5) -> np.ndarray:
    """Lognormal per-trial values around 1, shape (repeats, arms, blocks), with effects that arms of a block share."""
    noise = rng.normal(size=(REPEATS, len(sds), BLOCKS)) * np.array(sds)[:, None]
    return np.exp(noise + block_sd * rng.normal(size=(REPEATS, 1, BLOCKS)))


def covered(estimates, truth: float) -> float:
    return float(np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]))


COVERED = {
    "a ratio, whatever the blocks do": (lambda arms: ratio(*arms), [0.05, 0.2], 0.5, 1.0),
    "a mean": (lambda arms: geometric_mean(arms[0]), [0.1], 0.5, 1.0),
    "without blocks, unequal spreads": (lambda arms: ratio_unblocked(arms[0], arms[1][:5]), [0.05, 0.4], 0.0, 1.0),
    "a spread": (lambda arms: geometric_sd(arms[0]), [0.2], 0.0, float(np.exp(0.2))),
    "a trial's variance, whatever the blocks do": (lambda arms: trial_variance(*arms), [0.1, 0.1], 1.0, 0.01),
    "a drift": (lambda arms: drift(arms[0] * np.exp(0.01 * np.arange(BLOCKS))), [0.05], 0.0, 0.01),
}


@pytest.mark.parametrize(("estimate", "sds", "block_sd", "truth"), COVERED.values(), ids=COVERED)
def test_an_interval_covers_the_truth(rng, estimate, sds, block_sd, truth):
    values = blocked(rng, sds, block_sd)
    assert LIMITS[0] <= covered(map(estimate, values), truth) <= LIMITS[1]


def test_a_share_covers_the_truth_on_the_logit(rng):
    truth = 0.97
    shares = special.expit(special.logit(truth) + 0.4 * rng.normal(size=(REPEATS, BLOCKS)))
    hits = rng.binomial(30_000, shares) / 30_000
    assert LIMITS[0] <= covered((share(trial, 30_000) for trial in hits), truth) <= LIMITS[1]


@pytest.mark.parametrize("blocks", [6, 40])
def test_a_share_covers_the_truth_also_where_misses_are_counted_in_ones(rng, blocks):
    misses = rng.poisson(3 * np.exp(0.05 * rng.normal(size=(REPEATS, blocks))))
    truth = 1 - 3 * np.exp(0.05**2 / 2) / 30_000
    assert LIMITS[0] - 0.01 <= covered((share(1 - row / 30_000, 30_000) for row in misses), truth) <= LIMITS[1]


@pytest.mark.parametrize("sds", [[0.1] * 6, [0.03, 0.1, 0.1, 0.1, 0.1, 0.1], [0.05, 0.05, 0.05, 0.05, 0.05, 0.4]])
def test_simultaneous_intervals_hold_together_also_when_the_arms_differ_in_spread(rng, sds):
    values = blocked(rng, sds)
    together = [
        all(effect.low <= 1 <= effect.high for effect in many_to_one(arms[0], dict(enumerate(arms[1:]))).values())
        for arms in values
    ]
    # Bonferroni may cover more than 95 %, never less
    assert LIMITS[0] <= float(np.mean(together)) <= 0.985
