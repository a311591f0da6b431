import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchbook.claims import Ground, Quantity, Rule, Testable, judge, judge_without_data, load_claims, region
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome
from benchbook.statistics import (
    Gate,
    Movement,
    equivalence,
    exact,
    geometric_mean,
    geometric_sd,
    intervals,
    many_to_one,
    predicted,
    ratio,
    share,
    shares_difference,
)

CLAIMS = load_claims(Path(__file__).resolve().parents[2] / "data" / "claims.csv")
NOISE = np.exp(np.array([0.03, -0.05, 0.04, -0.02, 0.05, -0.04, 0.01, -0.02]))
DRIFT = np.linspace(50, 90, 8)


def off(name: str, reason: str) -> Gate:
    """A check that the trials did not pass."""
    return Gate(name, False, 1.0, reason)


def effect(point: float, spread: float = 1.0) -> Effect:
    return ratio(point * DRIFT * NOISE**spread, DRIFT)


def numbers_of(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def test_a_verdict_says_number_interval_and_need_in_one_sentence():
    verdict = judge(CLAIMS["L012"], effect(0.31), figure_id="fig-p99")
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.reason == (
        "The ratio is 0.310 [0.300, 0.320] (95 %, 8 blocks); the claim needs it inside [0.2727, 0.4545]."
    )
    assert (verdict.claim_id, verdict.figure_id, verdict.trials_needed) == ("L012", "fig-p99", None)
    assert verdict.estimate == effect(0.31)


def test_the_reason_says_that_only_the_direction_holds():
    verdict = judge(CLAIMS["L012"], effect(0.7))
    assert verdict.outcome is Outcome.DIRECTION_ONLY
    assert verdict.reason.endswith("[0.2727, 0.4545]; only the direction is as claimed.")
    assert judge(CLAIMS["L012"], effect(1.3)).outcome is Outcome.CONTRADICTED


def test_an_open_verdict_names_the_number_of_blocks_that_would_decide_it():
    claim, found = CLAIMS["L012"], effect(0.47, spread=2)
    verdict = judge(claim, found)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert f"{verdict.trials_needed} blocks would decide it" in verdict.reason
    asked = region(claim, difference=False)

    def outcome(blocks: int) -> Outcome:
        bounds = predicted(found, blocks)
        return asked.outcome(*bounds, *bounds)

    assert outcome(verdict.trials_needed) is Outcome.DIRECTION_ONLY
    assert outcome(verdict.trials_needed - 1) is Outcome.INCONCLUSIVE
    assert verdict.trials_needed > found.n


def test_no_number_of_blocks_decides_a_point_on_the_edge():
    claim = CLAIMS["L012"]
    found = Effect(claim.high, claim.high * 0.9, claim.high / 0.9, 8, "Student t on paired log differences", sd=0.1)
    verdict = judge(claim, found)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.trials_needed is None
    assert "no number of blocks up to 10,000 would decide it" in verdict.reason


def test_no_number_of_trials_refines_the_counts():
    verdict = judge(CLAIMS["L011"], share([1.0] * 6, 80))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.trials_needed is None
    assert verdict.reason.endswith("more trials would not narrow this interval.")


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


def test_an_inert_setting_is_contradicted_and_not_left_open():
    assert judge(CLAIMS["L001"], effect(1.0)).outcome is Outcome.CONTRADICTED
    assert judge(CLAIMS["L024"], effect(1.0)).outcome is Outcome.CONTRADICTED


def test_no_difference_shows_both_intervals():
    same = DRIFT * NOISE**0.3
    verdict = judge(CLAIMS["L023"], ratio(same, DRIFT), equivalence(same, DRIFT))
    assert verdict.outcome is Outcome.REPRODUCED
    assert re.search(r"\(95 %, 8 blocks\) and \[.*\] \(90 %, 8 blocks\)", verdict.reason)
    assert verdict.reason.endswith("the claim needs its 90 % interval inside [0.95, 1.05].")
    noisy = DRIFT * NOISE**2
    undecided = judge(CLAIMS["L023"], ratio(noisy, DRIFT), equivalence(noisy, DRIFT))
    assert undecided.outcome is Outcome.INCONCLUSIVE
    assert undecided.trials_needed > 8


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


def moved(w: float, quantity: Quantity = Quantity.COMPARISON, **others) -> Ground:
    return Ground(quantity, Movement(w, "the canary stood at 1.10 times its quiet level"), **others)


W = math.log(1.25)
DECIDED = {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED}


def test_a_gate_that_failed_leaves_the_claim_open_and_says_which():
    failed = (off("A/A", "the baseline against itself misses 1"), off("counts agree", "they do not"))
    verdict = judge(CLAIMS["L012"], effect(0.31), ground=Ground(failed=failed))
    assert verdict.failed == ("A/A", "counts agree")
    assert verdict.outcome is Outcome.ENVIRONMENT
    assert verdict.reason.endswith(
        "; but the machine does not allow a verdict: A/A: the baseline against itself misses 1; counts agree: they do "
        "not."
    )
    assert "0.310 [0.300, 0.320]" in verdict.reason
    assert verdict.trials_needed is None


@pytest.mark.parametrize("ratio", [0.31, 0.7, 1.3])
def test_a_gate_that_failed_opens_what_would_be_decided_either_way(ratio: float):
    assert judge(CLAIMS["L012"], effect(ratio)).outcome in DECIDED
    left_open = judge(CLAIMS["L012"], effect(ratio), ground=Ground(failed=(off("A/A", "off"),)))
    assert left_open.outcome is Outcome.ENVIRONMENT
    assert left_open.estimate == effect(ratio), "the number is shown all the same"


@pytest.mark.parametrize(
    ("rest", "w", "expected"),
    [
        (0.31, 0.0, Outcome.REPRODUCED),
        (0.7, 0.0, Outcome.ENVIRONMENT),
        (0.31, 5.0, Outcome.ENVIRONMENT),
    ],
    ids=["the other blocks agree", "they do not", "they do not once widened"],
)
def test_checks_of_single_trials_are_asked_whether_the_other_blocks_say_the_same(
    rest: float, w: float, expected: Outcome
) -> None:
    assert judge(CLAIMS["L012"], effect(0.31)).outcome is Outcome.REPRODUCED
    failed = (off("warm", "1 of 18 trials read from the device"),)
    verdict = judge(CLAIMS["L012"], effect(0.31), ground=moved(w, failed=failed, sound=(effect(rest), effect(rest))))
    assert verdict.outcome is expected
    assert verdict.failed == ("warm",)
    assert "warm: 1 of 18 trials read from the device" in verdict.reason
    assert verdict.estimate == effect(0.31), "the number is that of all blocks"
    if expected is Outcome.REPRODUCED:
        assert verdict.reason.endswith(
            "; the blocks of all other trials alone give the same verdict (warm: 1 of 18 trials read from the device)."
        )
    else:
        assert "; the other blocks alone give [" in verdict.reason


@pytest.mark.parametrize(
    ("point", "w", "expected"),
    [
        (0.31, 0.0, Outcome.REPRODUCED),
        (0.35, W / 2, Outcome.REPRODUCED),
        (0.35, W, Outcome.ENVIRONMENT),  # [0.27, 0.45] over the lower edge 0.2727
        (0.6, 0.2, Outcome.DIRECTION_ONLY),
        (0.6, 0.3, Outcome.ENVIRONMENT),
        (0.9, 0.02, Outcome.DIRECTION_ONLY),
        (0.9, W, Outcome.ENVIRONMENT),  # only the direction, or not even that
        (1.5, W, Outcome.CONTRADICTED),
        (1.1, W, Outcome.CONTRADICTED),  # so far from the region that no movement matters
        (1.02, W, Outcome.CONTRADICTED),
        (24.0, 1.0, Outcome.CONTRADICTED),
    ],
)
def test_a_comparison_is_decided_where_its_widened_interval_decides_the_same(point, w, expected):
    """L012: a ratio claimed inside [0.2727, 0.4545]."""
    for quantity in (Quantity.COMPARISON, Quantity.PARTS):
        verdict = judge(CLAIMS["L012"], effect(point), ground=moved(w, quantity))
        assert verdict.outcome is expected, verdict.reason
        assert verdict.w == w
        assert (f"w = {w:.2g} widens it to [" in verdict.reason) is (expected is Outcome.ENVIRONMENT)
        assert verdict.estimate == effect(point), "the interval that is shown is the measured one"


def test_what_the_widened_interval_is_stands_in_the_reason_with_w_and_its_origin():
    verdict = judge(CLAIMS["L012"], effect(0.35), ground=moved(W))
    assert verdict.reason.endswith(
        "; but the machine does not allow a verdict: w = 0.22 widens it to [0.27, 0.45], which does not give the same "
        "verdict; with 4 sessions on 3 dates w is 0.01, which would decide it if point and spread stay the same."
    )
    assert verdict.rests_on == (
        "a comparison of configurations; w = 0.22, a factor of 1.25 to each side, since the canary stood at 1.10 times "
        "its quiet level"
    )
    still = judge(CLAIMS["L012"], effect(0.35), ground=Ground(Quantity.COMPARISON, Movement(0.0, "it stayed")))
    assert still.rests_on == "a comparison of configurations; w = 0, since it stayed"
    counted = judge(CLAIMS["L012"], effect(0.35))
    assert counted.rests_on == "a count, which does not depend on the machine's speed; w = 0"
    assert counted.w == 0


@pytest.mark.parametrize("quantity", [each for each in Quantity if each not in (Quantity.COMPARISON, Quantity.PARTS)])
def test_only_comparisons_are_widened(quantity):
    same = ((effect(0.35), effect(0.35)),) * 2
    found = judge(CLAIMS["L012"], effect(0.35), ground=moved(5.0, quantity, sessions=same))
    assert found.outcome is Outcome.REPRODUCED
    assert found.w == (0.0 if quantity is Quantity.COUNTER else None)


def test_shares_are_widened_in_their_odds_and_savings_in_what_is_left():
    """O004: a share below 0.2625; O084: a share that disappears, inside [0.616, 0.9625]."""
    fifth = share([0.2, 0.201, 0.199, 0.2], 100_000)
    assert judge(CLAIMS["O004"], fifth, ground=moved(W, Quantity.PARTS)).outcome is Outcome.REPRODUCED
    near = share([0.24, 0.241, 0.239, 0.24], 100_000)
    verdict = judge(CLAIMS["O004"], near, ground=moved(W, Quantity.PARTS))
    assert verdict.outcome is Outcome.ENVIRONMENT
    odds = 1.25 * verdict.estimate.high / (1 - verdict.estimate.high)
    assert f"[0.201, {odds / (1 + odds):.3f}]" in verdict.reason
    saved = Estimate(0.7, 0.69, 0.71, 6, intervals.COMPLEMENT_T)
    assert judge(CLAIMS["O084"], saved, ground=moved(0.1)).outcome is Outcome.REPRODUCED
    left = judge(CLAIMS["O084"], saved, ground=moved(W))
    assert left.outcome is Outcome.ENVIRONMENT
    assert "widens it to [0.61, 0.77]" in left.reason, "1 - 0.31 x 1.25 to 1 - 0.29 / 1.25"


def test_no_difference_is_accepted_by_the_widened_narrow_interval_and_refused_by_the_widened_wide_one():
    same = DRIFT * NOISE**0.3
    wide, narrow = ratio(same, DRIFT), equivalence(same, DRIFT)
    assert judge(CLAIMS["L023"], wide, narrow, ground=moved(0.02)).outcome is Outcome.REPRODUCED
    assert judge(CLAIMS["L023"], wide, narrow, ground=moved(W)).outcome is Outcome.ENVIRONMENT
    third = 1.3 * same
    wide, narrow = ratio(third, DRIFT), equivalence(third, DRIFT)
    assert judge(CLAIMS["L023"], wide, narrow, ground=moved(W / 2)).outcome is Outcome.CONTRADICTED
    assert judge(CLAIMS["L023"], wide, narrow, ground=moved(W)).outcome is Outcome.ENVIRONMENT


# by session


def by_session(*points: float, quantity: Quantity = Quantity.LEVEL) -> Ground:
    return Ground(quantity, sessions=tuple((effect(point), effect(point)) for point in points))


BY_SESSION = [each for each in Quantity if each.by_session]


@pytest.mark.parametrize("quantity", BY_SESSION)
@pytest.mark.parametrize(
    ("points", "said"),
    [
        ((), "needs two sessions that agree, and only one was measured"),
        ((0.31,), "needs two sessions that agree, and only one was measured"),
        ((0.31, 0.7), "these say: holds, another size"),
        ((0.31, 0.45), "these say: holds, open: interval"),
        ((0.7, 0.7), "these say: another size, another size"),
        ((0.31, 0.31, 1.3), "these say: holds, holds, wrong"),
    ],
)
def test_levels_shapes_and_spreads_stay_open_without_two_sessions_of_one_verdict(quantity, points, said):
    verdict = judge(CLAIMS["L012"], effect(0.31), ground=by_session(*points, quantity=quantity))
    assert verdict.outcome is Outcome.ENVIRONMENT
    assert verdict.reason.endswith(f"{said}.")
    assert f"but the machine does not allow a verdict: {quantity} needs" in verdict.reason
    assert verdict.w is None
    assert verdict.rests_on == f"{quantity}, which needs two sessions that agree"


@pytest.mark.parametrize("quantity", BY_SESSION)
@pytest.mark.parametrize(
    ("point", "expected"), [(0.31, Outcome.REPRODUCED), (0.7, Outcome.DIRECTION_ONLY), (1.3, Outcome.CONTRADICTED)]
)
def test_two_sessions_of_one_verdict_decide_and_so_do_more(quantity, point, expected):
    for sessions in (2, 5):
        verdict = judge(CLAIMS["L012"], effect(point), ground=by_session(*[point] * sessions, quantity=quantity))
        assert verdict.outcome is expected


@pytest.mark.parametrize("quantity", BY_SESSION)
def test_from_four_sessions_on_their_numbers_must_agree_and_not_each_interval(quantity):
    wide = tuple((effect(0.31, spread=40), effect(0.31, spread=40)) for _ in range(4))
    found = judge(CLAIMS["L012"], effect(0.31), ground=Ground(quantity, sessions=wide))
    assert found.outcome is Outcome.REPRODUCED
    three = judge(CLAIMS["L012"], effect(0.31), ground=Ground(quantity, sessions=wide[:3]))
    assert three.reason.endswith("these say: open: interval, open: interval, open: interval.")
    apart = (*wide[:3], (effect(0.7, spread=40), effect(0.7, spread=40)))
    other = judge(CLAIMS["L012"], effect(0.31), ground=Ground(quantity, sessions=apart))
    assert other.reason.endswith("these say: holds, holds, holds, another size.")


def test_what_all_blocks_leave_open_no_session_decides():
    verdict = judge(CLAIMS["L012"], effect(0.47, spread=2), ground=by_session(0.31, 0.31))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "blocks would decide it" in verdict.reason


def test_a_session_is_judged_by_its_own_narrow_interval_where_the_claim_says_no_difference():
    same, noisy = DRIFT * NOISE**0.3, DRIFT * NOISE**2
    good, bad = ((ratio(each, DRIFT), equivalence(each, DRIFT)) for each in (same, noisy))
    agreeing, apart = (Ground(Quantity.SHAPE, sessions=each) for each in ((good, good), (good, bad)))
    assert judge(CLAIMS["L023"], *good, ground=agreeing).outcome is Outcome.REPRODUCED
    assert judge(CLAIMS["L023"], *good, ground=apart).outcome is Outcome.ENVIRONMENT


# bounded quantities


def test_outside_of_a_region_that_lies_above_1_a_bounded_ratio_is_contradicted():
    """P99 over P50, claimed inside [1.129, 1.764]; it cannot be below 1."""
    claim = replace(CLAIMS["L003"], low=1.129, high=1.764)
    for point in (1.05, 3.0):
        assert judge(claim, effect(point, 0.2)).outcome is Outcome.DIRECTION_ONLY
        assert judge(claim, effect(point, 0.2), ground=Ground(bounded=True)).outcome is Outcome.CONTRADICTED
    for ground in (Ground(), Ground(bounded=True)):
        assert judge(claim, effect(1.4, 0.2), ground=ground).outcome is Outcome.REPRODUCED
        assert judge(claim, effect(1.764, 0.2), ground=ground).outcome is Outcome.INCONCLUSIVE


# what comes before what

IDLE, DEPARTS = "no pool evicted a page", "trials of 6 s where it names 60 s"
FAILED = (off("A/A", "off"),)


@pytest.mark.parametrize("point", [0.31, 0.47, 0.7, 1.3])
def test_a_cause_that_did_not_act_comes_before_everything_whatever_the_interval(point):
    ground = moved(W, mechanism=IDLE, departure=DEPARTS, failed=FAILED)
    verdict = judge(CLAIMS["L012"], effect(point, 2), ground=ground)
    assert verdict.outcome is Outcome.MECHANISM
    assert verdict.reason.endswith("; but the mechanism was not reached: no pool evicted a page.")
    assert verdict.trials_needed is None, "more of the same decides nothing"
    assert verdict.estimate == effect(point, 2)
    counted = judge(CLAIMS["L007"], exact(2_000), ground=Ground(mechanism=IDLE, departure=DEPARTS))
    assert counted.outcome is Outcome.MECHANISM


@pytest.mark.parametrize("point", [0.31, 0.47, 0.7, 1.3])
def test_a_departure_comes_before_what_the_interval_and_the_machine_say(point):
    verdict = judge(CLAIMS["L012"], effect(point, 2), ground=moved(W, departure=DEPARTS, failed=FAILED))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.endswith("; but the run departs from the claim: trials of 6 s where it names 60 s.")
    assert verdict.trials_needed is None
    counted = judge(CLAIMS["L007"], exact(2_000), ground=Ground(departure=DEPARTS))
    assert counted.outcome is Outcome.INCONCLUSIVE


def test_what_was_counted_needs_no_machine_and_no_sessions():
    for quantity in Quantity:
        verdict = judge(CLAIMS["L007"], exact(2_000), ground=moved(5.0, quantity))
        assert (verdict.outcome, verdict.w, verdict.rests_on) == (Outcome.REPRODUCED, None, "")


def test_an_open_interval_is_inconclusive_whatever_the_machine_did():
    for ground in (moved(W, failed=FAILED), by_session(), Ground(failed=FAILED)):
        verdict = judge(CLAIMS["L012"], effect(0.47, 2), ground=ground)
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "does not allow" not in verdict.reason


def test_a_gate_comes_before_sessions_and_w():
    for ground in (moved(5.0, failed=FAILED), Ground(Quantity.LEVEL, failed=FAILED)):
        assert judge(CLAIMS["L012"], effect(0.31), ground=ground).reason.endswith("verdict: A/A: off.")


def test_prose_is_no_measurement_whatever_it_stands_on():
    ground = moved(W, mechanism=IDLE, departure=DEPARTS, failed=FAILED)
    assert judge(CLAIMS["L067"], effect(1), ground=ground) == judge_without_data(CLAIMS["L067"])


# blocks in which an arm stalled


def stalling(typical: tuple[float, float] | None, confidence: float = 0.95) -> Effect:
    return replace(effect(0.31), typical=typical, confidence=confidence)


@pytest.mark.parametrize(
    ("typical", "expected"),
    [
        (None, Outcome.REPRODUCED),
        ((0.29, 0.33), Outcome.REPRODUCED),
        ((0.20, 0.33), Outcome.INCONCLUSIVE),
        ((0.10, 0.20), Outcome.INCONCLUSIVE),
        ((0.90, 1.30), Outcome.INCONCLUSIVE),
    ],
)
def test_where_an_arm_stalled_the_median_block_has_to_say_the_same(typical, expected):
    verdict = judge(CLAIMS["L012"], stalling(typical))
    assert verdict.outcome is expected
    if expected is Outcome.INCONCLUSIVE:
        assert verdict.reason.endswith(
            f"that of the median block, [{typical[0]:.2f}, {typical[1]:.2f}], does not agree."
        )
        assert verdict.trials_needed is None


def test_blocks_that_stalled_open_no_more_than_a_machine_that_moved_and_decide_nothing_that_is_open():
    apart = replace(effect(0.47, 2), typical=(0.30, 0.31))
    assert "would decide it" in judge(CLAIMS["L012"], apart).reason
    left = judge(CLAIMS["L012"], stalling((0.10, 0.20)), ground=moved(5.0, failed=FAILED))
    assert left.outcome is Outcome.INCONCLUSIVE, "an interval that may not hold is said before the machine"
    for ground in (Ground(mechanism=IDLE), Ground(departure=DEPARTS)):
        assert "median" not in judge(CLAIMS["L012"], stalling((0.10, 0.20)), ground=ground).reason


# what chance may have done


def test_a_decided_verdict_says_how_often_chance_would_have_brought_it_so_far_from_its_edge():
    far, near = judge(CLAIMS["L001"], effect(3.0)), judge(CLAIMS["L001"], effect(1.14))
    assert far.outcome is near.outcome is Outcome.REPRODUCED
    assert 0 < far.error < near.error < near.allowed == pytest.approx(0.025)
    same = DRIFT * NOISE**0.3
    accepted = judge(CLAIMS["L023"], ratio(same, DRIFT), equivalence(same, DRIFT))
    assert accepted.outcome is Outcome.REPRODUCED
    assert accepted.allowed == pytest.approx(0.05), "of the 90 % interval that accepts it"
    refused = judge(CLAIMS["L023"], ratio(1.5 * same, DRIFT), equivalence(1.5 * same, DRIFT))
    assert refused.allowed == pytest.approx(0.025)


def test_what_is_open_or_counted_has_no_such_error_and_only_a_departure_departs():
    opened = [
        judge(CLAIMS["L012"], effect(0.47, 2)),
        judge(CLAIMS["L012"], effect(0.31), ground=Ground(failed=FAILED)),
        judge(CLAIMS["L012"], effect(0.31), ground=Ground(mechanism=IDLE)),
        judge(CLAIMS["L007"], exact(2_000)),
    ]
    departed = judge(CLAIMS["L012"], effect(0.31), ground=Ground(departure=DEPARTS))
    assert {(verdict.error, verdict.allowed) for verdict in (*opened, departed)} == {(None, None)}
    assert departed.departs
    assert not any(verdict.departs for verdict in opened)


# how many blocks


def test_the_number_that_would_decide_it_bears_w_too():
    claim, found = CLAIMS["L012"], effect(0.5, spread=4)
    asked = region(claim, difference=False)
    needed = {w: judge(claim, found, ground=moved(w)).trials_needed for w in (0.0, 0.05, W)}
    assert 8 < needed[0.0] <= needed[0.05]
    assert needed[0.05] == needed[W], "further sessions on other dates bear 1 %, whatever this run bears"

    def decided(blocks: int, w: float) -> bool:
        low, high = predicted(found, blocks)
        return asked.outcome(low, high, low, high) is asked.outcome(
            *(low * math.exp(-w), high * math.exp(w)), *(low * math.exp(-w), high * math.exp(w))
        )

    assert decided(needed[W], math.log(1.01))
    assert not decided(needed[W] - 1, math.log(1.01))


def test_a_run_that_moves_says_over_how_many_dates_its_further_blocks_would_decide():
    verdict = judge(CLAIMS["L012"], effect(0.5, spread=4), ground=moved(W))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    needed = f"; {verdict.trials_needed} blocks would decide it if point and spread stay the same"
    assert verdict.reason.endswith(f"{needed}, over 4 sessions on 3 dates.")


def test_where_no_number_decides_it_on_a_moving_machine_the_one_on_a_still_machine_is_told():
    claim = CLAIMS["L012"]
    close = effect(claim.high * 1.005, spread=0.5)  # so near that 1 % reaches over the edge
    verdict = judge(claim, close, ground=moved(W))
    still = judge(claim, close)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.trials_needed is None
    assert still.trials_needed is not None
    assert verdict.reason.endswith(
        f"; {still.trials_needed} blocks would decide it on a steady machine; with this one's drift (w = 0.01) no "
        f"number would."
    )


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
@pytest.mark.parametrize("id_", ["L012", "L001", "L011", "L023"])
def test_an_interval_without_ends_is_refused(id_, low, point, high):
    kind = Estimate if CLAIMS[id_].unit != "ratio" else Effect
    given_ = kind(point, low, high, 8, "Student t on paired log differences")
    for ground in (Ground(), moved(W), Ground(departure=DEPARTS), Ground(mechanism=IDLE)):
        with pytest.raises(BenchbookError, match=f"claim {id_} is .*, which is not an interval") as caught:
            judge(CLAIMS[id_], given_, replace(given_, confidence=0.9), ground=ground)
        assert caught.value.mend


@pytest.mark.parametrize("low", [0.0, -0.2])
def test_a_ratio_that_reaches_0_is_refused(low):
    with pytest.raises(BenchbookError, match="the ratio for claim L012 reaches down to") as caught:
        judge(CLAIMS["L012"], Effect(0.31, low, 0.4, 8, "Student t on paired log differences"))
    assert caught.value.mend


def test_simultaneous_intervals_are_judged_like_any_other():
    effects = many_to_one(DRIFT, {"hot": 0.31 * DRIFT * NOISE, "aa": DRIFT / NOISE})
    verdict = judge(CLAIMS["L012"], effects["hot"])
    assert verdict.outcome is Outcome.REPRODUCED
    assert verdict.estimate.high > effect(0.31).high


def test_an_interval_that_is_too_weak_or_of_another_kind_is_refused():
    weak = ratio(DRIFT * NOISE, DRIFT, confidence=0.9)
    with pytest.raises(BenchbookError, match="90% interval where 95%"):
        judge(CLAIMS["L012"], weak)
    with pytest.raises(BenchbookError, match="give the 90 % interval"):
        judge(CLAIMS["L023"], effect(1))
    with pytest.raises(BenchbookError, match="not inside the 95 %"):
        judge(CLAIMS["L023"], effect(1), replace(weak, high=weak.high * 2))
    with pytest.raises(BenchbookError, match="80%"):
        judge(CLAIMS["L023"], effect(1), ratio(DRIFT * NOISE, DRIFT, confidence=0.8))
    with pytest.raises(BenchbookError, match="does not contain its point"):
        judge(CLAIMS["L012"], Estimate(1.0, 2.0, 3.0, 3, "Student t"))
    with pytest.raises(BenchbookError, match="asks for a ratio"):
        judge(CLAIMS["L012"], shares_difference([0.5, 0.6], [0.1, 0.2], 10))


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
        assert found.outcome in set(Outcome) - {Outcome.NOT_YET_RUN, Outcome.ENVIRONMENT}
        assert found.reason.endswith(".")
        assert "None" not in found.reason


@given(
    st.sampled_from(
        [
            claim
            for claim in CLAIMS.values()
            if claim.unit == "ratio" and claim.rule in set(Rule) - {Rule.PROSE, Rule.EXISTS, Rule.ARITHMETIC}
        ]
    ),
    st.floats(-3, 3),
    st.floats(1e-4, 1),
    st.integers(2, 40),
)
def test_the_printed_interval_stands_where_the_true_one_stands(claim, log_point, half, n):
    point = math.exp(log_point)
    wide = Effect(
        point, point * math.exp(-half), point * math.exp(half), n, "Student t on paired log differences", sd=half
    )
    narrow = replace(wide, low=point * math.exp(-half * 0.8), high=point * math.exp(half * 0.8), confidence=0.9)
    asked = region(claim, difference=False)
    edges = [edge for edge in (asked.low, asked.high, asked.bound) if edge is not None]
    assume(all(abs(bound - edge) > 1e-6 * edge for edge in edges for bound in (wide.low, wide.high)))
    verdict = judge(claim, wide, narrow)
    _, low, high = numbers_of(verdict.reason.split(";")[0])[:3]
    for edge in edges:
        assert (low > edge, low < edge) == (wide.low > edge, wide.low < edge)
        assert (high > edge, high < edge) == (wide.high > edge, wide.high < edge)
    assert (verdict.trials_needed is not None) <= (verdict.outcome is Outcome.INCONCLUSIVE)


claims_about_ratios = st.sampled_from(
    [
        claim
        for claim in CLAIMS.values()
        if claim.unit == "ratio" and claim.rule in {Rule.INSIDE, Rule.GREATER, Rule.LESS, Rule.NO_DIFFERENCE}
    ]
)
spreads, widenings = st.floats(1e-4, 1), st.floats(0, 1.5)


def both(log_point: float, half: float, n: int = 8) -> tuple[Effect, Effect]:
    """The 95 % and the 90 % interval of a ratio."""
    point = math.exp(log_point)
    low, high = point * math.exp(-half), point * math.exp(half)
    wide = Effect(point, low, high, n, "Student t on paired log differences", sd=half)
    return wide, replace(wide, low=point * math.exp(-0.8 * half), high=point * math.exp(0.8 * half), confidence=0.9)


@given(claims_about_ratios, st.floats(-3, 3), spreads, widenings, st.floats(0, 1), st.booleans())
def test_what_is_decided_under_much_movement_is_decided_the_same_under_less(claim, log_point, half, w, share, bounded):
    intervals_ = both(log_point, half)
    bounded = bounded and claim.rule is not Rule.NO_DIFFERENCE
    more = judge(claim, *intervals_, ground=moved(w, bounded=bounded))
    less = judge(claim, *intervals_, ground=moved(share * w, bounded=bounded))
    if more.outcome in DECIDED:
        assert less.outcome is more.outcome
    still = judge(claim, *intervals_, ground=moved(0.0, bounded=bounded))
    assert more.outcome in {still.outcome, Outcome.ENVIRONMENT}, "movement takes a verdict away and gives no other"
    assert still.outcome is not Outcome.ENVIRONMENT


@given(claims_about_ratios, st.floats(-3, 3), spreads, widenings)
def test_widening_never_decides_what_the_interval_leaves_open(claim, log_point, half, w):
    intervals_ = both(log_point, half)
    still = judge(claim, *intervals_, ground=moved(0.0))
    if still.outcome is Outcome.INCONCLUSIVE:
        found = judge(claim, *intervals_, ground=moved(w))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert (found.trials_needed or math.inf) >= (still.trials_needed or math.inf)


@given(
    st.floats(0.1, 10),
    st.sampled_from([0.0, 0.05, 0.1]),
    st.floats(-3, 3),
    spreads,
    st.sampled_from([0.0, 0.1, W, 1.0]),
    st.booleans(),
)
def test_exchanging_numerator_and_denominator_changes_no_verdict(edge, margin, log_point, half, w, by_region):
    if by_region:
        claim = replace(CLAIMS["L012"], low=edge / 1.25, high=edge * 1.25)
        mirrored = replace(claim, low=0.8 / edge, high=1.25 / edge)
    else:
        claim = replace(CLAIMS["L001"], rule=Rule.GREATER, low=edge, high=None, margin=margin)
        mirrored = replace(claim, rule=Rule.LESS, low=None, high=1 / edge)
    wide, _ = both(log_point, half)
    limits = [1.0, edge / 1.25, edge, edge * 1.25, edge * (1 + margin)]
    ends = [end * math.exp(moved_by) for end in (wide.low, wide.high) for moved_by in (-w, 0.0, w)]
    assume(all(abs(end / limit - 1) > 1e-9 for end in ends for limit in limits))
    assume(abs(edge / 1.25 - 1) > 1e-9)
    assume(abs(edge * 1.25 - 1) > 1e-9)
    inverse, _ = both(-log_point, half)
    for ground in (moved(w), Ground(Quantity.LEVEL, sessions=((wide, wide),) * 2)):
        turned = ground if ground.w or not ground.sessions else replace(ground, sessions=((inverse, inverse),) * 2)
        assert judge(claim, wide, ground=ground).outcome is judge(mirrored, inverse, ground=turned).outcome
