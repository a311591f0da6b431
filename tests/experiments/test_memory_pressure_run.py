"""A tiny run of memory_pressure on a real PostgreSQL: memory is bounded, pools evict, and a read stays a small one."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.memory_pressure import (
    CLAIMED,
    PRESSING,
    QUARTER,
    THREE_EIGHTHS,
    Parameters,
    configurations,
    name_of,
    reduce,
)  # fmt: skip
from benchbook.engines.storage import refusals
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]

CHAPTER = "memory_pressure"
SLOW = refusals.refusal(allowed=True) is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 1, "fill_seconds": 1, "storage_iops": 2_000,
        "allow_slow_storage": SLOW, "parts": ["pair", "uncapped"],
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)


def test_pools_are_shares_of_the_memory_and_evict(run: Run) -> None:
    small, large = (trials(run, arm) for arm in (QUARTER, THREE_EIGHTHS))
    assert large["pool_blocks"].iloc[0] == pytest.approx(1.5 * small["pool_blocks"].iloc[0], rel=0.01)
    assert (small["evictions"] > 0).all()


def test_reads_are_capped_while_measured_where_the_configuration_says_so(run: Run) -> None:
    if not SLOW:
        pytest.skip("storage cannot be capped here")
    assert set(trials(run, QUARTER)["storage"]) == {"2,000 reads/s"}
    free = trials(run, name_of(PRESSING, 25, "_not_capped"))
    assert set(free["storage"]) == {"not capped"}


def test_memory_is_what_pool_and_page_cache_share_and_something_for_the_server(run: Run) -> None:
    rows = trials(run, name_of(CLAIMED, 25))
    assert rows["ram_blocks"].iloc[0] == pytest.approx(rows["data_blocks"].iloc[0] / CLAIMED, rel=0.05)
    if not rows["memory"].str.startswith("bounded").all():
        pytest.skip("memory cannot be bounded here")
    assert (rows["own_bytes"] < PARAMETERS.own_bytes).all()
    assert (rows["refaults_per_transaction"] >= 0).all()
    assert rows["least_available_share"].between(0, 1).all()


def test_a_random_read_of_a_page_stays_one(run: Run) -> None:
    if not SLOW:
        pytest.skip("there is no volume of its own here")
    sizes = run.trials["bytes_per_read"].dropna()
    assert sizes.between(4_096, 16_384).all()


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "noise"))
