"""Which sessions are one visit, and how far an interval reaches by how many visits stand behind it (item 20c to d)."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import (
    arithmetic_mean,
    difference,
    exact,
    geometric_mean,
    intervals,
    ratio,
    share,
    share_of_trials,
    shares_difference,
    wilson,
)
from benchbook.statistics.visits import borne, expected, moves, numbered, widened

HOUR = 3_600.0
AMD, INTEL = "AMD EPYC 25-17-1", "Intel Xeon 6-167-1"
LN_1_01, LN_1_25 = math.log(1.01), math.log(1.25)


def visits(*blocks: tuple[float, float, str]) -> list[int]:
    """Of blocks that began and ended at these hours on these processors."""
    begun, ended, processors = zip(*blocks, strict=True)
    found: list[int] = numbered(np.array(begun) * HOUR, np.array(ended) * HOUR, processors).tolist()
    return found


def test_midnight_is_nothing_and_twelve_hours_from_an_end_to_a_start_begin_another_visit() -> None:
    assert visits((23.5, 23.9, AMD), (24.17, 25, AMD)) == [0, 0]
    assert visits((0, 6, AMD), (17.9, 18, AMD)) == [0, 0], "it is the end that counts: here 18 hours from the start"
    assert visits((0, 6, AMD), (18, 19, AMD)) == [0, 1]
    assert visits((0, 15, AMD), (1, 2, AMD), (20, 21, AMD)) == [0, 0, 0], "the latest end, not that of the latest start"
    assert visits(*((hour, hour + 1, AMD) for hour in range(0, 96, 8))) == [0] * 12, "days without a pause are one"


def test_another_processor_model_is_another_visit_whatever_the_hour() -> None:
    assert visits((0, 1, AMD), (1, 2, INTEL), (2, 3, "AMD EPYC 26-2-1")) == [0, 1, 2]
    assert visits((0, 1, AMD), (1, 2, INTEL), (2, 3, AMD)) == [0, 1, 0], "the first goes on meanwhile"
    assert visits((0, 1, AMD), (6, 7, INTEL), (13, 14, AMD)) == [0, 1, 2], "which does not bridge its pause"


@given(
    gaps=st.lists(st.tuples(st.floats(0.01, 30), st.sampled_from([AMD, INTEL])), min_size=1, max_size=12),
    order=st.randoms(use_true_random=False),
    moved=st.floats(0, 1e4),
)
def test_neither_the_order_of_blocks_nor_the_hour_of_the_first_matters(gaps, order, moved) -> None:
    blocks = [
        (start, start + 0.5, processor)
        for start, (_, processor) in zip(np.cumsum([gap for gap, _ in gaps]), gaps, strict=True)
    ]
    places = [*range(len(blocks))]
    order.shuffle(places)
    found = visits(*blocks)
    assert visits(*(blocks[place] for place in places)) == [found[place] for place in places]
    shifted = np.array([start for start, _, _ in blocks]) + moved
    if all(abs(gap - 12.5) > 1e-6 for gap in np.subtract.outer(shifted, shifted).ravel()):
        assert visits(*((start, start + 0.5, p) for start, (_, _, p) in zip(shifted, blocks, strict=True))) == found
    for processor in (AMD, INTEL):
        own = [(block, number) for block, number in zip(blocks, found, strict=True) if block[2] == processor]
        for (before, first), (after, second) in pairwise(own):
            assert (second != first) is bool(after[0] * HOUR - before[1] * HOUR >= 12 * HOUR)


def test_no_block_is_no_visit() -> None:
    assert numbered([], [], []).tolist() == []


# what has to give the verdict


def on_logs(point: float, half: float, method: str = intervals.PAIRED_LOG_T) -> Effect:
    return Effect(point, point * math.exp(-half), point * math.exp(half), 8, method)


def halves(estimate: Estimate) -> tuple[float, float]:
    return math.log(estimate.point / estimate.low), math.log(estimate.high / estimate.point)


points, widths = st.floats(0.02, 50), st.floats(0, 1)


@given(points, widths, st.sampled_from([1, 2, 3, 4, 20]))
def test_one_visit_bears_a_quarter_too_two_or_three_what_visits_move_and_more_one_percent_alone(
    point: float, half: float, count: int
) -> None:
    """What visits move: an eighth of the distance from the same, by the root of their number."""
    q = min(max(abs(math.log(point)) / 8, LN_1_01), 0.15) if count in (2, 3) else 0.0
    reaches = [math.sqrt(half**2 + q**2 / count) + LN_1_01, *([half + LN_1_25] if count == 1 else [])]
    found = borne(on_logs(point, half), count)
    assert [halves(wide) for wide in found] == [pytest.approx((each, each), abs=1e-9) for each in reaches]
    assert {(wide.point, wide.n, wide.method) for wide in found} == {(point, 8, intervals.PAIRED_LOG_T)}


@pytest.mark.parametrize(
    ("point", "q"),
    [(1.0, LN_1_01), (1.05, LN_1_01), (2.0, math.log(2) / 8), (0.5, math.log(2) / 8), (3.2, 0.1454), (24, 0.15)],
)
def test_what_a_visit_moves_has_a_least_and_a_most(point: float, q: float) -> None:
    assert moves(on_logs(point, 0.1)) == pytest.approx(q, rel=1e-3)


def test_shares_are_borne_in_their_odds_and_savings_in_what_is_left() -> None:
    hits = Estimate(0.3, 0.28, 0.32, 8, intervals.LOGIT_T)
    centre, low, high = (float(logit(each)) for each in (0.3, 0.28, 0.32))
    q = abs(centre) / 8 / math.sqrt(2)
    [wide] = borne(hits, 2)
    assert wide.low == pytest.approx(expit(centre - math.hypot(centre - low, q) - LN_1_01))
    assert wide.high == pytest.approx(expit(centre + math.hypot(high - centre, q) + LN_1_01))
    assert moves(Estimate(0.5, 0.4, 0.6, 8, intervals.LOGIT_T)) == LN_1_01, "half and half is the same"
    _, saved = borne(Estimate(0.7, 0.6, 0.78, 6, intervals.COMPLEMENT_T), 1)
    assert (1 - saved.low, 1 - saved.high) == pytest.approx((0.4 * 1.25, 0.22 / 1.25))
    assert moves(Estimate(0.6, 0.5, 0.7, 6, intervals.COMPLEMENT_T)) == pytest.approx(-math.log(0.4) / 8)
    _, below = borne(Estimate(0.07, -0.05, 0.19, 6, intervals.COMPLEMENT_T), 1)
    assert below.low == pytest.approx(1 - 1.05 * 1.25)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_differences_have_no_factor_and_stay(count: int) -> None:
    for apart in (difference([3.0, 4.0, 5.5], [2.5, 4.1, 4.0]), shares_difference([0.5, 0.6], [0.4, 0.1], 1_000)):
        assert set(borne(apart, count)) == {apart}
        assert moves(apart) == 0


SCALES = [intervals.PAIRED_LOG_T, intervals.LOGIT_T, intervals.COMPLEMENT_T, intervals.LOG_T]
scales = st.sampled_from([*SCALES, *(each + intervals.OF_VISITS for each in SCALES)])
ends = st.tuples(*[st.floats(0.02, 0.98)] * 3).map(sorted)
more = st.floats(0, 3)


@given(scales, ends, more, more, more, more)
def test_whatever_widens_more_reaches_further_and_none_narrows(method, bounds, w, moved, more_w, more_moved) -> None:
    low, point, high = bounds
    estimate = Estimate(point, low, high, 6, method)
    less, wide = widened(estimate, w, moved), widened(estimate, w + more_w, moved + more_moved)
    assert wide.low - 1e-9 <= less.low <= low + 1e-9
    assert high - 1e-9 <= less.high <= wide.high + 1e-9
    twice = widened(widened(estimate, w), more_w)
    once = widened(estimate, w + more_w)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=1e-9)


@pytest.mark.parametrize(
    "estimate", [share([1.0, 1.0], 50), share_of_trials(8, 8), wilson(9, 9), wilson(0, 9)],
    ids=lambda each: f"{each.method} {each.point:.2g}",
)  # fmt: skip
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_share_of_all_or_none_has_no_odds_to_move_at_that_end_and_stays_a_share(
    estimate: Estimate, count: int
) -> None:
    for wide in borne(estimate, count):
        assert 0 <= wide.low <= estimate.low <= estimate.high <= wide.high <= 1
        for edge, moved, sign in ((estimate.low, wide.low, -1), (estimate.high, wide.high, 1)):
            assert (moved == edge) if edge in (0, 1) else (sign * logit(moved) > sign * logit(edge))


def test_what_no_visit_moves_comes_back_and_what_is_no_widening_is_refused() -> None:
    for estimate in (exact(3.0), geometric_mean([1.0, 2.0]), arithmetic_mean([-1.0, 1.0, 0.5])):
        assert widened(estimate, 0.0) is estimate
    same = ratio([2.0, 2.0], [1.0, 1.0])
    assert halves(borne(same, 4)[0]) == pytest.approx((LN_1_01,) * 2), "equal values are widened as all are"
    for bad in (-0.1, math.nan, math.inf):
        for w, moved in ((bad, 0.0), (0.0, bad)):
            with pytest.raises(BenchbookError, match="are no widening"):
                widened(same, w, moved)
    for low in (0.0, -0.1):
        with pytest.raises(BenchbookError, match="no logarithm to be widened on") as caught:
            borne(Estimate(0.5, low, 0.9, 6, intervals.T), 2)
        assert caught.value.mend


# where a further visit's number is expected


@pytest.mark.parametrize(("made", "sd"), [(ratio, 0.05), (difference, 0.05)])
def test_a_further_visit_lies_where_it_is_expected_as_often_as_promised(made: Any, sd: float) -> None:
    generator = np.random.default_rng(7)
    inside = 0
    for _ in range(600):
        before, after = np.exp(sd * generator.standard_normal(10)), np.exp(sd * generator.standard_normal(4))
        low, high = expected(made(before, np.ones(10)), 2, 2.0, 10, 4)
        inside += low <= made(after, np.ones(4)).point <= high
    assert inside >= 0.93 * 600


def test_it_is_expected_further_away_the_fewer_its_blocks_and_the_larger_the_effect() -> None:
    small, large = Effect(1.1, 1.05, 1.15, 10, "Student t on logs"), Effect(4.0, 3.9, 4.1, 10, "Student t on logs")

    def reach(effect: Effect, blocks: int) -> float:
        low, high = expected(effect, 2, 2.0, 10, blocks)
        assert low < effect.low < effect.high < high
        return math.log(high / low)

    assert reach(small, 2) > reach(small, 4) > reach(small, 100)
    assert reach(large, 4) > reach(small, 4), "a visit moves a large effect by more"
    of_visits = replace(large, method=f"Student t on logs{intervals.OF_VISITS}")
    low, high = expected(of_visits, 4, 4.0, 10, 2)
    assert math.log(high / 4.0) == pytest.approx(math.log(4.1 / 4.0) * math.sqrt(5) + LN_1_01, rel=1e-9)
    assert low < high
