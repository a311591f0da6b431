"""Trials of the chapter on clients on small tables: counted, checked, through a pooler, and how they fail."""

import contextlib
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import busy
import psutil
import pytest
from eventually import eventually
from tiny_runs import Tiny, check_whole, given, number, planned

from benchbook.chapters.clients import Parameters, session
from benchbook.engines import pgbench, pgbouncer
from benchbook.engines.pgbouncer import pooler
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench import many_clients
from benchbook.measuring.pgbench.many_clients import Bench
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]


try:
    pgbouncer.find()
except BenchbookError as error:
    MISSING = f"{error.problem}; {error.mend}"
else:
    MISSING = ""
POOLER = pytest.mark.skipif(bool(MISSING), reason=MISSING or "there is one")
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 8, "counts": [1, 4], "seconds": 2, "fill_seconds": 1, "waits_seconds": 6,
        "server_connections": 40, "pool_backends": 4, "few_backends": 2, "pooled_counts": [], "many_clients": 60,
        "many_seconds": 3, "allow_vm_settings": False,
    }
)  # fmt: skip
PARTS = ["counts", "waits"] if MISSING else ["counts", "protocols", "pooled", "waits"]
RUNS = {
    "clients": Tiny(
        PARAMETERS.model_dump()
        | {"seconds": 1, "fill_seconds": 0, "waits_seconds": 2, "many_seconds": 1, "parts": PARTS},
        ("scaling", "waits", "through", "noise", "design"),
    ),
}
arm = partial(planned, chapter="clients", parameters=PARAMETERS)


@pytest.fixture(scope="module")
def bench(module_home: Path) -> Iterator[Bench]:
    with busy.allowed(), session(PARAMETERS, lambda what, share: None) as ready:
        yield ready


def test_a_direct_trial_has_a_connection_for_each_client(bench: Bench) -> None:
    found = bench.measure(arm("direct"))
    assert found.labels["state"] == "measured"
    assert number(found, "connected_most") == 8
    assert number(found, "server_transactions") == number(found, "transactions")
    assert number(found, "start_tps") == number(found, "tps")


def test_a_cold_trial_begins_with_empty_caches_and_sees_its_waits(bench: Bench) -> None:
    found = bench.measure(arm("round_1_cold"))
    assert found.labels["state"] == "measured"
    assert number(found, "data_in_pool_start") < 0.01
    assert number(found, "data_in_os_cache_start") < 0.01
    assert number(found, "clients_looked_at_first") >= 8
    assert 0 < number(found, "cpu_busy") <= 1
    assert "bgwriter_lru_maxpages=1000" in found.labels["settings"]


@POOLER
def test_through_the_pooler_more_clients_than_the_server_allows_are_served(bench: Bench) -> None:
    assert PARAMETERS.many_clients > PARAMETERS.server_connections
    found = bench.measure(arm("pooled_many_clients"))
    assert found.labels["state"] == "measured", found.labels
    assert number(found, "clients_served") == 60
    assert number(found, "connected_most") <= 4
    assert number(found, "pooler_cpu_s") > 0


@pytest.mark.faults
@POOLER
def test_a_pooler_that_dies_makes_a_failed_trial_and_leaves_nothing(bench: Bench) -> None:
    def kill() -> None:
        assert eventually(lambda: poolers_in(bench.tables.cluster.folder))
        time.sleep(1.0)
        poolers_in(bench.tables.cluster.folder)[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    found = bench.measure(arm("pooled"))
    killer.join()
    assert found.labels["state"].startswith("failed: the pooler was killed by signal 9"), found.labels
    assert found.metrics == {}
    assert poolers_in(bench.tables.cluster.folder) == []


@pytest.mark.faults
def test_a_row_too_few_fails_the_trial(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = many_clients.BALANCES.replace("count(*)", "count(*) - 1")
    monkeypatch.setattr(many_clients, "BALANCES", wrong)
    found = bench.measure(arm("direct"))
    assert "its history has" in found.labels["state"]


@POOLER
def test_the_pooler_has_no_port_and_its_socket_is_private(bench: Bench) -> None:
    cluster = bench.tables.cluster
    bench.tables.template.restore()
    cluster.start({})
    try:
        with pgbouncer.pooled(cluster, clients=5, backends=2) as running:
            process = psutil.Process(running.process.pid)
            assert list(process.net_connections("inet")) == []
            socket = running.front.sockets / ".s.PGSQL.5432"
            assert socket.is_socket()
            assert socket.stat().st_mode & 0o077 == 0
            with contextlib.closing(pgbench.connect(running.front)) as connection:
                assert connection.execute("SELECT count(*) FROM pgbench_branches").fetchone() == (4,)
        assert not psutil.pid_exists(running.process.pid)
    finally:
        cluster.stop()


def poolers_in(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.name() == "pgbouncer" and Path(process.cwd()).is_relative_to(folder / pooler.NAME):
                found.append(process)
    return found


@given(RUNS)
def test_a_small_run_is_whole(run: Run) -> None:
    check_whole(run, RUNS["clients"].sentences)
