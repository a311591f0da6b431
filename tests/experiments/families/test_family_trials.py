"""What a trial becomes: samples, its course, what it spent, what looks at it saw; and where its storage cannot be."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.engines.pgbench import Watched
from benchbook.engines.pgbench.watching import COUNTERS, GAUGES
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import storage, watched, windows
from benchbook.measuring.pgbench.ladder.parameters import Parameters
from benchbook.measuring.pgbench.looks import Look
from benchbook.measuring.pgbench.metric_words import LOOKED, STATES
from benchbook.measuring.pgbench.spent import PARTS, Spent, course
from benchbook.measuring.pgbench.stretches import SLOTS, falls, reduce, slots, stretches
from benchbook.measuring.samples import reduced, subsample
from benchbook.measuring.storage import check


@pytest.mark.parametrize("n", [0, 1, 99, 100, 101, 200, 12_345])
def test_a_subsample_is_small_enough_in_order_and_even_from_first_to_last(n: int) -> None:
    given = np.arange(n, dtype=np.int64)
    kept = subsample(given, 100)
    assert len(kept) == min(n, 100)
    steps = np.diff(kept)
    assert (steps > 0).all()
    if n:
        assert (kept[0], kept[-1]) == (0, n - 1)
    if n > 1:
        assert steps.max() - steps.min() <= 1


def test_a_subsample_keeps_the_middle_of_what_it_is_taken_from() -> None:
    given = np.random.default_rng(3).lognormal(10, 1, 50_001).round().astype(np.int64)
    found = reduced(subsample(given, 10_000), "stored")
    assert found["stored_p50_ns"] == pytest.approx(np.median(given), rel=0.05)
    assert all(name.startswith("stored_") for name in found)


SECONDS = 16.0
FLAT = np.ones(SLOTS)
CLIFF = np.where(np.arange(SLOTS) < 14, 1.0, 0.5)
CLIMB = np.linspace(1.0, 1.17, SLOTS)


def ends(shape: np.ndarray, transactions: int = 40_000) -> np.ndarray:
    """When each transaction ends, of a trial whose throughput has this shape."""
    done = np.concatenate([[0.0], np.cumsum(shape)]) / shape.sum() * transactions
    return np.interp(np.arange(1, transactions + 1), done, np.linspace(0, SECONDS, SLOTS + 1))


def shape_of(shape: np.ndarray) -> dict[str, float | None]:
    return reduce(stretches(ends(shape), SECONDS))


def test_the_course_is_recovered_from_what_is_stored() -> None:
    for shape in (FLAT, CLIFF, CLIMB):
        kept = stretches(ends(shape), SECONDS)
        assert len(kept) <= 2_001
        assert kept.sum() == pytest.approx(SECONDS * 1e9, abs=1)
        found = slots(kept)
        assert found is not None
        assert found == pytest.approx(shape / shape.mean(), rel=0.02)


def test_a_planted_cliff_is_found_where_and_as_deep_as_it_is() -> None:
    found = shape_of(CLIFF)
    assert found["cliff"] == 1
    assert found["cliff_slot"] == pytest.approx(14, abs=5)
    for name in ("min_over_peak", "end_over_peak", "post_cliff_over_peak", "post_onset_over_peak"):
        assert found[name] == pytest.approx(0.5, rel=0.03), name
    assert found["max_drawdown"] == pytest.approx(0.5, rel=0.03)


def test_a_level_and_a_climbing_course_have_none() -> None:
    for shape in (FLAT, CLIMB):
        found = shape_of(shape)
        assert found["cliff"] == 0
        assert found["cliff_slot"] is None
        assert found["post_onset_over_peak"] is None
    climbing = shape_of(CLIMB)
    assert climbing["last_over_first"] == pytest.approx(1.17, rel=0.02)
    assert climbing["rising_share"] == 1
    assert climbing["peak_interval"] == 12


def test_a_standstill_at_the_end_is_not_lost() -> None:
    found = shape_of(np.where(np.arange(SLOTS) < 40, 1.0, 0.0))
    assert found["cliff"] == 1
    assert found["end_over_peak"] == pytest.approx(0, abs=2e-3)


@pytest.mark.parametrize("latencies", [[], [5], [0, 0, 0]])
def test_a_trial_without_transactions_has_no_shape(latencies: list[int]) -> None:
    found = reduce(np.array(latencies, dtype=np.int64))
    assert found
    assert all(value is None for value in found.values())


def test_a_fall_is_placed_in_its_half_second() -> None:
    at = 0.06  # second 3.5 of 60 lies in the half second that begins there
    shape = np.where(np.arange(960) < at * 960, 1.0, 0.3)
    done = np.concatenate([[0.0], np.cumsum(shape)]) / shape.sum() * 40_000
    kept = stretches(np.interp(np.arange(1, 40_001), done, np.linspace(0, 60.0, 961)), 60.0)
    found = falls(kept)
    assert found is not None
    assert 60 * found == pytest.approx(3.5)
    assert falls(stretches(ends(FLAT), SECONDS)) is None
    assert falls(np.zeros(0, dtype=np.int64)) is None


def test_what_was_watched_becomes_parts_and_totals() -> None:
    table = pd.DataFrame(dict.fromkeys((*GAUGES, *COUNTERS), np.nan), index=range(17), dtype=float)
    table.insert(0, "elapsed_s", np.arange(17.0))
    table["wal_bytes"] = 1000.0 + np.arange(17.0) * 2**20
    table["dirty_bytes"], table["writeback_bytes"] = np.arange(17.0) * 10, 0.0
    table["checkpoints_timed"] = (np.arange(17) >= 8).astype(float)
    table["checkpoints_requested"] = 0.0
    found = watched.metrics(Watched(table, {"IO:WalSync": 3, "running": 5, "Odd:Thing": 1}, 0.1), 16.0, 100.0)
    assert found["wal_bytes"] == 16 * 2**20
    assert sum(found[f"wal_mib_{part:02}"] or 0 for part in range(1, 25)) == pytest.approx(16)
    assert found["limit_reached_at"] == pytest.approx(9 / 16)
    assert found["dirty_peak_over_slowing"] == 1.6
    assert sum(found[f"checkpoints_{part:02}"] or 0 for part in range(1, 25)) == pytest.approx(1)
    assert found["evictions"] is None
    assert (found["waits_io"], found["waits_running"], found["waits_lock"], found["waits_odd"]) == (3, 5, 0, 1)


def test_what_was_spent_is_a_difference_and_unknown_where_it_was_not_told() -> None:
    spent = Spent(3.0, 1.0, 10.0, 81_920.0, 7.0, None) - Spent(1.0, 0.5, 4.0, 32_768.0, 1.0, None)
    found = spent.metrics(100)
    assert found["user_s_per_transaction"] == pytest.approx(0.02)
    assert found["system_s_per_transaction"] == pytest.approx(0.005)
    assert found["disk_reads_per_transaction"] == pytest.approx(0.06)
    assert found["disk_writes_per_transaction"] == pytest.approx(0.06)
    assert found["disk_written_bytes_per_transaction"] is None


def test_the_parts_of_a_trial_hold_all_of_its_transactions() -> None:
    ends = np.sort(np.random.default_rng(1).uniform(0, 30, 6_000))
    found = course(ends, 30)
    assert len(found) == PARTS
    assert sum(value or 0 for value in found.values()) * 30 / PARTS == pytest.approx(6_000)
    assert course(np.zeros(0), 30)["part_001_tps"] == 0


def look(at_s: float, waits: dict[str, int], *, hits: int = 0, reads: int = 0, busy: float = 0.5) -> Look:
    cpu = (busy * at_s, busy * at_s / 2, 0.01 * at_s, 2 * at_s)
    return Look(at_s, waits, 102, 100, {"pgbench": (hits, reads), "postgres": (10, 0)}, cpu, 1e6 * at_s)


def a_minute(**first: int) -> list[Look]:
    """Looks of 60 s: these waits up to second 5, then 10 clients that run."""
    return [look(float(s), first if s <= 5 else {"running": 10}, hits=100 * s, reads=20 * min(s, 5)) for s in range(61)]


def test_shares_are_those_of_the_claims_windows() -> None:
    found = windows.metrics(a_minute(**{"IO:DataFileRead": 90, "LWLock:WALWrite": 5, "Lock:extend": 3}), 100, 60)
    assert found["reading_first"] == pytest.approx(0.9)
    assert found["wal_first"] == pytest.approx(0.05)
    assert found["extending_most"] == pytest.approx(0.03)
    assert found["reading_warm"] == 0
    assert found["clients_looked_at_first"] == 500
    assert found["clients_looked_at_warm"] == 4_000
    assert found["hit_first"] == pytest.approx(500 / 600)
    assert found["hit_last"] == 1
    assert found["hit_requests"] == 500
    assert found["cpu_user"] == pytest.approx(0.25)
    assert found["cpu_system"] == pytest.approx(0.125)
    assert found["cpu_busy"] == pytest.approx(0.375)
    assert found["cpu_iowait"] == pytest.approx(0.005)
    assert found["device_read_warm"] == pytest.approx(1e6)
    assert (found["backends_most"], found["connected_most"]) == (102, 100)
    assert found["waits_01_reading"] == pytest.approx(0.9)
    assert found["waits_12_running"] == pytest.approx(0.1)
    assert found["waits_12_client"] == pytest.approx(0.9)


events = st.dictionaries(
    st.sampled_from(["IO:DataFileRead", "LWLock:WALWrite", "Lock:tuple", "Lock:extend", "running", "IPC:X"]),
    st.integers(0, 30),
)


@given(st.lists(events, min_size=1, max_size=8), st.integers(1, 400))
def test_the_shares_of_all_states_are_one(waits: list[dict[str, int]], clients: int) -> None:
    found = windows.grouped([look(float(at), each) for at, each in enumerate(waits)], clients)
    assert sum(value or 0 for value in found.values()) == pytest.approx(1)
    assert all(0 <= (value or 0) <= 1 for value in found.values())
    assert set(found) == set(STATES)


def test_without_a_look_in_a_window_a_metric_is_missing_and_not_0() -> None:
    found = windows.metrics([look(0.0, {"running": 1})], 10, 60)
    assert found["reading_first"] is None
    assert found["cpu_user"] is None
    assert found["hit_first"] is None
    windowed = {f"waits_{place}_{state}" for place in (10, 11, 12) for state in STATES}
    assert {name for name in found if name not in LOOKED and "_0" not in name} <= windowed


def test_without_root_it_says_how_to_do_without_slow_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(MachineError, match=r"needs root.*allow_slow_storage=false"):
        check(allowed=True)
    check(allowed=False)


def test_a_cap_is_given_as_a_number_or_by_the_name_of_a_volume() -> None:
    assert Parameters.given({"storage_iops": "gp3_16000"}).storage_iops == 16_000
    assert Parameters.given({"storage_iops": 700}).storage_iops == 700
    for wrong in ("gp2", "local", 19):
        with pytest.raises(BenchbookError, match="storage_iops="):
            Parameters.given({"storage_iops": wrong})


def test_what_the_parameters_do_not_allow_is_not_made() -> None:
    parameters = Parameters(allow_slow_storage=False)
    with storage.placed(parameters) as place:
        assert place is storage.SCRATCH
    assert parameters.disk_bytes < Parameters().disk_bytes
