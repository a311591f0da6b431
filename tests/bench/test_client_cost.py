"""The C loop on libpq, psycopg and pgbench ask a real server the same question."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.bench import clients, pq_loop
from benchbook.bench.measured import SMALL
from benchbook.engines import pgbench, postgres
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.cluster import ROLE
from benchbook.errors import MachineError, NoEngineError

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def program() -> Path:
    try:
        return pq_loop.built()
    except NoEngineError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    binaries = postgres.find()
    with postgres.private_cluster(binaries, bytes_needed=pgbench.data_bytes(1)) as made:
        made.start({})
        pgbench.initialise(made, 1)
        yield made
        made.stop()


def words(cluster: Cluster) -> str:
    return f"host={cluster.sockets} user={ROLE} dbname={pgbench.DATABASE}"


def test_the_loop_times_requests_and_says_which_library_it_uses(program: Path, cluster: Cluster) -> None:
    assert pq_loop.seconds(program, words(cluster), requests=200, keys=clients.KEYS, seed=1) > 0
    assert pq_loop.version(program).split(".")[0].isdigit()


def test_a_wrong_answer_ends_the_loop(program: Path, cluster: Cluster) -> None:
    with pytest.raises(MachineError, match=r"key \d+: wrong answer"):
        pq_loop.seconds(program, words(cluster), requests=2_000, keys=100 * clients.KEYS, seed=1)
    with pgbench.connect(cluster) as connection:
        connection.execute("UPDATE pgbench_accounts SET abalance = 1 WHERE aid = 7")
        try:
            with pytest.raises(MachineError, match="wrong balance of account 7"):
                clients.through_psycopg(connection, [6, 7], binary=False)
        finally:
            connection.execute("UPDATE pgbench_accounts SET abalance = 0 WHERE aid = 7")


def test_without_a_server_the_loop_gives_libpqs_words(program: Path, tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"failed: .*No such file"):
        pq_loop.seconds(program, f"host={tmp_path} dbname=x", requests=1, keys=1, seed=1)


@pytest.mark.parametrize("arguments", [[], ["x", "0", "1", "1"], ["x", "1", "1", "1z"], ["x", "1", "1", "99999999999"]])
def test_wrong_use_is_refused(program: Path, arguments: list[str]) -> None:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "use: pqloop" in done.stderr


def test_a_small_measurement_is_whole(program: Path) -> None:
    found = clients.measure(SMALL, lambda line: None)
    assert {each.name for each in found.timings} == set(clients.LABELS)
    assert {len(each.seconds) for each in found.timings} == {SMALL.repeats}
    assert set(found.versions) == {"PostgreSQL", "psycopg", "libpq of the C loop"}


def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pq_loop, "_COMPILERS", ("no-such-compiler",))
    with pytest.raises(NoEngineError, match="apt-get install gcc libpq-dev"):
        pq_loop.built()


def test_without_a_header_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pq_loop, "_places", lambda: iter(()))
    with pytest.raises(NoEngineError, match=r"no libpq-fe.h was found\); install"):
        pq_loop.built()
