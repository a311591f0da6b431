"""The ledger of claims and the rules of their verdicts: claims are read from data/, verdicts computed from records."""

from benchbook.claims.amendments import protocol_amendments
from benchbook.claims.experiments import PlannedExperiment, load_experiments
from benchbook.claims.ground import Ground, Quantity
from benchbook.claims.ledger import chapter_claims, ledger_sha256, load_claims
from benchbook.claims.record import Amendment, Claim, Rule, Testable
from benchbook.claims.regions import Region, region, region_of
from benchbook.claims.rules import judge, judge_without_data

__all__ = [
    "Amendment",
    "Claim",
    "Ground",
    "PlannedExperiment",
    "Quantity",
    "Region",
    "Rule",
    "Testable",
    "chapter_claims",
    "judge",
    "judge_without_data",
    "ledger_sha256",
    "load_claims",
    "load_experiments",
    "protocol_amendments",
    "region",
    "region_of",
]
