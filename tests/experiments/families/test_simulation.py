"""What is drawn has the distributions that it says; what is counted is what the book's own rules say of each run."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import special, stats

from benchbook import statistics
from benchbook.claims import Claim, Ground, Quantity, Region, Rule, judge
from benchbook.claims.together import Alone, by_host
from benchbook.errors import BenchbookError
from benchbook.measuring.simulation import coverage, decisions, visits, worlds, wrong_ways
from benchbook.measuring.simulation.parameters import Parameters
from benchbook.model import Outcome, Verdict
from benchbook.numbers import hosts
from benchbook.statistics.visits import LEAST_BLOCKS, worth

PARAMETERS = Parameters.given({"repetitions": 30, "between_trial_sd": 0.1, "visit_repetitions": 4_000})
RUNS, EDGE = 150, 1.25
CLAIM = replace(decisions.CLAIMS["greater"], low=EDGE, margin=0.0)
"""Holds above the edge, is wrong below it, and nothing else."""
SAYS = {Outcome.REPRODUCED: 1, Outcome.CONTRADICTED: -1}


@pytest.mark.parametrize("name", PARAMETERS.families)
def test_levels_spread_as_asked_and_a_p99_is_that_of_drawing_all_requests(name: str) -> None:
    family = worlds.Family(PARAMETERS, name, np.random.default_rng(2))
    levels = family.levels((100_000,))
    assert levels.min() > 0
    assert np.mean(levels > 1.5) > 0.02 if name == "stalls" else levels.std() == pytest.approx(0.1, rel=0.03)
    generator, latency = np.random.default_rng(3), family.requests
    short = worlds.trial_quantiles(latency, 10_000, 0.99, (2_000,), np.random.default_rng(2))
    long = [statistics.quantile(latency.ppf(generator.random(10_000)), 0.99) for _ in range(400)]
    assert stats.ks_2samp(short, long).pvalue > 0.001


def test_seconds_are_stationary_and_correlated_as_asked() -> None:
    series = worlds.seconds(PARAMETERS, (4_000, 60), np.random.default_rng(5)) - 1
    assert series[:, [0, -1]].std(axis=0) == pytest.approx(0.1, rel=0.05)
    assert np.corrcoef(series[:, :-1].ravel(), series[:, 1:].ravel())[0, 1] == pytest.approx(0.6, abs=0.01)
    assert series.mean(axis=1).std() == pytest.approx(worlds.mean_of_seconds_sd(PARAMETERS, 60), rel=0.05)


def test_true_values_agree_with_closed_forms_and_with_runs() -> None:
    error, noise = 5 / math.sqrt(worlds.DRAWS), worlds.mean_of_seconds_sd(PARAMETERS, PARAMETERS.timelines_s[0])
    gamma, lognormal = worlds.truths(PARAMETERS, "gamma"), worlds.truths(PARAMETERS, "lognormal")
    inverse = math.log(100) - special.digamma(100) - noise**2 / 2
    assert gamma.throughput_log_mean == pytest.approx(inverse, abs=error * 0.1)
    total = math.sqrt(0.05**2 + 0.1**2 + 0.5**2)
    assert lognormal.pooled_p99 == pytest.approx(math.exp(total * stats.norm.ppf(0.99)), rel=0.01)
    world = worlds.draw(worlds.Family(PARAMETERS, "lognormal", np.random.default_rng(7)), 10, 4_000)
    hits, fewer, most = (np.asarray(each) for each in world.hits)
    assert float(np.log(world.base).mean()) == pytest.approx(lognormal.log_mean, abs=0.003)
    assert float((hits - fewer).mean()) == pytest.approx(lognormal.shares_difference, abs=0.002)
    assert float(most.mean()) == pytest.approx(lognormal.share_few_misses, abs=1e-5)


def test_wrong_ways_are_those_of_the_libraries() -> None:
    rng = np.random.default_rng(6)
    seconds, logs = rng.lognormal(size=(3, 4, 50)), rng.normal(size=(1, 4, 6))
    plain = stats.ttest_1samp(seconds[1].ravel(), 0).confidence_interval(0.95)
    pooled = wrong_ways.pooled_seconds(seconds.mean(axis=2), seconds.var(axis=2), 50)
    assert (pooled.low[1], pooled.high[1]) == pytest.approx((plain.low, plain.high))
    own = stats.dunnett(*logs[0, 1:], control=logs[0, 0], rng=np.random.default_rng(0)).confidence_interval(0.95)
    assert wrong_ways.dunnett(logs).low[0] == pytest.approx(own.low, abs=0.02)
    low, high = wrong_ways.pooled_ranks(500, 0.9)
    below = (np.random.default_rng(5).exponential(size=(200, 500)) <= np.log(10)).sum(axis=1)
    assert 180 <= ((low <= below) & (below < high)).sum() <= 199, "of independent requests it covers 95 %"


def test_a_sign_flip_interval_is_what_no_sign_flip_test_rejects() -> None:
    values, signs = np.random.default_rng(2).normal(size=(1, 7)), np.array(list(product((-1, 1), repeat=7)))
    bounds = wrong_ways.sign_flips(values, 99, np.random.default_rng(3))
    for end, inward in ((bounds.low[0], 1e-6), (bounds.high[0], -1e-6)):
        for centre, kept in ((end + inward, True), (end - inward, False)):
            flipped = (signs * (values - centre)).mean(axis=1)
            assert (np.mean(np.abs(flipped) >= abs((values - centre).mean()) - 1e-12) > 0.05) == kept


def test_the_mean_is_missed_where_one_arm_stalls_and_the_median_is_not() -> None:
    given = PARAMETERS.model_copy(update={"repetitions": 2_000})
    found = wrong_ways.alone(given, 0.02, 10, np.random.default_rng(6))
    ratio, flips, median = (found[f"alone_{name}_covered"] or 0 for name in ("ratio", "flips", "median"))
    assert max(ratio, flips) < 0.7 * 2_000 < 0.95 * 2_000 < median


@pytest.mark.parametrize("true_ratio", [1.02, 1.1, 1.6])
def test_every_verdict_is_the_books_own(true_ratio: float) -> None:
    given = PARAMETERS.model_copy(update={"effects_percent": (100 * (true_ratio - 1),)})
    world = worlds.draw(worlds.Family(given, "stalls", np.random.default_rng(3)), 8, 30)
    metrics = decisions.measured(given, world)
    for rule, claim in decisions.CLAIMS.items():
        pairs = [(np.asarray(a) * true_ratio, np.asarray(b)) for a, b in zip(world.again, world.base, strict=True)]
        own = [judge(claim, statistics.ratio(*pair), statistics.equivalence(*pair)).outcome for pair in pairs]
        own = [Outcome.INCONCLUSIVE if each is Outcome.DESIGN else each for each in own]
        for outcome in decisions.OUTCOMES:
            assert metrics[decisions.metric(true_ratio, rule, outcome)] == own.count(outcome), (rule, outcome)


@pytest.mark.parametrize(
    ("rule", "true_ratio", "untrue"),
    [
        ("greater", 1.0, "RD"), ("greater", 1.05, "R"), ("greater", 1.06, "DC"), ("less", 1.0, "RD"),
        ("less", 0.97, "R"), ("less", 0.9, "DC"), ("inside", 1.0, "RD"), ("inside", 1.06, "R"), ("inside", 1.2, "DC"),
        ("inside", 1.35, "R"), ("no_difference", 1.0, "C"), ("no_difference", 1.2, "R"), ("best", 0.9, "RN"),
        ("best", 0.97, "RC"), ("best", 1.02, "C"), ("best", 1.06, "CN"),
    ],
)  # fmt: skip
def test_a_verdict_is_false_when_it_says_something_untrue(rule: str, true_ratio: float, untrue: str) -> None:
    said = {"best": "RCN", "no_difference": "RC"}.get(rule, "RDC")  # what a claim of this rule can come to
    found = decisions.false_outcomes(decisions.region_of(rule), true_ratio)
    false = {letter for letter, outcome in zip("RDCN", decisions.OUTCOMES, strict=False) if outcome in found}
    assert false & {*said} == {*untrue}
    mirrored = decisions.false_outcomes(Region(Rule.LESS, None, 1.05, 1.0, 1.0, best=True), 0.97)
    assert mirrored == {Outcome.CONTRADICTED}


def by_book(claim: Claim, logs: np.ndarray, labels: np.ndarray, confidence: float) -> Verdict:
    """The verdict of one kind of host, or of all: by the book's interval, its visits, its least number of blocks."""
    numbers = np.unique(labels, return_inverse=True)[1]
    ratios = EDGE * np.exp(logs)
    found = statistics.ratio(ratios, np.ones_like(ratios), visits=numbers, confidence=confidence)
    found = replace(found, typical=None)  # blocks that lie far out are simulated elsewhere
    few, counted = "too few" if len(logs) < 6 else "", int(numbers.max()) + 1
    ground = Ground(Quantity.COMPARISON, counted, worth(numbers), blocks=len(logs), a_visit=2, few=few)
    return judge(claim, found, ground=ground)


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("blocks", [*visits.DESIGNS.values(), (4,) * 5], ids=str)
def test_what_is_said_of_each_run_is_what_the_books_own_rules_say(blocks: tuple[int, ...], confidence: float) -> None:
    rng, shape = np.random.default_rng(len(blocks)), (RUNS, len(blocks))
    other = rng.random(shape) < 0.5
    other[:, 0] = False
    differs, moved = 0.3 * rng.normal(size=(RUNS, 1)), 0.02 * rng.normal(size=shape)
    logs = 0.1 * rng.normal(size=(RUNS, 1, 1)) + (other * differs + moved)[..., None]
    logs = logs + 0.05 * rng.normal(size=(*shape, max(blocks)))
    found = visits.ruled(logs, other, blocks, math.log(EDGE), confidence)
    labels, there = np.repeat(range(len(blocks)), blocks), np.arange(max(blocks)) < np.array(blocks)[:, None]
    for run in range(RUNS):
        own, second = logs[run][there], np.repeat(other[run], blocks)
        whole = by_book(CLAIM, own, labels, confidence)
        assert found.whole[run] == SAYS.get(whole.outcome, 0)
        alone, groups = [], []
        for name, part in (("one", ~second), ("other", second)):
            if part.sum() >= LEAST_BLOCKS:
                alone.append(Alone(name, "", by_book(CLAIM, own[part], labels[part], confidence), int(part.sum())))
                groups.append([own[labels == visit].mean() for visit in np.unique(labels[part])])
        ends = [each.verdict.estimate for each in alone if each.verdict.estimate]
        apart = max(each.low for each in ends) > min(each.high for each in ends) and hosts._differ(groups)
        assert found.apart[run] == apart
        final = by_host(whole, CLAIM, alone, apart=apart)
        assert found.final[run] == SAYS.get(final.outcome, 0)
        assert found.depends[run] == (final.outcome is Outcome.HOST)


def test_an_interval_that_differs_from_the_books_own_stops_the_simulation() -> None:
    logs, labels = 0.05 * np.random.default_rng(1).normal(size=(2, 2, 4)), np.repeat([0, 1], 4)
    found = visits.numbers(logs, np.ones_like(logs, dtype=bool), 0.95)
    visits.check(logs[0].ravel(), labels, math.log(EDGE), 0.95, found)
    with pytest.raises(BenchbookError, match="the simulated ratio over visits"):
        visits.check(logs[1].ravel(), labels, math.log(EDGE), 0.95, found)


def test_looking_again_costs_less_at_99_percent_than_at_95() -> None:
    given = PARAMETERS.model_copy(update={"edge_ratios": (EDGE,)})
    found = visits.measured(given, 0.06, 0.05, 1.0, 1, np.random.default_rng(2))
    ways = ("2x4", visits.AGAIN, visits.PLAIN)
    planned, later, plain = (sum(found[f"{way}_1_25_{side}"] or 0 for side in visits.SIDES) for way in ways)
    assert planned <= later < plain
    assert found["1x6_1_25_above"] == 0, "one visit has to bear a quarter"


@pytest.mark.parametrize("blocks", coverage.LEVEL_DESIGNS.values(), ids=str)
def test_a_level_is_decided_where_the_books_own_rule_decides_it(blocks: tuple[int, ...]) -> None:
    rng, shape, labels = np.random.default_rng(6), (60, len(blocks)), np.repeat(range(len(blocks)), blocks)
    logs = 0.1 * rng.normal(size=(60, 1, 1)) + 0.03 * rng.normal(size=(*shape, 1))
    logs = logs + 0.03 * rng.normal(size=(*shape, blocks[0]))
    above, below = coverage.agreeing(logs)
    for run in range(60):
        whole = statistics.geometric_mean(EDGE * np.exp(logs[run].ravel()), visits=labels)
        each = tuple((statistics.geometric_mean(EDGE * np.exp(visit)),) * 2 for visit in logs[run])
        ground = Ground(Quantity.LEVEL, visits=len(blocks), blocks=len(labels), a_visit=2, each=each)
        assert above[run] - below[run].astype(int) == SAYS.get(judge(CLAIM, whole, ground=ground).outcome, 0)


def test_means_of_visits_that_agree_by_luck_cover_too_seldom_and_the_wider_interval_does_not() -> None:
    given = PARAMETERS.model_copy(update={"luck_visits": (4,), "luck_blocks": (3,)})
    alike, unlike = (coverage.luck(given, sd, np.random.default_rng(10)) for sd in (0.0, 0.1))
    lucky = alike["visits_4x3_lucky"] or 0
    assert (alike["visits_4x3_means_lucky_covered"] or 0) < 0.7 * lucky
    assert (alike["visits_4x3_wider_lucky_covered"] or 0) > 0.9 * lucky > 70
    assert (unlike["visits_4x3_blocks_covered"] or 0) < 0.8 * 4_000 < (unlike["visits_4x3_wider_covered"] or 0)
