"""A tiny run of dirty_dose on a real PostgreSQL: limits in force, backends seen in the kernel, no limit left behind."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.dirty_dose import LIMITS, Parameters, configurations, reduce
from benchbook.engines import kernel_settings
from benchbook.engines.storage import refusals
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]

CHAPTER = "dirty_dose"
OWN = [kernel_settings.read(f"vm/dirty_{name}") for name in ("bytes", "ratio", "background_bytes")]
SLOW = refusals.refusal(allowed=True) is None
VM = kernel_settings.refusal() is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 3, "storage_iops": 500, "allow_slow_storage": SLOW,
        "allow_vm_settings": VM,
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()


def test_all_backends_are_looked_at(run: Run) -> None:
    assert (run.trials["backends_seen"] >= PARAMETERS.clients).all()


def test_limits_are_in_force_in_a_trial_and_gone_after_it(run: Run) -> None:
    if not (SLOW and VM):
        pytest.skip("limits of dirty data cannot be set here")
    assert set(trials(run, "plain_90")["dirty_limits"]) == {"90 MiB, background 22 MiB"}
    assert set(trials(run, *(f"plain_{limit}" for limit in LIMITS))["memory"]) == {
        "not bounded: no limit was asked for"
    }
    assert [kernel_settings.read(f"vm/dirty_{name}") for name in ("bytes", "ratio", "background_bytes")] == OWN


def test_a_pool_of_all_the_data_evicts_nothing(run: Run) -> None:
    if SLOW:
        assert (trials(run, "pool_100")["evictions"] == 0).all()
    assert (trials(run, "not_capped")["evictions"] > 0).all()


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "noise"))
