"""What looks at a running trial become: shares of clients, of hits and of processor time by window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.measuring.pgbench import windows
from benchbook.measuring.pgbench.looks import Look
from benchbook.measuring.pgbench.metric_words import LOOKED, STATES


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
    assert set(found) == set(STATES) == set(windows.GROUPS)


def test_without_a_look_in_a_window_a_metric_is_missing_and_not_0() -> None:
    found = windows.metrics([look(0.0, {"running": 1})], 10, 60)
    assert found["reading_first"] is None
    assert found["cpu_user"] is None
    assert found["hit_first"] is None
    windowed = {f"waits_{place}_{state}" for place in (10, 11, 12) for state in STATES}
    assert {name for name in found if name not in LOOKED and "_0" not in name} <= windowed
