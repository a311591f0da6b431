"""What is decided without an interval: by a counter that cannot move, and by a note's own raw report."""

import pytest

from benchbook.claims import load_claims
from benchbook.claims.evidence import Inert, Reported, by_construction, by_report
from benchbook.claims.regions import is_best, is_harmless
from benchbook.model import Effect, Evidence, Outcome

CLAIMS = load_claims()
EFFECT, HARMLESS, SAME = "C016", "C051", "R053"
"""Claims of an effect, of a setting of the best configuration, and of no difference."""
ZEROS = Inert("0 workers in 9 trials", "no statement has a parallel plan", "a sum launched at least 4 a trial")


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [(EFFECT, Outcome.CONTRADICTED), (HARMLESS, Outcome.NO_EFFECT), (SAME, Outcome.NO_EFFECT)],
)
def test_a_cause_that_cannot_act_has_no_effect_whatever_was_measured(claim: str, outcome: Outcome) -> None:
    measured = Effect(1.15, 1.14, 1.16, 9, "t")
    found = by_construction(CLAIMS[claim], ZEROS, measured, "fig-a")
    assert (found.outcome, found.evidence, found.estimate) == (outcome, Evidence.CONSTRUCTION, measured)
    assert found.reason == (
        "No statement has a parallel plan: 0 workers in 9 trials; a sum launched at least 4 a trial."
    )
    assert (found.visits, found.look) == (0, None)
    assert found.error is None


def test_without_a_positive_control_nothing_is_decided() -> None:
    found = by_construction(CLAIMS[EFFECT], Inert(ZEROS.counted, ZEROS.why, ""), None)
    assert (found.outcome, found.evidence) == (Outcome.DESIGN, Evidence.MEASURED)
    assert "no positive control is stored" in found.reason


def test_a_number_of_a_report_is_held_against_the_claims_region_and_counters_alone_refute_it() -> None:
    claim = CLAIMS["R077"]
    assert claim.low is not None
    for value, outcome in (
        (claim.low + 0.01, Outcome.REPRODUCED),
        (1.038, Outcome.CONTRADICTED),
        (None, Outcome.CONTRADICTED),
    ):
        found = by_report(claim, Reported("Two runs after a restart say so", value), None)
        assert (found.outcome, found.evidence) == (outcome, Evidence.REPORT)
        assert found.reason == "Two runs after a restart say so."


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [(EFFECT, Outcome.CONTRADICTED), (HARMLESS, Outcome.NO_EFFECT), (SAME, Outcome.CONTRADICTED)],
)
def test_counters_of_a_report_refute_an_effect_and_leave_what_does_no_harm_without_one(
    claim: str, outcome: Outcome
) -> None:
    assert by_report(CLAIMS[claim], Reported("nothing was written"), None).outcome is outcome


def test_claims_of_the_best_configuration_are_ratios_without_a_margin() -> None:
    best = {id_ for id_, claim in CLAIMS.items() if is_best(claim)}
    assert {HARMLESS, "C050", "R070", "R105"} <= best
    assert not best & {"L085", EFFECT, SAME}, "a share of rows, a claim of an effect, one of no difference"
    assert not best & {"O060", "O091"}, "what is to do no harm, and is not recommended for a gain"
    assert {id_ for id_, claim in CLAIMS.items() if is_harmless(claim)} - best == {"O060", "O062", "O091", "O103"}
