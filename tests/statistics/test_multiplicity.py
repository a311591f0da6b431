"""Expected numbers of false verdicts against textbook tails, on every scale that an interval is made on."""

import gc
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.multitest import multipletests

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import (
    Decided,
    arithmetic_mean,
    difference,
    equivalence,
    exact,
    expected_false,
    geometric_mean,
    holm,
    many_to_one,
    median,
    one_sided_error,
    ratio,
    share,
    shares_difference,
    wilson,
)
from benchbook.statistics.intervals import FIELLER
from benchbook.statistics.multiplicity import elsewhere_error, moved_error

VALUES = np.random.default_rng(1).lognormal(sigma=0.2, size=(2, 8))


def one_sided(values: np.ndarray, edge: float) -> float:
    """scipy's one-sided p-value of the mean against an edge below or above it."""
    alternative = "greater" if values.mean() > edge else "less"
    return float(stats.ttest_1samp(values, edge, alternative=alternative).pvalue)


@pytest.mark.parametrize("edge", [0.2, 0.5, 3.0, 9.0])
def test_errors_are_the_one_sided_p_values_of_the_edge_as_scipy_gives_them(edge: float) -> None:
    above, below = VALUES
    assert one_sided_error(ratio(above, below), [edge]) == pytest.approx(
        one_sided(np.log(above / below), math.log(edge))
    )
    assert one_sided_error(geometric_mean(above), [edge]) == pytest.approx(one_sided(np.log(above), math.log(edge)))
    assert one_sided_error(arithmetic_mean(above), [edge]) == pytest.approx(one_sided(above, edge))
    assert one_sided_error(difference(above, below), [edge]) == pytest.approx(one_sided(above - below, edge))
    assert one_sided_error(difference(above, below), [-edge]) == pytest.approx(one_sided(above - below, -edge))


def test_shares_are_judged_on_their_logit_and_their_differences_as_they_are() -> None:
    hits, fewer = np.random.default_rng(2).binomial(30_000, [[0.9], [0.8]], size=(2, 8)) / 30_000
    logits = special.logit((hits * 30_000 + 0.5) / 30_001)
    assert one_sided_error(share(hits, 30_000), [0.898]) == pytest.approx(
        one_sided(logits, special.logit(0.898)), rel=1e-6
    )
    assert one_sided_error(share(hits, 30_000), [1.0]) == 0
    found = shares_difference(hits, fewer, 30_000)
    assert one_sided_error(found, [0.095]) == pytest.approx(one_sided(hits - fewer, 0.095), rel=1e-6)


def test_an_edge_at_the_end_of_an_interval_costs_half_of_what_the_interval_leaves_out() -> None:
    above, below = VALUES
    several = ratio(above, below, visits=np.repeat(np.arange(4), 2))
    simultaneous = many_to_one(below, {"it": above, "other": above[::-1]})["it"]
    normal = Estimate(0.5, 0.4, 0.6, 1, "shares that sum to 1")
    for found in (ratio(above, below), wilson(40, 100), several, normal):
        assert one_sided_error(found, [found.low]) == pytest.approx(0.025)
        assert one_sided_error(found, [found.low, found.high]) == pytest.approx(0.05)
    narrow = equivalence(above, below)
    assert one_sided_error(narrow, [narrow.high]) == pytest.approx(0.05)
    assert one_sided_error(simultaneous, [simultaneous.high]) == pytest.approx(0.0125)
    order = median(above)
    assert one_sided_error(order, [order.high, 100.0]) == pytest.approx(0.025)


def test_numbers_without_width_and_edges_where_a_scale_ends_cannot_err() -> None:
    assert one_sided_error(exact(3), [2]) == 0
    assert one_sided_error(ratio(*VALUES), [0.0]) == 0


def test_where_an_interval_ends_at_nothing_the_distance_is_that_of_the_values() -> None:
    totals = Estimate(0.1, 0.0, 0.3, 6, FIELLER)
    assert one_sided_error(totals, [0.5]) == pytest.approx(stats.t.sf(2 * stats.t.ppf(0.975, 5), 5))


def test_an_edge_within_the_interval_is_refused() -> None:
    found = ratio(*VALUES)
    with pytest.raises(BenchbookError, match="lies within"):
        one_sided_error(found, [found.point])


def test_expected_number_is_the_sum_and_the_worst_case_counts_each_verdict_in_full() -> None:
    decided = [Decided("A", "one", 0.025, 0.025), Decided("B", "one", 0.05, 0.025), Decided("C", "two", 1e-5, 0.05)]
    whole = expected_false(decided)
    assert whole.decided == 3
    assert whole.chance == whole.expected == pytest.approx(0.07501)
    assert whole.worst == pytest.approx(0.025 + 0.025 + 0.05)
    assert whole.adjusted == pytest.approx({**holm({"A": 0.05, "B": 0.1}), "C": 2e-5})
    assert whole.fallen == ("A", "B")
    with pytest.raises(BenchbookError, match="named twice"):
        expected_false([decided[0], decided[0]])


def test_a_book_without_decided_verdicts_expects_none_false() -> None:
    whole = expected_false([])
    assert (whole.decided, whole.expected, whole.worst, whole.fallen) == (0, 0, 0, ())


def test_visits_processors_and_looks_add_their_terms_and_amended_regions_are_counted() -> None:
    plain = Decided("A", "one", 0.01, 0.025)
    late = Decided("B", "one", 0.02, 0.005, moved=0.03, elsewhere=0.1, look=4, amended=True)
    whole = expected_false([plain, late])
    assert (whole.chance, whole.visits, whole.processors) == (pytest.approx(0.03), 0.03, 0.1)
    assert (whole.looks, whole.again, whole.amended) == (pytest.approx(3 * 0.005), 1, 1)
    assert whole.expected == pytest.approx(0.03 + 0.03 + 0.1 + 0.015)


def test_other_visits_carry_a_ratio_by_an_eighth_of_its_logarithm_over_the_root_of_their_number() -> None:
    found = ratio(2 * VALUES[0] / VALUES[0].mean(), np.ones(8))
    log = math.log(found.point)
    for edge, visits in ((1.5, 1), (2.9, 2), (1.6, 3)):
        away = abs(math.log(edge) - log) / (log / 8 / math.sqrt(visits))
        assert moved_error(found, [edge], visits) == pytest.approx(stats.norm.sf(away))
    assert moved_error(found, [1.5, 2.9], 1) == pytest.approx(
        moved_error(found, [1.5], 1) + moved_error(found, [2.9], 1)
    )
    assert moved_error(found, [1.5], 4) == 0, "from four visits on the interval has their spread"
    assert moved_error(geometric_mean(VALUES[0]), [0.1], 1) == 0, "a level is asked of each visit"
    assert moved_error(found, [], 1) == 0


def test_another_processor_moves_a_ratio_near_one_little_and_another_one_much() -> None:
    values = VALUES[0] / np.exp(np.log(VALUES[0]).mean())
    for point, sd in ((2.0, 0.156), (1.05, 0.02), (0.95, 0.02)):
        found = ratio(point * values, np.ones(8))
        assert elsewhere_error(found, [1.5 * point]) == pytest.approx(stats.norm.sf(math.log(1.5) / sd))
    assert elsewhere_error(difference(*VALUES), [-1.0]) == 0


# Holm's adjustment


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """The library collects garbage each time: only what is made here is looked through."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
@settings(max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_keep_their_names_and_are_those_of_a_library(p_values: list[float]) -> None:
    family = {str(place): value for place, value in enumerate(p_values)}
    expected = dict(zip(family, multipletests(p_values, method="holm")[1].tolist(), strict=True))
    assert holm(family) == pytest.approx(expected, abs=1e-15)


def test_what_is_no_family_of_p_values_is_refused():
    with pytest.raises(BenchbookError, match="of b"):
        holm({"a": 0.5, "b": float("nan")})
    with pytest.raises(BenchbookError, match="without p-values"):
        holm({})
