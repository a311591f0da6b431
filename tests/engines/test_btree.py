"""The leaf computed for a key is the leaf on which the server keeps it."""

import hashlib

import numpy as np
import pytest

from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.btree import leaf_map
from benchbook.engines.postgres.counters import Connection

pytestmark = pytest.mark.engine

ROWS = "SELECT encode(sha256(number::text::bytea), 'hex') FROM generate_series(0, %s) AS number"
ON_LEAVES = """
    SELECT leaf.blkno, item.data
    FROM generate_series(1, pg_relation_size(%(index)s::text::regclass) / 8192 - 1) AS block,
         LATERAL bt_page_stats(%(index)s::text, block::int) AS leaf,
         LATERAL bt_page_items(%(index)s::text, block::int) AS item
    WHERE leaf.type = 'l' AND (leaf.btpo_next = 0 OR item.itemoffset > 1)
"""


def kept(connection: Connection, index: str) -> dict[bytes, int]:
    """Key -> block of its leaf, as the server shows every item of every leaf."""
    rows = connection.execute(ON_LEAVES, {"index": index}).fetchall()
    return {bytes.fromhex(data.replace(" ", ""))[1:65]: block for block, data in rows}


@pytest.mark.parametrize(
    ("rows", "fill", "level"), [(1, 90, 0), (40, 90, 0), (3_000, 90, 1), (20_000, 90, 2), (60_000, 10, 3)]
)
def test_every_key_of_a_built_index_is_on_the_leaf_computed(cluster: Cluster, rows: int, fill: int, level: int) -> None:
    with cluster.connect() as connection:
        connection.execute("DROP TABLE IF EXISTS built")
        connection.execute("CREATE TABLE built (hashkey char(64) NOT NULL)")
        connection.execute(f"INSERT INTO built {ROWS}", (rows - 1,))
        connection.execute(f"ALTER TABLE built ADD PRIMARY KEY (hashkey) WITH (fillfactor = {fill})")
        check(connection, "built_pkey", rows, level)


def test_every_key_of_a_grown_index_is_on_the_leaf_computed(cluster: Cluster) -> None:
    with cluster.connect() as connection:
        connection.execute("CREATE TABLE grown (hashkey char(64) PRIMARY KEY)")
        connection.execute(f"INSERT INTO grown {ROWS}", (19_999,))
        check(connection, "grown_pkey", 20_000, 2)


def check(connection: Connection, index: str, rows: int, level: int) -> None:
    found = connection.execute("SELECT level FROM bt_metap(%s)", (index,)).fetchone()
    assert found == (level,), "the index has the height that is to be tested"
    expected = kept(connection, index)
    assert set(expected) == {hashlib.sha256(b"%d" % number).hexdigest().encode() for number in range(rows)}
    leaves = leaf_map(connection, index)
    keys = np.array(list(expected), dtype="S64")
    assert np.array_equal(leaves.leaf_of(keys), np.array(list(expected.values())))
    assert (leaves.separators[1:] > leaves.separators[:-1]).all()
    assert set(leaves.leaves.tolist()) == set(expected.values())


def test_a_key_that_is_not_there_is_looked_for_where_it_would_be_inserted(cluster: Cluster) -> None:
    with cluster.connect() as connection:
        connection.execute("CREATE TABLE sparse (hashkey char(64) NOT NULL)")
        connection.execute(f"INSERT INTO sparse {ROWS}", (2_999,))
        connection.execute("ALTER TABLE sparse ADD PRIMARY KEY (hashkey) WITH (fillfactor = 50)")
        absent = [hashlib.sha256(b"%d" % number).hexdigest().encode() for number in range(5_000, 5_050)]
        computed = leaf_map(connection, "sparse_pkey").leaf_of(np.array(absent, dtype="S64"))
        connection.execute("INSERT INTO sparse VALUES " + ", ".join(f"('{key.decode()}')" for key in absent))
        there = kept(connection, "sparse_pkey")
    assert [there[key] for key in absent] == computed.tolist()
