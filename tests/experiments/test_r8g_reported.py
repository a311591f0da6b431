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
from benchbook.notes.own_reports import REPORTED, evidence, reported

RAW = Path(__file__).parents[2] / "data" / "notes" / "raw" / "r8g_reports.csv"


def reports() -> dict[str, dict[str, str]]:
    with RAW.open(newline="", encoding="utf-8") as file:
        return {row["run_id"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("claim", REPORTED)
def test_a_claim_of_the_note_is_answered_with_reports_and_commit(claim: str) -> None:
    assert load_claims()[claim].note == "003"
    found = reported(claim)
    assert found.contradicts is (claim != "R054")
    assert found.text.endswith(".")
    assert "ecraftagency/postgres_10k_tps_olap at e1335a4)" in found.text
    assert any(run_id in found.text for run_id in reports())


@pytest.mark.parametrize("claim", ["R036", "R042", "R077"])
def test_a_larger_pool_is_compared_from_the_same_start(claim: str) -> None:
    found = reported(claim)
    large, small = (float(reports()[run_id]["tps"]) for run_id in ("113544", "115002"))
    assert found.value == pytest.approx(large / small)
    assert f"{large:,.0f}" in found.text
    assert f"{small:,.0f}" in found.text
    high = load_claims()[claim].high
    assert high is not None
    assert found.value > high


@pytest.mark.parametrize("claim", ["R054", "R055", "R056", "R058"])
def test_slow_runs_without_reads_speak_against_a_cold_cache(claim: str) -> None:
    found = reported(claim)
    unread = [row for row in reports().values() if row["data_reads"] == "0" and row["settings"] == "round 2"]
    slow = [f"{float(row['tps']):,.0f}" for row in unread if float(row["tps"]) < 8_500]
    assert len(slow) == 3
    assert f"{slow[0]}, {slow[1]} and {slow[2]} TPS" in found.text
    assert found.value is None


def test_round_2_had_other_data_and_nothing_to_write() -> None:
    text = reported("R022").text
    assert "scale 1,250 and 500" in text
    assert "2.0 to 11.2 writes a second" in text
    assert "commit_delay was 0" in text


def test_the_checkpoint_precedes_fast_and_warm_runs() -> None:
    text = reported("R057").text
    assert "all nine runs" in text
    assert "Four of them then read nothing" in text
    assert "0.02 of 100 clients" in text
    assert "9,058 TPS" in text


def test_what_the_reports_leave_open_has_no_answer() -> None:
    with pytest.raises(BenchbookError, match="do not decide R046"):
        reported("R046")


def test_with_other_reports_the_answers_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> pd.DataFrame:
        found = real(name)
        if name == nine_runs.REPORTS:
            found.loc[found["run_id"] == "113544", "tps"] = 5_000.0
            found.loc[found["run_id"] != "112421", "data_reads"] = 20_000
            found["buffers_written"] = 7
        return found

    monkeypatch.setattr(notes, "table", other)
    assert not reported("R077").contradicts
    assert not reported("R022").contradicts
    assert "At most 7 pages were" in reported("R022").text
    with pytest.raises(BenchbookError, match="none is below 8,500 TPS"):
        reported("R055")


@pytest.mark.parametrize(
    ("claim", "column", "outcome"),
    [("R037", "latency_ms", Outcome.CONTRADICTED), ("R038", "latency_sd_ms", Outcome.DIRECTION_ONLY)],
)
def test_round_3_is_compared_with_the_other_first_run_after_a_restart(
    claim: str, column: str, outcome: Outcome
) -> None:
    found = evidence(claim)()
    large, small = (float(reports()[run_id][column]) for run_id in ("113544", "115002"))
    assert found is not None
    assert found.value == pytest.approx(large / small)
    assert by_report(load_claims()[claim], found, None).outcome is outcome


def test_a_cold_run_is_compared_with_later_ones_that_read_nothing() -> None:
    tps = {run_id: float(row["tps"]) for run_id, row in reports().items()}
    warm = (tps["115442"] * tps["115607"] * tps["115748"]) ** (1 / 3)
    assert reported("R049").value == pytest.approx(tps["115002"] / warm)


@pytest.mark.parametrize("claim", ["R017", "R033"])
def test_nobody_wrote_a_page_in_any_run(claim: str) -> None:
    assert {row["buffers_written"] for row in reports().values()} == {"0"}
    assert "wrote no page" in reported(claim).text


@pytest.mark.parametrize("claim", ["R051", "R052", "R094"])
def test_runs_without_a_read_were_warm_already(claim: str) -> None:
    assert "The run read nothing from disk" in reported(claim).text
    assert reported(claim).value is None


def test_one_cold_run_says_nothing_of_how_cold_runs_vary_so_that_the_measurement_decides() -> None:
    assert "too few to say" in reported("R054").text
    assert evidence("R054")() is None


@pytest.mark.parametrize("waiting", [0.0, 40.0])
def test_a_run_that_waits_for_pages_without_a_read_from_disk_is_still_warming(
    waiting: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = notes.table

    def other(name: str) -> pd.DataFrame:
        found = real(name)
        if name == nine_runs.WAITS:
            found.loc[found["run_id"] == nine_runs.RISING, "data_file_read"] = waiting
        return found

    monkeypatch.setattr(notes, "table", other)
    assert f"{waiting:.2f} of 100 clients waited" in reported("R094").text
    assert reported("R094").contradicts is (waiting == 0)
