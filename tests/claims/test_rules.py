import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchbook.claims import Rule, Testable, judge, judge_without_data, load_claims, region
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome
from benchbook.statistics import (
    equivalence,
    exact,
    geometric_mean,
    geometric_sd,
    many_to_one,
    predicted,
    ratio,
    share,
    shares_difference,
)

CLAIMS = load_claims(Path(__file__).resolve().parents[2] / "data" / "claims.csv")
NOISE = np.exp(np.array([0.03, -0.05, 0.04, -0.02, 0.05, -0.04, 0.01, -0.02]))
DRIFT = np.linspace(50, 90, 8)


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


def test_an_unsound_environment_leaves_every_claim_open():
    verdict = judge(CLAIMS["L012"], effect(0.31), environment_ok=False, environment_reason="A/A: the interval misses 1")
    assert verdict.outcome is Outcome.ENVIRONMENT
    assert verdict.reason.endswith("but the environment was not sound: A/A: the interval misses 1.")
    assert "0.310 [0.300, 0.320]" in verdict.reason
    assert verdict.trials_needed is None


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (0.31, "the interval alone would reproduce the claim"),
        (0.7, "the interval alone would give the claim's direction only"),
        (1.3, "the interval alone would contradict the claim"),
    ],
)
def test_a_failed_gate_hides_neither_the_number_nor_what_it_would_say_alone(ratio: float, said: str):
    sound = judge(CLAIMS["L012"], effect(ratio))
    left_open = judge(CLAIMS["L012"], effect(ratio), environment_ok=False)
    assert left_open.outcome is Outcome.ENVIRONMENT
    assert left_open.alone is sound.outcome
    assert f"; {said}, but the environment was not sound: " in left_open.reason
    assert sound.alone is None, "a verdict that stands says nothing beside itself"
    counted = judge(CLAIMS["L007"], exact(999), environment_ok=False)
    assert counted.alone is Outcome.CONTRADICTED
    assert "the number alone would contradict the claim" in counted.reason


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
    with pytest.raises(BenchbookError, match="does not hold its point"):
        judge(CLAIMS["L012"], Estimate(1.0, math.nan, math.nan, 3, "Student t"))
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
