"""Chapters with pgbench without a server: what looks become, which causes did not act, and what departs from claims."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters import clients, memory_pressure, three_rounds, warm_states
from benchbook.engines.pgbench import kernel_counters
from benchbook.errors import MachineError, NoEngineError
from benchbook.measuring.pgbench import many_clients, paced, states
from benchbook.measuring.pgbench.ladder import second
from benchbook.notes import nine_runs


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
    assert kernel_counters.disk((7, 0), listed) == {
        "disk_reads": 123, "disk_read_bytes": 5 * 512, "disk_writes": 7, "disk_written_bytes": 9 * 512,
        "disk_busy_ms": 12,
    }  # fmt: skip
    assert kernel_counters.disk((7, 1), listed) == kernel_counters.disk((7, 0), tmp_path / "none") == {}


def test_a_pace_that_is_not_kept_fails_the_trial() -> None:
    paced.check_kept(1_000.0, 20_100, 20.0)
    paced.check_kept(None, 90_000, 20.0)
    with pytest.raises(MachineError, match="1,060 reads a second had a turn instead of 1,000"):
        paced.check_kept(1_000.0, 21_200, 20.0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("workingset_refault_file 3\ntotal_workingset_refault_file 5\n", 5.0),
        ("workingset_refault_anon 1\nworkingset_refault_file 7\n", 7.0),
        ("cache 4\n", np.nan),
    ],
)
def test_refaults_are_read_of_both_versions_of_control_groups(tmp_path: Path, text: str, found: float) -> None:
    (tmp_path / "memory.stat").write_text(text)
    assert memory_pressure.refaults(tmp_path / "memory.stat") == pytest.approx(found, nan_ok=True)
    assert np.isnan(memory_pressure.refaults(tmp_path / "none"))
    assert np.isnan(memory_pressure.refaults(None))


def test_the_rounds_are_the_ladders_with_the_lengths_that_are_asked_for() -> None:
    p = three_rounds.Parameters(trial_seconds=7, fill_seconds=3, clients=6)
    assert (p.ladder.warm_seconds, p.ladder.warm_fill_seconds, p.ladder.clients) == (7, 3, 6)
    assert {arm.settings["start"] for arm in three_rounds.configurations(p)} == {"cold", "warm"}


def test_without_a_package_of_postgresql_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise MachineError("there is no second PostgreSQL", "install it")

    monkeypatch.setattr(second, "find", absent)
    missing = three_rounds.needs(three_rounds.Parameters()).missing_engine()
    assert isinstance(missing, NoEngineError)
    assert missing.mend == "install Debian's package postgresql"


def test_the_course_of_a_turn_is_the_mean_over_its_turns() -> None:
    ends = np.array([100_000, 200_000, 700_000, 10_100_000, 10_600_000], dtype=np.int64)
    assert warm_states.course(ends, [0, 10_000_000], 1_000) == {"half_second_01_tps": 3.0, "half_second_02_tps": 2.0}
    assert warm_states.course(ends, [0, 10_000_000], 499) == {}


def test_what_nobody_counted_is_missing_and_a_state_that_takes_nothing_took_none() -> None:
    found = states.over({"user_s": 0.5, "machine_user_s": 1.0, "wall_s": 10.0, "dead_rows": 7.0}, 1_000)
    assert found["user_s_per_transaction"] == pytest.approx(5e-4)
    assert found["machine_user_per_transaction_s"] == pytest.approx(1e-3)
    assert found["disk_reads_per_transaction"] is None
    assert found["taken_processors"] == 0
    assert states.over({"taken_s": 5.0, "wall_s": 10.0, "dead_rows": 7.0}, 1)["taken_processors"] == 0.5


def test_more_clients_than_open_files_are_refused_with_the_numbers() -> None:
    with pytest.raises(MachineError, match=r"1,000 clients need 1,200 open files in one program, the limit is 1,024"):
        many_clients.check(clients.Parameters(), limit=1_024)


@given(st.sets(st.integers(1, 1_000).filter(lambda n: n != 100), min_size=1, max_size=8), st.integers(1, 8))
def test_a_configuration_never_has_more_threads_than_clients(counts: set[int], threads: int) -> None:
    found = clients.Parameters.given({"counts": sorted(counts), "pooled_counts": [], "threads": threads})
    for arm in clients.configurations(found):
        assert 1 <= int(arm.settings["threads"] or 0) <= int(arm.settings["clients"] or 0)


def test_the_baseline_is_held_against_itself_in_what_a_claim_is_about() -> None:
    def asked(name: str) -> object:
        return lambda again, first, *metrics: f"{name} of {metrics[0]}"

    summary: Any = SimpleNamespace(aa_gate=asked("ratio"), aa_share_gate=asked("share"))
    answers = [each for each in lab.experiment("clients").answers.given if each.estimand.metric]
    assert {each.claim: clients.aa_gates(summary, each)[0] for each in answers} == {
        "R074": "ratio of tps",
        "R078": "ratio of tps",
        "R016": "share of cpu_busy",
        "R010": "share of waits_flushing",
        "R012": "ratio of reads_per_transaction",
        "R013": "share of cpu_user",
        "R014": "share of cpu_system",
        "R015": "share of cpu_iowait",
    }


def test_more_backends_than_the_note_allows_serve_nobody() -> None:
    planted = {"clients_served": np.array([1_000.0, 990.0]), "backends_most": np.array([102.0, 102.0])}
    summary: Any = SimpleNamespace(values=lambda arm, metric: planted[metric], parameters=clients.Parameters())
    assert clients.served(summary) == 990
    planted["backends_most"][1] = 251
    assert clients.served(summary) == 0
