"""A tiny run in which settings are switched on real servers under load: what is counted, and what is said of it."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, second_server, trials

from benchbook.chapters.switched_settings import ALONE_TIMES, Parameters, configurations, reduce
from benchbook.engines import huge_pages, kernel_settings
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]


CHAPTER = "switched_settings"
VM = kernel_settings.refusal() is None and huge_pages.refusal(600 * 2**20, allowed=True) is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "rounds": 2, "turn_ms": 300, "discard_ms": 100, "checkpoint_seconds": 1,
        "warm_fill_seconds": 1,
        "allow_vm_settings": VM, "second_server": second_server(),
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)
    alone = run.trials["configuration"].str.startswith("alone_")
    assert (run.trials.loc[~alone, "turns"] == PARAMETERS.rounds).all()
    assert (run.trials.loc[alone, "turns"] == ALONE_TIMES * PARAMETERS.rounds).all()


def test_client_and_tables_count_the_same_transactions(run: Run) -> None:
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()
    assert (run.trials["counted_transactions"] <= run.trials["transactions"]).all()
    of_group = trials(run, "round_2", "round_2_again")
    assert (of_group.groupby("block")["transactions"].nunique() == 1).all(), "they share one load"


def test_the_pool_is_filled_before_the_turns(run: Run) -> None:
    assert (run.trials["pool_used_share"] > 0.8).all()
    assert (run.trials["data_in_os_cache_start"] > 0.9).all()


def test_each_setting_was_in_force_in_its_turns(run: Run) -> None:
    summary = check_chapter(run, ("design", "precision", "agreement"))
    expected = {
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
    if PARAMETERS.has_second:
        expected["second_lz4", "wal_compression"] = "lz4"
    assert {key: set(summary.in_force(*key)) for key in expected} == {key: {value} for key, value in expected.items()}
    cache = [set(summary.in_force(arm, "effective_cache_size")) for arm in ("scenario_b", "b_cache_default")]
    assert len(cache[0] | cache[1]) == 2, "it follows from the size of the data"


def test_without_compression_a_transaction_writes_more_log(run: Run) -> None:
    if not PARAMETERS.has_second:
        pytest.skip("there is no second server here")
    logged = {codec: trials(run, name)["wal_bytes_per_transaction"].mean() for codec, name in ladder.CODECS.items()}
    assert logged["off"] > max(logged["lz4"], logged["zstd"]), logged
