"""Trials of shared_buffers on small tables and a real PostgreSQL: what they count, what they bound, how they fail."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import busy
import numpy as np
import pytest
from tiny_runs import Tiny, check_whole, given, number, planned

from benchbook import lab, verification
from benchbook.chapters.shared_buffers import Parameters, session
from benchbook.engines import bounds, huge_pages, kernel_settings
from benchbook.engines.storage import refusals
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench import tallies
from benchbook.measuring.pgbench.pool_bench import Bench
from benchbook.model import Run, Trial

chapter = lab.experiment("shared_buffers")

pytestmark = [pytest.mark.engine, pytest.mark.machine]

SLOW = refusals.refusal(allowed=True) is None
VM = kernel_settings.refusal() is None and huge_pages.refusal(600 * 2**20, allowed=True) is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 10, "clients": 4, "tpcb_seconds": 4, "warm_seconds": 1, "warm_fill_seconds": 1,
        "read_seconds": 1, "read_fill_seconds": 1, "storage_iops": 1_000, "allow_slow_storage": SLOW,
        "allow_vm_settings": VM,
    }
)  # fmt: skip
RUNS = {
    "shared_buffers": Tiny(
        {"blocks": 2, "scale": 5, "clients": 4, "tpcb_seconds": 1, "parts": ["three_runs"],
         "allow_slow_storage": False, "allow_vm_settings": False}, (),
    ),
}  # fmt: skip
Measured = Callable[[str], Trial]
vm = pytest.mark.skipif(not VM, reason="limits of dirty data and huge pages cannot be set here")
arm = partial(planned, chapter="shared_buffers", parameters=PARAMETERS)


@pytest.fixture(scope="module")
def bench(module_home: Path) -> Iterator[Bench]:
    with busy.allowed(), session(PARAMETERS, lambda what, share: None) as ready:
        yield ready


@pytest.fixture(scope="module")
def measured(bench: Bench) -> Measured:
    """The trial of a configuration, measured once."""
    made: dict[str, Trial] = {}

    def one(name: str) -> Trial:
        if name not in made:
            made[name] = found = bench.measure(arm(name))
            assert found.labels["state"] == "measured", found.labels
            assert number(found, "server_transactions") == number(found, "transactions")
            assert len(found.samples["transaction"]) <= 2_000
        return made[name]

    return one


def test_trials_begin_as_their_configuration_says(measured: Measured) -> None:
    restarted = measured("scenario_a")
    assert number(restarted, "data_in_pool_start") < 0.01
    assert number(restarted, "data_in_os_cache_start") > 0.99
    assert number(restarted, "device_share_of_requests") < 0.01
    assert number(restarted, "pool_share_of_requests") + number(restarted, "os_share_of_requests") > 0.99
    prewarmed = measured("scenario_b_prewarmed")
    assert number(prewarmed, "data_in_pool_start") > 0.98
    assert number(prewarmed, "reads_per_transaction") < 0.2
    for name, cached in (("scenario_b_cold_os_cache", 0.01), ("round_2_cold", 0.05)):  # autovacuum reads a little
        cold = measured(name)
        assert number(cold, "data_in_pool_start") < 0.01
        assert number(cold, "data_in_os_cache_start") < cached
        assert number(cold, "device_reads_per_transaction") > 0.5
        assert number(cold, "device_share_of_requests") > number(restarted, "device_share_of_requests")


def test_under_direct_io_every_miss_of_the_pool_is_a_read_of_the_device(bench: Bench, measured: Measured) -> None:
    if not bench.tables.cluster.direct_io_possible:
        pytest.skip("no direct I/O on this disk")
    small, full = measured("reads_20"), measured("reads_100")
    reads = number(small, "reads_per_transaction")
    assert number(small, "device_reads_per_transaction") == pytest.approx(reads, rel=0.02)
    assert number(small, "os_share_of_requests") < 0.01
    assert number(small, "device_share_of_requests") > 0.2
    assert number(full, "pool_share_of_requests") > number(small, "pool_share_of_requests")


def test_a_checkpoint_cleans_the_pool_and_evicts_nothing(measured: Measured) -> None:
    found = measured("ram_25")
    assert number(found, "pool_used_share") > 0.9
    assert number(found, "dirty_before_checkpoint") > 0
    assert number(found, "dirty_after_checkpoint") == 0
    assert number(found, "resident_after_checkpoint") == number(found, "resident_before_checkpoint")
    assert "dirty_after_checkpoint" not in measured("ram_25_no_checkpoint").metrics
    # How many more than without a checkpoint depends on how many pages were changed before, so on the machine's speed.
    assert number(found, "full_images_per_transaction") > 0


def test_memory_is_bounded_where_that_can_be_done_and_labelled_where_not(measured: Measured) -> None:
    found = measured("ram_25")
    if not found.labels["memory"].startswith("bounded"):
        assert found.labels["memory"].startswith("not bounded: ")
        assert found.metrics["least_available_share"] is None
        return
    assert 0 < number(found, "least_available_share") < 0.8, "a quarter lies in the pool"
    assert number(found, "resident_share_end") <= 1
    tree = bounds.groups.hierarchy()
    assert tree is not None
    left = [name for _, names, _ in os.walk(tree.root) for name in names]
    assert not [name for name in left if name.startswith(f"benchbook-{os.getpid()}-")], "no group stays behind"


@vm
def test_huge_pages_hold_the_pool_and_are_given_back_or_are_lost_to_a_server_that_cannot_use_them(
    measured: Measured,
) -> None:
    before = Path("/proc/sys/vm/nr_hugepages").read_text()
    held, lost = measured("ram_37_5"), measured("round_3_huge_pages")
    assert Path("/proc/sys/vm/nr_hugepages").read_text() == before
    assert number(held, "huge_page_bytes") >= 8192 * number(held, "pool_blocks")
    assert number(lost, "huge_page_bytes") < 8192 * number(lost, "pool_blocks")
    available = number(measured("ram_25"), "least_available_share")
    assert available - number(held, "least_available_share") > 0.05, "the larger pool takes memory, used or not"
    assert number(lost, "least_available_share") < available


def test_a_fifth_of_the_data_evicts_on_capped_storage_and_all_of_it_does_not(measured: Measured) -> None:
    small, large = measured("scenario_a"), measured("scenario_b")
    assert number(small, "evictions") > 0
    assert number(large, "evictions") == 0
    assert number(large, "data_in_pool_end") > number(small, "data_in_pool_end")
    if not SLOW:
        pytest.skip("storage cannot be made slow here")
    for found in (small, large):
        assert found.labels["storage"] == "1,000 writes/s"
        assert number(found, "storage_write_iops") < 1_000 * busy.AT_MOST
    local = measured("scenario_a_local_disk")
    assert local.labels["storage"] == "not capped"
    assert number(local, "storage_write_iops") >= 0, "it is looked at there too"


def test_autovacuum_looks_at_the_tables_in_round_2(measured: Measured) -> None:
    found = measured("round_2")
    assert number(found, "autovacuums") > 0
    assert "autovacuum=on" in found.labels["settings"]
    assert number(measured("baseline"), "autovacuums") == 0


def test_the_record_holds_what_the_verdicts_on_sizes_need(bench: Bench) -> None:
    said = bench.provenance()
    assert tallies.device_bytes(bench.tables.cluster) is None, "no server runs between trials"
    assert set(said["size_bytes_by_scale"]) == {"2", "10"}
    assert said["size_bytes_by_scale"]["10"] == pytest.approx(said["data_bytes"], rel=0.02)
    assert said["contexts"] == {"shared_buffers": "postmaster", "bgwriter_lru_maxpages": "sighup"}
    assert PARAMETERS.data_bytes == pytest.approx(said["data_bytes"], rel=0.05)


@pytest.mark.faults
def test_a_server_that_cannot_start_ends_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "settings", lambda *_: {"shared_buffers": "900GB"})
    with pytest.raises(BenchbookError, match="did not start"):
        bench.measure(arm("scenario_a"))
    monkeypatch.undo()
    assert bench.measure(arm("baseline")).labels["state"] == "measured"


@given(RUNS)
def test_a_small_run_is_whole(run: Run) -> None:
    check_whole(run)


@given(RUNS)
def test_a_trial_that_lost_its_samples_does_not_verify(run: Run) -> None:
    thinner = replace(run, samples=run.samples[run.samples["trial"] != run.trials["trial"].iloc[0]])
    assert len(verification._metrics(chapter, thinner)) == 1
    kept = [t for t, c in zip(run.trials["trial"], run.trials["configuration"], strict=True) if c == "scenario_a"]
    thinner = replace(run, samples=run.samples[~run.samples["trial"].isin(kept)])
    assert len(verification._metrics(chapter, thinner)) == len(kept)
    assert np.isfinite(run.trials["tps"]).all()
