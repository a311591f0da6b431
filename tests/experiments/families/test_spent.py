"""What a trial of pgbench cost, and its throughput in parts."""

from __future__ import annotations

import numpy as np
import pytest

from benchbook.measuring.pgbench.spent import PARTS, Spent, course


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
