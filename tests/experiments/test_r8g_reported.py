"""What note 003's own reports show about its claims, each number counted anew from the table."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from benchbook import notes
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.errors import BenchbookError
from benchbook.model import Outcome
from benchbook.notes import nine_runs
from benchbook.notes.own_reports import REPORTED, Shown, evidence

RAW = Path(__file__).parents[2] / "data" / "notes" / "raw" / "r8g_reports.csv"
with RAW.open(newline="", encoding="utf-8") as file:
    REPORTS = {row["run_id"]: row for row in csv.DictReader(file)}
SLOW = [
    f"{float(row['tps']):,.0f}" for row in REPORTS.values()
    if row["data_reads"] == "0" and row["settings"] == "round 2" and float(row["tps"]) < 8_500
]  # fmt: skip


def reported(claim: str) -> Shown:
    return REPORTED[claim](nine_runs.reports())


@pytest.mark.parametrize("claim", REPORTED)
def test_a_claim_of_the_note_is_answered_with_reports_and_commit(claim: str) -> None:
    assert load_claims()[claim].note == "003"
    found = reported(claim)
    assert found.contradicts is (claim != "R054")
    assert found.text.endswith(".")
    assert "ecraftagency/postgres_10k_tps_olap at e1335a4)" in found.text
    assert any(run_id in found.text for run_id in REPORTS)


@pytest.mark.parametrize(
    ("claim", "column", "outcome"),
    [
        *((claim, "tps", Outcome.CONTRADICTED) for claim in ("R036", "R042", "R077")),
        ("R037", "latency_ms", Outcome.CONTRADICTED), ("R038", "latency_sd_ms", Outcome.DIRECTION_ONLY),
    ],
)  # fmt: skip
def test_a_larger_pool_is_compared_from_the_same_start(claim: str, column: str, outcome: Outcome) -> None:
    found = evidence(claim)()
    large, small = (float(REPORTS[run_id][column]) for run_id in ("113544", "115002"))
    assert found is not None
    assert found.value == pytest.approx(large / small)
    assert by_report(load_claims()[claim], found, None).outcome is outcome


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ("R054 R055 R056 R058", [f"{SLOW[0]}, {SLOW[1]} and {SLOW[2]} TPS"]),
        ("R022", ["scale 1,250 and 500", "2.0 to 11.2 writes a second", "commit_delay was 0"]),
        ("R057", ["all nine runs", "Four of them then read nothing", "0.02 of 100 clients", "9,058 TPS"]),
        ("R017 R033", ["wrote no page"]),
        ("R051 R052 R094", ["The run read nothing from disk"]),
    ],
)
def test_what_speaks_against_a_claim_without_a_number_is_said(claims: str, words: list[str]) -> None:
    for claim in claims.split():
        found = reported(claim)
        assert found.value is None
        assert [each for each in words if each not in found.text] == [], claim


def test_a_cold_run_is_compared_with_later_ones_that_read_nothing() -> None:
    tps = {run_id: float(row["tps"]) for run_id, row in REPORTS.items()}
    warm = (tps["115442"] * tps["115607"] * tps["115748"]) ** (1 / 3)
    assert reported("R049").value == pytest.approx(tps["115002"] / warm)
    assert {row["buffers_written"] for row in REPORTS.values()} == {"0"}


def test_what_the_reports_leave_open_is_left_to_the_measurement() -> None:
    assert "too few to say" in reported("R054").text
    assert evidence("R054")() is None


def test_with_other_reports_the_answers_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> pd.DataFrame:
        found = real(name)
        if name == nine_runs.REPORTS:
            found.loc[found["run_id"] == "113544", "tps"] = 5_000.0
            found.loc[found["run_id"] != "112421", "data_reads"] = 20_000
            found["buffers_written"] = 7
        elif name == nine_runs.WAITS:
            found.loc[found["run_id"] == nine_runs.RISING, "data_file_read"] = 40.0
        return found

    assert "0.00 of 100 clients waited" in reported("R094").text
    monkeypatch.setattr(notes, "table", other)
    assert not reported("R077").contradicts
    assert not reported("R022").contradicts
    assert "At most 7 pages were" in reported("R022").text
    assert not reported("R094").contradicts, "it waits for pages, and is still warming"
    with pytest.raises(BenchbookError, match="none is below 8,500 TPS"):
        reported("R055")
