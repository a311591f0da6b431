"""Counters count what was asked, and the pool's content is what the server itself shows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from benchbook import files
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres import counters as pg

pytestmark = pytest.mark.engine

SCHEMA = "counted"
ROWS = 3_000
LOOK_UP = f"SELECT hashkey FROM {SCHEMA}.one WHERE hashkey = encode(sha256(%s::text::bytea), 'hex')::char(64)"


@dataclass(frozen=True)
class Ready:
    """A running server, a connection that observes and one that is measured."""

    cluster: Cluster
    observer: pg.Connection
    measured: pg.Connection

    def read(self) -> pg.Counters:
        return pg.read(self.observer, self.measured, self.cluster.binaries, SCHEMA)

    def look_up(self, *numbers: int, table: str = f"{SCHEMA}.one") -> None:
        for number in numbers:
            self.measured.execute(LOOK_UP.replace(f"{SCHEMA}.one", table), (number,)).fetchone()


@pytest.fixture
def ready(cluster: Cluster) -> Iterator[Ready]:
    with cluster.connect() as observer, cluster.connect() as measured:
        for table in (f"{SCHEMA}.one", f"{SCHEMA}.two", "elsewhere.one"):
            observer.execute(f"CREATE SCHEMA IF NOT EXISTS {table.split('.')[0]}")
            observer.execute(f"DROP TABLE IF EXISTS {table}")
            observer.execute(f"CREATE TABLE {table} (hashkey char(64) NOT NULL)")
            observer.execute(
                f"INSERT INTO {table} SELECT encode(sha256(n::text::bytea), 'hex') FROM generate_series(1, {ROWS}) n"
            )
            observer.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (hashkey)")
            observer.execute(f"VACUUM ANALYZE {table}")
        pg.flush(observer, cluster.binaries)  # the loading's own blocks, which must not appear between two readings
        measured.execute("SET plan_cache_mode = force_custom_plan")  # constants, hence always by index
        measured.execute("SET enable_seqscan = off")
        measured.execute("SET enable_bitmapscan = off")
        measured.execute("SET enable_indexonlyscan = off")
        ready = Ready(cluster, observer, measured)
        ready.look_up(1)
        ready.look_up(1, table=f"{SCHEMA}.two")
        yield ready


def level(ready: Ready) -> int:
    return ready.observer.execute("SELECT level FROM bt_metap(%s)", (f"{SCHEMA}.one_pkey",)).fetchone()[0]


@pytest.mark.parametrize("asked", [1, 7, 500])
def test_a_known_number_of_look_ups_is_counted_exactly(ready: Ready, asked: int) -> None:
    before = ready.read()
    ready.look_up(*range(1, asked + 1))
    seen = ready.read() - before
    assert seen.index_scans == asked
    assert seen.heap_hit + seen.heap_read == asked, "one heap page each"
    assert seen.index_hit + seen.index_read == asked * (level(ready) + 1), "the way from the root to a leaf each"
    assert (seen.hits, seen.reads) == (seen.heap_hit + seen.index_hit, seen.heap_read + seen.index_read)


def test_a_key_that_is_not_there_costs_the_index_alone(ready: Ready) -> None:
    before = ready.read()
    ready.look_up(ROWS + 1, ROWS + 2, ROWS + 3)
    seen = ready.read() - before
    assert (seen.index_scans, seen.heap_hit + seen.heap_read) == (3, 0)
    assert seen.index_hit + seen.index_read == 3 * (level(ready) + 1)


def test_nothing_asked_is_nothing_counted_and_observing_does_not_count(ready: Ready) -> None:
    before = ready.read()
    pg.buffered_blocks(ready.observer, {f"{SCHEMA}.one": 0})
    seen = ready.read() - before
    assert (seen.hits, seen.reads, seen.index_scans) == (0, 0, 0)


def test_all_tables_of_the_schema_count_and_no_others(ready: Ready) -> None:
    before = ready.read()
    ready.look_up(1, 2, table=f"{SCHEMA}.two")
    ready.look_up(1, 2, 3, table="elsewhere.one")
    ready.look_up(1)
    assert (ready.read() - before).index_scans == 3


def test_what_a_version_does_not_count_is_missing_and_not_zero(ready: Ready) -> None:
    seen = ready.read()
    assert (seen.io_reads is not None) == ready.cluster.binaries.has_stat_io
    assert (seen - seen).io_reads == (0 if ready.cluster.binaries.has_stat_io else None)


def test_the_pool_holds_what_the_server_shows(ready: Ready) -> None:
    numbered = {f"{SCHEMA}.one": 0, f"{SCHEMA}.one_pkey": 1, f"{SCHEMA}.two": 2, f"{SCHEMA}.two_pkey": 7}
    codes = pg.buffered_blocks(ready.observer, numbered)
    expected = []
    for name, number in numbered.items():
        rows = ready.observer.execute(
            """SELECT relblocknumber FROM pg_buffercache
               WHERE relfilenode = pg_relation_filenode(%s::regclass) AND relforknumber = 0
                 AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())""",
            (name,),
        ).fetchall()
        assert rows, "a table just made is in the pool"
        expected.append(pg.block_codes(number, np.array([row[0] for row in rows])))
    assert np.array_equal(codes, np.sort(np.concatenate(expected)))
    assert len(np.unique(codes)) == len(codes)


def test_a_stopped_servers_evicted_files_are_in_no_cache_and_a_look_up_brings_some_back(
    ready: Ready, cluster: Cluster
) -> None:
    [path] = ready.observer.execute(f"SELECT pg_relation_filepath('{SCHEMA}.one')").fetchone()
    paths = [(3, cluster.data / path)]
    if files.filesystem(cluster.folder) in {"tmpfs", "ramfs"}:
        pytest.skip("the scratch disk is in memory")
    for connection in (ready.observer, ready.measured):
        connection.close()
    cluster.stop()
    try:
        cluster.evict()
        assert len(pg.os_cached_blocks(paths)) == 0
    finally:
        cluster.start({"shared_buffers": "16MB"})
    with cluster.connect() as connection:
        assert len(pg.buffered_blocks(connection, {f"{SCHEMA}.one": 3})) == 0, "a new server's pool is empty"
        connection.execute(f"SELECT count(*) FROM {SCHEMA}.one")
        codes = pg.os_cached_blocks(paths)
        blocks = paths[0][1].stat().st_size // pg.BLOCK_BYTES
        assert np.array_equal(codes, pg.block_codes(3, np.arange(blocks)))
        assert np.array_equal(pg.buffered_blocks(connection, {f"{SCHEMA}.one": 3}), codes)
