"""Parameters of the chapters on probes, and of those that measure nothing, that contradict each other or cannot be."""

from typing import Any

import pytest

from benchbook import lab
from benchbook.errors import BenchbookError

REFUSED: dict[str, list[dict[str, Any]]] = {
    "alex_rocksdb": [
        {"law_rows": 20_000_000}, {"small_rows": 1_000_000}, {"between_rows": [1_000_000]},
        {"between_rows": [200_000, 200_000]}, {"index_rows": 20_000_000},
    ],
    "beyond_memory": [
        {"memory_percent": [50, 25]}, {"memory_percent": []}, {"memory_percent": [1]}, {"lookup_rows": 100_000},
    ],
    "cache_sizing": [
        {"events": 5}, {"fewer_events": 10, "bursts": 30}, {"length_ladder_mib": [64]}, {"length_ladder_mib": [1, 2]},
        {"length_ladder_mib": [64, 64]}, {"length_ladder_mib": [0, 64]}, {"query_s": 0}, {"small_mem_table_mib": 64},
    ],
    "calibration": [
        {"families": []}, {"families": ["gamma", "gamma"]}, {"sizes": [1]}, {"timelines_s": [19]},
        {"block_sds": [0.02, 0.02]}, {"effects_percent": [0]}, {"hit_ratio": 1},
    ],
    "cost": [
        {"lakebase_usd_day": 0}, {"common_discount_percent": 100},
    ],
    "event_stores": [{"synced_events": 100}, {"events": 150}, {"bursts": 1000, "synced_events": 900}],
    "filter_shards": [{"rows": 1_000}, {"filter_bits": 1}, {"cache_mib": [64, 16]}, {"control_kib": 2_000}],
    "label_order": [
        {"pause_s": -1}, {"storage_iops": "gp4"}, {"events": 15, "bursts": 16}, {"rest_s": -1}, {"rounds": 2},
    ],
    "later_write": [{"rows": [20_000]}, {"rows": [50_000, 20_000]}, {"rows": [10_000, 20_000]}],
    "lru": [
        {"middle_entries": 1_000}, {"large_entries": 50_000}, {"once_lookups": 6_000_000}, {"rows": 7_919_000},
        {"pilot_blocks": 4},
    ],
    "mapped_files": [
        {"memory_percent": [50, 20]}, {"read_ahead_kib": [128, 128]}, {"memory_percent": [1]}, {"lookups": 1},
    ],
    "mixed_workloads": [{"scan_rows": 0}, {"value_bytes": 4}, {"zipf_exponent": 0}, {"operations": 10}],
    "read_path": [
        {"rows": 29_999}, {"stride": 200, "rows": 30_000, "warm_stride": 37}, {"warm_stride": 50, "stride": 100},
        {"warm_stride": 30_001, "rows": 30_000}, {"durable_batch_rows": 900_000},
        {"scan_rows": 2_001, "durable_rows": 2_000},
    ],
    "rocksdb_releases": [{"larger_cache_mib": 512}],
    "rocksdb_tuning": [
        {"smaller_rows": [5_000, 2_000], "rows": 20_000}, {"smaller_rows": [20_000], "rows": 20_000},
        {"smaller_rows": []}, {"smaller_rows": [500], "rows": 20_000},
        {"pilot_blocks": 3, "smaller_rows": [2_000], "rows": 20_000},
    ],
    "scale": [
        {"rows": [10_000]}, {"rows": [10_000, 10_000]}, {"rows": [999, 10_000]}, {"rows": [10_000, 200_000_000]},
        {"random_rows": [10]}, {"again_rows": []}, {"again_rows": [20_000]}, {"lookups": 150}, {"lookups": 20_000},
    ],
    "sqlite_fairness": [
        {"sizes": []}, {"sizes": [1000, 100]}, {"sizes": [999]}, {"sizes": [10_000_000_000]}, {"commits": 1},
    ],
    "system_calls": [{"added_ns": [250, 500]}, {"added_ns": [0]}, {"added_ns": [0, 500, 250]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("chapter", "given"), [(name, given) for name, every in REFUSED.items() for given in every], ids=repr
)
def test_a_parameter_that_cannot_be_is_named(chapter: str, given: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError, match=next(iter(given))):
        lab.experiment(chapter).Parameters.given(given)
