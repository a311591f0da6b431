"""The loaded tables: what the trials on them, and the windows of a trial, need to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.engines import cores
from benchbook.engines.postgres import Cluster
from benchbook.engines.storage import latency
from benchbook.engines.storage.latency import AddedLatency
from benchbook.measuring.features import dataset
from benchbook.measuring.features.layout import Layout
from benchbook.measuring.features.pages import PageMap, page_map
from benchbook.measuring.features.parameters import ALIKE, OWN, Features
from benchbook.measuring.postgres import Loaded
from benchbook.model import Scalar


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
            row = connection.execute("SELECT pg_relation_filepath(%s::regclass)", (name,)).fetchone()
            assert row is not None
            paths.append((number, cluster.data / str(row[0])))
    return Tables(layout, page_map(cluster, layout), paths, heap_bytes, index_bytes)


@dataclass(frozen=True)
class LoadedTables(Loaded[Features]):
    """Tables in a private cluster, by layout, and the counters as they stood after loading."""

    tables: Mapping[str, Tables]
    statistics: Path

    def of(self, arm: Mapping[str, Scalar]) -> Tables:
        """The tables that a configuration with these settings reads."""
        return self.tables[ALIKE if arm.get("alike") else OWN]

    def settings(self) -> dict[str, Scalar]:
        """Reads past the page cache by the server's own processes, the same with and without added latency."""
        return latency.settings(self.binaries) if self.direct_io else {}

    def start(self, pool_mib: int | None = None, added: AddedLatency | None = None) -> None:
        """A fresh server with empty caches, and the counters as they stood after loading.

        pool_mib: its buffer pool; that of the parameters by default. added: what makes its reads slower.
        """
        self.cluster.restore(self.statistics, self.cluster.data / "pg_stat")
        self.cluster.evict()
        pool = {"shared_buffers": f"{pool_mib or self.parameters.shared_buffers_mib}MB"}
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start(pool | self.settings(), added.environment if added else None)

    def provenance(self) -> dict[str, Any]:
        """Also the rows of each table, which differ."""
        return super().provenance() | {"rows": self.tables[OWN].layout.rows}
