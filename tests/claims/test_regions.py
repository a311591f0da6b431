"""The rules of the protocol's item 19, held against its sentences."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.claims import Claim, Rule, Testable, region
from benchbook.errors import BenchbookError
from benchbook.model import Outcome

REPRODUCED, DIRECTION, CONTRADICTED, OPEN = (
    Outcome.REPRODUCED,
    Outcome.DIRECTION_ONLY,
    Outcome.CONTRADICTED,
    Outcome.INCONCLUSIVE,
)
CLAIM = Claim(
    *("X001", "000", "section", "quote", "kind", "chapter", "L1", "metric", "ratio", "estimand"),
    *(Rule.INSIDE, None, None, 0.0, "family", False, Testable.HERE, True, "", "reading"),
)


def claim(rule: Rule, low=None, high=None, margin=0.0, unit="ratio") -> Claim:
    return replace(CLAIM, rule=rule, low=low, high=high, margin=margin, unit=unit)


def best(rule: Rule, **edges: float) -> Claim:
    """The same of a setting that is recommended."""
    return replace(claim(rule, **edges), kind="recommendation")


def outcome(asked: Claim, low: float, high: float, narrow=None, difference=None) -> Outcome:
    return region(asked, difference=difference).outcome(low, high, *(narrow or (low, high)))


@pytest.mark.parametrize(
    ("region", "interval", "expected"),
    [
        ((0.27, 0.45), (0.27, 0.45), REPRODUCED),
        ((0.27, 0.45), (0.10, 0.27), OPEN),
        ((0.27, 0.45), (0.10, 0.20), DIRECTION),
        ((0.27, 0.45), (0.90, 1.00), CONTRADICTED),
        ((1.0, 1.425), (1.5, 1.6), DIRECTION),
        ((1.0, 1.425), (0.9, 0.95), CONTRADICTED),
        ((0.7, 1.0), (0.5, 0.6), DIRECTION),
        ((0.8, 1.25), (1.3, 1.4), CONTRADICTED),
    ],
)
def test_the_edges_of_a_region_and_1_belong_to_what_lies_between_them(region, interval, expected):
    """What lies elsewhere is compared below with the protocol's sentences."""
    assert outcome(claim(Rule.INSIDE, *region), *interval) is expected


def test_a_share_or_a_size_lies_on_no_side_but_a_difference_of_shares_does():
    asked = claim(Rule.INSIDE, 0.26, 0.36, unit="fraction")
    assert outcome(asked, 0.1, 0.2) is CONTRADICTED
    assert outcome(asked, 0.1, 0.2, difference=True) is DIRECTION
    assert outcome(asked, -0.1, 0.2, difference=True) is CONTRADICTED
    assert outcome(claim(Rule.INSIDE, 5_600, 8_800, unit="tps"), 9_000, 9_500) is CONTRADICTED


@pytest.mark.parametrize(
    ("low", "high", "interval", "free"),
    [
        (1.129, 1.764, (1.02, 1.10), DIRECTION),  # P99 over P50 cannot be below 1
        (0.34, 0.54, (0.6, 0.9), DIRECTION),  # the minimum over P50 cannot be above 1
        (0.34, 0.54, (0.4, 0.5), REPRODUCED),
        (0.34, 0.54, (0.5, 0.6), OPEN),
    ],
)
def test_a_bounded_ratio_has_no_claimed_side(low, high, interval, free):
    asked = claim(Rule.INSIDE, low, high)
    assert outcome(asked, *interval) is free
    bounded = region(asked, bounded=True)
    assert bounded.side == 0
    expected = CONTRADICTED if free is DIRECTION else free
    assert bounded.outcome(*interval, *interval) is expected


def test_where_a_ratio_is_bounded_one_sided_claims_are_judged_as_ever():
    for asked in (claim(Rule.GREATER, low=1.5, margin=0.1), claim(Rule.LESS, high=1.25)):
        for interval in ((1.6, 2.0), (1.55, 1.6), (1.0, 1.2), (1.3, 1.4), (1.2, 1.8)):
            free, bounded = region(asked), region(asked, bounded=True)
            assert free.outcome(*interval, *interval) is bounded.outcome(*interval, *interval)


@pytest.mark.parametrize(
    ("edge", "margin", "interval", "expected"),
    [
        (1.0, 0.1, (1.11, 1.30), REPRODUCED),
        (1.0, 0.1, (1.10, 1.30), OPEN),
        (1.0, 0.1, (1.02, 1.10), DIRECTION),
        (1.0, 0.1, (1.00, 1.09), CONTRADICTED),
        (1.0, 0.1, (0.97, 1.10), OPEN),
        (0.99, 0.0, (0.99, 1), OPEN),
    ],
)
def test_greater_is_strictly_greater(edge, margin, interval, expected):
    assert outcome(claim(Rule.GREATER, low=edge, margin=margin), *interval) is expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((0.5, 0.90), REPRODUCED),
        ((0.92, 0.99), DIRECTION),
        ((0.5, 0.99), OPEN),
        ((0.92, 1.01), CONTRADICTED),
        ((0.8, 1.2), OPEN),
    ],
)
def test_less_is_the_mirror_image(interval, expected):
    assert outcome(claim(Rule.LESS, high=1.0, margin=0.1), *interval) is expected


def test_a_margin_is_relative_for_ratios_and_quantities_and_added_for_shares_and_differences():
    assert region(claim(Rule.GREATER, low=2.0, margin=0.1)).bound == pytest.approx(2.2)
    assert region(claim(Rule.LESS, high=2.2, margin=0.1)).bound == pytest.approx(2.0)
    assert region(claim(Rule.GREATER, low=1e4, margin=0.05, unit="tps")).bound == pytest.approx(10_500)
    assert region(claim(Rule.GREATER, low=0.0, margin=0.05, unit="fraction")).bound == 0.05
    assert region(claim(Rule.LESS, high=0.5, margin=0.1, unit="share")).bound == 0.4
    assert region(claim(Rule.GREATER, low=10.0, margin=0.5, unit="ms"), difference=True).bound == 10.5


@pytest.mark.parametrize(
    ("narrow", "wide", "expected"),
    [
        ((0.96, 1.04), (0.94, 1.06), REPRODUCED),
        ((0.95, 1.05), (0.90, 1.10), REPRODUCED),
        ((0.94, 1.04), (0.93, 1.05), OPEN),
        ((1.06, 1.20), (1.04, 1.22), OPEN),
        ((1.06, 1.20), (1.051, 1.22), CONTRADICTED),
        ((0.50, 0.60), (0.49, 0.61), CONTRADICTED),
        ((0.50, 1.60), (0.49, 1.61), OPEN),
    ],
)
def test_no_difference_reads_the_ninety_percent_interval_to_accept_and_the_other_to_refuse(narrow, wide, expected):
    assert outcome(claim(Rule.NO_DIFFERENCE, margin=0.05), *wide, narrow) is expected


def test_no_difference_of_a_difference_is_about_zero_and_of_a_level_makes_no_sense():
    asked = claim(Rule.NO_DIFFERENCE, margin=0.05, unit="fraction")
    assert outcome(asked, -0.01, 0.02, difference=True) is REPRODUCED
    assert outcome(asked, 0.96, 1.02, difference=True) is CONTRADICTED
    with pytest.raises(BenchbookError, match="level"):
        region(asked)


def test_counted_numbers_are_within_the_edges_or_not():
    exists, arithmetic = region(claim(Rule.EXISTS, low=2.0)), region(claim(Rule.ARITHMETIC, 124.5, 125.5))
    assert [exists.counted(value) for value in (1, 2, 3)] == [CONTRADICTED, REPRODUCED, REPRODUCED]
    assert [arithmetic.counted(value) for value in (124.4, 124.5, 125.5, 126)] == [
        *(CONTRADICTED, REPRODUCED, REPRODUCED, CONTRADICTED)
    ]


def test_an_estimate_of_another_kind_than_the_claim_is_refused():
    with pytest.raises(BenchbookError, match="asks for a ratio"):
        region(claim(Rule.INSIDE, 0.5, 0.9), difference=True)
    with pytest.raises(BenchbookError, match="got a ratio"):
        region(claim(Rule.INSIDE, 0.5, 0.9, unit="fraction"), difference=False)


numbers = st.floats(0.05, 20)
intervals = st.tuples(numbers, numbers).map(sorted)
margins = st.sampled_from([0.0, 0.03, 0.05, 0.1])


def exactly_one(sentences: dict[Outcome, bool]) -> Outcome:
    held = [name for name, holds in sentences.items() if holds]
    assert len(held) <= 1
    return held[0] if held else OPEN


@given(numbers, margins, intervals)
def test_greater_gives_the_one_outcome_whose_sentence_holds(edge, margin, interval):
    low, high = interval
    bound = edge * (1 + margin)
    expected = exactly_one(
        {
            REPRODUCED: low > bound,
            DIRECTION: edge < low <= bound and high <= bound,
            CONTRADICTED: high < bound and not low > edge,
        }
    )
    assert outcome(claim(Rule.GREATER, low=edge, margin=margin), low, high) is expected


@given(intervals, intervals)
def test_inside_gives_the_one_outcome_whose_sentence_holds(edges, interval):
    (below, above), (low, high) = edges, interval
    disjoint = high < below or low > above
    claimed = (above <= 1 and high < 1) if not below >= 1 else low > 1
    expected = exactly_one(
        {
            REPRODUCED: below <= low and high <= above,
            DIRECTION: disjoint and claimed,
            CONTRADICTED: disjoint and not claimed,
        }
    )
    assert outcome(claim(Rule.INSIDE, below, above), low, high) is expected


@given(
    st.sampled_from([Rule.INSIDE, Rule.GREATER, Rule.LESS, Rule.NO_DIFFERENCE]), intervals, margins, numbers, st.data()
)
def test_a_narrower_interval_never_undoes_a_decision(rule, edges, margin, point, data):
    asked = claim(rule, *edges, margin=margin)
    low, high = data.draw(st.floats(0.01, point)), data.draw(st.floats(point, 30))
    decided = outcome(asked, low, high) is not OPEN
    low, high = data.draw(st.floats(low, point)), data.draw(st.floats(point, high))
    assert not decided or outcome(asked, low, high) is not OPEN


@pytest.mark.parametrize(
    ("interval", "greater"),
    [
        ((1.01, 1.30), REPRODUCED),
        ((1.001, 1.02), REPRODUCED),
        ((0.96, 1.04), Outcome.NO_EFFECT),
        ((0.95, 1.05), Outcome.NO_EFFECT),
        ((0.96, 0.99), Outcome.NO_EFFECT),
        ((0.94, 1.04), OPEN),
        ((0.98, 1.06), OPEN),
        ((0.80, 0.94), CONTRADICTED),
    ],
)
def test_a_setting_of_the_best_configuration_helps_has_no_effect_or_harms(interval, greater):
    assert outcome(best(Rule.GREATER, low=0.95), *interval) is greater
    mirrored = 1 / interval[1], 1 / interval[0]
    less = outcome(best(Rule.LESS, high=1.05), *mirrored)
    if greater is not Outcome.NO_EFFECT and min(map(abs, (mirrored[0] - 0.95, mirrored[1] - 1.05))) > 0.005:
        assert less is greater
    assert outcome(best(Rule.GREATER, low=0.95, margin=0.05), *interval) is not Outcome.NO_EFFECT
    alone = outcome(claim(Rule.GREATER, low=0.95), *interval)
    assert (alone is REPRODUCED) == (interval[0] > 0.95), "that it does no harm is all that was claimed"
