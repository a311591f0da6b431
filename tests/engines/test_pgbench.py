"""pgbench on a real server: what it says, what the server counted, and the same data before each trial."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from eventually import eventually

from benchbook.engines import cores, pgbench
from benchbook.engines.pgbench import Template, WaitSampler, Workload, running
from benchbook.engines.postgres import Cluster
from benchbook.errors import BenchbookError, MachineError

pytestmark = pytest.mark.engine

SETTINGS = {"shared_buffers": "16MB", "synchronous_commit": False, "max_connections": 40}


@pytest.fixture
def fresh(loaded: tuple[Cluster, Template]) -> Iterator[Cluster]:
    """A running server on restored data."""
    cluster, template = loaded
    template.restore()
    cluster.start(SETTINGS)
    yield cluster
    cluster.stop()


def history(cluster: Cluster) -> int:
    with pgbench.connect(cluster) as connection:
        return connection.execute("SELECT count(*) FROM pgbench_history").fetchone()[0]


def its_pgbench(cluster: Cluster) -> psutil.Process:
    """Waits for the one that works on a cluster."""
    found: list[psutil.Process] = []

    def seen() -> bool:
        every = psutil.process_iter(["name", "cmdline"])
        theirs = (each for each in every if str(cluster.folder) in " ".join(each.info["cmdline"] or []))
        found.extend(each for each in theirs if each.info["name"] == "pgbench")
        return bool(found)

    assert eventually(seen)
    return found[0]


@pytest.mark.parametrize("protocol", ["simple", "extended", "prepared"])
def test_every_transaction_that_changed_the_data_is_in_the_log(fresh: Cluster, protocol: str) -> None:
    workload = Workload("tpcb-like", clients=4, threads=2, duration_s=1, protocol=protocol, seed=5)
    found = pgbench.run(fresh, workload)
    assert history(fresh) == found.processed
    assert found.run_tps_per_s[found.dropped_s :].sum() == found.latency_ns.size > 0
    assert found.tps == found.latency_ns.size
    assert found.processed >= found.latency_ns.size
    assert (found.latency_ns > 0).all()
    assert (found.end_s[1:] >= found.end_s[:-1]).all()
    assert 0 <= found.end_s.min() <= found.end_s.max() < 1
    assert found.failed == 0


@pytest.mark.parametrize("script", ["select-only", "custom"])
def test_the_server_counted_as_many_transactions_as_pgbench(fresh: Cluster, script: str, tmp_path: Path) -> None:
    given: str | Path = script
    if script == "custom":
        given = tmp_path / "one row.sql"
        given.write_text("SELECT abalance FROM pgbench_accounts WHERE aid = 7;\n")
    workload = Workload(given, clients=3, threads=2, duration_s=1, warm_up_s=1)
    assert workload.limit_s > 30
    with fresh.connect() as observer:
        before = pgbench.read_counters(observer, fresh.binaries)
        found = pgbench.run(fresh, workload)
        counted = pgbench.read_counters(observer, fresh.binaries) - before
    assert counted.commits - pgbench.own_commits(workload) == found.processed
    assert counted.rollbacks == 0
    assert counted.hits + counted.reads > 2 * found.processed
    assert history(fresh) == 0
    assert found.run_tps_per_s.shape == (2,)
    assert (found.run_tps_per_s > 0).all()
    assert found.progress.elapsed_s.max() < 30, "it ended when it was told to, and not by pgbench's own limit"


def test_without_a_log_pgbenchs_own_report_gives_the_seconds(fresh: Cluster) -> None:
    found = pgbench.run(fresh, Workload("tpcb-like", clients=2, duration_s=2, warm_up_s=1, log=False))
    assert found.progress.elapsed_s.size >= 3
    assert found.tps == pytest.approx(found.progress.mean_tps(1, 3))
    assert history(fresh) == found.processed
    assert found.latency_ns.size == 0


def test_a_pgbench_that_does_not_end_is_stopped(
    fresh: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PATIENCE_S", -30.0)
    script = tmp_path / "long.sql"
    script.write_text("SELECT pg_sleep(300);\n")
    with pytest.raises(MachineError, match="did not end within 1 s"):
        pgbench.run(fresh, Workload(script, clients=1, duration_s=1))


def test_waits_are_seen_and_what_looking_costs_is_told(fresh: Cluster, tmp_path: Path) -> None:
    script = tmp_path / "asleep.sql"
    script.write_text("SELECT pg_sleep(0.2);\n")
    with WaitSampler(fresh.connect, every_s=0.1) as sampler:
        pgbench.run(fresh, Workload(script, clients=2, duration_s=1))
    assert sampler.waits.counts["Timeout:PgSleep"] > sampler.waits.looks
    assert sampler.waits.seconds > 0
    with WaitSampler(lambda: pgbench.connect(fresh), every_s=0.01) as failing, fresh.connect() as connection:
        for _ in range(500):
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'pgbench'")
            if failing._error is not None:
                break
            time.sleep(0.02)
    with pytest.raises(BenchbookError, match="sampling pg_stat_activity failed"):
        assert failing.waits
    with pytest.raises(BenchbookError, match="every_s=0"):
        WaitSampler(fresh.connect, every_s=0)


def test_a_scale_out_of_bounds_is_refused(fresh: Cluster) -> None:
    with pytest.raises(BenchbookError, match="scale=0"):
        pgbench.initialise(fresh, 0)
    with pytest.raises(BenchbookError, match="scale=-3"):
        pgbench.data_bytes(-3)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"script": "tpcb"}, "built-in script 'tpcb'"),
    ({"script": Path("missing.sql")}, r"no script missing\.sql"),
    ({"protocol": "binary"}, "protocol 'binary'"),
    ({"clients": 0}, "clients=0"),
    ({"clients": True}, "clients=True"),
    ({"clients": 2.5}, r"clients=2\.5"),
    ({"clients": 2, "threads": 3}, "3 threads share 2 clients"),
    ({"threads": 0}, "threads=0"),
    ({"duration_s": 0}, "duration_s=0"),
    ({"warm_up_s": -1}, "warm_up_s=-1"),
    ({"seed": -1}, "seed=-1"),
]


@pytest.mark.parametrize(("settings", "problem"), WRONG, ids=lambda value: str(value))
def test_a_wrong_setting_is_refused_before_anything_starts(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(BenchbookError, match=problem):
        pgbench.run(None, Workload(**settings))  # type: ignore[arg-type]


def test_more_clients_than_the_server_takes_are_refused_with_the_number_to_ask_for(fresh: Cluster) -> None:
    with pytest.raises(BenchbookError, match=r"38 clients.*48"):
        pgbench.run(fresh, Workload(clients=38))


def test_a_pgbench_that_fails_gives_its_last_line_and_leaves_nothing(fresh: Cluster, tmp_path: Path) -> None:
    script = tmp_path / "wrong.sql"
    script.write_text("SELECT 1 FROM no_such_table;\n")
    with pytest.raises(MachineError, match=r"no_such_table|aborted"):
        pgbench.run(fresh, Workload(script, clients=1, duration_s=1))
    assert not list(fresh.folder.glob("pgbench-*"))


def test_a_killed_pgbench_is_an_error_that_says_so(fresh: Cluster) -> None:
    def kill() -> None:
        process = its_pgbench(fresh)
        time.sleep(0.5)
        process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(MachineError, match="killed by signal 9"):
        pgbench.run(fresh, Workload(clients=1, duration_s=20))
    killer.join()
    assert not list(fresh.folder.glob("pgbench-*"))


def test_restored_data_are_the_loaded_data_whatever_a_trial_did(loaded: tuple[Cluster, Template]) -> None:
    cluster, template = loaded
    assert pgbench.data_bytes(1) == pytest.approx(template.bytes, rel=0.25)
    sums = []
    for _ in range(2):
        template.restore()
        cluster.start(SETTINGS)
        try:
            with pgbench.connect(cluster) as connection:
                sums.append(connection.execute("SELECT sum(abalance), count(*) FROM pgbench_accounts").fetchone())
            assert history(cluster) == 0
            pgbench.run(cluster, Workload("tpcb-like", duration_s=1))
            assert history(cluster) > 0
            with pytest.raises(BenchbookError, match="a server runs"):
                template.restore()
        finally:
            cluster.stop()
    assert sums == [(0, 100_000), (0, 100_000)]
    with pytest.raises(BenchbookError, match="template already"):
        Template(cluster)


def test_pgbench_keeps_to_the_clients_core(fresh: Cluster) -> None:
    pinned = cores.split()
    if pinned is None:
        pytest.skip("one core")
    seen: set[int] = set()

    watcher = threading.Thread(target=lambda: seen.update(os.sched_getaffinity(its_pgbench(fresh).pid)))
    watcher.start()
    pgbench.run(fresh, Workload("select-only", duration_s=1), pinned=pinned)
    watcher.join()
    assert seen == pinned.client
    assert os.sched_getaffinity(0) == pinned.client | pinned.server


def test_an_installation_without_pgbench_says_what_to_install(fresh: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: Any, **options: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "Popen", missing)
    with pytest.raises(MachineError, match=r"no pgbench.*postgresql-contrib"):
        pgbench.run(fresh, Workload(duration_s=1))
