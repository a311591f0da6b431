"""A tiny run of cold_starts on a real PostgreSQL, on a volume whose reads are capped: what is counted and said."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.cold_starts import Parameters, configurations, reduce
from benchbook.engines import huge_pages, kernel_settings
from benchbook.engines.storage import refusals
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]


CHAPTER = "cold_starts"
SLOW = refusals.refusal(allowed=True) is None
capped = pytest.mark.skipif(not SLOW, reason="reads cannot be capped here")
VM = kernel_settings.refusal() is None and huge_pages.refusal(600 * 2**20, allowed=True) is None
CAP = 300
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 8, "threads": 2, "trial_seconds": 2, "warm_fill_seconds": 1,
        "read_iops": CAP, "allow_slow_storage": SLOW, "allow_vm_settings": VM,
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()


def test_trials_begin_as_their_configuration_says(run: Run) -> None:
    cold = trials(run, *(arm.name for arm in configurations(PARAMETERS) if arm.settings["start"] == "cold"))
    held = cold[["data_in_pool_start", "data_in_os_cache_start"]]
    assert (held < 0.2).all(axis=None), "autovacuum, which comes every trial's length, may have read a small table"
    assert (held.median() < 0.01).all()
    if SLOW:
        warm = trials(run, "round_1")
        assert (warm["pool_used_share"] > 0.8).all()
        assert (warm["data_in_os_cache_start"] > 0.9).all()


@capped
def test_the_cap_holds_the_reads_and_nothing_else(run: Run) -> None:
    assert run.provenance["read_iops"] == CAP
    assert run.provenance["read_ahead_kib"] == 64
    capped, free, warm = (trials(run, name) for name in ("round_1_cold", "round_1_cold_free", "round_1"))
    assert run.trials["storage_read_iops"].median() > 2 * CAP, "the volume itself must be faster than the cap"
    assert (capped["read_cap_iops"] == CAP).all()
    # A busy machine asks for fewer than the cap lets pass.
    assert capped["paced_iops"].between(0.3 * CAP, 1.05 * CAP).all()
    assert (free["paced_iops"] == 0).all()
    assert (free["device_read_iops"] > capped["device_read_iops"].max()).all()
    assert (warm["paced_iops"] < 0.1 * CAP).all()
    assert set(capped["storage"]) == {f"{CAP} reads/s in even turns"}
    assert set(free["storage"]) == {"not capped"}


@capped
def test_clients_wait_for_reads_where_these_are_capped(run: Run) -> None:
    reading = {name: trials(run, name)["waits_reading"].mean() for name in ("round_1_cold", "round_1_fits", "round_1")}
    assert min(reading["round_1_cold"], reading["round_1_fits"]) > 0.2
    assert reading["round_1"] < 0.1


@capped
def test_the_rounds_differ_in_their_five_settings(run: Run) -> None:
    summary = check_chapter(run, ("answer", "causes", "design", "noise", "caches"))
    assert set(summary.in_force("round_1_cold", "bgwriter_lru_maxpages")) == {"1000"}
    assert set(summary.in_force("round_2_cold", "bgwriter_lru_maxpages")) == {"500"}
    assert summary.chapter.lesson(summary).title
