"""Note 003's nine raw reports read again: numbers counted anew from the tables, and what they show of its claims."""

from dataclasses import replace
from statistics import fmean as mean
from statistics import geometric_mean

import pandas as pd
import pytest
from planting import raw_rows as rows

from benchbook import lab, notes
from benchbook.chapters.rounds_reanalysis import Summary
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.errors import BenchbookError
from benchbook.model import Outcome
from benchbook.notes import nine_runs
from benchbook.notes.nine_runs import COLD, RISING, ROUND_1, ROUND_2, ROUND_3
from benchbook.notes.own_reports import REPORTED, Shown, evidence

chapter = lab.experiment("rounds_reanalysis")


@pytest.fixture(scope="module")
def summary() -> Summary:
    return chapter.summarize(chapter.Parameters())


REPORTS = {row["run_id"]: row for row in rows("r8g_reports")}
SLOW = [
    f"{float(row['tps']):,.0f}" for row in REPORTS.values()
    if row["data_reads"] == "0" and row["settings"] == "round 2" and float(row["tps"]) < 8_500
]  # fmt: skip


def percents(run_id: str, column: str, first: int, last: int) -> list[float]:
    return [
        float(row[column]) for row in rows("r8g_cpu") if row["run_id"] == run_id and first <= int(row["t_s"]) <= last
    ]


def test_the_reports_are_those_of_the_note_s_own_tables() -> None:
    printed = {row["run_id"]: row for row in notes.table("r8g_validation").to_dict("records")}
    for run_id, row in REPORTS.items():
        if run_id in printed:
            assert float(row["tps"]) == pytest.approx(printed[run_id]["tps"], abs=0.5)
            assert row["note_name"] == printed[run_id]["cache_state"]
    for row in notes.table("r8g_runs").to_dict("records"):
        found = next(each for each in REPORTS.values() if each["note_name"] == f"Round {row['round']}")
        assert found["run_id"] == str(row["clock"])[-8:].replace(":", "")
        assert float(found["tps"]) == pytest.approx(row["tps"], abs=0.5)
        assert float(found["latency_sd_ms"]) == pytest.approx(row["latency_stddev_ms"], abs=0.006)
        assert int(found["pool_gb"]) == row["shared_buffers_gb"]


def test_the_seconds_of_the_processors_have_the_means_of_the_report() -> None:
    for run_id, row in REPORTS.items():
        assert len(percents(run_id, "user_percent", -1, 62)) == 64
        for column in ("user_percent", "system_percent"):
            assert mean(percents(run_id, column, 4, 58)) == pytest.approx(float(row[f"cpu_{column}"]), abs=0.006)


def test_reads_are_those_of_64_samples() -> None:
    for row in REPORTS.values():
        assert int(row["data_reads"]) == round(64 * float(row["data_reads_per_s"]))


def test_scenario_c_is_the_same_in_both_tables_and_a_report_on_the_pooler_s_machine_has_no_counters() -> None:
    c8gb = {row["file"]: row for row in rows("c8gb_reports")}
    found = rows("neighbours")
    shared = [row for row in found if row["file"] in c8gb]
    assert [row["hardware"] for row in shared] == ["c8gb.8xlarge"] * 2
    assert all(row["tps"] == c8gb[row["file"]]["tps"] for row in shared)
    for row in found:
        assert (row["machine"] == "pooler") == (row["pooler"] == "yes")
        assert not (row["machine"] == "pooler" and (row["buffers_alloc"] or row["data_reads_per_s"]))


def test_a_transaction_s_time_is_that_of_all_processors_over_the_transactions(summary: Summary) -> None:
    for run_id, row in REPORTS.items():
        found = summary.runs[run_id]
        for column, value in (("user_percent", found.user_us), ("system_percent", found.system_us)):
            assert value == pytest.approx(mean(percents(run_id, column, 1, 60)) / 100 * 4e6 / float(row["tps"]))
        assert len(found.course) == 12
        assert found.course["user_us"].iloc[1] == pytest.approx(
            mean(percents(run_id, "user_percent", 6, 10)) * 4e4 / float(found.course["tps"].iloc[1])
        )


def test_runs_without_reads_have_every_throughput(summary: Summary) -> None:
    assert [each.run_id for each in summary.warm] == ["112308", ROUND_2, "115442", RISING, "115748"]
    assert [int(REPORTS[each.run_id]["data_reads"]) for each in summary.warm] == [3, 0, 0, 0, 0]
    stricter = chapter.summarize(chapter.Parameters(few_reads=0))
    assert [each.run_id for each in stricter.warm] == [ROUND_2, "115442", RISING, "115748"]
    assert "Four of the nine runs" in chapter.say(stricter, "answer").text


def test_first_runs_are_compared_with_first_runs(summary: Summary) -> None:
    large, small = nine_runs.first_runs(summary.runs)
    assert (large.run_id, small.run_id) == (ROUND_3, COLD)
    assert large.tps / small.tps == pytest.approx(1.038, abs=0.0005)
    assert {each.run_id for each in summary.runs.values() if each.first} == {ROUND_1, ROUND_3, COLD}
    for each in summary.runs.values():
        assert not (each.first and each.checkpoint_s > 1), "a server that was stopped has nothing to write"
    with pytest.raises(BenchbookError, match="0 reports are of a first run with 8 GB"):
        nine_runs.first_runs({run_id: each for run_id, each in summary.runs.items() if run_id != COLD})


def test_a_changed_table_changes_what_is_said(summary: Summary, monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> pd.DataFrame:
        found = real(name)
        if name == nine_runs.REPORTS:
            found.loc[found["run_id"] == "115748", "data_reads"] = 500
        return found

    monkeypatch.setattr(notes, "table", other)
    assert [each.run_id for each in replace(summary).slow] == ["115442"]


def test_without_a_slow_warm_run_the_error_says_how_to_have_one(
    summary: Summary, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(summary)
    monkeypatch.setitem(other.__dict__, "runs", {ROUND_2: summary.fast})
    with pytest.raises(BenchbookError, match="no run with at most 10 reads stayed slow"):
        assert other.slow


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
    ("claim", "column", "above", "below"),
    [("R038", "latency_sd_ms", ["113544"], "115002"), ("R055", "tps", ["115442", "115607", "115748"], "115002")],
)
def test_a_number_of_the_reports_shows_another_size(claim: str, column: str, above: list[str], below: str) -> None:
    found = evidence(claim)()
    several = geometric_mean([float(REPORTS[run_id][column]) for run_id in above])
    assert found is not None
    assert found.value == pytest.approx(several / float(REPORTS[below][column]))
    assert by_report(load_claims()[claim], found, None).outcome is Outcome.DIRECTION_ONLY


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ("R054 R056 R058", [f"{SLOW[0]}, {SLOW[1]} and {SLOW[2]} TPS"]),
        ("R022", ["scale 1,250 and 500", "2.0 to 11.2 writes a second", "commit_delay was 0"]),
        ("R057", ["all nine runs", "Four of them then read nothing", "0.02 of 100 clients", "9,058 TPS"]),
        ("R017 R033", ["wrote no page"]),
        ("R012", ["4 transactions at the start and 134 at the end, while pgbench made 421,637"]),
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
