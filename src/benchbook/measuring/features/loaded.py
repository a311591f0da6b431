"""The loaded tables: which 8 KiB pages keys need of them, and a server on them for the trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.btree import LeafMap, leaf_map
from benchbook.engines.postgres.counters import block_codes
from benchbook.engines.storage import latency
from benchbook.errors import BenchbookError
from benchbook.measuring.features import dataset
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.parameters import ALIKE, OWN, Features
from benchbook.measuring.postgres import Connection, Loaded, one_row
from benchbook.model import Scalar


@dataclass(frozen=True)
class PageMap:
    """Pages of the tables of one layout. rows_per_page: of every heap. leaves: one map per table."""

    layout: Layout
    rows_per_page: int
    leaves: tuple[LeafMap, ...]

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
            places = self.layout.places(table, ids[self.layout.holds(table, ids)])
            found.append(block_codes(2 * table, np.unique(places // self.rows_per_page)))
            found.append(block_codes(2 * table + 1, np.unique(leaves.leaf_of(keys))))
        return np.sort(np.concatenate(found))

    def each(self, ids: np.ndarray) -> tuple[np.ndarray, int]:
        """The pages of each key, numbered from 0 over all tables, and how many numbers there are.

        ids: of rows that every table has. int32, shape (ids, 2 tables): a heap page and a leaf for each table.
        """
        keys, columns, start = dataset.key_bytes(ids), [], 0
        for table, leaves in enumerate(self.leaves):
            columns.append(start + self.layout.places(table, ids) // self.rows_per_page)
            start += -(-self.layout.rows[table] // self.rows_per_page)
            columns.append(start + leaves.leaf_of(keys))
            start += int(leaves.leaves.max()) + 1
        return np.stack(columns, axis=1).astype(np.int32), start

    def apart(self, warm: np.ndarray, others: np.ndarray) -> np.ndarray:
        """``others`` in another order: first those that share no page with ``warm`` or one another, as many as can be.

        Then those that share one with another of them, then by how many pages they share with ``warm``.
        """
        pages, count = self.each(np.concatenate([warm, others]))
        taken = np.zeros(count, dtype=bool)
        taken[pages[: len(warm)].ravel()] = True
        pages = pages[len(warm) :]
        shared = taken[pages].sum(axis=1)
        alone, together = [], []
        for place in np.flatnonzero(shared == 0).tolist():
            if taken[pages[place]].any():
                together.append(place)
            else:
                taken[pages[place]] = True
                alone.append(place)
        rest = np.flatnonzero(shared)
        rest = rest[np.argsort(shared[rest], kind="stable")]
        return np.asarray(others[np.concatenate([np.array(alone + together, dtype=np.int64), rest])])


@dataclass(frozen=True)
class Tables:
    """The tables of one layout. paths: number of a relation, as the layout has it, and its first file."""

    layout: Layout
    pages: PageMap
    paths: list[tuple[int, Path]]
    heap_bytes: int
    index_bytes: int


def tables(cluster: Cluster, layout: Layout) -> Tables:
    """What the running server says of the tables of a layout that was loaded."""
    with cluster.connect() as connection:
        heap_bytes, index_bytes = dataset.relation_bytes(connection, layout.schema)
        paths = []
        for name, number in layout.relations().items():
            [path] = one_row(connection, "SELECT pg_relation_filepath(%s::regclass)", name)
            paths.append((number, cluster.data / str(path)))
    return Tables(layout, page_map(cluster, layout), paths, heap_bytes, index_bytes)


@dataclass(frozen=True)
class LoadedTables(Loaded[Features]):
    """Tables in a private cluster, by layout, and the counters as they stood after loading."""

    tables: Mapping[str, Tables]
    statistics: Path

    def of(self, arm: Mapping[str, Scalar]) -> Tables:
        return self.tables[ALIKE if arm.get("alike") else OWN]

    def settings(self) -> dict[str, Scalar]:
        """Reads past the page cache by the server's own processes, the same with and without added latency."""
        return latency.settings(self.binaries) if self.direct_io else {}

    def start(
        self, own: Mapping[str, Scalar] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:  # fmt: skip
        """A fresh server with empty caches, and the counters as they stood after loading."""
        self.cluster.restore(self.statistics, self.cluster.data / "pg_stat")
        self.cluster.evict()
        super().start({"shared_buffers": f"{self.parameters.shared_buffers_mib}MB", **(own or {})}, environment)

    def provenance(self) -> dict[str, Any]:
        return super().provenance() | {"rows": self.tables[OWN].layout.rows}


def page_map(cluster: Cluster, layout: Layout) -> PageMap:
    """Read the map off the running server, and check it against the server's own row addresses."""
    with cluster.connect() as connection:
        names = layout.tables
        [on_first] = one_row(connection, f"SELECT count(*) FROM {names[0]} WHERE ctid < '(1,0)'")
        maps = tuple(leaf_map(connection, f"{name}_pkey") for name in names)
        found = PageMap(layout, int(on_first), maps)
        sample = np.random.default_rng(layout.parameters.seed).integers(0, layout.parameters.rows_per_table, 200)
        for table in {0, len(names) - 1}:
            _check(connection, found, table, sample)
    return found


def _check(connection: Connection, found: PageMap, table: int, sample: np.ndarray) -> None:
    name, keys = found.layout.tables[table], dataset.key_bytes(sample)
    places = found.layout.places(table, sample)
    for number, place, key in zip(sample.tolist(), places.tolist(), keys.tolist(), strict=True):
        address = connection.execute(
            f"SELECT (ctid::text::point)[0]::bigint FROM {name} WHERE hashkey = %s", (key.decode(),)
        ).fetchone()
        if address is None or address[0] != place // found.rows_per_page:
            raise BenchbookError(
                f"row {number} of {name} is not on the page computed for it",
                "this PostgreSQL lays rows out differently: report its version",
            )
    block = int(found.leaves[table].leaf_of(keys[:1])[0])
    spelled = " ".join(f"{byte:02x}" for byte in keys[0])
    row = connection.execute(
        "SELECT count(*) FROM bt_page_items(%s, %s) WHERE data LIKE %s", (f"{name}_pkey", block, f"%{spelled}%")
    ).fetchone()
    if not row or row[0] < 1:
        raise BenchbookError(
            f"a key of {name}_pkey is not on the leaf computed for it", "report the PostgreSQL version"
        )
