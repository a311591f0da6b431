"""Reads of a real PostgreSQL that take evenly spaced turns, and those that need none."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.engines.postgres import find, private_cluster
from benchbook.engines.storage import pacing
from benchbook.engines.storage.pacing import PacedCluster, Turns
from benchbook.errors import BenchbookError, MachineError

ROWS = 3_000


def test_counts_are_of_what_came_after() -> None:
    later, earlier = Turns(30, 9_000_000, 4), Turns(10, 4_000_000, 1)
    assert later.since(earlier) == Turns(20, 5_000_000, 3)
    assert later.since(earlier).wait_ms == pytest.approx(0.25)
    assert Turns(0, 0, 7).wait_ms is None


@pytest.fixture(scope="module")
def cluster(module_home: Path) -> Iterator[PacedCluster]:
    with private_cluster(find(), bytes_needed=300_000_000) as made:
        made.start({})
        with made.connect() as connection:
            connection.execute("CREATE TABLE t AS SELECT i, repeat('x', 7000) AS filler "
                               f"FROM generate_series(1, {ROWS}) AS i")  # fmt: skip
            connection.execute("ALTER TABLE t ALTER filler SET STORAGE PLAIN")
            connection.execute(f"INSERT INTO t SELECT i + {ROWS}, repeat('y', 7000) FROM generate_series(1, {ROWS}) i")
        made.stop()
        yield pacing.prepared(made)


def read_rows(cluster: PacedCluster, rows: int) -> float:
    """Seconds that it takes to read as many rows, each on a page of its own."""
    with cluster.connect() as connection:
        clock = time.monotonic()
        connection.execute(
            "SELECT length(filler) FROM t WHERE ctid = ANY (SELECT format('(%%s,1)', n)::tid FROM "
            "generate_series(%s::bigint, %s) n)",
            (ROWS // 2, ROWS // 2 + rows - 1),
        ).fetchall()
        return time.monotonic() - clock


@pytest.mark.engine
@pytest.mark.machine
def test_reads_past_the_page_cache_take_turns_and_cached_ones_none(cluster: PacedCluster) -> None:
    cluster.evict()
    cluster.start({"shared_buffers": "16MB"} | pacing.settings(cluster.binaries))
    try:
        cluster.connect().close()
        before = cluster.turns()
        with cluster.paced(200):
            took = read_rows(cluster, 100)
        turns = cluster.turns().since(before)
        assert turns.reads >= 20, "the kernel reads ahead of what is read in order"
        assert took >= (turns.reads - 1) / 200
        assert turns.wait_ms is not None
        cluster.stop()
        cluster.start({"shared_buffers": "16MB"} | pacing.settings(cluster.binaries))  # an empty pool, a full cache
        before = cluster.turns()
        with cluster.paced(20):
            read_rows(cluster, 100)
        again = cluster.turns().since(before)
        assert again.cached > 10 * again.reads
        before = cluster.turns()
        read_rows(cluster, 200)
        assert cluster.turns() == before, "without a pace nothing waits and nothing is counted"
    finally:
        cluster.stop()


@pytest.mark.engine
@pytest.mark.machine
def test_a_server_without_the_library_is_not_said_to_be_paced(cluster: PacedCluster) -> None:
    with pytest.raises(MachineError, match="no server runs"), cluster.paced(100):
        pass
    plain = PacedCluster(cluster, {})
    plain.start({})
    try:
        with pytest.raises(MachineError, match="without the library"), plain.paced(100):
            pass
        with pytest.raises(BenchbookError, match="5 reads a second are fewer than 20"), plain.paced(5):
            pass
    finally:
        plain.stop()
