"""One trial: a fresh server, keys warmed, requests in one way of asking timed over a way of one length, all checked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg
from psycopg import pq

from benchbook.chapters.round_trips import counting
from benchbook.chapters.round_trips.arms import COUNTED, PARTS, Parameters
from benchbook.chapters.round_trips.asking import definition, way
from benchbook.chapters.round_trips.client import Client, Connection
from benchbook.chapters.round_trips.reduction import reduce
from benchbook.chapters.round_trips.relay import relayed
from benchbook.engines import cores
from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres import sessions
from benchbook.measuring.features import bench, window
from benchbook.measuring.features.client import Client as Warmer
from benchbook.measuring.features.keys import Requests, requests
from benchbook.measuring.features.loaded import Tables
from benchbook.measuring.features.parameters import OWN
from benchbook.measuring.features.surroundings import Surroundings, surrounded
from benchbook.model import PlannedTrial, Trial
from benchbook.statistics import cache_state
from benchbook.workloads import hash_keys


@contextmanager
def session(made: bench.Bench) -> Iterator[Bench]:
    """The loaded tables with the functions that answer a whole request."""
    found = Bench(**{each.name: getattr(made, each.name) for each in fields(made) if each.init})
    layout = made.tables[OWN].layout
    made.cluster.start({})
    try:
        with made.cluster.connect() as connection:
            for size in found.asked.sizes:
                connection.execute(definition(layout, size).encode())
    finally:
        made.cluster.stop()
    yield found


class Bench(bench.Bench):
    """Loaded tables, asked in one way a trial."""

    @property
    def asked(self) -> Parameters:
        """The parameters with what this chapter adds."""
        assert isinstance(self.parameters, Parameters)
        return self.parameters

    def provenance(self) -> dict[str, Any]:
        """Also the client library, whose code decides what goes over the wire."""
        return super().provenance() | {"psycopg": psycopg.__version__, "libpq": pq.version()}

    def _measure(self, planned: PlannedTrial) -> Trial:
        settings, p = planned.configuration.settings, self.asked
        tables = self.of(settings)
        layout, mode = tables.layout, str(settings["mode"])
        keys = requests(p, planned.configuration, planned.seed, self._choosing(tables, planned.seed))
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        with surrounded(self, p.pool_mib(settings), settings) as around, ExitStack() as stack:
            stack.enter_context(cores.on(None if self.cores is None else self.cores.client))
            observer = stack.enter_context(self.cluster.connect())
            ways = [] if mode == COUNTED else [way(mode, layout, size, p.tables_per_union) for size in p.sizes]
            lanes = [stack.enter_context(around.connect()) for _ in (ways[0].lanes if ways else (None,))]
            in_force = sessions.checked(lanes[0])
            Warmer(lanes[0], layout, serial=False, only_first=False, empty=False).warm(keys.warm)
            latencies = np.zeros(0, dtype=np.int64)
            if ways:
                asking = stack.enter_context(Client(lanes, ways, p.n_features + 1))
                asking.settle(hash_keys(keys.warm[:1].tolist())[0])
                found, state, latencies = self._timed(tables, observer, lanes, asking, keys)
                found |= reduce(latencies) | {"trips": float(ways[-1].trips)}
            else:
                found, state = self._counted(tables, observer, around, keys)
            metrics = found | around.certificate(around.delayed(), len(keys.measured))
        seconds = time.monotonic() - clock
        labels = {"state": "measured", "settings": in_force, "cache_state": state}
        return Trial(planned, started_at, seconds, metrics, labels, {"request": latencies} if len(latencies) else {})

    def _timed(
        self, tables: Tables, observer: Connection, lanes: list[Connection], asking: Client, keys: Requests
    ) -> tuple[dict[str, float | None], str, np.ndarray]:
        """Metrics, the certified state of the cache, and latencies of all measured requests."""
        p, ids = self.asked, keys.measured
        metrics, state = self._state(tables, observer, ids)
        before = self._counters(tables, observer, lanes)
        done = asking.run(ids, p.window_requests)
        whole = self._counters(tables, observer, lanes) - before
        lookups = sum(p.sizes[place % PARTS] for place in range(len(ids)))
        metrics |= {
            "requests": float(len(ids)),
            "lookups": float(lookups),
            "index_scans": float(whole.index_scans),
            "pool_misses_per_request": whole.reads / len(ids),
            "loop_share_in_requests": float(done.latencies.sum()) / done.loop_ns,
        }
        return metrics, state, done.latencies

    def _counters(self, tables: Tables, observer: Connection, lanes: list[Connection]) -> pg.Counters:
        """The counters now, with what every connection has still to report."""
        for each in lanes[1:]:
            pg.flush(each, self.binaries)
        return pg.read(observer, lanes[0], self.binaries, tables.layout.schema)

    def _state(self, tables: Tables, observer: Connection, ids: np.ndarray) -> tuple[dict[str, float | None], str]:
        needed = tables.pages.needed(ids)
        held = window.residency(tables, observer, needed)
        state = cache_state(held.needed_in_pool, held.needed_in_os, os_cache_in_play=not self.direct_io)
        return {"needed_pages": float(len(needed)), "needed_in_pool_at_start": held.needed_in_pool}, str(state)

    def _counted(
        self, tables: Tables, observer: Connection, around: Surroundings, keys: Requests
    ) -> tuple[dict[str, float | None], str]:
        """Trips, rows and statements at once, and the certified state of the cache."""
        layout, row = tables.layout, int(keys.warm[0])
        metrics, state = self._state(tables, observer, keys.warm)
        assert around.proxy is not None
        with relayed(around.proxy.folder) as relay:
            metrics |= counting.trips_by_way(relay, self.asked, layout, row)
            metrics |= counting.of_the_notes_code(relay, layout, row)
        return metrics | counting.at_once(self.cluster.connect, layout, row), state
