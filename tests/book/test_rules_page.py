"""What the change of the rule did to the verdicts, and what chance may have done to them, as the pages tell it."""

from __future__ import annotations

from pathlib import Path

import pytest
from docutils import nodes

from benchbook.book.pages import multiplicity, rules
from benchbook.book.parts.nodes import Folded
from benchbook.book.records.judged import Judged
from benchbook.claims import Earlier, load_claims, load_earlier, protocol_amendments
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict

ROOT = Path(__file__).parents[2]
CLAIMS = load_claims(ROOT / "data" / "claims.csv")


def judged(claim: str, outcome: Outcome, error: float | None = None) -> Judged:
    allowed = None if error is None else 0.025
    return Judged(CLAIMS[claim], Verdict(claim, outcome, "r", error=error, allowed=allowed), "hot_cold_keys")


def earlier(claim: str, outcome: Outcome) -> Earlier:
    return Earlier("2026-11-22", claim, outcome, "r-1")


BEFORE = {
    "L001": earlier("L001", Outcome.REPRODUCED),
    "L002": earlier("L002", Outcome.ENVIRONMENT),
    "L003": earlier("L003", Outcome.DIRECTION_ONLY),
    "L006": earlier("L006", Outcome.NOT_TESTABLE),
}
NOW = [
    judged("L001", Outcome.REPRODUCED),
    judged("L002", Outcome.CONTRADICTED),
    judged("L003", Outcome.CONTRADICTED),
    judged("L004", Outcome.REPRODUCED),
    judged("L006", Outcome.NOT_TESTABLE),
]


def test_only_claims_that_data_decided_then_are_compared_and_counted() -> None:
    found = rules.pairs(NOW, BEFORE)
    assert [was.claim_id for was, _ in found] == ["L001", "L002", "L003"]
    assert rules.sentence(found, "2026-11-22") == (
        "Until 2026-11-22, another rule decided 2 of the 3 claims that runs answered then; today's rule decides 3 "
        "of them, 1 of these differently. It was changed after the data had been seen."
    )


def test_the_page_counts_both_ways_and_names_each_claim_that_came_out_otherwise() -> None:
    amendments = [vars(each) for each in protocol_amendments(ROOT / "data" / "claims-amendments.csv")]
    made = nodes.container("", *rules.rules_nodes(NOW, {"2026-11-22": BEFORE, "2026-11-26": {}}, amendments))
    different, folded = made.findall(Folded)
    assert different["summary"] == "The 2 claims with a different verdict, open ones included"
    assert "L001" not in different.astext()
    assert "L003" in different.astext()
    assert folded["summary"] == f"The rules, amended {len(amendments)} times since the ledger was fixed"
    assert "after data were seen: item 20 was" in folded.astext()
    assert rules.rules_nodes(NOW, {}, amendments) == []
    twice = nodes.container("", *rules.rules_nodes(NOW, {"2026-11-22": BEFORE, "2026-11-26": BEFORE}, amendments))
    text = twice.astext()
    assert 0 <= text.index("Until 2026-11-26") < text.index("Until 2026-11-22"), "the newest stands first"


def test_the_stored_verdicts_of_the_earlier_rules_are_of_published_runs_and_of_claims_of_the_ledger() -> None:
    found = load_earlier(ROOT / "data" / "verdicts-earlier.csv")
    assert list(found) == ["2026-11-22", "2026-11-26"]
    runs = {path.name for path in (ROOT / "data" / "published").glob("*/*")}
    for verdicts in found.values():
        assert len(verdicts) > 100
        assert set(verdicts) <= set(CLAIMS)
        assert {each.run_id for each in verdicts.values() if each.run_id} <= runs


def test_a_damaged_file_of_earlier_verdicts_names_its_row(tmp_path: Path) -> None:
    path = tmp_path / "verdicts-earlier.csv"
    path.write_text("until,id,outcome,run_id\n2026-11-22,L001,holds,r\n2026-11-22,L001,holds,r\n")
    with pytest.raises(BenchbookError, match="L001 twice"):
        load_earlier(path)
    path.write_text("until,id,outcome,run_id\n2026-11-22,L001,splendid,r\n")
    with pytest.raises(BenchbookError, match=r"row '2026-11-22', 'L001' has the outcome 'splendid'"):
        load_earlier(path)


def test_a_verdict_of_a_rule_without_a_date_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "verdicts-earlier.csv"
    path.write_text("until,id,outcome,run_id\nyesterday,L001,holds,r\n")
    with pytest.raises(BenchbookError, match="'yesterday', 'L001' has no date"):
        load_earlier(path)


def test_chance_is_told_of_verdicts_that_rest_on_an_interval() -> None:
    given = [judged("L001", Outcome.REPRODUCED, 0.02), judged("L012", Outcome.CONTRADICTED, 1e-9), *NOW[1:3]]
    found = multiplicity.of_verdicts(given)
    assert (found.decided, found.fallen) == (2, ())
    assert multiplicity.sentence(found).startswith(
        "2 verdicts are based on an interval. At the observed distances from their edges, chance alone would make "
        "0.0200 of them false; if each were just beyond its edge, 0.0500."
    )
    (folded,) = nodes.container("", *multiplicity.multiplicity_nodes(given)).findall(Folded)
    assert "below 0.0001" in folded.astext()
    assert multiplicity.sentence(multiplicity.of_verdicts(NOW)) == "No verdict is based on an interval yet."


def test_a_verdict_that_holms_adjustment_leaves_open_is_named() -> None:
    given = [judged("L001", Outcome.REPRODUCED, 0.04)]
    assert "1 of them would be open: L001." in multiplicity.sentence(multiplicity.of_verdicts(given))
