"""What the logs of note 001's own benchmark show: counted by hand, and before anything that was measured here."""

from __future__ import annotations

import pytest

from benchbook.chapters import cache_sizing, label_order
from benchbook.claims import chapter_claims
from benchbook.claims.evidence import by_report
from benchbook.measuring.badger import notes, reports
from benchbook.model import Evidence, Outcome


@pytest.mark.parametrize(
    ("chapter", "claim", "value", "outcome"),
    [
        ("cache_sizing", "B003", 799_549 / 2_059_761, Outcome.REPRODUCED),
        ("cache_sizing", "B004", 925_581 / 1_260_212, Outcome.REPRODUCED),
        ("cache_sizing", "B018", 50_156_264_915_243 / 925_581, Outcome.REPRODUCED),
        ("label_order", "B008", 1.8756, Outcome.CONTRADICTED),
        ("label_order", "B010", 1.9563, Outcome.CONTRADICTED),
    ],
)
def test_a_claim_is_judged_by_the_number_of_the_logs(chapter: str, claim: str, value: float, outcome: Outcome) -> None:
    found = {**cache_sizing.REPORTS, **label_order.REPORTS}[claim]()
    assert found is not None
    assert found.value == pytest.approx(value, rel=1e-4)
    verdict = by_report(chapter_claims(chapter)[claim], found, None)
    assert (verdict.outcome, verdict.evidence) == (outcome, Evidence.REPORT)
    assert verdict.reason.endswith("(logs of 17 November 2025 in ZenTenApp/orly-relay at 038d195).")


def test_the_names_stand_in_the_order_of_their_runs() -> None:
    found = reports.bursts("mean_ms")
    assert [label for _, label in found.index] == ["next-orly-badger", "next-orly-dgraph", notes.FAST]
    assert found.to_numpy().tolist() == [[7.197024, 9.406859], [3.805495, 9.266976], [3.589724, 2.925486]]


def test_the_first_minute_and_the_end_are_two_lines_of_each_log() -> None:
    early, each = reports.ratio("hit", "asked")
    assert early == pytest.approx(0.388, abs=0.001)
    assert each == pytest.approx([0.435, 0.359, 0.407, 0.335], abs=0.001), "by the names of the files"
    late, each = reports.ratio("hit", "asked", last=True)
    assert late > min(each) > 0.98
