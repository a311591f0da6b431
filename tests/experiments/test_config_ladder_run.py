"""A tiny run of three parts of config_ladder on a real PostgreSQL: what is counted, and what is said of it."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, second_server, trials

from benchbook.chapters.config_ladder import Parameters, configurations, reduce
from benchbook.engines import huge_pages, kernel_settings
from benchbook.engines.storage import refusals
from benchbook.measuring.pgbench.ladder import arms
from benchbook.measuring.pgbench.ladder.arms import Start, start_of
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]


CHAPTER = "config_ladder"
SLOW = refusals.refusal(allowed=True) is None
VM = kernel_settings.refusal() is None and huge_pages.refusal(600 * 2**20, allowed=True) is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "restart_seconds": 1, "warm_seconds": 1, "warm_fill_seconds": 1,
        "parts": ["rounds", "flushes", "compression"], "storage_iops": 500, "allow_slow_storage": SLOW,
        "allow_vm_settings": VM, "second_server": second_server(),
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)


def test_client_and_tables_count_the_same_transactions(run: Run) -> None:
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()
    later = trials(run, "round_2_cold")
    for prefix in ("second_", "third_"):
        assert (later[f"{prefix}server_transactions"] == later[f"{prefix}transactions"]).all()


def test_trials_begin_as_their_configuration_says(run: Run) -> None:
    starts = {arm.name: start_of(arm) for arm in configurations(PARAMETERS)}
    for name, start in starts.items():
        rows = trials(run, name)
        if start is Start.COLD:
            assert (rows[["data_in_pool_start", "data_in_os_cache_start"]] < 0.05).all(axis=None), name
        else:
            assert (rows["data_in_os_cache_start"] > 0.9).all(), name
        if start is Start.WARM:
            assert (rows["pool_used_share"] > 0.8).all(), name


def test_no_statement_of_the_workload_launches_a_parallel_worker(run: Run) -> None:
    launched = run.trials["parallel_workers"].dropna()
    assert (launched == 0).all()
    plans = run.provenance["plans"]
    assert not any("Gather" in text for text in plans.values())


def test_a_setting_that_a_configuration_varies_was_in_force(run: Run) -> None:
    summary = check_chapter(run)
    assert set(summary.in_force("round_1_cold", "bgwriter_lru_maxpages")) == {"1000"}
    assert set(summary.in_force("round_2_cold", "bgwriter_lru_maxpages")) == {"500"}
    if SLOW:
        assert set(summary.in_force(arms.FLUSHES[200], "commit_delay")) == {"200"}
    if PARAMETERS.has_second:
        assert set(summary.in_force(arms.CODECS["lz4"], "wal_compression")) == {"lz4"}


def test_without_compression_a_transaction_writes_more_log(run: Run) -> None:
    if not PARAMETERS.has_second:
        pytest.skip("there is no second server here")
    per_image = {}
    for codec, name in arms.CODECS.items():
        rows = trials(run, name)
        per_image[codec] = (rows["wal_bytes_per_transaction"] / rows["full_images_per_transaction"]).mean()
    assert all(per_image["off"] > per_image[codec] for codec in ("pglz", "lz4", "zstd"))


def test_slow_flushes_are_slow(run: Run) -> None:
    if not SLOW:
        pytest.skip("flushes cannot be delayed here")
    rows = trials(run, *arms.FLUSHES.values())
    assert (rows["added_sync_ms"] >= 0.8).all()  # a busy machine adds more


def test_the_page_has_all_its_sentences_and_says_nothing_undefined(run: Run) -> None:
    sentences = ("acted", "design", "noise", "caches", "flushes", "plans")
    summary = check_chapter(run, sentences)
    assert summary.chapter.lesson(summary).title
