"""Cold starts without an engine: arms, the cap's proportion, what looks become, and when a start decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from chapters import planted_numbers

from benchbook.chapters import cold_starts
from benchbook.chapters.cold_starts import Parameters, configurations
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import paced, spent
from benchbook.notes import nine_runs

SETTINGS = {arm.name: arm.settings for arm in configurations(Parameters())}


def test_the_proportion_is_that_of_the_notes_report() -> None:
    noted = nine_runs.reports()[nine_runs.ROUND_1]
    assert pytest.approx(noted.reads / 60 / noted.course["tps"].max(), abs=5e-4) == paced.NOTE_READS_PER_TRANSACTION
    assert paced.in_proportion(2_000) == round(2_000 * paced.NOTE_READS_PER_TRANSACTION)
    assert paced.in_proportion(0) == 20


def look(at_s: float, reads: float | None) -> paced.Look:
    waits = {"IO:DataFileRead": 9} if at_s <= 5 else {"running": 9}
    blocks = {name: (int(100 * at_s), int(10 * at_s)) for name in ("pgbench", "postgres")}
    return paced.Look(at_s, waits, 12, 10, blocks, (at_s, 0.0, 0.0, 2 * at_s), 8_192.0 * at_s, reads, 2 * at_s)


def test_reads_of_the_device_are_counted_in_each_twelfth_where_somebody_counts_them() -> None:
    found = paced.metrics([look(float(s), 100.0 * min(s, 5) + 10.0 * max(0, s - 5)) for s in range(61)], 10, 60.0)
    names = ("device_read_iops_01", "device_read_iops_12", "device_read_iops_most", "paced_iops", "reading_first")
    assert [found[name] for name in names] == [pytest.approx(each) for each in (100, 10, 100, 2, 0.9)]
    uncounted = paced.metrics([look(float(s), None) for s in range(61)], 10, 60.0)
    assert uncounted["device_read_iops"] is uncounted["device_read_iops_most"] is None


def test_the_kernels_count_is_that_of_the_device(tmp_path: Path) -> None:
    listed = tmp_path / "diskstats"
    listed.write_text("   7       0 loop0 123 4 5 6 7 8 9 10 11 12 13\n 253       0 vda 99 0 0 0 0 0 0 0 0 0 0\n")
    assert spent.device((7, 0), listed)["disk_reads"] == 123
    assert spent.device((7, 1), listed) == spent.device((7, 0), tmp_path / "none") == {}


def test_a_pace_that_is_not_kept_fails_the_trial() -> None:
    paced.check_kept(1_000.0, 20_100, 20.0)
    paced.check_kept(None, 90_000, 20.0)
    with pytest.raises(MachineError, match="1,060 reads a second had a turn instead of 1,000"):
        paced.check_kept(1_000.0, 21_200, 20.0)


@pytest.mark.parametrize(
    ("seen", "why"),
    [({"waits_reading": 0.06}, "6.0% of the clients wait for a read (at most 6.0%, 6 trials), where the report"),
     ({"reading_first": 0.06}, "at most 6.0% do"), ({"read_cap_iops": 9.0}, "where the claim names 1.15"), ({}, "")],
)  # fmt: skip
def test_a_start_that_reads_do_not_bind_and_another_cap_are_told(
    seen: dict[str, float], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"waits_reading": 0.6, "reading_first": 0.9, "read_cap_iops": 1.147, "tps": 1.0} | seen
    monkeypatch.setattr(
        cold_starts.Summary, "_values",
        lambda summary, arm, metric: 0 * planted_numbers.values(arm, metric) + found[metric],
    )  # fmt: skip
    summary = planted_numbers.summary("cold_starts")
    told = [cold_starts.bound_by_reads(summary), cold_starts.bound_at_first(summary)]
    assert why in " ".join([*told, *cold_starts.departing(summary, "")])
    assert any([*told, *cold_starts.departing(summary, "")]) == bool(why)
