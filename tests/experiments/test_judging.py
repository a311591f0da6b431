"""How a chapter's evidence becomes verdicts: what is asked for, what stands in the way, and in which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchbook.claims import Claim, Testable, chapter_claims
from benchbook.errors import BenchbookError
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Effect, Estimate, Outcome, Verdict
from benchbook.statistics import Gate

CHAPTER, SAME, VARIES = "noise_floor", "R053", "R054"
"""A claim of no difference, and one that is less than an edge."""


def equal(confidence: float) -> Estimate:
    return Effect(1.0, 0.99, 1.01, 8, "paired t", confidence, "ratio", 0.01)


def steady(confidence: float) -> Estimate:
    return Estimate(0.01, 0.008, 0.02, 8, "chi-square", confidence)


def judged(
    compute: Callable[[float], Estimate] = steady, *gates: Gate, working: Callable[[], str] | None = None
) -> Verdict:
    """The verdict on the claim about variation."""

    def evidence(claim: Claim) -> Evidence:
        return Evidence(equal if claim.id == SAME else compute, lambda: gates, "fig-a", working)

    return {verdict.claim_id: verdict for verdict in verdicts(CHAPTER, evidence)}[VARIES]


def test_every_claim_has_a_verdict_and_only_testable_ones_are_asked_about() -> None:
    asked: list[str] = []

    def evidence(claim: Claim) -> Verdict:
        asked.append(claim.id)
        return Verdict(claim.id, Outcome.NOT_TESTABLE, "as it stands")

    chapter = "hot_cold_keys"
    found = verdicts(chapter, evidence)
    claims = chapter_claims(chapter)
    assert [verdict.claim_id for verdict in found] == list(claims)
    assert asked
    assert all(claims[name].testable is Testable.HERE for name in asked)
    assert len(asked) < len(claims), "the others are judged without data"
    assert {verdict.reason for verdict in found if verdict.claim_id in asked} == {"as it stands"}


def test_a_claim_of_no_difference_is_asked_at_both_confidences_and_others_at_one() -> None:
    asked: dict[str, list[float]] = {SAME: [], VARIES: []}

    def evidence(claim: Claim) -> Evidence:
        def compute(confidence: float) -> Estimate:
            asked[claim.id].append(confidence)
            return equal(confidence) if claim.id == SAME else steady(confidence)

        return Evidence(compute, lambda: [], "fig-a")

    found = verdicts(CHAPTER, evidence)
    assert asked == {SAME: [0.95, 0.90], VARIES: [0.95]}
    assert {verdict.outcome for verdict in found} == {Outcome.REPRODUCED}
    assert {verdict.figure_id for verdict in found} == {"fig-a"}


def test_a_failed_gate_voids_the_verdict_and_says_why() -> None:
    found = judged(steady, Gate("A/A", False, 1.2, "the baseline differs from itself"))
    assert found.outcome is Outcome.ENVIRONMENT
    assert "the baseline differs from itself" in found.reason


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NotEstimableError("no P99", "raise requests"), "This run cannot say: no P99 (raise requests)."),
        (BenchbookError("a 0 in it", "look"), "The estimand cannot be computed from this run: a 0 in it."),
    ],
)
def test_what_cannot_be_computed_is_inconclusive_whatever_asked_for_it(error: BenchbookError, words: str) -> None:
    def stop(*_: object) -> object:
        raise error

    for found in (judged(stop), judged(steady, working=stop), judged_with_gates(stop)):
        assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, words)
        assert found.figure_id == "fig-a"


def judged_with_gates(gates: Callable[[], object]) -> Verdict:
    [found] = [each for each in verdicts(CHAPTER, lambda claim: Evidence(steady, gates, "fig-a"))
               if each.claim_id == VARIES]  # fmt: skip
    return found


def test_how_a_number_was_counted_stands_in_the_reason() -> None:
    assert "Seven trials were counted" in judged(working=lambda: "Seven trials were counted").reason
