"""Which 8 KiB pages a set of keys needs: heap pages by the fixed row width, index leaves by the B-tree itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.btree import LeafMap, leaf_map
from benchbook.engines.postgres.counters import block_codes
from benchbook.errors import BenchbookError
from benchbook.experiments.families.features import dataset
from benchbook.experiments.families.features.parameters import Features


@dataclass(frozen=True)
class PageMap:
    """rows_per_page: of every heap. leaves: one map per table. rows: of each table."""

    parameters: Features
    rows_per_page: int
    leaves: tuple[LeafMap, ...]
    rows: tuple[int, ...]

    def needed(self, ids: np.ndarray) -> np.ndarray:
        """Distinct heap and leaf pages that look-ups of ``ids`` in all tables touch; sorted block codes, int64.

        A table without the row needs the leaf on which the key would be, but no heap page.
        """
        ids = np.unique(ids)
        if not len(ids):
            return np.zeros(0, dtype=np.int64)
        keys = dataset.key_bytes(ids)
        found = []
        for table, leaves in enumerate(self.leaves):
            present = ids[ids < self.rows[table]]
            places = dataset.places(self.parameters, table, present)
            found.append(block_codes(2 * table, np.unique(places // self.rows_per_page)))
            found.append(block_codes(2 * table + 1, np.unique(leaves.leaf_of(keys))))
        return np.sort(np.concatenate(found))


def page_map(cluster: Cluster, parameters: Features) -> PageMap:
    """Read the map off the running server, and check it against the server's own row addresses."""
    with cluster.connect() as connection:
        names = dataset.tables(parameters)
        row = connection.execute(f"SELECT count(*) FROM {dataset.SCHEMA}.{names[0]} WHERE ctid < '(1,0)'").fetchone()
        assert row is not None
        maps = tuple(leaf_map(connection, f"{dataset.SCHEMA}.{name}_pkey") for name in names)
        found = PageMap(parameters, int(row[0]), maps, tuple(dataset.rows_in(parameters, t) for t in range(len(names))))
        sample = np.random.default_rng(parameters.seed).integers(0, parameters.rows_per_table, 200)
        keys = dataset.key_bytes(sample)
        for table in {0, len(names) - 1}:
            places = dataset.places(parameters, table, sample)
            for number, place, key in zip(sample.tolist(), places.tolist(), keys.tolist(), strict=True):
                address = connection.execute(
                    f"SELECT (ctid::text::point)[0]::bigint FROM {dataset.SCHEMA}.{names[table]} WHERE hashkey = %s",
                    (key.decode(),),
                ).fetchone()
                if address is None or address[0] != place // found.rows_per_page:
                    raise BenchbookError(
                        f"row {number} of {names[table]} is not on the page computed for it",
                        "this PostgreSQL lays rows out differently: report its version",
                    )
            _check_leaf(connection, f"{dataset.SCHEMA}.{names[table]}_pkey", maps[table], keys[0])
    return found


def _check_leaf(connection: object, index: str, leaves: LeafMap, key: bytes) -> None:
    block = int(leaves.leaf_of(np.array([key], dtype="S64"))[0])
    spelled = " ".join(f"{byte:02x}" for byte in key)
    row = connection.execute(  # type: ignore[attr-defined]
        "SELECT count(*) FROM bt_page_items(%s, %s) WHERE data LIKE %s", (index, block, f"%{spelled}%")
    ).fetchone()
    if not row or row[0] < 1:
        raise BenchbookError(f"a key of {index} is not on the leaf computed for it", "report the PostgreSQL version")
