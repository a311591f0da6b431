"""What a second run of note 000's benchmark shows: counted by hand, and judged before what was measured here."""

from __future__ import annotations

import pytest

from benchbook import notes
from benchbook.chapters.networked_keys import NUMBERS, REPORTS
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.model import Outcome
from benchbook.notes import other_runs


@pytest.mark.parametrize(
    ("claim", "value", "outcome"),
    [
        ("L003", 108.8 / 73.71, Outcome.REPRODUCED), ("L055", 99.44 / 73.71, Outcome.REPRODUCED),
        ("L059", 14.05 / 73.71, Outcome.REPRODUCED), ("L004", 9.08 / 73.71, Outcome.DIRECTION_ONLY),
    ],
)  # fmt: skip
def test_the_shape_of_the_second_run_judges_that_of_the_first(claim: str, value: float, outcome: Outcome) -> None:
    found = REPORTS[claim]()
    assert found is not None
    assert found.value == pytest.approx(value)
    assert by_report(load_claims()[claim], found, None, bounded=True).outcome is outcome


def test_a_faster_request_shows_that_the_fastest_of_one_run_is_no_floor() -> None:
    found = REPORTS["L075"]()
    assert found is not None
    assert "9.08 ms, 0.27 of the 33.32 ms" in found.text
    assert found.value is None


def test_a_second_run_without_a_faster_request_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "reading", lambda name: 40.0)
    assert other_runs.no_floor() is None


def test_every_report_is_of_a_claim_that_has_a_number() -> None:
    assert set(REPORTS) <= {"L003", "L004", "L055", "L059", "L075"}
    assert {"p99_spread", "min_spread", "p95_spread", "sd_spread", "p50_over_min"} <= set(NUMBERS)
