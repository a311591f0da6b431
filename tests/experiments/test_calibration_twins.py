"""The simulation's vectorised intervals are the book's own, number by number; its wrong ways are the libraries'."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import coverage, decisions, rows, worlds, wrong_ways
from benchbook.chapters.calibration.simulation.distributions import Family
from benchbook.chapters.calibration.simulation.rows import Bounds
from benchbook.chapters.calibration.simulation.worlds import truths
from benchbook.claims import Region, Rule, judge
from benchbook.errors import BenchbookError
from benchbook.model import Outcome
from benchbook.statistics.effects import stalled
from benchbook.statistics.intervals import student

PARAMETERS = Parameters.given({"repetitions": 30, "slow_repetitions": 2, "between_trial_sd": 0.2, "page_requests": 200})
RUNS = 30


@pytest.mark.parametrize("family", PARAMETERS.families)
@pytest.mark.parametrize("size", [2, 3, 6, 11])
def test_every_interval_of_every_run_is_the_books_own(family: str, size: int) -> None:
    world = worlds.draw(Family(PARAMETERS, family, np.random.default_rng(size)), size, RUNS)
    attempts = coverage.attempts(PARAMETERS, world, truths(PARAMETERS, family))
    assert ("median" in attempts) == (size >= 6)
    for name, attempt in attempts.items():
        own = np.array([[[each.low, each.high] for each in attempt.own(run)] for run in range(RUNS)])
        assert np.allclose(np.reshape(attempt.bounds.low, own.shape[:2]), own[..., 0], rtol=1e-9, atol=0), name
        assert np.allclose(np.reshape(attempt.bounds.high, own.shape[:2]), own[..., 1], rtol=1e-9, atol=0), name


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_wilson_twin_is_the_books_own(successes: int, more: int) -> None:
    total = successes + more + 1
    own, twin = statistics.wilson(successes, total), rows.wilson(np.array([float(successes)]), total)
    assert (twin.low[0], twin.high[0]) == pytest.approx((own.low, own.high), rel=1e-9, abs=1e-12)


def test_hits_that_never_differ_give_an_interval_of_one_count_as_in_the_book() -> None:
    shares = np.ones((1, 6))
    own = statistics.share(shares[0], 200)
    assert rows.share(shares, 200) == pytest.approx((np.array([own.low]), np.array([own.high])))


def test_a_twin_that_differs_from_the_book_stops_the_simulation() -> None:
    values = np.random.default_rng(1).lognormal(size=(4, 6))
    right = coverage.Attempt(rows.geometric_mean(values), 1.0, lambda i: [statistics.geometric_mean(values[i])])
    coverage.check("right", right)
    wrong = replace(right, bounds=Bounds(right.bounds.low, right.bounds.high * 1.0001))
    with pytest.raises(BenchbookError, match="the simulated wrong interval"):
        coverage.check("wrong", wrong)


def test_counting_needs_all_comparisons_of_a_run_and_a_missing_interval_covers_nothing() -> None:
    low, high = np.array([[0.0, 0.0], [0.0, 2.0], [np.nan, 0.0]]), np.array([[2.0, 2.0], [2.0, 3.0], [np.nan, 2.0]])
    metrics = coverage.counted("it", Bounds(low, high), 1.0, logs=False)
    assert (metrics["it_runs"], metrics["it_covered"]) == (3, 1)
    assert metrics["it_width"] == pytest.approx(np.mean([2, 2, 2, 1, 2]))


@pytest.mark.parametrize("true_ratio", [1.0, 1.02, 1.05, 1.1, 1.25, 1.6])
def test_every_verdict_is_the_books_own(true_ratio: float) -> None:
    world = worlds.draw(Family(PARAMETERS, "lognormal", np.random.default_rng(3)), 8, RUNS)
    given_ = PARAMETERS.model_copy(update={"effects_percent": (100 * (true_ratio - 1),) if true_ratio > 1 else (2.0,)})
    metrics = decisions.measured(given_, world)
    for rule, claim in decisions.CLAIMS.items():
        own = [
            judge(claim, statistics.ratio(a * true_ratio, b), statistics.equivalence(a * true_ratio, b)).outcome
            for a, b in zip(world.again, world.base, strict=True)
        ]
        for outcome in decisions.OUTCOMES:
            said = own.count(outcome) + (own.count(Outcome.DESIGN) if outcome is INCONCLUSIVE else 0)
            assert metrics[decisions.metric(true_ratio, rule, outcome)] == said, (rule, outcome)


R, D, C, N, INCONCLUSIVE = decisions.OUTCOMES


@pytest.mark.parametrize(
    ("rule", "true_ratio", "untrue"),
    [
        ("greater", 1.0, {R, D}),
        ("greater", 1.02, {R}),
        ("greater", 1.05, {R}),
        ("greater", 1.06, {D, C}),
        ("less", 1.0, {R, D}),
        ("less", 0.97, {R}),
        ("less", 0.9, {D, C}),
        ("inside", 1.0, {R, D}),
        ("inside", 1.02, {R}),
        ("inside", 1.06, {R}),
        ("inside", 1.2, {D, C}),
        ("inside", 1.35, {R}),
        ("inside", 2.0, {R}),
        ("no_difference", 1.2, {R, D}),
        ("best", 0.9, {R, N}),
        ("best", 0.97, {R, C}),
        ("best", 1.0, {R, C}),
        ("best", 1.02, {C}),
        ("best", 1.06, {C, N}),
    ],
)
def test_a_verdict_is_false_when_it_says_something_untrue(rule: str, true_ratio: float, untrue: set[Outcome]) -> None:
    found = decisions.false_outcomes(decisions.region_of(rule), true_ratio)
    possible = {R, C, N} if rule == "best" else {R, C} if rule == "no_difference" else {R, D, C}
    assert found & possible == untrue & possible


def test_the_mirror_image_of_the_best_setting_is_false_on_the_mirrored_side() -> None:
    asked = Region(Rule.LESS, None, 1.05, 1.0, 1.0, best=True)
    assert decisions.false_outcomes(asked, 0.97) == {C}
    assert decisions.false_outcomes(asked, 1.1) == {R, N}


def test_a_quoted_ratio_has_the_ledgers_region() -> None:
    asked = decisions.region_of("inside")
    assert (asked.low, asked.high) == pytest.approx((1.0677, 1.2996), abs=1e-4)
    assert decisions.region_of("best").best


def test_no_difference_contradicted_is_false_on_a_a_data_and_no_open_verdict_ever_is() -> None:
    assert C in decisions.false_outcomes(decisions.region_of("no_difference"), 1.0)
    for rule in decisions.CLAIMS:
        for true_ratio in (0.5, 1.0, 1.05, 3.0):
            assert INCONCLUSIVE not in decisions.false_outcomes(decisions.region_of(rule), true_ratio)
    with pytest.raises(BenchbookError, match="no region"):
        decisions.false_outcomes(Region(Rule.PROSE, None, None, None, None), 1.0)


def test_the_pooled_interval_covers_exactly_when_the_count_below_the_truth_lies_between_its_ranks() -> None:
    generator = np.random.default_rng(5)
    low, high = wrong_ways.pooled_ranks(500, 0.9)
    hits = 0
    for _ in range(200):
        requests = np.sort(generator.exponential(size=500))
        below = int((requests <= np.log(10)).sum())
        covers = requests[low - 1] <= np.log(10) <= requests[high - 1]
        assert covers == (low <= below < high)
        hits += covers
    assert 180 <= hits <= 199, "of independent requests it covers 95 %"


def test_pooled_seconds_are_the_plain_t_interval_of_all_seconds() -> None:
    seconds = np.random.default_rng(6).lognormal(size=(3, 4, 50))
    bounds = wrong_ways.pooled_seconds(seconds.mean(axis=2), seconds.var(axis=2), 50)
    for run in range(3):
        own = stats.ttest_1samp(seconds[run].ravel(), 0).confidence_interval(0.95)
        assert (bounds.low[run], bounds.high[run]) == pytest.approx((own.low, own.high))


def test_dunnetts_intervals_are_scipys() -> None:
    logs = np.random.default_rng(7).normal(size=(1, 4, 6))
    bounds = wrong_ways.dunnett(logs)
    result = stats.dunnett(*logs[0, 1:], control=logs[0, 0], rng=np.random.default_rng(0))
    own = result.confidence_interval(0.95)
    assert bounds.low[0] == pytest.approx(own.low, abs=0.02)
    assert bounds.high[0] == pytest.approx(own.high, abs=0.02)
    assert wrong_ways.dunnett_critical(1, 6) == pytest.approx(stats.t.ppf(0.975, 10), rel=1e-4)


def test_bootstraps_are_given_for_each_run_and_the_percentile_one_uses_the_same_resamples() -> None:
    values = np.random.default_rng(8).normal(size=(5, 12))
    bca, percentile = wrong_ways.bootstraps(values, 999, np.random.default_rng(9))
    assert bca.low.shape == percentile.high.shape == (5,)
    for bounds in (bca, percentile):
        assert ((bounds.low < values.mean(axis=1)) & (values.mean(axis=1) < bounds.high)).all()
    own = stats.bootstrap((values[0],), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    assert percentile.low[0] == pytest.approx(own.low, abs=0.1)


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("visit_sd", [0.0, 0.03])
def test_an_interval_over_visits_is_the_books_wider_one(visit_sd: float, confidence: float) -> None:
    rng = np.random.default_rng(12)
    logs = rng.normal(size=(200, 4, 3)) * 0.05 + visit_sd * rng.normal(size=(200, 4, 1))
    bounds, visits = rows.over_visits(logs, confidence), np.repeat(range(4), 3)
    own = [student(run.ravel(), confidence, visits=visits) for run in logs]
    assert bounds.low == pytest.approx([each.low for each in own])
    assert bounds.high == pytest.approx([each.high for each in own])
    assert {each.visits for each in own} == {True, False}, "either is the wider one at times"


@pytest.mark.parametrize("size", [5, 6, 12])
def test_a_run_with_a_block_far_out_is_the_one_that_the_book_finds(size: int) -> None:
    logs = np.random.default_rng(10).standard_t(2, size=(200, size))
    assert rows.stalled(logs).tolist() == [stalled(each) for each in logs]
