"""What the simulation draws has the distributions that it says, and its true values are true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import distributions, worlds
from benchbook.chapters.calibration.simulation.distributions import Family
from benchbook.chapters.calibration.simulation.worlds import DRAWS, truths
from benchbook.statistics import quantile

PARAMETERS = Parameters.given({"between_trial_sd": 0.1})
MANY = 100_000


@pytest.mark.parametrize("family", PARAMETERS.families)
def test_levels_are_positive_and_spread_as_asked(family: str) -> None:
    levels = Family(PARAMETERS, family, np.random.default_rng(1)).levels((MANY,))
    assert levels.min() > 0
    if family == "stalls":
        assert np.mean(levels > 1.5) > 0.02, "some trials are disturbed as a whole"
    else:
        assert levels.mean() == pytest.approx(1, abs=0.01)
        assert levels.std() == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize("family", PARAMETERS.families)
def test_a_trials_p99_has_the_distribution_that_drawing_all_its_requests_gives(family: str) -> None:
    latency = Family(PARAMETERS, family, np.random.default_rng(2)).requests
    short = distributions.trial_quantiles(latency, 10_000, 0.99, (2_000,), np.random.default_rng(2))
    generator = np.random.default_rng(3)
    long = [quantile(latency.ppf(generator.random(10_000)), 0.99) for _ in range(400)]
    assert stats.ks_2samp(short, long).pvalue > 0.001
    assert np.median(short) == pytest.approx(float(latency.ppf(0.99)), rel=0.01)


def test_a_quantile_between_two_requests_is_interpolated() -> None:
    # of three uniform numbers the quantile 0.75 lies half-way between the second and the third
    drawn = distributions.trial_quantiles(stats.uniform(), 3, 0.75, (MANY,), np.random.default_rng(4))
    assert drawn.mean() == pytest.approx((2 / 4 + 3 / 4) / 2, abs=0.003)


def test_seconds_are_stationary_and_correlated_as_asked() -> None:
    series = distributions.seconds(PARAMETERS, (4_000, 60), np.random.default_rng(5)) - 1
    assert series[:, 0].std() == pytest.approx(0.1, rel=0.05)
    assert series[:, -1].std() == pytest.approx(0.1, rel=0.05)
    assert np.corrcoef(series[:, :-1].ravel(), series[:, 1:].ravel())[0, 1] == pytest.approx(0.6, abs=0.01)
    assert series.mean(axis=1).std() == pytest.approx(distributions.mean_of_seconds_sd(PARAMETERS, 60), rel=0.05)


def test_trials_of_a_block_share_its_effect_and_blocks_elsewhere_do_not() -> None:
    parameters = Parameters.given({"between_block_sd": 0.3, "between_trial_sd": 0.01})
    world = worlds.draw(Family(parameters, "lognormal", np.random.default_rng(6)), 400, 2)
    logs = [np.log(each[0]) for each in (world.base, world.again, world.elsewhere)]
    assert np.corrcoef(logs[0], logs[1])[0, 1] > 0.95
    assert abs(np.corrcoef(logs[0], logs[2])[0, 1]) < 0.25


def test_true_values_agree_with_closed_forms_where_there_are_any() -> None:
    error = 5 / math.sqrt(DRAWS)
    gamma, lognormal = truths(PARAMETERS, "gamma"), truths(PARAMETERS, "lognormal")
    noise = distributions.mean_of_seconds_sd(PARAMETERS, PARAMETERS.timelines_s[0])
    shape = 1 / 0.1**2
    inverse = shape / (shape - 1)  # mean of 1 / gamma of mean 1
    assert gamma.throughput_log_mean == pytest.approx(
        math.log(shape) - special.digamma(shape) - noise**2 / 2, abs=error * 0.1
    )
    assert gamma.second_mean == pytest.approx(inverse * math.exp(0.05**2 / 2), abs=error * 0.1)
    assert lognormal.throughput_log_mean == pytest.approx(-(noise**2) / 2, abs=error * 0.1)
    total = math.sqrt(0.05**2 + 0.1**2 + 0.5**2)
    assert lognormal.pooled_p99 == pytest.approx(math.exp(total * stats.norm.ppf(0.99)), rel=0.01)


@pytest.mark.parametrize("family", PARAMETERS.families)
def test_true_values_agree_with_another_simulation(family: str) -> None:
    true = truths(PARAMETERS, family)
    world = worlds.draw(Family(PARAMETERS, family, np.random.default_rng(7)), 10, 4_000)
    error = 5 / math.sqrt(40_000)
    logs = np.log(world.base)
    spread = float(logs.std())
    assert float(logs.mean()) == pytest.approx(true.log_mean, abs=error * spread)
    assert spread == pytest.approx(true.log_sd, rel=0.05)
    assert float(np.median(world.base)) == pytest.approx(true.median, rel=2 * error * spread)
    hits = world.hits / PARAMETERS.page_requests
    assert float((hits - world.fewer_hits / PARAMETERS.page_requests).mean()) == pytest.approx(
        true.shares_difference, abs=0.002
    )
    assert float(special.expit(special.logit(hits).mean())) == pytest.approx(true.share, abs=0.001)
