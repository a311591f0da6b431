"""Trials of shared_buffers on small tables and a real PostgreSQL: what they count, what they bound, how they fail."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import busy
import numpy as np
import psutil
import pytest

from benchbook import lab, store, verification
from benchbook.chapters.shared_buffers import Parameters, configurations, session
from benchbook.claims import chapter_claims
from benchbook.engines import bounds, huge_pages, kernel_settings, pgbench
from benchbook.engines.storage import refusals
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import tallies
from benchbook.measuring.pgbench.pool_bench import Bench
from benchbook.model import PlannedTrial, Run, Trial

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


@pytest.fixture(scope="module")
def bench(module_home: Path) -> Iterator[Bench]:
    with busy.allowed(), session(PARAMETERS, lambda what, share: None) as ready:
        yield ready


@pytest.fixture(scope="module")
def measured(bench: Bench) -> Callable[[str], Trial]:
    """The trial of a configuration, measured once."""
    made: dict[str, Trial] = {}

    def one(name: str) -> Trial:
        if name not in made:
            made[name] = bench.measure(planned(name))
            assert made[name].labels["state"] == "measured", made[name].labels
        return made[name]

    return one


def planned(name: str) -> PlannedTrial:
    arm = next(each for each in configurations(PARAMETERS) if each.name == name)
    return PlannedTrial(0, 0, arm, 5)


def number(found: Trial, metric: str) -> float:
    value = found.metrics[metric]
    assert value is not None, metric
    return value


def bounded(found: Trial) -> bool:
    return found.labels["memory"].startswith("bounded")


def test_client_and_tables_count_the_same_transactions(measured: Callable[[str], Trial]) -> None:
    for name in ("scenario_a", "ram_25", "reads_20"):
        found = measured(name)
        assert number(found, "server_transactions") == number(found, "transactions"), name
        assert len(found.samples["transaction"]) <= 2_000


def test_a_trial_from_a_restart_has_an_empty_pool_and_a_warm_os_cache(measured: Callable[[str], Trial]) -> None:
    found = measured("scenario_a")
    assert number(found, "data_in_pool_start") < 0.01
    assert number(found, "data_in_os_cache_start") > 0.99
    assert number(found, "device_share_of_requests") < 0.01
    assert number(found, "pool_share_of_requests") + number(found, "os_share_of_requests") > 0.99


def test_with_a_cold_os_cache_the_device_serves_the_misses(measured: Callable[[str], Trial]) -> None:
    found = measured("scenario_b_cold_os_cache")
    assert number(found, "data_in_os_cache_start") < 0.01
    assert number(found, "device_reads_per_transaction") > 0.5
    assert number(found, "device_share_of_requests") > number(measured("scenario_a"), "device_share_of_requests")


def test_a_pre_warmed_pool_of_the_datas_size_holds_nearly_all_of_it(measured: Callable[[str], Trial]) -> None:
    found = measured("scenario_b_prewarmed")
    assert number(found, "data_in_pool_start") > 0.98
    assert number(found, "reads_per_transaction") < 0.2


def test_under_direct_io_every_miss_of_the_pool_is_a_read_of_the_device(
    bench: Bench, measured: Callable[[str], Trial]
) -> None:
    if not bench.tables.cluster.direct_io_possible:
        pytest.skip("no direct I/O on this disk")
    small, full = measured("reads_20"), measured("reads_100")
    assert number(small, "os_share_of_requests") < 0.01
    assert number(small, "device_reads_per_transaction") == pytest.approx(
        number(small, "reads_per_transaction"), rel=0.02
    )
    assert number(small, "device_share_of_requests") > 0.2
    assert number(full, "pool_share_of_requests") > number(small, "pool_share_of_requests")


def test_a_checkpoint_cleans_the_pool_and_evicts_nothing(measured: Callable[[str], Trial]) -> None:
    found = measured("ram_25")
    assert number(found, "pool_used_share") > 0.9
    assert number(found, "dirty_before_checkpoint") > 0
    assert number(found, "dirty_after_checkpoint") == 0
    assert number(found, "resident_after_checkpoint") == number(found, "resident_before_checkpoint")
    without = measured("ram_25_no_checkpoint")
    assert "dirty_after_checkpoint" not in without.metrics
    # How many more than without a checkpoint depends on how many pages were changed before, so on the machine's speed.
    assert number(found, "full_images_per_transaction") > 0


def test_memory_is_bounded_where_that_can_be_done_and_labelled_where_not(
    bench: Bench, measured: Callable[[str], Trial]
) -> None:
    found = measured("ram_25")
    if not bounded(found):
        assert found.labels["memory"].startswith("not bounded: ")
        assert found.metrics["least_available_share"] is None
        return
    assert 0 < number(found, "least_available_share") < 0.8, "a quarter lies in the pool"
    assert number(found, "resident_share_end") <= 1
    tree = bounds.groups.hierarchy()
    assert tree is not None
    left = [
        name for _, names, _ in os.walk(tree.root) for name in names if name.startswith(f"benchbook-{os.getpid()}-")
    ]
    assert left == [], "no group stays behind"


def test_an_unbounded_run_says_so(bench: Bench) -> None:
    free = replace(bench, parameters=Parameters.given(PARAMETERS.model_dump() | {"bound_memory": False}))
    found = free.measure(planned("baseline"))
    assert found.labels["memory"] == "not bounded: no limit was asked for"
    assert found.labels["state"] == "measured"
    assert "shared_buffers=" in found.labels["settings"]
    assert found.metrics["least_available_share"] is None


def test_huge_pages_hold_the_pool_and_are_given_back(measured: Callable[[str], Trial]) -> None:
    if not VM:
        pytest.skip("huge pages cannot be reserved here")
    before = Path("/proc/sys/vm/nr_hugepages").read_text()
    found = measured("ram_37_5")
    assert number(found, "huge_page_bytes") >= 8192 * number(found, "pool_blocks")
    left = number(measured("ram_25"), "least_available_share") - number(found, "least_available_share")
    assert left > 0.05, "the larger pool takes memory, whether it is used or not"
    assert Path("/proc/sys/vm/nr_hugepages").read_text() == before


def test_reserved_huge_pages_that_the_server_cannot_use_are_lost_to_it(measured: Callable[[str], Trial]) -> None:
    if not VM:
        pytest.skip("huge pages cannot be reserved here")
    found = measured("round_3_huge_pages")
    assert number(found, "huge_page_bytes") < 8192 * number(found, "pool_blocks")
    assert number(found, "least_available_share") < number(measured("ram_25"), "least_available_share")


def test_a_fifth_of_the_data_evicts_on_capped_storage_and_all_of_it_does_not(measured: Callable[[str], Trial]) -> None:
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


def test_autovacuum_looks_at_the_tables_in_round_2(measured: Callable[[str], Trial]) -> None:
    found = measured("round_2")
    assert number(found, "autovacuums") > 0
    assert "autovacuum=on" in found.labels["settings"]
    assert number(measured("baseline"), "autovacuums") == 0


def test_a_cold_round_2_reads_from_the_device(measured: Callable[[str], Trial]) -> None:
    found = measured("round_2_cold")
    assert number(found, "data_in_pool_start") < 0.01
    assert number(found, "data_in_os_cache_start") < 0.05, "autovacuum has read a little"
    assert number(found, "device_reads_per_transaction") > 0.5


def test_a_trial_says_which_dirty_limits_were_in_force(measured: Callable[[str], Trial]) -> None:
    if not VM:
        pytest.skip("the kernel's limits cannot be set here")
    found = measured("baseline")
    assert found.labels["dirty_limits"] == "18 MiB, background 4 MiB"
    assert number(found, "dirty_limit_bytes") == pytest.approx(18.3 * 2**20, rel=0.1)


def test_the_record_holds_what_the_verdicts_on_sizes_need(bench: Bench) -> None:
    said = bench.provenance()
    assert set(said["size_bytes_by_scale"]) == {"2", "10"}
    assert said["size_bytes_by_scale"]["10"] == pytest.approx(said["data_bytes"], rel=0.02)
    assert said["contexts"] == {"shared_buffers": "postmaster", "bgwriter_lru_maxpages": "sighup"}
    assert PARAMETERS.data_bytes == pytest.approx(said["data_bytes"], rel=0.05)


# what may go wrong


def clients() -> list[psutil.Process]:
    """The pgbench processes that this one started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # ended meanwhile
            if process.name() == "pgbench":
                found.append(process)
    return found


@contextlib.contextmanager
def during(bench: Bench, harm: Callable[[], None]) -> Iterator[None]:
    """Do ``harm`` as soon as pgbench's clients are at work."""

    def wait() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if clients():
                time.sleep(0.4)
                harm()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    yield
    thread.join(timeout=60)


def postmaster(bench: Bench) -> int:
    return int((bench.tables.cluster.data / "postmaster.pid").read_text().split()[0])


def a_backend(bench: Bench) -> int:
    children = psutil.Process(postmaster(bench)).children()
    return next(child.pid for child in children if " pgbench " in " ".join(child.cmdline()))


@pytest.mark.faults
@pytest.mark.parametrize("whom", [postmaster, a_backend])
def test_a_server_that_dies_makes_a_failed_trial_and_the_next_one_succeeds(
    bench: Bench, whom: Callable[[Bench], int]
) -> None:
    with during(bench, lambda: os.kill(whom(bench), signal.SIGKILL)):
        found = bench.measure(planned("scenario_a"))
    assert found.labels["state"].startswith("failed: ")
    assert found.metrics == {}
    assert found.samples == {}
    after = bench.measure(planned("scenario_a"))
    assert after.labels["state"] == "measured"
    assert number(after, "data_in_pool_start") < 0.01, "restored, not what the dead server left"


@pytest.mark.faults
def test_a_server_that_dies_ends_the_run_when_asked_to(bench: Bench) -> None:
    strict = replace(bench, parameters=Parameters.given(PARAMETERS.model_dump() | {"keep_going": False}))
    harm = during(strict, lambda: os.kill(postmaster(strict), signal.SIGKILL))
    with harm, pytest.raises(MachineError, match="a trial failed: ") as caught:
        strict.measure(planned("scenario_a"))
    assert "keep_going=true" in caught.value.mend


@pytest.mark.faults
def test_a_pgbench_that_dies_makes_a_failed_trial(bench: Bench) -> None:
    with during(bench, lambda: clients()[0].kill()):
        found = bench.measure(planned("scenario_a"))
    assert found.labels["state"].startswith("failed: pgbench was killed by signal 9")


@pytest.mark.faults
def test_a_full_disk_ends_the_run_with_a_mend(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise MachineError("pgbench failed (2): could not extend file: No space left on device", "see the message")

    monkeypatch.setattr(pgbench, "run", full)
    with pytest.raises(MachineError, match=r"disk of .* is full") as caught:
        bench.measure(planned("scenario_a"))
    assert "BENCHBOOK_SCRATCH" in caught.value.mend


@pytest.mark.faults
def test_a_server_that_cannot_start_ends_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "settings", lambda *_: {"shared_buffers": "900GB"})
    with pytest.raises(BenchbookError, match="did not start"):
        bench.measure(planned("scenario_a"))
    monkeypatch.undo()
    assert bench.measure(planned("baseline")).labels["state"] == "measured"


def test_what_an_unknown_server_read_is_not_known(bench: Bench) -> None:
    assert tallies.device_bytes(bench.tables.cluster) is None, "no server runs between trials"


# a whole run


@pytest.fixture(scope="module")
def run(bench: Bench, module_home: Path) -> Run:
    return lab.obtain(
        chapter,
        Parameters.given(
            {"blocks": 2, "scale": 5, "clients": 4, "tpcb_seconds": 1, "parts": ["three_runs"]}
            | {"allow_slow_storage": False, "allow_vm_settings": False}
        ),
    )


def test_a_small_run_is_stored_verified_drawn_and_judged(run: Run) -> None:
    assert len(run.trials) == 2 * 4
    [entry] = [each for each in store.catalogue() if each.id == run.id]
    assert verification.verify(entry).problems == ()
    summary = chapter.summarize(run)
    assert summary.failures(summary.arms) == []
    assert all(gate.name != "counts agree" or gate.passed for gate in summary.counts_gate(summary.arms))
    for figure in chapter.figures(summary).values():
        assert figure.run_id == run.id
    assert [each.claim_id for each in chapter.judge(summary)] == [*chapter_claims("shared_buffers")]


def test_a_trial_that_lost_its_samples_does_not_verify(run: Run) -> None:
    thinner = replace(run, samples=run.samples[run.samples["trial"] != run.trials["trial"].iloc[0]])
    assert len(verification._metrics(chapter, thinner)) == 1
    kept = [t for t, c in zip(run.trials["trial"], run.trials["configuration"], strict=True) if c == "scenario_a"]
    thinner = replace(run, samples=run.samples[~run.samples["trial"].isin(kept)])
    assert len(verification._metrics(chapter, thinner)) == len(kept)
    assert np.isfinite(run.trials["tps"]).all()
