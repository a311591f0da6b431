"""One trial on a warm server: pages of other trials displaced, keys warmed, requests timed, blocks counted."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchbook.chapters.own_server.arms import EMPTY_WAY, PIPELINE_WAY, Parameters
from benchbook.chapters.own_server.client import Asked, Client
from benchbook.chapters.own_server.data import Data
from benchbook.chapters.own_server.server import Server
from benchbook.engines import own_server
from benchbook.engines.own_server import Connection
from benchbook.engines.own_server.facts import trip_ms
from benchbook.engines.own_server.schema import STATEMENT_S
from benchbook.engines.own_server.service import LOCK_TIMEOUT, TIMEOUT
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.statistics import CacheState, describe
from benchbook.workloads import KeySets, hot_share

HOT = 0.99
_COUNTERS = """
    SELECT coalesce(sum(heap_blks_hit + idx_blks_hit), 0)::bigint,
           coalesce(sum(heap_blks_read + idx_blks_read), 0)::bigint,
           (SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_tables
            WHERE schemaname = %s AND relname LIKE 'feature%%')
    FROM pg_statio_user_tables WHERE schemaname = %s AND relname LIKE 'feature%%'
"""


@dataclass(frozen=True)
class Bench:
    """Loaded tables on a server, for trials. heap_bytes, index_bytes: as loaded."""

    parameters: Parameters
    server: Server
    data: Data
    heap_bytes: int
    index_bytes: int

    def provenance(self) -> dict[str, Any]:
        """The engine, what the server lets us see, and the data set."""
        facts = self.server.facts
        return {
            **self.server.identity, "server": facts.record(), "settings": facts.settings,
            "heap_bytes": self.heap_bytes, "index_bytes": self.index_bytes,
            "filler_bytes": self.data.filler_mib * 2**20,
        }  # fmt: skip

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        way = str(planned.configuration.settings["way"])
        hot, measured = keys(self.parameters, planned.configuration, planned.seed)
        with self.server.connect() as connection, own_server.told("failed in a trial"):
            self.server.still(connection)
            trip = trip_ms(connection, 50)
            if way != EMPTY_WAY:
                self.data.displace(connection)
            with own_server.patience(connection, STATEMENT_S):
                with self._pinned(connection):
                    self._client(connection, PIPELINE_WAY).run(hot)
                    client = self._client(connection, way)
                    client.settle(hot)
                before = self._counters(connection)
                with self._pinned(connection):
                    done = client.run(measured)
                hits, misses, scans = (b - a for a, b in zip(before, self._counters(connection), strict=True))
        metrics = describe(done.latencies) | _counted(client, done, hits, misses, scans) | {"trip_ns": trip * 1e6}
        warmed = hits + misses > 0 and hits / (hits + misses) >= HOT
        state = (
            CacheState.HOT if warmed else CacheState.NOT_CERTIFIED
        )  # what the system caches cannot be seen from here
        labels = {"state": "measured", "cache_state": str(state)}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, {"request": done.latencies})

    def _client(self, connection: Connection, way: str) -> Client:
        return Client(connection, self.data, way, prepare=not self.server.facts.pooler)

    @contextmanager
    def _pinned(self, connection: Connection) -> Iterator[None]:
        """Behind a pooler one transaction, which keeps one session of the server, so that its counts are complete."""
        if not self.server.facts.pooler:
            yield
            return
        with connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = '{TIMEOUT}'".encode())
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'".encode())
            yield
            self._flush(connection)

    def _flush(self, connection: Connection) -> None:
        """Have the server tell its counts, which it would otherwise do within a second or two."""
        if self.server.facts.major >= 15:
            connection.execute("SELECT pg_stat_force_next_flush()")

    def _counters(self, connection: Connection) -> tuple[int, int, int]:
        """Blocks found in the pool, blocks read into it, and look-ups by index."""
        if not self.server.facts.pooler:
            self._flush(connection)
        if self.server.facts.major < 15:
            time.sleep(1.1)
            connection.execute("SELECT 1")
            time.sleep(0.6)
        connection.execute("SELECT 1")
        row = connection.execute(_COUNTERS, (self.data.schema, self.data.schema)).fetchone()
        assert row is not None
        return int(row[0]), int(row[1]), int(row[2])


def _counted(client: Client, done: Asked, hits: int, misses: int, scans: int) -> dict[str, float | None]:
    n = len(done.latencies)
    return {
        "requests": float(n),
        "lookups": float(n * client.lookups),
        "index_scans": float(scans),
        "trips": float(client.trips),
        "blocks": float(hits + misses),
        "pool_hits_per_request": hits / n,
        "pool_misses_per_request": misses / n,
        "hit_ratio": hits / (hits + misses) if hits + misses else None,
        "loop_share_in_requests": float(done.latencies.sum()) / done.loop_ns,
    }


def keys(parameters: Parameters, configuration: Configuration, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers that are warmed, and those that are measured; trials of a block share hot set and other keys."""
    settings = configuration.settings
    sets = KeySets.shuffled(0, parameters.rows_per_table, np.random.default_rng([seed, 0]))
    own = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(str(settings).encode()).digest()[:4])])
    n = int(settings.get("requests") or parameters.requests)
    hot, others = sets.cut(0, parameters.hot_keys), sets.cut(parameters.hot_keys, n)
    share = {"same": 1.0, "disjoint": 0.0}.get(str(settings["draw"]), settings.get("share"))
    if share == 1.0:  # all keys equally often, in a new random order each time
        passes = [own.permutation(hot) for _ in range(-(-n // len(hot)))]
        return hot, np.concatenate(passes)[:n]
    return hot, hot_share(hot, others, float(share or 0), n, own)
