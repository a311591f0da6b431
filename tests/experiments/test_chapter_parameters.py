"""What parameters of the chapters on PostgreSQL refuse and leave out, what data take, what is missing.

That each number has bounds of its own is asked of every chapter in tests/contract/test_experiments.py; values of the
wrong kind and more of hot_cold_keys stand in tests/cli/test_bad_input.py.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchbook import lab
from benchbook.engines import probe
from benchbook.engines.postgres import binaries
from benchbook.errors import BenchbookError, NoEngineError
from benchbook.measuring.pgbench.ladder.arms import CODECS
from benchbook.model import Configuration
from benchbook.parameters.profiles import profile

REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "checkpoints": [({"storage_latency_ms": 1.0}, "would have no delay")],
    "clients": [
        ({"counts": [1, 2_000], "pooled_counts": []}, "2000 connections and 20 for observers are 2020, more than"),
        ({"counts": [4, 2]}, r"counts=\[4, 2\] must be whole numbers from 1 that increase"),
        ({"counts": [1, 100, 250], "pooled_counts": []}, "clients=100, which is measured anyway"),
        ({"pooled_counts": [17]}, r"pooled_counts=\[17\] are not in counts"),
        ({"parts": ["counts", "sizes"], "counts": [16], "pooled_counts": []}, "sizes need many_clients=1000 in counts"),
        ({"pool_backends": 10}, "few_backends=20 exceeds pool_backends=10"),
        ({"pool_backends": 251}, "pool_backends=251"), ({"many_clients": 100}, "many_clients=100 must exceed"),
        ({"parts": ["pooled"]}, "must name counts"),
    ],
    "cold_starts": [
        ({"read_iops": 10}, "read_iops=10 is below 20"), ({"scale": 4}, "the server and 100 clients need 364 MiB"),
    ],
    "comparators": [
        ({"stores": ["rocksdb", "rocksdb"]}, "twice"), ({"stores": ["cassandra"]}, "stores"),
        ({"rows_per_table": 100_001}, "no multiple of hot_set_keys=1,000"),
        ({"cold_requests": 60_000}, "more than half of rows_per_table=100,000"),
        ({"key_existence": "first_table"}, "every store here has every key"),
    ],
    "config_ladder": [
        ({"scale": 1}, "MiB beside the largest pool"), ({"parts": ["singles"]}, "must name rounds"),
        ({"parts": ["rounds", "rounds"]}, "at most once"),
    ],
    "contended_rows": [
        ({"few_clients": 16}, "there must be fewer of the few"),
        ({"few_clients": 2, "threads": 3}, "there must be fewer of the few"),
    ],
    "dirty_dose": [({"storage_latency_ms": 1.0}, "nothing is delayed")],
    "feature_buffers": [
        ({"pools_percent": [23, 47]}, "no size together with its double"),
        ({"pools_percent": [46, 92, 46]}, "without repeats"), ({"mix_pools_percent": [46]}, "without repeats"),
        ({"pools_percent": [48, 96]}, "between 1 and 95"),
        ({"rows_per_table": 30_000, "ram_percent": 900}, "leaves too few keys"),
        ({"rows_per_table": 45_000}, "the server needs 56"), ({"key_existence": "first_table"}, "does not belong here"),
        ({"hot_share_percent": 100}, "hot_share_percent"),
    ],
    "feature_clients": [
        ({"clients": [10, 1]}, "must grow"), ({"clients": [5]}, "at least 2 items"),
        ({"hot_keys": 20_000}, "must be fewer than rows_per_table=20000"),
        ({"clients": [1, 2_000]}, "less than or equal to 1000"),
    ],
    "hot_cold_keys": [
        ({"rows_per_table": 10_999}, "11,000 distinct keys do not fit into rows_per_table=10,999"),
        ({"measured_requests": 10_500}, "measured_requests=10500 is no multiple of window_requests=1000"),
        ({"hot_shares_percent": [80, 0]}, r"hot_shares_percent=\(80, 0\)"),
        ({"hot_shares_percent": [100]}, r"hot_shares_percent=\(100,\)"),
        ({"hot_shares_percent": [80, 80]}, "names a value twice"),
        ({"zipf_exponents": [0.0]}, r"zipf_exponents=\(0.0,\)"),
        ({"added_read_ms": [-0.1]}, r"added_read_ms=\(-0.1,\) must lie between 0 and 100"),
        ({"added_trip_ms": [101]}, r"added_trip_ms=\(101.0,\)"), ({"added_trip_ms": [0.5, 0.5]}, "names a value twice"),
    ],
    "index_only": [
        ({"updated_permille": [10, 2]}, "must grow"), ({"updated_permille": []}, "must grow"),
        ({"direct_io": False}, "only reads past the page cache"), ({"slow_read_ms": 0}, "slow_read_ms=0"),
    ],
    "io_cliff": [
        ({"threads": 30}, "threads=30 exceeds clients=20"), ({"storage_iops": 19}, "storage_iops=19 is below 20"),
        ({"trial_seconds": 0}, "trial_seconds=0"), ({"scale": 1}, "no server starts in less than 64"),
    ],
    "memory_pressure": [
        ({"parts": ["map"]}, "must name pair"), ({"storage_latency_ms": 1.0}, "does not reach"),
        ({"scale": 1, "clients": 2}, "in which no server starts"),
    ],
    "networked_keys": [
        ({"other_trip_ms": 0.25}, "is trip_ms too"), ({"other_read_ms": (1.0,)}, "twice"),
        ({"direct_io": False}, "only direct reads"),
        ({"requests": 20_000}, "exceeds"), ({"other_read_ms": (-1.0,)}, "between"),
    ],
    "noise_floor": [
        ({"threads": 4, "clients": 2}, "threads=4 exceeds clients=2"), ({"duration_s": 0}, "duration_s"),
    ],
    "own_server": [
        ({"rows_per_table": 1000, "hot_keys": 900}, "do not fit"), ({"max_gib": 0.01}, "holds no"),
        ({"hot_shares_percent": [100]}, "between 1 and 99"), ({"hot_shares_percent": [90, 90]}, "twice"),
    ],
    "prewarming": [
        ({"hot_keys": 6_000}, "must be a quarter of rows_per_table=20000"), ({"moved_percent": [50, 5]}, "must grow"),
        ({"moved_percent": []}, "must grow"), ({"direct_io": False}, "only reads past the page cache"),
        ({"slow_read_ms": 0}, "slow_read_ms=0"),
    ],
    "round_trips": [
        ({"n_tables": 10}, "n_tables=10 must be a multiple of 3"),
        ({"fewer_requests": 91}, "fewer_requests=91 must be a multiple of 3"),
        ({"far_requests": 900}, "far_requests=900 exceeds measured_requests=600"),
        ({"warmup_requests": 59}, "does not warm hot_set_keys=60"),
        ({"added_trip_ms": [0, 5], "disjoint_trip_ms": [1]}, "lacks 1, at which the claims are asked"),
        ({"added_trip_ms": [1], "disjoint_trip_ms": [1]}, "a line needs two points"),
        ({"added_trip_ms": [0, 1, 1.0]}, "names a value twice"),
        ({"added_trip_ms": [0, 1, 60]}, "must lie between 0 and 50"),
        ({"disjoint_trip_ms": [1, 2]}, r"disjoint_trip_ms has \[2.0\]"),
        ({"connections": [1]}, "must lie between 2 and 8"), ({"connections": [2, 2]}, "names a value twice"),
        ({"n_tables": 6, "connections": [4]}, "must lie between 2 and 2"),
        ({"counted_trip_ms": 0.5}, "greater than or equal to 2"), ({"client_mode": "serial"}, "client_mode='serial'"),
    ],
    "row_access": [
        ({"keys": 990}, "no multiple of batch_keys=25"),
        ({"keys": 20_000, "large_pool_mib": 100_000}, "more than half of the 20,000 rows"),
        ({"n_tables": 30}, "large_pool_mib=256 may not hold"), ({"toasted_row_bytes": 100_000}, "up to 938 MiB"),
        ({"other_row_bytes": [1_024]}, "without 1,024"), ({"other_row_bytes": [9_000]}, "between 170 and 8,000"),
        ({"other_row_bytes": [170, 170]}, "names a value twice"), ({"upsert_percents": []}, "at least one"),
        ({"upsert_percents": [120]}, "between 0.1 and 100"), ({"cluster_rows": [10]}, "between 2,000"),
        ({"small_pool_percent": 100}, "less than or equal to 90"), ({"zipf_exponent": 0}, "greater than 0"),
    ],
    "shared_buffers": [
        ({"scale": 5}, "beside the largest pool within the bound"),
        ({"parts": ["pools"]}, "must name three_runs"), ({"parts": ["three_runs", "three_runs"]}, "at most once"),
        ({"parts": ["three_runs", "writes"]}, "parts"), ({"storage_iops": "gp4"}, "storage_iops"),
    ],
    "switched_settings": [
        ({"turn_ms": 200, "discard_ms": 200}, "discard_ms=200 leaves nothing of a turn of 200 ms"),
        ({"parts": ["alone"]}, "must name round_2"), ({"scale": 1}, "scale=1 leaves 47 MiB beside the largest pool"),
        ({"parts": ["round_2", "round_2"]}, "each part at most once"),
    ],
    "three_rounds": [({"scale": 1}, "MiB beside the largest pool")],
    "warm_states": [({"turn_ms": 1_000, "discard_ms": 1_000}, "leaves nothing of a turn")],
}  # fmt: skip


def arms_of(name: str, **given: Any) -> Mapping[str, Configuration]:
    chapter = lab.experiment(name)
    return chapter.configurations(chapter.Parameters.given(given))


@pytest.mark.parametrize(("name", "given", "said"), [(name, *case) for name in REFUSED for case in REFUSED[name]])
def test_a_contradiction_is_refused_with_its_numbers(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        lab.experiment(name).Parameters.given(given)


@pytest.mark.parametrize(
    ("name", "given", "left"),
    [
        ("checkpoints", profile("checkpoints", "quick"), ["hour_free", "hour_free_again", "half_minute_free"]),
        ("cold_starts", {"allow_slow_storage": False}, ["round_1_cold_free", "round_1_cold_free_again"]),
        ("dirty_dose", profile("dirty_dose", "quick"), ["not_capped_again", "not_capped"]),
    ],
)
def test_without_slow_storage_only_what_needs_none_is_left(name: str, given: dict[str, Any], left: list[str]) -> None:
    assert sorted(arms_of(name, **given)) == sorted(left)


@pytest.mark.parametrize(
    ("name", "given", "out"),
    [
        ("config_ladder", {"second_server": False}, {*CODECS.values()}),
        ("io_cliff", {"allow_vm_settings": False}, {each for each in arms_of("io_cliff") if "_10_" in each}),
        (
            "memory_pressure",
            {"allow_slow_storage": False},
            {each for each in arms_of("memory_pressure") if "_not_" in each},
        ),
        ("shared_buffers", {"allow_vm_settings": False}, {"ram_25_ordinary_pages", "round_3_huge_pages"}),
    ],
)
def test_what_a_machine_does_not_allow_is_left_out(name: str, given: dict[str, Any], out: set[str]) -> None:
    assert arms_of(name).keys() - arms_of(name, **given) == out
    settings = [arm.settings for arm in arms_of(name, **given).values()]
    refused = {"allow_vm_settings": "huge_pages", "allow_slow_storage": "capped"}.get(*given, "")
    assert not any(each.get(refused) for each in settings)


@pytest.mark.parametrize(
    ("name", "larger", "disk", "memory"),
    [
        ("beyond_memory", {"lookup_rows": 10_000_000}, 1.5, 1.5),
        ("comparators", {"n_tables": 40, "rows_per_table": 200_000}, 2, 1.2),
        ("event_stores", {"events": 500_000}, 4, 1),
        ("feature_clients", {"clients": (1, 4, 10, 40, 1_000), "rows_per_table": 200_000}, 5, 5),
        ("index_only", {"rows_per_table": 1_000_000}, 3, 3),
        ("mixed_workloads", {"operations": 1_000_000}, 1.9, 1),
        ("prewarming", {"rows_per_table": 200_000}, 2, 2.5),
    ],
)
def test_more_data_need_more_disk_memory_and_time(
    name: str, larger: dict[str, Any], disk: float, memory: float
) -> None:
    chapter = lab.experiment(name)
    own, more = chapter.needs(chapter.Parameters()), chapter.needs(chapter.Parameters(**larger))
    assert more.disk_bytes > disk * own.disk_bytes
    assert more.memory_bytes >= memory * own.memory_bytes
    assert own.minutes is None or (more.minutes or 0) > own.minutes


def test_equal_parameters_have_equal_keys_however_they_were_given() -> None:
    parameters: Any = lab.experiment("hot_cold_keys").Parameters
    default = parameters().key("hot_cold_keys", 1)
    assert parameters.given({"n_tables": 30, "zipf_exponents": [0.99]}).key("hot_cold_keys", 1) == default
    others = [parameters.given({"seed": 1}).key("hot_cold_keys", 1), parameters().key("hot_cold_keys", 2)]
    assert len({default, *others}) == 3


def test_tables_of_contended_rows_hold_the_branches_of_the_widest_range() -> None:
    parameters: Any = lab.experiment("contended_rows").Parameters
    assert parameters().most_branches == 200
    assert parameters.given({"scale": 300}).most_branches == 300


@pytest.mark.parametrize(("name", "mend"), [("round_trips", "make probe-delay"), ("releases", "make postgres-16")])
def test_without_its_program_a_chapter_is_left_out_and_says_how_to_get_it(
    name: str, mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    monkeypatch.setattr(binaries.project, "homes", lambda: [tmp_path])
    chapter = lab.experiment(name)
    needs = chapter.needs(chapter.Parameters())
    missing = needs.missing_engine()
    assert isinstance(missing, NoEngineError), "`benchbook run --all` leaves such a chapter out and goes on"
    assert mend in missing.mend
    with pytest.raises(NoEngineError):
        needs.check()
