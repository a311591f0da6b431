"""Positive controls without an engine: what is asked of server and probe, what is counted, and what holds a verdict."""

from types import SimpleNamespace
from typing import Any

import pytest
from chapters import planted_numbers

from benchbook import lab
from benchbook.chapters import positive_controls as controls
from benchbook.chapters.positive_controls import BITMAPS, FULL, KEY_BYTES, LOOKUPS, SUMS, TPCB, WORKERS, Parameters
from benchbook.measuring.pgbench.tables import Tables

chapter = lab.experiment("positive_controls")
ARMS = {arm.name: arm for arm in controls.configurations(Parameters())}


def settings(name: str, **parameters: int) -> dict[str, Any]:
    whole: dict[str, Any] = dict.fromkeys(("binaries", "cluster", "template", "paths", "facts"))
    sizes = {"heap_bytes": 270_000_000, "index_bytes": 45_000_000, "wal_compression": "lz4"}
    return controls.settings_of(Parameters.given(parameters), Tables(**whole | sizes), ARMS[name])


def differing(one: str, other: str) -> set[str]:
    return {name for name, value in settings(one).items() if settings(other)[name] != value}


def test_what_is_compared_differs_in_its_setting_alone() -> None:
    workers = {"max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather"}
    assert differing(*TPCB[:2]) == differing(TPCB[0], SUMS[0]) == differing(TPCB[2], SUMS[1]) == set()
    assert differing(TPCB[0], TPCB[2]) == workers
    assert differing(*controls.LOGS) == differing("log_16_mb", "log_bulk") == {"wal_buffers"}
    assert differing(*controls.READS) == {"effective_io_concurrency"}
    assert differing("commit_0", "commit_0_again") == set()
    assert differing("commit_0", "commit_200") == differing("commit_b", "commit_b_0") == {"commit_delay"}
    assert differing("commit_b", "commit_b_siblings_5") == {"commit_siblings"}
    assert differing("commit_10", "commit_10_siblings_2") == {"commit_siblings"}


def test_claims_on_group_commit_ask_for_a_branch_of_each_of_48_clients() -> None:
    def departs(**parameters: int) -> str:
        return controls.fewer(SimpleNamespace(parameters=Parameters.given(parameters)))  # type: ignore[arg-type]

    assert departs() == departs(commit_clients=100, scale=100) == ""
    assert departs(commit_clients=12) == "12 clients with 50 branches where the claim names 48 with a branch each"
    assert departs(scale=20)


@pytest.mark.parametrize(("scale", "threshold"), [(5, "32kB"), (20, "128kB"), (1250, "8192kB"), (2500, "16384kB")])
def test_a_scan_becomes_parallel_in_proportion_to_the_notes_table(scale: int, threshold: str) -> None:
    assert settings(SUMS[1], scale=scale)["min_parallel_table_scan_size"] == threshold


def test_at_the_checkpoint_autovacuum_is_off_no_other_comes_between_and_the_pool_holds_the_data() -> None:
    found = settings("checkpoint")
    assert (found["autovacuum"], found["checkpoint_timeout"]) == (False, "1h")
    assert 315_000_000 / (int(found["shared_buffers"].removesuffix("kB")) * 1024) == pytest.approx(0.92, rel=1e-3)


def test_the_stores_differ_in_the_key_alone_and_no_trial_changes_what_the_next_one_finds() -> None:
    plain, encrypted = (controls.request_of(Parameters(), key, 1 << 20, 1)["options"] for key in (0, KEY_BYTES))
    assert plain | {"encryption_key_bytes": KEY_BYTES} == encrypted
    assert plain["read_only"]


def totals(hits: int, misses: int, gets: int) -> dict[str, Any]:
    return {"index_cache": {"hits": hits, "misses": misses}, "gets": gets, "checked_reads": gets}


def test_the_index_cache_is_counted_from_the_opened_store_on() -> None:
    found = controls.index_counts({"warm": totals(9, 60, 0), "run": totals(2_109, 160, 100)})
    assert (found[LOOKUPS], found[f"{LOOKUPS}_per_operation"], found["index_cache_misses"]) == (2_200, 22, 100)
    assert found["index_cache_hit_ratio"] == pytest.approx(2_100 / 2_200)
    assert controls.index_counts({"warm": totals(0, 0, 0), "run": totals(0, 0, 100)})["index_cache_hit_ratio"] is None
    absent = {"index_cache": None, "gets": 100, "checked_reads": 100}
    assert LOOKUPS not in controls.index_counts({"warm": absent | {"gets": 0}, "run": absent})


def test_counters_grow_for_each_operation_and_a_server_that_counts_nothing_has_none() -> None:
    planned = f"{WORKERS}_planned"
    found = controls.grown({WORKERS: 1, planned: 1}, {WORKERS: 15, planned: 15}, 2)
    assert found == {"operations": 2, WORKERS: 14, planned: 14, f"{WORKERS}_per_operation": 7}
    assert controls.grown({}, {}, 2) == {"operations": 2}


def test_a_setting_cannot_act_only_where_its_counter_stands_still_and_its_control_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def made(changed: dict[tuple[str, str], float]) -> Any:
        still = {FULL: 0, BITMAPS: 0, ("log_bulk", FULL): 9_000, ("reads_bitmap", BITMAPS): 100}
        return planted_numbers.even(monkeypatch, "positive_controls", still | changed)

    answers = chapter.answers.by_claim()
    for claim, arm, metric in (("R065", "log_16_mb", FULL), ("R019", "reads_200", BITMAPS)):
        inert = answers[claim].estimand.inert
        assert inert is not None
        found = inert(made({}))
        assert found is not None
        assert "or more" in found.control
        assert inert(made({(arm, metric): 1})) is None
    assert controls.acts(made({}))
    assert not controls.acts(made({("log_bulk", FULL): 0}))
