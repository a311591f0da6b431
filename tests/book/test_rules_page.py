"""What was changed in the rules, which verdicts came before, and what chance may have done, as the pages tell it."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from docutils import nodes
from judging import CLAIMS, judged

from benchbook.book.pages import multiplicity
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.verdict_table import AMENDMENTS, amendments_folded
from benchbook.book.records.judged import Judged
from benchbook.claims import protocol_amendments
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics.multiplicity import LATER_LOOK

ROOT = Path(__file__).parents[2]


def decided(claim: str, outcome: Outcome, error: float) -> Judged:
    return judged(claim, outcome, error=error, allowed=0.025)


NOW = [
    judged("L001", Outcome.REPRODUCED),
    judged("L002", Outcome.CONTRADICTED),
    judged("L003", Outcome.CONTRADICTED),
    judged("L004", Outcome.REPRODUCED),
    judged("L006", Outcome.NOT_TESTABLE),
]


def test_the_amendments_of_the_rules_are_folded_with_their_dates() -> None:
    amendments = [vars(each) for each in protocol_amendments(ROOT / AMENDMENTS)]
    (folded,) = amendments_folded(amendments, "The rules")
    assert folded["summary"] == f"The rules, amended {len(amendments)} times since the ledger was fixed"
    assert "after data were seen: item 20 was" in folded.astext()


def test_the_table_of_earlier_verdicts_is_of_claims_of_the_ledger_and_of_published_runs() -> None:
    with (ROOT / "data" / "earlier-verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    runs = {path.name for path in (ROOT / "data" / "published").glob("*/*")}
    assert [*rows[0]] == ["until", "id", "outcome", "run_id"]
    assert len({(row["until"], row["id"]) for row in rows}) == len(rows)
    assert [*dict.fromkeys(row["until"] for row in rows)] == ["2026-11-22", "2026-11-26", "2026-11-29"]
    assert {row["id"] for row in rows} <= set(CLAIMS)
    assert {row["run_id"] for row in rows} <= {*runs, ""}
    assert all(row["outcome"] for row in rows)
    assert "../data/earlier-verdicts.csv" in (ROOT / "book" / "verdicts.md").read_text("utf-8"), "the page offers it"


def test_chance_is_told_of_verdicts_that_rest_on_an_interval() -> None:
    given = [decided("L001", Outcome.REPRODUCED, 0.02), decided("L012", Outcome.CONTRADICTED, 1e-9), *NOW[1:3]]
    found = multiplicity.of_verdicts(given)
    assert (found.decided, found.fallen) == (2, ())
    assert multiplicity.sentence(found).startswith(
        "2 verdicts are based on an interval. At the observed distances from their edges, 0.0200 of them are expected "
        "to be false. Of these, chance alone makes 0.0200, what a visit moves a ratio by below 0.0001, and a second "
        "look at 0 of them at most below 0.0001; below 0.0001 would be false on another processor model, of those "
        "measured on a single one. If each were just beyond its edge, chance alone would make 0.0500 false. "
    )
    (folded,) = nodes.container("", *multiplicity.multiplicity_nodes(given)).findall(Folded)
    assert "below 0.0001" in folded.astext()
    assert multiplicity.sentence(multiplicity.of_verdicts(NOW)) == "No verdict is based on an interval yet."


def test_the_expected_number_has_a_term_for_visits_processors_and_looks_and_counts_amended_regions() -> None:
    claim = CLAIMS["O024"]  # from 1.152 to 1.8
    near = Estimate(1.4, 1.3, 1.5, 8, "Student t on paired log differences")
    timed = Verdict(
        claim.id, Outcome.REPRODUCED, "r", near, error=0.001, allowed=0.005, visits=2, processors=("one",), look=3
    )
    found = multiplicity.of_verdicts([Judged(claim, timed), decided("L001", Outcome.REPRODUCED, 0.01)])
    assert found.chance == pytest.approx(0.011)
    assert (found.looks, found.again) == (pytest.approx(2 * LATER_LOOK), 1)
    assert found.amended == sum(CLAIMS[each].amended_after_data for each in ("O024", "L001"))
    assert 0 < found.visits < found.processors < 1
    assert found.expected == pytest.approx(found.chance + found.looks + found.visits + found.processors)
    several = multiplicity.of_verdicts([Judged(claim, replace(timed, visits=4, processors=("one", "another")))])
    assert (several.visits, several.processors) == (0, 0)


def test_a_verdict_that_holms_adjustment_leaves_open_is_named() -> None:
    given = [decided("L001", Outcome.REPRODUCED, 0.04)]
    assert "1 of them would be open: L001." in multiplicity.sentence(multiplicity.of_verdicts(given))
