"""The course of a trial from what is stored of it, and what watching it becomes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchbook.engines.pgbench import Watched
from benchbook.engines.pgbench.watching import COUNTERS, GAUGES
from benchbook.measuring.pgbench import watched
from benchbook.measuring.pgbench.stretches import SLOTS, falls, reduce, slots, stretches

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
