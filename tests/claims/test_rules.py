"""A verdict's words, intervals that are none, and laws that hold whatever the interval."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from estimated import CLAIMS, DRIFT, INSIDE, NOISE, both, effect, on
from hypothesis import assume, given
from hypothesis import strategies as st

from benchbook.claims import Ground, Quantity, Rule, Testable, judge, judge_without_data, region
from benchbook.claims.rules import SETTLED, carried
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome
from benchbook.statistics import (
    equivalence,
    exact,
    geometric_mean,
    geometric_sd,
    ratio,
    share,
    shares_difference,
)


def numbers_of(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def test_a_verdict_says_number_interval_and_need_in_one_sentence():
    verdict = judge(INSIDE, effect(0.31), figure_id="fig-p99")
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.reason == (
        "The ratio is 0.310 [0.300, 0.320] (95 %, 8 blocks); the claim needs it inside [0.2727, 0.4545]."
    )
    assert (verdict.claim_id, verdict.figure_id, verdict.visits_needed) == ("L012", "fig-p99", None)
    assert verdict.estimate == effect(0.31)
    larger = judge(INSIDE, effect(0.7))
    assert larger.outcome is Outcome.DIRECTION_ONLY
    assert larger.reason.endswith("[0.2727, 0.4545]; only the direction is as claimed.")
    assert judge(INSIDE, effect(1.3)).outcome is Outcome.CONTRADICTED


def test_hit_ratios_next_to_one_are_not_printed_as_one():
    verdict = judge(CLAIMS["L011"], share([1.0] * 6, 30_000))
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.reason.startswith("The share is 0.99998 [0.99997, 1.00000] (95 %, 6 trials)")


def test_differences_of_shares_and_spreads_have_their_own_words():
    verdict = judge(CLAIMS["L052"], shares_difference([0.99, 0.98, 0.99], [0.1, 0.12, 0.11], 30_000))
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.reason.startswith("The difference is 0.877 [")
    spread = judge(CLAIMS["L089"], geometric_sd(NOISE))
    assert spread.outcome is Outcome.REPRODUCED
    assert "(95 %, 8 trials); the claim needs it below 1.25." in spread.reason
    absolute = judge(CLAIMS["R003"], geometric_mean(7_000 * NOISE))
    assert absolute.reason.startswith("The value in tps is 7,000 [6,7")


def test_the_margin_is_named_where_there_is_one():
    assert "it above 1.1 (1 and the margin)" in judge(CLAIMS["L001"], effect(2)).reason
    assert "it below 0.952381 (1 and the margin)" in judge(CLAIMS["L015"], effect(0.5)).reason
    assert judge(CLAIMS["L057"], effect(0.2)).reason.endswith("the claim needs it below 0.5463.")


def test_no_difference_shows_both_intervals():
    same = DRIFT * NOISE**0.3
    verdict = judge(CLAIMS["R053"], ratio(same, DRIFT), equivalence(same, DRIFT))
    assert verdict.outcome is Outcome.REPRODUCED
    assert re.search(r"\(95 %, 8 blocks\) and \[.*\] \(90 %, 8 blocks\)", verdict.reason)
    assert verdict.reason.endswith("the claim needs its 90 % interval inside [0.95, 1.05].")
    noisy = DRIFT * NOISE**2
    undecided = judge(CLAIMS["R053"], ratio(noisy, DRIFT), equivalence(noisy, DRIFT))
    assert undecided.outcome is Outcome.INCONCLUSIVE
    assert undecided.visits_needed == 1


def test_counted_and_recomputed_claims_show_their_working():
    verdict = judge(CLAIMS["L073"], exact(45_000 / 360), working="45,000 / 360 USD per day")
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.reason == ("45,000 / 360 USD per day: the ratio is 125; the claim needs it inside [124.5, 125.5].")
    missing = judge(CLAIMS["L007"], exact(999))
    assert missing.outcome is Outcome.CONTRADICTED
    assert missing.reason == "The count is 999; the claim needs at least 1,000."
    assert judge(CLAIMS["O075"], exact(0)).reason.endswith("the claim needs it to be 0.")
    with pytest.raises(BenchbookError, match="exact"):
        judge(CLAIMS["L007"], geometric_mean([999, 1_001]))


# intervals that are none


@pytest.mark.parametrize(
    ("low", "point", "high"),
    [
        (0.3, 0.31, math.inf),
        (-math.inf, 0.31, 0.32),
        (0.3, math.inf, math.inf),
        (math.nan, 0.31, 0.32),
        (0.3, math.nan, 0.32),
        (0.3, 0.31, math.nan),
    ],
)
@pytest.mark.parametrize("id_", ["L012", "L001", "L011", "R053"])
def test_an_interval_without_ends_is_refused(id_, low, point, high):
    kind = Estimate if CLAIMS[id_].unit != "ratio" else Effect
    given_ = kind(point, low, high, 8, "Student t on paired log differences")
    for ground in (Ground(), on(1), Ground(departure="6 s"), Ground(mechanism="no page was evicted")):
        with pytest.raises(BenchbookError, match=f"claim {id_} is .*, which is not an interval") as caught:
            judge(CLAIMS[id_], given_, replace(given_, confidence=0.9), ground=ground)
        assert caught.value.mend


@pytest.mark.parametrize("low", [0.0, -0.2])
def test_a_ratio_that_reaches_0_is_refused(low):
    with pytest.raises(BenchbookError, match="the ratio for claim L012 reaches down to") as caught:
        judge(INSIDE, Effect(0.31, low, 0.4, 8, "Student t on paired log differences"))
    assert caught.value.mend


def test_an_interval_that_is_too_weak_or_of_another_kind_is_refused():
    weak = ratio(DRIFT * NOISE, DRIFT, confidence=0.9)
    with pytest.raises(BenchbookError, match="90% interval where 95%"):
        judge(INSIDE, weak)
    with pytest.raises(BenchbookError, match="give the 90 % interval"):
        judge(CLAIMS["R053"], effect(1))
    with pytest.raises(BenchbookError, match="not inside the 95 %"):
        judge(CLAIMS["R053"], effect(1), replace(weak, high=weak.high * 2))
    with pytest.raises(BenchbookError, match="80%"):
        judge(CLAIMS["R053"], effect(1), ratio(DRIFT * NOISE, DRIFT, confidence=0.8))
    with pytest.raises(BenchbookError, match="does not contain its point"):
        judge(INSIDE, Estimate(1.0, 2.0, 3.0, 3, "Student t"))
    with pytest.raises(BenchbookError, match="asks for a ratio"):
        judge(INSIDE, shares_difference([0.5, 0.6], [0.1, 0.2], 10))


def test_claims_without_data_say_what_they_wait_for():
    prose, there, unread, unrun = (judge_without_data(CLAIMS[id_]) for id_ in ("L067", "L014", "L007", "L012"))
    assert prose.outcome is Outcome.NOT_A_MEASUREMENT
    assert there.outcome is Outcome.NOT_TESTABLE
    assert (
        there.reason
        == "This needs a production trace of feature-serving requests (pseudonymous keys with time stamps)."
    )
    assert unread.outcome is unrun.outcome is Outcome.NOT_YET_RUN
    assert "reading the sources" in unread.reason
    assert judge(CLAIMS["L067"], effect(1)) == prose


def test_every_claim_of_the_ledger_has_a_verdict_without_data_and_with_them():
    for claim in CLAIMS.values():
        waiting = judge_without_data(claim)
        assert waiting.reason.endswith(".")
        assert (waiting.outcome is Outcome.NOT_A_MEASUREMENT) == (claim.testable is Testable.NO)
        middle = claim.low if claim.low is not None else claim.high
        value = 1.0 if middle is None else middle * 1.001
        found = judge(claim, exact(value), exact(value))
        assert found.claim_id == claim.id
        assert found.outcome in SETTLED | {Outcome.INCONCLUSIVE, Outcome.DESIGN, Outcome.NOT_A_MEASUREMENT}
        assert found.reason.endswith(".")
        assert "None" not in found.reason


# laws

ratios = st.sampled_from(
    [
        claim
        for claim in CLAIMS.values()
        if claim.unit == "ratio" and claim.rule in {Rule.INSIDE, Rule.GREATER, Rule.LESS, Rule.NO_DIFFERENCE}
    ]
)
points, spreads = st.floats(-3, 3).map(math.exp), st.floats(1e-4, 1)


@given(ratios, points, spreads, st.integers(3, 40))
def test_the_printed_interval_stands_where_the_true_one_stands(claim, point, half, n):
    wide, narrow = both(point, half, n)
    asked = region(claim, difference=False)
    edges = [edge for edge in (asked.low, asked.high, asked.bound) if edge is not None]
    assume(all(abs(bound - edge) > 1e-6 * edge for edge in edges for bound in (wide.low, wide.high)))
    verdict = judge(claim, wide, narrow)
    _, low, high = numbers_of(verdict.reason.split(";")[0])[:3]
    for edge in edges:
        assert (low > edge, low < edge) == (wide.low > edge, wide.low < edge)
        assert (high > edge, high < edge) == (wide.high > edge, wide.high < edge)


@given(ratios, points, spreads, st.booleans())
def test_fewer_visits_take_a_verdict_away_and_give_no_other(claim, point, half, bounded):
    bounded = bounded and claim.rule is not Rule.NO_DIFFERENCE
    own, *fewer_and_fewer = (
        judge(claim, *both(point, half), ground=replace(ground, bounded=bounded))
        for ground in (on(9, Quantity.COUNTER), on(4), on(3), on(2), on(1))
    )
    for more, fewer in pairwise([own, *fewer_and_fewer]):
        if fewer.outcome in SETTLED:
            assert more.outcome is fewer.outcome
    if own.outcome in SETTLED:
        open_ = {Outcome.INCONCLUSIVE, Outcome.DESIGN}
        assert {each.outcome for each in fewer_and_fewer[:-1]} <= {own.outcome, *open_}
        assert fewer_and_fewer[-1].outcome in {own.outcome, Outcome.ONE_VISIT, Outcome.DESIGN}
    else:
        assert not SETTLED & {each.outcome for each in fewer_and_fewer}, "widening decides nothing that is open"


@given(st.floats(0.1, 10), st.sampled_from([0.0, 0.05, 0.1]), points, spreads, st.integers(1, 4), st.booleans())
def test_exchanging_numerator_and_denominator_changes_no_verdict(edge, margin, point, half, visits, by_region):
    if by_region:
        claim = replace(INSIDE, low=edge / 1.25, high=edge * 1.25)
        mirrored = replace(claim, low=0.8 / edge, high=1.25 / edge)
    else:
        claim = replace(CLAIMS["L001"], rule=Rule.GREATER, low=edge, high=None, margin=margin)
        mirrored = replace(claim, rule=Rule.LESS, low=None, high=1 / edge)
    (wide, narrow), (inverse, _) = both(point, half), both(1 / point, half)
    every = [wide, *(pair[0] for pair in carried((wide, narrow), on(visits)))]
    limits = [1.0, edge / 1.25, edge, edge * 1.25, edge * (1 + margin)]
    assume(all(abs(end / limit - 1) > 1e-9 for each in every for end in (each.low, each.high) for limit in limits))
    assume(all(abs(limit - 1) > 1e-9 for limit in limits[1:4:2]))
    for quantity in (Quantity.COMPARISON, Quantity.LEVEL):
        ground, turned = (on(visits, quantity, each=((own, own),) * visits) for own in (wide, inverse))
        found, other = judge(claim, wide, ground=ground), judge(mirrored, inverse, ground=turned)
        assert found.outcome is other.outcome or not SETTLED & {found.outcome, other.outcome}
