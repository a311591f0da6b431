"""Claims with the verdicts that a test gives them, and these as executed chapters record them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchbook.book.records.judged import Judged
from benchbook.claims import load_claims
from benchbook.figures import VerdictTable
from benchbook.model import Outcome, Verdict

CLAIMS = load_claims(Path(__file__).parents[2] / "data" / "claims.csv")
MADE_UP: Any = SimpleNamespace(quote="P99: 110ms", estimand="", amendments=())
"""What an id of no claim stands for."""


def judged(claim: str, outcome: Outcome, by: str = "one", **verdict: Any) -> Judged:
    return Judged(CLAIMS[claim], Verdict(claim, outcome, "r", **verdict), by)


def record(claim: str, outcome: str, figure_id: str = "", **verdict: Any) -> dict[str, Any]:
    """Of the chapter hot_cold_keys."""
    given = Verdict(claim, Outcome(outcome), "The ratio is 1.", figure_id=figure_id, **verdict)
    (found,) = VerdictTable.of("hot_cold_keys", [given], {claim: CLAIMS.get(claim, MADE_UP)}).records()
    return found
