"""What is made of the Badger probe's answer: shares of what they are shares of, and nothing of what is not counted."""

import copy
from typing import Any

import numpy as np
import pytest

from benchbook.engines.probe import Answer
from benchbook.errors import MachineError
from benchbook.measuring.badger.metrics import metrics

CACHE: dict[str, Any] = {
    "hits": 30, "misses": 70, "keys_added": 50, "keys_evicted": 45, "cost_added_bytes": 50_000,
    "sets_rejected": 8, "keys_updated": 4, "sets_dropped": 1,
    "life_bounds_s": [2, 4], "life_counts": [36, 9, 0],
}  # fmt: skip
END: dict[str, Any] = {
    "block_cache": CACHE, "index_cache": None, "saved_events": 20, "stored_keys": 180, "seeks": 40, "tables": 1,
    "tables_bytes": 1000, "largest_table_bytes": 1000, "index_bytes": 10,
    "memory": {"device_read_bytes": 8192, "major_faults": 3},
}  # fmt: skip
EMPTY = CACHE | {name: 0 for name in CACHE if not name.startswith("life")} | {"life_counts": [0, 0, 0]}
ASKED: dict[str, Any] = {"load": {"events": 10}, "run": {"tests": ["peak", "burst"], "bursts": 10, "rounds": 1}}


def answer(**changes: Any) -> Answer:
    counters = {
        "round_1.peak": END | {"block_cache": EMPTY, "memory": {"device_read_bytes": 0, "major_faults": 1}},
        "round_1.burst": copy.deepcopy(END) | changes,
    }
    times = np.arange(1, 11, dtype=np.int64)
    series = {"round_1.peak.service": times, "round_1.burst.service": times, "round_1.burst.response": 2 * times}
    record = {"counters": counters, "seconds": {"round_1.peak": 2.0, "round_1.burst": 5.0}, "checked_reads": 7}
    return Answer(series, record)


def test_the_counters_become_shares_of_what_they_are_shares_of() -> None:
    found = metrics(answer(), ASKED)
    expected = {
        "hit_ratio": 0.3, "misses_per_hit": 7 / 3, "keys_added_per_miss": 5 / 7, "evicted_share": 0.9,
        "evicted_within_2s_share": 0.8, "cost_per_key_bytes": 1000, "resident_blocks": 5, "turned_away_share": 7 / 70,
        "device_reads_per_miss": 2 / 70, "burst_major_faults": 2, "burst_mean_ns": 5.5, "response_mean_ns": 11,
        "peak_test_events_per_s": 5, "timed_saves": 20, "saved_events": 20,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["burst_p95_ns"] is None, "ten saves say nothing of a tail"


def test_what_is_not_there_or_not_counted_gives_no_number_and_no_zero() -> None:
    assert "hit_ratio" not in metrics(answer(block_cache=None), ASKED)
    unasked, uncounted = metrics(answer(block_cache=EMPTY), ASKED), metrics(answer(memory={}), ASKED)
    for name in ("hit_ratio", "misses_per_hit", "evicted_share", "cost_per_key_bytes", "device_reads_per_miss"):
        assert unasked[name] is None, name
    assert unasked["accesses"] == 0
    assert uncounted["burst_device_reads"] is uncounted["device_reads_per_miss"] is None
    other = metrics(answer(block_cache=CACHE | {"life_bounds_s": [1, 2]}), ASKED)
    assert other["evicted_within_2s_share"] is None, "a histogram with other bounds"


def test_a_burst_that_ran_out_of_time_is_no_trial() -> None:
    with pytest.raises(MachineError, match="saved 10 of 40 events"):
        metrics(answer(), ASKED | {"load": {"events": 40}})
