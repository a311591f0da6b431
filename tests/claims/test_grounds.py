"""What a verdict stands on beside its interval: in which order it is asked, and what each leaves open."""

from dataclasses import replace

import pytest
from estimated import CLAIMS, DRIFT, INSIDE, NOISE, effect, off, on

from benchbook.claims import Ground, Quantity, judge, judge_without_data
from benchbook.model import Effect, Outcome
from benchbook.statistics import equivalence, exact, ratio

IDLE, DEPARTS, FEW = "no pool evicted a page", "trials of 6 s where it names 60 s", "2 blocks instead of at least 6"
FAILED = (off("A/A", "the baseline misses 1"),)


@pytest.mark.parametrize("quantity", Quantity)
@pytest.mark.parametrize("point", [0.31, 0.47, 0.7, 1.3])
def test_a_cause_that_did_not_act_comes_first_then_a_departure_then_too_few_blocks(quantity, point):
    every = {"mechanism": IDLE, "departure": DEPARTS, "few": FEW, "failed": FAILED, "design": "a longer trial"}
    expected = {
        "mechanism": (Outcome.DESIGN, "the claimed cause did not act here",
                      f"; but the mechanism was not reached: {IDLE}; what would: a longer trial."),
        "departure": (Outcome.OPEN_CONDITION, "this run departs from the claim",
                      f"; but the run departs from the claim: {DEPARTS}."),
        "few": (Outcome.INCONCLUSIVE, "too few blocks so far", f"; but it has {FEW}."),
    }  # fmt: skip
    for first, (outcome, why, ending) in expected.items():
        verdict = judge(INSIDE, effect(point, 2), ground=on(4, quantity, **every))
        assert (verdict.outcome, verdict.why, verdict.visits_needed) == (outcome, why, None)
        assert verdict.reason.endswith(ending)
        assert (verdict.estimate, verdict.error) == (effect(point, 2), None), "the number is shown all the same"
        counted = judge(CLAIMS["L007"], exact(2_000), ground=Ground(**every))
        assert counted.outcome is outcome
        del every[first]
    assert judge(CLAIMS["L007"], exact(2_000), ground=Ground(**every)).outcome is Outcome.CHECK


@pytest.mark.parametrize("point", [0.31, 0.7, 1.3])
def test_a_check_that_failed_opens_what_would_be_decided_either_way_and_says_which(point):
    failed = (off("A/A", "the baseline misses 1"), off("counts agree", "they do not"))
    for ground in (Ground(), on(1), on(2), on(1, Quantity.LEVEL)):
        verdict = judge(INSIDE, effect(point), ground=replace(ground, failed=failed))
        assert (verdict.outcome, verdict.why) == (Outcome.CHECK, "a check failed")
        assert verdict.failed == ("A/A", "counts agree")
        assert verdict.reason.endswith(
            "; but the machine does not allow a verdict: A/A: the baseline misses 1; counts agree: they do not."
        )
    undecided = judge(INSIDE, effect(0.5, 4), ground=on(2, failed=FAILED))
    assert undecided.outcome is Outcome.INCONCLUSIVE, "an open interval is said before the checks"


@pytest.mark.parametrize(
    ("rest", "visits", "expected"),
    [(0.35, 2, Outcome.REPRODUCED), (0.7, 2, Outcome.CHECK), (0.43, 2, Outcome.CHECK), (0.43, 4, Outcome.REPRODUCED)],
    ids=["the other blocks agree", "they do not", "nor where visits may have carried them", "more visits carry less"],
)
def test_a_check_of_single_trials_asks_whether_the_other_blocks_say_the_same(rest, visits, expected):
    sound = (effect(rest, 0.1), effect(rest, 0.1))
    ground = on(visits, failed=(off("warm", "1 of 18 trials read"),), sound=sound)
    verdict = judge(INSIDE, effect(0.35), ground=ground)
    assert verdict.outcome is expected
    assert (verdict.failed, verdict.estimate) == (("warm",), effect(0.35)), "the number is that of all blocks"
    same = "; the blocks of all other trials alone give the same verdict (warm: 1 of 18 trials read)."
    assert verdict.reason.endswith(same) is (expected is Outcome.REPRODUCED)
    assert ("warm: 1 of 18 trials read; the other blocks alone give [" in verdict.reason) is (expected is Outcome.CHECK)


def test_what_was_counted_rests_on_no_visits():
    for quantity in Quantity:
        verdict = judge(CLAIMS["L007"], exact(2_000), ground=on(1, quantity))
        assert (verdict.outcome, verdict.visits, verdict.rests_on) == (Outcome.REPRODUCED, 0, "")
        assert verdict.carried is None


def test_prose_is_no_measurement_whatever_it_stands_on():
    ground = on(1, mechanism=IDLE, departure=DEPARTS, few=FEW, failed=FAILED)
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
    verdict = judge(INSIDE, stalling(typical))
    assert verdict.outcome is expected
    if expected is Outcome.INCONCLUSIVE:
        assert verdict.reason.endswith(
            f"that of the median block, [{typical[0]:.2f}, {typical[1]:.2f}], does not agree."
        )
        assert (verdict.visits_needed, verdict.why) == (None, "single blocks lie too far out")


def test_blocks_that_stalled_decide_nothing_that_is_open_and_are_said_before_checks():
    apart = replace(effect(0.5, 4), typical=(0.30, 0.31))
    assert "would decide it" in judge(INSIDE, apart).reason
    left = judge(INSIDE, stalling((0.10, 0.20)), ground=on(1, failed=FAILED))
    assert left.outcome is Outcome.INCONCLUSIVE, "an interval that may not hold is said before the checks"
    for ground in (Ground(mechanism=IDLE), Ground(departure=DEPARTS)):
        assert "median" not in judge(INSIDE, stalling((0.10, 0.20)), ground=ground).reason


# what chance may have done


def test_a_decided_verdict_says_how_often_chance_would_have_brought_it_so_far_from_its_edge():
    far, near = judge(CLAIMS["L001"], effect(3.0)), judge(CLAIMS["L001"], effect(1.14))
    assert far.outcome is near.outcome is Outcome.REPRODUCED
    assert 0 < far.error < near.error < near.allowed == pytest.approx(0.025)
    same = DRIFT * NOISE**0.3
    accepted = judge(CLAIMS["R053"], ratio(same, DRIFT), equivalence(same, DRIFT))
    assert accepted.outcome is Outcome.REPRODUCED
    assert accepted.allowed == pytest.approx(0.05), "of the 90 % interval that accepts it"
    refused = judge(CLAIMS["R053"], ratio(1.5 * same, DRIFT), equivalence(1.5 * same, DRIFT))
    assert refused.allowed == pytest.approx(0.025)
    later = judge(CLAIMS["L001"], replace(effect(3.0), confidence=0.99))
    assert later.allowed == pytest.approx(0.005), "half of what a later look leaves"
    assert "(99 %, 8 blocks)" in later.reason


def test_what_is_open_or_counted_has_no_such_error():
    grounds = ({"mechanism": IDLE}, {"departure": DEPARTS}, {"few": FEW}, {"failed": FAILED})
    opened = [judge(INSIDE, effect(0.31), ground=Ground(**each)) for each in grounds]
    opened += [judge(INSIDE, effect(0.31), ground=on(1)), judge(INSIDE, effect(0.31), ground=on(1, Quantity.LEVEL))]
    opened += [judge(INSIDE, effect(0.5, 4)), judge(CLAIMS["L007"], exact(2_000))]
    assert {(verdict.error, verdict.allowed) for verdict in opened} == {(None, None)}
