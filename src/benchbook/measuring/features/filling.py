"""Caches filled by look-ups of other keys: the same index scans as a request's, many to a statement."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchbook.engines.postgres import Cluster, counters
from benchbook.errors import BenchbookError
from benchbook.files import read_through
from benchbook.measuring.features.dataset import first_feature
from benchbook.measuring.features.layout import Layout
from benchbook.workloads import hash_keys

KEYS_A_STATEMENT, CONNECTIONS = 500, 4
_LOOKUPS_ONLY = ("hashjoin", "mergejoin", "seqscan", "bitmapscan", "memoize", "material", "sort", "indexonlyscan")


def read_once(paths: list[tuple[int, Path]]) -> None:
    """Read all data files from front to back, so that the page cache holds what it may of them."""
    for _, first in paths:
        segment, path = 0, first
        while path.exists():
            read_through(path)
            segment += 1
            path = first.with_name(f"{first.name}.{segment}")


def fill(cluster: Cluster, layout: Layout, ids: np.ndarray) -> None:
    """Look up every id in every table, in their order, over several connections; BenchbookError for a wrong row."""
    parts = [ids[start : start + KEYS_A_STATEMENT] for start in range(0, len(ids), KEYS_A_STATEMENT)]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(lambda place: _fill(cluster, layout, parts[place::CONNECTIONS]), range(CONNECTIONS)))


def _fill(cluster: Cluster, layout: Layout, parts: list[np.ndarray]) -> None:
    with cluster.connect() as connection:
        for name in _LOOKUPS_ONLY:
            connection.execute(f"SET enable_{name} = off")
        for ids in parts:
            keys = hash_keys(ids.tolist())
            for table, name in enumerate(layout.tables):
                row = connection.execute(
                    "SELECT count(*), sum(t.feature_01) FROM unnest(%s::bpchar[]) AS k(hashkey) "
                    f"JOIN {name} AS t ON t.hashkey = k.hashkey",
                    (keys,), prepare=True,
                ).fetchone()  # fmt: skip
                written = float(ids.sum()) + len(ids) * first_feature(0, table)
                if row is None or row[0] != len(ids) or row[1] != written:
                    raise BenchbookError(
                        f"table {table} answered {row!r} for {len(ids)} rows whose sum is {written!r}",
                        "the data set is damaged: run again with --fresh",
                    )
        counters.flush(connection, cluster.binaries)  # what counts later must not hold what was looked up here
