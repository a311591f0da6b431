"""Tiny runs of the chapters with pgbench on a real PostgreSQL: each is whole, and its control and its cause act."""

from functools import partial
from typing import Any

import psutil
import pytest
from tiny_runs import Tiny, check_whole, given, needing, trials

from benchbook import lab
from benchbook.chapters import memory_pressure
from benchbook.chapters.releases import RELEASES
from benchbook.chapters.switched_settings import ALONE_TIMES
from benchbook.engines import huge_pages, kernel_settings
from benchbook.engines.postgres.binaries import find_notes_release
from benchbook.engines.storage import refusals
from benchbook.measuring.pgbench.ladder import arms, second
from benchbook.model import Run

SLOW = refusals.refusal(allowed=True) is None
DIRTY = kernel_settings.refusal() is None
VM = DIRTY and huge_pages.refusal(600 * 2**20, allowed=True) is None
SECOND = len(needing(second.find)) == 1
CAP = 300
slow = pytest.mark.skipif(not SLOW, reason="storage cannot be made slow here")
compressing = pytest.mark.skipif(not SECOND, reason="there is no second server here")

MACHINE = (pytest.mark.engine, pytest.mark.machine)
COMMON: dict[str, Any] = {"blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 1, "fill_seconds": 1}
LADDER: dict[str, Any] = {"blocks": 2, "scale": 4, "clients": 4, "warm_fill_seconds": 1, "allow_vm_settings": VM}
RUNS = {
    "checkpoints": Tiny(
        COMMON | {"trial_seconds": 2, "storage_iops": 2_000, "allow_slow_storage": SLOW}, ("design", "noise"), MACHINE
    ),
    "cold_starts": Tiny(
        LADDER | {"clients": 8, "threads": 2, "trial_seconds": 2, "read_iops": CAP, "allow_slow_storage": SLOW},
        ("answer", "causes", "design", "noise", "caches") if SLOW else (), MACHINE,
    ),
    "config_ladder": Tiny(
        LADDER | {"restart_seconds": 1, "warm_seconds": 1, "parts": ["rounds", "flushes", "compression"],
                  "storage_iops": 500, "allow_slow_storage": SLOW, "second_server": SECOND},
        ("acted", "design", "noise", "caches", "flushes", "plans"), MACHINE,
    ),
    "contended_rows": Tiny(
        COMMON | {"scale": 1, "clients": 6, "few_clients": 3, "bound_memory": False},
        ("design", "levels", "waiting", "latency", "noise"),
    ),
    "dirty_dose": Tiny(
        {"blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 3, "storage_iops": 500, "allow_slow_storage": SLOW,
         "allow_vm_settings": DIRTY}, ("design", "noise"), MACHINE,
    ),
    "memory_pressure": Tiny(
        COMMON | {"scale": 6, "storage_iops": 2_000, "allow_slow_storage": SLOW,
                  "parts": ["pair", "popular", "uncapped"]},
        ("design", "noise"), MACHINE,
    ),
    "releases": Tiny(
        COMMON | {"scale": 2, "fill_seconds": 0}, ("design", "pool", "writes", "apart", "newer", "noise"),
        (*needing(find_notes_release),),
    ),
    "switched_settings": Tiny(
        LADDER | {"rounds": 2, "turn_ms": 300, "discard_ms": 100, "checkpoint_seconds": 1, "second_server": SECOND},
        ("design", "precision", "agreement"), MACHINE,
    ),
    "three_rounds": Tiny(
        COMMON | {"allow_vm_settings": False}, ("design", "noise", "acted"),
        (*needing(second.find), pytest.mark.machine),
    ),
    "warm_states": Tiny(
        {"blocks": 2, "scale": 4, "clients": 4, "rounds": 2, "turn_ms": 1_200, "discard_ms": 200, "rest_ms": 50,
         "fill_seconds": 1}, ("design", "marks", "noise", "why"), MACHINE,
    ),
}  # fmt: skip
of = partial(given, RUNS)


@of()
def test_a_run_is_whole(run: Run) -> None:
    check_whole(run, RUNS[run.experiment].sentences)


@of("cold_starts", "config_ladder", "three_rounds")
def test_trials_begin_as_their_configuration_says(run: Run) -> None:
    held = ["data_in_pool_start", "data_in_os_cache_start"]
    at_most = 0.2 if run.experiment == "cold_starts" else 0.05  # autovacuum comes as often as every trial's length
    for name, arm in lab.experiment(run.experiment).summarize(run).configurations.items():
        rows, start = trials(run, name), arm.settings["start"]
        if start == "cold":
            assert (rows[held] < at_most).all(axis=None), name
            assert (rows[held].median() < 0.01).all(), name
        else:
            assert (rows["data_in_os_cache_start"] > 0.9).all(), name
        if start == "warm":
            assert (rows["pool_used_share"] > 0.8).all(), name


ROUNDS = {("round_1_cold", "bgwriter_lru_maxpages"): "1000", ("round_2_cold", "bgwriter_lru_maxpages"): "500"}
IN_FORCE = {
    "cold_starts": ROUNDS if SLOW else {},
    "config_ladder": ROUNDS
    | ({(arms.FLUSHES[200], "commit_delay"): "200"} if SLOW else {})
    | ({(arms.CODECS["lz4"], "wal_compression"): "lz4"} if SECOND else {}),
    "switched_settings": {
        ("round_2", "bgwriter_delay"): "10ms",
        ("bgwriter_200", "bgwriter_delay"): "200ms",
        ("delay_200", "commit_delay"): "200",
        ("no_compression", "wal_compression"): "off",
        ("no_wait", "synchronous_commit"): "off",
        ("alone_no_wait", "synchronous_commit"): "off",
        ("scenario_b", "bgwriter_lru_maxpages"): "1250",
        ("b_maxpages_1000", "bgwriter_lru_maxpages"): "1000",
        ("round_1_multiplier_4", "bgwriter_lru_multiplier"): "4",
    }
    | ({("second_lz4", "wal_compression"): "lz4"} if SECOND else {}),
    "three_rounds": {("round_2", "wal_compression"): "lz4"},
}


@of(*IN_FORCE)
def test_a_setting_that_a_configuration_varies_was_in_force(run: Run) -> None:
    summary = lab.experiment(run.experiment).summarize(run)
    assert {key: {*summary.in_force(*key)} for key in IN_FORCE[run.experiment]} == {
        key: {value} for key, value in IN_FORCE[run.experiment].items()
    }
    if run.experiment == "switched_settings":
        cache = {*summary.in_force("scenario_b", "effective_cache_size")}
        cache |= {*summary.in_force("b_cache_default", "effective_cache_size")}
        assert len(cache) == 2, "it follows from the size of the data"
    if run.experiment == "three_rounds":
        assert {*summary.in_force("round_3", "wal_compression")} <= {"off", ""}


@of("config_ladder", "switched_settings")
@compressing
def test_without_compression_a_transaction_writes_more_log(run: Run) -> None:
    logged = {}
    for codec, name in arms.CODECS.items():
        rows = trials(run, name)
        images = rows["full_images_per_transaction"] if run.experiment == "config_ladder" else 1
        logged[codec] = (rows["wal_bytes_per_transaction"] / images).mean()
    if run.experiment == "switched_settings":
        del logged["pglz"]
    assert logged.pop("off") > max(logged.values())


@of("checkpoints")
def test_no_acknowledged_transaction_is_lost_by_a_kill_and_recovery_is_part_of_the_way_back(run: Run) -> None:
    assert (run.trials["lost_transactions"] == 0).all()
    assert (run.trials["redo_s"] <= run.trials["ready_s"]).all()
    assert (run.trials[["recovery_pages", "owed_pages"]] > 0).all(axis=None)
    assert (trials(run, "hour_free")["checkpoints"] == 0).all()


@of("checkpoints")
@slow
def test_a_small_log_starts_checkpoints_which_write_images_and_a_large_one_none(run: Run) -> None:
    assert (trials(run, "hour", "hour_again")["checkpoints"] == 0).all()
    assert (trials(run, "half_minute_no_images")["full_images_per_transaction"] == 0).all()
    assert (trials(run, "half_minute")["full_images_per_transaction"] > 0).all()


@of("cold_starts")
@slow
def test_the_cap_holds_the_reads_for_which_clients_wait_and_nothing_else(run: Run) -> None:
    assert (run.provenance["read_iops"], run.provenance["read_ahead_kib"]) == (CAP, 64)
    assert run.trials["storage_read_iops"].median() > 2 * CAP, "the volume itself must be faster than the cap"
    capped, free, warm = (trials(run, name) for name in ("round_1_cold", "round_1_cold_free", "round_1"))
    assert (capped["read_cap_iops"] == CAP).all()
    # A busy machine asks for fewer than the cap lets pass.
    assert capped["paced_iops"].between(0.3 * CAP, 1.05 * CAP).all()
    assert (free["paced_iops"] == 0).all()
    assert (free["device_read_iops"] > capped["device_read_iops"].max()).all()
    assert (warm["paced_iops"] < 0.1 * CAP).all()
    assert {*capped["storage"], *free["storage"]} == {f"{CAP} reads/s in even turns", "not capped"}
    assert min(each["waits_reading"].mean() for each in (capped, trials(run, "round_1_fits"))) > 0.2
    assert warm["waits_reading"].mean() < 0.1


@of("config_ladder")
def test_later_runs_of_a_trial_count_alike_and_no_statement_launches_a_parallel_worker(run: Run) -> None:
    later = trials(run, "round_2_cold")
    for prefix in ("second_", "third_"):
        assert (later[f"{prefix}server_transactions"] == later[f"{prefix}transactions"]).all()
    assert (run.trials["parallel_workers"].dropna() == 0).all()
    assert not any("Gather" in text for text in run.provenance["plans"].values())


@of("config_ladder")
@slow
def test_slow_flushes_are_slow(run: Run) -> None:
    assert (trials(run, *arms.FLUSHES.values())["added_sync_ms"] >= 0.8).all()  # a busy machine adds more


@of("contended_rows")
def test_all_data_are_in_the_pool_and_clients_wait_for_the_only_branch(run: Run) -> None:
    assert (run.trials["data_in_pool_start"] > 0.99).all()
    assert (run.trials["client_looks"] > 0).all()
    assert {*run.trials["memory"]} == {"not bounded: no limit was asked for"}
    assert (trials(run, "few_single", "many_single")["waits_rows"] > 0).all()


@of("dirty_dose")
def test_all_backends_are_looked_at_and_a_pool_of_all_the_data_evicts_nothing(run: Run) -> None:
    assert (run.trials["backends_seen"] >= 4).all()
    assert (trials(run, "not_capped")["evictions"] > 0).all()
    if SLOW:
        assert (trials(run, "pool_100")["evictions"] == 0).all()


@of("memory_pressure")
def test_pools_are_shares_of_a_memory_that_they_share_with_the_page_cache_and_evict(run: Run) -> None:
    small, large = (trials(run, arm) for arm in (memory_pressure.QUARTER, memory_pressure.THREE_EIGHTHS))
    assert large["pool_blocks"].iloc[0] == pytest.approx(1.5 * small["pool_blocks"].iloc[0], rel=0.01)
    assert (small["evictions"] > 0).all()
    rows = trials(run, memory_pressure.name_of(memory_pressure.CLAIMED, 25))
    data = rows["data_blocks"].iloc[0] / memory_pressure.CLAIMED
    assert rows["ram_blocks"].iloc[0] == pytest.approx(data, rel=0.05)
    if not rows["memory"].str.startswith("bounded").all():
        pytest.skip("memory cannot be bounded here")
    assert (rows["own_bytes"] < lab.experiment(run.experiment).summarize(run).parameters.own_bytes).all()
    assert (rows["refaults_per_transaction"] >= 0).all()
    assert rows["least_available_share"].between(0, 1).all()


@of("memory_pressure")
def test_popular_accounts_are_few_and_look_ups_change_nothing(run: Run) -> None:
    lines = memory_pressure.LINES
    writing, reading = (lines[name].arm(25) for name in ("popular_4", "looked_up_4"))
    for name in (writing, reading):
        rows = trials(run, name)
        assert rows["server_transactions"].eq(rows["transactions"]).all()
    assert trials(run, writing)["wal_bytes_per_transaction"].gt(100).all()
    assert trials(run, reading)["wal_bytes_per_transaction"].lt(100).all()


@of("memory_pressure")
@slow
def test_reads_are_capped_where_the_configuration_says_so_and_stay_small(run: Run) -> None:
    free = memory_pressure.name_of(memory_pressure.PRESSING, 25, "_not_capped")
    assert set(trials(run, memory_pressure.QUARTER)["storage"]) == {"2,000 reads/s"}
    assert set(trials(run, free)["storage"]) == {"not capped"}
    assert run.trials["bytes_per_read"].dropna().between(4_096, 16_384).all()


@of("releases")
def test_each_release_measured_its_own_and_lacks_pages_in_a_small_pool_alone(run: Run) -> None:
    assert run.provenance["notes_version"] == "16.11" != run.provenance["engine_version"]
    for release in RELEASES:
        small, full = (trials(run, f"{release}_reads_{size}")["reads_per_transaction"] for size in ("small", "full"))
        assert small.min() > full.max(), release


@of("switched_settings")
def test_turns_are_counted_on_a_filled_pool_under_one_load(run: Run) -> None:
    rounds = RUNS[run.experiment].parameters["rounds"]
    alone = run.trials["configuration"].str.startswith("alone_")
    assert (run.trials.loc[~alone, "turns"] == rounds).all()
    assert (run.trials.loc[alone, "turns"] == ALONE_TIMES * rounds).all()
    assert (run.trials["counted_transactions"] <= run.trials["transactions"]).all()
    of_group = trials(run, "round_2", "round_2_again")
    assert (of_group.groupby("block")["transactions"].nunique() == 1).all(), "they share one load"
    assert (run.trials["pool_used_share"] > 0.8).all()
    assert (run.trials["data_in_os_cache_start"] > 0.9).all()


@of("three_rounds")
def test_the_server_is_the_systems_and_compresses_as_the_notes_did(run: Run) -> None:
    assert run.provenance["engine_source"] == "a package of this system"
    assert run.provenance["wal_compression"] == "lz4"


@of("warm_states")
def test_each_state_acts_and_nothing_that_was_started_is_left(run: Run) -> None:
    assert trials(run, "two_programs")["taken_processors"].between(0.2, 2.2).all()
    assert (trials(run, "nothing_again")["taken_processors"] == 0).all()
    assert (trials(run, "vacuum")["vacuums"] > 0).all()
    assert (trials(run, "cold")["server_read_bytes_per_transaction"] > 0).all()
    kept, alone = (trials(run, each)["dead_rows"].min() for each in ("snapshot", "nothing_again"))
    assert kept > 2 * alone, "dead rows of a kept snapshot stay"
    assert not [each for each in psutil.Process().children(recursive=True) if "range(2000)" in " ".join(each.cmdline())]
