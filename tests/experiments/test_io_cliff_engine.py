"""Trials of the I/O cliff on a real PostgreSQL: limits and bound hold and are gone, a dead server is recorded."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import busy
import psutil
import pytest
from eventually import eventually
from tiny_runs import planned

from benchbook import lab
from benchbook.chapters import io_cliff
from benchbook.chapters.io_cliff import Parameters, reduce, session
from benchbook.engines import bounds, kernel_settings
from benchbook.engines.pgbench import Watch, Workload
from benchbook.engines.pgbench import run as run_pgbench
from benchbook.engines.storage import refusals, throttle
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import storage
from benchbook.measuring.pgbench.cliffs import Bench
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.model import Trial

chapter = lab.experiment("io_cliff")

pytestmark = [pytest.mark.engine, pytest.mark.machine]

SMALL: dict[str, int | bool] = {
    "blocks": 2, "scale": 3, "clients": 4, "trial_seconds": 2, "checkpoint_seconds": 2, "fill_seconds": 1,
    "storage_iops": 500, "allow_vm_settings": kernel_settings.refusal() is None,
    "allow_slow_storage": refusals.refusal(allowed=True) is None,
}  # fmt: skip


@pytest.fixture(scope="module")
def bench(module_home: Path) -> Iterator[Bench]:
    with busy.allowed(), session(Parameters.given(SMALL), lambda what, share: None) as made:
        yield made


def measure(bench: Bench, name: str) -> Trial:
    return bench.measure(planned(name, "io_cliff", bench.parameters))


def test_a_trial_counts_as_the_server_does_and_keeps_its_course(bench: Bench) -> None:
    trial = measure(bench, io_cliff.A_FREE)
    assert trial.labels["state"] == "measured"
    assert trial.metrics["server_transactions"] == trial.metrics["transactions"]
    cached = trial.metrics["data_in_os_cache_start"] or 0
    assert 0.5 < cached <= 1.01, "other programs may make the kernel take some of it back, but it was filled"
    kept = trial.samples["stretch"]
    assert kept.sum() == pytest.approx(2e9, abs=10)
    for name, value in reduce(kept).items():
        assert trial.metrics[name] == value
    assert trial.metrics["wal_bytes"]
    assert (trial.metrics["looks"] or 0) >= 3
    ram = trial.metrics["ram_bytes"] or 0
    if trial.labels["memory"].startswith("bounded"):
        assert 0 < (trial.metrics["memory_peak_bytes"] or 0) <= ram
        assert trial.metrics["processes_killed"] == 0


def test_limits_of_dirty_data_hold_for_a_trial_and_no_longer(bench: Bench) -> None:
    if not bench.parameters.allow_vm_settings:
        pytest.skip(kernel_settings.refusal() or "")
    before = kernel_settings.read("vm/dirty_bytes"), kernel_settings.read("vm/dirty_ratio")
    trial = measure(bench, io_cliff.B_FREE)
    assert trial.metrics["dirty_limit_bytes"] == max(4 * 2**20, int(int(3 * bench.tables.data_bytes) * 0.04))
    assert trial.labels["dirty_limits"] != "the machine's own"
    assert (kernel_settings.read("vm/dirty_bytes"), kernel_settings.read("vm/dirty_ratio")) == before


@pytest.mark.long
def test_a_capped_trial_is_certified_and_hands_its_evicted_pages_to_a_slow_device(bench: Bench) -> None:
    if not bench.parameters.allow_slow_storage:
        pytest.skip(str(refusals.refusal(allowed=True)))
    for seconds in (SMALL["trial_seconds"], 10, 60):  # on a busy machine a short trial does not fill its pool
        longer = bench.parameters.model_copy(update={"trial_seconds": seconds})
        trial = measure(replace(bench, parameters=longer), io_cliff.A)
        if trial.metrics["evictions"]:
            break
    assert trial.metrics["evictions"], "no trial evicted a page"
    assert trial.labels["state"] == "measured"
    writes = trial.metrics["storage_write_iops"]
    assert writes is not None
    assert writes < 500 * busy.AT_MOST
    at_most = 500 * busy.AT_MOST * seconds * 8192 * 16  # of at most 128 KiB each
    assert 0 < (trial.metrics["disk_written_bytes"] or 0) < at_most
    assert measure(bench, io_cliff.B).metrics["evictions"] == 0
    volume = bench.tables.place.volume
    assert volume is not None
    assert not throttle.find().rule(volume.number)


def test_a_pilot_gives_the_cap_in_the_notes_proportion(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PILOT_SECONDS", 1)
    found = bench.piloted(chapter.configurations(bench.parameters)[io_cliff.A_FREE])
    assert found >= 20
    assert found <= NOTE_WRITES_PER_TRANSACTION * 100_000


def is_pgbench(process: psutil.Process) -> bool:
    try:
        return process.name() == "pgbench"
    except psutil.NoSuchProcess:  # another one that has ended since it was listed
        return False


def test_a_server_that_is_killed_makes_a_failed_trial_and_the_next_one_is_measured(bench: Bench) -> None:
    def kill() -> None:
        assert eventually(lambda: any(map(is_pgbench, psutil.Process().children(recursive=True))))
        time.sleep(0.7)
        os.kill(int((bench.tables.cluster.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    # So long that the server is killed during it, however late a busy machine lets the killer run.
    longer = replace(bench, parameters=bench.parameters.model_copy(update={"trial_seconds": 60}))
    killer = threading.Thread(target=kill)
    killer.start()
    trial = measure(longer, io_cliff.A_FREE)
    killer.join()
    assert trial.labels["state"].startswith("failed")
    assert not trial.metrics
    assert not trial.samples
    assert measure(bench, io_cliff.A_FREE).labels["state"] == "measured"


def test_watching_sees_what_pgbench_does(bench: Bench) -> None:
    bench.tables.template.restore()
    bench.tables.cluster.start({"shared_buffers": "32MB"})
    try:
        with bounds.memory(None) as bound, Watch(bench.tables.cluster, bound, every_s=0.3) as watch:
            done = run_pgbench(bench.tables.cluster, Workload(clients=4, duration_s=2, seed=1))
    finally:
        bench.tables.cluster.stop()
    seen = watch.watched
    assert seen.looks >= 8
    table = seen.table
    assert table["elapsed_s"].is_monotonic_increasing
    log_is_there = bench.tables.place.volume is None  # on a volume the data are alone, and nothing evicts them here
    written = ("disk_written_bytes",) if log_is_there else ()
    for name in ("wal_bytes", *written, "server_cpu_s", "client_cpu_s", "allocated_buffers"):
        assert table[name].is_monotonic_increasing, name
        assert table[name].iloc[-1] > table[name].iloc[0], name
    assert table["pool_used_buffers"].iloc[-1] > table["pool_used_buffers"].iloc[0]
    assert table["bound_cache_bytes"].isna().all(), "nothing is bounded"
    assert sum(seen.waits.values()) > 0
    assert 0 < seen.seconds < 2
    assert done.processed > 0


def test_a_watch_without_a_server_says_so(bench: Bench) -> None:
    with Watch(bench.tables.cluster, every_s=0.2) as watch:
        time.sleep(0.3)
    with pytest.raises(BenchbookError, match="watching the server failed"):
        _ = watch.watched
    with pytest.raises(BenchbookError, match="not above 0"):
        Watch(bench.tables.cluster, every_s=0)


@pytest.mark.parametrize(
    ("allowed", "other"), [("allow_vm_settings", "allow_slow_storage"), ("allow_slow_storage", "allow_vm_settings")]
)
def test_root_is_asked_for_before_anything_starts(allowed: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(MachineError, match=f"{allowed}=false"):
        chapter.needs(Parameters.given(SMALL | {allowed: True, other: False})).check()
